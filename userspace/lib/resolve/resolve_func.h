/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The functions of a func: glob. Private to libtap and its tool.
 */
#ifndef _TAP_RESOLVE_RESOLVE_FUNC_H
#define _TAP_RESOLVE_RESOLVE_FUNC_H

#include "spec/spec.h"

/**
 * struct tap_functions - functions that can be traced
 * @addrs: their addresses; allocated
 * @nr: number of @addrs
 * @unsure: functions left out, since only some functions of their name can be traced
 */
struct tap_functions {
	__u64 *addrs;
	size_t nr;
	size_t unsure;
};

int tap_functions_find_in(const char *root, const struct tap_symbols *syms,
			  const struct tap_target *target,
			  struct tap_functions *found, struct tap_error *err);
int tap_functions_find(const struct tap_symbols *syms,
		       const struct tap_target *target,
		       struct tap_functions *found, struct tap_error *err);

#endif /* _TAP_RESOLVE_RESOLVE_FUNC_H */
