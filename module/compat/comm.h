/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A task's name, without what is left of longer ones.
 */
#ifndef _TAPMOD_COMPAT_COMM_H
#define _TAPMOD_COMPAT_COMM_H

#include <linux/sched.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 17, 0)
/* A word of the task's name; it may change under us, its last byte is always 0. */
static __always_inline u64 tap_comm_word(unsigned int i)
{
	return READ_ONCE(((const u64 *)current->comm)[i]);
}
#else
#include <asm/word-at-a-time.h>

/*
 * Until 5.17 a name was written up to its end alone: behind that a task has what
 * is left of those that it had before. Names are compared, and are keys, as words.
 */
static __always_inline u64 tap_comm_word(unsigned int i)
{
	const struct word_at_a_time zero = WORD_AT_A_TIME_CONSTANTS;
	u64 word = READ_ONCE(((const u64 *)current->comm)[0]);
	unsigned long end;

	if (i) {
		if (has_zero(word, &end, &zero))
			return 0;
		word = READ_ONCE(((const u64 *)current->comm)[1]);
	}
	if (!has_zero(word, &end, &zero))
		return word;
	end = prep_zero_mask(word, end, &zero);
	return word & zero_bytemask(create_zero_mask(end));
}
#endif

#endif /* _TAPMOD_COMPAT_COMM_H */
