// SPDX-License-Identifier: GPL-2.0
/*
 * Programs and libraries: small ones are built here, and what libtap says of them
 * is compared with what nm, readelf, addr2line, c++filt and objdump say; then the
 * same damaged at random. To be built with sanitizers.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gelf.h>

#include "cut_file.h"
#include "damage.h"
#include "elf.h"
#include "elf_programs.h"

#define CHECK_QUIET
#include "native_check.h"

#define MAX_SEGMENTS	16
#define DAMAGED		800

static char dir[] = "/tmp/tap-elf-test-XXXXXX";

/* Runs a command in the test's directory. */
__attribute__((format(printf, 1, 2)))
static bool run(const char *fmt, ...)
{
	char command[4096];
	va_list ap;
	int n;

	n = snprintf(command, sizeof(command), "cd %s && ", dir);
	va_start(ap, fmt);
	vsnprintf(command + n, sizeof(command) - n, fmt, ap);
	va_end(ap);
	return !system(command);
}

static FILE *lines_of(const char *fmt, const char *name)
{
	char command[512], tail[256];

	snprintf(tail, sizeof(tail), fmt, name);
	snprintf(command, sizeof(command), "cd %s && %s", dir, tail);
	return popen(command, "r");
}

static void write_file(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	if (!f || fputs(text, f) < 0 || fclose(f))
		abort();
}

static int open_in_dir(struct tap_elf **elf, const char *name,
		       struct tap_error *err)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return tap_elf_open(elf, path, err);
}

/* ------------------------------------------------------ arguments of USDT */

#if defined(__x86_64__)
/* As describe_arg() says it; offsets in struct pt_regs. */
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

static void test_args(void)
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
		/* Of its exact size, so that a byte too much is seen. */
		copy = memcpy(malloc(n + !n), text, n);
		tap_usdt_args(&usdt, copy, n);
		free(copy);
	}
	check(true, "random arguments");
}

/* ------------------------------------------------------------ the programs */

static bool build(void)
{
	write_file("plain.c", plain_c);
	write_file("cxx.cc", cxx_cc);
	write_file("usdt.c", usdt_c);
	write_file("versions.c", versions_c);
	write_file("versions.map", versions_map);
	write_file("aliases.s", aliases_s);
	write_file("script", "#!/bin/sh\nexit\n");
	write_file("text", "no program at all\n");
	write_file("empty", "");
	return run("gcc -g -O2 -no-pie -o exec plain.c") &&
	       run("gcc -g -O1 -pie -fPIE -o pie plain.c") &&
	       run("gcc -g -O2 -shared -fPIC -o libplain.so.1.2 plain.c") &&
	       run("strip -o stripped pie") &&
	       run("strip -o dynamic libplain.so.1.2") &&
	       run("objcopy --only-keep-debug pie linked.debug") &&
	       run("strip -o linked pie") &&
	       run("objcopy --add-gnu-debuglink=linked.debug linked") &&
	       run("gcc -O1 -shared -fPIC -Wl,--version-script=versions.map -o versions.so versions.c") &&
	       run("strip -o versions_stripped.so versions.so") &&
	       run("gcc -shared -nostdlib -o aliases.so aliases.s") &&
	       run("for i in 1 2 3 4 5; do echo \"int unit$i(int n) { return n * $i; }\" > unit$i.c; done") &&
	       run("gcc -g -O1 -ffunction-sections -o units plain.c unit[1-5].c") &&
	       run("objcopy -R .debug_aranges units") &&
	       run("objcopy --redefine-sym outer=$(printf 'ou\\033[2Jter') exec escape") &&
	       run("objcopy --redefine-sym outer=$(printf 'ou\\302\\267ter') exec accent") &&
	       run("gcc -c -o object.o plain.c") &&
	       run("g++ -g -O1 -o cxx cxx.cc") &&
	       run("gcc -g -O2 -DSEMAPHORES -fno-pie -no-pie -o usdt usdt.c") &&
	       run("gcc -g -O0 -DSEMAPHORES -pie -fPIE -o usdt_pie usdt.c") &&
	       run("gcc -g -O2 -pie -fPIE -o usdt_o2 usdt.c") &&
	       run("strip -o usdt_stripped usdt") &&
	       run("gcc -O1 -shared -fPIC -o usdt.so usdt.c") &&
	       run("cp pie other; printf '\\267\\0' | dd of=other bs=1 seek=18 conv=notrunc status=none") &&
	       run("head -c 300 pie > cut");
}

/**
 * struct segments - what readelf says is loaded
 * @nr: entries of the others
 * @offset: in the file
 * @addr: in memory
 * @size: in the file
 */
struct segments {
	size_t nr;
	unsigned long long offset[MAX_SEGMENTS];
	unsigned long long addr[MAX_SEGMENTS];
	unsigned long long size[MAX_SEGMENTS];
};

static void read_segments(const char *name, struct segments *s)
{
	FILE *in = lines_of("readelf -lW %s 2>/dev/null", name);
	char line[512];

	s->nr = 0;
	while (fgets(line, sizeof(line), in))
		if (s->nr < MAX_SEGMENTS &&
		    sscanf(line, " LOAD %llx %llx %*x %llx", &s->offset[s->nr],
			   &s->addr[s->nr], &s->size[s->nr]) == 3)
			s->nr++;
	pclose(in);
}

static unsigned long long offset_of(const struct segments *s,
				    unsigned long long addr)
{
	size_t i;

	for (i = 0; i < s->nr; i++)
		if (addr >= s->addr[i] && addr - s->addr[i] < s->size[i])
			return addr - s->addr[i] + s->offset[i];
	return ~0ULL;
}

/* ---------------------------------------------------------------- functions */

static bool has(const struct tap_elf_function *list, size_t nr,
		const char *name, unsigned long long addr,
		unsigned long long size)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (list[i].addr == addr && list[i].size == size &&
		    !strcmp(list[i].name, name))
			return true;
	return false;
}

/* All that readelf calls a function is there, and nothing else. */
static void compare_functions(const char *name, const char *symbols)
{
	const struct tap_elf_function *list, *at;
	struct segments segments;
	unsigned long long addr;
	char line[4096], type[32], section[32], symbol[2048];
	struct tap_error err;
	struct tap_elf *elf;
	size_t nr, i, wrong = 0, seen = 0;
	long size;
	FILE *in;

	read_segments(name, &segments);
	if (open_in_dir(&elf, name, &err) ||
	    tap_elf_functions(elf, &list, &nr, &err)) {
		check(false, "%s: %s", name, err.text);
		return;
	}
	in = lines_of("readelf -sW %s", symbols);
	while (fgets(line, sizeof(line), in)) {
		if (sscanf(line, " %*[0-9]: %llx %li %31s %*s %*s %31s %2047[^@\n ]",
			   &addr, &size, type, section, symbol) != 5 ||
		    (strcmp(type, "FUNC") && strcmp(type, "IFUNC")) ||
		    !strcmp(section, "UND"))
			continue;
		seen++;
		if (!has(list, nr, symbol, addr, size)) {
			wrong++;
			printf("# %s: no %s\n", name, symbol);
		}
	}
	pclose(in);
	check(seen > 5 && !wrong, "%s: %zu of %zu functions are wrong", name,
	      wrong, seen);
	for (i = 0; i < nr; i++) {
		check(list[i].offset == offset_of(&segments, list[i].addr),
		      "%s: offset of %s", name, list[i].name);
		check(!i || list[i - 1].addr <= list[i].addr, "%s: order", name);
		at = tap_elf_at(elf, list[i].offset + list[i].size / 2);
		check(at && at->addr <= list[i].addr + list[i].size / 2,
		      "%s: at %s", name, list[i].name);
	}
	tap_elf_put(elf);
}

static int count(const struct tap_elf_function *fn, void *arg)
{
	(void)fn;
	++*(unsigned int *)arg;
	return 0;
}

static void matches(const char *name, const char *pattern, unsigned int want,
		    const char *sentence)
{
	struct tap_error err = { 0 };
	struct tap_elf *elf;
	unsigned int got = 0;
	int code;

	if (open_in_dir(&elf, name, &err)) {
		check(false, "%s: %s", name, err.text);
		return;
	}
	code = tap_elf_match(elf, pattern, count, &got, &err);
	check(got == want && !code == !!want, "%s: %u of %s (%d)", name, got,
	      pattern, code);
	check(!sentence || strstr(err.text, sentence), "%s of %s: %s", pattern,
	      name, err.text);
	tap_elf_put(elf);
}

/* The name that is shown of the place of a symbol. */
static void shown_as(const char *name, const char *symbol, unsigned int byte,
		     const char *want)
{
	const struct tap_elf_function *list, *fn = NULL;
	struct tap_error err = { 0 };
	struct tap_elf *elf;
	size_t nr, i;

	if (open_in_dir(&elf, name, &err) ||
	    tap_elf_functions(elf, &list, &nr, &err)) {
		check(false, "%s: %s", name, err.text);
		return;
	}
	for (i = 0; i < nr && strcmp(list[i].name, symbol); i++)
		;
	if (i < nr)
		fn = tap_elf_at(elf, list[i].offset + byte);
	check(fn && !strcmp(fn->name, want), "%s: %s is shown as %s, not %s",
	      name, symbol, fn ? fn->name : "nothing", want);
	tap_elf_put(elf);
}

static void test_aliases(void)
{
	/* No name speaks to the terminal; other letters are letters. */
	matches("escape", "ou\033[2Jter", 0, "no function matches ou?[2Jter");
	matches("escape", "ou?[2Jter", 1, NULL);
	matches("accent", "ou\302\267ter", 1, NULL);
	matches("versions_stripped.so", "thing", 2, NULL);
	matches("versions_stripped.so", "thing@V1", 0, NULL);
	matches("versions.so", "*thing", 2, NULL);
	shown_as("aliases.so", "__a", 0, "zzzzz");
	shown_as("aliases.so", "a_weak", 0, "zz_global");
	shown_as("aliases.so", "b_local", 0, "z_weak");
	shown_as("aliases.so", "aaa", 0, "zz");
	shown_as("aliases.so", "bb", 0, "ba");
	shown_as("aliases.so", "outside", 0, "a");
	shown_as("aliases.so", "a", 1, "outside");
}

static void test_functions(void)
{
	const struct tap_elf_function *fn;
	struct tap_error err;
	struct tap_elf *elf;

	compare_functions("exec", "exec");
	compare_functions("pie", "pie");
	compare_functions("libplain.so.1.2", "libplain.so.1.2");
	compare_functions("dynamic", "dynamic");
	compare_functions("linked", "pie");
	compare_functions("cxx", "cxx");

	matches("exec", "outer", 1, NULL);
	matches("exec", "weak_name", 1, NULL);
	/* A place once, by whichever name. */
	matches("exec", "*outer*", 1, NULL);
	matches("exec", "ou[st]er", 1, NULL);
	matches("exec", "otuer", 0, "did you mean outer?");
	matches("exec", "no*such", 0, "no function matches no*such");
	matches("cxx", "shop::Cart::add", 1, NULL);
	matches("cxx", "shop::Cart::operator[]", 1, NULL);
	matches("cxx", "shop::Cart::operator[](int) const", 1, NULL);
	matches("cxx", "_ZNK4shop4CartixEi", 1, NULL);
	matches("cxx", "shop::twice<*", 2, NULL);
	matches("cxx", "int shop::twice<int>(int)", 1, NULL);
	matches("cxx", "shop::Cart::ad", 0, "did you mean shop::Cart::add?");
	matches("stripped", "outer", 0, "install its debug symbols");
	if (!open_in_dir(&elf, "exec", &err)) {
		const struct tap_elf_function *list;
		size_t nr, i;

		tap_elf_functions(elf, &list, &nr, &err);
		for (i = 0; i < nr; i++) {
			fn = tap_elf_at(elf, list[i].offset);
			if (!strcmp(list[i].name, "chosen"))
				check(list[i].indirect, "an IFUNC");
			if (!strcmp(list[i].name, "weak_name"))
				check(fn && !strcmp(fn->name, "outer"),
				      "the name to be shown");
			if (!strcmp(list[i].name, "no_size"))
				check(fn && tap_elf_at(elf, list[i].offset + 2) == fn,
				      "a function without a size");
		}
		check(!tap_elf_at(elf, 1), "no function in the header");
		check(!tap_elf_at(elf, ~0ULL), "no function beyond the end");
		tap_elf_put(elf);
	}
}

/* ---------------------------------------------- lines, instructions, build-id */

static void compare_lines(const char *name)
{
	const struct tap_elf_function *list;
	char command[128], line[4096], want[256], got[256], *slash;
	struct tap_error err;
	struct tap_elf *elf;
	size_t nr, i, known = 0;
	FILE *in;

	if (open_in_dir(&elf, name, &err) ||
	    tap_elf_functions(elf, &list, &nr, &err))
		return;
	for (i = 0; i < nr; i++) {
		snprintf(command, sizeof(command), "addr2line -e %%s 0x%llx",
			 (unsigned long long)list[i].addr);
		in = lines_of(command, name);
		if (!fgets(line, sizeof(line), in))
			line[0] = '\0';
		pclose(in);
		slash = strrchr(line, '/');
		if (tap_elf_line(elf, list[i].offset, got, sizeof(got)))
			strcpy(got, "??:0");
		/* Of what has no line the file may be known: FILE:? */
		if (sscanf(slash ? slash + 1 : line, "%255[^ \n]", want) != 1 ||
		    strstr(want, ":?"))
			strcpy(want, "??:0");
		known += want[0] != '?';
		check(!strcmp(got, want) || (want[0] == '?' && got[0] == '?'),
		      "%s: %s is in %s, not %s", name, list[i].name, want, got);
	}
	check(known > 3, "%s: lines", name);
	tap_elf_put(elf);
}

/* Each byte of each function: is it the begin of an instruction? */
static void compare_instructions(const char *name)
{
	static unsigned char begins[1 << 20];
	const struct tap_elf_function *list;
	struct segments segments;
	unsigned long long addr, at;
	struct tap_error err;
	struct tap_elf *elf;
	size_t nr, i, off, wrong = 0, all = 0;
	char line[4096];
	FILE *in;

	read_segments(name, &segments);
	memset(begins, 0, sizeof(begins));
	in = lines_of("objdump -d --no-show-raw-insn %s", name);
	while (fgets(line, sizeof(line), in)) {
		if (sscanf(line, " %llx:", &addr) != 1)
			continue;
		at = offset_of(&segments, addr);
		if (at < sizeof(begins))
			begins[at] = 1;
	}
	pclose(in);
	if (open_in_dir(&elf, name, &err) ||
	    tap_elf_functions(elf, &list, &nr, &err))
		return;
	for (i = 0; i < nr; i++)
		for (off = 0; off < list[i].size; off++, all++)
			wrong += tap_elf_check(elf, &list[i], off) !=
				 (begins[list[i].offset + off] ? 0 : -EILSEQ);
	check(all > 200 && !wrong, "%s: %zu of %zu places in code are wrong",
	      name, wrong, all);
	for (i = 0; i < nr; i++)
		check(!list[i].size ||
		      tap_elf_check(elf, &list[i], list[i].size) == -ERANGE,
		      "%s: beyond %s", name, list[i].name);
	tap_elf_put(elf);
}

static void compare_build_id(const char *name)
{
	uint8_t id[TAP_BUILD_ID_MAX];
	char want[128] = "", got[2 * TAP_BUILD_ID_MAX + 1] = "", line[512];
	struct tap_error err;
	struct tap_elf *elf;
	size_t len, i;
	FILE *in = lines_of("readelf -n %s 2>/dev/null", name);

	while (fgets(line, sizeof(line), in))
		sscanf(line, " Build ID: %127s", want);
	pclose(in);
	if (open_in_dir(&elf, name, &err))
		return;
	len = tap_elf_build_id(elf, id);
	for (i = 0; i < len; i++)
		sprintf(got + 2 * i, "%02x", id[i]);
	check(len && !strcmp(want, got), "%s: build-id %s, not %s", name, want,
	      got);
	tap_elf_put(elf);
}

/* By build-id below /usr/lib/debug, of which a namespace of our own has its own. */
static void test_debug_dir(void)
{
	if (geteuid() || access("/usr/lib/debug", F_OK) ||
	    unshare(CLONE_NEWNS) ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/usr/lib/debug", "tmpfs", 0, NULL)) {
		printf("# no namespace for /usr/lib/debug\n");
		return;
	}
	check(run("id=$(readelf -n stripped | sed -n 's/.*Build ID: //p') && "
		  "d=/usr/lib/debug/.build-id/$(echo $id | cut -c1-2) && "
		  "mkdir -p $d && cp linked.debug $d/$(echo $id | cut -c3-).debug"),
	      "a debug file by its build-id");
	compare_functions("stripped", "pie");
	umount("/usr/lib/debug");
}

/* --------------------------------------------------------------------- USDT */

/* The place of an offset and a name; the last one if there is none. */
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

/* What lies in variables: x86's displacement from the place, or an address. */
static void test_variables(const char *name, bool fixed, bool known)
{
	long long global = symbol_addr(name, "global"), addr = 0;
	long long pair = symbol_addr(name, "pair");
	long long table = symbol_addr(name, "table");
	struct tap_error err = { 0 };
	const struct tap_usdt *list;
	struct segments segments;
	char want[256], *got;
	struct tap_elf *elf;
	size_t nr, i;

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
	check(list[i].nr_args == 3 && list[i].args[0].kind == TAP_USDT_SYMBOL &&
	      list[i].args[1].kind == TAP_USDT_SYMBOL,
	      "%s: variables before they are looked for", name);
	tap_elf_usdt_resolve(elf, &list[i]);
	if (!known) {
		check(list[i].args[0].kind == TAP_USDT_SYMBOL,
		      "%s: no variable without symbols", name);
		goto out;
	}
	addr = segments.addr[1] + (list[i].offset - segments.offset[1]);
	got = describe(&list[i]);
	snprintf(want, sizeof(want), "s4 [r128%+lld], s2 [r128%+lld], s8 [r",
		 global - addr, pair + 2 - addr);
	check(!strncmp(got, want, strlen(want)), "%s: %s, not %s", name, got,
	      want);
	snprintf(want, sizeof(want), "*8%+lld]", table);
	check(!fixed || strstr(got, want), "%s: %s, not %s", name, got, want);
	free(got);
out:
	tap_elf_put(elf);
}

static void test_usdt(void)
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
#if defined(__x86_64__)
	test_variables("usdt", true, true);
	test_variables("usdt_o2", false, true);
	test_variables("usdt_stripped", true, false);
#endif
	for (i = 0; i < 2; i++)
		if (!access(packages[i], R_OK))
			compare_usdt(packages[i], 3);
	if (!open_in_dir(&elf, "exec", &err)) {
		check(tap_elf_usdt(elf, &list, &nr, &err) == -ENODATA &&
		      strstr(err.text, "has no USDT probes"), "%s", err.text);
		tap_elf_put(elf);
	}
}

/* ------------------------------------------------------------ paths, errors */

static void test_errors(void)
{
	static const struct {
		const char *name;
		int code;
		const char *sentence;
	} errors[] = {
		{ "nothing", -ENOENT, "there is no such file" },
		{ ".", -EINVAL, "is a directory" },
		{ "fifo", -EINVAL, "no regular file" },
		{ "script", -ENOEXEC, "is a script; what runs is its interpreter: probe /bin/sh" },
		{ "text", -ENOEXEC, "no ELF file" },
		{ "empty", -ENOEXEC, "no ELF file" },
		{ "object.o", -ENOEXEC, "is an object file" },
		{ "other", -ENOEXEC, "for another kind of machine" },
		{ "cut", -ENOEXEC, "damaged" },
		{ "linked.debug", -ENOEXEC, "holds no code" },
	};
	struct tap_elf *elf;
	size_t i;

	run("mkfifo fifo");
	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		struct tap_error err = { 0 };
		int code = open_in_dir(&elf, errors[i].name, &err);

		check(code == errors[i].code &&
		      strstr(err.text, errors[i].sentence), "%s: %d %s",
		      errors[i].name, code, err.text);
		if (!code)
			tap_elf_put(elf);
	}
}

static void finds(const char *name, uint32_t pid, int code, const char *part)
{
	struct tap_error err = { 0 };
	char path[4096] = "";
	int got = tap_elf_find(name, pid, path, sizeof(path), &err);

	check(got == code && strstr(got ? err.text : path, part),
	      "find %s: %d %s%s", name, got, path, err.text);
}

/* What a process has mapped is found when its name leads elsewhere, or nowhere. */
static void test_deleted(void)
{
	char path[128], mapped[128];
	struct stat was = { 0 }, is = { 0 };
	struct tap_error err = { 0 };
	char found[4096];
	void *map;
	int fd;

	snprintf(path, sizeof(path), "%s/libgone.so.1", dir);
	run("cp usdt.so libgone.so.1");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	map = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (fd < 0 || map == MAP_FAILED || fstat(fd, &was))
		abort();
	finds("libgone", getpid(), 0, path);
	finds(path, getpid(), 0, path);
	run("cp usdt.so new; mv new libgone.so.1");
	snprintf(mapped, sizeof(mapped), "/proc/%d/map_files/%lx-%lx", getpid(),
		 (unsigned long)map, (unsigned long)map + 4096);
	if (stat(mapped, &is)) {
		printf("# no map_files\n");
	} else {
		finds("libgone", getpid(), 0, mapped);
		finds(path, getpid(), 0, mapped);
		check(!tap_elf_find(path, getpid(), found, sizeof(found), &err) &&
		      !stat(found, &is) && is.st_ino == was.st_ino,
		      "the file that is mapped");
		finds(path, 0, 0, path);
		run("rm libgone.so.1");
		finds(path, getpid(), 0, mapped);
		finds(path, 0, -ENOENT, "there is no file");
	}
	munmap(map, 4096);
	close(fd);
}

static void test_find(void)
{
	char name[128], *old = strdup(getenv("PATH"));
	struct tap_error err;
	struct tap_elf *elf;

	finds("libc", 0, 0, "/libc.so.6");
	finds("libc.so", 0, 0, "/libc.so.6");
	finds("libc.so.6", 0, 0, "/libc.so.6");
	finds("libc", getpid(), 0, "/libc.so.6");
	finds("libc", 99999999, -ESRCH, "there is no process 99999999");
	finds("ligc", 0, -ENOENT, "libc");
	finds("no such thing at all", 0, -ENOENT, "no library and no program");
	setenv("PATH", dir, 1);
	finds("pie", 0, 0, "/pie");
	finds("strippde", 0, -ENOENT, "did you mean stripped?");
	setenv("PATH", old, 1);
	free(old);
	snprintf(name, sizeof(name), "%s/exce", dir);
	finds(name, 0, -ENOENT, "did you mean exec?");
	snprintf(name, sizeof(name), "%s/exec", dir);
	finds(name, getpid(), 0, name);

	test_deleted();
	run("cp exec moved");
	if (!open_in_dir(&elf, "moved", &err)) {
		check(!tap_elf_replaced(elf), "not replaced");
		run("cp exec new && mv new moved");
		check(tap_elf_replaced(elf), "replaced");
		run("rm moved");
		check(!tap_elf_replaced(elf), "gone");
		tap_elf_put(elf);
	}
}

/* ------------------------------------------------------------------ damage */

static void try_all(const char *name, unsigned int *opened)
{
	const struct tap_elf_function *list;
	const struct tap_usdt *usdt;
	uint8_t id[TAP_BUILD_ID_MAX];
	struct tap_error err = { 0 };
	struct tap_elf *elf;
	char line[256];
	size_t nr, i;

	if (open_in_dir(&elf, name, &err)) {
		check(*err.text, "%s: an error without a sentence", name);
		return;
	}
	++*opened;
	tap_elf_build_id(elf, id);
	tap_elf_usdt(elf, &usdt, &nr, &err);
	if (!tap_elf_functions(elf, &list, &nr, &err))
		for (i = 0; i < nr; i++) {
			tap_elf_at(elf, list[i].offset + 1);
			tap_elf_line(elf, list[i].offset, line, sizeof(line));
			tap_elf_check(elf, &list[i], 9);
		}
	tap_elf_put(elf);
}

/* Where a number is: in a header, in the table of sections, or in one of them. */
static size_t place_of(const char *data, size_t size)
{
	GElf_Ehdr ehdr;
	Elf64_Shdr s;
	size_t at;

	memcpy(&ehdr, data, sizeof(ehdr));
	switch (rand() % 6) {
	case 0:
		return rand() % sizeof(ehdr);
	case 1:
		return ehdr.e_phoff + rand() % (ehdr.e_phnum * ehdr.e_phentsize);
	case 2:
		return ehdr.e_shoff + rand() % (ehdr.e_shnum * ehdr.e_shentsize);
	case 3:
		return rand() % size;
	}
	at = ehdr.e_shoff + rand() % ehdr.e_shnum * sizeof(s);
	memcpy(&s, data + at, sizeof(s));
	if (!s.sh_size || s.sh_offset >= size)
		return at;
	/* The begin of a section tells what is in the rest. */
	return s.sh_offset + rand() % (rand() % 2 && s.sh_size > 64 ? 64 :
				       s.sh_size);
}

static void damage(const char *name)
{
	char path[128], *data, *copy;
	unsigned int k, opened = 0;
	size_t size, i;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	data = damage_load(path, &size);
	copy = malloc(size);
	if (!copy)
		abort();
	snprintf(path, sizeof(path), "%s/damaged", dir);
	for (k = 0; k < DAMAGED; k++) {
		memcpy(copy, data, size);
		for (i = 0; i < 1 + k % 6; i++)
			damage_at(copy, size, place_of(data, size));
		damage_store(path, copy, k % 16 ? size : rand() % size);
		/* A loop without end is a failure too. */
		alarm(30);
		try_all("damaged", &opened);
		alarm(0);
	}
	check(opened > DAMAGED / 10 && opened < DAMAGED,
	      "%s: %u damaged files were opened", name, opened);
	free(copy);
	free(data);
}

/* libdw maps what it reads; the file is cut when it has begun. */
static void test_cut(void)
{
	const struct tap_elf_function *list;
	struct tap_error err = { 0 };
	struct tap_elf *elf;
	char line[256];
	size_t nr, i;

	run("cp cxx short");
	check(!cut_file_seen(), "nothing is cut yet");
	if (open_in_dir(&elf, "short", &err) ||
	    tap_elf_functions(elf, &list, &nr, &err)) {
		check(false, "short: %s", err.text);
		return;
	}
	run("head -c 5000 short > begin && cat begin > short");
	for (i = 0; i < nr; i++) {
		tap_elf_line(elf, list[i].offset, line, sizeof(line));
		tap_elf_at(elf, list[i].offset + 1);
		tap_elf_check(elf, &list[i], 9);
	}
	check(cut_file_seen(), "a file that is cut is seen");
	tap_elf_put(elf);
}

int main(void)
{
	cut_file_catch();
	srand(1);
	test_args();
	if (!mkdtemp(dir) || !build()) {
		printf("not ok - the programs cannot be built\n0 passed, 1 failed\n");
		return 1;
	}
	test_functions();
	test_aliases();
	compare_lines("exec");
	compare_lines("linked");
	compare_lines("cxx");
	compare_lines("units");
	compare_instructions("exec");
	compare_instructions("pie");
	compare_instructions("cxx");
	compare_build_id("exec");
	compare_build_id("libplain.so.1.2");
	test_usdt();
	test_errors();
	test_find();
	test_cut();
	damage("linked");
	damage("usdt");
	damage("usdt.so");
	damage("cxx");
	test_debug_dir();
	run("rm -rf %s", dir);
	return check_end();
}
