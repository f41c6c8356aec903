/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_CORE_HOTPLUG_H
#define _TAPMOD_CORE_HOTPLUG_H

#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/types.h>

struct tapmod_session;

/**
 * struct tap_cpu_user - what a session has for each CPU that was ever online
 * @link: in @users of struct tap_cpus, under tap_cpus_lock; all zero if it never was
 * @prepare: allocate the part of a CPU, if that has none. Called under tap_cpus_lock, and
 *	only while no event on the CPU uses it. Returns 1: it was made; 0: it was there; or
 *	-errno
 */
struct tap_cpu_user {
	struct list_head link;
	int (*prepare)(struct tap_cpu_user *user, unsigned int cpu, gfp_t gfp);
};

/**
 * struct tap_cpus - a session's part in the work for CPUs that come online
 * @link: in the list of all sessions, under tap_cpus_lock
 * @users: struct tap_cpu_user, under tap_cpus_lock
 * @failed: CPUs that came online without memory for a part; written under tap_cpus_lock with
 *	WRITE_ONCE()
 */
struct tap_cpus {
	struct list_head link;
	struct list_head users;
	u32 failed;
};

void tap_cpus_join(struct tapmod_session *session);
void tap_cpus_leave(struct tapmod_session *session);
int tap_cpu_user_add(struct tapmod_session *session, struct tap_cpu_user *user);
void tap_cpu_user_remove(struct tap_cpu_user *user);
int tap_cpus_init(void);
void tap_cpus_exit(void);

#endif /* _TAPMOD_CORE_HOTPLUG_H */
