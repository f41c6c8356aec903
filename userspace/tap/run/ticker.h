/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tool itself says into the stream, at an interval: interval: and file:
 * events.
 */
#ifndef _TOOL_RUN_TICKER_H
#define _TOOL_RUN_TICKER_H

#include <libtap.h>

struct ticker;

/**
 * ticker_open() - get ready to say what such probes are to say
 * @beats: set; NULL if there are none. End it with ticker_close()
 * @session: the session
 * @probes: its probes; must stay as long as @beats
 * @every_ns: how often files are read
 * @err: the sentence on failure
 *
 * Return: 0 or -errno.
 */
int ticker_open(struct ticker **beats, struct tap_session *session,
		const struct tap_probes *probes, __u64 every_ns,
		struct tap_error *err);

/**
 * ticker_start() - read the files once, then begin
 * @beats: of ticker_open(), or NULL; the probes are enabled
 * @err: the sentence on failure
 *
 * Return: 0 or -errno.
 */
int ticker_start(struct ticker *beats, struct tap_error *err);

/**
 * ticker_stop() - read the files a last time, and say no more
 * @beats: of ticker_open(), or NULL; may be stopped already
 *
 * What did not go well meanwhile is told.
 */
void ticker_stop(struct ticker *beats);

/**
 * ticker_close() - end it
 * @beats: of ticker_open(), or NULL
 */
void ticker_close(struct ticker *beats);

#endif /* _TOOL_RUN_TICKER_H */
