/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * A buffer for output, and writers of numbers and strings into memory.
 *
 * The writers take a place and return the one behind what they wrote; they do
 * not look for room: a caller makes room for a whole line at once, from the
 * TAP_PUT_* bounds, and then writes without a check per field. What lies behind
 * what they wrote, within the bound, may have changed too.
 */
#ifndef _TAP_UTIL_BUFFER_H
#define _TAP_UTIL_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <linux/types.h>

/* The most that a writer writes; a shorter number may change what is behind it. */
#define TAP_PUT_U64_MAX		20
#define TAP_PUT_S64_MAX		20
#define TAP_PUT_HEX_MAX		18
#define TAP_PUT_DURATION_MAX	26
#define TAP_PUT_TIME_MAX	31
/* Bytes that one byte of a string becomes at worst. */
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
 * Return: where to write, or NULL out of memory. The caller adds to @len.
 */
char *tap_buffer_room(struct tap_buffer *buf, size_t need);

/**
 * tap_buffer_write() - write all of a buffer to a file and empty it
 * @buf: a buffer
 * @fd: a descriptor, blocking or not
 *
 * Return: 0 or -errno; on failure the buffer is empty too, since what a
 * reader of a pipe has seen of it is not known.
 */
int tap_buffer_write(struct tap_buffer *buf, int fd);

/**
 * tap_buffer_free() - free it
 * @buf: is all zero afterwards
 */
void tap_buffer_free(struct tap_buffer *buf);

/**
 * tap_put_u64() - write a number in decimal
 * @p: where to
 * @v: the number
 *
 * Return: the place behind it.
 */
char *tap_put_u64(char *p, __u64 v);

/**
 * tap_put_s64() - write a number in decimal, with a sign if it is negative
 * @p: where to
 * @v: the number
 *
 * Return: the place behind it.
 */
char *tap_put_s64(char *p, __s64 v);

/**
 * tap_put_hex() - write "0x" and hexadecimal digits, without leading zeros
 * @p: where to
 * @v: the number
 *
 * Return: the place behind it.
 */
char *tap_put_hex(char *p, __u64 v);

/**
 * tap_put_right() - write a number in decimal behind blanks
 * @p: where to
 * @v: the number
 * @width: bytes at least, at most 20
 *
 * Return: the place behind it.
 */
char *tap_put_right(char *p, __u64 v, unsigned int width);

/**
 * tap_put_duration() - write a time in the unit that a person would take
 * @p: where to
 * @ns: nanoseconds
 *
 * E.g. 214ns, 3.214us, 1.003s; what is below the third digit is cut.
 *
 * Return: the place behind it.
 */
char *tap_put_duration(char *p, __u64 ns);

/**
 * tap_put_time() - write a time in seconds
 * @p: where to
 * @ns: nanoseconds
 * @nano: 9 digits behind the point instead of 6
 *
 * Return: the place behind it.
 */
char *tap_put_time(char *p, __u64 ns, bool nano);

/**
 * tap_put_micros() - write six digits
 * @p: where to, with room for 8
 * @us: less than 10^6
 *
 * Return: the place behind them.
 */
char *tap_put_micros(char *p, __u32 us);

/**
 * tap_put_nanos() - write nine digits
 * @p: where to
 * @ns: less than 10^9
 *
 * Return: the place behind them.
 */
char *tap_put_nanos(char *p, __u32 ns);

/**
 * tap_put_text() - write a string that a terminal will not act on
 * @p: where to, with room for two bytes for each byte
 * @s: the string; control characters and what is not UTF-8 become '?'
 * @len: its bytes at most; a 0 ends it before
 * @quotes: " and \ get a backslash
 *
 * Return: the place behind it.
 */
char *tap_put_text(char *p, const char *s, size_t len, bool quotes);

/**
 * tap_put_json() - write the inside of a JSON string, without the quotes
 * @p: where to, with room for %TAP_PUT_CHAR_MAX bytes for each byte
 * @s: the string; what is not UTF-8 becomes U+FFFD
 * @len: its bytes at most; a 0 ends it before
 *
 * Return: the place behind it.
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
 * @text: %TAP_PIECE_BYTES may be read of it at least
 * @len: its bytes
 */
struct tap_piece {
	const char *text;
	size_t len;
};

#define TAP_PIECE_BYTES	16

/* With room for %TAP_PIECE_BYTES: most pieces are shorter, and a fixed number is copied at once. */
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
