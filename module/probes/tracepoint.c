// SPDX-License-Identifier: GPL-2.0
/*
 * tracepoint: a tracepoint with the fields of its trace event, as tracefs describes them.
 *
 * Only the event's own code can fill in its fields, and perf runs that code. So an enabled
 * probe is a perf counter on each online CPU, whose overflow handler gets the event's data.
 *
 * perf drops an event that happens in the same context (task, softirq, interrupt, NMI)
 * while it delivers another one, and does not count it. perf also drops an event without
 * counting it if a BPF program that is attached to the same event returns 0: such programs
 * are noticed, see tap_tracepoint_look().
 *
 * The handler runs with preemption off: after synchronize_rcu() no handler runs whose
 * counter was released before.
 */
#include <linux/kprobes.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>

#include "exec/handler.h"
#include "exec/stacktrace.h"
#include "perf/percpu_counter.h"
#include "probes/probes.h"

/**
 * struct tapmod_tracepoint - a probe of a trace event
 * @probe: the common part
 * @system: subsystem of the event
 * @name: name of the event in @system
 * @need: bytes of event data that the program reads, counted from the start
 * @file: the event, from attach to detach; the reference pins its module
 * @bpf: a BPF program was seen at the event while the probe was enabled. Written under the
 *	session's lock, and at the end of the session, when no other task uses it
 * @set: the counters, whose handler gets the event data
 */
struct tapmod_tracepoint {
	struct tapmod_probe probe;
	const char *system;
	const char *name;
	u32 need;
	bool bpf;
	struct trace_event_file *file;
	struct tap_perf_set set;
};

static struct tapmod_tracepoint *to_tap_tracepoint(const struct tapmod_probe *probe)
{
	return container_of(probe, struct tapmod_tracepoint, probe);
}

/* Whether an event has the bytes that the program reads: some events vary in length. */
static __always_inline bool tap_tracepoint_fits(const struct tapmod_tracepoint *tp,
						const struct perf_raw_frag *frag)
{
	if (likely(frag->size >= tp->need))
		return true;
	this_cpu_inc(tp->probe.counters->hits);
	this_cpu_inc(tp->probe.counters->lost_fault);
	return false;
}

/* The handler for all programs. perf calls it with preemption off, in any context. */
static void tap_tracepoint_program(struct perf_event *counter,
				   struct perf_sample_data *data,
				   struct pt_regs *regs)
{
	struct tapmod_tracepoint *tp = counter->overflow_handler_context;
	const struct perf_raw_frag *frag = &data->raw->frag;

	if (tap_tracepoint_fits(tp, frag))
		tap_event_sample(&tp->probe, frag->data, frag->size, regs, 0);
}
NOKPROBE_SYMBOL(tap_tracepoint_program);

/*
 * The handler for plain probes, which record no stack and so do not need @regs. There is
 * no handler for each shape: perf takes ten times as long as the rest.
 */
static void tap_tracepoint_shaped(struct perf_event *counter,
				  struct perf_sample_data *data,
				  struct pt_regs *regs)
{
	struct tapmod_tracepoint *tp = counter->overflow_handler_context;
	const struct perf_raw_frag *frag = &data->raw->frag;

	if (tap_tracepoint_fits(tp, frag) &&
	    !tap_event_shaped(&tp->probe, frag->data, tp->probe.shape, 0, false))
		tap_event_sample(&tp->probe, frag->data, frag->size, NULL, 0);
}
NOKPROBE_SYMBOL(tap_tracepoint_shaped);

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
 * their fields at run time; for them this returns perf's limit, and @need decides.
 */
static u32 tap_tracepoint_size(const struct trace_event_call *call)
{
	const struct trace_event_fields *field = call->class->fields_array;
	u32 size = sizeof(struct trace_entry);

	for (; field && field->type; field++) {
		if (field->type == TRACE_FUNCTION_TYPE)
			return PERF_MAX_TRACE_SIZE;
		size = ALIGN(size, field->align) + field->size;
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

	if (!colon || colon == target || !colon[1] || strchr(colon + 1, ':'))
		return -EINVAL;
	*colon = 0;
	tp->system = target;
	tp->name = colon + 1;
	file = tap_tracepoint_get(tp);
	if (IS_ERR(file))
		return PTR_ERR(file);
	env->event_size = tap_tracepoint_size(file->event_call);
	trace_put_event_file(file);
	return 0;
}

/* Prepares the counters; they are created at enable. */
static int tap_tracepoint_count(struct tapmod_tracepoint *tp)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_TRACEPOINT,
		.size		= sizeof(attr),
		.config		= tp->file->event_call->event.type,
		.sample_period	= 1,
		/*
		 * With PERF_SAMPLE_PERIOD an event is one overflow. Without it an event with a
		 * weight (nanoseconds of run time) overflows as many times as its weight.
		 */
		.sample_type	= PERF_SAMPLE_RAW | PERF_SAMPLE_PERIOD,
	};

	return tap_perf_set_init(&tp->set, &attr,
				 tap_probe_shape(&tp->probe) == TAP_SHAPE_ANY ?
				 tap_tracepoint_program : tap_tracepoint_shaped,
				 tp);
}

/* The event may have been replaced since ->parse(): the handler compares with @need. */
static int tap_tracepoint_attach(struct tapmod_probe *probe,
				 const struct tap_create *create)
{
	struct tapmod_tracepoint *tp = to_tap_tracepoint(probe);
	unsigned int i;
	int ret;

	for (i = 0; i < probe->prog.nr_ops; i++)
		tp->need = max(tp->need,
			       tap_tracepoint_op_end(&probe->prog.ops[i]));
	tp->file = tap_tracepoint_get(tp);
	if (IS_ERR(tp->file))
		return PTR_ERR(tp->file);
	ret = tap_tracepoint_count(tp);
	if (ret) {
		trace_put_event_file(tp->file);
		return ret;
	}
	/* Dynamic events, and events of single system calls, have no tracepoint. */
	if (tp->file->event_call->flags & TRACE_EVENT_FL_TRACEPOINT)
		tap_stack_tp_iter(&probe->tp_iters[0],
				  tp->file->event_call->tp->iterator);
	else
		tap_stack_tp_iter(&probe->tp_iters[0], perf_tp_event);
	return 0;
}

/*
 * Notes whether BPF programs are attached to the event. Their attaching has no callback: one
 * that is attached and detached between two calls is not seen.
 */
static void tap_tracepoint_look(struct tapmod_probe *probe)
{
	struct tapmod_tracepoint *tp = to_tap_tracepoint(probe);

	if (bpf_prog_array_valid(tp->file->event_call))
		tp->bpf = true;
}

static int tap_tracepoint_enable(struct tapmod_probe *probe)
{
	int ret = tap_perf_set_arm(&to_tap_tracepoint(probe)->set);

	if (!ret)
		tap_tracepoint_look(probe);
	return ret;
}

static void tap_tracepoint_missed(const struct tapmod_probe *probe, struct tap_stats *stats)
{
	const struct tapmod_tracepoint *tp = to_tap_tracepoint(probe);

	if (tp->bpf || (probe->enabled && bpf_prog_array_valid(tp->file->event_call)))
		stats->out_flags |= TAP_STATS_F_BPF;
}

static void tap_tracepoint_disable(struct tapmod_probe *probe)
{
	tap_tracepoint_look(probe);
	tap_perf_set_disarm(&to_tap_tracepoint(probe)->set);
}

static void tap_tracepoint_detach(struct tapmod_probe **probes, unsigned int nr)
{
	while (nr--) {
		struct tapmod_tracepoint *tp = to_tap_tracepoint(probes[nr]);

		trace_put_event_file(tp->file);
		tap_perf_set_free(&tp->set);
	}
}

const struct tap_probe_ops tap_tracepoint_ops = {
	.size		= sizeof(struct tapmod_tracepoint),
	.feature	= TAP_FEATURE_TRACEPOINT,
	.parse		= tap_tracepoint_parse,
	.attach		= tap_tracepoint_attach,
	.enable		= tap_tracepoint_enable,
	.disable	= tap_tracepoint_disable,
	.look		= tap_tracepoint_look,
	.missed		= tap_tracepoint_missed,
	.sync		= TAP_SYNC_RCU,
	.detach		= tap_tracepoint_detach,
};
