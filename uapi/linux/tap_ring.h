/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The mapping: the layout of /dev/tap for mmap(2), and who may write which page.
 *
 * After TAP_IOC_SETUP a session has one meta page, and a ring for each CPU that is online.
 * A CPU that comes online for the first time after that gets its ring before it runs. The
 * ring of CPU n begins at offset ring_offset + n * ring_stride:
 *
 *   offset                     what                      may be mapped
 *   0                          struct tap_meta           read
 *   ring n + 0                 page with the tail        read, write
 *   ring n + 1 page            page with the head        read
 *   ring n + 2 pages           ring_bytes of slots       read
 *
 * mmap of the ring of a CPU that has none yet fails with ENODATA. When the ring is made,
 * @nr_made of struct tap_meta grows, and a notice TAP_NOTICE_CPU is in one of the rings. A
 * ring that was made stays until the session ends, also while its CPU is offline. If there is
 * no memory for the ring of a CPU that comes online, the CPU comes online without it: the
 * session's events on it are lost, and counted as lost_full, until the CPU goes offline and
 * comes online again.
 *
 * struct tap_ring_tail is @tail_offset bytes behind the start of its page, struct
 * tap_ring_head @head_offset.
 *
 * One mmap covers the meta page, or one tail page, or any consecutive pages from a head
 * page to the end of the same ring's slots. It must be MAP_SHARED and not executable
 * (EINVAL). Only the tail page may be mapped writable (EPERM); mprotect(2) cannot make
 * another page writable afterwards. A mapping is not inherited by fork(2).
 *
 * Ordering. Each barrier of one side pairs with one of the other:
 *
 *   writer (kernel, on the ring's CPU)      reader (any CPU)
 *   A  load-acquire  tail                <- D  store-release tail
 *      store         slots                     load          slots
 *   B  store-release first slot's seq    -> C  load-acquire  first slot's seq
 *
 *   D-A: the writer reuses a slot only after the reader's last access to it.
 *   B-C: a reader that sees a record's sequence word sees all its slots.
 *
 * The head is a hint: slots before it are reserved, but perhaps not committed. Loading it
 * orders nothing. The kernel never uses the tail as an index. While the tail is beyond the
 * head, more than @ring_bytes behind it, or not a multiple of 64, the ring counts as full.
 */
#ifndef _UAPI_LINUX_TAP_RING_H
#define _UAPI_LINUX_TAP_RING_H

#include <linux/types.h>

#define TAP_META_MAGIC		0x000070615444454dULL	/* "MEDTap" */
#define TAP_META_VERSION	1

/**
 * enum tap_clock - what the time of a record counts
 * @TAP_CLOCK_MONO: nanoseconds of ktime_get_mono_fast_ns(), close to
 *	CLOCK_MONOTONIC; used where the machine's counter is not stable
 * @TAP_CLOCK_TSC: x86 time stamp counter, read without a barrier
 * @TAP_CLOCK_ARCH: arm64 counter, as cntvct_el0 has it in user space; always read after
 *	a barrier
 * @TAP_CLOCK_TSC_ORDERED: x86 time stamp counter, read after all earlier loads
 *	(RDTSCP, or LFENCE and RDTSC)
 */
enum tap_clock {
	TAP_CLOCK_MONO	= 0,
	TAP_CLOCK_TSC	= 1,
	TAP_CLOCK_ARCH	= 2,
	TAP_CLOCK_TSC_ORDERED	= 3,
};

/**
 * struct tap_meta - the meta page: the layout and the clock of a session
 * @magic: %TAP_META_MAGIC
 * @version: %TAP_META_VERSION; members are only ever appended
 * @length: bytes of this structure that the kernel filled in
 * @page_size: bytes of a page in the offsets at the top of this file
 * @nr_rings: CPU numbers are 0 to @nr_rings - 1. mmap of the ring of a CPU that is not
 *	possible on this machine fails with ENXIO, of one that has no ring yet with ENODATA
 * @ring_bytes: bytes of slots in each ring, a power of two
 * @ring_offset: mmap offset of ring 0, in bytes
 * @ring_stride: mmap offset from one ring to the next, in bytes
 * @watermark: a sleeping reader is woken when a ring has this many unread bytes
 * @wake_ms: a sleeping reader is also woken after about this many milliseconds if a record
 *	is unread
 * @clock: enum tap_clock
 * @clock_shift: see @clock_mult
 * @clock_mult: nanoseconds = raw ticks * @clock_mult >> @clock_shift; the
 *	product may need more than 64 bits
 * @clock_raw: the session's clock at set-up
 * @clock_mono: CLOCK_MONOTONIC at that moment, in nanoseconds
 * @clock_real: CLOCK_REALTIME at that moment, in nanoseconds
 * @features: TAP_FEATURE_* of this module on this kernel
 * @head_offset: bytes from the start of the head page to struct tap_ring_head, a multiple of
 *	8; 0 in this version, but a reader must add it
 * @tail_offset: the same for struct tap_ring_tail in the tail page
 * @nr_made: number of rings that exist; grows while the session is set up, as CPUs come
 *	online: the only member that changes. A reader that keeps the page mapped loads it
 *	with acquire semantics, and maps the missing rings when it has grown
 * @__reserved: zero
 */
struct tap_meta {
	__u64 magic;
	__u32 version;
	__u32 length;
	__u32 page_size;
	__u32 nr_rings;
	__u64 ring_bytes;
	__u64 ring_offset;
	__u64 ring_stride;
	__u64 watermark;
	__u32 wake_ms;
	__u32 clock;
	__u32 clock_shift;
	__u32 clock_mult;
	__u64 clock_raw;
	__u64 clock_mono;
	__u64 clock_real;
	__u64 features;
	__u32 head_offset;
	__u32 tail_offset;
	__u32 nr_made;
	__u32 __reserved;
};

/**
 * struct tap_ring_head - the writer's position, read-only to the user
 * @head: bytes reserved so far; only grows
 * @lost: events lost on this ring so far: lost_full and lost_nested of all probes
 * @bad_tail: number of times that the kernel found an invalid tail; it looks only when it
 *	needs room, so an invalid tail may be counted late or once
 * @overwritten: zero
 * @clock: ticks to add to the raw time of a record that is made now: see %TAP_NOTICE_CLOCK
 */
struct tap_ring_head {
	__u64 head;
	__u64 lost;
	__u64 bad_tail;
	__u64 overwritten;
	__u64 clock;
};

/**
 * struct tap_ring_tail - the reader's position, the only word that a user may write
 * @tail: bytes consumed so far, a multiple of 64; only grows, never beyond the head. A reader
 *	that sets it back gets no record again: slots may have been written anew
 */
struct tap_ring_tail {
	__u64 tail;
};

#endif /* _UAPI_LINUX_TAP_RING_H */
