/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Windows of a flight recorder: a session whose rings are overwritten, and that has a second set
 * of rings to go on with while the first is read. Included by <linux/tap.h>, which has the
 * conventions.
 *
 * A session of %TAP_SETUP_F_OVERWRITE has two sets of rings. Events go to one of them. A program
 * with %TAP_VAR_TRIGGER, or the reader itself, triggers; then poll(2) reports EPOLLIN. The reader
 * takes the set: events go to the other one from then on, and the command waits until the writers
 * in flight have ended. So the set does not change while it is read, and no event waits. When the
 * reader gives the set back, the next trigger can be had.
 *
 * The set 0 is mapped as <linux/tap_ring.h> describes. The set 1 has the same layout, its own
 * struct tap_meta included, at @out_offset of struct tap_window.
 */
#ifndef _UAPI_LINUX_TAP_WINDOW_H
#define _UAPI_LINUX_TAP_WINDOW_H

#include <linux/const.h>
#include <linux/types.h>

/**
 * struct tap_window - TAP_IOC_WINDOW: take a set of rings, or give it back
 * @size: sizeof(struct tap_window)
 * @flags: %TAP_WINDOW_F_TAKE or %TAP_WINDOW_F_GIVE
 * @after: with %TAP_WINDOW_F_GIVE: ticks of the session's clock for which a window goes on after
 *	its trigger. Triggers in this time are counted in @out_merged. Else 0
 * @out_time: time of the trigger in ticks; of a set that was taken without one, the time of the
 *	command
 * @out_since: the set has all records of the session from this time on, but for those that
 *	were overwritten or lost
 * @out_merged: triggers since that, up to @out_time + @after
 * @out_missed: later triggers, up to the moment when the set before was given back
 * @out_offset: where the set that was taken is mapped: add it to the offsets of the set 0
 * @out_probe: the probe that triggered; 0 if none did
 * @out_set: number of the set that was taken: 0 or 1
 * @out_cpu: the CPU of @out_probe's event
 * @__reserved: zero
 *
 * A new session is as after %TAP_WINDOW_F_GIVE with an @after of 0. %TAP_WINDOW_F_GIVE sets
 * @out_merged, @out_missed, and nothing else: the triggers from the time of %TAP_WINDOW_F_TAKE
 * on. It may be given without a set that is out, to set @after: then a trigger is dropped.
 *
 * All records of a CPU with times in [max(trigger - before, @out_since), trigger + @after] are in
 * the set if the reader takes it at the end of that time, and if the ring goes back so far. The
 * records before the tail of a ring are those that the reader had in another window. The ring's
 * oldest records are at head - @ring_bytes; the first of them may have lost its start.
 *
 * Errors: EINVAL, also without %TAP_SETUP_F_OVERWRITE; EBUSY: %TAP_WINDOW_F_TAKE, and a set is
 * out.
 */
struct tap_window {
	__u32 size;
	__u32 flags;
	__u64 after;
	__u64 out_time;
	__u64 out_since;
	__u64 out_merged;
	__u64 out_missed;
	__u64 out_offset;
	__u32 out_probe;
	__u32 out_set;
	__u32 out_cpu;
	__u32 __reserved;
};

#define TAP_WINDOW_F_TAKE	_BITUL(0)
#define TAP_WINDOW_F_GIVE	_BITUL(1)

#endif /* _UAPI_LINUX_TAP_WINDOW_H */
