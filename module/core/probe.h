/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_CORE_PROBE_H
#define _TAPMOD_CORE_PROBE_H

#include <linux/bits.h>
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
struct tapmod_span;
struct tapmod_stack_table;
struct tapmod_tasks;

/*
 * Limit in bytes for the calls in flight of all probes of a session together. The kernel
 * charges return instances to no memory cgroup, so they need a limit beside that for all
 * sessions (memory/memory.h).
 */
#define TAP_MAX_CALL_MEM	(256ULL << 20)

/* Pointers for which the array of ->detach() has room at least. */
#define TAP_DETACH_MIN		64

/*
 * What must be waited for until the handlers of a disabled probe have ended, see tap_sync().
 * 0: its ->disable() has waited.
 */
#define TAP_SYNC_RCU		BIT(0)	/* they run with preemption off, where RCU watches */
#define TAP_SYNC_KPROBE		BIT(1)	/* as above, but perhaps where RCU does not watch */
#define TAP_SYNC_TRACEPOINT	BIT(2)	/* the kernel calls them from a tracepoint */
#define TAP_SYNC_UPROBE		BIT(3)	/* the kernel calls them from a uprobe */
/* After ->disable() handlers may still start, of returns: wait after ->detach() as well. */
#define TAP_SYNC_RETURNS	BIT(4)

/**
 * struct tap_probe_ops - an event source
 * @size: bytes of its probe structure, which begins with struct tapmod_probe
 * @feature: TAP_FEATURE_* that this kernel must have
 * @maxactive: upper limit of tap_create.maxactive; 0: that must be 0
 * @sync: TAP_SYNC_* of its handlers
 * @wait: TAP_CREATE_F_WAIT is allowed
 * @file: tap_create.file names a program or library; needs CAP_SYS_ADMIN
 * @span: tap_create.span must describe a table
 * @perf: tap_create.perf must describe a counter
 * @task: tap_create.pid is allowed
 * @funcs: tap_create.addrs is allowed
 * @parse: split @target, which it may change, check it, and describe in @env which values
 *	a program may access. @target lives as long as the probe
 * @pool: compute the size of the call memory, and return it in bytes; optional
 * @attach: find the target and register there, disabled. On error it undoes the
 *	registration; @free is called in any case
 * @enable: let events start
 * @place: give the address of a probe that was created without one, and let events start if it is
 *	enabled; -EINVAL: it was not created so; -EBADFD: it has one; optional
 * @disable: let no further event start; an event in flight may go on
 * @batched: the kprobe of the disabled @probe, if it can be enabled in a kprobe batch;
 *	else NULL; optional
 * @detach: unregister disabled probes, in a few grace periods for any number. After that and
 *	a tap_sync() of @sync no event of them runs or starts. The array is the callee's to
 *	overwrite, and has room for TAP_DETACH_MIN pointers even if there are fewer probes
 * @free: free the memory that @parse, @pool and @attach allocated, even if @attach failed
 *	or was not called. No event of the probe runs; optional
 * @state: enum tap_probe_state if it is more than enabled or disabled; optional
 * @address: kernel address of the probe, or 0; optional
 * @count: update @counters of the probe, if the kernel counts its events; optional
 * @look: called ten times a second while the probe is enabled; optional
 * @missed: set bits of out_flags, and the out_nmissed members, which are 0; optional
 * @maxactive_of: the maxactive in use; optional
 * @grow: if calls were missed since the previous @grow because maxactive was exhausted,
 *	enlarge the pool by at most @room bytes. Set @count (calls missed) and @size
 *	(new maxactive) of @change, and return the bytes that were added to the probe's own
 *	pool, or 0; a @size of 0 says that no pool was enlarged; optional
 *
 * All are called in process context, under the session's lock. Only tap_release() calls
 * @disable, @detach and @free without it: no other task has the session then.
 */
struct tap_probe_ops {
	size_t size;
	u64 feature;
	u32 maxactive;
	u32 sync;
	bool wait;
	bool file;
	bool span;
	bool perf;
	bool task;
	bool funcs;
	int (*parse)(struct tapmod_probe *probe, char *target,
		     struct tap_program_env *env);
	u64 (*pool)(struct tapmod_probe *probe, const struct tap_create *create);
	int (*attach)(struct tapmod_probe *probe, const struct tap_create *create);
	int (*enable)(struct tapmod_probe *probe);
	int (*place)(struct tapmod_probe *probe, unsigned long address);
	void (*disable)(struct tapmod_probe *probe);
	struct tap_batched *(*batched)(struct tapmod_probe *probe);
	void (*detach)(struct tapmod_probe **probes, unsigned int nr);
	void (*free)(struct tapmod_probe *probe);
	u32 (*state)(const struct tapmod_probe *probe);
	unsigned long (*address)(const struct tapmod_probe *probe);
	void (*count)(struct tapmod_probe *probe);
	void (*look)(struct tapmod_probe *probe);
	void (*missed)(const struct tapmod_probe *probe, struct tap_stats *stats);
	u32 (*maxactive_of)(const struct tapmod_probe *probe);
	u64 (*grow)(struct tapmod_probe *probe, u64 room, struct tapmod_change *change);
};

/*
 * A plain probe has at most four outputs that are 8-byte loads from the base, and perhaps the
 * task's name behind them: one slot, or two. Its program has no part for the return, its events
 * make records, its opener may see addresses, and its clock is %TAPMOD_CLOCK_RAW. Its handler is
 * compiled for its shape: the number of loads, with TAP_SHAPE_COMM if the name follows, and with
 * TAP_SHAPE_FOLLOWED if its only test is that the session follows the task.
 */
#define TAP_SHAPE_COMM		0x10
#define TAP_SHAPE_FOLLOWED	0x20
#define TAP_SHAPE_ANY		0xff

/* Number of loads of a plain probe. */
#define TAP_SHAPE_LOADS(shape)	((shape) & 0x0f)

/**
 * struct tapmod_probe - the common part of all event sources
 * @rings: rings of the session, or the governor's full rings. An event loads the pointer
 *	once; the governor changes it under the session's lock
 * @counters: per CPU; handlers on that CPU write them, also ->count(), and the governor
 *	its @__reserved[0]; @__reserved[1] is tap_counters_missed()
 * @ident: probe id, slots and kind of its records, in the layout of the record's head
 * @offset: offsets of the first @nr_loads outputs in the event's base
 * @enabled: changed under the session's lock, with WRITE_ONCE(). Return handlers read it
 *	without a lock
 * @redact: the opener may not see kernel addresses
 * @clock: the session's clock
 * @nr_loads: leading outputs that are 8-byte loads from the base, at most
 *	%TAP_FIRST_VALUES
 * @shape: of a plain probe: number of loads, with %TAP_SHAPE_COMM if the task's name
 *	follows; of all others %TAP_SHAPE_ANY
 * @follows: the first test rejects tasks that the session does not follow
 * @counts: events make no records: they are counted or aggregated
 * @followed: @followed of the session; NULL if the program does not read it
 * @fp: fast path of the program's entry; NULL if the program cannot have one, or @task_words is set
 * @fp_in_task: the same if @task_words is set
 * @divided_slots: of a call with @fp_in_task whose return only says how the duration divides: slots
 *	of the record of one that did not wait; else 0
 * @agg: aggregation; NULL if events are not aggregated
 * @collects: the words of its events go to @agg or @span
 * @only_counts: of a call: @counts, not @collects, and its return has nothing to test or store
 * @side: enum tap_span_side, if @span is not NULL
 * @span_one: with @span: the event has one word, the key, an 8-byte load from the base; there
 *	may be tests in front of it
 * @span_extra: with @span: an event does more than to open or end an entry: see
 *	tap_span_side_extra()
 * @span_first: with @span: number of words in front of the key
 * @span_keys: with @span: bit n is set if output n is part of the key
 * @span: the span that has it as a side; NULL: it is none
 * @captured: the table that %TAP_OP_CAPTURED of its program looks into; NULL: it has none
 * @pmu: counters of the session, which the program may read; NULL if there are none
 * @stacks: table of stacks of the session; NULL if there is none
 * @tasks: table of tasks of the session; NULL if there is none
 * @frame: number of its frames, see struct tap_create; 0: it has none
 * @task_words: of a call that has a frame, or whose duration is divided: words that it stores for
 *	that; else 0
 * @task_at: of a call: offset of these words in struct tap_call
 * @kretprobe_at: of a call: distance of its kretprobe from this structure, in bytes
 * @traps: of a call: a trap calls the handler of the entry
 * @ns_mult: nanoseconds = raw ticks * @ns_mult >> @ns_shift
 * @ns_shift: see @ns_mult
 * @tp_iters: tracepoint iterators that may call the handlers: left out of kernel stacks
 * @prog: the verified program; does not change
 * @governed: under the session's lock
 * @ops: event source
 * @session: owner; outlives the probe
 * @pool: bytes of call memory, part of @call_mem of the session; under the session's lock
 * @charged: bytes that are charged for the probe to @memory of the session, @pool among
 *	them; under the session's lock
 * @type: enum tap_probe_type
 * @id: unique in the session, from 1
 * @flags: TAP_CREATE_F_*
 * @target: copy of @name that ->parse() split
 * @name: the target as the user gave it
 */
struct tapmod_probe {
	struct tap_ring __percpu *rings;
	struct tap_counters __percpu *counters;
	u32 ident;
	u16 offset[TAP_FIRST_VALUES];
	bool enabled;
	bool redact;
	bool counts;
	bool collects;
	bool only_counts;
	bool follows;
	u8 nr_loads;
	u8 shape;
	u8 side;
	bool span_one;
	bool span_extra;
	u8 span_first;
	enum tapmod_clock clock;
	const unsigned long *followed;
	struct tap_fastpath *fp;
	struct tap_fastpath *fp_in_task;
	struct tapmod_aggregation *agg;
	const struct tapmod_span *span;
	u64 span_keys;
	const struct tapmod_span *captured;
	const struct tap_pmu_set *pmu;
	struct tapmod_stack_table *stacks;
	struct tapmod_tasks *tasks;
	u8 frame;
	u8 task_words;
	u8 divided_slots;
	u16 task_at;
	u16 kretprobe_at;
	bool traps;
	u32 ns_mult;
	u32 ns_shift;
	struct tap_tp_iter tp_iters[TAP_STACK_TP_ITERS];
	struct tap_program prog;

	struct tap_governed governed;
	const struct tap_probe_ops *ops;
	struct tapmod_session *session;
	u64 pool;
	u64 charged;
	u32 type;
	u32 id;
	u32 flags;
	char *target;
	char *name;
};

/* Events on a CPU that a tracepoint's handler missed; user space gets them as out_nmissed. */
#define tap_counters_missed(counters)	((counters)->__reserved[1])

/* Whether the only test is that the session follows the task: two instructions. */
static inline bool tap_probe_only_follows(const struct tapmod_probe *probe)
{
	return probe->follows && probe->prog.entry.tests == 2;
}

/**
 * tap_probe_shape() - the shape for which a probe's handler must be compiled
 * @probe: finalized; its handler has to run the tests of the program as well
 *
 * Return: its shape; %TAP_SHAPE_ANY if it has other tests than that of %TAP_SHAPE_FOLLOWED, or is
 *	not a plain probe.
 */
static inline unsigned int tap_probe_shape(const struct tapmod_probe *probe)
{
	if (!probe->prog.tested || probe->shape == TAP_SHAPE_ANY)
		return probe->shape;
	return tap_probe_only_follows(probe) ? probe->shape | TAP_SHAPE_FOLLOWED :
					       TAP_SHAPE_ANY;
}

#endif /* _TAPMOD_CORE_PROBE_H */
