/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The primitives that module/common/ring_core.h asks for, over the compiler's C11
 * atomics. They work on plain objects, since the ring is shared with code
 * that knows no _Atomic.
 *
 * An acquire load is ordered before all that follows it in program order, a
 * release store after all that precedes it; a release store and an acquire
 * load that reads what it stored order the two sides against each other. The
 * pairs are named in uapi/linux/tap_ring.h.
 */
#ifndef _TAP_UTIL_BARRIER_H
#define _TAP_UTIL_BARRIER_H

#include <stddef.h>

/* Neither torn nor merged with another access, but not ordered. */
#define tap_load_once(p)	__atomic_load_n((p), __ATOMIC_RELAXED)
#define tap_store_once(p, v)	__atomic_store_n((p), (v), __ATOMIC_RELAXED)

#define tap_load_acquire(p)	__atomic_load_n((p), __ATOMIC_ACQUIRE)
#define tap_store_release(p, v)	__atomic_store_n((p), (v), __ATOMIC_RELEASE)

#endif /* _TAP_UTIL_BARRIER_H */
