/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What module/exec/task_table.h needs of the kernel, for its native test: each thread sets its
 * current task, and a test can set the line that tasks hash to.
 *
 * BREAK weakens one primitive, to prove that the test detects it:
 *  1	a place is released by a plain store		(only TSan detects it)
 *  2	the table does not note that a task is in a later line
 */
#ifndef _TEST_RING_TASK_TABLE_SHIM_H
#define _TEST_RING_TASK_TABLE_SHIM_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifndef BREAK
#define BREAK	0
#endif

typedef __u32 u32;
typedef __u64 u64;

struct task_struct;

static _Thread_local struct task_struct *shim_current;
/* The line that all tasks hash to; -1: by the kernel's hash. */
static int shim_line = -1;

#define current			shim_current
#define SMP_CACHE_BYTES		64
#define ____cacheline_aligned	__attribute__((aligned(SMP_CACHE_BYTES)))
#undef __always_inline
#define __always_inline		inline __attribute__((always_inline))
#define likely(x)		__builtin_expect(!!(x), 1)
#define max_t(type, a, b)	((type)(a) > (type)(b) ? (type)(a) : (type)(b))
#define GFP_KERNEL_ACCOUNT	0
#define READ_ONCE(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v)	__atomic_store_n(&(x), BREAK == 2 ? 0 : (v), __ATOMIC_RELAXED)
#define smp_store_release(p, v)	\
	__atomic_store_n(p, v, BREAK == 1 ? __ATOMIC_RELAXED : __ATOMIC_RELEASE)

static inline struct task_struct *shim_cmpxchg(struct task_struct **p, struct task_struct *old,
					       struct task_struct *new)
{
	__atomic_compare_exchange_n(p, &old, new, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	return old;
}
#define cmpxchg(p, old, new)	shim_cmpxchg(p, old, new)

static inline unsigned int order_base_2(u32 n)
{
	return n > 1 ? 32 - __builtin_clz(n - 1) : 0;
}

/* As in include/linux/hash.h. */
static inline u32 hash_ptr(const void *ptr, unsigned int bits)
{
	if (shim_line >= 0)
		return shim_line & ((1U << bits) - 1);
	return (uintptr_t)ptr * 0x61C8864680B583EBull >> (64 - bits);
}

static inline void *kvcalloc(size_t nr, size_t size, int flags)
{
	void *p = aligned_alloc(SMP_CACHE_BYTES, nr * size);

	(void)flags;
	return p ? memset(p, 0, nr * size) : NULL;
}

#endif /* _TEST_RING_TASK_TABLE_SHIM_H */
