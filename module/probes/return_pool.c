// SPDX-License-Identifier: GPL-2.0
/*
 * Shared pools: many return probes of a session whose calls take their instances from one pool.
 *
 * Since 6.7 the kernel gives each kretprobe an objpool, which takes at least a page for each
 * possible CPU. A thousand return probes on a machine with 250 possible CPUs would take 1 GiB. So
 * the first few probes of a session get instances as before, and further ones become members
 * of a pool for their size of instance. Its memory follows the calls in flight.
 *
 * The pool is a kretprobe that never fires. A member is a plain kprobe inside of a struct
 * kretprobe, to which the kernel gives no instances. Its handler is the kernel's
 * pre_handler_kretprobe(), which takes an instance from rp->rh. That is a "stub": a rethook
 * of the member's own whose objpool is a copy of the pool's, and so leads to the same memory.
 * An instance in flight points to the stub of its probe, by which the kernel finds the
 * probe's return handler and the memory to which the instance returns. So the handlers of a
 * member are the same as those of any return probe.
 *
 * When a member leaves, its calls in flight must not find the stub, which is freed. Then each
 * instance that points to it is made to point to the pool's own rethook, whose handler does
 * nothing. Nobody waits for the calls, which may last for days.
 *
 * A pool is enlarged like one kretprobe: a further kretprobe that never fires, of twice as many
 * instances, and further stubs. The instances of before stay until the pool ends.
 */
#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "core/notify.h"
#include "core/session.h"
#include "memory/memory.h"
#include "probes/kprobe_overrun.h"
#include "probes/kretprobe.h"
#include "probes/return_pool.h"

#if TAP_KRETPROBE_SHARES

/*
 * So many probes of a size have instances of their own: one probe, or a few, then keep the
 * shorter way to their handlers.
 */
#define TAP_RETURN_ALONE	7

/* Sizes of instances are rounded up to this, so that probes with other outputs share as well. */
#define TAP_RETURN_ROUND	64

/* Calls of a new pool. An objpool of so many takes a page for each CPU, if there are many CPUs. */
#define TAP_RETURN_CALLS	256

/* A pool gets this many instances for each member, up to TAP_MAX_MAXACTIVE, without any miss. */
#define TAP_RETURN_EACH		2

/* From TAP_RETURN_CALLS to TAP_MAX_MAXACTIVE, each time twice as many. */
#define TAP_RETURN_SETS		8

/**
 * struct tap_return_set - instances of a pool
 * @rp: owns them; of tap_kretprobe_register_idle()
 * @older: the instances that the pool had before
 * @nr: number of @nodes
 * @nodes: all instances. @rethook of each is that of @rp, or a stub of the probe that used it last
 */
struct tap_return_set {
	struct kretprobe rp;
	struct tap_return_set *older;
	unsigned int nr;
	struct rethook_node *nodes[];
};

/**
 * struct tap_return_stub - stands for a member and a set of instances
 * @rh: @data is the member's kretprobe, @pool that of the set
 * @older: the member's stub for the set before; NULL: it was no member then
 * @leaves: the member is being detached
 */
struct tap_return_stub {
	struct rethook rh;
	struct tap_return_stub *older;
	bool leaves;
};

/**
 * struct tap_return_pool - the shared pool of a session for a size of instance
 * @pools: in the session's list
 * @session: owner
 * @data_size: of each instance
 * @nr_alone: probes of this size that have instances of their own
 * @members: struct tap_kretprobe that are members
 * @nr_members: how many
 * @calls: instances of the newest set
 * @sets: newest first; NULL: no probe has become a member so far
 * @handler: the kernel's handler of returns
 * @bytes: of all sets and all stubs but the first of each member
 * @tick: the governor's, of the last attempt to enlarge the pool
 * @grown: that succeeded
 *
 * Under the session's lock. Handlers do not know of pools.
 */
struct tap_return_pool {
	struct list_head pools;
	struct tapmod_session *session;
	size_t data_size;
	unsigned int nr_alone;
	struct list_head members;
	unsigned int nr_members;
	unsigned int calls;
	struct tap_return_set *sets;
	rethook_handler_t handler;
	u64 bytes;
	u64 tick;
	bool grown;
};

/* The kernel's pre_handler_kretprobe(), before the first member is registered. */
static kprobe_pre_handler_t tap_return_pool_kernel;

/* The member whose entry is handled on the CPU; see tap_return_pool_enter(). */
static DEFINE_PER_CPU(struct kprobe *, tap_return_entering);

static struct tap_return_stub *to_stub(struct rethook *rh)
{
	return container_of(rh, struct tap_return_stub, rh);
}

/* Handles the return of a call whose probe has left. */
static void tap_return_pool_ignore TAP_RETHOOK_PARAMS
{
}
NOKPROBE_SYMBOL(tap_return_pool_ignore);

/*
 * The entry of a member's call. The kernel takes an instance and gives it to
 * tap_return_pool_follow(), which cannot see from it to which member it was given. So the
 * member is stored per CPU. Preemption is off; an event that interrupts this one puts the
 * value back.
 */
static int tap_return_pool_enter(struct kprobe *kp, struct pt_regs *regs)
{
	struct kprobe *outer = __this_cpu_read(tap_return_entering);
	int ret;

	__this_cpu_write(tap_return_entering, kp);
	ret = tap_return_pool_kernel(kp, regs);
	__this_cpu_write(tap_return_entering, outer);
	return ret;
}
NOKPROBE_SYMBOL(tap_return_pool_enter);

/*
 * Gives an instance to its member. Until then it points to the rethook of its set, or to the
 * stub of any member of it. tap_return_pool_detach() may change that at any moment, but frees a
 * stub only after a grace period.
 *
 * If the pool was enlarged since the kernel took the instance, @rh of the member is
 * that of a newer set, to which the instance must not return.
 */
static int tap_return_pool_follow(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kprobe *kp = __this_cpu_read(tap_return_entering);
	struct tap_kretprobe *own = container_of(kp, struct tap_kretprobe, batched.rp.kp);
	const struct rethook *before = READ_ONCE(ri->node.rethook);
	struct rethook *rh = READ_ONCE(own->batched.rp.rh);

	while (unlikely(rh->pool.cpu_slots != before->pool.cpu_slots)) {
		if (!to_stub(rh)->older)
			return 1;
		rh = &to_stub(rh)->older->rh;
	}
	WRITE_ONCE(ri->node.rethook, rh);
	return own->pooled.entry ? own->pooled.entry(ri, regs) : 0;
}
NOKPROBE_SYMBOL(tap_return_pool_follow);

/* Charges memory of the pool within TAP_MAX_CALL_MEM and memory_max. */
static bool tap_return_pool_charge(struct tap_return_pool *pool, u64 bytes)
{
	struct tapmod_session *session = pool->session;

	if (bytes > min(TAP_MAX_CALL_MEM - session->call_mem, tap_memory_left()))
		return false;
	tap_memory_charge_done(&session->memory, bytes);
	session->call_mem += bytes;
	pool->bytes += bytes;
	return true;
}

static void tap_return_pool_uncharge(struct tap_return_pool *pool, u64 bytes)
{
	tap_memory_uncharge(&pool->session->memory, bytes);
	pool->session->call_mem -= bytes;
	pool->bytes -= bytes;
}

static u64 tap_return_set_bytes(const struct tap_return_pool *pool, unsigned int calls)
{
	return tap_kretprobe_pool(calls, pool->data_size) +
	       struct_size_t(struct tap_return_set, nodes, calls);
}

static struct tap_return_set *tap_return_set_make(struct tap_return_pool *pool,
						  unsigned int calls)
{
	struct tap_return_set *set = kvzalloc(struct_size(set, nodes, calls), GFP_KERNEL);
	struct kretprobe *rp = &set->rp;

	if (!set)
		return NULL;
	if (tap_kretprobe_register_idle(rp, calls, pool->data_size))
		goto err_free;
	set->nr = tap_kretprobe_nodes(rp, set->nodes, calls);
	if (set->nr != rp->rh->pool.nr_objs)
		goto err_unregister;
	pool->handler = rcu_access_pointer(rp->rh->handler);
	WRITE_ONCE(tap_return_pool_kernel, rp->kp.pre_handler);
	rcu_assign_pointer(rp->rh->handler, tap_return_pool_ignore);
	/* tap_kretprobe_nested() compares it with that of probes. */
	rp->rh->data = NULL;
	return set;

err_unregister:
	unregister_kretprobe(rp);
err_free:
	kvfree(set);
	return NULL;
}

/*
 * Frees all sets. No instance points to a stub. The kernel frees the instances when a grace
 * period has passed, those in flight when they return.
 */
static void tap_return_sets_free(struct tap_return_pool *pool)
{
	struct kretprobe *rps[TAP_RETURN_SETS];
	struct tap_return_set *set, *older;
	unsigned int nr = 0;

	for (set = pool->sets; set; set = set->older)
		rps[nr++] = &set->rp;
	unregister_kretprobes(rps, nr);
	for (set = pool->sets; set; set = older) {
		older = set->older;
		kvfree(set);
	}
	pool->sets = NULL;
	pool->calls = 0;
	tap_return_pool_uncharge(pool, pool->bytes);
}

static struct tap_return_stub *tap_return_stub_make(struct tap_kretprobe *own,
						    const struct tap_return_set *set,
						    rethook_handler_t handler)
{
	struct tap_return_stub *stub = kzalloc(sizeof(*stub), GFP_KERNEL);

	if (stub)
		tap_rethook_like(&stub->rh, set->rp.rh, &own->batched.rp, handler);
	return stub;
}

/* Lets the calls of a member begin with the instances of a set from now on. */
static void tap_return_pool_use(struct tap_kretprobe *own, struct tap_return_stub *stub,
				unsigned int calls)
{
	stub->older = own->pooled.stubs;
	own->pooled.stubs = stub;
	own->batched.rp.maxactive = calls;
	/* Pairs with the address dependency of an entry that loads rp->rh. */
	smp_store_release(&own->batched.rp.rh, &stub->rh);
}

/* Makes stubs of all members for a new set; they are not used so far. */
static bool tap_return_stubs_make(struct tap_return_pool *pool, const struct tap_return_set *set)
{
	struct tap_kretprobe *own;
	struct rethook *rh;

	list_for_each_entry(own, &pool->members, pooled.members) {
		rh = own->batched.rp.rh;
		/* A kprobe batch may have replaced the handler. */
		own->pooled.made = tap_return_stub_make(own, set, rcu_access_pointer(rh->handler));
		if (!own->pooled.made)
			return false;
	}
	return true;
}

/* Gives the pool a set of so many calls, and lets all members use it. */
static bool tap_return_pool_enlarge(struct tap_return_pool *pool, unsigned int calls)
{
	u64 bytes = tap_return_set_bytes(pool, calls) +
		    (u64)pool->nr_members * sizeof(struct tap_return_stub);
	struct tap_return_set *set;
	struct tap_kretprobe *own;
	bool made;

	if (!tap_return_pool_charge(pool, bytes))
		return false;
	set = tap_return_set_make(pool, calls);
	made = set && tap_return_stubs_make(pool, set);
	list_for_each_entry(own, &pool->members, pooled.members) {
		if (made)
			tap_return_pool_use(own, own->pooled.made, calls);
		else
			kfree(own->pooled.made);
		own->pooled.made = NULL;
	}
	if (made) {
		set->older = pool->sets;
		pool->sets = set;
		pool->calls = calls;
		return true;
	}
	if (set) {
		unregister_kretprobe(&set->rp);
		kvfree(set);
	}
	tap_return_pool_uncharge(pool, bytes);
	return false;
}

static struct tap_return_pool *tap_return_pool_get(struct tapmod_session *session,
						   size_t data_size)
{
	struct tap_return_pool *pool;

	list_for_each_entry(pool, &session->return_pools, pools)
		if (pool->data_size == data_size)
			return pool;
	pool = kzalloc(sizeof(*pool), GFP_KERNEL_ACCOUNT);
	if (!pool)
		return NULL;
	pool->session = session;
	pool->data_size = data_size;
	INIT_LIST_HEAD(&pool->members);
	list_add(&pool->pools, &session->return_pools);
	return pool;
}

/**
 * tap_return_pool_join() - make a return probe a member of a shared pool, if that pays
 * @own: not registered so far; its data_size is set
 * @create: from user space
 *
 * A probe whose maxactive the user set has instances of its own, and so has one that is registered
 * and unregistered with its module, without the session's lock.
 *
 * Context: process, under the session's lock.
 * Return: bytes that the caller must charge for the probe, which is a member now; 0: it is none.
 */
u64 tap_return_pool_join(struct tap_kretprobe *own, const struct tap_create *create)
{
	struct tapmod_session *session = own->probe.session;
	struct kretprobe *rp = &own->batched.rp;
	struct tap_return_pool *pool;
	struct tap_return_stub *stub;

	if (create->maxactive || tap_is_deferred(&own->probe) ||
	    !strcmp(rp->kp.symbol_name, TAP_KRETPROBE_REFUSED))
		return 0;
	pool = tap_return_pool_get(session, ALIGN(rp->data_size, TAP_RETURN_ROUND));
	own->pooled.pool = pool;
	if (!pool)
		return 0;
	if (pool->nr_alone < TAP_RETURN_ALONE ||
	    (!pool->sets && !tap_return_pool_enlarge(pool, TAP_RETURN_CALLS)))
		goto alone;
	/* If there is no memory for it, it is enlarged when calls were missed. */
	if (pool->calls < min_t(u64, TAP_MAX_MAXACTIVE,
				(u64)TAP_RETURN_EACH * pool->nr_members))
		tap_return_pool_enlarge(pool, 2 * pool->calls);
	stub = tap_return_stub_make(own, pool->sets, pool->handler);
	if (!stub)
		goto alone;
	tap_return_pool_use(own, stub, pool->calls);
	list_add(&own->pooled.members, &pool->members);
	pool->nr_members++;
	return sizeof(*stub);

alone:
	pool->nr_alone++;
	return 0;
}

/**
 * tap_return_pool_leave() - end what a return probe has to do with a shared pool
 * @own: not registered; tap_return_pool_detach() was called if it was a member, and then a
 *	grace period has passed
 *
 * Context: process, may sleep, under the session's lock.
 */
void tap_return_pool_leave(struct tap_kretprobe *own)
{
	struct tap_return_pool *pool = own->pooled.pool;
	struct tap_return_stub *stub, *older;

	if (!pool)
		return;
	if (tap_is_pooled(&own->pooled)) {
		list_del(&own->pooled.members);
		pool->nr_members--;
	} else {
		pool->nr_alone--;
	}
	for (stub = own->pooled.stubs; stub; stub = older) {
		older = stub->older;
		kfree(stub);
	}
	if (!pool->nr_members && pool->sets)
		tap_return_sets_free(pool);
	if (!pool->nr_members && !pool->nr_alone) {
		list_del(&pool->pools);
		kfree(pool);
	}
}

/**
 * tap_return_pool_register() - register a member, disabled
 * @own: a member; its handlers are set
 *
 * The kernel takes no memory for instances, since it takes the member for a kprobe.
 *
 * Context: process, may sleep.
 * Return: 0 or -errno of register_kprobe().
 */
int tap_return_pool_register(struct tap_kretprobe *own)
{
	struct kretprobe *rp = &own->batched.rp;

	own->pooled.entry = rp->entry_handler;
	rp->entry_handler = tap_return_pool_follow;
	rp->kp.pre_handler = tap_return_pool_enter;
	return register_kprobe(&rp->kp);
}

/**
 * tap_return_pool_unregister() - undo tap_return_pool_register()
 * @own: a member that was never enabled
 *
 * Context: process, may sleep.
 */
void tap_return_pool_unregister(struct tap_kretprobe *own)
{
	unregister_kprobe(&own->batched.rp.kp);
}

/* Lets no return handler of a member start; the caller waits for those that run. */
static void tap_return_pool_quit(struct tap_kretprobe *own)
{
	struct tap_return_stub *stub;

	for (stub = own->pooled.stubs; stub; stub = stub->older) {
		rcu_assign_pointer(stub->rh.handler, tap_return_pool_ignore);
		stub->leaves = true;
	}
}

/*
 * Takes all instances away from stubs that leave. No handler of their members runs or starts, so
 * nobody else gives an instance to such a stub. But at any moment a live member may take a free
 * instance, and overwrite its pointer; then this leaves it alone. Also the kernel may be about
 * to put an instance back by the stub, until a grace period has passed.
 */
static void tap_return_set_reclaim(struct tap_return_set *set)
{
	struct rethook *own = set->rp.rh, *rh;
	unsigned int i;

	for (i = 0; i < set->nr; i++) {
		rh = READ_ONCE(set->nodes[i]->rethook);
		if (rh != own && to_stub(rh)->leaves)
			(void)cmpxchg(&set->nodes[i]->rethook, rh, own);
	}
}

/**
 * tap_return_pool_detach() - detach the members among return probes
 * @probes: disabled probes of a session, all on struct tap_kretprobe; reordered and overwritten
 * @nr: length of @probes, at least 1
 *
 * Context: process, may sleep; as ->detach().
 * Return: the number of probes that are no members. They are the first of @probes.
 */
unsigned int tap_return_pool_detach(struct tapmod_probe **probes, unsigned int nr)
{
	struct tapmod_session *session = probes[0]->session;
	/* In place: an element is read before it is overwritten. */
	struct kprobe **kps = (struct kprobe **)probes;
	unsigned int others = 0, i;
	struct tap_return_pool *pool;
	struct tap_return_set *set;
	struct tap_kretprobe *own;

	for (i = 0; i < nr; i++) {
		if (tap_is_pooled(&to_tap_kretprobe(probes[i])->pooled))
			continue;
		swap(probes[others], probes[i]);
		others++;
	}
	if (others == nr)
		return nr;
	for (i = others; i < nr; i++) {
		own = to_tap_kretprobe(probes[i]);
		tap_return_pool_quit(own);
		kps[i] = &own->batched.rp.kp;
	}
	/* Waits for a grace period, and so for all handlers of these probes. */
	unregister_kprobes(kps + others, nr - others);
	list_for_each_entry(pool, &session->return_pools, pools) {
		for (set = pool->sets; set; set = set->older) {
			tap_return_set_reclaim(set);
			cond_resched();
		}
	}
	return others;
}

/**
 * tap_return_pool_grow() - enlarge the pool of a member, if the member missed calls
 * @own: a member
 * @change: gets the number of calls that it missed, and the new maxactive
 *
 * As ->grow(), but charges the memory itself: it is not the member's. In each tick of the
 * governor the pool is enlarged once at most; the members that missed calls all report it.
 *
 * Context: process, may sleep, under the session's lock.
 * Return: 0.
 */
u64 tap_return_pool_grow(struct tap_kretprobe *own, struct tapmod_change *change)
{
	unsigned int missed = READ_ONCE(own->batched.rp.nmissed) - own->seen;
	struct tap_return_pool *pool = own->pooled.pool;
	u64 tick = pool->session->governor.nr;

	if (!missed)
		return 0;
	if (pool->tick != tick) {
		pool->tick = tick;
		pool->grown = 2 * pool->calls <= TAP_MAX_MAXACTIVE &&
			      tap_return_pool_enlarge(pool, 2 * pool->calls);
	}
	if (!pool->grown)
		return 0;
	/* Calls that were missed after nmissed was read are reported the next time. */
	own->seen += missed;
	change->count = missed;
	change->size = pool->calls;
	return 0;
}

#endif /* TAP_KRETPROBE_SHARES */
