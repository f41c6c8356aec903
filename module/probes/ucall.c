// SPDX-License-Identifier: GPL-2.0
/*
 * ucall: a function of a program from entry to return, recorded at the return.
 *
 * The entry stores its values for the return in a frame. The frames of a task form a
 * stack, as its calls do; a table by task (task_table.h) leads to the newest one. A frame
 * has the stack pointer of its entry, by which the return finds it.
 *
 * There are more entries than returns: longjmp(), exceptions, exec and the end of a task
 * abandon calls, and the kernel follows at most 64 returns of a task. Frames can be
 * abandoned. This is detected
 *
 *  - at an entry: the stack where the frames were is in use again,
 *  - at a return: it belongs to a call that was made before them,
 *  - when the task ends or calls execve().
 *
 * An abandoned call is then recorded with %TAP_F_NO_RETURN: every call that was entered
 * becomes an event in the end. A call that the kernel will not follow is recorded at once.
 *
 * Frames come from a pool. A task keeps the frames that it took, for later calls, and
 * gives them back when it ends. So a call that is not deeper than earlier ones needs no
 * atomic operation, at entry or return. All this runs in the context of the task, and its
 * handlers do not interrupt each other: no other code accesses the frames of a task.
 *
 * A return without a frame is ignored: its entry was rejected, or was before the probe was
 * enabled, or was in the parent of a new process. Calls in flight when the probe is
 * disabled are forgotten when it is enabled again.
 *
 * A handler does not wait for memory that is paged out. If the entry finds memory absent,
 * the frame keeps the registers, and the return reads again with them (deferred read):
 * usually the function has touched the memory by then.
 */
#include <linux/atomic.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>

#include "compat/arch.h"
#include "compat/hooks.h"
#include "exec/call_run.h"
#include "exec/call_task.h"
#include "exec/task_table.h"
#include "exec/verifier.h"
#include "probes/probes.h"
#include "probes/uprobe.h"

/* The handlers are of uprobes and of tracepoints. */
#define TAP_UCALL_SYNC	(TAP_SYNC_UPROBE | TAP_SYNC_TRACEPOINT)

/* Default for maxactive: calls that can be in flight at once. */
#define TAP_DEFAULT_UCALLS	4096

/**
 * struct tap_ucall_frame - what an entry stores for the return
 * @stack: stack pointer at the entry
 * @next: number of the next older frame of the task, or of the next free frame; 0: none
 * @call: common part; ends in the words that the program produced
 */
struct tap_ucall_frame {
	unsigned long stack;
	u32 next;
	struct tap_call call;
};

/**
 * struct tap_ucall_task - the frames of a task, by number; 0: none
 * @open: frame of the newest call in flight
 * @spare: first frame that the task has taken and does not use
 */
struct tap_ucall_task {
	u32 open;
	u32 spare;
};

/**
 * struct tap_ucall - a probe of calls in programs
 * @uprobe: the probe of the entry
 * @returns: consumer for the returns; used if TAP_UPROBE_SPLIT, else that of @uprobe is
 * @exit: tracepoint sched_process_exit
 * @exec: tracepoint sched_process_exec
 * @table: places of the tasks
 * @tasks: one entry for each place of @table
 * @frames: frame 0, which is not used; 1 to @calls: the pool; then one for each CPU, for
 *	entries of tasks without a spare frame
 * @frame_size: bytes of a frame, a multiple of a cache line
 * @regs: offset of the entry's registers in a frame, for deferred reads; 0: the program
 *	reads no user memory
 * @calls: maxactive: frames of the pool
 * @free: bits 0 to 31: first free frame of the pool; bits 32 to 63: a count of changes,
 *	by which tap_ucall_take() detects that the list has changed since it read @free
 * @missed: calls that passed the tests and found no frame, or no place
 */
struct tap_ucall {
	struct tap_uprobe uprobe;
	struct uprobe_consumer returns;
	struct tracepoint *exit;
	struct tracepoint *exec;
	struct tap_task_table table;
	struct tap_ucall_task *tasks;
	void *frames;
	size_t frame_size;
	size_t regs;
	u32 calls;
	/* All CPUs write these; they only read the members above. */
	atomic64_t free ____cacheline_aligned_in_smp;
	atomic_long_t missed;
};

static struct tap_ucall *to_tap_ucall(const struct tapmod_probe *probe)
{
	return container_of(probe, struct tap_ucall, uprobe.probe);
}

static __always_inline struct tap_ucall *uc_to_ucall(struct uprobe_consumer *uc)
{
	return container_of(uc, struct tap_ucall, uprobe.uc);
}

static __always_inline struct tap_ucall *
ret_uc_to_ucall(struct uprobe_consumer *uc)
{
	return TAP_UPROBE_SPLIT ? container_of(uc, struct tap_ucall, returns) :
				  uc_to_ucall(uc);
}

static __always_inline struct tap_ucall_frame *
tap_ucall_at(const struct tap_ucall *ucall, u32 nr)
{
	return ucall->frames + nr * ucall->frame_size;
}

/* Number of this CPU's own frame. Preemption must be off while it is used. */
static __always_inline u32 tap_ucall_own(const struct tap_ucall *ucall)
{
	return ucall->calls + 1 + raw_smp_processor_id();
}

/* Takes a frame out of the pool; returns 0 if there is none. */
static u32 tap_ucall_take(struct tap_ucall *ucall)
{
	s64 free = atomic64_read(&ucall->free), next;

	do {
		if (!(u32)free)
			return 0;
		/*
		 * If another task takes this frame meanwhile, @next may be wrong: then @free
		 * has another count, and the cmpxchg fails.
		 */
		next = READ_ONCE(tap_ucall_at(ucall, (u32)free)->next);
		next |= (free | U32_MAX) + 1;
	} while (!atomic64_try_cmpxchg(&ucall->free, &free, next));
	return free;
}
NOKPROBE_SYMBOL(tap_ucall_take);

static void tap_ucall_give(struct tap_ucall *ucall, u32 nr)
{
	s64 free = atomic64_read(&ucall->free), next;

	do {
		WRITE_ONCE(tap_ucall_at(ucall, nr)->next, free);
		next = ((free | U32_MAX) + 1) | nr;
	} while (!atomic64_try_cmpxchg(&ucall->free, &free, next));
}
NOKPROBE_SYMBOL(tap_ucall_give);

/* Records a call at its return. Preemption is off, here and down to the handlers. */
static __always_inline void
tap_ucall_leave(struct tap_ucall *ucall, struct tap_ucall_frame *frame,
		struct pt_regs *regs)
{
	struct tapmod_probe *probe = &ucall->uprobe.probe;
	struct tap_call *call = &frame->call;

	if (unlikely(call->absent) && ucall->regs)
		tap_call_read_deferred(probe, call, (void *)frame + ucall->regs,
				       tap_ucall_at(ucall, tap_ucall_own(ucall))->call.words);
	tap_call_leave(probe, call, regs, regs_return_value(regs), 0);
}

/* Records a call whose return will not be seen. */
static void tap_ucall_lose(struct tap_ucall *ucall, struct tap_ucall_frame *frame)
{
	static const struct pt_regs none;

	tap_call_leave(&ucall->uprobe.probe, &frame->call, &none, 0,
		       TAP_F_NO_RETURN);
}
NOKPROBE_SYMBOL(tap_ucall_lose);

/* Moves the frame that @link leads to from the open frames to the spare ones. */
static __always_inline struct tap_ucall_frame *
tap_ucall_close(struct tap_ucall *ucall, struct tap_ucall_task *task, u32 *link)
{
	u32 nr = *link;
	struct tap_ucall_frame *frame = tap_ucall_at(ucall, nr);

	*link = frame->next;
	frame->next = task->spare;
	task->spare = nr;
	return frame;
}

/* Ends the calls whose frames are below @stack: they have been abandoned. */
static void tap_ucall_lose_below(struct tap_ucall *ucall,
				 struct tap_ucall_task *task, unsigned long stack)
{
	while (task->open && tap_ucall_at(ucall, task->open)->stack < stack)
		tap_ucall_lose(ucall, tap_ucall_close(ucall, task, &task->open));
}
NOKPROBE_SYMBOL(tap_ucall_lose_below);

/*
 * Whether the function was entered by a tail call from a function that the kernel follows.
 * Then it returns to the uretprobe trampoline, which is at the start of a page. After a
 * call instruction, the return address is the caller's.
 */
static bool tap_ucall_is_jump(struct pt_regs *regs, unsigned long stack)
{
	unsigned long to = tap_arch_link(regs);

	if (TAP_CALL_PUSHES &&
	    copy_from_user_nofault(&to, (const void __user *)stack,
				   tap_arch_pointer_bytes(regs)))
		return false;
	return !(to & ~PAGE_MASK);
}
NOKPROBE_SYMBOL(tap_ucall_is_jump);

/*
 * Ends the calls that cannot be in flight any longer when a new one is entered. Calls with
 * the same stack pointer are in flight if each one tail-called the next: then the kernel
 * follows as many returns (tap_uretprobe_count()). The others were abandoned.
 */
static noinline void tap_ucall_sweep(struct tap_ucall *ucall,
				     struct tap_ucall_task *task,
				     struct pt_regs *regs)
{
	unsigned long stack = user_stack_pointer(regs);
	unsigned int follows = 0;
	u32 *link = &task->open;

	tap_ucall_lose_below(ucall, task, stack);
	if (tap_ucall_is_jump(regs, stack))
		follows = tap_uretprobe_count(current->utask,
					      instruction_pointer(regs), stack);
	while (*link && tap_ucall_at(ucall, *link)->stack == stack) {
		if (follows) {
			link = &tap_ucall_at(ucall, *link)->next;
			follows--;
		} else {
			tap_ucall_lose(ucall, tap_ucall_close(ucall, task, link));
		}
	}
}
NOKPROBE_SYMBOL(tap_ucall_sweep);

/* Takes a frame for a call that is deeper than all earlier ones of the task. */
static noinline void tap_ucall_keep(struct tap_ucall *ucall, int place,
				    struct tap_ucall_frame *call)
{
	u32 nr = tap_ucall_take(ucall);
	struct tap_ucall_frame *frame = tap_ucall_at(ucall, nr);

	if (nr && place < 0)
		place = tap_task_take(&ucall->table);
	if (!nr || place < 0) {
		if (nr)
			tap_ucall_give(ucall, nr);
		/* The return will not be seen, so the call does not count as entered. */
		this_cpu_dec(ucall->uprobe.probe.counters->entered);
		atomic_long_inc(&ucall->missed);
		tap_call_forget(&ucall->uprobe.probe, &call->call);
		return;
	}
	memcpy(frame, call, ucall->frame_size);
	frame->next = ucall->tasks[place].open;
	ucall->tasks[place].open = nr;
}
NOKPROBE_SYMBOL(tap_ucall_keep);

static __always_inline void
tap_ucall_begin(struct tap_ucall *ucall, struct pt_regs *regs)
{
	unsigned long stack = user_stack_pointer(regs);
	int place = tap_task_find(&ucall->table);
	struct tap_ucall_task *task = NULL;
	u32 nr = tap_ucall_own(ucall);
	struct tap_ucall_frame *frame;

	if (likely(place >= 0)) {
		task = &ucall->tasks[place];
		if (task->open && tap_ucall_at(ucall, task->open)->stack <= stack)
			tap_ucall_sweep(ucall, task, regs);
		if (likely(task->spare))
			nr = task->spare;
	}
	frame = tap_ucall_at(ucall, nr);
	if (!tap_call_enter(&ucall->uprobe.probe, &frame->call, regs))
		return;
	if (task && task->open)
		frame->call.flags |= TAP_F_NESTED;
	if (unlikely(frame->call.absent) && ucall->regs)
		memcpy((void *)frame + ucall->regs, regs, sizeof(*regs));
	frame->stack = stack;
	if (unlikely(!tap_uretprobe_follows(current->utask))) {
		tap_ucall_lose(ucall, frame);
	} else if (unlikely(nr > ucall->calls)) {
		tap_ucall_keep(ucall, place, frame);
	} else {
		task->spare = frame->next;
		frame->next = task->open;
		task->open = nr;
	}
}

static int tap_ucall_entry TAP_UPROBE_PARAMS
{
	struct tap_ucall *ucall = uc_to_ucall(uc);

	if (unlikely(!tap_uprobe_wanted(&ucall->uprobe)))
		return tap_uprobe_unwanted(&ucall->uprobe);
	preempt_disable_notrace();
	tap_ucall_begin(ucall, regs);
	preempt_enable_notrace();
	return 0;
}
NOKPROBE_SYMBOL(tap_ucall_entry);

/* The stack pointer at the entry of the call that returns now. */
static __always_inline unsigned long tap_ucall_stack(struct pt_regs *regs)
{
	return user_stack_pointer(regs) -
	       (TAP_CALL_PUSHES ? tap_arch_pointer_bytes(regs) : 0);
}

static __always_inline void
tap_ucall_end(struct tap_ucall *ucall, struct pt_regs *regs)
{
	unsigned long stack = tap_ucall_stack(regs);
	int place = tap_task_find(&ucall->table);
	struct tap_ucall_task *task;

	if (place < 0)
		return;
	task = &ucall->tasks[place];
	if (unlikely(task->open && tap_ucall_at(ucall, task->open)->stack < stack))
		tap_ucall_lose_below(ucall, task, stack);
	if (task->open && tap_ucall_at(ucall, task->open)->stack == stack)
		tap_ucall_leave(ucall, tap_ucall_close(ucall, task, &task->open),
				regs);
}

static int tap_ucall_return TAP_URETPROBE_PARAMS
{
	struct tap_ucall *ucall = ret_uc_to_ucall(uc);

	preempt_disable_notrace();
	tap_ucall_end(ucall, regs);
	preempt_enable_notrace();
	return 0;
}
NOKPROBE_SYMBOL(tap_ucall_return);

/* sched_process_exec: the current task will not return into its old program. */
static void tap_ucall_exec TAP_PROCESS_EXEC_PARAMS
{
	struct tap_ucall *ucall = to_tap_ucall(data);
	int place = tap_task_find(&ucall->table);

	if (place < 0)
		return;
	tap_tracepoint_enter();
	tap_ucall_lose_below(ucall, &ucall->tasks[place], ULONG_MAX);
	tap_tracepoint_exit();
}
NOKPROBE_SYMBOL(tap_ucall_exec);

/* sched_process_exit: ends the open calls of the current task, and returns its frames. */
static void tap_ucall_exit TAP_PROCESS_EXIT_PARAMS
{
	struct tap_ucall *ucall = to_tap_ucall(data);
	int place = tap_task_find(&ucall->table);
	struct tap_ucall_task *task;
	u32 nr;

	if (place < 0)
		return;
	tap_tracepoint_enter();
	task = &ucall->tasks[place];
	tap_ucall_lose_below(ucall, task, ULONG_MAX);
	while (task->spare) {
		nr = task->spare;
		task->spare = tap_ucall_at(ucall, nr)->next;
		tap_ucall_give(ucall, nr);
	}
	tap_task_release(&ucall->table, place);
	tap_tracepoint_exit();
}
NOKPROBE_SYMBOL(tap_ucall_exit);

static int tap_ucall_parse(struct tapmod_probe *probe, char *target,
			   struct tap_program_env *env)
{
	env->regs = true;
	env->user = true;
	env->arg_offset = tap_arg_offset;
	env->returns = true;
	env->retval_offset = TAP_RETVAL_OFFSET;
	env->first_word = TAP_CALL_FETCHES;
	return 0;
}

/* Frame 0, the pool, and one frame for each CPU. */
static size_t tap_ucall_frames(const struct tap_ucall *ucall)
{
	return 1 + ucall->calls + nr_cpu_ids;
}

/* Whether the entry reads user memory, which may be absent. */
static bool tap_ucall_reads(const struct tap_program *prog)
{
	unsigned int i;

	for (i = 0; i < prog->entry.end; i++)
		if (prog->ops[i].code == TAP_OP_LOAD_USER ||
		    prog->ops[i].code == TAP_OP_LENGTH_USER ||
		    prog->ops[i].code == TAP_OP_STRING_USER ||
		    prog->ops[i].code == TAP_OP_JOIN_USER ||
		    prog->ops[i].code == TAP_OP_BYTES_USER)
			return true;
	return false;
}

static u64 tap_ucall_mem(struct tapmod_probe *probe, const struct tap_create *create)
{
	struct tap_ucall *ucall = to_tap_ucall(probe);
	size_t size = offsetof(struct tap_ucall_frame, call) + tap_call_size(probe);

	if (tap_ucall_reads(&probe->prog)) {
		ucall->regs = size;
		size += sizeof(struct pt_regs);
	}
	ucall->calls = create->maxactive ?: TAP_DEFAULT_UCALLS;
	/* A task with a place has one frame at least, so @calls tasks suffice. */
	tap_task_table_size(&ucall->table, ucall->calls);
	/* Whole cache lines, so that two tasks never write to the same one. */
	ucall->frame_size = L1_CACHE_ALIGN(size);
	return (u64)tap_task_places(&ucall->table) *
	       (sizeof(struct task_struct *) + sizeof(*ucall->tasks)) +
	       (u64)tap_ucall_frames(ucall) * ucall->frame_size;
}

/* The filter of @returns: as tap_uprobe_filter(). */
static bool tap_ucall_filter TAP_UPROBE_FILTER_PARAMS
{
	return tap_uprobe_is_of(&ret_uc_to_ucall(uc)->uprobe, mm);
}

static void tap_ucall_set_handlers(struct tap_ucall *ucall, bool one_process)
{
	struct uprobe_consumer *returns = TAP_UPROBE_SPLIT ? &ucall->returns :
							     &ucall->uprobe.uc;

	ucall->uprobe.uc.handler = tap_ucall_entry;
	returns->ret_handler = tap_ucall_return;
	if (one_process)
		returns->filter = tap_ucall_filter;
}

static int tap_ucall_attach(struct tapmod_probe *probe,
			    const struct tap_create *create)
{
	struct tap_ucall *ucall = to_tap_ucall(probe);

	if (probe->prog.entry_words > TAP_CALL_WORDS)
		return -EINVAL;
	ucall->exit = tap_tracepoint_find("sched_process_exit");
	ucall->exec = tap_tracepoint_find("sched_process_exec");
	if (!ucall->exit || !ucall->exec)
		return -EOPNOTSUPP;
	ucall->tasks = kvcalloc(tap_task_places(&ucall->table),
				sizeof(*ucall->tasks), GFP_KERNEL_ACCOUNT);
	ucall->frames = kvcalloc(tap_ucall_frames(ucall), ucall->frame_size,
				 GFP_KERNEL_ACCOUNT);
	/* On error tap_ucall_free() frees what was allocated. */
	if (!ucall->tasks || !ucall->frames ||
	    !tap_task_table_alloc(&ucall->table))
		return -ENOMEM;
	tap_ucall_set_handlers(ucall, create->pid);
	return tap_uprobe_attach(probe, create);
}

static void tap_ucall_free(struct tapmod_probe *probe)
{
	struct tap_ucall *ucall = to_tap_ucall(probe);

	kvfree(ucall->frames);
	kvfree(ucall->tasks);
	kvfree(ucall->table.lines);
	tap_uprobe_free(probe);
}

/* Puts all frames into the pool. No handler runs: the last disable has waited for them. */
static void tap_ucall_reset(struct tap_ucall *ucall)
{
	u32 nr;

	tap_task_table_clear(&ucall->table);
	memset(ucall->tasks, 0, tap_task_places(&ucall->table) *
				sizeof(*ucall->tasks));
	for (nr = 1; nr <= ucall->calls; nr++)
		tap_ucall_at(ucall, nr)->next = nr < ucall->calls ? nr + 1 : 0;
	atomic64_set(&ucall->free, 1);
}

static int tap_ucall_enable(struct tapmod_probe *probe)
{
	struct tap_ucall *ucall = to_tap_ucall(probe);
	int ret;

	tap_ucall_reset(ucall);

	/* Entries last: every recorded entry then has its end seen. */
	ret = tracepoint_probe_register(ucall->exit, tap_ucall_exit, probe);
	if (ret)
		return ret;
	ret = tracepoint_probe_register(ucall->exec, tap_ucall_exec, probe);
	if (ret)
		goto err_exit;
	if (TAP_UPROBE_SPLIT) {
		ret = tap_uprobe_add(&ucall->uprobe, &ucall->returns);
		if (ret)
			goto err_exec;
	}
	ret = tap_uprobe_enable(probe);
	if (ret)
		goto err_returns;
	return 0;

err_returns:
	if (TAP_UPROBE_SPLIT)
		tap_uprobe_remove(&ucall->uprobe, &ucall->returns);
err_exec:
	tracepoint_probe_unregister(ucall->exec, tap_ucall_exec, probe);
err_exit:
	tracepoint_probe_unregister(ucall->exit, tap_ucall_exit, probe);
	/* Handlers may have run since the registrations above; wait for them. */
	tap_sync(TAP_UCALL_SYNC);
	return ret;
}

static void tap_ucall_disable(struct tapmod_probe *probe)
{
	struct tap_ucall *ucall = to_tap_ucall(probe);

	tap_uprobe_disable(probe);
	if (TAP_UPROBE_SPLIT)
		tap_uprobe_remove(&ucall->uprobe, &ucall->returns);
	tracepoint_probe_unregister(ucall->exec, tap_ucall_exec, probe);
	tracepoint_probe_unregister(ucall->exit, tap_ucall_exit, probe);
}

static void tap_ucall_missed(const struct tapmod_probe *probe,
			     struct tap_stats *stats)
{
	stats->out_nmissed_return = atomic_long_read(&to_tap_ucall(probe)->missed);
}

static u32 tap_ucall_maxactive(const struct tapmod_probe *probe)
{
	return to_tap_ucall(probe)->calls;
}

const struct tap_probe_ops tap_ucall_ops = {
	.size		= sizeof(struct tap_ucall),
	/* TAP_FEATURE_SYSCALL: it needs the same tracepoints of processes. */
	.feature	= TAP_FEATURE_UPROBE | TAP_FEATURE_SYSCALL,
	.maxactive	= TAP_MAX_UCALLS,
	.file		= true,
	.parse		= tap_ucall_parse,
	.pool		= tap_ucall_mem,
	.attach		= tap_ucall_attach,
	.enable		= tap_ucall_enable,
	.disable	= tap_ucall_disable,
	.sync		= TAP_UCALL_SYNC,
	.detach		= tap_uprobe_detach,
	.free		= tap_ucall_free,
	.missed		= tap_ucall_missed,
	.maxactive_of	= tap_ucall_maxactive,
};
