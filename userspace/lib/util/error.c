// SPDX-License-Identifier: LGPL-2.1
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include <libtap.h>

#include "util/buffer.h"

/* An error message may quote a file. Its control characters must not reach a terminal. */
static void clean(char *text)
{
	char copy[sizeof(((struct tap_error *)0)->text)], *line;
	size_t len;

	for (line = text; *line; line += len + (line[len] == '\n')) {
		len = strcspn(line, "\n");
		memcpy(copy, line, len);
		/* The text never grows: each byte that is not printable becomes "?". */
		tap_put_text(line, copy, len, false);
	}
}

int tap_error_set(struct tap_error *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return code;
	err->code = code;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	clean(err->text);
	return code;
}
