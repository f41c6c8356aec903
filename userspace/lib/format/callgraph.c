// SPDX-License-Identifier: LGPL-2.1
/*
 * Which calls are open: how deep a funcgraph's records lie in each other.
 *
 * No return is relied on: it may have been lost, or never come. A call is inside
 * another one only if its frame lies deeper on the stack; where frames are not
 * known (the opener may not see addresses), and after a loss, what was open is
 * forgotten as soon as that is not known any longer.
 */
#include <errno.h>
#include <stdlib.h>

#include "format/callgraph.h"
#include "util/util.h"

/* No stack of the kernel is larger: what is farther away is on another one. */
#define STACK_MAX	(64 * 1024)

/* Contexts, each of which interrupts those before it. */
enum level {
	LEVEL_TASK,
	LEVEL_SOFTIRQ,
	LEVEL_HARDIRQ,
	LEVEL_NMI,
};

#define LEVEL_SHIFT	60
/* The idle tasks have one number together, and each its CPU. */
#define IDLE		0x10000000000ULL

/**
 * struct open_call - a call that was entered and did not return yet
 * @probe: of its function
 * @frame: the stack pointer at its entry, or 0
 */
struct open_call {
	const struct tap_probe *probe;
	__u64 frame;
};

/**
 * struct tap_graph_stack - the open calls of a context
 * @next: in the table
 * @context: see tap_graph_context()
 * @nr: how many are open, at least 1 between two events
 * @calls: those, the innermost last
 */
struct tap_graph_stack {
	struct tap_graph_stack *next;
	__u64 context;
	unsigned int nr;
	struct open_call calls[TAP_GRAPH_DEPTH];
};

static enum level level_of(__u32 flags)
{
	return flags & TAP_F_NMI ? LEVEL_NMI :
	       flags & TAP_F_HARDIRQ ? LEVEL_HARDIRQ :
	       flags & TAP_F_SOFTIRQ ? LEVEL_SOFTIRQ : LEVEL_TASK;
}

static __u64 context_of(enum level level, const struct tap_event *ev)
{
	if (level == LEVEL_TASK && ev->rec->tid)
		return ev->rec->tid;
	return (__u64)level << LEVEL_SHIFT | IDLE | ev->cpu;
}

/**
 * tap_graph_context() - what calls each other: a task, or an interrupt of a CPU
 * @ev: an event
 *
 * Return: a number of it.
 */
__u64 tap_graph_context(const struct tap_event *ev)
{
	return context_of(level_of(ev->rec->flags), ev);
}

/* Where the pointer to it is, or the end of its list. */
static struct tap_graph_stack **find(struct tap_graph *graph, __u64 context)
{
	size_t hash = (context * 0x9e3779b97f4a7c15ULL) >> 56;
	struct tap_graph_stack **at = &graph->table[hash];

	while (*at && (*at)->context != context)
		at = &(*at)->next;
	return at;
}

static void drop(struct tap_graph *graph, struct tap_graph_stack **at)
{
	struct tap_graph_stack *stack = *at;

	if (!stack)
		return;
	*at = stack->next;
	graph->interrupts -= stack->context >> LEVEL_SHIFT != LEVEL_TASK;
	free(stack);
}

/* What interrupted this one has ended. */
static void end_interrupts(struct tap_graph *graph, const struct tap_event *ev)
{
	enum level level = level_of(ev->rec->flags);

	while (graph->interrupts && ++level <= LEVEL_NMI)
		drop(graph, find(graph, context_of(level, ev)));
}

static __u64 frame_of(const struct tap_event *ev)
{
	int word = ev->probe->frame_word;

	return word < 0 ? 0 : tap_event_word(ev, (unsigned int)word);
}

/* Whether a call that is open on paper has ended, seen from an entry. */
static bool has_ended(const struct open_call *call, const struct tap_probe *probe,
		      __u64 frame)
{
	if (!frame || !call->frame)
		return false;
	/* A function that ends with a jump to another one has the same frame. */
	if (call->frame == frame)
		return call->probe == probe;
	return call->frame < frame || call->frame - frame > STACK_MAX;
}

static int enter(struct tap_graph *graph, const struct tap_event *ev)
{
	__u64 context = tap_graph_context(ev), frame = frame_of(ev);
	struct tap_graph_stack **at = find(graph, context);
	struct tap_graph_stack *stack = *at;

	if (!stack) {
		stack = calloc(1, sizeof(*stack));
		if (!stack)
			return -ENOMEM;
		stack->context = context;
		graph->interrupts += context >> LEVEL_SHIFT != LEVEL_TASK;
		*at = stack;
	}
	while (stack->nr && has_ended(&stack->calls[stack->nr - 1], ev->probe, frame))
		stack->nr--;
	if (stack->nr == TAP_GRAPH_DEPTH)
		stack->nr = 0;
	stack->calls[stack->nr++] = (struct open_call) { ev->probe, frame };
	return (int)stack->nr - 1;
}

static int leave(struct tap_graph *graph, const struct tap_event *ev)
{
	struct tap_graph_stack **at = find(graph, tap_graph_context(ev));
	struct tap_graph_stack *stack = *at;
	__u64 frame = frame_of(ev);
	unsigned int nr;

	if (!stack)
		return 0;
	for (nr = stack->nr; nr; nr--)
		if (stack->calls[nr - 1].probe == ev->probe &&
		    stack->calls[nr - 1].frame == frame)
			break;
	/* Its entry was not seen: what lies deeper has ended with it. */
	if (!nr)
		for (nr = stack->nr + 1; nr > 1; nr--)
			if (!frame || stack->calls[nr - 2].frame >= frame)
				break;
	stack->nr = nr - 1;
	if (nr == 1)
		drop(graph, at);
	return (int)nr - 1;
}

/**
 * tap_graph_step() - follow an event
 * @graph: all zero at first
 * @ev: of a funcgraph
 *
 * Return: how many calls lie around this one, or -ENOMEM.
 */
int tap_graph_step(struct tap_graph *graph, const struct tap_event *ev)
{
	end_interrupts(graph, ev);
	return ev->rec->flags & TAP_F_ENTRY ? enter(graph, ev) :
					      leave(graph, ev);
}

/**
 * tap_graph_forget() - events were lost: nothing is known to be open
 * @graph: is all zero afterwards
 */
void tap_graph_forget(struct tap_graph *graph)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(graph->table); i++)
		while (graph->table[i])
			drop(graph, &graph->table[i]);
}
