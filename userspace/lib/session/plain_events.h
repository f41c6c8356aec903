/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Skipping plain events in a ring: whole, committed, and in one piece. Most records are such.
 */
#ifndef _LIBTAP_SESSION_PLAIN_EVENTS_H
#define _LIBTAP_SESSION_PLAIN_EVENTS_H

#include <libtap.h>

/**
 * tap_plain_events() - skip the events that need no second look
 * @data: the slots of the ring
 * @mask: bytes of the slots, less 1
 * @pos: start of a record
 * @end: at most up to there, or to the last slot
 * @last: and only events with raw times up to this one. Times do not decrease along a ring
 * @events: the number of events that were skipped is added
 *
 * Return: position of the first record that is not such an event.
 */
__u64 tap_plain_events(const void *data, __u64 mask, __u64 pos, __u64 end, __u64 last,
		       __u64 *events);

#endif /* _LIBTAP_SESSION_PLAIN_EVENTS_H */
