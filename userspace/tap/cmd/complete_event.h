/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shell completion of events, expressions and counters.
 */
#ifndef _TOOL_CMD_COMPLETE_EVENT_H
#define _TOOL_CMD_COMPLETE_EVENT_H

#include <stdbool.h>
#include <stddef.h>

/**
 * complete_event() - complete an event
 * @word: of -e, or a pattern of tap list
 * @list: a pattern of tap list: no values
 */
void complete_event(const char *word, bool list);

/**
 * complete_expr() - complete a name in an expression
 * @word: what was typed
 * @from: where in @word the expression begins
 * @event: the event that has the names, or NULL
 */
void complete_expr(const char *word, size_t from, const char *event);

/**
 * complete_counters() - complete counters that are separated by commas
 * @word: what was typed
 */
void complete_counters(const char *word);

#endif /* _TOOL_CMD_COMPLETE_EVENT_H */
