// SPDX-License-Identifier: LGPL-2.1
/*
 * Comparison of text with a pattern.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "compile/sema.h"
#include "lang/pattern.h"

/* Adds the pattern to the program's patterns unless it is already there. */
static int add_pattern(struct tap_sema *t, struct tap_token token,
		       const struct tap_pattern *p, __u64 *imm)
{
	unsigned int at;

	for (at = 0; at + p->len <= t->data_len; at++)
		if (!memcmp(t->data + at, p->text, p->len))
			break;
	if (at + p->len > t->data_len) {
		at = t->data_len;
		if (p->len > TAP_MAX_DATA - at)
			return tap_diag(&t->p, token.at, token.len, -E2BIG,
					"all texts together are longer than %d characters",
					TAP_MAX_DATA);
		memcpy(t->data + at, p->text, p->len);
		t->data_len += p->len;
	}
	*imm = at | (__u64)p->len << 16;
	return 0;
}

/* A command name of up to 15 characters is compared as two words, padded with 0. */
static int compare_comm(struct tap_sema *t, struct tap_token token,
			const struct tap_pattern *p, const struct tap_expr **e)
{
	const struct tap_expr *second;
	__u64 words[2] = { 0 };

	if (p->len >= TAP_COMM_LEN)
		return tap_diag(&t->p, token.at, token.len, -EINVAL,
				"a command name has at most %d characters; the kernel cuts the rest off",
				TAP_COMM_LEN - 1);
	memcpy(words, p->text, p->len);
	*e = tap_expr_compare(&t->pool, TAP_OP_JEQ, false,
			      tap_expr_value(&t->pool, TAP_OP_VAR, 8,
					     TAP_VAR_COMM, 0),
			      tap_expr_const(&t->pool, words[0]));
	/* If the name ends within the first word, the second word need not be compared. */
	if (p->len < 8)
		return 0;
	second = tap_expr_compare(&t->pool, TAP_OP_JEQ, false,
				  tap_expr_value(&t->pool, TAP_OP_VAR, 8,
						 TAP_VAR_COMM, 1),
				  tap_expr_const(&t->pool, words[1]));
	*e = tap_expr_logic(&t->pool, TAP_EXPR_AND, *e, second);
	return 0;
}

/* An address of ntop() is compared as one or two numbers. */
static int compare_address(struct tap_sema *t, const struct tap_value *v, struct tap_token token,
			   const struct tap_pattern *p, const struct tap_expr **e)
{
	int family = v->shown == TAP_FMT_IP ? AF_INET : AF_INET6;
	const struct tap_expr *word[2] = { v->e };
	char text[INET6_ADDRSTRLEN] = "";
	__u64 bytes[2] = { 0 };
	unsigned int i;

	if (p->len < sizeof(text))
		memcpy(text, p->text, p->len);
	if (p->glob || inet_pton(family, text, bytes) != 1)
		return SEMA_DIAG(t, token, "this is no address such as \"%s\", and it is compared as a whole",
				 family == AF_INET ? "127.0.0.1" : "::1");
	for (i = 0; i < 2 && family == AF_INET6; i++)
		word[i] = v->place == TAP_PLACE_FIELD ?
			  tap_expr_value(&t->pool, TAP_OP_FIELD, 8, v->off + 8 * (int)i, 0) :
			  tap_expr_load(&t->pool, v->user, v->e, (__s64)v->off + 8 * i, 8);
	*e = tap_expr_compare(&t->pool, TAP_OP_JEQ, false, word[0],
			      tap_expr_const(&t->pool, bytes[0]));
	if (word[1])
		*e = tap_expr_logic(&t->pool, TAP_EXPR_AND, *e,
				    tap_expr_compare(&t->pool, TAP_OP_JEQ, false, word[1],
						     tap_expr_const(&t->pool, bytes[1])));
	return 0;
}

/* Text that fills its array has no final 0 there, so its bytes are compared as numbers. */
static void compare_full(struct tap_sema *t, const struct tap_value *v, const struct tap_pattern *p,
			 const struct tap_expr **e)
{
	const struct tap_expr *part;
	size_t at, size = 8;
	__u64 bytes;

	*e = tap_expr_const(&t->pool, 1);
	for (at = 0; at < p->len; at += size) {
		while (size > p->len - at)
			size /= 2;
		bytes = 0;
		memcpy(&bytes, p->text + at, size);
		part = tap_expr_load(&t->pool, v->user, v->e, v->off + (__s64)at, (__u8)size);
		part = tap_expr_compare(&t->pool, TAP_OP_JEQ, false, part,
					tap_expr_const(&t->pool, bytes));
		*e = tap_expr_logic(&t->pool, TAP_EXPR_AND, *e, part);
	}
}

static int match(struct tap_sema *t, const struct tap_value *v, const struct tap_node *text,
		 const struct tap_expr **e)
{
	bool pointer = tap_ctype_pointer(&v->type);
	__u32 room = v->place == TAP_PLACE_MEMORY && !pointer && tap_ctype_text(&v->type) ?
		     v->type.base.size : 0;
	const struct tap_expr *address = NULL;
	struct tap_pattern p;
	__s64 off = v->off;
	bool user = v->user;
	__u8 code;
	__u64 imm = 0;
	int ret;

	ret = tap_pattern_read(&t->p, text->t, &p);
	if (ret)
		return ret;
	if (v->place == TAP_PLACE_JOIN)
		return SEMA_DIAG(t, v->node->all,
				 "joined texts cannot be compared; compare one: argv[1] == \"text\"");
	if (v->shown)
		return compare_address(t, v, text->t, &p, e);
	if (v->place == TAP_PLACE_COMM && !p.glob)
		return compare_comm(t, text->t, &p, e);
	if (room && !p.glob && p.len > room)
		return SEMA_DIAG(t, text->t, "the array has only %u bytes", room);
	if (room && !p.glob && p.len == room) {
		compare_full(t, v, &p, e);
		return 0;
	}
	ret = add_pattern(t, text->t, &p, &imm);
	if (ret)
		return ret;
	if (v->place == TAP_PLACE_COMM) {
		code = TAP_OP_MATCH_COMM;
		off = 0;
	} else if (!tap_ctype_text(&v->type) &&
		   !(pointer && v->name && v->name->format == TAP_FMT_STRING)) {
		return SEMA_DIAG(t, v->node->all,
				 "this is not text and cannot be compared with text; cast an address with (char *)");
	} else if (pointer) {
		ret = tap_value_scalar(t, v, &address);
		if (ret)
			return ret;
		user = tap_ctype_user(&v->type);
		off = 0;
		code = user ? TAP_OP_MATCH_USER : TAP_OP_MATCH;
	} else if (v->place == TAP_PLACE_FIELD) {
		code = TAP_OP_MATCH_FIELD;
		imm |= (__u64)(v->type.base.size & 0xffff) << 32;
	} else if (v->place == TAP_PLACE_DATA_LOC) {
		code = TAP_OP_MATCH_DATA_LOC;
	} else {
		address = v->e;
		code = user ? TAP_OP_MATCH_USER : TAP_OP_MATCH;
	}
	*e = tap_expr_match(&t->pool, code, p.glob, address, off, imm);
	return 0;
}

/* Compares a value with text in quotes. @e is set to 0 or 1. */
int tap_type_match(struct tap_sema *t, const struct tap_value *v,
		   const struct tap_node *text, const struct tap_expr **e)
{
	bool after = t->pool.after;
	int ret;

	t->pool.after |= v->late;
	ret = match(t, v, text, e);
	t->pool.after = after;
	return ret;
}
