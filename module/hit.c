// SPDX-License-Identifier: GPL-2.0
/*
 * The hot path where a program is more than a few loads. The rules of hit.h
 * hold here as well.
 */
#include <linux/kprobes.h>

#include "hit.h"

/* Puts the cursor on the first word of the record at pos. */
static __always_inline void
tap_cursor_begin(struct tap_cursor *c, struct tap_ring_writer *w, u64 pos)
{
	struct tap_record *rec = tap_ring_slot(w, pos);

	c->w = w;
	c->pos = pos;
	c->k = 0;
	c->next = rec->value;
	c->end = rec->value + TAP_FIRST_VALUES;
}

/* Fills what is left of the last slot and publishes the record. */
static __always_inline void
tap_hit_commit(const struct tap_probe *probe, struct tap_cursor *c, u64 pos)
{
	while (c->next < c->end)
		*c->next++ = 0;
	tap_ring_commit(tap_ring_slot(c->w, pos), pos);
	this_cpu_inc(probe->counters->written);
}

/* Reserves a record of the probe's length; false if it is lost, and counted. */
static __always_inline bool
tap_hit_reserve(const struct tap_probe *probe, struct tap_cursor *c,
		struct tap_resv *resv)
{
	struct tap_ring_writer *w = &raw_cpu_ptr(probe->rings)->w;
	unsigned int slots = (probe->ident >> 16) & 0xff;

	*resv = tap_ring_reserve(w, slots << TAP_SLOT_SHIFT);
	if (unlikely(resv->pos & TAP_RESV_FAILED)) {
		tap_hit_lost(probe, resv->pos);
		return false;
	}
	tap_cursor_begin(c, w, resv->pos);
	return true;
}

/**
 * tap_program_test_task() - whether the task is one that is asked for
 * @prog: a program that has tests
 *
 * Parents are looked at as they are at this instant; with preemption off none
 * of them is freed under us.
 *
 * Context: any, preemption off.
 * Return: whether all tests are passed.
 */
bool tap_program_test_task(const struct tap_program *prog)
{
	const struct task_struct *task = current;
	unsigned int left = TAP_MAX_DESCENT;

	if (prog->tgid && prog->tgid != task->tgid)
		return false;
	if (!prog->ancestor)
		return true;
	while (task->pid && left--) {
		task = rcu_dereference_raw(task->real_parent);
		if (task->tgid == prog->ancestor)
			return true;
	}
	return false;
}
NOKPROBE_SYMBOL(tap_program_test_task);

/* A hit of a probe that only counts. */
static __always_inline bool tap_hit_counted(const struct tap_probe *probe)
{
	if (!(probe->flags & TAP_CREATE_F_COUNT))
		return false;
	this_cpu_inc(probe->counters->aggregated);
	return true;
}

/**
 * tap_hit_tested() - record a hit that has passed its tests
 * @probe: a probe with any program
 * @base: registers or arguments
 * @trap: as tap_context()
 *
 * Context: any, preemption off.
 */
void tap_hit_tested(struct tap_probe *probe, const void *base,
		    unsigned int trap)
{
	struct tap_cursor c;
	struct tap_resv resv;
	u32 flags;

	this_cpu_inc(probe->counters->hits);
	if (tap_hit_counted(probe) || !tap_hit_reserve(probe, &c, &resv))
		return;
	flags = tap_program_fetch(probe, base, &c, false);
	tap_record_head(tap_ring_slot(c.w, resv.pos), probe, resv.time,
			tap_context(trap) | flags);
	tap_hit_commit(probe, &c, resv.pos);
}
NOKPROBE_SYMBOL(tap_hit_tested);

/**
 * tap_hit_program() - test and record a hit
 * @probe: a probe with any program
 * @base: registers or arguments
 * @trap: as tap_context()
 *
 * Context: any, preemption off.
 */
void tap_hit_program(struct tap_probe *probe, const void *base,
		     unsigned int trap)
{
	if (tap_program_passes(&probe->prog)) {
		tap_hit_tested(probe, base, trap);
		return;
	}
	this_cpu_inc(probe->counters->hits);
	this_cpu_inc(probe->counters->filtered);
}
NOKPROBE_SYMBOL(tap_hit_program);

/**
 * tap_hit_words() - record a call at its return
 * @probe: a call probe
 * @flags: of the call
 * @entry: raw time of its entry
 * @retval: its return register
 * @words: what the fetches gave at the entry
 *
 * The duration is measured to the record's own time, so that the entry is
 * exactly at time - duration.
 *
 * Context: any, preemption off.
 */
void tap_hit_words(struct tap_probe *probe, u32 flags, u64 entry, u64 retval,
		   const u64 *words)
{
	unsigned int nr = probe->prog.words - TAP_CALL_FETCHES;
	struct tap_cursor c;
	struct tap_resv resv;

	this_cpu_inc(probe->counters->hits);
	if (tap_hit_counted(probe) || !tap_hit_reserve(probe, &c, &resv))
		return;
	if (probe->redact && tap_is_address(retval)) {
		retval = 0;
		flags |= TAP_F_REDACTED;
	}
	tap_record_head(tap_ring_slot(c.w, resv.pos), probe, resv.time,
			tap_context(0) | flags);
	*tap_cursor_next(&c, false) = resv.time - entry;
	*tap_cursor_next(&c, false) = retval;
	while (nr--)
		*tap_cursor_next(&c, false) = *words++;
	tap_hit_commit(probe, &c, resv.pos);
}
NOKPROBE_SYMBOL(tap_hit_words);
