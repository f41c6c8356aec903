/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether two recordings differ by more than chance and a tolerance explain.
 */
#ifndef _TOOL_DIFF_SIGNIFICANCE_H
#define _TOOL_DIFF_SIGNIFICANCE_H

#include <stddef.h>

#include <linux/types.h>

/* Parts of each recording, in the order of time. */
#define BLOCKS	64

/**
 * significance_block() - the block that a number out of several lies in
 * @i: the number, from 0
 * @nr: how many there are
 *
 * Return: its block; that of the last number for a number beyond.
 */
unsigned int significance_block(__u64 i, __u64 nr);

/**
 * struct significance_share - how many of some events are above a threshold
 * @nr: events
 * @above: of them, by blocks of equally many events
 * @lost: further events, above the threshold or not
 */
struct significance_share {
	__u64 nr;
	const __u64 *above;
	__u64 lost;
};

/**
 * significance_of_shares() - whether a share is greater than another
 * @small: the share that is to be the smaller one
 * @large: the other
 *
 * Events that follow each other depend on each other. So the noise of the difference is not that of
 * single events: it is measured between 64, 32 and 16 pairs of blocks, each by a t-test, and by the
 * binomial variance; the largest result counts. Pairs that are clearly like their neighbours
 * count as fewer. Lost events are taken as those that make the
 * difference least.
 *
 * Return: the probability of such a difference by chance if @large is not greater.
 */
double significance_of_shares(const struct significance_share *small,
			      const struct significance_share *large);

/**
 * struct significance_count - how many events there are
 * @blocks: events by blocks of equal time
 * @scale: each of them counts as so many
 * @lost: further events
 */
struct significance_count {
	const __u64 *blocks;
	double scale;
	__u64 lost;
};

/**
 * significance_of_counts() - whether a number of events is greater than another
 * @small: the number that is to be the smaller one
 * @large: the other
 * @factor: it is to be greater than so many times the smaller one
 *
 * The noise is at least that of independent events, and what the share of the two differs between
 * 64, 32 and 16 blocks; the largest result counts.
 *
 * Return: the probability of such a difference by chance if @large is not greater.
 */
double significance_of_counts(const struct significance_count *small,
			      const struct significance_count *large, double factor);

/**
 * significance_holm() - correct probabilities for their number
 * @p: the probabilities; each becomes the level at which it counts among all
 * @nr: number of @p
 *
 * The method of Holm: with any dependence between them, the probability that chance alone makes any
 * of them fall below a level is at most that level.
 *
 * Return: 0 or -ENOMEM.
 */
int significance_holm(double *p, size_t nr);

#endif /* _TOOL_DIFF_SIGNIFICANCE_H */
