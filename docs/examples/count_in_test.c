// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A unit test that asserts how often its action calls a kernel function: a file of three blocks
 * takes four reads; the last read finds the end.
 *
 *	./count_in_test vfs_read 4
 *
 * Calls by other processes do not count: the event has a condition.
 */
#define _POSIX_C_SOURCE 200809L /* fileno() */

#include <libtap.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK	4096
static FILE *file; /* with three blocks */

/* The code under test. */
static void read_all(void)
{
	char block[BLOCK];

	lseek(fileno(file), 0, SEEK_SET);
	while (read(fileno(file), block, sizeof(block)) > 0) {}
}

static void check(int ret, const struct tap_error *err)
{
	if (ret < 0)
		exit(printf("not ok - %s\n", err ? err->text : strerror(-ret)) > 0);
}

/* How often does this process call a function of the kernel while it runs action()? */
static __u64 count_calls(const char *function, void (*action)(void))
{
	struct tap_probes *probes = tap_probes_new();
	struct tap_counters total;
	struct tap_session *session;
	struct tap_spec *spec;
	struct tap_error err;
	char event[256];
	__u32 id;

	snprintf(event, sizeof(event), "kprobe:%s if pid == %d", function, getpid());
	check(tap_session_open(&session, &err), &err);
	check(tap_session_setup(session, NULL, &err), &err);
	check(tap_spec_parse(event, &spec, &err), &err);
	/* The kernel counts the events and writes no records. */
	tap_spec_set_flags(spec, tap_spec_flags(spec) | TAP_CREATE_F_COUNT);
	check(tap_probes_create(probes, session, NULL, spec, &err), &err);
	check(tap_session_enable(session, 0), NULL);
	action();
	check(tap_session_disable(session, 0), NULL);
	/* Hits of other processes are in total.hits and total.filtered. */
	id = tap_probe_id(tap_probes_get(probes, 0));
	check(tap_session_totals(session, id, &total), NULL);
	tap_probes_free(probes);
	tap_spec_free(spec);
	tap_session_close(session);
	return total.aggregated;
}

int main(int argc, char **argv)
{
	static const char blocks[3 * BLOCK];
	__u64 want, calls;

	if (argc != 3)
		return fprintf(stderr, "usage: count_in_test FUNCTION TIMES\n"), 2;
	want = strtoull(argv[2], NULL, 10);
	file = tmpfile();
	if (!file || fwrite(blocks, sizeof(blocks), 1, file) != 1 || fflush(file))
		return perror("tmpfile"), 1;
	calls = count_calls(argv[1], read_all);
	printf("%s - read_all() calls %s %llu times, expected %llu\n",
	       calls == want ? "ok" : "not ok", argv[1], calls, want);
	return calls != want;
}
