// SPDX-License-Identifier: GPL-2.0
/*
 * Making a plan: the program is followed as if it ran, with what each register
 * stands for in the place of its value.
 */
#include <linux/overflow.h>
#include <linux/slab.h>

#include "exec/aggregate.h"
#include "exec/fastpath.h"
#include "core/probe.h"

/**
 * struct tap_planner - a plan that is being made
 * @probe: whose
 * @plan: the plan
 * @reg: what each register stands for; .size 0: nothing that a plan has
 * @loaded: a register that the step before loaded from memory; it is to be used
 *	at once, so that a fault is that of its own test or output
 */
struct tap_planner {
	const struct tap_probe *probe;
	struct tap_plan *plan;
	struct tap_plan_step reg[TAP_NR_REGISTERS];
	int loaded;
};

#define TAP_NOT_LOADED	(-1)

/* What a step makes of nothing but the base and the task. */
static bool tap_plan_source(const struct tap_insn *insn,
			    struct tap_plan_step *step)
{
	*step = (struct tap_plan_step){
		.size = insn->size,
		.shift = TAP_SHIFT(insn->size),
		.sign = !!insn->sign,
	};
	switch (insn->code) {
	case TAP_INSN_BASE:
	case TAP_INSN_BASE_PART:
		step->source = TAP_PLAN_BASE;
		/* All 8 bytes are read: a base is of whole words. */
		step->at = insn->off;
		return true;
	case TAP_INSN_TGID:
		step->source = TAP_PLAN_TGID;
		return true;
	case TAP_INSN_COMM:
		step->source = TAP_PLAN_COMM;
		step->size = 8;
		return true;
	case TAP_INSN_VALUE:
		if (insn->sub != TAP_OP_VAR || insn->off == TAP_VAR_DURATION ||
		    insn->off == TAP_VAR_SYSCALL)
			return false;
		step->source = insn->off == TAP_VAR_ABSENT ? TAP_PLAN_ABSENT :
							     TAP_PLAN_TASK;
		step->at = insn->off;
		step->which = insn->imm;
		return true;
	default:
		return false;
	}
}

/* One level more: what a register leads to. */
static bool tap_plan_load(struct tap_planner *p, const struct tap_insn *insn,
			  struct tap_plan_step *step)
{
	const struct tap_plan_step *from = &p->reg[insn->src];

	if (from->size != 8 || from->levels == TAP_PLAN_LEVELS)
		return false;
	*step = *from;
	step->off[step->levels++] = insn->off;
	step->size = insn->size;
	step->shift = TAP_SHIFT(insn->size);
	step->sign = !!insn->sign;
	return true;
}

/* Which values pass a comparison that rejects. */
static void tap_plan_compare(const struct tap_insn *insn,
			     struct tap_plan_step *step)
{
	u64 flip = insn->sign ? BIT_ULL(63) : 0, imm = insn->imm ^ flip;

	step->mask = U64_MAX;
	switch (insn->sub) {
	case TAP_OP_JEQ:
		step->low = imm + 1;
		step->span = U64_MAX - 1;
		break;
	case TAP_OP_JNE:
		step->low = imm;
		break;
	case TAP_OP_JLT:
		step->low = imm;
		step->span = U64_MAX - imm;
		break;
	case TAP_OP_JLE:
		step->low = imm + 1;
		step->span = U64_MAX - imm - 1;
		break;
	case TAP_OP_JGT:
		step->span = imm;
		break;
	case TAP_OP_JGE:
		step->span = imm - 1;
		break;
	default: /* TAP_OP_JSET */
		step->mask = insn->imm;
		return;
	}
	step->low ^= flip;
	/* None: below the least number, or above the greatest. */
	if ((insn->sub == TAP_OP_JGE && !imm) ||
	    (insn->sub == TAP_OP_JLE && imm == U64_MAX)) {
		step->mask = 0;
		step->low = 1;
		step->span = 0;
	}
}

/* A test that can reject, of a register and a constant. */
static bool tap_plan_test(struct tap_planner *p, const struct tap_insn *insn)
{
	struct tap_plan_step *step = &p->plan->steps[p->plan->nr];

	if (insn->sub == TAP_OP_JUMP || insn->off != TAP_OP_REJECT ||
	    insn->src != TAP_OP_IMM_SRC || !p->reg[insn->dst].size ||
	    (p->loaded != TAP_NOT_LOADED && p->loaded != insn->dst))
		return false;
	*step = p->reg[insn->dst];
	tap_plan_compare(insn, step);
	p->plan->nr++;
	p->loaded = TAP_NOT_LOADED;
	return true;
}

static bool tap_plan_add(struct tap_planner *p, const struct tap_insn *insn)
{
	struct tap_plan_step step;

	if (insn->code == TAP_INSN_JUMP || insn->code == TAP_INSN_JNE)
		return tap_plan_test(p, insn);
	if (insn->code == TAP_INSN_LOAD) {
		if (p->loaded != TAP_NOT_LOADED && p->loaded != insn->src)
			return false;
		if (!tap_plan_load(p, insn, &step))
			return false;
	} else if (p->loaded != TAP_NOT_LOADED ||
		   !tap_plan_source(insn, &step)) {
		return false;
	}
	p->loaded = TAP_NOT_LOADED;
	if (insn->dst < TAP_DST_OUT) {
		/* Of the outputs so far: not the same later. */
		if (step.source == TAP_PLAN_ABSENT)
			return false;
		p->reg[insn->dst] = step;
		if (insn->code == TAP_INSN_LOAD)
			p->loaded = insn->dst;
		return true;
	}
	step.output = insn->dst - TAP_DST_OUT;
	p->plan->steps[p->plan->nr++] = step;
	return true;
}

/* How many tests at the begin need no memory. */
static unsigned int tap_plan_quick(const struct tap_plan *plan)
{
	unsigned int i;

	for (i = 0; i < plan->tests; i++) {
		const struct tap_plan_step *step = &plan->steps[i];

		if (step->levels || step->source > TAP_PLAN_TGID)
			break;
	}
	return i;
}

/* Describes the words of a record of one slot, if all of them are simple. */
static bool tap_plan_simple(struct tap_plan *plan)
{
	struct tap_plan_word *word = plan->word;
	unsigned int i;

	if (plan->bytes != TAP_SLOT_SIZE || plan->quick != plan->tests)
		return false;
	for (i = plan->tests; i < plan->nr; i++, word++) {
		const struct tap_plan_step *step = &plan->steps[i];

		if (step->shift || step->levels > 1)
			return false;
		switch (step->source) {
		case TAP_PLAN_BASE:
			word->kind = step->levels ? TAP_PLAN_FOLLOW :
						    TAP_PLAN_WORD;
			word->at = step->at;
			word->off = step->off[0];
			break;
		case TAP_PLAN_COMM:
			word++->kind = TAP_PLAN_NAME0;
			word->kind = TAP_PLAN_NAME1;
			break;
		case TAP_PLAN_ABSENT:
			/* Where something is absent, it is not simple any more. */
			word->kind = TAP_PLAN_ZERO;
			break;
		default:
			return false;
		}
	}
	return true;
}

/* Finds out whether hits can be recorded, or counted, in the shortest way. */
static void tap_plan_shorten(const struct tap_probe *probe, struct tap_plan *plan)
{
	const struct tap_aggregation *agg = probe->agg;

	if (probe->prog.ret.end || !tap_plan_simple(plan))
		return;
	plan->simple = !probe->counts;
	if (!agg || agg->nr_keys != 1 || agg->nr_values)
		return;
	/* Whether an output is absent is known when it was fetched. */
	if (plan->word[agg->key[0]].kind == TAP_PLAN_ZERO)
		return;
	plan->keyed = true;
	plan->key = agg->key[0];
}

/**
 * tap_plan_make() - make the plan of a probe's entry, if it can have one
 * @probe: settled, not attached
 *
 * Context: process.
 * Return: 0, or -ENOMEM.
 */
int tap_plan_make(struct tap_probe *probe)
{
	const struct tap_program *prog = &probe->prog;
	const struct tap_part *part = &prog->entry;
	struct tap_planner p = { .probe = probe, .loaded = TAP_NOT_LOADED };
	unsigned int i;

	/*
	 * A plan knows one clock, redacts nothing, reads no counter, and is not
	 * for events' data.
	 */
	if (!probe->raw || probe->redact || prog->event || prog->nr_pmu)
		return 0;
	p.plan = kzalloc(struct_size(p.plan, steps, part->end),
			 GFP_KERNEL_ACCOUNT);
	if (!p.plan)
		return -ENOMEM;
	for (i = 0; i < part->end; i++) {
		if (i == part->tests)
			p.plan->tests = p.plan->nr;
		if (!tap_plan_add(&p, &part->insns[i]))
			goto none;
	}
	if (part->tests == part->end)
		p.plan->tests = p.plan->nr;
	if (p.loaded != TAP_NOT_LOADED)
		goto none;
	p.plan->bytes = ((probe->ident >> 16) & 0xff) << TAP_SLOT_SHIFT;
	p.plan->quick = tap_plan_quick(p.plan);
	p.plan->plain = probe->plain;
	tap_plan_shorten(probe, p.plan);
	probe->plan = p.plan;
	return 0;

none:
	kfree(p.plan);
	return 0;
}
