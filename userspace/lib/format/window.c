// SPDX-License-Identifier: LGPL-2.1
/*
 * The heading of a window of a flight recorder. In JSON, of one that no event triggered without
 * "cpu" and "event":
 *
 *	{"type":"window","time":123.456789012,"time_ns":123456789012,"cpu":0,
 *	 "event":"call:vfs_read","window":1,"what":"complete","since":121.456789012,
 *	 "until":123.556789012,"count":345,"merged":2,"missed":0}
 */
#include <errno.h>

#include "format/formatter.h"
#include "util/util.h"

#define COLOR_WINDOW	"\033[1m"

static char *put_text(char *p, const struct tap_formatter *fmt, const struct tap_line *line,
		      size_t number, const struct tap_window_info *info)
{
	if (fmt->opts.color)
		p = tap_put_str(p, COLOR_WINDOW);
	p = tap_put_str(p, "== window ");
	p = tap_put_u64(p, number);
	p = tap_put_str(p, ": ");
	if (line) {
		p = tap_put_piece(p, &line->event);
		/* Removes the padding of the column. */
		while (p[-1] == ' ')
			p--;
	} else {
		p = tap_put_str(p, "taken");
	}
	p = tap_put_str(p, " at ");
	p = tap_put_moment(p, fmt, info->time);
	if (line) {
		p = tap_put_str(p, " on CPU ");
		p = tap_put_u64(p, info->cpu);
	}
	p = tap_put_str(p, ", ");
	p = tap_put_u64(p, info->events);
	p = tap_put_str(p, " events from ");
	p = tap_put_moment(p, fmt, info->from);
	p = tap_put_str(p, " to ");
	p = tap_put_moment(p, fmt, info->to);
	if (info->merged) {
		p = tap_put_str(p, ", triggers merged: ");
		p = tap_put_u64(p, info->merged);
	}
	if (info->missed) {
		p = tap_put_str(p, ", triggers missed before: ");
		p = tap_put_u64(p, info->missed);
	}
	p = tap_put_str(p, info->flags & TAP_WINDOW_INFO_F_SHORT ? " [short] ==" : " ==");
	if (fmt->opts.color)
		p = tap_put_str(p, TAP_COLOR_OFF);
	return p;
}

static char *put_json(char *p, const struct tap_formatter *fmt, const struct tap_line *line,
		      size_t number, const struct tap_window_info *info)
{
	p = tap_put_str(p, "{\"type\":\"window\",\"time\":");
	p = tap_put_moment(p, fmt, info->time);
	p = tap_put_moment_ns(p, fmt, info->time);
	if (line) {
		p = tap_put_str(p, ",\"cpu\":");
		p = tap_put_u64(p, info->cpu);
		p = tap_put_str(p, ",\"event\":\"");
		p = tap_put_piece(p, &line->event);
		p = tap_put_str(p, "\"");
	}
	p = tap_put_str(p, ",\"window\":");
	p = tap_put_u64(p, number);
	p = tap_put_str(p, info->flags & TAP_WINDOW_INFO_F_SHORT ? ",\"what\":\"short\",\"since\":" :
								    ",\"what\":\"complete\",\"since\":");
	p = tap_put_moment(p, fmt, info->from);
	p = tap_put_str(p, ",\"until\":");
	p = tap_put_moment(p, fmt, info->to);
	p = tap_put_str(p, ",\"count\":");
	p = tap_put_u64(p, info->events);
	p = tap_put_str(p, ",\"merged\":");
	p = tap_put_u64(p, info->merged);
	p = tap_put_str(p, ",\"missed\":");
	p = tap_put_u64(p, info->missed);
	return tap_put_str(p, "}");
}

/* Writes the heading. @p has room for %TAP_LINE_FIXED_MAX bytes, and with @line @line->max more. */
char *tap_put_window(char *p, const struct tap_formatter *fmt, const struct tap_line *line,
		     size_t number, const struct tap_window_info *info)
{
	p = fmt->opts.json ? put_json(p, fmt, line, number, info) :
			     put_text(p, fmt, line, number, info);
	*p++ = '\n';
	return p;
}
