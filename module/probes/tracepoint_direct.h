/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_PROBES_TRACEPOINT_DIRECT_H
#define _TAPMOD_PROBES_TRACEPOINT_DIRECT_H

#include "probes/tracepoint.h"

/* A probe that has been attached has these in place of tap_tracepoint_ops. */
extern const struct tap_probe_ops tap_tracepoint_direct_ops;

bool tap_direct_attach(struct tapmod_tracepoint *tp);

void tap_direct_init(void);
void tap_direct_exit(void);

#endif /* _TAPMOD_PROBES_TRACEPOINT_DIRECT_H */
