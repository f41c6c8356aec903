// SPDX-License-Identifier: GPL-2.0
/*
 * A 32-bit program without a C library, for stack_user_test: three nested functions; the last
 * one makes a system call. Prints their return addresses.
 */
#define FUNCTION	static __attribute__((noinline, noclone))

static unsigned int compat32_ret[3];

static int compat32_call(int nr, int a, const void *b, int c)
{
	asm volatile("int $0x80" : "+a" (nr) : "b" (a), "c" (b), "d" (c) : "memory");
	return nr;
}

FUNCTION int compat32_inner(void)
{
	int ret = 64, zero = 0;

	compat32_ret[0] = (unsigned int)__builtin_return_address(0);
	/* getppid, called in this frame. */
	asm volatile("int $0x80" : "+a" (ret) : "b" (zero) : "memory");
	return ret;
}

FUNCTION int compat32_middle(void)
{
	compat32_ret[1] = (unsigned int)__builtin_return_address(0);
	return compat32_inner() + 1;
}

FUNCTION int compat32_outer(void)
{
	compat32_ret[2] = (unsigned int)__builtin_return_address(0);
	return compat32_middle() + 1;
}

/* The kernel starts a program without a frame, and the first function has none either. */
asm(".globl _start\n.type _start, @function\n_start:\n\txor %ebp, %ebp\n\tcall compat32_main\n\thlt");

__attribute__((used)) static void compat32_main(void)
{
	compat32_outer();
	compat32_call(4, 1, compat32_ret, sizeof(compat32_ret));
	compat32_call(1, 0, compat32_ret, 0);
}
