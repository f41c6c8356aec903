// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of failing allocations: for each command and each type of probe, each allocation fails
 * once, one at a time, and each copy from and to user space. The command returns the error,
 * leaves nothing behind, and works when it is repeated. Needs a kernel with fault injection:
 * selftests/lab/run --debug.
 */
#include "selftests/module/sample_harness.h"
#include "selftests/module/uprobe_harness.h"

#define CALLS		10
/* More allocations than any command makes. */
#define MAX_NTH		5000
#define NR_BATCH	20
#define INJECTION	"/sys/kernel/debug/"

/**
 * struct fault_injector - makes one allocation of this task fail, or each
 * @file: /proc/thread-self/fail-nth; -1: the kernel has none
 * @all: /proc/thread-self/make-it-fail; -1: the kernel has none
 * @nth: number of the allocation that fails
 * @error: errno of the last call
 */
struct fault_injector {
	int file;
	int all;
	unsigned int nth;
	int error;
};

static bool fault_set(struct fault_injector *f, unsigned int nth)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u", nth);

	return pwrite(f->file, text, length, 0) == length;
}

static void fault_arm(struct fault_injector *f, unsigned int nth)
{
	if (!fault_set(f, nth))
		abort();
	errno = 0;
}

/*
 * Disarms; returns whether the allocation @nth was reached, which may be a copy in this
 * function, after the call.
 */
static bool fault_disarm(struct fault_injector *f)
{
	char text[16] = "";

	f->error = errno;
	if (pread(f->file, text, sizeof(text) - 1, 0) <= 0)
		return false;
	if (!atoi(text))
		return true;
	if (!fault_set(f, 0) && !fault_set(f, 0))
		abort();
	return false;
}

/*
 * Repeats a call, each time with a failure one allocation further on, until no allocation
 * fails: then it must succeed. @_again runs after each of the other calls, whether it failed
 * (@_ret) or could do without the allocation; it undoes the call.
 */
#define test_sweep(_f, _call, _again)					\
	({								\
		struct fault_injector *_i = (_f);			\
		bool _failed;						\
		int _ret;						\
									\
		for (_i->nth = 1; _i->nth < MAX_NTH; _i->nth++) {	\
			fault_arm(_i, _i->nth);				\
			_ret = (_call);					\
			_failed = fault_disarm(_i);			\
			if (!_failed)					\
				break;					\
			if (_ret < 0) {					\
				EXPECT_TRUE(_i->error == ENOMEM ||	\
					    _i->error == EFAULT) {	\
					TH_LOG("failure %u of %s: %s",	\
					       _i->nth, #_call,		\
					       strerror(_i->error));	\
				}					\
			}						\
			_again;						\
		}							\
		EXPECT_FALSE(_failed);					\
		EXPECT_LE(0, _ret) TH_LOG("%s, at last: %s", #_call,	\
					  strerror(_i->error));		\
		_i->nth;						\
	})

/* From now on every allocation of this task fails, or none does. */
static bool fault_each(struct fault_injector *f, bool fails)
{
	return pwrite(f->all, fails ? "1" : "0", 1, 0) == 1;
}

/* Each write must succeed, in this order. Only tasks that ask for it have failures. */
static const struct {
	const char *file;
	const char *text;
} settings[] = {
	{ "failslab/task-filter", "Y" },
	{ "failslab/times", "-1" },
	{ "failslab/probability", "100" },
	{ "fail_page_alloc/task-filter", "Y" },
	{ "fail_page_alloc/times", "-1" },
	{ "fail_page_alloc/probability", "100" },
	/* By default, allocations that may sleep do not fail. */
	{ "failslab/ignore-gfp-wait", "N" },
	{ "fail_page_alloc/ignore-gfp-wait", "N" },
	{ "fail_page_alloc/ignore-gfp-highmem", "N" },
	{ "fail_page_alloc/min-order", "0" },
	/* A report of each failure would fill the log. */
	{ "failslab/verbose", "0" },
	{ "fail_page_alloc/verbose", "0" },
	{ "fail_usercopy/verbose", "0" },
};

/* Whether this kernel has fault injection. */
static bool fault_open(struct fault_injector *f)
{
	char path[64];
	unsigned int i;

	f->file = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	f->all = open("/proc/thread-self/make-it-fail", O_RDWR | O_CLOEXEC);
	if (f->file < 0 || f->all < 0)
		return false;
	for (i = 0; i < ARRAY_SIZE(settings); i++) {
		snprintf(path, sizeof(path), INJECTION "%s", settings[i].file);
		if (test_write_file(path, settings[i].text))
			return false;
	}
	return true;
}

static void fault_close(const struct fault_injector *f)
{
	close(f->file);
	close(f->all);
}

FIXTURE(fault)
{
	struct test_session s;
	struct fault_injector f;
	struct tap_perf perf;
	struct tap_agg agg;
	struct tap_aggregate how;
	struct tap_create create;
	char number[16];
	int target;
	int file;
};

/* Values for @function, if events do not come from a call of tap_target. */
#define BY_PROGRAM	1000U
#define BY_SYSCALL	1001U
#define BY_FAULTS	1002U
#define BY_MARK		1003U
#define BY_NOTHING	1004U

FIXTURE_VARIANT(fault)
{
	__u32 type;
	const char *target;
	__u32 function;
	struct tap_op op;
	bool aggregated;
	/* The probe makes a record at the entry as well. */
	bool twice;
};

#define FAULT_KIND(_name, _type, _target, _function, ...)		\
	FIXTURE_VARIANT_ADD(fault, _name) {				\
		.type = _type, .target = _target, .function = _function, \
		__VA_ARGS__						\
	}
/* A kprobe on ftrace, which the kernel may fail to arm or disarm, and one elsewhere. */
FAULT_KIND(kprobe, TAP_PROBE_KPROBE, "tap_target_add", TAP_TARGET_ADD, .op = OP_ARG(0));
FAULT_KIND(kprobe_aggregated, TAP_PROBE_KPROBE, "tap_target_push", TAP_TARGET_PUSH,
	   .op = OP_ARG(0), .aggregated = true);
FAULT_KIND(kretprobe, TAP_PROBE_KRETPROBE, "tap_target_add", TAP_TARGET_ADD, .op = OP_RETVAL);
FAULT_KIND(call, TAP_PROBE_CALL, "tap_target_add", TAP_TARGET_ADD, .op = OP_ARG(0));
FAULT_KIND(funcgraph, TAP_PROBE_FUNCGRAPH, "tap_target_push", TAP_TARGET_PUSH,
	   .op = OP_ARG(0), .twice = true);
FAULT_KIND(func, TAP_PROBE_FUNC, "tap_target_add", TAP_TARGET_ADD, .op = OP_ARG(0));
FAULT_KIND(rawtp, TAP_PROBE_RAWTP, "tap_target_event", TAP_TARGET_EVENT, .op = OP_ARG(0));
FAULT_KIND(tracepoint, TAP_PROBE_TRACEPOINT, "tap_target:tap_target_event", TAP_TARGET_EVENT,
	   .op = OP(TAP_OP_FIELD, TAP_OP_OUT, 0, 8, 8, 0));
FAULT_KIND(syscall, TAP_PROBE_SYSCALL, "", BY_SYSCALL, .op = OP_ARG(0));
FAULT_KIND(uprobe, TAP_PROBE_UPROBE, "a program", BY_PROGRAM, .op = OP_ARG(0));
FAULT_KIND(uretprobe, TAP_PROBE_URETPROBE, "a program", BY_PROGRAM, .op = OP_RETVAL);
FAULT_KIND(ucall, TAP_PROBE_UCALL, "a program", BY_PROGRAM, .op = OP_ARG(0));
FAULT_KIND(event, TAP_PROBE_EVENT, "event", BY_FAULTS, .op = OP_SAMPLE(ip));
FAULT_KIND(watchpoint, TAP_PROBE_WATCHPOINT, "tap_target:tap_target_watched", TAP_TARGET_WRITE,
	   .op = OP(TAP_OP_FIELD, TAP_OP_OUT, 0, 8, offsetof(struct tap_watch, new_value), 0));
FAULT_KIND(count, TAP_PROBE_COUNT, "count", BY_NOTHING);
FAULT_KIND(mark, TAP_PROBE_MARK, "mark", BY_MARK,
	   .op = OP(TAP_OP_FIELD, TAP_OP_OUT, 0, 8, 0, 0));

FIXTURE_SETUP(fault)
{
	self->f = (struct fault_injector){ .file = -1, .all = -1 };
	self->file = -1;
	test_setup();
	if (!fault_open(&self->f))
		SKIP(return, "this kernel has no fault injection");
	test_session_open(_metadata, &self->s, 1 << 16);
	self->file = test_open_self();
	snprintf(self->number, sizeof(self->number), "%d", SYS_getppid);
	self->create = test_create_arg(variant->type, *variant->target ? variant->target :
				       self->number, &variant->op, !!variant->op.code);
	if (variant->function == BY_PROGRAM) {
		self->create.file = self->file;
		self->create.offset = test_offset(target_step);
	}
	if (variant->function == BY_FAULTS || variant->function == BY_NOTHING)
		self->perf = test_software(PERF_COUNT_SW_PAGE_FAULTS,
					   variant->function == BY_FAULTS);
	if (variant->type == TAP_PROBE_WATCHPOINT)
		self->perf = (struct tap_perf){
			.size = sizeof(self->perf),
			.type = PERF_TYPE_BREAKPOINT,
			.config = TAP_WATCH_WRITE,
			.config2 = 8,
		};
	if (self->perf.size)
		self->create.perf = (uintptr_t)&self->perf;
	self->agg = (struct tap_agg){ .kind = TAP_AGG_SUM };
	self->how = (struct tap_aggregate){
		.size = sizeof(self->how),
		.nr_keys = 1,
		.keys = { { 0, 1 } },
		.nr_aggs = 1,
		.entries = 64,
		.aggs = (uintptr_t)&self->agg,
		.agg_size = sizeof(self->agg),
	};
	if (variant->aggregated)
		self->create.aggregate = (uintptr_t)&self->how;
}

FIXTURE_TEARDOWN(fault)
{
	test_session_close(&self->s);
	close(self->file);
	fault_close(&self->f);
	if (self->target >= 0) {
		close(self->target);
		EXPECT_EQ(0, test_module_refs("tapmod"));
	}
}

static int create(int fd, const struct tap_create *from, __u32 *id)
{
	struct tap_create create = *from;
	int ret = ioctl(fd, TAP_IOC_CREATE, &create);

	if (!ret)
		*id = create.out_id;
	return ret;
}

/*
 * Expects that a command that failed had no effect, even if only the last copy to user space
 * failed.
 */
static void none_but(struct __test_metadata *_metadata, const struct test_session *s, __u32 last)
{
	struct tap_probe_info info;
	__u32 id;

	for (id = 1; id < last; id++)
		EXPECT_ERRNO(ENOENT, _test_ioctl_probe_info(s->fd, id, NULL, 0, &info));
}

/* Makes CALLS events for a probe of each type. */
static void hit(struct __test_metadata *_metadata, int fd, int target, __u32 function, __u32 id)
{
	char *map;
	int i;

	switch (function) {
	case BY_NOTHING:
		return;
	case BY_FAULTS:
		map = test_fresh(CALLS);
		ASSERT_NE(MAP_FAILED, map);
		test_touch(map, CALLS);
		munmap(map, CALLS * getpagesize());
		return;
	case BY_PROGRAM:
	case BY_SYSCALL:
	case BY_MARK:
		for (i = 0; i < CALLS; i++) {
			struct tap_mark mark = {
				.size = sizeof(mark), .id = id,
				.data = (uintptr_t)"heard", .len = 5,
			};

			if (function == BY_PROGRAM)
				target_step(i, 1);
			else if (function == BY_SYSCALL)
				syscall(SYS_getppid);
			else
				ASSERT_EQ(0, ioctl(fd, TAP_IOC_MARK, &mark));
		}
		return;
	default:
		ASSERT_EQ(0, _test_target(target, TAP_TARGET_CALL, function, CALLS, 0, NULL));
	}
}

TEST_F_TIMEOUT(fault, each_command_fails_once_at_each_allocation, 600)
{
	struct tap_counters counters[TEST_MAX_RINGS], c;
	struct tap_probe_info info;
	unsigned int sites = 0;
	struct tap_stats stats;
	int fd = self->s.fd;
	struct tap_op op;
	__u32 id = 0;

	sites += test_sweep(&self->f, create(fd, &self->create, &id), {
		if (_ret)
			EXPECT_ERRNO(ENOENT, _test_ioctl_probe_info(fd, id + 1, NULL, 0, &info));
		else /* The command could do without this allocation. */
			ASSERT_EQ(0, _test_ioctl_delete(fd, id));
	});
	none_but(_metadata, &self->s, id);

	sites += test_sweep(&self->f, _test_ioctl_enable(fd, id), {
		if (_ret && self->f.error == ENOMEM) {
			EXPECT_EQ(TAP_STATE_DISABLED, test_state(_metadata, &self->s, id));
		}
		test_ioctl_disable(id);
	});
	hit(_metadata, fd, self->target, variant->function, id);
	sites += test_sweep(&self->f, _test_ioctl_disable(fd, id), {
		/* This can only fail because of its argument. */
		EXPECT_TRUE(!_ret || self->f.error == EFAULT);
		test_ioctl_enable(id);
	});
	c = test_counters(_metadata, &self->s, id);
	if (variant->function == BY_FAULTS) {
		EXPECT_LE(CALLS, c.hits);
	} else if (variant->function != BY_NOTHING) {
		EXPECT_EQ(variant->twice ? 2 * CALLS : CALLS, c.hits);
	}

	sites += test_sweep(&self->f, _test_ioctl_probe_info(fd, id, &op, 1, &info), {});
	sites += test_sweep(&self->f, _test_ioctl_stats(fd, id, counters, self->s.nr_rings, &stats), {});
	sites += test_sweep(&self->f, _test_ioctl_delete(fd, id), {
		EXPECT_TRUE(!_ret || self->f.error == EFAULT);
		/* It was deleted; only the copy to user space failed. */
		if (_test_ioctl_delete(fd, id)) {
			EXPECT_EQ(ENOENT, errno);
		}
		ASSERT_EQ(0, create(fd, &self->create, &id));
	});
	TH_LOG("%u failures", sites);
}

/* close() has no errors: it removes an enabled probe in any case. */
TEST_F_TIMEOUT(fault, close_needs_no_memory, 300)
{
	unsigned int nth;
	__u32 id;

	for (nth = 1; nth < MAX_NTH; nth++) {
		ASSERT_EQ(0, create(self->s.fd, &self->create, &id));
		test_ioctl_enable(id);
		test_session_unmap(&self->s);
		fault_arm(&self->f, nth);
		close(self->s.fd);
		self->s.fd = -1;
		/*
		 * The file is released when the task returns to user space, which it has done
		 * here.
		 */
		if (!fault_disarm(&self->f))
			break;
		EXPECT_EQ(0, test_module_refs("tapmod"));
		test_session_open(_metadata, &self->s, 1 << 16);
	}
	EXPECT_GT(MAX_NTH, nth);
	EXPECT_EQ(0, test_module_refs("tapmod"));
}

/* The same if every allocation fails, also when the kernel tries again: nothing stays armed. */
TEST_F_TIMEOUT(fault, close_needs_none_at_all, 60)
{
	unsigned int i;
	__u32 id;

	for (i = 0; i < CALLS; i++) {
		ASSERT_EQ(0, create(self->s.fd, &self->create, &id));
		test_ioctl_enable(id);
		test_session_unmap(&self->s);
		ASSERT_TRUE(fault_each(&self->f, true));
		close(self->s.fd);
		ASSERT_TRUE(fault_each(&self->f, false));
		self->s.fd = -1;
		EXPECT_EQ(0, test_module_refs("tapmod"));
		test_session_open(_metadata, &self->s, 1 << 16);
		if (variant->function != BY_MARK)
			hit(_metadata, self->s.fd, self->target, variant->function, id);
	}
}

/* A session of its own; each step of its setup fails once. */
FIXTURE(fault_session)
{
	struct test_session s;
	struct fault_injector f;
	int target;
};

FIXTURE_SETUP(fault_session)
{
	self->f = (struct fault_injector){ .file = -1, .all = -1 };
	test_setup();
	if (!fault_open(&self->f))
		SKIP(return, "this kernel has no fault injection");
}

FIXTURE_TEARDOWN(fault_session)
{
	test_session_close(&self->s);
	fault_close(&self->f);
	if (self->target >= 0) {
		close(self->target);
		EXPECT_EQ(0, test_module_refs("tapmod"));
	}
}

static void reopen(struct test_session *s)
{
	test_session_close(s);
	s->fd = open(TAP_DEVICE, O_RDWR | O_CLOEXEC);
}

static int set_pmu(int fd, const struct tap_perf *events, __u32 nr)
{
	struct tap_pmu pmu = {
		.size = sizeof(pmu),
		.events = (uintptr_t)events,
		.nr_events = nr,
	};

	return ioctl(fd, TAP_IOC_PMU, &pmu);
}

TEST_F_TIMEOUT(fault_session, from_open_to_mmap, 300)
{
	const struct tap_perf events[] = {
		test_software(PERF_COUNT_SW_CONTEXT_SWITCHES, 0),
		test_software(PERF_COUNT_SW_PAGE_FAULTS, 0),
	};
	struct tap_setup setup;
	__u64 pending;
	void *map;

	test_sweep(&self->f, self->s.fd = open(TAP_DEVICE, O_RDWR | O_CLOEXEC),
		   close(self->s.fd));
	/* A session that has rings refuses others: each try needs a new session. */
	test_sweep(&self->f, _test_ioctl_setup(self->s.fd, 1 << 16, 0, 0, &setup),
		   reopen(&self->s));
	test_sweep(&self->f, set_pmu(self->s.fd, events, ARRAY_SIZE(events)), {
		reopen(&self->s);
		test_ioctl_setup(1 << 16, 0, 0);
	});
	test_sweep(&self->f,
		   (map = test_map(self->s.fd, getpagesize(), PROT_READ, 0)) == MAP_FAILED ? -1 : 0,
		   if (map != MAP_FAILED) munmap(map, getpagesize()));
	munmap(map, getpagesize());
	test_sweep(&self->f,
		   (map = test_map(self->s.fd, getpagesize() + (1 << 16), PROT_READ,
				   setup.out_ring_offset + getpagesize())) == MAP_FAILED ? -1 : 0,
		   if (map != MAP_FAILED) munmap(map, getpagesize() + (1 << 16)));
	munmap(map, getpagesize() + (1 << 16));
	test_sweep(&self->f, _test_ioctl_flush(self->s.fd, &pending), {});
}

/* All probes are enabled or none, also as a kprobe batch. */
TEST_F_TIMEOUT(fault_session, many_are_enabled_together, 300)
{
	static const struct tap_op arg = OP_ARG(0);
	unsigned int i;
	__u32 id;

	test_session_open(_metadata, &self->s, 1 << 16);
	for (i = 1; i <= NR_BATCH; i++) {
		ASSERT_EQ(0, _test_ioctl_create(self->s.fd, &id, TAP_PROBE_KPROBE,
						i % 2 ? "tap_target_add" : "tap_target_six",
						&arg, 1));
		ASSERT_EQ(i, id);
	}
	test_sweep(&self->f, _test_ioctl_enable(self->s.fd, 0), {
		for (i = 1; _ret && self->f.error == ENOMEM && i <= NR_BATCH; i++)
			EXPECT_EQ(TAP_STATE_DISABLED, test_state(_metadata, &self->s, i));
		test_ioctl_disable(0);
	});
	test_target_call(TAP_TARGET_ADD, CALLS);
	test_target_call(TAP_TARGET_SIX, CALLS);
	test_sweep(&self->f, _test_ioctl_disable(self->s.fd, 0), test_ioctl_enable(0));
	for (i = 1; i <= NR_BATCH; i++)
		EXPECT_EQ(CALLS, test_counters(_metadata, &self->s, i).hits);
}

TEST_HARNESS_MAIN
