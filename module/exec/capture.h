/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_EXEC_CAPTURE_H
#define _TAPMOD_EXEC_CAPTURE_H

#include "exec/interpreter.h"
#include "exec/span_table.h"

void tap_capture_begins(const struct tapmod_probe *probe);
void tap_capture_event(const struct tapmod_span *span, u64 hash, struct tap_span_words words,
		       u32 flags);
u64 tap_interp_captured(struct tap_interp *interp, const struct tap_insn *insn);

#endif /* _TAPMOD_EXEC_CAPTURE_H */
