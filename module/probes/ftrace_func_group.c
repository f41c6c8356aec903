// SPDX-License-Identifier: GPL-2.0
/*
 * Groups of func probes: they share an ftrace_ops, so that they are armed and disarmed in
 * one step.
 *
 * Each registration and each unregistration of an ftrace_ops changes the kernel's code and
 * waits for all tasks: a thousand of them take minutes. So only the first few probes of a
 * session are armed alone, which makes their events cheaper: ftrace calls their handlers
 * directly. The others are armed in groups. A hash table by address gives the probes.
 *
 * Probes may enter and leave a group while it is armed. A slot of the table keeps its
 * address for the life of the group, so a search needs no lock. A group whose table is full
 * is followed by one of twice its size.
 */
#include <linux/bitmap.h>
#include <linux/ftrace.h>
#include <linux/hash.h>
#include <linux/kprobes.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/sched.h>

#include "core/session.h"
#include "probes/ftrace_func.h"
#include "probes/kprobe_common.h"

/* Functions for which a group has room at least. */
#define TAP_FUNC_GROUP_MIN	64

/**
 * struct tap_func_entry - a slot of the hash table
 * @ip: address that ftrace reports; 0: the slot was never used. Events read it without a
 *	lock, before @func
 * @func: the probe there; NULL: it has left. Events read it without a lock
 */
struct tap_func_entry {
	unsigned long ip;
	struct tap_func *func;
};

/**
 * struct tap_func_group - probes of a session that are armed together
 * @ops: registered while the group is in tap_func_groups
 * @link: in tap_func_groups, or in a list of groups to be freed
 * @session: its owner
 * @nr: slots with a probe
 * @used: slots with an address, at most half of all, so that a search ends at an unused one
 * @bits: log2 of the number of @entries
 * @stale: the filter of @ops has addresses without a probe
 * @filtered: for each slot whether the filter has its address; of several slots with one
 *	address one has the bit
 * @entries: hash table by @ip with linear probing
 *
 * tap_funcs_lock protects all but what events read.
 */
struct tap_func_group {
	struct ftrace_ops ops;
	struct list_head link;
	const struct tapmod_session *session;
	unsigned int nr;
	unsigned int used;
	unsigned int bits;
	bool stale;
	unsigned long *filtered;
	struct tap_func_entry entries[];
};

static LIST_HEAD(tap_func_groups);

/* The acquire pairs with tap_func_group_put(). */
#define tap_func_group_each(group, entry, _ip)					\
	for (entry = &(group)->entries[hash_long(_ip, (group)->bits)];		\
	     smp_load_acquire(&entry->ip);					\
	     entry = tap_func_group_next(group, entry))

static __always_inline struct tap_func_entry *
tap_func_group_next(struct tap_func_group *group, struct tap_func_entry *entry)
{
	return ++entry == group->entries + (1UL << group->bits) ? group->entries : entry;
}

/*
 * ftrace calls this at the entry of a function. Preemption is off before entry->func is
 * read: after tap_func_group_leave(), TAP_SYNC_KPROBE waits for it. It calls nothing but
 * handlers, which guard themselves against recursion, so it may run anywhere.
 */
static void notrace tap_func_group_event(unsigned long ip, unsigned long parent,
					 struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct tap_func_group *group = container_of(ops, struct tap_func_group, ops);
	struct tap_func_entry *entry;
	struct tap_func *func;

	preempt_disable_notrace();
	tap_func_group_each(group, entry, ip) {
		func = READ_ONCE(entry->func);
		if (entry->ip == ip && func)
			func->handler(ip, parent, &func->ops, fregs);
	}
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(tap_func_group_event);

static struct tap_func_group *tap_func_group_make(const struct tapmod_session *session,
						  unsigned int nr)
{
	unsigned int bits = order_base_2(nr) + 1;
	struct tap_func_group *group = kvzalloc(struct_size(group, entries, 1UL << bits),
						GFP_KERNEL_ACCOUNT);

	if (!group)
		return NULL;
	group->filtered = kvcalloc(BITS_TO_LONGS(1UL << bits), sizeof(long), GFP_KERNEL_ACCOUNT);
	if (!group->filtered) {
		kvfree(group);
		return NULL;
	}
	group->session = session;
	group->bits = bits;
	group->ops.func = tap_ftrace_func(tap_func_group_event);
	/* PERMANENT: kernel.ftrace_enabled cannot be set to 0, which would lose events silently. */
	group->ops.flags = FTRACE_OPS_FL_PERMANENT | TAP_FTRACE_FLAGS;
	return group;
}

static void tap_func_group_free(struct tap_func_group *group)
{
	/*
	 * Waits for all handlers. It fails only after ftrace has disabled itself: then its
	 * trampoline may still be called, and the group is leaked.
	 */
	if (group->ops.flags & FTRACE_OPS_FL_ENABLED &&
	    unregister_ftrace_function(&group->ops))
		return;
	ftrace_free_filter(&group->ops);
	kvfree(group->filtered);
	kvfree(group);
}

static unsigned int tap_func_group_slots(const struct tap_func_group *group)
{
	return 1U << group->bits;
}

static bool tap_func_group_filtered(const struct tap_func_group *group,
				    const struct tap_func_entry *entry)
{
	return test_bit(entry - group->entries, group->filtered);
}

/* Puts a probe into the table. Returns whether the filter lacks the address. */
static bool tap_func_group_put(struct tap_func_group *group, struct tap_func *func,
			       unsigned long ip)
{
	struct tap_func_entry *entry, *to = NULL;
	bool filtered = false;

	tap_func_group_each(group, entry, ip) {
		if (entry->ip != ip)
			continue;
		filtered |= tap_func_group_filtered(group, entry);
		if (!entry->func)
			to = entry;
	}
	to = to ?: entry;
	group->nr++;
	group->used += !to->ip;
	WRITE_ONCE(to->func, func);
	/* Pairs with tap_func_group_each(): who finds the address finds the probe. */
	smp_store_release(&to->ip, ip);
	if (!filtered)
		__set_bit(to - group->entries, group->filtered);
	return !filtered;
}

/* The filter does not have the address after all. */
static void tap_func_group_unfilter(struct tap_func_group *group, unsigned long ip)
{
	struct tap_func_entry *entry;

	tap_func_group_each(group, entry, ip)
		if (entry->ip == ip)
			__clear_bit(entry - group->entries, group->filtered);
}

/* Whether the table has a probe at an address. */
static bool tap_func_group_live(struct tap_func_group *group, unsigned long ip)
{
	struct tap_func_entry *entry;

	tap_func_group_each(group, entry, ip)
		if (entry->ip == ip && entry->func)
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
	struct tap_func_entry *entry;

	tap_func_group_each(group, entry, addr) {
		if (entry->ip != addr || entry->func != func)
			continue;
		WRITE_ONCE(entry->func, NULL);
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
						 unsigned int nr)
{
	unsigned int room = max_t(unsigned int, nr, TAP_FUNC_GROUP_MIN);
	struct tap_func_group *group;

	list_for_each_entry(group, &tap_func_groups, link) {
		if (group->session != session)
			continue;
		/* Where addresses are added one by one, each is a step of its own. */
		if (group->used + nr <= tap_func_group_slots(group) / 2 &&
		    (TAP_FTRACE_FILTERS_MANY || nr == 1))
			return group;
		room = max(room, tap_func_group_slots(group));
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
	unsigned int nr = 0, i, add = 0;
	struct tap_func *func;
	unsigned long *ips;
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
		for (i = 0; i < func->nr; i++)
			if (tap_func_group_put(group, func, func->addrs[i]))
				ips[add++] = func->addrs[i];
		func->group = group;
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
	unsigned int slots = tap_func_group_slots(group), nr = 0, i;
	unsigned long *ips = kvmalloc_array(group->used, sizeof(*ips), GFP_KERNEL);

	/* Without memory they stay until the next time, and cost a look-up. */
	if (!ips)
		return;
	for_each_set_bit(i, group->filtered, slots) {
		if (tap_func_group_live(group, group->entries[i].ip))
			continue;
		ips[nr++] = group->entries[i].ip;
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
