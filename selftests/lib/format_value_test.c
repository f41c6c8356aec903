// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of values of fields, in text and JSON: each format, values that are absent, truncated
 * or invalid, in records of many slots. Built with sanitizers.
 */
#include <errno.h>

#include "selftests/lib/check.h"
#include "selftests/lib/fake_ring.h"
#include "selftests/lib/format_stacks.h"
#include "selftests/lib/format_struct.h"
#include "selftests/lib/format_value_test.h"

#include "util/value_names.h"
#include "spec/probe_table.h"
#include "util/errno_name.h"
#include "format/value.h"
#include "spec/spec.h"

/* A record that wraps around the end of its ring, so that values are split between slots. */
#define RING_SLOTS	128
#define MAX_WORDS	(TAP_FIRST_VALUES + (RING_SLOTS - 1) * TAP_SLOT_VALUES)
#define BEGIN		((RING_SLOTS - 2) * TAP_SLOT_SIZE)

static char ring[RING_SLOTS * TAP_SLOT_SIZE] __attribute__((aligned(64)));
static char output[1 << 17];

static int take(void *arg, const char *data, size_t len)
{
	if (len >= sizeof(output))
		abort();
	/* A long line is flushed at once. */
	if (!len)
		return 0;
	memcpy(arg, data, len);
	((char *)arg)[len] = '\0';
	return 0;
}

static int resolve(const void *arg, __u64 addr, char *buf, size_t len)
{
	(void)arg;
	if (addr != 0xffffffff81000010ULL)
		return -ENOENT;
	snprintf(buf, len, "f+0x10 [m]");
	return 0;
}

static void put_record(const struct hit *hit, unsigned int slots)
{
	struct tap_record *rec = (void *)(ring + BEGIN);
	unsigned int i;

	/* Words outside the record must not be read. */
	memset(ring, 0xa5, sizeof(ring));
	memset(rec, 0, sizeof(*rec));
	rec->probe = 1;
	rec->slots = (__u8)slots;
	rec->flags = hit->flags;
	for (i = 0; i < hit->nr; i++) {
		unsigned int k = i < TAP_FIRST_VALUES ? 0 :
			1 + (i - TAP_FIRST_VALUES) / TAP_SLOT_VALUES;
		struct tap_slot *slot = (void *)(ring +
			(BEGIN + k * TAP_SLOT_SIZE) % sizeof(ring));

		if (k)
			slot->value[(i - TAP_FIRST_VALUES) % TAP_SLOT_VALUES] =
				hit->words[i];
		else
			rec->value[i] = hit->words[i];
	}
}

__u32 hit_tgid;
__u64 hit_time;
int (*hit_resolve_user)(const void *arg, __u32 tgid, __u64 time,
			__u64 addr, char *buf, size_t len);

const char *hit_line(const struct hit *hit, const struct tap_field *fields,
		     unsigned int nr_fields, bool json)
{
	struct tap_probes probes = { 0 };
	struct tap_timebase tb = { .mult = 2 };
	struct tap_formatter_opts opts = {
		.size = sizeof(opts), .json = json, .write = take,
		.write_arg = output, .timebase = &tb, .probes = &probes,
		.resolve = resolve, .resolve_user = hit_resolve_user,
	};
	struct tap_event ev = {
		.time = hit_time,
		.rec = (void *)(ring + BEGIN), .data = ring, .pos = BEGIN,
		.mask = sizeof(ring) - 1,
	};
	struct tap_formatter *fmt;
	const char *begin;

	fake_probe(&probes, 1, hit->type, "EVENT", hit->nr, fields, nr_fields);
	ev.slots = probes.list[0].slots;
	put_record(hit, ev.slots);
	((struct tap_record *)(ring + BEGIN))->tgid = hit_tgid;
	if (tap_decode(&probes, &ev) || tap_formatter_open(&fmt, &opts) ||
	    tap_formatter_event(fmt, &ev) || tap_formatter_flush(fmt))
		abort();
	tap_formatter_close(fmt);
	tap_probes_clear(&probes);
	begin = strstr(output, json ? "\"EVENT\"" : "EVENT");
	if (!begin)
		abort();
	output[strlen(output) - 1] = '\0';
	begin += json ? 7 : 5;
	return begin + (*begin == ' ' || *begin == ',');
}

static struct tap_value_names *make_labels(const struct tap_value_name *list,
					   unsigned int nr)
{
	struct tap_value_names *labels = tap_value_names_new();
	unsigned int i;

	for (i = 0; labels && i < nr; i++)
		if (tap_value_names_add(labels, list[i].value, list[i].name,
					strlen(list[i].name)))
			abort();
	return labels;
}

/* ------------------------------------------------------------- numbers */

/* Formats a number, alone and as a field of a record. */
static bool number(enum tap_format format, struct tap_value_names *labels, __u64 v,
		   const char *text, const char *json)
{
	struct tap_field field = {
		.name = "x", .format = format, .words = 1, .value_names = labels,
	};
	struct hit hit = { TAP_PROBE_KPROBE, 0, &v, 1 };
	struct tap_timebase tb = { .mult = 2 };
	struct tap_formatter_opts opts = {
		.size = sizeof(opts),
		.timebase = &tb, .resolve = resolve,
	};
	char buf[600], expected[1200];
	bool good;

	good = tap_format_words(&opts, &field, &v, buf, sizeof(buf)) ==
		(int)strlen(text) && same(buf, text);
	opts.json = true;
	good &= tap_format_words(&opts, &field, &v, buf, sizeof(buf)) ==
		(int)strlen(json) && same(buf, json);
	snprintf(expected, sizeof(expected), "x=%s", text);
	good &= same(hit_line(&hit, &field, 1, false), expected);
	snprintf(expected, sizeof(expected), "\"args\":{\"x\":%s},\"flags\":[]}",
		 json);
	return good & same(hit_line(&hit, &field, 1, true), expected);
}

static void test_numbers(void)
{
	ok(number(TAP_FMT_BOOL, NULL, 0, "false", "false") &&
	   number(TAP_FMT_BOOL, NULL, 1, "true", "true") &&
	   number(TAP_FMT_BOOL, NULL, 256, "true", "true"), "bool");
	ok(number(TAP_FMT_NS, NULL, 999, "999ns", "999") &&
	   number(TAP_FMT_NS, NULL, 3214, "3.214us", "3214") &&
	   number(TAP_FMT_NS, NULL, UINT64_MAX, "18446744073.709s",
		  "18446744073709551615"), "nanoseconds are not converted as ticks");
	ok(number(TAP_FMT_DURATION, NULL, 1607, "3.214us", "3214"),
	   "ticks are converted to nanoseconds");
	ok(number(TAP_FMT_IP, NULL, 0x0100007fULL, "127.0.0.1", "\"127.0.0.1\"") &&
	   number(TAP_FMT_IP, NULL, -1ULL, "255.255.255.255", "\"255.255.255.255\"") &&
	   number(TAP_FMT_DEV, NULL, 0xff00800001ULL, "8:1", "\"8:1\"") &&
	   number(TAP_FMT_DEV, NULL, -1ULL, "4095:1048575", "\"4095:1048575\""),
	   "addresses and devices");
	ok(number(TAP_FMT_ERRNO, NULL, -2ULL, "-ENOENT", "-2") &&
	   number(TAP_FMT_ERRNO, NULL, -512ULL, "-ERESTARTSYS", "-512") &&
	   number(TAP_FMT_ERRNO, NULL, -531ULL, "-ENOGRACE", "-531") &&
	   number(TAP_FMT_ERRNO, NULL, -520ULL, "-520", "-520") &&
	   number(TAP_FMT_ERRNO, NULL, -532ULL, "-532", "-532") &&
	   number(TAP_FMT_ERRNO, NULL, -4095ULL, "-4095", "-4095"),
	   "errors are names, in JSON numbers");
	ok(number(TAP_FMT_ERRNO, NULL, 0, "0", "0") &&
	   number(TAP_FMT_ERRNO, NULL, 4096, "4096", "4096") &&
	   number(TAP_FMT_ERRNO, NULL, -4096ULL, "0xfffffffffffff000",
		  "\"0xfffffffffffff000\"") &&
	   number(TAP_FMT_ERRNO, NULL, 0x7f0000001000ULL, "0x7f0000001000",
		  "\"0x7f0000001000\""), "a value that is not an error is a number");
	ok(!tap_errno_name(0) && !tap_errno_name(-1U) &&
	   !strcmp(tap_errno_name(133), "EHWPOISON"), "names of errors");
	ok(number(TAP_FMT_SYMBOL, NULL, 0xffffffff81000010ULL, "f+0x10 [m]",
		  "\"f+0x10 [m]\"") &&
	   number(TAP_FMT_SYMBOL, NULL, 5, "0x5", "\"0x5\"") &&
	   number(TAP_FMT_USYMBOL, NULL, 0xffffffff81000010ULL, "f+0x10 [m]",
		  "\"f+0x10 [m]\"") &&
	   number(TAP_FMT_USYMBOL, NULL, 5, "0x5", "\"0x5\""), "symbols");
	ok(number(TAP_FMT_S8, NULL, 0x7f80, "-128", "-128") &&
	   number(TAP_FMT_U8, NULL, 0xff80, "128", "128") &&
	   number(TAP_FMT_S32, NULL, 0x180000000ULL, "-2147483648",
		  "-2147483648") &&
	   number(TAP_FMT_X16, NULL, 0xabcdeULL, "0xbcde", "\"0xbcde\""),
	   "a number is truncated to its width");
}

/* The record of a call has the whole register of the return value. */
static bool returned(enum tap_format format, enum tap_format type, __u64 v, const char *text)
{
	const struct tap_value_name busy = { 1, "BUSY" };
	struct tap_value_names *names = make_labels(&busy, 1);
	struct tap_field field = {
		.name = "x", .format = format, .element = type, .word = TAP_CALL_RETVAL, .words = 1,
		.value_names = names,
	};
	const __u64 words[2] = { 0, v };
	struct hit hit = { TAP_PROBE_CALL, 0, words, 2 };
	struct tap_formatter_opts opts = { .size = sizeof(opts) };
	char buf[600], expected[700];
	bool good = tap_format_words(&opts, &field, &v, buf, sizeof(buf)) > 0 && same(buf, text);

	snprintf(expected, sizeof(expected), " x=%s", text);
	good &= strstr(hit_line(&hit, &field, 1, false), expected) != NULL;
	field.flags = TAP_FIELD_F_HIDDEN;
	snprintf(expected, sizeof(expected), " ret=%s", text);
	good &= strstr(hit_line(&hit, &field, 1, false), expected) != NULL;
	tap_value_names_put(names);
	return good;
}

static void test_returned(void)
{
	ok(returned(TAP_FMT_ERRNO, TAP_FMT_S32, 0xffffec78, "0xffffffffffffec78") &&
	   returned(TAP_FMT_ERRNO, TAP_FMT_S32, 0xdead00000003, "3") &&
	   returned(TAP_FMT_ERRNO, TAP_FMT_S32, 0xdeadfffffffeULL, "-ENOENT"),
	   "an int in a register");
	ok(returned(TAP_FMT_BOOL, TAP_FMT_U8, 0x3400, "false") &&
	   returned(TAP_FMT_BOOL, TAP_FMT_U8, 0x3401, "true"), "a bool in a register");
	ok(returned(TAP_FMT_VALUE_NAME, TAP_FMT_U32, 0xdead00000001, "BUSY") &&
	   returned(TAP_FMT_X64, TAP_FMT_S32, 0xffffec78, "0xffffffffffffec78"),
	   "an enum in a register, and hexadecimal digits");
}

static void test_labels(void)
{
	static const struct tap_value_name list[] = {
		{ 0, "ZERO" }, { 1, "ONE" }, { 1, "UNO" }, { 7, "SE\"VEN" },
		{ -1ULL, "MINUS" },
	};
	struct tap_value_names *labels = make_labels(list, ARRAY_SIZE(list));
	struct tap_value_names *none = tap_value_names_new();

	ok(number(TAP_FMT_CONSTANT, labels, 1, "ONE", "1") &&
	   number(TAP_FMT_CONSTANT, labels, 5, "5", "5"), "constants are numbers in JSON");
	ok(number(TAP_FMT_VALUE_NAME, labels, 0, "ZERO", "\"ZERO\"") &&
	   number(TAP_FMT_VALUE_NAME, labels, 1, "ONE", "\"ONE\"") &&
	   number(TAP_FMT_VALUE_NAME, labels, 7, "SE\"VEN", "\"SE\\\"VEN\""),
	   "the first name of a value is printed");
	ok(number(TAP_FMT_VALUE_NAME, labels, -1ULL, "MINUS", "\"MINUS\"") &&
	   number(TAP_FMT_VALUE_NAME, labels, 0xffffffff, "MINUS", "\"MINUS\""),
	   "the name of a negative value of 4 or 8 bytes");
	ok(number(TAP_FMT_VALUE_NAME, labels, 2, "2", "2") &&
	   number(TAP_FMT_VALUE_NAME, labels, -1ULL << 40, "0xffffff0000000000",
		  "\"0xffffff0000000000\"") &&
	   number(TAP_FMT_VALUE_NAME, none, 3, "3", "3") &&
	   number(TAP_FMT_VALUE_NAME, NULL, 3, "3", "3"), "a value without a name is a number");
	ok(labels->refs == 1, "fields release their references to value names");
	tap_value_names_put(labels);
	tap_value_names_put(none);
	tap_value_names_put(NULL);
}

static void test_flags(void)
{
	static const struct tap_value_name list[] = {
		{ 0, "NONE" }, { 6, "BOTH" }, { 2, "B" }, { 4, "C" },
		{ 1, "A" }, { 1ULL << 63, "TOP" },
	};
	struct tap_value_names *labels = make_labels(list, ARRAY_SIZE(list));
	struct tap_value_names *odd = make_labels(list + 1, ARRAY_SIZE(list) - 1);

	ok(number(TAP_FMT_FLAGS, labels, 3, "B|A", "\"B|A\"") &&
	   number(TAP_FMT_FLAGS, labels, 7, "BOTH|A", "\"BOTH|A\""),
	   "names of flags in the order of the list, masks of several bits first");
	ok(number(TAP_FMT_FLAGS, labels, 0x11, "A|0x10", "\"A|0x10\"") &&
	   number(TAP_FMT_FLAGS, labels, 0x10, "0x10", "\"0x10\"") &&
	   number(TAP_FMT_FLAGS, NULL, 3, "0x3", "\"0x3\""),
	   "bits without a name are a number");
	ok(number(TAP_FMT_FLAGS, labels, 0, "NONE", "\"NONE\"") &&
	   number(TAP_FMT_FLAGS, odd, 0, "0", "0"), "no flag");
	ok(number(TAP_FMT_FLAGS, odd, 1ULL << 63, "TOP", "\"TOP\""),
	   "the name of bit 63");
	tap_value_names_put(labels);
	tap_value_names_put(odd);
}

/*
 * Formats a value into a buffer of exactly the size that the formatter computes; the sanitizer
 * detects an overflow.
 */
static bool bounded(const struct tap_field *field, const __u64 *words)
{
	struct tap_timebase tb = { .mult = 2 };
	struct tap_formatter_opts opts = {
		.size = sizeof(opts),
		.timebase = &tb, .resolve = resolve,
	};
	bool good = tap_format_words(&opts, field, words, NULL, 0) == -ENOSPC;

	opts.json = true;
	return good &&
	       tap_format_words(&opts, field, words, NULL, 0) == -ENOSPC;
}

/* Each format as a number and as an array element, with the longest values. */
static void test_room(void)
{
	static const __u64 samples[] = {
		0, 1, -1ULL, -4095ULL, INT64_MIN, INT64_MAX, 0xff,
		0x8080808080808080ULL, 0xffffffff81000010ULL,
	};
	struct tap_field field = { .name = "x" };
	__u64 words[sizeof(struct tap_division) / 8];
	bool good = true;
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(samples); i++) {
		for (k = 0; k < ARRAY_SIZE(words); k++)
			words[k] = samples[i];
		for (k = 0; k < __TAP_FMT_MAX; k++) {
			field.format = (enum tap_format)k;
			field.element = TAP_FMT_AUTO;
			field.count = 0;
			field.words = k == TAP_FMT_COMM ? 2 :
				      k == TAP_FMT_DIVISION ? ARRAY_SIZE(words) : 3;
			if (k == TAP_FMT_IP6 || k == TAP_FMT_UUID) {
				field.words = 2;
				field.count = 16;
			} else if (k == TAP_FMT_MAC) {
				field.words = 1;
				field.count = 6;
			}
			/* test_struct_room() has those with a layout. */
			if (!tap_format_is_struct((enum tap_format)k))
				good &= bounded(&field, words);
			field.format = TAP_FMT_AUTO;
			field.element = (enum tap_format)k;
			field.words = 3;
			field.count = 24;
			while (field.count && !tap_field_check(&field, 3))
				field.count--;
			good &= !tap_field_check(&field, 3) || bounded(&field, words);
		}
	}
	ok(good, "no value needs more room than computed");
}

/* Formats of several bytes. */
static void test_bytes(void)
{
	static const struct {
		enum tap_format format;
		__u8 count;
		const char *bytes;
		const char *text;
	} rows[] = {
		{ TAP_FMT_IP6, 16, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1", "::1" },
		{ TAP_FMT_IP6, 16, "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\xff\0\0\x42", "2001:db8::ff00:42" },
		{ TAP_FMT_MAC, 6, "\x52\x54\0\x12\x34\xff\1\1", "52:54:00:12:34:ff" },
		{ TAP_FMT_UUID, 16, "\x12\x34\x56\x78\x9a\xbc\xde\xf0\1\2\3\4\5\6\7\x8",
		  "12345678-9abc-def0-0102-030405060708" },
	};
	struct tap_formatter_opts opts = { .size = sizeof(opts) };
	char buf[100], quoted[100];
	__u64 words[2];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct tap_field field = {
			.name = "x", .format = rows[i].format, .count = rows[i].count,
			.words = (rows[i].count + 7) / 8,
		};

		memcpy(words, rows[i].bytes, 8 * field.words);
		opts.json = false;
		ok(tap_format_words(&opts, &field, words, buf, sizeof(buf)) > 0 &&
		   !strcmp(buf, rows[i].text), rows[i].text);
		opts.json = true;
		snprintf(quoted, sizeof(quoted), "\"%s\"", rows[i].text);
		ok(tap_format_words(&opts, &field, words, buf, sizeof(buf)) > 0 &&
		   !strcmp(buf, quoted), "the same in JSON");
		field.count--;
		ok(tap_format_words(&opts, &field, words, buf, sizeof(buf)) == -EINVAL,
		   "one byte less is no such value");
	}
}

/* The longest value names: a line must have enough room. */
static void test_long_labels(void)
{
	struct tap_value_names *labels = tap_value_names_new();
	struct tap_field field = FIELD("x", DATA, 0, 0, .element = TAP_FMT_FLAGS);
	__u64 words[1 + 4];
	struct hit hit = { TAP_PROBE_KPROBE, 0, words, ARRAY_SIZE(words) };
	char name[255];
	unsigned int i;

	memset(name, 1, sizeof(name));
	for (i = 0; i < 64; i++)
		if (tap_value_names_add(labels, 1ULL << i, name, sizeof(name)))
			abort();
	memset(words, 0xff, sizeof(words));
	words[0] = 32;
	field.words = ARRAY_SIZE(words);
	field.value_names = labels;
	ok(bounded(&field, words), "room for long names");
	/* 8 elements of 4 bytes, each with 32 names. */
	ok(strlen(hit_line(&hit, &field, 1, false)) ==
	   strlen("x={}") + 8 * (32 * 255 + 31) + 7, "text: long names");
	field.words = 2;
	hit.nr = 2;
	words[0] = 4;
	ok(strlen(hit_line(&hit, &field, 1, true)) ==
	   strlen("\"args\":{\"x\":[\"\"]},\"flags\":[]}") + 32 * 255 * 6 + 31,
	   "JSON: long names");
	field.format = TAP_FMT_FLAGS;
	field.words = 1;
	words[0] = -1ULL;
	ok(bounded(&field, words), "room for all flags");
	field.format = TAP_FMT_VALUE_NAME;
	words[0] = 2;
	ok(bounded(&field, words), "room for a value name");
	tap_value_names_put(labels);
}

/* --------------------------------------------------------------- texts */

static __u64 all[MAX_WORDS];

/* Writes a text with its head word; returns the number of words. */
static unsigned int put_text(unsigned int word, const char *s, size_t len,
			     __u64 head)
{
	all[word] = len | head;
	memset(&all[word + 1], 0, (len + 7) / 8 * 8);
	memcpy(&all[word + 1], s, len);
	return 1 + (unsigned int)((len + 7) / 8);
}

/*
 * Texts of all lengths at all places of a slot, followed by a number that shows whether the offsets
 * are right.
 */
static void test_text_places(void)
{
	struct tap_field fields[] = {
		FIELD("s", STRING, 0, 0), FIELD("n", U64, 0, 1),
	};
	char s[100], expected[256];
	bool good = true;
	unsigned int word;
	size_t len, i;

	for (i = 0; i < sizeof(s); i++)
		s[i] = (char)('!' + i % 90);
	memset(all, 0xff, sizeof(all));
	for (word = 0; word < 20; word++) {
		for (len = 0; len < sizeof(s); len++) {
			struct hit hit = {
				TAP_PROBE_TRACEPOINT, 0, all, 0,
			};
			char *p = expected + sprintf(expected, "s=\"");

			fields[0].word = (__u16)word;
			fields[0].words = (__u16)put_text(word, s, len, 0);
			fields[1].word = (__u16)(word + fields[0].words);
			all[fields[1].word] = word * 1000 + len;
			hit.nr = fields[1].word + 1U;
			for (i = 0; i < len; i++) {
				if (s[i] == '"' || s[i] == '\\')
					*p++ = '\\';
				*p++ = s[i];
			}
			sprintf(p, "\" n=%zu", word * 1000 + len);
			good &= same(hit_line(&hit, fields, 2, false), expected);
		}
	}
	ok(good, "a text at every word of a slot, of every length");
}

/* A text of the maximum length, with characters that need most room. */
static void test_text_longest(void)
{
	static char s[TAP_MAX_STRING];
	struct tap_field field = FIELD("s", STRING, 3, 0);
	struct hit hit = { TAP_PROBE_CALL, TAP_F_TRUNCATED, all, 0 };
	const char *got;
	size_t i;

	memset(all, 0, sizeof(all));
	memset(s, 1, sizeof(s));
	field.words = (__u16)put_text(3, s, sizeof(s), TAP_TEXT_TRUNCATED);
	hit.nr = 3U + field.words;
	got = hit_line(&hit, &field, 1, true);
	ok(bounded(&field, &all[3]), "room for the longest text");
	ok(strlen(got) == strlen("\"duration_ns\":0,\"ret\":0,\"args\":{\"s\":\"\"},\"flags\":[\"truncated\"]}") +
	   6 * sizeof(s), "JSON: the longest text");
	memset(s, '"', sizeof(s));
	put_text(3, s, sizeof(s), TAP_TEXT_TRUNCATED);
	got = hit_line(&hit, &field, 1, false);
	got = strstr(got, " s=\"");
	for (i = 0; got && i < sizeof(s); i++)
		if (memcmp(got + 4 + 2 * i, "\\\"", 2))
			break;
	ok(i == sizeof(s) && same(got + 4 + 2 * i, "\"... [truncated]"),
	   "text: the longest text");
}

/* Formats one value of several words; @json is the part after its name. */
static bool value(const struct tap_field *field, unsigned int nr, __u32 flags,
		  const char *text, const char *json)
{
	struct hit hit = { TAP_PROBE_KPROBE, flags, all, nr };
	char expected[600];
	bool good;

	snprintf(expected, sizeof(expected), "x=%s", text);
	good = same(hit_line(&hit, field, 1, false), expected);
	snprintf(expected, sizeof(expected), "\"args\":{\"x\":%s}", json);
	return good & same(hit_line(&hit, field, 1, true), expected);
}

static void test_texts(void)
{
	struct tap_field s = FIELD("x", STRING, 2, 3);
	struct tap_field c = FIELD("x", CHARS, 2, 2);

	memset(all, 0xff, sizeof(all));
	put_text(2, "a\"b\033\303\244\0zz", 9, 0);
	ok(value(&s, 5, 0, "\"a\\\"b?\303\244\"",
		 "\"a\\\"b\\u001b\303\244\"},\"flags\":[]"),
	   "a text ends at its 0, and has no control characters");
	put_text(2, "abc", 3, TAP_TEXT_TRUNCATED);
	ok(value(&s, 5, TAP_F_TRUNCATED, "\"abc\"... [truncated]",
		 "\"abc\"},\"flags\":[\"truncated\"]"), "a truncated text");
	s.count = 3;
	ok(value(&s, 5, 0, "\"abc\"", "\"abc\"},\"flags\":[]"), "a text that fills its array is whole");
	s.count = 0;
	put_text(2, "abc", 3, TAP_TEXT_ABSENT);
	ok(value(&s, 5, TAP_F_ABSENT, "\"abc\"... [absent]",
		 "\"abc\"},\"flags\":[\"absent\"]"), "a text whose end is absent");
	put_text(2, "", 0, TAP_TEXT_ABSENT);
	ok(value(&s, 5, TAP_F_ABSENT, "(absent) [absent]",
		 "null},\"flags\":[\"absent\"]"), "an absent text");
	put_text(2, "", 0, 0);
	ok(value(&s, 5, 0, "\"\"", "\"\"},\"flags\":[]"), "an empty text");
	put_text(2, "0123456789abcdef", 16, 0);
	all[2] = 0xffffffff;
	ok(value(&s, 5, 0, "\"0123456789abcdef\"",
		 "\"0123456789abcdef\"},\"flags\":[]"),
	   "a length that exceeds the field is limited");
	s.words = 1;
	ok(value(&s, 3, 0, "\"\"", "\"\"},\"flags\":[]"),
	   "a length without room in the field is limited");
	memcpy(&all[2], "abcdefgh\0ijklmn", 16);
	ok(value(&c, 4, 0, "\"abcdefgh\"", "\"abcdefgh\"},\"flags\":[]"),
	   "an array of characters ends at a 0");
	memcpy(&all[2], "0123456789abcdef", 16);
	ok(value(&c, 4, 0, "\"0123456789abcdef\"",
		 "\"0123456789abcdef\"},\"flags\":[]"), "and without a 0");
	c.count = 11;
	ok(value(&c, 4, 0, "\"0123456789a\"", "\"0123456789a\"},\"flags\":[]"),
	   "an array of characters without a 0");
}

/* -------------------------------------------------------------- arrays */

static void test_arrays(void)
{
	static const struct tap_value_name list[] = { { 1, "ONE" }, { -1ULL, "M" } };
	static const __s8 s8[] = { -1, 127, -128 };
	static const __u16 u16[] = { 1, 65535, 3, 4, 5 };
	static const __s64 s64[] = { -2, 1, -1 };
	static const __s32 s32[] = { -2, 1, -1 };
	static const __u64 u64[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, -1ULL };
	struct tap_field f = FIELD("x", AUTO, 1, 1, .count = 3,
				   .element = TAP_FMT_S8);
	struct tap_field d = FIELD("x", DATA, 1, 3, .element = TAP_FMT_X8);

	memset(all, 0xff, sizeof(all));
	memcpy(&all[1], s8, sizeof(s8));
	ok(value(&f, 2, 0, "{-1,127,-128}", "[-1,127,-128]},\"flags\":[]"),
	   "an array of bytes");
	f.element = TAP_FMT_U16;
	f.count = 5;
	f.words = 2;
	memcpy(&all[1], u16, sizeof(u16));
	ok(value(&f, 3, 0, "{1,65535,3,4,5}", "[1,65535,3,4,5]},\"flags\":[]"),
	   "an array of elements of two bytes");
	memcpy(&all[1], s64, sizeof(s64));
	f.words = 3;
	f.count = 3;
	f.element = TAP_FMT_ERRNO;
	ok(value(&f, 4, 0, "{-ENOENT,1,-EPERM}", "[-2,1,-1]},\"flags\":[]"),
	   "an array of errors");
	memcpy(&all[1], s32, sizeof(s32));
	f.words = 2;
	f.element = TAP_FMT_VALUE_NAME;
	f.value_names = make_labels(list, ARRAY_SIZE(list));
	ok(value(&f, 3, 0, "{0xfffffffe,ONE,M}",
		 "[\"0xfffffffe\",\"ONE\",\"M\"]},\"flags\":[]"), "of labels");
	tap_value_names_put(f.value_names);
	f.value_names = NULL;
	f.element = TAP_FMT_CHAR;
	memcpy(&all[1], "a'\1", 3);
	ok(value(&f, 3, 0, "{'a','\\'','\\x01'}",
		 "[\"a\",\"'\",\"\\u0001\"]},\"flags\":[]"), "of characters");
	f.element = TAP_FMT_BOOL;
	memcpy(&all[1], "\1\0\2", 3);
	ok(value(&f, 3, 0, "{true,false,true}",
		 "[true,false,true]},\"flags\":[]"), "of bools");
	f.element = TAP_FMT_U64;
	f.count = 10;
	f.words = 10;
	memcpy(&all[1], u64, sizeof(u64));
	ok(value(&f, 11, 0, "{0,1,2,3,4,5,6,7,8,18446744073709551615}",
		 "[0,1,2,3,4,5,6,7,8,18446744073709551615]},\"flags\":[]"),
	   "an array across slots");
	ok(value(&f, 11, TAP_F_REDACTED,
		 "{(hidden),1,2,3,4,5,6,7,8,18446744073709551615}",
		 "[null,1,2,3,4,5,6,7,8,18446744073709551615]},\"flags\":[]"),
	   "an array of addresses, one hidden");

	put_text(1, "\1\2\3", 3, 0);
	ok(value(&d, 4, 0, "{0x1,0x2,0x3}",
		 "[\"0x1\",\"0x2\",\"0x3\"]},\"flags\":[]"), "data with a length");
	put_text(1, "\1\2\3\4\5", 5, TAP_TEXT_TRUNCATED);
	d.element = TAP_FMT_U16;
	ok(value(&d, 4, TAP_F_TRUNCATED, "{513,1027}... [truncated]",
		 "[513,1027]},\"flags\":[\"truncated\"]"),
	   "data that were truncated within an element");
	put_text(1, "", 0, 0);
	ok(value(&d, 4, 0, "{}", "[]},\"flags\":[]"), "no data");
	put_text(1, "", 0, TAP_TEXT_ABSENT);
	ok(value(&d, 4, TAP_F_ABSENT, "(absent) [absent]",
		 "null},\"flags\":[\"absent\"]"), "absent data");
	all[1] = 0xfffffff0;
	all[2] = 0;
	all[3] = 0;
	ok(value(&d, 4, 0, "{0,0,0,0,0,0,0,0}",
		 "[0,0,0,0,0,0,0,0]},\"flags\":[]"),
	   "an invalid length of data is limited");
}

/* -------------------------------------------------------------- absent */

static void test_absent(void)
{
	static const struct tap_field fields[] = {
		FIELD("a", U64, 0, 1, .output = 0),
		FIELD("b", AUTO, 1, 2, .output = 1, .count = 4,
		      .element = TAP_FMT_U32),
		FIELD("c", CHARS, 3, 1, .output = 2),
		FIELD("s", STRING, 4, 2, .output = 3),
		FIELD("z", BOOL, 6, 1, .output = 63),
		FIELD("which", X64, 7, 1, .flags = TAP_FIELD_F_ABSENT),
	};
	__u64 w[8] = { 0 };
	struct hit hit = { TAP_PROBE_KPROBE, TAP_F_ABSENT, w, 8 };

	w[4] = 2;
	memcpy(&w[5], "hi", 2);
	w[7] = 1;
	ok(same(hit_line(&hit, fields, 6, false),
		"a=(absent) b={0,0,0,0} c=\"\" s=\"hi\" z=false [absent]"),
	   "text: the first is absent");
	ok(same(hit_line(&hit, fields, 6, true),
		"\"args\":{\"a\":null,\"b\":[0,0,0,0],\"c\":\"\",\"s\":\"hi\",\"z\":false},\"flags\":[\"absent\"]}"),
	   "JSON: the first is absent");
	w[7] = 6 | 1ULL << 63;
	ok(same(hit_line(&hit, fields, 6, false),
		"a=0 b=(absent) c=(absent) s=\"hi\" z=(absent) [absent]"),
	   "text: other fields are absent");
	w[7] = 8;
	ok(same(hit_line(&hit, fields, 6, false),
		"a=0 b={0,0,0,0} c=\"\" s=(absent) z=false [absent]"),
	   "text: a text that is absent by the mask");
	w[4] |= TAP_TEXT_ABSENT;
	ok(same(hit_line(&hit, fields, 6, false),
		"a=0 b={0,0,0,0} c=\"\" s=\"hi\"... z=false [absent]"),
	   "a text is present if its start was read");
	hit.flags = 0;
	w[4] = 0;
	ok(same(hit_line(&hit, fields, 6, false),
		"a=0 b={0,0,0,0} c=\"\" s=\"\" z=false"),
	   "without the flag of the record no value is absent");
	hit.flags = TAP_F_ABSENT;
	w[7] = -1ULL;
	ok(same(hit_line(&hit, fields, 5, false),
		"a=0 b={0,0,0,0} c=\"\" s=\"\" z=false [absent]"),
	   "without the field of absent flags no value is absent");
}

static void test_syscall(void)
{
	static const struct tap_value_name list[] = { { 0, "read" }, { 1, "write" } };
	struct tap_field fields[] = {
		FIELD("syscall", VALUE_NAME, 2, 1, .output = 0),
		FIELD("which", X64, 3, 1, .flags = TAP_FIELD_F_ABSENT,
		      .output = 1),
	};
	struct tap_field ret = FIELD("rc", S32, 1, 1);
	__u64 w[4] = { 50, -4ULL, 1, 1 };
	struct hit hit = { TAP_PROBE_SYSCALL, 0, w, 4 };

	fields[0].value_names = make_labels(list, ARRAY_SIZE(list));
	ok(same(hit_line(&hit, fields, 2, false),
		"    100ns ret=-EINTR syscall=write"), "text: a system call");
	ok(same(hit_line(&hit, fields, 2, true),
		"\"duration_ns\":100,\"ret\":-4,\"args\":{\"syscall\":\"write\"},\"flags\":[]}"),
	   "JSON: a system call");
	/* The first output is absent; not the duration, nor the return value. */
	hit.flags = TAP_F_ABSENT;
	ok(same(hit_line(&hit, fields, 2, false),
		"    100ns ret=-EINTR syscall=(absent) [absent]"),
	   "the values at the entry do not count as outputs");
	hit.flags = TAP_F_NO_RETURN;
	ok(same(hit_line(&hit, fields, 2, false),
		"        ? ret=? syscall=write"), "text: a system call that does not return");
	ok(same(hit_line(&hit, fields, 2, true),
		"\"duration_ns\":null,\"ret\":null,\"args\":{\"syscall\":\"write\"},\"flags\":[]}"),
	   "JSON: a system call that does not return");
	ok(same(hit_line(&hit, &ret, 1, false), "        ? rc=?"),
	   "a field instead of ret");
	hit.type = TAP_PROBE_CALL;
	hit.flags = 0;
	ok(same(hit_line(&hit, fields, 1, false), "    100ns ret=-4 syscall=write"),
	   "without value names the system call is a number");
	tap_value_names_put(fields[0].value_names);
}

/* --------------------------------------------------------------- checks */

static void test_checks(void)
{
	static const struct {
		struct tap_field field;
		bool good;
	} table[] = {
		{ FIELD("f", AUTO, 0, 4), true },
		{ FIELD("f", AUTO, 0, 0), false },
		{ FIELD("f", AUTO, 3, 2), false },
		{ FIELD("f", AUTO, 65535, 65535), false },
		{ { .name = "f", .format = __TAP_FMT_MAX, .words = 1 }, false },
		{ { .name = "f", .format = (enum tap_format)-1, .words = 1 },
		  false },
		{ FIELD("f", DATA, 0, 1, .element = __TAP_FMT_MAX), false },
		{ FIELD("f", AUTO, 0, 1, .output = 63), true },
		{ FIELD("f", AUTO, 0, 1, .output = 64), false },
		{ FIELD("f", COMM, 0, 1), false },
		{ FIELD("f", COMM, 0, 2), true },
		{ FIELD("f", STRING, 0, 1), true },
		{ FIELD("f", CHARS, 0, 2, .count = 16), true },
		{ FIELD("f", CHARS, 0, 2, .count = 17), false },
		{ FIELD("f", AUTO, 0, 1, .count = 1), true },
		{ FIELD("f", AUTO, 0, 1, .count = 2), false },
		{ FIELD("f", AUTO, 0, 1, .count = 4, .element = TAP_FMT_S16),
		  true },
		{ FIELD("f", AUTO, 0, 1, .count = 5, .element = TAP_FMT_S16),
		  false },
		{ FIELD("f", AUTO, 0, 1, .count = 65535,
			.element = TAP_FMT_U8), false },
		{ FIELD("f", AUTO, 0, 4, .count = 1, .element = TAP_FMT_COMM),
		  false },
		{ FIELD("f", AUTO, 0, 4, .count = 1,
			.element = TAP_FMT_STRING), false },
		{ FIELD("f", DATA, 0, 4, .element = TAP_FMT_DATA), false },
		{ FIELD("f", DATA, 0, 4, .element = TAP_FMT_CHARS), false },
	};
	struct tap_field unended = { .words = 1 };
	bool good = true;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		if (tap_field_check(&table[i].field, 4) == table[i].good)
			continue;
		good = false;
		printf("# row %zu\n", i);
	}
	ok(good, "an invalid field is refused");
	memset(unended.name, 'x', sizeof(unended.name));
	ok(!tap_field_check(&unended, 4), "a name without a terminating 0 is refused");
}

static void test_format_words(void)
{
	struct tap_field f = FIELD("x", STRING, 9, 3);
	struct tap_formatter_opts opts = { .size = sizeof(opts), .json = true };
	__u64 w[3] = { 5 };
	char buf[64];

	memcpy(&w[1], "he\"lo", 5);
	ok(tap_format_words(&opts, &f, w, buf, sizeof(buf)) == 8 &&
	   same(buf, "\"he\\\"lo\""), "a value outside the record");
	ok(tap_format_words(&opts, &f, w, buf, 9) == 8 &&
	   same(buf, "\"he\\\"lo\""), "a buffer for the text and its 0 suffices");
	ok(tap_format_words(&opts, &f, w, buf, 8) == -ENOSPC, "a smaller buffer is an error");
	ok(tap_format_words(&opts, &f, w, buf, 0) == -ENOSPC, "nor none");
	f.words = 0;
	ok(tap_format_words(&opts, &f, w, buf, sizeof(buf)) == -EINVAL,
	   "formatting an invalid field is an error");
}

/* --------------------------------------------------------------- specs */

/* The sanitizer reports leaks and use after free. */
static void test_specs(void)
{
	static const struct tap_value_name list[] = { { 1, "ONE" } };
	struct tap_value_names *labels = make_labels(list, 1);
	struct tap_field field = FIELD("x", VALUE_NAME, 0, 1, .value_names = labels);
	struct tap_spec spec = { .type = TAP_PROBE_KPROBE };

	if (tap_spec_add_field(&spec, &field) ||
	    tap_spec_add_field(&spec, &field))
		abort();
	ok(labels->refs == 3, "each field of a spec holds a reference to its value names");
	tap_value_names_put(labels);
	ok(labels->refs == 2 &&
	   !strcmp(spec.fields[1].value_names->list[0].name, "ONE"),
	   "the fields' references remain when others are released");
	tap_spec_clear(&spec);
	tap_spec_clear(&spec);
}

int main(void)
{
	test_numbers();
	test_returned();
	test_labels();
	test_flags();
	test_room();
	test_bytes();
	test_long_labels();
	test_text_places();
	test_text_longest();
	test_texts();
	test_arrays();
	test_stacks();
	test_stack_trap();
	test_stack_id();
	test_stack_room();
	test_structs();
	test_struct_cut();
	test_struct_room();
	test_struct_random();
	test_diffs();
	test_diff_unknown();
	test_absent();
	test_syscall();
	test_checks();
	test_format_words();
	test_specs();
	return check_end();
}
