/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Symbols of a kernel that a native test makes up.
 */
#ifndef _TEST_LIB_FAKE_SYMBOLS_H
#define _TEST_LIB_FAKE_SYMBOLS_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "kernel/kallsyms.h"
#include "selftests/lib/tmpfile.h"
#include "kernel/ksyms.h"

/* Of kallsyms with this text; its file lies in a directory meanwhile. */
static inline struct tap_symbols *load_symbols(const char *dir,
					       const char *text)
{
	char path[64];
	struct tap_symbols_paths paths = {
		.kallsyms = path,
		.modules = "/dev/null",
		.blacklist = "/dev/null",
	};
	struct tap_symbols *syms;

	native_write(dir, "kallsyms", text);
	snprintf(path, sizeof(path), "%s/kallsyms", dir);
	syms = tap_symbols_load_from(&paths, NULL);
	unlink(path);
	if (!syms)
		abort();
	return syms;
}

#endif /* _TEST_LIB_FAKE_SYMBOLS_H */
