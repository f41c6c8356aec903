// SPDX-License-Identifier: LGPL-2.1
/*
 * Writes the symbols of the kernel to a trace file.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/buffer.h"
#include "file/file_internal.h"
#include "kernel/ksyms.h"

/*
 * A walk over the symbols by address.
 *	@symbols, @modules	the lists as they will be in the file
 *	@addr			address of the previous symbol
 *	@module, @name		the module met last
 *	@only			the only module to write, or NULL
 *	@before			symbols to leave out, or NULL
 *	@at			the first of @before that is not below @addr
 */
struct symbol_walk {
	struct tap_buffer symbols;
	struct tap_buffer modules;
	struct tap_file_symbols head;
	__u64 addr;
	__u64 module;
	char name[256];
	const char *only;
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

/* The number of a module. Neighbours have the same module most of the time. */
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

/* Whether the symbol is in @walk->before. Both lists are by address. */
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
	if (walk->only && strcmp(walk->only, module))
		return 0;
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

/* Symbols follow the modules. */
static int walk_join(struct symbol_walk *walk)
{
	char *p = tap_buffer_room(&walk->modules, walk->symbols.len);

	if (!p)
		return -ENOMEM;
	memcpy(p, walk->symbols.data, walk->symbols.len);
	walk->modules.len += walk->symbols.len;
	return 0;
}

static void walk_free(struct symbol_walk *walk)
{
	tap_buffer_free(&walk->symbols);
	tap_buffer_free(&walk->modules);
}

/* Writes the lists of a walk that returned @ret, and frees them. */
static int walk_write(struct symbol_walk *walk, struct tap_file_writer *w, int ret)
{
	if (!ret && walk->head.nr_symbols) {
		ret = walk_join(walk);
		if (!ret)
			ret = tap_file_chunk(w, walk->before ? TAP_CHUNK_ADDED_SYMBOLS :
							       TAP_CHUNK_SYMBOLS,
					     &walk->head, sizeof(walk->head),
					     walk->modules.data, walk->modules.len);
	}
	walk_free(walk);
	return ret;
}

int tap_file_symbols(struct tap_file_writer *w, const struct tap_symbols *syms,
		     const struct tap_symbols *before)
{
	struct symbol_walk walk = { .before = before };

	return walk_write(&walk, w, tap_symbols_each(syms, walk_symbol, &walk));
}

/*
 * Writes the functions of a list, which is by address. @before: leaves out those of the start
 * of the recording; NULL: they are those of the start.
 */
int tap_file_symbols_of(struct tap_file_writer *w, const struct tap_symbol *const *list,
			size_t nr, const struct tap_symbols *before)
{
	struct symbol_walk walk = { .before = before };
	int ret = 0;
	size_t i;

	for (i = 0; i < nr && !ret; i++)
		ret = walk_symbol(&walk, list[i]->addr, list[i]->name, list[i]->module);
	return walk_write(&walk, w, ret);
}

int tap_file_module(struct tap_file_writer *w, const char *module,
		    const struct tap_symbols *syms, __u64 time)
{
	struct {
		struct tap_file_module module;
		struct tap_file_symbols symbols;
	} head = {
		.module.time = time,
		.module.flags = syms ? 0 : TAP_MODULE_F_GONE,
	};
	struct symbol_walk walk = { .only = module };
	int ret = 0;

	/* The name of the module is written even if it has no functions. */
	walk_module(&walk, module);
	if (syms)
		ret = tap_symbols_each(syms, walk_symbol, &walk);
	if (!ret && walk.symbols.len)
		ret = walk_join(&walk);
	head.symbols = walk.head;
	if (!ret)
		ret = tap_file_chunk(w, TAP_CHUNK_MODULE, &head, sizeof(head),
				     walk.modules.data, walk.modules.len);
	walk_free(&walk);
	return ret;
}
