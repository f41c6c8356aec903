/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What an expression stands for: a value, or a place in memory; and its type. Private
 * to libtap.
 */
#ifndef _TAP_COMPILE_LVALUE_H
#define _TAP_COMPILE_LVALUE_H

#include "compile/expr.h"
#include "spec/token.h"
#include "types/scope.h"

struct tap_sema;

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
 * @name: the name of the scope that it is, for its format and value names; or NULL
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

#endif /* _TAP_COMPILE_LVALUE_H */
