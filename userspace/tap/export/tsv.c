// SPDX-License-Identifier: GPL-2.0
/*
 * A table for databases and spreadsheets: a line a row, columns between tabs.
 *
 * One table has all events. Its columns are the members of a line of tap report --json, and one for
 * each name that any exported event has in "args", with arg_ in front. What a row does not have is
 * \N, as in the text format of COPY of PostgreSQL and LOAD DATA of MySQL. A string has the bytes of
 * the string, a tab as \t, a newline as \n, a carriage return as \r and a backslash as \\. Arrays
 * and objects stay JSON.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "export/export.h"

#define ARG_PREFIX	"arg_"
/* Upper bound for one byte of a value: a byte that is escaped. */
#define CHAR_MAX_BYTES	2

/**
 * struct table - the columns
 * @names: of the values, escaped as in JSON
 * @nr: number of @names
 * @cells: those of a row, by column
 */
struct table {
	struct json *names;
	size_t nr;
	struct json *cells;
};

/* time_ns has the same as the seconds of a line, and each value has a column. */
static bool is_column(unsigned int member)
{
	return member != ROW_TIME && member != ROW_ARGS;
}

/* Writes bytes so that they end neither a cell nor a line. */
static char *put_bytes(char *p, const char *from, size_t len)
{
	const char *end = from + len;

	for (; from < end; from++) {
		switch (*from) {
		case '\t':
			p = tap_put_str(p, "\\t");
			break;
		case '\n':
			p = tap_put_str(p, "\\n");
			break;
		case '\r':
			p = tap_put_str(p, "\\r");
			break;
		case '\\':
			p = tap_put_str(p, "\\\\");
			break;
		default:
			*p++ = *from;
		}
	}
	return p;
}

/* @p has room for three times the bytes of the value, and 3 more. */
static char *put_cell(char *p, const struct json *value)
{
	struct json text;
	char *raw;

	if (!value->at || json_is(value, "null", 4))
		return tap_put_str(p, "\\N");
	if (!json_is_string(value))
		return put_bytes(p, value->at, value->len);
	text = json_inside(value);
	if (!memchr(text.at, '\\', text.len))
		return tap_put_mem(p, text.at, text.len);
	/* The bytes go behind the room for their escaped form. */
	raw = p + CHAR_MAX_BYTES * text.len;
	return put_bytes(p, raw, (size_t)(json_text(&text, raw) - raw));
}

static size_t cell_room(const struct json *value)
{
	return (CHAR_MAX_BYTES + 1) * value->len + 3;
}

static bool has_name(const struct table *table, const struct json *name)
{
	size_t i;

	for (i = 0; i < table->nr; i++)
		if (json_is(&table->names[i], name->at, name->len))
			return true;
	return false;
}

static int add_name(struct table *table, const char *name)
{
	struct json *names = realloc(table->names, (table->nr + 1) * sizeof(*names));
	size_t len = strlen(name);
	char *escaped = malloc(len * TAP_PUT_CHAR_MAX + TAP_PIECE_BYTES);
	struct json json = { .at = escaped };

	if (names)
		table->names = names;
	if (!names || !escaped) {
		free(escaped);
		return -ENOMEM;
	}
	json.len = (size_t)(tap_put_json(escaped, name, len) - escaped);
	if (has_name(table, &json))
		free(escaped);
	else
		table->names[table->nr++] = json;
	return 0;
}

/* The values that args may have. */
static int add_names(struct table *table, const struct tap_probe *probe)
{
	const struct tap_field *f;
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && (f = tap_probe_field(probe, i)); i++)
		if (!(f->flags & (TAP_FIELD_F_HIDDEN | TAP_FIELD_F_ABSENT | TAP_FIELD_F_OLD)))
			ret = add_name(table, f->name);
	return ret;
}

static int put_header(struct export *x, const struct table *table)
{
	size_t i, room = NR_ROW_MEMBERS * TAP_PIECE_BYTES;
	char raw[TAP_FIELD_NAME_LEN * TAP_PUT_CHAR_MAX], *p;

	for (i = 0; i < table->nr; i++)
		room += cell_room(&table->names[i]) + sizeof(ARG_PREFIX);
	p = out_room(&x->out, room);
	if (!p)
		return -ENOMEM;
	for (i = 0; i < NR_ROW_MEMBERS; i++) {
		if (!is_column((unsigned int)i))
			continue;
		if (i)
			*p++ = '\t';
		p = tap_put_str(p, row_member_names[i]);
	}
	for (i = 0; i < table->nr; i++) {
		p = tap_put_str(p, "\t" ARG_PREFIX);
		p = put_bytes(p, raw, (size_t)(json_text(&table->names[i], raw) - raw));
	}
	*p++ = '\n';
	return out_put(&x->out, p);
}

static int begin(struct export *x)
{
	struct table *table = calloc(1, sizeof(*table));
	size_t i;
	int ret = table ? 0 : -ENOMEM;

	x->state = table;
	for (i = 0; !ret && i < tap_probes_nr(x->probes); i++)
		if (export_wants(x, tap_probes_get(x->probes, i)))
			ret = add_names(table, tap_probes_get(x->probes, i));
	if (!ret)
		table->cells = calloc(table->nr + 1, sizeof(*table->cells));
	if (!ret && !table->cells)
		ret = -ENOMEM;
	return ret ? ret : put_header(x, table);
}

/* The columns of an event follow each other mostly in the order of its values. */
static void place_args(const struct table *table, const struct json *args)
{
	const char *at = json_members(args);
	struct json name, value;
	size_t column = 0, i;

	while (json_member(&at, &name, &value)) {
		for (i = 0; i < table->nr; i++, column++) {
			if (column >= table->nr)
				column = 0;
			if (json_is(&table->names[column], name.at, name.len))
				break;
		}
		/* Of two values with one name the first. */
		if (i < table->nr && !table->cells[column].at)
			table->cells[column] = value;
	}
}

static int write_row(struct export *x, const struct row *row)
{
	const struct table *table = x->state;
	const struct json *args = &row->member[ROW_ARGS];
	size_t room = NR_ROW_MEMBERS + table->nr, i;
	char *p;

	memset(table->cells, 0, table->nr * sizeof(*table->cells));
	if (args->at)
		place_args(table, args);
	for (i = 0; i < NR_ROW_MEMBERS; i++)
		room += cell_room(&row->member[i]);
	for (i = 0; i < table->nr; i++)
		room += cell_room(&table->cells[i]);
	p = out_room(&x->out, room);
	if (!p)
		return -ENOMEM;
	for (i = 0; i < NR_ROW_MEMBERS; i++) {
		if (!is_column((unsigned int)i))
			continue;
		if (i)
			*p++ = '\t';
		p = put_cell(p, &row->member[i]);
	}
	for (i = 0; i < table->nr; i++) {
		*p++ = '\t';
		p = put_cell(p, &table->cells[i]);
	}
	*p++ = '\n';
	return out_put(&x->out, p);
}

static void free_table(struct export *x)
{
	struct table *table = x->state;
	size_t i;

	for (i = 0; table && i < table->nr; i++)
		free((char *)table->names[i].at);
	if (table) {
		free(table->names);
		free(table->cells);
	}
	free(table);
}

const struct export_format export_tsv = {
	.name = "tsv", .windows = true, .begin = begin, .row = write_row, .free = free_table,
};
