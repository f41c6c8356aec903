/* SPDX-License-Identifier: GPL-2.0 */
/* 1,000 functions many_0 to many_999, and a main that calls each of them once. */
	.text
	.altmacro
	.macro one n
	.globl many_\n
	.type many_\n, @function
many_\n:
	nop
	ret
	.size many_\n, . - many_\n
	.endm
	.macro call_one n
	call many_\n
	.endm

	.set i, 0
	.rept 1000
	one %i
	.set i, i + 1
	.endr

	.globl main
	.type main, @function
main:
	sub $8, %rsp
	.set i, 0
	.rept 1000
	call_one %i
	.set i, i + 1
	.endr
	xor %eax, %eax
	add $8, %rsp
	ret
	.size main, . - main
	.section .note.GNU-stack, "", @progbits
