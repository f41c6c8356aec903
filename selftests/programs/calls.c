// SPDX-License-Identifier: GPL-2.0
/*
 * Makes known numbers of calls: each argument names a kind, and the kinds run in that order.
 * uprobe_guest has the expected counts of each.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

static jmp_buf back;
static char **again;

NOINLINE long calls_simple(int number, const char *text, long factor)
{
	__asm__ volatile("" : : "r"(text) : "memory");
	return number * factor;
}

NOINLINE unsigned int calls_fib(unsigned int n)
{
	__asm__ volatile("");
	return n < 2 ? n : calls_fib(n - 1) + calls_fib(n - 2);
}

/* Recursion; the addition prevents a tail call. */
NOINLINE unsigned int calls_deep(unsigned int n)
{
	unsigned int below = n ? calls_deep(n - 1) : 0;

	__asm__ volatile("" : "+r"(below));
	return below + 1;
}

NOINLINE void calls_jump(int way)
{
	longjmp(back, way);
}

NOINLINE int calls_outer(int n)
{
	volatile int ways = 0;

	for (volatile int i = 1; i <= n; i++) {
		if (!setjmp(back))
			calls_jump(i);
		ways++;
	}
	return ways;
}

NOINLINE pid_t calls_fork(void)
{
	return fork();
}

NOINLINE void calls_exec(void)
{
	execv("/proc/self/exe", again);
	perror("execv");
	exit(1);
}

NOINLINE void calls_exit(int status)
{
	exit(status);
}

static void *thread(void *arg)
{
	for (int i = 0; i < 1000; i++)
		calls_simple(i, "thread", (long)arg);
	return NULL;
}

static void threads(void)
{
	pthread_t id[2];

	for (long i = 0; i < 2; i++)
		if (pthread_create(&id[i], NULL, thread, (void *)i))
			exit(1);
	for (int i = 0; i < 2; i++)
		pthread_join(id[i], NULL);
}

/* The child returns from a call that its parent made, then exits within a call of its own. */
static void forks(void)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = calls_fork();
	for (int i = 0; i < (pid ? 7 : 5); i++)
		calls_simple(i, pid ? "parent" : "child", 10);
	if (!pid)
		calls_exit(3);
	if (waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != 3)
		exit(1);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "simple")) {
			for (int k = 1; k <= 20; k++)
				calls_simple(k, k % 2 ? "odd" : "even", 1000000000000);
		} else if (!strcmp(argv[i], "fib")) {
			calls_fib(10);
		} else if (!strcmp(argv[i], "deep")) {
			calls_deep(9);
		} else if (!strcmp(argv[i], "deeper")) {
			calls_deep(99);
		} else if (!strcmp(argv[i], "threads")) {
			threads();
		} else if (!strcmp(argv[i], "fork")) {
			forks();
		} else if (!strcmp(argv[i], "jump")) {
			calls_outer(10);
		} else if (!strcmp(argv[i], "exec")) {
			argv[i] = argv[0];
			again = argv + i;
			calls_exec();
		} else {
			fprintf(stderr, "%s: no such kind\n", argv[i]);
			return 2;
		}
	}
	return 0;
}
