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
 * What the kernel allocates for calls under way is charged to nobody, so it is
 * bounded: for all probes of a session together, in bytes. The tables of
 * aggregations are charged, and bounded with them all the same.
 */
#define TAP_MAX_CALL_MEM	(256ULL << 20)

/* The kernel waits once for a whole batch, and for each probe given back alone. */
#define TAP_DETACH_BATCH	64

/**
 * struct tap_probe_ops - an event source
 * @size: of its probe structure, which begins with struct tapmod_probe
 * @feature: TAP_FEATURE_* that says that this kernel has it
 * @maxactive: the most that maxactive may be; 0: it may not be given
 * @wait: TAP_CREATE_F_WAIT may be given
 * @file: it is of a program: it has a file, and who wants it needs CAP_SYS_ADMIN
 * @perf: it is of a counter, which has to be described
 * @task: it may be of one task
 * @funcs: it may be of many functions, by their addresses
 * @parse: take the target's name apart, check it, describe in @env which values a
 *	program may access. The name stays as long as the probe.
 * @pool: settle what its calls under way take, and say how many bytes that is;
 *	optional
 * @attach: find the target and take it, disabled. On error nothing is taken.
 * @enable: let events come
 * @disable: let no further event begin
 * @batched: what lets events come together with those of others, if the probe,
 *	which is disabled, has that; optional
 * @sync: wait until the events that had begun have ended; for all probes of the
 *	kind at once
 * @detach: give the targets of up to TAP_DETACH_BATCH disabled probes back;
 *	after that and a @sync no event of them runs, or ever will
 * @free: free what @attach allocated, also where it failed or was never called;
 *	no event runs any more; optional
 * @state: enum tap_probe_state beyond enabled and disabled; optional
 * @address: where the probe sits, or 0; optional
 * @count: bring @counters up to date, where the kernel counts; optional
 * @missed: what the kernel skipped; optional
 * @maxactive_of: as the kernel has it; optional
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
 * @rings: of the session; or of the governor, which are full. An event reads it
 *	once
 * @counters: what became of the events, per CPU
 * @ident: id, slots and kind of its records, as the first slot has them
 * @offset: where the first outputs lie in the event's base
 * @enabled: whether events are wanted; a return handler looks at it. Changed
 *	under the session's lock.
 * @redact: the opener may not see kernel addresses
 * @raw: the session's clock is the raw counter
 * @nr_loads: how many of them are nothing but 8 bytes of it, at most
 *	%TAP_FIRST_VALUES
 * @shape: number of loads, with TAP_SHAPE_COMM if the task's name comes behind
 *	them; or %TAP_SHAPE_ANY
 * @counts: events make no records: they are counted, or aggregated
 * @fp: the fast path of its entry, if it can have one; or NULL
 * @agg: events are aggregated there; or NULL
 * @pmu: counters that it may read, of the session; or NULL
 * @ns_mult: nanoseconds = raw ticks * @ns_mult >> @ns_shift
 * @ns_shift: see @ns_mult
 * @tp_iters: through what its tracepoint, or two of them, may call its handlers
 * @prog: what to fetch and test
 * @governed: state of the governor
 * @ops: its event source
 * @session: whose it is
 * @pool: bytes that the kernel allocates for its calls under way, and those of
 *	the tables of its aggregation
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
 * tap_probe_shape() - for which shape a handler must be made
 * @probe: a probe whose handler makes its tests too
 *
 * Return: its shape, or %TAP_SHAPE_ANY.
 */
static inline unsigned int tap_probe_shape(const struct tapmod_probe *probe)
{
	return probe->prog.tested ? TAP_SHAPE_ANY : probe->shape;
}

#endif /* _TAPMOD_CORE_PROBE_H */
