// SPDX-License-Identifier: GPL-2.0
/*
 * inside(EVENT) in the conditions of a run: EVENT is another event of the run, or is armed without
 * output. Each such event has a frame number, which the kernel knows it by.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "run/run.h"

/* Whether @ref is the name or the text of an event. */
static bool is_event(const struct tap_spec *spec, const char *ref)
{
	const struct stat_args args = { .event = ref };

	return stat_args_is_for(&args, spec);
}

/* In totals its name says that the user has not asked for its output. */
static int mark(struct tap_spec *spec, const char *ref, struct tap_error *err)
{
	char *name;
	int ret = asprintf(&name, "inside(%s)", ref) < 0 ? -ENOMEM : 0;

	if (!ret) {
		ret = tap_spec_set_name(spec, name);
		free(name);
	}
	return ret ? tap_error_set(err, ret, "inside(%s): %s", ref, strerror(-ret)) : 0;
}

/* The event @ref among @list; it is added to the end, parsed, if there is none. */
static struct run_wanted *find(struct run_wanted *list, size_t *nr, const char *ref,
			       struct tap_error *err)
{
	size_t i;

	for (i = 0; i < *nr; i++)
		if (is_event(list[i].spec, ref))
			return &list[i];
	if (!strchr(ref, ':')) {
		tap_error_set(err, -EINVAL,
			      "inside(%s): no event has this name; give it to one, -e '%s=call:...', or write its TYPE:TARGET",
			      ref, ref);
		return NULL;
	}
	if (tap_spec_parse(ref, &list[*nr].spec, err))
		return NULL;
	if (mark(list[*nr].spec, ref, err)) {
		tap_spec_free(list[*nr].spec);
		list[*nr].spec = NULL;
		return NULL;
	}
	list[*nr].own = strdup(ref);
	list[*nr].text = list[*nr].own ? list[*nr].own : "";
	list[*nr].silent = true;
	return &list[(*nr)++];
}

/* Gives an event the next number, if it has none. */
static int give_frame(struct run_wanted *wanted, __u32 *last, struct tap_error *err)
{
	int ret;

	if (wanted->frame)
		return 0;
	if (*last == TAP_MAX_FRAME - 1)
		return tap_error_set(err, -E2BIG, "%s: a run has at most %d events that others are inside of",
				     wanted->text, TAP_MAX_FRAME - 1);
	ret = tap_spec_set_frame(wanted->spec, *last + 1, err);
	if (!ret)
		wanted->frame = ++*last;
	return ret;
}

/* The calls of all other events count as calls in between. */
static void count_others(struct run_wanted *list, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (!list[i].frame && tap_probe_is_call(tap_spec_type(list[i].spec)))
			tap_spec_set_frame(list[i].spec, TAP_MAX_FRAME, NULL);
}

int run_insides(struct run_wanted *list, size_t *nr, struct tap_error *err)
{
	bool limited, any = false;
	struct run_wanted *of;
	__u32 last = 0;
	const char *ref;
	unsigned int k;
	size_t i;
	int ret;

	/* Events that are added here have no conditions. */
	for (i = 0; i < *nr; i++) {
		for (k = 0; (ref = tap_spec_inside_of(list[i].spec, k, &limited)); k++) {
			of = find(list, nr, ref, err);
			if (!of)
				return err->code;
			ret = give_frame(of, &last, err);
			if (ret)
				return ret;
			tap_spec_set_inside(list[i].spec, k, of->frame);
			any |= limited;
		}
	}
	if (any)
		count_others(list, *nr);
	return 0;
}

size_t run_insides_max(const struct run_wanted *list, size_t nr)
{
	size_t i, max = 0;
	unsigned int k;

	for (i = 0; i < nr; i++)
		for (k = 0; tap_spec_inside_of(list[i].spec, k, NULL); k++)
			max++;
	return max;
}
