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
 * Probes may enter and leave a group while it is armed. The table is an array of pointers,
 * and a slot keeps its address for the life of the group, so a search needs no lock. A group
 * whose table is full is followed by one of twice its size.
 *
 * Usually one probe of the group is at a function. Then the first slot with the address leads
 * to its handler, which the callback jumps to. If there are several, that slot leads to
 * tap_func_group_all(), and the probes are in the slots behind it.
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

/* Slots that a function may take: see tap_func_group_share(). */
#define TAP_FUNC_SLOTS		2

/* Function addresses differ in the bits above these. */
#define TAP_FUNC_ALIGN_SHIFT	4

/**
 * struct tap_func_site - what is at the address of a function
 * @ip: address that ftrace reports
 * @handler: the probe's, or tap_func_group_none() after it has left; or
 *	tap_func_group_all(). Events read it without a lock
 * @op: of the probe; for tap_func_group_all() of the group
 * @next: in @sites of the group
 */
struct tap_func_site {
	unsigned long ip;
	tap_func_handler handler;
	struct ftrace_ops *op;
	struct tap_func_site *next;
};

/**
 * struct tap_func_group - probes of a session that are armed together
 * @ops: registered while the group is in tap_func_groups
 * @mask: number of @slots minus 1, a power of 2 minus 1
 * @link: in tap_func_groups, or in a list of groups to be freed
 * @session: its owner
 * @nr: sites with a probe
 * @used: slots in use, at most half of all, so that a search ends at an unused one
 * @stale: the filter of @ops has addresses without a probe
 * @filtered: for each slot whether the filter has its address; of several slots with one
 *	address one has the bit
 * @sites: all that were ever in a slot, to be freed with the group
 * @slots: hash table by address with linear probing. Unused ones lead to
 *	tap_func_group_unused. Events read it without a lock
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
	struct tap_func_site *sites;
	struct tap_func_site *slots[];
};

static LIST_HEAD(tap_func_groups);

static __always_inline unsigned long
tap_func_group_hash(const struct tap_func_group *group, unsigned long ip)
{
	return (ip >> TAP_FUNC_ALIGN_SHIFT) & group->mask;
}

/* No function has its address, 0. So an event need not test for an unused slot first. */
static struct tap_func_site tap_func_group_unused;

/* Each slot in which @_ip may be. READ_ONCE() orders the site's contents behind its pointer. */
#define tap_func_group_each(group, i, site, _ip)				\
	for (i = tap_func_group_hash(group, _ip);				\
	     (site = READ_ONCE((group)->slots[i]))->ip;			\
	     i = (i + 1) & (group)->mask)

static int tap_func_group_none(unsigned long ip, unsigned long parent,
			       struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	preempt_enable_notrace();
	return 0;
}
NOKPROBE_SYMBOL(tap_func_group_none);

/* Calls the handlers of all probes at a function. */
static int tap_func_group_all(unsigned long ip, unsigned long parent,
			      struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct tap_func_group *group = container_of(op, struct tap_func_group, ops);
	struct tap_func_site *site;
	tap_func_handler handler;
	unsigned long i;

	tap_func_group_each(group, i, site, ip) {
		if (site->ip != ip || site->op == op)
			continue;
		/* The handler turns it on. */
		preempt_disable_notrace();
		handler = READ_ONCE(site->handler);
		handler(ip, parent, site->op, fregs);
	}
	preempt_enable_notrace();
	return 0;
}
NOKPROBE_SYMBOL(tap_func_group_all);

/* The handler of an event whose address is not in the first slot of its search. */
static noinline int tap_func_group_search(unsigned long ip, unsigned long parent,
					  struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct tap_func_group *group = container_of(ops, struct tap_func_group, ops);
	struct tap_func_site *site;
	tap_func_handler handler;
	unsigned long i;

	tap_func_group_each(group, i, site, ip)
		if (site->ip == ip) {
			handler = READ_ONCE(site->handler);
			return handler(ip, parent, site->op, fregs);
		}
	return tap_func_group_none(ip, parent, ops, fregs);
}
NOKPROBE_SYMBOL(tap_func_group_search);

/*
 * ftrace calls this at the entry of a function. Preemption is off before the handler is
 * read: after tap_func_group_leave(), TAP_SYNC_KPROBE waits for it. It calls nothing but
 * handlers, which guard themselves against recursion, so it may run anywhere.
 */
static int notrace tap_func_group_event(unsigned long ip, unsigned long parent,
					struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct tap_func_group *group = container_of(ops, struct tap_func_group, ops);
	struct tap_func_site *site;
	tap_func_handler handler;

	preempt_disable_notrace();
	site = READ_ONCE(group->slots[tap_func_group_hash(group, ip)]);
	if (unlikely(site->ip != ip))
		return tap_func_group_search(ip, parent, ops, fregs);
	handler = READ_ONCE(site->handler);
	return handler(ip, parent, site->op, fregs);
}
NOKPROBE_SYMBOL(tap_func_group_event);

static unsigned long tap_func_group_slots(const struct tap_func_group *group)
{
	return group->mask + 1;
}

static struct tap_func_group *tap_func_group_make(const struct tapmod_session *session,
						  unsigned long nr)
{
	unsigned long slots = roundup_pow_of_two(2 * TAP_FUNC_SLOTS * nr);
	struct tap_func_group *group = kvzalloc(struct_size(group, slots, slots),
						GFP_KERNEL_ACCOUNT);
	unsigned long i;

	if (!group)
		return NULL;
	group->filtered = kvcalloc(BITS_TO_LONGS(slots), sizeof(long), GFP_KERNEL_ACCOUNT);
	if (!group->filtered) {
		kvfree(group);
		return NULL;
	}
	for (i = 0; i < slots; i++)
		group->slots[i] = &tap_func_group_unused;
	group->session = session;
	group->mask = slots - 1;
	group->ops.func = (void *)tap_func_group_event;
	/* PERMANENT: kernel.ftrace_enabled cannot be set to 0, which would lose events silently. */
	group->ops.flags = FTRACE_OPS_FL_PERMANENT | TAP_FTRACE_FLAGS;
	return group;
}

static void tap_func_group_free(struct tap_func_group *group)
{
	struct tap_func_site *site, *next;

	/*
	 * Waits for all handlers. It fails only after ftrace has disabled itself: then its
	 * trampoline may still be called, and the group is leaked.
	 */
	if (group->ops.flags & FTRACE_OPS_FL_ENABLED &&
	    unregister_ftrace_function(&group->ops))
		return;
	ftrace_free_filter(&group->ops);
	for (site = group->sites; site; site = next) {
		next = site->next;
		kfree(site);
		cond_resched();
	}
	kvfree(group->filtered);
	kvfree(group);
}

/* Puts a site into a slot, in place of another one of the same address, or into an unused one. */
static int tap_func_group_place(struct tap_func_group *group, unsigned long i,
				unsigned long ip, tap_func_handler handler,
				struct ftrace_ops *op)
{
	struct tap_func_site *site = kmalloc(sizeof(*site), GFP_KERNEL_ACCOUNT);

	if (!site)
		return -ENOMEM;
	*site = (struct tap_func_site) {
		.ip = ip, .handler = handler, .op = op, .next = group->sites,
	};
	group->sites = site;
	group->used += !group->slots[i]->ip;
	/* Pairs with the address dependency of tap_func_group_each(). */
	smp_store_release(&group->slots[i], site);
	return 0;
}

/* Puts a probe into the slot of a probe that has left, or into an unused one. */
static int tap_func_group_append(struct tap_func_group *group, unsigned long ip,
				 tap_func_handler handler, struct ftrace_ops *op)
{
	struct tap_func_site *site;
	unsigned long i;

	tap_func_group_each(group, i, site, ip)
		if (site->ip == ip && site->handler == tap_func_group_none)
			break;
	return tap_func_group_place(group, i, ip, handler, op);
}

/*
 * Makes the first slot of an address lead to all probes there. Its probe is put into another
 * slot before: events find it by the first slot alone until that changes.
 */
static int tap_func_group_share(struct tap_func_group *group, unsigned long first)
{
	struct tap_func_site *site = group->slots[first];
	int ret = tap_func_group_append(group, site->ip, site->handler, site->op);

	return ret ?: tap_func_group_place(group, first, site->ip, tap_func_group_all,
					   &group->ops);
}

/* Puts a probe into the table. Returns -errno, 0, or 1: the filter lacks the address. */
static int tap_func_group_put(struct tap_func_group *group, struct tap_func *func,
			      unsigned long ip)
{
	unsigned long i, first = ULONG_MAX;
	struct tap_func_site *site;
	bool filtered = false;
	int ret = 0;

	tap_func_group_each(group, i, site, ip) {
		if (site->ip != ip)
			continue;
		if (first == ULONG_MAX)
			first = i;
		filtered |= test_bit(i, group->filtered);
	}
	if (first == ULONG_MAX)
		first = i;
	else if (group->slots[first]->handler != tap_func_group_none &&
		 group->slots[first]->handler != tap_func_group_all)
		ret = tap_func_group_share(group, first);
	ret = ret ?: tap_func_group_append(group, ip, func->in_group, &func->ops);
	if (ret)
		return ret;
	group->nr++;
	if (!filtered)
		__set_bit(first, group->filtered);
	return !filtered;
}

/* The filter does not have the address after all. */
static void tap_func_group_unfilter(struct tap_func_group *group, unsigned long ip)
{
	struct tap_func_site *site;
	unsigned long i;

	tap_func_group_each(group, i, site, ip)
		if (site->ip == ip)
			__clear_bit(i, group->filtered);
}

/* Whether the table has a probe at an address. */
static bool tap_func_group_live(struct tap_func_group *group, unsigned long ip)
{
	struct tap_func_site *site;
	unsigned long i;

	tap_func_group_each(group, i, site, ip)
		if (site->ip == ip && site->handler != tap_func_group_none &&
		    site->handler != tap_func_group_all)
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
	struct tap_func_site *site;
	unsigned long i;

	tap_func_group_each(group, i, site, addr) {
		if (site->ip != addr || site->op != &func->ops ||
		    site->handler == tap_func_group_none)
			continue;
		WRITE_ONCE(site->handler, tap_func_group_none);
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
		if (group->used + TAP_FUNC_SLOTS * nr <= tap_func_group_slots(group) / 2 &&
		    (TAP_FTRACE_FILTERS_MANY || nr == 1))
			return group;
		room = max(room, tap_func_group_slots(group) / TAP_FUNC_SLOTS);
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
		if (func->armed || ret < 0)
			continue;
		func->group = group;
		for (i = 0; i < func->nr && ret >= 0; i++) {
			ret = tap_func_group_put(group, func, func->addrs[i]);
			if (ret > 0)
				ips[add++] = func->addrs[i];
		}
		cond_resched();
	}
	ret = min(ret, 0);
	if (!ret && add)
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
		if (tap_func_group_live(group, group->slots[i]->ip))
			continue;
		ips[nr++] = group->slots[i]->ip;
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
