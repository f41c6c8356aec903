// SPDX-License-Identifier: GPL-2.0
/*
 * A 32-bit program without a C library, for stack_user_test: three functions, the
 * last of which makes a system call; prints where they return to.
 */
#define FUNCTION	static __attribute__((noinline, noclone))

static unsigned int narrow_ret[3];

static int narrow_call(int nr, int a, const void *b, int c)
{
	asm volatile("int $0x80" : "+a" (nr) : "b" (a), "c" (b), "d" (c) : "memory");
	return nr;
}

FUNCTION int narrow_inner(void)
{
	int ret = 64, zero = 0;

	narrow_ret[0] = (unsigned int)__builtin_return_address(0);
	/* getppid, in this frame. */
	asm volatile("int $0x80" : "+a" (ret) : "b" (zero) : "memory");
	return ret;
}

FUNCTION int narrow_middle(void)
{
	narrow_ret[1] = (unsigned int)__builtin_return_address(0);
	return narrow_inner() + 1;
}

FUNCTION int narrow_outer(void)
{
	narrow_ret[2] = (unsigned int)__builtin_return_address(0);
	return narrow_middle() + 1;
}

/* The kernel begins with no frame; neither has the first function. */
asm(".globl _start\n.type _start, @function\n_start:\n\txor %ebp, %ebp\n\tcall narrow_main\n\thlt");

__attribute__((used)) static void narrow_main(void)
{
	narrow_outer();
	narrow_call(4, 1, narrow_ret, sizeof(narrow_ret));
	narrow_call(1, 0, narrow_ret, 0);
}
