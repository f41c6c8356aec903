// SPDX-License-Identifier: GPL-2.0
/*
 * Reads a trace file as tap report --json does, and gives each line to the writer of the format.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "export/export.h"

/* Rows between two looks at the progress. */
#define PROGRESS_ROWS	(1U << 16)

const char *const row_member_names[NR_ROW_MEMBERS] = {
	[ROW_TYPE] = "type",
	[ROW_TIME] = "time",
	[ROW_TIME_NS] = "time_ns",
	[ROW_CPU] = "cpu",
	[ROW_COMM] = "comm",
	[ROW_TID] = "tid",
	[ROW_PID] = "pid",
	[ROW_EVENT] = "event",
	[ROW_TEXT] = "text",
	[ROW_CALL] = "call",
	[ROW_DEPTH] = "depth",
	[ROW_DURATION_NS] = "duration_ns",
	[ROW_RET] = "ret",
	[ROW_ARGS] = "args",
	[ROW_FLAGS] = "flags",
	[ROW_LOST] = "lost",
	[ROW_TOTAL] = "total",
	[ROW_WHAT] = "what",
	[ROW_SINCE] = "since",
	[ROW_COUNT] = "count",
	[ROW_SIZE] = "size",
};

static const struct export_format *const formats[] = { &export_ctf, &export_json,
						       &export_perfetto, &export_pprof, &export_tsv };

#define NR_FORMATS	(sizeof(formats) / sizeof(formats[0]))

const struct export_format *export_format(const char *name)
{
	char all[64] = "";
	size_t i;

	for (i = 0; i < NR_FORMATS; i++) {
		if (!strcmp(name, formats[i]->name))
			return formats[i];
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s",
			 !i ? "" : i + 1 < NR_FORMATS ? ", " : " or ", formats[i]->name);
	}
	tool_error("--to '%s': give %s", name, all);
	return NULL;
}

/**
 * struct progress - what is shown on a terminal while it takes its time
 * @shown: standard error is a terminal
 * @rows: rows so far
 * @total: records that were written to the file, by the counters of its probes; 0: not known
 */
struct progress {
	bool shown;
	__u64 rows;
	__u64 total;
};

/**
 * struct reading - a file being exported
 * @x: the export
 * @ev: the event that the formatter was given
 * @formatter: makes the lines
 * @window: the last window whose heading was written
 * @progress: shown on a terminal
 * @events: events that were written
 * @others: losses and notices that were written
 * @undecoded: records that match no probe
 */
struct reading {
	struct export *x;
	struct tap_event ev;
	struct tap_formatter *formatter;
	size_t window;
	struct progress progress;
	__u64 events;
	__u64 others;
	__u64 undecoded;
};

static void open_progress(struct progress *p, const struct export *x)
{
	struct tap_file_stats stats = { .size = sizeof(stats) };
	size_t i;
	__u32 cpu;

	p->shown = isatty(STDERR_FILENO);
	for (i = 0; p->shown && i < tap_probes_nr(x->probes); i++) {
		if (tap_file_get_stats(x->file, tap_probe_id(tap_probes_get(x->probes, i)), &stats))
			continue;
		for (cpu = 0; cpu < stats.nr_cpus; cpu++)
			p->total += stats.counters[cpu].written;
	}
}

static void show_progress(struct progress *p)
{
	if (!p->shown || ++p->rows % PROGRESS_ROWS)
		return;
	fprintf(stderr, "\rtap: %llu events", (unsigned long long)p->rows);
	if (p->total)
		fprintf(stderr, " of %llu", (unsigned long long)p->total);
}

static void end_progress(const struct progress *p)
{
	if (p->shown && p->rows >= PROGRESS_ROWS)
		fputs("\r\033[K", stderr);
}

/* The formatter was flushed behind one event: this is one line, or nothing. */
static int write_line(void *arg, const char *data, size_t len)
{
	struct reading *r = arg;
	struct row row = { .ev = &r->ev, .line = { data, len - 1 } };
	struct json name, value;
	const char *at = json_members(&row.line);
	unsigned int i = 0, next;

	if (!len)
		return 0;
	while (json_member(&at, &name, &value)) {
		/* A member of a later version is not found. */
		for (next = i; next < NR_ROW_MEMBERS; next++)
			if (json_is(&name, row_member_names[next], strlen(row_member_names[next])))
				break;
		if (next == NR_ROW_MEMBERS)
			continue;
		row.member[next] = value;
		i = next + 1;
	}
	r->events += !!r->ev.probe;
	r->others += !r->ev.probe;
	return r->x->to->row(r->x, &row);
}

/* Writes the heading of the window of the next event, and of those before without events. */
static int write_windows(struct reading *r, size_t to)
{
	const struct tap_window_info *info;
	const struct tap_event ev = r->ev;
	int ret = 0;

	r->ev.probe = NULL;
	while (!ret && r->x->to->windows && r->window < to &&
	       (info = tap_file_get_window(r->x->file, r->window + 1))) {
		r->ev.time = info->time;
		r->ev.cpu = info->cpu;
		ret = tap_formatter_window(r->formatter, ++r->window, info);
		if (!ret)
			ret = tap_formatter_flush(r->formatter);
	}
	r->ev = ev;
	return ret;
}

static int read_events(struct reading *r)
{
	struct export *x = r->x;
	struct tap_event *ev = &r->ev;
	int ret = 0;

	while (!ret && !out_signal() && tap_file_next(x->file, ev)) {
		int bad = tap_decode(x->probes, ev);

		if (bad && bad != -EOPNOTSUPP)	/* a record of a later version */
			r->undecoded++;
		/* Losses and notices may be about any event. */
		if (bad || (ev->probe && !export_wants(x, ev->probe)))
			continue;
		ret = write_windows(r, tap_file_event_window(x->file));
		if (!ret)
			ret = tap_formatter_event(r->formatter, ev);
		if (!ret)
			ret = tap_formatter_flush(r->formatter);
		show_progress(&r->progress);
	}
	return ret ? ret : write_windows(r, SIZE_MAX);
}

static int write_all(struct reading *r)
{
	struct export *x = r->x;
	struct tap_formatter_opts opts = {
		.size = sizeof(opts), .json = true, .write = write_line, .write_arg = r,
	};
	int ret = tap_file_names(x->file, &opts);

	if (!ret)
		ret = tap_formatter_open(&r->formatter, &opts);
	if (!ret)
		ret = x->to->begin(x);
	if (!ret)
		ret = read_events(r);
	if (!ret && x->to->end)
		ret = x->to->end(x);
	tap_formatter_close(r->formatter);
	if (x->to->free)
		x->to->free(x);
	return ret;
}

/* The whole part of a truncated file is exported; the exit status is a failure. */
static bool check_file(const struct reading *r)
{
	const struct export *x = r->x;
	struct tap_reader_counts counts = { .size = sizeof(counts) };

	tap_file_counts(x->file, &counts);
	if (counts.lost && !x->quiet)
		tool_error("%llu events were lost while recording, as the output says",
			   (unsigned long long)counts.lost);
	if (r->undecoded)
		tool_error("%s: %llu records match no probe and are missing here", x->path,
			   (unsigned long long)r->undecoded);
	if (tap_file_cut(x->file))
		tool_error("%s: %s", x->path, tap_file_cut(x->file));
	return !r->undecoded && !tap_file_cut(x->file);
}

/* False after an error message if no event has a stack. */
static bool has_stacks(const struct export *x)
{
	const struct tap_probe *probe;
	const struct tap_field *f;
	unsigned int k;
	size_t i;

	for (i = 0; (probe = tap_probes_get(x->probes, i)); i++)
		for (k = 0; export_wants(x, probe) && (f = tap_probe_field(probe, k)); k++)
			if (tool_is_kstack(f) || tool_is_ustack(f))
				return true;
	tool_error("%s: its events have no stacks, which are all that %s has; record with --kstack, --ustack or both",
		   x->path, x->to->name);
	return false;
}

int export_run(struct export *x, const char *output)
{
	struct reading r = { .x = x };
	int ret;

	if (x->to->stacks && !has_stacks(x))
		return TOOL_FAILED;
	if (!(x->to->directory ? out_open_directory : out_open)(&x->out, output)) {
		out_abort(&x->out);
		return TOOL_FAILED;
	}
	open_progress(&r.progress, x);
	ret = write_all(&r);
	end_progress(&r.progress);
	if (out_signal()) {
		out_abort(&x->out);
		signal(out_signal(), SIG_DFL);
		raise(out_signal());
	}
	if (!ret)
		ret = out_finish(&x->out);
	else
		out_abort(&x->out);
	if (!ret && !x->quiet)
		tool_error("%llu events, %llu losses and notices in %s",
			   (unsigned long long)r.events, (unsigned long long)r.others,
			   output ? output : "standard output");
	/* The reader of a pipe has what it wanted. */
	if (ret && ret != -EPIPE)
		tool_error("cannot write %s: %s", output ? output : "standard output",
			   strerror(-ret));
	return check_file(&r) && (!ret || ret == -EPIPE) ? 0 : TOOL_FAILED;
}
