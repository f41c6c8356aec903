/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The record: what one event looks like in a ring and in a trace file.
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
 * Value word i of a record lies in the first slot for i < 4, and else in slot
 * 1 + (i - 4) / 7 at place (i - 4) % 7.
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

/* The largest number of slots of one record; the field is a __u8. */
#define TAP_MAX_SLOTS		255

/**
 * enum tap_record_kind - what a record reports
 * @TAP_KIND_EVENT: an event of probe @probe; its layout describes the values
 * @TAP_KIND_GAP: events were lost on this CPU before this record;
 *	@probe is 0 and the values are those of enum tap_gap_value
 * @TAP_KIND_NOTICE: the state of probe @probe changed; the values are those of
 *	enum tap_notice_value
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
 * @TAP_GAP_LOST: events lost that no gap record has reported yet
 * @TAP_GAP_TOTAL: events lost on this ring until this record; never falls
 * @TAP_GAP_BEGIN: raw time of about the first of @TAP_GAP_LOST, never after the record's
 * @TAP_GAP_RESERVED: zero
 *
 * The @TAP_GAP_LOST values of a ring add up to the lost_full and lost_nested
 * counters of its CPU, once the last of them was written (%TAP_IOC_FLUSH).
 * @TAP_GAP_LOST is never more than the @TAP_GAP_TOTAL of the same record. It is less
 * where an interrupt came while the record was being written: then the gap record of
 * the interrupt, which is the next one, reports the losses of both.
 */
enum tap_gap_value {
	TAP_GAP_LOST		= 0,
	TAP_GAP_TOTAL		= 1,
	TAP_GAP_BEGIN		= 2,
	TAP_GAP_RESERVED	= 3,
};

/**
 * enum tap_notice - what changed in a probe or a session
 * @TAP_NOTICE_ARMED: the module that the probe waited for was loaded
 * @TAP_NOTICE_GONE: the module of the probe's target is being unloaded
 * @TAP_NOTICE_MAXACTIVE_RAISED: calls found all of maxactive in use; there is room for
 *	more from now on. The count is the number of calls missed, the size the new
 *	maxactive.
 * @TAP_NOTICE_THROTTLED: the probe had more events in a second than its limit, the
 *	size; from now on most are dropped
 * @TAP_NOTICE_RESUMED: the probe is no longer throttled; the count is the number of
 *	events dropped that were not reported before. An event in flight at that time is
 *	reported when the probe is throttled again, or disabled.
 * @TAP_NOTICE_LOSS_BEGAN: events of the session are being lost; the count is the
 *	number so far
 * @TAP_NOTICE_LOSS_ENDED: no further events are being lost; the count is the number
 *	lost since @TAP_NOTICE_LOSS_BEGAN
 * @TAP_NOTICE_OPENED: a session was opened
 * @TAP_NOTICE_CLOSED: a session was closed
 * @TAP_NOTICE_DROPPED: notices were dropped because the reader did not keep up; the
 *	count is their number, the probe that of the last of them
 *
 * %TAP_NOTICE_LOSS_BEGAN to %TAP_NOTICE_CLOSED are sent to listeners of the
 * netlink family only: the stream has gap records, and belongs to its own session.
 * %TAP_NOTICE_DROPPED is in the stream only: the socket reports that to a listener.
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
};

/**
 * enum tap_notice_value - the value words of a notice
 * @TAP_NOTICE_WHAT: enum tap_notice
 * @TAP_NOTICE_SINCE: raw time of about the start of what the notice ends; or of the
 *	notice itself
 * @TAP_NOTICE_COUNT: see enum tap_notice; or 0
 * @TAP_NOTICE_SIZE: see enum tap_notice; or 0
 */
enum tap_notice_value {
	TAP_NOTICE_WHAT		= 0,
	TAP_NOTICE_SINCE	= 1,
	TAP_NOTICE_COUNT	= 2,
	TAP_NOTICE_SIZE		= 3,
};

/**
 * enum tap_call_value - the value words at the start of a record of a call probe
 * @TAP_CALL_DURATION: raw clock ticks from entry to return; the record's time
 *	is that of the return, so the entry was at time - duration; 0 with
 *	%TAP_F_NO_RETURN
 * @TAP_CALL_RETVAL: the return register
 * @TAP_CALL_FETCHES: the first word of the outputs that the program made at the entry
 */
enum tap_call_value {
	TAP_CALL_DURATION	= 0,
	TAP_CALL_RETVAL		= 1,
	TAP_CALL_FETCHES	= 2,
};

/*
 * Flags of a record. The three context fields are masks: non-zero means that
 * the event happened in that context; they may hold a nesting depth.
 */
#define TAP_F_MIGRATED		_BITUL(0)	/* call: returned on another CPU */
#define TAP_F_DESCHEDULED	_BITUL(1)	/* call: the task was switched out */
#define TAP_F_NESTED		_BITUL(2)	/* call: inside another call of the function */
#define TAP_F_REDACTED		_BITUL(3)	/* a kernel address was zeroed */
#define TAP_F_ABSENT		_BITUL(4)	/* memory could not be read */
#define TAP_F_TRUNCATED		_BITUL(5)	/* a text or array was cut */
#define TAP_F_NO_RETURN		_BITUL(6)	/* the call does not return, or was not seen to */
#define TAP_F_DEFERRED		_BITUL(7)	/* ucall: memory was read at the return */
#define TAP_F_SOFTIRQ		_BITUL(8)	/* serving a softirq */
#define TAP_F_MULTIPLEXED	_BITUL(9)	/* a counter was not counting */
#define TAP_F_ENTRY		_BITUL(10)	/* funcgraph: an entry record */
#define TAP_F_HARDIRQ		0x000f0000	/* in a hard interrupt */
#define TAP_F_NMI		0x00f00000	/* in a non-maskable interrupt */

/*
 * The first word of a text or an array in a record: its length in bytes, and
 * whether it is complete.
 */
#define TAP_TEXT_LEN		0xffffffffULL
#define TAP_TEXT_TRUNCATED	_BITULL(32)	/* it is longer; cut here */
#define TAP_TEXT_ABSENT		_BITULL(33)	/* it, or its end, cannot be read */
#define TAP_TEXT_DEFERRED		_BITULL(34)	/* ucall: read at the return */

/**
 * struct tap_record - the first slot of a record
 * @seq: sequence and commit word, see the top of this file; written last
 * @time: raw clock of the session, see struct tap_meta; never decreases along
 *	a ring, whatever interrupted the writer. (With %TAP_CLOCK_MONO a record made in
 *	an NMI may be some nanoseconds early, because that clock itself may be.)
 * @probe: id of the probe, or 0 for a record of the session itself
 * @slots: number of slots of this record, at least 1
 * @kind: enum tap_record_kind
 * @flags: TAP_F_*
 * @tid: thread that was running, as gettid(2) gives it in the initial
 *	pid namespace; 0 is the idle task
 * @tgid: its process, as getpid(2) gives it in the initial pid namespace
 * @value: the first four value words; those the layout does not use are 0
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
 * @seq: sequence word, see the top of this file
 * @value: seven more value words; those the layout does not use are 0
 */
struct tap_slot {
	__u64 seq;
	__u64 value[TAP_SLOT_VALUES];
};

#endif /* _UAPI_LINUX_TAP_RECORD_H */
