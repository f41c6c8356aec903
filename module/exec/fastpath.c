// SPDX-License-Identifier: GPL-2.0
/*
 * Runs the fast path of a probe: the part that is not inline. The rules of handler.h hold.
 */
#include <linux/kprobes.h>
#include <linux/uaccess.h>

#include "exec/fastpath_run.h"
#include "exec/span.h"

/* Reads size bytes of kernel memory, 1, 2, 4 or 8; .ok is false if that would fault. */
struct tap_fetched tap_fastpath_read(u64 from, unsigned int size)
{
	struct tap_fetched it = { .ok = true };

	if (likely(size == 8) && tap_fastpath_read_fast(from, &it.value))
		return it;
	it.value = 0;
	it.ok = tap_kernel_read(&it.value, from, size);
	return it;
}
NOKPROBE_SYMBOL(tap_fastpath_read);

/* Reads kernel memory, or user memory at an address of it. */
static bool tap_fastpath_read_any(u64 *value, u64 from, unsigned int size, u32 *flags)
{
	*value = 0;
	if (tap_kernel_read(value, from, size))
		return true;
	*value = 0;
	if (!tap_is_user_address(from) || !tap_interp_read(value, from, size, true))
		return false;
	*flags |= TAP_F_USER;
	return true;
}
NOKPROBE_SYMBOL(tap_fastpath_read_any);

/*
 * As tap_fastpath_fetch(), which has failed, for a probe that may read user memory by its
 * address. @value is that of tap_fastpath_source(). If this fails as well, .value has flags for
 * the record: a pointer may have been read there.
 */
noinline struct tap_fetched tap_fastpath_fetch_user(const struct tapmod_probe *probe,
						    const struct tap_fastpath_op *op, u64 value)
{
	struct tap_fetched failed = { 0 };
	unsigned int i;
	u32 flags = 0;

	if (!(probe->flags & TAP_CREATE_F_USER))
		return failed;
	for (i = 0; i < op->levels; i++)
		if (!tap_fastpath_read_any(&value, value + op->off[i],
					   i + 1 < op->levels ? 8 : op->size, &flags)) {
			failed.value = flags;
			return failed;
		}
	return (struct tap_fetched){ tap_arith_extend(value, op->shift, op->sign), flags };
}
NOKPROBE_SYMBOL(tap_fastpath_fetch_user);

/* tap_fastpath_enter() behind the filters. */
noinline bool tap_fastpath_enter_ops(struct tapmod_probe *probe, const struct tap_fastpath *fp,
				     struct tap_call *call, const void *base)
{
	unsigned int trap = unlikely(probe->traps) ? tap_kprobe_trap_count() : 0;
	struct tap_cursor c __uninitialized;
	u32 flags = 0;
	u64 absent;

	if (!tap_fastpath_passes(probe, fp, base, &flags, trap))
		return false;
	c.next = call->words + TAP_CALL_FETCHES;
	c.end = call->words + probe->prog.entry_words;
	call->flags = flags | tap_fastpath_outputs(probe, fp, base, &c, &absent, trap);
	call->absent = absent;
	return true;
}
NOKPROBE_SYMBOL(tap_fastpath_enter_ops);

/* Collects the value words on the stack, for the aggregation or the span. */
static noinline void
tap_fastpath_aggregate(const struct tapmod_probe *probe, const void *base, unsigned int trap,
		       u32 flags)
{
	u64 words[TAP_MAX_AGG_WORDS] __uninitialized;
	struct tap_cursor c __uninitialized;
	u64 absent;

	c.next = words;
	c.end = words + probe->prog.words;
	flags |= tap_fastpath_outputs(probe, probe->fp, base, &c, &absent, trap);
	tap_event_collected(probe, words, absent, tap_context(trap) | flags);
}
NOKPROBE_SYMBOL(tap_fastpath_aggregate);

/* Counts an event whose probe makes no records. */
static __always_inline void
tap_fastpath_count(const struct tapmod_probe *probe, const void *base, unsigned int trap,
		   u32 flags)
{
	this_cpu_inc(probe->counters->hits);
	this_cpu_inc(probe->counters->aggregated);
	if (probe->collects)
		tap_fastpath_aggregate(probe, base, trap, flags);
}

/* Fetches a word of a record of one slot; false if its memory cannot be read here. */
static __always_inline bool
tap_fastpath_word(const struct tap_fastpath_word *word, const void *base, u64 *value)
{
	if (word->kind == TAP_FASTPATH_ZERO) {
		*value = 0;
		return true;
	}
	if (likely(word->kind <= TAP_FASTPATH_FOLLOW)) {
		*value = *(const u64 *)(base + word->at);
		return word->kind == TAP_FASTPATH_WORD ||
		       tap_fastpath_read_fast(*value + word->off, value);
	}
	*value = tap_comm_word(word->kind - TAP_FASTPATH_NAME0);
	return true;
}

/*
 * Records an event of one slot. It fetches the words first, because a reservation cannot
 * be given back. Returns false, with nothing recorded or counted, if a word cannot be
 * read, and in the slow cases of tap_event_shaped_words().
 */
static __always_inline bool
tap_fastpath_make_one_slot(struct tapmod_probe *probe, const struct tap_fastpath *fp,
			   const void *base, unsigned int trap)
{
	struct tap_ring_writer *w = tap_event_writer(probe);
	struct tap_ring_head *head = w->head;
	struct tap_record *rec;
	struct tap_resv resv;
	u64 a, b, c, d;

	if (!tap_fastpath_word(&fp->word[0], base, &a) ||
	    !tap_fastpath_word(&fp->word[1], base, &b) ||
	    !tap_fastpath_word(&fp->word[2], base, &c) ||
	    !tap_fastpath_word(&fp->word[3], base, &d))
		return false;
	if (!tap_ring_reserve_fast(w, head, TAP_SLOT_SIZE, true, &resv))
		return tap_event_still_lost(probe, w, head);
	rec = tap_ring_slot_at(head, w->mask, resv.pos);
	tap_record_head(rec, probe, resv.time, tap_context(trap));
	rec->value[0] = a;
	rec->value[1] = b;
	rec->value[2] = c;
	rec->value[3] = d;
	tap_ring_commit(rec, resv.pos);
	tap_event_written(probe);
	return true;
}

/*
 * Counts an event by a key of one word, if tap_aggregate_at_first() finds the key. Returns
 * false with nothing counted if not, or if the key cannot be read.
 */
static __always_inline bool
tap_fastpath_make_by_key(const struct tapmod_probe *probe, const struct tap_fastpath *fp,
			 const void *base)
{
	const struct tapmod_aggregation *agg = probe->agg;
	struct tap_counters __percpu *counters;
	u64 *entry;
	u64 key;

	if (!tap_fastpath_word(&fp->word[fp->key], base, &key))
		return false;
	entry = tap_aggregate_at_first(agg, key);
	if (unlikely(!entry))
		return false;
	/* The count follows the key, which has one word. */
	tap_add_local(entry + TAP_AGG_KEY + 1, 1);
	counters = probe->counters;
	this_cpu_inc(counters->hits);
	this_cpu_inc(counters->aggregated);
	return true;
}

/*
 * Records an event op by op. The slow cases of tap_event_shaped_words() restart in
 * tap_event_program().
 */
static noinline int tap_fastpath_record(struct tapmod_probe *probe, const void *base,
					unsigned int trap)
{
	const struct tap_fastpath *fp = probe->fp;
	struct tap_cursor c __uninitialized;
	struct tap_record *rec;
	struct tap_resv resv;
	u64 absent;
	u32 flags = 0;

	if (!tap_fastpath_passes(probe, fp, base, &flags, trap))
		return 0;
	if (unlikely(probe->counts)) {
		tap_fastpath_count(probe, base, trap, flags);
		return 0;
	}
	if (unlikely(!tap_fastpath_reserve(probe, fp, &rec, &c, &resv)))
		return tap_event_program(probe, base, trap);
	flags |= tap_fastpath_outputs(probe, fp, base, &c, &absent, trap);
	tap_cursor_fill(&c);
	tap_record_publish(rec, probe, &resv, tap_context(trap) | flags);
	tap_event_written(probe);
	return 0;
}
NOKPROBE_SYMBOL(tap_fastpath_record);

/* Not inlined, so that the short paths do not get the stack frame of the long ones. */
static noinline int tap_fastpath_run_by_key(struct tapmod_probe *probe, const void *base,
					    unsigned int trap)
{
	if (likely(tap_fastpath_make_by_key(probe, probe->fp, base)))
		return 0;
	return tap_fastpath_record(probe, base, trap);
}
NOKPROBE_SYMBOL(tap_fastpath_run_by_key);

static noinline int tap_fastpath_run_one_slot(struct tapmod_probe *probe, const void *base,
					      unsigned int trap)
{
	if (likely(tap_fastpath_make_one_slot(probe, probe->fp, base, trap)))
		return 0;
	return tap_fastpath_record(probe, base, trap);
}
NOKPROBE_SYMBOL(tap_fastpath_run_one_slot);

/* Handles an event that has passed its filters, and the test before @way. */
static __always_inline int
tap_fastpath_run_way(struct tapmod_probe *probe, enum tap_fastpath_way way, const void *base,
		     unsigned int trap)
{
	if (way == TAP_FASTPATH_ONE_SLOT)
		return tap_fastpath_run_one_slot(probe, base, trap);
	if (way == TAP_FASTPATH_TO_SPAN)
		return tap_span_side_loads(probe, base, tap_context(trap));
	if (way == TAP_FASTPATH_BY_KEY)
		return tap_fastpath_run_by_key(probe, base, trap);
	return tap_fastpath_record(probe, base, trap);
}

static noinline int
tap_fastpath_run_behind(struct tapmod_probe *probe, const void *base, unsigned int trap)
{
	return tap_fastpath_run_way(probe, probe->fp->behind, base, trap);
}
NOKPROBE_SYMBOL(tap_fastpath_run_behind);

/* TAP_FASTPATH_IF_INSIDE, if the task's frames are not known on this CPU, and in interrupts. */
static noinline int
tap_fastpath_find_inside(struct tapmod_probe *probe, const void *base, unsigned int trap)
{
	if (!tap_tasks_level(trap))
		tap_inside_learn(probe->tasks);
	if (tap_inside(probe->tasks, probe->fp->inside, trap) != probe->fp->outside)
		return tap_fastpath_run_behind(probe, base, trap);
	tap_event_rejected(probe, TAP_REJECTED);
	return 0;
}
NOKPROBE_SYMBOL(tap_fastpath_find_inside);

/*
 * Runs TAP_FASTPATH_IF_INSIDE. Where no frame is under way the level of the context only matters if
 * there may be frames in interrupts.
 */
static __always_inline int
tap_fastpath_run_inside(struct tapmod_probe *probe, const struct tap_fastpath *fp,
			const void *base, unsigned int trap)
{
	const struct tapmod_tasks *tasks = probe->tasks;
	const struct tap_task_frames *frames;
	bool inside = false;

	if (!tap_inside_known(tasks))
		return tap_fastpath_find_inside(probe, base, trap);
	frames = this_cpu_read(tasks->cpu->known_frames);
	if (frames || unlikely(READ_ONCE(tasks->in_interrupt))) {
		if (unlikely(tap_tasks_level(trap)))
			return tap_fastpath_find_inside(probe, base, trap);
		inside = frames && tap_inside_has(frames, fp->inside);
	}
	if (inside != fp->outside)
		return tap_fastpath_run_behind(probe, base, trap);
	tap_event_rejected(probe, TAP_REJECTED);
	return 0;
}

/**
 * tap_fastpath_run() - run the fast path of an event behind its filters
 * @probe: a probe that has a fast path
 * @base: registers or arguments; tap_fastpath_filter() returned true for them
 * @trap: see tap_context()
 *
 * Context: any, preemption off.
 * Return: 0, the result of a handler.
 */
int tap_fastpath_run(struct tapmod_probe *probe, const void *base, unsigned int trap)
{
	const struct tap_fastpath *fp = probe->fp;

	if (unlikely(fp->way == TAP_FASTPATH_IF_INSIDE))
		return tap_fastpath_run_inside(probe, fp, base, trap);
	return tap_fastpath_run_way(probe, fp->way, base, trap);
}
NOKPROBE_SYMBOL(tap_fastpath_run);
