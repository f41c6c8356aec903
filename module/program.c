// SPDX-License-Identifier: GPL-2.0
/*
 * Programs: verified once, here; run at every hit, in hit.h, without a check.
 */
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "arch.h"
#include "program.h"

const u16 tap_arg_offset[TAP_NR_ARGS] = TAP_ARG_OFFSETS;

/* Appends a fetch that gives this many words. */
static void tap_program_emit(struct tap_program *prog, struct tap_op *op,
			     enum tap_insn_code code, u16 offset, u16 words)
{
	struct tap_insn *insn = &prog->insns[prog->nr_insns++];

	insn->code = code;
	insn->offset = offset;
	op->out_word = prog->words;
	op->out_words = words;
	prog->words += words;
}

static int tap_program_test(struct tap_program *prog, const struct tap_op *op)
{
	pid_t *pid = op->code == TAP_OP_TEST_TGID ? &prog->tgid :
						    &prog->ancestor;

	/* Fetches cannot be undone: tests come first, each of them once. */
	if (prog->nr_insns || *pid || op->arg || !op->imm || op->imm > INT_MAX)
		return -EINVAL;
	*pid = op->imm;
	prog->tested = true;
	return 0;
}

static int tap_program_verify(struct tap_program *prog, struct tap_op *op,
			      const struct tap_program_env *env)
{
	if (op->flags || op->out_word || op->out_words)
		return -EINVAL;
	if (op->code == TAP_OP_TEST_TGID || op->code == TAP_OP_TEST_DESCENT)
		return tap_program_test(prog, op);
	if (op->imm)
		return -EINVAL;

	switch (op->code) {
	case TAP_OP_ARG:
		if (op->arg >= TAP_NR_ARGS)
			return -EINVAL;
		if (!env->arg_offset)
			return -EOPNOTSUPP;
		tap_program_emit(prog, op, TAP_INSN_LOAD,
				 env->arg_offset[op->arg], 1);
		return 0;
	case TAP_OP_REG:
		if (op->arg % sizeof(u64) ||
		    op->arg > TAP_REGS_SIZE - sizeof(u64))
			return -EINVAL;
		if (!env->regs)
			return -EOPNOTSUPP;
		tap_program_emit(prog, op, TAP_INSN_LOAD, op->arg, 1);
		return 0;
	case TAP_OP_RETVAL:
		if (op->arg)
			return -EINVAL;
		if (!env->retval)
			return -EOPNOTSUPP;
		tap_program_emit(prog, op, TAP_INSN_LOAD, TAP_RETVAL_OFFSET, 1);
		return 0;
	case TAP_OP_COMM:
		if (op->arg)
			return -EINVAL;
		tap_program_emit(prog, op, TAP_INSN_COMM, 0,
				 TAP_COMM_LEN / sizeof(u64));
		return 0;
	default:
		return -EINVAL;
	}
}

/**
 * tap_program_load() - copy a program from the user and verify it
 * @prog: zeroed; to be freed with tap_program_free() also after an error
 * @create: says where the user has it
 * @env: what the probe has to offer
 *
 * Context: process.
 * Return: 0; -EINVAL: a step is malformed; -EOPNOTSUPP: a step asks for what
 *	this kind of probe does not have; -EFAULT; -ENOMEM.
 */
int tap_program_load(struct tap_program *prog, const struct tap_create *create,
		     const struct tap_program_env *env)
{
	unsigned int i;
	int ret;

	prog->words = env->first_word;
	if (create->nr_ops > TAP_MAX_OPS)
		return -EINVAL;
	if (!create->nr_ops)
		return 0;

	prog->ops = memdup_user(u64_to_user_ptr(create->ops),
				array_size(create->nr_ops, sizeof(*prog->ops)));
	if (IS_ERR(prog->ops)) {
		ret = PTR_ERR(prog->ops);
		prog->ops = NULL;
		return ret;
	}
	prog->nr_ops = create->nr_ops;
	prog->insns = kcalloc(prog->nr_ops, sizeof(*prog->insns),
			      GFP_KERNEL_ACCOUNT);
	if (!prog->insns)
		return -ENOMEM;
	for (i = 0; i < prog->nr_ops; i++) {
		ret = tap_program_verify(prog, &prog->ops[i], env);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * tap_program_free() - free a program
 * @prog: no hit runs it any more
 */
void tap_program_free(struct tap_program *prog)
{
	kfree(prog->insns);
	kfree(prog->ops);
}
