// SPDX-License-Identifier: GPL-2.0
/*
 * Compresses by zlib.
 */
#include <errno.h>

#include "export/gzip.h"

/* Bytes of output at a time. */
#define PIECE	16384U
/* deflateInit2(): the largest window, with the head and the checksum of gzip; the usual memory. */
#define GZIP_WINDOW	(15 + 16)
#define GZIP_MEMORY	8

int gzip_open(struct gzip *gzip)
{
	*gzip = (struct gzip) { 0 };
	gzip->open = deflateInit2(&gzip->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW,
				  GZIP_MEMORY, Z_DEFAULT_STRATEGY) == Z_OK;
	return gzip->open ? 0 : -ENOMEM;
}

int gzip_write(struct gzip *gzip, struct out *out, const void *data, size_t len, bool last)
{
	z_stream *s = &gzip->stream;
	int ret = 0;
	char *p;

	/* zlib does not write here. */
	s->next_in = (unsigned char *)data;
	s->avail_in = (unsigned int)len;
	do {
		p = out_room(out, PIECE);
		if (!p)
			return -ENOMEM;
		s->next_out = (unsigned char *)p;
		s->avail_out = PIECE;
		deflate(s, last ? Z_FINISH : Z_NO_FLUSH);
		ret = out_put(out, (char *)s->next_out);
	} while (!ret && !s->avail_out);
	return ret;
}

void gzip_free(struct gzip *gzip)
{
	if (gzip->open)
		deflateEnd(&gzip->stream);
	gzip->open = false;
}
