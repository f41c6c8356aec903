// SPDX-License-Identifier: LGPL-2.1
/*
 * The types of the running kernel, by name.
 *
 * BTF of vmlinux is read at once, of a module when it is asked for. Each has
 * its own index, made with the first search. A type of a module is described in
 * terms of those of vmlinux, so all of them stay until the end.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "types/btf.h"
#include "util/name_index.h"

/**
 * struct unit - vmlinux or a module
 * @name: its name
 * @tried: whether it was tried to read it
 * @btf: its types; NULL if it could not be read
 * @first: id of the first that is its own
 * @names: its functions, structs, unions and typedefs; values are ids
 * @enumerators: names of its enums' values
 */
struct unit {
	char *name;
	bool tried;
	struct btf *btf;
	__u32 first;
	struct tap_name_index names;
	struct tap_name_index enumerators;
};

/**
 * struct tap_types - the types of a kernel
 * @dir: where the files with them are
 * @nr: number of @units
 * @units: vmlinux is the first
 */
struct tap_types {
	char *dir;
	size_t nr;
	struct unit *units;
};

/*
 * libbpf adds up what the header says without a look at overflows, so look
 * before it does.
 */
static int check_header(const char *path)
{
	struct btf_header h = { 0 };
	struct stat st;
	ssize_t n;
	__u64 room;
	int fd, ret;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, &h, sizeof(h));
	ret = n < 0 || fstat(fd, &st) ? -errno : 0;
	close(fd);
	if (ret)
		return ret;
	if ((size_t)n < sizeof(h) || h.magic != BTF_MAGIC ||
	    h.hdr_len < sizeof(h) || h.hdr_len > st.st_size)
		return -EBADMSG;
	room = st.st_size - h.hdr_len;
	if ((__u64)h.type_off + h.type_len > room ||
	    (__u64)h.str_off + h.str_len > room)
		return -EBADMSG;
	return 0;
}

static int read_unit(struct tap_types *types, struct unit *unit)
{
	struct btf *base = NULL;
	char path[4096];
	int ret;

	unit->tried = true;
	if (unit != types->units) {
		base = types->units[0].btf;
		unit->first = btf__type_cnt(base);
	} else {
		unit->first = 1;
	}
	snprintf(path, sizeof(path), "%s/%s", types->dir, unit->name);
	ret = check_header(path);
	if (ret)
		return ret;
	unit->btf = btf__parse_raw_split(path, base);
	if (unit->btf)
		return 0;
	return errno == ENOMEM ? -ENOMEM : -EBADMSG;
}

static int add_unit(struct tap_types *types, const char *name)
{
	struct unit *bigger;

	bigger = realloc(types->units, (types->nr + 1) * sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	types->units = bigger;
	bigger += types->nr;
	*bigger = (struct unit) { .name = strdup(name) };
	if (!bigger->name)
		return -ENOMEM;
	types->nr++;
	return 0;
}

static int add_modules(struct tap_types *types)
{
	struct dirent *entry;
	int ret = 0;
	DIR *dir;

	dir = opendir(types->dir);
	if (!dir)
		return -errno;
	while (!ret && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' && strcmp(entry->d_name, TAP_VMLINUX))
			ret = add_unit(types, entry->d_name);
	closedir(dir);
	return ret;
}

/* What is refused is said by return values, not by libbpf to the user. */
static int be_silent(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	(void)level;
	(void)fmt;
	(void)ap;
	return 0;
}

/**
 * tap_types_open_from() - read the types of a kernel
 * @types: set on success; end it with tap_types_close()
 * @dir: where they are, each in a file by the name of its module
 * @err: an error message on failure
 *
 * Return: 0; -ENOENT if it has none; or another -errno.
 */
int tap_types_open_from(struct tap_types **types, const char *dir,
			struct tap_error *err)
{
	struct tap_types *t;
	int ret;

	libbpf_set_print(be_silent);
	t = calloc(1, sizeof(*t));
	if (!t)
		return tap_error_set(err, -ENOMEM, "out of memory");
	t->dir = strdup(dir);
	ret = t->dir ? add_unit(t, TAP_VMLINUX) : -ENOMEM;
	if (!ret)
		ret = read_unit(t, &t->units[0]);
	if (!ret)
		ret = add_modules(t);
	if (!ret) {
		*types = t;
		return 0;
	}
	tap_types_close(t);
	if (ret == -ENOENT)
		return tap_error_set(err, ret,
				     "the kernel has no BTF (CONFIG_DEBUG_INFO_BTF)");
	if (ret == -EBADMSG)
		return tap_error_set(err, ret,
				     "%s/%s holds nothing that is known as BTF",
				     dir, TAP_VMLINUX);
	return tap_error_set(err, ret, "cannot read %s/%s: %s", dir, TAP_VMLINUX,
			     strerror(-ret));
}

/**
 * tap_types_open() - read the types of the running kernel
 * @types: set on success; end it with tap_types_close()
 * @err: an error message on failure
 *
 * Takes some 10 ms, so it is for when types are needed.
 *
 * Return: 0; -ENOENT if it has none; or another -errno.
 */
int tap_types_open(struct tap_types **types, struct tap_error *err)
{
	return tap_types_open_from(types, TAP_BTF_DIR, err);
}

/**
 * tap_types_close() - end them
 * @types: may be NULL; no struct tap_type made of them may be used any more
 */
void tap_types_close(struct tap_types *types)
{
	struct unit *unit;

	if (!types)
		return;
	/* vmlinux last: the others are built on it. */
	while (types->nr) {
		unit = &types->units[--types->nr];
		tap_name_index_free(&unit->names);
		tap_name_index_free(&unit->enumerators);
		btf__free(unit->btf);
		free(unit->name);
	}
	free(types->units);
	free(types->dir);
	free(types);
}

static bool is_named(const struct btf_type *t)
{
	return t->name_off && (btf_is_func(t) || btf_is_composite(t) ||
			       btf_is_typedef(t));
}

static int index_names(struct unit *unit)
{
	__u32 id, end = btf__type_cnt(unit->btf);
	const struct btf_type *t;
	size_t nr = 0;

	if (unit->names.slots)
		return 0;
	for (id = unit->first; id < end; id++)
		nr += is_named(btf__type_by_id(unit->btf, id));
	if (tap_name_index_make(&unit->names, nr))
		return -ENOMEM;
	for (id = unit->first; id < end; id++) {
		t = btf__type_by_id(unit->btf, id);
		if (is_named(t))
			tap_name_index_add(&unit->names,
					   tap_btf_name(unit->btf, t->name_off), id);
	}
	return 0;
}

static int index_enumerators(struct unit *unit)
{
	__u32 id, end = btf__type_cnt(unit->btf);
	const struct btf_type *t;
	const char *name;
	unsigned int i;
	size_t nr = 0;
	__s64 value;

	if (unit->enumerators.slots)
		return 0;
	for (id = unit->first; id < end; id++) {
		t = btf__type_by_id(unit->btf, id);
		if (btf_is_any_enum(t))
			nr += btf_vlen(t);
	}
	if (tap_name_index_make(&unit->enumerators, nr))
		return -ENOMEM;
	for (id = unit->first; id < end; id++) {
		t = btf__type_by_id(unit->btf, id);
		for (i = 0; btf_is_any_enum(t) && i < btf_vlen(t); i++) {
			name = tap_btf_enumerator(unit->btf, t, i, &value);
			tap_name_index_add(&unit->enumerators, name, value);
		}
	}
	return 0;
}

/**
 * struct search - a walk through vmlinux and the modules
 * @types: the types
 * @module: "" or NULL: vmlinux first, then all modules; else one of them
 * @next: index of the unit that comes next
 */
struct search {
	struct tap_types *types;
	const char *module;
	size_t next;
};

/*
 * The next unit that can be read, or NULL. What cannot be read (a module may
 * have gone, its BTF may not fit to that of vmlinux) has no types.
 */
static struct unit *next_unit(struct search *s)
{
	struct unit *unit;

	while (s->next < s->types->nr) {
		unit = &s->types->units[s->next++];
		if (s->module && *s->module && strcmp(s->module, unit->name))
			continue;
		if (!unit->tried)
			read_unit(s->types, unit);
		if (unit->btf)
			return unit;
	}
	return NULL;
}

/* The first type of one of the kinds; returns its id, 0 or -errno. */
static int find_name(struct unit *unit, const char *name, size_t len,
		     bool (*fits)(const struct btf_type *t))
{
	const struct tap_name_index_entry *e = NULL;
	int ret;

	ret = index_names(unit);
	if (ret)
		return ret;
	while ((e = tap_name_index_find(&unit->names, name, len, e)))
		if (fits(btf__type_by_id(unit->btf, e->value)))
			return e->value;
	return 0;
}

static bool is_function(const struct btf_type *t)
{
	return btf_is_func(t);
}

/* Fills in all but the base, without the first @skip parameters. */
static int read_prototype(const struct btf *btf, __u32 id, unsigned int skip,
			  struct tap_prototype *proto)
{
	const struct btf_type *t = btf__type_by_id(btf, id);
	const struct btf_param *param;
	unsigned int i;
	int ret;

	t = btf__type_by_id(btf, t->type);
	if (!t || !btf_is_func_proto(t))
		return -EBADMSG;
	memset(proto, 0, sizeof(*proto));
	ret = tap_type_make(btf, t->type, &proto->ret);
	for (i = skip; !ret && i < btf_vlen(t); i++) {
		param = &btf_params(t)[i];
		/* Void: from here on it takes a variable number. */
		if (!param->type || proto->nr == TAP_MAX_PARAMS)
			break;
		snprintf(proto->params[proto->nr].name,
			 sizeof(proto->params[0].name), "%s",
			 tap_btf_name(btf, param->name_off));
		ret = tap_type_make(btf, param->type,
				    &proto->params[proto->nr].type);
		proto->nr++;
	}
	return ret;
}

static int find_function(struct tap_types *types, const char *module,
			 const char *name, size_t len, unsigned int skip,
			 struct tap_prototype *proto)
{
	struct search s = { types, module, 0 };
	bool any = false;
	struct unit *unit;
	int id;

	while ((unit = next_unit(&s))) {
		any = true;
		id = find_name(unit, name, len, is_function);
		if (id < 0)
			return id;
		if (id)
			return read_prototype(unit->btf, id, skip, proto);
	}
	return any ? -ENOENT : -ENODATA;
}

/**
 * tap_types_function() - what a function takes and gives
 * @types: the types
 * @module: its module, "vmlinux", or "" or NULL if it may be any
 * @name: its name as in kallsyms; of a clone, the prototype of the function
 *	that it was made of is given, and @proto->base says so
 * @proto: filled in
 *
 * Return: 0; -ENOENT if it is not described; -ENODATA if the module has no BTF;
 * -EBADMSG if that makes no sense; -ENOMEM.
 */
int tap_types_function(struct tap_types *types, const char *module,
		       const char *name, struct tap_prototype *proto)
{
	size_t len = strlen(name), base = strcspn(name, ".");
	int ret;

	ret = find_function(types, module, name, len, 0, proto);
	/* No name of C has a dot: what is behind it is the compiler's. */
	if (ret != -ENOENT || !base || base == len)
		return ret;
	ret = find_function(types, module, name, base, 0, proto);
	if (!ret)
		snprintf(proto->base, sizeof(proto->base), "%.*s", (int)base,
			 name);
	return ret;
}

/**
 * tap_types_tracepoint() - what a tracepoint hands to its probes
 * @types: the types
 * @module: its module, "vmlinux", or "" or NULL if it may be any
 * @name: its name
 * @proto: filled in; without the pointer for the probe itself that comes first
 *
 * Return: as tap_types_function().
 */
int tap_types_tracepoint(struct tap_types *types, const char *module,
			 const char *name, struct tap_prototype *proto)
{
	char function[256];
	size_t len;
	int ret;

	/*
	 * The function that calls the probes, one a tracepoint, names its
	 * parameters; the typedef btf_trace_NAME does not.
	 */
	len = snprintf(function, sizeof(function), "__traceiter_%s", name);
	if (len >= sizeof(function))
		return -ENOENT;
	ret = find_function(types, module, function, len, 1, proto);
	if (!ret)
		proto->ret = (struct tap_type) { 0 };
	return ret;
}

/**
 * tap_types_struct() - a struct or union by name
 * @types: the types
 * @name: its tag, or the name of a typedef of one
 * @len: length of @name
 * @type: filled in
 *
 * Return: 0; -ENOENT if there is none; -EBADMSG; -ENOMEM.
 */
int tap_types_struct(struct tap_types *types, const char *name, size_t len,
		     struct tap_type *type)
{
	struct search s = { types, NULL, 0 };
	struct unit *unit;
	int id, ret;

	while (len && (unit = next_unit(&s))) {
		id = find_name(unit, name, len, btf_is_composite);
		if (!id)
			id = find_name(unit, name, len, btf_is_typedef);
		if (id < 0)
			return id;
		ret = id ? tap_type_make(unit->btf, id, type) : -ENOENT;
		if (ret && ret != -ENOENT)
			return ret;
		if (!ret && type->cls == TAP_TYPE_STRUCT)
			return 0;
	}
	return -ENOENT;
}

/**
 * tap_types_enumerator() - the value of a name of any enum
 * @types: the types
 * @name: its name
 * @len: length of @name
 * @value: set
 *
 * Modules are asked only for what vmlinux does not have.
 *
 * Return: 0; -ENOENT if there is none; -ENOTUNIQ if it has several values, in
 * several enums; -ENOMEM.
 */
int tap_types_enumerator(struct tap_types *types, const char *name, size_t len,
			 __s64 *value)
{
	const struct tap_name_index_entry *first = NULL, *e;
	struct search s = { types, NULL, 0 };
	struct unit *unit;

	while (len && (unit = next_unit(&s))) {
		if (index_enumerators(unit))
			return -ENOMEM;
		e = NULL;
		while ((e = tap_name_index_find(&unit->enumerators, name, len, e))) {
			if (first && first->value != e->value)
				return -ENOTUNIQ;
			first = e;
		}
		if (first && unit == types->units)
			break;
	}
	if (!first)
		return -ENOENT;
	*value = first->value;
	return 0;
}
