// SPDX-License-Identifier: LGPL-2.1
/*
 * Aggregations: the words that keys and values have in the event, and those that they have in the
 * table that is read out.
 */
#include <errno.h>

#include "compile/aggregate.h"
#include "module/common/aggregate_layout.h"
#include "util/value_names.h"

/* Sets the keys, and one entry if they are the same for all events. Returns the word behind them. */
static unsigned int make_keys(struct tap_output *outputs, unsigned int nr,
			      struct tap_spec_agg *agg)
{
	unsigned int word = TAP_AGG_KEY, same = 0, i;

	for (i = 0; i < nr; i++) {
		struct tap_field *field = &outputs[i].field;

		if (outputs[i].in_record)
			field->words = 1;
		agg->aggregate.keys[i] = (struct tap_key) {
			.word = field->word, .words = field->words,
		};
		agg->keys[i] = *field;
		tap_value_names_get(field->value_names);
		agg->keys[i].word = word;
		word += field->words;
		same += outputs[i].is_place;
		if (outputs[i].is_place)
			agg->keys[i].flags |= TAP_FIELD_F_PLACE;
	}
	if (same && same == nr)
		agg->aggregate.entries = 1;
	return word;
}

/**
 * tap_aggregate_make() - describe an aggregation, for the kernel and for its reader
 * @t: for error messages
 * @table: the aggregation as it is wanted
 * @outputs: its keys, then its values; their places in the event are known
 * @nr_keys: number of keys, with a hidden one
 * @agg: all zero; filled in. Holds references of value names, also after an error
 *
 * Return: 0 or -errno.
 */
int tap_aggregate_make(struct tap_sema *t, const struct tap_table_text *table,
		       struct tap_output *outputs, unsigned int nr_keys,
		       struct tap_spec_agg *agg)
{
	unsigned int word, i;

	agg->aggregate.size = sizeof(agg->aggregate);
	agg->aggregate.nr_keys = nr_keys;
	agg->aggregate.nr_aggs = table->nr_aggs;
	agg->aggregate.entries = table->entries;
	/* The count follows the last key. */
	word = make_keys(outputs, nr_keys, agg) + 1;
	for (i = 0; i < table->nr_aggs; i++) {
		const struct tap_output *out = &outputs[nr_keys + i];
		const struct tap_spec_value *wanted = &table->wanted[i];

		if (out->op.code) {
			t->p.text = out->item->text;
			return SEMA_DIAG(t, out->item->t,
					 "this is not a number and cannot be aggregated; make it a key");
		}
		agg->aggs[i] = (struct tap_agg) {
			.kind = wanted->kind, .word = out->field.word,
			.flags = out->is_signed ? TAP_AGG_F_SIGNED : 0,
		};
		if (wanted->kind == TAP_AGG_HIST && out->field.format == TAP_FMT_NS)
			agg->aggs[i].flags |= TAP_AGG_F_DECIMAL;
		if (wanted->kind == TAP_AGG_LHIST) {
			agg->aggs[i].buckets = wanted->buckets;
			agg->aggs[i].base = wanted->base;
			agg->aggs[i].step = wanted->step;
		}
		agg->avg[i] = wanted->avg;
		agg->values[i] = out->field;
		tap_value_names_get(out->field.value_names);
		agg->values[i].word = word;
		agg->values[i].words = tap_agg_words(&agg->aggs[i]);
		word += agg->values[i].words;
	}
	return 0;
}
