/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tables of spec_test.
 */
#ifndef _TEST_LIB_SPEC_TABLES_H
#define _TEST_LIB_SPEC_TABLES_H

#include "selftests/lib/harness.h"

extern const struct wrong_event spec_wrong[];
extern const size_t nr_spec_wrong;

/* Files of a small kernel: /proc/kallsyms, /proc/modules and the kprobe blacklist. */
extern const char spec_kallsyms[];
extern const char spec_modules[];
extern const char spec_blacklist[];

#endif /* _TEST_LIB_SPEC_TABLES_H */
