/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Verifies the program that a user gave, and translates it into what the
 * interpreter runs.
 */
#ifndef _TAPMOD_EXEC_VERIFIER_H
#define _TAPMOD_EXEC_VERIFIER_H

#include "core/program.h"

/* Where a function's arguments lie in struct pt_regs. */
extern const u16 tap_arg_offset[TAP_NR_ARGS];

int tap_program_load(struct tap_program *prog, const struct tap_create *create,
		     const struct tap_program_env *env);
void tap_program_free(struct tap_program *prog);
unsigned int tap_output_words(const struct tap_op *op);

#endif /* _TAPMOD_EXEC_VERIFIER_H */
