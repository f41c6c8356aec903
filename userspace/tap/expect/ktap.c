// SPDX-License-Identifier: GPL-2.0
/*
 * Verdicts as KTAP, the format of the kernel's own tests.
 */
#include <string.h>

#include "expect/expect.h"

/* A # would begin a directive. */
static void print_text(const char *text, FILE *to)
{
	for (; *text; text++) {
		if (*text == '#')
			fputc('\\', to);
		fputc((unsigned char)*text < ' ' ? ' ' : *text, to);
	}
}

/* Each line as a diagnostic. */
static void print_lines(const char *text, size_t len, FILE *to)
{
	const char *end = text + len;

	while (text < end) {
		const char *next = memchr(text, '\n', (size_t)(end - text));

		if (!next)
			next = end;
		fprintf(to, "# %.*s\n", (int)(next - text), text);
		text = next + 1;
	}
}

void expect_ktap(const struct expect *x, FILE *to)
{
	static const char *const directives[] = {
		[VERDICT_HOLDS] = "", [VERDICT_FAILS] = "",
		[VERDICT_UNKNOWN] = " # ERROR unknown", [VERDICT_STOPPED] = " # SKIP not judged",
	};
	unsigned int nr[VERDICTS] = { 0 };
	size_t i;

	fprintf(to, "KTAP version 1\n1..%zu\n", x->nr);
	for (i = 0; i < x->nr; i++) {
		const struct expect_result *r = &x->list[i];
		enum verdict verdict = r->judgement.verdict;

		nr[verdict]++;
		print_lines(r->judgement.why, strlen(r->judgement.why), to);
		if (r->events)
			print_lines(r->events, r->len, to);
		fprintf(to, "%sok %zu ",
			verdict == VERDICT_FAILS || verdict == VERDICT_UNKNOWN ? "not " : "", i + 1);
		print_text(r->a.text, to);
		fprintf(to, "%s\n", directives[verdict]);
	}
	fprintf(to, "# Totals: pass:%u fail:%u xfail:0 xpass:0 skip:%u error:%u\n",
		nr[VERDICT_HOLDS], nr[VERDICT_FAILS], nr[VERDICT_STOPPED], nr[VERDICT_UNKNOWN]);
}
