// SPDX-License-Identifier: GPL-2.0
/*
 * watchpoint: kernel memory is written, read or executed, by the debug registers of the
 * CPU, which perf manages: a counter on each CPU.
 *
 * On x86 the handler runs after the instruction, in an NMI-like context. The debug
 * registers of that CPU are off until it returns, so no other watchpoint interrupts it,
 * and its own accesses make no events. On arm64 the kernel does not step over the
 * instruction for a handler of ours, and it would trap again forever. So there is no
 * handler on arm64; the counter is read instead.
 *
 * The handler runs with preemption off: after synchronize_rcu() no handler runs whose
 * counter was released before.
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
#include "probes/kprobe_common.h"
#include "probes/probes.h"
#include "probes/watchpoint.h"

/**
 * struct tap_watchpoint - a probe of a place in memory
 * @probe: the common part
 * @link: in tap_watchpoints, from attach to detach
 * @counters: a debug register on each CPU
 * @counts: without a handler: nr_cpu_ids sums of released counters, which is @kept of
 *	@counters, then nr_cpu_ids totals; else NULL
 * @address: start of the watched memory
 * @length: bytes watched: 1, 2, 4 or 8
 * @executed: watched for execution; events have no old and new value
 * @later: @address is 0 until tap_watch_place() sets it, under tap_watch_lock
 * @armed: @counters are armed, under tap_watch_lock
 * @gone: the memory was freed with its module, under tap_watch_lock
 * @last: the value at the last event; events on several CPUs exchange it
 * @symbol: the target; used if the user gave no address
 */
struct tap_watchpoint {
	struct tapmod_probe probe;
	struct list_head link;
	struct tap_perf_set counters;
	struct tap_count *counts;
	unsigned long address;
	unsigned int length;
	bool executed;
	bool later;
	bool armed;
	bool gone;
	u64 last;
	char *symbol;
};

/*
 * Protects tap_watchpoints, so that a module that is unloaded finds a probe armed or not.
 * Taken inside the session's lock; the module notifier takes it without one, inside the rwsem of
 * the kernel's module_notify_list. tap_perf_lock and kprobe_mutex are taken inside it.
 */
static DEFINE_MUTEX(tap_watch_lock);
static LIST_HEAD(tap_watchpoints);

static struct tap_watchpoint *to_tap_watchpoint(const struct tapmod_probe *probe)
{
	return container_of(probe, struct tap_watchpoint, probe);
}

/* Reads the watched memory; 0 if it cannot be read, as after it was unmapped. */
static u64 tap_watch_read(const struct tap_watchpoint *wp)
{
	u64 value = 0;

	if (!tap_kernel_read(&value, wp->address, wp->length))
		return 0;
	return value;
}

static void tap_watch_event(struct perf_event *counter,
			    struct perf_sample_data *data, struct pt_regs *regs)
{
	struct tap_watchpoint *wp = counter->overflow_handler_context;
	struct tap_watch watch = { .ip = instruction_pointer(regs) };

	if (!wp->executed)
		tap_watch_exchange(&wp->last, wp->address, wp->length, false, &watch);
	tap_event_sample(&wp->probe, &watch, sizeof(watch), regs,
			 tap_kprobe_trap_count());
}
NOKPROBE_SYMBOL(tap_watch_event);

static int tap_watch_parse(struct tapmod_probe *probe, char *target,
			   struct tap_program_env *env)
{
	struct tap_watchpoint *wp = to_tap_watchpoint(probe);

	/* perf requires it too: a breakpoint in the trap handler's own path recurses. */
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	wp->symbol = target;
	env->event_size = sizeof(struct tap_watch);
	INIT_LIST_HEAD(&wp->link);
	return 0;
}

/*
 * Finds SYMBOL, SYMBOL+OFFSET or MODULE:SYMBOL. register_kprobe() moves a kprobe at the start
 * of a function behind endbr64 (x86 with IBT), so the look-up is for the next byte: no kernel
 * moves that. Under tap_watch_lock, until @wp is in tap_watchpoints: see tap_module_goes().
 */
static int tap_watch_find(struct tap_watchpoint *wp)
{
	char *plus = strchr(wp->symbol, '+');
	unsigned long next, again;
	u32 offset = 0;
	int ret;

	if (plus) {
		*plus++ = 0;
		if (kstrtouint(plus, 0, &offset) || offset == UINT_MAX)
			return -EINVAL;
	}
	ret = tap_kprobe_look_up(wp->symbol, offset + 1, &next);
	if (!next)
		return ret;
	wp->address = next - 1;
	if (tap_module_goes(&wp->address, 1))
		return -ENOENT;
	/* Or the module was freed in between. */
	tap_kprobe_look_up(wp->symbol, offset + 1, &again);
	return again == next ? 0 : -ENOENT;
}

/*
 * Whether an address is that of a per-CPU symbol: of the template, from which each CPU's
 * copy was made and which was freed at boot. On x86 before 6.15 the template is at address
 * 0. Behind it are the addresses of the per-CPU symbols of modules.
 */
static bool tap_watch_per_cpu(unsigned long addr)
{
	unsigned long start, end;

	tap_kprobe_look_up("__per_cpu_start", 0, &start);
	tap_kprobe_look_up("__per_cpu_end", 0, &end);
	return start && addr >= start && addr < end + PERCPU_MODULE_RESERVE;
}

/**
 * tap_watch_attr() - check what is to be watched, and translate it for perf
 * @attr: set, but for the address
 * @perf: a copy from tap_perf_copy()
 *
 * Context: any.
 * Return: 0; -EINVAL: an access or a length that cannot be watched, or other members are set.
 */
int tap_watch_attr(struct perf_event_attr *attr, const struct tap_perf *perf)
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
		.sample_period	= TAP_ARCH_WATCHES,
	};
	switch (perf->config) {
	case TAP_WATCH_WRITE:
		attr->bp_type = HW_BREAKPOINT_W;
		return 0;
	case TAP_WATCH_READ | TAP_WATCH_WRITE:
		attr->bp_type = HW_BREAKPOINT_RW;
		return 0;
	case TAP_WATCH_EXECUTE:
		attr->bp_type = HW_BREAKPOINT_X;
		/* perf takes this length only, whatever the instruction's length is. */
		attr->bp_len = TAP_ARCH_EXECUTE_BYTES;
		return 0;
	}
	return -EINVAL;
}

/* User memory, and our own, is not watched. */
static int tap_watch_check(const struct tap_watchpoint *wp, unsigned long address)
{
	if (!wp->executed && !IS_ALIGNED(address, wp->length))
		return -EINVAL;
	if (address < TASK_SIZE_MAX || within_module(address, THIS_MODULE))
		return -EADDRNOTAVAIL;
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
	if (ret)
		return ret;
	wp->later = perf.flags == TAP_PERF_F_LATER && !perf.config1;
	if (wp->later)
		perf.flags = 0;
	ret = tap_watch_attr(&attr, &perf);
	if (ret)
		return ret;
	wp->executed = attr.bp_type == HW_BREAKPOINT_X;
	wp->address = perf.config1;
	wp->length = perf.config2;
	/* Without a handler there are no records, and nothing runs a program. */
	if (!TAP_ARCH_WATCHES &&
	    (!(probe->flags & TAP_CREATE_F_COUNT) || create->nr_ops))
		return -EOPNOTSUPP;
	if (wp->address && probe->redact)
		return -EPERM;
	guard(mutex)(&tap_watch_lock);
	if (!wp->address && !wp->later)
		ret = tap_watch_find(wp);
	/* On x86 before 6.15 per-CPU symbols are below TASK_SIZE_MAX. */
	if (!ret && !wp->later)
		ret = tap_watch_check(wp, wp->address);
	if (ret)
		return ret;
	if (!perf.config1 && !wp->later && tap_watch_per_cpu(wp->address))
		return -EADDRNOTAVAIL;
	attr.bp_addr = wp->address;
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
	list_add(&wp->link, &tap_watchpoints);
	return 0;
}

/* Under tap_watch_lock. */
static int tap_watch_arm(struct tap_watchpoint *wp)
{
	int ret;

	if (!wp->executed)
		wp->last = tap_watch_read(wp);
	ret = tap_perf_set_arm(&wp->counters);
	wp->armed = !ret;
	/* The other arguments were checked, so -EINVAL is about the address. */
	return ret == -EINVAL ? -EADDRNOTAVAIL : ret;
}

static int tap_watch_enable(struct tapmod_probe *probe)
{
	struct tap_watchpoint *wp = to_tap_watchpoint(probe);

	guard(mutex)(&tap_watch_lock);
	if (wp->gone)
		return -ENOENT;
	return wp->address ? tap_watch_arm(wp) : 0;
}

/*
 * On an error there is no address, as before: the caller may give another. Address 0 takes back the
 * one with which the probe could not be enabled.
 */
static int tap_watch_place(struct tapmod_probe *probe, unsigned long address)
{
	struct tap_watchpoint *wp = to_tap_watchpoint(probe);
	int ret;

	guard(mutex)(&tap_watch_lock);
	if (!wp->later)
		return -EINVAL;
	if (!address) {
		WRITE_ONCE(wp->address, 0);
		return 0;
	}
	if (wp->address)
		return -EBADFD;
	if (probe->redact)
		return -EPERM;
	ret = tap_watch_check(wp, address);
	if (ret)
		return ret;
	wp->counters.attr.bp_addr = address;
	WRITE_ONCE(wp->address, address);
	if (probe->enabled)
		ret = tap_watch_arm(wp);
	if (ret)
		WRITE_ONCE(wp->address, 0);
	return ret;
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

/* ->count(): without a handler, the sum of the perf counters is the number of events. */
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
	const struct tap_watchpoint *wp = to_tap_watchpoint(probe);

	if (READ_ONCE(wp->gone))
		return TAP_STATE_GONE;
	return READ_ONCE(wp->address) ? TAP_STATE_ENABLED : TAP_STATE_WAITING;
}

static unsigned long tap_watch_address(const struct tapmod_probe *probe)
{
	return READ_ONCE(to_tap_watchpoint(probe)->address);
}

const struct tap_probe_ops tap_watchpoint_ops = {
	.size		= sizeof(struct tap_watchpoint),
	.perf		= true,
	.parse		= tap_watch_parse,
	.attach		= tap_watch_attach,
	.enable		= tap_watch_enable,
	.place		= tap_watch_place,
	.disable	= tap_watch_disable,
	.sync		= TAP_SYNC_RCU,
	.detach		= tap_watch_detach,
	.free		= tap_watch_free,
	.state		= tap_watch_state,
	.address	= tap_watch_address,
	.count		= tap_watch_count,
};

/* The memory of a module that is unloaded may be given to others: disarm. */
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
 * Context: process, module load.
 * Return: 0 or -errno.
 */
int tap_watchpoints_init(void)
{
	return register_module_notifier(&tap_watch_notifier);
}

/**
 * tap_watchpoints_exit() - unregister from the notifier
 *
 * Context: process, module unload: no session exists.
 */
void tap_watchpoints_exit(void)
{
	unregister_module_notifier(&tap_watch_notifier);
}
