/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_PROBES_WATCH_SPACE_H
#define _TAPMOD_PROBES_WATCH_SPACE_H

#include <linux/bits.h>
#include <linux/hash.h>
#include <linux/mm_types.h>
#include <linux/spinlock.h>

#define TAP_WATCH_SPACE_BITS	8
#define TAP_WATCH_SPACES	BIT(TAP_WATCH_SPACE_BITS)
/* In place of the mm of an entry that was removed: a search goes on behind it. */
#define TAP_WATCH_REMOVED	((struct mm_struct *)1UL)

/**
 * struct tap_watch_space - memory that is watched
 * @mm: the memory of a process; NULL: the entry was never used
 * @address: of what is watched
 * @last: the value at the last event; events on several CPUs exchange it
 */
struct tap_watch_space {
	struct mm_struct *mm;
	unsigned long address;
	u64 last;
};

/**
 * struct tap_watch_spaces - a hash table of them
 * @lock: orders those who add and remove; a search takes no lock
 * @at: the entries. Each that is in use has a reference to the structure of its mm, which
 *	is not used for another process meanwhile
 */
struct tap_watch_spaces {
	raw_spinlock_t lock;	/* orders changes of @at */
	struct tap_watch_space at[TAP_WATCH_SPACES];
};

/**
 * tap_watch_space_find() - find the entry of a process's memory
 * @spaces: the table
 * @mm: memory of a process that has not ended, so that its entry is not removed; NULL: a task
 *	that has none
 *
 * Context: any.
 * Return: the entry, or NULL.
 */
static __always_inline struct tap_watch_space *
tap_watch_space_find(struct tap_watch_spaces *spaces, const struct mm_struct *mm)
{
	unsigned int at = hash_ptr(mm, TAP_WATCH_SPACE_BITS), i;
	struct tap_watch_space *space;
	const struct mm_struct *found;

	for (i = 0; mm && i < TAP_WATCH_SPACES; i++) {
		space = &spaces->at[(at + i) % TAP_WATCH_SPACES];
		/* Pairs with the release in tap_watch_space_add(). */
		found = smp_load_acquire(&space->mm);
		if (found == mm)
			return space;
		if (!found)
			break;
	}
	return NULL;
}

bool tap_watch_space_add(struct tap_watch_spaces *spaces, struct mm_struct *mm,
			 unsigned long address, u64 last);
void tap_watch_spaces_clean(struct tap_watch_spaces *spaces, bool all);

#endif /* _TAPMOD_PROBES_WATCH_SPACE_H */
