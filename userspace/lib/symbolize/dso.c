// SPDX-License-Identifier: LGPL-2.1
/*
 * DSOs: finds and opens the file of a map, and looks up a byte in it. A file is only
 * used if it is provably the one that was mapped: by its build-id, or by its inode if
 * nothing has changed it since.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbolize/dso.h"
#include "symbolize/jit_map.h"
#include "util/buffer.h"
#include "util/util.h"

static unsigned int chain_of(const char *path)
{
	unsigned int hash = 5381;

	for (; *path; path++)
		hash = hash * 33 + (unsigned char)*path;
	return hash % TAP_DSO_CHAINS;
}

static bool same_id(const struct tap_file_id *a, const struct tap_file_id *b)
{
	return a->build_id_len == b->build_id_len && a->inode == b->inode &&
	       a->device == b->device &&
	       !memcmp(a->build_id, b->build_id, a->build_id_len);
}

static enum tap_dso_kind kind_of(const char *path)
{
	if (!strcmp(path, "[vdso]"))
		return TAP_DSO_VDSO;
	return *path == '/' ? TAP_DSO_FILE : TAP_DSO_OTHER;
}

static struct tap_dso *add_dso(struct tap_dsos *dsos,
			       enum tap_dso_kind kind,
			       const char *path)
{
	struct tap_dso **chain = &dsos->chains[chain_of(path)];
	struct tap_dso *dso = calloc(1, sizeof(*dso));
	const char *slash;

	if (dso)
		dso->path = strdup(path);
	if (!dso || !dso->path) {
		free(dso);
		return NULL;
	}
	dso->kind = kind;
	slash = strrchr(dso->path, '/');
	dso->name = slash ? slash + 1 : dso->path;
	clock_gettime(CLOCK_REALTIME, &dso->seen);
	dso->next = *chain;
	*chain = dso;
	return dso;
}

/* Finds or adds the DSO of a path and file. Returns NULL if out of memory. */
struct tap_dso *tap_dso_get(struct tap_dsos *dsos, const char *path,
			    const struct tap_file_id *id)
{
	struct tap_dso *dso = dsos->chains[chain_of(path)];

	for (; dso; dso = dso->next)
		if (!strcmp(dso->path, path) && same_id(&dso->id, id) &&
		    dso->kind != TAP_DSO_JIT)
			return dso;
	dso = add_dso(dsos, kind_of(path), path);
	if (dso)
		dso->id = *id;
	return dso;
}

/*
 * Adds a DSO for the code that a process generates. Returns NULL if the process does
 * not write a map file, or if out of memory.
 */
struct tap_dso *tap_dso_jit(struct tap_dsos *dsos, uint32_t tgid)
{
	struct tap_jit *jit = tap_jit_open(tgid);
	struct tap_dso *dso;
	char path[32];

	if (!jit)
		return NULL;
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", tgid);
	dso = add_dso(dsos, TAP_DSO_JIT, path);
	if (!dso) {
		tap_jit_close(jit);
		return NULL;
	}
	dso->jit = jit;
	dso->tried = true;
	return dso;
}

void tap_dsos_free(struct tap_dsos *dsos)
{
	struct tap_dso *dso;
	size_t i;

	for (i = 0; i < TAP_DSO_CHAINS; i++) {
		while ((dso = dsos->chains[i])) {
			dsos->chains[i] = dso->next;
			tap_elf_put(dso->elf);
			tap_jit_close(dso->jit);
			free(dso->wanted);
			free(dso->path);
			free(dso);
		}
	}
	for (i = 0; i < dsos->nr_known; i++)
		tap_elf_put(dsos->known[i]);
	free(dsos->known);
}

/* Adds a file that is already open. It stays usable even if it is removed. */
int tap_dsos_know(struct tap_dsos *dsos, struct tap_elf *elf)
{
	struct tap_elf **known;
	size_t i;

	for (i = 0; i < dsos->nr_known; i++)
		if (dsos->known[i] == elf)
			return 0;
	known = realloc(dsos->known, (i + 1) * sizeof(*known));
	if (!known)
		return -ENOMEM;
	known[dsos->nr_known++] = tap_elf_get(elf);
	dsos->known = known;
	return 0;
}

static bool later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec :
					a->tv_nsec > b->tv_nsec;
}

static bool has_build_id(const struct tap_dso *dso, struct tap_elf *elf)
{
	uint8_t id[TAP_BUILD_ID_MAX];

	return tap_elf_build_id(elf, id) == dso->id.build_id_len &&
	       !memcmp(id, dso->id.build_id, dso->id.build_id_len);
}

/* While a file is open, no other file can have its inode. */
static struct tap_elf *find_known(const struct tap_dsos *dsos,
				  const struct tap_dso *dso)
{
	struct stat st;
	size_t i;

	for (i = 0; i < dsos->nr_known; i++) {
		struct tap_elf *elf = dsos->known[i];

		if (dso->id.build_id_len ? has_build_id(dso, elf) :
		    !fstat(tap_elf_fd(elf), &st) &&
		    st.st_ino == dso->id.inode &&
		    st.st_dev == dso->id.device)
			return tap_elf_get(elf);
	}
	return NULL;
}

/* Whether an opened file may be the mapped one. */
static bool may_be_it(const struct tap_dso *dso, struct tap_elf *elf,
		      struct stat *st)
{
	return !fstat(tap_elf_fd(elf), st) &&
	       (dso->id.build_id_len ? has_build_id(dso, elf) :
		!dso->id.inode || st->st_ino == dso->id.inode);
}

/* Whether a file that was opened by its path is the mapped one. */
static bool is_it(const struct tap_dso *dso, struct tap_elf *elf)
{
	struct stat st;

	/* Inode numbers are reused, but then the file has changed since. */
	return may_be_it(dso, elf, &st) &&
	       (dso->id.build_id_len || !later(&st.st_ctim, &dso->seen));
}

/*
 * Opens the file that a living process has mapped, whatever its name. Fails if another
 * file is mapped there now.
 */
static struct tap_elf *open_mapped(const struct tap_dso *dso,
				   uint32_t tgid, uint64_t start, uint64_t end)
{
	struct stat mapped, named;
	struct tap_elf *elf;
	char path[96];

	snprintf(path, sizeof(path), "/proc/%u/map_files/%llx-%llx", tgid,
		 (unsigned long long)start, (unsigned long long)end);
	if (stat(path, &mapped))
		return NULL;
	/* Prefer the name: separate debug files are searched relative to it. */
	if (!stat(dso->path, &named) && named.st_dev == mapped.st_dev &&
	    named.st_ino == mapped.st_ino &&
	    !tap_elf_open(&elf, dso->path, NULL)) {
		if (may_be_it(dso, elf, &mapped))
			return elf;
		tap_elf_put(elf);
	}
	if (tap_elf_open(&elf, path, NULL))
		return NULL;
	if (may_be_it(dso, elf, &mapped))
		return elf;
	tap_elf_put(elf);
	return NULL;
}

/*
 * Fallback of open_mapped(), which may not be permitted, and which fails if the map was
 * split.
 *
 * The path is that of the process. If the process has ended, it may have been in a container where
 * the path is another file than here. That file is said to be the replacement only if it was put
 * there since.
 */
static struct tap_elf *open_named(struct tap_dso *dso, uint32_t tgid)
{
	char path[4096 + 32];
	struct tap_elf *elf;
	struct stat st;
	int i;

	for (i = 0; i < 2; i++) {
		if (!i)
			snprintf(path, sizeof(path), "/proc/%u/root%s", tgid,
				 dso->path);
		else
			snprintf(path, sizeof(path), "%s", dso->path);
		if (tap_elf_open(&elf, path, NULL))
			continue;
		if (is_it(dso, elf)) {
			dso->replaced = false;
			return elf;
		}
		if (!i || (!fstat(tap_elf_fd(elf), &st) && later(&st.st_ctim, &dso->seen)))
			dso->replaced = true;
		tap_elf_put(elf);
	}
	return NULL;
}

/* The vdso is the same in all processes with the word size of this program. */
static struct tap_elf *open_vdso(uint64_t size)
{
	const void *vdso = (const void *)getauxval(AT_SYSINFO_EHDR);
	struct tap_elf *elf = NULL;
	char path[32];
	int fd;

	if (!vdso)
		return NULL;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return NULL;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	/*
	 * A program of another word size has a vdso of another size; the write or the
	 * open then fails.
	 */
	if (write(fd, vdso, size) == (ssize_t)size &&
	    tap_elf_open(&elf, path, NULL))
		elf = NULL;
	close(fd);
	return elf;
}

/* Whether the files of a process can be found. Those of a zombie cannot. */
static bool has_root(uint32_t tgid)
{
	struct stat st;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u/root", tgid);
	return !stat(path, &st);
}

/*
 * Opens the file of a DSO. The process has, or had, it mapped from @start to @end.
 *
 * If the process has ended, the file is looked for here, once. A living process that has mapped the
 * file is asked as well: it may be in a container, which alone has the file.
 */
void tap_dso_open(const struct tap_dsos *dsos,
		  struct tap_dso *dso, uint32_t tgid, uint64_t start,
		  uint64_t end)
{
	if (dso->tried || dso->missed == tgid)
		return;
	if (dso->kind != TAP_DSO_FILE) {
		dso->tried = true;
		if (dso->kind == TAP_DSO_VDSO)
			dso->elf = open_vdso(end - start);
		return;
	}
	if (!dso->missed || has_root(tgid)) {
		dso->replaced = false;
		dso->elf = find_known(dsos, dso);
		if (!dso->elf)
			dso->elf = open_mapped(dso, tgid, start, end);
		if (!dso->elf)
			dso->elf = open_named(dso, tgid);
		/* Asked after the attempt, since the process may end during it. */
		dso->tried = dso->elf || has_root(tgid);
	}
	dso->missed = tgid;
	if (dso->elf && !dso->id.build_id_len)
		dso->id.build_id_len = (uint8_t)
			tap_elf_build_id(dso->elf, dso->id.build_id);
}

/**
 * tap_dso_function() - find the function that contains a byte
 * @dso: after tap_dso_open()
 * @offset: the byte
 * @fn: filled in
 *
 * Return: false if there is none, or if the names are not available.
 */
bool tap_dso_function(struct tap_dso *dso, uint64_t offset,
		      struct tap_function *fn)
{
	const struct tap_elf_function *found;

	if (dso->jit)
		return tap_jit_function(dso->jit, offset, fn);
	found = dso->elf ? tap_elf_at(dso->elf, offset) : NULL;
	if (!found)
		return false;
	fn->offset = found->offset;
	fn->size = found->size;
	if (fn->size <= offset - found->offset)
		fn->size = offset - found->offset + 1;
	fn->name = found->demangled ? found->demangled : found->name;
	return true;
}

/**
 * tap_dso_line() - find the source line of a byte
 * @dso: after tap_dso_open()
 * @offset: the byte
 * @buf: set as by tap_elf_line(), or to ""; then "\n" and %TAP_HIDDEN_CALLER where a stack by frame
 *	pointers lacks the caller of the function, if the byte is where the program is
 * @len: bytes at @buf
 *
 * Return: false if nothing of it is known.
 */
bool tap_dso_line(struct tap_dso *dso, uint64_t offset, char *buf,
		  size_t len)
{
	size_t used;

	if (!dso->elf)
		return false;
	if (tap_elf_line(dso->elf, offset, buf, len))
		*buf = '\0';
	used = strlen(buf);
	if (used + sizeof(TAP_HIDDEN_CALLER) < len && tap_elf_hides_caller(dso->elf, offset))
		strcpy(buf + used, "\n" TAP_HIDDEN_CALLER);
	return *buf;
}

static int compare_offsets(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

	return (a > b) - (a < b);
}

/**
 * tap_dso_sort() - sort the wanted bytes and remove duplicates
 * @dso: the DSO
 */
void tap_dso_sort(struct tap_dso *dso)
{
	size_t nr = 0, i;

	if (dso->nr_wanted)
		qsort(dso->wanted, dso->nr_wanted,
		      sizeof(*dso->wanted), compare_offsets);
	for (i = 0; i < dso->nr_wanted; i++)
		if (!i || dso->wanted[i] != dso->wanted[i - 1])
			dso->wanted[nr++] = dso->wanted[i];
	dso->nr_wanted = nr;
}

/**
 * tap_dso_want() - request the name of a byte for a trace file
 * @dso: the DSO
 * @offset: the byte; may already be requested
 *
 * Return: 0 or -ENOMEM.
 */
int tap_dso_want(struct tap_dso *dso, uint64_t offset)
{
	uint64_t *wanted;
	size_t room;

	if (dso->nr_wanted == dso->room_wanted) {
		tap_dso_sort(dso);
		room = dso->nr_wanted ? dso->nr_wanted * 2 : 64;
		if (room > dso->room_wanted) {
			wanted = realloc(dso->wanted,
					 room * sizeof(*wanted));
			if (!wanted)
				return -ENOMEM;
			dso->wanted = wanted;
			dso->room_wanted = room;
		}
	}
	dso->wanted[dso->nr_wanted++] = offset;
	return 0;
}

#define WHERE_MAX	512

/* What follows the name: "+0x10 [DSO] file.c:12"; without a function "0x1234 [DSO]". */
static char *put_where(char *p, const struct tap_function *fn, uint64_t offset,
		       const char *dso, bool replaced, const char *line,
		       size_t line_len)
{
	bool bare = *dso != '[';	/* not "[vdso]" */

	if (fn)
		*p++ = '+';
	p = tap_put_hex(p, fn ? offset - fn->offset : offset);
	*p++ = ' ';
	if (bare)
		*p++ = '[';
	p = tap_put_mem(p, dso, strnlen(dso, fn ? 64 : NAME_MAX));
	if (replaced && !fn)
		p = tap_put_str(p, ", replaced");
	if (bare)
		*p++ = ']';
	if (!fn || !line_len)
		return p;
	*p++ = ' ';
	return tap_put_mem(p, line, line_len < 160 ? line_len : 160);
}

/**
 * tap_dso_print() - print a byte of a DSO
 * @buf: set to e.g. "func+0x10 [DSO] file.c:12"
 * @len: bytes at @buf; the name of the function is cut rather than the rest
 * @fn: the function that contains the byte; NULL: prints "0x1234 [DSO]", the offset in
 *	the file
 * @offset: the byte
 * @dso: name of the DSO
 * @replaced: another file has the DSO's path now
 * @line: as of tap_dso_line(), or ""; its inlined functions are appended
 */
void tap_dso_print(char *buf, size_t len, const struct tap_function *fn,
		   uint64_t offset, const char *dso, bool replaced,
		   const char *line)
{
	const char *inlined = strchrnul(line, '\n');
	size_t where_len, room, name_len;
	char where[WHERE_MAX];

	if (!len--)
		return;
	where_len = (size_t)(put_where(where, fn, offset, dso, replaced, line,
				       (size_t)(inlined - line)) - where);
	room = len > where_len ? len - where_len : 0;
	if (fn) {
		name_len = strlen(fn->name);
		/* The inlined functions all, or none. */
		if (name_len + strlen(inlined) > room)
			inlined = "";
		buf = tap_put_mem(buf, fn->name, name_len < room ? name_len : room);
	} else {
		inlined = "";
	}
	buf = tap_put_mem(buf, where, where_len < len ? where_len : len);
	*tap_put_str(buf, inlined) = '\0';
}
