// SPDX-License-Identifier: GPL-2.0
/*
 * A table of all rows, and behind it the differences:
 *	EVENT          EVENTS          MEDIAN                    99TH PERCENTILE
 *	call:drv_xmit  10000 -> 10000  12.1us -> 12.8us +5.6 %   30.2us -> 31.9us +5.6 %
 *
 *	call:drv_xmit: duration median 12.1us -> 12.8us (+5.6 %, p = 2e-09, 10000 and 10000 calls)
 */
#include <math.h>
#include <string.h>

#include "diff/diff.h"
#include "expect/losses.h"

/* Bytes of a cell; longer names of events are printed whole. */
#define CELL	96
#define COLUMNS	3
/* A smaller change is none when it is printed. */
#define LEAST_CHANGE	.0005
/* A smaller p is printed as smaller than it. */
#define LEAST_P		1e-99
/* Index of the 99 % quantile. */
#define TAIL	3

static const char *const quantiles[QUANTILES] = {
	"10th percentile", "median", "90th percentile", "99th percentile",
};

static void put_ns(char buf[CELL], double ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	size_t i = 0;

	for (; i < 3 && ns >= 999.5; i++)
		ns /= 1000;
	snprintf(buf, CELL, "%.*f%s", ns < 9.995 && i ? 2 : ns < 99.95 && i ? 1 : 0, ns, units[i]);
}

/* "+5.6 %"; a large one is a multiple: "12 times". */
static void put_change(char buf[CELL], double ratio)
{
	if (isinf(ratio))
		snprintf(buf, CELL, "new");
	else if (ratio >= 10)
		snprintf(buf, CELL, "%.3g times", ratio);
	else
		snprintf(buf, CELL, "%+.1f %%", (ratio - 1) * 100);
}

static void put_p(char buf[CELL], double p)
{
	snprintf(buf, CELL, p < LEAST_P ? "p < %.0e" : "p = %.0e", p < LEAST_P ? LEAST_P : p);
}

static void put_name(const struct table_row *row, FILE *to)
{
	fprintf(to, "%s%s%s", row->event->name, *row->key ? " " : "", row->key);
}

static unsigned long long events(const struct finding *f, int file)
{
	return (unsigned long long)f->value[file];
}

static const struct finding *find(const struct diff *d, const struct table_row *row,
				  enum finding_what what, unsigned int quantile)
{
	size_t i;

	for (i = 0; i < d->nr; i++)
		if (d->findings[i].row == row && d->findings[i].what == what &&
		    d->findings[i].quantile == quantile)
			return &d->findings[i];
	return NULL;
}

static void put_cell(const struct diff *d, const struct table_row *row, unsigned int column,
		     char cell[CELL])
{
	static const unsigned int quantile[COLUMNS] = { 0, MEDIAN, TAIL };
	const struct finding *f = find(d, row, column ? FINDING_DURATION : FINDING_EVENTS,
				       quantile[column]);
	char good[CELL], bad[CELL], change[CELL];

	snprintf(cell, CELL, "-");
	if (!f)
		return;
	put_change(change, f->ratio);
	if (column) {
		put_ns(good, f->value[GOOD]);
		put_ns(bad, f->value[BAD]);
	} else {
		snprintf(good, CELL, "%llu", events(f, GOOD));
		snprintf(bad, CELL, "%llu", events(f, BAD));
	}
	if (fabs(f->ratio - 1) < LEAST_CHANGE)
		snprintf(cell, CELL, "%.24s -> %.24s", good, bad);
	else
		snprintf(cell, CELL, f->differs ? "%.24s -> %.24s %.24s" : "%.24s -> %.24s (%.24s)", good, bad,
			 change);
}

static void print_table(const struct diff *d, FILE *to)
{
	static const char *const headings[COLUMNS] = { "EVENTS", "MEDIAN", "99TH PERCENTILE" };
	int width[1 + COLUMNS] = { (int)strlen("EVENT") }, len;
	const struct table_row *row;
	char cell[CELL];
	unsigned int i;

	for (i = 0; i < COLUMNS; i++)
		width[1 + i] = (int)strlen(headings[i]);
	for (row = d->table.rows; row; row = row->next) {
		len = (int)(strlen(row->event->name) + strlen(row->key)) + !!*row->key;
		if (len > width[0])
			width[0] = len;
		for (i = 0; i < COLUMNS; i++) {
			put_cell(d, row, i, cell);
			if ((int)strlen(cell) > width[1 + i])
				width[1 + i] = (int)strlen(cell);
		}
	}
	fprintf(to, "%-*s", width[0], "EVENT");
	for (i = 0; i < COLUMNS; i++)
		fprintf(to, "  %-*s", i + 1 < COLUMNS ? width[1 + i] : 0, headings[i]);
	for (row = d->table.rows; row; row = row->next) {
		fputc('\n', to);
		put_name(row, to);
		len = (int)(strlen(row->event->name) + strlen(row->key)) + !!*row->key;
		fprintf(to, "%*s", width[0] - len, "");
		for (i = 0; i < COLUMNS; i++) {
			put_cell(d, row, i, cell);
			fprintf(to, "  %-*s", i + 1 < COLUMNS ? width[1 + i] : 0, cell);
		}
	}
	fputs("\n\n", to);
}

static void print_events(const struct diff *d, const struct finding *f, FILE *to)
{
	char change[CELL], p[CELL];

	if (!f->tested) {
		fprintf(to, "%s events: %llu -> %llu", f->value[GOOD] > 0 ? "no" : "new", events(f, GOOD),
			events(f, BAD));
		return;
	}
	put_change(change, f->ratio);
	put_p(p, f->p);
	fprintf(to, "events %llu -> %llu (%s%s, %s)", events(f, GOOD), events(f, BAD), change,
		d->rate ? " per second" : "", p);
}

/* The quantile that says most: the median if it differs. */
static bool is_first(const struct diff *d, const struct finding *f)
{
	const struct finding *other;
	unsigned int i;

	for (i = 0; i < QUANTILES; i++) {
		other = find(d, f->row, FINDING_DURATION, i);
		if (other && other != f && other->differs && f->quantile != MEDIAN &&
		    (i == MEDIAN || i < f->quantile))
			return false;
	}
	return true;
}

static void print_duration(const struct diff *d, const struct finding *f, FILE *to)
{
	char good[CELL], bad[CELL], change[CELL], p[CELL];
	const struct finding *other;
	const char *also = "; also";
	unsigned int i;

	put_ns(good, f->value[GOOD]);
	put_ns(bad, f->value[BAD]);
	put_change(change, f->ratio);
	put_p(p, f->p);
	fprintf(to, "duration %s %s -> %s (%s, %s, %llu and %llu calls)", quantiles[f->quantile],
		good, bad, change, p, (unsigned long long)f->row->of[GOOD].durations.nr,
		(unsigned long long)f->row->of[BAD].durations.nr);
	for (i = 0; i < QUANTILES; i++) {
		other = find(d, f->row, FINDING_DURATION, i);
		if (!other || other == f || !other->differs)
			continue;
		put_change(change, other->ratio);
		fprintf(to, "%s %s (%s)", also, quantiles[i], change);
		also = ",";
	}
}

static void print_kind(const struct finding *f, FILE *to)
{
	const char *what = f->what == FINDING_ERROR ? "error" : "caller";
	char p[CELL];

	fprintf(to, "%s%s %s: %llu -> %llu of %llu and %llu events", f->value[GOOD] > 0 ? "" : "new ",
		what, f->kind->name, events(f, GOOD), events(f, BAD),
		(unsigned long long)f->row->of[GOOD].nr, (unsigned long long)f->row->of[BAD].nr);
	put_p(p, f->p);
	if (f->tested)
		fprintf(to, " (%s)", p);
}

static void print_finding(const struct diff *d, const struct finding *f, FILE *to)
{
	put_name(f->row, to);
	fputs(": ", to);
	switch (f->what) {
	case FINDING_EVENTS:
		print_events(d, f, to);
		break;
	case FINDING_DURATION:
		print_duration(d, f, to);
		break;
	default:
		print_kind(f, to);
		break;
	}
	fputs(f->certain ? "\n" : "; not certain, as events were lost\n", to);
}

static void print_lost(const struct diff *d, const struct table_event *event, int file, FILE *to)
{
	if (event->recorded[file] != event->recorded[!file]) {
		if (event->recorded[file])
			fprintf(to, "%s: only %s has recorded it: record both with the same events, or choose with -e\n",
				event->name, d->path[file]);
	} else if (event->lost[file] && !d->why[file]) {
		fprintf(to, "%s: %s lacks %llu events: they were lost%s\n", event->name, d->path[file],
			(unsigned long long)event->lost[file],
			d->no_result[file] ? ", or --if has no result" : "");
	}
}

static void print_verdict(const struct diff *d, FILE *to)
{
	size_t i, differ = 0;

	for (i = 0; i < d->nr; i++)
		differ += d->findings[i].differs;
	if (d->few)
		fprintf(to, "durations of %zu rows were not compared: a file has fewer than %llu of them\n",
			d->few, (unsigned long long)finding_durations(MEDIAN));
	if (differ)
		fprintf(to, "%zu of %zu comparisons differ", differ, d->nr);
	else
		fprintf(to, "no difference in %zu comparisons", d->nr);
	fprintf(to, " by more than %.3g %% and chance (level %.3g %%)", d->tolerance * 100, DIFF_LEVEL * 100);
	if (diff_status(d) == DIFF_UNKNOWN)
		fprintf(to, "; unknown: what is missing could change this");
	fputc('\n', to);
}

void diff_print(const struct diff *d, FILE *to)
{
	const struct table_event *event;
	const struct finding *f;
	int file;

	for (file = GOOD; file <= BAD; file++)
		fprintf(to, "%s: %s, %llu events in %.3f s\n", file == GOOD ? "GOOD" : "BAD ", d->path[file],
			(unsigned long long)d->span[file].nr, d->seconds[file]);
	fputc('\n', to);
	print_table(d, to);
	for (f = d->findings; f < d->findings + d->nr; f++)
		if (f->differs && (f->what != FINDING_DURATION || is_first(d, f)))
			print_finding(d, f, to);
	for (file = GOOD; file <= BAD; file++) {
		if (d->why[file])
			fprintf(to, "%s: it is not known how many events are missing: %s\n", d->path[file],
				d->why[file]);
		for (event = d->table.events; event; event = event->next)
			print_lost(d, event, file, to);
	}
	print_verdict(d, to);
}
