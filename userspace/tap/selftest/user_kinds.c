// SPDX-License-Identifier: GPL-2.0
/*
 * Probes in this program: a function that is found by its offset in the file, and a USDT
 * probe.
 */
#include <string.h>

#include "selftest/selftest.h"

#define PROGRAM		"/proc/self/exe"
#define NO_UPROBES	"this kernel was built without CONFIG_UPROBES"

/* A text is a word with its length, and its bytes. */
static void check_text(struct rig *rig, const struct tap_event *ev, unsigned int i)
{
	__u64 words[2] = { tap_event_word(ev, 2), tap_event_word(ev, 3) };

	if ((tap_event_word(ev, 1) & TAP_TEXT_LEN) != strlen(trigger_text) ||
	    memcmp(words, trigger_text, strlen(trigger_text)))
		test_fail(rig->t, "text of event %u: expected \"%s\", got \"%.16s\"", i,
			  trigger_text, (const char *)words);
	if (i == 0 && !memcmp(rig->code, trigger_code(), sizeof(rig->code)))
		test_fail(rig->t, "the code of this program has no breakpoint while it is probed");
}

static const struct series uprobe = {
	"uprobe", TAP_FEATURE_UPROBE, NO_UPROBES, &trigger_function,
	.arg = 0, .ret = -1, .check = check_text,
};

static const struct series uretprobe = {
	"uretprobe", TAP_FEATURE_UPROBE, NO_UPROBES, &trigger_function,
	.arg = -1, .ret = 0,
};

static const struct series ucall = {
	"ucall", TAP_FEATURE_UPROBE, NO_UPROBES, &trigger_function,
	.arg = TAP_CALL_FETCHES, .ret = TAP_CALL_RETVAL, .call = true,
};

/* The second argument is a negative int. */
static void check_usdt(struct rig *rig, const struct tap_event *ev, unsigned int i)
{
	test_equal(rig->t, "second argument", trigger_usdt.ret(i), tap_event_word(ev, 1));
	if (i == 0 && !trigger_semaphore())
		test_fail(rig->t, "semaphore of the USDT probe: expected 1, got 0");
}

static const struct series usdt = {
	"usdt", TAP_FEATURE_UPROBE, NO_UPROBES, &trigger_usdt,
	.arg = 0, .ret = -1, .check = check_usdt,
};

/* The caller's frame is the return address that the function itself has seen. */
static void check_ustack(struct rig *rig, const struct tap_event *ev, unsigned int i)
{
	__u64 frames = (tap_event_word(ev, 1) & TAP_TEXT_LEN) / 8;
	__u64 at = (__u64)(unsigned long)trigger_code();

	if (frames < 2)
		test_fail(rig->t, "stack of event %u: expected several frames, got %llu", i,
			  (unsigned long long)frames);
	else if (tap_event_word(ev, 2) != at ||
		 tap_event_word(ev, 3) != trigger_return_address())
		test_fail(rig->t, "stack of event %u: expected %#llx %#llx, got %#llx %#llx", i,
			  (unsigned long long)at, (unsigned long long)trigger_return_address(),
			  (unsigned long long)tap_event_word(ev, 2),
			  (unsigned long long)tap_event_word(ev, 3));
}

static const struct series ustack = {
	"ustack", TAP_FEATURE_UPROBE, NO_UPROBES, &trigger_function,
	.arg = 0, .ret = -1, .check = check_ustack,
};

void user_kinds_test(struct selftest *st)
{
	static const struct {
		const struct series *series;
		const char *type;
		const char *values;
	} functions[] = {
		{ &uprobe, "uprobe", "$arg1 $arg2:ustring[8]" },
		{ &uretprobe, "uretprobe", "$retval" },
		{ &ucall, "ucall", "$arg1" },
		{ &ustack, "uprobe", "$arg1 ustack[4]" },
	};
	__u64 offset = 0;
	char event[160];
	size_t i;

	trigger_place(&offset);
	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		snprintf(event, sizeof(event), "%s:" PROGRAM ":%#llx %s", functions[i].type,
			 (unsigned long long)offset, functions[i].values);
		series_test(st, functions[i].series, event, SELFTEST_HITS);
	}
	series_test(st, &usdt, "usdt:" PROGRAM ":tap:selftest arg1 arg2", SELFTEST_HITS);
}
