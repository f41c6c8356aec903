/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Runs the fast path of a probe: the inline part. The rules of handler.h hold.
 */
#ifndef _TAPMOD_EXEC_FASTPATH_RUN_H
#define _TAPMOD_EXEC_FASTPATH_RUN_H

#include "common/arith.h"
#include "compat/comm.h"
#include "exec/call.h"
#include "exec/fastpath.h"
#include "exec/followed.h"
#include "exec/inside.h"
#include "exec/interpreter.h"

/* Runs the filters; if one rejects the event, counts it and returns false. */
static __always_inline bool
tap_fastpath_filter(const struct tapmod_probe *probe, const struct tap_fastpath *fp,
		    const void *base)
{
	const struct tap_fastpath_op *op = fp->ops;
	unsigned int left;

	for (left = fp->filters; left; left--, op++) {
		u64 value;

		if (likely(op->source == TAP_FASTPATH_BASE))
			value = *(const u64 *)(base + op->at);
		else if (likely(op->source == TAP_FASTPATH_TGID))
			value = current->tgid;
		else
			value = tap_followed((const unsigned long *)op->which);
		/* Else the compiler computes an end pointer with a multiplication. */
		OPTIMIZER_HIDE_VAR(left);
		if (unlikely(op->shift))
			value = tap_arith_extend(value, op->shift, op->sign);
		if (tap_fastpath_rejects(op, value)) {
			tap_event_rejected(probe, TAP_REJECTED);
			return false;
		}
	}
	return true;
}

/* Here and below, see tap_context() for trap. */
static __always_inline u64
tap_fastpath_source(const struct tapmod_probe *probe, const struct tap_fastpath_op *op,
		    const void *base, u64 absent, unsigned int trap)
{
	if (likely(op->source == TAP_FASTPATH_BASE))
		return *(const u64 *)(base + op->at);
	if (op->source == TAP_FASTPATH_TGID)
		return current->tgid;
	if (op->source == TAP_FASTPATH_FOLLOWED)
		return tap_followed((const unsigned long *)op->which);
	if (op->source == TAP_FASTPATH_INSIDE)
		return tap_inside(probe->tasks, op->which, trap);
	if (op->source == TAP_FASTPATH_TASK)
		return tap_task_var(op->at, op->which);
	return absent;
}

static __always_inline struct tap_fetched
tap_fastpath_fetch(const struct tapmod_probe *probe, const struct tap_fastpath_op *op,
		   const void *base, u64 absent, unsigned int trap)
{
	struct tap_fetched it = {
		.value = tap_fastpath_source(probe, op, base, absent, trap), .ok = true,
	};

	if (op->levels) {
		if (op->levels > 1) {
			it = tap_fastpath_read(it.value + op->off[0], 8);
			if (unlikely(!it.ok))
				return it;
		}
		it = tap_fastpath_read(it.value + op->off[op->levels - 1],
				       op->size);
	}
	it.value = tap_arith_extend(it.value, op->shift, op->sign);
	return it;
}

/*
 * Runs the tests behind the filters; if one rejects the event, counts it, returns false. Adds
 * record flags to *flags.
 */
static __always_inline bool
tap_fastpath_passes(const struct tapmod_probe *probe, const struct tap_fastpath *fp,
		    const void *base, u32 *flags, unsigned int trap)
{
	const struct tap_fastpath_op *op = fp->ops + fp->filters;
	const struct tap_fastpath_op *end = fp->ops + fp->tests;
	struct tap_fetched it;

	for (; op < end; op++) {
		it = tap_fastpath_fetch(probe, op, base, 0, trap);
		if (unlikely(!it.ok)) {
			it = tap_fastpath_fetch_user(probe, op,
						     tap_fastpath_source(probe, op, base, 0, trap));
			if (!it.ok) {
				tap_event_rejected(probe, TAP_UNDECIDED);
				return false;
			}
			*flags |= TAP_F_USER;
		}
		if (tap_fastpath_rejects(op, it.value)) {
			tap_event_rejected(probe, TAP_REJECTED);
			return false;
		}
	}
	return true;
}

/* Appends bytes of the base: whole words, then the rest, with zeros behind it. */
static __always_inline void
tap_fastpath_bytes(const struct tap_fastpath_op *op, const void *base, struct tap_cursor *c)
{
	const u64 *from = base + op->at;
	unsigned int left = op->which;

	for (; left >= sizeof(u64); left -= sizeof(u64))
		*tap_cursor_next(c) = *from++;
	/* Bases have whole words, so this may read beyond the last byte. */
	if (left)
		*tap_cursor_next(c) = tap_arith_extend(*from, TAP_SHIFT(left), false);
}

/* Appends all outputs, and sets bit n of *absent if output n is; returns record flags. */
static __always_inline u32
tap_fastpath_outputs(const struct tapmod_probe *probe, const struct tap_fastpath *fp,
		     const void *base, struct tap_cursor *c, u64 *absent, unsigned int trap)
{
	const struct tap_fastpath_op *op = fp->ops + fp->tests;
	const struct tap_fastpath_op *end = fp->ops + fp->nr;
	unsigned int i;
	u32 flags = 0;

	/* At most TAP_FIRST_VALUES words: they fit into the first slot without a check. */
	for (i = 0; i < fp->nr_loads; i++)
		*c->next++ = *(const u64 *)(base + probe->offset[i]);
	*absent = 0;
	for (op += fp->nr_loads; op < end; op++) {
		struct tap_fetched it;

		if (op->source == TAP_FASTPATH_COMM) {
			*tap_cursor_next(c) = tap_comm_word(0);
			it.value = tap_comm_word(1);
		} else if (op->source == TAP_FASTPATH_BYTES) {
			tap_fastpath_bytes(op, base, c);
			continue;
		} else {
			it = tap_fastpath_fetch(probe, op, base, *absent, trap);
			if (unlikely(!it.ok)) {
				it = tap_fastpath_fetch_user(probe, op,
							     tap_fastpath_source(probe, op, base, 0,
										 trap));
				if (it.ok) {
					flags |= TAP_F_USER;
				} else {
					*absent |= BIT_ULL(op->output);
					flags |= TAP_F_ABSENT | it.value;
					it.value = 0;
				}
			}
		}
		*tap_cursor_next(c) = it.value;
	}
	return flags;
}

/*
 * Reserves a record without a function call, and puts the cursor on its first word.
 * Returns false, with nothing reserved or counted, in the slow cases of
 * tap_event_shaped_words().
 */
static __always_inline bool
tap_fastpath_reserve(const struct tapmod_probe *probe, const struct tap_fastpath *fp,
		     struct tap_record **rec, struct tap_cursor *c,
		     struct tap_resv *resv)
{
	struct tap_ring_writer *w = tap_event_writer(probe);
	struct tap_ring_head *head = w->head;

	if (unlikely(!tap_ring_reserve_fast(w, head, fp->bytes, true, resv)))
		return false;
	*rec = tap_ring_slot_at(head, w->mask, resv->pos);
	tap_cursor_begin(c, w, *rec, resv->pos);
	return true;
}

/*
 * As tap_call_begin(), by the fast path fp. Entries that read no memory, as most, call no function.
 */
static __always_inline bool
tap_fastpath_enter(struct tapmod_probe *probe, const struct tap_fastpath *fp,
		   struct tap_call *call, const void *base)
{
	const unsigned int nr = fp->nr_loads;
	u64 *words = call->words + TAP_CALL_FETCHES;
	unsigned int i;

	if (!tap_fastpath_filter(probe, fp, base))
		return false;
	if (unlikely(!fp->plain))
		return tap_fastpath_enter_ops(probe, fp, call, base);
	for (i = 0; i < nr; i++)
		*words++ = *(const u64 *)(base + probe->offset[i]);
	if (fp->named) {
		words[0] = tap_comm_word(0);
		words[1] = tap_comm_word(1);
	}
	call->flags = 0;
	call->absent = 0;
	return true;
}

/*
 * As tap_call_end(), by the fast path, for a program without a part for the return. Returns
 * false with nothing recorded or counted if tap_fastpath_reserve() does.
 */
static __always_inline bool
tap_fastpath_leave(struct tapmod_probe *probe, const struct tap_fastpath *fp,
		   const struct tap_call *call, u64 retval, u32 flags)
{
	const u64 *words = call->words + TAP_CALL_FETCHES;
	const u64 *end = call->words + probe->prog.entry_words;
	struct tap_cursor c __uninitialized;
	struct tap_record *rec;
	struct tap_resv resv;

	if (!tap_fastpath_reserve(probe, fp, &rec, &c, &resv))
		return false;
	rec->value[TAP_CALL_DURATION] = tap_call_lasted(resv.time, call->entry);
	rec->value[TAP_CALL_RETVAL] = retval;
	c.next += TAP_CALL_FETCHES;
	while (words < end)
		*tap_cursor_next(&c) = *words++;
	tap_cursor_fill(&c);
	tap_record_publish(rec, probe, &resv, tap_context(0) | flags);
	tap_event_written(probe);
	return true;
}

#endif /* _TAPMOD_EXEC_FASTPATH_RUN_H */
