// SPDX-License-Identifier: GPL-2.0
/*
 * Lists the counters that have a name. Whether this machine has one is found out by
 * opening it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "cmd/list_row.h"
#include "util/glob.h"
#include "cmd/list_counters.h"

/* Indexed by enum tap_perf_kind; the last one stands for all kinds. */
static const char *const kinds[] = {
	[TAP_PERF_HARDWARE]	= "hardware",
	[TAP_PERF_CACHE]	= "cache",
	[TAP_PERF_SOFTWARE]	= "software",
	[TAP_PERF_PMU]		= "pmu",
	"counters",
};

#define NR_KINDS	(sizeof(kinds) / sizeof(kinds[0]))
#define ALL_KINDS	(NR_KINDS - 1)

/**
 * struct counter_list - one argument
 * @kind: index into kinds
 * @glob: for the name, or NULL
 * @verbose: as for list_counters()
 * @json: as for list_counters()
 * @matched: counters with a matching name
 * @there: of @matched, counters that were printed
 */
struct counter_list {
	size_t kind;
	const char *glob;
	bool verbose;
	bool json;
	size_t matched;
	size_t there;
};

/* An index into kinds; NR_KINDS if it is none of them. */
static size_t kind_of(const char *text)
{
	size_t len = strcspn(text, ":"), i;

	for (i = 0; i < NR_KINDS; i++)
		if (strlen(kinds[i]) == len && !memcmp(kinds[i], text, len))
			break;
	return i;
}

bool list_counters_asked(const char *text)
{
	return kind_of(text) < NR_KINDS;
}

static int try_open(const struct tap_perf *perf, pid_t pid, int cpu)
{
	struct perf_event_attr attr = {
		.type = perf->type,
		.size = sizeof(attr),
		.config = perf->config,
		.config1 = perf->config1,
		.config2 = perf->config2,
		.disabled = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1,
			      PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

int counter_there(const char *name)
{
	struct tap_perf perf;
	int ret = tap_perf_parse(name, &perf, NULL);

	if (ret)
		return ret;
	ret = try_open(&perf, 0, -1);
	/* Some counters cannot count in a task, only on a CPU. */
	return ret == -EINVAL ? try_open(&perf, -1, 0) : ret;
}

static int put_counter(enum tap_perf_kind kind, const char *name,
		       const char *alias, void *arg)
{
	struct counter_list *l = arg;
	char text[256];
	int there;

	if ((l->kind != ALL_KINDS && l->kind != kind) ||
	    (l->glob && !tap_glob_match(l->glob, name) &&
	     !(alias && tap_glob_match(l->glob, alias))))
		return 0;
	l->matched++;
	there = counter_there(name);
	/* Without the privilege to open counters all are listed. */
	if (there == -EACCES || there == -EPERM)
		there = 0;
	if (there && !l->verbose)
		return 0;
	l->there++;
	if (!l->json) {
		snprintf(text, sizeof(text), "%s%s%s", name, alias && l->verbose ? " or " : "",
			 alias && l->verbose ? alias : "");
		list_row("", "", text, there ? "this machine does not have it" : NULL);
		return 0;
	}
	printf("{\"type\":\"counter\",\"kind\":\"%s\",\"name\":", kinds[kind]);
	tool_json(stdout, name);
	if (alias) {
		fputs(",\"alias\":", stdout);
		tool_json(stdout, alias);
	}
	printf(",\"available\":%s}\n", there ? "false" : "true");
	return 0;
}

int list_counters(const char *text, bool verbose, bool json)
{
	struct counter_list l = {
		.kind = kind_of(text),
		.verbose = verbose,
		.json = json,
	};

	l.glob = strchr(text, ':');
	if (l.glob)
		l.glob++;
	tap_perf_each(put_counter, &l);
	if (l.there)
		return 0;
	if (l.matched)
		tool_error("%s: this machine has none of these counters (a virtual machine without a PMU?); -v names them",
			   text);
	else
		tool_error("%s: no such counter", text);
	return TOOL_FAILED;
}
