/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * A session in the memory of a dead machine: the anchor.
 *
 * A dump of a machine's memory (/proc/vmcore, makedumpfile(8), the dump of an emulator) has the
 * rings of the sessions that were open. A reader needs neither symbols nor debug information: it
 * looks at the first words of each page. The page of struct tap_anchor contains its own page frame
 * number (PFN), so that a copy of it elsewhere is no anchor. All references are PFNs: the kernel's
 * address space randomisation does not matter. A number times the page size is a physical address.
 *
 *	struct tap_anchor ---- meta ------------> page of struct tap_meta
 *		|---- rings ------------> struct tap_anchor_list -> next -> ...
 *		`---- description ------> struct tap_anchor_list -> next -> ...
 *
 * The lists of a ring together have all its pages, in the order of the mapping: the page with the
 * tail, the page with the head, the slots. A ring has several lists if one page cannot hold all its
 * numbers; lists of different rings follow each other in any order.
 *
 * A reader trusts nothing: the memory of a dead machine may be damaged. Each number of a page is
 * covered by the checksum of its list. Slots have no checksum: a record is there if the sequence
 * words of all its slots are right (see tap_record.h). Records before the tail, which a reader has
 * taken, are there too, until they are overwritten.
 */
#ifndef _UAPI_LINUX_TAP_DUMP_H
#define _UAPI_LINUX_TAP_DUMP_H

#include <linux/types.h>

#define TAP_ANCHOR_MAGIC	0x9b7c52e1706e4154ULL
#define TAP_ANCHOR_LIST_MAGIC	0xa3d816f47473694cULL
#define TAP_ANCHOR_VERSION	1

/**
 * struct tap_anchor - the first bytes of the anchor page of a session
 * @magic: %TAP_ANCHOR_MAGIC
 * @pfn: PFN of this page
 * @version: %TAP_ANCHOR_VERSION; members are only ever appended
 * @length: bytes of this structure
 * @page_size: bytes of a page
 * @pid: process that opened the session, in the initial pid namespace
 * @id: of the session, unique since the module was loaded
 * @opened: time of the open, CLOCK_BOOTTIME nanoseconds
 * @comm: name of the process at the open
 * @meta: PFN of the page of struct tap_meta
 * @sum: see tap_anchor_sum in the module's common/anchor_sum.h: of the members before it
 * @rings: PFN of the first list of the rings; 0: none
 * @description: PFN of the first list of the description; 0: none
 */
struct tap_anchor {
	__u64 magic;
	__u64 pfn;
	__u32 version;
	__u32 length;
	__u32 page_size;
	__u32 pid;
	__u64 id;
	__u64 opened;
	char comm[16];
	__u64 meta;
	__u64 sum;
	__u64 rings;
	__u64 description;
};

/**
 * enum tap_anchor_kind - what the pages of a list are
 * @TAP_ANCHOR_RING: of the ring of a CPU
 * @TAP_ANCHOR_DESCRIPTION: of what TAP_IOC_DESCRIBE handed over
 */
enum tap_anchor_kind {
	TAP_ANCHOR_RING		= 1,
	TAP_ANCHOR_DESCRIPTION	= 2,
};

/**
 * struct tap_anchor_list - a page with numbers of pages
 * @magic: %TAP_ANCHOR_LIST_MAGIC
 * @pfn: PFN of this page
 * @next: PFN of the next list of the anchor; 0: this is the last one
 * @kind: enum tap_anchor_kind
 * @cpu: of the ring
 * @first: how many pages of the ring or the description are in other lists, before those of this
 * @nr: number of PFNs, of 64 bits each, which follow this structure
 * @bytes: of the description; of a ring: of its slots
 * @sum: of the members before it and of the PFNs
 */
struct tap_anchor_list {
	__u64 magic;
	__u64 pfn;
	__u64 next;
	__u32 kind;
	__u32 cpu;
	__u32 first;
	__u32 nr;
	__u64 bytes;
	__u64 sum;
};

/*
 * Lines that a panic prints for a session at most (@panic of struct tap_setup): it takes some
 * seconds on a serial console.
 */
#define TAP_MAX_PANIC	1024

/* Bytes that TAP_IOC_DESCRIBE takes at most. */
#define TAP_MAX_DESCRIPTION	(4U << 20)

/**
 * struct tap_describe - TAP_IOC_DESCRIBE: what a reader of a dump needs to know of the session
 * @size: sizeof(struct tap_describe)
 * @flags: must be 0
 * @data: address of the bytes. The kernel keeps a copy, and does not look at it. libtap hands over
 *	the beginning of a trace file: the system, the clock, the probes
 * @len: number of bytes, at most %TAP_MAX_DESCRIPTION (EINVAL)
 *
 * Replaces an earlier description. The memory counts as that of the rings does (ENOMEM).
 */
struct tap_describe {
	__u32 size;
	__u32 flags;
	__u64 data;
	__u64 len;
};

#endif /* _UAPI_LINUX_TAP_DUMP_H */
