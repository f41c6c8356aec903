/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Keeping the events that belong to a verdict. Included by libtap.h, which has the conventions.
 */
#ifndef _LIBTAP_KEEP_H
#define _LIBTAP_KEEP_H

#include <libtap/event.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct tap_keep - keeps the events that belong to a verdict, and drops the others
 *
 * A verdict is an event with a duration. To it belong the events of its task from its begin, which
 * is its time less its duration, to its time, itself included. Events are held in memory until
 * their verdict comes. Marks, losses and notices are of no task and always kept.
 */
struct tap_keep;

/**
 * struct tap_keep_opts - for tap_keep_open()
 * @size: sizeof(struct tap_keep_opts)
 * @memory: bytes for events that are held; %TAP_KEEP_MIN_MEMORY to %TAP_KEEP_MAX_MEMORY
 * @probes: the probe table; must stay as long as the stage
 * @ordered: give kept events by time, when memory is needed for later ones, at the latest at
 *	tap_keep_end(). Otherwise at once: those of a verdict when it comes, by time
 * @give: called with each event that is kept; its memory is valid during the call. Returns 0 or
 *	an error, which ends the call of the stage
 * @arg: handed to @give
 */
struct tap_keep_opts {
	size_t size;
	__u64 memory;
	const struct tap_probes *probes;
	bool ordered;
	int (*give)(void *arg, struct tap_event *ev);
	void *arg;
};

#define TAP_KEEP_MIN_MEMORY	(1ULL << 20)
#define TAP_KEEP_MAX_MEMORY	(1ULL << 36)

/**
 * struct tap_keep_counts - what became of events
 * @size: sizeof(struct tap_keep_counts), set by the caller
 * @verdicts: verdicts
 * @kept: events that were kept
 * @not_kept: events that were dropped. After tap_keep_end() both add up to all events
 * @incomplete: verdicts that began before an event of their task for which there was no memory.
 *	Tasks whose ids differ by a multiple of %TAP_KEEP_MIN_TASKS or more may share this number
 * @apart: spans that began in another task than they ended in: only they themselves were kept
 * @under_way: verdicts that had not ended at the end: the caller of tap_file_keep() knows them;
 *	tap_keep_counts() sets it to 0
 * @memory: bytes that events are held in
 */
struct tap_keep_counts {
	size_t size;
	__u64 verdicts;
	__u64 kept;
	__u64 not_kept;
	__u64 incomplete;
	__u64 apart;
	__u64 under_way;
	__u64 memory;
};

#define TAP_KEEP_MIN_TASKS	1024

/**
 * tap_keep_open() - start to keep events
 * @keep: set on success; end it with tap_keep_close()
 * @opts: the options
 *
 * Return: 0; -EINVAL if @opts is not valid; or -ENOMEM.
 */
LIBTAP_API int tap_keep_open(struct tap_keep **keep, const struct tap_keep_opts *opts);

/**
 * tap_keep_close() - free a stage and the events that it holds
 * @keep: may be NULL
 */
LIBTAP_API void tap_keep_close(struct tap_keep *keep);

/**
 * tap_keep_verdict() - let the events of a probe be verdicts
 * @keep: of tap_keep_open()
 * @probe: of its table
 *
 * Return: 0; -EINVAL if the probe is no call:, ucall:, syscall: or span:.
 */
LIBTAP_API int tap_keep_verdict(struct tap_keep *keep, const struct tap_probe *probe);

/**
 * tap_keep_event() - hold an event, give it, or drop it
 * @keep: of tap_keep_open()
 * @ev: the next event by time, which tap_decode() accepted; it is copied
 *
 * Return: 0, or what @give of the options returned.
 */
LIBTAP_API int tap_keep_event(struct tap_keep *keep, const struct tap_event *ev);

/**
 * tap_keep_end() - no further events come: drop what is held for a verdict
 * @keep: of tap_keep_open()
 *
 * Return: 0, or what @give of the options returned.
 */
LIBTAP_API int tap_keep_end(struct tap_keep *keep);

/**
 * tap_keep_counts() - read the counts
 * @keep: of tap_keep_open()
 * @counts: filled in up to its @size
 *
 * Return: 0, or -EINVAL if @size of @counts is not set.
 */
LIBTAP_API int tap_keep_counts(const struct tap_keep *keep, struct tap_keep_counts *counts);

#ifdef __cplusplus
}
#endif

#endif /* _LIBTAP_KEEP_H */
