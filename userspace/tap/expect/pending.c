// SPDX-License-Identifier: GPL-2.0
/*
 * Events that wait: a queue for each key that has any. So memory is that of the events that wait.
 */
#include <errno.h>
#include <search.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "expect/pending.h"

struct link {
	struct pending_event ev;
	struct link *next;
};

/* @bytes: @len of them; behind the key itself but in a search. */
struct pending_key {
	struct pending_key *prev;
	struct pending_key *next;
	struct link *oldest;
	struct link *newest;
	__u64 since;
	const void *bytes;
	size_t len;
};

static int compare(const void *left, const void *right)
{
	const struct pending_key *a = left, *b = right;

	if (a->len != b->len)
		return a->len < b->len ? -1 : 1;
	return memcmp(a->bytes, b->bytes, a->len);
}

static struct pending_key *find(const struct pending *p, const void *bytes, size_t len)
{
	const struct pending_key wanted = { .bytes = bytes, .len = len };
	void *at = tfind(&wanted, &p->tree, compare);

	return at ? *(struct pending_key **)at : NULL;
}

static struct pending_key *add_key(struct pending *p, const void *bytes, size_t len, __u64 since)
{
	struct pending_key *key = calloc(1, sizeof(*key) + len);

	if (!key)
		return NULL;
	memcpy(key + 1, bytes, len);
	key->bytes = key + 1;
	key->len = len;
	key->since = since;
	if (!tsearch(key, &p->tree, compare)) {
		free(key);
		return NULL;
	}
	key->next = p->first;
	if (p->first)
		p->first->prev = key;
	p->first = key;
	return key;
}

static void remove_key(struct pending *p, struct pending_key *key)
{
	tdelete(key, &p->tree, compare);
	if (key->next)
		key->next->prev = key->prev;
	if (key->prev)
		key->prev->next = key->next;
	else
		p->first = key->next;
	free(key);
}

int pending_add(struct pending *p, const void *bytes, size_t len, const struct pending_event *ev)
{
	struct pending_key *key = find(p, bytes, len);
	struct link *link = calloc(1, sizeof(*link));

	if (link && !key)
		key = add_key(p, bytes, len, ev->time);
	if (!link || !key) {
		free(link);
		return -ENOMEM;
	}
	link->ev = *ev;
	if (key->newest)
		key->newest->next = link;
	else
		key->oldest = link;
	key->newest = link;
	return 0;
}

bool pending_has(const struct pending *p, const void *bytes, size_t len)
{
	return find(p, bytes, len);
}

static bool take(struct pending *p, struct pending_key *key, struct pending_event *ev)
{
	struct link *link;

	if (!key)
		return false;
	link = key->oldest;
	*ev = link->ev;
	ev->since = key->since;
	key->oldest = link->next;
	free(link);
	if (!key->oldest)
		remove_key(p, key);
	return true;
}

bool pending_take(struct pending *p, const void *bytes, size_t len, struct pending_event *ev)
{
	return take(p, find(p, bytes, len), ev);
}

__u64 pending_oldest(const struct pending *p)
{
	const struct pending_key *key;
	__u64 oldest = UINT64_MAX;

	for (key = p->first; key; key = key->next)
		if (key->oldest->ev.time < oldest)
			oldest = key->oldest->ev.time;
	return oldest;
}

bool pending_take_any(struct pending *p, struct pending_event *ev)
{
	return take(p, p->first, ev);
}
