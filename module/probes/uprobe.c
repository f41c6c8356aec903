// SPDX-License-Identifier: GPL-2.0
/*
 * uprobe, usdt, uretprobe: an instruction of a program or library, and the return of a
 * function that begins there, by uprobes.
 *
 * The kernel inserts the breakpoint into all processes that have the file mapped, and into
 * those that map it later. It calls the handlers in the context of the task with
 * preemption on. The handlers turn preemption off: the hot path must stay on its CPU. They
 * never sleep or take page faults, though they could: a reserved record would block the
 * ring of that CPU meanwhile.
 *
 * After uprobe_unregister_sync() no handler runs that was unregistered before.
 */
#include <linux/capability.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kprobes.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/tracepoint.h>

#include "compat/arch.h"
#include "exec/verifier.h"
#include "probes/probes.h"
#include "probes/uprobe.h"

/* The handler for all programs, and for probes of one process. */
static noinline int tap_uprobe_program TAP_UPROBE_PARAMS
{
	struct tap_uprobe *uprobe = uc_to_uprobe(uc);

	if (unlikely(!tap_uprobe_wanted(uprobe)))
		return tap_uprobe_unwanted(uprobe);
	preempt_disable_notrace();
	tap_event_handle(&uprobe->probe, regs, 0);
	preempt_enable_notrace();
	return 0;
}
NOKPROBE_SYMBOL(tap_uprobe_program);

/* For plain probes of all processes: tap_uprobe_shape() returns TAP_SHAPE_ANY for others. */
static __always_inline bool
tap_uprobe_record(struct tap_uprobe *uprobe, struct pt_regs *regs, int shape)
{
	bool done;

	preempt_disable_notrace();
	done = tap_event_shaped(&uprobe->probe, regs, shape, TAP_TRAP_PROGRAM,
				false);
	preempt_enable_notrace();
	return done;
}

static __always_inline bool
tap_uprobe_shaped(struct uprobe_consumer *uc, struct pt_regs *regs,
		  int shape)
{
	return tap_uprobe_record(uc_to_uprobe(uc), regs, shape);
}

TAP_FOLLOWED_HANDLERS(int, tap_uprobe, TAP_UPROBE_PARAMS, TAP_UPROBE_ARGS, uc, regs);

static noinline int tap_uretprobe_program TAP_URETPROBE_PARAMS
{
	struct tap_uprobe *uprobe = uc_to_uprobe(uc);

	if (unlikely(!tap_uprobe_wanted(uprobe)))
		return 0;
	preempt_disable_notrace();
	tap_event_handle(&uprobe->probe, regs, 0);
	preempt_enable_notrace();
	return 0;
}
NOKPROBE_SYMBOL(tap_uretprobe_program);

static __always_inline bool
tap_uretprobe_shaped(struct uprobe_consumer *uc, struct pt_regs *regs,
		     int shape)
{
	return tap_uprobe_record(uc_to_uprobe(uc), regs, shape);
}

TAP_FOLLOWED_HANDLERS(int, tap_uretprobe, TAP_URETPROBE_PARAMS, TAP_URETPROBE_ARGS,
		      uc, regs);

/* Entry handler of a uretprobe of one process: removes the breakpoint from others. */
static int tap_uretprobe_entry TAP_UPROBE_PARAMS
{
	struct tap_uprobe *uprobe = uc_to_uprobe(uc);

	return likely(tap_uprobe_wanted(uprobe)) ? 0 : tap_uprobe_unwanted(uprobe);
}
NOKPROBE_SYMBOL(tap_uretprobe_entry);

/*
 * Whether @mm is that of the probe's process, which has a @pid. The leader may have exited
 * already while other threads run, so this looks at all threads.
 */
bool tap_uprobe_is_of(const struct tap_uprobe *uprobe, const struct mm_struct *mm)
{
	const struct task_struct *leader, *task;
	bool found = false;

	rcu_read_lock();
	leader = pid_task(uprobe->pid, PIDTYPE_TGID);
	if (leader) {
		for_each_thread(leader, task) {
			found = READ_ONCE(task->mm) == mm;
			if (found)
				break;
		}
	}
	rcu_read_unlock();
	return found;
}

/*
 * The kernel calls this for each process when the probe is enabled, and when a process
 * maps the file, as execve() does.
 */
static bool tap_uprobe_filter TAP_UPROBE_FILTER_PARAMS
{
	return tap_uprobe_is_of(uc_to_uprobe(uc), mm);
}

/*
 * Handles an event of another process than the probe's; returns what the handler must.
 * fork() copies the breakpoint with the memory: the kernel removes it from the child.
 * A child of vfork() shares the memory of its parent, which must keep the breakpoint.
 */
int tap_uprobe_unwanted(struct tap_uprobe *uprobe)
{
	return tap_uprobe_is_of(uprobe, current->mm) ? 0 : UPROBE_HANDLER_REMOVE;
}
NOKPROBE_SYMBOL(tap_uprobe_unwanted);

/* Sets the process whose events are recorded; @nr 0: all. */
static int tap_uprobe_find_process(struct tap_uprobe *uprobe, u32 nr)
{
	bool found;

	if (!nr)
		return 0;
	if (nr > INT_MAX)
		return -ESRCH;
	uprobe->uc.filter = tap_uprobe_filter;
	rcu_read_lock();
	uprobe->pid = get_pid(find_pid_ns(nr, &init_pid_ns));
	found = pid_task(uprobe->pid, PIDTYPE_TGID);
	rcu_read_unlock();
	return found ? 0 : -ESRCH;
}

static int tap_uprobe_find_file(struct tap_uprobe *uprobe, struct file *file)
{
	struct inode *inode = d_real_inode(file->f_path.dentry);

	if (!(file->f_mode & FMODE_READ))
		return -EBADF;
	if (!S_ISREG(inode->i_mode) || uprobe->offset >= i_size_read(inode) ||
	    uprobe->semaphore >= i_size_read(inode))
		return -EINVAL;
	uprobe->path = file->f_path;
	path_get(&uprobe->path);
	uprobe->inode = igrab(inode);
	/* igrab() fails only for an inode that is being freed; the open file holds this one. */
	return uprobe->inode ? 0 : -EBADF;
}

/*
 * ->attach(), for a probe whose uc has its handlers. tap_uprobe_free() releases what this
 * took, also after an error.
 */
int tap_uprobe_attach(struct tapmod_probe *probe, const struct tap_create *create)
{
	struct tap_uprobe *uprobe = to_tap_uprobe(probe);
	struct file *file = fget(create->file);
	int ret;

	if (!file)
		return -EBADF;
	uprobe->offset = create->offset;
	uprobe->semaphore = create->semaphore;
	ret = tap_uprobe_find_file(uprobe, file);
	fput(file);
	return ret ?: tap_uprobe_find_process(uprobe, create->pid);
}

/* ->free(). */
void tap_uprobe_free(struct tapmod_probe *probe)
{
	struct tap_uprobe *uprobe = to_tap_uprobe(probe);

	put_pid(uprobe->pid);
	iput(uprobe->inode);
	path_put(&uprobe->path);
}

/* Registers a consumer. Returns 0 or the UAPI's -errno; then no event comes to @uc. */
int tap_uprobe_add(struct tap_uprobe *uprobe, struct uprobe_consumer *uc)
{
	struct uprobe *registered =
		tap_uprobe_register(uprobe->inode, uprobe->offset,
				    uprobe->semaphore, uc);

	if (IS_ERR(registered)) {
		int ret = PTR_ERR(registered);

		/* An instruction that uprobes cannot single-step or emulate, or do not know. */
		return ret == -ENOTSUPP || ret == -ENOEXEC ? -EADDRNOTAVAIL : ret;
	}
	uprobe->uprobe = registered;
	return 0;
}

/* Unregisters a consumer. The caller waits for its handlers: TAP_SYNC_UPROBE. */
void tap_uprobe_remove(struct tap_uprobe *uprobe, struct uprobe_consumer *uc)
{
	tap_uprobe_unregister(uprobe->uprobe, uprobe->inode, uprobe->offset, uc);
}

int tap_uprobe_enable(struct tapmod_probe *probe)
{
	struct tap_uprobe *uprobe = to_tap_uprobe(probe);

	return tap_uprobe_add(uprobe, &uprobe->uc);
}

void tap_uprobe_disable(struct tapmod_probe *probe)
{
	struct tap_uprobe *uprobe = to_tap_uprobe(probe);

	tap_uprobe_remove(uprobe, &uprobe->uc);
}

/* ->detach(): nothing to do, since tap_uprobe_free() releases the file. */
void tap_uprobe_detach(struct tapmod_probe **probes, unsigned int nr)
{
}

/* The shape of the handler: only the handlers for all programs check the process. */
static unsigned int tap_uprobe_shape(const struct tapmod_probe *probe,
				     const struct tap_create *create)
{
	return create->pid ? TAP_SHAPE_ANY : tap_probe_shape(probe);
}

static int tap_uprobe_parse(struct tapmod_probe *probe, char *target,
			    struct tap_program_env *env)
{
	env->regs = true;
	env->user = true;
	env->arg_offset = tap_arg_offset;
	return 0;
}

static int tap_uprobe_attach_event(struct tapmod_probe *probe,
				   const struct tap_create *create)
{
	to_tap_uprobe(probe)->uc.handler =
		TAP_FOLLOWED_CHOOSE(tap_uprobe, tap_uprobe_shape(probe, create));
	return tap_uprobe_attach(probe, create);
}

const struct tap_probe_ops tap_uprobe_ops = {
	.size		= sizeof(struct tap_uprobe),
	.feature	= TAP_FEATURE_UPROBE,
	.file		= true,
	.parse		= tap_uprobe_parse,
	.attach		= tap_uprobe_attach_event,
	.enable		= tap_uprobe_enable,
	.disable	= tap_uprobe_disable,
	.sync		= TAP_SYNC_UPROBE,
	.detach		= tap_uprobe_detach,
	.free		= tap_uprobe_free,
};

static int tap_uretprobe_parse(struct tapmod_probe *probe, char *target,
			       struct tap_program_env *env)
{
	env->user = true;
	env->retval = true;
	env->retval_offset = TAP_RETVAL_OFFSET;
	return 0;
}

static int tap_uretprobe_attach(struct tapmod_probe *probe,
				const struct tap_create *create)
{
	struct uprobe_consumer *uc = &to_tap_uprobe(probe)->uc;

	/* Other probes have no entry handler: it would cost time at every call. */
	if (create->pid && !TAP_UPROBE_SPLIT)
		uc->handler = tap_uretprobe_entry;
	uc->ret_handler = TAP_FOLLOWED_CHOOSE(tap_uretprobe,
					      tap_uprobe_shape(probe, create));
	return tap_uprobe_attach(probe, create);
}

const struct tap_probe_ops tap_uretprobe_ops = {
	.size		= sizeof(struct tap_uprobe),
	.feature	= TAP_FEATURE_UPROBE,
	.file		= true,
	.parse		= tap_uretprobe_parse,
	.attach		= tap_uretprobe_attach,
	.enable		= tap_uprobe_enable,
	.disable	= tap_uprobe_disable,
	.sync		= TAP_SYNC_UPROBE,
	.detach		= tap_uprobe_detach,
	.free		= tap_uprobe_free,
};
