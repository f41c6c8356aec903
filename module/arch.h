/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where a function's arguments and result lie in struct pt_regs, and how much
 * of that structure the user may name (what ptrace shows as well).
 */
#ifndef _TAP_ARCH_H
#define _TAP_ARCH_H

#include <linux/stddef.h>
#include <asm/ptrace.h>

#if defined(CONFIG_X86_64)

#define TAP_REGS_SIZE		sizeof(struct pt_regs)
#define TAP_RETVAL_OFFSET	offsetof(struct pt_regs, ax)
#define TAP_ARG_OFFSETS							\
	offsetof(struct pt_regs, di), offsetof(struct pt_regs, si),	\
	offsetof(struct pt_regs, dx), offsetof(struct pt_regs, cx),	\
	offsetof(struct pt_regs, r8), offsetof(struct pt_regs, r9)

#elif defined(CONFIG_ARM64)

#define TAP_REGS_SIZE		sizeof(struct user_pt_regs)
#define TAP_RETVAL_OFFSET	offsetof(struct pt_regs, regs[0])
#define TAP_ARG_OFFSETS								\
	offsetof(struct pt_regs, regs[0]), offsetof(struct pt_regs, regs[1]),	\
	offsetof(struct pt_regs, regs[2]), offsetof(struct pt_regs, regs[3]),	\
	offsetof(struct pt_regs, regs[4]), offsetof(struct pt_regs, regs[5])

#else
#error "tapmod knows x86-64 and arm64"
#endif

#endif /* _TAP_ARCH_H */
