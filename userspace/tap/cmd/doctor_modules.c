// SPDX-License-Identifier: GPL-2.0
/*
 * Loaded modules that are not of the kernel's own tree. Distributions build those of the tree with
 * BTF; a module that is built outside of it mostly has none.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/doctor_modules.h"

/* A module's name has fewer than 64 bytes: MODULE_NAME_LEN. */
#define NAME_SIZE	64

/*
 * The kernel prints taints in parentheses at the end of a line of /proc/modules: O for a module that
 * is not of its tree, + and - while it is loaded or unloaded.
 */
static bool out_of_tree(const char *line)
{
	const char *taints = strrchr(line, '(');

	return taints && strchr(taints, 'O');
}

void doctor_modules(void (*each)(const char *module, bool known, void *arg), void *arg)
{
	char line[4096], name[NAME_SIZE], btf[NAME_SIZE + 32];
	FILE *f = fopen("/proc/modules", "re");

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%63s", name) != 1 || !out_of_tree(line) ||
		    !strcmp(name, "tapmod"))
			continue;
		snprintf(btf, sizeof(btf), "/sys/kernel/btf/%s", name);
		each(name, !access(btf, R_OK), arg);
	}
	if (f)
		fclose(f);
}
