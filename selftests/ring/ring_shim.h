/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The primitives that module/common/ring_core.h needs, for the native stress test: a "CPU" is a
 * thread, and its interrupts are calls of shim_hook, before and after each primitive, or signals.
 *
 * BREAK weakens one primitive, to prove that the test detects it:
 *  1	the exchange of the head succeeds blindly
 *  2	B, the commit, is not a release			(only TSan detects it)
 *  3	the clock is read before the reserve window
 *  4	the local addition is not atomic against interrupts
 *  5	A, the writer's load of the tail, is not an acquire	(only TSan)
 *  6	C, the reader's load of the sequence word, is not an acquire	(only TSan)
 *  7	D, the reader's store of the tail, is not a release	(only TSan)
 *  8	the exchange is not atomic against interrupts
 *  9	in overwrite mode the tail passes records that are not committed (ring_over.c)
 * 10	an exchange of the rings does not wait for writers in flight (ring_over.c; only TSan)
 */
#ifndef _TEST_RING_RING_SHIM_H
#define _TEST_RING_RING_SHIM_H

#include <linux/types.h>

#include "util/barrier.h"

#ifndef BREAK
#define BREAK	0
#endif

/* Set in the writer's thread only; the reader is on another CPU. */
extern _Thread_local void (*shim_hook)(void);
/* True in the reader's thread; for BREAK. */
extern _Thread_local bool shim_reader;

extern __u64 shim_clock;	/* each read returns the next number */
extern __u64 shim_wakes;
extern __u64 shim_stale;	/* for BREAK 3 */

static inline void shim_point(void)
{
	if (__builtin_expect(!!shim_hook, 0))
		shim_hook();
}

static inline __u64 shim_load_once(const __u64 *p)
{
	__u64 value;

	shim_point();
	value = tap_load_once(p);
	shim_point();
	return value;
}

static inline void shim_store_once(__u64 *p, __u64 value)
{
	shim_point();
	tap_store_once(p, value);
	shim_point();
}

static inline __u64 shim_load_acquire(const __u64 *p)
{
	__u64 value;

	shim_point();
	if (BREAK == (shim_reader ? 6 : 5))
		value = tap_load_once(p);
	else
		value = tap_load_acquire(p);
	shim_point();
	return value;
}

static inline void shim_store_release(__u64 *p, __u64 value)
{
	shim_point();
	if (BREAK == (shim_reader ? 7 : 2))
		tap_store_once(p, value);
	else
		tap_store_release(p, value);
	shim_point();
}

#undef tap_load_once
#undef tap_store_once
#undef tap_load_acquire
#undef tap_store_release
#define tap_load_once(p)	shim_load_once(p)
#define tap_store_once(p, v)	shim_store_once(p, v)
#define tap_load_acquire(p)	shim_load_acquire(p)
#define tap_store_release(p, v)	shim_store_release(p, v)

static inline bool tap_cmpxchg_local(__u64 *p, __u64 old, __u64 new)
{
	bool done;

	shim_point();
#if BREAK == 1
	(void)old;
	__atomic_store_n(p, new, __ATOMIC_RELAXED);
	done = true;
#elif BREAK == 8
	done = __atomic_load_n(p, __ATOMIC_RELAXED) == old;
	shim_point();
	if (done)
		__atomic_store_n(p, new, __ATOMIC_RELAXED);
#else
	done = __atomic_compare_exchange_n(p, &old, new, false,
					   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#endif
	shim_point();
	return done;
}

static inline void tap_add_local(__u64 *p, __u64 value)
{
	shim_point();
#if BREAK == 4
	value += __atomic_load_n(p, __ATOMIC_RELAXED);
	shim_point();
	__atomic_store_n(p, value, __ATOMIC_RELAXED);
#else
	__atomic_fetch_add(p, value, __ATOMIC_RELAXED);
#endif
	shim_point();
}

static inline __u64 tap_clock_counter(void)
{
	__u64 value;

	shim_point();
	value = __atomic_add_fetch(&shim_clock, 1, __ATOMIC_RELAXED);
	if (BREAK == 3)
		value = __atomic_load_n(&shim_stale, __ATOMIC_RELAXED);
	shim_point();
	return value;
}

#define tap_clock(w)	tap_clock_counter()

struct tap_ring_writer;

static inline void tap_ring_wake(struct tap_ring_writer *w)
{
	(void)w;
	shim_point();
	__atomic_fetch_add(&shim_wakes, 1, __ATOMIC_RELAXED);
	shim_point();
}

/* A macro, so that ring_core.h compiles the part for writers. */
#define tap_cmpxchg_local(p, o, n)	tap_cmpxchg_local(p, o, n)

#endif /* _TEST_RING_RING_SHIM_H */
