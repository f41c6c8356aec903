/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Events: reading, decoding and printing them. Included by libtap.h, which has the
 * conventions.
 */
#ifndef _LIBTAP_EVENT_H
#define _LIBTAP_EVENT_H

#include <libtap/error.h>
#include <libtap/probe.h>
#include <libtap/session.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The word of TAP_TEXT_* of a program's stack that libtap has unwound: not by frame pointers. */
#define TAP_TEXT_UNWOUND	(1ULL << 63)

/**
 * struct tap_event - a record in the memory of its ring or file
 * @rec: its first slot
 * @probe: set by tap_decode(); NULL for a gap record or a notice (@rec->probe has the
 *	notice's probe)
 * @data: the memory in which @pos is an offset
 * @pos: position of the record, before @mask is applied
 * @mask: applied to each position, so that a ring wraps; ~0 in plain memory
 * @time: raw clock ticks: the time of @rec and, if the clock jumped, the ticks that join the
 *	times before and after the jump; tap_timebase_mono() converts them
 * @cpu: number of the ring
 * @slots: slots of the record that are present and committed
 * @__reserved: for later versions; not set
 *
 * The size of this structure is fixed, so that callers can have arrays of it. The memory
 * belongs to the reader: it is valid until the next call to the reader that gave the event.
 */
struct tap_event {
	const struct tap_record *rec;
	const struct tap_probe *probe;
	const void *data;
	__u64 pos;
	__u64 mask;
	__u64 time;
	__u32 cpu;
	__u32 slots;
	__u64 __reserved;
};

/**
 * tap_event_word() - a value word of an event
 * @ev: an event
 * @i: number of the word, as tap_record.h counts
 *
 * Finds the word also where the record goes on at the start of the ring.
 *
 * Return: the word, 0 if the record has no such word.
 */
static inline __u64 tap_event_word(const struct tap_event *ev, unsigned int i)
{
	const struct tap_slot *slot;
	unsigned int n;

	if (i < TAP_FIRST_VALUES)
		return ev->rec->value[i];
	i -= TAP_FIRST_VALUES;
	n = 1 + i / TAP_SLOT_VALUES;
	if (n >= ev->slots)
		return 0;
	slot = (const struct tap_slot *)((const char *)ev->data +
		((ev->pos + (__u64)n * TAP_SLOT_SIZE) & ev->mask));
	return slot->value[i % TAP_SLOT_VALUES];
}

/**
 * tap_event_absent() - whether a value of an event is absent
 * @ev: an event that tap_decode() accepted and whose @probe is set
 * @field: a field of the event's probe
 *
 * Return: true if the kernel could not read it: its words are 0, or the part of a text that
 * it could read.
 */
LIBTAP_API bool tap_event_absent(const struct tap_event *ev,
				 const struct tap_field *field);

/**
 * tap_event_comm() - the command name of the task
 * @ev: an event that tap_decode() accepted
 * @comm: set to the name with a final 0; room for %TAP_COMM_LEN + 1 bytes
 *
 * Return: false if the probe's records do not have it: see tap_spec_fetch_comm().
 */
LIBTAP_API bool tap_event_comm(const struct tap_event *ev, char *comm);

/**
 * tap_spec_division() - whether the events of a probe say how their duration divides
 * @spec: of the probe, after tap_spec_why() and tap_spec_expand(), or of a file
 *
 * Return: the field that says it; NULL if they do not.
 */
LIBTAP_API const struct tap_field *tap_spec_division(const struct tap_spec *spec);

/**
 * tap_event_division() - how the duration of an event divides
 * @ev: an event that tap_decode() accepted and whose @probe is set
 * @division: filled in; in ticks
 * @duration: set to the duration, in ticks
 *
 * Return: 0; -EADDRNOTAVAIL if the duration is not divided (@duration is set): the call was in an
 * NMI, or there was no room for its task; -ENODATA if the call did not return; -ENOENT if it is not
 * such an event.
 */
LIBTAP_API int tap_event_division(const struct tap_event *ev, struct tap_division *division,
				  __u64 *duration);

/**
 * tap_event_wait_stack() - a stack of the longest wait in a divided duration
 * @ev: as for tap_event_division()
 * @name: of the field: "wait.stack" or "waker.stack"
 * @words: set to the word of TAP_TEXT_* and the addresses, the innermost first; the rest is 0
 *
 * Return: false if the event has no such stack.
 */
LIBTAP_API bool tap_event_wait_stack(const struct tap_event *ev, const char *name,
				     __u64 words[1 + TAP_WAIT_FRAMES]);

/**
 * tap_decode() - find the probe of an event and check the event against it
 * @probes: the table
 * @ev: an event of a reader; @ev->probe is set
 *
 * Return: 0; -ENOENT if the table has no such probe; -EBADMSG if the record
 * is not as the probe's layout says; -EOPNOTSUPP if its kind is not known.
 */
LIBTAP_API int tap_decode(const struct tap_probes *probes,
			  struct tap_event *ev);

/**
 * struct tap_reader - the mapped rings of a session
 */
struct tap_reader;

/**
 * tap_reader_open() - map the rings of a session
 * @reader: set on success; end it with tap_reader_close()
 * @session: a session that is set up; must stay open until tap_reader_close().
 *	A session has one reader at a time, since a ring has one tail.
 * @err: an error message on failure
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_reader_open(struct tap_reader **reader,
			       struct tap_session *session,
			       struct tap_error *err);

/**
 * tap_reader_close() - unmap
 * @reader: may be NULL
 */
LIBTAP_API void tap_reader_close(struct tap_reader *reader);

/**
 * tap_reader_meta() - the meta page
 * @reader: an open reader
 *
 * Return: a checked copy, valid as long as the reader.
 */
LIBTAP_API const struct tap_meta *
tap_reader_meta(const struct tap_reader *reader);

/**
 * tap_reader_all_jumps() - give the notice of a jump of the clock of each ring
 * @reader: an open reader
 *
 * Otherwise tap_reader_events() gives that of the first ring only. A trace file needs all of
 * them.
 */
LIBTAP_API void tap_reader_all_jumps(struct tap_reader *reader);

/**
 * tap_reader_timebase() - the clock of the records
 * @reader: an open reader
 *
 * Return: the timebase by the kernel's rate, valid as long as the reader.
 */
LIBTAP_API const struct tap_timebase *
tap_reader_timebase(const struct tap_reader *reader);

/**
 * tap_reader_poll() - wait until something is unread
 * @reader: an open reader
 * @timeout_ms: as for poll(2)
 *
 * Return: 1 if something is unread, 0 on time-out, -EINTR on a signal, or
 * another -errno.
 */
LIBTAP_API int tap_reader_poll(struct tap_reader *reader, int timeout_ms);

/**
 * tap_reader_next() - the next event over all CPUs, by time
 * @reader: an open reader
 * @ev: filled in; the memory it refers to is valid until the next call
 *
 * An event is returned only when no CPU can still deliver an earlier one, so
 * events of the last millisecond are held back until tap_reader_drain().
 * A call that returns 0 has released all consumed ring memory to the kernel.
 *
 * Return: 1 with an event; 0 if there is none for now.
 */
LIBTAP_API int tap_reader_next(struct tap_reader *reader,
			       struct tap_event *ev);

/**
 * tap_reader_events() - the next events over all CPUs, by time
 * @reader: an open reader
 * @ev: room for @max events
 * @max: how many at most, at least 1
 *
 * As tap_reader_next(), for many events: about 100 per call cost a third of
 * the same number of single calls.
 *
 * Return: how many there are; 0 if there is none for now.
 */
LIBTAP_API unsigned int tap_reader_events(struct tap_reader *reader,
					  struct tap_event *ev,
					  unsigned int max);

/**
 * tap_reader_held() - whether events were held back by the reader
 * @reader: an open reader
 *
 * Return: true if there are events that can be given within a millisecond: so
 * it pays to look again soon instead of waiting for poll(2).
 */
LIBTAP_API bool tap_reader_held(const struct tap_reader *reader);

/**
 * tap_reader_drain() - from now on hold nothing back
 * @reader: an open reader whose probes are all disabled
 * @on: true to drain, false to go back to live reading
 */
LIBTAP_API void tap_reader_drain(struct tap_reader *reader, bool on);

/**
 * struct tap_reader_counts - what a reader saw
 * @size: sizeof(struct tap_reader_counts), set by the caller
 * @events: events given
 * @gaps: gap records given
 * @lost: sum of the losses that they reported
 * @skipped: bytes skipped because they were no record; 0 unless the kernel or the
 *	file is broken
 * @stalled: how often a record was reserved and not committed within a
 *	bounded wait, so that the reader skipped it
 * @disordered: events returned after a later one, because their writer was delayed
 *	for longer than the reader waits
 */
struct tap_reader_counts {
	size_t size;
	__u64 events;
	__u64 gaps;
	__u64 lost;
	__u64 skipped;
	__u64 stalled;
	__u64 disordered;
};

/**
 * tap_reader_counts() - read the counts
 * @reader: an open reader
 * @counts: filled in up to its @size
 *
 * Return: 0, or -EINVAL if @size of @counts is not set.
 */
LIBTAP_API int tap_reader_counts(const struct tap_reader *reader,
				 struct tap_reader_counts *counts);

/**
 * tap_reader_chunk() - raw committed bytes of one CPU
 * @reader: an open reader; not to be mixed with tap_reader_next()
 * @cpu: number of a ring
 * @pos: set to the position of the first byte in the ring's stream
 * @ptr: set to contiguous whole slots
 * @len: set to their bytes, 0 if there are none; a record may go on in the
 *	next chunk when it lies over the end of the ring
 *
 * Return: 0, or -ENXIO if the CPU has no ring.
 */
LIBTAP_API int tap_reader_chunk(struct tap_reader *reader, unsigned int cpu,
				__u64 *pos, const void **ptr, size_t *len);

/**
 * tap_reader_open_set() - open a reader of one of the sets of rings that are overwritten
 * @reader: set on success
 * @session: a session that was set up with @overwrite
 * @offset: @out_offset of the window in which the set was taken
 * @err: an error message on failure
 *
 * The reader stays valid as long as the session. What it reads must be taken at that time.
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_reader_open_set(struct tap_reader **reader, struct tap_session *session,
				   __u64 offset, struct tap_error *err);

/**
 * tap_reader_window() - begin to read the records of a window
 * @reader: of tap_reader_open_set(), whose set was taken
 * @from: raw time of the session's clock, not before @out_since of struct tap_window; earlier
 *	records are left out
 * @to: later records are left out
 * @whole: set to whether the rings go back to @from; false: older records of a CPU were
 *	overwritten, and some of them may have been later than @from
 *
 * tap_reader_chunk() then gives exactly the records of each CPU with times from @from to @to,
 * until there are none. @events of tap_reader_counts() counts them; @skipped grows by the bytes
 * that were overwritten since the set was read last. So for each CPU, in slots, the head less the
 * tail is what was read, skipped or is there.
 *
 * Return: 0, or -EBADMSG if a ring has something else than records behind its oldest one.
 */
LIBTAP_API int tap_reader_window(struct tap_reader *reader, __u64 from, __u64 to, bool *whole);

/**
 * tap_reader_release() - give bytes back to the kernel
 * @reader: an open reader
 * @cpu: number of a ring
 * @len: bytes, at most the @len of tap_reader_chunk(); whole slots
 *
 * Return: 0, or -EINVAL.
 */
LIBTAP_API int tap_reader_release(struct tap_reader *reader, unsigned int cpu,
				  size_t len);

/**
 * struct tap_unwinder - makes frames of copied stacks; see tap_spec_stack_copy()
 */
struct tap_unwinder;

/**
 * tap_unwinder_open() - start to unwind
 * @unwinder: set on success, to NULL if no probe copies stacks; end it with
 *	tap_unwinder_close()
 * @maps: the maps; must stay open until then
 * @probes: the probe table, with all probes; must stay until then
 * @timebase: of the records; copied
 *
 * Return: 0 or -ENOMEM.
 */
LIBTAP_API int tap_unwinder_open(struct tap_unwinder **unwinder, struct tap_maps *maps,
				 const struct tap_probes *probes,
				 const struct tap_timebase *timebase);

/**
 * tap_unwinder_close() - free an unwinder
 * @unwinder: may be NULL
 */
LIBTAP_API void tap_unwinder_close(struct tap_unwinder *unwinder);

/**
 * tap_unwinder_event() - unwind the stack of an event
 * @unwinder: NULL does nothing
 * @ev: an event that tap_decode() accepted. If it has a copied stack, it refers to memory of
 *	@unwinder afterwards, valid until the next call
 *
 * The stack has %TAP_TEXT_TRUNCATED if the copy ended before its outermost frame, or if it has more
 * than %TAP_MAX_STACK frames; %TAP_TEXT_ABSENT if a frame has no unwind data. It has
 * %TAP_TEXT_UNWOUND.
 */
LIBTAP_API void tap_unwinder_event(struct tap_unwinder *unwinder, struct tap_event *ev);

/**
 * tap_unwinder_data() - unwind the stacks in raw data of a ring
 * @unwinder: NULL does nothing
 * @cpu: number of the ring
 * @pos: as tap_reader_chunk() set it; changed
 * @data: likewise; set to memory of @unwinder, valid until the next call for this ring
 * @len: likewise; may become 0: a record that is not whole waits for the next data
 *
 * The new data are what a trace file has: records are shorter, and have their own positions.
 *
 * Return: 0 or -ENOMEM.
 */
LIBTAP_API int tap_unwinder_data(struct tap_unwinder *unwinder, unsigned int cpu, __u64 *pos,
				 const void **data, size_t *len);

/**
 * struct tap_formatter - prints events to a buffer
 */
struct tap_formatter;

/* Between a stack of the kernel and one of the program, as text: a line of its own. */
#define TAP_STACK_DIVIDER	"\n        --"

/**
 * enum tap_formatter_times - what the times of events, losses and notices are
 * @TAP_TIMES_BOOT: CLOCK_MONOTONIC, seconds since boot
 * @TAP_TIMES_WALL: the time of day in the local time zone; in JSON seconds since 1970. The clock is
 *	read once, with the timebase: later changes of it do not show
 * @TAP_TIMES_DELTA: of an event: seconds since the event that was printed before it, 0 for the first
 *	one. Others are as with %TAP_TIMES_BOOT
 */
enum tap_formatter_times {
	TAP_TIMES_BOOT,
	TAP_TIMES_WALL,
	TAP_TIMES_DELTA,
};

/**
 * struct tap_formatter_opts - how to print
 * @size: sizeof(struct tap_formatter_opts)
 * @fd: where tap_formatter_flush() writes
 * @write: called with all output instead of a write to @fd; returns 0 or
 *	-errno; may be NULL
 * @write_arg: handed to @write
 * @json: one JSON object a line instead of text
 * @color: escape sequences of a terminal
 * @timebase: of the records: tap_reader_timebase() or tap_file_timebase(); copied
 * @probes: the probe table; must stay as long as the formatter
 * @resolve: names a kernel address, e.g. tap_symbols_resolve(); NULL: addresses are printed
 *	as numbers
 * @resolve_arg: handed to @resolve
 * @resolve_user: names an address of the program of process @tgid at @time
 *	(CLOCK_MONOTONIC, ns), e.g. tap_user_symbols_lookup(); NULL: addresses are
 *	printed as numbers
 * @resolve_user_arg: handed to @resolve_user
 * @tgid: process of the values of tap_format_words()
 * @time: their time, CLOCK_MONOTONIC ns; ~0: as late as possible
 * @stack: the words of a stack by its id (%TAP_FMT_KSTACK_ID, %TAP_FMT_USTACK_ID), e.g.
 *	tap_session_stack(); NULL: such stacks are printed as "(unknown stack)". An aggregation
 *	does not need it
 * @stack_arg: handed to @stack
 * @more: writes what follows the values of an event: " name=value", or ",\"name\":value" with
 *	@json, at most @size bytes; returns their number; may be NULL
 * @more_arg: handed to @more
 * @times: enum tap_formatter_times; of 64 bits, as the structure must not end with a hole
 */
struct tap_formatter_opts {
	size_t size;
	int fd;
	int (*write)(void *arg, const char *data, size_t len);
	void *write_arg;
	bool json;
	bool color;
	const struct tap_timebase *timebase;
	const struct tap_probes *probes;
	int (*resolve)(const void *arg, __u64 addr, char *buf, size_t len);
	const void *resolve_arg;
	int (*resolve_user)(const void *arg, __u32 tgid, __u64 time, __u64 addr,
			    char *buf, size_t len);
	const void *resolve_user_arg;
	__u32 tgid;
	__u64 time;
	const __u64 *(*stack)(void *arg, __u64 id);
	void *stack_arg;
	__u64 times;
	size_t (*more)(void *arg, const struct tap_event *ev, char *buf, size_t size);
	void *more_arg;
};

/**
 * tap_formatter_open() - make a formatter
 * @fmt: set on success; end it with tap_formatter_close()
 * @opts: how; copied
 *
 * The formatter prints events of the probes that the table has now. Open another one after
 * adding probes.
 *
 * Return: 0; -EINVAL if @probes or @timebase is missing; -E2BIG if @opts is of a later version
 * of the library; -ENOMEM.
 */
LIBTAP_API int tap_formatter_open(struct tap_formatter **fmt,
				  const struct tap_formatter_opts *opts);

/**
 * tap_formatter_close() - free a formatter; output that was not flushed is lost
 * @fmt: may be NULL
 */
LIBTAP_API void tap_formatter_close(struct tap_formatter *fmt);

/**
 * tap_formatter_header() - print the line that names the columns (text only)
 * @fmt: a formatter
 *
 * Return: 0 or -errno of a write.
 */
LIBTAP_API int tap_formatter_header(struct tap_formatter *fmt);

/**
 * tap_formatter_event() - print one event
 * @fmt: a formatter
 * @ev: an event that tap_decode() accepted
 *
 * The line goes to a buffer, which is written when it is full.
 *
 * Return: 0 or -errno of a write.
 */
LIBTAP_API int tap_formatter_event(struct tap_formatter *fmt,
				   const struct tap_event *ev);

struct tap_window_info;

/**
 * tap_formatter_window() - print the heading of a window
 * @fmt: a formatter
 * @number: of the window, from 1
 * @info: of tap_file_get_window()
 *
 * Return: 0 or -errno of a write.
 */
LIBTAP_API int tap_formatter_window(struct tap_formatter *fmt, size_t number,
				    const struct tap_window_info *info);

/**
 * tap_formatter_timebase() - convert the times of the next events in another way
 * @fmt: a formatter
 * @timebase: of the same clock; copied
 */
LIBTAP_API void tap_formatter_timebase(struct tap_formatter *fmt,
				       const struct tap_timebase *timebase);

/**
 * tap_formatter_flush() - write what is in the buffer
 * @fmt: a formatter
 *
 * Return: 0 or -errno of a write.
 */
LIBTAP_API int tap_formatter_flush(struct tap_formatter *fmt);

/**
 * tap_format_words() - format one value that is not in a record
 * @opts: how: @json, @timebase (of %TAP_FMT_DURATION alone), @resolve,
 *	@resolve_user, @tgid, @time
 * @field: of a probe or an aggregation; its @word and @output are not used
 * @words: its @field->words words
 * @buf: given the value as tap_formatter_event() prints it, without its name,
 *	and a final 0
 * @size: bytes at @buf
 *
 * Return: the length without the final 0; -EINVAL for a field that is not
 * valid; -ENOSPC if it does not fit; -ENOMEM.
 */
LIBTAP_API int tap_format_words(const struct tap_formatter_opts *opts,
				const struct tap_field *field,
				const __u64 *words, char *buf, size_t size);

/**
 * tap_format_chain() - format a stack of the longest wait in one line
 * @opts: as for tap_format_words(); the line is the same with @json
 * @words: of tap_event_wait_stack()
 * @buf: given the functions, the innermost first, as tap_formatter_event() prints them in the lines
 *	of a divided duration, and a final 0
 * @size: bytes at @buf
 *
 * Return: the length without the final 0; -ENOSPC if it does not fit; -ENOMEM.
 */
LIBTAP_API int tap_format_chain(const struct tap_formatter_opts *opts, const __u64 *words, char *buf,
				size_t size);

/**
 * tap_part_name() - the name of a part of a divided duration
 * @part: enum tap_task_part
 *
 * Return: e.g. "preempted"; that of %TAP_PART_SLEEP for a part of a later version.
 */
LIBTAP_API const char *tap_part_name(__u32 part);

#ifdef __cplusplus
}
#endif

#endif /* _LIBTAP_EVENT_H */
