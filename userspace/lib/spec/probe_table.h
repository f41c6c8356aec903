/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The probe table, on the way of each record. Private to libtap.
 */
#ifndef _TAP_SPEC_PROBE_TABLE_H
#define _TAP_SPEC_PROBE_TABLE_H

#include <libtap.h>

/**
 * tap_probes_at() - as tap_probes_find(), inlined
 * @probes: the table
 * @id: as in records
 *
 * Return: the probe, or NULL.
 */
static inline const struct tap_probe *
tap_probes_at(const struct tap_probes *probes, __u32 id)
{
	if (id >= probes->nr_ids || !probes->by_id[id])
		return NULL;
	return &probes->list[probes->by_id[id] - 1];
}

#endif /* _TAP_SPEC_PROBE_TABLE_H */
