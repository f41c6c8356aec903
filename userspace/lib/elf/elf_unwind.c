// SPDX-License-Identifier: LGPL-2.1
/*
 * A program or library in a process of libdwfl, at the address where it is loaded there.
 */
#include <fcntl.h>
#include <unistd.h>

#include "elf/elf_internal.h"

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
