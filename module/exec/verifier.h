/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_EXEC_VERIFIER_H
#define _TAPMOD_EXEC_VERIFIER_H

#include "core/program.h"

/* Offsets of a function's arguments in struct pt_regs: TAP_ARG_OFFSETS. */
extern const u16 tap_arg_offset[TAP_NR_ARGS];

int tap_program_load(struct tap_program *prog, const struct tap_create *create,
		     const struct tap_program_env *env);
void tap_program_free(struct tap_program *prog);
unsigned int tap_output_words(const struct tap_op *op);

#endif /* _TAPMOD_EXEC_VERIFIER_H */
