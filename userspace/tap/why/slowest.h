/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copies of the events with the longest durations.
 */
#ifndef _TOOL_WHY_SLOWEST_H
#define _TOOL_WHY_SLOWEST_H

#include "tool.h"

/**
 * struct slow - an event
 * @duration: ticks
 * @order: how many events were offered before it
 * @ev: in a copy of its memory: @ev.data, allocated
 */
struct slow {
	__u64 duration;
	__u64 order;
	struct tap_event ev;
};

/**
 * struct slowest - the longest so far
 * @heap: the shortest of them first; of the same duration the one that came last
 * @nr: number of @heap
 * @room: most of them
 * @offered: events
 */
struct slowest {
	struct slow *heap;
	unsigned int nr;
	unsigned int room;
	__u64 offered;
};

/**
 * slowest_open() - keep events
 * @slowest: filled in; end it with slowest_close()
 * @room: how many, at least 1
 *
 * Return: 0 or -ENOMEM.
 */
int slowest_open(struct slowest *slowest, unsigned int room);

/**
 * slowest_close() - free the events
 * @slowest: may be all zero
 */
void slowest_close(struct slowest *slowest);

/**
 * slowest_offer() - copy an event if it is one of the slowest so far
 * @slowest: of slowest_open()
 * @ev: a decoded event; its probe stays as long as @slowest
 * @duration: ticks
 *
 * Return: 0 or -ENOMEM.
 */
int slowest_offer(struct slowest *slowest, const struct tap_event *ev, __u64 duration);

/**
 * slowest_sort() - order the events, the slowest first
 * @slowest: nothing is offered any more
 */
void slowest_sort(struct slowest *slowest);

#endif /* _TOOL_WHY_SLOWEST_H */
