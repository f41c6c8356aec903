/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * From what was written to what it means, for one target: names are found in
 * its scope, and types say what operators do. Private to libtap.
 */
#ifndef _TAP_COMPILE_SEMA_H
#define _TAP_COMPILE_SEMA_H

#include "compile/lvalue.h"
#include "lang/lang.h"
#include "spec/probe_type.h"

/**
 * struct tap_sema - what is known while a target's expressions get types
 * @p: the text of the expression at hand, the spec and the error
 * @scope: the names; without types where no expression needs them
 * @ast: what was asked for
 * @symbols: of the kernel, or NULL
 * @pool: of the expressions
 * @data: patterns; of %TAP_MAX_DATA bytes
 * @data_len: bytes of @data
 */
struct tap_sema {
	struct tap_parser p;
	const struct tap_scope *scope;
	const struct tap_ast *ast;
	const struct tap_symbols *symbols;
	struct tap_expr_pool pool;
	__u8 *data;
	unsigned int data_len;
};

/* Whether an address of no type leads to user memory: in a program it does. */
static inline bool tap_sema_user(const struct tap_sema *t)
{
	return tap_probe_is_user(t->p.spec->type);
}

#define SEMA_DIAG(t, token, ...)	\
	tap_diag(&(t)->p, (token).at, (token).len, -EINVAL, __VA_ARGS__)

/* sema_expr.c */
int tap_type_expr(struct tap_sema *t, const struct tap_node *node,
		  struct tap_value *v);
int tap_type_truth(struct tap_sema *t, const struct tap_node *node,
		   const struct tap_expr **e);

/*
 * sema_name.c: names and what is not typed by operators. It and sema_expr.c call each
 * other: the name of a counter stands for an expression of its own.
 */
int tap_type_name_of(struct tap_sema *t, const struct tap_node *node,
		     const struct tap_type *hint, struct tap_value *v);
int tap_type_builtin(struct tap_sema *t, const struct tap_node *node,
		     enum tap_builtin builtin, __u64 value,
		     struct tap_value *v);
int tap_type_symbol(struct tap_sema *t, const struct tap_node *node,
		    struct tap_value *v);
bool tap_type_in_scope(const struct tap_sema *t, struct tap_token name);

/* sema_match.c */
int tap_type_match(struct tap_sema *t, const struct tap_value *v,
		   const struct tap_node *text, const struct tap_expr **e);

#endif /* _TAP_COMPILE_SEMA_H */
