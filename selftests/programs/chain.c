// SPDX-License-Identifier: GPL-2.0
/*
 * Makes known stacks: chain_leaf() makes a system call. Without arguments three chains of functions
 * reach it, 30, 20 and 10 times, the last one in a thread. Otherwise the arguments run in order:
 *	vdso	10 system calls from the vdso
 *	spin	some time of work, for interrupts
 *	wait	prints a line, and exits at the end of its input
 */
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
/* After a call: prevents a tail call. */
#define STAY() __asm__ volatile("" : : : "memory")

NOINLINE void chain_leaf(void)
{
	syscall(SYS_getpriority, 0, 0);
	STAY();
}

NOINLINE void chain_near(void) { chain_leaf(); STAY(); }
NOINLINE void chain_middle(void) { chain_near(); STAY(); }
NOINLINE void chain_far(void) { chain_middle(); STAY(); }
NOINLINE void chain_deep(int n) { if (n) chain_deep(n - 1); else chain_leaf(); STAY(); }

static void *chain_thread(void *arg)
{
	for (int i = 0; i < 10; i++)
		chain_deep(5);
	return arg;
}

/* The vdso cannot read this clock: it makes a system call. */
NOINLINE void chain_vdso(void)
{
	struct timespec ts;

	for (int i = 0; i < 10; i++)
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
}

NOINLINE void chain_inner(volatile unsigned int *n)
{
	for (int i = 0; i < 1000; i++)
		*n += i;
}

NOINLINE void chain_spin(void)
{
	volatile unsigned int n = 0;

	for (int i = 0; i < 40000; i++)
		chain_inner(&n);
}

NOINLINE void chain_wait(void)
{
	char byte;

	if (write(1, "waits\n", 6) < 0)
		return;
	while (read(0, &byte, 1) > 0)
		STAY();
}

static int chain_all(void)
{
	pthread_t id;

	for (int i = 0; i < 30; i++)
		chain_near();
	for (int i = 0; i < 20; i++)
		chain_far();
	return pthread_create(&id, NULL, chain_thread, NULL) || pthread_join(id, NULL);
}

int main(int argc, char **argv)
{
	int ret = argc < 2 ? chain_all() : 0;

	for (int i = 1; i < argc && !ret; i++) {
		if (!strcmp(argv[i], "all"))
			ret = chain_all();
		else if (!strcmp(argv[i], "vdso"))
			chain_vdso();
		else if (!strcmp(argv[i], "spin"))
			chain_spin();
		else
			chain_wait();
	}
	return ret;
}
