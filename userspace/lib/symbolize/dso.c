// SPDX-License-Identifier: LGPL-2.1
/*
 * Objects: which file is meant, where it can still be read, and what it has at a
 * byte. A file is only believed to be the one that was mapped if that can be
 * seen: by its build-id, or by its inode and that nobody touched it since.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbolize/dso.h"
#include "symbolize/perf_map.h"

static unsigned int chain_of(const char *path)
{
	unsigned int hash = 5381;

	for (; *path; path++)
		hash = hash * 33 + (unsigned char)*path;
	return hash % TAP_OBJECT_CHAINS;
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
		return TAP_OBJECT_VDSO;
	return *path == '/' ? TAP_OBJECT_FILE : TAP_OBJECT_OTHER;
}

static struct tap_dso *add_object(struct tap_dsos *objects,
				  enum tap_dso_kind kind,
				  const char *path)
{
	struct tap_dso **chain = &objects->chains[chain_of(path)];
	struct tap_dso *object = calloc(1, sizeof(*object));
	const char *slash;

	if (object)
		object->path = strdup(path);
	if (!object || !object->path) {
		free(object);
		return NULL;
	}
	object->kind = kind;
	slash = strrchr(object->path, '/');
	object->name = slash ? slash + 1 : object->path;
	clock_gettime(CLOCK_REALTIME, &object->seen);
	object->next = *chain;
	*chain = object;
	return object;
}

/**
 * tap_dso_get() - the object of a path
 * @objects: where it is, or will be
 * @path: the path
 * @id: which file it is
 *
 * Return: the object, or NULL without memory.
 */
struct tap_dso *tap_dso_get(struct tap_dsos *objects, const char *path,
			    const struct tap_file_id *id)
{
	struct tap_dso *object = objects->chains[chain_of(path)];

	for (; object; object = object->next)
		if (!strcmp(object->path, path) && same_id(&object->id, id) &&
		    object->kind != TAP_OBJECT_JIT)
			return object;
	object = add_object(objects, kind_of(path), path);
	if (object)
		object->id = *id;
	return object;
}

/**
 * tap_dso_jit() - an object for the code that a process generates
 * @objects: where it will be
 * @tgid: the process
 *
 * Return: the object, or NULL if the process tells no names.
 */
struct tap_dso *tap_dso_jit(struct tap_dsos *objects, uint32_t tgid)
{
	struct tap_jit *jit = tap_jit_open(tgid);
	struct tap_dso *object;
	char path[32];

	if (!jit)
		return NULL;
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", tgid);
	object = add_object(objects, TAP_OBJECT_JIT, path);
	if (!object) {
		tap_jit_close(jit);
		return NULL;
	}
	object->jit = jit;
	object->tried = true;
	return object;
}

/**
 * tap_dsos_free() - free them
 * @objects: none are left
 */
void tap_dsos_free(struct tap_dsos *objects)
{
	struct tap_dso *object;
	size_t i;

	for (i = 0; i < TAP_OBJECT_CHAINS; i++) {
		while ((object = objects->chains[i])) {
			objects->chains[i] = object->next;
			tap_elf_put(object->elf);
			tap_jit_close(object->jit);
			free(object->wanted);
			free(object->path);
			free(object);
		}
	}
	for (i = 0; i < objects->nr_known; i++)
		tap_elf_put(objects->known[i]);
	free(objects->known);
}

/**
 * tap_dsos_know() - a file is open, so that it can be read whatever happens
 * @objects: the objects
 * @elf: the file
 *
 * Return: 0 or -ENOMEM.
 */
int tap_dsos_know(struct tap_dsos *objects, struct tap_elf *elf)
{
	struct tap_elf **known;
	size_t i;

	for (i = 0; i < objects->nr_known; i++)
		if (objects->known[i] == elf)
			return 0;
	known = realloc(objects->known, (i + 1) * sizeof(*known));
	if (!known)
		return -ENOMEM;
	known[objects->nr_known++] = tap_elf_get(elf);
	objects->known = known;
	return 0;
}

static bool later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec :
					a->tv_nsec > b->tv_nsec;
}

static bool has_build_id(const struct tap_dso *object, struct tap_elf *elf)
{
	uint8_t id[TAP_BUILD_ID_MAX];

	return tap_elf_build_id(elf, id) == object->id.build_id_len &&
	       !memcmp(id, object->id.build_id, object->id.build_id_len);
}

/* As long as a file is open, no other one has its inode. */
static struct tap_elf *find_known(const struct tap_dsos *objects,
				  const struct tap_dso *object)
{
	struct stat st;
	size_t i;

	for (i = 0; i < objects->nr_known; i++) {
		struct tap_elf *elf = objects->known[i];

		if (object->id.build_id_len ? has_build_id(object, elf) :
		    !fstat(tap_elf_fd(elf), &st) &&
		    st.st_ino == object->id.inode &&
		    st.st_dev == object->id.device)
			return tap_elf_get(elf);
	}
	return NULL;
}

/* Whether what was opened may be what was mapped. */
static bool may_be_it(const struct tap_dso *object, struct tap_elf *elf,
		      struct stat *st)
{
	return !fstat(tap_elf_fd(elf), st) &&
	       (object->id.build_id_len ? has_build_id(object, elf) :
		!object->id.inode || st->st_ino == object->id.inode);
}

/* Whether what was opened by its path is what was mapped. */
static bool is_it(const struct tap_dso *object, struct tap_elf *elf)
{
	struct stat st;

	/* Numbers of inodes are used again, but then it was changed since. */
	return may_be_it(object, elf, &st) &&
	       (object->id.build_id_len || !later(&st.st_ctim, &object->seen));
}

/*
 * The very file that a living process has mapped, wherever its name led; unless
 * it has mapped another one there by now.
 */
static struct tap_elf *open_mapped(const struct tap_dso *object,
				   uint32_t tgid, uint64_t start, uint64_t end)
{
	struct stat mapped, named;
	struct tap_elf *elf;
	char path[96];

	snprintf(path, sizeof(path), "/proc/%u/map_files/%llx-%llx", tgid,
		 (unsigned long long)start, (unsigned long long)end);
	if (stat(path, &mapped))
		return NULL;
	/* Debug files are looked for beside it, by its name. */
	if (!stat(object->path, &named) && named.st_dev == mapped.st_dev &&
	    named.st_ino == mapped.st_ino &&
	    !tap_elf_open(&elf, object->path, NULL)) {
		if (may_be_it(object, elf, &mapped))
			return elf;
		tap_elf_put(elf);
	}
	if (tap_elf_open(&elf, path, NULL))
		return NULL;
	if (may_be_it(object, elf, &mapped))
		return elf;
	tap_elf_put(elf);
	return NULL;
}

/* As open_mapped(), where that is not allowed or the mapping was split. */
static struct tap_elf *open_named(struct tap_dso *object, uint32_t tgid)
{
	char path[4096 + 32];
	struct tap_elf *elf;
	int i;

	for (i = 0; i < 2; i++) {
		if (!i)
			snprintf(path, sizeof(path), "/proc/%u/root%s", tgid,
				 object->path);
		else
			snprintf(path, sizeof(path), "%s", object->path);
		if (tap_elf_open(&elf, path, NULL))
			continue;
		if (is_it(object, elf)) {
			object->replaced = false;
			return elf;
		}
		object->replaced = true;
		tap_elf_put(elf);
	}
	return NULL;
}

/* It is the same in all processes of as many bits as this program has. */
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
	/* A program of other bits has one of another size: not all is there. */
	if (write(fd, vdso, size) == (ssize_t)size &&
	    tap_elf_open(&elf, path, NULL))
		elf = NULL;
	close(fd);
	return elf;
}

/**
 * tap_dso_open() - open it, as long as it is there
 * @objects: where it is
 * @object: the object; tried once
 * @tgid: a process that has it mapped, or had
 * @start: of the mapping
 * @end: of the mapping
 */
void tap_dso_open(const struct tap_dsos *objects,
		  struct tap_dso *object, uint32_t tgid, uint64_t start,
		  uint64_t end)
{
	if (object->tried)
		return;
	object->tried = true;
	if (object->kind == TAP_OBJECT_VDSO)
		object->elf = open_vdso(end - start);
	if (object->kind != TAP_OBJECT_FILE)
		return;
	object->elf = find_known(objects, object);
	if (!object->elf)
		object->elf = open_mapped(object, tgid, start, end);
	if (!object->elf)
		object->elf = open_named(object, tgid);
	if (object->elf && !object->id.build_id_len)
		object->id.build_id_len = (uint8_t)
			tap_elf_build_id(object->elf, object->id.build_id);
}

/**
 * tap_dso_function() - the function that covers a byte
 * @object: an object that was opened
 * @offset: the byte
 * @fn: filled in
 *
 * Return: false if none does, or its names cannot be had.
 */
bool tap_dso_function(struct tap_dso *object, uint64_t offset,
		      struct tap_function *fn)
{
	const struct tap_elf_function *found;

	if (object->jit)
		return tap_jit_function(object->jit, offset, fn);
	found = object->elf ? tap_elf_at(object->elf, offset) : NULL;
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
 * tap_dso_line() - the line of source of a byte
 * @object: an object that was opened
 * @offset: the byte
 * @buf: given it, as "FILE:LINE"
 * @len: bytes at @buf
 *
 * Return: false if it is not known.
 */
bool tap_dso_line(struct tap_dso *object, uint64_t offset, char *buf,
		  size_t len)
{
	return object->elf && !tap_elf_line(object->elf, offset, buf, len);
}

static int compare_offsets(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

	return (a > b) - (a < b);
}

/**
 * tap_dso_sort() - put what is wanted in order, each byte once
 * @object: the object
 */
void tap_dso_sort(struct tap_dso *object)
{
	size_t nr = 0, i;

	if (object->nr_wanted)
		qsort(object->wanted, object->nr_wanted,
		      sizeof(*object->wanted), compare_offsets);
	for (i = 0; i < object->nr_wanted; i++)
		if (!i || object->wanted[i] != object->wanted[i - 1])
			object->wanted[nr++] = object->wanted[i];
	object->nr_wanted = nr;
}

/**
 * tap_dso_want() - a byte is to be named in a trace file
 * @object: the object
 * @offset: the byte; may be wanted already
 *
 * Return: 0 or -ENOMEM.
 */
int tap_dso_want(struct tap_dso *object, uint64_t offset)
{
	uint64_t *wanted;
	size_t room;

	if (object->nr_wanted == object->room_wanted) {
		tap_dso_sort(object);
		room = object->nr_wanted ? object->nr_wanted * 2 : 64;
		if (room > object->room_wanted) {
			wanted = realloc(object->wanted,
					 room * sizeof(*wanted));
			if (!wanted)
				return -ENOMEM;
			object->wanted = wanted;
			object->room_wanted = room;
		}
	}
	object->wanted[object->nr_wanted++] = offset;
	return 0;
}

/**
 * tap_dso_print() - a byte of an object as it is shown
 * @buf: given e.g. "func+0x10 [object] file.c:12"
 * @len: bytes at @buf; the name of the function is cut rather than the rest
 * @fn: the function it is in; NULL: "0x1234 [object]", the offset in the file
 * @offset: the byte
 * @object: name of the object
 * @replaced: it is another file by now
 * @line: "FILE:LINE", or ""
 */
void tap_dso_print(char *buf, size_t len, const struct tap_function *fn,
		   uint64_t offset, const char *object, bool replaced,
		   const char *line)
{
	bool bare = *object != '[';	/* not "[vdso]" */
	char where[256];
	int room;

	if (!fn) {
		snprintf(buf, len, "0x%llx %s%s%s%s", (unsigned long long)offset,
			 bare ? "[" : "", object, replaced ? ", replaced" : "",
			 bare ? "]" : "");
		return;
	}
	snprintf(where, sizeof(where), "+0x%llx %s%.64s%s%s%.160s",
		 (unsigned long long)(offset - fn->offset), bare ? "[" : "",
		 object, bare ? "]" : "", *line ? " " : "", line);
	room = (int)len - (int)strlen(where) - 1;
	snprintf(buf, len, "%.*s%s", room > 0 ? room : 0, fn->name, where);
}
