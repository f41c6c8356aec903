/* SPDX-License-Identifier: GPL-2.0 */
/*
 * System calls as a 32-bit program makes them, from a 64-bit program, by the same kernel
 * entry. Memory that they point at must be below 4 GiB.
 */
#ifndef _TEST_MODULE_COMPAT32_H
#define _TEST_MODULE_COMPAT32_H

#include <errno.h>

/* System call numbers of 32-bit programs on x86. */
#define COMPAT32_IOCTL	54
#define COMPAT32_MMAP2	192

#ifdef __x86_64__
/* Returns -ENOSYS if the kernel runs no 32-bit programs. */
static inline long compat32_syscall(unsigned int number, unsigned int a, unsigned int b,
				  unsigned int c, unsigned int d, unsigned int e,
				  unsigned int f)
{
	/* The sixth argument goes into rbp, which may be the compiler's frame pointer. */
	register unsigned long sixth asm("r12") = f;
	unsigned long ret = number;

	asm volatile("xchg %%rbp, %1\n\t"
		     "int $0x80\n\t"
		     "xchg %%rbp, %1"
		     : "+a" (ret), "+r" (sixth)
		     : "b" (a), "c" (b), "d" (c), "S" (d), "D" (e)
		     : "r8", "r9", "r10", "r11", "memory", "cc");
	/* The result has 32 bits; as an address, it may have the highest bit set. */
	ret = (unsigned int)ret;
	if (ret <= 0xffffffffU - 4095)
		return ret;
	errno = -(int)ret;
	return -1;
}
#endif

#endif /* _TEST_MODULE_COMPAT32_H */
