/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of the CTF writer: ctf.c has messages, packets and streams, ctf_events.c the layout of
 * events.
 */
#ifndef _TOOL_EXPORT_CTF_H
#define _TOOL_EXPORT_CTF_H

#include "export/babeltrace.h"
#include "export/export.h"
#include "export/intern.h"
#include "export/row.h"

/* Messages that wait for the sink. */
#define CTF_MESSAGES	64

/* Values of an event, and room for a name and for "_" and a number. */
#define CTF_NAMES	256
#define CTF_NAME_BYTES	(TAP_FIELD_NAME_LEN + 8)

/**
 * struct ctf_name - the name of a value
 * @text: an identifier
 */
struct ctf_name {
	char text[CTF_NAME_BYTES];
};

/**
 * struct ctf_stream - the events of a CPU
 * @stream: NULL: it has none so far
 * @packet: the one that is open; NULL: none
 * @events: in @packet
 * @latest: time of its last event, ns
 */
struct ctf_stream {
	struct bt_stream *stream;
	struct bt_packet *packet;
	unsigned int events;
	__u64 latest;
};

/**
 * struct ctf - the state of the writer
 * @bt: the library
 * @graph: from this source to sink.ctf.fs
 * @it: takes the messages
 * @trace_class: of @trace
 * @trace: the trace
 * @stream_class: of all streams
 * @info: of the recording
 * @timebase: likewise
 * @messages: those that wait, from @first on
 * @nr: their number, with those before @first
 * @first: the next one
 * @ended: no others will come
 * @streams: by CPU
 * @nr_streams: how many
 * @kinds: numbers of kinds of rows
 * @classes: by number - 1: the layout of a kind
 * @nr_classes: how many
 * @text: a string
 * @names: of the values of an event
 * @back: rows whose time lies before that of the row before
 */
struct ctf {
	struct babeltrace bt;
	struct bt_graph *graph;
	struct bt_iterator *it;
	struct bt_trace_class *trace_class;
	struct bt_trace *trace;
	struct bt_stream_class *stream_class;
	const struct tap_file_info *info;
	const struct tap_timebase *timebase;
	const struct bt_message *messages[CTF_MESSAGES];
	unsigned int nr;
	unsigned int first;
	bool ended;
	struct ctf_stream *streams;
	unsigned int nr_streams;
	struct intern kinds;
	struct bt_event_class **classes;
	__u32 nr_classes;
	struct tap_buffer text;
	struct ctf_name names[CTF_NAMES];
	__u64 back;
};

/**
 * ctf_event_class() - the layout of a row
 * @ctf: the writer
 * @row: the row
 * @class: set to it; of @ctf
 *
 * Return: 0 or -errno.
 */
int ctf_event_class(struct ctf *ctf, const struct row *row, struct bt_event_class **class);

/**
 * ctf_event_fill() - write the members and values of a row
 * @ctf: the writer
 * @row: the row
 * @payload: of an event of the row's ctf_event_class()
 *
 * Return: 0 or -errno.
 */
int ctf_event_fill(struct ctf *ctf, const struct row *row, struct bt_field *payload);

/* Frees the layouts. */
void ctf_events_free(struct ctf *ctf);

#endif /* _TOOL_EXPORT_CTF_H */
