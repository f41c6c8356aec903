// SPDX-License-Identifier: GPL-2.0
/*
 * The governor: rate-limits probes and reports throttling and losses in the stream.
 *
 * It reads the counters of a session ten times a second, in process context. The hot
 * path has no code for it: the rings pointer of a throttled probe leads to rings that
 * are always full. So its events take the path of a full ring, which is the shortest,
 * and are counted as lost_full. An event loads probe->rings once, before it reserves,
 * and uses that ring even if the governor changes the pointer meanwhile: see
 * tap_event_writer(). A call in flight keeps no ring.
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/percpu.h>

#include "core/notify.h"
#include "core/probe.h"
#include "core/session.h"
#include "memory/memory.h"
#include "perf/call_counters.h"
#include "session/governor.h"

/* Jiffies from one tick to the next. */
#define TAP_TICK	(HZ / 10)

/* A probe over its limit is throttled for this many ticks, then runs for one at least. */
#define TAP_THROTTLED_TICKS	9

/* Displaced counters are enabled again each so many ticks: that may fail each time. */
#define TAP_REVIVE_TICKS	10

/* A period of losses ends after this many ticks in a row without a loss. */
#define TAP_CALM_TICKS	10

/*
 * Records of a probe on a CPU at the governor's last tick, in the reserved part of its
 * counters, which user space does not get: tap_probe_count() leaves it out.
 */
#define tap_counters_seen(c)	((c)->__reserved[0])

static bool tap_exceeds(u64 count, u32 limit, u64 us)
{
	return limit != TAP_NO_LIMIT && count * USEC_PER_SEC > limit * us;
}

static u64 tap_session_raw(const struct tapmod_session *session)
{
	return tap_clock_read(session->rings.clock);
}

static u64 tap_full_ring_bytes(void)
{
	return (u64)num_possible_cpus() * sizeof(struct tap_ring);
}

static struct tap_ring __percpu *tap_full_ring_make(struct tapmod_session *session)
{
	struct tap_ring __percpu *full_ring;
	int cpu;

	if (tap_memory_charge(&session->memory, tap_full_ring_bytes()))
		return NULL;
	full_ring = alloc_percpu_gfp(struct tap_ring, GFP_KERNEL_ACCOUNT);
	if (!full_ring) {
		tap_memory_uncharge(&session->memory, tap_full_ring_bytes());
		return NULL;
	}
	for_each_possible_cpu(cpu)
		tap_ring_shut(per_cpu_ptr(full_ring, cpu));
	return full_ring;
}

/*
 * Events of a probe that were dropped on a CPU while it was throttled; under the session's
 * lock. They are counted as lost_full as well.
 */
u64 tap_governor_dropped(const struct tapmod_probe *probe, int cpu)
{
	struct tap_ring __percpu *full_ring = probe->governed.full_ring;

	return full_ring ? READ_ONCE(per_cpu_ptr(full_ring, cpu)->shut_head.lost) : 0;
}

static u64 tap_dropped(const struct tapmod_probe *probe)
{
	u64 dropped = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		dropped += tap_governor_dropped(probe, cpu);
	return dropped;
}

/*
 * Microseconds since the last tick began. Called after a counter was read, so this is
 * not less than the time between two reads of the counter, even if the governor was
 * delayed before one of them.
 */
static u64 tap_elapsed(const struct tapmod_session *session)
{
	return div_u64(ktime_get_ns() - session->governor.time, NSEC_PER_USEC);
}

/*
 * Whether the probe exceeded its limit on a CPU since the last tick; false if it was
 * not counted at that tick. Stores the counts for the next tick.
 */
static bool tap_too_many(const struct tapmod_session *session,
			 struct tapmod_probe *probe)
{
	struct tap_governed *governed = &probe->governed;
	bool known = governed->nr == session->governor.nr - 1;
	u64 most = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		struct tap_counters *c = per_cpu_ptr(probe->counters, cpu);
		u64 now = READ_ONCE(c->written) + READ_ONCE(c->lost_full) +
			  READ_ONCE(c->lost_nested);

		most = max(most, now - tap_counters_seen(c));
		tap_counters_seen(c) = now;
	}
	governed->nr = session->governor.nr;
	return known && tap_exceeds(most, governed->limit, tap_elapsed(session));
}

/* Sends the events of a probe to its full rings; false: there is no memory for them. */
static bool tap_shut(struct tapmod_session *session, struct tapmod_probe *probe)
{
	struct tap_governed *governed = &probe->governed;

	if (!governed->full_ring)
		governed->full_ring = tap_full_ring_make(session);
	if (!governed->full_ring)
		return false;
	/* Pairs with the address dependency of an event that loads probe->rings. */
	smp_store_release(&probe->rings, governed->full_ring);
	return true;
}

static void tap_throttle(struct tapmod_session *session, struct tapmod_probe *probe)
{
	struct tap_governed *governed = &probe->governed;
	struct tapmod_change change = { .what = TAP_NOTICE_THROTTLED };

	/* No memory: a later tick tries again. */
	if (!tap_shut(session, probe))
		return;
	governed->left = TAP_THROTTLED_TICKS;
	governed->since = tap_session_raw(session);
	change.since = governed->since;
	change.size = governed->limit;
	tap_notice(session, probe, &change);
}

static void tap_resume(struct tapmod_session *session, struct tapmod_probe *probe)
{
	struct tap_governed *governed = &probe->governed;
	struct tapmod_change change = {
		.what = TAP_NOTICE_RESUMED,
		.since = governed->since,
		.size = governed->limit,
	};
	u64 dropped;

	governed->left = 0;
	WRITE_ONCE(probe->rings, session->active->ring);
	dropped = tap_dropped(probe);
	change.count = dropped - governed->reported;
	governed->reported = dropped;
	tap_notice(session, probe, &change);
}

static void tap_govern(struct tapmod_session *session, struct tapmod_probe *probe,
		       bool hot)
{
	struct tap_governed *governed = &probe->governed;

	/* The budget drops its events already. */
	if (session->budget.state == TAP_BUDGET_DROPS)
		return;
	if (governed->left) {
		if (--governed->left)
			return;
		tap_resume(session, probe);
		/* Stores the counts, for the next tick to compare with. */
		tap_too_many(session, probe);
	} else if (hot && (!probe->counts || probe->flags & TAP_CREATE_F_RECORD) &&
		   tap_too_many(session, probe)) {
		tap_throttle(session, probe);
	}
}

/* Raises maxactive of a probe that has missed calls, within TAP_MAX_CALL_MEM and memory_max. */
static void tap_governor_raise_maxactive(struct tapmod_session *session, struct tapmod_probe *probe)
{
	struct tapmod_change change = {
		.what = TAP_NOTICE_MAXACTIVE_RAISED,
		.since = session->governor.raw,
	};
	u64 room = TAP_MAX_CALL_MEM - session->call_mem, bytes;

	if (!probe->ops->grow)
		return;
	bytes = probe->ops->grow(probe, min(room, tap_memory_left()), &change);
	if (!change.size)
		return;
	tap_memory_charge_done(&session->memory, bytes);
	probe->charged += bytes;
	probe->pool += bytes;
	session->call_mem += bytes;
	tap_notice(session, probe, &change);
}

/* Slots reserved and events lost in a ring since the last tick; adds all its losses to @lost. */
static u64 tap_ring_grown(const struct tap_rings *rings, int cpu, u64 *lost)
{
	struct tap_ring *ring = per_cpu_ptr(rings->ring, cpu);
	/* It changes when a CPU that comes online gets its ring; both are good. */
	const struct tap_ring_head *head = READ_ONCE(ring->w.head);
	u64 here = READ_ONCE(head->lost);
	u64 taken = (READ_ONCE(head->head) >> TAP_SLOT_SHIFT) + here;
	u64 grown = taken - ring->taken;

	ring->taken = taken;
	*lost += here;
	return grown;
}

/*
 * Whether a ring had more events than the smallest limit of a probe allows. If none
 * had, no probe can be over its limit, and the counters of all probes on all CPUs,
 * which may be thousands, are not read. A record has at least one slot.
 */
static bool tap_rings_hot(struct tapmod_session *session, u64 *lost)
{
	u64 most = 0;
	int cpu;

	*lost = 0;
	for_each_possible_cpu(cpu) {
		u64 grown = tap_ring_grown(&session->rings, cpu, lost);

		if (session->rings.overwrite)
			grown += tap_ring_grown(&session->spare, cpu, lost);
		most = max(most, grown);
	}
	return tap_exceeds(most, session->governor.least, tap_elapsed(session));
}

static void tap_govern_losses(struct tapmod_session *session, u64 lost)
{
	struct tap_governor *governor = &session->governor;
	struct tapmod_change change;

	if (lost != governor->lost) {
		if (!governor->losing) {
			governor->before = governor->lost;
			governor->since = governor->raw;
			change = (struct tapmod_change) {
				.what = TAP_NOTICE_LOSS_BEGAN,
				.since = governor->since,
				.count = lost - governor->before,
			};
			tap_notice(session, NULL, &change);
		}
		governor->lost = lost;
		governor->losing = TAP_CALM_TICKS;
	} else if (governor->losing && !--governor->losing) {
		change = (struct tapmod_change) {
			.what = TAP_NOTICE_LOSS_ENDED,
			.since = governor->since,
			.count = lost - governor->before,
		};
		tap_notice(session, NULL, &change);
	}
}

/* One tick, under the session's lock; returns whether another is needed. */
static bool tap_governor_look(struct tapmod_session *session)
{
	struct tap_governor *governor = &session->governor;
	u64 begin = ktime_get_ns(), lost;
	bool hot = tap_rings_hot(session, &lost);
	bool enabled = false;
	struct tapmod_probe *probe;
	unsigned long i;

	governor->nr++;
	tap_jumps_check(&session->rings);
	if (session->rings.overwrite)
		tap_jumps_check(&session->spare);
	xa_for_each(&session->probes, i, probe) {
		if (!probe->enabled)
			continue;
		enabled = true;
		tap_govern(session, probe, hot);
		tap_governor_raise_maxactive(session, probe);
		if (probe->ops->look)
			probe->ops->look(probe);
	}
	if (!(governor->nr % TAP_REVIVE_TICKS))
		tap_pmu_revive(session);
	tap_govern_losses(session, lost);
	tap_notices_write(session);
	governor->time = begin;
	governor->raw = tap_session_raw(session);
	return enabled || governor->losing;
}

/* The ticks of all sessions coincide, so that an idle machine is woken once for all. */
static void tap_governor_queue(struct tapmod_session *session)
{
	queue_delayed_work(system_highpri_wq, &session->governor.tick,
			   TAP_TICK - jiffies % TAP_TICK);
}

static void tap_governor_tick(struct work_struct *work)
{
	struct tapmod_session *session =
		container_of(to_delayed_work(work), struct tapmod_session,
			     governor.tick);
	bool again = true;

	/* A command may hold the lock for seconds: it calls tap_governor_due() then. */
	if (mutex_trylock(&session->lock)) {
		again = tap_governor_look(session);
		mutex_unlock(&session->lock);
	}
	if (again)
		tap_governor_queue(session);
}

/* Prepares the governor of a session that is all zero. */
void tap_governor_init(struct tapmod_session *session)
{
	INIT_DELAYED_WORK(&session->governor.tick, tap_governor_tick);
	session->governor.least = TAP_NO_LIMIT;
}

/*
 * Starts the ticks before a probe is enabled; they end by themselves if none is. The session
 * is locked and has rings.
 */
void tap_governor_start(struct tapmod_session *session)
{
	tap_governor_queue(session);
}

/*
 * Does a tick that is due. A command that arms or disarms many probes calls this between
 * them, and each command at its end: the ticks themselves find the session locked, while
 * probes that are armed already may exceed their limits. The session is locked.
 */
void tap_governor_due(struct tapmod_session *session)
{
	if (delayed_work_pending(&session->governor.tick) &&
	    ktime_get_ns() - session->governor.time >= jiffies_to_nsecs(TAP_TICK))
		tap_governor_look(session);
}

/*
 * Stops the ticks and waits for one that runs. The session is not locked, and no other
 * task uses it, so nothing starts them again.
 */
void tap_governor_stop(struct tapmod_session *session)
{
	cancel_delayed_work_sync(&session->governor.tick);
}

/* Sets the limit of a new probe, as in struct tap_create, under the session's lock. */
void tap_governor_add(struct tapmod_session *session, struct tapmod_probe *probe,
		      u32 limit)
{
	probe->governed.limit = limit ?: TAP_DEFAULT_LIMIT;
	session->governor.least = min(session->governor.least,
				      probe->governed.limit);
}

/*
 * Ends the throttling of a probe that was disabled, and reports what it dropped. The
 * session is locked, and no event of the probe runs.
 */
void tap_governor_disabled(struct tapmod_session *session, struct tapmod_probe *probe)
{
	/*
	 * An event in flight during tap_resume() may have been dropped after its count. What the
	 * budget drops is in its own notices: see tap_governor_record().
	 */
	if (probe->governed.left ||
	    (probe->governed.since && session->budget.state != TAP_BUDGET_DROPS &&
	     tap_dropped(probe) != probe->governed.reported))
		tap_resume(session, probe);
}

/*
 * For the budget: drops the events of all probes that have a cost, until tap_governor_record();
 * under the session's lock. A probe for whose full rings there is no memory goes on.
 */
void tap_governor_drop(struct tapmod_session *session)
{
	struct tapmod_probe *probe;
	unsigned long i;

	xa_for_each(&session->probes, i, probe) {
		if (probe->enabled &&
		    (probe->governed.hit_cost || probe->governed.passed_cost))
			tap_shut(session, probe);
		cond_resched();
	}
}

/*
 * For the budget: records the events of all probes again, but for those that are throttled, whose
 * drops tap_resume() reports. Returns the number of events that were dropped and that no notice has
 * reported.
 */
u64 tap_governor_record(struct tapmod_session *session)
{
	struct tapmod_probe *probe;
	u64 unreported = 0, dropped;
	unsigned long i;

	xa_for_each(&session->probes, i, probe) {
		struct tap_governed *governed = &probe->governed;

		cond_resched();
		if (!governed->full_ring || governed->left)
			continue;
		WRITE_ONCE(probe->rings, session->active->ring);
		dropped = tap_dropped(probe);
		unreported += dropped - governed->reported;
		governed->reported = dropped;
		/* Its records before this moment are not those of a tick. */
		governed->nr = 0;
	}
	return unreported;
}

/* Frees the full rings of a probe; no event of it runs any longer. */
void tap_governor_free(struct tapmod_probe *probe)
{
	if (!probe->governed.full_ring)
		return;
	free_percpu(probe->governed.full_ring);
	tap_memory_uncharge(&probe->session->memory, tap_full_ring_bytes());
}
