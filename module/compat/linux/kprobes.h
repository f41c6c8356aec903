/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Internals of kprobes and kretprobes, which depend on the kernel's version and
 * configuration.
 *
 * "Open calls" are the calls with a kretprobe that have not returned. Each is a struct
 * kretprobe_instance, or a struct rethook_node with CONFIG_KRETPROBE_ON_RETHOOK.
 */
#ifndef _TAP_COMPAT_LINUX_KPROBES_H
#define _TAP_COMPAT_LINUX_KPROBES_H

#include_next <linux/kprobes.h>
#include <linux/cpumask.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/version.h>

/* So many open calls of a task are looked at to find one around another one. */
#define TAP_MAX_NESTED	32

/* Whether an address is on the stack of the current task, not on one of interrupts. */
static __always_inline bool tap_on_task_stack(unsigned long at)
{
	return at - (unsigned long)task_stack_page(current) < THREAD_SIZE;
}

/*
 * An instance may outlive the registration of its kretprobe; then get_kretprobe() returns
 * NULL. A rethook keeps its pointer to the kretprobe, and calls no handler after that.
 */
#define TAP_KRETPROBE_LEAVES	!IS_ENABLED(CONFIG_KRETPROBE_ON_RETHOOK)

/* At a return the kernel calls rethook->handler, which we may replace by our own. */
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
 * The pool of a kretprobe can be enlarged. From 5.11 on without rethooks it cannot: a
 * returning call puts its instance into the pool that the kretprobe has at that moment,
 * and that pool must hold only instances that were allocated with it.
 */
#define TAP_KRETPROBE_GROWS						\
	(IS_ENABLED(CONFIG_KRETPROBE_ON_RETHOOK) ||			\
	 LINUX_VERSION_CODE < KERNEL_VERSION(5, 11, 0))

/*
 * Before 5.11 the open calls of all tasks are in one hash table, in which several tasks
 * share a list. The kernel holds the list's lock while it runs a return handler. The lock
 * is not exported, so only a return handler may walk the list.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 11, 0)
#define TAP_KRETPROBE_TABLE	1

/* The link of an open call in the list that it is in. */
#define tap_open_call	hlist_node

static __always_inline struct kretprobe *get_kretprobe(struct kretprobe_instance *ri)
{
	return READ_ONCE(ri->rp);
}

/* In a return handler: the next older open call, perhaps of another task; or NULL. */
static __always_inline struct hlist_node *
tap_kretprobe_outer(const struct kretprobe_instance *ri)
{
	return ri->hlist.next;
}

/* An entry handler must not walk the list; so these kernels have no funcgraph. */
static __always_inline struct hlist_node *tap_kretprobe_open(void)
{
	return NULL;
}

/* As below; calls of other tasks on the list do not count. */
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

/* As below. */
static __always_inline struct kretprobe *
tap_kretprobe_around(const struct kretprobe_instance *ri, const struct hlist_node *node)
{
	struct kretprobe_instance *other = container_of(node, struct kretprobe_instance, hlist);

	if (other->task != current || tap_on_task_stack((unsigned long)other->fp) !=
	    tap_on_task_stack((unsigned long)ri->fp))
		return NULL;
	return get_kretprobe(other);
}

#else
#define TAP_KRETPROBE_TABLE	0

#define tap_open_call	llist_node

/*
 * In a return handler: the next older open call of the task, of any function; or NULL.
 * Before 5.16 the kernel removes the instances of a call from the task's list before it
 * calls their handlers. A vendor's kernel may do so later, with the code of 5.16; then the
 * first instance of the list is of the same call, and has its frame pointer.
 */
static __always_inline struct llist_node *
tap_kretprobe_outer(const struct kretprobe_instance *ri)
{
#if defined(CONFIG_KRETPROBE_ON_RETHOOK)
	return ri->node.llist.next;
#elif LINUX_VERSION_CODE < KERNEL_VERSION(5, 16, 0)
	struct llist_node *first = current->kretprobe_instances.first;

	if (first &&
	    container_of(first, struct kretprobe_instance, llist)->fp == ri->fp)
		return ri->llist.next;
	return first;
#else
	return ri->llist.next;
#endif
}

/* The youngest open call of the task. A call whose entry handler runs is not listed yet. */
static __always_inline struct llist_node *tap_kretprobe_open(void)
{
#ifdef CONFIG_KRETPROBE_ON_RETHOOK
	return current->rethooks.first;
#else
	return current->kretprobe_instances.first;
#endif
}

/**
 * tap_kretprobe_nested() - whether a call is inside another call of the same function
 * @ri: the kernel's instance of the inner call
 * @node: in the return handler tap_kretprobe_outer(); in the entry handler
 *	tap_kretprobe_open()
 *
 * Only the task itself and interrupts of it change its list of open calls, and an
 * interrupt leaves the list as it found it. So no lock is needed, and the calls behind
 * this one are those that were open at its entry.
 *
 * Context: entry or return handler of @ri.
 * Return: true if one of the %TAP_MAX_NESTED next outer calls has the same kretprobe.
 */
static __always_inline bool
tap_kretprobe_nested(struct kretprobe_instance *ri, const struct llist_node *node)
{
	unsigned int left = TAP_MAX_NESTED;

	for (; node && left--; node = node->next) {
#ifdef CONFIG_KRETPROBE_ON_RETHOOK
		/* Compare data: tap_kretprobe_exchange() gives a kretprobe several rethooks. */
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

/**
 * tap_kretprobe_around() - the kretprobe of an open call around another one
 * @ri: the kernel's instance of the inner call
 * @node: tap_kretprobe_outer(), or one behind it
 *
 * An interrupt has a stack of its own: what it interrupted is not around its calls.
 *
 * Context: return handler of @ri. The kretprobe stays until preemption is on again: a rethook
 * whose kretprobe leaves loses its handler first, or its data, and then a grace period passes.
 * Return: NULL if the call is on another stack, or its kretprobe was unregistered.
 */
static __always_inline struct kretprobe *
tap_kretprobe_around(const struct kretprobe_instance *ri, const struct llist_node *node)
{
#ifdef CONFIG_KRETPROBE_ON_RETHOOK
	const struct rethook_node *other = container_of(node, struct rethook_node, llist);
	struct rethook *rh = READ_ONCE(other->rethook);

	if (tap_on_task_stack(other->frame) != tap_on_task_stack(ri->node.frame) ||
	    !READ_ONCE(rh->handler))
		return NULL;
	return READ_ONCE(rh->data);
#else
	struct kretprobe_instance *other = container_of(node, struct kretprobe_instance, llist);

	if (tap_on_task_stack((unsigned long)other->fp) !=
	    tap_on_task_stack((unsigned long)ri->fp))
		return NULL;
	return get_kretprobe(other);
#endif
}

#endif /* TAP_KRETPROBE_TABLE */

/**
 * tap_kretprobe_exchange() - give a kretprobe the instances of another one
 * @rp: registered; calls of it may begin and end meanwhile
 * @spare: registered, disabled, of the same data_size; its own handlers are never called
 *
 * Only if %TAP_KRETPROBE_GROWS.
 *
 * With rethooks the two kretprobes exchange their pools. A call returns its instance to
 * the pool from which it came: calls that begin from now on use the new pool, and calls in
 * flight end in the old one, which belongs to @spare now and still points to @rp. So
 * @spare must stay registered until @rp is unregistered. With one table (before 5.11) all
 * free instances of @spare are added to those of @rp.
 *
 * Context: process; the caller serializes changes of @rp.
 */
static inline void tap_kretprobe_exchange(struct kretprobe *rp,
					  struct kretprobe *spare)
{
#ifdef CONFIG_KRETPROBE_ON_RETHOOK
	struct rethook *had = rp->rh;

	spare->rh->data = rp;
	/* A kprobe batch may have replaced the handler. */
	rcu_assign_pointer(spare->rh->handler, rcu_access_pointer(had->handler));
	/* Pairs with the address dependency of an entry that loads rp->rh. */
	smp_store_release(&rp->rh, spare->rh);
	spare->rh = had;
#elif TAP_KRETPROBE_TABLE
	struct kretprobe_instance *ri;
	struct hlist_node *next;
	unsigned long flags;

	/* An instance points to its kretprobe, so it can move from one free list to another. */
	raw_spin_lock_irqsave(&rp->lock, flags);
	hlist_for_each_entry_safe(ri, next, &spare->free_instances, hlist) {
		hlist_del(&ri->hlist);
		ri->rp = rp;
		hlist_add_head(&ri->hlist, &rp->free_instances);
	}
	raw_spin_unlock_irqrestore(&rp->lock, flags);
#endif
}

/*
 * Whether stack walks meet the trampoline. The unwinder of x86 finds the original return address
 * since 5.16; arm64 has no rethooks, and its stacks are walked here.
 */
#if !defined(CONFIG_KRETPROBE_ON_RETHOOK) &&				\
	(!defined(CONFIG_X86_64) || LINUX_VERSION_CODE < KERNEL_VERSION(5, 16, 0))
#define TAP_STACK_HAS_TRAMPOLINE	1

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 16, 0)
#define TAP_KRETPROBE_TRAMPOLINE	"kretprobe_trampoline"
#else
#define TAP_KRETPROBE_TRAMPOLINE	"__kretprobe_trampoline"
#endif

/**
 * tap_kretprobe_trampoline() - the address to which functions with a kretprobe return
 *
 * The symbol is not exported. register_kprobe() resolves the name before it refuses to
 * probe the trampoline.
 *
 * Context: process.
 * Return: the address, or 0 if the kernel has no such symbol.
 */
static inline unsigned long tap_kretprobe_trampoline(void)
{
	struct kprobe kp = {
		.symbol_name	= TAP_KRETPROBE_TRAMPOLINE,
		.flags		= KPROBE_FLAG_DISABLED,
	};

	if (!register_kprobe(&kp))
		unregister_kprobe(&kp);
	return (unsigned long)kp.addr;
}

#else
#define TAP_STACK_HAS_TRAMPOLINE	0

static inline unsigned long tap_kretprobe_trampoline(void)
{
	return 0;
}

#endif

#if !defined(CONFIG_KRETPROBE_ON_RETHOOK) && !TAP_KRETPROBE_TABLE

/**
 * tap_kretprobe_return() - the original return address of a function with kretprobes
 * @node: the newest open call to look at; moves behind the call that was found
 * @fp: frame pointer of the function's caller
 * @trampoline: tap_kretprobe_trampoline()
 *
 * If a function has several kretprobes, only the instance of the first has the original
 * return address; the others have the trampoline.
 *
 * Context: any, preemption off; @node is on the current task's list.
 * Return: the address; @trampoline if no call has @fp.
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
 * tap_kretprobe_returned() - set the instruction pointer at a return to the return address
 * @ri: the kernel's instance of the call
 * @regs: registers that the return handler got; the kernel does not read their
 *	instruction pointer again
 *
 * Before 5.16 it is the kretprobe trampoline, from which no stack can be unwound. Each of
 * several kretprobes of a function gets the address of the caller.
 *
 * Context: return handler of @ri.
 */
static __always_inline void
tap_kretprobe_returned(const struct kretprobe_instance *ri, struct pt_regs *regs)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 16, 0) && !defined(CONFIG_KRETPROBE_ON_RETHOOK)
	instruction_pointer_set(regs, (unsigned long)ri->ret_addr);
#endif
}

/**
 * tap_kretprobe_pool() - memory that the kernel takes for the instances of a kretprobe
 * @calls: its maxactive
 * @data_size: its data_size
 *
 * Since 6.7 they are in an objpool. That has for each possible CPU a whole number of pages, with
 * pointers to all instances and with the CPU's share of the instances.
 *
 * Return: bytes.
 */
static inline u64 tap_kretprobe_pool(u32 calls, size_t data_size)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
	const u64 index = 16 + 8 * (u64)roundup_pow_of_two(calls);
	const u64 one = ALIGN(sizeof(struct kretprobe_instance) + data_size, sizeof(long));
	const u32 cpus = num_possible_cpus(), each = calls / cpus, more = calls % cpus;

	return more * PAGE_ALIGN(index + one * (each + 1)) +
	       (cpus - more) * PAGE_ALIGN(index + one * each);
#else
	/* An allocation each, rounded up by the allocator. */
	return calls * (128ULL + data_size);
#endif
}

/*
 * Many kretprobes can use the instances of one, see probes/return_pool.c. It pays since 6.7, when
 * each got an objpool.
 */
#define TAP_KRETPROBE_SHARES						\
	(IS_ENABLED(CONFIG_KRETPROBE_ON_RETHOOK) &&			\
	 LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0))

#if TAP_KRETPROBE_SHARES
/* A function for which register_kretprobe() is refused, and register_kprobe() is not. */
#define TAP_KRETPROBE_REFUSED	"__switch_to"

/**
 * tap_kretprobe_nodes() - the instances of a kretprobe
 * @rp: registered, disabled; no call was ever followed with its instances
 * @nodes: gets a pointer to each
 * @nr: room in @nodes
 *
 * An unused objpool has all of its objects in the slots of the CPUs, from the first entry on.
 *
 * Context: process.
 * Return: the number of instances, not more than @nr.
 */
static inline unsigned int tap_kretprobe_nodes(const struct kretprobe *rp,
					       struct rethook_node **nodes, unsigned int nr)
{
	const struct objpool_slot *slot;
	unsigned int i, got = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		slot = rp->rh->pool.cpu_slots[cpu];
		for (i = 0; i < slot->tail && got < nr; i++)
			nodes[got++] = slot->entries[i];
	}
	return got;
}

/**
 * tap_rethook_like() - make a rethook whose instances are those of another one
 * @rh: not in use
 * @of: rethook of a registered kretprobe, which must outlive all uses of @rh
 * @data: data of @rh
 * @handler: handler of @rh; it must never be NULL, which would free instances
 *
 * What a pop and a push read of an objpool does not change after it was made. So both may use
 * the copy.
 */
static inline void tap_rethook_like(struct rethook *rh, const struct rethook *of, void *data,
				    rethook_handler_t handler)
{
	rh->data = data;
	rh->pool = of->pool;
	RCU_INIT_POINTER(rh->handler, handler);
}
#endif /* TAP_KRETPROBE_SHARES */

/*
 * A kprobe may fire where RCU is not watching: before 6.3 the idle loop calls traceable
 * functions there (arch_cpu_idle).
 */
#define TAP_KPROBE_UNWATCHED	(LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0))

/**
 * tap_kprobe_trap_count() - what a kprobe's trap added to the preempt count
 *
 * On x86 a breakpoint adds what an NMI adds; a kprobe that was optimized to a jump adds
 * nothing. A handler cannot find out which it was, so an NMI in the count is taken for the
 * trap's own. Not exact: an optimized kprobe in the code of a real NMI is reported in the
 * context that the NMI interrupted.
 *
 * Context: kprobe handler.
 * Return: the number to subtract from preempt_count().
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
