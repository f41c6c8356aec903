// SPDX-License-Identifier: GPL-2.0
/* A library with variables that it writes: see watched.c. */
#include <string.h>

volatile int shared_count;
static volatile unsigned char shared_bytes[8] __attribute__((aligned(8)));

void shared_add(int n)
{
	while (n--) {
		shared_count++;
		shared_bytes[2] = (unsigned char)n;
	}
}
