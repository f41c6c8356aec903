// SPDX-License-Identifier: GPL-2.0
/*
 * A test: its result and its line.
 */
#include <stdarg.h>
#include <string.h>

#include "selftest/selftest.h"

#define MAX_FAILURES	3

static const char *const words[] = {
	[SELFTEST_OK]	= "ok",
	[SELFTEST_SKIP]	= "skip",
	[SELFTEST_FAIL]	= "FAIL",
};

void test_begin(struct selftest_test *t, struct selftest *st, const char *name)
{
	*t = (struct selftest_test) { .st = st, .name = name };
}

__attribute__((format(printf, 3, 0)))
static void append(struct selftest_test *t, const char *divider, const char *fmt, va_list ap)
{
	size_t len = strlen(t->text);

	if (len)
		len += snprintf(t->text + len, sizeof(t->text) - len, "%s", divider);
	if (len < sizeof(t->text))
		vsnprintf(t->text + len, sizeof(t->text) - len, fmt, ap);
}

/* The first failure replaces the figures. */
void test_fail(struct selftest_test *t, const char *fmt, ...)
{
	va_list ap;

	if (selftest_stopped() && !t->ended && !t->always)
		return;
	if (t->status != SELFTEST_FAIL)
		*t->text = '\0';
	t->status = SELFTEST_FAIL;
	if (++t->failures > MAX_FAILURES)
		return;
	va_start(ap, fmt);
	append(t, "; ", fmt, ap);
	va_end(ap);
}

void test_skip(struct selftest_test *t, const char *fmt, ...)
{
	va_list ap;

	if (t->status == SELFTEST_FAIL || t->status == SELFTEST_SKIP)
		return;
	*t->text = '\0';
	t->status = SELFTEST_SKIP;
	va_start(ap, fmt);
	append(t, "; ", fmt, ap);
	va_end(ap);
}

/* A figure; dropped if the test was skipped or has failed. */
void test_note(struct selftest_test *t, const char *fmt, ...)
{
	va_list ap;

	if (t->status == SELFTEST_FAIL || t->status == SELFTEST_SKIP)
		return;
	va_start(ap, fmt);
	append(t, ", ", fmt, ap);
	va_end(ap);
}

bool test_equal(struct selftest_test *t, const char *what, __u64 expected, __u64 got)
{
	if (expected == got)
		return true;
	test_fail(t, expected > 0xffffffff || got > 0xffffffff ?
		  "%s: expected %#llx, got %#llx" : "%s: expected %llu, got %llu", what,
		  (unsigned long long)expected, (unsigned long long)got);
	return false;
}

bool test_can(struct selftest_test *t, __u64 feature, const char *without)
{
	if ((t->st->info.out_features & feature) == feature)
		return true;
	test_skip(t, "%s", without);
	return false;
}

void test_end(struct selftest_test *t)
{
	struct selftest *st = t->st;
	struct selftest_line *line;

	if (st->nr_lines == sizeof(st->lines) / sizeof(st->lines[0]))
		return;
	if (selftest_stopped() && !t->always && t->status != SELFTEST_FAIL) {
		t->status = SELFTEST_SKIP;
		snprintf(t->text, sizeof(t->text), "interrupted");
	}
	if (t->failures > MAX_FAILURES) {
		size_t len = strlen(t->text);

		snprintf(t->text + len, sizeof(t->text) - len, "; and %u more",
			 t->failures - MAX_FAILURES);
	}
	line = &st->lines[st->nr_lines++];
	line->status = t->status;
	st->counts[t->status]++;
	snprintf(line->name, sizeof(line->name), "%s", t->name);
	snprintf(line->text, sizeof(line->text), "%s", t->text);
	/* Messages of a kernel's error may have a mark below the expression. */
	line->text[strcspn(line->text, "\n")] = '\0';
	if (st->json)
		return;
	printf("%-5s %-15s %s\n", words[line->status], line->name, line->text);
	fflush(stdout);
}
