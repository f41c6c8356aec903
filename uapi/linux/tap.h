/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * /dev/tap: sessions and probes.
 *
 * DOC: sessions
 *
 * An open file of /dev/tap is a session. open(2) needs CAP_PERFMON or CAP_SYS_ADMIN in the
 * initial user namespace, and the initial pid namespace (EPERM). A new session is empty;
 * TAP_IOC_SETUP gives it rings, TAP_IOC_CREATE adds probes. The session ends when its last
 * descriptor is closed and its last mapping is gone, however the process ended: that
 * removes the probes and the rings. Sessions do not see each other; probe ids are
 * private to a session.
 *
 * DOC: the ioctl convention
 *
 * Every argument is a structure that begins with its own size in bytes. The kernel
 * accepts a structure larger than the one it knows if the unknown tail is zero, and a
 * smaller one if it has the members of the first version. Members and flags that have
 * no meaning, or none in this command, must be zero. The kernel sets the members named
 * out_*, and only on success. Addresses are passed as __u64, so that the layout is the
 * same for 32-bit callers.
 *
 * An array at an address has elements of struct tap_perf and struct tap_agg, whose size the
 * caller says and to which the same rule applies, or of structures that do not grow:
 * struct tap_op, struct tap_counters, struct tap_count, and words.
 *
 * DOC: errors, for every command unless its own text says otherwise
 *
 *  ENOTTY		the kernel does not know the command
 *  EINVAL		the structure is too small, a member is out of range, or a flag
 *			or reserved member without a meaning is not zero
 *  E2BIG		the structure is larger than the kernel knows and its tail is
 *			not zero, or it is larger than a page
 *  EFAULT		an address cannot be read or written
 *  EPERM		TAP_IOC_CREATE, TAP_IOC_ENABLE, TAP_IOC_PMU, TAP_IOC_TASKS: the caller lacks
 *			CAP_PERFMON, for a program's probe or a watchpoint
 *			CAP_SYS_ADMIN, or the kernel is locked down
 *  ENOMEM		out of memory, over the memory cgroup's limit, over the module
 *			parameter memory_max for all sessions together, or over 256 MiB
 *			for the calls in flight of the session's probes
 *  ENODATA		the probe does not aggregate
 *  EBADFD		the session has no rings yet (or has them already)
 *  ENOENT		no such probe, function or tracepoint
 *  EOPNOTSUPP		this kernel, or this type of probe, does not support it
 *
 * A command that fails does not change the session: no probe, counter or ring is there,
 * enabled or gone that was not before. What it may have done:
 *
 *  all			written a part of the arrays to which its argument points, and the
 *			argument itself, unchanged
 *  TAP_IOC_ENABLE	with @id 0: probes that were armed before the one that failed had
 *			events, which are in the rings and counters
 *  TAP_IOC_MARK,	written the marker, or gap records and notices, if it fails with
 *  TAP_IOC_FLUSH	EFAULT because another thread made the argument's memory read-only
 *			meanwhile. (If it is read-only from the start, nothing is written.)
 *
 * The arguments of TAP_IOC_ENABLE, TAP_IOC_DISABLE, TAP_IOC_DELETE, TAP_IOC_PMU,
 * TAP_IOC_COUNT, TAP_IOC_FOLLOW, TAP_IOC_STACKS and TAP_IOC_DESCRIBE have no members out_*, and may
 * be in read-only memory.
 */
#ifndef _UAPI_LINUX_TAP_H
#define _UAPI_LINUX_TAP_H

#include <linux/const.h>
#include <linux/ioctl.h>
#include <linux/tap_aggregate.h>
#include <linux/tap_budget.h>
#include <linux/tap_dump.h>
#include <linux/tap_gate.h>
#include <linux/tap_perf.h>
#include <linux/tap_program.h>
#include <linux/tap_record.h>
#include <linux/tap_ring.h>
#include <linux/tap_span.h>
#include <linux/tap_stack.h>
#include <linux/tap_stats.h>
#include <linux/tap_task.h>
#include <linux/tap_window.h>
#include <linux/types.h>

#define TAP_DEVICE		"/dev/tap"
#define TAP_API_VERSION		2
#define TAP_IOC_TYPE		0xDB

/* tap_info.out_features: what this module supports on this kernel. */
#define TAP_FEATURE_KPROBE	_BITULL(0)
#define TAP_FEATURE_KRETPROBE	_BITULL(1)
#define TAP_FEATURE_CALL	_BITULL(2)
#define TAP_FEATURE_RAWTP	_BITULL(3)
#define TAP_FEATURE_RAW_CLOCK	_BITULL(4)	/* stable raw counter */
#define TAP_FEATURE_TRACEPOINT	_BITULL(5)
#define TAP_FEATURE_SYSCALL	_BITULL(6)
#define TAP_FEATURE_UPROBE	_BITULL(7)	/* also uretprobe, ucall and usdt */
#define TAP_FEATURE_PERF	_BITULL(8)	/* event, count, TAP_IOC_PMU */
#define TAP_FEATURE_WATCHPOINT	_BITULL(9)	/* watchpoints can make records */
#define TAP_FEATURE_MARK	_BITULL(10)
#define TAP_FEATURE_FUNC	_BITULL(11)
#define TAP_FEATURE_FUNCGRAPH	_BITULL(12)
#define TAP_FEATURE_SPAN	_BITULL(13)
#define TAP_FEATURE_DIVISION	_BITULL(14)	/* TAP_TASKS_F_DIVISION */
#define TAP_FEATURE_OVERWRITE	_BITULL(15)	/* TAP_SETUP_F_OVERWRITE */

#define TAP_MIN_RING_BYTES	_BITULL(12)
#define TAP_MAX_RING_BYTES	_BITULL(30)
#define TAP_DEFAULT_RING_BYTES	_BITULL(20)	/* of libtap, where the memory allows it */
#define TAP_DEFAULT_WAKE_MS	100
#define TAP_MAX_WAKE_MS		60000
#define TAP_MAX_PROBES		16384		/* in one session at a time */
#define TAP_MAX_IDS		65535		/* of probes, in the life of a session */
#define TAP_MAX_MAXACTIVE	4096		/* of kretprobe, call, funcgraph */
#define TAP_MAX_TASKS		65536		/* tap_create.maxactive of syscall */
#define TAP_MAX_UCALLS		65536		/* tap_create.maxactive of ucall */
#define TAP_MAX_TARGET		256		/* bytes, with the final 0 */
#define TAP_MARK_BYTES		256		/* payload of a marker */
#define TAP_MAX_ADDRS		65536		/* functions of a func probe */
#define TAP_DEFAULT_LIMIT	2500000		/* records a second on one CPU */
#define TAP_NO_LIMIT		0xffffffffU	/* tap_create.limit: do not throttle */

/**
 * struct tap_info - TAP_IOC_INFO: what this module supports
 * @size: sizeof(struct tap_info)
 * @flags: must be 0
 * @out_features: TAP_FEATURE_*
 * @out_api: %TAP_API_VERSION of the module
 * @out_nr_rings: CPU numbers are below this: @nr_rings of struct tap_meta
 * @out_page_size: bytes of a page; unit of the mmap offsets
 * @out_clock: enum tap_clock that a session would get if it were set up now without flags
 * @out_max_probes: %TAP_MAX_PROBES of the module
 * @out_max_ops: %TAP_MAX_OPS of the module
 * @out_max_call_mem: bytes that the kernel may take for the calls in flight of the session's
 *	probes
 * @out_call_mem: how many of these its probes take, pools that they share included
 * @out_call_mem_wanted: bytes that the last probe would have taken, if TAP_IOC_CREATE failed
 *	with ENOMEM because of @out_max_call_mem; else 0
 * @out_memory_max: the module parameter memory_max: bytes that all sessions together may take
 * @out_memory_used: bytes that they take now
 * @out_memory_refused: if the last TAP_IOC_SETUP, TAP_IOC_CREATE or TAP_IOC_FOLLOW of this session
 *	failed with ENOMEM because of memory_max: bytes of the allocation that did not fit; else 0
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
	__u64 out_max_call_mem;
	__u64 out_call_mem;
	__u64 out_call_mem_wanted;
	__u64 out_memory_max;
	__u64 out_memory_used;
	__u64 out_memory_refused;
};

#define TAP_IOC_INFO	_IO(TAP_IOC_TYPE, 0x00)

/**
 * struct tap_setup - TAP_IOC_SETUP: give the session its rings
 * @size: sizeof(struct tap_setup)
 * @flags: 0, or one of TAP_SETUP_F_* for the clock, and perhaps %TAP_SETUP_F_OVERWRITE
 * @ring_bytes: bytes of slots in each ring, a power of two from
 *	%TAP_MIN_RING_BYTES (and a page) to %TAP_MAX_RING_BYTES
 * @watermark: wake a sleeping reader when a ring has this many unread bytes;
 *	a power of two, at least 64, at most @ring_bytes; 0: a quarter of @ring_bytes. With
 *	%TAP_SETUP_F_OVERWRITE it must be 0
 * @wake_ms: wake a sleeping reader after about this many milliseconds if a record is
 *	unread, even below the watermark; at most %TAP_MAX_WAKE_MS; 0:
 *	%TAP_DEFAULT_WAKE_MS
 * @out_nr_rings: see @nr_rings of struct tap_meta
 * @out_ring_offset: see @ring_offset of struct tap_meta
 * @out_ring_stride: see @ring_stride of struct tap_meta
 * @panic: when the kernel panics, it prints the last so many records of all CPUs together to its
 *	log, the oldest first, as they are in the ring; at most %TAP_MAX_PANIC; 0: none. Not if a
 *	kernel for crash dumps is loaded, unless crash_kexec_post_notifiers is set
 * @__reserved: must be 0
 *
 * Each CPU that is online gets a ring; <linux/tap_ring.h> says when others do. The memory of
 * the rings is charged to the caller's memory cgroup, but that of a ring which is made when
 * its CPU comes online is not.
 *
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
	__u32 panic;
	__u32 __reserved;
};

#define TAP_IOC_SETUP	_IO(TAP_IOC_TYPE, 0x01)

/*
 * tap_setup.flags: the clock of the session. With 0 it is the counter of the CPU, read
 * without a barrier on x86; %TAP_SETUP_F_ORDERED: the same counter, read after all earlier
 * loads; %TAP_SETUP_F_MONO: %TAP_CLOCK_MONO. The two cost more at each event. What the
 * order of two CPUs is worth with each: see @time of struct tap_record. If the machine has
 * no stable counter (no %TAP_FEATURE_RAW_CLOCK), each of the three is %TAP_CLOCK_MONO;
 * @clock of struct tap_meta says which it is.
 */
#define TAP_SETUP_F_ORDERED	_BITUL(4)
#define TAP_SETUP_F_MONO	_BITUL(5)

/*
 * tap_setup.flags: two sets of rings of @ring_bytes each, in which new records go over old ones.
 * The reader gets them by TAP_IOC_WINDOW (tap_window.h). Events are lost only if writers that
 * interrupt one another fill a ring with records that are not committed (lost_nested), or if
 * a CPU has no ring (lost_full).
 */
#define TAP_SETUP_F_OVERWRITE	_BITUL(6)

/**
 * enum tap_probe_type - event sources, and the syntax of their targets
 * @TAP_PROBE_KPROBE: a kernel instruction: FUNC, FUNC+OFF, MODULE:FUNC
 * @TAP_PROBE_KRETPROBE: the return of a kernel function
 * @TAP_PROBE_CALL: a whole call of a kernel function: one record at its return,
 *	which begins with the words of enum tap_call_value
 * @TAP_PROBE_RAWTP: a tracepoint, with its raw arguments: NAME, MODULE:NAME
 * @TAP_PROBE_TRACEPOINT: a tracepoint, with the fields of its event as tracefs
 *	describes them: SUBSYS:NAME. Its module cannot be unloaded while the probe
 *	exists
 * @TAP_PROBE_SYSCALL: whole system calls: one record at the return of each, as
 *	for a call. The target is a list of numbers and ranges of numbers below
 *	1024, separated by commas (0,2-5), or * for all. System calls that do not
 *	return (exit, exit_group) have one record at the entry, with
 *	%TAP_F_NO_RETURN. System calls of 32-bit and x32 programs have other numbers and
 *	make no events
 * @TAP_PROBE_UPROBE: an instruction of a program or a shared library, in all
 *	processes that map it, now or later, or in one process
 * @TAP_PROBE_URETPROBE: the return of a function that begins at @offset. From
 *	entry to return, the return address on the program's stack is replaced by
 *	the uretprobe trampoline. C++ exceptions and stack-moving runtimes (Go,
 *	coroutines) break and usually abort the program. The same applies to ucall.
 * @TAP_PROBE_UCALL: a whole call of a function that begins at @offset: one record at its
 *	return, as for a call. A call whose return is not seen (its task ended or called
 *	execve, a longjmp skipped it, it was more than 64 calls deep) has a record
 *	with %TAP_F_NO_RETURN, made when the kernel detects that. A return in a
 *	child of fork, from a call that its parent made, makes no event
 * @TAP_PROBE_USDT: as a uprobe, with a semaphore that the kernel increments in the
 *	memory of each such process while the probe is enabled
 * @TAP_PROBE_EVENT: a counter of the processor or the kernel has counted another
 *	period; the event's own data is struct tap_sample. Two kinds of samples are
 *	counted nowhere: those that perf drops because another event of the same kind
 *	is in progress in the same context, and those that perf throttles
 *	(perf_event_max_sample_rate)
 * @TAP_PROBE_WATCHPOINT: memory of the kernel was read, written or executed; the event's
 *	own data is struct tap_watch. The address is the target: SYMBOL, SYMBOL+OFF,
 *	MODULE:SYMBOL; or, for an opener with CAP_SYSLOG, tap_perf.config1. A per-CPU
 *	symbol is refused (EADDRNOTAVAIL): it has an address on each CPU. Without
 *	%TAP_FEATURE_WATCHPOINT it needs %TAP_CREATE_F_COUNT, and has no program
 * @TAP_PROBE_COUNT: a counter, on all CPUs or, with @pid, of a task and all tasks
 *	that it creates while the probe is enabled. It has no events; TAP_IOC_COUNT
 *	reads it
 * @TAP_PROBE_MARK: a user-space marker written with TAP_IOC_MARK; payload is
 *	%TAP_MARK_BYTES bytes. With the target "mark" the probe gets the markers
 *	that are written to all probes; else those that are written to it alone
 * @TAP_PROBE_FUNC: the start of a kernel function, FUNC or MODULE:FUNC, or of each of
 *	up to %TAP_MAX_ADDRS functions at @addrs; %TAP_VAR_FUNC identifies the
 *	function. Programs can read arguments, but no registers. It uses ftrace, at a
 *	fraction of a kprobe's cost, and all functions of a probe are armed in one step
 * @TAP_PROBE_FUNCGRAPH: as call, and each call also has an entry record with
 *	%TAP_F_ENTRY. The entry record has the same words; those of the return are 0.
 *	Each record is an event. The program must not have tests at the return
 *	(EOPNOTSUPP). If events are counted or aggregated, the entry makes no event:
 *	the probe is as a call then
 * @TAP_PROBE_SPAN: the time from an event of one probe to an event of another that has the
 *	same key: see <linux/tap_span.h>. The event is the "to" event that ends an entry of
 *	the span's table; its own data is struct tap_span_event. The target is any text, which
 *	TAP_IOC_PROBE_INFO reads back. It has no place: enabling and disabling it alone
 *	changes nothing, its events come and go with those of its sides. Deleting it fails
 *	with EBUSY while a probe is its side
 * @TAP_PROBE_USER_WATCH: memory of processes was read, written or executed, by them or by the
 *	kernel for them; the event's own data is struct tap_watch. With @pid: in this process, at
 *	the address tap_perf.config1, while @offset is 0. Else in each process that executes the
 *	instruction at @offset of @file after the probe was enabled (the session follows
 *	it, if the program tests that), and in those that it creates with fork: at the
 *	address of that instruction plus tap_perf.config1, modulo 2^64. A process is armed
 *	with all its threads; threads that it creates are armed before they run. A process that
 *	calls execve is not watched any longer, until without @pid its new program executes the
 *	instruction. Threads and processes that could not be armed in time are in
 *	@out_nmissed, and in %TAP_NOTICE_UNWATCHED; enabling fails with ENOSPC if no thread of
 *	@pid has a free debug register. There are events in at most 256 processes at a time.
 *	Accesses by another mapping of the memory (another process, a debugger, a device) make
 *	no event
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
	TAP_PROBE_SPAN		= 17,
	TAP_PROBE_USER_WATCH	= 18,
};

/**
 * struct tap_sample - the data of a TAP_PROBE_EVENT, for TAP_OP_FIELD
 * @ip: instruction pointer that the sample interrupted, in the kernel or in a program
 * @period: what the counter counted since the previous sample
 * @addr: for a page, alignment or emulation fault: the faulting address; else 0
 */
struct tap_sample {
	__u64 ip;
	__u64 period;
	__u64 addr;
};

/**
 * struct tap_watch - the data of a TAP_PROBE_WATCHPOINT or TAP_PROBE_USER_WATCH, for TAP_OP_FIELD
 * @ip: watchpoint: address of the instruction behind the access; user_watch: that of the last
 *	byte of the instruction that accesses it, by which its function and its line are found
 *	(between two steps of a string instruction: of the byte in front of it). Of an
 *	execution, its own address
 * @old_value: value of the memory at the previous event, or when the probe was enabled; in a
 *	process that fork() made, of the parent's memory then; of an execution 0
 * @new_value: value of the memory now; of an execution 0
 *
 * If two CPUs write the memory at the same time, both events may have the later value.
 */
struct tap_watch {
	__u64 ip;
	__u64 old_value;
	__u64 new_value;
};

/*
 * A probe of MODULE:NAME, of type rawtp, kprobe, kretprobe, call, funcgraph or func
 * (of one name), may be created while MODULE is not loaded. Once enabled, the kernel arms
 * it whenever the module is loaded, before any code of the module runs. It is gone when its
 * code is freed: __init code after it has run, other code when the module is unloaded.
 * Without the flag, creating such a probe fails with ENOENT, and a probe that is gone
 * stays gone; but a rawtp that was created while MODULE was loaded is armed again with it.
 */
#define TAP_CREATE_F_WAIT	_BITUL(0)

/* Count events, in tap_counters.aggregated, and write no records. Tests still apply. */
#define TAP_CREATE_F_COUNT	_BITUL(1)

/*
 * Operations on kernel memory read user memory if their address is one of it: in the lower half,
 * and at least %TAP_USER_MIN, so that a member behind a NULL pointer is none. What is read so
 * sets %TAP_F_USER. Such an operation counts as its form for user memory, and some more. Without
 * the flag it cannot read user memory: the value is absent.
 */
#define TAP_CREATE_F_USER	_BITUL(2)
#define TAP_USER_MIN		65536

/*
 * Events of a side of a span make records as well. The table has the very time of the record, so
 * the duration of the span is the difference of the times of two records, to the tick; the record
 * of the span itself follows that of its "to" event and is a little later. An event whose record
 * finds no room is counted as lost_full or lost_nested, and opens or ends its entry all the same.
 * The words of the key and the values are the last ones but %TAP_SIDE_NAME_WORDS: the program has
 * to end with as many words that the table does not get, such as the name of the task.
 */
#define TAP_CREATE_F_RECORD	_BITUL(3)
#define TAP_SIDE_NAME_WORDS	2

/*
 * Reserved for later versions. This version refuses them with EINVAL, as any other unknown
 * flag or type: a program can try them, and fall back.
 *  TAP_SETUP_F_RESERVED	tap_setup.flags: rings that overwrite, windows of them
 *  TAP_CREATE_F_RESERVED	tap_create.flags: triggers of windows
 */
#define TAP_SETUP_F_RESERVED	0x0000000f
#define TAP_CREATE_F_RESERVED	0x000000f0

#define TAP_CREATE_F_ALL	(TAP_CREATE_F_WAIT | TAP_CREATE_F_COUNT | TAP_CREATE_F_USER | \
				 TAP_CREATE_F_RECORD)

/**
 * struct tap_create - TAP_IOC_CREATE: create a probe, disabled
 * @size: sizeof(struct tap_create)
 * @flags: TAP_CREATE_F_*
 * @type: enum tap_probe_type
 * @maxactive: kretprobe, call, funcgraph: number of calls that may be in flight at once;
 *	the kernel misses further calls. At most %TAP_MAX_MAXACTIVE. 0: twice the number
 *	of online CPUs, 10 to 256; if calls are missed, the kernel doubles it for later calls
 *	(%TAP_NOTICE_MAXACTIVE_RAISED). syscall: number of tasks for which there is room;
 *	a task takes room from its first call that passes the tests until the task ends;
 *	at most %TAP_MAX_TASKS; 0: 4096. ucall: number of calls in flight, of all tasks
 *	together, for which there is room; a task keeps as much room as it ever had
 *	calls in flight at once, until it ends; at most %TAP_MAX_UCALLS; 0: 4096.
 *	Other types: must be 0
 * @target: address of the target's name; for a program's probe any text, which
 *	TAP_IOC_PROBE_INFO reads back: @file and @offset give the place
 * @target_len: bytes of @target without a final 0; 1 to %TAP_MAX_TARGET - 1
 * @nr_ops: number of operations at @ops, at most %TAP_MAX_OPS
 * @ops: address of an array of struct tap_op
 * @data: address of the program's patterns
 * @aggregate: address of a struct tap_aggregate, or 0: events become records. With
 *	@nr_aggregates above 1 the others follow it, each behind the bytes that the @size of the
 *	one before says
 * @data_len: bytes at @data, at most %TAP_MAX_DATA
 * @out_id: id of the probe, from 1
 * @file: uprobe, uretprobe, ucall, usdt, user_watch: descriptor, open for reading, of the
 *	program or library; the caller may close it afterwards. The file's mount stays
 *	busy until the probe is deleted. Other types: must be 0
 * @pid: uprobe, uretprobe, ucall, usdt, user_watch: the process whose events are wanted,
 *	without its children; 0: the events of all processes. count: the task; 0: all CPUs. Other
 *	types: must be 0
 * @offset: uprobe, uretprobe, ucall, usdt, user_watch: offset of the instruction in the file,
 *	in bytes. Other types: must be 0
 * @semaphore: usdt: offset of its semaphore in the file, in bytes; 0: it has none.
 *	Other types: must be 0
 * @perf: event, watchpoint, user_watch, count: address of a struct tap_perf. Other types: must
 *	be 0
 * @addrs: func: address of an array of __u64, the addresses of functions as in
 *	/proc/kallsyms, in any order; then @target is any text, which
 *	TAP_IOC_PROBE_INFO reads back. The opener must have CAP_SYSLOG (EPERM). 0:
 *	@target names the one function. Other types: must be 0
 * @nr_addrs: length of the array at @addrs, at most %TAP_MAX_ADDRS
 * @limit: number of events a second, on any one CPU, that may become records or be lost
 *	because a ring has no room; 0: %TAP_DEFAULT_LIMIT; %TAP_NO_LIMIT: no limit.
 *	The kernel compares ten times a second. While a probe exceeds its limit, nine
 *	tenths of the time its events are dropped, and counted as throttled;
 *	%TAP_KIND_NOTICE records report when. Events that are counted or aggregated
 *	make no records, and have no limit
 * @span: span: address of a struct tap_span_table. Other types: must be 0
 * @span_id: id of a span of this session. The probe becomes a side of the span: its events make
 *	no records, but with %TAP_CREATE_F_RECORD, and are counted as aggregated. Its last
 *	value words are the key and the values that the span's table has for @side; if an
 *	output in front of them or in the key is absent, the event is counted as lost_fault.
 *	0: the probe is no side. Not of the types span, count and funcgraph (EOPNOTSUPP); then
 *	@aggregate must be 0, and @flags must not have %TAP_CREATE_F_COUNT
 * @side: with @span_id: enum tap_span_side; else 0
 * @nr_aggregates: number of structures at @aggregate, at most %TAP_MAX_AGGREGATES; 0 stands for 1.
 *	Each event goes into all of these aggregations or into none, and is counted as aggregated
 *	once. Without @aggregate it must be 0
 * @capture_id: id of a span of this session with %TAP_SPAN_CAPTURE, for %TAP_OP_CAPTURED (ENOENT;
 *	ENODATA if it is none). It and its side cannot be deleted before the probe (EBUSY). 0: the
 *	program has no such operation
 * @frame: call, funcgraph, syscall, ucall, and a side of a span: number, 1 to %TAP_MAX_FRAME, by
 *	which %TAP_VAR_INSIDE asks whether a call is under way in the task. Probes may share a
 *	number; a frame that no program asks for counts as one in between. A span is under way in
 *	the task of its "from" event until the task has the "to" event. 0, or of other types: it
 *	is no frame. The session must have a table of tasks with %TAP_TASKS_F_FRAMES (EINVAL)
 * @__reserved: must be 0
 *
 * Errors: EBADFD without rings; ENOENT if there is no such function or
 * tracepoint (with %TAP_CREATE_F_WAIT the probe waits instead), EINVAL if the name
 * to wait for has no module; EADDRNOTAVAIL if the function exists but must not
 * be probed (blacklisted, not code, or, for func, not traceable by ftrace); EILSEQ if the
 * offset is inside an instruction; ENOSPC over %TAP_MAX_PROBES: delete a probe; EOVERFLOW
 * after %TAP_MAX_IDS probes in one session, since ids are not used again: open another
 * session; EMSGSIZE if a record would be longer than a ring (%TAP_KIND_EVENT records; not
 * if events are counted or aggregated); EFBIG if the program and the aggregations may take more
 * than %TAP_MAX_COST instructions at an event (tap_program.h); EOPNOTSUPP if the kernel lacks
 * the source; EBADF if @file cannot be read, EINVAL if it is not a regular file or ends
 * before @offset or @semaphore; ESRCH if there is no process @pid.
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
	__aligned_u64 span;
	__u32 span_id;
	__u32 side;
	__u32 nr_aggregates;
	__u32 capture_id;
	__u32 frame;
	__u32 __reserved;
};

#define TAP_IOC_CREATE	_IO(TAP_IOC_TYPE, 0x02)

/**
 * struct tap_probe_ref - TAP_IOC_ENABLE, TAP_IOC_DISABLE, TAP_IOC_DELETE
 * @size: sizeof(struct tap_probe_ref)
 * @id: a probe of this session, or 0 for all of them; TAP_IOC_DELETE refuses 0 (EINVAL)
 * @address: TAP_IOC_ENABLE of one watchpoint that was created with %TAP_PERF_F_LATER: the address
 *	that it watches from now on; else must be 0 (EINVAL; with @id 0 ENOENT)
 *
 * Enabling an enabled probe, or disabling a disabled one, does nothing. If with @id 0 one
 * probe cannot be enabled, no probe stays newly enabled. When TAP_IOC_DISABLE returns, no
 * event of the probe is in progress. A disabled probe makes no event; it keeps its counters, its
 * memory, and what it has registered with the kernel.
 * Deleting a probe deletes its counters; its records stay in the rings, and its id is not
 * used again: no record is taken for one of a later probe, however late it is read.
 *
 * Errors of enabling: ENOENT if the target was unloaded with its module; EBUSY if another
 * tracer or a live patch uses the place, or, for func and kprobes that are enabled together,
 * kernel.ftrace_enabled is 0 (it cannot be set to 0 while they are enabled). For a
 * program's probe: EADDRNOTAVAIL if the kernel cannot single-step the instruction; EIO if it
 * cannot read pages of the file; EINVAL if another probe of the same instruction has
 * another semaphore, or only one of the two has a semaphore. For a watchpoint: ENOSPC if a
 * CPU has no free debug register; EADDRNOTAVAIL if the kernel allows no watchpoint at the
 * address. With @address also: EBADFD if the watchpoint has one already; EINVAL if it is no
 * multiple of the length; EPERM if the session may not see addresses.
 */
struct tap_probe_ref {
	__u32 size;
	__u32 id;
	__u64 address;
};

#define TAP_IOC_ENABLE	_IO(TAP_IOC_TYPE, 0x03)
#define TAP_IOC_DISABLE	_IO(TAP_IOC_TYPE, 0x04)
#define TAP_IOC_DELETE	_IO(TAP_IOC_TYPE, 0x05)

/**
 * enum tap_probe_state - state of a probe
 * @TAP_STATE_DISABLED: makes no events
 * @TAP_STATE_ENABLED: records, counts or aggregates its events
 * @TAP_STATE_WAITING: enabled, but the module of its target is not loaded, or the address of a
 *	watchpoint is not known yet (%TAP_PERF_F_LATER)
 * @TAP_STATE_GONE: the module of its target was unloaded, or the target was in the
 *	module's __init code, which has run and was freed
 * @TAP_STATE_FAILED: its module was loaded, and the probe could not be armed: there
 *	is no such function, or it must not be probed; the kernel's log has the error.
 *	The kernel tries again when the module is loaded again. Or the budget (tap_budget.h)
 *	had disarmed it, and the kernel refused to arm it again: TAP_IOC_ENABLE tries again
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
 * @ops: address of an array of @nr_ops of struct tap_op, which gets the program; or 0
 * @nr_ops: length of the array at @ops
 * @out_nr_ops: operations of the probe; if more than @nr_ops, @ops gets the first ones
 * @out_type: enum tap_probe_type
 * @out_state: enum tap_probe_state
 * @out_maxactive: the value that the kernel uses; 0 if the type has none
 * @out_slots: slots of one record at most, see @slots of struct tap_record
 * @out_words: value words of one record
 * @__reserved: must be 0
 * @out_address: kernel address of the probe; 0 if the opener lacked CAP_SYSLOG, or the
 *	probe has none
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

/* Read the counters of a probe: struct tap_stats of tap_stats.h. */
#define TAP_IOC_STATS	_IO(TAP_IOC_TYPE, 0x07)

/**
 * struct tap_flush - TAP_IOC_FLUSH: write the gap records and notices that are due
 * @size: sizeof(struct tap_flush)
 * @flags: must be 0
 * @out_pending: losses that are not reported yet, because a ring still has no room
 *
 * A loss is reported by a gap record in front of the next record of that ring. At the end
 * of a trace there is no next record, so this command writes the gap record. Call it after
 * the rings were drained, and again after the next draining if @out_pending is not 0.
 */
struct tap_flush {
	__u32 size;
	__u32 flags;
	__u64 out_pending;
};

#define TAP_IOC_FLUSH	_IO(TAP_IOC_TYPE, 0x08)

/**
 * struct tap_time - TAP_IOC_TIME: the session's clock and the system's at one moment
 * @size: sizeof(struct tap_time)
 * @flags: must be 0
 * @out_raw: the session's clock; before TAP_IOC_SETUP the clock that it would get now
 * @out_mono: CLOCK_MONOTONIC in nanoseconds, at the same moment
 * @out_real: CLOCK_REALTIME in nanoseconds, at the same moment
 *
 * From two samples, at the start and at the end of a trace, a reader can compute the rate
 * of the raw clock more exactly than struct tap_meta gives it.
 */
struct tap_time {
	__u32 size;
	__u32 flags;
	__u64 out_raw;
	__u64 out_mono;
	__u64 out_real;
};

#define TAP_IOC_TIME	_IO(TAP_IOC_TYPE, 0x09)

/* Read an aggregation: struct tap_read of tap_aggregate.h. */
#define TAP_IOC_READ	_IO(TAP_IOC_TYPE, 0x0a)

/* Give the session counters: struct tap_pmu of tap_perf.h. */
#define TAP_IOC_PMU	_IO(TAP_IOC_TYPE, 0x0b)

/* Read a counter: struct tap_count_read of tap_perf.h. */
#define TAP_IOC_COUNT	_IO(TAP_IOC_TYPE, 0x0c)

/**
 * struct tap_mark - TAP_IOC_MARK: write a marker into the stream
 * @size: sizeof(struct tap_mark)
 * @id: a mark probe of this session; or 0: all mark probes of all sessions whose
 *	target is "mark"; for 0 the session needs no rings
 * @data: address of the marker's payload
 * @len: bytes at @data, 1 to %TAP_MARK_BYTES; the rest of the payload is 0
 * @out_heard: number of probes that recorded, counted or aggregated it; disabled probes, and
 *	those that filtered or lost it, do not count
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

/**
 * struct tap_follow - TAP_IOC_FOLLOW: follow a process and what it starts
 * @size: sizeof(struct tap_follow)
 * @flags: must be 0
 * @pid: a process
 * @__reserved: must be 0
 *
 * From then on the session follows the threads of the process, all tasks that they create, all
 * tasks that those create, and so on, whatever becomes of their parents. A program asks with
 * %TAP_VAR_FOLLOWED. Tasks that were created before are not followed, nor, perhaps, those
 * whose creation is in progress. A task is followed up to its last instruction, unless after
 * its end its id has been given to another task already. The session needs no rings, and may
 * follow several processes; it stops to follow when it ends.
 *
 * Errors: EINVAL; ENOMEM; ESRCH if there is no process @pid.
 */
struct tap_follow {
	__u32 size;
	__u32 flags;
	__u32 pid;
	__u32 __reserved;
};

#define TAP_IOC_FOLLOW	_IO(TAP_IOC_TYPE, 0x0e)

/* Read the counts of a span, and what is open: struct tap_span_read of tap_span.h. */
#define TAP_IOC_SPAN	_IO(TAP_IOC_TYPE, 0x0f)

/* Give the session a table of stacks: struct tap_stack_table of tap_stack.h. */
#define TAP_IOC_STACKS	_IO(TAP_IOC_TYPE, 0x10)

/* Read a stack, and the counts of the table: struct tap_stack_read of tap_stack.h. */
#define TAP_IOC_STACK	_IO(TAP_IOC_TYPE, 0x11)

/* Give the session a table of tasks: struct tap_tasks of tap_task.h. */
#define TAP_IOC_TASKS	_IO(TAP_IOC_TYPE, 0x12)

/* Read what the table of tasks could not take: struct tap_tasks_read of tap_task.h. */
#define TAP_IOC_TASKS_READ	_IO(TAP_IOC_TYPE, 0x13)

/* Take a set of rings that are overwritten, or give it back: struct tap_window of tap_window.h. */
#define TAP_IOC_WINDOW	_IO(TAP_IOC_TYPE, 0x14)

/* Hand over what a reader of a dump needs to know: struct tap_describe of tap_dump.h. */
#define TAP_IOC_DESCRIBE	_IO(TAP_IOC_TYPE, 0x15)

/* Set and read the budget of the session: struct tap_budget of tap_budget.h. */
#define TAP_IOC_BUDGET	_IO(TAP_IOC_TYPE, 0x16)

/* Set and read the gate of the session: struct tap_gate of tap_gate.h. */
#define TAP_IOC_GATE	_IO(TAP_IOC_TYPE, 0x17)

#endif /* _UAPI_LINUX_TAP_H */
