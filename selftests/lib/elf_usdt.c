// SPDX-License-Identifier: GPL-2.0
/*
 * Part of elf_test: USDT probes. A table of arguments; and probes of programs, compared with
 * readelf.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/elf_object.h"
#include "selftests/lib/check.h"
#include "selftests/lib/corrupt.h"
#include "selftests/lib/elf_programs.h"
#include "selftests/lib/elf_usdt.h"

/* ------------------------------------------------------ arguments of USDT */

#if defined(__x86_64__)
/* In the format of describe_arg(); offsets are in struct pt_regs. */
static const struct {
	const char *text;
	const char *args;
} args[] = {
	{ "-4@%eax", "s4 r80" },
	{ "8@%rdi 8@%rsi 1@%dl 2@%cx", "u8 r112, u8 r104, u1 r96, u2 r88" },
	{ "1@%ah", "u1 r80>>8" },
	{ "1@%dil 1@%bpl 2@%sp", "u1 r112, u1 r32, u2 r152" },
	{ "8@%r8 4@%r9d 2@%r10w 1@%r15b", "u8 r72, u4 r64, u2 r56, u1 r0" },
	{ "-4@$5 -4@$-1 8@$0x10", "s4 =5, s4 =-1, u8 =16" },
	{ "8@$18446744073709551615", "u8 =-1" },
	{ "-4@-20(%rbp)", "s4 [r32-20]" },
	{ "8@(%rax) 8@8(%rbx,%rcx,4)", "u8 [r80+0], u8 [r40+r88*4+8]" },
	{ "8@(%rax,%rbx)", "u8 [r80+r40*1+0]" },
	{ "8@(,%r12,8)", "u8 [r-1+r24*8+0]" },
	{ "8@16-4(%rsp)", "u8 [r152+12]" },
	{ "4@24(%rip)", "u4 [r128+24]" },
	{ "8@4096", "u8 [r-1+4096]" },
	{ "%rax", "u8 r80" },
	{ "8f@%xmm0 -8@%rax", "float u8 unknown, s8 r80" },
	{ "4f@-8(%rbp)", "float u4 [r32-8]" },
	{ "8@global(%rip) -2@2+s(%rip) -2@s+2-1(%rip) -8@list.0(,%rax,8)",
	  "u8 global[r128+0], s2 s[r128+2], s2 s[r128+1], s8 list.0[r-1+r80*8+0]" },
	{ "4@global 4@$9+global 8@$global 8@%fs:8 4@%cs",
	  "u4 global[r-1+0], u4 unknown, u8 unknown, u8 unknown, u4 unknown" },
	{ "8@%fs:tls@tpoff 8@5- 8@5+ 8@1+x+(%rax) 8@x@GOT(%rip) 8@x-y(%rip)",
	  "u8 unknown, u8 unknown, u8 unknown, u8 unknown, u8 unknown, u8 unknown" },
	{ "8@5+(%rax) 8@-x(%rip)", "u8 unknown, u8 unknown" },
	{ "16@%xmm1 3@(%rax)", "u8 unknown, u8 unknown" },
	{ "8@(%rax,%rbx,3) 8@8(%rax 8@$", "u8 unknown, u8 unknown, u8 unknown" },
	{ "", "" },
	{ "x@%rax", NULL },
	{ "@%rax", NULL },
	{ "99@%rax", NULL },
	{ "1@$1 1@$2 1@$3 1@$4 1@$5 1@$6 1@$7 1@$8 1@$9 1@$10 1@$11 1@$12",
	  "u1 =1, u1 =2, u1 =3, u1 =4, u1 =5, u1 =6, u1 =7, u1 =8, u1 =9, "
	  "u1 =10, u1 =11, u1 =12" },
	{ "1@$1 1@$2 1@$3 1@$4 1@$5 1@$6 1@$7 1@$8 1@$9 1@$10 1@$11 1@$12 1@$13",
	  NULL },
};
#else
static const struct {
	const char *text;
	const char *args;
} args[] = {
	{ "-4@x0 4@w1 8@sp", "s4 r0, u4 r8, u8 r248" },
	{ "8@[sp] -4@[sp, 12] 8@[x0, -8]", "u8 [r248+0], s4 [r248+12], u8 [r0-8]" },
	{ "8@[x1, x2, lsl 3] -4@7", "u8 [r8+r16*8+0], s4 =7" },
	{ "-4@[x0, #:lo12:global] 8@[x1, :lo12:s+8] 8@[x1, :lo12:]",
	  "s4 global[r0+0], u8 s[r8+8], u8 unknown" },
	{ "8f@d0", "float u8 unknown" },
	{ "", "" },
	{ "x@x0", NULL },
};
#endif

static void describe_arg(FILE *out, const struct tap_usdt_arg *arg)
{
	fprintf(out, "%s%c%u ", arg->is_float ? "float " : "",
		arg->is_signed ? 's' : 'u', arg->size);
	switch (arg->kind) {
	case TAP_USDT_CONST:
		fprintf(out, "=%lld", (long long)arg->value);
		break;
	case TAP_USDT_REG:
		fprintf(out, arg->shift ? "r%d>>%u" : "r%d", arg->reg,
			arg->shift);
		break;
	case TAP_USDT_SYMBOL:
		fprintf(out, "%.*s", (int)arg->symbol_len, arg->symbol);
		/* fall through */
	case TAP_USDT_MEMORY:
		fprintf(out, "[r%d", arg->reg);
		if (arg->index >= 0)
			fprintf(out, "+r%d*%u", arg->index, arg->scale);
		fprintf(out, "%+lld]", (long long)arg->value);
		break;
	case TAP_USDT_UNKNOWN:
		fprintf(out, "unknown");
	}
}

static char *describe(const struct tap_usdt *usdt)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	unsigned int i;

	for (i = 0; i < usdt->nr_args; i++) {
		fputs(i ? ", " : "", out);
		describe_arg(out, &usdt->args[i]);
	}
	fclose(out);
	return text;
}

void test_usdt_args(void)
{
	static const char letters[] = "0123456789abcdrxlsip@%$()-+, []f#w";
	struct tap_usdt usdt;
	char text[64], *got;
	unsigned int k;
	size_t i, n;

	for (i = 0; i < sizeof(args) / sizeof(args[0]); i++) {
		int code = tap_usdt_args(&usdt, args[i].text,
					 strlen(args[i].text));

		check(!code == !!args[i].args, "%s: %d", args[i].text, code);
		if (code || !args[i].args)
			continue;
		got = describe(&usdt);
		check(!strcmp(got, args[i].args), "%s: %s, not %s",
		      args[i].text, got, args[i].args);
		free(got);
	}
	for (k = 0; k < 300000; k++) {
		char *copy;

		n = rand() % sizeof(text);
		for (i = 0; i < n; i++)
			text[i] = letters[rand() % (sizeof(letters) - 1)];
		if (n > 4 && k & 1)
			memcpy(text, "-4@%", 4);
		/* A copy of the exact size: the sanitizer detects a read beyond it. */
		copy = memcpy(malloc(n + !n), text, n);
		tap_usdt_args(&usdt, copy, n);
		free(copy);
	}
	check(true, "random arguments");
}

/* --------------------------------------------------------------------- USDT */

/* Finds the place by offset and name; returns the last one if there is none. */
static const struct tap_usdt *find_usdt(const struct tap_usdt *list, size_t nr,
					const char *provider, const char *name,
					unsigned long long offset)
{
	while (nr-- > 1 && (list->offset != offset ||
			    strcmp(list->provider, provider) ||
			    strcmp(list->name, name)))
		list++;
	return list;
}

static void compare_usdt(const char *path, unsigned int at_least)
{
	const char *name = strchr(path, '/') ? path : path;
	unsigned long long location, base, semaphore;
	struct tap_usdt want = { 0 };
	char line[512], provider[128], probe[128], *colon, *a, *b;
	const struct tap_usdt *list, *got;
	struct segments segments;
	struct tap_error err = { 0 };
	struct tap_elf *elf;
	size_t nr = 0, i = 0;
	FILE *in;
	int code;

	code = *path == '/' ? tap_elf_open(&elf, path, &err) :
			      open_in_dir(&elf, path, &err);
	if (code || tap_elf_usdt(elf, &list, &nr, &err)) {
		check(false, "%s: %s", path, err.text);
		return;
	}
	check(nr >= at_least, "%s: %zu places", path, nr);
	read_segments(name, &segments);
	in = lines_of("readelf -n %s 2>/dev/null", name);
	while (fgets(line, sizeof(line), in) && i < nr) {
		sscanf(line, " Provider: %127s", provider);
		sscanf(line, " Name: %127s", probe);
		if (sscanf(line, " Location: %llx, Base: %llx, Semaphore: %llx",
			   &location, &base, &semaphore) == 3)
			continue;
		colon = strstr(line, "Arguments:");
		if (!colon)
			continue;
		colon += strlen("Arguments: ");
		if (tap_usdt_args(&want, colon, strcspn(colon, "\n")))
			check(false, "%s: %s", path, colon);
		got = find_usdt(list, nr, provider, probe,
				offset_of(&segments, location));
		a = describe(&want);
		b = describe(got);
		check(!strcmp(got->provider, provider) &&
		      !strcmp(got->name, probe) && !strcmp(a, b) &&
		      got->offset == offset_of(&segments, location) &&
		      got->semaphore == (semaphore ?
		      offset_of(&segments, semaphore) : 0),
		      "%s: place %zu, %s:%s", path, i, provider, probe);
		check(!strstr(b, "unknown") || strstr(line, "f@"),
		      "%s: %s:%s %s", path, provider, probe, b);
		free(a);
		free(b);
		i++;
	}
	pclose(in);
	check(i == nr, "%s: %zu places, not %zu", path, i, nr);
	for (i = 1; i < nr; i++)
		check(tap_usdt_same(&list[i - 1], &list[i]) ?
		      list[i - 1].offset < list[i].offset :
		      strcmp(list[i - 1].provider, list[i].provider) < 0 ||
		      strcmp(list[i - 1].name, list[i].name) < 0,
		      "%s: order of %zu", path, i);
	tap_elf_put(elf);
}

static unsigned long long symbol_addr(const char *name, const char *symbol)
{
	FILE *in = lines_of("nm %s 2>&1", name);
	unsigned long long addr, found = 0;
	char line[512], own[256];

	while (fgets(line, sizeof(line), in))
		if (sscanf(line, "%llx %*c %255s", &addr, own) == 2 &&
		    !strcmp(own, symbol))
			found = addr;
	pclose(in);
	return found;
}

#if defined(__x86_64__)
/* The displacement from the place of the probe, or an address. */
static void check_variables(const char *name, const char *got, bool fixed,
			    long long global, long long pair, long long table,
			    long long probe)
{
	char want[256];

	snprintf(want, sizeof(want), "s4 [r128%+lld], s2 [r128%+lld], s8 [r",
		 global - probe, pair - probe);
	check(!strncmp(got, want, strlen(want)), "%s: %s, not %s", name, got,
	      want);
	snprintf(want, sizeof(want), "*8%+lld]", table);
	check(!fixed || strstr(got, want), "%s: %s, not %s", name, got, want);
}

#define SYMBOLS	2
#else
/* Only the low part of an address; GCC has the rest in registers. */
static void check_variables(const char *name, const char *got,
			    __attribute__((unused)) bool fixed,
			    long long global,
			    __attribute__((unused)) long long pair,
			    __attribute__((unused)) long long table,
			    __attribute__((unused)) long long probe)
{
	long long value = -1;
	int reg = -1;

	check(sscanf(got, "s4 [r%d%lld], s2 [r", &reg, &value) == 2 &&
	      reg >= 0 && value == (global & 0xfff),
	      "%s: %s, not s4 [rN%+lld]", name, got, global & 0xfff);
}

#define SYMBOLS	1
#endif

static void test_variables(const char *name, bool fixed, bool known)
{
	long long global = symbol_addr(name, "global"), addr = 0;
	long long pair = symbol_addr(name, "pair");
	long long table = symbol_addr(name, "table");
	struct tap_error err = { 0 };
	const struct tap_usdt *list;
	struct segments segments;
	struct tap_elf *elf;
	unsigned int k;
	size_t nr, i;
	char *got;

	if (open_in_dir(&elf, name, &err) ||
	    tap_elf_usdt(elf, &list, &nr, &err)) {
		check(false, "%s: %s", name, err.text);
		return;
	}
	read_segments(name, &segments);
	for (i = 0; i < nr && strcmp(list[i].name, "variables"); i++)
		;
	if (i == nr) {
		check(false, "%s: variables", name);
		goto out;
	}
	for (k = 0; k < SYMBOLS; k++)
		check(list[i].nr_args == 3 &&
		      list[i].args[k].kind == TAP_USDT_SYMBOL,
		      "%s: variables are symbols before they are resolved", name);
	tap_elf_usdt_resolve(elf, &list[i]);
	if (!known) {
		check(list[i].args[0].kind == TAP_USDT_SYMBOL,
		      "%s: variables are not resolved without symbols", name);
		goto out;
	}
	addr = segments.addr[1] + (list[i].offset - segments.offset[1]);
	got = describe(&list[i]);
	check_variables(name, got, fixed, global, pair + 2, table, addr);
	free(got);
out:
	tap_elf_put(elf);
}

/* prelink(8) moves a program and its section .stapsdt.base, but does not change its notes. */
static void test_moved(void)
{
	static const char owner[] = "\3\0\0\0stapsdt";
	const struct tap_usdt *was, *is;
	struct tap_error err = { 0 };
	struct tap_elf *old, *moved;
	size_t size, nr, nr_moved, i;
	char path[128], *data, *at;
	uint64_t addr;

	snprintf(path, sizeof(path), "%s/usdt", elf_dir);
	data = damage_load(path, &size);
	for (at = data; (at = memmem(at, size - (at - data), owner,
				     sizeof(owner)));) {
		at += sizeof(owner);
		for (i = 0; i < 3; i++, at += sizeof(addr)) {
			memcpy(&addr, at, sizeof(addr));
			addr += addr ? 0x5000 : 0;
			memcpy(at, &addr, sizeof(addr));
		}
	}
	snprintf(path, sizeof(path), "%s/usdt_moved", elf_dir);
	damage_store(path, data, size);
	free(data);
	if (open_in_dir(&old, "usdt", &err) ||
	    open_in_dir(&moved, "usdt_moved", &err) ||
	    tap_elf_usdt(old, &was, &nr, &err) ||
	    tap_elf_usdt(moved, &is, &nr_moved, &err)) {
		check(false, "moved: %s", err.text);
		return;
	}
	check(nr == nr_moved, "moved: %zu places", nr_moved);
	for (i = 0; i < nr && i < nr_moved; i++)
		check(was[i].offset == is[i].offset &&
		      was[i].semaphore == is[i].semaphore &&
		      tap_usdt_same(&was[i], &is[i]), "moved: place %zu", i);
	tap_elf_put(old);
	tap_elf_put(moved);
}

void test_usdt(void)
{
	static const char *const packages[] = {
		"/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
		"/usr/bin/python3.11",
	};
	struct tap_error err = { 0 };
	const struct tap_usdt *list;
	struct tap_elf *elf;
	size_t nr, i;

	compare_usdt("usdt", 4);
	compare_usdt("usdt_pie", 4);
	compare_usdt("usdt.so", 4);
	test_moved();
	test_variables("usdt", true, true);
	test_variables("usdt_o2", false, true);
	test_variables("usdt_stripped", true, false);
	/* With two variables of a name neither is used. */
	test_variables("usdt_twice", false, false);
	for (i = 0; i < 2; i++)
		if (!access(packages[i], R_OK))
			compare_usdt(packages[i], 3);
	if (!open_in_dir(&elf, "exec", &err)) {
		check(tap_elf_usdt(elf, &list, &nr, &err) == -ENODATA &&
		      strstr(err.text, "has no USDT probes"), "%s", err.text);
		tap_elf_put(elf);
	}
}
