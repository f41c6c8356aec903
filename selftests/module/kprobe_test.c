// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of kprobes: arguments, registers, places inside a function, places that must not be
 * probed, and the context of an event.
 */
#include "selftests/module/tap_harness.h"
#include "selftests/module/kallsyms.h"

#include <sys/prctl.h>

/* Offsets of registers that a user may name. */
#if defined(__x86_64__)
#define REG_FIRST_ARG	112	/* di */
#define REG_SECOND_ARG	104	/* si */
#define REG_IP		128
#define REG_SP		152
#define TRAP_FUNCTION	"exc_int3"
#elif defined(__aarch64__)
#define REG_FIRST_ARG	0
#define REG_SECOND_ARG	8
#define REG_IP		256
#define REG_SP		248
#define TRAP_FUNCTION	"el1h_64_sync_handler"
#endif

#define CALLS		100

FIXTURE(session)
{
	struct test_session s;
	int target;
};

FIXTURE_SETUP(session)
{
	test_setup();
	test_session_open(_metadata, &self->s, 65536);
}

FIXTURE_TEARDOWN(session)
{
	test_teardown();
}

TEST_F(session, six_arguments_come_in_any_order)
{
	struct test_record rec;
	unsigned int i;
	__u32 id;

	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_six", OP_ARG(5),
			  OP_ARG(4), OP_ARG(3), OP_ARG(2), OP_ARG(1), OP_ARG(0));
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_SIX, 1);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(2, rec.slots);
	for (i = 0; i < 6; i++)
		EXPECT_EQ(TAP_TARGET_ARG(5 - i), rec.word[i]);
}

/* Plain probes have a handler for each number of loads. */
TEST_F(session, any_number_of_arguments_is_recorded)
{
	struct tap_op ops[6];
	struct test_record rec;
	unsigned int i, nr;
	__u32 id;

	for (i = 0; i < 6; i++)
		ops[i] = OP_ARG(i);
	for (nr = 0; nr <= 6; nr++) {
		ASSERT_EQ(0, _test_ioctl_create(self->s.fd, &id, TAP_PROBE_KPROBE,
						"tap_target_six", ops, nr));
		test_ioctl_enable(id);
		test_target_call(TAP_TARGET_SIX, 1);
		test_ioctl_delete(id);
		ASSERT_TRUE(test_session_next(&self->s, &rec));
		EXPECT_EQ(id, rec.probe);
		EXPECT_EQ(nr > 4 ? 2 : 1, rec.slots);
		for (i = 0; i < 11; i++)
			EXPECT_EQ(i < nr ? TAP_TARGET_ARG(i) : 0, rec.word[i]);
		EXPECT_FALSE(test_session_next(&self->s, &rec));
	}
}

/* And for the task's name behind them. */
TEST_F(session, any_number_of_arguments_and_the_name_is_recorded)
{
	static const char comm[TAP_COMM_LEN] = "name";
	struct tap_op ops[6];
	struct test_record rec;
	unsigned int i, nr;
	__u32 id;

	ASSERT_EQ(0, prctl(PR_SET_NAME, comm));
	for (nr = 0; nr <= 5; nr++) {
		for (i = 0; i < nr; i++)
			ops[i] = OP_ARG(i);
		ops[nr] = OP_COMM;
		ASSERT_EQ(0, _test_ioctl_create(self->s.fd, &id, TAP_PROBE_KPROBE,
						"tap_target_six", ops, nr + 1));
		test_ioctl_enable(id);
		test_target_call(TAP_TARGET_SIX, 1);
		test_ioctl_delete(id);
		ASSERT_TRUE(test_session_next(&self->s, &rec));
		EXPECT_EQ(nr > 2 ? 2 : 1, rec.slots);
		for (i = 0; i < nr; i++)
			EXPECT_EQ(TAP_TARGET_ARG(i), rec.word[i]);
		EXPECT_EQ(0, memcmp(comm, &rec.word[nr], sizeof(comm)));
		for (i = nr + 2; i < 11; i++)
			EXPECT_EQ(0, rec.word[i]);
	}
}

TEST_F(session, registers_are_those_of_the_call)
{
	struct tap_probe_info info;
	struct test_record rec;
	__u32 id;

	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_add",
			  OP_REG(REG_FIRST_ARG), OP_REG(REG_SECOND_ARG),
			  OP_REG(REG_IP), OP_REG(REG_SP));
	test_ioctl_probe_info(id, NULL, 0, &info);
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_ADD, 1);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(0, rec.word[0]);
	EXPECT_EQ(TAP_TARGET_ADDEND, rec.word[1]);
	/* At the probe, or behind the breakpoint or call there. */
	EXPECT_LE(info.out_address, rec.word[2]);
	EXPECT_GE(info.out_address + 8, rec.word[2]);
	/* A kernel stack. */
	EXPECT_GT(0, (__s64)rec.word[3]);
	EXPECT_EQ(0, rec.word[3] % 8);
}

TEST_F(session, every_register_can_be_had_at_once)
{
#if defined(__x86_64__)
	enum { NR_REGS = 21 };
#elif defined(__aarch64__)
	enum { NR_REGS = 34 };
#endif
	struct tap_op ops[NR_REGS];
	struct tap_probe_info info;
	struct test_record rec;
	unsigned int i;
	__u32 id;

	for (i = 0; i < NR_REGS; i++)
		ops[i] = OP_REG(8 * i);
	ASSERT_EQ(0, _test_ioctl_create(self->s.fd, &id, TAP_PROBE_KPROBE,
					"tap_target_add", ops, NR_REGS));
	test_ioctl_probe_info(id, NULL, 0, &info);
	EXPECT_EQ(NR_REGS, info.out_words);
	EXPECT_EQ(1 + (NR_REGS - 4 + 6) / 7, info.out_slots);
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_ADD, 1);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_FALSE(rec.broken);
	EXPECT_EQ(info.out_slots, rec.slots);
	EXPECT_EQ(TAP_TARGET_ADDEND, rec.word[REG_SECOND_ARG / 8]);
}

TEST_F(session, a_negative_result_is_recorded_whole)
{
	struct test_record rec;
	__u32 id;

	test_ioctl_create(&id, TAP_PROBE_KRETPROBE, "tap_target_fail", OP_RETVAL);
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_FAIL, 1);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(TAP_TARGET_ERROR, (__s64)rec.word[0]);
}

/* Creates a probe at the first instruction behind the entry. */
static int create_inside(int fd, __u32 *id, unsigned int *offset)
{
	const struct tap_op op = OP_REG(REG_SECOND_ARG);
	char name[64];

	for (*offset = 5; *offset < 16; ++*offset) {
		snprintf(name, sizeof(name), "tap_target_add+0x%x", *offset);
		if (!_test_ioctl_create(fd, id, TAP_PROBE_KPROBE, name, &op, 1))
			return 0;
		if (errno != EILSEQ)
			return -1;
	}
	return -1;
}

TEST_F(session, a_place_inside_a_function_is_hit_as_often_as_it)
{
	struct tap_probe_info info, entry;
	struct test_record rec;
	unsigned int offset;
	__u32 id, entry_id;
	__u64 i;

	ASSERT_EQ(0, create_inside(self->s.fd, &id, &offset));
	test_ioctl_create(&entry_id, TAP_PROBE_KPROBE, "tap_target_add");
	test_ioctl_probe_info(id, NULL, 0, &info);
	test_ioctl_probe_info(entry_id, NULL, 0, &entry);
	EXPECT_LT(entry.out_address, info.out_address);
	EXPECT_GE(entry.out_address + offset, info.out_address);
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_ADD, CALLS);
	for (i = 0; i < CALLS; i++) {
		ASSERT_TRUE(test_session_next(&self->s, &rec));
		EXPECT_EQ(TAP_TARGET_ADDEND, rec.word[0]);
	}
	EXPECT_FALSE(test_session_next(&self->s, &rec));
}

TEST_F(session, an_offset_of_0_is_the_entry)
{
	struct test_record rec;
	__u32 id;

	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_add+0", OP_ARG(1));
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_ADD, 1);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	EXPECT_EQ(TAP_TARGET_ADDEND, rec.word[0]);
}

TEST_F(session, an_offset_inside_an_instruction_is_refused)
{
	/* The instruction at the entry has at least four bytes on every kernel. */
	test_err_ioctl_create(EILSEQ, TAP_PROBE_KPROBE, "tap_target_add+1");
	test_err_ioctl_create(EILSEQ, TAP_PROBE_KPROBE, "tap_target_add+2");
	test_err_ioctl_create(EILSEQ, TAP_PROBE_KPROBE, "tap_target_add+3");
}

/* Finds which of these names the kernel has. */
static void find_symbols(const char *const *names, unsigned int nr, bool *found)
{
	FILE *file = test_kallsyms();
	char line[512], *symbol;
	unsigned int i;

	while (file && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\t\n")] = 0;
		symbol = strrchr(line, ' ');
		if (!symbol++)
			continue;
		for (i = 0; i < nr; i++)
			found[i] |= !strcmp(symbol, names[i]);
	}
	if (file)
		fclose(file);
}

/* The kernel accepts these, and would crash. */
TEST_F(session, what_a_breakpoint_itself_goes_through_cannot_be_probed)
{
	static const char *const names[] = {
		"__x86_return_thunk", "__x86_indirect_thunk_rax",
		"__SCT__might_resched", "srso_safe_ret", "srso_alias_safe_ret",
		"srso_safe_ret_alias", "srso_return_thunk", "retbleed_untrain_ret",
		"rcu_is_watching", "rcu_read_lock_any_held", "__asan_load8_noabort",
		"ftrace_caller", "ftrace_regs_caller", "ftrace_stub",
		"ftrace_epilogue", "ftrace_graph_call",
	};
	bool found[ARRAY_SIZE(names)] = {};
	unsigned int i, refused = 0;

#ifndef __x86_64__
	SKIP(return, "the names are those of x86");
#endif
	/* No kernel has all of them: few exist without mitigations or sanitizers. */
	find_symbols(names, ARRAY_SIZE(names), found);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		EXPECT_EQ(-1, _test_ioctl_create(self->s.fd, NULL,
						 TAP_PROBE_KPROBE, names[i],
						 NULL, 0)) TH_LOG("%s", names[i]);
		EXPECT_EQ(found[i] ? EADDRNOTAVAIL : ENOENT, errno) TH_LOG("%s", names[i]);
		refused += found[i];
	}
	EXPECT_LT(0, refused);
}

TEST_F(session, what_is_blacklisted_cannot_be_probed)
{
	FILE *file = fopen("/sys/kernel/debug/kprobes/blacklist", "re");
	unsigned int refused = 0, made = 0;
	char line[512], name[256];
	__u32 id;

	if (!file)
		SKIP(return, "no /sys/kernel/debug/kprobes/blacklist");
	while (fgets(line, sizeof(line), file)) {
		/* RANGE NAME [MODULE] */
		if (sscanf(line, "%*s %255s", name) != 1)
			continue;
		if (!_test_ioctl_create(self->s.fd, &id, TAP_PROBE_KPROBE, name,
					NULL, 0)) {
			/* Another function of that name, which may be probed. */
			made++;
			test_ioctl_delete(id);
			continue;
		}
		EXPECT_EQ(EADDRNOTAVAIL, errno) TH_LOG("%s", name);
		refused++;
	}
	fclose(file);
	EXPECT_LT(100, refused);
	EXPECT_LE(made, refused / 20);
}

TEST_F(session, the_probing_code_itself_cannot_be_probed)
{
	static const __u32 types[] = { TAP_PROBE_KPROBE, TAP_PROBE_KRETPROBE,
				       TAP_PROBE_CALL };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		test_err_ioctl_create(EADDRNOTAVAIL, types[i], "tap_event_program");
		test_err_ioctl_create(EADDRNOTAVAIL, types[i], "tapmod:tap_call_end");
		test_err_ioctl_create(EADDRNOTAVAIL, types[i],
				      "tap_ring_slow_path");
		test_err_ioctl_create(EADDRNOTAVAIL, types[i], "tap_rings_wake");
		test_err_ioctl_create(EADDRNOTAVAIL, types[i], TRAP_FUNCTION);
	}
}

/*
 * The kernel decodes the last function of a module up to the end of its pages, and on some kernels
 * beyond, where nothing is mapped: a probe is refused there, in our own module as in another.
 */
TEST_F(session, the_last_function_of_a_module_does_no_harm)
{
	static const __u32 types[] = { TAP_PROBE_KPROBE, TAP_PROBE_KRETPROBE,
				       TAP_PROBE_CALL };
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		ret = _test_ioctl_create(self->s.fd, NULL, types[i], "tap_target:cleanup_module",
					 NULL, 0);
		if (ret)
			ASSERT_EQ(EADDRNOTAVAIL, errno);
		EXPECT_EQ(ret, _test_ioctl_create(self->s.fd, NULL, types[i],
						  "tapmod:cleanup_module", NULL, 0));
		if (ret)
			EXPECT_EQ(EADDRNOTAVAIL, errno);
	}
}

TEST_F(session, data_cannot_be_probed)
{
	test_err_ioctl_create(EADDRNOTAVAIL, TAP_PROBE_KPROBE, "jiffies");
	test_err_ioctl_create(EADDRNOTAVAIL, TAP_PROBE_KRETPROBE, "jiffies");
	test_err_ioctl_create(EADDRNOTAVAIL, TAP_PROBE_CALL, "init_task");
}

TEST_F(session, what_switches_the_task_has_no_return_probe)
{
	test_err_ioctl_create(EADDRNOTAVAIL, TAP_PROBE_CALL, "__switch_to");
	test_err_ioctl_create(EADDRNOTAVAIL, TAP_PROBE_KRETPROBE, "__switch_to");
}

TEST_F(session, deleting_takes_one_at_a_time)
{
	__u32 id;

	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_add");
	test_err_ioctl_delete(EINVAL, 0);
	EXPECT_EQ(TAP_STATE_DISABLED, test_state(_metadata, &self->s, id));
}

TEST_F(session, all_is_nothing_in_an_empty_session)
{
	test_ioctl_enable(0);
	test_ioctl_disable(0);
}

TEST_F(session, all_are_enabled_and_disabled_at_once)
{
	__u32 id[4], i;

	test_need_raw_tracepoints();
	test_ioctl_create(&id[0], TAP_PROBE_KPROBE, "tap_target_add");
	test_ioctl_create(&id[1], TAP_PROBE_KRETPROBE, "tap_target_six");
	test_ioctl_create(&id[2], TAP_PROBE_CALL, "tap_target_fail");
	test_ioctl_create(&id[3], TAP_PROBE_RAWTP, "tap_target_event");
	test_ioctl_enable(id[2]);
	test_ioctl_enable(0);
	for (i = 0; i < 4; i++)
		EXPECT_EQ(TAP_STATE_ENABLED, test_state(_metadata, &self->s, id[i]));
	test_target_call(TAP_TARGET_ADD, 1);
	test_target_call(TAP_TARGET_SIX, 2);
	test_target_call(TAP_TARGET_FAIL, 3);
	test_target_call(TAP_TARGET_EVENT, 4);
	test_ioctl_disable(id[1]);
	test_ioctl_disable(0);
	for (i = 0; i < 4; i++) {
		EXPECT_EQ(TAP_STATE_DISABLED, test_state(_metadata, &self->s, id[i]));
		EXPECT_EQ(i + 1, test_counters(_metadata, &self->s, id[i]).hits);
	}
}

TEST_F(session, a_hundred_probes_at_one_place_all_see_it)
{
	__u32 id[100], i;

	for (i = 0; i < 100; i++)
		test_ioctl_create(&id[i], TAP_PROBE_KPROBE, "tap_target_add",
				  OP_ARG(0));
	test_ioctl_enable(0);
	test_target_call(TAP_TARGET_ADD, 3);
	test_ioctl_disable(0);
	EXPECT_EQ(300, test_session_drain(&self->s, NULL));
	for (i = 0; i < 100; i++)
		EXPECT_EQ(3, test_counters(_metadata, &self->s, id[i]).hits);
}

TEST_F(session, the_context_of_a_hit_is_said)
{
	static const struct {
		__u32 function;
		__u32 mask;
		__u32 value;
	} context[] = {
		{ TAP_TARGET_ADD, TAP_F_SOFTIRQ | TAP_F_HARDIRQ | TAP_F_NMI, 0 },
		{ TAP_TARGET_HARDIRQ, TAP_F_NMI, 0 },
		{ TAP_TARGET_SOFTIRQ, TAP_F_HARDIRQ | TAP_F_NMI, 0 },
	};
	struct test_record rec;
	unsigned int i, type, seen;
	__u32 id;

	for (type = TAP_PROBE_KPROBE; type <= TAP_PROBE_CALL; type++) {
		/* With a handler for plain probes, and with the one for all programs. */
		test_ioctl_create(&id, type, "tap_target_add");
		test_ioctl_create(&id, type, "tap_target_irq");
		test_ioctl_create(&id, type, "tap_target_add", OP_COMM, OP_COMM, OP_COMM);
		test_ioctl_create(&id, type, "tap_target_irq", OP_COMM, OP_COMM, OP_COMM);
	}
	test_ioctl_enable(0);
	for (i = 0; i < ARRAY_SIZE(context); i++) {
		test_target_call(context[i].function, 10);
		for (seen = 0; test_session_next(&self->s, &rec); seen++) {
			EXPECT_EQ(context[i].value, rec.flags & context[i].mask)
				TH_LOG("probe %u, flags %#x", rec.probe, rec.flags);
			if (context[i].function == TAP_TARGET_HARDIRQ)
				EXPECT_NE(0, rec.flags & TAP_F_HARDIRQ);
			if (context[i].function == TAP_TARGET_SOFTIRQ)
				EXPECT_NE(0, rec.flags & TAP_F_SOFTIRQ);
		}
		EXPECT_EQ(60, seen);
	}
}

/* The same inside a function, where there is a breakpoint and no ftrace call. */
TEST_F(session, the_context_is_said_behind_a_breakpoint_as_well)
{
	struct test_record rec;
	unsigned int offset;
	__u32 id;

	ASSERT_EQ(0, create_inside(self->s.fd, &id, &offset));
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_ADD, 10);
	/* The kernel may replace it by a jump (optimized kprobe) meanwhile. */
	usleep(200000);
	test_target_call(TAP_TARGET_ADD, 10);
	while (test_session_next(&self->s, &rec))
		EXPECT_EQ(0, rec.flags & (TAP_F_SOFTIRQ | TAP_F_HARDIRQ | TAP_F_NMI))
			TH_LOG("flags %#x", rec.flags);
	EXPECT_EQ(20, test_counters(_metadata, &self->s, id).hits);
}

/* Two kprobes at one place form a list, which the kernel optimizes differently. */
TEST_F(session, the_context_is_said_for_two_at_one_place)
{
	struct test_record rec;
	unsigned int offset;
	__u32 id;

	ASSERT_EQ(0, create_inside(self->s.fd, &id, &offset));
	ASSERT_EQ(0, create_inside(self->s.fd, &id, &offset));
	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_add");
	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_add");
	test_ioctl_enable(0);
	test_target_call(TAP_TARGET_ADD, 10);
	usleep(200000);
	test_target_call(TAP_TARGET_ADD, 10);
	while (test_session_next(&self->s, &rec))
		EXPECT_EQ(0, rec.flags & (TAP_F_SOFTIRQ | TAP_F_HARDIRQ | TAP_F_NMI))
			TH_LOG("probe %u, flags %#x", rec.probe, rec.flags);
	EXPECT_EQ(20, test_counters(_metadata, &self->s, id).hits);
}

TEST_HARNESS_MAIN
