/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The value of an expression, or its place in memory, and its type. Private to libtap.
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
 * @stars: number of pointers around @base
 * @user: these pointers lead to user memory
 */
struct tap_ctype {
	struct tap_type base;
	unsigned int stars;
	bool user;
};

/**
 * enum tap_place - where a value is
 * @TAP_PLACE_VALUE: computed; not in memory
 * @TAP_PLACE_MEMORY: in memory, at an address
 * @TAP_PLACE_FIELD: in the event's own data, at a fixed offset
 * @TAP_PLACE_DATA_LOC: in the event's own data, at the offset that its 4-byte
 *	__data_loc has
 * @TAP_PLACE_COMM: the task's command name
 * @TAP_PLACE_TEXT: a string literal
 * @TAP_PLACE_STACK: the stack of the kernel, or of the program with @user, of at most
 *	@off frames; 0: the default
 * @TAP_PLACE_JOIN: joined texts, at most @bits of them; the address of their array
 * @TAP_PLACE_DIVISION: a name in a divided duration: @off is operand @off of %TAP_OP_DIVISION
 */
enum tap_place {
	TAP_PLACE_VALUE,
	TAP_PLACE_MEMORY,
	TAP_PLACE_FIELD,
	TAP_PLACE_DATA_LOC,
	TAP_PLACE_COMM,
	TAP_PLACE_TEXT,
	TAP_PLACE_STACK,
	TAP_PLACE_JOIN,
	TAP_PLACE_DIVISION,
};

/**
 * struct tap_value - the value of an expression
 * @place: where it is
 * @type: its type
 * @untyped: memory whose size comes from the format
 * @e: the value, or the address
 * @off: added to the address; or the place in the event's data
 * @user: user memory
 * @bit: bits below a bitfield
 * @bits: width of a bitfield; number of texts to join; 0 for other values
 * @name: the name of the scope, which has the format and the value names; or NULL
 * @shown: how ntop() prints it: %TAP_FMT_IP or %TAP_FMT_IP6, which is in memory or in the
 *	event's own data; else %TAP_FMT_AUTO
 * @waits: of a stack: of the longest wait; @off is operand @off of %TAP_OP_WAIT_STACK
 * @late: in after(): the task's command name is read at the return
 * @node: its place in the text
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
	enum tap_format shown;
	bool waits;
	bool late;
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
