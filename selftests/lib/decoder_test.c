// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of the reader, decoder and formatter, on rings in memory. Built with address and
 * undefined behaviour sanitizers.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "selftests/lib/fake_ring.h"

#include "spec/probe_table.h"
#include "session/reader.h"
#include "session/ring_map.h"
#include "util/buffer.h"
#include "selftests/lib/check.h"
#include "selftests/lib/decoder_notices.h"
#include "selftests/lib/decoder_test.h"
#include "selftests/lib/decoder_writers.h"

static __u64 reader_time;

static __u64 reader_now(void *arg)
{
	(void)arg;
	return reader_time;
}

static struct tap_reader *open_reader(struct fake *f)
{
	struct tap_reader *r = NULL;

	if (tap_reader_open_memory(&r, &f->meta, f->heads, f->tails, f->slots,
				   reader_now, NULL))
		abort();
	return r;
}

/* ----------------------------------------------------------- formatter */

static char output[1 << 16];

/* Formats one event and returns the text. */
static const char *formatted_on(const struct tap_probes *probes,
				const struct tap_record *recs,
				unsigned int slots, bool json, bool header,
				__u32 cpu)
{
	struct tap_timebase tb = { .mult = 1 };
	struct tap_formatter_opts opts = {
		.size = sizeof(opts),
		.json = json,
		.timebase = &tb,
		.probes = probes,
	};
	struct tap_event ev = {
		.rec = recs,
		.data = recs,
		.mask = ~0ULL,
		.time = recs->time,
		.cpu = cpu,
		.slots = slots,
	};
	struct tap_formatter *fmt;
	int fds[2];
	ssize_t n;

	if (pipe(fds))
		abort();
	opts.fd = fds[1];
	if (tap_formatter_open(&fmt, &opts) ||
	    tap_decode(probes, &ev) ||
	    (header && tap_formatter_header(fmt)) ||
	    tap_formatter_event(fmt, &ev) || tap_formatter_flush(fmt))
		abort();
	tap_formatter_close(fmt);
	close(fds[1]);
	n = read(fds[0], output, sizeof(output) - 1);
	close(fds[0]);
	output[n < 0 ? 0 : n] = '\0';
	return output;
}

const char *formatted(const struct tap_probes *probes, const struct tap_record *recs,
		      unsigned int slots, bool json, bool header)
{
	return formatted_on(probes, recs, slots, json, header, 1);
}

static void test_format_call(void)
{
	static const struct tap_field fields[] = {
		FIELD("dfd", AUTO, 2, 1),
		FIELD("comm", COMM, 3, 2, .flags = TAP_FIELD_F_HIDDEN),
	};
	static const struct tap_field typed[] = {
		FIELD("dfd", AUTO, 2, 1),
		FIELD("ret", X64, 1, 1, .flags = TAP_FIELD_F_HIDDEN),
	};
	struct tap_probes probes = { 0 };
	struct {
		struct tap_record rec;
		struct tap_slot more;
	} r = {
		.rec = {
			.time = 123456789012ULL, .probe = 1, .slots = 2,
			.tid = 4711, .tgid = 4700,
			.value = { 3214, 3, 0xffffff9c, 0 },
		},
	};

	memcpy(&r.rec.value[3], "cat\0\0\0\0\0", 8);
	fake_probe(&probes, 1, TAP_PROBE_CALL, "call:do_sys_openat2", 5,
		   fields, 2);
	ok(same(formatted(&probes, &r.rec, 2, false, true),
		"          TIME CPU COMM                 TID EVENT               name=value ...\n"
		"    123.456789   1 cat                 4711 call:do_sys_openat2   3.214us ret=3 dfd=0xffffff9c\n"),
	   "text: a call with the header");
	ok(same(formatted(&probes, &r.rec, 2, true, true),
		"{\"type\":\"event\",\"time\":123.456789012,\"time_ns\":123456789012,\"cpu\":1,\"comm\":\"cat\",\"tid\":4711,\"pid\":4700,\"event\":\"call:do_sys_openat2\",\"duration_ns\":3214,\"ret\":3,\"args\":{\"dfd\":\"0xffffff9c\"},\"flags\":[]}\n"),
	   "JSON: a call");
	r.rec.flags = TAP_F_MIGRATED | TAP_F_DESCHEDULED | TAP_F_NESTED |
		      TAP_F_SOFTIRQ | TAP_F_USER | TAP_F_RACED | (1U << 16) | (1U << 20);
	r.rec.value[1] = 0xfffffffeULL;
	ok(same(formatted(&probes, &r.rec, 2, false, false),
		"    123.456789   1 cat                 4711 call:do_sys_openat2   3.214us ret=-2 dfd=0xffffff9c [nmi] [irq] [softirq] [migrated] [descheduled] [nested] [user] [raced]\n"),
	   "text: all flags, an int errno");
	/* All that have no name: those of a later version. */
	r.rec.flags |= 0xff00e000;
	ok(same(formatted(&probes, &r.rec, 2, false, false),
		"    123.456789   1 cat                 4711 call:do_sys_openat2   3.214us ret=-2 dfd=0xffffff9c [nmi] [irq] [softirq] [migrated] [descheduled] [nested] [user] [raced]\n"),
	   "text: unknown flags are ignored");
	ok(strstr(formatted(&probes, &r.rec, 2, true, false),
		  "\"ret\":-2,\"args\":{\"dfd\":\"0xffffff9c\"},\"flags\":[\"nmi\",\"irq\",\"softirq\",\"migrated\",\"descheduled\",\"nested\",\"user\",\"raced\"]}\n"),
	   "JSON: all flags");
	tap_probes_clear(&probes);
	fake_probe(&probes, 1, TAP_PROBE_CALL, "call:vfs_read", 5, typed, 2);
	ok(strstr(formatted(&probes, &r.rec, 2, false, false),
		  " ret=0xfffffffe dfd=0xffffff9c ["),
	   "text: a return value in the format of its type");
	ok(strstr(formatted(&probes, &r.rec, 2, true, false),
		  ",\"ret\":\"0xfffffffe\",\"args\":{\"dfd\":\"0xffffff9c\"},"),
	   "JSON: a return value in the format of its type");
	tap_probes_clear(&probes);
}

static void test_format_values(void)
{
	static const struct tap_field fields[] = {
		FIELD("a", AUTO, 0, 1), FIELD("u8", U8, 0, 1),
		FIELD("u16", U16, 0, 1), FIELD("u32", U32, 0, 1),
		FIELD("u64", U64, 0, 1), FIELD("s8", S8, 0, 1),
		FIELD("s16", S16, 0, 1), FIELD("s32", S32, 0, 1),
		FIELD("s64", S64, 0, 1), FIELD("x8", X8, 0, 1),
		FIELD("x16", X16, 0, 1), FIELD("x32", X32, 0, 1),
		FIELD("x64", X64, 0, 1), FIELD("c", CHAR, 1, 1),
		FIELD("d", DURATION, 1, 1),
		FIELD("r", RETVAL, 0, 1),
		FIELD("y", SYMBOL, 0, 1),
		FIELD("comm", COMM, 2, 2),
	};
	static const struct {
		__u64 v;
		const char *text;
	} autos[] = {
		{ 0, " a=0 " }, { 0x7fffffff, " a=2147483647 " },
		{ 0x80000000, " a=0x80000000 " }, { -1ULL, " a=-1 " },
		{ -4095ULL, " a=-4095 " }, { -4096ULL, " a=0xfffffffffffff000 " },
	};
	struct tap_probes probes = { 0 };
	struct tap_record r = {
		.time = 1000, .probe = 7, .slots = 1, .tid = 1, .tgid = 1,
		.value = { 0xfedcba9887654381ULL, 'A' },
	};
	bool good = true;
	size_t i;

	memcpy(&r.value[2], "a\"b\033\0\0\0\0", 8);
	fake_probe(&probes, 7, TAP_PROBE_KPROBE, "kprobe:f", 4, fields,
		   ARRAY_SIZE(fields));
	ok(same(formatted(&probes, &r, 1, false, false),
		"      0.000001   1 -                      1 kprobe:f a=0xfedcba9887654381 u8=129 u16=17281 u32=2271560577 u64=18364758544779395969 s8=-127 s16=17281 s32=-2023406719 s64=-81985528930155647 x8=0x81 x16=0x4381 x32=0x87654381 x64=0xfedcba9887654381 c='A' d=65ns r=0xfedcba9887654381 y=0xfedcba9887654381 comm=\"a\\\"b?\"\n"),
	   "text: every format");
	ok(same(formatted(&probes, &r, 1, true, false),
		"{\"type\":\"event\",\"time\":0.000001000,\"time_ns\":1000,\"cpu\":1,\"tid\":1,\"pid\":1,\"event\":\"kprobe:f\",\"args\":{\"a\":\"0xfedcba9887654381\",\"u8\":129,\"u16\":17281,\"u32\":2271560577,\"u64\":18364758544779395969,\"s8\":-127,\"s16\":17281,\"s32\":-2023406719,\"s64\":-81985528930155647,\"x8\":\"0x81\",\"x16\":\"0x4381\",\"x32\":\"0x87654381\",\"x64\":\"0xfedcba9887654381\",\"c\":\"A\",\"d\":65,\"r\":\"0xfedcba9887654381\",\"y\":\"0xfedcba9887654381\",\"comm\":\"a\\\"b\\u001b\"},\"flags\":[]}\n"),
	   "JSON: every format");
	for (i = 0; i < ARRAY_SIZE(autos); i++) {
		r.value[0] = autos[i].v;
		good &= strstr(formatted(&probes, &r, 1, false, false),
			       autos[i].text) != NULL;
	}
	ok(good, "limits of the format AUTO");
	r.value[0] = 0;
	r.flags = TAP_F_REDACTED;
	ok(strstr(formatted(&probes, &r, 1, false, false),
		  " a=(hidden) u8=0 "), "text: a hidden address");
	ok(strstr(formatted(&probes, &r, 1, true, false), "\"a\":null,\"u8\":0,"),
	   "JSON: a hidden address");
	tap_probes_clear(&probes);
}

static void test_format_gap(void)
{
	struct tap_probes probes = { 0 };
	struct tap_record r = {
		.time = 2000000000, .slots = 1, .kind = TAP_KIND_GAP,
		.value = { 1234, 2000, 1500000000, 0 },
	};

	ok(same(formatted(&probes, &r, 1, false, false),
		"-- 1234 events lost on CPU 1 (ring full), since 1.500000 --\n"),
	   "text: a gap");
	ok(same(formatted(&probes, &r, 1, true, false),
		"{\"type\":\"lost\",\"time\":2.000000000,\"time_ns\":2000000000,\"cpu\":1,\"lost\":1234,\"total\":2000,\"since\":1.500000000}\n"),
	   "JSON: a gap");
	r.value[0] = 0;
	ok(same(formatted(&probes, &r, 1, false, false), ""),
	   "a gap of 0 is not printed");
}

static int append(void *arg, const char *data, size_t len)
{
	(void)arg;
	strncat(output, data, len);
	return 0;
}

/* A line does not depend on previous lines, although the formatter caches parts. */
static void test_recent(void)
{
	static const char names[][16] = { "cat", "postgres: write", "\"a\\b" };
	static const struct tap_field field =
		FIELD("comm", COMM, 0, 2, .flags = TAP_FIELD_F_HIDDEN);
	struct tap_probes probes = { 0 };
	struct tap_timebase tb = { .mult = 1 };
	struct tap_formatter_opts opts = {
		.size = sizeof(opts), .write = append, .timebase = &tb,
		.probes = &probes,
	};
	unsigned int differ = 0, i;

	fake_probe(&probes, 1, TAP_PROBE_KPROBE, "kprobe:f", 2, &field, 1);
	fake_probe(&probes, 2, TAP_PROBE_KPROBE, "kprobe:g", 2, NULL, 0);
	for (i = 0; i < 2; i++) {
		struct tap_formatter *fmt;
		unsigned int n;

		opts.json = i;
		if (tap_formatter_open(&fmt, &opts))
			abort();
		for (n = 0; n < 5000; n++) {
			struct tap_record rec = {
				.time = draw() % 3 * 1000000000 + draw() % 3 *
					999999999 + draw() % 3,
				.probe = 1 + draw() % 2, .slots = 1,
				.tid = draw() % 3 * 64, .tgid = draw() % 2,
			};
			struct tap_event ev = {
				.rec = &rec, .data = &rec, .mask = ~0ULL,
				.time = rec.time, .cpu = draw() % 2 * 64, .slots = 1,
			};
			char *line;

			memcpy(rec.value, names[draw() % 3], 16);
			if (draw() % 50 == 0)
				ev.time = rec.time = draw();
			*output = '\0';
			if (tap_decode(&probes, &ev) ||
			    tap_formatter_event(fmt, &ev) ||
			    tap_formatter_flush(fmt))
				abort();
			line = strdup(output);
			differ += !!strcmp(line, formatted_on(&probes, &rec, 1,
							      i, false, ev.cpu));
			free(line);
		}
		tap_formatter_close(fmt);
	}
	ok(!differ, "a line does not depend on previous lines");
	tap_probes_clear(&probes);
}

/* The time of day, and differences, which may be negative; of events at these times. */
static void check_times(__u32 times, bool json, const char *want, const char *what)
{
	static const __u64 at[] = { 5000000000ULL, 5000001500ULL, 4999999000ULL, 7200000000000ULL };
	/* 5 s after boot it was 00:59:58.25. */
	struct tap_timebase tb = {
		.mult = 1, .raw = 5000000000ULL, .mono = 5000000000ULL, .real = 3598250000000ULL,
	};
	struct tap_probes probes = { 0 };
	struct tap_formatter_opts opts = {
		.size = sizeof(opts), .write = append, .timebase = &tb, .probes = &probes,
		.json = json, .times = times,
	};
	struct tap_formatter *fmt;
	unsigned int i;

	fake_probe(&probes, 1, TAP_PROBE_KPROBE, "kprobe:f", 0, NULL, 0);
	*output = '\0';
	if (tap_formatter_open(&fmt, &opts) || tap_formatter_header(fmt))
		abort();
	for (i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		struct tap_record rec = { .time = at[i], .probe = i < 3, .slots = 1 };
		struct tap_event ev = {
			.rec = &rec, .data = &rec, .mask = ~0ULL, .time = at[i], .slots = 1,
		};

		if (i == 3) {
			rec.kind = TAP_KIND_GAP;
			rec.value[TAP_GAP_LOST] = 7;
			rec.value[TAP_GAP_BEGIN] = at[i];
		}
		if (tap_decode(&probes, &ev) || tap_formatter_event(fmt, &ev))
			abort();
	}
	if (tap_formatter_flush(fmt))
		abort();
	ok(same(output, want), what);
	tap_formatter_close(fmt);
	tap_probes_clear(&probes);
}

static void test_times(void)
{
	setenv("TZ", "UTC", 1);
	check_times(TAP_TIMES_WALL, false,
		    "           TIME CPU COMM                 TID EVENT    name=value ...\n"
		    "00:59:58.250000   0 -                      0 kprobe:f\n"
		    "00:59:58.250001   0 -                      0 kprobe:f\n"
		    "00:59:58.249999   0 -                      0 kprobe:f\n"
		    "-- 7 events lost on CPU 0 (ring full), since 02:59:53.250000 --\n",
		    "text: times of day");
	check_times(TAP_TIMES_WALL, true,
		    "{\"type\":\"event\",\"time\":3598.250000000,\"time_ns\":3598250000000,\"cpu\":0,\"tid\":0,\"pid\":0,\"event\":\"kprobe:f\",\"args\":{},\"flags\":[]}\n"
		    "{\"type\":\"event\",\"time\":3598.250001500,\"time_ns\":3598250001500,\"cpu\":0,\"tid\":0,\"pid\":0,\"event\":\"kprobe:f\",\"args\":{},\"flags\":[]}\n"
		    "{\"type\":\"event\",\"time\":3598.249999000,\"time_ns\":3598249999000,\"cpu\":0,\"tid\":0,\"pid\":0,\"event\":\"kprobe:f\",\"args\":{},\"flags\":[]}\n"
		    "{\"type\":\"lost\",\"time\":10793.250000000,\"time_ns\":10793250000000,\"cpu\":0,\"lost\":7,\"total\":0,\"since\":10793.250000000}\n",
		    "JSON: seconds since 1970");
	check_times(TAP_TIMES_DELTA, false,
		    "          TIME CPU COMM                 TID EVENT    name=value ...\n"
		    "      0.000000   0 -                      0 kprobe:f\n"
		    "      0.000001   0 -                      0 kprobe:f\n"
		    "     -0.000002   0 -                      0 kprobe:f\n"
		    "-- 7 events lost on CPU 0 (ring full), since 7200.000000 --\n",
		    "text: times since the event before");
	check_times(TAP_TIMES_DELTA, true,
		    "{\"type\":\"event\",\"time\":0.000000000,\"time_ns\":0,\"cpu\":0,\"tid\":0,\"pid\":0,\"event\":\"kprobe:f\",\"args\":{},\"flags\":[]}\n"
		    "{\"type\":\"event\",\"time\":0.000001500,\"time_ns\":1500,\"cpu\":0,\"tid\":0,\"pid\":0,\"event\":\"kprobe:f\",\"args\":{},\"flags\":[]}\n"
		    "{\"type\":\"event\",\"time\":-0.000002500,\"time_ns\":-2500,\"cpu\":0,\"tid\":0,\"pid\":0,\"event\":\"kprobe:f\",\"args\":{},\"flags\":[]}\n"
		    "{\"type\":\"lost\",\"time\":7200.000000000,\"time_ns\":7200000000000,\"cpu\":0,\"lost\":7,\"total\":0,\"since\":7200.000000000}\n",
		    "JSON: times since the event before");
}

static int take(void *arg, const char *data, size_t len)
{
	memcpy(arg, data, len);
	return -ECANCELED;
}

static void test_write(void)
{
	struct tap_probes probes = { 0 };
	struct tap_timebase tb = { .mult = 1 };
	struct tap_formatter_opts opts = {
		.size = sizeof(opts), .fd = -1, .write = take,
		.write_arg = output, .timebase = &tb, .probes = &probes,
	};
	struct tap_formatter *fmt;

	memset(output, 0, sizeof(output));
	if (tap_formatter_open(&fmt, &opts) || tap_formatter_header(fmt))
		abort();
	ok(tap_formatter_flush(fmt) == -ECANCELED &&
	   strstr(output, "TIME CPU COMM"),
	   "a write callback gets all text, and its errno is returned");
	tap_formatter_close(fmt);
}

static void test_epipe(void)
{
	struct tap_buffer buf = { 0 };
	int fds[2];

	if (pipe(fds) || !tap_buffer_room(&buf, 10))
		abort();
	signal(SIGPIPE, SIG_IGN);
	close(fds[0]);
	buf.len = 10;
	memset(buf.data, 'x', 10);
	ok(tap_buffer_write(&buf, fds[1]) == -EPIPE && !buf.len,
	   "a closed pipe returns an errno");
	close(fds[1]);
	tap_buffer_free(&buf);
}

/* ------------------------------------------------------------- decoder */

static void test_decode(void)
{
	struct tap_probes probes = { 0 };
	struct tap_probe bad = { 0 };
	struct tap_record r = { .probe = 5, .slots = 1 };
	struct tap_event ev = { .rec = &r, .data = &r, .slots = 1 };
	struct tap_field field = FIELD("x", AUTO, 0, 1);

	fake_probe(&probes, 3, TAP_PROBE_KPROBE, "kprobe:a", 11, NULL, 0);
	ok(tap_decode(&probes, &ev) == -ENOENT, "an unknown probe");
	r.probe = 3;
	ok(tap_decode(&probes, &ev) == -EBADMSG, "a record that is too short");
	ev.slots = 2;
	ok(!tap_decode(&probes, &ev) && ev.probe->id == 3, "a good record");
	r.kind = 9;
	ok(tap_decode(&probes, &ev) == -EOPNOTSUPP, "an unknown kind");
	ok(tap_event_word(&ev, 5000) == 0, "a word beyond the record is 0");

	bad.id = 3;
	bad.slots = 1;
	bad.words = 4;
	bad.spec.type = TAP_PROBE_KPROBE;
	bad.spec.event = (char[]){ "e" };
	bad.spec.target = (char[]){ "t" };
	ok(tap_probes_add(&probes, &bad) == -EEXIST, "a duplicate id");
	bad.id = 70000;
	ok(tap_probes_add(&probes, &bad) == -EBADMSG, "an id of more than 16 bits");
	bad.id = 4;
	bad.words = 5;
	ok(tap_probes_add(&probes, &bad) == -EBADMSG, "more words than the slots have");
	bad.words = 4;
	bad.spec.fields = &field;
	bad.spec.nr_fields = 1;
	field.word = 4;
	ok(tap_probes_add(&probes, &bad) == -EBADMSG, "a field after the last word");
	field.word = 65535;
	field.words = 65535;
	ok(tap_probes_add(&probes, &bad) == -EBADMSG, "a field that overflows");
	field.word = 0;
	field.words = 1;
	field.format = TAP_FMT_COMM;
	ok(tap_probes_add(&probes, &bad) == -EBADMSG, "a comm of one word");
	tap_probes_clear(&probes);
}

/* Of a record of 14 words in 3 slots only stacks of waits, and what is absent, may be missing. */
static void test_short(void)
{
	static const struct tap_field stack[] = {
		FIELD("x", AUTO, 0, 1), FIELD("wait.stack", KSTACK, 4, 9, .flags = TAP_FIELD_F_WAIT),
		FIELD("absent", X64, 13, 1, .flags = TAP_FIELD_F_ABSENT),
	}, other[] = {
		FIELD("x", AUTO, 0, 1), FIELD("wait.stack", KSTACK, 4, 9, .flags = TAP_FIELD_F_WAIT),
		FIELD("y", AUTO, 13, 1),
	}, late[] = {
		FIELD("x", AUTO, 4, 1), FIELD("wait.stack", KSTACK, 5, 9, .flags = TAP_FIELD_F_WAIT),
	};
	struct tap_probes probes = { 0 };
	struct tap_record r = { .probe = 1, .slots = 1 };
	struct tap_event ev = { .rec = &r, .data = &r, .slots = 1 };

	fake_probe(&probes, 1, TAP_PROBE_KPROBE, "kprobe:a", 14, stack, 3);
	fake_probe(&probes, 2, TAP_PROBE_KPROBE, "kprobe:b", 14, other, 3);
	fake_probe(&probes, 3, TAP_PROBE_KPROBE, "kprobe:c", 14, late, 2);
	ok(!tap_decode(&probes, &ev), "a record without the stacks of a wait");
	r.probe = 2;
	ok(tap_decode(&probes, &ev) == -EBADMSG, "but not without a number behind them");
	r.probe = 3;
	ok(tap_decode(&probes, &ev) == -EBADMSG, "or in front of them");
	ev.slots = 2;
	ok(!tap_decode(&probes, &ev), "which has it");
	tap_probes_clear(&probes);
}

/* --------------------------------------------------------------- clock */

static void test_clock(void)
{
	struct tap_meta meta = {
		.clock = TAP_CLOCK_TSC, .clock_shift = 24,
		.clock_mult = 8388608,	/* 2 GHz */
		.clock_raw = 1000000, .clock_mono = 5000,
	};
	struct tap_time a = { .out_raw = 1000000, .out_mono = 5000 };
	struct tap_time b = { .out_raw = 1000000 + 2000000000ULL,
			      .out_mono = 5000 + 1000100000ULL };
	struct tap_timebase tb;

	ok(!tap_timebase_init(&tb, &meta) && tap_timebase_ns(&tb, 2000) == 1000,
	   "ticks to nanoseconds");
	ok(tap_timebase_mono(&tb, 1000000 + 2000) == 6000 &&
	   tap_timebase_mono(&tb, 1000000 - 2000) == 4000 &&
	   tap_timebase_mono(&tb, 0) == 0, "raw to monotonic, also before the sample");
	ok(tap_timebase_ns(&tb, UINT64_MAX) == UINT64_MAX / 2,
	   "no overflow at 2^64 ticks");
	ok(tap_timebase_ticks(&tb, 1000) == 2000, "nanoseconds to ticks");
	ok(!tap_timebase_calibrate(&tb, &a, &b) &&
	   tap_timebase_mono(&tb, b.out_raw) >= b.out_mono - 1 &&
	   tap_timebase_mono(&tb, b.out_raw) <= b.out_mono,
	   "calibration meets both samples");
	b.out_mono *= 2;
	ok(tap_timebase_calibrate(&tb, &a, &b) == -ERANGE,
	   "inconsistent samples are refused");
	meta.clock_mult = 0;
	ok(tap_timebase_init(&tb, &meta) == -EBADMSG, "a rate of 0 is refused");
}

/* -------------------------------------------------------------- reader */

static void test_meta(void)
{
	struct fake f;
	struct tap_meta good;
	struct tap_reader *r;
	bool refused = true;
	int i;

	fake_init(&f, 1, 4096, 0);
	good = f.meta;
	for (i = 0; i < 14; i++) {
		struct tap_meta m = good;

		switch (i) {
		case 0: m.magic++; break;
		case 1: m.version++; break;
		case 2: m.length = 8; break;
		case 3: m.nr_rings = 0; break;
		case 4: m.nr_rings = 1U << 31; break;
		case 5: m.ring_bytes = 4096 + 64; break;
		case 6: m.ring_stride = UINT64_MAX - 4095; break;
		case 7: m.clock_shift = 64; break;
		case 8: m.page_size = 0; break;
		case 9: m.head_offset = 4; break;
		case 10: m.tail_offset = 4; break;
		case 11: m.head_offset = 4096 - sizeof(struct tap_ring_head) + 8; break;
		case 12: m.tail_offset = 4096; break;
		case 13: m.head_offset = UINT32_MAX - 7; break;
		}
		refused &= tap_reader_open_memory(&r, &m, f.heads, f.tails,
						  f.slots, NULL, NULL) < 0;
	}
	ok(refused, "an invalid meta page is refused");
	/* A kernel that has appended members. */
	good.length += 64;
	ok(!tap_reader_open_memory(&r, &good, f.heads, f.tails, f.slots, NULL, NULL),
	   "a longer meta page is accepted");
	tap_reader_close(r);
	fake_free(&f);
}

/* A file with a ring of CPU 1, whose head and tail are not at the start of their pages. */
static void test_offsets(void)
{
	const __u64 bytes = 4096, start = 2 * (bytes + 8192);
	const __u64 ring = 2 * start;
	struct tap_ring_tail tail = { 0 };
	struct tap_ring_map map;
	struct fake f;
	int fd = memfd_create("ring", MFD_CLOEXEC);
	const __u64 slot = 4711;

	fake_init(&f, 2, bytes, 4096);
	f.meta.head_offset = 4096 - sizeof(struct tap_ring_head);
	f.meta.tail_offset = 64;
	ok(fd >= 0 && !ftruncate(fd, (off_t)(ring + start)) &&
	   pwrite(fd, f.heads[1], sizeof(*f.heads[1]),
		  (off_t)(ring + 4096 + f.meta.head_offset)) == sizeof(*f.heads[1]) &&
	   pwrite(fd, &slot, sizeof(slot), (off_t)(ring + 8192)) == sizeof(slot),
	   "a file with a ring");
	ok(!tap_meta_check(&f.meta, NULL) && !tap_ring_map(&map, fd, &f.meta, 0, 1, NULL) &&
	   map.head->head == 4096 && *(const __u64 *)map.slots == slot,
	   "the head is where the meta page says");
	map.tail->tail = 64;
	ok(pread(fd, &tail, sizeof(tail), (off_t)(ring + f.meta.tail_offset)) == sizeof(tail) &&
	   tail.tail == 64, "so is the tail");
	tap_ring_unmap(&map, &f.meta);
	ok(!map.head && !map.tail, "both are unmapped");
	close(fd);
	fake_free(&f);
}

/* Whether the words of a record are those that were written. */
static bool has_words(const struct tap_event *ev, unsigned int n)
{
	unsigned int i, nr = TAP_FIRST_VALUES +
			     (ev->slots - 1) * TAP_SLOT_VALUES;
	bool good = true;

	for (i = 0; i < nr; i++)
		good &= tap_event_word(ev, i) == fake_value(ev->cpu, n, i);
	return good;
}

static void test_merge(void)
{
	const unsigned int cpus = 5, total = 20000;
	unsigned int next_n[FAKE_MAX_CPUS] = { 0 };
	unsigned int read_n[FAKE_MAX_CPUS] = { 0 };
	unsigned int written = 0, got = 0, n, nr;
	bool ordered = true, words = true;
	struct tap_event evs[40];
	struct tap_reader *r;
	struct fake f;
	__u32 last_cpu = 0;
	__u64 last = 0;

	fake_init(&f, cpus, 65536, 0xfffffffffff00000ULL & ~65535ULL);
	/* CPU 3 is not possible. */
	f.heads[3] = NULL;
	r = open_reader(&f);
	srand(1);
	fake_time = 10000000;
	while (written < total) {
		unsigned int burst = (unsigned int)rand() % 500;

		for (n = 0; n < burst && written < total; n++) {
			unsigned int cpu = (unsigned int)rand() % cpus;

			if (cpu == 3)
				continue;
			fake_time += (unsigned int)rand() % 4 * 1000;
			if (!fake_write(&f, cpu, 1, 1 + (unsigned int)rand() % 4,
					next_n[cpu]))
				abort();
			next_n[cpu]++;
			written++;
		}
		reader_time = fake_time;
		if (written == total)
			tap_reader_drain(r, true);
		while ((nr = tap_reader_events(r, evs, 1 + got % 40))) {
			/*
			 * Reads all events first, then their words: no slot may have been given
			 * back.
			 */
			for (n = 0; n < nr; n++) {
				ordered &= evs[n].time > last ||
					   (evs[n].time == last &&
					    evs[n].cpu >= last_cpu);
				if (written < total)
					ordered &= tap_reader_held(r) ||
						evs[n].time <=
						reader_time - 1000000;
				last = evs[n].time;
				last_cpu = evs[n].cpu;
			}
			for (n = 0; n < nr; n++)
				words &= has_words(&evs[n],
						   read_n[evs[n].cpu]++) &&
					 f.tail[evs[n].cpu].tail <= evs[n].pos;
			got += nr;
		}
	}
	ok(got == total, "merge: every record is returned");
	ok(ordered, "merge: records are ordered by time, then by CPU");
	ok(words, "merge: words of records that wrap, before their slots are released");
	tap_reader_close(r);
	fake_free(&f);
}

/* More than a round of a live reader gives. */
static void test_drain(void)
{
	const unsigned int total = 70000;
	unsigned int got;
	struct tap_reader *r;
	struct tap_event ev;
	struct fake f;

	fake_init(&f, 1, 8 << 20, 0);
	r = open_reader(&f);
	fake_time = 5000000;
	for (got = 0; got < total; got++)
		if (!fake_write(&f, 0, 1, 1, got))
			abort();
	reader_time = fake_time;
	tap_reader_drain(r, true);
	for (got = 0; tap_reader_next(r, &ev) == 1; got++)
		;
	ok(got == total && !tap_reader_held(r), "drain: nothing is held back");
	tap_reader_close(r);
	fake_free(&f);
}

static void test_slack(void)
{
	struct tap_reader_counts counts = { .size = sizeof(counts) };
	struct tap_reader *r;
	struct tap_event ev;
	struct fake f;
	bool good;

	fake_init(&f, 2, 4096, 0);
	r = open_reader(&f);
	fake_time = 5000000;
	fake_write(&f, 0, 1, 1, 0);
	reader_time = 5500000;
	ok(!tap_reader_next(r, &ev) && tap_reader_held(r),
	   "live: records of the last millisecond are not yet returned");
	/* A record of CPU 1 arrives late, with an earlier time. */
	fake_time = 4900000;
	fake_write(&f, 1, 1, 1, 0);
	reader_time = 6100000;
	good = tap_reader_next(r, &ev) == 1 && ev.cpu == 1;
	good &= tap_reader_next(r, &ev) == 1 && ev.cpu == 0;
	good &= tap_reader_next(r, &ev) == 0;
	ok(good, "live: they are returned later, in order");
	ok(f.tail[0].tail == 64 && f.tail[1].tail == 64,
	   "live: the end of a round releases the slots");
	tap_reader_counts(r, &counts);
	ok(counts.events == 2 && !counts.disordered, "live: counted");
	tap_reader_close(r);
	fake_free(&f);
}

static void nap(long ms)
{
	struct timespec ts = { .tv_nsec = ms * 1000000 };

	nanosleep(&ts, NULL);
}

static void test_blocked(void)
{
	struct tap_reader_counts counts = { .size = sizeof(counts) };
	struct tap_reader *r;
	struct tap_resv resv;
	struct tap_event ev;
	struct fake f;
	bool good;

	fake_init(&f, 2, 4096, 0);
	r = open_reader(&f);
	fake_time = 1000;
	fake_write(&f, 0, 1, 1, 0);
	fake_time = 2000;
	resv = tap_ring_reserve(&f.w[0], 64);
	/* Meanwhile an interrupt on CPU 0 and another CPU write records. */
	fake_time = 3000;
	fake_write(&f, 0, 1, 1, 2);
	fake_write(&f, 1, 1, 1, 0);
	reader_time = 100000000;
	good = tap_reader_next(r, &ev) == 1 && ev.time == 1000;
	good &= tap_reader_next(r, &ev) == 0;
	ok(good, "blocked: no record after the last one of that ring is returned");
	fake_fill(&f, 0, resv.pos, resv.time, 1, 1, 1);
	tap_ring_commit(fake_record(&f, 0, resv.pos), resv.pos);
	good = tap_reader_next(r, &ev) == 1 && ev.time == 2000;
	good &= tap_reader_next(r, &ev) == 1 && ev.time == 3000;
	good &= tap_reader_next(r, &ev) == 1 && ev.time == 3000;
	good &= tap_reader_next(r, &ev) == 0;
	ok(good, "blocked: after the commit all records are returned in order");

	fake_time = 4000;
	resv = tap_ring_reserve(&f.w[0], 64);
	fake_time = 5000;
	fake_write(&f, 1, 1, 1, 1);
	good = tap_reader_next(r, &ev) == 0;
	nap(60);
	good &= tap_reader_next(r, &ev) == 1 && ev.time == 5000;
	while (tap_reader_next(r, &ev))
		good = false;
	tap_reader_counts(r, &counts);
	ok(good && counts.stalled == 1, "blocked: the reader does not wait for it forever");
	fake_time = 6000;
	fake_write(&f, 0, 1, 1, 3);
	tap_reader_drain(r, true);
	good = tap_reader_next(r, &ev) == 1 && ev.time == 6000;
	good &= tap_reader_next(r, &ev) == 0;
	tap_reader_counts(r, &counts);
	ok(good && counts.skipped == 64,
	   "drain: records that were never committed are skipped");
	tap_reader_close(r);
	fake_free(&f);
}

static void test_batches(void)
{
	struct tap_reader *r;
	struct tap_event ev;
	struct fake f;
	bool good = true;
	unsigned int i;

	fake_init(&f, 1, 65536, 0);
	r = open_reader(&f);
	tap_reader_drain(r, true);
	for (i = 0; i < 200; i++)
		fake_write(&f, 0, 1, 1, i);
	for (i = 0; tap_reader_next(r, &ev); i++) {
		/* The slots of the current event are never given back. */
		good &= f.tail[0].tail <= ev.pos;
		good &= f.tail[0].tail % 4096 == 0;
	}
	ok(good && i == 200, "the tail moves in steps of 64 records");
	ok(f.tail[0].tail == 200 * 64, "after the last record the tail moves to the head");
	tap_reader_close(r);
	fake_free(&f);
}

static void test_gaps(void)
{
	struct tap_reader_counts counts = { .size = sizeof(counts) };
	unsigned int i, full = 0, seen = 0;
	struct tap_reader *r;
	struct tap_event ev;
	struct fake f;
	__u64 reported = 0;

	fake_init(&f, 1, 4096, 0);
	r = open_reader(&f);
	tap_reader_drain(r, true);
	for (i = 0; i < 1000; i++) {
		fake_time = i;
		if (!fake_write(&f, 0, 1, 1 + i % 3, i))
			full++;
		if (i % 100 == 99)
			while (tap_reader_next(r, &ev)) {
				if (ev.rec->kind == TAP_KIND_GAP)
					reported += tap_event_word(&ev, 0);
				else
					seen++;
			}
	}
	tap_ring_reserve_slow(&f.w[0], 0);
	while (tap_reader_next(r, &ev))
		if (ev.rec->kind == TAP_KIND_GAP)
			reported += tap_event_word(&ev, 0);
	tap_reader_counts(r, &counts);
	ok(full && reported == full && counts.lost == full &&
	   seen + full == 1000 && counts.events == seen,
	   "gap records add up to the lost events");
	tap_reader_close(r);
	fake_free(&f);
}

static void test_chunks(void)
{
	struct tap_reader_counts counts = { .size = sizeof(counts) };
	__u64 pos, expected = 4096 * 5 - 192;
	unsigned int i, n = 0;
	struct tap_reader *r;
	const void *data;
	struct fake f;
	bool good = true;
	size_t len;

	fake_init(&f, 2, 4096, expected);
	r = open_reader(&f);
	for (i = 0; i < 100; i++) {
		unsigned int k;

		for (k = 0; k < 7; k++)
			good &= fake_write(&f, 1, 1, 1 + k, n++);
		do {
			if (tap_reader_chunk(r, 1, &pos, &data, &len))
				abort();
			good &= pos == expected && len % 64 == 0;
			good &= (const char *)data ==
				(const char *)f.slots[1] + (pos & 4095);
			/* Releases it in two parts. */
			good &= !tap_reader_release(r, 1, len / 128 * 64);
			good &= !tap_reader_release(r, 1,
						    len - len / 128 * 64);
			expected += len;
		} while (len);
	}
	tap_reader_counts(r, &counts);
	good &= expected == f.heads[1]->head && counts.events == n;
	ok(good, "chunks: every byte once, in order");
	ok(tap_reader_release(r, 1, 64) == -EINVAL &&
	   tap_reader_release(r, 1, 1) == -EINVAL &&
	   tap_reader_release(r, 9, 0) == -EINVAL &&
	   tap_reader_chunk(r, 9, &pos, &data, &len) == -ENXIO,
	   "chunks: only bytes that were returned can be released");
	tap_reader_close(r);
	fake_free(&f);
}

/* The reader neither crashes nor loops forever on damaged memory. */
static void test_damage(void)
{
	struct tap_probes probes = { 0 };
	unsigned int round, i;
	bool good = true;

	fake_probe(&probes, 1, TAP_PROBE_CALL, "call:x", 18, NULL, 0);
	srand(2);
	for (round = 0; round < 3000; round++) {
		struct tap_ring_head *head;
		struct tap_reader *r;
		struct tap_event ev;
		unsigned int steps = 0;
		__u64 sum = 0;
		struct fake f;

		fake_init(&f, 2, 4096, 8192 - 128);
		fake_time = 1;
		for (i = 0; i < 40; i++)
			fake_write(&f, i & 1, 1, 1 + i % 3, i);
		for (i = 0; i < 1 + round % 9; i++) {
			char *p = (char *)(uintptr_t)f.slots[rand() & 1];

			p[rand() % 4096] = (char)rand();
		}
		head = (void *)f.head[0];
		if (round % 7 == 0)
			head->head += (unsigned int)rand();
		r = open_reader(&f);
		tap_reader_drain(r, true);
		while (tap_reader_next(r, &ev) && ++steps < 10000) {
			if (tap_decode(&probes, &ev) || !ev.probe)
				continue;
			for (i = 0; i < 20; i++)
				sum += tap_event_word(&ev, i);
		}
		good &= steps <= 200 && sum != 1;
		tap_reader_close(r);
		fake_free(&f);
	}
	tap_probes_clear(&probes);
	ok(good, "3000 damaged rings are read to their end");
}

int main(void)
{
	test_numbers();
	test_strings();
	test_special();
	test_format_call();
	test_format_values();
	test_format_gap();
	test_notices();
	test_recent();
	test_times();
	test_write();
	test_epipe();
	test_decode();
	test_short();
	test_clock();
	test_meta();
	test_offsets();
	test_merge();
	test_drain();
	test_slack();
	test_blocked();
	test_batches();
	test_gaps();
	test_chunks();
	test_damage();
	return check_end();
}
