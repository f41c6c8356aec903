// SPDX-License-Identifier: GPL-2.0
/*
 * The file of costs: a line with the kernel, then lines of a name and nanoseconds.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "run/costs.h"

static const char *const kinds[TAP_COST_KINDS] = {
	[TAP_PROBE_KPROBE] = "kprobe", [TAP_PROBE_KRETPROBE] = "kretprobe",
	[TAP_PROBE_CALL] = "call", [TAP_PROBE_RAWTP] = "rawtracepoint",
	[TAP_PROBE_TRACEPOINT] = "tracepoint", [TAP_PROBE_SYSCALL] = "syscall",
	[TAP_PROBE_UPROBE] = "uprobe", [TAP_PROBE_URETPROBE] = "uretprobe",
	[TAP_PROBE_UCALL] = "ucall", [TAP_PROBE_USDT] = "usdt", [TAP_PROBE_EVENT] = "event",
	[TAP_PROBE_WATCHPOINT] = "watchpoint", [TAP_PROBE_FUNC] = "func",
	[TAP_PROBE_FUNCGRAPH] = "funcgraph", [TAP_PROBE_USER_WATCH] = "user_watch",
};

const char *costs_kind(unsigned int type)
{
	return type < TAP_COST_KINDS ? kinds[type] : NULL;
}

/* Where the value of a name is kept; NULL: there is no such name. */
static __u32 *place(struct tap_costs *costs, const char *name)
{
	unsigned int type;

	for (type = 0; type < TAP_COST_KINDS; type++)
		if (kinds[type] && !strcmp(kinds[type], name))
			return &costs->hit[type];
	return !strcmp(name, "batch") ? &costs->batch :
	       !strcmp(name, "record") ? &costs->record :
	       !strcmp(name, "kstack") ? &costs->kstack :
	       !strcmp(name, "ustack") ? &costs->ustack :
	       !strcmp(name, "thousand") ? &costs->thousand : NULL;
}

static void kernel_line(char *line, size_t size)
{
	struct utsname name = { 0 };

	uname(&name);
	snprintf(line, size, "kernel %s %s %s\n", name.release, name.version, name.machine);
}

bool costs_load(const char *path, struct tap_costs *costs)
{
	char line[512], kernel[512], name[32];
	FILE *f = fopen(path, "re");
	struct tap_costs read;
	bool valid;
	unsigned int ns;
	int end;

	tap_costs_default(costs);
	if (!f)
		return false;
	read = *costs;
	kernel_line(kernel, sizeof(kernel));
	valid = fgets(line, sizeof(line), f) && !strcmp(line, kernel);
	while (valid && fgets(line, sizeof(line), f)) {
		end = 0;
		valid = sscanf(line, "%31s %9u\n%n", name, &ns, &end) == 2 && !line[end] &&
			place(&read, name);
		if (valid)
			*place(&read, name) = ns;
	}
	valid = valid && !ferror(f);
	fclose(f);
	if (valid)
		*costs = read;
	return valid;
}

int costs_store(const char *path, const struct tap_costs *costs)
{
	const char *slash = strrchr(path, '/');
	char dir[128], kernel[512], *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	unsigned int type;
	int ret = 0;

	if (!f)
		return -errno;
	kernel_line(kernel, sizeof(kernel));
	fputs(kernel, f);
	for (type = 0; type < TAP_COST_KINDS; type++)
		if (kinds[type])
			fprintf(f, "%s %u\n", kinds[type], costs->hit[type]);
	fprintf(f, "batch %u\nrecord %u\nkstack %u\nustack %u\nthousand %u\n", costs->batch, costs->record,
		costs->kstack, costs->ustack, costs->thousand);
	if (fclose(f))
		ret = -errno;
	snprintf(dir, sizeof(dir), "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
	if (!ret && mkdir(dir, 0700) && errno != EEXIST)
		ret = -errno;
	if (!ret)
		ret = tool_replace(path, 0600, text, len);
	free(text);
	return ret;
}
