/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The uprobes interface, which changed in 6.12 and 6.13, and the return instances of a
 * task. This file does not shadow linux/uprobes.h: mm_types.h includes that one before
 * struct task_struct is defined.
 */
#ifndef _TAPMOD_COMPAT_UPROBES_H
#define _TAPMOD_COMPAT_UPROBES_H

#include <linux/err.h>
#include <linux/uprobes.h>
#include <linux/version.h>

/*
 * Since 6.13 a consumer's handlers get a word of data that lasts from entry to return. For
 * each consumer that has both handlers, the kernel stores this word in the return
 * instance; from the second one on in an extra array. A return instance is reused with
 * its array. If fewer consumers use it then, fork() copies the pointer to the array
 * without the array, and parent and child both free it. So with TAP_UPROBE_SPLIT no
 * consumer of ours has both handlers: entries and returns have a consumer each.
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

/* Handlers may still run until uprobe_unregister_sync() returns. */
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

/* Returns NULL or an error: these kernels find the uprobe by inode and offset. */
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

/* uprobe_unregister() has waited for the handlers. */
static inline void uprobe_unregister_sync(void)
{
}
#endif

/**
 * tap_uretprobe_follows() - whether the kernel will report the return of the call that is
 *	being entered
 * @utask: current->utask
 *
 * The kernel tests the same depth after the entry handler returns.
 *
 * Context: entry handler of a uprobe.
 */
static __always_inline bool
tap_uretprobe_follows(const struct uprobe_task *utask)
{
	return utask->depth < MAX_URETPROBE_DEPTH;
}

/**
 * tap_uretprobe_count() - how many calls in flight of a function have a stack pointer
 * @utask: current->utask
 * @func: address of the function's first instruction
 * @stack: stack pointer at the entry of the calls
 *
 * Several calls have the same stack pointer if each ends with a jump to the next (a tail
 * call). Only the task itself changes its list, and not before the handler returns, so
 * no lock is needed.
 *
 * Context: entry handler of a uprobe.
 * Return: number of return instances of @func and @stack.
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
