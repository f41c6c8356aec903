/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * What a session knows of tasks: which calls are under way in a task, and how the time of a call
 * divides. Included by <linux/tap.h>, which has the conventions.
 */
#ifndef _UAPI_LINUX_TAP_TASK_H
#define _UAPI_LINUX_TAP_TASK_H

#include <linux/const.h>
#include <linux/types.h>

#define TAP_MAX_SESSION_TASKS	65536		/* tap_tasks.tasks */
#define TAP_MAX_FRAME		63		/* tap_create.frame */

/* tap_tasks.flags: what the session wants to know. */
#define TAP_TASKS_F_FRAMES	_BITUL(0)	/* tap_create.frame, TAP_VAR_INSIDE */
#define TAP_TASKS_F_DIVISION	_BITUL(1)	/* TAP_VAR_DIVISION, TAP_OP_DIVISION and others */

/* tap_tasks.out_sources: which parts of struct tap_division this kernel can tell apart. */
#define TAP_SOURCE_LOCK		_BITUL(0)	/* else TAP_PART_LOCK is in TAP_PART_SLEEP */
#define TAP_SOURCE_VECTORS	_BITUL(1)	/* else the timer's interrupt is in other parts */

/**
 * struct tap_tasks - TAP_IOC_TASKS: give the session a table of tasks
 * @size: sizeof(struct tap_tasks)
 * @flags: one or more of TAP_TASKS_F_*
 * @tasks: number of tasks for which there is room, at most %TAP_MAX_SESSION_TASKS; 0: 1024. A
 *	task takes room with its first call that needs it, until it ends
 * @out_sources: with %TAP_TASKS_F_DIVISION: TAP_SOURCE_*; else 0
 *
 * Programs that are created afterwards may use it. With %TAP_TASKS_F_DIVISION the session has
 * handlers at tracepoints of the scheduler and of interrupts, from now to its end.
 *
 * Errors: EBUSY if the session has a table; EINVAL; ENOMEM; EOPNOTSUPP if the kernel has other
 * tracepoints.
 */
struct tap_tasks {
	__u32 size;
	__u32 flags;
	__u32 tasks;
	__u32 out_sources;
};

/**
 * struct tap_tasks_read - TAP_IOC_TASKS_READ: what the table could not take
 * @size: sizeof(struct tap_tasks_read)
 * @flags: must be 0
 * @out_no_room: calls of tasks that found no room: nothing is inside of them, and their time is
 *	not divided
 * @out_backwards: times that were before the time to which they were compared, of another CPU or
 *	after the clock had jumped. The part counts as 0, and the rest is unaccounted
 * @out_unexpected: times a task was switched in that had not been switched out, or the reverse.
 *	Its time since then is in no part
 * @out_no_wait: waits that might have been a call's longest and found no room, because more than
 *	%TAP_MAX_WAITS calls that contain each other wait; and spans whose longest wait is not
 *	known, because a call that contains their beginning has returned
 *
 * Errors: ENODATA if the session has no table.
 */
struct tap_tasks_read {
	__u32 size;
	__u32 flags;
	__u64 out_no_room;
	__u64 out_backwards;
	__u64 out_unexpected;
	__u64 out_no_wait;
};

/**
 * enum tap_task_part - what a task does at a moment
 * @TAP_PART_RUN: it runs, and nothing of the following is the case
 * @TAP_PART_IRQ: a handler of an interrupt runs on top of it
 * @TAP_PART_SOFTIRQ: a softirq runs on top of it
 * @TAP_PART_PREEMPTED: it could run, and another task does
 * @TAP_PART_LOCK: it waits for a lock, running or not
 * @TAP_PART_IO: it sleeps, and the kernel counts its wait as one for a device
 * @TAP_PART_SLEEP: it sleeps
 *
 * A task that was woken is preempted until it runs. If a CPU woke it that was going offline, its
 * wait lasts until it runs, and the waker is not known: the kernel has no tracepoints there. In an
 * interrupt the parts are those of the task that was interrupted: all time is %TAP_PART_IRQ or
 * %TAP_PART_SOFTIRQ. NMIs, and what the kernel does before and after the handler of an interrupt,
 * are in the part that they interrupt.
 */
enum tap_task_part {
	TAP_PART_RUN		= 0,
	TAP_PART_IRQ		= 1,
	TAP_PART_SOFTIRQ	= 2,
	TAP_PART_PREEMPTED	= 3,
	TAP_PART_LOCK		= 4,
	TAP_PART_IO		= 5,
	TAP_PART_SLEEP		= 6,
};

#define TAP_NR_PARTS		7

/**
 * enum tap_lock_kind - what a task waited for
 * @TAP_LOCK_NONE: it did not, or the kernel does not tell
 * @TAP_LOCK_SPINLOCK: a spinlock, or a semaphore for which the task did not sleep
 * @TAP_LOCK_RWLOCK: a read-write spinlock
 * @TAP_LOCK_MUTEX: a mutex
 * @TAP_LOCK_RTMUTEX: an rtmutex; with CONFIG_PREEMPT_RT mutexes are rtmutexes
 * @TAP_LOCK_RWSEM: a read-write semaphore
 * @TAP_LOCK_PERCPU_RWSEM: a per-CPU read-write semaphore
 * @TAP_LOCK_SEMAPHORE: a semaphore
 */
enum tap_lock_kind {
	TAP_LOCK_NONE		= 0,
	TAP_LOCK_SPINLOCK	= 1,
	TAP_LOCK_RWLOCK		= 2,
	TAP_LOCK_MUTEX		= 3,
	TAP_LOCK_RTMUTEX	= 4,
	TAP_LOCK_RWSEM		= 5,
	TAP_LOCK_PERCPU_RWSEM	= 6,
	TAP_LOCK_SEMAPHORE	= 7,
};

/* tap_division.holder_tid: readers had the semaphore. */
#define TAP_HOLDER_READER	0xffffffffU

#define TAP_WAIT_FRAMES		16		/* of each of the two stacks of a wait */
#define TAP_MAX_WAITS		4

/**
 * struct tap_division - how a duration divides: output of %TAP_OP_DIVISION
 * @part: ticks of the session's clock, by enum tap_task_part; each is added up by itself. Their sum
 *	is the duration, but for what @out_backwards and @out_unexpected count
 * @wait: ticks of the longest wait for a lock, for I/O or asleep; 0: there was none, or it is not
 *	known (@out_no_wait)
 * @lock_wait: ticks of %TAP_PART_LOCK in the longest wait for a lock; 0: as for @wait
 * @wait_part: enum tap_task_part of @wait
 * @lock_kind: enum tap_lock_kind of @lock_wait
 * @waker_tid: thread that ended it, or that was running when an interrupt ended it; 0: not known
 * @waker_tgid: process of @waker_tid
 * @holder_tid: if @lock_wait was for a mutex, a read-write semaphore or an rtmutex: the thread that
 *	had it at the start of the wait; %TAP_HOLDER_READER; 0: not known
 * @waker_comm: name of @waker_tid
 * @holder_comm: name of @holder_tid
 */
struct tap_division {
	__u64 part[TAP_NR_PARTS];
	__u64 wait;
	__u64 lock_wait;
	__u16 wait_part;
	__u16 lock_kind;
	__u32 waker_tid;
	__u32 waker_tgid;
	__u32 holder_tid;
	char waker_comm[16];
	char holder_comm[16];
};

/**
 * enum tap_divided - operand @imm of %TAP_VAR_DIVISION
 * @TAP_DIVIDED_PART: nanoseconds of a part: this plus its enum tap_task_part
 * @TAP_DIVIDED_UNACCOUNTED: nanoseconds of the duration that are in no part; 0 if the parts have
 *	more than the duration, see @out_backwards
 * @TAP_DIVIDED_WAIT: nanoseconds of the longest wait
 * @TAP_DIVIDED_WAIT_PART: @wait_part
 * @TAP_DIVIDED_WAKER_TID: @waker_tid
 * @TAP_DIVIDED_WAKER_TGID: @waker_tgid
 * @TAP_DIVIDED_HOLDER_TID: @holder_tid
 * @TAP_DIVIDED_WAKER_COMM: word 0 of @waker_comm; the next number is word 1
 * @TAP_DIVIDED_HOLDER_COMM: word 0 of @holder_comm; the next number is word 1
 */
enum tap_divided {
	TAP_DIVIDED_PART	= 0,
	TAP_DIVIDED_UNACCOUNTED	= 7,
	TAP_DIVIDED_WAIT	= 8,
	TAP_DIVIDED_WAIT_PART	= 9,
	TAP_DIVIDED_WAKER_TID	= 10,
	TAP_DIVIDED_WAKER_TGID	= 11,
	TAP_DIVIDED_HOLDER_TID	= 12,
	TAP_DIVIDED_WAKER_COMM	= 13,
	TAP_DIVIDED_HOLDER_COMM	= 15,
};

#define TAP_NR_DIVIDED		17

/*
 * Operand @imm of %TAP_VAR_INSIDE: the frame's number, the most frames that may be in between, and
 * whether a frame of the task counts in an interrupt.
 */
#define TAP_INSIDE_FRAME	0x000000ffULL
#define TAP_INSIDE_BETWEEN(n)	((__u64)(n) << 8)
#define TAP_INSIDE_ANY		0x00ffff00ULL	/* any number in between */
#define TAP_INSIDE_IRQ		0x01000000ULL

#endif /* _UAPI_LINUX_TAP_TASK_H */
