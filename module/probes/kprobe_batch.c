// SPDX-License-Identifier: GPL-2.0
/*
 * kprobe batches: kprobes at function entries, and return probes, that are armed and
 * disarmed in one step.
 *
 * The kernel arms each kprobe on its own, and walks all functions that ftrace knows
 * several times for each: 1000 kprobes take 7 s to arm and 9 s to disarm. So the kprobes
 * that one command enables share an ftrace_ops of ours, whose filter is set once. They
 * stay registered, disabled: the kernel still decides what may be probed, and marks them
 * gone when their module is unloaded.
 *
 * An event looks up its address in a table, which changes only when kprobes leave it. Then
 * it calls their handlers as kprobe_ftrace_handler() would. For a return probe the handler
 * is the kernel's pre_handler_kretprobe(), which sets up the return.
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
 * struct tap_kprobe_batch_entry - a slot of the hash table
 * @ip: address of a function entry; 0: the slot was never used
 * @member: the kprobe there; NULL: it has left. Events read it without a lock
 */
struct tap_kprobe_batch_entry {
	unsigned long ip;
	struct tap_batched *member;
};

/**
 * struct tap_kprobe_batch - kprobes that are armed together
 * @ops: registered from tap_kprobe_batch_start() on; its filter has the members' functions
 * @batches: in the session's list, under the session's lock
 * @nr: members that have not left, under the session's lock
 * @bits: log2 of the number of @entries
 * @entries: hash table by @ip with linear probing; at most half of it is used, so a search
 *	ends at an unused slot
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

/*
 * ftrace calls this at the entry of a member's function. Preemption is off before
 * entry->member is read: after tap_kprobe_batch_remove(), TAP_SYNC_KPROBE waits for it.
 */
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
		/* At the address of a gone kprobe there may be another module by now. */
		if (entry->ip != ip || !member || kprobe_gone(kp))
			continue;
		if (unlikely(bit < 0)) {
			kp->nmissed++;
			continue;
		}
		/* kprobe handlers expect the address behind the breakpoint instruction. */
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
 * Handles the return of a call that a batch has started, instead of the kernel's
 * kretprobe_rethook_handler(). That one sets current_kprobe, and resets it to NULL at its
 * end. For the kernel this is right: it starts no call while current_kprobe is set. But
 * tap_kprobe_batch_event() does not look at current_kprobe. So a call may start and return
 * inside a kernel kprobe's handler, and would reset current_kprobe for it. Hence this
 * handler leaves current_kprobe alone; recursion is bounded as in
 * tap_kprobe_batch_event().
 *
 * The kernel calls it with preemption off, and no longer after unregister_kretprobe().
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

/* Stays after the batch has ended: calls that it started may still be in flight. */
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
 * tap_kprobe_batch_make() - allocate a batch without members
 * @nr: members that it will have at most, at least 1
 *
 * Context: process, may sleep.
 * Return: the batch, to be given to tap_kprobe_batch_start(); NULL: no memory.
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
	/* PERMANENT: kernel.ftrace_enabled cannot be set to 0, which would lose events silently. */
	batch->ops.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_PERMANENT |
			   TAP_FTRACE_DIRECT;
	return batch;
}

/**
 * tap_kprobe_batch_add() - add a member
 * @batch: not started
 * @member: registered, disabled; tap_kprobe_batch_takes() returned true for it
 *
 * Context: process, under the session's lock.
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

/* Whether @of is the first member at its address: the filter has each address once. */
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

/* Frees a batch, started or not. Its members that are left have no batch afterwards. */
static void tap_kprobe_batch_free(struct tap_kprobe_batch *batch)
{
	struct tap_kprobe_batch_entry *entry;
	unsigned int i;
	int ret = 0;

	/*
	 * Waits for all handlers. Until then events count, as they take their time. If it fails,
	 * the batch is leaked.
	 */
	if (batch->ops.flags & FTRACE_OPS_FL_ENABLED)
		ret = tap_ftrace_unregister(&batch->ops);
	for (i = 0; i < 1U << batch->bits; i++) {
		entry = &batch->entries[i];
		if (entry->member)
			entry->member->batch = NULL;
		WRITE_ONCE(entry->member, NULL);
	}
	if (ret)
		return;
	ftrace_free_filter(&batch->ops);
	kvfree(batch);
}

/**
 * tap_kprobe_batch_start() - arm all members
 * @batch: has members; freed on error
 * @batches: batches of the session
 *
 * Context: process, may sleep, under the session's lock.
 * Return: 0 or the UAPI's -errno; then no member is armed.
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

/*
 * Disarms a member, under the session's lock. The caller waits for its handlers:
 * TAP_SYNC_KPROBE.
 */
void tap_kprobe_batch_remove(struct tap_batched *member)
{
	unsigned long ip = (unsigned long)member->rp.kp.addr;
	struct tap_kprobe_batch *batch = member->batch;
	struct tap_kprobe_batch_entry *entry;
	bool shared = false;

	/* ftrace takes an empty filter for "all functions". */
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
	/* Fails if the module is unloaded: ftrace has removed the address then. */
	if (!shared)
		ftrace_set_filter_ip(&batch->ops, ip, 1, 0);
}

/**
 * tap_kprobe_batches_stop() - disarm all members of a session's batches
 * @batches: batches of the session
 *
 * When it returns, no handler of a batch runs. Handlers of returns may still run.
 *
 * Context: process, may sleep, under the session's lock.
 */
void tap_kprobe_batches_stop(struct list_head *batches)
{
	struct tap_kprobe_batch *batch, *next;

	list_for_each_entry_safe(batch, next, batches, batches)
		tap_kprobe_batch_stop(batch);
}
