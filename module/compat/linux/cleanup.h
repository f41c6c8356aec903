/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAP_COMPAT_LINUX_CLEANUP_H
#define _TAP_COMPAT_LINUX_CLEANUP_H

/* sparse lacks __has_include_next; it runs with the headers of a kernel that has the file. */
#if defined(__CHECKER__)
#include_next <linux/cleanup.h>
#elif __has_include_next("linux/cleanup.h")
#include_next <linux/cleanup.h>
#endif

/* Kernels before 6.5 have no guard(), except where stable releases or vendors added it. */
#ifndef guard
#include <linux/mutex.h>
#include <linux/preempt.h>

/*
 * guard(mutex)(&lock) holds the lock, guard(preempt)() keeps preemption off, until the
 * scope of the statement ends; scoped_guard(mutex, &lock) during the statement behind it.
 */
#define TAP_GUARD(name, scope)						\
	struct tap_guard_##name scope					\
		__attribute__((__cleanup__(tap_guard_##name##_end))) =	\
			tap_guard_##name##_begin
#define guard(name)	TAP_GUARD(name, __UNIQUE_ID(guard))
#define scoped_guard(name, args...)					\
	for (TAP_GUARD(name, scope)(args), *done = NULL; !done; done = &scope)

struct tap_guard_mutex {
	struct mutex *lock;	/* held by the scope */
};

static inline struct tap_guard_mutex tap_guard_mutex_begin(struct mutex *lock)
{
	mutex_lock(lock);
	return (struct tap_guard_mutex) { lock };
}

static inline void tap_guard_mutex_end(struct tap_guard_mutex *guard)
{
	mutex_unlock(guard->lock);
}

struct tap_guard_preempt {
};

static __always_inline struct tap_guard_preempt tap_guard_preempt_begin(void)
{
	preempt_disable();
	return (struct tap_guard_preempt) { };
}

static __always_inline void tap_guard_preempt_end(struct tap_guard_preempt *guard)
{
	preempt_enable();
}
#endif

#endif /* _TAP_COMPAT_LINUX_CLEANUP_H */
