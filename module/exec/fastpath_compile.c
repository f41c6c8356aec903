// SPDX-License-Identifier: GPL-2.0
/*
 * Compiles the entry of a program into a fast path. The compiler goes through the
 * instructions in order. For each register it stores the op that computes the register's
 * value at that point. It gives up at the first instruction that no op can express.
 */
#include <linux/overflow.h>
#include <linux/slab.h>

#include "common/record_slots.h"
#include "core/probe.h"
#include "exec/aggregate.h"
#include "exec/call_task.h"
#include "exec/fastpath.h"
#include "exec/fastpath_compile.h"

/**
 * struct tap_fastpath_compiler - state of the compiler
 * @probe: the probe, read only
 * @fp: the fast path so far; @nr counts its ops
 * @reg: the op that computes each register; .size 0: the register has not been written
 * @loaded: register that the previous instruction loaded from memory, or TAP_NOT_LOADED.
 *	The next instruction must use it: the interpreter charges a fault to the next test
 *	or output, and the fast path must charge it to the same one
 */
struct tap_fastpath_compiler {
	const struct tapmod_probe *probe;
	struct tap_fastpath *fp;
	struct tap_fastpath_op reg[TAP_NR_REGISTERS];
	int loaded;
};

#define TAP_NOT_LOADED	(-1)

/* Translates a value that needs the base or the task alone; false if there is no op. */
static bool tap_fastpath_source(const struct tapmod_probe *probe,
				const struct tap_insn *insn,
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
		/* The op reads 8 bytes and drops the upper ones; bases have whole words. */
		op->at = insn->off;
		return true;
	case TAP_INSN_TGID:
		op->source = TAP_FASTPATH_TGID;
		return true;
	case TAP_INSN_COMM:
		op->source = TAP_FASTPATH_COMM;
		op->size = 8;
		return true;
	case TAP_INSN_BYTES:
		if (insn->sub != TAP_OP_FIELD_BYTES)
			return false;
		op->source = TAP_FASTPATH_BYTES;
		op->size = 8;
		op->shift = 0;
		op->at = insn->off;
		op->which = insn->imm;
		return true;
	case TAP_INSN_VALUE:
		if (insn->sub != TAP_OP_VAR || insn->off == TAP_VAR_DURATION ||
		    insn->off == TAP_VAR_SYSCALL || insn->off == TAP_VAR_FLAGS ||
		    insn->off == TAP_VAR_DIVISION || insn->off == TAP_VAR_TRIGGER ||
		    insn->off == TAP_VAR_GATE)
			return false;
		op->source = insn->off == TAP_VAR_ABSENT ? TAP_FASTPATH_ABSENT :
							     TAP_FASTPATH_TASK;
		op->at = insn->off;
		op->which = insn->imm;
		if (insn->off == TAP_VAR_FOLLOWED) {
			op->source = TAP_FASTPATH_FOLLOWED;
			op->which = (unsigned long)probe->followed;
		} else if (insn->off == TAP_VAR_INSIDE) {
			op->source = TAP_FASTPATH_INSIDE;
		}
		return true;
	default:
		return false;
	}
}

/* Translates a load: the op of the address register, with one level more. */
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

/* Sets the interval of the values that do not make a rejecting jump. */
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
	/* No value passes: ">= least number" and "<= greatest number" always reject. */
	if ((insn->sub == TAP_OP_JGE && !imm) ||
	    (insn->sub == TAP_OP_JLE && imm == U64_MAX)) {
		op->mask = 0;
		op->low = 1;
		op->span = 0;
	}
}

/* Translates a jump to TAP_OP_REJECT that compares a register with a constant. */
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
		   !tap_fastpath_source(p->probe, insn, &op)) {
		return false;
	}
	p->loaded = TAP_NOT_LOADED;
	if (insn->dst < TAP_DST_OUT) {
		/* Its value at the time of use would be another one. */
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

/*
 * Moves the filters to the front of the leading tests that read no memory, and counts them: the
 * order of such tests does not matter.
 */
static void tap_fastpath_make_filters(struct tap_fastpath *fp)
{
	struct tap_fastpath_op op;
	unsigned int i, at;

	for (i = 0; i < fp->tests; i++) {
		op = fp->ops[i];
		if (op.levels || op.source > TAP_FASTPATH_INSIDE)
			break;
		if (op.source == TAP_FASTPATH_INSIDE)
			continue;
		for (at = i; at > fp->filters; at--)
			fp->ops[at] = fp->ops[at - 1];
		fp->ops[fp->filters++] = op;
	}
}

/* Sets @inside and @outside if the only test behind the filters is one of a frame. */
static bool tap_fastpath_make_inside(struct tap_fastpath *fp)
{
	const struct tap_fastpath_op *op = &fp->ops[fp->filters];

	if (fp->filters + 1 != fp->tests || op->source != TAP_FASTPATH_INSIDE || op->levels)
		return false;
	fp->inside = op->which;
	fp->outside = tap_fastpath_rejects(op, 1);
	return fp->outside != tap_fastpath_rejects(op, 0);
}

/* Describes the words of a record of one slot; false if an op cannot be one of them. */
static bool tap_fastpath_make_one_slot(struct tap_fastpath *fp)
{
	struct tap_fastpath_word *word = fp->word;
	unsigned int i, at;

	if (fp->bytes != TAP_SLOT_SIZE)
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
		case TAP_FASTPATH_BYTES:
			/* Only whole words. */
			if (op->which % sizeof(u64))
				return false;
			for (at = 0; at < op->which; at += sizeof(u64)) {
				word->kind = TAP_FASTPATH_WORD;
				word++->at = op->at + at;
			}
			word--;
			break;
		case TAP_FASTPATH_ABSENT:
			/* If an output is absent, tap_fastpath_make_one_slot() gives up. */
			word->kind = TAP_FASTPATH_ZERO;
			break;
		default:
			return false;
		}
	}
	return true;
}

/* Sets @plain and @named. */
static void tap_fastpath_make_plain(struct tap_fastpath *fp)
{
	unsigned int others = fp->nr - fp->tests - fp->nr_loads;

	fp->named = others == 1 && fp->ops[fp->nr - 1].source == TAP_FASTPATH_COMM;
	fp->plain = fp->filters == fp->tests && (!others || fp->named);
}

/* The way of an event that has passed all tests; none of them reads memory. */
static enum tap_fastpath_way
tap_fastpath_choose(const struct tapmod_probe *probe, struct tap_fastpath *fp)
{
	const struct tapmod_aggregation *agg = probe->agg;

	if (probe->prog.ret.end)
		return TAP_FASTPATH_OPS;
	if (probe->span && !probe->span_extra)
		return fp->nr_loads == fp->nr - fp->tests ? TAP_FASTPATH_TO_SPAN : TAP_FASTPATH_OPS;
	if (!tap_fastpath_make_one_slot(fp))
		return TAP_FASTPATH_OPS;
	if (!probe->counts)
		return TAP_FASTPATH_ONE_SLOT;
	if (!agg || agg->nr_keys != 1 || agg->nr_values)
		return TAP_FASTPATH_OPS;
	fp->key = agg->key[0];
	/* TAP_VAR_ABSENT as a key: only tap_fastpath_outputs() computes it. */
	return fp->word[fp->key].kind == TAP_FASTPATH_ZERO ? TAP_FASTPATH_OPS :
							     TAP_FASTPATH_BY_KEY;
}

/*
 * Whether the return of a call only says how its duration divides: by a TAP_OP_DIVISION, then
 * stacks of the longest wait, then which outputs are absent.
 */
static bool tap_fastpath_only_divides(const struct tap_program *prog)
{
	const struct tap_insn *insn = prog->ret.insns, *end = insn + prog->ret.end;

	if (prog->ret.tests || insn == end || insn->sub != TAP_OP_DIVISION || insn->off)
		return false;
	while (++insn < end && insn->sub == TAP_OP_WAIT_STACK && !insn->src)
		;
	if (insn < end && insn->sub == TAP_OP_VAR && insn->off == TAP_VAR_ABSENT &&
	    insn->dst >= TAP_DST_OUT)
		insn++;
	return insn == end;
}

/*
 * Sets the first test of the return, if it compares a value of the base with a constant: most calls
 * fail there, and need no interpreter. One that passes is tested again.
 */
static void tap_fastpath_make_return(struct tap_fastpath_compiler *p)
{
	const struct tap_part *part = &p->probe->prog.ret;
	const struct tap_insn *load = part->insns, *jump = load + 1;
	struct tap_fastpath_op *op = &p->fp->at_return;

	if (part->tests < 2 || load->dst >= TAP_DST_OUT ||
	    !tap_fastpath_source(p->probe, load, op) || op->source != TAP_FASTPATH_BASE ||
	    (jump->code != TAP_INSN_JUMP && jump->code != TAP_INSN_JNE) ||
	    jump->sub == TAP_OP_JUMP || jump->off != TAP_OP_REJECT ||
	    jump->src != TAP_OP_IMM_SRC || jump->dst != load->dst)
		return;
	tap_fastpath_compare(jump, op);
	p->fp->returns = true;
}

/* Sets the fast path of a call that has a frame, or whose duration is divided. */
static void tap_fastpath_in_task(struct tapmod_probe *probe, struct tap_fastpath *fp)
{
	unsigned int slots = tap_words_slots(probe->prog.entry_words + TAP_NR_PARTS);

	probe->fp_in_task = fp;
	if (!probe->counts && tap_fastpath_only_divides(&probe->prog) &&
	    slots <= TAP_DIVIDED_SLOTS)
		probe->divided_slots = slots;
}

/**
 * tap_fastpath_make() - compile the entry of a probe's program into a fast path
 * @probe: tap_probe_finalize() has run, ->attach() has not. @fp or @fp_in_task is set if the
 *	program can have a fast path; the caller frees both with kfree()
 *
 * Context: process, may sleep.
 * Return: 0, also if there is no fast path; -ENOMEM.
 */
int tap_fastpath_make(struct tapmod_probe *probe)
{
	const struct tap_program *prog = &probe->prog;
	const struct tap_part *part = &prog->entry;
	struct tap_fastpath_compiler p = { .probe = probe, .loaded = TAP_NOT_LOADED };
	unsigned int i;
	bool inside;

	/*
	 * A fast path reads the counter as %TAPMOD_CLOCK_RAW does, does not redact, reads
	 * no PMU counter, and does not check the size of an event's own data: those of a
	 * tracepoint have been checked by the handlers that use a fast path, and those of a
	 * span have the size that the verifier knows. How the duration of a span divides is for
	 * the interpreter, too.
	 */
	if (probe->clock != TAPMOD_CLOCK_RAW || probe->redact || prog->nr_pmu ||
	    (prog->divides && !probe->task_words) ||
	    (prog->event && probe->type != TAP_PROBE_TRACEPOINT &&
	     probe->type != TAP_PROBE_SPAN))
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
	tap_fastpath_make_filters(p.fp);
	p.fp->nr_loads = probe->nr_loads;
	tap_fastpath_make_plain(p.fp);
	tap_fastpath_make_return(&p);
	inside = tap_fastpath_make_inside(p.fp);
	if (inside || p.fp->filters == p.fp->tests)
		p.fp->behind = tap_fastpath_choose(probe, p.fp);
	p.fp->way = inside ? TAP_FASTPATH_IF_INSIDE : p.fp->behind;
	probe->span_one = p.fp->behind == TAP_FASTPATH_TO_SPAN && probe->prog.words == 1;
	if (probe->task_words)
		tap_fastpath_in_task(probe, p.fp);
	else
		probe->fp = p.fp;
	return 0;

none:
	kfree(p.fp);
	return 0;
}

/**
 * tap_fastpath_find_block() - whether a record is a block of the base
 * @probe: its fast path has been made
 *
 * The only test may be the one whether the session follows the task.
 *
 * Context: any.
 * Return: the block; .nr is 0 if the record has other outputs, or if there are other tests.
 */
struct tap_fastpath_block tap_fastpath_find_block(const struct tapmod_probe *probe)
{
	struct tap_fastpath_block none = { 0 }, block = { 0 };
	const struct tap_fastpath *fp = probe->fp;
	const struct tap_fastpath_op *op;
	unsigned int i, nr;

	if (!fp || probe->counts || probe->prog.ret.end ||
	    (probe->prog.tested && !tap_probe_only_follows(probe)))
		return none;
	for (i = fp->tests; i < fp->nr && !block.named; i++) {
		op = &fp->ops[i];
		nr = op->source == TAP_FASTPATH_BYTES ? op->which / sizeof(u64) : 1;
		if (op->source == TAP_FASTPATH_COMM) {
			block.named = true;
			continue;
		}
		if ((op->source != TAP_FASTPATH_BASE && op->source != TAP_FASTPATH_BYTES) ||
		    op->levels || op->shift || op->which % sizeof(u64))
			return none;
		if (!block.nr)
			block.at = op->at;
		else if (op->at != block.at + block.nr * sizeof(u64))
			return none;
		block.nr += nr;
	}
	return i == fp->nr ? block : none;
}
