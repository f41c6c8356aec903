// SPDX-License-Identifier: GPL-2.0
/*
 * Kprobes and return probes of a module that is there, comes or goes.
 *
 * They are registered when their module is coming, before any of its code runs:
 * its begin is recorded too. They are unregistered when their code goes: that of
 * the begin once it has run, the rest with the module. So the kernel never has one
 * of them at an address that is another module's by now.
 */
#include <linux/cleanup.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/string.h>

#include "ring/clock.h"
#include "probes/deferred_attach.h"

/* The kernel waits once for so many that go together. */
#define TAP_LATE_BATCH	32

/*
 * Orders the coming and going of modules with that of probes. Taken inside the
 * session's lock, and inside the kernel's list of who wants to know of modules,
 * where the session's lock must not be taken: who holds that registers probes. The
 * kernel's locks of kprobes are taken inside it, and what tap_notice() takes.
 */
static DEFINE_MUTEX(tap_lates_lock);
static LIST_HEAD(tap_lates);

/**
 * tap_late_named() - whether a target names its module
 * @target: MODULE:NAME, or not
 *
 * Only with a name can a module be told from a slip of the pen.
 */
bool tap_late_named(const char *target)
{
	const char *colon = strchr(target, ':');

	return colon && colon != target && colon[1];
}

/**
 * tap_late_of() - whether a target is in a module
 * @target: MODULE:NAME
 * @module: the name of the module
 */
bool tap_late_of(const char *target, const char *module)
{
	size_t len = strlen(module);

	return !strncmp(target, module, len) && target[len] == ':';
}

/**
 * tap_late_notice() - tell that a probe came or went with its module
 * @probe: is not detached yet, so its session is there
 * @what: see there
 *
 * Context: process, may sleep, with a lock that is taken inside the session's.
 */
void tap_late_notice(const struct tap_probe *probe, enum tap_notice what)
{
	const struct tap_change change = {
		.what	= what,
		.since	= tap_clock_read(probe->raw),
	};

	tap_notice(probe->session, probe, &change);
}

static int tap_late_arm(struct tap_late *late)
{
	int ret = enable_kprobe(&late->rp->kp);

	late->armed = !ret;
	return ret;
}

/**
 * tap_late_warn() - say that a probe's module came in vain
 * @probe: the probe
 * @err: what keeps it from being armed, -errno
 */
void tap_late_warn(const struct tap_probe *probe, int err)
{
	pr_warn("%s: its module came, and it cannot be armed: error %d\n",
		probe->name, err);
}

/* Makes of what was registered what can be registered again. */
static void tap_late_reset(struct tap_late *late)
{
	struct kprobe *kp = &late->rp->kp;

	late->nmissed += kp->nmissed;
	if (late->rp->handler) {
		late->nmissed_return += late->rp->nmissed;
		late->rp->nmissed = 0;
	}
	*kp = (struct kprobe) {
		.symbol_name	= kp->symbol_name,
		.offset		= kp->offset,
	};
	late->registered = false;
	late->armed = false;
}

/* Also where it fails the kernel may leave an address, which it would not take. */
static int tap_late_register(struct tap_late *late)
{
	int ret = late->reg(late->probe);

	if (ret)
		tap_late_reset(late);
	else
		late->registered = true;
	return ret;
}

/**
 * tap_late_attach() - register a probe now, or when its module comes
 * @late: zeroed
 * @probe: whose it is
 * @rp: has a symbol's name; a handler, if it is a return probe
 * @reg: registers it, disabled
 *
 * Return: 0, or what @reg says.
 */
int tap_late_attach(struct tap_late *late, struct tap_probe *probe,
		    struct kretprobe *rp, int (*reg)(struct tap_probe *probe))
{
	int ret;

	if (!tap_late_waits(probe))
		return reg(probe);
	if (!tap_late_named(rp->kp.symbol_name))
		return -EINVAL;
	late->probe = probe;
	late->rp = rp;
	late->reg = reg;
	guard(mutex)(&tap_lates_lock);
	ret = tap_late_register(late);
	/* Where its module goes between a look for the name and one at the code it is no code. */
	if (ret == -EADDRNOTAVAIL)
		ret = tap_late_register(late);
	if (ret && ret != -ENOENT)
		return ret;
	list_add_tail(&late->link, &tap_lates);
	return 0;
}

/**
 * tap_late_enable() - let hits come, now or when the module comes
 * @late: attached, waits
 *
 * Return: 0 or the contract's errno.
 */
int tap_late_enable(struct tap_late *late)
{
	int ret;

	guard(mutex)(&tap_lates_lock);
	if (!late->registered || late->armed)
		return 0;
	ret = tap_late_arm(late);
	/* The kernel was told that its code goes, and we are next. */
	if (ret && kprobe_gone(&late->rp->kp))
		return 0;
	return tap_enable_error(ret);
}

/**
 * tap_late_disable() - let no further hit begin
 * @late: attached, waits
 */
void tap_late_disable(struct tap_late *late)
{
	guard(mutex)(&tap_lates_lock);
	if (late->armed)
		tap_kprobe_disarm(&late->rp->kp);
	late->armed = false;
}

/**
 * tap_late_leave() - end the waiting
 * @late: attached, disabled
 *
 * Return: whether it is registered; then the caller has to unregister it.
 */
bool tap_late_leave(struct tap_late *late)
{
	if (!late->probe)
		return true;
	guard(mutex)(&tap_lates_lock);
	list_del(&late->link);
	return late->registered;
}

/**
 * tap_late_state() - as tap_probe_ops
 * @late: attached, waits
 *
 * Return: enum tap_probe_state.
 */
u32 tap_late_state(struct tap_late *late)
{
	guard(mutex)(&tap_lates_lock);
	return late->armed ? TAP_STATE_ENABLED :
	       late->failed ? TAP_STATE_FAILED :
	       late->gone ? TAP_STATE_GONE : TAP_STATE_WAITING;
}

/**
 * tap_late_address() - as tap_probe_ops
 * @late: attached, waits
 *
 * Return: where it is, or 0.
 */
unsigned long tap_late_address(struct tap_late *late)
{
	guard(mutex)(&tap_lates_lock);
	return late->registered ? (unsigned long)late->rp->kp.addr : 0;
}

/**
 * tap_late_missed() - as tap_probe_ops
 * @late: attached, waits
 * @stats: where to put it
 */
void tap_late_missed(struct tap_late *late, struct tap_stats *stats)
{
	const struct kretprobe *rp = late->rp;

	guard(mutex)(&tap_lates_lock);
	stats->out_nmissed = late->nmissed + rp->kp.nmissed;
	if (rp->handler)
		stats->out_nmissed_return = late->nmissed_return + rp->nmissed;
}

static void tap_late_come(struct tap_late *late)
{
	int ret = tap_late_register(late);

	if (!ret && READ_ONCE(late->probe->enabled))
		ret = tap_late_arm(late);
	late->failed = ret;
	if (ret)
		tap_late_warn(late->probe, ret);
	else
		late->gone = false;
	if (late->armed)
		tap_late_notice(late->probe, TAP_NOTICE_ARMED);
}

static void tap_lates_come(struct module *mod)
{
	struct tap_late *late;

	guard(mutex)(&tap_lates_lock);
	list_for_each_entry(late, &tap_lates, link)
		if (!late->registered &&
		    tap_late_of(late->rp->kp.symbol_name, module_name(mod)))
			tap_late_come(late);
}

/* The kernel has disarmed them already; when this returns no handler runs. */
static void tap_lates_unregister(struct tap_late **lates, unsigned int nr)
{
	struct kretprobe *rps[TAP_LATE_BATCH];
	struct kprobe *kps[TAP_LATE_BATCH];
	unsigned int nr_rps = 0, nr_kps = 0, i;

	for (i = 0; i < nr; i++) {
		if (lates[i]->rp->handler)
			rps[nr_rps++] = lates[i]->rp;
		else
			kps[nr_kps++] = &lates[i]->rp->kp;
	}
	unregister_kretprobes(rps, nr_rps);
	unregister_kprobes(kps, nr_kps);
	for (i = 0; i < nr; i++) {
		if (lates[i]->armed)
			tap_late_notice(lates[i]->probe, TAP_NOTICE_GONE);
		tap_late_reset(lates[i]);
		lates[i]->gone = true;
	}
}

/* All code of a module goes, or that of its begin alone. */
static void tap_lates_go(struct module *mod, bool init)
{
	struct tap_late *batch[TAP_LATE_BATCH], *late;
	unsigned int nr = 0;
	unsigned long addr;

	guard(mutex)(&tap_lates_lock);
	list_for_each_entry(late, &tap_lates, link) {
		addr = (unsigned long)late->rp->kp.addr;
		if (!late->registered ||
		    !(init ? within_module_init(addr, mod) :
			     within_module(addr, mod)))
			continue;
		batch[nr++] = late;
		if (nr == TAP_LATE_BATCH) {
			tap_lates_unregister(batch, nr);
			nr = 0;
		}
	}
	tap_lates_unregister(batch, nr);
}

static int tap_late_module_notify(struct notifier_block *nb,
				  unsigned long action, void *data)
{
	if (action == MODULE_STATE_COMING)
		tap_lates_come(data);
	else if (action == MODULE_STATE_LIVE || action == MODULE_STATE_GOING)
		tap_lates_go(data, action == MODULE_STATE_LIVE);
	return NOTIFY_OK;
}

static struct notifier_block tap_late_module_nb = {
	.notifier_call	= tap_late_module_notify,
	/* Behind kprobes' own, which learns there what must not be probed. */
	.priority	= -1,
};

/**
 * tap_late_init() - be told of modules that come and go
 *
 * Return: 0 or -errno.
 */
int tap_late_init(void)
{
	return register_module_notifier(&tap_late_module_nb);
}

/**
 * tap_late_exit() - no session is left
 */
void tap_late_exit(void)
{
	unregister_module_notifier(&tap_late_module_nb);
}
