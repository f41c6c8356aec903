/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Source lines with inlined functions. Private to libtap.
 */
#ifndef _TAP_ELF_ELF_SOURCE_H
#define _TAP_ELF_ELF_SOURCE_H

#include <elfutils/libdw.h>
#include <stddef.h>

/* Bytes of a line with its inlined functions, the final 0 included. */
#define TAP_SOURCE_BYTES	512

void tap_source_inlined(Dwarf_Die *cu, Dwarf_Addr pc, char *buf, size_t len);
/* The last component of a path. */
const char *tap_source_name(const char *path);

#endif /* _TAP_ELF_ELF_SOURCE_H */
