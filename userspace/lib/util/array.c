// SPDX-License-Identifier: LGPL-2.1
/* Arrays that grow by one element. */
#include <stdlib.h>

#include "util/array.h"

/**
 * tap_array_room() - room for one more element, for TAP_GROW()
 * @list: the elements so far; NULL if there are none
 * @nr: their number
 * @size: bytes of an element
 *
 * Return: the array, which may have moved; NULL if out of memory: then @list is still valid.
 */
void *tap_array_room(void *list, size_t nr, size_t size)
{
	/* Each power of two fills the capacity. */
	if (nr & (nr - 1))
		return list;
	return reallocarray(list, nr ? nr * 2 : 1, size);
}
