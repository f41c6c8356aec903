// SPDX-License-Identifier: GPL-2.0
/*
 * Stress tests of probes in programs: on two CPUs processes call, fork, execute, longjmp and
 * are killed, while probes are added and removed by ioctl, by close, and by the death of their
 * owner.
 *
 * The kernel patches code that another CPU may be executing: see storm_test.c.
 */
#include "selftests/module/ucall_harness.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/prctl.h>

/* The kernel's limit for a task, and ours for all tasks together. */
#define NR_FOLLOWED	64
#define NR_CALLS	1024

TARGET static __u64 target_recurse(__u64 n, void (*what)(void *data), void *data)
{
	__u64 below = 0;

	if (n)
		below = target_recurse(n - 1, what, data);
	else
		what(data);
	asm volatile("" : "+r" (below));
	return below + 1;
}

static __u32 draw(__u32 *x)
{
	*x = *x * 1664525 + 1013904223;
	return *x >> 8;
}

static jmp_buf jump;

static void do_longjmp(void *data __attribute__((unused)))
{
	longjmp(jump, 1);
}

static void do_exit(void *data __attribute__((unused)))
{
	_exit(0);
}

static void do_calls(void *data)
{
	calls((uintptr_t)data);
}

static void do_fork(void *data)
{
	*(pid_t *)data = fork();
}

static void do_exec(void *data __attribute__((unused)))
{
	test_exec_self("calls", "3");
}

static void do_vfork(void *data)
{
	pid_t child = vfork();

	if (!child)
		target_do(do_exec, NULL);
	*(pid_t *)data = child;
}

static void do_forever(void *data __attribute__((unused)))
{
	for (;;)
		calls(10);
}

static void do_exit_thread(void *data __attribute__((unused)))
{
	syscall(SYS_exit, 0);
}

static void *thread_ends(void *data)
{
	target_recurse((uintptr_t)data, do_calls, (void *)3);
	target_do(do_exit_thread, NULL);
	return NULL;
}

static void on_signal(int nr __attribute__((unused)))
{
	target_do(do_calls, (void *)2);
}

static void do_raise(void *data __attribute__((unused)))
{
	raise(SIGUSR1);
}

/* One random action of a program. */
static void prowl_once(__u32 *x)
{
	uintptr_t depth = draw(x) % (NR_FOLLOWED + 8);
	pthread_t thread;
	pid_t child = -1;

	switch (draw(x) % 8) {
	case 0:
		target_recurse(depth, do_calls, (void *)10);
		break;
	case 1:
		if (!setjmp(jump))
			target_recurse(depth, do_longjmp, NULL);
		break;
	case 2:
		/* The child returns from a call that it has not entered. */
		target_do(do_fork, &child);
		if (!child) {
			target_recurse(depth, draw(x) & 1 ? do_exit : do_exec, NULL);
			_exit(0);
		}
		break;
	case 3:
		target_do(do_vfork, &child);
		break;
	case 4:
		if (!pthread_create(&thread, NULL, thread_ends, (void *)depth))
			pthread_join(thread, NULL);
		break;
	case 5:
		child = fork();
		if (!child)
			target_recurse(depth, do_forever, NULL);
		usleep(draw(x) % 1000);
		kill(child, SIGKILL);
		break;
	case 6:
		target_do(do_raise, NULL);
		break;
	default:
		calls(20);
	}
	if (child > 0)
		waitpid(child, NULL, 0);
}

static void prowl(__u32 x, unsigned int cpu, unsigned int steps)
{
	test_pin(cpu);
	signal(SIGUSR1, on_signal);
	while (steps--)
		prowl_once(&x);
	_exit(0);
}

/* One process on each of two CPUs, each the leader of a process group. */
static void prowlers_start(struct __test_metadata *_metadata, pid_t *prowler,
			   unsigned int steps)
{
	unsigned int cpu;

	for (cpu = 0; cpu < 2; cpu++) {
		prowler[cpu] = fork();
		ASSERT_LE(0, prowler[cpu]);
		if (!prowler[cpu]) {
			setpgid(0, 0);
			prowl(1 + cpu, cpu, steps);
		}
		setpgid(prowler[cpu], prowler[cpu]);
	}
}

/* This process is the reaper of all descendants. */
static void prowlers_kill(const pid_t *prowler)
{
	unsigned int cpu;

	for (cpu = 0; cpu < 2; cpu++)
		kill(-prowler[cpu], SIGKILL);
	while (wait(NULL) > 0)
		;
}

/* Probes of all types, for all processes and for one, on functions that prowlers call. */
static void arm(struct __test_metadata *_metadata, FIXTURE_DATA(ucall) *self,
		pid_t one, __u32 *ucall)
{
	__u32 id;

	test_ucall(&ucall[0], target_step, NR_CALLS, OP_ARG(0), OP_COMM);
	test_ucall(&ucall[1], target_do, NR_CALLS, OP_ARG(0));
	test_ucall(&ucall[2], target_recurse, NR_CALLS, OP_ARG(0));
	test_uprobe(&id, TAP_PROBE_UPROBE, target_step, OP_ARG(0));
	test_uprobe(&id, TAP_PROBE_URETPROBE, target_recurse, OP_RETVAL);
	test_uprobe_of(&id, TAP_PROBE_UPROBE, target_do, one);
	test_uprobe_of(&id, TAP_PROBE_URETPROBE, target_step, one);
	test_uprobe_of(&id, TAP_PROBE_UCALL, target_recurse, one);
	test_ioctl_enable(0);
}

TEST_F_TIMEOUT(ucall, while_programs_live_and_die_come_and_go, 120)
{
	pid_t prowler[2];
	__u32 ucall[3], x = 1;
	unsigned int i;

	test_need_cpus(2);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	prowlers_start(_metadata, prowler, -1);
	for (i = 0; i < 10; i++) {
		test_session_close(&self->s);
		test_session_open(_metadata, &self->s, 65536);
		arm(_metadata, self, prowler[i % 2], ucall);
		usleep(draw(&x) % 20000);
		test_session_drain(&self->s, NULL);
		test_ioctl_disable(ucall[i % 3]);
		test_ioctl_enable(ucall[i % 3]);
		test_ioctl_delete(ucall[(i + 1) % 3]);
		usleep(draw(&x) % 10000);
	}
	prowlers_kill(prowler);
	test_session_close(&self->s);
	EXPECT_EQ(0, test_module_refs("tapmod"));
}

TEST_F_TIMEOUT(ucall, whose_owner_is_killed_leaves_nothing, 120)
{
	pid_t prowler[2], owner;
	__u32 ucall[3], x = 1;
	unsigned int i;

	test_need_cpus(2);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	test_session_close(&self->s);
	prowlers_start(_metadata, prowler, -1);
	for (i = 0; i < 10; i++) {
		owner = fork();
		ASSERT_LE(0, owner);
		if (!owner) {
			for (;;) {
				test_session_open(_metadata, &self->s, 65536);
				arm(_metadata, self, prowler[i % 2], ucall);
				test_ioctl_disable(0);
				test_session_close(&self->s);
			}
		}
		usleep(draw(&x) % 50000);
		kill(owner, SIGKILL);
		ASSERT_EQ(owner, waitpid(owner, NULL, 0));
	}
	prowlers_kill(prowler);
	EXPECT_EQ(0, test_module_refs("tapmod"));
}

struct diver {
	pthread_t thread;
	int down[2];
	int up[2];
};

static void do_wait(void *data)
{
	struct diver *d = data;

	test_send_byte(d->down);
	test_wait_byte(d->up);
}

static void *dive(void *data)
{
	target_recurse(NR_FOLLOWED - 1, do_wait, data);
	return NULL;
}

/* maxactive calls can be in flight, and none of them is missed. */
static void expect_all_room(struct __test_metadata *_metadata,
			    FIXTURE_DATA(ucall) *self, __u32 id)
{
	struct diver d[NR_CALLS / NR_FOLLOWED];
	struct tap_stats before, after;
	unsigned int i, j;

	test_ioctl_stats(id, NULL, 0, &before);
	for (i = 0; i < ARRAY_SIZE(d); i++) {
		ASSERT_EQ(0, pipe(d[i].down));
		ASSERT_EQ(0, pipe(d[i].up));
		ASSERT_EQ(0, pthread_create(&d[i].thread, NULL, dive, &d[i]));
		ASSERT_TRUE(test_wait_byte(d[i].down));
	}
	test_ioctl_stats(id, NULL, 0, &after);
	EXPECT_EQ(before.out_nmissed_return, after.out_nmissed_return);
	for (i = 0; i < ARRAY_SIZE(d); i++) {
		test_send_byte(d[i].up);
		ASSERT_EQ(0, pthread_join(d[i].thread, NULL));
		for (j = 0; j < 2; j++) {
			close(d[i].down[j]);
			close(d[i].up[j]);
		}
	}
}

/* Each call has a record or is counted as lost; all frames are returned. */
TEST_F_TIMEOUT(ucall, of_programs_that_live_and_die_is_a_hit_each_time, 120)
{
	__u64 events = 0, gaps = 0, pending;
	struct tap_counters c, all = {};
	pid_t prowler[2];
	__u32 ucall[3];
	unsigned int i, id;

	test_need_cpus(2);
	arm(_metadata, self, getpid(), ucall);
	prowlers_start(_metadata, prowler, 100);
	for (i = 0; i < 2; i++) {
		while (!waitpid(prowler[i], NULL, WNOHANG)) {
			events += test_session_drain(&self->s, &gaps);
			usleep(2000);
		}
	}
	expect_all_room(_metadata, self, ucall[2]);
	for (i = 0; i < 3; i++) {
		c = expect_whole(_metadata, &self->s, ucall[i]);
		EXPECT_LT(0, c.hits);
	}
	test_ioctl_disable(0);
	for (id = 1; id <= 8; id++) {
		c = test_counters(_metadata, &self->s, id);
		all.written += c.written;
		all.lost_full += c.lost_full;
		all.lost_nested += c.lost_nested;
	}
	test_ioctl_flush(&pending);
	EXPECT_EQ(0, pending);
	events += test_session_drain(&self->s, &gaps);
	EXPECT_EQ(all.written, events);
	EXPECT_EQ(all.lost_full + all.lost_nested, gaps);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "calls")) {
		calls(atoi(argv[2]));
		return 0;
	}
	return test_harness_run(argc, argv);
}
