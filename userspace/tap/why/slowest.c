// SPDX-License-Identifier: GPL-2.0
/*
 * A heap of the events with the longest durations.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "why/slowest.h"

/* Whether @a gives way before @b: it is shorter, or came later. */
static bool is_less(const struct slow *a, const struct slow *b)
{
	return a->duration != b->duration ? a->duration < b->duration : a->order > b->order;
}

static void swap(struct slow *a, struct slow *b)
{
	struct slow slow = *a;

	*a = *b;
	*b = slow;
}

static void sift_up(struct slow *heap, unsigned int i)
{
	for (; i && is_less(&heap[i], &heap[(i - 1) / 2]); i = (i - 1) / 2)
		swap(&heap[i], &heap[(i - 1) / 2]);
}

static void sift_down(struct slow *heap, unsigned int nr)
{
	unsigned int i = 0, least;

	for (;;) {
		least = 2 * i + 1;
		if (least + 1 < nr && is_less(&heap[least + 1], &heap[least]))
			least++;
		if (least >= nr || !is_less(&heap[least], &heap[i]))
			return;
		swap(&heap[i], &heap[least]);
		i = least;
	}
}

/* Copies an event; @slow has the memory of an event that gave way, or none. */
static int copy(struct slow *slow, const struct tap_event *ev)
{
	char *data = realloc((void *)slow->ev.data, (size_t)ev->slots * TAP_SLOT_SIZE);
	__u32 k;

	if (!data)
		return -ENOMEM;
	for (k = 0; k < ev->slots; k++)
		memcpy(data + (size_t)k * TAP_SLOT_SIZE, (const char *)ev->data +
		       ((ev->pos + (__u64)k * TAP_SLOT_SIZE) & ev->mask), TAP_SLOT_SIZE);
	slow->ev = *ev;
	slow->ev.data = data;
	slow->ev.rec = (const struct tap_record *)(const void *)data;
	slow->ev.pos = 0;
	slow->ev.mask = ~0ULL;
	return 0;
}

int slowest_open(struct slowest *s, unsigned int room)
{
	*s = (struct slowest) { .room = room };
	s->heap = calloc(room, sizeof(*s->heap));
	return s->heap ? 0 : -ENOMEM;
}

void slowest_close(struct slowest *s)
{
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		free((void *)s->heap[i].ev.data);
	free(s->heap);
	memset(s, 0, sizeof(*s));
}

int slowest_offer(struct slowest *s, const struct tap_event *ev, __u64 duration)
{
	const __u64 order = s->offered++;
	struct slow *slow = &s->heap[s->nr < s->room ? s->nr : 0];
	int ret;

	if (s->nr == s->room && duration <= s->heap[0].duration)
		return 0;
	ret = copy(slow, ev);
	if (ret)
		return ret;
	slow->duration = duration;
	slow->order = order;
	if (s->nr < s->room)
		sift_up(s->heap, s->nr++);
	else
		sift_down(s->heap, s->nr);
	return 0;
}

static int compare(const void *a, const void *b)
{
	return is_less(a, b) ? 1 : -1;
}

void slowest_sort(struct slowest *s)
{
	qsort(s->heap, s->nr, sizeof(*s->heap), compare);
}
