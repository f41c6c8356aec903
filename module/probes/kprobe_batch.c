// SPDX-License-Identifier: GPL-2.0
/*
 * Many kprobes at entries of functions, and return probes, armed and disarmed in one
 * step.
 *
 * The kernel arms each kprobe alone, and for that goes through all functions that
 * ftrace knows, several times: a thousand take it seven seconds, and nine to
 * disarm. So those that one command enables get an ftrace_ops of their own, whose
 * places are set at once. They stay registered and disabled meanwhile: whether a
 * place may be probed, and that its module goes, is the kernel's to say still.
 *
 * An event looks its place up in a table that never changes but for kprobes that
 * leave it, and calls their handlers as kprobe_ftrace_handler() would. The handler of
 * a return probe is the kernel's own, which has the call return to us.
 */
#include <linux/ftrace.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/trace_recursion.h>

#include "probes/kprobe_batch.h"
#include "probes/kprobe_common.h"

/**
 * struct tap_kprobe_batch_entry - a function's entry in the table
 * @ip: where it is; 0: nothing is here
 * @member: who wants its events; NULL: it has left
 */
struct tap_kprobe_batch_entry {
	unsigned long ip;
	struct tap_batched *member;
};

/**
 * struct tap_kprobe_batch - kprobes that are armed together
 * @ops: theirs
 * @batches: those of the session, under its lock
 * @nr: members that have not left, under the session's lock
 * @bits: the table has so many
 * @entries: hashed by @ip; those of one hash follow each other, and there is
 *	always an empty one
 */
struct tap_kprobe_batch {
	struct ftrace_ops ops;
	struct list_head batches;
	unsigned int nr;
	unsigned int bits;
	struct tap_kprobe_batch_entry entries[];
};

#define tap_kprobe_batch_each(batch, entry, _ip)				\
	for (entry = &(batch)->entries[hash_long(_ip, (batch)->bits)];	\
	     entry->ip; entry = tap_kprobe_batch_next(batch, entry))

static __always_inline struct tap_kprobe_batch_entry *
tap_kprobe_batch_next(struct tap_kprobe_batch *batch, struct tap_kprobe_batch_entry *entry)
{
	return ++entry == batch->entries + (1UL << batch->bits) ?
	       batch->entries : entry;
}

/* Preemption is off before a member is looked up: who leaves waits for that. */
static void notrace tap_kprobe_batch_event(unsigned long ip, unsigned long parent_ip,
					   struct ftrace_ops *ops,
					   struct ftrace_regs *fregs)
{
	struct tap_kprobe_batch *batch = container_of(ops, struct tap_kprobe_batch, ops);
	struct pt_regs *regs = ftrace_get_regs(fregs);
	struct tap_kprobe_batch_entry *entry;
	struct tap_batched *member;
	struct kprobe *kp;
	unsigned long from;
	int bit;

	preempt_disable_notrace();
	bit = ftrace_test_recursion_trylock(ip, parent_ip);
	tap_kprobe_batch_each(batch, entry, ip) {
		member = READ_ONCE(entry->member);
		kp = &member->rp.kp;
		/* Where a module was there may be another one by now. */
		if (entry->ip != ip || !member || kprobe_gone(kp))
			continue;
		if (unlikely(bit < 0)) {
			kp->nmissed++;
			continue;
		}
		/* As behind a breakpoint, which handlers of kprobes expect. */
		from = instruction_pointer(regs);
		instruction_pointer_set(regs, ip + sizeof(kprobe_opcode_t));
		kp->pre_handler(kp, regs);
		instruction_pointer_set(regs, from);
	}
	if (bit >= 0)
		ftrace_test_recursion_unlock(bit);
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(tap_kprobe_batch_event);

#ifdef CONFIG_KRETPROBE_ON_RETHOOK
/*
 * The return of a call that a batch has let begin, instead of the kernel's own
 * kretprobe_rethook_handler(). That says in current_kprobe that a handler runs,
 * and then that none does: the kernel begins no call in a handler of a kprobe, so
 * it need not ask. A batch knows of no other handler, and a call that begins and
 * ends inside one would take from it what it goes on with. This touches nothing of
 * the kernel's; what it calls and is probed is bounded as in tap_kprobe_batch_event().
 *
 * The kernel has preemption off, and does not call us once it is unregistered.
 */
static void tap_kprobe_batch_return TAP_RETHOOK_PARAMS
{
	struct kretprobe *rp = data;
	int bit = ftrace_test_recursion_trylock((unsigned long)rp->kp.addr, 0);

	if (unlikely(bit < 0)) {
		rp->kp.nmissed++;
		return;
	}
	rp->handler(container_of(node, struct kretprobe_instance, node), regs);
	ftrace_test_recursion_unlock(bit);
}
NOKPROBE_SYMBOL(tap_kprobe_batch_return);

/* For good, since calls may be under way when the batch goes. */
static void tap_kprobe_batch_take_returns(struct kretprobe *rp)
{
	rcu_assign_pointer(rp->rh->handler, tap_kprobe_batch_return);
}
#else
static void tap_kprobe_batch_take_returns(struct kretprobe *rp)
{
}
#endif

/**
 * tap_kprobe_batch_make() - a batch without members
 * @nr: how many it will have at most
 *
 * Return: the batch, which tap_kprobe_batch_start() takes over; or NULL.
 */
struct tap_kprobe_batch *tap_kprobe_batch_make(unsigned int nr)
{
	unsigned int bits = order_base_2(nr) + 1;
	struct tap_kprobe_batch *batch = kvzalloc(struct_size(batch, entries, 1UL << bits),
						  GFP_KERNEL_ACCOUNT);

	if (!batch)
		return NULL;
	batch->bits = bits;
	batch->ops.func = tap_ftrace_func(tap_kprobe_batch_event);
	batch->ops.flags = FTRACE_OPS_FL_SAVE_REGS | TAP_FTRACE_DIRECT;
	return batch;
}

/**
 * tap_kprobe_batch_add() - add a member
 * @batch: not started
 * @member: tap_kprobe_batch_takes() it
 */
void tap_kprobe_batch_add(struct tap_kprobe_batch *batch, struct tap_batched *member)
{
	unsigned long ip = (unsigned long)member->rp.kp.addr;
	struct tap_kprobe_batch_entry *entry;

	tap_kprobe_batch_each(batch, entry, ip)
		;
	if (member->rp.handler)
		tap_kprobe_batch_take_returns(&member->rp);
	entry->ip = ip;
	entry->member = member;
	member->batch = batch;
	batch->nr++;
}

/* Whether a place is that of a member, and the first of those at its address. */
static bool tap_kprobe_batch_first(struct tap_kprobe_batch *batch,
				   const struct tap_kprobe_batch_entry *of)
{
	struct tap_kprobe_batch_entry *entry;

	tap_kprobe_batch_each(batch, entry, of->ip)
		if (entry->ip == of->ip && entry->member)
			return entry == of;
	return false;
}

static int tap_kprobe_batch_filter(struct tap_kprobe_batch *batch)
{
	unsigned long *ips = kvmalloc_array(batch->nr, sizeof(*ips), GFP_KERNEL);
	unsigned int i, nr = 0;
	int ret;

	if (!ips)
		return -ENOMEM;
	for (i = 0; i < 1U << batch->bits; i++)
		if (tap_kprobe_batch_first(batch, &batch->entries[i]))
			ips[nr++] = batch->entries[i].ip;
	ret = ftrace_set_filter_ips(&batch->ops, ips, nr, 0, 1);
	kvfree(ips);
	return ret;
}

/* Nobody is a member any more; whether it is registered or not. */
static void tap_kprobe_batch_free(struct tap_kprobe_batch *batch)
{
	struct tap_kprobe_batch_entry *entry;
	unsigned int i;

	for (i = 0; i < 1U << batch->bits; i++) {
		entry = &batch->entries[i];
		if (entry->member)
			entry->member->batch = NULL;
		WRITE_ONCE(entry->member, NULL);
	}
	/* It waits for all events. If ftrace has broken down it is not safe to free. */
	if (batch->ops.flags & FTRACE_OPS_FL_ENABLED &&
	    unregister_ftrace_function(&batch->ops))
		return;
	ftrace_free_filter(&batch->ops);
	kvfree(batch);
}

/**
 * tap_kprobe_batch_start() - let the events of all members come
 * @batch: has members; is freed if that fails
 * @batches: those of the session
 *
 * Return: 0 or the contract's errno, then no event comes.
 */
int tap_kprobe_batch_start(struct tap_kprobe_batch *batch, struct list_head *batches)
{
	int ret = tap_kprobe_batch_filter(batch);

	if (!ret)
		ret = register_ftrace_function(&batch->ops);
	if (ret) {
		tap_kprobe_batch_free(batch);
		return tap_enable_error(ret);
	}
	list_add(&batch->batches, batches);
	return 0;
}

static void tap_kprobe_batch_stop(struct tap_kprobe_batch *batch)
{
	list_del(&batch->batches);
	tap_kprobe_batch_free(batch);
}

/**
 * tap_kprobe_batch_remove() - let no event of a member begin
 * @member: of a batch; the caller must wait with tap_kprobe_sync()
 */
void tap_kprobe_batch_remove(struct tap_batched *member)
{
	unsigned long ip = (unsigned long)member->rp.kp.addr;
	struct tap_kprobe_batch *batch = member->batch;
	struct tap_kprobe_batch_entry *entry;
	bool shared = false;

	/* A filter without functions is one that takes all. */
	if (batch->nr == 1) {
		tap_kprobe_batch_stop(batch);
		return;
	}
	tap_kprobe_batch_each(batch, entry, ip) {
		if (entry->member == member)
			WRITE_ONCE(entry->member, NULL);
		else if (entry->ip == ip && entry->member)
			shared = true;
	}
	member->batch = NULL;
	batch->nr--;
	/* It fails where its module is gone, and with it the place. */
	if (!shared)
		ftrace_set_filter_ip(&batch->ops, ip, 1, 0);
}

/**
 * tap_kprobe_batches_stop() - let no event of any batch come
 * @batches: those of a session
 *
 * When it returns no handler of theirs runs.
 */
void tap_kprobe_batches_stop(struct list_head *batches)
{
	struct tap_kprobe_batch *batch, *next;

	list_for_each_entry_safe(batch, next, batches, batches)
		tap_kprobe_batch_stop(batch);
}
