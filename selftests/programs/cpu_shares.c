// SPDX-License-Identifier: GPL-2.0
/*
 * Work for samples, in known amounts:
 *	cpu_shares busy MS		three quarters of the time in shares_three(), a
 *				quarter in shares_one()
 *	cpu_shares faults N		N page faults
 *	cpu_shares sleeps N		N sleeps
 *	cpu_shares moves N		N migrations to another CPU
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define APART	__attribute__((noinline, noclone))

/*
 * The same few instructions each time. The frame address forces a frame, so that the caller is
 * found and the loop does not start at the first instruction.
 */
static inline __attribute__((always_inline)) void turn(unsigned long turns)
{
	__asm__ volatile("" : : "r" (__builtin_frame_address(0)));
#ifdef __aarch64__
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r" (turns) : : "cc");
#else
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r" (turns) : : "cc");
#endif
}

APART static void shares_three(unsigned long turns)
{
	turn(turns);
	turn(turns);
	turn(turns);
}

APART static void shares_one(unsigned long turns)
{
	turn(turns);
}

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void busy(long ms)
{
	unsigned long turns = 1;
	long until = now_ms() + ms;

	/* The duration varies, so that it is never in step with a clock. */
	for (; now_ms() < until; turns = (turns * 7919) % 100003) {
		shares_three(100000 + turns);
		shares_one(100000 + turns);
	}
}

APART static int shares_touch(long pages)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *map;
	long i;

	map = mmap(NULL, (size_t)pages * size, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return 1;
	madvise((void *)map, (size_t)pages * size, MADV_NOHUGEPAGE);
	for (i = 0; i < pages; i++)
		map[(size_t)i * size] = 1;
	return 0;
}

static void move_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

int main(int argc, char **argv)
{
	long n = argc == 3 ? atol(argv[2]) : 0, i;

	if (n <= 0)
		return 2;
	if (!strcmp(argv[1], "busy"))
		busy(n);
	else if (!strcmp(argv[1], "faults"))
		return shares_touch(n);
	for (i = 0; !strcmp(argv[1], "sleeps") && i < n; i++)
		usleep(1000);
	if (!strcmp(argv[1], "moves"))
		move_to(0);
	for (i = 1; !strcmp(argv[1], "moves") && i <= n; i++)
		move_to((int)(i % 2));
	return 0;
}
