/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hot path: from an event to a committed record.
 *
 * Rules. The hot path runs on the event's CPU with preemption off, in any context, NMI
 * included. Another event may interrupt it at any instruction. It takes no lock, does not
 * allocate, sleep or print. It reads the base directly, and other memory only with
 * functions that survive a fault.
 * ftrace does not trace it (Kbuild removes CC_FLAGS_FTRACE), and NOKPROBE_SYMBOL() forbids
 * kprobes on its functions.
 *
 * A probe handles its events in one of three ways: a plain probe (see TAP_SHAPE_COMM) has a
 * handler that is compiled for its shape; other probes use the fast path (fastpath.h) if
 * the program can have one; else the interpreter (interpreter.h), which runs any program.
 */
#ifndef _TAPMOD_EXEC_HANDLER_H
#define _TAPMOD_EXEC_HANDLER_H

#include "compat/comm.h"
#include "exec/fastpath_run.h"
#include "exec/followed.h"
#include "exec/interpreter.h"
#include "exec/record_write.h"

/**
 * tap_event_handle() - test and record an event, by the fast path if there is one
 * @probe: a probe with any program
 * @base: registers or arguments
 * @trap: see tap_context()
 *
 * The filters, which reject most events, are inline: they need no stack frame.
 *
 * Context: any, preemption off.
 * Return: 0, the result of a handler.
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

/* Whether the session follows the task; if not, counts the event as filtered. */
static __always_inline bool tap_event_followed(const struct tapmod_probe *probe)
{
	if (likely(tap_followed(probe->followed)))
		return true;
	tap_event_rejected(probe, TAP_REJECTED);
	return false;
}

/* Number of output words of a plain probe. Here and below shape is a constant. */
static __always_inline int tap_shape_words(int shape)
{
	return TAP_SHAPE_LOADS(shape) + (shape & TAP_SHAPE_COMM ? 2 : 0);
}

/* Slots of a record of a plain probe, which has so many words. */
static __always_inline int tap_shape_slots(int words)
{
	return words > TAP_FIRST_VALUES ? 2 : 1;
}

/* Output word i of a plain probe. */
static __always_inline u64
tap_shape_word(const struct tapmod_probe *probe, const void *base, int shape, int i,
	       bool in_order)
{
	const int nr = TAP_SHAPE_LOADS(shape);

	if (i >= nr)
		return tap_comm_word(i - nr);
	return *(const u64 *)(base + (in_order ? i * sizeof(u64) :
						 probe->offset[i]));
}

/**
 * tap_event_shaped_words() - record an event of a plain probe
 * @probe: a plain probe of @shape
 * @first: value of the first word, in place of the load from @base; NULL: load it. Whether
 *	it is NULL is a constant
 * @base: registers or arguments
 * @shape: a constant, so that each shape has code of its own
 * @trap: see tap_context()
 * @in_order: the loads are the first words of @base in order; a constant. Then the compiler
 *	can keep a base that a handler builds from its arguments in registers
 *
 * Leaf function, so that its handler needs no stack. Slow cases (full ring, pending
 * gap, watermark, nesting) return false and restart in tap_event_program().
 *
 * Context: any, preemption off.
 * Return: true if the event was recorded, or counted as filtered or lost; false if nothing
 *	happened.
 */
static __always_inline bool
tap_event_shaped_words(struct tapmod_probe *probe, const u64 *first, const void *base,
		       int shape, unsigned int trap, bool in_order)
{
	const int words = tap_shape_words(shape), slots = tap_shape_slots(words);
	struct tap_ring_writer *w;
	struct tap_ring_head *head;
	struct tap_record *rec;
	struct tap_slot *slot;
	struct tap_resv resv;
	int i;

	if (shape & TAP_SHAPE_FOLLOWED && !tap_event_followed(probe))
		return true;
	w = tap_event_writer(probe);
	head = w->head;
	if (!tap_ring_reserve_fast(w, head, slots * TAP_SLOT_SIZE, true, &resv))
		return tap_event_still_lost(probe, w, head);
	rec = tap_ring_slot_at(head, w->mask, resv.pos);
	tap_record_head(rec, probe, resv.time, tap_context(trap));
#pragma GCC unroll 4
	for (i = 0; i < TAP_FIRST_VALUES; i++)
		rec->value[i] = !i && first ? *first :
			i < words ? tap_shape_word(probe, base, shape, i, in_order) : 0;
	if (slots > 1) {
		slot = tap_record_slot(head, w->mask, resv.pos + TAP_SLOT_SIZE, 1);
#pragma GCC unroll 8
		for (; i < TAP_FIRST_VALUES + TAP_SLOT_VALUES; i++)
			slot->value[i - TAP_FIRST_VALUES] = i < words ?
				tap_shape_word(probe, base, shape, i, in_order) : 0;
	}
	tap_ring_commit(rec, resv.pos);
	tap_event_written(probe);
	return true;
}

/* As tap_event_shaped_words(), with all loads from the base. */
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
 * TAP_EVENT_HANDLERS() defines the handlers of plain probes: NAME_0 to NAME_4 for that many
 * loads, NAME_comm0 to NAME_comm4 for that many loads and the task's name. Each calls the
 * inline function NAME_shaped(..., shape), whose other arguments follow ARGS; if that
 * returns false, it calls NAME_program, the handler for all programs. TYPE is what a handler
 * and NAME_program return, int or void: a kernel with CONFIG_CFI calls a handler only by its
 * exact prototype. PARAMS and ARGS are the parameters of a handler and the arguments of
 * NAME_program, in parentheses. ARGS may use the variable "shape".
 */
#define TAP_EVENT_HANDLER_int(NAME, SUFFIX, SHAPE, PARAMS, ARGS, ...)	\
static int NAME##_##SUFFIX PARAMS					\
{									\
	const int shape __maybe_unused = (SHAPE);			\
									\
	if (likely(NAME##_shaped(__VA_ARGS__, SHAPE)))			\
		return 0;						\
	return NAME##_program ARGS;					\
}									\
NOKPROBE_SYMBOL(NAME##_##SUFFIX)

#define TAP_EVENT_HANDLER_void(NAME, SUFFIX, SHAPE, PARAMS, ARGS, ...)	\
static void NAME##_##SUFFIX PARAMS					\
{									\
	const int shape __maybe_unused = (SHAPE);			\
									\
	if (likely(NAME##_shaped(__VA_ARGS__, SHAPE)))			\
		return;							\
	NAME##_program ARGS;						\
}									\
NOKPROBE_SYMBOL(NAME##_##SUFFIX)

#define TAP_EVENT_HANDLERS(TYPE, NAME, PARAMS, ARGS, ...)			\
TAP_EVENT_HANDLER_##TYPE(NAME, 0, 0, PARAMS, ARGS, __VA_ARGS__);		\
TAP_EVENT_HANDLER_##TYPE(NAME, 1, 1, PARAMS, ARGS, __VA_ARGS__);		\
TAP_EVENT_HANDLER_##TYPE(NAME, 2, 2, PARAMS, ARGS, __VA_ARGS__);		\
TAP_EVENT_HANDLER_##TYPE(NAME, 3, 3, PARAMS, ARGS, __VA_ARGS__);		\
TAP_EVENT_HANDLER_##TYPE(NAME, 4, 4, PARAMS, ARGS, __VA_ARGS__);		\
TAP_EVENT_HANDLER_##TYPE(NAME, comm0, TAP_SHAPE_COMM | 0, PARAMS, ARGS, __VA_ARGS__); \
TAP_EVENT_HANDLER_##TYPE(NAME, comm1, TAP_SHAPE_COMM | 1, PARAMS, ARGS, __VA_ARGS__); \
TAP_EVENT_HANDLER_##TYPE(NAME, comm2, TAP_SHAPE_COMM | 2, PARAMS, ARGS, __VA_ARGS__); \
TAP_EVENT_HANDLER_##TYPE(NAME, comm3, TAP_SHAPE_COMM | 3, PARAMS, ARGS, __VA_ARGS__); \
TAP_EVENT_HANDLER_##TYPE(NAME, comm4, TAP_SHAPE_COMM | 4, PARAMS, ARGS, __VA_ARGS__)

/*
 * As TAP_EVENT_HANDLERS(), and the same handlers for TAP_SHAPE_FOLLOWED: NAME_followed_0 and so
 * on.
 */
#define TAP_FOLLOWED_HANDLER(TYPE, NAME, SUFFIX, SHAPE, PARAMS, ARGS, ...)	\
TAP_EVENT_HANDLER_##TYPE(NAME, followed_##SUFFIX, TAP_SHAPE_FOLLOWED | (SHAPE),	\
			 PARAMS, ARGS, __VA_ARGS__)

#define TAP_FOLLOWED_HANDLERS(TYPE, NAME, PARAMS, ARGS, ...)			\
TAP_EVENT_HANDLERS(TYPE, NAME, PARAMS, ARGS, __VA_ARGS__);			\
TAP_FOLLOWED_HANDLER(TYPE, NAME, 0, 0, PARAMS, ARGS, __VA_ARGS__);		\
TAP_FOLLOWED_HANDLER(TYPE, NAME, 1, 1, PARAMS, ARGS, __VA_ARGS__);		\
TAP_FOLLOWED_HANDLER(TYPE, NAME, 2, 2, PARAMS, ARGS, __VA_ARGS__);		\
TAP_FOLLOWED_HANDLER(TYPE, NAME, 3, 3, PARAMS, ARGS, __VA_ARGS__);		\
TAP_FOLLOWED_HANDLER(TYPE, NAME, 4, 4, PARAMS, ARGS, __VA_ARGS__);		\
TAP_FOLLOWED_HANDLER(TYPE, NAME, comm0, TAP_SHAPE_COMM | 0, PARAMS, ARGS, __VA_ARGS__); \
TAP_FOLLOWED_HANDLER(TYPE, NAME, comm1, TAP_SHAPE_COMM | 1, PARAMS, ARGS, __VA_ARGS__); \
TAP_FOLLOWED_HANDLER(TYPE, NAME, comm2, TAP_SHAPE_COMM | 2, PARAMS, ARGS, __VA_ARGS__);	\
TAP_FOLLOWED_HANDLER(TYPE, NAME, comm3, TAP_SHAPE_COMM | 3, PARAMS, ARGS, __VA_ARGS__);	\
TAP_FOLLOWED_HANDLER(TYPE, NAME, comm4, TAP_SHAPE_COMM | 4, PARAMS, ARGS, __VA_ARGS__)

#define TAP_SHAPE_CHOOSE(NAME, shape, program)				\
	((shape) == 0 ? NAME##_0 :					\
	 (shape) == 1 ? NAME##_1 :					\
	 (shape) == 2 ? NAME##_2 :					\
	 (shape) == 3 ? NAME##_3 :					\
	 (shape) == 4 ? NAME##_4 :					\
	 (shape) == (TAP_SHAPE_COMM | 0) ? NAME##_comm0 :		\
	 (shape) == (TAP_SHAPE_COMM | 1) ? NAME##_comm1 :		\
	 (shape) == (TAP_SHAPE_COMM | 2) ? NAME##_comm2 :		\
	 (shape) == (TAP_SHAPE_COMM | 3) ? NAME##_comm3 :		\
	 (shape) == (TAP_SHAPE_COMM | 4) ? NAME##_comm4 : (program))

/* The handler for a shape: NAME_program for TAP_SHAPE_ANY, and for TAP_SHAPE_FOLLOWED. */
#define TAP_EVENT_CHOOSE(NAME, shape)	TAP_SHAPE_CHOOSE(NAME, shape, NAME##_program)

/* The same, where TAP_FOLLOWED_HANDLERS() has defined handlers for TAP_SHAPE_FOLLOWED. */
#define TAP_FOLLOWED_CHOOSE(NAME, shape)					\
	((shape) & TAP_SHAPE_FOLLOWED ?					\
	 TAP_SHAPE_CHOOSE(NAME##_followed, (shape) & ~TAP_SHAPE_FOLLOWED,	\
			  NAME##_program) : TAP_EVENT_CHOOSE(NAME, shape))

#endif /* _TAPMOD_EXEC_HANDLER_H */
