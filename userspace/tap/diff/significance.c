// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of significance.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "diff/significance.h"

/* The least number of blocks that measures a noise. */
#define LEAST_BLOCKS	16
/* Of the correlation of parts that follow each other: in standard deviations of chance. */
#define CLEARLY_ALIKE	1.5
/* Of parts that are all alike: so they still say something, if they differ little. */
#define LEAST_FREEDOM	4
#define LEAST_FEWER	(1. / LEAST_BLOCKS)
/* Steps of the continued fraction; it converges in fewer. */
#define STEPS	500

unsigned int significance_block(__u64 i, __u64 nr)
{
	if (i >= nr)
		i = nr - 1;
	return (unsigned int)((unsigned __int128)i * BLOCKS / nr);
}

/* The continued fraction of the incomplete beta function, by the method of Lentz. */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 / fmax(1 - (a + b) * x / (a + 1), 1e-300), f = d, step;
	int m;

	for (m = 1; m < STEPS; m++) {
		step = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		d = 1 / (1 + step * d);
		c = 1 + step / c;
		f *= c * d;
		step = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		d = 1 / (1 + step * d);
		c = 1 + step / c;
		f *= c * d;
		if (fabs(c * d - 1) < 1e-14)
			break;
	}
	return f;
}

/* The incomplete beta function I_x(a, b). */
static double beta(double a, double b, double x)
{
	double front;

	if (x <= 0 || x >= 1)
		return x >= 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a :
					   1 - front * beta_fraction(b, a, 1 - x) / b;
}

/* The probability that Student's t is @t or more; @freedom: INFINITY is the normal distribution. */
static double student(double t, double freedom)
{
	double p;

	if (isinf(freedom))
		return erfc(t / sqrt(2)) / 2;
	p = beta(freedom / 2, .5, freedom / (freedom + t * t)) / 2;
	return t < 0 ? 1 - p : p;
}

/* @variance: of @effect. */
static double tail(double effect, double variance, double freedom)
{
	if (effect <= 0)
		return 1;
	return variance > 0 ? student(effect / sqrt(variance), freedom) : 0;
}

/*
 * The result of a t-test of @effect, which is the sum of @nr parts. If parts are clearly like those
 * before them, they say less: they count as fewer, as in a process of the first order. @like: that
 * was so of all shorter parts; set to whether it is so of these. Few parts are often like each other
 * by chance, but not the shorter ones as well.
 */
static double test_parts(double effect, const double *part, unsigned int nr, bool *like)
{
	double mean = 0, sum = 0, next = 0, alike, fewer = 1;
	unsigned int i;

	for (i = 0; i < nr; i++)
		mean += part[i] / nr;
	for (i = 0; i < nr; i++) {
		sum += (part[i] - mean) * (part[i] - mean);
		if (i)
			next += (part[i] - mean) * (part[i - 1] - mean);
	}
	alike = sum > 0 ? next / sum : 0;
	*like &= alike > CLEARLY_ALIKE / sqrt(nr);
	if (*like)
		fewer = fmax((1 - alike) / (1 + alike), LEAST_FEWER);
	return tail(effect, sum * nr / (nr - 1) / fewer, fmax(fewer * (nr - 1), LEAST_FREEDOM));
}

static void add_up(const __u64 *blocks, unsigned int nr, __u64 *to)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		to[i] = 0;
	for (i = 0; i < BLOCKS; i++)
		to[i * nr / BLOCKS] += blocks[i];
}

static __u64 total(const __u64 *blocks)
{
	__u64 sum;

	add_up(blocks, 1, &sum);
	return sum;
}

/* The first number of a block out of @nr: the least i with i * blocks / nr == block. */
static double begin_of(unsigned int block, unsigned int blocks, __u64 nr)
{
	return (double)(((unsigned __int128)block * nr + blocks - 1) / blocks);
}

static void shares_of(const struct significance_share *s, unsigned int nr, double *share)
{
	__u64 above[BLOCKS];
	unsigned int i;

	add_up(s->above, nr, above);
	for (i = 0; i < nr; i++)
		share[i] = (double)above[i] / (begin_of(i + 1, nr, s->nr) - begin_of(i, nr, s->nr));
}

double significance_of_shares(const struct significance_share *small,
			      const struct significance_share *large)
{
	double a = (double)total(small->above), b = (double)total(large->above);
	double na = (double)small->nr, nb = (double)large->nr;
	double effect = b / (nb + (double)large->lost) -
			(a + (double)small->lost) / (na + (double)small->lost);
	double share = (a / na + b / nb) / 2, p;
	double part[BLOCKS], other[BLOCKS];
	unsigned int nr, i;
	bool like = true;

	p = tail(effect, share * (1 - share) * (1 / na + 1 / nb), na + nb - 2);
	for (nr = BLOCKS; nr >= LEAST_BLOCKS; nr /= 2) {
		if (small->nr < 2 * nr || large->nr < 2 * nr)
			continue;
		shares_of(small, nr, other);
		shares_of(large, nr, part);
		for (i = 0; i < nr; i++)
			part[i] = (part[i] - other[i]) / nr;
		p = fmax(p, test_parts(effect, part, nr, &like));
	}
	return p;
}

double significance_of_counts(const struct significance_count *small,
			      const struct significance_count *large, double factor)
{
	double a = (double)total(small->blocks) * small->scale;
	double b = (double)total(large->blocks) * large->scale;
	double part_at_most = factor / (1 + factor);	/* of @large */
	double effect = b * (1 - part_at_most) -
			(a + (double)small->lost * small->scale) * part_at_most;
	double share = a + b > 0 ? b / (a + b) : 0, p;
	__u64 of_small[BLOCKS], of_large[BLOCKS];
	double part[BLOCKS];
	unsigned int nr, i;
	bool like = true;

	p = tail(effect, (1 - part_at_most) * (1 - part_at_most) * b * large->scale +
		 part_at_most * part_at_most * a * small->scale, INFINITY);
	for (nr = BLOCKS; nr >= LEAST_BLOCKS; nr /= 2) {
		add_up(small->blocks, nr, of_small);
		add_up(large->blocks, nr, of_large);
		for (i = 0; i < nr; i++)
			part[i] = (1 - share) * (double)of_large[i] * large->scale -
				  share * (double)of_small[i] * small->scale;
		p = fmax(p, test_parts(effect, part, nr, &like));
	}
	return p;
}

static int compare(const void *left, const void *right)
{
	const double *a = *(double *const *)left, *b = *(double *const *)right;

	return *a < *b ? -1 : *a > *b;
}

int significance_holm(double *p, size_t nr)
{
	double **sorted = calloc(nr + 1, sizeof(*sorted)), last = 0;
	size_t i;

	if (!sorted)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		sorted[i] = &p[i];
	qsort(sorted, nr, sizeof(*sorted), compare);
	for (i = 0; i < nr; i++) {
		last = fmax(last, fmin(1, *sorted[i] * (double)(nr - i)));
		*sorted[i] = last;
	}
	free(sorted);
	return 0;
}
