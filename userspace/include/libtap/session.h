/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Sessions and their clock. Included by libtap.h, which has the conventions.
 *
 * The structures of <linux/tap.h> that these functions fill have the size that they have in
 * this header's release. Members that the kernel's interface gets later are not filled.
 */
#ifndef _LIBTAP_SESSION_H
#define _LIBTAP_SESSION_H

#include <libtap/error.h>
#include <libtap/spec.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct tap_session - an open device with its probes and rings
 *
 * All of it ends with the process at the latest. Threads may call tap_session_mark() at the
 * same time as any other function of the same session.
 */
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
 * tap_session_info() - TAP_IOC_INFO: what the module and the machine can do
 * @session: an open session
 * @info: filled in, @size included
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_session_info(struct tap_session *session,
				struct tap_info *info);

/**
 * tap_default_ring_bytes() - bytes of each CPU's ring, if the caller gives no size
 *
 * The rings of the CPUs that are online take at most a 64th of the machine's memory and 256
 * MiB together, but each has 64 KiB at least and %TAP_DEFAULT_RING_BYTES at most.
 *
 * Return: a power of two.
 */
LIBTAP_API __u64 tap_default_ring_bytes(void);

/**
 * enum tap_session_clock - how the times of records are read
 * @TAP_SESSION_CLOCK_RAW: the counter of the CPU, in the fastest way; see @time of struct
 *	tap_record for the order across CPUs
 * @TAP_SESSION_CLOCK_ORDERED: the same counter, read after all earlier loads
 * @TAP_SESSION_CLOCK_MONO: the kernel's monotonic clock
 *
 * If the machine has no stable counter, all three are the kernel's monotonic clock: @clock
 * of tap_reader_meta() says which clock it is.
 */
enum tap_session_clock {
	TAP_SESSION_CLOCK_RAW		= 0,
	TAP_SESSION_CLOCK_ORDERED	= 1,
	TAP_SESSION_CLOCK_MONO		= 2,
};

/**
 * struct tap_session_opts - how a session is set up
 * @size: sizeof(struct tap_session_opts)
 * @ring_bytes: bytes of each CPU's ring, a power of two from %TAP_MIN_RING_BYTES (and a page)
 *	to %TAP_MAX_RING_BYTES; 0: tap_default_ring_bytes()
 * @watermark: unread bytes of a ring at which a sleeping reader is woken, a power of two;
 *	0: a quarter of @ring_bytes
 * @wake_ms: milliseconds after which it is woken with fewer bytes, at most
 *	%TAP_MAX_WAKE_MS; 0: %TAP_DEFAULT_WAKE_MS
 * @clock: enum tap_session_clock
 * @overwrite: not 0: two sets of rings of @ring_bytes each, in which new records go over old
 *	ones; @watermark is 0. See tap_session_window()
 * @panic: how many of the last records of all CPUs together the kernel prints to its log when it
 *	panics, at most %TAP_MAX_PANIC; see struct tap_setup
 */
struct tap_session_opts {
	size_t size;
	__u64 ring_bytes;
	__u64 watermark;
	__u32 wake_ms;
	__u32 clock;
	__u32 overwrite;
	__u32 panic;
};

/**
 * tap_session_setup() - TAP_IOC_SETUP: allocate the rings
 * @session: an open session, not set up yet
 * @opts: how; NULL for the defaults
 * @err: an error message on failure
 *
 * Return: 0; -E2BIG if @opts is of a later version of the library; or another -errno.
 */
LIBTAP_API int tap_session_setup(struct tap_session *session,
				 const struct tap_session_opts *opts,
				 struct tap_error *err);

/**
 * tap_session_create() - TAP_IOC_CREATE: make a probe, not yet enabled
 * @session: a session that is set up
 * @spec: of tap_spec_expand() or tap_spec_new_counter(); stays the caller's
 * @id: set to the id of the probe
 *
 * For a probe without records. tap_probe_create() also puts it in a probe table, which
 * decoding needs.
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_session_create(struct tap_session *session,
				  const struct tap_spec *spec, __u32 *id);

/**
 * tap_session_tasks() - TAP_IOC_TASKS: give the session a table of tasks
 * @session: a session that is set up, without a table
 * @flags: TAP_TASKS_F_*, of all tap_spec_tasks() of its probes together
 * @sources: set to TAP_SOURCE_*; may be NULL
 *
 * tap_session_create() does so for the first probe that needs one.
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_session_tasks(struct tap_session *session, __u32 flags, __u32 *sources);

/**
 * tap_session_tasks_read() - TAP_IOC_TASKS_READ: what the table could not take
 * @session: a session that is set up
 * @read: filled in
 *
 * Return: 0; -ENODATA: the session has no table; or another -errno.
 */
LIBTAP_API int tap_session_tasks_read(struct tap_session *session, struct tap_tasks_read *read);

/**
 * tap_session_window() - TAP_IOC_WINDOW: take a set of rings, or give it back
 * @session: a session that was set up with @overwrite
 * @flags: %TAP_WINDOW_F_TAKE or %TAP_WINDOW_F_GIVE
 * @after: with %TAP_WINDOW_F_GIVE: ticks that a window lasts after its trigger; else 0
 * @window: filled in
 *
 * tap_reader_open_set() reads what was taken.
 *
 * Return: 0; -EBUSY if a set is out already; or another -errno.
 */
LIBTAP_API int tap_session_window(struct tap_session *session, __u32 flags, __u64 after,
				  struct tap_window *window);

/**
 * tap_session_set_gate() - TAP_IOC_GATE: set the gate of the session
 * @session: a session that is set up
 * @closed: an event of %TAP_GATE_OPEN opens it; else it is open
 * @limit: events that it lets through, then it ends; 0: all
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_session_set_gate(struct tap_session *session, bool closed, __u64 limit);

/**
 * tap_session_gate() - TAP_IOC_GATE: read the gate of the session
 * @session: a session that is set up
 * @gate: filled in
 *
 * tap_session_fd() is readable once the gate has ended.
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_session_gate(struct tap_session *session, struct tap_gate *gate);

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
 * tap_session_enable() - TAP_IOC_ENABLE: let probes fire
 * @session: a session that is set up
 * @id: a probe of it, 0 for all
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_session_enable(struct tap_session *session, __u32 id);

/**
 * tap_session_watch() - TAP_IOC_ENABLE: give a watchpoint its address, and enable it
 * @session: a session that is set up
 * @id: a probe of it whose spec has a tap_spec_armed_by(), without an address so far
 * @address: of the kernel
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_session_watch(struct tap_session *session, __u32 id, __u64 address);

/**
 * tap_session_disable() - TAP_IOC_DISABLE: stop probes
 * @session: a session that is set up
 * @id: a probe of it, 0 for all
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_session_disable(struct tap_session *session, __u32 id);

/**
 * tap_session_delete() - TAP_IOC_DELETE: remove probes
 * @session: a session that is set up
 * @id: a probe of it, 0 for all
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_session_delete(struct tap_session *session, __u32 id);

/**
 * tap_session_probe_info() - TAP_IOC_PROBE_INFO: what the kernel made of a probe
 * @session: a session that is set up
 * @id: a probe of it
 * @info: filled in, @size included
 * @ops: room for its program, or NULL
 * @nr_ops: elements that fit at @ops
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_session_probe_info(struct tap_session *session, __u32 id,
				      struct tap_probe_info *info,
				      struct tap_op *ops, __u32 nr_ops);

/**
 * tap_session_stats() - TAP_IOC_STATS: read the counters of a probe
 * @session: a session that is set up
 * @id: a probe of it
 * @stats: filled in, for the nmissed counts
 * @counters: room for @nr_cpus elements; set to the counters by CPU number
 * @nr_cpus: at most tap_session_nr_rings()
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_session_stats(struct tap_session *session, __u32 id,
				 struct tap_stats *stats,
				 struct tap_counters *counters, __u32 nr_cpus);

/**
 * tap_counters_add() - add the counters of a CPU to a sum
 * @sum: the sum
 * @c: what is added
 */
static inline void tap_counters_add(struct tap_counters *sum,
				    const struct tap_counters *c)
{
	sum->hits += c->hits;
	sum->written += c->written;
	sum->filtered += c->filtered;
	sum->aggregated += c->aggregated;
	sum->lost_full += c->lost_full;
	sum->lost_nested += c->lost_nested;
	sum->lost_fault += c->lost_fault;
	sum->throttled += c->throttled;
	sum->entered += c->entered;
}

/**
 * tap_counters_balanced() - whether each event of a CPU has one result
 * @c: counters of a disabled probe on one CPU
 *
 * Return: whether the hits are the sum of the other counts, but for @entered.
 */
static inline bool tap_counters_balanced(const struct tap_counters *c)
{
	return c->hits == c->written + c->filtered + c->aggregated +
			  c->lost_full + c->lost_nested + c->lost_fault +
			  c->throttled;
}

/**
 * tap_session_totals() - the counters of a probe, all CPUs added up
 * @session: a session that is set up
 * @id: a probe of it
 * @total: set to the sums; @hits is how often the event fired
 *
 * Return: 0, -ENOMEM or another -errno of %TAP_IOC_STATS.
 */
LIBTAP_API int tap_session_totals(struct tap_session *session, __u32 id,
				  struct tap_counters *total);

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
 * @index: which of its aggregations, from 0
 * @cpu: the CPU whose table is read, below tap_session_nr_rings()
 * @from: 0 at the start, then @out_next of the previous @read
 * @words: given the entries
 * @nr_words: room at @words
 * @read: filled in, @size included
 *
 * tap_aggregation_read() reads all of it.
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_session_read(struct tap_session *session, __u32 id,
				__u32 index, __u32 cpu, __u32 from, __u64 *words,
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
 * tap_session_follow() - TAP_IOC_FOLLOW: follow a process and what it starts from now on
 * @session: an open session
 * @pid: a process; tap_spec_test() with %TAP_VAR_FOLLOWED confines a probe to what is followed
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_session_follow(struct tap_session *session, __u32 pid);

/**
 * tap_session_flush() - TAP_IOC_FLUSH: write the gap records that are due
 * @session: a session that is set up
 * @pending: set to the losses for which a ring has no room yet
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_session_flush(struct tap_session *session, __u64 *pending);

/**
 * tap_session_span() - TAP_IOC_SPAN: read the counts of a span and what is open
 * @session: a session that is set up
 * @read: its @id, @words, @nr_words and @from say what is asked for; the rest is filled in, @size
 *	included
 *
 * tap_spec_open_field() says what the words of an entry are.
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_session_span(struct tap_session *session,
				struct tap_span_read *read);

/**
 * tap_session_stack() - a stack of the session's table of stacks
 * @session: a struct tap_session; the type is that of @stack in struct tap_formatter_opts
 * @id: its id
 *
 * Return: a word of TAP_TEXT_* and the frames, valid as long as @session; NULL if there is no such
 * stack, if it found no room, or without memory.
 */
LIBTAP_API const __u64 *tap_session_stack(void *session, __u64 id);

/**
 * tap_session_time() - TAP_IOC_TIME: read the session's clock and the others at one moment
 * @session: a session that is set up
 * @time: filled in, @size included
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
 * tap_explain_target() - tap_explain() for what has no spec
 * @err: filled in
 * @command: TAP_IOC_*
 * @code: -errno that it returned
 * @target: what the error message is about
 *
 * Return: @code.
 */
LIBTAP_API int tap_explain_target(struct tap_error *err, unsigned int command,
				  int code, const char *target);

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
 *
 * The size of this structure is fixed. It holds no reference: copy it freely.
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

#ifdef __cplusplus
}
#endif

#endif /* _LIBTAP_SESSION_H */
