/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What we need to know of the insides of kprobes, and in which kernel and on
 * which machine they are how.
 */
#ifndef _TAP_COMPAT_LINUX_KPROBES_H
#define _TAP_COMPAT_LINUX_KPROBES_H

#include_next <linux/kprobes.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/version.h>

/* Return probes open in one task that tap_kretprobe_nested() looks through. */
#define TAP_MAX_NESTED	32

/*
 * Whether an instance may outlive its kretprobe's registration: then who asks for
 * that is given NULL. A rethook keeps it for ever, and calls no handler any more.
 */
#define TAP_KRETPROBE_LEAVES	!IS_ENABLED(CONFIG_KRETPROBE_ON_RETHOOK)

/*
 * Whether the kernel calls the function that a kretprobe's rethook names at a return: then
 * that may be ours.
 */
#define TAP_KRETPROBE_HOOKS	IS_ENABLED(CONFIG_KRETPROBE_ON_RETHOOK)

#ifdef CONFIG_KRETPROBE_ON_RETHOOK
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
#define TAP_RETHOOK_PARAMS						\
	(struct rethook_node *node, void *data, struct pt_regs *regs)
#else
#define TAP_RETHOOK_PARAMS						\
	(struct rethook_node *node, void *data, unsigned long from,	\
	 struct pt_regs *regs)
#endif
#endif

/*
 * Whether a kretprobe can be given more room for calls under way: not from 5.11 on
 * without rethooks, where a call leaves its room to the pool that its kretprobe has
 * by then, which is made for its own alone.
 */
#define TAP_KRETPROBE_GROWS						\
	(IS_ENABLED(CONFIG_KRETPROBE_ON_RETHOOK) ||			\
	 LINUX_VERSION_CODE < KERNEL_VERSION(5, 11, 0))

/*
 * Until 5.11 the open calls of all tasks were in one table, in which those of
 * some tasks share a list: it is locked while a return is handled, and nobody
 * else finds it.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 11, 0)
#define TAP_KRETPROBE_TABLE	1

static __always_inline struct kretprobe *get_kretprobe(struct kretprobe_instance *ri)
{
	return READ_ONCE(ri->rp);
}

/* In a return handler: the next older open call, maybe of another task; NULL: none. */
static __always_inline struct hlist_node *
tap_kretprobe_outer(const struct kretprobe_instance *ri)
{
	return ri->hlist.next;
}

/* An entry handler cannot know; so there is no funcgraph: */
static __always_inline struct hlist_node *tap_kretprobe_open(void)
{
	return NULL;
}

/* As below. */
static __always_inline bool
tap_kretprobe_nested(struct kretprobe_instance *ri, const struct hlist_node *node)
{
	const struct kretprobe_instance *other;
	unsigned int left = TAP_MAX_NESTED;

	for (; node && left; node = node->next) {
		other = container_of(node, struct kretprobe_instance, hlist);
		if (other->task != current)
			continue;
		if (other->rp == ri->rp)
			return true;
		left--;
	}
	return false;
}

#else
#define TAP_KRETPROBE_TABLE	0

/* The next older open call of the task, whatever is called; NULL: none. */
static __always_inline struct llist_node *
tap_kretprobe_outer(const struct kretprobe_instance *ri)
{
#ifdef CONFIG_KRETPROBE_ON_RETHOOK
	return ri->node.llist.next;
#else
	return ri->llist.next;
#endif
}

/* The youngest open call of the task; one whose entry handler runs is not listed yet. */
static __always_inline struct llist_node *tap_kretprobe_open(void)
{
#ifdef CONFIG_KRETPROBE_ON_RETHOOK
	return current->rethooks.first;
#else
	return current->kretprobe_instances.first;
#endif
}

/**
 * tap_kretprobe_nested() - whether a call is made inside another one
 * @ri: the kernel's instance of it
 * @node: in its return handler tap_kretprobe_outer(), since it is still listed, in
 *	its entry handler tap_kretprobe_open()
 *
 * The task's list of open calls changes only in this task, and in what
 * interrupts it, which leaves it as it found it: behind this call are those that
 * were open at its entry.
 */
static __always_inline bool
tap_kretprobe_nested(struct kretprobe_instance *ri, const struct llist_node *node)
{
	unsigned int left = TAP_MAX_NESTED;

	for (; node && left--; node = node->next) {
#ifdef CONFIG_KRETPROBE_ON_RETHOOK
		/* It may have had several, see tap_kretprobe_exchange(). */
		if (container_of(node, struct rethook_node, llist)->rethook->data ==
		    ri->node.rethook->data)
			return true;
#else
		if (get_kretprobe(container_of(node, struct kretprobe_instance,
					       llist)) == get_kretprobe(ri))
			return true;
#endif
	}
	return false;
}

#endif /* TAP_KRETPROBE_TABLE */

/**
 * tap_kretprobe_exchange() - give a kretprobe the room that another one has for calls
 * @rp: registered; calls of it may begin and end meanwhile
 * @spare: registered, disabled, of the same data_size; its own handlers are never called
 *
 * Only where %TAP_KRETPROBE_GROWS.
 *
 * A call takes its room at its entry, and leaves it where it took it: from here on
 * calls begin in the new room, and those under way end in the old one, which
 * @spare has now, and which knows @rp as before. So @spare must stay registered
 * until @rp is unregistered as well.
 *
 * Context: process.
 */
static inline void tap_kretprobe_exchange(struct kretprobe *rp,
					  struct kretprobe *spare)
{
#ifdef CONFIG_KRETPROBE_ON_RETHOOK
	struct rethook *had = rp->rh;

	spare->rh->data = rp;
	/* Which a batch may have changed. */
	rcu_assign_pointer(spare->rh->handler, rcu_access_pointer(had->handler));
	/* Who sees it sees what is in it: it depends on the address. */
	smp_store_release(&rp->rh, spare->rh);
	spare->rh = had;
#elif TAP_KRETPROBE_TABLE
	struct kretprobe_instance *ri;
	struct hlist_node *next;
	unsigned long flags;

	/* Here room is had one by one, so all of it can be added. */
	raw_spin_lock_irqsave(&rp->lock, flags);
	hlist_for_each_entry_safe(ri, next, &spare->free_instances, hlist) {
		hlist_del(&ri->hlist);
		ri->rp = rp;
		hlist_add_head(&ri->hlist, &rp->free_instances);
	}
	raw_spin_unlock_irqrestore(&rp->lock, flags);
#endif
}

#if !defined(CONFIG_KRETPROBE_ON_RETHOOK) && !TAP_KRETPROBE_TABLE

/**
 * tap_kretprobe_trampoline() - where kretprobes let functions return to instead
 *
 * It is not exported; but the kernel resolves the name of a kprobe even where
 * there can be none.
 *
 * Context: process.
 */
static inline unsigned long tap_kretprobe_trampoline(void)
{
	struct kprobe kp = {
		.symbol_name	= "__kretprobe_trampoline",
		.flags		= KPROBE_FLAG_DISABLED,
	};

	if (!register_kprobe(&kp))
		unregister_kprobe(&kp);
	return (unsigned long)kp.addr;
}

/**
 * tap_kretprobe_return() - where a function with kretprobes really returns to
 * @node: the newest open call of the task to look at; moves behind the one found
 * @fp: frame pointer of the function's caller
 * @trampoline: where it returns to instead
 *
 * Of several kretprobes of a function all but the first have the trampoline for
 * its return address as well.
 *
 * Return: @trampoline if there is no such call.
 */
static __always_inline unsigned long
tap_kretprobe_return(struct llist_node **node, unsigned long fp,
		     unsigned long trampoline)
{
	struct kretprobe_instance *ri;

	while (*node) {
		ri = container_of(*node, struct kretprobe_instance, llist);
		*node = READ_ONCE(ri->llist.next);
		if ((unsigned long)ri->fp == fp &&
		    (unsigned long)ri->ret_addr != trampoline)
			return (unsigned long)ri->ret_addr;
	}
	return trampoline;
}

#endif /* !CONFIG_KRETPROBE_ON_RETHOOK && !TAP_KRETPROBE_TABLE */

/**
 * tap_kretprobe_returned() - have the registers at a return say where to
 * @ri: the kernel's instance of the call; in its return handler
 * @regs: what that was given; the kernel does not read that register any more
 *
 * Until 5.15 they said that it was the kernel's trampoline: stacks could not be
 * taken from there. Of several kretprobes of a function each gets the caller.
 */
static __always_inline void
tap_kretprobe_returned(const struct kretprobe_instance *ri, struct pt_regs *regs)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 15, 0)
	instruction_pointer_set(regs, (unsigned long)ri->ret_addr);
#endif
}

/*
 * Whether a kprobe may fire where RCU does not watch: before 6.3 the idle loop
 * calls functions there that can be traced (arch_cpu_idle).
 */
#define TAP_KPROBE_UNWATCHED	(LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0))

/**
 * tap_kprobe_trap_count() - what a kprobe's trap added to the preempt count
 *
 * On x86 a breakpoint is handled as an NMI is, while one that was optimised to
 * a jump comes without; whether it was, only the kernel knows. So where there
 * is an NMI in the count it is taken for the trap's own: a kprobe in the code
 * of a real NMI, optimised to a jump, is reported in the context that the NMI
 * interrupted.
 */
static __always_inline unsigned int tap_kprobe_trap_count(void)
{
#ifdef CONFIG_X86
	if (preempt_count() & NMI_MASK)
		return NMI_OFFSET + HARDIRQ_OFFSET;
#endif
	return 0;
}

#endif /* _TAP_COMPAT_LINUX_KPROBES_H */
