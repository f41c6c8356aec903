// SPDX-License-Identifier: LGPL-2.1
/*
 * Names for addresses of programs while the programs, or at least their files, exist.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elf_source.h"
#include "spec/field.h"
#include "spec/probe_table.h"
#include "symbolize/maps.h"
#include "symbolize/maps_track.h"

/* Stacks share their outer frames, and the look-up of a source line is slow. */
#define CACHE	8192
#define NAME_BYTES	1024

/* The name of a byte of a DSO. @text is NULL in a free entry. */
struct tap_user_name {
	const struct tap_dso *dso;
	uint64_t offset;
	char *text;
};

/* @cache is indexed by a hash of the DSO and the byte. */
struct tap_user_symbols {
	struct tap_maps *maps;
	struct tap_user_name cache[CACHE];
};

static bool spec_has_user(const struct tap_spec *spec)
{
	unsigned int i, k;

	for (i = 0; i < spec->nr_fields; i++)
		if (tap_field_is_user(&spec->fields[i]))
			return true;
	for (k = 0; k < spec->nr_aggs; k++)
		for (i = 0; i < spec->agg[k].aggregate.nr_keys; i++)
			if (tap_field_is_user(&spec->agg[k].keys[i]))
				return true;
	return false;
}

/**
 * tap_probes_have_user() - whether addresses of programs need names
 * @probes: the probe table
 *
 * Return: true if a field or key of any probe is such an address, or a stack of them.
 */
bool tap_probes_have_user(const struct tap_probes *probes)
{
	size_t i;

	for (i = 0; i < probes->nr; i++)
		if (spec_has_user(&probes->list[i].spec))
			return true;
	return false;
}

/**
 * tap_user_symbols_open() - start naming addresses
 * @syms: set on success; the caller has to call tap_user_symbols_close()
 * @maps: the maps; must outlive @syms
 *
 * Return: 0 or -ENOMEM.
 */
int tap_user_symbols_open(struct tap_user_symbols **syms,
			  struct tap_maps *maps)
{
	*syms = calloc(1, sizeof(**syms));
	if (!*syms)
		return -ENOMEM;
	(*syms)->maps = maps;
	return 0;
}

/**
 * tap_user_symbols_close() - free the names
 * @syms: may be NULL
 */
void tap_user_symbols_close(struct tap_user_symbols *syms)
{
	size_t i;

	for (i = 0; syms && i < CACHE; i++)
		free(syms->cache[i].text);
	free(syms);
}

static void name_byte(struct tap_dso *dso, uint64_t offset, char *buf,
		      size_t len)
{
	struct tap_function fn;
	char line[TAP_SOURCE_BYTES] = "";
	bool found = tap_dso_function(dso, offset, &fn);

	if (found)
		tap_dso_line(dso, offset, line, sizeof(line));
	tap_dso_print(buf, len, found ? &fn : NULL, offset, dso->name,
		      dso->replaced, line);
}

/**
 * tap_user_symbols_lookup() - name an address of a program
 * @arg: struct tap_user_symbols
 * @tgid: the process
 * @time: CLOCK_MONOTONIC ns; ~0: the latest map
 * @addr: the address
 * @buf: set to "func+0x10 [DSO] file.c:12", or to "0x1234 [DSO]", the offset in the
 *	file, if there is no name; cut if it does not fit
 * @len: bytes at @buf
 *
 * Return: 0, or -ENOENT if no map is known.
 */
int tap_user_symbols_lookup(const void *arg, __u32 tgid, __u64 time,
			    __u64 addr, char *buf, size_t len)
{
	/* Caching does not change anything that a caller can see. */
	struct tap_user_symbols *syms = (void *)(uintptr_t)arg;
	struct tap_map *map = tap_maps_find(syms->maps, tgid, time,
					    addr);
	struct tap_user_name *name;
	struct tap_dso *dso;
	char text[NAME_BYTES];
	uint64_t offset;

	dso = map ? tap_maps_dso_at(syms->maps, tgid, map) : NULL;
	if (!dso)
		return -ENOENT;
	offset = addr - map->start + map->offset;
	name = &syms->cache[((uintptr_t)dso / 64 ^ offset * 0x9e3779b1) %
			    CACHE];
	if (name->text && name->dso == dso && name->offset == offset) {
		snprintf(buf, len, "%s", name->text);
		return 0;
	}
	name_byte(dso, offset, text, sizeof(text));
	/* Generated code may have another name later, and a file may be found later. */
	if (dso->tried && !tap_dso_is_jit(dso)) {
		free(name->text);
		name->dso = dso;
		name->offset = offset;
		name->text = strdup(text);
	}
	snprintf(buf, len, "%s", text);
	return 0;
}
