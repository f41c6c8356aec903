// SPDX-License-Identifier: GPL-2.0
/*
 * Part of spec_test: the counters of a session: their names, where they are read, and expressions
 * with them.
 */
#include <errno.h>
#include <string.h>

#include "util/util.h"
#include "selftests/lib/check.h"
#include "selftests/lib/harness.h"
#include "selftests/lib/spec_pmu.h"
#include "compile/program.h"
#include "lang/lang.h"
#include "spec/spec.h"
#include "selftests/lib/op_text.h"

/* The session has the counters cycles and cache-misses. */
static const struct right_event pmu_right[] = {
	{ "kprobe:f", "P0 P1 V10",
	  "cycles/4/0 cache_misses/4/1 absent/12/2!" },
	{ "kretprobe:f", "v P0 P1 V10",
	  "ret/16/0 cycles/4/1 cache_misses/4/2 absent/12/3!" },
	/* For a call, the difference between return and entry, known at the return. */
	{ "call:f $arg1", "a0 | P0 P1 V10",
	  "arg1/0/2 cycles/4/3 cache_misses/4/4 absent/12/5!" },
	{ "call:f $arg1 if cycles > 1000", "a0 | r0=P0 r0<=1000?X P0 P1 V10",
	  "arg1/0/2 cycles/4/3 cache_misses/4/4 absent/12/5!" },
	{ "kprobe:f $arg1 if $arg1 == 1 && cache_misses",
	  "r0=a0 r0!=1?X r1=P1 r1==0?X a0 P0 P1 V10",
	  "arg1/0/0 cycles/4/1 cache_misses/4/2 absent/12/3!" },
	/* Another name for a counter is in addition to its own. */
	{ "kprobe:f c=cycles:x32", "P0 P0 P1 V10",
	  "c/11/0 cycles/4/1 cache_misses/4/2 absent/12/3!" },
	{ "kprobe:f cycles", "P0 P1 V10",
	  "cycles/4/0 cache_misses/4/1 absent/12/2!" },
	/* A value of this name replaces the counter. */
	{ "kprobe:f cycles=$arg1", "a0 P1 V10",
	  "cycles/0/0 cache_misses/4/1 absent/12/2!" },
	/* An absent counter makes all expressions with it absent. */
	{ "call:f a=cycles/$arg1 b=cycles/7",
	  "a0 | r0=P0 r1=w2 r0/r1 r0 r0=P0 r0/7 r0 P0 P1 V10",
	  "a/4/3 b/4/4 cycles/4/5 cache_misses/4/6 absent/12/7!" },
};

static int pmu_make(const char *text, const char *const *names,
		    unsigned int nr, struct tap_spec *spec,
		    struct tap_error *err)
{
	struct tap_scope scope = { .why = "nothing is known here" };
	int ret = tap_spec_parse_into(spec, text, err);

	if (ret)
		return ret;
	ret = tap_spec_pmu(spec, names, nr, err);
	return make_event_end(ret, spec, &scope, err);
}

static int pmu_make_right(const char *text, struct tap_spec *spec, struct tap_error *err)
{
	static const char *const names[] = { "cycles", "cache-misses" };

	return pmu_make(text, names, 2, spec, err);
}

void test_pmu_right(void)
{
	check_right_events("counters", pmu_right, ARRAY_SIZE(pmu_right), pmu_make_right);
}

void test_pmu_names(void)
{
	static const char *const twins[] = { "cache-misses", "cache_misses" };
	static const char *const many[] = { "a", "b", "c", "d", "e", "f", "g" };
	static const struct {
		const char *counter;
		const char *name;
	} rows[] = {
		{ "cycles", "cycles" },
		{ "L1-dcache-load-misses", "L1_dcache_load_misses" },
		{ "cycles:k", "cycles_k" },
		{ "r003c", "r003c" },
		{ "cpu/event=0x3c,umask=0x1/u", "cpu_event_0x3c_umask_0x1_u" },
		{ "cpu/cache-misses/", "cpu_cache_misses" },
	};
	const struct tap_spec_value value = {
		.size = sizeof(value), .kind = TAP_AGG_SUM, .avg = true,
		.expr = "a",
	};
	char name[TAP_FIELD_NAME_LEN], ops[1024];
	struct tap_scope scope = { .why = "nothing is known here" };
	struct tap_error err;
	struct tap_spec spec;
	size_t i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		tap_pmu_name(rows[i].counter, name);
		check(!strcmp(name, rows[i].name), "counter %s is %s",
		      rows[i].counter, name);
	}
	ret = pmu_make("kprobe:f", twins, 2, &spec, &err);
	check(ret == -EINVAL && strstr(err.text, "another counter already has the name cache_misses"),
	      "two counters with one name");
	ret = pmu_make("kprobe:f", many, 7, &spec, &err);
	check(ret == -E2BIG && strstr(err.text, "at most 6 counters"),
	      "seven counters");
	ret = pmu_make("kprobe:f if cycels > 1", (const char *const[]){ "cycles" },
		       1, &spec, &err);
	check(ret == -EINVAL && strstr(err.text, "did you mean cycles?"),
	      "a misspelt name of a counter");

	/* Hits that are counted have no values but those that are asked for. */
	ret = tap_spec_parse_into(&spec, "call:f", &err);
	if (!ret)
		ret = tap_spec_pmu(&spec, many, 2, &err);
	if (!ret)
		ret = tap_spec_aggregate(&spec, NULL, 0, &value, 1, 0, &err);
	if (!ret)
		ret = tap_program_make(&spec, spec.ast, &scope, NULL, &err);
	*ops = '\0';
	if (!ret)
		put_steps(ops, &spec);
	check(!strcmp(ops, "| P0"), "the average of a counter");
	tap_spec_clear(&spec);
}
