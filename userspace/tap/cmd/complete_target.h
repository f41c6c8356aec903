/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shell completion of the target of an event.
 */
#ifndef _TOOL_CMD_COMPLETE_TARGET_H
#define _TOOL_CMD_COMPLETE_TARGET_H

#include <stddef.h>

/**
 * complete_target() - complete a function, a tracepoint, a system call or a program
 * @word: an event with a type and a colon
 *
 * Prints nothing for a type that has none of these.
 */
void complete_target(const char *word);

/**
 * complete_function() - complete a kernel function
 * @word: FUNC or MODULE:FUNC, without a type
 */
void complete_function(const char *word);

/**
 * complete_module() - complete the name of a loaded module
 * @word: what was typed
 * @before: where in @word the name begins
 */
void complete_module(const char *word, size_t before);

#endif /* _TOOL_CMD_COMPLETE_TARGET_H */
