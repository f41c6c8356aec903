/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The primitives that module/common/ring_core.h needs, on C11 atomics of the compiler.
 * They access plain objects, since the ring is shared with the kernel, which has no
 * _Atomic.
 *
 * An acquire load is ordered before all later accesses in program order, a release
 * store after all earlier ones. A release store and an acquire load that reads its
 * value order the two sides. uapi/linux/tap_ring.h names the pairs.
 */
#ifndef _TAP_UTIL_BARRIER_H
#define _TAP_UTIL_BARRIER_H

#include <stddef.h>

/* Not torn and not merged with another access, but not ordered. */
#define tap_load_once(p)	__atomic_load_n((p), __ATOMIC_RELAXED)
#define tap_store_once(p, v)	__atomic_store_n((p), (v), __ATOMIC_RELAXED)

#define tap_load_acquire(p)	__atomic_load_n((p), __ATOMIC_ACQUIRE)
#define tap_store_release(p, v)	__atomic_store_n((p), (v), __ATOMIC_RELEASE)

#endif /* _TAP_UTIL_BARRIER_H */
