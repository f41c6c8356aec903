// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of questions about recorded events, with sanitizers: conditions of known result,
 * random arithmetic beside that of C, and tables beside sums that are made here.
 */
#include <errno.h>
#include <string.h>

#include "selftests/lib/check.h"
#include "selftests/lib/fake_ring.h"

#define SLOTS		3
#define EVENTS		20000
#define KEYS		7

enum { CALL = 1, PLAIN };

/* Words of the records. */
enum { C_COMM = 2, C_COUNT = 4, C_DELTA, C_NAME, C_MODE = C_NAME + 4, C_WORDS };
enum { P_KEY, P_SIGNED, P_TEXT, P_GONE = P_TEXT + 3, P_WHICH, P_WORDS };

static const struct tap_timebase timebase = { .mult = 3, .shift = 0 };
static struct tap_probes probes;
static struct tap_slot slots[SLOTS];
static struct tap_event ev;
static __u64 seed = 7;

static __u64 random64(void)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return seed ^ seed >> 29;
}

static void set_word(unsigned int word, __u64 value)
{
	struct tap_record *rec = (void *)slots;

	if (word < TAP_FIRST_VALUES) {
		rec->value[word] = value;
		return;
	}
	word -= TAP_FIRST_VALUES;
	slots[1 + word / TAP_SLOT_VALUES].value[word % TAP_SLOT_VALUES] = value;
}

static void set_bytes(unsigned int word, const char *text, size_t size)
{
	__u64 words[8] = { 0 };
	size_t i;

	memcpy(words, text, strlen(text));
	for (i = 0; i < size / 8; i++)
		set_word(word + (unsigned int)i, words[i]);
}

static void set_string(unsigned int word, const char *text, size_t size)
{
	set_word(word, strlen(text));
	set_bytes(word + 1, text, size);
}

static const struct tap_probe *begin(unsigned int id, __u32 flags)
{
	struct tap_record *rec = (void *)slots;

	memset(slots, 0, sizeof(slots));
	*rec = (struct tap_record) {
		.probe = (__u16)id, .kind = TAP_KIND_EVENT, .slots = SLOTS, .flags = flags,
		.tid = 101, .tgid = 100,
	};
	ev = (struct tap_event) { .rec = rec, .data = slots, .mask = ~0ULL, .slots = SLOTS, .cpu = 5 };
	if (tap_decode(&probes, &ev))
		abort();
	return ev.probe;
}

static const struct tap_probe *begin_call(void)
{
	const struct tap_probe *probe = begin(CALL, TAP_F_DESCHEDULED);

	set_word(TAP_CALL_DURATION, 500);
	set_word(TAP_CALL_RETVAL, 0xfffffffb);
	set_bytes(C_COMM, "dd", 16);
	set_word(C_COUNT, 4096);
	set_word(C_DELTA, 0xfffffffd);
	set_string(C_NAME, "a*b/ttyS0", 24);
	set_word(C_MODE, 2);
	return probe;
}

static void make_probes(void)
{
	struct tap_value_names *names = tap_value_names_new();
	const struct tap_field call[] = {
		FIELD("comm", COMM, C_COMM, 2, .flags = TAP_FIELD_F_HIDDEN),
		FIELD("count", U64, C_COUNT, 1), FIELD("req->delta", S32, C_DELTA, 1),
		FIELD("name", STRING, C_NAME, 4),
		FIELD("mode", VALUE_NAME, C_MODE, 1, .value_names = names),
	};
	const struct tap_field plain[] = {
		FIELD("key", U64, P_KEY, 1), FIELD("n", S64, P_SIGNED, 1),
		FIELD("text", STRING, P_TEXT, 3), FIELD("gone", U64, P_GONE, 1, .output = 3),
		FIELD("which", X64, P_WHICH, 1, .flags = TAP_FIELD_F_ABSENT),
		FIELD("num", ERRNO, P_KEY, 1, .element = TAP_FMT_S32), FIELD("any", BOOL, P_KEY, 1),
		FIELD("low", BOOL, P_KEY, 1, .element = TAP_FMT_U8),
	};

	if (!names || tap_value_names_add(names, 2, "DRV_START", 9))
		abort();
	fake_probe(&probes, CALL, TAP_PROBE_CALL, "call:drv_xmit", C_WORDS, call,
		   sizeof(call) / sizeof(*call));
	fake_probe(&probes, PLAIN, TAP_PROBE_KPROBE, "kprobe:drv_xmit", P_WORDS, plain,
		   sizeof(plain) / sizeof(*plain));
	tap_value_names_put(names);
}

static void test_conditions(void)
{
	static const struct {
		const char *text;
		int holds;
	} cases[] = {
		{ "duration == 1500ns", 1 }, { "duration > 1.5us", 0 }, { "duration >= 1us", 1 },
		{ "retval == -5", 1 }, { "ret < 0", 1 }, { "retval == -EIO", 1 }, { "$retval > 0", 0 },
		{ "comm == \"dd\"", 1 }, { "comm != \"d*\"", 0 }, { "\"?d\" == comm", 1 },
		{ "count == 4K", 1 }, { "count & 4095", 0 }, { "!(count & 4095)", 1 },
		{ "req->delta == -3", 1 }, { "req->delta < 0 && count > 0", 1 },
		/* One unsigned operand makes the comparison unsigned, as in C. */
		{ "req->delta > count", 1 }, { "(s64)count > req->delta", 1 },
		{ "name == \"a\\*b*\"", 1 }, { "name == \"a?c*\"", 0 }, { "name == \"[!b]*S0\"", 1 },
		{ "name == \"a*b/ttyS0\"", 1 }, { "strlen(name) == 9", 1 },
		{ "mode == DRV_START", 1 }, { "mode == O_CREAT", 0 },
		{ "pid == 100 && tid == 101 && cpu == 5", 1 }, { "descheduled", 1 }, { "in_nmi", 0 },
		{ "min(count, 5) == 5 && max(req->delta, 1) == 1", 1 }, { "log2(count) == 12", 1 },
		{ "log2(0)", 0 }, { "count ? 0 : 1", 0 }, { "-1 >> 70 == -1", 1 }, { "1 << 64", 0 },
		{ "(u8)req->delta == 253", 1 }, { "(char)req->delta == -3", 1 }, { "7 % -2 == 1", 1 },
		{ "count / 0", -ENODATA }, { "0 && count / 0", 0 }, { "1 || count / 0", 1 },
		{ "0 || count % 0", -ENODATA }, { "~0 == -1", 1 },
		/* A cast says what a return value is. */
		{ "(int)retval == -5", 1 }, { "(long)ret < 0", 0 }, { "(u64)retval == 4294967291", 1 },
		{ "(mode == 2) == true", 1 }, { "(mode == 3) == false", 1 }, { "mode != NULL", 1 },
	};
	const struct tap_probe *probe = begin_call();
	struct tap_query *query;
	struct tap_error err;
	size_t i;
	int ret;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ret = tap_query_open(&query, probe, &timebase, cases[i].text, &err);
		if (ret) {
			check(false, "%s: %s", cases[i].text, err.text);
			continue;
		}
		ret = tap_query_holds(query, &ev);
		check(ret == cases[i].holds, "%s is %d", cases[i].text, ret);
		tap_query_close(query);
	}
}

/* What is compared is what is printed. */
static void test_cut(void)
{
	static const char *const cases[] = {
		"num == -5000", "num < 0", "any == 1", "low == 0", "!low",
	};
	const struct tap_probe *probe = begin(PLAIN, 0);
	struct tap_query *query;
	struct tap_error err;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		set_word(P_KEY, i ? 0x1ffffec00 : 0x1ffffec78);
		if (tap_query_open(&query, probe, &timebase, cases[i], &err))
			abort();
		check(tap_query_holds(query, &ev) == 1, "of a word in parts: %s", cases[i]);
		tap_query_close(query);
	}
}

static void test_errors(void)
{
	static const struct {
		const char *text;
		const char *why;
	} cases[] = {
		{ "nosuch > 1", "its records have no value \"nosuch\"; they have count, req->delta, name, mode, duration, retval, comm" },
		{ "req->other", "no value \"req->other\"" },
		{ "name > 1", "this is not a number; a text can be compared with a text in quotes" },
		{ "count == \"x\"", "this is not a text" },
		{ "\"x\"", "a text can only be compared" },
		{ "name == \"[x\"", "this [ has no ]" },
		{ "sizeof(count)", "needs the kernel's memory or types" },
		{ "*count == 4096", "needs the kernel's memory or types" },
		{ "count + &mode", "needs the kernel's memory or types" },
		{ "(struct file *)count", "can be cast to numbers alone" },
		{ "count >", "" }, { "", "" },
	};
	const struct tap_probe *probe = begin_call();
	struct tap_query *query;
	struct tap_error err;
	size_t i;
	int ret;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ret = tap_query_open(&query, probe, &timebase, cases[i].text, &err);
		check(ret == -EINVAL && strstr(err.text, cases[i].why), "'%s' is refused: %.60s", cases[i].text,
		      ret ? err.text : "no");
		if (!ret)
			tap_query_close(query);
	}
}

static void test_absent(void)
{
	const struct tap_probe *probe = begin(PLAIN, TAP_F_ABSENT);
	struct tap_query *query;
	struct tap_error err;

	set_word(P_WHICH, 1 << 3);
	if (tap_query_open(&query, probe, &timebase, "gone == 0", &err))
		abort();
	check(tap_query_holds(query, &ev) == -ENODATA, "what is absent has no result");
	set_word(P_WHICH, 0);
	check(tap_query_holds(query, &ev) == 1, "the next record has it");
	tap_query_close(query);
}

static void test_results(void)
{
	static const struct {
		const char *text;
		const char *is_text;
		__u64 number;
		bool is_unsigned;
		int ret;
	} cases[] = {
		{ "duration", NULL, 1500, true, 0 }, { "req->delta", NULL, (__u64)-3, false, 0 },
		{ "count + 1", NULL, 4097, true, 0 }, { "2ms", NULL, 2000000, false, 0 },
		{ "name", "a*b/ttyS0", 0, false, 0 }, { "comm", "dd", 0, false, 0 },
		{ "count / 0", NULL, 0, false, -ENODATA },
	};
	const struct tap_probe *probe = begin_call();
	struct tap_query_result r;
	struct tap_query *query;
	struct tap_error err;
	size_t i;
	int ret;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (tap_query_open(&query, probe, &timebase, cases[i].text, &err))
			abort();
		ret = tap_query_result(query, &ev, &r);
		check(ret == cases[i].ret && (ret || (cases[i].is_text ?
		      r.text && !strcmp(r.text, cases[i].is_text) :
		      !r.text && r.number == cases[i].number && r.is_unsigned == cases[i].is_unsigned)),
		      "the value of %s: %d", cases[i].text, ret);
		tap_query_close(query);
	}
}

/* The result of an operator as C has it, for operands that C defines it for. */
static __u64 by_c(char op, __u64 a, __s64 b, bool is_signed)
{
	switch (op) {
	case '+':
		return a + (__u64)b;
	case '-':
		return a - (__u64)b;
	case '*':
		return a * (__u64)b;
	case '/':
		return is_signed ? (__u64)((__s64)a / b) : a / (__u64)b;
	case '%':
		return is_signed ? (__u64)((__s64)a % b) : a % (__u64)b;
	case '<':
		return is_signed ? (__s64)a < b : a < (__u64)b;
	case '&':
		return a & (__u64)b;
	case '|':
		return a | (__u64)b;
	default:
		return a ^ (__u64)b;
	}
}

static void test_arithmetic(void)
{
	static const char ops[] = "+-*/%<&|^";
	unsigned int bad = 0, i, is_signed;
	const struct tap_probe *probe;
	struct tap_query *query;
	struct tap_error err;
	char text[96];
	__u64 a, b;

	for (i = 0; i < 2000; i++) {
		is_signed = i & 1;
		probe = begin(PLAIN, 0);
		a = random64() >> random64() % 60;
		b = (random64() >> random64() % 60) | 1;
		/* The one division that does not fit. */
		if (b == ~0ULL)
			b = 1;
		set_word(P_KEY, a);
		set_word(P_SIGNED, b);
		snprintf(text, sizeof(text), "(%s %c n) == %llu", is_signed ? "(s64)key" : "key",
			 ops[i / 2 % (sizeof(ops) - 1)],
			 (unsigned long long)by_c(ops[i / 2 % (sizeof(ops) - 1)], a, (__s64)b, is_signed));
		if (tap_query_open(&query, probe, &timebase, text, &err))
			abort();
		if (tap_query_holds(query, &ev) != 1 && !bad++)
			printf("%s with key %llu, n %lld\n", text, (unsigned long long)a, (long long)b);
		tap_query_close(query);
	}
	check(!bad, "2000 random operations are as in C");
}

/* What the events of a key add up to. */
struct sums {
	__u64 count;
	__u64 sum;
	__s64 min;
	__s64 max;
	__u64 absent;
	__u64 gone;
	__u64 hist[66];
	__u64 linear[6];
};

static struct sums expected[2 * KEYS];

static void expect(struct sums *s, __s64 n, __u64 gone, bool absent)
{
	s->min = s->count && s->min < n ? s->min : n;
	s->max = s->count && s->max > n ? s->max : n;
	s->count++;
	s->sum += (__u64)n;
	if (absent)
		s->absent++;
	else
		s->gone += gone;
	s->hist[n < 0 ? 65 : n ? 64 - __builtin_clzll((__u64)n) : 0]++;
	s->linear[n < -100 ? 0 : n >= 100 ? 5 : 1 + (n + 100) / 50]++;
}

static bool row_is(const struct tap_aggregation *a, const __u64 *row, const struct sums *s)
{
	__u64 value[4] = { 0 };
	unsigned int i;
	bool good = tap_aggregation_count(a, row) == s->count;

	for (i = 0; i < 3; i++)
		good &= tap_aggregation_value(a, row, i, &value[i]);
	good &= value[0] == s->sum && (__s64)value[1] == s->min && (__s64)value[2] == s->max;
	good &= tap_aggregation_absent(a, row, 3) == s->absent;
	if (s->absent < s->count)
		good &= tap_aggregation_value(a, row, 3, &value[3]) &&
			value[3] == s->gone / (s->count - s->absent);
	for (i = 0; i < 66; i++)
		good &= tap_aggregation_bucket_count(a, row, 4, i) == s->hist[i];
	for (i = 0; i < 6; i++)
		good &= tap_aggregation_bucket_count(a, row, 5, i) == s->linear[i];
	return good;
}

static void check_rows(struct tap_tally *tally)
{
	struct tap_aggregation *a = tap_tally_rows(tally);
	const struct tap_formatter_opts text = { .size = sizeof(text) };
	unsigned int i, wrong = 0;
	char key[2][64];

	check(tap_aggregation_nr_rows(a) == 2 * KEYS, "%zu rows", tap_aggregation_nr_rows(a));
	for (i = 0; i < tap_aggregation_nr_rows(a); i++) {
		const __u64 *row = tap_aggregation_row(a, i);
		unsigned int which;
		char odd[8];

		if (tap_aggregation_format_key(a, row, 0, &text, key[0], sizeof(key[0])) ||
		    tap_aggregation_format_key(a, row, 1, &text, key[1], sizeof(key[1])))
			abort();
		wrong += sscanf(key[0], "%u", &which) != 1 || sscanf(key[1], "\"%7[a-z]\"", odd) != 1;
		which = 2 * (which % KEYS) + !strcmp(odd, "odd");
		if (!row_is(a, row, &expected[which]) && !wrong++)
			printf("row %s %s is not as expected\n", key[0], key[1]);
	}
	check(!wrong, "all keys, sums, extremes, averages and buckets are as expected");
}

static void test_tally(void)
{
	const char *const keys[] = { "k=key % 7", "text" };
	const struct tap_spec_value values[] = {
		{ sizeof(*values), TAP_AGG_SUM, .expr = "n" },
		{ sizeof(*values), TAP_AGG_MIN, .expr = "n" },
		{ sizeof(*values), TAP_AGG_MAX, .expr = "n" },
		{ sizeof(*values), TAP_AGG_SUM, .avg = true, .expr = "gone" },
		{ sizeof(*values), TAP_AGG_HIST, .expr = "n" },
		{ sizeof(*values), TAP_AGG_LHIST, .buckets = 4, .base = -100, .step = 50, .expr = "n" },
	};
	const struct tap_probe *probe = begin(PLAIN, 0);
	struct tap_tally *tally;
	struct tap_error err;
	unsigned int i;

	if (tap_tally_open(&tally, probe, &timebase, keys, 2, values, 6, &err)) {
		check(false, "%s", err.text);
		return;
	}
	for (i = 0; i < EVENTS; i++) {
		__u64 key = random64() % 1000, gone = random64() % 1000;
		__s64 n = (__s64)random64() >> (random64() % 61);
		bool absent = random64() % 5 == 0, odd = random64() % 2;

		begin(PLAIN, absent ? TAP_F_ABSENT : 0);
		set_word(P_KEY, key);
		set_word(P_SIGNED, (__u64)n);
		set_string(P_TEXT, odd ? "odd" : "even", 16);
		set_word(P_GONE, gone);
		set_word(P_WHICH, absent ? 1 << 3 : 0);
		expect(&expected[2 * (key % KEYS) + odd], n, gone, absent);
		if (tap_tally_event(tally, &ev))
			abort();
		/* Rows may be looked at between events. */
		if (i == EVENTS / 2)
			tap_tally_rows(tally);
	}
	check_rows(tally);
	tap_tally_clear(tally);
	check(!tap_aggregation_nr_rows(tap_tally_rows(tally)), "a table that was cleared has no rows");
	check(!tap_tally_event(tally, &ev) && tap_aggregation_nr_rows(tap_tally_rows(tally)) == 1,
	      "and counts again");
	tap_tally_close(tally);
}

/* What is printed cut is added up cut. */
static void test_formats(void)
{
	static const struct {
		const char *key;
		const char *value;
		enum tap_agg_kind kind;
		size_t rows;
		__u64 result;
	} cases[] = {
		{ "key:u8", "key:u8", TAP_AGG_SUM, 2, 0 },
		{ "key:bool", "key:u8", TAP_AGG_SUM, 1, 90 },
		{ "key:bool", "key:u16", TAP_AGG_MAX, 1, 300 },
		{ "key:bool", "key:s8", TAP_AGG_MIN, 1, 1 },
		{ "key:bool", "key-101:s8", TAP_AGG_MIN, 1, (__u64)-100 },
		{ "key:bool", "n:u64", TAP_AGG_MAX, 1, (__u64)-1 },
		{ "key:bool", "-n:s64", TAP_AGG_MAX, 1, 300 },
		{ "key:bool", "n:u32", TAP_AGG_MIN, 1, (__u32)-300 },
	};
	static const __u64 words[] = { 1, 257, 300, 44 };
	const struct tap_probe *probe = begin(PLAIN, 0);
	struct tap_aggregation *rows;
	struct tap_tally *tally;
	struct tap_error err;
	unsigned int i, k;
	__u64 got;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct tap_spec_value value = {
			sizeof(value), cases[i].kind, .expr = cases[i].value,
		};

		if (tap_tally_open(&tally, probe, &timebase, &cases[i].key, 1, &value, 1, &err)) {
			check(false, "%s", err.text);
			continue;
		}
		for (k = 0; k < ARRAY_SIZE(words); k++) {
			begin(PLAIN, 0);
			set_word(P_KEY, words[k]);
			set_word(P_SIGNED, -words[k]);
			if (tap_tally_event(tally, &ev))
				abort();
		}
		rows = tap_tally_rows(tally);
		if (!tap_aggregation_value(rows, tap_aggregation_row(rows, 0), 0, &got))
			got = 0;
		check(tap_aggregation_nr_rows(rows) == cases[i].rows &&
		      (got == cases[i].result || cases[i].rows > 1), "%s, %s: %zu rows, %lld",
		      cases[i].key, cases[i].value, tap_aggregation_nr_rows(rows), (long long)got);
		tap_tally_close(tally);
	}
}

static void test_tally_errors(void)
{
	static const char *const keys[] = { "nosuch", "text", "key", "n", "gone" };
	const struct tap_spec_value text = { sizeof(text), TAP_AGG_SUM, .expr = "text" };
	const struct tap_probe *probe = begin(PLAIN, 0);
	struct tap_tally *tally;
	struct tap_error err;

	check(tap_tally_open(&tally, probe, &timebase, keys, 1, NULL, 0, &err) == -EINVAL, "%s", err.text);
	check(tap_tally_open(&tally, probe, &timebase, keys, 5, NULL, 0, &err) == -E2BIG, "%s", err.text);
	check(tap_tally_open(&tally, probe, &timebase, NULL, 0, &text, 1, &err) == -EINVAL, "%s", err.text);
}

int main(void)
{
	make_probes();
	test_conditions();
	test_cut();
	test_errors();
	test_absent();
	test_results();
	test_arithmetic();
	test_tally();
	test_formats();
	test_tally_errors();
	tap_probes_clear(&probes);
	return check_end();
}
