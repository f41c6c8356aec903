/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What follows from the type of a probe. Private to libtap and its tool.
 */
#ifndef _TAP_SPEC_PROBE_TYPE_H
#define _TAP_SPEC_PROBE_TYPE_H

#include <stdbool.h>

#include <libtap.h>

bool tap_probe_is_return(enum tap_probe_type type);
bool tap_probe_is_watch(enum tap_probe_type type);

#endif /* _TAP_SPEC_PROBE_TYPE_H */
