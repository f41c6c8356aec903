/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * A buffer for output, and writers of numbers and strings into memory.
 *
 * The writers take a place and return the one behind what they wrote; they do
 * not look for room: a caller makes room for a whole line at once, from the
 * TAP_PUT_* bounds, and then writes without a check per field.
 */
#ifndef _TAP_BUFFER_H
#define _TAP_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <linux/types.h>

/* The most that a writer writes. */
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

/* Decimal digits of a number. */
char *tap_put_u64(char *p, __u64 v);
/* The same with a sign if it is negative. */
char *tap_put_s64(char *p, __s64 v);
/* "0x" and hexadecimal digits. */
char *tap_put_hex(char *p, __u64 v);
/* The number with leading zeros up to width (at most 20) digits. */
char *tap_put_digits(char *p, __u64 v, unsigned int width);
/* The number behind blanks up to width (at most 20). */
char *tap_put_right(char *p, __u64 v, unsigned int width);
/* Nanoseconds in the unit a person would take: 214ns, 3.214us, 1.003s. */
char *tap_put_duration(char *p, __u64 ns);
/* Nanoseconds as seconds with 6 or 9 digits behind the point. */
char *tap_put_time(char *p, __u64 ns, bool nano);

/*
 * A string of at most len bytes, ended by 0 if it is shorter, with nothing in
 * it that a terminal would act on: control characters and what is not UTF-8
 * become '?'; with quotes, " and \ get a backslash.
 */
char *tap_put_text(char *p, const char *s, size_t len, bool quotes);
/* The inside of a JSON string, without the quotes. */
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

static inline char *tap_put_pad(char *p, const char *end)
{
	while (p < end)
		*p++ = ' ';
	return p;
}

#endif /* _TAP_BUFFER_H */
