// SPDX-License-Identifier: LGPL-2.1
/*
 * The spans of a trace file: what became of their events, and what was open at the end.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "file/file_internal.h"
#include "spec/field.h"
#include "util/buffer.h"
#include "util/util.h"

#define ENTRY_HEAD	(sizeof(struct tap_span_event) / 8)
/* Words of an entry: more than a module stores. */
#define ENTRY_MAX	(ENTRY_HEAD + TAP_MAX_WORDS)

int tap_file_span(struct tap_file_writer *w, const struct tap_probes *probes,
		  const struct tap_span_read *read)
{
	const struct tap_probe *probe = tap_probes_find(probes, read->id);
	const struct tap_spec_span *span = probe ? probe->spec.span : NULL;
	struct tap_file_value_names_table table = { 0 };
	struct tap_file_span head = {
		.id = read->id, .entry_words = read->out_entry_words,
		.nr_entries = read->words ? read->out_entries : 0,
		.opened = read->out_opened, .restarted = read->out_restarted,
		.full = read->out_full, .busy = read->out_busy, .ended = read->out_ended,
		.unmatched = read->out_unmatched, .unmatched_busy = read->out_unmatched_busy,
		.cleared = read->out_cleared, .open = read->out_open,
	};
	size_t bytes = head.nr_entries * head.entry_words * sizeof(__u64);
	struct tap_buffer buf = { 0 };
	int ret = -EINVAL;
	unsigned int i;
	char *p;

	if (!span)
		return ret;
	head.nr_fields = span->nr_open;
	head.nr_keys = span->nr_open_keys;
	/* The same lists as those of the probe table. */
	ret = tap_file_value_names_collect(&table, probes);
	p = ret ? NULL : tap_buffer_room(&buf, head.nr_fields * sizeof(struct tap_file_field) + bytes);
	if (!ret && !p)
		ret = -ENOMEM;
	for (i = 0; i < head.nr_fields && !ret; i++)
		p = tap_file_field_put(p, &table, &span->open[i]);
	if (!ret && bytes)
		p = tap_put_mem(p, (const char *)(uintptr_t)read->words, bytes);
	if (!ret)
		ret = tap_file_chunk(w, TAP_CHUNK_SPAN, &head, sizeof(head), buf.data,
				     (size_t)(p - buf.data));
	tap_buffer_free(&buf);
	tap_file_value_names_free(&table);
	return ret;
}

/* Gives the span's probe the fields of its open entries. */
static int parse_fields(struct tap_file_reader *f, struct tap_spec *spec,
			const struct tap_file_span *head, const char *p)
{
	struct tap_spec_span *span = calloc(1, sizeof(*span));
	int ret = 0;

	if (!span)
		return -ENOMEM;
	spec->span = span;
	span->refs = 1;
	span->nr_open_keys = head->nr_keys;
	span->open = calloc(head->nr_fields + 1, sizeof(*span->open));
	if (!span->open)
		return -ENOMEM;
	for (; span->nr_open < head->nr_fields && !ret; p += sizeof(struct tap_file_field)) {
		ret = tap_file_field_parse(&span->open[span->nr_open], &f->value_names, p);
		if (!ret && !tap_field_check(&span->open[span->nr_open++], head->entry_words))
			ret = -EBADMSG;
	}
	return ret;
}

int tap_file_parse_span(struct tap_file_reader *f, const char *data, size_t len)
{
	const struct tap_probe *probe;
	struct tap_file_span head;
	struct tap_span_read *spans;
	int ret;

	if (len < sizeof(head))
		return -EBADMSG;
	memcpy(&head, data, sizeof(head));
	data += sizeof(head);
	len -= sizeof(head);
	probe = tap_probes_find(&f->probes, head.id);
	if (!probe || probe->spec.type != TAP_PROBE_SPAN || probe->spec.span ||
	    head.nr_fields > TAP_MAX_WORDS || head.nr_keys > head.nr_fields ||
	    head.entry_words < ENTRY_HEAD || head.entry_words > ENTRY_MAX ||
	    head.nr_fields > len / sizeof(struct tap_file_field))
		return -EBADMSG;
	ret = parse_fields(f, &f->probes.list[probe - f->probes.list].spec, &head, data);
	if (ret)
		return ret;
	data += head.nr_fields * sizeof(struct tap_file_field);
	len -= head.nr_fields * sizeof(struct tap_file_field);
	if (head.nr_entries > len / sizeof(__u64) / head.entry_words || head.nr_entries > UINT32_MAX)
		return -EBADMSG;
	spans = realloc(f->spans, (f->nr_spans + 1) * sizeof(*spans));
	if (!spans)
		return -ENOMEM;
	f->spans = spans;
	spans[f->nr_spans++] = (struct tap_span_read) {
		.size = sizeof(*spans), .id = head.id, .words = (__u64)(uintptr_t)data,
		.nr_words = (__u32)(head.nr_entries * head.entry_words),
		.out_entries = (__u32)head.nr_entries, .out_entry_words = head.entry_words,
		.out_opened = head.opened, .out_restarted = head.restarted,
		.out_full = head.full, .out_busy = head.busy, .out_ended = head.ended,
		.out_unmatched = head.unmatched, .out_unmatched_busy = head.unmatched_busy,
		.out_cleared = head.cleared, .out_open = head.open,
	};
	return 0;
}

const struct tap_span_read *tap_file_get_span(const struct tap_file_reader *f, __u32 id)
{
	size_t i;

	for (i = 0; i < f->nr_spans; i++)
		if (f->spans[i].id == id)
			return &f->spans[i];
	return NULL;
}
