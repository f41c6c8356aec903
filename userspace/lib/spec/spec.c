// SPDX-License-Identifier: LGPL-2.1
/*
 * The spec: a probe that is wanted, its program and the names of its values.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elf_object.h"
#include "spec/ast.h"
#include "spec/probe_type.h"
#include "spec/spec.h"
#include "util/glob.h"
#include "util/util.h"
#include "util/value_names.h"

/**
 * tap_spec_span_put() - give a reference back
 * @span: may be NULL
 */
void tap_spec_span_put(struct tap_spec_span *span)
{
	unsigned int i;

	if (!span || --span->refs)
		return;
	for (i = 0; i < span->nr_open; i++)
		tap_value_names_put(span->open[i].value_names);
	free(span->open);
	free(span);
}

/**
 * tap_spec_capture_put() - give a reference back
 * @capture: may be NULL
 */
void tap_spec_capture_put(struct tap_spec_capture *capture)
{
	if (!capture || --capture->refs)
		return;
	tap_spec_free(capture->table);
	tap_spec_free(capture->entry);
	free(capture);
}

/**
 * tap_spec_clear() - free what a spec holds, not the structure itself
 * @spec: may be all zero; is all zero afterwards
 */
void tap_spec_clear(struct tap_spec *spec)
{
	unsigned int i, k;

	for (i = 0; i < spec->nr_fields; i++)
		tap_value_names_put(spec->fields[i].value_names);
	free(spec->event);
	free(spec->name);
	free(spec->wanted);
	free(spec->target);
	free(spec->ops);
	free(spec->data);
	free(spec->fields);
	free(spec->addrs);
	free(spec->armed_by);
	free(spec->untyped_retval);
	for (i = 0; i < spec->nr_aggs; i++) {
		for (k = 0; k < TAP_MAX_KEYS; k++)
			tap_value_names_put(spec->agg[i].keys[k].value_names);
		for (k = 0; k < TAP_MAX_AGGS; k++)
			tap_value_names_put(spec->agg[i].values[k].value_names);
	}
	free(spec->agg);
	if (spec->elf)
		tap_elf_put(spec->elf);
	tap_spec_span_put(spec->span);
	tap_spec_capture_put(spec->capture);
	tap_ast_free(spec->ast);
	memset(spec, 0, sizeof(*spec));
}

void tap_spec_free(struct tap_spec *spec)
{
	if (!spec)
		return;
	tap_spec_clear(spec);
	free(spec);
}

/**
 * tap_op_words() - value words that an op appends to the record
 * @op: an op
 *
 * Return: the number that the module computes as well.
 */
unsigned int tap_op_words(const struct tap_op *op)
{
	if (op->dst != TAP_OP_OUT)
		return 0;
	switch (op->code) {
	case TAP_OP_COMM:
		return TAP_COMM_LEN / 8;
	case TAP_OP_BYTES:
	case TAP_OP_BYTES_USER:
	case TAP_OP_FIELD_BYTES:
		return (op->imm + 7) / 8;
	case TAP_OP_STRING:
	case TAP_OP_STRING_USER:
	case TAP_OP_FIELD_STRING:
	case TAP_OP_DATA_LOC:
	case TAP_OP_USTACK_COPY:
		return 1 + (op->imm + 7) / 8;
	case TAP_OP_DIVISION:
		return (op->off ? TAP_COMM_LEN : sizeof(struct tap_division)) / 8;
	case TAP_OP_KSTACK:
	case TAP_OP_USTACK:
	case TAP_OP_WAIT_STACK:
		return op->size ? 1 : 1 + (unsigned int)op->imm / 8;
	case TAP_OP_JOIN:
	case TAP_OP_JOIN_USER:
	case TAP_OP_PATH:
	case TAP_OP_DENTRY:
		return 1 + ((op->imm & 0xffff) + 7) / 8;
	default:
		return 1;
	}
}

/* Value words that the records of a probe have so far; the next output begins there. */
static unsigned int spec_words(const struct tap_spec *spec)
{
	unsigned int words, i;

	words = tap_probe_is_call(spec->type) ? TAP_CALL_FETCHES : 0;
	for (i = 0; i < spec->nr_ops; i++)
		words += tap_op_words(&spec->ops[i]);
	return words;
}

/**
 * tap_spec_add_field() - append a field
 * @spec: a spec
 * @field: copied; takes another reference of its value names
 *
 * Return: 0 or -ENOMEM.
 */
int tap_spec_add_field(struct tap_spec *spec, const struct tap_field *field)
{
	struct tap_field *fields;

	fields = realloc(spec->fields,
			 (spec->nr_fields + 1) * sizeof(*fields));
	if (!fields)
		return -ENOMEM;
	spec->fields = fields;
	fields[spec->nr_fields] = *field;
	tap_value_names_get(field->value_names);
	spec->nr_fields++;
	return 0;
}

/* Appends an output and its field; sets the words of the field. */
static int add_op(struct tap_spec *spec, const struct tap_op *op,
		  const struct tap_field *field)
{
	struct tap_field placed = *field;
	struct tap_op *ops;
	int ret;

	if (spec->nr_ops >= TAP_MAX_OPS)
		return -E2BIG;
	ops = realloc(spec->ops, (spec->nr_ops + 1) * sizeof(*ops));
	if (!ops)
		return -ENOMEM;
	spec->ops = ops;
	placed.word = spec_words(spec);
	placed.words = tap_op_words(op);
	ret = tap_spec_add_field(spec, &placed);
	if (ret)
		return ret;
	ops[spec->nr_ops++] = *op;
	return 0;
}

/**
 * tap_spec_copy() - copy a spec with another target
 * @from: a spec without a program; its ast is not copied
 * @event: tap_spec_text() of the copy
 * @target: tap_spec_target() of the copy
 * @to: filled in; end it with tap_spec_clear()
 *
 * Return: 0 or -ENOMEM.
 */
int tap_spec_copy(const struct tap_spec *from, const char *event,
		  const char *target, struct tap_spec *to)
{
	*to = (struct tap_spec) {
		.type = from->type,
		.source = from->source,
		.emit = from->emit,
		.flags = from->flags,
		.maxactive = from->maxactive,
		.limit = from->limit,
		.event = strdup(event),
		.name = from->name ? strdup(from->name) : NULL,
		.wanted = strdup(from->event),
		.target = strdup(target),
		.elf = from->elf ? tap_elf_get(from->elf) : NULL,
		.pid = from->pid,
		.offset = from->offset,
		.semaphore = from->semaphore,
		.armed_by = from->armed_by ? strdup(from->armed_by) : NULL,
		.perf = from->perf,
		.frame = from->frame,
		.gate = from->gate,
	};
	if (to->event && to->target && to->wanted && !to->name == !from->name &&
	    !to->armed_by == !from->armed_by)
		return 0;
	tap_spec_clear(to);
	return -ENOMEM;
}

/**
 * tap_target_split() - split a target into its parts
 * @text: "[MODULE:]NAME[+0xOFF]" as tap_spec_parse() writes it
 * @target: filled in
 */
void tap_target_split(const char *text, struct tap_target *target)
{
	const char *colon = strchr(text, ':');
	const char *plus;
	size_t len;

	memset(target, 0, sizeof(*target));
	if (colon) {
		len = colon - text;
		if (len >= sizeof(target->module))
			len = sizeof(target->module) - 1;
		memcpy(target->module, text, len);
		text = colon + 1;
	}
	len = strcspn(text, "+");
	plus = text[len] ? text + len + 1 : NULL;
	if (len >= sizeof(target->name))
		len = sizeof(target->name) - 1;
	memcpy(target->name, text, len);
	if (plus)
		target->offset = strtoul(plus, NULL, 0);
}

int tap_spec_test(struct tap_spec *spec, enum tap_var var, __u64 imm,
		  __u64 value)
{
	const struct tap_op test[] = {
		{ .code = TAP_OP_VAR, .size = 8, .off = var, .imm = imm },
		{ .code = TAP_OP_JNE, .src = TAP_OP_IMM_SRC, .size = 8,
		  .off = TAP_OP_REJECT, .imm = value },
	};
	struct tap_op *ops;

	if (spec->nr_ops + ARRAY_SIZE(test) > TAP_MAX_OPS)
		return -E2BIG;
	ops = realloc(spec->ops, (spec->nr_ops + ARRAY_SIZE(test)) *
				 sizeof(*ops));
	if (!ops)
		return -ENOMEM;
	memmove(ops + ARRAY_SIZE(test), ops, spec->nr_ops * sizeof(*ops));
	memcpy(ops, test, sizeof(test));
	spec->ops = ops;
	spec->nr_ops += ARRAY_SIZE(test);
	return 0;
}

int tap_spec_fetch_comm(struct tap_spec *spec)
{
	static const struct tap_op op = {
		.code = TAP_OP_COMM, .dst = TAP_OP_OUT,
	};
	/* Hidden: for the COMM column. */
	static const struct tap_field field = {
		.name = "comm", .format = TAP_FMT_COMM,
		.flags = TAP_FIELD_F_HIDDEN,
	};
	unsigned int i;

	for (i = 0; i < spec->nr_fields; i++)
		if (spec->fields[i].flags & TAP_FIELD_F_HIDDEN &&
		    spec->fields[i].format == TAP_FMT_COMM)
			return 0;
	return add_op(spec, &op, &field);
}

int tap_spec_trigger(struct tap_spec *spec)
{
	static const struct tap_op op = {
		.code = TAP_OP_VAR, .dst = TAP_OP_OUT, .size = 8, .off = TAP_VAR_TRIGGER,
	};
	static const struct tap_field field = {
		.name = "trigger", .format = TAP_FMT_BOOL, .flags = TAP_FIELD_F_HIDDEN,
	};

	if (spec->type == TAP_PROBE_SPAN || spec->side)
		return -EOPNOTSUPP;
	return add_op(spec, &op, &field);
}

/**
 * tap_target_in_module() - whether a target includes a module
 * @target: its module part is empty, "vmlinux", a name or a glob
 * @module: name of the module; "" for vmlinux
 *
 * Return: true if the module part is empty or matches.
 */
bool tap_target_in_module(const struct tap_target *target, const char *module)
{
	return !*target->module ||
	       tap_glob_match(target->module, *module ? module : TAP_VMLINUX);
}
