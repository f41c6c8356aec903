/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The model of programs, second part: runs a well-formed program op by op over memory that the
 * test knows, and gives the record. What the text or the test does not know is reported as
 * unknown and never guessed.
 */
#ifndef _TEST_MODULE_PROGRAM_RUNNER_H
#define _TEST_MODULE_PROGRAM_RUNNER_H

#include "selftests/module/program_model.h"

#define MODEL_PAGE	4096

/**
 * enum model_fate - the outcome of an event
 * @MODEL_WRITTEN: a record is written
 * @MODEL_FILTERED: a test rejects the event
 * @MODEL_LOST: a test reads memory that cannot be read
 * @MODEL_UNKNOWN: the outcome depends on something unknown
 */
enum model_fate {
	MODEL_WRITTEN,
	MODEL_FILTERED,
	MODEL_LOST,
	MODEL_UNKNOWN,
};

/**
 * struct model_hit - the input of a program at an event
 * @type: enum tap_probe_type
 * @arg: arguments
 * @retval: the return register
 * @kernel_at: page-aligned address of known kernel memory; the page behind it is not mapped
 * @kernel: content of the kernel memory
 * @kernel_len: bytes of @kernel, whole pages
 * @user: known user memory, whole pages; the pages around it are not mapped
 * @user_len: bytes of @user
 * @tgid: process id
 * @followed: the session follows the task
 * @cgroup: id of its cgroup; 0: unknown
 * @comm: name of the task
 * @cpu: CPU of the event
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
	bool followed;
	__u64 cgroup;
	char comm[TAP_COMM_LEN];
	__u32 cpu;
};

/* A value that may be unknown. */
struct model_value {
	__u64 v;
	bool known;
};

/**
 * struct model_stack - a stack in a record; its frames are unknown
 * @word: first word of the stack
 * @frames: frames for which it has room
 * @user: it is the stack of the program
 * @marked: a value before it was absent, and it took the mark
 * @stored: it is in the session's table of stacks, and the record has its id
 */
struct model_stack {
	unsigned int word;
	unsigned int frames;
	bool user;
	bool marked;
	bool stored;
};

/**
 * struct model_record - the outcome of an event
 * @fate: enum model_fate
 * @nr_words: entries of @word
 * @flags: %TAP_F_ABSENT, %TAP_F_TRUNCATED and %TAP_F_USER, except those that stacks cause
 * @nr_stacks: entries of @stack
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
 * model_stack_fits() - whether words can be a stack
 * @stack: the expected stack
 * @words: the first word of the stack
 *
 * A kernel stack must be present, with a plausible number of frames, all in the kernel. Of a
 * user stack only its place is known.
 *
 * Return: a description of the error, or NULL.
 */
const char *model_stack_fits(const struct model_stack *stack, const __u64 *words);

/**
 * model_execute() - run a program that model_check() accepts
 * @prog: the program
 * @hit: its input
 * @out: the outcome
 */
void model_execute(const struct model_program *prog, const struct model_hit *hit,
		   struct model_record *out);

#endif /* _TEST_MODULE_PROGRAM_RUNNER_H */
