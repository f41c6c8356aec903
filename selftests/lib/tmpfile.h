/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Temporary files of native tests.
 */
#ifndef _TEST_LIB_TMPFILE_H
#define _TEST_LIB_TMPFILE_H

#include <stdio.h>
#include <stdlib.h>

/* Makes a directory from a template for mkdtemp(). */
static inline void native_dir(char *template)
{
	if (!mkdtemp(template)) {
		perror(template);
		exit(1);
	}
}

/* Writes a file in a directory of the test. */
static inline void native_write(const char *dir, const char *name,
				const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	if (!f || fputs(text, f) < 0 || fclose(f))
		abort();
}

#endif /* _TEST_LIB_TMPFILE_H */
