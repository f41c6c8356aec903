/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAP_PROGRAM_H
#define _TAP_PROGRAM_H

#include <linux/tap.h>
#include <linux/types.h>

/* Arguments that a program can name. */
#define TAP_NR_ARGS	6

/**
 * enum tap_insn_code - what a verified step does
 * @TAP_INSN_LOAD: the 8 bytes at an offset of the hit's base: registers or
 *	arguments
 * @TAP_INSN_COMM: the task's name, two words
 */
enum tap_insn_code {
	TAP_INSN_LOAD,
	TAP_INSN_COMM,
};

/**
 * struct tap_insn - a verified fetch
 * @code: enum tap_insn_code
 * @offset: into the hit's base, checked
 */
struct tap_insn {
	u16 code;
	u16 offset;
};

/**
 * struct tap_program - what a probe does with a hit
 * @nr_ops: steps as the user gave them
 * @nr_insns: fetches among them
 * @words: value words that the fetches give
 * @tested: there is a test
 * @tgid: the process to which hits are confined; 0: none
 * @ancestor: the process to whose descendants they are confined; 0: none
 * @insns: the fetches
 * @ops: the steps, for reading back
 */
struct tap_program {
	u16 nr_ops;
	u16 nr_insns;
	u16 words;
	bool tested;
	pid_t tgid;
	pid_t ancestor;
	struct tap_insn *insns;
	struct tap_op *ops;
};

/**
 * struct tap_program_env - what a kind of probe has to offer to a program
 * @arg_offset: where argument n lies in the base, or NULL: there are none
 * @regs: the base is a struct pt_regs that may be read by offset
 * @retval: its return register holds the result
 * @first_word: value words that the probe itself puts before the fetches
 */
struct tap_program_env {
	const u16 *arg_offset;
	bool regs;
	bool retval;
	u16 first_word;
};

/* Where a function's arguments lie in struct pt_regs. */
extern const u16 tap_arg_offset[TAP_NR_ARGS];

int tap_program_load(struct tap_program *prog, const struct tap_create *create,
		     const struct tap_program_env *env);
void tap_program_free(struct tap_program *prog);

#endif /* _TAP_PROGRAM_H */
