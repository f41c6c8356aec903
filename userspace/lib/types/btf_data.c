// SPDX-License-Identifier: LGPL-2.1
/*
 * BTF of vmlinux or of a module: its types by id, and the search for one of a name.
 *
 * Nothing is copied or sorted when a file is opened: one pass over its types notes where each
 * of them begins. BTF of a kernel has 100,000 types and more, and tap looks at a few of them.
 *
 * A file is untrusted: no type and no string leads out of it. Ids in it may be invalid.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/btf.h>

#include "types/btf.h"

/* No kernel has more; the length of a file in sysfs is not the caller's to choose. */
#define MAX_FILE	(1 << 30)

/*
 * A type and what follows it, from id @first on: those before it, and strings before
 * @first_string, are the base's.
 *	@offsets	of the types in @types, the first one's first
 *	@mapped		@data is a mapping, not allocated
 *	@grown		not NULL: the types are in there, and more are added when they are needed
 *	@user		pointers lead to user memory
 *	@complete	adds the type that a forward declaration of @grown stands for
 */
struct tap_btf {
	const struct tap_btf *base;
	char *data;
	size_t len;
	bool mapped;
	const char *types;
	const char *strings;
	__u32 strings_len;
	__u32 first_string;
	__u32 first;
	__u32 end;
	__u32 *offsets;
	struct btf *grown;
	bool user;
	__u32 (*complete)(void *arg, __u32 id);
	void *arg;
};

static const struct btf_type void_type;

/* Bytes of what follows a type: @fixed, and @each for each of its elements. */
static const struct {
	bool known;
	unsigned char fixed;
	unsigned char each;
} rest_of[] = {
	[BTF_KIND_INT] = { true, sizeof(__u32), 0 },
	[BTF_KIND_PTR] = { true, 0, 0 },
	[BTF_KIND_ARRAY] = { true, sizeof(struct btf_array), 0 },
	[BTF_KIND_STRUCT] = { true, 0, sizeof(struct btf_member) },
	[BTF_KIND_UNION] = { true, 0, sizeof(struct btf_member) },
	[BTF_KIND_ENUM] = { true, 0, sizeof(struct btf_enum) },
	[BTF_KIND_FWD] = { true, 0, 0 },
	[BTF_KIND_TYPEDEF] = { true, 0, 0 },
	[BTF_KIND_VOLATILE] = { true, 0, 0 },
	[BTF_KIND_CONST] = { true, 0, 0 },
	[BTF_KIND_RESTRICT] = { true, 0, 0 },
	[BTF_KIND_FUNC] = { true, 0, 0 },
	[BTF_KIND_FUNC_PROTO] = { true, 0, sizeof(struct btf_param) },
	[BTF_KIND_VAR] = { true, sizeof(struct btf_var), 0 },
	[BTF_KIND_DATASEC] = { true, 0, sizeof(struct btf_var_secinfo) },
	[BTF_KIND_FLOAT] = { true, 0, 0 },
	[BTF_KIND_DECL_TAG] = { true, sizeof(struct btf_decl_tag), 0 },
	[BTF_KIND_TYPE_TAG] = { true, 0, 0 },
	[BTF_KIND_ENUM64] = { true, 0, sizeof(struct btf_enum64) },
};

#define NR_KINDS	(sizeof(rest_of) / sizeof(rest_of[0]))

/* Notes where each type begins; -EBADMSG if the last one does not end at @len. */
static int find_types(struct tap_btf *btf, __u32 len)
{
	const struct btf_type *t;
	__u32 at = 0, kind, nr = 0;
	size_t size;

	/* Memory for more types than there can be: pages that are not written to cost nothing. */
	btf->offsets = malloc((len / sizeof(*t) + 1) * sizeof(*btf->offsets));
	if (!btf->offsets)
		return -ENOMEM;
	while (len - at >= sizeof(*t)) {
		t = (const struct btf_type *)(btf->types + at);
		kind = btf_kind(t);
		if (kind >= NR_KINDS || !rest_of[kind].known)
			return -EBADMSG;
		size = sizeof(*t) + rest_of[kind].fixed + (size_t)btf_vlen(t) * rest_of[kind].each;
		if (size > len - at)
			return -EBADMSG;
		btf->offsets[nr++] = at;
		at += size;
	}
	btf->end = btf->first + nr;
	/* Ids of a module follow those of vmlinux. */
	return at == len && btf->end >= btf->first ? 0 : -EBADMSG;
}

static int find_sections(struct tap_btf *btf)
{
	struct btf_header h;
	__u64 room;

	if (btf->len < sizeof(h))
		return -EBADMSG;
	memcpy(&h, btf->data, sizeof(h));
	if (h.magic != BTF_MAGIC || h.version != BTF_VERSION || h.hdr_len < sizeof(h) ||
	    h.hdr_len > btf->len || h.hdr_len % sizeof(__u32) || h.type_off % sizeof(__u32))
		return -EBADMSG;
	room = btf->len - h.hdr_len;
	if ((__u64)h.type_off + h.type_len > room || (__u64)h.str_off + h.str_len > room)
		return -EBADMSG;
	btf->types = btf->data + h.hdr_len + h.type_off;
	btf->strings = btf->data + h.hdr_len + h.str_off;
	btf->strings_len = h.str_len;
	/* All reading of strings ends at the last 0. The first one is "", but not a module's. */
	if (h.str_len && btf->strings[h.str_len - 1])
		return -EBADMSG;
	if (!btf->base && (!h.str_len || btf->strings[0]))
		return -EBADMSG;
	return find_types(btf, h.type_len);
}

/* A file in sysfs gives a page at a time. */
static int read_data(struct tap_btf *btf, int fd)
{
	size_t at = 0;
	ssize_t n;

	btf->data = malloc(btf->len + 1);
	if (!btf->data)
		return -ENOMEM;
	while (at < btf->len) {
		n = read(fd, btf->data + at, btf->len - at);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (!n)
			return -EBADMSG;
		at += n < 0 ? 0 : (size_t)n;
	}
	return 0;
}

static int load_data(struct tap_btf *btf, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret;
	struct stat st;
	void *data;

	if (fd < 0)
		return -errno;
	ret = fstat(fd, &st) ? -errno : 0;
	if (!ret && (st.st_size <= 0 || st.st_size > MAX_FILE))
		ret = -EBADMSG;
	if (!ret) {
		btf->len = (size_t)st.st_size;
		/*
		 * Since 6.16 BTF of vmlinux can be mapped. It lasts as long as the kernel; that of
		 * a module would be gone with it, so it is copied.
		 */
		data = btf->base ? MAP_FAILED :
		       mmap(NULL, btf->len, PROT_READ, MAP_PRIVATE, fd, 0);
		btf->mapped = data != MAP_FAILED;
		if (btf->mapped)
			btf->data = data;
		else
			ret = read_data(btf, fd);
	}
	close(fd);
	return ret;
}

/**
 * tap_btf_open() - open a file with BTF
 * @btf: set on success; the caller has to call tap_btf_close()
 * @path: its path
 * @base: of vmlinux, if the file is a module's; must outlive @btf; else NULL
 *
 * Return: 0; -EBADMSG if the file is malformed; or another -errno.
 */
int tap_btf_open(struct tap_btf **btf, const char *path, const struct tap_btf *base)
{
	struct tap_btf *b = calloc(1, sizeof(*b));
	int ret;

	if (!b)
		return -ENOMEM;
	b->base = base;
	b->first = base ? base->end : 1;
	b->first_string = base ? base->strings_len : 0;
	ret = load_data(b, path);
	if (!ret)
		ret = find_sections(b);
	if (ret) {
		tap_btf_close(b);
		return ret;
	}
	*btf = b;
	return 0;
}

/**
 * tap_btf_grow() - types that are added when they are needed
 * @types: without a base; it belongs to the return value
 * @user: their pointers lead to user memory
 * @complete: called for a forward declaration; returns the id of what it stands for, or 0
 * @arg: handed to @complete
 *
 * A type or a name that was returned is valid until a type is added: by the caller, or by @complete,
 * which tap_type_target() calls.
 *
 * Return: the types, to be ended with tap_btf_close(); NULL if out of memory.
 */
struct tap_btf *tap_btf_grow(struct btf *types, bool user, __u32 (*complete)(void *arg, __u32 id),
			     void *arg)
{
	struct tap_btf *btf = calloc(1, sizeof(*btf));

	if (btf)
		*btf = (struct tap_btf) {
			.grown = types, .first = 1, .user = user, .complete = complete,
			.arg = arg,
		};
	return btf;
}

/* Whether all pointers lead to user memory. */
bool tap_btf_is_user(const struct tap_btf *btf)
{
	return btf->user;
}

/* Whether it is of tap_btf_grow(). */
bool tap_btf_is_grown(const struct tap_btf *btf)
{
	return btf->grown;
}

/* The type that the forward declaration @id stands for, or 0. */
__u32 tap_btf_complete(const struct tap_btf *btf, __u32 id)
{
	return btf->complete(btf->arg, id);
}

/**
 * tap_btf_close() - free the types of a file
 * @btf: may be NULL
 */
void tap_btf_close(struct tap_btf *btf)
{
	if (!btf)
		return;
	if (btf->mapped)
		munmap(btf->data, btf->len);
	else
		free(btf->data);
	btf__free(btf->grown);
	free(btf->offsets);
	free(btf);
}

/**
 * tap_btf_first() - the first id of its own types
 * @btf: the types
 *
 * Return: the id; those before it are of the base.
 */
__u32 tap_btf_first(const struct tap_btf *btf)
{
	return btf->first;
}

/**
 * tap_btf_end() - the first id that is too large
 * @btf: the types
 *
 * Return: the id.
 */
__u32 tap_btf_end(const struct tap_btf *btf)
{
	return btf->grown ? btf__type_cnt(btf->grown) : btf->end;
}

static const struct btf_type *own_type(const struct tap_btf *btf, __u32 id)
{
	return (const struct btf_type *)(btf->types + btf->offsets[id - btf->first]);
}

/**
 * tap_btf_type() - a type by its id
 * @btf: the types
 * @id: its own or of its base; 0 is void, of kind %BTF_KIND_UNKN
 *
 * Return: the type, valid as long as @btf and its base, but of tap_btf_grow() until a type is added;
 * NULL if there is no such id.
 */
const struct btf_type *tap_btf_type(const struct tap_btf *btf, __u32 id)
{
	if (!id)
		return &void_type;
	if (btf->grown)
		return btf__type_by_id(btf->grown, id);
	if (id < btf->first)
		btf = btf->base;
	if (!btf || id < btf->first || id >= btf->end)
		return NULL;
	return own_type(btf, id);
}

/**
 * tap_btf_name() - a string by its offset
 * @btf: the types
 * @offset: as types have it
 *
 * Return: the string, valid as a type of tap_btf_type() is; "" if there is none or if the offset is
 * invalid.
 */
const char *tap_btf_name(const struct tap_btf *btf, __u32 offset)
{
	if (btf->grown)
		return btf__name_by_offset(btf->grown, offset) ? : "";
	if (offset < btf->first_string)
		btf = btf->base;
	offset -= btf->first_string;
	return offset < btf->strings_len ? btf->strings + offset : "";
}

/**
 * tap_btf_find() - search its own types for one of a name
 * @btf: the types
 * @name: not terminated
 * @len: length of @name, not 0
 * @fits: called for types of that name
 *
 * Return: the first id of such a type, or 0.
 */
__u32 tap_btf_find(const struct tap_btf *btf, const char *name, size_t len,
		   bool (*fits)(const struct btf_type *t))
{
	const struct btf_type *t;
	const char *is;
	__u32 id;

	for (id = btf->first; id < btf->end; id++) {
		t = own_type(btf, id);
		if (!t->name_off)
			continue;
		is = tap_btf_name(btf, t->name_off);
		/* Most names differ in the first letter. */
		if (*is == *name && !strncmp(is, name, len) && !is[len] && fits(t))
			return id;
	}
	return 0;
}

/**
 * tap_btf_find_all() - tap_btf_find() in the base as well, and there first
 * @btf: the types
 * @name: ends with 0
 * @fits: called for types of that name
 *
 * Return: the first id of such a type, or 0.
 */
__u32 tap_btf_find_all(const struct tap_btf *btf, const char *name,
		       bool (*fits)(const struct btf_type *t))
{
	size_t len = strlen(name);
	__u32 id = btf->base ? tap_btf_find(btf->base, name, len, fits) : 0;

	return id ? id : tap_btf_find(btf, name, len, fits);
}
