/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Common to the tests of probes of functions by address.
 */
#ifndef _TEST_MODULE_FUNC_HARNESS_H
#define _TEST_MODULE_FUNC_HARNESS_H

#include "selftests/module/tap_harness.h"
#include "selftests/module/kallsyms.h"

#define TRACEFS		"/sys/kernel/tracing/"

/* Address of a function. */
static inline __u64 symbol(struct __test_metadata *_metadata, const char *name)
{
	FILE *file = test_kallsyms();
	char line[512], found[256];
	unsigned long long addr = 0, at;

	ASSERT_NE(NULL, file);
	while (!addr && fgets(line, sizeof(line), file))
		/* Most lines are of other functions; do not parse these. */
		if (strstr(line, name) &&
		    sscanf(line, "%llx %*c %255s", &at, found) == 2 &&
		    !strcmp(found, name))
			addr = at;
	fclose(file);
	ASSERT_NE(0, addr) TH_LOG("no symbol %s", name);
	return addr;
}

static inline int create_many(int fd, __u32 *id, const __u64 *addrs, __u32 nr,
		       const struct tap_op *ops, __u32 nr_ops)
{
	struct tap_create create = test_create_arg(TAP_PROBE_FUNC, "many", ops,
						   nr_ops);
	int ret;

	create.addrs = (uintptr_t)addrs;
	create.nr_addrs = nr;
	ret = ioctl(fd, TAP_IOC_CREATE, &create);
	if (!ret && id)
		*id = create.out_id;
	return ret;
}

static inline int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* The first test that asks leaves them for the others: they are the same until the guest ends. */
#define TRACEABLE	"/tmp/traceable"

/* Addresses of the functions of the kernel itself, in order, that ftrace knows. */
static inline unsigned int find_traceable(struct __test_metadata *_metadata, __u64 *all,
					  unsigned int max)
{
	FILE *list = fopen(TRACEFS "available_filter_functions", "re");
	FILE *kallsyms = test_kallsyms();
	static char name[80000][64];
	char line[512], found[64];
	unsigned int names = 0, nr = 0;
	unsigned long long at;

	ASSERT_NE(NULL, list);
	ASSERT_NE(NULL, kallsyms);
	while (names < ARRAY_SIZE(name) && fgets(line, sizeof(line), list))
		if (!strchr(line, '[') && sscanf(line, "%63s", name[names]) == 1)
			names++;
	qsort(name, names, sizeof(name[0]), compare);
	while (nr < max && fgets(line, sizeof(line), kallsyms))
		/* 16 digits, a space. */
		if (line[17] == 'T' && sscanf(line, "%llx %*c %63s", &at, found) == 2 &&
		    bsearch(found, name, names, sizeof(name[0]), compare))
			all[nr++] = at;
	fclose(list);
	fclose(kallsyms);
	return nr;
}

/* Some of them, spread over the kernel's text. */
static inline unsigned int traceable(struct __test_metadata *_metadata, __u64 *addrs,
				     unsigned int max)
{
	static __u64 all[80000];
	FILE *kept = fopen(TRACEABLE, "re");
	unsigned int nr = 0, i;

	if (kept) {
		nr = fread(all, sizeof(all[0]), ARRAY_SIZE(all), kept);
		fclose(kept);
	}
	if (!nr) {
		nr = find_traceable(_metadata, all, ARRAY_SIZE(all));
		kept = fopen(TRACEABLE, "we");
		ASSERT_NE(NULL, kept);
		ASSERT_EQ(nr, fwrite(all, sizeof(all[0]), nr, kept));
		ASSERT_EQ(0, fclose(kept));
	}
	for (i = 0; i < max && i < nr; i++)
		addrs[i] = nr < max ? all[i] : all[(__u64)i * nr / max];
	return i;
}

#endif /* _TEST_MODULE_FUNC_HARNESS_H */
