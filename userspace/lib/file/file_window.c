// SPDX-License-Identifier: LGPL-2.1
/*
 * The windows of a flight recorder: the ring data behind such a chunk are its records.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "file/file_internal.h"
#include "util/array.h"
#include "util/sized.h"

int tap_file_window(struct tap_file_writer *w, const struct tap_window_info *info)
{
	struct tap_window_info known;
	struct tap_file_window window;
	int ret = tap_sized_read(&known, sizeof(known), info);

	if (ret)
		return ret;
	window = (struct tap_file_window) {
		.time = known.time, .from = known.from, .to = known.to, .events = known.events,
		.merged = known.merged, .missed = known.missed, .probe = known.probe,
		.cpu = known.cpu, .flags = known.flags,
	};
	return tap_file_chunk(w, TAP_CHUNK_WINDOW, &window, sizeof(window), NULL, 0);
}

int tap_file_flight(struct tap_file_writer *w, const struct tap_flight_counts *counts)
{
	struct tap_flight_counts known;
	struct tap_file_flight flight;
	int ret = tap_sized_read(&known, sizeof(known), counts);

	if (ret)
		return ret;
	flight = (struct tap_file_flight) {
		.windows = known.windows, .merged = known.merged, .missed = known.missed,
		.skipped = known.skipped,
	};
	return tap_file_chunk(w, TAP_CHUNK_FLIGHT, &flight, sizeof(flight), NULL, 0);
}

/**
 * tap_file_parse_window() - read a window
 * @f: the file, whose probe table was read
 * @data: contents of the chunk
 * @len: bytes
 *
 * Return: 0, -EBADMSG or -ENOMEM.
 */
int tap_file_parse_window(struct tap_file_reader *f, const char *data, size_t len)
{
	struct tap_file_window window;

	if (len < sizeof(window))
		return -EBADMSG;
	memcpy(&window, data, sizeof(window));
	if (window.from > window.to || window.flags & ~TAP_WINDOW_INFO_F_SHORT ||
	    (window.probe && !tap_probes_find(&f->probes, window.probe)))
		return -EBADMSG;
	if (!TAP_GROW(f->windows, f->nr_windows))
		return -ENOMEM;
	f->windows[f->nr_windows++] = (struct tap_window_info) {
		.size = sizeof(*f->windows),
		.time = window.time, .from = window.from, .to = window.to,
		.events = window.events, .merged = window.merged, .missed = window.missed,
		.probe = window.probe, .cpu = window.cpu, .flags = window.flags,
	};
	return 0;
}

/**
 * tap_file_parse_flight() - read the counts of the windows
 * @f: the file
 * @data: contents of the chunk
 * @len: bytes
 *
 * Return: 0 or -EBADMSG.
 */
int tap_file_parse_flight(struct tap_file_reader *f, const char *data, size_t len)
{
	struct tap_file_flight flight;

	if (len < sizeof(flight))
		return -EBADMSG;
	memcpy(&flight, data, sizeof(flight));
	if (flight.windows != f->nr_windows)
		return -EBADMSG;
	f->flight = (struct tap_flight_counts) {
		.size = sizeof(f->flight), .windows = flight.windows, .merged = flight.merged,
		.missed = flight.missed, .skipped = flight.skipped,
	};
	return 0;
}

const struct tap_window_info *tap_file_get_window(const struct tap_file_reader *f, size_t number)
{
	return number && number <= f->nr_windows ? &f->windows[number - 1] : NULL;
}

size_t tap_file_event_window(const struct tap_file_reader *f)
{
	const struct tap_file_stream *s;

	if (!f->given)
		return 0;
	s = &f->streams[tap_merge_first(&f->merge).stream];
	return s->extents[s->extent].window;
}

const struct tap_flight_counts *tap_file_get_flight(const struct tap_file_reader *f)
{
	return f->flight.size ? &f->flight : NULL;
}
