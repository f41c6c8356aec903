// SPDX-License-Identifier: LGPL-2.1
/*
 * Arguments of a USDT probe as <sys/sdt.h> makes the assembler write them:
 * "SIZE@OPERAND", separated by blanks, in the assembler syntax of the architecture. The
 * size is in bytes, negative for signed numbers, with an f after it for floating point.
 *
 * An operand that cannot be read (a vector register, a thread-local variable) is an
 * argument of unknown place, so that the arguments after it keep their numbers.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elf_object.h"
#include "util/registers.h"

/* Longer texts are not operands. */
#define MAX_OPERAND	128

/* Parses a sum such as 16-8 at *@p; no sum counts as 0. */
static bool take_sum(const char **p, int64_t *sum)
{
	uint64_t total = 0;
	bool sign, minus;
	char *end;

	for (;;) {
		minus = **p == '-';
		sign = minus || **p == '+';
		if (!isdigit((unsigned char)(*p)[sign]))
			break;
		errno = 0;
		if (minus)
			total -= strtoull(*p + sign, &end, 0);
		else
			total += strtoull(*p + sign, &end, 0);
		if (errno)
			return false;
		*p = end;
	}
	*sum = total;
	return true;
}

static bool take(const char **p, const char *what)
{
	size_t len = strlen(what);

	if (strncmp(*p, what, len))
		return false;
	*p += len;
	return true;
}

/* Parses the name of a variable. */
static bool take_symbol(const char **p, struct tap_usdt_arg *arg)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.$0123456789";
	size_t len = strspn(*p, letters);

	if (!len || isdigit((unsigned char)**p) || **p == '$')
		return false;
	arg->kind = TAP_USDT_SYMBOL;
	arg->symbol = *p;
	arg->symbol_len = len;
	*p += len;
	return true;
}

#if defined(__x86_64__)

/* Parses %rax, %eax, %ax, %al or %ah, which are parts of ax. Returns the offset or -1. */
static int16_t take_register(const char **p, struct tap_usdt_arg *arg)
{
	static const char low[] = "abcd";
	const char *name = *p + 1;
	char full[4] = "";
	size_t len, digits;
	int offset;

	if (**p != '%')
		return -1;
	len = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789");
	*p = name + len;
	digits = *name == 'r' ? strspn(name + 1, "0123456789") : 0;
	if (digits && digits <= 2 &&
	    (len == digits + 1 ||
	     (len == digits + 2 && strchr("dwb", name[len - 1])))) {
		memcpy(full, name, digits + 1);
	} else if (len == 3 && (*name == 'r' || *name == 'e')) {
		memcpy(full, name + 1, 2);
	} else if (len == 2 && strchr(low, *name) && strchr("lh", name[1])) {
		full[0] = *name;
		full[1] = 'x';
		if (name[1] == 'h' && arg)
			arg->shift = 8;
	} else if (len == 2 || (len == 3 && name[2] == 'l')) {
		memcpy(full, name, 2);
	}
	/* These have no short forms. */
	if (!strcmp(full, "cs") || !strcmp(full, "ss"))
		return -1;
	offset = tap_register_offset(full, strlen(full));
	return offset < 0 ? -1 : offset;
}

/* Parses "(%base,%index,scale)", the part after the displacement. */
static bool take_memory(const char **p, struct tap_usdt_arg *arg)
{
	int64_t scale = 1;

	if (!take(p, "("))
		return !**p;
	if (**p == '%') {
		arg->reg = take_register(p, NULL);
		if (arg->reg < 0)
			return false;
	}
	if (take(p, ",")) {
		arg->index = take_register(p, NULL);
		if (arg->index < 0)
			return false;
		if (take(p, ",") && !take_sum(p, &scale))
			return false;
	}
	arg->scale = scale;
	return take(p, ")") && !**p &&
	       (scale == 1 || scale == 2 || scale == 4 || scale == 8);
}

/* Parses the part before the brackets: "8", "global", "global+8" or "8+global". */
static bool take_displacement(const char **p, struct tap_usdt_arg *arg)
{
	const char *begin = *p;
	int64_t more = 0;

	if (!take_sum(p, &arg->value))
		return false;
	if (*p > begin && !take(p, "+"))
		return true;
	if (!take_symbol(p, arg))
		return *p == begin;
	if (!take_sum(p, &more))
		return false;
	arg->value = (int64_t)((uint64_t)arg->value + (uint64_t)more);
	return true;
}

static bool read_operand(const char *p, struct tap_usdt_arg *arg)
{
	if (take(&p, "$")) {
		arg->kind = TAP_USDT_CONST;
		return *p && take_sum(&p, &arg->value) && !*p;
	}
	if (*p == '%') {
		arg->kind = TAP_USDT_REG;
		arg->reg = take_register(&p, arg);
		return arg->reg >= 0 && !*p;
	}
	if (!*p)
		return false;
	arg->kind = TAP_USDT_MEMORY;
	return take_displacement(&p, arg) && take_memory(&p, arg);
}

bool tap_usdt_place(struct tap_usdt_arg *arg, uint64_t variable, uint64_t probe,
		    bool fixed)
{
	/* When the probe fires, %rip is the address of the probe. */
	if (arg->reg == tap_register_offset("ip", 2))
		variable -= probe;
	else if (!fixed)
		return false;
	arg->value = (int64_t)((uint64_t)arg->value + variable);
	arg->kind = TAP_USDT_MEMORY;
	return true;
}

#elif defined(__aarch64__)

static int16_t take_register(const char **p)
{
	size_t len = strspn(*p, "abcdefghijklmnopqrstuvwxyz0123456789");
	char full[4] = "";
	int offset;

	if (len < 2 || len > 3)
		return -1;
	memcpy(full, *p, len);
	*p += len;
	/* w0 is the lower half of x0. */
	if (full[0] == 'w')
		full[0] = 'x';
	offset = tap_register_offset(full, len);
	return offset < 0 ? -1 : offset;
}

static void blanks(const char **p)
{
	*p += strspn(*p, " #");
}

/* Parses the part after "[": "base]", "base, disp]", "base, index, lsl n]". */
static bool take_memory(const char **p, struct tap_usdt_arg *arg)
{
	int64_t shift = 0;

	arg->reg = take_register(p);
	if (arg->reg < 0)
		return false;
	if (take(p, ",")) {
		blanks(p);
		if (**p == 'x') {
			arg->index = take_register(p);
			if (arg->index < 0)
				return false;
			if (take(p, ",")) {
				blanks(p);
				if (!take(p, "lsl"))
					return false;
				blanks(p);
				if (!take_sum(p, &shift) || shift < 0 ||
				    shift > 3)
					return false;
			}
			arg->scale = 1 << shift;
		} else if (take(p, ":lo12:")) {
			if (!take_symbol(p, arg) || !take_sum(p, &arg->value))
				return false;
		} else if (!take_sum(p, &arg->value)) {
			return false;
		}
	}
	return take(p, "]") && !**p;
}

static bool read_operand(const char *p, struct tap_usdt_arg *arg)
{
	if (take(&p, "[")) {
		arg->kind = TAP_USDT_MEMORY;
		return take_memory(&p, arg);
	}
	if (*p >= 'a' && *p <= 'z') {
		arg->kind = TAP_USDT_REG;
		arg->reg = take_register(&p);
		return arg->reg >= 0 && !*p;
	}
	/* LLVM writes a #. */
	blanks(&p);
	arg->kind = TAP_USDT_CONST;
	return *p && take_sum(&p, &arg->value) && !*p;
}

bool tap_usdt_place(struct tap_usdt_arg *arg, uint64_t variable, uint64_t probe,
		    bool fixed)
{
	(void)probe;
	(void)fixed;
	/*
	 * The register has the high part of the address, and the load address is a
	 * multiple of the page size.
	 */
	arg->value = ((uint64_t)arg->value + variable) & 0xfff;
	arg->kind = TAP_USDT_MEMORY;
	return true;
}

#else
#error "the operands of this architecture are not known"
#endif

/* Parses "SIZE@OPERAND"; an operand without a size is a word. */
static int read_arg(const char *text, struct tap_usdt_arg *arg)
{
	const char *at = strchr(text, '@');
	bool known = true;
	char *end;
	long size;

	*arg = (struct tap_usdt_arg) {
		.size = 8, .reg = -1, .index = -1, .scale = 1,
	};
	if (at) {
		size = strtol(text, &end, 10);
		if (end == text)
			return -EINVAL;
		arg->is_float = *end == 'f';
		end += arg->is_float;
		if (end != at || size < -64 || size > 64)
			return -EINVAL;
		arg->is_signed = size < 0;
		size = labs(size);
		known = size == 1 || size == 2 || size == 4 || size == 8;
		if (known)
			arg->size = size;
		text = at + 1;
	}
	if (!read_operand(text, arg) || !known) {
		arg->kind = TAP_USDT_UNKNOWN;
		arg->reg = -1;
		arg->index = -1;
		arg->symbol = NULL;
	}
	return 0;
}

/* Bytes of the operand at @text, including blanks in brackets. */
static size_t operand_len(const char *text, size_t len)
{
	bool inside = false;
	size_t i;

	for (i = 0; i < len && (inside || text[i] != ' '); i++)
		if (text[i] == '[' || text[i] == ']')
			inside = text[i] == '[';
	return i;
}

/*
 * Parses arguments, e.g. "-4@%eax 8@8(%rbp)", and sets @usdt's args and nr_args.
 * Returns -EINVAL for invalid or too many arguments.
 */
int tap_usdt_args(struct tap_usdt *usdt, const char *text, size_t len)
{
	char operand[MAX_OPERAND];
	struct tap_usdt_arg *arg;
	size_t n;

	usdt->nr_args = 0;
	for (; len; text += n, len -= n) {
		if (*text == ' ') {
			n = 1;
			continue;
		}
		n = operand_len(text, len);
		if (n >= sizeof(operand) || usdt->nr_args == TAP_USDT_ARGS)
			return -EINVAL;
		memcpy(operand, text, n);
		operand[n] = '\0';
		arg = &usdt->args[usdt->nr_args];
		if (read_arg(operand, arg))
			return -EINVAL;
		if (arg->symbol)
			arg->symbol = text + (arg->symbol - operand);
		usdt->nr_args++;
	}
	return 0;
}
