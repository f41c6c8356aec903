// SPDX-License-Identifier: LGPL-2.1
/*
 * The text form:
 *	        TIME CPU COMM                 TID EVENT      name=value ...
 *	  123.456789   0 cat                 4711 call:vfs_read   3.214us ret=3 fd=1 [nested]
 * TIME is CLOCK_MONOTONIC, seconds since boot; for a call that of its return. The
 * record's flags follow in brackets: the context if it is not a task ([irq], [softirq],
 * [nmi]), then [migrated], [descheduled] and [nested] for a call, then [absent] and
 * [truncated] for its values. Structs and stacks follow the line, one line per member and frame.
 */
#include "format/formatter.h"
#include "spec/field.h"

#define COLOR_TIME	"\033[2m"
#define COLOR_FLAG	"\033[33m"
#define COLOR_LOST	"\033[1;31m"

static char *put_color(char *p, const struct tap_formatter *fmt,
		       const char *color)
{
	return fmt->opts.color ? tap_put_str(p, color) : p;
}

char *tap_put_right_text(char *begin, char *p, size_t width)
{
	size_t len = (size_t)(p - begin);

	if (len >= width)
		return p;
	memmove(begin + width - len, begin, len);
	memset(begin, ' ', width - len);
	return begin + width;
}

static char *put_call(char *p, const struct tap_formatter *fmt,
		      const struct tap_line *line, const struct tap_event *ev)
{
	char *begin;

	if (line->duration.field) {
		*p++ = ' ';
		begin = p;
		p = tap_put_planned(p, &fmt->opts, &line->duration, ev);
		p = tap_put_right_text(begin, p, TAP_DURATION_WIDTH);
	}
	if (line->retval.field) {
		p = tap_put_str(p, " ret=");
		p = tap_put_planned(p, &fmt->opts, &line->retval, ev);
	}
	return p;
}

char *tap_put_flags_text(char *p, const struct tap_formatter *fmt, __u32 flags)
{
	const struct tap_flag_name *f;

	if (!(flags & TAP_FLAGS_NAMED))
		return p;
	for (f = tap_flag_names; f->mask; f++) {
		if (!(flags & f->mask))
			continue;
		*p++ = ' ';
		p = put_color(p, fmt, COLOR_FLAG);
		*p++ = '[';
		p = tap_put_str(p, f->name);
		*p++ = ']';
		p = put_color(p, fmt, TAP_COLOR_OFF);
	}
	return p;
}

char *tap_put_task_text(char *p, const struct tap_formatter *fmt,
			const struct tap_event *ev, __u64 time)
{
	p = put_color(p, fmt, COLOR_TIME);
	p = tap_put_when(p, fmt, time);
	p = put_color(p, fmt, TAP_COLOR_OFF);
	return tap_put_whom(p, fmt, ev);
}

char *tap_put_below_text(char *p, const struct tap_formatter *fmt,
			 const struct tap_event *ev)
{
	const struct tap_spec *spec = &ev->probe->spec;
	const struct tap_field *field;
	bool kernel = false;
	unsigned int i;

	for (i = 0; i < spec->nr_fields; i++) {
		field = &spec->fields[i];
		if ((field->format == TAP_FMT_STRUCT || field->format == TAP_FMT_DIVISION) &&
		    !(field->flags & TAP_FIELD_F_UNSEEN) &&
		    !(ev->rec->flags & TAP_F_ENTRY && field->flags & TAP_FIELD_F_RETURN))
			p = tap_put_value(p, &fmt->opts, field, ev);
	}
	for (i = 0; i < spec->nr_fields; i++) {
		field = &spec->fields[i];
		if (field->flags & (TAP_FIELD_F_UNSEEN | TAP_FIELD_F_WAIT) ||
		    !tap_format_is_stack(field->format))
			continue;
		if (kernel && tap_field_is_user(field))
			p = tap_put_str(p, TAP_STACK_DIVIDER);
		kernel = !tap_field_is_user(field);
		p = tap_put_value(p, &fmt->opts, field, ev);
	}
	return p;
}

char *tap_put_event_text(char *p, const struct tap_formatter *fmt,
			 const struct tap_line *line,
			 const struct tap_event *ev)
{
	const struct tap_spec *spec = &ev->probe->spec;
	unsigned int i, below = 0;

	p = tap_put_task_text(p, fmt, ev, ev->time);
	p = put_color(p, fmt, TAP_COLOR_EVENT);
	p = tap_put_event_name(p, fmt, line, ev);
	p = put_color(p, fmt, TAP_COLOR_OFF);
	p = put_call(p, fmt, line, ev);
	for (i = 0; i < line->nr_fields; i++) {
		if (spec->fields[i].flags & TAP_FIELD_F_UNSEEN)
			continue;
		if (tap_format_is_below(spec->fields[i].format)) {
			below++;
			continue;
		}
		p = tap_put_piece(p, &line->fields[i].name);
		p = tap_put_planned(p, &fmt->opts, &line->fields[i].value, ev);
	}
	p = tap_put_more(p, fmt, ev);
	p = tap_put_flags_text(p, fmt, ev->rec->flags);
	/* A padded name at the end of the line leaves blanks. */
	while (p[-1] == ' ')
		p--;
	if (below)
		p = tap_put_below_text(p, fmt, ev);
	*p++ = '\n';
	return p;
}

char *tap_put_gap_text(char *p, const struct tap_formatter *fmt,
		       const struct tap_event *ev)
{
	p = put_color(p, fmt, COLOR_LOST);
	p = tap_put_str(p, "-- ");
	p = tap_put_u64(p, ev->rec->value[TAP_GAP_LOST]);
	p = tap_put_str(p, " events lost on CPU ");
	p = tap_put_u64(p, ev->cpu);
	p = tap_put_str(p, " (ring full), since ");
	p = tap_put_moment(p, fmt, ev->rec->value[TAP_GAP_BEGIN] + (ev->time - ev->rec->time));
	p = tap_put_str(p, " --");
	p = put_color(p, fmt, TAP_COLOR_OFF);
	*p++ = '\n';
	return p;
}

char *tap_put_header_text(char *p, const struct tap_formatter *fmt)
{
	/* A time of day has one more character. */
	size_t width = TAP_TIME_WIDTH + (fmt->opts.times == TAP_TIMES_WALL);
	char *begin = p;

	p = tap_put_str(p, "TIME");
	p = tap_put_right_text(begin, p, width);
	p = tap_put_str(p, " CPU COMM");
	p = tap_put_pad(p, begin + width + TAP_CPU_WIDTH + TAP_COMM_WIDTH +
			   TAP_TID_WIDTH);
	if (fmt->graphs_alone)
		return tap_put_str(p, "TID  DURATION CALL\n");
	p = tap_put_str(p, "TID EVENT");
	begin = p;
	p = tap_put_pad(p, begin + fmt->event_width - 5);
	p = tap_put_str(p, " name=value ...\n");
	return p;
}
