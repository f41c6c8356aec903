// SPDX-License-Identifier: GPL-2.0
/*
 * call: a whole call of a kernel function, one record, made at its return. The
 * kernel's instance of the call carries what the entry leaves for the return.
 */
#include "probe_kretprobe.h"

/**
 * struct tap_call - what a call's entry leaves for its return
 * @entry: raw time
 * @switches: context switches of the task until then
 * @cpu: where it was
 * @flags: for the record
 * @words: what the fetches gave
 */
struct tap_call {
	u64 entry;
	unsigned long switches;
	unsigned int cpu;
	u32 flags;
	u64 words[];
};

/* The task's context switches so far. */
static __always_inline unsigned long tap_switches(void)
{
	return current->nvcsw + current->nivcsw;
}

static int tap_call_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct tap_call *call = (void *)ri->data;
	struct tap_probe *probe = ri_to_probe(ri);
	struct tap_cursor c = { .next = call->words };

	if (!tap_kretprobe_wanted(probe))
		return 1;
	this_cpu_inc(probe->counters->entered);
	call->flags = tap_program_fetch(probe, regs, &c, true);
	if (tap_kretprobe_nested(ri))
		call->flags |= TAP_F_NESTED;
	call->switches = tap_switches();
	call->cpu = raw_smp_processor_id();
	/* Last, so that our own work is not in the duration. */
	call->entry = tap_clock_read(probe->raw);
	return 0;
}
NOKPROBE_SYMBOL(tap_call_entry);

static int tap_call_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	const struct tap_call *call = (void *)ri->data;
	struct tap_probe *probe = ri_to_probe(ri);
	u32 flags = call->flags;

	if (!tap_kretprobe_live(probe))
		return 0;
	if (call->cpu != raw_smp_processor_id())
		flags |= TAP_F_MIGRATED;
	if (call->switches != tap_switches())
		flags |= TAP_F_DESCHEDULED;
	tap_hit_words(probe, flags, call->entry, regs_return_value(regs),
		      call->words);
	return 0;
}
NOKPROBE_SYMBOL(tap_call_return);

static int tap_call_parse(struct tap_probe *probe, char *target,
			  struct tap_program_env *env)
{
	env->regs = true;
	env->arg_offset = tap_arg_offset;
	env->first_word = TAP_CALL_FETCHES;
	return tap_kretprobe_target(probe, target);
}

static int tap_call_attach(struct tap_probe *probe,
			   const struct tap_create *create)
{
	struct kretprobe *rp = &to_tap_kretprobe(probe)->rp;

	rp->entry_handler = tap_call_entry;
	rp->handler = tap_call_return;
	rp->data_size = sizeof(struct tap_call) +
		(probe->prog.words - TAP_CALL_FETCHES) * sizeof(u64);
	return tap_kretprobe_register(probe, create);
}

const struct tap_probe_ops tap_call_ops = {
	.size		= sizeof(struct tap_kretprobe),
	.feature	= TAP_FEATURE_CALL,
	.maxactive	= TAP_MAX_MAXACTIVE,
	.parse		= tap_call_parse,
	.attach		= tap_call_attach,
	.enable		= tap_kretprobe_enable,
	.disable	= tap_kretprobe_disable,
	.sync		= tap_kprobe_sync,
	.detach		= tap_kretprobe_detach,
	.state		= tap_kretprobe_state,
	.address	= tap_kretprobe_address,
	.missed		= tap_kretprobe_missed,
	.maxactive_of	= tap_kretprobe_maxactive,
};
