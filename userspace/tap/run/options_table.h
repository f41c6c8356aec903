/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the options that were read ask for, and their end.
 */
#ifndef _TOOL_RUN_OPTIONS_TABLE_H
#define _TOOL_RUN_OPTIONS_TABLE_H

#include <stddef.h>

struct options;
struct stat_args;

/**
 * options_table() - an aggregation that the command line asks for
 * @opts: of options_parse()
 * @i: from 0: that for all events if there is one, then those of --for
 *
 * Return: the aggregation; NULL if there is none.
 */
const struct stat_args *options_table(const struct options *opts, size_t i);

/**
 * options_add_events() - add events that are no arguments of the command line
 * @opts: of options_parse()
 * @texts: the events, none of --keep or --when; each must stay as long as @opts
 * @nr: number of @texts
 *
 * Return: 0 or -ENOMEM.
 */
int options_add_events(struct options *opts, char *const *texts, size_t nr);

/**
 * options_free() - free what it holds
 * @opts: of options_parse()
 */
void options_free(struct options *opts);

#endif /* _TOOL_RUN_OPTIONS_TABLE_H */
