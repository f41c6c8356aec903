// SPDX-License-Identifier: LGPL-2.1
/*
 * Tables of recorded events: rows as the kernel makes them for tap stat.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "module/common/aggregate_layout.h"
#include "lang/lang.h"
#include "query/query.h"
#include "session/aggregation.h"
#include "spec/field.h"
#include "spec/probe_table.h"
#include "util/util.h"

/* Rows of single events that are held until rows of the same key are added up, at least. */
#define LEAST_HELD	4096

/**
 * struct tap_tally - a table
 * @rows: one for each event that was added last, and those of before, added up
 * @agg: their layout
 * @keys: the keys; NULL: the process of addresses in programs
 * @values: the values
 * @held: rows at which they are added up
 */
struct tap_tally {
	struct tap_aggregation rows;
	struct tap_spec_agg agg;
	struct tap_query *keys[TAP_MAX_KEYS];
	struct tap_query *values[TAP_MAX_AGGS];
	size_t held;
};

/* How the number of an expression is printed. */
static enum tap_format number_format(const struct tap_query *q)
{
	if (q->formatted)
		return q->format;
	if (q->root->kind != TAP_QUERY_FIELD)
		return q->root->is_unsigned ? TAP_FMT_U64 : TAP_FMT_S64;
	switch (q->root->field->format) {
	case TAP_FMT_DURATION:
		return TAP_FMT_NS;
	case TAP_FMT_RETVAL:
		return TAP_FMT_AUTO;
	default:
		return q->root->field->format;
	}
}

/* A field of the row for an expression. Returns false if it can be no key. */
static bool make_field(const struct tap_query *q, struct tap_field *field)
{
	const struct tap_field *from = q->root->kind == TAP_QUERY_FIELD ? q->root->field : NULL;

	memset(field, 0, sizeof(*field));
	if (from && (tap_format_is_stack(from->format) || tap_format_is_below(from->format) ||
		     tap_format_is_stack_id(from->format) || from->format == TAP_FMT_DIFF))
		return false;
	if (from) {
		field->element = from->element;
		field->count = from->count;
		field->words = from->words;
		field->value_names = tap_value_names_get(from->value_names);
	}
	memcpy(field->name, q->name, sizeof(field->name));
	if (tap_query_is_number(q->root)) {
		field->format = number_format(q);
		field->words = 1;
	} else if (q->root->kind == TAP_QUERY_COMM) {
		field->format = TAP_FMT_COMM;
		field->words = TAP_COMM_LEN / 8;
	} else if (from) {
		field->format = from->format;
	}
	return field->words;
}

static int add_key(struct tap_tally *t, const struct tap_item *item, struct tap_spec *spec,
		   const struct tap_probe *probe, const struct tap_timebase *timebase,
		   struct tap_error *err)
{
	const struct tap_parser p = { .text = item->text, .err = err, .spec = spec };
	unsigned int nr = t->agg.aggregate.nr_keys;
	int ret = tap_query_bind(&t->keys[nr], probe, timebase, spec, item, err);

	if (ret)
		return ret;
	t->agg.aggregate.nr_keys++;
	if (!make_field(t->keys[nr], &t->agg.keys[nr]))
		return tap_diag(&p, item->t.at, item->t.len, -EINVAL,
				"stacks and whole structs are no keys of a file; 'tap flame FILE' adds up stacks");
	return 0;
}

/* Addresses in programs have names in their process only. */
static int add_process(struct tap_tally *t, struct tap_error *err)
{
	unsigned int nr = t->agg.aggregate.nr_keys, i;

	for (i = 0; i < nr; i++)
		if (tap_field_is_user(&t->agg.keys[i]))
			break;
	if (i == nr)
		return 0;
	if (nr == TAP_MAX_KEYS)
		return tap_error_set(err, -E2BIG,
				     "with an address in a program there are at most %d keys",
				     TAP_MAX_KEYS - 1);
	t->agg.keys[nr] = (struct tap_field) {
		.name = "pid", .format = TAP_FMT_U32, .words = 1, .flags = TAP_FIELD_F_HIDDEN,
	};
	t->agg.aggregate.nr_keys++;
	return 0;
}

static int add_value(struct tap_tally *t, const struct tap_item *item,
		     const struct tap_spec_value *wanted, struct tap_spec *spec,
		     const struct tap_probe *probe, const struct tap_timebase *timebase,
		     struct tap_error *err)
{
	const struct tap_parser p = { .text = item->text, .err = err, .spec = spec };
	unsigned int nr = t->agg.aggregate.nr_aggs;
	struct tap_agg *agg = &t->agg.aggs[nr];
	int ret = tap_query_bind(&t->values[nr], probe, timebase, spec, item, err);

	if (ret)
		return ret;
	t->agg.aggregate.nr_aggs++;
	if (!tap_query_is_number(t->values[nr]->root))
		return tap_diag(&p, item->t.at, item->t.len, -EINVAL,
				"this is not a number and cannot be aggregated; make it a key");
	make_field(t->values[nr], &t->agg.values[nr]);
	agg->kind = wanted->kind;
	agg->flags = t->values[nr]->root->is_unsigned ? 0 : TAP_AGG_F_SIGNED;
	if (wanted->kind == TAP_AGG_HIST && t->agg.values[nr].format == TAP_FMT_NS)
		agg->flags |= TAP_AGG_F_DECIMAL;
	if (wanted->kind == TAP_AGG_LHIST) {
		agg->buckets = wanted->buckets;
		agg->base = (__u64)wanted->base;
		agg->step = wanted->step;
	}
	t->agg.avg[nr] = wanted->avg;
	return 0;
}

/* Gives keys and values their words, as tap_aggregate_make() does. */
static int lay_out(struct tap_tally *t, struct tap_error *err)
{
	unsigned int word = TAP_AGG_KEY, i;

	for (i = 0; i < t->agg.aggregate.nr_keys; i++) {
		t->agg.keys[i].word = (__u16)word;
		t->agg.aggregate.keys[i].words = t->agg.keys[i].words;
		word += t->agg.keys[i].words;
	}
	word++;
	for (i = 0; i < t->agg.aggregate.nr_aggs; i++) {
		t->agg.values[i].word = (__u16)word;
		t->agg.values[i].words = (__u16)tap_agg_words(&t->agg.aggs[i]);
		word += t->agg.values[i].words + TAP_AGG_ABSENT_WORDS;
	}
	if (!tap_aggregation_init(&t->rows, &t->agg))
		return 0;
	return tap_error_set(err, -E2BIG, "all keys together have at most %d bytes; leave out a long text",
			     TAP_MAX_AGG_WORDS * 8);
}

int tap_tally_open(struct tap_tally **tally, const struct tap_probe *probe,
		   const struct tap_timebase *timebase, const char *const *keys,
		   unsigned int nr_keys, const struct tap_spec_value *values,
		   unsigned int nr_values, struct tap_error *err)
{
	struct tap_spec spec = { .type = probe->spec.type, .event = probe->spec.event };
	struct tap_tally *t = calloc(1, sizeof(*t));
	const struct tap_table_text *table;
	unsigned int i;
	int ret;

	spec.ast = tap_ast_new("");
	if (!t || !spec.ast) {
		tap_ast_free(spec.ast);
		free(t);
		return tap_error_set(err, -ENOMEM, "out of memory");
	}
	t->held = LEAST_HELD;
	ret = tap_spec_aggregate(&spec, keys, nr_keys, values, nr_values, 0, err);
	table = spec.ast->tables;
	for (i = 0; !ret && i < table->nr_keys; i++)
		ret = add_key(t, &table->keys[i], &spec, probe, timebase, err);
	if (!ret)
		ret = add_process(t, err);
	for (i = 0; !ret && i < table->nr_aggs; i++)
		ret = add_value(t, &table->aggs[i], &table->wanted[i], &spec, probe, timebase, err);
	if (!ret)
		ret = lay_out(t, err);
	tap_ast_free(spec.ast);
	if (ret)
		tap_tally_close(t);
	else
		*tally = t;
	return ret;
}

static void store_text(const struct tap_field *field, const char *text, __u64 *words)
{
	size_t len = strlen(text), room = field->words * 8U;

	if (field->format == TAP_FMT_STRING) {
		room -= 8;
		*words++ = len < room ? len : room;
	}
	memcpy(words, text, len < room ? len : room);
}

static void store_key(struct tap_query *q, const struct tap_field *field,
		      const struct tap_event *ev, __u64 *words)
{
	struct tap_query_value v;
	unsigned int i;

	if (!q) {
		words[0] = ev->rec->tgid;
		return;
	}
	if (!tap_query_is_number(q->root) && !tap_query_is_text(q->root)) {
		if (!tap_event_absent(ev, q->root->field))
			for (i = 0; i < field->words; i++)
				words[i] = tap_event_word(ev, q->root->field->word + i);
		return;
	}
	v = tap_query_value(q, q->root, ev);
	if (v.text)
		store_text(field, v.text, words);
	else
		words[0] = v.number;
}

/* The bucket of a value: the first whose bounds it is within. */
static unsigned int find_bucket(const struct tap_aggregation *a, unsigned int i, __u64 value)
{
	bool is_signed = tap_aggregation_is_signed(a, i);
	unsigned int nr = tap_aggregation_nr_buckets(a, i), n;

	/* Of powers of two the last one has what is negative, and the bounds of the others are not. */
	if (tap_aggregation_kind(a, i) == TAP_AGG_HIST) {
		if (is_signed && value >> 63)
			return nr - 1;
		is_signed = false;
	}
	for (n = 0; n + 1 < nr; n++) {
		const struct tap_bucket b = tap_aggregation_bucket(a, i, n);

		if ((b.lowest || !tap_query_less(value, b.from, !is_signed)) &&
		    (b.highest || tap_query_less(value, b.to, !is_signed)))
			break;
	}
	return n;
}

static void store_value(const struct tap_tally *t, unsigned int i, const struct tap_event *ev,
			__u64 *row)
{
	const struct tap_aggregation *a = &t->rows;
	bool is_signed = tap_aggregation_is_signed(a, i);
	struct tap_query_value v = tap_query_value(t->values[i], t->values[i]->root, ev);
	__u64 *at = row + a->value_at[i];

	if (!v.present) {
		at[a->value_words[i]] = 1;
		/* So that it is neither the least nor the greatest. */
		if (t->agg.aggs[i].kind == TAP_AGG_MIN)
			*at = is_signed ? (__u64)INT64_MAX : UINT64_MAX;
		else if (t->agg.aggs[i].kind == TAP_AGG_MAX)
			*at = is_signed ? (__u64)INT64_MIN : 0;
		return;
	}
	if (tap_aggregation_nr_buckets(a, i))
		at[find_bucket(a, i, v.number)] = 1;
	else
		*at = v.number;
}

int tap_tally_event(struct tap_tally *t, const struct tap_event *ev)
{
	struct tap_aggregation *a = &t->rows;
	unsigned int i;
	__u64 *row;

	if (a->nr >= t->held) {
		tap_aggregation_merge(a);
		/* With many keys adding up pays only after as many new rows. */
		t->held = a->nr > LEAST_HELD / 2 ? 2 * a->nr : LEAST_HELD;
	}
	row = tap_aggregation_room(a, 1);
	if (!row)
		return -ENOMEM;
	memset(row, 0, a->row_words * sizeof(*row));
	for (i = 0; i < t->agg.aggregate.nr_keys; i++)
		store_key(t->keys[i], &t->agg.keys[i], ev, row + t->agg.keys[i].word);
	row[a->count_at] = 1;
	for (i = 0; i < t->agg.aggregate.nr_aggs; i++)
		store_value(t, i, ev, row);
	a->nr++;
	return 0;
}

struct tap_aggregation *tap_tally_rows(struct tap_tally *t)
{
	tap_aggregation_merge(&t->rows);
	return &t->rows;
}

void tap_tally_clear(struct tap_tally *t)
{
	t->rows.nr = 0;
}

void tap_tally_close(struct tap_tally *t)
{
	unsigned int i;

	if (!t)
		return;
	for (i = 0; i < TAP_MAX_KEYS; i++) {
		tap_query_close(t->keys[i]);
		tap_value_names_put(t->agg.keys[i].value_names);
	}
	for (i = 0; i < TAP_MAX_AGGS; i++) {
		tap_query_close(t->values[i]);
		tap_value_names_put(t->agg.values[i].value_names);
	}
	tap_aggregation_clear(&t->rows);
	free(t);
}
