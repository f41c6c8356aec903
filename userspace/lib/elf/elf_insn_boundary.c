// SPDX-License-Identifier: LGPL-2.1
/*
 * Checks whether an instruction starts at a place. A breakpoint inside an instruction
 * would change that instruction.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/arch.h"
#include "elf/elf_internal.h"
#include "util/insn_len.h"

/* Upper bounds of an instruction, and of a function that is decoded. */
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

/* Decodes the code from @from, where an instruction starts, up to @off. */
static int check_from(struct tap_elf *elf, uint64_t from, uint64_t off)
{
	uint8_t *code;
	ssize_t n;
	int ret;

	if (!off)
		return 0;
	if (off > FUNCTION_MAX || elf->is_32bit)
		return -EOPNOTSUPP;
	code = malloc(off + INSN_MAX);
	if (!code)
		return -EOPNOTSUPP;
	n = pread(elf->fd, code, off + INSN_MAX, from);
	ret = n < 0 ? -EOPNOTSUPP : walk(code, n, off);
	free(code);
	return ret;
}

/**
 * tap_elf_check() - whether an instruction starts at an offset in a function
 * @elf: the file
 * @fn: the function
 * @off: bytes from its start
 *
 * All instructions before it are decoded.
 *
 * Return: 0; -EILSEQ if not; -ERANGE after the end of the function; -EOPNOTSUPP if this
 * is unknown: an instruction before it is unknown, or out of memory.
 */
int tap_elf_check(struct tap_elf *elf, const struct tap_elf_function *fn,
		  uint64_t off)
{
	if (off && fn->size && off >= fn->size)
		return -ERANGE;
	return check_from(elf, fn->offset, off);
}

/**
 * tap_elf_check_at() - whether an instruction starts at a byte that no symbol covers
 * @elf: the file
 * @offset: of the byte in the file
 *
 * A stripped file still has its unwind tables. Each entry starts at an instruction;
 * decoding starts there.
 *
 * Return: as tap_elf_check().
 */
int tap_elf_check_at(struct tap_elf *elf, uint64_t offset)
{
	Dwfl_Module *mod = tap_elf_module(elf);
	Dwarf_Addr bias = 0, start = 0;
	Dwarf_Frame *frame;
	Dwarf_CFI *cfi;
	uint64_t addr;

	if (offset % TAP_ARCH_INSN_ALIGN)
		return -EILSEQ;
	cfi = mod ? dwfl_module_eh_cfi(mod, &bias) : NULL;
	if (!cfi || !tap_elf_addr(elf, offset, &addr) ||
	    dwarf_cfi_addrframe(cfi, addr - bias, &frame))
		return -EOPNOTSUPP;
	dwarf_frame_info(frame, &start, NULL, NULL);
	free(frame);
	start += bias;
	/* Both addresses must be in one segment of the file. */
	if (start > addr || tap_elf_segment_of(elf, start) !=
			    tap_elf_segment_of(elf, addr))
		return -EOPNOTSUPP;
	return check_from(elf, offset - (addr - start), addr - start);
}

/**
 * tap_elf_is_refused() - whether the kernel cannot set a breakpoint on the instruction at a byte
 * @elf: the file
 * @offset: of the byte in the file
 *
 * uprobes of x86 refuse the prefixes LOCK and of the segments ES, CS, SS and DS. The kernel notices
 * it when a program maps the file, and reports it to nobody.
 */
bool tap_elf_is_refused(const struct tap_elf *elf, uint64_t offset)
{
#if defined(__x86_64__)
	static const uint8_t refused[] = { 0xf0, 0x26, 0x2e, 0x36, 0x3e };
	static const uint8_t others[] = { 0x64, 0x65, 0x66, 0x67, 0xf2, 0xf3 };
	uint8_t code[INSN_MAX];
	ssize_t n = pread(elf->fd, code, sizeof(code), (off_t)offset), i;

	for (i = 0; i < n; i++) {
		if (memchr(refused, code[i], sizeof(refused)))
			return true;
		if (!memchr(others, code[i], sizeof(others)))
			break;
	}
#else
	(void)elf;
	(void)offset;
#endif
	return false;
}
