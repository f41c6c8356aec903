/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Names for the addresses of programs: which file was mapped there, in which
 * process, at which time; and what that file has there. Live it is asked of the
 * kernel and the files; in a trace file all of it is kept. Private to libtap and
 * its tool.
 */
#ifndef _TAP_USER_SYMBOLS_H
#define _TAP_USER_SYMBOLS_H

#include "elf.h"

struct tap_mappings;
struct tap_user_symbols;

/*
 * mappings.c: what processes have mapped with the right to execute it. All that
 * run are read from /proc, and what they map from then on is heard from the
 * kernel (perf_event_open: mmap2, fork, exit and exec of all CPUs, with times of
 * CLOCK_MONOTONIC), so that one that has ended by the time its records are read
 * is known all the same.
 */

/**
 * struct tap_mapping - a part of a file, mapped in a process
 * @tgid: the process
 * @from: CLOCK_MONOTONIC from which on it was there, ns; 0: from the begin
 * @until: until when, ~0: to the end
 * @start: first address
 * @end: behind the last one
 * @offset: which byte of the file is at @start
 * @path: the file; "[vdso]"; "" where it is no file (a JIT's code)
 * @build_id: of the file
 * @build_id_len: bytes of it, 0 if not known
 */
struct tap_mapping {
	uint32_t tgid;
	uint64_t from;
	uint64_t until;
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	const char *path;
	uint8_t build_id[TAP_BUILD_ID_MAX];
	uint8_t build_id_len;
};

/* pid: that process alone, 0: all. -errno with a sentence that is a remark only. */
int tap_mappings_open(struct tap_mappings **maps, struct tap_error *err);
/* Reads what the kernel told since; to be called whenever records are read. */
void tap_mappings_update(struct tap_mappings *maps);
/* Events of the kernel's that were lost, so that a mapping may be missing. */
uint64_t tap_mappings_lost(const struct tap_mappings *maps);
/* The mapping that an address was in; NULL: none is known. */
const struct tap_mapping *tap_mappings_find(const struct tap_mappings *maps,
					    uint32_t tgid, uint64_t time,
					    uint64_t addr);
void tap_mappings_close(struct tap_mappings *maps);

/* user_symbols.c: names by mappings, which must stay. */
int tap_user_symbols_open(struct tap_user_symbols **syms,
			  struct tap_mappings *maps);
void tap_user_symbols_close(struct tap_user_symbols *syms);
/*
 * "func+0x10 [object] file.c:12", "0x... [object]" where it has no name, as the
 * resolve_user of struct tap_formatter_opts; 0 or -ENOENT.
 */
int tap_user_symbols_lookup(const void *syms, uint32_t tgid, uint64_t time,
			    uint64_t addr, char *buf, size_t len);

#endif /* _TAP_USER_SYMBOLS_H */
