/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_EXEC_OP_FORM_H
#define _TAPMOD_EXEC_OP_FORM_H

#include "core/program.h"

bool tap_op_wellformed(const struct tap_op *op);
u8 tap_op_reads(const struct tap_insn *insn);
u8 tap_op_writes(const struct tap_insn *insn);

#endif /* _TAPMOD_EXEC_OP_FORM_H */
