// SPDX-License-Identifier: LGPL-2.1
/*
 * The JSON form, one object per line:
 *	{"type":"event","time":123.456789012,"time_ns":123456789012,"cpu":0,
 *	 "comm":"cat","tid":4711,"pid":4711,"event":"call:vfs_read","duration_ns":3214,"ret":3,
 *	 "args":{"fd":1},"flags":["nested"]}
 *	{"type":"lost","time":123.5,"time_ns":123500000000,"cpu":1,"lost":12,
 *	 "total":12,"since":123.4}
 * "args" separates the names that the user chose from the others. "args" and "flags"
 * are always there, "duration_ns" and "ret" only for calls. A funcgraph has "call",
 * which is "entry" or "return", and "depth". An absent value is null.
 */
#include "format/formatter.h"

static char *put_time(char *p, const struct tap_formatter *fmt,
		      const char *name, __u64 raw)
{
	p = tap_put_str(p, name);
	return tap_put_moment(p, fmt, raw);
}

static char *put_call(char *p, const struct tap_formatter *fmt,
		      const struct tap_line *line, const struct tap_event *ev)
{
	if (line->duration.field) {
		p = tap_put_str(p, ",\"duration_ns\":");
		p = tap_put_planned(p, &fmt->opts, &line->duration, ev);
	}
	if (line->retval.field) {
		p = tap_put_str(p, ",\"ret\":");
		p = tap_put_planned(p, &fmt->opts, &line->retval, ev);
	}
	return p;
}

static char *put_args(char *p, const struct tap_formatter *fmt,
		      const struct tap_line *line, const struct tap_event *ev)
{
	const struct tap_spec *spec = &ev->probe->spec;
	char *begin;
	unsigned int i;

	p = tap_put_str(p, ",\"args\":");
	begin = p;
	for (i = 0; i < line->nr_fields; i++) {
		if (spec->fields[i].flags & TAP_FIELD_F_UNSEEN)
			continue;
		if (ev->rec->flags & TAP_F_ENTRY &&
		    spec->fields[i].flags & TAP_FIELD_F_RETURN)
			continue;
		p = tap_put_piece(p, &line->fields[i].name);
		p = tap_put_planned(p, &fmt->opts, &line->fields[i].value, ev);
	}
	/* Replaces the comma at the start of the first piece. */
	*begin = '{';
	p += p == begin;
	*p++ = '}';
	return p;
}

static char *put_flags(char *p, __u32 flags)
{
	const struct tap_flag_name *f;
	const char *comma = "";

	if (!(flags & TAP_FLAGS_NAMED))
		return tap_put_str(p, ",\"flags\":[]");
	p = tap_put_str(p, ",\"flags\":[");
	for (f = tap_flag_names; f->mask; f++) {
		if (!(flags & f->mask))
			continue;
		p = tap_put_str(p, comma);
		*p++ = '"';
		p = tap_put_str(p, f->name);
		*p++ = '"';
		comma = ",";
	}
	*p++ = ']';
	return p;
}

char *tap_put_event_json(char *p, const struct tap_formatter *fmt,
			 const struct tap_line *line,
			 const struct tap_event *ev)
{
	p = tap_put_when(p, fmt, ev->time);
	p = tap_put_whom(p, fmt, ev);
	p = tap_put_event_name(p, fmt, line, ev);
	*p++ = '"';
	if (ev->probe->spec.type == TAP_PROBE_FUNCGRAPH) {
		p = tap_put_str(p, ev->rec->flags & TAP_F_ENTRY ?
				   ",\"call\":\"entry\",\"depth\":" :
				   ",\"call\":\"return\",\"depth\":");
		p = tap_put_u64(p, (__u64)fmt->depth);
	}
	if (!(ev->rec->flags & TAP_F_ENTRY))
		p = put_call(p, fmt, line, ev);
	p = put_args(p, fmt, line, ev);
	p = tap_put_more(p, fmt, ev);
	p = put_flags(p, ev->rec->flags);
	return tap_put_str(p, "}\n");
}

char *tap_put_gap_json(char *p, const struct tap_formatter *fmt,
		       const struct tap_event *ev)
{
	p = put_time(p, fmt, "{\"type\":\"lost\",\"time\":", ev->time);
	p = tap_put_moment_ns(p, fmt, ev->time);
	p = tap_put_str(p, ",\"cpu\":");
	p = tap_put_u64(p, ev->cpu);
	p = tap_put_str(p, ",\"lost\":");
	p = tap_put_u64(p, ev->rec->value[TAP_GAP_LOST]);
	p = tap_put_str(p, ",\"total\":");
	p = tap_put_u64(p, ev->rec->value[TAP_GAP_TOTAL]);
	p = put_time(p, fmt, ",\"since\":", ev->rec->value[TAP_GAP_BEGIN] +
						 (ev->time - ev->rec->time));
	return tap_put_str(p, "}\n");
}
