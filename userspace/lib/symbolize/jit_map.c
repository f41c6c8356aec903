// SPDX-License-Identifier: LGPL-2.1
/*
 * Names of generated code, from the file that the program writes for perf:
 * /tmp/perf-PID.map with lines "START SIZE NAME", in hex. PID is the one in the
 * program's pid namespace, and /tmp is the one that it sees. The contents are
 * untrusted.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "symbolize/dso.h"
#include "symbolize/jit_map.h"
#include "symbolize/maps.h"

/* What is beyond these bounds has no name: any user may write such a file. */
#define TEXT_MAX	(64UL << 20)
#define LINES_MAX	(1UL << 20)
/* A file that grows is not read again for this many times the duration of the last read. */
#define REST		16
/* Code is moved, and its old place is partly reused: entries of the file may overlap. */
#define LOOK_BACK	64

/* A line of the file. @name is an offset in the text; @order is the place of the line. */
struct tap_jit_entry {
	uint64_t start;
	uint64_t size;
	size_t name;
	size_t order;
};

/*
 * The file of a process. @text is its contents, with lines terminated by 0; @list is
 * sorted by address. It is not read again before @next, CLOCK_MONOTONIC ns.
 */
struct tap_jit {
	int fd;
	uint64_t next;
	char *text;
	size_t len;
	struct tap_jit_entry *list;
	size_t nr;
};

/* The id of a process in its own pid namespace, the last one of NSpid. */
static uint32_t own_id(uint32_t tgid)
{
	uint32_t id = tgid;
	char line[256], *p;
	FILE *f;

	snprintf(line, sizeof(line), "/proc/%u/status", tgid);
	f = fopen(line, "re");
	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f)) {
		if (strncmp(line, "NSpid:", 6))
			continue;
		p = strrchr(line, '\t');
		if (p)
			id = (uint32_t)strtoul(p, NULL, 10);
		break;
	}
	fclose(f);
	return id;
}

static int open_in_root(uint32_t tgid, const char *path, struct stat *st)
{
	/* No link may lead out of the process's root. */
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | O_NOFOLLOW,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	char root[32];
	int dir, fd;

	snprintf(root, sizeof(root), "/proc/%u/root", tgid);
	dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -1;
	fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
	close(dir);
	return tap_reopen_file(fd, st);
}

/*
 * The file must belong to the process's user or to root. Another user could create it
 * if he knows the id.
 */
static bool may_be_believed(uint32_t tgid, const struct stat *st)
{
	struct stat process;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u", tgid);
	return !stat(path, &process) &&
	       (!st->st_uid || st->st_uid == process.st_uid);
}

/* Opens the map file of a living process. Returns NULL if there is none. */
struct tap_jit *tap_jit_open(uint32_t tgid)
{
	uint32_t id = own_id(tgid);
	struct tap_jit *jit;
	struct stat st;
	char path[32];
	int fd;

	if (!id)
		return NULL;
	snprintf(path, sizeof(path), "tmp/perf-%u.map", id);
	fd = open_in_root(tgid, path, &st);
	if (fd < 0)
		return NULL;
	jit = may_be_believed(tgid, &st) ? calloc(1, sizeof(*jit)) : NULL;
	if (jit)
		jit->fd = fd;
	else
		close(fd);
	return jit;
}

void tap_jit_close(struct tap_jit *jit)
{
	if (!jit)
		return;
	close(jit->fd);
	free(jit->text);
	free(jit->list);
	free(jit);
}

static int compare_entries(const void *x, const void *y)
{
	const struct tap_jit_entry *a = x, *b = y;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

static bool parse_line(struct tap_jit_entry *entry, const char *text, size_t at)
{
	const char *line = text + at;
	char *p, *end;

	if (!strchr("0123456789abcdefABCDEF", *line) || !*line)
		return false;
	entry->start = strtoull(line, &p, 16);
	if (*p != ' ')
		return false;
	entry->size = strtoull(p + 1, &end, 16);
	if (*end != ' ' || !end[1] || !entry->size ||
	    entry->size > UINT64_MAX - entry->start)
		return false;
	entry->name = (size_t)(end + 1 - text);
	return true;
}

/* Splits the text into lines. A last line without an end is not complete yet. */
static void parse(struct tap_jit *jit)
{
	size_t at = 0, lines = 0;
	char *end;

	for (end = jit->text; (end = memchr(end, '\n',
			jit->len - (size_t)(end - jit->text))) && lines < LINES_MAX; end++)
		lines++;
	free(jit->list);
	jit->nr = 0;
	jit->list = calloc(lines + 1, sizeof(*jit->list));
	while (jit->list && lines--) {
		end = memchr(jit->text + at, '\n', jit->len - at);
		*end = '\0';
		jit->list[jit->nr].order = at;
		if (parse_line(&jit->list[jit->nr], jit->text, at))
			jit->nr++;
		at = (size_t)(end + 1 - jit->text);
	}
	if (jit->nr)
		qsort(jit->list, jit->nr, sizeof(*jit->list), compare_entries);
}

/* Reads the file again if it has grown: programs append to it. */
static bool load(struct tap_jit *jit)
{
	uint64_t now = tap_maps_now();
	size_t len = 0, size;
	struct stat st;
	char *text;
	ssize_t n;

	if (now < jit->next || fstat(jit->fd, &st) || st.st_size < 0)
		return false;
	size = (uint64_t)st.st_size < TEXT_MAX ? (size_t)st.st_size : TEXT_MAX;
	if (size == jit->len)
		return false;
	text = malloc(size + 1);
	if (!text)
		return false;
	while (len < size) {
		n = pread(jit->fd, text + len, size - len, (off_t)len);
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	text[len] = '\0';
	free(jit->text);
	jit->text = text;
	jit->len = len;
	parse(jit);
	/* If the file was cut meanwhile, it is not read again because of that. */
	jit->len = size;
	jit->next = tap_maps_now();
	jit->next += (jit->next - now) * REST;
	return true;
}

static const struct tap_jit_entry *find(const struct tap_jit *jit,
					uint64_t addr)
{
	const struct tap_jit_entry *best = NULL, *entry;
	size_t low = 0, high = jit->nr, mid, i;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (jit->list[mid].start <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	for (i = 0; i < LOOK_BACK && i < low; i++) {
		entry = &jit->list[low - 1 - i];
		if (addr - entry->start < entry->size &&
		    (!best || entry->order > best->order))
			best = entry;
	}
	return best;
}

/* Finds the function that contains an address. Returns false if there is none. */
bool tap_jit_function(struct tap_jit *jit, uint64_t addr,
		      struct tap_function *fn)
{
	const struct tap_jit_entry *entry = find(jit, addr);

	if (!entry && load(jit))
		entry = find(jit, addr);
	if (!entry)
		return false;
	fn->offset = entry->start;
	fn->size = entry->size;
	fn->name = jit->text + entry->name;
	return true;
}
