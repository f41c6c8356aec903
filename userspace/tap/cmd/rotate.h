/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files of tap record --daemon: NAME.000001.tap and so on, in place of NAME.tap.
 */
#ifndef _TOOL_CMD_ROTATE_H
#define _TOOL_CMD_ROTATE_H

#include "run/options.h"

/**
 * struct rotate - files that follow one another
 * @opts: the command line
 * @path: the file that is written; allocated
 * @stem: bytes of -o in front of the number
 * @number: of that file
 * @next: when its age is over, CLOCK_MONOTONIC ns
 */
struct rotate {
	const struct options *opts;
	char *path;
	size_t stem;
	unsigned long number;
	__u64 next;
};

/**
 * rotate_open() - find the last number that is in use
 * @rotate: filled in; end it with rotate_close()
 * @opts: the command line, with --daemon
 * @err: the error message on failure
 *
 * Return: 0 or -errno.
 */
int rotate_open(struct rotate *rotate, const struct options *opts, struct tap_error *err);

/**
 * rotate_next() - name the next file
 * @rotate: open
 *
 * Return: its path, until the next call, in @path as well.
 */
const char *rotate_next(struct rotate *rotate);

/**
 * rotate_begin() - the file is there: its age begins, and the oldest files go
 * @rotate: open
 * @now: CLOCK_MONOTONIC ns
 */
void rotate_begin(struct rotate *rotate, __u64 now);

/**
 * rotate_is_due() - whether the file is large or old enough
 * @rotate: open
 * @bytes: its size
 * @now: CLOCK_MONOTONIC ns
 *
 * Return: true if the next file is to begin.
 */
bool rotate_is_due(const struct rotate *rotate, __u64 bytes, __u64 now);

/**
 * rotate_close() - free what it holds
 * @rotate: may be zeroed
 */
void rotate_close(struct rotate *rotate);

#endif /* _TOOL_CMD_ROTATE_H */
