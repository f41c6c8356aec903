/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Contents of maps: files, the vdso, generated code; and names for their bytes. Private
 * to symbolize/ and file/.
 */
#ifndef _TAP_SYMBOLIZE_DSO_H
#define _TAP_SYMBOLIZE_DSO_H

#include <time.h>

#include "elf/elf_object.h"

struct tap_jit;

/**
 * enum tap_dso_kind - the kind of a DSO
 * @TAP_DSO_FILE: a file
 * @TAP_DSO_VDSO: code that the kernel maps in every process
 * @TAP_DSO_JIT: code that a process generates; its bytes are addresses
 * @TAP_DSO_OTHER: has no names
 */
enum tap_dso_kind {
	TAP_DSO_FILE,
	TAP_DSO_VDSO,
	TAP_DSO_JIT,
	TAP_DSO_OTHER,
};

/**
 * struct tap_file_id - identifies a file
 * @build_id: of the file
 * @build_id_len: bytes of it, 0 if unknown
 * @inode: its number if there is no build-id; 0 if it is unknown too
 * @device: of the inode
 */
struct tap_file_id {
	uint8_t build_id[TAP_BUILD_ID_MAX];
	uint8_t build_id_len;
	uint64_t inode;
	uint64_t device;
};

/**
 * struct tap_dso - contents of a map
 * @next: in its chain
 * @kind: enum tap_dso_kind
 * @path: of the file, in the view of its process; "[vdso]"
 * @name: the part of it that is printed
 * @id: identifies the file
 * @seen: when it was first reported, CLOCK_REALTIME
 * @tried: it was opened, or there is no use in another attempt
 * @missed: the last process for which it was not found; 0: none
 * @replaced: another file has its path now, and it could not be opened
 * @elf: the file, opened; or NULL
 * @jit: names of generated code
 * @wanted: bytes that are to be named in a trace file; see usym_collect.c
 * @nr_wanted: number of @wanted
 * @room_wanted: allocated
 * @index: number in the trace file
 */
struct tap_dso {
	struct tap_dso *next;
	enum tap_dso_kind kind;
	char *path;
	const char *name;
	struct tap_file_id id;
	struct timespec seen;
	bool tried;
	uint32_t missed;
	bool replaced;
	struct tap_elf *elf;
	struct tap_jit *jit;
	uint64_t *wanted;
	size_t nr_wanted;
	size_t room_wanted;
	uint32_t index;
};

#define TAP_DSO_CHAINS	1024

/**
 * struct tap_dsos - all DSOs
 * @chains: by a hash of the path
 * @known: files of probes, which stay open
 * @nr_known: number of @known
 */
struct tap_dsos {
	struct tap_dso *chains[TAP_DSO_CHAINS];
	struct tap_elf **known;
	size_t nr_known;
};

/**
 * struct tap_function - a function of a DSO
 * @offset: its first byte
 * @size: bytes, at least up to the byte that was looked up
 * @name: valid until the next look-up in the DSO
 */
struct tap_function {
	uint64_t offset;
	uint64_t size;
	const char *name;
};

static inline bool tap_dso_is_jit(const struct tap_dso *dso)
{
	return dso && dso->kind == TAP_DSO_JIT;
}

struct tap_dso *tap_dso_get(struct tap_dsos *dsos, const char *path,
			    const struct tap_file_id *id);
struct tap_dso *tap_dso_jit(struct tap_dsos *dsos, uint32_t tgid);
void tap_dsos_free(struct tap_dsos *dsos);
int tap_dsos_know(struct tap_dsos *dsos, struct tap_elf *elf);
void tap_dso_open(const struct tap_dsos *dsos,
		  struct tap_dso *dso, uint32_t tgid, uint64_t start,
		  uint64_t end);
bool tap_dso_function(struct tap_dso *dso, uint64_t offset,
		      struct tap_function *fn);
bool tap_dso_line(struct tap_dso *dso, uint64_t offset, char *buf,
		  size_t len);
int tap_dso_want(struct tap_dso *dso, uint64_t offset);
void tap_dso_sort(struct tap_dso *dso);
void tap_dso_print(char *buf, size_t len, const struct tap_function *fn,
		   uint64_t offset, const char *dso, bool replaced,
		   const char *line);

#endif /* _TAP_SYMBOLIZE_DSO_H */
