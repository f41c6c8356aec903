// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of debug information: modules that are compiled here, in a tree that stands for the
 * system's own.
 */
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/utsname.h>

#include "dwarf/dwarf.h"
#include "selftests/lib/check.h"
#include "selftests/lib/tmpfile.h"

static char dir[] = "/tmp/dwarf_test.XXXXXX";
static char release[65];

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

static void test_find(void)
{
	find(NULL, -ENODATA, "STRIP[0]", "nowhere: an error that says what to do");
	find("snd-drv.ko", 0, "/snd-drv.ko", "not loaded, --debug FILE");
	find("sub", 0, "/sub/deep/snd-drv.ko", "not loaded, --debug DIR");

	run("mkdir -p $K/updates/dkms $K/kernel && cp stripped.ko $K/updates/dkms/snd-drv.ko");
	find(NULL, -ENODATA, "no debug information", "stripped by DKMS");
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
	find(NULL, -ENODATA, "no debug information", "loaded, stripped by DKMS");

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

int main(void)
{
	struct utsname uts;
	struct tap_error err = { 0 };
	struct tap_types *types;

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
	test_find();
	run("cd / && rm -r %s", dir);
	return check_end();
}
