// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of counters in records: the value of a call is what that one call took; no value is
 * made up where it is unknown; and the limits of a session. All tests except the last use
 * software counters; the last one uses a hardware counter.
 */
#include <linux/perf_event.h>

#include "selftests/module/uprobe_harness.h"

#define NR_PAGES	40

/* The counters of the sessions here. */
enum { FAULTS, SWITCHES, CLOCK, NR_COUNTERS };

#define OP_PMU(n)	OP(TAP_OP_PMU, TAP_OP_OUT, 0, 8, n, 0)
#define OP_PMU_TO(r, n)	OP(TAP_OP_PMU, r, 0, 8, n, 0)
#define OP_ABSENT	OP(TAP_OP_VAR, TAP_OP_OUT, 0, 8, TAP_VAR_ABSENT, 0)
#define OP_RETURN	OP(TAP_OP_RETURN, 0, 0, 0, 0, 0)
/* Ops of a call; outputs 0 to 3 are the words behind its first two. */
#define CALL_OPS	OP_RETURN, OP_PMU(FAULTS), OP_PMU(SWITCHES), OP_PMU(CLOCK), OP_ABSENT
enum { CALL_FAULTS = TAP_CALL_FETCHES, CALL_SWITCHES, CALL_CLOCK, CALL_ABSENT };

#define NO_NUMBER	(TAP_F_DESCHEDULED | TAP_F_MIGRATED)

static struct tap_perf counter(__u32 type, __u64 config)
{
	return (struct tap_perf){
		.size = sizeof(struct tap_perf),
		.type = type,
		.config = config,
	};
}

static int _test_ioctl_pmu(int fd, const struct tap_perf *events, __u32 nr)
{
	struct tap_pmu pmu = {
		.size = sizeof(pmu),
		.events = (uintptr_t)events,
		.nr_events = nr,
	};

	return ioctl(fd, TAP_IOC_PMU, &pmu);
}

static int software(int fd)
{
	const struct tap_perf events[NR_COUNTERS] = {
		[FAULTS] = counter(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS),
		[SWITCHES] = counter(PERF_TYPE_SOFTWARE,
				     PERF_COUNT_SW_CONTEXT_SWITCHES),
		[CLOCK] = counter(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK),
	};

	return _test_ioctl_pmu(fd, events, NR_COUNTERS);
}

/* Pages that were not touched yet. */
static char *fresh_pages(void)
{
	size_t len = NR_PAGES * sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, len, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		return NULL;
	madvise(pages, len, MADV_NOHUGEPAGE);
	return pages;
}

TARGET static __u64 target_touch(char *pages, __u64 nr)
{
	size_t size = sysconf(_SC_PAGESIZE);
	__u64 i;

	for (i = 0; i < nr; i++)
		((volatile char *)pages)[i * size] = 1;
	return i;
}

/* Once with page faults, once without. */
static void read_twice(struct __test_metadata *_metadata)
{
	ssize_t len = NR_PAGES * sysconf(_SC_PAGESIZE);
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	char *pages = fresh_pages();

	ASSERT_NE(NULL, pages);
	ASSERT_EQ(len, read(zero, pages, len));
	ASSERT_EQ(len, read(zero, pages, len));
	munmap(pages, len);
	close(zero);
}

/*
 * A call that is interrupted by other tasks has no value, and on some kernels that is most of
 * the time. So calls are made until this many have a value, up to a limit.
 */
#define NR_SURE		15
#define NR_ROUNDS	1000

FIXTURE(pmu)
{
	struct test_session s;
	int target;
	int file;
};

FIXTURE_SETUP(pmu)
{
	self->file = -1;
	test_setup();
	self->file = test_open_self();
	ASSERT_LE(0, self->file);
	test_session_open(_metadata, &self->s, 1 << 20);
	ASSERT_EQ(0, software(self->s.fd)) TH_LOG("%s", strerror(errno));
}

FIXTURE_TEARDOWN(pmu)
{
	test_teardown();
	if (self->file >= 0)
		close(self->file);
}

TEST_F(pmu, of_a_call_that_touches_nothing_has_no_page_fault)
{
	unsigned int sure = 0;
	struct test_record rec;
	__u32 id;

	test_ioctl_create(&id, TAP_PROBE_CALL, "tap_target_add", CALL_OPS);
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_ADD, 100);
	while (test_session_next(&self->s, &rec)) {
		if (rec.flags & NO_NUMBER)
			continue;
		sure++;
		EXPECT_EQ(0, rec.flags & (TAP_F_ABSENT | TAP_F_MULTIPLEXED));
		EXPECT_EQ(0, rec.word[CALL_FAULTS]);
		EXPECT_EQ(0, rec.word[CALL_SWITCHES]);
		EXPECT_EQ(0, rec.word[CALL_ABSENT]);
	}
	EXPECT_LE(90, sure);
	EXPECT_EQ(100, test_counters(_metadata, &self->s, id).written);
}

TEST_F(pmu, of_a_call_are_the_page_faults_of_that_call_exactly)
{
	unsigned int rounds, read = 0, with = 0, without = 0;
	size_t len = NR_PAGES * sysconf(_SC_PAGESIZE);
	struct test_record rec;
	__u32 id;

	test_ioctl_create(&id, TAP_PROBE_CALL, "vfs_read",
			  OP_TEST_TGID(getpid()), OP_ARG(2), OP_RETURN,
			  OP_PMU(FAULTS), OP_PMU(SWITCHES));
	test_ioctl_enable(id);
	for (rounds = 0; rounds < NR_ROUNDS &&
	     (with < NR_SURE || without < NR_SURE); rounds++) {
		read_twice(_metadata);
		for (; test_session_next(&self->s, &rec); read++) {
			ASSERT_EQ(len, rec.word[TAP_CALL_FETCHES]);
			if (rec.flags & NO_NUMBER)
				continue;
			EXPECT_EQ(0, rec.flags & TAP_F_ABSENT);
			EXPECT_EQ(0, rec.word[TAP_CALL_FETCHES + 2]);
			if (!rec.word[TAP_CALL_FETCHES + 1]) {
				without++;
				continue;
			}
			with++;
			EXPECT_EQ(NR_PAGES, rec.word[TAP_CALL_FETCHES + 1]);
		}
	}
	EXPECT_EQ(2 * rounds, read);
	EXPECT_LE(NR_SURE, with);
	EXPECT_LE(NR_SURE, without);
	EXPECT_GE(rounds, with);
	EXPECT_GE(rounds, without);
}

TEST_F(pmu, clock_of_a_call_is_about_its_duration)
{
	unsigned int i, sure = 0, about = 0;
	struct test_record rec;
	__u64 ns, clock;
	__u32 id;

	/* Without the raw clock, the kernel's own clock is coarse as well. */
	if (self->s.meta->clock == TAP_CLOCK_MONO)
		SKIP(return, "no stable raw counter");
	test_ioctl_create(&id, TAP_PROBE_CALL, "tap_target_loop", CALL_OPS);
	test_ioctl_enable(id);
	for (i = 0; i < 10; i++)
		test_target_call(TAP_TARGET_LOOP, 1000000);
	while (test_session_next(&self->s, &rec)) {
		if (rec.flags & NO_NUMBER)
			continue;
		sure++;
		ns = test_ticks_to_ns(&self->s, rec.word[TAP_CALL_DURATION]);
		clock = rec.word[CALL_CLOCK];
		/* It is read within the call; the scales of the two clocks differ by some ppm. */
		EXPECT_LE(clock, ns + ns / 1000 + 1);
		about += clock <= ns + ns / 10 + 100000 &&
			 clock >= ns - ns / 10 - 100000;
	}
	/* Not all of them: an emulator may be stopped between reading the two clocks. */
	EXPECT_NE(0, about);
	EXPECT_LE(sure / 2, about);
}

/* Checks the record of a call whose values must be absent. */
#define expect_none(_rec, _flag)					\
	do {								\
		EXPECT_NE(0, (_rec)->flags & (_flag));			\
		EXPECT_NE(0, (_rec)->flags & TAP_F_ABSENT);		\
		EXPECT_EQ(0, (_rec)->word[CALL_FAULTS]);		\
		EXPECT_EQ(0, (_rec)->word[CALL_SWITCHES]);		\
		EXPECT_EQ(0, (_rec)->word[CALL_CLOCK]);			\
		EXPECT_EQ(7, (_rec)->word[CALL_ABSENT]);		\
	} while (0)

TEST_F(pmu, of_a_call_that_moves_there_is_no_number)
{
	struct test_record rec;
	__u32 id, to;

	test_need_cpus(2);
	test_ioctl_create(&id, TAP_PROBE_CALL, "tap_target_migrate", CALL_OPS);
	test_ioctl_enable(id);
	for (to = 0; to < 2; to++) {
		ASSERT_EQ(0, _test_target(self->target, TAP_TARGET_CALL,
					  TAP_TARGET_MIGRATE, 1, to, NULL));
		ASSERT_TRUE(test_session_next(&self->s, &rec));
		expect_none(&rec, TAP_F_MIGRATED);
	}
}

TEST_F(pmu, of_a_call_that_sleeps_there_is_no_number)
{
	struct test_record rec;
	__u32 id;

	test_ioctl_create(&id, TAP_PROBE_CALL, "tap_target_sleep", CALL_OPS);
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_SLEEP, 5);
	ASSERT_TRUE(test_session_next(&self->s, &rec));
	expect_none(&rec, TAP_F_DESCHEDULED);
}

TEST_F(pmu, can_be_asked_for_in_a_condition)
{
	struct tap_counters c = {};
	unsigned int rounds, sure = 0;
	struct test_record rec;
	__u32 id, slept;

	test_ioctl_create(&id, TAP_PROBE_CALL, "vfs_read",
			  OP_TEST_TGID(getpid()), OP_RETURN,
			  OP_PMU_TO(0, FAULTS), OP_REJECT_IF(TAP_OP_JEQ, 0, 0),
			  OP_PMU(FAULTS));
	test_ioctl_create(&slept, TAP_PROBE_CALL, "tap_target_sleep", OP_RETURN,
			  OP_PMU_TO(0, FAULTS), OP_REJECT_IF(TAP_OP_JEQ, 0, 0));
	test_ioctl_enable(0);
	for (rounds = 0; rounds < NR_ROUNDS &&
	     (sure < NR_SURE || c.filtered < NR_SURE); rounds++) {
		read_twice(_metadata);
		while (test_session_next(&self->s, &rec)) {
			EXPECT_EQ(NR_PAGES, rec.word[TAP_CALL_FETCHES]);
			sure++;
		}
		c = test_counters(_metadata, &self->s, id);
	}
	test_target_call(TAP_TARGET_SLEEP, 2);
	test_ioctl_disable(0);
	c = test_counters(_metadata, &self->s, id);
	/* Calls of other processes are events as well. */
	EXPECT_LE(2 * rounds, c.hits);
	EXPECT_EQ(sure, c.written);
	EXPECT_LE(NR_SURE, sure);
	EXPECT_LE(NR_SURE, c.filtered);
	/* The call that slept has no value, so its test cannot be decided. */
	EXPECT_EQ(1, test_counters(_metadata, &self->s, slept).lost_fault);
}

/* An event without a duration reads the counter's total on its CPU. */
TEST_F(pmu, of_a_hit_only_grow)
{
	const struct test_kind *kinds[] = {
		&test_kprobe, &test_kretprobe, &test_rawtp, &test_tracepoint,
	};
	struct test_record rec;
	__u64 clock, faults;
	char *pages;
	unsigned int k, i;
	__u32 id;

	test_need_raw_tracepoints();
	ASSERT_EQ(0, test_pin(0));
	for (k = 0; k < ARRAY_SIZE(kinds); k++) {
		test_ioctl_create(&id, kinds[k]->type, kinds[k]->target,
				  OP_PMU(FAULTS), OP_PMU(CLOCK));
		test_ioctl_enable(id);
		clock = 0;
		faults = 0;
		for (i = 0; i < 10; i++) {
			pages = fresh_pages();
			ASSERT_NE(NULL, pages);
			target_touch(pages, NR_PAGES);
			test_target_call(kinds[k]->function, 1);
			ASSERT_TRUE(test_session_next(&self->s, &rec));
			EXPECT_EQ(0, rec.cpu);
			EXPECT_EQ(0, rec.flags & TAP_F_ABSENT);
			EXPECT_LE(faults + NR_PAGES, rec.word[0]) {
				TH_LOG("%s", kinds[k]->event);
			}
			EXPECT_LE(clock, rec.word[1]);
			faults = rec.word[0];
			clock = rec.word[1];
		}
		test_ioctl_delete(id);
	}
}

TEST_F(pmu, of_a_programs_call_are_its_page_faults_exactly)
{
	__u64 before = 0, after;
	struct test_record rec;
	unsigned int i, sure = 0;
	__u32 entry, whole;
	char *pages;

	ASSERT_EQ(0, test_pin(0));
	test_uprobe(&entry, TAP_PROBE_UPROBE, target_touch, OP_PMU(FAULTS));
	test_ucall(&whole, target_touch, 0, OP_TO(0, 1),
		   OP(TAP_OP_MOVE, TAP_OP_OUT, 0, 8, 0, 0), OP_RETURN,
		   OP_PMU(FAULTS), OP_PMU(CLOCK));
	test_ioctl_enable(0);
	/* Causes the page faults that only the first return has. */
	target_touch(NULL, 0);
	for (i = 1; i <= 20; i++) {
		pages = fresh_pages();
		ASSERT_NE(NULL, pages);
		target_touch(pages, i);
	}
	test_ioctl_disable(0);
	while (test_session_next(&self->s, &rec)) {
		EXPECT_EQ(0, rec.cpu);
		if (rec.probe == entry) {
			after = rec.word[0];
			EXPECT_LE(before, after);
			before = after;
			continue;
		}
		if (rec.flags & NO_NUMBER || !rec.word[TAP_CALL_FETCHES])
			continue;
		sure++;
		EXPECT_EQ(0, rec.flags & TAP_F_ABSENT);
		EXPECT_EQ(rec.word[TAP_CALL_FETCHES],
			  rec.word[TAP_CALL_FETCHES + 1]);
	}
	EXPECT_LE(15, sure);
	EXPECT_EQ(21, test_counters(_metadata, &self->s, entry).written);
}

TEST_F(pmu, of_calls_within_calls_are_each_ones_own)
{
	struct test_record rec;
	__u64 inner = 0;
	__u32 id, depth;

	test_ioctl_create(&id, TAP_PROBE_CALL, "tap_target_recurse", CALL_OPS);
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_RECURSE, 8);
	for (depth = 0; depth <= 8; depth++) {
		ASSERT_TRUE(test_session_next(&self->s, &rec));
		if (rec.flags & NO_NUMBER)
			break;
		/* Each call lies within the outer one. */
		EXPECT_LE(inner, rec.word[CALL_CLOCK]);
		inner = rec.word[CALL_CLOCK];
	}
}

/* A CPU that comes online gets its counters a moment later. */
TEST_F(pmu, come_with_their_cpu)
{
	const char *online = "/sys/devices/system/cpu/cpu1/online";
	struct test_record rec;
	unsigned int tries;
	bool counts = false;
	__u32 id;

	test_need_cpus(2);
	if (access(online, W_OK))
		SKIP(return, "CPU 1 cannot be taken offline");
	test_ioctl_create(&id, TAP_PROBE_CALL, "tap_target_add", CALL_OPS);
	test_ioctl_enable(id);
	ASSERT_EQ(0, test_write_file(online, "0"));
	test_target_call(TAP_TARGET_ADD, 1);
	ASSERT_EQ(0, test_write_file(online, "1"));
	ASSERT_EQ(0, test_pin(1));
	for (tries = 0; tries < 200 && !counts; tries++) {
		test_target_call(TAP_TARGET_ADD, 1);
		while (test_session_next(&self->s, &rec)) {
			if (rec.flags & NO_NUMBER)
				continue;
			counts = rec.cpu == 1 && !(rec.flags & TAP_F_ABSENT);
			EXPECT_EQ(counts || rec.cpu != 1,
				  !(rec.flags & TAP_F_MULTIPLEXED));
		}
		usleep(counts ? 0 : 10000);
	}
	EXPECT_TRUE(counts);
}

TEST_F(pmu, are_given_to_a_session_once)
{
	struct test_session other;
	struct tap_perf event;
	int fd;

	EXPECT_ERRNO(EBADFD, software(self->s.fd));
	fd = open(TAP_DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, fd);
	EXPECT_ERRNO(EBADFD, software(fd));
	close(fd);

	test_session_open(_metadata, &other, 65536);
	event = counter(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	EXPECT_ERRNO(EINVAL, _test_ioctl_pmu(other.fd, &event, 0));
	EXPECT_ERRNO(EINVAL, _test_ioctl_pmu(other.fd, &event, TAP_MAX_PMU + 1));
	EXPECT_ERRNO(EFAULT, _test_ioctl_pmu(other.fd, NULL, 1));
	event.period = 1;
	EXPECT_ERRNO(EINVAL, _test_ioctl_pmu(other.fd, &event, 1));
	event.period = 0;
	event.flags = ~TAP_PERF_F_ALL;
	EXPECT_ERRNO(EINVAL, _test_ioctl_pmu(other.fd, &event, 1));
	event.flags = 0;
	event.type = 0xffff;
	EXPECT_EQ(-1, _test_ioctl_pmu(other.fd, &event, 1));
	/* A command that failed has changed nothing. */
	EXPECT_EQ(0, software(other.fd));
	test_session_close(&other);
}

/* The array as a program built with later headers has it, and as one with wrong sizes has it. */
TEST_F(pmu, have_the_size_that_the_caller_says)
{
	struct {
		struct tap_perf event;
		__u64 tail;
	} later[NR_COUNTERS] = {
		{ .event = counter(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK) },
		{ .event = counter(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS) },
		{ .event = counter(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK) },
	};
	struct test_session other;
	struct test_record rec;
	unsigned int i;
	__u32 id;

	test_session_open(_metadata, &other, 65536);
#define test_later()	_test_ioctl_pmu(other.fd, &later[0].event, NR_COUNTERS)
	for (i = 0; i < NR_COUNTERS; i++)
		later[i].event.size = sizeof(later[0]);
	later[0].event.size = sizeof(struct tap_perf) - 1;
	EXPECT_ERRNO(EINVAL, test_later());
	/* All have one size; a smaller one is another, although it is valid by itself. */
	later[0].event.size = sizeof(later[0]);
	later[2].event.size = sizeof(struct tap_perf);
	EXPECT_ERRNO(EINVAL, test_later());
	later[2].event.size = sizeof(later[0]);
	later[2].tail = 1;
	EXPECT_ERRNO(E2BIG, test_later());
	later[0].event.size = 4097;
	EXPECT_ERRNO(E2BIG, test_later());
	later[0].event.size = sizeof(later[0]);
	later[2].tail = 0;
	ASSERT_EQ(0, test_later()) TH_LOG("%s", strerror(errno));

	/* The second counter is the one of page faults: its value does not grow by itself. */
	ASSERT_EQ(0, _test_ioctl_create(other.fd, &id, TAP_PROBE_CALL, "tap_target_add",
					OPS(OP_RETURN, OP_PMU(1))));
	ASSERT_EQ(0, _test_ioctl_enable(other.fd, id));
	test_target_call(TAP_TARGET_ADD, 20);
	for (i = 0; test_session_next(&other, &rec); i++)
		if (!(rec.flags & NO_NUMBER))
			EXPECT_EQ(0, rec.word[TAP_CALL_FETCHES]);
	EXPECT_EQ(20, i);
	test_session_close(&other);
}

TEST_F(pmu, are_read_by_their_number)
{
	const struct tap_op wide = OP(TAP_OP_PMU, TAP_OP_OUT, 0, 4, 0, 0);
	const struct tap_op more = OP(TAP_OP_PMU, TAP_OP_OUT, 0, 8, 0, 1);
	struct test_session other;

	test_err_ioctl_create(EINVAL, TAP_PROBE_CALL, "tap_target_add", OP_RETURN,
			      OP_PMU(NR_COUNTERS));
	test_err_ioctl_create(EINVAL, TAP_PROBE_KPROBE, "tap_target_add",
			      OP_PMU(-1));
	test_err_ioctl_create(EINVAL, TAP_PROBE_KPROBE, "tap_target_add", wide);
	test_err_ioctl_create(EINVAL, TAP_PROBE_KPROBE, "tap_target_add", more);
	test_session_open(_metadata, &other, 65536);
	EXPECT_ERRNO(EINVAL, _test_ioctl_create(other.fd, NULL, TAP_PROBE_KPROBE,
						"tap_target_add", OPS(OP_PMU(0))));
	test_session_close(&other);
}

TEST_F(pmu, of_the_processor_need_one_that_has_them)
{
	struct tap_perf event = counter(PERF_TYPE_HARDWARE,
					PERF_COUNT_HW_CPU_CYCLES);
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
	};
	struct test_session other;
	int perf;

	perf = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	test_session_open(_metadata, &other, 65536);
	if (perf < 0)
		EXPECT_ERRNO(EOPNOTSUPP, _test_ioctl_pmu(other.fd, &event, 1));
	else
		EXPECT_EQ(0, _test_ioctl_pmu(other.fd, &event, 1));
	test_session_close(&other);
	if (perf >= 0)
		close(perf);
}

/* A function whose instructions are in proportion to its argument. */

#define NR_TURNS	7
#define NR_CALLS	21

static const __u64 turns[NR_TURNS] = { 10, 30, 100, 300, 1000, 3000, 10000 };

static int compare(const void *a, const void *b)
{
	const __u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The median: timer interrupts may disturb single values. */
static double median(__u64 *values, unsigned int nr)
{
	qsort(values, nr, sizeof(*values), compare);
	return values[nr / 2];
}

/* Least squares of y over the turns: slope, and how well the line fits. */
static double fit(const double *y, double *slope)
{
	double n = NR_TURNS, x = 0, xx = 0, xy = 0, sum = 0, yy = 0;
	unsigned int i;

	for (i = 0; i < NR_TURNS; i++) {
		x += turns[i];
		xx += (double)turns[i] * turns[i];
		xy += turns[i] * y[i];
		sum += y[i];
		yy += y[i] * y[i];
	}
	*slope = (n * xy - x * sum) / (n * xx - x * x);
	return (n * xy - x * sum) * (n * xy - x * sum) /
	       ((n * xx - x * x) * (n * yy - sum * sum));
}

TEST_F(pmu, instructions_of_a_call_are_those_of_its_loop)
{
	struct tap_perf event = counter(PERF_TYPE_HARDWARE,
					PERF_COUNT_HW_INSTRUCTIONS);
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.exclude_user = 1,
	};
	double of_calls[NR_TURNS], of_perf[NR_TURNS], slope, want, fits;
	__u64 values[NR_CALLS], before, after;
	struct test_record rec;
	unsigned int i, k, nr;
	__u32 id;
	int perf;

	perf = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (perf < 0)
		SKIP(return, "the processor counts no instructions");
	test_session_close(&self->s);
	test_session_open(_metadata, &self->s, 1 << 20);
	event.flags = TAP_PERF_F_NO_USER;
	ASSERT_EQ(0, _test_ioctl_pmu(self->s.fd, &event, 1));
	/* First as perf counts it, without a probe. */
	for (i = 0; i < NR_TURNS; i++) {
		for (k = 0; k < NR_CALLS; k++) {
			ASSERT_EQ(8, read(perf, &before, 8));
			test_target_call(TAP_TARGET_LOOP, turns[i]);
			ASSERT_EQ(8, read(perf, &after, 8));
			values[k] = after - before;
		}
		of_perf[i] = median(values, NR_CALLS);
	}
	close(perf);
	test_ioctl_create(&id, TAP_PROBE_CALL, "tap_target_loop", OP_ARG(0),
			  OP_RETURN, OP_PMU(0));
	test_ioctl_enable(id);
	for (i = 0; i < NR_TURNS; i++) {
		for (k = 0; k < NR_CALLS; k++)
			test_target_call(TAP_TARGET_LOOP, turns[i]);
		nr = 0;
		while (test_session_next(&self->s, &rec)) {
			EXPECT_EQ(turns[i], rec.word[TAP_CALL_FETCHES]);
			if (!(rec.flags & (NO_NUMBER | TAP_F_ABSENT)))
				values[nr++] = rec.word[TAP_CALL_FETCHES + 1];
		}
		ASSERT_LE(NR_CALLS / 2, nr);
		of_calls[i] = median(values, nr);
	}
	EXPECT_LT(0.999, fit(of_perf, &want));
	fits = fit(of_calls, &slope);
	EXPECT_LT(0.999, fits);
	EXPECT_LT(0.99, slope / want);
	EXPECT_GT(1.01, slope / want);
	TH_LOG("%.4f instructions a turn, by perf %.4f, R2 %.6f", slope, want, fits);
}

TEST_HARNESS_MAIN
