// SPDX-License-Identifier: GPL-2.0
/*
 * Each event records only calls that fail, and of each whether it is inside another call of the run:
 * so a call that succeeds costs no record, and the outermost one is known at once.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "blame/blame.h"
#include "cmd/blame_events.h"

/*
 * First the lower half of the register, which is one comparison for any type: the module makes it
 * without the interpreter, and most calls succeed. Then the value by its type. What is left in a
 * register in which nothing is returned is an error only if no types are known.
 */
#define CONDITION	"(unsigned int)retval >= 0xfffff001 && $failed"

static int no_memory(struct tap_error *err)
{
	return tap_error_set(err, -ENOMEM, "out of memory");
}

/* From "./my-driver.ko.xz" to "my_driver". */
static char *module_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name = strdup(slash ? slash + 1 : path), *p;

	if (!name)
		return NULL;
	p = strstr(name, ".ko");
	if (p)
		*p = 0;
	for (p = name; *p; p++)
		if (*p == '-')
			*p = '_';
	return name;
}

static int add_debug(struct options *opts, const char *path)
{
	const char **debug = realloc(opts->debug, (opts->nr_debug + 1) * sizeof(*debug));

	if (!debug)
		return -ENOMEM;
	opts->debug = debug;
	debug[opts->nr_debug++] = path;
	return 0;
}

static int check_event(const char *event, struct tap_error *err)
{
	if (strchr(event, ' ') || tap_spec_name_len(event))
		return tap_error_set(err, -EINVAL,
				     "-e %s: write only TYPE:TARGET, e.g. call:drv_open; tap blame adds values and a condition",
				     event);
	if (strncmp(event, "call:", 5))
		return tap_error_set(err, -EINVAL, "-e %s: an error is returned by a call; write call:FUNCTION",
				     event);
	return 0;
}

/* @inside: only of calls inside another one of the run. */
static int add_event(struct blame_events *events, const char *target, bool null, bool inside)
{
	char *text;

	if (asprintf(&text, "%s $args %s if (" CONDITION "%s)%s", target,
		     null ? BLAME_NULL "=$enclosed" : BLAME_ENCLOSED, null ? " || $returned_null" : "",
		     inside ? " && $enclosed" : "") < 0)
		return -ENOMEM;
	events->texts[events->nr++] = text;
	return 0;
}

/* The events of --also. */
static int add_also(struct blame_events *events, const struct options *opts, struct tap_error *err)
{
	char *target;
	size_t i;
	int ret = 0;

	for (i = 0; i < opts->nr_also && !ret; i++) {
		if (asprintf(&target, "call:%s", opts->also[i]) < 0)
			return no_memory(err);
		if (strchr(target, ' ') || tap_spec_name_len(opts->also[i]))
			ret = tap_error_set(err, -EINVAL,
					    "--also %s: give a function, or a glob, e.g. 'vfs_*' or MODULE:FUNCTION",
					    opts->also[i]);
		else if (add_event(events, target, opts->null, true))
			ret = no_memory(err);
		free(target);
	}
	return ret;
}

int blame_events_use(const struct blame_events *events, struct options *opts, struct tap_error *err)
{
	opts->nr_events = 0;
	return options_add_events(opts, events->texts, events->nr) ? no_memory(err) : 0;
}

int blame_events_open(struct blame_events *events, struct options *opts, struct tap_error *err)
{
	size_t i, nr = opts->nr_events + !!opts->module + opts->nr_also;
	char *target = NULL;
	int ret = 0;

	events->texts = calloc(nr + 1, sizeof(*events->texts));
	if (!events->texts)
		ret = no_memory(err);
	for (i = 0; i < opts->nr_events && !ret; i++) {
		ret = check_event(opts->events[i], err);
		if (!ret && add_event(events, opts->events[i], opts->null, false))
			ret = no_memory(err);
	}
	if (opts->module && !ret) {
		events->module = module_name(opts->module);
		if (!events->module || asprintf(&target, "call:%s:*", events->module) < 0 ||
		    add_event(events, target, opts->null, false) ||
		    (strchr(opts->module, '/') && add_debug(opts, opts->module)))
			ret = no_memory(err);
		free(target);
	}
	if (!ret)
		ret = add_also(events, opts, err);
	return ret ? ret : blame_events_use(events, opts, err);
}

int blame_events_add_line(void *arg, const char *event)
{
	struct blame_events *events = arg;
	char **texts;
	size_t i;

	for (i = 0; i < events->nr; i++)
		if (!strcmp(events->texts[i], event))
			return 0;
	texts = realloc(events->texts, (events->nr + 1) * sizeof(*texts));
	if (!texts)
		return -ENOMEM;
	events->texts = texts;
	texts[events->nr] = strdup(event);
	if (!texts[events->nr])
		return -ENOMEM;
	events->nr++;
	return 0;
}

void blame_events_close(struct blame_events *events)
{
	while (events->nr)
		free(events->texts[--events->nr]);
	free(events->texts);
	free(events->module);
}
