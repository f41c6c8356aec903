/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions of the test programs whose instructions matter, for each architecture. These are
 * the bodies, for an asm() with their names.
 */
#ifndef _TEST_MODULE_USER_CODE_H
#define _TEST_MODULE_USER_CODE_H

#if defined(__x86_64__)

/* The kernel's breakpoint instruction, its first byte, and USER_CODE_SUM. */
#define USER_BREAKPOINT		"\xcc"
#define USER_UPROBE_BYTE	0xcc
#define USER_CODE_BYTES		"\x90\x48\x8d\x04\x37\xc3"
/* Alignment of instructions. */
#define USER_CODE_ALIGN		1

/* An instruction that uprobes emulate, then the sum of two arguments. */
#define USER_CODE_SUM					\
	"	nop\n"					\
	"	lea (%rdi,%rsi), %rax\n"		\
	"	ret\n"

/* Tail-calls @name with one less and one more, until the first is below 0. */
#define USER_CODE_TAIL(name)				\
	"	nop\n"					\
	"	lea 1(%rsi), %rsi\n"			\
	"	mov %rsi, %rax\n"			\
	"	sub $1, %rdi\n"				\
	"	jns " name "\n"				\
	"	ret\n"

#elif defined(__aarch64__)

#define USER_BREAKPOINT		"\xa0\x00\x20\xd4"
#define USER_UPROBE_BYTE	0xa0
#define USER_CODE_BYTES		"\x1f\x20\x03\xd5\x00\x00\x01\x8b\xc0\x03\x5f\xd6"
#define USER_CODE_ALIGN		4

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

#endif /* _TEST_MODULE_USER_CODE_H */
