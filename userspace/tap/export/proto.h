/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writing messages of Protocol Buffers, which Perfetto and pprof take. A field has a number and a
 * value; a message, a string and bytes have their length in front. See
 * protobuf.dev/programming-guides/encoding.
 */
#ifndef _TOOL_EXPORT_PROTO_H
#define _TOOL_EXPORT_PROTO_H

#include "export/json.h"
#include "util/buffer.h"

/**
 * struct proto - messages being written
 * @buf: what was written
 * @failed: out of memory; what was written is of no use
 */
struct proto {
	struct tap_buffer buf;
	bool failed;
};

/* A number of any integer type but sint; also of an enum and of bool. */
void proto_number(struct proto *p, unsigned int field, __u64 v);

/* A string or bytes. */
void proto_bytes(struct proto *p, unsigned int field, const void *data, size_t len);

/* A string out of a line of JSON, without its quotes. */
void proto_json(struct proto *p, unsigned int field, const struct json *text);

/**
 * proto_begin() - begin a message in a message
 * @p: where to
 * @field: its number
 *
 * Return: for proto_end().
 */
size_t proto_begin(struct proto *p, unsigned int field);

/**
 * proto_end() - end a message
 * @p: where to
 * @begin: of proto_begin()
 */
void proto_end(struct proto *p, size_t begin);

#endif /* _TOOL_EXPORT_PROTO_H */
