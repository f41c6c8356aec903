// SPDX-License-Identifier: GPL-2.0
/*
 * kprobe: an instruction of the kernel is reached, by register_kprobe().
 *
 * The kernel calls the handler with preemption off. While another kprobe's handler runs
 * on the same CPU it skips the event and counts it in kprobe.nmissed.
 */
#include <linux/kprobes.h>
#include <linux/kstrtox.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "exec/handler.h"
#include "exec/span.h"
#include "exec/verifier.h"
#include "probes/deferred_attach.h"
#include "probes/kprobe_batch.h"
#include "probes/kprobe_common.h"
#include "probes/kprobe_overrun.h"
#include "probes/probes.h"

struct tap_kprobe {
	struct tapmod_probe probe;
	struct tap_batched batched;
	struct tap_deferred deferred;
};

static struct tap_kprobe *to_tap_kprobe(const struct tapmod_probe *probe)
{
	return container_of(probe, struct tap_kprobe, probe);
}

#define kp_to_probe(p)	(&container_of(p, struct tap_kprobe, batched.rp.kp)->probe)

/* For a kprobe on ftrace: preempt_count is that of the probed code. */
static noinline int tap_kprobe_ftrace_program(struct kprobe *p, struct pt_regs *regs)
{
	return tap_event_handle(kp_to_probe(p), regs, 0);
}
NOKPROBE_SYMBOL(tap_kprobe_ftrace_program);

static __always_inline bool
tap_kprobe_ftrace_shaped(struct kprobe *p, struct pt_regs *regs, int shape)
{
	return tap_event_shaped(kp_to_probe(p), regs, shape, 0, false);
}

TAP_FOLLOWED_HANDLERS(int, tap_kprobe_ftrace, (struct kprobe *p, struct pt_regs *regs),
		      (p, regs), p, regs);

/* For other kprobes: a trap may have added to preempt_count, see tap_kprobe_trap_count(). */
static noinline int tap_kprobe_trap_program(struct kprobe *p, struct pt_regs *regs)
{
	return tap_event_handle(kp_to_probe(p), regs, tap_kprobe_trap_count());
}
NOKPROBE_SYMBOL(tap_kprobe_trap_program);

static __always_inline bool
tap_kprobe_trap_shaped(struct kprobe *p, struct pt_regs *regs, int shape)
{
	return tap_event_shaped(kp_to_probe(p), regs, shape,
				tap_kprobe_trap_count(), false);
}

TAP_FOLLOWED_HANDLERS(int, tap_kprobe_trap, (struct kprobe *p, struct pt_regs *regs),
		      (p, regs), p, regs);

static int tap_kprobe_parse(struct tapmod_probe *probe, char *target,
			    struct tap_program_env *env)
{
	struct kprobe *kp = &to_tap_kprobe(probe)->batched.rp.kp;
	char *plus = strchr(target, '+');

	if (plus) {
		*plus++ = 0;
		if (kstrtouint(plus, 0, &kp->offset))
			return -EINVAL;
		if (kp->offset % TAP_CODE_ALIGN)
			return -EILSEQ;
	}
	kp->symbol_name = target;
	env->regs = true;
	/* Behind the entry, the argument registers may have been overwritten. */
	if (!kp->offset)
		env->arg_offset = tap_arg_offset;
	return 0;
}

static int tap_kprobe_register(struct tapmod_probe *probe)
{
	struct kprobe *kp = &to_tap_kprobe(probe)->batched.rp.kp;
	unsigned int shape = tap_probe_shape(probe);
	int ret;

	kp->flags = KPROBE_FLAG_DISABLED;
	kp->pre_handler = TAP_FOLLOWED_CHOOSE(tap_kprobe_trap, shape);
	if (tap_kprobe_overruns(kp))
		return -EADDRNOTAVAIL;
	ret = register_kprobe(kp);
	if (ret)
		return tap_register_error(ret);
	if (tap_kprobe_denied(kp, false)) {
		unregister_kprobe(kp);
		return -EADDRNOTAVAIL;
	}
	/* kprobe_ftrace() is known since register_kprobe(); no event comes before enable. */
	if (kprobe_ftrace(kp))
		kp->pre_handler = TAP_FOLLOWED_CHOOSE(tap_kprobe_ftrace, shape);
	return 0;
}

static int tap_kprobe_attach(struct tapmod_probe *probe,
			     const struct tap_create *create)
{
	struct tap_kprobe *kprobe = to_tap_kprobe(probe);

	tap_span_capture_misses(probe, &kprobe->batched.rp.kp.nmissed);
	return tap_deferred_attach(&kprobe->deferred, probe, &kprobe->batched.rp,
				   tap_kprobe_register);
}

static int tap_kprobe_enable(struct tapmod_probe *probe)
{
	struct tap_kprobe *kprobe = to_tap_kprobe(probe);

	if (tap_is_deferred(probe))
		return tap_deferred_enable(&kprobe->deferred);
	return tap_enable_error(enable_kprobe(&kprobe->batched.rp.kp));
}

static void tap_kprobe_disable(struct tapmod_probe *probe)
{
	if (tap_is_deferred(probe))
		tap_deferred_disable(&to_tap_kprobe(probe)->deferred);
	else
		tap_kprobe_disable_batched(&to_tap_kprobe(probe)->batched);
}

static struct tap_batched *tap_kprobe_batched(struct tapmod_probe *probe)
{
	struct tap_batched *batched = &to_tap_kprobe(probe)->batched;

	/* A deferred probe is armed by the module notifier, without the session's lock. */
	return !tap_is_deferred(probe) && tap_kprobe_batch_takes(&batched->rp.kp) ?
	       batched : NULL;
}

static void tap_kprobe_detach(struct tapmod_probe **probes, unsigned int nr)
{
	/* In place: an element is read before it is overwritten. */
	struct kprobe **kps = (struct kprobe **)probes;
	struct tap_kprobe *kprobe;
	unsigned int i, left = 0;

	for (i = 0; i < nr; i++) {
		kprobe = to_tap_kprobe(probes[i]);
		if (tap_deferred_leave(&kprobe->deferred))
			kps[left++] = &kprobe->batched.rp.kp;
		cond_resched();
	}
	/* They are disarmed: this takes each out of a list, and then waits once. */
	unregister_kprobes(kps, left);
}

static u32 tap_kprobe_state(const struct tapmod_probe *probe)
{
	struct tap_kprobe *kprobe = to_tap_kprobe(probe);

	if (tap_is_deferred(probe))
		return tap_deferred_state(&kprobe->deferred);
	return kprobe_gone(&kprobe->batched.rp.kp) ? TAP_STATE_GONE :
						     TAP_STATE_ENABLED;
}

static unsigned long tap_kprobe_address(const struct tapmod_probe *probe)
{
	struct tap_kprobe *kprobe = to_tap_kprobe(probe);

	if (tap_is_deferred(probe))
		return tap_deferred_address(&kprobe->deferred);
	return (unsigned long)kprobe->batched.rp.kp.addr;
}

static void tap_kprobe_missed(const struct tapmod_probe *probe,
			      struct tap_stats *stats)
{
	struct tap_kprobe *kprobe = to_tap_kprobe(probe);

	if (tap_is_deferred(probe))
		tap_deferred_missed(&kprobe->deferred, stats);
	else
		stats->out_nmissed = kprobe->batched.rp.kp.nmissed;
}

const struct tap_probe_ops tap_kprobe_ops = {
	.size		= sizeof(struct tap_kprobe),
	.feature	= TAP_FEATURE_KPROBE,
	.wait		= true,
	.parse		= tap_kprobe_parse,
	.attach		= tap_kprobe_attach,
	.enable		= tap_kprobe_enable,
	.disable	= tap_kprobe_disable,
	.batched	= tap_kprobe_batched,
	.sync		= TAP_SYNC_KPROBE,
	.detach		= tap_kprobe_detach,
	.state		= tap_kprobe_state,
	.address	= tap_kprobe_address,
	.missed		= tap_kprobe_missed,
};
