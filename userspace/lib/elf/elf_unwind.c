// SPDX-License-Identifier: LGPL-2.1
/*
 * A program or library in a process of libdwfl, at the address where it is loaded there.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "elf/elf_internal.h"

/* The frame pointer in DWARF. */
#if defined(__x86_64__)
#define FRAME_POINTER	6
#else
#define FRAME_POINTER	29
#endif

/**
 * tap_elf_report() - add a file to those that libdwfl knows of a process
 * @elf: the file
 * @dwfl: the process, between dwfl_report_begin_add() and dwfl_report_end()
 * @offset: of a byte of the file, from which on a part of it is mapped
 * @at: the address of that byte
 * @len: bytes that are mapped
 *
 * Return: the module; NULL if no code of the file is mapped there, or if libdwfl rejects it.
 */
struct Dwfl_Module *tap_elf_report(const struct tap_elf *elf, struct Dwfl *dwfl, uint64_t offset,
				   uint64_t at, uint64_t len)
{
	const struct tap_elf_segment *s = elf->segments;
	Dwfl_Module *mod;
	int fd;

	/* A map begins with the page of its first byte. */
	for (; s < elf->segments + elf->nr_segments; s++)
		if (s->code && s->offset < offset + len && offset < s->offset + s->size)
			break;
	if (s == elf->segments + elf->nr_segments)
		return NULL;
	fd = fcntl(elf->fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return NULL;
	/* The addresses of a file that is not position-independent are those of the process. */
	mod = dwfl_report_elf(dwfl, elf->path, elf->path, fd, at - offset + s->offset - s->addr,
			      true);
	if (!mod)
		close(fd);
	return mod;
}

/* Whether a CFA is computed from the frame pointer. */
static bool by_frame_pointer(const Dwarf_Op *ops, size_t nr)
{
	return nr && (ops->atom == DW_OP_breg0 + FRAME_POINTER ||
		      (ops->atom == DW_OP_bregx && ops->number == FRAME_POINTER));
}

/**
 * tap_elf_hides_caller() - whether frame pointers lead past the caller of a function
 * @elf: the file
 * @offset: a byte in the function, where the program is
 *
 * At an instruction where the function has no frame of its own, the frame pointer is still that of
 * its caller, and leads to the caller's caller. At its first instruction the kernel finds the
 * caller by the stack pointer.
 *
 * Return: false if it does not, or if the file has no unwind data for it.
 */
bool tap_elf_hides_caller(struct tap_elf *elf, uint64_t offset)
{
	const struct tap_elf_function *fn = tap_elf_at(elf, offset);
	Dwfl_Module *mod = tap_elf_module(elf);
	Dwarf_Addr addr, bias;
	Dwarf_Frame *frame;
	Dwarf_CFI *cfi;
	Dwarf_Op *ops;
	bool hides;
	size_t nr;

	if (!mod || !fn || fn->offset == offset || !tap_elf_addr(elf, offset, &addr))
		return false;
	cfi = dwfl_module_eh_cfi(mod, &bias);
	if (!cfi || dwarf_cfi_addrframe(cfi, addr - bias, &frame))
		return false;
	hides = !dwarf_frame_cfa(frame, &ops, &nr) && nr && !by_frame_pointer(ops, nr);
	free(frame);
	return hides;
}
