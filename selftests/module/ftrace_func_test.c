// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of func probes: entries of one function and of many, beside other tracers of the same
 * functions, in modules that are unloaded, and of functions that the handlers call.
 *
 * The kernel patches code that another CPU may be executing. In an emulator this needs CPUs
 * that run in turns: selftests/lab/run --tcg-single.
 */
#include "selftests/module/func_harness.h"

#include <sys/prctl.h>

#define CALLS		100
#define LATE		"tap_deferred"

#define OP_FUNC		OP(TAP_OP_VAR, TAP_OP_OUT, 0, 8, TAP_VAR_FUNC, 0)
/* The kernel's call is in the first bytes of a function. */
#define FUNC_BYTES	16

FIXTURE(func)
{
	struct test_session s;
	int target;
};

FIXTURE_SETUP(func)
{
	test_setup();
	test_module_unload(LATE);
	test_session_open(_metadata, &self->s, 1 << 20);
}

FIXTURE_TEARDOWN(func)
{
	test_teardown();
}

#define test_create_many(id, addrs, nr, ...)				\
	ASSERT_EQ(0, create_many(self->s.fd, id, addrs, nr, OPS(__VA_ARGS__))) \
		TH_LOG("cannot create: %s", strerror(errno))

static bool is_in(__u64 word, __u64 addr)
{
	return word >= addr && word < addr + FUNC_BYTES;
}

static __u64 missed(struct __test_metadata *_metadata,
		    const struct test_session *s, __u32 id)
{
	struct tap_counters all[TEST_MAX_RINGS];
	struct tap_stats stats;

	ASSERT_EQ(0, _test_ioctl_stats(s->fd, id, all, s->nr_rings, &stats));
	return stats.out_nmissed;
}

/*
 * The probes of the next test: with the function's address, with the task's name, number of
 * arguments.
 */
#define has_func(i)	((i) & 1)
#define has_comm(i)	((i) >> 1 & 1)
#define nr_args(i)	((i) >> 2)

/* Plain probes have handlers of their own, with and without the function's address. */
TEST_F_TIMEOUT(func, any_number_of_arguments_is_recorded, 120)
{
	static const char comm[TAP_COMM_LEN] = "name";
	unsigned int i, arg, nr, seen;
	struct tap_op ops[8];
	struct test_record rec;
	__u64 six;
	__u32 id;

	six = symbol(_metadata, "tap_target_six");
	ASSERT_EQ(0, prctl(PR_SET_NAME, comm));
	for (i = 0; i < 4 * 7; i++) {
		nr = 0;
		if (has_func(i))
			ops[nr++] = (struct tap_op)OP_FUNC;
		for (arg = 0; arg < nr_args(i); arg++)
			ops[nr++] = (struct tap_op)OP_ARG(arg);
		if (has_comm(i))
			ops[nr++] = (struct tap_op)OP_COMM;
		ASSERT_EQ(0, _test_ioctl_create(self->s.fd, &id, TAP_PROBE_FUNC,
						"tap_target_six", ops, nr));
		/* Each is alone at the function for a while. */
		test_ioctl_enable(id);
		test_target_call(TAP_TARGET_SIX, 1);
	}
	test_ioctl_disable(0);
	for (seen = 0; test_session_next(&self->s, &rec); seen++) {
		i = rec.probe - 1;
		nr = has_func(i);
		if (nr)
			EXPECT_TRUE(is_in(rec.word[0], six));
		for (arg = 0; arg < nr_args(i); arg++)
			EXPECT_EQ(TAP_TARGET_ARG(arg), rec.word[nr++]);
		if (has_comm(i))
			EXPECT_EQ(0, memcmp(comm, &rec.word[nr], sizeof(comm)));
	}
	EXPECT_EQ(28 * 29 / 2, seen);
}

TEST_F_TIMEOUT(func, arguments_come_in_any_order, 120)
{
	struct test_record rec;
	__u64 six;
	__u32 id;

	six = symbol(_metadata, "tap_target_six");
	test_ioctl_create(&id, TAP_PROBE_FUNC, "tap_target_six", OP_ARG(5),
			  OP_ARG(0), OP_ARG(2));
	test_ioctl_create(&id, TAP_PROBE_FUNC, "tap_target:tap_target_six",
			  OP_ARG(4), OP_FUNC, OP_ARG(1));
	test_ioctl_enable(0);
	test_target_call(TAP_TARGET_SIX, 1);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	if (rec.probe != id) {
		EXPECT_EQ(TAP_TARGET_ARG(5), rec.word[0]);
		EXPECT_EQ(TAP_TARGET_ARG(0), rec.word[1]);
		EXPECT_EQ(TAP_TARGET_ARG(2), rec.word[2]);
		ASSERT_TRUE(test_session_next(&self->s, &rec));
	}
	EXPECT_EQ(id, rec.probe);
	EXPECT_EQ(TAP_TARGET_ARG(4), rec.word[0]);
	EXPECT_TRUE(is_in(rec.word[1], six));
	EXPECT_EQ(TAP_TARGET_ARG(1), rec.word[2]);
}

TEST_F_TIMEOUT(func, one_probe_has_many_functions, 120)
{
	static const char *const names[] = { "tap_target_add", "tap_target_six",
					     "tap_target_fail" };
	struct tap_probe_info info;
	struct test_record rec;
	__u64 addrs[4];
	__u32 id, i, j;

	for (i = 0; i < 3; i++)
		addrs[i] = symbol(_metadata, names[i]);
	/* The same function twice does no harm. */
	addrs[3] = addrs[0];
	test_create_many(&id, addrs, 4, OP_FUNC, OP_ARG(0));
	test_ioctl_probe_info(id, NULL, 0, &info);
	EXPECT_EQ(0, strcmp("many", info.out_target));
	EXPECT_EQ(TAP_PROBE_FUNC, info.out_type);
	test_ioctl_enable(id);
	EXPECT_EQ(TAP_STATE_ENABLED, test_state(_metadata, &self->s, id));
	test_target_call(TAP_TARGET_ADD, 1);
	test_target_call(TAP_TARGET_SIX, 2);
	test_target_call(TAP_TARGET_FAIL, 3);
	for (i = 0; i < 3; i++)
		for (j = 0; j <= i; j++) {
			ASSERT_TRUE(test_session_next(&self->s, &rec));
			EXPECT_TRUE(is_in(rec.word[0], addrs[i]));
			EXPECT_EQ(i == 1 ? TAP_TARGET_ARG(0) : j, rec.word[1]);
		}
	test_ioctl_disable(id);
	test_target_call(TAP_TARGET_ADD, 1);
	EXPECT_FALSE(test_session_next(&self->s, &rec));
	EXPECT_EQ(6, test_counters(_metadata, &self->s, id).hits);
}

/* The function's address as a key, and its value in a test. */
TEST_F_TIMEOUT(func, which_function_it_is_can_be_asked_for, 120)
{
	const struct tap_op reject[] = {
		OP(TAP_OP_VAR, 0, 0, 8, TAP_VAR_FUNC, 0),
		OP(TAP_OP_AND, 0, TAP_OP_IMM_SRC, 8, 0, ~(__u64)(FUNC_BYTES - 1)),
		OP_REJECT_IF(TAP_OP_JNE, 0, symbol(_metadata, "tap_target_six") &
			     ~(__u64)(FUNC_BYTES - 1)),
		OP_FUNC,
	};
	struct tap_counters sum;
	__u64 addrs[2];
	__u32 id;

	addrs[0] = symbol(_metadata, "tap_target_add");
	addrs[1] = symbol(_metadata, "tap_target_six");
	ASSERT_EQ(0, create_many(self->s.fd, &id, addrs, 2, reject,
				 ARRAY_SIZE(reject)));
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_ADD, 5);
	test_target_call(TAP_TARGET_SIX, 7);
	test_ioctl_disable(id);
	sum = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(12, sum.hits);
	EXPECT_EQ(5, sum.filtered);
	EXPECT_EQ(7, sum.written);
}

TEST_F_TIMEOUT(func, what_it_has_not_is_refused, 120)
{
	__u64 add = symbol(_metadata, "tap_target_add"), addrs[2] = { add, 8 };
	struct tap_create create = test_create_arg(TAP_PROBE_FUNC, "add", NULL, 0);

	test_err_ioctl_create(EOPNOTSUPP, TAP_PROBE_FUNC, "tap_target_add", OP_REG(0));
	test_err_ioctl_create(EOPNOTSUPP, TAP_PROBE_FUNC, "tap_target_add", OP_RETVAL);
	test_err_ioctl_create(EOPNOTSUPP, TAP_PROBE_KPROBE, "tap_target_add", OP_FUNC);
	test_err_ioctl_create(ENOENT, TAP_PROBE_FUNC, "no_such_function", OP_FUNC);
	test_err_ioctl_create(ENOENT, TAP_PROBE_FUNC, "tap_target_add+4", OP_FUNC);
	test_err_ioctl_create(EADDRNOTAVAIL, TAP_PROBE_FUNC, "jiffies", OP_FUNC);
	test_err_ioctl_create(EADDRNOTAVAIL, TAP_PROBE_FUNC, "tap_event_program", OP_FUNC);
	EXPECT_ERRNO(EADDRNOTAVAIL, create_many(self->s.fd, NULL, addrs, 2, NULL, 0));
	EXPECT_ERRNO(EINVAL, create_many(self->s.fd, NULL, NULL, 1, NULL, 0));
	EXPECT_ERRNO(EINVAL, create_many(self->s.fd, NULL, addrs, 0, NULL, 0));
	EXPECT_ERRNO(EINVAL, create_many(self->s.fd, NULL, addrs, TAP_MAX_ADDRS + 1,
					 NULL, 0));
	EXPECT_ERRNO(EFAULT, create_many(self->s.fd, NULL, (__u64 *)8, 2, NULL, 0));
	create = test_create_arg(TAP_PROBE_KPROBE, "tap_target_add", NULL, 0);
	create.addrs = (uintptr_t)addrs;
	create.nr_addrs = 1;
	EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
}

/*
 * Without CAP_SYSLOG addresses are refused, so that none can be guessed. A name is allowed;
 * its address is not reported.
 */
TEST_F_TIMEOUT(func, who_may_see_no_addresses_names_a_function, 120)
{
	__u64 add = symbol(_metadata, "tap_target_add");
	struct test_record rec;
	__u32 id;

	test_session_close(&self->s);
	ASSERT_EQ(0, test_keep_caps(1ULL << CAP_PERFMON | 1ULL << CAP_DAC_OVERRIDE));
	test_session_open(_metadata, &self->s, 4096);
	EXPECT_ERRNO(EPERM, create_many(self->s.fd, NULL, &add, 1, NULL, 0));
	test_ioctl_create(&id, TAP_PROBE_FUNC, "tap_target_add", OP_FUNC, OP_ARG(1));
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_ADD, 1);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(0, rec.word[0]);
	EXPECT_EQ(TAP_TARGET_ADDEND, rec.word[1]);
	EXPECT_NE(0, rec.flags & TAP_F_REDACTED);
}

TEST_F_TIMEOUT(func, the_context_of_a_hit_is_said, 120)
{
	static const struct {
		__u32 function;
		__u32 in;
	} context[] = {
		{ TAP_TARGET_ADD, 0 },
		{ TAP_TARGET_HARDIRQ, TAP_F_HARDIRQ },
		{ TAP_TARGET_SOFTIRQ, TAP_F_SOFTIRQ },
	};
	struct test_record rec;
	unsigned int i, seen;
	__u64 addrs[2];
	__u32 id;

	addrs[0] = symbol(_metadata, "tap_target_add");
	addrs[1] = symbol(_metadata, "tap_target_irq");
	test_create_many(&id, addrs, 2, OP_FUNC);
	test_create_many(&id, addrs, 2, OP_COMM, OP_COMM, OP_COMM);
	test_ioctl_enable(0);
	for (i = 0; i < ARRAY_SIZE(context); i++) {
		test_target_call(context[i].function, 10);
		for (seen = 0; test_session_next(&self->s, &rec); seen++) {
			__u32 in = rec.flags & (context[i].in ?:
				TAP_F_SOFTIRQ | TAP_F_HARDIRQ | TAP_F_NMI);

			EXPECT_EQ(!!context[i].in, !!in);
		}
		EXPECT_EQ(20, seen);
	}
}

TEST_F_TIMEOUT(func, flags_of_the_context_are_those_of_the_record, 120)
{
	static const __u32 functions[] = { TAP_TARGET_ADD, TAP_TARGET_HARDIRQ, TAP_TARGET_SOFTIRQ };
	static const __u32 flags[] = { TAP_F_HARDIRQ, TAP_F_SOFTIRQ, TAP_F_NMI };
	unsigned int i, k, hits = 0, seen = 0;
	struct test_record rec;
	__u64 addrs[2];
	__u32 id;

	addrs[0] = symbol(_metadata, "tap_target_add");
	addrs[1] = symbol(_metadata, "tap_target_irq");
	test_create_many(&id, addrs, 2, OP_FUNC,
			 OP(TAP_OP_VAR, TAP_OP_OUT, 0, 8, TAP_VAR_FLAGS, TAP_F_HARDIRQ),
			 OP(TAP_OP_VAR, TAP_OP_OUT, 0, 8, TAP_VAR_FLAGS, TAP_F_SOFTIRQ),
			 OP(TAP_OP_VAR, TAP_OP_OUT, 0, 8, TAP_VAR_FLAGS, TAP_F_NMI));
	test_ioctl_enable(0);
	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		test_target_call(functions[i], 10);
		while (test_session_next(&self->s, &rec)) {
			for (k = 0; k < ARRAY_SIZE(flags); k++) {
				EXPECT_EQ(!!(rec.flags & flags[k]), rec.word[1 + k]);
				seen += rec.word[1 + k];
			}
			hits++;
		}
	}
	EXPECT_EQ(30, hits);
	EXPECT_LE(20, seen);
}

/* All tracers of the function see the same calls while others are added and removed. */
TEST_F_TIMEOUT(func, others_at_the_same_function_see_the_same, 120)
{
	const struct tap_op arg = OP_ARG(0);
	__u32 id[5], i;

	ASSERT_EQ(0, test_write_file(TRACEFS "set_ftrace_filter", "tap_target_add"));
	ASSERT_EQ(0, test_write_file(TRACEFS "current_tracer", "function"));
	for (i = 0; i < 5; i++)
		ASSERT_EQ(0, _test_ioctl_create(self->s.fd, &id[i],
			i < 3 ? TAP_PROBE_FUNC :
			i < 4 ? TAP_PROBE_KPROBE : TAP_PROBE_CALL,
			"tap_target_add", &arg, 1));
	test_ioctl_enable(0);
	test_target_call(TAP_TARGET_ADD, CALLS);
	ASSERT_EQ(0, test_write_file(TRACEFS "current_tracer", "nop"));
	test_ioctl_disable(id[3]);
	test_ioctl_disable(id[4]);
	test_target_call(TAP_TARGET_ADD, CALLS);
	test_ioctl_disable(id[0]);
	test_ioctl_disable(id[2]);
	test_target_call(TAP_TARGET_ADD, CALLS);
	test_ioctl_disable(0);
	ASSERT_EQ(0, test_write_file(TRACEFS "set_ftrace_filter", ""));
	EXPECT_EQ(2 * CALLS, test_counters(_metadata, &self->s, id[0]).written);
	EXPECT_EQ(3 * CALLS, test_counters(_metadata, &self->s, id[1]).written);
	EXPECT_EQ(2 * CALLS, test_counters(_metadata, &self->s, id[2]).written);
	EXPECT_EQ(CALLS, test_counters(_metadata, &self->s, id[3]).written);
	EXPECT_EQ(CALLS, test_counters(_metadata, &self->s, id[4]).written);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, missed(_metadata, &self->s, id[i]));
}

/* A function that the handler itself calls is counted as missed, without endless recursion. */
TEST_F_TIMEOUT(func, what_handlers_call_is_no_trap, 120)
{
	static const char *const names[] = {
		"copy_from_kernel_nofault", "copy_from_user_nofault",
		"tap_target_add",
	};
	struct tap_counters sum;
	__u64 addrs[ARRAY_SIZE(names)];
	__u32 id, i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		addrs[i] = symbol(_metadata, names[i]);
	test_create_many(&id, addrs, ARRAY_SIZE(names), OP_FUNC,
			 OP(TAP_OP_IMM, 0, 0, 8, 0, 8),
			 OP(TAP_OP_LOAD, TAP_OP_OUT, 0, 8, 0, 0),
			 OP(TAP_OP_LOAD_USER, TAP_OP_OUT, 0, 8, 0, 0),
			 OP(TAP_OP_KSTACK, TAP_OP_OUT, 0, 0, 0, 80));
	test_create_many(&id, addrs, ARRAY_SIZE(names),
			 OP(TAP_OP_IMM, 0, 0, 8, 0, 1ULL << 63),
			 OP(TAP_OP_LOAD, TAP_OP_OUT, 0, 8, 0, 0));
	test_ioctl_enable(0);
	test_target_call(TAP_TARGET_ADD, CALLS);
	test_ioctl_disable(0);
	sum = test_counters(_metadata, &self->s, id);
	EXPECT_LE(CALLS, sum.hits);
	for (i = 1; i <= id; i++)
		EXPECT_LE(CALLS, missed(_metadata, &self->s, i));
}

/* Many functions with a program that does everything; the machine keeps running. */
TEST_F_TIMEOUT(func, a_thousand_functions_are_armed_at_once, 120)
{
	static __u64 addrs[1000];
	__u64 begin, armed, gone;
	unsigned int nr;
	__u32 id;

	nr = traceable(_metadata, addrs, ARRAY_SIZE(addrs));
	ASSERT_EQ(ARRAY_SIZE(addrs), nr);
	test_create_many(&id, addrs, nr, OP_FUNC, OP_ARG(0), OP_COMM,
			 OP(TAP_OP_KSTACK, TAP_OP_OUT, 0, 0, 0, 80));
	begin = test_now_ms();
	test_ioctl_enable(id);
	armed = test_now_ms();
	test_target_call(TAP_TARGET_ADD, CALLS);
	usleep(100000);
	gone = test_now_ms();
	test_ioctl_disable(id);
	gone = test_now_ms() - gone;
	TH_LOG("1000 functions armed in %llu ms, gone in %llu ms", armed - begin, gone);
	EXPECT_LT(0, test_counters(_metadata, &self->s, id).hits);
}

/* The functions are so many that the table of their group has some by a search. */
TEST_F_TIMEOUT(func, a_group_leads_each_event_to_its_probe, 240)
{
	static __u64 addrs[1000];
	const struct tap_op ops[] = { OP_FUNC };
	unsigned int i, nr, events = 0, others = 0, wrong = 0;
	struct test_record rec;
	__u32 id, last = 0;

	nr = traceable(_metadata, addrs, ARRAY_SIZE(addrs));
	ASSERT_EQ(ARRAY_SIZE(addrs), nr);
	for (i = 0; i < nr; i++) {
		ASSERT_EQ(0, create_many(self->s.fd, &id, &addrs[i], 1, ops, 1));
		ASSERT_EQ(i + 1, id);
	}
	test_ioctl_enable(0);
	/* What the kernel does anyway, on files, processes and memory. */
	for (i = 0; i < 20; i++) {
		free(malloc(1 << 20));
		close(open("/proc/self/maps", O_RDONLY | O_CLOEXEC));
		usleep(1000);
	}
	/* One leaves, and its function leads nowhere. */
	test_ioctl_disable(500);
	while (test_session_next(&self->s, &rec)) {
		if (rec.kind != TAP_KIND_EVENT)
			continue;
		events++;
		others += rec.probe != last;
		last = rec.probe;
		wrong += rec.probe > nr || !is_in(rec.word[0], addrs[rec.probe - 1]);
	}
	test_ioctl_disable(0);
	TH_LOG("%u events, %u changes of the probe", events, others);
	EXPECT_LT(20, others);
	EXPECT_EQ(0, wrong);
}

TEST_F_TIMEOUT(func, nothing_is_lost_unsaid_while_two_cpus_call, 120)
{
	const struct tap_op arg = OP_ARG(0);
	struct tap_counters sum;
	__u64 calls, events = 0, gaps = 0, pending;
	unsigned int i;
	__u32 id;

	test_session_close(&self->s);
	test_session_open(_metadata, &self->s, 65536);
	ASSERT_EQ(0, _test_ioctl_create(self->s.fd, &id, TAP_PROBE_FUNC,
					"tap_target_add", &arg, 1));
	test_ioctl_enable(id);
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_STORM, 0, 0, i, NULL));
	for (i = 0; i < 100; i++) {
		events += test_session_drain(&self->s, &gaps);
		usleep(2000);
	}
	ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_CALM, 0, 0, 0, &calls));
	test_ioctl_disable(id);
	events += test_session_drain(&self->s, &gaps);
	test_ioctl_flush(&pending);
	events += test_session_drain(&self->s, &gaps);
	sum = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(calls, sum.hits);
	EXPECT_EQ(0, missed(_metadata, &self->s, id));
	EXPECT_EQ(events, sum.written);
	EXPECT_EQ(gaps, sum.lost_full + sum.lost_nested);
}

TEST_F_TIMEOUT(func, they_come_and_go_while_two_cpus_call, 120)
{
	const struct tap_op ops[] = { OP_FUNC, OP_ARG(0), OP_COMM };
	struct tap_counters sum;
	unsigned int i;
	__u64 addrs[2];
	__u32 id;

	addrs[0] = symbol(_metadata, "tap_target_add");
	addrs[1] = symbol(_metadata, "tap_target_six");
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_STORM, 0, 0, i, NULL));
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, create_many(self->s.fd, &id, addrs, 2, ops, 1 + i % 3));
		test_ioctl_enable(id);
		usleep(3000 * i);
		test_session_drain(&self->s, NULL);
		test_ioctl_disable(id);
		sum = test_counters(_metadata, &self->s, id);
		usleep(1000);
		/* No event comes afterwards. */
		EXPECT_EQ(sum.hits, test_counters(_metadata, &self->s, id).hits);
		if (i & 1)
			test_ioctl_delete(id);
	}
	test_ioctl_enable(0);
	test_session_close(&self->s);
	EXPECT_EQ(0, test_module_refs("tapmod"));
}

/* Functions of an unloaded module leave the filter; without any function the probe is gone. */
/* Functions of a module whose notifiers may have run already are as those that are gone. */
TEST_F_TIMEOUT(func, a_module_that_is_going_is_gone, 120)
{
	const struct tap_op ops[] = { OP_FUNC };
	__u64 addr;
	int status, tries;
	pid_t child;

	test_need_module(LATE);
	ASSERT_EQ(0, test_module_load(LATE, "linger=3000")) TH_LOG("%s", strerror(errno));
	addr = symbol(_metadata, "tap_deferred_function");
	child = fork();
	if (!child)
		_exit(test_module_unload(LATE) != 0);
	for (tries = 0; tries < 1000 && !test_module_is_going(LATE); tries++)
		usleep(1000);
	EXPECT_ERRNO(EADDRNOTAVAIL, create_many(self->s.fd, NULL, &addr, 1, ops, 1));
	EXPECT_ERRNO(ENOENT, _test_ioctl_create(self->s.fd, NULL, TAP_PROBE_FUNC,
						LATE ":tap_deferred_function", ops, 1));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
}

TEST_F_TIMEOUT(func, a_module_may_go, 120)
{
	const struct tap_op ops[] = { OP_FUNC };
	__u32 both, late, name;
	__u64 addrs[2];

	test_need_module(LATE);
	ASSERT_EQ(0, test_module_load(LATE, "storm=1")) TH_LOG("%s", strerror(errno));
	addrs[0] = symbol(_metadata, "tap_deferred_function");
	addrs[1] = symbol(_metadata, "tap_target_add");
	ASSERT_EQ(0, create_many(self->s.fd, &both, addrs, 2, ops, 1));
	ASSERT_EQ(0, create_many(self->s.fd, &late, addrs, 1, ops, 1));
	test_ioctl_create(&name, TAP_PROBE_FUNC, LATE ":tap_deferred_function", OP_FUNC);
	test_ioctl_enable(0);
	usleep(50000);
	ASSERT_EQ(0, test_module_unload(LATE)) TH_LOG("%s", strerror(errno));
	EXPECT_LT(0, test_counters(_metadata, &self->s, both).hits);
	EXPECT_LT(0, test_counters(_metadata, &self->s, late).hits);
	EXPECT_LT(0, test_counters(_metadata, &self->s, name).hits);
	EXPECT_EQ(TAP_STATE_ENABLED, test_state(_metadata, &self->s, both));
	EXPECT_EQ(TAP_STATE_GONE, test_state(_metadata, &self->s, late));
	EXPECT_EQ(TAP_STATE_GONE, test_state(_metadata, &self->s, name));
	test_session_drain(&self->s, NULL);
	test_target_call(TAP_TARGET_ADD, CALLS);
	EXPECT_EQ(CALLS, test_session_drain(&self->s, NULL));
	/* Another module is loaded at the same address, or close to it. */
	ASSERT_EQ(0, test_module_load(LATE, ""));
	ASSERT_EQ(0, test_write_file("/sys/module/" LATE "/parameters/fire", "10"));
	EXPECT_EQ(0, test_session_drain(&self->s, NULL));
	test_ioctl_disable(0);
	test_err_ioctl_enable(ENOENT, late);
	test_ioctl_enable(both);
	test_ioctl_disable(0);
	test_module_unload(LATE);
}

TEST_HARNESS_MAIN
