// SPDX-License-Identifier: GPL-2.0
/*
 * Parsing --pmu, and opening the counters. libtap knows their names.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "run/pmu_args.h"

static int add(struct pmu_args *args, const char *text, size_t len)
{
	struct tap_error err = { 0 };
	char *name;

	if (args->nr == TAP_MAX_PMU) {
		tool_error("--pmu: at most %d counters", TAP_MAX_PMU);
		return TOOL_USAGE;
	}
	name = strndup(text, len);
	if (!name) {
		tool_error("out of memory");
		return TOOL_FAILED;
	}
	args->names[args->nr] = name;
	if (tap_perf_parse(name, &args->events[args->nr++], &err)) {
		tool_error("--pmu: %s", err.text);
		return TOOL_USAGE;
	}
	return -1;
}

int pmu_args_parse(struct pmu_args *args, const char *text)
{
	size_t len;
	int ret;

	do {
		len = tap_perf_span(text);
		if (!len) {
			tool_error("--pmu: the name of a counter is missing; separate names with commas, e.g. --pmu cycles,instructions");
			return TOOL_USAGE;
		}
		ret = add(args, text, len);
		text += len;
	} while (ret < 0 && *text++);
	return ret;
}

/* The first counter that a new session cannot open together with those before it. */
static __u32 first_refused(const struct pmu_args *args)
{
	struct tap_session *session;
	__u32 nr;
	int ret;

	for (nr = 1; nr < args->nr; nr++) {
		if (tap_session_open(&session, NULL))
			break;
		ret = tap_session_setup(session, NULL, NULL);
		if (!ret)
			ret = tap_session_pmu(session, args->events, nr);
		tap_session_close(session);
		if (ret)
			break;
	}
	return nr - 1;
}

int pmu_args_open(const struct pmu_args *args, struct tap_session *session,
		  struct tap_error *err)
{
	char what[TAP_FIELD_NAME_LEN];
	int ret;

	if (!args->nr)
		return 0;
	ret = tap_session_pmu(session, args->events, args->nr);
	if (!ret)
		return 0;
	/* The module does not return which counter failed. */
	snprintf(what, sizeof(what), "--pmu %s",
		 args->names[first_refused(args)]);
	return tap_explain_target(err, TAP_IOC_PMU, ret, what);
}

void pmu_args_free(struct pmu_args *args)
{
	__u32 i;

	for (i = 0; i < args->nr; i++)
		free((char *)args->names[i]);
	memset(args, 0, sizeof(*args));
}
