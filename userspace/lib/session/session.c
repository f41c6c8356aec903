// SPDX-License-Identifier: LGPL-2.1
/*
 * A session: an open device, with a function for each of its ioctls.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "elf/elf_object.h"
#include "session/device.h"
#include "session/ioctl_error.h"
#include "session/session.h"
#include "session/stacks.h"
#include "spec/spec.h"
#include "util/sized.h"
#include "util/util.h"

/**
 * struct tap_session - an open file of the device
 * @fd: its descriptor
 * @nr_rings: answer of TAP_IOC_SETUP; 0 before it
 * @stacks: what was read of its table of stacks; NULL: it has no table
 * @tasks: TAP_TASKS_F_* of its table of tasks; 0: it has none
 */
struct tap_session {
	int fd;
	unsigned int nr_rings;
	struct tap_stacks *stacks;
	__u32 tasks;
};

/*
 * Functions below fill these structures of callers, and of callers that were built with another
 * header: a member that the kernel's interface gets later needs a new function.
 */
#define SIZE_FIXED(name, bytes)	\
	_Static_assert(sizeof(struct name) == (bytes), #name " is part of the ABI of libtap")

SIZE_FIXED(tap_info, 88);
SIZE_FIXED(tap_probe_info, 312);
SIZE_FIXED(tap_stats, 40);
SIZE_FIXED(tap_counters, 128);
SIZE_FIXED(tap_count, 32);
SIZE_FIXED(tap_read, 48);
SIZE_FIXED(tap_time, 32);
SIZE_FIXED(tap_perf, 48);
SIZE_FIXED(tap_budget, 72);

/*
 * The rings of a session together take at most a 64th of the memory and 256 MiB, unless the
 * user gives a size; but a ring is no smaller than 64 KiB: the longest record has 16 KiB.
 */
#define RINGS_SHARE		64
#define MAX_RINGS_BYTES		(256ULL << 20)
#define LEAST_RING_BYTES	(64ULL << 10)

static int session_ioctl(const struct tap_session *session,
			 unsigned long command, void *arg)
{
	return ioctl(session->fd, command, arg) < 0 ? -errno : 0;
}

int tap_session_open(struct tap_session **session, struct tap_error *err)
{
	struct tap_session *s = calloc(1, sizeof(*s));
	struct tap_info info;
	int ret;

	if (!s)
		return tap_error_set(err, -ENOMEM, "out of memory");
	s->fd = tap_device_open(err);
	if (s->fd < 0) {
		ret = s->fd;
		free(s);
		return ret;
	}
	/* The device may belong to another version of the module, or to another module. */
	ret = tap_session_info(s, &info);
	if (ret) {
		tap_explain(err, TAP_IOC_INFO, ret, NULL);
		goto err_close;
	}
	if (info.out_api != TAP_API_VERSION) {
		ret = tap_error_set(err, -EPROTO,
				    "the loaded module speaks version %u of the interface, this program version %u; install both from one release",
				    info.out_api, TAP_API_VERSION);
		goto err_close;
	}
	*session = s;
	return 0;

err_close:
	tap_session_close(s);
	return ret;
}

void tap_session_close(struct tap_session *session)
{
	if (!session)
		return;
	close(session->fd);
	tap_stacks_put(session->stacks);
	free(session);
}

int tap_session_fd(const struct tap_session *session)
{
	return session->fd;
}

unsigned int tap_session_nr_rings(const struct tap_session *session)
{
	return session->nr_rings;
}

int tap_session_info(struct tap_session *session, struct tap_info *info)
{
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	return session_ioctl(session, TAP_IOC_INFO, info);
}

__u64 tap_default_ring_bytes(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	__u64 budget = MAX_RINGS_BYTES, bytes = TAP_DEFAULT_RING_BYTES;

	if (pages > 0 && page > 0 &&
	    budget > (__u64)pages * (__u64)page / RINGS_SHARE)
		budget = (__u64)pages * (__u64)page / RINGS_SHARE;
	while (bytes > LEAST_RING_BYTES && bytes * (__u64)(cpus > 0 ? cpus : 1) > budget)
		bytes /= 2;
	return bytes;
}

int tap_session_setup(struct tap_session *session,
		      const struct tap_session_opts *opts,
		      struct tap_error *err)
{
	static const __u32 flags[] = {
		[TAP_SESSION_CLOCK_RAW] = 0,
		[TAP_SESSION_CLOCK_ORDERED] = TAP_SETUP_F_ORDERED,
		[TAP_SESSION_CLOCK_MONO] = TAP_SETUP_F_MONO,
	};
	struct tap_session_opts known = { .size = sizeof(known) };
	struct tap_setup setup = { .size = sizeof(setup) };
	int ret = opts ? tap_sized_read(&known, sizeof(known), opts) : 0;

	if (ret)
		return tap_error_set(err, ret,
				     "the options of the session are those of another version of libtap");
	if (known.clock >= ARRAY_SIZE(flags))
		return tap_error_set(err, -EINVAL,
				     "the options of the session name an unknown clock, %u",
				     known.clock);
	setup.flags = flags[known.clock] | (known.overwrite ? TAP_SETUP_F_OVERWRITE : 0);
	setup.ring_bytes = known.ring_bytes ? known.ring_bytes :
					      tap_default_ring_bytes();
	setup.watermark = known.watermark;
	setup.wake_ms = known.wake_ms;
	setup.panic = known.panic;
	ret = session_ioctl(session, TAP_IOC_SETUP, &setup);
	if (!ret && (!setup.out_nr_rings || setup.out_nr_rings > TAP_MAX_RINGS))
		ret = -EBADMSG;
	if (ret == -ENOMEM && tap_explain_memory(err, session, "the rings",
						 "a smaller --ring"))
		return ret;
	if (ret)
		return tap_explain(err, TAP_IOC_SETUP, ret, NULL);
	session->nr_rings = setup.out_nr_rings;
	return 0;
}

/* Gives the session a table of stacks, if the program is the first that stores some there. */
static int need_stacks(struct tap_session *session, const struct tap_spec *spec)
{
	struct tap_stack_table table = { .size = sizeof(table), .entries = spec->stacks };
	int ret;

	if (!spec->stacks || session->stacks)
		return 0;
	session->stacks = tap_stacks_new();
	if (!session->stacks)
		return -ENOMEM;
	ret = session_ioctl(session, TAP_IOC_STACKS, &table);
	if (ret) {
		tap_stacks_put(session->stacks);
		session->stacks = NULL;
	}
	return ret;
}

/* Gives the session a table of tasks, if the probe is the first that needs one. */
static int need_tasks(struct tap_session *session, const struct tap_spec *spec)
{
	__u32 flags = tap_spec_tasks(spec);

	return flags && !session->tasks ? tap_session_tasks(session, flags, NULL) : 0;
}

int tap_session_create(struct tap_session *session,
		       const struct tap_spec *spec, __u32 *id)
{
	struct tap_create create = {
		.size = sizeof(create),
		.flags = spec->flags,
		.type = spec->type,
		.maxactive = spec->maxactive,
		.target = (__u64)(uintptr_t)spec->target,
		.nr_ops = spec->nr_ops,
		.ops = (__u64)(uintptr_t)spec->ops,
		.data = (__u64)(uintptr_t)spec->data,
		.data_len = spec->data_len,
		.file = spec->elf ? tap_elf_fd(spec->elf) : 0,
		.pid = spec->pid,
		.offset = spec->offset,
		.semaphore = spec->semaphore,
		.perf = spec->perf.size ? (__u64)(uintptr_t)&spec->perf : 0,
		.addrs = (__u64)(uintptr_t)spec->addrs,
		.nr_addrs = spec->nr_addrs,
		.limit = spec->limit,
		.side = spec->side,
		.frame = spec->frame,
		.capture_id = spec->capture ? spec->capture->table->span->id : 0,
	};
	struct tap_aggregate aggregates[TAP_MAX_AGGREGATES];
	unsigned int i;
	size_t len = spec->target ? strlen(spec->target) : 0;
	int ret;

	if (!len || len >= TAP_MAX_TARGET)
		return -EINVAL;
	create.target_len = (__u32)len;
	for (i = 0; i < spec->nr_aggs; i++) {
		aggregates[i] = spec->agg[i].aggregate;
		aggregates[i].size = sizeof(aggregates[i]);
		aggregates[i].aggs = (__u64)(uintptr_t)spec->agg[i].aggs;
		aggregates[i].agg_size = sizeof(spec->agg[i].aggs[0]);
	}
	if (spec->nr_aggs)
		create.aggregate = (__u64)(uintptr_t)aggregates;
	create.nr_aggregates = spec->nr_aggs;
	if (spec->side)
		create.span_id = spec->span->id;
	else if (spec->span)
		create.span = (__u64)(uintptr_t)&spec->span->table;
	ret = need_stacks(session, spec) ?: need_tasks(session, spec);
	if (!ret)
		ret = session_ioctl(session, TAP_IOC_CREATE, &create);
	if (ret)
		return ret;
	*id = create.out_id;
	/* Its sides come after it. */
	if (spec->span && !spec->side)
		spec->span->id = *id;
	return 0;
}

/**
 * tap_session_stacks() - what was read of the session's table of stacks
 * @session: the session
 *
 * Return: it, without a reference; NULL if there is no table.
 */
struct tap_stacks *tap_session_stacks(struct tap_session *session)
{
	return session->stacks;
}

/* Reads a stack, unless it was read before. */
static int read_stack(struct tap_session *session, __u64 id)
{
	__u64 words[1 + TAP_MAX_STACK];
	struct tap_stack_read read = {
		.size = sizeof(read), .id = id, .words = (__u64)(uintptr_t)words,
		.nr_words = ARRAY_SIZE(words),
	};
	int ret;

	if (!session->stacks)
		return -ENODATA;
	if (tap_stacks_find(session->stacks, id))
		return 0;
	ret = session_ioctl(session, TAP_IOC_STACK, &read);
	if (!ret && (!read.out_nr_words || read.out_nr_words > ARRAY_SIZE(words)))
		ret = -EBADMSG;
	return ret ? ret : tap_stacks_add(session->stacks, id, words, read.out_nr_words);
}

/**
 * tap_session_stack_same() - the one id of all stacks with the same frames
 * @session: the session
 * @id: an id of its table, set to that of the first stack that was read with these frames; 0 and
 *	%TAP_STACK_NO_ROOM stay
 *
 * Return: 0 or -errno of %TAP_IOC_STACK; -ENOMEM.
 */
int tap_session_stack_same(struct tap_session *session, __u64 *id)
{
	int ret;

	if (*id <= TAP_STACK_NO_ROOM)
		return 0;
	ret = read_stack(session, *id);
	if (!ret)
		*id = tap_stacks_find(session->stacks, *id)->same;
	return ret;
}

const __u64 *tap_session_stack(void *session, __u64 id)
{
	struct tap_session *s = session;

	return id > TAP_STACK_NO_ROOM && !read_stack(s, id) ? tap_stacks_words(s->stacks, id) :
							      NULL;
}

int tap_session_tasks(struct tap_session *session, __u32 flags, __u32 *sources)
{
	struct tap_tasks tasks = { .size = sizeof(tasks), .flags = flags };
	int ret = session_ioctl(session, TAP_IOC_TASKS, &tasks);

	if (!ret) {
		session->tasks = flags;
		if (sources)
			*sources = tasks.out_sources;
	}
	return ret;
}

int tap_session_budget_ioctl(struct tap_session *session, struct tap_budget *budget)
{
	return session_ioctl(session, TAP_IOC_BUDGET, budget);
}

int tap_session_tasks_read(struct tap_session *session, struct tap_tasks_read *read)
{
	memset(read, 0, sizeof(*read));
	read->size = sizeof(*read);
	return session_ioctl(session, TAP_IOC_TASKS_READ, read);
}

int tap_session_window(struct tap_session *session, __u32 flags, __u64 after,
		       struct tap_window *window)
{
	memset(window, 0, sizeof(*window));
	window->size = sizeof(*window);
	window->flags = flags;
	window->after = after;
	return session_ioctl(session, TAP_IOC_WINDOW, window);
}

int tap_session_set_gate(struct tap_session *session, bool closed, __u64 limit)
{
	struct tap_gate gate = {
		.size = sizeof(gate), .flags = TAP_GATE_F_SET | (closed ? TAP_GATE_F_CLOSED : 0),
		.limit = limit,
	};

	return session_ioctl(session, TAP_IOC_GATE, &gate);
}

int tap_session_gate(struct tap_session *session, struct tap_gate *gate)
{
	*gate = (struct tap_gate) { .size = sizeof(*gate) };
	return session_ioctl(session, TAP_IOC_GATE, gate);
}

int tap_session_describe(struct tap_session *session, const void *data, size_t len)
{
	struct tap_describe describe = {
		.size = sizeof(describe), .data = (__u64)(uintptr_t)data, .len = len,
	};

	return session_ioctl(session, TAP_IOC_DESCRIBE, &describe);
}

int tap_session_pmu(struct tap_session *session, const struct tap_perf *events,
		    __u32 nr)
{
	struct tap_pmu pmu = {
		.size = sizeof(pmu),
		.events = (__u64)(uintptr_t)events,
		.nr_events = nr,
	};

	return session_ioctl(session, TAP_IOC_PMU, &pmu);
}

static int session_ref(struct tap_session *session, unsigned long command,
		       __u32 id, __u64 address)
{
	struct tap_probe_ref ref = { .size = sizeof(ref), .id = id, .address = address };

	return session_ioctl(session, command, &ref);
}

int tap_session_enable(struct tap_session *session, __u32 id)
{
	return session_ref(session, TAP_IOC_ENABLE, id, 0);
}

int tap_session_watch(struct tap_session *session, __u32 id, __u64 address)
{
	return session_ref(session, TAP_IOC_ENABLE, id, address);
}

int tap_session_disable(struct tap_session *session, __u32 id)
{
	return session_ref(session, TAP_IOC_DISABLE, id, 0);
}

int tap_session_delete(struct tap_session *session, __u32 id)
{
	return session_ref(session, TAP_IOC_DELETE, id, 0);
}

int tap_session_probe_info(struct tap_session *session, __u32 id,
			   struct tap_probe_info *info, struct tap_op *ops,
			   __u32 nr_ops)
{
	int ret;

	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	info->id = id;
	info->ops = (__u64)(uintptr_t)ops;
	info->nr_ops = ops ? nr_ops : 0;
	ret = session_ioctl(session, TAP_IOC_PROBE_INFO, info);
	info->out_target[sizeof(info->out_target) - 1] = '\0';
	return ret;
}

int tap_session_stats(struct tap_session *session, __u32 id,
		      struct tap_stats *stats, struct tap_counters *counters,
		      __u32 nr_cpus)
{
	memset(stats, 0, sizeof(*stats));
	stats->size = sizeof(*stats);
	stats->id = id;
	stats->counters = (__u64)(uintptr_t)counters;
	stats->nr_cpus = nr_cpus;
	return session_ioctl(session, TAP_IOC_STATS, stats);
}

int tap_session_totals(struct tap_session *session, __u32 id,
		       struct tap_counters *total)
{
	struct tap_counters *counters;
	struct tap_stats stats;
	unsigned int i;
	int ret;

	counters = calloc(session->nr_rings + 1, sizeof(*counters));
	if (!counters)
		return -ENOMEM;
	ret = tap_session_stats(session, id, &stats, counters,
				session->nr_rings);
	memset(total, 0, sizeof(*total));
	for (i = 0; i < session->nr_rings && !ret; i++)
		tap_counters_add(total, &counters[i]);
	free(counters);
	return ret;
}

int tap_session_span(struct tap_session *session, struct tap_span_read *read)
{
	read->size = sizeof(*read);
	return session_ioctl(session, TAP_IOC_SPAN, read);
}

int tap_session_count(struct tap_session *session, __u32 id,
		      struct tap_count *counts, __u32 nr)
{
	struct tap_count_read read = {
		.size = sizeof(read),
		.id = id,
		.counts = (__u64)(uintptr_t)counts,
		.nr_counts = nr,
	};

	return session_ioctl(session, TAP_IOC_COUNT, &read);
}

int tap_session_read(struct tap_session *session, __u32 id, __u32 index, __u32 cpu,
		     __u32 from, __u64 *words, __u32 nr_words,
		     struct tap_read *read)
{
	*read = (struct tap_read) {
		.size = sizeof(*read),
		.id = id,
		.cpu = cpu,
		.from = from,
		.words = (__u64)(uintptr_t)words,
		.nr_words = nr_words,
		.index = index,
	};
	return session_ioctl(session, TAP_IOC_READ, read);
}

int tap_session_mark(struct tap_session *session, __u32 id, const void *data,
		     __u32 len, __u32 *heard)
{
	struct tap_mark mark = {
		.size = sizeof(mark),
		.id = id,
		.data = (__u64)(uintptr_t)data,
		.len = len,
	};
	int ret = session_ioctl(session, TAP_IOC_MARK, &mark);

	if (!ret && heard)
		*heard = mark.out_heard;
	return ret;
}

int tap_session_follow(struct tap_session *session, __u32 pid)
{
	struct tap_follow follow = { .size = sizeof(follow), .pid = pid };

	return session_ioctl(session, TAP_IOC_FOLLOW, &follow);
}

int tap_session_flush(struct tap_session *session, __u64 *pending)
{
	struct tap_flush flush = { .size = sizeof(flush) };
	int ret = session_ioctl(session, TAP_IOC_FLUSH, &flush);

	*pending = ret ? 0 : flush.out_pending;
	return ret;
}

int tap_session_time(struct tap_session *session, struct tap_time *time)
{
	memset(time, 0, sizeof(*time));
	time->size = sizeof(*time);
	return session_ioctl(session, TAP_IOC_TIME, time);
}
