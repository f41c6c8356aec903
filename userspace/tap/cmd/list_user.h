/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Listing what can be probed in a program or library.
 */
#ifndef _TOOL_CMD_LIST_USER_H
#define _TOOL_CMD_LIST_USER_H

#include "tool.h"

/**
 * list_user_asked() - whether an argument of tap list names a program
 * @text: the argument
 *
 * Return: true for uprobe:PATH and the like.
 */
bool list_user_asked(const char *text);

/**
 * list_user() - list the functions or USDT probes of a program
 * @text: TYPE:PATH[:GLOB], or usdt:PATH[:[PROVIDER:]GLOB]
 * @verbose: with offsets, sizes and arguments
 * @json: print one JSON object per line
 *
 * Return: 0, or the exit status after printing an error message.
 */
int list_user(const char *text, bool verbose, bool json);

#endif /* _TOOL_CMD_LIST_USER_H */
