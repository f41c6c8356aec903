// SPDX-License-Identifier: GPL-2.0
/*
 * Groups of func probes: they share an ftrace_ops, so that they are armed and disarmed in
 * one step.
 *
 * Each registration and each unregistration of an ftrace_ops changes the kernel's code and
 * waits for all tasks: a thousand of them take minutes. So only the first few probes of a
 * session are armed alone, which makes their events cheaper: ftrace calls their handlers
 * directly. The others are armed in groups. A hash table by address gives the handlers.
 *
 * Probes may enter and leave a group while it is armed. A slot of the table keeps its address
 * for the life of the group, so a search needs no lock. A group whose table is full is
 * followed by one of twice its size.
 *
 * Usually the table has one address of a hash value, and one probe there. Then the entry of
 * the hash value leads to this probe's handler, and the callback jumps there without a look
 * at the address: ftrace calls it only for addresses that the filter has or had, and each of
 * these has a slot. Else the entry leads to tap_func_group_search() or tap_func_group_all().
 */
#include <linux/bitmap.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "core/session.h"
#include "probes/ftrace_func.h"
#include "probes/ftrace_func_group.h"
#include "probes/kprobe_common.h"

/* Functions for which a group has room at least. */
#define TAP_FUNC_GROUP_MIN	64

/* Slots of a table for each function that it has room for: few share a hash value. */
#define TAP_FUNC_SPARSE		4

/**
 * struct tap_func_slot - the entry of a hash value, and a slot of the table
 * @hot: where events go whose address has this hash value. Events read it without a lock
 * @ip: address that ftrace reports; 0: the slot was never used. Set once, behind the slot's
 *	target
 *
 * The two have nothing to do with each other: they are adjacent because a hash value is a
 * distance in bytes, and function addresses differ in the bits above these 16 bytes.
 */
struct tap_func_slot {
	struct tap_func_target *hot;
	unsigned long ip;
};

/**
 * struct tap_func_group - probes of a session that are armed together
 * @ops: registered while the group is in tap_func_groups
 * @mask: of an address: address & mask is the distance of its entry from @slots in bytes
 * @link: in tap_func_groups, or in a list of groups to be freed
 * @session: its owner
 * @nr: slots with a probe
 * @used: slots in use, at most 1 of TAP_FUNC_SPARSE, so that a search ends at an unused one
 * @stale: the filter of @ops has addresses without a probe
 * @filtered: for each slot whether the filter has its address; of several slots with one
 *	address one has the bit
 * @search: leads to tap_func_group_search()
 * @all: leads to tap_func_group_all()
 * @targets: for each slot the probe's target, or &tap_func_none after the probe has left.
 *	Events read it without a lock
 * @slots: hash table by address with linear probing. Events read it without a lock
 *
 * tap_funcs_lock protects all but what events read.
 */
struct tap_func_group {
	struct ftrace_ops ops;
	unsigned long mask;
	struct list_head link;
	const struct tapmod_session *session;
	unsigned int nr;
	unsigned int used;
	bool stale;
	unsigned long *filtered;
	struct tap_func_target search;
	struct tap_func_target all;
	struct tap_func_target **targets;
	struct tap_func_slot slots[];
};

static LIST_HEAD(tap_func_groups);

static void tap_func_group_none(unsigned long ip, unsigned long parent,
				struct tap_func_target *target, struct ftrace_regs *fregs)
{
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(tap_func_group_none);

static struct tap_func_target tap_func_none = { .handler = tap_func_group_none };

/* The entry of an address's hash value. In bytes: an index would be shifted, and back. */
static __always_inline struct tap_func_slot *
tap_func_group_entry(struct tap_func_group *group, unsigned long ip)
{
	return (void *)group->slots + (ip & group->mask);
}

static __always_inline unsigned long
tap_func_group_hash(const struct tap_func_group *group, unsigned long ip)
{
	return (ip & group->mask) / sizeof(struct tap_func_slot);
}

static __always_inline unsigned long
tap_func_group_next(const struct tap_func_group *group, unsigned long i)
{
	return (i + 1) & group->mask / sizeof(struct tap_func_slot);
}

static __always_inline unsigned long
tap_func_group_ip(const struct tap_func_group *group, unsigned long i)
{
	/* Pairs with tap_func_group_place(): the slot's target is loaded after its address. */
	return smp_load_acquire(&group->slots[i].ip);
}

/* Each slot in which @_ip may be. */
#define tap_func_group_each(group, i, here, _ip)				\
	for (i = tap_func_group_hash(group, _ip);				\
	     (here = tap_func_group_ip(group, i));			\
	     i = tap_func_group_next(group, i))

/* Calls the handlers of all probes at a function. */
static void tap_func_group_all(unsigned long ip, unsigned long parent,
			       struct tap_func_target *target, struct ftrace_regs *fregs)
{
	struct tap_func_group *group = container_of(target, struct tap_func_group, all);
	struct tap_func_target *to;
	unsigned long i, here;

	tap_func_group_each(group, i, here, ip) {
		if (here != ip)
			continue;
		/* The handler turns it on. */
		preempt_disable_notrace();
		to = READ_ONCE(group->targets[i]);
		to->handler(ip, 0, to, fregs);
	}
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(tap_func_group_all);

/* Calls the handler of the only probe at a function, which shares its hash value. */
static void tap_func_group_search(unsigned long ip, unsigned long parent,
				  struct tap_func_target *target, struct ftrace_regs *fregs)
{
	struct tap_func_group *group = container_of(target, struct tap_func_group, search);
	struct tap_func_target *to;
	unsigned long i, here;

	tap_func_group_each(group, i, here, ip)
		if (here == ip) {
			to = READ_ONCE(group->targets[i]);
			return to->handler(ip, 0, to, fregs);
		}
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(tap_func_group_search);

/*
 * ftrace calls this at the entry of a function. Preemption is off before the target is
 * read: after tap_func_group_leave(), TAP_SYNC_KPROBE waits for it. It calls nothing but
 * handlers, which guard themselves against recursion, so it may run anywhere.
 */
static void notrace tap_func_group_event(unsigned long ip, unsigned long parent,
					 struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct tap_func_group *group = container_of(ops, struct tap_func_group, ops);
	struct tap_func_target *to;

	preempt_disable_notrace();
	/*
	 * READ_ONCE() would keep the compiler from computing the address in the load itself. It
	 * does not know the value, so it cannot load it again.
	 */
	to = data_race(tap_func_group_entry(group, ip)->hot);
	OPTIMIZER_HIDE_VAR(to);
	to->handler(ip, parent, to, fregs);
}
NOKPROBE_SYMBOL(tap_func_group_event);

static unsigned long tap_func_group_slots(const struct tap_func_group *group)
{
	return group->mask / sizeof(struct tap_func_slot) + 1;
}

/* Frees a group that ftrace does not know. */
static void tap_func_group_drop(struct tap_func_group *group)
{
	kvfree(group->filtered);
	kvfree(group->targets);
	kvfree(group);
}

static struct tap_func_group *tap_func_group_make(const struct tapmod_session *session,
						  unsigned long nr)
{
	unsigned long slots = roundup_pow_of_two(TAP_FUNC_SPARSE * nr);
	struct tap_func_group *group = kvzalloc(struct_size(group, slots, slots),
						GFP_KERNEL_ACCOUNT);
	unsigned long i;

	BUILD_BUG_ON_NOT_POWER_OF_2(sizeof(struct tap_func_slot));
	if (!group)
		return NULL;
	group->filtered = kvcalloc(BITS_TO_LONGS(slots), sizeof(long), GFP_KERNEL_ACCOUNT);
	group->targets = kvcalloc(slots, sizeof(*group->targets), GFP_KERNEL_ACCOUNT);
	if (!group->filtered || !group->targets) {
		tap_func_group_drop(group);
		return NULL;
	}
	for (i = 0; i < slots; i++) {
		group->slots[i].hot = &tap_func_none;
		group->targets[i] = &tap_func_none;
	}
	group->search.handler = tap_func_group_search;
	group->all.handler = tap_func_group_all;
	group->session = session;
	group->mask = (slots - 1) * sizeof(struct tap_func_slot);
	group->ops.func = tap_ftrace_func(tap_func_group_event);
	/* PERMANENT: kernel.ftrace_enabled cannot be set to 0, which would lose events silently. */
	group->ops.flags = FTRACE_OPS_FL_PERMANENT | TAP_FTRACE_FLAGS;
	return group;
}

static void tap_func_group_free(struct tap_func_group *group)
{
	/* Waits for all handlers. If it fails, the group is leaked. */
	if (group->ops.flags & FTRACE_OPS_FL_ENABLED &&
	    tap_ftrace_unregister(&group->ops))
		return;
	ftrace_free_filter(&group->ops);
	tap_func_group_drop(group);
}

/* Puts a probe into the slot of a probe that has left the address, or into an unused one. */
static void tap_func_group_place(struct tap_func_group *group, unsigned long ip,
				 struct tap_func_target *target)
{
	unsigned long i, here;

	tap_func_group_each(group, i, here, ip)
		if (here == ip && group->targets[i] == &tap_func_none)
			break;
	group->used += !here;
	WRITE_ONCE(group->targets[i], target);
	/* Pairs with tap_func_group_ip(). */
	smp_store_release(&group->slots[i].ip, ip);
}

/*
 * Where events go whose address has a hash value, after a probe was put there. Once it is
 * not the probe itself, it stays so: an event of an address that was left may be under way.
 */
static struct tap_func_target *
tap_func_group_lead(struct tap_func_group *group, unsigned long ip,
		    struct tap_func_target *target)
{
	unsigned long hash = tap_func_group_hash(group, ip), i, here;
	struct tap_func_target *to = group->slots[hash].hot;

	if (to == &group->all)
		return to;
	to = target;
	tap_func_group_each(group, i, here, ip) {
		if (here == ip && group->targets[i] != &tap_func_none &&
		    group->targets[i] != target)
			return &group->all;
		if (here != ip && tap_func_group_hash(group, here) == hash)
			to = &group->search;
	}
	return to;
}

/* Puts a probe into the table. Returns whether the filter lacks the address. */
static bool tap_func_group_put(struct tap_func_group *group, struct tap_func *func,
			       unsigned long ip)
{
	unsigned long first = ULONG_MAX, i, here;
	bool filtered = false;

	tap_func_group_place(group, ip, &func->target);
	tap_func_group_each(group, i, here, ip) {
		if (here != ip)
			continue;
		first = min(first, i);
		filtered |= test_bit(i, group->filtered);
	}
	/* Behind the slot, which the new target may search. */
	smp_store_release(&tap_func_group_entry(group, ip)->hot,
			  tap_func_group_lead(group, ip, &func->target));
	group->nr++;
	if (!filtered)
		__set_bit(first, group->filtered);
	return !filtered;
}

/* The filter does not have the address after all. */
static void tap_func_group_unfilter(struct tap_func_group *group, unsigned long ip)
{
	unsigned long i, here;

	tap_func_group_each(group, i, here, ip)
		if (here == ip)
			__clear_bit(i, group->filtered);
}

/* Whether the table has a probe at an address. */
static bool tap_func_group_live(struct tap_func_group *group, unsigned long ip)
{
	unsigned long i, here;

	tap_func_group_each(group, i, here, ip)
		if (here == ip && group->targets[i] != &tap_func_none)
			return true;
	return false;
}

/**
 * tap_func_group_remove() - let no further event of a function of a probe start
 * @func: armed in a group
 * @addr: one of its functions
 *
 * tap_func_groups_update() must follow; the caller waits for the handlers: TAP_SYNC_KPROBE.
 *
 * Context: process, under tap_funcs_lock.
 */
void tap_func_group_remove(struct tap_func *func, unsigned long addr)
{
	struct tap_func_group *group = func->group;
	struct tap_func_slot *slot = tap_func_group_entry(group, addr);
	unsigned long i, here;

	tap_func_group_each(group, i, here, addr) {
		if (here != addr || group->targets[i] != &func->target)
			continue;
		WRITE_ONCE(group->targets[i], &tap_func_none);
		/* Then it leads to this probe for no other function. */
		if (slot->hot == &func->target)
			WRITE_ONCE(slot->hot, &tap_func_none);
		group->nr--;
		group->stale = true;
		break;
	}
}

/**
 * tap_func_group_leave() - as tap_func_group_remove(), for all functions of a probe
 * @func: armed in a group; has none afterwards
 */
void tap_func_group_leave(struct tap_func *func)
{
	unsigned int i;

	for (i = 0; i < func->nr; i++)
		tap_func_group_remove(func, func->addrs[i]);
	func->group = NULL;
}

/* The group of a session that has room for @nr functions, or a new one, with no link. */
static struct tap_func_group *tap_func_group_for(const struct tapmod_session *session,
						 unsigned long nr)
{
	unsigned long room = max_t(unsigned long, nr, TAP_FUNC_GROUP_MIN);
	struct tap_func_group *group;

	list_for_each_entry(group, &tap_func_groups, link) {
		if (group->session != session)
			continue;
		/* Where addresses are added one by one, each is a step of its own. */
		if (TAP_FUNC_SPARSE * (group->used + nr) <= tap_func_group_slots(group) &&
		    (TAP_FTRACE_FILTERS_MANY || nr == 1))
			return group;
		room = max(room, 2 * tap_func_group_slots(group) / TAP_FUNC_SPARSE);
	}
	group = tap_func_group_make(session, room);
	if (group)
		INIT_LIST_HEAD(&group->link);
	return group;
}

/**
 * tap_func_group_arm() - arm probes together
 * @session: their session
 * @funcs: probes linked by @pending. Those that are armed already are skipped; the others
 *	have @exact
 *
 * Context: process, may sleep, under tap_funcs_lock.
 * Return: 0 or -errno; then no further one is armed.
 */
int tap_func_group_arm(struct tapmod_session *session, struct list_head *funcs)
{
	struct tap_func_group *group;
	unsigned long nr = 0, add = 0;
	struct tap_func *func;
	unsigned long *ips;
	unsigned int i;
	bool armed;
	int ret = 0;

	list_for_each_entry(func, funcs, pending)
		nr += func->armed ? 0 : func->nr;
	if (!nr)
		return 0;
	ips = kvmalloc_array(nr, sizeof(*ips), GFP_KERNEL_ACCOUNT);
	group = ips ? tap_func_group_for(session, nr) : NULL;
	if (!group) {
		kvfree(ips);
		return -ENOMEM;
	}
	armed = !list_empty(&group->link);
	list_for_each_entry(func, funcs, pending) {
		if (func->armed)
			continue;
		func->group = group;
		for (i = 0; i < func->nr; i++)
			if (tap_func_group_put(group, func, func->addrs[i]))
				ips[add++] = func->addrs[i];
		cond_resched();
	}
	if (add)
		ret = ftrace_set_filter_ips(&group->ops, ips, add, 0, !armed);
	if (!ret && !armed)
		ret = register_ftrace_function(&group->ops);
	if (ret) {
		list_for_each_entry(func, funcs, pending)
			if (func->group == group)
				tap_func_group_leave(func);
		while (add--)
			tap_func_group_unfilter(group, ips[add]);
	}
	kvfree(ips);
	if (ret) {
		if (!armed)
			tap_func_group_free(group);
		return ret;
	}
	if (!armed)
		list_add(&group->link, &tap_func_groups);
	list_for_each_entry(func, funcs, pending)
		func->armed = true;
	return 0;
}

/* Takes the addresses without a probe out of the filter. */
static void tap_func_group_update(struct tap_func_group *group)
{
	unsigned long slots = tap_func_group_slots(group), nr = 0, i;
	unsigned long *ips = kvmalloc_array(group->used, sizeof(*ips), GFP_KERNEL);

	/* Without memory they stay until the next time, and cost a look-up. */
	if (!ips)
		return;
	for_each_set_bit(i, group->filtered, slots) {
		if (tap_func_group_live(group, group->slots[i].ip))
			continue;
		ips[nr++] = group->slots[i].ip;
		__clear_bit(i, group->filtered);
	}
	group->stale = false;
	/* Fails as a whole if one is in a module that is unloaded: ftrace has removed it then. */
	if (nr && ftrace_set_filter_ips(&group->ops, ips, nr, 1, 0))
		while (nr--)
			ftrace_set_filter_ip(&group->ops, ips[nr], 1, 0);
	kvfree(ips);
}

/**
 * tap_func_groups_update() - complete the removal of probes from groups
 * @session: of its groups; NULL: of those of all sessions
 * @empty: gets the groups that have no probe left, for tap_func_groups_free()
 *
 * The filter of each group that probes have left is set once. ftrace takes an empty filter
 * for "all functions": a group without a probe keeps its filter, and is to be unregistered.
 *
 * Context: process, may sleep, under tap_funcs_lock.
 */
void tap_func_groups_update(const struct tapmod_session *session, struct list_head *empty)
{
	struct tap_func_group *group, *next;

	list_for_each_entry_safe(group, next, &tap_func_groups, link) {
		if (!group->stale || (session && group->session != session))
			continue;
		if (group->nr)
			tap_func_group_update(group);
		else
			list_move(&group->link, empty);
	}
}

/**
 * tap_func_groups_free() - unregister and free groups
 * @empty: from tap_func_groups_update()
 *
 * Not under tap_funcs_lock: modules that are loaded need not wait for our lock meanwhile.
 * When it returns, no handler of the groups runs.
 *
 * Context: process, may sleep.
 */
void tap_func_groups_free(struct list_head *empty)
{
	struct tap_func_group *group, *next;

	list_for_each_entry_safe(group, next, empty, link)
		tap_func_group_free(group);
}
