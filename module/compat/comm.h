/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A task's command name as two words, with zeros behind its end.
 */
#ifndef _TAPMOD_COMPAT_COMM_H
#define _TAPMOD_COMPAT_COMM_H

#include <linux/sched.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 17, 0)
/* Another task may rename this one meanwhile; the last byte of comm is always 0. */
static __always_inline u64 tap_comm_word(unsigned int i)
{
	return READ_ONCE(((const u64 *)current->comm)[i]);
}
#else
#include <asm/word-at-a-time.h>

/*
 * Before 5.17 __set_task_comm() wrote a name only up to its final 0, so the tail of an
 * earlier, longer name may follow. Names are compared, and used as keys, as whole words:
 * so the tail is cleared here.
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
