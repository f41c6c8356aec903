/* SPDX-License-Identifier: GPL-2.0 */
/*
 * interval: and file: events, which tap itself writes into the stream as marks.
 */
#ifndef _TOOL_RUN_TICKER_H
#define _TOOL_RUN_TICKER_H

#include <libtap.h>

struct ticker;

/**
 * ticker_open() - open the files and find the probes that need ticks
 * @ticker: set, but left NULL if no probe needs ticks; end it with ticker_close()
 * @session: the session
 * @probes: its probes; must stay as long as @ticker
 * @every_ns: how often files are read
 * @err: the error message on failure
 *
 * Return: 0 or -errno.
 */
int ticker_open(struct ticker **ticker, struct tap_session *session,
		const struct tap_probes *probes, __u64 every_ns,
		struct tap_error *err);

/**
 * ticker_start() - read the files once, then start the thread
 * @ticker: of ticker_open(), or NULL; the probes are enabled
 * @err: the error message on failure
 *
 * Return: 0 or -errno.
 */
int ticker_start(struct ticker *ticker, struct tap_error *err);

/**
 * ticker_stop() - read the files a last time, then stop the thread
 * @ticker: of ticker_open(), or NULL; may be stopped already
 *
 * Prints how many readings failed and how many ticks were skipped.
 */
void ticker_stop(struct ticker *ticker);

/**
 * ticker_close() - free it, unless its thread hangs in a file
 * @ticker: of ticker_open(), or NULL
 */
void ticker_close(struct ticker *ticker);

#endif /* _TOOL_RUN_TICKER_H */
