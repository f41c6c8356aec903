// SPDX-License-Identifier: GPL-2.0
/*
 * tracepoint, through perf: an enabled probe is a perf counter on each online CPU, whose
 * overflow handler gets the event's data. For events whose code tracepoint_direct.c cannot
 * call: those of single system calls, dynamic events, and all where the kernel has CFI.
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

#include "exec/handler.h"
#include "probes/tracepoint_perf.h"

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

/**
 * tap_tracepoint_perf_attach() - prepare the counters of a probe; enabling creates them
 * @tp: has its event
 *
 * Context: process, may sleep, under the session's lock.
 * Return: 0 or -ENOMEM.
 */
int tap_tracepoint_perf_attach(struct tapmod_tracepoint *tp)
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
				 tp->probe.prog.tested || tp->probe.shape == TAP_SHAPE_ANY ?
				 tap_tracepoint_program : tap_tracepoint_shaped,
				 tp);
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

static void tap_tracepoint_perf_free(struct tapmod_probe *probe)
{
	struct tapmod_tracepoint *tp = to_tap_tracepoint(probe);

	trace_put_event_file(tp->file);
	tap_perf_set_free(&tp->set);
}

const struct tap_probe_ops tap_tracepoint_perf_ops = {
	.enable		= tap_tracepoint_enable,
	.disable	= tap_tracepoint_disable,
	.look		= tap_tracepoint_look,
	.missed		= tap_tracepoint_missed,
	.sync		= TAP_SYNC_RCU,
	.detach		= tap_tracepoint_detach,
	.free		= tap_tracepoint_perf_free,
};
