/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Valid arguments for ioctl_fuzz, and the memory that they are in.
 */
#ifndef _TEST_MODULE_FUZZ_IOCTL_GENERATE_H
#define _TEST_MODULE_FUZZ_IOCTL_GENERATE_H

#include "selftests/module/fuzz/ioctl_fields.h"

#define PAGE		4096UL
/* Far from other mappings: an address with one wrong bit is not mapped. */
#define ARENA_AT	(1UL << 40)

/*
 * Layout of the arena in pages, with an inaccessible page before each area: the argument;
 * structures that it points to; room for answers; read-only memory; memory that is mapped and
 * unmapped.
 */
#define ARENA_ARG	0
#define ARENA_NEST	2
#define ARENA_ROOM	11
#define ARENA_READ	20
#define ARENA_GOES	22
#define ARENA_PAGES	23
#define NEST_BYTES	(8 * PAGE)
#define ROOM_BYTES	(8 * PAGE)

#define MAX_CPUS	8
#define NR_IDS		16

/**
 * struct session - a descriptor, and its expected state
 * @fd: -1: none
 * @copied: another descriptor or thread uses the same session
 * @ready: it has rings
 * @ring_bytes: the requested size
 * @offset: offset of the first ring in the mapping
 * @stride: distance of the rings
 * @next: id of the next probe
 * @type: type of each probe; 0: there is none
 * @aggregates: the probe was created as an aggregation
 * @enabled: the probe should be enabled
 */
struct session {
	int fd;
	bool copied;
	bool ready;
	__u64 ring_bytes;
	__u64 offset;
	__u64 stride;
	unsigned int next;
	__u32 type[NR_IDS];
	bool aggregates[NR_IDS];
	bool enabled[NR_IDS];
};

#define NR_SESSIONS	3

/**
 * struct world - the state of a thread that makes calls
 * @arena: its memory
 * @nested: bytes allocated for structures that arguments point to
 * @arg: the argument
 * @alone: no other thread changes the memory or the sessions
 * @costly: probes of the kernel's code and of programs are allowed, which are slow
 * @aimed: an address points to the argument itself
 */
struct world {
	unsigned char *arena;
	unsigned int nested;
	void *arg;
	bool alone;
	bool costly;
	bool aimed;
	struct session session[NR_SESSIONS];
};

extern _Thread_local struct world world[1];

/**
 * struct place - constants that all processes share
 * @target: descriptor of tap_target
 * @code_file: a file of instructions, each instruction returns; uprobes are put on it
 * @code: that file, mapped
 * @cpus: number of CPUs
 * @functions: addresses in the kernel
 */
struct place {
	int target;
	int code_file;
	void (*code)(void);
	unsigned int cpus;
	__u64 functions[4];
};

extern struct place place;

/* Allocates the state of thread @n. */
bool world_make(unsigned int n, bool alone);

__u64 arena_address(unsigned int page, __u64 offset);

/* An address that a faulty caller may pass. */
__u64 wild_pointer(void);

/* Makes a valid argument of a command, for the state of the session. */
void make_arg(enum command cmd, const struct session *s);

#endif /* _TEST_MODULE_FUZZ_IOCTL_GENERATE_H */
