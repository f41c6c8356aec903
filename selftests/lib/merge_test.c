// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of tap merge, with sanitizers: three machines whose clocks are wrong and run at
 * changing rates. The events have the true time, so that the order and the stated errors can be
 * compared with it.
 */
#include "selftests/lib/fake_ring.h"

#include <math.h>
#include <unistd.h>

#include "merge/merge.h"
#include "selftests/lib/check.h"
#include "selftests/lib/story.h"
#include "selftests/lib/tmpfile.h"
#include "session/reader.h"
#include "util/util.h"

#define TOOL		"build/userspace-san/tap"
#define MACHINES	3
#define EVENTS		190000U
#define MS		1000000.0
#define SECOND		1e9
/* Mean time between two events of a machine. */
#define GAP		(20 * MS)
/* What adjtimex(2) reports: no clock is farther from the true time. */
#define SYNC		200000U
/* Greatest rate of NTP. */
#define SLEW		500e-6
#define START		1.7e18

/**
 * struct machine - the clocks of a machine
 * @f: its ring
 * @reader: of @f
 * @writer: its file
 * @now: true time, ns
 * @raw: of the session's clock
 * @raw_rate: raw nanoseconds in one of the true time
 * @wall: CLOCK_REALTIME less START
 * @slew: what NTP adds to the rate, up to @slew_end
 * @slew_end: true time
 * @sampled: raw time of the last sample
 */
struct machine {
	struct fake f;
	struct tap_reader *reader;
	struct tap_file_writer *writer;
	double now;
	double raw;
	double raw_rate;
	double wall;
	double slew;
	double slew_end;
	double sampled;
};

static char dir[] = "/tmp/tap-merge-test-XXXXXX";
static char paths[MACHINES][64];
static const char *names[MACHINES];
static __u64 seed = 7;

/* Between 0 and 1. */
static double part(void)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (double)(seed >> 11) / (double)(1ULL << 53);
}

/* NTP goes back to the true time before the clock is farther from it than @SYNC. */
static void set_slew(struct machine *m)
{
	double off = m->wall - m->now, most = 0.9 * SYNC;

	m->slew = (2 * part() - 1) * SLEW;
	m->slew_end = m->now + 0.2 * SECOND * part();
	if (fabs(off + (m->slew_end - m->now) * (m->slew + m->raw_rate - 1)) < most)
		return;
	/* Its raw clock is at most 100 ppm wrong. */
	m->slew = off > 0 ? -SLEW : SLEW;
}

static void pass(struct machine *m, double until)
{
	while (m->now < until) {
		double end = until < m->slew_end ? until : m->slew_end;
		double raw = (end - m->now) * m->raw_rate;

		m->raw += raw;
		m->wall += raw * (1 + m->slew);
		m->now = end;
		if (m->now >= m->slew_end)
			set_slew(m);
	}
}

static void write_sample(struct machine *m)
{
	const struct tap_time time = {
		.out_raw = (__u64)m->raw,
		.out_mono = (__u64)(m->wall + SECOND),
		.out_real = (__u64)START + (__u64)(m->wall + SECOND),
	};

	if (tap_file_time(m->writer, &time))
		abort();
	m->sampled = m->raw;
}

static void write_event(struct machine *m)
{
	struct tap_resv resv;
	struct tap_record *rec;

	fake_time = (__u64)m->raw;
	resv = tap_ring_reserve(&m->f.w[0], TAP_SLOT_SIZE);
	if (resv.pos & TAP_RESV_FAILED)
		abort();
	fake_fill(&m->f, 0, resv.pos, resv.time, 1, 1, 0);
	rec = tap_ring_slot(&m->f.w[0], resv.pos);
	rec->value[0] = (__u64)m->now;
	tap_ring_commit(rec, resv.pos);
}

static void drain(struct machine *m)
{
	const void *data;
	size_t len;
	__u64 pos;

	while (!tap_reader_chunk(m->reader, 0, &pos, &data, &len) && len)
		if (tap_file_data(m->writer, 0, pos, data, len) ||
		    tap_reader_release(m->reader, 0, len))
			abort();
}

static void record(struct machine *m, unsigned int events)
{
	unsigned int i;

	write_sample(m);
	for (i = 0; i < events; i++) {
		double next = m->now - GAP * log(1 - part());

		while (m->sampled + SECOND < m->raw + (next - m->now) * m->raw_rate) {
			pass(m, m->now + (m->sampled + SECOND - m->raw) / m->raw_rate);
			write_sample(m);
		}
		pass(m, next);
		write_event(m);
		if (i % 500 == 499)
			drain(m);
	}
	drain(m);
	write_sample(m);
}

/* @sync: the machine knows how true its clock is. */
static void make_file(unsigned int which, unsigned int events, bool sync)
{
	const struct tap_field field = FIELD("true", U64, 0, 1);
	struct tap_file_info info = { .size = sizeof(info), .nr_cpus = 1, .page_size = 4096 };
	struct tap_probes probes = { 0 };
	struct machine m = {
		.raw = 1e12 * which, .raw_rate = 1 + (which - 1.0) * 100e-6,
		.wall = (2 * part() - 1) * 0.9 * SYNC,
	};
	struct tap_error err;

	m.now = 0;
	set_slew(&m);
	fake_init(&m.f, 1, 1 << 16, 0);
	fake_probe(&probes, 1, TAP_PROBE_KPROBE, "kprobe:drv_event", 1, &field, 1);
	snprintf(info.nodename, sizeof(info.nodename), "node%u", which);
	if (tap_reader_open_memory(&m.reader, &m.f.meta, m.f.heads, m.f.tails, m.f.slots, NULL,
				   NULL) ||
	    tap_file_create(&m.writer, paths[which], &err) ||
	    tap_file_begin(m.writer, &info, &m.f.meta, &probes, NULL, &err))
		abort();
	record(&m, events);
	if ((sync && tap_file_sync(m.writer, SYNC)) || tap_file_finish(m.writer))
		abort();
	tap_reader_close(m.reader);
	tap_probes_clear(&probes);
	fake_free(&m.f);
}

/**
 * struct figures - what a merge was compared with
 * @pairs: of a certain event and the latest one of another file before it
 * @wrong: of them, in the other order
 * @far: events whose time is farther from the true one than stated
 * @worst: greatest share of the stated error that was needed
 */
struct figures {
	__u64 pairs;
	__u64 wrong;
	__u64 far;
	double worst;
};

static struct figures compare(struct merge *m)
{
	double latest[MACHINES] = { -1, -1, -1 };
	struct figures fig = { 0 };
	struct merge_source *s;
	bool uncertain;

	while ((s = merge_next(m, &uncertain))) {
		size_t which = (size_t)(s - m->sources), i;
		double now = (double)tap_event_word(&s->ev, 0);
		double off = (double)(__s64)(s->time - (__u64)START - (__u64)SECOND) - now;

		for (i = 0; i < m->nr && !uncertain; i++) {
			if (i == which || latest[i] < 0)
				continue;
			fig.pairs++;
			fig.wrong += latest[i] >= now;
		}
		fig.far += fabs(off) > (double)s->error;
		if (fabs(off) / (double)s->error > fig.worst)
			fig.worst = fabs(off) / (double)s->error;
		latest[which] = now;
	}
	return fig;
}

static void test_order(void)
{
	struct figures fig;
	struct tap_error err;
	struct merge m;
	unsigned int i;

	for (i = 0; i < MACHINES; i++)
		make_file(i, EVENTS, true);
	if (merge_open(&m, names, MACHINES, WALL_UNKNOWN, &err))
		abort();
	fig = compare(&m);
	printf("# %llu pairs, %llu of %llu events uncertain; at most %.2f of the stated error\n",
	       (unsigned long long)fig.pairs, (unsigned long long)m.uncertain,
	       (unsigned long long)m.events, fig.worst);
	check(m.events == MACHINES * EVENTS, "all events are there");
	check(fig.pairs > 1000000 && !fig.wrong, "the order of certain events is the true one");
	check(!fig.far, "no time is farther from the true one than stated");
	check(fig.worst > 0.5, "the stated errors are at most twice as large as needed");
	check(m.uncertain > 1000, "some events are uncertain");
	check(!strcmp(m.sources[2].label, "node2"), "a file has the name of its machine");
	merge_close(&m);
	if (merge_open(&m, names, MACHINES, 1000, &err))
		abort();
	fig = compare(&m);
	check(fig.far && fig.wrong, "with a skew that is too small the order is wrong");
	merge_close(&m);
}

static void test_unknown(void)
{
	const char *const twice[] = { paths[0], paths[0] };
	struct figures fig;
	struct tap_error err;
	struct merge m;

	make_file(0, 100, false);
	make_file(1, 100, true);
	if (merge_open(&m, names, 2, WALL_UNKNOWN, &err))
		abort();
	fig = compare(&m);
	check(!fig.pairs && m.events == 200, "without NTP no order is certain");
	merge_close(&m);
	if (merge_open(&m, names, 2, SYNC, &err))
		abort();
	fig = compare(&m);
	check(fig.pairs && !fig.wrong && !fig.far, "a given skew makes it certain");
	merge_close(&m);
	if (merge_open(&m, twice, 2, WALL_UNKNOWN, &err))
		abort();
	check(!strcmp(m.sources[0].label, paths[0]), "two files of one machine have their names");
	merge_close(&m);
}

/* Four samples a second apart; between the second and the third the clock was set by so much. */
static void write_set(double by)
{
	struct tap_file_info info = { .size = sizeof(info), .nr_cpus = 1, .page_size = 4096 };
	struct tap_probes probes = { 0 };
	struct tap_file_writer *w;
	struct tap_error err;
	struct fake f;
	unsigned int i;

	fake_init(&f, 1, 1 << 16, 0);
	fake_probe(&probes, 1, TAP_PROBE_KPROBE, "kprobe:drv_event", 1, NULL, 0);
	if (tap_file_create(&w, paths[0], &err) ||
	    tap_file_begin(w, &info, &f.meta, &probes, NULL, &err))
		abort();
	for (i = 0; i < 4; i++) {
		const struct tap_time time = {
			.out_raw = (__u64)(i * SECOND), .out_mono = (__u64)(i * SECOND),
			.out_real = (__u64)START + (__u64)(__s64)(i * SECOND + (i > 1 ? by : 0)),
		};

		if (tap_file_time(w, &time))
			abort();
	}
	if (tap_file_sync(w, 10) || tap_file_finish(w))
		abort();
	tap_probes_clear(&probes);
	fake_free(&f);
}

static void test_step(void)
{
	struct tap_file_reader *file;
	struct tap_error err;
	struct wall wall;
	__u64 error;

	write_set(5 * SECOND);
	if (tap_file_open(&file, paths[0], &err))
		abort();
	wall_open(&wall, file, WALL_UNKNOWN);
	check(wall_time(&wall, 500000000, &error) == (__u64)START + 500000000 && error > 250000 &&
	      error < 260000, "half a second behind a sample: 250 us");
	check(wall_time(&wall, 1000000000, &error) == (__u64)START + 1000000000 && error >= 5000000000,
	      "where the clock was set the error has the step");
	check(wall_time(&wall, 2000000000, &error) == (__u64)START + 7000000000 && error < 3000,
	      "at a sample behind it: that of the sample");
	check(wall_time(&wall, 5000000000, &error) == (__u64)START + 10000000000 && error > 2000000 &&
	      error < 2100000, "two seconds behind the last sample: 2 ms");
	check(wall_between(&wall) > 5000000000, "the greatest error between samples");
	tap_file_close(file);
	write_set(-5 * SECOND);
	if (tap_file_open(&file, paths[0], &err))
		abort();
	wall_open(&wall, file, WALL_UNKNOWN);
	check(wall_time(&wall, 1500000000, &error) == (__u64)START + 1500000000 && error >= 5000000000,
	      "where the clock was set back, too");
	check(wall_time(&wall, 2500000000, &error) == (__u64)START - 2500000000 && error < 260000,
	      "behind that the new time counts");
	tap_file_close(file);
}

static int run(const char *args, const char *out)
{
	return story_run(out, "%s merge %s", TOOL, args);
}

static void test_command(void)
{
	char args[256], out[64];

	make_file(0, 50, true);
	make_file(1, 50, false);
	snprintf(out, sizeof(out), "%s/out", dir);
	snprintf(args, sizeof(args), "%s %s --skew 0.0002", paths[0], paths[1]);
	check(!run(args, out) && story_has(out, "HOST  ") && story_has(out, " TIME CPU COMM ") &&
	      story_has(out, "\nnode0   ") && story_has(out, "\nnode1   "), "lines have the machine");
	check(story_has(out, "100 events of 2 files; ") && story_has(out, "the clock was within 0.200 ms"),
	      "the clocks and the sum");
	snprintf(args, sizeof(args), "%s %s", paths[0], paths[1]);
	check(!run(args, out) && story_has(out, "\nnode0 ~ ") && story_has(out, "was not synchronised"),
	      "an uncertain line is marked, with the reason");
	snprintf(args, sizeof(args), "--json -q %s %s", paths[0], paths[1]);
	check(!run(args, out) && story_has(out, "{\"host\":\"node0\",\"error_ns\":2") &&
	      story_has(out, "{\"host\":\"node1\",\"error_ns\":null,\"uncertain\":true,\"type\":\"event\",") &&
	      !story_has(out, "merge:"), "JSON");
	check(run(paths[0], out) == 2 && story_has(out, "give at least two files"), "one file: status 2");
	snprintf(args, sizeof(args), "--skew 0 %s %s", paths[0], paths[1]);
	check(run(args, out) == 2 && story_has(out, "--skew"), "a skew of 0: status 2");
	snprintf(args, sizeof(args), "%s /nonesuch", paths[0]);
	check(run(args, out) == 1 && story_has(out, "/nonesuch"), "a missing file: status 1");
	if (truncate(paths[1], 2000))
		abort();
	snprintf(args, sizeof(args), "%s %s", paths[0], paths[1]);
	check(run(args, out) == 1 && story_has(out, "the recording was cut"), "a file that was cut: status 1");
	unlink(out);
}

int main(void)
{
	unsigned int i;

	native_dir(dir);
	for (i = 0; i < MACHINES; i++) {
		snprintf(paths[i], sizeof(paths[i]), "%s/%u.tap", dir, i);
		names[i] = paths[i];
	}
	test_order();
	test_unknown();
	test_step();
	test_command();
	for (i = 0; i < MACHINES; i++)
		unlink(paths[i]);
	rmdir(dir);
	return check_end();
}
