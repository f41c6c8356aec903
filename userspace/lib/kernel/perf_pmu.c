// SPDX-License-Identifier: LGPL-2.1
/*
 * PMUs, as sysfs has them: a directory each, with its number (type), the bits
 * that a term fills (format/) and the terms of events that have a name (events/).
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

/* Terms of one event; a page is what sysfs has for a file. */
#define MAX_TEXT	4096

/* An event's terms may name an event, those nothing more. */
#define MAX_DEPTH	2

/* Reads a small file without its newline; returns its length or -errno. */
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

/* A name that stays within its directory. */
static bool is_name(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/');
}

/* Whether it belongs to the CPUs, rather than to memory or the package. */
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

/* Names of a directory in their order; one that is not there has none. */
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

/* Beside EVENT there may be EVENT.unit and the like. */
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

/**
 * tap_pmu_each() - name all events of all PMUs
 * @root: where sysfs has them
 * @fn: called for each
 * @arg: handed to it
 *
 * Return: 0, or what @fn returned.
 */
int tap_pmu_each(const char *root, tap_perf_fn fn, void *arg)
{
	struct walk w = { .root = root, .fn = fn, .arg = arg };

	return each_name(root, "", "", walk_pmu, &w);
}

/* ----------------------------------------------------------------- terms */

/**
 * struct terms - an event of a PMU on its way
 * @root: where sysfs has them
 * @pmu: which one
 * @given: the terms as they were asked for
 * @perf: what becomes of it
 * @err: an error message on failure
 */
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
 * Puts a value into its bits: "config:0-7,32-35" takes the lowest into the first
 * range, and so on.
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
				     "%s: term %s: what sysfs says of it (%s) is not known here",
				     t->pmu, name, format);
	do {
		low = strtoul(at + 1, &end, 10);
		high = low;
		if (*end == '-')
			high = strtoul(end + 1, &end, 10);
		if (low > high || high > 63 || (*end && *end != ','))
			return tap_error_set(t->err, -EINVAL,
					     "%s: term %s: sysfs has no sense: %s",
					     t->pmu, name, format);
		bits = ~0ULL >> (63 - (high - low));
		*word = (*word & ~(bits << low)) | (left & bits) << low;
		left = high - low == 63 ? 0 : left >> (high - low + 1);
		at = end;
	} while (*at);
	return left ? tap_error_set(t->err, -EINVAL,
				    "%s: term %s: 0x%llx has more bits than there are (%s)",
				    t->pmu, name, (unsigned long long)value,
				    format) : 0;
}

/* Whether a value for a term that an event leaves open is among those given. */
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
				      "%s: this event wants a value: add %s=VALUE",
				      t->pmu, term);
	if (equal && !parse_value(equal, &value))
		return tap_error_set(t->err, -EINVAL,
				     "%s: term %s: \"%s\" is no number",
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

/**
 * tap_pmu_parse() - an event of a PMU by its terms
 * @root: where sysfs has the PMUs
 * @pmu: its name
 * @terms: what stands between the slashes; changed
 * @perf: type and config are set on success
 * @err: an error message on failure
 *
 * Return: 0; -ENOENT if there is no such name; -EINVAL if it makes no sense.
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
		return tap_error_set(err, -EINVAL, "%s: its type is \"%s\"",
				     pmu, text);
	perf->type = type;
	if (is_core(root, pmu))
		perf->flags |= TAP_PERF_F_NO_GUEST;
	return parse_terms(&t, terms, 0);
}

/**
 * struct find - the PMU that has an event of a name
 * @root: where sysfs has them
 * @event: the name
 * @found: the first PMU that has it, or empty
 * @second: another one, or empty
 */
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

/**
 * tap_pmu_find() - an event that some PMU has by that name
 * @root: where sysfs has the PMUs
 * @event: the name
 * @perf: type and config are set on success
 * @err: an error message on failure
 *
 * Return: 0; -ENOENT if none has it; -EINVAL if several have.
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
				     "several PMUs have \"%s\": say %s/%s/ or %s/%s/",
				     event, find.found, event, find.second,
				     event);
	strcpy(terms, event);
	return tap_pmu_parse(root, find.found, terms, perf, err);
}
