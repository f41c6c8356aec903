// SPDX-License-Identifier: GPL-2.0
/*
 * Part of spec_test: the functions that a func: glob matches, of a small kernel in files: with
 * addresses, which kernels list since 6.5, and with names only.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "selftests/lib/check.h"
#include "selftests/lib/spec_functions.h"
#include "selftests/lib/fake_symbols.h"
#include "spec/spec.h"
#include "resolve/resolve_func.h"

/*
 * "twice" has two functions, both can be traced; of "once" and of "same" only one of two can be
 * traced.
 */
static const char functions_kallsyms[] =
	"ffffffff81000000 T vfs_read\n"
	"ffffffff81000100 T vfs_write\n"
	"ffffffff81000200 t twice\n"
	"ffffffff81000300 t twice\n"
	"ffffffff81000400 t once\n"
	"ffffffff81000500 t once\n"
	"ffffffff81000600 D vfs_data\n"
	"ffffffffc0000000 t vfs_read\t[ext4]\n"
	"ffffffffc0000100 t ext4_sync\t[ext4]\n";

static const char functions_names[] =
	"vfs_read\nonce\ntwice\nvfs_write\nvfs_data\ntwice\n"
	"vfs_gone\nvfs_read [ext4]\next4_sync [ext4]\n";

static const char functions_addrs[] =
	"ffffffff81000000 vfs_read\nffffffff81000500 once\nffffffff81000300 twice\n"
	"ffffffff81000100 vfs_write\nffffffff81000200 twice\n0 vfs_gone\n"
	"ffffffffc0000000 vfs_read [ext4]\nffffffffc0000100 ext4_sync [ext4]\n";

/* The sum of addresses identifies a set: all sums differ. */
static const struct {
	const char *module;
	const char *name;
	size_t nr_addrs;
	__u64 sum_addrs;
	size_t nr_names;
	__u64 sum_names;
	size_t unsure;
} functions_rows[] = {
	{ "", "vfs_write", 1, 0x100, 1, 0x100, 0 },
	{ "ext4", "vfs_read", 1, 0x40000000 - 0x1000000, 1,
	  0x40000000 - 0x1000000, 0 },
	{ "ext4", "*", 2, 0x80000100 - 0x2000000, 2, 0x80000100 - 0x2000000, 0 },
	{ "", "twice", 2, 0x500, 2, 0x500, 0 },
	{ "", "once", 1, 0x500, 0, 0, 2 },
	{ "", "[ot]*e", 3, 0xa00, 2, 0x500, 2 },
	{ "", "vfs_[dg]*", 0, 0, 0, 0, 0 },
	{ "xfs", "*", 0, 0, 0, 0, 0 },
};

/* The low 32 bits relative to vmlinux suffice. */
static bool functions_are(const struct tap_functions *found, size_t nr,
			  __u64 sum, size_t unsure)
{
	size_t i;

	for (i = 0; i < found->nr; i++)
		sum -= found->addrs[i] - 0xffffffff81000000ULL;
	return found->nr == nr && !sum && found->unsure == unsure;
}

static void functions_in(const char *dir, const struct tap_symbols *syms,
			 bool with_addrs)
{
	struct tap_functions found;
	size_t i;

	for (i = 0; i < sizeof(functions_rows) / sizeof(*functions_rows); i++) {
		struct tap_target target = { .offset = 0 };
		struct tap_error err;
		int ret;

		snprintf(target.module, sizeof(target.module), "%s",
			 functions_rows[i].module);
		snprintf(target.name, sizeof(target.name), "%s",
			 functions_rows[i].name);
		ret = tap_functions_find_in(dir, syms, &target, &found, &err);
		check(!ret && (with_addrs ?
			functions_are(&found, functions_rows[i].nr_addrs,
				      functions_rows[i].sum_addrs, 0) :
			functions_are(&found, functions_rows[i].nr_names,
				      functions_rows[i].sum_names,
				      functions_rows[i].unsure)),
		      "func:%s:%s by %s", target.module, target.name,
		      with_addrs ? "addresses" : "names");
		free(found.addrs);
	}
}

void test_functions(void)
{
	char dir[] = "/tmp/tap-functions-test-XXXXXX", path[64];
	struct tap_target target = { .name = "vfs_*" };
	struct tap_functions found;
	struct tap_symbols *syms;
	struct tap_error err;

	if (!mkdtemp(dir))
		abort();
	syms = load_symbols(dir, functions_kallsyms);
	if (tap_symbols_sort(syms))
		abort();
	check(tap_functions_find_in(dir, syms, &target, &found, &err) == -ENOENT &&
	      !found.addrs && strstr(err.text, "available_filter_functions"),
	      "no list of functions");
	native_write(dir, "available_filter_functions", functions_names);
	functions_in(dir, syms, false);
	/* If both files exist, the addresses are used. */
	native_write(dir, "available_filter_functions_addrs", functions_addrs);
	functions_in(dir, syms, true);
	snprintf(path, sizeof(path), "%s/available_filter_functions", dir);
	unlink(path);
	snprintf(path, sizeof(path), "%s/available_filter_functions_addrs", dir);
	unlink(path);
	rmdir(dir);
	tap_symbols_free(syms);
}
