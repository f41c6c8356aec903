// SPDX-License-Identifier: LGPL-2.1
/*
 * Looks for anchors in the memory of a machine: at the start of each page.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dump/dump.h"
#include "module/common/anchor_sum.h"
#include "util/array.h"
#include "util/util.h"

/* The smallest page. An anchor of larger ones is at the start of one of these too. */
#define PAGE		4096
/* Read at a time. */
#define WINDOW		(1 << 20)

static bool is_anchor(const struct tap_anchor *a, __u64 addr)
{
	return a->magic == TAP_ANCHOR_MAGIC && a->page_size >= PAGE && a->page_size <= 1 << 16 &&
	       !(a->page_size & (a->page_size - 1)) && a->pfn == addr / a->page_size &&
	       !(addr % a->page_size);
}

static int add_anchor(struct tap_dump *dump, const struct tap_anchor *a)
{
	size_t i;

	if (a->version != TAP_ANCHOR_VERSION || a->length < sizeof(*a)) {
		dump->later++;
		return 0;
	}
	if (a->sum != tap_anchor_sum(a))
		return 0;
	for (i = 0; i < dump->nr_entries; i++) {
		struct tap_dump_entry *entry = &dump->entries[i];

		if (entry->anchor.id != a->id)
			continue;
		/* A page may be in several segments; a session that overwrites has two anchors. */
		if (entry->anchor.pfn != a->pfn)
			entry->second = *a;
		return 0;
	}
	if (!TAP_GROW(dump->entries, dump->nr_entries))
		return -ENOMEM;
	dump->entries[dump->nr_entries++] = (struct tap_dump_entry) { .anchor = *a };
	return 0;
}

static int look_at(struct tap_dump *dump, __u64 addr, const char *data, size_t len)
{
	struct tap_anchor anchor;
	int ret = 0;
	size_t i;

	for (i = -addr % PAGE; i + sizeof(anchor) <= len && !ret; i += PAGE) {
		memcpy(&anchor, data + i, sizeof(anchor));
		if (is_anchor(&anchor, addr + i))
			ret = add_anchor(dump, &anchor);
	}
	return ret;
}

static int scan_elf(struct tap_dump *dump, char *data, const struct tap_dump_opts *opts)
{
	const struct tap_dump_memory *m = &dump->memory;
	__u64 done = 0, all = 0;
	int ret = 0;
	size_t i;

	for (i = 0; i < m->nr_segments; i++)
		all += m->segments[i].len;
	for (i = 0; i < m->nr_segments && !ret; i++) {
		const struct tap_dump_segment *s = &m->segments[i];
		__u64 at = 0;

		while (at < s->len && !ret) {
			/* From the second window on at the start of a page. */
			size_t len = WINDOW - (s->addr + at) % PAGE;

			if (len > s->len - at)
				len = (size_t)(s->len - at);
			/* What a file that was cut lacks is not there. */
			if (tap_dump_memory_read(m, s->addr + at, data, len))
				ret = look_at(dump, s->addr + at, data, len);
			at += len;
			done += len;
			if (!ret && opts->progress && opts->progress(opts->arg, done, all))
				ret = -ECANCELED;
		}
	}
	return ret;
}

static int scan_kdump(struct tap_dump *dump, char *data, const struct tap_dump_opts *opts)
{
	const struct tap_dump_memory *m = &dump->memory;
	int ret = 0;
	__u64 at;

	for (at = 0; at < m->end && !ret; at += PAGE) {
		if (tap_dump_memory_read(m, at, data, sizeof(struct tap_anchor)))
			ret = look_at(dump, at, data, sizeof(struct tap_anchor));
		if (!ret && !(at % (16 * WINDOW)) && opts->progress &&
		    opts->progress(opts->arg, at, m->end))
			ret = -ECANCELED;
	}
	return ret;
}

static int by_id(const void *a, const void *b)
{
	const struct tap_dump_entry *x = a, *y = b;

	return x->anchor.id < y->anchor.id ? -1 : x->anchor.id > y->anchor.id;
}

int tap_dump_scan(struct tap_dump *dump, const struct tap_dump_opts *opts)
{
	char *data = malloc(WINDOW);
	int ret;

	if (!data)
		return -ENOMEM;
	ret = dump->memory.kdump ? scan_kdump(dump, data, opts) : scan_elf(dump, data, opts);
	free(data);
	if (!ret && dump->nr_entries)
		qsort(dump->entries, dump->nr_entries, sizeof(*dump->entries), by_id);
	return ret;
}
