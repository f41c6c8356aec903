// SPDX-License-Identifier: GPL-2.0
/*
 * From events to failures.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "blame/report.h"
#include "dwarf/dwarf.h"
#include "trace_file.h"

/* A value with more words is left out. */
#define MAX_WORDS	64
/* How the event of a line begins. */
#define LINE	"line:"

bool blame_knows(const struct tap_probe *probe)
{
	return (tap_probe_find_field(probe, BLAME_ENCLOSED) || tap_probe_find_field(probe, BLAME_NULL)) &&
	       tap_probe_is_call(tap_probe_type(probe));
}

size_t blame_memory(void)
{
	return (BLAME_ALL_CALLS + BLAME_KEPT_CALLS) * (sizeof(struct blame_call) + BLAME_ARGS) +
	       sizeof(struct blame);
}

static int open_probe(struct blame *blame, const struct tap_probe *probe, struct tap_error *err)
{
	__u32 id = tap_probe_id(probe);
	int ret;

	blame->of[id].line = !strncmp(tap_spec_wanted(tap_probe_spec(probe)), LINE, strlen(LINE));
	if (!blame_knows(probe))
		return 0;
	blame->of[id].null = tap_probe_find_field(probe, BLAME_NULL);
	ret = tap_query_open(&blame->of[id].nested, probe, blame->names.timebase,
			     blame->of[id].null ? BLAME_NULL : BLAME_ENCLOSED, err);
	if (!ret)
		ret = tap_query_open(&blame->of[id].code, probe, blame->names.timebase, "retval", err);
	/* A function that returns nothing does not fail. */
	return ret == -ENOMEM ? ret : 0;
}

int blame_open(struct blame **out, const struct tap_probes *probes,
	       const struct tap_formatter_opts *names, struct tap_types *types,
	       struct tap_error *err)
{
	struct blame *blame = calloc(1, sizeof(*blame));
	size_t i;
	int ret = 0;

	if (blame) {
		blame->names = *names;
		blame->types = types;
		blame->probes = probes;
		blame->nr_of = trace_file_ids(probes);
		blame->of = calloc(blame->nr_of + 1, sizeof(*blame->of));
	}
	if (!blame || !blame->of)
		ret = tap_error_set(err, -ENOMEM, "out of memory");
	for (i = 0; i < tap_probes_nr(probes) && !ret; i++)
		ret = open_probe(blame, tap_probes_get(probes, i), err);
	if (ret)
		blame_close(blame);
	else
		*out = blame;
	return ret;
}

void blame_close(struct blame *blame)
{
	size_t i;

	if (!blame)
		return;
	for (i = 0; blame->of && i < blame->nr_of; i++) {
		tap_query_close(blame->of[i].code);
		tap_query_close(blame->of[i].nested);
		tap_dwarf_returns_free(blame->of[i].returns, blame->of[i].nr_returns);
		tap_dwarf_bodies_free(blame->of[i].bodies, blame->of[i].nr_bodies);
	}
	for (i = 0; i < blame->nr; i++)
		blame_call_free(blame->failures[i].call);
	blame_calls_free(&blame->calls);
	free(blame->of);
	free(blame);
}

const char *blame_code_text(__s64 code, char buf[BLAME_TEXT])
{
	static const struct tap_field field = { .format = TAP_FMT_ERRNO, .words = 1 };
	const struct tap_formatter_opts format = { .size = sizeof(format) };
	const __u64 word = (__u64)code;

	if (!code)
		strcpy(buf, "NULL");
	else if (tap_format_words(&format, &field, &word, buf, BLAME_TEXT) < 0)
		strcpy(buf, "?");
	return buf;
}

const char *blame_time_text(const struct blame *blame, __u64 ticks, char buf[BLAME_TEXT])
{
	static const struct tap_field field = { .format = TAP_FMT_DURATION, .words = 1 };

	if (tap_format_words(&blame->names, &field, &ticks, buf, BLAME_TEXT) < 0)
		strcpy(buf, "?");
	return buf;
}

const char *blame_function(const struct blame_call *call)
{
	const char *target = tap_spec_target(tap_probe_spec(call->probe));
	const char *colon = strrchr(target, ':');

	return colon ? colon + 1 : target;
}

/* Adds "name=value" to @text, at @len; returns the new length, the old one if it does not fit. */
static size_t add_value(const struct blame *blame, const struct tap_event *ev,
			const struct tap_field *field, char *text, size_t len)
{
	__u64 words[MAX_WORDS];
	unsigned int i;
	size_t at;
	int ret;

	if (field->words > MAX_WORDS || tap_event_absent(ev, field))
		return len;
	for (i = 0; i < field->words; i++)
		words[i] = tap_event_word(ev, field->word + i);
	at = len + (size_t)snprintf(text + len, BLAME_ARGS - len, "%s%s=", len ? ", " : "", field->name);
	if (at >= BLAME_ARGS)
		ret = -ENOSPC;
	else
		ret = tap_format_words(&blame->names, field, words, text + at, BLAME_ARGS - at);
	if (ret >= 0)
		return at + (size_t)ret;
	text[len] = 0;
	return len;
}

static char *args_of(const struct blame *blame, const struct tap_event *ev)
{
	const __u32 unseen = TAP_FIELD_F_HIDDEN | TAP_FIELD_F_ABSENT | TAP_FIELD_F_OLD;
	unsigned int i, nr = tap_probe_nr_fields(ev->probe);
	const struct tap_field *field;
	char text[BLAME_ARGS] = "";
	size_t len = 0;

	for (i = 0; i < nr; i++) {
		field = tap_probe_field(ev->probe, i);
		if (!(field->flags & unseen) && strcmp(field->name, BLAME_ENCLOSED) &&
		    strcmp(field->name, BLAME_NULL) &&
		    field->format != TAP_FMT_DURATION && field->word != TAP_CALL_RETVAL)
			len = add_value(blame, ev, field, text, len);
	}
	return strdup(text);
}

/* Makes failures of a call that is the outermost one; the call belongs to it. */
static void fail(struct blame *blame, const struct tap_event *ev, struct blame_call *call)
{
	size_t i, nr = blame_call_count(call, true);
	struct blame_failure *f;

	for (i = 0; i < blame->nr; i++) {
		f = &blame->failures[i];
		if (!blame_call_same(f->call, call, true))
			continue;
		f->count++;
		blame_call_free(call);
		return;
	}
	if (blame->nr == BLAME_FAILURES || blame->kept + nr > BLAME_KEPT_CALLS) {
		blame->others++;
		blame_call_free(call);
		return;
	}
	blame->kept += nr;
	f = &blame->failures[blame->nr++];
	*f = (struct blame_failure) { .call = call, .tid = ev->rec->tid, .count = 1 };
	tap_event_comm(ev, f->comm);
}

/*
 * Whether the number is an error of its type: an int, or a pointer that holds one. NULL is recorded
 * only if it is one.
 */
static bool is_error(const struct tap_query_result *r, bool null)
{
	return !r->text && (r->number >= -(__u64)BLAME_MAX_ERRNO || (null && !r->number));
}

/* A line of --again. */
static int add_hit(struct blame *blame, const struct tap_event *ev)
{
	struct blame_call *hit = calloc(1, sizeof(*hit));

	if (!hit)
		return -ENOMEM;
	*hit = (struct blame_call) { .probe = ev->probe, .entry = ev->time, .end = ev->time, .hit = true };
	blame_calls_add(&blame->calls, ev, hit, true);
	return 0;
}

int blame_event(void *arg, struct tap_event *ev)
{
	struct blame *blame = arg;
	struct tap_query_result code, nested;
	struct blame_call *call;
	__u32 id;

	if (!ev->probe)
		return 0;
	id = tap_probe_id(ev->probe);
	if (blame->of[id].line)
		return add_hit(blame, ev);
	if (ev->rec->flags & TAP_F_NO_RETURN || !blame->of[id].code ||
	    tap_query_result(blame->of[id].code, ev, &code) || !is_error(&code, blame->of[id].null) ||
	    tap_query_result(blame->of[id].nested, ev, &nested))
		return 0;
	call = calloc(1, sizeof(*call));
	if (!call)
		return -ENOMEM;
	*call = (struct blame_call) {
		.probe = ev->probe, .end = ev->time, .code = (__s64)code.number,
		.entry = ev->time - tap_event_word(ev, TAP_CALL_DURATION),
		.args = args_of(blame, ev),
	};
	if (!call->args) {
		free(call);
		return -ENOMEM;
	}
	call = blame_calls_add(&blame->calls, ev, call, nested.number);
	if (call)
		fail(blame, ev, call);
	return 0;
}

/* Finds where each failure comes from. */
static void find_first(struct blame *blame)
{
	size_t i;

	for (i = 0; i < blame->nr; i++) {
		blame->failures[i].first = blame_first(blame, blame->failures[i].call);
		blame_decide(blame, &blame->failures[i]);
	}
}

int blame_again(struct blame *blame, int (*add)(void *arg, const char *event), void *arg)
{
	size_t i;
	int ret = 0;

	find_first(blame);
	for (i = 0; i < blame->nr && !ret; i++)
		ret = blame_places(blame, &blame->failures[i], add, arg);
	return ret;
}

bool blame_has_all(const struct blame *blame, const struct blame *first)
{
	size_t i, k;

	for (i = 0; i < first->nr; i++) {
		for (k = 0; k < blame->nr; k++)
			if (blame_call_same(first->failures[i].call, blame->failures[k].call, false))
				break;
		if (k == blame->nr)
			return false;
	}
	return true;
}

int blame_print(struct blame *blame, const struct blame_out *out)
{
	find_first(blame);
	if (out->json)
		blame_print_json(blame, out);
	else
		blame_print_text(blame, out);
	if (blame->nr)
		return BLAME_FAILED;
	if (out->lost)
		return BLAME_TROUBLE;
	if (!out->quiet)
		tool_error("no call failed");
	return 0;
}
