/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hot path: from an event to a committed record.
 *
 * All of it runs on the event's CPU with preemption off, in any context, and may
 * be interrupted by another event at any instruction. It takes no lock, allocates
 * nothing, cannot fault, prints nothing. Its code is not traced (Kbuild strips
 * it of trace hooks) and its functions are on the kprobe blacklist.
 *
 * A probe runs in one of three ways: by a handler that is compiled for one record
 * layout (its shape, see TAP_SHAPE_COMM; such a probe is called plain), by the fast
 * path (fastpath.h), or by the interpreter (interpreter.h), which runs any program.
 */
#ifndef _TAPMOD_EXEC_HANDLER_H
#define _TAPMOD_EXEC_HANDLER_H

#include "compat/comm.h"
#include "exec/fastpath_run.h"
#include "exec/interpreter.h"
#include "exec/record_write.h"

/**
 * tap_event_handle() - test and record an event, by the fast path if there is one
 * @probe: a probe with any program
 * @base: registers or arguments
 * @trap: as tap_context()
 *
 * The filters, which reject most events, run here: they need no stack, and what
 * follows may need one.
 *
 * Context: any, preemption off.
 * Return: 0, as handlers do.
 */
static __always_inline int
tap_event_handle(struct tapmod_probe *probe, const void *base, unsigned int trap)
{
	const struct tap_fastpath *fp = probe->fp;

	if (unlikely(!fp))
		return tap_event_program(probe, base, trap);
	if (!tap_fastpath_filter(probe, fp, base))
		return 0;
	return tap_fastpath_run(probe, base, trap);
}

/* How many words a plain probe fetches. The shape is a constant, here and below. */
static __always_inline int tap_shape_words(int shape)
{
	return (shape & ~TAP_SHAPE_COMM) + (shape & TAP_SHAPE_COMM ? 2 : 0);
}

/* One of these words. */
static __always_inline u64
tap_shape_word(const struct tapmod_probe *probe, const void *base, int shape, int i,
	       bool in_order)
{
	const int nr = shape & ~TAP_SHAPE_COMM;

	if (i >= nr)
		return tap_comm_word(i - nr);
	return *(const u64 *)(base + (in_order ? i * sizeof(u64) :
						 probe->offset[i]));
}

/**
 * tap_event_shaped_words() - record an event of a plain probe
 * @probe: a plain probe
 * @first: the first word, which is not in @base; or NULL; a constant
 * @base: registers or arguments
 * @shape: its shape; a constant, so that each shape has code of its own
 * @trap: as tap_context()
 * @in_order: the loads are the first words of @base, one after the other; a
 *	constant, so that a base made of registers is never stored
 *
 * Leaf function, so that its handler needs no stack. Slow cases (full ring, pending
 * gap, watermark, nesting) return false and restart in tap_event_program().
 *
 * Return: false if nothing was recorded or counted.
 */
static __always_inline bool
tap_event_shaped_words(struct tapmod_probe *probe, const u64 *first, const void *base,
		       int shape, unsigned int trap, bool in_order)
{
	struct tap_ring_writer *w = &raw_cpu_ptr(probe->rings)->w;
	struct tap_ring_head *head = w->head;
	struct tap_record *rec;
	struct tap_resv resv;
	int i;

	if (!tap_ring_reserve_fast(w, head, TAP_SLOT_SIZE, true, &resv))
		return tap_event_still_lost(probe, w, head);
	rec = tap_ring_slot_at(head, w->mask, resv.pos);
	tap_record_head(rec, probe, resv.time, tap_context(trap));
#pragma GCC unroll 4
	for (i = 0; i < TAP_FIRST_VALUES; i++)
		rec->value[i] = !i && first ? *first :
			i < tap_shape_words(shape) ?
			tap_shape_word(probe, base, shape, i, in_order) : 0;
	tap_ring_commit(rec, resv.pos);
	tap_event_written(probe);
	return true;
}

/* As tap_event_shaped_words(), with all words in the base. */
static __always_inline bool
tap_event_shaped(struct tapmod_probe *probe, const void *base, int shape,
		 unsigned int trap, bool in_order)
{
	return tap_event_shaped_words(probe, NULL, base, shape, trap, in_order);
}

/* As tap_event_shaped_words(), for a handler that ftrace calls. */
static __always_inline bool
tap_event_shaped_ftrace(struct tapmod_probe *probe, u64 first, const void *base,
			int shape)
{
	return tap_event_shaped_words(probe, &first, base, shape, 0, false);
}

/*
 * Handlers NAME_0 to NAME_4 for plain probes of so many loads, NAME_comm0 to
 * NAME_comm2 for those with the task's name behind them; out of an inline
 * function NAME_shaped that takes the shape behind what follows, and the handler
 * NAME_program for all programs. PARAMS and ARGS are the handler's, in brackets;
 * ARGS may depend on its shape.
 */
#define TAP_EVENT_HANDLER(NAME, SUFFIX, SHAPE, PARAMS, ARGS, ...)		\
static int NAME##_##SUFFIX PARAMS					\
{									\
	const int shape __maybe_unused = (SHAPE);			\
									\
	if (likely(NAME##_shaped(__VA_ARGS__, SHAPE)))			\
		return 0;						\
	return NAME##_program ARGS;					\
}									\
NOKPROBE_SYMBOL(NAME##_##SUFFIX)

#define TAP_EVENT_HANDLERS(NAME, PARAMS, ARGS, ...)			\
TAP_EVENT_HANDLER(NAME, 0, 0, PARAMS, ARGS, __VA_ARGS__);			\
TAP_EVENT_HANDLER(NAME, 1, 1, PARAMS, ARGS, __VA_ARGS__);			\
TAP_EVENT_HANDLER(NAME, 2, 2, PARAMS, ARGS, __VA_ARGS__);			\
TAP_EVENT_HANDLER(NAME, 3, 3, PARAMS, ARGS, __VA_ARGS__);			\
TAP_EVENT_HANDLER(NAME, 4, 4, PARAMS, ARGS, __VA_ARGS__);			\
TAP_EVENT_HANDLER(NAME, comm0, TAP_SHAPE_COMM | 0, PARAMS, ARGS, __VA_ARGS__); \
TAP_EVENT_HANDLER(NAME, comm1, TAP_SHAPE_COMM | 1, PARAMS, ARGS, __VA_ARGS__); \
TAP_EVENT_HANDLER(NAME, comm2, TAP_SHAPE_COMM | 2, PARAMS, ARGS, __VA_ARGS__)

/* The handler NAME_* for a shape, TAP_SHAPE_ANY included. */
#define TAP_EVENT_CHOOSE(NAME, shape)					\
	((shape) == 0 ? NAME##_0 :					\
	 (shape) == 1 ? NAME##_1 :					\
	 (shape) == 2 ? NAME##_2 :					\
	 (shape) == 3 ? NAME##_3 :					\
	 (shape) == 4 ? NAME##_4 :					\
	 (shape) == (TAP_SHAPE_COMM | 0) ? NAME##_comm0 :		\
	 (shape) == (TAP_SHAPE_COMM | 1) ? NAME##_comm1 :		\
	 (shape) == (TAP_SHAPE_COMM | 2) ? NAME##_comm2 : NAME##_program)

#endif /* _TAPMOD_EXEC_HANDLER_H */
