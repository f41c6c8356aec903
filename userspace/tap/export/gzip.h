/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A gzip file that is written piece by piece.
 */
#ifndef _TOOL_EXPORT_GZIP_H
#define _TOOL_EXPORT_GZIP_H

#include <zlib.h>

#include "export/out.h"

/**
 * struct gzip - a compressed file
 * @stream: of zlib
 * @open: it has begun
 */
struct gzip {
	z_stream stream;
	bool open;
};

/**
 * gzip_open() - begin
 * @gzip: filled in; end it with gzip_free()
 *
 * Return: 0 or -ENOMEM.
 */
int gzip_open(struct gzip *gzip);

/**
 * gzip_write() - compress bytes
 * @gzip: of gzip_open()
 * @out: where to
 * @data: the bytes
 * @len: how many
 * @last: nothing follows
 *
 * Return: 0 or -errno.
 */
int gzip_write(struct gzip *gzip, struct out *out, const void *data, size_t len, bool last);

/**
 * gzip_free() - free it
 * @gzip: all zero, or of gzip_open()
 */
void gzip_free(struct gzip *gzip);

#endif /* _TOOL_EXPORT_GZIP_H */
