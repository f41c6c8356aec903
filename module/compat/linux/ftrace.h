/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The registers that ftrace gives to a callback at the entry of a function: their layout
 * depends on the kernel's version and on the architecture.
 */
#ifndef _TAP_COMPAT_LINUX_FTRACE_H
#define _TAP_COMPAT_LINUX_FTRACE_H

#include_next <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/version.h>

/* Before 5.11 a callback got struct pt_regs, and only with FTRACE_OPS_FL_SAVE_REGS. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 11, 0)
struct ftrace_regs {
	struct pt_regs regs;
};

static __always_inline struct pt_regs *ftrace_get_regs(struct ftrace_regs *fregs)
{
	return &fregs->regs;
}

#define tap_ftrace_func(fn)	((void *)(fn))
#else
#define tap_ftrace_func(fn)	(fn)
#endif

/* A callback as the module defines it; tap_ftrace_func() makes it an ftrace_func_t. */
typedef void (*tap_ftrace_callback)(unsigned long ip, unsigned long parent,
				    struct ftrace_ops *op, struct ftrace_regs *fregs);

/* Before 6.12 struct ftrace_regs itself had the members. */
#ifndef arch_ftrace_regs
#define arch_ftrace_regs(fregs)	(fregs)
#endif

/*
 * ftrace must call our callback without a recursion guard of its own. That is the default
 * since 5.11; before, FTRACE_OPS_FL_RECURSION_SAFE asks for it.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 11, 0)
#define TAP_FTRACE_DIRECT	FTRACE_OPS_FL_RECURSION_SAFE
#else
#define TAP_FTRACE_DIRECT	0
#endif

/* Without DYNAMIC_FTRACE_WITH_ARGS ftrace saves registers only if the flag asks for it. */
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
#define TAP_FTRACE_FLAGS	0
#else
#define TAP_FTRACE_FLAGS	(FTRACE_OPS_FL_SAVE_REGS | TAP_FTRACE_DIRECT)
#endif

/*
 * Before 5.18 addresses are added to a filter one by one. Each copies the filter, and is an
 * update of the code if @ops is registered.
 */
#define TAP_FTRACE_FILTERS_MANY	(LINUX_VERSION_CODE >= KERNEL_VERSION(5, 18, 0))

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 18, 0)
static inline int ftrace_set_filter_ips(struct ftrace_ops *ops, unsigned long *ips,
					unsigned int nr, int remove, int reset)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < nr && !ret; i++) {
		ret = ftrace_set_filter_ip(ops, ips[i], remove, reset && !i);
		cond_resched();
	}
	return ret;
}

/* The kernel's ftrace_free_filter() is not exported here; an empty filter holds no memory. */
#define ftrace_free_filter	tap_ftrace_free_filter
static inline void tap_ftrace_free_filter(struct ftrace_ops *ops)
{
	ftrace_set_filter(ops, NULL, 0, 1);
}
#endif

/**
 * tap_ftrace_call() - the address that ftrace reports for a function
 * @addr: start of a function, or the address itself; any other gives 0
 *
 * It is the address of the call, which may have become a nop. On x86 the call is the first
 * instruction, or the second one behind endbr64, which the kernel may have overwritten by a
 * nop. Before 5.13 the nop of the call depends on the CPU: AMD's up to family 15, and those that
 * virtual machines have by default, have another one. On arm64 the call follows
 * "mov x9, x30", and there may be a bti before that.
 *
 * Context: process, may sleep; memory at @addr need not be mapped.
 * Return: the address; 0: the code does not show it.
 */
static inline unsigned long tap_ftrace_call(unsigned long addr)
{
#if defined(CONFIG_X86_64)
	static const u8 endbr[][4] = {
		{ 0xf3, 0x0f, 0x1e, 0xfa }, { 0x66, 0x0f, 0x1f, 0x00 },
		{ 0x0f, 0x1f, 0x40, 0xd6 },
	};
	static const u8 nops[][5] = {
		{ 0x0f, 0x1f, 0x44, 0x00, 0x00 }, { 0x66, 0x66, 0x66, 0x66, 0x90 },
	};
	char name[KSYM_SYMBOL_LEN], *offset;
	unsigned long call;
	u8 code[9];
	int i;

	/* An address within the call would look right if one of its bytes is 0xe8. */
	sprint_symbol(name, addr);
	offset = strchr(name, '+');
	if (offset && !strncmp(offset, "+0x4/", 5))
		addr -= 4;
	else if (!offset || strncmp(offset, "+0x0/", 5))
		return 0;
	if (copy_from_kernel_nofault(code, (void *)addr, sizeof(code)))
		return 0;
	for (i = 0, call = addr; i < ARRAY_SIZE(endbr); i++)
		if (!memcmp(code, endbr[i], sizeof(endbr[i])))
			call = addr + sizeof(endbr[i]);
	/* The byte of a breakpoint is there while the kernel changes the instruction. */
	for (i = 0; i < ARRAY_SIZE(nops); i++)
		if (!memcmp(&code[call - addr], nops[i], sizeof(nops[i])))
			return call;
	return code[call - addr] == 0xe8 || code[call - addr] == 0xcc ? call : 0;
#elif defined(CONFIG_ARM64)
	static const u32 mov_x9_x30 = 0xaa1e03e9;
	u32 code;
	int i;

	/* The instruction before the call, if that is at addr, addr + 4 or addr + 8. */
	for (i = -1; i < 2; i++)
		if (!copy_from_kernel_nofault(&code, (u32 *)addr + i, sizeof(code)) &&
		    code == mov_x9_x30)
			return addr + (i + 1) * sizeof(code);
	return 0;
#else
	return 0;
#endif
}

/**
 * tap_ftrace_args() - the arguments of the function, at their offsets in struct pt_regs
 * @fregs: registers as ftrace gave them to the callback
 *
 * On x86 struct ftrace_regs begins with a struct pt_regs, on arm64 with regs[] in the same
 * order. Only the words at TAP_ARG_OFFSETS are valid.
 *
 * Context: ftrace callback.
 */
static __always_inline const void *tap_ftrace_args(struct ftrace_regs *fregs)
{
	return arch_ftrace_regs(fregs);
}

/**
 * tap_ftrace_regs() - copy the registers at the start of a function, as an event's base
 * @to: gets the registers that ftrace saves: arguments, stack pointer, frame pointer,
 *	link register (arm64). Other members stay uninitialized, except on kernels that
 *	save all registers
 * @fregs: registers as ftrace gave them to the callback
 * @ip: address in the function, stored as the instruction pointer
 *
 * Context: ftrace callback.
 */
static __always_inline void
tap_ftrace_regs(struct pt_regs *to, struct ftrace_regs *fregs, unsigned long ip)
{
#if defined(CONFIG_X86_64)
	const struct pt_regs *from = &arch_ftrace_regs(fregs)->regs;

	to->di = from->di;
	to->si = from->si;
	to->dx = from->dx;
	to->cx = from->cx;
	to->r8 = from->r8;
	to->r9 = from->r9;
	to->bp = from->bp;
	to->sp = from->sp;
	to->ip = ip;
	to->cs = __KERNEL_CS;
#elif defined(CONFIG_DYNAMIC_FTRACE_WITH_ARGS)
	unsigned int i;

	for (i = 0; i < 6; i++)
		to->regs[i] = arch_ftrace_regs(fregs)->regs[i];
	to->regs[29] = arch_ftrace_regs(fregs)->fp;
	to->regs[30] = arch_ftrace_regs(fregs)->lr;
	to->sp = arch_ftrace_regs(fregs)->sp;
	to->pc = ip;
#else
	*to = arch_ftrace_regs(fregs)->regs;
	to->pc = ip;
#endif
}

#endif /* _TAP_COMPAT_LINUX_FTRACE_H */
