/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between architectures: the offsets of arguments and return value in struct
 * pt_regs, the part of that structure that a program may name (the one that ptrace
 * shows), the layout of stack frames, and cmpxchg on a word of this CPU.
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
/* This bit is set in every kernel address, and in no user address. */
#define TAP_ADDRESS_BIT		63
#define TAP_RETVAL_OFFSET	offsetof(struct pt_regs, ax)
/* Where tap_ftrace_regs() stores the address of the probed function. */
#define TAP_FUNC_OFFSET		offsetof(struct pt_regs, ip)
#define TAP_ARG_OFFSETS {						\
	offsetof(struct pt_regs, di), offsetof(struct pt_regs, si),	\
	offsetof(struct pt_regs, dx), offsetof(struct pt_regs, cx),	\
	offsetof(struct pt_regs, r8), offsetof(struct pt_regs, r9) }
/* The arguments of a system call at its entry: what syscall_get_arguments() reads. */
#define TAP_SYSCALL_OFFSETS {						\
	offsetof(struct pt_regs, di), offsetof(struct pt_regs, si),	\
	offsetof(struct pt_regs, dx), offsetof(struct pt_regs, r10),	\
	offsetof(struct pt_regs, r8), offsetof(struct pt_regs, r9) }

/**
 * tap_arch_cmpxchg_local() - compare and exchange a word that only this CPU writes
 * @p: the word
 * @old: the expected value
 * @new: stored if *@p is @old
 *
 * Atomic against interrupts and NMIs of this CPU: one cmpxchg without a lock prefix. The
 * compiler gets the zero flag as the result, so it compares nothing afterwards.
 *
 * Context: any, not migrating.
 * Return: true if @new was stored.
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
 * tap_arch_kernel_memory() - whether __get_kernel_nofault() may read 8 bytes here
 * @addr: any number
 *
 * A fault at such an address is handled through the exception table. That does not hold
 * for user addresses, non-canonical addresses and the vsyscall page;
 * copy_from_kernel_nofault() refuses them too. All addresses from the start of the direct
 * map to the end of the modules are canonical. Addresses above that are refused as well:
 * they only take the slower path.
 */
#define tap_arch_kernel_memory(addr)					\
	((addr) >= PAGE_OFFSET && (addr) < MODULES_END - sizeof(u64))

/**
 * tap_is_canonical() - whether an address is a canonical kernel address
 * @at: any number
 *
 * copy_from_kernel_nofault() tests against the address width of the processor. If the
 * processor has 57 bits and the kernel uses four-level page tables, an address in between
 * passes that test, and reading it is a general protection fault with a warning. This
 * test uses the width that the kernel uses.
 */
static __always_inline bool tap_is_canonical(unsigned long at)
{
	return (long)at >> __VIRTUAL_MASK_SHIFT == -1;
}

/* Watchpoints can run a handler. */
#define TAP_ARCH_WATCHES	true
/* perf_event_attr.bp_len of an execution breakpoint. */
#define TAP_ARCH_EXECUTE_BYTES	sizeof(long)

/* Alignment of instructions in bytes. */
#define TAP_CODE_ALIGN		1
/* In a kprobe's handler the instruction pointer is this many bytes behind the probe. */
#define TAP_TRAP_BYTES		1
/* A call pushes its return address on the stack; else tap_arch_link() reads it. */
#define TAP_CALL_PUSHES		true
/* Registers of tap_arch_dwarf_regs(). */
#define TAP_ARCH_DWARF_REGS	17
#define tap_arch_link(regs)	((void)(regs), 0UL)
/*
 * Whether the return address at @slot is that of the call whose stack pointer at entry
 * was @stack. The caller tries the calls from the innermost outwards.
 */
#define tap_arch_is_return(stack, slot)	((stack) == (slot))
/* A code address without pointer authentication bits. */
#define tap_arch_code(at)	(at)

/*
 * The arguments of a tracepoint's handler, at most 12 words beside its data: those
 * in registers, and TAP_TP_STACK_WORDS on the stack, from tap_arch_stack_args() on.
 */
#define TAP_TP_PARAMS		(void *data, u64 a, u64 b, u64 c, u64 d, u64 e)
#define TAP_TP_PASS		(data, a, b, c, d, e)
#define TAP_TP_ARGS		((struct tap_tp_args){ a, b, c, d, e })
#define TAP_TP_STACK_WORDS	7

struct tap_tp_args {
	u64 a, b, c, d, e;
};

/* The same for a function that also gets where the words on the stack are. */
#define TAP_TP_PARAMS_AT						\
	(const void *data, const u64 *at, u64 a, u64 b, u64 c, u64 d, u64 e)
#define TAP_TP_PASS_AT(data, at, in)					\
	(data, at, (in).a, (in).b, (in).c, (in).d, (in).e)

/* Calls a handler with @data, registers in @in and words of the stack, each word(i). */
#define TAP_TP_CALL(function, data, in, word)				\
	((function)(data, (in).a, (in).b, (in).c, (in).d, (in).e, word(0), word(1),	\
		    word(2), word(3), word(4), word(5), word(6)))

/**
 * tap_arch_frame() - the frame pointer
 * @regs: registers of a kernel function or of the task's program
 *
 * Return: address of the frame: there lie the caller's frame pointer and, one pointer
 *	further, the return address.
 */
static __always_inline unsigned long tap_arch_frame(const struct pt_regs *regs)
{
	return regs->bp;
}

/**
 * tap_arch_pointer_bytes() - size of a pointer on a program's stack
 * @regs: registers of the program, which may be a 32-bit one
 *
 * Return: 4 or 8.
 */
static __always_inline unsigned int
tap_arch_pointer_bytes(const struct pt_regs *regs)
{
	return regs->cs == __USER32_CS ? sizeof(u32) : sizeof(u64);
}

/**
 * tap_arch_dwarf_regs() - the registers of a program in DWARF's order
 * @regs: registers of a 64-bit program
 * @to: set to %TAP_ARCH_DWARF_REGS words
 */
static __always_inline void tap_arch_dwarf_regs(const struct pt_regs *regs, u64 *to)
{
	to[0] = regs->ax;
	to[1] = regs->dx;
	to[2] = regs->cx;
	to[3] = regs->bx;
	to[4] = regs->si;
	to[5] = regs->di;
	to[6] = regs->bp;
	to[7] = regs->sp;
	to[8] = regs->r8;
	to[9] = regs->r9;
	to[10] = regs->r10;
	to[11] = regs->r11;
	to[12] = regs->r12;
	to[13] = regs->r13;
	to[14] = regs->r14;
	to[15] = regs->r15;
	to[16] = regs->ip;
}

#elif defined(CONFIG_ARM64)

#define TAP_REGS_SIZE		sizeof(struct user_pt_regs)
/* The bits above may hold a pointer authentication code or a tag. */
#define TAP_ADDRESS_BIT		55
#define TAP_RETVAL_OFFSET	offsetof(struct pt_regs, regs[0])
#define TAP_FUNC_OFFSET		offsetof(struct pt_regs, pc)
#define TAP_ARG_OFFSETS {							\
	offsetof(struct pt_regs, regs[0]), offsetof(struct pt_regs, regs[1]),	\
	offsetof(struct pt_regs, regs[2]), offsetof(struct pt_regs, regs[3]),	\
	offsetof(struct pt_regs, regs[4]), offsetof(struct pt_regs, regs[5]) }
#define TAP_SYSCALL_OFFSETS {							\
	offsetof(struct pt_regs, orig_x0), offsetof(struct pt_regs, regs[1]),	\
	offsetof(struct pt_regs, regs[2]), offsetof(struct pt_regs, regs[3]),	\
	offsetof(struct pt_regs, regs[4]), offsetof(struct pt_regs, regs[5]) }

/*
 * Every address faults through the exception table here; user addresses are refused
 * because reading them would succeed. Addresses above VMALLOC_END take the slower path.
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
#define TAP_ARCH_DWARF_REGS	33
/*
 * A function stores the return address in its frame, below the stack pointer of its
 * entry. Calls with a stack pointer below @slot are inner calls.
 */
#define tap_arch_is_return(stack, slot)	((stack) >= (slot))

#define TAP_TP_PARAMS							\
	(void *data, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g)
#define TAP_TP_PASS		(data, a, b, c, d, e, f, g)
#define TAP_TP_ARGS		((struct tap_tp_args){ a, b, c, d, e, f, g })
#define TAP_TP_STACK_WORDS	5

struct tap_tp_args {
	u64 a, b, c, d, e, f, g;
};

#define TAP_TP_PARAMS_AT						\
	(const void *data, const u64 *at, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g)
#define TAP_TP_PASS_AT(data, at, in)					\
	(data, at, (in).a, (in).b, (in).c, (in).d, (in).e, (in).f, (in).g)

#define TAP_TP_CALL(function, data, in, word)				\
	((function)(data, (in).a, (in).b, (in).c, (in).d, (in).e, (in).f, (in).g,	\
		    word(0), word(1), word(2), word(3), word(4)))

static __always_inline u64 tap_arch_code(u64 at)
{
	return at & BIT_ULL(TAP_ADDRESS_BIT) ? at | ptrauth_kernel_pac_mask() :
					       at & ~ptrauth_user_pac_mask();
}

static __always_inline void tap_arch_dwarf_regs(const struct pt_regs *regs, u64 *to)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(regs->regs); i++)
		to[i] = regs->regs[i];
	to[i++] = regs->sp;
	to[i] = regs->pc;
}

static __always_inline unsigned long tap_arch_frame(const struct pt_regs *regs)
{
	return regs->regs[29];
}

/*
 * The frame pointer of 32-bit programs is another register than tap_arch_frame() reads:
 * the stack of such a program ends after its first frames.
 */
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

/* A handler of a tracepoint, or an event's function, with the most arguments there can be. */
typedef void (*tap_tp_function_t)(void *data, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64,
				  u64, u64);

/*
 * Where the caller put the first argument that is not in a register: the canonical frame
 * address of the function, on both architectures. Only gcc has it on arm64; sparse does not
 * know it.
 */
#ifdef __CHECKER__
#define tap_arch_stack_args()	((const u64 *)__builtin_frame_address(0))
#else
#define tap_arch_stack_args()	((const u64 *)__builtin_dwarf_cfa())
#endif
#define TAP_ARCH_STACK_ARGS	(IS_ENABLED(CONFIG_X86_64) || IS_ENABLED(CONFIG_CC_IS_GCC))

#endif /* _TAPMOD_COMPAT_ARCH_H */
