/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The scope: the names that an event gives to its expressions, and their values.
 * Private to libtap.
 */
#ifndef _TAP_TYPES_SCOPE_H
#define _TAP_TYPES_SCOPE_H

#include "types/btf.h"

struct tap_dwarf;
struct tap_usdt;
struct tap_locals;

/* Arguments that a program can read. All of them are in registers. */
#define TAP_MAX_ARGS	6

/**
 * enum tap_name_kind - the place of a name's value
 * @TAP_NAME_ARG: argument @at of the function, raw tracepoint or system call; -1 if a
 *	program cannot read it: it is not among the first six, or it is a struct
 * @TAP_NAME_FIELD: at byte @at of the event's own data
 * @TAP_NAME_DATA_LOC: the 4 bytes at byte @at of the event's own data have its offset
 *	and length; the type is an array
 * @TAP_NAME_VAR: enum tap_var @at
 * @TAP_NAME_PLACE: the number @at: which probe of a glob it is
 * @TAP_NAME_USDT: argument @at of the scope's USDT probe
 * @TAP_NAME_LOCAL: a variable of the scope's locals; it has its type once it was used
 */
enum tap_name_kind {
	TAP_NAME_ARG,
	TAP_NAME_FIELD,
	TAP_NAME_DATA_LOC,
	TAP_NAME_VAR,
	TAP_NAME_PLACE,
	TAP_NAME_USDT,
	TAP_NAME_LOCAL,
};

/**
 * struct tap_name - a name and its value
 * @name: as in the source or in tracefs
 * @kind: place of the value
 * @at: see enum tap_name_kind
 * @type: its type
 * @format: how it is printed; %TAP_FMT_AUTO: by its type
 * @value_names: names of its values or bits, or NULL; a reference of the scope
 * @stars: a pointer, to user memory unless @kernel, whose target @type lacks: this many stars behind the struct
 *	@tag, or without @tag behind char; else 0
 * @tag: see @stars
 * @kernel: the pointer of @stars is to kernel memory
 * @quiet: not among the values of an event that names none
 * @raw: only its size is known: it may be an address
 * @lost: why it cannot be read at the entry of this function, though its type is known; else NULL.
 *	A constant
 * @moved: it is @lost because it is elsewhere at the entry: a line of the function may have it
 * @copy: of a side of a span: the field whose words an output copies as they are; else NULL.
 *	Not owned
 * @word_at: with @copy: where its first word is; @at is where the value itself is
 */
struct tap_name {
	char name[TAP_FIELD_NAME_LEN];
	enum tap_name_kind kind;
	int at;
	struct tap_type type;
	enum tap_format format;
	struct tap_value_names *value_names;
	unsigned int stars;
	char tag[40];
	bool kernel;
	bool quiet;
	bool raw;
	const char *lost;
	bool moved;
	const struct tap_field *copy;
	int word_at;
};

/**
 * struct tap_scope - the names of one event
 * @types: of the running kernel, or NULL; not owned
 * @dwarf: debug information that has types besides @types, or NULL; belongs to @types or its owner
 * @names: in the order of the source; allocated
 * @nr: number of @names
 * @ret: type of the return value; %TAP_TYPE_NONE: void, or unknown
 * @why: reason for missing names, for an error message: "the kernel has no BTF"; or ""
 * @base: as in struct tap_prototype
 * @file: as in struct tap_prototype
 * @usdt: the USDT probe, or NULL; belongs to its struct tap_elf
 * @locals: the variables at a line of the source, or NULL; owned
 */
struct tap_scope {
	struct tap_types *types;
	struct tap_dwarf *dwarf;
	struct tap_name *names;
	size_t nr;
	struct tap_type ret;
	char why[400];
	char base[128];
	const char *file;
	const struct tap_usdt *usdt;
	struct tap_locals *locals;
};

#endif /* _TAP_TYPES_SCOPE_H */
