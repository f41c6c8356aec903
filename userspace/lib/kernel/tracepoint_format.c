// SPDX-License-Identifier: LGPL-2.1
/*
 * The format of an event: its fields, and how the kernel prints them.
 *
 * libtraceevent parses the text. Its "print fmt" has the names of values and bits, and
 * shows which numbers are symbols or hexadecimal. If libtraceevent cannot parse it, the
 * event has its fields nevertheless.
 */
#include <ctype.h>
#include <errno.h>
#include <event-parse.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/tracepoint_format.h"
#include "util/util.h"
#include "util/value_names.h"

/* The longest event, the limit of perf. */
#define MAX_EVENT	8192

/* ------------------------------------------------------------ sanity checks */

/*
 * libtraceevent trusts the kernel: a malformed text makes it dereference invalid
 * pointers. So the form is checked before.
 */

/* "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;" */
static bool field_is_sane(const char *line)
{
	const char *end = line + strcspn(line, ";\n");
	const char *open = memchr(line, '[', end - line);
	const char *close = memchr(line, ']', end - line);
	int done = 0;

	sscanf(line, "\tfield:%*[^;\n];\toffset:%*9u;\tsize:%*9u;\tsigned:%*9u;%n",
	       &done);
	if (!done || line[done] != '\n' || !!open != !!close ||
	    memchr(line, '"', end - line))
		return false;
	/* At most one length, after the name. A dynamic array has an empty one before it. */
	return !open || (open < close &&
			 !memchr(open + 1, '[', end - open - 1) &&
			 !memchr(close + 1, ']', end - close - 1) &&
			 (close == open + 1 || close + 1 == end));
}

static bool is_field(const char *fields, const char *print, const char *name,
		     size_t len)
{
	const char *at = fields;

	while (len && (at = memmem(at, print - at, name, len))) {
		if (at > fields && at[-1] == ' ' && strchr(";[", at[len]))
			return true;
		at++;
	}
	return false;
}

/* Whether a print format uses only fields of the event. */
static bool print_is_sane(const char *fields, const char *print)
{
	static const char names[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
	bool quoted = false;
	const char *at = print;
	int depth = 0;

	while ((at = strstr(at, "REC->"))) {
		at += strlen("REC->");
		if (!is_field(fields, print, at, strspn(at, names)))
			return false;
	}
	for (at = print; *at; at++) {
		if (!isprint((unsigned char)*at) && !isspace((unsigned char)*at))
			return false;
		if (*at == '"' && at[-1] != '\\') {
			quoted = !quoted;
			if (!quoted && !strchr(",):}\"\n", at[1 + strspn(at + 1, " ")]))
				return false;
		} else if (!quoted) {
			depth += (*at == '{') - (*at == '}');
		}
	}
	return !quoted && !depth;
}

/*
 * Checks a text. If only the print format is malformed, replaces it by an empty one;
 * the fields then have no value names.
 */
static bool text_is_sane(char *text)
{
	static const char empty[] = "\nprint fmt: \"\"\n";
	char *fields = strstr(text, "\nformat:\n"), *print, *at;

	print = fields ? strstr(fields, "\nprint fmt: \"") : NULL;
	if (!print || strncmp(text, "name: ", 6) || !strstr(text, "\nID: "))
		return false;
	/* libtraceevent ends a name at the same characters. */
	for (at = text; at < print; at++)
		if (!isprint((unsigned char)*at) && !isspace((unsigned char)*at))
			return false;
	for (at = fields; (at = strstr(at, "\n\tfield:")) && at < print; at++)
		if (!field_is_sane(at + 1))
			return false;
	if (!print_is_sane(fields, print))
		strncpy(print, empty, strlen(print));
	return true;
}

/* -------------------------------------------------------------- the types */

static bool has_word(const char *text, const char *word)
{
	size_t len = strlen(word);
	const char *at = text;

	while ((at = strstr(at, word))) {
		if ((at == text || strchr(" *", at[-1])) &&
		    strchr(" *[", at[len]))
			return true;
		at += len;
	}
	return false;
}

static bool is_text(const struct tep_format_field *field)
{
	return has_word(field->type, "char") &&
	       !has_word(field->type, "unsigned") &&
	       !has_word(field->type, "signed");
}

static void scalar(const struct tep_format_field *field, struct tap_type *type)
{
	type->cls = TAP_TYPE_INT;
	if (has_word(field->type, "bool") || has_word(field->type, "_Bool"))
		type->cls = TAP_TYPE_BOOL;
	else if (is_text(field) && field->size == 1)
		type->cls = TAP_TYPE_CHAR;
	else if (has_word(field->type, "struct") ||
		 has_word(field->type, "union"))
		type->cls = TAP_TYPE_STRUCT;
	else if (field->size != 1 && field->size != 2 && field->size != 4 &&
		 field->size != 8)
		type->cls = TAP_TYPE_OTHER;
}

/*
 * The print format shows all arguments of a system call as hexadecimal long. Their
 * types are better.
 */
static void syscall_type(const struct tep_format_field *field,
			 struct tap_name *name)
{
	struct tap_type *type = &name->type;

	if (!strcmp(name->name, "ret")) {
		name->format = TAP_FMT_ERRNO;
	} else if (type->cls == TAP_TYPE_POINTER) {
		type->user = true;
		name->format = TAP_FMT_X64;
	} else if (type->cls == TAP_TYPE_INT && type->size == 8 &&
		   has_word(field->type, "int")) {
		type->size = 4;
		type->is_signed = !has_word(field->type, "unsigned");
	}
}

/* Bytes of an element. libtraceevent does not know them for dynamic arrays. */
static unsigned int element_size(const struct tep_format_field *field)
{
	static const struct {
		const char *word;
		unsigned int size;
	} words[] = {
		{ "char", 1 }, { "u8", 1 }, { "__u8", 1 }, { "s8", 1 },
		{ "long", 8 }, { "u64", 8 }, { "__u64", 8 }, { "s64", 8 },
		{ "cpumask_t", 8 },
		{ "short", 2 }, { "u16", 2 }, { "__u16", 2 }, { "s16", 2 },
		{ "int", 4 }, { "u32", 4 }, { "__u32", 4 }, { "s32", 4 },
	};
	unsigned int size = field->elementsize;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (has_word(field->type, words[i].word))
			return words[i].size;
	return size == 2 || size == 4 || size == 8 ? size : 1;
}

static void field_type(const struct tep_format_field *field,
		       struct tap_name *name)
{
	struct tap_type *type = &name->type;
	unsigned int element = element_size(field);

	type->is_signed = field->flags & TEP_FIELD_IS_SIGNED;
	type->size = field->size;
	if (field->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC)) {
		type->cls = TAP_TYPE_ARRAY;
		type->id = TAP_TYPE_INT;
		if (is_text(field)) {
			type->id = TAP_TYPE_CHAR;
			name->format = name->kind == TAP_NAME_DATA_LOC ?
				       TAP_FMT_STRING : TAP_FMT_CHARS;
		}
		if (name->kind == TAP_NAME_DATA_LOC)
			type->size = element;
		else if (type->size % element)
			type->cls = TAP_TYPE_OTHER;
		else
			type->nr = type->size / element;
	} else if (field->flags & TEP_FIELD_IS_POINTER && field->size == 8) {
		type->cls = TAP_TYPE_POINTER;
	} else {
		scalar(field, type);
	}
}

/* --------------------------------------------------------- the value names */

static struct tap_name *find(struct tap_scope *scope, const char *name)
{
	size_t i;

	for (i = 0; name && i < scope->nr; i++)
		if (!strcmp(scope->names[i].name, name))
			return &scope->names[i];
	return NULL;
}

static const struct tep_print_arg *uncast(const struct tep_print_arg *arg)
{
	while (arg && arg->type == TEP_PRINT_TYPE)
		arg = arg->typecast.item;
	return arg;
}

static bool is_op(const struct tep_print_arg *arg, const char *op)
{
	return arg && arg->type == TEP_PRINT_OP && arg->op.op &&
	       !strcmp(arg->op.op, op);
}

/* The field of an argument. With @masked, the argument may be some bits of it. */
static struct tap_name *field_of(struct tap_scope *scope,
				 const struct tep_print_arg *arg, bool masked)
{
	arg = uncast(arg);
	if (masked && is_op(arg, "&"))
		arg = uncast(arg->op.left);
	if (!arg || arg->type != TEP_PRINT_FIELD)
		return NULL;
	return find(scope, arg->field.name);
}

/* A constant as written, or as libtraceevent has computed it. */
static bool constant(const struct tap_name *name, const char *text, __u64 *value)
{
	unsigned int bits = name->type.size * 8;
	char *end;

	if (!text)
		return false;
	errno = 0;
	*value = *text == '-' ? (__u64)strtoll(text, &end, 0) :
				strtoull(text, &end, 0);
	if (errno || end == text)
		return false;
	/* An enumerator that tracefs did not resolve is not a number. */
	if (end[strspn(end, "uUlL")])
		return false;
	if (bits < 64) {
		*value &= (1ULL << bits) - 1;
		if (name->type.is_signed && *value >> (bits - 1))
			*value |= ~0ULL << bits;
	}
	return true;
}

static bool is_number(const struct tap_name *name)
{
	return name->kind == TAP_NAME_FIELD &&
	       (name->type.cls == TAP_TYPE_INT ||
		name->type.cls == TAP_TYPE_CHAR ||
		name->type.cls == TAP_TYPE_BOOL);
}

static int add_value_name(struct tap_name *name, __u64 value, const char *text)
{
	return tap_value_names_add(name->value_names, value, text, strlen(text));
}

static int add_value_names(struct tap_scope *scope, const struct tep_print_arg *arg)
{
	bool flags = arg->type == TEP_PRINT_FLAGS;
	const struct tep_print_flag_sym *sym =
		flags ? arg->flags.flags : arg->symbol.symbols;
	struct tap_name *name = field_of(scope, flags ? arg->flags.field :
							arg->symbol.field, flags);
	__u64 value;
	int ret;

	/* Only the first list of a field counts. */
	if (!name || !is_number(name) || name->value_names)
		return 0;
	name->value_names = tap_value_names_new();
	if (!name->value_names)
		return -ENOMEM;
	/* A list may end with a NULL name, which libtraceevent turns into "0". */
	for (; sym && sym->str && strcmp(sym->str, "0"); sym = sym->next) {
		if (!constant(name, sym->value, &value) || (flags && !value))
			continue;
		ret = add_value_name(name, value, sym->str);
		if (ret)
			return ret;
	}
	if (!name->value_names->nr) {
		tap_value_names_put(name->value_names);
		name->value_names = NULL;
		return 0;
	}
	name->format = flags ? TAP_FMT_FLAGS : TAP_FMT_VALUE_NAME;
	return 0;
}

static const char *zero_value_name(const struct tap_name *name)
{
	unsigned int i;

	for (i = 0; i < name->value_names->nr; i++)
		if (!name->value_names->list[i].value)
			return name->value_names->list[i].name;
	return NULL;
}

/*
 * "field ? FLAGS : TEXT" has the text for no bits. After it, "field & BIT ? TEXT : """
 * may have one more bit, as in the state R+ of a task.
 */
static int add_choice(struct tap_scope *scope, const struct tep_print_arg *arg)
{
	struct tap_name *name = field_of(scope, arg->op.left, true);
	const struct tep_print_arg *yes, *no, *test = uncast(arg->op.left);
	char text[64];
	__u64 value;
	int ret;

	if (!is_op(arg->op.right, ":"))
		return 0;
	yes = uncast(arg->op.right->op.left);
	no = uncast(arg->op.right->op.right);
	if (!yes || !no)
		return 0;
	if (yes->type == TEP_PRINT_FLAGS || yes->type == TEP_PRINT_SYMBOL) {
		ret = add_value_names(scope, yes);
		if (ret || !name || !name->value_names || zero_value_name(name) ||
		    no->type != TEP_PRINT_ATOM || !no->atom.atom)
			return ret;
		return add_value_name(name, 0, no->atom.atom);
	}
	if (!name || !name->value_names || name->format != TAP_FMT_FLAGS ||
	    yes->type != TEP_PRINT_ATOM || !zero_value_name(name) ||
	    !is_op(test, "&"))
		return 0;
	test = uncast(test->op.right);
	if (!test || test->type != TEP_PRINT_ATOM ||
	    !constant(name, test->atom.atom, &value) || !value)
		return 0;
	snprintf(text, sizeof(text), "%s%s", zero_value_name(name), yes->atom.atom);
	return add_value_name(name, value, text);
}

/* ------------------------------------------------------- the print format */

/* The next conversion of a format: its letter; for %p also the letter after it. */
static const char *next_conversion(const char *fmt, char conv[2],
				   unsigned int *stars)
{
	*stars = 0;
	conv[0] = '\0';
	conv[1] = '\0';
	for (;;) {
		fmt = strchr(fmt, '%');
		if (!fmt)
			return NULL;
		if (fmt[1] != '%')
			break;
		fmt += 2;
	}
	for (fmt++; *fmt && strchr("-+ #0123456789.*hlLzjtq", *fmt); fmt++)
		*stars += *fmt == '*';
	if (!*fmt)
		return NULL;
	conv[0] = *fmt++;
	if (conv[0] == 'p')
		conv[1] = *fmt;
	return fmt;
}

static void set_format(struct tap_name *name, const char conv[2])
{
	static const enum tap_format hex[] = {
		[1] = TAP_FMT_X8,
		[2] = TAP_FMT_X16,
		[4] = TAP_FMT_X32,
		[8] = TAP_FMT_X64,
	};
	bool number = is_number(name) && name->type.cls != TAP_TYPE_BOOL;

	if (name->kind != TAP_NAME_FIELD || name->format != TAP_FMT_AUTO)
		return;
	if (conv[0] == 'p' && conv[1] && strchr("sSfFB", conv[1]) &&
	    name->type.size == 8 &&
	    (number || name->type.cls == TAP_TYPE_POINTER))
		name->format = TAP_FMT_SYMBOL;
	else if (conv[0] && strchr("xXp", conv[0]) && number)
		name->format = hex[name->type.size];
	else if (conv[0] == 'c' && number)
		name->format = TAP_FMT_CHAR;
}

static int print_format(struct tap_scope *scope, const struct tep_event *event,
			bool syscall)
{
	const struct tep_print_arg *arg = event->print_fmt.args;
	const char *fmt = event->print_fmt.format;
	unsigned int stars;
	char conv[2];
	int ret = 0;

	while (fmt && arg && !ret) {
		const struct tep_print_arg *value;
		struct tap_name *name;

		fmt = next_conversion(fmt, conv, &stars);
		while (stars-- && arg)
			arg = arg->next;
		if (!fmt || !arg)
			break;
		value = uncast(arg);
		if (value && (value->type == TEP_PRINT_FLAGS ||
			      value->type == TEP_PRINT_SYMBOL)) {
			ret = add_value_names(scope, value);
		} else if (is_op(value, "?")) {
			ret = add_choice(scope, value);
		} else {
			name = field_of(scope, value, false);
			if (name && !syscall)
				set_format(name, conv);
		}
		arg = arg->next;
	}
	return ret;
}

static int add_fields(struct tap_scope *scope, const struct tep_event *event,
		      bool syscall, struct tap_error *err)
{
	const struct tep_format_field *field;
	size_t nr = 0;

	for (field = event->format.fields; field; field = field->next)
		nr++;
	scope->names = calloc(nr + 1, sizeof(*scope->names));
	if (!scope->names)
		return tap_error_set(err, -ENOMEM, "out of memory");
	for (field = event->format.fields; field; field = field->next) {
		struct tap_name *name = &scope->names[scope->nr];

		if (!field->name || !field->type || field->offset < 0 ||
		    field->size < 0 || field->offset > MAX_EVENT ||
		    field->size > MAX_EVENT - field->offset)
			return tap_error_set(err, -EBADMSG,
					     "the format of this event in tracefs is invalid");
		/*
		 * A field without a size, or with a place relative to itself, cannot be
		 * fetched.
		 */
		if (!field->size || field->flags & TEP_FIELD_IS_RELATIVE ||
		    strlen(field->name) >= sizeof(name->name))
			continue;
		strcpy(name->name, field->name);
		name->at = field->offset;
		name->kind = field->flags & TEP_FIELD_IS_DYNAMIC ?
			     TAP_NAME_DATA_LOC : TAP_NAME_FIELD;
		field_type(field, name);
		if (syscall)
			syscall_type(field, name);
		scope->nr++;
	}
	return 0;
}

/*
 * The names of an event, from its format in tracefs. Fields that all events have are
 * left out. @text need not end with 0. The caller has to call tap_scope_close() also
 * after an error. Returns 0, -EBADMSG or -ENOMEM.
 */
int tap_scope_format(struct tap_scope *scope, const char *system,
		     const char *text, size_t len, struct tap_error *err)
{
	bool syscall = !strcmp(system, "syscalls");
	struct tep_handle *tep = tep_alloc();
	struct tep_event *event = NULL;
	char *copy = strndup(text, len);
	int ret;

	if (!tep || !copy) {
		ret = tap_error_set(err, -ENOMEM, "out of memory");
		goto out;
	}
	/* libtraceevent would print warnings to stderr. */
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(tep, sizeof(long));
	if (strlen(copy) == len && text_is_sane(copy))
		tep_parse_format(tep, &event, copy, strlen(copy), system);
	if (event && event->format.nr_common)
		ret = add_fields(scope, event, syscall, err);
	else
		ret = tap_error_set(err, -EBADMSG,
				    "the format of this event in tracefs cannot be parsed");
	if (!ret && !(event->flags & TEP_EVENT_FL_FAILED) &&
	    print_format(scope, event, syscall))
		ret = tap_error_set(err, -ENOMEM, "out of memory");
out:
	free(copy);
	tep_free(tep);
	return ret;
}
