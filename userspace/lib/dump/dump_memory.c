// SPDX-License-Identifier: LGPL-2.1
/*
 * The memory of a machine out of an ELF file. Other files are left to libkdumpfile.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dump/dump.h"
#include "util/read_at.h"
#include "util/util.h"

static void add_segment(struct tap_dump_memory *m, const Elf64_Phdr *p)
{
	__u64 end = p->p_paddr + p->p_filesz;

	/* An address of all ones: it is not known. */
	if (p->p_type != PT_LOAD || !p->p_filesz || end < p->p_paddr || end > 1ULL << 56)
		return;
	m->segments[m->nr_segments++] = (struct tap_dump_segment) {
		.addr = p->p_paddr, .len = p->p_filesz, .offset = p->p_offset,
	};
	if (end > m->end)
		m->end = end;
}

/* More than 65534 segments have their number in the first section. */
static bool read_count(int fd, const Elf64_Ehdr *head, size_t *nr)
{
	Elf64_Shdr section;

	*nr = head->e_phnum;
	if (head->e_phnum != PN_XNUM)
		return true;
	if (!tap_read_at(fd, head->e_shoff, &section, sizeof(section)))
		return false;
	*nr = section.sh_info;
	return true;
}

static int read_elf(struct tap_dump_memory *m, const Elf64_Ehdr *head)
{
	size_t nr, i;

	if (head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_ident[EI_DATA] != ELFDATA2LSB ||
	    head->e_phentsize != sizeof(Elf64_Phdr) || head->e_type != ET_CORE ||
	    !read_count(m->fd, head, &nr) || nr > 1 << 20)
		return -EBADMSG;
	m->segments = calloc(nr ? nr : 1, sizeof(*m->segments));
	if (!m->segments)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		Elf64_Phdr p;

		if (!tap_read_at(m->fd, head->e_phoff + i * sizeof(p), &p, sizeof(p)))
			return -EBADMSG;
		add_segment(m, &p);
	}
	return 0;
}

int tap_dump_memory_open(struct tap_dump_memory *m, const char *path, struct tap_error *err)
{
	Elf64_Ehdr head;
	int ret;

	m->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (m->fd < 0) {
		ret = -errno;
		return tap_error_set(err, ret, "%s: %s", path, strerror(-ret));
	}
	if (!tap_read_at(m->fd, 0, &head, sizeof(head)))
		return tap_error_set(err, -EBADMSG, "%s: is no dump of a machine's memory: it is too short",
				     path);
	if (memcmp(head.e_ident, ELFMAG, SELFMAG))
		return tap_kdump_open(&m->kdump, m->fd, &m->end, path, err);
	ret = read_elf(m, &head);
	if (ret == -EBADMSG)
		return tap_error_set(err, ret,
				     "%s: is an ELF file, but no dump of the memory of a 64-bit machine, or is damaged",
				     path);
	return ret ? tap_error_set(err, ret, "out of memory") : 0;
}

void tap_dump_memory_close(struct tap_dump_memory *m)
{
	tap_kdump_close(m->kdump);
	free(m->segments);
	if (m->fd >= 0)
		close(m->fd);
}

/**
 * tap_dump_memory_read() - read memory of the machine
 * @m: its memory
 * @addr: physical address
 * @data: filled in
 * @len: bytes
 *
 * Return: false: it is not in the dump.
 */
bool tap_dump_memory_read(const struct tap_dump_memory *m, __u64 addr, void *data, size_t len)
{
	size_t i;

	if (m->kdump)
		return tap_kdump_read(m->kdump, addr, data, len);
	for (i = 0; i < m->nr_segments; i++) {
		const struct tap_dump_segment *s = &m->segments[i];

		if (addr >= s->addr && addr - s->addr < s->len && len <= s->len - (addr - s->addr))
			return tap_read_at(m->fd, s->offset + (addr - s->addr), data, len);
	}
	return false;
}
