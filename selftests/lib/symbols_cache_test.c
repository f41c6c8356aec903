// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of the file that keeps the kernel's symbols: what it has, when it is ignored, and
 * files that were damaged or made up.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/symbols_cache.h"
#include "selftests/lib/check.h"
#include "selftests/lib/tmpfile.h"
#include "util/crc32c.h"
#include "util/util.h"

#define BOOT	"0f8fad5b-d9cb-469f-a165-70867728950e\n"
#define MODULES	\
	"ext4 900000 1 - Live 0xffffffffc0400000\n"	\
	"tapmod 300000 0 ext4, Live 0xffffffffc0200000 (OE)\n"
#define KALLSYMS	\
	"ffffffff81000000 T _stext\n"			\
	"ffffffff81000100 T vfs_read\n"			\
	"ffffffff81000200 T vfs_write\n"		\
	"ffffffff81000300 t helper\n"			\
	"ffffffff81000400 t helper\n"			\
	"ffffffff81000500 T __traceiter_sched_switch\n"	\
	"ffffffff81000600 t vfs_read.cold\n"		\
	"ffffffff81000700 T bad_place\n"		\
	"ffffffff81000810 T __ia32_sys_write\n"		\
	"ffffffff81000820 t __pfx_write_it\n"		\
	"ffffffff81000830 T __ia32_sys_read\n"		\
	"ffffffff81000840 t __pfx_write\n"		\
	"ffffffff81000850 T __ia32_sys_readv\n"		\
	"ffffffff81000860 t __pfx_helper\n"		\
	"ffffffff81000870 t __pfx_helper\n"		\
	"ffffffff81000880 T __pfw\n"			\
	"ffffffff81000890 T __pfy_after\n"		\
	"ffffffff810008a0 T __ia32_sys_readlinkat\n"	\
	"ffffffff810008b0 T A_first\n"			\
	"ffffffff81100000 T _etext\n"			\
	"ffffffff82000000 D a_variable\n"		\
	"ffffffffc0400100 t ext4_read\t[ext4]\n"	\
	"ffffffffc0400000 t ext4_open\t[ext4]\n"	\
	"ffffffffc0200000 t tap_open\t[tapmod]\n"	\
	"ffffffffc0900000 t bpf_prog_1\t[bpf]\n"
#define BLACKLIST	"0xffffffff81000700-0xffffffff81000780\tbad_place\n"

static char dir[] = "/tmp/symbols_cache.XXXXXX";
static char cache_dir[64], file[96], new_file[104], boot_id[64], modules[64], kallsyms[64],
	blacklist[64], module_dir[64];

static struct tap_symbols_cache cache = {
	.dir = cache_dir,
	.boot_id = boot_id,
	.symbols = { kallsyms, modules, blacklist, .kcore = "/dev/null", .module_dir = module_dir },
};

static void reset(void)
{
	native_write(dir, "boot_id", BOOT);
	native_write(dir, "modules", MODULES);
	native_write(dir, "kallsyms", KALLSYMS);
	native_write(dir, "blacklist", BLACKLIST);
	cache.owner = geteuid();
}

static void sysfs(const char *module, bool there)
{
	char path[96];

	snprintf(path, sizeof(path), "%s/%s", module_dir, module);
	if (there ? mkdir(path, 0700) : rmdir(path))
		abort();
}

/* Loads the symbols; returns whether they came out of the file. */
static bool from_file(void)
{
	struct tap_symbols *syms = tap_symbols_matching_from(&cache, NULL, NULL);
	bool cached = tap_symbols_are_cached(syms);

	if (!syms)
		abort();
	tap_symbols_free(syms);
	return cached;
}

/* Makes a valid file. */
static void fresh(void)
{
	reset();
	unlink(file);
	unlink(new_file);
	from_file();
	if (access(file, F_OK))
		abort();
}

static bool equal(const struct tap_symbols *a, const struct tap_symbols *b)
{
	size_t i, k = 0;

	for (i = 0; i < a->nr; i++) {
		const struct tap_symbol *x = &a->list[i], *y = &b->list[k];

		/* The one that the kernel generated is not kept. */
		if (x->state == TAP_SYMBOL_GENERATED)
			continue;
		if (k++ >= b->nr || x->addr != y->addr || x->state != y->state ||
		    strcmp(x->name, y->name) || strcmp(x->module, y->module))
			return false;
	}
	for (i = 0; i < a->nr_tracepoints && a->nr_tracepoints == b->nr_tracepoints; i++)
		if (strcmp(a->tracepoints[i].name, b->tracepoints[i].name) ||
		    strcmp(a->tracepoints[i].module, b->tracepoints[i].module))
			return false;
	return k == b->nr && k == a->nr - 1 && i == a->nr_tracepoints && i == 1 &&
	       a->nr_modules == b->nr_modules && b->nr_modules == 2 &&
	       !strcmp(b->modules[0], "ext4") && a->blacklist == b->blacklist &&
	       a->blacklist_unreadable == b->blacklist_unreadable && b->addresses &&
	       !b->counts[TAP_SYMBOL_GENERATED] &&
	       a->counts[TAP_SYMBOL_OK] == b->counts[TAP_SYMBOL_OK];
}

static void test_contents(void)
{
	struct tap_symbols *read, *kept;
	const struct tap_symbol *sym;
	char name[64];
	struct stat st;
	size_t i;

	reset();
	read = tap_symbols_matching_from(&cache, NULL, NULL);
	check(read && !tap_symbols_are_cached(read), "without a file the symbols are read");
	check(!stat(file, &st) && (st.st_mode & 07777) == 0600 && st.st_uid == geteuid(),
	      "and a file is written that only its owner can read");
	check(!stat(cache_dir, &st) && (st.st_mode & 07777) == 0700, "in a directory of the same");
	check(access(new_file, F_OK), "no temporary file is left");
	kept = tap_symbols_matching_from(&cache, NULL, NULL);
	check(tap_symbols_are_cached(kept), "then they come out of the file");
	check(read && kept && equal(read, kept), "and are the same without generated code");
	for (i = 1; i < kept->nr; i++) {
		const struct tap_symbol *a = tap_symbols_by_name(kept, i - 1);
		int diff;

		sym = tap_symbols_by_name(kept, i);
		diff = strcmp(a->name, sym->name);
		if (diff > 0 || (!diff && a->order > sym->order))
			break;
	}
	check(i == kept->nr, "in the order of names, place %zu", i);
	i = tap_symbols_lower(kept, "vfs_read");
	sym = tap_symbols_by_name(kept, i);
	check(!strcmp(sym->name, "vfs_read") && sym->addr == 0xffffffff81000100,
	      "sorted by name");
	check(!tap_symbols_lookup(kept, 0xffffffffc0400123, name, sizeof(name)) &&
	      !strcmp(name, "ext4_read+0x23 [ext4]"), "and by address");
	check(tap_symbols_has_module(kept, "tapmod") && !tap_symbols_has_module(kept, "bpf"),
	      "with the modules");
	tap_symbols_free(read);
	tap_symbols_free(kept);
}

static void test_key(void)
{
	fresh();
	native_write(dir, "modules",
		     "ext4 900000 7 jbd2,crc16, Live 0xffffffffc0400000 (E)\n"
		     "tapmod 300000 1 - Live 0xffffffffc0200000\n");
	check(from_file(), "who uses a module does not matter");
	native_write(dir, "boot_id", "0f8fad5b-d9cb-469f-a165-70867728950f\n");
	check(!from_file() && from_file(), "after another boot the file is written again");
	native_write(dir, "modules", "ext4 900000 1 - Live 0xffffffffc0400000\n");
	check(!from_file() && from_file(), "without a module as well");
	native_write(dir, "modules", "ext4 900000 1 - Live 0xffffffffc0500000\n");
	check(!from_file() && from_file(), "at another address as well");
	native_write(dir, "modules", "ext4 900001 1 - Live 0xffffffffc0500000\n");
	check(!from_file() && from_file(), "with another size as well");
	unlink(blacklist);
	check(!from_file() && from_file(), "without the blacklist as well");
	fresh();
	native_write(dir, "modules", "ext4 900000 1 - Coming 0xffffffffc0400000\n");
	check(!from_file() && !from_file(), "not while a module is loaded");
	native_write(dir, "modules", "ext4 900000 1 - Live 0x0000000000000000\n");
	check(!from_file() && !from_file(), "not where addresses are hidden");
	native_write(dir, "modules", "");
	check(!from_file() && !from_file(), "not if no module tells whether they are");
	native_write(dir, "modules", "ext4 900000\n");
	check(!from_file() && !from_file(), "not with modules that cannot be read");
	reset();
	native_write(dir, "boot_id", "short\n");
	check(!from_file() && !from_file(), "not without a boot id");
	unlink(boot_id);
	check(!from_file() && !from_file(), "not without its file");
	reset();
	check(from_file(), "after all of this the first file is still valid");
	unlink(file);
	native_write(dir, "kallsyms", "0000000000000000 T vfs_read\n");
	check(!from_file() && access(file, F_OK), "hidden symbols are not written");
}

/* Another build, of as many pages, at the same address. */
static void test_reload(void)
{
	struct tap_symbols *syms;
	char path[96], new_path[96], name[64];

	fresh();
	/* While both directories are there, they have different inode numbers. */
	sysfs("new", true);
	sysfs("ext4", false);
	check(!from_file() && !from_file(), "not without the directory of a module in sysfs");
	snprintf(path, sizeof(path), "%s/ext4", module_dir);
	snprintf(new_path, sizeof(new_path), "%s/new", module_dir);
	if (rename(new_path, path))
		abort();
	native_write(dir, "kallsyms", "ffffffff81000000 T _stext\nffffffff81100000 T _etext\n"
		     "ffffffffc0400080 t ext4_new\t[ext4]\n");
	syms = tap_symbols_matching_from(&cache, NULL, NULL);
	check(!tap_symbols_are_cached(syms) &&
	      !tap_symbols_lookup(syms, 0xffffffffc0400123, name, sizeof(name)) &&
	      !strcmp(name, "ext4_new+0xa3 [ext4]"),
	      "another build of a module at the same address has its own symbols");
	tap_symbols_free(syms);
	check(from_file(), "which are kept");
}

static void test_owner(void)
{
	char other[96];

	fresh();
	check(!chmod(file, 0640) && !from_file(), "a file that others can read is ignored");
	check(from_file(), "and replaced");
	check(!chmod(file, 0602) && !from_file() && from_file(), "one that others can write as well");
	check(!chmod(cache_dir, 0777) && !from_file() && !from_file(),
	      "a directory that others can write is not used");
	check(!chmod(cache_dir, 0700) && from_file(), "else it is");
	cache.owner++;
	check(!from_file() && !from_file(), "nor are files of another user");
	reset();
	snprintf(other, sizeof(other), "%s/other", dir);
	check(!link(file, other) && !from_file() && from_file(),
	      "a file with two names is replaced");
	unlink(other);
	check(!rename(file, other) && !symlink(other, file) && !from_file() && from_file(),
	      "a link to a file is replaced");
	unlink(other);
	check(!unlink(file) && !mkdir(file, 0700) && !from_file() && !from_file(),
	      "a directory in its place is left");
	rmdir(file);
	check(!mkfifo(file, 0600) && !from_file() && from_file(), "a FIFO is replaced");
	check(!unlink(file) && !mkfifo(new_file, 0600) && !from_file() && !from_file() &&
	      from_file(), "what another left of its writing is removed");
}

static char *slurp(size_t *len)
{
	FILE *f = fopen(file, "r");
	char *data = malloc(1 << 16);

	if (!f || !data)
		abort();
	*len = fread(data, 1, 1 << 16, f);
	fclose(f);
	return data;
}

static void spit(const char *data, size_t len)
{
	FILE *f = fopen(file, "w");

	if (!f || fwrite(data, 1, len, f) != len || fclose(f))
		abort();
}

/* Whether the file as it is now is taken; uses all of its symbols. */
static bool taken(void)
{
	struct tap_symbols_key key;
	struct tap_symbols *syms;
	char name[64];
	size_t i, sum = 0;

	if (tap_symbols_key(&key, &cache))
		abort();
	syms = tap_symbols_cache_read(&cache, &key);
	if (!syms)
		return false;
	for (i = 0; i < syms->nr; i++)
		sum += strlen(tap_symbols_by_name(syms, i)->name) + strlen(syms->list[i].module);
	for (i = 0; i < syms->nr_tracepoints; i++)
		sum += strlen(syms->tracepoints[i].name) + strlen(syms->tracepoints[i].module);
	for (i = 0; i < syms->nr_modules; i++)
		sum += strlen(syms->modules[i]);
	tap_symbols_lookup(syms, 0xffffffffc0400123, name, sizeof(name));
	tap_symbols_lower(syms, "vfs_read");
	tap_symbols_has_module(syms, "ext4");
	tap_symbols_tracepoint(syms, "sched_switch");
	tap_symbols_free(syms);
	return sum || true;
}

static void test_damage(void)
{
	size_t len, i, k, wrong = 0;
	char *good, *data;

	fresh();
	good = slurp(&len);
	data = malloc(len + 8);
	check(taken(), "the whole file is taken");
	for (i = 0; i < len; i++) {
		spit(good, i);
		wrong += taken();
	}
	check(!wrong, "a file that is cut anywhere is ignored");
	memcpy(data, good, len);
	memset(data + len, 0, 8);
	spit(data, len + 8);
	check(!taken(), "one that is too long as well");
	for (i = 0, wrong = 0; i < len * 8; i++) {
		data[i / 8] ^= (char)(1 << i % 8);
		spit(data, len);
		wrong += taken();
		data[i / 8] ^= (char)(1 << i % 8);
	}
	check(!wrong, "one with a bit changed as well");
	/* With the right checksum only the checks of each number are left. */
	for (i = 16, wrong = 0; i + 4 <= len; i += 4) {
		for (k = 0; k < 3; k++) {
			static const __u32 values[] = { 0xffffffff, 0x7fffffff, 0x10000 };
			__u32 sum;

			memcpy(data, good, len);
			memcpy(data + i, &values[k], 4);
			sum = tap_crc32c(0, data + 16, len - 16);
			memcpy(data + 12, &sum, 4);
			spit(data, len);
			wrong += taken();
		}
	}
	check(wrong < len, "made up numbers crash nothing (%zu files are taken)", wrong);
	spit(good, len);
	check(taken(), "the first one is still taken");
	free(good);
	free(data);
}

int main(void)
{
	native_dir(dir);
	snprintf(cache_dir, sizeof(cache_dir), "%s/cache", dir);
	snprintf(file, sizeof(file), "%s/symbols", cache_dir);
	snprintf(new_file, sizeof(new_file), "%s.new", file);
	snprintf(boot_id, sizeof(boot_id), "%s/boot_id", dir);
	snprintf(modules, sizeof(modules), "%s/modules", dir);
	snprintf(kallsyms, sizeof(kallsyms), "%s/kallsyms", dir);
	snprintf(blacklist, sizeof(blacklist), "%s/blacklist", dir);
	snprintf(module_dir, sizeof(module_dir), "%s/module", dir);
	if (mkdir(module_dir, 0700))
		abort();
	sysfs("ext4", true);
	sysfs("tapmod", true);
	test_contents();
	test_key();
	test_reload();
	test_owner();
	test_damage();
	sysfs("ext4", false);
	sysfs("tapmod", false);
	rmdir(module_dir);
	unlink(file);
	rmdir(cache_dir);
	unlink(boot_id);
	unlink(modules);
	unlink(kallsyms);
	unlink(blacklist);
	rmdir(dir);
	return check_end();
}
