/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a trace file lacks: how many events of each probe, and when they were lost.
 */
#ifndef _TOOL_EXPECT_LOSSES_H
#define _TOOL_EXPECT_LOSSES_H

#include "tool.h"

/* It is not known how many. */
#define LOSSES_UNKNOWN	UINT64_MAX

/**
 * struct losses - of a file
 * @of: by id of a probe
 * @of.read: events that were read
 * @of.ring: events that a ring had no room for; gap records have their times
 * @of.other: events that are missing for another reason, at any time
 * @nr: ids in @of
 * @why: why it is not known how many are missing; NULL: it is known
 * @gaps: events lost, as the gap records say
 * @begin: raw time of the first of them
 * @end: raw time of the last of them
 * @timed: the gap records have all losses of the rings
 */
struct losses {
	struct {
		__u64 read;
		__u64 ring;
		__u64 other;
	} *of;
	size_t nr;
	const char *why;
	__u64 gaps;
	__u64 begin;
	__u64 end;
	bool timed;
};

/**
 * struct losses_sum - what is missing of some events
 * @events: how many at most; %LOSSES_UNKNOWN
 * @begin: raw time before which none is missing
 * @end: raw time after which none is missing
 */
struct losses_sum {
	__u64 events;
	__u64 begin;
	__u64 end;
};

/**
 * losses_open() - begin
 * @l: filled in; end it with losses_close()
 * @file: the file
 *
 * Return: 0 or -ENOMEM.
 */
int losses_open(struct losses *l, const struct tap_file_reader *file);

/**
 * losses_event() - look at a record
 * @l: of losses_open()
 * @ev: the record
 * @bad: what tap_decode() returned
 */
void losses_event(struct losses *l, const struct tap_event *ev, int bad);

/**
 * losses_end() - after all records
 * @l: of losses_open()
 * @file: the file
 */
void losses_end(struct losses *l, const struct tap_file_reader *file);

/**
 * losses_add() - add what is missing of a probe
 * @l: after losses_end()
 * @id: of the probe
 * @sum: all zero at first
 */
void losses_add(const struct losses *l, __u32 id, struct losses_sum *sum);

/* Adds events that may be missing at any time. */
void losses_add_untimed(struct losses_sum *sum, __u64 events);

void losses_close(struct losses *l);

#endif /* _TOOL_EXPECT_LOSSES_H */
