// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of probes of every type: each call makes one record with the right values; enable,
 * disable, delete.
 */
#include "selftests/module/tap_harness.h"

#include <sys/prctl.h>

#define CALLS		100

/* Each type of probe, on a call of tap_target with a number that grows. */
FIXTURE(probe)
{
	struct test_session s;
	int target;
};

TEST_KINDS(probe);

FIXTURE_SETUP(probe)
{
	test_setup();
	if (variant->kind->type == TAP_PROBE_RAWTP)
		test_need_raw_tracepoints();
	test_session_open(_metadata, &self->s, 65536);
}

FIXTURE_TEARDOWN(probe)
{
	test_teardown();
}

#define test_create_variant(id)						\
	test_ioctl_create(id, variant->kind->type, variant->kind->target, variant->kind->fetch)

TEST_F(probe, records_every_call_once_with_its_value)
{
	struct test_record rec;
	struct tap_counters c;
	__u64 i, gaps = 0;
	__u32 id;

	test_create_variant(&id);
	test_ioctl_enable(id);
	ASSERT_EQ(0, test_pin(0));
	test_target_call(variant->kind->function, CALLS);
	test_ioctl_disable(id);
	test_target_call(variant->kind->function, CALLS);

	for (i = 0; i < CALLS; i++) {
		ASSERT_TRUE(test_session_next(&self->s, &rec));
		EXPECT_FALSE(rec.broken);
		EXPECT_EQ(TAP_KIND_EVENT, rec.kind);
		EXPECT_EQ(id, rec.probe);
		EXPECT_EQ(1, rec.slots);
		EXPECT_EQ(0, rec.cpu);
		EXPECT_EQ(gettid(), rec.tid);
		EXPECT_EQ(getpid(), rec.tgid);
		EXPECT_EQ(variant->kind->first + i, rec.word[variant->kind->word]);
		/* The layout does not use this word. */
		EXPECT_EQ(0, rec.word[3]);
	}
	EXPECT_EQ(0, test_session_drain(&self->s, &gaps));
	EXPECT_EQ(0, gaps);
	c = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(CALLS, c.hits);
	EXPECT_EQ(CALLS, c.written);
	EXPECT_EQ(variant->kind->type == TAP_PROBE_CALL ? CALLS : 0, c.entered);
}

/* The counters are set, whatever the caller's memory contained. */
TEST_F(probe, that_missed_nothing_says_so)
{
	struct tap_stats stats = { .size = sizeof(stats), .out_nmissed = 1,
				   .out_nmissed_return = 2, .out_flags = ~0U };

	test_create_variant(&stats.id);
	ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_STATS, &stats));
	EXPECT_EQ(0, stats.out_nmissed);
	EXPECT_EQ(0, stats.out_nmissed_return);
	EXPECT_EQ(0, stats.out_flags);
}

TEST_F(probe, tells_the_process_from_the_thread_that_called)
{
	struct test_record rec;
	__u32 id;
	pid_t child;
	int status;

	test_create_variant(&id);
	test_ioctl_enable(id);
	child = fork();
	ASSERT_LE(0, child);
	if (!child)
		_exit(!!_test_target(self->target, TAP_TARGET_CALL,
				     variant->kind->function, 1, 0, NULL));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	ASSERT_EQ(0, status);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(child, rec.tid);
	EXPECT_EQ(child, rec.tgid);
}

static void *call_once(void *data)
{
	int *target = data;
	pid_t tid = gettid();

	if (_test_target(*target, TAP_TARGET_CALL, TAP_TARGET_ADD, 1, 0, NULL) ||
	    _test_target(*target, TAP_TARGET_CALL, TAP_TARGET_EVENT, 1, 0, NULL))
		return NULL;
	return (void *)(long)tid;
}

TEST_F(probe, tells_the_thread_from_its_process)
{
	struct test_record rec;
	pthread_t thread;
	void *tid;
	__u32 id;

	test_create_variant(&id);
	test_ioctl_enable(id);
	ASSERT_EQ(0, pthread_create(&thread, NULL, call_once, &self->target));
	ASSERT_EQ(0, pthread_join(thread, &tid));
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ((long)tid, rec.tid);
	EXPECT_EQ(getpid(), rec.tgid);
	EXPECT_NE(rec.tid, rec.tgid);
}

/* Ids are those of the first pid namespace, also for a task in another one. */
TEST_F(probe, tells_the_ids_of_the_first_namespace)
{
	pid_t *inner = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct test_record rec;
	unsigned int found = 0;
	pid_t child;
	__u32 id;

	ASSERT_NE(MAP_FAILED, (void *)inner);
	test_ioctl_create(&id, variant->kind->type, variant->kind->target, variant->kind->fetch);
	test_ioctl_enable(id);
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		int status = 1;
		pid_t pid;

		if (unshare(CLONE_NEWPID))
			_exit(2);
		pid = fork();
		if (!pid)
			_exit(getpid() != 1 ||
			      _test_target(self->target, TAP_TARGET_CALL,
					   variant->kind->function, 1, 0, NULL));
		*inner = pid;
		_exit(waitpid(pid, &status, 0) != pid || status);
	}
	test_child_ends(_metadata, child);
	test_ioctl_disable(id);
	while (test_session_next(&self->s, &rec)) {
		EXPECT_EQ((__u32)*inner, rec.tid);
		EXPECT_EQ((__u32)*inner, rec.tgid);
		found++;
	}
	EXPECT_EQ(1, found);
	munmap(inner, 4096);
}

TEST_F(probe, records_the_name_behind_what_else_is_fetched)
{
	static const char comm[TAP_COMM_LEN] = "fifteen letters";
	struct test_record rec;
	__u32 id;

	test_ioctl_create(&id, variant->kind->type, variant->kind->target, variant->kind->fetch,
			  OP_COMM, OP_COMM, variant->kind->fetch);
	test_ioctl_enable(id);
	ASSERT_EQ(0, prctl(PR_SET_NAME, comm));
	test_target_call(variant->kind->function, 1);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_FALSE(rec.broken);
	EXPECT_EQ(2, rec.slots);
	EXPECT_EQ(variant->kind->first, rec.word[variant->kind->word]);
	EXPECT_EQ(0, memcmp(comm, &rec.word[variant->kind->word + 1], sizeof(comm)));
	EXPECT_EQ(0, memcmp(comm, &rec.word[variant->kind->word + 3], sizeof(comm)));
	EXPECT_EQ(variant->kind->first, rec.word[variant->kind->word + 5]);
	/* Words behind the end have nothing of an older record. */
	EXPECT_EQ(0, rec.word[variant->kind->word + 6]);
	EXPECT_EQ(0, rec.word[10]);
}

TEST_F(probe, without_a_program_records_that_it_happened)
{
	struct test_record rec;
	__u32 id;

	test_ioctl_create(&id, variant->kind->type, variant->kind->target);
	test_ioctl_enable(id);
	test_target_call(variant->kind->function, 1);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(id, rec.probe);
	EXPECT_EQ(1, rec.slots);
	if (variant->kind->type != TAP_PROBE_CALL) {
		EXPECT_EQ(0, rec.word[0]);
		EXPECT_EQ(0, rec.word[1]);
	}
	EXPECT_EQ(0, rec.word[2]);
	EXPECT_EQ(0, rec.word[3]);
	EXPECT_FALSE(test_session_next(&self->s, &rec));
}

TEST_F(probe, confined_to_a_process_filters_the_others)
{
	struct test_record rec;
	struct tap_counters c;
	__u32 mine, others;

	test_ioctl_create(&mine, variant->kind->type, variant->kind->target,
			  OP_TEST_TGID(getpid()), variant->kind->fetch);
	test_ioctl_create(&others, variant->kind->type, variant->kind->target,
			  OP_TEST_TGID(1), variant->kind->fetch);
	test_ioctl_enable(0);
	test_target_call(variant->kind->function, CALLS);
	test_ioctl_disable(0);

	c = test_counters(_metadata, &self->s, mine);
	EXPECT_EQ(CALLS, c.hits);
	EXPECT_EQ(CALLS, c.written);
	EXPECT_EQ(0, c.filtered);
	c = test_counters(_metadata, &self->s, others);
	EXPECT_EQ(CALLS, c.hits);
	EXPECT_EQ(0, c.written);
	EXPECT_EQ(CALLS, c.filtered);
	EXPECT_EQ(0, c.entered);
	while (test_session_next(&self->s, &rec))
		EXPECT_EQ(mine, rec.probe);
}

/* Makes a call in a grandchild, then one in a child, then one here. */
static int call_in_family(int target, __u32 function, unsigned int generations)
{
	int status = 0;

	if (generations) {
		pid_t child = fork();

		if (!child)
			_exit(call_in_family(target, function, generations - 1));
		if (child < 0 || waitpid(child, &status, 0) != child || status)
			return 1;
	}
	return !!_test_target(target, TAP_TARGET_CALL, function, 1, 0, NULL);
}

/* As call_in_family(), in a child that has the session follow it; then makes a call here. */
static int call_in_followed(int fd, int target, __u32 function, unsigned int generations)
{
	int status;
	pid_t child = fork();

	if (!child)
		_exit(_test_ioctl_follow(fd, getpid()) ||
		      call_in_family(target, function, generations));
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		return 1;
	return call_in_family(target, function, 0);
}

/* The children of its children, too, but not its parent. */
TEST_F(probe, confined_to_followed_filters_all_others)
{
	struct tap_counters c;
	struct test_record rec;
	unsigned int records = 0;
	struct test_session other;
	__u32 id, others;

	test_session_open(_metadata, &other, 65536);
	test_ioctl_create(&id, variant->kind->type, variant->kind->target,
			  OP_TEST_FOLLOWED, variant->kind->fetch);
	/* This session follows nobody. */
	ASSERT_EQ(0, _test_ioctl_create(other.fd, &others, variant->kind->type,
					variant->kind->target,
					OPS(OP_TEST_FOLLOWED, variant->kind->fetch)));
	test_ioctl_enable(0);
	ASSERT_EQ(0, _test_ioctl_enable(other.fd, 0));
	ASSERT_EQ(0, call_in_followed(self->s.fd, self->target, variant->kind->function, 2));
	test_ioctl_disable(0);
	ASSERT_EQ(0, _test_ioctl_disable(other.fd, 0));
	c = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(4, c.hits);
	EXPECT_EQ(3, c.written);
	EXPECT_EQ(1, c.filtered);
	EXPECT_EQ(variant->kind->type == TAP_PROBE_CALL ? 3 : 0, c.entered);
	c = test_counters(_metadata, &other, others);
	EXPECT_EQ(4, c.hits);
	EXPECT_EQ(4, c.filtered);
	EXPECT_EQ(0, c.entered);
	for (; test_session_next(&self->s, &rec); records++) {
		EXPECT_EQ(id, rec.probe);
		EXPECT_NE(getpid(), rec.tgid);
		EXPECT_EQ(variant->kind->first, rec.word[variant->kind->word]);
	}
	EXPECT_EQ(3, records);
	EXPECT_FALSE(test_session_next(&other, &rec));
	test_session_close(&other);
}

/* The test has a handler of its own, a fast path or the interpreter: all of them agree. */
TEST_F(probe, confined_to_followed_may_do_anything)
{
	static const struct tap_op more[] = {
		OP_COMM,
		OP(TAP_OP_VAR, TAP_OP_OUT, 0, 8, TAP_VAR_TID, 0),
		OP(TAP_OP_VAR, TAP_OP_OUT, 0, 8, TAP_VAR_FOLLOWED, 0),
		OP(TAP_OP_IMM, TAP_OP_OUT, 0, 8, 0, 4711),
		OP(TAP_OP_STRING, TAP_OP_OUT, 0, 0, 0, 16),
	};
	struct tap_op ops[] = { OP_TEST_FOLLOWED, {}, {} };
	struct tap_op only[] = {
		OP(TAP_OP_VAR, 0, 0, 8, TAP_VAR_FOLLOWED, 0), OP_REJECT_IF(TAP_OP_JNE, 0, 1),
	};
	struct tap_op never[] = {
		OP(TAP_OP_VAR, 0, 0, 8, TAP_VAR_FOLLOWED, 0), OP_REJECT_IF(TAP_OP_JEQ, 0, 1),
	};
	__u32 id[ARRAY_SIZE(more)], one, none;
	struct tap_counters c;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(more); i++) {
		ops[2] = variant->kind->fetch;
		ops[3] = more[i];
		ASSERT_EQ(0, _test_ioctl_create(self->s.fd, &id[i], variant->kind->type,
						variant->kind->target, ops, 4));
	}
	ASSERT_EQ(0, _test_ioctl_create(self->s.fd, &one, variant->kind->type,
					variant->kind->target, only, 2));
	ASSERT_EQ(0, _test_ioctl_create(self->s.fd, &none, variant->kind->type,
					variant->kind->target, never, 2));
	test_ioctl_enable(0);
	ASSERT_EQ(0, call_in_followed(self->s.fd, self->target, variant->kind->function, 1));
	test_ioctl_disable(0);
	for (i = 0; i < ARRAY_SIZE(more); i++) {
		c = test_counters(_metadata, &self->s, id[i]);
		EXPECT_EQ(3, c.hits) TH_LOG("op %u", i);
		EXPECT_EQ(2, c.written) TH_LOG("op %u", i);
		EXPECT_EQ(1, c.filtered) TH_LOG("op %u", i);
	}
	c = test_counters(_metadata, &self->s, one);
	EXPECT_EQ(2, c.written);
	EXPECT_EQ(1, c.filtered);
	c = test_counters(_metadata, &self->s, none);
	EXPECT_EQ(1, c.written);
	EXPECT_EQ(2, c.filtered);
}

TEST_F(probe, confined_to_a_process_and_to_followed_wants_both)
{
	struct tap_counters c;
	__u32 id;

	test_ioctl_create(&id, variant->kind->type, variant->kind->target,
			  OP_TEST_TGID(getpid()), OP_TEST_FOLLOWED,
			  variant->kind->fetch);
	ASSERT_EQ(0, _test_ioctl_follow(self->s.fd, getpid()));
	test_ioctl_enable(id);
	ASSERT_EQ(0, call_in_family(self->target, variant->kind->function, 1));
	test_ioctl_disable(id);
	c = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(2, c.hits);
	EXPECT_EQ(1, c.written);
}

TEST_F(probe, that_only_counts_writes_nothing)
{
	struct tap_op ops[] = { OP_TEST_FOLLOWED, variant->kind->fetch };
	struct test_record rec;
	struct tap_counters c;
	__u32 all, tested;

	ASSERT_EQ(0, _test_ioctl_create_flags(self->s.fd, &all, variant->kind->type,
					      TAP_CREATE_F_COUNT, 0, variant->kind->target,
					      NULL, 0));
	ASSERT_EQ(0, _test_ioctl_create_flags(self->s.fd, &tested, variant->kind->type,
					      TAP_CREATE_F_COUNT, 0, variant->kind->target,
					      ops, ARRAY_SIZE(ops)));
	test_ioctl_enable(0);
	/* More records than the ring holds. */
	test_target_call(variant->kind->function, 2000);
	ASSERT_EQ(0, call_in_followed(self->s.fd, self->target, variant->kind->function, 0));
	test_ioctl_disable(0);
	EXPECT_FALSE(test_session_next(&self->s, &rec));
	c = test_counters(_metadata, &self->s, all);
	EXPECT_EQ(2002, c.hits);
	EXPECT_EQ(2002, c.aggregated);
	c = test_counters(_metadata, &self->s, tested);
	EXPECT_EQ(2002, c.hits);
	EXPECT_EQ(1, c.aggregated);
	EXPECT_EQ(2001, c.filtered);
}

TEST_F(probe, disabled_records_nothing_and_keeps_its_counters)
{
	__u32 id;

	test_create_variant(&id);
	test_target_call(variant->kind->function, CALLS);
	EXPECT_EQ(0, test_counters(_metadata, &self->s, id).hits);
	EXPECT_EQ(TAP_STATE_DISABLED, test_state(_metadata, &self->s, id));

	test_ioctl_enable(id);
	test_ioctl_enable(id);
	EXPECT_EQ(TAP_STATE_ENABLED, test_state(_metadata, &self->s, id));
	test_target_call(variant->kind->function, CALLS);
	test_ioctl_disable(id);
	test_ioctl_disable(id);
	EXPECT_EQ(TAP_STATE_DISABLED, test_state(_metadata, &self->s, id));
	test_target_call(variant->kind->function, CALLS);
	EXPECT_EQ(CALLS, test_counters(_metadata, &self->s, id).hits);

	test_ioctl_enable(id);
	test_target_call(variant->kind->function, CALLS);
	EXPECT_EQ(2 * CALLS, test_counters(_metadata, &self->s, id).hits);
	EXPECT_EQ(2 * CALLS, test_session_drain(&self->s, NULL));
}

TEST_F(probe, deleted_is_gone_and_its_records_stay)
{
	struct test_record rec;
	struct tap_stats stats;
	__u32 id, next;

	test_create_variant(&id);
	test_ioctl_enable(id);
	test_target_call(variant->kind->function, 1);
	test_ioctl_delete(id);
	test_target_call(variant->kind->function, 1);
	EXPECT_ERRNO(ENOENT, _test_ioctl_stats(self->s.fd, id, NULL, 0, &stats));
	test_err_ioctl_delete(ENOENT, id);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(id, rec.probe);
	EXPECT_FALSE(test_session_next(&self->s, &rec));

	/* Ids are not reused. */
	test_create_variant(&next);
	EXPECT_EQ(id + 1, next);
}

TEST_F(probe, of_two_sessions_each_sees_everything)
{
	struct test_session other;
	struct test_record rec;
	__u32 id, other_id;

	test_session_open(_metadata, &other, 65536);
	test_create_variant(&id);
	ASSERT_EQ(0, _test_ioctl_create(other.fd, &other_id, variant->kind->type,
					variant->kind->target, &variant->kind->fetch, 1));
	/* Each session has its own ids. */
	EXPECT_EQ(id, other_id);
	test_ioctl_enable(id);
	ASSERT_EQ(0, _test_ioctl_enable(other.fd, other_id));
	test_target_call(variant->kind->function, CALLS);

	/* Closing one session does not affect the other. */
	test_session_close(&other);
	test_target_call(variant->kind->function, CALLS);
	EXPECT_EQ(2 * CALLS, test_counters(_metadata, &self->s, id).hits);
	EXPECT_EQ(2 * CALLS, test_session_drain(&self->s, NULL));

	test_session_open(_metadata, &other, 65536);
	EXPECT_ERRNO(ENOENT, _test_ioctl_enable(other.fd, id));
	EXPECT_FALSE(test_session_next(&other, &rec));
	test_session_close(&other);
}

TEST_F(probe, of_two_sessions_both_count_what_both_see)
{
	struct test_session other;
	__u32 id, other_id;

	test_session_open(_metadata, &other, 65536);
	test_create_variant(&id);
	ASSERT_EQ(0, _test_ioctl_create(other.fd, &other_id, variant->kind->type,
					variant->kind->target, &variant->kind->fetch, 1));
	test_ioctl_enable(id);
	ASSERT_EQ(0, _test_ioctl_enable(other.fd, other_id));
	test_target_call(variant->kind->function, CALLS);
	EXPECT_EQ(CALLS, test_counters(_metadata, &self->s, id).hits);
	EXPECT_EQ(CALLS, test_counters(_metadata, &other, other_id).hits);
	EXPECT_EQ(CALLS, test_session_drain(&other, NULL));
	test_session_close(&other);
}

TEST_F(probe, twice_in_one_session_records_twice)
{
	struct test_record rec;
	unsigned int seen[3] = {};
	__u32 a, b;

	test_create_variant(&a);
	test_create_variant(&b);
	test_ioctl_enable(0);
	test_target_call(variant->kind->function, CALLS);
	test_ioctl_disable(a);
	test_target_call(variant->kind->function, CALLS);
	while (test_session_next(&self->s, &rec)) {
		ASSERT_GE(2, rec.probe);
		seen[rec.probe]++;
	}
	EXPECT_EQ(CALLS, seen[a]);
	EXPECT_EQ(2 * CALLS, seen[b]);
}

TEST_F(probe, in_a_module_is_found_by_its_name_as_well)
{
	char name[64];
	__u32 id;

	if (strchr(variant->kind->target, ':'))
		SKIP(return, "its name has a subsystem in place of a module");
	snprintf(name, sizeof(name), "tap_target:%s", variant->kind->target);
	test_ioctl_create(&id, variant->kind->type, name, variant->kind->fetch);
	test_ioctl_enable(id);
	test_target_call(variant->kind->function, CALLS);
	EXPECT_EQ(CALLS, test_session_drain(&self->s, NULL));
	snprintf(name, sizeof(name), "tapmod:%s", variant->kind->target);
	test_err_ioctl_create(ENOENT, variant->kind->type, name);
}

TEST_F(probe, counts_on_the_cpu_where_it_happens)
{
	struct tap_counters c[TEST_MAX_RINGS];
	struct tap_stats stats;
	struct test_record rec;
	unsigned int cpu, seen[2] = {};
	__u32 id;

	test_need_cpus(2);
	test_create_variant(&id);
	test_ioctl_enable(id);
	for (cpu = 0; cpu < 2; cpu++) {
		ASSERT_EQ(0, test_pin(cpu));
		test_target_call(variant->kind->function, CALLS + cpu);
	}
	test_ioctl_disable(id);
	test_ioctl_stats(id, c, self->s.nr_rings, &stats);
	while (test_session_next(&self->s, &rec)) {
		ASSERT_GT(2, rec.cpu);
		seen[rec.cpu]++;
	}
	for (cpu = 0; cpu < 2; cpu++) {
		EXPECT_EQ(CALLS + cpu, c[cpu].hits);
		EXPECT_EQ(CALLS + cpu, c[cpu].written);
		EXPECT_EQ(CALLS + cpu, seen[cpu]);
	}
}

TEST_HARNESS_MAIN
