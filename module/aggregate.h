/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAP_AGGREGATE_H
#define _TAP_AGGREGATE_H

#include "probe.h"

static inline void tap_aggregate_hit(const struct tap_probe *probe,
				     const u64 *words, u64 absent)
{
}

static inline void tap_aggregate_free(struct tap_probe *probe)
{
}

#endif /* _TAP_AGGREGATE_H */
