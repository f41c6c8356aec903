/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What all rooms of the tool share.
 */
#ifndef _TOOL_TOOL_H
#define _TOOL_TOOL_H

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <libtap.h>

/* Exit status; 0 is success. */
#define TOOL_FAILED	1	/* the command failed; stderr says why */
#define TOOL_USAGE	2	/* the command line is invalid */

/*
 * Exit status if output is lost, or a file is truncated while it is read: %TOOL_FAILED, but for a
 * command whose status is a verdict, which sets the one that says that there is none.
 */
extern int tool_trouble;

/**
 * tool_error() - print "tap: ..." to stderr
 * @fmt: as for printf(3), without a final newline
 */
void tool_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/**
 * tool_fail() - print an error of the library
 * @err: with a text
 *
 * Return: %TOOL_FAILED, so that a caller can return it.
 */
int tool_fail(const struct tap_error *err);

/**
 * tool_json() - print a string of JSON, with its quotes
 * @to: where to
 * @text: any bytes; special characters are escaped, and those that are not UTF-8 become U+FFFD
 */
void tool_json(FILE *to, const char *text);

/**
 * tool_json_event() - print the members "event" and, if the event has a name, "text"
 * @to: where to
 * @spec: the event, or one of the places of an event
 */
void tool_json_event(FILE *to, const struct tap_spec *spec);

/* Whether a value is a stack of the kernel, whole or by its id. */
static inline bool tool_is_kstack(const struct tap_field *field)
{
	return field->format == TAP_FMT_KSTACK || field->format == TAP_FMT_KSTACK_ID;
}

/* The same of the task's program. */
static inline bool tool_is_ustack(const struct tap_field *field)
{
	return field->format == TAP_FMT_USTACK || field->format == TAP_FMT_USTACK_ID;
}

/* The sum of two numbers; UINT64_MAX if it is larger. UINT64_MAX as "not known" stays that. */
static inline __u64 tool_sum(__u64 a, __u64 b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Width of --help. */
#define TOOL_COLUMNS	80

/**
 * tool_wrap() - print words in lines of at most %TOOL_COLUMNS columns, and a newline
 * @to: where to
 * @text: words, each separated by one blank
 * @column: columns of the first line that are printed already; at most @indent
 * @indent: where the others begin
 */
void tool_wrap(FILE *to, const char *text, unsigned int column, unsigned int indent);

/**
 * tool_tmpdir() - the directory for files that the user did not ask for
 *
 * Return: TMPDIR, or /tmp.
 */
const char *tool_tmpdir(void);

/**
 * tool_replace() - replace a file by a text at once: a reader sees the old file or the new one
 * @path: the file; links are not followed
 * @mode: its permissions
 * @text: what it has then
 * @len: bytes of @text
 *
 * Return: 0 or -errno; then the old file is as it was.
 */
int tool_replace(const char *path, mode_t mode, const char *text, size_t len);

/**
 * tool_color() - whether to use colours on a descriptor
 * @fd: a descriptor
 *
 * Return: true on a terminal that has them, unless NO_COLOR is set.
 */
bool tool_color(int fd);

#endif /* _TOOL_TOOL_H */
