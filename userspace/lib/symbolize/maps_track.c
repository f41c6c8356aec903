// SPDX-License-Identifier: LGPL-2.1
/*
 * Tracks the maps of all processes: changes come from perf, the rest from /proc.
 */
#include <errno.h>
#include <string.h>

#include "spec/probe_table.h"
#include "symbolize/maps.h"
#include "symbolize/maps_track.h"

/* Minimum time between two reads of /proc for a process whose maps lack an address. */
#define ASK_NS		100000000ULL
/* At least this many times the duration of the last read: a process can have many maps. */
#define ASK_REST	16

/**
 * tap_maps_open() - start tracking the maps of all processes
 * @maps: set on success; the caller has to call tap_maps_close()
 * @err: an error message; on success a remark if the kernel does not report changes
 *
 * The maps of running processes are read from /proc. The kernel reports later changes,
 * as long as tap_maps_update() is called from time to time.
 *
 * Return: 0 or -ENOMEM.
 */
int tap_maps_open(struct tap_maps **maps, struct tap_error *err)
{
	struct tap_maps *m = tap_maps_new();

	if (!m)
		return tap_error_set(err, -ENOMEM, "out of memory");
	memset(err, 0, sizeof(*err));
	/* Opens perf first: changes during the read of /proc are then in both. */
	tap_mmaps_open(&m->perf, err);
	tap_maps_proc_all(m);
	tap_maps_update(m);
	*maps = m;
	return 0;
}

/**
 * tap_maps_know() - add the programs of probes
 * @maps: the maps
 * @probes: a probe table; the files of its probes stay open, so they keep their names
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
			ret = tap_dsos_know(&maps->dsos,
					    probes->list[i].spec.elf);
	return ret;
}

/**
 * tap_maps_close() - stop tracking
 * @maps: may be NULL
 */
void tap_maps_close(struct tap_maps *maps)
{
	if (!maps)
		return;
	tap_mmaps_close(maps->perf);
	tap_maps_free(maps);
}

/**
 * tap_maps_update() - consume the changes that the kernel has reported
 * @maps: the maps
 *
 * Must be called when tap_maps_fd() is readable, and before records are read.
 */
void tap_maps_update(struct tap_maps *maps)
{
	uint64_t now = tap_maps_now();

	if (maps->perf)
		tap_mmaps_read(maps->perf, maps);
	tap_maps_apply(maps, now);
}

/**
 * tap_maps_fd() - return the descriptor to poll
 * @maps: the maps
 *
 * Return: a descriptor that is readable when a perf ring is half full, or -1.
 */
int tap_maps_fd(const struct tap_maps *maps)
{
	return maps->perf ? tap_mmaps_fd(maps->perf) : -1;
}

/**
 * tap_maps_lost() - return the number of missing changes
 * @maps: the maps
 *
 * Return: the number of changes that were lost because a buffer was full or memory was
 * short.
 */
__u64 tap_maps_lost(const struct tap_maps *maps)
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
 * tap_maps_find() - find the map of an address
 * @maps: the maps
 * @tgid: the process
 * @time: CLOCK_MONOTONIC ns; ~0: the latest map
 * @addr: the address
 *
 * Return: the map, valid until the next call; NULL if none is known.
 */
struct tap_map *tap_maps_find(struct tap_maps *maps, uint32_t tgid,
			      uint64_t time, uint64_t addr)
{
	struct tap_process *process;
	struct tap_map *map;
	uint64_t now, rest;

	/* Makes sure that all changes before @time are applied. */
	if (time > maps->updated && time != TAP_TIME_END)
		tap_maps_update(maps);
	process = tap_maps_process(maps, tgid);
	if (!process)
		return NULL;
	map = find(process, time, addr);
	if (map)
		return map;
	/* The change was lost or not reported. /proc may still show the map. */
	now = tap_maps_now();
	if (now < process->ask)
		return NULL;
	tap_maps_proc(maps, tgid, now);
	tap_maps_update(maps);
	process = tap_maps_process(maps, tgid);
	if (!process)
		return NULL;
	rest = (tap_maps_now() - now) * ASK_REST;
	process->ask = now + (rest > ASK_NS ? rest : ASK_NS);
	return find(process, time, addr);
}

/* The names of generated code, if the process writes them. */
static struct tap_dso *find_jit(struct tap_maps *maps, uint32_t tgid)
{
	struct tap_process *process = tap_maps_process(maps, tgid);
	uint64_t now = tap_maps_now();

	if (!process || process->jit || now < process->ask)
		return process ? process->jit : NULL;
	process->ask = now + ASK_NS;
	process->jit = tap_dso_jit(&maps->dsos, tgid);
	return process->jit;
}

/**
 * tap_maps_dso_at() - open the DSO of a map
 * @maps: the maps
 * @tgid: the process
 * @map: a map of the process, of tap_maps_find()
 *
 * Return: the DSO, or NULL if it has no names.
 */
struct tap_dso *tap_maps_dso_at(struct tap_maps *maps,
				uint32_t tgid,
				struct tap_map *map)
{
	if (!map->dso && map->until == TAP_TIME_END) {
		map->dso = find_jit(maps, tgid);
		/* For generated code, the byte is the address. */
		if (map->dso)
			map->offset = map->start;
	}
	if (map->dso)
		tap_dso_open(&maps->dsos, map->dso, tgid, map->start,
			     map->end);
	return map->dso;
}
