/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * /dev/tap_target: functions and tracepoints to be probed, with arguments,
 * results and counts that are known. Closing the file ends its storms and
 * releases what is blocked.
 */
#ifndef _TAP_TARGET_H
#define _TAP_TARGET_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define TAP_TARGET_DEVICE	"/dev/tap_target"

/* Second argument of tap_target_add(). */
#define TAP_TARGET_ADDEND	1000
/* Argument n, from 0, of tap_target_six() and of the event tap_target_event. */
#define TAP_TARGET_ARG(n)	(0x0101010101010101ULL * ((n) + 1))
/* What tap_target_fail() returns. */
#define TAP_TARGET_ERROR	(-22)
/* The most calls that tap_target_recurse() makes of itself. */
#define TAP_TARGET_MAX_DEPTH	100

/**
 * enum tap_target_function - what TAP_TARGET_CALL calls, @count times
 * @TAP_TARGET_ADD: tap_target_add(i, %TAP_TARGET_ADDEND), i from 0: their sum
 * @TAP_TARGET_SIX: tap_target_six(%TAP_TARGET_ARG(0) to (5)): their sum
 * @TAP_TARGET_FAIL: tap_target_fail(i): %TAP_TARGET_ERROR
 * @TAP_TARGET_POINTER: tap_target_pointer(a kernel address): the same address
 * @TAP_TARGET_RECURSE: tap_target_recurse(@count), once: @count. It calls
 *	itself with one less each time, until 0
 * @TAP_TARGET_SLEEP: tap_target_sleep(@count), once: sleeps that many ms
 * @TAP_TARGET_MIGRATE: tap_target_migrate(@cpu): entered on another CPU than
 *	@cpu, if there is one, returns on @cpu
 * @TAP_TARGET_BLOCK: tap_target_block(), once: returns 0 after
 *	TAP_TARGET_RELEASE, and leaves at a fatal signal
 * @TAP_TARGET_HARDIRQ: tap_target_irq(i) in hard interrupts of this CPU
 * @TAP_TARGET_SOFTIRQ: tap_target_irq(i) in softirqs
 * @TAP_TARGET_EVENT: the tracepoint tap_target_event(i, %TAP_TARGET_ARG(1) to
 *	(5))
 */
enum tap_target_function {
	TAP_TARGET_ADD		= 0,
	TAP_TARGET_SIX		= 1,
	TAP_TARGET_FAIL		= 2,
	TAP_TARGET_POINTER	= 3,
	TAP_TARGET_RECURSE	= 4,
	TAP_TARGET_SLEEP	= 5,
	TAP_TARGET_MIGRATE	= 6,
	TAP_TARGET_BLOCK	= 7,
	TAP_TARGET_HARDIRQ	= 8,
	TAP_TARGET_SOFTIRQ	= 9,
	TAP_TARGET_EVENT	= 10,
};

/**
 * struct tap_target_run - the argument of every command
 * @function: enum tap_target_function
 * @cpu: as the function or command says
 * @count: how often
 * @out_result: what the last call returned
 */
struct tap_target_run {
	__u32 function;
	__u32 cpu;
	__u64 count;
	__u64 out_result;
};

/* Calls a function. */
#define TAP_TARGET_CALL		_IO(0xDD, 0)
/*
 * A kernel thread on @cpu that goes on calling tap_target_add(i, @cpu) or, with
 * @function %TAP_TARGET_EVENT, passing tap_target_event(i, @cpu, 0, 0, 0, 0).
 */
#define TAP_TARGET_STORM	_IO(0xDD, 1)
/* Ends all storms of this file; @out_result: the calls that they made. */
#define TAP_TARGET_CALM		_IO(0xDD, 2)
/* Lets all those in tap_target_block() go on. */
#define TAP_TARGET_RELEASE	_IO(0xDD, 3)
/* @out_result: how many are in tap_target_block(). */
#define TAP_TARGET_BLOCKED	_IO(0xDD, 4)

#endif /* _TAP_TARGET_H */
