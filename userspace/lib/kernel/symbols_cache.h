/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * A file with the symbols of the running kernel. Private to libtap and its tests.
 */
#ifndef _TAP_KERNEL_SYMBOLS_CACHE_H
#define _TAP_KERNEL_SYMBOLS_CACHE_H

#include <sys/types.h>

#include "kernel/kallsyms.h"

/**
 * struct tap_symbols_cache - where the file is, and what it depends on; tests have their own
 * @dir: directory of the file; it is made if it is missing
 * @owner: the user who must own the directory and the file
 * @boot_id: like /proc/sys/kernel/random/boot_id
 * @symbols: the files that the symbols are read from
 */
struct tap_symbols_cache {
	const char *dir;
	uid_t owner;
	const char *boot_id;
	struct tap_symbols_paths symbols;
};

/**
 * struct tap_symbols_key - the state of the kernel that symbols belong to
 * @boot_id: of the running kernel
 * @modules: checksum of names, sizes, addresses and sysfs inodes of the modules
 * @blacklist: the kernel's blacklist can be read
 */
struct tap_symbols_key {
	char boot_id[40];
	__u32 modules;
	__u32 blacklist;
};

int tap_symbols_key(struct tap_symbols_key *key,
		    const struct tap_symbols_cache *cache);
struct tap_symbols *tap_symbols_cache_read(const struct tap_symbols_cache *cache,
					   const struct tap_symbols_key *key);
int tap_symbols_cache_write(const struct tap_symbols_cache *cache,
			    const struct tap_symbols_key *key,
			    struct tap_symbols *syms);
struct tap_symbols *tap_symbols_matching_from(const struct tap_symbols_cache *cache,
					      const char *glob, struct tap_error *err);
int tap_kallsyms_named(const char *const *names,
		       int (*fn)(const struct tap_kallsym *sym, void *arg), void *arg);
struct tap_symbols *tap_symbols_matching(const char *glob, struct tap_error *err);

#endif /* _TAP_KERNEL_SYMBOLS_CACHE_H */
