/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Counters of the processor and of the kernel: how to select them, and how to read them.
 */
#ifndef _UAPI_LINUX_TAP_PERF_H
#define _UAPI_LINUX_TAP_PERF_H

#include <linux/const.h>
#include <linux/types.h>

#define TAP_MAX_PMU		6		/* counters of a session, for TAP_OP_PMU */

/* tap_perf.flags */
#define TAP_PERF_F_NO_USER	_BITUL(0)	/* do not count in programs */
#define TAP_PERF_F_NO_KERNEL	_BITUL(1)	/* do not count in the kernel */
#define TAP_PERF_F_NO_HV	_BITUL(2)	/* do not count in the hypervisor */
#define TAP_PERF_F_NO_IDLE	_BITUL(3)	/* do not count while the CPU is idle */
#define TAP_PERF_F_NO_HOST	_BITUL(4)	/* do not count outside virtual machines */
#define TAP_PERF_F_NO_GUEST	_BITUL(5)	/* do not count inside virtual machines */
#define TAP_PERF_F_FREQUENCY	_BITUL(6)	/* @period is samples per second */
#define TAP_PERF_F_ON_EXEC	_BITUL(7)	/* count: from the task's next execve on */
#define TAP_PERF_F_PRECISE	0x300		/* two bits: 0 to 3, as perf's precise_ip */
#define TAP_PERF_F_ALL		0x3ff
#define TAP_PERF_F_POINTER	_BITUL(10)	/* user_watch: @config1 leads to a pointer */
#define TAP_PERF_F_LATER	_BITUL(11)	/* watchpoint: TAP_IOC_ENABLE gives the address */

/* tap_perf.config of a watchpoint */
#define TAP_WATCH_READ		_BITUL(0)
#define TAP_WATCH_WRITE		_BITUL(1)
#define TAP_WATCH_EXECUTE	_BITUL(2)

/**
 * struct tap_perf - selects a counter, or describes a watchpoint
 * @size: sizeof(struct tap_perf)
 * @flags: TAP_PERF_F_*
 * @type: PERF_TYPE_* as for perf_event_open(2), but not PERF_TYPE_TRACEPOINT, or the number
 *	of a PMU in sysfs, but not of the PMUs kprobe and uprobe. Watchpoint, and nothing
 *	else: PERF_TYPE_BREAKPOINT
 * @__reserved: must be 0
 * @config: as for perf_event_open(2): the event of @type. Watchpoint: TAP_WATCH_*
 * @config1: as for perf_event_open(2). Watchpoint: the address; 0: the probe's target
 *	gives it, or with %TAP_PERF_F_LATER a later TAP_IOC_ENABLE, until which the probe is
 *	%TAP_STATE_WAITING. user_watch: see %TAP_PROBE_USER_WATCH; with %TAP_PERF_F_POINTER
 *	there is a pointer of 8 bytes, read when a process is armed, and the watched memory is
 *	@period bytes behind where it leads: so a variable of a library is found in the copy of
 *	it that a program may have
 * @config2: as for perf_event_open(2). Watchpoint: length in bytes: 1, 2, 4 or 8
 * @period: event: the counter makes an event each time that it has counted this many, at most
 *	2^63 - 1; with %TAP_PERF_F_FREQUENCY: number of events per second, at most 100000.
 *	Others, but for a user_watch with %TAP_PERF_F_POINTER: must be 0. A period of 1 is
 *	refused (EINVAL) for PERF_COUNT_HW_BRANCH_INSTRUCTIONS: Intel's branch trace store makes
 *	no events
 */
struct tap_perf {
	__u32 size;
	__u32 flags;
	__u32 type;
	__u32 __reserved;
	__u64 config;
	__u64 config1;
	__u64 config2;
	__u64 period;
};

/**
 * struct tap_pmu - TAP_IOC_PMU: the counters that the probes of a session read
 * @size: sizeof(struct tap_pmu)
 * @flags: must be 0
 * @events: address of an array of struct tap_perf, whose elements all have the same @size:
 *	that is the distance from one to the next
 * @nr_events: length of the array, 1 to %TAP_MAX_PMU
 * @__reserved: must be 0
 *
 * A session gets its counters once, and keeps them until it ends. They count from now on,
 * on all CPUs. They occupy counters of the processor: they are not multiplexed. If perf
 * takes a counter away from a CPU, its values are absent there; the kernel tries once a
 * second to get it back, while a probe is enabled. Programs of probes that are created
 * afterwards read them with %TAP_OP_PMU.
 *
 * Errors: EBADFD if the session has counters already; EOPNOTSUPP if this machine has
 * no such counter; EINVAL if a counter cannot be read at an event (it belongs not to a
 * CPU, but for example to a memory controller); ENOSPC if the processor does not have
 * that many free counters.
 */
struct tap_pmu {
	__u32 size;
	__u32 flags;
	__aligned_u64 events;
	__u32 nr_events;
	__u32 __reserved;
};

/**
 * struct tap_count - the value of a counter
 * @value: what it counted while it was running
 * @enabled: nanoseconds for which it was enabled
 * @running: nanoseconds for which it counted; less than @enabled if it had to share the
 *	processor's counters with others: then scale @value by @enabled / @running
 * @state: enum tap_count_state
 * @__reserved: zero
 *
 * Does not grow.
 */
struct tap_count {
	__u64 value;
	__u64 enabled;
	__u64 running;
	__u32 state;
	__u32 __reserved;
};

/**
 * enum tap_count_state - state of a counter
 * @TAP_COUNT_OFF: there is no counter now: the CPU is not online, or the probe is disabled
 * @TAP_COUNT_ON: it counts, or waits for its turn, or waits for its task to run
 * @TAP_COUNT_ENDED: its task has ended; the values do not change any longer
 */
enum tap_count_state {
	TAP_COUNT_OFF	= 0,
	TAP_COUNT_ON	= 1,
	TAP_COUNT_ENDED	= 2,
};

/**
 * struct tap_count_read - TAP_IOC_COUNT: read a probe that counts
 * @size: sizeof(struct tap_count_read)
 * @id: a probe of this session of the type %TAP_PROBE_COUNT
 * @counts: address of an array of @nr_counts of struct tap_count, indexed by CPU number; a
 *	probe of a task has a single one
 * @nr_counts: length of the array, at most the number of rings of the session; for a probe of
 *	a task at most 1
 * @__reserved: must be 0
 *
 * Values only grow: they include what a CPU counted before it went offline, and what was
 * counted before the probe was disabled.
 *
 * Errors: ENODATA if the probe is of another type.
 */
struct tap_count_read {
	__u32 size;
	__u32 id;
	__aligned_u64 counts;
	__u32 nr_counts;
	__u32 __reserved;
};

#endif /* _UAPI_LINUX_TAP_PERF_H */
