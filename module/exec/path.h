/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_EXEC_PATH_H
#define _TAPMOD_EXEC_PATH_H

#include "exec/interpreter.h"

u64 tap_interp_path(struct tap_interp *interp, const struct tap_insn *insn);

#endif /* _TAPMOD_EXEC_PATH_H */
