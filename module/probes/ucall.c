// SPDX-License-Identifier: GPL-2.0
/*
 * ucall: a whole call of a function of a program, one record, made at its return.
 *
 * What an entry leaves for its return is a frame. A task's frames are a stack, as
 * its calls are, whose lower end the table of tasks (task_table.h) leads to. A
 * frame keeps the stack pointer of its entry, by which a return finds its own.
 *
 * There are more entries than returns: longjmp() and exceptions leave calls, exec
 * and the end of a task as well, and the kernel follows the returns of 64 calls at
 * once. Frames can be abandoned. This is detected
 *
 *  - at an entry: the stack is in use now where they were,
 *  - at a return: of a call that was made before them,
 *  - when the task ends or calls execve().
 *
 * Each has its record then, with %TAP_F_NO_RETURN: every call that was entered is
 * an event in the end. That of a call which the kernel will not follow is made at once.
 *
 * Frames come from a pool. A task keeps those that it took, for its next calls, and
 * gives them back when it ends. So neither entry nor return of a call as deep as
 * one before needs an atomic operation. All of it runs in the task's own context,
 * whose handlers do not interrupt each other: nobody else touches its frames.
 *
 * A return that finds no frame is none of ours: its entry was not wanted, or before
 * the probe was enabled, or in the parent of a new process. Calls under way when
 * the probe is disabled are forgotten when it is enabled again.
 *
 * A handler does not wait for memory that is not there. Where an entry finds it
 * absent, the frame keeps its registers, and the return asks once more, with them:
 * as a rule the function has touched it meanwhile.
 */
#include <linux/atomic.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>

#include "compat/arch.h"
#include "exec/call_run.h"
#include "exec/task_table.h"
#include "exec/verifier.h"
#include "probes/probes.h"
#include "probes/uprobe.h"

/* Calls there shall be room for, where the user does not say. */
#define TAP_DEFAULT_UCALLS	4096

/**
 * struct tap_ucall_frame - what a call leaves for its return
 * @stack: the stack pointer at its entry
 * @next: the task's next older frame, or the next of those that are free; 0: none
 * @call: the call, which ends in words
 */
struct tap_ucall_frame {
	unsigned long stack;
	u32 next;
	struct tap_call call;
};

/**
 * struct tap_ucall_task - the frames of a task, by their numbers; 0: none
 * @open: of its newest call under way
 * @spare: not in use
 */
struct tap_ucall_task {
	u32 open;
	u32 spare;
};

/**
 * struct tap_ucall - a probe of whole calls
 * @uprobe: the probe of a program
 * @returns: whom the kernel tells of returns, where that is not @uprobe's own
 * @exit: the tracepoint at the end of a task
 * @exec: the tracepoint where it has a new program
 * @table: of the tasks
 * @tasks: what their places lead to
 * @frames: of @frame_size bytes each: none with the number 0, the pool, then one
 *	for each CPU, for entries of tasks that have no frame to spare
 * @frame_size: see @frames
 * @regs: where in a frame there is room for the registers of the entry, if what
 *	is absent may come; else 0
 * @calls: frames of the pool
 * @free: the first frame in the pool, and above it a number that is another one
 *	each time, so that who has read @free and what follows it can tell whether
 *	they still belong together
 * @missed: calls that found no frame
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
	atomic64_t free;
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

/* The CPU's own; with preemption off. */
static __always_inline u32 tap_ucall_own(const struct tap_ucall *ucall)
{
	return ucall->calls + 1 + raw_smp_processor_id();
}

/* Takes a frame out of the pool; 0: there is none. */
static u32 tap_ucall_take(struct tap_ucall *ucall)
{
	s64 free = atomic64_read(&ucall->free), next;

	do {
		if (!(u32)free)
			return 0;
		/* A faster writer may have been there: then it is not used. */
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

/* With preemption off, as all that follow up to the handlers. */
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

/* The end of a call whose return is not seen. */
static void tap_ucall_lose(struct tap_ucall *ucall, struct tap_ucall_frame *frame)
{
	static const struct pt_regs none;

	tap_call_leave(&ucall->uprobe.probe, &frame->call, &none, 0,
		       TAP_F_NO_RETURN);
}
NOKPROBE_SYMBOL(tap_ucall_lose);

/* Takes the frame that a link leads to out of those in use. */
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

/* Of calls whose stack is in use for others, or no longer in use. */
static void tap_ucall_lose_below(struct tap_ucall *ucall,
				 struct tap_ucall_task *task, unsigned long stack)
{
	while (task->open && tap_ucall_at(ucall, task->open)->stack < stack)
		tap_ucall_lose(ucall, tap_ucall_close(ucall, task, &task->open));
}
NOKPROBE_SYMBOL(tap_ucall_lose_below);

/*
 * Whether a function is entered by the jump at the end of another one that the
 * kernel follows: then it returns where the kernel put an address of its own, which
 * is the start of a page. A call has just put its own there.
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
 * Ends the calls that cannot be under way any more as a new one is entered. Those
 * with the same stack pointer are, if each jumped to the next at its end; then the
 * kernel follows as many. Else they are not.
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

/* Keeps a call that is deeper than all that the task has made so far. */
static noinline void tap_ucall_keep(struct tap_ucall *ucall, int place,
				    const struct tap_ucall_frame *call)
{
	u32 nr = tap_ucall_take(ucall);
	struct tap_ucall_frame *frame = tap_ucall_at(ucall, nr);

	if (nr && place < 0)
		place = tap_task_take(&ucall->table);
	if (!nr || place < 0) {
		if (nr)
			tap_ucall_give(ucall, nr);
		/* Not entered then: it will not be seen to return. */
		this_cpu_dec(ucall->uprobe.probe.counters->entered);
		atomic_long_inc(&ucall->missed);
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

/* The stack pointer as it was at the entry of a call that returns. */
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

/* The current task has a new program: it will not return to the old one. */
static void tap_ucall_exec(void *data)
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

/* The current task ends. */
static void tap_ucall_exit(void *data)
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

/* Frames of the pool, that with the number 0, and those of the CPUs. */
static size_t tap_ucall_frames(const struct tap_ucall *ucall)
{
	return 1 + ucall->calls + nr_cpu_ids;
}

/* Whether the entry asks for memory of the program. */
static bool tap_ucall_reads(const struct tap_program *prog)
{
	unsigned int i;

	for (i = 0; i < prog->entry.end; i++)
		if (prog->ops[i].code == TAP_OP_LOAD_USER ||
		    prog->ops[i].code == TAP_OP_STRING_USER ||
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
	/* A task that has a place has a frame. */
	tap_task_table_size(&ucall->table, ucall->calls);
	/* A line's worth, so that no two tasks write to the same. */
	ucall->frame_size = L1_CACHE_ALIGN(size);
	return (u64)tap_task_places(&ucall->table) *
	       (sizeof(struct task_struct *) + sizeof(*ucall->tasks)) +
	       (u64)tap_ucall_frames(ucall) * ucall->frame_size;
}

/* As that of the entries. */
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
	/* What is there is freed with the probe. */
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

/* All frames into the pool. No handler runs: the disabling waited for them. */
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

	/* Entries last: no call is followed whose end is not seen. */
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
	/* Programs may have reached the probe, and ended, before it failed. */
	tap_uprobe_sync();
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
	/* Handlers of tracepoints as those of system calls, too. */
	.feature	= TAP_FEATURE_UPROBE | TAP_FEATURE_SYSCALL,
	.maxactive	= TAP_MAX_UCALLS,
	.file		= true,
	.parse		= tap_ucall_parse,
	.pool		= tap_ucall_mem,
	.attach		= tap_ucall_attach,
	.enable		= tap_ucall_enable,
	.disable	= tap_ucall_disable,
	.sync		= tap_uprobe_sync,
	.detach		= tap_uprobe_detach,
	.free		= tap_ucall_free,
	.missed		= tap_ucall_missed,
	.maxactive_of	= tap_ucall_maxactive,
};
