/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_EXEC_FOLLOWED_H
#define _TAPMOD_EXEC_FOLLOWED_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/sched.h>

/**
 * tap_followed() - whether a session follows the running task
 * @followed: @followed of the session
 *
 * The bit of a task is written before the task runs for the first time: see
 * tap_follow_newtask(). Other bits of the word may change meanwhile.
 *
 * Context: any.
 * Return: true if it does.
 */
static __always_inline bool tap_followed(const unsigned long *followed)
{
	const unsigned int pid = current->pid;

	/* Not READ_ONCE(), with which the compiler computes the address on its own. */
	return data_race(followed[pid / BITS_PER_LONG]) >> pid % BITS_PER_LONG & 1;
}

#endif /* _TAPMOD_EXEC_FOLLOWED_H */
