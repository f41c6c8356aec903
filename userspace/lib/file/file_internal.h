/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * An open trace file, for reading or writing. Private to file/.
 */
#ifndef _TAP_FILE_FILE_INTERNAL_H
#define _TAP_FILE_FILE_INTERNAL_H

#include <sys/uio.h>
#include <zstd.h>

#include "file/file_format.h"
#include "file/file_value_names.h"
#include "util/buffer.h"
#include "util/kway_merge.h"

struct tap_maps;

/**
 * struct tap_file_extent - contiguous ring data
 * @data: whole slots, in the mapped file, or the frame that holds them
 * @pos: position of the first in the ring's stream
 * @len: bytes of slots
 * @packed: bytes of the frame; 0: there is none
 */
struct tap_file_extent {
	const char *data;
	__u64 pos;
	__u64 len;
	__u64 packed;
};

/**
 * struct tap_file_stream - the ring data of one CPU
 * @extents: in the order of the file
 * @nr: number of @extents
 * @extent: the one that is being read
 * @offset: begin of the next record in it
 * @ev: the record there, once it was found
 * @bounce: a record that lies in two extents is put together here
 * @unpacked: an extent that was compressed
 * @room: bytes there
 * @which: of the extents it is, from 1; 0: none
 */
struct tap_file_stream {
	struct tap_file_extent *extents;
	size_t nr;
	size_t extent;
	__u64 offset;
	struct tap_event ev;
	void *bounce;
	char *unpacked;
	size_t room;
	size_t which;
};

/**
 * struct tap_file_part - what a chunk holds
 * @data: in the mapped file
 * @len: bytes
 */
struct tap_file_part {
	const char *data;
	size_t len;
};

/**
 * struct tap_file_symbol - a function
 * @addr: its address
 * @name: its name, not ended by 0
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
 * @modules: names, each a byte of length and its bytes
 * @nr_modules: number of @modules
 */
struct tap_file_names {
	struct tap_file_symbol *symbols;
	size_t nr_symbols;
	const char **modules;
	size_t nr_modules;
};

/**
 * struct tap_file_modlife - a module that came or went
 * @until: raw time until which it was there; ~0: to the end
 * @names: its functions
 */
struct tap_file_modlife {
	__u64 until;
	struct tap_file_names names;
};

/**
 * struct tap_file_writer - a file that is being written
 * @fd: its descriptor
 * @bytes: written so far
 * @path: the name that it is to have
 * @temp: the name that it has, NULL once that is @path
 * @wait: called while @fd takes nothing, or NULL
 * @wait_arg: handed to @wait
 * @zstd: the compressor, or NULL
 * @packed: what it gave
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
};

/**
 * struct tap_file_reader - an open trace file
 * @map: the mapped file
 * @size: its bytes
 * @info: about the recording
 * @timebase: clock
 * @times: first and last clock sample
 * @nr_times: how many there were
 * @value_names: the lists that the fields of @probes refer to
 * @probes: probe table
 * @stats: counters, by the order of the file
 * @nr_stats: number of @stats
 * @streams: ring data by CPU
 * @nr_streams: number of @streams
 * @merge: streams by the time of their next record
 * @merging: the merge is filled
 * @given: the first record of the merge is the caller's
 * @last_time: of the last event given
 * @counts: what was given
 * @have: bits of the chunk types that were read
 * @symbol_parts: the chunks of symbols, not yet decoded: the first and the last
 * @nr_symbol_parts: how many there are
 * @names: decoded at the first look-up: of what stayed
 * @module_parts: the chunks of modules that came or went
 * @nr_module_parts: how many there are
 * @modlives: decoded likewise
 * @nr_modlives: number of @modlives
 * @symbols_tried: @names and @modlives are as good as it gets
 * @dsos: programs and libraries, each with its head
 * @nr_dsos: number of @dsos
 * @maps: where they were: the chunk
 * @cut: where the file ends too early, or empty
 */
struct tap_file_reader {
	const char *map;
	size_t size;
	struct tap_file_info info;
	struct tap_timebase timebase;
	struct tap_time times[2];
	unsigned int nr_times;
	struct tap_file_value_names_table value_names;
	struct tap_probes probes;
	struct tap_file_stats *stats;
	size_t nr_stats;
	struct tap_file_stream *streams;
	unsigned int nr_streams;
	struct tap_merge merge;
	bool merging;
	bool given;
	__u64 last_time;
	struct tap_reader_counts counts;
	__u32 have;
	struct tap_file_part symbol_parts[2];
	unsigned int nr_symbol_parts;
	struct tap_file_names names;
	struct tap_file_part *module_parts;
	size_t nr_module_parts;
	struct tap_file_modlife *modlives;
	size_t nr_modlives;
	bool symbols_tried;
	struct tap_file_part *dsos;
	size_t nr_dsos;
	struct tap_file_part maps;
	char cut[256];
};

/* The name of a symbol's module: a byte of length and its bytes; of the kernel "". */
static inline const char *tap_file_module_of(const struct tap_file_names *names,
					     const struct tap_file_symbol *sym)
{
	return sym->module ? names->modules[sym->module - 1] : "";
}

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

/**
 * tap_file_parse_probes() - read the probe table
 * @file: the table goes there
 * @data: the chunk
 * @len: its bytes
 *
 * Return: 0, -EBADMSG or -ENOMEM.
 */
int tap_file_parse_probes(struct tap_file_reader *file, const char *data,
			  size_t len);

/**
 * tap_file_parse_dsos() - find the programs and libraries
 * @file: they go there
 * @data: the chunk
 * @len: its bytes
 *
 * Return: 0, -EBADMSG or -ENOMEM.
 */
int tap_file_parse_dsos(struct tap_file_reader *file, const char *data,
			size_t len);

/**
 * tap_file_parse_maps() - find where they were
 * @file: the place goes there
 * @data: the chunk
 * @len: its bytes
 *
 * Return: 0 or -EBADMSG.
 */
int tap_file_parse_maps(struct tap_file_reader *file, const char *data,
			size_t len);

/* file_dso_write.c */
int tap_file_dsos(struct tap_file_writer *w, struct tap_maps *maps);

/**
 * tap_file_write_all() - write parts one after the other
 * @w: a file
 * @iov: the parts; changed
 * @nr: number of @iov
 *
 * Return: 0 or -errno of a write.
 */
int tap_file_write_all(struct tap_file_writer *w, struct iovec *iov, int nr);

/**
 * tap_file_chunk() - append a chunk
 * @w: a file
 * @type: of the chunk
 * @head: its fixed part; may be empty, as what follows it
 * @head_len: bytes at @head
 * @data: what follows
 * @len: bytes at @data
 *
 * Return: 0 or -errno of a write.
 */
int tap_file_chunk(struct tap_file_writer *w, enum tap_chunk_type type,
		   const void *head, size_t head_len, const void *data,
		   size_t len);

/**
 * tap_file_record_room() - make room for a record of a chunk
 * @buf: the chunk; it grows by the record and its padding, which is zeroed
 * @len: bytes of the record
 * @length: set to the bytes with the padding
 * @p: set to where the record goes
 *
 * Return: 0, -E2BIG or -ENOMEM.
 */
int tap_file_record_room(struct tap_buffer *buf, size_t len, __u32 *length, char **p);

#endif /* _TAP_FILE_FILE_INTERNAL_H */
