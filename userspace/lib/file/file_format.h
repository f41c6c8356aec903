/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The trace file, suffix .tap. All numbers are little-endian.
 *	struct tap_file_header
 *	chunk: struct tap_file_chunk, then chunk.length bytes, then zeros up to
 *	       a multiple of 8 (which length does not count)
 *	...
 *	chunk of type TAP_CHUNK_END
 * A file starts with SYSTEM, CLOCK, optionally VALUE_NAMES and LAYOUTS, and PROBES. DATA or PACKED,
 * SYMBOLS, TIME and MODULE follow as they arise: SYMBOLS has functions of the start of the
 * recording that are in records of the DATA before it, and may also have all functions.
 * Then come SPAN, optionally ADDED_SYMBOLS, optionally DSOS and MAPS, optionally KERNEL_LINES,
 * then STATS and optionally TASKS, then END. KEEP follows the DATA if events were dropped. A file
 * without END was cut. Readers skip chunks of unknown type; a change that readers must not skip needs
 * a new version.
 *
 * Structures are fixed for a version and have no holes. Lists and strings follow the
 * structure as its comment says. Strings have no terminating 0.
 */
#ifndef _TAP_FILE_FILE_FORMAT_H
#define _TAP_FILE_FILE_FORMAT_H

#include <linux/tap.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the trace file is read and written in place: little-endian only"
#endif

#define TAP_FILE_MAGIC		"\223tapfile"	/* without the terminating 0 */
#define TAP_FILE_VERSION	4
#define TAP_FILE_ALIGN		8

/**
 * struct tap_file_header - the first bytes of the file
 * @magic: %TAP_FILE_MAGIC; the first byte is not ASCII
 * @version: %TAP_FILE_VERSION
 * @length: bytes of this header; the first chunk follows
 * @__reserved: zero
 */
struct tap_file_header {
	char magic[8];
	__u32 version;
	__u32 length;
	__u64 __reserved[2];
};

/**
 * enum tap_chunk_type - the contents of a chunk
 * @TAP_CHUNK_SYSTEM: struct tap_file_system
 * @TAP_CHUNK_CLOCK: struct tap_file_clock
 * @TAP_CHUNK_PROBES: a struct tap_file_probe with its lists for each probe
 * @TAP_CHUNK_SYMBOLS: struct tap_file_symbols with its lists; there may be several
 * @TAP_CHUNK_DATA: struct tap_file_data, then whole slots
 * @TAP_CHUNK_TIME: struct tap_file_time
 * @TAP_CHUNK_STATS: struct tap_file_stats_head, then counters by CPU
 * @TAP_CHUNK_END: struct tap_file_end
 * @TAP_CHUNK_VALUE_NAMES: struct tap_file_value_names with its lists, for each list
 *	that fields of the probes refer to; precedes PROBES
 * @TAP_CHUNK_DSOS: a struct tap_file_dso with its lists for each program and library
 *	that has addresses in the records
 * @TAP_CHUNK_MAPS: a struct tap_file_map for each place where one of the DSOs was
 *	mapped, by process
 * @TAP_CHUNK_PACKED: struct tap_file_packed, then a frame of Zstandard (RFC 8878)
 *	that contains whole slots; replaces DATA
 * @TAP_CHUNK_MODULE: struct tap_file_module, then the contents of a SYMBOLS chunk
 * @TAP_CHUNK_ADDED_SYMBOLS: as SYMBOLS: functions that were added since the start
 * @TAP_CHUNK_SPAN: struct tap_file_span with its lists, for each span of the probes
 * @TAP_CHUNK_LAYOUTS: struct tap_file_layout with its lists, for each list of value names that has
 *	the members of a struct; precedes PROBES
 * @TAP_CHUNK_KERNEL_LINES: their number, of 64 bits, a struct tap_file_kernel_line for each, by
 *	address, and their strings
 * @TAP_CHUNK_KEEP: struct tap_file_keep; without it no event was dropped
 * @TAP_CHUNK_TASKS: struct tap_file_tasks; without it the session had no table of tasks
 * @TAP_CHUNK_SYNC: struct tap_file_sync; without it the clock was not synchronised
 * @TAP_CHUNK_WINDOW: struct tap_file_window: the DATA or PACKED up to the next one are its records.
 *	Without it the file has all records
 * @TAP_CHUNK_FLIGHT: struct tap_file_flight, at the end of a file with windows
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
	TAP_CHUNK_ADDED_SYMBOLS	= 14,
	TAP_CHUNK_SPAN		= 15,
	TAP_CHUNK_LAYOUTS	= 16,
	TAP_CHUNK_KERNEL_LINES	= 17,
	TAP_CHUNK_KEEP		= 18,
	TAP_CHUNK_TASKS		= 19,
	TAP_CHUNK_SYNC		= 20,
	TAP_CHUNK_WINDOW	= 21,
	TAP_CHUNK_FLIGHT	= 22,
};

/**
 * struct tap_file_chunk - the head of each chunk
 * @type: enum tap_chunk_type
 * @sum: CRC-32C over @type, @length (12 bytes) and the bytes that follow, without the padding
 * @length: bytes that follow, without the padding
 */
struct tap_file_chunk {
	__u32 type;
	__u32 sum;
	__u64 length;
};

/**
 * struct tap_file_system - the system and the command of the recording
 * @date: CLOCK_REALTIME of the start, seconds
 * @nr_cpus: CPUs that were online
 * @page_size: bytes
 * @nr_rings: CPU numbers are below this
 * @len: bytes of the strings that follow: sysname, release, version, machine and name
 *	of the machine, command line, version of the tool, and one that is reserved
 * @flags: enum tap_file_info_flag
 */
struct tap_file_system {
	__u64 date;
	__u32 nr_cpus;
	__u32 page_size;
	__u32 nr_rings;
	__u16 len[8];
	__u32 flags;
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
 * @maxactive: as requested
 * @slots: slots of a record
 * @words: value words of a record
 * @nr_ops: ops of its program that follow, as struct tap_op
 * @nr_fields: fields that follow, as struct tap_file_field
 * @event_len: bytes of its text, TYPE:TARGET; the string follows the fields
 * @target_len: bytes of its target, which follows the text
 * @data_len: bytes of the patterns of its program, which follow the target
 * @name_len: bytes of the name that the user gave to it, which follows the patterns
 * @side: enum tap_span_side, of the span that precedes it; 0: it is no side of a span
 * @address: address of the probe, 0 if unknown
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
	__u16 name_len;
	__u16 side;
	__u64 address;
};

/**
 * struct tap_file_field - struct tap_field
 * @format: enum tap_format
 * @flags: TAP_FIELD_F_*
 * @word: first value word
 * @words: value words
 * @count: elements of an array; 0: not an array
 * @output: number of the output in the program
 * @element: enum tap_format of the elements of an array
 * @value_names: number of the list of value names in the file, from 1; 0: none
 * @name: padded with 0
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
 * struct tap_file_layout - struct tap_layout
 * @length: bytes of this with its lists, a multiple of 8
 * @value_names: number of the list of value names that has it, from 1
 * @nr: nodes that follow, as struct tap_file_layout_node, then as many names, each a byte of
 *	length and its bytes
 * @__reserved: zero
 */
struct tap_file_layout {
	__u32 length;
	__u32 value_names;
	__u32 nr;
	__u32 __reserved;
};

/**
 * struct tap_file_layout_node - struct tap_layout_node
 * @kind: enum tap_layout_kind
 * @bits: width of a bitfield
 * @is_signed: 1: the number is signed
 * @format: enum tap_format of a number
 * @size: bytes; of an array: of one element
 * @count: elements of an array
 * @bit: offset in bits from the start of the node around it
 * @end: index of the node behind it and its parts
 * @value_names: number of the list of value names in the file, from 1; 0: none
 */
struct tap_file_layout_node {
	__u8 kind;
	__u8 bits;
	__u8 is_signed;
	__u8 format;
	__u32 size;
	__u32 count;
	__u32 bit;
	__u32 end;
	__u32 value_names;
};

/**
 * struct tap_file_symbols - functions of the kernel
 * @nr_symbols: symbols that follow the strings
 * @nr_modules: names of modules that follow; vmlinux has none
 *
 * @nr_modules strings follow, each a byte of length and its bytes. Then for each
 *	symbol, by address: the distance to the symbol before it (LEB128, the first
 *	counts from 0), the module (LEB128: 0, or the number of the string from 1), a
 *	byte of length, and the bytes of its name.
 */
struct tap_file_symbols {
	__u64 nr_symbols;
	__u64 nr_modules;
};

/**
 * struct tap_file_module - a module was loaded or unloaded
 * @time: raw time at which tap noticed it, a moment after the event
 * @flags: TAP_MODULE_F_*
 * @__reserved: zero
 *
 * The symbols that follow are the module's functions, none after it was unloaded. The
 * only name of a module is its own.
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
 * @len: bytes after decompression, at most %TAP_FILE_PACKED_MAX
 * @pos: position of the first of them in the ring's stream
 */
struct tap_file_packed {
	__u32 cpu;
	__u32 len;
	__u64 pos;
};

/* A frame is decompressed at once. */
#define TAP_FILE_PACKED_MAX	(1U << 20)
/*
 * A frame gets at most this many times longer. Each slot has its own number, so records of zeros at
 * one time get 51 times longer. This bounds the memory that a reader needs for a file.
 */
#define TAP_FILE_PACKED_RATIO	256

/**
 * struct tap_file_time - a sample of the clocks, see struct tap_time
 * @raw: the session's clock
 * @mono: CLOCK_MONOTONIC, ns
 * @real: CLOCK_REALTIME, ns
 */
struct tap_file_time {
	__u64 raw;
	__u64 mono;
	__u64 real;
};

/**
 * struct tap_file_sync - how true CLOCK_REALTIME was
 * @error: its greatest error during the recording, as adjtimex(2) reports it, ns
 */
struct tap_file_sync {
	__u64 error;
};

/**
 * struct tap_file_stats_head - counters of a probe
 * @id: of the probe
 * @state: enum tap_probe_state
 * @nmissed: see struct tap_stats
 * @nmissed_return: see struct tap_stats
 * @nr_cpus: number of struct tap_counters that follow
 * @flags: enum tap_stats_flag
 */
struct tap_file_stats_head {
	__u32 id;
	__u32 state;
	__u64 nmissed;
	__u64 nmissed_return;
	__u32 nr_cpus;
	__u32 flags;
};

/**
 * struct tap_file_span - a span at the end of the recording
 * @id: of its probe
 * @nr_fields: values of an open entry, which follow as struct tap_file_field; their words count
 *	from the start of the entry
 * @nr_keys: how many of them are the key
 * @entry_words: words of an open entry
 * @nr_entries: open entries, which follow the fields: struct tap_span_event and the words behind
 * @opened: this and the others: see struct tap_span_read
 * @restarted: see @opened
 * @full: see @opened
 * @busy: see @opened
 * @ended: see @opened
 * @unmatched: see @opened
 * @unmatched_busy: see @opened
 * @cleared: see @opened
 * @open: see @opened
 */
struct tap_file_span {
	__u32 id;
	__u32 nr_fields;
	__u32 nr_keys;
	__u32 entry_words;
	__u64 nr_entries;
	__u64 opened;
	__u64 restarted;
	__u64 full;
	__u64 busy;
	__u64 ended;
	__u64 unmatched;
	__u64 unmatched_busy;
	__u64 cleared;
	__u64 open;
};

/**
 * struct tap_file_keep - struct tap_keep_counts
 * @verdicts: as there
 * @kept: as there
 * @not_kept: as there
 * @incomplete: as there
 * @apart: as there
 * @under_way: as there
 * @memory: as there
 */
struct tap_file_keep {
	__u64 verdicts;
	__u64 kept;
	__u64 not_kept;
	__u64 incomplete;
	__u64 apart;
	__u64 under_way;
	__u64 memory;
};

/**
 * struct tap_file_tasks - struct tap_tasks_read
 * @no_room: as there
 * @backwards: as there
 * @unexpected: as there
 * @no_wait: as there
 */
struct tap_file_tasks {
	__u64 no_room;
	__u64 backwards;
	__u64 unexpected;
	__u64 no_wait;
};

/**
 * struct tap_file_window - struct tap_window_info
 * @time: as there; this and the next two are raw times
 * @from: as there
 * @to: as there, not before @from
 * @events: as there
 * @merged: as there
 * @missed: as there
 * @probe: as there
 * @cpu: as there
 * @flags: TAP_WINDOW_INFO_F_*
 * @__reserved: zero
 */
struct tap_file_window {
	__u64 time;
	__u64 from;
	__u64 to;
	__u64 events;
	__u64 merged;
	__u64 missed;
	__u32 probe;
	__u32 cpu;
	__u32 flags;
	__u32 __reserved;
};

/**
 * struct tap_file_flight - struct tap_flight_counts
 * @windows: as there
 * @merged: as there
 * @missed: as there
 * @skipped: as there
 */
struct tap_file_flight {
	__u64 windows;
	__u64 merged;
	__u64 missed;
	__u64 skipped;
};

/**
 * struct tap_file_kernel_line - a place in a function of a module
 * @addr: its address
 * @text: where its text begins in the strings: "+0x10 [mod] file.c:12", and the inlined
 *	functions behind it, see tap_types_line()
 * @text_len: bytes of it
 */
struct tap_file_kernel_line {
	__u64 addr;
	__u32 text;
	__u32 text_len;
};

/**
 * struct tap_file_dso - a program, a library or other code of processes
 * @length: bytes of this with its lists, a multiple of 8
 * @flags: TAP_DSO_F_*
 * @nr_functions: functions that follow, as struct tap_file_function, by offset
 * @nr_lines: lines that follow them, as struct tap_file_line, by offset
 * @path_len: bytes of its path, which follows the lines; the strings that functions and
 *	lines refer to follow the path
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

#define TAP_DSO_F_REPLACED	(1U << 0)	/* another file has its path now */

/**
 * struct tap_file_function - a function with addresses in the records
 * @offset: its first byte, in the DSO
 * @size: bytes
 * @name: offset of its name in the strings
 * @name_len: bytes of the name
 */
struct tap_file_function {
	__u64 offset;
	__u64 size;
	__u32 name;
	__u32 name_len;
};

/**
 * struct tap_file_line - the source line of an address in the records
 * @offset: the byte, in the DSO
 * @text: offset of "FILE:LINE" in the strings
 * @text_len: bytes of it
 */
struct tap_file_line {
	__u64 offset;
	__u32 text;
	__u32 text_len;
};

/**
 * struct tap_file_map - a place where a DSO was mapped
 * @from: CLOCK_MONOTONIC of the start, ns
 * @until: CLOCK_MONOTONIC of the end, ns; ~0: to the end
 * @start: first address
 * @end: address after the last one
 * @offset: byte of the DSO at @start
 * @tgid: the process; maps are sorted by it
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
 * struct tap_file_end - the recording was completed
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
_Static_assert(sizeof(struct tap_file_layout) == 16, "file layout");
_Static_assert(sizeof(struct tap_file_layout_node) == 24, "file layout");
_Static_assert(sizeof(struct tap_file_symbols) == 16, "file layout");
_Static_assert(sizeof(struct tap_file_module) == 16, "file layout");
_Static_assert(sizeof(struct tap_file_data) == 16, "file layout");
_Static_assert(sizeof(struct tap_file_packed) == 16, "file layout");
_Static_assert(sizeof(struct tap_file_time) == 24, "file layout");
_Static_assert(sizeof(struct tap_file_sync) == 8, "file layout");
_Static_assert(sizeof(struct tap_file_stats_head) == 32, "file layout");
_Static_assert(sizeof(struct tap_file_span) == 96, "file layout");
_Static_assert(sizeof(struct tap_file_keep) == 56, "file layout");
_Static_assert(sizeof(struct tap_file_tasks) == 32, "file layout");
_Static_assert(sizeof(struct tap_file_end) == 8, "file layout");
_Static_assert(sizeof(struct tap_file_dso) == 56, "file layout");
_Static_assert(sizeof(struct tap_file_function) == 24, "file layout");
_Static_assert(sizeof(struct tap_file_line) == 16, "file layout");
_Static_assert(sizeof(struct tap_file_map) == 48, "file layout");
_Static_assert(sizeof(struct tap_op) == 16, "file layout");
_Static_assert(sizeof(struct tap_counters) == 128, "file layout");
_Static_assert(sizeof(struct tap_span_event) == 48, "file layout");

#endif /* _TAP_FILE_FILE_FORMAT_H */
