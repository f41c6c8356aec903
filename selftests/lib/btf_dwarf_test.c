// SPDX-License-Identifier: GPL-2.0
/*
 * The types that libtap makes of debug information beside those of BTF, which pahole made of the same
 * debug information: of each struct and union that both have, the size, the members, their offsets,
 * widths and types are the same. Of a program that is compiled here, or of a module.
 * usage: btf_dwarf [BTF of vmlinux, BTF of the module, MODULE.ko]
 */
#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf.h"
#include "selftests/lib/check.h"
#include "types/btf.h"

#define MAX_SHOWN	10

static unsigned long compared, members, differ;

/* A type as text: what a test of equality needs. */
struct text {
	char at[65536];
	size_t len;
	unsigned long members;
};

static void __attribute__((format(printf, 2, 3))) put(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(t->at + t->len, sizeof(t->at) - t->len, fmt, ap);
	va_end(ap);
	t->len += (size_t)n;
	if (t->len >= sizeof(t->at))
		abort();
}

/* pahole makes one dimension of several. */
static void flatten(char *declared, size_t size)
{
	char *at, *from, *end;
	unsigned long nr;

	while ((at = strstr(declared, "]["))) {
		for (from = at; *from != '['; from--)
			;
		nr = strtoul(from + 1, NULL, 10) * strtoul(at + 2, &end, 10);
		end = strdup(end);
		if (!end)
			abort();
		snprintf(from, size - (size_t)(from - declared), "[%lu%s", nr, end);
		free(end);
	}
}

static int put_member(void *arg, const char *name, const struct tap_member *member)
{
	const struct tap_type *type = &member->type;
	struct text *t = arg;
	char declared[600];

	tap_type_declare(type, name, declared, sizeof(declared));
	flatten(declared, sizeof(declared));
	put(t, "%s at %u, %u bits: class %d, %s, %u bytes\n", declared, member->bit, member->bits,
	    type->cls, type->is_signed ? "signed" : "unsigned", type->size);
	t->members++;
	return 0;
}

static void describe(struct text *t, const struct tap_type *type)
{
	t->len = t->members = 0;
	put(t, "%u bytes\n", type->size);
	if (tap_type_members(type, put_member, t))
		abort();
}

static void show(const char *name, const struct text *btf, const struct text *dwarf)
{
	const char *a = btf->at, *b = dwarf->at;
	size_t n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	while (n && a[n - 1] != '\n')
		n--;
	printf("# %s: BTF %.*s; DWARF %.*s\n", name, (int)strcspn(a + n, "\n"), a + n,
	       (int)strcspn(b + n, "\n"), b + n);
}

static bool is_struct(const struct btf_type *t)
{
	return BTF_INFO_KIND(t->info) == BTF_KIND_STRUCT || BTF_INFO_KIND(t->info) == BTF_KIND_UNION;
}

/* Whether a type of BTF with the name is as the debug information says; there may be several. */
static void compare(const struct tap_btf *btf, __u32 id, struct tap_dwarf *dwarf)
{
	static struct text ours, theirs;
	const char *name = tap_btf_name(btf, tap_btf_type(btf, id)->name_off);
	struct tap_type type, described;

	if (!name || !*name || tap_dwarf_struct(dwarf, name, strlen(name), &described) ||
	    tap_type_make(btf, id, &type))
		return;
	describe(&ours, &described);
	describe(&theirs, &type);
	compared++;
	members += ours.members;
	if (!strcmp(ours.at, theirs.at))
		return;
	if (differ++ < MAX_SHOWN)
		show(name, &theirs, &ours);
}

/* @base: BTF of vmlinux, or NULL */
static void compare_file(const char *base_path, const char *btf_path, const char *ko)
{
	struct tap_btf *base = NULL, *btf = NULL;
	struct tap_dwarf *dwarf = NULL;
	struct tap_error err = { 0 };
	__u32 id;

	compared = members = differ = 0;
	if (ok((!base_path || !tap_btf_open(&base, base_path, NULL)) &&
	       !tap_btf_open(&btf, btf_path, base) && !tap_dwarf_open(&dwarf, ko, &err),
	       "it has BTF and debug information")) {
		for (id = 1; id < tap_btf_end(btf); id++)
			if (is_struct(tap_btf_type(btf, id)))
				compare(btf, id, dwarf);
		check(!differ && compared, "%s: %lu types with %lu members are the same, %lu differ", ko,
		      compared - differ, members, differ);
	}
	if (dwarf)
		tap_dwarf_close(dwarf);
	if (btf)
		tap_btf_close(btf);
	if (base)
		tap_btf_close(base);
}

static void compile_and_compare(void)
{
	static char dir[] = "/tmp/btf_dwarf_test.XXXXXX";
	char command[600], btf[64], ko[64];

	if (system("command -v pahole >/dev/null")) {
		printf("ok - # SKIP no pahole\n");
		return;
	}
	if (!mkdtemp(dir))
		abort();
	snprintf(ko, sizeof(ko), "%s/types.ko", dir);
	snprintf(btf, sizeof(btf), "%s/btf", dir);
	snprintf(command, sizeof(command),
		 "gcc -g -O2 -fno-eliminate-unused-debug-types -c -x c -o %s selftests/lib/dwarf_structs.h && pahole -J --btf_gen_floats %s && objcopy -O binary --only-section=.BTF --set-section-flags .BTF=alloc %s %s",
		 ko, ko, ko, btf);
	if (ok(!system(command), "a program gets debug information and BTF"))
		compare_file(NULL, btf, ko);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	if (system(command))
		abort();
}

int main(int argc, char **argv)
{
	if (argc == 4)
		compare_file(argv[1], argv[2], argv[3]);
	else
		compile_and_compare();
	return check_end();
}
