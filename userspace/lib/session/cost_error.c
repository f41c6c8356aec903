// SPDX-License-Identifier: LGPL-2.1
/*
 * The error message for a program that may take too many instructions.
 */
#include <libtap.h>

#include "module/common/program_cost.h"
#include "session/cost_error.h"
#include "spec/spec.h"
#include "util/util.h"

/* The operations of one kind: what they are and what to do, their number, their instructions. */
struct dear {
	const char *text;
	unsigned int nr;
	unsigned long long cost;
};

static unsigned int kind_of(const struct tap_op *op)
{
	if (op->code == TAP_OP_JOIN || op->code == TAP_OP_JOIN_USER)
		return 5;
	if (op->code == TAP_OP_PATH || op->code == TAP_OP_DENTRY)
		return 6;
	if (op->code >= TAP_OP_KSTACK)
		return 3;
	if (op->code >= TAP_OP_STRING)
		return 2;
	if (op->code >= TAP_OP_MATCH && op->code < TAP_OP_COMM)
		return 1;
	return op->code == TAP_OP_LOAD || op->code == TAP_OP_LOAD_USER ? 0 : 4;
}

/**
 * tap_explain_cost() - why the module refuses a program with EFBIG
 * @err: gets the message: how many instructions, and what takes most of them
 * @code: -EFBIG
 * @what: the probe, for the message
 * @spec: a spec with its program
 *
 * Return: @code.
 */
int tap_explain_cost(struct tap_error *err, int code, const char *what,
		     const struct tap_spec *spec)
{
	struct dear kinds[] = {
		{ "reads of memory: take fewer", 0, 0 },
		{ "comparisons of text: take fewer, or fewer patterns with * on both sides of a word",
		  0, 0 },
		{ "texts and arrays: take fewer or shorter ones, such as :string[100]", 0, 0 },
		{ "stacks: take one kstack and one ustack, which do not count", 0, 0 },
		{ "other steps: take fewer or simpler expressions", 0, 0 },
		{ "joined texts: take fewer, or fewer of each: join(argv, 8)", 0, 0 },
		{ "paths: take fewer or shorter ones, such as :path[20]", 0, 0 },
	}, *most = kinds;
	unsigned long long cost = tap_program_cost(spec->ops, spec->nr_ops, spec->data,
						   spec->flags);
	unsigned int i, k, words;

	for (i = 0; i < spec->nr_ops; i++) {
		struct dear *kind = &kinds[kind_of(&spec->ops[i])];

		kind->nr++;
		kind->cost += tap_op_cost(&spec->ops[i], i + 1 < spec->nr_ops ?
					  &spec->ops[i + 1] : NULL, spec->data, spec->flags);
	}
	/* A single stack of each kind is in no sum. */
	if (kinds[3].nr < 2)
		kinds[3].cost = 0;
	for (i = 1; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].cost > most->cost)
			most = &kinds[i];
	for (k = 0; k < spec->nr_aggs; k++) {
		const struct tap_aggregate *agg = &spec->agg[k].aggregate;

		for (i = 0, words = 0; i < agg->nr_keys; i++)
			words += agg->keys[i].words;
		cost += tap_aggregate_cost(words, agg->entries < 64 ? agg->entries : 64,
					   agg->nr_aggs);
	}
	return tap_error_set(err, code,
			     "%s: its program may take %llu instructions at an event, and at most %u are allowed; it has %u %s",
			     what, cost, TAP_MAX_COST, most->nr, most->text);
}
