// SPDX-License-Identifier: LGPL-2.1
/*
 * Whether an instruction begins at a place: a breakpoint in the middle of one
 * would make another instruction of it.
 */
#include <errno.h>

#include "elf_file.h"

/**
 * tap_elf_check() - whether an instruction begins behind a function's begin
 * @elf: the file
 * @fn: the function
 * @off: bytes behind its begin
 *
 * Return: 0; -EILSEQ if not; -EOPNOTSUPP if that cannot be told.
 */
int tap_elf_check(struct tap_elf *elf, const struct tap_elf_function *fn,
		  uint64_t off)
{
	(void)elf;
	(void)fn;
	return off ? -EOPNOTSUPP : 0;
}
