/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Semantic analysis of the expressions of one target: finds names in the scope, and
 * types. Private to libtap.
 */
#ifndef _TAP_COMPILE_SEMA_H
#define _TAP_COMPILE_SEMA_H

#include "compile/lvalue.h"
#include "lang/lang.h"
#include "spec/probe_type.h"

/**
 * struct tap_sema - semantic analysis of a target's expressions
 * @p: the text of the current expression, the spec and the error
 * @scope: the names; without types if no expression needs them
 * @ast: the event as parsed
 * @symbols: of the kernel, or NULL
 * @pool: owns the expressions
 * @data: patterns; has %TAP_MAX_DATA bytes
 * @data_len: bytes of @data
 * @condition: in the condition of the event
 * @by_type: a value is constant for this function, because of the type that it returns
 * @per_cpu: in an argument of this_cpu_ptr() or this_cpu_read(): a per-CPU variable may be named
 */
struct tap_sema {
	struct tap_parser p;
	const struct tap_scope *scope;
	const struct tap_ast *ast;
	const struct tap_symbols *symbols;
	struct tap_expr_pool pool;
	__u8 *data;
	unsigned int data_len;
	bool condition;
	bool by_type;
	bool per_cpu;
};

/* Whether an address without a type leads to user memory, as it does in user probes. */
static inline bool tap_sema_user(const struct tap_sema *t)
{
	return tap_probe_is_user(t->p.spec->type);
}

/* The same for the address @e: an argument of a system call leads to user memory. */
static inline bool tap_sema_user_at(const struct tap_sema *t, const struct tap_expr *e)
{
	return tap_sema_user(t) || (t->p.spec->type == TAP_PROBE_SYSCALL &&
				    e->needs & TAP_NEEDS_ENTRY && !(e->needs & TAP_NEEDS_MEMORY));
}

#define SEMA_DIAG(t, token, ...)	\
	tap_diag(&(t)->p, (token).at, (token).len, -EINVAL, __VA_ARGS__)

/* sema_expr.c */
int tap_type_expr(struct tap_sema *t, const struct tap_node *node,
		  struct tap_value *v);
int tap_type_extreme(struct tap_sema *t, const struct tap_node *node, struct tap_value *v);
int tap_type_of_cast(struct tap_sema *t, const struct tap_cast *cast, struct tap_ctype *type);
void tap_value_set(struct tap_value *v, const struct tap_expr *e, struct tap_ctype type);
const char *tap_type_described_by(const struct tap_type *type);
int tap_type_truth(struct tap_sema *t, const struct tap_node *node,
		   const struct tap_expr **e);

/*
 * sema_name.c: names, built-ins and symbols. tap_type_expr() and tap_type_name_of()
 * call each other: the name of a counter stands for an expression.
 */
int tap_type_name_of(struct tap_sema *t, const struct tap_node *node,
		     const struct tap_value *hint, struct tap_value *v);
int tap_type_builtin(struct tap_sema *t, const struct tap_node *node,
		     enum tap_builtin builtin, __u64 value,
		     struct tap_value *v);
int tap_type_symbol(struct tap_sema *t, const struct tap_node *node,
		    struct tap_value *v);
const struct tap_name *tap_type_name_in(const struct tap_sema *t, struct tap_token name);
bool tap_type_is_symbol(const struct tap_sema *t, const struct tap_node *node);
int tap_type_symbol_address(struct tap_sema *t, const struct tap_node *node,
			    struct tap_value *v);

/* scope_source.c */
int tap_type_local(struct tap_sema *t, const struct tap_node *node, struct tap_name *name,
		   struct tap_value *v);

/* sema_call.c */
int tap_type_call(struct tap_sema *t, const struct tap_node *node, struct tap_value *v);

/* sema_division.c */
bool tap_type_divided(struct tap_sema *t, struct tap_token name, struct tap_value *v);
bool tap_type_divided_member(struct tap_sema *t, const struct tap_node *node, struct tap_value *v);
int tap_type_inside(struct tap_sema *t, const struct tap_node *node, struct tap_value *v);

/* sema_match.c */
int tap_type_match(struct tap_sema *t, const struct tap_value *v,
		   const struct tap_node *text, const struct tap_expr **e);

#endif /* _TAP_COMPILE_SEMA_H */
