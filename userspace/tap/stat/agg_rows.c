// SPDX-License-Identifier: GPL-2.0
/*
 * Prints rows as a table; if there are histograms, one row after the other:
 *
 *	call:vfs_read: 1200 hits in 10.003s
 *	comm      COUNT avg duration
 *	"cat"       900      3.214us
 *	"dd"        300    881.001us
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/buffer.h"
#include "stat/agg_rows.h"
#include "stat/agg_histogram.h"

/* A longer key makes only its own line longer. */
#define WIDEST		48
#define NO_ROOM		"(no room)"

bool agg_rows_is_histogram(const struct agg_rows *rows, unsigned int i)
{
	return tap_aggregation_nr_buckets(rows->a, i);
}

const char *agg_rows_kind(const struct agg_rows *rows, unsigned int i)
{
	switch (tap_aggregation_kind(rows->a, i)) {
	case TAP_AGG_SUM:
		return tap_aggregation_is_avg(rows->a, i) ? "avg" : "sum";
	case TAP_AGG_MIN:
		return "min";
	case TAP_AGG_MAX:
		return "max";
	case TAP_AGG_HIST:
		return "hist";
	default:
		return "lhist";
	}
}

/* Compares by value or count. Rows with equal ones are in the order of their keys. */
static int compare_rows(const void *x, const void *y, void *arg)
{
	const __u64 *p = *(const __u64 *const *)x, *q = *(const __u64 *const *)y;
	const struct agg_rows *rows = arg;
	const struct tap_aggregation *a = rows->a;
	__u64 v = tap_aggregation_count(a, p), w = tap_aggregation_count(a, q);
	bool sign = false;

	if (tap_aggregation_nr_values(a) && !agg_rows_is_histogram(rows, 0)) {
		bool has = tap_aggregation_value(a, p, 0, &v);

		if (has != tap_aggregation_value(a, q, 0, &w))
			return has ? -1 : 1;
		sign = has && tap_aggregation_is_signed(a, 0);
	}
	if (v != w)
		return (sign ? (__s64)v > (__s64)w : v > w) ? -1 : 1;
	return p < q ? -1 : p > q;
}

bool agg_rows_is_stack(const struct agg_rows *rows, unsigned int i)
{
	const struct tap_field *key = tap_aggregation_key(rows->a, i);

	return tool_is_kstack(key) || tool_is_ustack(key);
}

static void find_columns(struct agg_rows *rows)
{
	const struct tap_field *key;
	unsigned int i;

	rows->nr_columns = 0;
	for (i = 0; (key = tap_aggregation_key(rows->a, i)); i++)
		if (!agg_rows_is_stack(rows, i) &&
		    !(key->flags & TAP_FIELD_F_HIDDEN))
			rows->columns[rows->nr_columns++] = i;
}

int agg_rows_order(struct agg_rows *rows, __u32 top)
{
	const struct tap_aggregation *a = rows->a;
	const __u64 *row;
	size_t i;

	find_columns(rows);
	rows->nr = 0;
	rows->hidden = 0;
	rows->hits = 0;
	rows->other = NULL;
	rows->list = calloc(tap_aggregation_nr_rows(a) + 1, sizeof(*rows->list));
	if (!rows->list)
		return -ENOMEM;
	for (i = 0; (row = tap_aggregation_row(a, i)); i++) {
		rows->hits += tap_aggregation_count(a, row);
		if (tap_aggregation_is_other(row))
			rows->other = row;
		else
			rows->list[rows->nr++] = row;
	}
	qsort_r(rows->list, rows->nr, sizeof(*rows->list), compare_rows, rows);
	if (top && rows->nr > top) {
		rows->hidden = rows->nr - top;
		rows->nr = top;
	}
	return 0;
}

void agg_rows_key(const struct agg_rows *rows, const __u64 *row, unsigned int i,
		  char *buf, size_t size)
{
	tap_aggregation_format_key(rows->a, row, i, rows->format, buf, size);
}

void agg_rows_number(const struct agg_rows *rows, unsigned int i, __u64 value,
		     char *buf)
{
	tap_aggregation_format_value(rows->a, i, value, rows->format, buf,
				     AGG_KEY_MAX);
}

/* Width of a text on a terminal: counts the bytes that begin a UTF-8 character. */
static int width_of(const char *text)
{
	int width = 0;

	for (; *text; text++)
		width += (*text & 0xc0) != 0x80;
	return width;
}

static void pad(FILE *to, int width)
{
	fprintf(to, "%*s", width > 0 ? width : 0, "");
}

/* Keys are left-aligned. */
static void put_left(FILE *to, const char *text, int width)
{
	fputs(text, to);
	pad(to, width - width_of(text));
}

/* Numbers are right-aligned. */
static void put_right(FILE *to, const char *text, int width)
{
	pad(to, width - width_of(text));
	fputs(text, to);
}

/* The columns are the keys, the count, then the values. */
static void cell(const struct agg_rows *rows, const __u64 *row, unsigned int col,
		 char *buf)
{
	unsigned int keys = rows->nr_columns;
	__u64 value;

	if (col < keys && tap_aggregation_is_other(row))
		strcpy(buf, col ? "" : NO_ROOM);
	else if (col < keys)
		agg_rows_key(rows, row, rows->columns[col], buf, AGG_KEY_MAX);
	else if (col == keys)
		*tap_put_u64(buf, tap_aggregation_count(rows->a, row)) = '\0';
	else if (tap_aggregation_value(rows->a, row, col - keys - 1, &value))
		agg_rows_number(rows, col - keys - 1, value, buf);
	else
		strcpy(buf, "-");
}

static void heading(const struct agg_rows *rows, unsigned int col, char *buf)
{
	unsigned int keys = rows->nr_columns;

	if (col < keys)
		snprintf(buf, AGG_KEY_MAX, "%s",
			 tap_aggregation_key(rows->a, rows->columns[col])->name);
	else if (col == keys)
		strcpy(buf, "COUNT");
	else
		snprintf(buf, AGG_KEY_MAX, "%s %s",
			 agg_rows_kind(rows, col - keys - 1),
			 tap_aggregation_value_field(rows->a, col - keys - 1)->name);
}

static void widen(int *width, const char *text)
{
	int w = width_of(text);

	if (w > *width)
		*width = w < WIDEST ? w : WIDEST;
}

/* The stacks of a row, below it. A formatted stack begins with a newline. */
static void put_stacks(const struct agg_rows *rows, const __u64 *row, FILE *to)
{
	unsigned int keys = tap_aggregation_nr_keys(rows->a), i;
	bool kernel = false, user;
	char *buf = NULL;

	for (i = 0; i < keys; i++) {
		if (!agg_rows_is_stack(rows, i))
			continue;
		if (tap_aggregation_is_other(row)) {
			if (!rows->nr_columns)
				fputs("\n        " NO_ROOM, to);
			break;
		}
		if (!buf)
			buf = malloc(AGG_STACK_MAX);
		if (!buf)
			break;
		agg_rows_key(rows, row, i, buf, AGG_STACK_MAX);
		user = tool_is_ustack(tap_aggregation_key(rows->a, i));
		if (kernel && user)
			fputs(TAP_STACK_DIVIDER, to);
		kernel = !user;
		fputs(buf, to);
	}
	free(buf);
}

static void print_table(const struct agg_rows *rows, FILE *to)
{
	unsigned int keys = rows->nr_columns, col;
	unsigned int cols = keys + 1 + tap_aggregation_nr_values(rows->a);
	int width[TAP_MAX_KEYS + 1 + TAP_MAX_AGGS] = { 0 };
	char buf[AGG_KEY_MAX];
	size_t i, nr = rows->nr + (rows->other != NULL);

	for (col = 0; col < cols; col++) {
		heading(rows, col, buf);
		widen(&width[col], buf);
		for (i = 0; i < nr; i++) {
			cell(rows, i < rows->nr ? rows->list[i] : rows->other,
			     col, buf);
			widen(&width[col], buf);
		}
	}
	for (i = 0; i <= nr; i++) {
		for (col = 0; col < cols; col++) {
			if (col)
				fputc(' ', to);
			if (!i)
				heading(rows, col, buf);
			else
				cell(rows, i <= rows->nr ? rows->list[i - 1] :
				     rows->other, col, buf);
			if (col < keys)
				put_left(to, buf, width[col]);
			else
				put_right(to, buf, width[col]);
		}
		if (i)
			put_stacks(rows, i <= rows->nr ? rows->list[i - 1] :
				   rows->other, to);
		fputc('\n', to);
	}
}

/* A row with histograms: a line with everything else, then each histogram. */
static void print_bars(const struct agg_rows *rows, const __u64 *row, FILE *to)
{
	unsigned int keys = rows->nr_columns, i;
	unsigned int nr = tap_aggregation_nr_values(rows->a);
	char buf[AGG_KEY_MAX];

	for (i = 0; i < keys; i++) {
		cell(rows, row, i, buf);
		if (tap_aggregation_is_other(row))
			fputs(buf, to);
		else
			fprintf(to, "%s=%s ",
				tap_aggregation_key(rows->a,
						    rows->columns[i])->name,
				buf);
	}
	fprintf(to, "%scount=%llu", tap_aggregation_is_other(row) ? " " : "",
		(unsigned long long)tap_aggregation_count(rows->a, row));
	for (i = 0; i < nr; i++) {
		if (agg_rows_is_histogram(rows, i))
			continue;
		cell(rows, row, keys + 1 + i, buf);
		fprintf(to, " %s(%s)=%s", agg_rows_kind(rows, i),
			tap_aggregation_value_field(rows->a, i)->name, buf);
	}
	put_stacks(rows, row, to);
	fputc('\n', to);
	for (i = 0; i < nr; i++)
		if (agg_rows_is_histogram(rows, i))
			agg_rows_histogram(rows, row, i, to);
	fputc('\n', to);
}

static bool any_histogram(const struct agg_rows *rows)
{
	unsigned int i;

	for (i = 0; i < tap_aggregation_nr_values(rows->a); i++)
		if (agg_rows_is_histogram(rows, i))
			return true;
	return false;
}

/* Hits without a value, which averages leave out. A histogram prints its own. */
static void print_absent(const struct agg_rows *rows, FILE *to)
{
	const struct tap_aggregation *a = rows->a;
	const char *before = "absent: ";
	const struct tap_field *field;
	const __u64 *row;
	__u64 absent;
	unsigned int i;
	size_t k;

	for (i = 0; (field = tap_aggregation_value_field(a, i)); i++) {
		absent = 0;
		for (k = 0; (row = tap_aggregation_row(a, k)); k++)
			absent += tap_aggregation_absent(a, row, i);
		if (!absent || agg_rows_is_histogram(rows, i))
			continue;
		fprintf(to, "%s%s in %llu", before, field->name,
			(unsigned long long)absent);
		before = ", ";
	}
	if (*before == ',')
		fprintf(to, " of %llu hits\n", (unsigned long long)rows->hits);
}

/* Hits in rows whose stack, or one of two, found no room in the session's table of stacks. */
static __u64 hits_without_stack(const struct agg_rows *rows)
{
	const struct tap_field *key;
	const __u64 *row;
	__u64 hits = 0;
	unsigned int i;
	size_t k;

	for (k = 0; (row = tap_aggregation_row(rows->a, k)); k++) {
		for (i = 0; (key = tap_aggregation_key(rows->a, i)); i++)
			if ((key->format == TAP_FMT_KSTACK_ID || key->format == TAP_FMT_USTACK_ID) &&
			    row[key->word] == TAP_STACK_NO_ROOM)
				break;
		if (key)
			hits += tap_aggregation_count(rows->a, row);
	}
	return hits;
}

/* Hits whose key is not complete, and the option that helps. */
static void print_no_room(FILE *to, __u64 hits, const char *what, __u32 entries)
{
	if (!hits)
		return;
	fprintf(to, "%llu hits %s", (unsigned long long)hits, what);
	if (entries <= TAP_MAX_ENTRIES / 4)
		fprintf(to, "; --entries %u makes it larger", entries * 4);
	fputc('\n', to);
}

void agg_rows_print(const struct agg_rows *rows, FILE *to)
{
	__u32 entries = tap_aggregation_entries(rows->a);
	char time[TAP_PUT_DURATION_MAX + 1];
	size_t i;

	*tap_put_duration(time, rows->ns) = '\0';
	fprintf(to, "%s: %llu hits in %s\n",
		rows->glob ? tap_spec_wanted(rows->spec) : tap_spec_event(rows->spec),
		(unsigned long long)rows->hits, time);
	if (!rows->hits)
		return;
	if (any_histogram(rows)) {
		for (i = 0; i < rows->nr; i++)
			print_bars(rows, rows->list[i], to);
		if (rows->other)
			print_bars(rows, rows->other, to);
	} else {
		print_table(rows, to);
	}
	if (rows->hidden)
		fprintf(to, "(and %zu more rows)\n", rows->hidden);
	print_absent(rows, to);
	print_no_room(to, rows->other ? tap_aggregation_count(rows->a, rows->other) : 0,
		      "of keys without room in the table", entries);
	print_no_room(to, hits_without_stack(rows), "whose stack found no room in the table of stacks",
		      entries);
}
