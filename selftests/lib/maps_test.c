// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of mappings of processes and names of addresses: from records made here, from this
 * process, from programs and libraries that are built here, and from generated code. Built with
 * sanitizers.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "selftests/lib/fake_ring.h"
#include "spec/probe_table.h"
#include "session/reader.h"
#include "symbolize/maps.h"
#include "selftests/lib/check.h"
#include "symbolize/maps_track.h"
#include "symbolize/jit_map.h"

/* A pid that no process has. */
#define NOBODY	5000000U

static char dir[] = "/tmp/tap-mappings-test-XXXXXX";

/* --------------------------------------------------------- records made here */

static struct tap_maps *new_maps(void)
{
	struct tap_maps *maps = calloc(1, sizeof(*maps));

	if (!maps)
		abort();
	maps->prune = 65536;
	return maps;
}

/* Passes a record in memory of its exact size, so that the sanitizer detects a read beyond it. */
static void tell(struct tap_maps *maps, unsigned int type,
		 unsigned int misc, const void *body, size_t len, __u64 time)
{
	struct perf_event_header head = {
		.type = type, .misc = (__u16)misc,
		.size = (__u16)(sizeof(head) + len + sizeof(time)),
	};
	char *record = malloc(head.size);

	memcpy(record, &head, sizeof(head));
	memcpy(record + sizeof(head), body, len);
	memcpy(record + sizeof(head) + len, &time, sizeof(time));
	tap_mmaps_record(maps, record, head.size);
	free(record);
}

struct mmap_record {
	__u32 pid, tid;
	__u64 addr, len, pgoff;
	union {
		struct {
			__u32 maj, min;
			__u64 ino, generation;
		};
		struct {
			__u8 size, reserved[3], build_id[20];
		};
	};
	__u32 prot, flags;
	char path[64];
};

static void tell_mmap(struct tap_maps *maps, __u32 pid, __u64 addr,
		      __u64 len, const char *path, __u64 time)
{
	struct mmap_record r = {
		.pid = pid, .tid = pid, .addr = addr, .len = len,
		.pgoff = 0x1000, .ino = 7,
	};

	snprintf(r.path, sizeof(r.path), "%s", path);
	tell(maps, PERF_RECORD_MMAP2, 0, &r, sizeof(r), time);
}

static void tell_task(struct tap_maps *maps, unsigned int type, __u32 pid,
		      __u32 ppid, __u32 tid, __u64 time)
{
	struct {
		__u32 pid, ppid, tid, ptid;
		__u64 time;
	} r = { pid, ppid, tid, ppid, time };

	tell(maps, type, 0, &r, sizeof(r), time);
}

static void tell_exec(struct tap_maps *maps, __u32 pid, bool exec,
		      __u64 time)
{
	struct {
		__u32 pid, tid;
		char comm[16];
	} r = { pid, pid, "name" };

	tell(maps, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0, &r,
	     sizeof(r), time);
}

/* The mapped path; "" for anonymous memory, "-" for no mapping. */
static const char *at(struct tap_maps *maps, __u32 pid, __u64 time,
		      __u64 addr)
{
	const struct tap_map *map = tap_maps_find(maps, pid, time, addr);

	if (!map)
		return "-";
	return map->dso ? map->dso->path : "";
}

static bool is(const char *got, const char *expected)
{
	if (!strcmp(got, expected))
		return true;
	printf("# got '%s', expected '%s'\n", got, expected);
	return false;
}

static void test_processes(void)
{
	struct tap_maps *maps = new_maps();
	const __u32 a = NOBODY, b = NOBODY + 1;

	tell_mmap(maps, a, 0x10000, 0x1000, "/bin/a", 100);
	tell_mmap(maps, a, 0x20000, 0x1000, "/lib/x", 110);
	tell_task(maps, PERF_RECORD_FORK, b, a, b, 200);
	tell_task(maps, PERF_RECORD_FORK, a, a, a + 5, 210);
	tell_exec(maps, b, false, 250);
	tell_exec(maps, b, true, 300);
	tell_mmap(maps, b, 0x10000, 0x1000, "/bin/b", 310);
	tell_task(maps, PERF_RECORD_EXIT, b, a, b + 5, 350);
	tell_task(maps, PERF_RECORD_EXIT, b, a, b, 400);
	tell_task(maps, PERF_RECORD_FORK, b, a, b, 500);
	tap_maps_apply(maps, 1000);
	check(is(at(maps, a, 150, 0x10000), "/bin/a") &&
	      is(at(maps, a, 150, 0x10fff), "/bin/a") &&
	      is(at(maps, a, 150, 0x11000), "-") &&
	      is(at(maps, a, 900, 0x20010), "/lib/x"), "a mapping starts and ends at its addresses");
	check(is(at(maps, b, 250, 0x10000), "/bin/a") &&
	      is(at(maps, b, 290, 0x20000), "/lib/x"),
	      "a child has the mappings of its parent until execve");
	check(is(at(maps, b, 320, 0x10000), "/bin/b") &&
	      is(at(maps, b, 399, 0x10000), "/bin/b"),
	      "after execve it has another program at the same address");
	check(is(at(maps, b, 600, 0x10000), "/bin/a"),
	      "a reused pid is another process");
	check(is(at(maps, b, 305, 0x10000), "/bin/b") &&
	      is(at(maps, a, 50, 0x10000), "/bin/a"),
	      "a mapping is found just before its record: clocks may differ");
	check(is(at(maps, b, TAP_TIME_END, 0x10000), "/bin/a") &&
	      is(at(maps, a, TAP_TIME_END, 0x20000), "/lib/x"),
	      "mappings at TAP_TIME_END are the last ones");
	check(is(at(maps, b + 9, 500, 0x10000), "-"), "a process without records has no mappings");
	tap_maps_close(maps);
}

static void test_libraries(void)
{
	struct tap_maps *maps = new_maps();
	struct mmap_record r = {
		.pid = NOBODY, .addr = 0x50000, .len = 0x1000, .size = 20,
		.path = "/lib/id (deleted)",
	};
	const struct tap_map *map;

	tell_mmap(maps, NOBODY, 0x10000, 0x1000, "/lib/x", 100);
	tell_mmap(maps, NOBODY, 0x10000, 0x2000, "/lib/y", 200);
	tell_mmap(maps, NOBODY, 0x20000, 0x4000, "/lib/x", 300);
	tell_mmap(maps, NOBODY, 0x21000, 0x1000, "//anon", 400);
	tell_mmap(maps, NOBODY, 0x21000, 0x1000, "//anon", 401);
	tell_mmap(maps, NOBODY, 0x30000, 0x1000, "[vdso]", 500);
	tell_mmap(maps, NOBODY, ~0xfffULL, 0x2000, "/lib/z", 500);
	memset(r.build_id, 0xab, sizeof(r.build_id));
	tell(maps, PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID, &r,
	     sizeof(r), 600);
	r.size = 21;
	r.addr += 0x1000;
	tell(maps, PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID, &r,
	     sizeof(r), 600);
	tap_maps_apply(maps, 1000);
	check(is(at(maps, NOBODY, 150, 0x10000), "/lib/x") &&
	      is(at(maps, NOBODY, 250, 0x10000), "/lib/y"),
	      "one library after another at the same address");
	check(is(at(maps, NOBODY, 500, 0x20000), "/lib/x") &&
	      is(at(maps, NOBODY, 500, 0x21000), "") &&
	      is(at(maps, NOBODY, 350, 0x21000), "/lib/x") &&
	      is(at(maps, NOBODY, 500, 0x22000), "/lib/x"),
	      "a mapping in the middle of another");
	check(maps->chains[NOBODY % TAP_PROCESS_CHAINS]->nr == 7,
	      "a mapping that is reported twice is stored once");
	map = tap_maps_find(maps, NOBODY, 700, 0x50000);
	check(map && !strcmp(map->dso->path, "/lib/id") &&
	      map->dso->id.build_id_len == 20 &&
	      map->dso->id.build_id[19] == 0xab, "a build-id, a deleted file");
	map = tap_maps_find(maps, NOBODY, 700, 0x51000);
	check(map && !map->dso->id.build_id_len, "a build-id that is too long is ignored");
	check(is(at(maps, NOBODY, 700, 0x30000), "[vdso]"), "the vdso");
	tap_maps_close(maps);
}

static void test_order(void)
{
	struct tap_maps *maps = new_maps();
	struct {
		__u64 id, lost;
	} lost = { 1, 12 };

	/* In the order in which two CPUs deliver them. */
	tell_mmap(maps, NOBODY, 0x10000, 0x1000, "/bin/c", 310);
	tell_exec(maps, NOBODY, true, 600);
	tell_mmap(maps, NOBODY, 0x10000, 0x1000, "/bin/d", 610);
	tell_mmap(maps, NOBODY, 0x10000, 0x1000, "/bin/a", 100);
	tell_exec(maps, NOBODY, true, 300);
	tap_maps_apply(maps, 400);
	check(maps->nr_changes == 2 &&
	      is(at(maps, NOBODY, 200, 0x10000), "/bin/a") &&
	      is(at(maps, NOBODY, 400, 0x10000), "/bin/c"),
	      "records are applied in the order of time, early ones first");
	tell_exec(maps, NOBODY, true, 500);
	tap_maps_apply(maps, 1000);
	check(is(at(maps, NOBODY, 550, 0x10000), "/bin/c") &&
	      is(at(maps, NOBODY, 700, 0x10000), "/bin/d"), "then the others");
	tell(maps, PERF_RECORD_LOST, 0, &lost, sizeof(lost), 1000);
	check(tap_maps_lost(maps) == 12, "lost records are counted");
	tap_maps_close(maps);
}

/* Short, long and invalid records. */
static void test_hostile(void)
{
	static const unsigned int types[] = {
		PERF_RECORD_MMAP2, PERF_RECORD_COMM, PERF_RECORD_FORK,
		PERF_RECORD_EXIT, PERF_RECORD_LOST, PERF_RECORD_SAMPLE, 200,
	};
	struct tap_maps *maps = new_maps();
	unsigned int i, k, n;
	char *body;

	srand(5);
	for (i = 0; i < 20000; i++) {
		n = (unsigned int)rand() % 200;
		body = malloc(n + 1);
		for (k = 0; k < n; k++)
			body[k] = (char)(rand() % 4 ? rand() % 8 : rand());
		/* Few processes, so that records refer to each other. */
		for (k = 0; k + 4 <= n && k < 16; k += 4)
			*(__u32 *)(body + k) = NOBODY +
					       (unsigned int)rand() % 4;
		tell(maps, types[(unsigned int)rand() % ARRAY_SIZE(types)],
		     rand() & 1 ? 0xffff : 0, body, n, (__u64)rand());
		free(body);
		if (i % 100 == 99)
			tap_maps_apply(maps, (__u64)rand());
		at(maps, NOBODY + 1, 1, (__u64)rand());
	}
	check(maps->nr_changes < 20000, "20000 random records");
	tap_maps_close(maps);
}

static void test_prune(void)
{
	const __u64 day = 86400ULL * 1000000000;
	struct tap_maps *maps = new_maps();
	struct tap_map *map;
	unsigned int i;
	size_t nr = 0;

	for (i = 0; i < 300000; i++) {
		__u32 pid = NOBODY + i % 30000;

		tell_mmap(maps, pid, 0x10000, 0x1000, "/bin/a", i * 1000000ULL);
		tell_task(maps, PERF_RECORD_EXIT, pid, 1, pid,
			  i * 1000000ULL + 1);
		tap_maps_apply(maps, i * 1000000ULL + 1);
		map = i == 5 ? tap_maps_find(maps, pid, 5000000, 0x10000) :
			       NULL;
		if (map)
			map->used = true;
	}
	tap_maps_apply(maps, day);
	for (i = 0; i < TAP_PROCESS_CHAINS; i++) {
		const struct tap_process *p = maps->chains[i];

		for (; p; p = p->next)
			nr += p->nr;
	}
	check(nr < 150000 && nr == maps->ended, "processes that ended long ago are dropped");
	check(tap_maps_find(maps, NOBODY + 5, 5000000, 0x10000)->used,
	      "but not those of pending events");
	tap_maps_close(maps);
}

/* A process that maps and unmaps all the time must not block others. */
static void test_flood(void)
{
	struct tap_maps *maps = new_maps();
	struct tap_process *process;
	struct tap_map *map;
	char name[32];
	unsigned int i;

	tell_mmap(maps, NOBODY, 0x90000, 0x1000, "/bin/stays", 1);
	for (i = 0; i < 50000; i++) {
		snprintf(name, sizeof(name), "/bin/%u", i % 64);
		tell_mmap(maps, NOBODY, 0x10000, 0x1000, name, i + 2);
		tap_maps_apply(maps, i + 2);
		map = i == 7 ? tap_maps_find(maps, NOBODY, 9, 0x10000) :
			       NULL;
		if (map)
			map->used = true;
	}
	process = tap_maps_process(maps, NOBODY);
	check(process->nr < 20000 && maps->ended == process->nr - 2,
	      "with too many mappings the oldest are dropped");
	check(is(at(maps, NOBODY, i + 1, 0x10000), "/bin/15") &&
	      is(at(maps, NOBODY, i - 99, 0x10000), "/bin/43"),
	      "the latest mappings are known");
	check(is(at(maps, NOBODY, 9, 0x10000), "/bin/7") &&
	      is(at(maps, NOBODY, i, 0x90000), "/bin/stays"),
	      "mappings of pending events and current mappings are known");
	tap_maps_close(maps);
}

/* ---------------------------------------------------------- running programs */

static struct tap_maps *maps;
static struct tap_user_symbols *syms;

static __attribute__((noinline)) int known_function(int x)
{
	return x * 3 + getpid();
}

static const char *name_of(__u32 pid, const void *addr)
{
	static char buf[512];

	if (tap_user_symbols_lookup(syms, pid, tap_maps_now(),
				    (uintptr_t)addr, buf, sizeof(buf)))
		snprintf(buf, sizeof(buf), "-");
	return buf;
}

static bool begins(const char *got, const char *expected)
{
	if (!strncmp(got, expected, strlen(expected)))
		return true;
	printf("# got '%s', expected '%s...'\n", got, expected);
	return false;
}

__attribute__((format(printf, 1, 2)))
static bool run(const char *fmt, ...)
{
	char command[512], text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	snprintf(command, sizeof(command), "cd %s && %s", dir, text);
	return !system(command);
}

static void test_self(void)
{
	const char *vdso = (const char *)getauxval(AT_SYSINFO_EHDR);
	__u32 self = (__u32)getpid();
	bool named = false;
	size_t i;

	check(begins(name_of(self, known_function),
		     "known_function+0x0 [maps] maps_test.c:") &&
	      begins(name_of(self, (char *)known_function + 1),
		     "known_function+0x1 [maps] maps_test.c:"),
	      "a function of this program, with its line number");
	check(begins(name_of(self, dlsym(RTLD_NEXT, "getppid")), "getppid+0x0 [libc.so.6]"),
	      "a function of the C library");
	for (i = 0; vdso && i < 8192; i += 16)
		named |= strstr(name_of(self, vdso + i), "gettime") &&
			 strstr(name_of(self, vdso + i), " [vdso]");
	check(named, "a function of the vdso");
	check(begins(name_of(self, &self), "-"), "a variable on the stack");
	check(known_function(1), "the library has the function");
}

static void test_dlopen(void)
{
	void *lib, *fn;
	char path[64];

	if (!run("echo 'int in_library(void) { return 1; }' > lib.c && gcc -shared -fPIC -o lib.so lib.c"))
		abort();
	snprintf(path, sizeof(path), "%s/lib.so", dir);
	lib = dlopen(path, RTLD_NOW);
	fn = lib ? dlsym(lib, "in_library") : NULL;
	check(fn && is(name_of((__u32)getpid(), fn), "in_library+0x0 [lib.so]"),
	      "a library that was loaded later");
}

/**
 * struct child - a program that runs until it reads a byte from its pipe
 * @pid: its id
 * @go: the pipe
 * @addr: an address in it
 */
struct child {
	pid_t pid;
	int go;
	void *addr;
};

/* The program prints the address of its function. */
static void start(struct child *child, const char *name)
{
	int in[2], out[2];
	char path[64];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (pipe(in) || pipe(out))
		abort();
	child->pid = fork();
	if (!child->pid) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		close(in[1]);
		execl(path, path, NULL);
		_exit(1);
	}
	close(in[0]);
	close(out[1]);
	child->go = in[1];
	if (read(out[0], &child->addr, sizeof(child->addr)) !=
	    sizeof(child->addr))
		abort();
	close(out[0]);
}

static void stop(struct child *child)
{
	close(child->go);
	child->go = -1;
	waitpid(child->pid, NULL, 0);
}

static void build_program(const char *name, const char *function,
			  const char *flags)
{
	if (!run("echo 'int %s(void) { return 1; } int main(void) { void *p = %s; char c;"
		 "__builtin_printf(\"\"); return write(1, &p, sizeof(p)) + read(0, &c, 1); }'"
		 " > prog.c && gcc %s -include unistd.h -o %s prog.c", function,
		 function, flags, name))
		abort();
}

/* The program has exited before its names are read. */
static bool is_replaced(struct child *child, const char *name)
{
	char text[64];

	if (child->go >= 0)
		stop(child);
	snprintf(text, sizeof(text), " [%s, replaced]", name);
	return begins(name_of((__u32)child->pid, child->addr), "0x") &&
	       strstr(name_of((__u32)child->pid, child->addr), text);
}

/* Opens the file, as for a probe. */
static void hold(const char *name)
{
	struct tap_probes probes = { 0 };
	char path[64];

	fake_probe(&probes, 1, TAP_PROBE_UPROBE, "uprobe:f", 4, NULL, 0);
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (tap_elf_open(&probes.list[0].spec.elf, path, NULL) ||
	    tap_maps_know(maps, &probes))
		abort();
	tap_probes_clear(&probes);
}

/* The program's file was deleted, and another file has its name. */
static bool is_named(struct child *child, const char *name)
{
	char text[64];

	start(child, name);
	stop(child);
	if (!run("rm %s && cp lib.so %s", name, name))
		abort();
	snprintf(text, sizeof(text), "in_%s+0x0 [%s]", name, name);
	return is(name_of((__u32)child->pid, child->addr), text);
}

static void test_programs(void)
{
	struct child a, b, c;

	build_program("prog", "in_program", "");
	build_program("other", "in_other", "");
	build_program("plain", "in_plain", "-Wl,--build-id=none");
	build_program("bare", "in_bare", "-Wl,--build-id=none");
	build_program("same", "in_same", "-Wl,--build-id=none");
	build_program("held", "in_held", "");
	build_program("open", "in_open", "-Wl,--build-id=none");
	start(&a, "prog");
	stop(&a);
	check(is(name_of((__u32)a.pid, a.addr), "in_program+0x0 [prog]"),
	      "a program that has ended");
	start(&b, "prog");
	if (!run("rm prog"))
		abort();
	check(is(name_of((__u32)b.pid, b.addr), "in_program+0x0 [prog]"),
	      "a program whose file was deleted");
	stop(&b);
	check(is(name_of((__u32)b.pid, b.addr), "in_program+0x0 [prog]"),
	      "a program whose file was deleted, and that has ended");
	start(&c, "other");
	tap_maps_update(maps);
	usleep(20000);
	if (!run("mv other old && cp lib.so other"))
		abort();
	check(is_replaced(&c, "other"),
	      "a program whose file was replaced has no wrong name");
	start(&c, "plain");
	stop(&c);
	check(is(name_of((__u32)c.pid, c.addr), "in_plain+0x0 [plain]"),
	      "a program without a build-id");
	start(&c, "bare");
	tap_maps_update(maps);
	/* Later than a clock tick, so that the time of change differs. */
	usleep(20000);
	if (!run("cp --attributes-only lib.so x && mv x bare && cp old bare"))
		abort();
	check(is_replaced(&c, "bare"),
	      "a program without a build-id whose file was replaced");
	/* The inode number of a deleted file may be reused. */
	start(&c, "same");
	stop(&c);
	tap_maps_update(maps);
	usleep(20000);
	if (!run("cat old > same"))
		abort();
	check(is_replaced(&c, "same"), "a program without a build-id whose file was overwritten");
	hold("held");
	hold("open");
	check(is_named(&c, "held"), "a program that was open, and deleted immediately");
	check(is_named(&c, "open"), "another program without a build-id");
}

/*
 * A file that only the processes of a container see: here its path is another file. Of those that
 * have mapped it, this process alone is there when the events are read.
 */
static void test_container(void)
{
	struct tap_user_symbols *saved = syms;
	struct tap_maps *own = new_maps();
	__u32 self = (__u32)getpid();
	struct tap_map *map = tap_maps_find(maps, self, TAP_TIME_END, (uintptr_t)known_function);
	pid_t zombie = fork();
	struct mmap_record r = { 0 };

	if (!zombie)
		_exit(0);
	if (!map || !tap_maps_dso_at(maps, self, map) || !map->dso->id.build_id_len ||
	    tap_user_symbols_open(&syms, own) || !run("cp lib.so inside") ||
	    waitid(P_PID, (id_t)zombie, NULL, WEXITED | WNOWAIT))
		abort();
	usleep(20000);
	snprintf(r.path, sizeof(r.path), "%s/inside", dir);
	r.addr = map->start;
	r.len = map->end - map->start;
	r.pgoff = map->offset;
	r.size = map->dso->id.build_id_len;
	memcpy(r.build_id, map->dso->id.build_id, sizeof(r.build_id));
	for (r.pid = NOBODY; r.pid; r.pid = r.pid == NOBODY ? (__u32)zombie :
					    r.pid == self ? 0 : self)
		tell(own, PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID, &r, sizeof(r), 1);
	tap_maps_apply(own, 2);
	check(begins(name_of(NOBODY, known_function), "0x") &&
	      strstr(name_of(NOBODY, known_function), " [inside]"),
	      "another file of this path does not replace that of a process that has ended");
	check(begins(name_of((__u32)zombie, known_function), "0x"), "nor that of a zombie");
	check(begins(name_of(self, known_function), "known_function+0x0 [inside]"),
	      "a process that is there has the file");
	check(begins(name_of(NOBODY, known_function), "known_function+0x0 [inside]"),
	      "then the others have the names as well");
	tap_user_symbols_close(syms);
	tap_maps_close(own);
	syms = saved;
	waitpid(zombie, NULL, 0);
}

/* All maps of a process are compared, so one with many of them is asked less often. */
static void test_many(void)
{
	struct tap_maps *own = new_maps();
	__u64 start, took, rest;
	int go[2];
	char c = 0;
	pid_t pid;
	int i;

	if (pipe(go))
		abort();
	pid = fork();
	if (!pid) {
		char *p = mmap(NULL, 16000 * 4096UL, PROT_READ | PROT_EXEC,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		for (i = 0; i < 16000; i += 2)
			mprotect(p + i * 4096L, 4096, PROT_READ);
		if (write(go[1], &c, 1) == 1)
			pause();
		_exit(0);
	}
	if (pid < 0 || read(go[0], &c, 1) != 1)
		abort();
	start = tap_maps_now();
	tap_maps_find(own, (__u32)pid, TAP_TIME_END, 1);
	took = tap_maps_now() - start;
	rest = tap_maps_process(own, (__u32)pid)->ask - start;
	check(tap_maps_process(own, (__u32)pid)->nr >= 8000 && rest >= 8 * took,
	      "/proc of a process with many maps is read for a small part of the time");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(go[0]);
	close(go[1]);
	tap_maps_close(own);
}

/* ------------------------------------------------------------ generated code */

static void write_map(const char *text, const char *mode)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	f = fopen(path, mode);
	if (!f || fputs(text, f) < 0 || fclose(f))
		abort();
}

static void test_jit(void)
{
	__u32 self = (__u32)getpid();
	char path[64], text[512], name[64];
	char *code = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long long at_code = (uintptr_t)code;

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", self);
	check(begins(name_of(self, code), "-"), "generated code without names");
	usleep(120000);
	snprintf(text, sizeof(text),
		 "%llx 10 first one\n%llx 20 second\n%llx ffffffffffffffff all\n"
		 "zz 10 x\n%llx 0 none\n%llx 10\n10 10 low\n\n%llx 8 moved\n%llx",
		 at_code, at_code + 0x10, at_code + 0x100, at_code + 0x200,
		 at_code + 0x300, at_code + 0x18, at_code);
	write_map(text, "w");
	if (chown(path, 1, 1))
		printf("# not root\n");
	else
		check(begins(name_of(self, code), "-"),
		      "a map file of another user is ignored");
	if (chown(path, getuid(), getgid()))
		abort();
	usleep(120000);
	snprintf(name, sizeof(name), "first one+0x4 [perf-%u.map]", self);
	check(is(name_of(self, code + 4), name), "generated code");
	snprintf(name, sizeof(name), "second+0x4 [perf-%u.map]", self);
	check(is(name_of(self, code + 0x14), name) &&
	      begins(name_of(self, code + 0x18), "moved+0x0") &&
	      begins(name_of(self, code + 0x20), "second+0x10"),
	      "an address range that was reused in part");
	check(begins(name_of(self, code + 0x1000), "0x"),
	      "generated code outside the names");
	/* A file is not read again for some time. */
	usleep(120000);
	write_map(" 10 late\n", "a");
	snprintf(text, sizeof(text), "%llx 10 later\n", at_code + 0x1000);
	write_map(text, "a");
	check(begins(name_of(self, code + 0x1008), "later+0x8"),
	      "names that are added later");
	unlink(path);
	munmap(code, 8192);
}

/* Other users can write this file: no content may do harm. */
static void test_jit_noise(void)
{
	__u32 self = (__u32)getpid();
	struct tap_function fn;
	char text[400], path[64];
	unsigned int i, k, n;

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", self);
	srand(9);
	for (i = 0; i < 2000; i++) {
		struct tap_jit *jit;
		FILE *f = fopen(path, "w");

		n = (unsigned int)rand() % sizeof(text);
		for (k = 0; k < n; k++)
			text[k] = "0123456789abcdef  \n\n\0f"[rand() % 22];
		if (!f || fwrite(text, 1, n, f) != n || fclose(f))
			abort();
		jit = tap_jit_open(self);
		for (k = 0; jit && k < 50; k++)
			if (tap_jit_function(jit, (__u64)rand() % 4096, &fn) &&
			    strlen(fn.name) > sizeof(text))
				abort();
		tap_jit_close(jit);
	}
	unlink(path);
	if (symlink("/etc/passwd", path))
		abort();
	check(!tap_jit_open(self), "a symbolic link is not followed");
	unlink(path);
}

/* A file that grows with each look-up takes a small part of the time. */
static void test_jit_growth(void)
{
	__u32 self = (__u32)getpid();
	struct tap_function fn;
	struct tap_jit *jit;
	unsigned int i, found = 0;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", self);
	f = fopen(path, "w");
	for (i = 0; f && i < 100000; i++)
		fprintf(f, "%x 10 f\n", 0x100000 + i * 16);
	if (!f || fflush(f))
		abort();
	jit = tap_jit_open(self);
	for (i = 0; jit && i < 50; i++) {
		fprintf(f, "%x 10 late\n", 0x1000 + i * 16);
		fflush(f);
		found += tap_jit_function(jit, 0x1000 + i * 16, &fn);
	}
	check(found && found < 10, "a file that grows is read %u of 50 times", found);
	tap_jit_close(jit);
	fclose(f);
	unlink(path);
}

/* -------------------------------------------------------------- trace files */

/* Records with stacks of this process, in rings. */
static void write_stacks(struct fake *f, struct tap_usym_collect *keep,
			 struct tap_file_writer *w, struct tap_reader *r,
			 const void *inner, const void *outer)
{
	unsigned int i, cpu;
	const void *data;
	size_t len;
	__u64 pos;

	for (i = 0; i < 60; i++) {
		struct tap_ring_writer *ring = &f->w[i & 1];
		__u64 at = f->w[i & 1].head->head;
		struct tap_record *rec;

		fake_time = tap_maps_now();
		/* Two slots: some records wrap around the end of the ring. */
		if (!fake_write(f, i & 1, 1, 2, i))
			abort();
		rec = tap_ring_slot(ring, at);
		rec->tgid = (__u32)getpid();
		rec->value[0] = 16;
		rec->value[1] = (uintptr_t)inner + i % 4;
		rec->value[2] = (uintptr_t)outer + 5;
		if (i % 5 != 4)
			continue;
		for (cpu = 0; cpu < 2; cpu++)
			while (!tap_reader_chunk(r, cpu, &pos, &data, &len) &&
			       len)
				if (tap_file_data(w, cpu, pos, data, len) ||
				    tap_usym_collect_data(keep, cpu, pos, data,
							  len) ||
				    tap_reader_release(r, cpu, len))
					abort();
	}
}

static bool same_in_file(const struct tap_file_reader *file, __u64 time,
			 const void *addr)
{
	char live[512], kept[512] = "-";

	tap_user_symbols_lookup(syms, (__u32)getpid(), time, (uintptr_t)addr,
				live, sizeof(live));
	tap_file_lookup_user(file, (__u32)getpid(), time, (uintptr_t)addr, kept,
			     sizeof(kept));
	return is(kept, live);
}

static void test_file(void)
{
	static const struct tap_field field = FIELD("u", USTACK, 0, 3);
	struct tap_timebase tb = { .mult = 1 };
	struct tap_probes probes = { 0 };
	struct tap_file_info info = { .size = sizeof(info) };
	struct tap_file_program program = { .size = sizeof(program) };
	struct tap_usym_collect *keep;
	struct tap_file_reader *file;
	struct tap_file_writer *w;
	struct tap_reader *r;
	struct tap_error err;
	char path[64], buf[512];
	void *lib;
	struct fake f;
	unsigned int i;

	snprintf(path, sizeof(path), "%s/lib.so", dir);
	lib = dlsym(dlopen(path, RTLD_NOW), "in_library");
	snprintf(path, sizeof(path), "%s/stacks.tap", dir);
	fake_init(&f, 2, 4096, 4096 * 3 - 64);
	fake_probe(&probes, 1, TAP_PROBE_KPROBE, "kprobe:f", 11, &field, 1);
	if (tap_reader_open_memory(&r, &f.meta, f.heads, f.tails, f.slots, NULL,
				   NULL) ||
	    tap_file_create(&w, path, &err) ||
	    tap_file_begin(w, &info, &f.meta, &probes, NULL, &err) ||
	    tap_usym_collect_open(&keep, maps, &probes, &tb))
		abort();
	write_stacks(&f, keep, w, r, known_function, lib);
	if (tap_usym_collect_write(keep, w) || tap_file_finish(w) ||
	    tap_file_open(&file, path, &err))
		abort();
	check(!tap_file_cut(file), "a file with stacks is complete");
	check(same_in_file(file, fake_time, known_function) &&
	      same_in_file(file, fake_time, (char *)known_function + 3),
	      "a file has the names of its events' addresses");
	check(same_in_file(file, fake_time, (char *)lib + 4),
	      "a file has the names of the bytes before return addresses");
	check(tap_file_lookup_user(file, NOBODY, fake_time, (uintptr_t)lib, buf,
				   sizeof(buf)) == -ENOENT &&
	      tap_file_lookup_user(file, (__u32)getpid(), fake_time, 16, buf,
				   sizeof(buf)) == -ENOENT,
	      "a file has no names of other addresses");
	for (i = 0; !tap_file_program(file, i, &program); i++)
		check(program.functions == 1 && !program.replaced &&
		      (strstr(program.path, "/lib.so") ||
		       (strstr(program.path, "/maps") &&
			program.build_id_len && program.lines == 4)),
		      "%s is in the file", strrchr(program.path, '/'));
	check(i == 2, "the file has no other programs");
	tap_file_close(file);
	tap_usym_collect_close(keep);
	tap_reader_close(r);
	tap_probes_clear(&probes);
	fake_free(&f);
}

int main(void)
{
	struct tap_error err;

	test_processes();
	test_libraries();
	test_order();
	test_hostile();
	test_prune();
	test_flood();
	if (!mkdtemp(dir) || tap_maps_open(&maps, &err) ||
	    tap_user_symbols_open(&syms, maps))
		abort();
	test_self();
	test_dlopen();
	if (*err.text)
		printf("# %s\n", err.text);
	else
		test_programs();
	if (!geteuid())
		test_container();
	test_many();
	test_jit();
	test_jit_noise();
	test_jit_growth();
	test_file();
	check(!tap_maps_lost(maps), "no records were lost");
	tap_user_symbols_close(syms);
	tap_maps_close(maps);
	run("rm -r %s", dir);
	return check_end();
}
