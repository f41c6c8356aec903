/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The counters of a probe: what became of its events. Included by <linux/tap.h>, which has the
 * conventions.
 */
#ifndef _UAPI_LINUX_TAP_STATS_H
#define _UAPI_LINUX_TAP_STATS_H

#include <linux/types.h>

/**
 * struct tap_counters - the events of one probe on one CPU, by their results
 * @hits: events, whatever their result
 * @written: records committed
 * @filtered: events that a test of the program rejected
 * @aggregated: events that were counted or went into an aggregation
 * @lost_full: events lost because the ring was full, or because the CPU came online when
 *	there was no memory for its ring, or for its table of the probe's aggregation
 * @lost_nested: events lost because too many writers interrupted each other
 * @lost_fault: events lost because memory that a test needs could not be read,
 *	or because the event's own data is shorter than what the program reads; also, at
 *	rawtracepoint:page_fault_kernel, page faults of code that reads memory which
 *	may not be present
 * @throttled: events dropped because the probe exceeded its limit, or the session its budget
 * @entered: call, syscall and ucall: entries that passed the tests, less the calls that
 *	a test at the return rejected or could not decide. Once the probe is disabled,
 *	entered - (hits - filtered - lost_fault) calls were still in flight and are not
 *	recorded. funcgraph: the same, but if its events make records each call is
 *	two events: then 2 * entered - (hits - filtered - lost_fault) calls were in
 *	flight. Other types: 0
 *	A call counts on the CPU of its entry and is taken off on that of its return:
 *	only the sum over all CPUs, modulo 2^64, has a meaning
 * @__reserved: zero
 *
 * Once TAP_IOC_DISABLE has returned, exactly: hits = written + filtered + aggregated +
 * lost_full + lost_nested + lost_fault + throttled.
 */
struct tap_counters {
	__u64 hits;
	__u64 written;
	__u64 filtered;
	__u64 aggregated;
	__u64 lost_full;
	__u64 lost_nested;
	__u64 lost_fault;
	__u64 throttled;
	__u64 entered;
	__u64 __reserved[7];
};

/**
 * enum tap_stats_flag - what the counters of a probe may lack
 * @TAP_STATS_F_BPF: tracepoint, of an event that only perf delivers (of single system calls,
 *	dynamic): while the probe was enabled, a BPF program was attached to the same
 *	event. If such a program returns 0, as those of many tools do, perf drops the
 *	event before it calls any handler: no counter of this probe includes it. The module
 *	looks at enable and disable, at TAP_IOC_STATS, and ten times a second; it does not see
 *	a program that was attached and detached in between. The flag stays set
 */
enum tap_stats_flag {
	TAP_STATS_F_BPF	= 1 << 0,
};

/**
 * struct tap_stats - TAP_IOC_STATS: read the counters of a probe
 * @size: sizeof(struct tap_stats)
 * @id: a probe of this session
 * @counters: address of an array of @nr_cpus of struct tap_counters, indexed by CPU number
 * @nr_cpus: length of the array, at most the number of rings of the session
 * @out_flags: enum tap_stats_flag
 * @out_nmissed: times that the kernel skipped the probe's handler, for example because the
 *	probe fired while another probe's handler ran on that CPU. The kernel counts
 *	without atomic operations, so with several CPUs this is a lower bound. func, and
 *	rawtp with a program that reads memory, a stack or a counter: events while such a
 *	program ran on that CPU in the same context; exact, but for what ftrace itself
 *	skips (with several tracers, a function that the handler of another one calls).
 *	tracepoint: events whose data could not be assembled, because perf or another probe
 *	used the buffer of that context; exact, but for events that only perf delivers:
 *	what perf skips is in no number. user_watch: threads and processes that accessed
 *	the memory without events, for some time or always
 * @out_nmissed_return: kretprobe, call, funcgraph: calls missed because maxactive calls
 *	were in flight; a lower bound as well. syscall: calls of tasks for which there was
 *	no room; ucall: calls for which there was no room; both exact
 */
struct tap_stats {
	__u32 size;
	__u32 id;
	__aligned_u64 counters;
	__u32 nr_cpus;
	__u32 out_flags;
	__u64 out_nmissed;
	__u64 out_nmissed_return;
};

#endif /* _UAPI_LINUX_TAP_STATS_H */
