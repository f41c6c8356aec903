// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of lines and inlined functions of programs and of several modules, which are compiled
 * here. language_test has the errors of one module, source_guest what is read.
 */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include <libtap.h>

#include "dwarf/dwarf.h"
#include "selftests/lib/check.h"
#include "selftests/lib/tmpfile.h"
#include "spec/spec.h"
#include "selftests/lib/op_text.h"
#include "dwarf/source.h"
#include "types/btf.h"
#include "util/arch.h"
#include "util/layout.h"
#include "util/registers.h"
#include "util/util.h"
#include "util/value_names.h"

static char dir[] = "/tmp/source_test.XXXXXX";
static struct tap_types *types;

/* Files whose debug information was opened. */
static unsigned int opened;

int __real_tap_dwarf_open(struct tap_dwarf **dwarf, const char *path, struct tap_error *err);
int __wrap_tap_dwarf_open(struct tap_dwarf **dwarf, const char *path, struct tap_error *err);
int __real_tap_dwarf_open_elf(struct tap_dwarf **dwarf, struct tap_elf *elf,
			      struct tap_error *err);
int __wrap_tap_dwarf_open_elf(struct tap_dwarf **dwarf, struct tap_elf *elf,
			      struct tap_error *err);

int __wrap_tap_dwarf_open(struct tap_dwarf **dwarf, const char *path, struct tap_error *err)
{
	opened++;
	return __real_tap_dwarf_open(dwarf, path, err);
}

int __wrap_tap_dwarf_open_elf(struct tap_dwarf **dwarf, struct tap_elf *elf,
			      struct tap_error *err)
{
	opened++;
	return __real_tap_dwarf_open_elf(dwarf, elf, err);
}

/* The labels are where the lines begin. */
static const char app_c[] =
	"int seen;\n"
	"static inline __attribute__((always_inline)) int half(int all)\n"
	"{\n"
	"	__asm__ volatile(\"half_%=:\" : : \"r\"(all));\n"
	"	return all / 2;\n"
	"}\n"
	"static inline int unused(int n) { return n; }\n"
	"__attribute__((noinline)) int twice(int n)\n"
	"{\n"
	"	static int calls; int left = half(n), right = half(n + 1);\n"
	"	__asm__ volatile(\"the_line:\" : : \"r\"(left), \"r\"(right));\n"
	"	return calls++, seen += left + right;\n"
	"}\n"
	"int main(int argc, char **argv) { return twice(argc) + !argv; }\n"
	/* Its first instruction has the prefix LOCK. */
	"void locked(void) { __atomic_fetch_add(&seen, 1, __ATOMIC_SEQ_CST); }\n";

__attribute__((format(printf, 1, 2)))
static void run(const char *fmt, ...)
{
	char command[1024];
	va_list ap;
	int n;

	n = snprintf(command, sizeof(command), "cd %s && ", dir);
	va_start(ap, fmt);
	vsnprintf(command + n, sizeof(command) - n, fmt, ap);
	va_end(ap);
	if (system(command)) {
		fprintf(stderr, "failed: %s\n", command);
		exit(1);
	}
}

/* Expands an event with $D for the directory; returns the number of probes or an error. */
static int expand(const char *event, struct tap_spec ***list, struct tap_error *err)
{
	const char *at = strstr(event, "$D");
	struct tap_spec *spec;
	char text[512];
	size_t nr;
	int ret;

	snprintf(text, sizeof(text), "%.*s%s%s", at ? (int)(at - event) : 0, event,
		 at ? dir : "", at ? at + 2 : event);
	ret = tap_spec_parse(text, &spec, err);
	if (ret)
		return ret;
	ret = tap_spec_expand(NULL, types, spec, list, &nr, err);
	tap_spec_free(spec);
	return ret ? ret : (int)nr;
}

static void refused(const char *event, int code, const char *part)
{
	struct tap_spec **list;
	struct tap_error err = { 0 };
	int ret = expand(event, &list, &err);

	check(ret == code && strstr(err.text, part), "%s: %s", event, part);
	if (ret != code || !strstr(err.text, part))
		printf("# %d: %s\n", ret, err.text);
	if (ret > 0)
		tap_spec_list_free(list, ret);
}

/* An event that is accepted, with this remark or none. */
static void remark(const char *event, const char *text)
{
	struct tap_error err = { 0 };
	struct tap_spec **list;
	int nr = expand(event, &list, &err);

	check(nr > 0 && !strcmp(err.text, text), "%s: %s", event, *text ? text : "no remark");
	if (nr > 0)
		tap_spec_list_free(list, nr);
	if (nr <= 0 || strcmp(err.text, text))
		printf("# %d: %s\n", nr, err.text);
}

/* @part is in the program of the first probe of an event. */
static void steps(const char *event, const char *part)
{
	struct tap_error err = { 0 };
	struct tap_spec **list;
	char text[512] = "";
	int nr = expand(event, &list, &err);

	if (nr > 0) {
		put_steps(text, list[0]);
		tap_spec_list_free(list, nr);
	}
	check(nr > 0 && strstr(text, part), "%s: %s", event, part);
	if (nr <= 0 || !strstr(text, part))
		printf("# %s%s\n", err.text, text);
}

/* The address of a symbol; that of a label is its place in the file. */
static __u64 symbol_of(const char *file, const char *pattern)
{
	unsigned long long addr = 0;
	char command[256];
	FILE *f;

	snprintf(command, sizeof(command), "nm %s/%s | sed -n 's/ . %s$//p' | head -n 1", dir,
		 file, pattern);
	f = popen(command, "r");
	if (!f || fscanf(f, "%llx", &addr) != 1)
		abort();
	pclose(f);
	return addr;
}

static __u64 symbol(const char *pattern)
{
	return symbol_of("app", pattern);
}

/* A static variable is read at its distance from the probed instruction. */
static void test_static(void)
{
	char want[64] = "", text[512] = "";
	struct tap_error err = { 0 };
	struct tap_spec **list;
	int nr = expand("line:$D/app:app.c:11 calls", &list, &err);

	if (nr > 0) {
		put_steps(text, list[0]);
		snprintf(want, sizeof(want), "r0=R%d u[r0+%lld]:4s",
			 tap_register_offset(TAP_ARCH_IP, 2),
			 (long long)(symbol("calls.*") - list[0]->offset));
		tap_spec_list_free(list, nr);
	}
	ok(nr > 0 && strstr(text, want) == text, "a static variable");
	if (nr <= 0)
		printf("# %s\n", err.text);
}

/*
 * At the label, the parameters are nowhere: the registers of arguments belong to the callee. The
 * function is in two sections.
 */
static const char entry_c[] =
	"int seen; __attribute__((noinline, cold)) int rare(int *p) { return seen *= *p; }\n"
	"__attribute__((noinline)) void touch(int *p) { __asm__ volatile(\"\" : : \"r\"(p) : \"memory\"); }\n"
	"__attribute__((noinline)) int entered(int first, long second)\n"
	"{\n"
	"	int local = first * 3 + (int)second;\n"
	"	touch(&local);\n"
	"	__asm__ volatile(\"the_line:\");\n"
	"	if (local < -99)\n"
	"		return rare(&local) - local;\n"
	"	return seen += local;\n"
	"}\n"
	"int main(int argc, char **argv) { return entered(argc, argc + !argv); }\n";

/*
 * The nop is in an inlined copy of over(), and its line in wide(), below the one that calls over():
 * as is the rest of a condition that stands on several lines.
 */
static const char further_c[] =
	"struct pair { int first, second; } seen;\n"
	"static inline __attribute__((always_inline)) int over(struct pair *n)\n"
	"{\n"
	"	seen.second += n->first;\n"
	"#line 13\n"
	"	__asm__ volatile(\"nop\" : : \"r\"(n) : \"memory\");\n"
	"#line 6\n"
	"	return n->second;\n"
	"}\n"
	"#line 10\n"
	"__attribute__((noinline)) int wide(int n)\n"
	"{\n"
	"	return over(&seen + n) +\n"
	"\n"
	"	       n;\n"
	"}\n"
	"int main(int argc, char **argv) { return wide(argc + !argv); }\n";

static void test_further_line(void)
{
	remark("line:$D/further:further.c:13 n+1", "");
	refused("line:$D/further:further.c:13 n->first", -EINVAL, "n");
	remark("uinline:$D/further:over n->first", "");
}

/* Probes of a line that needs what parameters were at the entry look into one capture. */
static void test_entry(void)
{
	struct tap_error err = { 0 };
	struct tap_spec **list;
	const struct tap_spec *entry;
	char text[512] = "";
	int nr = expand("line:$D/entry:entry.c:8 first second if second > 5", &list, &err);

	ok(nr > 0 && list[0]->capture, "a line that needs the entry has a capture");
	if (nr <= 0) {
		printf("# %s\n", err.text);
		return;
	}
	entry = list[0]->capture->entry;
	put_steps(text, list[0]);
	ok(strstr(text, "entry0[r") && strstr(text, "entry1[r"), "its program looks both values up");
	ok(list[0]->capture->refs == (unsigned int)nr, "its places share the capture");
	ok(entry->type == TAP_PROBE_UPROBE && entry->side == TAP_SIDE_FROM && entry->elf &&
	   entry->offset == symbol_of("entry", "entered"), "the probe at the entry of the function");
	ok(entry->nr_ops > 2 && entry->ops[0].off == tap_register_offset("sp", 2) &&
	   entry->ops[1].off == TAP_VAR_TASK &&
	   entry->ops[2].off == tap_dwarf_argument_register(0), "stores frame, task and arguments");
	tap_spec_list_free(list, nr);
	nr = expand("uinline:$D/entry:entered first", &list, &err);
	ok(nr == 1 && list[0]->offset == symbol_of("entry", "entered"),
	   "a function in two sections that is not inlined");
	if (nr > 0)
		tap_spec_list_free(list, nr);
	nr = expand("line:$D/entry:entry.c:4 first", &list, &err);
	ok(nr > 0 && !list[0]->capture, "a line that has the parameters in registers has none");
	if (nr > 0)
		tap_spec_list_free(list, nr);
}

/* A struct behind whose pointers there are others, which are converted while its layout is made. */
static const char whole_c[] =
	"#define FAR(n) struct far_##n { int far_##n##_a, far_##n##_b, far_##n##_c; struct far_##n *far_##n##_d; }\n"
	"FAR(one); FAR(two); FAR(three); FAR(four);\n"
	"struct req { struct far_one *one; struct far_two *two; struct far_three *three; struct far_four *four;\n"
	"	unsigned long stamps[3]; unsigned int n; };\n"
	"__attribute__((noinline)) int take(struct req *req) { return req->n += req->one->far_one_a; }\n"
	"int main(int argc, char **argv) { return argc > 9 ? take((struct req *)argv) : 0; }\n";

static void test_whole(void)
{
	struct tap_error err = { 0 };
	const struct tap_layout *layout;
	struct tap_spec **list;
	char names[200] = "";
	unsigned int i;
	int nr;

	nr = expand("uprobe:$D/whole:take *req", &list, &err);
	if (ok(nr == 1 && list[0]->fields[0].value_names, "a whole struct")) {
		layout = list[0]->fields[0].value_names->layout;
		for (i = 0; i < layout->nr; i++)
			snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s ",
				 layout->list[i].name);
		ok(same(names, " one two three four stamps  n "), "has all its members");
	} else {
		printf("# %d: %s\n", nr, err.text);
	}
	if (nr > 0)
		tap_spec_list_free(list, nr);
	refused("uprobe:$D/broken:take *req", -EINVAL, "the debug information for struct req is malformed");
}

/* The compiler takes a parameter from this function, and what it returns, which no caller uses. */
static const char clone_c[] =
	"int seen;\n"
	"__attribute__((noinline)) static int put(int n, int unused, int last)\n"
	"{ seen += n * last; return seen * 7 + unused * 0; }\n"
	"int main(int argc, char **argv) { put(argc, 1, argc); put(argc + !argv, 2, argc * 3); return seen; }\n";

static void test_clone(void)
{
	char name[64] = "", event[128], want[256], command[128];
	FILE *f;

	snprintf(command, sizeof(command), "nm %s/clone | grep -o 'put\\..*isra.*'", dir);
	f = popen(command, "r");
	if (!f || fscanf(f, "%63s", name) != 1)
		printf("ok # SKIP the compiler has left the function as it is\n");
	if (f)
		pclose(f);
	if (!*name)
		return;
	snprintf(event, sizeof(event), "ucall:$D/clone:%s n", name);
	snprintf(want, sizeof(want), "%s/clone:%s is a clone of put: the compiler has taken from it: unused, last, and perhaps the return value",
		 dir, name);
	remark(event, want);
	snprintf(event, sizeof(event), "ucall:$D/clone:%s last", name);
	snprintf(want, sizeof(want), "last cannot be read: the compiler moved it to another register or to the stack; a line of the function may have it: tap list -L %s/clone:clone.c",
		 dir);
	refused(event, -EINVAL, want);
}

/* Constants, which are in the debug information alone. The program prints them. */
static const char constants_c[] =
	"#include <stdio.h>\n"
	"enum state { OFF, ON = 200, BAD = -3 };\n"
	"#define EACH(X) X(unsigned int, plain, 250) X(int, sum, 40000) X(long, below, -5) \\\n"
	"	X(unsigned long, mask, 0xffff0000) X(unsigned long, bit, 0x80) \\\n"
	"	X(signed char, tiny, -1) X(unsigned char, byte, 255) X(char, letter, 'x') \\\n"
	"	X(short, cut, -300) X(unsigned short, port, 0xfffe) X(int, least, -0x7fffffff - 1) \\\n"
	"	X(unsigned int, all, -1) X(unsigned long, top, ~0ul) X(long, wide, 1l << 40) \\\n"
	"	X(enum state, on, ON) X(enum state, bad, BAD) X(_Bool, yes, 1)\n"
	"#define DECLARE(type, name, value) const type name = value;\n"
	"#define PRINT(type, name, value) printf(\"%s %lld\\n\", #name, (long long)name);\n"
	"int main(void)\n"
	"{\n"
	"	EACH(DECLARE) const double half = 0.5;\n"
	"#line 100\n"
	"	__asm__ volatile(\"nop\");\n"
	"	EACH(PRINT)\n"
	"	return 0;\n"
	"}\n";

/* A constant is read as what the program has. */
static void test_constants(const char *compiler, const char *flags)
{
	struct tap_error err = { 0 };
	char command[128], event[64], name[16];
	struct tap_spec **list;
	unsigned int count = 0;
	long long want;
	FILE *f;
	int nr;

	run("%s %s -g -o constants constants.c", compiler, flags);
	snprintf(command, sizeof(command), "%s/constants", dir);
	f = popen(command, "r");
	while (f && fscanf(f, "%15s %lld", name, &want) == 2) {
		count++;
		snprintf(event, sizeof(event), "line:$D/constants:constants.c:100 %s", name);
		nr = expand(event, &list, &err);
		check(nr > 0 && list[0]->ops[0].code == TAP_OP_IMM &&
		      (long long)list[0]->ops[0].imm == want, "%s %s: %s is %lld", compiler, flags,
		      name, want);
		if (nr <= 0)
			printf("# %s\n", err.text);
		else
			tap_spec_list_free(list, nr);
	}
	ok(f && !pclose(f) && count == 17, "the program prints its constants");
	refused("line:$D/constants:constants.c:100 half", -EINVAL, "this is a floating-point number");
}

/* Variables that are no number of one register. */
static const char kinds_c[] =
	"volatile long sink; struct empty { };\n"
	"__attribute__((noinline)) int kinds(int n)\n"
	"{\n"
	"	int numbers[n]; char text[n]; struct empty empty; float _Complex wave = n;\n"
	"	struct empty *at = &empty;\n"
	"	numbers[n / 2] = text[n / 2] = n;\n"
	"	sink = numbers[n / 2] + text[0] + !at + (int)wave;\n"
	"	return sink;\n"
	"}\n"
	"double ratio(int n) { return n * 0.5; }\n"
	"int main(int argc, char **argv) { return kinds(argc + !argv); }\n";

static void test_kinds(void)
{
	refused("line:$D/kinds:kinds.c:7 numbers", -EINVAL, "the length of this array is unknown");
	steps("line:$D/kinds:kinds.c:7 numbers[2]", " r0=u[r0+0] u[r0+8]:4s ");
	steps("line:$D/kinds:kinds.c:7 numbers:s32[2]", " r0=u[r0+0] ubytes8[r0+0] ");
	steps("line:$D/kinds:kinds.c:7 text", " r0=u[r0+0] ustr64[r0+0]");
	steps("line:$D/kinds:kinds.c:7 x=+0(&wave):x8[8]", "ubytes8[r0");
	refused("line:$D/kinds:kinds.c:7 empty", -EINVAL, "cannot be shown whole");
	refused("line:$D/kinds:kinds.c:7 n if empty > 0", -EINVAL, "can only be shown whole");
	refused("line:$D/kinds:kinds.c:7 wave", -EINVAL, "the type is unknown");
	refused("uretprobe:$D/kinds:ratio retval", -EINVAL, "this is a floating-point number");
	refused("ucall:$D/kinds:ratio n if retval > 0", -EINVAL, "this is a floating-point number");
	steps("ucall:$D/kinds:ratio n", "a0:4s");
}

/* The lines that were listed, as text. */
static char listed[2000];

static int list_line(const struct tap_source_line *line, void *arg)
{
	size_t at = strlen(listed);

	(void)arg;
	snprintf(listed + at, sizeof(listed) - at, "%u %s|%s|%s|%s;", line->line, line->functions,
		 line->inlined, line->variables, line->at_entry);
	return line->line == 12;
}

static int list_lines(const char *target, struct tap_error *err)
{
	char text[200];

	*listed = '\0';
	snprintf(text, sizeof(text), "%s/%s", dir, target);
	return tap_source_lines(types, text, list_line, NULL, err);
}

static void test_list(void)
{
	static const struct {
		const char *target;
		const char *part;
	} wrong[] = {
		{ "app:app.c:0", "no file has a line of this number" },
		{ "app:app.c:4-", "lines are FROM-TO" },
		{ "app:app.c:9-4", "lines are FROM-TO" },
		{ "app:app.c:4-5x", "lines are FROM-TO" },
		{ "app:app.c:900-901", "no statement begins on lines 900 to 901 of app.c" },
		{ "app:none.c", "no code comes from a file none.c" },
	};
	struct tap_error err = { 0 };
	size_t i;

	ok(!list_lines("app:app.c:3-5", &err), "lines of a range");
	ok(strstr(listed, "4 half|twice|all") && strstr(listed, "calls") &&
	   !strstr(listed, "10 "), "the functions and variables of a line");
	ok(list_lines("app:app.c", &err) == 1, "all lines, until the caller ends the list");
	ok(strstr(listed, "11 twice||") && strstr(listed, "left") && !strstr(listed, "14 "),
	   "lines in their order");
	ok(!list_lines("entry:entry.c:4-8", &err) && strstr(listed, "4 entered||first\nsecond\nlocal|;") &&
	   strstr(listed, "8 entered||first\nsecond\nlocal|first\nsecond;"),
	   "what a parameter was at the entry is listed as that");
	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		check(list_lines(wrong[i].target, &err) < 0 && strstr(err.text, wrong[i].part),
		      "%s: %s", wrong[i].target, wrong[i].part);
}

static void test_program(void)
{
	struct tap_error err = { 0 };
	struct tap_spec **list;
	int nr = expand("line:$D/app:app.c:11 left right place", &list, &err);
	bool found = false;
	int i;

	ok(nr > 0, "a line of a program");
	if (nr <= 0)
		printf("# %s\n", err.text);
	for (i = 0; i < nr; i++) {
		found |= list[i]->offset == symbol("the_line");
		ok(list[i]->type == TAP_PROBE_UPROBE && list[i]->elf &&
		   strstr(list[i]->target, "app:twice+0x") && list[i]->nr_fields == 3,
		   "a uprobe with its values");
		ok(tap_spec_same_event(list[0], list[i]), "all places are one event");
	}
	ok(found, "at the instruction where the line begins");
	if (nr > 0)
		tap_spec_list_free(list, nr);
	nr = expand("uinline:$D/app:half all", &list, &err);
	ok(nr == 2, "both copies of an inlined function");
	if (nr > 0)
		tap_spec_list_free(list, nr);
	nr = expand("uprobe:$D/app:locked", &list, &err);
	ok(nr == 1 && strstr(err.text, "app:locked: 1 of 1 places are not seen: the kernel cannot set a breakpoint on"),
	   "an instruction that uprobes refuse");
	if (nr > 0)
		tap_spec_list_free(list, nr);
	refused("uinline:$D/app:unused", -ENOENT, "has no function unused");
	refused("line:$D/app:app.c:7", -ENODATA, "no statement begins on line 7 of app.c");
	refused("line:$D/stripped:app.c:11", -ENODATA, "no debug information");
}

/* The target of the only probe of an event ends with this. */
static void named(const char *event, const char *end)
{
	struct tap_error err = { 0 };
	struct tap_spec **list;
	int nr = expand(event, &list, &err);
	const char *at = nr > 0 ? strstr(list[0]->target, end) : NULL;

	check(nr == 1 && at && !strcmp(at, end), "%s is at %s", event, end);
	if (nr != 1 || !at || strcmp(at, end))
		printf("# %s\n", nr > 0 ? list[0]->target : err.text);
	if (nr > 0)
		tap_spec_list_free(list, nr);
}

/*
 * A program whose path needs quotes, and whose code has no unwind tables, so that it is not known
 * where instructions begin. Two functions have one name, and one has a name that is too long.
 */
static void test_names(void)
{
	struct tap_spec **list;
	char name[301];

	memset(name, 'n', 300);
	name[300] = '\0';
	native_write(dir, "one.c", "int seen;\nstatic __attribute__((noinline)) int same(int n)\n"
		     "{ return seen += n; }\nint main(int n, char **v)\n"
		     "{ extern int other(int); return same(n) + other(n) + !v; }\n");
	native_write(dir, "two.c", "extern int seen;\nstatic __attribute__((noinline)) int same(int n)\n"
		     "{ return seen -= n; }\n__attribute__((noinline)) int LONG(int n)\n{ return seen *= n; }\n"
		     "int other(int n) { return same(n) + LONG(n); }\n");
	run("gcc -O1 -g -fno-asynchronous-unwind-tables -DLONG=%s -o 'x: y' one.c two.c", name);
	named("line:\"$D/x: y\":two.c:3", "/x: y\":same");
	named("line:\"$D/x: y\":one.c:3", "/x: y\":same");
	refused("line:\"$D/x: y\":same:+1", -ENOTUNIQ, "several functions have the name same");
	/* The end, as much as fits into a target. */
	named("line:\"$D/x: y\":two.c:5", name + 300 - 255);
	refused("line:\"$D/x: y:two.c:3", -EINVAL, "end a path in quotes");
	refused("line:\"$D/x: y\"two.c:3", -EINVAL, "end a path in quotes");
	refused("uinline:\"$D/x: y\":unused", -ENOENT, "has no function unused");
	ok(expand("span:x from uprobe:$D/app:none on tid to uprobe:$D/app:main on tid", &list,
		  NULL) == -ENOENT, "a span with a side that is not there, without a message");
}

/* A module that is not loaded, whose file is named. */
static void test_named(void)
{
	struct tap_types *all = types;
	struct tap_error err = { 0 };
	struct tap_spec **list;
	char path[128];
	int nr;

	run("ld -r --build-id=sha1 -o un-loaded.ko a.o");
	snprintf(path, sizeof(path), "%s/un-loaded.ko", dir);
	types = tap_types_new();
	if (!types || tap_types_add_debug(types, path, &err))
		exit(1);
	tap_types_debug(types)->root = dir;
	nr = expand("line:a/same.c:6", &list, &err);
	ok(nr > 0 && !strncmp(list[0]->target, "un_loaded:part", 14) &&
	   list[0]->flags & TAP_CREATE_F_WAIT, "a line without a module, in a file of --debug");
	if (nr > 0)
		tap_spec_list_free(list, nr);
	else
		printf("# %s\n", err.text);
	tap_types_free(types);
	types = all;
}

/* Debug information is read if an event needs it, and once for all events. */
static void test_once(void)
{
	static const struct {
		const char *event;
		unsigned int opened;
	} events[] = {
		{ "uprobe:$D/app:twice", 0 },
		{ "uprobe:$D/app:twice $arg1", 0 },
		{ "uprobe:$D/app:twice n", 1 },
		{ "line:$D/app:app.c:11 left", 1 },
		{ "line:$D/app:app.c:4 all", 1 },
		{ "uinline:$D/app:half all", 1 },
		{ "line:one:a/same.c:5", 2 },
		{ "line:one:a/same.c:4 n", 2 },
		{ "inline:one:a", 2 },
	};
	struct tap_error err = { 0 };
	struct tap_spec **list;
	size_t i;
	int nr;

	tap_types_free(types);
	types = tap_types_new();
	if (!types || tap_types_add_debug(types, dir, &err))
		abort();
	tap_types_debug(types)->root = dir;
	opened = 0;
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		nr = expand(events[i].event, &list, &err);
		check(opened == events[i].opened, "%s: %u files were read", events[i].event,
		      events[i].opened);
		if (nr > 0)
			tap_spec_list_free(list, nr);
		if (nr <= 0 || opened != events[i].opened)
			printf("# %d: %s: %u\n", nr, err.text, opened);
	}
}

/* Two modules, loaded from outside the kernel's tree, with files and functions of one name. */
static void test_modules(void)
{
	static const char *const names[] = { "one", "two" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		run("mkdir -p sys/module/%s/notes && echo O > sys/module/%s/taint && "
		    "ld -r --build-id=sha1 -o %s.ko a.o b.o", names[i], names[i], names[i]);
		run("objcopy -O binary --only-section=.note.gnu.build-id --set-section-flags "
		    ".note.gnu.build-id=alloc %s.ko sys/module/%s/notes/.note.gnu.build-id",
		    names[i], names[i]);
	}
	refused("line:same.c:3", -ENOTUNIQ, "several files have a path that ends with same.c");
	refused("line:one:same.c:3", -ENOTUNIQ, "write more of it: ");
	refused("line:one:same:+1", -ENOTUNIQ, "several functions have the name same");
	refused("line:one:a/same.c:4 sum", -EINVAL, "address changes when the module is loaded again");
	refused("line:a/same.c:4", -ENOTUNIQ, "several modules have it; name the module");
	refused("line:other.c:4", -ENOENT, "no code comes from a file other.c");
	remark("kprobe:one:part n", "one:part: the function is inlined at 2 places, which this event does not see; inline:one:part has them");
	remark("kprobe:one:part", "");
	remark("kprobe:one:used n", "");
	remark("inline:one:part", "");
	remark("inline:one:polled t", "inline:one:polled: at 1 of 1 places the debug information does not say where the function is entered: its first instruction there is taken, which a loop may pass more often, or not at all");
	refused("inline:one:never", -ENODATA, "the function never has no code here");
}

static void make_files(void)
{
	native_write(dir, "app.c", app_c);
	run("gcc -O2 -g -o app app.c");
	native_write(dir, "entry.c", entry_c);
	run("gcc -O2 -g -fno-ipa-ra -o entry entry.c");
	native_write(dir, "further.c", further_c);
	run("gcc -O2 -g -o further further.c");
	native_write(dir, "clone.c", clone_c);
	run("gcc -O2 -g -o clone clone.c");
	native_write(dir, "whole.c", whole_c);
	/* The struct is smaller than its members. */
	run("gcc -O2 -g -o whole whole.c && gcc -O2 -g -dA -S -o - whole.c | "
	    "sed 's/0x40\\(.*DW_AT_byte_size\\)$/0x20\\1/' | "
	    "gcc -x assembler -o broken -");
	native_write(dir, "constants.c", constants_c);
	native_write(dir, "kinds.c", kinds_c);
	run("gcc -O0 -g -o kinds kinds.c");
	run("strip -o stripped app && mkdir a b");
	native_write(dir, "a/same.c", "int v;\nstatic inline int never(int n) { return n + 1; }\n"
		     "static __attribute__((noinline)) int same(int n)\n{ static int sum; return v += sum += n; }\n"
		     "int a(int n) { return same(n) + never(0 * n); }\n"
		     "int part(int n) { return n * 3 + v; }\n"
		     "int used(int n) { return part(n) + 1; }\nint again(int n) { return part(-n) * 7; }\n"
		     /* A loop that is entered in its middle: gcc does not say where. */
		     "int ready(int *);\nstatic inline int polled(int *d, int t)\n"
		     "{ while (!(ready(d) & 16)) { if (!t--) return -1; *d <<= 1; } return 0; }\n"
		     "int waits(int *d, int *u) { if (polled(d, *u & 8 ? 1 : 4)) return 1; *u = 5; return 3; }\n");
	native_write(dir, "b/same.c", "extern int v;\nstatic __attribute__((noinline))\n"
		     "int same(int n)\n{ return v -= n; }\nint b(int n) { return same(n); }\n");
	run("gcc -O2 -g -c -o a.o a/same.c && gcc -O2 -g -c -o b.o b/same.c");
}

int main(void)
{
	struct tap_error err;

	native_dir(dir);
	make_files();
	types = tap_types_new();
	if (!types || tap_types_add_debug(types, dir, &err))
		return 1;
	tap_types_debug(types)->root = dir;
	test_program();
	test_static();
	test_entry();
	test_further_line();
	test_whole();
	test_clone();
	test_constants("gcc", "-O1");
	test_constants("gcc", "-O2 -gdwarf-4");
	if (!system("command -v clang >/dev/null"))
		test_constants("clang", "-O2");
	test_kinds();
	test_list();
	test_names();
	test_named();
	test_modules();
	test_once();
	tap_types_free(types);
	run("cd / && rm -r %s", dir);
	return check_end();
}
