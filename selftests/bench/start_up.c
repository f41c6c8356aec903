// SPDX-License-Identifier: GPL-2.0
/*
 * start_up COMMAND [ARGUMENT]...: runs a command, and prints how many instructions it took, with all that
 * the kernel and other tasks did meanwhile, but without those of the idle CPU.
 *
 * For the lab under --icount with one CPU: the time stamp counter counts instructions, and an idle CPU
 * counts on. So another process computes whenever the CPU would be idle, and its own time is subtracted.
 */
#define _GNU_SOURCE
#include <err.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pid_t begin_idle(void)
{
	const struct sched_param param = { 0 };
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (pid)
		return pid;
	if (sched_setscheduler(0, SCHED_IDLE, &param))
		err(1, "SCHED_IDLE");
	for (;;)
		__asm__ volatile("");
}

/* The time that a process has run: an instruction is a nanosecond. */
static double time_of(pid_t pid)
{
	struct timespec ts;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &ts))
		errx(1, "no clock of the process that computes while the CPU is idle");
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

/* Waits until nothing else runs: after the start of a kernel its threads test its ciphers. */
static void wait_quiet(pid_t idle)
{
	unsigned long long begin;
	double before;

	do {
		before = time_of(idle);
		begin = __builtin_ia32_rdtsc();
		usleep(100000);
	} while (time_of(idle) - before < .98 * (double)(__builtin_ia32_rdtsc() - begin));
}

int main(int argc, char **argv)
{
	unsigned long long begin, end;
	double before, after;
	pid_t idle, command;
	int status;

	if (argc < 2)
		errx(2, "usage: start_up COMMAND [ARGUMENT]...");
	idle = begin_idle();
	wait_quiet(idle);
	before = time_of(idle);
	begin = __builtin_ia32_rdtsc();
	command = fork();
	if (command < 0)
		err(1, "fork");
	if (!command) {
		execvp(argv[1], argv + 1);
		err(127, "%s", argv[1]);
	}
	if (waitpid(command, &status, 0) < 0)
		err(1, "waitpid");
	end = __builtin_ia32_rdtsc();
	after = time_of(idle);
	kill(idle, SIGKILL);
	printf("%.0f\n", (double)(end - begin) - (after - before));
	return status != 0;
}
