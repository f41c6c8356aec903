/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_CORE_PROBE_H
#define _TAPMOD_CORE_PROBE_H

#include <linux/percpu.h>
#include <linux/tap.h>

#include "session/governor.h"
#include "core/program.h"
#include "ring/ring.h"
#include "exec/stacktrace.h"

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
 * @parse: take the target's name apart, check it, say in @env what there is to
 *	fetch. The name stays as long as the probe.
 * @pool: settle what its calls under way take, and say how many bytes that is;
 *	optional
 * @attach: find the target and take it, disabled. On error nothing is taken.
 * @enable: let hits come
 * @disable: let no further hit begin
 * @batched: what lets hits come together with those of others, if the probe,
 *	which is disabled, has that; optional
 * @sync: wait until the hits that had begun have ended; for all probes of the
 *	kind at once
 * @detach: give the targets of up to TAP_DETACH_BATCH disabled probes back;
 *	after that and a @sync no hit of them runs, or ever will
 * @free: free what @attach allocated, also where it failed or was never called;
 *	no hit runs any more; optional
 * @state: enum tap_probe_state beyond enabled and disabled; optional
 * @address: where the probe sits, or 0; optional
 * @count: bring @counters up to date, where the kernel counts; optional
 * @missed: what the kernel skipped; optional
 * @maxactive_of: as the kernel has it; optional
 * @grow: if calls of a probe that is enabled were missed for want of room since it
 *	was last asked, give those to come more, for @room bytes at most; say how many
 *	were missed and what there is now, and return the bytes, or 0; optional
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
 * task's name, whose opener may see addresses, and whose clock is the raw
 * counter. Its hits have handlers made for its shape.
 */
#define TAP_SHAPE_COMM	0x10
#define TAP_SHAPE_ANY	0xff

/**
 * struct tapmod_probe - what all event sources have in common
 * @rings: of the session; or of the governor, which take nothing. A hit takes them
 *	once
 * @counters: what became of the hits, per CPU
 * @ident: id, slots and kind of its records, as the first slot has them
 * @offset: where the first outputs lie in the hit's base
 * @enabled: whether hits are wanted; a return handler looks at it. Changed
 *	under the session's lock.
 * @redact: the opener may not see kernel addresses
 * @raw: the session's clock is the raw counter
 * @nr_loads: how many of them are nothing but 8 bytes of it, at most
 *	%TAP_FIRST_VALUES
 * @shape: number of loads, with TAP_SHAPE_COMM if the task's name comes behind
 *	them; or %TAP_SHAPE_ANY
 * @counts: hits make no records: they are counted, or aggregated
 * @fp: how its entry runs, if it can have one; or NULL
 * @agg: hits are aggregated there; or NULL
 * @pmu: counters that it may read, of the session; or NULL
 * @ns_mult: nanoseconds = raw ticks * @ns_mult >> @ns_shift
 * @ns_shift: see there
 * @tp_iters: through what its tracepoint, or two of them, may call its handlers
 * @prog: what to fetch and test
 * @governed: see there
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

extern const struct tap_probe_ops tap_kprobe_ops;
extern const struct tap_probe_ops tap_kretprobe_ops;
extern const struct tap_probe_ops tap_call_ops;
extern const struct tap_probe_ops tap_rawtp_ops;
extern const struct tap_probe_ops tap_syscall_ops;
extern const struct tap_probe_ops tap_tracepoint_ops;
extern const struct tap_probe_ops tap_perf_sample_ops;
extern const struct tap_probe_ops tap_uprobe_ops;
extern const struct tap_probe_ops tap_uretprobe_ops;
extern const struct tap_probe_ops tap_ucall_ops;
extern const struct tap_probe_ops tap_count_ops;
extern const struct tap_probe_ops tap_watchpoint_ops;
extern const struct tap_probe_ops tap_mark_ops;
extern const struct tap_probe_ops tap_func_ops;

/**
 * struct tap_sums - what became of the hits of a probe, or of several, on all CPUs
 * @counters: as TAP_IOC_STATS has them, added up
 * @nmissed: out_nmissed there
 * @nmissed_return: out_nmissed_return there
 */
struct tap_sums {
	struct tap_counters counters;
	u64 nmissed;
	u64 nmissed_return;
};

struct kprobe;
bool tap_kprobe_denied(const struct kprobe *kp);
void tap_kprobe_disarm(struct kprobe *kp);
void tap_kprobe_disable_batched(struct tap_batched *batched);
void tap_kprobe_sync(void);

struct tracepoint;
struct tracepoint *tap_tracepoint_find(const char *name);
void tap_rawtp_sync(void);

int tap_rawtp_init(void);
void tap_rawtp_exit(void);
int tap_watchpoints_init(void);
void tap_watchpoints_exit(void);
int tap_func_init(void);
void tap_func_exit(void);

u64 tap_probe_features(void);
int tapmod_probe_create(struct tapmod_session *session, const struct tap_create *create,
			u32 *id);
int tap_probe_enable(struct tapmod_session *session, u32 id);
int tap_probe_disable(struct tapmod_session *session, u32 id);
int tap_probe_delete(struct tapmod_session *session, u32 id);
int tap_probe_info(struct tapmod_session *session, struct tap_probe_info *info);
int tap_probe_stats(struct tapmod_session *session, struct tap_stats *stats);
u32 tap_probe_state(const struct tapmod_probe *probe);
u32 tap_probe_maxactive(const struct tapmod_probe *probe);
void tap_probe_sum(struct tapmod_probe *probe, struct tap_sums *sums);
int tap_count_read(struct tapmod_session *session, const struct tap_count_read *read);
int tap_mark(struct tapmod_session *session, struct tap_mark *mark);

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

/**
 * tap_register_error() - the contract's errno for a failed registration
 * @err: what register_kprobe() or register_kretprobe() returned
 *
 * All that we pass to them was checked, so EINVAL can only mean that the place
 * exists and must not be probed.
 */
static inline int tap_register_error(int err)
{
	return err == -EINVAL ? -EADDRNOTAVAIL : err;
}

/**
 * tap_enable_error() - the contract's errno for a failed enabling
 * @err: what enable_kprobe() or enable_kretprobe() returned
 *
 * EINVAL is a kprobe whose module is gone.
 */
static inline int tap_enable_error(int err)
{
	return err == -EINVAL ? -ENOENT : err;
}

#endif /* _TAPMOD_CORE_PROBE_H */
