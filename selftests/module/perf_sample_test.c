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
/* A program with a stack runs on the data in place. */
#define OP_STACK	OP(TAP_OP_KSTACK, TAP_OP_OUT, 0, 0, 0, 4 * 8)
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

#define test_bpf_attach(event, value)					\
	({								\
		int _fd = bpf_program_attach(EVENTS "/" event, value);	\
									\
		if (_fd == -ENOSYS)					\
			SKIP(return, "no bpf(2)");			\
		ASSERT_LE(0, _fd) TH_LOG("BPF: %s", strerror(-_fd));	\
		_fd;							\
	})

#define EXPECT_FLAGS(flags, id)						\
	EXPECT_EQ(flags, stats_flags(&self->s, id))

/* An event that only perf delivers. */
#define BY_PERF		"syscalls:sys_enter_getppid"
#define BY_PERF_DIR	"syscalls/sys_enter_getppid"

static void calls(unsigned int count)
{
	while (count--)
		syscall(SYS_getppid);
}

/* perf drops the events without a trace of them: the flag is all there is. */
TEST_F(event, dropped_by_a_bpf_program_are_reported_by_a_flag)
{
	int bpf;
	__u32 id;

	test_need_own_syscalls();
	test_ioctl_create(&id, TAP_PROBE_TRACEPOINT, BY_PERF, OP_TEST_TGID(getpid()));
	test_ioctl_enable(id);
	calls(10);
	EXPECT_FLAGS(0, id);
	bpf = test_bpf_attach(BY_PERF_DIR, 0);
	calls(10);
	EXPECT_FLAGS(TAP_STATS_F_BPF, id);
	EXPECT_EQ(10, test_counters(_metadata, &self->s, id).written);
	test_ioctl_disable(id);
	close(bpf);
	EXPECT_FLAGS(TAP_STATS_F_BPF, id);
}

TEST_F(event, of_a_bpf_program_is_seen_by_each_look)
{
	__u32 tick, enabled, disabled, never;
	int bpf;

	test_ioctl_create(&tick, TAP_PROBE_TRACEPOINT, BY_PERF, OP_COMM);
	test_ioctl_create(&enabled, TAP_PROBE_TRACEPOINT, BY_PERF, OP_COMM);
	test_ioctl_create(&disabled, TAP_PROBE_TRACEPOINT, BY_PERF, OP_COMM);
	test_ioctl_create(&never, TAP_PROBE_TRACEPOINT, BY_PERF, OP_COMM);
	bpf = test_bpf_attach(BY_PERF_DIR, 0);
	test_ioctl_enable(enabled);
	close(bpf);
	/* The governor's ticks have no other probe to look at. */
	test_ioctl_disable(enabled);
	EXPECT_FLAGS(TAP_STATS_F_BPF, enabled);
	test_ioctl_enable(disabled);
	bpf = test_bpf_attach(BY_PERF_DIR, 0);
	test_ioctl_disable(disabled);
	close(bpf);
	EXPECT_FLAGS(TAP_STATS_F_BPF, disabled);
	test_ioctl_enable(tick);
	bpf = test_bpf_attach(BY_PERF_DIR, 0);
	usleep(500000);
	close(bpf);
	EXPECT_FLAGS(TAP_STATS_F_BPF, tick);
	bpf = test_bpf_attach(BY_PERF_DIR, 0);
	EXPECT_FLAGS(0, never);
	close(bpf);
	test_ioctl_enable(never);
	test_ioctl_disable(never);
	EXPECT_FLAGS(0, never);
}

static __u64 stats_missed(const struct test_session *s, __u32 id)
{
	struct tap_counters all[TEST_MAX_RINGS];
	struct tap_stats stats;

	if (_test_ioctl_stats(s->fd, id, all, s->nr_rings, &stats))
		return ~0ULL;
	return stats.out_nmissed;
}

/* BPF programs and perf events belong to the event, and the probe has nothing to do with it. */
TEST_F(event, beside_bpf_programs_is_complete)
{
	int a = test_field("tap_target", "tap_target_event", "a"), bpf, value;
	struct test_record rec;
	unsigned int i;
	__u32 id;

	test_need_raw_tracepoints();
	test_ioctl_create(&id, TAP_PROBE_TRACEPOINT, TARGET, OP_FIELD(8, a));
	for (value = 0; value < 2; value++) {
		bpf = test_bpf_attach("tap_target/tap_target_event", value);
		test_ioctl_enable(id);
		test_target_call(TAP_TARGET_EVENT, 1000);
		test_ioctl_disable(id);
		close(bpf);
		for (i = 0; i < 1000; i++) {
			ASSERT_TRUE(test_session_next(&self->s, &rec));
			ASSERT_EQ(i, rec.word[0]);
		}
		EXPECT_FALSE(test_session_next(&self->s, &rec));
	}
	EXPECT_FLAGS(0, id);
	EXPECT_EQ(0, stats_missed(&self->s, id));
}

/*
 * The arguments that are not in registers, also where they cross a page; by a plain program,
 * by one that runs on a copy, and by one that runs on the data in place.
 */
TEST_F(event, has_up_to_twelve_arguments)
{
	int a = test_field("tap_target", "tap_target_wide", "a");
	struct test_record rec;
	unsigned int i, p;
	__u64 sum = 0;
	__u32 id[3];

	for (i = 1; i < 11; i++)
		sum += i == 5 || i == 6 ? 0 : TAP_TARGET_ARG(i);
	test_ioctl_create(&id[0], TAP_PROBE_TRACEPOINT, "tap_target:tap_target_wide",
			  OP_FIELD(8, a + 8), OP_FIELD(8, a + 16), OP_FIELD(8, a + 24),
			  OP_FIELD(8, a + 32));
	test_ioctl_create(&id[1], TAP_PROBE_TRACEPOINT, "tap_target:tap_target_wide",
			  OP_FIELD(8, a + 8), OP_FIELD(8, a + 16), OP_FIELD(8, a + 24),
			  OP_FIELD(8, a + 32), OP_FIELD(8, a));
	test_ioctl_create(&id[2], TAP_PROBE_TRACEPOINT, "tap_target:tap_target_wide",
			  OP_FIELD(8, a + 8), OP_FIELD(8, a + 16), OP_FIELD(8, a + 24),
			  OP_FIELD(8, a + 32), OP_FIELD(8, a), OP_STACK);
	for (p = 0; p < 3; p++) {
		test_ioctl_enable(id[p]);
		test_target_call(TAP_TARGET_WIDE, 512);
		test_ioctl_disable(id[p]);
		for (i = 0; i < 512; i++) {
			ASSERT_TRUE(test_session_next(&self->s, &rec));
			ASSERT_EQ(id[p], rec.probe);
			ASSERT_EQ(TAP_TARGET_ARG(5), rec.word[0]);
			ASSERT_EQ(TAP_TARGET_ARG(6), rec.word[1]);
			ASSERT_EQ(TAP_TARGET_ARG(11), rec.word[2]);
			ASSERT_EQ(sum, rec.word[3]);
			if (p)
				ASSERT_EQ(i, rec.word[4]);
		}
		EXPECT_FALSE(test_session_next(&self->s, &rec));
		EXPECT_EQ(0, stats_missed(&self->s, id[p]));
	}
}

#define OP_ARRAY(at, bytes)	OP(TAP_OP_FIELD_BYTES, TAP_OP_OUT, 0, 0, at, bytes)

/* Where the arrays of a probe are, from the first field on, and their lengths. */
struct array {
	unsigned int at, bytes;
};

static void expect_arrays(struct __test_metadata *_metadata, const struct test_record *rec,
			  const __u64 *fields, const struct array *arrays, unsigned int nr)
{
	unsigned int word = 0, i;
	__u64 expected[8];

	for (i = 0; i < nr; i++) {
		unsigned int words = (arrays[i].bytes + 7) / 8;

		memset(expected, 0, sizeof(expected));
		memcpy(expected, (const char *)fields + arrays[i].at, arrays[i].bytes);
		EXPECT_EQ(0, memcmp(expected, &rec->word[word], words * 8))
			TH_LOG("%u bytes at %u", arrays[i].bytes, arrays[i].at);
		word += words;
	}
}

/* By the fast path, also in a record of one slot, and by the interpreter. */
TEST_F(event, has_arrays_of_any_length_and_place)
{
	static const struct array one[] = { { 8, 16 }, { 24, 16 } };
	static const struct array many[] = { { 1, 13 }, { 39, 1 }, { 3, 27 }, { 5, 8 }, { 0, 40 } };
	int a = test_field("tap_target", "tap_target_wide", "a");
	__u64 fields[5] = { 0, TAP_TARGET_ARG(5), TAP_TARGET_ARG(6), TAP_TARGET_ARG(11) };
	struct test_record rec;
	unsigned int i, p;
	__u32 id[3];

	for (i = 1; i < 11; i++)
		fields[4] += i == 5 || i == 6 ? 0 : TAP_TARGET_ARG(i);
	test_ioctl_create(&id[0], TAP_PROBE_TRACEPOINT, "tap_target:tap_target_wide",
			  OP_ARRAY(a + 8, 16), OP_ARRAY(a + 24, 16));
	test_ioctl_create(&id[1], TAP_PROBE_TRACEPOINT, "tap_target:tap_target_wide",
			  OP_ARRAY(a + 1, 13), OP_ARRAY(a + 39, 1), OP_ARRAY(a + 3, 27),
			  OP_ARRAY(a + 5, 8), OP_ARRAY(a, 40));
	test_ioctl_create(&id[2], TAP_PROBE_TRACEPOINT, "tap_target:tap_target_wide",
			  OP_ARRAY(a + 1, 13), OP_ARRAY(a + 39, 1), OP_ARRAY(a + 3, 27),
			  OP_ARRAY(a + 5, 8), OP_ARRAY(a, 40), OP_STACK);
	test_ioctl_enable(0);
	test_target_call(TAP_TARGET_WIDE, 100);
	test_ioctl_disable(0);
	for (i = 0; i < 300; i++) {
		ASSERT_TRUE(test_session_next(&self->s, &rec));
		for (p = 0; p < 2 && id[p] != rec.probe; p++)
			;
		ASSERT_EQ(id[p], rec.probe);
		/* The first field counts the calls; all probes see a call one after the other. */
		fields[0] = i / 3;
		if (p)
			expect_arrays(_metadata, &rec, fields, many, ARRAY_SIZE(many));
		else
			expect_arrays(_metadata, &rec, fields, one, ARRAY_SIZE(one));
	}
	EXPECT_FALSE(test_session_next(&self->s, &rec));
}

/*
 * Compares a record with the words of tap_target_fields, and then with the task's name if it
 * has one. The event leaves the bytes behind the fields "yes" and "low" as they were.
 */
static void expect_block(struct __test_metadata *_metadata, const struct test_record *rec,
			 const __u64 *words, unsigned int nr, bool named)
{
	char name[16] = "";
	unsigned int i;

	for (i = 0; i < nr; i++) {
		__u64 mask = i == 3 ? ~0xffffff00ULL : i == 4 ? 0xffffffff : ~0ULL;

		EXPECT_EQ(words[i] & mask, rec->word[i] & mask);
	}
	if (!named)
		return;
	ASSERT_EQ(0, prctl(PR_GET_NAME, name));
	EXPECT_EQ(0, memcmp(name, &rec->word[nr], sizeof(name)));
}

/* Side by side: these records of two slots have handlers of their own. */
TEST_F(event, has_any_number_of_words_side_by_side)
{
	static const char event[] = "tap_target:tap_target_fields";
	int at = test_field("tap_target", "tap_target_fields", "u8");
	struct test_record rec;
	unsigned int nr, named;
	__u64 words[11];
	__u32 ref, id;

	test_ioctl_create(&ref, TAP_PROBE_TRACEPOINT, event, OP_COMM, OP_FIELD(8, at),
			  OP_FIELD(8, at + 8), OP_FIELD(8, at + 16), OP_FIELD(8, at + 24),
			  OP_FIELD(8, at + 32), OP_FIELD(8, at + 40), OP_FIELD(8, at + 48),
			  OP_FIELD(8, at + 56), OP_FIELD(8, at + 64), OP_FIELD(8, at + 72),
			  OP_FIELD(8, at + 80));
	test_ioctl_enable(ref);
	test_target_call(TAP_TARGET_FIELDS, 1);
	test_ioctl_disable(ref);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	memcpy(words, &rec.word[2], sizeof(words));
	for (nr = 2; nr <= ARRAY_SIZE(words); nr++) {
		for (named = 0; named < 2; named++) {
			if (named) {
				test_ioctl_create(&id, TAP_PROBE_TRACEPOINT, event,
						  OP_ARRAY(at, nr * 8), OP_COMM);
			} else {
				test_ioctl_create(&id, TAP_PROBE_TRACEPOINT, event,
						  OP_ARRAY(at, nr * 8 - 8), OP_FIELD(8, at + nr * 8 - 8));
			}
			test_ioctl_enable(id);
			test_target_call(TAP_TARGET_FIELDS, 3);
			test_ioctl_disable(id);
			ASSERT_TRUE(test_session_next(&self->s, &rec));
			expect_block(_metadata, &rec, words, nr, named);
			ASSERT_TRUE(test_session_next(&self->s, &rec));
			ASSERT_TRUE(test_session_next(&self->s, &rec));
			EXPECT_FALSE(test_session_next(&self->s, &rec));
			EXPECT_EQ(3, test_counters(_metadata, &self->s, id).written);
			EXPECT_EQ(0, stats_missed(&self->s, id));
			test_ioctl_delete(id);
		}
	}
}

/* The number that tracefs gives the event. */
static int event_number(const char *directory)
{
	char path[PATH_MAX];
	int number = -1;
	FILE *file;

	snprintf(path, sizeof(path), EVENTS "/%s/id", directory);
	file = fopen(path, "re");
	if (!file)
		return -1;
	if (fscanf(file, "%d", &number) != 1)
		number = -1;
	fclose(file);
	return number;
}

/* On a copy, and in place. A task that holds no lock can be preempted. */
TEST_F(event, has_the_common_fields_of_ftrace)
{
	struct test_record rec;
	unsigned int i;
	__u32 id;

	for (i = 0; i < 2; i++) {
		if (i) {
			test_ioctl_create(&id, TAP_PROBE_TRACEPOINT, TARGET, OP_FIELD(2, 0),
					  OP_FIELD(1, 3), OP_FIELD(4, 4), OP_FIELD(8, 0),
					  OP_STACK);
		} else {
			test_ioctl_create(&id, TAP_PROBE_TRACEPOINT, TARGET, OP_FIELD(2, 0),
					  OP_FIELD(1, 3), OP_FIELD(4, 4), OP_FIELD(8, 0));
		}
		test_ioctl_enable(id);
		test_target_call(TAP_TARGET_EVENT, 1);
		test_ioctl_disable(id);
		ASSERT_TRUE(test_session_next(&self->s, &rec));
		EXPECT_EQ(event_number("tap_target/tap_target_event"), rec.word[0]);
		EXPECT_EQ(0, rec.word[1]);
		EXPECT_EQ(rec.tid, rec.word[2]);
		EXPECT_EQ(rec.word[0], rec.word[3] & 0xffff);
		EXPECT_EQ(rec.tid, rec.word[3] >> 32);
	}
}

/* Of tasks, softirqs and interrupts of the same CPU, which interrupt each other's handlers. */
TEST_F(event, of_every_context_is_hit_or_missed)
{
	static const __u64 contexts[] = {
		TAP_TARGET_IN_TASK, TAP_TARGET_IN_HARDIRQ, TAP_TARGET_IN_SOFTIRQ,
	};
	int a = test_field("tap_target", "tap_target_event", "a");
	struct tap_target_run run;
	__u64 fired, missed;
	unsigned int i;
	__u32 plain, held;

	test_ioctl_create(&plain, TAP_PROBE_TRACEPOINT, TARGET, OP_FIELD(8, a));
	test_ioctl_create(&held, TAP_PROBE_TRACEPOINT, TARGET, OP_FIELD(8, a), OP_STACK);
	test_ioctl_enable(0);
	for (i = 0; i < 3; i++) {
		run = (struct tap_target_run){
			.function = TAP_TARGET_CHAIN, .count = 100, .arg = { contexts[i] },
		};
		ASSERT_EQ(0, ioctl(self->target, TAP_TARGET_CALL, &run));
	}
	EXPECT_EQ(300, test_counters(_metadata, &self->s, plain).hits);
	EXPECT_EQ(300, test_counters(_metadata, &self->s, held).hits);
	for (i = 0; i < 2; i++)
		_test_target(self->target, TAP_TARGET_STORM, TAP_TARGET_EVENT, 0, i, NULL);
	for (i = 0; i < 30; i++) {
		run = (struct tap_target_run){
			.function = TAP_TARGET_CHAIN, .count = 10, .arg = { contexts[i % 3] },
		};
		ASSERT_EQ(0, ioctl(self->target, TAP_TARGET_CALL, &run));
	}
	ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_CALM, 0, 0, 0, &fired));
	test_ioctl_disable(0);
	fired += 600;
	missed = stats_missed(&self->s, plain);
	EXPECT_EQ(fired, test_counters(_metadata, &self->s, plain).hits + missed);
	EXPECT_GE(10, missed);
	missed = stats_missed(&self->s, held);
	EXPECT_EQ(fired, test_counters(_metadata, &self->s, held).hits + missed);
	EXPECT_GE(10, missed);
}

#ifdef __x86_64__
/* An address where nothing is mapped: reading it makes an event page_fault_kernel. */
#define NOWHERE	0xffffc8fffffff000ULL

/* The events of a page fault that a program of @type at @target causes are all missed. */
static void nested(struct __test_metadata *_metadata, struct test_session *s, int target,
		   __u32 type, const char *event)
{
	const struct tap_op ops[] = {
		OP_TEST_TGID(getpid()),
		OP(TAP_OP_IMM, 0, 0, 8, 0, NOWHERE),
		OP(TAP_OP_LOAD, TAP_OP_OUT, 0, 8, 0, 0),
	};
	struct test_session faults;
	__u64 missed;
	__u32 id;

	test_session_open(_metadata, &faults, 1 << 20);
	if (_test_ioctl_create(faults.fd, &id, TAP_PROBE_TRACEPOINT,
			       "exceptions:page_fault_kernel", OPS(OP_COMM)))
		SKIP(return, "no such event");
	ASSERT_EQ(0, _test_ioctl_enable(faults.fd, id));
	missed = stats_missed(&faults, id);
	ASSERT_EQ(0, _test_ioctl_create(s->fd, NULL, type, event, ops, ARRAY_SIZE(ops)));
	ASSERT_EQ(0, _test_ioctl_enable(s->fd, 0));
	calls(100);
	ASSERT_EQ(0, _test_target(target, TAP_TARGET_CALL, TAP_TARGET_EVENT, 100, 0, NULL));
	ASSERT_EQ(0, _test_ioctl_disable(s->fd, 0));
	ASSERT_EQ(0, _test_ioctl_disable(faults.fd, id));
	EXPECT_EQ(missed + 100, stats_missed(&faults, id));
	test_session_close(&faults);
}

TEST_F(event, nested_in_one_that_perf_delivers_is_missed)
{
	test_need_raw_tracepoints();
	nested(_metadata, &self->s, self->target, TAP_PROBE_TRACEPOINT, BY_PERF);
}

TEST_F(event, nested_in_one_whose_program_runs_in_place_is_missed)
{
	test_need_raw_tracepoints();
	nested(_metadata, &self->s, self->target, TAP_PROBE_TRACEPOINT, TARGET);
}

/* Without a guard the kernel's stack would overflow. */
TEST_F(event, whose_program_causes_it_misses_that_one)
{
	struct tap_counters c;
	__u32 id;

	test_need_raw_tracepoints();
	if (_test_ioctl_create(self->s.fd, &id, TAP_PROBE_TRACEPOINT,
			       "exceptions:page_fault_kernel",
			       OPS(OP(TAP_OP_IMM, 0, 0, 8, 0, NOWHERE),
				   OP(TAP_OP_LOAD, TAP_OP_OUT, 0, 8, 0, 0))))
		SKIP(return, "no such event");
	test_ioctl_enable(id);
	/* The kernel writes to a page of ours that is not there yet. */
	for (c.hits = 0; !c.hits;) {
		void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		ASSERT_NE(MAP_FAILED, page);
		ASSERT_EQ(-1, syscall(SYS_clock_gettime, 99, page));
		ASSERT_EQ(0, syscall(SYS_clock_gettime, CLOCK_MONOTONIC, page));
		munmap(page, 4096);
		c = test_counters(_metadata, &self->s, id);
	}
	test_ioctl_disable(id);
	c = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(c.hits, stats_missed(&self->s, id));
}

/* In an NMI; the raw tracepoint has the same arguments. */
TEST_F(event, of_an_nmi_has_its_fields)
{
	int delta = field_offset("nmi", "nmi_handler", "delta_ns");
	__u64 sum[3] = {}, seen[3] = {};
	struct test_record rec;
	__u32 raw, plain, held;
	unsigned int i;

	test_need_cpus(2);
	if (delta < 0 || access("/proc/sysrq-trigger", W_OK))
		SKIP(return, "no event nmi_handler, or no sysrq");
	test_ioctl_create(&raw, TAP_PROBE_RAWTP, "nmi_handler", OP_ARG(1));
	test_ioctl_create(&plain, TAP_PROBE_TRACEPOINT, "nmi:nmi_handler", OP_FIELD(8, delta));
	test_ioctl_create(&held, TAP_PROBE_TRACEPOINT, "nmi:nmi_handler", OP_FIELD(8, delta),
			  OP_STACK);
	test_ioctl_enable(0);
	for (i = 0; i < 2; i++)
		_test_target(self->target, TAP_TARGET_STORM, TAP_TARGET_EVENT, 0, i, NULL);
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, test_write_file("/proc/sysrq-trigger", "l"));
		usleep(10000);
	}
	ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_CALM, 0, 0, 0, NULL));
	test_ioctl_disable(0);
	while (test_session_next(&self->s, &rec)) {
		EXPECT_NE(0, rec.flags & TAP_F_NMI);
		sum[rec.probe - raw] += rec.word[0];
		seen[rec.probe - raw]++;
	}
	EXPECT_LE(10, seen[0]);
	for (i = 1; i < 3; i++) {
		EXPECT_EQ(seen[0], seen[i]);
		EXPECT_EQ(sum[0], sum[i]);
	}
	EXPECT_EQ(0, stats_missed(&self->s, plain));
	EXPECT_EQ(0, stats_missed(&self->s, held));
}
#endif

/*
 * A module goes as soon as the probes that pinned it are gone, while its event fires on two
 * CPUs until its thread ends.
 */
/* The storm goes on: a CPU may be in an event that is a hit and has no outcome yet. */
TEST_F(event, under_fire_lets_its_module_go)
{
	struct tap_counters counters[TEST_MAX_RINGS];
	struct tap_stats stats;
	unsigned int turn, i;
	__u64 hits;
	__u32 id;
	int fd;

	test_need_module("tap_deferred");
	for (turn = 0; turn < 10; turn++) {
		struct test_session s;

		ASSERT_EQ(0, test_module_load("tap_deferred", "storm=1"));
		test_session_open(_metadata, &s, 65536);
		for (i = 0; i < 2; i++)
			ASSERT_EQ(0, _test_ioctl_create(s.fd, &id, TAP_PROBE_TRACEPOINT,
							"tap_deferred:tap_deferred_event",
							OPS(OP_COMM)));
		ASSERT_EQ(0, _test_ioctl_enable(s.fd, 0));
		fd = open("/sys/module/tap_deferred/parameters/fire", O_WRONLY | O_CLOEXEC);
		ASSERT_LE(0, fd);
		EXPECT_EQ(5, write(fd, "20000", 5));
		close(fd);
		ASSERT_EQ(0, _test_ioctl_stats(s.fd, id, counters, s.nr_rings, &stats));
		for (i = 0, hits = 0; i < s.nr_rings; i++)
			hits += counters[i].hits;
		EXPECT_LT(20000, hits);
		/* The probes hold the module; closing the session lets it go under fire. */
		EXPECT_NE(0, test_module_unload("tap_deferred"));
		test_session_close(&s);
		ASSERT_EQ(0, test_module_unload("tap_deferred"));
	}
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
