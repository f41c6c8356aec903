/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The spec, and building it. Private to libtap and its tests.
 */
#ifndef _TAP_SPEC_SPEC_H
#define _TAP_SPEC_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <libtap.h>

/* No function is longer. */
#define TAP_MAX_FUNCTION	0xffffff
/* The event for messages of the kernel, and its tracepoint. */
#define TAP_PRINTK		"printk"
#define TAP_PRINTK_TARGET	"printk:console"
/* Ops that the tool adds: tests and the hidden comm. */
#define TAP_SPEC_OWN_OPS	8
/* Outputs without those that the tool and the library add: comm, and the absent word. */
#define TAP_SPEC_MAX_VALUES	(TAP_MAX_OUTPUTS - 2)

/**
 * struct tap_spec_agg - one aggregation of a spec
 * @aggregate: for the kernel; tap_program_make() sets the words of its keys
 * @aggs: for the kernel, one for each value
 * @keys: names and formats of the keys; @word of each is the word of an entry of
 *	TAP_IOC_READ
 * @values: names and formats of the values, in the order of @aggs
 * @avg: the value is an average: the sum divided by the count
 */
struct tap_spec_agg {
	struct tap_aggregate aggregate;
	struct tap_agg aggs[TAP_MAX_AGGS];
	struct tap_field keys[TAP_MAX_KEYS];
	struct tap_field values[TAP_MAX_AGGS];
	bool avg[TAP_MAX_AGGS];
};

struct tap_ast;
struct tap_elf;

/**
 * enum tap_spec_source - what an event names in the source
 * @TAP_SOURCE_NONE: nothing
 * @TAP_SOURCE_LINE: a line
 * @TAP_SOURCE_INLINE: a function and its inlined instances
 */
enum tap_spec_source {
	TAP_SOURCE_NONE,
	TAP_SOURCE_LINE,
	TAP_SOURCE_INLINE,
};

/**
 * struct tap_spec_span - what a span and the specs of its sides share
 * @refs: specs that hold it
 * @id: id of the span's probe; 0 before it was created
 * @table: for the kernel
 * @open: what an open entry has: the fields of the "from" side, with @word counted in the words
 *	of struct tap_span_event; allocated
 * @nr_open: number of @open
 * @nr_open_keys: how many of them are the key
 */
struct tap_spec_span {
	unsigned int refs;
	__u32 id;
	struct tap_span_table table;
	struct tap_field *open;
	unsigned int nr_open;
	unsigned int nr_open_keys;
};

/**
 * struct tap_spec_capture - what the places of a function share: a capture of its arguments
 * @refs: specs that hold it
 * @table: the span with the table; its id is that of the capture
 * @entry: its side: the entry of the function
 */
struct tap_spec_capture {
	unsigned int refs;
	struct tap_spec *table;
	struct tap_spec *entry;
};

/**
 * struct tap_spec - a probe that is wanted
 * @type: event source
 * @source: its target is in the source: @type is then that of its places
 * @emit: of a driver that includes <tapmod/emit.h>. Its target is MODULE:NAME; once expanded, the
 *	tracepoint
 * @flags: TAP_CREATE_F_*
 * @maxactive: as in struct tap_create; 0: the kernel chooses
 * @limit: as in struct tap_create
 * @event: see tap_spec_text(); allocated
 * @name: see tap_spec_name(); allocated; or NULL
 * @wanted: see tap_spec_wanted(); allocated; NULL before tap_spec_expand()
 * @target: see tap_spec_target(); allocated
 * @ops: the program, tests before fetches; allocated
 * @nr_ops: number of @ops
 * @data: the patterns of its program; allocated
 * @data_len: bytes of @data
 * @fields: names of the values that its program fetches, in the order of printing; allocated
 * @nr_fields: number of @fields
 * @agg: how events are aggregated; or NULL: they are recorded; allocated
 * @nr_aggs: number of @agg
 * @elf: of a program's probe: the file, opened; holds a reference; else NULL
 * @pid: of a program's probe: the one process, or 0
 * @offset: of a program's probe: its place in the file
 * @semaphore: of a usdt probe: the place of its semaphore in the file, or 0
 * @armed_by: see tap_spec_armed_by(); allocated; or NULL
 * @perf: the perf event of an event, a watchpoint or a count; else its size is 0
 * @addrs: of a func probe: addresses of its functions; allocated; or NULL
 * @nr_addrs: number of @addrs
 * @untyped_retval: see tap_spec_untyped_retval(); allocated; or NULL
 * @span: of a span and its sides; holds a reference; else NULL
 * @side: enum tap_span_side; 0: it is no side
 * @capture: what its %TAP_OP_CAPTURED look into; holds a reference; else NULL
 * @frame: see tap_spec_set_frame(); 0: it has none
 * @gate: see tap_spec_set_gate(); 0: none
 * @stacks: the program stores stacks in the session's table, which has room for so many; or 0
 * @ast: the parsed values and filter of tap_spec_parse(); NULL after tap_spec_expand()
 */
struct tap_spec {
	enum tap_probe_type type;
	enum tap_spec_source source;
	bool emit;
	__u32 flags;
	__u32 maxactive;
	__u32 limit;
	char *event;
	char *name;
	char *wanted;
	char *target;
	struct tap_op *ops;
	unsigned int nr_ops;
	__u8 *data;
	unsigned int data_len;
	struct tap_field *fields;
	unsigned int nr_fields;
	struct tap_spec_agg *agg;
	unsigned int nr_aggs;
	struct tap_elf *elf;
	__u32 pid;
	__u64 offset;
	__u64 semaphore;
	char *armed_by;
	struct tap_perf perf;
	__u64 *addrs;
	__u32 nr_addrs;
	char *untyped_retval;
	struct tap_spec_span *span;
	enum tap_span_side side;
	struct tap_spec_capture *capture;
	__u32 frame;
	enum tap_gate_step gate;
	__u32 stacks;
	struct tap_ast *ast;
};

/* Whether the event was written as printk. */
static inline bool tap_spec_printk(const struct tap_spec *spec)
{
	return spec->event && !strcmp(spec->event, TAP_PRINTK);
}

void tap_spec_clear(struct tap_spec *spec);
unsigned int tap_op_words(const struct tap_op *op);
int tap_spec_add_field(struct tap_spec *spec, const struct tap_field *field);
void tap_spec_span_put(struct tap_spec_span *span);
void tap_spec_capture_put(struct tap_spec_capture *capture);
int tap_spec_copy(const struct tap_spec *from, const char *event,
		  const char *target, struct tap_spec *to);

/**
 * struct tap_target - the parts of a target in the kernel
 * @module: "" if none was named
 * @name: function or tracepoint, perhaps a glob
 * @offset: from its start
 */
struct tap_target {
	char module[TAP_MAX_TARGET];
	char name[TAP_MAX_TARGET];
	uint32_t offset;
};

void tap_target_split(const char *text, struct tap_target *target);
bool tap_target_in_module(const struct tap_target *target, const char *module);

#endif /* _TAP_SPEC_SPEC_H */
