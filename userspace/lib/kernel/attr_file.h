/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Values in files of /proc and /sys. Private to libtap and its tests.
 */
#ifndef _TAP_KERNEL_ATTR_FILE_H
#define _TAP_KERNEL_ATTR_FILE_H

#include <libtap.h>

/**
 * struct tap_value_file - a file, or a field of it
 * @fd: its descriptor
 * @field: the start of the line, or NULL: the file has one line; points behind the
 *	final 0 of @path
 * @path: its path; allocated
 * @data: contents at the last read; allocated
 * @room: bytes at @data
 */
struct tap_value_file {
	int fd;
	const char *field;
	char *path;
	char *data;
	size_t room;
};

#endif /* _TAP_KERNEL_ATTR_FILE_H */
