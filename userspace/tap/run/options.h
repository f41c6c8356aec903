/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The options that trace, record, report, flame, export, expect, diff, stat, why and monitor share.
 */
#ifndef _TOOL_RUN_OPTIONS_H
#define _TOOL_RUN_OPTIONS_H

#include "run/diff_args.h"
#include "run/flight_args.h"
#include "run/pmu_args.h"
#include "run/rotate_args.h"
#include "run/stack_args.h"
#include "run/stat_args.h"
#include "run/options_table.h"

/* The options of a command. */
#define OPT_EVENT	(1U << 0)
#define OPT_PID		(1U << 1)
#define OPT_COMMAND	(1U << 2)
#define OPT_JSON	(1U << 3)
#define OPT_DURATION	(1U << 4)
#define OPT_RING	(1U << 5)
#define OPT_MAXACTIVE	(1U << 6)
#define OPT_OUTPUT	(1U << 7)
#define OPT_INTERVAL	(1U << 8)
#define OPT_QUIET	(1U << 9)
#define OPT_INFO	(1U << 10)
#define OPT_FILE	(1U << 11)	/* one argument that is not an option */
#define OPT_CGROUP	(1U << 12)
#define OPT_CPU		(1U << 13)
#define OPT_AGGREGATE	(1U << 14)	/* --by, --sum and the like */
#define OPT_STACK	(1U << 15)	/* --kstack, --ustack */
#define OPT_COUNTERS	(1U << 16)	/* --per-cpu; -e need not be given */
#define OPT_FLAME	(1U << 17)	/* --folded and the like, -e and -o of flame */
#define OPT_PMU		(1U << 18)
#define OPT_EVERY	(1U << 19)
#define OPT_LIMIT	(1U << 20)	/* of commands that write records */
#define OPT_ONCE	(1U << 21)
#define OPT_CLOCK	(1U << 22)
#define OPT_OPEN	(1U << 23)
#define OPT_ENTRIES	(1U << 24)	/* --entries of spans; OPT_AGGREGATE has it, too */
#define OPT_TIME	(1U << 25)
#define OPT_SIDES	(1U << 26)
#define OPT_KEEP	(1U << 27)	/* --keep and its memory */
#define OPT_CAUSES	(1U << 28)	/* -n and -o of why */
#define OPT_MODULE	(1U << 29)	/* -m; neither an event nor a file need be given */
#define OPT_REPORT_WHY	(1U << 30)	/* --why and --blame of report */
#define OPT_WHY		(1U << 31)	/* --why of commands that trace */
#define OPT_EXPORT	(1ULL << 32)	/* --to, and -e and -o of export */
#define OPT_SELECT	(1ULL << 33)	/* -e, --if, times and tables of report */
#define OPT_EXPECT	(1ULL << 34)	/* --junit; -e need not be given */
#define OPT_METRICS	(1ULL << 35)	/* --openmetrics of stat */
#define OPT_EXPORTER	(1ULL << 36)	/* --openmetrics of monitor */
#define OPT_DIFF	(1ULL << 37)	/* the selection of report, --by, --tolerance */
#define OPT_ARGS	(1ULL << 38)	/* any number of arguments that are not options */
#define OPT_SKEW	(1ULL << 39)	/* --skew of merge */
#define OPT_BLAME	(1ULL << 40)	/* the options of blame; -e need not be given */
#define OPT_VMCORE	(1ULL << 41)	/* --vmcore and --session of report */
#define OPT_BUDGET	(1ULL << 42)	/* --budget: of commands whose output says what is missing */
#define OPT_GATE	(1ULL << 44)	/* --from, --until, --until-count of events */
#define OPT_DAEMON	(1ULL << 45)	/* --daemon and its files */
#define OPT_FLIGHT	(1ULL << 43)	/* --flight and what belongs to it */
#define OPT_WINDOW	(1ULL << 46)	/* --window of report */
#define OPT_PANIC	(1ULL << 47)	/* --panic: of commands whose events are records */
/* Options of every command that opens a session. */
#define OPT_SESSION	(OPT_EVENT | OPT_PID | OPT_COMMAND | OPT_DURATION | \
			 OPT_RING | OPT_MAXACTIVE | OPT_QUIET | OPT_CGROUP | \
			 OPT_CPU | OPT_STACK | OPT_PMU | OPT_EVERY | OPT_CLOCK | OPT_WHY)

/**
 * struct options - the command line, checked
 * @events: the -e, --keep and --when arguments
 * @verdict: of each of @events: it is of --keep
 * @trigger: of each of @events: it is of --when
 * @nr_events: number of @events
 * @start: --from of commands that trace, NULL if not given; also one of @events
 * @until: --until, likewise
 * @until_count: --until-count, 0 if not given
 * @rotate: --daemon and its files
 * @keep: --keep was given
 * @keep_memory: --keep-memory
 * @debug: the --debug arguments
 * @nr_debug: number of @debug
 * @pid: -p, 0 if not given
 * @all: -a
 * @per_cpu: --per-cpu
 * @command: -c, NULL if not given
 * @cgroup: --cgroup, NULL if not given
 * @one_cpu: --cpu was given
 * @cpu: --cpu
 * @json: --json
 * @duration_ns: --duration, 0 for no end
 * @ring_bytes: --ring, 0 if not given
 * @clock: --clock: enum tap_session_clock
 * @maxactive: --maxactive, 0 if not given
 * @limit: --limit, 0 if not given
 * @budget: --budget, thousandths of a CPU, 0 if not given
 * @panic: --panic, records, 0 if not given
 * @kstack: --kstack: frames, 0 if not given; %STACK_DEFAULT without a number
 * @ustack: --ustack, likewise
 * @unwind: --ustack=dwarf
 * @unwind_bytes: its bytes, 0 if not given
 * @pmu: --pmu
 * @output: -o, NULL if not given
 * @interval_ns: --interval, 0 if not given
 * @every_ns: --every
 * @metrics: --openmetrics, NULL if not given
 * @stat: --by, --sum and the like, for all events
 * @scopes: the same behind each --for NAME; allocated
 * @nr_scopes: number of @scopes
 * @quiet: -q
 * @info: --info
 * @once: --once
 * @folded: --folded
 * @lines: --lines
 * @by_duration: --weight duration
 * @title: --title, NULL if not given
 * @to: --to, NULL if not given
 * @condition: --if, NULL if not given
 * @from_ns: --from, nanoseconds since boot, of diff since the first event of a file; 0 if not given
 * @to_ns: --to of report and diff, likewise
 * @compress: --compress
 * @open: --open
 * @sides: --sides
 * @why: --why
 * @blame: --blame
 * @also: the --also arguments
 * @nr_also: number of @also
 * @null: --null
 * @again: --again
 * @module: -m, NULL if not given
 * @rows: -n, 0 if not given
 * @times: --time: enum tap_formatter_times
 * @fast: --fast
 * @junit: --junit, NULL if not given
 * @flight: --flight, --before, --after, --max
 * @window: --window, 0 if not given
 * @diff: --tolerance and --rate
 * @skew_ns: --skew, 0 if not given
 * @vmcore: --vmcore
 * @session: --session, 0 if not given
 * @args: with OPT_ARGS: the arguments that are not options
 * @nr_args: number of @args
 * @file: the argument that is not an option: a file, of why a function or an event
 */
struct options {
	const char **events;
	bool *verdict;
	bool *trigger;
	size_t nr_events;
	const char *start;
	const char *until;
	__u32 until_count;
	struct rotate_args rotate;
	bool keep;
	__u64 keep_memory;
	const char **debug;
	size_t nr_debug;
	__u32 pid;
	bool all;
	bool per_cpu;
	const char *command;
	const char *cgroup;
	bool one_cpu;
	__u32 cpu;
	bool json;
	__u64 duration_ns;
	__u64 ring_bytes;
	__u32 clock;
	__u32 maxactive;
	__u32 limit;
	__u32 budget;
	__u32 panic;
	__u32 kstack;
	__u32 ustack;
	bool unwind;
	__u32 unwind_bytes;
	struct pmu_args pmu;
	const char *output;
	__u64 interval_ns;
	__u64 every_ns;
	const char *metrics;
	struct stat_args stat;
	struct stat_args *scopes;
	size_t nr_scopes;
	bool quiet;
	bool info;
	bool once;
	bool folded;
	bool lines;
	bool by_duration;
	const char *title;
	const char *to;
	const char *condition;
	__u64 from_ns;
	__u64 to_ns;
	bool compress;
	bool open;
	__u64 skew_ns;
	bool fast;
	bool sides;
	bool why;
	bool blame;
	const char **also;
	size_t nr_also;
	bool null;
	bool again;
	const char *module;
	__u32 rows;
	__u32 times;
	const char *junit;
	struct flight_args flight;
	__u32 window;
	struct diff_args diff;
	bool vmcore;
	__u32 session;
	const char **args;
	size_t nr_args;
	const char *file;
};

/**
 * options_parse() - read the command line of a command
 * @opts: filled in; end it with options_free()
 * @argc: of the command
 * @argv: of the command
 * @mask: OPT_* of the command
 * @synopsis: what follows "usage: tap "
 *
 * Return: -1 to go on; else the exit status (help was printed, or an error).
 */
int options_parse(struct options *opts, int argc, char **argv,
		  __u64 mask, const char *synopsis);

#endif /* _TOOL_RUN_OPTIONS_H */
