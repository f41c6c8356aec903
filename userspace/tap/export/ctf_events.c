// SPDX-License-Identifier: GPL-2.0
/*
 * The layout of events in CTF. An event class has the members of a line of tap report --json that its
 * rows have, and the values of the event in the structure "args".
 *
 * A value has one type in an event class: an integer of 64 bits, an array of strings (a stack), or a
 * string, which all other values become as they are in JSON. CTF 1.8 knows no value that is absent:
 * it is 0 or empty, and its name is in the array "absent", which only such events have.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/ctf.h"

/* What a member or a value is in CTF. */
enum type { UNSIGNED, SIGNED, HEXADECIMAL, STRING, STRINGS };

/* What an event class depends on beside the members: bits behind theirs. */
#define HAS_ABSENT	(1U << NR_ROW_MEMBERS)
#define RET_IS_STRING	(1U << (NR_ROW_MEMBERS + 1))
#define IS_ENTRY	(1U << (NR_ROW_MEMBERS + 2))
_Static_assert(NR_ROW_MEMBERS + 3 <= 32, "members fit in the key of an event class");

/* The clock has the time, the packet the CPU, the event class the name of an event. */
static bool is_member(const struct row *row, unsigned int member)
{
	switch (member) {
	case ROW_TYPE:
	case ROW_TIME:
	case ROW_TIME_NS:
	case ROW_CPU:
	case ROW_ARGS:
		return false;
	case ROW_EVENT:
		return !row->ev->probe && row_has(row, ROW_EVENT);
	default:
		return row_has(row, (enum row_member)member);
	}
}

static enum type member_type(const struct row *row, unsigned int member)
{
	switch (member) {
	case ROW_TID:
	case ROW_PID:
	case ROW_DEPTH:
	case ROW_DURATION_NS:
	case ROW_LOST:
	case ROW_TOTAL:
	case ROW_COUNT:
	case ROW_SIZE:
		return UNSIGNED;
	case ROW_RET:
		/* In quotes, or true or false. */
		return strchr("\"tf", *row->member[ROW_RET].at) ? STRING : SIGNED;
	case ROW_FLAGS:
		return STRINGS;
	default:
		return STRING;
	}
}

static enum type value_type(const struct tap_field *field)
{
	/* An array, whatever its format says. */
	if (field->count)
		return STRING;
	switch (field->format) {
	case TAP_FMT_U8:
	case TAP_FMT_U16:
	case TAP_FMT_U32:
	case TAP_FMT_U64:
	case TAP_FMT_DURATION:
	case TAP_FMT_NS:
		return UNSIGNED;
	case TAP_FMT_AUTO:
	case TAP_FMT_RETVAL:
	case TAP_FMT_ERRNO:
	case TAP_FMT_CONSTANT:
	case TAP_FMT_S8:
	case TAP_FMT_S16:
	case TAP_FMT_S32:
	case TAP_FMT_S64:
		return SIGNED;
	case TAP_FMT_X8:
	case TAP_FMT_X16:
	case TAP_FMT_X32:
	case TAP_FMT_X64:
		return HEXADECIMAL;
	case TAP_FMT_KSTACK:
	case TAP_FMT_USTACK:
	case TAP_FMT_KSTACK_ID:
	case TAP_FMT_USTACK_ID:
		return STRINGS;
	default:
		return STRING;
	}
}

static bool is_absent(const struct json *value)
{
	return json_is(value, "null", 4);
}

/* A number is one, or hexadecimal digits in quotes. */
static bool has_type(const struct json *value, enum type type)
{
	if (type == STRING)
		return true;
	if (type == STRINGS)
		return *value->at == '[' || json_is_string(value);
	return isdigit((unsigned char)*value->at) || *value->at == '-' ||
	       !strncmp(value->at, "\"0x", 3);
}

static unsigned int absent_values(const struct row *row)
{
	unsigned int nr = 0;
	struct row_values v;

	if (!row->member[ROW_ARGS].at)
		return 0;
	row_values(&v, row);
	while (row_values_next(&v))
		nr += is_absent(&v.value);
	return nr;
}

/* ------------------------------------------------------------------- classes */

static struct bt_field_class *class_of(struct ctf *ctf, enum type type)
{
	const struct babeltrace *bt = &ctf->bt;
	struct bt_field_class *class, *element;

	switch (type) {
	case STRING:
		return bt->field_class_string_create(ctf->trace_class);
	case STRINGS:
		element = bt->field_class_string_create(ctf->trace_class);
		class = element ? bt->field_class_array_dynamic_create(ctf->trace_class, element, NULL) :
				  NULL;
		bt->field_class_put_ref(element);
		return class;
	case SIGNED:
		return bt->field_class_integer_signed_create(ctf->trace_class);
	default:
		class = bt->field_class_integer_unsigned_create(ctf->trace_class);
		if (class && type == HEXADECIMAL)
			bt->field_class_integer_set_preferred_display_base(class, 16);
		return class;
	}
}

/* Consumes @member, which may be NULL. */
static int append(struct ctf *ctf, struct bt_field_class *class, const char *name,
		  struct bt_field_class *member)
{
	int ret = member ? ctf->bt.field_class_structure_append_member(class, name, member) : -1;

	ctf->bt.field_class_put_ref(member);
	return ret ? -ENOMEM : 0;
}

static bool is_taken(struct ctf_name *names, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!strcmp(names[i].text, names[nr].text))
			return true;
	return false;
}

/* The names of the values as identifiers, each once. */
static int make_names(struct ctf *ctf, const struct row *row)
{
	unsigned int nr = 0, same;
	struct row_values v;
	char *p;

	row_values(&v, row);
	while (row_values_next(&v)) {
		if (nr == CTF_NAMES)
			return -E2BIG;
		snprintf(ctf->names[nr].text, sizeof(ctf->names[nr].text), "%s", v.field->name);
		for (p = ctf->names[nr].text; *p; p++)
			if (!isascii((unsigned char)*p) || !isalnum((unsigned char)*p))
				*p = '_';
		for (same = 2; is_taken(ctf->names, nr); same++)
			snprintf(p, CTF_NAME_BYTES - TAP_FIELD_NAME_LEN, "_%u", same);
		nr++;
	}
	return 0;
}

static int append_args(struct ctf *ctf, struct bt_field_class *payload, const struct row *row)
{
	struct bt_field_class *args = ctf->bt.field_class_structure_create(ctf->trace_class);
	unsigned int nr = 0;
	struct row_values v;
	int ret = args ? make_names(ctf, row) : -ENOMEM;

	row_values(&v, row);
	while (!ret && row_values_next(&v))
		ret = append(ctf, args, ctf->names[nr++].text, class_of(ctf, value_type(v.field)));
	if (!ret)
		return append(ctf, payload, row_member_names[ROW_ARGS], args);
	ctf->bt.field_class_put_ref(args);
	return ret;
}

static int append_members(struct ctf *ctf, struct bt_field_class *payload, const struct row *row)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < NR_ROW_MEMBERS; i++)
		if (is_member(row, i))
			ret = append(ctf, payload, row_member_names[i],
				     class_of(ctf, member_type(row, i)));
	if (!ret && row->member[ROW_ARGS].at)
		ret = append_args(ctf, payload, row);
	if (!ret && absent_values(row))
		ret = append(ctf, payload, "absent", class_of(ctf, STRINGS));
	return ret;
}

/* The text of a string of JSON, ended by 0. NULL if out of memory. */
static const char *text_of(struct ctf *ctf, const struct json *text)
{
	char *p;

	ctf->text.len = 0;
	p = tap_buffer_room(&ctf->text, text->len + 1);
	if (p)
		*json_text(text, p) = '\0';
	return p;
}

static int make_class(struct ctf *ctf, const struct row *row, struct bt_event_class **class)
{
	const struct json name = json_inside(&row->member[row->ev->probe ? ROW_EVENT : ROW_TYPE]);
	struct bt_field_class *payload = ctf->bt.field_class_structure_create(ctf->trace_class);
	const char *text = text_of(ctf, &name);
	int ret = -ENOMEM;

	*class = ctf->bt.event_class_create(ctf->stream_class);
	if (*class && payload && text && !ctf->bt.event_class_set_name(*class, text))
		ret = append_members(ctf, payload, row);
	if (!ret && ctf->bt.event_class_set_payload_field_class(*class, payload))
		ret = -ENOMEM;
	ctf->bt.field_class_put_ref(payload);
	return ret;
}

static __u32 kind_of(const struct row *row)
{
	const struct json *call = &row->member[ROW_CALL];
	__u32 kind = 0;
	unsigned int i;

	for (i = 0; i < NR_ROW_MEMBERS; i++)
		if (is_member(row, i))
			kind |= 1U << i;
	if (absent_values(row))
		kind |= HAS_ABSENT;
	if (kind & 1U << ROW_RET && member_type(row, ROW_RET) == STRING)
		kind |= RET_IS_STRING;
	if (call->at && json_is(call, "\"entry\"", 7))
		kind |= IS_ENTRY;
	return kind;
}

/* The probe, the members and the name are all that an event class depends on. */
static __u32 number_of(struct ctf *ctf, const struct row *row, bool *added)
{
	const struct json *name = &row->member[row->ev->probe ? ROW_EVENT : ROW_TYPE];
	const __u32 key[2] = { row->ev->probe ? tap_probe_id(row->ev->probe) : 0, kind_of(row) };
	char *p;

	ctf->text.len = 0;
	p = tap_buffer_room(&ctf->text, sizeof(key) + name->len);
	if (!p)
		return 0;
	memcpy(p, key, sizeof(key));
	memcpy(p + sizeof(key), name->at, name->len);
	return intern_number(&ctf->kinds, 0, p, sizeof(key) + name->len, added);
}

int ctf_event_class(struct ctf *ctf, const struct row *row, struct bt_event_class **class)
{
	struct bt_event_class **classes;
	bool added = false;
	__u32 number;
	int ret = 0;

	if (intern_full(&ctf->kinds)) {
		tool_error("%u kinds of events are more than a trace in CTF has here; select some with -e",
			   ctf->nr_classes);
		return -E2BIG;
	}
	number = number_of(ctf, row, &added);
	if (!number)
		return -ENOMEM;
	if (added) {
		classes = realloc(ctf->classes, number * sizeof(*classes));
		if (!classes)
			return -ENOMEM;
		ctf->classes = classes;
		ctf->nr_classes = number;
		ret = make_class(ctf, row, &classes[number - 1]);
	}
	*class = ctf->classes[number - 1];
	return ret;
}

void ctf_events_free(struct ctf *ctf)
{
	__u32 i;

	for (i = 0; i < ctf->nr_classes; i++)
		ctf->bt.event_class_put_ref(ctf->classes[i]);
	free(ctf->classes);
	intern_free(&ctf->kinds);
	tap_buffer_free(&ctf->text);
}

/* -------------------------------------------------------------------- values */

static int set_string(struct ctf *ctf, struct bt_field *field, const char *text)
{
	return text && !ctf->bt.field_string_set_value(field, text) ? 0 : -ENOMEM;
}

static int fill_any_string(struct ctf *ctf, struct bt_field *field, const struct json *value)
{
	struct json inside;
	char *p;

	if (json_is_string(value)) {
		inside = json_inside(value);
		return set_string(ctf, field, text_of(ctf, &inside));
	}
	/* Escapes stay in what is JSON in the trace, too. */
	ctf->text.len = 0;
	p = tap_buffer_room(&ctf->text, value->len + 1);
	if (!p)
		return -ENOMEM;
	memcpy(p, value->at, value->len);
	p[value->len] = '\0';
	return set_string(ctf, field, p);
}

static int fill_strings(struct ctf *ctf, struct bt_field *field, const struct json *value)
{
	const char *at = json_members(value);
	struct json element;
	uint64_t nr = 0;
	int ret = 0;

	/* Why there is no stack. */
	if (json_is_string(value)) {
		if (ctf->bt.field_array_dynamic_set_length(field, 1))
			return -ENOMEM;
		return fill_any_string(ctf, ctf->bt.field_array_borrow_element_field_by_index(field, 0),
				       value);
	}
	while (json_element(&at, &element))
		nr++;
	if (ctf->bt.field_array_dynamic_set_length(field, nr))
		return -ENOMEM;
	at = json_members(value);
	for (nr = 0; !ret && json_element(&at, &element); nr++)
		ret = fill_any_string(ctf, ctf->bt.field_array_borrow_element_field_by_index(field, nr),
				      &element);
	return ret;
}

static __u64 number_in(const struct json *value)
{
	if (json_is_string(value))
		return strtoull(value->at + 1, NULL, 16);
	return *value->at == '-' ? (__u64)strtoll(value->at, NULL, 10) :
				   strtoull(value->at, NULL, 10);
}

static int fill(struct ctf *ctf, struct bt_field *field, enum type type, const struct json *value)
{
	static const struct json none = { "[]", 2 }, empty = { "\"\"", 2 };
	bool there = !is_absent(value);

	/* The trace would say something else than the file. */
	if (there && !has_type(value, type))
		return -EBADMSG;
	switch (type) {
	case STRING:
		return fill_any_string(ctf, field, there ? value : &empty);
	case STRINGS:
		return fill_strings(ctf, field, there ? value : &none);
	case SIGNED:
		ctf->bt.field_integer_signed_set_value(field, there ? (int64_t)number_in(value) : 0);
		return 0;
	default:
		ctf->bt.field_integer_unsigned_set_value(field, there ? number_in(value) : 0);
		return 0;
	}
}

static int fill_args(struct ctf *ctf, struct bt_field *args, const struct row *row)
{
	struct row_values v;
	uint64_t at = 0;
	int ret = 0;

	row_values(&v, row);
	while (!ret && row_values_next(&v))
		ret = fill(ctf, ctf->bt.field_structure_borrow_member_field_by_index(args, at++),
			   value_type(v.field), &v.value);
	return ret;
}

static int fill_absent(struct ctf *ctf, struct bt_field *absent, const struct row *row,
		       unsigned int nr)
{
	const struct ctf_name *name = ctf->names;
	struct row_values v;
	uint64_t at = 0;
	struct bt_field *field;
	int ret = make_names(ctf, row);

	if (!ret && ctf->bt.field_array_dynamic_set_length(absent, nr))
		ret = -ENOMEM;
	row_values(&v, row);
	for (; !ret && row_values_next(&v); name++) {
		if (!is_absent(&v.value))
			continue;
		field = ctf->bt.field_array_borrow_element_field_by_index(absent, at++);
		ret = ctf->bt.field_string_set_value(field, name->text) ? -ENOMEM : 0;
	}
	return ret;
}

int ctf_event_fill(struct ctf *ctf, const struct row *row, struct bt_field *payload)
{
	const struct babeltrace *bt = &ctf->bt;
	unsigned int i, nr = absent_values(row);
	uint64_t at = 0;
	int ret = 0;

	for (i = 0; !ret && i < NR_ROW_MEMBERS; i++)
		if (is_member(row, i))
			ret = fill(ctf, bt->field_structure_borrow_member_field_by_index(payload, at++),
				   member_type(row, i), &row->member[i]);
	if (!ret && row->member[ROW_ARGS].at)
		ret = fill_args(ctf, bt->field_structure_borrow_member_field_by_index(payload, at++), row);
	if (!ret && nr)
		ret = fill_absent(ctf, bt->field_structure_borrow_member_field_by_index(payload, at), row, nr);
	return ret;
}
