// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of debug information: modules that are compiled here, in a tree that stands for the
 * system's own.
 */
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "dwarf/dwarf.h"
#include "dwarf/source.h"
#include "selftests/lib/check.h"
#include "selftests/lib/dwarf_types.h"
#include "selftests/lib/tmpfile.h"
#include "util/util.h"

static char dir[] = "/tmp/dwarf_test.XXXXXX";
static char release[65];
static char top[512];

static const char drv_c[] =
	"struct dev { int id; const char *name; };\n"
	"int drv_open(struct dev *dev, int flags) { return dev->id + flags; }\n";

/* Runs a command in the directory. $K is its /lib/modules/RELEASE. */
__attribute__((format(printf, 1, 2)))
static void run(const char *fmt, ...)
{
	char command[1024];
	va_list ap;
	int n;

	n = snprintf(command, sizeof(command), "cd %s && K=lib/modules/%s && ", dir, release);
	va_start(ap, fmt);
	vsnprintf(command + n, sizeof(command) - n, fmt, ap);
	va_end(ap);
	if (system(command)) {
		fprintf(stderr, "failed: %s\n", command);
		exit(1);
	}
}

static const char *in_dir(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

/* A module is linked with ld -r, which gives it a build-id. */
static void make_module(const char *source, const char *flags, const char *to)
{
	run("gcc -O2 -g %s -c -o %s.o %s && ld -r --build-id=sha1 -o %s %s.o", flags, to, source,
	    to, to);
}

static struct tap_types *types_in_dir(const char *debug)
{
	struct tap_types *types = tap_types_new();
	struct tap_error err = { 0 };

	if (!types)
		exit(1);
	tap_types_debug(types)->root = dir;
	if (debug)
		ok(!tap_types_add_debug(types, in_dir(debug), &err), "--debug names a file");
	return types;
}

/* Looks for drv; @expect is a part of the path or of the error. */
static void find(const char *debug, int expect, const char *part, const char *what)
{
	struct tap_types *types = types_in_dir(debug);
	struct tap_dwarf *dwarf = NULL, *again = NULL;
	struct tap_error err = { 0 }, second = { 0 };
	int ret = tap_dwarf_find_module(types, "snd_drv", &dwarf, &err);

	check(ret == expect && strstr(ret ? err.text : tap_dwarf_path(dwarf), part), "%s", what);
	if (ret != expect || !strstr(ret ? err.text : tap_dwarf_path(dwarf), part))
		printf("  %d, %s\n", ret, ret ? err.text : tap_dwarf_path(dwarf));
	ok(tap_dwarf_find_module(types, "snd_drv", &again, &second) == ret && again == dwarf &&
	   !strcmp(err.text, second.text), "  the second time, the answer is the same");
	tap_types_free(types);
}

static void test_open(void)
{
	struct tap_dwarf *dwarf;
	struct tap_error err = { 0 };
	uint8_t id[TAP_BUILD_ID_MAX];

	ok(!tap_dwarf_open(&dwarf, in_dir("snd-drv.ko"), &err), "a module");
	ok(tap_dwarf_build_id(dwarf, id) == 20, "its build-id");
	ok(!tap_dwarf_elf(dwarf) && tap_dwarf_module(dwarf), "a module of libdwfl, no program");
	tap_dwarf_close(dwarf);
	ok(!tap_dwarf_open(&dwarf, in_dir("prog"), &err), "a program");
	ok(tap_dwarf_elf(dwarf) != NULL, "is known as one");
	tap_dwarf_close(dwarf);
	ok(tap_dwarf_open(&dwarf, in_dir("stripped.ko"), &err) == -ENODATA &&
	   strstr(err.text, "no debug information"), "a stripped module");
	ok(tap_dwarf_open(&dwarf, in_dir("drv.c"), &err) == -ENOEXEC &&
	   strstr(err.text, "is not a module or program"), "a text");
	ok(tap_dwarf_open(&dwarf, in_dir("none"), &err) == -ENOENT, "no file");
	ok(tap_dwarf_open(&dwarf, dir, &err) == -EINVAL && strstr(err.text, "is not a file"),
	   "a directory");
	ok(tap_dwarf_open(&dwarf, in_dir("short.ko"), &err) < 0 && *err.text, "a truncated module");
}

/* Opens a file that must be refused with a part of the message. */
static void refused(const char *file, int code, const char *part)
{
	struct tap_dwarf *dwarf;
	struct tap_error err = { 0 };
	int ret = tap_dwarf_open(&dwarf, in_dir(file), &err);

	check(ret == code && strstr(err.text, part), "%s: %s", file, part);
	if (ret != code || !strstr(err.text, part))
		printf("  %d, %s\n", ret, err.text);
	if (!ret)
		tap_dwarf_close(dwarf);
}

/* Each section that was cut has a sentence of its own; none looks like source without code. */
static void test_damage(void)
{
	static const struct {
		const char *section;
		const char *part;
	} cut[] = {
		{ "info", "is damaged: .debug_info ends inside a unit; build it again" },
		{ "abbrev", "is damaged: a unit is not described in .debug_abbrev; build it again" },
		{ "str", "is damaged: .debug_str or .debug_line_str ends inside a text; build it again" },
		{ "rnglists", "is damaged: the ranges of a unit are not in .debug_rnglists or .debug_ranges" },
	};
	struct tap_dwarf_places places;
	struct tap_error err = { 0 };
	struct tap_dwarf *dwarf;
	char name[32];
	size_t i;

	native_write(dir, "cut.c", "int v;\nint one(int n) { return v += n; }\n"
		     "__attribute__((section(\".text.b\"))) int two(int n) { return v -= n; }\n");
	run("gcc -gdwarf-5 -O2 -c -o cut.o cut.c && ld -r --build-id=sha1 -o cut.ko cut.o");
	run("for s in info abbrev str rnglists line; do objcopy -O binary --only-section=.debug_$s "
	    "--set-section-flags .debug_$s=alloc cut.ko $s.bytes && head -c 3 $s.bytes >$s.less && "
	    "objcopy --update-section .debug_$s=$s.less cut.ko cut-$s.ko 2>/dev/null; done; :");
	for (i = 0; i < ARRAY_SIZE(cut); i++) {
		snprintf(name, sizeof(name), "cut-%s.ko", cut[i].section);
		refused(name, -EBADMSG, cut[i].part);
	}
	run("gcc -gdwarf-5 -O2 -S -o - cut.c | sed '/\\.debug_str,/,$ { s/\"MS\",@progbits,1/\"\",@nobits/; "
	    "s/\\.string.*/.zero 9/ }' | gcc -x assembler -c -o cut.o - && ld -r --build-id=sha1 -o no-bytes.ko cut.o");
	refused("no-bytes.ko", -EBADMSG, "a text is not in .debug_str");
	ok(!tap_dwarf_open(&dwarf, in_dir("cut-line.ko"), &err), "the lines are read when they are asked for");
	ok(tap_dwarf_line(tap_dwarf_module(dwarf), "cut.c", 2, &places, &err) == -EBADMSG &&
	   strstr(err.text, ".debug_line is damaged"), "cut lines");
	tap_dwarf_close(dwarf);
	run("xz -k snd-drv.ko && zstd -q snd-drv.ko && head -c 900 snd-drv.ko.xz >cut.ko.xz && "
	    "head -c 900 snd-drv.ko.zst >cut.ko.zst");
	refused("cut.ko.zst", -EBADMSG, "cut.ko.zst: cannot be decompressed: it is damaged");
	refused("cut.ko.xz", -EBADMSG, "cut.ko.xz: cannot be decompressed: it is damaged");
	ok(!tap_dwarf_open(&dwarf, in_dir("snd-drv.ko.xz"), &err), "a whole one, xz");
	tap_dwarf_close(dwarf);
	run("rm snd-drv.ko.xz snd-drv.ko.zst");
}

static void test_find(void)
{
	find(NULL, -ENODATA, "STRIP[0]", "nowhere: an error that says what to do");
	find("snd-drv.ko", 0, "/snd-drv.ko", "not loaded, --debug FILE");
	find("sub", 0, "/sub/deep/snd-drv.ko", "not loaded, --debug DIR");

	run("mkdir -p $K/updates/dkms $K/kernel && cp stripped.ko $K/updates/dkms/snd-drv.ko");
	find(NULL, -ENODATA, "in its stripped file", "stripped by DKMS");
	find("snd-drv.ko", 0, "/snd-drv.ko", "stripped by DKMS, --debug FILE");
	find("sub", 0, "/sub/deep/snd-drv.ko", "stripped by DKMS, --debug DIR with the same build");
	find("other", -ESTALE, "of the module that will be loaded is",
	     "--debug DIR with another build");

	run("mkdir -p sys/module/snd_drv/notes && echo live > sys/module/snd_drv/initstate");
	find("snd-drv.ko", -ENODATA, "the build-id of the module snd_drv is unknown",
	     "loaded, without a build-id");
	run("objcopy -O binary --only-section=.note.gnu.build-id --set-section-flags "
	    ".note.gnu.build-id=alloc snd-drv.ko sys/module/snd_drv/notes/.note.gnu.build-id");
	find("snd-drv.ko", 0, "/snd-drv.ko", "loaded, --debug FILE");
	find("other/snd-drv.ko", -ESTALE, "that of the loaded module is",
	     "loaded, --debug FILE of another build");
	run("objcopy --only-keep-debug snd-drv.ko any-name");
	find("any-name", 0, "/any-name", "loaded, debug symbols of another name, by build-id");
	find(NULL, -ENODATA, "in its stripped file", "loaded, stripped by DKMS");

	run("mkdir -p var/lib/dkms/drv/1.0/%s/x86_64/module && "
	    "cp snd-drv.ko var/lib/dkms/drv/1.0/%s/x86_64/module/", release, release);
	find(NULL, 0, "/var/lib/dkms/", "in the tree of DKMS");
	run("rm -r var && i=$(readelf -n snd-drv.ko | sed -n 's/.*Build ID: //p') && "
	    "mkdir -p usr/lib/debug/.build-id/$(echo $i | cut -c1-2) && "
	    "cp any-name usr/lib/debug/.build-id/$(echo $i | cut -c1-2)/$(echo $i | cut -c3-).debug");
	find(NULL, 0, "/usr/lib/debug/.build-id/", "by its build-id");
	run("rm -r usr && xz -k --check=crc32 -c snd-drv.ko > $K/updates/dkms/snd-drv.ko.xz");
	find(NULL, 0, "/updates/dkms/snd-drv.ko.xz", "compressed by xz");
	run("rm $K/updates/dkms/* && zstd -q -c snd-drv.ko > $K/kernel/snd-drv.ko.zst");
	find(NULL, 0, "/kernel/snd-drv.ko.zst", "compressed by zstd");
	run("rm $K/kernel/* && cp stripped.ko $K/kernel/snd-drv.ko && cp any-name $K/kernel/x.debug &&"
	    " objcopy --add-gnu-debuglink=$K/kernel/x.debug $K/kernel/snd-drv.ko");
	find(NULL, 0, "/kernel/snd-drv.ko", "by .gnu_debuglink");
}

/* A driver whose functions the compiler changes: copies without a parameter, unused parameters. */
static const char types_c[] =
	"#include \"dwarf_structs.h\"\n"
	"typedef struct dev dev_t_alias;\n"
	"enum late late;\n"
	"struct near near;\n"
	"int drv_open(struct dev *dev, int flags, enum state state) { return dev->id + flags + state; }\n"
	"void drv_void(dev_t_alias *dev, const char *name) { dev->name = name; }\n"
	"u64_t drv_wide(u64_t a, double d, u64_t b) { return a + b * d; }\n"
	"static __attribute__((noinline)) int drv_setup(struct dev *dev, int unused, int mode)\n"
	"{ (void)unused; dev->grid[0][0] += mode; return dev->id * mode + dev->named.inner; }\n"
	"int drv_start(struct dev *dev) { return drv_setup(dev, 1, 3) + drv_setup(dev + 1, 2, 3); }\n"
	"struct packed drv_struct(int a, struct packed b) { b.x += a; return b; }\n"
	"int drv_seven(int a, int b, int c, int d, int e, int f, int g) { return a + b * c - d * e + f * g; }\n"
	"extern void drv_use(int *p);\n"
	"int drv_address(int a, int b) { drv_use(&b); return a + b; }\n";

static const struct {
	const char *compiler;
	const char *flags;
} compilers[] = {
	{ "gcc", "-gdwarf-4 -O2" }, { "gcc", "-gdwarf-5 -O2" }, { "gcc", "-gdwarf-5 -O0" },
	{ "gcc", "-gdwarf-5 -O2 -shared -fPIC -fdebug-types-section" },
	{ "gcc", "-gdwarf-4 -O2 -shared -fPIC -fdebug-types-section" },
	{ "clang", "-gdwarf-4 -O2" }, { "clang", "-gdwarf-5 -O2" },
};

static void check_prototype(struct tap_dwarf *dwarf, const char *name, const char *expect)
{
	struct tap_prototype proto;
	char text[512] = "none";

	if (!tap_dwarf_function(dwarf, name, &proto))
		dwarf_prototype_text(&proto, text, sizeof(text));
	check(same(text, expect), "%s: %s", name, expect);
}

/* The name of the copy of drv_setup. */
static const char *copy_of_setup(const char *object)
{
	static char name[64];
	char command[300];
	FILE *nm;

	snprintf(command, sizeof(command), "nm %s | sed -n 's/.* \\(drv_setup.*\\)/\\1/p'",
		 in_dir(object));
	*name = '\0';
	nm = popen(command, "r");
	if (nm && fgets(name, sizeof(name), nm))
		name[strcspn(name, "\n")] = '\0';
	if (nm)
		pclose(nm);
	return name;
}

static void check_copies(struct tap_dwarf *dwarf, const char *object)
{
	const char *name = copy_of_setup(object);
	struct tap_prototype proto = { 0 };

	ok(!tap_dwarf_function(dwarf, name, &proto) && proto.nr == 3, "the copy of a function");
	ok(!strcmp(proto.params[0].name, "dev") && !strcmp(proto.params[1].name, "unused") &&
	   !strcmp(proto.params[2].name, "mode"), "has the parameters of the original");
	if (strstr(name, ".")) {
		ok(!strcmp(proto.base, "drv_setup"), "and its name");
		ok(proto.params[1].place >= TAP_PARAM_ELSEWHERE &&
		   proto.params[2].place >= TAP_PARAM_ELSEWHERE, "those that it lacks are known");
	}
	ok(proto.file && strstr(proto.file, "types.c"), "and the file of the source");
	ok(proto.params[0].place == TAP_PARAM_ARG && proto.params[0].arg == 0,
	   "the first is where it was");
}

static void test_types(const char *compiler, const char *flags)
{
	bool optimised = strstr(flags, "-O2");
	struct tap_error err = { 0 };
	struct tap_dwarf *dwarf;

	if (strcmp(compiler, "gcc") && system("command -v clang >/dev/null")) {
		printf("ok # SKIP there is no clang\n");
		return;
	}
	printf("# %s %s\n", compiler, flags);
	run("%s %s -Wno-attributes -I %s/selftests/lib %s -o types.o types.c", compiler, flags, top,
	    strstr(flags, "-shared") ? "" : "-c");
	if (!ok(!tap_dwarf_open(&dwarf, in_dir("types.o"), &err), "its debug information"))
		return;
	dwarf_types_check(dwarf);
	check_prototype(dwarf, "drv_open", optimised ?
			"int(struct dev *dev@0, int flags@1, enum state state@2)" :
			"int(struct dev *dev@abi, int flags@abi, enum state state@abi)");
	check_prototype(dwarf, "drv_void", optimised ?
			"void(dev_t_alias *dev@0, const char *name@1)" :
			"void(dev_t_alias *dev@abi, const char *name@abi)");
	check_prototype(dwarf, "drv_none", "none");
	if (optimised)
		check_copies(dwarf, "types.o");
	tap_dwarf_close(dwarf);
}

/* A driver whose functions are called by others, by itself, or at its start only. */
static const char entries_c[] =
	"extern void start(int (*fn)(int)), many(int);\n"
	"extern int other(int), others(int (*fn)(int), int);\n"
	"struct ops { int (*open)(int), (*close)(int); };\n"
	"static int ops_open(int a) { return other(a) + 1; }\n"
	"static int ops_close(int a) { return other(a) + 2; }\n"
	"const struct ops drv_ops = { ops_open, ops_close };\n"
	"static int ops_changed(int a) { return other(a) + 3; }\n"
	"struct ops drv_changed = { ops_changed, ops_open };\n"
	"static int work(int a) { return other(a) + 4; }\n"
	"int exported(int a) { return other(a) + 5; }\n"
	"asm(\".pushsection \\\"___ksymtab+exported\\\", \\\"a\\\"\\n.balign 4\\n.long exported - .\\n.popsection\");\n"
	"asm(\".pushsection .places, \\\"a\\\"\\n.balign 8\\n.quad called\\n.popsection\");\n"
	"__attribute__((noinline)) int called(int a) { return other(a) + 6; }\n"
	"static __attribute__((noinline)) int local(int a) { return other(a) * other(7); }\n"
	"__attribute__((section(\".init.text\"))) int at_start(int a) { start(work); return a; }\n"
	"int (*starts)(int) = at_start;\n"
	"static int perf_trace_drv(int a) { return other(a) + 8; }\n"
	"struct ops drv_class = { perf_trace_drv };\n"
	"__attribute__((section(\".init.text\"))) int early(int a) { return others(local, a); }\n"
	"int caller(int a) { start(work); return called(a) + local(a); }\n"
	"void jumps(int a)\n"
	"{ switch (a) { case 0: many(5); break; case 1: many(8); break; case 2: many(1); break;\n"
	"  case 3: many(9); break; case 4: other(2); break; case 5: other(3); break; default: many(0); } }\n";

/* The functions of the module drv_entries, in the order of the file, or the error; @path of --debug. */
static void check_entries(const char *path, const char *expect, const char *what)
{
	struct tap_types *types = types_in_dir(path);
	struct tap_error err = { 0 };
	char got[256] = "", **names = NULL;
	size_t nr = 0, i;
	int ret = tap_dwarf_module_entries(types, "drv_entries", &names, &nr, &err);

	for (i = 0; i < nr; i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s", i ? " " : "", names[i]);
	if (!ok(ret ? strstr(err.text, expect) != NULL : !strcmp(got, expect), what))
		printf("# %d: %s\n", ret, ret ? err.text : got);
	tap_dwarf_names_free(names, nr);
	tap_types_free(types);
}

static void test_entries(void)
{
	static const char entries[] = "ops_open ops_close ops_changed work exported";

	native_write(dir, "entries.c", entries_c);
	run("m=$(gcc -dumpmachine | grep -q x86_64 && echo -mcmodel=kernel); "
	    "gcc -O2 -fno-pie $m -fno-toplevel-reorder -c -o e.o entries.c && "
	    "ld -r --build-id=sha1 -o drv-entries.ko e.o && mkdir entries && "
	    "xz -k --check=crc32 -c drv-entries.ko > entries/drv-entries.ko.xz");
	check_entries("drv-entries.ko", entries, "functions that others can call");
	check_entries("entries", entries, "the same of a compressed module");
	check_entries("other", "no file of a module drv_entries was found in /lib/modules; name it with --debug, e.g. --debug ./drv_entries.ko",
		      "no file: what to do");
	run("echo 'int f(int a) { return a; }' > none.c && gcc -O2 -c -o none.o none.c && "
	    "mkdir -p none && ld -r --build-id=sha1 -o none/drv_entries.ko none.o");
	check_entries("none/drv_entries.ko", "drv_entries.ko: the module exports no function, and hands out the address of none; name its functions one by one",
		      "no such function: what to do");
	run("mkdir -p sys/module/drv_entries/notes && echo live > sys/module/drv_entries/initstate && "
	    "cp sys/module/snd_drv/notes/.note.gnu.build-id sys/module/drv_entries/notes/");
	check_entries("drv-entries.ko", "is of another build of the module drv_entries",
		      "the file of another build than the loaded one");
	run("rm -r sys/module/drv_entries");
}

int main(void)
{
	struct utsname uts;
	struct tap_error err = { 0 };
	struct tap_types *types;
	size_t i;

	if (!getcwd(top, sizeof(top)))
		return 1;
	native_dir(dir);
	uname(&uts);
	snprintf(release, sizeof(release), "%s", uts.release);
	native_write(dir, "drv.c", drv_c);
	native_write(dir, "prog.c", "int main(int argc, char **argv) { return argc + !argv; }\n");
	make_module("drv.c", "", "snd-drv.ko");
	run("strip -g -o stripped.ko snd-drv.ko && head -c 3000 snd-drv.ko > short.ko");
	run("mkdir -p sub/deep other && cp snd-drv.ko sub/deep/ && gcc -g -o prog prog.c");
	make_module("drv.c", "-Dflags=mode", "other/snd-drv.ko");

	types = types_in_dir(NULL);
	ok(tap_types_add_debug(types, in_dir("none"), &err) == -ENOENT &&
	   strstr(err.text, "--debug"), "--debug names no file");
	tap_types_free(types);
	test_open();
	test_damage();
	test_find();
	test_entries();
	native_write(dir, "types.c", types_c);
	for (i = 0; i < sizeof(compilers) / sizeof(compilers[0]); i++)
		test_types(compilers[i].compiler, compilers[i].flags);
	run("cd / && rm -r %s", dir);
	return check_end();
}
