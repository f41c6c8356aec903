/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events of perf at this program's function, for comparison.
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

/* Reads a file that contains one number. */
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

/* An event of the PMU uprobe, which perf creates itself; it has no values. */
static struct perf_event_attr perf_uprobe(__u64 offset, char kind)
{
	return (struct perf_event_attr){
		.type = number_in("/sys/bus/event_source/devices/uprobe/type"),
		/* config:0 is the format "retprobe". */
		.config = kind == 'r',
		.uprobe_path = (unsigned long)"/proc/self/exe",
		.probe_offset = offset,
	};
}

/* The event of uprobe_events that is called bench_p or bench_r. */
static struct perf_event_attr perf_tracefs(char kind)
{
	char path[128];

	snprintf(path, sizeof(path), TRACING "events/uprobes/bench_%c/id", kind);
	return (struct perf_event_attr){ .type = PERF_TYPE_TRACEPOINT,
					 .config = number_in(path) };
}

/* Each event is written to a ring that overwrites old records. */
static int perf_record(struct perf_event_attr attr, void **ring)
{
	int fd;

	attr.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_TIME | PERF_SAMPLE_TID;
	attr.watermark = 1;
	attr.wakeup_watermark = 1 << 30;
	fd = perf_open(&attr, 0, -1);
	/* A read-only mapping makes the kernel overwrite. */
	*ring = mmap(NULL, PERF_PAGES * getpagesize(), PROT_READ, MAP_SHARED, fd, 0);
	if (*ring == MAP_FAILED)
		err(1, "mmap of a perf event");
	return fd;
}

#endif /* _TEST_BENCH_UPROBE_PERF_H */
