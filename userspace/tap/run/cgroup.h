/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cgroups of version 2, found by path.
 */
#ifndef _TOOL_RUN_CGROUP_H
#define _TOOL_RUN_CGROUP_H

#include "tool.h"

/**
 * cgroup_find() - a cgroup by its path
 * @path: its directory, e.g. /sys/fs/cgroup/user.slice; or the path below the
 *	mount point, e.g. user.slice
 * @id: set to its id
 * @depth: set to its depth; the root has depth 0
 * @err: the error message on failure
 *
 * Return: 0 or -errno.
 */
int cgroup_find(const char *path, __u64 *id, unsigned int *depth,
		struct tap_error *err);

#endif /* _TOOL_RUN_CGROUP_H */
