/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Small differences between architectures. registers.c, insn_len.c and usdt_args.c have
 * the larger ones. Private to libtap.
 */
#ifndef _TAP_UTIL_ARCH_H
#define _TAP_UTIL_ARCH_H

#include <elf.h>
#include <stdbool.h>

#include <linux/types.h>

#if defined(__x86_64__)

/* ELF machines, and whether uprobes work in 32-bit programs. */
#define TAP_ARCH_NAME		"x86-64"
#define TAP_ARCH_MACHINE	EM_X86_64
#define TAP_ARCH_MACHINE_32	EM_386
#define TAP_ARCH_PROBES_32	true
/* Alignment of instructions. */
#define TAP_ARCH_INSN_ALIGN	1
/* Bytes of nops behind the symbol of a function, which its debug information does not begin with. */
#define TAP_ARCH_ENTRY_NOPS	0

/* Directory of libraries, and flags of ld.so.cache entries. */
#define TAP_ARCH_TRIPLET	"x86_64-linux-gnu"
#define TAP_ARCH_CACHE_FLAGS	0x0303

/* Registers of TAP_OP_USTACK_COPY, and which of them is the stack pointer. */
#define TAP_ARCH_DWARF_REGS	17
#define TAP_ARCH_DWARF_SP	7

/* The register of the first argument, for error messages, and the instruction pointer. */
#define TAP_ARCH_REG_EXAMPLE	"%%di"
#define TAP_ARCH_IP		"ip"

/*
 * Registers that a struct argument of several words takes if @next are in use. It takes
 * two of them, or none if it is passed on the stack.
 */
static inline unsigned int tap_arch_struct_regs(unsigned int words,
						unsigned int next)
{
	return words == 2 && next + words <= 6 ? words : 0;
}

/* Bytes of the return address, which a call stores below the call frame address. */
#define TAP_ARCH_RETURN_BYTES	8ULL

/* The argument, from 0, that is passed in a register of DWARF; -1: none. */
static inline int tap_arch_dwarf_arg(__u64 reg)
{
	/* rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8, r9 */
	static const signed char args[] = { -1, 2, 3, -1, 1, 0, -1, -1, 4, 5 };

	return reg < sizeof(args) ? args[reg] : -1;
}

/* Sections that the architecture excludes from kprobes. */
#define TAP_ARCH_BLACKLISTED

/* tap_arch_counter() is the counter behind these clocks. */
#define TAP_ARCH_CLOCK		TAP_CLOCK_TSC
#define TAP_ARCH_CLOCK_ORDERED	TAP_CLOCK_TSC_ORDERED

static inline __u64 tap_arch_counter(void)
{
	return __builtin_ia32_rdtsc();
}

#elif defined(__aarch64__)

#define TAP_ARCH_NAME		"arm64"
#define TAP_ARCH_MACHINE	EM_AARCH64
#define TAP_ARCH_MACHINE_32	EM_ARM
/* uprobes silently ignore 32-bit processes on arm64. */
#define TAP_ARCH_PROBES_32	false
#define TAP_ARCH_INSN_ALIGN	4
#define TAP_ARCH_ENTRY_NOPS	8

#define TAP_ARCH_TRIPLET	"aarch64-linux-gnu"
#define TAP_ARCH_CACHE_FLAGS	0x0a03

#define TAP_ARCH_DWARF_REGS	33
#define TAP_ARCH_DWARF_SP	31

#define TAP_ARCH_REG_EXAMPLE	"%%x0"
#define TAP_ARCH_IP		"pc"

/*
 * A large struct is passed by address. A struct for which too few registers are left
 * uses up all of them.
 */
static inline unsigned int tap_arch_struct_regs(unsigned int words,
						unsigned int next)
{
	if (words > 2)
		return 1;
	return next + words <= 8 ? words : 8;
}

/* The return address is in a register. */
#define TAP_ARCH_RETURN_BYTES	0ULL

static inline int tap_arch_dwarf_arg(__u64 reg)
{
	return reg < 8 ? (int)reg : -1;
}

#define TAP_ARCH_BLACKLISTED						\
	{ "__irqentry_text_start", "__irqentry_text_end",		\
	  TAP_SYMBOL_BLACKLISTED },					\
	{ "__idmap_text_start", "__idmap_text_end",			\
	  TAP_SYMBOL_BLACKLISTED },					\
	{ "__hyp_text_start", "__hyp_text_end",				\
	  TAP_SYMBOL_BLACKLISTED },					\
	{ "__hibernate_exit_text_start", "__hibernate_exit_text_end",	\
	  TAP_SYMBOL_BLACKLISTED },

#define TAP_ARCH_CLOCK		TAP_CLOCK_ARCH
#define TAP_ARCH_CLOCK_ORDERED	TAP_CLOCK_ARCH

static inline __u64 tap_arch_counter(void)
{
	__u64 value;

	__asm__ __volatile__("mrs %0, cntvct_el0" : "=r" (value));
	return value;
}

#else
#error "libtap knows x86-64 and arm64"
#endif

#endif /* _TAP_UTIL_ARCH_H */
