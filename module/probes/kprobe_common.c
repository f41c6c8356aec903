// SPDX-License-Identifier: GPL-2.0
/*
 * Common to kprobes and return probes: the denylist, symbol look-up, disarming.
 */
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/rculist.h>
#include <linux/string.h>

#include "common/kprobe_denylist.h"
#include "probes/kprobe_batch.h"
#include "probes/kprobe_common.h"
#include "probes/kprobe_overrun.h"

static const char *const tap_denied[] = { TAP_DENIED_NAMES };

/*
 * Whether a place must not be probed, or must not have a return probe, although the kernel
 * allows it: then the caller unregisters @kp, which is registered and disabled. This checks the
 * address and not the name in the target: with an offset, the name may lead to any other
 * function.
 */
bool tap_kprobe_denied(const struct kprobe *kp, bool returns)
{
	char name[KSYM_SYMBOL_LEN];
	unsigned int i;

	sprint_symbol_no_offset(name, (unsigned long)kp->addr);
	if (returns && !strcmp(name, TAP_DENIED_RETURN))
		return true;
	for (i = 0; i < ARRAY_SIZE(tap_denied); i++)
		if (strstr(name, tap_denied[i]))
			return true;
	return false;
}

/*
 * Looks up a symbol by a kprobe: kallsyms_lookup_name() is not exported. register_kprobe()
 * stores the address of any symbol, data included, before it refuses the kprobe; @addr is
 * then set although the errno of register_kprobe() is returned. It is 0 if there is none.
 */
int tap_kprobe_look_up(const char *symbol, unsigned int offset, unsigned long *addr)
{
	struct kprobe kp = {
		.symbol_name	= symbol,
		.offset		= offset,
		.flags		= KPROBE_FLAG_DISABLED,
	};
	int ret = tap_kprobe_overruns(&kp) ? -EADDRNOTAVAIL : register_kprobe(&kp);

	if (!ret)
		unregister_kprobe(&kp);
	*addr = (unsigned long)kp.addr;
	return ret;
}

/* Whether an entry of the list of modules is one: its head is in the kernel's image. */
static bool tap_is_module(const struct module *mod)
{
	char name[KSYM_SYMBOL_LEN];

	sprint_symbol(name, (unsigned long)&mod->list);
	return strchr(name, '[');
}

/*
 * Whether one of the addresses is in memory that is about to be freed: of a module that is
 * unloaded, or in its init part after it has run. The kernel sets the state before it calls the
 * notifiers of modules. So if a caller holds a lock that its notifier takes, the notifier will
 * find what the caller adds if this returned false.
 */
bool tap_module_goes(const unsigned long *addrs, unsigned int nr)
{
	const struct module *mod;
	bool goes = false;
	unsigned int i;

	rcu_read_lock();
	list_for_each_entry_rcu(mod, &THIS_MODULE->list, list) {
		if (!tap_is_module(mod) || READ_ONCE(mod->state) == MODULE_STATE_COMING)
			continue;
		for (i = 0; i < nr; i++)
			goes |= READ_ONCE(mod->state) == MODULE_STATE_LIVE ?
				within_module_init(addrs[i], mod) : within_module(addrs[i], mod);
	}
	rcu_read_unlock();
	return goes;
}

/*
 * Unregisters an ftrace_ops, and waits for its handlers. It fails only after ftrace has disabled
 * itself. Then the trampoline may still be called and jump to our code: this module stays loaded
 * for good. A session is open, so the module has a reference already.
 */
int tap_ftrace_unregister(struct ftrace_ops *ops)
{
	int ret = unregister_ftrace_function(ops);

	if (ret)
		__module_get(THIS_MODULE);
	return ret;
}

/*
 * Lets no further event of an enabled kprobe start.
 *
 * disable_kprobe() of a kprobe on ftrace needs memory in its last step, which removes
 * the place from ftrace's filter. Without memory it fails and leaves the kprobe marked
 * as enabled, though it is counted as disarmed. unregister_kprobe() would fail in the
 * same way without saying so, and the kernel would keep what we free. So we set
 * KPROBE_FLAG_DISABLED here: then no handler is called, unregister_kprobe() skips that
 * step, and the kprobe can be armed again. A place that stays in the filter costs a
 * look-up. Only a module that is unloaded at this moment changes these flags as well.
 */
void tap_kprobe_disarm(struct kprobe *kp)
{
	if (disable_kprobe(kp))
		kp->flags |= KPROBE_FLAG_DISABLED;
}

/* Disarms an enabled kprobe that may be in a batch, under the session's lock. */
void tap_kprobe_disable_batched(struct tap_batched *batched)
{
	if (batched->batch)
		tap_kprobe_batch_remove(batched);
	else
		tap_kprobe_disarm(&batched->rp.kp);
}
