/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The kernel's tables of its symbols. Private to libtap and its tests.
 */
#ifndef _TAP_KERNEL_SYMBOL_TABLES_H
#define _TAP_KERNEL_SYMBOL_TABLES_H

#include "kernel/kallsyms.h"

int tap_symbol_tables_read(struct tap_symbols *syms, const struct tap_symbols_paths *paths,
			   const char *glob);
int tap_symbol_tables_named(const struct tap_symbols_paths *paths, const char *const *names,
			    int (*fn)(const struct tap_kallsym *sym, void *arg), void *arg);
int tap_symbol_tables_module(struct tap_symbols *syms, const struct tap_symbols_paths *paths,
			     const char *module);

#endif /* _TAP_KERNEL_SYMBOL_TABLES_H */
