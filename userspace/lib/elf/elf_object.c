// SPDX-License-Identifier: LGPL-2.1
/*
 * Opens a program or library. Its parts are read when they are needed.
 *
 * The file is untrusted. Each number in it is checked against the size of the file
 * before use, here and in libelf.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <elfutils/libdwelf.h>

#include "elf/elf_internal.h"
#include "util/arch.h"

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

/**
 * tap_reopen_file() - open a file for reading that was opened with O_PATH
 * @fd: a descriptor of O_PATH, or -1; closed
 * @st: filled in, if @fd is valid
 *
 * The open of a device may have side effects, and that of a pipe may wake a writer. So
 * the type of the file is checked before.
 *
 * Return: a descriptor, or -1 with errno: EINVAL if it is not a regular file.
 */
int tap_reopen_file(int fd, struct stat *st)
{
	char link[32];
	int file = -1, code;

	if (fd < 0)
		return -1;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (fstat(fd, st))
		code = errno;
	else if (!S_ISREG(st->st_mode))
		code = EINVAL;
	else
		code = (file = open(link, O_RDONLY | O_CLOEXEC)) < 0 ? errno : 0;
	close(fd);
	errno = code;
	return file;
}

/* Explains a file that is not ELF by its first bytes. */
static int no_elf(struct tap_elf *elf, struct tap_error *err)
{
	char text[64];
	ssize_t n = pread(elf->fd, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	if (!strncmp(text, "#!", 2)) {
		text[strcspn(text, "\n")] = '\0';
		return tap_error_set(err, -ENOEXEC,
				     "%s: is a script; probe its interpreter, %s",
				     elf->path,
				     text + 2 + strspn(text + 2, " \t"));
	}
	return tap_error_set(err, -ENOEXEC,
			     "%s: is not a program or shared library (not an ELF file)",
			     elf->path);
}

static int read_header(struct tap_elf *elf, struct tap_error *err)
{
	GElf_Ehdr ehdr;

	if (elf_kind(elf->elf) != ELF_K_ELF || !gelf_getehdr(elf->elf, &ehdr))
		return no_elf(elf, err);
	if (ehdr.e_ident[EI_DATA] != ELFDATA2LSB)
		goto other;
	elf->is_32bit = ehdr.e_machine == TAP_ARCH_MACHINE_32 &&
			gelf_getclass(elf->elf) == ELFCLASS32;
	if (!elf->is_32bit && (ehdr.e_machine != TAP_ARCH_MACHINE ||
			       gelf_getclass(elf->elf) != ELFCLASS64))
		goto other;
	if (ehdr.e_type != ET_EXEC && ehdr.e_type != ET_DYN)
		return tap_error_set(err, -ENOEXEC,
				     "%s: is %s, not a program or shared library",
				     elf->path,
				     ehdr.e_type == ET_REL ? "an object file" :
				     ehdr.e_type == ET_CORE ? "a core dump" :
				     "an ELF file of an unknown type");
	elf->fixed = ehdr.e_type == ET_EXEC;
	return 0;
other:
	return tap_error_set(err, -ENOEXEC,
			     "%s: is for another kind of machine (ELF machine %u); this one is " TAP_ARCH_NAME,
			     elf->path, ehdr.e_machine);
}

static int read_segments(struct tap_elf *elf, struct tap_error *err)
{
	uint64_t size = elf->stat.st_size;
	struct tap_elf_segment *s;
	bool code = false;
	GElf_Phdr p;
	size_t nr, i;

	if (elf_getphdrnum(elf->elf, &nr) || nr > INT32_MAX)
		goto damaged;
	elf->segments = calloc(nr + 1, sizeof(*elf->segments));
	if (!elf->segments)
		return tap_error_set(err, -ENOMEM, "out of memory");
	for (i = 0; i < nr; i++) {
		if (!gelf_getphdr(elf->elf, i, &p))
			goto damaged;
		if (p.p_type != PT_LOAD || !p.p_filesz)
			continue;
		if (p.p_offset > size || p.p_filesz > size - p.p_offset ||
		    p.p_vaddr + p.p_filesz < p.p_vaddr)
			goto damaged;
		s = &elf->segments[elf->nr_segments++];
		s->addr = p.p_vaddr;
		s->offset = p.p_offset;
		s->size = p.p_filesz;
		s->code = p.p_flags & PF_X;
		code |= s->code;
	}
	if (code)
		return 0;
	return tap_error_set(err, -ENOEXEC,
			     "%s: has no code; if these are debug symbols, name the program itself",
			     elf->path);
damaged:
	return tap_error_set(err, -ENOEXEC,
			     "%s: is damaged: its segments extend beyond its end",
			     elf->path);
}

static int open_file(struct tap_elf *elf, struct tap_error *err)
{
	int code;

	elf->fd = tap_reopen_file(open(elf->path, O_PATH | O_CLOEXEC),
				  &elf->stat);
	code = elf->fd < 0 ? -errno : 0;
	if (code && elf->stat.st_mode && !S_ISREG(elf->stat.st_mode))
		return tap_error_set(err, -EINVAL, "%s: is %s, not a program or shared library",
				     elf->path, S_ISDIR(elf->stat.st_mode) ?
				     "a directory" : "a special file");
	if (code)
		return tap_error_set(err, code, "%s: %s", elf->path,
				     code == -ENOENT ? "no such file" :
				     code == -EACCES ? "permission denied; run tap as root" :
				     code == -ELOOP ? "is a symbolic link that leads to itself" :
				     strerror(-code));
	elf_version(EV_CURRENT);
	elf->elf = elf_begin(elf->fd, ELF_C_READ, NULL);
	code = read_header(elf, err);
	return code ? code : read_segments(elf, err);
}

/**
 * tap_elf_open() - open a program or library
 * @elf: set on success; the caller has to call tap_elf_put()
 * @path: its path
 * @err: an error message on failure
 *
 * Return: 0; -ENOEXEC if it is not a program of this architecture; -ENOENT, -EACCES and
 * others of open(2).
 */
int tap_elf_open(struct tap_elf **elf, const char *path, struct tap_error *err)
{
	struct tap_elf *e = calloc(1, sizeof(*e));
	int code;

	if (!e)
		return tap_error_set(err, -ENOMEM, "out of memory");
	e->refs = 1;
	e->fd = -1;
	e->path = strdup(path);
	code = e->path ? open_file(e, err) :
	       tap_error_set(err, -ENOMEM, "out of memory");
	if (code)
		tap_elf_put(e);
	else
		*elf = e;
	return code;
}

/**
 * tap_elf_get() - take a reference
 * @elf: the file
 *
 * Return: @elf.
 */
struct tap_elf *tap_elf_get(struct tap_elf *elf)
{
	elf->refs++;
	return elf;
}

/**
 * tap_elf_put() - drop a reference; the last one closes the file
 * @elf: the file, or NULL
 */
void tap_elf_put(struct tap_elf *elf)
{
	if (!elf || --elf->refs)
		return;
	free(elf->usdt);
	free(elf->functions);
	while (elf->nr_names)
		free(elf->names[--elf->nr_names]);
	free(elf->names);
	if (elf->dwfl)
		dwfl_end(elf->dwfl);
	elf_end(elf->elf);
	free(elf->units);
	free(elf->segments);
	if (elf->fd >= 0)
		close(elf->fd);
	free(elf->path);
	free(elf);
}

/**
 * tap_elf_fd() - return the descriptor of a file
 * @elf: the file
 *
 * Return: open for reading; belongs to @elf.
 */
int tap_elf_fd(const struct tap_elf *elf)
{
	return elf->fd;
}

/**
 * tap_elf_path() - return the path of a file
 * @elf: the file
 *
 * Return: the path as it was opened; belongs to @elf.
 */
const char *tap_elf_path(const struct tap_elf *elf)
{
	return elf->path;
}

/**
 * tap_elf_is_same() - whether two files are the same one
 * @a: a file
 * @b: another one, which was perhaps opened at another time
 *
 * Return: true if their content is the same as well.
 */
bool tap_elf_is_same(const struct tap_elf *a, const struct tap_elf *b)
{
	return a == b || (a->stat.st_dev == b->stat.st_dev && a->stat.st_ino == b->stat.st_ino &&
			  a->stat.st_size == b->stat.st_size &&
			  !memcmp(&a->stat.st_mtim, &b->stat.st_mtim, sizeof(a->stat.st_mtim)));
}

/**
 * tap_elf_is_32bit() - whether a file is a 32-bit program
 * @elf: the file
 *
 * Its functions take their arguments from the stack.
 *
 * Return: true if it is one.
 */
bool tap_elf_is_32bit(const struct tap_elf *elf)
{
	return elf->is_32bit;
}

/* Whether another file has its path now; false if the path does not exist. */
bool tap_elf_replaced(const struct tap_elf *elf)
{
	struct stat now;

	return !stat(elf->path, &now) && (now.st_dev != elf->stat.st_dev ||
					  now.st_ino != elf->stat.st_ino);
}

/**
 * tap_elf_build_id() - copy the build-id of a file
 * @elf: the file
 * @id: filled in
 *
 * Return: bytes at @id, 0 if there is none.
 */
size_t tap_elf_build_id(struct tap_elf *elf, uint8_t id[TAP_BUILD_ID_MAX])
{
	const void *bytes;
	ssize_t len = dwelf_elf_gnu_build_id(elf->elf, &bytes);

	if (len <= 0 || len > TAP_BUILD_ID_MAX)
		return 0;
	memcpy(id, bytes, len);
	return len;
}

const struct tap_elf_segment *tap_elf_segment_of(const struct tap_elf *elf,
						 uint64_t addr)
{
	const struct tap_elf_segment *s = elf->segments;

	for (; s < elf->segments + elf->nr_segments; s++)
		if (addr >= s->addr && addr - s->addr < s->size)
			return s;
	return NULL;
}

bool tap_elf_addr(const struct tap_elf *elf, uint64_t offset, uint64_t *addr)
{
	const struct tap_elf_segment *s = elf->segments;

	for (; s < elf->segments + elf->nr_segments; s++) {
		/* A page of the file may also be loaded as data. */
		if (!s->code || offset < s->offset ||
		    offset - s->offset >= s->size)
			continue;
		*addr = s->addr + (offset - s->offset);
		return true;
	}
	return false;
}

/**
 * tap_elf_is_code() - whether a byte of the file is loaded as code
 * @elf: the file
 * @offset: of the byte in the file
 *
 * Return: true if it is.
 */
bool tap_elf_is_code(const struct tap_elf *elf, uint64_t offset)
{
	uint64_t addr;

	return tap_elf_addr(elf, offset, &addr);
}

Dwfl_Module *tap_elf_module(struct tap_elf *elf)
{
	int fd;

	if (elf->dwfl)
		return elf->mod;
	elf->dwfl = dwfl_begin(&callbacks);
	if (!elf->dwfl)
		return NULL;
	fd = fcntl(elf->fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return NULL;
	/* Loaded at 0, so that addresses are those of the file. */
	dwfl_report_begin(elf->dwfl);
	elf->mod = dwfl_report_elf(elf->dwfl, "", elf->path, fd, 0, true);
	dwfl_report_end(elf->dwfl, NULL, NULL);
	if (!elf->mod)
		close(fd);
	return elf->mod;
}
