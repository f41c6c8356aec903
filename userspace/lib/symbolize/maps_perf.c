// SPDX-License-Identifier: LGPL-2.1
/*
 * Changes of maps, reported by dummy perf events: each CPU has a ring with the mmap,
 * fork, exec and exit records of that CPU.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "util/barrier.h"
#include "symbolize/maps.h"

/* Pages of a ring. Fewer are tried if this exceeds the limit of locked memory. */
#define PAGES_MOST	128
#define PAGES_LEAST	8
/* The length of a record is a __u16. */
#define RECORD_MAX	65536

/* The ring of a CPU. @size, the bytes of @data, is a power of two. */
struct tap_mmaps_ring {
	int fd;
	struct perf_event_mmap_page *page;
	const char *data;
	size_t size;
};

/*
 * The rings of all CPUs. @epoll is readable when a ring is half full. @record is a
 * buffer for a record that wraps around.
 */
struct tap_mmaps {
	struct tap_mmaps_ring *rings;
	size_t nr;
	int epoll;
	char record[RECORD_MAX];
};

static int open_event(int cpu, size_t size)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.mmap = 1,
		.mmap2 = 1,
		.build_id = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = (__u32)size / 2,
	};

	return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

static int open_ring(struct tap_mmaps_ring *ring, int cpu, size_t pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *map;
	int ret;

	ring->size = pages * page;
	ring->fd = open_event(cpu, ring->size);
	if (ring->fd < 0)
		return -errno;
	map = mmap(NULL, page + ring->size, PROT_READ | PROT_WRITE, MAP_SHARED,
		   ring->fd, 0);
	if (map == MAP_FAILED) {
		ret = -errno;
		close(ring->fd);
		/* EPERM: more locked memory than allowed. */
		return ret == -EPERM && pages > PAGES_LEAST ?
		       open_ring(ring, cpu, pages / 2) : ret;
	}
	ring->page = map;
	ring->data = (const char *)map + page;
	return 0;
}

static int open_rings(struct tap_mmaps *perf)
{
	struct epoll_event event = { .events = EPOLLIN };
	int cpus = get_nprocs_conf(), cpu, ret;

	perf->rings = calloc((size_t)cpus, sizeof(*perf->rings));
	perf->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (!perf->rings || perf->epoll < 0)
		return -ENOMEM;
	for (cpu = 0; cpu < cpus; cpu++) {
		struct tap_mmaps_ring *ring = &perf->rings[perf->nr];

		ret = open_ring(ring, cpu, PAGES_MOST);
		/* The CPU is offline. */
		if (ret == -ENODEV)
			continue;
		if (ret)
			return ret;
		perf->nr++;
		if (epoll_ctl(perf->epoll, EPOLL_CTL_ADD, ring->fd, &event))
			return -errno;
	}
	return perf->nr ? 0 : -ENODEV;
}

/* Opens the rings. @perf is set to NULL on failure. Returns 0 or -errno. */
int tap_mmaps_open(struct tap_mmaps **perf, struct tap_error *err)
{
	int ret;

	*perf = calloc(1, sizeof(**perf));
	if (!*perf)
		return tap_error_set(err, -ENOMEM, "out of memory");
	(*perf)->epoll = -1;
	ret = open_rings(*perf);
	if (!ret)
		return 0;
	tap_mmaps_close(*perf);
	*perf = NULL;
	return tap_error_set(err, ret,
			     "the kernel does not report new processes (perf_event_open: %s); names of their functions may be missing",
			     strerror(-ret));
}

void tap_mmaps_close(struct tap_mmaps *perf)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), i;

	if (!perf)
		return;
	for (i = 0; i < perf->nr; i++) {
		munmap(perf->rings[i].page, page + perf->rings[i].size);
		close(perf->rings[i].fd);
	}
	if (perf->epoll >= 0)
		close(perf->epoll);
	free(perf->rings);
	free(perf);
}

/* A descriptor that is readable when a ring is half full. */
int tap_mmaps_fd(const struct tap_mmaps *perf)
{
	return perf->epoll;
}

/* The part of an mmap record between its head and its name. */
struct mmap_body {
	__u32 pid;
	__u32 tid;
	__u64 addr;
	__u64 len;
	__u64 pgoff;
	union {
		struct {
			__u32 maj;
			__u32 min;
			__u64 ino;
			__u64 generation;
		};
		struct {
			__u8 build_id_len;
			__u8 reserved[3];
			__u8 build_id[20];
		};
	};
	__u32 prot;
	__u32 flags;
};

struct task_body {
	__u32 pid;
	__u32 ppid;
	__u32 tid;
	__u32 ptid;
};

struct lost_body {
	__u64 id;
	__u64 lost;
};

static void take_mmap(struct tap_maps *maps, struct tap_change *change,
		      bool build_id, const char *p, size_t len)
{
	struct tap_file_id id = { 0 };
	struct mmap_body body;
	char path[4096 + 16];

	if (len <= sizeof(body))
		return;
	memcpy(&body, p, sizeof(body));
	p += sizeof(body);
	len -= sizeof(body);
	if (len >= sizeof(path))
		len = sizeof(path) - 1;
	memcpy(path, p, len);
	path[len] = '\0';
	if (!build_id) {
		id.inode = body.ino;
		id.device = makedev(body.maj, body.min);
	} else if (body.build_id_len <= sizeof(body.build_id)) {
		id.build_id_len = body.build_id_len;
		memcpy(id.build_id, body.build_id, body.build_id_len);
	}
	change->type = TAP_CHANGE_MMAP;
	change->tgid = body.pid;
	change->start = body.addr;
	change->end = body.addr + body.len;
	change->offset = body.pgoff;
	if (change->end <= change->start)
		return;
	if (!tap_maps_dso(maps, path, &id, &change->dso) ||
	    tap_maps_add(maps, change))
		maps->lost++;
}

static void take_task(struct tap_maps *maps, struct tap_change *change,
		      bool fork, const char *p, size_t len)
{
	struct task_body body;

	if (len < sizeof(body))
		return;
	memcpy(&body, p, sizeof(body));
	/* Threads share the maps of their process. */
	if (fork ? body.pid == body.ppid : body.pid != body.tid)
		return;
	change->type = fork ? TAP_CHANGE_FORK : TAP_CHANGE_EXIT;
	change->tgid = body.pid;
	change->parent = body.ppid;
	if (tap_maps_add(maps, change))
		maps->lost++;
}

/* Queues the change that a record reports. */
void tap_mmaps_record(struct tap_maps *maps, const void *record, size_t len)
{
	struct tap_change change = { 0 };
	struct perf_event_header head;
	const char *p = record;
	struct lost_body lost;

	/* Each record ends with its time. */
	if (len < sizeof(head) + sizeof(change.time))
		return;
	memcpy(&head, p, sizeof(head));
	p += sizeof(head);
	len -= sizeof(head) + sizeof(change.time);
	memcpy(&change.time, p + len, sizeof(change.time));
	switch (head.type) {
	case PERF_RECORD_MMAP2:
		take_mmap(maps, &change,
			  head.misc & PERF_RECORD_MISC_MMAP_BUILD_ID, p, len);
		break;
	case PERF_RECORD_COMM:
		if (!(head.misc & PERF_RECORD_MISC_COMM_EXEC) ||
		    len < sizeof(change.tgid))
			break;
		change.type = TAP_CHANGE_EXEC;
		memcpy(&change.tgid, p, sizeof(change.tgid));
		if (tap_maps_add(maps, &change))
			maps->lost++;
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		take_task(maps, &change, head.type == PERF_RECORD_FORK, p, len);
		break;
	case PERF_RECORD_LOST:
		if (len < sizeof(lost))
			break;
		memcpy(&lost, p, sizeof(lost));
		maps->lost += lost.lost;
		break;
	}
}

/* Returns the record as contiguous bytes. */
static const void *record_at(struct tap_mmaps *perf,
			     const struct tap_mmaps_ring *ring, uint64_t pos,
			     size_t len)
{
	size_t at = pos & (ring->size - 1), first = ring->size - at;

	if (len <= first)
		return ring->data + at;
	memcpy(perf->record, ring->data + at, first);
	memcpy(perf->record + first, ring->data, len - first);
	return perf->record;
}

static void read_ring(struct tap_mmaps *perf, struct tap_mmaps_ring *ring,
		      struct tap_maps *maps)
{
	__u64 head = tap_load_acquire(&ring->page->data_head);
	__u64 tail = ring->page->data_tail;
	struct perf_event_header record;

	while (head - tail >= sizeof(record)) {
		/* Records are multiples of 8 bytes, so a head does not wrap around. */
		memcpy(&record, ring->data + (tail & (ring->size - 1)),
		       sizeof(record));
		if (record.size < sizeof(record) || record.size > head - tail)
			break;
		tap_mmaps_record(maps, record_at(perf, ring, tail, record.size),
				record.size);
		tail += record.size;
	}
	/* After a malformed record, the rest of the ring is skipped. */
	tap_store_release(&ring->page->data_tail, head);
}

/* Consumes all reported changes. */
void tap_mmaps_read(struct tap_mmaps *perf, struct tap_maps *maps)
{
	size_t i;

	for (i = 0; i < perf->nr; i++)
		read_ring(perf, &perf->rings[i], maps);
}
