/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * /dev/tap_bench: loops whose cost is counted in ticks of the time stamp
 * counter, which under the lab's --icount are instructions.
 */
#ifndef _TEST_MODULE_KMOD_TAP_BENCH_H
#define _TEST_MODULE_KMOD_TAP_BENCH_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define TAP_BENCH_LOOPS	1000

/* Frames of the function's stack in the loop TAP_BENCH_DEEP, itself included. */
#define TAP_BENCH_FRAMES	8

/* Instructions of tap_bench_places, one every 8 bytes. */
#define TAP_BENCH_PLACES	999

/**
 * enum tap_bench_loop - what a loop does in each turn
 * @TAP_BENCH_CALL: calls tap_bench_function(P, 2, 3, 4), P leading to the words
 *	5, 6
 * @TAP_BENCH_EMPTY: the same with a kprobe on it whose handler does nothing
 * @TAP_BENCH_TRACEPOINT: passes the tracepoint tap_bench(1, 2, 3, 4)
 * @TAP_BENCH_NOTHING: nothing; the loop itself
 * @TAP_BENCH_RECORD: writes a record with four values into a ring of its own,
 *	with the module's own ring code
 * @TAP_BENCH_DEEP: as @TAP_BENCH_CALL, %TAP_BENCH_FRAMES deep
 * @TAP_BENCH_INSIDE: passes tap_bench_inside(1, 2, 3, 4), a function that is not
 *	traced, so that a kprobe there is as one inside any function
 */
enum tap_bench_loop {
	TAP_BENCH_CALL		= 0,
	TAP_BENCH_TRACEPOINT	= 1,
	TAP_BENCH_NOTHING	= 2,
	TAP_BENCH_RECORD	= 3,
	TAP_BENCH_EMPTY		= 4,
	TAP_BENCH_DEEP		= 5,
	TAP_BENCH_INSIDE	= 6,
};

/**
 * struct tap_bench_run - TAP_BENCH_RUN
 * @loop: enum tap_bench_loop
 * @out_ticks: of %TAP_BENCH_LOOPS turns with interrupts off
 */
struct tap_bench_run {
	__u64 loop;
	__u64 out_ticks;
};

#define TAP_BENCH_RUN	_IO(0xDC, 0)

/* Handlers of struct tap_bench_uprobe. */
#define TAP_BENCH_ENTRY		0x1
#define TAP_BENCH_RETURN	0x2

/**
 * struct tap_bench_uprobe - TAP_BENCH_UPROBE
 * @offset: of a function in a program
 * @file: descriptor of that program
 * @handlers: which handlers it gets, which do nothing; 0: it gets rid of them
 */
struct tap_bench_uprobe {
	__u64 offset;
	__s32 file;
	__u32 handlers;
};

#define TAP_BENCH_UPROBE	_IO(0xDC, 1)

#endif /* _TEST_MODULE_KMOD_TAP_BENCH_H */
