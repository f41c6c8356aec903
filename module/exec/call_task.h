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
 * @division: valid if its program divides. First, as its @part follows the words of the entry in a
 *	record of tap_call_record_divided(), and is copied with them
 * @inside: valid if the probe has a frame
 */
struct tap_call_task {
	struct tap_division_start division;
	struct tap_inside_saved inside;
};

/* Limit of tap_probe.divided_slots: tap_call_record_divided() is for short records. */
#define TAP_DIVIDED_SLOTS	32

#define TAP_CALL_TASK_WORDS	(sizeof(struct tap_call_task) / sizeof(u64))

static __always_inline struct tap_call_task *
tap_call_task(const struct tapmod_probe *probe, struct tap_call *call)
{
	return (void *)call + probe->task_at;
}

bool tap_call_begin_in_task(struct tapmod_probe *probe, struct tap_call *call, const void *base);
void tap_call_end_in_task(struct tapmod_probe *probe, struct tap_call *call, const void *base,
			  u64 retval, u32 flags);
void tap_call_forget(const struct tapmod_probe *probe, struct tap_call *call);
void tap_call_in_task(const struct tapmod_probe *probe, struct tap_call *call, unsigned int trap);

#endif /* _TAPMOD_EXEC_CALL_TASK_H */
