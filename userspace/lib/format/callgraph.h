/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Open calls: the nesting depth of a funcgraph's records. Private to libtap.
 */
#ifndef _TAP_FORMAT_CALLGRAPH_H
#define _TAP_FORMAT_CALLGRAPH_H

#include <libtap.h>

/* Open calls of one stack. At the limit all of its calls are dropped. */
#define TAP_GRAPH_DEPTH	128

struct tap_graph_stack;

/**
 * struct tap_graph - all open calls
 * @table: stacks by a hash of their context
 * @interrupts: stacks in @table that are not a task's
 */
struct tap_graph {
	struct tap_graph_stack *table[256];
	size_t interrupts;
};

__u64 tap_graph_context(const struct tap_event *ev);
int tap_graph_step(struct tap_graph *graph, const struct tap_event *ev);
void tap_graph_forget(struct tap_graph *graph);

#endif /* _TAP_FORMAT_CALLGRAPH_H */
