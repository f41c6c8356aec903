// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of the report of tap why: seeded calls whose division is known, live from a ring and
 * from a file. What the report says is compared with sums of the test's own. Built with sanitizers.
 */
#include <errno.h>
#include <unistd.h>

#include "selftests/lib/fake_ring.h"
#include "selftests/lib/fake_symbols.h"
#include "selftests/lib/check.h"
#include "selftests/lib/corrupt.h"
#include "selftests/lib/file_sums.h"
#include "session/reader.h"
#include "why/causes.h"
#include "why/slowest.h"
#include "why/waits.h"
#include "why/why.h"

#define CALLS		5000
/* Damaged copies of a file of fewer calls. */
#define DAMAGED		1500
#define FEW_CALLS	40
#define ROWS		7
#define STACKS		12
#define RING		(16U << 20)
/* Ticks of a third of a nanosecond: sums in nanoseconds must be rounded. */
#define SHIFT		32
#define MULT		1431655765U

enum { CALL = 1, SPAN, PLAIN };

#define DIVISION_WORDS	(sizeof(struct tap_division) / 8)
#define STACK_WORDS	(1 + TAP_WAIT_FRAMES)
/* Words of a call: duration, return value, comm, absent, why, both stacks. */
enum {
	W_COMM = 2, W_ABSENT = 4, W_WHY = 5, W_WAIT = W_WHY + DIVISION_WORDS,
	W_WAKER = W_WAIT + STACK_WORDS, WORDS = W_WAKER + STACK_WORDS,
};

static char dir[] = "/tmp/tap-why-test-XXXXXX";
static char path[64];

static const char kallsyms[] =
	"ffffffff81000000 T _stext\n"
	"ffffffff81000100 T __schedule\n"
	"ffffffff81000200 T mutex_lock\n"
	"ffffffff81000300 T wait_for_completion\n"
	"ffffffff81000400 T ksys_ioctl\n"
	"ffffffff81000500 T last_function\n"
	"ffffffffc0000000 t drv_ioctl\t[drv]\n"
	"ffffffffc0000100 t drv_start\t[drv]\n";

#define K(n)		(0xffffffff81000010ULL + 0x100 * (n))
#define DRV(n)		(0xffffffffc0000010ULL + 0x100 * (n))

/**
 * struct known - what the records say
 * @sum: by cause
 * @max: by cause
 * @largest: by cause
 * @calls: number of calls
 * @duration: sum
 * @durations: of each call
 * @waits: by stack, and lock or sleep: sum, number
 */
struct known {
	__u64 sum[NR_CAUSES];
	__u64 max[NR_CAUSES];
	__u64 largest[NR_CAUSES];
	__u64 calls;
	__u64 duration;
	__u64 durations[CALLS];
	struct { __u64 sum, nr; } waits[STACKS];
	__u64 waited;
	__u64 endless;
};

static struct fake fake;
static struct tap_probes probes;
static struct known known;
static __u64 seed = 20;

static unsigned int below(unsigned int n)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned int)(seed >> 33) % n;
}

static void fill_probes(void)
{
	const struct tap_field call[] = {
		FIELD("comm", COMM, W_COMM, 2, .flags = TAP_FIELD_F_HIDDEN),
		FIELD("absent", X64, W_ABSENT, 1, .flags = TAP_FIELD_F_ABSENT),
		FIELD("why", DIVISION, W_WHY, DIVISION_WORDS),
		FIELD("wait.stack", KSTACK, W_WAIT, STACK_WORDS, .flags = TAP_FIELD_F_WAIT, .output = 1),
		FIELD("waker.stack", KSTACK, W_WAKER, STACK_WORDS, .flags = TAP_FIELD_F_WAIT, .output = 2),
	};
	const struct tap_field span[] = {
		FIELD("absent", X64, W_ABSENT, 1, .flags = TAP_FIELD_F_ABSENT),
		FIELD("duration", DURATION, 0, 1, .flags = TAP_FIELD_F_HIDDEN),
		FIELD("why", DIVISION, W_WHY, DIVISION_WORDS),
	};
	const struct tap_field plain[] = { FIELD("a", U64, 0, 1) };

	fake_probe(&probes, CALL, TAP_PROBE_CALL, "call:drv_ioctl", WORDS, call, ARRAY_SIZE(call));
	fake_probe(&probes, SPAN, TAP_PROBE_SPAN, "span:s", W_WAIT, span, ARRAY_SIZE(span));
	fake_probe(&probes, PLAIN, TAP_PROBE_KPROBE, "kprobe:plain", 1, plain, 1);
}

static void set_words(__u64 pos, unsigned int i, const void *words, unsigned int nr)
{
	const __u64 *from = words;
	unsigned int k;

	for (k = 0; k < nr; k++)
		fake_set_word(&fake, 0, pos, i + k, from[k]);
}

/* Reserves a record of zeros. */
static __u64 reserve(unsigned int probe)
{
	const struct tap_probe *p = tap_probes_find(&probes, probe);
	struct tap_resv resv = tap_ring_reserve(&fake.w[0], p->slots * TAP_SLOT_SIZE);
	unsigned int i;

	if (resv.pos & TAP_RESV_FAILED)
		abort();
	fake_fill(&fake, 0, resv.pos, resv.time, probe, p->slots, 0);
	for (i = 0; i < p->words; i++)
		fake_set_word(&fake, 0, resv.pos, i, 0);
	return resv.pos;
}

static void commit(__u64 pos)
{
	tap_ring_commit(tap_ring_slot(&fake.w[0], pos), pos);
	fake_time += 1000;
}

static void add(unsigned int cause, __u64 ticks)
{
	known.sum[cause] += ticks;
	if (ticks > known.max[cause])
		known.max[cause] = ticks;
}

/* The stack number @n: drv_start is in each second one. */
static void fill_stack(__u64 words[STACK_WORDS], unsigned int n)
{
	unsigned int i = 1;

	memset(words, 0, STACK_WORDS * sizeof(*words));
	words[i++] = K(1);
	words[i++] = K(2 + n % 2) + n;
	if (n & 1)
		words[i++] = DRV(1);
	words[i++] = DRV(0);
	words[i++] = K(4);
	words[0] = 8 * (i - 1);
}

/* A call whose parts are random; some are in no part, some not divided, some did not return. */
static void write_call(unsigned int probe)
{
	__u64 pos = reserve(probe), rest = below(1000) ? 0 : 77, duration = rest, most = 0;
	struct tap_record *rec = tap_ring_slot(&fake.w[0], pos);
	struct tap_division d = { .waker_tid = 7, .waker_comm = "irq/33" };
	unsigned int i, largest = 0, stack = below(STACKS), kind = below(50);
	__u64 words[STACK_WORDS];

	for (i = 0; i < TAP_NR_PARTS; i++) {
		d.part[i] = below(3) ? below(1U << (4 + below(20))) : 0;
		duration += d.part[i];
		if (!i || d.part[i] > most) {
			most = d.part[i];
			largest = i;
		}
	}
	if (rest > most)
		largest = CAUSE_UNACCOUNTED;
	d.wait_part = stack & 1 ? TAP_PART_LOCK : TAP_PART_SLEEP;
	d.wait = below(4) ? d.part[d.wait_part] : 0;
	fake_set_word(&fake, 0, pos, 0, duration);
	set_words(pos, W_WHY, &d, DIVISION_WORDS);
	fill_stack(words, stack);
	if (probe == CALL && d.wait)
		set_words(pos, W_WAIT, words, STACK_WORDS);
	if (probe == CALL && kind == 0) {
		rec->flags = TAP_F_NO_RETURN;
		known.endless++;
		commit(pos);
		return;
	}
	known.durations[known.calls++] = duration;
	known.duration += duration;
	if (kind == 1) {
		/* In an NMI. */
		rec->flags = TAP_F_ABSENT;
		fake_set_word(&fake, 0, pos, W_ABSENT, 1);
		add(CAUSE_NOT_DIVIDED, duration);
		known.largest[CAUSE_NOT_DIVIDED]++;
	} else if (kind == 2) {
		/* Only a damaged file has this. */
		d.part[0] = ~0ULL;
		set_words(pos, W_WHY, &d, DIVISION_WORDS);
		add(CAUSE_NOT_DIVIDED, duration);
		known.largest[CAUSE_NOT_DIVIDED]++;
	} else {
		for (i = 0; i < TAP_NR_PARTS; i++)
			add(i, d.part[i]);
		add(CAUSE_UNACCOUNTED, rest);
		known.largest[largest]++;
	}
	if (kind != 1 && kind != 2) {
		known.waited += d.wait;
		if (d.wait && probe == CALL) {
			known.waits[stack].sum += d.wait;
			known.waits[stack].nr++;
		}
	}
	commit(pos);
}

static void write_all(unsigned int nr)
{
	unsigned int i;
	__u64 pos;

	for (i = 0; i < nr; i++) {
		write_call(i % 10 ? CALL : SPAN);
		if (!(i % 100)) {
			pos = reserve(PLAIN);
			commit(pos);
		}
	}
}

/* ------------------------------------------------------------ reading back */

static char *json, *text, *from_file;

static const char *after(const char *from, const char *what)
{
	const char *at = from ? strstr(from, what) : NULL;

	return at ? at + strlen(what) : NULL;
}

/* A number in the first line of the report that has @line. */
static __u64 number(const char *line, const char *name)
{
	const char *at = after(after(json, line), name);

	return at ? strtoull(at, NULL, 10) : ~0ULL;
}

static __u64 ns(__u64 ticks)
{
	return (__u64)(((unsigned __int128)ticks * MULT) >> SHIFT);
}

static void test_causes(void)
{
	__u64 sum = 0, largest = 0, got;
	bool near = true, max = true, in = true;
	char line[64];
	unsigned int i;

	ok(number("\"type\":\"calls\"", "\"calls\":") == known.calls, "all calls are in the report");
	ok(number("\"type\":\"calls\"", "\"duration_ns\":") == ns(known.duration), "and their durations");
	ok(number("\"type\":\"calls\"", "\"did_not_return\":") == known.endless && known.endless,
	   "those that did not return are counted apart");
	for (i = 0; i < NR_CAUSES; i++) {
		snprintf(line, sizeof(line), "\"cause\":\"%s\",", cause_name(i));
		got = number(line, "\"sum_ns\":");
		sum += got;
		near &= got <= ns(known.sum[i]) + 1 && got + 1 >= ns(known.sum[i]);
		max &= number(line, "\"max_ns\":") == ns(known.max[i]);
		in &= number(line, "\"largest_in\":") == known.largest[i];
		largest += known.largest[i];
	}
	ok(near, "the sum of each cause");
	ok(sum == ns(known.duration), "the causes add up to the duration, to the nanosecond");
	ok(max, "the most of each cause in a call");
	ok(in && largest == known.calls, "of how many calls it is the largest part");
	ok(known.sum[CAUSE_UNACCOUNTED] && known.sum[CAUSE_NOT_DIVIDED], "among them what is in no part");
}

static int descending(const void *x, const void *y)
{
	const __u64 *a = x, *b = y;

	return (*a < *b) - (*a > *b);
}

static void test_slowest(void)
{
	const char *at = json;
	bool right = true;
	unsigned int i;

	qsort(known.durations, known.calls, sizeof(*known.durations), descending);
	for (i = 0; i < ROWS; i++) {
		at = after(at, "{\"type\":\"event\"");
		at = after(at, "\"duration_ns\":");
		right &= at && strtoull(at, NULL, 10) == ns(known.durations[i]);
	}
	ok(right && !after(at, "{\"type\":\"event\""), "the slowest calls, the slowest first, and no others");
	ok(after(json, "\"why\":{\"run\":") && after(text, "\n        longest wait "),
	   "each with its division");
}

static void test_waits(void)
{
	unsigned int i, nr = 0, found = 0;
	const char *at = json, *stack;
	__u64 before = ~0ULL, got;
	bool sorted = true, right = true;
	char word[64];

	while ((at = after(at, "{\"type\":\"wait\"")) && ++nr <= ROWS) {
		got = strtoull(after(at, "\"sum_ns\":"), NULL, 10);
		sorted &= got <= before;
		before = got;
		stack = after(at, "\"stack\":");
		/* Spans have no stack here. */
		found += !strncmp(stack, "[]", 2);
		/* Each stack has another offset in its second function. */
		for (i = 0; i < STACKS; i++) {
			snprintf(word, sizeof(word), "[\"__schedule+0x10\",\"%s+0x%x\"",
				 i & 1 ? "wait_for_completion" : "mutex_lock", 0x10 + i);
			if (!strncmp(stack, word, strlen(word)))
				right &= ++found && got == ns(known.waits[i].sum) &&
					 strtoull(after(at, "\"count\":"), NULL, 10) == known.waits[i].nr;
		}
	}
	ok(nr == ROWS + 1 && !strncmp(after(json, "\"part\":null"), ",\"sum_ns\":", 10),
	   "stacks of waits, and one row for the others");
	ok(sorted && right && found == ROWS, "with their sums and numbers, the greatest first");
	ok(strstr(text, " mutex_lock < drv_ioctl < ksys_ioctl\n") ||
	   strstr(text, " wait_for_completion < drv_start < drv_ioctl < ksys_ioctl\n"),
	   "as text in one line, without the scheduler");
}

/* The table is full: the rest is one row, and no wait is missing. */
static void test_room(void)
{
	struct tap_division d = { .wait = 3, .wait_part = TAP_PART_IO };
	struct tap_field field = FIELD("wait.stack", KSTACK, 0, STACK_WORDS, .flags = TAP_FIELD_F_WAIT);
	struct tap_probe probe = {
		.absent_word = -1, .entry_absent_word = -1, .from_absent_word = -1,
		.spec = { .type = TAP_PROBE_CALL, .fields = &field, .nr_fields = 1 },
	};
	struct tap_slot slots[8] = { 0 };
	struct tap_record *rec = (void *)slots;
	struct tap_event ev = {
		.rec = rec, .probe = &probe, .data = slots, .mask = ~0ULL, .slots = 8, .time = 5,
	};
	struct waits w;
	struct wait rest;
	unsigned int i;

	if (waits_open(&w))
		abort();
	rec->value[0] = 8;
	for (i = 0; i < WAITS_MAX + 100; i++) {
		rec->value[1] = i;
		if (waits_add(&w, &ev, &d))
			abort();
	}
	rec->value[1] = 50;
	d.wait = 1000;
	ev.time = 6;
	waits_add(&w, &ev, &d);
	ok(w.nr == WAITS_MAX && w.rest.nr == 100 && w.rest.sum == 300, "a full table of stacks");
	waits_sort(&w);
	ok(w.list[0].words[1] == 50 && w.list[0].sum == 1003 && w.list[0].nr == 2 &&
	   w.list[0].max == 1000 && w.list[0].time == 6, "a known stack still counts");
	ok(waits_rest(&w, 1, &rest) == WAITS_MAX - 1, "the others");
	ok(w.list[0].sum + rest.sum == w.sum && rest.nr == WAITS_MAX - 1 + 100, "all waits are in some row");
	waits_close(&w);
}

static void test_overflow(void)
{
	struct causes causes = { 0 };

	ok(!causes_add(&causes, NULL, ~0ULL - 1) && !causes_add(&causes, NULL, 1) &&
	   causes_add(&causes, NULL, 1) == -EOVERFLOW && causes.calls == 2,
	   "durations whose sum overflows are refused");
}

static char *print(struct why *why, const struct tap_formatter_opts *format,
		   struct tap_file_reader *file, bool as_json)
{
	struct why_out out = { .format = *format, .file = file, .lost = 3 };
	size_t len;
	char *report;

	out.format.size = sizeof(out.format);
	out.format.json = as_json;
	out.to = open_memstream(&report, &len);
	if (why_print(why, &out))
		abort();
	fclose(out.to);
	return report;
}

static int resolve(const void *syms, __u64 addr, char *buf, size_t len)
{
	return tap_symbols_lookup(syms, addr, buf, len);
}

/* Writes the data of the ring into a file. The writer of the ring does not notice. */
static void save(struct tap_symbols *syms)
{
	struct tap_file_info info = { .size = sizeof(info), .nr_cpus = 1, .page_size = 4096 };
	struct tap_file_writer *w;
	struct tap_reader *r;
	struct tap_error err;
	const void *data;
	size_t len;
	__u64 pos;

	if (tap_reader_open_memory(&r, &fake.meta, fake.heads, fake.tails, fake.slots, NULL, NULL) ||
	    tap_file_create(&w, path, &err) ||
	    tap_file_begin(w, &info, &fake.meta, &probes, syms, &err))
		abort();
	while (!tap_reader_chunk(r, 0, &pos, &data, &len) && len)
		if (tap_file_data(w, 0, pos, data, len) || tap_reader_release(r, 0, len))
			abort();
	if (tap_file_finish(w))
		abort();
	tap_reader_close(r);
	fake.tail[0].tail = 0;
}

static void report_ring(struct tap_symbols *syms)
{
	struct tap_formatter_opts format = {
		.probes = &probes, .resolve = resolve, .resolve_arg = syms,
	};
	struct tap_reader *r;
	struct tap_error err;
	struct tap_event ev;
	struct why *why, *twice;

	if (tap_reader_open_memory(&r, &fake.meta, fake.heads, fake.tails, fake.slots, NULL, NULL) ||
	    why_open(&why, &probes, ROWS, &err) || why_open(&twice, &probes, ROWS, &err))
		abort();
	tap_reader_drain(r, true);
	while (tap_reader_next(r, &ev))
		if (tap_decode(&probes, &ev) || why_event(why, &ev) || why_event(twice, &ev))
			abort();
	format.timebase = tap_reader_timebase(r);
	json = print(why, &format, NULL, true);
	text = print(twice, &format, NULL, false);
	why_close(why);
	why_close(twice);
	tap_reader_close(r);
}

/* Draws the waits of a file; returns the sum of its folded stacks. */
static __u64 drawn(struct why *why, const struct tap_formatter_opts *format,
		   struct tap_file_reader *file)
{
	struct why_out out = { .format = *format, .file = file };
	char name[80], line[512];
	bool locks = false;
	__u64 sum = 0;
	FILE *f;

	snprintf(name, sizeof(name), "%s/w.folded", dir);
	if (!why_draw(why, &out, name))
		return 0;
	f = fopen(name, "r");
	while (f && fgets(line, sizeof(line), f)) {
		sum += strtoull(strrchr(line, ' '), NULL, 10);
		locks |= !strncmp(line, "lock;ksys_ioctl_[k];drv_ioctl_[k];drv_start_[k];", 48);
	}
	if (f)
		fclose(f);
	unlink(name);
	return locks ? sum : 0;
}

static void report_file(void)
{
	struct tap_formatter_opts format = { .size = sizeof(format) };
	struct tap_file_reader *file;
	struct tap_error err;
	struct tap_event ev;
	struct why *why;
	__u64 sum;

	if (tap_file_open(&file, path, &err) || tap_file_names(file, &format) ||
	    why_open(&why, tap_file_probes(file), ROWS, &err))
		abort();
	ok(why_knows(tap_file_probes(file)), "the file has divisions");
	while (tap_file_next(file, &ev))
		if (tap_decode(tap_file_probes(file), &ev) || why_event(why, &ev))
			abort();
	from_file = print(why, &format, file, true);
	sum = drawn(why, &format, file);
	/* Each stack, and those of spans, are rounded down. */
	ok(sum <= ns(known.waited) && sum + STACKS + 2 >= ns(known.waited),
	   "the graph has all waits, by part and by stack");
	why_close(why);
	tap_file_close(file);
}

/* Reports a damaged file, if it opens; returns whether it had a report. */
static bool report_damaged(void)
{
	struct tap_formatter_opts format = { .size = sizeof(format) };
	struct tap_file_reader *file;
	struct tap_error err;
	struct tap_event ev;
	struct why *why = NULL;
	bool any = false;
	int ret;

	if (tap_file_open(&file, path, &err))
		return false;
	ret = tap_file_names(file, &format);
	if (!ret && why_knows(tap_file_probes(file)))
		ret = why_open(&why, tap_file_probes(file), ROWS, &err);
	while (why && !ret && tap_file_next(file, &ev))
		if (!tap_decode(tap_file_probes(file), &ev))
			ret = why_event(why, &ev);
	if (why && !ret) {
		free(print(why, &format, file, rand() & 1));
		drawn(why, &format, file);
		any = true;
	}
	why_close(why);
	tap_file_close(file);
	return any;
}

static void test_damage(struct tap_symbols *syms)
{
	unsigned int i, k, reports = 0;
	char *data, *damaged;
	size_t size;

	fake_free(&fake);
	fake_init(&fake, 1, RING, 0);
	write_all(FEW_CALLS);
	save(syms);
	data = damage_load(path, &size);
	damaged = malloc(size);
	srand(24);
	for (i = 0; i < DAMAGED && damaged; i++) {
		memcpy(damaged, data, size);
		for (k = 0; k <= i % 6; k++)
			damage_at(damaged, size, (size_t)rand() % size);
		file_resum(damaged, size);
		damage_store(path, damaged, size);
		reports += report_damaged();
	}
	printf("# %u of %u damaged files had a report\n", reports, DAMAGED);
	ok(reports > DAMAGED / 4, "damaged files are reported, or refused");
	free(damaged);
	free(data);
}

static void test_none(void)
{
	const struct tap_field plain[] = { FIELD("a", U64, 0, 1) };
	struct tap_probes none = { 0 };

	fake_probe(&none, PLAIN, TAP_PROBE_CALL, "call:plain", 4, plain, 1);
	ok(!why_knows(&none), "calls that are not divided have no report");
	tap_probes_clear(&none);
}

int main(void)
{
	struct tap_symbols *syms;

	if (!mkdtemp(dir))
		abort();
	snprintf(path, sizeof(path), "%s/f.tap", dir);
	fake_init(&fake, 1, RING, 0);
	fake.meta.clock = TAP_CLOCK_TSC;
	fake.meta.clock_mult = MULT;
	fake.meta.clock_shift = SHIFT;
	fill_probes();
	syms = load_symbols(dir, kallsyms);
	write_all(CALLS);
	save(syms);
	report_ring(syms);
	report_file();
	test_causes();
	test_slowest();
	test_waits();
	ok(same(from_file, json), "the report of a file is the live one");
	ok(strstr(json, "\"lost\":3") && strstr(text, "\nevents that were lost, and are missing here: 3\n"), "losses are reported");
	test_room();
	test_overflow();
	test_none();
	test_damage(syms);
	free(json);
	free(text);
	free(from_file);
	unlink(path);
	rmdir(dir);
	tap_symbols_free(syms);
	tap_probes_clear(&probes);
	fake_free(&fake);
	return check_end();
}
