/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What both ways to the fields of a trace event share: directly from the event's code, or
 * through perf.
 */
#ifndef _TAPMOD_PROBES_TRACEPOINT_H
#define _TAPMOD_PROBES_TRACEPOINT_H

#include <linux/trace_events.h>

#include "compat/arch.h"
#include "core/probe.h"
#include "perf/percpu_counter.h"

/**
 * struct tapmod_tracepoint - a probe of a trace event
 * @probe: the common part
 * @system: subsystem of the event
 * @name: name of the event in @system
 * @need: bytes of event data that the program reads, counted from the start
 * @file: the event, from attach on; the reference pins its module
 * @bpf: by perf: a BPF program was seen at the event while the probe was enabled. Written
 *	under the session's lock, and at the end of the session, when no other task uses it
 * @set: by perf: the counters, whose handler gets the event data
 * @type: directly: number of the event
 * @block: directly: where the block of words begins that a record has; see
 *	tap_fastpath_find_block()
 * @assemble: directly: the event's own function that fills in the fields
 * @handler: directly: registered with the tracepoint
 */
struct tapmod_tracepoint {
	struct tapmod_probe probe;
	const char *system;
	const char *name;
	u32 need;
	struct trace_event_file *file;

	bool bpf;
	struct tap_perf_set set;

	u16 type;
	u16 block;
	tap_tp_function_t assemble;
	void *handler;
};

static inline struct tapmod_tracepoint *to_tap_tracepoint(const struct tapmod_probe *probe)
{
	return container_of(probe, struct tapmod_tracepoint, probe);
}

void tap_tracepoint_detach(struct tapmod_probe **probes, unsigned int nr);

#endif /* _TAPMOD_PROBES_TRACEPOINT_H */
