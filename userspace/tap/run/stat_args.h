/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The keys and values of tap stat: --by, --sum and the like.
 */
#ifndef _TOOL_RUN_STAT_ARGS_H
#define _TOOL_RUN_STAT_ARGS_H

#include "tool.h"

/* Default of --entries. */
#define STAT_ENTRIES	2048

/**
 * struct stat_args - an aggregation that the command line asks for
 * @event: of --for NAME: the event that it is for; NULL: all events
 * @keys: expressions of the keys
 * @nr_keys: number of @keys
 * @values: expressions whose sum, minimum and so on is kept for each key
 * @nr_values: number of @values
 * @wanted: any of these options was given
 * @entries: --entries, 0 if not given
 * @top: --top, 0 if not given
 * @texts: what @keys and @values point into; allocated
 * @nr_texts: number of @texts
 */
struct stat_args {
	const char *event;
	const char *keys[TAP_MAX_KEYS];
	unsigned int nr_keys;
	struct tap_spec_value values[TAP_MAX_AGGS];
	unsigned int nr_values;
	bool wanted;
	__u32 entries;
	__u32 top;
	char *texts[TAP_MAX_KEYS + TAP_MAX_AGGS];
	unsigned int nr_texts;
};

/**
 * stat_args_by() - add the keys of a --by
 * @args: all zero before the first call
 * @text: expressions with commas between them
 *
 * Return: -1 to go on; else the exit status, after printing an error message.
 */
int stat_args_by(struct stat_args *args, const char *text);

/**
 * stat_args_value() - add a value
 * @args: all zero before the first call
 * @option: for the error message, e.g. "--sum"
 * @kind: enum tap_agg_kind
 * @avg: with TAP_AGG_SUM: print the average
 * @text: the expression; for a linear histogram followed by :MIN:MAX:STEP
 *
 * Return: as stat_args_by().
 */
int stat_args_value(struct stat_args *args, const char *option,
		    enum tap_agg_kind kind, bool avg, const char *text);

/**
 * stat_args_entries() - number of entries to ask the module for
 * @args: complete
 *
 * Return: a power of two.
 */
__u32 stat_args_entries(const struct stat_args *args);

/**
 * stat_args_free() - free what it holds
 * @args: may be all zero
 */
void stat_args_free(struct stat_args *args);

/**
 * stat_args_is_for() - whether --for means an event
 * @args: of --for NAME, or those for all events
 * @spec: the event, expanded or not
 *
 * Return: true if NAME is its name, its text, or the name of a span, or there is no NAME.
 */
bool stat_args_is_for(const struct stat_args *args, const struct tap_spec *spec);

#endif /* _TOOL_RUN_STAT_ARGS_H */
