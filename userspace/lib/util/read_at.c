// SPDX-License-Identifier: LGPL-2.1
#include <errno.h>
#include <unistd.h>

#include "util/read_at.h"

/**
 * tap_read_at() - read a piece of a file
 * @fd: descriptor of the file
 * @offset: where it begins; any number, since it may come from the file itself
 * @data: filled in
 * @len: bytes
 *
 * Return: whether all of it could be read.
 */
bool tap_read_at(int fd, uint64_t offset, void *data, size_t len)
{
	while (len) {
		ssize_t n = offset > INT64_MAX ? 0 : pread(fd, data, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		data = (char *)data + n;
		offset += (uint64_t)n;
		len -= (size_t)n;
	}
	return true;
}
