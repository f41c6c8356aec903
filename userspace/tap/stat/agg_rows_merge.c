// SPDX-License-Identifier: GPL-2.0
/*
 * Merges rows that are printed the same: a function of a program has a different
 * address in each of its processes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "session/aggregation.h"
#include "stat/agg_rows_merge.h"

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

static char *show(const struct agg_rows *rows, const __u64 *row, char *buf)
{
	const struct tap_spec_agg *agg = rows->a->agg;
	char *text = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&text, &len);
	unsigned int i;

	if (!to)
		return NULL;
	for (i = 0; i < agg->aggregate.nr_keys; i++) {
		if (agg->keys[i].flags & TAP_FIELD_F_HIDDEN)
			continue;
		agg_rows_key(rows, row, i, buf, AGG_STACK_MAX);
		/* The text of a key never contains this byte. */
		fprintf(to, "%s\001", buf);
	}
	if (fclose(to)) {
		free(text);
		return NULL;
	}
	return text;
}

static int show_all(const struct agg_rows *rows, struct shown *list)
{
	char *buf = malloc(AGG_STACK_MAX);
	size_t i;

	for (i = 0; buf && i < rows->a->nr; i++) {
		list[i].row = rows->a->rows + i * rows->a->row_words;
		list[i].text = show(rows, list[i].row, buf);
		if (!list[i].text)
			break;
	}
	free(buf);
	return buf && i == rows->a->nr ? 0 : -ENOMEM;
}

/* Gives rows with the same text the same keys, so that they merge. */
static void unify(const struct tap_aggregation *a, struct shown *list)
{
	const __u64 *first = NULL;
	const char *text = NULL;
	size_t i;

	qsort(list, a->nr, sizeof(*list), compare_shown);
	for (i = 0; i < a->nr; i++) {
		if (list[i].row[0] & TAP_ENTRY_OTHER)
			continue;
		if (first && !strcmp(text, list[i].text)) {
			memcpy(list[i].row, first, a->count_at * sizeof(*first));
			continue;
		}
		first = list[i].row;
		text = list[i].text;
	}
}

int agg_rows_merge(struct agg_rows *rows, struct tap_aggregation *own)
{
	size_t size = rows->a->nr * rows->a->row_words * sizeof(__u64), i;
	struct shown *list;
	int ret;

	if (agg_rows_tgid_key(rows) < 0 || !rows->a->nr)
		return 0;
	*own = *rows->a;
	own->rows = malloc(size);
	list = calloc(own->nr, sizeof(*list));
	ret = own->rows && list ? 0 : -ENOMEM;
	if (!ret) {
		memcpy(own->rows, rows->a->rows, size);
		rows->a = own;
		ret = show_all(rows, list);
	}
	if (!ret)
		unify(own, list);
	for (i = 0; list && i < own->nr; i++)
		free(list[i].text);
	free(list);
	if (!ret)
		tap_aggregation_merge(own);
	return ret;
}
