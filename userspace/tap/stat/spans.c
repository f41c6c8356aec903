// SPDX-License-Identifier: GPL-2.0
/*
 * Spans at the end of a run. The table of totals:
 *
 *	SPAN    BEGINS = OPENED + RESTARTED + NO ROOM + BUSY | ENDS = ENDED + UNMATCHED | OPEN
 *	span:rq   1200 =   1198 +         2 +       0 +    0 | 1199 =  1197 +         2 |    1  OK
 *
 * "OK" says that both sums are right, that opened = ended + open (and what was cleared), and that
 * the ended ones are the hits of the span's own counters.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stat/spans.h"

/* Bytes for the text of one value, stacks included. */
#define VALUE_MAX	(64 << 10)

/**
 * struct span_totals - a span and its sides
 * @read: the counts of its table
 * @begins: events of its "from" sides that passed their tests
 * @ends: the same of its "to" sides
 * @hits: hits of the span itself
 */
struct span_totals {
	struct tap_span_read read;
	__u64 begins;
	__u64 ends;
	__u64 hits;
};

/* Adds a counter of a probe up: hits, or the events that its tests let pass. */
static int count(const struct run *run, const struct tap_probe *probe, bool hits, __u64 *sum)
{
	unsigned int nr = tap_session_nr_rings(run->session), i;
	struct tap_counters *counters = calloc(nr, sizeof(*counters));
	struct tap_stats stats;
	int ret = -ENOMEM;

	if (counters)
		ret = tap_session_stats(run->session, tap_probe_id(probe), &stats, counters, nr);
	for (i = 0; i < nr && !ret; i++)
		*sum += hits ? counters[i].hits : counters[i].aggregated;
	free(counters);
	return ret;
}

/* Reads a span; its sides follow it in the probe table. */
static int totals_read(const struct run *run, size_t at, struct span_totals *t)
{
	const struct tap_probe *probe = tap_probes_get(run->probes, at);
	enum tap_span_side side;
	int ret;

	*t = (struct span_totals) { .read.id = tap_probe_id(probe) };
	ret = tap_session_span(run->session, &t->read);
	if (!ret)
		ret = count(run, probe, true, &t->hits);
	while (!ret && (probe = tap_probes_get(run->probes, ++at))) {
		side = tap_spec_side(tap_probe_spec(probe));
		if (!side)
			break;
		ret = count(run, probe, false, side == TAP_SIDE_FROM ? &t->begins : &t->ends);
	}
	return ret;
}

static bool adds_up(const struct span_totals *t)
{
	const struct tap_span_read *r = &t->read;

	return t->begins == r->out_opened + r->out_restarted + r->out_full + r->out_busy &&
	       t->ends == r->out_ended + r->out_unmatched &&
	       r->out_opened == r->out_ended + r->out_cleared + r->out_open &&
	       r->out_ended == t->hits;
}

static bool is_span(const struct run *run, size_t i)
{
	return tap_spec_type(tap_probe_spec(tap_probes_get(run->probes, i))) == TAP_PROBE_SPAN;
}

static bool print_totals(const char *event, int width, const struct span_totals *t)
{
	const struct tap_span_read *r = &t->read;
	bool ok = adds_up(t);

	fprintf(stderr, "%-*s %8llu = %8llu + %9llu + %7llu + %4llu | %8llu = %8llu + %9llu | %8llu  %s\n",
		width, event, (unsigned long long)t->begins,
		(unsigned long long)r->out_opened, (unsigned long long)r->out_restarted,
		(unsigned long long)r->out_full, (unsigned long long)r->out_busy,
		(unsigned long long)t->ends, (unsigned long long)r->out_ended,
		(unsigned long long)r->out_unmatched, (unsigned long long)r->out_open,
		ok ? "OK" : "COUNTERS MISMATCH");
	if (r->out_cleared)
		fprintf(stderr, "%s: %llu opened twice at the same time by two CPUs, and ended as one\n",
			event, (unsigned long long)r->out_cleared);
	if (r->out_unmatched_busy)
		fprintf(stderr, "%s: %llu of the unmatched ends met a begin that was being stored\n",
			event, (unsigned long long)r->out_unmatched_busy);
	if (r->out_full)
		fprintf(stderr, "%s: %llu begins found no room; give it more with --entries\n",
			event, (unsigned long long)r->out_full);
	return ok;
}

int spans_check(const struct run *run, struct tap_error *err)
{
	size_t i, nr = tap_probes_nr(run->probes);
	struct span_totals totals;
	bool ok = true;
	int width = 0, len, ret;

	for (i = 0; i < nr && !run->opts->quiet; i++) {
		if (!is_span(run, i))
			continue;
		len = (int)strlen(tap_probe_event(tap_probes_get(run->probes, i)));
		width = len > width ? len : width;
	}
	if (!width)
		return 0;
	fprintf(stderr, "%-*s %8s   %8s   %9s   %7s   %4s   %8s   %8s   %9s   %8s\n", width, "SPAN",
		"BEGINS", "OPENED", "RESTARTED", "NO ROOM", "BUSY", "ENDS", "ENDED", "UNMATCHED",
		"OPEN");
	for (i = 0; i < nr; i++) {
		const struct tap_probe *probe = tap_probes_get(run->probes, i);

		if (!is_span(run, i))
			continue;
		ret = totals_read(run, i, &totals);
		if (ret)
			return tap_explain(err, TAP_IOC_SPAN, ret, tap_probe_spec(probe));
		ok &= print_totals(tap_probe_event(probe), width, &totals);
	}
	return ok ? 0 : tap_error_set(err, -EBADMSG,
				      "the counters of a span do not add up: this is a bug in tapmod");
}

/* ------------------------------------------------------------------- open */

/**
 * struct open_entries - the open entries of a span
 * @words: @nr entries of @each words; allocated
 * @nr: how many entries @words has
 * @each: words of an entry
 */
struct open_entries {
	__u64 *words;
	size_t nr;
	size_t each;
};

static const struct tap_span_event *entry_of(const struct open_entries *open, size_t i)
{
	return (const struct tap_span_event *)(const void *)(open->words + i * open->each);
}

static int open_read(const struct run *run, const struct tap_probe *probe,
		     struct open_entries *open)
{
	struct tap_span_read read = { .id = tap_probe_id(probe) };
	size_t room;
	int ret = tap_session_span(run->session, &read);

	*open = (struct open_entries) { .each = read.out_entry_words };
	if (ret || !read.out_open)
		return ret;
	room = read.out_open;
	open->words = calloc(room, open->each * sizeof(*open->words));
	if (!open->words)
		return -ENOMEM;
	read.words = (__u64)(uintptr_t)open->words;
	read.nr_words = (__u32)(room * open->each);
	ret = tap_session_span(run->session, &read);
	open->nr = ret ? 0 : read.out_entries;
	return ret;
}

/*
 * The values of an entry from field @i on. As text, either the stacks, each in lines of its own,
 * or all others; as JSON all.
 */
static void put_fields(FILE *to, const struct tap_formatter_opts *format,
		       const struct tap_spec *spec, const struct tap_span_event *entry,
		       unsigned int i, unsigned int end, bool stacks, char *buf)
{
	const struct tap_field *field;
	const char *comma = "";
	bool kernel = false;

	for (; i < end && (field = tap_spec_open_field(spec, i)); i++) {
		if (field->flags & (TAP_FIELD_F_HIDDEN | TAP_FIELD_F_ABSENT) ||
		    (!format->json && (tool_is_kstack(field) || tool_is_ustack(field)) != stacks))
			continue;
		if (tap_format_words(format, field, (const __u64 *)(const void *)entry + field->word,
				     buf, VALUE_MAX) < 0)
			strcpy(buf, format->json ? "null" : "?");
		if (format->json) {
			fputs(comma, to);
			tool_json(to, field->name);
			fprintf(to, ":%s", buf);
			comma = ",";
		} else if (stacks) {
			if (kernel && tool_is_ustack(field))
				fputs(TAP_STACK_DIVIDER, to);
			kernel = tool_is_kstack(field);
			fputs(buf, to);
		} else {
			fprintf(to, " %s=%s", field->name, buf);
		}
	}
}

static void put_json(FILE *to, const struct tap_formatter_opts *format,
		     const struct tap_spec *spec, const struct tap_span_event *entry, char *buf)
{
	unsigned int keys = tap_spec_open_keys(spec);

	fputs("{\"type\":\"open\",", to);
	tool_json_event(to, spec);
	fprintf(to, ",\"age_ns\":%llu,\"from\":{\"comm\":", (unsigned long long)entry->duration);
	memcpy(buf, entry->from_comm, TAP_COMM_LEN);
	buf[TAP_COMM_LEN] = '\0';
	tool_json(to, buf);
	fprintf(to, ",\"tid\":%u,\"pid\":%u,\"cpu\":%u},\"key\":{", entry->from_tid,
		entry->from_tgid, entry->from_cpu);
	put_fields(to, format, spec, entry, 0, keys, false, buf);
	fputs("},\"args\":{", to);
	put_fields(to, format, spec, entry, keys, ~0U, false, buf);
	fputs("}}\n", to);
}

/**
 * struct open_line - entries with the same values
 * @values: their text; allocated
 * @oldest: the entry that has been open for the longest time
 * @nr: how many there are
 */
struct open_line {
	char *values;
	const struct tap_span_event *oldest;
	size_t nr;
};

static int by_values(const void *x, const void *y)
{
	const struct open_line *a = x, *b = y;
	int diff = strcmp(a->values, b->values);

	return diff ? diff : (a->oldest->duration < b->oldest->duration) -
			     (a->oldest->duration > b->oldest->duration);
}

static int by_number(const void *x, const void *y)
{
	const struct open_line *a = x, *b = y;

	if (a->nr != b->nr)
		return a->nr < b->nr ? 1 : -1;
	return (a->oldest->duration < b->oldest->duration) -
	       (a->oldest->duration > b->oldest->duration);
}

static char *values_text(const struct tap_formatter_opts *format, const struct tap_spec *spec,
			 const struct tap_span_event *entry, char *buf)
{
	char *text = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&text, &len);

	if (!to)
		return NULL;
	fprintf(to, " from.comm=\"%.*s\"", TAP_COMM_LEN, entry->from_comm);
	put_fields(to, format, spec, entry, tap_spec_open_keys(spec), ~0U, false, buf);
	put_fields(to, format, spec, entry, tap_spec_open_keys(spec), ~0U, true, buf);
	if (fclose(to)) {
		free(text);
		return NULL;
	}
	return text;
}

/* Merges equal neighbours of sorted lines; returns how many are left. */
static size_t merge(struct open_line *lines, size_t nr)
{
	size_t i, left = 0;

	for (i = 0; i < nr; i++) {
		if (left && !strcmp(lines[left - 1].values, lines[i].values)) {
			lines[left - 1].nr++;
			free(lines[i].values);
			continue;
		}
		lines[left++] = lines[i];
	}
	return left;
}

static int put_text(FILE *to, const struct tap_formatter_opts *format,
		    const struct tap_spec *spec, const struct open_entries *open, char *buf)
{
	static const struct tap_field age = { .format = TAP_FMT_NS, .words = 1 };
	struct open_line *lines = calloc(open->nr + 1, sizeof(*lines));
	size_t i, nr = 0;
	__u64 ns;
	int ret = lines ? 0 : -ENOMEM;

	for (i = 0; i < open->nr && !ret; i++) {
		lines[i] = (struct open_line) {
			values_text(format, spec, entry_of(open, i), buf), entry_of(open, i), 1,
		};
		if (lines[i].values)
			nr++;
		else
			ret = -ENOMEM;
	}
	if (!ret) {
		qsort(lines, nr, sizeof(*lines), by_values);
		nr = merge(lines, nr);
		qsort(lines, nr, sizeof(*lines), by_number);
		fprintf(to, "%s: %zu open\n", tap_spec_event(spec), open->nr);
	}
	for (i = 0; i < nr; i++) {
		ns = lines[i].oldest->duration;
		if (!ret && tap_format_words(format, &age, &ns, buf, VALUE_MAX) >= 0) {
			fprintf(to, "%8zu, oldest %s:", lines[i].nr, buf);
			put_fields(to, format, spec, lines[i].oldest, 0,
				   tap_spec_open_keys(spec), false, buf);
			fprintf(to, " from.tid=%u from.cpu=%u%s\n", lines[i].oldest->from_tid,
				lines[i].oldest->from_cpu, lines[i].values);
		}
		free(lines[i].values);
	}
	free(lines);
	return ret;
}

static int print_span(const struct run *run, const struct tap_probe *probe, FILE *to)
{
	const struct tap_spec *spec = tap_probe_spec(probe);
	struct tap_formatter_opts format = {
		.size = sizeof(format), .json = run->opts->json,
		.resolve = run_resolve, .resolve_arg = run,
		.resolve_user = run->users ? tap_user_symbols_lookup : NULL,
		.resolve_user_arg = run->users, .time = ~0ULL,
		.stack = tap_session_stack, .stack_arg = run->session,
	};
	struct open_entries open;
	char *buf = malloc(VALUE_MAX);
	size_t i;
	int ret = buf ? open_read(run, probe, &open) : -ENOMEM;

	if (ret) {
		free(buf);
		return ret;
	}
	if (!run->opts->json)
		ret = put_text(to, &format, spec, &open, buf);
	for (i = 0; i < open.nr && run->opts->json; i++) {
		format.tgid = entry_of(&open, i)->from_tgid;
		put_json(to, &format, spec, entry_of(&open, i), buf);
	}
	free(open.words);
	free(buf);
	return ret;
}

int spans_print_open(const struct run *run, struct output *out)
{
	size_t i, nr = tap_probes_nr(run->probes), len = 0;
	char *text = NULL;
	int ret = 0;
	FILE *to;

	if (!run->opts->open)
		return 0;
	to = open_memstream(&text, &len);
	if (!to)
		return -ENOMEM;
	for (i = 0; i < nr && !ret; i++)
		if (is_span(run, i))
			ret = print_span(run, tap_probes_get(run->probes, i), to);
	if (fclose(to) && !ret)
		ret = -ENOMEM;
	if (!ret)
		ret = output_write(out, text, len);
	free(text);
	return ret;
}
