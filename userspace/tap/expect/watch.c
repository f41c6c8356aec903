// SPDX-License-Identifier: GPL-2.0
/*
 * Assertions during a run: whether its events have what they need, and, with --fast, whether one
 * of them fails already.
 */
#include <errno.h>
#include <stdlib.h>

#include "expect/expect.h"

int expect_watch_open(void *arg, const struct tap_probes *probes,
		      const struct tap_timebase *timebase, struct tap_error *err)
{
	struct expect *x = arg;
	size_t i;
	int ret = 0;

	x->live = calloc(x->nr + 1, sizeof(*x->live));
	if (!x->live)
		return tap_error_set(err, -ENOMEM, "out of memory");
	for (i = 0; i < x->nr && !ret; i++)
		ret = judge_open(&x->live[i], &x->list[i].a, probes, timebase, err);
	return ret;
}

int expect_watch_event(void *arg, const struct tap_event *ev)
{
	struct expect *x = arg;
	struct tap_error err;
	size_t i;
	int ret;

	if (!ev->probe)
		return 0;
	x->watched++;
	for (i = 0; i < x->nr; i++) {
		ret = judge_event(&x->live[i], ev, x->watched, &err);
		/* A value that cannot be used: the reading of the file ends with the message. */
		if (ret)
			return ret == -ENOMEM ? ret : 1;
	}
	return 0;
}

int expect_watch_seen(void *arg, __u64 raw)
{
	struct expect *x = arg;
	size_t i;

	for (i = 0; i < x->nr; i++) {
		if (!judge_failed(&x->live[i], raw))
			continue;
		x->list[i].early = true;
		x->stopped = true;
	}
	return x->stopped;
}

void expect_watch_close(void *arg)
{
	struct expect *x = arg;
	size_t i;

	for (i = 0; x->live && i < x->nr; i++)
		judge_close(&x->live[i]);
	free(x->live);
	x->live = NULL;
}
