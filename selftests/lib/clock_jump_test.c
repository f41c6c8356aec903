// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of a session whose clock jumps: when that is a jump, what the rings then have, and
 * how readers of rings and files join the times. Built with sanitizers.
 */
#include <errno.h>
#include <unistd.h>

#include "selftests/lib/check.h"
#include "selftests/lib/fake_ring.h"
#include "selftests/lib/tmpfile.h"

#include "module/common/clock_jump.h"
#include "session/reader.h"

#define SECOND	1000000000ULL
/* The clock restarts after 5000 seconds; the machine slept for an hour. */
#define BEFORE	(5000 * SECOND)
#define SLEPT	(3600 * SECOND)
#define AFTER	(SECOND / 100)
#define TICKS	(SLEPT - (AFTER - BEFORE))

static char dir[] = "/tmp/clock_jump_test.XXXXXX";
static char path[64];

static __u64 reader_time;

static __u64 reader_now(void *arg)
{
	(void)arg;
	return reader_time;
}

static void test_when(void)
{
	static const struct {
		__u64 before, after, passed;
		int jumped;
		__u64 ticks;
		const char *what;
	} cases[] = {
		{ BEFORE, BEFORE + SECOND, SECOND, 0, 0, "a clock that goes on" },
		{ BEFORE, BEFORE + 100 * SECOND, 101 * SECOND, 0, 0, "one second more is no jump" },
		{ BEFORE, BEFORE + SLEPT, SLEPT + SLEPT / 100, 0, 0, "nor another rate" },
		{ BEFORE, BEFORE - 900000, 0, 0, 0, "nor the difference of two CPUs" },
		{ BEFORE, AFTER, SLEPT, 1, TICKS, "a clock that restarted" },
		{ BEFORE, BEFORE - 2000000, 1000, 1, 2001000, "a clock that went back" },
		{ BEFORE, BEFORE + 1000, SLEPT, 1, SLEPT - 1000, "a clock that stood still" },
		{ BEFORE, BEFORE + SLEPT, SECOND, 1, 0, "a clock that went ahead is not set back" },
	};
	__u64 ticks;
	size_t i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		ret = tap_clock_jump(cases[i].before, cases[i].after, cases[i].passed, SECOND,
				     &ticks);
		ok(ret == cases[i].jumped && (!ret || ticks == cases[i].ticks), cases[i].what);
	}
}

/* The n-th record of a CPU, at a raw time. */
static bool write_at(struct fake *f, unsigned int cpu, __u64 time, unsigned int slots,
		     unsigned int n)
{
	fake_time = time;
	return fake_write(f, cpu, 1, slots, n);
}

static void jump(struct fake *f, unsigned int cpu)
{
	fake_time = AFTER;
	tap_ring_jumped(&f->w[cpu], 1, BEFORE, AFTER, TICKS);
}

/**
 * struct seen - what a reader gave
 * @last: time of the last event
 * @events: number of events
 * @jumps: number of TAP_NOTICE_CLOCK
 * @lost: by gap records
 * @ordered: no time was before the one before it
 * @right: the time of each event is the time that passed since @BEFORE - one second
 */
struct seen {
	__u64 last;
	unsigned int events;
	unsigned int jumps;
	unsigned int lost;
	bool ordered;
	bool right;
};

/* The raw times of write_session() and write_more(), joined. */
static __u64 right_time(const struct tap_record *rec)
{
	return rec->time + (rec->time < BEFORE / 2 ? TICKS : 0);
}

static void look(struct seen *seen, const struct tap_event *ev)
{
	seen->ordered &= ev->time >= seen->last;
	seen->last = ev->time;
	if (ev->rec->kind == TAP_KIND_EVENT) {
		seen->events++;
		/* Those before the notice only go on. */
		seen->right &= ev->rec->time < AFTER || ev->time == right_time(ev->rec);
	} else if (ev->rec->kind == TAP_KIND_GAP) {
		seen->lost += (unsigned int)ev->rec->value[TAP_GAP_LOST];
	} else {
		seen->jumps += ev->rec->value[TAP_NOTICE_WHAT] == TAP_NOTICE_CLOCK &&
			       ev->rec->value[TAP_NOTICE_SINCE] == BEFORE &&
			       ev->rec->value[TAP_NOTICE_COUNT] == AFTER;
	}
}

/*
 * Four CPUs. CPU 0 resumes the machine: it has records between the restart of its clock and the
 * notice. The ring of CPU 2 is full when the clock jumps. CPU 3 has no record before.
 */
static unsigned int write_session(struct fake *f)
{
	unsigned int n, written = 0;

	for (n = 0; n < 5; n++) {
		written += write_at(f, 0, BEFORE - SECOND + n * 1000, 1, n);
		written += write_at(f, 1, BEFORE - SECOND + n * 1000 + 500, 3, n);
	}
	for (n = 0; write_at(f, 2, BEFORE - SECOND + n, 1, n); n++)
		written++;
	for (n = 0; n < 3; n++)
		written += write_at(f, 0, AFTER / 2 + n * 1000, 1 + n % 2, n);
	for (n = 0; n < 4; n++)
		jump(f, n);
	return written;
}

static unsigned int write_more(struct fake *f)
{
	unsigned int cpu, n, written = 0;

	for (n = 0; n < 4; n++)
		for (cpu = 0; cpu < 4; cpu++)
			written += write_at(f, cpu, 2 * AFTER + n * 4000 + cpu * 1000, 1, n);
	return written;
}

static void open_fake(struct fake *f, struct tap_reader **r)
{
	fake_init(f, 4, 4096, 4096 * 3);
	if (tap_reader_open_memory(r, &f->meta, f->heads, f->tails, f->slots, reader_now, NULL))
		abort();
}

static void test_live(void)
{
	struct tap_reader_counts counts = { .size = sizeof(counts) };
	struct seen seen = { .ordered = true, .right = true };
	unsigned int written;
	struct tap_reader *r;
	struct tap_event ev;
	struct fake f;

	open_fake(&f, &r);
	written = write_session(&f);
	ok(f.w[2].head->lost == 1 && f.w[0].head->clock == TICKS &&
	   !tap_ring_unreported(&f.w[0]), "a jump is no loss");
	/* The clock of the machine is small now. */
	reader_time = AFTER + 2000000;
	while (tap_reader_next(r, &ev))
		look(&seen, &ev);
	ok(seen.events == written, "all records from before the jump are final after it");
	ok(seen.ordered && seen.right, "they are in order");
	ok(seen.jumps == 1, "the jump is reported once");
	written += write_more(&f);
	ok(tap_ring_peek(f.slots[2], 4095, f.tail[2].tail)->kind == TAP_KIND_NOTICE,
	   "a ring that was full has the notice before its next record");
	reader_time = 3 * AFTER;
	while (tap_reader_next(r, &ev))
		look(&seen, &ev);
	ok(seen.events == written && seen.jumps == 1 && seen.lost == 1, "then all records after it");
	ok(seen.ordered && seen.right && seen.last == right_time(ev.rec),
	   "their times go on by the time that passed");
	tap_reader_counts(r, &counts);
	ok(!counts.disordered && !counts.skipped, "none is counted as disordered");
	tap_reader_close(r);
	fake_free(&f);
}

/* How a file gets its records: as they are in the rings, compressed, or one by one. */
enum way { RAW, PACKED, EVENTS };

static void drain(struct tap_reader *r, struct tap_file_writer *w, enum way way)
{
	struct tap_event ev;
	unsigned int cpu;
	const void *data;
	size_t len;
	__u64 pos;

	while (way == EVENTS && tap_reader_next(r, &ev))
		if (tap_file_event(w, &ev))
			abort();
	if (way == EVENTS)
		return;

	for (cpu = 0; cpu < 4; cpu++)
		while (!tap_reader_chunk(r, cpu, &pos, &data, &len) && len)
			if (tap_file_data(w, cpu, pos, data, len) ||
			    tap_reader_release(r, cpu, len))
				abort();
}

static void test_file(enum way way)
{
	static const struct tap_field fields[] = { FIELD("a", U64, 0, 1) };
	struct tap_reader_counts counts = { .size = sizeof(counts) };
	struct tap_keep_counts kept = { .size = sizeof(kept), .not_kept = 7 }, got = { .size = sizeof(got) };
	struct tap_file_info info = { .size = sizeof(info), .nr_cpus = 4, .page_size = 4096 };
	struct seen seen = { .ordered = true, .right = true };
	struct tap_probes probes = { 0 };
	struct tap_file_reader *file;
	struct tap_file_writer *w;
	struct tap_error err;
	unsigned int written;
	struct tap_reader *r;
	struct tap_event ev;
	struct fake f;

	fake_probe(&probes, 1, TAP_PROBE_KPROBE, "kprobe:f", 1, fields, 1);
	open_fake(&f, &r);
	if (tap_file_create(&w, path, &err) || (way == PACKED && tap_file_compress(w)) ||
	    tap_file_begin(w, &info, &f.meta, &probes, NULL, &err))
		abort();
	if (way == EVENTS)
		tap_reader_all_jumps(r);
	written = write_session(&f);
	reader_time = AFTER + 2000000;
	drain(r, w, way);
	written += write_more(&f);
	reader_time = 3 * AFTER;
	drain(r, w, way);
	if (way == EVENTS && tap_file_keep(w, &kept))
		abort();
	if (tap_file_finish(w) || tap_file_open(&file, path, &err))
		abort();
	while (tap_file_next(file, &ev))
		look(&seen, &ev);
	ok(!tap_file_cut(file) && seen.events == written && seen.lost == 1,
	   "a file over the jump is read to its end");
	ok(seen.ordered && seen.right, "its events are in order");
	ok(seen.jumps == 1, "it reports the jump once");
	tap_file_counts(file, &counts);
	ok(!counts.disordered && !counts.skipped, "none of its events is disordered");
	ok(tap_file_get_keep(file, &got) == (way == EVENTS ? 0 : -ENOENT) &&
	   got.not_kept == (way == EVENTS ? 7 : 0), "the counts of kept events, if there are any");
	tap_file_close(file);
	tap_reader_close(r);
	tap_probes_clear(&probes);
	fake_free(&f);
	unlink(path);
}

/* An interrupt takes the last room of a ring between the jump and the next record. */
static void test_interrupted(void)
{
	struct tap_resv resv;
	struct fake f;
	unsigned int n;

	fake_init(&f, 1, 4096, 0);
	for (n = 0; n < 63; n++)
		write_at(&f, 0, BEFORE, 1, n);
	/* One slot is left: the notice takes it. */
	jump(&f, 0);
	ok(f.w[0].head->head == 4096 && !tap_ring_jump_due(&f.w[0]),
	   "the notice takes the last slot");
	tap_ring_jumped(&f.w[0], 2, AFTER, 2 * AFTER, 0);
	resv = tap_ring_reserve(&f.w[0], TAP_SLOT_SIZE);
	ok(resv.pos & TAP_RESV_FAILED && tap_ring_jump_due(&f.w[0]),
	   "a second one waits for room, and so does the next record");
	f.tail[0].tail = 64;
	resv = tap_ring_reserve(&f.w[0], TAP_SLOT_SIZE);
	ok(resv.pos & TAP_RESV_FAILED, "a slot is not enough for it, a gap record and the record");
	f.tail[0].tail = 192;
	resv = tap_ring_reserve(&f.w[0], TAP_SLOT_SIZE);
	ok(resv.pos == 4096 + 128 && !tap_ring_jump_due(&f.w[0]) &&
	   fake_record(&f, 0, 4096)->kind == TAP_KIND_NOTICE &&
	   fake_record(&f, 0, 4096)->value[TAP_NOTICE_SIZE] == 0 &&
	   fake_record(&f, 0, 4096 + 64)->kind == TAP_KIND_GAP &&
	   fake_record(&f, 0, 4096 + 64)->value[TAP_GAP_LOST] == 2,
	   "with three slots: notice, gap record, record");
	fake_free(&f);
}

int main(void)
{
	native_dir(dir);
	snprintf(path, sizeof(path), "%s/file", dir);
	test_when();
	test_live();
	test_file(RAW);
	test_file(PACKED);
	test_file(EVENTS);
	test_interrupted();
	rmdir(dir);
	return check_end();
}
