// SPDX-License-Identifier: GPL-2.0
/*
 * The verifier: checks a program once, in process context, and translates it into the
 * instructions of the interpreter, which runs them at every event without checks.
 */
#include <linux/kprobes.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "common/program_cost.h"
#include "compat/arch.h"
#include "exec/op_form.h"
#include "exec/stacktrace.h"
#include "exec/verifier.h"

const u16 tap_arg_offset[TAP_NR_ARGS] = TAP_ARG_OFFSETS;

/**
 * struct tap_verifier - state of the verifier
 * @prog: the program that it fills in
 * @env: the values that the probe offers
 * @part: the part that it verifies at the moment
 * @ret: @part is that of the return
 * @jumped_to: index of the farthest instruction that a jump so far leads to
 * @output: there has been an output
 * @known: for each instruction of @part a bit for each register that is written on all
 *	paths to it
 */
struct tap_verifier {
	struct tap_program *prog;
	const struct tap_program_env *env;
	struct tap_part *part;
	bool ret;
	u16 jumped_to;
	bool output;
	u8 known[TAP_MAX_OPS + 1];
};

/* Whether bytes at an offset are inside every event's own data. */
static bool tap_perf_sample_has(const struct tap_program_env *env, s32 off, u64 bytes)
{
	return off >= 0 && off < env->event_size &&
	       bytes <= env->event_size - off;
}

/* Translates to a load from the base; the caller has checked the offset. */
static int tap_verify_base(struct tap_insn *insn, u32 offset)
{
	insn->code = insn->size == 8 ? TAP_INSN_BASE : TAP_INSN_BASE_PART;
	insn->off = offset;
	return 0;
}

static int tap_verify_arg(struct tap_verifier *v, struct tap_insn *insn)
{
	if (insn->off < 0 || insn->off >= TAP_NR_ARGS)
		return -EINVAL;
	/* At the return the function may have overwritten its arguments. */
	if (!v->env->arg_offset || v->ret)
		return -EOPNOTSUPP;
	return tap_verify_base(insn, v->env->arg_offset[insn->off]);
}

static int tap_verify_reg(struct tap_verifier *v, struct tap_insn *insn)
{
	if (insn->off < 0 || insn->off % sizeof(u64) ||
	    insn->off > TAP_REGS_SIZE - sizeof(u64))
		return -EINVAL;
	if (!v->env->regs || v->ret)
		return -EOPNOTSUPP;
	return tap_verify_base(insn, insn->off);
}

static int tap_verify_field(struct tap_verifier *v, struct tap_insn *insn)
{
	if (!v->env->event_size)
		return -EOPNOTSUPP;
	if (!tap_perf_sample_has(v->env, insn->off, insn->size))
		return -EINVAL;
	return tap_verify_base(insn, insn->off);
}

static int tap_verify_retval(struct tap_verifier *v, struct tap_insn *insn)
{
	if (!v->env->retval && !v->ret)
		return -EOPNOTSUPP;
	return tap_verify_base(insn, v->env->retval_offset);
}

static int tap_verify_word(struct tap_verifier *v, struct tap_insn *insn)
{
	if (!v->ret)
		return -EOPNOTSUPP;
	if (insn->off < v->env->first_word || insn->off >= v->prog->entry_words)
		return -EINVAL;
	return 0;
}

static int tap_verify_pmu(struct tap_verifier *v, struct tap_insn *insn)
{
	if (insn->off < 0 || insn->off >= v->env->nr_pmu)
		return -EINVAL;
	/* At a return, and of a span, the interpreter takes the growth from tap_interp.pmu. */
	insn->src = v->ret || v->env->lasts;
	if (insn->src)
		v->prog->nr_pmu = max_t(u8, v->prog->nr_pmu, insn->off + 1);
	return 0;
}

/* Flags of a record that are known when its program runs. */
static u64 tap_verify_flags(const struct tap_verifier *v)
{
	u64 context = TAP_F_HARDIRQ | TAP_F_SOFTIRQ | TAP_F_NMI;

	return v->ret ? context | TAP_F_MIGRATED | TAP_F_DESCHEDULED | TAP_F_NESTED : context;
}

/* The program reads how the duration divides. */
static int tap_verify_divides(struct tap_verifier *v)
{
	if (!v->ret && !v->env->lasts)
		return -EOPNOTSUPP;
	if (!v->env->division)
		return -EINVAL;
	v->prog->divides = true;
	return 0;
}

static int tap_verify_inside(const struct tap_verifier *v, u64 imm)
{
	u64 frame = imm & TAP_INSIDE_FRAME;

	return v->env->frames && frame && frame <= TAP_MAX_FRAME &&
	       !(imm & ~(TAP_INSIDE_FRAME | TAP_INSIDE_ANY | TAP_INSIDE_IRQ)) ? 0 : -EINVAL;
}

static int tap_verify_var(struct tap_verifier *v, struct tap_insn *insn)
{
	switch (insn->off) {
	case TAP_VAR_TGID:
		insn->code = TAP_INSN_TGID;
		fallthrough;
	case TAP_VAR_TID:
	case TAP_VAR_CPU:
	case TAP_VAR_UID:
	case TAP_VAR_ABSENT:
	case TAP_VAR_TASK:
	case TAP_VAR_TIME:
		return insn->imm ? -EINVAL : 0;
	case TAP_VAR_FLAGS:
		return insn->imm && !(insn->imm & ~tap_verify_flags(v)) ? 0 : -EINVAL;
	case TAP_VAR_FOLLOWED:
		v->prog->follows = true;
		return insn->imm ? -EINVAL : 0;
	case TAP_VAR_CGROUP:
		return insn->imm > INT_MAX ? -EINVAL : 0;
	case TAP_VAR_COMM:
		return insn->imm >= TAP_COMM_LEN / sizeof(u64) ? -EINVAL : 0;
	case TAP_VAR_DURATION:
		if (insn->imm)
			return -EINVAL;
		v->prog->lasts = true;
		return v->ret || v->env->lasts ? 0 : -EOPNOTSUPP;
	case TAP_VAR_INSIDE:
		return tap_verify_inside(v, insn->imm);
	case TAP_VAR_TRIGGER:
		return v->env->triggers && !insn->imm ? 0 : -EINVAL;
	case TAP_VAR_GATE:
		return insn->imm > TAP_GATE_END ? -EINVAL : 0;
	case TAP_VAR_ENCLOSED:
		return insn->imm ? -EINVAL : v->ret && v->env->encloses ? 0 : -EOPNOTSUPP;
	case TAP_VAR_DIVISION:
		v->prog->lasts = true;
		return insn->imm < TAP_NR_DIVIDED ? tap_verify_divides(v) : -EINVAL;
	case TAP_VAR_SYSCALL:
		if (insn->imm)
			return -EINVAL;
		return v->env->syscall ? 0 : -EOPNOTSUPP;
	case TAP_VAR_FUNC:
		if (insn->imm)
			return -EINVAL;
		if (!v->env->func)
			return -EOPNOTSUPP;
		return tap_verify_base(insn, TAP_FUNC_OFFSET);
	default:
		return -EINVAL;
	}
}

static int tap_verify_match(struct tap_verifier *v, struct tap_insn *insn)
{
	u16 at = insn->imm, len = insn->imm >> 16, room = insn->imm >> 32;
	bool field = insn->sub == TAP_OP_MATCH_FIELD;

	if (insn->imm >> (field ? 48 : 32) || len > TAP_MAX_PATTERN ||
	    at + len > v->prog->data_len)
		return -EINVAL;
	if (field || insn->sub == TAP_OP_MATCH_DATA_LOC) {
		if (!v->env->event_size)
			return -EOPNOTSUPP;
		if ((field && !room) ||
		    !tap_perf_sample_has(v->env, insn->off, field ? room : 4))
			return -EINVAL;
	}
	return 0;
}

static int tap_verify_bytes(struct tap_verifier *v, struct tap_insn *insn)
{
	u64 bytes = insn->imm;

	if (!bytes || bytes > TAP_MAX_STRING)
		return -EINVAL;
	if (insn->sub < TAP_OP_FIELD_BYTES)
		return 0;
	if (!v->env->event_size)
		return -EOPNOTSUPP;
	if (insn->sub == TAP_OP_DATA_LOC)
		bytes = sizeof(u32);
	return tap_perf_sample_has(v->env, insn->off, bytes) ? 0 : -EINVAL;
}

/* Where a kernel stack begins, by the registers that the event has. */
static enum tap_stack_from tap_stack_from(const struct tap_verifier *v)
{
	const struct tap_program_env *env = v->env;

	if (env->user)
		return TAP_STACK_USER;
	if (env->func)
		return TAP_STACK_FUNC;
	if (env->event_size)
		return env->sample ? TAP_STACK_SAMPLE : TAP_STACK_EVENT;
	if (env->retval || (env->regs && v->ret))
		return TAP_STACK_RETURN;
	if (env->regs)
		return env->arg_offset ? TAP_STACK_ENTRY : TAP_STACK_INSIDE;
	return TAP_STACK_HERE;
}

static int tap_verify_stack(struct tap_verifier *v, struct tap_insn *insn)
{
	if (!insn->imm || insn->imm % sizeof(u64) ||
	    insn->imm > TAP_MAX_STACK * sizeof(u64) ||
	    (insn->off && insn->off != 1))
		return -EINVAL;
	if (insn->size && !v->env->stacks)
		return -EINVAL;
	/* @off 1, "at the start of a function", is possible for entries in programs only. */
	if (insn->off && (!v->env->user || v->env->retval || v->ret))
		return -EOPNOTSUPP;
	insn->code = TAP_INSN_BYTES;
	/* The output is the id of the stack. */
	insn->src = insn->size;
	insn->size = tap_stack_from(v);
	return 0;
}

static int tap_verify_stack_copy(struct tap_verifier *v, struct tap_insn *insn)
{
	insn->code = TAP_INSN_BYTES;
	insn->size = tap_stack_from(v);
	return insn->imm % sizeof(u64) || insn->imm > TAP_MAX_STACK_COPY ||
	       insn->imm <= TAP_ARCH_DWARF_REGS * sizeof(u64) ? -EINVAL : 0;
}

static int tap_verify_wait_stack(struct tap_verifier *v, struct tap_insn *insn)
{
	if (!insn->imm || insn->imm % sizeof(u64) ||
	    insn->imm > TAP_WAIT_FRAMES * sizeof(u64) || (insn->off && insn->off != 1) ||
	    (insn->size && !v->env->stacks))
		return -EINVAL;
	/* The output is the id of the stack. */
	insn->src = insn->size;
	return tap_verify_divides(v);
}

/* Texts that are joined, or names that are a path: bytes of all, and their number. */
static int tap_verify_join(struct tap_insn *insn, u16 max_bytes, u16 max_texts)
{
	u16 bytes = insn->imm, texts = insn->imm >> 16;

	insn->code = TAP_INSN_BYTES;
	return !(insn->imm >> 32) && bytes && bytes <= max_bytes && texts &&
	       texts <= max_texts ? 0 : -EINVAL;
}

/* A jump leads forward, at most to the end of the part. */
static int tap_verify_jump(struct tap_verifier *v, struct tap_insn *insn,
			   unsigned int i, unsigned int end)
{
	struct tap_part *part = v->part;

	insn->code = insn->sub == TAP_OP_JNE && insn->src == TAP_OP_IMM_SRC ?
		     TAP_INSN_JNE : TAP_INSN_JUMP;
	if (insn->off == TAP_OP_REJECT) {
		/* An event cannot be rejected after an output. */
		if (v->output)
			return -EINVAL;
		part->tests = i + 1;
		return 0;
	}
	if (insn->off < 1 || insn->off > end - i - 1)
		return -EINVAL;
	v->jumped_to = max_t(u16, v->jumped_to, i + 1 + insn->off);
	v->known[i + 1 + insn->off] &= v->known[i];
	return 0;
}

static int tap_verify_code(struct tap_verifier *v, struct tap_insn *insn,
			   unsigned int i, unsigned int end)
{
	if (insn->sub >= TAP_OP_JUMP && insn->sub <= TAP_OP_JSET)
		return tap_verify_jump(v, insn, i, end);
	if (insn->sub >= TAP_OP_MATCH && insn->sub <= TAP_OP_MATCH_DATA_LOC)
		return tap_verify_match(v, insn);
	switch (insn->sub) {
	case TAP_OP_ARG:
		return tap_verify_arg(v, insn);
	case TAP_OP_REG:
		return tap_verify_reg(v, insn);
	case TAP_OP_RETVAL:
		return tap_verify_retval(v, insn);
	case TAP_OP_FIELD:
		return tap_verify_field(v, insn);
	case TAP_OP_VAR:
		return tap_verify_var(v, insn);
	case TAP_OP_WORD:
		return tap_verify_word(v, insn);
	case TAP_OP_PMU:
		return tap_verify_pmu(v, insn);
	case TAP_OP_CAPTURED:
		if (!v->env->captured)
			return -EOPNOTSUPP;
		return insn->off < 0 || insn->off >= v->env->captured ? -EINVAL : 0;
	case TAP_OP_LOAD:
		insn->code = TAP_INSN_LOAD;
		return 0;
	case TAP_OP_DIV:
	case TAP_OP_MOD:
		return insn->src == TAP_OP_IMM_SRC && !insn->imm ? -EINVAL : 0;
	case TAP_OP_LENGTH:
	case TAP_OP_LENGTH_USER:
		return !insn->imm || insn->imm > TAP_MAX_STRING ? -EINVAL : 0;
	case TAP_OP_COMM:
		insn->code = TAP_INSN_COMM;
		return 0;
	case TAP_OP_STRING:
	case TAP_OP_STRING_USER:
	case TAP_OP_BYTES:
	case TAP_OP_BYTES_USER:
	case TAP_OP_FIELD_BYTES:
	case TAP_OP_FIELD_STRING:
	case TAP_OP_DATA_LOC:
		insn->code = TAP_INSN_BYTES;
		return tap_verify_bytes(v, insn);
	case TAP_OP_KSTACK:
	case TAP_OP_USTACK:
		return tap_verify_stack(v, insn);
	case TAP_OP_USTACK_COPY:
		return tap_verify_stack_copy(v, insn);
	case TAP_OP_DIVISION:
		insn->code = TAP_INSN_BYTES;
		if (insn->off && insn->off != TAP_DIVIDED_WAKER_COMM &&
		    insn->off != TAP_DIVIDED_HOLDER_COMM)
			return -EINVAL;
		return tap_verify_divides(v);
	case TAP_OP_WAIT_STACK:
		insn->code = TAP_INSN_BYTES;
		return tap_verify_wait_stack(v, insn);
	case TAP_OP_JOIN:
	case TAP_OP_JOIN_USER:
		return tap_verify_join(insn, TAP_MAX_STRING, TAP_MAX_JOIN);
	case TAP_OP_PATH:
	case TAP_OP_DENTRY:
		return tap_verify_join(insn, TAP_MAX_PATH, TAP_MAX_NAMES);
	default:
		return 0;
	}
}

/* Number of value words that an output appends. Context: any. */
unsigned int tap_output_words(const struct tap_op *op)
{
	switch (op->code) {
	case TAP_OP_COMM:
		return TAP_COMM_LEN / sizeof(u64);
	case TAP_OP_BYTES:
	case TAP_OP_BYTES_USER:
	case TAP_OP_FIELD_BYTES:
		return DIV_ROUND_UP(op->imm, sizeof(u64));
	case TAP_OP_STRING:
	case TAP_OP_STRING_USER:
	case TAP_OP_FIELD_STRING:
	case TAP_OP_DATA_LOC:
	case TAP_OP_USTACK_COPY:
		return 1 + DIV_ROUND_UP(op->imm, sizeof(u64));
	case TAP_OP_DIVISION:
		return (op->off ? TASK_COMM_LEN : sizeof(struct tap_division)) / sizeof(u64);
	case TAP_OP_KSTACK:
	case TAP_OP_USTACK:
	case TAP_OP_WAIT_STACK:
		return op->size ? 1 : 1 + op->imm / sizeof(u64);
	case TAP_OP_JOIN:
	case TAP_OP_JOIN_USER:
	case TAP_OP_PATH:
	case TAP_OP_DENTRY:
		return 1 + DIV_ROUND_UP((u16)op->imm, sizeof(u64));
	default:
		return 1;
	}
}
NOKPROBE_SYMBOL(tap_output_words);

/* Value words of a record of TAP_MAX_SLOTS slots. */
#define TAP_MAX_WORDS	(TAP_FIRST_VALUES + (TAP_MAX_SLOTS - 1) * TAP_SLOT_VALUES)

static int tap_verify_output(struct tap_verifier *v, const struct tap_op *op,
			     struct tap_insn *insn)
{
	struct tap_program *prog = v->prog;
	unsigned int words = tap_output_words(op), end, i;

	if (prog->nr_outputs >= TAP_MAX_OUTPUTS ||
	    prog->words + words > TAP_MAX_WORDS)
		return -EINVAL;
	end = min_t(unsigned int, prog->words + words, TAP_MAX_AGG_WORDS);
	for (i = prog->words; i < end; i++)
		prog->output_of[i] = prog->nr_outputs;
	insn->dst = TAP_DST_OUT + prog->nr_outputs++;
	prog->words += words;
	return 0;
}

/* Sets part->clear if a register may be read unwritten; updates v->known. */
static void tap_verify_registers(struct tap_verifier *v,
				 const struct tap_insn *insn, unsigned int i)
{
	u8 known = v->known[i];

	if (tap_op_reads(insn) & ~known)
		v->part->clear = true;
	v->known[i + 1] &= known | tap_op_writes(insn);
}

static int tap_verify_part(struct tap_verifier *v, struct tap_part *part,
			   struct tap_op *ops, unsigned int end)
{
	unsigned int i;
	int ret;

	v->part = part;
	v->jumped_to = 0;
	v->output = false;
	memset(v->known, 0xff, sizeof(v->known));
	v->known[0] = 0;
	part->end = end;
	for (i = 0; i < end; i++) {
		struct tap_insn *insn = &part->insns[i];
		struct tap_op *op = &ops[i];

		if (!tap_op_wellformed(op))
			return -EINVAL;
		*insn = (struct tap_insn) {
			.code = TAP_INSN_VALUE,
			.dst = op->dst,
			.src = op->src,
			.sub = op->code,
			.size = op->size & 0xf,
			.sign = op->size & TAP_OP_SIGNED,
			.off = op->off,
			.imm = op->imm,
		};
		if (op->code >= TAP_OP_MATCH && op->code < TAP_OP_COMM)
			insn->size = op->size & TAP_OP_GLOB;
		if (op->code == TAP_OP_DATA_LOC)
			insn->size = op->size & TAP_OP_TEXT;
		ret = tap_verify_code(v, insn, i, end);
		if (ret)
			return ret;
		tap_verify_registers(v, insn, i);
		if (op->dst != TAP_OP_OUT)
			continue;
		/* No jump may skip an output: all records have the same layout. */
		if (v->jumped_to > i)
			return -EINVAL;
		v->output = true;
		ret = tap_verify_output(v, op, insn);
		if (ret)
			return ret;
	}
	/* Instructions that a test jumps over belong to the tests. */
	for (i = 0; i < part->tests; i++) {
		const struct tap_insn *insn = &part->insns[i];

		if (insn->code != TAP_INSN_JUMP && insn->code != TAP_INSN_JNE)
			continue;
		part->last_jump = i;
		if (insn->off != TAP_OP_REJECT)
			part->tests = max_t(u16, part->tests,
					    i + 1 + insn->off);
	}
	return 0;
}

/* See @separable of struct tap_program. */
static bool tap_part_separable(const struct tap_part *part)
{
	unsigned int i;
	u8 known = 0;

	for (i = 0; i < part->end; i++) {
		const struct tap_insn *insn = &part->insns[i];

		if (i < part->tests) {
			/*
			 * At the earlier moment the base is another one, and a counter and the
			 * context have other values. A failed read makes the next output absent,
			 * but the outputs run later and would not know.
			 */
			if (insn->sub == TAP_OP_PMU || insn->sub == TAP_OP_CAPTURED ||
			    (insn->sub == TAP_OP_VAR && (insn->off == TAP_VAR_FLAGS ||
							 insn->off == TAP_VAR_TRIGGER ||
							 insn->off == TAP_VAR_GATE ||
							 insn->off == TAP_VAR_INSIDE)) ||
			    insn->code == TAP_INSN_BASE ||
			    insn->code == TAP_INSN_BASE_PART ||
			    insn->code == TAP_INSN_LOAD ||
			    insn->sub == TAP_OP_LOAD_USER ||
			    insn->sub == TAP_OP_MATCH ||
			    insn->sub == TAP_OP_MATCH_USER ||
			    insn->sub == TAP_OP_LENGTH ||
			    insn->sub == TAP_OP_LENGTH_USER)
				return false;
			continue;
		}
		if (insn->sub >= TAP_OP_JUMP && insn->sub <= TAP_OP_JSET)
			return false;
		if (tap_op_reads(insn) & ~known)
			return false;
		known |= tap_op_writes(insn);
	}
	return true;
}

/* Index of the TAP_OP_RETURN; nr_ops if there is none. */
static unsigned int tap_program_divide(const struct tap_program *prog)
{
	unsigned int i;

	for (i = 0; i < prog->nr_ops; i++)
		if (prog->ops[i].code == TAP_OP_RETURN)
			break;
	return i;
}

static int tap_program_verify(struct tap_verifier *v)
{
	static const struct tap_op divide = { .code = TAP_OP_RETURN };
	struct tap_program *prog = v->prog;
	unsigned int at = tap_program_divide(prog);
	int ret;

	prog->entry.insns = prog->insns;
	ret = tap_verify_part(v, &prog->entry, prog->ops, at);
	if (ret)
		return ret;
	prog->tested = prog->entry.tests;
	prog->separable = tap_part_separable(&prog->entry);
	prog->entry_words = prog->words;
	if (at == prog->nr_ops)
		return 0;
	if (memcmp(&prog->ops[at], &divide, sizeof(divide)))
		return -EINVAL;
	if (!v->env->returns)
		return -EOPNOTSUPP;
	v->ret = true;
	prog->ret.insns = prog->insns + at;
	return tap_verify_part(v, &prog->ret, prog->ops + at + 1,
			       prog->nr_ops - at - 1);
}

/* After tap_program_verify(): the model looks at patterns without checks. */
static int tap_program_price(struct tap_program *prog, u32 flags)
{
	u64 cost = tap_program_cost(prog->ops, prog->nr_ops, prog->data, flags);

	if (cost > TAP_MAX_COST)
		return -EFBIG;
	prog->cost = cost;
	return 0;
}

static void *tap_program_copy(u64 from, u32 nr, size_t size)
{
	return nr ? memdup_user(u64_to_user_ptr(from), array_size(nr, size)) :
		    NULL;
}

/**
 * tap_program_load() - copy a program from the user and verify it
 * @prog: zeroed. The caller frees it with tap_program_free(), also after an error
 * @create: @ops, @nr_ops, @data and @data_len describe the user's program
 * @env: the values that the type of probe offers
 *
 * Context: process, may sleep.
 * Return: 0; -EINVAL: an operation is malformed; -EOPNOTSUPP: this type of probe does not
 *	offer a value that an operation reads; -EFBIG: it may take more than %TAP_MAX_COST
 *	instructions; -EFAULT; -ENOMEM.
 */
int tap_program_load(struct tap_program *prog, const struct tap_create *create,
		     const struct tap_program_env *env)
{
	struct tap_verifier *v;
	void *copy;
	int ret;

	prog->event = env->event_size;
	prog->words = env->first_word;
	prog->entry_words = env->first_word;
	memset(prog->output_of, TAP_NO_OUTPUT, sizeof(prog->output_of));
	if (create->nr_ops > TAP_MAX_OPS || create->data_len > TAP_MAX_DATA)
		return -EINVAL;

	copy = tap_program_copy(create->data, create->data_len, 1);
	if (IS_ERR(copy))
		return PTR_ERR(copy);
	prog->data = copy;
	prog->data_len = create->data_len;
	copy = tap_program_copy(create->ops, create->nr_ops,
				sizeof(*prog->ops));
	if (IS_ERR_OR_NULL(copy))
		return PTR_ERR_OR_ZERO(copy);
	prog->ops = copy;
	prog->nr_ops = create->nr_ops;
	prog->insns = kcalloc(prog->nr_ops, sizeof(*prog->insns),
			      GFP_KERNEL_ACCOUNT);
	v = kzalloc(sizeof(*v), GFP_KERNEL);
	ret = -ENOMEM;
	if (prog->insns && v) {
		v->prog = prog;
		v->env = env;
		ret = tap_program_verify(v);
	}
	kfree(v);
	return ret ?: tap_program_price(prog, create->flags);
}

/**
 * tap_program_free() - free the memory of a program
 * @prog: zeroed, or given to tap_program_load(); no event runs it
 *
 * Context: process.
 */
void tap_program_free(struct tap_program *prog)
{
	kfree(prog->insns);
	kfree(prog->ops);
	kfree(prog->data);
}
