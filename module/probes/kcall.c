// SPDX-License-Identifier: GPL-2.0
/*
 * call: a kernel function from entry to return, recorded at the return. The entry stores
 * its values in the data of the kretprobe_instance.
 * funcgraph: the same with a second record at the entry, so that a reader can build the
 * call graph.
 */
#include "compat/arch.h"
#include "exec/call_run.h"
#include "exec/call_task.h"
#include "exec/verifier.h"
#include "probes/kretprobe.h"
#include "probes/probes.h"

static noinline int
tap_call_entry_program(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct tapmod_probe *probe = ri_to_probe(ri);

	return tap_kretprobe_live(probe) &&
	       tap_call_enter(probe, (void *)ri->data, regs) ? 0 : 1;
}
NOKPROBE_SYMBOL(tap_call_entry_program);

/*
 * No test of @enabled: entry handlers are only called while the kprobe is armed. No test of
 * TAP_SHAPE_FOLLOWED: tap_kretprobe_followed() has tested it.
 */
static __always_inline bool
tap_call_entry_shaped(struct kretprobe_instance *ri, struct pt_regs *regs,
		      int shape)
{
	struct tapmod_probe *probe = ri_to_probe(ri);

	if (TAP_KRETPROBE_LEAVES && unlikely(!probe))
		return false;
	tap_call_enter_shaped(probe, (void *)ri->data, regs, shape);
	return true;
}

TAP_EVENT_HANDLERS(int, tap_call_entry,
		   (struct kretprobe_instance *ri, struct pt_regs *regs),
		   (ri, regs), ri, regs);

/* The flag of a call that is inside of another one of its function. */
static __always_inline u32 tap_call_nested(struct kretprobe_instance *ri)
{
	return tap_kretprobe_nested(ri, tap_kretprobe_outer(ri)) ? TAP_F_NESTED : 0;
}

static noinline int
tap_call_return_program(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct tapmod_probe *probe = ri_to_probe(ri);
	struct tap_call *call = (void *)ri->data;

	tap_kretprobe_returned(ri, regs);
	if (!tap_kretprobe_live(probe)) {
		if (!TAP_KRETPROBE_LEAVES || probe)
			tap_call_forget(probe, call);
		return 0;
	}
	/* tap_call_enter_shaped() does not write these: a plain probe has neither. */
	if (tap_probe_shape(probe) != TAP_SHAPE_ANY) {
		call->flags = 0;
		call->absent = 0;
	}
	tap_call_leave(probe, call, regs, regs_return_value(regs), tap_call_nested(ri));
	return 0;
}
NOKPROBE_SYMBOL(tap_call_return_program);

/* The handlers of a call that has a frame, or whose duration is divided. */
static int tap_call_entry_in_task(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct tapmod_probe *probe = ri_to_probe(ri);

	return tap_kretprobe_live(probe) &&
	       tap_call_begin_in_task(probe, (void *)ri->data, regs) ? 0 : 1;
}
NOKPROBE_SYMBOL(tap_call_entry_in_task);

static int tap_call_return_in_task(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct tapmod_probe *probe = ri_to_probe(ri);
	struct tap_call *call = (void *)ri->data;

	tap_kretprobe_returned(ri, regs);
	if (tap_kretprobe_live(probe))
		tap_call_end_in_task(probe, call, regs, regs_return_value(regs),
				     call->flags | tap_call_moves(call) | tap_call_nested(ri));
	else if (!TAP_KRETPROBE_LEAVES || probe)
		tap_call_forget(probe, call);
	return 0;
}
NOKPROBE_SYMBOL(tap_call_return_in_task);

static int tap_funcgraph_entry(struct kretprobe_instance *ri,
			       struct pt_regs *regs)
{
	struct tap_call *call = (void *)ri->data;

	if (tap_call_entry_program(ri, regs))
		return 1;
	if (tap_kretprobe_nested(ri, tap_kretprobe_open()))
		call->flags |= TAP_F_NESTED;
	tap_call_emit_entry(ri_to_probe(ri), call);
	return 0;
}
NOKPROBE_SYMBOL(tap_funcgraph_entry);

static __always_inline bool
tap_call_return_shaped(struct kretprobe_instance *ri, struct pt_regs *regs,
		       int shape)
{
	struct tapmod_probe *probe = ri_to_probe(ri);

	return tap_kretprobe_live(probe) && likely(!tap_kretprobe_outer(ri)) &&
	       tap_call_leave_shaped(probe, (void *)ri->data, regs_return_value(regs), shape);
}

TAP_EVENT_HANDLERS(int, tap_call_return,
		   (struct kretprobe_instance *ri, struct pt_regs *regs),
		   (ri, regs), ri, regs);

static int tap_call_parse(struct tapmod_probe *probe, char *target,
			  struct tap_program_env *env)
{
	env->regs = true;
	env->arg_offset = tap_arg_offset;
	env->returns = true;
	env->encloses = true;
	probe->kretprobe_at = offsetof(struct tap_kretprobe, batched.rp) -
			      offsetof(struct tap_kretprobe, probe);
	env->retval_offset = TAP_RETVAL_OFFSET;
	env->first_word = TAP_CALL_FETCHES;
	return tap_kretprobe_target(probe, target);
}

static u64 tap_kcall_mem(struct tapmod_probe *probe,
			 const struct tap_create *create)
{
	to_rp(probe)->data_size = tap_call_size(probe);
	return tap_kretprobe_mem(probe, create);
}

static int tap_call_attach(struct tapmod_probe *probe,
			   const struct tap_create *create)
{
	struct kretprobe *rp = to_rp(probe);
	unsigned int shape = tap_probe_shape(probe);

	if (shape != TAP_SHAPE_ANY)
		shape = probe->shape;
	rp->entry_handler = TAP_EVENT_CHOOSE(tap_call_entry, shape);
	rp->handler = TAP_EVENT_CHOOSE(tap_call_return, shape);
	if (probe->task_words) {
		rp->entry_handler = tap_call_entry_in_task;
		rp->handler = tap_call_return_in_task;
	}
	if (probe->type == TAP_PROBE_FUNCGRAPH && !probe->counts) {
		/* A call that has an entry record must have a return record. */
		if (probe->prog.ret.tests || probe->prog.divides || TAP_KRETPROBE_TABLE)
			return -EOPNOTSUPP;
		rp->entry_handler = tap_funcgraph_entry;
	}
	/* TAP_CALL_WORDS is the same on all kernels, so it must be within the limit of each. */
	BUILD_BUG_ON(sizeof(struct tap_call) +
		     (TAP_CALL_WORDS + TAP_MAX_PMU) * sizeof(u64) >
		     KRETPROBE_MAX_DATA_SIZE);
	if (probe->prog.entry_words > TAP_CALL_WORDS ||
	    tap_call_size(probe) > KRETPROBE_MAX_DATA_SIZE)
		return -EINVAL;
	return tap_kretprobe_register(probe, create);
}

/* For TAP_PROBE_CALL and TAP_PROBE_FUNCGRAPH. */
const struct tap_probe_ops tap_call_ops = {
	TAP_KRETPROBE_OPS,
	.feature	= TAP_FEATURE_CALL,
	.parse		= tap_call_parse,
	.pool		= tap_kcall_mem,
	.attach		= tap_call_attach,
};
