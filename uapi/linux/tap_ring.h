/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The mapping: what mmap of /dev/tap gives, and which side may write what.
 *
 * After TAP_IOC_SETUP a session has one meta page and one ring per possible
 * CPU. The ring of CPU n begins at offset ring_offset + n * ring_stride:
 *
 *   offset                     what                      may be mapped
 *   0                          struct tap_meta           read
 *   ring n + 0                 struct tap_ring_tail      read, write
 *   ring n + 1 page            struct tap_ring_head      read
 *   ring n + 2 pages           ring_bytes of slots       read
 *
 * One mmap covers the tail page alone, or any whole pages from the head page
 * to the end of the slots, or the meta page; always MAP_SHARED, never
 * executable. A read-only mapping cannot be made writable afterwards.
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
 * The head is a hint (how far slots are reserved); loading it orders nothing.
 * The kernel never uses the tail as an index: a tail that is not
 * within one ring's length behind the head counts as "full".
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
 * @TAP_CLOCK_TSC: x86 time stamp counter
 * @TAP_CLOCK_ARCH: arm64 virtual counter, cntvct_el0
 */
enum tap_clock {
	TAP_CLOCK_MONO	= 0,
	TAP_CLOCK_TSC	= 1,
	TAP_CLOCK_ARCH	= 2,
};

/**
 * struct tap_meta - the meta page: what a reader must know of a session
 * @magic: %TAP_META_MAGIC
 * @version: %TAP_META_VERSION; fields are only ever appended
 * @length: bytes of this structure that the kernel filled in
 * @page_size: bytes of a page in the offsets at the top of this file
 * @nr_rings: CPU numbers run from 0 to @nr_rings - 1; those that this machine
 *	can never have answer mmap with ENXIO
 * @ring_bytes: bytes of slots in each ring, a power of two
 * @ring_offset: mmap offset of ring 0
 * @ring_stride: mmap offset from one ring to the next
 * @watermark: a sleeping reader is woken when this many bytes are unread
 * @wake_ms: it is woken after this many milliseconds as well, if anything is unread
 * @clock: enum tap_clock
 * @clock_shift: see @clock_mult
 * @clock_mult: nanoseconds = raw ticks * @clock_mult >> @clock_shift; the
 *	product needs more than 64 bits
 * @clock_raw: the session's clock at set-up
 * @clock_mono: CLOCK_MONOTONIC at that moment, in nanoseconds
 * @clock_real: CLOCK_REALTIME at that moment, in nanoseconds
 * @features: TAP_FEATURE_* of this module on this kernel
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
};

/**
 * struct tap_ring_head - the writer's position, read-only to the user
 * @head: bytes reserved so far; only grows
 * @lost: events lost on this ring so far, for any reason
 * @bad_tail: how often the kernel found the tail not within the ring
 * @overwritten: reserved for overwrite mode, zero
 */
struct tap_ring_head {
	__u64 head;
	__u64 lost;
	__u64 bad_tail;
	__u64 overwritten;
};

/**
 * struct tap_ring_tail - the reader's position, the only word that a user may write
 * @tail: bytes consumed so far; only grows, never beyond the head
 */
struct tap_ring_tail {
	__u64 tail;
};

#endif /* _UAPI_LINUX_TAP_RING_H */
