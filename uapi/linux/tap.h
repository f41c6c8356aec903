/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * /dev/tap: sessions and probes.
 *
 * DOC: sessions
 *
 * An open file of /dev/tap is a session. A new session is empty; TAP_IOC_SETUP
 * gives it rings, TAP_IOC_CREATE adds probes. Closing its last descriptor removes
 * the probes and the rings, however the process ended. Sessions do not see each
 * other; probe ids are private to a session.
 *
 * DOC: the ioctl convention
 *
 * Every argument is a structure that begins with its own size in bytes. The
 * kernel accepts a structure larger than the one it knows if the unknown tail is
 * zero, and a smaller one if it holds the fields of the first version. Flags and
 * reserved fields without a meaning must be zero. The kernel writes the fields
 * named out_*, and only on success. Pointers are passed as __u64, so that the
 * layout is the same for 32-bit callers.
 *
 * DOC: errors, for every command unless its own text says otherwise
 *
 *  ENOTTY		the command is not known
 *  EINVAL		the structure is too small, or a field is out of range, or a
 *			flag or reserved field without a meaning is set
 *  E2BIG		the structure is larger than the kernel knows and its tail is
 *			not zero, or it is larger than a page
 *  EFAULT		a pointer cannot be read or written
 *  EPERM		the caller lacks CAP_PERFMON, for a program's probe or a
 *			watchpoint CAP_SYS_ADMIN, or the kernel is locked down
 *  ENOMEM		out of memory, over the memory cgroup's limit, or over 256 MiB
 *			for the calls in flight and the aggregation tables of the
 *			session's probes
 *  ENODATA		the probe does not aggregate
 *  EBADFD		the session has no rings yet (or has them already)
 *  ENOENT		no such probe, function or tracepoint
 *  EOPNOTSUPP		this kernel, or this type of probe, does not support it
 *
 * A command that fails changes nothing.
 */
#ifndef _UAPI_LINUX_TAP_H
#define _UAPI_LINUX_TAP_H

#include <linux/const.h>
#include <linux/ioctl.h>
#include <linux/tap_aggregate.h>
#include <linux/tap_perf.h>
#include <linux/tap_program.h>
#include <linux/tap_record.h>
#include <linux/tap_ring.h>
#include <linux/types.h>

#define TAP_DEVICE		"/dev/tap"
#define TAP_API_VERSION		2
#define TAP_IOC_TYPE		0xDB

/* What this module supports on this kernel; tap_info.out_features. */
#define TAP_FEATURE_KPROBE	_BITULL(0)
#define TAP_FEATURE_KRETPROBE	_BITULL(1)
#define TAP_FEATURE_CALL	_BITULL(2)
#define TAP_FEATURE_RAWTP	_BITULL(3)
#define TAP_FEATURE_RAW_CLOCK	_BITULL(4)	/* stable raw counter */
#define TAP_FEATURE_TRACEPOINT	_BITULL(5)
#define TAP_FEATURE_SYSCALL	_BITULL(6)
#define TAP_FEATURE_UPROBE	_BITULL(7)	/* uretprobe, ucall and usdt as well */
#define TAP_FEATURE_PERF	_BITULL(8)	/* event, count, TAP_IOC_PMU */
#define TAP_FEATURE_WATCHPOINT	_BITULL(9)	/* with records */
#define TAP_FEATURE_MARK	_BITULL(10)
#define TAP_FEATURE_FUNC	_BITULL(11)
#define TAP_FEATURE_FUNCGRAPH	_BITULL(12)

#define TAP_MIN_RING_BYTES	_BITULL(12)
#define TAP_MAX_RING_BYTES	_BITULL(30)
#define TAP_DEFAULT_RING_BYTES	_BITULL(20)
#define TAP_DEFAULT_WAKE_MS	100
#define TAP_MAX_WAKE_MS		60000
#define TAP_MAX_PROBES		16384		/* in one session */
#define TAP_MAX_MAXACTIVE	4096
#define TAP_MAX_TASKS		65536		/* whose system calls a probe follows */
#define TAP_MAX_UCALLS		65536		/* calls in flight, of a probe */
#define TAP_MAX_TARGET		256		/* bytes, with the final 0 */
#define TAP_MARK_BYTES		256		/* data of a mark */
#define TAP_MAX_ADDRS		65536		/* functions of a probe */
#define TAP_DEFAULT_LIMIT	2500000		/* records a second on a CPU */
#define TAP_NO_LIMIT		0xffffffffU

/**
 * struct tap_info - TAP_IOC_INFO: what this module supports
 * @size: sizeof(struct tap_info)
 * @flags: must be 0
 * @out_features: TAP_FEATURE_*
 * @out_api: %TAP_API_VERSION of the module
 * @out_nr_rings: rings that TAP_IOC_SETUP makes: @nr_rings of struct tap_meta
 * @out_page_size: bytes; unit of the mmap offsets
 * @out_clock: enum tap_clock that a session would get if it were set up now
 * @out_max_probes: %TAP_MAX_PROBES of the module
 * @out_max_ops: %TAP_MAX_OPS of the module
 *
 * The session needs no rings.
 */
struct tap_info {
	__u32 size;
	__u32 flags;
	__u64 out_features;
	__u32 out_api;
	__u32 out_nr_rings;
	__u32 out_page_size;
	__u32 out_clock;
	__u32 out_max_probes;
	__u32 out_max_ops;
};

#define TAP_IOC_INFO	_IO(TAP_IOC_TYPE, 0x00)

/**
 * struct tap_setup - TAP_IOC_SETUP: give the session its rings
 * @size: sizeof(struct tap_setup)
 * @flags: must be 0
 * @ring_bytes: bytes of slots in each ring, a power of two from
 *	%TAP_MIN_RING_BYTES (and a page) to %TAP_MAX_RING_BYTES
 * @watermark: wake a sleeping reader when a ring has this many unread bytes;
 *	a power of two, at least 64, at most @ring_bytes; 0: a quarter of @ring_bytes
 * @wake_ms: if anything is unread, wake a sleeping reader after this many
 *	milliseconds at the latest; at most %TAP_MAX_WAKE_MS; 0:
 *	%TAP_DEFAULT_WAKE_MS
 * @out_nr_rings: see @nr_rings of struct tap_meta
 * @out_ring_offset: see @ring_offset of struct tap_meta
 * @out_ring_stride: see @ring_stride of struct tap_meta
 * Errors: EBADFD if the session has rings already, EINVAL, ENOMEM.
 */
struct tap_setup {
	__u32 size;
	__u32 flags;
	__u64 ring_bytes;
	__u64 watermark;
	__u32 wake_ms;
	__u32 out_nr_rings;
	__u64 out_ring_offset;
	__u64 out_ring_stride;
};

#define TAP_IOC_SETUP	_IO(TAP_IOC_TYPE, 0x01)

/**
 * enum tap_probe_type - event sources
 * @TAP_PROBE_KPROBE: a kernel instruction: FUNC, FUNC+OFF, MODULE:FUNC
 * @TAP_PROBE_KRETPROBE: the return of a kernel function
 * @TAP_PROBE_CALL: a whole call of a kernel function: one record at its return,
 *	which begins with the words of enum tap_call_value
 * @TAP_PROBE_RAWTP: a tracepoint, with its raw arguments: NAME, MODULE:NAME
 * @TAP_PROBE_TRACEPOINT: a tracepoint, with the fields of its event as tracefs
 *	describes them: SUBSYS:NAME. Its module cannot be unloaded while the probe
 *	exists.
 * @TAP_PROBE_SYSCALL: whole system calls: one record at the return of each, as
 *	for a call. The target is a list of numbers and ranges of numbers below
 *	1024, separated by commas (0,2-5), or * for all. System calls that do not
 *	return (exit, exit_group) have one record at the entry, with
 *	%TAP_F_NO_RETURN. The system calls of 32-bit programs have numbers of
 *	their own: they are no events.
 * @TAP_PROBE_UPROBE: an instruction of a program or a shared library, in all
 *	processes that map it, now or later, or in one process
 * @TAP_PROBE_URETPROBE: the return of a function that begins at @offset. From
 *	entry to return, the return address on the program's stack is replaced by
 *	the uretprobe trampoline. C++ exceptions and stack-moving runtimes (Go,
 *	coroutines) break and usually abort the program. The same applies to ucall.
 * @TAP_PROBE_UCALL: a whole call of that function: one record at its return, as
 *	for a call. A call whose return is not seen (its task ended or called
 *	execve, a longjmp skipped it, it was more than 64 calls deep) has a record
 *	with %TAP_F_NO_RETURN, made when the kernel finds that out. A return in a
 *	child of fork, from a call that its parent made, is no event.
 * @TAP_PROBE_USDT: as an uprobe, with a semaphore that is incremented in the
 *	memory of each such process while the probe is enabled
 * @TAP_PROBE_EVENT: a counter of the processor or the kernel has counted another
 *	period; its own data is struct tap_sample. Two kinds of samples are counted
 *	nowhere: those that perf drops because another event of the kind is in
 *	progress in the same context, and those that it holds back
 *	(perf_event_max_sample_rate)
 * @TAP_PROBE_WATCHPOINT: memory of the kernel was read, written or executed; its own
 *	data is struct tap_watch. The address is the target: SYMBOL, SYMBOL+OFF,
 *	MODULE:SYMBOL; or, for an opener with CAP_SYSLOG, tap_perf.config1. Without
 *	%TAP_FEATURE_WATCHPOINT it needs %TAP_CREATE_F_COUNT, and has no program
 * @TAP_PROBE_COUNT: a counter, on all CPUs or, with @pid, of a task and all tasks
 *	that it creates from then on. It has no events; TAP_IOC_COUNT reads it
 * @TAP_PROBE_MARK: a user-space marker written with TAP_IOC_MARK; payload is
 *	%TAP_MARK_BYTES bytes. With the target "mark" the probe gets the markers
 *	that are written to all probes; else those that are written to it alone
 * @TAP_PROBE_FUNC: the start of a kernel function, FUNC or MODULE:FUNC, or of each of
 *	up to %TAP_MAX_ADDRS functions at @addrs; %TAP_VAR_FUNC says which one it
 *	was. It has arguments and no registers. It uses ftrace, at a fraction of a
 *	kprobe's cost, and all functions of a probe are armed in one step
 * @TAP_PROBE_FUNCGRAPH: as call, with an entry record as well, which has
 *	%TAP_F_ENTRY: it has the same words; those of the return are 0. Each record
 *	is an event. Its program has no tests at the return (EOPNOTSUPP). If events
 *	are counted or aggregated there is no event at the entry, as for a call
 */
enum tap_probe_type {
	TAP_PROBE_KPROBE	= 1,
	TAP_PROBE_KRETPROBE	= 2,
	TAP_PROBE_CALL		= 3,
	TAP_PROBE_RAWTP		= 4,
	TAP_PROBE_TRACEPOINT	= 5,
	TAP_PROBE_SYSCALL	= 6,
	TAP_PROBE_UPROBE	= 7,
	TAP_PROBE_URETPROBE	= 8,
	TAP_PROBE_UCALL		= 9,
	TAP_PROBE_USDT		= 10,
	TAP_PROBE_EVENT		= 11,
	TAP_PROBE_WATCHPOINT	= 12,
	TAP_PROBE_COUNT		= 13,
	TAP_PROBE_MARK		= 14,
	TAP_PROBE_FUNC		= 15,
	TAP_PROBE_FUNCGRAPH	= 16,
};

/**
 * struct tap_sample - the data of a TAP_PROBE_EVENT, for TAP_OP_FIELD
 * @ip: where the CPU was: an address of the kernel or of a program
 * @period: how much the counter counted since the previous sample
 * @addr: for a page, alignment or emulation fault: the faulting address; else 0
 */
struct tap_sample {
	__u64 ip;
	__u64 period;
	__u64 addr;
};

/**
 * struct tap_watch - the data of a TAP_PROBE_WATCHPOINT, for TAP_OP_FIELD
 * @ip: where the CPU was: behind the instruction; for an execution at it
 * @old: the value at the previous event, or when the probe was enabled
 * @new: the value now. For an execution 0, as is @old
 *
 * If two CPUs write the memory at the same time, both may find the later value.
 */
struct tap_watch {
	__u64 ip;
	__u64 old;
	__u64 new;
};

/*
 * A probe of MODULE:NAME, of type rawtp, kprobe, kretprobe, call, funcgraph or func
 * (of one name), may be created while MODULE is not loaded. Once enabled, it arms
 * itself when that module is loaded, before any code of the module runs. It is gone
 * when its code is freed: __init code when it has run, the rest when the module is
 * unloaded. It arms itself again when the module is loaded again. Without the flag
 * creating such a probe fails with ENOENT, and a probe that is gone stays gone.
 */
#define TAP_CREATE_F_WAIT	_BITUL(0)

/* Count events, as aggregated, and write no records. Tests apply as always. */
#define TAP_CREATE_F_COUNT	_BITUL(1)

#define TAP_CREATE_F_ALL	(TAP_CREATE_F_WAIT | TAP_CREATE_F_COUNT)

/**
 * struct tap_create - TAP_IOC_CREATE: create a probe, disabled
 * @size: sizeof(struct tap_create)
 * @flags: TAP_CREATE_F_*
 * @type: enum tap_probe_type
 * @maxactive: kretprobe, call, funcgraph: how many calls may be in flight at once
 *	before further ones are missed, at most %TAP_MAX_MAXACTIVE; 0: twice the
 *	number of CPUs, at least 10, and where calls are missed, twice as many again
 *	for later calls (%TAP_NOTICE_MAXACTIVE_RAISED). syscall: number of tasks for
 *	which there is room; a task takes room from its first call that passes the
 *	tests until the task ends; at most %TAP_MAX_TASKS; 0: 4096. ucall: number of
 *	calls in flight, of all tasks, for which there is room; a task takes as much
 *	as it ever had in flight at once, until it ends; at most %TAP_MAX_UCALLS; 0:
 *	4096. Other types: must be 0
 * @target: address of the target's name; for a program's probe any text, to be
 *	read back, since @file and @offset give the place
 * @target_len: bytes of @target without a final 0, less than %TAP_MAX_TARGET
 * @nr_ops: number of operations at @ops, at most %TAP_MAX_OPS
 * @ops: address of an array of struct tap_op
 * @data: address of the program's patterns
 * @aggregate: address of a struct tap_aggregate, or 0: events become records
 * @data_len: bytes at @data, at most %TAP_MAX_DATA
 * @out_id: id of the probe, from 1
 * @file: uprobe, uretprobe, ucall, usdt: descriptor, open for reading, of the
 *	program or library. Its mount stays busy until the probe is deleted.
 *	Other types: must be 0; that holds for @pid and @offset as well
 * @pid: uprobe, uretprobe, ucall, usdt: the process whose events are wanted, or 0:
 *	the events of all. Its children are not included. count: the task, or 0: all
 *	CPUs
 * @offset: uprobe, uretprobe, ucall, usdt: offset of the instruction in the file,
 *	in bytes
 * @semaphore: usdt: offset of its semaphore in the file, in bytes; or 0: it
 *	has none. Other types: must be 0
 * @perf: event, watchpoint, count: address of a struct tap_perf. Other types: must
 *	be 0
 * @addrs: func: address of an array of the addresses of functions, as in
 *	/proc/kallsyms, in any order; then @target is any text, to be read back.
 *	The opener must have CAP_SYSLOG (EPERM). 0: @target names the one
 *	function. Other types: must be 0
 * @nr_addrs: number of @addrs, at most %TAP_MAX_ADDRS
 * @limit: how many events a second, on any one CPU, may become records or be lost
 *	for want of room; 0: %TAP_DEFAULT_LIMIT; %TAP_NO_LIMIT: no limit.
 *	If a probe exceeds it most of its events are dropped for a second, counted
 *	as throttled, and so on for as long as it does; %TAP_KIND_NOTICE records say
 *	when. Events that are counted or aggregated make no records: for them there
 *	is no limit
 *
 * Errors: EBADFD without rings; ENOENT if there is no such function or
 * tracepoint (with %TAP_CREATE_F_WAIT the probe waits instead), EINVAL if the name
 * to wait for has no module; EADDRNOTAVAIL if the function exists but must not
 * be probed (blacklisted, or not code); EILSEQ if the offset is inside an instruction;
 * ENOSPC over %TAP_MAX_PROBES; EOPNOTSUPP if the kernel lacks the source; EBADF
 * if @file cannot be read, EINVAL if it is not a regular file or ends before @offset
 * or @semaphore; ESRCH if there is no process @pid.
 */
struct tap_create {
	__u32 size;
	__u32 flags;
	__u32 type;
	__u32 maxactive;
	__aligned_u64 target;
	__u32 target_len;
	__u32 nr_ops;
	__aligned_u64 ops;
	__aligned_u64 data;
	__aligned_u64 aggregate;
	__u32 data_len;
	__u32 out_id;
	__s32 file;
	__u32 pid;
	__u64 offset;
	__u64 semaphore;
	__aligned_u64 perf;
	__aligned_u64 addrs;
	__u32 nr_addrs;
	__u32 limit;
};

#define TAP_IOC_CREATE	_IO(TAP_IOC_TYPE, 0x02)

/**
 * struct tap_probe_ref - TAP_IOC_ENABLE, TAP_IOC_DISABLE, TAP_IOC_DELETE
 * @size: sizeof(struct tap_probe_ref)
 * @id: a probe of this session, or 0 for all of them; TAP_IOC_DELETE takes no 0
 *
 * Enabling an enabled probe, or disabling a disabled one, does nothing. If
 * one of all probes cannot be enabled, none stays newly enabled. A disabled
 * probe costs nothing and keeps its counters. Deleting a probe deletes its counters;
 * its records stay in the rings, and its id is not used again.
 *
 * Errors of enabling: ENOENT if the target went with its module; EBUSY if another
 * tracer or a live patch holds the place. For a program's probe: EADDRNOTAVAIL if
 * the kernel cannot step over the instruction; EIO if it cannot read pages of the
 * file; EINVAL if it has a semaphore where another probe of the same place has none,
 * or another one. For a watchpoint: ENOSPC if a CPU has no debug register left,
 * EADDRNOTAVAIL where the kernel allows none. Deleting 0 is EINVAL.
 */
struct tap_probe_ref {
	__u32 size;
	__u32 id;
};

#define TAP_IOC_ENABLE	_IO(TAP_IOC_TYPE, 0x03)
#define TAP_IOC_DISABLE	_IO(TAP_IOC_TYPE, 0x04)
#define TAP_IOC_DELETE	_IO(TAP_IOC_TYPE, 0x05)

/**
 * enum tap_probe_state - state of a probe
 * @TAP_STATE_DISABLED: created, costs nothing
 * @TAP_STATE_ENABLED: records its events
 * @TAP_STATE_WAITING: enabled, for a module that is not loaded
 * @TAP_STATE_GONE: the module of its target was unloaded, or the target was in the
 *	module's __init code, which has run and was freed
 * @TAP_STATE_FAILED: its module was loaded, and the probe could not be armed: there
 *	is no such function, or it must not be probed; the kernel's log has the error.
 *	It is tried again when the module is loaded again
 */
enum tap_probe_state {
	TAP_STATE_DISABLED	= 0,
	TAP_STATE_ENABLED	= 1,
	TAP_STATE_WAITING	= 2,
	TAP_STATE_GONE		= 3,
	TAP_STATE_FAILED	= 4,
};

/**
 * struct tap_probe_info - TAP_IOC_PROBE_INFO: read a probe back
 * @size: sizeof(struct tap_probe_info)
 * @id: a probe of this session
 * @ops: address of room for @nr_ops of struct tap_op, or 0
 * @nr_ops: operations for which there is room at @ops
 * @out_nr_ops: operations of the probe; if more than @nr_ops, @ops gets the first ones
 * @out_type: enum tap_probe_type
 * @out_state: enum tap_probe_state
 * @out_maxactive: the value that the kernel uses
 * @out_slots: slots of one record
 * @out_words: value words of one record
 * @__reserved: must be 0
 * @out_address: address of the probe if the opener had CAP_SYSLOG, else 0
 * @out_target: the target's name as given
 */
struct tap_probe_info {
	__u32 size;
	__u32 id;
	__aligned_u64 ops;
	__u32 nr_ops;
	__u32 out_nr_ops;
	__u32 out_type;
	__u32 out_state;
	__u32 out_maxactive;
	__u32 out_slots;
	__u32 out_words;
	__u32 __reserved;
	__u64 out_address;
	char out_target[TAP_MAX_TARGET];
};

#define TAP_IOC_PROBE_INFO	_IO(TAP_IOC_TYPE, 0x06)

/**
 * struct tap_counters - what became of the events of one probe on one CPU
 * @hits: times the probe's handler ran
 * @written: records committed
 * @filtered: events that a test of the program rejected
 * @aggregated: events that were counted or went into an aggregation
 * @lost_full: events lost because the ring was full
 * @lost_nested: events lost because too many writers interrupted each other
 * @lost_fault: events lost because memory that a test needs could not be read,
 *	or because the event is shorter than what the program reads; also, at
 *	rawtracepoint:page_fault_kernel, page faults of code that reads memory which
 *	may not be present
 * @throttled: events dropped because the probe exceeded its limit
 * @entered: call, syscall and ucall: entries that passed the tests, less the calls that
 *	the tests at the return gave up; once the probe is disabled, entered -
 *	(hits - filtered - lost_fault) calls were still in flight and are not
 *	recorded. funcgraph: the same, but if its events make records each call is
 *	two events: then 2 * entered - (hits - filtered - lost_fault) calls were in
 *	flight. Other types: 0
 * @__reserved: zero
 *
 * Once the probe is disabled, exactly: hits = written + filtered + aggregated +
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
 * struct tap_stats - TAP_IOC_STATS: read the counters of a probe
 * @size: sizeof(struct tap_stats)
 * @id: a probe of this session
 * @counters: address of @nr_cpus of struct tap_counters, by CPU number
 * @nr_cpus: room at @counters, at most the rings of the session
 * @__reserved: must be 0
 * @out_nmissed: events that the kernel itself skipped (the probe fired while
 *	another probe's handler ran on that CPU); the kernel counts them
 *	without atomics, so with several CPUs this is a lower bound
 * @out_nmissed_return: kretprobe and call: calls that found all of maxactive
 *	in use; a lower bound as well. syscall: calls of tasks for which there was
 *	no room; ucall: calls for which there was no room; both exact
 */
struct tap_stats {
	__u32 size;
	__u32 id;
	__aligned_u64 counters;
	__u32 nr_cpus;
	__u32 __reserved;
	__u64 out_nmissed;
	__u64 out_nmissed_return;
};

#define TAP_IOC_STATS	_IO(TAP_IOC_TYPE, 0x07)

/**
 * struct tap_flush - TAP_IOC_FLUSH: write the gap records and notices that are due
 * @size: sizeof(struct tap_flush)
 * @flags: must be 0
 * @out_pending: losses that are not reported yet, because a ring still has no room
 *
 * A gap record reports a loss before the next record of that ring. At the end of a
 * trace there is no next record; this command writes the gap record. Call it after
 * the rings were drained.
 */
struct tap_flush {
	__u32 size;
	__u32 flags;
	__u64 out_pending;
};

#define TAP_IOC_FLUSH	_IO(TAP_IOC_TYPE, 0x08)

/**
 * struct tap_time - TAP_IOC_TIME: the session's clock beside the system's
 * @size: sizeof(struct tap_time)
 * @flags: must be 0
 * @out_raw: the session's clock
 * @out_mono: CLOCK_MONOTONIC in nanoseconds, at the same moment
 * @out_real: CLOCK_REALTIME in nanoseconds, at the same moment
 *
 * Two samples, from the start and the end of a trace, give a reader the rate
 * of the raw clock more exactly than struct tap_meta does.
 */
struct tap_time {
	__u32 size;
	__u32 flags;
	__u64 out_raw;
	__u64 out_mono;
	__u64 out_real;
};

#define TAP_IOC_TIME	_IO(TAP_IOC_TYPE, 0x09)

/* Read an aggregation; struct tap_read, see tap_aggregate.h. */
#define TAP_IOC_READ	_IO(TAP_IOC_TYPE, 0x0a)

/* Give the session counters; struct tap_pmu, see tap_perf.h. */
#define TAP_IOC_PMU	_IO(TAP_IOC_TYPE, 0x0b)

/* Read a counter; struct tap_count_read, see tap_perf.h. */
#define TAP_IOC_COUNT	_IO(TAP_IOC_TYPE, 0x0c)

/**
 * struct tap_mark - TAP_IOC_MARK: write a marker into the stream
 * @size: sizeof(struct tap_mark)
 * @id: a mark probe of this session; or 0: all mark probes of all sessions whose
 *	target is "mark"; for 0 the session needs no rings
 * @data: address of the marker's bytes
 * @len: bytes at @data, 1 to %TAP_MARK_BYTES; the rest of the payload is 0
 * @out_heard: how many probes recorded or counted it; a disabled probe does not
 *
 * Errors: EINVAL; ENOENT; ENODATA if the probe is of another type.
 */
struct tap_mark {
	__u32 size;
	__u32 id;
	__aligned_u64 data;
	__u32 len;
	__u32 out_heard;
};

#define TAP_IOC_MARK	_IO(TAP_IOC_TYPE, 0x0d)

#endif /* _UAPI_LINUX_TAP_H */
