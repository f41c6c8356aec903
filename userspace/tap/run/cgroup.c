// SPDX-License-Identifier: GPL-2.0
/*
 * Cgroups of version 2. The id of a cgroup is the inode number of its directory, its
 * depth is the number of directories between it and the root.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "run/cgroup.h"

/* The number of names in a path. */
static unsigned int count_names(const char *path)
{
	unsigned int nr = 0;

	for (;;) {
		path += strspn(path, "/");
		if (!*path)
			return nr;
		nr++;
		path += strcspn(path, "/");
	}
}

/*
 * Finds the mount point of the hierarchy, and the depth of what is mounted there.
 * A line is
 *	36 35 98:0 ROOT POINT OPTIONS... - cgroup2 SOURCE OPTIONS
 */
static bool find_mount(char *point, unsigned int *depth)
{
	char line[2 * PATH_MAX], root[PATH_MAX];
	bool found = false;
	FILE *f = fopen("/proc/self/mountinfo", "re");

	while (f && !found && fgets(line, sizeof(line), f))
		found = strstr(line, " - cgroup2 ") &&
			sscanf(line, "%*s %*s %*s %4095s %4095s", root,
			       point) == 2;
	if (f)
		fclose(f);
	*depth = found ? count_names(root) : 0;
	return found;
}

int cgroup_find(const char *path, __u64 *id, unsigned int *depth,
		struct tap_error *err)
{
	char point[PATH_MAX], below[2 * PATH_MAX], real[PATH_MAX];
	struct stat st;
	size_t len;

	if (!find_mount(point, depth))
		return tap_error_set(err, -ENOENT,
				     "--cgroup %s: no cgroup hierarchy of version 2 is mounted; mount it with 'mount -t cgroup2 none /sys/fs/cgroup'",
				     path);
	len = strlen(point);
	snprintf(below, sizeof(below), "%s/%s", point, path);
	/* First as a path of its own; if that is not a cgroup, below the mount point. */
	if (!realpath(path, real) || strncmp(real, point, len) ||
	    (real[len] && real[len] != '/'))
		if (!realpath(below, real))
			return tap_error_set(err, -errno,
					     "--cgroup %s: no such cgroup in %s",
					     path, point);
	if (strncmp(real, point, len) || (real[len] && real[len] != '/') ||
	    stat(real, &st) || !S_ISDIR(st.st_mode))
		return tap_error_set(err, -ENOTDIR,
				     "--cgroup %s: not a directory in the cgroup hierarchy %s",
				     path, point);
	*id = st.st_ino;
	*depth += count_names(real + len);
	return 0;
}
