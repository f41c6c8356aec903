/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's symbols. It takes the kernel some 400 million instructions to print them, so the first
 * test that asks leaves a copy for the others.
 */
#ifndef _TEST_MODULE_KALLSYMS_H
#define _TEST_MODULE_KALLSYMS_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEST_KALLSYMS	"/tmp/kallsyms"

/*
 * The first line of the copy: with the same modules at the same places the symbols are the same,
 * since a guest has one build of each module.
 */
static inline void test_kallsyms_key(char *key, size_t room)
{
	unsigned long long hash = 0xcbf29ce484222325;
	FILE *modules = fopen("/proc/modules", "re");
	char line[1024], module[64], at[32], *c;

	while (modules && fgets(line, sizeof(line), modules)) {
		if (sscanf(line, "%63s %*s %*s %*s %*s %31s", module, at) != 2)
			continue;
		for (c = module; *c; c++)
			hash = (hash ^ *c) * 0x100000001b3;
		for (c = at; *c; c++)
			hash = (hash ^ *c) * 0x100000001b3;
	}
	if (modules)
		fclose(modules);
	snprintf(key, room, "modules %llx\n", hash);
}

static inline FILE *test_kallsyms_copy(const char *key)
{
	FILE *copy = fopen(TEST_KALLSYMS, "re");
	char line[64];

	if (copy && fgets(line, sizeof(line), copy) && !strcmp(line, key))
		return copy;
	if (copy)
		fclose(copy);
	return NULL;
}

/*
 * Opens the symbols. What the kernel itself has made since the copy, such as trampolines, is missing.
 * Only root may read the copy: others see no addresses.
 */
static inline FILE *test_kallsyms(void)
{
	char key[64], new[64], line[512];
	FILE *kallsyms, *copy;
	bool shown = false;

	test_kallsyms_key(key, sizeof(key));
	copy = test_kallsyms_copy(key);
	if (copy)
		return copy;
	kallsyms = fopen("/proc/kallsyms", "re");
	snprintf(new, sizeof(new), "%s.%d", TEST_KALLSYMS, getpid());
	copy = kallsyms ? fopen(new, "we") : NULL;
	if (!copy)
		return kallsyms;
	fchmod(fileno(copy), 0600);
	fputs(key, copy);
	while (fgets(line, sizeof(line), kallsyms)) {
		shown |= line[strspn(line, "0")] != ' ';
		fputs(line, copy);
	}
	if (fclose(copy) || !shown || rename(new, TEST_KALLSYMS))
		unlink(new);
	copy = test_kallsyms_copy(key);
	if (!copy) {
		rewind(kallsyms);
		return kallsyms;
	}
	fclose(kallsyms);
	return copy;
}

#endif /* _TEST_MODULE_KALLSYMS_H */
