// SPDX-License-Identifier: GPL-2.0
/*
 * Verdicts as JUnit's XML: a verdict "fails" is a failure, and "unknown" is an error.
 */
#include <string.h>

#include "expect/expect.h"

/* XML allows no control characters, and a byte that is no ASCII may be no UTF-8. */
static void print_text(const char *text, size_t len, FILE *to)
{
	const char *end = text + len;

	for (; text < end; text++) {
		switch (*text) {
		case '&':
			fputs("&amp;", to);
			break;
		case '<':
			fputs("&lt;", to);
			break;
		case '>':
			fputs("&gt;", to);
			break;
		case '"':
			fputs("&quot;", to);
			break;
		case '\n':
			fputs("&#10;", to);
			break;
		default:
			fputc(*text >= ' ' && *text <= '~' ? *text : '?', to);
		}
	}
}

static void print_case(const struct expect_result *r, FILE *to)
{
	static const char *const kinds[] = {
		[VERDICT_FAILS] = "failure", [VERDICT_UNKNOWN] = "error", [VERDICT_STOPPED] = "skipped",
	};
	const char *kind = kinds[r->judgement.verdict];

	fputs("    <testcase classname=\"tap.expect\" name=\"", to);
	print_text(r->a.text, strlen(r->a.text), to);
	if (!kind) {
		fputs("\"/>\n", to);
		return;
	}
	fprintf(to, "\">\n      <%s message=\"", kind);
	print_text(r->judgement.why, strlen(r->judgement.why), to);
	fputs("\">", to);
	if (r->events)
		print_text(r->events, r->len, to);
	fprintf(to, "</%s>\n    </testcase>\n", kind);
}

void expect_junit(const struct expect *x, FILE *to)
{
	unsigned int nr[VERDICTS] = { 0 };
	size_t i;

	for (i = 0; i < x->nr; i++)
		nr[x->list[i].judgement.verdict]++;
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"", to);
	print_text(x->name, strlen(x->name), to);
	fprintf(to, "\" tests=\"%zu\" failures=\"%u\" errors=\"%u\" skipped=\"%u\">\n", x->nr,
		nr[VERDICT_FAILS], nr[VERDICT_UNKNOWN], nr[VERDICT_STOPPED]);
	for (i = 0; i < x->nr; i++)
		print_case(&x->list[i], to);
	fputs("  </testsuite>\n</testsuites>\n", to);
}
