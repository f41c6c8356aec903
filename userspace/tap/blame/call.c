// SPDX-License-Identifier: GPL-2.0
/*
 * Each record is a call that has returned, so the calls inside it came before it: those of its task
 * whose entry is not before its own.
 */
#include <stdlib.h>
#include <string.h>

#include "blame/call.h"

/* Interrupts of a CPU are a context of their own: they have one stack. */
#define IN_INTERRUPT	(TAP_F_SOFTIRQ | TAP_F_HARDIRQ | TAP_F_NMI)

static __u64 context_of(const struct tap_event *ev)
{
	bool interrupt = ev->rec->flags & IN_INTERRUPT;

	/* The idle tasks of all CPUs have the same number. */
	if (!interrupt && ev->rec->tid)
		return ev->rec->tid;
	return (interrupt ? 3ULL : 1ULL) << 32 | ev->cpu;
}

void blame_call_free(struct blame_call *call)
{
	struct blame_call *next;

	for (; call; call = next) {
		next = call->next;
		blame_call_free(call->inner);
		free(call->args);
		free(call);
	}
}

size_t blame_call_count(const struct blame_call *call, bool hits)
{
	size_t nr = 0;

	for (; call; call = call->next)
		nr += (hits || !call->hit) + blame_call_count(call->inner, hits);
	return nr;
}

size_t blame_calls_unused(const struct blame_calls *calls)
{
	size_t i, nr = calls->unused;
	const struct blame_task *task;

	for (i = 0; i < BLAME_SLOTS; i++)
		for (task = calls->slots[i]; task; task = task->next)
			nr += blame_call_count(task->last, false);
	return nr;
}

static struct blame_task **find(struct blame_calls *calls, __u64 context)
{
	struct blame_task **at = &calls->slots[context * 0x9e3779b97f4a7c15ULL >> 54];

	while (*at && (*at)->context != context)
		at = &(*at)->next;
	return at;
}

static void drop_task(struct blame_calls *calls, struct blame_task **at)
{
	struct blame_task *task = *at;

	if (!task)
		return;
	*at = task->next;
	calls->nr -= task->nr;
	calls->unused += blame_call_count(task->last, false);
	blame_call_free(task->last);
	free(task);
}

/* The calls inside one that has returned, the first one first. */
static struct blame_call *take_inner(struct blame_calls *calls, struct blame_task *task, __u64 entry)
{
	struct blame_call *inner = NULL, *call;
	size_t nr;

	while (task->last && task->last->entry >= entry) {
		call = task->last;
		task->last = call->next;
		call->next = inner;
		inner = call;
	}
	nr = blame_call_count(inner, true);
	task->nr -= nr;
	calls->nr -= nr;
	return inner;
}

/* The function of a hit. */
static size_t function_len(const char *target)
{
	return strcspn(target, "+");
}

static bool is_same_function(const struct blame_call *x, const struct blame_call *y)
{
	const char *a = tap_spec_target(tap_probe_spec(x->probe));
	const char *b = tap_spec_target(tap_probe_spec(y->probe));

	return function_len(a) == function_len(b) && !strncmp(a, b, function_len(a));
}

/*
 * Drops an earlier hit of the same line, if nothing but hits of the same function came since: only the
 * last one matters, and so calls that succeed take little memory.
 */
static void drop_earlier(struct blame_calls *calls, struct blame_task *task, const struct blame_call *hit)
{
	struct blame_call **at = &task->last, *earlier;

	while (*at && (*at)->hit && is_same_function(*at, hit) && (*at)->probe != hit->probe)
		at = &(*at)->next;
	earlier = *at;
	if (!earlier || earlier->probe != hit->probe)
		return;
	*at = earlier->next;
	earlier->next = NULL;
	blame_call_free(earlier);
	task->nr--;
	calls->nr--;
}

struct blame_call *blame_calls_add(struct blame_calls *calls, const struct tap_event *ev,
				   struct blame_call *call, bool nested)
{
	__u64 context = context_of(ev);
	struct blame_task **at = find(calls, context), *task;
	size_t nr = 1;

	if (*at && call->hit)
		drop_earlier(calls, *at, call);
	else if (*at)
		call->inner = take_inner(calls, *at, call->entry);
	if (!nested) {
		/* The outermost call around the other ones did not fail. */
		drop_task(calls, at);
		return call;
	}
	nr += blame_call_count(call->inner, true);
	/* Most likely the outermost call around the old ones has ended, and did not fail. */
	if (*at && (*at)->nr + nr > BLAME_TASK_CALLS)
		drop_task(calls, at);
	if (!*at && calls->nr + nr <= BLAME_ALL_CALLS)
		*at = calloc(1, sizeof(**at));
	task = *at;
	if (!task || calls->nr + nr > BLAME_ALL_CALLS) {
		calls->unused += blame_call_count(call, false);
		blame_call_free(call);
		return NULL;
	}
	task->context = context;
	task->nr += nr;
	calls->nr += nr;
	call->next = task->last;
	task->last = call;
	return NULL;
}

void blame_calls_free(struct blame_calls *calls)
{
	size_t i;

	for (i = 0; i < BLAME_SLOTS; i++)
		while (calls->slots[i])
			drop_task(calls, &calls->slots[i]);
}

static const struct blame_call *skip_hits(const struct blame_call *call, bool hits)
{
	while (call && call->hit && !hits)
		call = call->next;
	return call;
}

bool blame_call_same(const struct blame_call *a, const struct blame_call *b, bool hits)
{
	for (;; a = a->next, b = b->next) {
		a = skip_hits(a, hits);
		b = skip_hits(b, hits);
		if (!a || !b)
			return a == b;
		if (a->code != b->code || !blame_call_same(a->inner, b->inner, hits) ||
		    strcmp(tap_spec_target(tap_probe_spec(a->probe)),
			   tap_spec_target(tap_probe_spec(b->probe))))
			return false;
	}
}
