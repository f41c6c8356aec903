// SPDX-License-Identifier: GPL-2.0
/*
 * tap stat: how often, without a record of each: the probes count, and only
 * their counters are read.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "sums.h"

#define SYNOPSIS "stat -e EVENT... [-p PID | -c CMD] [--interval SEC] [OPTION]..."

/* With more probes than this, an interval shows only those with a hit. */
#define SHOW_ALL_UP_TO	20

/**
 * struct row - what is shown of a probe
 * @count: hits that no test rejected
 * @lost: of those, lost for want of memory that could be read and the like
 * @missed: by the kernel
 */
struct row {
	__u64 count;
	__u64 lost;
	__u64 missed;
};

/**
 * struct count - a run of tap stat
 * @run: the session
 * @last: values at the end of the interval before, by probe
 * @begin: when it began, CLOCK_MONOTONIC ns
 * @then: end of the interval before
 * @next: end of this interval, 0 if there are none
 * @end: when it ended, 0 as long as it has not
 * @width: of the EVENT column
 */
struct count {
	struct run run;
	struct row *last;
	__u64 begin;
	__u64 then;
	__u64 next;
	__u64 end;
	int width;
};

static struct row row_of(const struct sum *sum)
{
	const struct tap_counters *c = &sum->total;

	return (struct row){
		.count = c->hits - c->filtered,
		.lost = sum_lost(c),
		.missed = sum->missed,
	};
}

static void print_header(const struct count *s)
{
	if (!s->run.opts->json)
		printf("%10s %-*s %12s %12s %8s %8s\n", "TIME", s->width,
		       "EVENT", "COUNT", "PER SECOND", "LOST", "MISSED");
}

/* A name comes from the command line, but may hold what JSON escapes. */
static void print_json_string(const char *s)
{
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			putchar('\\');
		if ((unsigned char)*s < 0x20)
			printf("\\u%04x", (unsigned char)*s);
		else
			putchar(*s);
	}
}

static void print_row(const struct count *s, const char *event,
		      const struct row *row, __u64 ns, __u64 at)
{
	double seconds = (double)ns / 1e9, time = (double)at / 1e9;
	double rate = ns ? (double)row->count / seconds : 0;

	if (!s->run.opts->json) {
		printf("%10.3f %-*s %12llu %12.1f %8llu %8llu\n", time,
		       s->width, event, (unsigned long long)row->count, rate,
		       (unsigned long long)row->lost,
		       (unsigned long long)row->missed);
		return;
	}
	printf("{\"type\":\"stat\",\"time\":%.3f,\"seconds\":%.3f,\"event\":\"",
	       time, seconds);
	print_json_string(event);
	printf("\",\"count\":%llu,\"rate\":%.1f,\"lost\":%llu,\"missed\":%llu}\n",
	       (unsigned long long)row->count, rate,
	       (unsigned long long)row->lost, (unsigned long long)row->missed);
}

/* One table: of the interval since the last one, or of all the time. */
static int print_table(struct count *s, const struct sums *sums, bool all)
{
	__u64 now = s->end ? s->end : run_now();
	__u64 ns = now - (all ? s->begin : s->then);
	size_t i;

	for (i = 0; i < sums->nr; i++) {
		struct row row = row_of(&sums->list[i]), d = row;

		if (!all) {
			d.count -= s->last[i].count;
			d.lost -= s->last[i].lost;
			d.missed -= s->last[i].missed;
			s->last[i] = row;
		}
		if (sums->nr <= SHOW_ALL_UP_TO || d.count || d.lost ||
		    d.missed)
			print_row(s, sums->list[i].event, &d, ns,
				  now - s->begin);
	}
	s->then = now;
	return fflush(stdout) ? -errno : 0;
}

static int stat_step(struct count *s, bool all, struct tap_error *err)
{
	struct sums sums;
	int ret;

	ret = sums_of_session(&sums, s->run.session, &s->run.probes, err);
	if (!ret) {
		ret = print_table(s, &sums, all);
		if (ret)
			tap_error_set(err, ret, "writing: %s", strerror(-ret));
	}
	if (!ret && all && !s->run.opts->quiet && !sums_print(&sums, NULL, 0))
		ret = tap_error_set(err, -EBADMSG,
				    "the counts do not add up: this is a bug of tapmod");
	sums_free(&sums);
	return ret;
}

static int stat_loop(struct count *s, struct tap_error *err)
{
	__u64 interval = s->run.opts->interval_ns;
	int ret = run_start(&s->run, err);

	if (ret)
		return ret;
	s->begin = run_now();
	s->then = s->begin;
	s->next = interval ? s->begin + interval : 0;
	print_header(s);
	while (!ret && !s->run.stopping) {
		ret = run_wait(&s->run, s->next);
		if (ret)
			return tap_error_set(err, ret, "waiting: %s",
					     strerror(-ret));
		if (!s->next || run_now() < s->next || s->run.stopping)
			continue;
		ret = stat_step(s, false, err);
		/* A moment that was slept through is not made up for. */
		while (s->next <= run_now())
			s->next += interval;
	}
	if (ret)
		return ret;
	/* Disabling many probes takes its time, which is not theirs. */
	s->end = run_now();
	ret = run_stop(&s->run);
	if (ret)
		return tap_explain(err, TAP_IOC_DISABLE, ret, NULL);
	if (interval && !s->run.opts->json)
		printf("all together:\n");
	return stat_step(s, true, err);
}

static int stat_open(struct count *s, const struct options *opts,
		     struct tap_error *err)
{
	size_t i;
	int ret = run_open(&s->run, opts, false, err);

	if (ret)
		return ret;
	s->last = calloc(s->run.probes.nr, sizeof(*s->last));
	if (!s->last)
		return tap_error_set(err, -ENOMEM, "out of memory");
	s->width = (int)strlen("EVENT");
	for (i = 0; i < s->run.probes.nr; i++) {
		size_t len = strlen(s->run.probes.list[i].spec.event);

		if (len > (size_t)s->width)
			s->width = len < 50 ? (int)len : 50;
	}
	return 0;
}

int cmd_stat(int argc, char **argv)
{
	struct count s = { 0 };
	struct options opts;
	struct tap_error err;
	int ret, status;

	status = options_parse(&opts, argc, argv,
			       (OPT_SESSION & ~OPT_RING) | OPT_INTERVAL |
			       OPT_JSON, SYNOPSIS);
	if (status >= 0) {
		options_free(&opts);
		return status;
	}
	ret = stat_open(&s, &opts, &err);
	if (!ret)
		ret = stat_loop(&s, &err);
	status = ret && ret != -EPIPE ? tool_fail(&err) : 0;
	free(s.last);
	run_close(&s.run);
	options_free(&opts);
	return status;
}
