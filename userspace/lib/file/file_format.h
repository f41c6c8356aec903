/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The trace file, suffix .tap. All numbers are little-endian.
 *
 *	struct tap_file_header
 *	chunk: struct tap_file_chunk, then chunk.length bytes, then zeros up to
 *	       a multiple of 8 (which length does not count)
 *	...
 *	chunk of type TAP_CHUNK_END
 *
 * A file begins with SYSTEM, CLOCK, perhaps LABELS, PROBES and perhaps SYMBOLS;
 * then come DATA, TIME and MODULE as they arise, perhaps SYMBOLS that came since, perhaps
 * DSOS and MAPS, then STATS, then END. What ends without END was
 * cut. A reader passes over chunks of a type it does not know; a change that
 * must not be passed over takes a new version.
 *
 * Every structure is fixed for a version and has no holes; lists and strings
 * follow it, as its comment says. Strings have no final 0.
 */
#ifndef _TAP_FILE_FILE_FORMAT_H
#define _TAP_FILE_FILE_FORMAT_H

#include <linux/tap.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the trace file is read and written in place: little-endian only"
#endif

#define TAP_FILE_MAGIC		"\223tapfile"	/* without the final 0 */
#define TAP_FILE_VERSION	3
#define TAP_FILE_ALIGN		8

/**
 * struct tap_file_header - the first bytes
 * @magic: %TAP_FILE_MAGIC; the first byte is not ASCII
 * @version: %TAP_FILE_VERSION
 * @length: bytes of this header; chunks begin behind it
 * @__reserved: zero
 */
struct tap_file_header {
	char magic[8];
	__u32 version;
	__u32 length;
	__u64 __reserved[2];
};

/**
 * enum tap_chunk_type - what a chunk holds
 * @TAP_CHUNK_SYSTEM: struct tap_file_system
 * @TAP_CHUNK_CLOCK: struct tap_file_clock
 * @TAP_CHUNK_PROBES: a struct tap_file_probe with its lists for each probe
 * @TAP_CHUNK_SYMBOLS: struct tap_file_symbols with its lists
 * @TAP_CHUNK_DATA: struct tap_file_data, then whole slots
 * @TAP_CHUNK_TIME: struct tap_file_time
 * @TAP_CHUNK_STATS: struct tap_file_stats_head, then counters by CPU
 * @TAP_CHUNK_END: struct tap_file_end
 * @TAP_CHUNK_VALUE_NAMES: struct tap_file_value_names with its lists, for each list that
 *	the fields of the probes refer to; before them
 * @TAP_CHUNK_DSOS: a struct tap_file_dso with its lists for each program
 *	and library that addresses in the records are of
 * @TAP_CHUNK_MAPS: a struct tap_file_map for each place where one of
 *	those was, by process
 * @TAP_CHUNK_PACKED: struct tap_file_packed, then a frame of Zstandard (RFC 8878)
 *	with a checksum, that holds whole slots: in place of DATA
 * @TAP_CHUNK_MODULE: struct tap_file_module, then what a chunk of SYMBOLS has
 */
enum tap_chunk_type {
	TAP_CHUNK_SYSTEM	= 1,
	TAP_CHUNK_CLOCK		= 2,
	TAP_CHUNK_PROBES	= 3,
	TAP_CHUNK_SYMBOLS	= 4,
	TAP_CHUNK_DATA		= 5,
	TAP_CHUNK_TIME		= 6,
	TAP_CHUNK_STATS		= 7,
	TAP_CHUNK_END		= 8,
	TAP_CHUNK_VALUE_NAMES	= 9,
	TAP_CHUNK_DSOS	= 10,
	TAP_CHUNK_MAPS	= 11,
	TAP_CHUNK_PACKED	= 12,
	TAP_CHUNK_MODULE	= 13,
};

/**
 * struct tap_file_chunk - before each chunk
 * @type: enum tap_chunk_type
 * @__reserved: zero
 * @length: bytes that follow, without the padding
 */
struct tap_file_chunk {
	__u32 type;
	__u32 __reserved;
	__u64 length;
};

/**
 * struct tap_file_system - where and how it was recorded
 * @date: CLOCK_REALTIME of the start, seconds
 * @nr_cpus: CPUs that were online
 * @page_size: bytes
 * @nr_rings: CPU numbers run from 0 to this less one
 * @len: bytes of the strings that follow: sysname, release, version, machine
 *	and name of the machine, command line, version of the tool, and one
 *	that is reserved
 * @__reserved: zero
 */
struct tap_file_system {
	__u64 date;
	__u32 nr_cpus;
	__u32 page_size;
	__u32 nr_rings;
	__u16 len[8];
	__u32 __reserved;
};
#define TAP_FILE_SYSTEM_STRINGS	7

/**
 * struct tap_file_clock - see struct tap_meta
 * @clock: enum tap_clock
 * @shift: @clock_shift
 * @mult: @clock_mult
 * @raw: @clock_raw
 * @mono: @clock_mono
 * @real: @clock_real
 * @features: @features
 * @ring_bytes: @ring_bytes
 */
struct tap_file_clock {
	__u32 clock;
	__u32 shift;
	__u64 mult;
	__u64 raw;
	__u64 mono;
	__u64 real;
	__u64 features;
	__u64 ring_bytes;
};

/**
 * struct tap_file_probe - a probe
 * @length: bytes of this with its lists, a multiple of 8
 * @id: as in records
 * @type: enum tap_probe_type
 * @flags: TAP_CREATE_F_*
 * @maxactive: as asked for
 * @slots: slots of a record
 * @words: value words of a record
 * @nr_ops: steps of its program that follow, as struct tap_op
 * @nr_fields: fields that follow, as struct tap_file_field
 * @event_len: bytes of its name as printed; the string follows the fields
 * @target_len: bytes of its target, which follows the name
 * @data_len: bytes of the patterns of its program, which follow the target
 * @__reserved: zero
 * @address: where it sat, 0 if not known
 */
struct tap_file_probe {
	__u32 length;
	__u32 id;
	__u32 type;
	__u32 flags;
	__u32 maxactive;
	__u32 slots;
	__u32 words;
	__u32 nr_ops;
	__u32 nr_fields;
	__u16 event_len;
	__u16 target_len;
	__u32 data_len;
	__u32 __reserved;
	__u64 address;
};

/**
 * struct tap_file_field - struct tap_field
 * @format: enum tap_format
 * @flags: TAP_FIELD_F_*
 * @word: first value word
 * @words: value words
 * @count: of an array: elements; 0: it is none
 * @output: which output of the program it is
 * @element: of an array: enum tap_format of each element
 * @value_names: 0, or which of the lists of value names in the file, from 1
 * @name: filled up with 0
 */
struct tap_file_field {
	__u32 format;
	__u32 flags;
	__u16 word;
	__u16 words;
	__u16 count;
	__u16 output;
	__u32 element;
	__u32 value_names;
	char name[64];
};

/**
 * struct tap_file_value_names - struct tap_value_names
 * @length: bytes of this with its lists, a multiple of 8
 * @nr: value names; their values follow, a __u64 each, then as many names, each a
 *	byte of length and its bytes
 */
struct tap_file_value_names {
	__u32 length;
	__u32 nr;
};

/**
 * struct tap_file_symbols - functions of the kernel
 * @nr_symbols: how many
 * @nr_modules: how many names of modules there are; 0 stands for vmlinux
 *
 * Follow @nr_modules strings, each a byte of length and its bytes; then for
 * each symbol, by address: the distance to the one before (LEB128, the first
 * counts from 0), the module (LEB128: 0, or the number of the string from 1),
 * a byte of length, and the bytes of its name.
 */
struct tap_file_symbols {
	__u64 nr_symbols;
	__u64 nr_modules;
};

/**
 * struct tap_file_module - a module came or went
 * @time: raw time at which that was seen, a moment after it was so
 * @flags: TAP_MODULE_F_*
 * @__reserved: zero
 *
 * The one name of a module that follows is its own, the symbols are its functions;
 * of one that went there are none.
 */
struct tap_file_module {
	__u64 time;
	__u32 flags;
	__u32 __reserved;
};

#define TAP_MODULE_F_GONE	(1U << 0)

/**
 * struct tap_file_data - raw ring data
 * @cpu: number of the ring
 * @__reserved: zero
 * @pos: position of the first byte in the ring's stream
 */
struct tap_file_data {
	__u32 cpu;
	__u32 __reserved;
	__u64 pos;
};

/**
 * struct tap_file_packed - compressed ring data
 * @cpu: number of the ring
 * @len: bytes that the frame holds, at most %TAP_FILE_PACKED_MAX
 * @pos: position of the first of them in the ring's stream
 */
struct tap_file_packed {
	__u32 cpu;
	__u32 len;
	__u64 pos;
};

/* What a frame holds is unpacked at once. */
#define TAP_FILE_PACKED_MAX	(1U << 20)

/**
 * struct tap_file_time - a sample of the clocks, see struct tap_time
 * @raw: the session's clock
 * @mono: CLOCK_MONOTONIC
 * @real: CLOCK_REALTIME
 */
struct tap_file_time {
	__u64 raw;
	__u64 mono;
	__u64 real;
};

/**
 * struct tap_file_stats_head - counters of a probe
 * @id: of the probe
 * @state: enum tap_probe_state
 * @nmissed: see struct tap_stats
 * @nmissed_return: see struct tap_stats
 * @nr_cpus: number of struct tap_counters that follow
 * @__reserved: zero
 */
struct tap_file_stats_head {
	__u32 id;
	__u32 state;
	__u64 nmissed;
	__u64 nmissed_return;
	__u32 nr_cpus;
	__u32 __reserved;
};

/**
 * struct tap_file_dso - a program, a library or other code of processes
 * @length: bytes of this with its lists, a multiple of 8
 * @flags: TAP_DSO_F_*
 * @nr_functions: functions that follow, as struct tap_file_function, by offset
 * @nr_lines: lines that follow them, as struct tap_file_line, by offset
 * @path_len: bytes of its path, which follows the lines; then come the strings
 *	that functions and lines refer to
 * @build_id_len: bytes of its build-id, 0 if it has none
 * @__reserved: zero
 * @build_id: its build-id
 */
struct tap_file_dso {
	__u32 length;
	__u32 flags;
	__u32 nr_functions;
	__u32 nr_lines;
	__u16 path_len;
	__u8 build_id_len;
	__u8 __reserved[5];
	__u8 build_id[32];
};

#define TAP_DSO_F_REPLACED	(1U << 0)	/* its path is another file's by now */

/**
 * struct tap_file_function - a function that addresses in the records are in
 * @offset: its first byte, in the DSO
 * @size: bytes
 * @name: where its name begins in the strings
 * @name_len: bytes of the name
 */
struct tap_file_function {
	__u64 offset;
	__u64 size;
	__u32 name;
	__u32 name_len;
};

/**
 * struct tap_file_line - the line of source of an address in the records
 * @offset: the byte, in the DSO
 * @text: where "FILE:LINE" begins in the strings
 * @text_len: bytes of it
 */
struct tap_file_line {
	__u64 offset;
	__u32 text;
	__u32 text_len;
};

/**
 * struct tap_file_map - where a DSO was
 * @from: CLOCK_MONOTONIC from which on it was there, ns
 * @until: until when; ~0: to the end
 * @start: first address
 * @end: behind the last one
 * @offset: which byte of the DSO is at @start
 * @tgid: the process; they are in the order of these
 * @dso: number of the DSO, from 0
 */
struct tap_file_map {
	__u64 from;
	__u64 until;
	__u64 start;
	__u64 end;
	__u64 offset;
	__u32 tgid;
	__u32 dso;
};

/**
 * struct tap_file_end - the recording ended as it should
 * @bytes: length of the file before this chunk
 */
struct tap_file_end {
	__u64 bytes;
};

_Static_assert(sizeof(struct tap_file_header) == 32, "file layout");
_Static_assert(sizeof(struct tap_file_chunk) == 16, "file layout");
_Static_assert(sizeof(struct tap_file_system) == 40, "file layout");
_Static_assert(sizeof(struct tap_file_clock) == 56, "file layout");
_Static_assert(sizeof(struct tap_file_probe) == 56, "file layout");
_Static_assert(sizeof(struct tap_file_field) == 88, "file layout");
_Static_assert(sizeof(struct tap_file_value_names) == 8, "file layout");
_Static_assert(sizeof(struct tap_file_symbols) == 16, "file layout");
_Static_assert(sizeof(struct tap_file_module) == 16, "file layout");
_Static_assert(sizeof(struct tap_file_data) == 16, "file layout");
_Static_assert(sizeof(struct tap_file_packed) == 16, "file layout");
_Static_assert(sizeof(struct tap_file_time) == 24, "file layout");
_Static_assert(sizeof(struct tap_file_stats_head) == 32, "file layout");
_Static_assert(sizeof(struct tap_file_end) == 8, "file layout");
_Static_assert(sizeof(struct tap_file_dso) == 56, "file layout");
_Static_assert(sizeof(struct tap_file_function) == 24, "file layout");
_Static_assert(sizeof(struct tap_file_line) == 16, "file layout");
_Static_assert(sizeof(struct tap_file_map) == 48, "file layout");
_Static_assert(sizeof(struct tap_op) == 16, "file layout");
_Static_assert(sizeof(struct tap_counters) == 128, "file layout");

#endif /* _TAP_FILE_FILE_FORMAT_H */
