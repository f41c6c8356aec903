/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The mapped rings of a session.
 */
#ifndef _TAP_SESSION_RING_MAP_H
#define _TAP_SESSION_RING_MAP_H

#include <libtap.h>

/**
 * struct tap_ring_map - one CPU's ring
 * @head: the writer's page, or NULL if the CPU has no ring, perhaps not yet
 * @tail: the reader's page
 * @slots: the slots
 */
struct tap_ring_map {
	const struct tap_ring_head *head;
	struct tap_ring_tail *tail;
	const void *slots;
};

/**
 * tap_meta_check() - whether the numbers of a meta page are valid
 * @meta: a copy, so that it does not change under the check
 * @err: an error message on failure
 *
 * Return: 0; -EPROTO for a version that is not known; -EBADMSG.
 */
int tap_meta_check(const struct tap_meta *meta, struct tap_error *err);

/**
 * tap_meta_map() - read the meta page of a session
 * @fd: of the session
 * @meta: set to a checked copy
 * @live: set to the page, whose @nr_made changes; tap_meta_unmap() unmaps it
 * @base: offset at which the layout begins; 0 for the first set of rings
 * @err: an error message on failure
 *
 * Return: 0 or -errno.
 */
int tap_meta_map(int fd, struct tap_meta *meta, const struct tap_meta **live,
		 __u64 base, struct tap_error *err);

/**
 * tap_meta_unmap() - unmap the meta page
 * @live: of tap_meta_map(); may be NULL
 */
void tap_meta_unmap(const struct tap_meta *live);

/**
 * tap_ring_map() - map one ring
 * @map: filled in; all NULL if the CPU is not possible, or has no ring yet
 * @fd: of the session
 * @meta: checked
 * @base: as for tap_meta_map()
 * @cpu: number of the ring
 * @err: an error message on failure
 *
 * Return: 0 or -errno.
 */
int tap_ring_map(struct tap_ring_map *map, int fd, const struct tap_meta *meta,
		 __u64 base, unsigned int cpu, struct tap_error *err);

/**
 * tap_ring_unmap() - unmap one ring
 * @map: of tap_ring_map(); may be all NULL
 * @meta: that of tap_ring_map()
 */
void tap_ring_unmap(struct tap_ring_map *map, const struct tap_meta *meta);

#endif /* _TAP_SESSION_RING_MAP_H */
