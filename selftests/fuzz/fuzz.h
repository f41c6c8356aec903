/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the fuzzers share: a file in memory for those that read files. libFuzzer
 * calls LLVMFuzzerTestOneInput() with one input after the other.
 */
#ifndef _FUZZ_H
#define _FUZZ_H

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

/* Makes an input a file. */
static inline void fuzz_store(const char *path, const uint8_t *data, size_t size)
{
	FILE *f = fopen(path, "w");

	if (!f || (size && fwrite(data, size, 1, f) != 1) || fclose(f))
		abort();
}

#endif /* _FUZZ_H */
