/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Symbols of a kernel for native tests.
 */
#ifndef _TEST_LIB_FAKE_SYMBOLS_H
#define _TEST_LIB_FAKE_SYMBOLS_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "kernel/kallsyms.h"
#include "selftests/lib/tmpfile.h"
#include "kernel/ksyms.h"

/* Loads symbols from this text of kallsyms, through a temporary file. */
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
