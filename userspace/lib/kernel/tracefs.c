// SPDX-License-Identifier: LGPL-2.1
/*
 * tracefs: its mount point, its events, and the format of an event. The names of the events of drivers.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/emit.h"
#include "kernel/tracefs.h"
#include "kernel/tracepoint_format.h"
#include "util/array.h"

#define USUAL_ROOT	"/sys/kernel/tracing"

/* Ten times the longest format of a kernel. */
#define MAX_FORMAT	(1 << 20)

/* A tracefs has fewer directories. */
#define MAX_EVENTS	(1 << 20)

/* Finds the mount point of tracefs. */
static int find_root(char root[PATH_MAX], struct tap_error *err)
{
	struct mntent *mnt;
	FILE *mounts;
	bool found = false;

	if (!access(USUAL_ROOT "/events", F_OK)) {
		strcpy(root, USUAL_ROOT);
		return 0;
	}
	if (errno == EACCES)
		return tap_error_set(err, -EACCES,
				     USUAL_ROOT " cannot be read; run tap as root or with CAP_DAC_READ_SEARCH");
	mounts = setmntent("/proc/mounts", "re");
	while (mounts && !found && (mnt = getmntent(mounts))) {
		found = !strcmp(mnt->mnt_type, "tracefs") &&
			strlen(mnt->mnt_dir) < PATH_MAX;
		if (found)
			strcpy(root, mnt->mnt_dir);
	}
	if (mounts)
		endmntent(mounts);
	return found ? 0 : tap_error_set(err, -ENOENT,
		"tracefs, which lists the events, is not mounted; run mount -t tracefs nodev "
		USUAL_ROOT);
}

/**
 * tap_tracefs_root() - find the mount point of tracefs
 * @root: gets the path
 * @size: bytes at @root
 * @err: an error message on failure
 *
 * Return: 0 or -errno.
 */
int tap_tracefs_root(char *root, size_t size, struct tap_error *err)
{
	char found[PATH_MAX];
	int ret = find_root(found, err);

	if (!ret)
		snprintf(root, size, "%s", found);
	return ret;
}

/* ---------------------------------------------------------------- listing */

static int add_event(struct tap_events *events, const char *system,
		     const char *name)
{
	if (events->nr >= MAX_EVENTS)
		return -E2BIG;
	if (!TAP_GROW(events->names, events->nr))
		return -ENOMEM;
	if (asprintf(&events->names[events->nr], "%s:%s", system, name) < 0)
		return -ENOMEM;
	events->nr++;
	return 0;
}

static bool is_directory(const struct dirent *entry)
{
	return *entry->d_name != '.' &&
	       (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN);
}

/* The directory of a subsystem has one directory for each event, and some files. */
static int add_system(struct tap_events *events, int root, const char *system)
{
	int fd = openat(root, system, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const struct dirent *entry;
	int ret = 0;
	DIR *dir;

	/* Its module was unloaded. */
	if (fd < 0)
		return 0;
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return -ENOMEM;
	}
	while (!ret && (entry = readdir(dir)))
		if (is_directory(entry))
			ret = add_event(events, system, entry->d_name);
	closedir(dir);
	return ret;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/**
 * tap_events_load() - list the events of tracefs
 * @events: set on success; the caller has to call tap_events_free()
 * @root: mount point of tracefs, or NULL to find it
 * @err: an error message on failure
 *
 * Return: 0 or -errno.
 */
int tap_events_load(struct tap_events *events, const char *root,
		    struct tap_error *err)
{
	char found[PATH_MAX], path[PATH_MAX + sizeof("/events")];
	const struct dirent *entry;
	int ret = 0;
	DIR *dir;

	memset(events, 0, sizeof(*events));
	if (!root) {
		ret = find_root(found, err);
		if (ret)
			return ret;
		root = found;
	}
	snprintf(path, sizeof(path), "%s/events", root);
	dir = opendir(path);
	if (!dir)
		return tap_error_set(err, -errno, "%s: %s; run tap as root", path,
				     strerror(errno));
	/* "ftrace" has the records of ftrace itself, not tracepoints. */
	while (!ret && (entry = readdir(dir)))
		if (is_directory(entry) && strcmp(entry->d_name, "ftrace"))
			ret = add_system(events, dirfd(dir), entry->d_name);
	closedir(dir);
	if (ret) {
		tap_events_free(events);
		return tap_error_set(err, ret, "%s: %s", path, strerror(-ret));
	}
	if (events->nr)
		qsort(events->names, events->nr, sizeof(*events->names), compare);
	return 0;
}

/**
 * tap_events_find() - a list of one event, if tracefs has it
 * @events: set on success; the caller has to call tap_events_free()
 * @root: mount point of tracefs, or NULL to find it
 * @name: SUBSYS:NAME, no glob
 *
 * To list all events reads a hundred directories.
 *
 * Return: 0; or -errno: then the list of all events says more.
 */
int tap_events_find(struct tap_events *events, const char *root, const char *name)
{
	char found[PATH_MAX], path[PATH_MAX + TAP_MAX_TARGET + 32], system[TAP_MAX_TARGET];
	const char *colon = strchr(name, ':');

	memset(events, 0, sizeof(*events));
	if (!colon || strchr(name, '/') || *name == '.' || colon[1] == '.' ||
	    (size_t)(colon - name) >= sizeof(system))
		return -ENOENT;
	snprintf(system, sizeof(system), "%.*s", (int)(colon - name), name);
	if (!strcmp(system, "ftrace"))
		return -ENOENT;
	if (!root && find_root(found, NULL))
		return -ENOENT;
	if (snprintf(path, sizeof(path), "%s/events/%s/%s/format", root ? root : found, system,
		     colon + 1) >= (int)sizeof(path))
		return -ENOENT;
	return access(path, F_OK) ? -errno : add_event(events, system, colon + 1);
}

static int add_names(struct tap_events *events, const char *module, const struct tap_emits *emits)
{
	size_t i;

	for (i = 0; i < emits->nr; i++) {
		if (!TAP_GROW(events->names, events->nr) ||
		    asprintf(&events->names[events->nr], "%s:%s", module,
			     emits->list[i].name) < 0)
			return -ENOMEM;
		events->nr++;
	}
	return 0;
}

/**
 * tap_events_emitted() - list the events of the drivers that are loaded
 * @events: set to MODULE:NAME of each; the caller has to call tap_events_free()
 * @root: before /sys: "", or a directory of a test
 * @err: why the events of a module are missing, of one if there are several; its code is 0 if none are
 *
 * Return: 0 or -ENOMEM.
 */
int tap_events_emitted(struct tap_events *events, const char *root, struct tap_error *err)
{
	char path[PATH_MAX];
	const struct dirent *entry;
	struct tap_emits emits;
	int ret = 0;
	DIR *dir;

	*events = (struct tap_events) { 0 };
	*err = (struct tap_error) { 0 };
	snprintf(path, sizeof(path), "%s/sys/module", root);
	dir = opendir(path);
	while (dir && !ret && (entry = readdir(dir))) {
		if (*entry->d_name == '.' || tap_emits_read(&emits, root, entry->d_name, err))
			continue;
		ret = add_names(events, entry->d_name, &emits);
		tap_emits_free(&emits);
	}
	if (dir)
		closedir(dir);
	if (ret) {
		tap_events_free(events);
		return tap_error_set(err, ret, "out of memory");
	}
	if (events->nr)
		qsort(events->names, events->nr, sizeof(*events->names), compare);
	return 0;
}

/**
 * tap_events_free() - free a list of events
 * @events: may be all zero; is all zero afterwards
 */
void tap_events_free(struct tap_events *events)
{
	while (events->nr)
		free(events->names[--events->nr]);
	free(events->names);
	events->names = NULL;
}

/* ----------------------------------------------------------------- formats */

static ssize_t read_all(int fd, char *buf, size_t size)
{
	size_t len = 0;
	ssize_t n;

	do {
		n = read(fd, buf + len, size - len);
		if (n > 0)
			len += n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	return n < 0 ? -errno : (ssize_t)len;
}

/**
 * tap_scope_tracepoint() - the fields of an event
 * @scope: all zero; its names are set. The caller has to call tap_scope_close() also
 *	after an error
 * @root: mount point of tracefs, or NULL to find it
 * @target: SUBSYS:NAME
 * @err: an error message on failure
 *
 * Return: 0; -ENOENT if there is no such event or no tracefs; -errno.
 */
int tap_scope_tracepoint(struct tap_scope *scope, const char *root,
			 const char *target, struct tap_error *err)
{
	const char *colon = strchr(target, ':');
	char found[PATH_MAX], path[PATH_MAX + TAP_MAX_TARGET + 32];
	char system[TAP_MAX_TARGET];
	struct tap_error why;
	char *text;
	ssize_t len;
	int ret, fd;

	if (!colon || colon == target || !colon[1] || strchr(target, '/') ||
	    strlen(target) >= sizeof(system))
		return tap_error_set(err, -EINVAL,
				     "%s: this is not a tracepoint; write SUBSYS:NAME",
				     target);
	if (!root) {
		ret = find_root(found, err);
		if (ret)
			return ret;
		root = found;
	}
	snprintf(system, sizeof(system), "%.*s", (int)(colon - target), target);
	snprintf(path, sizeof(path), "%s/events/%s/%s/format", root, system,
		 colon + 1);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return tap_error_set(err, -errno,
				     errno == ENOENT ?
				     "%s: no such tracepoint: %s: %s" :
				     "%s: %s: %s", target, path, strerror(errno));
	text = malloc(MAX_FORMAT);
	len = text ? read_all(fd, text, MAX_FORMAT) : -ENOMEM;
	close(fd);
	if (len < 0) {
		ret = tap_error_set(err, len, "%s: %s: %s", target, path,
				    strerror(-len));
	} else {
		ret = tap_scope_format(scope, system, text, len, &why);
		if (ret)
			tap_error_set(err, ret, "%s: %s", target, why.text);
	}
	free(text);
	return ret;
}
