// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of what a session has for each CPU that is online: a CPU that was offline when the
 * session was set up gets its ring and tables when it comes online, and one for which there is
 * no memory comes online all the same.
 */
#include "selftests/module/tap_harness.h"

#include <signal.h>

#define TARGET		"tap_target_add"
#define RING_BYTES	65536
/* The CPU that tests take offline. */
#define CPU		1

static const char online[] = "/sys/devices/system/cpu/cpu1/online";

FIXTURE(hotplug)
{
	struct test_session s;
	int target;
	bool away;
};

/* The session is set up while the CPU is offline. */
FIXTURE_SETUP(hotplug)
{
	test_setup();
	test_need_cpus(2);
	if (access(online, W_OK))
		SKIP(return, "no CPU can be taken offline");
	ASSERT_EQ(0, test_write_file(online, "0"));
	self->away = true;
	test_session_open(_metadata, &self->s, RING_BYTES);
}

FIXTURE_TEARDOWN(hotplug)
{
	test_write_file(TEST_MEMORY_MAX, "0");
	if (self->away)
		test_write_file(online, "1");
	test_pin(0);
	test_teardown();
}

/* A line of /proc/self/fdinfo of the session. */
static long long fdinfo(const struct test_session *s, const char *name)
{
	char path[64], line[128];
	long long value = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", s->fd);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, strlen(name)) && line[strlen(name)] == ':')
			value = atoll(line + strlen(name) + 1);
	if (file)
		fclose(file);
	return value;
}

static void *map_tail(const struct test_session *s, unsigned int cpu)
{
	return test_map(s->fd, s->page, PROT_READ | PROT_WRITE,
			s->meta->ring_offset + cpu * s->meta->ring_stride);
}

#define test_bring_online()						\
	do {								\
		ASSERT_EQ(0, test_write_file(online, "1"));		\
		self->away = false;					\
	} while (0)

/* Takes all records of the rings; copies the notice of the CPU. Returns the events. */
static unsigned int take(struct test_session *s, __u64 *gaps, struct test_record *notice)
{
	struct test_record rec;
	unsigned int events = 0;

	notice->kind = TAP_KIND_EVENT;
	*gaps = 0;
	while (test_session_next(s, &rec)) {
		events += rec.kind == TAP_KIND_EVENT;
		if (rec.kind == TAP_KIND_GAP)
			*gaps += rec.word[TAP_GAP_LOST];
		if (rec.kind == TAP_KIND_NOTICE && rec.word[TAP_NOTICE_WHAT] == TAP_NOTICE_CPU)
			*notice = rec;
	}
	return events;
}

TEST_F(hotplug, a_cpu_that_comes_online_gets_its_ring)
{
	__u32 before = self->s.meta->nr_made, id;
	struct test_record notice;
	struct tap_counters c;
	struct tap_time begin;
	__u64 gaps, pending;

	EXPECT_EQ(sysconf(_SC_NPROCESSORS_ONLN), before);
	EXPECT_EQ(before, fdinfo(&self->s, "tap-rings"));
	EXPECT_EQ(MAP_FAILED, map_tail(&self->s, CPU));
	EXPECT_EQ(ENODATA, errno);
	EXPECT_EQ(NULL, self->s.ring[CPU].tail);
	/* A CPU that can never be there is another thing. */
	EXPECT_EQ(MAP_FAILED, map_tail(&self->s, self->s.nr_rings));
	EXPECT_EQ(ENXIO, errno);

	test_ioctl_create(&id, TAP_PROBE_KPROBE, TARGET);
	test_ioctl_enable(0);
	ASSERT_EQ(0, _test_ioctl_time(self->s.fd, &begin));
	test_bring_online();
	EXPECT_EQ(before + 1, self->s.meta->nr_made);
	test_ring_map(_metadata, &self->s, CPU);
	ASSERT_NE(NULL, self->s.ring[CPU].tail);
	ASSERT_EQ(0, test_pin(CPU));
	test_target_call(TAP_TARGET_ADD, 100);
	test_ioctl_disable(0);
	EXPECT_EQ(100, take(&self->s, &gaps, &notice));
	EXPECT_EQ(0, gaps);
	EXPECT_EQ(TAP_KIND_NOTICE, notice.kind);
	EXPECT_EQ(0, notice.probe);
	EXPECT_EQ(CPU, notice.word[TAP_NOTICE_COUNT]);
	EXPECT_EQ(RING_BYTES, notice.word[TAP_NOTICE_SIZE]);
	/* In ticks of the session's clock, like all times of the stream. */
	EXPECT_LE(notice.word[TAP_NOTICE_SINCE], notice.time);
	EXPECT_LE(begin.out_raw, notice.word[TAP_NOTICE_SINCE]);
	c = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(100, c.written);
	EXPECT_EQ(0, fdinfo(&self->s, "tap-cpus-failed"));
	test_ioctl_flush(&pending);
	EXPECT_EQ(0, pending);
}

TEST_F(hotplug, a_ring_stays_while_its_cpu_is_offline)
{
	struct test_record notice;
	__u64 gaps;
	__u32 made;

	test_ioctl_create(NULL, TAP_PROBE_KPROBE, TARGET);
	test_ioctl_enable(0);
	test_bring_online();
	ASSERT_EQ(0, test_pin(CPU));
	test_target_call(TAP_TARGET_ADD, 10);
	ASSERT_EQ(0, test_pin(0));
	ASSERT_EQ(0, test_write_file(online, "0"));
	self->away = true;
	made = self->s.meta->nr_made;
	/* Mapped for the first time while the CPU is away. */
	test_ring_map(_metadata, &self->s, CPU);
	EXPECT_EQ(10, take(&self->s, &gaps, &notice));
	test_bring_online();
	EXPECT_EQ(made, self->s.meta->nr_made);
	ASSERT_EQ(0, test_pin(CPU));
	test_target_call(TAP_TARGET_ADD, 10);
	EXPECT_EQ(10, take(&self->s, &gaps, &notice));
	/* It had its ring: nothing has changed. */
	EXPECT_EQ(TAP_KIND_EVENT, notice.kind);
}

TEST_F(hotplug, a_cpu_without_memory_for_its_ring_comes_online)
{
	struct test_record notice;
	struct tap_counters c;
	__u64 gaps, pending;
	__u32 id, made;

	test_ioctl_create(&id, TAP_PROBE_KPROBE, TARGET);
	test_ioctl_enable(0);
	made = self->s.meta->nr_made;
	/* Less than what is in use: nothing more is given. */
	ASSERT_EQ(0, test_write_file(TEST_MEMORY_MAX, "1"));
	test_bring_online();
	EXPECT_EQ(made, self->s.meta->nr_made);
	EXPECT_EQ(1, fdinfo(&self->s, "tap-cpus-failed"));
	EXPECT_EQ(MAP_FAILED, map_tail(&self->s, CPU));
	EXPECT_EQ(ENODATA, errno);
	ASSERT_EQ(0, test_pin(CPU));
	test_target_call(TAP_TARGET_ADD, 100);
	c = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(100, c.hits);
	EXPECT_EQ(100, c.lost_full);
	/* Nothing that a reader does makes room for these losses. */
	test_ioctl_flush(&pending);
	EXPECT_EQ(0, pending);
	EXPECT_EQ(0, take(&self->s, &gaps, &notice));
	EXPECT_EQ(TAP_KIND_NOTICE, notice.kind);
	EXPECT_EQ(CPU, notice.word[TAP_NOTICE_COUNT]);
	EXPECT_EQ(0, notice.word[TAP_NOTICE_SIZE]);

	/* The next time there is memory. The ring reports the earlier losses. */
	ASSERT_EQ(0, test_pin(0));
	ASSERT_EQ(0, test_write_file(online, "0"));
	self->away = true;
	ASSERT_EQ(0, test_write_file(TEST_MEMORY_MAX, "0"));
	test_bring_online();
	EXPECT_EQ(made + 1, self->s.meta->nr_made);
	EXPECT_EQ(1, fdinfo(&self->s, "tap-cpus-failed"));
	test_ring_map(_metadata, &self->s, CPU);
	ASSERT_EQ(0, test_pin(CPU));
	test_target_call(TAP_TARGET_ADD, 10);
	test_ioctl_disable(0);
	EXPECT_EQ(10, take(&self->s, &gaps, &notice));
	EXPECT_EQ(100, gaps);
	EXPECT_EQ(RING_BYTES, notice.word[TAP_NOTICE_SIZE]);
	c = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(110, c.hits);
	EXPECT_EQ(10, c.written);
}

/* Creates an aggregation by the number of the call, 64 keys; returns its id. */
static __u32 create_table(struct __test_metadata *_metadata, const struct test_session *s)
{
	const struct tap_op ops[] = {
		OP(TAP_OP_ARG, 0, 0, 8, 0, 0),
		OP(TAP_OP_AND, 0, TAP_OP_IMM_SRC, 8, 0, 63),
		OP(TAP_OP_MOVE, TAP_OP_OUT, 0, 8, 0, 0),
	};
	struct tap_aggregate how = {
		.size = sizeof(how),
		.nr_keys = 1,
		.keys = { { 0, 1 } },
		.entries = 256,
	};
	struct tap_create create = test_create_arg(TAP_PROBE_KPROBE, TARGET, ops,
						   ARRAY_SIZE(ops));

	create.aggregate = (uintptr_t)&how;
	EXPECT_EQ(0, ioctl(s->fd, TAP_IOC_CREATE, &create));
	return create.out_id;
}

/* Reads the table of a CPU; returns its entries, and the sum of their counts. */
static unsigned int read_table(struct __test_metadata *_metadata, const struct test_session *s,
			       __u32 id, unsigned int cpu, __u64 *sum)
{
	__u64 words[256 * 3];
	struct tap_read read = {
		.size = sizeof(read),
		.id = id,
		.cpu = cpu,
		.words = (uintptr_t)words,
		.nr_words = ARRAY_SIZE(words),
	};
	unsigned int i;

	*sum = 0;
	EXPECT_EQ(0, ioctl(s->fd, TAP_IOC_READ, &read));
	EXPECT_EQ(0, read.out_next);
	for (i = 0; i < read.out_entries; i++)
		*sum += words[i * read.out_entry_words + 2];
	return read.out_entries;
}

TEST_F(hotplug, a_cpu_that_comes_online_gets_its_table)
{
	__u32 id = create_table(_metadata, &self->s);
	struct tap_counters c;
	__u64 sum;

	test_ioctl_enable(0);
	EXPECT_EQ(0, read_table(_metadata, &self->s, id, CPU, &sum));
	test_bring_online();
	EXPECT_EQ(0, read_table(_metadata, &self->s, id, CPU, &sum));
	ASSERT_EQ(0, test_pin(CPU));
	test_target_call(TAP_TARGET_ADD, 640);
	ASSERT_EQ(0, test_pin(0));
	/* The table stays while its CPU is away. */
	ASSERT_EQ(0, test_write_file(online, "0"));
	self->away = true;
	EXPECT_EQ(64, read_table(_metadata, &self->s, id, CPU, &sum));
	EXPECT_EQ(640, sum);
	test_bring_online();
	ASSERT_EQ(0, test_pin(CPU));
	test_target_call(TAP_TARGET_ADD, 64);
	EXPECT_EQ(64, read_table(_metadata, &self->s, id, CPU, &sum));
	EXPECT_EQ(704, sum);
	test_ioctl_disable(0);
	c = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(704, c.aggregated);
	EXPECT_EQ(0, c.lost_full);
}

TEST_F(hotplug, a_cpu_without_memory_for_its_table_comes_online)
{
	__u32 id = create_table(_metadata, &self->s);
	struct test_record notice;
	struct tap_counters c;
	__u64 sum, gaps;

	test_ioctl_enable(0);
	ASSERT_EQ(0, test_write_file(TEST_MEMORY_MAX, "1"));
	test_bring_online();
	EXPECT_EQ(1, fdinfo(&self->s, "tap-cpus-failed"));
	EXPECT_EQ(0, take(&self->s, &gaps, &notice));
	EXPECT_EQ(TAP_KIND_NOTICE, notice.kind);
	EXPECT_EQ(0, notice.word[TAP_NOTICE_SIZE]);
	ASSERT_EQ(0, test_pin(CPU));
	test_target_call(TAP_TARGET_ADD, 640);
	EXPECT_EQ(0, read_table(_metadata, &self->s, id, CPU, &sum));
	ASSERT_EQ(0, test_pin(0));
	test_target_call(TAP_TARGET_ADD, 64);
	EXPECT_EQ(64, read_table(_metadata, &self->s, id, 0, &sum));
	EXPECT_EQ(64, sum);
	c = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(704, c.hits);
	EXPECT_EQ(64, c.aggregated);
	EXPECT_EQ(640, c.lost_full);

	/* The next time there is memory. */
	ASSERT_EQ(0, test_write_file(online, "0"));
	self->away = true;
	ASSERT_EQ(0, test_write_file(TEST_MEMORY_MAX, "0"));
	test_bring_online();
	ASSERT_EQ(0, test_pin(CPU));
	test_target_call(TAP_TARGET_ADD, 64);
	EXPECT_EQ(64, read_table(_metadata, &self->s, id, CPU, &sum));
	EXPECT_EQ(64, sum);
	test_ioctl_disable(0);
	c = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(768, c.hits);
	EXPECT_EQ(128, c.aggregated);
	EXPECT_EQ(640, c.lost_full);
}

/* It has memory for the first table, but an event is in all tables of its probe or in none. */
TEST_F(hotplug, a_cpu_without_memory_for_one_of_two_tables_adds_to_none)
{
	const struct tap_op ops[] = { OP(TAP_OP_ARG, TAP_OP_OUT, 0, 8, 0, 0) };
	struct tap_aggregate how[2] = {
		{ .size = sizeof(how[0]), .entries = 1 },
		{ .size = sizeof(how[0]), .nr_keys = 1, .keys = { { 0, 1 } }, .entries = 1 << 17 },
	};
	struct tap_create create = test_create_arg(TAP_PROBE_KPROBE, TARGET, ops, 1);
	__u64 words[2], before;
	struct tap_read read = { .size = sizeof(read), .words = (uintptr_t)words, .nr_words = 2 };
	struct tap_counters c;
	struct tap_info info;
	char text[32];

	create.aggregate = (uintptr_t)how;
	create.nr_aggregates = 2;
	ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	test_ioctl_enable(0);
	test_ioctl_info(&info);
	before = info.out_memory_used;
	snprintf(text, sizeof(text), "%llu", (unsigned long long)before + (1 << 20));
	ASSERT_EQ(0, test_write_file(TEST_MEMORY_MAX, text));
	test_bring_online();
	test_ioctl_info(&info);
	EXPECT_LT(before, info.out_memory_used);
	ASSERT_EQ(0, test_pin(CPU));
	test_target_call(TAP_TARGET_ADD, 640);
	ASSERT_EQ(0, test_pin(0));
	test_target_call(TAP_TARGET_ADD, 64);
	test_ioctl_disable(0);
	c = test_counters(_metadata, &self->s, create.out_id);
	EXPECT_EQ(704, c.hits);
	EXPECT_EQ(64, c.aggregated);
	EXPECT_EQ(640, c.lost_full);
	read.id = create.out_id;
	ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_READ, &read));
	EXPECT_EQ(1, read.out_entries);
	EXPECT_EQ(64, words[1]);
	read.cpu = CPU;
	ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_READ, &read));
	EXPECT_EQ(0, read.out_entries);
}

/* Sessions come and go while a CPU does; each has rings for the CPUs that are online then. */
TEST_F_TIMEOUT(hotplug, sessions_come_and_go_while_a_cpu_does, 120)
{
	struct test_session s;
	unsigned int i;
	pid_t child;

	child = fork();
	if (!child) {
		for (i = 0; i < 10; i++)
			if (test_write_file(online, "1") || test_write_file(online, "0"))
				_exit(1);
		_exit(0);
	}
	ASSERT_LT(0, child);
	for (i = 0; i < 200 && waitpid(child, NULL, WNOHANG) == 0; i++) {
		test_session_open(_metadata, &s, 4096);
		ASSERT_EQ(0, _test_ioctl_create(s.fd, NULL, TAP_PROBE_KPROBE, TARGET, NULL, 0));
		EXPECT_LE(1, s.meta->nr_made);
		EXPECT_GE(sysconf(_SC_NPROCESSORS_CONF), s.meta->nr_made);
		test_session_close(&s);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	/* All that the sessions had was given back but for that of this test. */
	ASSERT_EQ(0, test_write_file(online, "0"));
	EXPECT_LT(0, fdinfo(&self->s, "tap-memory"));
}

/* The bound holds for all sessions together, root's too, and INFO says that it is the cause. */
TEST_F(hotplug, memory_max_bounds_all_sessions_together)
{
	struct tap_info info, before;
	struct tap_setup setup;
	char text[32];
	int fd;

	test_ioctl_info(&before);
	EXPECT_LE((__u64)fdinfo(&self->s, "tap-memory"), before.out_memory_used);
	EXPECT_LE(RING_BYTES * before.out_nr_rings / 8, before.out_memory_used);
	EXPECT_EQ(0, before.out_memory_refused);
	/* Room for the rings of one more session, and of another half. */
	snprintf(text, sizeof(text), "%llu",
		 (unsigned long long)(before.out_memory_used + fdinfo(&self->s, "tap-memory") * 3 / 2));
	ASSERT_EQ(0, test_write_file(TEST_MEMORY_MAX, text));
	fd = open(TAP_DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, _test_ioctl_setup(fd, RING_BYTES, 0, 0, &setup));
	test_ioctl_info(&info);
	EXPECT_EQ(strtoull(text, NULL, 10), info.out_memory_max);
	EXPECT_LT(before.out_memory_used, info.out_memory_used);
	close(fd);
	fd = open(TAP_DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, fd);
	EXPECT_ERRNO(ENOMEM, _test_ioctl_setup(fd, 4 * RING_BYTES, 0, 0, &setup));
	ASSERT_EQ(0, _test_ioctl_info(fd, &info));
	EXPECT_LE(4 * RING_BYTES, info.out_memory_refused);
	EXPECT_EQ(before.out_memory_used, info.out_memory_used);
	/* A failure with another cause does not name this one. */
	EXPECT_ERRNO(EINVAL, _test_ioctl_setup(fd, 5, 0, 0, &setup));
	ASSERT_EQ(0, _test_ioctl_info(fd, &info));
	EXPECT_EQ(0, info.out_memory_refused);
	/* The session goes on to work, with less. */
	EXPECT_EQ(0, _test_ioctl_setup(fd, RING_BYTES, 0, 0, &setup));
	ASSERT_EQ(0, test_write_file(TEST_MEMORY_MAX, "1"));
	EXPECT_ERRNO(ENOMEM, _test_ioctl_create(fd, NULL, TAP_PROBE_KPROBE, TARGET, NULL, 0));
	ASSERT_EQ(0, _test_ioctl_info(fd, &info));
	EXPECT_LT(0, info.out_memory_refused);
	close(fd);
	test_ioctl_info(&info);
	EXPECT_EQ(before.out_memory_used, info.out_memory_used);
	/* Texts that are no size change nothing. */
	EXPECT_EQ(-1, test_write_file(TEST_MEMORY_MAX, "-1"));
	EXPECT_EQ(-1, test_write_file(TEST_MEMORY_MAX, "12x"));
	test_ioctl_info(&info);
	EXPECT_EQ(1, info.out_memory_max);
	ASSERT_EQ(0, test_write_file(TEST_MEMORY_MAX, "0"));
	test_ioctl_info(&info);
	EXPECT_EQ(before.out_memory_max, info.out_memory_max);
}

TEST_HARNESS_MAIN
