/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_RING_RING_H
#define _TAPMOD_RING_RING_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/poll.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <asm/local64.h>

#include "compat/arch.h"
#include "memory/memory.h"
#include "ring/clock.h"

/* The primitives that common/ring_core.h needs. */
#define TAP_RING_PAGE			PAGE_SIZE
#define tap_load_once(p)		READ_ONCE(*(p))
#define tap_store_once(p, v)		WRITE_ONCE(*(p), (v))
#define tap_load_acquire(p)		smp_load_acquire(p)	/* A and C of tap_ring.h */
#define tap_store_release(p, v)		smp_store_release((p), (v)) /* B of tap_ring.h */
#define tap_cmpxchg_local(p, o, n)	tap_arch_cmpxchg_local((p), (o), (n))
#define tap_add_local(p, v)		local64_add((v), (local64_t *)(p))
#define tap_clock(w)			tap_ring_clock(w)
#define tap_ring_wake(w)		tap_rings_wake(w)
#define tap_ring_slow(w, bytes)		tap_ring_slow_path(w, bytes)

struct tap_ring_writer;
struct tap_resv;

void tap_rings_wake(struct tap_ring_writer *w);
static __always_inline u64 tap_ring_clock(const struct tap_ring_writer *w);
struct tap_resv tap_ring_slow_path(struct tap_ring_writer *w, unsigned int bytes);

#include "common/ring_core.h"

struct tap_rings;

/**
 * struct tap_ring_cursor - where a panic is in a ring, see session/panic.c
 * @at: ring position
 * @end: the head when the panic began
 */
struct tap_ring_cursor {
	u64 at;
	u64 end;
};

/**
 * struct tap_ring - the ring of one CPU, or what stands for it
 * @w: state of the writers; on a cache line of its own. While there are no @pages it is that
 *	of a shut ring: @shut_head and @shut_tail, and a limit that lets no record pass
 * @due: the head when tap_rings_timer() last ran. A record before it makes the session
 *	readable, even below the watermark
 * @taken: slots reserved plus events lost, at the governor's last tick; under the
 *	session's lock
 * @clock: the session's clock
 * @owner: the rings of the session
 * @pages: the tail page, the head page, then the pages of the slots; NULL: the CPU has no
 *	ring. Set once, by a store-release, while the CPU is offline or the session not set up
 * @base: kernel mapping of @pages, in this order. User space has mappings of its own
 * @shut_head: of a shut ring; its @lost counts the events that were dropped on this CPU
 * @shut_tail: of a shut ring; always 0
 * @cursor: only a panic uses it
 */
struct tap_ring {
	struct tap_ring_writer w ____cacheline_aligned;
	u64 due;
	u64 taken;
	enum tapmod_clock clock;
	struct tap_rings *owner;
	struct page **pages;
	void *base;
	struct tap_ring_head shut_head;
	struct tap_ring_tail shut_tail;
	struct tap_ring_cursor cursor;
};

static __always_inline u64 tap_ring_clock(const struct tap_ring_writer *w)
{
	return tap_clock_read(container_of(w, struct tap_ring, w)->clock);
}

/**
 * struct tap_clock_state - the session's clock as clock_jump.c last saw it
 * @node: in the list of watched rings
 * @raw: the session's clock
 * @boot: CLOCK_BOOTTIME at that moment, nanoseconds
 * @nr: number of jumps
 * @before: @raw of the last sample before the last jump
 * @after: @raw of the first sample after it
 * @ticks: sum of all jumps: what a reader has to add to raw times from now on
 *
 * All under tap_jump_lock.
 */
struct tap_clock_state {
	struct list_head node;
	u64 raw;
	u64 boot;
	u64 nr;
	u64 before;
	u64 after;
	u64 ticks;
};

/**
 * struct tap_trigger - the trigger of a session whose rings are overwritten
 * @time: raw time of the trigger; 0: there is none, and the next event that triggers sets it
 * @after: ticks after @time in which a further trigger belongs to the same window
 * @probe: the probe whose event triggered; written after @time, by that event
 * @cpu: its CPU, likewise
 * @merged: further triggers up to @time + @after
 * @missed: those after that
 */
struct tap_trigger {
	u64 time;
	u64 after;
	u32 probe;
	u32 cpu;
	atomic64_t merged;
	atomic64_t missed;
};

/**
 * struct tap_rings - the rings of a session, and how their reader is woken
 * @ring: a struct tap_ring for each possible CPU; NULL before set-up. tap_rings_publish()
 *	writes it once, under the session's lock, by a store-release: mmap and poll take no
 *	lock
 * @made: the same, from tap_rings_alloc() on; under the session's lock
 * @bytes: bytes of slots in each ring
 * @stride: mmap offset from one ring to the next, in bytes
 * @wake_ms: see struct tap_setup
 * @khz: frequency of the raw counter if it is the session's clock; else 0
 * @clock: how the session's clock is read
 * @clock_state: for clock_jump.c
 * @armed: a reader sleeps, or is about to sleep. The first writer that crosses a
 *	watermark clears it and queues @kick
 * @readers: wait queue of poll
 * @kick: wakes @readers; a writer may queue it in any context, NMI included
 * @kicked: @kick was queued
 * @timer: runs @wake_ms after a poll, and again while @readers has a waiter
 * @meta: page of struct tap_meta
 * @anchor: page of struct tap_anchor, by which a reader of a dump finds all this
 * @described: bytes of the description that are charged to @memory, under the session's lock
 * @nr_made: CPUs that have a ring; tap_rings_prepare() writes it, with WRITE_ONCE()
 * @watermark: see struct tap_ring_writer
 * @memory: what the session has of the bound for all sessions
 * @charged: bytes that are charged to @memory
 * @overwrite: new records go over old ones
 * @trigger: of a session that overwrites; in the first of its two sets
 * @gate: the state of the gate, see gate.c; in the first set as well
 */
struct tap_rings {
	struct tap_ring __percpu *ring;
	struct tap_ring __percpu *made;
	u64 bytes;
	u64 stride;
	u32 wake_ms;
	u32 khz;
	enum tapmod_clock clock;
	struct tap_clock_state clock_state;
	bool armed;
	wait_queue_head_t readers;
	struct irq_work kick;
	bool kicked;
	struct delayed_work timer;
	struct page *meta;
	struct page *anchor;
	u64 described;
	u32 nr_made;
	u64 watermark;
	struct tap_memory *memory;
	u64 charged;
	bool overwrite;
	struct tap_trigger trigger;
	atomic64_t gate;
};

/**
 * struct tap_anchor_owner - whose session an anchor belongs to
 * @id: see struct tapmod_session
 * @opened: as there
 * @pid: as there
 * @comm: as there
 */
struct tap_anchor_owner {
	u64 id;
	u64 opened;
	u32 pid;
	const char *comm;
};

/**
 * tap_rings_kick() - wake a sleeping reader soon
 * @rings: published
 *
 * Context: any, NMI included, preemption off, on a CPU that is online.
 */
static __always_inline void tap_rings_kick(struct tap_rings *rings)
{
	/* tap_rings_free() reads it when all writers have ended. */
	WRITE_ONCE(rings->kicked, true);
	irq_work_queue(&rings->kick);
}

void tap_ring_shut(struct tap_ring *ring);
void tap_rings_init(struct tap_rings *rings, struct tap_memory *memory);
int tap_rings_prepare(struct tap_rings *rings, unsigned int cpu, gfp_t gfp);
u64 tap_rings_bytes(const struct tap_rings *rings);
int tap_rings_alloc(struct tap_rings *rings, const struct tap_setup *setup,
		    u64 features);
void tap_rings_publish(struct tap_rings *rings, const struct tap_anchor_owner *owner);
int tap_rings_describe(struct tap_rings *rings, const void __user *data, u64 len);
void tap_rings_discard(struct tap_rings *rings);
void tap_rings_free(struct tap_rings *rings);
__poll_t tap_rings_poll(struct tap_rings *rings, struct file *file,
			struct poll_table_struct *wait);
u64 tap_rings_flush(struct tap_rings *rings);

/**
 * tap_rings_ready() - whether the session has been set up
 * @rings: rings of a session
 *
 * Context: any; needs no lock. A caller that gets true sees all members of @rings as
 *	tap_rings_alloc() set them.
 */
static inline bool tap_rings_ready(const struct tap_rings *rings)
{
	/* Pairs with the store-release in tap_rings_publish(). */
	return smp_load_acquire(&rings->ring);
}

/**
 * tap_ring_exists() - whether a CPU has a ring
 * @ring: of the CPU
 *
 * Context: any; needs no lock. A caller that gets true sees all members of @ring.
 */
static inline bool tap_ring_exists(const struct tap_ring *ring)
{
	/* Pairs with the store-release in tap_rings_prepare(). */
	return smp_load_acquire(&ring->pages);
}

/* clock_jump.c */
void tap_jumps_watch(struct tap_rings *rings);
void tap_jumps_unwatch(struct tap_rings *rings);
void tap_jumps_begin(struct tap_rings *rings, struct tap_ring *ring);
void tap_jumps_check(struct tap_rings *rings);
void tap_jumps_init(void);
void tap_jumps_exit(void);

/* ring_mmap.c */
u64 tap_rings_end(const struct tap_rings *rings);
int tap_rings_mmap(struct tap_rings *rings, struct vm_area_struct *vma, u64 first);

/* gate.c */
bool tap_rings_gate(struct tap_rings *rings, u32 step);
int tap_rings_gate_set(struct tap_rings *rings, struct tap_gate *gate);

/* trigger.c */
bool tap_rings_trigger(struct tap_rings *rings, u32 probe);

#endif /* _TAPMOD_RING_RING_H */
