/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Why something failed, and what every header of libtap needs. Included by libtap.h, which has
 * the conventions.
 */
#ifndef _LIBTAP_ERROR_H
#define _LIBTAP_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <linux/tap.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A function of the library that programs may call. */
#define LIBTAP_API __attribute__((visibility("default")))

/**
 * struct tap_error - why something failed, for a person
 * @code: the -errno that the function returned, 0 if none was set
 * @text: the cause and the remedy, one line; for an error in the text of a
 *	spec two more lines, which show the place with a mark below. No final newline
 *
 * The caller has it on its stack. Its size is fixed.
 */
struct tap_error {
	int code;
	char text[512];
};

/**
 * tap_error_set() - fill in an error
 * @err: where to, or NULL
 * @code: -errno
 * @fmt: as for printf(3); a text that is too long is cut
 *
 * Return: @code, so that a caller can write "return tap_error_set(...)".
 */
LIBTAP_API int tap_error_set(struct tap_error *err, int code, const char *fmt,
			     ...) __attribute__((format(printf, 3, 4)));

#ifdef __cplusplus
}
#endif

#endif /* _LIBTAP_ERROR_H */
