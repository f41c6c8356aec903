// SPDX-License-Identifier: LGPL-2.1
/*
 * From values to outputs: how each is read and printed, by its format or else by its
 * type.
 */
#include <errno.h>
#include <string.h>

#include "compile/output.h"
#include "compile/output_struct.h"
#include "kernel/syscalls.h"
#include "lang/target.h"
#include "spec/field.h"
#include "spec/probe_type.h"
#include "util/arch.h"
#include "util/value_names.h"

static enum tap_format number_format(__u32 size, bool is_signed)
{
	switch (size) {
	case 1:
		return is_signed ? TAP_FMT_S8 : TAP_FMT_U8;
	case 2:
		return is_signed ? TAP_FMT_S16 : TAP_FMT_U16;
	case 4:
		return is_signed ? TAP_FMT_S32 : TAP_FMT_U32;
	}
	return is_signed ? TAP_FMT_S64 : TAP_FMT_U64;
}

static bool leads_to_function(const struct tap_ctype *type)
{
	struct tap_ctype target;

	return tap_ctype_pointer(type) && tap_ctype_target(type, &target) &&
	       !target.stars && target.base.cls == TAP_TYPE_OTHER &&
	       !target.base.size;
}

/**
 * tap_output_format() - the default format of a number or a pointer
 * @type: its type
 * @has_value_names: there are names of its values
 *
 * Return: the format.
 */
enum tap_format tap_output_format(const struct tap_ctype *type, bool has_value_names)
{
	if (leads_to_function(type))
		return TAP_FMT_SYMBOL;
	if (tap_ctype_pointer(type))
		return TAP_FMT_X64;
	switch (type->base.cls) {
	case TAP_TYPE_BOOL:
		return TAP_FMT_BOOL;
	case TAP_TYPE_CHAR:
		return TAP_FMT_CHAR;
	case TAP_TYPE_ENUM:
		if (has_value_names)
			return TAP_FMT_VALUE_NAME;
		break;
	default:
		break;
	}
	return number_format(type->base.size, type->base.is_signed);
}

/* ------------------------------------------------------------ text, arrays */

/* A system call may fault its user memory in, so the memory is read at the return. */
static void set_user(struct tap_sema *t, struct tap_output *out, bool user,
		     __u8 kernel_code, __u8 user_code)
{
	out->op.code = user ? user_code : kernel_code;
	out->late |= user && t->pool.user_late;
}

/* Where text or an array starts. */
static int begin_of(struct tap_sema *t, const struct tap_value *v,
		    struct tap_output *out, bool *user)
{
	bool is_array = !v->type.stars && v->type.base.cls == TAP_TYPE_ARRAY;
	int ret;

	if (v->place == TAP_PLACE_MEMORY && (is_array || v->untyped)) {
		out->e = v->e;
		out->op.off = v->off;
		*user |= v->user;
		if (v->off == out->op.off)
			return 0;
		out->e = tap_value_address(t, v);
		out->op.off = 0;
		return 0;
	}
	ret = tap_value_scalar(t, v, &out->e);
	if (ret)
		return ret;
	*user |= tap_sema_user_at(t, out->e) ||
		 (tap_ctype_pointer(&v->type) && tap_ctype_user(&v->type));
	return 0;
}

static int make_string(struct tap_sema *t, const struct tap_value *v,
		       unsigned int len, bool user, struct tap_output *out)
{
	out->field.format = TAP_FMT_STRING;
	out->op.imm = len;
	if (v->place == TAP_PLACE_DATA_LOC) {
		out->op.code = TAP_OP_DATA_LOC;
		out->op.size = TAP_OP_TEXT;
		out->op.off = v->off;
		return 0;
	}
	if (v->place == TAP_PLACE_FIELD && !v->type.stars &&
	    v->type.base.cls == TAP_TYPE_ARRAY) {
		out->op.code = TAP_OP_FIELD_STRING;
		out->op.off = v->off;
		if (v->type.base.size < len)
			out->op.imm = v->type.base.size;
		return 0;
	}
	if (begin_of(t, v, out, &user))
		return -EINVAL;
	set_user(t, out, user, TAP_OP_STRING, TAP_OP_STRING_USER);
	return 0;
}

static int make_comm(struct tap_sema *t, const struct tap_item *item,
		     struct tap_output *out)
{
	if (item->as.kind != TAP_AS_TYPE && item->as.kind != TAP_AS_STRING)
		return SEMA_DIAG(t, item->as.t,
				 "%.*s is text and takes no other format",
				 tap_token_shown(item->t), item->t.at);
	out->op.code = TAP_OP_COMM;
	out->field.format = TAP_FMT_COMM;
	return 0;
}

/*
 * The registers and a part of the stack, from which a struct tap_unwinder makes frames. A call in
 * the kernel does not change them, so that they can be taken at its return, where they need no
 * memory of the call.
 */
static void make_stack_copy(const struct tap_sema *t, struct tap_output *out)
{
	const struct tap_spec *spec = t->p.spec;

	out->op.code = TAP_OP_USTACK_COPY;
	out->op.imm = 8 * TAP_ARCH_DWARF_REGS + t->ast->stack_copy;
	out->field.format = TAP_FMT_USTACK;
	out->late = spec->type == TAP_PROBE_CALL || spec->type == TAP_PROBE_SYSCALL;
}

/* The stack at the event; for a call at its entry. */
static int make_stack(struct tap_sema *t, const struct tap_item *item,
		      const struct tap_value *v, struct tap_output *out)
{
	const struct tap_spec *spec = t->p.spec;

	if (item->as.kind != TAP_AS_TYPE)
		return SEMA_DIAG(t, item->as.t,
				 "a stack takes no format; write the number of frames in brackets: %.*s[16]",
				 tap_token_shown(item->t), item->t.at);
	if (v->user && t->ast->stack_copy && item >= t->ast->stacks &&
	    item < t->ast->stacks + t->ast->nr_stacks) {
		make_stack_copy(t, out);
		return 0;
	}
	if (v->waits) {
		out->op.code = TAP_OP_WAIT_STACK;
		out->op.off = (__s32)v->off;
		out->op.imm = 8 * TAP_WAIT_FRAMES;
		out->op.size = t->ast->whole_stacks ? 8 : 0;
		out->field.format = out->op.size ? TAP_FMT_KSTACK_ID : TAP_FMT_KSTACK;
		out->late = tap_probe_is_call(spec->type);
		return 0;
	}
	out->op.code = v->user ? TAP_OP_USTACK : TAP_OP_KSTACK;
	out->op.imm = 8 * (v->off ? (__u64)v->off : TAP_DEFAULT_STACK);
	out->field.format = v->user ? TAP_FMT_USTACK : TAP_FMT_KSTACK;
	if (t->ast->whole_stacks && !v->off) {
		out->op.size = 8;
		out->op.imm = 8 * TAP_MAX_STACK;
		out->field.format = v->user ? TAP_FMT_USTACK_ID : TAP_FMT_KSTACK_ID;
	}
	/* At its first instruction a function has no stack frame yet. */
	out->op.off = v->user && (spec->type == TAP_PROBE_UCALL ||
				  (spec->type == TAP_PROBE_UPROBE &&
				   !tap_spec_inside(spec)));
	return 0;
}

/* Joined texts are one text. */
static int make_join(struct tap_sema *t, const struct tap_item *item, const struct tap_value *v,
		     struct tap_output *out)
{
	unsigned int len = item->as.kind == TAP_AS_STRING ? item->as.len : TAP_DEFAULT_JOINED;

	if (item->as.kind != TAP_AS_TYPE && item->as.kind != TAP_AS_STRING)
		return SEMA_DIAG(t, item->as.t,
				 "joined texts take no format but a length: string[1000]");
	out->field.format = TAP_FMT_STRING;
	out->e = v->e;
	out->op.off = v->off;
	if (v->off != out->op.off) {
		out->e = tap_value_address(t, v);
		out->op.off = 0;
	}
	out->op.imm = len | (__u64)v->bits << 16;
	set_user(t, out, v->user || item->as.user || tap_sema_user_at(t, v->e), TAP_OP_JOIN,
		 TAP_OP_JOIN_USER);
	return 0;
}

/* The path of a file, a dentry, or a struct path. */
static int make_path(struct tap_sema *t, const struct tap_value *v, const struct tap_as *as,
		     struct tap_output *out)
{
	bool in_memory = v->place == TAP_PLACE_MEMORY && !v->type.stars &&
			 v->type.base.cls == TAP_TYPE_STRUCT;
	struct tap_value at = *v;
	struct tap_member path;
	struct tap_ctype type;
	char buffer[40] = "", *name = buffer;
	unsigned int names;

	if (in_memory)
		type = v->type;
	if (v->place < TAP_PLACE_COMM && !tap_ctype_user(&v->type) &&
	    (in_memory || tap_ctype_target(&v->type, &type)) && !type.stars)
		tap_type_name(&type.base, buffer, sizeof(buffer));
	if (!strncmp(name, "const ", 6))
		name += 6;
	out->op.code = TAP_OP_PATH;
	if (!strcmp(name, "struct dentry"))
		out->op.code = TAP_OP_DENTRY;
	else if (!strcmp(name, "struct file") &&
		 !tap_type_member(&type.base, "f_path", 6, &path))
		out->op.off = path.bit / 8;
	else if (strcmp(name, "struct path"))
		return SEMA_DIAG(t, as->t,
				 "only a struct file *, a struct dentry * and a struct path * have a path; a cast makes one of an address: ((struct file *)$arg1):path");
	if (in_memory) {
		at.off += out->op.off;
		out->op.off = 0;
		out->e = tap_value_address(t, &at);
	} else if (tap_value_scalar(t, v, &out->e)) {
		return -EINVAL;
	}
	/* A name and its slash have at least two bytes. */
	names = as->len / 2 + 1 < TAP_PATH_NAMES ? as->len / 2 + 1 : TAP_PATH_NAMES;
	out->op.imm = as->len | (__u64)names << 16;
	out->field.format = TAP_FMT_STRING;
	return 0;
}

static int make_array(struct tap_sema *t, const struct tap_value *v,
		      enum tap_format element, __u32 size, __u32 count,
		      struct tap_output *out)
{
	__u32 most = TAP_MAX_STRING / size;
	bool user = false;

	if (v->place == TAP_PLACE_DATA_LOC) {
		out->op.code = TAP_OP_DATA_LOC;
		out->op.off = v->off;
		out->op.imm = count ? (__u64)count * size : TAP_DEFAULT_STRING;
		out->field.format = TAP_FMT_DATA;
		out->field.element = element;
		return 0;
	}
	if (count > most)
		count = most;
	out->op.imm = (__u64)count * size;
	out->field.format = element;
	out->field.element = element;
	out->field.count = count;
	if (v->place == TAP_PLACE_FIELD && !v->type.stars &&
	    v->type.base.cls == TAP_TYPE_ARRAY) {
		if (out->op.imm > v->type.base.size)
			return SEMA_DIAG(t, v->node->all,
					 "the array has only %u bytes",
					 v->type.base.size);
		out->op.code = TAP_OP_FIELD_BYTES;
		out->op.off = v->off;
		return 0;
	}
	if (begin_of(t, v, out, &user))
		return -EINVAL;
	set_user(t, out, user, TAP_OP_BYTES, TAP_OP_BYTES_USER);
	out->absent = true;
	return 0;
}

static int make_typed_array(struct tap_sema *t, const struct tap_value *v,
			    struct tap_output *out)
{
	struct tap_ctype element;
	__u32 size;
	int ret;

	if (!tap_ctype_target(&v->type, &element) ||
	    !tap_ctype_size(&element) ||
	    (!element.stars && (element.base.cls == TAP_TYPE_ARRAY ||
				element.base.cls == TAP_TYPE_OTHER)))
		return SEMA_DIAG(t, v->node->all,
				 "the elements of this array have no format; give one: :u8[16]");
	if (!element.stars && element.base.cls == TAP_TYPE_STRUCT)
		return SEMA_DIAG(t, v->node->all,
				 "the elements of this array are structs; name a member of one: [0].NAME");
	size = tap_ctype_size(&element);
	if (tap_ctype_text(&v->type) && v->place == TAP_PLACE_DATA_LOC)
		return make_string(t, v, TAP_DEFAULT_STRING, false, out);
	if (tap_ctype_text(&v->type) && !v->type.base.size)
		return make_string(t, v, TAP_DEFAULT_STRING, false, out);
	if (v->place != TAP_PLACE_DATA_LOC && !v->type.base.nr)
		return SEMA_DIAG(t, v->node->all,
				 "the length of this array is unknown; give it: :u8[16]");
	ret = make_array(t, v, tap_output_format(&element, false), size,
			 v->type.base.nr, out);
	if (!ret && tap_ctype_text(&v->type)) {
		out->field.format = TAP_FMT_CHARS;
		out->field.element = TAP_FMT_AUTO;
	}
	return ret;
}

/* An address or the like: bytes that are one value. */
static int make_bytes(struct tap_sema *t, const struct tap_value *v, enum tap_format format,
		      __u32 size, struct tap_output *out)
{
	struct tap_value raw = *v;
	int ret;

	/* A struct that is the address, such as struct in6_addr. */
	raw.untyped |= v->place == TAP_PLACE_MEMORY && !v->type.stars &&
		       (v->type.base.cls == TAP_TYPE_STRUCT || v->shown);
	ret = make_array(t, &raw, TAP_FMT_U8, 1, size, out);
	if (!ret && v->place == TAP_PLACE_DATA_LOC)
		return SEMA_DIAG(t, v->node->all,
				 "an array of variable length takes no such format; give it one of an array: :x8[16]");
	out->field.format = format;
	out->field.element = TAP_FMT_AUTO;
	return ret;
}

/* ----------------------------------------------------------------- numbers */

static void make_word(const struct tap_expr *e, enum tap_format format,
		      struct tap_output *out)
{
	out->e = e;
	out->field.format = format;
	out->absent = e->needs & TAP_NEEDS_MEMORY;
}

/* A value without a type, so its default format is unknown. */
static bool is_raw(const struct tap_value *v)
{
	const struct tap_node *node = v->node;

	if (v->name)
		return v->name->raw || v->untyped;
	return v->untyped || node->kind == TAP_NODE_REGISTER ||
	       (node->kind == TAP_NODE_BUILTIN &&
		(node->builtin == TAP_BUILTIN_ARG ||
		 node->builtin == TAP_BUILTIN_STACK_WORD));
}

/*
 * Each record of a call has the duration, in clock ticks, and the register of the return value.
 * A format that prints nanoseconds converts the ticks; an aggregation and all others need
 * the number itself.
 */
static bool in_record(const struct tap_sema *t, bool aggregate,
		      struct tap_output *out)
{
	bool formatted = out->item && out->item->as.kind == TAP_AS_NUMBER;
	const struct tap_expr *e = out->e;
	unsigned int bytes = e->size & 15, width;

	if (e->kind != TAP_EXPR_VALUE)
		return false;
	if (e->code == TAP_OP_VAR && e->off == TAP_VAR_DURATION) {
		if (!formatted)
			out->field.format = TAP_FMT_NS;
		if (aggregate || t->p.spec->type == TAP_PROBE_SPAN ||
		    out->field.format != TAP_FMT_NS)
			return false;
		out->field.format = TAP_FMT_DURATION;
		out->field.word = TAP_CALL_DURATION;
		return true;
	}
	if (!tap_probe_is_call(t->p.spec->type) || e->code != TAP_OP_RETVAL)
		return false;
	out->field.word = TAP_CALL_RETVAL;
	width = tap_format_width(out->field.format);
	if (bytes == 8 || (!aggregate && width <= bytes))
		return true;
	if (aggregate || width < 8)
		return false;
	/* The upper bits of the register are undefined, and the format looks at all of them. */
	out->field.element = number_format(bytes, e->size & TAP_OP_SIGNED);
	return true;
}

static bool is_retval(const struct tap_expr *e)
{
	return e->kind == TAP_EXPR_VALUE && e->code == TAP_OP_RETVAL;
}

/* A return value of int or of unknown type may be an errno, unless a cast says what it is. */
static enum tap_format retval_format(const struct tap_sema *t,
				     const struct tap_value *v, bool has_value_names)
{
	const struct tap_type *ret = &t->scope->ret;

	if (t->p.spec->type == TAP_PROBE_SYSCALL)
		return TAP_FMT_ERRNO;
	if (ret->cls == TAP_TYPE_NONE)
		return TAP_FMT_RETVAL;
	if (ret->cls == TAP_TYPE_INT && ret->is_signed &&
	    (ret->size == 4 || ret->size == 8))
		return TAP_FMT_ERRNO;
	/* These functions return errors too, which IS_ERR_VALUE() finds. */
	if (ret->cls == TAP_TYPE_INT && ret->size == 8)
		return TAP_FMT_AUTO;
	return tap_output_format(&v->type, has_value_names);
}

/* Keys are shorter, as two paths would be longer than keys may be. */
static unsigned int text_room(const struct tap_sema *t, const struct tap_value *v)
{
	if (t->p.spec->type == TAP_PROBE_SYSCALL && v->name && !t->ast->nr_tables &&
	    !t->ast->is_side && tap_syscall_is_path(v->name->name))
		return TAP_PATH_STRING;
	return TAP_DEFAULT_STRING;
}

static int make_typed(struct tap_sema *t, const struct tap_value *v,
		      struct tap_output *out)
{
	bool is_array = !v->type.stars && v->type.base.cls == TAP_TYPE_ARRAY;
	struct tap_value_names *value_names = v->name ? v->name->value_names : NULL;
	enum tap_format format = v->name ? v->name->format : TAP_FMT_AUTO;
	const struct tap_expr *e;
	int ret;

	if (v->shown == TAP_FMT_IP6)
		return make_bytes(t, v, TAP_FMT_IP6, 16, out);
	if (v->place != TAP_PLACE_COMM && v->place != TAP_PLACE_TEXT &&
	    !v->untyped && (is_array || tap_ctype_text(&v->type) ||
			    format == TAP_FMT_STRING)) {
		if (is_array && format != TAP_FMT_STRING)
			return make_typed_array(t, v, out);
		return make_string(t, v, text_room(t, v), false, out);
	}
	ret = tap_value_scalar(t, v, &e);
	if (ret)
		return ret;
	if (v->shown) {
		make_word(e, v->shown, out);
		return 0;
	}
	out->field.value_names = tap_value_names_get(value_names);
	out->is_place = v->name && v->name->kind == TAP_NAME_PLACE && e == v->e;
	if (!value_names && !v->type.stars && v->type.base.cls == TAP_TYPE_ENUM)
		out->field.value_names = tap_type_value_names(&v->type.base);
	if (format == TAP_FMT_AUTO && is_retval(tap_expr_raw_retval(e)) &&
	    (v->node->kind == TAP_NODE_NAME || v->node->kind == TAP_NODE_BUILTIN))
		format = retval_format(t, v, out->field.value_names);
	else if (format == TAP_FMT_AUTO && !is_raw(v))
		format = tap_output_format(&v->type, out->field.value_names);
	make_word(e, format, out);
	return 0;
}

static int make_formatted(struct tap_sema *t, const struct tap_value *v,
			  const struct tap_as *as, struct tap_output *out)
{
	struct tap_value sized = *v;
	const struct tap_expr *e;
	int ret;

	if (as->kind == TAP_AS_BYTES)
		return make_bytes(t, v, as->format, as->size, out);
	if (as->count)
		return make_array(t, v, as->format, as->size & 15, as->count,
				  out);
	if (v->untyped)
		sized.type = tap_ctype_int(as->size & 15,
					   as->size & TAP_OP_SIGNED);
	/* Some fields and members have the four bytes of an address as an array. */
	if (as->format == TAP_FMT_IP && (v->place == TAP_PLACE_FIELD ||
					 v->place == TAP_PLACE_MEMORY) &&
	    !v->type.stars && v->type.base.cls == TAP_TYPE_ARRAY && v->type.base.size == 4)
		sized.type = tap_ctype_int(4, false);
	else if (v->place == TAP_PLACE_FIELD && !v->type.stars &&
	    v->type.base.cls == TAP_TYPE_ARRAY)
		return SEMA_DIAG(t, as->t,
				 "this is an array; add its length to the format, e.g. [16]");
	ret = tap_value_scalar(t, &sized, &e);
	if (ret)
		return ret;
	/* A format says how wide a return value is; :errno has no width, so a sum needs the rule. */
	if (as->format != TAP_FMT_ERRNO)
		e = tap_expr_raw_retval(e);
	if (as->kind == TAP_AS_BITS) {
		e = tap_expr_arithmetic(&t->pool, TAP_OP_SHR, false, e,
					tap_expr_const(&t->pool, as->shift));
		e = tap_expr_arithmetic(&t->pool, TAP_OP_AND, false, e,
					tap_expr_const(&t->pool, ~0ULL >>
						       (64 - as->width)));
		make_word(e, TAP_FMT_U64, out);
		return 0;
	}
	if (as->swap)
		e = tap_expr_unary(&t->pool, TAP_OP_SWAP, e, as->size);
	if (as->scale)
		e = tap_expr_arithmetic(&t->pool, TAP_OP_MUL, false, e,
					tap_expr_const(&t->pool, as->scale));
	make_word(e, as->format, out);
	return 0;
}

/*
 * Text in an array. The bytes after its end are not cleared, so as a key it would differ
 * between events with the same text.
 */
static bool is_array_text(const struct tap_value *v)
{
	return (v->place == TAP_PLACE_FIELD || v->place == TAP_PLACE_MEMORY) && !v->untyped &&
	       !v->type.stars && v->type.base.cls == TAP_TYPE_ARRAY && v->type.base.size &&
	       tap_ctype_text(&v->type);
}

static int make_array_text(struct tap_sema *t, const struct tap_value *v, struct tap_output *out)
{
	__u32 len = v->type.base.size < TAP_MAX_STRING ? v->type.base.size : TAP_MAX_STRING;

	out->field.count = (__u16)len;
	return make_string(t, v, len, false, out);
}

/* A value that a side of a span has kept: its words are copied as they are. */
static bool make_copy(struct tap_sema *t, const struct tap_item *item, struct tap_output *out)
{
	const struct tap_name *name = item->node->kind == TAP_NODE_NAME ?
				      tap_type_name_in(t, item->node->t) : NULL;
	const struct tap_field *copy = name ? name->copy : NULL;

	if (!copy || item->as.kind != TAP_AS_TYPE)
		return false;
	out->copied = true;
	out->field.format = copy->format;
	out->field.element = copy->element;
	out->field.count = copy->count;
	out->field.output = copy->output;
	out->field.flags = copy->flags;
	out->field.value_names = tap_value_names_get(copy->value_names);
	out->is_signed = name->type.is_signed;
	if (copy->words == 1 && !copy->count) {
		out->e = tap_expr_value(&t->pool, TAP_OP_FIELD, 8, name->word_at, 0);
		return true;
	}
	out->op.code = TAP_OP_FIELD_BYTES;
	out->op.off = name->word_at;
	out->op.imm = copy->words * 8;
	return true;
}

/* A parameter called ret, where the record has the return value by this name. */
static bool hides_retval(const struct tap_sema *t, const struct tap_item *item)
{
	enum tap_probe_type type = t->p.spec->type;

	return item->node->kind == TAP_NODE_NAME && tap_token_is(item->node->t, "ret") &&
	       !strcmp(item->name, "ret") && tap_type_name_in(t, item->node->t) &&
	       (tap_probe_is_call(type) || tap_probe_is_return(type));
}

/*
 * Makes an output of a value. @aggregate: it is a key or a value of an aggregation.
 * @out gets a reference on its value names, and everything but its place in the record.
 */
int tap_output_make(struct tap_sema *t, const struct tap_item *item,
		    bool aggregate, struct tap_output *out)
{
	const struct tap_as *as = &item->as;
	struct tap_value v;
	int ret;

	memset(out, 0, sizeof(*out));
	out->item = item;
	memcpy(out->field.name, item->name, sizeof(item->name));
	if (make_copy(t, item, out))
		return 0;
	if (!aggregate && hides_retval(t, item))
		return SEMA_DIAG(t, item->t,
				 "each event of %s: already has a value \"%s\"; rename this one with NAME=...",
				 tap_spec_type_name(t->p.spec->type), item->name);
	ret = tap_type_expr(t, item->node, &v);
	if (ret)
		return ret;
	if (v.place == TAP_PLACE_COMM) {
		out->late = v.late;
		return make_comm(t, item, out);
	}
	if (v.place == TAP_PLACE_DIVISION) {
		out->op.code = TAP_OP_DIVISION;
		out->op.off = (__s32)v.off;
		out->field.format = TAP_FMT_COMM;
		out->absent = true;
		out->late = tap_probe_is_call(t->p.spec->type);
		return 0;
	}
	if (v.place == TAP_PLACE_STACK)
		return make_stack(t, item, &v, out);
	if (as->kind == TAP_AS_DIFF)
		ret = tap_output_diff(t, &v, as, aggregate, out);
	else if (v.place == TAP_PLACE_JOIN)
		ret = make_join(t, item, &v, out);
	else if (as->kind == TAP_AS_TYPE && !aggregate && tap_value_is_whole(&v))
		ret = tap_output_struct(t, &v, out);
	else if (as->kind == TAP_AS_PATH)
		ret = make_path(t, &v, as, out);
	else if (as->kind == TAP_AS_STRING && v.place != TAP_PLACE_TEXT)
		ret = make_string(t, &v, as->len, as->user, out);
	else if (aggregate && as->kind == TAP_AS_TYPE && is_array_text(&v))
		ret = make_array_text(t, &v, out);
	else if (as->kind == TAP_AS_TYPE || v.place == TAP_PLACE_TEXT)
		ret = make_typed(t, &v, out);
	else
		ret = make_formatted(t, &v, as, out);
	if (ret)
		return ret;
	out->is_signed = as->kind == TAP_AS_NUMBER ? as->size & TAP_OP_SIGNED :
			 !v.type.stars && v.type.base.is_signed;
	/* A record keeps the register: these formats apply the rule when they print it. */
	if (!aggregate && !out->op.code && (out->field.format == TAP_FMT_RETVAL ||
					    out->field.format == TAP_FMT_ERRNO))
		out->e = tap_expr_raw_retval(out->e);
	/* A value that is printed cut has to be aggregated cut; of a bool any bit is true. */
	if (aggregate && !out->op.code && as->kind == TAP_AS_NUMBER)
		out->e = as->format == TAP_FMT_BOOL ? tap_expr_truth(&t->pool, out->e) :
						      tap_expr_move(&t->pool, out->e, as->size);
	/* The condition of a span needs the width and the sign, which a format of names does not have. */
	if (t->ast->is_side && !out->op.code && as->kind == TAP_AS_TYPE &&
	    tap_format_width(out->field.format) != tap_format_bytes[out->field.format])
		out->field.element = number_format(tap_ctype_size(&v.type), out->is_signed);
	if (!out->op.code && in_record(t, aggregate, out)) {
		out->in_record = true;
	} else {
		out->field.word = 0;
		out->late |= out->e && out->e->needs & TAP_NEEDS_RETURN &&
			     tap_probe_is_call(t->p.spec->type);
	}
	return 0;
}

/*
 * Makes the output of the return value for an event that does not name it. @out gets a
 * reference on its value names.
 */
int tap_output_retval(struct tap_sema *t, struct tap_output *out)
{
	static const struct tap_node node = {
		.kind = TAP_NODE_BUILTIN, .builtin = TAP_BUILTIN_RETVAL,
	};
	struct tap_value v;
	int ret;

	*out = (struct tap_output) { .field.name = "ret" };
	ret = tap_type_expr(t, &node, &v);
	/* The register is in the record, whatever the type. */
	if (v.type.base.cls == TAP_TYPE_OTHER)
		v.type = tap_ctype_int(8, false);
	if (!ret)
		ret = make_typed(t, &v, out);
	if (!ret && !out->op.code)
		out->e = tap_expr_raw_retval(out->e);
	out->in_record = !ret && !out->op.code && in_record(t, false, out);
	return ret;
}
