/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tool itself says into the stream, at an interval: interval: and file:
 * events.
 */
#ifndef _TOOL_BEATS_H
#define _TOOL_BEATS_H

#include <libtap.h>

struct beats;

/**
 * beats_open() - get ready to say what such probes are to say
 * @beats: set; NULL if there are none. End it with beats_close()
 * @session: the session
 * @probes: its probes; must stay as long as @beats
 * @every_ns: how often files are read
 * @err: the sentence on failure
 *
 * Return: 0 or -errno.
 */
int beats_open(struct beats **beats, struct tap_session *session,
	       const struct tap_probes *probes, __u64 every_ns,
	       struct tap_error *err);

/**
 * beats_start() - read the files once, then begin
 * @beats: of beats_open(), or NULL; the probes are enabled
 * @err: the sentence on failure
 *
 * Return: 0 or -errno.
 */
int beats_start(struct beats *beats, struct tap_error *err);

/**
 * beats_stop() - read the files a last time, and say no more
 * @beats: of beats_open(), or NULL; may be stopped already
 *
 * What did not go well meanwhile is told.
 */
void beats_stop(struct beats *beats);

/**
 * beats_close() - end it
 * @beats: of beats_open(), or NULL
 */
void beats_close(struct beats *beats);

#endif /* _TOOL_BEATS_H */
