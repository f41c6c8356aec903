// SPDX-License-Identifier: LGPL-2.1
/*
 * Asks the kernel for one function. To print /proc/kallsyms takes it 500 million
 * instructions, to answer this 300 thousand (before 6.2: 90 million).
 *
 * The answer is the errno of a probe that cannot be made: a return probe of perf that is
 * not at the start of its function. Before the kernel refuses the offset it counts the
 * symbols of the name.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "kernel/kernel_function.h"

/* config of the kprobe PMU: a return probe. */
#define RETURN		1
/* Several files of the kernel's tracing have a static function of this name. */
#define SEVERAL		"t_next"

static int read_type(const char *path)
{
	char text[16];
	ssize_t len;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	len = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (len <= 0)
		return -1;
	text[len] = '\0';
	return atoi(text);
}

/* The errno of the impossible probe; 0 if it was possible. */
static int ask(int type, const char *name)
{
	struct perf_event_attr attr = {
		.type = (__u32)type,
		.size = sizeof(attr),
		.config = RETURN,
		.disabled = 1,
		.kprobe_func = (__u64)(unsigned long)name,
		.probe_offset = 1,
	};
	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1,
			  PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return errno;
	close((int)fd);
	return 0;
}

/* tap_kernel_function_is_one() with the type of the kprobe PMU in @path, for tests. */
bool tap_kernel_function_is_one_by(const char *path, const char *name)
{
	int type = read_type(path);

	/* A kernel that does not count refuses the offset of any name with EINVAL. */
	return type > 0 && ask(type, name) == EINVAL &&
	       ask(type, SEVERAL) == EADDRNOTAVAIL;
}

/**
 * tap_kernel_function_is_one() - whether exactly one symbol of the kernel has a name
 * @name: without a module
 *
 * Return: true if it does; false if none or several do, or if the kernel does not say:
 * then its list of symbols has to be read. It may be a variable, or a function that
 * cannot be probed.
 */
bool tap_kernel_function_is_one(const char *name)
{
	return tap_kernel_function_is_one_by("/sys/bus/event_source/devices/kprobe/type",
					     name);
}
