/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the fuzzers share: a file in memory for those that read files. libFuzzer
 * calls LLVMFuzzerTestOneInput() with one input after the other.
 */
#ifndef _TEST_LIB_FUZZ_FUZZ_H
#define _TEST_LIB_FUZZ_FUZZ_H

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Of this process alone, in memory: the runner makes and removes it. */
static inline const char *fuzz_dir(void)
{
	const char *dir = getenv("FUZZ_DIR");

	if (!dir)
		abort();
	return dir;
}

/**
 * fuzz_store() - make an input a file
 * @name: in the directory; of one call as of the others
 * @data: what it is to hold
 * @size: bytes at @data
 *
 * The file stays open, and what it held before is written over: to make it anew
 * takes longer than most inputs do.
 *
 * Return: its path.
 */
static inline const char *fuzz_store(const char *name, const uint8_t *data, size_t size)
{
	static char path[80];
	static size_t last;
	static int fd = -1;

	if (fd < 0) {
		snprintf(path, sizeof(path), "%s/%s", fuzz_dir(), name);
		fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	}
	if (pwrite(fd, data, size, 0) != (ssize_t)size ||
	    (size < last && ftruncate(fd, (off_t)size)))
		abort();
	last = size;
	return path;
}

#endif /* _TEST_LIB_FUZZ_FUZZ_H */
