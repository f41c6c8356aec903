// SPDX-License-Identifier: GPL-2.0
/*
 * Rows and kinds are in lists, for all who go through them, and in trees to find them.
 */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "diff/table.h"

static int compare(const void *a, const void *b)
{
	return a < b ? -1 : a > b;
}

static int compare_rows(const void *left, const void *right)
{
	const struct table_row *a = left, *b = right;
	int ret = compare(a->event, b->event);

	return ret ? ret : strcmp(a->key, b->key);
}

static int compare_kinds(const void *left, const void *right)
{
	const struct table_kind *a = left, *b = right;
	int ret = compare(a->row, b->row);

	if (!ret)
		ret = (int)a->of - (int)b->of;
	return ret ? ret : strcmp(a->name, b->name);
}

struct table_event *table_event(struct table *t, const char *name)
{
	struct table_event *event;

	for (event = t->events; event; event = event->next)
		if (!strcmp(event->name, name))
			return event;
	event = calloc(1, sizeof(*event));
	if (event)
		event->name = strdup(name);
	if (!event || !event->name) {
		free(event);
		return NULL;
	}
	event->order = t->events ? t->events->order + 1 : 0;
	event->next = t->events;
	t->events = event;
	return event;
}

static void free_row(struct table_row *row)
{
	histogram_free(&row->of[GOOD].durations);
	histogram_free(&row->of[BAD].durations);
	free(row->key);
	free(row->json);
	free(row);
}

int table_row(struct table *t, struct table_event *event, const char *key, const char *json,
	      struct table_row **to, struct tap_error *err)
{
	const struct table_row wanted = { .event = event, .key = (char *)key };
	void *at = tfind(&wanted, &t->row_tree, compare_rows);
	struct table_row *row;

	*to = at ? *(struct table_row **)at : NULL;
	if (at || !json)
		return 0;
	if (t->nr_rows == TABLE_ROWS)
		return tap_error_set(err, -E2BIG,
				     "the files have more than %d events and keys; choose fewer events with -e, or keys with fewer values",
				     TABLE_ROWS);
	row = calloc(1, sizeof(*row));
	if (row) {
		row->event = event;
		row->key = strdup(key);
		row->json = strdup(json);
	}
	if (!row || !row->key || !row->json || !tsearch(row, &t->row_tree, compare_rows)) {
		if (row)
			free_row(row);
		return tap_error_set(err, -ENOMEM, "out of memory");
	}
	row->next = t->rows;
	t->rows = row;
	t->nr_rows++;
	*to = row;
	return 0;
}

int table_kind(struct table *t, struct table_row *row, enum table_kind_of of, const char *name,
	       struct table_kind **to, struct tap_error *err)
{
	const struct table_kind wanted = { .row = row, .of = of, .name = (char *)name };
	void *at = tfind(&wanted, &t->kind_tree, compare_kinds);
	struct table_kind *kind;

	*to = at ? *(struct table_kind **)at : NULL;
	if (at)
		return 0;
	if (t->nr_kinds == TABLE_KINDS)
		return tap_error_set(err, -E2BIG,
				     "the events have more than %d different errors and callers; choose fewer events with -e",
				     TABLE_KINDS);
	kind = calloc(1, sizeof(*kind));
	if (kind) {
		kind->row = row;
		kind->of = of;
		kind->name = strdup(name);
	}
	if (!kind || !kind->name || !tsearch(kind, &t->kind_tree, compare_kinds)) {
		if (kind)
			free(kind->name);
		free(kind);
		return tap_error_set(err, -ENOMEM, "out of memory");
	}
	kind->next = row->kinds;
	row->kinds = kind;
	t->nr_kinds++;
	*to = kind;
	return 0;
}

static __u64 greater(const __u64 nr[2])
{
	return nr[GOOD] > nr[BAD] ? nr[GOOD] : nr[BAD];
}

static int order_rows(const void *left, const void *right)
{
	const struct table_row *a = *(struct table_row *const *)left;
	const struct table_row *b = *(struct table_row *const *)right;
	__u64 na = greater((const __u64[]) { a->of[GOOD].nr, a->of[BAD].nr });
	__u64 nb = greater((const __u64[]) { b->of[GOOD].nr, b->of[BAD].nr });

	if (a->event != b->event)
		return a->event->order < b->event->order ? -1 : 1;
	return na != nb ? (na > nb ? -1 : 1) : strcmp(a->key, b->key);
}

static int order_kinds(const void *left, const void *right)
{
	const struct table_kind *a = *(struct table_kind *const *)left;
	const struct table_kind *b = *(struct table_kind *const *)right;
	__u64 na = greater(a->nr), nb = greater(b->nr);

	if (a->of != b->of)
		return (int)a->of - (int)b->of;
	return na != nb ? (na > nb ? -1 : 1) : strcmp(a->name, b->name);
}

/* @list: room for all kinds. */
static void sort_kinds(struct table_row *row, struct table_kind **list)
{
	struct table_kind *kind;
	size_t nr = 0;

	for (kind = row->kinds; kind; kind = kind->next)
		list[nr++] = kind;
	qsort(list, nr, sizeof(*list), order_kinds);
	for (row->kinds = NULL; nr--; row->kinds = list[nr])
		list[nr]->next = row->kinds;
}

int table_sort(struct table *t)
{
	struct table_kind **kinds = calloc(t->nr_kinds + 1, sizeof(*kinds));
	struct table_row **rows = calloc(t->nr_rows + 1, sizeof(*rows)), *row;
	size_t nr = 0;
	int ret = -ENOMEM;

	if (kinds && rows) {
		for (row = t->rows; row; row = row->next) {
			sort_kinds(row, kinds);
			rows[nr++] = row;
		}
		qsort(rows, nr, sizeof(*rows), order_rows);
		for (t->rows = NULL; nr--; t->rows = rows[nr])
			rows[nr]->next = t->rows;
		ret = 0;
	}
	free(kinds);
	free(rows);
	return ret;
}

void table_free(struct table *t)
{
	struct table_event *event;
	struct table_kind *kind;
	struct table_row *row;

	while ((row = t->rows)) {
		t->rows = row->next;
		while ((kind = row->kinds)) {
			row->kinds = kind->next;
			tdelete(kind, &t->kind_tree, compare_kinds);
			free(kind->name);
			free(kind);
		}
		tdelete(row, &t->row_tree, compare_rows);
		free_row(row);
	}
	while ((event = t->events)) {
		t->events = event->next;
		free(event->name);
		free(event);
	}
}
