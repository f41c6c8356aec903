// SPDX-License-Identifier: GPL-2.0
/*
 * Cgroups of version 2: the id of one is the inode number of its directory, its
 * depth the number of names from the root to it.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "run/cgroup.h"

/* How many names a path has. */
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
 * Where the hierarchy is mounted, and what of it: a line is
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
	/* As it stands, if that is below the mount point; else from there. */
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
