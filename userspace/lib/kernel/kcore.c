// SPDX-License-Identifier: LGPL-2.1
/*
 * Reads /proc/kcore: the memory of the running kernel as an ELF file, which has in its notes what
 * the kernel tells debuggers of itself. It is for those with CAP_SYS_RAWIO, and for nobody in
 * the strict mode of lockdown.
 *
 * What the file says is not trusted: a read may fail, or give any bytes.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/kcore.h"
#include "util/read_at.h"

/* Headers of all memory blocks of a large machine, and notes of a few pages. */
#define MAX_SEGMENTS	65535
#define MAX_NOTES	(1 << 20)
#define INFO_NOTE	"VMCOREINFO"

struct tap_kcore_segment {
	uint64_t addr;
	uint64_t len;
	uint64_t offset;
};

/* Each note: its header, then name and content, both filled up to 4 bytes. */
static char *find_info(const char *notes, size_t len)
{
	size_t at = 0, name, content;
	Elf64_Nhdr note;

	while (len - at >= sizeof(note)) {
		memcpy(&note, notes + at, sizeof(note));
		name = at + sizeof(note);
		content = name + (((size_t)note.n_namesz + 3) & ~(size_t)3);
		at = content + (((size_t)note.n_descsz + 3) & ~(size_t)3);
		if (at > len)
			break;
		if (note.n_namesz == sizeof(INFO_NOTE) &&
		    !memcmp(notes + name, INFO_NOTE, sizeof(INFO_NOTE)))
			return strndup(notes + content, note.n_descsz);
	}
	return NULL;
}

static int read_notes(struct tap_kcore *core, const Elf64_Phdr *p)
{
	char *notes;

	if (p->p_filesz > MAX_NOTES)
		return -EBADMSG;
	notes = malloc(p->p_filesz + 1);
	if (!notes)
		return -ENOMEM;
	if (tap_read_at(core->fd, p->p_offset, notes, p->p_filesz))
		core->info = find_info(notes, p->p_filesz);
	free(notes);
	return 0;
}

static int read_headers(struct tap_kcore *core)
{
	Elf64_Phdr *headers;
	Elf64_Ehdr head;
	int ret = 0, i;

	if (!tap_read_at(core->fd, 0, &head, sizeof(head)) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) || head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    head.e_phentsize != sizeof(*headers) || head.e_type != ET_CORE ||
	    head.e_phnum >= MAX_SEGMENTS)
		return -EBADMSG;
	headers = calloc((size_t)head.e_phnum + 1, sizeof(*headers));
	core->segments = calloc((size_t)head.e_phnum + 1, sizeof(*core->segments));
	if (!headers || !core->segments)
		ret = -ENOMEM;
	else if (!tap_read_at(core->fd, head.e_phoff, headers, head.e_phnum * sizeof(*headers)))
		ret = -EBADMSG;
	for (i = 0; !ret && i < head.e_phnum; i++) {
		const Elf64_Phdr *p = &headers[i];

		if (p->p_type == PT_NOTE && !core->info)
			ret = read_notes(core, p);
		else if (p->p_type == PT_LOAD)
			core->segments[core->nr++] = (struct tap_kcore_segment) {
				.addr = p->p_vaddr, .len = p->p_filesz, .offset = p->p_offset,
			};
	}
	free(headers);
	return ret ? ret : core->info ? 0 : -ENODATA;
}

/**
 * tap_kcore_open() - open the memory of the kernel
 * @core: filled in; the caller has to call tap_kcore_close() after success
 * @path: like /proc/kcore
 *
 * Return: 0; -ENODATA if the kernel tells nothing of itself; or another -errno.
 */
int tap_kcore_open(struct tap_kcore *core, const char *path)
{
	int ret;

	*core = (struct tap_kcore) { .fd = open(path, O_RDONLY | O_CLOEXEC) };
	if (core->fd < 0)
		return -errno;
	ret = read_headers(core);
	if (ret)
		tap_kcore_close(core);
	return ret;
}

void tap_kcore_close(struct tap_kcore *core)
{
	free(core->segments);
	free(core->info);
	close(core->fd);
}

/**
 * tap_kcore_read() - read memory
 * @core: the memory
 * @addr: address in the kernel
 * @data: filled in; pages that are not there read as zero
 * @len: bytes
 *
 * Return: whether all of it could be read.
 */
bool tap_kcore_read(const struct tap_kcore *core, uint64_t addr, void *data, size_t len)
{
	size_t i;

	for (i = 0; i < core->nr; i++) {
		const struct tap_kcore_segment *s = &core->segments[i];

		if (addr >= s->addr && addr - s->addr < s->len && len <= s->len - (addr - s->addr))
			return tap_read_at(core->fd, s->offset + (addr - s->addr), data, len);
	}
	return false;
}

/**
 * tap_kcore_symbol() - a symbol that the kernel names to debuggers
 * @core: the memory
 * @name: at most 60 characters
 *
 * Return: its address, or 0 if the kernel does not name it.
 */
uint64_t tap_kcore_symbol(const struct tap_kcore *core, const char *name)
{
	char line[80];
	const char *at;

	snprintf(line, sizeof(line), "\nSYMBOL(%s)=", name);
	at = strstr(core->info, line);
	return at ? strtoull(at + strlen(line), NULL, 16) : 0;
}
