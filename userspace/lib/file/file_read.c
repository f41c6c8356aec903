// SPDX-License-Identifier: LGPL-2.1
/*
 * Records of a trace file, merged by time over the CPUs. All data is there, so the
 * earliest of the streams' next records is always the next one. One decompressed extent
 * of each CPU that has more records is in memory at a time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "file/file_internal.h"
#include "record/record.h"
#include "util/sized.h"

static bool extent_is_whole(struct tap_file_extent *extent)
{
	const struct tap_file_chunk *chunk = &extent->chunk;
	size_t head = extent->packed ? sizeof(struct tap_file_packed) :
				       sizeof(struct tap_file_data);

	if (chunk->type) {
		extent->wrong = chunk->sum != tap_file_chunk_sum(chunk, extent->data - head);
		extent->chunk.type = 0;
	}
	return !extent->wrong;
}

/* The slots of an extent, or NULL if it is damaged. */
static const char *extent_data(struct tap_file_stream *s, size_t i)
{
	struct tap_file_extent *extent = &s->extents[i];

	if (!extent_is_whole(extent))
		return NULL;
	if (!extent->packed || s->which == i + 1)
		return extent->packed ? s->unpacked : extent->data;
	s->which = 0;
	if (s->room < extent->len) {
		free(s->unpacked);
		s->room = 0;
		s->unpacked = malloc(extent->len);
		if (!s->unpacked)
			return NULL;
		s->room = extent->len;
	}
	/* ZSTD_decompress() returns errors as values that are not a possible length. */
	if (ZSTD_decompress(s->unpacked, extent->len, extent->data,
			    extent->packed) != extent->len)
		return NULL;
	s->which = i + 1;
	return s->unpacked;
}

/*
 * Assembles a record that spans the end of the ring, and so two extents of the file.
 * Fails if the second extent does not continue the first.
 */
static bool stream_bounce(struct tap_file_stream *s, const char *data,
			  __u64 need)
{
	const struct tap_file_extent *a = &s->extents[s->extent];
	const struct tap_file_extent *b = a + 1;
	__u64 left = a->len - s->offset;

	if (s->extent + 1 >= s->nr || b->pos != a->pos + a->len ||
	    need > TAP_MAX_SLOTS * TAP_SLOT_SIZE || b->len < need - left)
		return false;
	if (!s->bounce)
		s->bounce = malloc(TAP_MAX_SLOTS * TAP_SLOT_SIZE);
	if (!s->bounce)
		return false;
	memcpy(s->bounce, data + s->offset, left);
	/* This may replace the first extent in @s->unpacked. */
	data = extent_data(s, s->extent + 1);
	if (!data)
		return false;
	memcpy((char *)s->bounce + left, data, need - left);
	return true;
}

/* Sets the stream's event to the record at its current place, if there is a valid one. */
static bool stream_record(struct tap_file_stream *s, const char *data)
{
	const struct tap_file_extent *extent = &s->extents[s->extent];
	const struct tap_record *rec = (const void *)(data + s->offset);
	__u64 at = extent->pos + s->offset;
	__u64 need;

	if (rec->seq != tap_slot_seq(at, 0))
		return false;
	s->ev.data = data;
	s->ev.pos = s->offset;
	s->ev.mask = ~0ULL;
	s->ev.slots = tap_record_slots(data, ~0ULL, s->offset,
				       extent->len - s->offset, extent->pos);
	if (!s->ev.slots) {
		need = (__u64)tap_load_once(&rec->slots) * TAP_SLOT_SIZE;
		if (need <= extent->len - s->offset ||
		    !stream_bounce(s, data, need))
			return false;
		rec = s->bounce;
		s->ev.data = s->bounce;
		s->ev.pos = 0;
		s->ev.slots = tap_record_slots(s->bounce, ~0ULL, 0, need, at);
		if (!s->ev.slots)
			return false;
	}
	s->ev.rec = rec;
	s->ev.time = tap_join_time(&s->join, rec, s->jump_ticks);
	return true;
}

static void set_damaged(struct tap_file_reader *f,
			const struct tap_file_extent *extent)
{
	if (!*f->cut)
		snprintf(f->cut, sizeof(f->cut),
			 "is damaged: the data at byte %zu do not match their checksum; the rest is read",
			 (size_t)(extent->data - f->map));
}

/* Skips a notice of a jump that another stream's notice has reported, as a live reader does. */
static bool stream_skips_jump(struct tap_file_reader *f, struct tap_file_stream *s)
{
	if (!tap_record_is_jump(s->ev.rec))
		return false;
	if (f->jump_raw == s->ev.rec->value[TAP_NOTICE_COUNT]) {
		s->offset += (__u64)s->ev.slots * TAP_SLOT_SIZE;
		return true;
	}
	f->jump_raw = s->ev.rec->value[TAP_NOTICE_COUNT];
	return false;
}

/* Finds the next record, at or after the current place of the stream, which it frees at its end. */
static bool stream_find(struct tap_file_reader *f, struct tap_file_stream *s)
{
	while (s->extent < s->nr) {
		const struct tap_file_extent *extent = &s->extents[s->extent];
		const char *data;
		__u64 next;

		if (s->offset >= extent->len) {
			/*
			 * The record before was a bounced one and took the start of
			 * this extent.
			 */
			s->offset -= extent->len;
			s->extent++;
			continue;
		}
		data = extent_data(s, s->extent);
		if (data && stream_record(s, data)) {
			if (!stream_skips_jump(f, s))
				return true;
			continue;
		}
		next = extent->len;
		/* stream_bounce() may have replaced this extent by the next one. */
		if (data)
			data = extent_data(s, s->extent);
		if (data)
			next = tap_record_resync(data, ~0ULL, s->offset,
						 extent->len, extent->pos);
		else
			set_damaged(f, extent);
		f->counts.skipped += next - s->offset;
		s->offset = next;
	}
	free(s->unpacked);
	s->unpacked = NULL;
	s->room = 0;
	s->which = 0;
	return false;
}

static void merge_fill(struct tap_file_reader *f)
{
	unsigned int cpu;

	f->merging = true;
	for (cpu = 0; cpu < f->nr_streams; cpu++) {
		struct tap_file_stream *s = &f->streams[cpu];

		s->ev.cpu = cpu;
		s->jump_ticks = tap_timebase_ticks(&f->timebase, TAP_JOIN_NS);
		if (stream_find(f, s))
			tap_merge_push(&f->merge, cpu, s->ev.time);
	}
}

static void merge_step(struct tap_file_reader *f)
{
	__u32 cpu = tap_merge_first(&f->merge).stream;
	struct tap_file_stream *s = &f->streams[cpu];

	f->given = false;
	s->offset += (__u64)s->ev.slots * TAP_SLOT_SIZE;
	if (stream_find(f, s))
		tap_merge_move(&f->merge, cpu, s->ev.time);
	else
		tap_merge_pop(&f->merge, cpu);
}

int tap_file_next(struct tap_file_reader *f, struct tap_event *ev)
{
	if (!f->merging)
		merge_fill(f);
	if (f->given)
		merge_step(f);
	if (!f->merge.nr)
		return 0;
	*ev = f->streams[tap_merge_first(&f->merge).stream].ev;
	ev->probe = NULL;
	f->given = true;
	if (ev->time < f->last_time)
		f->counts.disordered++;
	else
		f->last_time = ev->time;
	f->names_time = f->last_time;
	tap_event_count(&f->counts, ev->rec);
	return 1;
}

void tap_file_names_at(struct tap_file_reader *f, __u64 time)
{
	f->names_time = time;
}

int tap_file_counts(const struct tap_file_reader *f,
		    struct tap_reader_counts *counts)
{
	return tap_sized_write(counts, &f->counts, sizeof(f->counts));
}
