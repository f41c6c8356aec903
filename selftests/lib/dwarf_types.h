/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TEST_LIB_DWARF_TYPES_H
#define _TEST_LIB_DWARF_TYPES_H

#include "dwarf/dwarf.h"

/* Checks the types of dwarf_structs.h. */
void dwarf_types_check(struct tap_dwarf *dwarf);
void dwarf_prototype_text(const struct tap_prototype *proto, char *buf, size_t size);

#endif /* _TEST_LIB_DWARF_TYPES_H */
