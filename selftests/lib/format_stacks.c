// SPDX-License-Identifier: GPL-2.0
/*
 * Part of format_value_test: stacks and addresses of programs, in text and JSON.
 */
#include <errno.h>

#include "format/value.h"
#include "selftests/lib/check.h"
#include "selftests/lib/fake_ring.h"
#include "selftests/lib/format_stacks.h"
#include "selftests/lib/format_value_test.h"

static int resolve_user(const void *arg, __u32 tgid, __u64 time, __u64 addr,
			char *buf, size_t len)
{
	(void)arg;
	/* For a return address, the name of the previous byte is requested. */
	if (tgid != 7 || time != 500)
		return -ENOENT;
	if (addr == 0x400010)
		snprintf(buf, len, "main(int)+0x10 [prog] prog.c:7");
	else if (addr == 0x40002f)
		snprintf(buf, len, "f<(x)+0x1>(y)+0xf [a\033\"] a.c:9");
	else if (addr == 0x50000f)
		snprintf(buf, len, "0xf [stripped]");
	else
		return -ENOENT;
	return 0;
}

/* The line of an event of process 7, from its values on. */
static const char *stack_line(const struct hit *hit,
			      const struct tap_field *fields,
			      unsigned int nr_fields, bool json)
{
	hit_tgid = 7;
	hit_time = 250;
	hit_resolve_user = resolve_user;
	return hit_line(hit, fields, nr_fields, json);
}

void test_stacks(void)
{
	static const struct tap_field fields[] = {
		FIELD("k", KSTACK, 0, 4, .output = 0),
		FIELD("u", USTACK, 4, 5, .output = 1),
		FIELD("n", U64, 9, 1, .output = 2),
		FIELD("at", USYMBOL, 10, 1, .output = 3),
		FIELD("which", X64, 11, 1, .flags = TAP_FIELD_F_ABSENT),
	};
	static const __u64 begin[] = {
		24 | TAP_TEXT_TRUNCATED, 0xffffffff81000010ULL,
		0xffffffff81000011ULL, 0xffffffff81000012ULL,
		24, 0x400010, 0x400030, 0x500010, -1ULL, 5, 0x400010, 0,
	};
	__u64 w[ARRAY_SIZE(begin)];
	struct hit hit = { TAP_PROBE_KPROBE, TAP_F_TRUNCATED, w, 12 };
	struct tap_formatter_opts opts = {
		.size = sizeof(opts),
		.resolve_user = resolve_user, .tgid = 7, .time = 500,
	};
	char buf[256];

	memcpy(w, begin, sizeof(w));
	ok(same(stack_line(&hit, fields, 5, false),
		"n=5 at=main(int)+0x10 [prog] prog.c:7 [truncated]\n"
		"        f+0x10 [m]\n        f+0x11 [m]\n"
		"        0xffffffff81000012\n        ...\n        --\n"
		"        main(int)+0x10 [prog] prog.c:7\n"
		"        f<(x)+0x1>(y)+0x10 [a?\"] a.c:9\n"
		"        0x10 [stripped]"), "text: stacks below the line of their event");
	ok(same(stack_line(&hit, fields, 5, true),
		"\"args\":{\"k\":[\"f+0x10 [m]\",\"f+0x11 [m]\",\"0xffffffff81000012\"],"
		"\"u\":[\"main(int)+0x10 [prog] prog.c:7\",\"f<(x)+0x1>(y)+0x10 [a\\u001b\\\"] a.c:9\",\"0x10 [stripped]\"],"
		"\"n\":5,\"at\":\"main(int)+0x10 [prog] prog.c:7\"},\"flags\":[\"truncated\"]}"),
	   "JSON: stacks are arrays");
	w[0] = TAP_TEXT_ABSENT;
	w[4] = TAP_TEXT_ABSENT | 8;
	w[11] = 3;
	hit.flags = TAP_F_ABSENT | TAP_F_REDACTED;
	ok(same(stack_line(&hit, fields, 3, false),
		"n=5 [absent]\n        (kernel stack hidden)\n        --\n"
		"        main(int)+0x10 [prog] prog.c:7\n        ..."),
	   "text: a hidden stack, and a stack whose end is unreadable");
	hit.flags = TAP_F_ABSENT;
	w[4] = TAP_TEXT_ABSENT;
	ok(same(stack_line(&hit, fields, 3, false),
		"n=5 [absent]\n        (no kernel stack)\n"
		"        --\n        (no user stack)"), "text: no stacks");
	w[0] = 0;
	w[4] = 0;
	w[11] = 0;
	ok(same(stack_line(&hit, fields, 5, true),
		"\"args\":{\"k\":[],\"u\":[],\"n\":5,\"at\":\"main(int)+0x10 [prog] prog.c:7\"},\"flags\":[\"absent\"]}"),
	   "JSON: empty stacks");
	w[4] = TAP_TEXT_LEN;
	ok(same(stack_line(&hit, fields, 2, false),
		"[absent]\n        --\n        main(int)+0x10 [prog] prog.c:7\n"
		"        f<(x)+0x1>(y)+0x10 [a?\"] a.c:9\n        0x10 [stripped]\n"
		"        0xffffffffffffffff"), "an invalid length of a stack is limited");
	w[4] = 8;
	ok(tap_format_words(&opts, &fields[1], w + 4, buf, sizeof(buf)) > 0 &&
	   same(buf, "\n        main(int)+0x10 [prog] prog.c:7"),
	   "a stack outside the record is empty");
	opts.time = 1;
	ok(tap_format_words(&opts, &fields[1], w + 4, buf, sizeof(buf)) > 0 &&
	   same(buf, "\n        0x400010"), "a name is resolved at the time of its event");
}

static int resolve_trap(const void *arg, __u64 addr, char *buf, size_t len)
{
	(void)arg;
	snprintf(buf, len, "%s+0x%llx", addr >> 12 == 1 ? "asm_trap" : "f",
		 (unsigned long long)addr & 0xfff);
	return 0;
}

void test_stack_trap(void)
{
	struct tap_field field = FIELD("k", KSTACK, 0, 5);
	struct tap_formatter_opts opts = { .size = sizeof(opts), .resolve = resolve_trap };
	__u64 w[] = { 32, 0x2005, 0x1016, 0x3000, 0x2005 };
	char buf[256];

	ok(tap_format_words(&opts, &field, w, buf, sizeof(buf)) > 0 &&
	   same(buf, "\n        f+0x5\n        asm_trap+0x16\n        f+0x0\n        f+0x5"),
	   "text: an interrupted address is not a return address");
	opts.json = true;
	ok(tap_format_words(&opts, &field, w, buf, sizeof(buf)) > 0 &&
	   same(buf, "[\"f+0x5\",\"asm_trap+0x16\",\"f+0x0\",\"f+0x5\"]"),
	   "JSON: an interrupted address is not a return address");
}

/* A table with one stack, whose id is 7. */
static const __u64 *one_stack(void *arg, __u64 id)
{
	return id == 7 ? arg : NULL;
}

void test_stack_id(void)
{
	__u64 w[] = { 16 | TAP_TEXT_TRUNCATED, 0x2005, 0x3005 }, id;
	struct tap_field field = FIELD("k", KSTACK_ID, 0, 1);
	struct tap_formatter_opts opts = {
		.size = sizeof(opts), .resolve = resolve_trap, .stack = one_stack, .stack_arg = w,
	};
	static const struct {
		__u64 id;
		const char *text;
		const char *json;
	} cases[] = {
		{ 7, "\n        f+0x5\n        f+0x5\n        ...", "[\"f+0x5\",\"f+0x5\"]" },
		{ 0, "\n        (no kernel stack)", "null" },
		{ TAP_STACK_NO_ROOM, "\n        (no room in the table of stacks)",
		  "\"no room in the table of stacks\"" },
		{ 8, "\n        (unknown stack)", "\"unknown stack\"" },
	};
	unsigned int i;
	char buf[256];

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		opts.json = false;
		ok(tap_format_words(&opts, &field, &cases[i].id, buf, sizeof(buf)) > 0 &&
		   same(buf, cases[i].text), "text: the stack of an id");
		opts.json = true;
		ok(tap_format_words(&opts, &field, &cases[i].id, buf, sizeof(buf)) > 0 &&
		   same(buf, cases[i].json), "JSON: the stack of an id");
	}
	/* Without a table the id is not looked at. */
	opts.stack = NULL;
	id = 7;
	ok(tap_format_words(&opts, &field, &id, buf, sizeof(buf)) > 0 &&
	   same(buf, "\"unknown stack\""), "without a table a stack is unknown");
	field.count = 1;
	ok(tap_format_words(&opts, &field, &id, buf, sizeof(buf)) == -EINVAL,
	   "there are no arrays of stacks");
}

/* Names of the maximum length, in the maximum number of frames. */
static int resolve_long(const void *arg, __u32 tgid, __u64 time, __u64 addr,
			char *buf, size_t len)
{
	(void)arg;
	(void)tgid;
	(void)time;
	(void)addr;
	memset(buf, 1, len - 1);
	buf[len - 1] = '\0';
	return 0;
}

void test_stack_room(void)
{
	struct tap_field field = FIELD("u", USTACK, 0, 1 + TAP_MAX_STACK);
	struct tap_formatter_opts opts = { .size = sizeof(opts), .resolve_user = resolve_long };
	__u64 w[1 + TAP_MAX_STACK] = { TAP_MAX_STACK * 8 | TAP_TEXT_TRUNCATED };

	ok(tap_format_words(&opts, &field, w, NULL, 0) == -ENOSPC,
	   "text: room for the longest stack");
	opts.json = true;
	ok(tap_format_words(&opts, &field, w, NULL, 0) == -ENOSPC,
	   "JSON: room for the longest stack");
}
