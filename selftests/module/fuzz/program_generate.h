/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random programs, values and memory, for program_fuzz.
 */
#ifndef _TEST_MODULE_FUZZ_PROGRAM_GENERATE_H
#define _TEST_MODULE_FUZZ_PROGRAM_GENERATE_H

#include "selftests/module/kmod/tap_target.h"
#include "selftests/module/program_runner.h"

#define USER_BYTES	(2 * MODEL_PAGE)

/* The memory that programs read, and the other values of an event. */
extern unsigned char kernel_memory[TAP_TARGET_AREA];
extern unsigned char *user_memory;
extern struct model_hit program_hit;

/* By enum tap_probe_type. */
extern const char *const type_names[];

/* A known address, one near an end of the memory, or a wild one. */
__u64 random_address(void);

__u64 random_number(void);

/* Fills the memory with text, and with words that point to other places of it. */
void make_memory(void);

/* Makes program @n of this seed. */
void make_program(struct model_program *prog, __u64 n);

#endif /* _TEST_MODULE_FUZZ_PROGRAM_GENERATE_H */
