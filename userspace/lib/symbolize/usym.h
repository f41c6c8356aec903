/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Names for the addresses of programs: which file was mapped there, in which
 * process, at which time; and what that file has there. Live it is asked of the
 * kernel and the files; in a trace file all of it is kept. Private to libtap and
 * its tool.
 */
#ifndef _TAP_SYMBOLIZE_USYM_H
#define _TAP_SYMBOLIZE_USYM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libtap.h>

struct tap_maps;
struct tap_user_symbols;
struct tap_usym_collect;

bool tap_probes_have_user(const struct tap_probes *probes);

/* maps.c: what processes have mapped with the right to execute it */
int tap_maps_open(struct tap_maps **maps, struct tap_error *err);
int tap_maps_know(struct tap_maps *maps,
		  const struct tap_probes *probes);
void tap_maps_close(struct tap_maps *maps);
void tap_maps_update(struct tap_maps *maps);
int tap_maps_fd(const struct tap_maps *maps);
uint64_t tap_maps_lost(const struct tap_maps *maps);

/* usym.c: names for who prints records as they come */
int tap_user_symbols_open(struct tap_user_symbols **syms,
			  struct tap_maps *maps);
void tap_user_symbols_close(struct tap_user_symbols *syms);
int tap_user_symbols_lookup(const void *syms, __u32 tgid, __u64 time,
			    __u64 addr, char *buf, size_t len);

/* usym_collect.c: which addresses occur, for who writes records to a file */
int tap_usym_collect_open(struct tap_usym_collect **keep, struct tap_maps *maps,
			  const struct tap_probes *probes,
			  const struct tap_timebase *timebase);
void tap_usym_collect_close(struct tap_usym_collect *keep);
int tap_usym_collect_data(struct tap_usym_collect *keep, unsigned int cpu,
			  uint64_t pos, const void *data, size_t len);
int tap_usym_collect_write(struct tap_usym_collect *keep,
			   struct tap_file_writer *writer);

#endif /* _TAP_SYMBOLIZE_USYM_H */
