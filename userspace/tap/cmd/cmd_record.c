// SPDX-License-Identifier: GPL-2.0
/*
 * tap record: writes raw ring data to a file, without decoding it. With --keep, or if somebody
 * watches them, the events are decoded, and written one by one. With --flight, only windows of the
 * ring data are written.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/cmd_record.h"
#include "flight/flight.h"
#include "cmd/rotate.h"
#include "run/args_file.h"
#include "run/describe.h"
#include "run/output.h"
#include "stat/spans.h"
#include "stat/summary.h"

#define SYNOPSIS "record -e EVENT... [--keep EVENT]... [--flight SIZE [--when EVENT]... [--before TIME] [--after TIME] [--max N]] [-o FILE] [-p PID | [-a] -c CMD] [OPTION]..."
#define DEFAULT_FILE	"trace.tap"
/* Events read from the rings in one call. */
#define EVENTS	128
/* The longest time until a watcher hears that no event came, ns. */
#define WATCH_NS	100000000ULL
/* Between two samples of the clocks: what NTP does to the clock meanwhile is not seen. */
#define SAMPLE_NS	1000000000ULL

/**
 * struct record - a trace file being written
 * @run: the session
 * @writer: the file
 * @path: its name
 * @rotate: with --daemon: the files that follow one another
 * @info: what describes the machine and the command
 * @ended: bytes of the files before this one
 * @temporary: it is not the user's: nothing is said of it
 * @watch: who looks at the events; NULL: nobody
 * @undecoded: of the events that are decoded: records that match no probe
 * @flight: with --flight: its windows; @run of it is NULL without
 * @kept: with --keep: its counts, set at the end
 * @users: collects the addresses of code in the records; NULL if no event has any
 * @started: the probes were enabled
 * @sampled: when the clocks were sampled last, CLOCK_MONOTONIC ns
 * @clock_error: greatest error of CLOCK_REALTIME, ns; UINT64_MAX: it is not known
 * @discard: a write failed: the rings are emptied, nothing more is written
 */
struct record {
	struct run run;
	struct tap_file_writer *writer;
	const char *path;
	struct rotate rotate;
	struct tap_file_info info;
	__u64 ended;
	bool temporary;
	const struct record_watch *watch;
	__u64 undecoded;
	struct flight flight;
	struct tap_keep_counts kept;
	struct tap_usym_collect *users;
	bool started;
	__u64 sampled;
	__u64 clock_error;
	bool discard;
};

static int record_kept(void *arg, struct tap_event *ev)
{
	struct record *r = arg;

	return tap_file_event(r->writer, ev);
}

static bool is_decoded(const struct record *r)
{
	return r->run.keep || (r->watch && r->watch->event);
}

/* The watcher may have seen enough. */
static int end_if(struct record *r, int ret)
{
	if (ret <= 0)
		return ret;
	r->run.stopping = true;
	return 0;
}

/*
 * One event that is decoded. Names are collected of all events: when a verdict of --keep comes,
 * the process may be gone.
 */
static int record_event(struct record *r, struct tap_event *ev)
{
	int bad = tap_decode(r->run.probes, ev), ret = 0;

	if (bad) {
		r->undecoded += bad != -EOPNOTSUPP;	/* of a later version */
		return 0;
	}
	tap_unwinder_event(r->run.unwinder, ev);
	if (r->users)
		ret = tap_usym_collect_event(r->users, ev);
	if (!ret && r->run.keep)
		ret = tap_keep_event(r->run.keep, ev);
	else if (!ret)
		ret = record_kept(r, ev);
	if (!ret && r->watch && r->watch->event)
		ret = end_if(r, r->watch->event(r->watch->arg, ev));
	return ret;
}

/* As record_round(), for events that are decoded. */
static int record_events(struct record *r, bool *moved)
{
	struct tap_event ev[EVENTS];
	unsigned int nr, i;
	int ret = 0;

	*moved = false;
	do {
		nr = tap_reader_events(r->run.reader, ev, EVENTS);
		*moved |= nr != 0;
		for (i = 0; i < nr && !ret && !r->discard; i++)
			ret = record_event(r, &ev[i]);
	} while (nr && !ret);
	return ret;
}

/* Writes what a reader has now; sets *moved if there was anything. */
static int record_chunks(struct record *r, struct tap_reader *reader, bool *moved)
{
	unsigned int nr = tap_session_nr_rings(r->run.session), cpu;

	*moved = false;
	for (cpu = 0; cpu < nr; cpu++) {
		const void *data;
		size_t len, taken;
		__u64 pos;
		int ret = 0;

		/* A chunk is bounded, so that no CPU starves the others. */
		if (tap_reader_chunk(reader, cpu, &pos, &data, &len) ||
		    !len)
			continue;
		taken = len;
		if (!r->discard)
			ret = tap_unwinder_data(r->run.unwinder, cpu, &pos, &data, &len);
		if (!ret && len && !r->discard)
			ret = tap_file_data(r->writer, cpu, pos, data, len);
		if (!ret && r->users && !r->discard)
			ret = tap_usym_collect_data(r->users, cpu, pos, data, len);
		if (!ret)
			ret = tap_reader_release(reader, cpu, taken);
		if (ret)
			return ret;
		*moved = true;
	}
	return 0;
}

static int record_round(struct record *r, bool *moved)
{
	int ret = is_decoded(r) ? record_events(r, moved) : record_chunks(r, r->run.reader, moved);

	if (!ret && *moved && r->users && !r->discard)
		ret = tap_usym_collect_symbols(r->users, r->writer);
	return ret;
}

static int record_all(void *arg)
{
	struct record *r = arg;
	bool moved;
	int ret;

	do {
		ret = record_round(r, &moved);
	} while (!ret && moved);
	return ret;
}

static int record_time(struct record *r)
{
	struct tap_time time;
	int ret = tap_session_time(r->run.session, &time);

	r->sampled = run_now();
	return ret ? ret : tap_file_time(r->writer, &time);
}

/* Writes a window of the flight recorder. */
static int record_window(void *arg, struct tap_reader *reader, const struct tap_window_info *info)
{
	struct record *r = arg;
	int ret = tap_file_window(r->writer, info);
	bool moved = true;

	while (!ret && moved)
		ret = record_chunks(r, reader, &moved);
	if (!ret && r->users)
		ret = tap_usym_collect_symbols(r->users, r->writer);
	return ret ? ret : record_time(r);
}

/* Asks how true the clock is. Without NTP or PTP the kernel does not know. */
static void look_at_clock(struct record *r)
{
	struct timex now = { 0 };
	__u64 error = UINT64_MAX;

	if (adjtimex(&now) != TIME_ERROR && !(now.status & STA_UNSYNC))
		error = (__u64)now.maxerror * 1000;
	if (error > r->clock_error)
		r->clock_error = error;
}

/*
 * Symbols of now. They are read as a whole if an address of a record is in none of them: it may be
 * code that the kernel has generated, or of a module's init section, which are not kept.
 */
static struct tap_symbols *symbols_now(const struct record *r)
{
	struct tap_symbols *syms = tap_symbols_cached(NULL);

	if (!tap_symbols_are_cached(syms) || !tap_usym_collect_unknown(r->users, syms))
		return syms;
	tap_symbols_free(syms);
	return tap_symbols_load(NULL);
}

/*
 * A module was loaded. Since 5.12 the kernel reports it when its init function has returned; the
 * events of that were read from the rings before. If they have addresses in the init section, its
 * functions are written twice: those of that section are there until now.
 */
static int record_module(struct record *r, const char *name, __u64 time)
{
	struct tap_symbols *own = tap_symbols_load_module(name, NULL), *all = NULL;
	int ret = own ? 0 : -ENOMEM;

	/* If these came from /proc/kallsyms, that file has nothing else. */
	if (tap_symbols_are_cached(own) && run_has_kernel_code(&r->run) &&
	    tap_usym_collect_unknown(r->users, own))
		all = symbols_now(r);
	if (all && !tap_symbols_are_cached(all)) {
		ret = tap_file_module(r->writer, name, all, time);
		if (!ret)
			ret = tap_usym_collect_added(r->users, r->writer, all);
	}
	if (!ret)
		ret = tap_file_module(r->writer, name, own, time);
	tap_symbols_free(own);
	tap_symbols_free(all);
	return ret;
}

/* The functions of a module can be named only while it is loaded. */
static int record_modules(struct record *r)
{
	struct run_module module;
	struct tap_time time;
	int ret = 0;

	while (!ret && run_modules_next(&r->run, &module)) {
		ret = tap_session_time(r->run.session, &time);
		if (!ret && module.gone)
			ret = tap_file_module(r->writer, module.name, NULL, time.out_raw);
		else if (!ret)
			ret = record_module(r, module.name, time.out_raw);
	}
	return ret;
}

static int open_users(struct record *r, struct tap_error *err)
{
	bool kernel = run_has_kernel_code(&r->run);
	int ret;

	if (!r->run.maps && !kernel)
		return 0;
	ret = tap_usym_collect_open(&r->users, r->run.maps, r->run.probes,
				    tap_reader_timebase(r->run.reader));
	if (!ret && kernel)
		ret = tap_usym_collect_kernel(r->users, r->run.syms);
	return ret ? tap_error_set(err, ret, "%s", strerror(-ret)) : 0;
}

/* Kernel functions added since the start of the run, and functions of programs. */
static int record_names(struct record *r)
{
	struct tap_symbols *syms = NULL;
	int ret = record_modules(r);

	/* Functions of a module that came are in the file with it, unless that was not reported. */
	if (run_has_kernel_code(&r->run) &&
	    (r->run.modules < 0 || r->run.modules_lost || tap_usym_collect_unknown(r->users, NULL)))
		syms = symbols_now(r);
	if (!ret && syms)
		ret = tap_usym_collect_added(r->users, r->writer, syms);
	tap_symbols_free(syms);
	if (!ret && r->users)
		ret = tap_usym_collect_write(r->users, r->writer);
	if (!ret && run_has_kernel_code(&r->run))
		ret = tap_usym_collect_lines(r->users, r->writer, run_resolve, &r->run);
	return ret;
}

/* Called while a FIFO is blocked. */
static int record_stalled(void *arg, int fd)
{
	struct record *r = arg;
	struct output out = { .run = &r->run, .fd = fd };

	return output_wait(&out);
}

static int create_file(struct record *r, const struct options *opts, struct tap_error *err)
{
	int ret;

	if (opts->rotate.daemon)
		r->path = rotate_next(&r->rotate);
	/* Opening a FIFO blocks until it has a reader: signals must still end tap. */
	ret = tap_file_create(&r->writer, r->path, err);
	if (!ret && opts->compress && tap_file_compress(r->writer))
		ret = tap_error_set(err, -ENOMEM, "out of memory");
	return ret;
}

static int begin_file(struct record *r, struct tap_error *err)
{
	tap_file_stall(r->writer, record_stalled, r);
	return tap_file_begin(r->writer, &r->info, tap_reader_meta(r->run.reader),
			      r->run.probes, NULL, err);
}

static int record_open(struct record *r, const struct options *opts, int argc,
		       char **argv, struct tap_error *err)
{
	struct tap_keep_opts keep = {
		.size = sizeof(keep), .ordered = true, .give = record_kept, .arg = r,
	};
	int ret = run_open(&r->run, opts, true, err);

	if (!r->temporary)
		r->path = opts->output ? opts->output : DEFAULT_FILE;
	if (!ret && opts->rotate.daemon)
		ret = rotate_open(&r->rotate, opts, err);
	if (!ret)
		ret = create_file(r, opts, err);
	if (!ret)
		ret = run_build(&r->run, err);
	if (!ret)
		ret = run_keep_open(&r->run, &keep, err);
	if (!ret)
		ret = open_users(r, err);
	if (!ret && r->watch)
		ret = r->watch->open(r->watch->arg, r->run.probes,
				     tap_reader_timebase(r->run.reader), err);
	if (ret)
		return ret;
	if (is_decoded(r))
		tap_reader_all_jumps(r->run.reader);
	if (opts->flight.bytes) {
		r->flight = (struct flight) { .run = &r->run, .write = record_window, .arg = r };
		ret = flight_open(&r->flight, err);
		if (ret)
			return ret;
	}
	describe_fill(&r->info, argc, argv);
	if (opts->rotate.daemon)
		r->info.flags |= TAP_FILE_INFO_F_PART;
	describe_run(&r->run, &r->info);
	return begin_file(r, err);
}

/* All events were read: writes those that are still in memory. */
static int record_rest(struct record *r)
{
	struct tap_error err;
	int ret;

	if (!is_decoded(r))
		return 0;
	if (!r->run.keep)
		return tap_file_keep(r->writer, NULL);
	ret = tap_keep_end(r->run.keep);
	if (!ret)
		ret = run_keep_counts(&r->run, &r->kept, &err);
	return ret ? ret : tap_file_keep(r->writer, &r->kept);
}

static int record_failed(const struct record *r, int ret, struct tap_error *err)
{
	return tap_error_set(err, ret, "cannot write %s: %s", r->path,
			     ret == -ECANCELED ?
			     "output is blocked; the rest is lost" :
			     strerror(-ret));
}

static int flight_some(struct record *r)
{
	int ret = record_modules(r);

	return ret ? ret : flight_round(&r->flight);
}

/* The probes are disabled: writes what is still in the rings. */
static int record_last(struct record *r)
{
	int ret;

	if (!r->flight.run) {
		ret = run_drain(&r->run, record_all, r);
		return ret ? ret : record_rest(r);
	}
	ret = flight_end(&r->flight);
	return ret ? ret : tap_file_flight(r->writer, &r->flight.counts);
}

/* Waits for events and writes them; @moved: there may be more. */
static int record_some(struct record *r, bool *moved)
{
	struct tap_time time = { 0 };
	__u64 until = *moved;
	int ret;

	/* While there is more to write, only poll for the end. */
	if (!until)
		until = is_decoded(r) && r->watch ? run_now() + WATCH_NS : r->sampled + SAMPLE_NS;
	if (until > 1 && r->run.opts->rotate.daemon && until > r->rotate.next)
		until = r->rotate.next;
	ret = run_wait(&r->run, until);
	if (!ret && run_now() >= r->sampled + SAMPLE_NS)
		ret = record_time(r);
	/* After this round the watcher has seen all events up to this time. */
	if (!ret && r->watch && r->watch->seen)
		ret = tap_session_time(r->run.session, &time);
	if (!ret)
		ret = record_round(r, moved);
	if (!ret)
		ret = record_modules(r);
	if (!ret && r->watch && r->watch->seen)
		ret = end_if(r, r->watch->seen(r->watch->arg, time.out_raw));
	return ret;
}

/*
 * Ends a file and begins the next one, while events come. What was read from the rings is in the
 * one, what comes is in the other. No file has the counters of the probes: while events come, they
 * are not those of the records that were read.
 */
static int record_rotate(struct record *r, struct tap_error *err)
{
	int ret = record_time(r);

	if (!ret && r->clock_error != UINT64_MAX)
		ret = tap_file_sync(r->writer, r->clock_error);
	if (!ret)
		ret = record_names(r);
	if (!ret) {
		r->ended += tap_file_bytes(r->writer);
		ret = tap_file_finish(r->writer);
		r->writer = NULL;
	}
	if (ret)
		return record_failed(r, ret, err);
	tap_usym_collect_close(r->users);
	r->users = NULL;
	r->info.date = (__u64)time(NULL);
	ret = create_file(r, r->run.opts, err);
	if (!ret)
		ret = open_users(r, err);
	if (!ret)
		ret = begin_file(r, err);
	if (!ret && record_time(r))
		ret = record_failed(r, -EIO, err);
	if (!ret)
		ret = tap_file_publish(r->writer, err);
	look_at_clock(r);
	rotate_begin(&r->rotate, run_now());
	return ret;
}

static int record_loop(struct record *r, struct tap_error *err)
{
	bool moved = false;
	int ret, stop;

	ret = record_time(r);
	if (ret)
		return record_failed(r, ret, err);
	if (r->run.opts->rotate.daemon)
		rotate_begin(&r->rotate, run_now());
	look_at_clock(r);
	ret = run_start(&r->run, err);
	r->started = !ret;
	if (!ret && r->flight.run)
		flight_say(&r->flight);
	if (!ret)
		ret = tap_file_publish(r->writer, err);
	if (ret)
		return ret;
	while (!ret && !r->run.stopping) {
		ret = r->flight.run ? flight_some(r) : record_some(r, &moved);
		if (!ret && !r->run.stopping && r->run.opts->rotate.daemon &&
		    rotate_is_due(&r->rotate, tap_file_bytes(r->writer), run_now()) &&
		    record_rotate(r, err))
			return err->code;
	}
	/* In front of the end: tap_file_end() is a time at which all probes were enabled. */
	if (!ret)
		ret = record_time(r);
	look_at_clock(r);
	stop = run_disable(&r->run);
	if (!ret)
		ret = stop;
	if (!ret)
		ret = record_last(r);
	if (!ret && r->clock_error != UINT64_MAX)
		ret = tap_file_sync(r->writer, r->clock_error);
	if (!ret)
		ret = spans_write(&r->run, r->users, r->writer);
	if (!ret)
		ret = record_names(r);
	if (ret)
		return record_failed(r, ret, err);
	return r->run.opts->rotate.daemon ? 0 :
	       summary_write(r->run.session, r->run.probes, r->writer, err);
}

/* The windows before the one whose write failed are whole. */
static int flight_broken(struct record *r, struct tap_error *err)
{
	run_disable(&r->run);
	tap_file_abort(r->writer);
	r->writer = NULL;
	run_stop(&r->run);
	tool_error("%s has %llu whole windows; of the one behind them it has the part that was written",
		   r->path, (unsigned long long)r->flight.counts.windows);
	return err->code;
}

/*
 * After a write that failed, as on a full disk: the events that are still in the rings are read
 * and dropped, so that the totals of the run are right all the same.
 */
static int record_broken(struct record *r, struct tap_error *err)
{
	struct tap_reader_counts counts = { .size = sizeof(counts) };
	struct tap_error again;
	__u64 kept;
	int ret;

	if (r->flight.run)
		return flight_broken(r, err);
	tap_reader_counts(r->run.reader, &counts);
	kept = r->run.keep ? 0 : counts.events;
	if (r->run.keep && !tap_keep_counts(r->run.keep, &r->kept))
		kept = r->kept.kept;
	r->discard = true;
	ret = run_disable(&r->run);
	if (!ret)
		ret = run_drain(&r->run, record_all, r);
	tap_file_abort(r->writer);
	r->writer = NULL;
	/* It has not seen all events: it has no totals. */
	tap_keep_close(r->run.keep);
	r->run.keep = NULL;
	run_stop(&r->run);
	tap_reader_counts(r->run.reader, &counts);
	tool_error("%s has at most %llu of %llu events", r->path,
		   (unsigned long long)kept, (unsigned long long)counts.events);
	if (!ret)
		summary_of_run(&r->run, &again);
	return err->code;
}

static int record_end(struct record *r, struct tap_error *err)
{
	struct tap_reader_counts counts = { .size = sizeof(counts) };
	__u64 bytes = r->ended + tap_file_bytes(r->writer);
	int ret;

	ret = tap_file_finish(r->writer);
	r->writer = NULL;
	run_stop(&r->run);
	if (ret)
		record_failed(r, ret, err);
	tap_reader_counts(r->run.reader, &counts);
	if (r->flight.run)
		counts.events = r->flight.events;
	if (!ret && !r->temporary)
		fprintf(stderr, "tap: %llu events, %.1f MiB in ",
			(unsigned long long)(r->run.keep ? r->kept.kept : counts.events),
			(double)bytes / (1 << 20));
	if (!ret && !r->temporary && strcmp(r->path, "-"))
		fprintf(stderr, "%s ('tap report %s' prints them)\n", r->path, r->path);
	else if (!ret && !r->temporary)
		fputs("standard output\n", stderr);
	if (r->undecoded)
		tool_error("%llu records match no probe and were not written",
			   (unsigned long long)r->undecoded);
	if (!ret && r->flight.run && !r->run.opts->quiet)
		flight_print(&r->flight.counts);
	return summary_of_run(&r->run, ret ? NULL : err) ?: ret ?: spans_check(&r->run, err);
}

int record_run(const struct options *opts, const char *temporary,
	       const struct record_watch *watch, int argc, char **argv)
{
	struct record r = { .path = temporary, .temporary = temporary, .watch = watch };
	struct tap_error err;
	int ret, status;

	ret = record_open(&r, opts, argc, argv, &err);
	if (!ret) {
		ret = record_loop(&r, &err);
		if (!ret)
			ret = record_end(&r, &err);
		else if (r.started)
			ret = record_broken(&r, &err);
	}
	status = ret ? tool_fail(&err) : 0;
	tap_file_abort(r.writer);
	tap_usym_collect_close(r.users);
	rotate_close(&r.rotate);
	if (watch)
		watch->close(watch->arg);
	flight_close(&r.flight);
	run_close(&r.run);
	return status;
}

int cmd_record(int argc, char **argv)
{
	struct args_file args;
	struct options opts;
	int status = args_file_read(&args, argc, argv);

	if (status >= 0) {
		args_file_free(&args);
		return status;
	}
	status = options_parse(&opts, args.argc, args.argv,
			       OPT_SESSION | OPT_LIMIT | OPT_BUDGET | OPT_OUTPUT | OPT_ENTRIES |
			       OPT_SIDES | OPT_KEEP | OPT_GATE | OPT_PANIC | OPT_DAEMON |
			       OPT_FLIGHT, SYNOPSIS);
	if (status < 0)
		status = record_run(&opts, NULL, NULL, args.argc, args.argv);
	options_free(&opts);
	args_file_free(&args);
	return status;
}
