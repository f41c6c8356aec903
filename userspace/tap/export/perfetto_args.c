// SPDX-License-Identifier: GPL-2.0
/*
 * The values of an event as annotations. Those that the user chose are in "args", so that none is
 * taken for another one. A number keeps its 64 bits; a null is left out.
 */
#include <stdlib.h>

#include "export/perfetto.h"

/* DebugAnnotation. */
enum {
	ARG_NAME_ID = 1,
	ARG_BOOL = 2,
	ARG_UNSIGNED = 3,
	ARG_INT = 4,
	ARG_STRING = 6,
	ARG_NAME = 10,
	ARG_MEMBERS = 11,
	ARG_ELEMENTS = 12,
};

/* The members of a line that say more of an event than its track does. */
static const enum row_member members[] = {
	ROW_CPU, ROW_COMM, ROW_TID, ROW_PID, ROW_TEXT, ROW_CALL, ROW_DEPTH, ROW_RET, ROW_FLAGS,
};

static void put_value(struct perfetto *pf, const struct json *value);

static void put_member(struct perfetto *pf, unsigned int field, const struct json *name,
		       const struct json *value)
{
	size_t arg;

	if (json_is(value, "null", 4))
		return;
	arg = proto_begin(&pf->packets, field);
	proto_number(&pf->packets, ARG_NAME_ID, perfetto_name(pf, INTERNED_ARG_NAME, name));
	put_value(pf, value);
	proto_end(&pf->packets, arg);
}

static void put_inside(struct perfetto *pf, const struct json *value)
{
	const char *at = json_members(value);
	struct json name, inside;
	size_t arg;

	if (*value->at == '{') {
		while (json_member(&at, &name, &inside))
			put_member(pf, ARG_MEMBERS, &name, &inside);
		return;
	}
	while (json_element(&at, &inside)) {
		arg = proto_begin(&pf->packets, ARG_ELEMENTS);
		put_value(pf, &inside);
		proto_end(&pf->packets, arg);
	}
}

static void put_number(struct proto *p, const char *text)
{
	__u64 v = *text == '-' ? (__u64)strtoll(text, NULL, 10) : strtoull(text, NULL, 10);

	proto_number(p, *text != '-' && v >> 63 ? ARG_UNSIGNED : ARG_INT, v);
}

static void put_value(struct perfetto *pf, const struct json *value)
{
	struct json text;

	switch (*value->at) {
	case '"':
		text = json_inside(value);
		proto_json(&pf->packets, ARG_STRING, &text);
		break;
	case '{':
	case '[':
		put_inside(pf, value);
		break;
	case 't':
	case 'f':
		proto_number(&pf->packets, ARG_BOOL, *value->at == 't');
		break;
	case 'n':
		break;
	default:
		/* Seconds of a time. */
		if (memchr(value->at, '.', value->len))
			proto_bytes(&pf->packets, ARG_STRING, value->at, value->len);
		else
			put_number(&pf->packets, value->at);
	}
}

void perfetto_arg(struct perfetto *pf, const char *name, const struct json *value)
{
	size_t arg = proto_begin(&pf->packets, EVENT_ARG);

	proto_bytes(&pf->packets, ARG_NAME, name, strlen(name));
	put_value(pf, value);
	proto_end(&pf->packets, arg);
}

void perfetto_args(struct perfetto *pf, const struct row *row)
{
	const struct json args = { "args", 4 };
	struct json kernel = { 0 }, user = { 0 };
	size_t arg = 0, i;
	struct row_values v;

	for (i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		const struct json name = { row_member_names[members[i]],
					   strlen(row_member_names[members[i]]) };

		if (row->member[members[i]].at)
			put_member(pf, EVENT_ARG, &name, &row->member[members[i]]);
	}
	row_values(&v, row);
	while (row_values_next(&v)) {
		if (row_is_stack(&v, &kernel, &user))
			continue;
		if (!arg) {
			arg = proto_begin(&pf->packets, EVENT_ARG);
			proto_number(&pf->packets, ARG_NAME_ID,
				     perfetto_name(pf, INTERNED_ARG_NAME, &args));
		}
		put_member(pf, ARG_MEMBERS, &v.name, &v.value);
	}
	if (arg)
		proto_end(&pf->packets, arg);
	perfetto_stacks(pf, &kernel, &user);
}
