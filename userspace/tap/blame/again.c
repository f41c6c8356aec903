// SPDX-License-Identifier: GPL-2.0
/*
 * Which of several lines: in another run the places of these lines are events, and the one that the
 * call came to last decides.
 *
 * The compiler often leaves a line with "return -EIO;" no code, or only an address where the code of
 * several lines begins. So its place is the last line before it that has code, which is its
 * condition: of two conditions, the one that was looked at last is the one that held.
 */
#include <errno.h>
#include <string.h>

#include "blame/report.h"

#define EVENT_SIZE	(4096 + TAP_MAX_TARGET + 64)

/* The first and the last of some lines that have code; 0: none has. */
struct ends {
	__u32 first;
	__u32 last;
};

static int keep_ends(const struct tap_source_line *line, void *arg)
{
	struct ends *ends = arg;

	if (!ends->first)
		ends->first = line->line;
	ends->last = line->line;
	return 0;
}

/* Whether lines share the code that makes the value. */
static bool is_shared(const struct blame_origin *origin)
{
	size_t i;

	for (i = 0; i < origin->nr; i++)
		if (!origin->lines[i].own)
			return true;
	return false;
}

static struct ends ends_of(struct blame *blame, const char *module, const char *file, int from, int to)
{
	struct ends ends = { 0 };
	char lines[EVENT_SIZE];
	struct tap_error err;

	snprintf(lines, sizeof(lines), "%s:%s:%d-%d", module, file, from, to);
	if (from > to || tap_source_lines(blame->types, lines, keep_ends, &ends, &err))
		return (struct ends) { 0 };
	return ends;
}

/**
 * struct place - where a call shows that it has come to a line
 * @event: at its place
 * @entry: at the first code that may lead there, if that is another line; else ""
 */
struct place {
	char event[EVENT_SIZE];
	char entry[EVENT_SIZE];
};

/* The place of line @i; false if it has none that no other line has. */
static bool place_of(struct blame *blame, const struct blame_origin *origin, size_t i,
		     struct place *place)
{
	const struct blame_line *line = &origin->lines[i], *other;
	bool shared = is_shared(origin);
	int from = line->first_line;
	struct ends ends = { 0 };

	/* An event cannot name such a file. */
	if (strpbrk(line->file, ": \t"))
		return false;
	for (other = origin->lines; other < origin->lines + origin->nr; other++)
		if (!strcmp(other->file, line->file) && other->line < line->line && other->line >= from)
			from = other->line + 1;
	if (!line->called && shared && (line->own || !line->decides))
		ends = ends_of(blame, origin->module, line->file, from, line->line - 1);
	/* The code of a line that others share is come to from each of them. */
	if (!ends.last && (line->called || !shared || !line->own))
		ends = ends_of(blame, origin->module, line->file, from, line->line);
	if (!ends.last)
		return false;
	snprintf(place->event, EVENT_SIZE, "line:%s:%s:%u", origin->module, line->file, ends.last);
	place->entry[0] = 0;
	if (!line->called && ends.first != ends.last)
		snprintf(place->entry, EVENT_SIZE, "line:%s:%s:%u", origin->module, line->file, ends.first);
	return true;
}

/* Whether there is something to decide. */
static bool is_open(const struct blame *blame, const struct blame_origin *origin)
{
	return blame->types && origin->nr > 1 && origin->nr <= BLAME_LINES;
}

int blame_places(struct blame *blame, const struct blame_failure *f,
		 int (*add)(void *arg, const char *event), void *arg)
{
	struct blame_origin origin;
	struct place place;
	int ret = 0;
	size_t i;

	blame_origin(blame, f, &origin);
	for (i = 0; is_open(blame, &origin) && i < origin.nr && !ret; i++) {
		if (!place_of(blame, &origin, i, &place))
			continue;
		ret = add(arg, place.event);
		if (!ret && *place.entry)
			ret = add(arg, place.entry);
	}
	return ret;
}

/* When the call came to the place of a line last; 0: never. */
static __u64 came_to(const struct blame_call *call, const char *event)
{
	const struct blame_call *hit;
	__u64 last = 0;

	for (hit = call->inner; hit; hit = hit->next)
		if (hit->hit && !strcmp(tap_spec_wanted(tap_probe_spec(hit->probe)), event) && hit->end > last)
			last = hit->end;
	return last;
}

/* Whether the place of a line is an event of this run. */
static bool is_event(const struct blame *blame, const char *event)
{
	size_t i;

	for (i = 0; i < tap_probes_nr(blame->probes); i++)
		if (!strcmp(tap_spec_wanted(tap_probe_spec(tap_probes_get(blame->probes, i))), event))
			return true;
	return false;
}

void blame_decide(struct blame *blame, struct blame_failure *f)
{
	unsigned int set = 0, called = 0, rest = 0, later = 0;
	__u64 at, latest = 0, entered[BLAME_LINES];
	struct blame_origin origin;
	struct place place;
	size_t i, last = 0;

	f->lines = 0;
	blame_origin(blame, f, &origin);
	if (!is_open(blame, &origin))
		return;
	for (i = 0; i < origin.nr; i++) {
		/* Without a place for each line another one may have come later. */
		if (!place_of(blame, &origin, i, &place) || !is_event(blame, place.event))
			return;
		at = came_to(origin.of, place.event);
		entered[i] = *place.entry ? came_to(origin.of, place.entry) : 0;
		if (!at) {
			rest |= (origin.lines[i].own && !origin.lines[i].called) << i;
			continue;
		}
		entered[i] = 0;
		*(origin.lines[i].called ? &called : &set) |= 1U << i;
		if (at >= latest) {
			latest = at;
			last = i;
		}
	}
	/* The line of a call may have other code, too: then an error that was set before it can be the one. */
	if (called >> last & 1)
		f->lines = set | 1U << last;
	else if (set)
		f->lines = 1U << last;
	else
		f->lines = rest;
	/* A condition that the compiler knows has no code, and so no hit: perhaps what the call entered last. */
	for (i = 0; i < origin.nr; i++) {
		if (entered[i] <= latest)
			continue;
		latest = entered[i];
		later = 1U << i;
	}
	f->lines |= later;
}
