// SPDX-License-Identifier: GPL-2.0
/*
 * A report as text:
 *	5 calls: 50.312ms in all, 10.062ms on average, 10.204ms at most
 *
 *	The slowest calls
 *	...as tap trace --why prints them
 *
 *	CAUSE              SUM   SHARE  LARGEST IN   MAXIMUM
 *	lock          30.100ms  59.8 %           3  10.100ms
 *	...
 *	all           50.312ms 100.0 %           5  10.204ms
 *
 *	The longest wait of each call, by stack: 40.103ms of the 41.000ms that calls waited
 *	      SUM  COUNT   MAXIMUM  PART   STACK
 *	 30.100ms      3  10.100ms  lock   mutex_lock < drv_ioctl < ...
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "why/report.h"

/* Bytes of a duration, and of a stack in one line. */
#define DURATION_SIZE	32
#define CHAIN_SIZE	16384

static const char *ns_text(__u64 ns, char buf[DURATION_SIZE])
{
	static const struct tap_field field = { .format = TAP_FMT_NS, .words = 1 };
	const struct tap_formatter_opts format = { .size = sizeof(format) };

	if (tap_format_words(&format, &field, &ns, buf, DURATION_SIZE) < 0)
		strcpy(buf, "?");
	return buf;
}

static const char *ticks_text(const struct why_out *out, __u64 ticks, char buf[DURATION_SIZE])
{
	return ns_text(tap_timebase_ns(out->format.timebase, ticks), buf);
}

static void print_totals(const struct why *why, const struct why_out *out)
{
	const struct causes *c = &why->causes;
	__u64 ns = tap_timebase_ns(out->format.timebase, c->duration);
	char all[DURATION_SIZE], average[DURATION_SIZE], longest[DURATION_SIZE];

	if (c->calls)
		fprintf(out->to, "%llu call%s: %s in all, %s on average, %s at most\n",
			(unsigned long long)c->calls, c->calls == 1 ? "" : "s", ns_text(ns, all),
			ns_text(ns / c->calls, average), ticks_text(out, c->longest, longest));
	else
		fputs("0 calls\n", out->to);
	if (why->endless)
		fprintf(out->to, "calls that did not return, and are missing here: %llu\n",
			(unsigned long long)why->endless);
	if (out->lost)
		fprintf(out->to, "events that were lost, and are missing here: %llu\n",
			(unsigned long long)out->lost);
}

static void print_events(const struct why *why, const struct why_out *out)
{
	char sum[DURATION_SIZE], longest[DURATION_SIZE];
	const struct why_event *event;
	size_t i;

	if (why->nr_events < 2 || !why->events[1].calls)
		return;
	fprintf(out->to, "\n%9s %9s %9s  %s\n", "CALLS", "SUM", "LONGEST", "EVENT");
	for (i = 0; i < why->nr_events && why->events[i].calls; i++) {
		event = &why->events[i];
		if (i == why->rows) {
			fputs("... ('-n' prints more)\n", out->to);
			break;
		}
		fprintf(out->to, "%9llu %9s %9s  %s\n", (unsigned long long)event->calls,
			ticks_text(out, event->duration, sum),
			ticks_text(out, event->longest, longest), tap_spec_event(event->spec));
	}
}

static void print_cause(const struct why_out *out, const char *name, __u64 ns, __u64 all,
			const struct cause *cause)
{
	char sum[DURATION_SIZE], max[DURATION_SIZE];

	fprintf(out->to, "%-11s %9s %5.1f %% %11llu %9s\n", name, ns_text(ns, sum),
		all ? 100.0 * (double)ns / (double)all : 100.0, (unsigned long long)cause->largest,
		ticks_text(out, cause->max, max));
}

/* The greatest first. What is 0 is left out. */
static void print_causes(const struct why *why, const struct why_out *out)
{
	const struct causes *c = &why->causes;
	const struct cause all = { .max = c->longest, .largest = c->calls };
	__u64 ns[NR_CAUSES], duration = causes_ns(c, out->format.timebase, ns);
	bool done[NR_CAUSES] = { false };
	unsigned int i, k, most;

	fprintf(out->to, "\n%-11s %9s %7s %11s %9s\n", "CAUSE", "SUM", "SHARE", "LARGEST IN", "MAXIMUM");
	for (k = 0; k < NR_CAUSES; k++) {
		for (i = 0, most = NR_CAUSES; i < NR_CAUSES; i++)
			if (!done[i] && (most == NR_CAUSES || c->of[i].sum > c->of[most].sum))
				most = i;
		done[most] = true;
		if (c->of[most].sum || c->of[most].largest)
			print_cause(out, cause_name(most), ns[most], duration, &c->of[most]);
	}
	print_cause(out, "all", duration, duration, &all);
}

static void print_wait(const struct why_out *out, const struct wait *wait, const char *part,
		       const char *stack)
{
	char sum[DURATION_SIZE], max[DURATION_SIZE];

	fprintf(out->to, "%9s %8llu %9s  %-5s  %s\n", ticks_text(out, wait->sum, sum),
		(unsigned long long)wait->nr, ticks_text(out, wait->max, max), part, stack);
}

static int print_waits(const struct why *why, const struct why_out *out)
{
	const struct cause *of = why->causes.of;
	__u64 waited = of[TAP_PART_LOCK].sum + of[TAP_PART_IO].sum + of[TAP_PART_SLEEP].sum;
	char of_all[DURATION_SIZE], all[DURATION_SIZE], *chain;
	const struct wait *wait;
	struct wait rest;
	__u32 i, others = waits_rest(&why->waits, why->rows, &rest);

	if (!why->waits.nr)
		return 0;
	chain = malloc(CHAIN_SIZE);
	if (!chain)
		return -ENOMEM;
	fprintf(out->to, "\nThe longest wait of each call, by stack: %s of the %s that calls waited\n",
		ticks_text(out, why->waits.sum, of_all), ticks_text(out, waited, all));
	fprintf(out->to, "%9s %8s %9s  %-5s  %s\n", "SUM", "COUNT", "MAXIMUM", "PART", "STACK");
	for (i = 0; i < why->waits.nr - others; i++) {
		wait = &why->waits.list[i];
		report_names_at(out, wait->time);
		if (!(wait->words[0] & TAP_TEXT_LEN))
			strcpy(chain, "(no stack)");
		else if (tap_format_chain(&out->format, wait->words, chain, CHAIN_SIZE) < 0)
			strcpy(chain, "?");
		print_wait(out, wait, tap_part_name(wait->part), chain);
	}
	snprintf(chain, CHAIN_SIZE, why->waits.rest.nr ? "(more than %u other stacks)" :
		 "(other stacks: %u)", others);
	if (rest.nr)
		print_wait(out, &rest, "", chain);
	free(chain);
	return 0;
}

int report_print_text(const struct why *why, const struct why_out *out)
{
	int ret;

	print_totals(why, out);
	if (!why->causes.calls)
		return 0;
	print_events(why, out);
	fprintf(out->to, "\nThe slowest calls\n");
	ret = report_print_slowest(why, out);
	if (!ret) {
		print_causes(why, out);
		ret = print_waits(why, out);
	}
	return ret;
}
