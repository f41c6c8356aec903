/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads all data of an ELF file; must not crash on any content.
 */
#ifndef _TEST_LIB_ELF_USE_H
#define _TEST_LIB_ELF_USE_H

#include "elf/elf_object.h"

static void use_elf(struct tap_elf *elf)
{
	const struct tap_elf_function *list;
	const struct tap_usdt *usdt;
	uint8_t id[TAP_BUILD_ID_MAX];
	struct tap_error err = { 0 };
	char line[256];
	size_t nr, i;

	tap_elf_build_id(elf, id);
	tap_elf_usdt(elf, &usdt, &nr, &err);
	if (tap_elf_functions(elf, &list, &nr, &err))
		return;
	for (i = 0; i < nr; i++) {
		tap_elf_at(elf, list[i].offset + 1);
		tap_elf_line(elf, list[i].offset, line, sizeof(line));
		tap_elf_check(elf, &list[i], 9);
		tap_elf_check_at(elf, list[i].offset + 9);
	}
}

#endif /* _TEST_LIB_ELF_USE_H */
