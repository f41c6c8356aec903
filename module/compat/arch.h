/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs from one architecture to the next: where a function's arguments
 * and result lie in struct pt_regs, how much of that structure the user may
 * name (what ptrace shows as well), what a stack looks like, and the exchange
 * on a CPU's own word.
 */
#ifndef _TAPMOD_COMPAT_ARCH_H
#define _TAPMOD_COMPAT_ARCH_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/mm.h>
#include <linux/stddef.h>
#include <linux/types.h>
#include <asm/page.h>
#include <asm/pgtable.h>
#include <asm/ptrace.h>
#ifdef CONFIG_X86_64
#include <asm/segment.h>
#endif
#ifdef CONFIG_ARM64
#include <asm/compiler.h>
#include <asm/memory.h>
#include <asm/pointer_auth.h>
#endif

#if defined(CONFIG_X86_64)

#define TAP_REGS_SIZE		sizeof(struct pt_regs)
/* Set in every kernel address, and in no user address. */
#define TAP_ADDRESS_BIT		63
#define TAP_RETVAL_OFFSET	offsetof(struct pt_regs, ax)
/* Where a base of ftrace's has the place in the function. */
#define TAP_FUNC_OFFSET		offsetof(struct pt_regs, ip)
#define TAP_ARG_OFFSETS {						\
	offsetof(struct pt_regs, di), offsetof(struct pt_regs, si),	\
	offsetof(struct pt_regs, dx), offsetof(struct pt_regs, cx),	\
	offsetof(struct pt_regs, r8), offsetof(struct pt_regs, r9) }

/**
 * tap_arch_cmpxchg_local() - compare and exchange, against this CPU's interrupts
 * @p: a word that only this CPU writes
 * @old: what it should be
 * @new: what it becomes then
 *
 * One instruction, without a lock prefix; its flag is the result.
 *
 * Return: whether it was exchanged.
 */
static __always_inline bool tap_arch_cmpxchg_local(u64 *p, u64 old, u64 new)
{
	bool done;

	asm volatile("cmpxchgq %[new], %[word]"
		     : "=@ccz" (done), [word] "+m" (*p), "+a" (old)
		     : [new] "r" (new)
		     : "memory");
	return done;
}

/**
 * tap_arch_kernel_memory() - whether an address may be tried to be read
 * @addr: any number
 *
 * What faults there is found in the exception table. That is not so with user
 * addresses, those that are not canonical, and the vsyscall page: the kernel's
 * own copy_from_kernel_nofault() keeps away from them too. From the start of the
 * direct map to the end of the modules all addresses are canonical, and behind
 * it there is little of interest.
 */
#define tap_arch_kernel_memory(addr)					\
	((addr) >= PAGE_OFFSET && (addr) < MODULES_END - sizeof(u64))

/**
 * tap_is_canonical() - whether an address could be one of the kernel's
 * @at: any number
 *
 * copy_from_kernel_nofault() asks this of the width that the processor could
 * have; where page tables are of four levels nonetheless, what lies between is
 * a general protection fault, and a warning.
 */
static __always_inline bool tap_is_canonical(unsigned long at)
{
	return (long)at >> __VIRTUAL_MASK_SHIFT == -1;
}

/* Whether watchpoints can have a handler; bytes of one on an instruction. */
#define TAP_ARCH_WATCHES	true
#define TAP_ARCH_EXECUTE_BYTES	sizeof(long)

/* What the offset of an instruction is a multiple of. */
#define TAP_CODE_ALIGN		1
/* How far behind a kprobe's place its handler finds the registers. */
#define TAP_TRAP_BYTES		1
/* A call leaves the address to return to on the stack, or else in this register. */
#define TAP_CALL_PUSHES		true
#define tap_arch_link(regs)	((void)(regs), 0UL)
/* Of a call with that stack pointer at its entry: whether it is the one to return there. */
#define tap_arch_is_return(stack, slot)	((stack) == (slot))
/* An address of code without what signs it. */
#define tap_arch_code(at)	(at)

/**
 * tap_arch_frame() - where a function keeps what its caller had there
 * @regs: of that function, or of a program's
 */
static __always_inline unsigned long tap_arch_frame(const struct pt_regs *regs)
{
	return regs->bp;
}

/**
 * tap_arch_pointer_bytes() - bytes of a pointer on a program's stack
 * @regs: of the program
 */
static __always_inline unsigned int
tap_arch_pointer_bytes(const struct pt_regs *regs)
{
	return regs->cs == __USER32_CS ? sizeof(u32) : sizeof(u64);
}

#elif defined(CONFIG_ARM64)

#define TAP_REGS_SIZE		sizeof(struct user_pt_regs)
/* Above it there may be a signature or a tag. */
#define TAP_ADDRESS_BIT		55
#define TAP_RETVAL_OFFSET	offsetof(struct pt_regs, regs[0])
#define TAP_FUNC_OFFSET		offsetof(struct pt_regs, pc)
#define TAP_ARG_OFFSETS {							\
	offsetof(struct pt_regs, regs[0]), offsetof(struct pt_regs, regs[1]),	\
	offsetof(struct pt_regs, regs[2]), offsetof(struct pt_regs, regs[3]),	\
	offsetof(struct pt_regs, regs[4]), offsetof(struct pt_regs, regs[5]) }

/*
 * Any address faults in the way that the exception table knows, but a user's could
 * be read. Behind it there is little of interest.
 */
#define tap_arch_kernel_memory(addr)					\
	((addr) >= PAGE_OFFSET && (addr) < VMALLOC_END - sizeof(u64))

static __always_inline bool tap_is_canonical(unsigned long at)
{
	return true;
}

#define TAP_ARCH_WATCHES	false
#define TAP_ARCH_EXECUTE_BYTES	4

#define TAP_CODE_ALIGN		4
#define TAP_TRAP_BYTES		0
#define TAP_CALL_PUSHES		false
#define tap_arch_link(regs)	((regs)->regs[30])
/* Its frame is somewhere below; what lies below that are calls further in. */
#define tap_arch_is_return(stack, slot)	((stack) >= (slot))

static __always_inline u64 tap_arch_code(u64 at)
{
	return at & BIT_ULL(TAP_ADDRESS_BIT) ? at | ptrauth_kernel_pac_mask() :
					       at & ~ptrauth_user_pac_mask();
}

static __always_inline unsigned long tap_arch_frame(const struct pt_regs *regs)
{
	return regs->regs[29];
}

/* Frames of 32-bit programs look otherwise: no address is a frame of theirs. */
static __always_inline unsigned int
tap_arch_pointer_bytes(const struct pt_regs *regs)
{
	return compat_user_mode(regs) ? sizeof(u32) : sizeof(u64);
}

static __always_inline bool tap_arch_cmpxchg_local(u64 *p, u64 old, u64 new)
{
	return cmpxchg_local(p, old, new) == old;
}

#else
#error "tapmod knows x86-64 and arm64"
#endif

#endif /* _TAPMOD_COMPAT_ARCH_H */
