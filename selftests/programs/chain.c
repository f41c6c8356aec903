// SPDX-License-Identifier: GPL-2.0
/*
 * Stacks that are known: chain_leaf() is reached by three chains of functions, 30, 20 and 10
 * times, the last of them in a thread, and makes a system call.
 */
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
/* Behind each call, so that it is none in the tail. */
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

int main(void)
{
	pthread_t id;

	for (int i = 0; i < 30; i++)
		chain_near();
	for (int i = 0; i < 20; i++)
		chain_far();
	return pthread_create(&id, NULL, chain_thread, NULL) || pthread_join(id, NULL);
}
