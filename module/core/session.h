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
 * @lock: orders all commands; events never take it
 * @probes: by id, under @lock
 * @next_id: the next probe's, under @lock; ids are not used twice
 * @batches: probes that are enabled together, under @lock
 * @nr_probes: in @probes, under @lock
 * @call_mem: bytes that the kernel allocates for their calls under way, and those
 *	of the tables of their aggregations, under @lock
 * @addresses: the opener had CAP_SYSLOG: it may see kernel addresses
 * @pmu: counters that its probes read, or NULL; made once, under @lock
 * @rings: a ring for each CPU
 * @node: in the list of all sessions, under tap_sessions_lock
 * @id: among all sessions since the module was loaded, from 1
 * @opened: when, CLOCK_BOOTTIME nanoseconds
 * @pid: of the process that opened it, in the initial namespace
 * @uid: of its user, in the initial namespace
 * @comm: its name then
 * @governor: state of the governor
 * @notices: notices that wait for room
 *
 * Lives from open to the last release of the file: descriptors, mappings and
 * commands under way all hold the file, so release() finds none of them.
 */
struct tapmod_session {
	struct mutex lock;	/* of the commands, and what is said above */
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
