/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The memory of a dead machine, and the sessions in it. Nothing in it is trusted. Private to dump/.
 */
#ifndef _TAP_DUMP_DUMP_H
#define _TAP_DUMP_DUMP_H

#include <stdbool.h>

#include <libtap.h>

struct tap_kdump;

/**
 * struct tap_dump_segment - memory that is in the file as it was
 * @addr: physical address
 * @len: bytes
 * @offset: in the file
 */
struct tap_dump_segment {
	__u64 addr;
	__u64 len;
	__u64 offset;
};

/**
 * struct tap_dump_memory - the memory of a machine
 * @fd: the file
 * @segments: of an ELF file
 * @nr_segments: number of @segments
 * @kdump: of another file: its reader
 * @end: physical address behind the last byte
 */
struct tap_dump_memory {
	int fd;
	struct tap_dump_segment *segments;
	size_t nr_segments;
	struct tap_kdump *kdump;
	__u64 end;
};

/* dump_memory.c */
int tap_dump_memory_open(struct tap_dump_memory *memory, const char *path, struct tap_error *err);
void tap_dump_memory_close(struct tap_dump_memory *memory);
bool tap_dump_memory_read(const struct tap_dump_memory *memory, __u64 addr, void *data, size_t len);

/* dump_kdump.c */
int tap_kdump_open(struct tap_kdump **kdump, int fd, __u64 *end, const char *path,
		   struct tap_error *err);
void tap_kdump_close(struct tap_kdump *kdump);
bool tap_kdump_read(const struct tap_kdump *kdump, __u64 addr, void *data, size_t len);

/**
 * struct tap_dump_pages - pages that lists name together
 * @pfns: their numbers; 0: not named
 * @nr: number of @pfns
 * @bytes: see struct tap_anchor_list
 * @named: pages that were named
 */
struct tap_dump_pages {
	__u64 *pfns;
	size_t nr;
	__u64 bytes;
	size_t named;
};

/**
 * struct tap_dump_ring - a ring of a session
 * @pages: its pages, as struct tap_anchor_list has them
 * @cpu: of its CPU
 * @set: 0, or 1: of the second set of rings, which a session that overwrites has
 * @damaged: it cannot be read
 * @first: raw time of its first record; 0: it has none
 */
struct tap_dump_ring {
	struct tap_dump_pages pages;
	__u32 cpu;
	__u32 set;
	bool damaged;
	__u64 first;
};

/**
 * struct tap_dump_entry - a session that was found
 * @anchor: its anchor, whose checksum is right
 * @second: that of its second set of rings; its length is 0 if there is none
 * @looked: @about and what follows are filled in
 * @about: about it
 * @meta: of its rings; its length is 0 if it cannot be read
 * @rings: its rings, by CPU and the time of their records
 * @nr_rings: number of @rings
 * @description: the beginning of a trace file; its length is 0 if there is none
 */
struct tap_dump_entry {
	struct tap_anchor anchor;
	struct tap_anchor second;
	bool looked;
	struct tap_dump_session about;
	struct tap_meta meta;
	struct tap_dump_ring *rings;
	size_t nr_rings;
	struct tap_dump_pages description;
};

/**
 * struct tap_dump - a dump
 * @memory: where it is read from
 * @path: its name
 * @entries: sessions, by id
 * @nr_entries: number of @entries
 * @later: anchors of a version that is not known
 */
struct tap_dump {
	struct tap_dump_memory memory;
	char *path;
	struct tap_dump_entry *entries;
	size_t nr_entries;
	size_t later;
};

/* dump_scan.c */
int tap_dump_scan(struct tap_dump *dump, const struct tap_dump_opts *opts);

/* dump_session.c */
int tap_dump_look(struct tap_dump *dump, struct tap_dump_entry *entry);
void tap_dump_entry_free(struct tap_dump_entry *entry);
bool tap_dump_page(const struct tap_dump *dump, const struct tap_dump_entry *entry, __u64 pfn,
		   void *data);

/* Gives the whole records of a ring, as many at a time as follow each other. */
typedef int tap_dump_give(void *arg, __u32 cpu, __u64 pos, const void *data, size_t len);
int tap_dump_ring_read(const struct tap_dump *dump, struct tap_dump_entry *entry,
		       struct tap_dump_ring *ring, tap_dump_give *give, void *arg);

#endif /* _TAP_DUMP_DUMP_H */
