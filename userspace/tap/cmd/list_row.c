// SPDX-License-Identifier: GPL-2.0
/*
 * A line of tap list.
 */
#include <string.h>
#include <unistd.h>

#include "cmd/list_row.h"
#include "tool.h"

/* Where remarks begin. A longer event moves its remark to the right. */
#define REMARK_COLUMN	48

#define COLOR_TYPE	"\033[36m"
#define COLOR_REMARK	"\033[2m"
#define COLOR_OFF	"\033[0m"

void list_row(const char *type, const char *where, const char *name, const char *remark)
{
	/* isatty() once, not for each of a hundred thousand lines. */
	static enum { UNKNOWN, PLAIN, COLOR } mode;
	int len;

	if (mode == UNKNOWN)
		mode = tool_color(STDOUT_FILENO) ? COLOR : PLAIN;
	if (*type && mode == COLOR)
		printf(COLOR_TYPE "%s:" COLOR_OFF, type);
	else if (*type)
		printf("%s:", type);
	fputs(where, stdout);
	fputs(name, stdout);
	if (remark) {
		len = (int)(strlen(type) + !!*type + strlen(where) + strlen(name));
		printf("%*s%s# %s%s", len < REMARK_COLUMN - 2 ? REMARK_COLUMN - len : 2, "",
		       mode == COLOR ? COLOR_REMARK : "", remark,
		       mode == COLOR ? COLOR_OFF : "");
	}
	putchar('\n');
}
