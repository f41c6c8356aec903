// SPDX-License-Identifier: GPL-2.0
/*
 * A flight recorder writes over its oldest events. At a trigger it waits for --after, takes the set
 * of rings while events go to the other one, writes the window, and gives the set back.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>

#include "flight/flight.h"

static int explain(struct tap_error *err, int code)
{
	return tap_explain(err, TAP_IOC_WINDOW, code, NULL);
}

/* Lets the next trigger come. Counts those that came meanwhile: after the last window none has one. */
static int give(struct flight *f)
{
	struct tap_window w;
	int ret = tap_session_window(f->run->session, TAP_WINDOW_F_GIVE, f->after, &w);

	if (ret)
		return ret;
	if (f->full) {
		f->counts.skipped += w.out_merged + w.out_missed;
	} else {
		f->counts.merged += w.out_merged;
		f->counts.missed += w.out_missed;
	}
	return 0;
}

int flight_open(struct flight *f, struct tap_error *err)
{
	const struct flight_args *args = &f->run->opts->flight;
	const struct tap_timebase *tb = tap_reader_timebase(f->run->reader);
	int ret;

	f->counts.size = sizeof(f->counts);
	f->reader[0] = f->run->reader;
	f->before = tap_timebase_ticks(tb, args->before_ns);
	f->after = tap_timebase_ticks(tb, args->after_ns);
	ret = give(f);
	return ret ? explain(err, ret) : 0;
}

void flight_say(const struct flight *f)
{
	const struct options *opts = f->run->opts;
	const struct tap_meta *meta = tap_reader_meta(f->run->reader);
	struct tap_info info;
	unsigned int cpus = 0;

	if (opts->quiet)
		return;
	cpus = tap_session_info(f->run->session, &info) ? 0 : meta->nr_made;
	tool_error("flight recorder: %.1f MiB of memory, 2 rings of %llu KiB for each of %u CPUs; %s",
		   2.0 * cpus * (double)meta->ring_bytes / (1 << 20),
		   (unsigned long long)meta->ring_bytes >> 10, cpus,
		   opts->flight.nr_when ? "a window is written when an event of --when comes" :
					  "a window is written at the end");
}

/* Whether an event, or tap dump, has triggered. */
static bool is_triggered(const struct flight *f)
{
	struct pollfd pfd = { .fd = tap_session_fd(f->run->session), .events = POLLIN };

	return poll(&pfd, 1, 0) > 0 && pfd.revents & POLLIN;
}

/* Fills in the times of a window. @now: all events up to then are in the set. */
static void set_times(const struct flight *f, struct tap_window_info *info,
		      const struct tap_window *w, __u64 now)
{
	const struct flight_args *args = &f->run->opts->flight;

	info->time = f->hand ? f->hand : w->out_time;
	info->to = info->time + (f->pending ? f->after : 0);
	info->from = w->out_since;
	if (args->has_before && info->time >= f->before && info->time - f->before > info->from)
		info->from = info->time - f->before;
	else if (args->has_before)
		info->flags |= TAP_WINDOW_INFO_F_SHORT;
	if (info->to > now) {
		info->to = now;
		info->flags |= TAP_WINDOW_INFO_F_SHORT;
	}
	/* The trigger of another CPU's clock may be a little before the exchange. */
	if (info->to < info->from)
		info->to = info->from;
}

static int write_window(struct flight *f, const struct tap_window *w, __u64 now)
{
	struct tap_reader_counts before = { .size = sizeof(before) }, after = before;
	struct tap_window_info info = {
		.size = sizeof(info), .merged = w->out_merged, .missed = w->out_missed,
		.probe = f->hand ? 0 : w->out_probe, .cpu = w->out_cpu,
	};
	struct tap_reader **reader = &f->reader[w->out_set & 1];
	bool whole;
	int ret = 0;

	/* An event triggered in the window that SIGUSR1 has asked for. */
	info.merged += f->hand && w->out_probe;
	set_times(f, &info, w, now);
	if (!*reader)
		ret = tap_reader_open_set(reader, f->run->session, w->out_offset, NULL);
	if (ret)
		return ret;
	tap_reader_counts(*reader, &before);
	ret = tap_reader_window(*reader, info.from, info.to, &whole);
	if (ret)
		return ret;
	if (!whole)
		info.flags |= TAP_WINDOW_INFO_F_SHORT;
	tap_reader_counts(*reader, &after);
	info.events = after.events - before.events;
	ret = f->write(f->arg, *reader, &info);
	if (!ret) {
		f->counts.windows++;
		f->events += info.events;
	}
	return ret;
}

/* Takes the set, and writes its window. */
static int take(struct flight *f)
{
	struct tap_session *session = f->run->session;
	struct tap_window w;
	struct tap_time now;
	int ret = tap_session_time(session, &now);

	if (!ret)
		ret = tap_session_window(session, TAP_WINDOW_F_TAKE, 0, &w);
	/* Taken without a trigger: up to the time of the command, which is later. */
	if (!ret)
		ret = write_window(f, &w, f->pending ? now.out_raw : w.out_time);
	f->pending = false;
	f->hand = 0;
	return ret;
}

/* SIGUSR1: the window begins to end now, unless one does already. */
static int ask(struct flight *f)
{
	struct tap_time now;
	int ret;

	f->run->asked = false;
	if (f->full) {
		f->counts.skipped++;
		return 0;
	}
	if (f->pending) {
		f->counts.merged++;
		return 0;
	}
	ret = tap_session_time(f->run->session, &now);
	if (ret)
		return ret;
	f->pending = true;
	f->hand = now.out_raw;
	f->due = run_now() + f->run->opts->flight.after_ns;
	return 0;
}

int flight_round(struct flight *f)
{
	const struct flight_args *args = &f->run->opts->flight;
	int ret;

	/* A trigger stays readable until its set is given back. */
	f->run->blind = f->pending || f->full;
	ret = run_wait(f->run, f->pending ? f->due : 0);
	if (!ret && f->run->asked)
		ret = ask(f);
	if (!ret && !f->pending && !f->full && is_triggered(f)) {
		f->pending = true;
		f->due = run_now() + args->after_ns;
	}
	if (ret || !f->pending || run_now() < f->due)
		return ret;
	ret = take(f);
	if (ret)
		return ret;
	f->full = f->counts.windows >= args->max;
	if (!f->full)
		return give(f);
	tool_error("%u windows are written (--max): later triggers are only counted", args->max);
	return 0;
}

int flight_end(struct flight *f)
{
	bool last = !f->run->opts->flight.nr_when;
	int ret = 0;

	if (f->full)
		ret = give(f);
	/* It may have come after the last look. */
	else if (!f->pending && is_triggered(f))
		f->pending = true;
	if (!ret && (f->pending || last))
		ret = take(f);
	if (!ret && !f->full)
		ret = give(f);
	return ret;
}

void flight_print(const struct tap_flight_counts *counts)
{
	if (!counts->windows && !counts->merged && !counts->missed && !counts->skipped) {
		fputs("flight: no trigger came; all events were overwritten\n", stderr);
		return;
	}
	fprintf(stderr, "flight: %llu window%s; %llu later triggers were in one of them, %llu came before the rings were free again",
		(unsigned long long)counts->windows, counts->windows == 1 ? "" : "s",
		(unsigned long long)counts->merged, (unsigned long long)counts->missed);
	if (counts->skipped)
		fprintf(stderr, ", %llu after the last one of --max",
			(unsigned long long)counts->skipped);
	fputs("; all other events were overwritten\n", stderr);
}

void flight_close(struct flight *f)
{
	/* The first one is the run's. */
	tap_reader_close(f->reader[1]);
}
