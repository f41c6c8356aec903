/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cgroups of version 2, by their paths.
 */
#ifndef _TOOL_RUN_CGROUP_H
#define _TOOL_RUN_CGROUP_H

#include "tool.h"

/**
 * cgroup_find() - a cgroup by its path
 * @path: of its directory, e.g. /sys/fs/cgroup/user.slice; or below the mount
 *	point alone, e.g. user.slice
 * @id: set to its id
 * @depth: set to its depth, the root has 0
 * @err: the sentence on failure
 *
 * Return: 0 or -errno.
 */
int cgroup_find(const char *path, __u64 *id, unsigned int *depth,
		struct tap_error *err);

#endif /* _TOOL_RUN_CGROUP_H */
