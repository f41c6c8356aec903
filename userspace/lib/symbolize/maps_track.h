/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Following the maps of all processes. Private to libtap and its tool.
 */
#ifndef _TAP_SYMBOLIZE_MAPS_TRACK_H
#define _TAP_SYMBOLIZE_MAPS_TRACK_H

#include <stdint.h>

#include <libtap.h>

struct tap_dso;
struct tap_map;
struct tap_maps;

int tap_maps_open(struct tap_maps **maps, struct tap_error *err);
int tap_maps_know(struct tap_maps *maps, const struct tap_probes *probes);
void tap_maps_close(struct tap_maps *maps);
void tap_maps_update(struct tap_maps *maps);
int tap_maps_fd(const struct tap_maps *maps);
uint64_t tap_maps_lost(const struct tap_maps *maps);
struct tap_map *tap_maps_find(struct tap_maps *maps, uint32_t tgid,
			      uint64_t time, uint64_t addr);
struct tap_dso *tap_maps_dso_at(struct tap_maps *maps, uint32_t tgid,
				struct tap_map *map);

#endif /* _TAP_SYMBOLIZE_MAPS_TRACK_H */
