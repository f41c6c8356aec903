/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_CORE_SESSION_H
#define _TAPMOD_CORE_SESSION_H

#include <linux/fs.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/xarray.h>

#include "core/notify.h"
#include "core/probe_state.h"
#include "ring/ring.h"

struct tap_pmu_set;

/**
 * struct tapmod_session - an open file of /dev/tap
 * @lock: serializes all commands; the hot path never takes it. Taken inside
 *	tap_sessions_lock only with mutex_trylock()
 * @probes: by id, under @lock
 * @next_id: the next probe's, under @lock; ids are not used twice
 * @batches: probes that are enabled together, under @lock
 * @nr_probes: entries of @probes, under @lock
 * @call_mem: sum of @pool of the probes, at most TAP_MAX_CALL_MEM, under @lock
 * @addresses: the opener had CAP_SYSLOG: it may see kernel addresses
 * @pmu: counters that its probes read, or NULL; made once, under @lock
 * @rings: a ring for each CPU
 * @node: in the list of all sessions, under tap_sessions_lock
 * @id: among all sessions since the module was loaded, from 1
 * @opened: time of the open, CLOCK_BOOTTIME nanoseconds
 * @pid: process that opened it, in the initial pid namespace
 * @uid: user of that process, in the initial user namespace
 * @comm: name of that process at the open
 * @governor: the governor's state of this session
 * @notices: notices that wait for room
 *
 * Lives from open to the last release of the file: descriptors, mappings and
 * commands in flight all hold the file, so none of them exists in tap_release().
 */
struct tapmod_session {
	struct mutex lock;	/* serializes commands; see @lock */
	struct xarray probes;
	struct list_head batches;
	u32 next_id;
	u32 nr_probes;
	u64 call_mem;
	bool addresses;
	struct tap_pmu_set *pmu;
	struct tap_rings rings;
	struct list_head node;
	u64 id;
	u64 opened;
	u32 pid;
	u32 uid;
	char comm[TASK_COMM_LEN];
	struct tap_governor governor;
	struct tap_notices notices;
};

#endif /* _TAPMOD_CORE_SESSION_H */
