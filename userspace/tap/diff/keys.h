/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The keys of events of a probe: as words, and as text.
 */
#ifndef _TOOL_DIFF_KEYS_H
#define _TOOL_DIFF_KEYS_H

#include "tool.h"

/* Room for the words of keys, and for their text. */
#define KEYS_WORDS	(TAP_MAX_AGG_WORDS + TAP_MAX_KEYS)
#define KEYS_TEXT	8192

/**
 * struct keys - expressions as keys
 * @tally: a table of one event
 * @names: names addresses
 */
struct keys {
	struct tap_tally *tally;
	const struct tap_formatter_opts *names;
};

/**
 * keys_open() - begin
 * @keys: filled in; end it with keys_close(), even on failure
 * @probe: of the events
 * @exprs: the expressions, as tap_tally_open() takes them
 * @nr: number of @exprs
 * @names: as tap_file_names() sets it; must stay
 * @err: the error message on failure
 *
 * Return: 0 or -errno.
 */
int keys_open(struct keys *keys, const struct tap_probe *probe, const char *const *exprs,
	      unsigned int nr, const struct tap_formatter_opts *names, struct tap_error *err);

/**
 * keys_read() - the keys of an event
 * @keys: of keys_open()
 * @ev: an event of the probe
 * @words: set; room for %KEYS_WORDS
 * @nr: set to their number
 *
 * Return: 0 or -ENOMEM.
 */
int keys_read(struct keys *keys, const struct tap_event *ev, __u64 *words, unsigned int *nr);

/**
 * keys_text() - the keys of the last event of keys_read()
 * @keys: the keys
 * @json: as an object of JSON, else as NAME=VALUE with blanks between
 * @to: output
 */
void keys_text(struct keys *keys, bool json, FILE *to);

void keys_close(struct keys *keys);

#endif /* _TOOL_DIFF_KEYS_H */
