/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events that wait for another one with the same key, the oldest first.
 */
#ifndef _TOOL_EXPECT_PENDING_H
#define _TOOL_EXPECT_PENDING_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

struct pending_key;

/**
 * struct pending - the events of all keys; all zero at first
 * @tree: the keys, for tsearch(3)
 * @first: one of the keys
 */
struct pending {
	void *tree;
	struct pending_key *first;
};

/**
 * struct pending_event - an event that waits
 * @time: its raw time
 * @number: which event of the file it is
 * @since: raw time since which the key has an event that waits
 */
struct pending_event {
	__u64 time;
	__u64 number;
	__u64 since;
};

/**
 * pending_add() - an event waits from now on
 * @p: the events
 * @key: bytes of its key
 * @len: number of them
 * @ev: the event, later than all others; @since is set
 *
 * Return: 0 or -ENOMEM.
 */
int pending_add(struct pending *p, const void *key, size_t len, const struct pending_event *ev);

/**
 * pending_has() - whether an event with a key waits
 * @p: the events
 * @key: bytes of the key
 * @len: number of them
 *
 * Return: true if one does.
 */
bool pending_has(const struct pending *p, const void *key, size_t len);

/**
 * pending_take() - the oldest event with a key waits no longer
 * @p: the events
 * @key: bytes of the key
 * @len: number of them
 * @ev: set to the event
 *
 * Return: false if there is none.
 */
bool pending_take(struct pending *p, const void *key, size_t len, struct pending_event *ev);

/**
 * pending_oldest() - the time of the oldest event
 * @p: the events
 *
 * Return: raw time; UINT64_MAX if none waits. It looks at each key.
 */
__u64 pending_oldest(const struct pending *p);

/**
 * pending_take_any() - the oldest event of any key waits no longer
 * @p: the events
 * @ev: set to the event
 *
 * Return: false if there is none.
 */
bool pending_take_any(struct pending *p, struct pending_event *ev);

#endif /* _TOOL_EXPECT_PENDING_H */
