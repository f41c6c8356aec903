/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The memory of the running kernel, as debuggers read it. Private to libtap and its tests.
 */
#ifndef _TAP_KERNEL_KCORE_H
#define _TAP_KERNEL_KCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tap_kcore_segment;

/**
 * struct tap_kcore - memory of the kernel
 * @fd: of /proc/kcore
 * @segments: what is where in the file
 * @nr: number of @segments
 * @info: the text of VMCOREINFO: lines such as "SYMBOL(NAME)=ADDRESS"
 */
struct tap_kcore {
	int fd;
	struct tap_kcore_segment *segments;
	size_t nr;
	char *info;
};

int tap_kcore_open(struct tap_kcore *core, const char *path);
void tap_kcore_close(struct tap_kcore *core);
bool tap_kcore_read(const struct tap_kcore *core, uint64_t addr, void *data, size_t len);
uint64_t tap_kcore_symbol(const struct tap_kcore *core, const char *name);

#endif /* _TAP_KERNEL_KCORE_H */
