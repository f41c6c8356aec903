// SPDX-License-Identifier: GPL-2.0
/*
 * A report as text:
 *	insmod: -EIO from drv_init. First returned by drv_fw_check, 41us before
 *	  drv_init()                                      = -EIO    3.2ms
 *	    drv_probe(pdev=0xffff888003a4c000)            = -EIO    3.1ms
 *	      drv_fw_check(len=12)                        = -EIO      2us  <- here
 */
#include <string.h>

#include "blame/report.h"
#include "util/buffer.h"

/* Where the columns of errors and of times begin. */
#define CODE_COLUMN	50
#define TIME_WIDTH	9

static void print_call(const struct blame *blame, FILE *to, const struct blame_call *call,
		       const struct blame_call *first, int depth)
{
	char code[BLAME_TEXT], time[BLAME_TEXT];
	const struct blame_call *inner;
	const char *note = "";
	int width;

	if (call == first)
		note = "  <- here";
	else if (!call->passed)
		note = "  not passed on";
	width = fprintf(to, "%*s%s(%s)", 2 * depth, "", blame_function(call), call->args);
	fprintf(to, "%*s = %-10s %*s%s\n", width < CODE_COLUMN ? CODE_COLUMN - width : 0, "",
		blame_code_text(call->code, code), TIME_WIDTH,
		blame_time_text(blame, call->end - call->entry, time), note);
	for (inner = call->inner; inner; inner = inner->next)
		if (!inner->hit)
			print_call(blame, to, inner, first, depth + 1);
}

static void print_origin(const struct blame_origin *origin, const struct blame_call *first, FILE *to)
{
	size_t i, shown = origin->nr < BLAME_SHOWN ? origin->nr : BLAME_SHOWN;

	if (origin->caller)
		fprintf(to, ", called by %s", blame_function(origin->caller));
	for (i = 0; i < shown; i++) {
		fprintf(to, "%s%s", !i ? " (" : i + 1 < origin->nr && origin->nr > BLAME_SHOWN ? ", " : " or ",
			origin->lines[i].text);
		if (origin->lines[i].called && strcmp(origin->lines[i].callee, blame_function(first)))
			fprintf(to, ": result of %s", *origin->lines[i].callee ? origin->lines[i].callee : "a call");
	}
	if (origin->nr > shown)
		fprintf(to, " or %zu others", origin->nr - shown);
	if (shown)
		fputc(')', to);
}

static void print_failure(struct blame *blame, const struct blame_failure *f, FILE *to)
{
	const struct blame_call *first = f->first;
	char code[BLAME_TEXT], time[BLAME_TEXT], comm[2 * TAP_COMM_LEN + 1];
	struct blame_origin origin;

	blame_origin(blame, f, &origin);
	*tap_put_text(comm, f->comm, TAP_COMM_LEN, false) = '\0';
	fprintf(to, "%s: %s from %s. ", comm, blame_code_text(f->call->code, code),
		blame_function(f->call));
	fprintf(to, "First returned by %s", first == f->call ? "it" : blame_function(first));
	print_origin(&origin, first, to);
	if (first != f->call)
		fprintf(to, ", %s before", blame_time_text(blame, f->call->end - first->end, time));
	if (f->count > 1)
		fprintf(to, "; %llu times", (unsigned long long)f->count);
	fputc('\n', to);
	print_call(blame, to, f->call, first, 1);
}

void blame_print_text(struct blame *blame, const struct blame_out *out)
{
	size_t i;

	for (i = 0; i < blame->nr; i++) {
		if (i)
			fputc('\n', out->to);
		print_failure(blame, &blame->failures[i], out->to);
	}
	if (blame->others)
		fprintf(out->to, "failures of other calls, for which there is no room: %llu\n",
			(unsigned long long)blame->others);
	if (blame_calls_unused(&blame->calls))
		fprintf(out->to, "other calls that failed, while the outermost call around them did not, or has not ended: %zu\n",
			blame_calls_unused(&blame->calls));
	if (out->lost)
		fprintf(out->to, "events that were lost, and are missing here: %llu\n",
			(unsigned long long)out->lost);
}
