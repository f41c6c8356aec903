/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * From what was written to what it means, for one target: names are found in
 * its scope, and types say what operators do. Private to libtap.
 */
#ifndef _TAP_COMPILE_SEMA_H
#define _TAP_COMPILE_SEMA_H

#include "compile/expr.h"
#include "spec/spec.h"

/**
 * struct tap_ctype - a type, and pointers to it that BTF does not have
 * @base: the type
 * @stars: pointers around it
 * @user: those lead to user memory
 */
struct tap_ctype {
	struct tap_type base;
	unsigned int stars;
	bool user;
};

/**
 * enum tap_place - where a value is
 * @TAP_PLACE_VALUE: computed
 * @TAP_PLACE_MEMORY: in memory, at an address
 * @TAP_PLACE_FIELD: in the event's own data
 * @TAP_PLACE_DATA_LOC: where 4 bytes in the event's own data say
 * @TAP_PLACE_COMM: the task's command name
 * @TAP_PLACE_TEXT: text that was written
 * @TAP_PLACE_STACK: a stack, of the program if @user, of at most @off frames; 0:
 *	it was not said how many
 */
enum tap_place {
	TAP_PLACE_VALUE,
	TAP_PLACE_MEMORY,
	TAP_PLACE_FIELD,
	TAP_PLACE_DATA_LOC,
	TAP_PLACE_COMM,
	TAP_PLACE_TEXT,
	TAP_PLACE_STACK,
};

/**
 * struct tap_value - what an expression stands for
 * @place: where it is
 * @type: its type
 * @untyped: memory whose size the format says
 * @e: the value, or the address
 * @off: added to the address, or the place in the event's data
 * @user: user memory
 * @bit: of a bitfield: bits below it
 * @bits: of a bitfield: its width; else 0
 * @name: the name of the scope that it is, for its format and labels; or NULL
 * @node: where it was written
 */
struct tap_value {
	enum tap_place place;
	struct tap_ctype type;
	bool untyped;
	const struct tap_expr *e;
	__s64 off;
	bool user;
	__u32 bit;
	__u32 bits;
	const struct tap_name *name;
	const struct tap_node *node;
};

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

#define TYPE_FAULT(t, token, ...)	\
	tap_diag(&(t)->p, (token).at, (token).len, -EINVAL, __VA_ARGS__)

/* sema_expr.c */
int tap_type_expr(struct tap_sema *t, const struct tap_node *node,
		  struct tap_value *v);
int tap_type_truth(struct tap_sema *t, const struct tap_node *node,
		   const struct tap_expr **e);

/* sema_name.c: names and what is not typed by operators */
int tap_type_name_of(struct tap_sema *t, const struct tap_node *node,
		     const struct tap_type *hint, struct tap_value *v);
int tap_type_builtin(struct tap_sema *t, const struct tap_node *node,
		     enum tap_builtin builtin, __u64 value,
		     struct tap_value *v);
int tap_type_symbol(struct tap_sema *t, const struct tap_node *node,
		    struct tap_value *v);
bool tap_type_in_scope(const struct tap_sema *t, struct tap_token name);

/* lvalue.c */
struct tap_ctype tap_ctype_int(unsigned int bytes, bool is_signed);
struct tap_ctype tap_ctype_bool(void);
__u32 tap_ctype_size(const struct tap_ctype *type);
bool tap_ctype_pointer(const struct tap_ctype *type);
bool tap_ctype_user(const struct tap_ctype *type);
bool tap_ctype_target(const struct tap_ctype *type, struct tap_ctype *target);
bool tap_ctype_text(const struct tap_ctype *type);
void tap_ctype_named(struct tap_ctype *type, struct tap_token name);
__u8 tap_ctype_step(const struct tap_ctype *type);
int tap_value_scalar(struct tap_sema *t, const struct tap_value *v,
		     const struct tap_expr **e);
const struct tap_expr *tap_value_address(struct tap_sema *t,
					 const struct tap_value *v);
void tap_value_memory(struct tap_value *v, const struct tap_expr *address,
		      __s64 off, const struct tap_ctype *type, bool user);
int tap_value_no_struct(struct tap_sema *t, const struct tap_value *v);

/* sema_match.c */
int tap_type_match(struct tap_sema *t, const struct tap_value *v,
		   const struct tap_node *text, const struct tap_expr **e);

#endif /* _TAP_COMPILE_SEMA_H */
