// SPDX-License-Identifier: LGPL-2.1
/*
 * Mapping the rings. uapi/linux/tap_ring.h says which page may be mapped how.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "session/ring_map.h"
#include "util/util.h"

int tap_meta_check(const struct tap_meta *meta, struct tap_error *err)
{
	const __u64 ring = meta->ring_bytes;
	__u64 span;

	if (meta->magic != TAP_META_MAGIC)
		return tap_error_set(err, -EBADMSG,
				     "the meta page is not one of tapmod");
	if (meta->version != TAP_META_VERSION || meta->length < sizeof(*meta))
		return tap_error_set(err, -EPROTO,
				     "the rings have format version %u, this program knows version %u; install the module and the program from one release",
				     meta->version, TAP_META_VERSION);
	if (!meta->nr_rings || meta->nr_rings > TAP_MAX_RINGS ||
	    ring < TAP_MIN_RING_BYTES || ring > TAP_MAX_RING_BYTES ||
	    ring & (ring - 1))
		goto err_numbers;
	if (meta->page_size < 4096 || meta->page_size > (1U << 20) ||
	    meta->page_size & (meta->page_size - 1))
		goto err_numbers;
	/* So that offset + cpu * stride + a ring is less than 2^63. */
	if (meta->ring_stride < ring + 2 * (__u64)meta->page_size ||
	    meta->ring_stride % meta->page_size ||
	    meta->ring_offset % meta->page_size ||
	    meta->ring_offset > (1ULL << 62) ||
	    __builtin_mul_overflow(meta->ring_stride, meta->nr_rings, &span) ||
	    span > (1ULL << 62))
		goto err_numbers;
	if (meta->head_offset % 8 || meta->tail_offset % 8 ||
	    meta->head_offset > meta->page_size - sizeof(struct tap_ring_head) ||
	    meta->tail_offset > meta->page_size - sizeof(struct tap_ring_tail))
		goto err_numbers;
	if (meta->clock > TAP_CLOCK_TSC_ORDERED || !meta->clock_mult ||
	    meta->clock_shift > 63)
		goto err_numbers;
	return 0;

err_numbers:
	return tap_error_set(err, -EBADMSG,
			     "the description of the rings makes no sense; the module and this program may not be of the same version");
}

int tap_meta_map(int fd, struct tap_meta *meta, const struct tap_meta **live,
		 __u64 base, struct tap_error *err)
{
	long page = sysconf(_SC_PAGESIZE);
	void *p = mmap(NULL, (size_t)page, PROT_READ, MAP_SHARED, fd, (off_t)base);
	int ret;

	if (p == MAP_FAILED) {
		ret = -errno;
		return tap_error_set(err, ret, "mapping the meta page: %s",
				     strerror(-ret));
	}
	memcpy(meta, p, sizeof(*meta));
	ret = tap_meta_check(meta, err);
	if (!ret && meta->page_size != (__u32)page)
		ret = tap_error_set(err, -EBADMSG,
				    "the rings have pages of %u bytes, this program of %ld",
				    meta->page_size, page);
	if (ret)
		munmap(p, (size_t)page);
	else
		*live = p;
	return ret;
}

void tap_meta_unmap(const struct tap_meta *live)
{
	if (live)
		munmap((void *)(uintptr_t)live, live->page_size);
}

int tap_ring_map(struct tap_ring_map *map, int fd, const struct tap_meta *meta,
		 __u64 base, unsigned int cpu, struct tap_error *err)
{
	off_t offset = (off_t)(base + meta->ring_offset + cpu * meta->ring_stride);
	size_t page = meta->page_size;
	char *tail, *head;
	int ret;

	memset(map, 0, sizeof(*map));
	/* The page of the tail, the only one that a reader may write, has a mapping of its own. */
	tail = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
	if (tail == (char *)MAP_FAILED) {
		/* A CPU that is not possible; one that was never online. */
		if (errno == ENXIO || errno == ENODATA)
			return 0;
		goto err_errno;
	}
	head = mmap(NULL, page + meta->ring_bytes, PROT_READ, MAP_SHARED, fd,
		    offset + (off_t)page);
	if (head == (char *)MAP_FAILED) {
		ret = errno;
		munmap(tail, page);
		errno = ret;
		goto err_errno;
	}
	map->tail = (void *)(tail + meta->tail_offset);
	map->head = (void *)(head + meta->head_offset);
	map->slots = head + page;
	return 0;

err_errno:
	ret = -errno;
	return tap_error_set(err, ret, "mapping the ring of CPU %u: %s", cpu,
			     strerror(-ret));
}

void tap_ring_unmap(struct tap_ring_map *map, const struct tap_meta *meta)
{
	if (map->tail)
		munmap((char *)map->tail - meta->tail_offset, meta->page_size);
	if (map->head)
		munmap((char *)(uintptr_t)map->head - meta->head_offset,
		       meta->page_size + meta->ring_bytes);
	memset(map, 0, sizeof(*map));
}
