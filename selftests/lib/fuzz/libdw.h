/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions that replace those of libdw (fuzz/run). They are defined here: one file of a fuzzer may
 * include this.
 */
#ifndef _TEST_LIB_FUZZ_LIBDW_H
#define _TEST_LIB_FUZZ_LIBDW_H

#include <elfutils/libdw.h>
#include <sanitizer/lsan_interface.h>
#include <stdlib.h>
#include <string.h>

/*
 * A search for debug files on this machine would take most of the time, and make results depend on the
 * machine.
 */
int __wrap_dwfl_standard_find_debuginfo(void);

int __wrap_dwfl_standard_find_debuginfo(void)
{
	return -1;
}

/*
 * That of libdw leaks its array if it finds a scope and then an error. What it returns is copied, so that
 * an array which the caller does not free is still reported as a leak.
 */
int __real_dwarf_getscopes(Dwarf_Die *cu, Dwarf_Addr pc, Dwarf_Die **scopes);
int __wrap_dwarf_getscopes(Dwarf_Die *cu, Dwarf_Addr pc, Dwarf_Die **scopes);

int __wrap_dwarf_getscopes(Dwarf_Die *cu, Dwarf_Addr pc, Dwarf_Die **scopes)
{
	Dwarf_Die *found;
	size_t len;
	int nr;

	__lsan_disable();
	nr = __real_dwarf_getscopes(cu, pc, &found);
	__lsan_enable();
	if (nr <= 0)
		return nr;
	len = (size_t)nr * sizeof(*found);
	*scopes = malloc(len);
	if (!*scopes)
		abort();
	memcpy(*scopes, found, len);
	free(found);
	return nr;
}

#endif
