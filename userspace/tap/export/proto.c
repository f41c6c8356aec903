// SPDX-License-Identifier: GPL-2.0
/*
 * Writes messages of Protocol Buffers.
 */
#include "export/proto.h"

/* Bytes of a number of 64 bits: 7 bits each. */
#define NUMBER_MAX	10
/* The length of a message is written last; a number may have more bytes than it needs. */
#define LENGTH_BYTES	4

enum { TYPE_NUMBER = 0, TYPE_BYTES = 2 };

static char *room(struct proto *p, size_t need)
{
	char *to = p->failed ? NULL : tap_buffer_room(&p->buf, need);

	p->failed |= !to;
	return to;
}

static void end(struct proto *p, const char *to)
{
	p->buf.len = (size_t)(to - p->buf.data);
}

static char *put_number(char *to, __u64 v)
{
	for (; v >= 0x80; v >>= 7)
		*to++ = (char)(v | 0x80);
	*to++ = (char)v;
	return to;
}

void proto_number(struct proto *p, unsigned int field, __u64 v)
{
	char *to = room(p, 2 * NUMBER_MAX);

	if (to)
		end(p, put_number(put_number(to, field << 3 | TYPE_NUMBER), v));
}

void proto_bytes(struct proto *p, unsigned int field, const void *data, size_t len)
{
	char *to = room(p, 2 * NUMBER_MAX + len);

	if (!to)
		return;
	to = put_number(put_number(to, field << 3 | TYPE_BYTES), len);
	end(p, tap_put_mem(to, data, len));
}

void proto_json(struct proto *p, unsigned int field, const struct json *text)
{
	size_t begin = proto_begin(p, field);
	char *to = room(p, text->len);

	if (to)
		end(p, json_text(text, to));
	proto_end(p, begin);
}

size_t proto_begin(struct proto *p, unsigned int field)
{
	char *to = room(p, NUMBER_MAX + LENGTH_BYTES);

	if (to)
		end(p, put_number(to, field << 3 | TYPE_BYTES) + LENGTH_BYTES);
	return p->buf.len;
}

void proto_end(struct proto *p, size_t begin)
{
	size_t len = p->buf.len - begin;
	char *to;
	int i;

	if (p->failed)
		return;
	p->failed = len >> (7 * LENGTH_BYTES);
	to = p->buf.data + begin - LENGTH_BYTES;
	for (i = 0; i < LENGTH_BYTES - 1; i++, len >>= 7)
		*to++ = (char)(len | 0x80);
	*to = (char)(len & 0x7f);
}
