// SPDX-License-Identifier: LGPL-2.1
/*
 * The symbols of the kernel, as they are in a trace file.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "buffer.h"
#include "file.h"
#include "symbols.h"

/**
 * struct symbol_walk - the walk over the symbols, which come by address
 * @symbols: the list as it will be in the file
 * @modules: the same for the names of modules
 * @head: counts
 * @addr: address of the symbol before
 * @module: number of the module met last
 * @name: its name
 * @before: symbols that are left out, or NULL
 * @at: the first of those that is not below @addr
 */
struct symbol_walk {
	struct tap_buffer symbols;
	struct tap_buffer modules;
	struct tap_file_symbols head;
	__u64 addr;
	__u64 module;
	char name[256];
	const struct tap_symbols *before;
	size_t at;
};

static char *put_leb128(char *p, __u64 v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (char)(v | 0x80);
	*p++ = (char)v;
	return p;
}

static char *put_string(char *p, const char *s)
{
	size_t len = strnlen(s, 255);

	*p++ = (char)len;
	return tap_put_mem(p, s, len);
}

/* Number of a module; those of neighbours are the same most of the time. */
static __u64 walk_module(struct symbol_walk *walk, const char *module)
{
	char *p;

	if (!*module)
		return 0;
	if (!strncmp(walk->name, module, sizeof(walk->name) - 1))
		return walk->module;
	p = tap_buffer_room(&walk->modules, 256);
	if (!p)
		return 0;
	snprintf(walk->name, sizeof(walk->name), "%s", module);
	walk->modules.len += (size_t)(put_string(p, module) - p);
	walk->module = ++walk->head.nr_modules;
	return walk->module;
}

/* Whether it was there before. Both lists are by address. */
static bool is_known(struct symbol_walk *walk, __u64 addr, const char *name)
{
	const struct tap_symbols *before = walk->before;
	size_t i;

	if (!before)
		return false;
	while (walk->at < before->nr && before->list[walk->at].addr < addr)
		walk->at++;
	for (i = walk->at; i < before->nr && before->list[i].addr == addr; i++)
		if (!strcmp(before->list[i].name, name))
			return true;
	return false;
}

static int walk_symbol(void *arg, __u64 addr, const char *name,
		       const char *module)
{
	struct symbol_walk *walk = arg;
	char *p = tap_buffer_room(&walk->symbols, 2 * 10 + 256);
	char *begin = p;

	if (!p)
		return -ENOMEM;
	if (addr < walk->addr || is_known(walk, addr, name))
		return 0;
	p = put_leb128(p, addr - walk->addr);
	p = put_leb128(p, walk_module(walk, module));
	p = put_string(p, name);
	walk->symbols.len += (size_t)(p - begin);
	walk->addr = addr;
	walk->head.nr_symbols++;
	return 0;
}

int tap_file_symbols(struct tap_file_writer *w, const struct tap_symbols *syms,
		     const struct tap_symbols *before)
{
	struct symbol_walk walk = { .before = before };
	int ret;
	char *p;

	ret = tap_symbols_each(syms, walk_symbol, &walk);
	if (ret || !walk.head.nr_symbols)
		goto out;
	ret = -ENOMEM;
	p = tap_buffer_room(&walk.modules, walk.symbols.len);
	if (!p)
		goto out;
	memcpy(p, walk.symbols.data, walk.symbols.len);
	walk.modules.len += walk.symbols.len;
	ret = tap_file_chunk(w, TAP_CHUNK_SYMBOLS, &walk.head, sizeof(walk.head),
			     walk.modules.data, walk.modules.len);
out:
	tap_buffer_free(&walk.symbols);
	tap_buffer_free(&walk.modules);
	return ret;
}
