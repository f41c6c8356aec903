// SPDX-License-Identifier: LGPL-2.1
/*
 * The names that a span gives to its expressions: what its sides keep, and the task and the CPU of
 * the "from" event.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"
#include "spec/field.h"
#include "spec/spec.h"
#include "util/util.h"
#include "util/value_names.h"

/* Names of the "from" event that are in every entry. */
static const struct {
	const char *name;
	int at;
	enum tap_format format;
	__u16 bytes;
	bool quiet;
} own[] = {
	{ "from.comm", offsetof(struct tap_span_event, from_comm), TAP_FMT_COMM, TAP_COMM_LEN, false },
	{ "from.tid", offsetof(struct tap_span_event, from_tid), TAP_FMT_S32, 4, false },
	{ "from.pid", offsetof(struct tap_span_event, from_tgid), TAP_FMT_S32, 4, true },
	{ "from.tgid", offsetof(struct tap_span_event, from_tgid), TAP_FMT_S32, 4, true },
	{ "from.cpu", offsetof(struct tap_span_event, from_cpu), TAP_FMT_U32, 4, false },
};

static bool is_text(enum tap_format format)
{
	return format == TAP_FMT_STRING || format == TAP_FMT_CHARS || format == TAP_FMT_COMM;
}

static bool is_signed(enum tap_format format)
{
	switch (format) {
	case TAP_FMT_S8:
	case TAP_FMT_S16:
	case TAP_FMT_S32:
	case TAP_FMT_S64:
	case TAP_FMT_RETVAL:
	case TAP_FMT_ERRNO:
	case TAP_FMT_NS:
		return true;
	default:
		return false;
	}
}

/* The type of a kept value in expressions. Text is an array of its bytes, without its head. */
static void set_type(struct tap_name *name, const struct tap_field *field, __u32 bytes)
{
	unsigned int head = field->format == TAP_FMT_STRING ? 8 : 0;
	bool cut = field->element && !field->count && tap_format_bytes[field->format];
	enum tap_format number = cut ? field->element : field->format;

	name->kind = TAP_NAME_FIELD;
	name->at = name->word_at + (int)head;
	name->format = field->format;
	if (is_text(field->format)) {
		name->type = (struct tap_type) {
			.cls = TAP_TYPE_ARRAY, .id = TAP_TYPE_CHAR,
			.size = bytes - head, .nr = bytes - head,
		};
		name->format = TAP_FMT_CHARS;
		return;
	}
	name->type = (struct tap_type) {
		.cls = field->format == TAP_FMT_BOOL ? TAP_TYPE_BOOL : TAP_TYPE_INT,
		.size = bytes == 8 && tap_format_bytes[number] ? tap_format_bytes[number] : 8,
		.is_signed = is_signed(number),
	};
}

static bool has_name(const struct tap_scope *scope, const char *name)
{
	size_t i;

	for (i = 0; i < scope->nr; i++)
		if (!strcmp(scope->names[i].name, name))
			return true;
	return false;
}

/* Adds a name for a field of a side, unless the scope has that name already. */
static void add(struct tap_scope *scope, const char *side, const struct tap_field *field,
		int word_at, bool quiet)
{
	struct tap_name *name = &scope->names[scope->nr];
	char text[sizeof(name->name) + 8];

	snprintf(text, sizeof(text), "%s%s", side, field->name);
	if (strlen(text) >= sizeof(name->name) || has_name(scope, text))
		return;
	*name = (struct tap_name) {
		.quiet = quiet, .copy = field, .word_at = word_at,
		.value_names = tap_value_names_get(field->value_names),
	};
	strcpy(name->name, text);
	set_type(name, field, field->words * 8U);
	scope->nr++;
}

/**
 * tap_span_first_word() - the first word of a side's key
 * @side: with its program
 * @table: of the span
 *
 * Return: its index among the value words of the side's events.
 */
unsigned int tap_span_first_word(const struct tap_spec *side, const struct tap_span_table *table)
{
	unsigned int i, words = tap_probe_is_call(side->type) ? TAP_CALL_FETCHES : 0;

	for (i = 0; i < side->nr_ops; i++)
		words += tap_op_words(&side->ops[i]);
	return words - table->nr_keys - (side->side == TAP_SIDE_FROM ? table->from_words :
								       table->to_words);
}

/* Offset in struct tap_span_event of a word of a side. */
static int place(const struct tap_spec *side, const struct tap_span_table *table,
		 unsigned int word)
{
	unsigned int at = word - tap_span_first_word(side, table);

	if (side->side == TAP_SIDE_TO && at >= table->nr_keys)
		at += table->from_words;
	return (int)(sizeof(struct tap_span_event) + at * 8);
}

static bool is_hidden(const struct tap_field *field)
{
	return field->flags & (TAP_FIELD_F_HIDDEN | TAP_FIELD_F_ABSENT);
}

/**
 * tap_scope_span() - the names of a span
 * @scope: filled in; the caller has to call tap_scope_close(). Refers to the fields of @sides
 * @sides: a spec of each side, with its program
 * @table: of the span
 * @err: an error message on failure
 *
 * A value of the "to" side has its name, and to.NAME; one of the "from" side has from.NAME, and
 * its name alone where no value of the other side has it. The key has the names of the "from" side.
 *
 * Return: 0 or -ENOMEM.
 */
int tap_scope_span(struct tap_scope *scope, const struct tap_spec *const sides[2],
		   const struct tap_span_table *table, struct tap_error *err)
{
	const struct tap_spec *from = sides[0], *to = sides[1];
	const unsigned int key_end = tap_span_first_word(from, table) + table->nr_keys;
	const unsigned int to_end = tap_span_first_word(to, table) + table->nr_keys;
	const struct tap_field *f;
	unsigned int i;

	*scope = (struct tap_scope) { 0 };
	scope->names = calloc(2 * (from->nr_fields + to->nr_fields) + ARRAY_SIZE(own),
			      sizeof(*scope->names));
	if (!scope->names)
		return tap_error_set(err, -ENOMEM, "out of memory");
	for (i = 0; i < from->nr_fields; i++) {
		f = &from->fields[i];
		if (f->word < key_end)
			add(scope, "", f, place(from, table, f->word), false);
	}
	for (i = 0; i < to->nr_fields; i++) {
		f = &to->fields[i];
		if (f->word >= to_end && !is_hidden(f))
			add(scope, "", f, place(to, table, f->word), false);
	}
	for (i = 0; i < from->nr_fields; i++) {
		f = &from->fields[i];
		if (f->word < key_end || is_hidden(f))
			continue;
		add(scope, "from.", f, place(from, table, f->word), !has_name(scope, f->name));
		add(scope, "", f, place(from, table, f->word), false);
	}
	for (i = 0; i < to->nr_fields; i++) {
		f = &to->fields[i];
		if (f->word >= to_end && !is_hidden(f))
			add(scope, "to.", f, place(to, table, f->word), true);
	}
	for (i = 0; i < ARRAY_SIZE(own); i++) {
		struct tap_field field = {
			.format = own[i].format, .words = 1,
		};
		struct tap_name *name = &scope->names[scope->nr];

		if (has_name(scope, own[i].name))
			continue;
		strcpy(name->name, own[i].name);
		name->quiet = own[i].quiet;
		name->word_at = own[i].at;
		set_type(name, &field, own[i].bytes);
		name->type.size = own[i].bytes;
		scope->nr++;
	}
	return 0;
}
