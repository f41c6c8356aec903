/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf's events at this program's function: what the others have there.
 */
#ifndef _TEST_BENCH_UPROBE_PERF_H
#define _TEST_BENCH_UPROBE_PERF_H

#include <err.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TRACING		"/sys/kernel/tracing/"
#define PERF_PAGES	129

/* A number that is all of a file. */
static __u64 number_in(const char *path)
{
	FILE *file = fopen(path, "r");
	unsigned long long number;

	if (!file || fscanf(file, "%llu", &number) != 1)
		err(1, "%s", path);
	fclose(file);
	return number;
}

static int perf_open(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int fd;

	attr->size = sizeof(*attr);
	attr->sample_period = 1;
	fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		err(1, "perf_event_open");
	return fd;
}

/* An event of the PMU uprobe: perf makes it itself, it has no values. */
static struct perf_event_attr perf_uprobe(__u64 offset, char kind)
{
	return (struct perf_event_attr){
		.type = number_in("/sys/bus/event_source/devices/uprobe/type"),
		/* config:0 is "retprobe" of its formats. */
		.config = kind == 'r',
		.uprobe_path = (unsigned long)"/proc/self/exe",
		.probe_offset = offset,
	};
}

/* That of uprobe_events which is called bench_p or bench_r. */
static struct perf_event_attr perf_tracefs(char kind)
{
	char path[128];

	snprintf(path, sizeof(path), TRACING "events/uprobes/bench_%c/id", kind);
	return (struct perf_event_attr){ .type = PERF_TYPE_TRACEPOINT,
					 .config = number_in(path) };
}

/* Each hit goes into a ring, which it may overwrite. */
static int perf_record(struct perf_event_attr attr, void **ring)
{
	int fd;

	attr.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_TIME | PERF_SAMPLE_TID;
	attr.watermark = 1;
	attr.wakeup_watermark = 1 << 30;
	fd = perf_open(&attr, 0, -1);
	/* Not writable: it goes round. */
	*ring = mmap(NULL, PERF_PAGES * getpagesize(), PROT_READ, MAP_SHARED, fd, 0);
	if (*ring == MAP_FAILED)
		err(1, "mmap of a perf event");
	return fd;
}

#endif /* _TEST_BENCH_UPROBE_PERF_H */
