// SPDX-License-Identifier: LGPL-2.1
/*
 * Keys and values of an aggregation's rows as text.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "session/aggregation.h"
#include "session/stacks.h"
#include "util/sized.h"

/* A key of a row as text, stacks included. */
#define KEY_TEXT_MAX	(512 << 10)

/* The hidden key that has the process of the other keys' addresses; -1: there is none. */
static int process_key(const struct tap_aggregation *a)
{
	unsigned int i;

	for (i = 0; i < a->agg->aggregate.nr_keys; i++)
		if (a->agg->keys[i].flags & TAP_FIELD_F_HIDDEN)
			return (int)i;
	return -1;
}

static bool is_in_row(const struct tap_aggregation *a,
		      const struct tap_field *key)
{
	return key->words && key->word + key->words <= a->count_at;
}

static int put_words(const struct tap_formatter_opts *opts,
		     const struct tap_field *field, const __u64 *words,
		     char *buf, size_t size)
{
	int ret = tap_format_words(opts, field, words, buf, size);

	if (ret >= 0)
		return 0;
	strcpy(buf, opts->json ? "null" : "?");
	return ret;
}

int tap_aggregation_format_key(const struct tap_aggregation *a,
			       const __u64 *row, unsigned int i,
			       const struct tap_formatter_opts *opts,
			       char *buf, size_t size)
{
	const struct tap_field *keys = a->agg->keys;
	struct tap_formatter_opts known;
	int process = process_key(a);
	int ret = tap_sized_read(&known, sizeof(known), opts);

	if (ret)
		return ret;
	if (process >= 0 && is_in_row(a, &keys[process]))
		known.tgid = (__u32)row[keys[process].word];
	/* The time of the events is not known: use the latest state of the process. */
	known.time = ~0ULL;
	known.stack = tap_stacks_words;
	known.stack_arg = a->stacks;
	if (!is_in_row(a, &keys[i])) {
		strcpy(buf, known.json ? "null" : "?");
		return -EINVAL;
	}
	return put_words(&known, &keys[i], row + keys[i].word, buf, size);
}

int tap_aggregation_format_value(const struct tap_aggregation *a,
				 unsigned int i, __u64 value,
				 const struct tap_formatter_opts *opts,
				 char *buf, size_t size)
{
	const struct tap_agg *agg = &a->agg->aggs[i];
	bool extreme = agg->kind == TAP_AGG_MIN || agg->kind == TAP_AGG_MAX;
	struct tap_field field = a->agg->values[i];
	struct tap_formatter_opts known;
	int ret = tap_sized_read(&known, sizeof(known), opts);

	if (ret)
		return ret;
	/* A sum may exceed the type of the value, and a sum of flags has no names. */
	field.words = 1;
	field.count = 0;
	if (field.format != TAP_FMT_NS && !extreme)
		field.format = agg->flags & TAP_AGG_F_SIGNED ? TAP_FMT_S64 :
							       TAP_FMT_U64;
	return put_words(&known, &field, &value, buf, size);
}

/**
 * struct shown - a row and its text
 * @row: the row
 * @text: its keys as printed; allocated
 */
struct shown {
	__u64 *row;
	char *text;
};

static int compare_shown(const void *x, const void *y)
{
	const struct shown *a = x, *b = y;
	int diff = strcmp(a->text, b->text);

	return diff ? diff : (a->row > b->row) - (a->row < b->row);
}

static char *show(const struct tap_aggregation *a, const __u64 *row,
		  const struct tap_formatter_opts *opts, char *buf)
{
	char *text = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&text, &len);
	unsigned int i;

	if (!to)
		return NULL;
	for (i = 0; i < a->agg->aggregate.nr_keys; i++) {
		if (a->agg->keys[i].flags & TAP_FIELD_F_HIDDEN)
			continue;
		tap_aggregation_format_key(a, row, i, opts, buf, KEY_TEXT_MAX);
		/* The text of a key never contains this byte. */
		fprintf(to, "%s\001", buf);
	}
	if (fclose(to)) {
		free(text);
		return NULL;
	}
	return text;
}

static int show_all(const struct tap_aggregation *a,
		    const struct tap_formatter_opts *opts, struct shown *list)
{
	char *buf = malloc(KEY_TEXT_MAX);
	size_t i;

	for (i = 0; buf && i < a->nr; i++) {
		list[i].row = a->rows + i * a->row_words;
		list[i].text = show(a, list[i].row, opts, buf);
		if (!list[i].text)
			break;
	}
	free(buf);
	return buf && i == a->nr ? 0 : -ENOMEM;
}

/* Gives rows with the same text the same keys, so that they merge. */
static void unify(const struct tap_aggregation *a, struct shown *list)
{
	const __u64 *first = NULL;
	const char *text = NULL;
	size_t i;

	qsort(list, a->nr, sizeof(*list), compare_shown);
	for (i = 0; i < a->nr; i++) {
		if (tap_aggregation_is_other(list[i].row))
			continue;
		if (first && !strcmp(text, list[i].text)) {
			memcpy(list[i].row, first, a->count_at * sizeof(*first));
			continue;
		}
		first = list[i].row;
		text = list[i].text;
	}
}

int tap_aggregation_unify(struct tap_aggregation *a,
			  const struct tap_formatter_opts *opts)
{
	struct tap_formatter_opts known;
	struct shown *list;
	size_t i;
	int ret = tap_sized_read(&known, sizeof(known), opts);

	if (ret || process_key(a) < 0 || !a->nr)
		return ret;
	list = calloc(a->nr, sizeof(*list));
	if (!list)
		return -ENOMEM;
	ret = show_all(a, &known, list);
	if (!ret)
		unify(a, list);
	for (i = 0; i < a->nr; i++)
		free(list[i].text);
	free(list);
	if (!ret)
		tap_aggregation_merge(a);
	return ret;
}
