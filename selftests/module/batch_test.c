// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of kprobe batches and groups of func probes: enough to be armed together, some of them
 * at the same function. Each has the events that it would have alone. They are enabled and
 * disabled one by one, and all together.
 */
#include "selftests/module/program_harness.h"

#define NR	20
#define CALLS	10
#define LATE	"tap_deferred"
#ifdef __x86_64__
#define FTRACE_ENABLED	"/proc/sys/kernel/ftrace_enabled"
#endif
#define REG_IP	128
#define OPTIMIZE	"/proc/sys/debug/kprobes-optimization"

FIXTURE(batch)
{
	struct test_session s;
	int target;
	__u32 id[NR];
};

static const char *function_of(unsigned int i)
{
	return i % 2 ? "tap_target_six" : "tap_target_add";
}

/* @word: word of the record with the value of @op; NR: there is no such value to check */
FIXTURE_VARIANT(batch)
{
	__u32 type;
	struct tap_op op;
	unsigned int word;
};

FIXTURE_VARIANT_ADD(batch, kprobe)
{
	.type = TAP_PROBE_KPROBE,
	.op = OP_ARG(1),
};

FIXTURE_VARIANT_ADD(batch, kretprobe)
{
	.type = TAP_PROBE_KRETPROBE,
	.op = OP_RETVAL,
	.word = NR,
};

FIXTURE_VARIANT_ADD(batch, call)
{
	.type = TAP_PROBE_CALL,
	.op = OP_ARG(1),
	.word = TAP_CALL_FETCHES,
};

FIXTURE_VARIANT_ADD(batch, func)
{
	.type = TAP_PROBE_FUNC,
	.op = OP_ARG(1),
};

FIXTURE_SETUP(batch)
{
	unsigned int i;

	test_setup();
	test_session_open(_metadata, &self->s, 1 << 20);
	for (i = 0; i < NR; i++)
		test_ioctl_create(&self->id[i], variant->type, function_of(i),
				  variant->op);
}

FIXTURE_TEARDOWN(batch)
{
	test_teardown();
}

static void call(struct __test_metadata *_metadata, int target)
{
	ASSERT_EQ(0, _test_target(target, TAP_TARGET_CALL, TAP_TARGET_ADD, CALLS,
				  0, NULL));
	ASSERT_EQ(0, _test_target(target, TAP_TARGET_CALL, TAP_TARGET_SIX, CALLS,
				  0, NULL));
}

TEST_F(batch, each_has_its_hits)
{
	unsigned int seen[NR + 1] = {}, i;
	struct test_record rec;

	test_ioctl_enable(0);
	call(_metadata, self->target);
	while (test_session_next(&self->s, &rec)) {
		ASSERT_LE(rec.probe, NR);
		if (variant->word < NR) {
			EXPECT_EQ(rec.probe % 2 ? TAP_TARGET_ADDEND :
						  TAP_TARGET_ARG(1),
				  rec.word[variant->word]);
		} else if (rec.probe % 2) {
			EXPECT_EQ(TAP_TARGET_ADDEND + seen[rec.probe],
				  rec.word[0]);
		}
		seen[rec.probe]++;
	}
	for (i = 0; i < NR; i++) {
		EXPECT_EQ(CALLS, seen[self->id[i]]);
		EXPECT_EQ(CALLS, test_counters(_metadata, &self->s, self->id[i]).hits);
	}
	for (i = 0; variant->type == TAP_PROBE_CALL && i < NR; i++)
		EXPECT_EQ(CALLS,
			  test_counters(_metadata, &self->s, self->id[i]).entered);
}

/* Neither silences the other: ftrace stays on while a batch is armed, and off before it. */
#ifdef __x86_64__
/* On arm64 each kprobe is a trap, which ftrace_enabled does not change. */
TEST_F(batch, is_not_silenced_by_ftrace_enabled)
{
	if (access(FTRACE_ENABLED, W_OK))
		SKIP(return, "no %s", FTRACE_ENABLED);
	if (variant->type != TAP_PROBE_KPROBE && variant->type != TAP_PROBE_FUNC)
		SKIP(return, "return probes may be armed one by one");
	if (test_write_file(FTRACE_ENABLED, "0") && errno == EOPNOTSUPP)
		SKIP(return, "this kernel never turns ftrace off");
	ASSERT_EQ(0, test_write_file(FTRACE_ENABLED, "1"));
	test_ioctl_enable(0);
	EXPECT_EQ(-1, test_write_file(FTRACE_ENABLED, "0"));
	call(_metadata, self->target);
	EXPECT_EQ(CALLS, test_counters(_metadata, &self->s, self->id[0]).hits);
	test_ioctl_disable(0);
	ASSERT_EQ(0, test_write_file(FTRACE_ENABLED, "0"));
	test_err_ioctl_enable(EBUSY, 0);
	ASSERT_EQ(0, test_write_file(FTRACE_ENABLED, "1"));
	test_ioctl_enable(0);
	call(_metadata, self->target);
	EXPECT_EQ(2 * CALLS, test_counters(_metadata, &self->s, self->id[0]).hits);
}

/* ip, caller and context of an event are those of a single kprobe. */
TEST_F(batch, a_hit_is_as_that_of_one_alone)
{
	struct test_record rec, alone;
	struct test_session one = self->s;
	unsigned int i;
	__u32 id;

	test_ioctl_create(&id, variant->type, "tap_target_add",
			  variant->type == TAP_PROBE_KPROBE ? OP_REG(REG_IP) :
							      variant->op,
			  OP(TAP_OP_KSTACK, TAP_OP_OUT, 0, 0, 0, 16));
	test_ioctl_enable(id);
	call(_metadata, self->target);
	ASSERT_TRUE(test_session_next(&one, &alone));
	test_session_drain(&one, NULL);
	test_ioctl_disable(id);
	test_ioctl_enable(0);
	call(_metadata, self->target);
	do {
		ASSERT_TRUE(test_session_next(&one, &rec));
	} while (rec.probe != id);
	EXPECT_EQ(alone.flags, rec.flags);
	for (i = variant->word % NR; i < 3 + variant->word % NR; i++)
		EXPECT_EQ(alone.word[i], rec.word[i]);
	self->s = one;
}

/* Return probes are armed in a batch only if the kernel has rethooks. */
static bool armed_together(const FIXTURE_DATA(batch) *self,
			   const FIXTURE_VARIANT(batch) *variant)
{
	return variant->type == TAP_PROBE_KPROBE || variant->type == TAP_PROBE_FUNC ||
	       !_test_ioctl_create(self->s.fd, NULL, TAP_PROBE_KPROBE,
				   "rethook_try_get", NULL, 0) ||
	       errno != ENOENT;
}

/*
 * The handler of another kprobe, which is a breakpoint, calls a function that a member of the
 * batch probes. Afterwards the kernel must find its own current_kprobe, to step over the
 * instruction. The program of the member calls the same function.
 */
TEST_F(batch, a_call_in_the_handler_of_another_kprobe_does_no_harm)
{
	struct tap_probe_info info;
	struct tap_stats stats;
	__u32 id, outer;

	test_ioctl_probe_info(self->id[0], NULL, 0, &info);
	ASSERT_EQ(0, test_write_file(OPTIMIZE, "0"));
	test_ioctl_create(&outer, TAP_PROBE_KPROBE, "tap_target_push",
			  IMM(1, info.out_address), STRING(1, 0, 8));
	test_ioctl_create(&id, variant->type, "copy_from_kernel_nofault",
			  IMM(1, info.out_address), STRING(1, 0, 8));
	test_ioctl_enable(0);
	EXPECT_EQ(0, _test_target(self->target, TAP_TARGET_CALL, TAP_TARGET_PUSH,
				  CALLS, 0, NULL));
	test_ioctl_disable(0);
	EXPECT_EQ(0, test_write_file(OPTIMIZE, "1"));
	EXPECT_EQ(CALLS, test_counters(_metadata, &self->s, outer).hits);
	if (armed_together(self, variant))
		EXPECT_LE(CALLS, test_counters(_metadata, &self->s, id).hits);
	/* Its own program calls the function again, which is missed. */
	test_ioctl_stats(id, NULL, 0, &stats);
	EXPECT_LE(CALLS, stats.out_nmissed);
}
#endif

TEST_F(batch, they_leave_one_by_one)
{
	unsigned int i;

	test_ioctl_enable(0);
	for (i = 0; i < NR; i++) {
		call(_metadata, self->target);
		EXPECT_EQ((NR - i) * CALLS, test_session_drain(&self->s, NULL));
		ASSERT_EQ(0, _test_ioctl_ref(self->s.fd, i % 3 ? TAP_IOC_DISABLE :
							 TAP_IOC_DELETE,
					     self->id[i]));
	}
	call(_metadata, self->target);
	EXPECT_EQ(0, test_session_drain(&self->s, NULL));
	/* One is enabled alone, the others together. */
	test_ioctl_enable(self->id[1]);
	call(_metadata, self->target);
	EXPECT_EQ(CALLS, test_session_drain(&self->s, NULL));
	test_ioctl_enable(0);
	call(_metadata, self->target);
	EXPECT_EQ((NR - (NR + 2) / 3) * CALLS, test_session_drain(&self->s, NULL));
}

TEST_F(batch, they_come_and_go_together)
{
	__u32 late;

	test_ioctl_enable(0);
	test_ioctl_create(&late, variant->type, "tap_target_add");
	test_ioctl_enable(0);
	call(_metadata, self->target);
	EXPECT_EQ((NR + 1) * CALLS, test_session_drain(&self->s, NULL));
	test_ioctl_disable(0);
	call(_metadata, self->target);
	EXPECT_EQ(0, test_session_drain(&self->s, NULL));
	test_ioctl_enable(0);
	call(_metadata, self->target);
	EXPECT_EQ((NR + 1) * CALLS, test_session_drain(&self->s, NULL));
}

TEST_F(batch, of_two_sessions_each_sees_everything)
{
	struct test_session other;
	unsigned int i;

	test_ioctl_enable(0);
	test_session_open(_metadata, &other, 1 << 20);
	for (i = 0; i < NR; i++)
		ASSERT_EQ(0, _test_ioctl_create(other.fd, NULL, variant->type,
						function_of(i),
						OPS(variant->op)));
	ASSERT_EQ(0, _test_ioctl_enable(other.fd, 0));
	call(_metadata, self->target);
	EXPECT_EQ(NR * CALLS, test_session_drain(&self->s, NULL));
	EXPECT_EQ(NR * CALLS, test_session_drain(&other, NULL));
	test_session_close(&other);
	call(_metadata, self->target);
	EXPECT_EQ(NR * CALLS, test_session_drain(&self->s, NULL));
}

TEST_F_TIMEOUT(batch, goes_on_when_a_module_goes, 60)
{
	__u32 id;

	test_need_module(LATE);
	ASSERT_EQ(0, test_module_load(LATE, ""));
	test_ioctl_create(&id, variant->type, "tap_deferred_function");
	test_ioctl_enable(0);
	ASSERT_EQ(0, test_write_file("/sys/module/tap_deferred/parameters/fire", "3"));
	EXPECT_EQ(3, test_session_drain(&self->s, NULL));
	ASSERT_EQ(0, test_module_unload(LATE));
	EXPECT_EQ(TAP_STATE_GONE, test_state(_metadata, &self->s, id));
	/* Loaded again, most likely at the same address. */
	ASSERT_EQ(0, test_module_load(LATE, ""));
	ASSERT_EQ(0, test_write_file("/sys/module/tap_deferred/parameters/fire", "3"));
	EXPECT_EQ(0, test_session_drain(&self->s, NULL));
	call(_metadata, self->target);
	EXPECT_EQ(NR * CALLS, test_session_drain(&self->s, NULL));
	test_ioctl_disable(0);
	/* All are enabled or none, and this one cannot be. */
	test_err_ioctl_enable(ENOENT, 0);
	call(_metadata, self->target);
	EXPECT_EQ(0, test_session_drain(&self->s, NULL));
	EXPECT_EQ(TAP_STATE_DISABLED,
		  test_state(_metadata, &self->s, self->id[0]));
	test_ioctl_delete(id);
	test_ioctl_enable(0);
	call(_metadata, self->target);
	EXPECT_EQ(NR * CALLS, test_session_drain(&self->s, NULL));
	ASSERT_EQ(0, test_module_unload(LATE));
}

TEST_HARNESS_MAIN
