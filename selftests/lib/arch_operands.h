/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Registers and instructions in the native tests, for each architecture: operands as its assembler
 * writes them, and the ops that they become.
 */
#ifndef _TEST_LIB_ARCH_OPERANDS_H
#define _TEST_LIB_ARCH_OPERANDS_H

#if defined(__x86_64__)

/* Two registers and their offsets; the stack pointer. */
#define R1		"%di"
#define R1_NAME		"di"
#define R1_STEP		"R112"
#define R2		"%orig_ax"
#define R2_NAME		"orig_ax"
#define R2_STEP		"R120"
#define SP_STEP		"R152"

/* Whether instructions are aligned to their length. */
#define INSN_ALIGNED	false
/* Offset of the second instruction of the function that multiplies. */
#define TWIN_INSIDE	"3"

/* A function with an instruction at offset WIDE_SITE; its size is WIDE_BYTES. */
#define WIDE_CODE	"movabs $0x1122334455667788,%rax\\nsite: nop\\nret"
#define WIDE_SITE	"10"
#define WIDE_SITE_HEX	"0xa"
#define WIDE_INSIDE	"4"
#define WIDE_BYTES	"0xc"

/* Operands of USDT probes. */
#define USDT_REGS	"-4@%edi 8@%rbx 1@%al"
#define USDT_REG_1	"R112"
#define USDT_REG_2	"R40"
#define USDT_REG_3	"R80"
#define USDT_MEMORY	"2@-8(%rbp) 8@16(%rbp,%rbx,4) -4@$-7 1@%ah"
#define USDT_MEMORY_STEPS	\
	"r0=R32 u[r0-8]:2 r1=R32 r2=R40 r2*4 r1+r2 u[r1+16] #-7 r1=R80 r1>>8 r1:1 V10"
#define USDT_MEMORY_IF		\
	"r1=R80 r1>>8 r1=r1:1 r1==0?X r1=R32 u[r1-8]:2 r2=R32 r3=R40 r3*4 r2+r3 u[r2+16] #-7 r2=R80 r2>>8 r2:1 V10"
#define USDT_5		"-4@$5"
#define USDT_REG	"-4@%edi"
#define USDT_FLOAT	"8f@%xmm0"

#elif defined(__aarch64__)

#define R1		"%x0"
#define R1_NAME		"x0"
#define R1_STEP		"R0"
#define R2		"%pc"
#define R2_NAME		"pc"
#define R2_STEP		"R256"
#define SP_STEP		"R248"

#define INSN_ALIGNED	true
#define TWIN_INSIDE	"4"

#define WIDE_CODE	"nop\\nnop\\nsite: nop\\nret"
#define WIDE_SITE	"8"
#define WIDE_SITE_HEX	"0x8"
#define WIDE_INSIDE	"6"
#define WIDE_BYTES	"0x10"

#define USDT_REGS	"-4@w0 8@x19 1@w2"
#define USDT_REG_1	"R0"
#define USDT_REG_2	"R152"
#define USDT_REG_3	"R16"
#define USDT_MEMORY	"2@[x29, -8] 8@[x29, x19, lsl 2] -4@-7 1@w2"
#define USDT_MEMORY_STEPS	\
	"r0=R232 u[r0-8]:2 r1=R232 r2=R152 r2*4 r1+r2 u[r1+0] #-7 R16:1 V10"
#define USDT_MEMORY_IF		\
	"r1=R16:1 r1==0?X r2=R232 u[r2-8]:2 r3=R232 r4=R152 r4*4 r3+r4 u[r3+0] #-7 R16:1 V10"
#define USDT_5		"-4@5"
#define USDT_REG	"-4@w0"
#define USDT_FLOAT	"8f@d0"

#else
#error "no operands for this architecture"
#endif

#endif /* _TEST_LIB_ARCH_OPERANDS_H */
