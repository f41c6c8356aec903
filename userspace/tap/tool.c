// SPDX-License-Identifier: GPL-2.0
/*
 * Error messages, JSON strings, wrapped text and colours, for every room of the tool.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pager.h"
#include "tool.h"
#include "util/buffer.h"

int tool_trouble = TOOL_FAILED;

void tool_error(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fputs("tap: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

int tool_fail(const struct tap_error *err)
{
	tool_error("%s", err->text);
	return TOOL_FAILED;
}

void tool_json(FILE *to, const char *text)
{
	/* A character of UTF-8 is a byte and at most three of the form 10xxxxxx. */
	char out[4 * TAP_PUT_CHAR_MAX];
	size_t len;

	putc('"', to);
	for (; *text; text += len) {
		for (len = 1; len < 4 && (text[len] & 0xc0) == 0x80; len++)
			;
		fwrite(out, 1, (size_t)(tap_put_json(out, text, len) - out), to);
	}
	putc('"', to);
}

void tool_json_event(FILE *to, const struct tap_spec *spec)
{
	fputs("\"event\":", to);
	tool_json(to, tap_spec_event(spec));
	if (!tap_spec_name(spec))
		return;
	fputs(",\"text\":", to);
	tool_json(to, tap_spec_wanted(spec));
}

void tool_wrap(FILE *to, const char *text, unsigned int column, unsigned int indent)
{
	unsigned int at = column, len;

	for (; *text; text += len + (text[len] == ' ')) {
		len = (unsigned int)strcspn(text, " ");
		if (at > indent && at + 1 + len > TOOL_COLUMNS) {
			fprintf(to, "\n%*s", (int)indent, "");
			at = indent;
		} else if (at > indent) {
			putc(' ', to);
			at++;
		}
		fprintf(to, "%.*s", (int)len, text);
		at += len;
	}
	putc('\n', to);
}

const char *tool_tmpdir(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && *dir ? dir : "/tmp";
}

int tool_replace(const char *path, mode_t mode, const char *text, size_t len)
{
	char *part = NULL;
	int fd = -1, ret = 0;
	FILE *f = NULL;

	if (asprintf(&part, "%s.XXXXXX", path) < 0)
		return -ENOMEM;
	fd = mkstemp(part);
	if (fd >= 0)
		f = fdopen(fd, "w");
	if (!f || fchmod(fd, mode) || fwrite(text, 1, len, f) != len || fflush(f) || rename(part, path))
		ret = -errno;
	if (f)
		fclose(f);
	else if (fd >= 0)
		close(fd);
	if (ret && fd >= 0)
		unlink(part);
	free(part);
	return ret;
}

bool tool_color(int fd)
{
	const char *no = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	return (isatty(fd) || pager_is_open()) && !(no && *no) && term && strcmp(term, "dumb");
}
