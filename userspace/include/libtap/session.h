/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Sessions, their clock and their probes. Included by libtap.h, which has the conventions.
 */
#ifndef _LIBTAP_SESSION_H
#define _LIBTAP_SESSION_H

#include <libtap/error.h>
#include <libtap/spec.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tap_session;

/**
 * tap_session_open() - open the device, which makes a session
 * @session: set on success; end it with tap_session_close()
 * @err: an error message on failure
 *
 * Return: 0; -ENOENT or -ENXIO if the module is not loaded; -EPERM or -EACCES
 * without the privilege.
 */
LIBTAP_API int tap_session_open(struct tap_session **session,
				struct tap_error *err);

/**
 * tap_session_close() - end the session with its probes and rings
 * @session: may be NULL; its reader must be closed before
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
 * tap_session_pmu() - TAP_IOC_PMU: give the session counters
 * @session: a session that is set up, without counters
 * @events: the counters; tap_perf_parse() makes them from names
 * @nr: number of @events
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_session_pmu(struct tap_session *session,
			       const struct tap_perf *events, __u32 nr);

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
 * tap_session_count() - TAP_IOC_COUNT: read a probe that counts
 * @session: a session that is set up
 * @id: a probe of it of the type %TAP_PROBE_COUNT
 * @counts: room for @nr, by CPU number; for a probe of a task a single one
 * @nr: at most tap_session_nr_rings()
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_session_count(struct tap_session *session, __u32 id,
				 struct tap_count *counts, __u32 nr);

/**
 * tap_session_read() - TAP_IOC_READ: read a part of an aggregation
 * @session: a session that is set up
 * @id: a probe of it that aggregates
 * @cpu: the CPU whose table is read, below tap_session_nr_rings()
 * @from: 0 at the start, then @out_next of the previous @read
 * @words: given the entries
 * @nr_words: room at @words
 * @read: filled in
 *
 * tap_aggregation_read() reads all of it.
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_session_read(struct tap_session *session, __u32 id,
				__u32 cpu, __u32 from, __u64 *words,
				__u32 nr_words, struct tap_read *read);

/**
 * tap_session_mark() - TAP_IOC_MARK: write a marker into the stream
 * @session: an open session; it needs to be set up only to have a probe of its own
 * @id: a probe of it of the type %TAP_PROBE_MARK; 0: the mark probes of all sessions
 *	whose target is "mark"
 * @data: the marker
 * @len: bytes of @data, 1 to %TAP_MARK_BYTES
 * @heard: set to how many probes recorded or counted it; may be NULL
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_session_mark(struct tap_session *session, __u32 id,
				const void *data, __u32 len, __u32 *heard);

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
 * tap_explain() - make an error message from the error of a command
 * @err: filled in
 * @command: TAP_IOC_*
 * @code: -errno that it returned
 * @spec: the probe that the command was for, or NULL
 *
 * Return: @code.
 */
LIBTAP_API int tap_explain(struct tap_error *err, unsigned int command,
			   int code, const struct tap_spec *spec);

/**
 * tap_explain_ring_bytes() - check a ring size before the kernel is asked
 * @err: an error message on failure, with the valid range
 * @ring_bytes: bytes of each CPU's ring
 *
 * Return: 0, or -EINVAL.
 */
LIBTAP_API int tap_explain_ring_bytes(struct tap_error *err,
				      __u64 ring_bytes);

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
 * Return: 0, or -EBADMSG if the numbers of @meta are not valid.
 */
LIBTAP_API int tap_timebase_init(struct tap_timebase *tb,
				 const struct tap_meta *meta);

/**
 * tap_timebase_calibrate() - take the rate from two samples
 * @tb: a valid timebase; on failure it is left as it was
 * @begin: the earlier sample
 * @end: the later sample
 *
 * Return: 0; -ERANGE if the samples are too close together, or give a rate that
 * differs from that of @tb by more than one per mille.
 */
LIBTAP_API int tap_timebase_calibrate(struct tap_timebase *tb,
				      const struct tap_time *begin,
				      const struct tap_time *end);

/**
 * tap_timebase_ns() - convert ticks to nanoseconds
 * @tb: a valid timebase
 * @ticks: raw ticks
 *
 * Return: nanoseconds, at most UINT64_MAX.
 */
LIBTAP_API __u64 tap_timebase_ns(const struct tap_timebase *tb, __u64 ticks);

/**
 * tap_timebase_mono() - convert a raw time to CLOCK_MONOTONIC
 * @tb: a valid timebase
 * @raw: raw clock
 *
 * Return: nanoseconds since boot, 0 if it was before.
 */
LIBTAP_API __u64 tap_timebase_mono(const struct tap_timebase *tb, __u64 raw);

/**
 * tap_timebase_ticks() - convert nanoseconds to ticks
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

/**
 * struct tap_probe - a probe that exists, or did when a file was recorded
 * @id: as in records
 * @slots: slots of one of its records
 * @words: value words of one of its records
 * @__reserved: zero
 * @address: kernel address of the probe, 0 if not known
 * @comm_word: first of the two words for the COMM column, -1 if none
 * @absent_word: the word of %TAP_FIELD_F_ABSENT, -1 if none
 * @entry_absent_word: the same in a funcgraph's record of an entry
 * @frame_word: the word that has the stack pointer at the entry, -1 if none
 * @spec: what it is; owned by the table
 */
struct tap_probe {
	__u32 id;
	__u32 slots;
	__u32 words;
	__u32 __reserved;
	__u64 address;
	int comm_word;
	int absent_word;
	int entry_absent_word;
	int frame_word;
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
 * @err: an error message on failure
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_probe_create(struct tap_probes *probes,
				struct tap_session *session,
				struct tap_spec *spec, struct tap_error *err);

#ifdef __cplusplus
}
#endif

#endif /* _LIBTAP_SESSION_H */
