/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The gate of a session: an event opens it, another one, or a number of events, ends it. Included
 * by <linux/tap.h>, which has the conventions.
 *
 * A gate is closed, open or ended. Programs ask it by %TAP_VAR_GATE, as their last test: what it
 * does not let through is filtered. A gate that has ended stays so until TAP_IOC_GATE sets it; then
 * poll(2) reports EPOLLIN. The gate of a new session is open, without a limit.
 */
#ifndef _UAPI_LINUX_TAP_GATE_H
#define _UAPI_LINUX_TAP_GATE_H

#include <linux/const.h>
#include <linux/types.h>

/**
 * enum tap_gate_step - what a program does at the gate: @imm of %TAP_VAR_GATE
 * @TAP_GATE_IS_OPEN: asks. 1: the gate is open
 * @TAP_GATE_OPEN: opens a gate that is closed. 1: the gate is open
 * @TAP_GATE_TAKE: takes one of the events that a limit lets through; the last one ends the gate.
 *	1: the gate was open
 * @TAP_GATE_END: ends a gate that is open. 1: it was open. At one event alone
 *
 * Each is one atomic operation on the session, at most. After a read of memory that failed
 * (see DOC: programs) it does nothing, and the result is 0.
 */
enum tap_gate_step {
	TAP_GATE_IS_OPEN	= 0,
	TAP_GATE_OPEN		= 1,
	TAP_GATE_TAKE		= 2,
	TAP_GATE_END		= 3,
};

/**
 * struct tap_gate - TAP_IOC_GATE: set and read the gate
 * @size: sizeof(struct tap_gate)
 * @flags: %TAP_GATE_F_SET, or 0 to read; with it %TAP_GATE_F_CLOSED
 * @limit: with %TAP_GATE_F_SET: events that %TAP_GATE_TAKE lets through, below 2^63; 0: all
 * @out_left: events that it still lets through; 2^63 - 1: all; 0: the gate has ended
 * @out_closed: 1: no event has opened the gate yet
 * @__reserved: 0
 *
 * Errors: EINVAL.
 */
struct tap_gate {
	__u32 size;
	__u32 flags;
	__u64 limit;
	__u64 out_left;
	__u32 out_closed;
	__u32 __reserved;
};

#define TAP_GATE_F_SET		_BITUL(0)
#define TAP_GATE_F_CLOSED	_BITUL(1)

#endif /* _UAPI_LINUX_TAP_GATE_H */
