/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The record: the layout of an event in a ring and in a trace file.
 *
 * A record is one or more slots of 64 bytes, one cache line each. The first
 * slot is a struct tap_record, every further one a struct tap_slot:
 *
 *      byte  0         8         16        24        32 .. 63
 *           +---------+---------+---------+---------+------------------+
 *   first   | seq     | time    | p s k f | tid tgid| value[0..3]      |
 *           +---------+---------+---------+---------+------------------+
 *   further | seq     | value[0..6]                                    |
 *           +---------+------------------------------------------------+
 *
 *   p  __u16 probe id      s  __u8 slots in this record
 *   k  __u8  kind          f  __u32 flags
 *
 * Value word i of a record is value[i] of the first slot for i < 4, else value[(i - 4) % 7]
 * of slot 1 + (i - 4) / 7.
 *
 * The sequence word of the slot at ring position POS (a byte count that only
 * grows, a multiple of 64) is POS + 64 + K. K is 0 for the first slot of a record
 * and 1 + (k - 1) % 63 for its k-th further one. So
 *  - a slot that still holds the word of an earlier lap, or zero, is not
 *    committed;
 *  - a reader that starts anywhere finds the next record: the next slot whose
 *    K is 0.
 */
#ifndef _UAPI_LINUX_TAP_RECORD_H
#define _UAPI_LINUX_TAP_RECORD_H

#include <linux/const.h>
#include <linux/types.h>

#define TAP_SLOT_SHIFT		6
#define TAP_SLOT_SIZE		64	/* 1 << TAP_SLOT_SHIFT */
#define TAP_SLOT_INDEX_MASK	(TAP_SLOT_SIZE - 1)

/* Value words in the first slot of a record, and in each further one. */
#define TAP_FIRST_VALUES	4
#define TAP_SLOT_VALUES		7

/* The largest number of slots of one record: tap_record.slots is a __u8. */
#define TAP_MAX_SLOTS		255

/**
 * enum tap_record_kind - what a record reports
 * @TAP_KIND_EVENT: an event of probe @probe; its program defines the values
 * @TAP_KIND_GAP: events were lost on this CPU before this record;
 *	@probe is 0 and the values are those of enum tap_gap_value
 * @TAP_KIND_NOTICE: the state of probe @probe changed, or with @probe 0 that of the
 *	session; the values are those of enum tap_notice_value
 *
 * New kinds are only ever appended; a reader skips those it does not know.
 */
enum tap_record_kind {
	TAP_KIND_EVENT	= 0,
	TAP_KIND_GAP	= 1,
	TAP_KIND_NOTICE	= 2,
};

/**
 * enum tap_gap_value - the value words of a gap record
 * @TAP_GAP_LOST: events lost that no other gap record reports
 * @TAP_GAP_TOTAL: events lost on this ring until this record; never falls
 * @TAP_GAP_BEGIN: raw time of about the first loss of @TAP_GAP_LOST, never after the
 *	record's time
 * @TAP_GAP_RESERVED: zero
 *
 * The @TAP_GAP_LOST values of a ring add up to the lost_full and lost_nested counters of
 * all probes of the session on its CPU, deleted ones included, after TAP_IOC_FLUSH has
 * written the last gap record. @TAP_GAP_LOST is never more than the @TAP_GAP_TOTAL of the
 * same record. If an event interrupts the kernel while it writes a gap record, that event
 * may write the next gap record, which then reports the losses of both; this one has a
 * @TAP_GAP_LOST of 0.
 */
enum tap_gap_value {
	TAP_GAP_LOST		= 0,
	TAP_GAP_TOTAL		= 1,
	TAP_GAP_BEGIN		= 2,
	TAP_GAP_RESERVED	= 3,
};

/**
 * enum tap_notice - what changed in a probe or a session
 * @TAP_NOTICE_ARMED: the module that the probe waited for was loaded; the probe is armed
 * @TAP_NOTICE_GONE: the module of the probe's target is being unloaded
 * @TAP_NOTICE_MAXACTIVE_RAISED: calls were missed because maxactive calls were in flight;
 *	the kernel has raised maxactive. The count is the number of calls missed, the size
 *	the new maxactive
 * @TAP_NOTICE_THROTTLED: the probe exceeded its limit on a CPU; from now on most of its
 *	events are dropped. The size is the limit
 * @TAP_NOTICE_RESUMED: the probe is no longer throttled; the count is the number of
 *	events dropped that no earlier notice reported. An event that is in flight at this
 *	moment may be dropped later: it is reported when the probe is throttled and resumes
 *	again, or is disabled
 * @TAP_NOTICE_LOSS_BEGAN: events of the session are being lost; the count is their
 *	number so far
 * @TAP_NOTICE_LOSS_ENDED: no event has been lost for about a second; the count is the
 *	number of events lost in the period that @TAP_NOTICE_LOSS_BEGAN reported
 * @TAP_NOTICE_OPENED: a session was opened
 * @TAP_NOTICE_CLOSED: a session was closed
 * @TAP_NOTICE_DROPPED: notices were dropped because the reader did not keep up; the
 *	count is their number, @probe of the record is the probe of the last one
 * @TAP_NOTICE_CPU: a CPU came online that had no ring or no tables: they exist from now on.
 *	The count is the number of the CPU, the size the bytes of its ring. A size of 0: there
 *	was no memory for its ring, or for the table of a probe; what has none loses its events
 *	on this CPU. @probe of the record is 0
 * @TAP_NOTICE_CLOCK: the session's clock jumped: over a suspend, or when the virtual machine
 *	was moved. The count is the raw time after the jump. The size is the number of
 *	ticks, modulo 2^64, to add to the raw times of this record and of all records
 *	behind it in this ring, up to the next such notice: so the times go on as
 *	CLOCK_BOOTTIME does. At the start of a ring the number is 0, and a clock that
 *	went ahead leaves it as it is: then the times have a gap. Each ring has a
 *	notice of each jump (of several jumps while it was full, one); @probe is 0
 * @TAP_NOTICE_MISSED: an event of the probe was missed: its data were overwritten while they
 *	were copied to here. The record has as many slots as one of the probe; @tid is the
 *	task of the event. The count is 1
 * @TAP_NOTICE_UNWATCHED: user_watch: threads or processes accessed the memory without events, for
 *	some time or always; the count is the number of those that no earlier notice reported
 * @TAP_NOTICE_OVER_BUDGET: the session is over its budget (struct tap_budget). The count is 0 if
 *	its events are dropped from now on, 1 if its probes are disarmed. The size is the budget in
 *	thousandths of a CPU; @probe of the record is 0
 * @TAP_NOTICE_IN_BUDGET: its events are recorded again, or its last probe was disabled. The count
 *	is the number of events that the budget dropped, the size the budget; @probe of the record
 *	is 0
 * @TAP_NOTICE_UNSEEN: the probes are armed again that %TAP_NOTICE_OVER_BUDGET disarmed, or were
 *	disabled meanwhile. The count is the estimated number of hits that were not seen, the size
 *	the budget; @probe of the record is 0
 *
 * %TAP_NOTICE_LOSS_BEGAN to %TAP_NOTICE_CLOSED are sent to listeners of the netlink family
 * only: the stream has gap records for losses, and it exists only while the session does.
 * %TAP_NOTICE_DROPPED, %TAP_NOTICE_CLOCK and %TAP_NOTICE_MISSED are in the stream only: a
 * listener gets ENOBUFS from its socket, no raw times, and no single events.
 *
 * New notices are only ever appended; a reader skips those it does not know. 32 to 63 are
 * reserved for windows of rings that overwrite, and for spans.
 */
enum tap_notice {
	TAP_NOTICE_ARMED	= 1,
	TAP_NOTICE_GONE		= 2,
	TAP_NOTICE_MAXACTIVE_RAISED	= 3,
	TAP_NOTICE_THROTTLED	= 4,
	TAP_NOTICE_RESUMED	= 5,
	TAP_NOTICE_LOSS_BEGAN	= 6,
	TAP_NOTICE_LOSS_ENDED	= 7,
	TAP_NOTICE_OPENED	= 8,
	TAP_NOTICE_CLOSED	= 9,
	TAP_NOTICE_DROPPED	= 10,
	TAP_NOTICE_CPU		= 11,
	TAP_NOTICE_CLOCK	= 12,
	TAP_NOTICE_MISSED	= 13,
	TAP_NOTICE_UNWATCHED	= 14,
	TAP_NOTICE_OVER_BUDGET	= 15,
	TAP_NOTICE_IN_BUDGET	= 16,
	TAP_NOTICE_UNSEEN	= 17,
};

/**
 * enum tap_notice_value - the value words of a notice
 * @TAP_NOTICE_WHAT: enum tap_notice
 * @TAP_NOTICE_SINCE: raw time of the notice; if the notice ends a state, the approximate raw
 *	time at which that state began; of %TAP_NOTICE_CLOCK the last raw time that was
 *	seen before the jump
 * @TAP_NOTICE_COUNT: see enum tap_notice; else 0
 * @TAP_NOTICE_SIZE: see enum tap_notice; else 0
 */
enum tap_notice_value {
	TAP_NOTICE_WHAT		= 0,
	TAP_NOTICE_SINCE	= 1,
	TAP_NOTICE_COUNT	= 2,
	TAP_NOTICE_SIZE		= 3,
};

/**
 * enum tap_call_value - the value words at the start of a record of a call
 * @TAP_CALL_DURATION: raw clock ticks from entry to return; the record's time
 *	is that of the return, so the entry was at time - duration; 0 with
 *	%TAP_F_NO_RETURN and %TAP_F_ENTRY, and if the clock went back meanwhile
 * @TAP_CALL_RETVAL: the return register; 0 with %TAP_F_ENTRY
 * @TAP_CALL_FETCHES: the first word of the outputs of the entry; those of the return follow
 */
enum tap_call_value {
	TAP_CALL_DURATION	= 0,
	TAP_CALL_RETVAL		= 1,
	TAP_CALL_FETCHES	= 2,
};

/*
 * Flags of a record. TAP_F_SOFTIRQ, TAP_F_HARDIRQ and TAP_F_NMI are masks: if the field is
 * not zero the event happened in that context; which of its bits are set has no meaning.
 * Bits without a name are 0; later versions may set them, and a reader ignores those it
 * does not know.
 *
 * TAP_F_REDACTED: the opener lacks CAP_SYSLOG, and a value word that looks like a kernel
 * address was zeroed. This keeps addresses out of traces that are passed on. It is not a
 * boundary: the opener chooses the program, which can shift an address, load a half of it or
 * compare it, and text and arrays are in the mapped ring before they are searched for
 * addresses. A task that must not learn kernel addresses must not open the device.
 */
#define TAP_F_MIGRATED		_BITUL(0)	/* call: returned on another CPU */
#define TAP_F_DESCHEDULED	_BITUL(1)	/* call: the task was switched out */
#define TAP_F_NESTED		_BITUL(2)	/* call: inside another call of the function */
#define TAP_F_REDACTED		_BITUL(3)	/* a kernel address was zeroed */
#define TAP_F_ABSENT		_BITUL(4)	/* an output is absent */
#define TAP_F_TRUNCATED		_BITUL(5)	/* a text, array or stack was cut */
#define TAP_F_NO_RETURN		_BITUL(6)	/* call: does not return, or return not seen */
#define TAP_F_DEFERRED		_BITUL(7)	/* ucall: memory was read at the return */
#define TAP_F_SOFTIRQ		_BITUL(8)	/* serving a softirq */
#define TAP_F_MULTIPLEXED	_BITUL(9)	/* a counter was not counting */
#define TAP_F_ENTRY		_BITUL(10)	/* funcgraph: an entry record */
#define TAP_F_USER		_BITUL(11)	/* TAP_CREATE_F_USER: user memory was read */
#define TAP_F_RACED		_BITUL(12)	/* a path may have changed while it was read */
#define TAP_F_HARDIRQ		0x000f0000	/* in a hard interrupt */
#define TAP_F_NMI		0x00f00000	/* in a non-maskable interrupt */

/*
 * The first word of a text, an array or a stack in a record: its length in bytes, and
 * whether it is complete.
 */
#define TAP_TEXT_LEN		0xffffffffULL
#define TAP_TEXT_TRUNCATED	_BITULL(32)	/* it is longer than the room for it */
#define TAP_TEXT_ABSENT		_BITULL(33)	/* it, or its end, could not be read */
#define TAP_TEXT_DEFERRED		_BITULL(34)	/* ucall: read at the return */
#define TAP_TEXT_COPIED		_BITULL(35)	/* registers and bytes of a stack, no frames */

/**
 * struct tap_record - the first slot of a record
 * @seq: sequence and commit word, see the top of this file; written last
 * @time: raw clock of the session, see struct tap_meta; never decreases along
 *	a ring, even if events interrupt each other. Two exceptions: with
 *	%TAP_CLOCK_MONO it may go back by some nanoseconds in a record that is made
 *	while another CPU updates the kernel's clock; and a clock that jumps may restart,
 *	from 0 for example, which %TAP_NOTICE_CLOCK reports: after a suspend before the
 *	first record of a CPU other than the one that resumes the machine, else up to a
 *	tenth of a second late. Across CPUs: if
 *	one event caused another (a wake-up, a lock that was handed over), the time of
 *	the cause is not later, unless the clock is %TAP_CLOCK_TSC: that one may be read
 *	before an earlier load has its value, so the times of cause and effect may be
 *	the wrong way round by some ten nanoseconds, and a short duration that ends on
 *	another CPU is off by as much
 * @probe: id of the probe; 0 in a record of the session itself
 * @slots: number of slots of this record, at least 1. It may be less than @out_slots of struct
 *	tap_probe_info if the last outputs are %TAP_OP_WAIT_STACK: the further words are 0 then
 * @kind: enum tap_record_kind
 * @flags: TAP_F_*
 * @tid: thread that was running, as gettid(2) gives it in the initial
 *	pid namespace; 0: the idle task. 0 in gap records and notices
 * @tgid: its process, as getpid(2) gives it in the initial pid namespace
 * @value: the first four value words; unused ones are 0
 */
struct tap_record {
	__u64 seq;
	__u64 time;
	__u16 probe;
	__u8 slots;
	__u8 kind;
	__u32 flags;
	__u32 tid;
	__u32 tgid;
	__u64 value[TAP_FIRST_VALUES];
};

/**
 * struct tap_slot - a further slot of a record
 * @seq: sequence word, see the top of this file; published by that of the first slot
 * @value: the next seven value words; unused ones are 0
 */
struct tap_slot {
	__u64 seq;
	__u64 value[TAP_SLOT_VALUES];
};

#endif /* _UAPI_LINUX_TAP_RECORD_H */
