// SPDX-License-Identifier: LGPL-2.1
/*
 * Words of an event's text, and error messages that show the faulty part of the text.
 */
#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "lang/lang.h"

/* Columns of a long text that are shown around its faulty part. */
#define SHOWN		72

static bool goes_on(char c)
{
	return (c & 0xc0) == 0x80;
}

/* Columns on a terminal: bytes that start a UTF-8 character. */
static int columns(const char *from, size_t len)
{
	int n = 0;

	while (len--)
		n += !goes_on(*from++);
	return n;
}

/**
 * tap_diag() - report an error in the text and its place
 * @p: the text
 * @at: start of the faulty part
 * @len: bytes of the faulty part
 * @code: -errno
 * @fmt: the error message, as for printf(3)
 *
 * Below the error message the text is shown with its faulty part marked.
 *
 * Return: @code.
 */
int tap_diag(const struct tap_parser *p, const char *at, size_t len, int code,
	     const char *fmt, ...)
{
	size_t pos = at - p->text, total = strlen(p->text), from = 0, n, i;
	char line[SHOWN + 1], mark[SHOWN + 1], message[320];
	int indent, width;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);

	if (total > SHOWN && pos > SHOWN / 2)
		from = pos - SHOWN / 2;
	while (from < pos && goes_on(p->text[from]))
		from++;
	n = total - from < SHOWN ? total - from : SHOWN;
	/*
	 * A UTF-8 character has at most three continuation bytes; longer runs are not
	 * UTF-8.
	 */
	for (i = 0; i < 3 && n > pos - from && goes_on(p->text[from + n]); i++)
		n--;
	for (i = 0; i < n; i++)
		line[i] = iscntrl((unsigned char)p->text[from + i]) ?
			  ' ' : p->text[from + i];
	line[n] = '\0';

	if (pos - from + len > n)
		len = n - (pos - from);
	indent = columns(p->text + from, pos - from);
	width = columns(at, len);
	if (width < 1)
		width = 1;
	memset(mark, '~', sizeof(mark));
	mark[0] = '^';
	mark[width] = '\0';
	return tap_error_set(p->err, code, "%.96s%s%s\n  %s\n  %*s%s",
			     p->of ? p->of : "", p->of ? ": " : "", message,
			     line, indent, "", mark);
}

/* The length of a token that an error message quotes, for "%.*s". */
int tap_token_shown(struct tap_token t)
{
	return t.len < 64 ? (int)t.len : 64;
}

/*
 * Takes the next word, up to a space outside of double quotes. Returns length 0 at the
 * end.
 */
struct tap_token tap_token_next(struct tap_parser *p)
{
	bool quoted = false;
	struct tap_token t;

	while (isspace((unsigned char)*p->at))
		p->at++;
	t.at = p->at;
	while (*p->at && (quoted || !isspace((unsigned char)*p->at)))
		quoted ^= *p->at++ == '"';
	t.len = p->at - t.at;
	return t;
}
