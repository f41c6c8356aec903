/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What differs from one architecture to the next, where a word or two say it.
 * Private to libtap; registers.c, insn_len.c and usdt_args.c have more of it.
 */
#ifndef _TAP_UTIL_ARCH_H
#define _TAP_UTIL_ARCH_H

#include <elf.h>
#include <stdbool.h>

#include <linux/types.h>

#if defined(__x86_64__)

/* Programs, and those of 32 bits. */
#define TAP_ARCH_NAME		"x86-64"
#define TAP_ARCH_MACHINE	EM_X86_64
#define TAP_ARCH_MACHINE_32	EM_386
#define TAP_ARCH_PROBES_32	true
/* Instructions begin at multiples of it. */
#define TAP_ARCH_INSN_ALIGN	1

/* Where libraries lie, and how the cache of the dynamic linker marks them. */
#define TAP_ARCH_TRIPLET	"x86_64-linux-gnu"
#define TAP_ARCH_CACHE_FLAGS	0x0303

/* Of the first argument, for messages. */
#define TAP_ARCH_REG_EXAMPLE	"%%di"

/*
 * How many registers an argument takes that is a struct of several words, where
 * @next are taken: two of them, or none, as it goes on the stack.
 */
static inline unsigned int tap_arch_struct_regs(unsigned int words,
						unsigned int next)
{
	return words == 2 && next + words <= 6 ? words : 0;
}

/* Sections of the kernel, besides those of all, that no kprobe may be in. */
#define TAP_ARCH_BLACKLISTED

/* The counter behind this clock. */
#define TAP_ARCH_CLOCK		TAP_CLOCK_TSC

static inline __u64 tap_arch_counter(void)
{
	return __builtin_ia32_rdtsc();
}

#elif defined(__aarch64__)

#define TAP_ARCH_NAME		"arm64"
#define TAP_ARCH_MACHINE	EM_AARCH64
#define TAP_ARCH_MACHINE_32	EM_ARM
/* The kernel leaves out processes of 32 bits, and tells nobody. */
#define TAP_ARCH_PROBES_32	false
#define TAP_ARCH_INSN_ALIGN	4

#define TAP_ARCH_TRIPLET	"aarch64-linux-gnu"
#define TAP_ARCH_CACHE_FLAGS	0x0a03

#define TAP_ARCH_REG_EXAMPLE	"%%x0"

/* A large one is passed by its address; one for which too few are left takes all. */
static inline unsigned int tap_arch_struct_regs(unsigned int words,
						unsigned int next)
{
	if (words > 2)
		return 1;
	return next + words <= 8 ? words : 8;
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
