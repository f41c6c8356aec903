// SPDX-License-Identifier: GPL-2.0
/*
 * watchpoint: memory of the kernel is written, read or executed, by debug
 * registers of the processor, which perf hands out: a counter on each CPU.
 *
 * On x86 its handler runs behind the instruction, as in an NMI, and with the debug
 * registers off on that CPU until it has ended: so it is never interrupted by
 * another event, and what it touches itself is none. arm64 does not step over the
 * instruction for a handler of ours, and would come back to it for ever: there is
 * none, and the counter is read instead.
 *
 * After synchronize_rcu() no handler runs whose counter was released before: it
 * runs with preemption off.
 */
#include <linux/capability.h>
#include <linux/cleanup.h>
#include <linux/hw_breakpoint.h>
#include <linux/kprobes.h>
#include <linux/kstrtox.h>
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/perf_event.h>
#include <linux/slab.h>

#include "exec/handler.h"
#include "perf/percpu_counter.h"
#include "probes/probes.h"

/**
 * struct tap_watchpoint - a probe of a place in memory
 * @probe: the common part
 * @link: in tap_watchpoints, from attach to detach
 * @counters: a debug register on each CPU
 * @counts: by CPU what the counters counted before, and behind it what they have
 *	in all; or NULL: events come to the handler
 * @address: the place
 * @length: its bytes
 * @executed: it is watched for execution: it has no values
 * @armed: @counters are; changed under tap_watch_lock, as the next
 * @gone: it was in a module that was unloaded
 * @last: what was there at the event before
 * @symbol: the target without its offset, NULL: the user gave the address
 * @offset: behind the symbol
 */
struct tap_watchpoint {
	struct tapmod_probe probe;
	struct list_head link;
	struct tap_perf_set counters;
	struct tap_count *counts;
	unsigned long address;
	unsigned int length;
	bool executed;
	bool armed;
	bool gone;
	u64 last;
	const char *symbol;
	u32 offset;
};

/* Orders the going of modules with that of probes; inside the session's lock. */
static DEFINE_MUTEX(tap_watch_lock);
static LIST_HEAD(tap_watchpoints);

static struct tap_watchpoint *to_tap_watchpoint(const struct tapmod_probe *probe)
{
	return container_of(probe, struct tap_watchpoint, probe);
}

/* What is there; 0 if it cannot be read, as when it was freed. */
static __always_inline u64 tap_watch_read(const struct tap_watchpoint *wp)
{
	u64 value = 0;

	if (!tap_kernel_read(&value, wp->address, wp->length))
		return 0;
	return value;
}

/*
 * Several CPUs may be here for the same place. One that was overtaken reads once
 * more: so what it leaves behind is never older than what was there, and each
 * event's old value is the new one of the event before.
 */
static __always_inline void tap_watch_exchange(struct tap_watchpoint *wp,
					       struct tap_watch *watch)
{
	watch->old = READ_ONCE(wp->last);
	do {
		watch->new = tap_watch_read(wp);
	} while (!try_cmpxchg(&wp->last, &watch->old, watch->new));
}

static void tap_watch_event(struct perf_event *counter,
			    struct perf_sample_data *data, struct pt_regs *regs)
{
	struct tap_watchpoint *wp = counter->overflow_handler_context;
	struct tap_watch watch = { .ip = instruction_pointer(regs) };

	if (!wp->executed)
		tap_watch_exchange(wp, &watch);
	tap_event_sample(&wp->probe, &watch, sizeof(watch), regs,
			 tap_kprobe_trap_count());
}
NOKPROBE_SYMBOL(tap_watch_event);

/* SYMBOL, SYMBOL+OFF, MODULE:SYMBOL; or an address, as the counter says. */
static int tap_watch_parse(struct tapmod_probe *probe, char *target,
			   struct tap_program_env *env)
{
	struct tap_watchpoint *wp = to_tap_watchpoint(probe);
	char *plus = strchr(target, '+');

	/* perf asks for it: a trap in the wrong place is the end. */
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (plus) {
		*plus++ = 0;
		if (kstrtouint(plus, 0, &wp->offset))
			return -EINVAL;
	}
	wp->symbol = target;
	env->event_size = sizeof(struct tap_watch);
	INIT_LIST_HEAD(&wp->link);
	return 0;
}

/*
 * The kernel says where a symbol is to who wants to probe it, data included,
 * though it then refuses the probe.
 */
static int tap_watch_find(struct tap_watchpoint *wp)
{
	struct kprobe kp = {
		.symbol_name = wp->symbol,
		.offset = wp->offset,
		.flags = KPROBE_FLAG_DISABLED,
	};
	int ret = register_kprobe(&kp);

	if (!ret)
		unregister_kprobe(&kp);
	else if (!kp.addr)
		return ret;
	wp->address = (unsigned long)kp.addr;
	return 0;
}

/* What the user wants to have watched. */
static int tap_watch_finalize(struct tap_watchpoint *wp, const struct tap_perf *perf,
			      struct perf_event_attr *attr)
{
	if (perf->flags || perf->__reserved || perf->period ||
	    perf->type != PERF_TYPE_BREAKPOINT)
		return -EINVAL;
	if (!is_power_of_2(perf->config2) || perf->config2 > sizeof(u64))
		return -EINVAL;
	*attr = (struct perf_event_attr){
		.type		= PERF_TYPE_BREAKPOINT,
		.size		= sizeof(*attr),
		.bp_len		= perf->config2,
		.pinned		= 1,
	};
	switch (perf->config) {
	case TAP_WATCH_WRITE:
		attr->bp_type = HW_BREAKPOINT_W;
		break;
	case TAP_WATCH_READ | TAP_WATCH_WRITE:
		attr->bp_type = HW_BREAKPOINT_RW;
		break;
	case TAP_WATCH_EXECUTE:
		attr->bp_type = HW_BREAKPOINT_X;
		/* An instruction is as long as it is. */
		attr->bp_len = TAP_ARCH_EXECUTE_BYTES;
		wp->executed = true;
		break;
	default:
		return -EINVAL;
	}
	wp->address = perf->config1;
	wp->length = perf->config2;
	return 0;
}

static int tap_watch_attach(struct tapmod_probe *probe,
			    const struct tap_create *create)
{
	struct tap_watchpoint *wp = to_tap_watchpoint(probe);
	struct perf_event_attr attr;
	struct tap_perf perf;
	int ret;

	ret = tap_perf_copy(&perf, create->perf);
	if (!ret)
		ret = tap_watch_finalize(wp, &perf, &attr);
	if (ret)
		return ret;
	/* Nobody is there to make a record, or to test one. */
	if (!TAP_ARCH_WATCHES &&
	    (!(probe->flags & TAP_CREATE_F_COUNT) || create->nr_ops))
		return -EOPNOTSUPP;
	if (wp->address && probe->redact)
		return -EPERM;
	if (!wp->address)
		ret = tap_watch_find(wp);
	if (ret)
		return ret;
	if (!wp->executed && !IS_ALIGNED(wp->address, wp->length))
		return -EINVAL;
	/* Memory of programs, what each CPU has, and our own. */
	if (wp->address < TASK_SIZE_MAX ||
	    within_module(wp->address, THIS_MODULE))
		return -EADDRNOTAVAIL;
	attr.bp_addr = wp->address;
	attr.sample_period = TAP_ARCH_WATCHES;
	ret = tap_perf_set_init(&wp->counters, &attr,
				TAP_ARCH_WATCHES ? tap_watch_event : NULL, wp);
	if (ret)
		return ret;
	if (!TAP_ARCH_WATCHES) {
		wp->counts = kcalloc(2 * nr_cpu_ids, sizeof(*wp->counts),
				     GFP_KERNEL_ACCOUNT);
		if (!wp->counts)
			return -ENOMEM;
		wp->counters.kept = wp->counts;
	}
	scoped_guard(mutex, &tap_watch_lock)
		list_add(&wp->link, &tap_watchpoints);
	return 0;
}

static int tap_watch_enable(struct tapmod_probe *probe)
{
	struct tap_watchpoint *wp = to_tap_watchpoint(probe);
	int ret;

	guard(mutex)(&tap_watch_lock);
	if (wp->gone)
		return -ENOENT;
	if (!wp->executed)
		wp->last = tap_watch_read(wp);
	ret = tap_perf_set_arm(&wp->counters);
	wp->armed = !ret;
	/* All else that it may mind was looked at. */
	return ret == -EINVAL ? -EADDRNOTAVAIL : ret;
}

static void tap_watch_disarm(struct tap_watchpoint *wp)
{
	if (wp->armed)
		tap_perf_set_disarm(&wp->counters);
	wp->armed = false;
}

static void tap_watch_disable(struct tapmod_probe *probe)
{
	guard(mutex)(&tap_watch_lock);
	tap_watch_disarm(to_tap_watchpoint(probe));
}

static void tap_watch_detach(struct tapmod_probe **probes, unsigned int nr)
{
	guard(mutex)(&tap_watch_lock);
	while (nr--)
		list_del(&to_tap_watchpoint(probes[nr])->link);
}

static void tap_watch_free(struct tapmod_probe *probe)
{
	struct tap_watchpoint *wp = to_tap_watchpoint(probe);

	tap_perf_set_free(&wp->counters);
	kfree(wp->counts);
}

/* Without a handler the counter of perf is the number of events. */
static void tap_watch_count(struct tapmod_probe *probe)
{
	struct tap_watchpoint *wp = to_tap_watchpoint(probe);
	struct tap_counters *counters;
	unsigned int cpu;

	if (!wp->counts)
		return;
	tap_perf_set_read(&wp->counters, wp->counts + nr_cpu_ids);
	for_each_possible_cpu(cpu) {
		counters = per_cpu_ptr(probe->counters, cpu);
		counters->hits = wp->counts[nr_cpu_ids + cpu].value;
		counters->aggregated = counters->hits;
	}
}

static u32 tap_watch_state(const struct tapmod_probe *probe)
{
	return READ_ONCE(to_tap_watchpoint(probe)->gone) ? TAP_STATE_GONE :
							   TAP_STATE_ENABLED;
}

static unsigned long tap_watch_address(const struct tapmod_probe *probe)
{
	return to_tap_watchpoint(probe)->address;
}

const struct tap_probe_ops tap_watchpoint_ops = {
	.size		= sizeof(struct tap_watchpoint),
	.perf		= true,
	.parse		= tap_watch_parse,
	.attach		= tap_watch_attach,
	.enable		= tap_watch_enable,
	.disable	= tap_watch_disable,
	.sync		= synchronize_rcu,
	.detach		= tap_watch_detach,
	.free		= tap_watch_free,
	.state		= tap_watch_state,
	.address	= tap_watch_address,
	.count		= tap_watch_count,
};

/* What comes to its memory is another's. */
static int tap_watch_module(struct notifier_block *nb, unsigned long event,
			    void *data)
{
	struct module *module = data;
	struct tap_watchpoint *wp;

	if (event != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	guard(mutex)(&tap_watch_lock);
	list_for_each_entry(wp, &tap_watchpoints, link) {
		if (!within_module(wp->address, module))
			continue;
		tap_watch_disarm(wp);
		WRITE_ONCE(wp->gone, true);
	}
	return NOTIFY_OK;
}

static struct notifier_block tap_watch_notifier = {
	.notifier_call	= tap_watch_module,
};

/**
 * tap_watchpoints_init() - register for modules that are unloaded
 *
 * Return: 0 or -errno.
 */
int tap_watchpoints_init(void)
{
	return register_module_notifier(&tap_watch_notifier);
}

/**
 * tap_watchpoints_exit() - unregister; no session is left
 */
void tap_watchpoints_exit(void)
{
	unregister_module_notifier(&tap_watch_notifier);
}
