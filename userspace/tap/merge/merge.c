// SPDX-License-Identifier: GPL-2.0
/*
 * Several trace files in one order. There are few: each event is looked for among all of them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "merge/merge.h"

static void step(struct merge_source *s)
{
	int bad;

	do {
		s->more = tap_file_next(s->file, &s->ev);
		bad = s->more ? tap_decode(tap_file_probes(s->file), &s->ev) : 0;
		s->undecoded += bad && bad != -EOPNOTSUPP;	/* of a later version */
	} while (bad);
	if (s->more)
		s->time = wall_time(&s->wall, s->ev.time, &s->error);
}

/* The name of the machine says more than that of the file, if no other one has it. */
static void name(struct merge *m)
{
	size_t i, k;

	for (i = 0; i < m->nr; i++) {
		const char *node = tap_file_info(m->sources[i].file)->nodename;
		bool twice = !*node;

		for (k = 0; k < m->nr; k++)
			twice |= k != i && !strcmp(node, tap_file_info(m->sources[k].file)->nodename);
		m->sources[i].label = twice ? m->sources[i].path : node;
	}
}

int merge_open(struct merge *m, const char *const *paths, size_t nr, __u64 skew,
	       struct tap_error *err)
{
	size_t i;
	int ret;

	memset(m, 0, sizeof(*m));
	m->sources = calloc(nr, sizeof(*m->sources));
	if (!m->sources)
		return tap_error_set(err, -ENOMEM, "out of memory");
	for (m->nr = 0; m->nr < nr; m->nr++) {
		struct merge_source *s = &m->sources[m->nr];

		s->path = paths[m->nr];
		ret = tap_file_open(&s->file, s->path, err);
		if (ret)
			return ret;
		wall_open(&s->wall, s->file, skew);
	}
	name(m);
	for (i = 0; i < m->nr; i++)
		step(&m->sources[i]);
	return 0;
}

static bool is_uncertain(const struct merge *m, const struct merge_source *s)
{
	__u64 earliest = s->time < s->error ? 0 : s->time - s->error;
	size_t i;

	for (i = 0; i < m->nr; i++)
		if (&m->sources[i] != s && m->sources[i].given && m->sources[i].latest >= earliest)
			return true;
	return false;
}

struct merge_source *merge_next(struct merge *m, bool *uncertain)
{
	struct merge_source *s = NULL;
	__u64 latest;
	size_t i;

	/* Its event was valid until now. */
	if (m->last)
		step(m->last);
	for (i = 0; i < m->nr; i++)
		if (m->sources[i].more && (!s || m->sources[i].time < s->time))
			s = &m->sources[i];
	m->last = s;
	if (!s)
		return NULL;
	*uncertain = is_uncertain(m, s);
	m->uncertain += *uncertain;
	m->events++;
	s->given = true;
	latest = tool_sum(s->time, s->error);
	if (latest > s->latest)
		s->latest = latest;
	return s;
}

void merge_close(struct merge *m)
{
	size_t i;

	for (i = 0; m->sources && i < m->nr; i++)
		tap_file_close(m->sources[i].file);
	free(m->sources);
	memset(m, 0, sizeof(*m));
}
