// SPDX-License-Identifier: GPL-2.0
/*
 * tracepoint: a tracepoint with the fields of its trace event, as tracefs describes them.
 *
 * Only the event's own code can fill in its fields. tracepoint_direct.c calls that code
 * from a handler of the tracepoint; where that is not possible, tracepoint_perf.c lets perf
 * call it. Which way a probe takes is decided when it is attached.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "exec/stacktrace.h"
#include "probes/probes.h"
#include "probes/tracepoint_direct.h"
#include "probes/tracepoint_perf.h"

/* Gets a reference to the event, which pins its module. */
static struct trace_event_file *tap_tracepoint_get(struct tapmod_tracepoint *tp)
{
	struct trace_event_file *file;

	file = trace_get_event_file(NULL, tp->system, tp->name);
	/* Other errors also mean that the event does not exist, or is being removed. */
	return IS_ERR(file) ? ERR_PTR(-ENOENT) : file;
}

/*
 * The smallest size of the event's data. Events of system calls and dynamic events define
 * their fields at run time; for them this returns perf's limit, and @need decides. Sets
 * *@loc if a field that describes variable data (__data_loc) is at offset @off.
 */
static u32 tap_tracepoint_size(const struct trace_event_call *call, s32 off, bool *loc)
{
	const struct trace_event_fields *field = call->class->fields_array;
	u32 size = sizeof(struct trace_entry);

	for (; field && field->type; field++) {
		if (field->type == TRACE_FUNCTION_TYPE)
			return PERF_MAX_TRACE_SIZE;
		size = ALIGN(size, field->align);
		if (size == off && strstarts(field->type, "__data_loc "))
			*loc = true;
		size += field->size;
	}
	return field ? size : PERF_MAX_TRACE_SIZE;
}

/* End of the event data that a verified op reads. */
static u32 tap_tracepoint_op_end(const struct tap_op *op)
{
	switch (op->code) {
	case TAP_OP_FIELD:
		return op->off + (op->size & ~TAP_OP_SIGNED);
	case TAP_OP_MATCH_FIELD:
		return op->off + ((op->imm >> 32) & U16_MAX);
	case TAP_OP_FIELD_BYTES:
	case TAP_OP_FIELD_STRING:
		return op->off + op->imm;
	case TAP_OP_DATA_LOC:
	case TAP_OP_MATCH_DATA_LOC:
		return op->off + sizeof(u32);
	default:
		return 0;
	}
}

static int tap_tracepoint_parse(struct tapmod_probe *probe, char *target,
				struct tap_program_env *env)
{
	struct tapmod_tracepoint *tp = to_tap_tracepoint(probe);
	char *colon = strchr(target, ':');
	struct trace_event_file *file;
	bool loc;

	if (!colon || colon == target || !colon[1] || strchr(colon + 1, ':'))
		return -EINVAL;
	*colon = 0;
	tp->system = target;
	tp->name = colon + 1;
	file = tap_tracepoint_get(tp);
	if (IS_ERR(file))
		return PTR_ERR(file);
	env->event_size = tap_tracepoint_size(file->event_call, 0, &loc);
	trace_put_event_file(file);
	return 0;
}

/*
 * Whether the size of all that the program reads is known: the event has fixed fields, and
 * descriptions of variable data are where the event puts them. Else only perf knows it. The
 * event may have been replaced since ->parse().
 */
static bool tap_tracepoint_sized(const struct tapmod_tracepoint *tp)
{
	const struct tap_program *prog = &tp->probe.prog;
	const struct trace_event_call *call = tp->file->event_call;
	u32 size = tap_tracepoint_size(call, 0, &(bool){ false });
	unsigned int i;

	if (size == PERF_MAX_TRACE_SIZE || tp->need > size)
		return false;
	for (i = 0; i < prog->nr_ops; i++) {
		const struct tap_op *op = &prog->ops[i];
		bool loc = false;

		if (op->code != TAP_OP_DATA_LOC && op->code != TAP_OP_MATCH_DATA_LOC)
			continue;
		tap_tracepoint_size(call, op->off, &loc);
		if (!loc)
			return false;
	}
	return true;
}

static int tap_tracepoint_attach(struct tapmod_probe *probe,
				 const struct tap_create *create)
{
	struct tapmod_tracepoint *tp = to_tap_tracepoint(probe);
	const struct trace_event_call *call;
	unsigned int i;
	int ret;

	for (i = 0; i < probe->prog.nr_ops; i++)
		tp->need = max(tp->need,
			       tap_tracepoint_op_end(&probe->prog.ops[i]));
	tp->file = tap_tracepoint_get(tp);
	if (IS_ERR(tp->file))
		return PTR_ERR(tp->file);
	call = tp->file->event_call;
	/* Dynamic events, and events of single system calls, have no tracepoint. */
	if (call->flags & TRACE_EVENT_FL_TRACEPOINT)
		tap_stack_tp_iter(&probe->tp_iters[0], call->tp->iterator);
	else
		tap_stack_tp_iter(&probe->tp_iters[0], perf_tp_event);
	if (tap_tracepoint_sized(tp) && tap_direct_attach(tp)) {
		probe->ops = &tap_tracepoint_direct_ops;
		return 0;
	}
	ret = tap_tracepoint_perf_attach(tp);
	if (ret) {
		trace_put_event_file(tp->file);
		return ret;
	}
	probe->ops = &tap_tracepoint_perf_ops;
	return 0;
}

/**
 * tap_tracepoint_detach() - nothing is left to do after ->disable()
 * @probes: of any way
 * @nr: length of @probes
 *
 * A handler may run until the caller has waited, so ->free() releases what it uses. A session
 * detaches all probes of a type by one call, whatever way they take.
 *
 * Context: process.
 */
void tap_tracepoint_detach(struct tapmod_probe **probes, unsigned int nr)
{
}

const struct tap_probe_ops tap_tracepoint_ops = {
	.size		= sizeof(struct tapmod_tracepoint),
	.feature	= TAP_FEATURE_TRACEPOINT,
	.parse		= tap_tracepoint_parse,
	.attach		= tap_tracepoint_attach,
	.detach		= tap_tracepoint_detach,
};
