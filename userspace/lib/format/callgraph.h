/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Which calls are open: how deep a funcgraph's records lie in each other.
 * Private to libtap.
 */
#ifndef _TAP_FORMAT_CALLGRAPH_H
#define _TAP_FORMAT_CALLGRAPH_H

#include <libtap.h>

/* Open calls of one stack; with more, the whole stack is forgotten. */
#define TAP_GRAPH_DEPTH	128

struct tap_graph_stack;

/**
 * struct tap_graph - all open calls
 * @table: of what has open calls, by its context
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
