/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Spans: one event out of two that have the same key. Included by <linux/tap.h>, which has the
 * conventions.
 *
 * A probe of the type TAP_PROBE_SPAN has a table of what is open, by key. Other probes are its
 * sides: the events of a "from" side open an entry, those of a "to" side end one. The end of
 * an entry is the event of the span.
 */
#ifndef _UAPI_LINUX_TAP_SPAN_H
#define _UAPI_LINUX_TAP_SPAN_H

#include <linux/const.h>
#include <linux/tap_program.h>
#include <linux/types.h>

#define TAP_MAX_SPAN_WORDS	64	/* key and values of a side */
#define TAP_MAX_SPAN_ENTRIES	1048576	/* of a span's table */

/**
 * enum tap_span_mode - what a "from" event does if its key is open already
 * @TAP_SPAN_RESTART: the entry begins again, with the values of this event
 * @TAP_SPAN_FIRST: nothing: the entry stays as it is
 * @TAP_SPAN_STACK: opens a further entry; a "to" event ends the one that began last
 * @TAP_SPAN_CAPTURE: the entry begins again, and nothing ends one. Other probes look values of the
 *	"from" event up, with %TAP_OP_CAPTURED. The key has two words: the first one tells the
 *	frames of a task, e.g. the stack pointer at the entry of a function; the second one must
 *	be %TAP_VAR_TASK. If the table has no room, an entry of those that began first is dropped.
 *	There is one "from" side, a kprobe, uprobe or mark. A look-up finds nothing if that side is
 *	disabled, or if it was enabled, its module came, or the kernel missed one of its events
 *	since the entry began
 */
enum tap_span_mode {
	TAP_SPAN_RESTART	= 0,
	TAP_SPAN_FIRST		= 1,
	TAP_SPAN_STACK		= 2,
	TAP_SPAN_CAPTURE	= 3,
};

/**
 * struct tap_span_table - the table of a span, for TAP_IOC_CREATE
 * @size: sizeof(struct tap_span_table)
 * @flags: must be 0
 * @mode: enum tap_span_mode
 * @nr_keys: value words of the key, at least 1
 * @from_words: value words of a "from" side behind its key
 * @to_words: value words of a "to" side behind its key
 * @entries: how many entries may be open at the same time, at most %TAP_MAX_SPAN_ENTRIES. An
 *	entry may find no room a little before, because a key is tried in at most 64 places
 * @__reserved: must be 0
 *
 * @nr_keys with @from_words, and with @to_words, is at most %TAP_MAX_SPAN_WORDS.
 */
struct tap_span_table {
	__u32 size;
	__u32 flags;
	__u16 mode;
	__u16 nr_keys;
	__u16 from_words;
	__u16 to_words;
	__u32 entries;
	__u32 __reserved;
};

/**
 * enum tap_span_side - tap_create.side
 * @TAP_SIDE_FROM: events of the probe open an entry
 * @TAP_SIDE_TO: events of the probe end an entry
 */
enum tap_span_side {
	TAP_SIDE_FROM	= 1,
	TAP_SIDE_TO	= 2,
};

/**
 * struct tap_span_event - the data of a TAP_PROBE_SPAN, for TAP_OP_FIELD
 * @duration: raw clock ticks from the "from" event to the "to" event; 0 if the clock went back.
 *	In a record: to the time of the record. A test of the program sees a moment that is a
 *	little earlier. If the "to" side has %TAP_CREATE_F_RECORD: to the time of its record
 * @from_time: raw time of the "from" event
 * @from_tid: thread that ran at the "from" event, in the initial pid namespace
 * @from_tgid: its process
 * @from_cpu: CPU of the "from" event
 * @from_flags: TAP_F_HARDIRQ, TAP_F_SOFTIRQ and TAP_F_NMI of the "from" event
 * @from_comm: command name of the task that ran at the "from" event
 *
 * Behind it are the words of the key, then those of the "from" event, then those of the "to"
 * event; struct tap_span_table has their numbers. Task, CPU and time of the "to" event are those
 * of the record.
 */
struct tap_span_event {
	__u64 duration;
	__u64 from_time;
	__u32 from_tid;
	__u32 from_tgid;
	__u32 from_cpu;
	__u32 from_flags;
	char from_comm[TAP_COMM_LEN];
};

/**
 * struct tap_span_read - TAP_IOC_SPAN: read the counts of a span, and what is open
 * @size: sizeof(struct tap_span_read)
 * @id: a probe of this session, of the type TAP_PROBE_SPAN
 * @words: address of an array of @nr_words of __u64, which gets open entries; or 0
 * @nr_words: length of the array at @words
 * @from: 0 for the first read, then @out_next of the previous read
 * @out_next: @from for the next read; 0: the table has no further entries
 * @out_entries: number of entries that were written to @words. Each is a struct
 *	tap_span_event, whose @duration is the nanoseconds since the "from" event, without the
 *	words of the "to" event
 * @out_entry_words: words of each entry
 * @__reserved: must be 0
 * @out_opened: "from" events that opened an entry
 * @out_restarted: "from" events whose key was open: see enum tap_span_mode
 * @out_full: "from" events for which the table had no room
 * @out_busy: "from" events that were dropped because another event of the same key was being
 *	written to the table at this moment, on another CPU or by what this event interrupted; or
 *	because other CPUs took 16 free places of the table before it could
 * @out_ended: "to" events that ended an entry
 * @out_unmatched: "to" events for which no entry was open; of a capture: look-ups without a result
 * @out_unmatched_busy: those of @out_unmatched that met an entry of their key which was being
 *	written at this moment
 * @out_cleared: entries that were dropped at the end of another one, because two CPUs had opened
 *	the same key at the same time; of a capture: entries that were dropped for want of room
 * @out_open: entries that are open now
 *
 * Once the sides are disabled, exactly:
 *	events of the "from" sides that passed their tests = opened + restarted + full + busy
 *	events of the "to" sides that passed their tests = ended + unmatched (not of a capture)
 * (of a side: aggregated, with %TAP_CREATE_F_RECORD written + lost_full + lost_nested)
 *	opened = ended + cleared + open
 *	ended = hits of the span's counters
 * Before, events in flight make differences, and an entry that ends while it is read may be
 * left out.
 *
 * Errors: ENOENT; ENODATA if the probe is of another type; EINVAL also if @from is beyond the
 * table or @words has no room for one entry.
 */
struct tap_span_read {
	__u32 size;
	__u32 id;
	__aligned_u64 words;
	__u32 nr_words;
	__u32 from;
	__u32 out_next;
	__u32 out_entries;
	__u32 out_entry_words;
	__u32 __reserved;
	__u64 out_opened;
	__u64 out_restarted;
	__u64 out_full;
	__u64 out_busy;
	__u64 out_ended;
	__u64 out_unmatched;
	__u64 out_unmatched_busy;
	__u64 out_cleared;
	__u64 out_open;
};

#endif /* _UAPI_LINUX_TAP_SPAN_H */
