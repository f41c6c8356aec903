// SPDX-License-Identifier: GPL-2.0
/*
 * The same as lines of JSON: a row, a difference, or the verdict.
 */
#include <math.h>

#include "diff/diff.h"
#include "expect/losses.h"

static const char *const sides[2] = { "good", "bad" };

static void print_row_name(const struct table_row *row, const char *type, FILE *to)
{
	fprintf(to, "{\"type\":\"%s\",\"event\":", type);
	tool_json(to, row->event->name);
	fprintf(to, ",\"keys\":%s", row->json);
}

/* Without a number: null. */
static void print_lost(const struct diff *d, const struct table_event *event, int file, FILE *to)
{
	if (d->why[file] || event->lost[file] == LOSSES_UNKNOWN)
		fputs(",\"lost\":null", to);
	else
		fprintf(to, ",\"lost\":%llu", (unsigned long long)event->lost[file]);
}

static void print_side(const struct diff *d, const struct table_row *row, int file, FILE *to)
{
	const struct table_side *side = &row->of[file];
	unsigned int i;

	if (!row->event->recorded[file]) {
		fprintf(to, ",\"%s\":null", sides[file]);
		return;
	}
	fprintf(to, ",\"%s\":{\"events\":%llu", sides[file], (unsigned long long)side->nr);
	print_lost(d, row->event, file, to);
	fprintf(to, ",\"durations\":%llu", (unsigned long long)side->durations.nr);
	if (side->durations.nr) {
		fputs(",\"quantiles_ns\":{", to);
		for (i = 0; i < QUANTILES; i++)
			fprintf(to, "%s\"%g\":%.1f", i ? "," : "", finding_shares[i],
				histogram_quantile(&side->durations, finding_shares[i]));
		fputc('}', to);
	}
	fputc('}', to);
}

static void print_finding(const struct finding *f, FILE *to)
{
	static const char *const names[] = {
		[FINDING_EVENTS] = "events", [FINDING_DURATION] = "duration",
		[FINDING_ERROR] = "error", [FINDING_CALLER] = "caller",
	};

	print_row_name(f->row, "difference", to);
	fprintf(to, ",\"of\":\"%s\"", names[f->what]);
	if (f->kind) {
		fprintf(to, ",\"%s\":", names[f->what]);
		tool_json(to, f->kind->name);
	}
	if (f->what == FINDING_DURATION)
		fprintf(to, ",\"quantile\":%g", finding_shares[f->quantile]);
	fprintf(to, ",\"good\":%.10g,\"bad\":%.10g", f->value[GOOD], f->value[BAD]);
	if (isfinite(f->ratio))
		fprintf(to, ",\"change\":%.6g", f->ratio - 1);
	else
		fputs(",\"change\":null", to);
	if (f->tested)
		fprintf(to, ",\"p\":%.3g", f->p);
	else
		fputs(",\"p\":null", to);
	fprintf(to, ",\"certain\":%s}\n", f->certain ? "true" : "false");
}

static void print_verdict(const struct diff *d, FILE *to)
{
	size_t i, differ = 0;

	for (i = 0; i < d->nr; i++)
		differ += d->findings[i].differs;
	fprintf(to, "{\"type\":\"verdict\",\"status\":%d,\"differences\":%zu,\"comparisons\":%zu,\"not_compared\":%zu,\"tolerance\":%g,\"level\":%g",
		diff_status(d), differ, d->nr, d->few, d->tolerance, DIFF_LEVEL);
	for (i = GOOD; i <= BAD; i++) {
		fprintf(to, ",\"%s\":{\"file\":", sides[i]);
		tool_json(to, d->path[i]);
		fprintf(to, ",\"events\":%llu,\"seconds\":%.9f}", (unsigned long long)d->span[i].nr,
			d->seconds[i]);
	}
	fputs("}\n", to);
}

void diff_print_json(const struct diff *d, FILE *to)
{
	const struct table_row *row;
	size_t i;

	for (row = d->table.rows; row; row = row->next) {
		print_row_name(row, "row", to);
		print_side(d, row, GOOD, to);
		print_side(d, row, BAD, to);
		fputs("}\n", to);
	}
	for (i = 0; i < d->nr; i++)
		if (d->findings[i].differs)
			print_finding(&d->findings[i], to);
	print_verdict(d, to);
}
