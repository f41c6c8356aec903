// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of kernel stacks: each is the stack that the probed function sees itself, with every
 * type of probe and in every context.
 */
#include "selftests/module/stack_harness.h"

#if defined(__x86_64__)
#define WALKER		"unwind_next_frame"
/* Frames that perf reports at the entry of a function. */
#define PERF_FRAMES(nr)	(nr)
#elif defined(__aarch64__)
#define WALKER		"copy_from_kernel_nofault"
/* On this architecture the caller is in a register, and perf leaves it out. */
#define PERF_FRAMES(nr)	((nr) - 1)
#endif

#define INNER		"tap_target_inner"
#define MAX_FRAMES	60

/**
 * struct stack_kind - a type of probe that a chain of calls fires once
 * @type: enum tap_probe_type
 * @target: target of the probe
 * @ret: the stack is taken at the return
 * @first: word of the stack
 * @probes: number of such probes on the target
 */
struct stack_kind {
	__u32 type;
	const char *target;
	bool ret;
	unsigned int first;
	unsigned int probes;
};

FIXTURE(kstack)
{
	struct test_session s;
	int target;
};

FIXTURE_VARIANT(kstack)
{
	struct stack_kind kind;
};

#define STACK_KIND(name, ...)						\
	FIXTURE_VARIANT_ADD(kstack, name) { .kind = { __VA_ARGS__ } }

STACK_KIND(kprobe, TAP_PROBE_KPROBE, INNER, false, 0, 1);
STACK_KIND(two_kprobes, TAP_PROBE_KPROBE, INNER, false, 0, 2);
STACK_KIND(kretprobe, TAP_PROBE_KRETPROBE, INNER, true, 0, 1);
STACK_KIND(call_entry, TAP_PROBE_CALL, INNER, false, TAP_CALL_FETCHES, 1);
STACK_KIND(call_return, TAP_PROBE_CALL, INNER, true, TAP_CALL_FETCHES, 1);
STACK_KIND(rawtp, TAP_PROBE_RAWTP, "tap_target_event", false, 0, 1);
STACK_KIND(two_rawtps, TAP_PROBE_RAWTP, "tap_target_event", false, 0, 2);
STACK_KIND(tracepoint, TAP_PROBE_TRACEPOINT, "tap_target:tap_target_event",
	   false, 0, 1);

FIXTURE_SETUP(kstack)
{
	test_setup();
	if (variant->kind.type == TAP_PROBE_RAWTP)
		test_need_raw_tracepoints();
	test_session_open(_metadata, &self->s, 65536);
}

FIXTURE_TEARDOWN(kstack)
{
	test_teardown();
}

static void kstack_create(struct __test_metadata *_metadata,
			  const FIXTURE_DATA(kstack) *self,
			  const FIXTURE_VARIANT(kstack) *variant)
{
	const struct stack_kind *kind = &variant->kind;
	const struct tap_op ops[] = { OP(TAP_OP_RETURN, 0, 0, 0, 0, 0),
				      OP_KSTACK(MAX_FRAMES) };
	bool whole = kind->type == TAP_PROBE_CALL && kind->ret;
	unsigned int i;

	for (i = 0; i < kind->probes; i++)
		ASSERT_EQ(0, _test_ioctl_create(self->s.fd, NULL, kind->type,
						kind->target, ops + !whole,
						1 + whole));
	test_ioctl_enable(0);
}

/*
 * Compares the record's stack with the one that tap_target_inner() saved. Some kernels cannot
 * unwind through the kretprobe trampoline. If only our probe follows a return, the saved stack
 * is too short to be compared with; if several are followed (@followed), ours ends there, too.
 */
static void kstack_compare(struct __test_metadata *_metadata,
			   const FIXTURE_DATA(kstack) *self,
			   const struct stack_kind *kind,
			   const struct test_record *rec, bool followed)
{
	struct stack stack = test_stack(rec, kind->first);
	__u64 seen[TAP_TARGET_FRAMES];
	struct tap_target_run run = { .arg = { (uintptr_t)seen } };
	const __u64 *at = stack.at;
	unsigned int i, nr = stack.nr;
	bool lost;

	ASSERT_EQ(0, ioctl(self->target, TAP_TARGET_STACK, &run));
	ASSERT_LT(0, run.out_result);
	lost = test_within("kretprobe_trampoline", seen[run.out_result - 1]);
	if (lost && followed)
		SKIP(return, "this kernel cannot unwind through the kretprobe trampoline");
	EXPECT_FALSE(rec->broken);
	EXPECT_FALSE(stack.absent);
	EXPECT_FALSE(stack.truncated);
	EXPECT_EQ(0, rec->flags & (TAP_F_ABSENT | TAP_F_TRUNCATED));
	if (!kind->ret) {
		EXPECT_TRUE(test_within(INNER, at[0]));
		at++;
		nr--;
	}
	if (lost) {
		ASSERT_LT(2, nr);
	} else {
		ASSERT_EQ(run.out_result - 1, nr);
	}
	for (i = 0; i < nr && !lost; i++)
		EXPECT_EQ(seen[i + 1], at[i])
			TH_LOG("frame %u of %u", i, nr);
	for (i = stack.nr; i < MAX_FRAMES; i++)
		EXPECT_EQ(0, stack.at[i]);
	/* Both being wrong in the same way is excluded here. */
	EXPECT_TRUE(test_within("tap_target_middle", at[0]));
	EXPECT_TRUE(test_within("tap_target_outer", at[1]));
}

static void kstack_in(struct __test_metadata *_metadata,
		      FIXTURE_DATA(kstack) *self,
		      const FIXTURE_VARIANT(kstack) *variant, __u64 context,
		      __u32 flag)
{
	struct tap_target_run run = {
		.function = TAP_TARGET_CHAIN, .count = 1, .arg = { context },
	};
	struct test_record rec;
	unsigned int i;

	kstack_create(_metadata, self, variant);
	ASSERT_EQ(0, test_pin(0));
	ASSERT_EQ(0, ioctl(self->target, TAP_TARGET_CALL, &run));
	for (i = 0; i < variant->kind.probes; i++) {
		ASSERT_TRUE(test_session_next(&self->s, &rec));
		EXPECT_TRUE(!flag || rec.flags & flag);
		kstack_compare(_metadata, self, &variant->kind, &rec, false);
	}
	EXPECT_FALSE(test_session_next(&self->s, &rec));
}

TEST_F(kstack, is_what_the_function_sees_in_a_system_call)
{
	kstack_in(_metadata, self, variant, TAP_TARGET_IN_TASK, 0);
}

TEST_F(kstack, is_what_the_function_sees_in_a_hard_interrupt)
{
	kstack_in(_metadata, self, variant, TAP_TARGET_IN_HARDIRQ,
		  TAP_F_HARDIRQ);
}

TEST_F(kstack, is_what_the_function_sees_in_a_softirq)
{
	kstack_in(_metadata, self, variant, TAP_TARGET_IN_SOFTIRQ,
		  TAP_F_SOFTIRQ);
}

/*
 * Return probes on the whole chain: the return addresses on the stack are those of the
 * trampoline.
 */
TEST_F(kstack, is_of_the_functions_where_they_are_followed_to_their_return)
{
	struct tap_target_run run = { .function = TAP_TARGET_CHAIN, .count = 1 };
	struct test_record rec;
	struct test_session other;

	test_session_open(_metadata, &other, 4096);
	ASSERT_EQ(0, _test_ioctl_create(other.fd, NULL, TAP_PROBE_KRETPROBE,
					"tap_target_outer", NULL, 0));
	ASSERT_EQ(0, _test_ioctl_create(other.fd, NULL, TAP_PROBE_CALL,
					"tap_target_middle", NULL, 0));
	ASSERT_EQ(0, _test_ioctl_create(other.fd, NULL, TAP_PROBE_KRETPROBE,
					INNER, NULL, 0));
	ASSERT_EQ(0, _test_ioctl_enable(other.fd, 0));
	kstack_create(_metadata, self, variant);
	ASSERT_EQ(0, ioctl(self->target, TAP_TARGET_CALL, &run));
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	kstack_compare(_metadata, self, &variant->kind, &rec, true);
	test_session_close(&other);
}

FIXTURE(stack)
{
	struct test_session s;
	int target;
};

FIXTURE_SETUP(stack)
{
	test_setup();
	test_session_open(_metadata, &self->s, 1 << 20);
}

FIXTURE_TEARDOWN(stack)
{
	test_teardown();
}

#ifdef __x86_64__
/* Where an instruction of one byte moves the stack pointer: as a trap and as a jump. */
TEST_F(stack, is_right_at_every_instruction)
{
	static const char *const places[] = {
		"tap_target_push", "tap_target_push+1", "tap_target_push+4",
		"tap_target_push+7", "tap_target_push+8",
	};
	static const unsigned int offsets[] = { 0, 1, 4, 7, 8 };
	struct test_record *recs = calloc(11, sizeof(*recs));
	__u64 begin = test_symbol("tap_target_push");
	unsigned int i, round;
	struct stack is, want;
	__u32 id;

	ASSERT_NE(NULL, recs);
	ASSERT_EQ(0, test_pin(0));
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		test_ioctl_create(&id, TAP_PROBE_KPROBE, places[i], OP_KSTACK(30));
		test_ioctl_enable(id);
		for (round = 0; round < 2; round++) {
			test_target_call(TAP_TARGET_PUSH, 1);
			/* The kernel replaces it by a jump after a moment, if it can. */
			usleep(300000);
		}
		test_ioctl_delete(id);
	}
	test_ioctl_create(&id, TAP_PROBE_KRETPROBE, places[0], OP_KSTACK(30));
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_PUSH, 1);
	for (i = 0; i < 11; i++)
		ASSERT_TRUE(test_session_next(&self->s, &recs[i]));
	/* At the return, the stack is that of the caller. */
	want = test_stack(&recs[10], 0);
	ASSERT_LT(3, want.nr);
	for (i = 0; i < 10; i++) {
		is = test_stack(&recs[i], 0);
		EXPECT_FALSE(is.absent);
		EXPECT_EQ(begin + offsets[i / 2], is.at[0]);
		ASSERT_EQ(want.nr + 1, is.nr)
			TH_LOG("at %s", places[i / 2]);
		EXPECT_EQ(0, memcmp(is.at + 1, want.at, want.nr * 8))
			TH_LOG("at %s, %s", places[i / 2],
			       i % 2 ? "later" : "at first");
	}
	free(recs);
}
#endif

TEST_F(stack, that_is_too_long_is_cut_and_says_so)
{
	struct test_record rec;
	struct stack stack;
	__u32 id;

	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_recurse",
			  OP(TAP_OP_ARG, 0, 0, 8, 0, 0),
			  OP_REJECT_IF(TAP_OP_JNE, 0, 0),
			  OP_KSTACK(1), OP_KSTACK(21), OP_KSTACK(127), OP_ARG(0));
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_RECURSE, 100);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_FALSE(rec.broken);
	EXPECT_EQ(TAP_F_TRUNCATED, rec.flags & (TAP_F_TRUNCATED | TAP_F_ABSENT));
	stack = test_stack(&rec, 0);
	EXPECT_EQ(1, stack.nr);
	EXPECT_TRUE(stack.truncated);
	stack = test_stack(&rec, 2);
	EXPECT_EQ(21, stack.nr);
	EXPECT_TRUE(stack.truncated);
	EXPECT_TRUE(test_all_within("tap_target_recurse", &stack, 21));
	stack = test_stack(&rec, 2 + 22);
	EXPECT_LT(103, stack.nr);
	EXPECT_GT(127, stack.nr);
	EXPECT_FALSE(stack.truncated);
	EXPECT_TRUE(test_all_within("tap_target_recurse", &stack, 101));
	EXPECT_FALSE(test_within("tap_target_recurse", stack.at[101]));
	/* The words behind the stack are in their places. */
	EXPECT_EQ(0, rec.word[2 + 22 + 128]);
}

TEST_F(stack, is_hidden_from_those_who_may_not_see_addresses)
{
	struct test_session s;
	struct test_record rec;
	struct stack stack;
	unsigned int i;

	ASSERT_EQ(0, test_keep_caps(BIT(CAP_DAC_OVERRIDE) | BIT(CAP_PERFMON)));
	test_session_open(_metadata, &s, 65536);
	ASSERT_EQ(0, _test_ioctl_create(s.fd, NULL, TAP_PROBE_KPROBE, INNER,
					OPS(OP_KSTACK(8), OP_USTACK(8), OP_COMM)));
	ASSERT_EQ(0, _test_ioctl_enable(s.fd, 0));
	test_target_call(TAP_TARGET_CHAIN, 1);
	ASSERT_TRUE(test_session_next(&s, &rec));
	EXPECT_EQ(TAP_F_REDACTED | TAP_F_ABSENT,
		  rec.flags & (TAP_F_REDACTED | TAP_F_ABSENT));
	EXPECT_EQ(TAP_TEXT_ABSENT, rec.word[0]);
	for (i = 1; i <= 8; i++)
		EXPECT_EQ(0, rec.word[i]);
	/* User addresses are not hidden. */
	stack = test_stack(&rec, 9);
	EXPECT_LT(0, stack.nr);
	EXPECT_NE(0, stack.at[0]);
	EXPECT_EQ(0, memcmp("stack_test", &rec.word[18], 10));
	test_session_close(&s);
}

TEST_F(stack, of_a_kernel_thread_has_no_program)
{
	struct test_record rec;
	struct stack stack;
	__u32 id;

	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_add", OP_KSTACK(20),
			  OP_USTACK(20));
	test_ioctl_enable(id);
	ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_STORM, TAP_TARGET_ADD,
				  0, 0, NULL));
	usleep(20000);
	ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_CALM, 0, 0, 0, NULL));
	test_ioctl_disable(id);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	stack = test_stack(&rec, 0);
	EXPECT_FALSE(stack.absent);
	ASSERT_LT(2, stack.nr);
	EXPECT_TRUE(test_within("kthread", stack.at[2]));
	stack = test_stack(&rec, 21);
	EXPECT_EQ(0, stack.nr);
	EXPECT_TRUE(stack.absent);
	EXPECT_EQ(TAP_F_ABSENT, rec.flags & TAP_F_ABSENT);
}

TEST_F(stack, of_the_idle_task_begins_where_it_gives_the_processor_away)
{
	struct test_record rec;
	struct stack stack;
	unsigned int i, idle = 0;
	__u32 id;

	test_ioctl_create(&id, TAP_PROBE_RAWTP, "sched_switch",
			  OP(TAP_OP_VAR, 0, 0, 8, TAP_VAR_TID, 0),
			  OP_REJECT_IF(TAP_OP_JNE, 0, 0), OP_KSTACK(20),
			  OP_USTACK(2));
	test_ioctl_enable(id);
	usleep(100000);
	test_ioctl_disable(id);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	stack = test_stack(&rec, 0);
	EXPECT_FALSE(stack.absent);
	EXPECT_TRUE(test_within("__schedule", stack.at[0]));
	for (i = 0; i < stack.nr; i++)
		idle += test_within("cpu_startup_entry", stack.at[i]);
	EXPECT_EQ(1, idle);
	EXPECT_TRUE(test_stack(&rec, 21).absent);
}

/* sysrq-l makes the other CPUs report from an NMI. */
TEST_F(stack, in_an_nmi_goes_on_to_what_it_interrupted)
{
	struct test_record rec;
	unsigned int nmis = 0, i;
	__u32 raw, kp;

#ifndef __x86_64__
	SKIP(return, "no NMI backtraces on this architecture");
#endif
	test_need_cpus(2);
	test_ioctl_create(&raw, TAP_PROBE_RAWTP, "nmi_handler", OP_KSTACK(40),
			  OP_USTACK(10));
	test_ioctl_create(&kp, TAP_PROBE_KPROBE, "show_regs", OP_KSTACK(40),
			  OP_USTACK(10));
	test_ioctl_enable(0);
	ASSERT_EQ(0, test_write_file("/proc/sysrq-trigger", "l"));
	usleep(200000);
	test_ioctl_disable(0);
	while (test_session_next(&self->s, &rec)) {
		struct stack stack = test_stack(&rec, 0);
		unsigned int entry = 0;

		if (rec.kind != TAP_KIND_EVENT)
			continue;
		EXPECT_FALSE(stack.absent);
		for (i = 0; i < stack.nr; i++)
			if (test_within("asm_exc_nmi", stack.at[i]) ||
			    test_within("end_repeat_nmi", stack.at[i]))
				entry = i;
		if (!entry)
			continue;
		nmis++;
		/* The NMI interrupted user code, or frames of the kernel follow. */
		EXPECT_LE(entry + 1, stack.nr);
	}
	EXPECT_LT(0, nmis);
}

/* Functions that take stacks are probed. */
TEST_F(stack, of_what_takes_stacks_does_not_take_itself)
{
	struct tap_counters sum;
	struct tap_stats stats;
	__u32 walker, inner, event;

	test_need_raw_tracepoints();
	test_ioctl_create(&walker, TAP_PROBE_KPROBE, WALKER,
			  OP_KSTACK(20));
	test_ioctl_create(&inner, TAP_PROBE_KPROBE, INNER, OP_KSTACK(20));
	test_ioctl_create(&event, TAP_PROBE_RAWTP, "tap_target_event",
			  OP_KSTACK(20));
	test_ioctl_enable(0);
	test_target_call(TAP_TARGET_CHAIN, 10);
	test_ioctl_disable(0);
	EXPECT_EQ(10, test_counters(_metadata, &self->s, inner).hits);
	EXPECT_EQ(10, test_counters(_metadata, &self->s, event).hits);
	sum = test_counters(_metadata, &self->s, walker);
	EXPECT_LT(0, sum.hits);
	ASSERT_EQ(0, _test_ioctl_stats(self->s.fd, walker, NULL, 0, &stats));
	EXPECT_LT(0, stats.out_nmissed);
}

/* Three ways to the same function, counted separately. */
TEST_F(stack, is_a_key)
{
	static const __u64 calls[] = { 7, 11, 13 };
	struct tap_aggregate how = {
		.size = sizeof(how),
		.nr_keys = 1,
		.keys = { { 0, 41 } },
		.entries = 16,
	};
	struct tap_create create =
		test_create_arg(TAP_PROBE_KPROBE, INNER, OPS(OP_KSTACK(40)));
	unsigned int i;

	create.aggregate = (uintptr_t)&how;
	ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	test_ioctl_enable(0);
	for (i = 0; i < 3; i++) {
		struct tap_target_run run = {
			.function = TAP_TARGET_CHAIN,
			.count = calls[i],
			.arg = { TAP_TARGET_IN_TASK, i },
		};

		ASSERT_EQ(0, ioctl(self->target, TAP_TARGET_CALL, &run));
	}
	test_expect_rows(_metadata, &self->s, create.out_id, 41, calls, 3);
}

TEST_F(stack, is_what_perf_has_of_the_same_hit)
{
	struct test_record rec;
	struct test_perf perf;
	struct stack stack;
	unsigned int i, nr;
	__u64 *chain;
	__u32 id;

	test_perf_open(_metadata, &perf, INNER);
	test_ioctl_create(&id, TAP_PROBE_KPROBE, INNER, OP_KSTACK(60),
			  OP_USTACK(60));
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_CHAIN, 1);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	chain = test_perf_chain(&perf, PERF_CONTEXT_KERNEL, &nr);
	stack = test_stack(&rec, 0);
	ASSERT_EQ(nr, PERF_FRAMES(stack.nr));
	/* The first frame is where the trap returns to. */
	for (i = 1; i < nr; i++)
		EXPECT_EQ(chain[i], stack.at[stack.nr - nr + i]);
	chain = test_perf_chain(&perf, PERF_CONTEXT_USER, &nr);
	stack = test_stack(&rec, 61);
	ASSERT_LT(0, nr);
	ASSERT_LE(nr, stack.nr + 1);
	for (i = 0; i < nr && i < stack.nr; i++)
		EXPECT_EQ(chain[i], stack.at[i]);
	test_perf_close(&perf);
}

TEST_F(stack, must_be_asked_for_in_whole_frames)
{
	test_err_ioctl_create(EINVAL, TAP_PROBE_KPROBE, INNER,
			      OP(TAP_OP_KSTACK, TAP_OP_OUT, 0, 0, 0, 0));
	test_err_ioctl_create(EINVAL, TAP_PROBE_KPROBE, INNER,
			      OP(TAP_OP_KSTACK, TAP_OP_OUT, 0, 0, 0, 12));
	test_err_ioctl_create(EINVAL, TAP_PROBE_KPROBE, INNER, OP_KSTACK(128));
	test_err_ioctl_create(EINVAL, TAP_PROBE_KPROBE, INNER,
			      OP(TAP_OP_KSTACK, TAP_OP_OUT, 0, 0, 1, 8));
	test_err_ioctl_create(EINVAL, TAP_PROBE_KPROBE, INNER,
			      OP(TAP_OP_KSTACK, 0, 0, 0, 0, 8));
	test_err_ioctl_create(EINVAL, TAP_PROBE_KPROBE, INNER,
			      OP(TAP_OP_USTACK, TAP_OP_OUT, 0, 8, 0, 8));
	test_err_ioctl_create(EINVAL, TAP_PROBE_KPROBE, INNER,
			      OP(TAP_OP_USTACK, TAP_OP_OUT, 0, 0, 2, 8));
	/* Flag 1 is for the start of a function in a program. */
	test_err_ioctl_create(EOPNOTSUPP, TAP_PROBE_KPROBE, INNER,
			      OP(TAP_OP_USTACK, TAP_OP_OUT, 0, 0, 1, 8));
}

TEST_HARNESS_MAIN
