// SPDX-License-Identifier: GPL-2.0
/*
 * The first octave has a bucket for each number, a later one 256 for the numbers up to twice its
 * least one. An octave takes memory when a number falls into it.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diff/histogram.h"

#define BUCKETS	256U
#define BITS	8

static unsigned int octave_of(__u64 value)
{
	return value < BUCKETS ? 0 : 64U - BITS - (unsigned int)__builtin_clzll(value);
}

/* How far the values of a bucket range. */
static double width_of(unsigned int octave)
{
	return octave ? ldexp(1, (int)octave - 1) : 1;
}

static double begin_of(unsigned int octave, unsigned int bucket)
{
	return (octave ? BUCKETS + bucket : bucket) * width_of(octave);
}

int histogram_add(struct histogram *h, __u64 value)
{
	unsigned int octave = octave_of(value);

	if (!h->octave[octave])
		h->octave[octave] = calloc(BUCKETS, sizeof(*h->octave[octave]));
	if (!h->octave[octave])
		return -ENOMEM;
	h->octave[octave][(octave ? value >> (octave - 1) : value) % BUCKETS]++;
	h->nr++;
	return 0;
}

double histogram_share(const struct histogram *h, double bound)
{
	unsigned int octave, i;
	double sum = 0, within;

	for (octave = 0; octave < HISTOGRAM_OCTAVES; octave++) {
		for (i = 0; h->octave[octave] && i < BUCKETS; i++) {
			within = (bound - begin_of(octave, i)) / width_of(octave);
			if (within <= 0)
				return sum / (double)h->nr;
			sum += fmin(within, 1) * (double)h->octave[octave][i];
		}
	}
	return sum / (double)h->nr;
}

double histogram_quantile(const struct histogram *h, double share)
{
	double left = share * (double)h->nr, nr, last = 0;
	unsigned int octave, i;

	for (octave = 0; octave < HISTOGRAM_OCTAVES; octave++) {
		for (i = 0; h->octave[octave] && i < BUCKETS; i++) {
			nr = (double)h->octave[octave][i];
			if (nr > 0 && left <= nr)
				return begin_of(octave, i) + left / nr * width_of(octave);
			left -= nr;
			if (nr > 0)
				last = begin_of(octave, i) + width_of(octave);
		}
	}
	return last;
}

void histogram_free(struct histogram *h)
{
	unsigned int octave;

	for (octave = 0; octave < HISTOGRAM_OCTAVES; octave++)
		free(h->octave[octave]);
	memset(h, 0, sizeof(*h));
}
