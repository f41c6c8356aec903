// SPDX-License-Identifier: GPL-2.0
/*
 * Compares. Numbers and durations differ if chance and the tolerance do not explain it. What only one
 * of the files has is a difference in itself, unless such single things are usual in the other one.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "diff/diff.h"
#include "expect/losses.h"

/* Halvings of the range of a bound. */
#define STEPS	30
/* Durations on the smaller side of a quantile, at least. */
#define LEAST_TAIL	8

const double finding_shares[QUANTILES] = { .1, .5, .9, .99 };

__u64 finding_durations(unsigned int quantile)
{
	double share = finding_shares[quantile];

	return (__u64)ceil(LEAST_TAIL / fmin(share, 1 - share) - 1e-6);
}

static bool has_durations(const struct table_row *row, unsigned int quantile)
{
	__u64 least = finding_durations(quantile);

	return row->of[GOOD].durations.nr >= least && row->of[BAD].durations.nr >= least;
}

/* The share of both files is monotonic in the bound, and is too small or large at either quantile. */
static double find_bound(const struct histogram *faster, const struct histogram *slower,
			 double factor, double share)
{
	double a = histogram_quantile(faster, share) * factor, b = histogram_quantile(slower, share);
	double low = fmin(a, b), high = fmax(a, b), middle = (low + high) / 2;
	int i;

	for (i = 0; i < STEPS; i++) {
		middle = (low + high) / 2;
		if (histogram_share(faster, middle / factor) + histogram_share(slower, middle) <
		    2 * share)
			low = middle;
		else
			high = middle;
	}
	return middle;
}

static void set_bounds(struct table_row *row, unsigned int quantile, double factor)
{
	double share = finding_shares[quantile], bound;
	struct table_side *side;
	int faster;

	for (faster = GOOD; faster <= BAD; faster++) {
		side = &row->of[faster];
		side->quantile[quantile] = histogram_quantile(&side->durations, share);
		bound = find_bound(&side->durations, &row->of[!faster].durations, factor, share);
		side->bound[quantile][FASTER] = bound / factor;
		row->of[!faster].bound[quantile][SLOWER] = bound;
	}
}

void finding_bounds(struct diff *d)
{
	struct table_row *row;
	unsigned int i;

	for (row = d->table.rows; row; row = row->next)
		for (i = 0; i < QUANTILES; i++)
			if (row->of[GOOD].durations.nr && row->of[BAD].durations.nr)
				set_bounds(row, i, 1 + d->tolerance);
}

static __u64 lost_of(const struct diff *d, const struct table_row *row, int file)
{
	return d->why[file] ? LOSSES_UNKNOWN : row->event->lost[file];
}

static struct finding *add(struct diff *d, const struct finding *f)
{
	/* finding_make() has counted how many there can be. */
	d->findings[d->nr] = *f;
	return &d->findings[d->nr++];
}

/* Both directions are tested, so each counts twice. */
static double twice(double p, double other)
{
	return fmin(1, 2 * fmin(p, other));
}

/* @scale: of the second file; @lost: further events of each file. */
static void test_counts(const struct diff *d, struct finding *f, const __u64 *const blocks[2],
			double scale, const __u64 lost[2])
{
	const double scales[2] = { 1, scale };
	struct significance_count count[2];
	double p[2][2];
	int i, small;

	for (small = GOOD; small <= BAD; small++) {
		for (i = 0; i < 2; i++) {
			count[GOOD] = (struct significance_count) { blocks[GOOD], scales[GOOD], 0 };
			count[BAD] = (struct significance_count) { blocks[BAD], scales[BAD], 0 };
			count[small].lost = i ? lost[small] : 0;
			p[i][small] = significance_of_counts(&count[small], &count[!small],
							     1 + d->tolerance);
		}
	}
	f->tested = true;
	f->p = twice(p[0][GOOD], p[0][BAD]);
	f->p_lost = twice(p[1][GOOD], p[1][BAD]);
	f->ratio = f->value[GOOD] > 0 ? f->value[BAD] * scale / f->value[GOOD] :
		   f->value[BAD] > 0 ? INFINITY : 1;
}

/* What a file has none of. */
static void only_in(const struct diff *d, struct finding *f, int without)
{
	f->tested = false;
	f->differs = true;
	f->certain = !lost_of(d, f->row, without);
}

/*
 * Whether a file has rows with one event, so that others may be missing by chance. A row with keys is
 * looked for among those of its event.
 */
static bool has_single_rows(const struct diff *d, const struct table_row *like, int file)
{
	const struct table_row *row;

	for (row = d->table.rows; row; row = row->next)
		if (row->of[file].nr == 1 && (!*like->key || row->event == like->event))
			return true;
	return false;
}

static bool has_single_kinds(const struct table_kind *like, int file)
{
	const struct table_kind *kind;

	for (kind = like->row->kinds; kind; kind = kind->next)
		if (kind->of == like->of && kind->nr[file] == 1)
			return true;
	return false;
}

static void compare_events(struct diff *d, const struct table_row *row)
{
	const __u64 *const blocks[2] = { row->of[GOOD].blocks, row->of[BAD].blocks };
	const __u64 lost[2] = { lost_of(d, row, GOOD), lost_of(d, row, BAD) };
	struct finding *f = add(d, &(struct finding) {
		.what = FINDING_EVENTS, .row = row,
		.value = { (double)row->of[GOOD].nr, (double)row->of[BAD].nr },
	});
	bool timed = d->seconds[GOOD] > 0 && d->seconds[BAD] > 0;
	int file;

	test_counts(d, f, blocks, d->rate && timed ? d->seconds[GOOD] / d->seconds[BAD] : 1, lost);
	for (file = GOOD; file <= BAD; file++)
		if (!row->of[file].nr && row->of[!file].nr && !has_single_rows(d, row, file))
			only_in(d, f, file);
}

static double test_durations(const struct diff *d, const struct table_row *row, unsigned int quantile,
			     int faster, bool lost)
{
	const struct table_side *a = &row->of[faster], *b = &row->of[!faster];
	const struct significance_share small = {
		a->durations.nr, a->above[quantile][FASTER], lost ? lost_of(d, row, faster) : 0,
	}, large = {
		b->durations.nr, b->above[quantile][SLOWER], lost ? lost_of(d, row, !faster) : 0,
	};

	return significance_of_shares(&small, &large);
}

static void compare_durations(struct diff *d, const struct table_row *row)
{
	const struct table_side *good = &row->of[GOOD], *bad = &row->of[BAD];
	unsigned int i;

	d->few += (good->durations.nr || bad->durations.nr) && !has_durations(row, MEDIAN);
	for (i = 0; i < QUANTILES; i++) {
		struct finding f = {
			.what = FINDING_DURATION, .row = row, .quantile = i, .tested = true,
			.value = { good->quantile[i], bad->quantile[i] },
		};

		if (!has_durations(row, i))
			continue;
		f.ratio = f.value[GOOD] > 0 ? f.value[BAD] / f.value[GOOD] : INFINITY;
		f.p = twice(test_durations(d, row, i, GOOD, false),
			    test_durations(d, row, i, BAD, false));
		f.p_lost = twice(test_durations(d, row, i, GOOD, true),
				 test_durations(d, row, i, BAD, true));
		add(d, &f);
	}
}

/* Errors are compared per event: if there are more calls, more of them fail. */
static void compare_kind(struct diff *d, const struct table_kind *kind)
{
	const struct table_row *row = kind->row;
	const __u64 *const blocks[2] = { kind->blocks[GOOD], kind->blocks[BAD] };
	const __u64 lost[2] = { lost_of(d, row, GOOD), lost_of(d, row, BAD) };
	bool error = kind->of == KIND_ERROR, is_new = !kind->nr[GOOD];
	struct finding *f;

	/* Without any event in a file, the events are the difference. */
	if (!row->of[GOOD].nr || !row->of[BAD].nr || (!error && !is_new))
		return;
	f = add(d, &(struct finding) {
		.what = error ? FINDING_ERROR : FINDING_CALLER, .row = row, .kind = kind,
		.value = { (double)kind->nr[GOOD], (double)kind->nr[BAD] },
	});
	test_counts(d, f, blocks, (double)row->of[GOOD].nr / (double)row->of[BAD].nr, lost);
	if (is_new && (error || !has_single_kinds(kind, GOOD)))
		only_in(d, f, GOOD);
}

/* Sets @differs and @certain of what was tested. */
static int judge(struct diff *d)
{
	double *p = calloc(2 * d->nr + 1, sizeof(*p)), *lost = p + d->nr;
	size_t i, nr = 0;
	int ret = -ENOMEM;

	for (i = 0; p && i < d->nr; i++) {
		if (!d->findings[i].tested)
			continue;
		p[nr] = d->findings[i].p;
		lost[nr++] = d->findings[i].p_lost;
	}
	if (p && !significance_holm(p, nr) && !significance_holm(lost, nr))
		ret = 0;
	for (i = 0, nr = 0; !ret && i < d->nr; i++) {
		struct finding *f = &d->findings[i];

		if (!f->tested)
			continue;
		f->p = p[nr];
		f->p_lost = lost[nr++];
		f->differs = f->p <= DIFF_LEVEL;
		f->certain = f->p_lost <= DIFF_LEVEL;
	}
	free(p);
	return ret;
}

int finding_make(struct diff *d)
{
	const struct table_kind *kind;
	const struct table_row *row;

	d->findings = calloc(d->table.nr_rows * (1 + QUANTILES) + d->table.nr_kinds + 1,
			     sizeof(*d->findings));
	if (!d->findings)
		return -ENOMEM;
	for (row = d->table.rows; row; row = row->next) {
		if (!row->event->recorded[GOOD] || !row->event->recorded[BAD])
			continue;
		compare_events(d, row);
		compare_durations(d, row);
		for (kind = row->kinds; kind; kind = kind->next)
			compare_kind(d, kind);
	}
	return judge(d);
}
