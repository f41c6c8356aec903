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

/**
 * struct source - where spans are read
 * @probes: the probe table
 * @run: a run; or NULL
 * @file: a trace file, if @run is NULL
 * @json: print JSON
 */
struct source {
	const struct tap_probes *probes;
	const struct run *run;
	const struct tap_file_reader *file;
	bool json;
};

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

static void add(const struct tap_counters *counters, unsigned int nr, bool hits, __u64 *sum)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		*sum += hits ? counters[i].hits :
			counters[i].aggregated + counters[i].written + counters[i].lost_full +
			counters[i].lost_nested;
}

/*
 * Adds a counter of a probe up: hits, or the events of a side that its tests let pass. Those with
 * records of their own (--sides) go to the span as well if their record is lost.
 */
static int count(const struct source *from, const struct tap_probe *probe, bool hits, __u64 *sum)
{
	struct tap_file_stats recorded = { .size = sizeof(recorded) };
	struct tap_counters *counters;
	struct tap_stats stats;
	unsigned int nr;
	int ret;

	if (!from->run) {
		ret = tap_file_get_stats(from->file, tap_probe_id(probe), &recorded);
		if (!ret)
			add(recorded.counters, recorded.nr_cpus, hits, sum);
		return ret;
	}
	nr = tap_session_nr_rings(from->run->session);
	counters = calloc(nr, sizeof(*counters));
	if (!counters)
		return -ENOMEM;
	ret = tap_session_stats(from->run->session, tap_probe_id(probe), &stats, counters, nr);
	if (!ret)
		add(counters, nr, hits, sum);
	free(counters);
	return ret;
}

/* Reads the counts of a span. -ENOENT: the trace file has none. */
static int counts_read(const struct source *from, const struct tap_probe *probe,
		       struct tap_span_read *read)
{
	const struct tap_span_read *recorded;

	*read = (struct tap_span_read) { .id = tap_probe_id(probe) };
	if (from->run)
		return tap_session_span(from->run->session, read);
	recorded = tap_file_get_span(from->file, read->id);
	if (recorded)
		*read = *recorded;
	return recorded ? 0 : -ENOENT;
}

/* Reads a span; its sides follow it in the probe table. */
static int totals_read(const struct source *from, size_t at, struct span_totals *t)
{
	const struct tap_probe *probe = tap_probes_get(from->probes, at);
	enum tap_span_side side;
	int ret;

	*t = (struct span_totals) { 0 };
	ret = counts_read(from, probe, &t->read);
	if (!ret)
		ret = count(from, probe, true, &t->hits);
	while (!ret && (probe = tap_probes_get(from->probes, ++at))) {
		side = tap_spec_side(tap_probe_spec(probe));
		if (!side)
			break;
		ret = count(from, probe, false, side == TAP_SIDE_FROM ? &t->begins : &t->ends);
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

static bool is_span(const struct tap_probes *probes, size_t i)
{
	return tap_spec_type(tap_probe_spec(tap_probes_get(probes, i))) == TAP_PROBE_SPAN;
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

/* Prints the table. Returns the width of its first column; 0: there is nothing to print. */
static int print_head(const struct source *from)
{
	size_t i, nr = tap_probes_nr(from->probes);
	int width = 0, len;

	for (i = 0; i < nr; i++) {
		if (!is_span(from->probes, i) ||
		    (!from->run && !tap_file_get_span(from->file, tap_probe_id(tap_probes_get(from->probes, i)))))
			continue;
		len = (int)strlen(tap_probe_event(tap_probes_get(from->probes, i)));
		width = len > width ? len : width;
	}
	if (width)
		fprintf(stderr, "%-*s %8s   %8s   %9s   %7s   %4s   %8s   %8s   %9s   %8s\n", width,
			"SPAN", "BEGINS", "OPENED", "RESTARTED", "NO ROOM", "BUSY", "ENDS", "ENDED",
			"UNMATCHED", "OPEN");
	return width;
}

static int check(const struct source *from, struct tap_error *err)
{
	size_t i, nr = tap_probes_nr(from->probes);
	struct span_totals totals;
	int width = print_head(from), ret;
	bool ok = true;

	for (i = 0; i < nr && width; i++) {
		const struct tap_probe *probe = tap_probes_get(from->probes, i);

		if (!is_span(from->probes, i))
			continue;
		ret = totals_read(from, i, &totals);
		if (ret == -ENOENT && !from->run)
			continue;
		if (ret)
			return tap_explain(err, TAP_IOC_SPAN, ret, tap_probe_spec(probe));
		ok &= print_totals(tap_probe_event(probe), width, &totals);
	}
	return ok ? 0 : tap_error_set(err, -EBADMSG,
				      "the counters of a span do not add up: this is a bug in tapmod");
}

/* Values that lines read as they were at the entry of their function, which was not seen. */
static void report_captures(const struct run *run)
{
	const struct tap_probe *probe;
	__u32 last = 0, id;
	size_t i;

	for (i = 0; (probe = tap_probes_get(run->probes, i)); i++) {
		struct tap_span_read read = { 0 };

		id = tap_spec_capture(tap_probe_spec(probe));
		/* The probes of a function are next to each other. */
		if (!id || id == last)
			continue;
		last = id;
		read.id = id;
		if (tap_session_span(run->session, &read) || !read.out_unmatched)
			continue;
		tool_error("%s: %llu values are absent: they are what arguments were at the entry of the function, which was not seen: it was before the event was armed, or was missed",
			   tap_probe_event(probe), (unsigned long long)read.out_unmatched);
	}
}

int spans_check(const struct run *run, struct tap_error *err)
{
	const struct source from = { .probes = run->probes, .run = run };

	if (run->opts->quiet)
		return 0;
	report_captures(run);
	return check(&from, err);
}

int spans_check_file(const struct tap_file_reader *file, struct tap_error *err)
{
	const struct source from = { .probes = tap_file_probes(file), .file = file };

	return check(&from, err);
}

/* ------------------------------------------------------------------- open */

static const struct tap_span_event *entry_of(const struct tap_span_read *open, size_t i)
{
	const __u64 *words = (const __u64 *)(uintptr_t)open->words;

	return (const struct tap_span_event *)(const void *)(words + i * open->out_entry_words);
}

/* Reads a span of a session, with its open entries, which the caller frees: @words. */
static int open_read(struct tap_session *session, const struct tap_probe *probe,
		     struct tap_span_read *open)
{
	size_t room;
	__u64 *words;
	int ret;

	*open = (struct tap_span_read) { .id = tap_probe_id(probe) };
	ret = tap_session_span(session, open);
	if (ret || !open->out_open)
		return ret;
	room = open->out_open * open->out_entry_words;
	words = calloc(room, sizeof(*words));
	if (!words)
		return -ENOMEM;
	open->words = (__u64)(uintptr_t)words;
	open->nr_words = (__u32)room;
	ret = tap_session_span(session, open);
	if (ret)
		free(words);
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
	static const struct tap_field comm = { .format = TAP_FMT_COMM, .words = TAP_COMM_LEN / 8 };
	__u64 words[TAP_COMM_LEN / 8];
	char *text = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&text, &len);

	if (!to)
		return NULL;
	memcpy(words, entry->from_comm, sizeof(words));
	if (tap_format_words(format, &comm, words, buf, VALUE_MAX) >= 0)
		fprintf(to, " from.comm=%s", buf);
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
		    const struct tap_spec *spec, const struct tap_span_read *open, char *buf)
{
	static const struct tap_field age = { .format = TAP_FMT_NS, .words = 1 };
	struct open_line *lines = calloc(open->out_entries + 1UL, sizeof(*lines));
	size_t i, nr = 0;
	__u64 ns;
	int ret = lines ? 0 : -ENOMEM;

	for (i = 0; i < open->out_entries && !ret; i++) {
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
		fprintf(to, "%s: %u open\n", tap_spec_event(spec), open->out_entries);
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

static int print_span(const struct source *from, const struct tap_probe *probe, FILE *to)
{
	const struct tap_spec *spec = tap_probe_spec(probe);
	struct tap_formatter_opts format = { .size = sizeof(format), .json = from->json };
	struct tap_span_read open;
	char *buf;
	size_t i;
	int ret;

	if (from->run) {
		format.resolve = run_resolve;
		format.resolve_arg = from->run;
		format.resolve_user = from->run->users ? tap_user_symbols_lookup : NULL;
		format.resolve_user_arg = from->run->users;
		format.stack = tap_session_stack;
		format.stack_arg = from->run->session;
		ret = open_read(from->run->session, probe, &open);
	} else {
		ret = tap_file_names(from->file, &format);
		if (!ret)
			ret = counts_read(from, probe, &open);
	}
	if (ret)
		return ret == -ENOENT && !from->run ? 0 : ret;
	format.time = ~0ULL;
	buf = malloc(VALUE_MAX);
	ret = buf ? 0 : -ENOMEM;
	if (!ret && !from->json)
		ret = put_text(to, &format, spec, &open, buf);
	for (i = 0; i < open.out_entries && !ret && from->json; i++) {
		format.tgid = entry_of(&open, i)->from_tgid;
		put_json(to, &format, spec, entry_of(&open, i), buf);
	}
	if (from->run)
		free((void *)(uintptr_t)open.words);
	free(buf);
	return ret;
}

static int print_open(const struct source *from, FILE *to)
{
	size_t i, nr = tap_probes_nr(from->probes);
	int ret = 0;

	for (i = 0; i < nr && !ret; i++)
		if (is_span(from->probes, i))
			ret = print_span(from, tap_probes_get(from->probes, i), to);
	return ret;
}

int spans_print_open(const struct run *run, struct output *out)
{
	const struct source from = { .probes = run->probes, .run = run, .json = run->opts->json };
	char *text = NULL;
	size_t len = 0;
	int ret;
	FILE *to;

	if (!run->opts->open)
		return 0;
	to = open_memstream(&text, &len);
	if (!to)
		return -ENOMEM;
	ret = print_open(&from, to);
	if (fclose(to) && !ret)
		ret = -ENOMEM;
	if (!ret)
		ret = output_write(out, text, len);
	free(text);
	return ret;
}

int spans_print_open_file(const struct tap_file_reader *file, bool json, FILE *to)
{
	const struct source from = { .probes = tap_file_probes(file), .file = file, .json = json };
	int ret = print_open(&from, to);

	return !ret && fflush(to) ? -errno : ret;
}

int spans_write(const struct run *run, struct tap_usym_collect *users,
		struct tap_file_writer *writer)
{
	size_t i, nr = tap_probes_nr(run->probes);
	struct tap_span_read open;
	int ret = 0;

	for (i = 0; i < nr && !ret; i++) {
		if (!is_span(run->probes, i))
			continue;
		ret = open_read(run->session, tap_probes_get(run->probes, i), &open);
		if (ret)
			break;
		ret = tap_file_span(writer, run->probes, &open);
		if (!ret && users)
			ret = tap_usym_collect_span(users, &open);
		free((void *)(uintptr_t)open.words);
	}
	return ret || !users ? ret : tap_usym_collect_symbols(users, writer);
}
