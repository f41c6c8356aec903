/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's interface for breakpoints in programs has changed twice; what we
 * need to know of the returns that it follows. No shadow of linux/uprobes.h, which
 * is among the first that mm_types.h includes: before there are tasks.
 */
#ifndef _TAPMOD_COMPAT_UPROBES_H
#define _TAPMOD_COMPAT_UPROBES_H

#include <linux/err.h>
#include <linux/uprobes.h>
#include <linux/version.h>

/*
 * Since 6.13 handlers are given a word that lasts from entry to return. A consumer
 * with both handlers is noted for that with each return that a task waits for. Of
 * returns that had more than one such note, and are used again with fewer, fork()
 * gives the child the very same memory, which both of them free then. So we have no
 * such consumer there: entries and returns have one each.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#define TAP_UPROBE_SPLIT	true
#define TAP_UPROBE_PARAMS						\
	(struct uprobe_consumer *uc, struct pt_regs *regs, __u64 *data)
#define TAP_UPROBE_ARGS		(uc, regs, data)
#define TAP_URETPROBE_PARAMS						\
	(struct uprobe_consumer *uc, unsigned long func,		\
	 struct pt_regs *regs, __u64 *data)
#define TAP_URETPROBE_ARGS	(uc, func, regs, data)
#else
#define TAP_UPROBE_SPLIT	false
#define TAP_UPROBE_PARAMS						\
	(struct uprobe_consumer *uc, struct pt_regs *regs)
#define TAP_UPROBE_ARGS		(uc, regs)
#define TAP_URETPROBE_PARAMS						\
	(struct uprobe_consumer *uc, unsigned long func,		\
	 struct pt_regs *regs)
#define TAP_URETPROBE_ARGS	(uc, func, regs)
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#define TAP_UPROBE_FILTER_PARAMS					\
	(struct uprobe_consumer *uc, struct mm_struct *mm)

static inline struct uprobe *
tap_uprobe_register(struct inode *inode, loff_t offset, loff_t semaphore,
		    struct uprobe_consumer *uc)
{
	return uprobe_register(inode, offset, semaphore, uc);
}

/* Handlers that had begun may still run, until uprobe_unregister_sync(). */
static inline void
tap_uprobe_unregister(struct uprobe *uprobe, struct inode *inode, loff_t offset,
		      struct uprobe_consumer *uc)
{
	uprobe_unregister_nosync(uprobe, uc);
}
#else
#define TAP_UPROBE_FILTER_PARAMS					\
	(struct uprobe_consumer *uc, enum uprobe_filter_ctx ctx,	\
	 struct mm_struct *mm)

/* The kernel finds its own by the place. */
static inline struct uprobe *
tap_uprobe_register(struct inode *inode, loff_t offset, loff_t semaphore,
		    struct uprobe_consumer *uc)
{
	int ret = semaphore ?
		  uprobe_register_refctr(inode, offset, semaphore, uc) :
		  uprobe_register(inode, offset, uc);

	return ERR_PTR(ret);
}

static inline void
tap_uprobe_unregister(struct uprobe *uprobe, struct inode *inode, loff_t offset,
		      struct uprobe_consumer *uc)
{
	uprobe_unregister(inode, offset, uc);
}

/* Each of them has waited. */
static inline void uprobe_unregister_sync(void)
{
}
#endif

/**
 * tap_uretprobe_follows() - whether the kernel will see the return of the call
 *	that is being entered
 * @utask: the task's own; in an entry handler
 *
 * The kernel looks at the same number behind the handler.
 */
static __always_inline bool
tap_uretprobe_follows(const struct uprobe_task *utask)
{
	return utask->depth < MAX_URETPROBE_DEPTH;
}

/**
 * tap_uretprobe_count() - calls of a function that the kernel waits for to return
 * @utask: the task's own; in an entry handler
 * @func: where the function begins
 * @stack: the stack pointer at their entry
 *
 * Only the task itself changes its list, behind the handler. Several calls have
 * the same stack pointer if they are made by jumps, at their end.
 */
static inline unsigned int
tap_uretprobe_count(const struct uprobe_task *utask, unsigned long func,
		    unsigned long stack)
{
	const struct return_instance *ri;
	unsigned int nr = 0;

	for (ri = utask->return_instances; ri && ri->stack <= stack; ri = ri->next)
		nr += ri->stack == stack && ri->func == func;
	return nr;
}

#endif /* _TAPMOD_COMPAT_UPROBES_H */
