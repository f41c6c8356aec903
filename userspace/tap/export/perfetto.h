/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of the Perfetto writer. The numbers are those of the fields in Perfetto's .proto files;
 * each message is named in front of its fields.
 */
#ifndef _TOOL_EXPORT_PERFETTO_H
#define _TOOL_EXPORT_PERFETTO_H

#include "export/export.h"
#include "export/intern.h"
#include "export/nesting.h"
#include "export/proto.h"
#include "export/row.h"

/* Trace, TracePacket. */
enum {
	TRACE_PACKET = 1,
	PACKET_FTRACE = 1,
	PACKET_CLOCKS = 6,
	PACKET_TIME = 8,
	PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_DROPPED = 42,
	PACKET_CLOCK = 58,
	PACKET_TRACK = 60,
};

/* Clocks, in PACKET_CLOCK and ClockSnapshot. */
enum { CLOCK_IS_REALTIME = 1, CLOCK_IS_MONOTONIC = 3, CLOCK_IS_BOOTTIME = 6 };

/* Sequences of packets: what comes behind a loss must not use interned data of before it. */
enum { SEQUENCE_EVENTS = 1, SEQUENCE_LOSSES, SEQUENCE_SWITCHES };

/* TrackDescriptor. */
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_THREAD = 4, TRACK_PARENT = 5, TRACK_COUNTER = 8 };

/* TrackEvent, and its types. */
enum {
	EVENT_ARG = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_ID = 10,
	EVENT_TRACK = 11,
	EVENT_CATEGORY = 22,
	EVENT_NAME = 23,
	EVENT_COUNTER = 30,
	EVENT_CALLSTACK_ID = 56,
};

enum { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3, COUNTER = 4 };

/* InternedData. */
enum {
	INTERNED_EVENT_NAME = 2,
	INTERNED_ARG_NAME = 3,
	INTERNED_FUNCTION = 5,
	INTERNED_FRAME = 6,
	INTERNED_CALLSTACK = 7,
	INTERNED_PATH = 17,
	INTERNED_SOURCE = 18,
	INTERNED_MAPPING = 19,
	/* Not a field: tracks that have a descriptor. */
	INTERNED_TRACK = 100,
};

/**
 * struct perfetto - the state of the writer
 * @packets: the packets of a row
 * @interned: the InternedData of a packet
 * @ids: what was interned
 * @begun: the sequence has begun
 * @slices: the slices of tracks
 * @lanes: lanes of slices that fit on no track
 */
struct perfetto {
	struct proto packets;
	struct proto interned;
	struct intern ids;
	bool begun;
	struct nesting slices;
	struct nesting lanes;
};

/**
 * perfetto_packet() - begin a packet that uses interned data
 * @pf: the writer
 * @ns: its time
 *
 * Return: for perfetto_packet_end().
 */
size_t perfetto_packet(struct perfetto *pf, __u64 ns);
void perfetto_packet_end(struct perfetto *pf, size_t packet);

/**
 * perfetto_id() - the id of interned data
 * @pf: the writer, in a packet
 * @kind: INTERNED_*
 * @data: the bytes
 * @len: how many
 * @added: set to whether the caller has to write them to @interned
 *
 * Return: the id.
 */
__u64 perfetto_id(struct perfetto *pf, unsigned int kind, const void *data, size_t len,
		  bool *added);

/* The same for a name in a line of JSON; writes it. */
__u64 perfetto_name(struct perfetto *pf, unsigned int kind, const struct json *name);

/* What a track is of; its number is in the lower bits of its uuid. */
enum perfetto_track_of { OF_THREAD = 1, OF_CPU, OF_LANE, OF_COUNTER };

static inline __u64 perfetto_uuid(enum perfetto_track_of of, __u64 number)
{
	return (__u64)of << 56 | number;
}

/**
 * perfetto_track_begin() - begin the descriptor of a track
 * @pf: the writer, not in a packet
 * @uuid: of the track
 * @packet: for perfetto_track_end()
 * @track: likewise
 *
 * Return: false if the track has a descriptor.
 */
bool perfetto_track_begin(struct perfetto *pf, __u64 uuid, size_t *packet, size_t *track);
void perfetto_track_end(struct perfetto *pf, size_t packet, size_t track);

/* A track for an instant of an event; writes its descriptor. Not inside of a packet. */
__u64 perfetto_track(struct perfetto *pf, const struct row *row);

/* The same for a slice. Returns 0 or -ENOMEM. */
int perfetto_slice_track(struct perfetto *pf, const struct row *row, __u64 begin, __u64 end,
			 __u64 *track);

/* The track of the losses and notices of a CPU. */
__u64 perfetto_cpu_track(struct perfetto *pf, __u32 cpu);

/* Writes the counters of an event, and its switch of tasks. Not inside of a packet. */
void perfetto_counters(struct perfetto *pf, const struct row *row, __u64 ns);
void perfetto_switch(struct perfetto *pf, const struct row *row, __u64 ns);

/* Writes the values of an event into its TrackEvent: annotations, and a call stack. */
void perfetto_args(struct perfetto *pf, const struct row *row);

/* Writes an annotation. A null has none. */
void perfetto_arg(struct perfetto *pf, const char *name, const struct json *value);

/**
 * perfetto_stacks() - write the stacks of an event as a call stack
 * @pf: the writer, in a TrackEvent
 * @kernel: an array, or without text
 * @user: likewise
 */
void perfetto_stacks(struct perfetto *pf, const struct json *kernel, const struct json *user);

#endif /* _TOOL_EXPORT_PERFETTO_H */
