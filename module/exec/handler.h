/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hot path: from a hit to a committed record.
 *
 * All of it runs on the hit's CPU with preemption off, in any context, and may
 * be interrupted by another hit at any instruction. It takes no lock, allocates
 * nothing, cannot fault, prints nothing. Its code is not traced (Kbuild strips
 * it of trace hooks) and its functions are on the kprobe blacklist.
 */
#ifndef _TAPMOD_EXEC_HANDLER_H
#define _TAPMOD_EXEC_HANDLER_H

#include <linux/build_bug.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>

#include "exec/aggregate.h"
#include "exec/fastpath.h"
#include "exec/interpreter.h"

int tap_event_program(struct tapmod_probe *probe, const void *base,
		      unsigned int trap);
void tap_event_tested(struct tapmod_probe *probe, const void *base,
		      unsigned int trap);
void tap_event_sample(struct tapmod_probe *probe, const void *event, u32 size,
		      struct pt_regs *regs, unsigned int trap);
bool tap_event_wanted(struct tapmod_probe *probe, const void *base);

/* For a trap that comes from programs alone: it interrupts nothing of the kernel. */
#define TAP_TRAP_PROGRAM	UINT_MAX

/**
 * tap_context() - the context flags of a record
 * @trap: what the trap that brought us here added to the preempt count; or, as a
 *	constant, %TAP_TRAP_PROGRAM
 *
 * The flags lie where most kernels have their counts: then this is one AND.
 */
static __always_inline u32 tap_context(unsigned int trap)
{
	unsigned int count = preempt_count() - trap;

	if (__builtin_constant_p(trap) && trap == TAP_TRAP_PROGRAM)
		return 0;
	if (!IS_ENABLED(CONFIG_PREEMPT_RT) && TAP_F_NMI == NMI_MASK &&
	    TAP_F_HARDIRQ == HARDIRQ_MASK && TAP_F_SOFTIRQ == SOFTIRQ_OFFSET)
		return count & (TAP_F_NMI | TAP_F_HARDIRQ | TAP_F_SOFTIRQ);
	return (count & NMI_MASK ? TAP_F_NMI : 0) |
	       (count & HARDIRQ_MASK ? TAP_F_HARDIRQ : 0) |
	       (tap_softirq_count(count) & SOFTIRQ_OFFSET ? TAP_F_SOFTIRQ : 0);
}

/* All of the first slot but the values and the sequence word. */
static __always_inline void
tap_record_head(struct tap_record *rec, const struct tapmod_probe *probe,
		u64 time, u32 flags)
{
	/* Two ids with one move each way. */
	BUILD_BUG_ON(offsetof(struct task_struct, tgid) !=
		     offsetof(struct task_struct, pid) + sizeof(pid_t));
	BUILD_BUG_ON(offsetof(struct tap_record, tgid) !=
		     offsetof(struct tap_record, tid) + sizeof(u32));

	rec->time = time;
	*(u32 *)&rec->probe = probe->ident;
	/* Once: or the compiler packs the two into one word, which takes longer. */
	WRITE_ONCE(rec->flags, flags);
	*(u64 *)&rec->tid = *(const u64 *)&current->pid;
}

/* Fills in the head of a record whose words are there, and publishes it. */
static __always_inline void
tap_record_publish(struct tap_record *rec, const struct tapmod_probe *probe,
		   const struct tap_resv *resv, u32 flags)
{
	tap_record_head(rec, probe, resv->time, flags);
	tap_ring_commit(rec, resv->pos);
}

/* Counts a hit that is a record. */
static __always_inline void tap_event_written(const struct tapmod_probe *probe)
{
	struct tap_counters __percpu *counters = probe->counters;

	this_cpu_inc(counters->hits);
	this_cpu_inc(counters->written);
}

/* Counts a hit that its tests do not let through. */
static __always_inline void
tap_event_rejected(const struct tapmod_probe *probe, enum tap_verdict verdict)
{
	struct tap_counters __percpu *counters = probe->counters;

	this_cpu_inc(counters->hits);
	if (verdict == TAP_REJECTED)
		this_cpu_inc(counters->filtered);
	else
		this_cpu_inc(counters->lost_fault);
}

static __always_inline bool
tap_fastpath_rejects(const struct tap_fastpath_op *step, u64 value)
{
	return (value & step->mask) - step->low > step->span;
}

/* Whether the quick tests let a hit through; if not, it is counted. */
static __always_inline bool
tap_fastpath_filter(const struct tapmod_probe *probe,
		    const struct tap_fastpath *fp, const void *base)
{
	const struct tap_fastpath_op *step = fp->steps;
	unsigned int left;

	for (left = fp->filters; left; left--, step++) {
		u64 value = likely(step->source == TAP_FASTPATH_BASE) ?
			    *(const u64 *)(base + step->at) : current->tgid;

		/* Or the compiler computes where the steps end, each time. */
		OPTIMIZER_HIDE_VAR(left);
		if (unlikely(step->shift))
			value = tap_extend(value, step->shift, step->sign);
		if (tap_fastpath_rejects(step, value)) {
			tap_event_rejected(probe, TAP_REJECTED);
			return false;
		}
	}
	return true;
}

/* Loses a hit, and counts it, if the ring is as full as it was for another. */
static __always_inline bool
tap_event_still_lost(const struct tapmod_probe *probe, struct tap_ring_writer *w,
		     struct tap_ring_head *head)
{
	struct tap_counters __percpu *counters = probe->counters;

	if (!tap_ring_still_full(w, head))
		return false;
	this_cpu_inc(counters->hits);
	this_cpu_inc(counters->lost_full);
	return true;
}

/*
 * Reads 8 bytes of kernel memory, if that can be tried without a call; false if
 * it was not, or not read.
 */
static __always_inline bool tap_fastpath_read_fast(u64 from, u64 *value)
{
#ifdef tap_arch_kernel_memory
	if (unlikely(!tap_arch_kernel_memory(from)))
		return false;
	__get_kernel_nofault(value, (const u64 *)from, u64, fault);
	return true;
fault:
#endif
	return false;
}

/**
 * tap_event_handle() - test and record a hit, the shortest way there is
 * @probe: a probe with any program
 * @base: registers or arguments
 * @trap: as tap_context()
 *
 * The tests that most often reject are made here, where that needs no stack, as
 * what follows may.
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

/* Counts a hit that found no room. */
static __always_inline void tap_event_lost(const struct tapmod_probe *probe, u64 why)
{
	if (why == TAP_RESV_FULL)
		this_cpu_inc(probe->counters->lost_full);
	else
		this_cpu_inc(probe->counters->lost_nested);
}

/* How many words a plain probe fetches; of a constant, as all that follow. */
static __always_inline int tap_shape_words(int shape)
{
	return (shape & ~TAP_SHAPE_COMM) + (shape & TAP_SHAPE_COMM ? 2 : 0);
}

/* One of them. */
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
 * tap_event_shaped_words() - record a hit of a plain probe, if that is easy
 * @probe: a plain probe
 * @first: the first word, which is not in @base; or NULL; a constant
 * @base: registers or arguments
 * @shape: its shape; a constant, so that each shape has code of its own
 * @trap: as tap_context()
 * @in_order: the loads are the first words of @base, one after the other; a
 *	constant, so that a base made of registers is never stored
 *
 * Calls nothing, so that its handler needs no stack: what is not easy (a full
 * ring, a loss to tell, a watermark, an interruption) is left to
 * tap_event_program(), from the begin.
 *
 * Return: false if nothing happened, or was counted, yet.
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

/* As tap_event_shaped_words(), of a function that ftrace calls us from. */
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
