// SPDX-License-Identifier: GPL-2.0
/*
 * A report: adding events, printing, drawing.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "flame/fold.h"
#include "flame/graph.h"
#include "why/report.h"

/* Rows of a table, unless -n says otherwise. */
#define DEFAULT_ROWS	10
/* struct tap_record has so many bits of an id. */
#define MAX_IDS		(1U << 16)

bool why_knows(const struct tap_probes *probes)
{
	size_t i;

	for (i = 0; i < tap_probes_nr(probes); i++)
		if (tap_spec_division(tap_probe_spec(tap_probes_get(probes, i))))
			return true;
	return false;
}

/* Places of one event follow each other in the table. */
static int open_events(struct why *why)
{
	const struct tap_spec *spec, *last = NULL;
	size_t i, nr = tap_probes_nr(why->probes);
	__u32 id;

	for (i = 0; i < nr; i++) {
		id = tap_probe_id(tap_probes_get(why->probes, i));
		why->nr_ids = id >= why->nr_ids ? id + 1UL : why->nr_ids;
	}
	/* A file may have any. */
	if (why->nr_ids > MAX_IDS)
		why->nr_ids = MAX_IDS;
	why->events = calloc(nr + 1, sizeof(*why->events));
	why->of = calloc(why->nr_ids + 1, sizeof(*why->of));
	if (!why->events || !why->of)
		return -ENOMEM;
	for (i = 0; i < nr; i++, last = spec) {
		spec = tap_probe_spec(tap_probes_get(why->probes, i));
		if (!last || !tap_spec_same_event(spec, last))
			why->events[why->nr_events++].spec = spec;
		id = tap_probe_id(tap_probes_get(why->probes, i));
		if (id < why->nr_ids)
			why->of[id] = &why->events[why->nr_events - 1];
	}
	return 0;
}

int why_open(struct why **out, const struct tap_probes *probes, unsigned int rows,
	     struct tap_error *err)
{
	struct why *why = calloc(1, sizeof(*why));

	if (why) {
		why->rows = rows ? rows : DEFAULT_ROWS;
		why->probes = probes;
	}
	if (!why || open_events(why) || slowest_open(&why->slowest, why->rows) ||
	    waits_open(&why->waits)) {
		why_close(why);
		return tap_error_set(err, -ENOMEM, "out of memory; give a smaller -n");
	}
	*out = why;
	return 0;
}

void why_close(struct why *why)
{
	if (!why)
		return;
	waits_close(&why->waits);
	slowest_close(&why->slowest);
	free(why->events);
	free(why->of);
	free(why);
}

int why_event(void *arg, struct tap_event *ev)
{
	struct why *why = arg;
	struct why_event *event;
	struct tap_division division;
	__u64 duration;
	int absent, ret;

	absent = ev->probe ? tap_event_division(ev, &division, &duration) : -ENOENT;
	why->endless += absent == -ENODATA;
	if (absent && absent != -EADDRNOTAVAIL)
		return 0;
	if (!absent && !causes_fit(&division, duration))
		absent = -EBADMSG;
	ret = causes_add(&why->causes, absent ? NULL : &division, duration);
	if (!ret)
		ret = slowest_offer(&why->slowest, ev, duration);
	if (!ret && !absent)
		ret = waits_add(&why->waits, ev, &division);
	event = why->of[tap_probe_id(ev->probe)];
	event->calls++;
	event->duration += duration;
	if (duration > event->longest)
		event->longest = duration;
	return ret;
}

static int put_lines(void *arg, const char *data, size_t len)
{
	errno = 0;
	/* Without an event there is no buffer. */
	return !len || fwrite(data, 1, len, arg) == len ? 0 : -(errno ? errno : EIO);
}

int report_print_slowest(const struct why *why, const struct why_out *out)
{
	struct tap_formatter_opts format = out->format;
	struct tap_formatter *formatter;
	unsigned int i;
	int ret;

	format.size = sizeof(format);
	format.write = put_lines;
	format.write_arg = out->to;
	format.probes = why->probes;
	ret = tap_formatter_open(&formatter, &format);
	if (ret)
		return ret;
	ret = tap_formatter_header(formatter);
	for (i = 0; i < why->slowest.nr && !ret; i++) {
		report_names_at(out, why->slowest.heap[i].ev.time);
		ret = tap_formatter_event(formatter, &why->slowest.heap[i].ev);
	}
	if (!ret)
		ret = tap_formatter_flush(formatter);
	tap_formatter_close(formatter);
	return ret;
}

static int by_duration(const void *x, const void *y)
{
	const struct why_event *a = x, *b = y;

	if (a->duration != b->duration)
		return a->duration < b->duration ? 1 : -1;
	return strcmp(tap_spec_event(a->spec), tap_spec_event(b->spec));
}

int why_print(struct why *why, const struct why_out *out)
{
	slowest_sort(&why->slowest);
	waits_sort(&why->waits);
	qsort(why->events, why->nr_events, sizeof(*why->events), by_duration);
	return out->format.json ? report_print_json(why, out) : report_print_text(why, out);
}

static int fold(const struct why *why, const struct why_out *out, struct flame_fold *fold)
{
	const struct wait *wait;
	int ret = flame_tree_init(&fold->tree);
	__u32 i;

	for (i = 0; i < why->waits.nr && !ret; i++) {
		wait = &why->waits.list[i];
		report_names_at(out, wait->time);
		ret = flame_fold_stack(fold, tap_part_name(wait->part), wait->words, TAP_WAIT_FRAMES,
				       tap_timebase_ns(out->format.timebase, wait->sum));
	}
	if (!ret && why->waits.rest.nr)
		ret = flame_fold_stack(fold, "other stacks", why->waits.rest.words, 0,
				       tap_timebase_ns(out->format.timebase, why->waits.rest.sum));
	return ret ? ret : flame_tree_finish(&fold->tree);
}

static bool is_folded(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && !strcmp(dot, ".folded");
}

bool why_draw(const struct why *why, const struct why_out *out, const char *path)
{
	struct flame_fold waits = { .names = out->format, .duration = true };
	struct flame_svg svg = {
		.tree = &waits.tree, .title = "Longest waits of calls, by stack", .duration = true,
	};
	char subtitle[64];
	bool good = false;
	int ret;

	waits.names.json = false;
	snprintf(subtitle, sizeof(subtitle), "of %llu calls", (unsigned long long)why->causes.calls);
	svg.subtitle = subtitle;
	ret = fold(why, out, &waits);
	if (ret)
		tool_error("%s: %s", path, ret == -EOVERFLOW ?
			   "the sum of the waits is more than 584 years" : strerror(-ret));
	else if (!waits.tree.sum)
		tool_error("%s: not written: no call has waited, so there is nothing to draw", path);
	else
		good = flame_write(&svg, is_folded(path), path);
	flame_tree_free(&waits.tree);
	return good;
}
