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
	return rows->a->value_words[i] > 1;
}

const char *agg_rows_kind(const struct agg_rows *rows, unsigned int i)
{
	const struct tap_spec_agg *agg = rows->a->agg;

	switch (agg->aggs[i].kind) {
	case TAP_AGG_SUM:
		return agg->avg[i] ? "avg" : "sum";
	case TAP_AGG_MIN:
		return "min";
	case TAP_AGG_MAX:
		return "max";
	case TAP_AGG_HIST:
		return "hist";
	}
	return "lhist";
}

/* Compares by value or count. Rows with equal ones are in the order of their keys. */
static int compare_rows(const void *x, const void *y, void *arg)
{
	const __u64 *p = *(const __u64 *const *)x, *q = *(const __u64 *const *)y;
	const struct agg_rows *rows = arg;
	const struct tap_aggregation *a = rows->a;
	__u64 v = p[a->count_at], w = q[a->count_at];
	bool sign = false;

	if (a->agg->aggregate.nr_aggs && !agg_rows_is_histogram(rows, 0)) {
		bool has = tap_aggregation_value(a, p, 0, &v);

		if (has != tap_aggregation_value(a, q, 0, &w))
			return has ? -1 : 1;
		sign = has && a->agg->aggs[0].flags & TAP_AGG_F_SIGNED;
	}
	if (v != w)
		return (sign ? (__s64)v > (__s64)w : v > w) ? -1 : 1;
	return p < q ? -1 : p > q;
}

int agg_rows_tgid_key(const struct agg_rows *rows)
{
	const struct tap_spec_agg *agg = rows->a->agg;
	unsigned int i;

	for (i = 0; i < agg->aggregate.nr_keys; i++)
		if (agg->keys[i].flags & TAP_FIELD_F_HIDDEN)
			return (int)i;
	return -1;
}

bool agg_rows_is_stack(const struct agg_rows *rows, unsigned int i)
{
	enum tap_format format = rows->a->agg->keys[i].format;

	return format == TAP_FMT_KSTACK || format == TAP_FMT_USTACK;
}

static void find_columns(struct agg_rows *rows)
{
	const struct tap_spec_agg *agg = rows->a->agg;
	unsigned int i;

	rows->nr_columns = 0;
	for (i = 0; i < agg->aggregate.nr_keys; i++)
		if (!agg_rows_is_stack(rows, i) &&
		    !(agg->keys[i].flags & TAP_FIELD_F_HIDDEN))
			rows->columns[rows->nr_columns++] = i;
}

int agg_rows_order(struct agg_rows *rows, __u32 top)
{
	const struct tap_aggregation *a = rows->a;
	size_t i;

	find_columns(rows);
	rows->nr = 0;
	rows->hidden = 0;
	rows->hits = 0;
	rows->other = NULL;
	rows->list = calloc(a->nr + 1, sizeof(*rows->list));
	if (!rows->list)
		return -ENOMEM;
	for (i = 0; i < a->nr; i++) {
		const __u64 *row = a->rows + i * a->row_words;

		rows->hits += row[a->count_at];
		if (row[0] & TAP_ENTRY_OTHER)
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

static bool is_in_row(const struct agg_rows *rows, const struct tap_field *key)
{
	return key->words && key->word + key->words <= rows->a->count_at;
}

void agg_rows_key(const struct agg_rows *rows, const __u64 *row, unsigned int i,
		  char *buf, size_t size)
{
	const struct tap_field *keys = rows->a->agg->keys;
	struct tap_formatter_opts format = *rows->format;
	int tgid = agg_rows_tgid_key(rows);

	if (tgid >= 0 && is_in_row(rows, &keys[tgid]))
		format.tgid = (__u32)row[keys[tgid].word];
	/* The time of the hits is unknown: use the latest state of the process. */
	format.time = ~0ULL;
	if (!is_in_row(rows, &keys[i]) ||
	    tap_format_words(&format, &keys[i], row + keys[i].word, buf,
			     size) < 0)
		strcpy(buf, format.json ? "null" : "?");
}

void agg_rows_number(const struct agg_rows *rows, unsigned int i, __u64 value,
		     char *buf)
{
	const struct tap_spec_agg *agg = rows->a->agg;
	bool extreme = agg->aggs[i].kind == TAP_AGG_MIN ||
		       agg->aggs[i].kind == TAP_AGG_MAX;
	bool json = rows->format->json;
	struct tap_field field = agg->values[i];

	/* A sum may exceed the type of the value, and a sum of flags has no names. */
	field.words = 1;
	field.count = 0;
	if (field.format != TAP_FMT_NS && !extreme)
		field.format = agg->aggs[i].flags & TAP_AGG_F_SIGNED ?
			       TAP_FMT_S64 : TAP_FMT_U64;
	if (tap_format_words(rows->format, &field, &value, buf,
			     AGG_KEY_MAX) < 0)
		strcpy(buf, json ? "null" : "?");
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

	if (col < keys && row[0] & TAP_ENTRY_OTHER)
		strcpy(buf, col ? "" : NO_ROOM);
	else if (col < keys)
		agg_rows_key(rows, row, rows->columns[col], buf, AGG_KEY_MAX);
	else if (col == keys)
		*tap_put_u64(buf, row[rows->a->count_at]) = '\0';
	else if (tap_aggregation_value(rows->a, row, col - keys - 1, &value))
		agg_rows_number(rows, col - keys - 1, value, buf);
	else
		strcpy(buf, "-");
}

static void heading(const struct agg_rows *rows, unsigned int col, char *buf)
{
	const struct tap_spec_agg *agg = rows->a->agg;
	unsigned int keys = rows->nr_columns;

	if (col < keys)
		snprintf(buf, AGG_KEY_MAX, "%s",
			 agg->keys[rows->columns[col]].name);
	else if (col == keys)
		strcpy(buf, "COUNT");
	else
		snprintf(buf, AGG_KEY_MAX, "%s %s",
			 agg_rows_kind(rows, col - keys - 1),
			 agg->values[col - keys - 1].name);
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
	unsigned int keys = rows->a->agg->aggregate.nr_keys, i;
	char *buf = NULL;

	for (i = 0; i < keys; i++) {
		if (!agg_rows_is_stack(rows, i))
			continue;
		if (row[0] & TAP_ENTRY_OTHER) {
			if (!rows->nr_columns)
				fputs("\n        " NO_ROOM, to);
			break;
		}
		if (!buf)
			buf = malloc(AGG_STACK_MAX);
		if (!buf)
			break;
		agg_rows_key(rows, row, i, buf, AGG_STACK_MAX);
		fputs(buf, to);
	}
	free(buf);
}

static void print_table(const struct agg_rows *rows, FILE *to)
{
	unsigned int keys = rows->nr_columns, col;
	unsigned int cols = keys + 1 + rows->a->agg->aggregate.nr_aggs;
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
	const struct tap_spec_agg *agg = rows->a->agg;
	unsigned int keys = rows->nr_columns, i;
	char buf[AGG_KEY_MAX];

	for (i = 0; i < keys; i++) {
		cell(rows, row, i, buf);
		if (row[0] & TAP_ENTRY_OTHER)
			fputs(buf, to);
		else
			fprintf(to, "%s=%s ",
				agg->keys[rows->columns[i]].name, buf);
	}
	fprintf(to, "%scount=%llu", row[0] & TAP_ENTRY_OTHER ? " " : "",
		(unsigned long long)row[rows->a->count_at]);
	for (i = 0; i < agg->aggregate.nr_aggs; i++) {
		if (agg_rows_is_histogram(rows, i))
			continue;
		cell(rows, row, keys + 1 + i, buf);
		fprintf(to, " %s(%s)=%s", agg_rows_kind(rows, i),
			agg->values[i].name, buf);
	}
	put_stacks(rows, row, to);
	fputc('\n', to);
	for (i = 0; i < agg->aggregate.nr_aggs; i++)
		if (agg_rows_is_histogram(rows, i))
			agg_rows_histogram(rows, row, i, to);
	fputc('\n', to);
}

static bool any_histogram(const struct agg_rows *rows)
{
	unsigned int i;

	for (i = 0; i < rows->a->agg->aggregate.nr_aggs; i++)
		if (agg_rows_is_histogram(rows, i))
			return true;
	return false;
}

/* Hits without a value, which averages leave out. A histogram prints its own. */
static void print_absent(const struct agg_rows *rows, FILE *to)
{
	const struct tap_aggregation *a = rows->a;
	const char *before = "absent: ";
	__u64 absent;
	unsigned int i;
	size_t k;

	for (i = 0; i < a->agg->aggregate.nr_aggs; i++) {
		absent = 0;
		for (k = 0; k < a->nr; k++)
			absent += a->rows[k * a->row_words + a->value_at[i] +
					  a->value_words[i]];
		if (!absent || agg_rows_is_histogram(rows, i))
			continue;
		fprintf(to, "%s%s in %llu", before, a->agg->values[i].name,
			(unsigned long long)absent);
		before = ", ";
	}
	if (*before == ',')
		fprintf(to, " of %llu hits\n", (unsigned long long)rows->hits);
}

void agg_rows_print(const struct agg_rows *rows, FILE *to)
{
	__u32 entries = rows->a->agg->aggregate.entries;
	char time[TAP_PUT_DURATION_MAX + 1];
	size_t i;

	*tap_put_duration(time, rows->ns) = '\0';
	fprintf(to, "%s: %llu hits in %s\n", rows->event,
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
	if (!rows->other)
		return;
	fprintf(to, "%llu hits of keys without room in the table",
		(unsigned long long)rows->other[rows->a->count_at]);
	if (entries <= TAP_MAX_ENTRIES / 4)
		fprintf(to, "; --entries %u makes it larger", entries * 4);
	fputc('\n', to);
}
