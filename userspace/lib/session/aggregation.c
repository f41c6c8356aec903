// SPDX-License-Identifier: LGPL-2.1
/*
 * Reading the tables of all CPUs, and adding up their rows.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "module/common/aggregate_layout.h"
#include "session/aggregation.h"
#include "session/session.h"
#include "session/stacks.h"
#include "spec/field.h"
#include "spec/probe_table.h"

/* Words that one TAP_IOC_READ has room for, at least. */
#define CHUNK_WORDS	16384U

static bool is_signed(const struct tap_agg *agg)
{
	return agg->flags & TAP_AGG_F_SIGNED;
}

/**
 * tap_aggregation_init() - tap_aggregation_open() into a structure of the caller
 * @a: filled in; end it with tap_aggregation_clear()
 * @agg: of the spec; must stay as long as @a
 *
 * Return: 0, or -EINVAL if @agg is not valid.
 */
int tap_aggregation_init(struct tap_aggregation *a,
			 const struct tap_spec_agg *agg)
{
	unsigned int i, words = TAP_AGG_KEY;

	memset(a, 0, sizeof(*a));
	if (agg->aggregate.nr_keys > TAP_MAX_KEYS ||
	    agg->aggregate.nr_aggs > TAP_MAX_AGGS)
		return -EINVAL;
	for (i = 0; i < agg->aggregate.nr_keys; i++)
		words += agg->aggregate.keys[i].words;
	if (words > TAP_AGG_KEY + TAP_MAX_AGG_WORDS)
		return -EINVAL;
	a->count_at = words++;
	for (i = 0; i < agg->aggregate.nr_aggs; i++) {
		a->value_at[i] = words;
		a->value_words[i] = tap_agg_words(&agg->aggs[i]);
		if (!a->value_words[i])
			return -EINVAL;
		words += a->value_words[i] + TAP_AGG_ABSENT_WORDS;
	}
	a->row_words = words;
	a->agg = agg;
	return 0;
}

/**
 * tap_aggregation_clear() - free the rows, not the structure itself
 * @a: may be all zero; has no rows afterwards
 */
void tap_aggregation_clear(struct tap_aggregation *a)
{
	free(a->rows);
	tap_stacks_put(a->stacks);
	a->stacks = NULL;
	a->rows = NULL;
	a->nr = 0;
	a->room = 0;
}

__u64 *tap_aggregation_room(struct tap_aggregation *a, size_t rows)
{
	size_t size = a->row_words * sizeof(__u64);

	if (a->room - a->nr < rows) {
		size_t room = a->room * 2 > a->nr + rows ? a->room * 2 :
							   a->nr + rows;
		__u64 *list = room < SIZE_MAX / size ?
			      realloc(a->rows, room * size) : NULL;

		if (!list)
			return NULL;
		a->rows = list;
		a->room = room;
	}
	return a->rows + a->nr * a->row_words;
}

/* Compares flags and key: TAP_ENTRY_OTHER puts the row of all other keys last. */
static int compare_keys(const void *x, const void *y, void *arg)
{
	const struct tap_aggregation *a = arg;
	const __u64 *p = x, *q = y;
	unsigned int i;

	for (i = 0; i < a->count_at; i++)
		if (p[i] != q[i])
			return p[i] < q[i] ? -1 : 1;
	return 0;
}

static bool less(const struct tap_agg *agg, __u64 v, __u64 w)
{
	return is_signed(agg) ? (__s64)v < (__s64)w : v < w;
}

static void add_row(const struct tap_aggregation *a, __u64 *to,
		    const __u64 *row)
{
	unsigned int i, k;

	to[a->count_at] += row[a->count_at];
	for (i = 0; i < a->agg->aggregate.nr_aggs; i++) {
		const struct tap_agg *agg = &a->agg->aggs[i];
		unsigned int at = a->value_at[i], absent = at + a->value_words[i];

		to[absent] += row[absent];
		if (agg->kind == TAP_AGG_MIN || agg->kind == TAP_AGG_MAX) {
			if (less(agg, row[at], to[at]) ==
			    (agg->kind == TAP_AGG_MIN))
				to[at] = row[at];
			continue;
		}
		for (k = at; k < absent; k++)
			to[k] += row[k];
	}
}

void tap_aggregation_merge(struct tap_aggregation *a)
{
	size_t size = a->row_words * sizeof(__u64), i;
	__u64 *last = a->rows;

	if (!a->nr)
		return;
	qsort_r(a->rows, a->nr, size, compare_keys, a);
	for (i = 1; i < a->nr; i++) {
		const __u64 *row = a->rows + i * a->row_words;

		if (!compare_keys(last, row, a)) {
			add_row(a, last, row);
			continue;
		}
		last += a->row_words;
		if (last != row)
			memcpy(last, row, size);
	}
	a->nr = (size_t)(last - a->rows) / a->row_words + 1;
}

static int read_cpu(struct tap_aggregation *a, struct tap_session *session,
		    __u32 cpu)
{
	__u32 rows = 1 + CHUNK_WORDS / a->row_words;
	__u32 words = rows * a->row_words;
	struct tap_read read = { 0 };
	__u32 from;
	int ret;

	do {
		__u64 *to = tap_aggregation_room(a, rows);

		if (!to)
			return -ENOMEM;
		from = read.out_next;
		ret = tap_session_read(session, a->id, a->index, cpu, from, to, words,
				       &read);
		if (ret)
			return ret;
		/* Each read must go on from the last one, or the loop would not end. */
		if (read.out_entry_words != a->row_words ||
		    read.out_entries > rows ||
		    (read.out_next && read.out_next <= from))
			return -EBADMSG;
		a->nr += read.out_entries;
	} while (read.out_next);
	return 0;
}

/* Gives the same stack the same id in all rows, whichever CPU stored it. */
static int unify_stacks(struct tap_aggregation *a, struct tap_session *session)
{
	const struct tap_field *key;
	unsigned int i;
	size_t row;
	int ret = 0;

	for (i = 0; i < a->agg->aggregate.nr_keys; i++) {
		key = &a->agg->keys[i];
		if (!tap_format_is_stack_id(key->format))
			continue;
		for (row = 0; row < a->nr && !ret; row++)
			ret = tap_session_stack_same(session,
						     a->rows + row * a->row_words + key->word);
		if (!a->stacks)
			a->stacks = tap_stacks_get(tap_session_stacks(session));
	}
	return ret;
}

int tap_aggregation_read(struct tap_aggregation *a, struct tap_session *session)
{
	unsigned int cpu;
	int ret = 0;

	a->nr = 0;
	for (cpu = 0; cpu < tap_session_nr_rings(session) && !ret; cpu++)
		ret = read_cpu(a, session, cpu);
	if (!ret)
		ret = unify_stacks(a, session);
	if (ret)
		a->nr = 0;
	tap_aggregation_merge(a);
	return ret;
}

/* Sums and counts are subtracted; an extreme stays. */
static void subtract_row(const struct tap_aggregation *a, __u64 *from,
			 const __u64 *row)
{
	unsigned int i, k;

	from[a->count_at] -= row[a->count_at];
	for (i = 0; i < a->agg->aggregate.nr_aggs; i++) {
		unsigned int at = a->value_at[i], absent = at + a->value_words[i];
		unsigned int kind = a->agg->aggs[i].kind;

		from[absent] -= row[absent];
		if (kind == TAP_AGG_MIN || kind == TAP_AGG_MAX)
			continue;
		for (k = at; k < absent; k++)
			from[k] -= row[k];
	}
}

void tap_aggregation_since(struct tap_aggregation *a,
			   const struct tap_aggregation *then)
{
	size_t size = a->row_words * sizeof(__u64), i, k = 0, nr = 0;

	for (i = 0; i < a->nr; i++) {
		__u64 *row = a->rows + i * a->row_words;
		const __u64 *old = NULL;
		int order = 1;

		/* Both are in the order of their keys. */
		for (; k < then->nr && order > 0; k += order > 0) {
			old = then->rows + k * a->row_words;
			order = compare_keys(row, old, a);
		}
		if (!order)
			subtract_row(a, row, old);
		if (row[a->count_at])
			memmove(a->rows + nr++ * a->row_words, row, size);
	}
	a->nr = nr;
}

int tap_aggregation_open(struct tap_aggregation **out,
			 const struct tap_probe *probe, unsigned int index)
{
	struct tap_aggregation *a;
	int ret;

	if (index >= probe->spec.nr_aggs)
		return -EINVAL;
	a = malloc(sizeof(*a));
	if (!a)
		return -ENOMEM;
	ret = tap_aggregation_init(a, &probe->spec.agg[index]);
	if (ret) {
		free(a);
		return ret;
	}
	a->id = probe->id;
	a->index = index;
	*out = a;
	return 0;
}

void tap_aggregation_close(struct tap_aggregation *a)
{
	if (!a)
		return;
	tap_aggregation_clear(a);
	free(a);
}

int tap_aggregation_dup(struct tap_aggregation **out,
			const struct tap_aggregation *from)
{
	size_t size = from->nr * from->row_words * sizeof(__u64);
	struct tap_aggregation *a = malloc(sizeof(*a));

	if (!a)
		return -ENOMEM;
	*a = *from;
	a->room = a->nr;
	a->stacks = NULL;
	/* An aggregation without rows has an array as well: NULL means failure. */
	a->rows = malloc(size + 1);
	if (!a->rows) {
		free(a);
		return -ENOMEM;
	}
	if (size)
		memcpy(a->rows, from->rows, size);
	a->stacks = tap_stacks_get(from->stacks);
	*out = a;
	return 0;
}

/* func: which probe of a glob it is; or NULL. */
static const struct tap_field *place_key(const struct tap_aggregation *a)
{
	unsigned int i;

	for (i = 0; i < a->agg->aggregate.nr_keys; i++)
		if (a->agg->keys[i].flags & TAP_FIELD_F_PLACE)
			return &a->agg->keys[i];
	return NULL;
}

bool tap_aggregation_same_glob(const struct tap_aggregation *a, const struct tap_aggregation *b)
{
	const struct tap_field *x = place_key(a), *y = place_key(b);

	/* The list of the names is made once for each glob. */
	return x && y && x->value_names == y->value_names;
}

/* Functions of a glob may have other types. */
static bool same_formats(const struct tap_field *a, const struct tap_field *b, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (a[i].format != b[i].format || a[i].words != b[i].words)
			return false;
	return true;
}

bool tap_aggregation_same_layout(const struct tap_aggregation *a,
				 const struct tap_aggregation *b)
{
	const struct tap_aggregate *how = &a->agg->aggregate;

	if (a->row_words != b->row_words || a->count_at != b->count_at)
		return false;
	return !tap_aggregation_same_glob(a, b) ||
	       (same_formats(a->agg->keys, b->agg->keys, how->nr_keys) &&
		same_formats(a->agg->values, b->agg->values, how->nr_aggs));
}

int tap_aggregation_add(struct tap_aggregation *to,
			const struct tap_aggregation *from)
{
	__u64 *rows;

	if (!tap_aggregation_same_layout(to, from))
		return -EINVAL;
	if (!from->nr)
		return 0;
	rows = tap_aggregation_room(to, from->nr);
	if (!rows)
		return -ENOMEM;
	memcpy(rows, from->rows, from->nr * from->row_words * sizeof(*rows));
	to->nr += from->nr;
	/* Of the same session: the ids mean the same. */
	if (!to->stacks)
		to->stacks = tap_stacks_get(from->stacks);
	tap_aggregation_merge(to);
	return 0;
}
