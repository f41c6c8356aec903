/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Specs: events in the event language, before they are probes. Included by libtap.h, which has
 * the conventions.
 */
#ifndef _LIBTAP_SPEC_H
#define _LIBTAP_SPEC_H

#include <libtap/field.h>
#include <libtap/symbols.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct tap_spec - an event that is wanted, e.g. one -e argument of tap
 *
 * tap_spec_parse() makes a spec from a text. The text may stand for many probes: "call:vfs_*".
 * tap_spec_expand() makes a spec for each of them. tap_probe_create() makes a probe from
 * such a spec; tap_probes_create() does both steps.
 */
struct tap_spec;

/**
 * tap_spec_parse() - parse an event
 * @text: an event as -e of tap takes it, e.g. "call:do_sys_openat2 dfd=$arg1" or
 *	"w=kprobe:vfs_write"
 * @spec: set on success; end it with tap_spec_free()
 * @err: an error message on failure
 *
 * Does not look at the running kernel; a glob stays one.
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_spec_parse(const char *text, struct tap_spec **spec,
			      struct tap_error *err);

/**
 * tap_spec_name_len() - how much of the text of an event is its name
 * @text: as for tap_spec_parse(), without blanks in front
 *
 * Return: bytes of "NAME=", the = included; 0 if the event has no name.
 */
LIBTAP_API size_t tap_spec_name_len(const char *text);

/**
 * tap_spec_new_counter() - make the spec of a probe of the type %TAP_PROBE_COUNT
 * @spec: set on success; end it with tap_spec_free()
 * @name: target of the probe, for error messages and TAP_IOC_PROBE_INFO; cut to
 *	%TAP_MAX_TARGET - 1 bytes
 * @perf: the counter, e.g. of tap_perf_parse(); copied
 * @pid: the thread in which it counts; 0: on all CPUs
 *
 * Such a probe writes no records: read it with tap_session_count().
 *
 * Return: 0 or -ENOMEM.
 */
LIBTAP_API int tap_spec_new_counter(struct tap_spec **spec, const char *name,
				    const struct tap_perf *perf, __u32 pid);

/**
 * tap_spec_free() - free a spec
 * @spec: may be NULL
 */
LIBTAP_API void tap_spec_free(struct tap_spec *spec);

/**
 * tap_spec_type() - the event source
 * @spec: a spec
 *
 * Return: the type, as TAP_IOC_CREATE has it.
 */
LIBTAP_API enum tap_probe_type tap_spec_type(const struct tap_spec *spec);

/**
 * tap_spec_event() - the name that is printed for the event
 * @spec: a spec
 *
 * Return: tap_spec_name() if it has a name, else tap_spec_text(); valid as long as @spec.
 */
LIBTAP_API const char *tap_spec_event(const struct tap_spec *spec);

/**
 * tap_spec_name() - the name that the user gave to the event
 * @spec: a spec
 *
 * All probes of a glob have the name that is given to it.
 *
 * Return: e.g. "w" of "w=kprobe:vfs_write"; valid as long as @spec; NULL if it has no name.
 */
LIBTAP_API const char *tap_spec_name(const struct tap_spec *spec);

/**
 * tap_spec_set_name() - give an event a name that is not of the event language
 * @spec: a spec without a name, before tap_spec_expand()
 * @name: printed for the event, e.g. in totals; any text; copied
 *
 * Return: 0; -EEXIST if it has a name; -ENOMEM.
 */
LIBTAP_API int tap_spec_set_name(struct tap_spec *spec, const char *name);

/**
 * tap_spec_text() - the event without its name and its values
 * @spec: a spec
 *
 * Return: e.g. "call:vfs_read"; valid as long as @spec.
 */
LIBTAP_API const char *tap_spec_text(const struct tap_spec *spec);

/**
 * tap_spec_wanted() - tap_spec_text() of the spec that this one was expanded from
 * @spec: a spec
 *
 * Return: e.g. "call:vfs_*" of the spec with the text "call:vfs_read"; tap_spec_text() if @spec was
 * not expanded or is of a trace file; valid as long as @spec.
 */
LIBTAP_API const char *tap_spec_wanted(const struct tap_spec *spec);

/**
 * tap_spec_target() - what the kernel is given
 * @spec: a spec
 *
 * Of a probe in a program it is only a text; of one that is too long the end was kept.
 *
 * Return: e.g. "vfs_read+0x10", or a glob before tap_spec_expand(); valid as long as @spec.
 */
LIBTAP_API const char *tap_spec_target(const struct tap_spec *spec);

/**
 * tap_spec_glob() - whether the target is a glob
 * @spec: of tap_spec_parse()
 *
 * Return: true if tap_spec_expand() may make several probes by a pattern, and may leave out
 * those that the kernel refuses.
 */
LIBTAP_API bool tap_spec_glob(const struct tap_spec *spec);

/**
 * tap_spec_same_event() - whether two specs are places of one event
 * @a: a spec of tap_spec_expand()
 * @b: another
 *
 * Functions of one name in a program, places of one USDT probe, or events that have one name.
 *
 * Return: true if their counts are to be shown as one.
 */
LIBTAP_API bool tap_spec_same_event(const struct tap_spec *a,
				    const struct tap_spec *b);

/**
 * tap_spec_nr_fields() - number of the fields of its records
 * @spec: a spec of tap_spec_expand()
 *
 * Return: the number, hidden fields included.
 */
LIBTAP_API unsigned int tap_spec_nr_fields(const struct tap_spec *spec);

/**
 * tap_spec_field() - a field of its records
 * @spec: a spec of tap_spec_expand()
 * @i: which one, in the order of printing
 *
 * Return: the field, valid until @spec is changed or freed; NULL if there is no such field.
 */
LIBTAP_API const struct tap_field *tap_spec_field(const struct tap_spec *spec,
						  unsigned int i);

/**
 * tap_spec_aggregates() - whether the kernel counts its events instead of recording them
 * @spec: a spec
 *
 * Return: true after tap_spec_aggregate().
 */
LIBTAP_API bool tap_spec_aggregates(const struct tap_spec *spec);

/**
 * tap_spec_nr_aggregations() - number of its aggregations
 * @spec: a spec of tap_spec_expand()
 *
 * Return: how often tap_spec_aggregate() was called for the spec that it was expanded from.
 */
LIBTAP_API unsigned int tap_spec_nr_aggregations(const struct tap_spec *spec);

/**
 * tap_spec_flags() - flags for TAP_IOC_CREATE
 * @spec: a spec
 *
 * Return: TAP_CREATE_F_*.
 */
LIBTAP_API __u32 tap_spec_flags(const struct tap_spec *spec);

/**
 * tap_spec_untyped_retval() - whether a program computes with a return value of unknown type
 * @spec: a spec of tap_spec_expand()
 *
 * A condition, a key, a sum or a histogram then takes 64 bits of the register, but 0xfffff001
 * to 0xffffffff as the negative errno of a function that returns int. A cast of retval says
 * what is right.
 *
 * Return: why the type is not known ("the module e1000e has no BTF"), valid as long as @spec;
 *	NULL if it is known, or the value is only recorded.
 */
LIBTAP_API const char *tap_spec_untyped_retval(const struct tap_spec *spec);

/**
 * tap_spec_side() - the side of a span that its events belong to
 * @spec: a spec of tap_spec_expand()
 *
 * A span: is expanded to the span and then its sides. Such a spec must be given to
 * tap_probe_create() in this order, must not be counted, and takes no test and no comm: neither
 * tap_spec_test() nor tap_spec_fetch_comm().
 *
 * Return: the side; 0 if it is none.
 */
LIBTAP_API enum tap_span_side tap_spec_side(const struct tap_spec *spec);

/**
 * tap_spec_set_entries() - how many entries of a span may be open at the same time
 * @spec: a spec of tap_spec_parse()
 * @entries: 1 to %TAP_MAX_SPAN_ENTRIES; 0: some ten thousand
 *
 * Does nothing if the event is no span.
 */
LIBTAP_API void tap_spec_set_entries(struct tap_spec *spec, __u32 entries);

/**
 * tap_spec_open_field() - a field of an open entry of a span
 * @spec: a span of tap_spec_expand()
 * @i: which one, the key first
 *
 * Return: the field, whose @word is counted from the start of a struct tap_span_event, valid until
 * @spec is freed; NULL if there is no such field.
 */
LIBTAP_API const struct tap_field *tap_spec_open_field(const struct tap_spec *spec,
						       unsigned int i);

/**
 * tap_spec_open_keys() - how many of the fields of an open entry are its key
 * @spec: a span of tap_spec_expand()
 *
 * Return: their number.
 */
LIBTAP_API unsigned int tap_spec_open_keys(const struct tap_spec *spec);

/**
 * tap_spec_capture() - the span that keeps arguments of its function from the entry on
 * @spec: a spec of tap_spec_expand()
 *
 * tap_probe_create() makes that span, and the probe at the entry, before the first probe of the
 * function that needs them. @out_unmatched of tap_session_span() is then how many values are
 * absent because the entry was not seen.
 *
 * Return: the id of the span; 0 if there is none, or it was not created yet.
 */
LIBTAP_API __u32 tap_spec_capture(const struct tap_spec *spec);

/**
 * tap_spec_set_flags() - set the flags for TAP_IOC_CREATE
 * @spec: a spec
 * @flags: TAP_CREATE_F_*, e.g. tap_spec_flags() | %TAP_CREATE_F_COUNT to count the events
 *	and write no records
 */
LIBTAP_API void tap_spec_set_flags(struct tap_spec *spec, __u32 flags);

/**
 * tap_spec_set_pid() - name the process of a probe in a program
 * @spec: a spec of tap_spec_parse()
 * @pid: the process; 0: all processes
 *
 * tap_spec_expand() then finds the libraries of that process first, and the probes fire in
 * it alone. Probes in the kernel ignore it: use tap_spec_test() with %TAP_VAR_TGID.
 */
LIBTAP_API void tap_spec_set_pid(struct tap_spec *spec, __u32 pid);

/**
 * tap_spec_maxactive() - calls that may be in flight at the same time
 * @spec: a spec
 *
 * Return: as in struct tap_create; 0: the kernel chooses.
 */
LIBTAP_API __u32 tap_spec_maxactive(const struct tap_spec *spec);

/**
 * tap_spec_set_maxactive() - set how many calls may be in flight at the same time
 * @spec: a spec of a call, a funcgraph or a return probe
 * @maxactive: as in struct tap_create; 0: the kernel chooses
 */
LIBTAP_API void tap_spec_set_maxactive(struct tap_spec *spec, __u32 maxactive);

/**
 * tap_spec_set_limit() - throttle a probe
 * @spec: a spec
 * @limit: as in struct tap_create; 0: no limit
 */
LIBTAP_API void tap_spec_set_limit(struct tap_spec *spec, __u32 limit);

/**
 * tap_spec_file() - the program or library of a probe
 * @spec: a spec of tap_spec_expand()
 *
 * Return: the path of the file, valid as long as @spec; NULL if the probe is in the kernel.
 */
LIBTAP_API const char *tap_spec_file(const struct tap_spec *spec);

/**
 * tap_spec_file_replaced() - whether the path is now that of another file
 * @spec: a spec of tap_spec_expand()
 *
 * A probe is in the file that had the path when the spec was expanded. Programs that were
 * started after the replacement are not traced.
 *
 * Return: true if it was replaced or removed.
 */
LIBTAP_API bool tap_spec_file_replaced(const struct tap_spec *spec);

/**
 * tap_spec_interval() - the period of an interval: event
 * @spec: a spec
 *
 * The library does not write the marks of such an event: the caller does, by
 * tap_session_mark(), with a __u64: ticks skipped since the last mark.
 *
 * Return: nanoseconds, 0 if it is another event.
 */
LIBTAP_API __u64 tap_spec_interval(const struct tap_spec *spec);

/**
 * tap_spec_value_file() - the file of a file: event
 * @spec: a spec
 *
 * The caller writes the marks: see tap_value_file_read().
 *
 * Return: what tap_value_file_open() takes; NULL if it is another event.
 */
LIBTAP_API const char *tap_spec_value_file(const struct tap_spec *spec);

/**
 * struct tap_spec_value - a value that an aggregation keeps of the events of each key
 * @size: sizeof(struct tap_spec_value); the same in all elements of an array
 * @kind: enum tap_agg_kind
 * @buckets: linear histogram: number of buckets
 * @avg: with %TAP_AGG_SUM: the value is an average: tap_aggregation_value() divides
 * @expr: an expression of the event, e.g. "duration"
 * @base: linear histogram: lower bound of the first bucket
 * @step: linear histogram: width of a bucket
 */
struct tap_spec_value {
	size_t size;
	__u16 kind;
	__u16 buckets;
	bool avg;
	const char *expr;
	__s64 base;
	__u64 step;
};

/**
 * tap_spec_aggregate() - count events in the kernel instead of recording them
 * @spec: a spec of tap_spec_parse(), without values of its own
 * @keys: what events are counted by, [NAME=]VALUE[:FORMAT] each, e.g. "comm"
 * @nr_keys: number of @keys, at most %TAP_MAX_KEYS; one less if addresses of a
 *	program are among them, which get a hidden key "tgid" to be resolved by
 * @values: the values of each key, besides the number of its events
 * @nr_values: number of @values, at most %TAP_MAX_AGGS
 * @entries: different keys for which each CPU has room, a power of two up to
 *	%TAP_MAX_ENTRIES; 0: some thousand
 * @err: an error message on failure, with a mark in the key or value
 *
 * Call it before tap_spec_expand(), up to %TAP_MAX_AGGREGATES times: each call makes a table, and
 * all tables have the same events. tap_aggregation_read() reads the counts. After a
 * failure, tap_spec_free() is the only call that may use @spec.
 *
 * Return: 0; -E2BIG if @values is of a later version of the library; or another -errno.
 */
LIBTAP_API int tap_spec_aggregate(struct tap_spec *spec,
				  const char *const *keys, unsigned int nr_keys,
				  const struct tap_spec_value *values,
				  unsigned int nr_values, __u32 entries,
				  struct tap_error *err);

/**
 * tap_spec_stack() - add a stack to each record
 * @spec: a spec of tap_spec_parse()
 * @user: true: the stack of the task's program; false: that of the kernel
 * @frames: maximum number of frames, up to %TAP_MAX_STACK; 0: some tens
 * @err: an error message on failure
 *
 * Does nothing if the event has a value "ustack" or "kstack" by itself. Where
 * events are aggregated a stack is a key: see tap_spec_aggregate().
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_spec_stack(struct tap_spec *spec, bool user,
			      unsigned int frames, struct tap_error *err);

/**
 * tap_spec_stack_copy() - add the stack of the task's program to each record, to be unwound
 * @spec: a spec of tap_spec_parse(), and no aggregation
 * @bytes: of the stack that are copied, a multiple of 8; 0: 4096, of a ucall 3072
 * @err: an error message on failure
 *
 * As tap_spec_stack() for programs that are compiled without frame pointers: the kernel copies
 * registers and a part of the stack, and a struct tap_unwinder makes frames of them, which must
 * see each record first. 32-bit programs have their stacks by frame pointers.
 *
 * Return: 0 or -errno; -EOPNOTSUPP for an event that has no room for it (a span, a funcgraph) and
 * with an aggregation.
 */
LIBTAP_API int tap_spec_stack_copy(struct tap_spec *spec, __u32 bytes, struct tap_error *err);

/**
 * tap_spec_why() - divide the duration of a call or span
 * @spec: a spec of tap_spec_parse(); call it before tap_spec_aggregate()
 * @err: an error message on failure
 *
 * Each record has how the duration divides, with the longest wait. The names run, irq, softirq,
 * preempted, lock, io, sleep, unaccounted, wait, waker and holder can be used in conditions, keys and
 * values, and wait.stack, waker.stack, waker.comm, waker.pid and holder.comm in keys and values.
 *
 * Return: 0; -EOPNOTSUPP: the event has no duration, or no room; or -EINVAL.
 */
LIBTAP_API int tap_spec_why(struct tap_spec *spec, struct tap_error *err);

/**
 * tap_spec_armed_by() - the event that gives a watchpoint its address
 * @spec: a spec
 *
 * A watchpoint "(EXPR):LEN:MODE in EVENT" waits (%TAP_STATE_WAITING) until tap_session_watch() gives
 * it an address. It is for the caller to arm this event, best in a session of its own, and to give
 * the value of one of its hits.
 *
 * Return: the text of the event, whose one value is the address; NULL: its address is known.
 */
LIBTAP_API const char *tap_spec_armed_by(const struct tap_spec *spec);

/**
 * tap_spec_inside_of() - the events that the conditions of an event are inside of
 * @spec: a spec of tap_spec_parse()
 * @i: the first is 0
 * @limited: set to whether the number of calls in between is limited; may be NULL
 *
 * Return: the name or text of the event; NULL: @i is too large.
 */
LIBTAP_API const char *tap_spec_inside_of(const struct tap_spec *spec, unsigned int i, bool *limited);

/**
 * tap_spec_set_inside() - say which frame an inside() is about
 * @spec: a spec of tap_spec_parse()
 * @i: as for tap_spec_inside_of()
 * @frame: the number that tap_spec_set_frame() gave to that event
 */
LIBTAP_API void tap_spec_set_inside(struct tap_spec *spec, unsigned int i, __u32 frame);

/**
 * tap_spec_set_frame() - make the calls of an event frames, for inside() of other events
 * @spec: a spec of tap_spec_parse()
 * @frame: 1 to %TAP_MAX_FRAME; events may have the same number
 * @err: an error message on failure
 *
 * Return: 0; -EINVAL: the event is no call, and no span of a task.
 */
LIBTAP_API int tap_spec_set_frame(struct tap_spec *spec, __u32 frame, struct tap_error *err);

/**
 * tap_spec_frame() - the number of tap_spec_set_frame()
 * @spec: any spec
 *
 * Return: the number; 0: there is none.
 */
LIBTAP_API __u32 tap_spec_frame(const struct tap_spec *spec);

/**
 * tap_spec_tasks() - what a probe needs of the session's table of tasks
 * @spec: of tap_spec_expand()
 *
 * Return: TAP_TASKS_F_*, for tap_session_tasks().
 */
LIBTAP_API __u32 tap_spec_tasks(const struct tap_spec *spec);

/**
 * tap_spec_pmu() - add the counters of the session to each record
 * @spec: a spec of tap_spec_parse(); call it before tap_spec_aggregate()
 * @names: of the counters that tap_session_pmu() is given, e.g. "cache-misses"
 * @nr: number of @names, at most %TAP_MAX_PMU
 * @err: an error message on failure
 *
 * tap_pmu_name() has the name of each value: cache_misses. Of a call the value is by how
 * much the counter grew in it; of another event it is what the CPU's counter has counted.
 * Expressions may use the name; a name of the event's own comes first. If events are
 * aggregated only the names are added, no value.
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_spec_pmu(struct tap_spec *spec, const char *const *names,
			    unsigned int nr, struct tap_error *err);

/**
 * tap_spec_is_counter() - whether a field is a counter of tap_spec_pmu()
 * @spec: a spec of tap_spec_expand(), or of a file
 * @field: a field of it
 *
 * Return: true if the value is what a counter has counted, or by how much it grew.
 */
LIBTAP_API bool tap_spec_is_counter(const struct tap_spec *spec, const struct tap_field *field);

/**
 * tap_spec_needs_symbols() - whether tap_spec_expand() looks at the kernel's functions
 * @spec: a spec of tap_spec_parse()
 *
 * Reading them takes some tenths of a second.
 *
 * Return: false if tap_spec_expand() may be called with no symbols.
 */
LIBTAP_API bool tap_spec_needs_symbols(const struct tap_spec *spec);

/**
 * tap_spec_known() - whether tap_spec_expand() needs no list of the kernel's functions
 * @spec: a spec of tap_spec_parse()
 *
 * For a glob of functions it does not: it reads those that match. For a single function or raw
 * tracepoint the kernel is asked. Both takes less than to read the symbols, if they are for a few
 * specs alone. The function may still be one that cannot be probed: tap_probe_create() then fails,
 * and tap_spec_expand() with symbols says why.
 *
 * Return: true if tap_spec_expand() may be called with no symbols, though
 * tap_spec_needs_symbols(); false if the kernel does not know it or does not answer, if
 * several functions have the name, if a module is named, and if the spec is no function or raw
 * tracepoint.
 */
LIBTAP_API bool tap_spec_known(const struct tap_spec *spec);

/**
 * tap_spec_expand() - find the targets of a spec in the running kernel
 * @syms: of tap_symbols_load(); may be NULL if tap_spec_needs_symbols() or tap_spec_known()
 *	says so
 * @types: of tap_types_new(); NULL: types are read for this spec alone, if it needs them
 * @spec: a spec of tap_spec_parse(); not changed
 * @list: set to an array of specs, one for each probe; end it with tap_spec_list_free()
 * @nr: set to its length, at least 1 on success
 * @err: an error message on failure, with a near name if there is one; on success
 *	its text may be a remark (a name that several functions have), else empty
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_spec_expand(struct tap_symbols *syms,
			       struct tap_types *types,
			       const struct tap_spec *spec,
			       struct tap_spec ***list, size_t *nr,
			       struct tap_error *err);

/**
 * tap_spec_list_free() - free an array of specs and the specs
 * @list: of tap_spec_expand(); may be NULL. Elements that were handed over are NULL
 * @nr: its length
 */
LIBTAP_API void tap_spec_list_free(struct tap_spec **list, size_t nr);

/**
 * tap_spec_test() - put a test of a variable in front of the program
 * @spec: a spec of tap_spec_expand()
 * @var: the variable, e.g. %TAP_VAR_TGID
 * @imm: selects the value as enum tap_var says; 0 if @var has only one
 * @value: required value; other events are filtered
 *
 * Return: 0, -ENOMEM, or -E2BIG if the program is full.
 */
LIBTAP_API int tap_spec_test(struct tap_spec *spec, enum tap_var var,
			     __u64 imm, __u64 value);

/**
 * tap_spec_fetch_comm() - append the hidden fetch for the COMM column of the formatter
 * @spec: a spec of tap_spec_expand() that does not aggregate; nothing is done if it has
 *	that field already
 *
 * Return: 0, -ENOMEM, or -E2BIG if the program is full.
 */
LIBTAP_API int tap_spec_fetch_comm(struct tap_spec *spec);

/**
 * tap_spec_trigger() - let each event of a program trigger a window
 * @spec: a spec of tap_spec_expand() that does not aggregate, and is not a span; all its values
 *	and tests were added
 *
 * The session must be set up with @overwrite of struct tap_session_opts. A hidden value of the
 * record is 1 if the event was the one that triggered; 0 if a trigger was there already.
 *
 * Return: 0, -ENOMEM, -E2BIG if the program is full, or -EOPNOTSUPP for a span.
 */
LIBTAP_API int tap_spec_trigger(struct tap_spec *spec);

/**
 * tap_spec_set_gate() - let an event come through the gate of the session only
 * @spec: a spec of tap_spec_parse(), not expanded yet
 * @step: %TAP_GATE_OPEN: it opens the gate; %TAP_GATE_END: it ends the gate, once; %TAP_GATE_TAKE:
 *	neither
 *
 * The gate is the last condition of the event. Calls that begin before the gate is open, or return
 * after its end, do not come through; one that opens it does so at its entry, unless a condition
 * needs its return. See tap_session_set_gate().
 */
LIBTAP_API void tap_spec_set_gate(struct tap_spec *spec, enum tap_gate_step step);

/**
 * tap_probe_is_call() - whether records of a type are made at a return and have a duration
 * @type: an event source
 *
 * Return: true for call:, ucall:, funcgraph: and syscall:.
 */
LIBTAP_API bool tap_probe_is_call(enum tap_probe_type type);

/**
 * tap_probe_is_user() - whether a type is of probes in programs
 * @type: an event source
 *
 * Return: true for uprobe:, uretprobe:, ucall: and usdt:.
 */
LIBTAP_API bool tap_probe_is_user(enum tap_probe_type type);

/**
 * tap_spec_type_name() - the name of a type in the event language
 * @type: an event source; any number, also one that is not known
 *
 * Return: e.g. "kprobe"; "?" for a type that is not known.
 */
LIBTAP_API const char *tap_spec_type_name(enum tap_probe_type type);

/**
 * tap_unit_factor() - what a unit of time or of size in the event language stands for
 * @unit: the text behind a number, e.g. "ms" or "K"; "" for none
 *
 * Return: the factor, nanoseconds for time: 1000000 for "ms", 1024 for "K", 1 for ""; 0 if
 * there is no such unit.
 */
LIBTAP_API __u64 tap_unit_factor(const char *unit);

#ifdef __cplusplus
}
#endif

#endif /* _LIBTAP_SPEC_H */
