/* SPDX-License-Identifier: GPL-2.0 */
/*
 * System calls as a 32-bit program makes them, from a 64-bit one: they come by the
 * same way into the kernel. What they point at has to lie below 4 GiB.
 */
#ifndef _TEST_MODULE_COMPAT32_H
#define _TEST_MODULE_COMPAT32_H

#include <errno.h>

/* Of 32-bit programs on x86. */
#define NARROW_IOCTL	54
#define NARROW_MMAP2	192

#ifdef __x86_64__
/* With ENOSYS the kernel runs no 32-bit programs. */
static inline long narrow_syscall(unsigned int number, unsigned int a, unsigned int b,
				  unsigned int c, unsigned int d, unsigned int e,
				  unsigned int f)
{
	/* The sixth goes where the compiler may have its frame. */
	register unsigned long sixth asm("r12") = f;
	unsigned long ret = number;

	asm volatile("xchg %%rbp, %1\n\t"
		     "int $0x80\n\t"
		     "xchg %%rbp, %1"
		     : "+a" (ret), "+r" (sixth)
		     : "b" (a), "c" (b), "d" (c), "S" (d), "D" (e)
		     : "r8", "r9", "r10", "r11", "memory", "cc");
	/* A result of 32 bits, of which addresses may have the highest. */
	ret = (unsigned int)ret;
	if (ret <= 0xffffffffU - 4095)
		return ret;
	errno = -(int)ret;
	return -1;
}
#endif

#endif /* _TEST_MODULE_COMPAT32_H */
