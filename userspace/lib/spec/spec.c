// SPDX-License-Identifier: LGPL-2.1
/*
 * The spec: a probe that is wanted, its program and the names of its values.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "spec/ast.h"
#include "elf/elf_object.h"
#include "util/glob.h"
#include "util/value_names.h"
#include "spec/spec.h"

/**
 * tap_probe_is_call() - whether its records begin with the words of a call
 * @type: event source
 *
 * Return: true for call, syscall, ucall and funcgraph.
 */
bool tap_probe_is_call(enum tap_probe_type type)
{
	return type == TAP_PROBE_CALL || type == TAP_PROBE_SYSCALL ||
	       type == TAP_PROBE_UCALL || type == TAP_PROBE_FUNCGRAPH;
}

/**
 * tap_probe_is_return() - whether it sees the return of a function alone
 * @type: event source
 *
 * Return: true for kretprobe and uretprobe.
 */
bool tap_probe_is_return(enum tap_probe_type type)
{
	return type == TAP_PROBE_KRETPROBE || type == TAP_PROBE_URETPROBE;
}

/**
 * tap_probe_is_user() - whether it is in a program, not in the kernel
 * @type: event source
 *
 * Return: true for uprobe, uretprobe, ucall and usdt.
 */
bool tap_probe_is_user(enum tap_probe_type type)
{
	return type == TAP_PROBE_UPROBE || type == TAP_PROBE_URETPROBE ||
	       type == TAP_PROBE_UCALL || type == TAP_PROBE_USDT;
}

/**
 * tap_spec_glob() - whether what was asked for may be several targets
 * @spec: of tap_spec_parse()
 *
 * Return: true if its target is a glob.
 */
bool tap_spec_glob(const struct tap_spec *spec)
{
	struct tap_user_target target;

	if (spec->type == TAP_PROBE_EVENT || spec->type == TAP_PROBE_MARK)
		return false;
	if (!tap_probe_is_user(spec->type))
		return tap_glob_is(spec->target);
	tap_user_target_split(spec->type, (struct tap_token) {
		spec->target, strlen(spec->target) }, &target);
	return tap_user_target_glob(&target);
}

/**
 * tap_spec_same_event() - whether two probes are places of one event
 * @a: a probe
 * @b: another
 *
 * Functions of one name, or places of one USDT probe.
 *
 * Return: true if what they count is shown as one.
 */
bool tap_spec_same_event(const struct tap_spec *a, const struct tap_spec *b)
{
	return a->type == b->type && tap_probe_is_user(a->type) &&
	       !strcmp(a->event, b->event);
}

/**
 * tap_spec_type_name() - how a type is written in a spec
 * @type: event source
 *
 * Return: e.g. "kprobe".
 */
const char *tap_spec_type_name(enum tap_probe_type type)
{
	switch (type) {
	case TAP_PROBE_KPROBE:
		return "kprobe";
	case TAP_PROBE_KRETPROBE:
		return "kretprobe";
	case TAP_PROBE_CALL:
		return "call";
	case TAP_PROBE_RAWTP:
		return "rawtracepoint";
	case TAP_PROBE_TRACEPOINT:
		return "tracepoint";
	case TAP_PROBE_SYSCALL:
		return "syscall";
	case TAP_PROBE_UPROBE:
		return "uprobe";
	case TAP_PROBE_URETPROBE:
		return "uretprobe";
	case TAP_PROBE_UCALL:
		return "ucall";
	case TAP_PROBE_USDT:
		return "usdt";
	case TAP_PROBE_EVENT:
		return "event";
	case TAP_PROBE_WATCHPOINT:
		return "watchpoint";
	case TAP_PROBE_COUNT:
		return "count";
	case TAP_PROBE_MARK:
		return "mark";
	case TAP_PROBE_FUNC:
		return "func";
	case TAP_PROBE_FUNCGRAPH:
		return "funcgraph";
	}
	return "?";
}

void tap_spec_free(struct tap_spec *spec)
{
	unsigned int i;

	if (!spec)
		return;
	for (i = 0; i < spec->nr_fields; i++)
		tap_value_names_put(spec->fields[i].labels);
	free(spec->event);
	free(spec->target);
	free(spec->ops);
	free(spec->data);
	free(spec->fields);
	free(spec->addrs);
	if (spec->agg) {
		for (i = 0; i < TAP_MAX_KEYS; i++)
			tap_value_names_put(spec->agg->keys[i].labels);
		for (i = 0; i < TAP_MAX_AGGS; i++)
			tap_value_names_put(spec->agg->values[i].labels);
	}
	free(spec->agg);
	if (spec->elf)
		tap_elf_put(spec->elf);
	tap_ast_free(spec->ast);
	memset(spec, 0, sizeof(*spec));
}

/**
 * tap_op_words() - value words that a step appends to the record
 * @op: a step
 *
 * Return: as many as the kernel counts.
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
	case TAP_OP_KSTACK:
	case TAP_OP_USTACK:
		return 1 + (op->imm + 7) / 8;
	default:
		return 1;
	}
}

/**
 * tap_spec_words() - how many value words its records have so far
 * @spec: a spec
 *
 * Return: the number; the next fetch begins there.
 */
unsigned int tap_spec_words(const struct tap_spec *spec)
{
	unsigned int words, i;

	words = tap_probe_is_call(spec->type) ? TAP_CALL_FETCHES : 0;
	for (i = 0; i < spec->nr_ops; i++)
		words += tap_op_words(&spec->ops[i]);
	return words;
}

/**
 * tap_spec_add_field() - name words of the record
 * @spec: a spec
 * @field: copied
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
	tap_value_names_get(field->labels);
	spec->nr_fields++;
	return 0;
}

/**
 * tap_spec_add_op() - append an output
 * @spec: a spec
 * @op: copied
 * @field: the name of its value; copied, and its place is filled in
 *
 * Return: 0, -ENOMEM, or -E2BIG if the program is full.
 */
int tap_spec_add_op(struct tap_spec *spec, const struct tap_op *op,
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
	placed.word = tap_spec_words(spec);
	placed.words = tap_op_words(op);
	ret = tap_spec_add_field(spec, &placed);
	if (ret)
		return ret;
	ops[spec->nr_ops++] = *op;
	return 0;
}

/**
 * tap_spec_copy() - copy a spec with another target
 * @from: a spec, which has no program yet
 * @event: of the copy
 * @target: of the copy
 * @to: filled in
 *
 * Return: 0 or -ENOMEM.
 */
int tap_spec_copy(const struct tap_spec *from, const char *event,
		  const char *target, struct tap_spec *to)
{
	*to = (struct tap_spec) {
		.type = from->type,
		.flags = from->flags,
		.maxactive = from->maxactive,
		.limit = from->limit,
		.event = strdup(event),
		.target = strdup(target),
		.elf = from->elf ? tap_elf_get(from->elf) : NULL,
		.pid = from->pid,
		.offset = from->offset,
		.semaphore = from->semaphore,
		.perf = from->perf,
	};
	if (to->event && to->target)
		return 0;
	tap_spec_free(to);
	return -ENOMEM;
}

/**
 * tap_target_split() - take a target apart
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
