// SPDX-License-Identifier: GPL-2.0
/*
 * The list of all open sessions, for the netlink dumps.
 *
 * A session is listed from the end of tap_open() to the start of tap_release(), so
 * a holder of tap_sessions_lock finds only complete sessions. The lock is held for a look
 * at the list alone, so that sessions can be opened and closed at any time: a dump of a
 * session with thousands of probes takes long. @dumps keeps a session meanwhile.
 */
#include <linux/atomic.h>
#include <linux/cleanup.h>
#include <linux/cred.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>
#include <linux/wait_bit.h>

#include "core/session.h"
#include "session/session_ops.h"

/* Protects the list. No other lock is taken inside it. */
static DEFINE_MUTEX(tap_sessions_lock);

/* Sorted by id, under tap_sessions_lock. */
static LIST_HEAD(tap_sessions);
static u64 tap_sessions_opened;

/*
 * Lists a session, which is complete otherwise, and notes the task that opens it. That
 * task is in the initial pid namespace: tap_open() has checked.
 */
void tap_sessions_add(struct tapmod_session *session)
{
	session->pid = task_tgid_nr(current);
	session->uid = from_kuid(&init_user_ns, current_uid());
	get_task_comm(session->comm, current->group_leader);
	session->opened = ktime_get_boottime_ns();
	guard(mutex)(&tap_sessions_lock);
	session->id = ++tap_sessions_opened;
	list_add_tail(&session->node, &tap_sessions);
}

/* Waits for the parts of dumps that use the session. Each is about this session alone. */
void tap_sessions_remove(struct tapmod_session *session)
{
	mutex_lock(&tap_sessions_lock);
	list_del(&session->node);
	mutex_unlock(&tap_sessions_lock);
	wait_var_event(&session->dumps, !atomic_read_acquire(&session->dumps));
}

/* The session with the least id from @id to @last, for tap_sessions_put(); or NULL. */
struct tapmod_session *tap_sessions_get(u64 id, u64 last)
{
	struct tapmod_session *session;

	guard(mutex)(&tap_sessions_lock);
	list_for_each_entry(session, &tap_sessions, node) {
		if (session->id < id)
			continue;
		if (session->id > last)
			return NULL;
		atomic_inc(&session->dumps);
		return session;
	}
	return NULL;
}

/* Releases a session of tap_sessions_get(), which may be freed before this returns. */
void tap_sessions_put(struct tapmod_session *session)
{
	/* wake_up_var() uses the address only as a key. */
	if (atomic_dec_and_test(&session->dumps))
		wake_up_var(&session->dumps);
}
