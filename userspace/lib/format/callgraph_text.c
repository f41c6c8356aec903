// SPDX-License-Identifier: LGPL-2.1
/*
 * The text form of a call graph:
 *	        TIME CPU COMM                 TID  DURATION CALL
 *	  123.456789   0 cat                 4711           vfs_read(count=5) {
 *	  123.456801   0 cat                 4711   1.214us   rw_verify_area() = 0;
 *	  123.456804   0 cat                 4711  14.900us } = 5; // vfs_read
 * A call without other events inside is one line, with the time of its entry. An empty
 * line separates tasks and interrupts.
 */
#include <errno.h>

#include "format/formatter.h"
#include "spec/field.h"

#define INDENT	2

static char *put_function(char *p, const struct tap_formatter *fmt,
			  const struct tap_event *ev)
{
	const char *target = ev->probe->spec.target;
	const char *colon = strchr(target, ':');
	const char *name = colon ? colon + 1 : target;

	if (fmt->opts.color)
		p = tap_put_str(p, TAP_COLOR_EVENT);
	p = tap_put_text(p, name, strlen(name), false);
	return fmt->opts.color ? tap_put_str(p, TAP_COLOR_OFF) : p;
}

/* "name=value, name=value": the values of the entry, or of the return. */
static char *put_values(char *p, const struct tap_formatter *fmt,
			const struct tap_line *line, const struct tap_event *ev,
			__u32 of)
{
	const struct tap_spec *spec = &ev->probe->spec;
	bool first = true;
	unsigned int i;

	for (i = 0; i < line->nr_fields; i++) {
		const struct tap_field *f = &spec->fields[i];

		if (f->flags & TAP_FIELD_F_UNSEEN ||
		    (f->flags & TAP_FIELD_F_RETURN) != of ||
		    f->word < TAP_CALL_FETCHES || tap_format_is_below(f->format))
			continue;
		if (!first)
			*p++ = ',';
		/* The piece starts with a blank. */
		p = tap_put_mem(p, line->fields[i].name.text + (first && !of),
				line->fields[i].name.len - (first && !of));
		p = tap_put_value(p, &fmt->opts, f, ev);
		first = false;
	}
	return p;
}

static char *put_call(char *p, const struct tap_formatter *fmt,
		      const struct tap_line *line, const struct tap_event *ev)
{
	p = put_function(p, fmt, ev);
	*p++ = '(';
	p = put_values(p, fmt, line, ev, 0);
	*p++ = ')';
	return p;
}

static char *put_result(char *p, const struct tap_formatter *fmt,
			const struct tap_line *line, const struct tap_event *ev)
{
	const struct tap_field retval = {
		.format = TAP_FMT_RETVAL, .word = TAP_CALL_RETVAL, .words = 1,
	};
	const struct tap_spec *spec = &ev->probe->spec;
	const struct tap_field *f = line->retval.field ? line->retval.field : &retval;
	unsigned int i;

	/* A value that the user has named says how to print the return value. */
	for (i = 0; i < line->nr_fields; i++)
		if (spec->fields[i].word == TAP_CALL_RETVAL)
			f = &spec->fields[i];
	if (!(f->flags & TAP_FIELD_F_VOID)) {
		p = tap_put_str(p, " = ");
		p = tap_put_value(p, &fmt->opts, f, ev);
	}
	*p++ = ';';
	return put_values(p, fmt, line, ev, TAP_FIELD_F_RETURN);
}

static char *put_columns(char *p, const struct tap_formatter *fmt,
			 const struct tap_event *ev, __u64 time,
			 unsigned int depth)
{
	static const struct tap_field duration = {
		.format = TAP_FMT_DURATION, .word = TAP_CALL_DURATION, .words = 1,
	};
	char *begin;

	p = tap_put_task_text(p, fmt, ev, time);
	begin = p;
	if (!(ev->rec->flags & TAP_F_ENTRY))
		p = tap_put_value(p, &fmt->opts, &duration, ev);
	p = tap_put_right_text(begin, p, TAP_DURATION_WIDTH);
	*p++ = ' ';
	return tap_put_pad(p, p + (size_t)depth * INDENT);
}

static char *put_return(char *p, const struct tap_formatter *fmt,
			const struct tap_line *line, const struct tap_event *ev,
			unsigned int depth)
{
	p = put_columns(p, fmt, ev, ev->time, depth);
	*p++ = '}';
	p = put_result(p, fmt, line, ev);
	p = tap_put_str(p, " // ");
	p = put_function(p, fmt, ev);
	p = tap_put_flags_text(p, fmt, ev->rec->flags);
	*p++ = '\n';
	return p;
}

/* An entry; or a return directly after its entry, as one line. */
static char *put_entry(char *p, const struct tap_formatter *fmt,
		       const struct tap_line *line, const struct tap_event *ev,
		       unsigned int depth)
{
	bool leaf = !(ev->rec->flags & TAP_F_ENTRY);
	__u64 lasted = leaf ? tap_event_word(ev, TAP_CALL_DURATION) : 0;

	p = put_columns(p, fmt, ev, ev->time - lasted, depth);
	p = put_call(p, fmt, line, ev);
	p = leaf ? put_result(p, fmt, line, ev) : tap_put_str(p, " {");
	p = tap_put_flags_text(p, fmt, ev->rec->flags);
	p = tap_put_below_text(p, fmt, ev);
	*p++ = '\n';
	return p;
}

int tap_graph_show(struct tap_formatter *fmt)
{
	struct tap_graph_open *open = &fmt->open;
	char *p;

	if (!open->probe)
		return 0;
	p = tap_buffer_room(&fmt->buf, open->text.len);
	if (!p)
		return -ENOMEM;
	tap_put_mem(p, open->text.data, open->text.len);
	fmt->buf.len += open->text.len;
	open->probe = NULL;
	return 0;
}

char *tap_put_graph_text(struct tap_formatter *fmt, const struct tap_line *line,
			 const struct tap_event *ev, unsigned int depth)
{
	size_t room = line->max + TAP_GRAPH_DEPTH * INDENT +
		      2 * TAP_MAX_TARGET * TAP_PUT_CHAR_MAX;
	__u64 context = tap_graph_context(ev);
	struct tap_graph_open *open = &fmt->open;
	bool leaf = open->probe == ev->probe && open->context == context &&
		    !(ev->rec->flags & TAP_F_ENTRY);
	char *p;

	if (leaf) {
		open->probe = NULL;
		tap_forget_when(fmt);
	} else if (tap_graph_show(fmt)) {
		return NULL;
	}
	p = tap_buffer_room(&fmt->buf, room);
	if (!p)
		return NULL;
	if (fmt->context && fmt->context != context)
		*p++ = '\n';
	fmt->context = context;
	if (leaf)
		return put_entry(p, fmt, line, ev, depth);
	if (!(ev->rec->flags & TAP_F_ENTRY))
		return put_return(p, fmt, line, ev, depth);
	open->probe = ev->probe;
	open->context = context;
	open->text.len = 0;
	/* The empty line, if any, stays in the formatter's buffer. */
	fmt->buf.len = (size_t)(p - fmt->buf.data);
	p = tap_buffer_room(&open->text, room);
	if (!p) {
		open->probe = NULL;
		return NULL;
	}
	open->text.len = (size_t)(put_entry(p, fmt, line, ev, depth) -
				  open->text.data);
	return fmt->buf.data + fmt->buf.len;
}
