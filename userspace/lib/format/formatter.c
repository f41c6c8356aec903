// SPDX-License-Identifier: LGPL-2.1
/*
 * From events to lines: plans each probe's line once, then fills a buffer.
 */
#include <errno.h>
#include <stdlib.h>

#include "format/formatter.h"
#include "spec/probe_type.h"
#include "util/sized.h"

/* The buffer is written when it has this much. */
#define FLUSH_BYTES		(64 * 1024)
/* A longer event does not make the EVENT column wider than this. */
#define EVENT_WIDTH_MAX		40
/* Width of the EVENT column for names of functions, which are not known in advance. */
#define FUNC_WIDTH		24
/* Quotes, blank, comma, colon and the like around a name. */
#define PIECE_EXTRA		4

/* Every record of a call starts with these. */
static const struct tap_field duration_field = {
	.format = TAP_FMT_DURATION,
	.word = TAP_CALL_DURATION,
	.words = 1,
};

static const struct tap_field retval_field = {
	.format = TAP_FMT_RETVAL,
	.word = TAP_CALL_RETVAL,
	.words = 1,
};

static const struct tap_field syscall_retval_field = {
	.format = TAP_FMT_ERRNO,
	.word = TAP_CALL_RETVAL,
	.words = 1,
};

/* Upper bound of the pool for the pieces of a probe. */
static size_t plan_room(const struct tap_formatter *fmt,
			const struct tap_probe *probe)
{
	const struct tap_spec *spec = &probe->spec;
	size_t room = (strlen(tap_spec_event(spec)) + strlen(spec->event)) * TAP_PUT_CHAR_MAX +
		      sizeof(TAP_JSON_TEXT) + fmt->event_width + PIECE_EXTRA;

	return room + (size_t)probe->spec.nr_fields *
		      (TAP_FIELD_NAME_LEN * TAP_PUT_CHAR_MAX + PIECE_EXTRA);
}

static char *plan_event(char *p, const struct tap_formatter *fmt,
			struct tap_line *line, const struct tap_spec *spec)
{
	const char *event = tap_spec_event(spec);
	char *begin = p;

	if (fmt->opts.json) {
		p = tap_put_json(p, event, strlen(event));
		if (spec->name) {
			p = tap_put_str(p, TAP_JSON_TEXT);
			p = tap_put_json(p, spec->event, strlen(spec->event));
		}
	} else {
		p = tap_put_text(p, event, strlen(event), false);
		p = tap_put_pad(p, begin + fmt->event_width);
	}
	line->event.text = begin;
	line->event.len = (size_t)(p - begin);
	return p;
}

static char *plan_field(char *p, const struct tap_formatter *fmt,
			struct tap_piece *piece, const struct tap_field *field)
{
	const char *name = field->name;
	char *begin = p;

	if (fmt->opts.json) {
		p = tap_put_str(p, ",\"");
		p = tap_put_json(p, name, TAP_FIELD_NAME_LEN);
		p = tap_put_str(p, "\":");
	} else {
		*p++ = ' ';
		p = tap_put_text(p, name, TAP_FIELD_NAME_LEN, false);
		p = tap_put_str(p, field->format == TAP_FMT_DIFF ? ": " : "=");
	}
	piece->text = begin;
	piece->len = (size_t)(p - begin);
	return p;
}

static char *plan_line(char *p, const struct tap_formatter *fmt,
		       struct tap_line *line, const struct tap_probe *probe)
{
	const struct tap_spec *spec = &probe->spec;
	bool call = tap_probe_is_call(spec->type);
	unsigned int i;

	p = plan_event(p, fmt, line, spec);
	line->max = TAP_LINE_FIXED_MAX + line->event.len;
	line->nr_fields = spec->nr_fields;
	if (call) {
		tap_value_plan(&line->duration, &duration_field);
		tap_value_plan(&line->retval,
			       spec->type == TAP_PROBE_SYSCALL ?
			       &syscall_retval_field : &retval_field);
	}
	for (i = 0; i < spec->nr_fields; i++) {
		const struct tap_field *f = &spec->fields[i];

		p = plan_field(p, fmt, &line->fields[i].name, f);
		tap_value_plan(&line->fields[i].value, f);
		line->max += line->fields[i].name.len +
			     tap_value_max(&fmt->opts, f);
		if (f->format == TAP_FMT_FUNC && f->flags & TAP_FIELD_F_HIDDEN)
			line->func = f;
		/* The duration of a span stands where that of a call does. */
		if (spec->type == TAP_PROBE_SPAN && f->format == TAP_FMT_DURATION &&
		    f->flags & TAP_FIELD_F_HIDDEN)
			tap_value_plan(&line->duration, f);
		if (call && f->word == TAP_CALL_DURATION)
			line->duration.field = NULL;
		if (call && f->word == TAP_CALL_RETVAL) {
			if (f->flags & TAP_FIELD_F_HIDDEN &&
			    !(f->flags & TAP_FIELD_F_VOID))
				tap_value_plan(&line->retval, f);
			else
				line->retval.field = NULL;
		}
	}
	return p;
}

static bool has_functions(const struct tap_spec *spec)
{
	return spec->nr_fields && spec->fields[0].format == TAP_FMT_FUNC &&
	       spec->fields[0].flags & TAP_FIELD_F_HIDDEN;
}

static int plan_lines(struct tap_formatter *fmt)
{
	const struct tap_probes *probes = fmt->opts.probes;
	struct tap_line_field *fields;
	size_t room = 0, nr_fields = 0, i;
	char *p;

	fmt->graphs_alone = probes->nr;
	for (i = 0; i < probes->nr; i++) {
		size_t len = strlen(tap_probe_event(&probes->list[i]));

		/* A call graph has no EVENT column. */
		if (!fmt->opts.json &&
		    probes->list[i].spec.type == TAP_PROBE_FUNCGRAPH)
			continue;
		fmt->graphs_alone = false;
		/* The names of its functions are not known yet. */
		if (has_functions(&probes->list[i].spec) && !probes->list[i].spec.name &&
		    len < FUNC_WIDTH)
			len = FUNC_WIDTH;
		if (len > fmt->event_width)
			fmt->event_width = len > EVENT_WIDTH_MAX ?
				EVENT_WIDTH_MAX : (unsigned int)len;
	}
	for (i = 0; i < probes->nr; i++) {
		room += plan_room(fmt, &probes->list[i]);
		nr_fields += probes->list[i].spec.nr_fields;
	}
	fmt->nr_lines = probes->nr;
	fmt->lines = calloc(probes->nr + 1, sizeof(*fmt->lines));
	/* Fields come first because of their alignment, then the text of their names. */
	fmt->pool = malloc(nr_fields * sizeof(*fields) + room +
			   TAP_PIECE_BYTES);
	if (!fmt->lines || !fmt->pool)
		return -ENOMEM;
	fields = (struct tap_line_field *)(void *)fmt->pool;
	p = fmt->pool + nr_fields * sizeof(*fields);
	for (i = 0; i < probes->nr; i++) {
		fmt->lines[i].fields = fields;
		fields += probes->list[i].spec.nr_fields;
		p = plan_line(p, fmt, &fmt->lines[i], &probes->list[i]);
	}
	return 0;
}

int tap_formatter_open(struct tap_formatter **out,
		       const struct tap_formatter_opts *opts)
{
	struct tap_formatter_opts known;
	struct tap_formatter *fmt;
	int ret = tap_sized_read(&known, sizeof(known), opts);

	if (ret)
		return ret;
	if (!known.timebase || !known.probes || known.times > TAP_TIMES_DELTA)
		return -EINVAL;
	fmt = calloc(1, sizeof(*fmt));
	if (!fmt)
		return -ENOMEM;
	fmt->opts = known;
	fmt->timebase = *known.timebase;
	fmt->opts.timebase = &fmt->timebase;
	fmt->event_width = 5;	/* of the word EVENT */
	fmt->prefix = tap_line_prefix_open(fmt->opts.json);
	if (!fmt->prefix || plan_lines(fmt)) {
		tap_formatter_close(fmt);
		return -ENOMEM;
	}
	*out = fmt;
	return 0;
}

void tap_formatter_timebase(struct tap_formatter *fmt, const struct tap_timebase *timebase)
{
	fmt->timebase = *timebase;
}

void tap_formatter_close(struct tap_formatter *fmt)
{
	if (!fmt)
		return;
	tap_buffer_free(&fmt->buf);
	free(fmt->prefix);
	tap_buffer_free(&fmt->open.text);
	tap_graph_forget(&fmt->graph);
	free(fmt->lines);
	free(fmt->pool);
	free(fmt);
}

static int formatter_write(struct tap_formatter *fmt)
{
	size_t len = fmt->buf.len;

	if (!fmt->opts.write)
		return tap_buffer_write(&fmt->buf, fmt->opts.fd);
	fmt->buf.len = 0;
	return fmt->opts.write(fmt->opts.write_arg, fmt->buf.data, len);
}

static int formatter_end_line(struct tap_formatter *fmt, const char *end)
{
	fmt->buf.len = (size_t)(end - fmt->buf.data);
	return fmt->buf.len >= FLUSH_BYTES ? formatter_write(fmt) : 0;
}

int tap_formatter_header(struct tap_formatter *fmt)
{
	char *p;

	if (fmt->opts.json)
		return 0;
	p = tap_buffer_room(&fmt->buf, TAP_LINE_FIXED_MAX);
	if (!p)
		return -ENOMEM;
	return formatter_end_line(fmt, tap_put_header_text(p, fmt));
}

static int formatter_gap(struct tap_formatter *fmt, const struct tap_event *ev)
{
	char *p;

	/* Open calls may have ended during the loss. */
	tap_graph_forget(&fmt->graph);
	/* A record of an event that interrupted this one has reported the loss. */
	if (!ev->rec->value[TAP_GAP_LOST])
		return 0;
	p = tap_buffer_room(&fmt->buf, TAP_LINE_FIXED_MAX);
	if (!p)
		return -ENOMEM;
	p = fmt->opts.json ? tap_put_gap_json(p, fmt, ev) :
			     tap_put_gap_text(p, fmt, ev);
	return formatter_end_line(fmt, p);
}

static const struct tap_line *line_of(const struct tap_formatter *fmt,
				      const struct tap_probe *probe)
{
	size_t index = (size_t)(probe - fmt->opts.probes->list);

	return index < fmt->nr_lines ? &fmt->lines[index] : NULL;
}

/* A jump of the clock. Open calls stay open. */
static int formatter_jump(struct tap_formatter *fmt, const struct tap_event *ev)
{
	char *p = tap_buffer_room(&fmt->buf, TAP_LINE_FIXED_MAX);

	return p ? formatter_end_line(fmt, tap_put_jump(p, fmt, ev)) : -ENOMEM;
}

/* A notice about a probe or, with the id 0, the session. Open calls stay open. */
static int formatter_notice(struct tap_formatter *fmt, const struct tap_event *ev)
{
	const struct tap_probe *probe =
		tap_probes_find(fmt->opts.probes, ev->rec->probe);
	const struct tap_line *line = probe ? line_of(fmt, probe) : NULL;
	char *p;

	if (!line && ev->rec->probe)
		return -EINVAL;
	p = tap_buffer_room(&fmt->buf, line ? line->max : TAP_LINE_FIXED_MAX);
	return p ? formatter_end_line(fmt, tap_put_notice(p, fmt, line, ev)) : -ENOMEM;
}

int tap_formatter_event(struct tap_formatter *fmt, const struct tap_event *ev)
{
	const struct tap_line *line;
	int depth = 0;
	char *p;

	if (!ev->probe || ev->probe->spec.type != TAP_PROBE_FUNCGRAPH)
		if (tap_graph_show(fmt))
			return -ENOMEM;
	if (ev->rec->kind == TAP_KIND_NOTICE &&
	    ev->rec->value[TAP_NOTICE_WHAT] == TAP_NOTICE_CLOCK)
		return formatter_jump(fmt, ev);
	if (!ev->probe)
		return ev->rec->kind == TAP_KIND_NOTICE ?
		       formatter_notice(fmt, ev) : formatter_gap(fmt, ev);
	line = line_of(fmt, ev->probe);
	if (!line)
		return -EINVAL;
	if (ev->probe->spec.type == TAP_PROBE_FUNCGRAPH) {
		depth = tap_graph_step(&fmt->graph, ev);
		if (depth < 0)
			return depth;
		if (!fmt->opts.json) {
			p = tap_put_graph_text(fmt, line, ev, (unsigned int)depth);
			return p ? formatter_end_line(fmt, p) : -ENOMEM;
		}
	}
	p = tap_buffer_room(&fmt->buf, line->max + TAP_LINE_MORE_MAX);
	if (!p)
		return -ENOMEM;
	fmt->depth = depth;
	p = fmt->opts.json ? tap_put_event_json(p, fmt, line, ev) :
			     tap_put_event_text(p, fmt, line, ev);
	return formatter_end_line(fmt, p);
}

int tap_formatter_window(struct tap_formatter *fmt, size_t number,
			 const struct tap_window_info *info)
{
	const struct tap_probe *probe = tap_probes_find(fmt->opts.probes, info->probe);
	const struct tap_line *line = probe ? line_of(fmt, probe) : NULL;
	char *p;

	if (tap_graph_show(fmt))
		return -ENOMEM;
	/* Open calls may have ended in between. */
	tap_graph_forget(&fmt->graph);
	p = tap_buffer_room(&fmt->buf, (line ? line->max : 0) + TAP_LINE_FIXED_MAX);
	return p ? formatter_end_line(fmt, tap_put_window(p, fmt, line, number, info)) : -ENOMEM;
}

int tap_formatter_flush(struct tap_formatter *fmt)
{
	/* A long call must be visible before it ends. */
	return tap_graph_show(fmt) ? -ENOMEM : formatter_write(fmt);
}
