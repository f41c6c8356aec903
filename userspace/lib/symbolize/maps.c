// SPDX-License-Identifier: LGPL-2.1
/*
 * The mappings of all processes, also of those that have ended: a record is read
 * some time after its event, and its process may be gone by then.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "symbolize/maps.h"
#include "util/util.h"

/* A record is read within this time, or its output is stuck. */
#define KEEP_NS		60000000000ULL
/* That many mappings may have ended before it is worth looking for old ones. */
#define PRUNE_FROM	65536
/* With that many of one process, those of it that ended first are dropped. */
#define PROCESS_MANY	8192
/* A process that is asked for what it has not got is looked at no more often. */
#define ASK_NS		100000000ULL

/**
 * tap_maps_now() - the time
 *
 * Return: CLOCK_MONOTONIC in nanoseconds.
 */
uint64_t tap_maps_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ULL + (uint64_t)ts.tv_nsec;
}

/**
 * tap_maps_process() - what is known of a process
 * @maps: the mappings
 * @tgid: its id
 *
 * Return: it, without mappings if nothing is known of it; NULL without memory.
 */
struct tap_process *tap_maps_process(struct tap_maps *maps,
				     uint32_t tgid)
{
	struct tap_process **at = &maps->chains[tgid % TAP_PROCESS_CHAINS];

	for (; *at; at = &(*at)->next)
		if ((*at)->tgid == tgid)
			return *at;
	*at = calloc(1, sizeof(**at));
	if (*at) {
		(*at)->tgid = tgid;
		(*at)->serial = ++maps->serial;
	}
	return *at;
}

static void end_mapping(struct tap_maps *maps, struct tap_map *map,
			uint64_t time)
{
	map->until = time > map->from ? time : map->from;
	maps->ended++;
}

static void end_all(struct tap_maps *maps, struct tap_process *process,
		    uint64_t time)
{
	size_t i;

	for (i = 0; i < process->nr; i++)
		if (process->list[i].until == TAP_TIME_END)
			end_mapping(maps, &process->list[i], time);
	process->jit = NULL;
	process->serial = ++maps->serial;
}

/* A process may map code as fast as it can, to keep us busy. */
static void drop_oldest(struct tap_maps *maps, struct tap_process *process)
{
	size_t half = process->nr / 2, nr = 0, i;

	for (i = 0; i < process->nr; i++) {
		const struct tap_map *map = &process->list[i];

		if (i < half && !map->used && map->until != TAP_TIME_END)
			maps->ended--;
		else
			process->list[nr++] = *map;
	}
	process->nr = nr;
}

static int append(struct tap_maps *maps, struct tap_process *process,
		  const struct tap_map *map)
{
	if (process->nr == process->room && process->nr >= PROCESS_MANY)
		drop_oldest(maps, process);
	if (process->nr == process->room) {
		size_t room = process->room ? process->room * 2 : 16;
		struct tap_map *list = realloc(process->list,
					       room * sizeof(*list));

		if (!list)
			return -ENOMEM;
		process->list = list;
		process->room = room;
	}
	process->list[process->nr++] = *map;
	process->serial = ++maps->serial;
	return 0;
}

static void change_mmap(struct tap_maps *maps,
			const struct tap_change *change)
{
	struct tap_process *process = tap_maps_process(maps, change->tgid);
	struct tap_map map = {
		.from = change->time, .until = TAP_TIME_END,
		.start = change->start, .end = change->end,
		.offset = change->offset, .object = change->object,
	};
	size_t i;

	for (i = 0; process && i < process->nr; i++) {
		struct tap_map *old = &process->list[i];

		if (old->until != TAP_TIME_END || old->start < map.start ||
		    old->end > map.end)
			continue;
		/* A JIT that makes its code writable and back tells it each time. */
		if (old->start == map.start && old->end == map.end &&
		    ((old->object == map.object && old->offset == map.offset) ||
		     (!map.object && tap_dso_is_jit(old->object))))
			return;
		end_mapping(maps, old, map.from);
	}
	/* Of one that is partly covered, the newer one is preferred there. */
	if (!process || append(maps, process, &map))
		maps->lost++;
}

static void change_fork(struct tap_maps *maps,
			const struct tap_change *change)
{
	struct tap_process *child = tap_maps_process(maps, change->tgid);
	struct tap_process *parent = tap_maps_process(maps, change->parent);
	size_t i;

	if (!child || !parent) {
		maps->lost++;
		return;
	}
	end_all(maps, child, change->time);
	for (i = 0; i < parent->nr; i++) {
		struct tap_map map = parent->list[i];

		if (map.until != TAP_TIME_END)
			continue;
		map.from = change->time;
		map.used = false;
		if (append(maps, child, &map))
			maps->lost++;
	}
}

static void apply_change(struct tap_maps *maps,
			 const struct tap_change *change)
{
	struct tap_process *process;

	switch (change->type) {
	case TAP_CHANGE_MMAP:
		change_mmap(maps, change);
		break;
	case TAP_CHANGE_FORK:
		change_fork(maps, change);
		break;
	case TAP_CHANGE_EXEC:
	case TAP_CHANGE_EXIT:
		process = tap_maps_process(maps, change->tgid);
		if (process)
			end_all(maps, process, change->time);
		break;
	}
}

/* What ended long ago, and is in no file, will not be asked for. */
static void prune_process(struct tap_maps *maps,
			  struct tap_process *process)
{
	size_t nr = 0, i;

	for (i = 0; i < process->nr; i++) {
		const struct tap_map *map = &process->list[i];

		if (!map->used && map->until != TAP_TIME_END &&
		    map->until + KEEP_NS < maps->updated)
			maps->ended--;
		else
			process->list[nr++] = *map;
	}
	process->nr = nr;
}

static void prune(struct tap_maps *maps)
{
	size_t i;

	for (i = 0; i < TAP_PROCESS_CHAINS; i++) {
		struct tap_process **at = &maps->chains[i], *process;

		while ((process = *at)) {
			prune_process(maps, process);
			if (process->nr) {
				at = &process->next;
				continue;
			}
			*at = process->next;
			free(process->list);
			free(process);
		}
	}
	maps->prune = maps->ended * 2 > PRUNE_FROM ? maps->ended * 2 :
						     PRUNE_FROM;
}

/**
 * tap_maps_add() - take a change, to be made when its time has come
 * @maps: the mappings
 * @change: the change
 *
 * Return: 0 or -ENOMEM.
 */
int tap_maps_add(struct tap_maps *maps, const struct tap_change *change)
{
	if (maps->nr_changes == maps->room_changes) {
		size_t room = maps->room_changes ? maps->room_changes * 2 : 256;
		struct tap_change *list = realloc(maps->changes,
						  room * sizeof(*list));

		if (!list)
			return -ENOMEM;
		maps->changes = list;
		maps->room_changes = room;
	}
	maps->changes[maps->nr_changes] = *change;
	maps->changes[maps->nr_changes++].order = maps->order++;
	return 0;
}

static int compare_changes(const void *x, const void *y)
{
	const struct tap_change *a = x, *b = y;

	return a->time != b->time ? (a->time > b->time) - (a->time < b->time) :
				    (a->order > b->order) -
				    (a->order < b->order);
}

/**
 * tap_maps_apply() - make the changes of some time
 * @maps: the mappings
 * @until: all that were made before this have been told, ns; later ones wait,
 *	since one that belongs before them may still come
 */
void tap_maps_apply(struct tap_maps *maps, uint64_t until)
{
	size_t i;

	if (maps->nr_changes)
		qsort(maps->changes, maps->nr_changes, sizeof(*maps->changes),
		      compare_changes);
	for (i = 0; i < maps->nr_changes && maps->changes[i].time <= until; i++)
		apply_change(maps, &maps->changes[i]);
	maps->nr_changes -= i;
	if (i && maps->nr_changes)
		memmove(maps->changes, maps->changes + i,
			maps->nr_changes * sizeof(*maps->changes));
	maps->updated = until;
	if (maps->ended >= maps->prune)
		prune(maps);
}

/**
 * tap_maps_open() - begin to know the mappings of all processes
 * @maps: set on success; end it with tap_maps_close()
 * @err: also on success it may have a remark: the kernel does not tell of changes
 *
 * Those of processes that run are read from /proc; what comes after that is
 * heard from the kernel, as long as it is fetched from time to time.
 *
 * Return: 0 or -ENOMEM.
 */
int tap_maps_open(struct tap_maps **maps, struct tap_error *err)
{
	struct tap_maps *m = calloc(1, sizeof(*m));

	if (!m)
		return tap_error_set(err, -ENOMEM, "out of memory");
	memset(err, 0, sizeof(*err));
	m->prune = PRUNE_FROM;
	/* First the changes: what is mapped meanwhile is in both. */
	tap_mmaps_open(&m->perf, err);
	tap_maps_proc_all(m);
	tap_maps_update(m);
	*maps = m;
	return 0;
}

/**
 * tap_maps_know() - programs that are open anyway
 * @maps: the mappings
 * @probes: a probe table; what its probes are in has names whatever becomes of it
 *
 * Return: 0 or -ENOMEM.
 */
int tap_maps_know(struct tap_maps *maps,
		  const struct tap_probes *probes)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < probes->nr && !ret; i++)
		if (probes->list[i].spec.elf)
			ret = tap_dsos_know(&maps->objects,
					    probes->list[i].spec.elf);
	return ret;
}

/**
 * tap_maps_close() - end it
 * @maps: may be NULL
 */
void tap_maps_close(struct tap_maps *maps)
{
	size_t i;

	if (!maps)
		return;
	for (i = 0; i < TAP_PROCESS_CHAINS; i++) {
		while (maps->chains[i]) {
			struct tap_process *process = maps->chains[i];

			maps->chains[i] = process->next;
			free(process->list);
			free(process);
		}
	}
	tap_mmaps_close(maps->perf);
	tap_dsos_free(&maps->objects);
	free(maps->changes);
	free(maps);
}

/**
 * tap_maps_update() - fetch what the kernel told
 * @maps: the mappings
 *
 * To be called when tap_maps_fd() is readable and before records are read.
 */
void tap_maps_update(struct tap_maps *maps)
{
	uint64_t now = tap_maps_now();

	if (maps->perf)
		tap_mmaps_read(maps->perf, maps);
	tap_maps_apply(maps, now);
}

/**
 * tap_maps_fd() - what to poll
 * @maps: the mappings
 *
 * Return: a descriptor that is readable when there is much to be fetched, or -1.
 */
int tap_maps_fd(const struct tap_maps *maps)
{
	return maps->perf ? tap_mmaps_fd(maps->perf) : -1;
}

/**
 * tap_maps_lost() - whether something may be missing
 * @maps: the mappings
 *
 * Return: how many changes were not told, for want of room.
 */
uint64_t tap_maps_lost(const struct tap_maps *maps)
{
	return maps->lost;
}

static struct tap_map *find(struct tap_process *process, uint64_t time,
			    uint64_t addr)
{
	uint64_t best_distance = UINT64_MAX;
	struct tap_map *best = NULL;
	size_t i;

	for (i = 0; i < process->nr; i++) {
		struct tap_map *map = &process->list[i];
		uint64_t distance;

		if (addr < map->start || addr >= map->end)
			continue;
		distance = tap_map_distance(map->from, map->until, time);
		if (best && !tap_map_better(distance, map->from,
					    best_distance, best->from))
			continue;
		best = map;
		best_distance = distance;
	}
	return best;
}

/**
 * tap_maps_find() - what was mapped at an address
 * @maps: the mappings
 * @tgid: the process
 * @time: when, CLOCK_MONOTONIC ns; ~0: as late as possible
 * @addr: the address
 *
 * Return: the mapping, valid until the next call for any; NULL if none is known.
 */
struct tap_map *tap_maps_find(struct tap_maps *maps, uint32_t tgid,
			      uint64_t time, uint64_t addr)
{
	struct tap_process *process;
	struct tap_map *map;
	uint64_t now;

	/* Nothing that was mapped before is missing then. */
	if (time > maps->updated && time != TAP_TIME_END)
		tap_maps_update(maps);
	process = tap_maps_process(maps, tgid);
	if (!process)
		return NULL;
	map = find(process, time, addr);
	if (map)
		return map;
	/* It was lost, or is not told: it may still be there to be seen. */
	now = tap_maps_now();
	if (process->asked && now - process->asked < ASK_NS)
		return NULL;
	process->asked = now;
	tap_maps_proc(maps, tgid, now);
	tap_maps_update(maps);
	process = tap_maps_process(maps, tgid);
	return process ? find(process, time, addr) : NULL;
}

/* The names of the code that a process generates, if it tells any. */
static struct tap_dso *find_jit(struct tap_maps *maps, uint32_t tgid)
{
	struct tap_process *process = tap_maps_process(maps, tgid);
	uint64_t now = tap_maps_now();

	if (!process || process->jit ||
	    (process->asked && now - process->asked < ASK_NS))
		return process ? process->jit : NULL;
	process->asked = now;
	process->jit = tap_dso_jit(&maps->objects, tgid);
	return process->jit;
}

/**
 * tap_maps_dso_at() - what there is in a mapping, opened
 * @maps: the mappings
 * @tgid: the process
 * @map: a mapping of it, of tap_maps_find()
 *
 * Return: the object, or NULL if nothing is known of it.
 */
struct tap_dso *tap_maps_dso_at(struct tap_maps *maps,
				uint32_t tgid,
				struct tap_map *map)
{
	if (!map->object && map->until == TAP_TIME_END) {
		map->object = find_jit(maps, tgid);
		/* The bytes of generated code are its addresses. */
		if (map->object)
			map->offset = map->start;
	}
	if (map->object)
		tap_dso_open(&maps->objects, map->object, tgid, map->start,
			     map->end);
	return map->object;
}
