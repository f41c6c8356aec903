// SPDX-License-Identifier: GPL-2.0
/*
 * CPUs that come online: before such a CPU runs, each session gets for it what it has for
 * the CPUs that are online already, a ring and the tables of aggregations.
 *
 * The kernel calls tap_cpus_prepare() with cpu_hotplug_lock held for writing. A task that
 * holds a session's lock may take cpu_hotplug_lock for reading: so tap_cpus_prepare() cannot
 * take the former. tap_cpus_lock protects what it needs, and nothing that is done under it
 * takes cpu_hotplug_lock. Order:
 *	session's lock -> cpu_hotplug_lock -> tap_cpus_lock -> lock of the notices
 *
 * What was made for a CPU stays when it goes offline: its data is still to be read, and it
 * may come back.
 */
#include <linux/cleanup.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/mutex.h>

#include "core/hotplug.h"
#include "core/notify.h"
#include "core/session.h"

/* Protects the list of sessions and the parts of each. */
static DEFINE_MUTEX(tap_cpus_lock);
static LIST_HEAD(tap_cpus_sessions);

static int tap_cpus_state;

/* Prepares all parts of a session for a CPU, and reports it. */
static void tap_session_prepare(struct tapmod_session *session, unsigned int cpu)
{
	struct tapmod_change change = { .what = TAP_NOTICE_CPU, .count = cpu };
	bool made = false, failed = false;
	struct tap_cpu_user *user;
	int ret;

	list_for_each_entry(user, &session->cpus.users, link) {
		ret = user->prepare(user, cpu, GFP_KERNEL);
		made |= ret > 0;
		failed |= ret < 0;
	}
	if (failed)
		WRITE_ONCE(session->cpus.failed, session->cpus.failed + 1);
	/* Before set-up ends there is no stream. The reader maps its rings later. */
	if (!tap_rings_ready(&session->rings) || !(made || failed))
		return;
	change.since = tap_clock_read(session->rings.clock);
	change.size = failed ? 0 : session->rings.bytes;
	tap_notice(session, NULL, &change);
}

/* Never fails: a CPU that a session has no memory for comes online all the same. */
static int tap_cpus_prepare(unsigned int cpu)
{
	struct tapmod_session *session;

	guard(mutex)(&tap_cpus_lock);
	list_for_each_entry(session, &tap_cpus_sessions, cpus.link)
		tap_session_prepare(session, cpu);
	return 0;
}

/**
 * tap_cpus_join() - let a session follow the CPUs that come online
 * @session: has no parts yet
 *
 * Context: process, may sleep.
 */
void tap_cpus_join(struct tapmod_session *session)
{
	INIT_LIST_HEAD(&session->cpus.users);
	guard(mutex)(&tap_cpus_lock);
	list_add_tail(&session->cpus.link, &tap_cpus_sessions);
}

/**
 * tap_cpus_leave() - undo tap_cpus_join()
 * @session: when this returns, tap_cpus_prepare() does not use it any longer
 *
 * Context: process, may sleep.
 */
void tap_cpus_leave(struct tapmod_session *session)
{
	guard(mutex)(&tap_cpus_lock);
	list_del(&session->cpus.link);
}

/**
 * tap_cpu_user_add() - prepare a part of a session for all CPUs that are or come online
 * @session: gets the part
 * @user: of this session; no event uses it yet. Removed by tap_cpu_user_remove(), also
 *	after an error
 *
 * Context: process, may sleep, under the session's lock.
 * Return: 0 or the error of ->prepare().
 */
int tap_cpu_user_add(struct tapmod_session *session, struct tap_cpu_user *user)
{
	cpumask_var_t online;
	unsigned int cpu;
	int ret = 0;

	if (!alloc_cpumask_var(&online, GFP_KERNEL))
		return -ENOMEM;
	/*
	 * A CPU that is not in this mask has not begun to come online, since that needs
	 * cpu_hotplug_lock for writing: tap_cpus_prepare() will see the part in the list.
	 */
	cpus_read_lock();
	mutex_lock(&tap_cpus_lock);
	list_add_tail(&user->link, &session->cpus.users);
	cpumask_copy(online, cpu_online_mask);
	mutex_unlock(&tap_cpus_lock);
	cpus_read_unlock();

	for_each_cpu(cpu, online) {
		/* For each CPU anew: a CPU that comes online waits no longer than this. */
		mutex_lock(&tap_cpus_lock);
		ret = user->prepare(user, cpu, GFP_KERNEL_ACCOUNT);
		mutex_unlock(&tap_cpus_lock);
		if (ret < 0)
			break;
		ret = 0;
		cond_resched();
	}
	free_cpumask_var(online);
	return ret;
}

/**
 * tap_cpu_user_remove() - undo tap_cpu_user_add()
 * @user: of tap_cpu_user_add(), or all zero
 *
 * Context: process, may sleep.
 */
void tap_cpu_user_remove(struct tap_cpu_user *user)
{
	guard(mutex)(&tap_cpus_lock);
	/* All zero: it was never added. */
	if (user->link.next)
		list_del_init(&user->link);
}

/**
 * tap_cpus_init() - register for CPUs that come online
 *
 * Context: process, module load.
 * Return: 0 or -errno.
 */
int tap_cpus_init(void)
{
	int ret = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "tapmod:prepare",
					    tap_cpus_prepare, NULL);

	if (ret < 0)
		return ret;
	tap_cpus_state = ret;
	return 0;
}

/**
 * tap_cpus_exit() - undo tap_cpus_init()
 *
 * Context: process, module unload: no session exists.
 */
void tap_cpus_exit(void)
{
	cpuhp_remove_state_nocalls(tap_cpus_state);
}
