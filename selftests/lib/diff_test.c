// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of tap diff, with sanitizers: its statistics, pairs of files of the same load and with
 * one slower function, a change of a trace for each finding, losses, and the command.
 */
#include "selftests/lib/fake_ring.h"

#include <errno.h>
#include <math.h>
#include <unistd.h>

#include "selftests/lib/check.h"
#include "selftests/lib/fake_symbols.h"
#include "selftests/lib/story.h"
#include "diff/diff.h"
#include "util/util.h"

/* With sanitizers, and without: these need more memory than is to be shown. */
#define TOOL		"build/userspace-san/tap"
#define PLAIN_TOOL	"build/userspace/tap"
#define PAIRS	50
/* Calls of each function in a file. */
#define CALLS	10000
#define MOST	(4 * CALLS)
#define PERIOD	20000ULL

enum { WIDE = 1, HEAVY, BIMODAL, CORRELATED, FUNCTIONS };
enum { XMIT = 1, OPEN, IRQ, STORY };

static const char *const functions[] = {
	[WIDE] = "call:wide", [HEAVY] = "call:heavy", [BIMODAL] = "call:bimodal",
	[CORRELATED] = "call:correlated",
};

static char dir[] = "/tmp/tap-diff-test-XXXXXX";
static char good[64], bad[64], out[64];
static struct tap_symbols *syms;
static struct step steps[MOST];
static size_t nr_steps;
static __u64 seed;

static double uniform(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return ((double)(seed >> 11) + .5) / 9007199254740992.0;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

/* Numbers of a series follow each other; 0 of a new one has an own state. */
static double correlated(double *state, double length)
{
	double keep = exp(-1 / length);

	*state = keep * *state + sqrt(1 - keep * keep) * normal();
	return *state;
}

static double duration(unsigned int function, double *state)
{
	switch (function) {
	case WIDE:
		return 10000 * exp(.15 * normal());
	case HEAVY:	/* its variance is infinite */
		return 3000 / sqrt(uniform());
	case BIMODAL:
		return (uniform() < .5 ? 2000 : 20000) * exp(.1 * normal());
	default:
		return 5000 * exp(.03 * correlated(state, 10) + .05 * normal());
	}
}

static struct step *add(__u64 time, __u32 probe, double ns)
{
	struct step *step = &steps[nr_steps++];

	if (nr_steps > MOST)
		abort();
	*step = (struct step) { .time = time, .probe = probe, .pid = 1000, .duration = (__u64)ns };
	return step;
}

static struct tap_error error;

static struct diff compare_with(const struct diff *opts, int *status)
{
	struct diff d = *opts;

	d.path[GOOD] = good;
	d.path[BAD] = bad;
	d.tolerance = d.tolerance ? d.tolerance : .025;
	*status = diff_run(&d, &error) ? DIFF_TROUBLE : diff_status(&d);
	return d;
}

/* ---------------------------------------------------------------- statistics */

static bool near(double a, double b, double within)
{
	return fabs(a - b) <= within * fabs(b);
}

static void test_histogram(void)
{
	struct histogram h = { 0 };
	unsigned int i, wrong = 0;

	for (i = 0; i < 100000; i++)
		wrong += histogram_add(&h, 7000 + i) != 0;
	for (i = 1; i < 100; i++)
		wrong += !near(histogram_quantile(&h, i / 100.), 7000 + 1000 * i, .004) ||
			 !near(histogram_share(&h, histogram_quantile(&h, i / 100.)), i / 100., 1e-9);
	check(!wrong, "quantiles of numbers that are evenly spread: %u wrong", wrong);
	histogram_free(&h);
	wrong = histogram_add(&h, 0) || histogram_add(&h, UINT64_MAX) || histogram_add(&h, 255) ||
		histogram_add(&h, 256);
	check(!wrong && histogram_share(&h, 0) == 0 && histogram_share(&h, 1) == .25 &&
	      histogram_share(&h, 256) == .5 && histogram_share(&h, 257) == .75 &&
	      histogram_share(&h, 2e19) == 1, "the least and the greatest number");
	histogram_free(&h);
}

/* Equal events in each block, but the last ones: so the noise is known. */
static void test_significance(void)
{
	__u64 a[BLOCKS], b[BLOCKS];
	struct significance_share small = { 6400, a, 0 }, large = { 6400, b, 0 };
	struct significance_count few = { a, 1, 0 }, many = { b, 1, 0 };
	double p[5] = { .01, .04, .03, .005, 1 };
	unsigned int i;

	for (i = 0; i < BLOCKS; i++) {
		a[i] = 50;
		b[i] = 53;
	}
	/* 3 % of 6400: the binomial variance gives 3.40 standard deviations. */
	check(near(significance_of_shares(&small, &large), 3.4e-4, .05), "a share: %g",
	      significance_of_shares(&small, &large));
	check(significance_of_shares(&large, &small) == 1, "a smaller share");
	large.lost = 400;
	check(significance_of_shares(&small, &large) == 1, "lost events may be below the bound");
	large.lost = 0;
	small.lost = 10;
	check(near(significance_of_shares(&small, &large), 6e-4, .3), "a few may be above it: %g",
	      significance_of_shares(&small, &large));
	for (i = 0; i < BLOCKS; i++)
		b[i] = i < BLOCKS / 2 ? 103 : 3;
	small.lost = 0;
	check(significance_of_shares(&small, &large) > .3, "a share that changes meanwhile: %g",
	      significance_of_shares(&small, &large));
	for (i = 0; i < BLOCKS; i++)
		b[i] = 60;
	/* 3200 and 3840 independent events: 7.6 standard deviations; beyond 10 % 3.65 */
	check(near(significance_of_counts(&few, &many, 1), 1.2e-14, .2), "a number: %g",
	      significance_of_counts(&few, &many, 1));
	check(near(significance_of_counts(&few, &many, 1.1), 1.3e-4, .1), "a number beyond a factor: %g",
	      significance_of_counts(&few, &many, 1.1));
	few.lost = 640;
	check(significance_of_counts(&few, &many, 1) > .49, "a number that losses make up for");
	few.lost = 0;
	many.scale = .5;
	check(significance_of_counts(&few, &many, 1) == 1, "a number in twice the time");
	many.scale = 1;
	for (i = 0; i < BLOCKS; i++) {
		a[i] = i < BLOCKS / 2 ? 31 : 32;
		b[i] = 63;
	}
	check(significance_of_counts(&few, &many, 1) < 1e-6, "noise that is small and changes slowly: %g",
	      significance_of_counts(&few, &many, 1));
	memset(a, 0, sizeof(a));
	memset(b, 0, sizeof(b));
	b[7] = 12;
	check(near(significance_of_counts(&few, &many, 1), 2.7e-4, .1), "a burst of something new: %g",
	      significance_of_counts(&few, &many, 1));
	check(!significance_holm(p, 5) && near(p[0], .04, 1e-9) && near(p[1], .09, 1e-9) &&
	      near(p[2], .09, 1e-9) && near(p[3], .025, 1e-9) && p[4] == 1, "the method of Holm");
}

/* How often chance alone is below 1 % if all durations depend on those before: of 300 pairs. */
static unsigned int alarms(double length, double tolerance)
{
	__u64 above[2][BLOCKS];
	struct significance_share share[2] = { { CALLS, above[0], 0 }, { CALLS, above[1], 0 } };
	unsigned int pair, i, file, found = 0;
	double state;

	for (pair = 0; pair < 300; pair++) {
		memset(above, 0, sizeof(above));
		for (file = 0; file < 2; file++) {
			state = normal();
			for (i = 0; i < CALLS; i++)
				above[file][significance_block(i, CALLS)] +=
					correlated(&state, length) > tolerance * !file;
		}
		found += significance_of_shares(&share[0], &share[1]) < .01;
	}
	return found;
}

static void test_correlation(void)
{
	static const double lengths[] = { 1, 10, 100, CALLS / 20. };
	unsigned int i, found;

	seed = 4711;
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		found = alarms(lengths[i], 0);
		check(found <= 8, "correlated over %.0f of %d calls: %u of 300 below 1 %%", lengths[i], CALLS,
		      found);
	}
	check(alarms(10, .5) == 300, "a difference is found all the same");
}

/* ------------------------------------------------------- 50 pairs of one load */

static void make_functions(struct tap_probes *probes)
{
	const struct tap_field len = FIELD("len", U64, 2, 1);
	unsigned int i;

	for (i = WIDE; i < FUNCTIONS; i++)
		fake_probe(probes, i, TAP_PROBE_CALL, functions[i], 3, &len, 1);
}

/* @slower: the function that takes 5 % longer; 0: none. */
static void write_load(const char *path, __u64 load, unsigned int slower)
{
	double state[FUNCTIONS] = { 0 }, ns;
	unsigned int i, k;

	/* Seeds that are near to each other give numbers that are, too. */
	seed = (load + 1) * 0x9e3779b97f4a7c15ULL;
	nr_steps = 0;
	for (i = 0; i < CALLS; i++) {
		for (k = WIDE; k < FUNCTIONS; k++) {
			ns = duration(k, &state[k]);
			add((i * FUNCTIONS + k) * PERIOD, k, k == slower ? ns * 1.05 : ns);
		}
	}
	story_write(&(struct story_file) {
		.path = path, .step = steps, .nr = nr_steps, .make_probes = make_functions, .ids = FUNCTIONS,
	});
}

/* Differences of the durations of a function, and of all else. */
static void count_findings(const struct diff *d, const char *function, unsigned int of[2])
{
	size_t i;

	of[0] = 0;
	of[1] = 0;
	for (i = 0; i < d->nr; i++)
		if (d->findings[i].differs)
			of[d->findings[i].what != FINDING_DURATION ||
			   strcmp(d->findings[i].row->event->name, function)]++;
}

static void test_pairs(void)
{
	unsigned int pair, slower, of[2], same = 0, found = 0, others = 0;
	struct diff d;
	int status;

	for (pair = 0; pair < PAIRS; pair++) {
		slower = WIDE + pair % (FUNCTIONS - WIDE);
		write_load(good, 3 * pair, 0);
		write_load(bad, 3 * pair + 1, 0);
		d = compare_with(&(struct diff) { 0 }, &status);
		same += status == 0;
		diff_free(&d);
		write_load(bad, 3 * pair + 2, slower);
		d = compare_with(&(struct diff) { 0 }, &status);
		count_findings(&d, functions[slower], of);
		found += status == DIFF_DIFFERS && of[0];
		others += of[1] != 0;
		diff_free(&d);
	}
	check(same >= PAIRS - 2, "the same load: no difference in %u of %u pairs", same, PAIRS);
	check(found == PAIRS, "a function that is 5 %% slower: found in %u of %u pairs", found, PAIRS);
	check(others <= 2, "another difference in %u of them", others);
}

/* --------------------------------------------------------- a change a finding */

enum change {
	NONE, OPENS, FEWER_OPENS, NEW_ERROR, MORE_ERRORS, NEW_CALLER, OTHER_CALLER, SLOWER_CALLS, FASTER_CALLS, TAIL_SLOWER,
	KEY_GONE, NEW_KEY, IRQ_GONE, HALF, CHANGES,
};

static const char *const found_by[CHANGES] = {
	[OPENS] = "call:drv_open: events 400 -> 800 (+100.0 %, p = ",
	[FEWER_OPENS] = "call:drv_open: events 400 -> 200 (-50.0 %, p = ",
	[NEW_ERROR] = "call:drv_xmit: new error -EIO: 0 -> 1 of 4000 and 4000 events\n",
	[MORE_ERRORS] = "call:drv_xmit: error -EAGAIN: 20 -> 400 of 4000 and 4000 events (p = ",
	[NEW_CALLER] = "call:drv_xmit: new caller drv_reset: 0 -> 1 of 4000 and 4000 events\n",
	[SLOWER_CALLS] = "call:drv_xmit: duration median 9.97us -> 10.5us (+5.8 %, p = ",
	[FASTER_CALLS] = "call:drv_xmit: duration median 9.97us -> 9.56us (-4.1 %, p = ",
	[TAIL_SLOWER] = "call:drv_xmit: duration 99th percentile 12.6us -> 52.0us (+313.9 %, p = ",
	[KEY_GONE] = "call:drv_xmit len=300: no events: 5 -> 0\n",
	[NEW_KEY] = "call:drv_xmit len=400: new events: 0 -> 3\n",
	[IRQ_GONE] = "kprobe:drv_irq: no events: 5 -> 0\n",
};

static void make_story(struct tap_probes *probes)
{
	const struct tap_field fields[] = {
		FIELD("len", U64, STORY_VALUE, 1),
		FIELD("kstack", KSTACK, STORY_STACK, STORY_WORDS - STORY_STACK),
	};

	fake_probe(probes, XMIT, TAP_PROBE_CALL, "call:drv_xmit", STORY_WORDS, fields, 2);
	fake_probe(probes, OPEN, TAP_PROBE_CALL, "call:drv_open", 3, fields, 1);
	fake_probe(probes, IRQ, TAP_PROBE_KPROBE, "kprobe:drv_irq", 3, fields, 1);
}

static void add_xmit(unsigned int i, enum change change)
{
	static const double factor[CHANGES] = { [SLOWER_CALLS] = 1.05, [FASTER_CALLS] = 1 / 1.05 };
	double ns = 10000 * exp(.1 * normal()) * (factor[change] ? factor[change] : 1);
	struct step *step = add(i * PERIOD + 100, XMIT, ns);

	step->value = i % 800 == 7 ? 300 : i % 2 ? 100 : 200;
	step->ip = 0xffffffff81000500;
	step->caller = i % 3 ? 0xffffffff81000110 : 0xffffffff81000210;
	if (i % 200 == 9)
		step->retval = (__u64)-EAGAIN;
	if (change == NEW_ERROR && i == 2000)
		step->retval = (__u64)-EIO;
	if (change == MORE_ERRORS && i % 10 == 9)
		step->retval = (__u64)-EAGAIN;
	if (i == 3333)
		step->retval = (__u64)-ENOMEM;
	if (change == OTHER_CALLER && i == 2500)
		step->caller = 0xffffffff81000410;
	if (change == NEW_CALLER && i == 1000)
		step->caller = 0xffffffff81000310;
	if (change == TAIL_SLOWER && i % 33 == 1)
		step->duration *= 5;
	if (change == KEY_GONE && step->value == 300)
		step->value = 100;
	if (change == NEW_KEY && i % 1000 == 500 && i < 3000)
		step->value = 400;
}

static void tell(__u64 load, enum change change)
{
	unsigned int calls = change == HALF ? 2000 : 4000, i;

	seed = (load + 1) * 0x9e3779b97f4a7c15ULL;
	nr_steps = 0;
	for (i = 0; i < calls; i++) {
		add_xmit(i, change);
		if (i % 10 == 3 && (change != FEWER_OPENS || i % 20 == 3))
			add(i * PERIOD + 200, OPEN, 3000 * exp(.1 * normal()));
		if (i % 10 == 3 && change == OPENS)
			add(i * PERIOD + 300, OPEN, 3000 * exp(.1 * normal()));
		if (i % 800 == 5 && change != IRQ_GONE)
			add(i * PERIOD + 400, IRQ, 0);
	}
}

static struct story_file story_file(const char *path)
{
	return (struct story_file) {
		.path = path, .step = steps, .nr = nr_steps, .make_probes = make_story, .ids = STORY, .syms = syms,
	};
}

static void write_story(const char *path, __u64 load, enum change change)
{
	const struct story_file file = story_file(path);

	tell(load, change);
	story_write(&(struct story_file) {
		.path = path, .step = steps, .nr = nr_steps, .make_probes = file.make_probes, .ids = STORY,
		.syms = syms,
	});
}

/* Runs the tool; its output is at @out. */
static int run(const char *args)
{
	return story_run(out, "%s diff %s", TOOL, args);
}

static int run_files(const char *args)
{
	return story_run(out, "%s diff %s %s %s", TOOL, good, bad, args);
}

static bool said(const char *text)
{
	return story_has(out, text);
}

/* Which of the findings were printed: a bit each. */
static unsigned int findings(void)
{
	unsigned int i, bits = 0;

	for (i = 0; i < CHANGES; i++)
		if (found_by[i] && said(found_by[i]))
			bits |= 1U << i;
	return bits;
}

static void test_changes(void)
{
	unsigned int i;
	int status;

	write_story(good, 1, NONE);
	write_story(bad, 2, NONE);
	check(run_files("") == 0 && said("\nno difference in "), "no change: no difference");
	check(run_files("--by len") == 0 && !findings(), "no change: none by key");
	for (i = OPENS; i <= IRQ_GONE; i++) {
		if (!found_by[i])
			continue;
		write_story(bad, 2, i);
		status = run_files(i == KEY_GONE || i == NEW_KEY ? "--by len" : "");
		check(status == DIFF_DIFFERS && findings() == 1U << i, "change %u: %s", i, found_by[i]);
		/* The other way round it is the other difference, or none for what is new alone. */
		status = story_run(out, "%s diff %s %s %s", TOOL, bad, good,
				   i == KEY_GONE || i == NEW_KEY ? "--by len" : "");
		check(status == (i == NEW_ERROR || i == NEW_CALLER ? 0 : DIFF_DIFFERS),
		      "change %u, the other way round", i);
	}
}

/* ---------------------------------------------------------------------- losses */

/* If GOOD has callers of a single event, another one is no surprise; an error is. */
static void test_single(void)
{
	write_story(good, 1, OTHER_CALLER);
	write_story(bad, 2, NEW_CALLER);
	check(run_files("") == 0, "a caller of one event, and GOOD has another such: no difference");
	write_story(good, 1, NONE);
	write_story(bad, 2, OTHER_CALLER);
	check(run_files("") == DIFF_DIFFERS && said("new caller drv_reply: 0 -> 1"), "GOOD has none such: differs");
}

/* Writes a file that lost its nth event; @cut: it lacks bytes. */
static void write_lossy(const char *path, __u64 load, enum change change, size_t nth, unsigned int cut)
{
	struct story_file file;

	tell(load, change);
	steps[nth].lost = true;
	file = story_file(path);
	file.nr = nr_steps;
	file.cut = cut;
	story_write(&file);
}

static void test_losses(void)
{
	write_story(good, 1, NONE);
	write_lossy(bad, 2, NONE, 1, 0);
	check(run_files("") == DIFF_UNKNOWN && said("call:drv_xmit: ") && said(" lacks 1 events: they were lost") &&
	      said("; unknown: what is missing could change this"), "one lost event may differ: unknown");
	check(run_files("-e call:drv_open") == 0, "one lost of another event: no difference");
	check(run_files("--from 0.01") == 0, "lost before the time of interest: no difference");
	write_lossy(bad, 2, SLOWER_CALLS, 1, 0);
	check(run_files("") == DIFF_DIFFERS && findings() == 1U << SLOWER_CALLS, "slower for all that: differs");
	write_lossy(bad, 2, NEW_ERROR, 1, 0);
	check(run_files("") == DIFF_DIFFERS, "a new error, an event of BAD lost: differs");
	write_lossy(good, 1, NONE, 1, 0);
	write_story(bad, 2, NEW_ERROR);
	check(run_files("") == DIFF_UNKNOWN && said("-EIO: 0 -> 1") && said("not certain, as events were lost"),
	      "a new error, an event of GOOD lost: unknown");
	write_story(bad, 2, IRQ_GONE);
	check(run_files("") == DIFF_DIFFERS, "an event that is gone in BAD, which has no loss: differs");
	write_story(good, 1, NONE);
	write_lossy(bad, 2, NONE, 1, 8);
	check(run_files("") == DIFF_UNKNOWN && said("bad.tap: it is not known how many events are missing: ends in"),
	      "a file that was cut: unknown");
	write_lossy(bad, 2, FEWER_OPENS, 1, 8);
	check(run_files("") == DIFF_UNKNOWN && findings() == 1U << FEWER_OPENS && said("not certain"),
	      "fewer events in such a file: unknown");
	write_lossy(bad, 2, OPENS, 1, 8);
	check(run_files("") == DIFF_DIFFERS, "more events in such a file: differs");
	write_story(bad, 2, NONE);
	check(run_files("--if '1 / (len - 100) >= 0' -e call:drv_open") == 0, "a condition that all events have");
	check(run_files("--if '1 / (len - 100) >= 0' -e call:drv_xmit") == DIFF_UNKNOWN,
	      "a condition without a result: unknown");
}

/* --------------------------------------------------------------------- command */

static void test_command(void)
{
	char args[400];

	write_story(good, 1, NONE);
	write_story(bad, 2, SLOWER_CALLS);
	check(run_files("--tolerance 10") == 0 && said("more than 10 %"), "--tolerance");
	check(run_files("--tolerance 0 -e call:drv_open") == 0, "-e");
	check(run_files("-e 'call:*' --if 'duration < 4us'") == 0 && said("\ncall:drv_open  400 -> 398 (-0.5 %)"), "--if");
	check(run_files("--by len -e call:drv_xmit") == DIFF_DIFFERS &&
	      said("EVENT                  EVENTS        MEDIAN                   99TH PERCENTILE\n") &&
	      said("\ncall:drv_xmit len=100  1995 -> 1995  9.97us -> 10.5us +5.8 %  12.5us") &&
	      said("\ncall:drv_xmit len=300  5 -> 5        -                        -\n") &&
	      said("\ncall:drv_xmit len=100: duration median ") && said("\ncall:drv_xmit len=200: duration median ") &&
	      said("\ndurations of 1 rows were not compared: a file has fewer than 16 of them\n"), "--by");
	check(run_files("--json --by len") == DIFF_DIFFERS &&
	      said("{\"type\":\"row\",\"event\":\"call:drv_xmit\",\"keys\":{\"len\":100},\"good\":{\"events\":1995,\"lost\":0,\"durations\":1995,\"quantiles_ns\":{\"0.1\":") &&
	      said("{\"type\":\"difference\",\"event\":\"call:drv_xmit\",\"keys\":{\"len\":100},\"of\":\"duration\",\"quantile\":0.5,\"good\":") &&
	      said(",\"certain\":true}\n") && said("{\"type\":\"verdict\",\"status\":1,\"differences\":"), "--json");
	write_story(bad, 2, HALF);
	check(run_files("") == DIFF_DIFFERS && said("call:drv_xmit: events 4000 -> 2000 (-50.0 %"), "half as long");
	check(run_files("--rate -e call:*") == 0, "--rate: as often");
	check(run_files("--to 0.04 -e call:*") == 0, "--to: as long");
	check(run_files("--from 0.04 -e call:*") == DIFF_DIFFERS, "--from: the later half is missing");
	write_load(bad, 1, 0);
	check(story_run(out, "%s diff %s %s -e call:heavy --by duration", TOOL, bad, bad) == DIFF_TROUBLE &&
	      said("choose fewer events with -e, or keys with fewer values"), "too many keys: status 3");
	check(run_files("") == DIFF_UNKNOWN && said("has recorded it: record both with the same events"),
	      "other events: unknown");
	check(run_files("-e call:drv_xmit") == DIFF_TROUBLE && said("no event of this file matches -e"),
	      "an event that BAD lacks: status 3");
	write_story(bad, 2, NONE);
	check(run_files("--by nosuch") == DIFF_TROUBLE && said("no value \"nosuch\""), "a wrong key: status 3");
	check(run_files("--if nosuch") == DIFF_TROUBLE && said("no value \"nosuch\""), "a wrong condition: status 3");
	check(run_files("--tolerance -1") == DIFF_TROUBLE && said("give percent from 0 to 1000"),
	      "a wrong tolerance: status 3");
	check(run_files("more") == DIFF_TROUBLE && said("two files are compared"), "three files: status 3");
	check(run(good) == DIFF_TROUBLE && said("give GOOD and BAD"), "one file: status 3");
	snprintf(args, sizeof(args), "%s /nonesuch.tap", good);
	check(run(args) == DIFF_TROUBLE && said("/nonesuch.tap"), "no such file: status 3");
}

/* The same memory is enough for a small file and one of 30 times as many events. */
static void test_memory(void)
{
	unsigned int i;

	nr_steps = 0;
	seed = 3;
	for (i = 0; i < MOST; i++)
		add(i * PERIOD, XMIT, 10000 * exp(normal()))->caller = 0xffffffff81000110;
	story_write(&(struct story_file) {
		.path = good, .step = steps, .nr = 1000, .make_probes = make_story, .ids = STORY, .syms = syms,
	});
	story_write(&(struct story_file) {
		.path = bad, .step = steps, .nr = MOST, .make_probes = make_story, .ids = STORY, .syms = syms,
	});
	check(story_run(out, "(ulimit -d 2048; %s diff %s %s)", PLAIN_TOOL, good, good) == 0, "little memory for a small file");
	check(story_run(out, "(ulimit -d 2048; %s diff %s %s)", PLAIN_TOOL, bad, bad) == 0, "and for a large one");
}

int main(void)
{
	native_dir(dir);
	snprintf(good, sizeof(good), "%s/good.tap", dir);
	snprintf(bad, sizeof(bad), "%s/bad.tap", dir);
	snprintf(out, sizeof(out), "%s/out", dir);
	syms = load_symbols(dir, "ffffffff81000100 T drv_write\nffffffff81000200 T drv_poll\n"
			    "ffffffff81000300 T drv_reset\nffffffff81000400 T drv_reply\n"
			    "ffffffff81000500 T drv_xmit\nffffffff81000600 T drv_end\n");
	test_histogram();
	test_significance();
	test_correlation();
	test_pairs();
	test_changes();
	test_single();
	test_losses();
	test_command();
	test_memory();
	tap_symbols_free(syms);
	unlink(good);
	unlink(bad);
	unlink(out);
	rmdir(dir);
	return check_end();
}
