/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * An output buffer, and writers of numbers and strings into memory.
 *
 * A writer writes at @p and returns the end. It does not check for room: the caller
 * makes room for a whole line from the TAP_PUT_* bounds, then writes without a check
 * per field. Bytes after the end, within the bound, may be overwritten.
 */
#ifndef _TAP_UTIL_BUFFER_H
#define _TAP_UTIL_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <linux/types.h>

/* Upper bounds of what a writer writes, including bytes after the returned end. */
#define TAP_PUT_U64_MAX		20
#define TAP_PUT_S64_MAX		20
#define TAP_PUT_HEX_MAX		18
#define TAP_PUT_DURATION_MAX	26
#define TAP_PUT_TIME_MAX	31
/* Upper bound for one byte of a string. */
#define TAP_PUT_CHAR_MAX	6

/**
 * struct tap_buffer - output that is not written yet
 * @data: allocated
 * @len: bytes used
 * @room: bytes allocated
 */
struct tap_buffer {
	char *data;
	size_t len;
	size_t room;
};

/**
 * tap_buffer_room() - make room
 * @buf: a buffer; all zero is an empty one
 * @need: bytes
 *
 * Return: the place to write, or NULL if out of memory. The caller adds to @len.
 */
char *tap_buffer_room(struct tap_buffer *buf, size_t need);

/**
 * tap_buffer_write() - write a buffer to a file and empty it
 * @buf: a buffer
 * @fd: a descriptor, blocking or not
 *
 * Return: 0 or -errno. On failure the buffer is empty too, since it is unknown how much
 * of it a pipe's reader has got.
 */
int tap_buffer_write(struct tap_buffer *buf, int fd);

/**
 * tap_buffer_free() - free the memory of a buffer
 * @buf: is all zero afterwards
 */
void tap_buffer_free(struct tap_buffer *buf);

/**
 * tap_put_u64() - write a number in decimal
 * @p: room for %TAP_PUT_U64_MAX bytes
 * @v: the number
 *
 * Return: the end.
 */
char *tap_put_u64(char *p, __u64 v);

/**
 * tap_put_s64() - write a signed number in decimal
 * @p: room for %TAP_PUT_S64_MAX bytes
 * @v: the number
 *
 * Return: the end.
 */
char *tap_put_s64(char *p, __s64 v);

/**
 * tap_put_hex() - write "0x" and hexadecimal digits, without leading zeros
 * @p: room for %TAP_PUT_HEX_MAX bytes
 * @v: the number
 *
 * Return: the end.
 */
char *tap_put_hex(char *p, __u64 v);

/**
 * tap_put_right() - write a number in decimal, right-aligned
 * @p: room for the larger of @width and %TAP_PUT_U64_MAX bytes
 * @v: the number
 * @width: minimum number of bytes, at most 20
 *
 * Return: the end.
 */
char *tap_put_right(char *p, __u64 v, unsigned int width);

/**
 * tap_put_duration() - write a time in its natural unit
 * @p: room for %TAP_PUT_DURATION_MAX bytes
 * @ns: nanoseconds
 *
 * E.g. 214ns, 3.214us, 1.003s; digits after the third decimal are cut.
 *
 * Return: the end.
 */
char *tap_put_duration(char *p, __u64 ns);

/**
 * tap_put_time() - write a time in seconds
 * @p: room for %TAP_PUT_TIME_MAX bytes
 * @ns: nanoseconds
 * @nano: 9 decimals instead of 6
 *
 * Return: the end.
 */
char *tap_put_time(char *p, __u64 ns, bool nano);

/**
 * tap_put_micros() - write six digits
 * @p: room for 8 bytes
 * @us: less than 10^6
 *
 * Return: the end.
 */
char *tap_put_micros(char *p, __u32 us);

/**
 * tap_put_nanos() - write nine digits
 * @p: room for 9 bytes
 * @ns: less than 10^9
 *
 * Return: the end.
 */
char *tap_put_nanos(char *p, __u32 ns);

/**
 * tap_put_text() - write a string without control characters
 * @p: room for two bytes for each byte
 * @s: the string; control characters and invalid UTF-8 become '?'
 * @len: upper bound of its bytes; a 0 ends it
 * @quotes: " and \ get a backslash
 *
 * Return: the end.
 */
char *tap_put_text(char *p, const char *s, size_t len, bool quotes);

/**
 * tap_put_json() - write the characters of a JSON string, without the quotes
 * @p: room for %TAP_PUT_CHAR_MAX bytes for each byte
 * @s: the string; invalid UTF-8 becomes U+FFFD
 * @len: upper bound of its bytes; a 0 ends it
 *
 * Return: the end.
 */
char *tap_put_json(char *p, const char *s, size_t len);

static inline char *tap_put_mem(char *p, const char *s, size_t len)
{
	memcpy(p, s, len);
	return p + len;
}

static inline char *tap_put_str(char *p, const char *s)
{
	return tap_put_mem(p, s, strlen(s));
}

/**
 * struct tap_piece - text that is written often
 * @text: at least %TAP_PIECE_BYTES are readable
 * @len: its bytes
 */
struct tap_piece {
	const char *text;
	size_t len;
};

#define TAP_PIECE_BYTES	16

/*
 * @p has room for %TAP_PIECE_BYTES. Most pieces are shorter, and a copy of constant
 * size is fast.
 */
static inline char *tap_put_piece(char *p, const struct tap_piece *piece)
{
	memcpy(p, piece->text, TAP_PIECE_BYTES);
	if (piece->len > TAP_PIECE_BYTES)
		memcpy(p + TAP_PIECE_BYTES, piece->text + TAP_PIECE_BYTES,
		       piece->len - TAP_PIECE_BYTES);
	return p + piece->len;
}

static inline char *tap_put_pad(char *p, const char *end)
{
	while (p < end)
		*p++ = ' ';
	return p;
}

#endif /* _TAP_UTIL_BUFFER_H */
