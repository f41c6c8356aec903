// SPDX-License-Identifier: GPL-2.0
/*
 * Probes of a session: create, enable, disable, delete, read back. A probe is created in
 * two phases (allocate and verify, then attach and publish), so session->probes holds only
 * complete ones. All functions run in process context under the session's lock.
 */
#include <linux/bitops.h>
#include <linux/capability.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "common/record_slots.h"
#include "compat/hooks.h"
#include "core/session.h"
#include "exec/aggregate.h"
#include "exec/call_task.h"
#include "exec/capture.h"
#include "exec/fastpath_compile.h"
#include "exec/verifier.h"
#include "memory/memory.h"
#include "perf/call_counters.h"
#include "probes/kprobe_batch.h"
#include "probes/probes.h"
#include "session/governor.h"
#include "session/session_ops.h"

static_assert(TAP_MAX_IDS < 1ULL << 8 * sizeof_field(struct tap_record, probe));

static const struct tap_probe_ops *const tap_probe_types[] = {
	[TAP_PROBE_KPROBE]	= &tap_kprobe_ops,
	[TAP_PROBE_KRETPROBE]	= &tap_kretprobe_ops,
	[TAP_PROBE_CALL]	= &tap_call_ops,
	[TAP_PROBE_RAWTP]	= &tap_rawtp_ops,
	[TAP_PROBE_TRACEPOINT]	= &tap_tracepoint_ops,
	[TAP_PROBE_SYSCALL]	= &tap_syscall_ops,
	[TAP_PROBE_UPROBE]	= &tap_uprobe_ops,
	[TAP_PROBE_URETPROBE]	= &tap_uretprobe_ops,
	[TAP_PROBE_UCALL]	= &tap_ucall_ops,
	[TAP_PROBE_USDT]	= &tap_uprobe_ops,
	[TAP_PROBE_EVENT]	= &tap_perf_sample_ops,
	[TAP_PROBE_COUNT]	= &tap_count_ops,
	[TAP_PROBE_WATCHPOINT]	= &tap_watchpoint_ops,
	[TAP_PROBE_MARK]	= &tap_mark_ops,
	[TAP_PROBE_FUNC]	= &tap_func_ops,
	[TAP_PROBE_FUNCGRAPH]	= &tap_call_ops,
	[TAP_PROBE_SPAN]	= &tap_span_ops,
	[TAP_PROBE_USER_WATCH]	= &tap_user_watch_ops,
};

/* TAP_FEATURE_* that this module supports on this kernel. */
u64 tap_probe_features(void)
{
	u64 features = TAP_FEATURE_KPROBE | TAP_FEATURE_KRETPROBE |
		       TAP_FEATURE_CALL | TAP_FEATURE_RAWTP |
		       TAP_FEATURE_TRACEPOINT | TAP_FEATURE_SYSCALL |
		       TAP_FEATURE_UPROBE | TAP_FEATURE_PERF |
		       TAP_FEATURE_MARK | TAP_FEATURE_SPAN |
		       TAP_FEATURE_OVERWRITE;

	if (!TAP_KRETPROBE_TABLE)
		features |= TAP_FEATURE_FUNCGRAPH;
	if (IS_ENABLED(CONFIG_DYNAMIC_FTRACE))
		features |= TAP_FEATURE_FUNC;
	if (!TAP_HOOKS_FIT)
		features &= ~TAP_FEATURE_SYSCALL;
	if (tap_clock_khz())
		features |= TAP_FEATURE_RAW_CLOCK;
	if (tap_division_possible())
		features |= TAP_FEATURE_DIVISION;
	if (TAP_ARCH_WATCHES && IS_ENABLED(CONFIG_HAVE_HW_BREAKPOINT))
		features |= TAP_FEATURE_WATCHPOINT;
	return features;
}

/*
 * A breakpoint in the middle of an instruction changes what a program does. The program
 * may run for any user, so CAP_PERFMON is not enough.
 */
static int tap_may_probe_programs(void)
{
	return capable(CAP_SYS_ADMIN) ? 0 : -EPERM;
}

/* Checks the members of struct tap_create that only some types of probes may use. */
static int tap_probe_check_place(const struct tap_probe_ops *ops,
				 const struct tap_create *create)
{
	if (create->semaphore && create->type != TAP_PROBE_USDT)
		return -EINVAL;
	if (!create->perf != !ops->perf || !create->span != !ops->span)
		return -EINVAL;
	if (!create->addrs != !create->nr_addrs ||
	    create->nr_addrs > (ops->funcs ? TAP_MAX_ADDRS : 0))
		return -EINVAL;
	if (ops->file)
		return tap_may_probe_programs();
	if (create->pid && !ops->task)
		return -EINVAL;
	return create->file || create->offset ? -EINVAL : 0;
}

static void tap_probe_free(struct tapmod_probe *probe)
{
	if (probe->ops->free)
		probe->ops->free(probe);
	tap_span_leave(probe);
	tap_aggregate_free(probe);
	tap_governor_free(probe);
	kfree(probe->fp);
	kfree(probe->fp_in_task);
	tap_program_free(&probe->prog);
	free_percpu(probe->counters);
	tap_memory_uncharge(&probe->session->memory, probe->charged);
	kfree(probe->target);
	kfree(probe->name);
	kfree(probe);
}

/* Charges memory of a probe; tap_probe_free() gives it back. Returns 0 or -ENOMEM. */
static int tap_probe_charge(struct tapmod_probe *probe, u64 bytes)
{
	int ret = tap_memory_charge(&probe->session->memory, bytes);

	if (!ret)
		probe->charged += bytes;
	return ret;
}

static int tap_probe_copy_target(struct tapmod_probe *probe,
				 const struct tap_create *create)
{
	if (!create->target_len || create->target_len >= TAP_MAX_TARGET)
		return -EINVAL;
	probe->name = memdup_user_nul(u64_to_user_ptr(create->target),
				      create->target_len);
	if (IS_ERR(probe->name)) {
		int ret = PTR_ERR(probe->name);

		probe->name = NULL;
		return ret;
	}
	if (strlen(probe->name) != create->target_len)
		return -EINVAL;
	probe->target = kstrdup(probe->name, GFP_KERNEL_ACCOUNT);
	return probe->target ? 0 : -ENOMEM;
}

/*
 * Sets @offset and @nr_loads to the leading outputs that are plain loads. Returns the
 * shape: TAP_SHAPE_ANY, unless all outputs are such loads, or such loads and then the
 * task's name. With the name, and with the two words of a call, a record may take two slots.
 */
static u8 tap_program_shape(struct tapmod_probe *probe)
{
	const struct tap_program *prog = &probe->prog;
	const struct tap_insn *insn = prog->entry.insns + prog->entry.tests;
	const struct tap_insn *end = prog->entry.insns + prog->entry.end;

	for (; insn < end && probe->nr_loads < TAP_FIRST_VALUES; insn++) {
		if (insn->code != TAP_INSN_BASE || insn->dst < TAP_DST_OUT)
			break;
		probe->offset[probe->nr_loads++] = insn->off;
	}
	if (prog->ret.end || probe->task_words || probe->redact ||
	    probe->clock != TAPMOD_CLOCK_RAW || probe->counts)
		return TAP_SHAPE_ANY;
	if (insn == end)
		return probe->nr_loads;
	return insn->code == TAP_INSN_COMM && insn + 1 == end ?
	       probe->nr_loads | TAP_SHAPE_COMM : TAP_SHAPE_ANY;
}

/* Whether the program begins with a test that rejects tasks that the session does not follow. */
static bool tap_program_follows(const struct tap_program *prog)
{
	const struct tap_insn *insn = prog->entry.insns;

	return prog->entry.tests >= 2 && insn[0].code == TAP_INSN_VALUE &&
	       insn[0].sub == TAP_OP_VAR && insn[0].off == TAP_VAR_FOLLOWED &&
	       insn[1].dst == insn[0].dst && insn[1].src == TAP_OP_IMM_SRC &&
	       insn[1].off == TAP_OP_REJECT &&
	       ((insn[1].sub == TAP_OP_JNE && insn[1].imm == 1) ||
		(insn[1].sub == TAP_OP_JEQ && !insn[1].imm));
}

/* Sets id, shape and the constant part of the record head; the program is verified. */
static void tap_probe_finalize(struct tapmod_probe *probe, u32 id)
{
	const struct tap_program *prog = &probe->prog;

	probe->id = id;
	probe->ident = id | tap_words_slots(prog->words) << 16 | TAP_KIND_EVENT << 24;
	probe->counts = probe->flags & TAP_CREATE_F_COUNT || probe->collects;
	probe->only_counts = probe->counts && !probe->collects && !prog->ret.end &&
			     !probe->task_words;
	probe->task_at = tap_call_size(probe) - probe->task_words * sizeof(u64);
	probe->follows = tap_program_follows(prog);
	probe->shape = tap_program_shape(probe);
}

/*
 * Sets @frame and what follows from it, when the program is verified and the probe may be a side.
 * Returns 0 or -EINVAL.
 */
static int tap_probe_frame(struct tapmod_probe *probe, const struct tap_create *create,
			   const struct tap_program_env *env)
{
	if (create->frame && (!env->frames || create->frame > TAP_MAX_FRAME ||
			      (!env->returns && !probe->span)))
		return -EINVAL;
	probe->frame = create->frame;
	/* The frame of a side is the span's. */
	if (probe->span && probe->frame)
		probe->span_extra = true;
	if (env->returns && ((probe->frame && !probe->span) || probe->prog.divides))
		probe->task_words = TAP_CALL_TASK_WORDS;
	return 0;
}

/* First phase: allocate and verify; nothing is registered with the kernel. */
static struct tapmod_probe *tap_probe_alloc(struct tapmod_session *session,
					    const struct tap_create *create)
{
	const struct tap_probe_ops *ops = NULL;
	struct tap_program_env env = {};
	struct tapmod_probe *probe;
	int ret;

	if (create->type < ARRAY_SIZE(tap_probe_types))
		ops = tap_probe_types[array_index_nospec(create->type,
							 ARRAY_SIZE(tap_probe_types))];
	if (create->flags & ~TAP_CREATE_F_ALL || create->__reserved || !ops)
		return ERR_PTR(-EINVAL);
	if (create->flags & TAP_CREATE_F_WAIT && !ops->wait)
		return ERR_PTR(-EINVAL);
	if (create->maxactive > ops->maxactive)
		return ERR_PTR(-EINVAL);
	ret = tap_probe_check_place(ops, create);
	if (ret)
		return ERR_PTR(ret);
	/* The result says whether an address is a function's, which would reveal KASLR's offset. */
	if (create->nr_addrs && !session->addresses)
		return ERR_PTR(-EPERM);
	if (ops->feature & ~tap_probe_features())
		return ERR_PTR(-EOPNOTSUPP);

	probe = kzalloc(ops->size, GFP_KERNEL_ACCOUNT);
	if (!probe)
		return ERR_PTR(-ENOMEM);
	probe->ops = ops;
	probe->session = session;
	probe->type = create->type;
	probe->flags = create->flags;
	probe->redact = !session->addresses;
	probe->rings = session->active->ring;
	probe->clock = session->rings.clock;
	probe->pmu = session->pmu;
	env.nr_pmu = tap_pmu_counters(session->pmu);
	probe->stacks = session->stacks;
	env.stacks = session->stacks;
	probe->tasks = session->tasks;
	env.triggers = session->rings.overwrite;
	env.frames = session->tasks && session->tasks->frames;
	env.division = session->tasks && session->tasks->divided;
	tap_clock_scale(session->rings.khz, &probe->ns_mult, &probe->ns_shift);

	ret = tap_probe_copy_target(probe, create);
	if (ret)
		goto err_free;
	ret = tap_span_load(probe, create) ?:
	      tap_span_look_into(session, probe, create, &env) ?:
	      ops->parse(probe, probe->target, &env);
	if (ret)
		goto err_free;
	ret = tap_program_load(&probe->prog, create, &env);
	if (ret)
		goto err_free;
	if (probe->prog.follows) {
		ret = tap_follow_prepare(session);
		if (ret)
			goto err_free;
		probe->followed = session->followed;
	}
	ret = tap_span_join(session, probe, create) ?:
	      tap_probe_frame(probe, create, &env) ?:
	      tap_aggregate_load(probe, create);
	if (ret)
		goto err_free;
	/* Before ->pool(): the memory of a call has room for what is collected. */
	probe->collects = probe->agg || probe->span;
	ret = tap_probe_charge(probe, (u64)num_possible_cpus() *
				      sizeof(struct tap_counters));
	if (ret)
		goto err_free;
	probe->counters = __alloc_percpu_gfp(sizeof(struct tap_counters),
					     SMP_CACHE_BYTES,
					     GFP_KERNEL_ACCOUNT);
	if (!probe->counters) {
		ret = -ENOMEM;
		goto err_free;
	}
	return probe;

err_free:
	tap_probe_free(probe);
	return ERR_PTR(ret);
}

/* Creates a probe, disabled; sets @id. Returns 0 or the UAPI's -errno. */
int tapmod_probe_create(struct tapmod_session *session, const struct tap_create *create,
			u32 *id)
{
	struct tapmod_probe *probe = tap_probe_alloc(session, create);
	int ret;

	if (IS_ERR(probe))
		return PTR_ERR(probe);
	if (session->nr_probes >= TAP_MAX_PROBES) {
		ret = -ENOSPC;
		goto err_free;
	}
	if (session->next_id > TAP_MAX_IDS) {
		ret = -EOVERFLOW;
		goto err_free;
	}
	if (probe->ops->pool)
		probe->pool = probe->ops->pool(probe, create);
	if (probe->pool > TAP_MAX_CALL_MEM - session->call_mem) {
		session->call_mem_wanted = probe->pool;
		ret = -ENOMEM;
		goto err_free;
	}
	ret = tap_probe_charge(probe, probe->pool);
	if (ret)
		goto err_free;
	ret = tap_aggregate_alloc(probe) ?: tap_span_alloc(probe);
	if (ret)
		goto err_free;
	/* Reserve the entry first: nothing may fail after the probe is attached. */
	ret = xa_reserve(&session->probes, session->next_id, GFP_KERNEL_ACCOUNT);
	if (ret)
		goto err_free;
	tap_probe_finalize(probe, session->next_id);
	/* Such a record would never find room, and each event would wake the reader. */
	if ((!probe->counts || probe->flags & TAP_CREATE_F_RECORD) &&
	    ((probe->ident >> 16) & 0xff) * TAP_SLOT_SIZE > session->rings.bytes) {
		ret = -EMSGSIZE;
		goto err_unreserve;
	}
	ret = tap_fastpath_make(probe);
	if (ret)
		goto err_unreserve;
	ret = probe->ops->attach(probe, create);
	if (ret)
		goto err_unreserve;
	tap_span_joined(probe);
	xa_store(&session->probes, probe->id, probe, GFP_KERNEL_ACCOUNT);
	session->next_id++;
	session->nr_probes++;
	session->call_mem += probe->pool;
	tap_governor_add(session, probe, create->limit);
	*id = probe->id;
	return 0;

err_unreserve:
	xa_release(&session->probes, session->next_id);
err_free:
	tap_probe_free(probe);
	return ret;
}

/* The probe of an id; -ENOENT. */
struct tapmod_probe *tap_probe_find(struct tapmod_session *session, u32 id)
{
	return xa_load(&session->probes, id) ?: ERR_PTR(-ENOENT);
}

/* Before the first event: return handlers test @enabled. */
static void tap_probe_enabling(struct tapmod_probe *probe)
{
	probe->session->unsynced |= probe->ops->sync;
	probe->governed.paused = false;
	probe->governed.failed = false;
	tap_capture_begins(probe);
	WRITE_ONCE(probe->enabled, true);
}

static int tap_probe_enable_one(struct tapmod_probe *probe)
{
	int ret;

	if (probe->enabled)
		return 0;
	if (probe->ops->file) {
		ret = tap_may_probe_programs();
		if (ret)
			return ret;
	}
	tap_probe_enabling(probe);
	ret = probe->ops->enable(probe);
	if (ret)
		WRITE_ONCE(probe->enabled, false);
	return ret;
}

/* The caller then waits with tap_sync(), before it reads the counters as final. */
static void tap_probe_disable_one(struct tapmod_probe *probe)
{
	probe->governed.paused = false;
	probe->governed.failed = false;
	if (!probe->enabled)
		return;
	WRITE_ONCE(probe->enabled, false);
	probe->ops->disable(probe);
}

/*
 * Waits for the events in flight of all disabled probes. If others are enabled, their kinds
 * have to be waited for again.
 */
void tap_probes_sync(struct tapmod_session *session)
{
	struct tapmod_probe *probe;
	unsigned long i;

	tap_sync(session->unsynced);
	session->unsynced &= TAP_SYNC_RETURNS;
	xa_for_each(&session->probes, i, probe)
		if (probe->enabled)
			session->unsynced |= probe->ops->sync;
}

/* Whether the probe is to be enabled: with @paused only if the budget has disarmed it. */
static bool tap_probe_wanted(const struct tapmod_probe *probe, bool paused)
{
	return !probe->enabled && (!paused || probe->governed.paused);
}

static struct tap_batched *tap_probe_batched(struct tapmod_probe *probe, bool paused)
{
	return tap_probe_wanted(probe, paused) && probe->ops->batched ?
	       probe->ops->batched(probe) : NULL;
}

/* Number of probes that can be armed as one kprobe batch; 0 if fewer than TAP_BATCH_MIN. */
static unsigned int tap_probes_batched(struct tapmod_session *session, bool paused)
{
	struct tapmod_probe *probe;
	unsigned int nr = 0;
	unsigned long i;

	xa_for_each(&session->probes, i, probe)
		nr += !!tap_probe_batched(probe, paused);
	return nr < TAP_BATCH_MIN ? 0 : nr;
}

/* Marks the probes of the batch with XA_MARK_0, also on error: the caller clears marks. */
static int tap_probes_enable_batch(struct tapmod_session *session, unsigned int nr, bool paused)
{
	struct tap_kprobe_batch *batch = tap_kprobe_batch_make(nr);
	struct tap_batched *batched;
	struct tapmod_probe *probe;
	unsigned long i;

	if (!batch)
		return -ENOMEM;
	xa_for_each(&session->probes, i, probe) {
		batched = tap_probe_batched(probe, paused);
		if (!batched || !nr)
			continue;
		tap_kprobe_batch_add(batch, batched);
		tap_probe_enabling(probe);
		xa_set_mark(&session->probes, i, XA_MARK_0);
		nr--;
	}
	return tap_kprobe_batch_start(batch, &session->batches);
}

/* Marks the probes that the budget has disarmed with XA_MARK_1. */
static void tap_probes_mark_paused(struct tapmod_session *session)
{
	struct tapmod_probe *probe;
	unsigned long i;

	xa_for_each(&session->probes, i, probe)
		if (probe->governed.paused)
			xa_set_mark(&session->probes, i, XA_MARK_1);
}

/* Ends the throttling of all disabled probes, when tap_probes_sync() has returned. */
static void tap_probes_ungovern(struct tapmod_session *session)
{
	struct tapmod_probe *probe;
	unsigned long i;

	xa_for_each(&session->probes, i, probe)
		if (!probe->enabled)
			tap_governor_disabled(session, probe);
}

/*
 * Enables all probes that tap_probe_wanted() says. If one fails, none stays enabled by this call,
 * and what the budget has disarmed waits for it as before. Returns 0 or the error of ->enable().
 */
static int tap_probes_enable(struct tapmod_session *session, bool paused)
{
	unsigned int nr = tap_probes_batched(session, paused);
	struct tapmod_probe *probe;
	unsigned long i;
	int ret = 0;

	tap_probes_mark_paused(session);
	xa_for_each(&session->probes, i, probe) {
		if (!tap_probe_wanted(probe, paused) || (nr && tap_probe_batched(probe, paused)))
			continue;
		ret = tap_probe_enable_one(probe);
		if (ret)
			break;
		xa_set_mark(&session->probes, i, XA_MARK_0);
		tap_governor_due(session);
		cond_resched();
	}
	if (!ret)
		ret = tap_func_flush(session);
	tap_governor_due(session);
	/* Last: a kprobe batch is armed as a whole or not at all. */
	if (!ret && nr)
		ret = tap_probes_enable_batch(session, nr, paused);
	xa_for_each_marked(&session->probes, i, probe, XA_MARK_0) {
		xa_clear_mark(&session->probes, i, XA_MARK_0);
		if (ret)
			tap_probe_disable_one(probe);
	}
	xa_for_each_marked(&session->probes, i, probe, XA_MARK_1) {
		xa_clear_mark(&session->probes, i, XA_MARK_1);
		probe->governed.paused |= ret;
	}
	if (ret) {
		tap_func_flush(session);
		tap_probes_sync(session);
		tap_probes_ungovern(session);
	}
	return ret;
}

/* Enables a probe, or with @id 0 all: see tap_probes_enable(). Returns also -ENOENT. */
int tap_probe_enable(struct tapmod_session *session, u32 id)
{
	struct tapmod_probe *probe;
	bool paused;
	int ret;

	if (!id)
		return tap_probes_enable(session, false);
	probe = tap_probe_find(session, id);
	if (IS_ERR(probe))
		return PTR_ERR(probe);
	if (probe->enabled)
		return 0;
	paused = probe->governed.paused;
	ret = tap_probe_enable_one(probe) ?: tap_func_flush(session);
	/* It may have been armed on some CPUs. */
	if (ret) {
		tap_probe_disable_one(probe);
		tap_sync(probe->ops->sync);
		probe->governed.paused = paused;
	}
	return ret;
}

/* Gives a probe its address, or takes it back with 0. Returns 0 or the UAPI's -errno. */
int tap_probe_place(struct tapmod_session *session, u32 id, u64 address)
{
	struct tapmod_probe *probe = tap_probe_find(session, id);

	if (IS_ERR(probe))
		return PTR_ERR(probe);
	return probe->ops->place ? probe->ops->place(probe, address) : -EINVAL;
}

/* Disables a probe, or with @id 0 all, and waits for events in flight. 0 or -ENOENT. */
int tap_probe_disable(struct tapmod_session *session, u32 id)
{
	struct tapmod_probe *probe;
	unsigned long i;
	bool enabled;

	if (id) {
		probe = tap_probe_find(session, id);
		if (IS_ERR(probe))
			return PTR_ERR(probe);
		enabled = probe->enabled;
		tap_probe_disable_one(probe);
		/* A probe that is disabled was waited for when it was. */
		if (!enabled)
			return 0;
		tap_func_flush(session);
		tap_sync(probe->ops->sync);
		tap_governor_disabled(session, probe);
		return 0;
	}
	tap_kprobe_batches_stop(&session->batches);
	xa_for_each(&session->probes, i, probe) {
		tap_probe_disable_one(probe);
		tap_governor_due(session);
		cond_resched();
	}
	tap_func_flush(session);
	tap_probes_sync(session);
	tap_probes_ungovern(session);
	return 0;
}

/*
 * Whether the budget disarms the probe: it has a cost, or is in a kprobe batch, which is disarmed
 * as a whole. What is gone has no events, and cannot be armed again.
 */
static bool tap_probe_may_pause(struct tapmod_probe *probe)
{
	struct tap_batched *batched = probe->ops->batched ? probe->ops->batched(probe) : NULL;

	return probe->enabled && tap_probe_state(probe) != TAP_STATE_GONE &&
	       (probe->governed.hit_cost || probe->governed.passed_cost ||
		(batched && batched->batch));
}

/* Disarms the enabled probes that tap_probe_may_pause() says, until tap_probes_resume(). */
void tap_probes_pause(struct tapmod_session *session)
{
	struct tapmod_probe *probe;
	unsigned long i;

	xa_for_each(&session->probes, i, probe)
		probe->governed.paused = tap_probe_may_pause(probe);
	tap_kprobe_batches_stop(&session->batches);
	xa_for_each(&session->probes, i, probe) {
		if (!probe->governed.paused)
			continue;
		tap_probe_disable_one(probe);
		probe->governed.paused = true;
		cond_resched();
	}
	tap_func_flush(session);
	tap_probes_sync(session);
	tap_probes_ungovern(session);
}

/*
 * Arms each probe that the budget has disarmed by itself. One that cannot be armed any more, as its
 * module or its process is gone, has failed: its state says so, and the others go on without it.
 */
static void tap_probes_resume_each(struct tapmod_session *session)
{
	struct tapmod_probe *probe;
	unsigned long i;

	xa_for_each(&session->probes, i, probe) {
		if (!probe->governed.paused || !tap_probe_enable(session, probe->id))
			continue;
		probe->governed.paused = false;
		probe->governed.failed = true;
		cond_resched();
	}
}

/* Arms what tap_probes_pause() disarmed. */
void tap_probes_resume(struct tapmod_session *session)
{
	if (tap_probes_enable(session, true))
		tap_probes_resume_each(session);
}

/* Disables, detaches and frees a probe. -EINVAL: @id 0, which is not "all" here; -ENOENT. */
int tap_probe_delete(struct tapmod_session *session, u32 id)
{
	struct tapmod_probe *probe = id ? tap_probe_find(session, id) :
				       ERR_PTR(-EINVAL);
	struct tapmod_probe *array[TAP_DETACH_MIN] = { probe };
	bool sync;

	if (IS_ERR(probe))
		return PTR_ERR(probe);
	if (tap_span_has_sides(probe))
		return -EBUSY;
	/* It was waited for if it is disabled. Handlers of returns may have started since. */
	sync = probe->enabled || probe->ops->sync & TAP_SYNC_RETURNS;
	tap_probe_disable_one(probe);
	tap_func_flush(session);
	probe->ops->detach(array, 1);
	if (sync)
		tap_sync(probe->ops->sync);
	xa_erase(&session->probes, id);
	/* A panic may have found it: see tap_panic_format(). */
	if (session->panic)
		synchronize_rcu();
	session->nr_probes--;
	session->call_mem -= probe->pool;
	tap_probe_free(probe);
	return 0;
}

/* Detaches the probes of one type. @array has room for @size pointers. */
static void tap_probes_detach(struct tapmod_session *session, u32 type,
			      struct tapmod_probe **array, unsigned int size)
{
	const struct tap_probe_ops *ops = tap_probe_types[type];
	struct tapmod_probe *probe;
	unsigned int nr = 0;
	unsigned long i;

	xa_for_each(&session->probes, i, probe) {
		if (probe->type != type)
			continue;
		array[nr++] = probe;
		if (nr == size) {
			ops->detach(array, nr);
			nr = 0;
		}
	}
	if (nr)
		ops->detach(array, nr);
}

/*
 * Disables, detaches and frees all probes of a session that no other task uses. When it
 * returns, no handler runs. The number of grace periods depends on the types of the probes,
 * not on the number of probes; without memory for the array, on both.
 */
void tap_session_detach(struct tapmod_session *session)
{
	struct tapmod_probe *few[TAP_DETACH_MIN], **array;
	unsigned int size = max_t(unsigned int, session->nr_probes, TAP_DETACH_MIN);
	struct tapmod_probe *probe;
	unsigned long i, types = 0;
	u32 type;

	tap_follow_stop(session);
	tap_tasks_stop(session);
	if (xa_empty(&session->probes) && !session->newtask && !session->tasks)
		return;
	tap_kprobe_batches_stop(&session->batches);
	xa_for_each(&session->probes, i, probe) {
		tap_probe_disable_one(probe);
		types |= BIT(probe->type);
		cond_resched();
	}
	array = size > TAP_DETACH_MIN ? kvmalloc_array(size, sizeof(*array), GFP_KERNEL) : NULL;
	if (!array)
		size = TAP_DETACH_MIN;
	for_each_set_bit(type, &types, ARRAY_SIZE(tap_probe_types))
		tap_probes_detach(session, type, array ?: few, size);
	kvfree(array);
	tap_func_flush(session);
	if (session->unsynced & TAP_SYNC_RETURNS)
		session->unsynced |= TAP_SYNC_KPROBE;
	tap_sync(session->unsynced);
	/* A side leaves its span, which is in front of it, before that is freed. */
	xa_for_each(&session->probes, i, probe)
		tap_span_leave(probe);
	xa_for_each(&session->probes, i, probe) {
		tap_probe_free(probe);
		cond_resched();
	}
	xa_destroy(&session->probes);
}
