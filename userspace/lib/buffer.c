// SPDX-License-Identifier: LGPL-2.1
/*
 * Bulk output and number writers: what replaces a stdio call per field.
 */
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "buffer.h"

#define FIRST_ROOM	(128 * 1024)

static const char digit_pairs[] =
	"00010203040506070809101112131415161718192021222324"
	"25262728293031323334353637383940414243444546474849"
	"50515253545556575859606162636465666768697071727374"
	"75767778798081828384858687888990919293949596979899";

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

/* Decimal digits of a number. */
static unsigned int count_digits(__u64 v)
{
	unsigned int n = 1;

	for (; v >= 10000; v /= 10000)
		n += 4;
	return n + (v >= 10) + (v >= 100) + (v >= 1000);
}

/* Writes the digits so that they end before end, which they must reach. */
static void digits_before(char *end, __u64 v)
{
	while (v >= 100) {
		end -= 2;
		memcpy(end, digit_pairs + 2 * (v % 100), 2);
		v /= 100;
	}
	if (v >= 10)
		memcpy(end - 2, digit_pairs + 2 * v, 2);
	else
		end[-1] = (char)('0' + v);
}

/* Just so many digits, of a number that has no more. */
static char *put_fixed(char *p, __u32 v, unsigned int width)
{
	char *end = p + width;

	for (p = end; width > 1; width -= 2, v /= 100) {
		p -= 2;
		memcpy(p, digit_pairs + 2 * (v % 100), 2);
	}
	if (width)
		p[-1] = (char)('0' + v);
	return end;
}

char *tap_put_u64(char *p, __u64 v)
{
	if (v < 10) {
		*p++ = (char)('0' + v);
		return p;
	}
	p += count_digits(v);
	digits_before(p, v);
	return p;
}

char *tap_put_s64(char *p, __s64 v)
{
	if (v >= 0)
		return tap_put_u64(p, (__u64)v);
	*p++ = '-';
	return tap_put_u64(p, 0 - (__u64)v);
}

char *tap_put_hex(char *p, __u64 v)
{
	static const char hex[] = "0123456789abcdef";
	unsigned int n = v ? (67 - (unsigned int)__builtin_clzll(v)) / 4 : 1;
	char *end = p + 2 + n;

	*p++ = '0';
	*p++ = 'x';
	for (p = end; n > 1; n -= 2, v >>= 8) {
		*--p = hex[v & 15];
		*--p = hex[v >> 4 & 15];
	}
	if (n)
		*--p = hex[v];
	return end;
}

char *tap_put_right(char *p, __u64 v, unsigned int width)
{
	unsigned int len = count_digits(v);

	for (; width > len; width--)
		*p++ = ' ';
	digits_before(p + len, v);
	return p + len;
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
		p = put_fixed(p, (__u32)(ns % unit / (unit / 1000)), 3);
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
		return put_fixed(p, (__u32)(ns % 1000000000ULL), 9);
	return put_fixed(p, (__u32)(ns % 1000000000ULL) / 1000, 6);
}

/*
 * Length of the UTF-8 sequence at s, 0 if it is none, is over-long, is a
 * surrogate, or is one of the control characters U+0080 to U+009F.
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

/* What is shorter, the name of a command, is not worth the test. */
#define LONG_TEXT	16

/*
 * Whether the next eight bytes of a long text are printable ASCII but " and \.
 * Of a byte that is none of it, one of the terms has the highest bit; where all
 * are, no term borrows from or carries to its neighbour.
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

char *tap_put_text(char *p, const char *s, size_t len, bool quotes)
{
	const unsigned char *u = (const unsigned char *)s;
	size_t n;

	for (; len && *u; u += n, len -= n) {
		n = 1;
		if (plain_eight(u, len)) {
			n = 8;
			p = tap_put_mem(p, (const char *)u, n);
			continue;
		}
		if (*u >= 0x80) {
			n = utf8_length(u, len);
			if (n) {
				p = tap_put_mem(p, (const char *)u, n);
				continue;
			}
			n = 1;
		} else if (*u >= 0x20 && *u < 0x7f) {
			if (quotes && (*u == '"' || *u == '\\'))
				*p++ = '\\';
			*p++ = (char)*u;
			continue;
		}
		*p++ = '?';
	}
	return p;
}

char *tap_put_json(char *p, const char *s, size_t len)
{
	static const char hex[] = "0123456789abcdef";
	const unsigned char *u = (const unsigned char *)s;
	size_t n;

	for (; len && *u; u += n, len -= n) {
		n = 1;
		if (plain_eight(u, len)) {
			n = 8;
			p = tap_put_mem(p, (const char *)u, n);
			continue;
		}
		if (*u >= 0x80) {
			n = utf8_length(u, len);
			if (n) {
				p = tap_put_mem(p, (const char *)u, n);
				continue;
			}
			/* U+FFFD, which stands for what is not text. */
			n = 1;
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
