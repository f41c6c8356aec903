// SPDX-License-Identifier: LGPL-2.1
/*
 * Reads /proc/kallsyms.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/kallsyms.h"
#include "kernel/ksyms.h"
#include "kernel/symbols_scan.h"
#include "util/util.h"

#define FIRST_READ	(1 << 20)

/*
 * Reads a file into memory that the caller frees; a 0 follows the text. Files in /proc have no
 * size, so the buffer grows while reading. Returns 0 or -errno.
 */
int tap_read_all(const char *path, char **text, size_t *len)
{
	size_t room = FIRST_READ, at = 0;
	char *buf, *bigger;
	ssize_t n;
	int fd, ret;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	buf = malloc(room);
	if (!buf) {
		ret = -ENOMEM;
		goto err_close;
	}
	for (;;) {
		n = read(fd, buf + at, room - at - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			ret = -errno;
			goto err_free;
		}
		if (n == 0)
			break;
		at += n;
		if (room - at > 1)
			continue;
		bigger = realloc(buf, room * 2);
		if (!bigger) {
			ret = -ENOMEM;
			goto err_free;
		}
		buf = bigger;
		room *= 2;
	}
	close(fd);
	buf[at] = '\0';
	*text = buf;
	*len = at;
	return 0;

err_free:
	free(buf);
err_close:
	close(fd);
	return ret;
}

/* Reads 8 digits at once. Returns false if one of them is no digit as the kernel prints it. */
static bool read_digits(const char *p, uint64_t *value)
{
	const uint64_t ones = 0x0101010101010101, high = 0x80 * ones;
	uint64_t word, letters, digits;

	memcpy(&word, p, sizeof(word));
	word = le64toh(word);
	/* The high bit of each byte that is at least 'a' or '0', and not above 'f' or '9'. */
	letters = (word + (0x80 - 'a') * ones) & ~(word + (0x7f - 'f') * ones) & high;
	digits = (word + (0x80 - '0') * ones) & ~(word + (0x7f - '9') * ones) & high;
	if (word & high || (letters | digits) != high)
		return false;
	word = (word & 0x0f * ones) + (letters >> 7) * 9;
	word = (word << 4 | word >> 8) & 0x00ff00ff00ff00ff;
	word = (word << 8 | word >> 16) & 0x0000ffff0000ffff;
	*value = (word << 16 | word >> 32) & 0xffffffff;
	return true;
}

static char *read_address(char *p, const char *end, uint64_t *addr)
{
	uint64_t upper, lower;

	*addr = 0;
	if (end - p >= 16 && read_digits(p, &upper) && read_digits(p + 8, &lower)) {
		*addr = upper << 32 | lower;
		p += 16;
	}
	for (; p < end; p++) {
		if (*p >= '0' && *p <= '9')
			*addr = *addr << 4 | (*p - '0');
		else if (*p >= 'a' && *p <= 'f')
			*addr = *addr << 4 | (*p - 'a' + 10);
		else
			break;
	}
	return p;
}

/* Parses "ADDR TYPE NAME[\t[MODULE]]" and terminates its words with 0 in place. */
bool tap_kallsym_parse(char *p, char *end, struct tap_kallsym *line)
{
	uint64_t addr;
	char *tab;

	p = read_address(p, end, &addr);
	if (end - p < 4 || p[0] != ' ' || p[2] != ' ')
		return false;
	line->addr = addr;
	line->type = p[1];
	line->name = p + 3;
	line->module = "";
	if (end[-1] == ']') {
		tab = memchr(line->name, '\t', end - line->name);
		if (!tab || end - tab < 4 || tab[1] != '[')
			return false;
		line->module = tab + 2;
		end[-1] = '\0';
		end = tab;
	}
	line->len = end - line->name;
	*end = '\0';
	return line->len > 0;
}

/**
 * tap_kallsyms_each() - call a function for all symbols of the running kernel,
 *	including data
 * @fn: called in the order of the file; a result other than 0 ends the walk
 * @arg: passed to @fn
 *
 * Return: the last result of @fn, or -errno.
 */
int tap_kallsyms_each(int (*fn)(const struct tap_kallsym *sym, void *arg),
		      void *arg)
{
	struct tap_kallsym sym;
	char *text, *p, *end;
	size_t len;
	int ret = tap_read_all(TAP_KALLSYMS, &text, &len);

	if (ret)
		return ret;
	for (p = text; !ret && p < text + len; p = end + 1) {
		end = p + strcspn(p, "\n");
		if (tap_kallsym_parse(p, end, &sym))
			ret = fn(&sym, arg);
	}
	free(text);
	return ret;
}

/*
 * Fills in the symbols of a kernel. The caller has to call tap_symbols_free() also
 * after an error. Unreadable files are recorded in @syms and are no error: names then
 * go to the kernel unchecked.
 */
static int read_symbols(struct tap_symbols *syms,
			const struct tap_symbols_paths *paths)
{
	struct tap_symbols_scan *scan;
	const char *module = "";
	char *p, *end, *next;
	struct tap_kallsym line;
	size_t len;
	int ret;

	ret = tap_read_all(paths->kallsyms, &syms->text, &len);
	if (ret) {
		syms->unreadable = -ret;
		return ret == -ENOMEM ? ret : 0;
	}
	scan = tap_symbols_scan_begin(syms);
	if (!scan)
		return -ENOMEM;
	end = syms->text + len;
	for (p = syms->text; !ret && p < end; p = next) {
		char *eol = memchr(p, '\n', end - p);

		next = eol ? eol + 1 : end;
		if (!tap_kallsym_parse(p, eol ? eol : end, &line))
			continue;
		/* All symbols of a module share one string. */
		if (*line.module) {
			if (strcmp(line.module, module))
				module = line.module;
			line.module = module;
		}
		ret = tap_symbols_scan_line(scan, &line);
	}
	if (!ret)
		ret = tap_symbols_scan_end(scan, paths);
	tap_symbols_scan_free(scan);
	return ret;
}

/*
 * Reads the symbols from the given files, for tests. @err also explains missing
 * symbols. Returns symbols without entries if kallsyms cannot be read, and NULL if out
 * of memory.
 */
struct tap_symbols *tap_symbols_load_from(const struct tap_symbols_paths *paths,
					  struct tap_error *err)
{
	struct tap_symbols *syms;
	int ret;

	syms = calloc(1, sizeof(*syms));
	if (!syms) {
		tap_error_set(err, -ENOMEM, "out of memory");
		return NULL;
	}
	ret = read_symbols(syms, paths);
	if (ret) {
		tap_error_set(err, ret, "out of memory reading %s",
			      paths->kallsyms);
		tap_symbols_free(syms);
		return NULL;
	}
	if (syms->unreadable)
		tap_error_set(err, -syms->unreadable,
			      "cannot read %s: %s; names are not checked, and globs are not possible",
			      paths->kallsyms, strerror(syms->unreadable));
	else if (err)
		memset(err, 0, sizeof(*err));
	return syms;
}

const struct tap_symbols_paths tap_symbols_paths = {
	.kallsyms = TAP_KALLSYMS,
	.modules = "/proc/modules",
	.blacklist = "/sys/kernel/debug/kprobes/blacklist",
	.kcore = "/proc/kcore",
	.module_dir = "/sys/module",
};

struct tap_symbols *tap_symbols_load(struct tap_error *err)
{
	return tap_symbols_load_from(&tap_symbols_paths, err);
}
