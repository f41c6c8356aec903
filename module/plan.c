// SPDX-License-Identifier: GPL-2.0
/*
 * Running a plan. The rules of hit.h hold here: any context, preemption off, no
 * lock, no fault, no sleep.
 */
#include <linux/kprobes.h>
#include <linux/uaccess.h>

#include "aggregate.h"
#include "plan_run.h"

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
