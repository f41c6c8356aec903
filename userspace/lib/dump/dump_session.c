// SPDX-License-Identifier: LGPL-2.1
/*
 * A session of a dump: its pages, by the lists of its anchor, and the records in its rings.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dump/dump.h"
#include "module/common/anchor_sum.h"
#include "record/record.h"
#include "util/array.h"
#include "util/buffer.h"
#include "util/util.h"

/* Before the slots of each ring: the tail page and the head page. */
#define EXTRA_PAGES	2
/* Lists of a session: more cannot be, with all memory that there is. A circle ends here. */
#define MAX_LISTS	(1U << 18)

bool tap_dump_page(const struct tap_dump *dump, const struct tap_dump_entry *entry, __u64 pfn,
		   void *data)
{
	__u64 size = entry->anchor.page_size;

	return pfn && pfn <= dump->memory.end / size &&
	       tap_dump_memory_read(&dump->memory, pfn * size, data, size);
}

static bool read_meta(const struct tap_dump *dump, struct tap_dump_entry *entry, char *page)
{
	struct tap_meta meta;
	__u64 size = entry->anchor.page_size;

	if (!tap_dump_page(dump, entry, entry->anchor.meta, page))
		return false;
	memcpy(&meta, page, sizeof(meta));
	if (meta.magic != TAP_META_MAGIC || meta.length < sizeof(meta) || meta.page_size != size ||
	    meta.ring_bytes & (meta.ring_bytes - 1) || meta.ring_bytes < size ||
	    meta.ring_bytes > TAP_MAX_RING_BYTES || meta.nr_rings > TAP_MAX_RINGS ||
	    !meta.clock_mult || meta.clock_shift > 63 ||
	    meta.head_offset > size - sizeof(struct tap_ring_head) || meta.head_offset % 8)
		return false;
	entry->meta = meta;
	return true;
}

/* The ring of a CPU in a set; NULL: no memory. */
static struct tap_dump_ring *ring_of(struct tap_dump_entry *entry, __u32 cpu, __u32 set)
{
	size_t i;

	/* Lists of one ring follow each other. */
	for (i = entry->nr_rings; i--;)
		if (entry->rings[i].cpu == cpu && entry->rings[i].set == set)
			return &entry->rings[i];
	if (!TAP_GROW(entry->rings, entry->nr_rings))
		return NULL;
	entry->rings[entry->nr_rings] = (struct tap_dump_ring) { .cpu = cpu, .set = set };
	return &entry->rings[entry->nr_rings++];
}

static int name_pages(struct tap_dump_pages *pages, const struct tap_anchor_list *list, size_t nr)
{
	size_t i;

	if (!pages->pfns) {
		pages->pfns = calloc(nr, sizeof(*pages->pfns));
		if (!pages->pfns)
			return -ENOMEM;
		pages->nr = nr;
		pages->bytes = list->bytes;
	}
	if (list->first > nr || list->nr > nr - list->first || list->bytes != pages->bytes)
		return -EBADMSG;
	for (i = 0; i < list->nr; i++) {
		__u64 *pfn = &pages->pfns[list->first + i];

		pages->named += !*pfn && tap_anchor_list_pages(list)[i];
		*pfn = tap_anchor_list_pages(list)[i];
	}
	return 0;
}

static int use_list(struct tap_dump_entry *entry, const struct tap_anchor_list *list, __u32 set)
{
	__u64 size = entry->anchor.page_size;
	struct tap_dump_ring *ring;

	if (list->kind == TAP_ANCHOR_DESCRIPTION)
		return list->bytes && list->bytes <= TAP_MAX_DESCRIPTION ?
		       name_pages(&entry->description, list, (list->bytes + size - 1) / size) :
		       -EBADMSG;
	if (list->cpu >= entry->meta.nr_rings || list->bytes != entry->meta.ring_bytes)
		return -EBADMSG;
	ring = ring_of(entry, list->cpu, set);
	return ring ? name_pages(&ring->pages, list, list->bytes / size + EXTRA_PAGES) : -ENOMEM;
}

/* Follows lists as far as they are good. Returns 0 or -ENOMEM. */
static int follow(const struct tap_dump *dump, struct tap_dump_entry *entry, __u64 pfn,
		  enum tap_anchor_kind kind, __u32 set, void *page)
{
	const struct tap_anchor_list *list = page;
	__u64 room = tap_anchor_list_room(entry->anchor.page_size);
	unsigned int left = MAX_LISTS;
	int ret;

	while (pfn && left--) {
		if (!tap_dump_page(dump, entry, pfn, page) || list->magic != TAP_ANCHOR_LIST_MAGIC ||
		    list->pfn != pfn || list->kind != kind || list->nr > room ||
		    list->sum != tap_anchor_list_sum(list))
			return 0;
		ret = use_list(entry, list, set);
		if (ret)
			return ret == -ENOMEM ? ret : 0;
		pfn = list->next;
	}
	return 0;
}

/* Copies pages to @data; those that are not in the dump become zeros. */
static void copy_pages(const struct tap_dump *dump, const struct tap_dump_entry *entry,
		       const __u64 *pfns, size_t nr, char *data)
{
	__u64 size = entry->anchor.page_size;
	size_t i;

	for (i = 0; i < nr; i++, data += size)
		if (!tap_dump_page(dump, entry, pfns[i], data))
			memset(data, 0, size);
}

/* The slots of a ring, and its head; NULL: it cannot be read, or there is no memory. */
static char *ring_slots(const struct tap_dump *dump, const struct tap_dump_entry *entry,
			const struct tap_dump_ring *ring, __u64 *head)
{
	const struct tap_dump_pages *pages = &ring->pages;
	const struct tap_meta *meta = &entry->meta;
	char *data, *page = malloc(meta->page_size);
	struct tap_ring_head words;
	bool good;

	if (!page)
		return NULL;
	good = pages->named == pages->nr && tap_dump_page(dump, entry, pages->pfns[1], page);
	if (good) {
		memcpy(&words, page + meta->head_offset, sizeof(words));
		*head = words.head;
		good = !(*head % TAP_SLOT_SIZE);
	}
	free(page);
	data = good ? malloc(meta->ring_bytes) : NULL;
	if (data)
		copy_pages(dump, entry, pages->pfns + EXTRA_PAGES, pages->nr - EXTRA_PAGES, data);
	return data;
}

/* Bytes of the whole record at @pos; 0: there is none. */
static __u64 record_bytes(const char *data, __u64 mask, __u64 pos, __u64 head)
{
	if (!tap_ring_peek(data, mask, pos))
		return 0;
	return (__u64)tap_record_slots(data, mask, pos, head - pos, 0) * TAP_SLOT_SIZE;
}

/* Gives what is from @from to @to, which may go over the end of the ring. */
static int give_run(tap_dump_give *give, void *arg, __u32 cpu, const char *data, __u64 mask,
		    __u64 from, __u64 to)
{
	__u64 first = mask + 1 - (from & mask);
	int ret = 0;

	if (first > to - from)
		first = to - from;
	if (first)
		ret = give(arg, cpu, from, data + (from & mask), first);
	if (!ret && to - from > first)
		ret = give(arg, cpu, from + first, data, to - from - first);
	return ret;
}

/**
 * tap_dump_ring_read() - the whole records of a ring
 * @dump: a dump
 * @entry: a session
 * @ring: of the session
 * @give: gets them, in the order of their positions; NULL: they are only counted, in @entry
 * @arg: handed to @give
 *
 * Return: 0, or what @give returned other than 0.
 */
int tap_dump_ring_read(const struct tap_dump *dump, struct tap_dump_entry *entry,
		       struct tap_dump_ring *ring, tap_dump_give *give, void *arg)
{
	__u64 mask = entry->meta.ring_bytes - 1, head, pos, from, bytes;
	char *data = ring_slots(dump, entry, ring, &head);
	__u64 records = 0, unwritten = 0;
	/* A record whose start was overwritten is no loss. */
	bool begun;
	int ret = 0;

	if (!data) {
		ring->damaged = true;
		return 0;
	}
	pos = head > mask ? head - mask - 1 : 0;
	begun = !pos;
	for (from = pos; pos < head && !ret;) {
		bytes = record_bytes(data, mask, pos, head);
		if (bytes) {
			if (!records++)
				ring->first = tap_ring_peek(data, mask, pos)->time;
			begun = true;
			pos += bytes;
			continue;
		}
		if (give)
			ret = give_run(give, arg, ring->cpu, data, mask, from, pos);
		if (begun)
			unwritten += TAP_SLOT_SIZE;
		pos += TAP_SLOT_SIZE;
		from = pos;
	}
	if (give && !ret)
		ret = give_run(give, arg, ring->cpu, data, mask, from, pos);
	free(data);
	if (!give) {
		entry->about.records += records;
		entry->about.unwritten += unwritten;
	}
	return ret;
}

/* Of two sets the one with the older records is first: they were written one after the other. */
static int by_cpu(const void *a, const void *b)
{
	const struct tap_dump_ring *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

/* Finds the pages of a set of rings, and the description if it has one. Returns 0 or -ENOMEM. */
static int follow_anchor(const struct tap_dump *dump, struct tap_dump_entry *entry,
			 const struct tap_anchor *anchor, __u32 set, void *page)
{
	int ret = follow(dump, entry, anchor->rings, TAP_ANCHOR_RING, set, page);

	/* One of the two has it. */
	if (!ret && !entry->description.pfns)
		ret = follow(dump, entry, anchor->description, TAP_ANCHOR_DESCRIPTION, set, page);
	return ret;
}

static void fill_about(struct tap_dump_entry *entry)
{
	const struct tap_anchor *a = &entry->anchor;
	struct tap_dump_session *about = &entry->about;
	size_t len = strnlen(a->comm, sizeof(a->comm)), i;

	about->size = sizeof(*about);
	about->id = a->id;
	about->opened = a->opened;
	about->pid = a->pid;
	about->nr_rings = (__u32)entry->nr_rings;
	for (i = 0; i < len; i++)
		about->comm[i] = a->comm[i] >= ' ' && a->comm[i] < 0x7f ? a->comm[i] : '?';
	about->described = entry->description.nr &&
			   entry->description.named == entry->description.nr;
}

/**
 * tap_dump_look() - find out all about a session
 * @dump: a dump
 * @entry: the session
 *
 * Return: 0 or -ENOMEM.
 */
int tap_dump_look(struct tap_dump *dump, struct tap_dump_entry *entry)
{
	void *page;
	size_t i;
	int ret = 0;

	if (entry->looked)
		return 0;
	page = malloc(entry->anchor.page_size);
	if (!page)
		return -ENOMEM;
	if (read_meta(dump, entry, page)) {
		ret = follow_anchor(dump, entry, &entry->anchor, 0, page);
		if (!ret && entry->second.length)
			ret = follow_anchor(dump, entry, &entry->second, 1, page);
	}
	free(page);
	if (ret)
		return ret;
	fill_about(entry);
	for (i = 0; i < entry->nr_rings; i++) {
		tap_dump_ring_read(dump, entry, &entry->rings[i], NULL, NULL);
		entry->about.rings_damaged += entry->rings[i].damaged;
	}
	if (entry->nr_rings)
		qsort(entry->rings, entry->nr_rings, sizeof(*entry->rings), by_cpu);
	entry->looked = true;
	return 0;
}

void tap_dump_entry_free(struct tap_dump_entry *entry)
{
	size_t i;

	for (i = 0; i < entry->nr_rings; i++)
		free(entry->rings[i].pages.pfns);
	free(entry->rings);
	free(entry->description.pfns);
}
