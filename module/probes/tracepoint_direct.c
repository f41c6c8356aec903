// SPDX-License-Identifier: GPL-2.0
/*
 * tracepoint, directly: a handler of the tracepoint calls the function with which the event
 * fills in its fields for perf, and reads them where that function has put them.
 *
 * The function writes into a buffer of perf, one for each level (task, softirq, interrupt,
 * NMI) of a CPU, and hands it to perf with the event's struct trace_event_call. It gets one
 * of ours instead, whose list of perf events has one that is stopped. So perf completes the
 * common fields and delivers to nobody. BPF programs and perf events belong to the event's
 * own trace_event_call, so they neither see this nor affect it.
 *
 * When the function returns, perf's buffer is free again. What may write to it before the
 * handler has read it: an event in the same level, which the handler itself causes, or which
 * the entry or exit of an interrupt causes outside of the interrupt's own level. The type of
 * our trace_event_call, which no event has, marks the data from the function's call on:
 * - If the mark is not there, the function has written nothing, because perf had the buffer
 *   in use, or another event has overwritten the data.
 * - If the mark is there before the call, a handler reads its data in this level.
 * In both cases the event is counted as missed. Only this CPU reads and writes a buffer, so
 * the order of the program suffices.
 *
 * A program whose memory reads may cause events runs on the data in place, while the handler
 * keeps perf from using the buffer. All others run on values in registers or on a copy.
 *
 * The handlers run with preemption off. After tracepoint_synchronize_unregister() no handler
 * runs that was unregistered before.
 */
#include <linux/capability.h>
#include <linux/cleanup.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>

#include "compat/arch.h"
#include "compat/hooks.h"
#include "exec/fastpath_compile.h"
#include "exec/handler.h"
#include "exec/nofault.h"
#include "probes/probes.h"
#include "probes/tracepoint_direct.h"

/* The mark. An event whose number it is, which takes 65,000 events, comes through perf. */
#define TAP_DIRECT_TYPE		0xffff

/* Programs that read more of the data run in place. */
#define TAP_DIRECT_COPY		256

/* Room for perf_trace_buf_alloc(), which clears the last word of it. */
#define TAP_DIRECT_TAKEN	(2 * sizeof(u64))

/* Stands for a buffer whose address is not known yet: the mark makes the handler look. */
static struct trace_entry tap_direct_unknown = { .type = TAP_DIRECT_TYPE };

/* Perf's buffers of a CPU, by tap_context_level(). They exist as long as tap_direct_keeper. */
static DEFINE_PER_CPU(struct trace_entry *, tap_direct_buffers[TAP_CONTEXT_LEVELS]);

/* The list of perf events of tap_direct_call, on each CPU: perf skips the only member. */
static struct perf_event tap_direct_stopped = { .hw.state = PERF_HES_STOPPED };
static DEFINE_PER_CPU(struct hlist_head, tap_direct_events);
static struct trace_event_call tap_direct_call;
static struct hlist_head tap_direct_nobody;

/* Protects what follows. perf takes event_mutex inside it. */
static DEFINE_MUTEX(tap_direct_lock);
static unsigned int tap_direct_users;
/* A disabled counter of an event that never fires: perf's buffers exist as long as it does. */
static struct perf_event *tap_direct_keeper;

static __always_inline bool tap_direct_marked(const struct trace_entry *entry)
{
	barrier();
	return entry->type == TAP_DIRECT_TYPE;
}

/* The data are no longer needed: another handler of this level may run. */
static __always_inline void tap_direct_unmark(struct trace_entry *entry)
{
	barrier();
	WRITE_ONCE(entry->type, 0);
}

static __always_inline void tap_direct_miss(const struct tapmod_tracepoint *tp)
{
	this_cpu_inc(tap_counters_missed(tp->probe.counters));
}

/* Gives perf its buffer back, after perf_trace_buf_alloc(). perf also writes type 0. */
static void tap_direct_give(void *buffer, int rctx)
{
	perf_tp_event(0, 1, buffer, TAP_DIRECT_TAKEN, NULL, &tap_direct_nobody, rctx, NULL);
}
NOKPROBE_SYMBOL(tap_direct_give);

/*
 * The buffer of this CPU for events of a level, if it is known and its data are no longer
 * needed; if not, NULL.
 */
static noinline struct trace_entry *tap_direct_look(unsigned int level)
{
	struct trace_entry *entry = this_cpu_read(tap_direct_buffers[level]);
	int rctx;

	if (entry != &tap_direct_unknown)
		return NULL;
	entry = perf_trace_buf_alloc(TAP_DIRECT_TAKEN, NULL, &rctx);
	if (!entry)
		return NULL;
	tap_direct_give(entry, rctx);
	/* Else perf computes the level in another way. */
	if (rctx != level)
		return NULL;
	this_cpu_write(tap_direct_buffers[level], entry);
	return entry;
}
NOKPROBE_SYMBOL(tap_direct_look);

/*
 * A word of the stack, which may be another variable of the caller: a sanitizer must not check
 * it. Without sanitizers it is a plain read, so that the compiler can push it at once.
 */
#define TAP_DIRECT_WORD(i)						\
	(IS_ENABLED(CONFIG_KASAN) || IS_ENABLED(CONFIG_KCSAN) ?		\
	 READ_ONCE_NOCHECK(stack[i]) : stack[i])

/*
 * Calls the event's function where the words of arguments on the stack end in another page. A
 * tracepoint with fewer arguments has other words of its caller there, or no memory at all if
 * that is the end of the stack.
 */
static noinline void tap_direct_call_far TAP_TP_PARAMS_AT
{
	const struct tapmod_tracepoint *tp = data;
	u64 stack[TAP_TP_STACK_WORDS];
	unsigned int i;

	for (i = 0; i < TAP_TP_STACK_WORDS; i++)
		if (!tap_kernel_read(&stack[i], (unsigned long)&at[i], sizeof(u64)))
			stack[i] = 0;
	TAP_TP_CALL(tp->assemble, &tap_direct_call, TAP_TP_ARGS, TAP_DIRECT_WORD);
}
NOKPROBE_SYMBOL(tap_direct_call_far);

/*
 * Lets the event write its data to *@data. The caller reads what it needs, and only then
 * checks with tap_direct_marked() that the data are there. False: counted as missed.
 */
static __always_inline bool
tap_direct_assemble(const struct tapmod_tracepoint *tp, struct tap_tp_args args,
		    const u64 *stack, struct trace_entry **data)
{
	unsigned int level = tap_context_level();
	struct trace_entry *entry = this_cpu_read(tap_direct_buffers[level]);

	if (unlikely(tap_direct_marked(entry))) {
		entry = tap_direct_look(level);
		if (!entry) {
			tap_direct_miss(tp);
			return false;
		}
	}
	tap_trace_assemble_begin();
	if (likely(offset_in_page(stack) <= PAGE_SIZE - TAP_TP_STACK_WORDS * sizeof(u64)))
		TAP_TP_CALL(tp->assemble, &tap_direct_call, args, TAP_DIRECT_WORD);
	else
		tap_direct_call_far TAP_TP_PASS_AT(tp, stack, args);
	tap_trace_assemble_end();
	*data = entry;
	return true;
}

/* Sets the common fields that our call of the event's function has changed. */
static __always_inline void tap_direct_common(const struct tapmod_tracepoint *tp,
					      struct trace_entry *entry)
{
	entry->type = tp->type;
	entry->preempt_count = tap_trace_preempt_count(entry->preempt_count);
}

/*
 * Runs a program on a copy of the data. No stack protector: it would cost a tenth of this,
 * and the copy is as long as the program needs, at most TAP_DIRECT_COPY.
 */
static noinline void __no_stack_protector
tap_direct_copied(struct tapmod_tracepoint *tp, struct trace_entry *entry)
{
	/* One word more: a fast path reads whole words at any offset. */
	u64 copy[TAP_DIRECT_COPY / sizeof(u64) + 1] __uninitialized;
	const u64 *words = (const u64 *)entry;
	unsigned int i = DIV_ROUND_UP(tp->need, sizeof(u64));

	do {
		i--;
		/* READ_ONCE(): a loop, and not a call of memcpy(). */
		copy[i] = READ_ONCE(words[i]);
	} while (i);
	if (unlikely(!tap_direct_marked(entry))) {
		tap_direct_miss(tp);
		return;
	}
	tap_direct_unmark(entry);
	tap_direct_common(tp, (struct trace_entry *)copy);
	tap_event_handle(&tp->probe, copy, 0);
}
NOKPROBE_SYMBOL(tap_direct_copied);

/*
 * Runs a program on the data in place. Until tap_direct_give() perf drops events of this
 * level, and those of our probes are counted as missed.
 */
static noinline void tap_direct_held(struct tapmod_tracepoint *tp, struct trace_entry *entry)
{
	u64 *word = (u64 *)entry + 1, saved = *word;
	int rctx;

	if (unlikely(!tap_direct_marked(entry))) {
		tap_direct_miss(tp);
		return;
	}
	if (unlikely(!perf_trace_buf_alloc(TAP_DIRECT_TAKEN, NULL, &rctx))) {
		tap_direct_unmark(entry);
		tap_direct_miss(tp);
		return;
	}
	if (likely(tap_direct_marked(entry))) {
		*word = saved;
		tap_direct_common(tp, entry);
		if (tp->probe.fp)
			tap_event_handle(&tp->probe, entry, 0);
		else
			tap_event_sample(&tp->probe, entry, PERF_MAX_TRACE_SIZE, NULL, 0);
	} else {
		tap_direct_miss(tp);
	}
	tap_direct_give(entry, rctx);
}
NOKPROBE_SYMBOL(tap_direct_held);

/*
 * Records an event of a plain probe: its values go from the buffer into registers. Returns
 * true: the slow cases are done as well.
 */
static __always_inline bool
tap_direct_shaped(struct tapmod_tracepoint *tp, struct tap_tp_args args, const u64 *stack,
		  int shape)
{
	const int nr = TAP_SHAPE_LOADS(shape);
	u64 values[TAP_FIRST_VALUES] __uninitialized;
	struct trace_entry *entry;
	int i;

	/* First: the event's function takes more than the rest. */
	if (shape & TAP_SHAPE_FOLLOWED && !tap_event_followed(&tp->probe))
		return true;
	shape &= ~TAP_SHAPE_FOLLOWED;
	tap_tracepoint_enter();
	if (likely(tap_direct_assemble(tp, args, stack, &entry))) {
#pragma GCC unroll 4
		for (i = 0; i < TAP_FIRST_VALUES; i++)
			values[i] = i < nr ?
				*(const u64 *)((void *)entry + tp->probe.offset[i]) : 0;
		if (unlikely(!tap_direct_marked(entry)))
			tap_direct_miss(tp);
		else if (likely(tap_event_shaped(&tp->probe, values, shape, 0, true)))
			tap_direct_unmark(entry);
		else
			tap_direct_copied(tp, entry);
	}
	tap_tracepoint_exit();
	return true;
}

/* The same for all other programs, which test it again. */
static __always_inline bool tap_direct_followed(const struct tapmod_tracepoint *tp)
{
	return likely(!tp->probe.follows) || tap_event_followed(&tp->probe);
}

/* The handler for programs that run on a copy. */
static int tap_direct_program TAP_TP_PARAMS
{
	struct trace_entry *entry;

	if (!tap_direct_followed(data))
		return 0;
	tap_tracepoint_enter();
	if (likely(tap_direct_assemble(data, TAP_TP_ARGS, tap_arch_stack_args(), &entry)))
		tap_direct_copied(data, entry);
	tap_tracepoint_exit();
	return 0;
}
NOKPROBE_SYMBOL(tap_direct_program);

/* The handler for all other programs. */
static int tap_direct_in_place TAP_TP_PARAMS
{
	struct trace_entry *entry;

	if (!tap_direct_followed(data))
		return 0;
	tap_tracepoint_enter();
	if (likely(tap_direct_assemble(data, TAP_TP_ARGS, tap_arch_stack_args(), &entry)))
		tap_direct_held(data, entry);
	tap_tracepoint_exit();
	return 0;
}
NOKPROBE_SYMBOL(tap_direct_in_place);

TAP_FOLLOWED_HANDLERS(int, tap_direct, TAP_TP_PARAMS, TAP_TP_PASS, data, TAP_TP_ARGS,
		      tap_arch_stack_args());

/* Words of a record of two slots. */
#define TAP_DIRECT_WORDS	(TAP_FIRST_VALUES + TAP_SLOT_VALUES)

/*
 * Records an event whose words are a block of the data: nr of them, and then perhaps the
 * task's name. They go from the buffer into the ring, where nothing can be taken back: if
 * they turn out to be overwritten, the record only reports that. Returns false, with nothing
 * done, in the slow cases of tap_event_shaped_words().
 */
static __always_inline bool
tap_direct_record_block(struct tapmod_tracepoint *tp, struct trace_entry *entry, int nr,
			bool named)
{
	const u64 *words = (const void *)entry + tp->block;
	struct tap_ring_writer *w = tap_event_writer(&tp->probe);
	struct tap_ring_head *head = w->head;
	struct tap_record *rec;
	struct tap_slot *slot;
	struct tap_resv resv;
	u64 *to;
	int i;

	if (!tap_ring_reserve_fast(w, head, 2 * TAP_SLOT_SIZE, true, &resv))
		return false;
	rec = tap_ring_slot_at(head, w->mask, resv.pos);
	slot = tap_record_slot(head, w->mask, resv.pos + TAP_SLOT_SIZE, 1);
	tap_record_head(rec, &tp->probe, resv.time, tap_context(0));
#pragma GCC unroll 16
	for (i = 0; i < TAP_DIRECT_WORDS; i++) {
		to = i < TAP_FIRST_VALUES ? &rec->value[i] : &slot->value[i - TAP_FIRST_VALUES];
		*to = i < nr ? words[i] : named && i < nr + 2 ? tap_comm_word(i - nr) : 0;
	}
	if (likely(tap_direct_marked(entry))) {
		tap_direct_unmark(entry);
		tap_event_written(&tp->probe);
	} else {
		tap_record_missed(rec);
		tap_direct_miss(tp);
	}
	tap_ring_commit(rec, resv.pos);
	return true;
}

static __always_inline int
tap_direct_block(struct tapmod_tracepoint *tp, struct tap_tp_args args, const u64 *stack,
		 int nr, bool named)
{
	struct trace_entry *entry;

	if (!tap_direct_followed(tp))
		return 0;
	tap_tracepoint_enter();
	if (likely(tap_direct_assemble(tp, args, stack, &entry))) {
		if (unlikely(!tap_direct_marked(entry)))
			tap_direct_miss(tp);
		else if (unlikely(!tap_direct_record_block(tp, entry, nr, named)))
			tap_direct_copied(tp, entry);
	}
	tap_tracepoint_exit();
	return 0;
}

/* A handler for each number of words that makes a record of two slots. */
#define TAP_DIRECT_BLOCK(NR, NAMED)					\
static int tap_direct_block_##NR##_##NAMED TAP_TP_PARAMS		\
{									\
	return tap_direct_block(data, TAP_TP_ARGS, tap_arch_stack_args(), NR, NAMED); \
}									\
NOKPROBE_SYMBOL(tap_direct_block_##NR##_##NAMED)

TAP_DIRECT_BLOCK(5, 0);
TAP_DIRECT_BLOCK(6, 0);
TAP_DIRECT_BLOCK(7, 0);
TAP_DIRECT_BLOCK(8, 0);
TAP_DIRECT_BLOCK(9, 0);
TAP_DIRECT_BLOCK(10, 0);
TAP_DIRECT_BLOCK(11, 0);
TAP_DIRECT_BLOCK(3, 1);
TAP_DIRECT_BLOCK(4, 1);
TAP_DIRECT_BLOCK(5, 1);
TAP_DIRECT_BLOCK(6, 1);
TAP_DIRECT_BLOCK(7, 1);
TAP_DIRECT_BLOCK(8, 1);
TAP_DIRECT_BLOCK(9, 1);

static int (*const tap_direct_blocks[])TAP_TP_PARAMS = {
	[5] = tap_direct_block_5_0, [6] = tap_direct_block_6_0, [7] = tap_direct_block_7_0,
	[8] = tap_direct_block_8_0, [9] = tap_direct_block_9_0, [10] = tap_direct_block_10_0,
	[11] = tap_direct_block_11_0,
};

static int (*const tap_direct_named_blocks[])TAP_TP_PARAMS = {
	[3] = tap_direct_block_3_1, [4] = tap_direct_block_4_1, [5] = tap_direct_block_5_1,
	[6] = tap_direct_block_6_1, [7] = tap_direct_block_7_1, [8] = tap_direct_block_8_1,
	[9] = tap_direct_block_9_1,
};

/* Whether the program can do without the data while it runs. */
static bool tap_direct_copies(const struct tapmod_tracepoint *tp)
{
	const struct tap_program *prog = &tp->probe.prog;
	unsigned int i;

	for (i = 0; i < prog->nr_ops; i++)
		if (prog->ops[i].code == TAP_OP_DATA_LOC ||
		    prog->ops[i].code == TAP_OP_MATCH_DATA_LOC)
			return false;
	return tp->need <= TAP_DIRECT_COPY && tap_program_harmless(prog);
}

/* The handler for a record that is a block of the event's own fields; NULL: it is not such. */
static void *tap_direct_choose_block(struct tapmod_tracepoint *tp)
{
	struct tap_fastpath_block block = tap_fastpath_find_block(&tp->probe);

	/* Only tap_direct_common() makes the common fields right. */
	if (block.at < sizeof(struct trace_entry))
		return NULL;
	tp->block = block.at;
	if (block.named)
		return block.nr < ARRAY_SIZE(tap_direct_named_blocks) ?
		       tap_direct_named_blocks[block.nr] : NULL;
	return block.nr < ARRAY_SIZE(tap_direct_blocks) ? tap_direct_blocks[block.nr] : NULL;
}

static void *tap_direct_choose(struct tapmod_tracepoint *tp)
{
	const struct tapmod_probe *probe = &tp->probe;
	unsigned int shape = tap_probe_shape(probe), i;
	void *handler;

	if (!tap_direct_copies(tp))
		return tap_direct_in_place;
	handler = tap_direct_choose_block(tp);
	if (handler)
		return handler;
	/* Only tap_direct_common() makes the common fields right. */
	for (i = 0; i < probe->nr_loads; i++)
		if (probe->offset[i] < sizeof(struct trace_entry))
			shape = TAP_SHAPE_ANY;
	return TAP_FOLLOWED_CHOOSE(tap_direct, shape);
}

/*
 * Whether the event's function fits what tap_direct_assemble() expects of it. That of
 * sk_data_ready records who called it, which has to be the tracepoint.
 */
static bool tap_direct_fits(const struct tapmod_tracepoint *tp)
{
	const struct trace_event_call *call = tp->file->event_call;

	if (!strcmp(tp->system, "sock") && !strcmp(tp->name, "sk_data_ready"))
		return false;
	return !TAP_CFI && TAP_ARCH_STACK_ARGS && call->flags & TRACE_EVENT_FL_TRACEPOINT &&
	       call->class->reg == trace_event_reg && call->class->perf_probe &&
	       !call->perf_perm && call->event.type < TAP_DIRECT_TYPE;
}

/* Creates the counter that keeps perf's buffers. Returns false if that is not possible. */
static bool tap_direct_keep(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .disabled = 1,
	};
	struct trace_event_file *file;
	struct perf_event *keeper;

	file = trace_get_event_file(NULL, "initcall", "initcall_level");
	if (IS_ERR(file))
		return false;
	attr.config = file->event_call->event.type;
	trace_put_event_file(file);
	keeper = tap_perf_create(&attr, raw_smp_processor_id(), NULL, NULL, NULL);
	if (IS_ERR(keeper))
		return false;
	tap_direct_keeper = keeper;
	return true;
}

/* No handler runs. */
static void tap_direct_forget(void)
{
	unsigned int level;
	int cpu;

	for_each_possible_cpu(cpu)
		for (level = 0; level < TAP_CONTEXT_LEVELS; level++)
			per_cpu(tap_direct_buffers[level], cpu) = &tap_direct_unknown;
}

/*
 * Releasing the counter waits for a grace period, so no probe does that: this runs a second
 * after the last one went. Its handlers have ended, and there is no new one.
 */
static void tap_direct_release(struct work_struct *work)
{
	guard(mutex)(&tap_direct_lock);
	if (tap_direct_users || !tap_direct_keeper)
		return;
	tap_direct_forget();
	perf_event_release_kernel(tap_direct_keeper);
	tap_direct_keeper = NULL;
}

static DECLARE_DELAYED_WORK(tap_direct_work, tap_direct_release);

/**
 * tap_direct_attach() - prepare a probe whose handler calls the event's function
 * @tp: has its event; what the program reads is in the event's data for sure
 *
 * Context: process, may sleep, under the session's lock.
 * Return: false if the event can only be had from perf; nothing has happened.
 */
bool tap_direct_attach(struct tapmod_tracepoint *tp)
{
	const struct trace_event_call *call = tp->file->event_call;

	if (!tap_direct_fits(tp))
		return false;
	guard(mutex)(&tap_direct_lock);
	if (!tap_direct_keeper && !tap_direct_keep())
		return false;
	tap_direct_users++;
	/* A copy has the common fields at least. */
	tp->need = max_t(u32, tp->need, sizeof(struct trace_entry));
	tp->type = call->event.type;
	tp->assemble = call->class->perf_probe;
	tp->handler = tap_direct_choose(tp);
	return true;
}

/* perf asks for the same capability when a counter of the event is created. */
static int tap_direct_enable(struct tapmod_probe *probe)
{
	struct tapmod_tracepoint *tp = to_tap_tracepoint(probe);

	if (!perfmon_capable())
		return -EPERM;
	return tracepoint_probe_register(tp->file->event_call->tp, tp->handler, tp);
}

static void tap_direct_disable(struct tapmod_probe *probe)
{
	struct tapmod_tracepoint *tp = to_tap_tracepoint(probe);

	tracepoint_probe_unregister(tp->file->event_call->tp, tp->handler, tp);
}

static void tap_direct_free(struct tapmod_probe *probe)
{
	trace_put_event_file(to_tap_tracepoint(probe)->file);
	guard(mutex)(&tap_direct_lock);
	if (!--tap_direct_users)
		schedule_delayed_work(&tap_direct_work, HZ);
}

static void tap_direct_missed(const struct tapmod_probe *probe, struct tap_stats *stats)
{
	int cpu;

	for_each_possible_cpu(cpu)
		stats->out_nmissed +=
			READ_ONCE(tap_counters_missed(per_cpu_ptr(probe->counters, cpu)));
}

const struct tap_probe_ops tap_tracepoint_direct_ops = {
	.enable		= tap_direct_enable,
	.disable	= tap_direct_disable,
	.missed		= tap_direct_missed,
	.sync		= TAP_SYNC_TRACEPOINT,
	.detach		= tap_tracepoint_detach,
	.free		= tap_direct_free,
};

/**
 * tap_direct_init() - prepare the trace_event_call that all probes pass to perf
 *
 * Context: process, module load.
 */
void tap_direct_init(void)
{
	int cpu;

	tap_direct_forget();
	/* perf only reads the lists, so all of them can have the same member. */
	for_each_possible_cpu(cpu)
		per_cpu(tap_direct_events, cpu).first = &tap_direct_stopped.hlist_entry;
	tap_direct_call.event.type = TAP_DIRECT_TYPE;
	tap_direct_call.perf_events = &tap_direct_events;
}

/**
 * tap_direct_exit() - let perf's buffers go
 *
 * Context: process, module unload: no session exists.
 */
void tap_direct_exit(void)
{
	cancel_delayed_work_sync(&tap_direct_work);
	tap_direct_release(NULL);
}
