// SPDX-License-Identifier: LGPL-2.1
/*
 * PMUs in sysfs. Each has a directory with its number (type), the bits that a term sets
 * (format/) and the terms of named events (events/).
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/perf_event.h"
#include "kernel/perf_pmu.h"
#include "util/suggest.h"
#include "util/util.h"

/* Bytes for the terms of one event. A file in sysfs has at most a page. */
#define MAX_TEXT	4096

/* The terms of an event may name an event; that event's terms may not. */
#define MAX_DEPTH	2

/* Reads a small file up to its newline. Returns its length or -errno. */
static int read_text(char *text, size_t size, const char *root,
		     const char *pmu, const char *sub, const char *name)
{
	char path[PATH_MAX];
	size_t len;
	FILE *in;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s/%s%s", root, pmu, sub,
			     name) >= sizeof(path))
		return -ENAMETOOLONG;
	in = fopen(path, "re");
	if (!in)
		return -errno;
	len = fread(text, 1, size - 1, in);
	fclose(in);
	text[len] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return len ? (int)strlen(text) : -ENODATA;
}

/* A name that cannot leave its directory. */
static bool is_name(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/');
}

/* Whether the PMU belongs to the CPUs, rather than to memory or the package. */
static bool is_core(const char *root, const char *pmu)
{
	char path[PATH_MAX];

	if (!strcmp(pmu, "cpu"))
		return true;
	return (size_t)snprintf(path, sizeof(path), "%s/%s/cpus", root, pmu) <
		       sizeof(path) && !access(path, F_OK);
}

/* --------------------------------------------------------------- walking */

typedef int (*name_fn)(const char *name, void *arg);

static int no_dots(const struct dirent *entry)
{
	return *entry->d_name != '.';
}

/* Calls @fn for the sorted names of a directory. A missing directory has no names. */
static int each_name(const char *root, const char *pmu, const char *sub,
		     name_fn fn, void *arg)
{
	struct dirent **list;
	char path[PATH_MAX];
	int nr, i, ret = 0;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s%s", root, pmu, sub) >=
	    sizeof(path))
		return 0;
	nr = scandir(path, &list, no_dots, alphasort);
	if (nr < 0)
		return 0;
	for (i = 0; i < nr; i++) {
		if (!ret)
			ret = fn(list[i]->d_name, arg);
		free(list[i]);
	}
	free(list);
	return ret;
}

/* EVENT.unit and similar files describe EVENT. */
static bool is_event(const char *name)
{
	static const char *const details[] = {
		".unit", ".scale", ".per-pkg", ".snapshot",
	};
	size_t len = strlen(name), tail, i;

	for (i = 0; i < ARRAY_SIZE(details); i++) {
		tail = strlen(details[i]);
		if (len > tail && !strcmp(name + len - tail, details[i]))
			return false;
	}
	return true;
}

struct walk {
	const char *root;
	const char *pmu;
	tap_perf_fn fn;
	void *arg;
};

static int walk_event(const char *name, void *arg)
{
	const struct walk *w = arg;
	char text[2 * NAME_MAX + 3];

	if (!is_event(name))
		return 0;
	snprintf(text, sizeof(text), "%s/%s/", w->pmu, name);
	return w->fn(TAP_PERF_PMU, text, is_core(w->root, w->pmu) ? name : NULL,
		     w->arg);
}

static int walk_pmu(const char *name, void *arg)
{
	struct walk *w = arg;

	w->pmu = name;
	return each_name(w->root, name, "/events", walk_event, w);
}

/*
 * Calls @fn for all events of all PMUs at @root. Returns 0 or the result of @fn that
 * ended the walk.
 */
int tap_pmu_each(const char *root, tap_perf_fn fn, void *arg)
{
	struct walk w = { .root = root, .fn = fn, .arg = arg };

	return each_name(root, "", "", walk_pmu, &w);
}

/* ----------------------------------------------------------------- terms */

/* An event of a PMU while it is parsed. @given are the terms as written. */
struct terms {
	const char *root;
	const char *pmu;
	const char *given;
	struct tap_perf *perf;
	struct tap_error *err;
};

static int offer(const char *name, void *arg)
{
	if (is_event(name))
		tap_suggest_offer(arg, name, strlen(name));
	return 0;
}

static int unknown_term(const struct terms *t, const char *name)
{
	struct tap_suggest near;
	char text[300];

	tap_suggest_begin(&near, name, strlen(name));
	each_name(t->root, t->pmu, "/format", offer, &near);
	each_name(t->root, t->pmu, "/events", offer, &near);
	return tap_error_set(t->err, -ENOENT, "%s has no event or term \"%s\"%s",
			     t->pmu, name,
			     tap_suggest_text(&near, "", "", text, sizeof(text)));
}

static int unknown_pmu(const struct terms *t)
{
	struct tap_suggest near;
	char text[300];

	tap_suggest_begin(&near, t->pmu, strlen(t->pmu));
	each_name(t->root, "", "", offer, &near);
	return tap_error_set(t->err, -ENOENT, "no PMU \"%s\" in %s%s", t->pmu,
			     t->root,
			     tap_suggest_text(&near, "", "", text, sizeof(text)));
}

static bool parse_value(const char *text, __u64 *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	return *text >= '0' && *text <= '9' && !errno && !*end;
}

static __u64 *word_of(struct tap_perf *perf, const char *name, size_t len)
{
	if (len == 6 && !memcmp(name, "config", len))
		return &perf->config;
	if (len == 7 && !memcmp(name, "config1", len))
		return &perf->config1;
	if (len == 7 && !memcmp(name, "config2", len))
		return &perf->config2;
	return NULL;
}

/*
 * Puts a value into the bits of a term: "config:0-7,32-35" takes the lowest bits into
 * the first range, and so on.
 */
static int fill(const struct terms *t, const char *name, const char *format,
		__u64 value)
{
	const char *at = strchr(format, ':');
	__u64 *word = at ? word_of(t->perf, format, at - format) : NULL;
	unsigned long low, high;
	__u64 left = value, bits;
	char *end;

	if (!word)
		return tap_error_set(t->err, -EINVAL,
				     "%s: term %s: sysfs has an unknown format for it (%s)",
				     t->pmu, name, format);
	do {
		low = strtoul(at + 1, &end, 10);
		high = low;
		if (*end == '-')
			high = strtoul(end + 1, &end, 10);
		if (low > high || high > 63 || (*end && *end != ','))
			return tap_error_set(t->err, -EINVAL,
					     "%s: term %s: sysfs has an invalid format for it: %s",
					     t->pmu, name, format);
		bits = ~0ULL >> (63 - (high - low));
		*word = (*word & ~(bits << low)) | (left & bits) << low;
		left = high - low == 63 ? 0 : left >> (high - low + 1);
		at = end;
	} while (*at);
	return left ? tap_error_set(t->err, -EINVAL,
				    "%s: term %s: 0x%llx does not fit into its bits (%s)",
				    t->pmu, name, (unsigned long long)value,
				    format) : 0;
}

/* Whether the terms as written have a value for a term that the event leaves open. */
static bool gives(const char *given, const char *term)
{
	size_t len = strlen(term);

	for (; given; given = strchr(given, ',')) {
		given += *given == ',';
		if (!strncmp(given, term, len) && given[len] == '=')
			return true;
	}
	return false;
}

static int parse_terms(const struct terms *t, char *text, unsigned int depth);

static int parse_term(const struct terms *t, char *term, unsigned int depth)
{
	char text[MAX_TEXT], *equal = strchr(term, '=');
	__u64 value = 1, *word;

	if (equal)
		*equal++ = '\0';
	if (equal && !strcmp(equal, "?"))
		return gives(t->given, term) ? 0 :
			tap_error_set(t->err, -EINVAL,
				      "%s: this event needs a value; add %s=VALUE",
				      t->pmu, term);
	if (equal && !parse_value(equal, &value))
		return tap_error_set(t->err, -EINVAL,
				     "%s: term %s: \"%s\" is not a number",
				     t->pmu, term, equal);
	if (!is_name(term))
		return tap_error_set(t->err, -EINVAL,
				     "%s: a term is missing", t->pmu);
	word = word_of(t->perf, term, strlen(term));
	if (word && equal) {
		*word = value;
		return 0;
	}
	if (read_text(text, sizeof(text), t->root, t->pmu, "format/",
		      term) > 0)
		return fill(t, term, text, value);
	if (!equal && depth < MAX_DEPTH && is_event(term) &&
	    read_text(text, sizeof(text), t->root, t->pmu, "events/",
		      term) > 0)
		return parse_terms(t, text, depth + 1);
	return unknown_term(t, term);
}

static int parse_terms(const struct terms *t, char *text, unsigned int depth)
{
	char *term, *next;
	int ret = 0;

	for (term = text; !ret && term; term = next) {
		next = strchr(term, ',');
		if (next)
			*next++ = '\0';
		ret = parse_term(t, term, depth);
	}
	return ret;
}

/*
 * Parses an event of a PMU. @terms is the text between the slashes; it is changed.
 * Returns 0, -ENOENT if there is no such name, or -EINVAL if it is malformed.
 */
int tap_pmu_parse(const char *root, const char *pmu, char *terms,
		  struct tap_perf *perf, struct tap_error *err)
{
	char given[MAX_TEXT], text[32];
	const struct terms t = { root, pmu, given, perf, err };
	__u64 type;

	snprintf(given, sizeof(given), "%s", terms);
	if (!is_name(pmu) ||
	    read_text(text, sizeof(text), root, pmu, "", "type") < 0)
		return unknown_pmu(&t);
	if (!parse_value(text, &type) || type > UINT_MAX)
		return tap_error_set(err, -EINVAL, "%s: sysfs has an invalid type \"%s\" for it",
				     pmu, text);
	perf->type = type;
	if (is_core(root, pmu))
		perf->flags |= TAP_PERF_F_NO_GUEST;
	return parse_terms(&t, terms, 0);
}

/* A search for an event in all PMUs. @second is another PMU that has it. */
struct find {
	const char *root;
	const char *event;
	char found[NAME_MAX + 1];
	char second[NAME_MAX + 1];
};

static int find_event(const char *name, void *arg)
{
	struct find *find = arg;
	char text[MAX_TEXT];

	if (read_text(text, sizeof(text), find->root, name, "events/",
		      find->event) <= 0)
		return 0;
	strcpy(*find->found ? find->second : find->found, name);
	return *find->second != '\0';
}

/*
 * Finds an event that exactly one PMU has. Returns 0, -ENOENT if none has it, or
 * -EINVAL if several have it.
 */
int tap_pmu_find(const char *root, const char *event, struct tap_perf *perf,
		 struct tap_error *err)
{
	struct find find = { .root = root, .event = event };
	char terms[NAME_MAX + 1];

	if (!is_name(event) || !is_event(event) || strchr(event, ',') ||
	    strlen(event) >= sizeof(terms))
		return -ENOENT;
	each_name(root, "", "", find_event, &find);
	if (!*find.found)
		return -ENOENT;
	if (*find.second)
		return tap_error_set(err, -EINVAL,
				     "several PMUs have \"%s\"; write %s/%s/ or %s/%s/",
				     event, find.found, event, find.second,
				     event);
	strcpy(terms, event);
	return tap_pmu_parse(root, find.found, terms, perf, err);
}
