/* SPDX-License-Identifier: GPL-2.0 */
/* Common to tests of return probes that share a pool of instances. */
#ifndef _TEST_MODULE_RETURN_POOL_HARNESS_H
#define _TEST_MODULE_RETURN_POOL_HARNESS_H

#include "selftests/module/tap_harness.h"
#include "selftests/module/kallsyms.h"

/* So many return probes of a session and a size have instances of their own. */
#define TEST_ALONE	7
/* Instances of a new shared pool. */
#define TEST_POOL	256

static inline bool test_kernel_has(const char *symbol)
{
	char line[256], *name;
	bool has = false;
	FILE *file = test_kallsyms();

	while (file && !has && fgets(line, sizeof(line), file)) {
		name = strrchr(line, ' ');
		has = name && !strncmp(name + 1, symbol, strlen(symbol)) &&
		      name[1 + strlen(symbol)] == '\n';
	}
	if (file)
		fclose(file);
	return has;
}

/* Whether return probes of this kernel share pools: it has rethooks with objpools, since 6.7. */
static inline bool test_returns_share(void)
{
	return test_kernel_has("rethook_recycle") && test_kernel_has("objpool_init");
}

/* Pages of the kernel's pools of instances; 0: this kernel has them elsewhere. */
static inline __u64 test_objpool_pages(void)
{
	FILE *file = fopen("/proc/vmallocinfo", "re");
	unsigned long long nr, pages = 0;
	char line[512], *at;

	while (file && fgets(line, sizeof(line), file)) {
		at = strstr(line, "rethook_alloc") || strstr(line, "register_kretprobe") ||
		     strstr(line, "objpool") ? strstr(line, "pages=") : NULL;
		if (at && sscanf(at, "pages=%llu", &nr) == 1)
			pages += nr;
	}
	if (file)
		fclose(file);
	return pages;
}

/* The same when the kernel has freed the pools of earlier tests, some time after their end. */
static inline __u64 test_objpool_pages_settled(void)
{
	__u64 before, now = test_objpool_pages();

	do {
		before = now;
		usleep(500000);
		now = test_objpool_pages();
	} while (now != before);
	return now;
}

#endif /* _TEST_MODULE_RETURN_POOL_HARNESS_H */
