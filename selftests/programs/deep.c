// SPDX-License-Identifier: GPL-2.0
/*
 * A system call, getpriority(), below 21 nested calls, below a comparison for qsort() of libc. Compiled
 * without frame pointers: only unwind data lead from one frame to the next. Prints how many calls are
 * nested, for the test.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#define DEPTH	20
#define FUNCTION __attribute__((noinline, noclone))

static int dived;

/* Inlined into the innermost call. */
static inline __attribute__((always_inline)) int deep_ask(void)
{
	return getpriority(PRIO_PROCESS, 0);
}

/* 64 bytes and more in each frame, and no tail call. */
FUNCTION int deep_dive(int depth)
{
	volatile int pad[16] = { depth };
	int found = depth ? deep_dive(depth - 1) : deep_ask();

	return found + pad[1];
}

FUNCTION int deep_compare(const void *a, const void *b)
{
	const int *x = a, *y = b;

	if (!dived++)
		printf("%d\n", DEPTH + 1 + deep_dive(DEPTH));
	return *x - *y;
}

int main(void)
{
	int numbers[] = { 3, 1, 4, 1, 5, 9, 2, 6 };

	qsort(numbers, sizeof(numbers) / sizeof(*numbers), sizeof(*numbers), deep_compare);
	return numbers[0] != 1;
}
