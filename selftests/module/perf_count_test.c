// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of count probes: of all CPUs, and of a task with its children; across CPUs that go
 * offline and online; many at once; and what is refused. They use software counters, which
 * every machine has.
 */
#include "selftests/module/tap_harness.h"

#include <linux/perf_event.h>
#include <sys/eventfd.h>

#define CPU1_ONLINE	"/sys/devices/system/cpu/cpu1/online"
#define PAGES		64

FIXTURE(count)
{
	struct test_session s;
	size_t page;
};

FIXTURE_SETUP(count)
{
	self->s.fd = -1;
	test_need_root();
	test_session_open(_metadata, &self->s, 4096);
	self->page = sysconf(_SC_PAGESIZE);
}

FIXTURE_TEARDOWN(count)
{
	test_session_close(&self->s);
}

static struct tap_perf software(__u64 config)
{
	return (struct tap_perf){
		.size = sizeof(struct tap_perf),
		.type = PERF_TYPE_SOFTWARE,
		.config = config,
	};
}

static int _test_count_create(int fd, __u32 *id, const struct tap_perf *perf,
			      __u32 pid)
{
	struct tap_create create = test_create_arg(TAP_PROBE_COUNT, "count",
						   NULL, 0);
	int ret;

	create.perf = (uintptr_t)perf;
	create.pid = pid;
	ret = ioctl(fd, TAP_IOC_CREATE, &create);
	if (!ret)
		*id = create.out_id;
	return ret;
}
#define test_count_create(id, perf, pid)				\
	ASSERT_EQ(0, _test_count_create(self->s.fd, id, perf, pid))	\
		TH_LOG("cannot create: %s", strerror(errno))

static int _test_ioctl_count(int fd, __u32 id, struct tap_count *counts,
			     __u32 nr)
{
	struct tap_count_read read = {
		.size = sizeof(read),
		.id = id,
		.counts = (uintptr_t)counts,
		.nr_counts = nr,
	};

	return ioctl(fd, TAP_IOC_COUNT, &read);
}
#define test_ioctl_count(id, counts, nr)				\
	ASSERT_EQ(0, _test_ioctl_count(self->s.fd, id, counts, nr))

/* A CPU that comes online gets its counter a moment later. */
static bool cpu1_counts(int fd, __u32 id, struct tap_count *counts,
			unsigned int nr)
{
	unsigned int tries;

	for (tries = 0; tries < 1000; tries++) {
		if (_test_ioctl_count(fd, id, counts, nr))
			return false;
		if (counts[1].state == TAP_COUNT_ON)
			return true;
		usleep(5000);
	}
	return false;
}

/* Touches each page for the first time: one page fault for each. */
static void touch(size_t page, unsigned int pages)
{
	char *memory = mmap(NULL, pages * page, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int i;

	madvise(memory, pages * page, MADV_NOHUGEPAGE);
	for (i = 0; i < pages; i++)
		((volatile char *)memory)[i * page] = 1;
	munmap(memory, pages * page);
}

static void *touch_thread(void *arg)
{
	touch(*(size_t *)arg, PAGES);
	return NULL;
}

/* Waits for a word on the other end of the pipe. */
static void wait_for(int fd)
{
	eventfd_t value;

	eventfd_read(fd, &value);
}

TEST_F(count, task_alone_is_exact)
{
	struct tap_perf perf = software(PERF_COUNT_SW_PAGE_FAULTS);
	struct tap_count before, after;
	__u32 id;

	test_count_create(&id, &perf, getpid());
	test_ioctl_count(id, &before, 1);
	EXPECT_EQ(0, before.value);
	EXPECT_EQ(TAP_COUNT_OFF, before.state);
	test_ioctl_enable(id);
	test_ioctl_count(id, &before, 1);
	touch(self->page, PAGES);
	test_ioctl_count(id, &after, 1);
	EXPECT_EQ(PAGES, after.value - before.value);
	EXPECT_EQ(TAP_COUNT_ON, after.state);
	EXPECT_EQ(0, after.__reserved);
	EXPECT_GT(after.running, before.running);
	EXPECT_EQ(after.enabled, after.running);

	/* A disabled probe keeps its value; an enabled one continues from it. */
	test_ioctl_disable(id);
	test_ioctl_count(id, &before, 1);
	EXPECT_GE(before.value, after.value);
	EXPECT_EQ(TAP_COUNT_OFF, before.state);
	touch(self->page, PAGES);
	test_ioctl_count(id, &after, 1);
	EXPECT_EQ(before.value, after.value);
	test_ioctl_enable(id);
	touch(self->page, PAGES);
	test_ioctl_count(id, &after, 1);
	EXPECT_LE(before.value + PAGES, after.value);
	EXPECT_GE(before.value + PAGES + 8, after.value);
	test_ioctl_delete(id);
	EXPECT_ERRNO(ENOENT, _test_ioctl_count(self->s.fd, id, &after, 1));
}

/* Faults of a program happen in the program: not in the kernel. */
TEST_F(count, without_programs_or_the_kernel)
{
	struct tap_perf perf = software(PERF_COUNT_SW_PAGE_FAULTS);
	struct tap_count programs, kernel;
	__u32 of_programs, of_kernel;

	perf.flags = TAP_PERF_F_NO_KERNEL;
	test_count_create(&of_programs, &perf, getpid());
	perf.flags = TAP_PERF_F_NO_USER;
	test_count_create(&of_kernel, &perf, getpid());
	test_ioctl_enable(0);
	touch(self->page, PAGES);
	test_ioctl_count(of_programs, &programs, 1);
	test_ioctl_count(of_kernel, &kernel, 1);
	test_ioctl_disable(0);
	EXPECT_LE(PAGES, programs.value);
	EXPECT_GT(PAGES / 2, kernel.value);
}

TEST_F(count, children_and_threads_count)
{
	struct tap_perf perf = software(PERF_COUNT_SW_PAGE_FAULTS);
	struct tap_count count, later;
	pthread_t thread;
	pid_t child;
	__u32 id;

	test_count_create(&id, &perf, getpid());
	test_ioctl_enable(id);
	ASSERT_EQ(0, pthread_create(&thread, NULL, touch_thread, &self->page));
	pthread_join(thread, NULL);
	test_ioctl_count(id, &count, 1);
	EXPECT_LE(PAGES, count.value);
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		/* And the child has a child. */
		child = fork();
		if (!child)
			touch(self->page, PAGES);
		else
			waitpid(child, NULL, 0);
		touch(self->page, PAGES);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	test_ioctl_count(id, &later, 1);
	EXPECT_LE(3 * PAGES, later.value - count.value);
	EXPECT_GT(16 * PAGES, later.value - count.value);
}

TEST_F(count, from_exec_on)
{
	struct tap_perf perf = software(PERF_COUNT_SW_PAGE_FAULTS);
	int ready = eventfd(0, 0), go = eventfd(0, 0);
	struct tap_count count;
	pid_t child;
	__u32 id;

	perf.flags = TAP_PERF_F_ON_EXEC;
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		wait_for(go);
		touch(self->page, PAGES);
		eventfd_write(ready, 1);
		wait_for(go);
		execl("/bin/true", "true", NULL);
		execl("/usr/bin/true", "true", NULL);
		_exit(1);
	}
	test_count_create(&id, &perf, child);
	test_ioctl_enable(id);
	eventfd_write(go, 1);
	wait_for(ready);
	test_ioctl_count(id, &count, 1);
	EXPECT_EQ(0, count.value);
	EXPECT_EQ(0, count.enabled);
	eventfd_write(go, 1);
	waitpid(child, NULL, 0);
	test_ioctl_count(id, &count, 1);
	EXPECT_LT(0, count.value);
	EXPECT_GT(10 * PAGES, count.value);
	EXPECT_EQ(TAP_COUNT_ENDED, count.state);
	/* Disabling works after the task has ended. */
	test_ioctl_disable(id);
	test_ioctl_enable(id);
	test_ioctl_count(id, &count, 1);
	EXPECT_LT(0, count.value);
	EXPECT_EQ(TAP_COUNT_ENDED, count.state);
	close(ready);
	close(go);
}

TEST_F(count, all_cpus)
{
	struct tap_perf perf = software(PERF_COUNT_SW_CPU_CLOCK);
	struct tap_perf faults = software(PERF_COUNT_SW_PAGE_FAULTS);
	struct tap_count first[TEST_MAX_RINGS], last[TEST_MAX_RINGS];
	struct tap_count before[TEST_MAX_RINGS], after[TEST_MAX_RINGS];
	unsigned int cpu, nr = self->s.nr_rings;
	__u64 begin, ms;
	__u32 id, of_faults;

	ASSERT_EQ(0, test_pin(0));
	test_count_create(&id, &perf, 0);
	test_count_create(&of_faults, &faults, 0);
	test_ioctl_enable(0);
	begin = test_now_ms();
	test_ioctl_count(id, first, nr);
	usleep(300000);
	test_ioctl_count(id, last, nr);
	ms = test_now_ms() - begin;
	for (cpu = 0; cpu < nr; cpu++) {
		if (!self->s.ring[cpu].tail)
			continue;
		EXPECT_EQ(TAP_COUNT_ON, last[cpu].state);
		EXPECT_LE(300000000, last[cpu].value - first[cpu].value);
		EXPECT_GE((ms + 1) * 1000000, last[cpu].value - first[cpu].value);
	}
	/* Each CPU counts its own events. */
	test_ioctl_count(of_faults, before, nr);
	touch(self->page, PAGES);
	test_ioctl_count(of_faults, after, nr);
	EXPECT_LE(PAGES, after[0].value - before[0].value);
	if (nr > 1) {
		ASSERT_EQ(0, test_pin(1));
		test_ioctl_count(of_faults, before, nr);
		touch(self->page, PAGES);
		test_ioctl_count(of_faults, after, nr);
		EXPECT_LE(PAGES, after[1].value - before[1].value);
	}
	/* Fewer entries than CPUs, and none. */
	memset(last, 0xff, sizeof(last));
	test_ioctl_count(of_faults, last, 1);
	EXPECT_LE(after[0].value, last[0].value);
	if (nr > 1)
		EXPECT_EQ(~0ULL, last[1].value);
	test_ioctl_count(of_faults, NULL, 0);
}

TEST_F(count, cpus_that_go_and_come)
{
	struct tap_perf perf = software(PERF_COUNT_SW_PAGE_FAULTS);
	struct tap_count before[TEST_MAX_RINGS], off[TEST_MAX_RINGS];
	struct tap_count on[TEST_MAX_RINGS];
	unsigned int nr = self->s.nr_rings;
	__u32 id;

	if (nr < 2 || access(CPU1_ONLINE, W_OK))
		SKIP(return, "CPU 1 cannot be taken offline");
	test_count_create(&id, &perf, 0);
	test_ioctl_enable(id);
	ASSERT_EQ(0, test_pin(1));
	touch(self->page, PAGES);
	ASSERT_EQ(0, test_pin(0));
	test_ioctl_count(id, before, nr);
	EXPECT_LE(PAGES, before[1].value);
	ASSERT_EQ(0, test_write_file(CPU1_ONLINE, "0"));
	test_ioctl_count(id, off, nr);
	EXPECT_EQ(TAP_COUNT_OFF, off[1].state);
	EXPECT_LE(before[1].value, off[1].value);
	EXPECT_EQ(TAP_COUNT_ON, off[0].state);
	ASSERT_EQ(0, test_write_file(CPU1_ONLINE, "1"));
	ASSERT_TRUE(cpu1_counts(self->s.fd, id, on, nr));
	EXPECT_LE(off[1].value, on[1].value);
	ASSERT_EQ(0, test_pin(1));
	touch(self->page, PAGES);
	test_ioctl_count(id, before, nr);
	EXPECT_LE(on[1].value + PAGES, before[1].value);
	/* Enabled while the CPU is offline; it counts there once the CPU is online. */
	ASSERT_EQ(0, test_pin(0));
	test_ioctl_disable(id);
	ASSERT_EQ(0, test_write_file(CPU1_ONLINE, "0"));
	test_ioctl_enable(id);
	test_ioctl_count(id, off, nr);
	EXPECT_EQ(TAP_COUNT_OFF, off[1].state);
	EXPECT_LE(before[1].value, off[1].value);
	ASSERT_EQ(0, test_write_file(CPU1_ONLINE, "1"));
	EXPECT_TRUE(cpu1_counts(self->s.fd, id, on, nr));
}

TEST_F(count, thirty_two_at_once)
{
	static const __u64 configs[] = {
		PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_PAGE_FAULTS_MIN,
	};
	struct tap_count before[32], after[32];
	unsigned int i;
	__u32 ids[32];

	for (i = 0; i < 32; i++) {
		struct tap_perf perf = software(configs[i % 2]);

		test_count_create(&ids[i], &perf, getpid());
	}
	test_ioctl_enable(0);
	for (i = 0; i < 32; i++)
		test_ioctl_count(ids[i], &before[i], 1);
	touch(self->page, PAGES);
	for (i = 0; i < 32; i++)
		test_ioctl_count(ids[i], &after[i], 1);
	for (i = 0; i < 32; i++) {
		EXPECT_LE(PAGES, after[i].value - before[i].value);
		EXPECT_GE(PAGES + 8, after[i].value - before[i].value);
		EXPECT_EQ(after[i].enabled, after[i].running);
	}
}

/* More hardware counters than the CPU has, if it has any: perf multiplexes them. */
TEST_F(count, more_than_the_processor_has)
{
	struct tap_perf perf = {
		.size = sizeof(perf),
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.flags = TAP_PERF_F_NO_GUEST,
	};
	struct tap_count count;
	unsigned int i, shared = 0;
	bool others;
	__u64 begin;
	__u32 ids[32];

	if (_test_count_create(self->s.fd, &ids[0], &perf, getpid())) {
		EXPECT_EQ(EOPNOTSUPP, errno);
		SKIP(return, "this machine has no hardware counters");
	}
	/* Some machines count only cycles. */
	perf.config = PERF_COUNT_HW_INSTRUCTIONS;
	others = !_test_count_create(self->s.fd, &ids[1], &perf, getpid());
	for (i = 1 + others; i < 32; i++) {
		perf.config = others && i % 2 ? PERF_COUNT_HW_INSTRUCTIONS :
						PERF_COUNT_HW_CPU_CYCLES;
		test_count_create(&ids[i], &perf, getpid());
	}
	test_ioctl_enable(0);
	for (begin = test_now_ms(); test_now_ms() < begin + 1000;)
		;
	for (i = 0; i < 32; i++) {
		test_ioctl_count(ids[i], &count, 1);
		EXPECT_LT(0, count.enabled);
		EXPECT_GE(count.enabled, count.running);
		shared += count.running < count.enabled;
	}
	EXPECT_LT(0, shared);
}

/* The type of a PMU in sysfs; 0: there is none. */
static __u32 pmu_type(const char *name)
{
	char path[128];
	__u32 type = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", name);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%u", &type) != 1)
		type = 0;
	fclose(file);
	return type;
}

/* A probe through perf would pass the checks of kprobes and uprobes by. */
TEST_F(count, dynamic_probes_of_perf_are_refused)
{
	static const char name[] = "vfs_read", file[] = "/proc/self/exe";
	struct tap_perf perf = software(0);
	struct tap_create create = test_create_arg(TAP_PROBE_COUNT, "count", NULL, 0);
	struct tap_pmu pmu = {
		.size = sizeof(pmu),
		.events = (uintptr_t)&perf,
		.nr_events = 1,
	};
	unsigned int i;

	create.perf = (uintptr_t)&perf;
	for (i = 0; i < 2; i++) {
		perf.type = pmu_type(i ? "uprobe" : "kprobe");
		if (!perf.type)
			SKIP(return, "the kernel has no such PMU");
		perf.config1 = (uintptr_t)(i ? file : name);
		perf.config2 = i ? 0x1000 : 0;
		create.type = TAP_PROBE_COUNT;
		perf.period = 0;
		EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
		create.pid = getpid();
		EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
		create.pid = 0;
		EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_PMU, &pmu));
		create.type = TAP_PROBE_EVENT;
		perf.period = 1;
		EXPECT_ERRNO(EINVAL, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	}
}

TEST_F(count, refused)
{
	struct tap_perf perf = software(PERF_COUNT_SW_PAGE_FAULTS);
	struct tap_create create = test_create_arg(TAP_PROBE_COUNT, "count",
						   NULL, 0), bad;
	struct tap_perf wrong;
	struct tap_count counts[TEST_MAX_RINGS + 1];
	struct tap_op op = OP_COMM;
	__u32 id, kprobe;

	create.perf = (uintptr_t)&perf;
#define REFUSED(_errno, _change)					\
	do {								\
		bad = create;						\
		_change;						\
		EXPECT_ERRNO(_errno, ioctl(self->s.fd, TAP_IOC_CREATE, &bad)); \
	} while (0)
#define WRONG(_errno, _change)						\
	REFUSED(_errno, wrong = perf; _change; bad.perf = (uintptr_t)&wrong)

	REFUSED(EINVAL, bad.perf = 0);
	REFUSED(EFAULT, bad.perf = 8);
	REFUSED(EINVAL, bad.flags = TAP_CREATE_F_COUNT);
	REFUSED(EINVAL, bad.flags = TAP_CREATE_F_WAIT);
	REFUSED(EINVAL, bad.maxactive = 1);
	REFUSED(EINVAL, bad.file = 1);
	REFUSED(EINVAL, bad.offset = 1);
	REFUSED(EINVAL, bad.semaphore = 1);
	REFUSED(EINVAL, bad.ops = (uintptr_t)&op; bad.nr_ops = 1);
	REFUSED(ESRCH, bad.pid = 4000000);
	REFUSED(ESRCH, bad.pid = -1);
	WRONG(EINVAL, wrong.size = 0);
	WRONG(EINVAL, wrong.period = 1);
	WRONG(EINVAL, wrong.flags = TAP_PERF_F_FREQUENCY);
	WRONG(EINVAL, wrong.flags = TAP_PERF_F_ALL + 1);
	WRONG(EINVAL, wrong.flags = TAP_PERF_F_ON_EXEC);
	WRONG(EINVAL, wrong.__reserved = 1);
	WRONG(EINVAL, wrong.type = PERF_TYPE_BREAKPOINT);
	WRONG(EINVAL, wrong.type = PERF_TYPE_TRACEPOINT);
	WRONG(EOPNOTSUPP, wrong.config = 12345);
	WRONG(EOPNOTSUPP, wrong.type = 123456);

	test_count_create(&id, &perf, 0);
	EXPECT_ERRNO(EINVAL, _test_ioctl_count(self->s.fd, id, counts,
					       self->s.nr_rings + 1));
	EXPECT_ERRNO(EFAULT, _test_ioctl_count(self->s.fd, id, (void *)8, 1));
	EXPECT_ERRNO(ENOENT, _test_ioctl_count(self->s.fd, id + 1, counts, 1));
	test_ioctl_create(&kprobe, TAP_PROBE_KPROBE, "vfs_read", OP_COMM);
	EXPECT_ERRNO(ENODATA, _test_ioctl_count(self->s.fd, kprobe, counts, 1));
	test_count_create(&id, &perf, getpid());
	EXPECT_ERRNO(EINVAL, _test_ioctl_count(self->s.fd, id, counts, 2));
	/* The probe makes no events. */
	EXPECT_EQ(0, test_counters(_metadata, &self->s, id).hits);
}

/* Closed while it counts; the lab checks the kernel log. */
TEST_F(count, closed_while_it_counts)
{
	struct tap_perf perf = software(PERF_COUNT_SW_CONTEXT_SWITCHES);
	unsigned int i;
	pid_t child;
	__u32 id;

	for (i = 0; i < 20; i++) {
		struct test_session s;

		test_session_open(_metadata, &s, 4096);
		child = fork();
		if (!child) {
			for (;;) {
				child = fork();
				if (!child)
					_exit(0);
				waitpid(child, NULL, 0);
			}
		}
		ASSERT_EQ(0, _test_count_create(s.fd, &id, &perf, getpid()));
		ASSERT_EQ(0, _test_count_create(s.fd, &id, &perf, 0));
		_test_count_create(s.fd, &id, &perf, child);
		ASSERT_EQ(0, _test_ioctl_enable(s.fd, 0));
		usleep(2000);
		kill(child, SIGKILL);
		test_session_close(&s);
		waitpid(child, NULL, 0);
	}
}

TEST_HARNESS_MAIN
