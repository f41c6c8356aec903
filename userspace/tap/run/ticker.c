// SPDX-License-Identifier: GPL-2.0
/*
 * Writes the marks of interval: and file: events.
 *
 * In a thread of its own: a slow file must not keep the rings from being read, and
 * a blocked output must not delay the ticks. A tick that is too late is skipped and
 * counted.
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
#include "tool.h"

/* How long ticker_stop() waits for the last reading of the files. */
#define PATIENCE_S	2

/**
 * struct tick - a probe that gets a mark every @period
 * @probe: the probe
 * @is_file: the mark is the content of @file; else it is @late
 * @number: the file held a number when it was opened, and must do so later
 * @file: the file, NULL if @is_file is false
 * @period: nanoseconds
 * @next: time of the next mark, CLOCK_MONOTONIC ns
 * @late: ticks skipped since the last mark
 * @missed: ticks skipped during the run
 * @unread: how often the file could not be read
 * @why: the error of the first time, from tap_value_file_read()
 */
struct tick {
	const struct tap_probe *probe;
	bool is_file;
	bool number;
	struct tap_value_file *file;
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
 * @thread: writes the marks
 * @wake: eventfd that wakes the thread when @stop is set
 * @running: the thread was created and not joined
 * @stop: the thread must end
 * @nr: number of @list
 * @list: the probes
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
	const struct tap_spec *spec = tap_probe_spec(probe);

	return tap_spec_type(spec) == TAP_PROBE_MARK &&
	       (tap_spec_interval(spec) || tap_spec_value_file(spec));
}

static int open_tick(struct tick *tick, const struct tap_probe *probe,
		     __u64 every_ns, struct tap_error *err)
{
	const struct tap_spec *spec = tap_probe_spec(probe);
	const char *path = tap_spec_value_file(spec);
	enum tap_value_kind kind;
	int ret;

	tick->probe = probe;
	tick->period = path ? every_ns : tap_spec_interval(spec);
	tick->is_file = path;
	if (!path)
		return 0;
	ret = tap_value_file_open(&tick->file, path, err);
	if (!ret)
		ret = tap_value_file_check(tick->file, &kind, err);
	tick->number = !ret && kind == TAP_VALUE_NUMBER;
	return ret;
}

int ticker_open(struct ticker **ticker, struct tap_session *session,
		const struct tap_probes *probes, __u64 every_ns,
		struct tap_error *err)
{
	const struct tap_probe *probe;
	size_t i, nr = 0;
	struct ticker *t;
	int ret = 0;

	for (i = 0; (probe = tap_probes_get(probes, i)); i++)
		nr += is_tick(probe);
	if (!nr)
		return 0;
	t = calloc(1, sizeof(*t) + nr * sizeof(t->list[0]));
	if (!t)
		return tap_error_set(err, -ENOMEM, "out of memory");
	*ticker = t;
	t->session = session;
	for (i = 0; (probe = tap_probes_get(probes, i)) && !ret; i++)
		if (is_tick(probe))
			ret = open_tick(&t->list[t->nr++], probe, every_ns,
					err);
	t->wake = eventfd(0, EFD_CLOEXEC);
	if (!ret && t->wake < 0)
		ret = tap_error_set(err, -errno, "eventfd: %s",
				    strerror(errno));
	return ret;
}

/* A mark that fails is counted by the probe, and so appears in the summary. */
static void write_mark(const struct ticker *ticker, const struct tick *tick,
		const void *data, __u32 len)
{
	tap_session_mark(ticker->session, tap_probe_id(tick->probe), data, len, NULL);
}

static void write_file(const struct ticker *ticker, struct tick *tick)
{
	enum tap_value_kind kind = TAP_VALUE_TEXT;
	struct tap_value_mark mark;
	int ret = tap_value_file_read(tick->file, &mark, &kind);

	/* The event has the format of a number, which text does not fit. */
	if (!ret && tick->number && kind == TAP_VALUE_TEXT)
		ret = -EDOM;
	if (!ret)
		write_mark(ticker, tick, &mark, sizeof(mark));
	else if (!tick->unread++)
		tick->why = ret;
}

static void emit(const struct ticker *ticker, struct tick *tick, __u64 now)
{
	tick->late = (now - tick->next) / tick->period;
	tick->missed += tick->late;
	tick->next += (tick->late + 1) * tick->period;
	if (tick->is_file)
		write_file(ticker, tick);
	else
		write_mark(ticker, tick, &tick->late, sizeof(tick->late));
}

static void write_files(struct ticker *ticker)
{
	size_t i;

	for (i = 0; i < ticker->nr; i++)
		if (ticker->list[i].is_file)
			write_file(ticker, &ticker->list[i]);
}

/* Sleeps until that time, or until ticker_stop() wakes the thread. */
static void sleep_until(const struct ticker *ticker, __u64 until)
{
	struct pollfd wake = { .fd = ticker->wake, .events = POLLIN };
	__u64 now = run_now(), ns = until > now ? until - now : 0;
	struct timespec ts = {
		.tv_sec = (time_t)(ns / 1000000000),
		.tv_nsec = (long)(ns % 1000000000),
	};

	ppoll(&wake, 1, &ts, NULL);
}

static void *run_ticks(void *arg)
{
	struct ticker *ticker = arg;
	__u64 first, now;
	size_t i;

	while (!ticker->stop) {
		first = ticker->list[0].next;
		for (i = 1; i < ticker->nr; i++)
			if (ticker->list[i].next < first)
				first = ticker->list[i].next;
		sleep_until(ticker, first);
		for (i = 0; i < ticker->nr && !ticker->stop; i++) {
			now = run_now();
			if (ticker->list[i].next <= now)
				emit(ticker, &ticker->list[i], now);
		}
	}
	write_files(ticker);
	return NULL;
}

int ticker_start(struct ticker *ticker, struct tap_error *err)
{
	__u64 now;
	size_t i;
	int ret;

	if (!ticker)
		return 0;
	write_files(ticker);
	now = run_now();
	for (i = 0; i < ticker->nr; i++)
		ticker->list[i].next = now + ticker->list[i].period;
	ret = pthread_create(&ticker->thread, NULL, run_ticks, ticker);
	if (ret)
		return tap_error_set(err, -ret, "cannot create a thread: %s",
				     strerror(ret));
	ticker->running = true;
	return 0;
}

static void report(const struct tick *tick)
{
	if (tick->unread)
		tool_error("%s: the file could not be read %llu times; the first time: %s",
			   tap_probe_event(tick->probe), (unsigned long long)tick->unread,
			   tick->why == -EDOM ? "it no longer held a number" :
					     tap_value_file_why(tick->why));
	if (tick->missed)
		tool_error("%s: %llu ticks were skipped because tap was too late",
			   tap_probe_event(tick->probe),
			   (unsigned long long)tick->missed);
}

void ticker_stop(struct ticker *ticker)
{
	struct timespec until;
	__u64 one = 1;
	size_t i;

	if (!ticker || !ticker->running)
		return;
	ticker->stop = true;
	if (write(ticker->wake, &one, sizeof(one)) < 0)
		tool_error("eventfd: %s", strerror(errno));
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += PATIENCE_S;
	if (pthread_clockjoin_np(ticker->thread, NULL, CLOCK_MONOTONIC, &until)) {
		tool_error("reading a file took more than %d seconds: its last value is missing",
			   PATIENCE_S);
		return;
	}
	ticker->running = false;
	for (i = 0; i < ticker->nr; i++)
		report(&ticker->list[i]);
}

void ticker_close(struct ticker *ticker)
{
	size_t i;

	/* A thread that hangs in a file may still use all of it. */
	if (!ticker || ticker->running)
		return;
	for (i = 0; i < ticker->nr; i++)
		tap_value_file_close(ticker->list[i].file);
	if (ticker->wake >= 0)
		close(ticker->wake);
	free(ticker);
}
