// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of ELF files: builds small programs and libraries, and compares what libtap reads
 * with the output of nm, readelf, addr2line, c++filt and objdump; then damages them at random.
 * Built with sanitizers.
 */
#include <dlfcn.h>
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

#include "elf/elf_object.h"
#include "elf/elf_variable.h"
#include "sigbus.h"
#include "selftests/lib/check.h"
#include "selftests/lib/elf_corrupt.h"
#include "selftests/lib/elf_programs.h"
#include "selftests/lib/elf_usdt.h"
#include "selftests/lib/tmpfile.h"

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

/* The list has all functions that readelf prints, and no others. */
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

/* Expects the name that is shown for a byte of a symbol. */
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
	/* Names have no control characters; other letters match themselves only. */
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
	/* A place with several names matches once. */
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
				      "the name that is shown");
			if (!strcmp(list[i].name, "no_size"))
				check(fn && tap_elf_at(elf, list[i].offset + 2) == fn,
				      "a function without a size");
		}
		check(!tap_elf_at(elf, 1), "no function in the header");
		check(!tap_elf_at(elf, ~0ULL), "no function after the end of the code");
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
		/* addr2line prints FILE:? for a place with a file but no line. */
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

/* For each byte of each function: does an instruction start there? With and without symbols. */
static void compare_instructions(const char *name)
{
	static unsigned char begins[1 << 20];
	const struct tap_elf_function *list;
	struct segments segments;
	unsigned long long addr, at;
	struct tap_error err;
	size_t nr, i, off, wrong = 0, all = 0, answered = 0;
	struct tap_elf *elf;
	char line[4096];
	int code;
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
	for (i = 0; i < nr; i++) {
		for (off = 0; off < list[i].size; off++, all++) {
			at = list[i].offset + off;
			wrong += tap_elf_check(elf, &list[i], off) !=
				 (begins[at] ? 0 : -EILSEQ);
			code = tap_elf_check_at(elf, at);
			answered += code != -EOPNOTSUPP;
			wrong += code != -EOPNOTSUPP &&
				 code != (begins[at] ? 0 : -EILSEQ);
		}
	}
	check(all > 200 && answered > 200 && !wrong,
	      "%s: %zu of %zu offsets in code are wrong; %zu are known without symbols",
	      name, wrong, all, answered);
	check(tap_elf_check_at(elf, 1) == -EOPNOTSUPP, "no code in the header");
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

/* Finds a debug file by build-id below /usr/lib/debug, in a mount namespace of its own. */
static void test_debug_dir(void)
{
	if (geteuid() || access("/usr/lib/debug", F_OK) ||
	    unshare(CLONE_NEWNS) ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/usr/lib/debug", "tmpfs", 0, NULL)) {
		printf("# no namespace for /usr/lib/debug\n");
		return;
	}
	check(run_in_dir("id=$(readelf -n stripped | sed -n 's/.*Build ID: //p') && "
		  "d=/usr/lib/debug/.build-id/$(echo $id | cut -c1-2) && "
		  "mkdir -p $d && cp linked.debug $d/$(echo $id | cut -c3-).debug"),
	      "a debug file is found by its build-id");
	compare_functions("stripped", "pie");
	umount("/usr/lib/debug");
}

/* ------------------------------------------------------------ paths, errors */

static void test_errors(void)
{
	static const struct {
		const char *name;
		int code;
		const char *sentence;
	} errors[] = {
		{ "nothing", -ENOENT, "no such file" },
		{ ".", -EINVAL, "is a directory" },
		{ "fifo", -EINVAL, "a special file" },
		{ "script", -ENOEXEC, "is a script; probe its interpreter, /bin/sh" },
		{ "text", -ENOEXEC, "not an ELF file" },
		{ "empty", -ENOEXEC, "not an ELF file" },
		{ "object.o", -ENOEXEC, "is an object file" },
		{ "other", -ENOEXEC, "for another kind of machine" },
		{ "cut", -ENOEXEC, "damaged" },
		{ "linked.debug", -ENOEXEC, "has no code" },
	};
	struct tap_elf *elf;
	size_t i;

	run_in_dir("mkfifo fifo");
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

/* A mapped file is found after its name was replaced or removed. */
static void test_deleted(void)
{
	char path[128], mapped[128];
	struct stat was = { 0 }, is = { 0 };
	struct tap_error err = { 0 };
	char found[4096];
	void *map;
	int fd;

	snprintf(path, sizeof(path), "%s/libgone.so.1", elf_dir);
	run_in_dir("cp usdt.so libgone.so.1");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	map = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (fd < 0 || map == MAP_FAILED || fstat(fd, &was))
		abort();
	finds("libgone", getpid(), 0, path);
	finds(path, getpid(), 0, path);
	run_in_dir("cp usdt.so new; mv new libgone.so.1");
	snprintf(mapped, sizeof(mapped), "/proc/%d/map_files/%lx-%lx", getpid(),
		 (unsigned long)map, (unsigned long)map + 4096);
	if (stat(mapped, &is)) {
		printf("# no map_files\n");
	} else {
		finds("libgone", getpid(), 0, mapped);
		finds(path, getpid(), 0, mapped);
		check(!tap_elf_find(path, getpid(), found, sizeof(found), &err) &&
		      !stat(found, &is) && is.st_ino == was.st_ino,
		      "the mapped file is read");
		finds(path, 0, 0, path);
		run_in_dir("rm libgone.so.1");
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
	finds("no such thing at all", 0, -ENOENT, "no library or program");
	setenv("PATH", elf_dir, 1);
	finds("pie", 0, 0, "/pie");
	finds("strippde", 0, -ENOENT, "did you mean stripped?");
	setenv("PATH", old, 1);
	free(old);
	snprintf(name, sizeof(name), "%s/exce", elf_dir);
	finds(name, 0, -ENOENT, "did you mean exec?");
	snprintf(name, sizeof(name), "%s/exec", elf_dir);
	finds(name, getpid(), 0, name);

	test_deleted();
	run_in_dir("cp exec moved");
	if (!open_in_dir(&elf, "moved", &err)) {
		check(!tap_elf_replaced(elf), "not replaced");
		run_in_dir("cp exec new && mv new moved");
		check(tap_elf_replaced(elf), "replaced");
		run_in_dir("rm moved");
		check(!tap_elf_replaced(elf), "gone");
		tap_elf_put(elf);
	}
}

/* Opens the variable ns::counter of a library; the address of the pointer to it, or 0. */
static uint64_t pointer_of(const char *library, struct tap_elf **elf)
{
	struct tap_elf_variable var;
	struct tap_error err;
	uint64_t at = 0;

	if (open_in_dir(elf, library, &err) ||
	    tap_elf_variable(*elf, "ns::counter", &var, &err)) {
		printf("# %s: %s\n", library, err.text);
		exit(1);
	}
	return tap_elf_pointer(*elf, var.symbol, &at) ? at : 0;
}

/*
 * A variable of a library, by its demangled name: the library has a pointer to it. The library is
 * mapped a second time, as by what reads its symbols.
 */
static void test_variable(void)
{
	struct tap_error err = { 0 };
	uint64_t bias = 0, at;
	struct tap_elf *elf;
	char path[128];
	Dl_info info;
	void *lib;

	run_in_dir("printf 'int counter __asm__(\"_ZN2ns7counterE\"); void bump(void) { counter++; }\\n' > counter.c && "
		   "gcc -shared -fPIC -o libcounter.so counter.c");
	at = pointer_of("libcounter.so", &elf);
	check(at, "the pointer of a library to its variable");
	snprintf(path, sizeof(path), "%s/libcounter.so", elf_dir);
	lib = dlopen(path, RTLD_NOW);
	if (!lib || !dladdr(dlsym(lib, "bump"), &info))
		abort();
	/* The kernel puts it below what is mapped. */
	if (mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, tap_elf_fd(elf), 0) == MAP_FAILED)
		abort();
	check(!tap_elf_bias(elf, (uint32_t)getpid(), &bias, &err) &&
	      bias == (uint64_t)(uintptr_t)info.dli_fbase,
	      "a library that is mapped a second time: 0x%llx is not %p: %s",
	      (unsigned long long)bias, info.dli_fbase, err.text);
	check(at && bias == (uint64_t)(uintptr_t)info.dli_fbase &&
	      **(int **)(uintptr_t)(bias + at) == 0, "its pointer leads to the variable");
	tap_elf_put(elf);
	dlclose(lib);
	if (!run_in_dir("gcc -m32 -shared -nostdlib -fPIC -o lib32.so counter.c"))
		abort();
	check(pointer_of("lib32.so", &elf), "the pointer of a 32-bit library");
	tap_elf_put(elf);
}

int main(void)
{
	check_quiet = true;
	sigbus_catch();
	srand(1);
	test_usdt_args();
	if (!mkdtemp(elf_dir) || !build_programs()) {
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
	test_variable();
	test_cut();
	test_corrupt("linked");
	test_corrupt("usdt");
	test_corrupt("usdt.so");
	test_corrupt("cxx");
	test_debug_dir();
	run_in_dir("rm -rf %s", elf_dir);
	return check_end();
}
