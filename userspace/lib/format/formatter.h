/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The parts that the text and the JSON form share. Private to format/.
 */
#ifndef _TAP_FORMAT_FORMATTER_H
#define _TAP_FORMAT_FORMATTER_H

#include "format/callgraph.h"
#include "format/value.h"
#include "spec/probe_table.h"
#include "spec/probe_type.h"
#include "util/buffer.h"

/* Between the name of an event and its text, inside of the quotes of "event". */
#define TAP_JSON_TEXT	"\",\"text\":\""

/**
 * struct tap_line_field - a field of a line
 * @name: " name=" or ",\"name\":"; in the formatter's pool
 * @value: how its values are written
 */
struct tap_line_field {
	struct tap_piece name;
	struct tap_value_plan value;
};

/**
 * struct tap_line - the plan of the lines of one probe
 * @event: its name, padded (text) or escaped (JSON)
 * @fields: by field of the probe
 * @nr_fields: number of @fields
 * @max: upper bound of a line's bytes
 * @duration: the duration of the call; without a field: print none
 * @retval: the return value of the call; without a field: print none
 * @func: the field with the function of a glob, printed in place of @event; or NULL
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
 * struct tap_graph_open - the entry of a call whose line is not finished: if its return
 *	comes next, both are one line
 * @probe: of its function; NULL: none
 * @context: see tap_graph_context()
 * @text: its line for the case that the return does not come next, and stacks below it
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
 * @prefix: cache of line prefixes
 * @graphs_alone: all probes are funcgraphs
 * @graph: open calls
 * @open: the open call whose line is not written yet
 * @context: context of the last line of a call graph
 * @depth: depth of the current event
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

/* The context first, then events during the call. The last entry has mask 0. */
extern const struct tap_flag_name tap_flag_names[];

/* All masks of tap_flag_names. */
#define TAP_FLAGS_NAMED							\
	(TAP_F_NMI | TAP_F_HARDIRQ | TAP_F_SOFTIRQ | TAP_F_MIGRATED |	\
	 TAP_F_DESCHEDULED | TAP_F_NESTED | TAP_F_MULTIPLEXED |		\
	 TAP_F_ABSENT | TAP_F_TRUNCATED | TAP_F_DEFERRED | TAP_F_USER | TAP_F_RACED)

/* Fields that are printed neither as name=value nor as an argument. */
#define TAP_FIELD_F_UNSEEN	(TAP_FIELD_F_HIDDEN | TAP_FIELD_F_ABSENT | TAP_FIELD_F_OLD)

#define TAP_COLOR_EVENT	"\033[36m"
#define TAP_COLOR_OFF	"\033[0m"

/* Columns of the text form. */
#define TAP_TIME_WIDTH		14
#define TAP_CPU_WIDTH		3
#define TAP_COMM_WIDTH		TAP_COMM_LEN
#define TAP_TID_WIDTH		7
#define TAP_DURATION_WIDTH	9

/* Upper bound of a line without its event and fields. */
#define TAP_LINE_FIXED_MAX	1024
/* Of what @more of struct tap_formatter_opts writes. */
#define TAP_LINE_MORE_MAX	512

/* What the caller has to add to the values of an event. */
static inline char *tap_put_more(char *p, const struct tap_formatter *fmt,
				 const struct tap_event *ev)
{
	return fmt->opts.more ?
	       p + fmt->opts.more(fmt->opts.more_arg, ev, p, TAP_LINE_MORE_MAX) : p;
}

/*
 * The tap_put_*() functions write at @p and return the end. An event must be decoded.
 * This writes an event as a line of text; @p has room for @line->max bytes.
 */
char *tap_put_event_text(char *p, const struct tap_formatter *fmt,
			 const struct tap_line *line,
			 const struct tap_event *ev);

/* The name of an event. For a glob it is made from the function. */
static inline char *tap_put_event_name(char *p, const struct tap_formatter *fmt,
				       const struct tap_line *line,
				       const struct tap_event *ev)
{
	const char *name = ev->probe->spec.name;
	char *begin = p;

	if (!line->func || (name && !fmt->opts.json))
		return tap_put_piece(p, &line->event);
	if (name) {
		p = tap_put_json(p, name, strlen(name));
		p = tap_put_str(p, TAP_JSON_TEXT);
	}
	p = tap_put_str(p, tap_spec_type_name(ev->probe->spec.type));
	*p++ = ':';
	p = tap_put_function(p, &fmt->opts, tap_event_word(ev, line->func->word));
	return fmt->opts.json ? p : tap_put_pad(p, begin + fmt->event_width);
}

/*
 * Writes the columns of time, CPU and task. @time is raw. @p has room for
 * %TAP_LINE_FIXED_MAX bytes.
 */
char *tap_put_task_text(char *p, const struct tap_formatter *fmt,
			const struct tap_event *ev, __u64 time);

/* Writes the flags of a record. @p has room for %TAP_LINE_FIXED_MAX bytes. */
char *tap_put_flags_text(char *p, const struct tap_formatter *fmt, __u32 flags);

/* Writes the structs and stacks of an event. @p has room for the line's max. */
char *tap_put_below_text(char *p, const struct tap_formatter *fmt,
			  const struct tap_event *ev);

/* Right-aligns the text from @begin to @p, unless it is longer than @width. */
char *tap_put_right_text(char *begin, char *p, size_t width);

/* Writes the line of an open call whose return has not come. Returns 0 or -ENOMEM. */
int tap_graph_show(struct tap_formatter *fmt);

/*
 * Writes an event of a call graph to the formatter's buffer, or keeps it until the next
 * event. @depth is the number of calls around it. Returns NULL if out of memory.
 */
char *tap_put_graph_text(struct tap_formatter *fmt, const struct tap_line *line,
			 const struct tap_event *ev, unsigned int depth);

/* Writes an event as a line of JSON. @p has room for @line->max bytes. */
char *tap_put_event_json(char *p, const struct tap_formatter *fmt,
			 const struct tap_line *line,
			 const struct tap_event *ev);

/* Writes a gap record as a line of text. @p has room for %TAP_LINE_FIXED_MAX bytes. */
char *tap_put_gap_text(char *p, const struct tap_formatter *fmt,
		       const struct tap_event *ev);

/* Writes a gap record as a line of JSON. @p has room for %TAP_LINE_FIXED_MAX bytes. */
char *tap_put_gap_json(char *p, const struct tap_formatter *fmt,
		       const struct tap_event *ev);

/* window.c */
char *tap_put_window(char *p, const struct tap_formatter *fmt, const struct tap_line *line,
		     size_t number, const struct tap_window_info *info);

/*
 * Writes a notice about the probe of @line, or with NULL about the session. @p has room for
 * @line->max bytes, or %TAP_LINE_FIXED_MAX. Returns
 * @p for a notice of a later version.
 */
char *tap_put_jump(char *p, const struct tap_formatter *fmt, const struct tap_event *ev);
char *tap_put_notice(char *p, const struct tap_formatter *fmt,
		     const struct tap_line *line, const struct tap_event *ev);

/* Writes the names of the columns. @p has room for %TAP_LINE_FIXED_MAX bytes. */
char *tap_put_header_text(char *p, const struct tap_formatter *fmt);

struct tap_line_prefix *tap_line_prefix_open(bool json);
char *tap_put_when(char *p, const struct tap_formatter *fmt, __u64 raw);
char *tap_put_moment(char *p, const struct tap_formatter *fmt, __u64 raw);
char *tap_put_moment_ns(char *p, const struct tap_formatter *fmt, __u64 raw);
void tap_forget_when(const struct tap_formatter *fmt);
char *tap_put_whom(char *p, const struct tap_formatter *fmt,
		   const struct tap_event *ev);

#endif /* _TAP_FORMAT_FORMATTER_H */
