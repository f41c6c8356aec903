// SPDX-License-Identifier: GPL-2.0
/*
 * Windows: the two sets of rings of a session that overwrites are exchanged.
 *
 * Events find their rings by the pointer in their probe, which they load once: see
 * tap_event_writer(). The governor writes the same pointer. Both do so under the session's
 * lock, and a probe whose events are dropped gets the active set afterwards.
 */
#include <linux/atomic.h>
#include <linux/xarray.h>

#include "core/probe.h"
#include "core/session.h"
#include "session/session_ops.h"

/* Lets events go to the other set; when this returns, none writes to @from any longer. */
static void tap_window_exchange(struct tapmod_session *session, struct tap_rings *to)
{
	struct tapmod_probe *probe;
	unsigned long i;

	WRITE_ONCE(session->active, to);
	xa_for_each(&session->probes, i, probe) {
		/* The governor or the budget drops its events. */
		if (probe->rings == probe->governed.full_ring)
			continue;
		/* Pairs with the address dependency of an event that loads probe->rings. */
		smp_store_release(&probe->rings, to->ring);
	}
	/* Notices are written with preemption off, also if no probe is enabled. */
	session->unsynced |= TAP_SYNC_RCU;
	tap_probes_sync(session);
}

static int tap_window_take(struct tapmod_session *session, struct tap_window *window)
{
	struct tap_trigger *trigger = &session->rings.trigger;
	struct tap_rings *from = session->active;

	if (window->after)
		return -EINVAL;
	if (session->taken)
		return -EBUSY;
	/* Without a trigger the reader is the one who asks. */
	cmpxchg(&trigger->time, 0, tap_clock_read(session->rings.clock));
	tap_window_exchange(session, from == &session->rings ? &session->spare :
							       &session->rings);
	/* The events in flight have ended: one that triggered has stored its probe. */
	tap_rings_flush(from);
	session->taken = true;
	window->out_time = trigger->time;
	window->out_since = session->since;
	window->out_merged = atomic64_read(&trigger->merged);
	window->out_missed = atomic64_read(&trigger->missed);
	window->out_probe = trigger->probe;
	window->out_cpu = trigger->cpu;
	window->out_set = from == &session->spare;
	window->out_offset = window->out_set ? tap_rings_end(&session->rings) << PAGE_SHIFT : 0;
	session->since = tap_clock_read(session->rings.clock);
	return 0;
}

static int tap_window_give(struct tapmod_session *session, struct tap_window *window)
{
	struct tap_trigger *trigger = &session->rings.trigger;

	if (window->after > S64_MAX)
		return -EINVAL;
	session->taken = false;
	WRITE_ONCE(trigger->after, window->after);
	WRITE_ONCE(trigger->probe, 0);
	window->out_merged = atomic64_xchg(&trigger->merged, 0);
	window->out_missed = atomic64_xchg(&trigger->missed, 0);
	/* Pairs with the cmpxchg() of the next event that triggers. */
	smp_store_release(&trigger->time, 0);
	return 0;
}

/* TAP_IOC_WINDOW, under the session's lock. Returns 0 or the UAPI's -errno. */
int tap_window(struct tapmod_session *session, struct tap_window *window)
{
	if (!session->rings.overwrite || window->__reserved)
		return -EINVAL;
	switch (window->flags) {
	case TAP_WINDOW_F_TAKE:
		return tap_window_take(session, window);
	case TAP_WINDOW_F_GIVE:
		return tap_window_give(session, window);
	default:
		return -EINVAL;
	}
}
