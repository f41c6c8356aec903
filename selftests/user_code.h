/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions of the test programs whose instructions matter, for each architecture:
 * the bodies, for an asm() that has their names.
 */
#ifndef _TAP_USER_CODE_H
#define _TAP_USER_CODE_H

#if defined(__x86_64__)

/* An instruction that the kernel emulates, then the sum of two arguments. */
#define USER_CODE_SUM					\
	"	nop\n"					\
	"	lea (%rdi,%rsi), %rax\n"		\
	"	ret\n"

/* Jumps to @name with one less and one more, until the first is below 0. */
#define USER_CODE_TAIL(name)				\
	"	nop\n"					\
	"	lea 1(%rsi), %rsi\n"			\
	"	mov %rsi, %rax\n"			\
	"	sub $1, %rdi\n"				\
	"	jns " name "\n"				\
	"	ret\n"

#elif defined(__aarch64__)

#define USER_CODE_SUM					\
	"	nop\n"					\
	"	add x0, x0, x1\n"			\
	"	ret\n"

#define USER_CODE_TAIL(name)				\
	"	nop\n"					\
	"	add x1, x1, #1\n"			\
	"	subs x0, x0, #1\n"			\
	"	b.pl " name "\n"			\
	"	mov x0, x1\n"				\
	"	ret\n"

#else
#error "no test functions for this architecture"
#endif

#endif /* _TAP_USER_CODE_H */
