// SPDX-License-Identifier: LGPL-2.1
/*
 * Structures of callers that may be those of an older or a newer libtap.
 */
#include <errno.h>
#include <string.h>

#include "util/sized.h"

/* The first member, wherever a caller may have put an element of its array. */
static size_t size_of(const void *s)
{
	size_t size;

	memcpy(&size, s, sizeof(size));
	return size;
}

/**
 * tap_sized_read() - copy a structure of the caller
 * @to: the structure as this library knows it; members that the caller does not know are
 *	set to 0, its size to @room
 * @room: bytes of it
 * @from: the structure of the caller; begins with its size
 *
 * Return: 0; -EINVAL if the size is not set; -E2BIG if a member that this library does not
 * know is not 0.
 */
int tap_sized_read(void *to, size_t room, const void *from)
{
	const char *bytes = from;
	size_t size = size_of(from), i;

	if (size < sizeof(size))
		return -EINVAL;
	for (i = room; i < size; i++)
		if (bytes[i])
			return -E2BIG;
	memset(to, 0, room);
	memcpy(to, from, size < room ? size : room);
	memcpy(to, &room, sizeof(room));
	return 0;
}

/**
 * tap_sized_write() - fill a structure of the caller
 * @to: the structure of the caller; begins with its size, which stays. Members that this
 *	library does not know are set to 0
 * @from: the structure as this library knows it
 * @room: bytes of it
 *
 * Return: 0, or -EINVAL if the size is not set.
 */
int tap_sized_write(void *to, const void *from, size_t room)
{
	size_t size = size_of(to);
	size_t known = size < room ? size : room;

	if (size < sizeof(size))
		return -EINVAL;
	memcpy((char *)to + sizeof(size), (const char *)from + sizeof(size),
	       known - sizeof(size));
	memset((char *)to + known, 0, size - known);
	return 0;
}
