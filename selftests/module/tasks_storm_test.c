// SPDX-License-Identifier: GPL-2.0
/*
 * Stress tests of a session that knows its tasks: durations are divided and frames are under way
 * while tasks are killed, CPUs go offline and come back, modules come and go, and sessions end. Each
 * record that comes adds up.
 *
 * $TEST_ROUNDS: how often. The kernel patches code that another CPU may be executing: see
 * storm_test.c.
 */
#include "selftests/module/tap_harness.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>

#define CPU1_ONLINE	"/sys/devices/system/cpu/cpu1/online"
#define MIX		"/sys/module/tap_waits/parameters/mix"
#define WAIT		"/sys/module/tap_waits/parameters/wait"

#define SYSCALL_FRAME	1
#define SLEEP_FRAME	2
#define VICTIMS		6

/* Behind duration and result: the parts, and both stacks of the longest wait. */
#define OP_DIVIDE							\
	OP(TAP_OP_RETURN, 0, 0, 0, 0, 0),				\
	OP(TAP_OP_DIVISION, TAP_OP_OUT, 0, 0, 0, 0),			\
	OP(TAP_OP_WAIT_STACK, TAP_OP_OUT, 0, 0, 0, TAP_WAIT_FRAMES * 8),	\
	OP(TAP_OP_WAIT_STACK, TAP_OP_OUT, 0, 0, 1, TAP_WAIT_FRAMES * 8)
#define DIVISION	2

FIXTURE(tasks_storm)
{
	struct test_session s;
	pid_t victim[VICTIMS];
	bool hotplug;
	__u64 divided;
	__u32 random;
};

FIXTURE_SETUP(tasks_storm)
{
	self->s.fd = -1;
	test_need_root();
	test_need_module("tap_waits");
	self->hotplug = !access(CPU1_ONLINE, W_OK);
	self->random = 1;
}

static void kill_one(pid_t *victim)
{
	if (*victim <= 0)
		return;
	kill(*victim, SIGKILL);
	waitpid(*victim, NULL, 0);
	*victim = 0;
}

FIXTURE_TEARDOWN(tasks_storm)
{
	unsigned int i;

	for (i = 0; i < VICTIMS; i++)
		kill_one(&self->victim[i]);
	if (self->hotplug)
		test_write_file(CPU1_ONLINE, "1");
	test_session_close(&self->s);
	EXPECT_EQ(0, test_module_refs("tapmod"));
}

static __u32 draw(__u32 *x)
{
	*x = *x * 1664525 + 1013904223;
	return *x >> 8;
}

static void *echo(void *data)
{
	const int *end = data;
	char byte;

	while (read(end[0], &byte, 1) == 1)
		write(end[1], &byte, 1);
	return NULL;
}

/* Sleeps, waits for another thread, for locks and for children, until it is killed at any point. */
static void live(struct test_session *s, __u32 random)
{
	int there[2], back[2], end[2];
	pthread_t thread;
	char byte = 0;
	pid_t child;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* The session ends when the parent closes it. */
	test_session_close(s);
	if (pipe(there) || pipe(back))
		_exit(1);
	end[0] = there[0];
	end[1] = back[1];
	if (pthread_create(&thread, NULL, echo, end))
		_exit(1);
	for (;;) {
		switch (draw(&random) % 8) {
		case 0:
			usleep(draw(&random) % 200);
			break;
		case 1:
			write(there[1], &byte, 1);
			read(back[0], &byte, 1);
			break;
		case 2:
			sched_yield();
			break;
		case 3:
			child = fork();
			if (!child)
				_exit(0);
			waitpid(child, NULL, 0);
			break;
		case 4:
			poll(NULL, 0, 1);
			break;
		case 5:
			/* All of them wait for a lock of the module's parameters. */
			test_write_file(WAIT, "run 10000");
			break;
		default:
			getppid();
		}
	}
}

/* Arms calls that contain each other, whose time is divided, and what is inside of them. */
static void arm(struct __test_metadata *_metadata, FIXTURE_DATA(tasks_storm) *self)
{
	const struct tap_op divide[] = { OP_DIVIDE };
	struct tap_create create;
	unsigned int i;

	if (access("/sys/module/tap_waits", F_OK))
		ASSERT_EQ(0, test_module_load("tap_waits", ""));
	test_session_open(_metadata, &self->s, 1 << 18);
	ASSERT_EQ(0, _test_ioctl_tasks(self->s.fd, TAP_TASKS_F_DIVISION | TAP_TASKS_F_FRAMES, 64,
				       NULL));
	for (i = 0; i < 3; i++) {
		create = test_create_arg(i ? TAP_PROBE_CALL : TAP_PROBE_SYSCALL,
					 i == 2 ? "tap_waits:waits_mixed" :
					 i ? "hrtimer_nanosleep" : "*", divide,
					 ARRAY_SIZE(divide));
		create.frame = i == 1 ? SLEEP_FRAME : i ? 0 : SYSCALL_FRAME;
		create.limit = TAP_NO_LIMIT;
		ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_CREATE, &create))
			TH_LOG("%u: %s", i, strerror(errno));
	}
	test_ioctl_create(NULL, TAP_PROBE_KPROBE, "schedule",
			  OP(TAP_OP_VAR, 0, 0, 8, TAP_VAR_INSIDE,
			     SLEEP_FRAME | TAP_INSIDE_ANY),
			  OP_REJECT_IF(TAP_OP_JEQ, 0, 0));
	test_ioctl_create(NULL, TAP_PROBE_RAWTP, "sched_switch",
			  OP(TAP_OP_VAR, 0, 0, 8, TAP_VAR_INSIDE,
			     SYSCALL_FRAME | TAP_INSIDE_ANY | TAP_INSIDE_IRQ),
			  OP_REJECT_IF(TAP_OP_JEQ, 0, 0));
	test_ioctl_enable(0);
}

/* Every division that was written is whole. */
static void check_records(struct __test_metadata *_metadata, FIXTURE_DATA(tasks_storm) *self)
{
	const struct tap_division *d;
	struct test_record rec;
	unsigned int i;
	__u64 sum;

	while (test_session_next(&self->s, &rec)) {
		/* The first three probes; 0 is none. */
		if (!rec.probe || rec.probe > 3 ||
		    rec.flags & (TAP_F_ABSENT | TAP_F_NO_RETURN))
			continue;
		d = (const void *)&rec.word[DIVISION];
		for (sum = 0, i = 0; i < TAP_NR_PARTS; i++)
			sum += d->part[i];
		ASSERT_EQ(rec.word[0], sum) {
			TH_LOG("probe %u of thread %u", rec.probe, rec.tid);
		}
		self->divided++;
	}
}

/* One thing that disturbs the tasks. */
static void disturb(struct __test_metadata *_metadata, FIXTURE_DATA(tasks_storm) *self)
{
	char text[32];

	switch (draw(&self->random) % 8) {
	case 0:
		if (self->hotplug)
			ASSERT_EQ(0, test_write_file(CPU1_ONLINE, "0"));
		break;
	case 1:
		if (self->hotplug)
			ASSERT_EQ(0, test_write_file(CPU1_ONLINE, "1"));
		break;
	case 2:
		/* It goes unless somebody writes to its parameters. */
		test_module_unload("tap_waits");
		break;
	case 3:
		test_module_load("tap_waits", "");
		break;
	case 4:
		snprintf(text, sizeof(text), "3 100 %u", self->random);
		test_write_file(MIX, text);
		break;
	default:
		usleep(draw(&self->random) % 2000);
	}
}

TEST_F_TIMEOUT(tasks_storm, tasks_are_killed_and_cpus_and_modules_go, 3600)
{
	const char *wanted = getenv("TEST_ROUNDS");
	const unsigned int rounds = wanted ? atoi(wanted) : 4;
	unsigned int i, step;
	pid_t *victim;

	for (i = 0; i < rounds; i++) {
		struct tap_tasks_read read = { .size = sizeof(read) };

		arm(_metadata, self);
		for (step = 0; step < 40; step++) {
			victim = &self->victim[draw(&self->random) % VICTIMS];
			kill_one(victim);
			*victim = fork();
			ASSERT_LE(0, *victim);
			if (!*victim)
				live(&self->s, self->random);
			disturb(_metadata, self);
			check_records(_metadata, self);
		}
		ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_TASKS_READ, &read));
		EXPECT_EQ(0, read.out_unexpected);
		EXPECT_EQ(0, read.out_backwards);
		/* Half of the sessions end while their probes fire. */
		if (i % 2)
			test_ioctl_disable(0);
		test_session_close(&self->s);
	}
	TH_LOG("%llu durations add up", self->divided);
	EXPECT_LT(50 * rounds, self->divided);
}

TEST_HARNESS_MAIN
