// SPDX-License-Identifier: LGPL-2.1
/*
 * Outputs that are whole structs, unions and arrays: their bytes, and the layout by which they are
 * printed. The layout has only members that begin within those bytes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compile/output_struct.h"
#include "spec/probe_type.h"
#include "util/layout.h"
#include "util/value_names.h"

/*
 * Bytes of a struct that a record has at most; of the entry of a call fewer, as all that its entry
 * appends has 4000 bytes, and the return copies it and reads the second half of a difference.
 */
#define MAX_BYTES	TAP_MAX_STRING
#define MAX_ENTRY_BYTES	3840

/*
 * A layout that is being made. Nothing at or behind the byte @limit is read. @at is the byte where
 * the current node begins, @depth the number of nodes around it.
 */
struct maker {
	struct tap_layout *layout;
	__u32 limit;
	__u64 at;
	unsigned int depth;
	bool user;
};

static int add_type(struct maker *m, const char *name, const struct tap_ctype *type, __u32 bit,
		    __u32 bits);

static int add_member(void *arg, const char *name, const struct tap_member *member)
{
	struct maker *m = arg;
	struct tap_ctype type = { .base = member->type };
	__u64 around = m->at;
	int ret;

	tap_ctype_named(&type, (struct tap_token) { name, strlen(name) });

	/* An array without a length at the end of a struct has no bytes. */
	if (!member->bits && !member->type.size)
		return 0;
	m->at += member->bit / 8;
	ret = m->at < m->limit ? add_type(m, name, &type, member->bit, member->bits) : 0;
	m->at = around;
	return ret;
}

/* The element of an array, or the members of a struct. */
static int add_parts(struct maker *m, const struct tap_ctype *type, const struct tap_ctype *element)
{
	int ret;

	if (m->depth == TAP_LAYOUT_DEPTH)
		return -E2BIG;
	m->depth++;
	ret = element ? add_type(m, "", element, 0, 0) :
			tap_type_members(&type->base, add_member, m);
	m->depth--;
	return ret;
}

static bool is_number(const struct tap_ctype *type)
{
	__u32 size = tap_ctype_size(type);

	return (type->stars || (type->base.cls != TAP_TYPE_OTHER &&
				type->base.cls != TAP_TYPE_NONE)) &&
	       (size == 1 || size == 2 || size == 4 || size == 8);
}

static int add_type(struct maker *m, const char *name, const struct tap_ctype *type, __u32 bit,
		    __u32 bits)
{
	struct tap_layout_node node = {
		.name = (char *)(uintptr_t)name, .kind = TAP_LAYOUT_RAW, .bit = bit, .bits = bits,
		.size = tap_ctype_size(type), .is_signed = !type->stars && type->base.is_signed,
	};
	bool is_struct = !type->stars && type->base.cls == TAP_TYPE_STRUCT;
	bool is_array = !type->stars && type->base.cls == TAP_TYPE_ARRAY;
	struct tap_ctype element;
	int at, ret = 0;

	if (is_struct) {
		node.kind = TAP_LAYOUT_STRUCT;
	} else if (is_array && tap_ctype_text(type)) {
		node.kind = TAP_LAYOUT_TEXT;
	} else if (is_array && tap_ctype_target(type, &element) && tap_ctype_size(&element)) {
		node.kind = TAP_LAYOUT_ARRAY;
		node.size = tap_ctype_size(&element);
		node.count = type->base.nr;
	} else if (is_number(type)) {
		node.kind = TAP_LAYOUT_NUMBER;
		if (!type->stars && type->base.cls == TAP_TYPE_ENUM)
			node.value_names = tap_type_value_names(&type->base);
		node.format = tap_output_format(type, node.value_names);
		if (node.format == TAP_FMT_SYMBOL && m->user)
			node.format = TAP_FMT_USYMBOL;
	}
	at = tap_layout_add(m->layout, &node, strlen(name));
	tap_value_names_put(node.value_names);
	if (at < 0)
		return at;
	if (node.kind >= TAP_LAYOUT_STRUCT)
		ret = add_parts(m, type, is_array ? &element : NULL);
	m->layout->list[at].end = m->layout->nr;
	return ret;
}

/* Bytes to read: of an array of structs those of the elements that are shown, unless for a diff. */
static __u32 bytes_of(const struct tap_sema *t, const struct tap_value *v, bool diff)
{
	bool late = v->e->needs & TAP_NEEDS_RETURN || t->pool.user_late;
	__u32 most = tap_probe_is_call(t->p.spec->type) && !late ? MAX_ENTRY_BYTES : MAX_BYTES;
	__u32 size = tap_ctype_size(&v->type);
	struct tap_ctype element;

	if (!diff && !v->type.stars && v->type.base.cls == TAP_TYPE_ARRAY &&
	    tap_ctype_target(&v->type, &element) && v->type.base.nr > TAP_LAYOUT_SHOWN)
		size = TAP_LAYOUT_SHOWN * tap_ctype_size(&element);
	return size < most ? size : most;
}

static int make_layout(struct tap_sema *t, const struct tap_value *v, struct tap_output *out)
{
	struct tap_value_names *names = tap_value_names_new();
	struct maker m = { .limit = out->op.imm, .user = tap_sema_user(t) };
	char name[80];
	int ret;

	out->field.value_names = names;
	if (names)
		names->layout = calloc(1, sizeof(*names->layout));
	if (!names || !names->layout)
		return tap_error_set(t->p.err, -ENOMEM, "out of memory");
	m.layout = names->layout;
	ret = add_type(&m, "", &v->type, 0, 0);
	if (ret >= 0)
		return 0;
	if (ret == -ENOMEM)
		return tap_error_set(t->p.err, ret, "out of memory");
	tap_type_name(&v->type.base, name, sizeof(name));
	if (ret == -EBADMSG)
		return SEMA_DIAG(t, v->node->all, "%s for %s is malformed",
				 tap_type_described_by(&v->type.base), name);
	return SEMA_DIAG(t, v->node->all,
			 "%s has more than %d members, or structs in structs more than %d deep; name a part of it",
			 name, TAP_LAYOUT_MAX, TAP_LAYOUT_DEPTH);
}

/**
 * tap_output_struct() - make the output of the bytes of a whole value
 * @t: for error messages
 * @v: memory of a known type
 * @out: with @hold it is for a difference; gets a reference on its value names, also after an error
 *
 * Return: 0 or -errno.
 */
int tap_output_struct(struct tap_sema *t, const struct tap_value *v, struct tap_output *out)
{
	char name[80];

	if (!tap_ctype_size(&v->type)) {
		tap_type_name(&v->type.base, name, sizeof(name));
		return SEMA_DIAG(t, v->node->all,
				 "the size of %s is not known here, so it cannot be shown whole",
				 name);
	}
	out->e = v->e;
	out->op.off = v->off;
	if (v->off != out->op.off) {
		out->e = tap_value_address(t, v);
		out->op.off = 0;
	}
	out->op.imm = bytes_of(t, v, out->hold);
	out->op.code = v->user ? TAP_OP_BYTES_USER : TAP_OP_BYTES;
	out->late |= v->user && t->pool.user_late;
	out->field.format = TAP_FMT_STRUCT;
	out->absent = true;
	return make_layout(t, v, out);
}

/**
 * tap_value_is_whole() - whether a value is a struct or an array of such
 * @v: a value
 *
 * Return: true for a struct, a union, and an array of them, in memory.
 */
bool tap_value_is_whole(const struct tap_value *v)
{
	struct tap_ctype type = v->type;

	if (v->place != TAP_PLACE_MEMORY || v->untyped || v->shown || v->bits)
		return false;
	while (!type.stars && type.base.cls == TAP_TYPE_ARRAY)
		if (!tap_ctype_target(&type, &type))
			return false;
	return !type.stars && type.base.cls == TAP_TYPE_STRUCT;
}

/**
 * tap_output_diff() - make the output of what a call has changed
 * @t: for error messages
 * @v: the value
 * @as: its format
 * @aggregate: it is a key or a value that is aggregated, or of a side of a span
 * @out: the output at the return, with @diff; gets a reference on its value names, also after an
 *	error. The one at the entry is to precede it
 *
 * Return: 0 or -errno.
 */
int tap_output_diff(struct tap_sema *t, const struct tap_value *v, const struct tap_as *as,
		    bool aggregate, struct tap_output *out)
{
	enum tap_probe_type type = t->p.spec->type;
	struct tap_token all = v->node->all;
	struct tap_ctype target;
	int ret;

	if (aggregate)
		return SEMA_DIAG(t, as->t,
				 "a difference can only be shown, in the record of one call; use a member, such as after(dev->state)");
	if (type != TAP_PROBE_CALL && type != TAP_PROBE_UCALL)
		return SEMA_DIAG(t, as->t,
				 "diff compares the entry of a call with its return, and this event does not have both; use %scall:",
				 tap_sema_user(t) ? "u" : "");
	if (v->place != TAP_PLACE_MEMORY && tap_ctype_pointer(&v->type) &&
	    tap_ctype_target(&v->type, &target))
		return SEMA_DIAG(t, all, "a pointer is the same at the return; write *%.*s:diff for what it points to",
				 tap_token_shown(all), all.at);
	if (v->place != TAP_PLACE_MEMORY || v->untyped || v->bits || v->shown)
		return SEMA_DIAG(t, all,
				 "only memory of a known type that is no bitfield has a difference, such as *dev:diff or dev->regs:diff");
	if (v->e->needs & TAP_NEEDS_RETURN)
		return SEMA_DIAG(t, all,
				 "this address is only known at the return, and diff also reads at the entry");
	out->hold = true;
	ret = tap_output_struct(t, v, out);
	out->field.format = TAP_FMT_DIFF;
	out->late = true;
	return ret;
}
