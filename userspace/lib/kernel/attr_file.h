/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Values that the kernel tells in files of /proc and /sys. Private to libtap and
 * its tool.
 */
#ifndef _TAP_KERNEL_ATTR_FILE_H
#define _TAP_KERNEL_ATTR_FILE_H

#include <libtap.h>

/**
 * struct tap_value_mark - what a file said, as a mark has it
 * @number: the number that it begins with, or 0
 * @text: its line, or what stands in it behind the field; blanks between words
 *	are one each; cut if it does not fit, and then without a final 0
 */
struct tap_value_mark {
	__s64 number;
	char text[TAP_MARK_BYTES - sizeof(__s64)];
};

/**
 * enum tap_value_kind - what a text is
 * @TAP_VALUE_TEXT: words
 * @TAP_VALUE_FIRST: a number and then more
 * @TAP_VALUE_NUMBER: a number, maybe with its unit
 */
enum tap_value_kind {
	TAP_VALUE_TEXT,
	TAP_VALUE_FIRST,
	TAP_VALUE_NUMBER,
};

/**
 * struct tap_value_file - a file, or a field of it
 * @fd: it, opened
 * @field: with what the line begins, or NULL: the file has only one
 * @path: its path, and behind the final 0 maybe the field; allocated
 * @data: what was read; allocated
 * @room: bytes at @data
 */
struct tap_value_file {
	int fd;
	const char *field;
	char *path;
	char *data;
	size_t room;
};

int tap_value_file_open(struct tap_value_file *f, const char *text,
			struct tap_error *err);
int tap_value_file_read(struct tap_value_file *f, struct tap_value_mark *mark,
			enum tap_value_kind *kind);
int tap_value_file_check(struct tap_value_file *f, enum tap_value_kind *kind,
			 struct tap_error *err);
const char *tap_value_file_why(int code);
void tap_value_file_close(struct tap_value_file *f);

#endif /* _TAP_KERNEL_ATTR_FILE_H */
