// SPDX-License-Identifier: GPL-2.0
/*
 * Random expressions: each is written as text, evaluated in C, and evaluated by the program that
 * libtap makes of the text.
 */
#include <stdlib.h>
#include <string.h>

#include "spec/spec.h"
#include "compile/expr.h"
#include "util/util.h"
#include "selftests/lib/check.h"
#include "selftests/lib/expr_harness.h"
#include "selftests/lib/expr_random.h"
#include "selftests/lib/fake_btf.h"
#include "selftests/module/program_arith.h"

#define ROUNDS		3000
#define HITS		4

/* A value with its type in C. */
struct cvalue {
	enum { C_INT, C_UINT, C_LONG, C_ULONG } type;
	__u64 v;
};

/* Values of an event; $arg1 is the address of @rec. */
static struct {
	__u64 args[6];
	struct rec rec[2];
} hit;

static unsigned int state;

unsigned int dice(unsigned int sides)
{
	state = state * 1103515245 + 12345;
	return (state >> 16) % sides;
}

static struct cvalue value(int type, __u64 v)
{
	if (type == C_INT)
		v = (__s64)(__s32)v;
	if (type == C_UINT)
		v = (__u32)v;
	return (struct cvalue) { type, v };
}

/* ------------------------------------------------- evaluation of a program */

struct outcome {
	bool rejected;
	bool broken;
	__u64 word;
};

static __u64 load(__u64 address, __u8 size, bool *broken)
{
	const char *at = (const char *)(uintptr_t)address;
	unsigned int bytes = size & 15;
	__u64 v = 0;

	if (at < (char *)hit.rec ||
	    at + bytes > (char *)hit.rec + sizeof(hit.rec)) {
		*broken = true;
		return 0;
	}
	memcpy(&v, at, bytes);
	return tap_extend(v, size);
}

/* Runs a program as tap_program.h describes; returns the first output. */
static struct outcome run(const struct tap_spec *spec)
{
	__u64 regs[TAP_NR_REGISTERS] = { 0 };
	struct outcome out = { 0 };
	unsigned int i, k, jumped = 0;
	bool output = false;

	for (i = 0; i < spec->nr_ops; i++) {
		const struct tap_op *op = &spec->ops[i];
		bool imm = op->src == TAP_OP_IMM_SRC;
		__u64 b = imm ? op->imm : regs[op->src], v;

		switch (op->code) {
		case TAP_OP_ARG:
			v = tap_extend(hit.args[op->off], op->size);
			break;
		case TAP_OP_IMM:
			v = op->imm;
			break;
		case TAP_OP_MOVE:
			v = tap_extend(b, op->size);
			break;
		case TAP_OP_SWAP:
			for (v = 0, k = 0; k < (op->size & 15); k++)
				v = v << 8 | (b >> 8 * k & 255);
			v = tap_extend(v, op->size);
			break;
		case TAP_OP_LOG2:
			for (v = 0; b > 1; b >>= 1)
				v++;
			break;
		case TAP_OP_LOAD:
			v = load(b + op->off, op->size, &out.broken);
			break;
		case TAP_OP_VAR:
			v = 0;
			break;
		default:
			if (op->code < TAP_OP_ADD || op->code > TAP_OP_JSET) {
				out.broken = true;
				return out;
			}
			if (op->code <= TAP_OP_SHR) {
				v = op_calculate(op, regs[op->dst], b);
				break;
			}
			if (op->off != TAP_OP_REJECT && op->off < 1)
				out.broken = true;
			if (op->off != TAP_OP_REJECT && i + op->off >= jumped)
				jumped = i + 1 + op->off;
			if (op->off == TAP_OP_REJECT && output)
				out.broken = true;
			if (!op_jumps(op, regs[op->dst], b))
				continue;
			out.rejected = op->off == TAP_OP_REJECT;
			if (out.rejected)
				return out;
			i += op->off;
			continue;
		}
		if (op->dst != TAP_OP_OUT) {
			regs[op->dst] = v;
			continue;
		}
		out.broken |= jumped > i;
		if (!output)
			out.word = v;
		output = true;
	}
	return out;
}

/* ------------------------------------------------------ evaluation in C */

/* The common type of two operands in C. */
static int meet(int a, int b)
{
	return a > b ? a : b;
}

#define BINARY(type, op)	((__u64)((type)a.v op (type)b.v))

/* Signed overflow wraps, so it is computed as unsigned. */
static struct cvalue c_binary(const char *op, struct cvalue a, struct cvalue b)
{
	int type = meet(a.type, b.type);
	bool is_long = type >= C_LONG, is_signed = type == C_INT ||
						   type == C_LONG;
	unsigned int bits;

	if (!strcmp(op, "&&"))
		return value(C_INT, a.v && b.v);
	if (!strcmp(op, "||"))
		return value(C_INT, a.v || b.v);
	if (!strcmp(op, "<<") || !strcmp(op, ">>")) {
		bits = b.v & (a.type >= C_LONG ? 63 : 31);
		if (*op == '<')
			return value(a.type, a.v << bits);
		if (a.type == C_INT || a.type == C_LONG)
			return value(a.type, (__s64)a.v >> bits);
		return value(a.type, a.v >> bits);
	}
	a = value(type, a.v);
	b = value(type, b.v);
	if ((*op == '/' || *op == '%') && !b.v)
		return value(type, 0);
	if ((*op == '/' || *op == '%') && is_signed && b.v == -1ULL)
		return value(type, *op == '/' ? -a.v : 0);
	switch (op[0] + (op[1] == '=' ? 256 : 0)) {
	case '+':
		return value(type, a.v + b.v);
	case '-':
		return value(type, a.v - b.v);
	case '*':
		return value(type, a.v * b.v);
	case '/':
		return value(type, is_signed ? is_long ? BINARY(long, /) :
			     BINARY(int, /) : BINARY(unsigned long, /));
	case '%':
		return value(type, is_signed ? is_long ? BINARY(long, %) :
			     BINARY(int, %) : BINARY(unsigned long, %));
	case '&':
		return value(type, a.v & b.v);
	case '|':
		return value(type, a.v | b.v);
	case '^':
		return value(type, a.v ^ b.v);
	case '<':
		return value(C_INT, is_signed ? BINARY(long, <) :
			     BINARY(unsigned long, <));
	case '>':
		return value(C_INT, is_signed ? BINARY(long, >) :
			     BINARY(unsigned long, >));
	case '<' + 256:
		return value(C_INT, is_signed ? BINARY(long, <=) :
			     BINARY(unsigned long, <=));
	case '>' + 256:
		return value(C_INT, is_signed ? BINARY(long, >=) :
			     BINARY(unsigned long, >=));
	case '=' + 256:
		return value(C_INT, a.v == b.v);
	}
	return value(C_INT, a.v != b.v);
}

/* ------------------------------------------------------ random expressions */

static __u64 strange(void)
{
	static const __u64 values[] = {
		0, 1, 2, 3, 7, 31, 63, 127, 128, 255, 4096, 0x7fffffff,
		0x80000000, 0xffffffff, 0x100000000, 0x7fffffffffffffff,
		0x8000000000000000, -1ULL, -2ULL, -128ULL,
	};

	if (dice(3))
		return values[dice(ARRAY_SIZE(values))];
	return (__u64)dice(65536) << (16 * dice(4)) | dice(65536);
}

static void roll_hit(void)
{
	struct rec *r;
	unsigned int i, k;

	for (i = 0; i < 6; i++)
		hit.args[i] = strange();
	hit.args[4] = (uintptr_t)&hit.rec[0];
	for (i = 0; i < 2; i++) {
		r = &hit.rec[i];
		r->sc = strange();
		r->uc = strange();
		r->ss = strange();
		r->us = strange();
		r->si = strange();
		r->ui = strange();
		r->sl = strange();
		r->ul = strange();
		r->b3 = strange() & 7;
		r->b11 = strange() & 2047;
		r->s5 = (int)(strange() & 31) - 16;
		r->b13 = strange() & 8191;
		for (k = 0; k < 4; k++)
			r->arr[k] = strange();
		r->next = &hit.rec[!i];
	}
}

/* A leaf is chosen once, and evaluated for each event. */
struct node {
	char op[8];
	unsigned int leaf;
	struct cvalue number;
	struct node *a, *b, *c;
};

static const char *const leaves[] = {
	"i", "u", "l", "ul", "c", "p->sc", "p->uc", "p->ss", "p->us", "p->si",
	"p->ui", "p->sl", "p->ul", "p->b3", "p->b11", "p->s5", "p->b13",
	"p->next->si", "p->arr[2]", "p->next->arr[p->b3&3]", "(*p->next).ul",
	"(s8)$arg1", "(u16)l", "(unsigned long)c", "(int)ul", "(_Bool)u",
};

static struct cvalue leaf_value(unsigned int leaf)
{
	const struct rec *p = &hit.rec[0], *next = &hit.rec[1];
	int i = hit.args[0], c = (signed char)hit.args[5];
	unsigned int u = hit.args[1];
	long l = hit.args[2];
	unsigned long ul = hit.args[3];

	switch (leaf) {
	case 0: return value(C_INT, i);
	case 1: return value(C_UINT, u);
	case 2: return value(C_LONG, l);
	case 3: return value(C_ULONG, ul);
	case 4: return value(C_INT, c);
	case 5: return value(C_INT, p->sc);
	case 6: return value(C_INT, p->uc);
	case 7: return value(C_INT, p->ss);
	case 8: return value(C_INT, p->us);
	case 9: return value(C_INT, p->si);
	case 10: return value(C_UINT, p->ui);
	case 11: return value(C_LONG, p->sl);
	case 12: return value(C_ULONG, p->ul);
	case 13: return value(C_INT, p->b3);
	case 14: return value(C_INT, p->b11);
	case 15: return value(C_INT, p->s5);
	case 16: return value(C_INT, p->b13);
	case 17: return value(C_INT, next->si);
	case 18: return value(C_UINT, p->arr[2]);
	case 19: return value(C_UINT, next->arr[p->b3 & 3]);
	case 20: return value(C_ULONG, next->ul);
	case 21: return value(C_INT, (signed char)i);
	case 22: return value(C_INT, (unsigned short)l);
	case 23: return value(C_ULONG, c);
	case 24: return value(C_INT, (int)ul);
	}
	return value(C_INT, u != 0);
}

/* Functions of the language, and what stands before their operands. */
static const char *const functions[][2] = {
	{ "swap4", "bswap((u32)(" }, { "swap8", "bswap((u64)(" }, { "log2", "log2((" },
};

static struct cvalue call(const char *function, struct cvalue a)
{
	unsigned int n = 0;

	if (!strcmp(function, "swap4"))
		return value(C_UINT, __builtin_bswap32((__u32)a.v));
	if (!strcmp(function, "swap8"))
		return value(C_ULONG, __builtin_bswap64(a.v));
	while (a.v >>= 1)
		n++;
	return value(C_INT, n);
}

static struct cvalue evaluate(const struct node *n)
{
	struct cvalue a, b, c;

	if (!n->a)
		return n->leaf < ARRAY_SIZE(leaves) ? leaf_value(n->leaf) :
						      n->number;
	a = evaluate(n->a);
	if (!strcmp(n->op, "!"))
		return value(C_INT, !a.v);
	if (!strcmp(n->op, "~"))
		return value(a.type, ~a.v);
	if (!strcmp(n->op, "u-"))
		return value(a.type, -a.v);
	if (!n->b)
		return call(n->op, a);
	b = evaluate(n->b);
	if (*n->op == 'm') {
		c = c_binary(n->op[1] == 'i' ? "<" : ">", a, b);
		return value(meet(a.type, b.type), c.v ? a.v : b.v);
	}
	if (*n->op != '?')
		return c_binary(n->op, a, b);
	c = evaluate(n->c);
	return value(meet(b.type, c.type), a.v ? b.v : c.v);
}

static struct node *roll(char **text, int depth)
{
	static const char *const ops[] = {
		"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "==", "!=",
		"<", "<=", ">", ">=", "&&", "||",
	};
	struct node *n = calloc(1, sizeof(*n));
	unsigned int what = depth ? dice(12) : 9, which;
	static const char *const unary[] = { "!", "~", "u-" };

	if (what == 9) {
		n->leaf = dice(ARRAY_SIZE(leaves) + 8);
		if (n->leaf < ARRAY_SIZE(leaves)) {
			*text += sprintf(*text, "%s", leaves[n->leaf]);
			return n;
		}
		n->number.v = strange() >> 1;
		n->number.type = n->number.v > 0x7fffffff ? C_LONG : C_INT;
		*text += sprintf(*text, "%llu",
				 (unsigned long long)n->number.v);
		return n;
	}
	if (what == 8) {
		strcpy(n->op, unary[dice(3)]);
		*text += sprintf(*text, "%c(", n->op[strlen(n->op) - 1]);
		n->a = roll(text, depth - 1);
		*text += sprintf(*text, ")");
		return n;
	}
	if (what == 10) {
		which = dice(ARRAY_SIZE(functions));
		strcpy(n->op, functions[which][0]);
		*text += sprintf(*text, "%s", functions[which][1]);
		n->a = roll(text, depth - 1);
		*text += sprintf(*text, "))");
		return n;
	}
	if (what == 11) {
		strcpy(n->op, dice(2) ? "min" : "max");
		*text += sprintf(*text, "%s(", n->op);
		n->a = roll(text, depth - 1);
		*text += sprintf(*text, ", ");
		n->b = roll(text, depth - 1);
		*text += sprintf(*text, ")");
		return n;
	}
	*text += sprintf(*text, "(");
	n->a = roll(text, depth - 1);
	if (what == 7) {
		strcpy(n->op, "?");
		*text += sprintf(*text, " ? ");
		n->b = roll(text, depth - 1);
		*text += sprintf(*text, " : ");
		n->c = roll(text, depth - 1);
	} else {
		strcpy(n->op, ops[dice(ARRAY_SIZE(ops))]);
		*text += sprintf(*text, " %s ", n->op);
		if (n->op[1] == *n->op && strchr("<>", *n->op)) {
			/* Skips undefined behaviour of C. */
			n->b = calloc(1, sizeof(*n->b));
			n->b->leaf = ~0U;
			n->b->number = value(C_INT, dice(32));
			*text += sprintf(*text, "%d", (int)n->b->number.v);
		} else {
			n->b = roll(text, depth - 1);
		}
	}
	*text += sprintf(*text, ")");
	return n;
}

static void burn(struct node *n)
{
	if (!n)
		return;
	burn(n->a);
	burn(n->b);
	burn(n->c);
	free(n);
}

/* Returns whether the text was accepted. */
static bool try_one(const char *kind, const char *text, const struct node *n,
		    bool filter)
{
	struct outcome out;
	struct tap_error err;
	struct tap_spec spec;
	struct cvalue want;
	bool ok;
	int i;

	if (expr_make(text, &spec, &err)) {
		/* Constant conditions, and programs that are too large, must be refused like this. */
		if (!strstr(err.text, "depend on the event") &&
		    !strstr(err.text, "by zero") &&
		    !strstr(err.text, "more than the 8 registers") &&
		    !strstr(err.text, "more than 248 ops")) {
			check(false, "%s: %s", kind, text);
			printf("# %s\n", err.text);
		}
		return false;
	}
	for (i = 0; i < HITS; i++) {
		roll_hit();
		want = evaluate(n);
		out = run(&spec);
		ok = !out.broken && (filter ? out.rejected == !want.v :
					      out.word == want.v);
		if (ok)
			continue;
		check(false, "%s: %s", kind, text);
		printf("# C has 0x%llx, the program 0x%llx%s%s\n",
		       (unsigned long long)want.v,
		       (unsigned long long)out.word,
		       out.rejected ? " rejected" : "",
		       out.broken ? " broken" : "");
		break;
	}
	tap_spec_clear(&spec);
	return true;
}

/* A struct is printed by its type: each member has the value that it has in C. */
void test_whole(unsigned int seed)
{
	struct tap_formatter_opts opts = { .size = sizeof(opts), .json = true };
	const struct rec *r = &hit.rec[0];
	char want[2048], have[2048];
	struct tap_error err;
	struct tap_spec spec;
	int i, wrong = 0;

	state = seed;
	if (expr_make("kprobe:rnd *p", &spec, &err))
		abort();
	for (i = 0; i < ROUNDS && !wrong; i++) {
		roll_hit();
		sprintf(want, "{\"sc\":%d,\"uc\":%d,\"ss\":%d,\"us\":%d,\"si\":%d,\"ui\":%u,"
			"\"sl\":%ld,\"ul\":%lu,\"b3\":%u,\"b11\":%u,\"s5\":%d,\"b13\":%u,"
			"\"arr\":[%u,%u,%u,%u],\"next\":\"0x%lx\"}", r->sc, r->uc, r->ss, r->us, r->si,
			r->ui, r->sl, r->ul, r->b3, r->b11, r->s5, r->b13, r->arr[0], r->arr[1],
			r->arr[2], r->arr[3], (unsigned long)r->next);
		wrong = tap_format_words(&opts, &spec.fields[0], (const __u64 *)(const void *)r, have,
					 sizeof(have)) < 0 || strcmp(want, have);
	}
	check(!wrong, "members of a struct have the values of C (seed %u)", seed);
	if (wrong)
		printf("# C has %s\n# printed %s\n", want, have);
	tap_spec_clear(&spec);
}

void test_random(unsigned int seed)
{
	char expr[16384], text[20000], *at;
	unsigned int i, values = 0, filters = 0, failed = check_failures();
	struct node *n;

	state = seed;
	for (i = 0; i < ROUNDS; i++) {
		at = expr;
		n = roll(&at, 1 + dice(5));
		if (strlen(expr) < 4000) {
			sprintf(text, "kprobe:rnd v=(%s)", expr);
			values += try_one("value", text, n, false);
			sprintf(text, "kprobe:rnd u if %s", expr);
			filters += try_one("filter", text, n, true);
		}
		burn(n);
		if (check_failures() > failed + 10)
			break;
	}
	check(check_failures() == failed,
	      "random expressions give the results of C (seed %u)", seed);
	printf("# %u values, %u filters, %d hits each\n", values, filters,
	       HITS);
	check(values > ROUNDS / 2 && filters > ROUNDS / 2,
	      "most random expressions are accepted");
}
