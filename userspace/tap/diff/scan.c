// SPDX-License-Identifier: GPL-2.0
/*
 * Reads a file. All that is kept of an event are numbers of its row, so that memory does not grow
 * with the file.
 */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "diff/diff.h"
#include "diff/keys.h"
#include "expect/losses.h"
#include "flame/fold.h"
#include "sigbus.h"
#include "trace_file.h"
#include "trace_select.h"

/* The errors of the kernel are -4095 to -1. */
#define MAX_ERRNO	4095
/* Room for the name of an address, and for that of an error. */
#define NAME_ROOM	1024
/* Different keys in the words of the records. */
#define MAX_KEYS	65536

/* @words: @len bytes, the id of the probe first; in a search only. */
struct keyed {
	struct keyed *next;
	const void *words;
	size_t len;
	struct table_row *row;
};

/**
 * struct scan - a file that is read
 * @d: the comparison
 * @index: %GOOD or %BAD
 * @again: it is read for the second time
 * @file: the file
 * @select: the events that are used
 * @names: names addresses
 * @losses: what the file lacks
 * @of: by id of a probe
 * @of.event: its event
 * @of.row: its row without keys
 * @of.keys: --by
 * @of.error: the error of a return value
 * @of.duration: NULL if the probe has none
 * @of.retval: likewise
 * @of.stack: the field of the stack; NULL without one
 * @of.unclear: events for which --if has no result
 * @keyed: rows by the words of their keys
 * @first: one of @keyed
 * @nr_keyed: number of @keyed
 */
struct scan {
	struct diff *d;
	int index;
	bool again;
	struct tap_file_reader *file;
	struct trace_select select;
	struct tap_formatter_opts names;
	struct losses losses;
	struct {
		struct table_event *event;
		struct table_row *row;
		struct keys keys;
		struct keys error;
		struct tap_query *duration;
		struct tap_query *retval;
		const struct tap_field *stack;
		__u64 unclear;
	} *of;
	void *keyed;
	struct keyed *first;
	size_t nr_keyed;
};

static int no_memory(struct tap_error *err)
{
	return tap_error_set(err, -ENOMEM, "out of memory");
}

/* A value that not all probes have. */
static int open_value(struct tap_query **query, const struct scan *s, const struct tap_probe *probe,
		      const char *name, struct tap_error *err)
{
	int ret = tap_query_open(query, probe, s->select.timebase, name, err);

	return ret == -ENOMEM ? ret : 0;
}

static const struct tap_field *find_stack(const struct tap_spec *spec)
{
	const struct tap_field *field, *found = NULL;
	unsigned int i;

	for (i = 0; i < tap_spec_nr_fields(spec); i++) {
		field = tap_spec_field(spec, i);
		if (field->format == TAP_FMT_KSTACK && !(field->flags & TAP_FIELD_F_WAIT))
			return field;
		if (field->format == TAP_FMT_USTACK)
			found = field;
	}
	return found;
}

static int open_probe(struct scan *s, const struct tap_probe *probe, struct tap_error *err)
{
	static const char *const error[] = { "retval:errno" };
	const struct tap_spec *spec = tap_probe_spec(probe);
	__u32 id = tap_probe_id(probe);
	struct table_event *event;
	int ret;

	if (!s->select.from[id].wanted)
		return 0;
	s->of[id].event = event = table_event(&s->d->table, tap_spec_event(spec));
	if (!event)
		return no_memory(err);
	event->recorded[s->index] = true;
	s->of[id].stack = find_stack(spec);
	ret = open_value(&s->of[id].duration, s, probe, "duration", err);
	if (!ret)
		ret = open_value(&s->of[id].retval, s, probe, "retval", err);
	if (!ret && s->of[id].retval)
		ret = keys_open(&s->of[id].error, probe, error, 1, &s->names, err);
	if (!ret && s->d->nr_keys)
		return keys_open(&s->of[id].keys, probe, s->d->keys, s->d->nr_keys, &s->names, err);
	return ret ? ret : table_row(&s->d->table, event, "", "{}", &s->of[id].row, err);
}

static int scan_open(struct scan *s, struct tap_error *err)
{
	const struct diff *d = s->d;
	const struct tap_probes *probes;
	const struct tap_probe *probe;
	int ret = tap_file_open(&s->file, d->path[s->index], err);
	size_t i;

	if (ret)
		return ret;
	s->select = (struct trace_select) {
		.path = d->path[s->index], .events = d->events, .nr_events = d->nr_events,
		.condition = d->condition,
	};
	ret = trace_select_open(&s->select, s->file, err);
	if (ret)
		return ret;
	s->names.size = sizeof(s->names);
	probes = tap_file_probes(s->file);
	s->of = calloc(trace_file_ids(probes) + 1, sizeof(*s->of));
	if (!s->of || losses_open(&s->losses, s->file) || tap_file_names(s->file, &s->names))
		return no_memory(err);
	for (i = 0; !ret && (probe = tap_probes_get(probes, i)); i++)
		ret = open_probe(s, probe, err);
	return ret;
}

static void scan_close(struct scan *s)
{
	struct keyed *keyed;
	size_t id;

	for (id = 0; s->of && id < s->select.nr; id++) {
		keys_close(&s->of[id].keys);
		keys_close(&s->of[id].error);
		tap_query_close(s->of[id].duration);
		tap_query_close(s->of[id].retval);
	}
	while ((keyed = s->first)) {
		s->first = keyed->next;
		free(keyed);
	}
	free(s->of);
	losses_close(&s->losses);
	trace_select_close(&s->select);
	tap_file_close(s->file);
}

static int compare_keyed(const void *left, const void *right)
{
	const struct keyed *a = left, *b = right;

	if (a->len != b->len)
		return a->len < b->len ? -1 : 1;
	return memcmp(a->words, b->words, a->len);
}

/* The tree is made of the entries themselves, so tdestroy() has only its nodes to free. */
static void keep_entry(void *entry)
{
	(void)entry;
}

static char *text_of(struct keys *keys, bool json)
{
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	if (!to)
		return NULL;
	keys_text(keys, json, to);
	if (!fclose(to))
		return text;
	free(text);
	return NULL;
}

static int add_keyed(struct scan *s, const struct keyed *wanted, struct table_event *event,
		     struct keys *keys, struct table_row **row, struct tap_error *err)
{
	char *text = text_of(keys, false), *json = text_of(keys, true);
	struct keyed *keyed = malloc(sizeof(*keyed) + wanted->len);
	int ret;

	if (!text || !json || !keyed)
		ret = no_memory(err);
	else if (s->nr_keyed == MAX_KEYS)
		ret = tap_error_set(err, -E2BIG,
				    "%s: --by has more than %d different values; choose keys with fewer",
				    s->d->path[s->index], MAX_KEYS);
	else
		ret = table_row(&s->d->table, event, text, json, row, err);
	free(text);
	free(json);
	if (ret) {
		free(keyed);
		return ret;
	}
	memcpy(keyed + 1, wanted->words, wanted->len);
	keyed->words = keyed + 1;
	keyed->len = wanted->len;
	keyed->row = *row;
	keyed->next = s->first;
	s->first = keyed;
	s->nr_keyed++;
	return tsearch(keyed, &s->keyed, compare_keyed) ? 0 : no_memory(err);
}

static int find_row(struct scan *s, const struct tap_event *ev, struct table_row **row,
		    struct tap_error *err)
{
	__u32 id = tap_probe_id(ev->probe);
	__u64 words[1 + KEYS_WORDS] = { id };
	struct keyed wanted = { .words = words };
	unsigned int nr;
	void *at;

	*row = s->of[id].row;
	if (*row)
		return 0;
	if (keys_read(&s->of[id].keys, ev, words + 1, &nr))
		return no_memory(err);
	wanted.len = (1 + nr) * sizeof(*words);
	at = tfind(&wanted, &s->keyed, compare_keyed);
	if (!at)
		return add_keyed(s, &wanted, s->of[id].event, &s->of[id].keys, row, err);
	*row = (*(struct keyed **)at)->row;
	return 0;
}

static unsigned int block_of(const struct scan *s, const struct tap_event *ev)
{
	const struct scan_span *span = &s->d->span[s->index];

	return significance_block(ev->time > span->begin ? ev->time - span->begin : 0,
				  span->end - span->begin + 1);
}

static int add_kind(struct scan *s, const struct tap_event *ev, struct table_row *row,
		    enum table_kind_of of, const char *name, struct tap_error *err)
{
	struct table_kind *kind;
	int ret = table_kind(&s->d->table, row, of, name, &kind, err);

	if (ret)
		return ret;
	if (s->again)
		kind->blocks[s->index][block_of(s, ev)]++;
	else
		kind->nr[s->index]++;
	return 0;
}

static int add_error(struct scan *s, const struct tap_event *ev, struct table_row *row,
		     struct tap_error *err)
{
	__u32 id = tap_probe_id(ev->probe);
	__u64 words[KEYS_WORDS];
	struct tap_query_result r;
	unsigned int nr;
	char *text;
	int ret;

	if (!s->of[id].retval || tap_query_result(s->of[id].retval, ev, &r) || r.text ||
	    (__s64)r.number >= 0 || (__s64)r.number < -MAX_ERRNO)
		return 0;
	if (keys_read(&s->of[id].error, ev, words, &nr))
		return no_memory(err);
	text = text_of(&s->of[id].error, false);
	if (!text)
		return no_memory(err);
	/* "retval=-EIO" */
	ret = add_kind(s, ev, row, KIND_ERROR, strchr(text, '=') + 1, err);
	free(text);
	return ret;
}

static void name_frame(const struct scan *s, const struct tap_event *ev, __u64 addr, char *name)
{
	const struct tap_formatter_opts *names = &s->names;
	size_t len;

	if (s->of[tap_probe_id(ev->probe)].stack->format == TAP_FMT_USTACK ?
	    !names->resolve_user ||
	    names->resolve_user(names->resolve_user_arg, ev->rec->tgid,
				tap_timebase_mono(names->timebase, ev->time), addr, name, NAME_ROOM) :
	    !names->resolve || names->resolve(names->resolve_arg, addr, name, NAME_ROOM)) {
		strcpy(name, "(unknown)");
		return;
	}
	name[strcspn(name, "\n")] = '\0';
	memmove(name, flame_frame_name(name, &len), len + 1);
	name[len] = '\0';
}

/* Whether a function is the one that is probed: "call:name", "kprobe:module:name+0x10 ...". */
static bool is_target(const struct tap_event *ev, const char *name)
{
	const char *text = tap_spec_text(tap_probe_spec(ev->probe));
	size_t len = strcspn(text, " +"), nr = strlen(name);

	return len > nr && text[len - nr - 1] == ':' && !memcmp(text + len - nr, name, nr);
}

/* Who called: the innermost function of the stack that is not the one that is probed. */
static int add_caller(struct scan *s, const struct tap_event *ev, struct table_row *row,
		      struct tap_error *err)
{
	const struct tap_field *stack = s->of[tap_probe_id(ev->probe)].stack;
	char name[NAME_ROOM + 1];
	unsigned int i, nr;

	if (!stack)
		return 0;
	nr = (unsigned int)(tap_event_word(ev, stack->word) & TAP_TEXT_LEN) / 8;
	for (i = 0; i < nr && i + 1 < stack->words; i++) {
		/* A return address may be behind the function whose last instruction is a call. */
		name_frame(s, ev, tap_event_word(ev, stack->word + 1 + i) - !!i, name);
		if (!is_target(ev, name))
			return add_kind(s, ev, row, KIND_CALLER, name, err);
	}
	return 0;
}

static int add_duration(struct scan *s, const struct tap_event *ev, struct table_row *row,
			struct tap_error *err)
{
	__u32 id = tap_probe_id(ev->probe);
	struct table_side *side = &row->of[s->index];
	struct tap_query_result r;
	unsigned int i, as, block;

	if (!s->of[id].duration || tap_query_result(s->of[id].duration, ev, &r) || r.text)
		return 0;
	if (!s->again)
		return histogram_add(&side->durations, r.number) ? no_memory(err) : 0;
	block = significance_block(side->seen++, side->durations.nr);
	/* The clock has whole nanoseconds: a duration is the middle of one. */
	for (i = 0; i < QUANTILES; i++)
		for (as = 0; as < 2; as++)
			side->above[i][as][block] += (double)r.number + .5 > side->bound[i][as];
	return 0;
}

static int use_event(struct scan *s, const struct tap_event *ev, struct tap_error *err)
{
	struct table_row *row;
	int ret = find_row(s, ev, &row, err);

	if (ret)
		return ret;
	if (s->again)
		row->of[s->index].blocks[block_of(s, ev)]++;
	else
		row->of[s->index].nr++;
	ret = add_duration(s, ev, row, err);
	if (!ret)
		ret = add_error(s, ev, row, err);
	return ret ? ret : add_caller(s, ev, row, err);
}

/* The entry of a call that has a record of its return as well. */
static bool is_entry(const struct tap_event *ev)
{
	return ev->probe && ev->rec->flags & TAP_F_ENTRY;
}

static void extend(struct scan_span *span, __u64 time)
{
	if (time < span->begin)
		span->begin = time;
	if (time > span->end)
		span->end = time;
}

/* --from and --to count from the first event: the times since boot of two files have no relation. */
static void set_times(struct scan *s, __u64 first)
{
	__u64 begin = tap_timebase_mono(s->select.timebase, first);

	s->select.from_ns = s->d->from_ns ? begin + s->d->from_ns : 0;
	s->select.to_ns = s->d->to_ns ? begin + s->d->to_ns : 0;
}

static int scan_events(struct scan *s, struct scan_span *span, struct tap_error *err)
{
	struct tap_event ev;
	bool first = true;
	__u64 no_result;
	int bad, ret = 0;

	while (!ret && tap_file_next(s->file, &ev)) {
		bad = tap_decode(tap_file_probes(s->file), &ev);
		if (bad == -EOPNOTSUPP)	/* of a later version */
			continue;
		losses_event(&s->losses, &ev, bad);
		if (bad || !ev.probe || is_entry(&ev))
			continue;
		if (first)
			set_times(s, ev.time);
		first = false;
		if (trace_select_time(&s->select, ev.time))
			extend(span, ev.time);
		no_result = s->select.no_result;
		if (trace_select_uses(&s->select, &ev))
			ret = use_event(s, &ev, err);
		s->of[tap_probe_id(ev.probe)].unclear += s->select.no_result - no_result;
	}
	span->nr = s->select.used;
	return ret;
}

/* Whether events between --from and --to may be among those that were lost. */
static bool is_in_time(const struct scan *s, const struct losses_sum *lost)
{
	const struct trace_select *select = &s->select;

	if (!lost->events || !lost->begin)
		return lost->events;
	return tap_timebase_mono(select->timebase, lost->end) >= select->from_ns &&
	       (!select->to_ns || tap_timebase_mono(select->timebase, lost->begin) < select->to_ns);
}

static int add_losses(struct scan *s)
{
	struct losses_sum lost;
	__u64 *sum;
	__u32 id;

	losses_end(&s->losses, s->file);
	/* It may be a text of the file, which will be closed. */
	s->d->why[s->index] = s->losses.why ? strdup(s->losses.why) : NULL;
	if (s->losses.why && !s->d->why[s->index])
		return -ENOMEM;
	s->d->no_result[s->index] = s->select.no_result;
	for (id = 0; id < s->select.nr; id++) {
		if (!s->of[id].event)
			continue;
		memset(&lost, 0, sizeof(lost));
		losses_add(&s->losses, id, &lost);
		if (!is_in_time(s, &lost))
			memset(&lost, 0, sizeof(lost));
		losses_add_untimed(&lost, s->of[id].unclear);
		sum = &s->of[id].event->lost[s->index];
		*sum = tool_sum(*sum, lost.events);
	}
	return 0;
}

static int scan(struct scan *s, struct scan_span *span, struct tap_error *err)
{
	int ret = scan_open(s, err);

	if (!ret)
		ret = scan_events(s, span, err);
	if (!ret && !s->again && add_losses(s))
		ret = tap_error_set(err, -ENOMEM, "out of memory");
	if (!ret && !s->again) {
		s->d->seconds[s->index] = span->end > span->begin ?
			(double)tap_timebase_ns(s->select.timebase, span->end - span->begin) / 1e9 : 0;
	}
	tdestroy(s->keyed, keep_entry);
	scan_close(s);
	return ret;
}

int scan_file(struct diff *d, int file, struct tap_error *err)
{
	struct scan s = { .d = d, .index = file };

	d->span[file] = (struct scan_span) { .begin = UINT64_MAX };
	return scan(&s, &d->span[file], err);
}

int scan_file_again(struct diff *d, int file, struct tap_error *err)
{
	struct scan s = { .d = d, .index = file, .again = true };
	struct scan_span span = { .begin = UINT64_MAX };
	int ret = scan(&s, &span, err);

	if (!ret && (sigbus_seen() || memcmp(&span, &d->span[file], sizeof(span))))
		return tap_error_set(err, -EAGAIN, "%s: the file changed while it was read; wait until its recording has ended",
				     d->path[file]);
	return ret;
}
