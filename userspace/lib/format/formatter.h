/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What the two forms of output share. Private to formatter*.c.
 */
#ifndef _TAP_FORMAT_FORMATTER_H
#define _TAP_FORMAT_FORMATTER_H

#include "format/callgraph.h"
#include "format/value.h"
#include "spec/probe_type.h"
#include "util/buffer.h"

/**
 * struct tap_line_field - a field of a line
 * @name: " name=" or ",\"name\":"; part of the plan's pool
 * @value: how its values are written
 */
struct tap_line_field {
	struct tap_piece name;
	struct tap_value_plan value;
};

/**
 * struct tap_line - how the lines of one probe look
 * @event: its name, padded (text) or escaped (JSON)
 * @fields: by field of the probe
 * @nr_fields: number of @fields
 * @max: the most bytes a line of it can have
 * @duration: the duration of the call; without a field: print none
 * @retval: the return value of the call; without a field: print none
 * @func: which function of several it was; stands in @event's place; or NULL
 */
struct tap_line {
	struct tap_piece event;
	struct tap_line_field *fields;
	unsigned int nr_fields;
	size_t max;
	struct tap_value_plan duration;
	struct tap_value_plan retval;
	const struct tap_field *func;
};

/**
 * struct tap_graph_open - the entry of a call whose line is not finished: if its
 *	return comes next, both are one line
 * @probe: of its function; NULL: there is none
 * @context: see tap_graph_context()
 * @text: its line as it is if the return does not come next; and stacks below
 */
struct tap_graph_open {
	const struct tap_probe *probe;
	__u64 context;
	struct tap_buffer text;
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
 * @prefix: what lines began with lately
 * @graphs_alone: all probes are funcgraphs
 * @graph: calls that are open
 * @open: of them the one whose line is not written yet
 * @context: that of the last line of a call graph
 * @depth: of the event that is being written
 */
struct tap_formatter {
	struct tap_formatter_opts opts;
	struct tap_timebase timebase;
	struct tap_buffer buf;
	struct tap_line *lines;
	size_t nr_lines;
	char *pool;
	unsigned int event_width;
	struct tap_line_prefix *prefix;
	bool graphs_alone;
	struct tap_graph graph;
	struct tap_graph_open open;
	__u64 context;
	int depth;
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

/* All masks of that list. */
#define TAP_FLAGS_NAMED							\
	(TAP_F_NMI | TAP_F_HARDIRQ | TAP_F_SOFTIRQ | TAP_F_MIGRATED |	\
	 TAP_F_DESCHEDULED | TAP_F_NESTED | TAP_F_MULTIPLEXED |		\
	 TAP_F_ABSENT | TAP_F_TRUNCATED | TAP_F_DEFERRED)

/* Neither name=value nor an argument. */
#define TAP_FIELD_F_UNSEEN	(TAP_FIELD_F_HIDDEN | TAP_FIELD_F_ABSENT)

#define TAP_COLOR_EVENT	"\033[36m"
#define TAP_COLOR_OFF	"\033[0m"

/* Columns of the text form. */
#define TAP_TIME_WIDTH		14
#define TAP_CPU_WIDTH		3
#define TAP_COMM_WIDTH		TAP_COMM_LEN
#define TAP_TID_WIDTH		7
#define TAP_DURATION_WIDTH	9

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

/* The name of an event: of one of many functions its own. */
static inline char *tap_put_event_name(char *p, const struct tap_formatter *fmt,
				       const struct tap_line *line,
				       const struct tap_event *ev)
{
	char *begin = p;

	if (!line->func)
		return tap_put_piece(p, &line->event);
	p = tap_put_str(p, tap_spec_type_name(ev->probe->spec.type));
	*p++ = ':';
	p = tap_put_function(p, &fmt->opts, tap_event_word(ev, line->func->word));
	return fmt->opts.json ? p : tap_put_pad(p, begin + fmt->event_width);
}

/**
 * tap_put_task_text() - write the columns of time, CPU and task
 * @p: room for %TAP_LINE_FIXED_MAX bytes
 * @fmt: the formatter
 * @ev: decoded
 * @time: raw, of the line
 *
 * Return: the place behind them.
 */
char *tap_put_task_text(char *p, const struct tap_formatter *fmt,
			const struct tap_event *ev, __u64 time);

/**
 * tap_put_flags_text() - write the flags of a record
 * @p: room for %TAP_LINE_FIXED_MAX bytes
 * @fmt: the formatter
 * @flags: TAP_F_*
 *
 * Return: the place behind them.
 */
char *tap_put_flags_text(char *p, const struct tap_formatter *fmt, __u32 flags);

/**
 * tap_put_stacks_text() - write the stacks of an event
 * @p: room for the line's max
 * @fmt: the formatter
 * @ev: decoded
 *
 * Return: the place behind them.
 */
char *tap_put_stacks_text(char *p, const struct tap_formatter *fmt,
			  const struct tap_event *ev);

/**
 * tap_put_right_text() - move what was written right to a width
 * @begin: where it begins
 * @p: where it ends
 * @width: of it, if it is not longer
 *
 * Return: the place behind it.
 */
char *tap_put_right_text(char *begin, char *p, size_t width);

/**
 * tap_graph_show() - write the line of a call whose return has not come
 * @fmt: the formatter
 *
 * Return: 0 or -ENOMEM.
 */
int tap_graph_show(struct tap_formatter *fmt);

/**
 * tap_put_graph_text() - write an event of a call graph
 * @fmt: the formatter; its buffer gets it, or the next event does
 * @line: of the event's probe
 * @ev: decoded
 * @depth: how many calls lie around it
 *
 * Return: the place behind it, or NULL out of memory.
 */
char *tap_put_graph_text(struct tap_formatter *fmt, const struct tap_line *line,
			 const struct tap_event *ev, unsigned int depth);

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
 * tap_put_notice() - write a notice as a line of its own
 * @p: room for @line->max bytes
 * @fmt: the formatter
 * @line: of the probe that it is about
 * @ev: decoded
 *
 * Return: the place behind it; @p if it is a notice of a later version.
 */
char *tap_put_notice(char *p, const struct tap_formatter *fmt,
		     const struct tap_line *line, const struct tap_event *ev);

/**
 * tap_put_header_text() - write the line that names the columns
 * @p: room for %TAP_LINE_FIXED_MAX bytes
 * @fmt: the formatter
 *
 * Return: the place behind it.
 */
char *tap_put_header_text(char *p, const struct tap_formatter *fmt);

struct tap_line_prefix *tap_line_prefix_open(bool json);
char *tap_put_when(char *p, const struct tap_formatter *fmt, __u64 raw);
char *tap_put_whom(char *p, const struct tap_formatter *fmt,
		   const struct tap_event *ev);

#endif /* _TAP_FORMAT_FORMATTER_H */
