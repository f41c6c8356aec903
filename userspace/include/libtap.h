/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * libtap: sessions, probes, records and trace files of tapmod.
 *
 * DOC: conventions
 *
 * A function that can fail returns 0 (or a count) on success and -errno on
 * failure. If it takes a struct tap_error, it stores an error message with the
 * cause and the remedy there on failure; the caller may pass NULL.
 * X_open/X_load make objects, X_close/X_free free them and accept NULL. No two
 * threads may use the same object at the same time; different threads may use
 * different objects.
 *
 * The library trusts nothing that it reads from a ring or a file: every length
 * and position in it is checked before it is used.
 */
#ifndef _LIBTAP_H
#define _LIBTAP_H

#include <libtap/error.h>
#include <libtap/spec.h>
#include <libtap/session.h>
#include <libtap/aggregation.h>
#include <libtap/event.h>
#include <libtap/file.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * tap_version() - the version of the library
 *
 * Return: e.g. "0.2.0".
 */
LIBTAP_API const char *tap_version(void);

#ifdef __cplusplus
}
#endif

#endif /* _LIBTAP_H */
