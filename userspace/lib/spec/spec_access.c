// SPDX-License-Identifier: LGPL-2.1
/*
 * The members of a spec, for callers of the library.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elf_object.h"
#include "spec/ast.h"
#include "spec/probe_type.h"
#include "spec/spec.h"
#include "util/value_names.h"

int tap_spec_new_counter(struct tap_spec **out, const char *name,
			 const struct tap_perf *perf, __u32 pid)
{
	struct tap_spec *spec = calloc(1, sizeof(*spec));

	if (!spec)
		return -ENOMEM;
	*spec = (struct tap_spec) {
		.type = TAP_PROBE_COUNT,
		.target = strndup(name, TAP_MAX_TARGET - 1),
		.event = strdup(name),
		.pid = pid,
		.perf = *perf,
	};
	if (!spec->target || !spec->event) {
		tap_spec_free(spec);
		return -ENOMEM;
	}
	*out = spec;
	return 0;
}

void tap_spec_list_free(struct tap_spec **list, size_t nr)
{
	size_t i;

	for (i = 0; list && i < nr; i++)
		tap_spec_free(list[i]);
	free(list);
}

enum tap_probe_type tap_spec_type(const struct tap_spec *spec)
{
	return spec->type;
}

const char *tap_spec_event(const struct tap_spec *spec)
{
	return spec->name ? spec->name : spec->event;
}

const char *tap_spec_name(const struct tap_spec *spec)
{
	return spec->name;
}

int tap_spec_set_name(struct tap_spec *spec, const char *name)
{
	if (spec->name)
		return -EEXIST;
	spec->name = strdup(name);
	return spec->name ? 0 : -ENOMEM;
}

const char *tap_spec_text(const struct tap_spec *spec)
{
	return spec->event;
}

const char *tap_spec_wanted(const struct tap_spec *spec)
{
	return spec->wanted ? spec->wanted : spec->event;
}

const char *tap_spec_target(const struct tap_spec *spec)
{
	return spec->target;
}

const char *tap_spec_armed_by(const struct tap_spec *spec)
{
	return spec->armed_by;
}

/* A file has no @source: the text of such an event does not begin with its type. */
static bool has_places(const struct tap_spec *spec)
{
	const char *type = tap_spec_type_name(spec->type);

	return tap_probe_is_user(spec->type) ||
	       (spec->type == TAP_PROBE_KPROBE && strncmp(spec->event, type, strlen(type)));
}

bool tap_spec_same_event(const struct tap_spec *a, const struct tap_spec *b)
{
	if (a->type != b->type || !a->name != !b->name)
		return false;
	return a->name ? !strcmp(a->name, b->name) :
			 has_places(a) && !strcmp(a->event, b->event);
}

unsigned int tap_spec_nr_fields(const struct tap_spec *spec)
{
	return spec->nr_fields;
}

const struct tap_field *tap_spec_field(const struct tap_spec *spec,
				       unsigned int i)
{
	return i < spec->nr_fields ? &spec->fields[i] : NULL;
}

bool tap_spec_is_counter(const struct tap_spec *spec, const struct tap_field *field)
{
	unsigned int i, output = 0;

	/* The fields that only the library needs have the number of another output. */
	if (field->flags & (TAP_FIELD_F_HIDDEN | TAP_FIELD_F_ABSENT))
		return false;
	for (i = 0; i < spec->nr_ops; i++)
		if (spec->ops[i].dst == TAP_OP_OUT && output++ == field->output)
			return spec->ops[i].code == TAP_OP_PMU;
	return false;
}

bool tap_spec_aggregates(const struct tap_spec *spec)
{
	return spec->agg || (spec->ast && spec->ast->nr_tables);
}

unsigned int tap_spec_nr_aggregations(const struct tap_spec *spec)
{
	return spec->nr_aggs;
}

__u32 tap_spec_flags(const struct tap_spec *spec)
{
	return spec->flags;
}

const char *tap_spec_untyped_retval(const struct tap_spec *spec)
{
	return spec->untyped_retval;
}

/* Processors that can only count the events of a watchpoint take no program for one. */
static void drop_outputs(struct tap_spec *spec)
{
	unsigned int i;

	for (i = 0; i < spec->nr_ops; i++)
		if (spec->ops[i].code >= TAP_OP_JUMP && spec->ops[i].code <= TAP_OP_JSET)
			return;
	for (i = 0; i < spec->nr_fields; i++)
		tap_value_names_put(spec->fields[i].value_names);
	spec->nr_fields = 0;
	spec->nr_ops = 0;
}

void tap_spec_set_flags(struct tap_spec *spec, __u32 flags)
{
	if (flags & TAP_CREATE_F_COUNT && spec->type == TAP_PROBE_WATCHPOINT)
		drop_outputs(spec);
	spec->flags = flags;
}

void tap_spec_set_entries(struct tap_spec *spec, __u32 entries)
{
	if (spec->ast && spec->ast->span)
		spec->ast->span->entries = entries;
}

const struct tap_field *tap_spec_open_field(const struct tap_spec *spec, unsigned int i)
{
	return spec->span && i < spec->span->nr_open ? &spec->span->open[i] : NULL;
}

__u32 tap_spec_capture(const struct tap_spec *spec)
{
	return spec->capture ? spec->capture->table->span->id : 0;
}

unsigned int tap_spec_open_keys(const struct tap_spec *spec)
{
	return spec->span ? spec->span->nr_open_keys : 0;
}

enum tap_span_side tap_spec_side(const struct tap_spec *spec)
{
	return spec->side;
}

void tap_spec_set_pid(struct tap_spec *spec, __u32 pid)
{
	struct tap_span_text *span = spec->ast ? spec->ast->span : NULL;

	if (span) {
		tap_spec_set_pid(span->side[0], pid);
		tap_spec_set_pid(span->side[1], pid);
	} else if (tap_probe_is_user(spec->type)) {
		spec->pid = pid;
	}
}

__u32 tap_spec_maxactive(const struct tap_spec *spec)
{
	return spec->maxactive;
}

void tap_spec_set_maxactive(struct tap_spec *spec, __u32 maxactive)
{
	spec->maxactive = maxactive;
}

void tap_spec_set_limit(struct tap_spec *spec, __u32 limit)
{
	spec->limit = limit;
}

const char *tap_spec_file(const struct tap_spec *spec)
{
	return spec->elf ? tap_elf_path(spec->elf) : NULL;
}

bool tap_spec_file_replaced(const struct tap_spec *spec)
{
	return spec->elf && tap_elf_replaced(spec->elf);
}

bool tap_spec_needs_symbols(const struct tap_spec *spec)
{
	if (spec->source || spec->emit)
		return false;
	switch (spec->type) {
	case TAP_PROBE_EVENT:
	case TAP_PROBE_MARK:
	case TAP_PROBE_SYSCALL:
	case TAP_PROBE_TRACEPOINT:
	case TAP_PROBE_WATCHPOINT:
		return false;
	case TAP_PROBE_SPAN:
		return spec->ast && (tap_spec_needs_symbols(spec->ast->span->side[0]) ||
				     tap_spec_needs_symbols(spec->ast->span->side[1]));
	default:
		return !tap_probe_is_user(spec->type);
	}
}

void tap_spec_set_gate(struct tap_spec *spec, enum tap_gate_step step)
{
	spec->gate = step;
}
