// SPDX-License-Identifier: LGPL-2.1
/*
 * A file with the symbols of the running kernel, since to print /proc/kallsyms takes the
 * kernel 500 million instructions, and to read all of its tables and sort them half of that.
 *
 * The file is valid for one boot and the modules that are loaded. It has the addresses of the
 * kernel, so it belongs to root, who alone may read it. It is read as a whole, and a file
 * that is not as it was written is ignored: then the symbols are read from the kernel, and, if
 * all of them were, the file is written again. Where addresses are hidden, it is neither read
 * nor written: then /proc/modules hides those of modules.
 *
 * Code that the kernel generates comes and goes without a change of the modules, so it is
 * left out.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/symbol_tables.h"
#include "kernel/symbols_cache.h"
#include "util/crc32c.h"
#include "util/util.h"

#define MAGIC		"\223tapsyms"	/* without the terminating 0 */
#define VERSION		2
#define NAME		"symbols"
/* While it is written. */
#define NEW_NAME	"symbols.new"
/* No kernel has so many symbols. */
#define MAX_FILE	(256 << 20)

/*
 * The file: this, then @nr entries, @nr_tracepoints pairs of names, @nr_modules names of
 * modules, and the text that all names are offsets into.
 *	@sum		CRC-32C of all that follows it
 *	@length		bytes of the file
 */
struct header {
	char magic[8];
	__u32 version;
	__u32 sum;
	__u64 length;
	struct tap_symbols_key key;
	__u32 nr;
	__u32 nr_tracepoints;
	__u32 nr_modules;
	__u32 text_len;
	__u32 blacklist;
	__u32 blacklist_unreadable;
};

/*
 * A symbol, by address.
 *	@by_name	the symbol whose place in the order of names is this one's place here
 */
struct entry {
	__u64 addr;
	__u32 name;
	__u32 module;
	__u32 by_name;
	__u32 state;
};

struct pair {
	__u32 name;
	__u32 module;
};

/* -------------------------------------------------------------------- the key */

/*
 * Adds a line of /proc/modules to the key: "NAME SIZE USERS USED_BY STATE ADDRESS". Who uses
 * a module does not matter. While a module comes or goes, the list of symbols changes.
 *
 * Another build often has the same number of pages at the same address. The inode number of its
 * directory in sysfs differs: sysfs does not use a number twice in one boot. The times of the
 * directory are not used: they change when the kernel has dropped its inode.
 */
static int add_module(struct tap_symbols_key *key, char *line, const char *module_dir)
{
	char *words[6], *save, *word = strtok_r(line, " ", &save), path[256];
	struct stat st;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (!word)
			return -EBADMSG;
		words[i] = word;
		word = strtok_r(NULL, " ", &save);
	}
	if (strcmp(words[4], "Live"))
		return -EBUSY;
	if (!strtoull(words[5], NULL, 16))
		return -EPERM;
	snprintf(path, sizeof(path), "%s/%s", module_dir, words[0]);
	if (stat(path, &st))
		return -errno;
	key->modules = tap_crc32c(key->modules, words[0], strlen(words[0]) + 1);
	key->modules = tap_crc32c(key->modules, words[1], strlen(words[1]) + 1);
	key->modules = tap_crc32c(key->modules, words[5], strlen(words[5]) + 1);
	key->modules = tap_crc32c(key->modules, &st.st_ino, sizeof(st.st_ino));
	return 0;
}

/* A kernel without modules does not say whether addresses are hidden. */
static int add_modules(struct tap_symbols_key *key, const struct tap_symbols_paths *paths)
{
	char *text, *p, *next;
	size_t len;
	int ret = tap_read_all(paths->modules, &text, &len);

	if (ret)
		return ret;
	if (!len)
		ret = -EPERM;
	for (p = text; !ret && *p; p = next) {
		next = p + strcspn(p, "\n");
		if (*next)
			*next++ = '\0';
		ret = add_module(key, p, paths->module_dir);
	}
	free(text);
	return ret;
}

/**
 * tap_symbols_key() - the state of the running kernel
 * @key: filled in
 * @cache: the files
 *
 * Return: 0, or -errno if symbols cannot be kept.
 */
int tap_symbols_key(struct tap_symbols_key *key,
		    const struct tap_symbols_cache *cache)
{
	char *text;
	size_t len;
	int ret = tap_read_all(cache->boot_id, &text, &len);

	if (ret)
		return ret;
	memset(key, 0, sizeof(*key));
	if (len < 32 || len >= sizeof(key->boot_id))
		ret = -EBADMSG;
	else
		memcpy(key->boot_id, text, len);
	free(text);
	if (ret)
		return ret;
	key->blacklist = !access(cache->symbols.blacklist, R_OK);
	return add_modules(key, &cache->symbols);
}

/* ------------------------------------------------------------------ the file */

/* Opens the directory; -EPERM if others could have put a file into it. */
static int open_dir(const struct tap_symbols_cache *cache)
{
	int fd = open(cache->dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && st.st_uid == cache->owner && !(st.st_mode & 022))
		return fd;
	close(fd);
	return -EPERM;
}

static bool is_ours(const struct tap_symbols_cache *cache, const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_uid == cache->owner &&
	       !(st->st_mode & 077) && st->st_nlink == 1 &&
	       st->st_size >= (off_t)sizeof(struct header) &&
	       st->st_size <= MAX_FILE;
}

/* Reads the whole file into memory; NULL if it is missing or not as it should be. */
static char *read_file(const struct tap_symbols_cache *cache, size_t *len)
{
	int dir = open_dir(cache), fd;
	struct stat st;
	char *data = NULL;
	size_t at = 0;
	ssize_t n = 1;

	if (dir < 0)
		return NULL;
	fd = openat(dir, NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	close(dir);
	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && is_ours(cache, &st))
		data = malloc((size_t)st.st_size);
	while (data && n > 0 && at < (size_t)st.st_size) {
		n = read(fd, data + at, (size_t)st.st_size - at);
		at += n > 0 ? (size_t)n : 0;
	}
	close(fd);
	if (data && at == (size_t)st.st_size) {
		*len = at;
		return data;
	}
	free(data);
	return NULL;
}

static __u32 sum_of(const char *data, size_t len)
{
	size_t from = offsetof(struct header, sum) + sizeof(__u32);

	return tap_crc32c(0, data + from, len - from);
}

/* The lists behind a header. */
struct lists {
	const struct entry *entries;
	const struct pair *tracepoints;
	const __u32 *modules;
	char *text;
};

static bool find_lists(struct lists *l, char *data, size_t len)
{
	const struct header *h = (const struct header *)data;
	__u64 at = sizeof(*h);

	l->entries = (const struct entry *)(data + at);
	at += (__u64)h->nr * sizeof(*l->entries);
	l->tracepoints = (const struct pair *)(data + at);
	at += (__u64)h->nr_tracepoints * sizeof(*l->tracepoints);
	l->modules = (const __u32 *)(data + at);
	at += (__u64)h->nr_modules * sizeof(*l->modules);
	l->text = data + at;
	at += h->text_len;
	return at == len && h->nr && h->text_len && !data[len - 1];
}

static bool is_valid(const char *data, size_t len,
		     const struct tap_symbols_key *key)
{
	const struct header *h = (const struct header *)data;

	return !memcmp(h->magic, MAGIC, sizeof(h->magic)) &&
	       h->version == VERSION && h->length == len &&
	       !memcmp(&h->key, key, sizeof(*key)) && h->sum == sum_of(data, len) &&
	       h->blacklist <= TAP_BLACKLIST_KERNEL;
}

/* Whether no number leads out of the lists: a made up file may have a right checksum. */
static bool fill_list(struct tap_symbols *syms, const struct header *h,
		      const struct lists *l)
{
	const struct entry *e = l->entries;
	__u32 i;

	for (i = 0; i < h->nr; i++, e++) {
		if (e->name >= h->text_len || e->module >= h->text_len ||
		    e->by_name >= h->nr || e->state >= __TAP_SYMBOL_STATES)
			return false;
		syms->list[i] = (struct tap_symbol) {
			.addr = e->addr,
			.name = l->text + e->name,
			.module = l->text + e->module,
			.order = i,
			.state = (uint8_t)e->state,
		};
		syms->by_name[i] = e->by_name;
		syms->counts[e->state]++;
	}
	for (i = 0; i < h->nr_tracepoints; i++) {
		if (l->tracepoints[i].name >= h->text_len ||
		    l->tracepoints[i].module >= h->text_len)
			return false;
		syms->tracepoints[i] = (struct tap_tracepoint) {
			l->text + l->tracepoints[i].name,
			l->text + l->tracepoints[i].module,
		};
	}
	for (i = 0; i < h->nr_modules; i++) {
		if (l->modules[i] >= h->text_len)
			return false;
		syms->modules[i] = l->text + l->modules[i];
	}
	return true;
}

/**
 * tap_symbols_cache_read() - read the file
 * @cache: the files
 * @key: of tap_symbols_key()
 *
 * Return: the symbols, sorted; NULL if there is no valid file.
 */
struct tap_symbols *tap_symbols_cache_read(const struct tap_symbols_cache *cache,
					   const struct tap_symbols_key *key)
{
	struct tap_symbols *syms;
	const struct header *h;
	struct lists lists;
	size_t len;
	char *data = read_file(cache, &len);

	if (!data)
		return NULL;
	h = (const struct header *)data;
	syms = is_valid(data, len, key) && find_lists(&lists, data, len) ?
	       calloc(1, sizeof(*syms)) : NULL;
	if (!syms) {
		free(data);
		return NULL;
	}
	syms->text = data;
	syms->nr = h->nr;
	syms->nr_tracepoints = h->nr_tracepoints;
	syms->nr_modules = h->nr_modules;
	syms->addresses = true;
	syms->cached = true;
	syms->blacklist = h->blacklist;
	syms->blacklist_unreadable = (int)h->blacklist_unreadable;
	syms->list = malloc(h->nr * sizeof(*syms->list));
	syms->by_name = malloc(h->nr * sizeof(*syms->by_name));
	syms->tracepoints = malloc((h->nr_tracepoints + 1) * sizeof(*syms->tracepoints));
	syms->modules = malloc((h->nr_modules + 1) * sizeof(*syms->modules));
	if (syms->list && syms->by_name && syms->tracepoints && syms->modules &&
	    fill_list(syms, h, &lists))
		return syms;
	tap_symbols_free(syms);
	return NULL;
}

/* -------------------------------------------------------------------- writing */

/* A file in memory: @data up to the text, then @text. Names are added as they come. */
struct image {
	char *data;
	size_t len;
	char *text;
	__u32 text_len;
	const char *module;	/* the module met last, and its place in the text */
	__u32 module_at;
};

static __u32 put_name(struct image *image, const char *name)
{
	__u32 at = image->text_len;
	size_t len = strlen(name) + 1;

	memcpy(image->text + at, name, len);
	image->text_len += (__u32)len;
	return at;
}

/* All symbols of a module share one string, and "" is the first one of the text. */
static __u32 put_module(struct image *image, const char *module)
{
	if (!*module)
		return 0;
	if (module != image->module) {
		image->module = module;
		image->module_at = put_name(image, module);
	}
	return image->module_at;
}

static bool is_kept(const struct tap_symbol *sym)
{
	return sym->state != TAP_SYMBOL_GENERATED;
}

/* Bytes that all names can take. */
static size_t text_room(const struct tap_symbols *syms)
{
	size_t len = 1, i;

	for (i = 0; i < syms->nr; i++)
		len += strlen(syms->list[i].name) + strlen(syms->list[i].module) + 2;
	for (i = 0; i < syms->nr_tracepoints; i++)
		len += strlen(syms->tracepoints[i].name) +
		       strlen(syms->tracepoints[i].module) + 2;
	for (i = 0; i < syms->nr_modules; i++)
		len += strlen(syms->modules[i]) + 1;
	return len;
}

/* @place: the place of each symbol among those that are kept. */
static void put_lists(struct image *image, struct header *h,
		      const struct tap_symbols *syms, __u32 *place)
{
	struct entry *entries = (struct entry *)(image->data + sizeof(*h));
	struct pair *pairs;
	__u32 *modules;
	size_t i;

	put_name(image, "");
	for (i = 0; i < syms->nr; i++) {
		place[i] = h->nr;
		if (!is_kept(&syms->list[i]))
			continue;
		entries[h->nr++] = (struct entry) {
			.addr = syms->list[i].addr,
			.name = put_name(image, syms->list[i].name),
			.module = put_module(image, syms->list[i].module),
			.state = syms->list[i].state,
		};
	}
	for (i = 0, h->nr = 0; i < syms->nr; i++)
		if (is_kept(&syms->list[syms->by_name[i]]))
			entries[h->nr++].by_name = place[syms->by_name[i]];
	pairs = (struct pair *)(entries + h->nr);
	h->nr_tracepoints = (__u32)syms->nr_tracepoints;
	for (i = 0; i < syms->nr_tracepoints; i++) {
		const struct tap_tracepoint *tp = &syms->tracepoints[i];

		pairs[i].name = put_name(image, tp->name);
		pairs[i].module = *tp->module ? put_name(image, tp->module) : 0;
	}
	modules = (__u32 *)(pairs + syms->nr_tracepoints);
	h->nr_modules = (__u32)syms->nr_modules;
	for (i = 0; i < syms->nr_modules; i++)
		modules[i] = put_name(image, syms->modules[i]);
	image->len = (size_t)((char *)(modules + syms->nr_modules) - image->data);
}

static int make_image(struct image *image, const struct tap_symbols_key *key,
		      const struct tap_symbols *syms)
{
	size_t text = text_room(syms);
	size_t room = sizeof(struct header) + syms->nr * sizeof(struct entry) +
		      syms->nr_tracepoints * sizeof(struct pair) +
		      syms->nr_modules * sizeof(__u32) + text;
	__u32 *place = malloc(syms->nr * sizeof(*place));
	struct header *h;

	if (room > MAX_FILE) {
		free(place);
		return -EFBIG;
	}
	*image = (struct image) { .data = calloc(1, room), .text = malloc(text) };
	if (!place || !image->data || !image->text) {
		free(place);
		free(image->data);
		free(image->text);
		return -ENOMEM;
	}
	h = (struct header *)image->data;
	memcpy(h->magic, MAGIC, sizeof(h->magic));
	h->version = VERSION;
	h->key = *key;
	h->blacklist = syms->blacklist;
	h->blacklist_unreadable = (__u32)syms->blacklist_unreadable;
	put_lists(image, h, syms, place);
	memcpy(image->data + image->len, image->text, image->text_len);
	image->len += image->text_len;
	h->text_len = image->text_len;
	h->length = image->len;
	h->sum = sum_of(image->data, image->len);
	free(place);
	free(image->text);
	return 0;
}

static int write_all(int fd, const char *data, size_t len)
{
	ssize_t n;

	for (; len; data += n, len -= (size_t)n) {
		n = write(fd, data, len);
		if (n < 0 && errno != EINTR)
			return -errno;
		n = n < 0 ? 0 : n;
	}
	return 0;
}

/*
 * Another tap may write at the same time, or was killed while it wrote. A tap that finds the
 * file of another removes it and gives up. What is then renamed may be incomplete, and is
 * ignored as such.
 */
static int write_file(int dir, const char *data, size_t len)
{
	int fd = openat(dir, NEW_NAME, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			0600);
	int ret;

	if (fd < 0) {
		ret = -errno;
		if (ret == -EEXIST)
			unlinkat(dir, NEW_NAME, 0);
		return ret;
	}
	ret = write_all(fd, data, len);
	if (close(fd) && !ret)
		ret = -errno;
	if (!ret && renameat(dir, NEW_NAME, dir, NAME))
		ret = -errno;
	if (ret)
		unlinkat(dir, NEW_NAME, 0);
	return ret;
}

/**
 * tap_symbols_cache_write() - write the file
 * @cache: the files
 * @key: of tap_symbols_key(), before the symbols were read
 * @syms: the symbols; are sorted
 *
 * Return: 0 or -errno; then the file is missing or as it was.
 */
int tap_symbols_cache_write(const struct tap_symbols_cache *cache,
			    const struct tap_symbols_key *key,
			    struct tap_symbols *syms)
{
	struct tap_symbols_key now;
	struct image image;
	int dir, ret;

	if (geteuid() != cache->owner || !syms->addresses || syms->unreadable)
		return -EPERM;
	/* A module that came meanwhile may be in the symbols or not. */
	ret = tap_symbols_key(&now, cache);
	if (ret || memcmp(key, &now, sizeof(now)))
		return ret ? ret : -EAGAIN;
	ret = tap_symbols_sort(syms);
	if (ret)
		return ret;
	if (mkdir(cache->dir, 0700) && errno != EEXIST)
		return -errno;
	dir = open_dir(cache);
	if (dir < 0)
		return dir;
	ret = make_image(&image, key, syms);
	if (!ret) {
		ret = write_file(dir, image.data, image.len);
		free(image.data);
	}
	close(dir);
	return ret;
}

/*
 * Reads the symbols out of the kernel's memory; NULL if that is not possible, or if a module came
 * or went meanwhile.
 */
static struct tap_symbols *read_tables(const struct tap_symbols_cache *cache,
				       const struct tap_symbols_key *key, const char *glob)
{
	struct tap_symbols *syms = calloc(1, sizeof(*syms));
	struct tap_symbols_key now;

	if (syms && !tap_symbol_tables_read(syms, &cache->symbols, glob) &&
	    !tap_symbols_key(&now, cache) && !memcmp(key, &now, sizeof(now))) {
		syms->cached = true;
		return syms;
	}
	tap_symbols_free(syms);
	return NULL;
}

/* tap_symbols_matching() with other files, for tests. */
struct tap_symbols *tap_symbols_matching_from(const struct tap_symbols_cache *cache,
					      const char *glob, struct tap_error *err)
{
	struct tap_symbols *syms = NULL;
	struct tap_symbols_key key;
	bool keep, all = !glob;

	keep = geteuid() == cache->owner && !tap_symbols_key(&key, cache);
	if (keep)
		syms = tap_symbols_cache_read(cache, &key);
	if (syms) {
		keep = false;
	} else if (keep) {
		syms = read_tables(cache, &key, glob);
	}
	if (syms && err) {
		memset(err, 0, sizeof(*err));
	} else if (!syms) {
		syms = tap_symbols_load_from(&cache->symbols, err);
		all = true;
	}
	/* It only makes the next start faster. */
	if (syms && keep && all)
		tap_symbols_cache_write(cache, &key, syms);
	return syms;
}

static struct tap_symbols_cache running(void)
{
	return (struct tap_symbols_cache) {
		.dir = "/run/tapmod",
		.owner = 0,
		.boot_id = "/proc/sys/kernel/random/boot_id",
		.symbols = tap_symbols_paths,
	};
}

/**
 * tap_symbols_matching() - as tap_symbols_cached(), or only those that match a glob
 * @glob: of names
 * @err: an error message on failure
 *
 * Return: the symbols, to be ended with tap_symbols_free(), or NULL. They may lack others.
 */
struct tap_symbols *tap_symbols_matching(const char *glob, struct tap_error *err)
{
	const struct tap_symbols_cache cache = running();

	return tap_symbols_matching_from(&cache, glob, err);
}

/**
 * tap_kallsyms_named() - call a function for the symbols of some names, data included
 * @names: the names; NULL ends them
 * @fn: as of tap_kallsyms_each()
 * @arg: passed to @fn
 *
 * Return: the last result of @fn; or -errno: then @fn may have been called, but the caller has to
 *	use tap_kallsyms_each().
 */
int tap_kallsyms_named(const char *const *names,
		       int (*fn)(const struct tap_kallsym *sym, void *arg), void *arg)
{
	const struct tap_symbols_cache cache = running();
	struct tap_symbols_key key, now;
	int ret = tap_symbols_key(&key, &cache);

	if (!ret)
		ret = tap_symbol_tables_named(&cache.symbols, names, fn, arg);
	/* A module may have come or gone meanwhile. */
	if (ret >= 0 && (tap_symbols_key(&now, &cache) || memcmp(&key, &now, sizeof(now))))
		ret = -EAGAIN;
	return ret;
}

struct tap_symbols *tap_symbols_cached(struct tap_error *err)
{
	return tap_symbols_matching(NULL, err);
}

bool tap_symbols_are_cached(const struct tap_symbols *syms)
{
	return syms && syms->cached;
}
