/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Unwinds a copy of a program's stack by the unwind data of the files that the program has mapped.
 * Private to unwind/ and its tests.
 */
#ifndef _TAP_UNWIND_PROCESS_H
#define _TAP_UNWIND_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tap_maps;

/**
 * struct tap_stack_sample - a copy of a stack
 * @tgid: the process
 * @time: CLOCK_MONOTONIC of the event, ns
 * @regs: %TAP_ARCH_DWARF_REGS words, as %TAP_OP_USTACK_COPY has them
 * @stack: the words from the stack pointer upwards
 * @nr: number of @stack
 */
struct tap_stack_sample {
	uint32_t tgid;
	uint64_t time;
	const uint64_t *regs;
	const uint64_t *stack;
	size_t nr;
};

/**
 * enum tap_unwound - where the unwinding of a stack ended
 * @TAP_UNWOUND_ALL: at the outermost frame
 * @TAP_UNWOUND_CUT: at the end of the copy, or at the end of the room for frames
 * @TAP_UNWOUND_LOST: at code without unwind data, or where these lead to no frame
 */
enum tap_unwound {
	TAP_UNWOUND_ALL,
	TAP_UNWOUND_CUT,
	TAP_UNWOUND_LOST,
};

struct tap_unwind_process;

enum tap_unwound tap_unwind_sample(struct tap_unwind_process **process, struct tap_maps *maps,
				   const struct tap_stack_sample *sample, uint64_t *frames,
				   size_t room, size_t *nr);
void tap_unwind_process_free(struct tap_unwind_process *process);

#endif /* _TAP_UNWIND_PROCESS_H */
