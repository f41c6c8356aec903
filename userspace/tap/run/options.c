// SPDX-License-Identifier: GPL-2.0
/*
 * Reading the options that several commands share.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/option_value.h"
#include "run/options.h"

/* Columns of --help: of what follows "usage: tap ", and of the texts. */
#define HELP_USAGE	11
#define HELP_TEXT	27

/* At least a millisecond, at most a year: anything else is a typing error. */
#define MIN_SECONDS	0.001
#define MAX_SECONDS	31622400.0
/* Default of --every, nanoseconds. */
#define DEFAULT_EVERY	1000000000
/* Most of -n: each row of why is a copy of a record. */
#define MAX_ROWS	10000
/* Default of --keep-memory, bytes. */
#define DEFAULT_KEEP_MEMORY	(64U << 20)

/* Long options without a letter. */
enum {
	VAL_JSON = 256,
	VAL_DURATION,
	VAL_RING,
	VAL_CLOCK,
	VAL_TIME,
	VAL_MAXACTIVE,
	VAL_LIMIT,
	VAL_BUDGET,
	VAL_INTERVAL,
	VAL_METRICS,
	VAL_EVERY,
	VAL_INFO,
	VAL_ONCE,
	VAL_CGROUP,
	VAL_DEBUG,
	VAL_CPU,
	VAL_PER_CPU,
	VAL_FOR,
	VAL_BY,
	VAL_COUNT,
	VAL_SUM,
	VAL_AVG,
	VAL_MIN,
	VAL_MAX,
	VAL_HIST,
	VAL_LHIST,
	VAL_TOP,
	VAL_ENTRIES,
	VAL_KSTACK,
	VAL_USTACK,
	VAL_PMU,
	VAL_FOLDED,
	VAL_LINES,
	VAL_WEIGHT,
	VAL_TITLE,
	VAL_TO,
	VAL_IF,
	VAL_FROM,
	VAL_BEFORE,
	VAL_COMPRESS,
	VAL_FAST,
	VAL_SKEW,
	VAL_VMCORE,
	VAL_SESSION,
	VAL_JUNIT,
	VAL_TOLERANCE,
	VAL_RATE,
	VAL_OPEN,
	VAL_SIDES,
	VAL_KEEP,
	VAL_KEEP_MEMORY,
	VAL_FLIGHT,
	VAL_WHEN,
	VAL_WINDOW_BEFORE,
	VAL_AFTER,
	VAL_MAX_WINDOWS,
	VAL_WINDOW,
	VAL_WHY,
	VAL_BLAME,
	VAL_ALSO,
	VAL_NULL,
	VAL_AGAIN,
	VAL_START,
	VAL_UNTIL,
	VAL_UNTIL_COUNT,
	VAL_DAEMON,
	VAL_ROTATE_SIZE,
	VAL_ROTATE_AGE,
	VAL_ROTATE_KEEP,
	VAL_ARGS,
	VAL_PANIC,
	VAL_HELP,
};

/**
 * struct option_row - an option
 * @bit: OPT_*; 0 for all commands
 * @value: its letter or VAL_*
 * @name: long name, or NULL
 * @arg: name of its argument, "[=NAME]" of one that need not be, or NULL
 * @help: one line for --help
 */
struct option_row {
	__u64 bit;
	int value;
	const char *name;
	const char *arg;
	const char *help;
};

static const struct option_row rows[] = {
	{ OPT_EVENT, 'e', "event", "EVENT",
	  "what to probe, with values and a condition, e.g. 'call:vfs_read count if duration > 1ms'; may be given several times" },
	{ OPT_EXPORT, VAL_TO, "to", "ctf|json|perfetto|pprof|tsv",
	  "the format: a directory for babeltrace2, lines of JSON, a trace for ui.perfetto.dev, stacks for pprof, or a table with tabs" },
	{ OPT_FLAME | OPT_EXPORT | OPT_SELECT | OPT_DIFF, 'e', "event", "EVENT",
	  "use only these events of the file, e.g. 'kprobe:*'; may be given several times" },
	{ OPT_PID, 'p', "pid", "PID", "trace only this process" },
	{ OPT_COMMAND, 'c', "command", "CMD",
	  "run CMD and trace only it and its descendants, until it ends" },
	{ OPT_COMMAND, 'a', "all", NULL,
	  "with -c: trace all processes while CMD runs, not only its own" },
	{ OPT_CGROUP, VAL_CGROUP, "cgroup", "PATH",
	  "trace only this cgroup and its descendants" },
	{ OPT_CPU, VAL_CPU, "cpu", "N", "trace only this CPU" },
	{ OPT_EVENT, VAL_DEBUG, "debug", "FILE|DIR",
	  "debug information of modules without BTF: a module, its debug symbols, or a directory of them; may be given several times" },
	{ OPT_COUNTERS, VAL_PER_CPU, "per-cpu", NULL,
	  "counters: print a line for each CPU" },
	{ OPT_AGGREGATE | OPT_SELECT, VAL_FOR, "for", "NAME",
	  "the options --by to --top behind it make a table of this event alone: its name, its text or the name of a span; may be given several times" },
	{ OPT_AGGREGATE | OPT_SELECT | OPT_DIFF, VAL_BY, "by", "EXPR,...",
	  "count separately for each value of these expressions, e.g. comm or comm,pid" },
	{ OPT_AGGREGATE | OPT_SELECT, VAL_COUNT, "count", NULL,
	  "print only the count (the default without --sum and the like)" },
	{ OPT_AGGREGATE | OPT_SELECT, VAL_SUM, "sum", "EXPR", "also print the sum" },
	{ OPT_AGGREGATE | OPT_SELECT, VAL_AVG, "avg", "EXPR", "also print the average" },
	{ OPT_AGGREGATE | OPT_SELECT, VAL_MIN, "min", "EXPR", "also print the minimum" },
	{ OPT_AGGREGATE | OPT_SELECT, VAL_MAX, "max", "EXPR", "also print the maximum" },
	{ OPT_AGGREGATE | OPT_SELECT, VAL_HIST, "hist", "EXPR",
	  "also print a histogram with buckets of powers of two, e.g. duration" },
	{ OPT_AGGREGATE | OPT_SELECT, VAL_LHIST, "lhist", "EXPR:MIN:MAX:STEP",
	  "also print a histogram with buckets of equal width, e.g. duration:0:1ms:50us" },
	{ OPT_AGGREGATE | OPT_SELECT, VAL_TOP, "top", "N", "print only the first N rows" },
	{ OPT_AGGREGATE | OPT_ENTRIES, VAL_ENTRIES, "entries", "N",
	  "number of keys that each CPU has room for, default 2048; of a span: how many may be open at once, default 16384" },
	{ OPT_SELECT | OPT_DIFF, VAL_IF, "if", "COND",
	  "use only events for which this is true, e.g. 'duration > 1ms'; its names are the values that were recorded" },
	{ OPT_SELECT, VAL_FROM, "from", "SECONDS", "use only what has this time since boot, or a later one" },
	{ OPT_SELECT, VAL_BEFORE, "to", "SECONDS", "use only what has an earlier time since boot" },
	{ OPT_DIFF, VAL_FROM, "from", "SECONDS", "begin so many seconds behind the first event of each file" },
	{ OPT_DIFF, VAL_BEFORE, "to", "SECONDS", "end so many seconds behind the first event of each file" },
	{ OPT_GATE, VAL_START, "from", "EVENT", "begin with this event: what happens before it is filtered" },
	{ OPT_GATE, VAL_UNTIL, "until", "EVENT", "end with this event; with --from the first one behind that" },
	{ OPT_GATE, VAL_UNTIL_COUNT, "until-count", "N", "end when N events came, of all together" },
	{ OPT_OPEN, VAL_OPEN, "open", NULL,
	  "at the end, list what a span: began and did not end, e.g. what leaks" },
	{ OPT_SIDES, VAL_SIDES, "sides", NULL,
	  "also record each event that begins or ends a span:, with the time that its duration is computed from" },
	{ OPT_KEEP, VAL_KEEP, "keep", "EVENT",
	  "keep only what its task did during this event, e.g. 'call:vfs_read if duration > 10ms'; may be given several times" },
	{ OPT_KEEP, VAL_KEEP_MEMORY, "keep-memory", "SIZE",
	  "memory in which events wait for the end of their call; default 64M" },
	{ OPT_FLIGHT, VAL_FLIGHT, "flight", "SIZE",
	  "write over old events in this memory, and write a window of them to the file at each --when, SIGUSR1 and 'tap dump'; without --when at the end, too" },
	{ OPT_FLIGHT, VAL_WHEN, "when", "EVENT",
	  "this event triggers a window, e.g. 'call:vfs_read if duration > 10ms'; may be given several times" },
	{ OPT_FLIGHT, VAL_WINDOW_BEFORE, "before", "TIME",
	  "a window begins this time before its trigger, e.g. 2s; default as early as the memory allows" },
	{ OPT_FLIGHT, VAL_AFTER, "after", "TIME", "a window ends this time behind its trigger, e.g. 100ms; default 0" },
	{ OPT_FLIGHT, VAL_MAX_WINDOWS, "max", "N", "write at most N windows, later triggers are counted; default 20" },
	{ OPT_WINDOW, VAL_WINDOW, "window", "N", "use only window N of a flight recorder's file" },
	{ OPT_WHY, VAL_WHY, "why", NULL,
	  "divide the duration of calls and spans: run, preempted, lock, io, sleep, irq, softirq; and who ended the longest wait" },
	{ OPT_REPORT_WHY, VAL_WHY, "why", NULL,
	  "print why the calls were slow: the slowest ones, the causes of all, and the waits by stack, of a file of tap record --why" },
	{ OPT_REPORT_WHY, VAL_BLAME, "blame", NULL,
	  "print which functions failed first, of a file of tap blame -o" },
	{ OPT_REPORT_WHY, VAL_DEBUG, "debug", "FILE|DIR",
	  "of blame: the modules, with their debug information; may be given several times" },
	{ OPT_MODULE, 'm', "module", "MODULE",
	  "all functions of a module that others call: exported ones, and those whose address it hands out, as in its operations tables" },
	{ OPT_BLAME, 'm', "module", "MODULE|FILE",
	  "all functions of a module; of one that is not loaded yet, give the file: insmod's own, or one of --debug" },
	{ OPT_BLAME, 'o', "output", "FILE",
	  "write the failing calls to FILE, and print no report; 'tap report --blame FILE' prints it" },
	{ OPT_BLAME, VAL_ALSO, "also", "GLOB",
	  "functions of the kernel or of other modules, e.g. 'vfs_*': of their calls inside the others; may be given several times" },
	{ OPT_BLAME, VAL_NULL, "null", NULL, "NULL is an error, too, of functions that return a pointer" },
	{ OPT_BLAME, VAL_AGAIN, "again", NULL,
	  "if an error may come from several lines: run CMD once more, with probes at these lines, and name the one" },
	{ OPT_CAUSES, 'n', "number", "N",
	  "of why: how many of the slowest calls, and of the stacks of waits, are printed; default 10" },
	{ OPT_CAUSES, 'o', "output", "FILE",
	  "of why: also draw the waits by stack: a flame graph with a name that ends in .svg, folded stacks with .folded" },
	{ OPT_JSON, VAL_JSON, "json", NULL, "print one JSON object per line" },
	{ OPT_TIME, VAL_TIME, "time", "boot|wall|delta",
	  "times of events: seconds since boot, the time of day, or seconds since the event before; default boot" },
	{ OPT_DURATION, VAL_DURATION, "duration", "SEC",
	  "stop after SEC seconds" },
	{ OPT_ONCE, VAL_ONCE, "once", NULL,
	  "print one table and no notices; with --interval at its end" },
	{ OPT_INTERVAL, VAL_INTERVAL, "interval", "SEC",
	  "print every SEC seconds" },
	{ OPT_METRICS, VAL_METRICS, "openmetrics", "FILE",
	  "write the totals to this file at each interval and at the end, as text that Prometheus reads; of a table its first 100 rows, or --top" },
	{ OPT_EXPORTER, VAL_METRICS, "openmetrics", "FILE|ADDRESS:PORT",
	  "print nothing: write the sessions to this file at each interval (15 s if not given), or give them to each reader of /metrics at this address, as text that Prometheus reads" },
	{ OPT_EVERY, VAL_EVERY, "every", "SEC",
	  "file: events: read the files every SEC seconds; default 1" },
	{ OPT_RING, VAL_RING, "ring", "SIZE",
	  "size of the ring of each CPU in bytes, a power of two from 4K to 1G; default 1M or what 'tap doctor' says" },
	{ OPT_CLOCK, VAL_CLOCK, "clock", "raw|ordered|mono",
	  "clock of the events: the CPU's counter, the same read in order (slower), or the kernel's clock; default raw" },
	{ OPT_MAXACTIVE, VAL_MAXACTIVE, "maxactive", "N",
	  "call, kretprobe, ucall: concurrent calls; syscall: tasks" },
	{ OPT_LIMIT, VAL_LIMIT, "limit", "N|none",
	  "throttle an event with more hits per second on a CPU; default 2500000" },
	{ OPT_BUDGET, VAL_BUDGET, "budget", "PERCENT",
	  "take at most so much of each CPU, from 0.1 to 100, for all events together: drop events, or do not see them, and say so; 'tap doctor --selftest' measures what events cost" },
	{ OPT_PANIC, VAL_PANIC, "panic", "[=N]",
	  "if the kernel panics, print the last N events of all CPUs to its log, for pstore, netconsole or a serial line; 1 to 1024, default 32" },
	{ OPT_STACK, VAL_KSTACK, "kstack", "[=N]",
	  "record the kernel stack, at most N frames, 1 to 127; default 32; of stat the whole stack" },
	{ OPT_STACK, VAL_USTACK, "ustack", "[=N|dwarf[:BYTES]]",
	  "record the user stack, likewise, by frame pointers; dwarf: by the program's unwind data, from a copy of BYTES of the stack, default 4096" },
	{ OPT_PMU, VAL_PMU, "pmu", "COUNTER,...",
	  "record up to 6 counters of the processor or the kernel, e.g. cycles,cache-misses; for a call: what it used" },
	{ OPT_OUTPUT, 'o', "output", "FILE", "write to FILE, - is standard output; default trace.tap" },
	{ OPT_OUTPUT, VAL_COMPRESS, "compress", NULL,
	  "compress the records to about a fifth, which takes about 3 ns per byte" },
	{ OPT_DAEMON, VAL_DAEMON, "daemon", NULL,
	  "stay: write FILE.000001.tap and so on, each whole and readable by itself, and remove the oldest" },
	{ OPT_DAEMON, VAL_ROTATE_SIZE, "rotate-size", "SIZE", "begin the next file at this size; default 64M" },
	{ OPT_DAEMON, VAL_ROTATE_AGE, "rotate-age", "SEC", "or after SEC seconds; default 900" },
	{ OPT_DAEMON, VAL_ROTATE_KEEP, "rotate-keep", "N", "keep the last N files; default 96" },
	{ OPT_DAEMON, VAL_ARGS, "args", "FILE", "as the last option: read more arguments from FILE, a line each" },
	{ OPT_FLAME | OPT_EXPORT, 'o', "output", "FILE",
	  "write to FILE; default, and -, is standard output" },
	{ OPT_FLAME, VAL_FOLDED, "folded", NULL,
	  "print a line of text for each stack instead of an SVG" },
	{ OPT_FLAME, VAL_LINES, "lines", NULL,
	  "a frame for each line of the source, where the file has it, not for each function" },
	{ OPT_FLAME, VAL_WEIGHT, "weight", "count|duration",
	  "width of a frame: number of events, or time that the calls took; default count" },
	{ OPT_FLAME, VAL_TITLE, "title", "TEXT",
	  "title of the graph; default is the command that recorded the file" },
	{ OPT_EXPECT, VAL_FAST, "fast", NULL, "end the run when an assertion fails" },
	{ OPT_EXPECT, VAL_JUNIT, "junit", "FILE", "also write the verdicts to FILE, as JUnit's XML" },
	{ OPT_DIFF, VAL_TOLERANCE, "tolerance", "PERCENT",
	  "a difference of at most so many percent is none; default 2.5" },
	{ OPT_DIFF, VAL_RATE, "rate", NULL,
	  "compare the numbers of events per second, as the files may be of different length" },
	{ OPT_SKEW, VAL_SKEW, "skew", "SECONDS",
	  "how far the clocks are from the true time at most; default what the files say, by NTP" },
	{ OPT_VMCORE, VAL_VMCORE, "vmcore", NULL,
	  "FILE is a dump of a machine's memory: print what a session had in its rings; with -o FILE.tap write that" },
	{ OPT_VMCORE, VAL_SESSION, "session", "ID", "which session of the dump" },
	{ OPT_INFO, VAL_INFO, "info", NULL, "print when, where and how the file was recorded" },
	{ OPT_QUIET, 'q', "quiet", NULL, "print no summary at the end" },
	{ 0, VAL_HELP, "help", NULL, "print this help" },
};

#define NR_ROWS	(sizeof(rows) / sizeof(rows[0]))

static bool is_optional(const struct option_row *r)
{
	return r->arg && *r->arg == '[';
}

static void print_help(__u64 mask, const char *synopsis)
{
	size_t i;

	fputs("usage: tap ", stdout);
	tool_wrap(stdout, synopsis, HELP_USAGE, HELP_USAGE);
	puts("\noptions:");
	for (i = 0; i < NR_ROWS; i++) {
		const struct option_row *r = &rows[i];
		char name[64];

		if (r->bit && !(r->bit & mask))
			continue;
		snprintf(name, sizeof(name), "%s%s%s%s%s",
			 r->value < 256 ? (char[]){ '-', (char)r->value, ',',
						    ' ', 0 } : "    ",
			 "--", r->name, r->arg && !is_optional(r) ? " " : "",
			 r->arg ? r->arg : "");
		printf("  %-24s", name);
		if (strlen(name) > HELP_TEXT - 4)
			printf("\n%*s", HELP_TEXT - 1, "");
		putchar(' ');
		tool_wrap(stdout, r->help, HELP_TEXT, HELP_TEXT);
	}
}

static int parse_ring(const char *arg, __u64 *size)
{
	struct tap_error err;
	int ret = option_size("--ring", arg, size);

	if (ret < 0 && tap_explain_ring_bytes(&err, *size)) {
		tool_error("--ring %s: %s", arg, err.text);
		return TOOL_USAGE;
	}
	return ret;
}

static const char *const clock_names[] = {
	[TAP_SESSION_CLOCK_RAW] = "raw",
	[TAP_SESSION_CLOCK_ORDERED] = "ordered",
	[TAP_SESSION_CLOCK_MONO] = "mono",
};

static const char *const times_names[] = {
	[TAP_TIMES_BOOT] = "boot",
	[TAP_TIMES_WALL] = "wall",
	[TAP_TIMES_DELTA] = "delta",
};

static int parse_stat(struct stat_args *s, int value, const char *arg)
{
	switch (value) {
	case VAL_BY:
		return stat_args_by(s, arg);
	case VAL_COUNT:
		s->wanted = true;
		return -1;
	case VAL_SUM:
		return stat_args_value(s, "--sum", TAP_AGG_SUM, false, arg);
	case VAL_AVG:
		return stat_args_value(s, "--avg", TAP_AGG_SUM, true, arg);
	case VAL_MIN:
		return stat_args_value(s, "--min", TAP_AGG_MIN, false, arg);
	case VAL_MAX:
		return stat_args_value(s, "--max", TAP_AGG_MAX, false, arg);
	case VAL_HIST:
		return stat_args_value(s, "--hist", TAP_AGG_HIST, false, arg);
	case VAL_LHIST:
		return stat_args_value(s, "--lhist", TAP_AGG_LHIST, false, arg);
	case VAL_TOP:
		return option_number("--top", arg, 1, TAP_MAX_ENTRIES, &s->top);
	case VAL_ENTRIES:
		return option_number("--entries", arg, 1, TAP_MAX_ENTRIES,
				    &s->entries);
	}
	return TOOL_USAGE;
}

/* The options for tables that follow are for one event. */
static int parse_for(struct options *o, const char *arg)
{
	struct stat_args *scopes = realloc(o->scopes, (o->nr_scopes + 1) * sizeof(*scopes));

	if (!scopes) {
		tool_error("out of memory");
		return TOOL_FAILED;
	}
	o->scopes = scopes;
	scopes[o->nr_scopes++] = (struct stat_args) { .event = arg };
	return -1;
}

static int parse_weight(struct options *o, const char *arg)
{
	o->by_duration = !strcmp(arg, "duration");
	if (!o->by_duration && strcmp(arg, "count"))
		return option_bad("--weight", arg, "give count or duration");
	return -1;
}

static int parse_one(struct options *o, int value, const char *arg)
{
	switch (value) {
	case 'e':
		o->events[o->nr_events++] = arg;
		return -1;
	case 'p':
		return option_number("-p", arg, 1, 1U << 22, &o->pid);
	case 'c':
		if (!*arg)
			return option_bad("-c", arg, "give a command");
		o->command = arg;
		return -1;
	case 'o':
		o->output = arg;
		return -1;
	case 'a':
		o->all = true;
		return -1;
	case VAL_OPEN:
		o->open = true;
		return -1;
	case VAL_SIDES:
		o->sides = true;
		return -1;
	case VAL_BLAME:
		o->blame = true;
		return -1;
	case VAL_ALSO:
		o->also[o->nr_also++] = arg;
		return -1;
	case VAL_NULL:
		o->null = true;
		return -1;
	case VAL_AGAIN:
		o->again = true;
		return -1;
	case VAL_WHY:
		o->why = true;
		return -1;
	case 'm':
		o->module = arg;
		return -1;
	case 'n':
		return option_number("-n", arg, 1, MAX_ROWS, &o->rows);
	case VAL_PER_CPU:
		o->per_cpu = true;
		return -1;
	case 'q':
		o->quiet = true;
		return -1;
	case VAL_JSON:
		o->json = true;
		return -1;
	case VAL_INFO:
		o->info = true;
		return -1;
	case VAL_ONCE:
		o->once = true;
		return -1;
	case VAL_DURATION:
		return option_seconds("--duration", arg, MIN_SECONDS, MAX_SECONDS, &o->duration_ns);
	case VAL_METRICS:
		o->metrics = arg;
		return -1;
	case VAL_INTERVAL:
		return option_seconds("--interval", arg, MIN_SECONDS, MAX_SECONDS, &o->interval_ns);
	case VAL_EVERY:
		return option_seconds("--every", arg, MIN_SECONDS, MAX_SECONDS, &o->every_ns);
	case VAL_RING:
		return parse_ring(arg, &o->ring_bytes);
	case VAL_KEEP:
		o->verdict[o->nr_events] = true;
		o->events[o->nr_events++] = arg;
		o->keep = true;
		return -1;
	case VAL_START:
		o->start = arg;
		o->events[o->nr_events++] = arg;
		return -1;
	case VAL_UNTIL:
		o->until = arg;
		o->events[o->nr_events++] = arg;
		return -1;
	case VAL_UNTIL_COUNT:
		return option_number("--until-count", arg, 1, UINT32_MAX, &o->until_count);
	case VAL_DAEMON:
		o->rotate.daemon = true;
		return -1;
	case VAL_ROTATE_SIZE:
		return option_size("--rotate-size", arg, &o->rotate.size);
	case VAL_ROTATE_AGE:
		return option_seconds("--rotate-age", arg, MIN_SECONDS, MAX_SECONDS, &o->rotate.age_ns);
	case VAL_ROTATE_KEEP:
		return option_number("--rotate-keep", arg, 1, 1000000, &o->rotate.keep);
	case VAL_ARGS:
		return option_bad("--args", arg, "give it as the last option");
	case VAL_KEEP_MEMORY:
		return option_keep_memory(arg, &o->keep_memory);
	case VAL_FLIGHT:
		return option_size("--flight", arg, &o->flight.bytes);
	case VAL_WHEN:
		o->trigger[o->nr_events] = true;
		o->events[o->nr_events++] = arg;
		o->flight.nr_when++;
		return -1;
	case VAL_WINDOW_BEFORE:
		o->flight.has_before = true;
		return option_time("--before", arg, &o->flight.before_ns);
	case VAL_AFTER:
		return option_time("--after", arg, &o->flight.after_ns);
	case VAL_MAX_WINDOWS:
		return option_number("--max", arg, 1, INT32_MAX, &o->flight.max);
	case VAL_WINDOW:
		return option_number("--window", arg, 1, INT32_MAX, &o->window);
	case VAL_CLOCK:
		return option_word("--clock", arg, clock_names, &o->clock);
	case VAL_TIME:
		return option_word("--time", arg, times_names, &o->times);
	case VAL_MAXACTIVE:
		return option_number("--maxactive", arg, 1, TAP_MAX_TASKS,
				    &o->maxactive);
	case VAL_BUDGET:
		return option_permille("--budget", arg, &o->budget);
	case VAL_PANIC:
		return option_number("--panic", arg ? arg : "32", 1, TAP_MAX_PANIC, &o->panic);
	case VAL_LIMIT:
		return option_limit("--limit", arg, &o->limit);
	case VAL_KSTACK:
		return stack_args_frames("--kstack", arg, &o->kstack);
	case VAL_USTACK:
		return stack_args_user(arg, o);
	case VAL_PMU:
		return pmu_args_parse(&o->pmu, arg);
	case VAL_FOLDED:
		o->folded = true;
		return -1;
	case VAL_LINES:
		o->lines = true;
		return -1;
	case VAL_WEIGHT:
		return parse_weight(o, arg);
	case VAL_TITLE:
		o->title = arg;
		return -1;
	case VAL_TO:
		o->to = arg;
		return -1;
	case VAL_IF:
		o->condition = arg;
		return -1;
	case VAL_FROM:
		return option_seconds("--from", arg, MIN_SECONDS, MAX_SECONDS, &o->from_ns);
	case VAL_BEFORE:
		return option_seconds("--to", arg, MIN_SECONDS, MAX_SECONDS, &o->to_ns);
	case VAL_VMCORE:
		o->vmcore = true;
		return -1;
	case VAL_SESSION:
		return option_number("--session", arg, 1, INT32_MAX, &o->session);
	case VAL_SKEW:
		return option_seconds("--skew", arg, 1e-9, 3600, &o->skew_ns);
	case VAL_FAST:
		o->fast = true;
		return -1;
	case VAL_JUNIT:
		o->junit = arg;
		return -1;
	case VAL_TOLERANCE:
		return diff_args_tolerance(&o->diff, arg);
	case VAL_RATE:
		o->diff.rate = true;
		return -1;
	case VAL_COMPRESS:
		o->compress = true;
		return -1;
	case VAL_CGROUP:
		o->cgroup = arg;
		return -1;
	case VAL_DEBUG:
		o->debug[o->nr_debug++] = arg;
		return -1;
	case VAL_CPU:
		o->one_cpu = true;
		return option_number("--cpu", arg, 0,
				    (__u32)sysconf(_SC_NPROCESSORS_CONF) - 1,
				    &o->cpu);
	case VAL_FOR:
		return parse_for(o, arg);
	default:
		return parse_stat(o->nr_scopes ? &o->scopes[o->nr_scopes - 1] : &o->stat, value,
				  arg);
	}
}

/* Builds the tables of getopt_long() from the rows of the command. */
static void build_tables(__u64 mask, char *letters,
			 struct option *longs)
{
	size_t i;

	*letters++ = '+';
	for (i = 0; i < NR_ROWS; i++) {
		const struct option_row *r = &rows[i];

		if (r->bit && !(r->bit & mask))
			continue;
		longs->name = r->name;
		longs->has_arg = is_optional(r) ? optional_argument :
				 r->arg ? required_argument : no_argument;
		longs->val = r->value;
		longs++;
		if (r->value >= 256)
			continue;
		*letters++ = (char)r->value;
		if (r->arg)
			*letters++ = ':';
	}
	*letters++ = 'h';
	*letters = '\0';
}

/* Without a number the stack is whole. */
static int stack_as_key(struct options *o, const char *name, __u32 frames)
{
	char key[32];

	if (frames == STACK_DEFAULT)
		snprintf(key, sizeof(key), "%s", name);
	else
		snprintf(key, sizeof(key), "%s[%u]", name, frames);
	return frames ? stat_args_by(&o->stat, key) : -1;
}

/* tap stat: a stack is a key. */
static int stacks_as_keys(struct options *o)
{
	int ret;

	if (o->unwind)
		return option_bad("--ustack", "dwarf",
				 "a copy of a stack is no key; use --ustack, or tap record and tap flame");
	ret = stack_as_key(o, "kstack", o->kstack);

	return ret < 0 ? stack_as_key(o, "ustack", o->ustack) : ret;
}

/* tap stat --pmu without values: print what a hit takes on average. */
static int averages(struct options *o)
{
	char name[TAP_FIELD_NAME_LEN];
	unsigned int i;
	int ret = -1;

	if (o->stat.nr_values || o->nr_scopes)
		return -1;
	for (i = 0; i < o->pmu.nr && ret < 0; i++) {
		tap_pmu_name(o->pmu.names[i], name);
		ret = stat_args_value(&o->stat, "--pmu", TAP_AGG_SUM, true,
				      name);
	}
	return ret;
}

/* Whether there is a span, whose table --entries is for. */
static bool has_span(const struct options *o)
{
	size_t i;

	for (i = 0; i < o->nr_events; i++)
		if (!strncmp(o->events[i] + tap_spec_name_len(o->events[i]), "span:",
			     strlen("span:")))
			return true;
	return false;
}

static int check_table(const struct options *o, const struct stat_args *args)
{
	if ((args->top || (args->entries && !has_span(o))) && !args->nr_keys) {
		tool_error("--top and --entries need keys: say with --by what to count by");
		return TOOL_USAGE;
	}
	if (args->event && !args->wanted) {
		tool_error("--for %s: no table follows; give --by, --hist or the like behind it",
			   args->event);
		return TOOL_USAGE;
	}
	return -1;
}

/* The suffix says which of the two forms it has. */
static bool is_graph(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && dot > path && (!strcmp(dot, ".svg") || !strcmp(dot, ".folded"));
}

static int check(const struct options *o, __u64 mask)
{
	size_t i;
	int ret;

	if (mask & OPT_EVENT && !(mask & (OPT_COUNTERS | OPT_MODULE | OPT_EXPECT | OPT_BLAME)) && !o->nr_events) {
		tool_error("nothing to probe; name an event with -e, e.g. -e call:vfs_read");
		return TOOL_USAGE;
	}
	if (o->pid && o->all) {
		tool_error("-p and -a exclude each other: give one of them");
		return TOOL_USAGE;
	}
	if (o->pid && o->command) {
		tool_error("-p and -c exclude each other: give one of them");
		return TOOL_USAGE;
	}
	if (o->keep_memory && !o->keep) {
		tool_error("--keep-memory needs --keep EVENT: without it no event waits in memory");
		return TOOL_USAGE;
	}
	if (o->rotate.daemon && o->keep) {
		tool_error("--daemon does not go with --keep: events wait for the end of their call, and files do not");
		return TOOL_USAGE;
	}
	if (mask & OPT_CAUSES && o->output && !o->vmcore && !is_graph(o->output))
		return option_bad("-o", o->output, "give a name that ends in .svg or .folded");
	ret = check_table(o, &o->stat);
	for (i = 0; i < o->nr_scopes && ret < 0; i++)
		ret = check_table(o, &o->scopes[i]);
	if (ret >= 0)
		return ret;
	if (mask & OPT_FILE && !(mask & OPT_MODULE) && !o->file) {
		tool_error("no file given");
		return TOOL_USAGE;
	}
	return -1;
}

int options_parse(struct options *o, int argc, char **argv,
		  __u64 mask, const char *synopsis)
{
	struct option longs[NR_ROWS + 1] = { 0 };
	char letters[2 * NR_ROWS + 3];
	int value, ret;

	memset(o, 0, sizeof(*o));
	o->every_ns = DEFAULT_EVERY;
	o->events = calloc((size_t)argc + 1, sizeof(*o->events));
	o->verdict = calloc((size_t)argc + 1, sizeof(*o->verdict));
	o->trigger = calloc((size_t)argc + 1, sizeof(*o->trigger));
	o->debug = calloc((size_t)argc + 1, sizeof(*o->debug));
	o->also = calloc((size_t)argc + 1, sizeof(*o->also));
	o->args = calloc((size_t)argc + 1, sizeof(*o->args));
	if (!o->events || !o->verdict || !o->trigger || !o->debug || !o->also || !o->args) {
		tool_error("out of memory");
		return TOOL_FAILED;
	}
	build_tables(mask, letters, longs);
	/* Options may follow the file. */
	optind = 1;
	for (;;) {
		value = getopt_long(argc, argv, letters, longs, NULL);
		if (value == -1 && optind < argc && mask & OPT_ARGS) {
			o->args[o->nr_args++] = argv[optind++];
			continue;
		}
		if (value == -1 && optind < argc && mask & OPT_FILE &&
		    !o->file && strcmp(argv[optind - 1], "--")) {
			o->file = argv[optind++];
			continue;
		}
		if (value == -1)
			break;
		if (value == 'h' || value == VAL_HELP) {
			print_help(mask, synopsis);
			return 0;
		}
		if (value == '?') {
			fprintf(stderr, "usage: tap %s\n", synopsis);
			return TOOL_USAGE;
		}
		ret = parse_one(o, value, optarg);
		if (ret >= 0)
			return ret;
	}
	if (mask & OPT_FILE && !o->file && optind < argc)
		o->file = argv[optind++];
	if (optind < argc) {
		tool_error("'%s' is one argument too many; an event that contains blanks or braces needs quotes",
			   argv[optind]);
		return TOOL_USAGE;
	}
	ret = mask & OPT_AGGREGATE ? stacks_as_keys(o) : -1;
	if (ret < 0 && mask & OPT_AGGREGATE)
		ret = averages(o);
	if (ret < 0)
		ret = check(o, mask);
	if (ret < 0)
		ret = rotate_args_finish(&o->rotate, o->output);
	if (ret < 0)
		ret = flight_args_check(&o->flight, o->keep, o->start || o->until ||
					o->until_count || o->rotate.daemon, &o->ring_bytes);
	if (!o->keep_memory)
		o->keep_memory = DEFAULT_KEEP_MEMORY;
	return ret;
}
