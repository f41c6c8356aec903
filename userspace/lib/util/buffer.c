// SPDX-License-Identifier: LGPL-2.1
/*
 * Output buffer and number writers; one stdio call for each field would be too slow.
 */
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/buffer.h"

#define FIRST_ROOM	(128 * 1024)

char *tap_buffer_room(struct tap_buffer *buf, size_t need)
{
	size_t room = buf->room ? buf->room : FIRST_ROOM;
	char *data;

	if (buf->data && need <= buf->room - buf->len)
		return buf->data + buf->len;
	if (need > SIZE_MAX / 4 || buf->len > SIZE_MAX / 4)
		return NULL;
	while (room < buf->len + need)
		room *= 2;
	data = realloc(buf->data, room);
	if (!data)
		return NULL;
	buf->data = data;
	buf->room = room;
	return data + buf->len;
}

int tap_buffer_write(struct tap_buffer *buf, int fd)
{
	size_t done = 0;

	while (done < buf->len) {
		ssize_t n = write(fd, buf->data + done, buf->len - done);

		if (n >= 0) {
			done += (size_t)n;
			continue;
		}
		if (errno == EINTR)
			continue;
		if (errno == EAGAIN) {
			struct pollfd pfd = { .fd = fd, .events = POLLOUT };

			poll(&pfd, 1, -1);
			continue;
		}
		buf->len = 0;
		return -errno;
	}
	buf->len = 0;
	return 0;
}

void tap_buffer_free(struct tap_buffer *buf)
{
	free(buf->data);
	memset(buf, 0, sizeof(*buf));
}

/*
 * Numbers are written as eight digits at a time, each a byte of a word. The first digit
 * is in the lowest byte: all supported machines are little-endian. Surplus bytes of the
 * word are written after the number; the next text overwrites them.
 */
#define EIGHT_DIGITS	100000000ULL
#define ONES		0x0101010101010101ULL

static inline char *put_word(char *p, __u64 word, unsigned int len)
{
	memcpy(p, &word, sizeof(word));
	return p + len;
}

/* The digits of a number below 10^8 as bytes 0 to 9, with leading zeros. */
static inline __u64 eight_digits(__u64 v)
{
	__u64 tens;

	/* Two halves of four digits, four quarters of two, then single digits. */
	v = v / 10000 | v % 10000 << 32;
	tens = (v * 10486) >> 20 & 0x7f0000007fULL;
	v = tens | (v - 100 * tens) << 16;
	tens = (v * 103) >> 10 & 0x000f000f000f000fULL;
	return tens | (v - 10 * tens) << 8;
}

static char *put_eight(char *p, __u64 v)
{
	return put_word(p, eight_digits(v) | '0' * ONES, 8);
}

/* A number below 10^8 without leading zeros. */
static char *put_short(char *p, __u64 v)
{
	__u64 digits = eight_digits(v);
	/* Keeps the last digit even if it is 0. */
	unsigned int zeros = (unsigned int)
		__builtin_ctzll(digits | 1ULL << 56) & ~7U;

	return put_word(p, (digits | '0' * ONES) >> zeros, 8 - zeros / 8);
}

char *tap_put_u64(char *p, __u64 v)
{
	if (v < 10) {
		*p = (char)('0' + v);
		return p + 1;
	}
	if (v < EIGHT_DIGITS)
		return put_short(p, v);
	if (v / EIGHT_DIGITS < EIGHT_DIGITS) {
		p = put_short(p, v / EIGHT_DIGITS);
	} else {
		p = put_short(p, v / EIGHT_DIGITS / EIGHT_DIGITS);
		p = put_eight(p, v / EIGHT_DIGITS % EIGHT_DIGITS);
	}
	return put_eight(p, v % EIGHT_DIGITS);
}

char *tap_put_s64(char *p, __s64 v)
{
	if (v >= 0)
		return tap_put_u64(p, (__u64)v);
	*p++ = '-';
	return tap_put_u64(p, 0 - (__u64)v);
}

static inline __u64 eight_hex(__u64 v)
{
	v = (v << 16 | v) & 0x0000ffff0000ffffULL;
	v = (v << 8 | v) & 0x00ff00ff00ff00ffULL;
	v = (v << 4 | v) & 0x0f0f0f0f0f0f0f0fULL;
	/* Adds the distance from '9' + 1 to 'a' to digits above 9. */
	v += '0' * ONES + ((v + 6 * ONES) >> 4 & ONES) * ('a' - '9' - 1);
	return __builtin_bswap64(v);
}

char *tap_put_hex(char *p, __u64 v)
{
	__u64 high = v >> 32;
	/* The half with the first digit; its leading zeros are skipped. */
	__u32 first = (__u32)(high ? high : v | 1);
	unsigned int len = 8 - (unsigned int)__builtin_clz(first) / 4;

	*p++ = '0';
	*p++ = 'x';
	if (high) {
		p = put_word(p, eight_hex(high) >> (64 - 8 * len), len);
		return put_word(p, eight_hex(v & 0xffffffff), 8);
	}
	return put_word(p, eight_hex(v) >> (64 - 8 * len), len);
}

char *tap_put_right(char *p, __u64 v, unsigned int width)
{
	char digits[24];
	unsigned int len = (unsigned int)(tap_put_u64(digits, v) - digits);

	for (; width > len; width--)
		*p++ = ' ';
	return tap_put_mem(p, digits, len);
}

char *tap_put_micros(char *p, __u32 us)
{
	return put_word(p, (eight_digits(us) | '0' * ONES) >> 16, 6);
}

char *tap_put_nanos(char *p, __u32 ns)
{
	*p++ = (char)('0' + ns / EIGHT_DIGITS);
	return put_eight(p, ns % EIGHT_DIGITS);
}

char *tap_put_duration(char *p, __u64 ns)
{
	static const struct {
		__u64 unit;
		char name[4];
	} units[] = {
		{ 1000000000ULL, "s" },
		{ 1000000ULL, "ms" },
		{ 1000ULL, "us" },
	};
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		__u64 unit = units[i].unit;

		if (ns < unit)
			continue;
		p = tap_put_u64(p, ns / unit);
		*p++ = '.';
		/* Three digits. */
		p = put_word(p, (eight_digits(ns % unit / (unit / 1000)) |
				 '0' * ONES) >> 40, 3);
		return tap_put_str(p, units[i].name);
	}
	p = tap_put_u64(p, ns);
	return tap_put_str(p, "ns");
}

char *tap_put_time(char *p, __u64 ns, bool nano)
{
	p = tap_put_u64(p, ns / 1000000000ULL);
	*p++ = '.';
	if (nano)
		return tap_put_nanos(p, (__u32)(ns % 1000000000ULL));
	return tap_put_micros(p, (__u32)(ns % 1000000000ULL) / 1000);
}

/*
 * Length of the UTF-8 sequence at s. Returns 0 if it is invalid, over-long, a
 * surrogate, or one of the control characters U+0080 to U+009F.
 */
static size_t utf8_length(const unsigned char *s, size_t len)
{
	static const __u32 least[] = { 0, 0, 0xa0, 0x800, 0x10000 };
	size_t n, i;
	__u32 c;

	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	n = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	if (n > len)
		return 0;
	c = s[0] & (0x7fU >> n);
	for (i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	return n;
}

/* For shorter texts, such as command names, the test does not pay off. */
#define LONG_TEXT	16

/*
 * Whether the next eight bytes of a long text are printable ASCII except " and \. For
 * any other byte one of the terms has its highest bit set. If all bytes are plain, no
 * term borrows from or carries into its neighbour.
 */
static bool plain_eight(const unsigned char *s, size_t len)
{
	const __u64 ones = 0x0101010101010101ULL;
	__u64 v;

	if (len <= LONG_TEXT)
		return false;
	memcpy(&v, s, sizeof(v));
	return !((v | (v + ones) | (v - ones * 0x20) |
		  ((v ^ ones * '"') - ones) | ((v ^ ones * '\\') - ones)) &
		 ones * 0x80);
}

/*
 * Copies text that both forms leave unchanged: eight plain bytes, or one non-ASCII
 * UTF-8 character. Returns the bytes copied; 0 if the first byte needs a closer look.
 */
static inline size_t copy_plain(char *p, const unsigned char *s, size_t len)
{
	size_t n;

	if (plain_eight(s, len)) {
		memcpy(p, s, 8);
		return 8;
	}
	if (*s < 0x80)
		return 0;
	n = utf8_length(s, len);
	memcpy(p, s, n);
	return n;
}

char *tap_put_text(char *p, const char *s, size_t len, bool quotes)
{
	const unsigned char *u = (const unsigned char *)s;
	size_t n;

	for (; len && *u; u += n, len -= n) {
		n = copy_plain(p, u, len);
		if (n) {
			p += n;
			continue;
		}
		n = 1;
		if (*u < 0x20 || *u >= 0x7f) {
			*p++ = '?';
			continue;
		}
		if (quotes && (*u == '"' || *u == '\\'))
			*p++ = '\\';
		*p++ = (char)*u;
	}
	return p;
}

char *tap_put_json(char *p, const char *s, size_t len)
{
	static const char hex[] = "0123456789abcdef";
	const unsigned char *u = (const unsigned char *)s;
	size_t n;

	for (; len && *u; u += n, len -= n) {
		n = copy_plain(p, u, len);
		if (n) {
			p += n;
			continue;
		}
		n = 1;
		if (*u >= 0x80) {
			/* U+FFFD replaces invalid UTF-8. */
			p = tap_put_str(p, "\\ufffd");
		} else if (*u == '"' || *u == '\\') {
			*p++ = '\\';
			*p++ = (char)*u;
		} else if (*u < 0x20 || *u == 0x7f) {
			p = tap_put_str(p, "\\u00");
			*p++ = hex[*u >> 4];
			*p++ = hex[*u & 15];
		} else {
			*p++ = (char)*u;
		}
	}
	return p;
}
