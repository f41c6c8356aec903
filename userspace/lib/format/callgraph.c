// SPDX-License-Identifier: LGPL-2.1
/*
 * Open calls: the nesting depth of a funcgraph's records.
 *
 * Returns are not reliable: one may have been lost, or never come. A call is inside
 * another one only if its frame is deeper on the stack. If frames are unknown (the
 * opener may not see addresses), and after a loss, open calls are dropped as soon as
 * they are uncertain.
 */
#include <errno.h>
#include <stdlib.h>

#include "format/callgraph.h"
#include "spec/probe_table.h"
#include "util/util.h"

/* The largest kernel stack. Frames farther apart are on different stacks. */
#define STACK_MAX	(64 * 1024)

/* Contexts. Each can interrupt those before it. */
enum level {
	LEVEL_TASK,
	LEVEL_SOFTIRQ,
	LEVEL_HARDIRQ,
	LEVEL_NMI,
};

#define LEVEL_SHIFT	60
/* All idle tasks have tid 0, so their number is made from the CPU. */
#define IDLE		0x10000000000ULL

/*
 * A call that was entered and did not return yet. @frame is the stack pointer at its
 * entry, or 0.
 */
struct open_call {
	const struct tap_probe *probe;
	__u64 frame;
};

/*
 * The open calls of a context, see tap_graph_context(). At least one between two
 * events; the innermost is last.
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

/*
 * A number for the task of an event, or for the interrupt context of its CPU: calls
 * nest within one number.
 */
__u64 tap_graph_context(const struct tap_event *ev)
{
	return context_of(level_of(ev->rec->flags), ev);
}

/* The pointer to the context's stack, or the end of its list. */
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

/* An event of a lower context shows that the interrupts have ended. */
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

/* Whether an entry shows that an open call has ended without its return. */
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
	/* The entry was not seen. Calls with deeper frames have ended with this one. */
	if (!nr)
		for (nr = stack->nr + 1; nr > 1; nr--)
			if (!frame || stack->calls[nr - 2].frame >= frame)
				break;
	stack->nr = nr - 1;
	if (nr == 1)
		drop(graph, at);
	return (int)nr - 1;
}

/* Follows an event of a funcgraph. Returns the number of calls around it, or -ENOMEM. */
int tap_graph_step(struct tap_graph *graph, const struct tap_event *ev)
{
	end_interrupts(graph, ev);
	return ev->rec->flags & TAP_F_ENTRY ? enter(graph, ev) :
					      leave(graph, ev);
}

/* Drops all open calls, e.g. because events were lost. */
void tap_graph_forget(struct tap_graph *graph)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(graph->table); i++)
		while (graph->table[i])
			drop(graph, &graph->table[i]);
}
