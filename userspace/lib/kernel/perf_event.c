// SPDX-License-Identifier: LGPL-2.1
/*
 * Counters by the names of "perf list". Names of the perf interface are in this file,
 * those of PMUs in sysfs (perf_pmu.c). Modifiers follow a colon, or the second slash of
 * PMU/TERMS/.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <linux/perf_event.h>

#include "kernel/perf_event.h"
#include "kernel/perf_pmu.h"
#include "util/suggest.h"
#include "util/util.h"

#define ROOT		"/sys/bus/event_source/devices"

/* The longest event with its modifiers. Those in sysfs have about 60 bytes. */
#define MAX_NAME	512

#define HARDWARE(_name, _alias, _config)	\
	{ _name, _alias, TAP_PERF_HARDWARE, PERF_COUNT_HW_##_config }
#define SOFTWARE(_name, _alias, _config)	\
	{ _name, _alias, TAP_PERF_SOFTWARE, PERF_COUNT_SW_##_config }

static const struct {
	const char *name;
	const char *alias;
	enum tap_perf_kind kind;
	__u64 config;
} events[] = {
	HARDWARE("cycles", "cpu-cycles", CPU_CYCLES),
	HARDWARE("instructions", NULL, INSTRUCTIONS),
	HARDWARE("cache-references", NULL, CACHE_REFERENCES),
	HARDWARE("cache-misses", NULL, CACHE_MISSES),
	HARDWARE("branches", "branch-instructions", BRANCH_INSTRUCTIONS),
	HARDWARE("branch-misses", NULL, BRANCH_MISSES),
	HARDWARE("bus-cycles", NULL, BUS_CYCLES),
	HARDWARE("ref-cycles", NULL, REF_CPU_CYCLES),
	HARDWARE("stalled-cycles-frontend", "idle-cycles-frontend",
		 STALLED_CYCLES_FRONTEND),
	HARDWARE("stalled-cycles-backend", "idle-cycles-backend",
		 STALLED_CYCLES_BACKEND),
	SOFTWARE("cpu-clock", NULL, CPU_CLOCK),
	SOFTWARE("task-clock", NULL, TASK_CLOCK),
	SOFTWARE("page-faults", "faults", PAGE_FAULTS),
	SOFTWARE("minor-faults", NULL, PAGE_FAULTS_MIN),
	SOFTWARE("major-faults", NULL, PAGE_FAULTS_MAJ),
	SOFTWARE("context-switches", "cs", CONTEXT_SWITCHES),
	SOFTWARE("cpu-migrations", "migrations", CPU_MIGRATIONS),
	SOFTWARE("alignment-faults", NULL, ALIGNMENT_FAULTS),
	SOFTWARE("emulation-faults", NULL, EMULATION_FAULTS),
	SOFTWARE("cgroup-switches", NULL, CGROUP_SWITCHES),
	SOFTWARE("bpf-output", NULL, BPF_OUTPUT),
	SOFTWARE("dummy", NULL, DUMMY),
};

/* ---------------------------------------------------------------- caches */

#define MAX_ALIASES	5

static const char *const caches[][MAX_ALIASES] = {
	[PERF_COUNT_HW_CACHE_L1D] = { "L1-dcache", "L1-data", "l1-d", "l1d" },
	[PERF_COUNT_HW_CACHE_L1I] = { "L1-icache", "L1-instruction", "l1-i",
				      "l1i" },
	[PERF_COUNT_HW_CACHE_LL] = { "LLC", "L2" },
	[PERF_COUNT_HW_CACHE_DTLB] = { "dTLB", "d-tlb", "Data-TLB" },
	[PERF_COUNT_HW_CACHE_ITLB] = { "iTLB", "i-tlb", "Instruction-TLB" },
	[PERF_COUNT_HW_CACHE_BPU] = { "branch", "branches", "bpu", "btb", "bpc" },
	[PERF_COUNT_HW_CACHE_NODE] = { "node" },
};

/* The first name is used together with a result, the second alone. */
static const char *const operations[][MAX_ALIASES] = {
	[PERF_COUNT_HW_CACHE_OP_READ] = { "load", "loads", "read" },
	[PERF_COUNT_HW_CACHE_OP_WRITE] = { "store", "stores", "write" },
	[PERF_COUNT_HW_CACHE_OP_PREFETCH] = { "prefetch", "prefetches",
					      "speculative-read",
					      "speculative-load" },
};

static const char *const results[][MAX_ALIASES] = {
	[PERF_COUNT_HW_CACHE_RESULT_ACCESS] = { "refs", "Reference", "ops",
						"access" },
	[PERF_COUNT_HW_CACHE_RESULT_MISS] = { "misses", "miss" },
};

/* Instructions cannot be written, and branches have one operation. */
static bool has_operation(unsigned int cache, unsigned int op)
{
	switch (cache) {
	case PERF_COUNT_HW_CACHE_L1I:
		return op != PERF_COUNT_HW_CACHE_OP_WRITE;
	case PERF_COUNT_HW_CACHE_ITLB:
	case PERF_COUNT_HW_CACHE_BPU:
		return op == PERF_COUNT_HW_CACHE_OP_READ;
	}
	return true;
}

/*
 * Consumes the longest of the names at the start of a text, up to a dash or the end of
 * the text, so that "L1-d" does not match "L1-data". Returns the index of the name, or
 * -1.
 */
static int take(const char **text, const char *const names[][MAX_ALIASES],
		unsigned int nr)
{
	size_t best = 0, len;
	unsigned int i, k;
	int found = -1;

	for (i = 0; i < nr; i++) {
		for (k = 0; k < MAX_ALIASES && names[i][k]; k++) {
			len = strlen(names[i][k]);
			if (len <= best ||
			    strncasecmp(*text, names[i][k], len) ||
			    ((*text)[len] && (*text)[len] != '-'))
				continue;
			best = len;
			found = i;
		}
	}
	if (found >= 0)
		*text += best + ((*text)[best] == '-');
	return found;
}

/* CACHE, and perhaps an operation and a result, in either order. */
static bool parse_cache(const char *text, struct tap_perf *perf)
{
	int cache = take(&text, caches, ARRAY_SIZE(caches));
	int op = -1, result = -1;

	if (cache < 0)
		return false;
	while (*text) {
		if (op < 0) {
			op = take(&text, operations, ARRAY_SIZE(operations));
			if (op >= 0)
				continue;
		}
		if (result >= 0)
			return false;
		result = take(&text, results, ARRAY_SIZE(results));
		if (result < 0)
			return false;
	}
	if (op < 0)
		op = PERF_COUNT_HW_CACHE_OP_READ;
	if (result < 0)
		result = PERF_COUNT_HW_CACHE_RESULT_ACCESS;
	perf->type = PERF_TYPE_HW_CACHE;
	perf->config = cache | op << 8 | result << 16;
	return text[-1] != '-' && has_operation(cache, op);
}

static int each_cache(tap_perf_fn fn, void *arg)
{
	unsigned int cache, op, miss;
	char name[64];
	int ret;

	for (cache = 0; cache < ARRAY_SIZE(caches); cache++) {
		for (op = 0; op < ARRAY_SIZE(operations); op++) {
			if (!has_operation(cache, op))
				continue;
			for (miss = 0; miss < 2; miss++) {
				snprintf(name, sizeof(name), "%s-%s%s",
					 caches[cache][0],
					 operations[op][!miss],
					 miss ? "-misses" : "");
				ret = fn(TAP_PERF_CACHE, name, NULL, arg);
				if (ret)
					return ret;
			}
		}
	}
	return 0;
}

/* ----------------------------------------------------------------- names */

/**
 * tap_perf_each_in() - tap_perf_each() with another directory of sysfs
 * @root: directory of the PMUs, or NULL for the usual one
 * @fn: called for each
 * @arg: passed to @fn
 *
 * The machine need not have the counter.
 *
 * Return: 0, or the result of @fn that ended the walk.
 */
int tap_perf_each_in(const char *root, tap_perf_fn fn, void *arg)
{
	size_t i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		ret = fn(events[i].kind, events[i].name, events[i].alias, arg);
		if (ret)
			return ret;
	}
	ret = each_cache(fn, arg);
	return ret ? ret : tap_pmu_each(root, fn, arg);
}

int tap_perf_each(tap_perf_fn fn, void *arg)
{
	return tap_perf_each_in(ROOT, fn, arg);
}

/**
 * tap_perf_span() - return the length of the first event of a list
 * @list: events, separated by commas; a comma between slashes belongs to an event
 *
 * Return: bytes before the comma after the event, or before the end.
 */
size_t tap_perf_span(const char *list)
{
	bool inside = false;
	size_t len;

	for (len = 0; list[len] && (inside || list[len] != ','); len++)
		if (list[len] == '/')
			inside = !inside;
	/*
	 * The second slash is missing: an error of this event only, so the next comma
	 * ends it.
	 */
	return inside ? strcspn(list, ",") : len;
}

static int offer(enum tap_perf_kind kind, const char *name, const char *alias,
		 void *arg)
{
	struct tap_suggest *s = arg;

	(void)kind;
	tap_suggest_offer(s, name, strlen(name));
	if (alias)
		tap_suggest_offer(s, alias, strlen(alias));
	return 0;
}

static int unknown(const char *root, const char *name, struct tap_error *err)
{
	struct tap_suggest near;
	char text[300];

	tap_suggest_begin(&near, name, strlen(name));
	tap_perf_each_in(root, offer, &near);
	tap_suggest_text(&near, "", "", text, sizeof(text));
	return tap_error_set(err, -ENOENT, "no counter \"%s\"%s", name,
			     *text ? text : "; 'tap list counters' shows them");
}

/* ------------------------------------------------------------- modifiers */

static int parse_modifiers(const char *text, const char *name,
			   struct tap_perf *perf, struct tap_error *err)
{
	unsigned int precise = 0, only = 0, where = 0;
	const char *p;

	for (p = text; *p; p++) {
		switch (*p) {
		case 'u': only |= TAP_PERF_F_NO_USER; break;
		case 'k': only |= TAP_PERF_F_NO_KERNEL; break;
		case 'h': only |= TAP_PERF_F_NO_HV; break;
		case 'H': where |= TAP_PERF_F_NO_HOST; break;
		case 'G': where |= TAP_PERF_F_NO_GUEST; break;
		case 'I': perf->flags |= TAP_PERF_F_NO_IDLE; break;
		case 'p': precise++; break;
		default:
			return tap_error_set(err, -EINVAL,
					     "%s: no modifier '%c'; there are u (user), k (kernel), h (hypervisor), G (guests), H (host), I (not idle), p (precise)",
					     name, *p);
		}
	}
	if (precise > 3)
		return tap_error_set(err, -EINVAL,
				     "%s: at most three p", name);
	perf->flags |= precise * (TAP_PERF_F_PRECISE & -TAP_PERF_F_PRECISE);
	/* A modifier that names a mode excludes the other modes. */
	if (only)
		perf->flags |= only ^ (TAP_PERF_F_NO_USER |
				       TAP_PERF_F_NO_KERNEL | TAP_PERF_F_NO_HV);
	if (where) {
		perf->flags &= ~TAP_PERF_F_NO_GUEST;
		perf->flags |= where ^ (TAP_PERF_F_NO_HOST |
					TAP_PERF_F_NO_GUEST);
	}
	return 0;
}

/* ----------------------------------------------------------------- parse */

static bool parse_raw(const char *name, struct tap_perf *perf)
{
	size_t len = strlen(name + 1);

	if (*name != 'r' || !len || len > 16 ||
	    strspn(name + 1, "0123456789abcdefABCDEF") != len)
		return false;
	perf->type = PERF_TYPE_RAW;
	perf->config = strtoull(name + 1, NULL, 16);
	return true;
}

static bool parse_known(const char *name, struct tap_perf *perf)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		if (strcmp(name, events[i].name) &&
		    (!events[i].alias || strcmp(name, events[i].alias)))
			continue;
		perf->type = events[i].kind == TAP_PERF_SOFTWARE ?
				     PERF_TYPE_SOFTWARE : PERF_TYPE_HARDWARE;
		perf->config = events[i].config;
		return true;
	}
	return false;
}

/* A counter without slashes. @name is without modifiers. */
static int parse_plain(const char *root, const char *name,
		       struct tap_perf *perf, struct tap_error *err)
{
	int ret = 0;

	if (!parse_known(name, perf) && !parse_cache(name, perf) &&
	    !parse_raw(name, perf)) {
		ret = tap_pmu_find(root, name, perf, err);
		if (ret == -ENOENT)
			return unknown(root, name, err);
	}
	/* As in perf, counters exclude guests unless a modifier names them. */
	if (perf->type == PERF_TYPE_HARDWARE ||
	    perf->type == PERF_TYPE_HW_CACHE || perf->type == PERF_TYPE_RAW)
		perf->flags |= TAP_PERF_F_NO_GUEST;
	return ret;
}

/* tap_perf_parse() with the PMUs at @root. */
int tap_perf_parse_in(const char *root, const char *name, struct tap_perf *perf,
		      struct tap_error *err)
{
	char text[MAX_NAME], *modifiers = "", *slash, *end;
	int ret;

	memset(perf, 0, sizeof(*perf));
	perf->size = sizeof(*perf);
	if (!*name)
		return tap_error_set(err, -EINVAL,
				     "the name of a counter is missing");
	if (strlen(name) >= sizeof(text))
		return tap_error_set(err, -EINVAL,
				     "the name of a counter has at most %d bytes",
				     MAX_NAME - 1);
	strcpy(text, name);
	slash = strchr(text, '/');
	if (slash) {
		end = strchr(slash + 1, '/');
		if (!end)
			return tap_error_set(err, -EINVAL,
					     "%s: the second slash is missing; write PMU/TERM,.../",
					     name);
		*slash = '\0';
		*end++ = '\0';
		modifiers = end + (*end == ':');
		ret = tap_pmu_parse(root, text, slash + 1, perf, err);
	} else {
		end = strchr(text, ':');
		if (end) {
			*end = '\0';
			modifiers = end + 1;
		}
		ret = parse_plain(root, text, perf, err);
	}
	return ret ? ret : parse_modifiers(modifiers, name, perf, err);
}

/**
 * tap_perf_parse() - find a counter by its name
 * @name: as in "perf list": cycles, L1-dcache-load-misses, page-faults, rXXXX,
 *	PMU/TERM,TERM=VALUE/, EVENT of a PMU; with modifiers :u, :k and so on
 * @perf: set on success
 * @err: an error message on failure
 *
 * Return: 0; -ENOENT if there is no such name; -EINVAL if it is malformed.
 */
int tap_perf_parse(const char *name, struct tap_perf *perf,
		   struct tap_error *err)
{
	return tap_perf_parse_in(ROOT, name, perf, err);
}
