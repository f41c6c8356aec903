// SPDX-License-Identifier: LGPL-2.1
/*
 * Types of the running kernel by name.
 *
 * BTF of vmlinux and of a module is read when it is needed. The first searches for a name look at
 * each type; after some of them an index is made, which takes as long as ten. Types of a module
 * refer to types of vmlinux, so all of them stay loaded until tap_types_free().
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/btf.h>

#include "types/btf.h"
#include "util/name_index.h"

/* So many searches in one file are made without an index. */
#define UNINDEXED	8

/*
 * BTF of vmlinux or of a module. @btf is NULL if it could not be read. @searches were made for a
 * name. @names has the ids of functions, structs, unions and typedefs.
 */
struct unit {
	char *name;
	bool tried;
	struct tap_btf *btf;
	unsigned int searches;
	struct tap_name_index names;
	struct tap_name_index enumerators;
};

/*
 * The types of a kernel. @units[0] is vmlinux. They are read at the first use, which may have
 * @failed.
 */
struct tap_types {
	char *dir;
	bool tried;
	struct tap_error failed;
	size_t nr;
	struct unit *units;
	struct tap_debug debug;
};

static int read_unit(struct tap_types *types, struct unit *unit)
{
	char path[4096];

	unit->tried = true;
	snprintf(path, sizeof(path), "%s/%s", types->dir, unit->name);
	return tap_btf_open(&unit->btf, path, unit == types->units ? NULL : types->units[0].btf);
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

static struct tap_types *new_from(const char *dir)
{
	struct tap_types *types = calloc(1, sizeof(*types));

	if (types)
		types->dir = strdup(dir);
	if (types && types->dir) {
		types->debug.root = "";
		return types;
	}
	free(types);
	return NULL;
}

struct tap_types *tap_types_new(void)
{
	return new_from(TAP_BTF_DIR);
}

static void read_types(struct tap_types *types)
{
	int ret = add_unit(types, TAP_VMLINUX);

	if (!ret)
		ret = read_unit(types, &types->units[0]);
	if (!ret)
		ret = add_modules(types);
	if (ret == -ENOENT)
		tap_error_set(&types->failed, ret,
			      "the kernel has no BTF (CONFIG_DEBUG_INFO_BTF)");
	else if (ret == -EBADMSG)
		tap_error_set(&types->failed, ret, "%s/%s is not valid BTF",
			      types->dir, TAP_VMLINUX);
	else if (ret)
		tap_error_set(&types->failed, ret, "cannot read %s/%s: %s",
			      types->dir, TAP_VMLINUX, strerror(-ret));
}

/**
 * tap_types_read() - read the types of the kernel, if that was not done before
 * @types: the types; only after success may they be asked for a name
 * @err: an error message on failure; may be NULL
 *
 * It takes about 10 ms, so call it only if types are needed.
 *
 * Return: 0; -ENOENT if the kernel has no BTF; or another -errno, at each call.
 */
int tap_types_read(struct tap_types *types, struct tap_error *err)
{
	if (!types->tried) {
		types->tried = true;
		read_types(types);
	}
	if (types->failed.code && err)
		*err = types->failed;
	return types->failed.code;
}

/* tap_types_open() for files in @dir, one for each module. */
int tap_types_open_from(struct tap_types **types, const char *dir,
			struct tap_error *err)
{
	struct tap_types *t = new_from(dir);
	int ret;

	if (!t)
		return tap_error_set(err, -ENOMEM, "out of memory");
	ret = tap_types_read(t, err);
	if (ret)
		tap_types_free(t);
	else
		*types = t;
	return ret;
}

/**
 * tap_types_open() - tap_types_new() and tap_types_read()
 * @types: set on success; the caller has to call tap_types_free()
 * @err: an error message on failure
 *
 * Return: as tap_types_read().
 */
int tap_types_open(struct tap_types **types, struct tap_error *err)
{
	return tap_types_open_from(types, TAP_BTF_DIR, err);
}

/* A struct tap_type made from them must not be used afterwards. */
void tap_types_free(struct tap_types *types)
{
	struct unit *unit;

	if (!types)
		return;
	/* vmlinux is the last: the others refer to it. */
	while (types->nr) {
		unit = &types->units[--types->nr];
		tap_name_index_free(&unit->names);
		tap_name_index_free(&unit->enumerators);
		tap_btf_close(unit->btf);
		free(unit->name);
	}
	free(types->units);
	if (types->debug.free)
		types->debug.free(types->debug.found);
	while (types->debug.nr)
		free(types->debug.paths[--types->debug.nr]);
	free(types->debug.paths);
	free(types->dir);
	free(types);
}

int tap_types_add_debug(struct tap_types *types, const char *path, struct tap_error *err)
{
	struct tap_debug *debug = &types->debug;
	char **bigger = realloc(debug->paths, (debug->nr + 1) * sizeof(*bigger));

	if (!bigger)
		return tap_error_set(err, -ENOMEM, "out of memory");
	debug->paths = bigger;
	if (access(path, R_OK))
		return tap_error_set(err, -errno, "--debug %s: %s", path, strerror(errno));
	bigger[debug->nr] = strdup(path);
	if (!bigger[debug->nr])
		return tap_error_set(err, -ENOMEM, "out of memory");
	debug->nr++;
	return 0;
}

/**
 * tap_types_debug() - return where debug information is found
 * @types: the types
 *
 * Return: it belongs to @types.
 */
struct tap_debug *tap_types_debug(struct tap_types *types)
{
	return &types->debug;
}

static bool is_named(const struct btf_type *t)
{
	return t->name_off && (btf_is_func(t) || btf_is_composite(t) ||
			       btf_is_typedef(t));
}

static int index_names(struct unit *unit)
{
	__u32 id, first = tap_btf_first(unit->btf), end = tap_btf_end(unit->btf);
	const struct btf_type *t;
	size_t nr = 0;

	if (unit->names.slots)
		return 0;
	for (id = first; id < end; id++)
		nr += is_named(tap_btf_type(unit->btf, id));
	if (tap_name_index_make(&unit->names, nr))
		return -ENOMEM;
	for (id = first; id < end; id++) {
		t = tap_btf_type(unit->btf, id);
		if (is_named(t))
			tap_name_index_add(&unit->names,
					   tap_btf_name(unit->btf, t->name_off), id);
	}
	return 0;
}

static int index_enumerators(struct unit *unit)
{
	__u32 id, first = tap_btf_first(unit->btf), end = tap_btf_end(unit->btf);
	const struct btf_type *t;
	const char *name;
	unsigned int i;
	size_t nr = 0;
	__s64 value;

	if (unit->enumerators.slots)
		return 0;
	for (id = first; id < end; id++) {
		t = tap_btf_type(unit->btf, id);
		if (btf_is_any_enum(t))
			nr += btf_vlen(t);
	}
	if (tap_name_index_make(&unit->enumerators, nr))
		return -ENOMEM;
	for (id = first; id < end; id++) {
		t = tap_btf_type(unit->btf, id);
		for (i = 0; btf_is_any_enum(t) && i < btf_vlen(t); i++) {
			name = tap_btf_enumerator(unit->btf, t, i, &value);
			tap_name_index_add(&unit->enumerators, name, value);
		}
	}
	return 0;
}

/* A walk over vmlinux and the modules. With @module, only that one. */
struct search {
	struct tap_types *types;
	const char *module;
	size_t next;
};

/*
 * The next readable unit, or NULL. A unit that cannot be read has no types: its module
 * may have been unloaded, or its BTF may not fit that of vmlinux.
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

/* The id of the first type with a name and of a kind; 0 if there is none; or -errno. */
static int find_name(struct unit *unit, const char *name, size_t len,
		     bool (*fits)(const struct btf_type *t))
{
	const struct tap_name_index_entry *e = NULL;

	if (unit->searches < UNINDEXED) {
		unit->searches++;
		return tap_btf_find(unit->btf, name, len, fits);
	}
	if (index_names(unit))
		return -ENOMEM;
	while ((e = tap_name_index_find(&unit->names, name, len, e)))
		if (fits(tap_btf_type(unit->btf, e->value)))
			return e->value;
	return 0;
}

static bool is_function(const struct btf_type *t)
{
	return btf_is_func(t);
}

/* Reads a prototype without its base. Skips the first @skip parameters. */
static int read_prototype(const struct tap_btf *btf, __u32 id, unsigned int skip,
			  struct tap_prototype *proto)
{
	const struct btf_type *t = tap_btf_type(btf, id);
	const struct btf_param *param;
	unsigned int i;
	int ret;

	t = tap_btf_type(btf, t->type);
	if (!t || !btf_is_func_proto(t))
		return -EBADMSG;
	memset(proto, 0, sizeof(*proto));
	ret = tap_type_make(btf, t->type, &proto->ret);
	for (i = skip; !ret && i < btf_vlen(t); i++) {
		param = &btf_params(t)[i];
		/* void stands for variable arguments. */
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
 * tap_types_function() - look up the prototype of a function
 * @types: the types
 * @module: its module, "vmlinux", or "" or NULL for any
 * @name: its name as in kallsyms; a clone gets the prototype of its original function,
 *	and @proto->base is set
 * @proto: filled in
 *
 * Return: 0; -ENOENT if BTF does not describe it; -ENODATA if the module has no BTF;
 * -EBADMSG if the BTF is malformed; -ENOMEM.
 */
int tap_types_function(struct tap_types *types, const char *module,
		       const char *name, struct tap_prototype *proto)
{
	size_t len = strlen(name), base = strcspn(name, ".");
	int ret;

	ret = find_function(types, module, name, len, 0, proto);
	/* Names in C have no dot. The compiler adds the part from the dot on. */
	if (ret != -ENOENT || !base || base == len)
		return ret;
	ret = find_function(types, module, name, base, 0, proto);
	if (!ret)
		snprintf(proto->base, sizeof(proto->base), "%.*s", (int)base,
			 name);
	return ret;
}

/**
 * tap_types_tracepoint() - look up the arguments of a tracepoint's probes
 * @types: the types
 * @module: its module, "vmlinux", or "" or NULL for any
 * @name: without its module
 * @proto: filled in; without the first argument, the probe's own pointer
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
	 * The iterator of a tracepoint has named parameters. The typedef btf_trace_NAME
	 * does not.
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
 * tap_types_struct() - look up a struct or union
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
 * tap_types_enumerator() - look up an enumerator of any enum
 * @types: the types
 * @name: not terminated
 * @len: length of @name
 * @value: set
 *
 * Modules are searched only if vmlinux does not have it.
 *
 * Return: 0; -ENOENT if there is none; -ENOTUNIQ if it has several values, in several
 * enums; -ENOMEM.
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
