// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of the locations of variables: of each variable at each statement of a program that
 * is compiled here, what libtap computes is what the location of the file gives on a machine of
 * numbers. The program has variables that exist in the debug information alone, as computations.
 * With files as arguments it compares those instead.
 */
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf.h"
#include "selftests/lib/check.h"
#include "selftests/lib/location_model.h"

static char dir[] = "/tmp/location_test.XXXXXX";

static const char program[] =
	"volatile long sink, source; static long calls; extern void use(long *);\n"
	"struct pair { int a; short b; unsigned char c; };\n"
	"__attribute__((noinline)) long sums(long a, unsigned int b, short c, struct pair *p)\n"
	"{\n"
	"	long times = a * 3 + b, less = a - 2 * b, and = a & 0xff0, or = a | b, xor = a ^ c;\n"
	"	long left = a << 5, right = a >> 3, divided = a / 7, rest = a % 11;\n"
	"	unsigned int half = b >> 2, ratio = b / 10, low = b % 6; unsigned long big = a;\n"
	"	unsigned long high = big >> 9, part = big / 5; long invert = ~a, negative = -a;\n"
	"	int equal = a == b, differ = a != c, below = a < 17, most = a <= b, above = c > 4;\n"
	"	int least = a >= 3, unsigned_below = b < 70000u; char narrow = a; short cut = b * 5;\n"
	"	unsigned char byte = c; int in_memory = p->a + 1; short *inside = &p->b;\n"
	"	const int five = 5, below_zero = -5, large = 40000; double real = 2.5;\n"
	"	float single = 1.5f; unsigned int top = 250; const unsigned long mask = 0xffff0000;\n"
	"	calls++;\n"
	"	sink = a + b;\n"
	"	sink = source;\n"
	"	sink = p->c;\n"
	"	return sink;\n"
	"}\n"
	"static inline __attribute__((always_inline)) long twice(long value, int by)\n"
	"{\n"
	"	long product = value * by + 9;\n"
	"	sink = value;\n"
	"	return sink;\n"
	"}\n"
	"__attribute__((noinline)) long frames(long n, struct pair by_value, __int128 wide)\n"
	"{\n"
	"	long array[4] = { n, n + 1, n + 2, n + 3 }, total = n * 7; struct pair copy = by_value;\n"
	"	int i;\n"
	"	for (i = 0; i < 4; i++) {\n"
	"		int doubled = i * 2 - 1;\n"
	"		use(&array[i]);\n"
	"		sink = twice(array[i], 3);\n"
	"	}\n"
	"	sink = twice(n, 5);\n"
	"	return total + copy.a + (long)wide;\n"
	"}\n"
	"void use(long *at) { static long last; last = *at; sink = last; }\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	struct pair p = { argc, 2, 3 }; long result = sums(argc, 3, 4, &p);\n"
	"	return (int)(result + frames(argc, p, (__int128)argc << 70)) + !argv;\n"
	"}\n";

static unsigned long counts[NR_LOCATION_VERDICTS];

static void compare_place(Dwfl_Module *mod, struct tap_dwarf_place *place)
{
	char text[500];
	size_t i;

	if (tap_dwarf_variables(place))
		abort();
	for (i = 0; i < place->nr_variables; i++) {
		enum location_verdict verdict =
			location_compare(mod, place, &place->variables[i], text, sizeof(text));

		counts[verdict]++;
		if ((verdict == LOCATION_WRONG || verdict == LOCATION_TIMID) &&
		    counts[verdict] <= 10)
			printf("# %s: %s\n", verdict == LOCATION_WRONG ? "wrong" : "not computed",
			       text);
	}
	free(place->variables);
}

/* Compares the variables at each address of the line tables. */
static void compare_unit(Dwfl_Module *mod, Dwarf_Die *cu, Dwarf_Addr bias)
{
	Dwarf_Addr last = 0;
	Dwarf_Lines *rows;
	size_t nr, i;
	bool end;

	if (dwarf_getsrclines(cu, &rows, &nr))
		return;
	for (i = 0; i < nr; i++) {
		struct tap_dwarf_place place = { .cu = *cu, .bias = bias, .symbol = "" };
		Dwarf_Line *row = dwarf_onesrcline(rows, i);

		if (dwarf_lineaddr(row, &place.addr) || dwarf_lineendsequence(row, &end) || end ||
		    (i && place.addr == last))
			continue;
		last = place.addr;
		place.offset = place.addr;
		place.addr += bias;
		compare_place(mod, &place);
	}
}

static void compare_file(const char *path)
{
	struct tap_dwarf *dwarf;
	struct tap_error err;
	Dwarf_Die *cu = NULL;
	Dwarf_Addr bias;

	memset(counts, 0, sizeof(counts));
	if (tap_dwarf_open(&dwarf, path, &err)) {
		check(false, "%s: %s", path, err.text);
		return;
	}
	while ((cu = dwfl_module_nextcu(tap_dwarf_module(dwarf), cu, &bias)))
		compare_unit(tap_dwarf_module(dwarf), cu, bias);
	tap_dwarf_close(dwarf);
	printf("# %s: %lu the same, %lu without a location, %lu refused, "
	       "%lu not computed, %lu wrong\n", path, counts[LOCATION_SAME], counts[LOCATION_NONE], counts[LOCATION_REFUSED],
	       counts[LOCATION_TIMID], counts[LOCATION_WRONG]);
	check(counts[LOCATION_SAME] >= 100 && !counts[LOCATION_WRONG] && !counts[LOCATION_TIMID],
	      "locations of %s", path);
}

static bool compile(const char *compiler, const char *flags)
{
	char command[1024];

	snprintf(command, sizeof(command), "%s -w %s -o %s/app %s/app.c", compiler, flags, dir,
		 dir);
	return !system(command);
}

int main(int argc, char **argv)
{
	static const char *const builds[][2] = {
		{ "gcc", "-g -O2" }, { "gcc", "-gdwarf-4 -O2" }, { "gcc", "-g -Os" },
		{ "gcc", "-g -O0" }, { "clang", "-g -O2" }, { "clang", "-gdwarf-4 -O1" },
	};
	char path[100], command[200];
	size_t i;
	FILE *f;

	for (i = 1; i < (size_t)argc; i++)
		compare_file(argv[i]);
	if (argc > 1)
		return check_end();
	if (!mkdtemp(dir))
		abort();
	snprintf(path, sizeof(path), "%s/app.c", dir);
	f = fopen(path, "w");
	if (!f || fputs(program, f) < 0 || fclose(f))
		abort();
	snprintf(path, sizeof(path), "%s/app", dir);
	for (i = 0; i < sizeof(builds) / sizeof(*builds); i++) {
		printf("# %s %s\n", builds[i][0], builds[i][1]);
		if (!strcmp(builds[i][0], "clang") && system("command -v clang >/dev/null"))
			printf("ok - # SKIP no clang\n");
		else if (ok(compile(builds[i][0], builds[i][1]), "the program compiles"))
			compare_file(path);
	}
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	if (system(command))
		return 1;
	return check_end();
}
