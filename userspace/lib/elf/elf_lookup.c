// SPDX-License-Identifier: LGPL-2.1
/*
 * Finds a program or library by the user's word: files that a process has mapped come
 * first, then the cache of the dynamic linker (/etc/ld.so.cache) and its directories,
 * then PATH.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/openat2.h>

#include "util/arch.h"
#include "elf/elf_object.h"
#include "util/util.h"
#include "util/suggest.h"

#define CACHE_MAX	(64 << 20)
#define CACHE_MAGIC	"glibc-ld.so.cache1.1"

/* The cache format of glibc. Offsets of names count from its header. */
struct cache_entry {
	int32_t flags;
	uint32_t key;
	uint32_t value;
	uint32_t osversion;
	uint64_t hwcap;
};

struct cache_header {
	char magic[sizeof(CACHE_MAGIC) - 1];
	uint32_t nr;
	uint32_t len;
	uint32_t unused[5];
};

/*
 * A search for a file by its name. @root is the prefix of paths: "" or /proc/PID/root.
 * @path is the best match so far, without @root.
 */
struct search {
	const char *name;
	char root[32];
	char path[PATH_MAX];
	struct tap_suggest near;
};

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "libc" matches libc.so.6 and libc-2.31.so, but not libcrypt.so.1. */
static bool is_library(const char *file, const char *name)
{
	size_t len = strlen(name);
	const char *rest = file + len;

	if (strncmp(file, name, len))
		return false;
	if (!*rest)
		return true;
	if (strstr(name, ".so"))
		return *rest == '.';
	if (*rest == '-' && rest[1] >= '0' && rest[1] <= '9')
		rest += strcspn(rest, "s") - 1;
	return !strncmp(rest, ".so", 3) && (!rest[3] || rest[3] == '.');
}

/* Opens a path below the root. Absolute links also start at the root. */
static int open_below(const struct search *s, const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT,
	};
	int root, fd;

	if (!*s->root)
		return open(path, how.flags);
	root = open(s->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return root;
	fd = syscall(SYS_openat2, root, path, &how, sizeof(how));
	close(root);
	return fd;
}

/* libc.so may be a text file for the linker. */
static bool is_elf(const struct search *s, const char *path)
{
	struct stat st;
	int fd = tap_reopen_file(open_below(s, path), &st);
	char magic[4] = "";

	if (fd < 0)
		return false;
	if (read(fd, magic, sizeof(magic)) != sizeof(magic))
		magic[0] = '\0';
	close(fd);
	return !memcmp(magic, "\177ELF", 4);
}

/* Takes a library if it is the first or a newer version. */
static void offer(struct search *s, const char *path)
{
	const char *file = base_of(path);

	tap_suggest_offer(&s->near, file, strcspn(file, "."));
	if (!is_library(file, s->name) || strlen(path) >= sizeof(s->path) ||
	    (*s->path && strverscmp(file, base_of(s->path)) <= 0))
		return;
	if (is_elf(s, path))
		strcpy(s->path, path);
}

static void search_cache(struct search *s, const char *data, size_t size)
{
	const struct cache_entry *e;
	struct cache_header header;
	const char *begin;
	uint32_t i;

	/* The file may start with a cache of an older format. */
	begin = memmem(data, size, CACHE_MAGIC, sizeof(CACHE_MAGIC) - 1);
	if (!begin || (size_t)(data + size - begin) < sizeof(header))
		return;
	size -= begin - data;
	memcpy(&header, begin, sizeof(header));
	if (header.nr > (size - sizeof(header)) / sizeof(*e))
		return;
	for (i = 0; i < header.nr; i++) {
		struct cache_entry entry;

		memcpy(&entry, begin + sizeof(header) + i * sizeof(entry),
		       sizeof(entry));
		/* Entries with hwcap are for certain CPUs only. */
		if (entry.flags != TAP_ARCH_CACHE_FLAGS || entry.hwcap ||
		    entry.value >= size ||
		    !memchr(begin + entry.value, '\0', size - entry.value))
			continue;
		offer(s, begin + entry.value);
	}
}

static void read_cache(struct search *s)
{
	struct stat st;
	int fd = tap_reopen_file(open_below(s, "/etc/ld.so.cache"), &st);
	char *data = NULL;
	ssize_t n;

	if (fd < 0)
		return;
	if (st.st_size > 0 && st.st_size <= CACHE_MAX)
		data = malloc(st.st_size);
	if (data) {
		n = read(fd, data, st.st_size);
		if (n > 0)
			search_cache(s, data, n);
	}
	free(data);
	close(fd);
}

/* Offers the libraries of a directory, or suggests its names. */
static void read_dir(struct search *s, const char *dir, size_t len,
		     bool libraries)
{
	char path[PATH_MAX + 32];
	struct dirent *d;
	DIR *open_dir;

	snprintf(path, sizeof(path), "%s%.*s", s->root, (int)len, dir);
	open_dir = opendir(path);
	if (!open_dir)
		return;
	while ((d = readdir(open_dir))) {
		if (!libraries) {
			tap_suggest_offer(&s->near, d->d_name,
					  strlen(d->d_name));
		} else if (strstr(d->d_name, ".so")) {
			snprintf(path, sizeof(path), "%.*s/%s", (int)len, dir,
				 d->d_name);
			offer(s, path);
		}
	}
	closedir(open_dir);
}

static void search_libraries(struct search *s)
{
	static const char *const dirs[] = {
		"/lib/" TAP_ARCH_TRIPLET, "/usr/lib/" TAP_ARCH_TRIPLET, "/lib64", "/usr/lib64",
		"/lib", "/usr/lib", "/usr/local/lib",
	};
	size_t i;

	read_cache(s);
	for (i = 0; i < ARRAY_SIZE(dirs) && !*s->path; i++)
		read_dir(s, dirs[i], strlen(dirs[i]), true);
}

static void search_path(struct search *s, bool near)
{
	const char *dir = getenv("PATH");
	char path[PATH_MAX];
	size_t len;
	int fd;

	if (!dir)
		dir = "/usr/sbin:/usr/bin:/sbin:/bin";
	for (; *dir; dir += len + (dir[len] == ':')) {
		len = strcspn(dir, ":");
		if (near) {
			read_dir(s, dir, len, false);
			continue;
		}
		if (len + strlen(s->name) + 2 > sizeof(path))
			continue;
		snprintf(path, sizeof(path), "%.*s/%s", (int)len, dir, s->name);
		fd = open_below(s, path);
		if (fd < 0)
			continue;
		close(fd);
		/* A wrapper script may precede the program of the same name in PATH. */
		if (is_elf(s, path)) {
			strcpy(s->path, path);
			return;
		}
		if (!*s->path)
			strcpy(s->path, path);
	}
}

/*
 * The process has mapped a file that was deleted, or replaced e.g. by a package update.
 * map_files still leads to it.
 */
static void offer_deleted(struct search *s, uint32_t pid, const char *line,
			  char *path)
{
	static const char deleted[] = " (deleted)";
	size_t len = strlen(path), tail = sizeof(deleted) - 1;
	unsigned long long start, end;

	if (len <= tail || strcmp(path + len - tail, deleted))
		return;
	path[len - tail] = '\0';
	if (*s->name == '/' ? strcmp(path, s->name) :
			      !is_library(base_of(path), s->name))
		return;
	if (sscanf(line, "%llx-%llx", &start, &end) != 2)
		return;
	snprintf(s->path, sizeof(s->path), "/proc/%u/map_files/%llx-%llx", pid,
		 start, end);
	s->root[0] = '\0';
}

static void search_maps(struct search *s, uint32_t pid)
{
	char file[64], *line = NULL, *path;
	size_t room = 0;
	ssize_t n;
	FILE *maps;

	snprintf(file, sizeof(file), "/proc/%u/maps", pid);
	maps = fopen(file, "re");
	if (!maps)
		return;
	while (!*s->path && (n = getline(&line, &room, maps)) > 0) {
		if (line[n - 1] == '\n')
			line[n - 1] = '\0';
		path = strchr(line, '/');
		if (path && *s->name == '/' && !strcmp(path, s->name))
			break;
		if (path && *s->name != '/')
			offer(s, path);
		if (path && !*s->path)
			offer_deleted(s, pid, line, path);
	}
	free(line);
	fclose(maps);
}

/* Sets the root of a process if it differs from ours. */
static int set_root(struct search *s, uint32_t pid, struct tap_error *err)
{
	char ns[32];
	struct stat a, b, c, d;

	snprintf(s->root, sizeof(s->root), "/proc/%u/root", pid);
	snprintf(ns, sizeof(ns), "/proc/%u/ns/mnt", pid);
	if (stat(s->root, &a) || stat(ns, &c)) {
		int code = errno == EACCES ? -EACCES : -ESRCH;

		return tap_error_set(err, code, code == -ESRCH ?
				     "there is no process %u" :
				     "process %u belongs to another user; run tap as root",
				     pid);
	}
	if (!stat("/", &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino &&
	    !stat("/proc/self/ns/mnt", &d) && c.st_ino == d.st_ino)
		s->root[0] = '\0';
	return 0;
}

static bool same_file(const struct stat *file, const char *path)
{
	struct stat st;

	return !stat(path, &st) && st.st_dev == file->st_dev &&
	       st.st_ino == file->st_ino;
}

/*
 * Converts a path below the root to one that we can open: through /proc/PID/root if the
 * process has its own mount namespace, with links resolved; otherwise the path itself.
 * Returns 0 or -errno.
 */
static int resolve(struct search *s, char full[PATH_MAX + 32])
{
	char link[32], path[PATH_MAX];
	struct stat st;
	ssize_t n;
	int fd;

	snprintf(full, PATH_MAX + 32, "%s%s", s->root, s->path);
	if (!*s->root)
		return access(full, F_OK) && errno == ENOENT ? -ENOENT : 0;
	fd = open_below(s, s->path);
	if (fd < 0)
		return -errno;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n > 0 && !fstat(fd, &st) && !same_file(&st, full)) {
		path[n] = '\0';
		snprintf(full, PATH_MAX + 32, "%s%s", s->root, path);
		if (!same_file(&st, full))
			strcpy(full, path);
	}
	close(fd);
	return 0;
}

static int not_found(struct search *s, struct tap_error *err)
{
	const char *file = base_of(s->name);
	char near[256];
	size_t dir = file - s->name;

	if (dir) {
		read_dir(s, s->name, dir, false);
		return tap_error_set(err, -ENOENT, "there is no file %s%s",
				     s->name,
				     tap_suggest_text(&s->near, "", "", near,
						      sizeof(near)));
	}
	search_path(s, true);
	return tap_error_set(err, -ENOENT,
			     "no library or program %s%s You can also give its path",
			     s->name, *tap_suggest_text(&s->near, "", "", near,
							sizeof(near)) ?
			     near : ".");
}

/**
 * tap_elf_find() - find the path of a program or library
 * @name: a path; the name of a library, with or without .so and a version, that @pid
 *	has mapped or that the dynamic linker would find; the name of a program in PATH
 * @pid: the process to search first, or 0
 * @path: set to the path; goes through /proc/PID/root if the process sees other files
 * @len: bytes at @path
 * @err: an error message on failure
 *
 * Return: 0; -ENOENT with near names; -ESRCH if there is no such process; -EACCES if it
 * belongs to another user; -ENAMETOOLONG.
 */
int tap_elf_find(const char *name, uint32_t pid, char *path, size_t len,
		 struct tap_error *err)
{
	struct search s = { .name = name };
	const char *file = base_of(name);
	char full[PATH_MAX + 32];
	int code, n;

	code = pid ? set_root(&s, pid, err) : 0;
	if (code)
		return code;
	if (strlen(name) >= sizeof(s.path))
		return tap_error_set(err, -ENAMETOOLONG, "the path is too long");
	tap_suggest_begin(&s.near, file, strlen(file));
	if (file != name) {
		/* A relative path starts in our working directory. */
		if (*name != '/')
			s.root[0] = '\0';
		else if (pid)
			search_maps(&s, pid);
		if (!*s.path)
			strcpy(s.path, name);
	} else {
		if (pid)
			search_maps(&s, pid);
		if (!*s.path)
			search_libraries(&s);
		if (!*s.path)
			search_path(&s, false);
	}
	if (!*s.path || resolve(&s, full) == -ENOENT)
		return not_found(&s, err);
	n = snprintf(path, len, "%s", full);
	if (n < 0 || (size_t)n >= len)
		return tap_error_set(err, -ENAMETOOLONG, "the path is too long");
	return 0;
}
