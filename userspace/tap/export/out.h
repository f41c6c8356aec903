/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where an export goes: a file or a directory that gets its name when it is complete, or standard
 * output.
 */
#ifndef _TOOL_EXPORT_OUT_H
#define _TOOL_EXPORT_OUT_H

#include "tool.h"
#include "util/buffer.h"

/**
 * struct out - an output
 * @name: for messages
 * @path: the file's name to be; NULL: there is no file to be renamed
 * @temp: its name until then
 * @inside: what becomes @path is this directory, in the directory @temp, and not there at first; NULL:
 *	@temp is a file
 * @fd: where bytes are written
 * @buf: bytes that are not written yet
 */
struct out {
	const char *name;
	char *path;
	char *temp;
	char *inside;
	int fd;
	struct tap_buffer buf;
};

/**
 * out_open() - begin
 * @out: filled in; end it with out_finish() or out_abort(), also after a failure
 * @path: the file; NULL or "-" is standard output. Another file than a regular one, e.g. a pipe,
 *	is written as it is
 *
 * SIGINT, SIGTERM and SIGHUP only set out_signal() from now on, if there is a file to be removed.
 *
 * Return: false after an error message.
 */
bool out_open(struct out *out, const char *path);

/**
 * out_open_directory() - begin with a directory
 * @out: as for out_open(); the caller makes @inside and writes the files in it
 * @path: the directory, which is not there or is empty
 *
 * Signals are as for out_open().
 *
 * Return: false after an error message.
 */
bool out_open_directory(struct out *out, const char *path);

/**
 * out_room() - where to write
 * @out: an open output
 * @need: bytes
 *
 * Return: the place, for out_put(); NULL if out of memory.
 */
static inline char *out_room(struct out *out, size_t need)
{
	return tap_buffer_room(&out->buf, need);
}

/**
 * out_put() - what was written at out_room()
 * @out: an open output
 * @end: the byte behind it
 *
 * Return: 0 or -errno of a write.
 */
int out_put(struct out *out, const char *end);

/**
 * out_flush() - write the bytes that are not written yet
 * @out: an open output
 *
 * Return: 0 or -errno.
 */
int out_flush(struct out *out);

/**
 * out_signal() - the signal that ends the export
 *
 * Return: its number; 0: none came.
 */
int out_signal(void);

/**
 * out_finish() - write the rest and give the file its name
 * @out: an open output; ended
 *
 * Return: 0 or -errno. The file is removed on failure.
 */
int out_finish(struct out *out);

/**
 * out_abort() - remove the file
 * @out: of out_open(), ended
 */
void out_abort(struct out *out);

#endif /* _TOOL_EXPORT_OUT_H */
