// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of tracepoints of the kernel and of modules, which are loaded and unloaded; of
 * function probes whose module is unloaded; and of events in an NMI, which only tracepoints
 * can make.
 */
#include "selftests/module/tap_harness.h"

#include <signal.h>

#define LATE		"tap_deferred"
#define LATE_EVENT	"tap_deferred:tap_deferred_event"
#define FIRE		"/sys/module/tap_deferred/parameters/fire"

FIXTURE(tracepoint)
{
	struct test_session s;
	int target;
};

FIXTURE_SETUP(tracepoint)
{
	self->s.fd = -1;
	self->target = -1;
	test_need_root();
	test_need_target();
	test_need_module(LATE);
	self->target = test_target_open(_metadata);
	test_session_open(_metadata, &self->s, 65536);
}

FIXTURE_TEARDOWN(tracepoint)
{
	test_teardown();
	/* A failed test may have left it loaded. */
	test_module_unload(LATE);
}

#define test_create_wait(id, target, ...)				\
	ASSERT_EQ(0, _test_ioctl_create_flags(self->s.fd, id, TAP_PROBE_RAWTP, \
					      TAP_CREATE_F_WAIT, 0, target, \
					      OPS(__VA_ARGS__)))

#define EXPECT_STATE(state, id)						\
	EXPECT_EQ(state, test_state(_metadata, &self->s, id))

/* Probes, and loads of their module: more notices than the module keeps. */
#define MANY	150
#define TIMES	5

/* Expects that the next record is this notice about this probe. */
#define EXPECT_NOTICE(what, id)						\
	do {								\
		struct test_record _rec;				\
									\
		ASSERT_TRUE(test_session_next(&self->s, &_rec));	\
		EXPECT_EQ(TAP_KIND_NOTICE, _rec.kind);			\
		EXPECT_EQ(id, _rec.probe);				\
		EXPECT_EQ(what, _rec.word[TAP_NOTICE_WHAT]);		\
	} while (0)

/* Counts the records of a probe, whose word must have the values 0, 1, ... */
static unsigned int count_up(struct __test_metadata *_metadata,
			     struct test_session *s, __u32 id)
{
	struct test_record rec;
	unsigned int seen = 0;

	while (test_session_next(s, &rec)) {
		if (rec.probe != id || rec.kind != TAP_KIND_EVENT)
			continue;
		EXPECT_EQ(seen, rec.word[0]);
		seen++;
	}
	return seen;
}

TEST_F(tracepoint, of_a_module_has_its_six_arguments)
{
	struct test_record rec;
	unsigned int i;
	__u32 id;

	test_need_raw_tracepoints();
	test_ioctl_create(&id, TAP_PROBE_RAWTP, "tap_target_event", OP_ARG(0),
			  OP_ARG(1), OP_ARG(2), OP_ARG(3), OP_ARG(4), OP_ARG(5));
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_EVENT, 3);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(2, rec.word[0]);
	for (i = 1; i < 6; i++)
		EXPECT_EQ(TAP_TARGET_ARG(i), rec.word[i]);
}

/* Reading memory that faults is another page fault: counted once, without recursion. */
TEST_F(tracepoint, of_a_page_fault_may_look_at_what_faulted)
{
	size_t size = 16 * 4096, i;
	struct tap_counters c;
	char *area;
	__u32 id;
	int fd;

	if (_test_ioctl_create(self->s.fd, &id, TAP_PROBE_RAWTP, "page_fault_kernel",
			       OPS(OP(TAP_OP_ARG, 0, 0, 8, 0, 0),
				   OP(TAP_OP_LOAD_USER, TAP_OP_OUT, 0, 1, 0, 0))))
		SKIP(return, "no such tracepoint on this architecture");
	area = mmap(NULL, size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, area);
	fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, fd);
	test_ioctl_enable(id);
	for (i = 0; i < size; i += 4096)
		ASSERT_EQ(1, pread(fd, area + i, 1, 0));
	test_ioctl_disable(id);
	c = test_counters(_metadata, &self->s, id);
	EXPECT_LE(16, c.written);
	EXPECT_LE(16, c.lost_fault);
	EXPECT_EQ(c.hits, c.written + c.lost_full + c.lost_nested + c.lost_fault);
	close(fd);
	munmap(area, size);
}

/* In the vmalloc area's neighbour, where no kernel without KASAN maps anything. */
#define NOWHERE		0xffffec0000001000

/*
 * A fault in the idle task is an event of rcu_dyntick (rcu_watching since 6.12), so a program
 * there whose read faults makes an event by each of its events: it is missed. Without the
 * guard the kernel's stack overflows. Needs CONFIG_RCU_TRACE, which Debian's kernels lack.
 */
TEST_F(tracepoint, whose_program_makes_an_event_of_it_misses_that_one)
{
	const struct tap_op ops[] = {
		OP(TAP_OP_IMM, 0, 0, 8, 0, NOWHERE),
		OP(TAP_OP_LOAD, TAP_OP_OUT, 0, 8, 0, 0),
		OP_ARG(5),
	};
	struct tap_counters all[TEST_MAX_RINGS], c;
	struct tap_stats stats;
	__u32 id;

#ifndef __x86_64__
	SKIP(return, "needs an address where nothing is mapped");
#endif
	if (_test_ioctl_create(self->s.fd, &id, TAP_PROBE_RAWTP, "rcu_dyntick", ops, 3) &&
	    _test_ioctl_create(self->s.fd, &id, TAP_PROBE_RAWTP, "rcu_watching", ops, 3)) {
		ASSERT_EQ(ENOENT, errno);
		SKIP(return, "no such tracepoint in this kernel");
	}
	test_ioctl_enable(id);
	usleep(300000);
	test_ioctl_disable(id);
	c = test_counters(_metadata, &self->s, id);
	ASSERT_EQ(0, _test_ioctl_stats(self->s.fd, id, all, self->s.nr_rings, &stats));
	EXPECT_LT(0, c.hits);
	EXPECT_LT(0, stats.out_nmissed);
}

/* The number and the order of arguments choose the handler. */
TEST_F(tracepoint, has_any_choice_of_its_arguments)
{
	static const struct {
		unsigned int nr;
		unsigned char arg[6];
	} choices[] = {
		{ 0, {} }, { 1, { 0 } }, { 1, { 1 } }, { 1, { 4 } }, { 1, { 5 } },
		{ 2, { 0, 1 } }, { 2, { 1, 0 } }, { 3, { 0, 1, 2 } },
		{ 3, { 1, 2, 3 } }, { 4, { 0, 1, 2, 3 } }, { 4, { 3, 2, 1, 0 } },
		{ 4, { 0, 1, 2, 4 } }, { 4, { 5, 1, 2, 3 } },
		{ 5, { 0, 1, 2, 3, 4 } }, { 6, { 5, 4, 3, 2, 1, 0 } },
		{ 6, { 1, 1, 1, 1, 1, 1 } },
	};
	struct tap_op ops[7];
	struct test_record rec;
	unsigned int i, j, comm;
	__u32 id;

	test_need_raw_tracepoints();
	for (comm = 0; comm < 2; comm++) {
		for (i = 0; i < ARRAY_SIZE(choices); i++) {
			for (j = 0; j < choices[i].nr; j++)
				ops[j] = OP_ARG(choices[i].arg[j]);
			ops[j] = OP_COMM;
			ASSERT_EQ(0, _test_ioctl_create(self->s.fd, &id,
							TAP_PROBE_RAWTP,
							"tap_target_event", ops,
							j + comm));
			test_ioctl_enable(id);
			test_target_call(TAP_TARGET_EVENT, 1);
			test_ioctl_delete(id);
			ASSERT_TRUE(test_session_next(&self->s, &rec));
			for (j = 0; j < choices[i].nr; j++) {
				unsigned int arg = choices[i].arg[j];

				EXPECT_EQ(arg ? TAP_TARGET_ARG(arg) : 0, rec.word[j])
					TH_LOG("choice %u, value %u", i, j);
			}
			if (comm)
				EXPECT_EQ(0, memcmp("tracepoint_test",
						    &rec.word[j], 16));
			for (j += 2 * comm; j < 10; j++)
				EXPECT_EQ(0, rec.word[j]);
		}
	}
}

TEST_F(tracepoint, of_the_kernel_has_its_arguments)
{
	struct test_record rec;
	__u64 switches = 0, task[2] = {};
	__u32 id;

	/* The arguments preempt, prev, next, prev_state, on all lab kernels. */
	test_ioctl_create(&id, TAP_PROBE_RAWTP, "sched_switch", OP_ARG(1), OP_ARG(2));
	test_ioctl_enable(id);
	ASSERT_EQ(0, test_pin(0));
	test_target_call(TAP_TARGET_SLEEP, 10);
	test_target_call(TAP_TARGET_SLEEP, 10);
	test_ioctl_disable(id);
	while (test_session_next(&self->s, &rec)) {
		if (rec.cpu)
			continue;
		/* Two tasks; the next task of one switch is the previous task of the next one. */
		EXPECT_GT(0, (__s64)rec.word[0]);
		EXPECT_GT(0, (__s64)rec.word[1]);
		EXPECT_NE(rec.word[0], rec.word[1]);
		if (switches)
			EXPECT_EQ(task[1], rec.word[0]);
		task[1] = rec.word[1];
		/* The previous task is still current. */
		if ((pid_t)rec.tid == getpid()) {
			if (task[0])
				EXPECT_EQ(task[0], rec.word[0]);
			task[0] = rec.word[0];
		}
		switches++;
	}
	EXPECT_LE(4, switches);
	EXPECT_NE(0, task[0]);
	EXPECT_LE(switches, test_counters(_metadata, &self->s, id).written);
}

/*
 * Two probes of one event, which are not armed at the same moment, nor disarmed: while both are armed,
 * each event has a record of one and then a record of the other on its CPU. @inner counts records that
 * repeat the probe of the record before; those at the start and at the end are not counted.
 */
struct turns {
	unsigned int last;	/* 1 or 2; 0: none yet */
	unsigned int again;	/* records of @last since the probe changed */
	unsigned int nr;	/* how often it changed */
	unsigned int inner;
};

static void take_turn(struct turns *t, unsigned int probe)
{
	if (t->last == probe) {
		t->again++;
		return;
	}
	if (t->nr)
		t->inner += t->again;
	t->again = 0;
	t->nr += t->last != 0;
	t->last = probe;
}

/*
 * The kernel calls the handler of a single probe directly, and those of two through pointers,
 * whose types it checks with CONFIG_CFI.
 */
TEST_F(tracepoint, of_the_kernel_has_a_handler_of_its_prototype)
{
	static const char *const names[] = { "sys_enter", "sched_switch", "task_newtask" };
	static struct turns turns[3][64];
	struct test_record rec;
	__u64 calls[2] = {};
	unsigned int i, cpu;
	__u32 id[3][2];
	pid_t child;

	memset(turns, 0, sizeof(turns));
	for (i = 0; i < 6; i++)
		test_ioctl_create(&id[i / 2][i % 2], TAP_PROBE_RAWTP, names[i / 2], OP_ARG(1));
	test_ioctl_enable(0);
	for (i = 0; i < 100; i++)
		syscall(SYS_getppid);
	test_target_call(TAP_TARGET_SLEEP, 10);
	child = fork();
	ASSERT_LE(0, child);
	if (!child)
		_exit(0);
	ASSERT_EQ(child, waitpid(child, NULL, 0));
	test_ioctl_disable(0);
	while (test_session_next(&self->s, &rec)) {
		for (i = 0; i < 2; i++)
			calls[i] += rec.probe == id[0][i] && rec.tid == (__u32)gettid() &&
				    rec.word[0] == SYS_getppid;
		for (i = 0; i < 6; i++)
			if (rec.probe == id[i / 2][i % 2])
				take_turn(&turns[i / 2][rec.cpu % 64], 1 + i % 2);
	}
	EXPECT_EQ(100, calls[0]);
	EXPECT_EQ(100, calls[1]);
	for (i = 0; i < 6; i++) {
		struct tap_counters counters = test_counters(_metadata, &self->s, id[i / 2][i % 2]);

		EXPECT_NE(0, counters.hits);
		EXPECT_EQ(counters.hits, counters.written);
	}
	for (i = 0; i < 3; i++)
		for (cpu = 0; cpu < 64; cpu++)
			EXPECT_EQ(0, turns[i][cpu].inner);
}

/* sysrq-l makes all CPUs print a backtrace from an NMI. */
TEST_F(tracepoint, in_a_non_maskable_interrupt_says_so)
{
	struct test_session storm;
	struct test_record rec;
	unsigned int seen = 0, i;
	__u32 id;

	test_need_cpus(2);
	if (_test_ioctl_create(self->s.fd, &id, TAP_PROBE_RAWTP, "nmi_handler",
			       OPS(OP_ARG(0), OP_ARG(1), OP_ARG(2))))
		SKIP(return, "no tracepoint nmi_handler");
	if (access("/proc/sysrq-trigger", W_OK))
		SKIP(return, "no sysrq");
	test_ioctl_enable(id);
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, test_write_file("/proc/sysrq-trigger", "l"));
		usleep(10000);
	}
	/* Again, with writers on all CPUs, to be interrupted. */
	test_session_open(_metadata, &storm, 65536);
	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_add", OP_TEST_TGID(1));
	ASSERT_EQ(0, _test_ioctl_create(storm.fd, &id, TAP_PROBE_KPROBE,
					"tap_target_add", NULL, 0));
	test_ioctl_enable(0);
	ASSERT_EQ(0, _test_ioctl_enable(storm.fd, id));
	for (i = 0; i < 2; i++)
		_test_target(self->target, TAP_TARGET_STORM, 0, 0, i, NULL);
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, test_write_file("/proc/sysrq-trigger", "l"));
		usleep(10000);
		while (test_session_next(&storm, &rec))
			EXPECT_EQ(0, rec.flags & TAP_F_NMI);
	}
	ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_CALM, 0, 0, 0, NULL));
	test_ioctl_disable(0);
	ASSERT_EQ(0, _test_ioctl_disable(storm.fd, id));
	while (test_session_next(&self->s, &rec)) {
		EXPECT_NE(0, rec.flags & TAP_F_NMI);
		seen++;
	}
	EXPECT_LE(10, seen);
	test_counters(_metadata, &self->s, 1);
	test_counters(_metadata, &self->s, 2);
	test_counters(_metadata, &storm, id);
	test_session_close(&storm);
}

TEST_F(tracepoint, of_a_module_that_is_not_there_is_not_found)
{
	__u32 id;

	test_need_raw_tracepoints();
	test_err_ioctl_create(ENOENT, TAP_PROBE_RAWTP, LATE_EVENT);
	test_err_ioctl_create(ENOENT, TAP_PROBE_RAWTP, "tap_deferred_event");
	ASSERT_EQ(0, test_module_load(LATE, "")) TH_LOG("%s", strerror(errno));
	test_ioctl_create(&id, TAP_PROBE_RAWTP, LATE_EVENT);
	test_ioctl_create(&id, TAP_PROBE_RAWTP, "tap_deferred_event");
	/* Only with its own module, and only with its whole name. */
	test_err_ioctl_create(ENOENT, TAP_PROBE_RAWTP, "tap_target:tap_deferred_event");
	test_err_ioctl_create(ENOENT, TAP_PROBE_RAWTP, "tap_deferred:tap_deferred");
	test_err_ioctl_create(ENOENT, TAP_PROBE_RAWTP, "tap_deferred:sched_switch");
	ASSERT_EQ(0, test_module_unload(LATE)) TH_LOG("%s", strerror(errno));
	test_err_ioctl_create(ENOENT, TAP_PROBE_RAWTP, LATE_EVENT);
}

/* Whether __init code makes events: kernels before 5.13 do not patch its tracepoints. */
static bool late_heard(void)
{
	FILE *file = fopen("/sys/module/" LATE "/parameters/deaf", "re");
	int deaf = file ? fgetc(file) : 'N';

	if (file)
		fclose(file);
	return deaf != 'Y';
}

TEST_F(tracepoint, that_is_waited_for_arms_itself_goes_and_comes_again)
{
	struct test_record rec;
	bool heard;
	unsigned int turn;
	__u32 id;

	test_need_raw_tracepoints();
	test_create_wait(&id, LATE_EVENT, OP_ARG(0));
	EXPECT_STATE(TAP_STATE_DISABLED, id);
	test_ioctl_enable(id);
	EXPECT_STATE(TAP_STATE_WAITING, id);
	EXPECT_FALSE(test_session_next(&self->s, &rec));
	for (turn = 1; turn <= 3; turn++) {
		ASSERT_EQ(0, test_module_load(LATE, "init=4711"));
		EXPECT_STATE(TAP_STATE_ENABLED, id);
		ASSERT_EQ(0, test_write_file(FIRE, "10"));
		EXPECT_NOTICE(TAP_NOTICE_ARMED, id);
		heard = late_heard();
		if (heard) {
			ASSERT_TRUE(test_session_next(&self->s, &rec));
			EXPECT_EQ(4711, rec.word[0]);
		}
		EXPECT_EQ(10, count_up(_metadata, &self->s, id));
		ASSERT_EQ(0, test_module_unload(LATE)) TH_LOG("%s", strerror(errno));
		EXPECT_NOTICE(TAP_NOTICE_GONE, id);
		EXPECT_STATE(TAP_STATE_GONE, id);
		EXPECT_EQ((10 + heard) * turn,
			  test_counters(_metadata, &self->s, id).written);
	}
}

/* No reader: notices wait, until there are too many to keep. */
/* A child of a parent that ignores SIGCHLD is released before it gives its CPU away. */
TEST_F(tracepoint, of_a_task_that_was_released_is_still_followed)
{
	unsigned int followed = 0, others = 0;
	struct test_record rec;
	pid_t child;
	__u32 id;

	test_ioctl_create(&id, TAP_PROBE_RAWTP, "sched_switch",
			  OP(TAP_OP_VAR, TAP_OP_OUT, 0, 8, TAP_VAR_FOLLOWED, 0));
	ASSERT_EQ(0, _test_ioctl_follow(self->s.fd, getpid()));
	ASSERT_NE(SIG_ERR, signal(SIGCHLD, SIG_IGN));
	test_ioctl_enable(id);
	child = fork();
	if (!child) {
		usleep(10000);
		_exit(0);
	}
	ASSERT_LT(0, child);
	EXPECT_EQ(-1, waitpid(child, NULL, 0));
	usleep(100000);
	test_ioctl_disable(id);
	while (test_session_next(&self->s, &rec)) {
		if (rec.kind || rec.tid != (__u32)child)
			continue;
		followed += rec.word[0] == 1;
		others += rec.word[0] == 0;
	}
	/* When it went to sleep, and when it ended. */
	EXPECT_LE(2, followed);
	EXPECT_EQ(0, others);
	signal(SIGCHLD, SIG_DFL);
}

TEST_F(tracepoint, too_many_notices_are_reported_as_dropped)
{
	__u64 reported = 0, dropped = 0, pending;
	struct test_record rec;
	unsigned int i;
	__u32 id;

	test_need_raw_tracepoints();
	test_session_close(&self->s);
	test_session_open(_metadata, &self->s, 4096);
	for (i = 0; i < MANY; i++)
		test_create_wait(&id, LATE_EVENT);
	test_ioctl_enable(0);
	for (i = 0; i < TIMES; i++) {
		ASSERT_EQ(0, test_module_load(LATE, ""));
		ASSERT_EQ(0, test_module_unload(LATE)) TH_LOG("%s", strerror(errno));
	}
	do {
		for (i = 0; test_session_next(&self->s, &rec); i++) {
			/* Skip events of the module's init code, and their losses. */
			if (rec.kind != TAP_KIND_NOTICE)
				continue;
			/* No further notice follows. */
			EXPECT_EQ(0, dropped);
			reported++;
			if (rec.word[TAP_NOTICE_WHAT] != TAP_NOTICE_DROPPED)
				continue;
			EXPECT_LT(rec.word[TAP_NOTICE_SINCE], rec.time);
			dropped += rec.word[TAP_NOTICE_COUNT];
			reported--;
		}
		test_ioctl_flush(&pending);
	} while (i || pending);
	EXPECT_LT(0, dropped);
	EXPECT_EQ(MANY * TIMES * 2, reported + dropped);
	/* Then notices are reported again. */
	ASSERT_EQ(0, test_module_load(LATE, ""));
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(TAP_NOTICE_ARMED, rec.word[TAP_NOTICE_WHAT]);
	ASSERT_EQ(0, test_module_unload(LATE)) TH_LOG("%s", strerror(errno));
}

TEST_F(tracepoint, that_is_waited_for_disabled_stays_so)
{
	__u32 id;

	test_need_raw_tracepoints();
	test_create_wait(&id, LATE_EVENT, OP_ARG(0));
	ASSERT_EQ(0, test_module_load(LATE, ""));
	EXPECT_STATE(TAP_STATE_DISABLED, id);
	ASSERT_EQ(0, test_write_file(FIRE, "10"));
	EXPECT_EQ(0, test_counters(_metadata, &self->s, id).hits);
	/* The function was found, though. */
	test_ioctl_enable(id);
	EXPECT_STATE(TAP_STATE_ENABLED, id);
	ASSERT_EQ(0, test_write_file(FIRE, "10"));
	EXPECT_EQ(10, count_up(_metadata, &self->s, id));
	test_ioctl_disable(id);
	ASSERT_EQ(0, test_module_unload(LATE)) TH_LOG("%s", strerror(errno));
	EXPECT_STATE(TAP_STATE_GONE, id);
}

TEST_F(tracepoint, that_is_waited_for_and_is_there_need_not_be_waited_for)
{
	__u32 id;

	test_need_raw_tracepoints();
	ASSERT_EQ(0, test_module_load(LATE, ""));
	test_create_wait(&id, LATE_EVENT, OP_ARG(0));
	test_ioctl_enable(id);
	EXPECT_STATE(TAP_STATE_ENABLED, id);
	ASSERT_EQ(0, test_write_file(FIRE, "10"));
	EXPECT_EQ(10, count_up(_metadata, &self->s, id));
}

TEST_F(tracepoint, that_is_waited_for_may_be_given_up)
{
	struct test_record rec;
	__u32 id;

	test_need_raw_tracepoints();
	test_create_wait(&id, LATE_EVENT);
	test_ioctl_enable(id);
	test_ioctl_delete(id);
	test_create_wait(&id, LATE_EVENT);
	test_ioctl_enable(id);
	test_ioctl_disable(id);
	test_create_wait(&id, "tap_never:tap_never");
	test_ioctl_enable(id);
	ASSERT_EQ(0, test_module_load(LATE, ""));
	ASSERT_EQ(0, test_write_file(FIRE, "10"));
	EXPECT_FALSE(test_session_next(&self->s, &rec));
	EXPECT_STATE(TAP_STATE_WAITING, id);
}

TEST_F(tracepoint, of_many_sessions_all_see_a_module_come_and_go)
{
	struct test_session s[5];
	unsigned int i;
	bool heard;
	__u32 id;

	test_need_raw_tracepoints();
	for (i = 0; i < ARRAY_SIZE(s); i++) {
		test_session_open(_metadata, &s[i], 4096);
		ASSERT_EQ(0, _test_ioctl_create_flags(s[i].fd, &id, TAP_PROBE_RAWTP,
						      TAP_CREATE_F_WAIT, 0,
						      LATE_EVENT, OPS(OP_ARG(0))));
		ASSERT_EQ(0, _test_ioctl_enable(s[i].fd, id));
	}
	ASSERT_EQ(0, test_module_load(LATE, ""));
	test_session_close(&s[0]);
	heard = late_heard();
	ASSERT_EQ(0, test_write_file(FIRE, "7"));
	ASSERT_EQ(0, test_module_unload(LATE)) TH_LOG("%s", strerror(errno));
	test_session_close(&s[1]);
	for (i = 2; i < ARRAY_SIZE(s); i++) {
		EXPECT_EQ(TAP_STATE_GONE, test_state(_metadata, &s[i], id));
		EXPECT_EQ(7 + heard, test_session_drain(&s[i], NULL));
		test_session_close(&s[i]);
	}
}

/* Lets the thread of the module run and unloads the module meanwhile; returns the events read. */
static __u64 unload_under_fire(struct __test_metadata *_metadata, struct test_session *s,
			       __u32 id, __u64 *gaps)
{
	__u64 events;

	usleep(20000);
	events = test_session_drain(s, gaps);
	ASSERT_EQ(0, test_module_unload(LATE)) TH_LOG("%s", strerror(errno));
	EXPECT_EQ(TAP_STATE_GONE, test_state(_metadata, s, id));
	return events + test_session_drain(s, gaps);
}

/* Expects more than @more events; each must have been read or reported as lost. */
static void expect_counted(struct __test_metadata *_metadata, struct test_session *s, __u32 id,
			   __u64 more, __u64 events, __u64 gaps)
{
	struct tap_counters c;
	__u64 pending;

	ASSERT_EQ(0, _test_ioctl_flush(s->fd, &pending));
	events += test_session_drain(s, &gaps);
	c = test_counters(_metadata, s, id);
	EXPECT_LT(more, c.hits);
	EXPECT_EQ(c.written, events);
	EXPECT_EQ(c.lost_full + c.lost_nested, gaps);
}

TEST_F(tracepoint, that_fires_while_its_module_goes_is_counted_right)
{
	__u64 events = 0, gaps = 0;
	unsigned int turn;
	__u32 id;

	test_need_raw_tracepoints();
	test_create_wait(&id, LATE_EVENT, OP_ARG(0));
	test_ioctl_enable(id);
	for (turn = 0; turn < 5; turn++) {
		ASSERT_EQ(0, test_module_load(LATE, "storm=1"));
		events += unload_under_fire(_metadata, &self->s, id, &gaps);
	}
	expect_counted(_metadata, &self->s, id, 5, events, gaps);
}

TEST_F(tracepoint, keeps_nobody_from_unloading_its_module)
{
	__u32 id;

	test_need_raw_tracepoints();
	ASSERT_EQ(0, test_module_load(LATE, ""));
	test_ioctl_create(&id, TAP_PROBE_RAWTP, LATE_EVENT, OP_ARG(0));
	test_ioctl_enable(id);
	EXPECT_EQ(0, test_module_refs(LATE));
	ASSERT_EQ(0, test_module_unload(LATE)) TH_LOG("%s", strerror(errno));
	EXPECT_STATE(TAP_STATE_GONE, id);
	/* A tracepoint that was found comes back even if the probe is not deferred. */
	ASSERT_EQ(0, test_module_load(LATE, "init=1"));
	EXPECT_STATE(TAP_STATE_ENABLED, id);
}

/* A probe that is not deferred comes back with its module, and not by TAP_IOC_ENABLE. */
TEST_F(tracepoint, that_went_with_its_module_is_not_enabled_again)
{
	__u32 id;

	test_need_raw_tracepoints();
	test_need_module(LATE);
	ASSERT_EQ(0, test_module_load(LATE, ""));
	test_ioctl_create(&id, TAP_PROBE_RAWTP, "tap_deferred_event");
	EXPECT_STATE(TAP_STATE_DISABLED, id);
	ASSERT_EQ(0, test_module_unload(LATE)) TH_LOG("%s", strerror(errno));
	EXPECT_STATE(TAP_STATE_GONE, id);
	test_err_ioctl_enable(ENOENT, id);
	ASSERT_EQ(0, test_module_load(LATE, ""));
	test_ioctl_enable(id);
	EXPECT_STATE(TAP_STATE_ENABLED, id);
	test_module_unload(LATE);
}

/* Probes of a function whose module is unloaded and does not come back. */
FIXTURE(gone)
{
	struct test_session s;
};

FIXTURE_VARIANT(gone)
{
	__u32 type;
};

FIXTURE_VARIANT_ADD(gone, kprobe)
{
	.type = TAP_PROBE_KPROBE,
};

FIXTURE_VARIANT_ADD(gone, kretprobe)
{
	.type = TAP_PROBE_KRETPROBE,
};

FIXTURE_VARIANT_ADD(gone, call)
{
	.type = TAP_PROBE_CALL,
};

FIXTURE_SETUP(gone)
{
	self->s.fd = -1;
	test_need_root();
	test_need_module(LATE);
	test_session_open(_metadata, &self->s, 65536);
}

FIXTURE_TEARDOWN(gone)
{
	test_session_close(&self->s);
	test_module_unload(LATE);
}

TEST_F(gone, while_enabled_says_so_and_stays_so)
{
	struct tap_counters c;
	struct test_record rec;
	__u32 id, other;

	ASSERT_EQ(0, test_module_load(LATE, ""));
	test_ioctl_create(&id, variant->type, "tap_deferred:tap_deferred_function");
	test_ioctl_create(&other, variant->type, "vfs_fsync");
	test_ioctl_enable(id);
	ASSERT_EQ(0, test_write_file(FIRE, "10"));
	ASSERT_EQ(0, test_module_unload(LATE)) TH_LOG("%s", strerror(errno));
	EXPECT_STATE(TAP_STATE_GONE, id);
	c = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(10, c.written);
	EXPECT_EQ(10, test_session_drain(&self->s, NULL));

	/* It can be disabled, but not enabled, alone or with all others. */
	test_ioctl_disable(id);
	EXPECT_STATE(TAP_STATE_GONE, id);
	test_err_ioctl_enable(ENOENT, id);
	test_err_ioctl_enable(ENOENT, 0);
	EXPECT_STATE(TAP_STATE_DISABLED, other);

	/* Another module of the same name does not count. */
	ASSERT_EQ(0, test_module_load(LATE, ""));
	EXPECT_STATE(TAP_STATE_GONE, id);
	test_err_ioctl_enable(ENOENT, id);
	ASSERT_EQ(0, test_write_file(FIRE, "10"));
	EXPECT_FALSE(test_session_next(&self->s, &rec));
	test_ioctl_delete(id);
	test_ioctl_create(&id, variant->type, "tap_deferred_function");
	test_ioctl_enable(id);
	ASSERT_EQ(0, test_write_file(FIRE, "10"));
	EXPECT_EQ(10, test_session_drain(&self->s, NULL));
}

TEST_F(gone, while_disabled_says_so_as_well)
{
	__u32 id;

	ASSERT_EQ(0, test_module_load(LATE, ""));
	test_ioctl_create(&id, variant->type, "tap_deferred_function");
	ASSERT_EQ(0, test_module_unload(LATE)) TH_LOG("%s", strerror(errno));
	EXPECT_STATE(TAP_STATE_GONE, id);
	test_err_ioctl_enable(ENOENT, id);
	test_ioctl_disable(id);
	EXPECT_EQ(0, test_counters(_metadata, &self->s, id).hits);
}

TEST_F(gone, before_its_session_is_closed_does_no_harm)
{
	unsigned int i;
	__u32 id;

	ASSERT_EQ(0, test_module_load(LATE, ""));
	for (i = 0; i < 5; i++)
		test_ioctl_create(&id, variant->type, "tap_deferred_function");
	test_ioctl_enable(0);
	ASSERT_EQ(0, test_module_unload(LATE)) TH_LOG("%s", strerror(errno));
	test_session_close(&self->s);
}

TEST_F(gone, under_fire_is_counted_right)
{
	__u64 events, gaps;
	unsigned int turn;
	__u32 id;

	for (turn = 0; turn < 5; turn++) {
		gaps = 0;
		ASSERT_EQ(0, test_module_load(LATE, "storm=1"));
		test_ioctl_create(&id, variant->type, "tap_deferred_function");
		test_ioctl_enable(id);
		events = unload_under_fire(_metadata, &self->s, id, &gaps);
		expect_counted(_metadata, &self->s, id, 0, events, gaps);
		test_ioctl_delete(id);
	}
}

TEST_HARNESS_MAIN
