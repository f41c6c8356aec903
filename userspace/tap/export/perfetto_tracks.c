// SPDX-License-Identifier: GPL-2.0
/*
 * Tracks: one for each thread, and for interrupts and the idle task of each CPU. Slices of a track
 * must lie in each other or beside each other. One that overlaps another one gets a lane of its
 * own: a track below that of the thread, or for spans one of the event.
 */
#include <errno.h>
#include <stdlib.h>

#include "export/perfetto.h"

/* Tracks of a CPU. */
enum { CPU_LOSSES, CPU_IDLE, CPU_SOFTIRQ, CPU_IRQ, CPU_NMI };

/* ThreadDescriptor, CounterDescriptor. */
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };

static const char * const cpu_names[] = {
	[CPU_LOSSES] = "CPU %u losses and notices",
	[CPU_IDLE] = "CPU %u idle task",
	[CPU_SOFTIRQ] = "CPU %u softirqs",
	[CPU_IRQ] = "CPU %u interrupts",
	[CPU_NMI] = "CPU %u NMIs",
};

bool perfetto_track_begin(struct perfetto *pf, __u64 uuid, size_t *packet, size_t *track)
{
	bool added;

	perfetto_id(pf, INTERNED_TRACK, &uuid, sizeof(uuid), &added);
	if (!added)
		return false;
	*packet = proto_begin(&pf->packets, TRACE_PACKET);
	/* Any sequence will do: a descriptor is of the whole trace. */
	proto_number(&pf->packets, PACKET_SEQUENCE, SEQUENCE_EVENTS);
	*track = proto_begin(&pf->packets, PACKET_TRACK);
	proto_number(&pf->packets, TRACK_UUID, uuid);
	return true;
}

void perfetto_track_end(struct perfetto *pf, size_t packet, size_t track)
{
	proto_end(&pf->packets, track);
	proto_end(&pf->packets, packet);
}

static __u64 cpu_track(struct perfetto *pf, __u32 cpu, unsigned int kind)
{
	__u64 uuid = perfetto_uuid(OF_CPU, (__u64)cpu << 8 | kind);
	size_t packet, track;
	char name[48];

	if (!perfetto_track_begin(pf, uuid, &packet, &track))
		return uuid;
	snprintf(name, sizeof(name), cpu_names[kind], cpu);
	proto_bytes(&pf->packets, TRACK_NAME, name, strlen(name));
	perfetto_track_end(pf, packet, track);
	return uuid;
}

__u64 perfetto_cpu_track(struct perfetto *pf, __u32 cpu)
{
	return cpu_track(pf, cpu, CPU_LOSSES);
}

static __u64 thread_track(struct perfetto *pf, const struct row *row)
{
	__u32 tid = row->ev->rec->tid, pid = row->ev->rec->tgid;
	__u64 uuid = perfetto_uuid(OF_THREAD, (__u64)pid << 28 ^ tid);
	size_t packet, track, thread;
	struct json comm;

	if (!perfetto_track_begin(pf, uuid, &packet, &track))
		return uuid;
	thread = proto_begin(&pf->packets, TRACK_THREAD);
	proto_number(&pf->packets, THREAD_PID, pid);
	proto_number(&pf->packets, THREAD_TID, tid);
	if (row_has(row, ROW_COMM)) {
		comm = json_inside(&row->member[ROW_COMM]);
		proto_json(&pf->packets, THREAD_NAME, &comm);
	}
	proto_end(&pf->packets, thread);
	perfetto_track_end(pf, packet, track);
	return uuid;
}

__u64 perfetto_track(struct perfetto *pf, const struct row *row)
{
	__u32 flags = row->ev->rec->flags, cpu = row->ev->cpu;

	if (flags & TAP_F_NMI)
		return cpu_track(pf, cpu, CPU_NMI);
	if (flags & TAP_F_HARDIRQ)
		return cpu_track(pf, cpu, CPU_IRQ);
	if (flags & TAP_F_SOFTIRQ)
		return cpu_track(pf, cpu, CPU_SOFTIRQ);
	/* All idle tasks have the id 0. */
	return row->ev->rec->tid ? thread_track(pf, row) : cpu_track(pf, cpu, CPU_IDLE);
}

static __u64 lane_track(struct perfetto *pf, const struct row *row, __u64 parent, __u64 lane)
{
	const struct json name = json_inside(&row->member[ROW_EVENT]);
	__u64 uuid = perfetto_uuid(OF_LANE, lane);
	size_t packet, track;

	if (!perfetto_track_begin(pf, uuid, &packet, &track))
		return uuid;
	if (parent)
		proto_number(&pf->packets, TRACK_PARENT, parent);
	proto_json(&pf->packets, TRACK_NAME, &name);
	perfetto_track_end(pf, packet, track);
	return uuid;
}

int perfetto_slice_track(struct perfetto *pf, const struct row *row, __u64 begin, __u64 end,
			 __u64 *track)
{
	bool span = tap_probe_type(row->ev->probe) == TAP_PROBE_SPAN, fits = false;
	__u64 parent = span ? 0 : perfetto_track(pf, row), lane;
	int ret = 0;

	*track = parent;
	if (!span)
		ret = nesting_fits(&pf->slices, parent, begin, end, &fits);
	if (ret || fits)
		return ret;
	/* The lanes of a thread have one name each: that of their event. */
	ret = nesting_lane(&pf->lanes,
			   (parent ^ (__u64)tap_probe_id(row->ev->probe) << 40) | 1ULL << 63, begin,
			   end, &lane);
	if (!ret)
		*track = lane_track(pf, row, parent, lane);
	return ret;
}
