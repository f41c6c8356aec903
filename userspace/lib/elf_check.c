// SPDX-License-Identifier: LGPL-2.1
/*
 * Whether an instruction begins at a place: a breakpoint in the middle of one
 * would make another instruction of it.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "elf_file.h"
#include "insn.h"

/* The longest instruction, and the longest function that is looked through. */
#define INSN_MAX	16
#define FUNCTION_MAX	(16 << 20)

static int walk(const uint8_t *code, size_t len, uint64_t off)
{
	uint64_t at = 0;
	int n;

	while (at < off) {
		n = tap_insn_length(code + at, len - at);
		if (n < 0)
			return -EOPNOTSUPP;
		at += n;
	}
	return at == off ? 0 : -EILSEQ;
}

/**
 * tap_elf_check() - whether an instruction begins behind a function's begin
 * @elf: the file
 * @fn: the function
 * @off: bytes behind its begin
 *
 * All instructions before it are gone through.
 *
 * Return: 0; -EILSEQ if not; -ERANGE behind its end; -EOPNOTSUPP if it cannot be
 * told: an instruction before it is not known, or there is no memory.
 */
int tap_elf_check(struct tap_elf *elf, const struct tap_elf_function *fn,
		  uint64_t off)
{
	uint8_t *code;
	ssize_t n;
	int ret;

	if (!off)
		return 0;
	if (fn->size && off >= fn->size)
		return -ERANGE;
	if (off > FUNCTION_MAX || elf->is_32bit)
		return -EOPNOTSUPP;
	code = malloc(off + INSN_MAX);
	if (!code)
		return -EOPNOTSUPP;
	n = pread(elf->fd, code, off + INSN_MAX, fn->offset);
	ret = n < 0 ? -EOPNOTSUPP : walk(code, n, off);
	free(code);
	return ret;
}
