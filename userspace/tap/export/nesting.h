/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which slices a track can show: those that lie in each other or beside each other.
 */
#ifndef _TOOL_EXPORT_NESTING_H
#define _TOOL_EXPORT_NESTING_H

#include <stdbool.h>

#include <linux/types.h>

struct nesting_track;

/**
 * struct nesting - tracks with the slices that a later one may lie around
 * @tracks: a hash table; allocated
 * @nr: tracks in it
 * @floor: nothing is known of slices before this time
 * @latest: the latest time
 */
struct nesting {
	struct nesting_track *tracks;
	unsigned int nr;
	__u64 floor;
	__u64 latest;
};

/**
 * nesting_fits() - put a slice on a track, if it fits
 * @n: all zero at first
 * @track: its number, not 0
 * @begin: when it begins
 * @end: when it ends; slices come in the order of their ends
 * @fits: set to whether it lies around, in, or beside each slice that the track has; then the track
 *	has it. A slice that begins together with one that it lies around does not fit: it is
 *	written later, and readers sort by the time alone
 *
 * A slice that began before the last 4096 slices of the track which lie in no other may fit and be
 * refused.
 *
 * Return: 0 or -ENOMEM.
 */
int nesting_fits(struct nesting *n, __u64 track, __u64 begin, __u64 end, bool *fits);

/**
 * nesting_lane() - the first lane that is free again
 * @n: all zero at first; not that of nesting_fits()
 * @owner: whose lanes they are, not 0
 * @begin: when the slice begins
 * @end: when it ends
 * @lane: set to its number; all owners together have each number once
 *
 * Return: 0 or -ENOMEM.
 */
int nesting_lane(struct nesting *n, __u64 owner, __u64 begin, __u64 end, __u64 *lane);

/**
 * nesting_free() - free all
 * @n: all zero afterwards
 */
void nesting_free(struct nesting *n);

#endif /* _TOOL_EXPORT_NESTING_H */
