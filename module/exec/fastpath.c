// SPDX-License-Identifier: GPL-2.0
/*
 * Running a plan. The rules of handler.h hold here: any context, preemption off, no
 * lock, no fault, no sleep.
 */
#include <linux/kprobes.h>
#include <linux/uaccess.h>

#include "exec/aggregate.h"
#include "exec/fastpath_run.h"

/**
 * tap_plan_read() - read kernel memory
 * @from: where
 * @size: bytes, 1, 2, 4 or 8
 *
 * Context: any, preemption off.
 * Return: what is there.
 */
struct tap_fetched tap_plan_read(u64 from, unsigned int size)
{
	struct tap_fetched it = { .ok = true };

	if (likely(size == 8) && tap_plan_read_fast(from, &it.value))
		return it;
	it.value = 0;
	it.ok = tap_kernel_read(&it.value, from, size);
	return it;
}
NOKPROBE_SYMBOL(tap_plan_read);

/* A hit that is aggregated: its words go to an array, and from there. */
static noinline void
tap_plan_aggregate(const struct tap_probe *probe, const void *base)
{
	u64 words[TAP_MAX_AGG_WORDS] __uninitialized;
	struct tap_cursor c __uninitialized;
	u64 absent;

	c.next = words;
	c.end = words + probe->prog.words;
	tap_plan_outputs(probe, probe->plan, base, &c, &absent);
	tap_aggregate_hit(probe, words, absent);
}
NOKPROBE_SYMBOL(tap_plan_aggregate);

/* A hit that makes no record. */
static __always_inline void
tap_plan_count(const struct tap_probe *probe, const void *base)
{
	this_cpu_inc(probe->counters->hits);
	this_cpu_inc(probe->counters->aggregated);
	if (probe->agg)
		tap_plan_aggregate(probe, base);
}

/* A word of a simple record; false if it cannot be read. */
static __always_inline bool
tap_plan_word(const struct tap_plan_word *word, const void *base, u64 *value)
{
	if (word->kind == TAP_PLAN_ZERO) {
		*value = 0;
		return true;
	}
	if (likely(word->kind <= TAP_PLAN_FOLLOW)) {
		*value = *(const u64 *)(base + word->at);
		return word->kind == TAP_PLAN_WORD ||
		       tap_plan_read_fast(*value + word->off, value);
	}
	*value = tap_comm_word(word->kind - TAP_PLAN_NAME0);
	return true;
}

/*
 * Records a simple hit, if that is easy. Its words are fetched first: what cannot
 * be read is not simple any more, and a reservation cannot be given back.
 */
static __always_inline bool
tap_plan_simple(struct tap_probe *probe, const struct tap_plan *plan,
		const void *base, unsigned int trap)
{
	struct tap_ring_writer *w = &raw_cpu_ptr(probe->rings)->w;
	struct tap_ring_head *head = w->head;
	struct tap_record *rec;
	struct tap_resv resv;
	u64 a, b, c, d;

	if (!tap_plan_word(&plan->word[0], base, &a) ||
	    !tap_plan_word(&plan->word[1], base, &b) ||
	    !tap_plan_word(&plan->word[2], base, &c) ||
	    !tap_plan_word(&plan->word[3], base, &d))
		return false;
	if (!tap_ring_reserve_fast(w, head, TAP_SLOT_SIZE, true, &resv))
		return tap_hit_still_lost(probe, w, head);
	rec = tap_ring_slot_at(head, w->mask, resv.pos);
	tap_record_head(rec, probe, resv.time, tap_context(trap));
	rec->value[0] = a;
	rec->value[1] = b;
	rec->value[2] = c;
	rec->value[3] = d;
	tap_ring_commit(rec, resv.pos);
	tap_hit_written(probe);
	return true;
}

/* Counts a hit by a key of one word, if that is easy. */
static __always_inline bool
tap_plan_keyed(const struct tap_probe *probe, const struct tap_plan *plan,
	       const void *base)
{
	const struct tap_aggregation *agg = probe->agg;
	struct tap_counters __percpu *counters;
	u64 *entry;
	u64 key;

	if (!tap_plan_word(&plan->word[plan->key], base, &key))
		return false;
	entry = tap_aggregate_at_first(agg, key);
	if (unlikely(!entry))
		return false;
	/* The count, behind the key. */
	tap_add_local(entry + TAP_AGG_KEY + 1, 1);
	counters = probe->counters;
	this_cpu_inc(counters->hits);
	this_cpu_inc(counters->aggregated);
	return true;
}

/*
 * Records a hit step by step. What is not easy (a full ring, a loss to tell, a
 * watermark, an interruption) is left to tap_hit_program(), from the begin.
 */
static noinline int tap_plan_record(struct tap_probe *probe, const void *base,
				    unsigned int trap)
{
	const struct tap_plan *plan = probe->plan;
	struct tap_cursor c __uninitialized;
	struct tap_record *rec;
	struct tap_resv resv;
	u64 absent;
	u32 flags;

	if (!tap_plan_passes(probe, plan, base))
		return 0;
	if (unlikely(probe->counts)) {
		tap_plan_count(probe, base);
		return 0;
	}
	if (unlikely(!tap_plan_reserve(probe, plan, &rec, &c, &resv)))
		return tap_hit_program(probe, base, trap);
	flags = tap_plan_outputs(probe, plan, base, &c, &absent);
	tap_cursor_fill(&c);
	tap_record_publish(rec, probe, &resv, tap_context(trap) | flags);
	tap_hit_written(probe);
	return 0;
}
NOKPROBE_SYMBOL(tap_plan_record);

/* Alone: each way has as little of a stack as it needs. */
static noinline int tap_plan_hit_keyed(struct tap_probe *probe, const void *base,
				       unsigned int trap)
{
	if (likely(tap_plan_keyed(probe, probe->plan, base)))
		return 0;
	return tap_plan_record(probe, base, trap);
}
NOKPROBE_SYMBOL(tap_plan_hit_keyed);

static noinline int tap_plan_hit_simple(struct tap_probe *probe, const void *base,
					unsigned int trap)
{
	if (likely(tap_plan_simple(probe, probe->plan, base, trap)))
		return 0;
	return tap_plan_record(probe, base, trap);
}
NOKPROBE_SYMBOL(tap_plan_hit_simple);

/**
 * tap_plan_hit() - record a hit by the probe's plan
 * @probe: a probe that has a plan
 * @base: registers or arguments; the quick tests let it through
 * @trap: as tap_context()
 *
 * Context: any, preemption off.
 * Return: 0, as handlers do.
 */
int tap_plan_hit(struct tap_probe *probe, const void *base, unsigned int trap)
{
	const struct tap_plan *plan = probe->plan;

	if (plan->simple)
		return tap_plan_hit_simple(probe, base, trap);
	if (plan->keyed)
		return tap_plan_hit_keyed(probe, base, trap);
	return tap_plan_record(probe, base, trap);
}
NOKPROBE_SYMBOL(tap_plan_hit);
