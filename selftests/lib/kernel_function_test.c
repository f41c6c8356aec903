// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of the question whether the kernel has one function of a name: the answers of
 * several kernels, and which events are asked for at all.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "kernel/kallsyms.h"
#include "kernel/kernel_function.h"
#include "selftests/lib/check.h"
#include "util/util.h"

/* A kernel: what it answers about "fine" and about "t_next". */
static int about_fine, about_several;
static unsigned int asked;
static char asked_for[64];
static bool odd;

long __wrap_syscall(long nr, const struct perf_event_attr *attr, int pid, int cpu, int group,
		    unsigned long flags);

/* Only the question is made by syscall(). Returns a descriptor for the errno 0. */
long __wrap_syscall(long nr, const struct perf_event_attr *attr, int pid, int cpu, int group,
		    unsigned long flags)
{
	const char *name = (const char *)(unsigned long)attr->kprobe_func;

	asked++;
	if (strcmp(name, "t_next"))
		snprintf(asked_for, sizeof(asked_for), "%s", name);
	odd |= nr != SYS_perf_event_open || pid || cpu != -1 || group != -1 ||
	       flags != PERF_FLAG_FD_CLOEXEC || attr->type != 8 || attr->config != 1 ||
	       attr->probe_offset != 1 || attr->size != sizeof(*attr);
	errno = strcmp(name, "t_next") ? about_fine : about_several;
	return errno ? -1 : dup(0);
}

static void write_type(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f))
		abort();
}

static void test_answers(const char *path)
{
	static const struct {
		const char *kernel;
		int fine, several;
		bool one;
	} rows[] = {
		{ "has one", EINVAL, EADDRNOTAVAIL, true },
		{ "has none", ENOENT, EADDRNOTAVAIL, false },
		{ "has several", EADDRNOTAVAIL, EADDRNOTAVAIL, false },
		{ "does not count", EINVAL, EINVAL, false },
		{ "has no t_next", EINVAL, ENOENT, false },
		{ "does not permit it", EACCES, EACCES, false },
		{ "makes the probe", 0, 0, false },
	};
	size_t i;

	write_type(path, "8\n");
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		about_fine = rows[i].fine;
		about_several = rows[i].several;
		check(tap_kernel_function_is_one_by(path, "fine") == rows[i].one,
		      "a kernel that %s", rows[i].kernel);
	}
	check(!odd, "each question is a return probe one byte behind the start");
	about_fine = EINVAL;
	about_several = EADDRNOTAVAIL;
	asked = 0;
	write_type(path, "");
	check(!tap_kernel_function_is_one_by(path, "fine"), "an empty type");
	write_type(path, "zero");
	check(!tap_kernel_function_is_one_by(path, "fine"), "a type that is no number");
	check(!tap_kernel_function_is_one_by("/nonesuch", "fine"), "no kprobe PMU");
	check(!asked, "without a type nothing is asked");
}

/* Of these the symbols say more than the kernel's answer. */
static void test_events(void)
{
	static const char *const rows[] = {
		"kprobe:ext4:fine", "kprobe:fine+4",
		"kprobe:fine.cold", "call:fine.isra.0", "kprobe:__SCT__fine",
		"kprobe:__pfx_fine", "kprobe:_stext", "call:__switch_to", "kprobe:__fentry__",
		"rawtracepoint:sched_*", "rawtracepoint:ext4:fine", "tracepoint:sched:sched_switch", "syscall:openat",
		"mark", "interval:s:1",
	};
	static const char *const globs[] = {
		"kprobe:vfs_*", "kprobe:vfs_rea?", "func:vfs_*", "kprobe:ext4:*", "call:{a,b}",
	};
	struct tap_spec *spec;
	size_t i;

	asked = 0;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (tap_spec_parse(rows[i], &spec, NULL)) {
			check(false, "%s is parsed", rows[i]);
			continue;
		}
		check(!tap_spec_known(spec) && !asked, "%s is not asked for", rows[i]);
		tap_spec_free(spec);
	}
	for (i = 0; i < ARRAY_SIZE(globs); i++) {
		check(!tap_spec_parse(globs[i], &spec, NULL) && tap_spec_known(spec) && !asked,
		      "%s is known without asking", globs[i]);
		tap_spec_free(spec);
	}
	if (access("/sys/bus/event_source/devices/kprobe/type", R_OK))
		return;
	check(!tap_spec_parse("call:fine", &spec, NULL) && (tap_spec_known(spec) || true) && asked,
	      "call:fine is asked for");
	tap_spec_free(spec);
	check(!tap_spec_parse("rawtracepoint:fine", &spec, NULL) &&
	      (tap_spec_known(spec) || true) && !strcmp(asked_for, "__traceiter_fine"),
	      "of a raw tracepoint the function that calls its probes is asked for");
	tap_spec_free(spec);
}

int main(void)
{
	char path[] = "/tmp/kernel_function.XXXXXX";
	int fd = mkstemp(path);

	if (fd < 0)
		abort();
	close(fd);
	test_answers(path);
	unlink(path);
	test_events();
	return check_end();
}
