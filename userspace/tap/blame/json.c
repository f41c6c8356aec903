// SPDX-License-Identifier: GPL-2.0
/*
 * A report as JSON: an object for each failure, and one for the totals.
 */
#include "blame/report.h"

static void print_call(const struct blame *blame, FILE *to, const struct blame_call *call,
		       const struct blame_call *first)
{
	const struct blame_call *inner;
	const char *comma = "";
	char code[BLAME_TEXT];

	fputs("{\"function\":", to);
	tool_json(to, blame_function(call));
	fputs(",\"args\":", to);
	tool_json(to, call->args);
	fprintf(to, ",\"error\":\"%s\",\"code\":%lld,\"duration_ns\":%llu,\"first\":%s,\"calls\":[",
		blame_code_text(call->code, code), (long long)call->code,
		(unsigned long long)tap_timebase_ns(blame->names.timebase, call->end - call->entry),
		call == first ? "true" : "false");
	for (inner = call->inner; inner; inner = inner->next) {
		if (inner->hit)
			continue;
		fputs(comma, to);
		print_call(blame, to, inner, first);
		comma = ",";
	}
	fputs("]}", to);
}

static void print_failure(struct blame *blame, const struct blame_failure *f, FILE *to)
{
	const struct blame_call *first = f->first;
	char code[BLAME_TEXT];
	struct blame_origin origin;
	size_t i;

	blame_origin(blame, f, &origin);
	fputs("{\"type\":\"failure\",\"comm\":", to);
	tool_json(to, f->comm);
	fprintf(to, ",\"tid\":%u,\"error\":\"%s\",\"code\":%lld,\"from\":", f->tid,
		blame_code_text(f->call->code, code), (long long)f->call->code);
	tool_json(to, blame_function(f->call));
	fputs(",\"first\":", to);
	tool_json(to, blame_function(first));
	fputs(",\"lines\":[", to);
	for (i = 0; i < origin.nr && i < BLAME_SHOWN; i++) {
		fprintf(to, "%s{\"line\":", i ? "," : "");
		tool_json(to, origin.lines[i].text);
		fputs(",\"callee\":", to);
		if (*origin.lines[i].callee)
			tool_json(to, origin.lines[i].callee);
		else
			fputs("null", to);
		fputc('}', to);
	}
	fprintf(to, "],\"possible_lines\":%zu", origin.nr);
	fputs(",\"caller\":", to);
	if (origin.caller)
		tool_json(to, blame_function(origin.caller));
	else
		fputs("null", to);
	fprintf(to, ",\"before_ns\":%llu,\"count\":%llu,\"call\":",
		(unsigned long long)tap_timebase_ns(blame->names.timebase, f->call->end - first->end),
		(unsigned long long)f->count);
	print_call(blame, to, f->call, first);
	fputs("}\n", to);
}

void blame_print_json(struct blame *blame, const struct blame_out *out)
{
	__u64 count = blame->others;
	size_t i;

	for (i = 0; i < blame->nr; i++) {
		print_failure(blame, &blame->failures[i], out->to);
		count += blame->failures[i].count;
	}
	fprintf(out->to, "{\"type\":\"total\",\"failures\":%llu,\"other_failures\":%llu,\"other_calls\":%zu,\"lost\":%llu}\n",
		(unsigned long long)count, (unsigned long long)blame->others,
		blame_calls_unused(&blame->calls), (unsigned long long)out->lost);
}
