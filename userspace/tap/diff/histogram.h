/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A histogram whose buckets are at most 1/256 of their values wide.
 */
#ifndef _TOOL_DIFF_HISTOGRAM_H
#define _TOOL_DIFF_HISTOGRAM_H

#include <linux/types.h>

#define HISTOGRAM_OCTAVES	57

/**
 * struct histogram - numbers, counted; all zero at first
 * @nr: numbers
 * @octave: buckets of the numbers up to each power of two; NULL if there are none
 */
struct histogram {
	__u64 nr;
	__u64 *octave[HISTOGRAM_OCTAVES];
};

/**
 * histogram_add() - count a number
 * @h: the histogram
 * @value: the number
 *
 * Return: 0 or -ENOMEM.
 */
int histogram_add(struct histogram *h, __u64 value);

/**
 * histogram_share() - the share of the numbers that are below a bound
 * @h: a histogram with numbers
 * @bound: a whole number stands for all up to the next one
 *
 * Return: 0 to 1; within a bucket the numbers are taken as evenly spread.
 */
double histogram_share(const struct histogram *h, double bound);

/**
 * histogram_quantile() - the bound that a share of the numbers is below
 * @h: a histogram with numbers
 * @share: 0 to 1
 *
 * Return: the inverse of histogram_share().
 */
double histogram_quantile(const struct histogram *h, double share);

void histogram_free(struct histogram *h);

#endif /* _TOOL_DIFF_HISTOGRAM_H */
