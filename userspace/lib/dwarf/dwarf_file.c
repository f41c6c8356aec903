// SPDX-License-Identifier: LGPL-2.1
/*
 * Opens a file for its debug information. The file may refer to a separate one, by its build-id
 * or .gnu_debuglink, which libdwfl finds.
 *
 * A module is an object file (ET_REL): libdwfl lays its sections out and relocates the DWARF.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include <elfutils/libdwelf.h>
#include <gelf.h>

#include <dwarf.h>

#include "dwarf/dwarf_internal.h"

/* A compressed file may claim to be of any length; no module is as large as this. */
#define MAX_FILE	(1 << 30)

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

static struct tap_dwarf *new_file(const char *path)
{
	struct tap_dwarf *d = calloc(1, sizeof(*d));

	if (d)
		d->path = strdup(path);
	if (d && d->path)
		return d;
	free(d);
	return NULL;
}

/* A section as it is in the file; NULL if there is none, it has no bytes there, or it is compressed. */
const Elf_Data *tap_dwarf_section(Elf *elf, const char *wanted)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	const char *name;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_flags & SHF_COMPRESSED ||
		    shdr.sh_type == SHT_NOBITS)
			continue;
		name = elf_strptr(elf, names, shdr.sh_name);
		if (name && !strcmp(name, wanted))
			return elf_rawdata(scn, NULL);
	}
	return NULL;
}

/* Each unit ends where the next one begins, or the section ends. */
static const char *find_damaged_unit(Dwarf *dwarf)
{
	const Elf_Data *info = tap_dwarf_section(dwarf_getelf(dwarf), ".debug_info");
	Dwarf_Off at = 0, next;
	size_t head;
	int ret;

	while (!(ret = dwarf_next_unit(dwarf, at, &next, &head, NULL, NULL, NULL, NULL, NULL,
				       NULL))) {
		if (info && next > info->d_size)
			break;
		at = next;
	}
	if (ret < 0)
		return "the head of a unit is malformed, or is not described in .debug_abbrev";
	/* Linkers may leave a few bytes between the last unit and the end. */
	return !ret || !at || (info && info->d_size - at >= 4) ? ".debug_info ends inside a unit" :
								 NULL;
}

/* Whether a section of texts, if there is one, ends with the end of a text. */
static bool texts_are_whole(Dwarf *dwarf, const char *name)
{
	const Elf_Data *texts = tap_dwarf_section(dwarf_getelf(dwarf), name);

	return !texts || !texts->d_size || !((const char *)texts->d_buf)[texts->d_size - 1];
}

/* Whether the ranges of a unit can be read. */
static bool ranges_are_good(Dwarf_Die *unit)
{
	Dwarf_Addr base, begin, end;
	ptrdiff_t at = 0;

	if (!dwarf_hasattr(unit, DW_AT_ranges))
		return true;
	while ((at = dwarf_ranges(unit, at, &base, &begin, &end)) > 0)
		;
	return !at;
}

/*
 * What is wrong with the debug information, as far as the heads of its units tell: a section that
 * was cut would look as if the source had no such file or function. NULL: nothing.
 */
static const char *find_damage(Dwarf *dwarf)
{
	static const unsigned int texts[] = { DW_AT_name, DW_AT_producer, DW_AT_comp_dir };
	Dwarf_Attribute attr;
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	const char *why = find_damaged_unit(dwarf);
	size_t i;

	if (why)
		return why;
	if (!texts_are_whole(dwarf, ".debug_str") || !texts_are_whole(dwarf, ".debug_line_str"))
		return ".debug_str or .debug_line_str ends inside a text";
	while (!dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, NULL)) {
		if (dwarf_tag(&unit) == DW_TAG_invalid)
			return "a unit is not described in .debug_abbrev";
		for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
			if (dwarf_attr(&unit, texts[i], &attr) && !dwarf_formstring(&attr))
				return "a text is not in .debug_str or .debug_line_str";
		if (!ranges_are_good(&unit))
			return "the ranges of a unit are not in .debug_rnglists or .debug_ranges";
	}
	return NULL;
}

static int check_dwarf(struct tap_dwarf *d, struct tap_error *err)
{
	Dwarf_Addr bias;
	Dwarf *dwarf = d->mod ? dwfl_module_getdwarf(d->mod, &bias) : NULL;
	const char *why = dwarf ? find_damage(dwarf) : dwfl_errmsg(-1);

	if (dwarf && !why)
		return 0;
	if (why && strcmp(why, "no DWARF information found") && strcmp(why, "No DWARF information found"))
		return tap_error_set(err, -EBADMSG,
				     "%s: its debug information (DWARF) is damaged: %s; build it again",
				     d->path, why);
	return tap_error_set(err, -ENODATA,
			     "%s has no debug information (DWARF): build it with -g and do not strip it, or install its debug symbols",
			     d->path);
}

static int write_all(int fd, const char *data, size_t len)
{
	ssize_t n;

	for (; len; data += n, len -= n) {
		n = write(fd, data, len);
		if (n < 0)
			return -errno;
	}
	return 0;
}

/* Decompresses a file of zstd into @to. */
static int unpack_stream(ZSTD_DStream *stream, int from, int to)
{
	char packed[65536], data[65536];
	size_t total = 0, left = 1;
	ZSTD_inBuffer in;
	ssize_t n;
	int ret = 0;

	while (!ret && (n = read(from, packed, sizeof(packed))) > 0) {
		in = (ZSTD_inBuffer) { packed, n, 0 };
		while (!ret && in.pos < in.size) {
			ZSTD_outBuffer out = { data, sizeof(data), 0 };

			left = ZSTD_decompressStream(stream, &out, &in);
			total += out.pos;
			ret = ZSTD_isError(left) || total > MAX_FILE ? -EBADMSG :
			      write_all(to, data, out.pos);
		}
	}
	return ret ? ret : left ? -EBADMSG : 0;
}

/*
 * libdw reads files of gzip, bzip2 and xz, but in Debian not those of zstd. Replaces @fd by a file in
 * memory if it is one.
 */
static int unpack(int *fd)
{
	static const unsigned char magic[] = { 0x28, 0xb5, 0x2f, 0xfd };
	unsigned char head[sizeof(magic)];
	ZSTD_DStream *stream;
	int to, ret;

	if (pread(*fd, head, sizeof(head), 0) != sizeof(head) ||
	    memcmp(head, magic, sizeof(head)))
		return 0;
	stream = ZSTD_createDStream();
	to = memfd_create("tap", MFD_CLOEXEC);
	ret = stream && to >= 0 ? unpack_stream(stream, *fd, to) : -ENOMEM;
	ZSTD_freeDStream(stream);
	close(*fd);
	*fd = to;
	return ret;
}

/* Reports the file to a libdwfl of its own. Compressed files are decompressed in memory. */
static int report_file(struct tap_dwarf *d, struct tap_error *err)
{
	struct stat st;
	int fd = tap_reopen_file(open(d->path, O_PATH | O_CLOEXEC), &st), code = errno;
	const char *why;

	if (fd < 0)
		return tap_error_set(err, -code, "%s: %s", d->path, code == EINVAL ?
				     "is not a file" : strerror(code));
	code = unpack(&fd);
	if (code) {
		close(fd);
		return tap_error_set(err, code, "%s: cannot be decompressed: %s", d->path,
				     code == -EBADMSG ? "it is damaged" : strerror(-code));
	}
	d->dwfl = dwfl_begin(&callbacks);
	if (d->dwfl) {
		dwfl_report_begin(d->dwfl);
		d->mod = dwfl_report_offline(d->dwfl, "", d->path, fd);
		dwfl_report_end(d->dwfl, NULL, NULL);
	}
	if (d->mod)
		return 0;
	close(fd);
	/* libdwfl has looked for the bytes with which files of xz begin. */
	why = dwfl_errmsg(-1);
	if (why && strstr(why, "LZMA"))
		return tap_error_set(err, -EBADMSG, "%s: cannot be decompressed: it is damaged", d->path);
	return tap_error_set(err, -ENOEXEC,
			     "%s: is not a module or program (ELF): %s", d->path, why);
}

static bool is_object_file(const struct tap_dwarf *d)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(d->mod, &bias);
	GElf_Ehdr ehdr;

	return elf && gelf_getehdr(elf, &ehdr) && ehdr.e_type == ET_REL;
}

/**
 * tap_dwarf_open_plain() - open a module for its symbols, with or without debug information
 * @dwarf: set on success; the caller has to call tap_dwarf_close()
 * @path: a module, also compressed by xz or zstd
 * @err: an error message on failure
 *
 * Return: 0 or -errno, as tap_dwarf_open().
 */
int tap_dwarf_open_plain(struct tap_dwarf **dwarf, const char *path, struct tap_error *err)
{
	struct tap_dwarf *d = new_file(path);
	int ret = d ? report_file(d, err) : tap_error_set(err, -ENOMEM, "out of memory");

	if (!ret)
		*dwarf = d;
	else if (d)
		tap_dwarf_close(d);
	return ret;
}

/**
 * tap_dwarf_open() - open a file for its debug information
 * @dwarf: set on success; the caller has to call tap_dwarf_close()
 * @path: a module, also compressed by xz or zstd, or a program or library
 * @err: an error message on failure
 *
 * Return: 0; -ENODATA if it has no debug information; -ENOEXEC if it is no such file; others
 * of open(2).
 */
int tap_dwarf_open(struct tap_dwarf **dwarf, const char *path, struct tap_error *err)
{
	struct tap_dwarf *d = new_file(path);
	struct tap_elf *elf;
	int ret;

	if (!d)
		return tap_error_set(err, -ENOMEM, "out of memory");
	ret = report_file(d, err);
	if (!ret && is_object_file(d)) {
		ret = check_dwarf(d, err);
		if (!ret) {
			*dwarf = d;
			return 0;
		}
	}
	tap_dwarf_close(d);
	/* A program is laid out as elf/ does it: its addresses are those of the file. */
	if (!ret)
		ret = tap_elf_open(&elf, path, err);
	else
		return ret;
	if (ret)
		return ret;
	ret = tap_dwarf_open_elf(dwarf, elf, err);
	tap_elf_put(elf);
	return ret;
}

/**
 * tap_dwarf_open_elf() - open the debug information of a program or library
 * @dwarf: set on success; the caller has to call tap_dwarf_close()
 * @elf: the file; @dwarf holds a reference
 * @err: an error message on failure
 *
 * Return: 0; -ENODATA if it has no debug information; -ENOMEM.
 */
int tap_dwarf_open_elf(struct tap_dwarf **dwarf, struct tap_elf *elf, struct tap_error *err)
{
	struct tap_dwarf *d = new_file(tap_elf_path(elf));
	int ret;

	if (!d)
		return tap_error_set(err, -ENOMEM, "out of memory");
	d->elf = tap_elf_get(elf);
	d->mod = tap_elf_module(elf);
	ret = check_dwarf(d, err);
	if (ret)
		tap_dwarf_close(d);
	else
		*dwarf = d;
	return ret;
}

/**
 * tap_dwarf_close() - close a file
 * @dwarf: of tap_dwarf_open(), or NULL
 */
void tap_dwarf_close(struct tap_dwarf *dwarf)
{
	if (!dwarf)
		return;
	tap_dwarf_types_free(dwarf->types);
	free(dwarf->functions);
	free(dwarf->inlines);
	if (dwarf->dwfl)
		dwfl_end(dwarf->dwfl);
	tap_elf_put(dwarf->elf);
	free(dwarf->path);
	free(dwarf);
}

/**
 * tap_dwarf_module() - return the file as a module of libdwfl
 * @dwarf: the file
 *
 * Return: it belongs to @dwarf. Addresses of a program are those of its file, those of a module
 * are where libdwfl laid its sections out: dwfl_module_relocate_address() gives the section.
 */
Dwfl_Module *tap_dwarf_module(const struct tap_dwarf *dwarf)
{
	return dwarf->mod;
}

/**
 * tap_dwarf_elf() - return the program or library
 * @dwarf: the file
 *
 * Return: it belongs to @dwarf; NULL if the file is a module.
 */
struct tap_elf *tap_dwarf_elf(const struct tap_dwarf *dwarf)
{
	return dwarf->elf;
}

/**
 * tap_dwarf_path() - return the path of a file
 * @dwarf: the file
 *
 * Return: as it was opened; belongs to @dwarf.
 */
const char *tap_dwarf_path(const struct tap_dwarf *dwarf)
{
	return dwarf->path;
}

static size_t id_of(Dwfl_Module *mod, uint8_t id[TAP_BUILD_ID_MAX])
{
	const void *bytes;
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(mod, &bias);
	ssize_t len = elf ? dwelf_elf_gnu_build_id(elf, &bytes) : 0;

	if (len <= 0 || len > TAP_BUILD_ID_MAX)
		return 0;
	memcpy(id, bytes, len);
	return len;
}

/**
 * tap_dwarf_build_id() - copy the build-id of a file
 * @dwarf: the file
 * @id: filled in
 *
 * Return: bytes at @id, 0 if there is none.
 */
size_t tap_dwarf_build_id(const struct tap_dwarf *dwarf, uint8_t id[TAP_BUILD_ID_MAX])
{
	return id_of(dwarf->mod, id);
}

/**
 * tap_dwarf_file_id() - the build-id of a file that may have no debug information
 * @path: as for tap_dwarf_open()
 * @id: filled in
 *
 * Return: bytes at @id, 0 if there is none, or if it is no such file.
 */
size_t tap_dwarf_file_id(const char *path, uint8_t id[TAP_BUILD_ID_MAX])
{
	struct tap_dwarf *d = new_file(path);
	size_t len = d && !report_file(d, NULL) ? id_of(d->mod, id) : 0;

	tap_dwarf_close(d);
	return len;
}
