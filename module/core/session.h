/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_CORE_SESSION_H
#define _TAPMOD_CORE_SESSION_H

#include <linux/atomic.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/xarray.h>

#include "core/hotplug.h"
#include "core/notify.h"
#include "core/probe_state.h"
#include "memory/memory.h"
#include "ring/ring.h"

struct tap_pmu_set;
struct tapmod_stack_table;
struct tapmod_tasks;
struct tracepoint;

/**
 * struct tapmod_session - an open file of /dev/tap
 * @lock: serializes all commands; the hot path never takes it
 * @probes: struct tapmod_probe by id, under @lock
 * @next_id: id of the next probe, under @lock, at most TAP_MAX_IDS; ids are not used twice
 * @batches: kprobe batches, under @lock
 * @return_pools: shared pools of return probes, under @lock
 * @nr_probes: entries of @probes, under @lock
 * @func_pending: func probes to be armed, under tap_funcs_lock
 * @nr_func_alone: func probes that are armed with an ftrace_ops of their own, under
 *	tap_funcs_lock
 * @unsynced: TAP_SYNC_* of probes that were enabled since tap_sync() last waited for all
 *	that are disabled, under @lock
 * @call_mem: sum of @pool of the probes in bytes, at most TAP_MAX_CALL_MEM, under @lock
 * @memory: what the session has of the bound memory_max; needs no lock
 * @call_mem_wanted: bytes of the probe that was refused last because of that limit, under @lock
 * @followed: a bit for each task, by its id: the session follows it; NULL: no command needed the
 *	bits yet. Set once, under @lock. Events read it, and so does @newtask without a lock
 * @newtask: the tracepoint that writes @followed at each fork; NULL: nothing is followed yet.
 *	Set once, under @lock
 * @addresses: the opener had CAP_SYSLOG: it may see kernel addresses
 * @pmu: counters that the probes read; NULL before TAP_IOC_PMU. Written once, under @lock
 * @stacks: table of stacks of the programs; NULL before TAP_IOC_STACKS. Written once, under @lock
 * @tasks: table of tasks; NULL before TAP_IOC_TASKS. Written once, under @lock
 * @rings: a ring for each CPU that was ever online; see struct tap_rings for who may read
 *	them
 * @spare: the second set of rings of a session that overwrites; else never set up
 * @active: the set that events go to. Written under @lock; tap_notice() reads it with
 *	preemption off
 * @taken: the set that is not @active is with the reader, under @lock
 * @since: from this raw time on all records are in @active, under @lock
 * @rings_user: makes rings for CPUs that come online
 * @cpus: what is to be done for CPUs that come online
 * @node: in the list of all sessions, under tap_sessions_lock
 * @panic: records that a panic prints, see struct tap_setup; 0: none. Set once, under @lock
 * @panic_node: in the list of sessions whose @panic is not 0
 * @dumps: parts of dumps that use the session; tap_release() waits for them
 * @id: unique among all sessions since the module was loaded, from 1
 * @opened: time of the open, CLOCK_BOOTTIME nanoseconds
 * @pid: process that opened it, in the initial pid namespace
 * @uid: user of that process, in the initial user namespace
 * @comm: name of that process at the open
 * @governor: see struct tap_governor
 * @budget: see struct tap_budget_use
 * @notices: has a lock of its own, taken inside @lock
 *
 * It lives from open to the last release of the file. Descriptors, mappings and commands
 * in flight hold the file, so none of them exists in tap_release().
 */
struct tapmod_session {
	struct mutex lock;	/* serializes commands */
	struct xarray probes;
	struct list_head batches;
	struct list_head return_pools;
	u32 next_id;
	u32 nr_probes;
	struct list_head func_pending;
	u32 nr_func_alone;
	u32 unsynced;
	u64 call_mem;
	struct tap_memory memory;
	u64 call_mem_wanted;
	unsigned long *followed;
	struct tracepoint *newtask;
	bool addresses;
	struct tap_pmu_set *pmu;
	struct tapmod_stack_table *stacks;
	struct tapmod_tasks *tasks;
	struct tap_rings rings;
	struct tap_rings spare;
	struct tap_rings *active;
	bool taken;
	u64 since;
	struct tap_cpu_user rings_user;
	struct tap_cpus cpus;
	struct list_head node;
	u32 panic;
	struct list_head panic_node;
	atomic_t dumps;
	u64 id;
	u64 opened;
	u32 pid;
	u32 uid;
	char comm[TASK_COMM_LEN];
	struct tap_governor governor;
	struct tap_budget_use budget;
	struct tap_notices notices;
};

#endif /* _TAPMOD_CORE_SESSION_H */
