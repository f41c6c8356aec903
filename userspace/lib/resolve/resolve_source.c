// SPDX-License-Identifier: LGPL-2.1
/*
 * From a line of the source, or a function with its inlined instances, to probes of a module or a
 * program. All of them have the same event.
 *
 * The kernel looks SYMBOL+OFFSET up when the module is loaded: the probe is armed before the
 * module's first instruction, and again when the module comes back.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf.h"
#include "elf/elf_object.h"
#include "lang/target.h"
#include "resolve/resolve.h"
#include "spec/spec.h"
#include "util/registers.h"

/* Registers for arguments that an architecture has at most. */
#define MOST_ARGUMENTS	8

/* The names of a target, which end with 0. */
struct names {
	char module[TAP_MAX_TARGET];
	char name[TAP_MAX_TARGET];
};

static int copy_names(const struct tap_spec *spec, const struct tap_source_target *target,
		      struct names *names, struct tap_error *err)
{
	if (target->module.len >= sizeof(names->module) || target->name.len >= sizeof(names->name))
		return tap_error_set(err, -EINVAL, "%s: the name is longer than %d characters",
				     spec->event, TAP_MAX_TARGET - 1);
	snprintf(names->module, sizeof(names->module), "%.*s", (int)target->module.len,
		 target->module.len ? target->module.at : "");
	snprintf(names->name, sizeof(names->name), "%.*s", (int)target->name.len,
		 target->name.at);
	return 0;
}

/* The places of the target in one file. */
static int find_in(const struct tap_spec *spec, const struct tap_source_target *target,
		   const struct names *names, struct tap_source *source, struct tap_error *err)
{
	Dwfl_Module *mod = tap_dwarf_module(source->dwarf);

	if (spec->source == TAP_SOURCE_INLINE)
		return tap_dwarf_instances(mod, names->name, &source->places, err);
	if (target->is_function)
		return tap_dwarf_function_line(mod, names->name, (int)target->line,
					       &source->places, err);
	return tap_dwarf_lines(mod, names->name, (int)target->line, (int)target->last,
			       &source->places, err);
}

/* Whether a module is out of the kernel's tree: taint has an O. */
static bool out_of_tree(const char *modules, const char *module)
{
	char path[2 * TAP_MAX_TARGET + 600], text[32] = "";
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s/taint", modules, module);
	f = fopen(path, "re");
	if (!f)
		return false;
	if (!fgets(text, sizeof(text), f))
		*text = '\0';
	fclose(f);
	return strchr(text, 'O');
}

/* A search in all modules that come from outside the kernel's tree. */
struct anywhere {
	struct tap_error first;
	unsigned int modules;
	unsigned int found;
};

static void look_into(struct anywhere *a, struct tap_types *types, const struct tap_spec *spec,
		      const struct tap_source_target *target, const char *module,
		      struct names *names, struct tap_source *source)
{
	struct tap_source other = { 0 };
	struct tap_error why = { 0 };

	a->modules++;
	if (tap_dwarf_find_module(types, module, &other.dwarf, &why) ||
	    find_in(spec, target, names, &other, &why)) {
		/* A line without code says more than a file that is not there. */
		if (!a->first.code || a->first.code == -ENOENT || why.code == -ENODATA)
			a->first = why;
		return;
	}
	if (a->found++) {
		tap_dwarf_places_free(&other.places);
		return;
	}
	*source = other;
	strcpy(names->module, module);
}

/* Without a module in the target: the one that has such a file or function. */
static int find_anywhere(struct tap_types *types, const struct tap_spec *spec,
			 const struct tap_source_target *target, struct names *names,
			 struct tap_source *source, struct tap_error *err)
{
	const struct tap_debug *debug = tap_types_debug(types);
	char modules[512], module[TAP_MAX_TARGET];
	struct anywhere a = { 0 };
	size_t i;
	struct dirent *d;
	DIR *dir;

	snprintf(modules, sizeof(modules), "%s/sys/module", debug->root);
	dir = opendir(modules);
	while (dir && (d = readdir(dir)))
		if (*d->d_name != '.' && strlen(d->d_name) < sizeof(names->module) &&
		    out_of_tree(modules, d->d_name))
			look_into(&a, types, spec, target, d->d_name, names, source);
	if (dir)
		closedir(dir);
	/* Those that are not loaded, or not known as modules from outside. */
	for (i = 0; i < debug->nr; i++) {
		tap_dwarf_module_of(debug->paths[i], module);
		if (*module && !out_of_tree(modules, module))
			look_into(&a, types, spec, target, module, names, source);
	}
	if (a.found == 1)
		return 0;
	if (a.found)
		return tap_error_set(err, -ENOTUNIQ,
				     "%s: several modules have it; name the module: line:MODULE:%s",
				     spec->event, spec->target);
	if (!a.modules)
		return tap_error_set(err, -ENOENT,
				     "%s: no module is loaded from outside the kernel's tree; name the module: line:MODULE:%s, or its file with --debug",
				     spec->event, spec->target);
	return tap_error_set(err, a.first.code, "%s: %s", spec->event, a.first.text);
}

static int find_program(struct tap_types *types, const struct tap_spec *spec,
			const struct names *names, struct tap_source *source,
			struct tap_error *err)
{
	struct tap_error why = { 0 };
	struct tap_elf *elf;
	char path[PATH_MAX];
	int ret = tap_elf_find(names->module, spec->pid, path, sizeof(path), err);

	if (!ret)
		ret = tap_elf_open(&elf, path, err);
	if (ret)
		return ret;
	if (tap_elf_is_32bit(elf))
		ret = tap_error_set(err, -EOPNOTSUPP, "%s: lines of 32-bit programs are " TAP_LATER,
				    spec->event);
	else if (tap_dwarf_find_elf(types, elf, &source->dwarf, &why))
		ret = tap_error_set(err, why.code, "%s: %s", spec->event, why.text);
	tap_elf_put(elf);
	return ret;
}

static int find(struct tap_types *types, const struct tap_spec *spec,
		const struct tap_source_target *target, struct names *names,
		struct tap_source *source, struct tap_error *err)
{
	struct tap_error why = { 0 };
	int ret;

	if (!*names->module)
		return find_anywhere(types, spec, target, names, source, err);
	if (target->is_path) {
		ret = find_program(types, spec, names, source, err);
		if (ret)
			return ret;
	} else {
		ret = tap_dwarf_find_module(types, names->module, &source->dwarf, &why);
	}
	if (!ret)
		ret = find_in(spec, target, names, source, &why);
	return ret ? tap_error_set(err, ret, "%s: %s", spec->event, why.text) : 0;
}

/*
 * The place of an address in the file, which uprobes take: by the function that has it. That an
 * instruction begins there is not known of all code.
 */
static bool file_offset(struct tap_elf *elf, uint64_t addr, __u64 *offset)
{
	const struct tap_elf_function *list, *best = NULL;
	struct tap_error unused;
	size_t nr, i;

	if (tap_elf_functions(elf, &list, &nr, &unused))
		return false;
	for (i = 0; i < nr; i++)
		if (list[i].addr <= addr && (!best || list[i].addr > best->addr))
			best = &list[i];
	if (!best)
		return false;
	*offset = best->offset + (addr - best->addr);
	return tap_elf_is_code(elf, *offset) && tap_elf_check_at(elf, *offset) != -EILSEQ;
}

static int set_place(const struct tap_source *source, const struct tap_dwarf_place *place,
		     struct tap_spec *spec, struct tap_error *err)
{
	struct tap_elf *elf = tap_dwarf_elf(source->dwarf);

	if (!elf) {
		spec->flags |= TAP_CREATE_F_WAIT;
		return 0;
	}
	if (!file_offset(elf, place->addr, &spec->offset))
		return tap_error_set(err, -ENOENT, "%s: there is no code at 0x%llx in the file",
				     spec->event, (unsigned long long)place->addr);
	spec->elf = tap_elf_get(elf);
	return 0;
}

static void put_target(char *buf, size_t size, const char *module,
		       const struct tap_dwarf_place *place)
{
	const char *quote = strpbrk(module, ": ") ? "\"" : "";
	int len = snprintf(buf, size, "%s%s%s:%s", quote, module, quote, place->symbol);

	if (place->offset)
		snprintf(buf + len, size - len, "+0x%llx", (unsigned long long)place->offset);
}

static int add_all(const struct tap_spec *spec, const struct names *names,
		   const struct tap_source *source, struct tap_spec **list, size_t *nr,
		   struct tap_error *err)
{
	char target[2 * TAP_MAX_TARGET + 32];
	int ret = 0;
	size_t i;

	*list = calloc(source->places.nr, sizeof(**list));
	if (!*list)
		return tap_error_set(err, -ENOMEM, "out of memory");
	for (i = 0; i < source->places.nr && !ret; i++) {
		const struct tap_dwarf_place *p = &source->places.list[i];

		put_target(target, sizeof(target), names->module, p);
		if (tap_spec_copy(spec, spec->event,
				  tap_dwarf_elf(source->dwarf) ? tap_target_end(target) : target,
				  &(*list)[i]))
			return tap_error_set(err, -ENOMEM, "out of memory");
		*nr = i + 1;
		ret = set_place(source, p, &(*list)[i], err);
	}
	return ret;
}

/**
 * tap_spec_expand_source() - tap_spec_expand() of a line, or of a function and its instances
 * @types: knows where debug information is
 * @spec: its source is not %TAP_SOURCE_NONE
 * @source: filled in; the caller has to free its places
 * @list: set to the probes, one for each place, in the order of @source
 * @nr: set to their number, also on failure
 * @err: an error message on failure
 *
 * Return: 0 or -errno.
 */
int tap_spec_expand_source(struct tap_types *types, const struct tap_spec *spec,
			   struct tap_source *source, struct tap_spec **list, size_t *nr,
			   struct tap_error *err)
{
	struct tap_source_target target;
	struct names names;
	int ret;

	*nr = 0;
	tap_source_split(spec, &target);
	ret = copy_names(spec, &target, &names, err);
	if (ret)
		return ret;
	ret = find(types, spec, &target, &names, source, err);
	if (ret)
		return ret;
	if (source->places.nr > TAP_MAX_PROBES)
		return tap_error_set(err, -ENOSPC, "%s: has %zu places, a session has at most %d probes",
				     spec->event, source->places.nr, TAP_MAX_PROBES);
	return add_all(spec, &names, source, list, nr, err);
}

/* ------------------------------------------------------------------- captures */

/* Entries of a capture: frames that are there at the same time, and what stays behind of others. */
#define CAPTURE_ENTRIES	2048

static bool looks_into_capture(const struct tap_spec *spec)
{
	unsigned int i;

	for (i = 0; i < spec->nr_ops; i++)
		if (spec->ops[i].code == TAP_OP_CAPTURED)
			return true;
	return false;
}

/* The program of the entry: the key, which is the stack pointer and the task, and the arguments. */
static int entry_program(struct tap_spec *entry, struct tap_span_table *table)
{
	struct tap_op *ops = calloc(2 + MOST_ARGUMENTS, sizeof(*ops));
	unsigned int i;
	int at;

	if (!ops)
		return -ENOMEM;
	entry->ops = ops;
	ops[0] = (struct tap_op) {
		.code = TAP_OP_REG, .dst = TAP_OP_OUT, .size = 8,
		.off = tap_register_offset("sp", 2),
	};
	ops[1] = (struct tap_op) {
		.code = TAP_OP_VAR, .dst = TAP_OP_OUT, .size = 8, .off = TAP_VAR_TASK,
	};
	for (i = 0; (at = tap_dwarf_argument_register(i)) >= 0; i++)
		ops[2 + i] = (struct tap_op) {
			.code = TAP_OP_REG, .dst = TAP_OP_OUT, .size = 8, .off = at,
		};
	entry->nr_ops = 2 + i;
	*table = (struct tap_span_table) {
		.size = sizeof(*table), .mode = TAP_SPAN_CAPTURE, .nr_keys = 2,
		.from_words = (__u16)i, .entries = CAPTURE_ENTRIES,
	};
	return 0;
}

static int fill_capture(struct tap_spec_capture *capture, const struct tap_spec *spec,
			const struct tap_source *source, const struct tap_dwarf_place *at,
			struct tap_error *err)
{
	struct tap_spec_span *link = calloc(1, sizeof(*link));
	char module[TAP_MAX_TARGET], target[2 * TAP_MAX_TARGET + 32], *event;

	capture->table = calloc(1, sizeof(*capture->table));
	capture->entry = calloc(1, sizeof(*capture->entry));
	if (!link || !capture->table || !capture->entry ||
	    asprintf(&event, "%s, the entry of %s", spec->event, at->symbol) < 0) {
		free(link);
		return tap_error_set(err, -ENOMEM, "out of memory");
	}
	snprintf(module, sizeof(module), "%.*s", (int)strcspn(spec->target, ":"), spec->target);
	put_target(target, sizeof(target), module, at);
	link->refs = 2;
	*capture->table = (struct tap_spec) {
		.type = TAP_PROBE_SPAN, .flags = TAP_CREATE_F_COUNT, .span = link,
		.event = strdup(event), .target = strdup(target),
	};
	*capture->entry = (struct tap_spec) {
		.type = spec->type, .pid = spec->pid, .span = link, .side = TAP_SIDE_FROM,
		.event = event, .target = strdup(target),
	};
	if (!capture->table->event || !capture->table->target || !capture->entry->target ||
	    entry_program(capture->entry, &link->table))
		return tap_error_set(err, -ENOMEM, "out of memory");
	return set_place(source, at, capture->entry, err);
}

static int make_capture(struct tap_spec *spec, const struct tap_source *source,
			const struct tap_dwarf_place *place, struct tap_error *err)
{
	struct tap_dwarf_places entry;
	struct tap_error why = { 0 };
	int ret = tap_dwarf_entry(tap_dwarf_module(source->dwarf), place, &entry, &why);

	if (ret) {
		tap_dwarf_places_free(&entry);
		return tap_error_set(err, ret, "%s: %s", spec->event, why.text);
	}
	spec->capture = calloc(1, sizeof(*spec->capture));
	if (spec->capture) {
		spec->capture->refs = 1;
		ret = fill_capture(spec->capture, spec, source, &entry.list[0], err);
	} else {
		ret = tap_error_set(err, -ENOMEM, "out of memory");
	}
	tap_dwarf_places_free(&entry);
	return ret;
}

/**
 * tap_spec_make_captures() - capture the arguments of functions, where programs need them
 * @source: the places
 * @list: the probes, in the order of @source, with their programs; those of one function get one
 *	capture
 * @err: an error message on failure
 *
 * Return: 0 or -errno.
 */
int tap_spec_make_captures(const struct tap_source *source, struct tap_spec *list,
			   struct tap_error *err)
{
	struct tap_dwarf_place *places = source->places.list;
	size_t i, k;
	int ret = 0;

	for (i = 0; i < source->places.nr && !ret; i++) {
		if (!looks_into_capture(&list[i]))
			continue;
		for (k = 0; k < i; k++)
			if (list[k].capture && dwarf_dieoffset(&places[k].function) ==
					       dwarf_dieoffset(&places[i].function))
				break;
		if (k == i) {
			ret = make_capture(&list[i], source, &places[i], err);
			continue;
		}
		list[i].capture = list[k].capture;
		list[i].capture->refs++;
	}
	return ret;
}

/**
 * tap_spec_find_lines() - find the places of several lines
 * @types: knows where debug information is
 * @spec: the first line
 * @last: the last line
 * @source: filled in; the caller has to free its places
 * @err: an error message on failure
 *
 * Return: 0 or -errno.
 */
int tap_spec_find_lines(struct tap_types *types, const struct tap_spec *spec, unsigned int last,
			struct tap_source *source, struct tap_error *err)
{
	struct tap_source_target target;
	struct names names;
	int ret;

	tap_source_split(spec, &target);
	target.last = last;
	ret = copy_names(spec, &target, &names, err);
	return ret ? ret : find(types, spec, &target, &names, source, err);
}
