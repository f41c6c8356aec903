// SPDX-License-Identifier: GPL-2.0
/*
 * USDT probes with a semaphore. "usdt fire N" runs through them N times; "usdt watch" prints the
 * semaphore and whether its code is unmodified, now and at each change, until its standard input
 * ends.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>

#define SEMAPHORE __attribute__((section(".probes"), used))
volatile unsigned short tap_test_numbers_semaphore SEMAPHORE;
volatile unsigned short tap_test_places_semaphore SEMAPHORE;

volatile unsigned short tap_test_variables_semaphore SEMAPHORE;

int usdt_count = 1;
struct {
	int first;
	short second;
} usdt_pair;

/* GCC leaves these operands in memory: "-4@usdt_count(%rip)". */
static __attribute__((noinline, noclone)) void usdt_variables(void)
{
	STAP_PROBE2(tap_test, variables, usdt_count, usdt_pair.second);
}

__attribute__((noinline, noclone)) void usdt_fire(int i, const char *text)
{
	int8_t byte = -i;
	uint16_t half = 60000 + i;
	int64_t whole = -5000000000 - i;

	if (tap_test_numbers_semaphore)
		STAP_PROBE5(tap_test, numbers, byte, half, i, whole, text);
	/* One probe name with two places. */
	if (i % 2)
		STAP_PROBE1(tap_test, places, i);
	else
		STAP_PROBE1(tap_test, places, -i);
}

/* A checksum of the code of usdt_fire(), which has both places. */
static unsigned long code(void)
{
	const volatile unsigned char *at = (void *)usdt_fire;
	unsigned long sum = 0;

	for (int i = 0; i < 128; i++)
		sum = sum * 31 + at[i];
	return sum;
}

static int watch(void)
{
	struct pollfd in = { .fd = 0, .events = POLLIN };
	unsigned long original = code();
	int semaphore = -1, changed = -1;

	setvbuf(stdout, NULL, _IOLBF, 0);
	while (!poll(&in, 1, 1)) {
		if (semaphore == tap_test_numbers_semaphore &&
		    changed == (code() != original))
			continue;
		semaphore = tap_test_numbers_semaphore;
		changed = code() != original;
		printf("semaphore %d code %s\n", semaphore,
		       changed ? "changed" : "original");
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "watch"))
		return watch();
	/* This also faults in the page with the texts; otherwise the probe could not read them. */
	if (argc != 3 || strcmp(argv[1], "fire"))
		return 2;
	for (int i = 1; i <= atoi(argv[2]); i++) {
		usdt_fire(i, i % 2 ? "odd" : "even");
		usdt_count = 1000 * i;
		usdt_pair.second = -i;
		usdt_variables();
	}
	return 0;
}
