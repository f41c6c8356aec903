/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random numbers for the fuzzers. Each program or batch of calls has its own sequence, so that it
 * can be made again without its predecessors.
 */
#ifndef _TEST_MODULE_FUZZ_RANDOM_H
#define _TEST_MODULE_FUZZ_RANDOM_H

#include <stdbool.h>

#include <linux/types.h>

/* The option --seed; see fuzz_main.c. */
extern __u64 make_seed;
extern _Thread_local __u64 random_state;

static inline __u64 next(void)
{
	__u64 z = random_state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static inline __u64 below(__u64 n)
{
	return next() % n;
}

static inline bool chance(unsigned int percent)
{
	return below(100) < percent;
}

/* Starts sequence @n of this seed. */
static inline void restart(__u64 n)
{
	random_state = make_seed * 0x2545f4914f6cdd1dULL + n;
	next();
}

#define pick(array)	((array)[below(ARRAY_SIZE(array))])

#endif /* _TEST_MODULE_FUZZ_RANDOM_H */
