/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads kernel memory in any context: a fault makes the read fail. The rules of handler.h
 * hold.
 */
#ifndef _TAPMOD_EXEC_NOFAULT_H
#define _TAPMOD_EXEC_NOFAULT_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/tap.h>
#include <linux/types.h>
#include <linux/uaccess.h>

#include "compat/arch.h"

/*
 * Whether a number may be a kernel address: they are in the upper half. Small negative
 * numbers do not count: the top 16 MiB has the same addresses on all machines, so they
 * reveal nothing.
 */
static __always_inline bool tap_is_address(u64 value)
{
	return value & BIT_ULL(TAP_ADDRESS_BIT) && value < (u64)-(16LL << 20);
}

/*
 * Whether an address may be one of user memory: the read tests it exactly. A member behind a NULL
 * pointer is none.
 */
static __always_inline bool tap_is_user_address(u64 at)
{
	return !(at & BIT_ULL(TAP_ADDRESS_BIT)) && at >= TAP_USER_MIN;
}

/* Reads kernel memory; false if a part of it cannot be read: then @to is undefined. */
static __always_inline bool tap_kernel_read(void *to, u64 from, size_t bytes)
{
	return likely(tap_is_canonical(from)) &&
	       !copy_from_kernel_nofault(to, (const void *)from, bytes);
}

/*
 * Reads 8 bytes of kernel memory without a function call. False if the address is outside
 * tap_arch_kernel_memory(), or the read faulted: tap_kernel_read() may still succeed.
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
