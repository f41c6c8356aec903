/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a call stores beside its words if it has a frame (inside.h) or its duration is divided
 * (division.h). The rules of handler.h hold.
 */
#ifndef _TAPMOD_EXEC_CALL_TASK_H
#define _TAPMOD_EXEC_CALL_TASK_H

#include "exec/call.h"
#include "exec/division.h"
#include "exec/inside.h"

/**
 * struct tap_call_task - the last tap_probe.task_words of a struct tap_call
 * @inside: valid if the probe has a frame
 * @division: valid if its program divides
 */
struct tap_call_task {
	struct tap_inside_saved inside;
	struct tap_division_start division;
};

#define TAP_CALL_TASK_WORDS	(sizeof(struct tap_call_task) / sizeof(u64))

static __always_inline struct tap_call_task *
tap_call_task(const struct tapmod_probe *probe, struct tap_call *call)
{
	return (void *)(call->words + tap_call_words(probe) + probe->prog.nr_pmu);
}

#endif /* _TAPMOD_EXEC_CALL_TASK_H */
