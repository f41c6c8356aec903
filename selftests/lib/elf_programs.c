/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The programs that elf_test builds.
 */
#ifndef _TEST_LIB_ELF_PROGRAMS_H
#define _TEST_LIB_ELF_PROGRAMS_H

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

/* A library whose functions have versions, and its linker script. */
static const char versions_c[] =
	"int old_thing(int n) { return n; }\n"
	"int new_thing(int n) { return n + 1; }\n"
	"__asm__(\".symver old_thing,thing@V1\");\n"
	"__asm__(\".symver new_thing,thing@@V2\");\n";

static const char versions_map[] =
	"V1 { global: thing; local: *; };\nV2 { global: thing; } V1;\n";

/*
 * Names of one place; of each pair the first is to be shown: fewer underscores,
 * global before weak before local, shorter, before in the alphabet.
 */
static const char aliases_s[] =
	"\t.text\n\t.macro both a b\n\t.type \\a,@function\n\t.type \\b,@function\n"
	"\\b:\n\\a:\tnop\n\tret\n\t.size \\a,.-\\a\n\t.size \\b,.-\\b\n\t.endm\n"
	"\t.globl zzzzz, __a, zz_global, a_weak, z_weak, zz, aaa, ba, bb\n"
	"\t.weak a_weak, z_weak\n\t.local b_local\n"
	"\tboth zzzzz, __a\n\tboth zz_global, a_weak\n\tboth z_weak, b_local\n"
	"\tboth zz, aaa\n\tboth ba, bb\n"
	/* Of several sizes that which covers the byte is named. */
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

#endif /* _TEST_LIB_ELF_PROGRAMS_H */
