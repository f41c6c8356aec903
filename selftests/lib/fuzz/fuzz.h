/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the fuzzers: a file in memory, for targets that read files. libFuzzer calls
 * LLVMFuzzerTestOneInput() for each input.
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

/* A directory of this process, in memory; fuzz/run creates and removes it. */
static inline const char *fuzz_dir(void)
{
	const char *dir = getenv("FUZZ_DIR");

	if (!dir)
		abort();
	return dir;
}

/**
 * fuzz_store() - write an input to a file
 * @name: name in the directory; the same in all calls
 * @data: content of the file
 * @size: bytes at @data
 *
 * The file stays open and is overwritten: to create it again would take longer than most inputs.
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
