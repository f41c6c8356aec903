/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events of several trace files in one order, that of the time of day.
 */
#ifndef _TOOL_MERGE_MERGE_H
#define _TOOL_MERGE_MERGE_H

#include "merge/wall.h"

/**
 * struct merge_source - a file of the merge
 * @path: of the file
 * @label: the name of its machine, or its path if two machines have that name
 * @file: the file
 * @wall: its clock
 * @ev: its next event
 * @time: time of day of @ev, ns
 * @error: how far @time may be wrong, ns; %WALL_UNKNOWN
 * @latest: the latest time that one of its events so far may have had
 * @more: it has a next event
 * @given: an event of it was given
 * @undecoded: records that match no probe
 */
struct merge_source {
	const char *path;
	const char *label;
	struct tap_file_reader *file;
	struct wall wall;
	struct tap_event ev;
	__u64 time;
	__u64 error;
	__u64 latest;
	bool more;
	bool given;
	__u64 undecoded;
};

/**
 * struct merge - several files
 * @sources: the files; allocated
 * @nr: number of @sources
 * @last: that of the last merge_next(); NULL before
 * @events: events that were given
 * @uncertain: those of them that may have happened before an event of another file in front of them
 */
struct merge {
	struct merge_source *sources;
	size_t nr;
	struct merge_source *last;
	__u64 events;
	__u64 uncertain;
};

/**
 * merge_open() - open the files
 * @m: filled in; end it with merge_close(), even on failure
 * @paths: their names; must stay until then
 * @nr: number of @paths
 * @skew: see wall_open()
 * @err: the error message on failure
 *
 * Return: 0 or -errno.
 */
int merge_open(struct merge *m, const char *const *paths, size_t nr, __u64 skew,
	       struct tap_error *err);

/**
 * merge_next() - the next event
 * @m: of merge_open()
 * @uncertain: set to whether it may have happened before an event of another file that was given
 *
 * If it is not set, the event happened after all events of other files that were given.
 *
 * Return: its file, with the event; valid until the next call. NULL at the end.
 */
struct merge_source *merge_next(struct merge *m, bool *uncertain);

void merge_close(struct merge *m);

#endif /* _TOOL_MERGE_MERGE_H */
