// SPDX-License-Identifier: LGPL-2.1
/*
 * Events that are written one by one, and how many were not kept.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "file/file_internal.h"
#include "util/sized.h"

/* A batch is written when it has so many bytes. */
#define BATCH_BYTES	(64 << 10)

static int batch_write(struct tap_file_writer *w, __u32 cpu)
{
	struct tap_file_batch *batch = &w->batches[cpu];
	size_t len = batch->data.len;
	int ret;

	if (!len)
		return 0;
	ret = tap_file_data(w, cpu, batch->pos, batch->data.data, len);
	batch->pos += len;
	batch->data.len = 0;
	return ret;
}

int tap_file_event(struct tap_file_writer *w, const struct tap_event *ev)
{
	struct tap_file_batch *batch = &w->batches[ev->cpu];
	struct tap_slot *slot;
	__u32 k;

	if (ev->cpu >= w->nr_batches)
		return -EINVAL;
	slot = (void *)tap_buffer_room(&batch->data, (size_t)ev->slots * TAP_SLOT_SIZE);
	if (!slot)
		return -ENOMEM;
	for (k = 0; k < ev->slots; k++) {
		memcpy(&slot[k], tap_slot_at(ev->data, ev->mask,
					     ev->pos + (__u64)k * TAP_SLOT_SIZE), TAP_SLOT_SIZE);
		/* The records of a ring follow each other in the file without those between. */
		slot[k].seq = tap_slot_seq(batch->pos + batch->data.len, k);
		batch->data.len += TAP_SLOT_SIZE;
	}
	return batch->data.len < BATCH_BYTES ? 0 : batch_write(w, ev->cpu);
}

int tap_file_keep(struct tap_file_writer *w, const struct tap_keep_counts *counts)
{
	struct tap_keep_counts known;
	struct tap_file_keep keep;
	int ret = counts ? tap_sized_read(&known, sizeof(known), counts) : 0;
	__u32 cpu;

	for (cpu = 0; cpu < w->nr_batches && !ret; cpu++)
		ret = batch_write(w, cpu);
	if (ret || !counts)
		return ret;
	keep = (struct tap_file_keep) {
		.verdicts = known.verdicts, .kept = known.kept, .not_kept = known.not_kept,
		.incomplete = known.incomplete, .apart = known.apart, .under_way = known.under_way,
		.memory = known.memory,
	};
	return tap_file_chunk(w, TAP_CHUNK_KEEP, &keep, sizeof(keep), NULL, 0);
}

/**
 * tap_file_batches_free() - free the events that are not written
 * @w: a file
 */
void tap_file_batches_free(struct tap_file_writer *w)
{
	while (w->batches && w->nr_batches)
		tap_buffer_free(&w->batches[--w->nr_batches].data);
	free(w->batches);
}

/**
 * tap_file_parse_keep() - read the counts of kept events
 * @f: the file
 * @data: contents of the chunk
 * @len: bytes
 *
 * Return: 0 or -EBADMSG.
 */
int tap_file_parse_keep(struct tap_file_reader *f, const char *data, size_t len)
{
	struct tap_file_keep keep;

	if (len < sizeof(keep))
		return -EBADMSG;
	memcpy(&keep, data, sizeof(keep));
	f->keep = (struct tap_keep_counts) {
		.size = sizeof(f->keep),
		.verdicts = keep.verdicts, .kept = keep.kept, .not_kept = keep.not_kept,
		.incomplete = keep.incomplete, .apart = keep.apart, .under_way = keep.under_way,
		.memory = keep.memory,
	};
	return 0;
}

int tap_file_get_keep(const struct tap_file_reader *f, struct tap_keep_counts *counts)
{
	return f->keep.size ? tap_sized_write(counts, &f->keep, sizeof(f->keep)) : -ENOENT;
}
