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

bool tap_probes_have_user(const struct tap_probes *probes);

/* For output that is printed while records come. */
int tap_user_symbols_open(struct tap_user_symbols **syms,
			  struct tap_maps *maps);
void tap_user_symbols_close(struct tap_user_symbols *syms);
int tap_user_symbols_lookup(const void *syms, __u32 tgid, __u64 time,
			    __u64 addr, char *buf, size_t len);

#endif /* _TAP_SYMBOLIZE_USYM_H */
