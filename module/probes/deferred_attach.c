// SPDX-License-Identifier: GPL-2.0
/*
 * Deferred attach: kprobes and return probes in a module that is loaded later, and may be
 * unloaded and loaded again.
 *
 * They are registered at MODULE_STATE_COMING, before the module's init code runs, so its
 * events are recorded too. They are unregistered when their code is freed: init code after
 * it has run, other code with the module. So no kprobe stays at an address where another
 * module may be loaded.
 */
#include <linux/cleanup.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "exec/capture.h"
#include "probes/deferred_attach.h"
#include "probes/kprobe_common.h"
#include "ring/clock.h"

/* kprobes unregistered in one call, which waits for a grace period, if there is no memory. */
#define TAP_DEFERRED_FEW	32

/*
 * Protects tap_deferred_list and its members, so that a module that is loaded or unloaded
 * finds a probe registered or not, but not half so. Taken inside the session's lock; the
 * module notifier takes it without a session's lock, inside the rwsem of the kernel's
 * module_notify_list. kprobe_mutex is taken inside it, and tap_notices.lock.
 */
static DEFINE_MUTEX(tap_deferred_lock);
static LIST_HEAD(tap_deferred_list);

/*
 * Whether a target names its module, as MODULE:NAME. A deferred probe must: a misspelt
 * function name alone would wait forever.
 */
bool tap_deferred_names_module(const char *target)
{
	const char *colon = strchr(target, ':');

	return colon && colon != target && colon[1];
}

/* Whether @target, MODULE:NAME, is in the module of the name @module. */
bool tap_deferred_target_in(const char *target, const char *module)
{
	size_t len = strlen(module);

	return !strncmp(target, module, len) && target[len] == ':';
}

/*
 * Reports that a probe was armed, or lost its place, with its module. The probe is not
 * detached yet, so its session exists. The caller holds a lock that is taken inside the
 * session's, so this must not take the session's lock; it may sleep.
 */
void tap_deferred_notice(const struct tapmod_probe *probe, enum tap_notice what)
{
	const struct tapmod_change change = {
		.what	= what,
		.since	= tap_clock_read(probe->clock),
	};

	/* The probes that look into a capture are in the same module, and have the notice. */
	if (tap_span_captures(probe))
		return;
	tap_notice(probe->session, probe, &change);
}

static int tap_deferred_arm(struct tap_deferred *deferred)
{
	int ret = enable_kprobe(&deferred->rp->kp);

	deferred->armed = !ret;
	return ret;
}

/* Warns that a probe could not be armed in its module; @err is why. */
void tap_deferred_warn(const struct tapmod_probe *probe, int err)
{
	pr_warn("%s: module loaded, but the probe cannot be armed: error %d\n",
		probe->name, err);
}

/* Makes a kprobe that was registered fit for another registration; keeps its counts. */
static void tap_deferred_reset(struct tap_deferred *deferred)
{
	struct kprobe *kp = &deferred->rp->kp;

	deferred->nmissed += kp->nmissed;
	if (deferred->rp->handler) {
		deferred->nmissed_return += deferred->rp->nmissed;
		deferred->rp->nmissed = 0;
	}
	*kp = (struct kprobe) {
		.symbol_name	= kp->symbol_name,
		.offset		= kp->offset,
	};
	deferred->registered = false;
	deferred->armed = false;
}

/* A failed registration may leave kp.addr set, which the next register_kprobe() refuses. */
static int tap_deferred_register(struct tap_deferred *deferred)
{
	int ret = deferred->reg(deferred->probe);

	if (ret)
		tap_deferred_reset(deferred);
	else
		deferred->registered = true;
	return ret;
}

/*
 * Registers a probe now, or when its module is loaded. @deferred is zeroed. @rp has a
 * symbol name, and a handler if it is a return probe. @reg registers it disabled; this
 * returns its error. A probe that is not deferred is only registered.
 */
int tap_deferred_attach(struct tap_deferred *deferred, struct tapmod_probe *probe,
			struct kretprobe *rp, int (*reg)(struct tapmod_probe *probe))
{
	int ret;

	if (!tap_is_deferred(probe))
		return reg(probe);
	if (!tap_deferred_names_module(rp->kp.symbol_name))
		return -EINVAL;
	deferred->probe = probe;
	deferred->rp = rp;
	deferred->reg = reg;
	guard(mutex)(&tap_deferred_lock);
	ret = tap_deferred_register(deferred);
	/* The module may be unloaded between symbol lookup and the text check; retry once. */
	if (ret == -EADDRNOTAVAIL)
		ret = tap_deferred_register(deferred);
	if (ret && ret != -ENOENT)
		return ret;
	list_add_tail(&deferred->link, &tap_deferred_list);
	return 0;
}

/* Arms a deferred probe, now or when its module is loaded. Returns 0 or the UAPI's -errno. */
int tap_deferred_enable(struct tap_deferred *deferred)
{
	int ret;

	guard(mutex)(&tap_deferred_lock);
	if (!deferred->registered || deferred->armed)
		return 0;
	ret = tap_deferred_arm(deferred);
	/* The kprobes notifier has seen that the code is freed; ours runs after it. */
	if (ret && kprobe_gone(&deferred->rp->kp))
		return 0;
	return tap_enable_error(ret);
}

/* Disarms a deferred probe. The caller waits for its handlers: TAP_SYNC_KPROBE. */
void tap_deferred_disable(struct tap_deferred *deferred)
{
	guard(mutex)(&tap_deferred_lock);
	if (deferred->armed)
		tap_kprobe_disarm(&deferred->rp->kp);
	deferred->armed = false;
}

/*
 * Ends the waiting of a disabled probe, deferred or not. Returns whether it is registered:
 * then the caller must unregister it.
 */
bool tap_deferred_leave(struct tap_deferred *deferred)
{
	if (!deferred->probe)
		return true;
	guard(mutex)(&tap_deferred_lock);
	list_del(&deferred->link);
	return deferred->registered;
}

/* ->state() of a deferred probe. */
u32 tap_deferred_state(struct tap_deferred *deferred)
{
	guard(mutex)(&tap_deferred_lock);
	return deferred->armed ? TAP_STATE_ENABLED :
	       deferred->failed ? TAP_STATE_FAILED :
	       deferred->gone ? TAP_STATE_GONE : TAP_STATE_WAITING;
}

/* ->address() of a deferred probe: 0 while its module is not loaded. */
unsigned long tap_deferred_address(struct tap_deferred *deferred)
{
	guard(mutex)(&tap_deferred_lock);
	return deferred->registered ? (unsigned long)deferred->rp->kp.addr : 0;
}

/* ->missed() of a deferred probe: sums over all its registrations. */
void tap_deferred_missed(struct tap_deferred *deferred, struct tap_stats *stats)
{
	const struct kretprobe *rp = deferred->rp;

	guard(mutex)(&tap_deferred_lock);
	stats->out_nmissed = deferred->nmissed + rp->kp.nmissed;
	if (rp->handler)
		stats->out_nmissed_return = deferred->nmissed_return + rp->nmissed;
}

static void tap_deferred_arrive(struct tap_deferred *deferred)
{
	int ret = tap_deferred_register(deferred);

	/* The count of missed events begins again at 0. */
	tap_capture_begins(deferred->probe);
	if (!ret && READ_ONCE(deferred->probe->enabled))
		ret = tap_deferred_arm(deferred);
	deferred->failed = ret;
	if (ret)
		tap_deferred_warn(deferred->probe, ret);
	else
		deferred->gone = false;
	if (deferred->armed)
		tap_deferred_notice(deferred->probe, TAP_NOTICE_ARMED);
}

static void tap_deferred_module_coming(struct module *mod)
{
	struct tap_deferred *deferred;

	guard(mutex)(&tap_deferred_lock);
	list_for_each_entry(deferred, &tap_deferred_list, link)
		if (!deferred->registered &&
		    tap_deferred_target_in(deferred->rp->kp.symbol_name, module_name(mod)))
			tap_deferred_arrive(deferred);
}

/* @init: only the init code is freed, since it has run; else all code of the module. */
static bool tap_deferred_goes(const struct tap_deferred *deferred, struct module *mod,
			      bool init)
{
	unsigned long addr = (unsigned long)deferred->rp->kp.addr;

	return deferred->registered &&
	       (init ? within_module_init(addr, mod) : within_module(addr, mod));
}

/*
 * Unregisters up to @size probes whose code is freed: the kernel has disarmed their kprobes.
 * That waits for the handlers, once for kprobes and once for return probes. @room is for as
 * many pointers. Returns the number.
 */
static unsigned int tap_deferred_unregister(struct module *mod, bool init, void **room,
					    unsigned int size)
{
	unsigned int nr_kps = 0, nr_rps = 0;
	struct tap_deferred *deferred;

	list_for_each_entry(deferred, &tap_deferred_list, link) {
		if (nr_kps + nr_rps == size)
			break;
		if (!tap_deferred_goes(deferred, mod, init))
			continue;
		deferred->leaves = true;
		if (deferred->rp->handler)
			room[size - ++nr_rps] = deferred->rp;
		else
			room[nr_kps++] = &deferred->rp->kp;
	}
	unregister_kretprobes((struct kretprobe **)room + size - nr_rps, nr_rps);
	unregister_kprobes((struct kprobe **)room, nr_kps);
	list_for_each_entry(deferred, &tap_deferred_list, link) {
		if (!deferred->leaves)
			continue;
		deferred->leaves = false;
		if (deferred->armed)
			tap_deferred_notice(deferred->probe, TAP_NOTICE_GONE);
		tap_deferred_reset(deferred);
		deferred->gone = true;
		cond_resched();
	}
	return nr_kps + nr_rps;
}

static void tap_deferred_module_going(struct module *mod, bool init)
{
	struct tap_deferred *deferred;
	unsigned int nr = 0, size;
	void *few[TAP_DEFERRED_FEW], **room;

	guard(mutex)(&tap_deferred_lock);
	list_for_each_entry(deferred, &tap_deferred_list, link)
		nr += tap_deferred_goes(deferred, mod, init);
	if (!nr)
		return;
	room = nr > TAP_DEFERRED_FEW ? kvmalloc_array(nr, sizeof(*room), GFP_KERNEL) : NULL;
	size = room ? nr : TAP_DEFERRED_FEW;
	while (tap_deferred_unregister(mod, init, room ?: few, size) == size)
		;
	kvfree(room);
}

static int tap_deferred_module_notify(struct notifier_block *nb,
				      unsigned long action, void *data)
{
	if (action == MODULE_STATE_COMING)
		tap_deferred_module_coming(data);
	else if (action == MODULE_STATE_LIVE || action == MODULE_STATE_GOING)
		tap_deferred_module_going(data, action == MODULE_STATE_LIVE);
	return NOTIFY_OK;
}

static struct notifier_block tap_deferred_module_nb = {
	.notifier_call	= tap_deferred_module_notify,
	/* After the kprobes notifier (0), which reads the module's kprobe blacklist. */
	.priority	= -1,
};

/**
 * tap_deferred_init() - register for modules that are loaded and unloaded
 *
 * Context: process, module load.
 * Return: 0 or -errno.
 */
int tap_deferred_init(void)
{
	return register_module_notifier(&tap_deferred_module_nb);
}

/**
 * tap_deferred_exit() - unregister from the notifier
 *
 * Context: process, module unload: no session exists.
 */
void tap_deferred_exit(void)
{
	unregister_module_notifier(&tap_deferred_module_nb);
}
