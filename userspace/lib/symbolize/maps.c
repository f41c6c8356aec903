// SPDX-License-Identifier: LGPL-2.1
/*
 * Maps of all processes, including those that have ended: a record is read some time
 * after its event, when its process may have exited.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "symbolize/maps.h"

/* Records are read within this time unless the output blocks. */
#define KEEP_NS		60000000000ULL
/* Old maps are dropped when this many have ended. */
#define PRUNE_FROM	65536
/* A process with this many maps loses those that ended first. */
#define PROCESS_MANY	8192

uint64_t tap_maps_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ULL + (uint64_t)ts.tv_nsec;
}

/* Allocates an empty set of maps. Returns NULL if out of memory. */
struct tap_maps *tap_maps_new(void)
{
	struct tap_maps *maps = calloc(1, sizeof(*maps));

	if (maps)
		maps->prune = PRUNE_FROM;
	return maps;
}

/* Frees the maps and their DSOs. @perf must be closed before. */
void tap_maps_free(struct tap_maps *maps)
{
	size_t i;

	for (i = 0; i < TAP_PROCESS_CHAINS; i++) {
		while (maps->chains[i]) {
			struct tap_process *process = maps->chains[i];

			maps->chains[i] = process->next;
			free(process->list);
			free(process);
		}
	}
	tap_dsos_free(&maps->dsos);
	free(maps->changes);
	free(maps);
}

/**
 * tap_maps_process() - find or add a process
 * @maps: the maps
 * @tgid: its id
 *
 * Return: the process, without maps if it is new; NULL if out of memory.
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

static void end_map(struct tap_maps *maps, struct tap_map *map,
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
			end_map(maps, &process->list[i], time);
	process->jit = NULL;
	process->serial = ++maps->serial;
}

/* Limits the memory for a process that maps code as fast as it can. */
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
		.offset = change->offset, .dso = change->dso,
	};
	size_t i;

	for (i = 0; process && i < process->nr; i++) {
		struct tap_map *old = &process->list[i];

		if (old->until != TAP_TIME_END || old->start < map.start ||
		    old->end > map.end)
			continue;
		/* A JIT that toggles write permission causes such a report each time. */
		if (old->start == map.start && old->end == map.end &&
		    ((old->dso == map.dso && old->offset == map.offset) ||
		     (!map.dso && tap_dso_is_jit(old->dso))))
			return;
		end_map(maps, old, map.from);
	}
	/* A partly covered map stays; find() prefers the newer one. */
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

/* Maps that ended long ago and are not needed for a trace file are not looked up again. */
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

/* Queues a change for tap_maps_apply(). Returns 0 or -ENOMEM. */
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

/*
 * Applies queued changes by time. All changes up to @until, ns, have been reported.
 * Later ones stay queued, since an earlier change may still come.
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
