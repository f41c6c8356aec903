// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of how the code of functions is read for the values that they return: known functions,
 * and thousands of damaged ones. Built with sanitizers.
 */
#include <errno.h>
#include <gelf.h>
#include <libtap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dwarf/dwarf.h"
#include "selftests/lib/check.h"
#include "selftests/lib/corrupt.h"
#include "selftests/lib/tmpfile.h"
#include "util/insn_flow.h"

/*
 * An emulator of programs runs those of arm64. There each word has the length of an instruction, so no
 * damage is refused.
 */
#if defined(__x86_64__)
#define BODIES	12000
#define REFUSES	true
#define RESULT	"rax"
#define NEGATED	"movq $64, %0; neg %0"
/* Passes on what a call returned if it is 0, and the same of another call if it is not. */
#define ZERO	"call first; test %%eax, %%eax; je 1f; call second; test %%eax, %%eax; jne 1f; mov $-21, %%eax; 1:"
#define CLOBBERED	"rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11"
#else
#define BODIES	2000
#define REFUSES	false
#define RESULT	"x0"
#define NEGATED	"mov %0, #64; neg %0, %0"
#define ZERO	"bl first; cbz w0, 1f; bl second; cmp w0, #0; b.ne 1f; mov w0, #-21; 1:"
#define CLOBBERED	"x30"
#endif
#define INSNS	2000000
/* The longest instruction has 15 bytes. */
#define INSN	15

#define TEXT_OF(...)	#__VA_ARGS__
#define TEXT(...)	TEXT_OF(__VA_ARGS__)

static char dir[] = "/tmp/tap-returns-XXXXXX";
static char path[64];

static const char source[] =
	"int other(int), zero;\n"
	"int constant(int n)\n{\n\tother(n);\n\tif (n > 3)\n\t\treturn -5;\n\tother(2);\n\treturn 0;\n}\n"
	"int passes(int n)\n{\n\tint ret = other(n);\n\n\tother(1);\n\treturn ret;\n}\n"
	"int computed(int n)\n{\n\treturn n * zero;\n}\n"
	"int select(int n)\n{\n\tother(n);\n\treturn n ? -7 : -9;\n}\n"
	"int ladder(int n)\n{\n\tint ret, i;\n\n\tfor (i = 0; i < n; i++) {\n\t\tret = other(i);\n"
	"\t\tif (ret)\n\t\t\tgoto out;\n\t}\n\tret = -11;\n\tif (zero)\n\t\tgoto out;\n\tret = -13;\n"
	"\tswitch (n) {\n\tcase 1: return other(9);\n\tcase 2: ret = -17; break;\n\tcase 3: return zero;\n\t}\n"
	"out:\n\tother(ret);\n\treturn ret;\n}\n"
	"static inline int inner(int n)\n{\n\treturn other(n) ? -19 : 0;\n}\n\n"
	"int outer(int n)\n{\n\treturn inner(n) + inner(2 * n);\n}\n"
	"long negated(void)\n{\n\tregister long n asm(\"" RESULT "\");\n\n"
	"\tasm volatile(\"" NEGATED "\" : \"=r\"(n));\n\treturn n;\n}\n"
	"long zero_passes(void)\n{\n\tregister long n asm(\"" RESULT "\");\n\n"
	"\tasm volatile(\"" ZERO "\" : \"=r\"(n) : : \"memory\", " TEXT(CLOBBERED) ");\n\treturn n;\n}\n";

static const char *const functions[] = { "constant", "passes", "computed", "select", "ladder", "negated",
	"zero_passes" };
#define NR_FUNCTIONS	(sizeof(functions) / sizeof(functions[0]))

/* Where the code of each function is in the file. */
static struct { size_t at, size; } code[NR_FUNCTIONS];

__attribute__((format(printf, 1, 0)))
static void run(const char *fmt)
{
	char command[600];

	snprintf(command, sizeof(command), fmt, dir);
	if (system(command)) {
		fprintf(stderr, "failed: %s\n", command);
		exit(1);
	}
}

static int read_returns(const char *function, struct tap_dwarf_return **list, size_t *nr)
{
	struct tap_types *types = tap_types_new();
	struct tap_error err;
	int ret = types ? tap_types_add_debug(types, path, &err) : -ENOMEM;

	if (!ret)
		ret = tap_dwarf_returns(types, "returns", function, list, nr, &err);
	tap_types_free(types);
	return ret;
}

/* Whether a function returns what @kind and @value say; @callee only matters for calls. */
static bool returns(const char *function, enum tap_dwarf_return_kind kind, int value,
		    const char *callee)
{
	struct tap_dwarf_return *list;
	bool found = false;
	size_t nr, i;

	if (read_returns(function, &list, &nr))
		return false;
	for (i = 0; i < nr; i++)
		found |= list[i].kind == kind && (int)list[i].value == value &&
			 !strcmp(list[i].callee, callee);
	tap_dwarf_returns_free(list, nr);
	return found;
}

static void test_known(void)
{
	ok(returns("constant", TAP_DWARF_RETURN_CONST, -5, ""), "a constant");
	ok(!returns("constant", TAP_DWARF_RETURN_CONST, -6, ""), "no other one");
	ok(returns("passes", TAP_DWARF_RETURN_CALL, 0, "other"), "the result of a call");
	ok(returns("computed", TAP_DWARF_RETURN_COMPUTED, 0, ""), "a computed value");
	ok(returns("ladder", TAP_DWARF_RETURN_CONST, -17, ""), "a constant of several");
	ok(returns("ladder", TAP_DWARF_RETURN_CALL, 0, "other"), "a call in a loop");
	ok(returns("negated", TAP_DWARF_RETURN_CONST, -64, ""), "a constant with the other sign");
	ok(returns("zero_passes", TAP_DWARF_RETURN_CALL, 0, "second"), "a result that is not 0");
	ok(returns("zero_passes", TAP_DWARF_RETURN_CONST, -21, ""), "a constant where it is 0");
	ok(!returns("zero_passes", TAP_DWARF_RETURN_CALL, 0, "first"), "a result that is 0 there is a constant");
}

/* The function "outer" has the source of "inner" in it, once, and not that of others. */
static void test_bodies(void)
{
	struct tap_types *types = tap_types_new();
	struct tap_dwarf_body *list;
	struct tap_error err;
	size_t nr = 0;

	if (!types || tap_types_add_debug(types, path, &err) ||
	    tap_dwarf_bodies(types, "returns", "outer", &list, &nr, &err))
		exit(1);
	ok(nr == 2 && list[0].first_line == list[1].first_line + 5, "the sources of a function");
	tap_dwarf_bodies_free(list, nr);
	ok(tap_dwarf_bodies(types, "returns", "none", &list, &nr, &err) == -ENOENT, "of one that is not there");
	tap_types_free(types);
}

/* Reads "constant" below the test's directory, with --debug other/. @lines: set if a line is known. */
static int read_other(bool *lines)
{
	struct tap_types *types = tap_types_new();
	struct tap_dwarf_return *list;
	struct tap_error err;
	char other[64];
	size_t nr, i;
	int ret;

	snprintf(other, sizeof(other), "%s/other", dir);
	if (!types || tap_types_add_debug(types, other, &err))
		exit(1);
	tap_types_debug(types)->root = dir;
	*lines = false;
	ret = tap_dwarf_returns(types, "returns", "constant", &list, &nr, &err);
	for (i = 0; !ret && i < nr; i++)
		*lines |= list[i].file != NULL;
	if (!ret)
		tap_dwarf_returns_free(list, nr);
	tap_types_free(types);
	return ret;
}

/* The code of another build than the loaded one is not read; of this build, also without lines. */
static void test_builds(void)
{
	bool lines;

	run("cd %s && mkdir -p other sys/module/returns/notes && echo live >sys/module/returns/initstate && "
	    "ld -r --build-id=sha1 -o this.ko returns.ko && objcopy -O binary "
	    "--only-section=.note.gnu.build-id --set-section-flags .note.gnu.build-id=alloc this.ko "
	    "sys/module/returns/notes/.note.gnu.build-id && gcc -O1 -g -c -o other.o returns.c && "
	    "ld -r --build-id=sha1 -o other/returns.ko other.o");
	ok(read_other(&lines) == -ESTALE, "the code of another build is refused");
	run("cd %s && mkdir -p lib/modules/$(uname -r) && objcopy -g this.ko lib/modules/$(uname -r)/returns.ko");
	ok(!read_other(&lines) && !lines, "that of this build is read, which is stripped");
}

/* Finds the functions in the file. */
static void find_code(char *data, size_t size)
{
	Elf *elf = elf_memory(data, size);
	Elf_Scn *scn = NULL;
	size_t i;
	int k;

	while (elf && (scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr, text;
		GElf_Sym sym;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_SYMTAB)
			continue;
		for (k = 0; gelf_getsym(elf_getdata(scn, NULL), k, &sym); k++)
			for (i = 0; i < NR_FUNCTIONS; i++)
				if (GELF_ST_TYPE(sym.st_info) == STT_FUNC &&
				    !strcmp(elf_strptr(elf, shdr.sh_link, sym.st_name), functions[i])) {
					gelf_getshdr(elf_getscn(elf, sym.st_shndx), &text);
					code[i].at = text.sh_offset + sym.st_value;
					code[i].size = sym.st_size;
				}
	}
	elf_end(elf);
}

/* Writes up to four random numbers, or copies of other code, into the code at @to. */
static void damage(char *to, size_t size)
{
	int n = 1 + rand() % 4;

	while (n--) {
		size_t at = (size_t)rand() % size, len = 1 + (size_t)rand() % 8, from = (size_t)rand() % size;

		if (rand() % 2)
			to[at] = (char)rand();
		else if (at + len <= size && from + len <= size)
			memmove(to + at, to + from, len);
	}
}

/* Whether what was read is within the function. */
static bool is_sound(const struct tap_dwarf_return *list, size_t nr, size_t size)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (list[i].offset >= size || list[i].kind > TAP_DWARF_RETURN_COMPUTED)
			return false;
	return true;
}

static void test_damaged(void)
{
	unsigned int i, read = 0, refused = 0, wrong = 0;
	size_t size, nr;
	char *data = damage_load(path, &size), *copy = malloc(size);

	find_code(data, size);
	for (i = 0; copy && i < BODIES; i++) {
		size_t which = i % NR_FUNCTIONS;
		struct tap_dwarf_return *list;
		int ret;

		memcpy(copy, data, size);
		damage(copy + code[which].at, code[which].size);
		damage_store(path, copy, size);
		ret = read_returns(functions[which], &list, &nr);
		if (!ret) {
			read++;
			wrong += !is_sound(list, nr, code[which].size);
			tap_dwarf_returns_free(list, nr);
		} else {
			refused++;
			wrong += ret != -EILSEQ;
		}
	}
	check(!wrong && read > BODIES / 4 && !!refused == REFUSES, "%u damaged functions: %u read, %u refused, %u wrong",
	      i, read, refused, wrong);
	free(copy);
	free(data);
}

/* Instructions of random bytes, each at the end of its memory. */
static void test_random(void)
{
	unsigned int i, known = 0, wrong = 0;
	struct tap_insn_flow insn;
	uint8_t bytes[INSN];

	for (i = 0; i < INSNS; i++) {
		size_t len = 1 + (size_t)rand() % INSN, k;
		uint8_t *at = malloc(len);

		for (k = 0; k < len; k++)
			bytes[k] = (uint8_t)(rand() >> 7);
		memcpy(at, bytes, len);
		if (tap_insn_flow(at, len, &insn)) {
			known++;
			wrong += !insn.len || insn.len > len || insn.kind > TAP_INSN_LEAVE ||
				 insn.field >= insn.len;
		}
		free(at);
	}
	check(!wrong && known > INSNS / 100, "%u instructions of random bytes: %u known, %u wrong", i,
	      known, wrong);
}

int main(void)
{
	native_dir(dir);
	native_write(dir, "returns.c", source);
	run("cd %s && gcc -O2 -g -c -o returns.ko returns.c");
	snprintf(path, sizeof(path), "%s/returns.ko", dir);
	elf_version(EV_CURRENT);
	test_known();
	test_bodies();
	test_builds();
	test_damaged();
	test_random();
	run("rm -r %s");
	return check_end();
}
