/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The values of options. Each function returns -1, or the exit status after an error message.
 */
#ifndef _TOOL_RUN_OPTION_VALUE_H
#define _TOOL_RUN_OPTION_VALUE_H

#include "tool.h"

/**
 * option_bad() - print an error message
 * @option: its name
 * @arg: its value
 * @what: what would be right
 *
 * Return: %TOOL_USAGE.
 */
int option_bad(const char *option, const char *arg, const char *what);

/**
 * option_seconds() - read seconds
 * @option: its name
 * @arg: its value
 * @least: the least that is valid
 * @most: the most
 * @ns: set to the value, nanoseconds
 *
 * Return: -1 or %TOOL_USAGE.
 */
int option_seconds(const char *option, const char *arg, double least, double most, __u64 *ns);

/**
 * option_time() - read a time with its unit: us, ms, s or m; seconds without one
 * @option: its name
 * @arg: its value
 * @ns: set to the value, nanoseconds
 *
 * Return: -1 or %TOOL_USAGE.
 */
int option_time(const char *option, const char *arg, __u64 *ns);

/**
 * option_size() - read a number of bytes, with K, M, G or T
 * @option: its name
 * @arg: its value
 * @size: set to the value; UINT64_MAX if it is larger
 *
 * Return: -1 or %TOOL_USAGE.
 */
int option_size(const char *option, const char *arg, __u64 *size);

/**
 * option_keep_memory() - read the memory of --keep-memory
 * @arg: its value
 * @size: set to the value
 *
 * Return: -1 or %TOOL_USAGE.
 */
int option_keep_memory(const char *arg, __u64 *size);

/**
 * option_number() - read a number
 * @option: its name
 * @arg: its value
 * @least: the least that is valid
 * @most: the most
 * @number: set to the value
 *
 * Return: -1 or %TOOL_USAGE.
 */
int option_number(const char *option, const char *arg, __u32 least, __u32 most, __u32 *number);

/**
 * option_limit() - read a number of hits per second, or "none"
 * @option: its name
 * @arg: its value
 * @limit: set to the value, or to %TAP_NO_LIMIT
 *
 * Return: -1 or %TOOL_USAGE.
 */
int option_limit(const char *option, const char *arg, __u32 *limit);

/**
 * option_permille() - read percent, from 0.1 to 100, perhaps with a "%"
 * @option: its name
 * @arg: its value
 * @permille: set to the value in thousandths
 *
 * Return: -1 or %TOOL_USAGE.
 */
int option_permille(const char *option, const char *arg, __u32 *permille);

/**
 * option_word() - read one of three words
 * @option: its name
 * @arg: its value
 * @names: the words, in the order of an enum
 * @value: set to the index of the word
 *
 * Return: -1 or %TOOL_USAGE.
 */
int option_word(const char *option, const char *arg, const char *const names[3], __u32 *value);

#endif /* _TOOL_RUN_OPTION_VALUE_H */
