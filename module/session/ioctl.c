// SPDX-License-Identifier: GPL-2.0
/*
 * The commands of a session. tap_session_ioctl() copies the argument in once, checks
 * that its unknown tail is zero, runs the command, and copies the result out.
 */
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "core/notify.h"
#include "core/probe.h"
#include "core/session.h"
#include "core/user_struct.h"
#include "exec/aggregate.h"
#include "exec/stack_table.h"
#include "exec/tasks.h"
#include "memory/memory.h"
#include "perf/call_counters.h"
#include "probes/probes.h"
#include "session/budget.h"
#include "session/device.h"
#include "session/governor.h"
#include "session/session_ops.h"

/* All arguments; tap_session_ioctl() copies into one of these. */
union tap_arg {
	struct tap_info info;
	struct tap_setup setup;
	struct tap_create create;
	struct tap_probe_ref ref;
	struct tap_probe_info probe_info;
	struct tap_stats stats;
	struct tap_flush flush;
	struct tap_time time;
	struct tap_read read;
	struct tap_pmu pmu;
	struct tap_count_read count;
	struct tap_mark mark;
	struct tap_follow follow;
	struct tap_span_read span;
	struct tap_stack_table stacks;
	struct tap_stack_read stack;
	struct tap_tasks tasks;
	struct tap_tasks_read tasks_read;
	struct tap_window window;
	struct tap_describe describe;
	struct tap_budget budget;
	struct tap_gate gate;
};

static int tap_ioctl_info(struct tapmod_session *session, union tap_arg *arg)
{
	struct tap_info *info = &arg->info;
	u32 khz;

	if (info->flags)
		return -EINVAL;
	info->out_features = tap_probe_features();
	info->out_clock = tap_clock_id(tap_clock_choose(0, &khz));
	info->out_api = TAP_API_VERSION;
	info->out_nr_rings = nr_cpu_ids;
	info->out_page_size = PAGE_SIZE;
	info->out_max_probes = TAP_MAX_PROBES;
	info->out_max_ops = TAP_MAX_OPS;
	info->out_max_call_mem = TAP_MAX_CALL_MEM;
	info->out_call_mem = session->call_mem;
	info->out_call_mem_wanted = session->call_mem_wanted;
	info->out_memory_max = tap_memory_max();
	info->out_memory_used = tap_memory_used();
	info->out_memory_refused = READ_ONCE(session->memory.refused);
	return 0;
}

static void tap_ioctl_unsetup(struct tapmod_session *session, union tap_arg *arg)
{
	tap_cpu_user_remove(&session->rings_user);
	if (session->spare.made)
		tap_rings_discard(&session->spare);
	tap_rings_discard(&session->rings);
	session->panic = 0;
}

static int tap_ioctl_setup(struct tapmod_session *session, union tap_arg *arg)
{
	struct tap_setup *setup = &arg->setup;
	u32 clock = setup->flags & ~TAP_SETUP_F_OVERWRITE;
	int ret;

	if (clock && clock != TAP_SETUP_F_ORDERED && clock != TAP_SETUP_F_MONO)
		return -EINVAL;
	if (setup->panic > TAP_MAX_PANIC || setup->__reserved)
		return -EINVAL;
	if (tap_rings_ready(&session->rings))
		return -EBADFD;
	WRITE_ONCE(session->memory.refused, 0);
	ret = tap_rings_alloc(&session->rings, setup, tap_probe_features());
	if (ret)
		return ret;
	if (session->rings.overwrite)
		ret = tap_rings_alloc(&session->spare, setup, tap_probe_features());
	if (!ret)
		ret = tap_cpu_user_add(session, &session->rings_user);
	if (ret) {
		tap_ioctl_unsetup(session, arg);
		return ret;
	}
	session->panic = setup->panic;
	setup->out_nr_rings = nr_cpu_ids;
	setup->out_ring_offset = session->rings.stride;
	setup->out_ring_stride = session->rings.stride;
	return 0;
}

static void tap_ioctl_publish(struct tapmod_session *session)
{
	const struct tap_anchor_owner owner = {
		.id = session->id, .opened = session->opened, .pid = session->pid,
		.comm = session->comm,
	};

	if (session->spare.made)
		tap_rings_publish(&session->spare, &owner);
	session->since = tap_clock_read(session->rings.clock);
	tap_rings_publish(&session->rings, &owner);
	tap_panic_join(session);
}

static int tap_ioctl_create(struct tapmod_session *session, union tap_arg *arg)
{
	/* The session's file may have been passed to a task without the privilege. */
	int ret = tap_may_probe();

	WRITE_ONCE(session->memory.refused, 0);
	session->call_mem_wanted = 0;
	return ret ?: tapmod_probe_create(session, &arg->create,
					  &arg->create.out_id);
}

/* Deletes the probe that was created: user space never got its id, and it had no event. */
static void tap_ioctl_uncreate(struct tapmod_session *session, union tap_arg *arg)
{
	tap_probe_delete(session, arg->create.out_id);
	session->next_id = arg->create.out_id;
}

/* Enables a probe, or all, under the session's lock. Returns 0 or the UAPI's -errno. */
int tap_session_enable(struct tapmod_session *session, u32 id)
{
	int ret;

	tap_governor_start(session);
	ret = tap_probe_enable(session, id);
	if (ret)
		return ret;
	/* It may have ended in between, since nothing was enabled yet. */
	tap_governor_start(session);
	tap_budget_start(session);
	return 0;
}

static int tap_ioctl_enable(struct tapmod_session *session, union tap_arg *arg)
{
	int ret = tap_may_probe();

	if (!ret && arg->ref.address)
		ret = tap_probe_place(session, arg->ref.id, arg->ref.address);
	if (ret)
		return ret;
	ret = tap_session_enable(session, arg->ref.id);
	/* The caller may give it another address. */
	if (ret && arg->ref.address)
		tap_probe_place(session, arg->ref.id, 0);
	return ret;
}

/* Disables a probe, or all, under the session's lock. Returns 0 or the UAPI's -errno. */
int tap_session_disable(struct tapmod_session *session, u32 id)
{
	int ret = tap_probe_disable(session, id);

	tap_budget_end(session);
	return ret;
}

static int tap_ioctl_disable(struct tapmod_session *session, union tap_arg *arg)
{
	return arg->ref.address ? -EINVAL : tap_session_disable(session, arg->ref.id);
}

static int tap_ioctl_delete(struct tapmod_session *session, union tap_arg *arg)
{
	int ret = arg->ref.address ? -EINVAL : tap_probe_delete(session, arg->ref.id);

	tap_budget_end(session);
	return ret;
}

static int tap_ioctl_probe_info(struct tapmod_session *session, union tap_arg *arg)
{
	return tap_probe_info(session, &arg->probe_info);
}

static int tap_ioctl_stats(struct tapmod_session *session, union tap_arg *arg)
{
	return tap_probe_stats(session, &arg->stats);
}

static int tap_ioctl_flush(struct tapmod_session *session, union tap_arg *arg)
{
	if (arg->flush.flags)
		return -EINVAL;
	tap_notices_write(session);
	arg->flush.out_pending = tap_rings_flush(session->active);
	return 0;
}

static int tap_ioctl_time(struct tapmod_session *session, union tap_arg *arg)
{
	struct tap_time *time = &arg->time;
	u32 khz;

	if (time->flags)
		return -EINVAL;
	tap_clock_sample(tap_rings_ready(&session->rings) ?
			 session->rings.clock : tap_clock_choose(0, &khz),
			 &time->out_raw, &time->out_mono, &time->out_real);
	return 0;
}

static int tap_ioctl_read(struct tapmod_session *session, union tap_arg *arg)
{
	return tap_aggregate_read(session, &arg->read);
}

static int tap_ioctl_pmu(struct tapmod_session *session, union tap_arg *arg)
{
	int ret = tap_may_probe();

	return ret ?: tap_pmu_open(session, &arg->pmu);
}

static int tap_ioctl_count(struct tapmod_session *session, union tap_arg *arg)
{
	return tap_count_read(session, &arg->count);
}

static int tap_ioctl_mark(struct tapmod_session *session, union tap_arg *arg)
{
	return tap_mark(session, &arg->mark);
}

static int tap_ioctl_follow(struct tapmod_session *session, union tap_arg *arg)
{
	WRITE_ONCE(session->memory.refused, 0);
	return tap_follow(session, &arg->follow);
}

static int tap_ioctl_span(struct tapmod_session *session, union tap_arg *arg)
{
	return tap_span_read(session, &arg->span);
}

static int tap_ioctl_stacks(struct tapmod_session *session, union tap_arg *arg)
{
	WRITE_ONCE(session->memory.refused, 0);
	return tap_stacks_create(session, &arg->stacks);
}

static int tap_ioctl_stack(struct tapmod_session *session, union tap_arg *arg)
{
	return tap_stacks_read(session, &arg->stack);
}

static int tap_ioctl_tasks(struct tapmod_session *session, union tap_arg *arg)
{
	int ret = tap_may_probe();

	WRITE_ONCE(session->memory.refused, 0);
	return ret ?: tap_tasks_create(session, &arg->tasks);
}

static void tap_ioctl_untasks(struct tapmod_session *session, union tap_arg *arg)
{
	tap_tasks_undo(session);
}

static int tap_ioctl_tasks_read(struct tapmod_session *session, union tap_arg *arg)
{
	return tap_tasks_read(session, &arg->tasks_read);
}

static int tap_ioctl_window(struct tapmod_session *session, union tap_arg *arg)
{
	return tap_window(session, &arg->window);
}

/* Gives back the set that was taken: user space does not know of it. */
static void tap_ioctl_unwindow(struct tapmod_session *session, union tap_arg *arg)
{
	session->taken = false;
}

static int tap_ioctl_describe(struct tapmod_session *session, union tap_arg *arg)
{
	const struct tap_describe *describe = &arg->describe;

	if (describe->flags)
		return -EINVAL;
	WRITE_ONCE(session->memory.refused, 0);
	return tap_rings_describe(&session->rings, u64_to_user_ptr(describe->data),
				  describe->len);
}

static int tap_ioctl_budget(struct tapmod_session *session, union tap_arg *arg)
{
	WRITE_ONCE(session->memory.refused, 0);
	return tap_budget(session, &arg->budget);
}

static int tap_ioctl_gate(struct tapmod_session *session, union tap_arg *arg)
{
	return tap_rings_gate_set(&session->rings, &arg->gate);
}

/**
 * struct tap_command - a command of TAP_IOC_*
 * @size: bytes of its argument in this version of the module
 * @min_size: bytes of its argument in the first version
 * @rings: the session must have rings, or -EBADFD
 * @silent: its argument has no out_* members, and is not copied out
 * @run: runs it under the session's lock; the argument is a checked copy, which is copied
 *	out afterwards
 * @commit: called when the result of @run was copied to user space; optional
 * @undo: reverts @run, when its result could not be copied to user space; optional
 */
struct tap_command {
	u32 size;
	u32 min_size;
	bool rings;
	bool silent;
	int (*run)(struct tapmod_session *session, union tap_arg *arg);
	void (*commit)(struct tapmod_session *session);
	void (*undo)(struct tapmod_session *session, union tap_arg *arg);
};

#define TAP_COMMAND(_cmd, _type, _last, _rings, _run, ...)		\
	[_IOC_NR(_cmd)] = {						\
		.size = sizeof(struct _type),				\
		.min_size = offsetofend(struct _type, _last),		\
		.rings = _rings,					\
		.run = _run,						\
		__VA_ARGS__						\
	}

/* The third name is the last member of the first version of the argument. */
static const struct tap_command tap_commands[] = {
	TAP_COMMAND(TAP_IOC_INFO, tap_info, out_memory_refused, false,
		    tap_ioctl_info),
	TAP_COMMAND(TAP_IOC_SETUP, tap_setup, out_ring_stride, false,
		    tap_ioctl_setup, .commit = tap_ioctl_publish,
		    .undo = tap_ioctl_unsetup),
	TAP_COMMAND(TAP_IOC_CREATE, tap_create, out_id, true,
		    tap_ioctl_create, .undo = tap_ioctl_uncreate),
	TAP_COMMAND(TAP_IOC_ENABLE, tap_probe_ref, id, true, tap_ioctl_enable,
		    .silent = true),
	TAP_COMMAND(TAP_IOC_DISABLE, tap_probe_ref, id, true, tap_ioctl_disable,
		    .silent = true),
	TAP_COMMAND(TAP_IOC_DELETE, tap_probe_ref, id, true, tap_ioctl_delete,
		    .silent = true),
	TAP_COMMAND(TAP_IOC_PROBE_INFO, tap_probe_info, out_target, true,
		    tap_ioctl_probe_info),
	TAP_COMMAND(TAP_IOC_STATS, tap_stats, out_nmissed_return, true,
		    tap_ioctl_stats),
	TAP_COMMAND(TAP_IOC_FLUSH, tap_flush, out_pending, true,
		    tap_ioctl_flush),
	TAP_COMMAND(TAP_IOC_TIME, tap_time, out_real, false, tap_ioctl_time),
	TAP_COMMAND(TAP_IOC_READ, tap_read, out_entry_words, true,
		    tap_ioctl_read),
	TAP_COMMAND(TAP_IOC_PMU, tap_pmu, __reserved, true, tap_ioctl_pmu,
		    .silent = true),
	TAP_COMMAND(TAP_IOC_COUNT, tap_count_read, __reserved, true,
		    tap_ioctl_count, .silent = true),
	TAP_COMMAND(TAP_IOC_MARK, tap_mark, out_heard, false, tap_ioctl_mark),
	TAP_COMMAND(TAP_IOC_FOLLOW, tap_follow, __reserved, false, tap_ioctl_follow,
		    .silent = true),
	TAP_COMMAND(TAP_IOC_SPAN, tap_span_read, out_open, true, tap_ioctl_span),
	TAP_COMMAND(TAP_IOC_STACKS, tap_stack_table, words, false, tap_ioctl_stacks,
		    .silent = true),
	TAP_COMMAND(TAP_IOC_STACK, tap_stack_read, out_no_room, false, tap_ioctl_stack),
	TAP_COMMAND(TAP_IOC_TASKS, tap_tasks, out_sources, true, tap_ioctl_tasks,
		    .undo = tap_ioctl_untasks),
	TAP_COMMAND(TAP_IOC_TASKS_READ, tap_tasks_read, out_no_wait, true,
		    tap_ioctl_tasks_read),
	TAP_COMMAND(TAP_IOC_WINDOW, tap_window, __reserved, true, tap_ioctl_window,
		    .undo = tap_ioctl_unwindow),
	TAP_COMMAND(TAP_IOC_DESCRIBE, tap_describe, len, true, tap_ioctl_describe,
		    .silent = true),
	TAP_COMMAND(TAP_IOC_BUDGET, tap_budget, out_unseen, true, tap_ioctl_budget),
	TAP_COMMAND(TAP_IOC_GATE, tap_gate, __reserved, true, tap_ioctl_gate),
};

/* The layout is the same for all callers, 32-bit ones included, and has no holes. */
static void tap_build_check_abi(void)
{
	BUILD_BUG_ON(sizeof(struct tap_record) != TAP_SLOT_SIZE);
	BUILD_BUG_ON(sizeof(struct tap_slot) != TAP_SLOT_SIZE);
	BUILD_BUG_ON(sizeof(struct tap_meta) != 120);
	BUILD_BUG_ON(sizeof(struct tap_ring_head) != 40);
	BUILD_BUG_ON(sizeof(struct tap_ring_tail) != 8);
	BUILD_BUG_ON(sizeof(struct tap_info) != 88);
	BUILD_BUG_ON(sizeof(struct tap_setup) != 56);
	BUILD_BUG_ON(sizeof(struct tap_op) != 16);
	BUILD_BUG_ON(sizeof(struct tap_create) != 144);
	BUILD_BUG_ON(sizeof(struct tap_probe_ref) != 16);
	BUILD_BUG_ON(sizeof(struct tap_probe_info) != 312);
	BUILD_BUG_ON(sizeof(struct tap_counters) != 128);
	BUILD_BUG_ON(sizeof(struct tap_stats) != 40);
	BUILD_BUG_ON(sizeof(struct tap_flush) != 16);
	BUILD_BUG_ON(sizeof(struct tap_time) != 32);
	BUILD_BUG_ON(sizeof(struct tap_agg) != 24);
	BUILD_BUG_ON(sizeof(struct tap_key) != 4);
	BUILD_BUG_ON(sizeof(struct tap_aggregate) != 48);
	BUILD_BUG_ON(sizeof(struct tap_read) != 48);
	BUILD_BUG_ON(sizeof(struct tap_perf) != 48);
	BUILD_BUG_ON(sizeof(struct tap_pmu) != 24);
	BUILD_BUG_ON(sizeof(struct tap_count) != 32);
	BUILD_BUG_ON(sizeof(struct tap_count_read) != 24);
	BUILD_BUG_ON(sizeof(struct tap_mark) != 24);
	BUILD_BUG_ON(sizeof(struct tap_follow) != 16);
	BUILD_BUG_ON(sizeof(struct tap_sample) != 24);
	BUILD_BUG_ON(sizeof(struct tap_watch) != 24);
	BUILD_BUG_ON(sizeof(struct tap_span_table) != 24);
	BUILD_BUG_ON(sizeof(struct tap_span_event) != 48);
	BUILD_BUG_ON(sizeof(struct tap_span_read) != 112);
	BUILD_BUG_ON(sizeof(struct tap_stack_table) != 16);
	BUILD_BUG_ON(sizeof(struct tap_stack_read) != 56);
	BUILD_BUG_ON(sizeof(struct tap_tasks) != 16);
	BUILD_BUG_ON(sizeof(struct tap_tasks_read) != 40);
	BUILD_BUG_ON(sizeof(struct tap_division) != 120);
	BUILD_BUG_ON(sizeof(struct tap_window) != 72);
	BUILD_BUG_ON(sizeof(struct tap_describe) != 24);
	BUILD_BUG_ON(sizeof(struct tap_anchor) != 96);
	BUILD_BUG_ON(sizeof(struct tap_anchor_list) != 56);
	BUILD_BUG_ON(sizeof(struct tap_cost) != 16);
	BUILD_BUG_ON(sizeof(struct tap_budget) != 72);
	BUILD_BUG_ON(sizeof(struct tap_gate) != 32);
}

/*
 * ->unlocked_ioctl() of /dev/tap. Returns 0 or -errno as uapi/linux/tap.h defines it for
 * the command.
 */
long tap_session_ioctl(struct file *file, unsigned int cmd, unsigned long uarg)
{
	struct tapmod_session *session = file->private_data;
	const struct tap_command *command;
	void __user *user = (void __user *)uarg;
	union tap_arg arg;
	u32 size;
	int ret;

	tap_build_check_abi();
	if (_IOC_TYPE(cmd) != TAP_IOC_TYPE || cmd != _IO(TAP_IOC_TYPE, _IOC_NR(cmd)) ||
	    _IOC_NR(cmd) >= ARRAY_SIZE(tap_commands))
		return -ENOTTY;
	command = &tap_commands[_IOC_NR(cmd)];

	if (get_user(size, (u32 __user *)user))
		return -EFAULT;
	ret = tap_struct_copy(&arg, command->size, command->min_size, user, size);
	if (ret)
		return ret;
	/* The user may have changed the size since get_user(); keep the checked one. */
	*(u32 *)&arg = size;
	/* Test first that the result can be written: a command cannot always be undone. */
	if (!command->silent && copy_to_user(user, &arg, min(size, command->size)))
		return -EFAULT;

	ret = mutex_lock_killable(&session->lock);
	if (ret)
		return ret;
	if (command->rings && !tap_rings_ready(&session->rings))
		ret = -EBADFD;
	else
		ret = command->run(session, &arg);
	/* Memory that passed the test above may have been unmapped by another thread. */
	if (!ret && !command->silent &&
	    copy_to_user(user, &arg, min(size, command->size))) {
		ret = -EFAULT;
		if (command->undo)
			command->undo(session, &arg);
	}
	if (!ret && command->commit)
		command->commit(session);
	tap_governor_due(session);
	mutex_unlock(&session->lock);
	return ret;
}
