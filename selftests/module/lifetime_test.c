// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the end of sessions and of the module: in any order, nothing stays behind, and
 * nothing is freed while in use. storm_test.c has the same under load.
 */
#include "selftests/module/return_pool_harness.h"

#include <glob.h>

/* Sessions open at once. */
#define MANY		200

/* A CPU that tests take offline. */
static const char online[] = "/sys/devices/system/cpu/cpu1/online";

#define test_need_hotplug()						\
	do {								\
		test_need_cpus(2);					\
		if (access(online, W_OK))				\
			SKIP(return, "no CPU can be taken offline"); \
	} while (0)

FIXTURE(lifetime)
{
	struct test_session s;
	int target;
};

FIXTURE_SETUP(lifetime)
{
	test_setup();
}

/* After each test, no reference to the module may be left. */
FIXTURE_TEARDOWN(lifetime)
{
	test_session_close(&self->s);
	if (self->target >= 0) {
		close(self->target);
		EXPECT_EQ(0, test_module_refs("tapmod"));
	}
}

TEST_F(lifetime, the_module_stays_as_long_as_a_session_is_open)
{
	test_session_open(_metadata, &self->s, 4096);
	EXPECT_ERRNO(EWOULDBLOCK, test_module_unload("tapmod"));
	/* An attempt to unload it changes nothing. */
	ASSERT_EQ(0, test_arm_everything(self->s.fd));
	EXPECT_ERRNO(EWOULDBLOCK, test_module_unload("tapmod"));
	test_session_close(&self->s);
}

struct opener {
	bool stop;
	unsigned int opened;
};

static void *open_and_close(void *data)
{
	struct opener *o = data;

	while (!__atomic_load_n(&o->stop, __ATOMIC_RELAXED)) {
		int fd = open(TAP_DEVICE, O_RDWR | O_CLOEXEC);

		if (fd < 0)
			continue;
		o->opened++;
		_test_ioctl_setup(fd, 4096, 0, 0, NULL);
		_test_ioctl_create(fd, NULL, TAP_PROBE_RAWTP, "sched_switch", NULL, 0);
		_test_ioctl_enable(fd, 0);
		close(fd);
	}
	return NULL;
}

TEST_F_TIMEOUT(lifetime, the_module_goes_between_two_sessions_or_not_at_all, 600)
{
	unsigned int unloaded = 0, tries;
	struct opener o = {};
	pthread_t thread;

	test_need_module("tapmod");
	ASSERT_EQ(0, pthread_create(&thread, NULL, open_and_close, &o));
	for (tries = 0; tries < 2000 && unloaded < 10; tries++) {
		if (test_module_unload("tapmod")) {
			ASSERT_TRUE(errno == EWOULDBLOCK || errno == EBUSY)
				TH_LOG("%s", strerror(errno));
			usleep(500);
			continue;
		}
		unloaded++;
		ASSERT_EQ(0, test_module_load("tapmod", "")) TH_LOG("%s", strerror(errno));
	}
	__atomic_store_n(&o.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	EXPECT_LT(0, o.opened);
	/* How often the close hits between two steps is chance. */
}

TEST_F(lifetime, a_duplicate_is_the_same_session)
{
	__u32 id;
	int copy;

	test_session_open(_metadata, &self->s, 4096);
	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_add");
	copy = dup(self->s.fd);
	ASSERT_LE(0, copy);
	close(self->s.fd);
	self->s.fd = copy;
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_ADD, 5);
	EXPECT_EQ(5, test_session_drain(&self->s, NULL));
	EXPECT_EQ(1, test_module_refs("tapmod"));
}

TEST_F(lifetime, a_child_has_the_session_as_well)
{
	pid_t child;
	__u32 id;

	test_session_open(_metadata, &self->s, 4096);
	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_add");
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		struct test_session s = { .fd = self->s.fd };

		/* The child must map the rings itself. */
		if (_test_ioctl_enable(s.fd, id))
			_exit(1);
		test_session_map(_metadata, &s);
		test_target_call(TAP_TARGET_ADD, 1);
		_exit(test_session_drain(&s, NULL) != 1);
	}
	test_child_ends(_metadata, child);
	/* The process has ended; the session has not. */
	test_target_call(TAP_TARGET_ADD, 5);
	EXPECT_EQ(6, test_counters(_metadata, &self->s, id).written);
}

/* The value of a line of /proc/self/fdinfo/FD; -1: there is no such line. */
static long long fdinfo_value(int fd, const char *name)
{
	char path[64], line[128];
	long long value = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		size_t len = strlen(name);

		if (strncmp(line, name, len) || line[len] != ':' || line[len + 1] != '\t')
			continue;
		if (!strcmp(name, "tap-state"))
			value = line[len + 2];
		else
			value = atoll(line + len + 2);
	}
	if (file)
		fclose(file);
	return value;
}

/* The governor holds the lock of a session now and then, which is then busy. */
static long long fdinfo(int fd, const char *name)
{
	long long value;
	int tries;

	for (tries = 0; tries < 100; tries++) {
		value = fdinfo_value(fd, name);
		if (value != -1 && value != 'b')
			return value;
		usleep(1000);
	}
	return value;
}

TEST_F(lifetime, the_descriptor_says_whose_it_is_and_what_it_counted)
{
	struct test_session other;
	struct tap_counters sum;
	__u32 id, second;
	long long first;

	test_need_raw_tracepoints();
	self->s.fd = open(TAP_DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->s.fd);
	EXPECT_EQ('e', fdinfo(self->s.fd, "tap-state"));
	EXPECT_EQ(0, fdinfo(self->s.fd, "tap-probes"));
	EXPECT_EQ(-1, fdinfo_value(self->s.fd, "tap-ring-bytes"));
	first = fdinfo(self->s.fd, "tap-session");
	EXPECT_LT(0, first);
	test_session_close(&self->s);

	test_session_open(_metadata, &self->s, 8192);
	EXPECT_LT(first, fdinfo(self->s.fd, "tap-session"));
	test_session_open(_metadata, &other, 4096);
	EXPECT_LT(fdinfo(self->s.fd, "tap-session"), fdinfo(other.fd, "tap-session"));
	test_session_close(&other);
	EXPECT_EQ('r', fdinfo(self->s.fd, "tap-state"));
	EXPECT_EQ(8192, fdinfo(self->s.fd, "tap-ring-bytes"));
	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_add");
	test_ioctl_create(&second, TAP_PROBE_RAWTP, "tap_target_event", OP_TEST_TGID(0));
	EXPECT_EQ(2, fdinfo(self->s.fd, "tap-probes"));
	EXPECT_EQ(0, fdinfo(self->s.fd, "tap-enabled"));
	test_ioctl_enable(0);
	EXPECT_EQ(2, fdinfo(self->s.fd, "tap-enabled"));
	/* More than a ring has room for. */
	test_target_call(TAP_TARGET_ADD, 200);
	test_target_call(TAP_TARGET_EVENT, 7);
	test_ioctl_disable(id);
	EXPECT_EQ(1, fdinfo(self->s.fd, "tap-enabled"));
	sum = test_counters(_metadata, &self->s, id);
	ASSERT_EQ(200, sum.hits);
	EXPECT_EQ(207, fdinfo(self->s.fd, "tap-hits"));
	EXPECT_EQ((long long)sum.written, fdinfo(self->s.fd, "tap-written"));
	EXPECT_LT(0, sum.lost_full);
	EXPECT_EQ((long long)sum.lost_full, fdinfo(self->s.fd, "tap-lost"));
	EXPECT_EQ(7, fdinfo(self->s.fd, "tap-filtered"));
	EXPECT_EQ(0, fdinfo(self->s.fd, "tap-aggregated"));
	EXPECT_EQ(0, fdinfo(self->s.fd, "tap-throttled"));
}

TEST_F_TIMEOUT(lifetime, many_sessions_side_by_side_all_see_everything, 1500)
{
	const char *wanted = getenv("TEST_SESSIONS");
	const int many = wanted ? atoi(wanted) : MANY;
	int fds[MANY], ret = 0, i;
	__u32 id = 0;

	ASSERT_GE(MANY, many);
	for (i = 0; i < many; i++) {
		fds[i] = open(TAP_DEVICE, O_RDWR | O_CLOEXEC);
		ASSERT_LE(0, fds[i]) TH_LOG("session %d: %s", i, strerror(errno));
		ASSERT_EQ(0, _test_ioctl_setup(fds[i], 4096, 0, 0, NULL));
		ret |= _test_ioctl_create(fds[i], &id, TAP_PROBE_KPROBE,
					  "tap_target_add", NULL, 0);
		ret |= _test_ioctl_enable(fds[i], id);
	}
	ASSERT_EQ(0, ret);
	EXPECT_EQ(many, test_module_refs("tapmod"));
	test_target_call(TAP_TARGET_ADD, 3);
	for (i = 0; i < many; i++) {
		self->s.fd = fds[i];
		self->s.nr_rings = 1;
		test_session_map(_metadata, &self->s);
		EXPECT_EQ(3, test_session_drain(&self->s, NULL));
		EXPECT_EQ(3, test_counters(_metadata, &self->s, id).hits);
		test_session_close(&self->s);
	}
}

TEST_F(lifetime, many_probes_in_one_session_go_at_once)
{
	static const char *const names[] = {
		"tap_target_add", "tap_target_six", "tap_target_fail",
		"tap_target_pointer", "tap_target_recurse",
	};
	unsigned int i;
	__u32 id;

	test_need_raw_tracepoints();
	test_session_open(_metadata, &self->s, 65536);
	/* In turns, so that no type comes twice in a row. */
	for (i = 0; i < 150; i++) {
		test_ioctl_create(&id, TAP_PROBE_KPROBE + i % 3, names[i % 5]);
		test_ioctl_create(&id, TAP_PROBE_RAWTP, "tap_target_event");
	}
	test_ioctl_enable(0);
	test_target_call(TAP_TARGET_ADD, 1);
	test_target_call(TAP_TARGET_EVENT, 1);
	EXPECT_EQ(150 / 5 + 150, test_session_drain(&self->s, NULL));
}

/* Lines of a file in /proc that contain a word. */
static unsigned int count_lines(const char *path, const char *word)
{
	unsigned int lines = 0;
	char line[512];
	FILE *file = fopen(path, "re");

	while (file && fgets(line, sizeof(line), file))
		lines += !!strstr(line, word);
	if (file)
		fclose(file);
	return lines;
}

/* A value of /proc/meminfo, in KiB. */
static long meminfo(const char *name)
{
	char line[128];
	long value = 0;
	FILE *file = fopen("/proc/meminfo", "re");

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, strlen(name)))
			value = atol(line + strlen(name) + 1);
	if (file)
		fclose(file);
	return value;
}

/* Shrinks all slabs, so that freed memory is given back; KASAN keeps it for a while. */
static void shrink_slabs(void)
{
	glob_t caches;
	size_t i;

	if (glob("/sys/kernel/slab/*/shrink", GLOB_NOSORT, NULL, &caches))
		return;
	for (i = 0; i < caches.gl_pathc; i++)
		test_write_file(caches.gl_pathv[i], "1");
	globfree(&caches);
}

static void open_use_close(struct __test_metadata *_metadata, int target)
{
	struct test_session s;

	test_session_open(_metadata, &s, 1 << 20);
	ASSERT_EQ(0, test_arm_everything(s.fd));
	ASSERT_EQ(0, _test_target(target, TAP_TARGET_CALL, TAP_TARGET_ADD, 10, 0,
				  NULL));
	EXPECT_LE(10, test_session_drain(&s, NULL));
	test_session_close(&s);
}

/* Creates thousands of probes, so that a leak in each adds up. */
static void open_create_close(struct __test_metadata *_metadata)
{
	static const struct tap_op arg = OP_ARG(0);
	struct test_session s;
	unsigned int i;

	test_session_open(_metadata, &s, 4096);
	for (i = 0; i < 1000; i++)
		ASSERT_EQ(0, _test_ioctl_create(s.fd, NULL, TAP_PROBE_RAWTP,
						"sched_switch", &arg, 1));
	test_session_close(&s);
}

/* Memory charged to the test's memory cgroup, in KiB; 0: there is none. */
static long charged(void)
{
	long value = 0;
	FILE *file = fopen("/sys/fs/cgroup/tap_test/memory.current", "re");

	if (file && fscanf(file, "%ld", &value) != 1)
		value = 0;
	if (file)
		fclose(file);
	return value / 1024;
}

static void come_and_go(struct __test_metadata *_metadata, int target, unsigned int rounds)
{
	unsigned int i;

	for (i = 0; i < 6 * rounds; i++)
		open_use_close(_metadata, target);
	/* Counters of 1.2 MiB on two CPUs; names and programs take more. */
	for (i = 0; i < rounds; i++)
		open_create_close(_metadata);
	shrink_slabs();
}

TEST_F(lifetime, sessions_come_and_go_without_a_trace)
{
	long available, slab, percpu, charge;
	unsigned int areas;

	if (access("/proc/vmallocinfo", R_OK))
		SKIP(return, "no /proc/vmallocinfo");
	mkdir("/sys/fs/cgroup/tap_test", 0755);
	test_write_file("/sys/fs/cgroup/tap_test/cgroup.procs", "0");
	/* Caches reach their size in the first rounds. */
	come_and_go(_metadata, self->target, 2);
	areas = count_lines("/proc/vmallocinfo", "[tapmod]");
	available = meminfo("MemFree");
	slab = meminfo("SUnreclaim");
	percpu = meminfo("Percpu");
	charge = charged();
	come_and_go(_metadata, self->target, 5);
	EXPECT_EQ(areas, count_lines("/proc/vmallocinfo", "[tapmod]"));
	/* 30 sessions have 60 MiB of slots on two CPUs. */
	EXPECT_LE(available - 10 * 1024, meminfo("MemFree"));
	/* The kernel keeps a few charged pages for each CPU. */
	EXPECT_GE(charge + 512, charged());
	test_write_file("/sys/fs/cgroup/cgroup.procs", "0");
	rmdir("/sys/fs/cgroup/tap_test");
	EXPECT_GE(slab + 1024, meminfo("SUnreclaim"));
	EXPECT_GE(percpu + 512, meminfo("Percpu"));
}

/* The count of mapped areas would show a session that still exists. */
TEST_F(lifetime, a_session_leaves_its_trace_while_it_is_there)
{
	unsigned int areas;

	if (access("/proc/vmallocinfo", R_OK))
		SKIP(return, "no /proc/vmallocinfo");
	areas = count_lines("/proc/vmallocinfo", "[tapmod]");
	test_session_open(_metadata, &self->s, 4096);
	EXPECT_LT(areas, count_lines("/proc/vmallocinfo", "[tapmod]"));
	test_session_close(&self->s);
	EXPECT_EQ(areas, count_lines("/proc/vmallocinfo", "[tapmod]"));
}

/*
 * On a CPU that goes offline, code still runs after it has processed its irq_work for the last
 * time. An irq_work queued then would never run, and a waiter would wait forever.
 */
TEST_F_TIMEOUT(lifetime, a_processor_that_writes_while_it_goes_wakes_nobody, 60)
{
	struct pollfd poll_fd = { .events = POLLIN };
	struct test_session s = { .fd = -1 };
	struct tap_setup setup;
	unsigned int i;
	__u32 id;

	test_need_hotplug();
	for (i = 0; i < 3; i++) {
		s.fd = open(TAP_DEVICE, O_RDWR | O_CLOEXEC);
		ASSERT_LE(0, s.fd);
		/* A wake-up for each record; the time-out is too long to help. */
		ASSERT_EQ(0, _test_ioctl_setup(s.fd, 65536, 64, 60000, &setup));
		s.nr_rings = setup.out_nr_rings;
		ASSERT_EQ(0, _test_ioctl_create(s.fd, &id, TAP_PROBE_KPROBE,
						"sched_cpu_dying", NULL, 0));
		ASSERT_EQ(0, _test_ioctl_enable(s.fd, id));
		poll_fd.fd = s.fd;
		poll(&poll_fd, 1, 0);
		ASSERT_EQ(0, test_write_file(online, "0"));
		EXPECT_EQ(1, test_counters(_metadata, &s, id).hits);
		close(s.fd);
		ASSERT_EQ(0, test_write_file(online, "1"));
	}
	/* Wake-ups of other sessions work on that CPU. */
	s.fd = open(TAP_DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, s.fd);
	ASSERT_EQ(0, _test_ioctl_setup(s.fd, 65536, 64, 60000, NULL));
	ASSERT_EQ(0, _test_ioctl_create(s.fd, &id, TAP_PROBE_KPROBE,
					"tap_target_add", NULL, 0));
	ASSERT_EQ(0, _test_ioctl_enable(s.fd, id));
	poll_fd.fd = s.fd;
	poll(&poll_fd, 1, 0);
	ASSERT_EQ(0, test_pin(1));
	test_target_call(TAP_TARGET_ADD, 2);
	EXPECT_EQ(1, poll(&poll_fd, 1, 20000));
	close(s.fd);
}

/*
 * The kernel's kretprobe instances are charged to no memory cgroup, so a session may have 256
 * MiB of them at most.
 */
TEST_F_TIMEOUT(lifetime, the_calls_under_way_of_a_session_are_bounded, 60)
{
	struct tap_op ops[TAP_MAX_OUTPUTS];
	struct tap_create create = {
		.size = sizeof(create),
		.type = TAP_PROBE_CALL,
		.maxactive = TAP_MAX_MAXACTIVE,
		.target = (uintptr_t)"tap_target_add",
		.target_len = strlen("tap_target_add"),
		.nr_ops = ARRAY_SIZE(ops),
		.ops = (uintptr_t)ops,
	};
	struct tap_info info;
	unsigned int fit, i;

	for (i = 0; i < ARRAY_SIZE(ops); i++)
		ops[i] = OP_COMM;
	/* What all sessions together may have is no bound here. */
	ASSERT_EQ(0, test_write_file(TEST_MEMORY_MAX, "1G"));
	test_session_open(_metadata, &self->s, 4096);
	/* 4096 calls of about 128 + 32 bytes and 130 words each; since 6.7 a bit less. */
	ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	ASSERT_EQ(0, _test_ioctl_info(self->s.fd, &info));
	EXPECT_EQ(256ULL << 20, info.out_max_call_mem);
	fit = info.out_max_call_mem / info.out_call_mem;
	EXPECT_LE(54, fit);
	EXPECT_GE(58, fit);
	for (i = 1; i < fit; i++)
		ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	EXPECT_ERRNO(ENOMEM, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	/* The session says how much the probe would have taken. */
	ASSERT_EQ(0, _test_ioctl_info(self->s.fd, &info));
	EXPECT_LT(info.out_max_call_mem - info.out_call_mem, info.out_call_mem_wanted);
	EXPECT_GE(info.out_max_call_mem, info.out_call_mem_wanted);
	/* Memory of a deleted probe can be used by another one. */
	test_ioctl_delete(7);
	EXPECT_EQ(0, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	EXPECT_ERRNO(ENOMEM, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	ASSERT_EQ(0, test_write_file(TEST_MEMORY_MAX, "0"));
}

/* What the module counts for a return probe is what the kernel takes. */
TEST_F(lifetime, the_memory_of_return_probes_is_counted_as_it_is)
{
	static const __u32 maxactive[] = { 0, 1, 3, 100, 513, TAP_MAX_MAXACTIVE };
	struct tap_create create;
	struct tap_info info;
	unsigned int i;
	__u64 before, counted = 0, pages;

	test_objpool_pages_settled();
	test_session_open(_metadata, &self->s, 4096);
	for (i = 0; i < ARRAY_SIZE(maxactive); i++) {
		before = test_objpool_pages();
		create = test_create_arg(i % 2 ? TAP_PROBE_CALL : TAP_PROBE_KRETPROBE,
					 "tap_target_add", NULL, 0);
		create.maxactive = maxactive[i];
		ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
		pages = test_objpool_pages() - before;
		ASSERT_EQ(0, _test_ioctl_info(self->s.fd, &info));
		EXPECT_LT(counted, info.out_call_mem);
		if (pages)
			EXPECT_EQ(pages * self->s.page, info.out_call_mem - counted)
				TH_LOG("maxactive %u", maxactive[i]);
		counted = info.out_call_mem;
		EXPECT_EQ(0, info.out_call_mem_wanted);
	}
	TH_LOG("%llu pages of pools", test_objpool_pages());
	EXPECT_LT(counted, info.out_max_call_mem);
}

/* Taking a CPU offline loses no record. */
TEST_F_TIMEOUT(lifetime, a_processor_may_go_and_come_back, 60)
{
	struct tap_counters c;
	__u64 events, gaps = 0, pending;
	__u32 id;

	test_need_hotplug();
	test_session_open(_metadata, &self->s, 4096);
	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_add");
	test_ioctl_enable(id);
	ASSERT_EQ(0, test_pin(1));
	/* A pending loss, which cannot be reported on its own CPU any longer. */
	test_target_call(TAP_TARGET_ADD, 64 + 10);
	ASSERT_EQ(0, test_pin(0));
	ASSERT_EQ(0, test_write_file(online, "0"));
	events = test_session_drain(&self->s, &gaps);
	EXPECT_EQ(64, events);
	test_ioctl_flush(&pending);
	EXPECT_EQ(0, pending);
	test_session_drain(&self->s, &gaps);
	EXPECT_EQ(10, gaps);
	test_target_call(TAP_TARGET_ADD, 10);
	ASSERT_EQ(0, test_write_file(online, "1"));
	ASSERT_EQ(0, test_pin(1));
	test_target_call(TAP_TARGET_ADD, 10);
	events += test_session_drain(&self->s, &gaps);
	test_ioctl_disable(id);
	c = test_counters(_metadata, &self->s, id);
	EXPECT_EQ(64 + 10 + 10 + 10, c.hits);
	EXPECT_EQ(c.written, events);
	EXPECT_EQ(c.lost_full, gaps);
}

/**
 * struct caller - a thread that makes calls on any CPU
 * @calls: number of calls that it has made
 */
struct caller {
	pthread_t thread;
	int target;
	bool stop;
	__u64 calls;
};

static void *call_on(void *data)
{
	struct caller *c = data;

	while (!__atomic_load_n(&c->stop, __ATOMIC_RELAXED)) {
		if (_test_target(c->target, TAP_TARGET_CALL, TAP_TARGET_ADD, 100, 0, NULL))
			break;
		c->calls += 100;
	}
	return NULL;
}

/* Checks that each call was an event that was read or reported as lost: reads the rest first. */
static void expect_sums(struct __test_metadata *_metadata, FIXTURE_DATA(lifetime) *self,
			__u32 id, __u64 calls, __u64 events, __u64 gaps)
{
	struct tap_counters c;
	__u64 pending;

	test_ioctl_disable(id);
	events += test_session_drain(&self->s, &gaps);
	test_ioctl_flush(&pending);
	EXPECT_EQ(0, pending);
	events += test_session_drain(&self->s, &gaps);
	c = test_counters(_metadata, &self->s, id);
	EXPECT_LT(0, calls);
	EXPECT_EQ(calls, c.hits);
	EXPECT_EQ(c.written, events);
	EXPECT_EQ(c.lost_full + c.lost_nested, gaps);
}

/* Threads run on any CPU. */
TEST_F_TIMEOUT(lifetime, processors_go_and_come_back_under_load, 300)
{
	struct caller callers[3] = {};
	__u64 events = 0, gaps = 0, calls = 0;
	unsigned int i;
	__u32 id;

	test_need_hotplug();
	test_session_open(_metadata, &self->s, 65536);
	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_add", OP_ARG(0));
	test_ioctl_enable(id);
	for (i = 0; i < ARRAY_SIZE(callers); i++) {
		callers[i].target = self->target;
		ASSERT_EQ(0, pthread_create(&callers[i].thread, NULL, call_on, &callers[i]));
	}
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, test_write_file(online, "0"));
		events += test_session_drain(&self->s, &gaps);
		ASSERT_EQ(0, test_write_file(online, "1"));
		events += test_session_drain(&self->s, &gaps);
	}
	for (i = 0; i < ARRAY_SIZE(callers); i++) {
		__atomic_store_n(&callers[i].stop, true, __ATOMIC_RELAXED);
		pthread_join(callers[i].thread, NULL);
		calls += callers[i].calls;
	}
	expect_sums(_metadata, self, id, calls, events, gaps);
}

/* Suspends the machine as far as is possible without a wake-up device, and resumes it. */
TEST_F_TIMEOUT(lifetime, the_machine_sleeps_and_wakes_under_load, 300)
{
	struct pollfd poll_fd = { .events = POLLIN };
	__u64 events = 0, gaps = 0;
	struct caller caller = {};
	unsigned int i;
	__u32 id;

	if (access("/sys/power/pm_test", W_OK))
		SKIP(return, "this kernel has no suspend test (pm_test)");
	test_session_open(_metadata, &self->s, 65536);
	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_add", OP_ARG(0));
	test_ioctl_enable(id);
	caller.target = self->target;
	ASSERT_EQ(0, pthread_create(&caller.thread, NULL, call_on, &caller));
	/* pm_test: tasks are frozen and devices suspended; they resume after one second. */
	test_write_file("/sys/module/suspend/parameters/pm_test_delay", "1");
	ASSERT_EQ(0, test_write_file("/sys/power/pm_test", "devices"));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, test_write_file("/sys/power/state", "freeze"))
			TH_LOG("%s", strerror(errno));
		events += test_session_drain(&self->s, &gaps);
	}
	ASSERT_EQ(0, test_write_file("/sys/power/pm_test", "none"));
	/* Readers are woken as before. */
	poll_fd.fd = self->s.fd;
	EXPECT_EQ(1, poll(&poll_fd, 1, 20000));
	__atomic_store_n(&caller.stop, true, __ATOMIC_RELAXED);
	pthread_join(caller.thread, NULL);
	expect_sums(_metadata, self, id, caller.calls, events, gaps);
}

TEST_HARNESS_MAIN
