/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * libtap: sessions, probes, records and trace files of tapmod.
 *
 * DOC: conventions
 *
 * A function that can fail returns 0 (or a count) on success and -errno on
 * failure. Where it takes a struct tap_error, that then holds a sentence with
 * the cause and the remedy; NULL may be passed by who does not want it.
 * Objects are made by X_open/X_load and ended by X_close/X_free, which accept
 * NULL. No function is safe against concurrent use of the same object;
 * different objects may be used by different threads.
 *
 * The library trusts nothing that it reads from a ring or a file: every length
 * and position in it is checked before it is used.
 */
#ifndef _LIBTAP_H
#define _LIBTAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <linux/tap.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LIBTAP_API __attribute__((visibility("default")))

/* ------------------------------------------------------------- errors */

/**
 * struct tap_error - why something failed, for a person
 * @code: the -errno that the function returned, 0 if none was set
 * @text: one line without a final newline: the cause and the remedy
 */
struct tap_error {
	int code;
	char text[512];
};

/**
 * tap_error_set() - fill in an error
 * @err: where to, or NULL
 * @code: -errno
 * @fmt: as of printf(3); a text that is too long is cut
 *
 * Return: @code, so that a caller can write "return tap_error_set(...)".
 */
LIBTAP_API int tap_error_set(struct tap_error *err, int code, const char *fmt,
			     ...) __attribute__((format(printf, 3, 4)));

/* -------------------------------------------------------------- specs */

#define TAP_FIELD_NAME_LEN	64

/**
 * enum tap_format - how the value words of a field are printed
 * @TAP_FMT_AUTO: decimal if -4095 <= (s64)v <= 2^31 - 1, else 0x and hex
 * @TAP_FMT_U8: low 8 bits, unsigned decimal
 * @TAP_FMT_U16: low 16 bits, unsigned decimal
 * @TAP_FMT_U32: low 32 bits, unsigned decimal
 * @TAP_FMT_U64: unsigned decimal
 * @TAP_FMT_S8: low 8 bits, signed decimal
 * @TAP_FMT_S16: low 16 bits, signed decimal
 * @TAP_FMT_S32: low 32 bits, signed decimal
 * @TAP_FMT_S64: signed decimal
 * @TAP_FMT_X8: low 8 bits, 0x and hex
 * @TAP_FMT_X16: low 16 bits, 0x and hex
 * @TAP_FMT_X32: low 32 bits, 0x and hex
 * @TAP_FMT_X64: 0x and hex
 * @TAP_FMT_CHAR: low 8 bits as a character in single quotes
 * @TAP_FMT_COMM: 2 words, a string of at most 16 bytes, in double quotes
 * @TAP_FMT_DURATION: raw clock ticks, printed in a unit for people
 * @TAP_FMT_RETVAL: a return value whose type is not known: as AUTO, but what
 *	is negative as a 32-bit int (an int function leaves the upper half of
 *	the register undefined) and an errno is printed negative
 * @TAP_FMT_SYMBOL: a kernel address, printed as FUNC+0xOFF [MODULE]
 * @__TAP_FMT_MAX: number of formats; new ones are only ever appended, since
 *	trace files hold these numbers
 */
enum tap_format {
	TAP_FMT_AUTO		= 0,
	TAP_FMT_U8		= 1,
	TAP_FMT_U16		= 2,
	TAP_FMT_U32		= 3,
	TAP_FMT_U64		= 4,
	TAP_FMT_S8		= 5,
	TAP_FMT_S16		= 6,
	TAP_FMT_S32		= 7,
	TAP_FMT_S64		= 8,
	TAP_FMT_X8		= 9,
	TAP_FMT_X16		= 10,
	TAP_FMT_X32		= 11,
	TAP_FMT_X64		= 12,
	TAP_FMT_CHAR		= 13,
	TAP_FMT_COMM		= 14,
	TAP_FMT_DURATION	= 15,
	TAP_FMT_RETVAL		= 16,
	TAP_FMT_SYMBOL		= 17,
	__TAP_FMT_MAX,
};

/**
 * struct tap_field - a named value of a probe's record
 * @name: as printed, e.g. "dfd"; ends with 0
 * @format: how it is printed
 * @word: its first value word in the record, as tap_record.h counts them (the
 *	fetches of a call probe begin at %TAP_CALL_FETCHES)
 * @words: how many value words it has
 * @flags: TAP_FIELD_F_*
 *
 * The duration and the return value of a call need no field: the formatter
 * prints them for every call, unless a field covers their word.
 */
struct tap_field {
	char name[TAP_FIELD_NAME_LEN];
	enum tap_format format;
	__u16 word;
	__u16 words;
	__u32 flags;
};

/* Not printed as name=value; the tool's own fetch for the COMM column. */
#define TAP_FIELD_F_HIDDEN	(1U << 0)

/**
 * struct tap_spec - a probe that is wanted, from one -e argument
 * @type: event source
 * @flags: TAP_CREATE_F_*
 * @maxactive: as struct tap_create has it, 0 for the kernel's choice
 * @event: what is printed, e.g. "call:vfs_read"; allocated
 * @target: what the kernel is given, e.g. "vfs_read+0x10"; allocated; before
 *	tap_spec_expand() it may hold a glob
 * @ops: the program, tests before fetches; allocated
 * @nr_ops: number of @ops
 * @fields: what its fetches give, in the order of printing; allocated
 * @nr_fields: number of @fields
 */
struct tap_spec {
	enum tap_probe_type type;
	__u32 flags;
	__u32 maxactive;
	char *event;
	char *target;
	struct tap_op *ops;
	unsigned int nr_ops;
	struct tap_field *fields;
	unsigned int nr_fields;
};

struct tap_symbols;

/**
 * tap_spec_parse() - read one -e argument
 * @text: e.g. "call:do_sys_openat2 dfd=$arg1"
 * @spec: filled in on success; end it with tap_spec_free()
 * @err: the sentence on failure
 *
 * Does not look at the running kernel; a glob stays one.
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_spec_parse(const char *text, struct tap_spec *spec,
			      struct tap_error *err);

/**
 * tap_spec_expand() - find the targets of a spec in the running kernel
 * @syms: of tap_symbols_load()
 * @spec: a parsed spec, with or without a glob; not changed
 * @list: set to an allocated array; each entry is to be ended with
 *	tap_spec_free(), then the array with free()
 * @nr: set to its length, at least 1 on success
 * @err: the sentence on failure, with a near name if there is one
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_spec_expand(struct tap_symbols *syms,
			       const struct tap_spec *spec,
			       struct tap_spec **list, size_t *nr,
			       struct tap_error *err);

/**
 * tap_spec_free() - free what a spec holds, not the structure itself
 * @spec: may be NULL or all zero; is all zero afterwards
 */
LIBTAP_API void tap_spec_free(struct tap_spec *spec);

/**
 * tap_spec_test_tgid() - put a test for a process in front of the program
 * @spec: a parsed spec
 * @tgid: process id in the initial pid namespace
 *
 * Return: 0, -ENOMEM, or -E2BIG if the program is full.
 */
LIBTAP_API int tap_spec_test_tgid(struct tap_spec *spec, __u32 tgid);

/**
 * tap_spec_fetch_comm() - append the hidden fetch for the COMM column
 * @spec: a parsed spec; nothing is done if it has that field already
 *
 * Return: 0, -ENOMEM, or -E2BIG if the program is full.
 */
LIBTAP_API int tap_spec_fetch_comm(struct tap_spec *spec);

/* ------------------------------------------------------------ symbols */

/**
 * tap_symbols_load() - read the symbols of the running kernel
 * @err: the sentence on failure
 *
 * Return: the symbols, or NULL.
 */
LIBTAP_API struct tap_symbols *tap_symbols_load(struct tap_error *err);

/**
 * tap_symbols_free() - end them
 * @syms: may be NULL
 */
LIBTAP_API void tap_symbols_free(struct tap_symbols *syms);

/**
 * tap_symbols_lookup() - name an address
 * @syms: of tap_symbols_load()
 * @addr: kernel address
 * @buf: given "func+0x10 [mod]"; cut if it does not fit
 * @len: bytes at @buf
 *
 * Return: 0, or -ENOENT if no function covers it or addresses are hidden.
 */
LIBTAP_API int tap_symbols_lookup(const struct tap_symbols *syms, __u64 addr,
				  char *buf, size_t len);

/**
 * tap_symbols_each() - walk the functions in the order of their addresses
 * @syms: of tap_symbols_load()
 * @fn: called with each; a non-zero return ends the walk. @module is "" for
 *	vmlinux. Not called at all where addresses are hidden (all zero)
 * @arg: handed to @fn
 *
 * Return: 0, or what @fn returned.
 */
LIBTAP_API int tap_symbols_each(const struct tap_symbols *syms,
				int (*fn)(void *arg, __u64 addr,
					  const char *name,
					  const char *module),
				void *arg);

/* ------------------------------------------------------------ session */

struct tap_session;

/**
 * tap_session_open() - open the device: begin a session
 * @session: set on success; end it with tap_session_close()
 * @err: the sentence on failure
 *
 * Return: 0; -ENOENT or -ENXIO if the module is not loaded; -EPERM or -EACCES
 * without the privilege.
 */
LIBTAP_API int tap_session_open(struct tap_session **session,
				struct tap_error *err);

/**
 * tap_session_close() - end the session with its probes and rings
 * @session: may be NULL; no reader of it may be open any more
 */
LIBTAP_API void tap_session_close(struct tap_session *session);

/**
 * tap_session_fd() - its file descriptor, for poll(2) and mmap(2)
 * @session: an open session
 *
 * Return: the descriptor; it stays the session's.
 */
LIBTAP_API int tap_session_fd(const struct tap_session *session);

/**
 * tap_session_info() - TAP_IOC_INFO
 * @session: an open session
 * @info: filled in
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_session_info(struct tap_session *session,
				struct tap_info *info);

/**
 * tap_session_setup() - TAP_IOC_SETUP
 * @session: an open session
 * @ring_bytes: bytes of each CPU's ring, 0 for %TAP_DEFAULT_RING_BYTES
 * @watermark: bytes, 0 for the kernel's choice
 * @wake_ms: milliseconds, 0 for the kernel's choice
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_session_setup(struct tap_session *session, __u64 ring_bytes,
				 __u64 watermark, __u32 wake_ms);

/**
 * tap_session_create() - TAP_IOC_CREATE: make a probe, not yet enabled
 * @session: a session that is set up
 * @spec: what to make
 * @id: set to the id of the probe
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_session_create(struct tap_session *session,
				  const struct tap_spec *spec, __u32 *id);

/**
 * tap_session_enable() - TAP_IOC_ENABLE
 * @session: a session that is set up
 * @id: a probe of it, 0 for all
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_session_enable(struct tap_session *session, __u32 id);

/**
 * tap_session_disable() - TAP_IOC_DISABLE
 * @session: a session that is set up
 * @id: a probe of it, 0 for all
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_session_disable(struct tap_session *session, __u32 id);

/**
 * tap_session_delete() - TAP_IOC_DELETE
 * @session: a session that is set up
 * @id: a probe of it, 0 for all
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_session_delete(struct tap_session *session, __u32 id);

/**
 * tap_session_probe_info() - TAP_IOC_PROBE_INFO
 * @session: a session that is set up
 * @id: a probe of it
 * @info: filled in
 * @ops: room for its program, or NULL
 * @nr_ops: room at @ops
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_session_probe_info(struct tap_session *session, __u32 id,
				      struct tap_probe_info *info,
				      struct tap_op *ops, __u32 nr_ops);

/**
 * tap_session_stats() - TAP_IOC_STATS
 * @session: a session that is set up
 * @id: a probe of it
 * @stats: filled in, for the nmissed counts
 * @counters: room for @nr_cpus, by CPU number
 * @nr_cpus: at most tap_session_nr_rings()
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_session_stats(struct tap_session *session, __u32 id,
				 struct tap_stats *stats,
				 struct tap_counters *counters, __u32 nr_cpus);

/**
 * tap_session_flush() - TAP_IOC_FLUSH
 * @session: a session that is set up
 * @pending: set to the losses for which a ring has no room yet
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_session_flush(struct tap_session *session, __u64 *pending);

/**
 * tap_session_time() - TAP_IOC_TIME
 * @session: a session that is set up
 * @time: filled in
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_session_time(struct tap_session *session,
				struct tap_time *time);

/**
 * tap_session_nr_rings() - how many CPU numbers the session has rings for
 * @session: an open session
 *
 * Return: the number, 0 before tap_session_setup().
 */
LIBTAP_API unsigned int tap_session_nr_rings(const struct tap_session *session);

/**
 * tap_explain() - make a sentence of what a command returned
 * @err: where to
 * @command: TAP_IOC_*
 * @code: -errno that it returned
 * @spec: the probe that it was about, or NULL
 *
 * Return: @code.
 */
LIBTAP_API int tap_explain(struct tap_error *err, unsigned int command,
			   int code, const struct tap_spec *spec);

/**
 * tap_explain_ring_bytes() - check a ring size before the kernel is asked
 * @err: the sentence on failure, with the valid range
 * @ring_bytes: bytes of each CPU's ring
 *
 * Return: 0, or -EINVAL.
 */
LIBTAP_API int tap_explain_ring_bytes(struct tap_error *err,
				      __u64 ring_bytes);

/* -------------------------------------------------------------- clock */

/**
 * struct tap_timebase - from raw ticks to nanoseconds
 * @clock: enum tap_clock
 * @shift: see @mult; at most 63
 * @mult: nanoseconds = ticks * @mult >> @shift
 * @raw: raw clock at the reference moment
 * @mono: CLOCK_MONOTONIC at that moment, nanoseconds
 * @real: CLOCK_REALTIME at that moment, nanoseconds
 */
struct tap_timebase {
	__u32 clock;
	__u32 shift;
	__u64 mult;
	__u64 raw;
	__u64 mono;
	__u64 real;
};

/**
 * tap_timebase_init() - take the conversion that the kernel gives
 * @tb: filled in
 * @meta: a meta page
 *
 * Return: 0, or -EBADMSG if its numbers make no sense.
 */
LIBTAP_API int tap_timebase_init(struct tap_timebase *tb,
				 const struct tap_meta *meta);

/**
 * tap_timebase_calibrate() - take the rate from two samples
 * @tb: a valid timebase; on failure it is left as it was
 * @begin: the earlier sample
 * @end: the later sample
 *
 * Return: 0; -ERANGE if the samples are too near or do not fit to @tb (more
 * than one per mille off the rate it has).
 */
LIBTAP_API int tap_timebase_calibrate(struct tap_timebase *tb,
				      const struct tap_time *begin,
				      const struct tap_time *end);

/**
 * tap_timebase_ns() - how long some ticks are
 * @tb: a valid timebase
 * @ticks: raw ticks
 *
 * Return: nanoseconds, at most UINT64_MAX.
 */
LIBTAP_API __u64 tap_timebase_ns(const struct tap_timebase *tb, __u64 ticks);

/**
 * tap_timebase_mono() - when a raw time was, by CLOCK_MONOTONIC
 * @tb: a valid timebase
 * @raw: raw clock
 *
 * Return: nanoseconds since boot, 0 if it was before.
 */
LIBTAP_API __u64 tap_timebase_mono(const struct tap_timebase *tb, __u64 raw);

/**
 * tap_timebase_ticks() - how many ticks some time is
 * @tb: a valid timebase
 * @ns: nanoseconds
 *
 * Return: raw ticks, rounded up, at most UINT64_MAX.
 */
LIBTAP_API __u64 tap_timebase_ticks(const struct tap_timebase *tb, __u64 ns);

/**
 * tap_timebase_now() - read the clock of the session
 * @tb: a valid timebase
 *
 * Return: raw ticks now.
 */
LIBTAP_API __u64 tap_timebase_now(const struct tap_timebase *tb);

/* ------------------------------------------------------------- probes */

/**
 * struct tap_probe - a probe that exists, or did when a file was recorded
 * @id: as in records
 * @slots: slots of one of its records
 * @words: value words of one of its records
 * @address: where it sits, 0 if not known
 * @comm_word: first of the two words for the COMM column, -1 if none
 * @spec: what it is; owned by the table
 */
struct tap_probe {
	__u32 id;
	__u32 slots;
	__u32 words;
	__u32 __reserved;
	__u64 address;
	int comm_word;
	struct tap_spec spec;
};

/**
 * struct tap_probes - the probe table
 * @list: the probes, in the order of their ids
 * @nr: how many
 * @by_id: index into @list plus one, by id; 0 where there is none
 * @nr_ids: entries of @by_id
 */
struct tap_probes {
	struct tap_probe *list;
	size_t nr;
	__u32 *by_id;
	size_t nr_ids;
};

/**
 * tap_probes_add() - append a probe
 * @probes: the table; all zero is an empty one
 * @probe: copied, with its spec taken over on success (the caller's is all
 *	zero then); its fields must lie inside its words, its words in its slots
 *
 * Return: 0, -ENOMEM, -EEXIST, or -EBADMSG if the layout makes no sense.
 */
LIBTAP_API int tap_probes_add(struct tap_probes *probes,
			      struct tap_probe *probe);

/**
 * tap_probes_free() - free all of the table
 * @probes: is all zero afterwards
 */
LIBTAP_API void tap_probes_free(struct tap_probes *probes);

/**
 * tap_probes_find() - the probe with an id
 * @probes: the table
 * @id: as in a record
 *
 * Return: the probe or NULL.
 */
LIBTAP_API const struct tap_probe *
tap_probes_find(const struct tap_probes *probes, __u32 id);

/**
 * tap_probe_create() - create a probe in a session and put it in the table
 * @probes: the table
 * @session: a session that is set up
 * @spec: what to make; taken over on success
 * @err: the sentence on failure
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_probe_create(struct tap_probes *probes,
				struct tap_session *session,
				struct tap_spec *spec, struct tap_error *err);

/* ------------------------------------------------------------- events */

/**
 * struct tap_event - a record, where it lies
 * @rec: its first slot
 * @probe: set by tap_decode(); NULL for a gap record
 * @data: the memory @pos counts in
 * @pos: where the record begins
 * @mask: applied to each position, so that a ring wraps; ~0 in plain memory
 * @time: raw clock, of @rec
 * @cpu: number of the ring
 * @slots: how many slots were found to be there and whole
 *
 * Valid until the next call to the reader that gave it.
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
};

/**
 * tap_event_word() - a value word of an event
 * @ev: an event
 * @i: number of the word, as tap_record.h counts
 *
 * Finds the word also where the record goes on at the begin of the ring.
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
 * tap_decode() - find the probe of an event and check the event against it
 * @probes: the table
 * @ev: an event of a reader; @ev->probe is set
 *
 * Return: 0; -ENOENT if the table has no such probe; -EBADMSG if the record
 * is not as the probe's layout says; -EOPNOTSUPP if its kind is not known.
 */
LIBTAP_API int tap_decode(const struct tap_probes *probes,
			  struct tap_event *ev);

/* ------------------------------------------------------------- reader */

struct tap_reader;

/**
 * tap_reader_open() - map the rings of a session
 * @reader: set on success; end it with tap_reader_close()
 * @session: a session that is set up; must stay open longer than the reader.
 *	A session has one reader at a time, since a ring has one tail.
 * @err: the sentence on failure
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
 * tap_reader_poll() - wait until something is unread
 * @reader: an open reader
 * @timeout_ms: as of poll(2)
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
 * An event is given only when no CPU can deliver an earlier one any more, so
 * events of the last millisecond are held back until tap_reader_drain().
 * A call that returns 0 gave all consumed memory back to the kernel.
 *
 * Return: 1 with an event; 0 if there is none for now.
 */
LIBTAP_API int tap_reader_next(struct tap_reader *reader,
			       struct tap_event *ev);

/**
 * tap_reader_held() - whether events were held back by tap_reader_next()
 * @reader: an open reader
 *
 * Return: true if there are events that can be given within a millisecond: so
 * it pays to look again soon instead of waiting for poll(2).
 */
LIBTAP_API bool tap_reader_held(const struct tap_reader *reader);

/**
 * tap_reader_drain() - from now on hold nothing back
 * @reader: an open reader whose probes are all disabled
 * @on: true to begin, false to go back to live reading
 */
LIBTAP_API void tap_reader_drain(struct tap_reader *reader, bool on);

/**
 * struct tap_reader_counts - what a reader saw
 * @events: events given
 * @gaps: gap records given
 * @lost: sum of the losses that they told of
 * @skipped: bytes passed over because they were no record; 0 unless something
 *	is broken
 * @stalled: times that a record was reserved and not committed within a
 *	bounded wait, so that the reader went on without it
 * @disordered: events given after a later one: of a writer that was held up
 *	for longer than the reader waits
 */
struct tap_reader_counts {
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
 * @counts: filled in
 */
LIBTAP_API void tap_reader_counts(const struct tap_reader *reader,
				  struct tap_reader_counts *counts);

/**
 * tap_reader_chunk() - committed bytes of one CPU, for who wants them raw
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
 * tap_reader_release() - give bytes back to the kernel
 * @reader: an open reader
 * @cpu: number of a ring
 * @len: how many, at most what tap_reader_chunk() gave; whole slots
 *
 * Return: 0, or -EINVAL.
 */
LIBTAP_API int tap_reader_release(struct tap_reader *reader, unsigned int cpu,
				  size_t len);

/* ---------------------------------------------------------- formatter */

struct tap_formatter;

/**
 * struct tap_formatter_opts - how to print
 * @size: sizeof(struct tap_formatter_opts)
 * @fd: where tap_formatter_flush() writes
 * @json: one JSON object a line instead of text
 * @color: escape sequences of a terminal
 * @timebase: of the records; copied
 * @probes: the table; must stay
 * @resolve: names a kernel address for %TAP_FMT_SYMBOL as
 *	tap_symbols_lookup() does; may be NULL
 * @resolve_arg: handed to @resolve
 */
struct tap_formatter_opts {
	size_t size;
	int fd;
	bool json;
	bool color;
	const struct tap_timebase *timebase;
	const struct tap_probes *probes;
	int (*resolve)(const void *arg, __u64 addr, char *buf, size_t len);
	const void *resolve_arg;
};

/**
 * tap_formatter_open() - make a formatter
 * @fmt: set on success; end it with tap_formatter_close()
 * @opts: how
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
LIBTAP_API int tap_formatter_open(struct tap_formatter **fmt,
				  const struct tap_formatter_opts *opts);

/**
 * tap_formatter_close() - end it; what was not flushed is lost
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

/**
 * tap_formatter_flush() - write what is in the buffer
 * @fmt: a formatter
 *
 * Return: 0 or -errno of a write.
 */
LIBTAP_API int tap_formatter_flush(struct tap_formatter *fmt);

/* -------------------------------------------------------- trace files */

struct tap_file_writer;
struct tap_file_reader;

/**
 * struct tap_file_info - about a recording
 * @sysname: of uname(2)
 * @release: of uname(2)
 * @version: of uname(2)
 * @machine: of uname(2)
 * @nodename: of uname(2)
 * @command: the command line that recorded
 * @tool: version of the tool that recorded
 * @date: CLOCK_REALTIME of the recording's begin, seconds
 * @nr_cpus: CPUs that were online
 * @page_size: bytes
 */
struct tap_file_info {
	char sysname[65];
	char release[65];
	char version[65];
	char machine[65];
	char nodename[65];
	char command[1024];
	char tool[32];
	__u64 date;
	__u32 nr_cpus;
	__u32 page_size;
};

/**
 * struct tap_file_stats - what became of one probe's hits
 * @id: of the probe
 * @state: enum tap_probe_state at the end
 * @nmissed: see struct tap_stats
 * @nmissed_return: see struct tap_stats
 * @counters: by CPU number
 * @nr_cpus: number of @counters
 */
struct tap_file_stats {
	__u32 id;
	__u32 state;
	__u64 nmissed;
	__u64 nmissed_return;
	const struct tap_counters *counters;
	__u32 nr_cpus;
};

/**
 * tap_file_create() - begin a trace file
 * @writer: set on success; end it with tap_file_finish() or tap_file_abort()
 * @path: of the file; one that is there is replaced
 * @info: about the recording
 * @meta: of the reader
 * @probes: the table
 * @syms: symbols to put in, or NULL
 * @err: the sentence on failure
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_file_create(struct tap_file_writer **writer,
			       const char *path,
			       const struct tap_file_info *info,
			       const struct tap_meta *meta,
			       const struct tap_probes *probes,
			       const struct tap_symbols *syms,
			       struct tap_error *err);

/**
 * tap_file_data() - append raw ring data
 * @writer: a file
 * @cpu: number of the ring
 * @pos: position of the first byte in the ring's stream
 * @data: whole slots
 * @len: bytes
 *
 * Return: 0 or -errno of a write.
 */
LIBTAP_API int tap_file_data(struct tap_file_writer *writer, __u32 cpu,
			     __u64 pos, const void *data, size_t len);

/**
 * tap_file_time() - append a clock sample
 * @writer: a file
 * @time: of tap_session_time()
 *
 * Return: 0 or -errno of a write.
 */
LIBTAP_API int tap_file_time(struct tap_file_writer *writer,
			     const struct tap_time *time);

/**
 * tap_file_stats() - append the counters of a probe
 * @writer: a file
 * @stats: the counters
 *
 * Return: 0 or -errno of a write.
 */
LIBTAP_API int tap_file_stats(struct tap_file_writer *writer,
			      const struct tap_file_stats *stats);

/**
 * tap_file_bytes() - how much was written so far
 * @writer: a file
 *
 * Return: bytes.
 */
LIBTAP_API __u64 tap_file_bytes(const struct tap_file_writer *writer);

/**
 * tap_file_finish() - append the end mark and close
 * @writer: a file; gone afterwards, whatever is returned
 *
 * Return: 0 or -errno of a write.
 */
LIBTAP_API int tap_file_finish(struct tap_file_writer *writer);

/**
 * tap_file_abort() - close without an end mark, as if the recording was cut
 * @writer: a file, gone afterwards; may be NULL
 */
LIBTAP_API void tap_file_abort(struct tap_file_writer *writer);

/**
 * tap_file_open() - open a trace file
 * @file: set on success; end it with tap_file_close()
 * @path: of the file
 * @err: the sentence on failure
 *
 * A file that was cut is opened with what is whole; tap_file_cut() tells.
 *
 * Return: 0; -EBADMSG if it is no trace file or is damaged; -EPROTO if its
 * version is not known; or another -errno.
 */
LIBTAP_API int tap_file_open(struct tap_file_reader **file, const char *path,
			     struct tap_error *err);

/**
 * tap_file_close() - end it
 * @file: may be NULL
 */
LIBTAP_API void tap_file_close(struct tap_file_reader *file);

/**
 * tap_file_cut() - whether the file ends before the recording did
 * @file: an open file
 *
 * Return: NULL if it is whole, else a sentence that says where it ends.
 */
LIBTAP_API const char *tap_file_cut(const struct tap_file_reader *file);

/**
 * tap_file_info() - about the recording
 * @file: an open file
 *
 * Return: valid as long as the file is open.
 */
LIBTAP_API const struct tap_file_info *
tap_file_info(const struct tap_file_reader *file);

/**
 * tap_file_timebase() - its clock, calibrated if the file has two samples
 * @file: an open file
 *
 * Return: valid as long as the file is open.
 */
LIBTAP_API const struct tap_timebase *
tap_file_timebase(const struct tap_file_reader *file);

/**
 * tap_file_probes() - its probe table
 * @file: an open file
 *
 * Return: valid as long as the file is open.
 */
LIBTAP_API const struct tap_probes *
tap_file_probes(const struct tap_file_reader *file);

/**
 * tap_file_get_stats() - its counters of a probe
 * @file: an open file
 * @id: of the probe
 * @stats: filled in, valid as long as the file is open
 *
 * Return: 0, or -ENOENT if the file has none.
 */
LIBTAP_API int tap_file_get_stats(const struct tap_file_reader *file, __u32 id,
				  struct tap_file_stats *stats);

/**
 * tap_file_lookup() - name an address by the symbols in the file
 * @file: an open file
 * @addr: kernel address
 * @buf: given "func+0x10 [mod]"; cut if it does not fit
 * @len: bytes at @buf
 *
 * Return: 0, or -ENOENT.
 */
LIBTAP_API int tap_file_lookup(const struct tap_file_reader *file, __u64 addr,
			       char *buf, size_t len);

/**
 * tap_file_next() - the next event over all CPUs, by time
 * @file: an open file
 * @ev: filled in; valid as long as the file is open
 *
 * Return: 1 with an event; 0 at the end.
 */
LIBTAP_API int tap_file_next(struct tap_file_reader *file,
			     struct tap_event *ev);

/**
 * tap_file_counts() - what tap_file_next() saw so far
 * @file: an open file
 * @counts: filled in
 */
LIBTAP_API void tap_file_counts(const struct tap_file_reader *file,
				struct tap_reader_counts *counts);

/**
 * tap_version() - the version of the library
 *
 * Return: e.g. "0.1.0".
 */
LIBTAP_API const char *tap_version(void);

#ifdef __cplusplus
}
#endif

#endif /* _LIBTAP_H */
