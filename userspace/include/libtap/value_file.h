/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Values in files of /proc and /sys, for file: events. Included by libtap.h, which has the
 * conventions.
 */
#ifndef _LIBTAP_VALUE_FILE_H
#define _LIBTAP_VALUE_FILE_H

#include <libtap/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct tap_value_mark - the content of a file: event's mark
 * @number: the number at the start of the value, or 0
 * @text: the line, or the part of it behind the field; words have one blank between them;
 *	cut if it does not fit, and then without a final 0
 *
 * The kernel records it as it is, so it has a fixed size: %TAP_MARK_BYTES.
 */
struct tap_value_mark {
	__s64 number;
	char text[TAP_MARK_BYTES - sizeof(__s64)];
};

/**
 * enum tap_value_kind - what a value is
 * @TAP_VALUE_TEXT: words
 * @TAP_VALUE_FIRST: a number and more behind it
 * @TAP_VALUE_NUMBER: a number, perhaps with a unit
 */
enum tap_value_kind {
	TAP_VALUE_TEXT,
	TAP_VALUE_FIRST,
	TAP_VALUE_NUMBER,
};

/**
 * struct tap_value_file - an open file, or a field of it
 */
struct tap_value_file;

/**
 * tap_value_file_open() - open a file
 * @file: set on success; end it with tap_value_file_close()
 * @text: of tap_spec_value_file(): PATH or PATH:FIELD with an absolute path
 * @err: an error message on failure
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_value_file_open(struct tap_value_file **file,
				   const char *text, struct tap_error *err);

/**
 * tap_value_file_close() - close a file and free it
 * @file: may be NULL
 */
LIBTAP_API void tap_value_file_close(struct tap_value_file *file);

/**
 * tap_value_file_check() - whether a file has a value, and only one
 * @file: of tap_value_file_open()
 * @kind: set to what the value is
 * @err: an error message on failure, with near names of fields
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_value_file_check(struct tap_value_file *file,
				    enum tap_value_kind *kind,
				    struct tap_error *err);

/**
 * tap_value_file_read() - read the value
 * @file: of tap_value_file_open()
 * @mark: filled in; to be given to tap_session_mark() as a whole
 * @kind: set to what the value is
 *
 * It may block as long as read(2) of the file does.
 *
 * Return: 0; -ENODATA if no line begins with the field; -EAGAIN if there is nothing to read
 * now; -EFBIG; or -errno of read(2).
 */
LIBTAP_API int tap_value_file_read(struct tap_value_file *file,
				   struct tap_value_mark *mark,
				   enum tap_value_kind *kind);

/**
 * tap_value_file_why() - why a value could not be read
 * @code: of tap_value_file_read()
 *
 * Return: the message, without the name of the file. It may be overwritten by the next call
 * in the same thread.
 */
LIBTAP_API const char *tap_value_file_why(int code);

#ifdef __cplusplus
}
#endif

#endif /* _LIBTAP_VALUE_FILE_H */
