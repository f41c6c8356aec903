// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of tracepoints with the fields of their trace events: fields are where tracefs says,
 * events are counted exactly, and CPUs and modules come and go.
 */
#include "selftests/module/tap_harness.h"
#include "selftests/programs/bpf_program.h"

#include <limits.h>
#include <sys/prctl.h>

#define EVENTS		"/sys/kernel/tracing/events"
#define TARGET		"tap_target:tap_target_event"
#define CPU1_ONLINE	"/sys/devices/system/cpu/cpu1/online"

#define OP_FIELD(size, off)	OP(TAP_OP_FIELD, TAP_OP_OUT, 0, size, off, 0)
#define OP_FIELD_REG(reg, size, off) OP(TAP_OP_FIELD, reg, 0, size, off, 0)

/* Offset of a field; -1: there is no such event or field. */
static int field_offset(const char *system, const char *event, const char *field)
{
	char path[PATH_MAX], line[512], *name;
	size_t len = strlen(field);
	int offset = -1;
	FILE *file;

	snprintf(path, sizeof(path), EVENTS "/%s/%s/format", system, event);
	file = fopen(path, "re");
	if (!file)
		return -1;
	/* The line has the form "field:char comm[16];\toffset:8;\tsize:16;\tsigned:0;". */
	while (offset < 0 && fgets(line, sizeof(line), file)) {
		name = strchr(line, ';');
		while (name && name > line && name[-1] != ' ')
			name--;
		if (name && !strncmp(name, field, len) &&
		    (name[len] == ';' || name[len] == '['))
			sscanf(strchr(name, ';'), "; offset:%d;", &offset);
	}
	fclose(file);
	return offset;
}

#define test_field(system, event, field)				\
	({								\
		int _off = field_offset(system, event, field);		\
		ASSERT_LE(8, _off) TH_LOG("no field %s of %s:%s", field, \
					  system, event);		\
		_off;							\
	})

/* Trace events of system calls leave out 32-bit programs on a 64-bit kernel. */
#ifdef __i386__
#define test_need_own_syscalls()	SKIP(return, "a 32-bit program")
#else
#define test_need_own_syscalls()	do { } while (0)
#endif

FIXTURE(event)
{
	struct test_session s;
	int target;
	bool offline;
};

FIXTURE_SETUP(event)
{
	test_setup();
	if (access(EVENTS, F_OK))
		SKIP(return, "tracefs is not mounted");
	test_session_open(_metadata, &self->s, 1 << 20);
}

FIXTURE_TEARDOWN(event)
{
	if (self->offline)
		test_write_file(CPU1_ONLINE, "1");
	test_teardown();
}

/* Runs a program that makes events in a child, and waits for it. */
static pid_t run_child(char *const argv[])
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		execv(argv[0], argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		return -1;
	return pid;
}

/* Sleeps on a CPU until the probe has more events there: an idle CPU makes no context switches. */
static bool hits_grow(struct test_session *s, __u32 id, unsigned int cpu)
{
	struct tap_counters all[TEST_MAX_RINGS];
	struct tap_stats stats;
	unsigned int tries;
	__u64 before;

	if (_test_ioctl_stats(s->fd, id, all, s->nr_rings, &stats))
		return false;
	before = all[cpu].hits;
	if (test_pin(cpu))
		return false;
	for (tries = 0; tries < 1000; tries++) {
		if (_test_ioctl_stats(s->fd, id, all, s->nr_rings, &stats))
			return false;
		if (all[cpu].hits > before)
			return true;
		usleep(5000);
	}
	return false;
}

TEST_F(event, fields_are_where_the_format_says)
{
	int a = test_field("tap_target", "tap_target_event", "a");
	int f = test_field("tap_target", "tap_target_event", "f");
	struct test_record rec;
	unsigned int i;
	__u32 id;

	test_ioctl_create(&id, TAP_PROBE_TRACEPOINT, TARGET, OP_FIELD(8, a),
			  OP_FIELD(8, f), OP_FIELD(2, f + 2), OP_FIELD(1, a));
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_EVENT, 1000);
	test_ioctl_disable(id);
	test_target_call(TAP_TARGET_EVENT, 10);
	for (i = 0; i < 1000; i++) {
		ASSERT_TRUE(test_session_next(&self->s, &rec));
		ASSERT_EQ(id, rec.probe);
		ASSERT_EQ(getpid(), rec.tgid);
		ASSERT_EQ(i, rec.word[0]);
		ASSERT_EQ(TAP_TARGET_ARG(5), rec.word[1]);
		ASSERT_EQ(TAP_TARGET_ARG(5) & 0xffff, rec.word[2]);
		ASSERT_EQ(i & 0xff, rec.word[3]);
	}
	EXPECT_FALSE(test_session_next(&self->s, &rec));
	EXPECT_EQ(1000, test_counters(_metadata, &self->s, id).written);
}

static __u32 stats_flags(const struct test_session *s, __u32 id)
{
	struct tap_stats stats;

	if (_test_ioctl_stats(s->fd, id, NULL, 0, &stats))
		return ~0U;
	return stats.out_flags;
}

#define test_bpf_attach(value)						\
	({								\
		int _fd = bpf_program_attach(EVENTS "/tap_target/tap_target_event", value); \
									\
		if (_fd == -ENOSYS)					\
			SKIP(return, "no bpf(2)");			\
		ASSERT_LE(0, _fd) TH_LOG("BPF: %s", strerror(-_fd));	\
		_fd;							\
	})

#define EXPECT_FLAGS(flags, id)						\
	EXPECT_EQ(flags, stats_flags(&self->s, id))

/* perf drops the events without a trace of them: the flag is all there is. */
TEST_F(event, dropped_by_a_bpf_program_are_reported_by_a_flag)
{
	int a = test_field("tap_target", "tap_target_event", "a"), bpf;
	__u32 id;

	test_ioctl_create(&id, TAP_PROBE_TRACEPOINT, TARGET, OP_FIELD(8, a));
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_EVENT, 10);
	EXPECT_FLAGS(0, id);
	bpf = test_bpf_attach(0);
	test_target_call(TAP_TARGET_EVENT, 10);
	EXPECT_FLAGS(TAP_STATS_F_BPF, id);
	EXPECT_EQ(10, test_counters(_metadata, &self->s, id).hits);
	test_ioctl_disable(id);
	close(bpf);
	EXPECT_FLAGS(TAP_STATS_F_BPF, id);
}

TEST_F(event, of_a_bpf_program_is_seen_by_each_look)
{
	int a = test_field("tap_target", "tap_target_event", "a"), bpf;
	__u32 tick, enabled, disabled, never;

	test_ioctl_create(&tick, TAP_PROBE_TRACEPOINT, TARGET, OP_FIELD(8, a));
	test_ioctl_create(&enabled, TAP_PROBE_TRACEPOINT, TARGET, OP_FIELD(8, a));
	test_ioctl_create(&disabled, TAP_PROBE_TRACEPOINT, TARGET, OP_FIELD(8, a));
	test_ioctl_create(&never, TAP_PROBE_TRACEPOINT, TARGET, OP_FIELD(8, a));
	bpf = test_bpf_attach(0);
	test_ioctl_enable(enabled);
	close(bpf);
	/* The governor's ticks have no other probe to look at. */
	test_ioctl_disable(enabled);
	EXPECT_FLAGS(TAP_STATS_F_BPF, enabled);
	test_ioctl_enable(disabled);
	bpf = test_bpf_attach(0);
	test_ioctl_disable(disabled);
	close(bpf);
	EXPECT_FLAGS(TAP_STATS_F_BPF, disabled);
	test_ioctl_enable(tick);
	bpf = test_bpf_attach(0);
	usleep(500000);
	close(bpf);
	EXPECT_FLAGS(TAP_STATS_F_BPF, tick);
	bpf = test_bpf_attach(0);
	EXPECT_FLAGS(0, never);
	close(bpf);
	test_ioctl_enable(never);
	test_ioctl_disable(never);
	EXPECT_FLAGS(0, never);
}

TEST_F(event, a_switch_leaves_the_task_that_runs)
{
	int prev_pid = test_field("sched", "sched_switch", "prev_pid");
	int next_pid = test_field("sched", "sched_switch", "next_pid");
	int prev_comm = test_field("sched", "sched_switch", "prev_comm");
	__u64 next[TEST_MAX_RINGS], records = 0, own = 0;
	struct test_record rec;
	char comm[17] = "";
	unsigned int i;
	__u32 id;

	memset(next, 0xff, sizeof(next));
	test_ioctl_create(&id, TAP_PROBE_TRACEPOINT, "sched:sched_switch",
			  OP_FIELD(4, prev_pid), OP_FIELD(4, next_pid),
			  OP(TAP_OP_FIELD_STRING, TAP_OP_OUT, 0, 0, prev_comm,
			     TAP_COMM_LEN),
			  OP(TAP_OP_FIELD_BYTES, TAP_OP_OUT, 0, 0, prev_comm,
			     TAP_COMM_LEN));
	test_ioctl_enable(id);
	for (i = 0; i < 50; i++)
		usleep(2000);
	test_ioctl_disable(id);
	while (test_session_next(&self->s, &rec)) {
		if (rec.kind != TAP_KIND_EVENT)
			continue;
		records++;
		ASSERT_EQ(rec.tid, rec.word[0]);
		/* The next task of one switch is the previous task of the next one. */
		if (next[rec.cpu] != ~0ULL)
			ASSERT_EQ(next[rec.cpu], rec.word[0]);
		next[rec.cpu] = rec.word[1];
		memcpy(comm, &rec.word[3], TAP_COMM_LEN);
		ASSERT_EQ(strlen(comm), rec.word[2] & TAP_TEXT_LEN);
		ASSERT_EQ(0, memcmp(&rec.word[5], comm, strlen(comm) + 1));
		if (rec.tgid != (__u32)getpid())
			continue;
		own++;
		/* The kernel keeps 15 characters of a task's name. */
		ASSERT_STREQ("perf_sample_tes", comm);
	}
	/* A task that is woken before it sleeps is not switched out. */
	EXPECT_LE(25, own);
	EXPECT_EQ(records, test_counters(_metadata, &self->s, id).hits);
}

TEST_F(event, a_text_behind_the_fields)
{
	int filename = test_field("sched", "sched_process_exec", "filename");
	char *argv[] = { "/bin/sh", "-c", ":", NULL };
	struct test_record rec;
	__u32 id, cut, other;
	pid_t pid;

	test_ioctl_create(&id, TAP_PROBE_TRACEPOINT, "sched:sched_process_exec",
			  OP(TAP_OP_DATA_LOC, TAP_OP_OUT, 0, TAP_OP_TEXT,
			     filename, 64));
	test_ioctl_create(&cut, TAP_PROBE_TRACEPOINT, "sched:sched_process_exec",
			  OP(TAP_OP_DATA_LOC, TAP_OP_OUT, 0, TAP_OP_TEXT,
			     filename, 4));
	/* An offset that is no valid place gives an absent value; the record is written. */
	test_ioctl_create(&other, TAP_PROBE_TRACEPOINT,
			  "sched:sched_process_exec",
			  OP(TAP_OP_DATA_LOC, TAP_OP_OUT, 0, TAP_OP_TEXT, 4, 64));
	test_ioctl_enable(0);
	pid = run_child(argv);
	ASSERT_LT(0, pid);
	test_ioctl_disable(0);
	while (test_session_next(&self->s, &rec)) {
		if (rec.tgid != (__u32)pid)
			continue;
		if (rec.probe == id) {
			EXPECT_EQ(strlen(argv[0]), rec.word[0]);
			EXPECT_STREQ(argv[0], (char *)&rec.word[1]);
		} else if (rec.probe == cut) {
			EXPECT_EQ(4 | TAP_TEXT_TRUNCATED, rec.word[0]);
			EXPECT_EQ(0, memcmp(argv[0], &rec.word[1], 4));
			EXPECT_TRUE(rec.flags & TAP_F_TRUNCATED);
		}
	}
	EXPECT_EQ(1, test_counters(_metadata, &self->s, id).written);
	EXPECT_EQ(1, test_counters(_metadata, &self->s, cut).written);
	EXPECT_EQ(1, test_counters(_metadata, &self->s, other).written);
}

TEST_F(event, tests_of_fields)
{
	int a = test_field("tap_target", "tap_target_event", "a");
	int filename = test_field("sched", "sched_process_exec", "filename");
	char *argv[] = { "/bin/sh", "-c", ":", NULL };
	struct tap_create create;
	struct tap_counters c;
	__u32 id, hit, miss;
	struct tap_op ops[] = {
		OP(TAP_OP_MATCH_DATA_LOC, 0, 0, TAP_OP_GLOB, filename, 6 << 16),
		OP_REJECT_IF(TAP_OP_JEQ, 0, 0),
	};

	test_ioctl_create(&id, TAP_PROBE_TRACEPOINT, TARGET,
			  OP_FIELD_REG(0, 8, a),
			  OP_REJECT_IF(TAP_OP_JGE, 0, 300), OP_FIELD(8, a));
	create = test_create_arg(TAP_PROBE_TRACEPOINT,
				 "sched:sched_process_exec", ops, 2);
	create.data = (uintptr_t)"/bin/*/etc/*";
	create.data_len = 12;
	ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	hit = create.out_id;
	ops[0].imm = 6 | 6 << 16;
	ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	miss = create.out_id;
	test_ioctl_enable(0);
	test_target_call(TAP_TARGET_EVENT, 1000);
	ASSERT_LT(0, run_child(argv));
	test_ioctl_disable(0);
	c = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(1000, c.hits);
	EXPECT_EQ(300, c.written);
	EXPECT_EQ(700, c.filtered);
	EXPECT_EQ(1, test_counters(_metadata, &self->s, hit).written);
	EXPECT_EQ(1, test_counters(_metadata, &self->s, miss).filtered);
}

/* The name of a task is an array of 16 bytes, and ends before its end. */
TEST_F(event, text_of_a_field_is_compared)
{
	static const struct {
		const char *pattern;
		__u8 how;
		bool matches;
	} cases[] = {
		{ "field_text", 0, true },
		{ "field_tex", 0, false },
		{ "field_text?", TAP_OP_GLOB, false },
		{ "f*_t?xt", TAP_OP_GLOB, true },
		{ "*", TAP_OP_GLOB, true },
	};
	int comm = field_offset("task", "task_newtask", "comm");
	char *argv[] = { "/bin/sh", "-c", ":", NULL };
	struct tap_op ops[] = {
		OP(TAP_OP_MATCH_FIELD, 0, 0, 0, comm, 0), OP_REJECT_IF(TAP_OP_JEQ, 0, 0),
	};
	struct tap_create create;
	__u32 id[ARRAY_SIZE(cases)];
	struct tap_counters c;
	unsigned int i;

	if (comm < 0)
		SKIP(return, "task:task_newtask has no comm");
	ASSERT_EQ(0, prctl(PR_SET_NAME, "field_text"));
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t len = strlen(cases[i].pattern);

		ops[0].size = cases[i].how;
		ops[0].imm = 16ULL << 32 | len << 16;
		create = test_create_arg(TAP_PROBE_TRACEPOINT, "task:task_newtask", ops, 2);
		create.data = (uintptr_t)cases[i].pattern;
		create.data_len = len;
		ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_CREATE, &create)) TH_LOG("%u", i);
		id[i] = create.out_id;
	}
	test_ioctl_enable(0);
	ASSERT_LT(0, run_child(argv));
	test_ioctl_disable(0);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		c = test_counters(_metadata, &self->s, id[i]);
		EXPECT_LE(1, c.hits);
		EXPECT_EQ(cases[i].matches, c.written > 0) TH_LOG("%s", cases[i].pattern);
	}
	/* An array that ends behind the event's own data. */
	ops[0].imm = 4096ULL << 32 | 1 << 16;
	EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
}

TEST_F(event, a_system_call)
{
	int nr = test_field("raw_syscalls", "sys_enter", "id");
	struct test_record rec;
	__u64 seen = 0;
	unsigned int i;
	__u32 id, one;

	test_need_own_syscalls();
	test_ioctl_create(&id, TAP_PROBE_TRACEPOINT, "raw_syscalls:sys_enter",
			  OP_TEST_TGID(getpid()), OP_FIELD(8, nr));
	test_ioctl_create(&one, TAP_PROBE_TRACEPOINT,
			  "syscalls:sys_enter_getppid", OP_TEST_TGID(getpid()));
	test_ioctl_enable(0);
	for (i = 0; i < 100; i++)
		syscall(SYS_getppid);
	test_ioctl_disable(0);
	while (test_session_next(&self->s, &rec))
		seen += rec.probe == id && rec.word[0] == SYS_getppid;
	EXPECT_EQ(100, seen);
	EXPECT_EQ(100, test_counters(_metadata, &self->s, one).written);
}

/*
 * The data of an event may be too short for the program; then it cannot be read. Before
 * 5.18 no event of perf has more than 2048 bytes.
 */
TEST_F(event, data_that_are_too_short)
{
	struct tap_counters c;
	__u32 id;

	test_need_own_syscalls();
	test_ioctl_create(&id, TAP_PROBE_TRACEPOINT,
			  "syscalls:sys_enter_getppid", OP_TEST_TGID(getpid()),
			  OP_FIELD(8, 2000));
	test_ioctl_enable(id);
	syscall(SYS_getppid);
	test_ioctl_disable(id);
	c = test_counters(_metadata, &self->s, id);
	EXPECT_LE(1, c.lost_fault);
	EXPECT_EQ(c.hits, c.lost_fault);
}

/* perf weights this event by nanoseconds; it is one event all the same. */
TEST_F(event, a_weight_is_no_number_of_hits)
{
	unsigned int i;
	__u32 id, other;
	__u64 raw, hits;

	test_ioctl_create(&other, TAP_PROBE_RAWTP, "sched_stat_runtime",
			  OP_ARG(0));
	test_ioctl_create(&id, TAP_PROBE_TRACEPOINT, "sched:sched_stat_runtime",
			  OP_COMM);
	test_ioctl_enable(other);
	test_ioctl_enable(id);
	/* Each time the task has run for some time, however long. */
	for (i = 0; i < 100; i++)
		usleep(1000);
	test_ioctl_disable(id);
	test_ioctl_disable(other);
	hits = test_counters(_metadata, &self->s, id).hits;
	raw = test_counters(_metadata, &self->s, other).hits;
	EXPECT_LT(10, hits);
	EXPECT_LE(hits, raw);
}

TEST_F(event, several_probes_of_one_event)
{
	struct test_session t;
	__u32 a, b, c;

	test_session_open(_metadata, &t, 1 << 20);
	test_ioctl_create(&a, TAP_PROBE_TRACEPOINT, TARGET, OP_COMM);
	test_ioctl_create(&b, TAP_PROBE_TRACEPOINT, TARGET, OP_COMM);
	ASSERT_EQ(0, _test_ioctl_create(t.fd, &c, TAP_PROBE_TRACEPOINT, TARGET,
					OPS(OP_COMM)));
	test_ioctl_enable(0);
	ASSERT_EQ(0, _test_ioctl_enable(t.fd, c));
	test_target_call(TAP_TARGET_EVENT, 100);
	test_ioctl_delete(a);
	test_target_call(TAP_TARGET_EVENT, 10);
	test_ioctl_disable(0);
	test_target_call(TAP_TARGET_EVENT, 1);
	ASSERT_EQ(0, _test_ioctl_disable(t.fd, c));
	EXPECT_EQ(110, test_counters(_metadata, &self->s, b).written);
	EXPECT_EQ(111, test_counters(_metadata, &t, c).written);
	test_session_close(&t);
}

TEST_F(event, the_module_stays_as_long_as_the_probe)
{
	long refs = test_module_refs("tap_target");
	__u32 id;

	test_ioctl_create(&id, TAP_PROBE_TRACEPOINT, TARGET, OP_COMM);
	EXPECT_LT(refs, test_module_refs("tap_target"));
	test_err_ioctl_create(EINVAL, TAP_PROBE_TRACEPOINT, TARGET,
			      OP_FIELD(8, 4096));
	test_err_ioctl_create(EOPNOTSUPP, TAP_PROBE_TRACEPOINT, TARGET,
			      OP_ARG(0));
	test_ioctl_enable(id);
	test_ioctl_delete(id);
	EXPECT_EQ(refs, test_module_refs("tap_target"));
}

/* perf checks the capabilities of the task that creates the counters, at enable. */
TEST_F(event, enabling_takes_the_privilege_too)
{
	int status;
	pid_t pid;
	__u32 id;

	test_ioctl_create(&id, TAP_PROBE_TRACEPOINT, TARGET, OP_COMM);
	pid = fork();
	if (!pid) {
		if (test_keep_caps(0))
			_exit(2);
		_exit(_test_ioctl_enable(self->s.fd, id) != -1 || errno != EPERM);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(TAP_STATE_DISABLED, test_state(_metadata, &self->s, id));
	test_ioctl_enable(id);
}

TEST_F(event, bad_targets)
{
	int f = test_field("tap_target", "tap_target_event", "f");
	static const char *const malformed[] = {
		"sched", ":sched_switch", "sched:", ":", "sched:sched_switch:",
		"sched::sched_switch",
	};
	static const char *const missing[] = {
		"sched:sched_swich", "nosuch:sched_switch", "sched:*",
		"ftrace:function", "ftrace:print", "sched_switch:sched",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(malformed); i++)
		test_err_ioctl_create(EINVAL, TAP_PROBE_TRACEPOINT, malformed[i],
				      OP_COMM);
	for (i = 0; i < ARRAY_SIZE(missing); i++)
		test_err_ioctl_create(ENOENT, TAP_PROBE_TRACEPOINT, missing[i],
				      OP_COMM);
	/* The last byte, and one behind it. */
	test_ioctl_create(NULL, TAP_PROBE_TRACEPOINT, TARGET, OP_FIELD(1, f + 7));
	test_err_ioctl_create(EINVAL, TAP_PROBE_TRACEPOINT, TARGET,
			      OP_FIELD(1, f + 8));
	test_err_ioctl_create(EINVAL, TAP_PROBE_TRACEPOINT, TARGET,
			      OP_FIELD(8, f + 1));
	test_err_ioctl_create(EINVAL, TAP_PROBE_TRACEPOINT, TARGET,
			      OP_FIELD(4, -1));
	test_err_ioctl_create(EOPNOTSUPP, TAP_PROBE_RAWTP, "tap_target_event",
			      OP_FIELD(8, f));
	EXPECT_ERRNO(EINVAL, _test_ioctl_create_flags(self->s.fd, NULL,
						      TAP_PROBE_TRACEPOINT,
						      TAP_CREATE_F_WAIT, 0,
						      TARGET, OPS(OP_COMM)));
	EXPECT_ERRNO(EINVAL, _test_ioctl_create_flags(self->s.fd, NULL,
						      TAP_PROBE_TRACEPOINT, 0, 1,
						      TARGET, OPS(OP_COMM)));
}

TEST_F_TIMEOUT(event, a_cpu_that_goes_and_comes, 120)
{
	struct tap_counters before[TEST_MAX_RINGS], after[TEST_MAX_RINGS];
	struct tap_stats stats;
	unsigned int round;
	__u32 id, late;

	test_need_cpus(2);
	if (access(CPU1_ONLINE, W_OK))
		SKIP(return, "CPU 1 cannot be taken offline");
	test_ioctl_create(&id, TAP_PROBE_TRACEPOINT, "sched:sched_switch",
			  OP_COMM);
	test_ioctl_create(&late, TAP_PROBE_TRACEPOINT, "sched:sched_switch",
			  OP_COMM);
	test_ioctl_enable(id);
	for (round = 0; round < 5; round++) {
		EXPECT_TRUE(hits_grow(&self->s, id, 1));
		self->offline = true;
		ASSERT_EQ(0, test_write_file(CPU1_ONLINE, "0"));
		test_ioctl_enable(late);
		test_ioctl_stats(id, before, self->s.nr_rings, &stats);
		EXPECT_TRUE(hits_grow(&self->s, id, 0));
		EXPECT_TRUE(hits_grow(&self->s, late, 0));
		test_ioctl_stats(id, after, self->s.nr_rings, &stats);
		EXPECT_EQ(before[1].hits, after[1].hits);
		ASSERT_EQ(0, test_write_file(CPU1_ONLINE, "1"));
		self->offline = false;
		EXPECT_TRUE(hits_grow(&self->s, id, 1));
		EXPECT_TRUE(hits_grow(&self->s, late, 1));
		test_ioctl_disable(late);
		test_session_drain(&self->s, NULL);
	}
	/* Disabled, or closed, while the CPU is offline. */
	self->offline = true;
	ASSERT_EQ(0, test_write_file(CPU1_ONLINE, "0"));
	test_ioctl_disable(id);
	test_ioctl_delete(late);
	ASSERT_EQ(0, test_write_file(CPU1_ONLINE, "1"));
	self->offline = false;
	test_ioctl_enable(id);
	EXPECT_TRUE(hits_grow(&self->s, id, 1));
	test_ioctl_disable(id);
	test_counters(_metadata, &self->s, id);
}

TEST_HARNESS_MAIN
