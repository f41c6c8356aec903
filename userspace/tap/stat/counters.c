// SPDX-License-Identifier: GPL-2.0
/*
 * Creating and reading counters.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/perf_event.h>

#include "stat/counters.h"

/* The default set: that of perf stat. */
#define USUAL	"task-clock,context-switches,cpu-migrations,page-faults,"	\
		"cycles,instructions,branches,branch-misses"

/* ---------------------------------------------------------------- names */

/* Whether it is a type of probes. To look for a counter of this name takes all of sysfs. */
static bool is_type(const char *word, size_t len)
{
	const char *name;
	int type;

	for (type = 1; type <= TAP_PROBE_SPAN; type++) {
		name = tap_spec_type_name(type);
		if (strlen(name) == len && !strncmp(name, word, len))
			return true;
	}
	return false;
}

/*
 * Whether an -e is a list of counters: these contain no blanks, and a colon only
 * after a counter. "mark" and "printk" are the only probes without a target.
 */
static bool is_counters(const char *text)
{
	size_t len = strcspn(text, ":,/");
	struct tap_perf perf;
	char *word;
	bool found;

	if (strpbrk(text, " \t\n") || !strcmp(text, "mark") ||
	    !strcmp(text, "printk") || tap_spec_name_len(text))
		return false;
	if (text[len] != ':')
		return true;
	if (is_type(text, len))
		return false;
	word = strndup(text, len);
	found = word && !tap_perf_parse(word, &perf, NULL);
	free(word);
	return found;
}

static int add(struct counters *counters, const char *name, size_t len)
{
	struct tap_error err;
	struct counter *list, *c;

	list = realloc(counters->list, (counters->nr + 1) * sizeof(*list));
	if (!list) {
		tool_error("out of memory");
		return TOOL_FAILED;
	}
	counters->list = list;
	c = &list[counters->nr++];
	memset(c, 0, sizeof(*c));
	c->name = strndup(name, len);
	if (!c->name) {
		tool_error("out of memory");
		return TOOL_FAILED;
	}
	if (!tap_perf_parse(c->name, &c->perf, &err))
		return -1;
	tool_error("%s%s", err.text, strstr(err.text, "'tap list counters'") ?
		   " (a probe has its type before it, e.g. kprobe:vfs_read)" : "");
	return TOOL_FAILED;
}

static int add_list(struct counters *counters, const char *list)
{
	size_t len;
	int ret;

	for (;; list += len + 1) {
		len = tap_perf_span(list);
		ret = add(counters, list, len);
		if (ret >= 0 || !list[len])
			return ret;
	}
}

/* Rejects options that counters do not support. */
static int check(const struct counters *counters, const struct options *opts)
{
	const char *why = NULL;

	if (!counters->nr && !opts->nr_events) {
		why = "nothing to probe; name an event with -e, e.g. -e call:vfs_read";
	} else if (!counters->nr) {
		if (!opts->per_cpu)
			return -1;
		why = "--per-cpu needs a counter: name one with -e, e.g. cycles";
	} else if (opts->cgroup) {
		why = "--cgroup: counters cannot be restricted to a cgroup";
	} else if (counters->tasks && opts->one_cpu) {
		why = "--cpu: a counter counts in a process or on a CPU, not both; leave out -p or -c, or add -a";
	} else if (counters->tasks && opts->per_cpu) {
		why = "--per-cpu: a counter counts in a process or on a CPU, not both; leave out -p or -c, or add -a";
	} else if (options_table(opts, 0) && !opts->nr_events) {
		why = "--by, --sum and the like need probes: counters have no hits";
	}
	if (!why)
		return -1;
	tool_error("%s", why);
	return TOOL_USAGE;
}

int counters_take(struct counters *counters, struct options *opts)
{
	size_t i, nr = 0;
	int ret = -1;

	if (!opts->nr_events && !options_table(opts, 0))
		ret = add_list(counters, USUAL);
	for (i = 0; i < opts->nr_events && ret < 0; i++) {
		if (is_counters(opts->events[i]))
			ret = add_list(counters, opts->events[i]);
		else
			opts->events[nr++] = opts->events[i];
	}
	if (ret >= 0)
		return ret;
	opts->nr_events = nr;
	counters->tasks = (opts->pid || opts->command) && !opts->all;
	return check(counters, opts);
}

/* --------------------------------------------------------------- probes */

static int add_probe(struct counters *counters, struct counter *c, __u32 pid)
{
	struct tap_perf perf = c->perf;
	struct tap_spec *spec;
	__u32 *ids;
	int ret;

	if (counters->run->child.pid && pid)
		perf.flags |= TAP_PERF_F_ON_EXEC;
	ids = realloc(c->ids, (c->nr_ids + 1) * sizeof(*ids));
	if (!ids)
		return -ENOMEM;
	c->ids = ids;
	/* The module stores the name only so that user space can read it back. */
	ret = tap_spec_new_counter(&spec, c->name, &perf, pid);
	if (ret)
		return ret;
	ret = tap_session_create(counters->run->session, spec,
				 &ids[c->nr_ids]);
	tap_spec_free(spec);
	if (!ret)
		c->nr_ids++;
	return ret;
}

/* Why the kernel does not make a counter. */
static int explain_counter(const struct counter *c, int code,
			   struct tap_error *err)
{
	struct tap_spec *spec;

	if (tap_spec_new_counter(&spec, c->name, &c->perf, 0))
		return tap_error_set(err, code, "out of memory");
	tap_explain(err, TAP_IOC_CREATE, code, spec);
	tap_spec_free(spec);
	return code;
}

/* One for each thread. New threads count for the thread that creates them. */
static int add_threads(struct counters *counters, struct counter *c, __u32 pid)
{
	const struct dirent *entry;
	char path[64];
	int ret = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	while (dir && !ret && (entry = readdir(dir))) {
		if (!isdigit((unsigned char)*entry->d_name))
			continue;
		ret = add_probe(counters, c,
				(__u32)strtoul(entry->d_name, NULL, 10));
		/* The thread has ended. */
		if (ret == -ESRCH)
			ret = 0;
	}
	if (dir)
		closedir(dir);
	return ret || c->nr_ids ? ret : -ESRCH;
}

static int add_probes(struct counters *counters, struct counter *c)
{
	const struct run *run = counters->run;

	if (!counters->tasks)
		return add_probe(counters, c, 0);
	return run->child.pid ? add_probe(counters, c, (__u32)run->child.pid) :
				add_threads(counters, c, run->opts->pid);
}

static int make_room(struct counters *counters, struct counter *c)
{
	size_t nr = counters->tasks ? c->nr_ids :
				      tap_session_nr_rings(counters->run->session);

	if (nr > counters->slots)
		counters->slots = nr;
	c->now = calloc(nr ? nr : 1, sizeof(*c->now));
	c->last = calloc(nr ? nr : 1, sizeof(*c->last));
	return c->now && c->last ? 0 : -ENOMEM;
}

/* This machine lacks the counter: the others are used all the same. */
static bool is_missing(int code)
{
	return code == -EOPNOTSUPP || code == -ENOENT || code == -ENODEV ||
	       code == -EINVAL;
}

int counters_open(struct counters *counters, const struct run *run,
		  struct tap_error *err)
{
	struct tap_error first = { 0 };
	size_t i, refused = 0;
	int ret;

	counters->run = run;
	for (i = 0; i < counters->nr; i++) {
		struct counter *c = &counters->list[i];

		ret = add_probes(counters, c);
		if (ret) {
			explain_counter(c, ret, err);
			if (!is_missing(ret))
				return ret;
			c->code = ret;
			if (!refused++)
				first = *err;
		}
		ret = make_room(counters, c);
		if (ret)
			return tap_error_set(err, ret, "out of memory");
	}
	if (refused && refused == counters->nr && !tap_probes_nr(run->probes)) {
		*err = first;
		return first.code;
	}
	if (refused)
		tool_error("%s", first.text);
	return 0;
}

int counters_read(struct counters *counters, struct tap_error *err)
{
	size_t i, k;
	int ret = 0;

	for (i = 0; i < counters->nr && !ret; i++) {
		struct counter *c = &counters->list[i];

		if (c->code)
			continue;
		if (!counters->tasks)
			ret = tap_session_count(counters->run->session,
						c->ids[0], c->now,
						(__u32)counters->slots);
		for (k = 0; counters->tasks && k < c->nr_ids && !ret; k++)
			ret = tap_session_count(counters->run->session,
						c->ids[k], &c->now[k], 1);
	}
	return ret ? tap_explain(err, TAP_IOC_COUNT, ret, NULL) : 0;
}

void counters_next(struct counters *counters)
{
	size_t i;

	for (i = 0; i < counters->nr; i++) {
		struct counter *c = &counters->list[i];

		memcpy(c->last, c->now,
		       (counters->tasks ? c->nr_ids : counters->slots) *
		       sizeof(*c->now));
	}
}

void counters_close(struct counters *counters)
{
	size_t i;

	for (i = 0; i < counters->nr; i++) {
		free(counters->list[i].name);
		free(counters->list[i].ids);
		free(counters->list[i].now);
		free(counters->list[i].last);
	}
	free(counters->list);
	memset(counters, 0, sizeof(*counters));
}
