// SPDX-License-Identifier: GPL-2.0
/*
 * Rows as JSON, one object for each.
 */
#include <stdlib.h>

#include "stat/agg_rows_json.h"

static void print_bound(FILE *to, const char *name, bool open, bool sign,
			__u64 v)
{
	if (open)
		fprintf(to, "\"%s\":null", name);
	else if (sign)
		fprintf(to, "\"%s\":%lld", name, (long long)v);
	else
		fprintf(to, "\"%s\":%llu", name, (unsigned long long)v);
}

static void print_buckets(const struct agg_rows *rows, const __u64 *row,
			  unsigned int i, FILE *to)
{
	const struct tap_aggregation *a = rows->a;
	bool sign = tap_aggregation_is_signed(a, i);
	bool first = true;
	unsigned int n;

	fputs(",\"buckets\":[", to);
	for (n = 0; n < tap_aggregation_nr_buckets(a, i); n++) {
		struct tap_bucket b = tap_aggregation_bucket(a, i, n);
		__u64 count = tap_aggregation_bucket_count(a, row, i, n);

		if (!count)
			continue;
		fputs(first ? "{" : ",{", to);
		print_bound(to, "from", b.lowest, sign, b.from);
		fputc(',', to);
		print_bound(to, "to", b.highest, sign, b.to);
		fprintf(to, ",\"count\":%llu}", (unsigned long long)count);
		first = false;
	}
	fputc(']', to);
}

static void print_value(const struct agg_rows *rows, const __u64 *row,
			unsigned int i, FILE *to)
{
	const struct tap_aggregation *a = rows->a;
	__u64 absent = tap_aggregation_absent(a, row, i), value;
	char buf[AGG_KEY_MAX] = "null";

	fputs("{\"name\":", to);
	tool_json(to, tap_aggregation_value_field(a, i)->name);
	fprintf(to, ",\"kind\":\"%s\"", agg_rows_kind(rows, i));
	if (agg_rows_is_histogram(rows, i)) {
		print_buckets(rows, row, i, to);
	} else {
		if (tap_aggregation_value(a, row, i, &value))
			agg_rows_number(rows, i, value, buf);
		fprintf(to, ",\"value\":%s", buf);
	}
	if (absent)
		fprintf(to, ",\"absent\":%llu", (unsigned long long)absent);
	fputc('}', to);
}

static void print_keys(const struct agg_rows *rows, const __u64 *row, FILE *to)
{
	char *buf = malloc(AGG_STACK_MAX);
	const struct tap_field *key;
	const char *comma = "";
	unsigned int i;

	fputc('{', to);
	for (i = 0; buf && (key = tap_aggregation_key(rows->a, i)); i++) {
		if (key->flags & TAP_FIELD_F_HIDDEN)
			continue;
		fputs(comma, to);
		tool_json(to, key->name);
		agg_rows_key(rows, row, i, buf, AGG_STACK_MAX);
		fprintf(to, ":%s", buf);
		comma = ",";
	}
	fputc('}', to);
	free(buf);
}

static void print_row(const struct agg_rows *rows, const __u64 *row, FILE *to)
{
	bool other = tap_aggregation_is_other(row);
	unsigned int i;

	fprintf(to, "{\"type\":\"row\",\"time\":%.3f,\"seconds\":%.3f,",
		(double)rows->time / 1e9, (double)rows->ns / 1e9);
	if (rows->glob) {
		fputs("\"event\":", to);
		tool_json(to, tap_spec_wanted(rows->spec));
	} else {
		tool_json_event(to, rows->spec);
	}
	if (rows->table >= 0)
		fprintf(to, ",\"table\":%d", rows->table);
	fputs(",\"keys\":", to);
	if (other)
		fputs("null", to);
	else
		print_keys(rows, row, to);
	fprintf(to, ",\"count\":%llu,\"values\":[",
		(unsigned long long)tap_aggregation_count(rows->a, row));
	for (i = 0; i < tap_aggregation_nr_values(rows->a); i++) {
		if (i)
			fputc(',', to);
		print_value(rows, row, i, to);
	}
	fprintf(to, "]%s%s}\n", other ? ",\"other\":true" : "",
		rows->all ? ",\"total\":true" : "");
}

void agg_rows_print_json(const struct agg_rows *rows, FILE *to)
{
	size_t i;

	for (i = 0; i < rows->nr; i++)
		print_row(rows, rows->list[i], to);
	if (rows->other)
		print_row(rows, rows->other, to);
}
