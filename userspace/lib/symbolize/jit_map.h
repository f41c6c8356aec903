/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Names of generated code from /tmp/perf-PID.map. Private to dso.c.
 */
#ifndef _TAP_SYMBOLIZE_JIT_MAP_H
#define _TAP_SYMBOLIZE_JIT_MAP_H

#include "symbolize/dso.h"

struct tap_jit *tap_jit_open(uint32_t tgid);
void tap_jit_close(struct tap_jit *jit);
bool tap_jit_function(struct tap_jit *jit, uint64_t addr,
		      struct tap_function *fn);

#endif /* _TAP_SYMBOLIZE_JIT_MAP_H */
