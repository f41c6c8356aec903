// SPDX-License-Identifier: GPL-2.0
/*
 * Which of several lines: in another run the places of these lines are events, and the one that the
 * call came to last decides.
 *
 * The compiler often leaves a line with "return -EIO;" no code, as several lines share it. Then its
 * place is the last line before it that has code, which is its condition: of two conditions, the one
 * that was looked at last is the one that held.
 */
#include <errno.h>
#include <string.h>

#include "blame/report.h"

#define EVENT_SIZE	(4096 + TAP_MAX_TARGET + 64)

static int keep_last(const struct tap_source_line *line, void *arg)
{
	*(__u32 *)arg = line->line;
	return 0;
}

/* The event at the place of line @i; false if it has none that no other line has. */
static bool place_of(struct blame *blame, const struct blame_origin *origin, size_t i,
		     char event[EVENT_SIZE])
{
	const struct blame_line *line = &origin->lines[i], *other;
	int from = line->first_line;
	struct tap_error err;
	__u32 at = 0;

	/* An event cannot name such a file. */
	if (strpbrk(line->file, ": \t"))
		return false;
	for (other = origin->lines; other < origin->lines + origin->nr; other++)
		if (!strcmp(other->file, line->file) && other->line < line->line && other->line >= from)
			from = other->line + 1;
	snprintf(event, EVENT_SIZE, "%s:%s:%d-%d", origin->module, line->file, from, line->line);
	if (tap_source_lines(blame->types, event, keep_last, &at, &err) || !at)
		return false;
	snprintf(event, EVENT_SIZE, "line:%s:%s:%u", origin->module, line->file, at);
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
	char event[EVENT_SIZE];
	int ret = 0;
	size_t i;

	blame_origin(blame, f, &origin);
	for (i = 0; is_open(blame, &origin) && i < origin.nr && !ret; i++)
		if (place_of(blame, &origin, i, event))
			ret = add(arg, event);
	return ret;
}

/* Whether the call has a hit of a line at all. */
static bool has_hit(const struct blame_call *call)
{
	const struct blame_call *inner = call->inner;

	while (inner && !inner->hit)
		inner = inner->next;
	return inner;
}

void blame_decide(struct blame *blame, struct blame_failure *f)
{
	const struct blame_call *hit, *last = NULL;
	struct blame_origin origin;
	char event[EVENT_SIZE];
	size_t i;

	f->line = 0;
	blame_origin(blame, f, &origin);
	if (!is_open(blame, &origin) || !has_hit(origin.of))
		return;
	for (i = 0; i < origin.nr; i++) {
		/* Without a place for each line another one may have come later. */
		if (!place_of(blame, &origin, i, event)) {
			f->line = 0;
			return;
		}
		for (hit = origin.of->inner; hit; hit = hit->next)
			if (hit->hit && !strcmp(tap_spec_wanted(tap_probe_spec(hit->probe)), event) &&
			    (!last || hit->end >= last->end)) {
				last = hit;
				f->line = i + 1;
			}
	}
}
