/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * libtap: sessions, probes, records and trace files of tapmod.
 *
 * DOC: conventions
 *
 * Errors: a function that can fail returns 0 (or a count) on success and -errno on
 * failure. If it takes a struct tap_error, it stores an error message with the
 * cause and the remedy there on failure; the caller may pass NULL.
 *
 * Objects: X_open(), X_load() and X_new() make them, X_close() and X_free() free them and
 * accept NULL. Most structures are opaque. A pointer that a function returns belongs to the
 * object that it was asked of, and is valid as long as that, unless its comment says more.
 *
 * Structures with a size: where the first member is "size_t size", the caller sets it to the
 * sizeof of the structure and the other members to 0 or to what it wants. The library may
 * be older or newer than the caller. Where it reads the structure, it takes missing members
 * as 0, and returns -E2BIG if a member that it does not know is not 0. Where it fills the
 * structure, it writes only the members for which the caller has room; members that it does
 * not know become 0. All other structures of these headers keep their size.
 *
 * Threads: two threads may not use the same object at the same time, or an object and one
 * that it refers to (a reader and its session, a probe and its table). Different threads may
 * use different objects. Exceptions are in the comments.
 *
 * The library trusts nothing that it reads from a ring or a file: it checks every length
 * and position in it before it uses them.
 */
#ifndef _LIBTAP_H
#define _LIBTAP_H

#include <libtap/error.h>
#include <libtap/field.h>
#include <libtap/symbols.h>
#include <libtap/counter.h>
#include <libtap/spec.h>
#include <libtap/session.h>
#include <libtap/probe.h>
#include <libtap/budget.h>
#include <libtap/event.h>
#include <libtap/keep.h>
#include <libtap/aggregation.h>
#include <libtap/query.h>
#include <libtap/file.h>
#include <libtap/dump.h>
#include <libtap/netlink.h>
#include <libtap/value_file.h>

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
