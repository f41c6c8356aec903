/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading kernel memory where a fault must not sleep. The rules of handler.h hold.
 */
#ifndef _TAPMOD_EXEC_NOFAULT_H
#define _TAPMOD_EXEC_NOFAULT_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/types.h>
#include <linux/uaccess.h>

#include "compat/arch.h"

/*
 * Kernel addresses are in the upper half. So are small negative numbers, which are
 * let through: the addresses of the top 16 MiB are the same on all machines, so
 * that they tell nothing.
 */
static __always_inline bool tap_is_address(u64 value)
{
	return value & BIT_ULL(TAP_ADDRESS_BIT) && value < (u64)-(16LL << 20);
}

/* Reads kernel memory; all of it or nothing. */
static __always_inline bool tap_kernel_read(void *to, u64 from, size_t bytes)
{
	return likely(tap_is_canonical(from)) &&
	       !copy_from_kernel_nofault(to, (const void *)from, bytes);
}

/*
 * Reads 8 bytes of kernel memory, if that can be done without a call. Returns false
 * if it was not tried, or failed.
 */
static __always_inline bool tap_fastpath_read_fast(u64 from, u64 *value)
{
#ifdef tap_arch_kernel_memory
	if (unlikely(!tap_arch_kernel_memory(from)))
		return false;
	__get_kernel_nofault(value, (const u64 *)from, u64, fault);
	return true;
fault:
#endif
	return false;
}

#endif /* _TAPMOD_EXEC_NOFAULT_H */
