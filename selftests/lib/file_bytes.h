/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads, searches, damages and writes the bytes of a trace file.
 */
#ifndef _TEST_LIB_FILE_BYTES_H
#define _TEST_LIB_FILE_BYTES_H

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/file_format.h"
#include "selftests/lib/file_sums.h"

static char *load(const char *path, size_t *len)
{
	struct stat st;
	int fd = open(path, O_RDONLY);
	char *data;

	if (fd < 0 || fstat(fd, &st))
		abort();
	*len = (size_t)st.st_size;
	data = malloc(*len + 1);
	if (!data || read(fd, data, *len) != (ssize_t)*len)
		abort();
	close(fd);
	return data;
}

/* The file at part_path, in memory: it is written 30000 times. */
static int part_fd;

static void store_raw(const char *data, size_t len)
{
	if (ftruncate(part_fd, 0) ||
	    pwrite(part_fd, data, len, 0) != (ssize_t)len)
		abort();
}

/* With right checksums. */
static void store(const char *data, size_t len)
{
	char *copy = malloc(len + 1);

	if (!copy)
		abort();
	memcpy(copy, data, len);
	file_resum(copy, len);
	store_raw(copy, len);
	free(copy);
}

static size_t find_part(const char *data, size_t len, __u32 type)
{
	struct tap_file_chunk chunk;
	size_t off = sizeof(struct tap_file_header);

	for (; off < len; off += (chunk.length + 7) & ~7ULL) {
		memcpy(&chunk, data + off, sizeof(chunk));
		off += sizeof(chunk);
		if (chunk.type == type)
			return off;
	}
	abort();
}

#endif /* _TEST_LIB_FILE_BYTES_H */
