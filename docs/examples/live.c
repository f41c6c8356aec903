// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Reads events live and prints them until Ctrl-C. The argument is what "tap trace -e" takes.
 *
 *	./live 'call:do_sys_openat2 filename:ustring if comm == "cat"'
 */
#include <libtap.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static volatile sig_atomic_t interrupted;
static void interrupt(int number)
{
	interrupted = number;
}

/* A function that takes a struct tap_error leaves a message there. All of them return -errno. */
static void check(int ret, const struct tap_error *err)
{
	if (ret < 0) {
		fprintf(stderr, "live: %s\n", err ? err->text : strerror(-ret));
		exit(1); /* the kernel removes the session with its probes and rings */
	}
}

/* Prints all events that can be read now. */
static void show(struct tap_reader *reader, struct tap_probes *probes, struct tap_formatter *fmt)
{
	struct tap_event ev;

	while (tap_reader_next(reader, &ev) == 1)
		if (tap_decode(probes, &ev) == 0) /* finds the event's probe in the table */
			tap_formatter_event(fmt, &ev);
	tap_formatter_flush(fmt);
}

int main(int argc, char **argv)
{
	struct tap_formatter_opts opts = { .size = sizeof(opts), .fd = 1 };
	struct tap_reader_counts counts = { .size = sizeof(counts) };
	struct tap_probes *probes = tap_probes_new();
	struct tap_session *session;
	struct tap_formatter *fmt;
	struct tap_reader *reader;
	struct tap_error err;
	struct tap_spec *spec;
	__u64 pending;

	if (argc != 2)
		return fprintf(stderr, "usage: live EVENT\n"), 2;
	/* An open device is a session; setup gives it a ring for each CPU. */
	check(tap_session_open(&session, &err), &err);
	check(tap_session_setup(session, NULL, &err), &err);
	/* From the text to a spec, from the spec to probes: one, or more if it is a glob. */
	check(tap_spec_parse(argv[1], &spec, &err), &err);
	check(tap_probes_create(probes, session, NULL, spec, &err), &err);
	check(tap_reader_open(&reader, session, &err), &err);
	opts.timebase = tap_reader_timebase(reader);
	opts.probes = probes;
	check(tap_formatter_open(&fmt, &opts), NULL);
	tap_formatter_header(fmt);
	check(tap_session_enable(session, 0), NULL);
	for (signal(SIGINT, interrupt); !interrupted; tap_reader_poll(reader, 100))
		show(reader, probes, fmt);
	/* No more events: what the reader held back for the order is read, and the last losses. */
	tap_session_disable(session, 0);
	tap_reader_drain(reader, true);
	show(reader, probes, fmt);
	tap_session_flush(session, &pending);
	show(reader, probes, fmt);
	tap_reader_counts(reader, &counts);
	fprintf(stderr, "%llu events, %llu lost\n", counts.events, counts.lost);
	tap_formatter_close(fmt);
	tap_spec_free(spec);
	tap_probes_free(probes);
	tap_reader_close(reader); /* before its session */
	tap_session_close(session);
	return 0;
}
