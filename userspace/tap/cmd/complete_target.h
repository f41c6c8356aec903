/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shell completion of the target of an event.
 */
#ifndef _TOOL_CMD_COMPLETE_TARGET_H
#define _TOOL_CMD_COMPLETE_TARGET_H

/**
 * complete_target() - complete a function, a tracepoint, a system call or a program
 * @word: an event with a type and a colon
 *
 * Prints nothing for a type that has none of these.
 */
void complete_target(const char *word);

#endif /* _TOOL_CMD_COMPLETE_TARGET_H */
