// SPDX-License-Identifier: LGPL-2.1
/*
 * Writes a type in C syntax. Starts with the name and grows the text at both ends until
 * the base type is met.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <bpf/btf.h>

#include "types/btf.h"

/* As in btf_type.c, ids may be cyclic. */
#define MAX_CHAIN	64
#define MAX_DEPTH	2
#define MAX_TEXT	512

static void prepend(char *text, const char *what)
{
	char old[MAX_TEXT];

	memcpy(old, text, sizeof(old));
	snprintf(text, MAX_TEXT, "%s%.*s", what,
		 (int)(MAX_TEXT - 1 - strnlen(what, MAX_TEXT - 1)), old);
}

__attribute__((format(printf, 2, 3)))
static void append(char *text, const char *fmt, ...)
{
	size_t len = strlen(text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text + len, MAX_TEXT - len, fmt, ap);
	va_end(ap);
}

/* [] and () bind more tightly than the * before the name. */
static void protect(char *text)
{
	if (*text != '*')
		return;
	prepend(text, "(");
	append(text, ")");
}

static void declare(const struct tap_btf *btf, __u32 id, char *text, int depth);

static void append_params(const struct tap_btf *btf, const struct btf_type *t,
			  char *text, int depth)
{
	const struct btf_param *params = btf_params(t);
	unsigned int i;
	char param[MAX_TEXT];

	append(text, "(%s", btf_vlen(t) ? "" : "void");
	/* Stops when the text is full. This also bounds the time for cyclic ids. */
	for (i = 0; i < btf_vlen(t) && strlen(text) < MAX_TEXT - 1; i++) {
		append(text, "%s", i ? ", " : "");
		/* The last parameter may stand for variable arguments. */
		if (i == TAP_MAX_PARAMS || depth == MAX_DEPTH ||
		    !params[i].type) {
			append(text, "...");
			break;
		}
		*param = '\0';
		declare(btf, params[i].type, param, depth + 1);
		append(text, "%s", param);
	}
	append(text, ")");
}

static const char *qualifier(const struct tap_btf *btf, const struct btf_type *t)
{
	switch (btf_kind(t)) {
	case BTF_KIND_CONST:	return "const ";
	case BTF_KIND_VOLATILE:	return "volatile ";
	case BTF_KIND_RESTRICT:	return "restrict ";
	}
	return strcmp(tap_btf_name(btf, t->name_off), "user") ? "" : "__user ";
}

static const char *keyword(const struct btf_type *t)
{
	switch (btf_kind(t)) {
	case BTF_KIND_STRUCT:	return "struct ";
	case BTF_KIND_UNION:	return "union ";
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:	return "enum ";
	case BTF_KIND_FWD:	return btf_kflag(t) ? "union " : "struct ";
	}
	return "";
}

/* Names of base types in BTF differ from those in sources. */
static const char *shorter(const char *name)
{
	static const char *const names[][2] = {
		{ "short int", "short" },
		{ "short unsigned int", "unsigned short" },
		{ "long int", "long" },
		{ "long unsigned int", "unsigned long" },
		{ "long long int", "long long" },
		{ "long long unsigned int", "unsigned long long" },
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i][0]))
			return names[i][1];
	return *name ? name : "{...}";
}

/* Puts the type around @text, which has the name, if any. */
static void declare(const struct tap_btf *btf, __u32 id, char *text, int depth)
{
	char quals[MAX_TEXT] = "", base[MAX_TEXT] = "";
	const struct btf_type *t;
	const char *name;
	int n;

	for (n = 0; n < MAX_CHAIN; n++) {
		t = id ? tap_btf_type(btf, id) : NULL;
		if (!t)
			break;
		if (btf_is_mod(t)) {
			prepend(quals, qualifier(btf, t));
		} else if (btf_is_ptr(t)) {
			prepend(text, quals);
			prepend(text, "*");
			*quals = '\0';
		} else if (btf_is_array(t)) {
			protect(text);
			append(text, "[%u]", btf_array(t)->nelems);
			id = btf_array(t)->type;
			continue;
		} else if (btf_is_func_proto(t)) {
			protect(text);
			append_params(btf, t, text, depth);
		} else {
			name = tap_btf_name(btf, t->name_off);
			append(base, "%s%s", keyword(t), shorter(name));
			break;
		}
		id = t->type;
	}
	if (!*base)
		append(base, id ? "?" : "void");
	if (*text && *text != '[')
		append(base, " ");
	prepend(text, base);
	prepend(text, quals);
}

static const char *plain_name(enum tap_type_class cls, bool is_signed,
			      __u32 size)
{
	static const char *const ints[2][9] = {
		{ [1] = "u8", [2] = "u16", [4] = "u32", [8] = "u64" },
		{ [1] = "s8", [2] = "s16", [4] = "s32", [8] = "s64" },
	};

	switch (cls) {
	case TAP_TYPE_NONE:	return "void";
	case TAP_TYPE_BOOL:	return "bool";
	case TAP_TYPE_CHAR:	return "char";
	case TAP_TYPE_POINTER:	return "void *";
	case TAP_TYPE_INT:
	case TAP_TYPE_ENUM:
		if (size <= 8 && ints[is_signed][size])
			return ints[is_signed][size];
		break;
	case TAP_TYPE_STRUCT:
	case TAP_TYPE_ARRAY:
	case TAP_TYPE_OTHER:
		break;
	}
	return "?";
}

/**
 * tap_type_declare() - write a declaration in C syntax
 * @type: its type
 * @name: name of the variable; may be ""
 * @buf: set to e.g. "struct file *file"; cut if it does not fit
 * @size: bytes at @buf
 */
void tap_type_declare(const struct tap_type *type, const char *name, char *buf,
		      size_t size)
{
	struct tap_type target;
	char text[MAX_TEXT];
	const char *plain;

	snprintf(text, sizeof(text), "%s", name);
	if (type->btf) {
		declare(type->btf, type->id, text, 0);
	} else if (type->cls == TAP_TYPE_ARRAY) {
		if (type->nr)
			append(text, "[%u]", type->nr);
		else
			append(text, "[]");
		if (*name)
			prepend(text, " ");
		tap_type_target(type, &target);
		prepend(text, plain_name(target.cls, target.is_signed,
					 target.size));
	} else {
		plain = plain_name(type->cls, type->is_signed, type->size);
		if (type->cls == TAP_TYPE_POINTER && type->id == TAP_TYPE_CHAR)
			plain = "char *";
		if (*name && type->cls != TAP_TYPE_POINTER)
			prepend(text, " ");
		prepend(text, plain);
	}
	snprintf(buf, size, "%s", text);
}

/**
 * tap_type_name() - write the name of a type in C syntax
 * @type: the type
 * @buf: set to e.g. "struct file *"; cut if it does not fit
 * @size: bytes at @buf
 */
void tap_type_name(const struct tap_type *type, char *buf, size_t size)
{
	tap_type_declare(type, "", buf, size);
}
