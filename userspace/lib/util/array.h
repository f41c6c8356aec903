/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Arrays that grow by one element. Their capacity is not stored: it is the length, rounded up to
 * a power of two.
 */
#ifndef _TAP_UTIL_ARRAY_H
#define _TAP_UTIL_ARRAY_H

#include <stddef.h>

void *tap_array_room(void *list, size_t nr, size_t size);

/*
 * Makes room for one more element of the array @list, which has @nr. Returns whether there is;
 * else the array is as it was. All elements must be added in this way, one at a time.
 */
#define TAP_GROW(list, nr) __extension__ ({				\
	void *grown_ = tap_array_room((list), (nr), sizeof(*(list)));	\
	if (grown_)							\
		(list) = grown_;					\
	grown_ != NULL;							\
})

#endif /* _TAP_UTIL_ARRAY_H */
