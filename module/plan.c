// SPDX-License-Identifier: GPL-2.0
/*
 * Running a plan. The rules of hit.h hold here: any context, preemption off, no
 * lock, no fault, no sleep.
 */
#include <linux/kprobes.h>
#include <linux/uaccess.h>

#include "aggregate.h"
#include "arch.h"
#include "hit.h"
#include "plan.h"

/**
 * struct tap_fetched - a value, if it could be fetched
 * @value: the value
 * @ok: it could
 *
 * In two registers, so that nothing of a plan has an address on the stack.
 */
struct tap_fetched {
	u64 value;
	u64 ok;
};

/* Reads kernel memory. */
static noinline struct tap_fetched tap_plan_read(u64 from, unsigned int size)
{
	struct tap_fetched it = { .ok = true };

	if (likely(size == 8) && tap_plan_read_fast(from, &it.value))
		return it;
	it.value = 0;
	it.ok = tap_kernel_read(&it.value, from, size);
	return it;
}
NOKPROBE_SYMBOL(tap_plan_read);

static __always_inline struct tap_fetched
tap_plan_fetch(const struct tap_plan_step *step, const void *base, u64 absent)
{
	struct tap_fetched it = { .ok = true };

	if (likely(step->source == TAP_PLAN_BASE))
		it.value = *(const u64 *)(base + step->at);
	else if (step->source == TAP_PLAN_TGID)
		it.value = current->tgid;
	else if (step->source == TAP_PLAN_TASK)
		it.value = tap_task_var(step->at, step->which);
	else
		it.value = absent;
	if (step->levels) {
		if (step->levels > 1) {
			it = tap_plan_read(it.value + step->off[0], 8);
			if (unlikely(!it.ok))
				return it;
		}
		it = tap_plan_read(it.value + step->off[step->levels - 1],
				   step->size);
	}
	it.value = tap_plan_narrow(step, it.value);
	return it;
}

/* Whether the tests that are left let a hit through; if not, it is counted. */
static __always_inline bool
tap_plan_passes(const struct tap_probe *probe, const struct tap_plan *plan,
		const void *base)
{
	const struct tap_plan_step *step = plan->steps + plan->quick;
	const struct tap_plan_step *end = plan->steps + plan->tests;
	struct tap_fetched it;

	for (; step < end; step++) {
		it = tap_plan_fetch(step, base, 0);
		if (unlikely(!it.ok)) {
			this_cpu_inc(probe->counters->hits);
			this_cpu_inc(probe->counters->lost_fault);
			return false;
		}
		if (tap_plan_rejects(step, it.value)) {
			this_cpu_inc(probe->counters->hits);
			this_cpu_inc(probe->counters->filtered);
			return false;
		}
	}
	return true;
}

/* Appends all outputs; returns flags for the record, and says which are absent. */
static __always_inline u32
tap_plan_outputs(const struct tap_probe *probe, const struct tap_plan *plan,
		 const void *base, struct tap_cursor *c, u64 *absent)
{
	const struct tap_plan_step *step = plan->steps + plan->tests;
	const struct tap_plan_step *end = plan->steps + plan->nr;
	unsigned int i;

	/* As many as the first slot has at most: no look at its end. */
	for (i = 0; i < plan->plain; i++)
		*c->next++ = *(const u64 *)(base + probe->offset[i]);
	*absent = 0;
	for (step += plan->plain; step < end; step++) {
		struct tap_fetched it;

		if (step->source == TAP_PLAN_COMM) {
			*tap_cursor_next(c) = tap_comm_word(0);
			it.value = tap_comm_word(1);
		} else {
			it = tap_plan_fetch(step, base, *absent);
			if (unlikely(!it.ok)) {
				*absent |= BIT_ULL(step->output);
				it.value = 0;
			}
		}
		*tap_cursor_next(c) = it.value;
	}
	return *absent ? TAP_F_ABSENT : 0;
}

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

/**
 * tap_plan_record() - record a hit by the probe's plan
 * @probe: a probe that has a plan
 * @base: registers or arguments; the quick tests let it through
 * @trap: as tap_context()
 *
 * What is not easy (a full ring, a loss to tell, a watermark, an interruption) is
 * left to tap_hit_program(), from the begin.
 *
 * Context: any, preemption off.
 * Return: 0, as handlers do.
 */
int tap_plan_record(struct tap_probe *probe, const void *base,
		    unsigned int trap)
{
	struct tap_ring_writer *w = &raw_cpu_ptr(probe->rings)->w;
	const struct tap_plan *plan = probe->plan;
	struct tap_ring_head *head = w->head;
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
	if (unlikely(!tap_ring_reserve_fast(w, head, plan->bytes, true,
					    &resv))) {
		tap_hit_program(probe, base, trap);
		return 0;
	}
	rec = tap_ring_slot_at(head, w->mask, resv.pos);
	c.w = w;
	c.pos = resv.pos;
	c.k = 0;
	c.next = rec->value;
	c.end = rec->value + TAP_FIRST_VALUES;
	flags = tap_plan_outputs(probe, plan, base, &c, &absent);
	while (c.next < c.end)
		*c.next++ = 0;
	tap_record_head(rec, probe, resv.time, tap_context(trap) | flags);
	tap_ring_commit(rec, resv.pos);
	this_cpu_inc(probe->counters->hits);
	this_cpu_inc(probe->counters->written);
	return 0;
}
NOKPROBE_SYMBOL(tap_plan_record);
