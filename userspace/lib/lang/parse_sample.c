// SPDX-License-Identifier: LGPL-2.1
/*
 * Samples of counters: hardware:EVENT[:PERIOD], software:EVENT[:PERIOD],
 * profile:UNIT:N. A sample is taken each time the counter has advanced by its period.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/perf_event.h"
#include "lang/lang.h"
#include "util/util.h"

#define NS_PER_S	1000000000ULL
/* The shortest period of the hrtimer behind cpu-clock. */
#define LEAST_NS	10000
/* perf_event_open() refuses periods with the highest bit set. */
#define MOST_PERIOD	(1ULL << 62)

#define DIAG(t, ...)	tap_diag(p, (t).at, (t).len, -EINVAL, __VA_ARGS__)

static int parse_number(const struct tap_parser *p, struct tap_token t,
			const char *what, __u64 *value)
{
	__u64 n = 0;
	size_t i;

	for (i = 0; i < t.len; i++) {
		if (t.at[i] < '0' || t.at[i] > '9')
			return DIAG(t, "%s is a decimal number", what);
		n = n * 10 + (__u64)(t.at[i] - '0');
		if (n > MOST_PERIOD)
			return DIAG(t, "%s is at most 2^62", what);
	}
	if (!n)
		return DIAG(t, "%s is 1 or more", what);
	*value = n;
	return 0;
}

/* The default period of an event: the one of bpftrace. */
static __u64 default_period(const struct tap_perf *perf)
{
	if (perf->type == PERF_TYPE_SOFTWARE) {
		switch (perf->config) {
		case PERF_COUNT_SW_CPU_CLOCK:
		case PERF_COUNT_SW_TASK_CLOCK:
			return 1000000;
		case PERF_COUNT_SW_CONTEXT_SWITCHES:
			return 1000;
		case PERF_COUNT_SW_PAGE_FAULTS:
		case PERF_COUNT_SW_PAGE_FAULTS_MIN:
			return 100;
		}
		return 1;
	}
	if (perf->type == PERF_TYPE_HARDWARE &&
	    (perf->config == PERF_COUNT_HW_BRANCH_INSTRUCTIONS ||
	     perf->config == PERF_COUNT_HW_BRANCH_MISSES ||
	     perf->config == PERF_COUNT_HW_BUS_CYCLES))
		return 100000;
	return 1000000;
}

/* Cuts the period off @t: the part after the last colon, unless it is a modifier. */
static int parse_period(const struct tap_parser *p, struct tap_token *t,
			__u64 *period)
{
	const char *colon = t->at + t->len;
	struct tap_token number;

	*period = 0;
	while (colon > t->at && colon[-1] != ':' && colon[-1] != '/')
		colon--;
	if (colon == t->at || colon[-1] == '/')
		return 0;
	number = (struct tap_token) {
		colon, (size_t)(t->at + t->len - colon),
	};
	if (number.len && (*colon < '0' || *colon > '9'))
		return 0;
	t->len = (size_t)(colon - 1 - t->at);
	return number.len ? parse_number(p, number, "a period", period) : 0;
}

static int parse_counter(struct tap_parser *p, struct tap_token t,
			 bool software)
{
	struct tap_perf *perf = &p->spec->perf;
	char name[TAP_MAX_TARGET];
	struct tap_error why;
	__u64 period;
	int ret;

	ret = parse_period(p, &t, &period);
	if (ret)
		return ret;
	if (!t.len)
		return tap_diag(p, t.at, 1, -EINVAL, software ?
				"software: needs an event, e.g. software:page-faults:1" :
				"hardware: needs a counter, e.g. hardware:cycles:1000000");
	snprintf(name, sizeof(name), "%.*s", (int)t.len, t.at);
	ret = tap_perf_parse(name, perf, &why);
	if (ret)
		return tap_diag(p, t.at, t.len, ret, "%s", why.text);
	if (software && perf->type != PERF_TYPE_SOFTWARE)
		return DIAG(t, "this is not a software event; use hardware:%.*s",
			    QUOTE(t));
	if (!software && perf->type == PERF_TYPE_SOFTWARE)
		return DIAG(t, "this is not a hardware counter; use software:%.*s",
			    QUOTE(t));
	perf->period = period ? period : default_period(perf);
	return 0;
}

static int parse_profile(struct tap_parser *p, struct tap_token t)
{
	static const struct {
		const char *name;
		__u64 ns;
	} units[] = {
		{ "hz", 0 }, { "s", NS_PER_S }, { "ms", 1000000 }, { "us", 1000 },
	};
	const char *colon = memchr(t.at, ':', t.len);
	struct tap_token unit = t, number;
	__u64 n, ns;
	size_t i;
	int ret;

	if (!colon)
		return tap_diag(p, t.at, t.len ? t.len : 1, -EINVAL,
				"profile: needs a rate, e.g. profile:hz:99 for 99 samples a second on each CPU; the units are hz, s, ms and us");
	unit.len = (size_t)(colon - t.at);
	number = (struct tap_token) { colon + 1, t.len - unit.len - 1 };
	for (i = 0; i < ARRAY_SIZE(units); i++)
		if (tap_token_is(unit, units[i].name))
			break;
	if (i == ARRAY_SIZE(units))
		return tap_diag(p, unit.at, unit.len ? unit.len : 1, -EINVAL,
				"no unit \"%.*s\"; the units are hz, s, ms and us, e.g. profile:hz:99 or profile:ms:10",
				QUOTE(unit));
	if (!number.len)
		return tap_diag(p, number.at, 1, -EINVAL,
				"the number is missing; write e.g. profile:hz:99");
	ret = parse_number(p, number, "the rate", &n);
	if (ret)
		return ret;
	if (units[i].ns && n > MOST_PERIOD / units[i].ns)
		return DIAG(number, "the period is longer than 2^62 ns");
	ns = units[i].ns ? n * units[i].ns : NS_PER_S / n;
	if (ns < LEAST_NS)
		return DIAG(number,
			    "the rate is above the kernel's limit of one sample in 10 us (100000 hz)");
	p->spec->perf = (struct tap_perf) {
		.size = sizeof(p->spec->perf),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.period = ns,
	};
	return 0;
}

/* Parses a sample, e.g. "hardware:cycles:1000000", and sets the spec's target. */
int tap_parse_counter_event(struct tap_parser *p, struct tap_token word)
{
	const char *colon = memchr(word.at, ':', word.len);
	size_t len = colon ? (size_t)(colon - word.at) : word.len;
	struct tap_token type = { word.at, len };
	struct tap_token rest = { word.at + len, 0 };
	int ret;

	if (colon)
		rest = (struct tap_token) { colon + 1, word.len - len - 1 };
	if (word.len >= TAP_MAX_TARGET)
		return DIAG(word,
			    "the event is longer than %d characters",
			    TAP_MAX_TARGET - 1);
	ret = tap_token_is(type, "profile") ? parse_profile(p, rest) :
	      parse_counter(p, rest, tap_token_is(type, "software"));
	if (ret)
		return ret;
	p->spec->event = strndup(word.at, word.len);
	p->spec->target = strndup(word.at, word.len);
	if (p->spec->event && p->spec->target)
		return 0;
	return tap_error_set(p->err, -ENOMEM, "out of memory");
}
