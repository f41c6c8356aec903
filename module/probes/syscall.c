// SPDX-License-Identifier: GPL-2.0
/*
 * syscall: a system call from entry to return, recorded at the return. The tracepoints
 * sys_enter and sys_exit fire for every system call of every task. The entry stores its
 * values in a table by task, for the return.
 *
 * A task takes a place in the table (task_table.h) with its first call that passes the
 * tests, and keeps it until it ends; a task without such a call never has one. A task has
 * one system call at a time.
 *
 * A return without an open call is ignored: its entry was before the probe was enabled, or
 * it is the first return of a new task. Calls in flight when the probe is disabled are
 * forgotten when it is enabled again.
 *
 * Plain probes have handlers of their own (TAP_FOLLOWED_HANDLERS()), which load arguments from
 * the registers. Where they cannot go on they have changed nothing, and the handlers for all
 * programs start over.
 */
#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/compat.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/unistd.h>
#include <asm/syscall.h>

#include "compat/arch.h"
#include "compat/hooks.h"
#include "exec/call_run.h"
#include "exec/call_task.h"
#include "exec/handler.h"
#include "exec/stacktrace.h"
#include "exec/task_table.h"
#include "probes/probes.h"

/* Larger numbers are no system calls of the native interface. */
#define TAP_NR_SYSCALLS		1024

/* Default for maxactive: tasks that can have a place at once. */
#define TAP_DEFAULT_TASKS	4096

/**
 * enum tap_syscall_base - index of the words that a program reads
 * @TAP_SYSCALL_NR: number of the system call
 * @TAP_SYSCALL_ARGS: first of TAP_NR_ARGS arguments
 * @TAP_SYSCALL_RETVAL: return value; valid at the return only
 * @TAP_SYSCALL_WORDS: size of the base, in words
 */
enum tap_syscall_base {
	TAP_SYSCALL_NR		= 0,
	TAP_SYSCALL_ARGS	= 1,
	TAP_SYSCALL_RETVAL	= TAP_SYSCALL_ARGS + TAP_NR_ARGS,
	TAP_SYSCALL_WORDS,
};

/**
 * struct tap_syscall_call - what the entry of a system call stores for the return
 * @base: the words that the program reads. They are stored, since at the return the
 *	registers may hold the number of another call (execveat, rt_sigreturn)
 * @open: the call was entered and has not returned
 * @call: common part; ends in the words that the program produced
 */
struct tap_syscall_call {
	u64 base[TAP_SYSCALL_WORDS];
	u64 open;
	struct tap_call call;
};

/**
 * struct tapmod_syscall - a probe of system calls
 * @probe: the common part
 * @enter: tracepoint sys_enter
 * @exit: tracepoint sys_exit
 * @end: tracepoint sched_process_exit
 * @table: places of the tasks
 * @calls: one struct tap_syscall_call of @call_size bytes for each place of @table; behind
 *	them one for each CPU, for calls of tasks without a place
 * @tasks: maxactive: tasks that can have a place at once
 * @call_size: multiple of a cache line
 * @missed: calls that passed the tests and found no place. On a cache line of its own: when
 *	the table is full all CPUs write it, and all read the other members at each call
 * @wanted: numbers of the system calls to record
 * @reg: of a plain probe: where in struct pt_regs the value of each load is
 * @on_enter: handler of @enter
 * @on_exit: handler of @exit
 */
struct tapmod_syscall {
	struct tapmod_probe probe;
	struct tracepoint *enter;
	struct tracepoint *exit;
	struct tracepoint *end;
	struct tap_task_table table;
	void *calls;
	u32 tasks;
	size_t call_size;
	u16 reg[TAP_FIRST_VALUES];
	void *on_enter;
	void *on_exit;
	atomic_long_t missed ____cacheline_aligned_in_smp;
	DECLARE_BITMAP(wanted, TAP_NR_SYSCALLS) ____cacheline_aligned_in_smp;
};

static const u16 tap_syscall_arg_offset[TAP_NR_ARGS] = { 8, 16, 24, 32, 40, 48 };
static const u16 tap_syscall_reg[TAP_NR_ARGS] = TAP_SYSCALL_OFFSETS;

static struct tapmod_syscall *to_tap_syscall(const struct tapmod_probe *probe)
{
	return container_of(probe, struct tapmod_syscall, probe);
}

/* The call of a place, or that of a CPU, which is behind the last place. */
static __always_inline struct tap_syscall_call *
tap_syscall_at(const struct tapmod_syscall *sys, unsigned int place)
{
	return sys->calls + place * sys->call_size;
}

/* Takes a place for the task and copies the call to it from that of the CPU. */
static noinline void tap_syscall_keep(struct tapmod_syscall *sys, struct tap_syscall_call *call)
{
	int place = tap_task_take(&sys->table);

	if (place < 0) {
		/* The return will not be seen, so the call does not count as entered. */
		this_cpu_dec(sys->probe.counters->entered);
		atomic_long_inc(&sys->missed);
		tap_call_forget(&sys->probe, &call->call);
		return;
	}
	memcpy(tap_syscall_at(sys, place), call, sys->call_size);
}
NOKPROBE_SYMBOL(tap_syscall_keep);

/* This and tap_syscall_begin() run with preemption off. */
static __always_inline void
tap_syscall_leave(struct tapmod_syscall *sys, struct tap_syscall_call *call,
		  long ret, u32 flags)
{
	call->open = false;
	call->base[TAP_SYSCALL_RETVAL] = ret;
	tap_call_leave(&sys->probe, &call->call, call->base, ret, flags);
}

static __always_inline void
tap_syscall_begin(struct tapmod_syscall *sys, struct pt_regs *regs, long nr)
{
	int place = tap_task_find(&sys->table);
	struct tap_syscall_call *call =
		tap_syscall_at(sys, place >= 0 ? place :
			       tap_task_places(&sys->table) + raw_smp_processor_id());

	BUILD_BUG_ON(sizeof(unsigned long) != sizeof(u64));
	call->base[TAP_SYSCALL_NR] = nr;
	syscall_get_arguments(current, regs,
			      (unsigned long *)&call->base[TAP_SYSCALL_ARGS]);
	call->open = tap_call_enter(&sys->probe, &call->call, call->base);
	if (!call->open)
		return;
	if (nr == __NR_exit || nr == __NR_exit_group)
		tap_syscall_leave(sys, call, 0, TAP_F_NO_RETURN);
	else if (place < 0)
		tap_syscall_keep(sys, call);
}

/* Whether the probe records this call. A 32-bit program has other numbers. */
static __always_inline bool tap_syscall_wanted(const struct tapmod_syscall *sys, long nr)
{
	return (unsigned long)nr < TAP_NR_SYSCALLS && test_bit(nr, sys->wanted) &&
	       !in_compat_syscall();
}

static void tap_syscall_enter_program TAP_SYS_ENTER_PARAMS
{
	struct tapmod_syscall *sys = to_tap_syscall(data);

	if (!tap_syscall_wanted(sys, nr))
		return;
	tap_tracepoint_enter();
	tap_syscall_begin(sys, regs, nr);
	tap_tracepoint_exit();
}
NOKPROBE_SYMBOL(tap_syscall_enter_program);

/* The number in @regs is not used: see struct tap_syscall_call. */
static void tap_syscall_exit_program TAP_SYS_EXIT_PARAMS
{
	struct tapmod_syscall *sys = to_tap_syscall(data);
	int place = tap_task_find(&sys->table);
	struct tap_syscall_call *call;

	if (place < 0)
		return;
	call = tap_syscall_at(sys, place);
	if (!call->open)
		return;
	tap_tracepoint_enter();
	tap_syscall_leave(sys, call, ret, 0);
	tap_tracepoint_exit();
}
NOKPROBE_SYMBOL(tap_syscall_exit_program);

/*
 * The entry of a plain probe, whose program reads no base. @flags and @absent of the call are
 * 0 from the allocation on: no program of a plain probe sets them. Returns false, with nothing
 * done, for a call that does not return and for the first call of a task.
 */
static __always_inline bool
tap_syscall_enter_shaped(struct tapmod_probe *probe, const struct pt_regs *regs, long nr,
			 int shape)
{
	struct tapmod_syscall *sys = to_tap_syscall(probe);
	const int loads = TAP_SHAPE_LOADS(shape);
	struct tap_syscall_call *call;
	int place, i;
	u64 *words;

	if (!tap_syscall_wanted(sys, nr))
		return true;
	if (shape & TAP_SHAPE_FOLLOWED && !tap_event_followed(probe))
		return true;
	place = tap_task_find_first(&sys->table);
	if (unlikely(place < 0) || unlikely(nr == __NR_exit || nr == __NR_exit_group))
		return false;
	call = tap_syscall_at(sys, place);
	words = call->call.words + TAP_CALL_FETCHES;
	tap_tracepoint_enter();
#pragma GCC unroll 8
	for (i = 0; i < tap_shape_words(shape); i++)
		words[i] = i < loads ? *(const u64 *)((const void *)regs + sys->reg[i]) :
				       tap_comm_word(i - loads);
	call->open = true;
	tap_call_entered(probe, &call->call, TAPMOD_CLOCK_RAW);
	tap_tracepoint_exit();
	return true;
}

TAP_FOLLOWED_HANDLERS(void, tap_syscall_enter, TAP_SYS_ENTER_PARAMS, (data, regs, nr),
		      data, regs, nr);

/* The return of a plain probe. False: nothing has been done. */
static __always_inline bool
tap_syscall_exit_shaped(struct tapmod_probe *probe, long ret, int shape)
{
	struct tapmod_syscall *sys = to_tap_syscall(probe);
	int place = tap_task_find_first(&sys->table);
	struct tap_syscall_call *call;
	bool done;

	if (unlikely(place < 0))
		return false;
	call = tap_syscall_at(sys, place);
	if (!call->open)
		return true;
	tap_tracepoint_enter();
	done = tap_call_leave_shaped(probe, &call->call, ret, shape);
	if (likely(done))
		call->open = false;
	tap_tracepoint_exit();
	return done;
}

TAP_EVENT_HANDLERS(void, tap_syscall_exit, TAP_SYS_EXIT_PARAMS, (data, regs, ret),
		   data, ret);

/* sched_process_exit: the current task makes no further system call. */
static void tap_syscall_end TAP_PROCESS_EXIT_PARAMS
{
	struct tapmod_syscall *sys = to_tap_syscall(data);
	int place = tap_task_find(&sys->table);

	if (place >= 0)
		tap_task_release(&sys->table, place);
}
NOKPROBE_SYMBOL(tap_syscall_end);

static int tap_syscall_parse(struct tapmod_probe *probe, char *target,
			     struct tap_program_env *env)
{
	struct tapmod_syscall *sys = to_tap_syscall(probe);

	env->arg_offset = tap_syscall_arg_offset;
	env->syscall = true;
	env->returns = true;
	env->retval_offset = TAP_SYSCALL_RETVAL * sizeof(u64);
	env->first_word = TAP_CALL_FETCHES;
	if (!strcmp(target, "*")) {
		bitmap_fill(sys->wanted, TAP_NR_SYSCALLS);
		return 0;
	}
	/* bitmap_parselist() also takes groups and "all", which the UAPI does not allow. */
	if (target[strspn(target, "0123456789,-")] ||
	    bitmap_parselist(target, sys->wanted, TAP_NR_SYSCALLS) ||
	    bitmap_empty(sys->wanted, TAP_NR_SYSCALLS))
		return -EINVAL;
	return 0;
}

static u64 tap_syscall_mem(struct tapmod_probe *probe,
			   const struct tap_create *create)
{
	struct tapmod_syscall *sys = to_tap_syscall(probe);

	sys->tasks = create->maxactive ?: TAP_DEFAULT_TASKS;
	tap_task_table_size(&sys->table, sys->tasks);
	/* Whole cache lines, so that two tasks never write to the same one. */
	sys->call_size = L1_CACHE_ALIGN(offsetof(struct tap_syscall_call, call) +
					tap_call_size(probe));
	return (u64)tap_task_places(&sys->table) *
	       (sizeof(struct task_struct *) + sys->call_size);
}

/* The handlers for the probe's program; those of a plain probe load only arguments. */
static void tap_syscall_choose(struct tapmod_syscall *sys)
{
	const struct tapmod_probe *probe = &sys->probe;
	unsigned int shape = tap_probe_shape(probe), i, arg;

	for (i = 0; i < probe->nr_loads; i++) {
		arg = probe->offset[i] / sizeof(u64) - TAP_SYSCALL_ARGS;
		if (arg >= TAP_NR_ARGS)
			shape = TAP_SHAPE_ANY;
		else
			sys->reg[i] = tap_syscall_reg[arg];
	}
	sys->on_enter = TAP_FOLLOWED_CHOOSE(tap_syscall_enter, shape);
	/* A call is open only if its task is followed. */
	if (shape != TAP_SHAPE_ANY)
		shape &= ~TAP_SHAPE_FOLLOWED;
	sys->on_exit = TAP_EVENT_CHOOSE(tap_syscall_exit, shape);
}

static int tap_syscall_attach(struct tapmod_probe *probe,
			      const struct tap_create *create)
{
	struct tapmod_syscall *sys = to_tap_syscall(probe);

	sys->enter = tap_tracepoint_find("sys_enter");
	sys->exit = tap_tracepoint_find("sys_exit");
	sys->end = tap_tracepoint_find("sched_process_exit");
	if (!sys->enter || !sys->exit || !sys->end)
		return -EOPNOTSUPP;
	tap_stack_tp_iter(&probe->tp_iters[0], sys->enter->iterator);
	tap_stack_tp_iter(&probe->tp_iters[1], sys->exit->iterator);
	sys->calls = kvcalloc(tap_task_places(&sys->table) + nr_cpu_ids,
			      sys->call_size, GFP_KERNEL_ACCOUNT);
	tap_syscall_choose(sys);
	/* On error tap_syscall_free() frees what was allocated. */
	return sys->calls && tap_task_table_alloc(&sys->table) ? 0 : -ENOMEM;
}

static int tap_syscall_register(struct tracepoint *tp, void *handler,
				struct tapmod_syscall *sys)
{
	return tracepoint_probe_register(tp, handler, &sys->probe);
}

static int tap_syscall_enable(struct tapmod_probe *probe)
{
	struct tapmod_syscall *sys = to_tap_syscall(probe);
	int ret;

	/* No handler runs: the last disable has waited for them. */
	tap_task_table_clear(&sys->table);

	/* sys_enter last: every recorded entry then has its return and exit seen. */
	ret = tap_syscall_register(sys->end, tap_syscall_end, sys);
	if (ret)
		return ret;
	ret = tap_syscall_register(sys->exit, sys->on_exit, sys);
	if (ret)
		goto err_end;
	ret = tap_syscall_register(sys->enter, sys->on_enter, sys);
	if (ret)
		goto err_exit;
	return 0;

err_exit:
	tracepoint_probe_unregister(sys->exit, sys->on_exit, probe);
err_end:
	tracepoint_probe_unregister(sys->end, tap_syscall_end, probe);
	return ret;
}

static void tap_syscall_disable(struct tapmod_probe *probe)
{
	struct tapmod_syscall *sys = to_tap_syscall(probe);

	tracepoint_probe_unregister(sys->enter, sys->on_enter, probe);
	tracepoint_probe_unregister(sys->exit, sys->on_exit, probe);
	tracepoint_probe_unregister(sys->end, tap_syscall_end, probe);
}

/* The probe holds memory only. */
static void tap_syscall_detach(struct tapmod_probe **probes, unsigned int nr)
{
}

static void tap_syscall_free(struct tapmod_probe *probe)
{
	struct tapmod_syscall *sys = to_tap_syscall(probe);

	kvfree(sys->calls);
	kvfree(sys->table.lines);
}

static void tap_syscall_missed(const struct tapmod_probe *probe,
			       struct tap_stats *stats)
{
	stats->out_nmissed_return = atomic_long_read(&to_tap_syscall(probe)->missed);
}

static u32 tap_syscall_maxactive(const struct tapmod_probe *probe)
{
	return to_tap_syscall(probe)->tasks;
}

const struct tap_probe_ops tap_syscall_ops = {
	.size		= sizeof(struct tapmod_syscall),
	.feature	= TAP_FEATURE_SYSCALL,
	.maxactive	= TAP_MAX_TASKS,
	.parse		= tap_syscall_parse,
	.pool		= tap_syscall_mem,
	.attach		= tap_syscall_attach,
	.enable		= tap_syscall_enable,
	.disable	= tap_syscall_disable,
	.sync		= TAP_SYNC_TRACEPOINT,
	.detach		= tap_syscall_detach,
	.free		= tap_syscall_free,
	.missed		= tap_syscall_missed,
	.maxactive_of	= tap_syscall_maxactive,
};
