/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a hit of a well-formed program gives, as program_model.h has it: step by
 * step over memory that the test knows. What the text or the test does not know
 * is said to be unknown, never guessed.
 */
#ifndef _TEST_MODULE_PROGRAM_RUNNER_H
#define _TEST_MODULE_PROGRAM_RUNNER_H

#include "selftests/module/program_model.h"

#define MODEL_PAGE	4096

/**
 * enum model_fate - what becomes of a hit
 * @MODEL_WRITTEN: it is a record
 * @MODEL_FILTERED: a test rejects it
 * @MODEL_LOST: a test asks for memory that cannot be read
 * @MODEL_UNKNOWN: it depends on what is not known
 */
enum model_fate {
	MODEL_WRITTEN,
	MODEL_FILTERED,
	MODEL_LOST,
	MODEL_UNKNOWN,
};

/**
 * struct model_hit - what a program finds
 * @type: enum tap_probe_type
 * @arg: arguments
 * @retval: the return register
 * @kernel_at: address of known kernel memory, of whole pages, behind which a
 *	page is not mapped
 * @kernel: what it holds
 * @kernel_len: bytes of it
 * @user: known user memory, of whole pages; the pages around it are not mapped
 * @user_len: bytes of it
 * @tgid: process; its parent is @ppid
 * @ppid: see @tgid
 * @cgroup: id of its cgroup; 0: not known
 * @comm: its name
 * @cpu: the CPU
 */
struct model_hit {
	__u32 type;
	__u64 arg[6];
	__u64 retval;
	__u64 kernel_at;
	const unsigned char *kernel;
	__u64 kernel_len;
	const unsigned char *user;
	__u64 user_len;
	__u32 tgid;
	__u32 ppid;
	__u64 cgroup;
	char comm[TAP_COMM_LEN];
	__u32 cpu;
};

/* A value that may not be known. */
struct model_value {
	__u64 v;
	bool known;
};

/**
 * struct model_stack - a stack, of which it is not known what it holds
 * @word: its first word
 * @frames: how many frames it has room for
 * @user: it is that of the program
 * @marked: it took a mark
 */
struct model_stack {
	unsigned int word;
	unsigned int frames;
	bool user;
	bool marked;
};

/**
 * struct model_record - what a hit gives
 * @fate: what becomes of it
 * @nr_words: value words
 * @flags: %TAP_F_ABSENT and %TAP_F_TRUNCATED, but for those of stacks
 * @nr_stacks: stacks
 * @word: value words
 * @stack: stacks
 */
struct model_record {
	enum model_fate fate;
	unsigned int nr_words;
	__u32 flags;
	unsigned int nr_stacks;
	struct model_value word[MODEL_MAX_WORDS];
	struct model_stack stack[TAP_MAX_OUTPUTS];
};

/**
 * model_stack_fits() - whether words are a stack
 * @stack: what is known of it
 * @words: those of the record
 *
 * Of the kernel's it is known that there is one, with more than a few frames and
 * less than many, all of the kernel; of the program's that there is its place.
 *
 * Return: what is wrong with it, or NULL.
 */
const char *model_stack_fits(const struct model_stack *stack, const __u64 *words);

/**
 * model_execute() - run a program that was accepted
 * @prog: the program
 * @hit: what it finds
 * @out: what it gives
 */
void model_execute(const struct model_program *prog, const struct model_hit *hit,
		   struct model_record *out);

#endif /* _TEST_MODULE_PROGRAM_RUNNER_H */
