// SPDX-License-Identifier: GPL-2.0
/*
 * The memory of the processes that a watchpoint in a program watches, by mm: threads share an
 * entry, and a process that fork() makes has one of its own, as it has its own copy of the value.
 */
#include <linux/sched/mm.h>

#include "probes/watch_space.h"

/**
 * tap_watch_space_add() - add the memory of a process
 * @spaces: the table
 * @mm: not in the table; a task of it calls this, or it belongs to a task that has not run
 * @address: of what is watched
 * @last: the value there
 *
 * Context: any but interrupts; does not sleep.
 * Return: false: the table is full.
 */
bool tap_watch_space_add(struct tap_watch_spaces *spaces, struct mm_struct *mm,
			 unsigned long address, u64 last)
{
	unsigned int at = hash_ptr(mm, TAP_WATCH_SPACE_BITS), i;
	struct tap_watch_space *space;

	raw_spin_lock(&spaces->lock);
	for (i = 0; i < TAP_WATCH_SPACES; i++) {
		space = &spaces->at[(at + i) % TAP_WATCH_SPACES];
		if (!space->mm || space->mm == TAP_WATCH_REMOVED)
			break;
	}
	if (i < TAP_WATCH_SPACES) {
		mmgrab(mm);
		space->address = address;
		space->last = last;
		/* Pairs with the acquire in tap_watch_space_find(). */
		smp_store_release(&space->mm, mm);
	}
	raw_spin_unlock(&spaces->lock);
	return i < TAP_WATCH_SPACES;
}

/**
 * tap_watch_spaces_clean() - remove the entries of processes that have ended
 * @spaces: the table
 * @all: all entries: nobody searches or adds; the table is as new afterwards
 *
 * A process has ended when nobody uses its memory: no task of it makes an event any longer.
 *
 * Context: process.
 */
void tap_watch_spaces_clean(struct tap_watch_spaces *spaces, bool all)
{
	struct mm_struct *mm;
	unsigned int i;

	for (i = 0; i < TAP_WATCH_SPACES; i++) {
		raw_spin_lock(&spaces->lock);
		mm = spaces->at[i].mm;
		if (mm == TAP_WATCH_REMOVED ||
		    (mm && !all && atomic_read(&mm->mm_users)))
			mm = NULL;
		if (mm || all)
			WRITE_ONCE(spaces->at[i].mm, all ? NULL : TAP_WATCH_REMOVED);
		raw_spin_unlock(&spaces->lock);
		if (mm)
			mmdrop(mm);
	}
}
