// SPDX-License-Identifier: LGPL-2.1
/*
 * tap_spec_aggregate(): parses the keys and values of an aggregation.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lang/lang.h"
#include "spec/ast.h"
#include "util/sized.h"

/* Keys for which each CPU has room by default. */
#define DEFAULT_ENTRIES	4096
/* Room for stacks: this takes 80 MiB. */
#define MAX_STACKS	262144U

static int check_wanted(const struct tap_spec_value *value,
			struct tap_error *err)
{
	if (!value->expr)
		return tap_error_set(err, -EINVAL,
				     "a value of the aggregation has no expression");
	switch (value->kind) {
	case TAP_AGG_SUM:
	case TAP_AGG_MIN:
	case TAP_AGG_MAX:
	case TAP_AGG_HIST:
		return 0;
	case TAP_AGG_LHIST:
		if (value->step && value->buckets &&
		    value->buckets <= TAP_MAX_BUCKETS)
			return 0;
		return tap_error_set(err, -EINVAL,
				     "%s: a linear histogram has 1 to %d buckets, each at least 1 wide",
				     value->expr, TAP_MAX_BUCKETS);
	}
	return tap_error_set(err, -EINVAL, "%s: there is no such aggregation",
			     value->expr);
}

int tap_spec_aggregate(struct tap_spec *spec, const char *const *keys,
		       unsigned int nr_keys,
		       const struct tap_spec_value *values,
		       unsigned int nr_values, __u32 entries,
		       struct tap_error *err)
{
	const char *element = (const char *)values;
	struct tap_ast *ast = spec->ast;
	struct tap_table_text *table;
	struct tap_spec_value value;
	unsigned int i;
	__u32 stacks;
	int ret = 0;

	if (err)
		memset(err, 0, sizeof(*err));
	if (!ast)
		return tap_error_set(err, -EINVAL,
				     "tap_spec_aggregate() comes before tap_spec_expand()");
	if (ast->nr_tables == TAP_MAX_AGGREGATES)
		return tap_error_set(err, -E2BIG,
				     "%s: an event has at most %d tables; give some of them to a second event",
				     spec->event, TAP_MAX_AGGREGATES);
	if (nr_keys > TAP_MAX_KEYS)
		return tap_error_set(err, -E2BIG,
				     "an aggregation has at most %d keys",
				     TAP_MAX_KEYS);
	if (nr_values > TAP_MAX_AGGS)
		return tap_error_set(err, -E2BIG,
				     "an aggregation has at most %d values",
				     TAP_MAX_AGGS);
	if (!entries)
		entries = DEFAULT_ENTRIES;
	if (entries & (entries - 1) || entries > TAP_MAX_ENTRIES)
		return tap_error_set(err, -EINVAL,
				     "%u: the number of entries must be a power of two up to %u",
				     entries, TAP_MAX_ENTRIES);
	table = realloc(ast->tables, (ast->nr_tables + 1) * sizeof(*table));
	if (!table)
		return tap_error_set(err, -ENOMEM, "out of memory");
	ast->tables = table;
	table += ast->nr_tables++;
	memset(table, 0, sizeof(*table));
	table->entries = nr_keys ? entries : 1;
	/* A stack of either kind, and others than those of the keys that a CPU has. */
	stacks = entries < MAX_STACKS / 4 ? entries * 4 : MAX_STACKS;
	if (stacks > ast->whole_stacks)
		ast->whole_stacks = stacks;
	for (i = 0; i < nr_keys && !ret; i++)
		ret = tap_item_parse_text(spec, keys[i],
					  &table->keys[table->nr_keys++], err);
	if (!ret)
		ret = tap_items_distinguish((struct tap_parser) { .err = err, .spec = spec },
					    "keys", table->keys, table->nr_keys);
	for (i = 0; i < nr_values && !ret; i++) {
		ret = tap_sized_read(&value, sizeof(value), element);
		if (ret)
			return tap_error_set(err, ret,
					     "the values of the aggregation are those of another version of libtap");
		ret = check_wanted(&value, err);
		if (ret)
			break;
		table->wanted[i] = value;
		table->wanted[i].expr = NULL;
		ret = tap_item_parse_text(spec, value.expr,
					  &table->aggs[table->nr_aggs++], err);
		/* The caller's elements are as long as its version has them. */
		element += values->size;
	}
	return ret;
}
