// SPDX-License-Identifier: GPL-2.0
/*
 * Rings of a session: allocation, the writer's slow path, waking the reader.
 */
#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/log2.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/vmalloc.h>

#include "ring/anchor.h"
#include "ring/ring.h"

/* Pages after which a loop over a ring's pages lets other tasks run. */
#define TAP_RING_YIELD_PAGES	1024

/* Before the slots of each ring: the tail page and the head page. */
#define TAP_RING_EXTRA_PAGES	2

/* A writer passes the records of two watermarks at most, in any context: see tap_ring_pass(). */
#define TAP_OVERWRITE_WATERMARK	4096

/**
 * tap_rings_wake() - wake a sleeping reader
 * @w: ring of the writer that crossed a watermark, or found the ring full
 *
 * Each poll arms at most one wake-up. No barrier orders the writer's store of the head
 * before its load of @armed, so a writer may miss a reader that is in tap_rings_poll()
 * at this moment. Then the timer wakes the reader.
 *
 * The timer also wakes the reader if this CPU is going offline. An irq_work that is
 * queued after the CPU last ran its list would never run, and irq_work_sync() in
 * tap_rings_free() would wait forever. The CPU leaves cpu_online_mask before it runs
 * that list for the last time, so the test of cpu_online() is enough.
 *
 * Context: any, NMI included.
 */
void tap_rings_wake(struct tap_ring_writer *w)
{
	struct tap_rings *rings = container_of(w, struct tap_ring, w)->owner;

	if (!READ_ONCE(rings->armed) || !cpu_online(raw_smp_processor_id()))
		return;
	WRITE_ONCE(rings->armed, false);
	tap_rings_kick(rings);
}
NOKPROBE_SYMBOL(tap_rings_wake);

/**
 * tap_ring_slow_path() - tap_ring_reserve_slow() out of line, so that the fast path is small
 * @w: ring of this CPU
 * @bytes: see tap_ring_reserve_slow()
 *
 * Context: any, on the ring's CPU, preemption off. tap_ring_flush() also calls it for the
 *	ring of an offline CPU, under cpus_read_lock().
 * Return: see tap_ring_reserve_slow().
 */
noinline struct tap_resv tap_ring_slow_path(struct tap_ring_writer *w,
					    unsigned int bytes)
{
	return tap_ring_reserve_slow(w, bytes);
}
NOKPROBE_SYMBOL(tap_ring_slow_path);

static void tap_rings_kicked(struct irq_work *work)
{
	struct tap_rings *rings = container_of(work, struct tap_rings, kick);

	wake_up_interruptible_poll(&rings->readers, EPOLLIN | EPOLLRDNORM);
}

/*
 * Whether to wake the reader of a ring: the watermark is reached, or a record has been
 * unread since the timer last ran. The tail is not validated: a wrong tail affects only
 * the wake-ups of the user who wrote it.
 */
static bool tap_ring_readable(const struct tap_ring *ring)
{
	u64 tail, head;

	if (!tap_ring_exists(ring))
		return false;
	/* Tail first: the acquire orders the load of the head after it, so head >= tail. */
	tail = smp_load_acquire(&ring->w.tail->tail);
	head = READ_ONCE(ring->w.head->head);

	return head - tail >= ring->w.watermark ||
	       (s64)(READ_ONCE(ring->due) - tail) > 0;
}

static bool tap_rings_readable(const struct tap_rings *rings)
{
	int cpu;

	if (!atomic64_read(&rings->gate))
		return true;
	/* What such rings have is read after a trigger. */
	if (rings->overwrite)
		return READ_ONCE(rings->trigger.time);
	for_each_possible_cpu(cpu)
		if (tap_ring_readable(per_cpu_ptr(rings->ring, cpu)))
			return true;
	return false;
}

static void tap_rings_timer(struct work_struct *work)
{
	struct tap_rings *rings =
		container_of(to_delayed_work(work), struct tap_rings, timer);
	int cpu;

	for_each_possible_cpu(cpu) {
		struct tap_ring *ring = per_cpu_ptr(rings->ring, cpu);

		if (tap_ring_exists(ring))
			WRITE_ONCE(ring->due, READ_ONCE(ring->w.head->head));
	}
	if (tap_rings_readable(rings))
		wake_up_interruptible_poll(&rings->readers,
					   EPOLLIN | EPOLLRDNORM);
	/* No lock is needed: a poll that is not seen here schedules the timer itself. */
	if (waitqueue_active(&rings->readers))
		schedule_delayed_work(&rings->timer,
				      msecs_to_jiffies(rings->wake_ms));
}

/**
 * tap_rings_poll() - the poll operation of a session
 * @rings: rings of the session, perhaps not set up yet
 * @file: as for file_operations.poll
 * @wait: as for file_operations.poll
 *
 * A session is readable if a ring is filled to the watermark, or a record has been unread
 * since the timer last ran; one whose rings are overwritten, if there is a trigger; any, if its
 * gate has ended. Any number of tasks may poll at the same time.
 *
 * Context: process, without the session's lock.
 * Return: EPOLLIN | EPOLLRDNORM if readable, else 0; EPOLLERR before set-up.
 */
__poll_t tap_rings_poll(struct tap_rings *rings, struct file *file,
			struct poll_table_struct *wait)
{
	poll_wait(file, &rings->readers, wait);
	if (!tap_rings_ready(rings))
		return EPOLLERR;
	/* Writers that overwrite wake nobody: tap_rings_trigger() does. */
	WRITE_ONCE(rings->armed, !rings->overwrite);
	/*
	 * Orders the store of armed before the loads of the heads. tap_rings_wake() has no
	 * matching barrier: the timer wakes a reader that a writer missed.
	 */
	smp_mb();
	schedule_delayed_work(&rings->timer, msecs_to_jiffies(rings->wake_ms));
	return tap_rings_readable(rings) ? EPOLLIN | EPOLLRDNORM : 0;
}

struct tap_flush_arg {
	struct tap_rings *rings;
	int cpu;
	u64 pending;
};

/* Runs on the ring's CPU with interrupts off, or on any CPU if that one is offline. */
static void tap_ring_flush(void *data)
{
	struct tap_flush_arg *arg = data;
	struct tap_ring_writer *w = &per_cpu_ptr(arg->rings->ring, arg->cpu)->w;

	tap_ring_slow_path(w, 0);
	arg->pending = tap_ring_unreported(w);
}

/**
 * tap_rings_flush() - write the gap records that are due
 * @rings: rings for which tap_rings_ready() is true
 *
 * cpus_read_lock() keeps an offline CPU from coming online, and so from becoming a
 * second writer, while this function writes to its ring.
 *
 * Context: process, may sleep.
 * Return: losses that are still pending because a ring has no room. Losses of a CPU without
 *	a ring are not among them: nothing that the reader does makes room for them.
 */
u64 tap_rings_flush(struct tap_rings *rings)
{
	u64 pending = 0;
	int cpu;

	cpus_read_lock();
	for_each_possible_cpu(cpu) {
		struct tap_flush_arg arg = { .rings = rings, .cpu = cpu };
		struct tap_ring *ring = per_cpu_ptr(rings->ring, cpu);

		if (!tap_ring_exists(ring) || !tap_ring_unreported(&ring->w))
			continue;
		/* The number of unreported losses is exact only on the ring's own CPU. */
		if (cpu_online(cpu))
			smp_call_function_single(cpu, tap_ring_flush, &arg, true);
		else
			tap_ring_flush(&arg);
		pending += arg.pending;
	}
	cpus_read_unlock();
	return pending;
}

static void tap_pages_free(struct page **pages, unsigned int nr_pages)
{
	unsigned int i;

	/* get_user_pages() may hold references: such a page is freed when they are dropped. */
	for (i = 0; i < nr_pages && pages[i]; i++) {
		__free_page(pages[i]);
		if (!(i % TAP_RING_YIELD_PAGES))
			cond_resched();
	}
	kvfree(pages);
}

static void tap_ring_free(struct tap_ring *ring, unsigned int nr_pages)
{
	if (!ring->pages)
		return;
	vunmap(ring->base);
	tap_pages_free(ring->pages, nr_pages);
}

/*
 * Allocates single pages on the CPU's node. Only a task that sets up its own session asks
 * for memory that is charged to its cgroup: a signal may end that, but not the work of a
 * task that brings a CPU online.
 */
static struct page **tap_pages_alloc(unsigned int cpu, unsigned int nr_pages, gfp_t gfp)
{
	struct page **pages = kvcalloc(nr_pages, sizeof(*pages), gfp);
	int ret = -ENOMEM;
	unsigned int i;

	if (!pages)
		return ERR_PTR(ret);
	for (i = 0; i < nr_pages; i++) {
		if (gfp & __GFP_ACCOUNT && fatal_signal_pending(current)) {
			ret = -EINTR;
			goto err_free;
		}
		if (!(i % TAP_RING_YIELD_PAGES))
			cond_resched();
		pages[i] = alloc_pages_node(cpu_to_node(cpu),
					    gfp | __GFP_ZERO | __GFP_NORETRY |
					    __GFP_NOWARN, 0);
		if (!pages[i])
			goto err_free;
	}
	return pages;

err_free:
	tap_pages_free(pages, nr_pages);
	return ERR_PTR(ret);
}

static unsigned int tap_rings_pages(const struct tap_rings *rings)
{
	return (rings->bytes >> PAGE_SHIFT) + TAP_RING_EXTRA_PAGES;
}

static u64 tap_rings_percpu_bytes(void)
{
	return (u64)num_possible_cpus() * sizeof(struct tap_ring);
}

/* Charges memory of the rings; tap_rings_release() gives it back. Returns 0 or -ENOMEM. */
static int tap_rings_charge(struct tap_rings *rings, u64 bytes)
{
	int ret = tap_memory_charge(rings->memory, bytes);

	if (!ret)
		rings->charged += bytes;
	return ret;
}

static void tap_rings_uncharge(struct tap_rings *rings, u64 bytes)
{
	tap_memory_uncharge(rings->memory, bytes);
	rings->charged -= bytes;
}

static void tap_rings_release(struct tap_rings *rings,
			      struct tap_ring __percpu *ring)
{
	int cpu;

	/* Before the pages that it lists. */
	if (rings->anchor)
		tap_anchor_free(rings->anchor);
	rings->anchor = NULL;
	for_each_possible_cpu(cpu)
		tap_ring_free(per_cpu_ptr(ring, cpu), tap_rings_pages(rings));
	free_percpu(ring);
	if (rings->meta)
		__free_page(rings->meta);
	rings->meta = NULL;
	WRITE_ONCE(rings->nr_made, 0);
	tap_rings_uncharge(rings, rings->charged);
	tap_memory_uncharge(rings->memory, rings->described);
	rings->described = 0;
}

static void tap_rings_fill_meta(const struct tap_rings *rings, u64 features)
{
	struct tap_meta *meta = page_address(rings->meta);

	meta->magic = TAP_META_MAGIC;
	meta->version = TAP_META_VERSION;
	meta->length = sizeof(*meta);
	meta->page_size = PAGE_SIZE;
	meta->nr_rings = nr_cpu_ids;
	meta->ring_bytes = rings->bytes;
	meta->ring_offset = rings->stride;
	meta->ring_stride = rings->stride;
	meta->watermark = rings->watermark;
	meta->wake_ms = rings->wake_ms;
	meta->features = features;
	/* As tap_rings_prepare() sets w.head and w.tail. */
	meta->head_offset = 0;
	meta->tail_offset = 0;
	tap_clock_fill(meta, rings->clock, rings->khz);
}

/**
 * tap_ring_shut() - make a ring that never takes a record
 * @ring: without pages
 *
 * The hot path has no test for such a ring: an event finds the ring full, by the shortest
 * way, and is counted as lost_full.
 *
 * Context: any; no event uses the ring.
 */
void tap_ring_shut(struct tap_ring *ring)
{
	ring->w.head = &ring->shut_head;
	ring->w.tail = &ring->shut_tail;
	/* No record fits; tap_ring_still_full() finds the tail and the limit unchanged. */
	ring->w.limit = TAP_LIMIT_FULL;
}

/**
 * tap_rings_init() - initialize the rings of a new session; allocates nothing
 * @rings: zeroed
 * @memory: where to charge what is allocated later
 *
 * Context: process, before another task can see the session.
 */
void tap_rings_init(struct tap_rings *rings, struct tap_memory *memory)
{
	init_waitqueue_head(&rings->readers);
	init_irq_work(&rings->kick, tap_rings_kicked);
	INIT_DELAYED_WORK(&rings->timer, tap_rings_timer);
	rings->memory = memory;
	atomic64_set(&rings->gate, S64_MAX);
}

/**
 * tap_rings_alloc() - prepare the rings of a session; no CPU has one yet
 * @rings: initialized, for which tap_rings_ready() is false; on success the caller calls
 *	tap_rings_prepare() for the CPUs that are online, and then tap_rings_publish() or
 *	tap_rings_discard()
 * @setup: sizes as the user gave them; checked here
 * @features: TAP_FEATURE_*, stored in the meta page
 *
 * The memory is charged to the caller's memory cgroup, and to the bound for all sessions.
 * On error @rings is as before.
 *
 * Context: process, may sleep, under the session's lock.
 * Return: 0; -EINVAL: a size is out of range; -ENOMEM.
 */
int tap_rings_alloc(struct tap_rings *rings, const struct tap_setup *setup,
		    u64 features)
{
	bool overwrite = setup->flags & TAP_SETUP_F_OVERWRITE;
	u64 watermark = setup->watermark ?: setup->ring_bytes / 4;
	struct tap_ring __percpu *ring;
	int cpu;

	if (!is_power_of_2(setup->ring_bytes) ||
	    setup->ring_bytes < max_t(u64, TAP_MIN_RING_BYTES, PAGE_SIZE) ||
	    setup->ring_bytes > TAP_MAX_RING_BYTES)
		return -EINVAL;
	if (!is_power_of_2(watermark) || watermark < TAP_SLOT_SIZE ||
	    watermark > setup->ring_bytes || setup->wake_ms > TAP_MAX_WAKE_MS ||
	    (overwrite && setup->watermark))
		return -EINVAL;

	if (tap_rings_charge(rings, tap_rings_percpu_bytes()))
		return -ENOMEM;
	ring = alloc_percpu_gfp(struct tap_ring, GFP_KERNEL_ACCOUNT);
	if (!ring) {
		tap_rings_uncharge(rings, rings->charged);
		return -ENOMEM;
	}
	rings->bytes = setup->ring_bytes;
	/* Slots and extra pages fit; a power of two, because tap_rings_mmap() shifts by it. */
	rings->stride = 2 * max_t(u64, rings->bytes, 2 * PAGE_SIZE);
	rings->wake_ms = setup->wake_ms ?: TAP_DEFAULT_WAKE_MS;
	rings->clock = tap_clock_choose(setup->flags, &rings->khz);
	rings->overwrite = overwrite;
	rings->watermark = overwrite ? min_t(u64, watermark, TAP_OVERWRITE_WATERMARK) : watermark;

	rings->meta = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	rings->anchor = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!rings->meta || !rings->anchor) {
		tap_rings_release(rings, ring);
		return -ENOMEM;
	}
	for_each_possible_cpu(cpu) {
		struct tap_ring *r = per_cpu_ptr(ring, cpu);

		r->owner = rings;
		r->clock = rings->clock;
		tap_ring_shut(r);
		/* A gap record that reports losses from before the ring was made begins here. */
		r->w.begin = tap_clock_read(rings->clock);
	}
	tap_rings_fill_meta(rings, features);
	rings->made = ring;
	return 0;
}

/**
 * tap_rings_prepare() - make the ring of a CPU
 * @rings: tap_rings_alloc() has succeeded
 * @cpu: a possible CPU on which no event uses @rings: it is offline, or the rings are not
 *	published
 * @gfp: GFP_KERNEL_ACCOUNT to charge the memory cgroup of the current task, which sets up
 *	its session; else GFP_KERNEL
 *
 * What events lost on the CPU while it had no ring is reported by the first gap record. If
 * the function fails, events go on to be lost there.
 *
 * Context: process, may sleep; the caller allows one call for @rings at a time.
 * Return: 1: the ring was made; 0: the CPU had one; -ENOMEM; -EINTR: the task was killed.
 */
int tap_rings_prepare(struct tap_rings *rings, unsigned int cpu, gfp_t gfp)
{
	struct tap_ring *r = per_cpu_ptr(rings->made, cpu);
	unsigned int nr_pages = tap_rings_pages(rings);
	u64 bytes = ((u64)nr_pages << PAGE_SHIFT) + tap_anchor_list_bytes(nr_pages);
	struct tap_meta *meta = page_address(rings->meta);
	struct tap_ring_head *head;
	struct page **pages;
	int ret;

	if (tap_ring_exists(r))
		return 0;
	ret = tap_rings_charge(rings, bytes);
	if (ret)
		return ret;
	pages = tap_pages_alloc(cpu, nr_pages, gfp);
	if (IS_ERR(pages)) {
		ret = PTR_ERR(pages);
		goto err_uncharge;
	}
	r->base = vmap(pages, nr_pages, VM_MAP, PAGE_KERNEL);
	if (!r->base || tap_anchor_add_ring(rings->anchor, cpu, pages, nr_pages, gfp)) {
		vunmap(r->base);
		r->base = NULL;
		tap_pages_free(pages, nr_pages);
		ret = -ENOMEM;
		goto err_uncharge;
	}
	head = r->base + PAGE_SIZE;
	head->lost = r->shut_head.lost;
	/* The governor may read the head meanwhile: both pointers are good. */
	WRITE_ONCE(r->w.tail, rings->overwrite ? &r->w.passed :
			      (const struct tap_ring_tail *)r->base);
	WRITE_ONCE(r->w.head, head);
	r->w.mask = rings->bytes - 1;
	r->w.watermark = rings->watermark;
	r->w.mark = rings->watermark;
	/* Losses are pending: the first writer takes the slow path and reports them. */
	r->w.limit = head->lost ? 0 : rings->watermark - 1;
	tap_jumps_begin(rings, r);
	/* Pairs with the load-acquire in tap_ring_exists(). */
	smp_store_release(&r->pages, pages);
	WRITE_ONCE(rings->nr_made, rings->nr_made + 1);
	/* After @pages: a reader that sees the new number can map the ring. */
	smp_store_release(&meta->nr_made, rings->nr_made);
	return 1;

err_uncharge:
	tap_rings_uncharge(rings, bytes);
	return ret;
}

/**
 * tap_rings_bytes() - size of the rings that exist
 * @rings: set up or not
 *
 * Context: any; needs no lock.
 * Return: bytes of slots of all rings together.
 */
u64 tap_rings_bytes(const struct tap_rings *rings)
{
	return tap_rings_ready(rings) ? rings->bytes * READ_ONCE(rings->nr_made) : 0;
}

/**
 * tap_rings_publish() - let mmap, poll and probes use the rings
 * @rings: tap_rings_alloc() has succeeded, and the CPUs that are online have rings
 * @owner: whose session it is
 *
 * Context: process, under the session's lock.
 */
void tap_rings_publish(struct tap_rings *rings, const struct tap_anchor_owner *owner)
{
	tap_anchor_publish(rings->anchor, owner, rings->meta);
	/* Pairs with the load-acquire in tap_rings_ready(). */
	smp_store_release(&rings->ring, rings->made);
	tap_jumps_watch(rings);
}

/**
 * tap_rings_describe() - keep what a reader of a dump needs to know of the session
 * @rings: rings for which tap_rings_ready() is true
 * @data: see struct tap_describe
 * @len: as there
 *
 * Context: process, may sleep, under the session's lock.
 * Return: 0; -EINVAL: @len is out of range; -ENOMEM; -EINTR: the task was killed; -EFAULT. On error
 *	the description is as before.
 */
int tap_rings_describe(struct tap_rings *rings, const void __user *data, u64 len)
{
	u64 nr_pages = DIV_ROUND_UP_ULL(len, PAGE_SIZE);
	u64 bytes = (nr_pages << PAGE_SHIFT) + tap_anchor_list_bytes(nr_pages);
	int ret;

	if (len > TAP_MAX_DESCRIPTION)
		return -EINVAL;
	/* While it is replaced, the old one is there too. */
	ret = tap_memory_charge(rings->memory, bytes);
	if (ret)
		return ret;
	ret = tap_anchor_describe(rings->anchor, data, len);
	tap_memory_uncharge(rings->memory, ret ? bytes : rings->described);
	if (!ret)
		rings->described = bytes;
	return ret;
}

/**
 * tap_rings_discard() - free rings that nothing uses yet
 * @rings: tap_rings_alloc() has succeeded, and they were not published
 *
 * Context: process, may sleep, under the session's lock.
 */
void tap_rings_discard(struct tap_rings *rings)
{
	tap_rings_release(rings, rings->made);
	rings->made = NULL;
}

/**
 * tap_rings_free() - free the rings of a session
 * @rings: no probe writes to them any longer. No mapping exists: a mapping holds the
 *	file, and tap_release() calls this function
 *
 * Context: process, may sleep.
 */
void tap_rings_free(struct tap_rings *rings)
{
	/* Nothing wakes a reader of rings that were not published. */
	if (!rings->ring)
		return;
	/* First: a jump of the clock wakes the reader. */
	tap_jumps_unwatch(rings);
	/* With PREEMPT_RT it waits for a grace period, also for a work that was never queued. */
	if (READ_ONCE(rings->kicked))
		irq_work_sync(&rings->kick);
	cancel_delayed_work_sync(&rings->timer);
	tap_rings_release(rings, rings->ring);
}
