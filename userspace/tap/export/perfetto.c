// SPDX-License-Identifier: GPL-2.0
/*
 * The format of Perfetto (ui.perfetto.dev, trace_processor): a sequence of packets.
 *
 * A call is a slice on the track of its thread, a span one on a track of its event; other events
 * are instants, losses and notices instants on a track of their CPU. Times are CLOCK_MONOTONIC. A
 * record comes at the end of a call: the start of the slice is written then, with an earlier time.
 * Readers sort by time.
 */
#include <errno.h>
#include <stdlib.h>

#include "export/perfetto.h"

/* SequenceFlags. */
enum { STATE_CLEARED = 1, STATE_NEEDED = 2 };

size_t perfetto_packet(struct perfetto *pf, __u64 ns)
{
	size_t packet = proto_begin(&pf->packets, TRACE_PACKET);

	proto_number(&pf->packets, PACKET_TIME, ns);
	proto_number(&pf->packets, PACKET_CLOCK, CLOCK_IS_MONOTONIC);
	proto_number(&pf->packets, PACKET_SEQUENCE, SEQUENCE_EVENTS);
	proto_number(&pf->packets, PACKET_FLAGS,
		     pf->begun ? STATE_NEEDED : STATE_NEEDED | STATE_CLEARED);
	pf->begun = true;
	return packet;
}

void perfetto_packet_end(struct perfetto *pf, size_t packet)
{
	if (pf->interned.buf.len)
		proto_bytes(&pf->packets, PACKET_INTERNED, pf->interned.buf.data,
			    pf->interned.buf.len);
	pf->interned.buf.len = 0;
	proto_end(&pf->packets, packet);
}

__u64 perfetto_id(struct perfetto *pf, unsigned int kind, const void *data, size_t len, bool *added)
{
	__u32 id = intern_number(&pf->ids, (unsigned char)kind, data, len, added);

	pf->packets.failed |= !id;
	return id;
}

__u64 perfetto_name(struct perfetto *pf, unsigned int kind, const struct json *name)
{
	bool added;
	__u64 id = perfetto_id(pf, kind, name->at, name->len, &added);
	size_t entry;

	if (!added)
		return id;
	entry = proto_begin(&pf->interned, kind);
	proto_number(&pf->interned, 1, id);
	proto_json(&pf->interned, 2, name);
	proto_end(&pf->interned, entry);
	return id;
}

static size_t begin_event(struct perfetto *pf, unsigned int type, __u64 track)
{
	size_t event = proto_begin(&pf->packets, PACKET_EVENT);

	proto_number(&pf->packets, EVENT_TYPE, type);
	proto_number(&pf->packets, EVENT_TRACK, track);
	return event;
}

/* The start of a slice, or an instant, with all values of the row. */
static void put_event(struct perfetto *pf, const struct row *row, __u64 ns, __u64 track,
		      unsigned int type, const char *category)
{
	const struct json name = json_inside(&row->member[ROW_EVENT]);
	size_t packet = perfetto_packet(pf, ns), event = begin_event(pf, type, track);

	proto_number(&pf->packets, EVENT_NAME_ID, perfetto_name(pf, INTERNED_EVENT_NAME, &name));
	proto_bytes(&pf->packets, EVENT_CATEGORY, category, strlen(category));
	perfetto_args(pf, row);
	proto_end(&pf->packets, event);
	perfetto_packet_end(pf, packet);
}

static void put_end(struct perfetto *pf, __u64 ns, __u64 track)
{
	size_t packet = perfetto_packet(pf, ns);

	proto_end(&pf->packets, begin_event(pf, SLICE_END, track));
	perfetto_packet_end(pf, packet);
}

static int put_slice(struct perfetto *pf, const struct row *row, __u64 ns)
{
	__u64 duration = row_number(row, ROW_DURATION_NS);
	__u64 begin = duration < ns ? ns - duration : 0, track;
	bool span = tap_probe_type(row->ev->probe) == TAP_PROBE_SPAN;
	int ret = perfetto_slice_track(pf, row, begin, ns, &track);

	put_event(pf, row, begin, track, SLICE_BEGIN, span ? "span" : "call");
	put_end(pf, ns, track);
	return ret;
}

/* A loss or a notice: an instant whose name is its type. Its arguments are members of the line. */
static void put_special(struct perfetto *pf, const struct row *row, __u64 ns)
{
	static const enum row_member members[] = {
		ROW_EVENT, ROW_LOST, ROW_TOTAL, ROW_WHAT, ROW_SINCE, ROW_COUNT, ROW_SIZE,
	};
	__u64 track = perfetto_cpu_track(pf, row->ev->cpu);
	struct json type = json_inside(&row->member[ROW_TYPE]);
	size_t packet = proto_begin(&pf->packets, TRACE_PACKET), event, i;

	proto_number(&pf->packets, PACKET_TIME, ns);
	proto_number(&pf->packets, PACKET_CLOCK, CLOCK_IS_MONOTONIC);
	proto_number(&pf->packets, PACKET_SEQUENCE, SEQUENCE_LOSSES);
	if (row->member[ROW_LOST].at)
		proto_number(&pf->packets, PACKET_DROPPED, true);
	event = begin_event(pf, INSTANT, track);
	proto_json(&pf->packets, EVENT_CATEGORY, &type);
	proto_json(&pf->packets, EVENT_NAME, &type);
	for (i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		if (row_has(row, members[i]))
			perfetto_arg(pf, row_member_names[members[i]], &row->member[members[i]]);
	proto_end(&pf->packets, event);
	proto_end(&pf->packets, packet);
}

static int put_row(struct perfetto *pf, const struct row *row, __u64 ns)
{
	if (!row->ev->probe) {
		put_special(pf, row, ns);
		return 0;
	}
	if (row_has(row, ROW_DURATION_NS))
		return put_slice(pf, row, ns);
	put_event(pf, row, ns, perfetto_track(pf, row), INSTANT, "event");
	return 0;
}

static int flush(struct export *x, struct perfetto *pf)
{
	struct tap_buffer *buf = &pf->packets.buf;
	char *p = out_room(&x->out, buf->len);

	if (!p || pf->packets.failed || pf->interned.failed)
		return -ENOMEM;
	p = tap_put_mem(p, buf->data, buf->len);
	buf->len = 0;
	return out_put(&x->out, p);
}

static int write_row(struct export *x, const struct row *row)
{
	struct perfetto *pf = x->state;
	__u64 ns = row_number(row, ROW_TIME_NS);
	int ret;

	if (intern_full(&pf->ids)) {
		intern_clear(&pf->ids);
		pf->begun = false;
	}
	ret = put_row(pf, row, ns);
	if (row->ev->probe) {
		perfetto_counters(pf, row, ns);
		perfetto_switch(pf, row, ns);
	}
	return ret ? ret : flush(x, pf);
}

static void put_clock(struct proto *p, unsigned int clock, __u64 ns)
{
	size_t entry = proto_begin(p, 1);

	proto_number(p, 1, clock);
	proto_number(p, 2, ns);
	proto_end(p, entry);
}

/*
 * The file has no CLOCK_BOOTTIME, in which readers take times of switches of tasks: it is set to
 * CLOCK_MONOTONIC, which is the clock that they show.
 */
static void put_clocks(struct perfetto *pf, const struct tap_timebase *tb)
{
	size_t packet = proto_begin(&pf->packets, TRACE_PACKET), clocks;

	proto_number(&pf->packets, PACKET_SEQUENCE, SEQUENCE_EVENTS);
	clocks = proto_begin(&pf->packets, PACKET_CLOCKS);
	put_clock(&pf->packets, CLOCK_IS_BOOTTIME, tb->mono);
	put_clock(&pf->packets, CLOCK_IS_MONOTONIC, tb->mono);
	put_clock(&pf->packets, CLOCK_IS_REALTIME, tb->real);
	proto_number(&pf->packets, 2, CLOCK_IS_MONOTONIC);
	proto_end(&pf->packets, clocks);
	proto_end(&pf->packets, packet);
}

static int begin(struct export *x)
{
	struct perfetto *pf = calloc(1, sizeof(*pf));

	x->state = pf;
	if (!pf)
		return -ENOMEM;
	put_clocks(pf, tap_file_timebase(x->file));
	return flush(x, pf);
}

static void free_state(struct export *x)
{
	struct perfetto *pf = x->state;

	if (!pf)
		return;
	tap_buffer_free(&pf->packets.buf);
	tap_buffer_free(&pf->interned.buf);
	intern_free(&pf->ids);
	nesting_free(&pf->slices);
	nesting_free(&pf->lanes);
	free(pf);
}

const struct export_format export_perfetto = {
	.name = "perfetto", .windows = true, .binary = true, .begin = begin, .row = write_row, .free = free_state,
};
