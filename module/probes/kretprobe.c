// SPDX-License-Identifier: GPL-2.0
/*
 * kretprobe: the return of a kernel function, by register_kretprobe(), which pairs each
 * return with its entry, also if calls nest or many tasks call the function.
 *
 * The kernel runs both handlers with preemption off. A call in flight when the probe is
 * unregistered still returns correctly, but the kernel calls no handler for it.
 *
 * The kernel allocates the instances for maxactive calls beforehand. If they do not
 * suffice, tap_kretprobe_grow() registers a spare kretprobe of twice as many, which never
 * fires, and takes over its instances. If a session has many return probes, they share a pool
 * of instances: see return_pool.c.
 */
#include <linux/slab.h>
#include <linux/string.h>

#include "compat/arch.h"
#include "core/notify.h"
#include "probes/kprobe_overrun.h"
#include "probes/kretprobe.h"
#include "probes/probes.h"

/*
 * Calls for which a probe has room by default, at most. An instance serves any CPU, and the
 * index of so many fits into the page that an objpool takes for each possible CPU anyway.
 */
#define TAP_KRETPROBE_DEFAULT	256

/**
 * struct tap_spare - a kretprobe that is registered for its instances only
 * @rp: of tap_kretprobe_register_idle()
 * @next: the spare that the probe got before this one
 * @detach: the next of those that are detached together
 */
struct tap_spare {
	struct kretprobe rp;
	struct tap_spare *next;
	struct tap_spare *detach;
};

/*
 * Replaces the kernel's handler at the entry of a call, if the first test is that the session
 * follows the task: a call of another task then costs no more than a kprobe.
 */
static int tap_kretprobe_followed(struct kprobe *kp, struct pt_regs *regs)
{
	struct tap_kretprobe *kretprobe =
		container_of(kp, struct tap_kretprobe, batched.rp.kp);

	return tap_event_followed(&kretprobe->probe) ? kretprobe->prepare(kp, regs) : 0;
}
NOKPROBE_SYMBOL(tap_kretprobe_followed);

/* Tests at the entry: a rejected call then costs no instance and no return. */
static int tap_kretprobe_entry(struct kretprobe_instance *ri,
			       struct pt_regs *regs)
{
	struct tapmod_probe *probe = ri_to_probe(ri);

	return tap_kretprobe_live(probe) && tap_event_wanted(probe, regs) ? 0 : 1;
}
NOKPROBE_SYMBOL(tap_kretprobe_entry);

/* Tests that need the return value run at the return. */
static int tap_kretprobe_return_test(struct kretprobe_instance *ri,
				     struct pt_regs *regs)
{
	struct tapmod_probe *probe = ri_to_probe(ri);

	tap_kretprobe_returned(ri, regs);
	if (tap_kretprobe_live(probe))
		tap_event_handle(probe, regs, 0);
	return 0;
}
NOKPROBE_SYMBOL(tap_kretprobe_return_test);

static noinline int
tap_kretprobe_return_program(struct kretprobe_instance *ri,
			     struct pt_regs *regs)
{
	struct tapmod_probe *probe = ri_to_probe(ri);

	tap_kretprobe_returned(ri, regs);
	if (tap_kretprobe_live(probe))
		tap_event_tested(probe, regs, 0);
	return 0;
}
NOKPROBE_SYMBOL(tap_kretprobe_return_program);

static __always_inline bool
tap_kretprobe_return_shaped(struct kretprobe_instance *ri, struct pt_regs *regs,
			    int shape)
{
	struct tapmod_probe *probe = ri_to_probe(ri);

	tap_kretprobe_returned(ri, regs);
	return tap_kretprobe_live(probe) &&
	       tap_event_shaped(probe, regs, shape, 0, false);
}

TAP_EVENT_HANDLERS(int, tap_kretprobe_return,
		   (struct kretprobe_instance *ri, struct pt_regs *regs),
		   (ri, regs), ri, regs);

/* Takes the name of a function, without an offset; @target must live as long as the probe. */
int tap_kretprobe_target(struct tapmod_probe *probe, char *target)
{
	if (strchr(target, '+'))
		return -EINVAL;
	to_rp(probe)->kp.symbol_name = target;
	return 0;
}

/* Calls that may be in flight. Kernels differ in their default, so it is computed here. */
static unsigned int tap_kretprobe_calls(const struct tap_create *create)
{
	return create->maxactive ?:
	       clamp_t(unsigned int, 2 * num_online_cpus(), 10, TAP_KRETPROBE_DEFAULT);
}

static u64 tap_kretprobe_bytes(const struct tapmod_probe *probe, u32 calls)
{
	return tap_kretprobe_pool(calls, to_rp(probe)->data_size);
}

/* ->pool(); the caller has set data_size. */
u64 tap_kretprobe_mem(struct tapmod_probe *probe, const struct tap_create *create)
{
	u64 bytes = tap_return_pool_join(to_tap_kretprobe(probe), create);

	if (bytes)
		return bytes;
	to_rp(probe)->maxactive = tap_kretprobe_calls(create);
	return tap_kretprobe_bytes(probe, to_rp(probe)->maxactive);
}

static int tap_kretprobe_register_now(struct tapmod_probe *probe)
{
	struct tap_kretprobe *own = to_tap_kretprobe(probe);
	bool pooled = tap_is_pooled(&own->pooled);
	struct kretprobe *rp = to_rp(probe);
	int ret;

	rp->kp.flags = KPROBE_FLAG_DISABLED;
	if (tap_kprobe_overruns(&rp->kp))
		return -EADDRNOTAVAIL;
	ret = pooled ? tap_return_pool_register(own) : register_kretprobe(rp);
	if (ret)
		return tap_register_error(ret);
	if (tap_kprobe_denied(&rp->kp, true)) {
		if (pooled)
			tap_return_pool_unregister(own);
		else
			unregister_kretprobe(rp);
		return -EADDRNOTAVAIL;
	}
	probe->traps = !kprobe_ftrace(&rp->kp);
	/* The probe is disabled: no call uses the handler yet. */
	if (probe->follows) {
		to_tap_kretprobe(probe)->prepare = rp->kp.pre_handler;
		rp->kp.pre_handler = tap_kretprobe_followed;
	}
	return 0;
}

/*
 * Registers the probe disabled, now or when its module is loaded. The caller has set the
 * handlers and data_size. Returns 0 or the UAPI's -errno.
 */
int tap_kretprobe_register(struct tapmod_probe *probe,
			   const struct tap_create *create)
{
	struct tap_kretprobe *kretprobe = to_tap_kretprobe(probe);
	struct kretprobe *rp = &kretprobe->batched.rp;

	kretprobe->fixed = create->maxactive;
	return tap_deferred_attach(&kretprobe->deferred, probe, rp,
				   tap_kretprobe_register_now);
}

int tap_kretprobe_enable(struct tapmod_probe *probe)
{
	if (tap_is_deferred(probe))
		return tap_deferred_enable(&to_tap_kretprobe(probe)->deferred);
	return tap_enable_error(enable_kretprobe(to_rp(probe)));
}

void tap_kretprobe_disable(struct tapmod_probe *probe)
{
	if (tap_is_deferred(probe))
		tap_deferred_disable(&to_tap_kretprobe(probe)->deferred);
	else
		tap_kprobe_disable_batched(&to_tap_kretprobe(probe)->batched);
}

/* Return probes go into a batch only where tap_kprobe_batch_return() can be installed. */
struct tap_batched *tap_kretprobe_batched(struct tapmod_probe *probe)
{
	struct tap_batched *batched = &to_tap_kretprobe(probe)->batched;

	return TAP_KRETPROBE_HOOKS && !tap_is_deferred(probe) &&
	       tap_kprobe_batch_takes(&batched->rp.kp) ? batched : NULL;
}

/* Kretprobes that never fire are registered at this function, which is never called. */
static noinline void tap_kretprobe_nowhere(void)
{
	barrier();
}

/**
 * tap_kretprobe_register_idle() - register a kretprobe for its instances only
 * @rp: all zero; it never fires
 * @calls: number of its instances
 * @data_size: of each instance
 *
 * Context: process, may sleep.
 * Return: 0 or -errno of register_kretprobe().
 */
int tap_kretprobe_register_idle(struct kretprobe *rp, int calls, size_t data_size)
{
	rp->kp.addr = (kprobe_opcode_t *)tap_kretprobe_nowhere;
	rp->kp.flags = KPROBE_FLAG_DISABLED;
	rp->maxactive = calls;
	rp->data_size = data_size;
	return register_kretprobe(rp);
}

static struct tap_spare *tap_kretprobe_spare(const struct kretprobe *rp, int calls)
{
	struct tap_spare *spare = kzalloc(sizeof(*spare), GFP_KERNEL);

	if (!spare)
		return NULL;
	if (!tap_kretprobe_register_idle(&spare->rp, calls, rp->data_size))
		return spare;
	kfree(spare);
	return NULL;
}

/*
 * ->grow(): doubles maxactive if calls were missed. It does not if the user set maxactive.
 * Nor does it for a deferred probe, which is registered and unregistered with its module,
 * without the session's lock.
 */
u64 tap_kretprobe_grow(struct tapmod_probe *probe, u64 room, struct tapmod_change *change)
{
	struct tap_kretprobe *own = to_tap_kretprobe(probe);
	struct kretprobe *rp = to_rp(probe);
	unsigned int missed = READ_ONCE(rp->nmissed) - own->seen;
	int calls = min(2 * rp->maxactive, TAP_MAX_MAXACTIVE);
	/* In the table of old kernels, instances are added; elsewhere all are replaced. */
	int more = TAP_KRETPROBE_TABLE ? calls - rp->maxactive : calls;
	struct tap_spare *spare;

	if (tap_is_pooled(&own->pooled))
		return tap_return_pool_grow(own, change);
	if (!TAP_KRETPROBE_GROWS || own->fixed || tap_is_deferred(probe) || !missed ||
	    calls <= rp->maxactive || kprobe_gone(&rp->kp) ||
	    tap_kretprobe_bytes(probe, more) > room)
		return 0;
	spare = tap_kretprobe_spare(rp, more);
	if (!spare)
		return 0;
	tap_kretprobe_exchange(rp, &spare->rp);
	spare->next = own->spares;
	own->spares = spare;
	rp->maxactive = calls;
	/* Calls that were missed after nmissed was read are reported the next time. */
	own->seen += missed;
	change->count = missed;
	change->size = calls;
	return tap_kretprobe_bytes(probe, more);
}

void tap_kretprobe_detach(struct tapmod_probe **probes, unsigned int nr)
{
	/* In place: an element is read before it is overwritten. */
	struct kretprobe **rps = (struct kretprobe **)probes;
	unsigned int room = max_t(unsigned int, nr, TAP_DETACH_MIN), i, left = 0;
	struct tap_spare *spares = NULL, *spare;
	struct tap_kretprobe *probe;

	nr = tap_return_pool_detach(probes, nr);
	for (i = 0; i < nr; i++) {
		probe = container_of(probes[i], struct tap_kretprobe, probe);
		for (spare = probe->spares; spare; spare = spare->next) {
			spare->detach = spares;
			spares = spare;
		}
		if (tap_deferred_leave(&probe->deferred))
			rps[left++] = to_rp(&probe->probe);
		cond_resched();
	}
	unregister_kretprobes(rps, left);
	/* Spares come after the probes that use their instances. Each call waits once. */
	while (spares) {
		for (left = 0; spares && left < room; spares = spares->detach)
			rps[left++] = &spares->rp;
		unregister_kretprobes(rps, left);
	}
}

void tap_kretprobe_free(struct tapmod_probe *probe)
{
	struct tap_spare *spare, *next;

	for (spare = to_tap_kretprobe(probe)->spares; spare; spare = next) {
		next = spare->next;
		kfree(spare);
	}
	tap_return_pool_leave(to_tap_kretprobe(probe));
}

u32 tap_kretprobe_state(const struct tapmod_probe *probe)
{
	if (tap_is_deferred(probe))
		return tap_deferred_state(&to_tap_kretprobe(probe)->deferred);
	return kprobe_gone(&to_rp(probe)->kp) ?
		TAP_STATE_GONE : TAP_STATE_ENABLED;
}

unsigned long tap_kretprobe_address(const struct tapmod_probe *probe)
{
	if (tap_is_deferred(probe))
		return tap_deferred_address(&to_tap_kretprobe(probe)->deferred);
	return (unsigned long)to_rp(probe)->kp.addr;
}

void tap_kretprobe_missed(const struct tapmod_probe *probe,
			  struct tap_stats *stats)
{
	const struct kretprobe *rp = to_rp(probe);

	if (tap_is_deferred(probe)) {
		tap_deferred_missed(&to_tap_kretprobe(probe)->deferred, stats);
		return;
	}
	stats->out_nmissed = rp->kp.nmissed;
	stats->out_nmissed_return = rp->nmissed;
}

u32 tap_kretprobe_maxactive(const struct tapmod_probe *probe)
{
	return to_rp(probe)->maxactive;
}

static int tap_kretprobe_parse(struct tapmod_probe *probe, char *target,
			       struct tap_program_env *env)
{
	env->retval = true;
	env->retval_offset = TAP_RETVAL_OFFSET;
	return tap_kretprobe_target(probe, target);
}

static int tap_kretprobe_attach(struct tapmod_probe *probe,
				const struct tap_create *create)
{
	struct kretprobe *rp = to_rp(probe);

	if (probe->prog.tested && !probe->prog.separable) {
		rp->handler = tap_kretprobe_return_test;
		return tap_kretprobe_register(probe, create);
	}
	/* Without further tests there is no entry handler: it would cost time at every call. */
	if (probe->prog.tested && !tap_probe_only_follows(probe))
		rp->entry_handler = tap_kretprobe_entry;
	rp->handler = TAP_EVENT_CHOOSE(tap_kretprobe_return, probe->shape);
	return tap_kretprobe_register(probe, create);
}

const struct tap_probe_ops tap_kretprobe_ops = {
	TAP_KRETPROBE_OPS,
	.feature	= TAP_FEATURE_KRETPROBE,
	.parse		= tap_kretprobe_parse,
	.pool		= tap_kretprobe_mem,
	.attach		= tap_kretprobe_attach,
};
