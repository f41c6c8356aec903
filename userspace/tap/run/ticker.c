// SPDX-License-Identifier: GPL-2.0
/*
 * What the tool itself says into the stream, at an interval.
 *
 * In a thread of its own: a file that takes its time must not keep the rings
 * from being emptied, nor must an output that takes none of the events keep the
 * clock from beating. A beat whose moment is over is left out, and counted.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "run/ticker.h"
#include "run/run.h"
#include "spec/spec.h"
#include "tool.h"
#include "kernel/attr_file.h"

/* How long the last reading of the files may take. */
#define PATIENCE_S	2

/**
 * struct tick - a probe, and what is said to it
 * @probe: the probe
 * @is_file: it is a file, else an interval
 * @number: the file is to be a number
 * @file: it
 * @period: nanoseconds
 * @next: the next moment, CLOCK_MONOTONIC ns
 * @late: moments that were left out since the last one that was not
 * @missed: those of all the time
 * @unread: how often the file could not be read
 * @why: the first time, as tap_value_file_read() returned it
 */
struct tick {
	const struct tap_probe *probe;
	bool is_file;
	bool number;
	struct tap_value_file file;
	__u64 period;
	__u64 next;
	__u64 late;
	__u64 missed;
	__u64 unread;
	int why;
};

/**
 * struct ticker - all of them
 * @session: the session
 * @thread: says them
 * @wake: eventfd by which it is told to stop
 * @running: the thread is there
 * @stop: nothing more is to be said
 * @nr: number of @list
 * @list: the beats
 */
struct ticker {
	struct tap_session *session;
	pthread_t thread;
	int wake;
	bool running;
	atomic_bool stop;
	size_t nr;
	struct tick list[];
};

static bool is_tick(const struct tap_probe *probe)
{
	return probe->spec.type == TAP_PROBE_MARK &&
	       (tap_spec_interval(&probe->spec) ||
		tap_spec_value_file(&probe->spec));
}

static int open_tick(struct tick *b, const struct tap_probe *probe,
		     __u64 every_ns, struct tap_error *err)
{
	const char *path = tap_spec_value_file(&probe->spec);
	enum tap_value_kind kind;
	int ret;

	b->probe = probe;
	b->period = path ? every_ns : tap_spec_interval(&probe->spec);
	b->is_file = path;
	if (!path)
		return 0;
	ret = tap_value_file_open(&b->file, path, err);
	if (!ret)
		ret = tap_value_file_check(&b->file, &kind, err);
	b->number = !ret && kind == TAP_VALUE_NUMBER;
	return ret;
}

int ticker_open(struct ticker **beats, struct tap_session *session,
		const struct tap_probes *probes, __u64 every_ns,
		struct tap_error *err)
{
	size_t i, nr = 0;
	struct ticker *b;
	int ret = 0;

	for (i = 0; i < probes->nr; i++)
		nr += is_tick(&probes->list[i]);
	if (!nr)
		return 0;
	b = calloc(1, sizeof(*b) + nr * sizeof(b->list[0]));
	if (!b)
		return tap_error_set(err, -ENOMEM, "out of memory");
	*beats = b;
	b->session = session;
	for (i = 0; i < nr; i++)
		b->list[i].file.fd = -1;
	for (i = 0; i < probes->nr && !ret; i++)
		if (is_tick(&probes->list[i]))
			ret = open_tick(&b->list[b->nr++], &probes->list[i],
					every_ns, err);
	b->wake = eventfd(0, EFD_CLOEXEC);
	if (!ret && b->wake < 0)
		ret = tap_error_set(err, -errno, "eventfd: %s",
				    strerror(errno));
	return ret;
}

/* What cannot be said is seen in the sums of the probe. */
static void say(const struct ticker *beats, const struct tick *b,
		const void *data, __u32 len)
{
	tap_session_mark(beats->session, b->probe->id, data, len, NULL);
}

static void say_file(const struct ticker *beats, struct tick *b)
{
	enum tap_value_kind kind = TAP_VALUE_TEXT;
	struct tap_value_mark mark;
	int ret = tap_value_file_read(&b->file, &mark, &kind);

	/* What was a number is none, so there is no value to be shown. */
	if (!ret && b->number && kind == TAP_VALUE_TEXT)
		ret = -EDOM;
	if (!ret)
		say(beats, b, &mark, sizeof(mark));
	else if (!b->unread++)
		b->why = ret;
}

static void tick(const struct ticker *beats, struct tick *b, __u64 now)
{
	b->late = (now - b->next) / b->period;
	b->missed += b->late;
	b->next += (b->late + 1) * b->period;
	if (b->is_file)
		say_file(beats, b);
	else
		say(beats, b, &b->late, sizeof(b->late));
}

static void say_files(struct ticker *beats)
{
	size_t i;

	for (i = 0; i < beats->nr; i++)
		if (beats->list[i].is_file)
			say_file(beats, &beats->list[i]);
}

/* Sleeps until a moment, or until it is told to stop. */
static void sleep_until(const struct ticker *beats, __u64 until)
{
	struct pollfd wake = { .fd = beats->wake, .events = POLLIN };
	__u64 now = run_now(), ns = until > now ? until - now : 0;
	struct timespec ts = {
		.tv_sec = (time_t)(ns / 1000000000),
		.tv_nsec = (long)(ns % 1000000000),
	};

	ppoll(&wake, 1, &ts, NULL);
}

static void *run_ticks(void *arg)
{
	struct ticker *beats = arg;
	__u64 first, now;
	size_t i;

	while (!beats->stop) {
		first = beats->list[0].next;
		for (i = 1; i < beats->nr; i++)
			if (beats->list[i].next < first)
				first = beats->list[i].next;
		sleep_until(beats, first);
		for (i = 0; i < beats->nr && !beats->stop; i++) {
			now = run_now();
			if (beats->list[i].next <= now)
				tick(beats, &beats->list[i], now);
		}
	}
	say_files(beats);
	return NULL;
}

int ticker_start(struct ticker *beats, struct tap_error *err)
{
	__u64 now;
	size_t i;
	int ret;

	if (!beats)
		return 0;
	say_files(beats);
	now = run_now();
	for (i = 0; i < beats->nr; i++)
		beats->list[i].next = now + beats->list[i].period;
	ret = pthread_create(&beats->thread, NULL, run_ticks, beats);
	if (ret)
		return tap_error_set(err, -ret, "cannot create a thread: %s",
				     strerror(ret));
	beats->running = true;
	return 0;
}

/* What did not go well. */
static void tell(const struct tick *b)
{
	if (b->unread)
		tool_error("%s: the file could not be read %llu times; the first time: %s",
			   b->probe->spec.event, (unsigned long long)b->unread,
			   b->why == -EDOM ? "it no longer held a number" :
					     tap_value_file_why(b->why));
	if (b->missed)
		tool_error("%s: %llu ticks were skipped because tap was too late",
			   b->probe->spec.event,
			   (unsigned long long)b->missed);
}

void ticker_stop(struct ticker *beats)
{
	struct timespec until;
	__u64 one = 1;
	size_t i;

	if (!beats || !beats->running)
		return;
	beats->stop = true;
	if (write(beats->wake, &one, sizeof(one)) < 0)
		tool_error("eventfd: %s", strerror(errno));
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += PATIENCE_S;
	if (pthread_clockjoin_np(beats->thread, NULL, CLOCK_MONOTONIC, &until)) {
		tool_error("reading a file took more than %d seconds: its last value is missing",
			   PATIENCE_S);
		return;
	}
	beats->running = false;
	for (i = 0; i < beats->nr; i++)
		tell(&beats->list[i]);
}

void ticker_close(struct ticker *beats)
{
	size_t i;

	/* One that hangs in a file may still use all of it, until we end. */
	if (!beats || beats->running)
		return;
	for (i = 0; i < beats->nr; i++)
		tap_value_file_close(&beats->list[i].file);
	if (beats->wake >= 0)
		close(beats->wake);
	free(beats);
}
