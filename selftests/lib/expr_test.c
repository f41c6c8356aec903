// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of expressions: their programs; the error messages and marks of wrong ones; and
 * random expressions, whose programs must give the results of C.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"
#include "spec/spec.h"
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
		tap_spec_clear(&spec);
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

	/* Each level keeps its left operand in a register. */
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
	check(ret == -E2BIG && strstr(err.text, "more than 248 ops"),
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
	static const char *const pos[] = { "file->f_pos", "((struct file *)buf)->f_pos" };
	static const char *const same[] = { "fd", "fd" };
	static const char *const texts[] = { "file->f_dentry->d_iname", "(file->f_mode&0x400):bool" };
	const struct tap_spec_value values[] = {
		{ .size = sizeof(values[0]), .kind = TAP_AGG_HIST, .expr = "duration" },
		{ .size = sizeof(values[0]), .kind = TAP_AGG_SUM, .avg = true,
		  .expr = "retval" },
		{ .size = sizeof(values[0]), .kind = TAP_AGG_LHIST,
		  .expr = "flags", .base = -5,
		  .step = 10, .buckets = 20 },
	};
	const struct tap_spec_value text = {
		.size = sizeof(text), .kind = TAP_AGG_MAX, .expr = "name",
	};
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
	      agg->aggregate.keys[2].words == 1, "aggregate: keys from the event");
	check(agg->keys[0].word == 1 && agg->keys[1].word == 3 &&
	      agg->keys[2].word == 7 && agg->keys[0].format == TAP_FMT_COMM &&
	      agg->keys[2].format == TAP_FMT_S32 &&
	      !strcmp(agg->keys[1].name, "name"), "aggregate: formats of keys");
	check(agg->aggs[0].word == 10 && agg->aggs[0].kind == TAP_AGG_HIST &&
	      agg->aggs[0].flags == (TAP_AGG_F_DECIMAL | TAP_AGG_F_SIGNED) &&
	      agg->aggs[1].word == 11 && agg->avg[1] &&
	      agg->aggs[1].flags == TAP_AGG_F_SIGNED &&
	      agg->aggs[2].word == 9 && agg->aggs[2].buckets == 20 &&
	      !agg->aggs[2].flags && (__s64)agg->aggs[2].base == -5,
	      "aggregate: values from the event");
	check(agg->values[0].word == 9 && agg->values[0].format == TAP_FMT_NS &&
	      agg->values[0].words == 66 && agg->values[1].word == 75 &&
	      agg->values[2].word == 76 && agg->values[2].words == 22,
	      "aggregate: formats of values");
	tap_spec_clear(&spec);

	ret = expr_make_aggregate("call:write", NULL, 0, values, 1, &spec, &err);
	check(!ret && spec.agg->aggregate.entries == 1, "one entry without keys");
	if (!ret)
		tap_spec_clear(&spec);
	ret = expr_make_aggregate("kprobe:write", pos, 2, NULL, 0, &spec, &err);
	check(!ret && !strcmp(spec.agg->keys[0].name, "file_f_pos") &&
	      !strcmp(spec.agg->keys[1].name, "buf_f_pos"), "two keys of one name have more of their paths");
	if (!ret)
		tap_spec_clear(&spec);
	/* Bytes after the end of a text are no part of a key, and a bool is 0 or 1. */
	ret = expr_make_aggregate("kprobe:write", texts, 2, NULL, 0, &spec, &err);
	if (!ret)
		put_steps(steps, &spec);
	check(!ret && !strcmp(steps, "r0=a0 r1=[r0+8] str16[r1+24] "
				      "r2=#0 r3=[r0+24]:4 r3&1024 r3==0?+1 r2=#1 r2") &&
	      spec.agg->keys[0].format == TAP_FMT_STRING && spec.agg->keys[0].count == 16 &&
	      spec.agg->aggregate.keys[0].words == 3, "keys of text in an array and of a bool");
	if (!ret)
		tap_spec_clear(&spec);
	ret = expr_make_aggregate("kprobe:doit", same, 2, NULL, 0, &spec, &err);
	check(ret == -EINVAL && strstr(err.text, "two keys have the name \"fd\"; rename one of them") &&
	      strstr(err.text, "\n  fd\n  ^~"), "one key twice");
	ret = expr_make_aggregate("kprobe:doit fd", keys, 1, NULL, 0, &spec, &err);
	check(ret == -EINVAL && strstr(err.text, "so they have no values"),
	      "no values beside an aggregation");
	ret = expr_make_aggregate("kprobe:doit", keys, 1, &text, 1, &spec, &err);
	check(ret == -EINVAL && strstr(err.text, "not a number") &&
	      strstr(err.text, "\n  name\n  ^~~~"), "text adds up to nothing");
	ret = expr_make_aggregate("kprobe:doit", keys, 1, values, 1, &spec, &err);
	check(ret == -EINVAL && strstr(err.text, "duration is not available at the start"),
	      "no duration at the entry of a call");
}

/* The condition of a span has the values of its sides with their width and sign. */
static void test_span(void)
{
	const struct tap_span_table table = { .nr_keys = 1, .from_words = 3 };
	const struct tap_spec *sides[2];
	struct tap_spec from, to;
	struct tap_scope scope;
	struct tap_error err;
	const struct tap_type *type;
	size_t i;

	if (expr_make_side("kprobe:enums key=tid level state mask", &from, &err) ||
	    expr_make_side("kprobe:shadow key=tid", &to, &err))
		abort();
	from.side = TAP_SIDE_FROM;
	to.side = TAP_SIDE_TO;
	sides[0] = &from;
	sides[1] = &to;
	if (tap_scope_span(&scope, sides, &table, &err))
		abort();
	for (i = 0; i < scope.nr; i++) {
		type = &scope.names[i].type;
		if (!strcmp(scope.names[i].name, "level"))
			check(type->size == 4 && type->is_signed, "a span: a signed enum");
		else if (!strcmp(scope.names[i].name, "state"))
			check(type->size == 4 && !type->is_signed, "a span: an enum");
		else if (!strcmp(scope.names[i].name, "mask"))
			check(type->size == 8 && !type->is_signed, "a span: an enum of 64 bits");
	}
	tap_scope_close(&scope);
	tap_spec_clear(&from);
	tap_spec_clear(&to);
}

/* Several tables of one event: what they have in common is one output. */
static void test_tables(void)
{
	static const char *const keys[] = { "comm", "name:string[20]", "fd" };
	static const char *const users[] = { "ustack[4]", "fd" };
	const struct tap_spec_value values[] = {
		{ .size = sizeof(values[0]), .kind = TAP_AGG_HIST, .expr = "duration" },
		{ .size = sizeof(values[0]), .kind = TAP_AGG_MAX, .expr = "fd" },
	};
	const struct expr_table tables[] = {
		{ keys, 2, values, 1 }, { keys + 1, 2, values, 2 }, { users, 2, NULL, 0 }, { keys, 1, NULL, 0 },
		{ keys, 1, NULL, 0 }, { keys, 1, NULL, 0 }, { keys, 1, NULL, 0 }, { keys, 1, NULL, 0 },
		{ keys, 1, NULL, 0 },
	};
	struct tap_error err;
	struct tap_spec spec;
	char steps[1024];
	int ret;

	ret = expr_make_tables("call:doit", tables, 3, &spec, &err);
	check(!ret && spec.nr_aggs == 3, "three tables");
	if (ret)
		return;
	put_steps(steps, &spec);
	check(!strcmp(steps, "c r0=a4 str20[r0+0] a0:4s a0:4s ustack4 V1 | V8"),
	      "three tables: what they share is output once");
	check(spec.agg[0].aggregate.keys[1].word == spec.agg[1].aggregate.keys[0].word &&
	      spec.agg[1].aggregate.keys[1].word == spec.agg[2].aggregate.keys[1].word &&
	      spec.agg[0].aggs[0].word == spec.agg[1].aggs[0].word, "three tables: words in common");
	check(spec.agg[1].keys[0].word == 1 && spec.agg[1].keys[1].word == 5 &&
	      spec.agg[1].values[0].word == 7, "three tables: each with its own entries");
	check(spec.agg[2].aggregate.nr_keys == 3 && !spec.agg[0].keys[1].flags &&
	      spec.agg[2].keys[2].flags == TAP_FIELD_F_HIDDEN, "three tables: one has the process as a key");
	tap_spec_clear(&spec);
	ret = expr_make_tables("call:doit", tables, TAP_MAX_AGGREGATES, &spec, &err);
	check(!ret, "eight tables");
	if (!ret)
		tap_spec_clear(&spec);
	ret = expr_make_tables("call:doit", tables, TAP_MAX_AGGREGATES + 1, &spec, &err);
	check(ret == -E2BIG && strstr(err.text, "call:doit: an event has at most 8 tables"), "nine tables");
}

/* A return value of unknown type that is computed with is noted, with the reason. */
static void test_untyped_retval(void)
{
	static const struct {
		const char *event;
		bool noted;
	} cases[] = {
		{ "kretprobe:other if retval == -5", true },
		{ "call:other if retval < 0 && duration > 1ms", true },
		{ "call:other x=(retval+1)", true },
		{ "kretprobe:other", false },
		{ "call:other retval x=retval:u32", false },
		{ "kretprobe:other if (int)retval == -5", false },
		{ "call:other x=(s64)retval if (long)retval == -5", false },
		{ "kretprobe:doit if retval == -5", false },
	};
	const struct tap_spec_value sum = { .size = sizeof(sum), .kind = TAP_AGG_SUM,
					     .expr = "retval" };
	static const char *const keys[] = { "retval" };
	static const char *const comm[] = { "comm" };
	struct tap_error err;
	struct tap_spec spec;
	const char *why;
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		ret = expr_make(cases[i].event, &spec, &err);
		why = ret ? NULL : tap_spec_untyped_retval(&spec);
		check(!ret && !why == !cases[i].noted &&
		      (!why || strstr(why, "does not describe other")), cases[i].event);
		if (ret)
			printf("# %s\n", err.text);
		else
			tap_spec_clear(&spec);
	}
	ret = expr_make_aggregate("call:other", keys, 1, NULL, 0, &spec, &err);
	check(!ret && tap_spec_untyped_retval(&spec), "a key");
	if (!ret)
		tap_spec_clear(&spec);
	ret = expr_make_aggregate("call:other", comm, 1, &sum, 1, &spec, &err);
	check(!ret && tap_spec_untyped_retval(&spec), "a sum");
	if (!ret)
		tap_spec_clear(&spec);
}

/* Any text gives a program or an error message, and never accesses other memory. */
static void test_noise(void)
{
	static const char *const parts[] = {
		"file", "->", "f_inode", "f_pos", "buf", "count", "pos", "(",
		")", "[", "]", "*", "&", "+", "-", "8(", "(u8)", "(struct file *)",
		"$arg1", "$retval", "%di", "@x", "\"a*[b]\"", "'x'", "== ", "!=",
		"<", ">>", "&&", "||", "!", "~", "?", ":", "u32", "string[9]",
		"b3@4/32", " ", " if ", "=", "5ms", "0x", "d_name", ".", "d_iname",
		"f_dentry", "comm", "duration", "\\", "\"", "/", "%", "0", "char",
		"\xc3\xbc", "__user", "$args", "$arg*", "\\3", "(file)", "(dentry,d_name.name)",
		"this_cpu_ptr(", "this_cpu_read(", ":%pd", ":%pD", "min(", "log2(", "strlen(", ",",
		":diff", "*file", "after(",
	};
	static const char *const begins[] = {
		"kprobe:write ", "call:write if ", "kretprobe:write if ",
		"syscall:write x=", "tracepoint:a:b file ", "kprobe:write x=(",
		"call:write *file", "call:write file->f_dentry",
	};
	struct tap_error err;
	struct tap_spec spec;
	unsigned int i, k, made = 0;
	char text[2048], *at;
	bool ok = true;

	for (i = 0; i < 60000 && ok; i++) {
		at = text + sprintf(text, "%s",
				    begins[dice(ARRAY_SIZE(begins))]);
		for (k = dice(12); k > 0; k--)
			at += sprintf(at, "%s", parts[dice(ARRAY_SIZE(parts))]);
		if (expr_make(text, &spec, &err)) {
			ok = err.code < 0 && *err.text;
			continue;
		}
		made++;
		tap_spec_clear(&spec);
	}
	check(ok && made > 100, "60000 random texts, %u were accepted", made);
}

int main(int argc, char **argv)
{
	expr_open();
	check_right_events("right", expr_right, nr_expr_right, expr_make);
	check_wrong_events(expr_wrong, nr_expr_wrong, expr_make);
	test_limits();
	test_aggregate();
	test_tables();
	test_random(argc > 1 ? strtoul(argv[1], NULL, 0) : 1);
	test_whole(argc > 1 ? strtoul(argv[1], NULL, 0) : 1);
	test_untyped_retval();
	test_span();
	test_noise();
	expr_close();
	return check_end();
}
