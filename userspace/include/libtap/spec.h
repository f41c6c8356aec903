/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What to probe: specs, and the symbols of the kernel. Included by libtap.h, which has
 * the conventions.
 */
#ifndef _LIBTAP_SPEC_H
#define _LIBTAP_SPEC_H

#include <libtap/error.h>

#ifdef __cplusplus
extern "C" {
#endif

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
 * @TAP_FMT_RETVAL: a return value whose type is not known: as AUTO, but a value
 *	whose low 32 bits are a negative errno is printed negative (an int function
 *	leaves the upper half of the register undefined)
 * @TAP_FMT_SYMBOL: a kernel address, printed as FUNC+0xOFF [MODULE]
 * @TAP_FMT_BOOL: true or false
 * @TAP_FMT_VALUE_NAME: a name from the field's value names, or as AUTO where none fits
 * @TAP_FMT_FLAGS: the names of the bits that are set, from the value names, with |
 *	between them; the remaining bits in hex
 * @TAP_FMT_ERRNO: as AUTO, but a negative errno by its name: -ENOENT (in JSON
 *	its number)
 * @TAP_FMT_STRING: a word of TAP_TEXT_* and text behind it, in double quotes
 * @TAP_FMT_CHARS: text without that word, up to a final 0 (a char array)
 * @TAP_FMT_DATA: a word of TAP_TEXT_* and the elements of an array behind it,
 *	as many as its length says
 * @TAP_FMT_NS: nanoseconds, printed in a unit for people
 * @TAP_FMT_KSTACK: a word of TAP_TEXT_* and kernel addresses, the innermost first
 * @TAP_FMT_USTACK: the same with addresses of the task's program
 * @TAP_FMT_FUNC: an address in a kernel function, printed as FUNC
 * @TAP_FMT_USYMBOL: an address in the task's program, printed as FUNC+0xOFF [OBJECT];
 *	or one of the kernel, printed as %TAP_FMT_SYMBOL
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
	TAP_FMT_BOOL		= 18,
	TAP_FMT_VALUE_NAME		= 19,
	TAP_FMT_FLAGS		= 20,
	TAP_FMT_ERRNO		= 21,
	TAP_FMT_STRING		= 22,
	TAP_FMT_CHARS		= 23,
	TAP_FMT_DATA		= 24,
	TAP_FMT_NS		= 25,
	TAP_FMT_KSTACK		= 26,
	TAP_FMT_USTACK		= 27,
	TAP_FMT_USYMBOL		= 28,
	TAP_FMT_FUNC		= 29,
	__TAP_FMT_MAX,
};

/**
 * struct tap_value_name - a name of a value, or of bits
 * @value: the value or the bits
 * @name: its name
 */
struct tap_value_name {
	__u64 value;
	const char *name;
};

/**
 * struct tap_value_names - names of the values of a field; shared, never changed
 * @refs: references; each field that uses the names holds one
 * @nr: entries of @list
 * @list: in the order in which they are tried; but %TAP_FMT_VALUE_NAME first tries
 *	the entry whose index is the value
 */
struct tap_value_names {
	unsigned int refs;
	unsigned int nr;
	struct tap_value_name *list;
};

/**
 * struct tap_field - a named value of a probe's record
 * @name: as printed, e.g. "dfd"; ends with 0
 * @format: how it is printed
 * @word: its first value word in the record, as tap_record.h counts them (the
 *	fetches of a call probe begin at %TAP_CALL_FETCHES)
 * @words: how many value words it has
 * @flags: TAP_FIELD_F_*
 * @element: of an array: format of each element, whose bytes lie packed as in
 *	memory: as many as the format says, 1 for CHAR and BOOL, 4 for VALUE_NAME and
 *	FLAGS, else 8; it is a single number. No array: %TAP_FMT_AUTO
 * @count: of an array: elements, whatever @format says; of %TAP_FMT_CHARS: its
 *	bytes; 0: it is none, or one of %TAP_FMT_DATA
 * @output: which output of the program it is, for the word that tells of absent
 *	ones
 * @value_names: names of its values, or of those of its elements; or NULL. Each
 *	field holds a reference.
 *
 * The duration and the return value of a call need no field: the formatter
 * prints them for every call, unless a field covers their word; a hidden one
 * says how the return value is printed.
 */
struct tap_field {
	char name[TAP_FIELD_NAME_LEN];
	enum tap_format format;
	__u16 word;
	__u16 words;
	__u32 flags;
	enum tap_format element;
	__u16 count;
	__u16 output;
	struct tap_value_names *value_names;
};

/* Not printed as name=value: for the COMM column, or a call's return value. */
#define TAP_FIELD_F_HIDDEN	(1U << 0)
/* Bit n of the word: the n-th output is absent. Hidden as well. */
#define TAP_FIELD_F_ABSENT	(1U << 1)
/* Of a funcgraph: entry records do not have this field. */
#define TAP_FIELD_F_RETURN	(1U << 2)
/* Of a funcgraph: the stack pointer at the entry; 0 if it is not known. Hidden as well. */
#define TAP_FIELD_F_FRAME	(1U << 3)
/* The return value of a call, which gives none. Hidden as well. */
#define TAP_FIELD_F_VOID	(1U << 4)

/**
 * struct tap_spec_agg - the aggregation of a spec
 * @aggregate: for the kernel; its keys' words are filled in when the probe's
 *	program is made
 * @aggs: for the kernel, one a value
 * @keys: names and formats of the keys; their words are those within an entry
 *	of TAP_IOC_READ
 * @values: names and formats of the values, in the order of @aggs
 * @avg: the value is wanted as an average: its sum by the count
 */
struct tap_spec_agg {
	struct tap_aggregate aggregate;
	struct tap_agg aggs[TAP_MAX_AGGS];
	struct tap_field keys[TAP_MAX_KEYS];
	struct tap_field values[TAP_MAX_AGGS];
	_Bool avg[TAP_MAX_AGGS];
};

/**
 * struct tap_spec_value - a value that an aggregation is to keep
 * @kind: enum tap_agg_kind
 * @avg: with %TAP_AGG_SUM: print the average
 * @expr: expression whose value is kept, e.g. "duration"
 * @base: linear histogram: lower bound of the first bucket
 * @step: linear histogram: width of a bucket
 * @buckets: linear histogram: number of buckets
 */
struct tap_spec_value {
	__u16 kind;
	_Bool avg;
	const char *expr;
	__s64 base;
	__u64 step;
	__u16 buckets;
};

struct tap_ast;
struct tap_elf;

/**
 * struct tap_spec - a probe that is wanted, from one -e argument
 * @type: event source
 * @flags: TAP_CREATE_F_*
 * @maxactive: as struct tap_create has it, 0 for the kernel's choice
 * @limit: as struct tap_create has it
 * @event: what is printed, e.g. "call:vfs_read"; allocated
 * @target: what the kernel is given, e.g. "vfs_read+0x10"; allocated; before
 *	tap_spec_expand() it may hold a glob. Of a program's probe it is text
 *	alone, of which the end was kept if it was too long
 * @ops: the program, tests before fetches; allocated
 * @nr_ops: number of @ops
 * @data: the patterns of its program; allocated
 * @data_len: bytes of @data
 * @fields: what its fetches give, in the order of printing; allocated
 * @nr_fields: number of @fields
 * @agg: how events are aggregated; or NULL: they are recorded; allocated
 * @elf: of a program's probe: the file, opened, which the kernel is given; or
 *	NULL; holds a reference
 * @pid: of a program's probe: the one process, or 0
 * @offset: of a program's probe: where it is in the file
 * @semaphore: of a usdt probe: where that is in the file, or 0
 * @perf: of an event, a watchpoint or a count: what it is made of; else its size is 0
 * @addrs: of a func probe: addresses of its functions; allocated; or NULL
 * @nr_addrs: number of @addrs
 * @ast: the text of its values and its filter, until tap_spec_expand() made the
 *	program of each target of it; private
 */
struct tap_spec {
	enum tap_probe_type type;
	__u32 flags;
	__u32 maxactive;
	__u32 limit;
	char *event;
	char *target;
	struct tap_op *ops;
	unsigned int nr_ops;
	__u8 *data;
	unsigned int data_len;
	struct tap_field *fields;
	unsigned int nr_fields;
	struct tap_spec_agg *agg;
	struct tap_elf *elf;
	__u32 pid;
	__u64 offset;
	__u64 semaphore;
	struct tap_perf perf;
	__u64 *addrs;
	__u32 nr_addrs;
	struct tap_ast *ast;
};

struct tap_symbols;

/**
 * tap_spec_parse() - read one -e argument
 * @text: e.g. "call:do_sys_openat2 dfd=$arg1"
 * @spec: filled in on success; end it with tap_spec_free()
 * @err: an error message on failure
 *
 * Does not look at the running kernel; a glob stays one.
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_spec_parse(const char *text, struct tap_spec *spec,
			      struct tap_error *err);

/**
 * tap_spec_aggregate() - count events in the kernel instead of recording them
 * @spec: a spec of tap_spec_parse(), without values of its own; each of
 *	tap_spec_expand() then has an @agg
 * @keys: what events are counted by, [NAME=]VALUE[:FORMAT] each, e.g. "comm"
 * @nr_keys: number of @keys, at most %TAP_MAX_KEYS; one less if addresses of a
 *	program are among them, which get a hidden key "tgid" to be resolved by
 * @values: what is kept of the events of each key, besides their number
 * @nr_values: number of @values, at most %TAP_MAX_AGGS
 * @entries: different keys for which each CPU has room, a power of two up to
 *	%TAP_MAX_ENTRIES; 0: some thousand
 * @err: an error message on failure, with a mark in the key or value
 *
 * After a failure, tap_spec_free() is the only call that may use @spec.
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_spec_aggregate(struct tap_spec *spec,
				  const char *const *keys, unsigned int nr_keys,
				  const struct tap_spec_value *values,
				  unsigned int nr_values, __u32 entries,
				  struct tap_error *err);

/**
 * tap_spec_stack() - add a stack to each record
 * @spec: a spec of tap_spec_parse()
 * @user: the stack of the task's program; else that of the kernel
 * @frames: maximum number of frames, up to %TAP_MAX_STACK; 0: some tens
 * @err: an error message on failure
 *
 * Does nothing if the event has a value "ustack" or "kstack" by itself. Where
 * events are aggregated a stack is a key: see tap_spec_aggregate().
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_spec_stack(struct tap_spec *spec, _Bool user,
			      unsigned int frames, struct tap_error *err);

/**
 * tap_spec_pmu() - add the counters of the session to each record
 * @spec: a spec of tap_spec_parse(), not yet of tap_spec_aggregate()
 * @names: of the counters that tap_session_pmu() is given, e.g. "cache-misses"
 * @nr: number of @names, at most %TAP_MAX_PMU
 * @err: an error message on failure
 *
 * A value is named as its counter, with _ for what no name has: cache_misses. Of a
 * call it is by how much the counter grew in it; else what the CPU's counter has
 * counted. Its name may be used in expressions, where a name of the event's own comes
 * first. If events are aggregated only the names are added, no value.
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_spec_pmu(struct tap_spec *spec, const char *const *names,
			    unsigned int nr, struct tap_error *err);

/**
 * tap_spec_expand() - find the targets of a spec in the running kernel
 * @syms: of tap_symbols_load()
 * @spec: a parsed spec, with or without a glob; not changed. With its @pid set
 *	the libraries of that process are found first
 * @list: set to an allocated array; each entry is to be ended with
 *	tap_spec_free(), then the array with free()
 * @nr: set to its length, at least 1 on success
 * @err: an error message on failure, with a near name if there is one; on success
 *	its text may be a remark (a name that several functions have), else empty
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
 * tap_spec_test() - put a test of a variable in front of the program
 * @spec: a spec of tap_spec_expand()
 * @var: the variable, e.g. %TAP_VAR_TGID
 * @imm: @imm of the variable in enum tap_var, 0 if it uses none
 * @value: required value; other events are filtered
 *
 * Return: 0, -ENOMEM, or -E2BIG if the program is full.
 */
LIBTAP_API int tap_spec_test(struct tap_spec *spec, enum tap_var var,
			     __u64 imm, __u64 value);

/**
 * tap_spec_fetch_comm() - append the hidden fetch for the COMM column
 * @spec: a parsed spec; nothing is done if it has that field already
 *
 * Return: 0, -ENOMEM, or -E2BIG if the program is full.
 */
LIBTAP_API int tap_spec_fetch_comm(struct tap_spec *spec);

/**
 * tap_symbols_load() - read the symbols of the running kernel
 * @err: an error message on failure
 *
 * Return: the symbols, or NULL.
 */
LIBTAP_API struct tap_symbols *tap_symbols_load(struct tap_error *err);

/**
 * tap_symbols_free() - free the symbols
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

#ifdef __cplusplus
}
#endif

#endif /* _LIBTAP_SPEC_H */
