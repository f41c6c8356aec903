// SPDX-License-Identifier: GPL-2.0
/*
 * event: a perf counter has counted another period.
 *
 * An enabled probe is a perf counter on each online CPU. perf calls its overflow handler
 * with the registers of the interrupted code. The handler runs with preemption off, in an
 * NMI (hardware counters), in a timer interrupt (clocks), or in the event itself (page
 * faults, context switches). After synchronize_rcu() no handler runs whose counter was
 * released before.
 *
 * perf drops a software event that happens in the same context while it delivers another
 * one, and throttles counters that exceed perf_event_max_sample_rate. It counts neither.
 */
#include <linux/kprobes.h>
#include <linux/perf_event.h>
#include <asm/irq_regs.h>

#include "exec/handler.h"
#include "perf/percpu_counter.h"
#include "probes/probes.h"

/**
 * struct tap_perf_sample - a probe that samples a counter
 * @probe: the common part
 * @set: the counters, whose handler is tap_perf_sample_overflow()
 */
struct tap_perf_sample {
	struct tapmod_probe probe;
	struct tap_perf_set set;
};

static struct tap_perf_sample *to_tap_perf_sample(const struct tapmod_probe *probe)
{
	return container_of(probe, struct tap_perf_sample, probe);
}

/*
 * What the sample's own interrupt added to preempt_count. A software event raises no NMI,
 * but may happen in one.
 */
static unsigned int tap_perf_sample_trap(const struct perf_event *counter,
					 const struct pt_regs *regs)
{
	if (in_nmi())
		return counter->attr.type == PERF_TYPE_SOFTWARE ? 0 :
		       NMI_OFFSET + HARDIRQ_OFFSET;
	return in_hardirq() && regs == get_irq_regs() ? HARDIRQ_OFFSET : 0;
}
NOKPROBE_SYMBOL(tap_perf_sample_trap);

static void tap_perf_sample_overflow(struct perf_event *counter,
				     struct perf_sample_data *data,
				     struct pt_regs *regs)
{
	struct tap_perf_sample *event = counter->overflow_handler_context;
	struct tap_sample sample = {
		.ip = instruction_pointer(regs),
		.period = data->period,
		.addr = tap_sample_addr(data),
	};

	tap_event_sample(&event->probe, &sample, sizeof(sample), regs,
			 tap_perf_sample_trap(counter, regs));
}
NOKPROBE_SYMBOL(tap_perf_sample_overflow);

static int tap_perf_sample_parse(struct tapmod_probe *probe, char *target,
				 struct tap_program_env *env)
{
	env->event_size = sizeof(struct tap_sample);
	env->sample = true;
	return 0;
}

/*
 * Branches with a period of 1: on Intel the kernel then uses the branch trace store, which
 * calls no handler.
 */
static bool tap_perf_sample_is_bts(const struct tap_perf *perf)
{
	return perf->type == PERF_TYPE_HARDWARE &&
	       perf->config == PERF_COUNT_HW_BRANCH_INSTRUCTIONS &&
	       perf->period == 1 && !(perf->flags & TAP_PERF_F_FREQUENCY);
}

static int tap_perf_sample_attach(struct tapmod_probe *probe,
				  const struct tap_create *create)
{
	struct tap_perf_sample *event = to_tap_perf_sample(probe);
	struct perf_event_attr attr;
	struct tap_perf perf;
	int ret;

	ret = tap_perf_copy(&perf, create->perf);
	if (ret)
		return ret;
	if (!perf.period || perf.flags & TAP_PERF_F_ON_EXEC ||
	    tap_perf_sample_is_bts(&perf))
		return -EINVAL;
	ret = tap_perf_attr(&attr, &perf);
	if (ret)
		return ret;
	/*
	 * Else Intel's driver buffers precise samples (large PEBS), and calls the handler only
	 * for the last one of a full buffer.
	 */
	attr.wakeup_events = 1;
	ret = tap_perf_set_init(&event->set, &attr, tap_perf_sample_overflow, event);
	if (ret)
		return ret;
	ret = tap_perf_set_try(&event->set);
	if (ret)
		tap_perf_set_free(&event->set);
	return ret;
}

static int tap_perf_sample_enable(struct tapmod_probe *probe)
{
	return tap_perf_set_arm(&to_tap_perf_sample(probe)->set);
}

static void tap_perf_sample_disable(struct tapmod_probe *probe)
{
	tap_perf_set_disarm(&to_tap_perf_sample(probe)->set);
}

static void tap_perf_sample_detach(struct tapmod_probe **probes, unsigned int nr)
{
	while (nr--)
		tap_perf_set_free(&to_tap_perf_sample(probes[nr])->set);
}

const struct tap_probe_ops tap_perf_sample_ops = {
	.size		= sizeof(struct tap_perf_sample),
	.feature	= TAP_FEATURE_PERF,
	.perf		= true,
	.parse		= tap_perf_sample_parse,
	.attach		= tap_perf_sample_attach,
	.enable		= tap_perf_sample_enable,
	.disable	= tap_perf_sample_disable,
	.sync		= TAP_SYNC_RCU,
	.detach		= tap_perf_sample_detach,
};
