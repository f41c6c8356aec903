// SPDX-License-Identifier: LGPL-2.1
/*
 * Modules of a trace file that were loaded or unloaded during the recording. Two of
 * them may have used the same addresses one after the other; the time of the event
 * decides.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "file/file_internal.h"

#define PAGE	4096ULL

/* Finds a module that was loaded or unloaded. Returns 0, -EBADMSG or -ENOMEM. */
int tap_file_parse_module(struct tap_file_reader *file, const char *data,
			  size_t len)
{
	if (len < sizeof(struct tap_file_module) +
		  sizeof(struct tap_file_symbols))
		return -EBADMSG;
	return tap_file_part_add(&file->module_parts, &file->nr_module_parts, data, len);
}

static bool same_name(struct tap_file_string a, struct tap_file_string b)
{
	return a.len == b.len && !memcmp(a.s, b.s, a.len);
}

/* Each life has the name of its module. */
static struct tap_file_string modlife_name(const struct tap_file_modlife *modlife)
{
	return modlife->names.modules[0];
}

static struct tap_file_modlife *add_modlife(struct tap_file_reader *file)
{
	struct tap_file_modlife *modlives;

	modlives = realloc(file->modlives, (file->nr_modlives + 1) * sizeof(*modlives));
	if (!modlives)
		return NULL;
	file->modlives = modlives;
	modlives[file->nr_modlives] = (struct tap_file_modlife) { .until = ~0ULL };
	return &modlives[file->nr_modlives++];
}

/* The module's life from the start of the recording, if it was loaded then. */
static void add_first_modlife(struct tap_file_reader *file, struct tap_file_string name,
			      __u64 until)
{
	const struct tap_file_names *all = &file->names;
	struct tap_file_names own = { 0 };
	struct tap_file_modlife *modlife;
	size_t i;

	own.symbols = malloc((all->nr_symbols + 1) * sizeof(*own.symbols));
	own.modules = malloc(sizeof(*own.modules));
	if (!own.symbols || !own.modules)
		goto err_free;
	for (i = 0; i < all->nr_symbols; i++) {
		if (!same_name(tap_file_module_of(all, &all->symbols[i]), name))
			continue;
		own.symbols[own.nr_symbols] = all->symbols[i];
		own.symbols[own.nr_symbols++].module = 1;
	}
	modlife = own.nr_symbols ? add_modlife(file) : NULL;
	if (!modlife)
		goto err_free;
	own.modules[own.nr_modules++] = name;
	*modlife = (struct tap_file_modlife) { .until = until, .names = own };
	return;

err_free:
	tap_file_names_free(&own);
}

/* The unload may have been missed. Then the module's next load ends the earlier life. */
static void end_modlife(struct tap_file_reader *file, struct tap_file_string name, __u64 time)
{
	size_t i = file->nr_modlives;

	while (i--) {
		if (!same_name(modlife_name(&file->modlives[i]), name))
			continue;
		if (file->modlives[i].until > time)
			file->modlives[i].until = time;
		return;
	}
	add_first_modlife(file, name, time);
}

static void load_module(struct tap_file_reader *file,
			const struct tap_file_part *part)
{
	struct tap_file_names names = { 0 };
	struct tap_file_module head;
	struct tap_file_modlife *modlife;

	memcpy(&head, part->data, sizeof(head));
	tap_file_names_load(&names, part->data + sizeof(head),
			    part->len - sizeof(head));
	if (names.nr_modules)
		end_modlife(file, names.modules[0], head.time);
	modlife = names.nr_symbols && names.nr_modules ? add_modlife(file) : NULL;
	if (modlife)
		modlife->names = names;
	else
		tap_file_names_free(&names);
}

/* Decodes the lives of modules. @file->names must have the functions of the start. */
void tap_file_modlives_load(struct tap_file_reader *file)
{
	size_t i;

	for (i = 0; i < file->nr_module_parts; i++)
		load_module(file, &file->module_parts[i]);
}

/*
 * Removes the modules that have lives from @file->names, so that only functions that
 * existed all the time stay there.
 */
void tap_file_modlives_leave(struct tap_file_reader *file)
{
	struct tap_file_names *names = &file->names;
	size_t i, k, kept = 0;
	struct tap_file_string module;

	if (!file->nr_modlives)
		return;
	for (i = 0; i < names->nr_symbols; i++) {
		module = tap_file_module_of(names, &names->symbols[i]);
		for (k = 0; k < file->nr_modlives && module.len; k++)
			if (same_name(modlife_name(&file->modlives[k]), module))
				break;
		if (!module.len || k == file->nr_modlives)
			names->symbols[kept++] = names->symbols[i];
	}
	names->nr_symbols = kept;
}

/* A module ends at most one page after the start of its last function. */
static bool is_inside(const struct tap_file_modlife *modlife, __u64 addr)
{
	const struct tap_file_names *names = &modlife->names;

	return addr <= ((names->symbols[names->nr_symbols - 1].addr + PAGE) |
			(PAGE - 1));
}

/*
 * Finds a function by its address at @file->names_time. @stayed is the match
 * in @file->names, or NULL. @names is set if the result is from a life. Returns NULL if
 * there is none.
 */
const struct tap_file_symbol *
tap_file_modlives_find(const struct tap_file_reader *file, __u64 addr,
		       const struct tap_file_symbol *stayed,
		       const struct tap_file_names **names)
{
	const struct tap_file_symbol *found = stayed, *sym;
	const struct tap_file_modlife *modlife;
	__u64 until = ~0ULL;
	size_t i;

	for (i = 0; i < file->nr_modlives; i++) {
		modlife = &file->modlives[i];
		if (modlife->until < file->names_time)
			continue;
		sym = tap_file_names_find(&modlife->names, addr);
		if (!sym || !is_inside(modlife, addr) ||
		    (stayed && stayed->addr > sym->addr))
			continue;
		/*
		 * Of two lives with the address, the one that ended first was there at
		 * that time. Modules that ended together, or not at all, lie side by side.
		 */
		if (found != stayed && (modlife->until > until ||
					(modlife->until == until && sym->addr <= found->addr)))
			continue;
		found = sym;
		until = modlife->until;
		*names = &modlife->names;
	}
	return found;
}

void tap_file_modlives_free(struct tap_file_reader *file)
{
	size_t i;

	for (i = 0; i < file->nr_modlives; i++)
		tap_file_names_free(&file->modlives[i].names);
	free(file->modlives);
	free(file->module_parts);
}
