// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Runs a command and prints a table of an event: for each key the number of events, the sum and
 * the maximum of a value. The kernel counts; no records are written, so none can be lost.
 *
 *	./table kprobe:vfs_read comm count 'cat /proc/version'
 *
 * EVENT is without values of its own. KEY and VALUE are what "tap stat --by" and "--sum" take.
 */
#include <libtap.h>
#include <stdlib.h>
#include <string.h>

static void check(int ret, const struct tap_error *err)
{
	if (ret >= 0)
		return;
	fprintf(stderr, "table: %s\n", err ? err->text : strerror(-ret));
	exit(1);
}

static void print_row(const struct tap_aggregation *table, const __u64 *row)
{
	/* It says how a key is printed; without @resolve, addresses are printed as numbers. */
	const struct tap_formatter_opts opts = { .size = sizeof(opts) };
	char key[8192] = "all others", sum[64] = "-", max[64] = "-";
	__u64 value;

	/* When the table is full, the events of further keys are counted in one last row. */
	if (!tap_aggregation_is_other(row))
		tap_aggregation_format_key(table, row, 0, &opts, key, sizeof(key));
	/* No value: the kernel could not read it in any of the events. */
	if (tap_aggregation_value(table, row, 0, &value))
		tap_aggregation_format_value(table, 0, value, &opts, sum, sizeof(sum));
	if (tap_aggregation_value(table, row, 1, &value))
		tap_aggregation_format_value(table, 1, value, &opts, max, sizeof(max));
	printf("%-24s %10llu %12s %12s\n", key, tap_aggregation_count(table, row), sum, max);
}

int main(int argc, char **argv)
{
	struct tap_spec_value values[2] = {
		{ .size = sizeof(values[0]), .kind = TAP_AGG_SUM, .expr = argc > 3 ? argv[3] : NULL },
		{ .size = sizeof(values[0]), .kind = TAP_AGG_MAX, .expr = argc > 3 ? argv[3] : NULL },
	};
	struct tap_probes *probes = tap_probes_new();
	struct tap_aggregation *table;
	struct tap_session *session;
	struct tap_spec *spec;
	struct tap_error err;
	size_t i;

	if (argc != 5)
		return fprintf(stderr, "usage: table EVENT KEY VALUE COMMAND\n"), 2;
	check(tap_session_open(&session, &err), &err);
	check(tap_session_setup(session, NULL, &err), &err);
	check(tap_spec_parse(argv[1], &spec, &err), &err);
	/* 0 entries: as many keys as the library thinks fit. */
	check(tap_spec_aggregate(spec, (const char *const *)&argv[2], 1, values, 2, 0, &err), &err);
	check(tap_probes_create(probes, session, NULL, spec, &err), &err);
	/* Each probe has a table of its own; a glob would make several. */
	check(tap_aggregation_open(&table, tap_probes_get(probes, 0), 0), NULL);
	check(tap_session_enable(session, 0), NULL);
	if (system(argv[4]))
		fprintf(stderr, "table: the command failed\n");
	check(tap_session_disable(session, 0), NULL);
	check(tap_aggregation_read(table, session), NULL);
	printf("%-24s %10s %12s %12s\n", argv[2], "count", "sum", "max");
	for (i = 0; i < tap_aggregation_nr_rows(table); i++)
		print_row(table, tap_aggregation_row(table, i));
	tap_aggregation_close(table);
	tap_probes_free(probes);
	tap_spec_free(spec);
	tap_session_close(session);
	return 0;
}
