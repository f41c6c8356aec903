/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files that a native test needs.
 */
#ifndef _TEST_LIB_TMPFILE_H
#define _TEST_LIB_TMPFILE_H

#include <stdio.h>
#include <stdlib.h>

/* Makes a directory of a template for mkdtemp(). */
static inline void native_dir(char *template)
{
	if (!mkdtemp(template)) {
		perror(template);
		exit(1);
	}
}

/* Writes one in a directory of the test's own. */
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
