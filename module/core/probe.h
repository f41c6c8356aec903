/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_CORE_PROBE_H
#define _TAPMOD_CORE_PROBE_H

#include <linux/percpu.h>
#include <linux/tap.h>

#include "core/probe_state.h"
#include "core/program.h"
#include "ring/ring.h"

struct tap_batched;
struct tapmod_change;
struct tap_pmu_set;
struct tapmod_probe;
struct tapmod_session;

/*
 * Bytes that all probes of a session together may use for calls in flight. The
 * kernel's return instances are charged to no memory cgroup, so they need a bound. The
 * tables of aggregations are charged, and count against this bound as well.
 */
#define TAP_MAX_CALL_MEM	(256ULL << 20)

/* Unregistering a batch of probes waits for one grace period, not one per probe. */
#define TAP_DETACH_BATCH	64

/**
 * struct tap_probe_ops - an event source
 * @size: bytes of its probe structure, which begins with struct tapmod_probe
 * @feature: TAP_FEATURE_* that this kernel must have for it
 * @maxactive: upper limit of tap_create.maxactive; 0: that must be 0
 * @wait: TAP_CREATE_F_WAIT is allowed
 * @file: tap_create.file names a program or library; needs CAP_SYS_ADMIN
 * @perf: tap_create.perf must describe a counter
 * @task: tap_create.pid is allowed
 * @funcs: tap_create.addrs is allowed
 * @parse: take the target's name apart, check it, describe in @env which values a
 *	program may access. The name stays as long as the probe.
 * @pool: determine the size of the call memory, and return it in bytes;
 *	optional
 * @attach: find the target and register there, disabled. On error it undoes all.
 * @enable: let events start
 * @disable: let no further event start
 * @batched: the kprobe of the disabled @probe, if it can be enabled in a kprobe batch;
 *	else NULL; optional
 * @sync: wait until the events in flight have ended; for all probes of the
 *	type at once
 * @detach: unregister up to TAP_DETACH_BATCH disabled probes;
 *	after that and a @sync no event of them runs, or ever will
 * @free: free what @attach allocated, also where it failed or was never called;
 *	no event runs any longer; optional
 * @state: enum tap_probe_state beyond enabled and disabled; optional
 * @address: kernel address of the probe, or 0; optional
 * @count: bring @counters up to date, where the kernel counts; optional
 * @missed: fill in the events that the kernel skipped; optional
 * @maxactive_of: maxactive that the kernel uses; optional
 * @grow: if calls were missed since the previous call because maxactive was
 *	exhausted, enlarge the pool, by @room bytes at most; report in @change how
 *	many were missed and what maxactive is now, and return the bytes, or 0; optional
 *
 * All are called in process context under the session's lock.
 */
struct tap_probe_ops {
	size_t size;
	u64 feature;
	u32 maxactive;
	bool wait;
	bool file;
	bool perf;
	bool task;
	bool funcs;
	int (*parse)(struct tapmod_probe *probe, char *target,
		     struct tap_program_env *env);
	u64 (*pool)(struct tapmod_probe *probe, const struct tap_create *create);
	int (*attach)(struct tapmod_probe *probe, const struct tap_create *create);
	int (*enable)(struct tapmod_probe *probe);
	void (*disable)(struct tapmod_probe *probe);
	struct tap_batched *(*batched)(struct tapmod_probe *probe);
	void (*sync)(void);
	void (*detach)(struct tapmod_probe **probes, unsigned int nr);
	void (*free)(struct tapmod_probe *probe);
	u32 (*state)(const struct tapmod_probe *probe);
	unsigned long (*address)(const struct tapmod_probe *probe);
	void (*count)(struct tapmod_probe *probe);
	void (*missed)(const struct tapmod_probe *probe, struct tap_stats *stats);
	u32 (*maxactive_of)(const struct tapmod_probe *probe);
	u64 (*grow)(struct tapmod_probe *probe, u64 room, struct tapmod_change *change);
};

/*
 * A plain probe is one whose record has one slot, filled by loads and maybe the
 * task's name, whose opener may see addresses, and whose clock is the raw counter. It
 * has a handler that is compiled for its shape: the number of loads, with
 * TAP_SHAPE_COMM if the task's name comes behind them.
 */
#define TAP_SHAPE_COMM	0x10
#define TAP_SHAPE_ANY	0xff

/**
 * struct tapmod_probe - what all event sources have in common
 * @rings: rings of the session, or the governor's full rings. An event reads the
 *	pointer once
 * @counters: what became of the events, per CPU
 * @ident: id, slots and kind of its records, as the first slot has them
 * @offset: offsets of the first @nr_loads outputs in the event's base
 * @enabled: events are wanted. Return handlers read it without a lock; it is changed
 *	under the session's lock, with WRITE_ONCE().
 * @redact: the opener may not see kernel addresses
 * @raw: the session's clock is the raw counter
 * @nr_loads: leading outputs that are plain 8-byte loads from the base, at most
 *	%TAP_FIRST_VALUES
 * @shape: number of loads, with TAP_SHAPE_COMM if the task's name comes behind
 *	them; or %TAP_SHAPE_ANY
 * @counts: events make no records: they are counted, or aggregated
 * @fp: the fast path of its entry, if it can have one; or NULL
 * @agg: its aggregation; or NULL
 * @pmu: counters of the session, which its program may read; or NULL
 * @ns_mult: nanoseconds = raw ticks * @ns_mult >> @ns_shift
 * @ns_shift: see @ns_mult
 * @tp_iters: tracepoint iterators through which its handlers may be called
 * @prog: its verified program
 * @governed: the governor's state of this probe
 * @ops: its event source
 * @session: its owner
 * @pool: bytes of its call memory and of the tables of its aggregation, as counted
 *	in @call_mem of the session
 * @type: enum tap_probe_type
 * @id: in its session, from 1
 * @flags: TAP_CREATE_F_*
 * @target: what @parse took apart
 * @name: the target as the user gave it
 */
struct tapmod_probe {
	struct tap_ring __percpu *rings;
	struct tap_counters __percpu *counters;
	u32 ident;
	u16 offset[TAP_FIRST_VALUES];
	bool enabled;
	bool redact;
	bool raw;
	bool counts;
	u8 nr_loads;
	u8 shape;
	struct tap_fastpath *fp;
	struct tapmod_aggregation *agg;
	const struct tap_pmu_set *pmu;
	u32 ns_mult;
	u32 ns_shift;
	struct tap_tp_iter tp_iters[TAP_STACK_TP_ITERS];
	struct tap_program prog;

	struct tap_governed governed;
	const struct tap_probe_ops *ops;
	struct tapmod_session *session;
	u64 pool;
	u32 type;
	u32 id;
	u32 flags;
	char *target;
	char *name;
};

/**
 * tap_probe_shape() - the shape for which a probe's handler must be compiled
 * @probe: a probe whose handler runs the tests as well
 *
 * Return: its shape, or %TAP_SHAPE_ANY.
 */
static inline unsigned int tap_probe_shape(const struct tapmod_probe *probe)
{
	return probe->prog.tested ? TAP_SHAPE_ANY : probe->shape;
}

#endif /* _TAPMOD_CORE_PROBE_H */
