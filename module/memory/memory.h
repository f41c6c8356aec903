/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_MEMORY_MEMORY_H
#define _TAPMOD_MEMORY_MEMORY_H

#include <linux/atomic.h>
#include <linux/types.h>

/**
 * struct tap_memory - the memory that a session has of the module's bound
 * @used: bytes charged and not uncharged
 * @refused: bytes of the charge that failed last; 0: none has failed since the owner set it
 *	to 0. Read and written with READ_ONCE() and WRITE_ONCE()
 *
 * All zero at first.
 */
struct tap_memory {
	atomic64_t used;
	u64 refused;
};

int tap_memory_charge(struct tap_memory *memory, u64 bytes);
void tap_memory_charge_done(struct tap_memory *memory, u64 bytes);
void tap_memory_uncharge(struct tap_memory *memory, u64 bytes);
u64 tap_memory_left(void);
u64 tap_memory_max(void);
u64 tap_memory_used(void);
void tap_memory_init(void);

#endif /* _TAPMOD_MEMORY_MEMORY_H */
