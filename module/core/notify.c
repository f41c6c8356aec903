// SPDX-License-Identifier: GPL-2.0
/*
 * Notices: changes of a probe's state, as records in the stream of its session.
 *
 * If the ring has no room, the notice and all later ones wait for the next notice, the
 * governor's next tick or TAP_IOC_FLUSH. If TAP_MAX_NOTICES wait, later ones are dropped,
 * and a TAP_NOTICE_DROPPED in the stream has their number.
 */
#include <linux/cleanup.h>
#include <linux/preempt.h>
#include <linux/slab.h>

#include "core/netlink_notify.h"
#include "core/notify.h"
#include "core/probe.h"
#include "core/session.h"

/* Length limit of tap_notices.waiting. */
#define TAP_MAX_NOTICES	1024

/* A notice that is not in the stream yet; probe is the probe's id. */
struct tap_waiting {
	struct list_head link;
	struct tapmod_change change;
	u32 probe;
};

/* Writes a notice into the ring of this CPU; false if there is no room. */
static bool tap_notice_record(struct tapmod_session *session, u32 probe,
			      const struct tapmod_change *change)
{
	struct tap_ring_writer *w;
	struct tap_record *rec;
	struct tap_resv resv;

	guard(preempt)();
	w = &raw_cpu_ptr(READ_ONCE(session->active)->ring)->w;
	resv = tap_ring_offer(w, TAP_SLOT_SIZE);
	if (resv.pos & TAP_RESV_FAILED)
		return false;
	rec = tap_ring_slot(w, resv.pos);
	rec->time = resv.time;
	rec->probe = probe;
	rec->slots = 1;
	rec->kind = TAP_KIND_NOTICE;
	/* A notice belongs to no task and to no context. */
	rec->flags = 0;
	rec->tid = 0;
	rec->tgid = 0;
	rec->value[TAP_NOTICE_WHAT] = change->what;
	rec->value[TAP_NOTICE_SINCE] = change->since;
	rec->value[TAP_NOTICE_COUNT] = change->count;
	rec->value[TAP_NOTICE_SIZE] = change->size;
	tap_ring_commit(rec, resv.pos);
	return true;
}

/*
 * Writes the notices that wait, then TAP_NOTICE_DROPPED; false if the ring is full before
 * all are written. Called with notices->lock held.
 */
static bool tap_notices_done(struct tapmod_session *session)
{
	struct tap_notices *notices = &session->notices;
	struct tap_waiting *waiting, *next;
	const struct tapmod_change unreported = {
		.what	= TAP_NOTICE_DROPPED,
		.since	= notices->since,
		.count	= notices->unreported,
	};

	list_for_each_entry_safe(waiting, next, &notices->waiting, link) {
		if (!tap_notice_record(session, waiting->probe, &waiting->change))
			return false;
		list_del(&waiting->link);
		kfree(waiting);
		notices->nr--;
	}
	if (!notices->unreported)
		return true;
	if (!tap_notice_record(session, notices->last, &unreported))
		return false;
	notices->unreported = 0;
	return true;
}

static void tap_notice_wait(struct tap_notices *notices, u32 probe,
			    const struct tapmod_change *change)
{
	struct tap_waiting *waiting = NULL;

	/*
	 * After one dropped notice all are dropped until TAP_NOTICE_DROPPED is written: a
	 * later notice on the list would precede TAP_NOTICE_DROPPED in the stream.
	 */
	if (notices->nr < TAP_MAX_NOTICES && !notices->unreported)
		waiting = kmalloc(sizeof(*waiting), GFP_KERNEL);
	if (!waiting) {
		if (!notices->unreported++)
			notices->since = change->since;
		notices->last = probe;
		return;
	}
	waiting->change = *change;
	waiting->probe = probe;
	list_add_tail(&waiting->link, &notices->waiting);
	notices->nr++;
}

/**
 * tap_notices_init() - initialize the notices of a new session; allocates nothing
 * @notices: zeroed
 *
 * Context: before another task can see the session.
 */
void tap_notices_init(struct tap_notices *notices)
{
	mutex_init(&notices->lock);
	INIT_LIST_HEAD(&notices->waiting);
}

/**
 * tap_notices_free() - free the notices that wait, without writing them
 * @notices: no other task uses them
 *
 * Context: tap_release(), after tap_session_detach().
 */
void tap_notices_free(struct tap_notices *notices)
{
	struct tap_waiting *waiting, *next;

	list_for_each_entry_safe(waiting, next, &notices->waiting, link)
		kfree(waiting);
	mutex_destroy(&notices->lock);
}

/**
 * tap_notices_write() - write the notices that wait, until the ring is full
 * @session: its rings must be set up
 *
 * Context: process, may sleep; takes notices.lock.
 */
void tap_notices_write(struct tapmod_session *session)
{
	guard(mutex)(&session->notices.lock);
	tap_notices_done(session);
}

/* Whether a notice without a probe says what the records behind it lack. */
static bool tap_notice_in_stream(enum tap_notice what)
{
	return what == TAP_NOTICE_CPU || what == TAP_NOTICE_OVER_BUDGET ||
	       what == TAP_NOTICE_IN_BUDGET || what == TAP_NOTICE_UNSEEN;
}

/**
 * tap_notice() - report a change, in the session's stream and by netlink
 * @session: the session that the notice is about
 * @probe: the probe that changed; NULL: the session changed. Then only netlink reports it,
 *	but for those of tap_notice_in_stream()
 * @change: the notice
 *
 * Context: process, may sleep, with or without the session's lock; takes notices.lock. The
 *	caller makes sure that tap_notices_free() does not run.
 */
void tap_notice(struct tapmod_session *session, const struct tapmod_probe *probe,
		const struct tapmod_change *change)
{
	u32 id = probe ? probe->id : 0;

	if (probe || tap_notice_in_stream(change->what)) {
		guard(mutex)(&session->notices.lock);
		if (!tap_notices_done(session) ||
		    !tap_notice_record(session, id, change))
			tap_notice_wait(&session->notices, id, change);
	}
	tap_netlink_notice(session, probe, change);
}
