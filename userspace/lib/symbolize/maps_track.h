/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Tracks the maps of all processes. Private to libtap and its tests.
 */
#ifndef _TAP_SYMBOLIZE_MAPS_TRACK_H
#define _TAP_SYMBOLIZE_MAPS_TRACK_H

#include <stdint.h>

#include <libtap.h>

struct tap_dso;
struct tap_map;

struct tap_map *tap_maps_find(struct tap_maps *maps, uint32_t tgid,
			      uint64_t time, uint64_t addr);
struct tap_dso *tap_maps_dso_at(struct tap_maps *maps, uint32_t tgid,
				struct tap_map *map);

#endif /* _TAP_SYMBOLIZE_MAPS_TRACK_H */
