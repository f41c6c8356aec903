/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * /dev/tap_bench: loops whose cost is counted in ticks of tap_clock_counter(). Under the
 * lab's --icount a tick is an instruction.
 */
#ifndef _TEST_MODULE_KMOD_TAP_BENCH_H
#define _TEST_MODULE_KMOD_TAP_BENCH_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Turns of each loop. */
#define TAP_BENCH_LOOPS	1000

/* Kernel stack frames in tap_bench_function() in the loop TAP_BENCH_DEEP, with its own. */
#define TAP_BENCH_FRAMES	8

/* Instructions of tap_bench_places, one every 8 bytes: rows, each with a symbol of its own. */
#define TAP_BENCH_ROWS		9
#define TAP_BENCH_ROW		111

/**
 * enum tap_bench_loop - what one turn of the loop does
 * @TAP_BENCH_CALL: calls tap_bench_function(P, 2, 3, 4); P points to the words 5, 6
 * @TAP_BENCH_EMPTY: as @TAP_BENCH_CALL, with a kprobe whose handler does nothing
 * @TAP_BENCH_TRACEPOINT: fires the tracepoint tap_bench(1, 2, 3, 4)
 * @TAP_BENCH_NOTHING: nothing: the cost of the loop itself
 * @TAP_BENCH_RECORD: writes a record with four values into a private ring, with the
 *	module's ring code
 * @TAP_BENCH_DEEP: as @TAP_BENCH_CALL, at a stack depth of %TAP_BENCH_FRAMES
 * @TAP_BENCH_INSIDE: calls tap_bench_inside(1, 2, 3, 4), which ftrace does not know, so a
 *	kprobe at its start costs as much as one in the middle of a function
 * @TAP_BENCH_PAIR: fires the tracepoints tap_bench(1, 2, 3, 4) and tap_bench_end(1, 2, 3, 4)
 * @TAP_BENCH_BEGINS: fires the tracepoint tap_bench(1, N, 3, 4), with another N each time
 * @TAP_BENCH_WAIT: calls tap_bench_wait(), in which the events of a sleep occur: the task is
 *	switched out, woken, and switched in; it is not
 * @TAP_BENCH_WAITS: as @TAP_BENCH_WAIT, in one call of tap_bench_waits()
 * @TAP_BENCH_EMIT: emits the event bench(1, 2, 3, 4)
 * @TAP_BENCH_EMPTY_EVENT: as @TAP_BENCH_TRACEPOINT, with a handler that does nothing but disable
 *	preemption, if the kernel has not
 * @TAP_BENCH_EMPTY_RETURN: as @TAP_BENCH_CALL, with a kretprobe whose two handlers do nothing
 * @TAP_BENCH_HOOKS: and the numbers behind: the event of enum tap_bench_hook with that number
 *	occurs
 * @TAP_BENCH_EMPTY_HOOKS: the same, with a handler at the event that does nothing
 */
enum tap_bench_loop {
	TAP_BENCH_CALL		= 0,
	TAP_BENCH_TRACEPOINT	= 1,
	TAP_BENCH_NOTHING	= 2,
	TAP_BENCH_RECORD	= 3,
	TAP_BENCH_EMPTY		= 4,
	TAP_BENCH_DEEP		= 5,
	TAP_BENCH_INSIDE	= 6,
	TAP_BENCH_PAIR		= 7,
	TAP_BENCH_BEGINS	= 8,
	TAP_BENCH_WAIT		= 9,
	TAP_BENCH_WAITS		= 10,
	TAP_BENCH_EMIT		= 11,
	TAP_BENCH_EMPTY_EVENT	= 12,
	TAP_BENCH_EMPTY_RETURN	= 13,
	TAP_BENCH_HOOKS		= 32,
	TAP_BENCH_EMPTY_HOOKS	= 64,
};

/* Events that divide the time of tasks. */
enum tap_bench_hook {
	TAP_BENCH_SWITCH,
	TAP_BENCH_WAKING,
	TAP_BENCH_WAKEUP,
	TAP_BENCH_IRQ_ENTRY,
	TAP_BENCH_IRQ_EXIT,
	TAP_BENCH_TIMER_ENTRY,
	TAP_BENCH_TIMER_EXIT,
	TAP_BENCH_SOFTIRQ_ENTRY,
	TAP_BENCH_SOFTIRQ_EXIT,
	TAP_BENCH_LOCK,
	TAP_BENCH_UNLOCK,
	TAP_BENCH_NR_HOOKS,
	/* The interrupt of the timer with its softirq, and one switch. */
	TAP_BENCH_TICK = TAP_BENCH_NR_HOOKS,
};

/**
 * struct tap_bench_run - argument of TAP_BENCH_RUN
 * @loop: enum tap_bench_loop
 * @out_ticks: ticks of %TAP_BENCH_LOOPS turns, with interrupts off
 */
struct tap_bench_run {
	__u64 loop;
	__u64 out_ticks;
};

#define TAP_BENCH_RUN	_IO(0xDC, 0)

/* Values of @handlers of struct tap_bench_uprobe. */
#define TAP_BENCH_ENTRY		0x1
#define TAP_BENCH_RETURN	0x2

/**
 * struct tap_bench_uprobe - argument of TAP_BENCH_UPROBE: set or remove a uprobe
 * @offset: offset of a function in the program's file
 * @file: descriptor of the program
 * @handlers: TAP_BENCH_ENTRY, TAP_BENCH_RETURN or both, which do nothing; 0: remove it
 */
struct tap_bench_uprobe {
	__u64 offset;
	__s32 file;
	__u32 handlers;
};

#define TAP_BENCH_UPROBE	_IO(0xDC, 1)

#endif /* _TEST_MODULE_KMOD_TAP_BENCH_H */
