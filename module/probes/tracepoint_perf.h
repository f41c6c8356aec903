/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_PROBES_TRACEPOINT_PERF_H
#define _TAPMOD_PROBES_TRACEPOINT_PERF_H

#include "probes/tracepoint.h"

/* A probe that has been attached has these in place of tap_tracepoint_ops. */
extern const struct tap_probe_ops tap_tracepoint_perf_ops;

int tap_tracepoint_perf_attach(struct tapmod_tracepoint *tp);

#endif /* _TAPMOD_PROBES_TRACEPOINT_PERF_H */
