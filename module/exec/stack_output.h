/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_EXEC_STACK_OUTPUT_H
#define _TAPMOD_EXEC_STACK_OUTPUT_H

#include "exec/interpreter.h"

/* Each appends an output, and returns its TAP_TEXT_* word or the flags of one. */
u64 tap_interp_stack(struct tap_interp *interp, const struct tap_insn *insn);
u64 tap_interp_stack_id(struct tap_interp *interp, const struct tap_insn *insn, bool absent);
u64 tap_interp_wait_stack(struct tap_interp *interp, const struct tap_insn *insn);
u64 tap_interp_division(struct tap_interp *interp, const struct tap_insn *insn);

#endif /* _TAPMOD_EXEC_STACK_OUTPUT_H */
