// SPDX-License-Identifier: GPL-2.0
/*
 * The list of all open sessions, for the netlink dumps.
 *
 * A session is listed from the end of tap_open() to the start of tap_release(), so
 * a holder of tap_sessions_lock finds only complete sessions. tap_sessions_lock is the
 * outer lock: under it, take a session's lock only with mutex_trylock(). A command may
 * hold that lock for seconds, and no session could be opened or closed meanwhile.
 */
#include <linux/cleanup.h>
#include <linux/cred.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "core/session.h"
#include "session/session_ops.h"

/* Protects the list, and keeps its sessions alive. Taken before a session's lock. */
DEFINE_MUTEX(tap_sessions_lock);

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

void tap_sessions_remove(struct tapmod_session *session)
{
	guard(mutex)(&tap_sessions_lock);
	list_del(&session->node);
}

/* The session with the least id from @id on, or NULL. The caller keeps tap_sessions_lock. */
struct tapmod_session *tap_sessions_find(u64 id)
{
	struct tapmod_session *session;

	lockdep_assert_held(&tap_sessions_lock);
	list_for_each_entry(session, &tap_sessions, node)
		if (session->id >= id)
			return session;
	return NULL;
}
