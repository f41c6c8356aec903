/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arguments for ioctl_fuzz: the memory that they lie in, and what good ones look like.
 */
#ifndef _TEST_MODULE_FUZZ_IOCTL_GENERATE_H
#define _TEST_MODULE_FUZZ_IOCTL_GENERATE_H

#include "selftests/module/fuzz/ioctl_fields.h"

#define PAGE		4096UL
/* Far from all else, so that an address of which one bit is wrong leads nowhere. */
#define ARENA_AT	(1UL << 40)

/*
 * What lies where, in pages, each behind one that nobody may touch: the argument;
 * what it leads to; room for answers; what may only be read; what comes and goes.
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
 * struct session - a descriptor, and what it should have become by now
 * @fd: -1: none
 * @copied: another descriptor, or thread, leads to the same session
 * @ready: it has rings
 * @ring_bytes: as asked for
 * @offset: of the first ring
 * @stride: from each to the next
 * @next: the next probe's id
 * @type: of each probe, 0: there is none
 * @aggregates: it was made so
 * @enabled: so it should be
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
 * struct world - what a thread that makes calls has
 * @arena: its memory
 * @nested: bytes taken of what arguments lead to
 * @arg: the argument
 * @alone: nobody else changes anything here
 * @costly: probes may be put on the kernel and on programs, which takes long
 * @aimed: an address leads to the argument itself
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
 * struct place - the same for all processes, from the start on
 * @target: the device of tap_target
 * @code_file: a file of instructions, each of which returns; probes of programs
 *	are put on it
 * @code: that file, mapped
 * @cpus: CPUs of the machine
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

/* Makes what thread @n of a process makes calls with. */
bool world_make(unsigned int n, bool alone);

__u64 arena_address(unsigned int page, __u64 offset);

/* Where a caller might lead the kernel. */
__u64 wild_pointer(void);

/* Makes a good argument of a command, for the state its session is in. */
void make_arg(enum command cmd, const struct session *s);

#endif /* _TEST_MODULE_FUZZ_IOCTL_GENERATE_H */
