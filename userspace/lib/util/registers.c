// SPDX-License-Identifier: LGPL-2.1
/*
 * Names of the registers of this architecture, and their offsets as used by TAP_OP_REG:
 * in the user-visible struct pt_regs on x86-64, in struct user_pt_regs on arm64. Only
 * this file knows them.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include <asm/ptrace.h>

#include "util/util.h"
#include "util/registers.h"

struct reg {
	const char *name;
	uint16_t offset;
};

#if defined(__x86_64__)

_Static_assert(sizeof(struct pt_regs) == 21 * 8, "x86-64 has 21 registers");

#define REG(name, member)	{ name, offsetof(struct pt_regs, member) }

/* The short names are those of ftrace and perf, the r- names those of GDB. */
static const struct reg regs[] = {
	REG("ax", rax),		REG("rax", rax),
	REG("bx", rbx),		REG("rbx", rbx),
	REG("cx", rcx),		REG("rcx", rcx),
	REG("dx", rdx),		REG("rdx", rdx),
	REG("si", rsi),		REG("rsi", rsi),
	REG("di", rdi),		REG("rdi", rdi),
	REG("bp", rbp),		REG("rbp", rbp),
	REG("sp", rsp),		REG("rsp", rsp),
	REG("r8", r8),		REG("r9", r9),
	REG("r10", r10),	REG("r11", r11),
	REG("r12", r12),	REG("r13", r13),
	REG("r14", r14),	REG("r15", r15),
	REG("ip", rip),		REG("rip", rip),
	REG("flags", eflags),	REG("eflags", eflags),
	REG("cs", cs),		REG("ss", ss),
	REG("orig_ax", orig_rax), REG("orig_rax", orig_rax),
};

#define REG_LIST	"%ax %bx %cx %dx %si %di %bp %sp %r8 to %r15 %ip " \
			"%flags %cs %ss %orig_ax"

#elif defined(__aarch64__)

_Static_assert(sizeof(struct user_pt_regs) == 34 * 8,
	       "arm64 has 34 registers");

#define X(n)	{ "x" #n, offsetof(struct user_pt_regs, regs) + 8 * (n) }

static const struct reg regs[] = {
	X(0), X(1), X(2), X(3), X(4), X(5), X(6), X(7), X(8), X(9), X(10),
	X(11), X(12), X(13), X(14), X(15), X(16), X(17), X(18), X(19), X(20),
	X(21), X(22), X(23), X(24), X(25), X(26), X(27), X(28), X(29), X(30),
	{ "fp", offsetof(struct user_pt_regs, regs) + 8 * 29 },
	{ "lr", offsetof(struct user_pt_regs, regs) + 8 * 30 },
	{ "sp", offsetof(struct user_pt_regs, sp) },
	{ "pc", offsetof(struct user_pt_regs, pc) },
	{ "pstate", offsetof(struct user_pt_regs, pstate) },
};

#define REG_LIST	"%x0 to %x30 %fp %lr %sp %pc %pstate"

#else
#error "the registers of this architecture are not known"
#endif

/**
 * tap_register_offset() - return the offset of a register
 * @name: without the %
 * @len: length of @name
 *
 * Return: the offset in bytes, or -ENOENT.
 */
int tap_register_offset(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(regs); i++)
		if (strlen(regs[i].name) == len &&
		    !memcmp(regs[i].name, name, len))
			return regs[i].offset;
	return -ENOENT;
}

/**
 * tap_register_suggest() - offer all names as suggestions
 * @s: a search
 */
void tap_register_suggest(struct tap_suggest *s)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(regs); i++)
		tap_suggest_offer(s, regs[i].name, strlen(regs[i].name));
}

/**
 * tap_register_list() - return the names for an error message
 *
 * Return: one line.
 */
const char *tap_register_list(void)
{
	return REG_LIST;
}
