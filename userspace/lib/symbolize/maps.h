/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Executable maps of processes, by time. Private to symbolize/ and file/.
 */
#ifndef _TAP_SYMBOLIZE_MAPS_H
#define _TAP_SYMBOLIZE_MAPS_H

#include "symbolize/dso.h"

#define TAP_TIME_END	UINT64_MAX

/**
 * struct tap_map - a part of a file, mapped in a process
 * @from: CLOCK_MONOTONIC of the start, ns; 0: before tap_maps_open()
 * @until: CLOCK_MONOTONIC of the end, ns; %TAP_TIME_END: still mapped
 * @start: first address
 * @end: address after the last one
 * @offset: byte of the DSO at @start
 * @dso: the file; NULL: anonymous memory that may hold JIT code
 * @used: a record has an address in it
 */
struct tap_map {
	uint64_t from;
	uint64_t until;
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	struct tap_dso *dso;
	bool used;
};

/**
 * struct tap_process - the maps of a process, or of several with the same id
 * @next: in its chain
 * @tgid: its id
 * @list: the maps, in the order of their reports
 * @nr: number of @list
 * @room: allocated
 * @serial: changes with each change of @list; differs from that of other processes
 * @ask: /proc is not read before that, CLOCK_MONOTONIC ns
 * @jit: the names of its generated code, once they were opened
 */
struct tap_process {
	struct tap_process *next;
	uint32_t tgid;
	struct tap_map *list;
	size_t nr;
	size_t room;
	uint64_t serial;
	uint64_t ask;
	struct tap_dso *jit;
};

/**
 * enum tap_change_type - what a process did
 * @TAP_CHANGE_MMAP: mapped something
 * @TAP_CHANGE_EXEC: executed a new program
 * @TAP_CHANGE_FORK: was forked from another one
 * @TAP_CHANGE_EXIT: ended
 */
enum tap_change_type {
	TAP_CHANGE_MMAP,
	TAP_CHANGE_EXEC,
	TAP_CHANGE_FORK,
	TAP_CHANGE_EXIT,
};

/**
 * struct tap_change - a change of the maps of a process
 * @time: CLOCK_MONOTONIC, ns
 * @order: order among changes of the same time
 * @type: enum tap_change_type
 * @tgid: the process
 * @parent: the process that forked, for a fork
 * @start: of a map: see struct tap_map
 * @end: see struct tap_map
 * @offset: see struct tap_map
 * @dso: see struct tap_map
 */
struct tap_change {
	uint64_t time;
	uint64_t order;
	enum tap_change_type type;
	uint32_t tgid;
	uint32_t parent;
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	struct tap_dso *dso;
};

#define TAP_PROCESS_CHAINS	1024

struct tap_mmaps;

/**
 * struct tap_maps - the maps of all processes
 * @chains: processes by id
 * @dsos: all DSOs that were ever mapped
 * @perf: perf events that report changes, or NULL
 * @changes: reported, but not yet applied
 * @nr_changes: number of @changes
 * @room_changes: allocated
 * @order: of the next change
 * @updated: all changes until then were applied, CLOCK_MONOTONIC ns
 * @serial: last serial of a process
 * @ended: maps that no longer exist
 * @prune: value of @ended at which old maps are dropped
 * @lost: number of lost changes
 */
struct tap_maps {
	struct tap_process *chains[TAP_PROCESS_CHAINS];
	struct tap_dsos dsos;
	struct tap_mmaps *perf;
	struct tap_change *changes;
	size_t nr_changes;
	size_t room_changes;
	uint64_t order;
	uint64_t updated;
	uint64_t serial;
	size_t ended;
	size_t prune;
	uint64_t lost;
};

/*
 * The distance of a time from the lifetime of a map; the smallest is the best match.
 * The clocks of records and maps may differ a little, so a map that started just after
 * a record, or ended just before it, is better than none.
 */
static inline uint64_t tap_map_distance(uint64_t from, uint64_t until,
					uint64_t time)
{
	if (time < from)
		return from - time;
	return time >= until ? time - until + 1 : 0;
}

/* Of equally good maps, the latest is better. */
static inline bool tap_map_better(uint64_t distance, uint64_t from,
				  uint64_t best_distance,
				  uint64_t best_from)
{
	return distance < best_distance ||
	       (distance == best_distance && from >= best_from);
}

/* maps.c */
uint64_t tap_maps_now(void);
struct tap_maps *tap_maps_new(void);
void tap_maps_free(struct tap_maps *maps);
struct tap_process *tap_maps_process(struct tap_maps *maps, uint32_t tgid);
int tap_maps_add(struct tap_maps *maps, const struct tap_change *change);
void tap_maps_apply(struct tap_maps *maps, uint64_t until);

/* maps_perf.c */
int tap_mmaps_open(struct tap_mmaps **perf, struct tap_error *err);
void tap_mmaps_close(struct tap_mmaps *perf);
int tap_mmaps_fd(const struct tap_mmaps *perf);
void tap_mmaps_read(struct tap_mmaps *perf, struct tap_maps *maps);
void tap_mmaps_record(struct tap_maps *maps, const void *record, size_t len);

/* maps_proc.c */
bool tap_maps_dso(struct tap_maps *maps, char *path,
		  const struct tap_file_id *id, struct tap_dso **dso);
void tap_maps_proc_all(struct tap_maps *maps);
void tap_maps_proc(struct tap_maps *maps, uint32_t tgid, uint64_t time);

#endif /* _TAP_SYMBOLIZE_MAPS_H */
