// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of names of counters, with a sysfs made here.
 */
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <linux/perf_event.h>

#include "selftests/lib/check.h"
#include "kernel/perf_event.h"
#include "util/util.h"

static char root[] = "/tmp/tap-perf-test-XXXXXX";

/* Files of the PMUs: of a CPU, of a CPU with two kinds of cores, of a package. */
static const struct {
	const char *path;
	const char *text;
} files[] = {
	{ "cpu/type", "4\n" },
	{ "cpu/format/event", "config:0-7,32-35\n" },
	{ "cpu/format/umask", "config:8-15\n" },
	{ "cpu/format/edge", "config:18\n" },
	{ "cpu/format/ldlat", "config1:0-15\n" },
	{ "cpu/format/offcore_rsp", "config1:0-63\n" },
	{ "cpu/format/frontend", "config2:0-23\n" },
	{ "cpu/format/odd", "config9:0-3\n" },
	{ "cpu/format/broken", "config:7-3\n" },
	{ "cpu/events/cpu-cycles", "event=0x3c\n" },
	{ "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n" },
	{ "cpu/events/mem-lat", "event=0xcd,ldlat=?\n" },
	{ "cpu/events/topdown", "event=0x00,umask=0x4,edge\n" },
	{ "cpu/events/topdown.scale", "2\n" },
	{ "cpu/events/self", "self\n" },
	{ "power/type", "22\n" },
	{ "power/cpumask", "0\n" },
	{ "power/format/event", "config:0-7\n" },
	{ "power/events/energy-pkg", "event=0x02\n" },
	{ "power/events/energy-pkg.unit", "Joules\n" },
	{ "armv8_pmuv3_0/type", "8\n" },
	{ "armv8_pmuv3_0/cpus", "0-1\n" },
	{ "armv8_pmuv3_0/format/event", "config:0-15\n" },
	{ "armv8_pmuv3_0/format/long", "config1:0\n" },
	{ "armv8_pmuv3_0/events/cpu_cycles", "event=0x0011\n" },
	{ "uncore_imc_0/type", "30\n" },
	{ "uncore_imc_0/format/event", "config:0-7\n" },
	{ "uncore_imc_0/events/reads", "event=0x4\n" },
	{ "uncore_imc_1/type", "31\n" },
	{ "uncore_imc_1/format/event", "config:0-7\n" },
	{ "uncore_imc_1/events/reads", "event=0x4\n" },
	{ "badtype/type", "many\n" },
};

static void lay_out(void)
{
	char path[512], *slash;
	size_t i;
	FILE *out;

	if (!mkdtemp(root))
		exit(2);
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "%s/%s", root, files[i].path);
		for (slash = strchr(path + strlen(root) + 1, '/'); slash;
		     slash = strchr(slash + 1, '/')) {
			*slash = '\0';
			mkdir(path, 0700);
			*slash = '/';
		}
		out = fopen(path, "we");
		if (!out || fputs(files[i].text, out) < 0 || fclose(out))
			exit(2);
	}
}

static int remove_one(const char *path, const struct stat *st, int flag,
		      struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

#define HW		PERF_TYPE_HARDWARE
#define SW		PERF_TYPE_SOFTWARE
#define CACHE		PERF_TYPE_HW_CACHE
#define RAW		PERF_TYPE_RAW

#define USER		TAP_PERF_F_NO_USER
#define KERNEL		TAP_PERF_F_NO_KERNEL
#define HV		TAP_PERF_F_NO_HV
#define IDLE		TAP_PERF_F_NO_IDLE
#define HOST		TAP_PERF_F_NO_HOST
#define GUEST		TAP_PERF_F_NO_GUEST
#define PRECISE(_n)	((_n) << 8)

static const struct {
	const char *name;
	__u32 type;
	__u64 config;
	__u32 flags;
	__u64 config1;
	__u64 config2;
} good[] = {
	{ "cycles", HW, 0, GUEST, 0, 0 },
	{ "cpu-cycles", HW, 0, GUEST, 0, 0 },
	{ "instructions", HW, 1, GUEST, 0, 0 },
	{ "cache-references", HW, 2, GUEST, 0, 0 },
	{ "cache-misses", HW, 3, GUEST, 0, 0 },
	{ "branches", HW, 4, GUEST, 0, 0 },
	{ "branch-instructions", HW, 4, GUEST, 0, 0 },
	{ "branch-misses", HW, 5, GUEST, 0, 0 },
	{ "bus-cycles", HW, 6, GUEST, 0, 0 },
	{ "idle-cycles-frontend", HW, 7, GUEST, 0, 0 },
	{ "stalled-cycles-backend", HW, 8, GUEST, 0, 0 },
	{ "ref-cycles", HW, 9, GUEST, 0, 0 },
	{ "cpu-clock", SW, 0, 0, 0, 0 },
	{ "task-clock", SW, 1, 0, 0, 0 },
	{ "page-faults", SW, 2, 0, 0, 0 },
	{ "faults", SW, 2, 0, 0, 0 },
	{ "cs", SW, 3, 0, 0, 0 },
	{ "context-switches", SW, 3, 0, 0, 0 },
	{ "migrations", SW, 4, 0, 0, 0 },
	{ "minor-faults", SW, 5, 0, 0, 0 },
	{ "major-faults", SW, 6, 0, 0, 0 },
	{ "alignment-faults", SW, 7, 0, 0, 0 },
	{ "emulation-faults", SW, 8, 0, 0, 0 },
	{ "dummy", SW, 9, 0, 0, 0 },
	{ "bpf-output", SW, 10, 0, 0, 0 },
	{ "cgroup-switches", SW, 11, 0, 0, 0 },
	{ "L1-dcache-loads", CACHE, 0, GUEST, 0, 0 },
	{ "L1-dcache-load-misses", CACHE, 0x10000, GUEST, 0, 0 },
	{ "l1d-misses-load", CACHE, 0x10000, GUEST, 0, 0 },
	{ "L1-dcache-stores", CACHE, 0x100, GUEST, 0, 0 },
	{ "L1-dcache-prefetch-misses", CACHE, 0x10200, GUEST, 0, 0 },
	{ "L1-dcache", CACHE, 0, GUEST, 0, 0 },
	{ "L1-data-store-miss", CACHE, 0x10100, GUEST, 0, 0 },
	{ "L1-icache-load-misses", CACHE, 0x10001, GUEST, 0, 0 },
	{ "LLC-loads", CACHE, 2, GUEST, 0, 0 },
	{ "LLC-store-misses", CACHE, 0x10102, GUEST, 0, 0 },
	{ "dTLB-speculative-load-misses", CACHE, 0x10203, GUEST, 0, 0 },
	{ "iTLB-load-misses", CACHE, 0x10004, GUEST, 0, 0 },
	{ "branch-loads", CACHE, 5, GUEST, 0, 0 },
	{ "branch-load-misses", CACHE, 0x10005, GUEST, 0, 0 },
	{ "node-prefetches", CACHE, 0x206, GUEST, 0, 0 },
	{ "r1a8", RAW, 0x1a8, GUEST, 0, 0 },
	{ "rffffffffffffffff", RAW, ~0ULL, GUEST, 0, 0 },
	{ "r3C:u", RAW, 0x3c, GUEST | KERNEL | HV, 0, 0 },
	/* modifiers */
	{ "cycles:u", HW, 0, GUEST | KERNEL | HV, 0, 0 },
	{ "cycles:k", HW, 0, GUEST | USER | HV, 0, 0 },
	{ "cycles:uk", HW, 0, GUEST | HV, 0, 0 },
	{ "cycles:ukh", HW, 0, GUEST, 0, 0 },
	{ "cycles:G", HW, 0, HOST, 0, 0 },
	{ "cycles:H", HW, 0, GUEST, 0, 0 },
	{ "cycles:GH", HW, 0, 0, 0, 0 },
	{ "cycles:I", HW, 0, GUEST | IDLE, 0, 0 },
	{ "cycles:ppp", HW, 0, GUEST | PRECISE(3), 0, 0 },
	{ "cycles:upp", HW, 0, GUEST | KERNEL | HV | PRECISE(2), 0, 0 },
	{ "page-faults:u", SW, 2, KERNEL | HV, 0, 0 },
	/* PMUs */
	{ "cpu/event=0x3c,umask=0x0/", 4, 0x3c, GUEST, 0, 0 },
	{ "cpu/event=0x3c,umask=0x1/u", 4, 0x13c, GUEST | KERNEL | HV, 0, 0 },
	{ "cpu/event=0x3c/:k", 4, 0x3c, GUEST | USER | HV, 0, 0 },
	{ "cpu/event=0xa12/", 4, 0xa00000012, GUEST, 0, 0 },
	{ "cpu/event=60,edge/", 4, 0x4003c, GUEST, 0, 0 },
	{ "cpu/event=60,edge=0/", 4, 0x3c, GUEST, 0, 0 },
	{ "cpu/mem-loads/", 4, 0x1cd, GUEST, 3, 0 },
	{ "cpu/mem-loads,ldlat=100/", 4, 0x1cd, GUEST, 100, 0 },
	{ "cpu/mem-lat,ldlat=7/", 4, 0xcd, GUEST, 7, 0 },
	{ "cpu/topdown/", 4, 0x40400, GUEST, 0, 0 },
	{ "cpu/offcore_rsp=0xffffffffffffffff/", 4, 0, GUEST, ~0ULL, 0 },
	{ "cpu/frontend=0x11/", 4, 0, GUEST, 0, 0x11 },
	{ "cpu/config=0x123,config1=5,config2=6/", 4, 0x123, GUEST, 5, 6 },
	{ "mem-loads", 4, 0x1cd, GUEST, 3, 0 },
	{ "mem-loads:p", 4, 0x1cd, GUEST | PRECISE(1), 3, 0 },
	{ "armv8_pmuv3_0/cpu_cycles/", 8, 0x11, GUEST, 0, 0 },
	{ "armv8_pmuv3_0/cpu_cycles,long/k", 8, 0x11, GUEST | USER | HV, 1, 0 },
	{ "cpu_cycles", 8, 0x11, GUEST, 0, 0 },
	{ "power/energy-pkg/", 22, 2, 0, 0, 0 },
	{ "energy-pkg", 22, 2, 0, 0, 0 },
	{ "uncore_imc_1/reads/", 31, 4, 0, 0, 0 },
};

/* Names that are refused, with a part of the error message. */
static const struct {
	const char *name;
	int code;
	const char *text;
} bad[] = {
	{ "", -EINVAL, "missing" },
	{ "cylces", -ENOENT, "did you mean cycles?" },
	{ "page-fault", -ENOENT, "did you mean page-faults?" },
	{ "L1-dcache-lod-misses", -ENOENT, "L1-dcache-load-misses" },
	{ "L1-dcache-", -ENOENT, "no counter" },
	{ "L1-dcache-load-store", -ENOENT, "no counter" },
	{ "L1-dcache-misses-misses", -ENOENT, "no counter" },
	{ "L1-icache-stores", -ENOENT, "no counter" },
	{ "iTLB-prefetches", -ENOENT, "no counter" },
	{ "L1-", -ENOENT, "no counter" },
	{ "nonesuch", -ENOENT, "tap list counters" },
	{ "r", -ENOENT, "no counter" },
	{ "r1ffffffffffffffff", -ENOENT, "no counter" },
	{ "rxyz", -ENOENT, "no counter" },
	{ "cycles:x", -EINVAL, "no modifier 'x'" },
	{ "cycles:pppp", -EINVAL, "three p" },
	{ "cpu/event=0x3c", -EINVAL, "second slash" },
	{ "cpu/event=0x3c/q", -EINVAL, "no modifier 'q'" },
	{ "cpu/evnt=1/", -ENOENT, "did you mean event?" },
	{ "cpu/mem-load/", -ENOENT, "did you mean mem-loads?" },
	{ "cpu/event=0x1000/", -EINVAL, "does not fit into its bits (config:0-7,32-35)" },
	{ "cpu/edge=2/", -EINVAL, "does not fit into its bits" },
	{ "cpu/event=/", -EINVAL, "is not a number" },
	{ "cpu/event=1x/", -EINVAL, "is not a number" },
	{ "cpu/event=-1/", -EINVAL, "is not a number" },
	{ "cpu/event=1,,umask=1/", -EINVAL, "a term is missing" },
	{ "cpu//", -EINVAL, "a term is missing" },
	{ "cpu/../", -EINVAL, "a term is missing" },
	{ "cpu/odd=1/", -EINVAL, "config9:0-3" },
	{ "cpu/broken=1/", -EINVAL, "invalid format" },
	{ "cpu/mem-lat/", -EINVAL, "add ldlat=VALUE" },
	{ "cpu/self/", -ENOENT, "no event or term \"self\"" },
	{ "cpu/topdown.scale/", -ENOENT, "no event or term" },
	{ "topdown.scale", -ENOENT, "no counter" },
	{ "cpux/event=1/", -ENOENT, "did you mean cpu?" },
	{ "../event=1/", -ENOENT, "no PMU" },
	{ "/event=1/", -ENOENT, "no PMU" },
	{ "badtype/config=1/", -EINVAL, "invalid type \"many\"" },
	{ "reads", -EINVAL, "uncore_imc_0/reads/ or uncore_imc_1/reads/" },
};

static void test_parse(void)
{
	char name[1024];
	struct tap_perf perf;
	struct tap_error err;
	size_t i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		err.text[0] = '\0';
		ret = tap_perf_parse_in(root, good[i].name, &perf, &err);
		check(!ret && perf.size == sizeof(perf) &&
		      perf.type == good[i].type &&
		      perf.config == good[i].config &&
		      perf.config1 == good[i].config1 &&
		      perf.config2 == good[i].config2 &&
		      perf.flags == good[i].flags && !perf.period,
		      "%s: type %u config 0x%llx 0x%llx 0x%llx flags 0x%x %s",
		      good[i].name, perf.type, perf.config, perf.config1,
		      perf.config2, perf.flags, err.text);
	}
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		ret = tap_perf_parse_in(root, bad[i].name, &perf, &err);
		check(ret == bad[i].code && strstr(err.text, bad[i].text),
		      "\"%s\" is refused: %d %s", bad[i].name, ret, err.text);
	}
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	ret = tap_perf_parse_in(root, name, &perf, &err);
	check(ret == -EINVAL, "a name that is too long is refused: %s", err.text);
	ret = tap_perf_parse_in("/nonesuch", "cycles", &perf, &err);
	check(!ret, "without sysfs the names of the kernel are known");
}

/*
 * Each listed name can be parsed, except those made to fail. Its alias gives the same event, unless
 * the kernel has an event of that name.
 */
static int listed(enum tap_perf_kind kind, const char *name, const char *alias,
		  void *arg)
{
	unsigned int *nr = arg;
	struct tap_perf perf, same;
	struct tap_error err = { 0 };
	int ret = tap_perf_parse_in(root, name, &perf, &err);

	nr[kind]++;
	if (!strcmp(name, "cpu/self/") || !strcmp(name, "cpu/mem-lat/"))
		return 0;
	if (!strcmp(name, "cpu/cpu-cycles/"))
		alias = NULL;
	if (!ret && alias)
		ret = tap_perf_parse_in(root, alias, &same, &err);
	if (ret || (alias && memcmp(&perf, &same, sizeof(perf))))
		check(false, "%s is listed: %s", name, err.text);
	return 0;
}

static int stop(enum tap_perf_kind kind, const char *name, const char *alias,
		void *arg)
{
	(void)kind;
	(void)alias;
	++*(unsigned int *)arg;
	return strcmp(name, "LLC-stores") ? 0 : 7;
}

static void test_list(void)
{
	unsigned int nr[TAP_PERF_PMU + 1] = { 0 }, all = 0;

	check(!tap_perf_each_in(root, listed, nr), "the walk visits all names");
	check(nr[TAP_PERF_HARDWARE] == 10 && nr[TAP_PERF_SOFTWARE] == 12,
	      "%u names of hardware, %u of software", nr[TAP_PERF_HARDWARE],
	      nr[TAP_PERF_SOFTWARE]);
	check(nr[TAP_PERF_CACHE] == 2 * (4 * 3 + 2 + 2),
	      "%u names of caches", nr[TAP_PERF_CACHE]);
	check(nr[TAP_PERF_PMU] == 9, "%u names of PMUs", nr[TAP_PERF_PMU]);
	check(tap_perf_each_in(root, stop, &all) == 7 && all > 22 && all < 54,
	      "a walk ends when the callback returns non-zero");
}

static void test_span(void)
{
	static const struct {
		const char *list;
		size_t span;
	} table[] = {
		{ "cycles", 6 }, { "cycles,instructions", 6 }, { "", 0 },
		{ ",a", 0 }, { "cpu/event=1,umask=2/u,cycles", 21 },
		{ "cpu/event=1,umask=2", 11 }, { "a/b,c/,d/e,f/", 6 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(table); i++)
		check(tap_perf_span(table[i].list) == table[i].span,
		      "\"%s\": the first event has %zu bytes", table[i].list,
		      tap_perf_span(table[i].list));
}

int main(void)
{
	lay_out();
	test_parse();
	test_list();
	test_span();
	nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	return check_end();
}
