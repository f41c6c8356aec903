// SPDX-License-Identifier: GPL-2.0
/*
 * Expressions, without a kernel: what programs they become, which sentence and
 * which mark a wrong one gets, and that programs of random expressions compute
 * what C computes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/util.h"
#include "selftests/lib/expr_harness.h"
#include "selftests/lib/expr_random.h"
#include "selftests/lib/expr_tables.h"
#include "selftests/lib/check.h"
#include "selftests/lib/op_text.h"

static void test_limits(void)
{
	char text[16384];
	struct tap_error err;
	struct tap_spec spec;
	size_t at, i;
	int ret;

	at = sprintf(text, "kprobe:rnd x=");
	for (i = 0; i < 63; i++)
		text[at++] = '-';
	strcpy(text + at, "u");
	ret = expr_make(text, &spec, &err);
	check(!ret, "64 levels");
	if (ret)
		printf("# %s\n", err.text);
	else
		tap_spec_free(&spec);
	strcpy(text + at, "-u");
	ret = expr_make(text, &spec, &err);
	check(ret == -EINVAL && strstr(err.text, "nested more than 64 deep"),
	      "65 levels");
	for (i = 0; i < 100; i++)
		text[13 + i] = '(';
	strcpy(text + 113, "u");
	ret = expr_make(text, &spec, &err);
	check(ret == -EINVAL && strstr(err.text, "nested more than 64 deep"),
	      "100 parentheses");

	/* Each level keeps a left operand in a register. */
	at = sprintf(text, "kprobe:rnd x=");
	for (i = 0; i < 7; i++)
		at += sprintf(text + at, "(u/(");
	at += sprintf(text + at, "u/i");
	for (i = 0; i < 7; i++)
		at += sprintf(text + at, "))");
	ret = expr_make(text, &spec, &err);
	check(ret == -E2BIG && strstr(err.text, "more than the 8 registers"),
	      "too many registers");
	if (ret != -E2BIG)
		printf("# %s\n", ret ? err.text : "");

	at = sprintf(text, "kprobe:rnd if ");
	for (i = 0; i < 60; i++)
		at += sprintf(text + at, "%s(i*i+%zu)*(l+%zu) != u",
			      i ? "&&" : "", i, i);
	ret = expr_make(text, &spec, &err);
	check(ret == -E2BIG && strstr(err.text, "more than 248 steps"),
	      "too many steps");

	at = sprintf(text, "kprobe:rnd");
	memset(text + at, ' ', 5000);
	strcpy(text + at + 5000, "u");
	ret = expr_make(text, &spec, &err);
	check(ret == -E2BIG && strstr(err.text, "longer than 4096 bytes"),
	      "too long");
	at = sprintf(text, "kprobe:doit");
	for (i = 0; i < 4; i++)
		at += sprintf(text + at, " n%zu=name:string[4096]", i);
	ret = expr_make(text, &spec, &err);
	check(ret == -E2BIG && strstr(err.text, "shorten the texts"),
	      "a record that is too long");
	at = sprintf(text, "kprobe:doit if name == \"");
	memset(text + at, 'x', 300);
	strcpy(text + at + 300, "\"");
	ret = expr_make(text, &spec, &err);
	check(ret == -E2BIG && strstr(err.text, "longer than 254"),
	      "a pattern that is too long");
}

static void test_aggregate(void)
{
	static const char *const keys[] = { "comm", "name:string[20]", "fd" };
	const struct tap_spec_value values[] = {
		{ .kind = TAP_AGG_HIST, .expr = "duration" },
		{ .kind = TAP_AGG_SUM, .avg = true, .expr = "retval" },
		{ .kind = TAP_AGG_LHIST, .expr = "flags", .base = -5,
		  .step = 10, .buckets = 20 },
	};
	const struct tap_spec_value text = { .kind = TAP_AGG_MAX,
					     .expr = "name" };
	const struct tap_spec_agg *agg;
	struct tap_error err;
	struct tap_spec spec;
	char steps[1024];
	int ret;

	ret = expr_make_aggregate("call:doit if fd > 2", keys, 3, values, 3, &spec, &err);
	check(!ret, "aggregate");
	if (ret) {
		printf("# %s\n", err.text);
		return;
	}
	put_steps(steps, &spec);
	check(!strcmp(steps, "r0=a0:4s r0<=s2?X c r1=a4 str20[r1+0] a0:4s a1:4 | V8 v:4s"),
	      "aggregate: steps");
	agg = spec.agg;
	check(!spec.nr_fields && agg && agg->aggregate.nr_keys == 3 &&
	      agg->aggregate.nr_aggs == 3 && agg->aggregate.entries == 64 &&
	      agg->aggregate.size == sizeof(agg->aggregate),
	      "aggregate: counts");
	check(agg->aggregate.keys[0].word == 2 &&
	      agg->aggregate.keys[0].words == 2 &&
	      agg->aggregate.keys[1].word == 4 &&
	      agg->aggregate.keys[1].words == 4 &&
	      agg->aggregate.keys[2].word == 8 &&
	      agg->aggregate.keys[2].words == 1, "aggregate: keys in the hit");
	check(agg->keys[0].word == 1 && agg->keys[1].word == 3 &&
	      agg->keys[2].word == 7 && agg->keys[0].format == TAP_FMT_COMM &&
	      agg->keys[2].format == TAP_FMT_S32 &&
	      !strcmp(agg->keys[1].name, "name"), "aggregate: keys read out");
	check(agg->aggs[0].word == 10 && agg->aggs[0].kind == TAP_AGG_HIST &&
	      agg->aggs[1].word == 11 && agg->avg[1] &&
	      agg->aggs[1].flags == TAP_AGG_F_SIGNED &&
	      agg->aggs[2].word == 9 && agg->aggs[2].buckets == 20 &&
	      !agg->aggs[2].flags && (__s64)agg->aggs[2].base == -5,
	      "aggregate: values in the hit");
	check(agg->values[0].word == 9 && agg->values[0].format == TAP_FMT_NS &&
	      agg->values[0].words == 66 && agg->values[1].word == 75 &&
	      agg->values[2].word == 76 && agg->values[2].words == 22,
	      "aggregate: values read out");
	tap_spec_free(&spec);

	ret = expr_make_aggregate("call:write", NULL, 0, values, 1, &spec, &err);
	check(!ret && spec.agg->aggregate.entries == 1, "one entry without keys");
	if (!ret)
		tap_spec_free(&spec);
	ret = expr_make_aggregate("kprobe:doit fd", keys, 1, NULL, 0, &spec, &err);
	check(ret == -EINVAL && strstr(err.text, "an event has no values"),
	      "no values beside an aggregation");
	ret = expr_make_aggregate("kprobe:doit", keys, 1, &text, 1, &spec, &err);
	check(ret == -EINVAL && strstr(err.text, "no number") &&
	      strstr(err.text, "\n  name\n  ^~~~"), "text adds up to nothing");
	ret = expr_make_aggregate("kprobe:doit", keys, 1, values, 1, &spec, &err);
	check(ret == -EINVAL && strstr(err.text, "no duration where a function begins"),
	      "no duration at an entry");
}

/* Any text must give a program or a sentence, and touch nothing else. */
static void test_noise(void)
{
	static const char *const parts[] = {
		"file", "->", "f_inode", "f_pos", "buf", "count", "pos", "(",
		")", "[", "]", "*", "&", "+", "-", "8(", "(u8)", "(struct file *)",
		"$arg1", "$retval", "%di", "@x", "\"a*[b]\"", "'x'", "== ", "!=",
		"<", ">>", "&&", "||", "!", "~", "?", ":", "u32", "string[9]",
		"b3@4/32", " ", " if ", "=", "5ms", "0x", "d_name", ".", "d_iname",
		"f_dentry", "comm", "duration", "\\", "\"", "/", "%", "0", "char",
		"\xc3\xbc", "__user",
	};
	static const char *const begins[] = {
		"kprobe:write ", "call:write if ", "kretprobe:write if ",
		"syscall:write x=", "tracepoint:a:b file ", "kprobe:write x=(",
	};
	struct tap_error err;
	struct tap_spec spec;
	unsigned int i, k, made = 0;
	char text[2048], *at;
	bool ok = true;

	for (i = 0; i < 40000 && ok; i++) {
		at = text + sprintf(text, "%s",
				    begins[dice(ARRAY_SIZE(begins))]);
		for (k = dice(12); k > 0; k--)
			at += sprintf(at, "%s", parts[dice(ARRAY_SIZE(parts))]);
		if (expr_make(text, &spec, &err)) {
			ok = err.code < 0 && *err.text;
			continue;
		}
		made++;
		tap_spec_free(&spec);
	}
	check(ok && made > 100, "40000 texts of noise, %u were programs", made);
}

int main(int argc, char **argv)
{
	expr_open();
	check_right_events("right", expr_right, nr_expr_right, expr_make);
	check_wrong_events(expr_wrong, nr_expr_wrong, expr_make);
	test_limits();
	test_aggregate();
	test_random(argc > 1 ? strtoul(argv[1], NULL, 0) : 1);
	test_noise();
	expr_close();
	return check_end();
}
