// SPDX-License-Identifier: GPL-2.0
/*
 * A report as JSON, one object per line, in this order:
 *	{"type":"calls","calls":5,"duration_ns":50312000,"longest_ns":10204000,
 *	 "did_not_return":0,"lost":0}
 *	{"type":"calls_of","event":"call:drv_ioctl","calls":5,"duration_ns":...,"longest_ns":...}
 *	{"type":"event",...}	the slowest calls, as tap trace --why --json prints them
 *	{"type":"cause","cause":"lock","sum_ns":30100000,"largest_in":3,"max_ns":10100000}
 *	{"type":"wait","part":"lock","sum_ns":30100000,"count":3,"max_ns":10100000,"stack":[...]}
 * There is a "cause" for each part, also if it is 0: their "sum_ns" add up to "duration_ns". A
 * "wait" whose stack found no room, or is beyond -n, is in the last one, whose "stack" is null.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "why/report.h"

/* Bytes of a stack. */
#define STACK_SIZE	(64 << 10)

static unsigned long long ns_of(const struct why_out *out, __u64 ticks)
{
	return tap_timebase_ns(out->format.timebase, ticks);
}

static void print_totals(const struct why *why, const struct why_out *out)
{
	const struct causes *c = &why->causes;
	size_t i;

	fprintf(out->to, "{\"type\":\"calls\",\"calls\":%llu,\"duration_ns\":%llu,\"longest_ns\":%llu,\"did_not_return\":%llu,\"lost\":%llu}\n",
		(unsigned long long)c->calls, ns_of(out, c->duration), ns_of(out, c->longest),
		(unsigned long long)why->endless, (unsigned long long)out->lost);
	for (i = 0; i < why->nr_events && why->events[i].calls; i++) {
		const struct why_event *event = &why->events[i];

		fputs("{\"type\":\"calls_of\",", out->to);
		tool_json_event(out->to, event->spec);
		fprintf(out->to, ",\"calls\":%llu,\"duration_ns\":%llu,\"longest_ns\":%llu}\n",
			(unsigned long long)event->calls, ns_of(out, event->duration),
			ns_of(out, event->longest));
	}
}

static void print_causes(const struct why *why, const struct why_out *out)
{
	__u64 ns[NR_CAUSES];
	unsigned int i;

	causes_ns(&why->causes, out->format.timebase, ns);
	for (i = 0; i < NR_CAUSES; i++)
		fprintf(out->to, "{\"type\":\"cause\",\"cause\":\"%s\",\"sum_ns\":%llu,\"largest_in\":%llu,\"max_ns\":%llu}\n",
			cause_name(i), (unsigned long long)ns[i],
			(unsigned long long)why->causes.of[i].largest,
			ns_of(out, why->causes.of[i].max));
}

/* @part: NULL: of several parts. */
static void print_wait(const struct why_out *out, const struct wait *wait, const char *part,
		       const char *stack)
{
	fprintf(out->to, "{\"type\":\"wait\",\"part\":%s%s%s,\"sum_ns\":%llu,\"count\":%llu,\"max_ns\":%llu,\"stack\":%s}\n",
		part ? "\"" : "", part ? part : "null", part ? "\"" : "", ns_of(out, wait->sum),
		(unsigned long long)wait->nr, ns_of(out, wait->max), stack);
}

static int print_waits(const struct why *why, const struct why_out *out)
{
	static const struct tap_field field = {
		.format = TAP_FMT_KSTACK, .words = 1 + TAP_WAIT_FRAMES,
	};
	char *stack = malloc(STACK_SIZE);
	const struct wait *wait;
	struct wait rest;
	__u32 i, others = waits_rest(&why->waits, why->rows, &rest);

	if (!stack)
		return -ENOMEM;
	for (i = 0; i < why->waits.nr - others; i++) {
		wait = &why->waits.list[i];
		report_names_at(out, wait->time);
		if (tap_format_words(&out->format, &field, wait->words, stack, STACK_SIZE) < 0)
			strcpy(stack, "null");
		print_wait(out, wait, tap_part_name(wait->part), stack);
	}
	if (rest.nr)
		print_wait(out, &rest, NULL, "null");
	free(stack);
	return 0;
}

int report_print_json(const struct why *why, const struct why_out *out)
{
	int ret;

	print_totals(why, out);
	ret = report_print_slowest(why, out);
	if (!ret) {
		print_causes(why, out);
		ret = print_waits(why, out);
	}
	return ret;
}
