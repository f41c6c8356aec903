// SPDX-License-Identifier: GPL-2.0
/*
 * Runs in a guest of the lab: whether two files with the kernel's symbols, as tap keeps them in /run/tapmod, have
 * the same ones. The ends of modules may be in one of them alone: only the kernel's tables have them. The modules
 * that are loaded must be those of the files.
 * usage: symbols_compare DIRECTORY DIRECTORY
 */
#include <err.h>
#include <stdio.h>
#include <string.h>

#include "kernel/symbols_cache.h"

static bool is_end(const struct tap_symbol *sym)
{
	return sym->state == TAP_SYMBOL_MARKER && !*sym->name;
}

static struct tap_symbols *read_symbols(const char *dir)
{
	const struct tap_symbols_cache cache = {
		.dir = dir, .owner = 0, .boot_id = "/proc/sys/kernel/random/boot_id",
		.symbols = tap_symbols_paths,
	};
	struct tap_symbols_key key;
	struct tap_symbols *syms;

	if (tap_symbols_key(&key, &cache))
		errx(2, "/proc/modules cannot be read");
	syms = tap_symbols_cache_read(&cache, &key);
	if (!syms)
		errx(2, "%s/symbols is not of these modules", dir);
	return syms;
}

/* The next one that is not the end of a module; counts those. */
static const struct tap_symbol *next_of(const struct tap_symbols *syms, size_t *at, size_t *ends)
{
	for (; *at < syms->nr && is_end(&syms->list[*at]); (*at)++)
		(*ends)++;
	return *at < syms->nr ? &syms->list[(*at)++] : NULL;
}

int main(int argc, char **argv)
{
	const struct tap_symbol *x, *y;
	struct tap_symbols *a, *b;
	size_t i = 0, k = 0, ends = 0, others = 0, nr = 0;

	if (argc != 3)
		errx(2, "usage: symbols_compare DIRECTORY DIRECTORY");
	a = read_symbols(argv[1]);
	b = read_symbols(argv[2]);
	while ((x = next_of(a, &i, &ends)) != NULL) {
		y = next_of(b, &k, &others);
		if (!y || x->addr != y->addr || x->state != y->state || strcmp(x->name, y->name) ||
		    strcmp(x->module, y->module))
			errx(1, "%s at %llx differs from %s", x->name, (unsigned long long)x->addr,
			     y ? y->name : "nothing");
		nr++;
	}
	if (next_of(b, &k, &others))
		errx(1, "%s has more symbols than %s", argv[2], argv[1]);
	if (a->nr_tracepoints != b->nr_tracepoints || a->nr_modules != b->nr_modules ||
	    a->blacklist != b->blacklist)
		errx(1, "tracepoints, modules or the blacklist differ");
	printf("%zu symbols are the same; %zu and %zu ends of modules\n", nr, ends, others);
	return 0;
}
