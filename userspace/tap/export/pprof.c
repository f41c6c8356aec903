// SPDX-License-Identifier: GPL-2.0
/*
 * The format of pprof: stacks with the number of their events, the sum of their durations and of
 * the counters of --pmu, and labels with the event and the command name. A profile is one message
 * of Protocol Buffers, compressed by gzip, whose fields may come in any order.
 *
 * Memory is bounded: full tables are written and begin again. Then a string, a function or a stack
 * may be in the file twice, with two numbers; readers add up.
 */
#include <errno.h>
#include <stdlib.h>

#include "export/frame.h"
#include "export/gzip.h"
#include "export/intern.h"
#include "export/proto.h"
#include "export/row.h"

/* Profile. */
enum {
	PROFILE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_TIME = 9,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT = 14,
};

/* Sample, Label, Mapping, Location, Line, Function; each but the first two has an id in field 1. */
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };
enum { LABEL_KEY = 1, LABEL_TEXT = 2 };
enum { MAPPING_FILE = 5, MAPPING_HAS_FUNCTIONS = 7 };
enum { LOCATION_MAPPING = 2, LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1, LINE_NUMBER = 2 };
enum { FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3, FUNCTION_FILE = 4 };

/* What has numbers of its own. */
enum { OF_MAPPING, OF_FUNCTION, OF_LOCATION };

/* Locations of an event: two stacks with what is inlined in each frame. More are left out. */
#define LOCATIONS_MAX	(2 * TAP_MAX_STACK * 9)
/* Counters of the whole file; the values of others are not added up. */
#define COUNTERS_MAX	64
#define NR_VALUES	(2 + COUNTERS_MAX)

/* The key of a sample: the strings of its labels, and its locations, the innermost first. */
struct key {
	__u64 event;
	__u64 comm;
	__u64 locations[LOCATIONS_MAX];
};

/**
 * struct pprof - the state of the writer
 * @profile: fields that are not compressed yet
 * @gzip: the file
 * @strings: numbers of the strings in @strings, with @before_strings added
 * @before_strings: strings that are written and forgotten
 * @others: numbers of mappings, functions and locations
 * @before_others: likewise
 * @samples: stacks with labels, by struct key
 * @values: of @samples: count, nanoseconds and counters
 * @room: samples that @values has room for
 * @counters: names of the counters
 * @nr_counters: number of @counters
 * @events: events that were exported
 * @stackless: events without a stack
 */
struct pprof {
	struct proto profile;
	struct gzip gzip;
	struct intern strings;
	__u64 before_strings;
	struct intern others;
	__u64 before_others;
	struct intern samples;
	__u64 *values;
	size_t room;
	const char *counters[COUNTERS_MAX];
	unsigned int nr_counters;
	__u64 events;
	__u64 stackless;
};

static unsigned int nr_values(const struct pprof *pp)
{
	return 2 + pp->nr_counters;
}

/* The index of a string out of a line of JSON. Index 0 is the empty string. */
static __u64 string(struct pprof *pp, const struct json *text)
{
	bool added;
	__u32 number;

	if (!text->len)
		return 0;
	number = intern_number(&pp->strings, 0, text->at, text->len, &added);
	pp->profile.failed |= !number;
	if (added)
		proto_json(&pp->profile, PROFILE_STRING, text);
	return pp->before_strings + number;
}

/* The same of a text that needs no escape in JSON. */
static __u64 plain(struct pprof *pp, const char *text)
{
	const struct json json = { text, strlen(text) };

	return string(pp, &json);
}

static __u64 number_of(struct pprof *pp, unsigned char kind, const void *data, size_t len,
		       bool *added)
{
	__u32 number = intern_number(&pp->others, kind, data, len, added);

	pp->profile.failed |= !number;
	return pp->before_others + number;
}

static __u64 mapping(struct pprof *pp, const struct json *object)
{
	__u64 file = string(pp, object), id;
	bool added;
	size_t entry;

	id = number_of(pp, OF_MAPPING, &file, sizeof(file), &added);
	if (!added)
		return id;
	entry = proto_begin(&pp->profile, PROFILE_MAPPING);
	proto_number(&pp->profile, 1, id);
	proto_number(&pp->profile, MAPPING_FILE, file);
	/* Else pprof looks for the file to name its functions. */
	proto_number(&pp->profile, MAPPING_HAS_FUNCTIONS, true);
	proto_end(&pp->profile, entry);
	return id;
}

static __u64 function(struct pprof *pp, const struct frame *f)
{
	const __u64 key[] = { string(pp, &f->name), string(pp, &f->source) };
	bool added;
	__u64 id = number_of(pp, OF_FUNCTION, key, sizeof(key), &added);
	size_t entry;

	if (!added)
		return id;
	entry = proto_begin(&pp->profile, PROFILE_FUNCTION);
	proto_number(&pp->profile, 1, id);
	proto_number(&pp->profile, FUNCTION_NAME, key[0]);
	proto_number(&pp->profile, FUNCTION_SYSTEM_NAME, key[0]);
	proto_number(&pp->profile, FUNCTION_FILE, key[1]);
	proto_end(&pp->profile, entry);
	return id;
}

/* A line of a function. The offset in the function is left out: it is no address in a mapping. */
static __u64 location(struct pprof *pp, const struct json *text, bool user)
{
	static const struct json kernel = { "[kernel]", 8 }, unknown = { "[unknown]", 9 };
	struct frame f;
	__u64 key[3], id;
	bool added;
	size_t entry, line;

	frame_split(&f, text);
	key[0] = mapping(pp, f.object.len ? &f.object : user ? &unknown : &kernel);
	key[1] = function(pp, &f);
	key[2] = f.line;
	id = number_of(pp, OF_LOCATION, key, sizeof(key), &added);
	if (!added)
		return id;
	entry = proto_begin(&pp->profile, PROFILE_LOCATION);
	proto_number(&pp->profile, 1, id);
	proto_number(&pp->profile, LOCATION_MAPPING, key[0]);
	line = proto_begin(&pp->profile, LOCATION_LINE);
	proto_number(&pp->profile, LINE_FUNCTION, key[1]);
	proto_number(&pp->profile, LINE_NUMBER, f.line);
	proto_end(&pp->profile, line);
	proto_end(&pp->profile, entry);
	return id;
}

static unsigned int add_locations(struct pprof *pp, const struct json *stack, bool user, __u64 *ids)
{
	const char *at = stack->at ? json_members(stack) : "]";
	struct json frame;
	unsigned int nr = 0;

	while (json_element(&at, &frame) && nr < LOCATIONS_MAX / 2) {
		frame = json_inside(&frame);
		ids[nr++] = location(pp, &frame, user);
	}
	return nr;
}

/* ---------------------------------------------------------------------- samples */

static void put_label(struct pprof *pp, const char *key, __u64 text)
{
	size_t label = proto_begin(&pp->profile, SAMPLE_LABEL);

	proto_number(&pp->profile, LABEL_KEY, plain(pp, key));
	proto_number(&pp->profile, LABEL_TEXT, text);
	proto_end(&pp->profile, label);
}

static void put_sample(struct pprof *pp, const struct intern_entry *e)
{
	const __u64 *values = pp->values + (size_t)(e->number - 1) * nr_values(pp);
	/* A byte of the kind is in front. */
	const char *bytes = pp->samples.keys.data + e->at + 1;
	size_t nr = (e->len - 1) / sizeof(__u64), i, sample;
	__u64 word, comm;

	sample = proto_begin(&pp->profile, PROFILE_SAMPLE);
	for (i = offsetof(struct key, locations) / sizeof(__u64); i < nr; i++) {
		memcpy(&word, bytes + i * sizeof(word), sizeof(word));
		proto_number(&pp->profile, SAMPLE_LOCATION, word);
	}
	for (i = 0; i < nr_values(pp); i++)
		proto_number(&pp->profile, SAMPLE_VALUE, values[i]);
	memcpy(&word, bytes + offsetof(struct key, event), sizeof(word));
	memcpy(&comm, bytes + offsetof(struct key, comm), sizeof(comm));
	put_label(pp, "event", word);
	if (comm)
		put_label(pp, "comm", comm);
	proto_end(&pp->profile, sample);
}

static int flush(struct export *x, struct pprof *pp, bool last)
{
	int ret;

	if (pp->profile.failed)
		return -ENOMEM;
	ret = gzip_write(&pp->gzip, &x->out, pp->profile.buf.data, pp->profile.buf.len, last);
	pp->profile.buf.len = 0;
	return ret;
}

/* Writes all samples and forgets them. The labels' keys are written first: no string is in a
 * sample. */
static int flush_samples(struct export *x, struct pprof *pp)
{
	size_t i;
	int ret;

	plain(pp, "event");
	plain(pp, "comm");
	ret = flush(x, pp, false);
	for (i = 0; !ret && i < INTERN_ENTRIES && pp->samples.entries; i++) {
		if (!pp->samples.entries[i].number)
			continue;
		put_sample(pp, &pp->samples.entries[i]);
		ret = flush(x, pp, false);
	}
	intern_clear(&pp->samples);
	return ret;
}

/* The values of a sample, from 0. */
static __u64 *values_of(struct pprof *pp, const struct key *key, unsigned int nr)
{
	bool added;
	__u32 number = intern_number(&pp->samples, 0, key,
				     offsetof(struct key, locations) + nr * sizeof(__u64), &added);
	size_t room = pp->room ? 2 * pp->room : 256;
	__u64 *values;

	if (!number)
		return NULL;
	if (number > pp->room) {
		values = realloc(pp->values, room * nr_values(pp) * sizeof(*values));
		if (!values)
			return NULL;
		pp->values = values;
		pp->room = room;
	}
	values = pp->values + (size_t)(number - 1) * nr_values(pp);
	if (added)
		memset(values, 0, nr_values(pp) * sizeof(*values));
	return values;
}

static void add_counter(const struct pprof *pp, const struct row_values *v, __u64 *values)
{
	unsigned int i;

	for (i = 0; i < pp->nr_counters; i++)
		if (!strcmp(pp->counters[i], v->field->name))
			values[2 + i] += strtoull(v->value.at, NULL, 10);
}

static int add_event(struct pprof *pp, const struct row *row)
{
	struct json kernel = { 0 }, user = { 0 }, comm = { 0 };
	const struct json event = json_inside(&row->member[ROW_EVENT]);
	const struct tap_spec *spec = tap_probe_spec(row->ev->probe);
	struct row_values v;
	struct key key;
	unsigned int nr;
	__u64 *values;

	if (row_has(row, ROW_COMM))
		comm = json_inside(&row->member[ROW_COMM]);
	row_values(&v, row);
	while (row_values_next(&v))
		row_is_stack(&v, &kernel, &user);
	nr = add_locations(pp, &kernel, false, key.locations);
	nr += add_locations(pp, &user, true, key.locations + nr);
	pp->events++;
	pp->stackless += !nr;
	if (!nr)
		return 0;
	key.event = string(pp, &event);
	key.comm = string(pp, &comm);
	values = values_of(pp, &key, nr);
	if (!values)
		return -ENOMEM;
	values[0]++;
	if (!row_has(row, ROW_DURATION_NS))
		return 0;
	values[1] += row_number(row, ROW_DURATION_NS);
	/* Of an event that is no call a counter is a count so far: no sum makes sense. */
	row_values(&v, row);
	while (tap_probe_is_call(tap_probe_type(row->ev->probe)) && row_values_next(&v))
		if (tap_spec_is_counter(spec, v.field) && !json_is(&v.value, "null", 4))
			add_counter(pp, &v, values);
	return 0;
}

static void forget(struct intern *table, __u64 *before)
{
	*before += table->nr;
	intern_clear(table);
}

static int write_row(struct export *x, const struct row *row)
{
	struct pprof *pp = x->state;
	int ret = 0;

	/* The call has a second record at its return. A comment at the end has the number of losses. */
	if (!row->ev->probe || row->ev->rec->flags & TAP_F_ENTRY)
		return 0;
	if (intern_full(&pp->samples) || intern_full(&pp->strings) || intern_full(&pp->others)) {
		ret = flush_samples(x, pp);
		forget(&pp->strings, &pp->before_strings);
		forget(&pp->others, &pp->before_others);
	}
	if (!ret)
		ret = add_event(pp, row);
	return ret ? ret : flush(x, pp, false);
}

/* ---------------------------------------------------------------- begin and end */

static void put_type(struct pprof *pp, unsigned int field, const char *type, const char *unit)
{
	__u64 type_string = plain(pp, type), unit_string = plain(pp, unit);
	size_t entry = proto_begin(&pp->profile, field);

	proto_number(&pp->profile, 1, type_string);
	proto_number(&pp->profile, 2, unit_string);
	proto_end(&pp->profile, entry);
}

static void find_counters(struct export *x, struct pprof *pp)
{
	const struct tap_probe *probe;
	const struct tap_field *f;
	unsigned int i, k;
	size_t n;

	for (n = 0; (probe = tap_probes_get(x->probes, n)); n++) {
		for (i = 0; export_wants(x, probe) && (f = tap_probe_field(probe, i)); i++) {
			for (k = 0; k < pp->nr_counters && strcmp(pp->counters[k], f->name); k++)
				;
			if (k == pp->nr_counters && k < COUNTERS_MAX &&
			    tap_probe_is_call(tap_probe_type(probe)) &&
			    tap_spec_is_counter(tap_probe_spec(probe), f))
				pp->counters[pp->nr_counters++] = f->name;
		}
	}
}

static void put_comment(struct pprof *pp, const char *text)
{
	size_t len = strlen(text);
	char *escaped = malloc(len * TAP_PUT_CHAR_MAX + TAP_PIECE_BYTES);
	struct json json = { .at = escaped };

	if (!escaped) {
		pp->profile.failed = true;
		return;
	}
	json.len = (size_t)(tap_put_json(escaped, text, len) - escaped);
	proto_number(&pp->profile, PROFILE_COMMENT, string(pp, &json));
	free(escaped);
}

static int begin(struct export *x)
{
	const struct tap_file_info *info = tap_file_info(x->file);
	struct pprof *pp = calloc(1, sizeof(*pp));
	unsigned int i;
	int ret = pp ? gzip_open(&pp->gzip) : -ENOMEM;

	x->state = pp;
	if (ret)
		return ret;
	proto_bytes(&pp->profile, PROFILE_STRING, "", 0);
	find_counters(x, pp);
	put_type(pp, PROFILE_TYPE, "events", "count");
	put_type(pp, PROFILE_TYPE, "duration", "nanoseconds");
	for (i = 0; i < pp->nr_counters; i++)
		put_type(pp, PROFILE_TYPE, pp->counters[i], "count");
	put_type(pp, PROFILE_PERIOD_TYPE, "events", "count");
	proto_number(&pp->profile, PROFILE_PERIOD, 1);
	proto_number(&pp->profile, PROFILE_DEFAULT, plain(pp, "events"));
	proto_number(&pp->profile, PROFILE_TIME, info->date * 1000000000ULL);
	put_comment(pp, info->command);
	return flush(x, pp, false);
}

static int end(struct export *x)
{
	struct tap_reader_counts counts = { .size = sizeof(counts) };
	struct pprof *pp = x->state;
	char text[64];
	int ret;

	tap_file_counts(x->file, &counts);
	if (counts.lost) {
		snprintf(text, sizeof(text), "%llu events were lost while recording",
			 (unsigned long long)counts.lost);
		put_comment(pp, text);
	}
	ret = flush_samples(x, pp);
	if (!ret)
		ret = flush(x, pp, true);
	if (pp->stackless && !x->quiet)
		tool_error("%llu of %llu events had no stack and are missing here",
			   (unsigned long long)pp->stackless, (unsigned long long)pp->events);
	return ret;
}

static void free_state(struct export *x)
{
	struct pprof *pp = x->state;

	if (!pp)
		return;
	tap_buffer_free(&pp->profile.buf);
	gzip_free(&pp->gzip);
	intern_free(&pp->strings);
	intern_free(&pp->others);
	intern_free(&pp->samples);
	free(pp->values);
	free(pp);
}

const struct export_format export_pprof = {
	.name = "pprof", .binary = true, .stacks = true,
	.begin = begin, .row = write_row, .end = end, .free = free_state,
};
