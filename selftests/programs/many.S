/* SPDX-License-Identifier: GPL-2.0 */
/* 1,000 functions many_0 to many_999, and a main that calls each once. */
	.text
	.altmacro
	.macro one n
	.globl many_\n
	.type many_\n, %function
many_\n:
	nop
	ret
	.size many_\n, . - many_\n
	.endm
#if defined(__x86_64__)
	.macro call_one n
	call many_\n
	.endm
	.macro enter
	sub $8, %rsp
	.endm
	.macro leave_0
	xor %eax, %eax
	add $8, %rsp
	ret
	.endm
#elif defined(__aarch64__)
	.macro call_one n
	bl many_\n
	.endm
	.macro enter
	stp x29, x30, [sp, #-16]!
	.endm
	.macro leave_0
	mov x0, #0
	ldp x29, x30, [sp], #16
	ret
	.endm
#endif

	.set i, 0
	.rept 1000
	one %i
	.set i, i + 1
	.endr

	.globl main
	.type main, %function
main:
	enter
	.set i, 0
	.rept 1000
	call_one %i
	.set i, i + 1
	.endr
	leave_0
	.size main, . - main
	.section .note.GNU-stack, "", %progbits
