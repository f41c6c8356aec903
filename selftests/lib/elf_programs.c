// SPDX-License-Identifier: GPL-2.0
/*
 * Builds the programs of elf_test, and reads their segments with readelf.
 */
#include <stdarg.h>
#include <stdlib.h>

#include "elf/elf_object.h"
#include "selftests/lib/elf_programs.h"
#include "selftests/lib/tmpfile.h"
static const char plain_c[] =
	"#include <stdio.h>\n"
	"int depth;\n"
	"static __attribute__((noinline)) int inner(int n)\n"
	"{ return n < 2 ? 1 : n * inner(n - 1) + depth; }\n"
	"__attribute__((noinline)) int outer(int n) { depth++; return inner(n) + 1; }\n"
	"int __outer_alias(int n) __attribute__((alias(\"outer\")));\n"
	"int weak_name(int n) __attribute__((weak, alias(\"outer\")));\n"
	"static int chosen_one(void) { return 1; }\n"
	"static void *choose(void) { return chosen_one; }\n"
	"int chosen(void) __attribute__((ifunc(\"choose\")));\n"
	"__asm__(\".text\\n.globl no_size\\n.type no_size,@function\\n\"\n"
	"\t\"no_size: nop\\nnop\\nret\\n\");\n"
	"double many(double x, char *p) { return x > 1 ? p[3] * x : x / 3; }\n"
	"int main(int argc, char **argv)\n"
	"{ printf(\"%d %f\\n\", outer(argc) + chosen(), many(argc, *argv)); return 0; }\n";

/* A library with versioned functions, and its linker script. */
static const char versions_c[] =
	"int old_thing(int n) { return n; }\n"
	"int new_thing(int n) { return n + 1; }\n"
	"__asm__(\".symver old_thing,thing@V1\");\n"
	"__asm__(\".symver new_thing,thing@@V2\");\n";

static const char versions_map[] =
	"V1 { global: thing; local: *; };\nV2 { global: thing; } V1;\n";

/*
 * Aliases; of each pair the first is shown: fewer underscores, global before weak before local,
 * shorter, alphabetical.
 */
static const char aliases_s[] =
	"\t.text\n\t.macro both a b\n\t.type \\a,@function\n\t.type \\b,@function\n"
	"\\b:\n\\a:\tnop\n\tret\n\t.size \\a,.-\\a\n\t.size \\b,.-\\b\n\t.endm\n"
	"\t.globl zzzzz, __a, zz_global, a_weak, z_weak, zz, aaa, ba, bb\n"
	"\t.weak a_weak, z_weak\n\t.local b_local\n"
	"\tboth zzzzz, __a\n\tboth zz_global, a_weak\n\tboth z_weak, b_local\n"
	"\tboth zz, aaa\n\tboth ba, bb\n"
	/* Of symbols with different sizes, the one that includes the byte is shown. */
	"\t.globl outside, a\n\t.type outside,@function\n\t.type a,@function\n"
	"outside:\na:\tnop\n\t.size a,.-a\n\tnop\n\tret\n\t.size outside,.-outside\n"
	"\t.section .note.GNU-stack,\"\",@progbits\n";

static const char cxx_cc[] =
	"#include <string>\n#include <vector>\n"
	"namespace shop {\n"
	"struct Cart {\n"
	"\tstd::vector<std::string> items;\n"
	"\t__attribute__((noinline)) int add(const std::string &s, int n) { items.push_back(s); return n; }\n"
	"\t__attribute__((noinline)) int operator[](int i) const { return i + 1; }\n"
	"};\n"
	"template <class T> __attribute__((noinline)) T twice(T v) { return v + v; }\n"
	"}\n"
	"int main(int argc, char **)\n"
	"{ shop::Cart c; return c.add(\"x\", argc) + c[argc] + shop::twice<int>(argc) + (int)shop::twice<double>(argc); }\n";

static const char usdt_c[] =
	"#ifdef SEMAPHORES\n#define _SDT_HAS_SEMAPHORES 1\n#endif\n"
	"#include <sys/sdt.h>\n"
	"#ifdef SEMAPHORES\n"
	"__attribute__((section(\".probes\"))) unsigned short demo_begin_semaphore, demo_each_semaphore, demo_none_semaphore, demo_variables_semaphore;\n"
	"#endif\n"
	"struct s { char c; short h; int i; long l; double d; };\n"
	"int global = 5; struct s pair; long table[8];\n"
	"__attribute__((noinline)) long work(struct s *s, int n, unsigned char b)\n"
	"{\n"
	"\tlong total = 0;\n"
	"\tint i, local[8] = { n };\n"
	"\tSTAP_PROBE2(demo, begin, s, n);\n"
	"\tfor (i = 0; i < n; i++) {\n"
	"\t\tlocal[i & 7] += i;\n"
	"\t\tSTAP_PROBE6(demo, each, s->c, s->h, local[i & 7], (unsigned char)(b + i), -7, s->l);\n"
	"\t\ttotal += local[(i + 1) & 7];\n"
	"\t}\n"
	"\tSTAP_PROBE(demo, none);\n"
	"\tSTAP_PROBE2(demo, begin, total, s->d);\n"
	"\treturn total;\n"
	"}\n"
	"__attribute__((noinline)) void variables(int n)\n"
	"{ STAP_PROBE3(demo, variables, global, pair.h, table[n & 7]); }\n"
	"int main(int argc, char **argv)\n"
	"{ struct s s = { 1, 2, 3, 4, 5 }; (void)argv; variables(argc); return work(&s, argc, 200); }\n";

char elf_dir[] = "/tmp/tap-elf-test-XXXXXX";

bool run_in_dir(const char *fmt, ...)
{
	char command[4096];
	va_list ap;
	int n;

	n = snprintf(command, sizeof(command), "cd %s && ", elf_dir);
	va_start(ap, fmt);
	vsnprintf(command + n, sizeof(command) - n, fmt, ap);
	va_end(ap);
	return !system(command);
}

FILE *lines_of(const char *fmt, const char *name)
{
	char command[512], tail[256];

	snprintf(tail, sizeof(tail), fmt, name);
	snprintf(command, sizeof(command), "cd %s && %s", elf_dir, tail);
	return popen(command, "r");
}

int open_in_dir(struct tap_elf **elf, const char *name, struct tap_error *err)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", elf_dir, name);
	return tap_elf_open(elf, path, err);
}

bool build_programs(void)
{
	native_write(elf_dir, "plain.c", plain_c);
	native_write(elf_dir, "cxx.cc", cxx_cc);
	native_write(elf_dir, "usdt.c", usdt_c);
	native_write(elf_dir, "versions.c", versions_c);
	native_write(elf_dir, "versions.map", versions_map);
	native_write(elf_dir, "aliases.s", aliases_s);
	native_write(elf_dir, "script", "#!/bin/sh\nexit\n");
	native_write(elf_dir, "text", "no program at all\n");
	native_write(elf_dir, "empty", "");
	return run_in_dir("gcc -g -O2 -no-pie -o exec plain.c") &&
	       run_in_dir("gcc -g -O1 -pie -fPIE -o pie plain.c") &&
	       run_in_dir("gcc -g -O2 -shared -fPIC -o libplain.so.1.2 plain.c") &&
	       run_in_dir("strip -o stripped pie") &&
	       run_in_dir("strip -o dynamic libplain.so.1.2") &&
	       run_in_dir("objcopy --only-keep-debug pie linked.debug") &&
	       run_in_dir("strip -o linked pie") &&
	       run_in_dir("objcopy --add-gnu-debuglink=linked.debug linked") &&
	       run_in_dir("gcc -O1 -shared -fPIC -Wl,--version-script=versions.map -o versions.so versions.c") &&
	       run_in_dir("strip -o versions_stripped.so versions.so") &&
	       run_in_dir("gcc -shared -nostdlib -o aliases.so aliases.s") &&
	       run_in_dir("for i in 1 2 3 4 5; do echo \"int unit$i(int n) { return n * $i; }\" > unit$i.c; done") &&
	       run_in_dir("gcc -g -O1 -ffunction-sections -o units plain.c unit[1-5].c") &&
	       run_in_dir("objcopy -R .debug_aranges units") &&
	       run_in_dir("objcopy --redefine-sym outer=$(printf 'ou\\033[2Jter') exec escape") &&
	       run_in_dir("objcopy --redefine-sym outer=$(printf 'ou\\302\\267ter') exec accent") &&
	       run_in_dir("gcc -c -o object.o plain.c") &&
	       run_in_dir("g++ -g -O1 -o cxx cxx.cc") &&
	       run_in_dir("gcc -g -O2 -fno-section-anchors -DSEMAPHORES -fno-pie -no-pie -o usdt usdt.c") &&
	       run_in_dir("gcc -g -O0 -DSEMAPHORES -pie -fPIE -o usdt_pie usdt.c") &&
	       run_in_dir("gcc -g -O2 -fno-section-anchors -pie -fPIE -o usdt_o2 usdt.c") &&
	       run_in_dir("strip -o usdt_stripped usdt") &&
	       run_in_dir("objcopy --add-symbol global=.data:0,local,object usdt_o2 usdt_twice") &&
	       run_in_dir("gcc -O1 -shared -fPIC -o usdt.so usdt.c") &&
	       run_in_dir("cp pie other; printf '\\267\\0' | dd of=other bs=1 seek=18 conv=notrunc status=none") &&
	       run_in_dir("head -c 300 pie > cut");
}

void read_segments(const char *name, struct segments *s)
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

unsigned long long offset_of(const struct segments *s, unsigned long long addr)
{
	size_t i;

	for (i = 0; i < s->nr; i++)
		if (addr >= s->addr[i] && addr - s->addr[i] < s->size[i])
			return addr - s->addr[i] + s->offset[i];
	return ~0ULL;
}
