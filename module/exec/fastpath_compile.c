// SPDX-License-Identifier: GPL-2.0
/*
 * Making a plan: the program is followed as if it ran, with what each register
 * stands for in the place of its value.
 */
#include <linux/overflow.h>
#include <linux/slab.h>

#include "core/probe.h"
#include "exec/aggregate.h"
#include "exec/fastpath.h"
#include "exec/fastpath_compile.h"

/**
 * struct tap_fastpath_compiler - a plan that is being made
 * @probe: whose
 * @fp: the plan
 * @reg: what each register stands for; .size 0: nothing that a plan has
 * @loaded: a register that the step before loaded from memory; it is to be used
 *	at once, so that a fault is that of its own test or output
 */
struct tap_fastpath_compiler {
	const struct tapmod_probe *probe;
	struct tap_fastpath *fp;
	struct tap_fastpath_op reg[TAP_NR_REGISTERS];
	int loaded;
};

#define TAP_NOT_LOADED	(-1)

/* What a step makes of nothing but the base and the task. */
static bool tap_fastpath_source(const struct tap_insn *insn,
				struct tap_fastpath_op *step)
{
	*step = (struct tap_fastpath_op){
		.size = insn->size,
		.shift = TAP_SHIFT(insn->size),
		.sign = !!insn->sign,
	};
	switch (insn->code) {
	case TAP_INSN_BASE:
	case TAP_INSN_BASE_PART:
		step->source = TAP_FASTPATH_BASE;
		/* All 8 bytes are read: a base is of whole words. */
		step->at = insn->off;
		return true;
	case TAP_INSN_TGID:
		step->source = TAP_FASTPATH_TGID;
		return true;
	case TAP_INSN_COMM:
		step->source = TAP_FASTPATH_COMM;
		step->size = 8;
		return true;
	case TAP_INSN_VALUE:
		if (insn->sub != TAP_OP_VAR || insn->off == TAP_VAR_DURATION ||
		    insn->off == TAP_VAR_SYSCALL)
			return false;
		step->source = insn->off == TAP_VAR_ABSENT ? TAP_FASTPATH_ABSENT :
							     TAP_FASTPATH_TASK;
		step->at = insn->off;
		step->which = insn->imm;
		return true;
	default:
		return false;
	}
}

/* One level more: what a register leads to. */
static bool tap_fastpath_load(struct tap_fastpath_compiler *p, const struct tap_insn *insn,
			      struct tap_fastpath_op *step)
{
	const struct tap_fastpath_op *from = &p->reg[insn->src];

	if (from->size != 8 || from->levels == TAP_FASTPATH_LEVELS)
		return false;
	*step = *from;
	step->off[step->levels++] = insn->off;
	step->size = insn->size;
	step->shift = TAP_SHIFT(insn->size);
	step->sign = !!insn->sign;
	return true;
}

/* Which values pass a comparison that rejects. */
static void tap_fastpath_compare(const struct tap_insn *insn,
				 struct tap_fastpath_op *step)
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
static bool tap_fastpath_test(struct tap_fastpath_compiler *p, const struct tap_insn *insn)
{
	struct tap_fastpath_op *step = &p->fp->steps[p->fp->nr];

	if (insn->sub == TAP_OP_JUMP || insn->off != TAP_OP_REJECT ||
	    insn->src != TAP_OP_IMM_SRC || !p->reg[insn->dst].size ||
	    (p->loaded != TAP_NOT_LOADED && p->loaded != insn->dst))
		return false;
	*step = p->reg[insn->dst];
	tap_fastpath_compare(insn, step);
	p->fp->nr++;
	p->loaded = TAP_NOT_LOADED;
	return true;
}

static bool tap_fastpath_add(struct tap_fastpath_compiler *p, const struct tap_insn *insn)
{
	struct tap_fastpath_op step;

	if (insn->code == TAP_INSN_JUMP || insn->code == TAP_INSN_JNE)
		return tap_fastpath_test(p, insn);
	if (insn->code == TAP_INSN_LOAD) {
		if (p->loaded != TAP_NOT_LOADED && p->loaded != insn->src)
			return false;
		if (!tap_fastpath_load(p, insn, &step))
			return false;
	} else if (p->loaded != TAP_NOT_LOADED ||
		   !tap_fastpath_source(insn, &step)) {
		return false;
	}
	p->loaded = TAP_NOT_LOADED;
	if (insn->dst < TAP_DST_OUT) {
		/* Of the outputs so far: not the same later. */
		if (step.source == TAP_FASTPATH_ABSENT)
			return false;
		p->reg[insn->dst] = step;
		if (insn->code == TAP_INSN_LOAD)
			p->loaded = insn->dst;
		return true;
	}
	step.output = insn->dst - TAP_DST_OUT;
	p->fp->steps[p->fp->nr++] = step;
	return true;
}

/* How many tests at the begin need no memory. */
static unsigned int tap_fastpath_make_filters(const struct tap_fastpath *fp)
{
	unsigned int i;

	for (i = 0; i < fp->tests; i++) {
		const struct tap_fastpath_op *step = &fp->steps[i];

		if (step->levels || step->source > TAP_FASTPATH_TGID)
			break;
	}
	return i;
}

/* Describes the words of a record of one slot, if all of them are simple. */
static bool tap_fastpath_make_one_slot(struct tap_fastpath *fp)
{
	struct tap_fastpath_word *word = fp->word;
	unsigned int i;

	if (fp->bytes != TAP_SLOT_SIZE || fp->filters != fp->tests)
		return false;
	for (i = fp->tests; i < fp->nr; i++, word++) {
		const struct tap_fastpath_op *step = &fp->steps[i];

		if (step->shift || step->levels > 1)
			return false;
		switch (step->source) {
		case TAP_FASTPATH_BASE:
			word->kind = step->levels ? TAP_FASTPATH_FOLLOW :
						    TAP_FASTPATH_WORD;
			word->at = step->at;
			word->off = step->off[0];
			break;
		case TAP_FASTPATH_COMM:
			word++->kind = TAP_FASTPATH_NAME0;
			word->kind = TAP_FASTPATH_NAME1;
			break;
		case TAP_FASTPATH_ABSENT:
			/* Where something is absent, it is not simple any more. */
			word->kind = TAP_FASTPATH_ZERO;
			break;
		default:
			return false;
		}
	}
	return true;
}

/* Finds out whether hits can be recorded, or counted, in the shortest way. */
static void tap_fastpath_shorten(const struct tapmod_probe *probe, struct tap_fastpath *fp)
{
	const struct tapmod_aggregation *agg = probe->agg;

	if (probe->prog.ret.end || !tap_fastpath_make_one_slot(fp))
		return;
	fp->one_slot = !probe->counts;
	if (!agg || agg->nr_keys != 1 || agg->nr_values)
		return;
	/* Whether an output is absent is known when it was fetched. */
	if (fp->word[agg->key[0]].kind == TAP_FASTPATH_ZERO)
		return;
	fp->by_key = true;
	fp->key = agg->key[0];
}

/**
 * tap_fastpath_make() - make the plan of a probe's entry, if it can have one
 * @probe: settled, not attached
 *
 * Context: process.
 * Return: 0, or -ENOMEM.
 */
int tap_fastpath_make(struct tapmod_probe *probe)
{
	const struct tap_program *prog = &probe->prog;
	const struct tap_part *part = &prog->entry;
	struct tap_fastpath_compiler p = { .probe = probe, .loaded = TAP_NOT_LOADED };
	unsigned int i;

	/*
	 * A plan knows one clock, redacts nothing, reads no counter, and is not
	 * for events' data.
	 */
	if (!probe->raw || probe->redact || prog->event || prog->nr_pmu)
		return 0;
	p.fp = kzalloc(struct_size(p.fp, steps, part->end),
		       GFP_KERNEL_ACCOUNT);
	if (!p.fp)
		return -ENOMEM;
	for (i = 0; i < part->end; i++) {
		if (i == part->tests)
			p.fp->tests = p.fp->nr;
		if (!tap_fastpath_add(&p, &part->insns[i]))
			goto none;
	}
	if (part->tests == part->end)
		p.fp->tests = p.fp->nr;
	if (p.loaded != TAP_NOT_LOADED)
		goto none;
	p.fp->bytes = ((probe->ident >> 16) & 0xff) << TAP_SLOT_SHIFT;
	p.fp->filters = tap_fastpath_make_filters(p.fp);
	p.fp->nr_loads = probe->nr_loads;
	tap_fastpath_shorten(probe, p.fp);
	probe->fp = p.fp;
	return 0;

none:
	kfree(p.fp);
	return 0;
}
