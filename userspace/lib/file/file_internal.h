/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * An open trace file, for reading or writing. Private to file/.
 */
#ifndef _TAP_FILE_FILE_INTERNAL_H
#define _TAP_FILE_FILE_INTERNAL_H

#include <sys/uio.h>
#include <zstd.h>

#include "file/file_format.h"
#include "file/file_layout.h"
#include "file/file_value_names.h"
#include "record/record.h"
#include "spec/probe_table.h"
#include "util/buffer.h"
#include "util/kway_merge.h"

struct tap_maps;

/**
 * struct tap_file_extent - contiguous ring data
 * @data: whole slots, in the mapped file, or the frame that contains them
 * @pos: position of the first in the ring's stream
 * @len: bytes of slots
 * @packed: bytes of the frame; 0: not compressed
 * @chunk: the head of the chunk, whose checksum is not yet compared; its type is 0 if it
 *	was, or if there is none
 * @wrong: the checksum was compared, and is wrong
 * @window: number of its window, from 1; 0: the file has no windows
 */
struct tap_file_extent {
	const char *data;
	__u64 pos;
	__u64 len;
	__u64 packed;
	struct tap_file_chunk chunk;
	bool wrong;
	size_t window;
};

/**
 * struct tap_file_stream - the ring data of one CPU
 * @extents: in the order of the file
 * @nr: number of @extents
 * @extent: the current one
 * @offset: start of the next record in it
 * @ev: the record there, once it was found
 * @join: from raw times to those of events
 * @jump_ticks: TAP_JOIN_NS in ticks
 * @bounce: buffer for a record that spans two extents
 * @unpacked: an extent after decompression
 * @room: bytes of @unpacked
 * @which: the extent in @unpacked, from 1; 0: none
 */
struct tap_file_stream {
	struct tap_file_extent *extents;
	size_t nr;
	size_t extent;
	__u64 offset;
	struct tap_event ev;
	struct tap_join join;
	__u64 jump_ticks;
	void *bounce;
	char *unpacked;
	size_t room;
	size_t which;
};

/**
 * struct tap_file_part - the contents of a chunk
 * @data: in the mapped file
 * @len: bytes
 */
struct tap_file_part {
	const char *data;
	size_t len;
};

/**
 * struct tap_file_string - a string in the mapped file
 * @s: its bytes, without a terminating 0
 * @len: bytes; a copy, as the file may change while it is read
 */
struct tap_file_string {
	const char *s;
	__u8 len;
};

/**
 * struct tap_file_symbol - a function
 * @addr: its address
 * @name: its name, without a terminating 0; in the mapped file
 * @len: bytes of @name
 * @module: 0 or the number of its module
 */
struct tap_file_symbol {
	__u64 addr;
	const char *name;
	__u32 len;
	__u32 module;
};

/**
 * struct tap_file_names - functions by address
 * @symbols: decoded
 * @nr_symbols: number of @symbols
 * @modules: names
 * @nr_modules: number of @modules
 */
struct tap_file_names {
	struct tap_file_symbol *symbols;
	size_t nr_symbols;
	struct tap_file_string *modules;
	size_t nr_modules;
};

/**
 * struct tap_file_modlife - a module that was loaded or unloaded
 * @until: raw time of the unload; ~0: it stayed
 * @names: its functions
 */
struct tap_file_modlife {
	__u64 until;
	struct tap_file_names names;
};

/**
 * struct tap_file_batch - events of one ring that are not written yet
 * @data: whole records
 * @pos: position of the first in the ring's stream
 */
struct tap_file_batch {
	struct tap_buffer data;
	__u64 pos;
};

/**
 * struct tap_file_writer - a file that is being written
 * @fd: its descriptor
 * @bytes: written so far
 * @path: the final name
 * @temp: the current, temporary name; NULL after the rename to @path
 * @wait: called while @fd accepts no data, or NULL
 * @wait_arg: argument of @wait
 * @zstd: the compressor, or NULL
 * @packed: output of @zstd
 * @batches: of tap_file_event(), by ring; allocated
 * @nr_batches: number of @batches
 */
struct tap_file_writer {
	int fd;
	__u64 bytes;
	char *path;
	char *temp;
	int (*wait)(void *arg, int fd);
	void *wait_arg;
	ZSTD_CCtx *zstd;
	struct tap_buffer packed;
	struct tap_file_batch *batches;
	unsigned int nr_batches;
};

/**
 * struct tap_file_reader - an open trace file
 * @map: the mapped file
 * @size: its bytes
 * @info: about the recording
 * @timebase: clock
 * @times: clock samples, in the order of the file
 * @nr_times: number of @times
 * @sync: of struct tap_file_sync; UINT64_MAX: the clock was not synchronised
 * @value_names: the lists that the fields of @probes refer to
 * @probes: probe table
 * @stats: counters, in the order of the file
 * @nr_stats: number of @stats
 * @spans: counts and open entries of spans; their words are in the mapped file
 * @nr_spans: number of @spans
 * @keep: counts of kept events; its size is 0 if all events were recorded
 * @tasks: counts of the table of tasks; its size is 0 if there was none
 * @windows: of a flight recorder, in the order of the file
 * @nr_windows: number of @windows
 * @flight: their counts; its size is 0 if the file has none
 * @nr_rings: CPU numbers of ring data are below this
 * @streams: ring data by CPU
 * @nr_streams: number of @streams
 * @merge: streams by the time of their next record
 * @merging: @merge is filled
 * @given: the caller has the first record of @merge
 * @last_time: time of the last event returned
 * @names_time: time at which addresses are named
 * @jump_raw: raw time after the last jump that was reported
 * @counts: counters of returned and skipped events
 * @have: bits of the chunk types that were read
 * @symbol_parts: chunks of symbols, not yet decoded
 * @nr_symbol_parts: number of @symbol_parts
 * @added_symbols: the chunk of those added since the start; its data may be NULL
 * @names: functions that existed during the whole recording; decoded at the first
 *	look-up
 * @module_parts: the chunks of modules that were loaded or unloaded
 * @nr_module_parts: number of @module_parts
 * @modlives: @module_parts, decoded at the first look-up
 * @nr_modlives: number of @modlives
 * @symbols_tried: @names and @modlives were decoded, as far as possible
 * @dsos: programs and libraries, each with its head
 * @nr_dsos: number of @dsos
 * @maps: contents of the MAPS chunk
 * @kernel_lines: the KERNEL_LINES chunk from the first line on; its data may be NULL
 * @nr_kernel_lines: number of lines, which @kernel_lines has room for
 * @cut: reason why the file cannot be read to its end, or empty
 */
struct tap_file_reader {
	const char *map;
	size_t size;
	struct tap_file_info info;
	struct tap_timebase timebase;
	struct tap_time *times;
	size_t nr_times;
	__u64 sync;
	struct tap_file_value_names_table value_names;
	struct tap_probes probes;
	struct tap_file_stats *stats;
	size_t nr_stats;
	struct tap_span_read *spans;
	size_t nr_spans;
	struct tap_keep_counts keep;
	struct tap_tasks_read tasks;
	struct tap_window_info *windows;
	size_t nr_windows;
	struct tap_flight_counts flight;
	__u32 nr_rings;
	struct tap_file_stream *streams;
	unsigned int nr_streams;
	struct tap_merge merge;
	bool merging;
	bool given;
	__u64 last_time;
	__u64 names_time;
	__u64 jump_raw;
	struct tap_reader_counts counts;
	__u32 have;
	struct tap_file_part *symbol_parts;
	size_t nr_symbol_parts;
	struct tap_file_part added_symbols;
	struct tap_file_names names;
	struct tap_file_part *module_parts;
	size_t nr_module_parts;
	struct tap_file_modlife *modlives;
	size_t nr_modlives;
	bool symbols_tried;
	struct tap_file_part *dsos;
	size_t nr_dsos;
	struct tap_file_part maps;
	struct tap_file_part kernel_lines;
	__u64 nr_kernel_lines;
	char cut[256];
};

/* The name of a symbol's module. Its length is 0 for vmlinux. */
static inline struct tap_file_string tap_file_module_of(const struct tap_file_names *names,
							const struct tap_file_symbol *sym)
{
	return sym->module ? names->modules[sym->module - 1] : (struct tap_file_string){ "", 0 };
}

/* file_open.c */
int tap_file_part_add(struct tap_file_part **parts, size_t *nr, const char *data, size_t len);

/* file_spool.c */
int tap_file_spool(int from, const char *path, struct tap_error *err);

/* file_names.c */
void tap_file_names_load(struct tap_file_names *names, const char *data,
			 size_t len);
void tap_file_names_free(struct tap_file_names *names);
const struct tap_file_symbol *
tap_file_names_find(const struct tap_file_names *names, __u64 addr);

/* file_modules.c */
int tap_file_parse_module(struct tap_file_reader *file, const char *data,
			  size_t len);
void tap_file_modlives_load(struct tap_file_reader *file);
void tap_file_modlives_leave(struct tap_file_reader *file);
const struct tap_file_symbol *
tap_file_modlives_find(const struct tap_file_reader *file, __u64 addr,
		       const struct tap_file_symbol *stayed,
		       const struct tap_file_names **names);
void tap_file_modlives_free(struct tap_file_reader *file);

/* file_probes.c */
char *tap_file_field_put(char *p, const struct tap_file_value_names_table *table,
			 const struct tap_field *field);
int tap_file_field_parse(struct tap_field *field, const struct tap_file_value_names_table *table,
			 const char *p);

/* Reads a span. Returns 0, -EBADMSG or -ENOMEM. */
int tap_file_parse_span(struct tap_file_reader *file, const char *data, size_t len);

/* file_keep.c */
void tap_file_batches_free(struct tap_file_writer *w);
int tap_file_parse_keep(struct tap_file_reader *file, const char *data, size_t len);

/* file_tasks.c */
int tap_file_parse_tasks(struct tap_file_reader *file, const char *data, size_t len);

/* file_window.c */
int tap_file_parse_window(struct tap_file_reader *file, const char *data, size_t len);
int tap_file_parse_flight(struct tap_file_reader *file, const char *data, size_t len);

/* Reads the probe table. Returns 0, -EBADMSG or -ENOMEM. */
int tap_file_parse_probes(struct tap_file_reader *file, const char *data,
			  size_t len);

/* Finds the programs and libraries. Returns 0, -EBADMSG or -ENOMEM. */
int tap_file_parse_dsos(struct tap_file_reader *file, const char *data,
			size_t len);

/* Finds the maps of programs and libraries. Returns 0 or -EBADMSG. */
int tap_file_parse_maps(struct tap_file_reader *file, const char *data,
			size_t len);

struct tap_symbol;

/* file_symbols_write.c */
int tap_file_symbols_of(struct tap_file_writer *w, const struct tap_symbol *const *list,
			size_t nr, const struct tap_symbols *before);

struct tap_kernel_addrs;

/* file_lines.c */
int tap_kernel_addrs_lines(const struct tap_kernel_addrs *k, struct tap_file_writer *w,
			   int (*resolve)(const void *arg, __u64 addr, char *buf, size_t len),
			   const void *arg);
int tap_file_parse_lines(struct tap_file_reader *file, const char *data, size_t len);
void tap_file_add_line(const struct tap_file_reader *file, __u64 addr, char *name, size_t size);

/* file_dso_write.c */
int tap_file_dsos(struct tap_file_writer *w, struct tap_maps *maps);

/* Writes the parts one after the other; changes @iov. Returns 0 or -errno of a write. */
int tap_file_write_all(struct tap_file_writer *w, struct iovec *iov, int nr);

/* Returns the checksum of a chunk with this type and length, and these contents. */
__u32 tap_file_chunk_sum(const struct tap_file_chunk *chunk, const void *data);

/*
 * Appends a chunk: its fixed part @head, then @data; both may be empty. Returns 0 or
 * -errno of a write.
 */
int tap_file_chunk(struct tap_file_writer *w, enum tap_chunk_type type,
		   const void *head, size_t head_len, const void *data,
		   size_t len);

/*
 * Makes room for a record of a chunk. @buf grows by the record and its padding, which
 * is zeroed. @length is set to both, @p to the place of the record. Returns 0, -E2BIG
 * or -ENOMEM.
 */
int tap_file_record_room(struct tap_buffer *buf, size_t len, __u32 *length, char **p);

#endif /* _TAP_FILE_FILE_INTERNAL_H */
