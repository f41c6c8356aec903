/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * From the lines of /proc/kallsyms, wherever they come from, to the symbols of a kernel.
 * Private to libtap and its tests.
 */
#ifndef _TAP_KERNEL_SYMBOLS_SCAN_H
#define _TAP_KERNEL_SYMBOLS_SCAN_H

#include "kernel/kallsyms.h"

struct tap_symbols_scan;

enum tap_symbol_state tap_symbol_state_of(const char *name);

struct tap_symbols_scan *tap_symbols_scan_begin(struct tap_symbols *syms);
int tap_symbols_scan_line(struct tap_symbols_scan *scan, const struct tap_kallsym *line);
int tap_symbols_scan_end(struct tap_symbols_scan *scan, const struct tap_symbols_paths *paths);
void tap_symbols_scan_free(struct tap_symbols_scan *scan);

#endif /* _TAP_KERNEL_SYMBOLS_SCAN_H */
