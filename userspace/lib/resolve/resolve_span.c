// SPDX-License-Identifier: LGPL-2.1
/*
 * From a span to its probes: the span itself, then the probes of its "from" side, then those of
 * its "to" side.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"
#include "compile/program.h"
#include "resolve/resolve.h"
#include "spec/ast.h"
#include "spec/field.h"
#include "spec/probe_type.h"
#include "util/util.h"
#include "util/value_names.h"

/* Entries that a table has room for by default. */
#define DEFAULT_ENTRIES	16384

static const char *const side_names[] = { "from", "to" };

/* The probes of one side. */
struct side {
	struct tap_spec *list;
	size_t nr;
};

static void side_clear(struct side *side)
{
	while (side->nr)
		tap_spec_clear(&side->list[--side->nr]);
	free(side->list);
}

/* Words of the key and of the values of a side: of its fields. */
static void count_words(const struct tap_spec *spec, unsigned int nr_keys, __u16 *keys,
			__u16 *values)
{
	unsigned int i;

	*keys = 0;
	*values = 0;
	for (i = 0; i < spec->nr_fields; i++)
		*(i < nr_keys ? keys : values) += spec->fields[i].words;
}

static bool same_layout(const struct tap_spec *a, const struct tap_spec *b)
{
	unsigned int i;

	if (a->nr_fields != b->nr_fields)
		return false;
	for (i = 0; i < a->nr_fields; i++)
		if (a->fields[i].words != b->fields[i].words ||
		    a->fields[i].format != b->fields[i].format ||
		    a->fields[i].word - a->fields[0].word !=
		    b->fields[i].word - b->fields[0].word)
			return false;
	return true;
}

/* "span:NAME from EVENT" is what a side is called in totals and errors. */
static int name_side(struct tap_spec *probe, const struct tap_spec *span, unsigned int which)
{
	char *event;

	if (asprintf(&event, "%s %s %s", span->event, side_names[which], probe->event) < 0)
		return -ENOMEM;
	free(probe->event);
	probe->event = event;
	probe->side = which ? TAP_SIDE_TO : TAP_SIDE_FROM;
	return 0;
}

/* Gives each probe of a side its name; all must have the same words, as they share the table. */
static int check_side(const struct tap_spec *span, unsigned int which, struct side *side,
		      struct tap_error *err)
{
	size_t i;

	for (i = 0; i < side->nr; i++) {
		if (!same_layout(&side->list[0], &side->list[i]))
			return tap_error_set(err, -EINVAL,
					     "%s: the values of %s and %s differ in type; cast them to the same one: (u64)x",
					     span->event, side->list[0].target,
					     side->list[i].target);
		if (name_side(&side->list[i], span, which))
			return tap_error_set(err, -ENOMEM, "out of memory");
	}
	return 0;
}

/* Absent outputs of a side without a word for them have a bit that is never set. */
static void mark_fields(struct tap_spec *spec, bool returns)
{
	bool absent = false;
	unsigned int i;

	for (i = 0; i < spec->nr_fields; i++)
		absent |= spec->fields[i].flags & TAP_FIELD_F_ABSENT;
	for (i = 0; i < spec->nr_fields; i++) {
		spec->fields[i].flags |= returns ? TAP_FIELD_F_RETURN : TAP_FIELD_F_FROM;
		if (!absent)
			spec->fields[i].output = TAP_MAX_OUTPUTS - 1;
	}
}

/* What an open entry has, for tap_span_field(). */
static int set_open(struct tap_spec_span *link, const struct tap_spec *from)
{
	const unsigned int head = sizeof(struct tap_span_event) / 8;
	const unsigned int first = tap_span_first_word(from, &link->table);
	unsigned int i;

	link->open = calloc(from->nr_fields, sizeof(*link->open));
	if (!link->open)
		return -ENOMEM;
	for (i = 0; i < from->nr_fields; i++) {
		link->open[i] = from->fields[i];
		link->open[i].word = (__u16)(head + from->fields[i].word - first);
		tap_value_names_get(link->open[i].value_names);
		link->nr_open++;
	}
	return 0;
}

/* The key and the values of a side have room in the table: its program keeps no more words. */
_Static_assert(TAP_MAX_AGG_WORDS <= TAP_MAX_SPAN_WORDS, "words of a side");

static int make_table(struct tap_spec_span *link, const struct tap_spec *spec,
		      const struct side sides[2], struct tap_error *err)
{
	const struct tap_ast *ast = spec->ast;
	const struct tap_ast *from = ast->span->side[0]->ast, *to = ast->span->side[1]->ast;
	__u16 to_keys;
	unsigned int i;

	link->table = (struct tap_span_table) {
		.size = sizeof(link->table), .mode = ast->span->mode,
		.entries = ast->span->entries ? ast->span->entries : DEFAULT_ENTRIES,
	};
	count_words(sides[0].list, from->nr_keys, &link->table.nr_keys, &link->table.from_words);
	count_words(sides[1].list, to->nr_keys, &to_keys, &link->table.to_words);
	for (i = 0; i < from->nr_keys; i++)
		if (sides[0].list[0].fields[i].words != sides[1].list[0].fields[i].words)
			return tap_error_set(err, -EINVAL,
					     "%s: %s of \"from\" and %s of \"to\" are keys of different length; give texts the same length, e.g. :string[32]",
					     spec->event, from->keys[i].name, to->keys[i].name);
	link->nr_open_keys = from->nr_keys;
	return set_open(link, sides[0].list) ?
	       tap_error_set(err, -ENOMEM, "out of memory") : 0;
}

/* Words of absent values are copied into the record as they are. */
static int add_absent(struct tap_spec *span, const struct tap_spec *side, struct tap_error *err)
{
	const struct tap_span_table *table = &span->span->table;
	unsigned int i, at;
	struct tap_field field;
	struct tap_op *ops;

	for (i = 0; i < side->nr_fields; i++)
		if (side->fields[i].flags & TAP_FIELD_F_ABSENT)
			break;
	if (i == side->nr_fields || span->agg)
		return 0;
	at = side->fields[i].word - tap_span_first_word(side, table);
	if (side->side == TAP_SIDE_TO)
		at += table->from_words;
	field = side->fields[i];
	field.word = 0;
	for (at = at * 8 + sizeof(struct tap_span_event), i = 0; i < span->nr_ops; i++)
		field.word += (__u16)tap_op_words(&span->ops[i]);
	ops = realloc(span->ops, (span->nr_ops + 1) * sizeof(*ops));
	if (!ops || tap_spec_add_field(span, &field))
		return tap_error_set(err, -ENOMEM, "out of memory");
	span->ops = ops;
	ops[span->nr_ops++] = (struct tap_op) {
		.code = TAP_OP_FIELD, .dst = TAP_OP_OUT, .size = 8, .off = (__s32)at,
	};
	return 0;
}

static int make_span(struct tap_spec *span, const struct tap_spec *spec,
		     const struct side sides[2], struct tap_error *err)
{
	const struct tap_spec *const first[2] = { sides[0].list, sides[1].list };
	struct tap_scope scope = { 0 };
	unsigned int i;
	int ret;

	ret = make_table(span->span, spec, sides, err);
	for (i = 0; i < 2; i++)
		mark_fields(sides[i].list, i);
	if (!ret)
		ret = tap_scope_span(&scope, first, &span->span->table, err);
	if (!ret)
		ret = tap_program_make(span, spec->ast, &scope, NULL, err);
	for (i = 0; i < 2 && !ret; i++)
		ret = add_absent(span, first[i], err);
	tap_scope_close(&scope);
	return ret;
}

/**
 * tap_spec_expand_span() - expand a span
 * @syms: as for tap_spec_expand()
 * @types: as for tap_spec_expand()
 * @spec: a span of tap_spec_parse()
 * @list: set to an allocated array: the span, then its sides
 * @nr: set to its length
 * @err: an error message on failure; else perhaps a remark
 *
 * Return: 0 or -errno.
 */
int tap_spec_expand_span(struct tap_symbols *syms, struct tap_types *types,
			 const struct tap_spec *spec, struct tap_spec **list,
			 size_t *nr, struct tap_error *err)
{
	struct side sides[2] = { 0 };
	struct tap_error remark[2] = { 0 };
	struct tap_spec *all = NULL;
	struct tap_spec_span *link;
	size_t i, k, n = 0;
	int ret = 0;

	for (i = 0; i < 2 && !ret; i++) {
		/* The rows of an aggregation find stacks by their id; records have them whole. */
		spec->ast->span->side[i]->ast->whole_stacks = spec->ast->whole_stacks;
		ret = tap_spec_expand_in(syms, types, spec->ast->span->side[i], &sides[i].list,
					 &sides[i].nr, &remark[i]);
		if (ret && err)
			*err = remark[i];
		if (!ret)
			ret = check_side(spec, (unsigned int)i, &sides[i], err);
	}
	if (!ret) {
		all = calloc(1 + sides[0].nr + sides[1].nr, sizeof(*all));
		link = calloc(1, sizeof(*link));
		if (!all || !link || tap_spec_copy(spec, spec->event, spec->target, all)) {
			free(link);
			ret = tap_error_set(err, -ENOMEM, "out of memory");
		}
	}
	if (!ret) {
		link->refs = 1;
		all[0].span = link;
		ret = make_span(all, spec, sides, err);
	}
	if (ret) {
		if (all)
			tap_spec_clear(all);
		free(all);
		side_clear(&sides[0]);
		side_clear(&sides[1]);
		return ret;
	}
	n = 1;
	for (i = 0; i < 2; i++) {
		for (k = 0; k < sides[i].nr; k++) {
			all[n] = sides[i].list[k];
			all[n].span = link;
			link->refs++;
			n++;
		}
		free(sides[i].list);
	}
	/* The remark of the first side that has one. */
	if (err)
		*err = *remark[0].text ? remark[0] : remark[1];
	*list = all;
	*nr = n;
	return 0;
}
