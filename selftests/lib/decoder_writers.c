// SPDX-License-Identifier: GPL-2.0
/*
 * Part of decoder_test: the writers of numbers, times and strings, compared with printf() and at
 * limits.
 */
#include <string.h>

#include "util/buffer.h"
#include "util/util.h"
#include "selftests/lib/check.h"
#include "selftests/lib/decoder_writers.h"

static bool wrote(char *begin, char *end, const char *expected)
{
	size_t len = (size_t)(end - begin);

	if (len == strlen(expected) && !memcmp(begin, expected, len))
		return true;
	printf("# got '%.*s', expected '%s'\n", (int)len, begin, expected);
	return false;
}

__u64 draw(void)
{
	static __u64 state = 1;

	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return state ^ state >> 29;
}

void test_numbers(void)
{
	static const __u64 samples[] = {
		0, 1, 9, 10, 99, 100, 101, 999, 1000, 65535, 4294967295ULL,
		4294967296ULL, 9999999999999999999ULL, 10000000000000000000ULL,
		UINT64_MAX,
	};
	char b[96], expected[96], *p;
	bool good = true;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(samples); i++) {
		unsigned long long v = samples[i];

		snprintf(expected, sizeof(expected), "%llu", v);
		good &= wrote(b, tap_put_u64(b, v), expected);
		snprintf(expected, sizeof(expected), "%lld", (long long)v);
		good &= wrote(b, tap_put_s64(b, (__s64)v), expected);
		snprintf(expected, sizeof(expected), "0x%llx", v);
		good &= wrote(b, tap_put_hex(b, v), expected);
		snprintf(expected, sizeof(expected), "%12llu", v);
		good &= wrote(b, tap_put_right(b, v, 12), expected);
	}
	good &= wrote(b, tap_put_s64(b, INT64_MIN), "-9223372036854775808");
	for (i = 0; i < 200000; i++) {
		unsigned long long v = draw() >> i % 64;

		snprintf(expected, sizeof(expected), "%llu 0x%llx %7llu", v, v,
			 v);
		p = tap_put_str(tap_put_u64(b, v), " ");
		p = tap_put_str(tap_put_hex(p, v), " ");
		good &= wrote(b, tap_put_right(p, v, 7), expected);
	}
	ok(good, "numbers are formatted as by printf");

	good = wrote(b, tap_put_duration(b, 0), "0ns") &
	       wrote(b, tap_put_duration(b, 999), "999ns") &
	       wrote(b, tap_put_duration(b, 3214), "3.214us") &
	       wrote(b, tap_put_duration(b, 999999), "999.999us") &
	       wrote(b, tap_put_duration(b, 1000000), "1.000ms") &
	       wrote(b, tap_put_duration(b, 61003999999ULL), "61.003s") &
	       wrote(b, tap_put_duration(b, UINT64_MAX), "18446744073.709s");
	ok(good, "durations");
	good = wrote(b, tap_put_time(b, 1000000001ULL, true), "1.000000001") &
	       wrote(b, tap_put_time(b, 1000001999ULL, false), "1.000001") &
	       wrote(b, tap_put_time(b, UINT64_MAX, true),
		     "18446744073.709551615");
	ok(good, "times");
}

void test_strings(void)
{
	char b[256];

	ok(wrote(b, tap_put_text(b, "a\033[31mb\nc\x7f", 16, false),
		 "a?[31mb?c?"), "text: control characters are replaced");
	ok(wrote(b, tap_put_text(b, "\"\\\303\244", 16, true),
		 "\\\"\\\\\303\244"), "text: quotes are escaped, UTF-8 is not changed");
	ok(wrote(b, tap_put_text(b, "\302\233x\355\240\200\300\200", 16, false),
		 "??x?????"), "text: C1, surrogates and overlong sequences are replaced");
	ok(wrote(b, tap_put_text(b, "abcdefghijklmno\303", 16, false),
		 "abcdefghijklmno?"), "text: a truncated UTF-8 sequence at the end");
	ok(wrote(b, tap_put_text(b, "0123456789abcdefXX", 16, false),
		 "0123456789abcdef"), "text: without a terminating 0");
	ok(wrote(b, tap_put_json(b, "a\"\\\n\x01\xff\303\244", 16),
		 "a\\\"\\\\\\u000a\\u0001\\ufffd\303\244"), "JSON escapes");
}

/* The writer handles eight bytes at a time if none needs escaping. */
void test_special(void)
{
	char s[40], b[256], text[64], json[64];
	bool good = true;
	unsigned int c, at;

	for (c = 1; c < 128; c++) {
		bool quoted = c == '"' || c == '\\';

		snprintf(text, sizeof(text), quoted ? "\\%c" : "%c",
			 c < 32 || c == 127 ? '?' : c);
		snprintf(json, sizeof(json),
			 c < 32 || c == 127 ? "\\u%04x" :
			 quoted ? "\\%c" : "%c", c);
		for (at = 0; at < sizeof(s); at++) {
			char expected[256];
			int rest = (int)(sizeof(s) - at - 1);

			memset(s, '~', sizeof(s));
			s[at] = (char)c;
			snprintf(expected, sizeof(expected), "%.*s%s%.*s",
				 (int)at, s, text, rest, s + at + 1);
			good &= wrote(b, tap_put_text(b, s, sizeof(s), true),
				      expected);
			snprintf(expected, sizeof(expected), "%.*s%s%.*s",
				 (int)at, s, json, rest, s + at + 1);
			good &= wrote(b, tap_put_json(b, s, sizeof(s)),
				      expected);
		}
	}
	ok(good, "each character at each place of a long text");
	memset(s, ' ', sizeof(s));
	for (at = 0; at < sizeof(s); at++) {
		s[at] = '\0';
		good &= tap_put_text(b, s, sizeof(s), true) == b + at &&
			tap_put_json(b, s, sizeof(s)) == b + at;
		s[at] = ' ';
	}
	ok(good, "a 0 at each place ends the text");
}
