// SPDX-License-Identifier: GPL-2.0
/*
 * Deferred attach: kprobes and return probes whose module is loaded later, and
 * unloaded.
 *
 * They are registered in MODULE_STATE_COMING, before any code of the module runs, so
 * that its init code is recorded too. They are unregistered when their code is freed:
 * init code once it has run, the rest with the module. So none of them is ever at an
 * address that belongs to another module by then.
 */
#include <linux/cleanup.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/string.h>

#include "probes/deferred_attach.h"
#include "probes/kprobe_common.h"
#include "ring/clock.h"

/* So many are unregistered together, for which the kernel waits once. */
#define TAP_DEFERRED_BATCH	32

/*
 * Orders the loading and unloading of modules with that of probes. Taken inside the
 * session's lock, and inside the kernel's lock of module notifiers, where the
 * session's lock must not be taken: its holder registers probes. The kernel's locks of
 * kprobes are taken inside it, and what tap_notice() takes.
 */
static DEFINE_MUTEX(tap_deferred_lock);
static LIST_HEAD(tap_deferred_list);

/**
 * tap_deferred_names_module() - whether a target names its module
 * @target: MODULE:NAME, or not
 *
 * Without the name of a module a misspelt function would be waited for.
 */
bool tap_deferred_names_module(const char *target)
{
	const char *colon = strchr(target, ':');

	return colon && colon != target && colon[1];
}

/**
 * tap_deferred_target_in() - whether a target is in a module
 * @target: MODULE:NAME
 * @module: the name of the module
 */
bool tap_deferred_target_in(const char *target, const char *module)
{
	size_t len = strlen(module);

	return !strncmp(target, module, len) && target[len] == ':';
}

/**
 * tap_deferred_notice() - tell that a probe came or went with its module
 * @probe: is not detached yet, so its session is there
 * @what: what happened to it
 *
 * Context: process, may sleep, with a lock that is taken inside the session's.
 */
void tap_deferred_notice(const struct tapmod_probe *probe, enum tap_notice what)
{
	const struct tapmod_change change = {
		.what	= what,
		.since	= tap_clock_read(probe->raw),
	};

	tap_notice(probe->session, probe, &change);
}

static int tap_deferred_arm(struct tap_deferred *deferred)
{
	int ret = enable_kprobe(&deferred->rp->kp);

	deferred->armed = !ret;
	return ret;
}

/**
 * tap_deferred_warn() - warn that a probe could not be armed in its module
 * @probe: the probe
 * @err: what keeps it from being armed, -errno
 */
void tap_deferred_warn(const struct tapmod_probe *probe, int err)
{
	pr_warn("%s: its module came, and it cannot be armed: error %d\n",
		probe->name, err);
}

/* Resets a kprobe that was registered, so that it can be registered again. */
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

/* A failed registration may leave an address, which the next one would refuse. */
static int tap_deferred_register(struct tap_deferred *deferred)
{
	int ret = deferred->reg(deferred->probe);

	if (ret)
		tap_deferred_reset(deferred);
	else
		deferred->registered = true;
	return ret;
}

/**
 * tap_deferred_attach() - register a probe now, or when its module comes
 * @deferred: zeroed
 * @probe: whose it is
 * @rp: has a symbol's name; a handler, if it is a return probe
 * @reg: registers it, disabled
 *
 * Return: 0, or what @reg says.
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

/**
 * tap_deferred_enable() - let events come, now or when the module comes
 * @deferred: attached, waits
 *
 * Return: 0 or the contract's errno.
 */
int tap_deferred_enable(struct tap_deferred *deferred)
{
	int ret;

	guard(mutex)(&tap_deferred_lock);
	if (!deferred->registered || deferred->armed)
		return 0;
	ret = tap_deferred_arm(deferred);
	/* The kernel has seen that its code is freed; our notifier is next. */
	if (ret && kprobe_gone(&deferred->rp->kp))
		return 0;
	return tap_enable_error(ret);
}

/**
 * tap_deferred_disable() - let no further event begin
 * @deferred: attached, waits
 */
void tap_deferred_disable(struct tap_deferred *deferred)
{
	guard(mutex)(&tap_deferred_lock);
	if (deferred->armed)
		tap_kprobe_disarm(&deferred->rp->kp);
	deferred->armed = false;
}

/**
 * tap_deferred_leave() - end the waiting
 * @deferred: attached, disabled
 *
 * Return: whether it is registered; then the caller has to unregister it.
 */
bool tap_deferred_leave(struct tap_deferred *deferred)
{
	if (!deferred->probe)
		return true;
	guard(mutex)(&tap_deferred_lock);
	list_del(&deferred->link);
	return deferred->registered;
}

/**
 * tap_deferred_state() - as tap_probe_ops
 * @deferred: attached, waits
 *
 * Return: enum tap_probe_state.
 */
u32 tap_deferred_state(struct tap_deferred *deferred)
{
	guard(mutex)(&tap_deferred_lock);
	return deferred->armed ? TAP_STATE_ENABLED :
	       deferred->failed ? TAP_STATE_FAILED :
	       deferred->gone ? TAP_STATE_GONE : TAP_STATE_WAITING;
}

/**
 * tap_deferred_address() - as tap_probe_ops
 * @deferred: attached, waits
 *
 * Return: where it is, or 0.
 */
unsigned long tap_deferred_address(struct tap_deferred *deferred)
{
	guard(mutex)(&tap_deferred_lock);
	return deferred->registered ? (unsigned long)deferred->rp->kp.addr : 0;
}

/**
 * tap_deferred_missed() - as tap_probe_ops
 * @deferred: attached, waits
 * @stats: where to put it
 */
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

/* The kernel has disarmed them already; when this returns no handler runs. */
static void tap_deferred_unregister_list(struct tap_deferred **batch, unsigned int nr)
{
	struct kretprobe *rps[TAP_DEFERRED_BATCH];
	struct kprobe *kps[TAP_DEFERRED_BATCH];
	unsigned int nr_rps = 0, nr_kps = 0, i;

	for (i = 0; i < nr; i++) {
		if (batch[i]->rp->handler)
			rps[nr_rps++] = batch[i]->rp;
		else
			kps[nr_kps++] = &batch[i]->rp->kp;
	}
	unregister_kretprobes(rps, nr_rps);
	unregister_kprobes(kps, nr_kps);
	for (i = 0; i < nr; i++) {
		if (batch[i]->armed)
			tap_deferred_notice(batch[i]->probe, TAP_NOTICE_GONE);
		tap_deferred_reset(batch[i]);
		batch[i]->gone = true;
	}
}

/* All code of a module is freed, or its init code alone. */
static void tap_deferred_module_going(struct module *mod, bool init)
{
	struct tap_deferred *batch[TAP_DEFERRED_BATCH], *deferred;
	unsigned int nr = 0;
	unsigned long addr;

	guard(mutex)(&tap_deferred_lock);
	list_for_each_entry(deferred, &tap_deferred_list, link) {
		addr = (unsigned long)deferred->rp->kp.addr;
		if (!deferred->registered ||
		    !(init ? within_module_init(addr, mod) :
			     within_module(addr, mod)))
			continue;
		batch[nr++] = deferred;
		if (nr == TAP_DEFERRED_BATCH) {
			tap_deferred_unregister_list(batch, nr);
			nr = 0;
		}
	}
	tap_deferred_unregister_list(batch, nr);
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
	/* After the notifier of kprobes, which learns there what must not be probed. */
	.priority	= -1,
};

/**
 * tap_deferred_init() - register for modules that are loaded and unloaded
 *
 * Return: 0 or -errno.
 */
int tap_deferred_init(void)
{
	return register_module_notifier(&tap_deferred_module_nb);
}

/**
 * tap_deferred_exit() - no session is left
 */
void tap_deferred_exit(void)
{
	unregister_module_notifier(&tap_deferred_module_nb);
}
