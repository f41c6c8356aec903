/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Programs, values and memory at random, for program_fuzz.
 */
#ifndef _TEST_MODULE_FUZZ_PROGRAM_GENERATE_H
#define _TEST_MODULE_FUZZ_PROGRAM_GENERATE_H

#include "selftests/module/kmod/tap_target.h"
#include "selftests/module/program_runner.h"

#define USER_BYTES	(2 * MODEL_PAGE)

/* The memory that programs find, and what else a hit has. */
extern unsigned char kernel_memory[TAP_TARGET_AREA];
extern unsigned char *user_memory;
extern struct model_hit program_hit;

/* By enum tap_probe_type. */
extern const char *const type_names[];

/* A place that is known, one near its end, or a wild one. */
__u64 random_address(void);

__u64 random_number(void);

/* Fills the memory with text, and with words that lead to other places of it. */
void make_memory(void);

/* Makes program @n of this seed. */
void make_program(struct model_program *prog, __u64 n);

#endif /* _TEST_MODULE_FUZZ_PROGRAM_GENERATE_H */
