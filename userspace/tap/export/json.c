// SPDX-License-Identifier: GPL-2.0
/*
 * Reads JSON that libtap has written.
 */
#include <string.h>

#include "export/json.h"

/* The byte behind the string that begins at @p. */
static const char *skip_string(const char *p)
{
	for (p++; *p != '"'; p++)
		p += *p == '\\';
	return p + 1;
}

/* The byte behind the value that begins at @p. */
static const char *skip(const char *p)
{
	unsigned int depth = 0;

	if (*p != '{' && *p != '[')
		return *p == '"' ? skip_string(p) : p + strcspn(p, ",]}");
	do {
		if (*p == '"') {
			p = skip_string(p);
			continue;
		}
		depth += *p == '{' || *p == '[';
		depth -= *p == '}' || *p == ']';
		p++;
	} while (depth);
	return p;
}

bool json_element(const char **at, struct json *value)
{
	const char *p = *at;

	p += *p == ',';
	if (*p == ']' || *p == '}')
		return false;
	value->at = p;
	*at = skip(p);
	value->len = (size_t)(*at - p);
	return true;
}

bool json_member(const char **at, struct json *name, struct json *value)
{
	if (!json_element(at, name))
		return false;
	*name = json_inside(name);
	/* The colon. */
	++*at;
	return json_element(at, value);
}

static unsigned int digit(char c)
{
	return c <= '9' ? (unsigned int)c - '0' : ((unsigned int)c & 15) + 9;
}

/* libtap writes \", \\, and as \uXXXX control characters and U+FFFD. */
char *json_text(const struct json *text, char *to)
{
	const char *p = text->at, *end = p + text->len, *plain;
	unsigned int c;

	for (; p < end; p++) {
		plain = memchr(p, '\\', (size_t)(end - p));
		if (!plain)
			plain = end;
		memcpy(to, p, (size_t)(plain - p));
		to += plain - p;
		p = plain;
		if (p == end)
			break;
		if (*++p != 'u') {
			*to++ = *p;
			continue;
		}
		c = digit(p[1]) << 12 | digit(p[2]) << 8 | digit(p[3]) << 4 | digit(p[4]);
		p += 4;
		if (c < 0x80) {
			*to++ = (char)c;
			continue;
		}
		if (c >= 0x800)
			*to++ = (char)(0xe0 | c >> 12);
		*to++ = (char)(c >= 0x800 ? 0x80 | (c >> 6 & 0x3f) : 0xc0 | c >> 6);
		*to++ = (char)(0x80 | (c & 0x3f));
	}
	return to;
}
