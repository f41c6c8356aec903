// SPDX-License-Identifier: LGPL-2.1
/*
 * Keeps the events that belong to a verdict.
 *
 * Events are copied into a ring of memory, oldest first out. Those of a task that are held for a
 * verdict are linked by time. A verdict takes the events of its window out of the links, so each
 * event is visited once, and by one further verdict at most. When an event leaves the memory and
 * is still linked, no verdict has asked for it: it is dropped.
 *
 * Whether a task is in the call of a verdict is not known here: only the return of the call makes
 * a record. So every event is held as long as there is room.
 *
 * Tasks share a fixed number of lists by their id. A list has the time of the last event that was
 * dropped: a verdict that began before has lost events. Nothing else is remembered of a task, so
 * a task that ends needs no notice.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record/record.h"
#include "spec/probe_table.h"
#include "spec/probe_type.h"
#include "util/sized.h"
#include "util/util.h"

/* One list for so many bytes of memory. */
#define BYTES_PER_LIST	(TAP_KEEP_MIN_MEMORY / TAP_KEEP_MIN_TASKS)

enum held_state {
	HELD,		/* linked: a verdict may ask for it */
	KEPT,		/* to be given when it leaves the memory */
	GIVEN,
};

/**
 * struct held - an event in the memory; its slots follow
 * @time: its time
 * @older: the event of its list before it, in units of struct held from 1; 0: none
 * @newer: the event behind it, likewise
 * @task: see task_of()
 * @cpu: number of the ring
 * @slots: number of slots
 * @state: enum held_state
 */
struct held {
	__u64 time;
	__u32 older;
	__u32 newer;
	__u32 task;
	__u32 cpu;
	__u32 slots;
	__u32 state;
};
_Static_assert(TAP_SLOT_SIZE % sizeof(struct held) == 0, "units of the memory");

/**
 * struct list - the events of a task, or of several with the same remainder of their ids
 * @newest: the last of those that are linked; 0: none
 * @task: of the last verdict
 * @begin: its window, or that of several whose windows overlap
 * @end: likewise
 * @dropped: events before this time may have been dropped for lack of memory
 */
struct list {
	__u32 newest;
	__u32 task;
	__u64 begin;
	__u64 end;
	__u64 dropped;
};

/**
 * struct verdict - how to find the window of the events of a probe
 * @is: they are verdicts
 * @duration: word of the duration
 * @from_tid: of a span: the field of the task in which it began; else NULL
 * @from_cpu: of a span: that of its CPU; else NULL
 */
struct verdict {
	bool is;
	__u16 duration;
	const struct tap_field *from_tid;
	const struct tap_field *from_cpu;
};

/**
 * struct tap_keep - the stage
 * @opts: of the caller
 * @verdicts: by index of the probe table
 * @lists: by the remainder of the task
 * @nr_lists: a power of two
 * @memory: events
 * @units: of @memory
 * @nr: events in it
 * @head: unit of the next event
 * @tail: unit of the oldest event
 * @wrap: @tail goes from here to the start of the memory; 0: @head has not gone there before it
 * @counts: what became of events
 */
struct tap_keep {
	struct tap_keep_opts opts;
	struct verdict *verdicts;
	struct list *lists;
	__u32 nr_lists;
	struct held *memory;
	__u32 units;
	__u32 nr;
	__u32 head;
	__u32 tail;
	__u32 wrap;
	struct tap_keep_counts counts;
};

static __u32 units_of(__u32 slots)
{
	return 1 + slots * (TAP_SLOT_SIZE / sizeof(struct held));
}

static struct held *held_at(const struct tap_keep *k, __u32 link)
{
	return &k->memory[link - 1];
}

/* The idle task has the id 0 on each CPU. */
static __u32 task_of(__u32 tid, __u32 cpu)
{
	return tid ? tid : UINT32_MAX - cpu;
}

static struct list *list_of(const struct tap_keep *k, __u32 task)
{
	return &k->lists[task & (k->nr_lists - 1)];
}

/* Puts an event into its list. A writer may have been delayed, so it need not be the newest. */
static void list_add(struct tap_keep *k, struct held *h)
{
	struct list *list = list_of(k, h->task);
	__u32 at = list->newest, newer = 0, link = (__u32)(h - k->memory) + 1;

	while (at && held_at(k, at)->time > h->time) {
		newer = at;
		at = held_at(k, at)->older;
	}
	h->older = at;
	h->newer = newer;
	if (at)
		held_at(k, at)->newer = link;
	if (newer)
		held_at(k, newer)->older = link;
	else
		list->newest = link;
}

static void list_remove(struct tap_keep *k, const struct held *h)
{
	if (h->older)
		held_at(k, h->older)->newer = h->newer;
	if (h->newer)
		held_at(k, h->newer)->older = h->older;
	else
		list_of(k, h->task)->newest = h->older;
}

static int give(struct tap_keep *k, struct held *h)
{
	struct tap_event ev = {
		.rec = (const void *)(h + 1), .data = h + 1, .mask = ~0ULL,
		.time = h->time, .cpu = h->cpu, .slots = h->slots,
	};

	h->state = GIVEN;
	/* It was accepted before, when it came. */
	tap_decode(k->opts.probes, &ev);
	return k->opts.give(k->opts.arg, &ev);
}

/* A verdict asks for an event that is linked. */
static int keep_one(struct tap_keep *k, struct held *h)
{
	list_remove(k, h);
	k->counts.kept++;
	if (!k->opts.ordered)
		return give(k, h);
	h->state = KEPT;
	return 0;
}

/* The oldest event leaves the memory. */
static int evict(struct tap_keep *k)
{
	struct held *h = &k->memory[k->tail];
	struct list *list = list_of(k, h->task);

	k->tail += units_of(h->slots);
	k->nr--;
	if (k->tail == k->wrap || !k->nr)
		k->tail = 0;
	if (!k->tail)
		k->wrap = 0;
	if (!k->nr)
		k->head = 0;
	if (h->state == KEPT)
		return give(k, h);
	if (h->state == GIVEN)
		return 0;
	list_remove(k, h);
	k->counts.not_kept++;
	if (h->time >= list->dropped)
		list->dropped = h->time + 1;
	return 0;
}

/* Makes room in one piece; @at is set to its first unit. The largest record fits into any memory. */
static int make_room(struct tap_keep *k, __u32 need, __u32 *at)
{
	int ret;

	for (;;) {
		bool wrapped = k->nr && k->head <= k->tail;

		if (!wrapped && k->units - k->head < need) {
			k->wrap = k->head;
			k->head = 0;
			wrapped = true;
		}
		if (!wrapped || k->tail - k->head >= need)
			break;
		ret = evict(k);
		if (ret)
			return ret;
	}
	*at = k->head;
	k->head += need;
	k->nr++;
	return 0;
}

static int hold(struct tap_keep *k, const struct tap_event *ev, enum held_state state,
		struct held **held)
{
	__u32 i, at;
	int ret = make_room(k, units_of(ev->slots), &at);
	struct held *h = &k->memory[at];

	if (ret)
		return ret;
	*h = (struct held) {
		.time = ev->time, .task = task_of(ev->rec->tid, ev->cpu), .cpu = ev->cpu,
		.slots = ev->slots, .state = state,
	};
	for (i = 0; i < ev->slots; i++)
		memcpy((char *)(h + 1) + i * TAP_SLOT_SIZE,
		       tap_slot_at(ev->data, ev->mask, ev->pos + (__u64)i * TAP_SLOT_SIZE),
		       TAP_SLOT_SIZE);
	*held = h;
	return 0;
}

/* Keeps the events of a task with times from @begin to @end. */
static int keep_window(struct tap_keep *k, struct list *list, __u32 task, __u64 begin, __u64 end)
{
	__u32 at, first = 0;
	int ret = 0;

	for (at = list->newest; at && held_at(k, at)->time >= begin; at = held_at(k, at)->older)
		if (held_at(k, at)->task == task && held_at(k, at)->time <= end)
			first = at;
	while (first && !ret) {
		struct held *h = held_at(k, first);

		first = h->newer;
		if (h->task == task && h->time <= end)
			ret = keep_one(k, h);
	}
	return ret;
}

/* Whether a span began in the task in which it ended. */
static bool is_apart(const struct verdict *v, const struct tap_event *ev)
{
	if (!v->from_tid)
		return false;
	if ((__u32)tap_event_word(ev, v->from_tid->word) != ev->rec->tid)
		return true;
	return !ev->rec->tid && (__u32)tap_event_word(ev, v->from_cpu->word) != ev->cpu;
}

static int judge(struct tap_keep *k, const struct verdict *v, const struct tap_event *ev)
{
	const __u32 task = task_of(ev->rec->tid, ev->cpu);
	__u64 duration = tap_event_word(ev, v->duration), begin;
	struct list *list = list_of(k, task);

	k->counts.verdicts++;
	if (is_apart(v, ev)) {
		k->counts.apart++;
		duration = 0;
	}
	begin = ev->time > duration ? ev->time - duration : 0;
	k->counts.incomplete += begin < list->dropped;
	/* An event of the same time, or of a delayed writer, may come behind the verdict. */
	if (list->task == task && begin <= list->end && list->begin <= ev->time) {
		list->begin = begin < list->begin ? begin : list->begin;
		list->end = ev->time > list->end ? ev->time : list->end;
	} else {
		list->task = task;
		list->begin = begin;
		list->end = ev->time;
	}
	return keep_window(k, list, task, begin, ev->time);
}

/* What belongs to no task. */
static int pass(struct tap_keep *k, const struct tap_event *ev)
{
	struct tap_event copy = *ev;
	struct held *h;

	k->counts.kept += ev->rec->kind == TAP_KIND_EVENT;
	return k->opts.ordered ? hold(k, ev, KEPT, &h) : k->opts.give(k->opts.arg, &copy);
}

int tap_keep_event(struct tap_keep *k, const struct tap_event *ev)
{
	const struct verdict *v;
	const struct list *list;
	struct held *h;
	int ret;

	if (!ev->probe || ev->probe->spec.type == TAP_PROBE_MARK)
		return pass(k, ev);
	ret = hold(k, ev, HELD, &h);
	if (ret)
		return ret;
	list_add(k, h);
	v = &k->verdicts[ev->probe - k->opts.probes->list];
	if (v->is)
		return judge(k, v, ev);
	list = list_of(k, h->task);
	return list->task == h->task && h->time >= list->begin && h->time <= list->end ?
	       keep_one(k, h) : 0;
}

int tap_keep_end(struct tap_keep *k)
{
	int ret = 0;

	while (k->nr && !ret)
		ret = evict(k);
	return ret;
}

int tap_keep_verdict(struct tap_keep *k, const struct tap_probe *probe)
{
	struct verdict *v = &k->verdicts[probe - k->opts.probes->list];
	const struct tap_spec *spec = &probe->spec;
	unsigned int i;

	if (spec->type == TAP_PROBE_SPAN) {
		/* Only this one is hidden: a side may have a value of this format. */
		for (i = 0; i < spec->nr_fields; i++)
			if (spec->fields[i].format == TAP_FMT_DURATION &&
			    spec->fields[i].flags & TAP_FIELD_F_HIDDEN)
				break;
		v->from_tid = tap_probe_find_field(probe, "from.tid");
		v->from_cpu = tap_probe_find_field(probe, "from.cpu");
		if (i == spec->nr_fields || !v->from_tid || !v->from_cpu)
			return -EINVAL;
		v->duration = spec->fields[i].word;
	} else if (!tap_probe_is_call(spec->type) || spec->type == TAP_PROBE_FUNCGRAPH) {
		return -EINVAL;
	} else {
		v->duration = TAP_CALL_DURATION;
	}
	v->is = true;
	return 0;
}

int tap_keep_counts(const struct tap_keep *k, struct tap_keep_counts *counts)
{
	return tap_sized_write(counts, &k->counts, sizeof(k->counts));
}

int tap_keep_open(struct tap_keep **keep, const struct tap_keep_opts *opts)
{
	struct tap_keep *k = calloc(1, sizeof(*k));
	int ret;

	if (!k)
		return -ENOMEM;
	ret = tap_sized_read(&k->opts, sizeof(k->opts), opts);
	if (!ret && (!k->opts.probes || !k->opts.give || k->opts.memory < TAP_KEEP_MIN_MEMORY ||
		     k->opts.memory > TAP_KEEP_MAX_MEMORY))
		ret = -EINVAL;
	if (ret) {
		free(k);
		return ret;
	}
	for (k->nr_lists = TAP_KEEP_MIN_TASKS;
	     k->nr_lists <= k->opts.memory / BYTES_PER_LIST / 2; k->nr_lists *= 2)
		;
	k->units = (__u32)((k->opts.memory - k->nr_lists * sizeof(*k->lists)) /
			   sizeof(*k->memory));
	k->counts.memory = k->opts.memory;
	k->verdicts = calloc(k->opts.probes->nr + 1, sizeof(*k->verdicts));
	k->lists = calloc(k->nr_lists, sizeof(*k->lists));
	k->memory = calloc(k->units, sizeof(*k->memory));
	if (!k->verdicts || !k->lists || !k->memory) {
		tap_keep_close(k);
		return -ENOMEM;
	}
	*keep = k;
	return 0;
}

void tap_keep_close(struct tap_keep *k)
{
	if (!k)
		return;
	free(k->verdicts);
	free(k->lists);
	free(k->memory);
	free(k);
}
