/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Which addresses of programs occur in the records that go to a trace file. Private to
 * libtap and its tool.
 */
#ifndef _TAP_FILE_USYM_COLLECT_H
#define _TAP_FILE_USYM_COLLECT_H

#include <stddef.h>
#include <stdint.h>

#include <libtap.h>

struct tap_maps;
struct tap_usym_collect;

int tap_usym_collect_open(struct tap_usym_collect **collect, struct tap_maps *maps,
			  const struct tap_probes *probes,
			  const struct tap_timebase *timebase);
void tap_usym_collect_close(struct tap_usym_collect *collect);
int tap_usym_collect_data(struct tap_usym_collect *collect, unsigned int cpu,
			  uint64_t pos, const void *data, size_t len);
int tap_usym_collect_write(struct tap_usym_collect *collect,
			   struct tap_file_writer *writer);

#endif /* _TAP_FILE_USYM_COLLECT_H */
