/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * /proc/kallsyms. Private to libtap and its tests.
 */
#ifndef _TAP_KERNEL_KALLSYMS_H
#define _TAP_KERNEL_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/ksyms.h"

#define TAP_KALLSYMS	"/proc/kallsyms"

/**
 * struct tap_kallsym - a line of /proc/kallsyms
 * @addr: its address, 0 if addresses are hidden
 * @type: as in nm(1)
 * @name: points into the text of the file
 * @len: length of @name
 * @module: its module, "" for vmlinux
 */
struct tap_kallsym {
	uint64_t addr;
	char type;
	char *name;
	size_t len;
	const char *module;
};

/**
 * struct tap_symbols_paths - files to read; tests have their own
 * @kallsyms: like /proc/kallsyms
 * @modules: like /proc/modules
 * @blacklist: like /sys/kernel/debug/kprobes/blacklist
 * @kcore: like /proc/kcore
 * @module_dir: like /sys/module
 */
struct tap_symbols_paths {
	const char *kallsyms;
	const char *modules;
	const char *blacklist;
	const char *kcore;
	const char *module_dir;
};

/* Those of the running kernel. */
extern const struct tap_symbols_paths tap_symbols_paths;

int tap_read_all(const char *path, char **text, size_t *len);
bool tap_kallsym_parse(char *p, char *end, struct tap_kallsym *line);
int tap_kallsyms_each(int (*fn)(const struct tap_kallsym *sym, void *arg),
		      void *arg);
struct tap_symbols *tap_symbols_load_from(const struct tap_symbols_paths *paths,
					  struct tap_error *err);

#endif /* _TAP_KERNEL_KALLSYMS_H */
