// SPDX-License-Identifier: GPL-2.0
/*
 * event: a counter of the processor or of the kernel has counted so many again.
 *
 * An enabled probe is a perf counter on each CPU that is online, whose overflow
 * handler is given the registers of what it came upon. It is called with
 * preemption off, from an NMI (counters of the processor), a timer's interrupt
 * (the clocks) or the event itself (faults, switches); after synchronize_rcu()
 * none runs whose counter was released before.
 *
 * What perf sees of the kernel's own events while it hands out another one in the
 * same context it drops, and what comes too fast (perf_event_max_sample_rate) it
 * holds back; it counts neither.
 */
#include <linux/kprobes.h>
#include <linux/perf_event.h>
#include <asm/irq_regs.h>

#include "exec/handler.h"
#include "perf/percpu_counter.h"

/**
 * struct tap_event - a probe of a counter
 * @probe: see there
 * @set: the counters
 */
struct tap_event {
	struct tap_probe probe;
	struct tap_perf_set set;
};

static struct tap_event *to_tap_event(const struct tap_probe *probe)
{
	return container_of(probe, struct tap_event, probe);
}

/*
 * What the sample's own interrupt added to the preempt count. The kernel's own
 * events come by no NMI: they may happen in one.
 */
static unsigned int tap_event_trap(const struct perf_event *counter,
				   const struct pt_regs *regs)
{
	if (in_nmi())
		return counter->attr.type == PERF_TYPE_SOFTWARE ? 0 :
		       NMI_OFFSET + HARDIRQ_OFFSET;
	return in_hardirq() && regs == get_irq_regs() ? HARDIRQ_OFFSET : 0;
}
NOKPROBE_SYMBOL(tap_event_trap);

static void tap_event_overflow(struct perf_event *counter,
			       struct perf_sample_data *data,
			       struct pt_regs *regs)
{
	struct tap_event *event = counter->overflow_handler_context;
	struct tap_sample sample = {
		.ip = instruction_pointer(regs),
		.period = data->period,
		.addr = tap_sample_addr(data),
	};

	tap_hit_event(&event->probe, &sample, sizeof(sample), regs,
		      tap_event_trap(counter, regs));
}
NOKPROBE_SYMBOL(tap_event_overflow);

static int tap_event_parse(struct tap_probe *probe, char *target,
			   struct tap_program_env *env)
{
	env->event_size = sizeof(struct tap_sample);
	env->sample = true;
	return 0;
}

static int tap_event_attach(struct tap_probe *probe,
			    const struct tap_create *create)
{
	struct tap_event *event = to_tap_event(probe);
	struct perf_event_attr attr;
	struct tap_perf perf;
	int ret;

	ret = tap_perf_copy(&perf, create->perf);
	if (ret)
		return ret;
	if (!perf.period || perf.flags & TAP_PERF_F_ON_EXEC)
		return -EINVAL;
	ret = tap_perf_attr(&attr, &perf);
	if (ret)
		return ret;
	ret = tap_perf_set_init(&event->set, &attr, tap_event_overflow, event);
	if (ret)
		return ret;
	ret = tap_perf_set_try(&event->set);
	if (ret)
		tap_perf_set_free(&event->set);
	return ret;
}

static int tap_event_enable(struct tap_probe *probe)
{
	return tap_perf_set_arm(&to_tap_event(probe)->set);
}

static void tap_event_disable(struct tap_probe *probe)
{
	tap_perf_set_disarm(&to_tap_event(probe)->set);
}

static void tap_event_detach(struct tap_probe **probes, unsigned int nr)
{
	while (nr--)
		tap_perf_set_free(&to_tap_event(probes[nr])->set);
}

const struct tap_probe_ops tap_event_ops = {
	.size		= sizeof(struct tap_event),
	.feature	= TAP_FEATURE_PERF,
	.perf		= true,
	.parse		= tap_event_parse,
	.attach		= tap_event_attach,
	.enable		= tap_event_enable,
	.disable	= tap_event_disable,
	.sync		= synchronize_rcu,
	.detach		= tap_event_detach,
};
