// SPDX-License-Identifier: GPL-2.0
/*
 * Compiles a program into a fast path: follows the instructions as if they ran, and
 * keeps for each register which op computes it, in place of its value.
 */
#include <linux/overflow.h>
#include <linux/slab.h>

#include "core/probe.h"
#include "exec/aggregate.h"
#include "exec/fastpath.h"
#include "exec/fastpath_compile.h"

/**
 * struct tap_fastpath_compiler - a fast path that is being made
 * @probe: its probe
 * @fp: the fast path
 * @reg: the op that computes each register; .size 0: no op of a fast path can
 * @loaded: a register that the op before loaded from memory; it is to be used
 *	at once, so that a fault is that of its own test or output
 */
struct tap_fastpath_compiler {
	const struct tapmod_probe *probe;
	struct tap_fastpath *fp;
	struct tap_fastpath_op reg[TAP_NR_REGISTERS];
	int loaded;
};

#define TAP_NOT_LOADED	(-1)

/* What an op makes of nothing but the base and the task. */
static bool tap_fastpath_source(const struct tap_insn *insn,
				struct tap_fastpath_op *op)
{
	*op = (struct tap_fastpath_op){
		.size = insn->size,
		.shift = TAP_SHIFT(insn->size),
		.sign = !!insn->sign,
	};
	switch (insn->code) {
	case TAP_INSN_BASE:
	case TAP_INSN_BASE_PART:
		op->source = TAP_FASTPATH_BASE;
		/* All 8 bytes are read: a base is of whole words. */
		op->at = insn->off;
		return true;
	case TAP_INSN_TGID:
		op->source = TAP_FASTPATH_TGID;
		return true;
	case TAP_INSN_COMM:
		op->source = TAP_FASTPATH_COMM;
		op->size = 8;
		return true;
	case TAP_INSN_VALUE:
		if (insn->sub != TAP_OP_VAR || insn->off == TAP_VAR_DURATION ||
		    insn->off == TAP_VAR_SYSCALL)
			return false;
		op->source = insn->off == TAP_VAR_ABSENT ? TAP_FASTPATH_ABSENT :
							     TAP_FASTPATH_TASK;
		op->at = insn->off;
		op->which = insn->imm;
		return true;
	default:
		return false;
	}
}

/* One level more: what a register leads to. */
static bool tap_fastpath_load(struct tap_fastpath_compiler *p, const struct tap_insn *insn,
			      struct tap_fastpath_op *op)
{
	const struct tap_fastpath_op *from = &p->reg[insn->src];

	if (from->size != 8 || from->levels == TAP_FASTPATH_LEVELS)
		return false;
	*op = *from;
	op->off[op->levels++] = insn->off;
	op->size = insn->size;
	op->shift = TAP_SHIFT(insn->size);
	op->sign = !!insn->sign;
	return true;
}

/* Which values pass a comparison that rejects. */
static void tap_fastpath_compare(const struct tap_insn *insn,
				 struct tap_fastpath_op *op)
{
	u64 flip = insn->sign ? BIT_ULL(63) : 0, imm = insn->imm ^ flip;

	op->mask = U64_MAX;
	switch (insn->sub) {
	case TAP_OP_JEQ:
		op->low = imm + 1;
		op->span = U64_MAX - 1;
		break;
	case TAP_OP_JNE:
		op->low = imm;
		break;
	case TAP_OP_JLT:
		op->low = imm;
		op->span = U64_MAX - imm;
		break;
	case TAP_OP_JLE:
		op->low = imm + 1;
		op->span = U64_MAX - imm - 1;
		break;
	case TAP_OP_JGT:
		op->span = imm;
		break;
	case TAP_OP_JGE:
		op->span = imm - 1;
		break;
	default: /* TAP_OP_JSET */
		op->mask = insn->imm;
		return;
	}
	op->low ^= flip;
	/* None: below the least number, or above the greatest. */
	if ((insn->sub == TAP_OP_JGE && !imm) ||
	    (insn->sub == TAP_OP_JLE && imm == U64_MAX)) {
		op->mask = 0;
		op->low = 1;
		op->span = 0;
	}
}

/* A test that can reject, of a register and a constant. */
static bool tap_fastpath_test(struct tap_fastpath_compiler *p, const struct tap_insn *insn)
{
	struct tap_fastpath_op *op = &p->fp->ops[p->fp->nr];

	if (insn->sub == TAP_OP_JUMP || insn->off != TAP_OP_REJECT ||
	    insn->src != TAP_OP_IMM_SRC || !p->reg[insn->dst].size ||
	    (p->loaded != TAP_NOT_LOADED && p->loaded != insn->dst))
		return false;
	*op = p->reg[insn->dst];
	tap_fastpath_compare(insn, op);
	p->fp->nr++;
	p->loaded = TAP_NOT_LOADED;
	return true;
}

static bool tap_fastpath_add(struct tap_fastpath_compiler *p, const struct tap_insn *insn)
{
	struct tap_fastpath_op op;

	if (insn->code == TAP_INSN_JUMP || insn->code == TAP_INSN_JNE)
		return tap_fastpath_test(p, insn);
	if (insn->code == TAP_INSN_LOAD) {
		if (p->loaded != TAP_NOT_LOADED && p->loaded != insn->src)
			return false;
		if (!tap_fastpath_load(p, insn, &op))
			return false;
	} else if (p->loaded != TAP_NOT_LOADED ||
		   !tap_fastpath_source(insn, &op)) {
		return false;
	}
	p->loaded = TAP_NOT_LOADED;
	if (insn->dst < TAP_DST_OUT) {
		/* Of the outputs so far: not the same later. */
		if (op.source == TAP_FASTPATH_ABSENT)
			return false;
		p->reg[insn->dst] = op;
		if (insn->code == TAP_INSN_LOAD)
			p->loaded = insn->dst;
		return true;
	}
	op.output = insn->dst - TAP_DST_OUT;
	p->fp->ops[p->fp->nr++] = op;
	return true;
}

/* How many of the first tests need no memory. */
static unsigned int tap_fastpath_make_filters(const struct tap_fastpath *fp)
{
	unsigned int i;

	for (i = 0; i < fp->tests; i++) {
		const struct tap_fastpath_op *op = &fp->ops[i];

		if (op->levels || op->source > TAP_FASTPATH_TGID)
			break;
	}
	return i;
}

/* Describes the words of a record of one slot; false if an op cannot be one of them. */
static bool tap_fastpath_make_one_slot(struct tap_fastpath *fp)
{
	struct tap_fastpath_word *word = fp->word;
	unsigned int i;

	if (fp->bytes != TAP_SLOT_SIZE || fp->filters != fp->tests)
		return false;
	for (i = fp->tests; i < fp->nr; i++, word++) {
		const struct tap_fastpath_op *op = &fp->ops[i];

		if (op->shift || op->levels > 1)
			return false;
		switch (op->source) {
		case TAP_FASTPATH_BASE:
			word->kind = op->levels ? TAP_FASTPATH_FOLLOW :
						    TAP_FASTPATH_WORD;
			word->at = op->at;
			word->off = op->off[0];
			break;
		case TAP_FASTPATH_COMM:
			word++->kind = TAP_FASTPATH_NAME0;
			word->kind = TAP_FASTPATH_NAME1;
			break;
		case TAP_FASTPATH_ABSENT:
			/* Zero: with an absent output the record is not made in this way. */
			word->kind = TAP_FASTPATH_ZERO;
			break;
		default:
			return false;
		}
	}
	return true;
}

/* Finds out whether events can be recorded, or counted, in the shortest way. */
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
 * tap_fastpath_make() - make the fast path of a probe's entry, if it can have one
 * @probe: finalized, not attached
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
	 * A fast path reads the raw clock, redacts nothing, reads no counter, and
	 * knows no event's own data.
	 */
	if (!probe->raw || probe->redact || prog->event || prog->nr_pmu)
		return 0;
	p.fp = kzalloc(struct_size(p.fp, ops, part->end),
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
