/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_CORE_USER_STRUCT_H
#define _TAPMOD_CORE_USER_STRUCT_H

#include <linux/mm.h>
#include <linux/types.h>
#include <linux/uaccess.h>

/**
 * tap_struct_copy() - copy a UAPI structure whose size the caller says
 * @to: gets the copy; the members that the caller does not know are zero
 * @known: bytes of the structure in this version of the module
 * @first: bytes of the structure in its first version
 * @from: user address of the structure
 * @size: bytes at @from
 *
 * Context: process, may fault.
 * Return: 0; -EFAULT; -EINVAL: @size is less than @first; -E2BIG: @size is above a page, or
 *	bytes behind @known are not zero.
 */
static inline int tap_struct_copy(void *to, size_t known, size_t first,
				  const void __user *from, u32 size)
{
	if (size < first)
		return -EINVAL;
	/* Bounds the time of the test that the unknown tail is zero. */
	if (size > PAGE_SIZE)
		return -E2BIG;
	return copy_struct_from_user(to, known, from, size);
}

#endif /* _TAPMOD_CORE_USER_STRUCT_H */
