// SPDX-License-Identifier: GPL-2.0
/*
 * The commands of a session. tap_session_ioctl() copies the argument in once, checks
 * that its unknown tail is zero, runs the command, and copies the result out.
 */
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "core/notify.h"
#include "core/session.h"
#include "exec/aggregate.h"
#include "perf/call_counters.h"
#include "probes/probes.h"
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
};

static int tap_ioctl_info(struct tapmod_session *session, union tap_arg *arg)
{
	struct tap_info *info = &arg->info;

	if (info->flags)
		return -EINVAL;
	info->out_features = tap_probe_features();
	info->out_clock = tap_clock_id(tap_clock_khz());
	info->out_api = TAP_API_VERSION;
	info->out_nr_rings = nr_cpu_ids;
	info->out_page_size = PAGE_SIZE;
	info->out_max_probes = TAP_MAX_PROBES;
	info->out_max_ops = TAP_MAX_OPS;
	return 0;
}

static int tap_ioctl_setup(struct tapmod_session *session, union tap_arg *arg)
{
	struct tap_setup *setup = &arg->setup;
	int ret;

	if (setup->flags)
		return -EINVAL;
	if (tap_rings_ready(&session->rings))
		return -EBADFD;
	ret = tap_rings_alloc(&session->rings, setup, tap_probe_features());
	if (ret)
		return ret;
	setup->out_nr_rings = nr_cpu_ids;
	setup->out_ring_offset = session->rings.stride;
	setup->out_ring_stride = session->rings.stride;
	return 0;
}

static int tap_ioctl_create(struct tapmod_session *session, union tap_arg *arg)
{
	/* The opener may have handed the session on to somebody else. */
	int ret = tap_may_probe();

	return ret ?: tapmod_probe_create(session, &arg->create,
					  &arg->create.out_id);
}

/* Its id was never reported. */
static void tap_ioctl_uncreate(struct tapmod_session *session, union tap_arg *arg)
{
	tap_probe_delete(session, arg->create.out_id);
}

static int tap_ioctl_enable(struct tapmod_session *session, union tap_arg *arg)
{
	int ret = tap_may_probe() ?: tap_probe_enable(session, arg->ref.id);

	if (!ret)
		tap_governor_start(session);
	return ret;
}

static int tap_ioctl_disable(struct tapmod_session *session, union tap_arg *arg)
{
	return tap_probe_disable(session, arg->ref.id);
}

static int tap_ioctl_delete(struct tapmod_session *session, union tap_arg *arg)
{
	return tap_probe_delete(session, arg->ref.id);
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
	arg->flush.out_pending = tap_rings_flush(&session->rings);
	return 0;
}

static int tap_ioctl_time(struct tapmod_session *session, union tap_arg *arg)
{
	struct tap_time *time = &arg->time;

	if (time->flags)
		return -EINVAL;
	tap_clock_sample(tap_rings_ready(&session->rings) ?
			 session->rings.khz : tap_clock_khz(),
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

/**
 * struct tap_command - one command
 * @size: of its argument as this kernel knows it
 * @min_size: of its argument's first version
 * @rings: the session must have rings
 * @run: the argument is a checked copy; what it writes there is copied out
 * @undo: take back what @run did, since the result cannot be copied to the caller; optional
 */
struct tap_command {
	u32 size;
	u32 min_size;
	bool rings;
	int (*run)(struct tapmod_session *session, union tap_arg *arg);
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

static const struct tap_command tap_commands[] = {
	TAP_COMMAND(TAP_IOC_INFO, tap_info, out_max_ops, false, tap_ioctl_info),
	TAP_COMMAND(TAP_IOC_SETUP, tap_setup, out_ring_stride, false,
		    tap_ioctl_setup),
	TAP_COMMAND(TAP_IOC_CREATE, tap_create, out_id, true,
		    tap_ioctl_create, .undo = tap_ioctl_uncreate),
	TAP_COMMAND(TAP_IOC_ENABLE, tap_probe_ref, id, true, tap_ioctl_enable),
	TAP_COMMAND(TAP_IOC_DISABLE, tap_probe_ref, id, true, tap_ioctl_disable),
	TAP_COMMAND(TAP_IOC_DELETE, tap_probe_ref, id, true, tap_ioctl_delete),
	TAP_COMMAND(TAP_IOC_PROBE_INFO, tap_probe_info, out_target, true,
		    tap_ioctl_probe_info),
	TAP_COMMAND(TAP_IOC_STATS, tap_stats, out_nmissed_return, true,
		    tap_ioctl_stats),
	TAP_COMMAND(TAP_IOC_FLUSH, tap_flush, out_pending, true,
		    tap_ioctl_flush),
	TAP_COMMAND(TAP_IOC_TIME, tap_time, out_real, false, tap_ioctl_time),
	TAP_COMMAND(TAP_IOC_READ, tap_read, out_entry_words, true,
		    tap_ioctl_read),
	TAP_COMMAND(TAP_IOC_PMU, tap_pmu, __reserved, true, tap_ioctl_pmu),
	TAP_COMMAND(TAP_IOC_COUNT, tap_count_read, __reserved, true,
		    tap_ioctl_count),
	TAP_COMMAND(TAP_IOC_MARK, tap_mark, out_heard, false, tap_ioctl_mark),
};

/* No holes, and the same layout for every caller, 32-bit ones included. */
static void tap_build_check_abi(void)
{
	BUILD_BUG_ON(sizeof(struct tap_record) != TAP_SLOT_SIZE);
	BUILD_BUG_ON(sizeof(struct tap_slot) != TAP_SLOT_SIZE);
	BUILD_BUG_ON(sizeof(struct tap_meta) != 104);
	BUILD_BUG_ON(sizeof(struct tap_ring_head) != 32);
	BUILD_BUG_ON(sizeof(struct tap_ring_tail) != 8);
	BUILD_BUG_ON(sizeof(struct tap_info) != 40);
	BUILD_BUG_ON(sizeof(struct tap_setup) != 48);
	BUILD_BUG_ON(sizeof(struct tap_op) != 16);
	BUILD_BUG_ON(sizeof(struct tap_create) != 112);
	BUILD_BUG_ON(sizeof(struct tap_probe_ref) != 8);
	BUILD_BUG_ON(sizeof(struct tap_probe_info) != 312);
	BUILD_BUG_ON(sizeof(struct tap_counters) != 128);
	BUILD_BUG_ON(sizeof(struct tap_stats) != 40);
	BUILD_BUG_ON(sizeof(struct tap_flush) != 16);
	BUILD_BUG_ON(sizeof(struct tap_time) != 32);
	BUILD_BUG_ON(sizeof(struct tap_agg) != 24);
	BUILD_BUG_ON(sizeof(struct tap_key) != 4);
	BUILD_BUG_ON(sizeof(struct tap_aggregate) != 40);
	BUILD_BUG_ON(sizeof(struct tap_read) != 40);
	BUILD_BUG_ON(sizeof(struct tap_perf) != 48);
	BUILD_BUG_ON(sizeof(struct tap_pmu) != 24);
	BUILD_BUG_ON(sizeof(struct tap_count) != 32);
	BUILD_BUG_ON(sizeof(struct tap_count_read) != 24);
	BUILD_BUG_ON(sizeof(struct tap_mark) != 24);
	BUILD_BUG_ON(sizeof(struct tap_sample) != 24);
	BUILD_BUG_ON(sizeof(struct tap_watch) != 24);
}

/**
 * tap_session_ioctl() - run a command
 * @file: the session
 * @cmd: TAP_IOC_*
 * @uarg: address of its argument
 *
 * Context: process, may sleep.
 * Return: 0 or -errno as the contract in uapi/linux/tap.h has it.
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
	if (size < command->min_size)
		return -EINVAL;
	/* Bounds the time to check that the unknown tail is zero. */
	if (size > PAGE_SIZE)
		return -E2BIG;
	ret = copy_struct_from_user(&arg, command->size, user, size);
	if (ret)
		return ret;
	/* The user may have changed the size since get_user(); keep the checked one. */
	*(u32 *)&arg = size;
	/* A command must not run if its result cannot be written: test that first. */
	if (copy_to_user(user, &arg, min(size, command->size)))
		return -EFAULT;

	ret = mutex_lock_killable(&session->lock);
	if (ret)
		return ret;
	if (command->rings && !tap_rings_ready(&session->rings))
		ret = -EBADFD;
	else
		ret = command->run(session, &arg);
	/* The test above passed, but another thread may have unmapped the memory since. */
	if (!ret && copy_to_user(user, &arg, min(size, command->size))) {
		ret = -EFAULT;
		if (command->undo)
			command->undo(session, &arg);
	}
	mutex_unlock(&session->lock);
	return ret;
}
