// SPDX-License-Identifier: LGPL-2.1
/*
 * Maps from /proc/PID/maps.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "symbolize/maps.h"

/* /proc/PID/maps escapes newlines in octal. */
static void unescape(char *path)
{
	char *to = path;

	for (; *path; path++) {
		if (!strncmp(path, "\\012", 4)) {
			*to++ = '\n';
			path += 3;
		} else {
			*to++ = *path;
		}
	}
	*to = '\0';
}

/*
 * The DSO of a map, by the name that the kernel gives the map. @path may be changed.
 * @dso is set to NULL for memory that may hold generated code. Returns false if out of
 * memory.
 */
bool tap_maps_dso(struct tap_maps *maps, char *path,
		  const struct tap_file_id *id,
		  struct tap_dso **dso)
{
	static const char *const memory[] = {
		"//anon", "/anon_hugepage", "/dev/zero", "/SYSV", "[heap]",
		"[stack", "[anon:", "[anon_shmem:",
	};
	static const char deleted[] = " (deleted)";
	size_t len = strlen(path), i;

	*dso = NULL;
	for (i = 0; i < sizeof(memory) / sizeof(memory[0]); i++)
		if (!strncmp(path, memory[i], strlen(memory[i])))
			return true;
	if (!len)
		return true;
	if (len > sizeof(deleted) &&
	    !strcmp(path + len - (sizeof(deleted) - 1), deleted))
		path[len - (sizeof(deleted) - 1)] = '\0';
	*dso = tap_dso_get(&maps->dsos, path, id);
	return *dso;
}

/* Queues a line unless the map is not executable. */
static void take_line(struct tap_maps *maps, struct tap_change *change,
		      char *line)
{
	unsigned long long start, end, offset, inode;
	struct tap_file_id id = { 0 };
	unsigned int maj, min;
	char perms[8];
	int path = 0;

	if (sscanf(line, "%llx-%llx %7s %llx %x:%x %llu %n", &start, &end,
		   perms, &offset, &maj, &min, &inode, &path) != 7 ||
	    perms[2] != 'x' || start >= end)
		return;
	line[strcspn(line, "\n")] = '\0';
	/* The legacy vsyscall page of x86-64 is code of the kernel, not of the process. */
	if (!strcmp(line + path, "[vsyscall]"))
		return;
	unescape(line + path);
	id.inode = inode;
	id.device = makedev(maj, min);
	change->start = start;
	change->end = end;
	change->offset = offset;
	if (!tap_maps_dso(maps, line + path, &id, &change->dso) ||
	    tap_maps_add(maps, change))
		maps->lost++;
}

/*
 * Reads the current maps of a process, which may have exited, and queues them as
 * changes at @time.
 */
void tap_maps_proc(struct tap_maps *maps, uint32_t tgid, uint64_t time)
{
	struct tap_change change = {
		.time = time, .type = TAP_CHANGE_MMAP, .tgid = tgid,
	};
	char path[32], *line = NULL;
	size_t room = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/maps", tgid);
	f = fopen(path, "re");
	if (!f)
		return;
	while (getline(&line, &room, f) > 0)
		take_line(maps, &change, line);
	free(line);
	fclose(f);
}

/* Reads the current maps of all processes as maps that existed before tap_maps_open(). */
void tap_maps_proc_all(struct tap_maps *maps)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (isdigit((unsigned char)*entry->d_name))
			tap_maps_proc(maps, (uint32_t)
				strtoul(entry->d_name, NULL, 10), 0);
	if (dir)
		closedir(dir);
	tap_maps_apply(maps, 0);
}
