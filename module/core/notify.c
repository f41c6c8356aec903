// SPDX-License-Identifier: GPL-2.0
/*
 * Notices: what became of a probe, as a record in its session's stream.
 *
 * A notice is no event and is never lost: if there is no room it waits, and so do
 * those that follow it, until the governor's next tick or TAP_IOC_FLUSH. If too many
 * wait, further ones are dropped, and the stream says how many.
 */
#include <linux/cleanup.h>
#include <linux/preempt.h>
#include <linux/slab.h>

#include "core/netlink_notify.h"
#include "core/notify.h"
#include "core/probe.h"
#include "core/session.h"

/* So many may wait in a session that nobody reads; further ones are counted. */
#define TAP_MAX_NOTICES	1024

/**
 * struct tap_waiting - a notice that is not written yet
 * @link: in the session's
 * @change: what changed
 * @probe: id of the probe
 */
struct tap_waiting {
	struct list_head link;
	struct tapmod_change change;
	u32 probe;
};

/* Puts it into the ring of this CPU; false if there is no room. */
static bool tap_notice_record(struct tapmod_session *session, u32 probe,
			      const struct tapmod_change *change)
{
	struct tap_ring_writer *w;
	struct tap_record *rec;
	struct tap_resv resv;

	guard(preempt)();
	w = &raw_cpu_ptr(session->rings.ring)->w;
	resv = tap_ring_offer(w, TAP_SLOT_SIZE);
	if (resv.pos & TAP_RESV_FAILED)
		return false;
	rec = tap_ring_slot(w, resv.pos);
	rec->time = resv.time;
	rec->probe = probe;
	rec->slots = 1;
	rec->kind = TAP_KIND_NOTICE;
	/* It belongs to no task. */
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

/* Whether all that waited are written, and that some could not wait. */
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

	/* After a dropped notice all are dropped, or they would come before the report of it. */
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
 * tap_notices_init() - prepare a new session's notices
 * @notices: zeroed
 */
void tap_notices_init(struct tap_notices *notices)
{
	mutex_init(&notices->lock);
	INIT_LIST_HEAD(&notices->waiting);
}

/**
 * tap_notices_free() - forget those that wait
 * @notices: nobody else uses them any more
 */
void tap_notices_free(struct tap_notices *notices)
{
	struct tap_waiting *waiting, *next;

	list_for_each_entry_safe(waiting, next, &notices->waiting, link)
		kfree(waiting);
	mutex_destroy(&notices->lock);
}

/**
 * tap_notices_write() - write those that wait, as far as there is room
 * @session: with rings
 *
 * Context: process, may sleep.
 */
void tap_notices_write(struct tapmod_session *session)
{
	guard(mutex)(&session->notices.lock);
	tap_notices_done(session);
}

/**
 * tap_notice() - report a change, in the session's stream and by netlink
 * @session: the session
 * @probe: the probe that changed; NULL: the session changed, which is reported by
 *	netlink alone
 * @change: what changed
 *
 * Context: process, may sleep; the session is not being closed.
 */
void tap_notice(struct tapmod_session *session, const struct tapmod_probe *probe,
		const struct tapmod_change *change)
{
	if (probe) {
		guard(mutex)(&session->notices.lock);
		if (!tap_notices_done(session) ||
		    !tap_notice_record(session, probe->id, change))
			tap_notice_wait(&session->notices, probe->id, change);
	}
	tap_netlink_notice(session, probe, change);
}
