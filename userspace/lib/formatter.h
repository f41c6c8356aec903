/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What the two forms of output share. Private to formatter*.c.
 */
#ifndef _TAP_FORMATTER_H
#define _TAP_FORMATTER_H

#include "buffer.h"
#include "format_value.h"

/**
 * struct tap_line_piece - what never changes before a value
 * @text: " name=" or ",\"name\":"; part of the plan's pool
 * @len: its bytes
 */
struct tap_line_piece {
	const char *text;
	size_t len;
};

/**
 * struct tap_line - how the lines of one probe look
 * @event: its name, padded (text) or escaped (JSON)
 * @fields: by field of the probe
 * @nr_fields: number of @fields
 * @max: the most bytes a line of it can have
 * @duration: the duration of the call, or NULL to print none
 * @retval: the return value of the call, or NULL to print none
 */
struct tap_line {
	struct tap_line_piece event;
	struct tap_line_piece *fields;
	unsigned int nr_fields;
	size_t max;
	const struct tap_field *duration;
	const struct tap_field *retval;
};

/**
 * struct tap_formatter - see libtap.h
 * @opts: as given, with @timebase pointing into here
 * @timebase: a copy
 * @buf: lines that are not written yet
 * @lines: by index in the probe table
 * @nr_lines: number of @lines
 * @pool: memory of all pieces
 * @event_width: of the EVENT column
 */
struct tap_formatter {
	struct tap_formatter_opts opts;
	struct tap_timebase timebase;
	struct tap_buffer buf;
	struct tap_line *lines;
	size_t nr_lines;
	char *pool;
	unsigned int event_width;
};

/**
 * struct tap_flag_name - how a flag of a record is printed
 * @mask: TAP_F_*
 * @name: the word
 */
struct tap_flag_name {
	__u32 mask;
	const char *name;
};

/* Context first, then what happened during a call; the last has mask 0. */
extern const struct tap_flag_name tap_flag_names[];

/* Neither name=value nor an argument. */
#define TAP_FIELD_F_UNSEEN	(TAP_FIELD_F_HIDDEN | TAP_FIELD_F_ABSENT)

/* The most that a line has besides its event and fields. */
#define TAP_LINE_FIXED_MAX	1024

/**
 * tap_put_event_text() - write an event as a line of text
 * @p: room for @line->max bytes
 * @fmt: the formatter
 * @line: of the event's probe
 * @ev: decoded
 *
 * Return: the place behind it.
 */
char *tap_put_event_text(char *p, const struct tap_formatter *fmt,
			 const struct tap_line *line,
			 const struct tap_event *ev);

/**
 * tap_put_event_json() - write an event as a line of JSON
 * @p: room for @line->max bytes
 * @fmt: the formatter
 * @line: of the event's probe
 * @ev: decoded
 *
 * Return: the place behind it.
 */
char *tap_put_event_json(char *p, const struct tap_formatter *fmt,
			 const struct tap_line *line,
			 const struct tap_event *ev);

/**
 * tap_put_gap_text() - write a gap record as a line of text
 * @p: room for %TAP_LINE_FIXED_MAX bytes
 * @fmt: the formatter
 * @ev: decoded
 *
 * Return: the place behind it.
 */
char *tap_put_gap_text(char *p, const struct tap_formatter *fmt,
		       const struct tap_event *ev);

/**
 * tap_put_gap_json() - write a gap record as a line of JSON
 * @p: room for %TAP_LINE_FIXED_MAX bytes
 * @fmt: the formatter
 * @ev: decoded
 *
 * Return: the place behind it.
 */
char *tap_put_gap_json(char *p, const struct tap_formatter *fmt,
		       const struct tap_event *ev);

/**
 * tap_put_header_text() - write the line that names the columns
 * @p: room for %TAP_LINE_FIXED_MAX bytes
 * @fmt: the formatter
 *
 * Return: the place behind it.
 */
char *tap_put_header_text(char *p, const struct tap_formatter *fmt);

#endif /* _TAP_FORMATTER_H */
