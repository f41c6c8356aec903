// SPDX-License-Identifier: GPL-2.0
/*
 * Measures what an event costs in instructions, net of the same loop without a probe. Runs in the
 * lab under --icount. Prints one table and fails if a row exceeds its goal.
 *	tap_bench [ROWS]: only rows with ROWS in their name, slow rows included
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <linux/tap.h>

#include "selftests/module/kmod/tap_bench.h"
#include "selftests/bench/uprobe_bpf.h"
#include "selftests/bench/uprobe_perf.h"

#define RUNS		7
#define EXCHANGES	20
#define RING_BYTES	(1UL << 20)
#define FUNCTION	"tap_bench_function"
#define MAX_OPS		8
#define MAX_SESSIONS	7
#define MAX_OTHERS	999
/* A loop in this program; beside enum tap_bench_loop. */
#define LOOP_USER	100

/* The first instruction is one that uprobes emulate, so that they do not single-step it. */
asm(".text\n"
    ".balign 16\n"
    "bench_user:\n"
    "	nop\n"
    "	ret\n");
void bench_user(unsigned long a, unsigned long b, unsigned long c, unsigned long d);

static int bench_fd;

/**
 * enum outcome - the result of all events of a row
 * @WRITTEN: recorded
 * @FILTERED: rejected by the program
 * @AGGREGATED: counted by a key
 * @LOST: lost, the ring is full from the second loop on
 * @DISABLED: the probe is disabled
 * @BEGUN: of a span: it has begun, and made no event
 */
enum outcome { WRITTEN, FILTERED, AGGREGATED, LOST, DISABLED, BEGUN };

/**
 * enum ref - the tracer of a uprobe that is not ours
 * @EMPTY_ENTRY: a handler of tap_bench.ko that does nothing, at the entry
 * @EMPTY_RETURN: at the return
 * @EMPTY_CALL: one at each
 * @FTRACE: an event, or two, into the ring of tracefs
 * @PERF: the same into a ring of perf; without fetched values perf's own event
 * @BPF_AT_ENTRY: a BPF program with a ring buffer, at the entry
 * @BPF_AT_RETURN: at the return
 * @BPF_AT_BOTH: two programs, with a map that passes values from entry to return
 */
enum ref {
	EMPTY_ENTRY = 1, EMPTY_RETURN, EMPTY_CALL, FTRACE, PERF,
	BPF_AT_ENTRY, BPF_AT_RETURN, BPF_AT_BOTH,
};

/**
 * struct row - a line of the table
 * @name: what is measured
 * @loop: enum tap_bench_loop
 * @base: the loop that is subtracted
 * @type: enum tap_probe_type, or 0: no probe of ours; with @tasks a session has no probe
 * @target: target of the probe
 * @end: target of a second probe, or of the side that ends the span
 * @optimized: 'y': the kernel must optimize the kprobe to a jump; 'n': it must not
 * @alone: probes of the session that are made before, without events
 * @others: probes of the session at other places, without events
 * @alike: further probes of the session at the same place
 * @sessions: further sessions like it
 * @slow: takes minutes; measured only if ROWS names it
 * @outcome: result of its events
 * @followed: the program starts with the test of -c: does the session follow the process? It does
 * @ops: its program
 * @overwrite: records go over old ones
 * @exchange: the sets of rings are exchanged, and there are no events
 * @ref: the tracer, for uprobes that are not ours
 * @uprobe_event: for @FTRACE and @PERF: p at the entry or r at the return, and the fetched values;
 *	a line each
 * @kprobe_event: for kprobe_events of tracefs, instead of a probe of ours
 * @event: an event of ftrace, SUBSYS/NAME, instead of a probe of ours
 * @trigger: text that is written to its file @trigger_file
 * @trigger_file: "filter" or "trigger"
 * @tasks: TAP_TASKS_F_* of the session's table of tasks
 * @frame: the probe's calls are frames
 * @nr_counters: number of counters of the session
 * @counter: all of them: PERF_COUNT_SW_*
 * @more: there may be further events
 * @goal: maximum of instructions, from docs/performance.md; 0: none
 */
struct row {
	const char *name;
	int loop;
	int base;
	__u32 type;
	const char *target;
	const char *end;
	char optimized;
	unsigned int alone;
	unsigned int others;
	unsigned int alike;
	unsigned int sessions;
	bool slow;
	enum outcome outcome;
	bool followed;
	bool overwrite;
	bool exchange;
	struct tap_op ops[MAX_OPS];
	enum ref ref;
	const char *uprobe_event;
	const char *kprobe_event;
	const char *event;
	const char *trigger;
	const char *trigger_file;
	__u32 tasks;
	bool frame;
	__u32 nr_counters;
	__u64 counter;
	bool more;
	double goal;
};

#define OUT(_code, _off)						\
	{ .code = (_code), .dst = TAP_OP_OUT, .size = 8, .off = (_off) }
#define ARG(n)		OUT(TAP_OP_ARG, n)
#define RETVAL		OUT(TAP_OP_RETVAL, 0)
#define KSTACK(n)	{ .code = TAP_OP_KSTACK, .dst = TAP_OP_OUT, .imm = 8 * (n) }
#define FUNC		OUT(TAP_OP_VAR, TAP_VAR_FUNC)
#define COMM		{ .code = TAP_OP_COMM, .dst = TAP_OP_OUT }
#define REG_ARG(r, n)	{ .code = TAP_OP_ARG, .dst = (r), .size = 8, .off = (n) }
#define REG_PID(r)	{ .code = TAP_OP_VAR, .dst = (r), .size = 8,	\
			  .off = TAP_VAR_TGID }
#define LOAD(r, _off)	{ .code = TAP_OP_LOAD, .dst = TAP_OP_OUT,	\
			  .src = (r), .size = 8, .off = (_off) }
#define PMU(n)		OUT(TAP_OP_PMU, n)
#define PMU_6		PMU(0), PMU(1), PMU(2), PMU(3), PMU(4), PMU(5)
#define DIVISION		{ .code = TAP_OP_DIVISION, .dst = TAP_OP_OUT }
#define WAIT_STACK(which)						\
	{ .code = TAP_OP_WAIT_STACK, .dst = TAP_OP_OUT, .off = (which), .imm = 8 * TAP_WAIT_FRAMES }
#define REG_INSIDE(r)							\
	{ .code = TAP_OP_VAR, .dst = (r), .size = 8, .off = TAP_VAR_INSIDE,	\
	  .imm = 1 | TAP_INSIDE_ANY }
/* The program of tap blame: its condition is that the lower half of the register is an error. */
#define NO_ERROR							\
	OPS(ARG(0), ARG(1), RETURN,					\
	    { .code = TAP_OP_RETVAL, .size = 4 }, REJECT(TAP_OP_JLT, 0, 0xfffff001),	\
	    OUT(TAP_OP_VAR, TAP_VAR_ENCLOSED))
#define COUNTERS(n, which)						\
	.nr_counters = (n), .counter = PERF_COUNT_SW_##which
#define RETURN		{ .code = TAP_OP_RETURN }
#define ABSENT								\
	{ .code = TAP_OP_VAR, .dst = TAP_OP_OUT, .size = 8, .off = TAP_VAR_ABSENT }
#define REJECT(_jump, r, _imm)						\
	{ .code = (_jump), .dst = (r), .src = TAP_OP_IMM_SRC, .size = 8,	\
	  .off = TAP_OP_REJECT, .imm = (_imm) }

#define CALL(_name, _type, _goal, ...)					\
	{ .name = _name, .loop = TAP_BENCH_CALL, .base = TAP_BENCH_CALL,	\
	  .type = _type, .target = FUNCTION, .goal = _goal, __VA_ARGS__ }
#define KPROBE(_name, _goal, ...)					\
	CALL("kprobe, " _name, TAP_PROBE_KPROBE, _goal, __VA_ARGS__)
/* Net of a kprobe whose handler does nothing. */
#define OVER(_name, _goal, ...)						\
	KPROBE(_name, _goal, .base = TAP_BENCH_EMPTY, __VA_ARGS__)
/* Probes of that type on functions, without arguments. */
#define MANY(_name, _type, ...)						\
	CALL(_name, TAP_PROBE_##_type, 0, __VA_ARGS__)
#define INSIDE(_name, _goal, _optimized, ...)				\
	{ .name = "kprobe, " _name, .loop = TAP_BENCH_INSIDE,		\
	  .base = TAP_BENCH_INSIDE, .type = TAP_PROBE_KPROBE,		\
	  .target = "tap_bench_inside", .optimized = _optimized,	\
	  .goal = _goal, __VA_ARGS__ }
#define TRACEPOINT(_name, _goal, ...)					\
	{ .name = "raw tracepoint, " _name, .loop = TAP_BENCH_TRACEPOINT,	\
	  .base = TAP_BENCH_TRACEPOINT, .type = TAP_PROBE_RAWTP,	\
	  .target = "tap_bench", .goal = _goal, __VA_ARGS__ }
/* Goals: those of a raw tracepoint with the same values, as measured, and 5 more. */
#define EMIT(_name, _goal, ...)						\
	{ .name = "emit, " _name, .loop = TAP_BENCH_EMIT,		\
	  .base = TAP_BENCH_EMIT, .type = TAP_PROBE_RAWTP,		\
	  .target = "tap_bench:tap_emit_bench", .goal = _goal, __VA_ARGS__ }
/* Two events; of a span, one side each, whose second argument is the key. */
#define PAIR(_name, _type, _goal, ...)					\
	{ .name = _name, .loop = TAP_BENCH_PAIR, .base = TAP_BENCH_PAIR,	\
	  .type = TAP_PROBE_##_type, .target = "tap_bench", .end = "tap_bench_end", \
	  .goal = _goal, __VA_ARGS__ }
#define SPAN(_name, _goal, ...)						\
	PAIR("span of raw tracepoints, " _name, SPAN, _goal, __VA_ARGS__)
#define AT_SPAN(member)	OUT(TAP_OP_FIELD, offsetof(struct tap_span_event, member))
#define AT_SPAN_KEY		OUT(TAP_OP_FIELD, sizeof(struct tap_span_event))
#define FTRACE(_name, _event, _file, _trigger, ...)			\
	{ .name = "  ftrace: " _name, .loop = TAP_BENCH_CALL,		\
	  .base = TAP_BENCH_EMPTY, .kprobe_event = FUNCTION " " _event,	\
	  .trigger_file = _file, .trigger = _trigger, __VA_ARGS__ }
#define FIELD(n)	OUT(TAP_OP_FIELD, 8 + 8 * (n))
#define REG_FIELD(r, n)	{ .code = TAP_OP_FIELD, .dst = (r), .size = 8, .off = 8 + 8 * (n) }
#define EVENT(_name, _goal, ...)					\
	{ .name = "tracepoint, " _name, .loop = TAP_BENCH_TRACEPOINT,	\
	  .base = TAP_BENCH_TRACEPOINT, .type = TAP_PROBE_TRACEPOINT,	\
	  .target = "tap_bench:tap_bench", .goal = _goal, __VA_ARGS__ }
/* What an event costs in a session that divides durations, but not that of the task: over empty. */
#define HOOK(_name, _hook, _goal)					\
	{ .name = "divided, nobody followed: " _name, .loop = TAP_BENCH_HOOKS + (_hook), \
	  .base = TAP_BENCH_EMPTY_HOOKS + (_hook), .target = "", .tasks = TAP_TASKS_F_DIVISION, .goal = _goal }
#define USER(_name, ...)						\
	{ .name = _name, .loop = LOOP_USER, .base = LOOP_USER,		\
	  .target = "bench_user", __VA_ARGS__ }
#define UPROBE(_name, _goal, ...)					\
	USER("uprobe, " _name, .type = TAP_PROBE_UPROBE, .goal = _goal,	\
	     __VA_ARGS__)
#define URETPROBE(_name, _goal, ...)					\
	USER("uretprobe, " _name, .type = TAP_PROBE_URETPROBE,		\
	     .goal = _goal, __VA_ARGS__)
#define UCALL(_name, ...)						\
	USER("ucall, " _name, .type = TAP_PROBE_UCALL, __VA_ARGS__)
/* What the reader's thread does for a window. It sleeps until no event is in flight. */
#define EXCHANGE(_name, _goal, ...)					\
	{ .name = "exchange of rings, " _name, .base = TAP_BENCH_NOTHING,	\
	  .type = TAP_PROBE_KPROBE, .target = FUNCTION,			\
	  .overwrite = true, .exchange = true, .goal = _goal, __VA_ARGS__ }
#define ARGS_4		"p a=%di b=%si c=%dx d=%cx"
#define OPS(...)	.ops = { __VA_ARGS__ }

/* OVER() overrides .base on purpose. */
#pragma GCC diagnostic ignored "-Woverride-init"

static const struct row rows[] = {
	{ .name = "record write, 4 values", .loop = TAP_BENCH_RECORD,
	  .base = TAP_BENCH_NOTHING, .goal = 30 },
	{ .name = "raw tracepoint, an empty handler", .loop = TAP_BENCH_EMPTY_EVENT,
	  .base = TAP_BENCH_TRACEPOINT },
	TRACEPOINT("0 arguments", 65),
	TRACEPOINT("2 arguments", 65, OPS(ARG(0), ARG(1))),
	TRACEPOINT("4 arguments", 65, OPS(ARG(0), ARG(1), ARG(2), ARG(3))),
	/* Several laps of the ring: with the slow path at each watermark, which passes 64 slots. */
	TRACEPOINT("overwrite: 4 arguments", 80, .overwrite = true,
		   OPS(ARG(0), ARG(1), ARG(2), ARG(3))),
	TRACEPOINT("overwrite: 1 argument, a trigger", 310, .overwrite = true,
		   OPS(ARG(0), OUT(TAP_OP_VAR, TAP_VAR_TRIGGER))),
	EXCHANGE("1 probe", 15000),
	EXCHANGE("1000 probes", 520000, .others = 999),
	TRACEPOINT("2 arguments, comm", 0, OPS(ARG(0), ARG(1), COMM)),
	TRACEPOINT("2 arguments, comm, -c", 65, OPS(ARG(0), ARG(1), COMM),
		   .followed = true),
	TRACEPOINT("the second argument, comm, -c", 65, OPS(ARG(1), COMM), .followed = true),
	EMIT("2 fields", 58, OPS(ARG(0), ARG(1))),
	EMIT("4 fields", 63, OPS(ARG(0), ARG(1), ARG(2), ARG(3))),
	EMIT("disabled", 0.5, .outcome = DISABLED),
	TRACEPOINT("ring full", 40, .outcome = LOST),
	/* The goal is 0; half an instruction is for rounding. */
	TRACEPOINT("disabled", 0.5, .outcome = DISABLED),
	TRACEPOINT("rejected by argument", 51, .outcome = FILTERED,
		   OPS(REG_ARG(0, 1), REJECT(TAP_OP_JNE, 0, 3), ARG(0), COMM)),
	TRACEPOINT("rejected by pid", 51, .outcome = FILTERED,
		   OPS(REG_PID(0), REJECT(TAP_OP_JNE, 0, 1), ARG(0), COMM)),
	TRACEPOINT("rejected: it is not inside of a call", 64, .tasks = TAP_TASKS_F_FRAMES,
		   .outcome = FILTERED, OPS(REG_INSIDE(0), REJECT(TAP_OP_JEQ, 0, 0), ARG(0), COMM)),
	TRACEPOINT("counted by one key", 230, .outcome = AGGREGATED, OPS(ARG(1))),
	TRACEPOINT("counted by comm", 0, .outcome = AGGREGATED, OPS(COMM)),
	TRACEPOINT("many: 2 at the event", 0, .alike = 1),
	TRACEPOINT("many: 2 sessions", 0, .sessions = 1),
	PAIR("raw tracepoints, both events of a pair", RAWTP, 0, OPS(ARG(1))),
	/* At most 60 over one event of the pair. */
	SPAN("a begin", 115, .loop = TAP_BENCH_BEGINS, .base = TAP_BENCH_BEGINS,
	     .outcome = BEGUN, OPS(AT_SPAN_KEY)),
	SPAN("a begin of a key that is open", 115, .loop = TAP_BENCH_TRACEPOINT,
	     .base = TAP_BENCH_TRACEPOINT, .outcome = BEGUN, OPS(AT_SPAN_KEY)),
	/* At most 150 over the pair: 60 for a begin, 90 for an end. */
	SPAN("1 key, written", 260, OPS(AT_SPAN(duration), AT_SPAN_KEY)),
	SPAN("1 key, only counted", 260, .outcome = AGGREGATED, OPS(AT_SPAN_KEY)),
	CALL("func, 0 arguments", TAP_PROBE_FUNC, 90),
	CALL("func, 2 arguments", TAP_PROBE_FUNC, 90, OPS(ARG(0), ARG(1))),
	CALL("func, 4 arguments", TAP_PROBE_FUNC, 90,
	     OPS(ARG(0), ARG(1), ARG(2), ARG(3))),
	CALL("func, which one, 2 arguments", TAP_PROBE_FUNC, 90,
	     OPS(FUNC, ARG(0), ARG(1))),
	CALL("func, rejected by pid", TAP_PROBE_FUNC, 0, .outcome = FILTERED,
	     OPS(REG_PID(0), REJECT(TAP_OP_JNE, 0, 1))),
	EVENT("0 fields", 400),
	EVENT("2 fields", 405, OPS(FIELD(0), FIELD(1))),
	EVENT("4 fields", 410, OPS(FIELD(0), FIELD(1), FIELD(2), FIELD(3))),
	EVENT("2 fields, comm", 405, OPS(FIELD(0), FIELD(1), COMM)),
	EVENT("2 fields, comm, -c", 430, OPS(FIELD(0), FIELD(1), COMM), .followed = true),
	EVENT("rejected by a field", 0, .outcome = FILTERED,
	      OPS(REG_FIELD(0, 1), REJECT(TAP_OP_JNE, 0, 3), FIELD(0), COMM)),
	{ .name = "  ftrace: the same event, 4 fields",
	  .loop = TAP_BENCH_TRACEPOINT, .base = TAP_BENCH_TRACEPOINT,
	  .event = "tap_bench/tap_bench" },
	{ .name = "kprobe, an empty handler", .loop = TAP_BENCH_EMPTY,
	  .base = TAP_BENCH_CALL },
	KPROBE("0 arguments", 205),
	KPROBE("2 arguments", 205, OPS(ARG(0), ARG(1))),
	KPROBE("4 arguments", 205, OPS(ARG(0), ARG(1), ARG(2), ARG(3))),
	KPROBE("2 arguments, comm", 0, OPS(ARG(0), ARG(1), COMM)),
	KPROBE("2 arguments, comm, -c", 205, OPS(ARG(0), ARG(1), COMM),
	       .followed = true),
	KPROBE("4 arguments, comm", 225,
	       OPS(ARG(0), ARG(1), ARG(2), ARG(3), COMM)),
	INSIDE("a jump, 2 arguments", 150, 'y', OPS(ARG(0), ARG(1))),
	INSIDE("a breakpoint, 2 arguments", 580, 'n', OPS(ARG(0), ARG(1))),
	OVER("rejected by argument, over empty", 30, .outcome = FILTERED,
	     OPS(REG_ARG(0, 1), REJECT(TAP_OP_JNE, 0, 3), ARG(0), COMM)),
	FTRACE("the same", "b=%si", "filter", "b == 3"),
	OVER("rejected by pid, over empty", 30, .outcome = FILTERED,
	     OPS(REG_PID(0), REJECT(TAP_OP_JNE, 0, 1), ARG(0), COMM)),
	OVER("3 arguments, one dereferenced", 130,
	     OPS(ARG(1), ARG(2), REG_ARG(0, 0), LOAD(0, 8))),
	FTRACE("the same", "b=%si c=%dx d=+8(%di)", NULL, NULL),
	OVER("counted by one key, over empty", 120, .outcome = AGGREGATED,
	     OPS(ARG(1))),
	FTRACE("the same, hist:keys=b", "b=%si", "trigger", "hist:keys=b"),
	OVER("stack of 8 frames, over empty", 0, .loop = TAP_BENCH_DEEP,
	     OPS(KSTACK(TAP_BENCH_FRAMES))),
	FTRACE("the same, trigger stacktrace", "", "trigger", "stacktrace",
	       .loop = TAP_BENCH_DEEP),
	MANY("kprobe, many: 10 in the session", KPROBE, .goal = 205, .others = 9),
	MANY("kprobe, many: 100 in the session", KPROBE, .others = 99),
	MANY("kprobe, many: 1000 in the session", KPROBE, .others = 999),
	MANY("kprobe, many: 2 at the function", KPROBE, .alike = 1),
	MANY("kprobe, many: 10 at the function", KPROBE, .alike = 9),
	MANY("kprobe, many: 100 at the function", KPROBE, .alike = 99),
	MANY("kprobe, many: 1000 at the function", KPROBE, .alike = 999, .slow = true),
	MANY("kprobe, many: 2 sessions", KPROBE, .sessions = 1),
	MANY("kprobe, many: 4 sessions", KPROBE, .sessions = 3),
	MANY("kprobe, many: 8 sessions", KPROBE, .sessions = 7),
	MANY("kprobe, many: 1000 of 8 sessions", KPROBE, .sessions = 7, .alike = 124,
	     .slow = true),
	MANY("func, many: 10 in the session", FUNC, .goal = 79, .others = 9),
	MANY("func, many: 100 in the session", FUNC, .others = 99, .slow = true),
	MANY("func, many: 1000 in the session", FUNC, .others = 999, .slow = true),
	MANY("func, many: 10 at the function", FUNC, .alike = 9),
	MANY("func, many: 100 at the function", FUNC, .alike = 99, .slow = true),
	MANY("func, many: 1000 at the function", FUNC, .alike = 999, .slow = true),
	MANY("func, many: 2 sessions", FUNC, .sessions = 1),
	MANY("func, many: 4 sessions", FUNC, .sessions = 3),
	MANY("func, many: 8 sessions", FUNC, .sessions = 7),
	MANY("func, many: 1000 of 8 sessions", FUNC, .sessions = 7, .alike = 124,
	     .slow = true),
	{ .name = "kretprobe, two empty handlers", .loop = TAP_BENCH_EMPTY_RETURN,
	  .base = TAP_BENCH_CALL },
	CALL("kretprobe, return value", TAP_PROBE_KRETPROBE, 430, OPS(RETVAL)),
	CALL("kretprobe, return value, comm", TAP_PROBE_KRETPROBE, 0,
	     OPS(RETVAL, COMM)),
	CALL("kretprobe, return value, comm, -c", TAP_PROBE_KRETPROBE, 440,
	     OPS(RETVAL, COMM), .followed = true),
	CALL("kretprobe, shared instances", TAP_PROBE_KRETPROBE, 0, OPS(RETVAL), .alone = 7),
	MANY("kretprobe, many: 100 in the session", KRETPROBE, .alone = 7, .others = 99, .slow = true),
	MANY("kretprobe, many: 100 at the function", KRETPROBE, .alike = 99),
	CALL("call, 0 arguments", TAP_PROBE_CALL, 470),
	CALL("call, 2 arguments", TAP_PROBE_CALL, 470, OPS(ARG(0), ARG(1))),
	CALL("call, 2 arguments, comm", TAP_PROBE_CALL, 0,
	     OPS(ARG(0), ARG(1), COMM)),
	CALL("call, 2 arguments, comm, -c", TAP_PROBE_CALL, 500,
	     OPS(ARG(0), ARG(1), COMM), .followed = true),
	CALL("call, 2 arguments, comm, a condition", TAP_PROBE_CALL, 0,
	     OPS(REG_ARG(0, 1), REJECT(TAP_OP_JEQ, 0, 77777), ARG(0), ARG(1), COMM)),
	CALL("call, counted", TAP_PROBE_CALL, 520, .outcome = AGGREGATED),
	/* Calls that tap blame looks at and that succeed: at most 40 over the row above. */
	CALL("call, returns no error", TAP_PROBE_CALL, 560, .outcome = FILTERED, NO_ERROR),
	MANY("call, many: 600 in the session, returns no error", CALL, .alone = 7, .others = 599,
	     .slow = true, .goal = 631, .outcome = FILTERED, NO_ERROR),
	CALL("call, 2 arguments, comm, a frame", TAP_PROBE_CALL, 0, .tasks = TAP_TASKS_F_FRAMES,
	     .frame = true, OPS(ARG(0), ARG(1), COMM)),
	CALL("call, 2 arguments, comm, divided", TAP_PROBE_CALL, 736, .tasks = TAP_TASKS_F_DIVISION,
	     OPS(ARG(0), ARG(1), COMM, RETURN, DIVISION)),
	CALL("call, the same with the stacks of --why", TAP_PROBE_CALL, 736,
	     .tasks = TAP_TASKS_F_DIVISION,
	     OPS(ARG(0), ARG(1), COMM, RETURN, DIVISION, WAIT_STACK(0), WAIT_STACK(1), ABSENT)),
	CALL("call, the same with a sleep in it, two stacks", TAP_PROBE_CALL, 0,
	     .loop = TAP_BENCH_WAIT, .base = TAP_BENCH_WAIT, .target = "tap_bench_wait",
	     .tasks = TAP_TASKS_F_DIVISION,
	     OPS(ARG(0), ARG(1), COMM, RETURN, DIVISION, WAIT_STACK(0), WAIT_STACK(1), ABSENT)),
	/* At most 250 over two stacks, which the rows below measure at the same place. */
	CALL("hooks of a sleep, two stacks", TAP_PROBE_CALL, 12700,
	     .loop = TAP_BENCH_WAITS, .base = TAP_BENCH_WAITS, .target = "tap_bench_waits",
	     .tasks = TAP_TASKS_F_DIVISION, OPS(RETURN, DIVISION)),
	TRACEPOINT("at the sleep", 0, .loop = TAP_BENCH_WAITS, .base = TAP_BENCH_WAITS,
		   .target = "sched_waking", .more = true),
	TRACEPOINT("at the sleep, its stack", 0, .loop = TAP_BENCH_WAITS, .base = TAP_BENCH_WAITS,
		   .target = "sched_waking", .more = true, OPS(KSTACK(TAP_WAIT_FRAMES))),
	HOOK("sched_switch", TAP_BENCH_SWITCH, 14),
	HOOK("sched_waking", TAP_BENCH_WAKING, 14),
	HOOK("sched_wakeup", TAP_BENCH_WAKEUP, 14),
	HOOK("irq_handler_entry", TAP_BENCH_IRQ_ENTRY, 14),
	HOOK("irq_handler_exit", TAP_BENCH_IRQ_EXIT, 14),
	HOOK("local_timer_entry", TAP_BENCH_TIMER_ENTRY, 14),
	HOOK("local_timer_exit", TAP_BENCH_TIMER_EXIT, 14),
	HOOK("softirq_entry", TAP_BENCH_SOFTIRQ_ENTRY, 14),
	HOOK("softirq_exit", TAP_BENCH_SOFTIRQ_EXIT, 14),
	HOOK("contention_begin", TAP_BENCH_LOCK, 14),
	HOOK("contention_end", TAP_BENCH_UNLOCK, 14),
	HOOK("a timer interrupt and a switch", TAP_BENCH_TICK, 5 * 14),
	CALL("call, shared instances", TAP_PROBE_CALL, 0, .alone = 7),
	MANY("call, many: 100 in the session", CALL, .alone = 7, .others = 99, .slow = true),
	CALL("funcgraph, 2 records, 2 arguments, comm", TAP_PROBE_FUNCGRAPH, 0,
	     OPS(ARG(0), ARG(1), COMM)),
	KPROBE("1 counter: page-faults", 0, COUNTERS(1, PAGE_FAULTS), OPS(PMU(0))),
	KPROBE("6 counters: page-faults", 0, COUNTERS(6, PAGE_FAULTS), OPS(PMU_6)),
	KPROBE("1 counter: cpu-clock", 0, COUNTERS(1, CPU_CLOCK), OPS(PMU(0))),
	KPROBE("6 counters: cpu-clock", 0, COUNTERS(6, CPU_CLOCK), OPS(PMU_6)),
	CALL("call, 1 counter: page-faults", TAP_PROBE_CALL, 918,
	     COUNTERS(1, PAGE_FAULTS), OPS(RETURN, PMU(0))),
	CALL("call, 6 counters: page-faults", TAP_PROBE_CALL, 0,
	     COUNTERS(6, PAGE_FAULTS), OPS(RETURN, PMU_6)),
	CALL("call, 1 counter: cpu-clock", TAP_PROBE_CALL, 0,
	     COUNTERS(1, CPU_CLOCK), OPS(RETURN, PMU(0))),
	CALL("call, 6 counters: cpu-clock", TAP_PROBE_CALL, 0,
	     COUNTERS(6, CPU_CLOCK), OPS(RETURN, PMU_6)),
	USER("uprobe, an empty handler", .ref = EMPTY_ENTRY),
	UPROBE("0 arguments", 910),
	UPROBE("2 arguments", 910, OPS(ARG(0), ARG(1))),
	UPROBE("4 arguments", 910, OPS(ARG(0), ARG(1), ARG(2), ARG(3))),
	UPROBE("2 arguments, comm", 910, OPS(ARG(0), ARG(1), COMM)),
	UPROBE("2 arguments, comm, -c", 0, OPS(ARG(0), ARG(1), COMM),
	       .followed = true),
	UPROBE("rejected by argument", 0, .outcome = FILTERED,
	       OPS(REG_ARG(0, 1), REJECT(TAP_OP_JNE, 0, 3), ARG(0), COMM)),
	USER("  ftrace: 0 arguments", .ref = FTRACE, .uprobe_event = "p"),
	USER("  ftrace: 4 arguments", .ref = FTRACE, .uprobe_event = ARGS_4),
	USER("  perf: 0 arguments", .ref = PERF, .uprobe_event = "p"),
	USER("  perf: 4 arguments", .ref = PERF, .uprobe_event = ARGS_4),
	USER("  BPF: 4 arguments", .ref = BPF_AT_ENTRY),
	USER("uretprobe, an empty handler", .ref = EMPTY_RETURN),
	URETPROBE("return value", 1995, OPS(RETVAL)),
	URETPROBE("return value, comm", 1995, OPS(RETVAL, COMM)),
	URETPROBE("return value, comm, -c", 0, OPS(RETVAL, COMM),
		  .followed = true),
	USER("  ftrace: return value", .ref = FTRACE,
	     .uprobe_event = "r a=%ax"),
	USER("  perf: nothing", .ref = PERF, .uprobe_event = "r"),
	USER("  perf: return value", .ref = PERF, .uprobe_event = "r a=%ax"),
	USER("  BPF: return value", .ref = BPF_AT_RETURN),
	USER("ucall, two empty handlers", .ref = EMPTY_CALL),
	UCALL("0 arguments"),
	UCALL("2 arguments", OPS(ARG(0), ARG(1))),
	UCALL("2 arguments, comm", OPS(ARG(0), ARG(1), COMM)),
	UCALL("2 arguments, comm, -c", OPS(ARG(0), ARG(1), COMM), .followed = true),
	USER("  ftrace: 2 events, 2 arguments", .ref = FTRACE,
	     .uprobe_event = "p a=%di b=%si\nr a=%ax"),
	USER("  BPF: 2 programs, a table", .ref = BPF_AT_BOTH),
};

static int program;

/* Offset of bench_user() in the file of this program. */
static __u64 user_offset(void)
{
	unsigned long begin, end, offset, at = (unsigned long)bench_user;
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &begin, &end, &offset) == 3 &&
		    at >= begin && at < end) {
			fclose(maps);
			return at - begin + offset;
		}
	errx(1, "bench_user: not found in /proc/self/maps");
}

/*
 * A session with one enabled probe, or none, and its mapped ring of CPU 0. The cost of a uprobe
 * depends on the number of mappings, so rows without a probe of ours map the ring as well.
 */
struct session {
	int fd;
	__u32 id;
	const volatile struct tap_ring_head *head;
	volatile struct tap_ring_tail *tail;
};

static void *map(int fd, int prot, __u64 offset)
{
	void *p = mmap(NULL, getpagesize(), prot, MAP_SHARED, fd, offset);

	if (p == MAP_FAILED)
		err(1, "mmap of %s", TAP_DEVICE);
	return p;
}

static __u32 fill_program(struct tap_op *ops, const struct row *row)
{
	struct tap_op *op = ops;
	int i;

	if (row->followed) {
		*op++ = (struct tap_op){ .code = TAP_OP_VAR, .size = 8,
					 .off = TAP_VAR_FOLLOWED };
		*op++ = (struct tap_op)REJECT(TAP_OP_JNE, 0, 1);
	}
	for (i = 0; i < MAX_OPS && row->ops[i].code; i++)
		*op++ = row->ops[i];
	return op - ops;
}

static void session_count(int fd, const struct row *row)
{
	struct tap_perf events[TAP_MAX_PMU];
	struct tap_pmu pmu = { .size = sizeof(pmu), .nr_events = row->nr_counters,
			       .events = (unsigned long)events };
	__u32 i;

	for (i = 0; i < row->nr_counters; i++)
		events[i] = (struct tap_perf) {
			.size = sizeof(events[i]), .type = PERF_TYPE_SOFTWARE,
			.config = row->counter,
		};
	if (ioctl(fd, TAP_IOC_PMU, &pmu))
		err(1, "counters");
}

/* Functions that are not called during the benchmark, one by one. */
static const char *quiet_function(unsigned int i)
{
	static char names[MAX_OTHERS][64];
	static unsigned int nr;
	char line[256];
	FILE *list;

	if (!nr) {
		list = fopen(TRACING "available_filter_functions", "r");
		while (list && nr < MAX_OTHERS && fgets(line, sizeof(line), list))
			/* Skips parts that the compiler split off. */
			if (!strncmp(line, "acpi_", 5) &&
			    !strpbrk(line, " .") &&
			    sscanf(line, "%63s", names[nr]) == 1)
				nr++;
		if (!list || nr < MAX_OTHERS)
			errx(1, "not %d functions acpi_*", MAX_OTHERS);
		fclose(list);
	}
	return names[i];
}

static void create_at(struct tap_create *create, const char *target)
{
	create->target = (unsigned long)target;
	create->target_len = strlen(target);
}

/* Further probes beside that of the row; all are enabled with it. */
static void session_crowd(int fd, const struct row *row, struct tap_create create)
{
	char target[64];
	unsigned int i;

	for (i = 0; i < row->alike; i++)
		if (ioctl(fd, TAP_IOC_CREATE, &create))
			err(1, "%s: probe %u", row->name, i);
	if (row->end && row->type != TAP_PROBE_SPAN) {
		create_at(&create, row->end);
		if (ioctl(fd, TAP_IOC_CREATE, &create))
			err(1, "%s: %s", row->name, row->end);
	}
	for (i = 0; i < row->others; i++) {
		if (row->type != TAP_PROBE_KPROBE)
			snprintf(target, sizeof(target), "%s", quiet_function(i));
		else
			snprintf(target, sizeof(target), "tap_bench_places+%u",
				 8 * i);
		create_at(&create, target);
		if (ioctl(fd, TAP_IOC_CREATE, &create))
			err(1, "%s: %s", row->name, target);
	}
}

/* The return probes of a session that have instances of their own, where further ones share. */
static void session_alone(int fd, const struct row *row, struct tap_create create)
{
	unsigned int i;

	for (i = 0; i < row->alone; i++) {
		create_at(&create, quiet_function(i));
		if (ioctl(fd, TAP_IOC_CREATE, &create))
			err(1, "%s: %s", row->name, quiet_function(i));
	}
}

/* The two sides of a span. */
static void session_sides(int fd, const struct row *row, __u32 span)
{
	struct tap_op key = ARG(1);
	struct tap_create create = {
		.size = sizeof(create), .type = TAP_PROBE_RAWTP,
		.target = (unsigned long)row->target, .target_len = strlen(row->target),
		.ops = (unsigned long)&key, .nr_ops = 1, .limit = TAP_NO_LIMIT, .span_id = span,
	};

	for (create.side = TAP_SIDE_FROM; create.side <= TAP_SIDE_TO; create.side++) {
		if (create.side == TAP_SIDE_TO)
			create_at(&create, row->end);
		if (ioctl(fd, TAP_IOC_CREATE, &create))
			err(1, "%s: side %u", row->name, create.side);
	}
}

static void session_open(struct session *s, const struct row *row)
{
	/* Most keys of TAP_BENCH_BEGINS find their own places free. */
	const struct tap_span_table table = {
		.size = sizeof(table), .nr_keys = 1,
		.entries = row->loop == TAP_BENCH_BEGINS ? 64 * TAP_BENCH_LOOPS : 1024,
	};
	struct tap_setup setup = { .size = sizeof(setup),
				   .ring_bytes = RING_BYTES,
				   .watermark = RING_BYTES };
	struct tap_op ops[2 + MAX_OPS];
	struct tap_aggregate aggregate = {
		.size = sizeof(aggregate),
		.nr_keys = 1,
		.keys = { { .word = 0, .words = 1 } },
		.entries = 64,
	};
	struct tap_create create = {
		.size = sizeof(create),
		.type = row->type,
		.target = (unsigned long)row->target,
		.target_len = strlen(row->target),
		.ops = (unsigned long)ops,
		.nr_ops = fill_program(ops, row),
		/* The clock counts instructions as ns, so a limit would throttle the probe. */
		.limit = TAP_NO_LIMIT,
	};
	struct tap_probe_ref ref = { .size = sizeof(ref) };
	struct tap_tasks tasks = { .size = sizeof(tasks), .flags = row->tasks };
	struct tap_follow follow = { .size = sizeof(follow), .pid = getpid() };

	if (row->loop == LOOP_USER) {
		create.file = program;
		create.offset = user_offset();
	}
	if (row->outcome == LOST)
		setup.ring_bytes = setup.watermark = RING_BYTES / 16;
	while (setup.ring_bytes <= (row->alike + 1) * TAP_BENCH_LOOPS * TAP_SLOT_SIZE)
		setup.watermark = setup.ring_bytes *= 2;
	if (row->overwrite) {
		setup.flags = TAP_SETUP_F_OVERWRITE;
		setup.ring_bytes = RING_BYTES / 16;
		setup.watermark = 0;
	}
	if (row->type == TAP_PROBE_SPAN)
		create.span = (unsigned long)&table;
	if (row->outcome == AGGREGATED && (row->type == TAP_PROBE_SPAN || !row->ops[0].code))
		create.flags = TAP_CREATE_F_COUNT;
	else if (row->outcome == AGGREGATED)
		create.aggregate = (unsigned long)&aggregate;
	s->fd = open(TAP_DEVICE, O_RDWR | O_CLOEXEC);
	if (s->fd < 0)
		err(1, "%s", TAP_DEVICE);
	if (ioctl(s->fd, TAP_IOC_SETUP, &setup))
		err(1, "setup");
	if (row->followed && ioctl(s->fd, TAP_IOC_FOLLOW, &follow))
		err(1, "follow");
	if (row->tasks && ioctl(s->fd, TAP_IOC_TASKS, &tasks))
		err(1, "tasks");
	create.frame = row->frame;
	if (row->nr_counters)
		session_count(s->fd, row);
	session_alone(s->fd, row, create);
	if (row->type && ioctl(s->fd, TAP_IOC_CREATE, &create))
		err(1, "%s: %s", row->name, row->target);
	s->id = create.out_id;
	if (row->type == TAP_PROBE_SPAN)
		session_sides(s->fd, row, s->id);
	session_crowd(s->fd, row, create);
	if (row->type && row->outcome != DISABLED &&
	    ioctl(s->fd, TAP_IOC_ENABLE, &ref))
		err(1, "%s: enable", row->name);
	s->tail = map(s->fd, PROT_READ | PROT_WRITE, setup.out_ring_offset);
	s->head = map(s->fd, PROT_READ, setup.out_ring_offset + getpagesize());
}

/*
 * Expects that all events had the outcome of the row: otherwise its cost is not what was measured.
 */
static void session_close(struct session *s, const struct row *row)
{
	struct tap_counters counters = { };
	struct tap_stats stats = {
		.size = sizeof(stats),
		.id = s->id,
		.counters = (unsigned long)&counters,
		.nr_cpus = 1,
	};
	/* A funcgraph probe makes one event at the entry and one at the return. */
	__u64 became, wanted = row->outcome == DISABLED || row->outcome == BEGUN || row->exchange ? 0 :
			       row->loop == TAP_BENCH_WAITS && !row->more ? RUNS :
			       RUNS * TAP_BENCH_LOOPS *
			       (row->type == TAP_PROBE_FUNCGRAPH ? 2 : 1);

	if (row->type && ioctl(s->fd, TAP_IOC_STATS, &stats))
		err(1, "%s: stats", row->name);
	became = row->outcome == WRITTEN ? counters.written :
		 row->outcome == FILTERED ? counters.filtered :
		 row->outcome == LOST ? counters.written + counters.lost_full :
					counters.aggregated;
	if (row->more && became > wanted)
		wanted = became;
	if (row->type && (became != wanted || counters.hits != became))
		errx(1, "%s: %llu hits, %llu as it should be, of %llu",
		     row->name, counters.hits, became, wanted);
	munmap((void *)s->tail, getpagesize());
	munmap((void *)s->head, getpagesize());
	close(s->fd);
}

static void tracing_write(const char *file, const char *fmt, const char *text)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), TRACING "%s", file);
	/* Not stdio, which would seek to the end; these files have none. */
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd < 0 || dprintf(fd, fmt, text) < 0 || close(fd))
		err(1, "%s", path);
}

static void ftrace_open(const struct row *row)
{
	tracing_write("kprobe_events", "p:bench %s\n", row->kprobe_event);
	if (row->trigger_file && !strcmp(row->trigger_file, "filter"))
		tracing_write("events/kprobes/bench/filter", "%s\n",
			      row->trigger);
	/* A trigger enables the event by itself, without a record. */
	if (row->trigger_file && !strcmp(row->trigger_file, "trigger"))
		tracing_write("events/kprobes/bench/trigger", "%s\n",
			      row->trigger);
	else
		tracing_write("events/kprobes/bench/enable", "%s\n", "1");
}

static void ftrace_close(const struct row *row)
{
	if (row->trigger_file && !strcmp(row->trigger_file, "trigger"))
		tracing_write("events/kprobes/bench/trigger", "!%s\n",
			      row->trigger);
	else
		tracing_write("events/kprobes/bench/enable", "%s\n", "0");
	tracing_write("kprobe_events", "-:%s\n", "bench");
}

/* Runs an empty loop in user space, like the loops of tap_bench.ko. */
static __u64 user_loop(void)
{
	__u64 begin;
	int i;

	begin = __builtin_ia32_rdtsc();
	for (i = 0; i < TAP_BENCH_LOOPS; i++)
		bench_user(1, 2, 3, 4);
	return __builtin_ia32_rdtsc() - begin;
}

/* The rings of these sessions are emptied before each loop. */
static __u64 best_of(int loop, struct session *s, unsigned int nr)
{
	__u64 best = ~0ULL;
	unsigned int k;
	int i;

	for (i = 0; i < RUNS; i++) {
		struct tap_bench_run run = { .loop = loop };

		for (k = 0; k < nr; k++)
			s[k].tail->tail = s[k].head->head;
		if (loop == LOOP_USER)
			run.out_ticks = user_loop();
		else if (ioctl(bench_fd, TAP_BENCH_RUN, &run))
			err(1, "/dev/tap_bench");
		if (run.out_ticks < best)
			best = run.out_ticks;
	}
	return best;
}

static void empty_set(__u32 handlers)
{
	struct tap_bench_uprobe set = { .offset = user_offset(), .file = program,
					.handlers = handlers };

	if (ioctl(bench_fd, TAP_BENCH_UPROBE, &set))
		err(1, "/dev/tap_bench: uprobe");
}

/* Creates one or two events in uprobe_events: "p" or "r" and the fetched values. */
static void uprobe_events_open(const struct row *row)
{
	char text[256], *line, *rest = text;

	snprintf(text, sizeof(text), "%s", row->uprobe_event);
	while ((line = strsep(&rest, "\n"))) {
		char event[512];

		snprintf(event, sizeof(event), "%c:bench_%c /proc/%d/exe:0x%llx%s",
			 *line, *line, getpid(), user_offset(), line + 1);
		tracing_write("uprobe_events", "%s\n", event);
	}
	if (row->ref == FTRACE)
		tracing_write("events/uprobes/enable", "%s\n", "1");
}

static void uprobe_events_close(const struct row *row)
{
	if (row->ref == FTRACE)
		tracing_write("events/uprobes/enable", "%s\n", "0");
	if (*row->uprobe_event == 'p')
		tracing_write("uprobe_events", "-:%s\n", "bench_p");
	if (strchr(row->uprobe_event, 'r'))
		tracing_write("uprobe_events", "-:%s\n", "bench_r");
}

static __u64 measure_perf(const struct row *row)
{
	char kind = *row->uprobe_event;
	int own = !row->uprobe_event[1], fd;
	void *ring;
	__u64 with;

	if (!own)
		uprobe_events_open(row);
	fd = perf_record(own ? perf_uprobe(user_offset(), kind) :
			       perf_tracefs(kind), &ring);
	with = best_of(row->loop, NULL, 0);
	munmap(ring, PERF_PAGES * getpagesize());
	close(fd);
	if (!own)
		uprobe_events_close(row);
	return with;
}

static __u64 measure_bpf(const struct row *row)
{
	int ring = bpf_map(BPF_MAP_TYPE_RINGBUF, 0, 0, BPF_RING_BYTES);
	int table = bpf_map(BPF_MAP_TYPE_HASH, WORD(1), WORD(3), 1024);
	__u64 offset = user_offset(), with;
	int entry = -1, back = -1;

	if (row->ref == BPF_AT_ENTRY)
		entry = bpf_entry(ring, offset);
	if (row->ref == BPF_AT_RETURN)
		back = bpf_return(ring, offset);
	if (row->ref == BPF_AT_BOTH) {
		entry = bpf_call_entry(table, offset);
		back = bpf_call_return(table, ring, offset);
	}
	with = best_of(row->loop, NULL, 0);
	bpf_check(ring, RUNS * TAP_BENCH_LOOPS);
	close(entry);
	close(back);
	close(table);
	close(ring);
	return with;
}

static void event_enable(const struct row *row, const char *on)
{
	char file[128];

	snprintf(file, sizeof(file), "events/%s/enable", row->event);
	tracing_write(file, "%s\n", on);
}

/* Measures a uprobe that is not ours. */
static __u64 measure_rival(const struct row *row)
{
	__u64 with;

	switch (row->ref) {
	case PERF:
		return measure_perf(row);
	case BPF_AT_ENTRY:
	case BPF_AT_RETURN:
	case BPF_AT_BOTH:
		return measure_bpf(row);
	case FTRACE:
		uprobe_events_open(row);
		with = best_of(row->loop, NULL, 0);
		uprobe_events_close(row);
		return with;
	default:
		empty_set((row->ref != EMPTY_RETURN ? TAP_BENCH_ENTRY : 0) |
			  (row->ref != EMPTY_ENTRY ? TAP_BENCH_RETURN : 0));
		with = best_of(row->loop, NULL, 0);
		empty_set(0);
		return with;
	}
}

/* Turns optimization of kprobes on or off; waits until the kprobe is in that state. */
static void optimize(const struct row *row)
{
	char line[256], *found = NULL;
	FILE *list;
	int fd = open("/proc/sys/debug/kprobes-optimization", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || dprintf(fd, "%d\n", row->optimized == 'y') < 0 || close(fd))
		err(1, "kprobes-optimization");
	/* The kernel delays optimization, to do many at once. */
	usleep(1500000);
	list = fopen("/sys/kernel/debug/kprobes/list", "r");
	while (list && !found && fgets(line, sizeof(line), list))
		found = strstr(line, row->target);
	if (!found || !strstr(found, "[OPTIMIZED]") != (row->optimized == 'n'))
		errx(1, "%s: it is %s", row->name, found ?: "not listed");
	fclose(list);
}

/* Takes a set of rings and gives it back. */
static void exchange(int fd)
{
	const __u32 flags[] = { TAP_WINDOW_F_TAKE, TAP_WINDOW_F_GIVE };
	int i;

	for (i = 0; i < 2; i++) {
		struct tap_window window = { .size = sizeof(window), .flags = flags[i] };

		if (ioctl(fd, TAP_IOC_WINDOW, &window))
			err(1, "window");
	}
}

static __u64 thread_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/* The time of this thread alone, without what runs while it waits. */
static double measure_exchange(const struct row *row)
{
	__u64 best = ~0ULL;
	struct session s;
	int i, k;

	session_open(&s, row);
	for (i = 0; i < RUNS; i++) {
		__u64 begin = thread_ns(), took;

		for (k = 0; k < EXCHANGES; k++)
			exchange(s.fd);
		took = thread_ns() - begin;
		if (took < best)
			best = took;
	}
	session_close(&s, row);
	return (double)best / EXCHANGES;
}

static double measure(const struct row *row)
{
	__u64 base, with;
	struct session s[1 + MAX_SESSIONS];
	unsigned int i, nr = 1 + row->sessions;

	if (row->exchange)
		return measure_exchange(row);
	base = best_of(row->base, NULL, 0);
	if (row->type || row->tasks) {
		for (i = 0; i < nr; i++)
			session_open(&s[i], row);
		if (row->optimized)
			optimize(row);
		with = best_of(row->loop, s, row->outcome == LOST ? 0 : nr);
		for (i = 0; i < nr; i++)
			session_close(&s[i], row);
	} else if (row->loop == LOOP_USER) {
		session_open(s, row);
		with = measure_rival(row);
		session_close(s, row);
	} else if (row->kprobe_event) {
		ftrace_open(row);
		with = best_of(row->loop, NULL, 0);
		ftrace_close(row);
	} else if (row->event) {
		event_enable(row, "1");
		with = best_of(row->loop, NULL, 0);
		event_enable(row, "0");
	} else {
		with = best_of(row->loop, NULL, 0);
	}
	return ((double)with - (double)base) / TAP_BENCH_LOOPS;
}

/**
 * struct kernel_part - an event whose handler does nothing
 * @base: the rows whose kernel's part it is: those with this loop without a probe,
 * @types: and these types: bits of enum tap_probe_type
 * @loop: the loop with the empty handler
 * @ref: which empty handler, if it is in a program
 * @on_6_1: instructions on 6.1, from docs/performance.md
 */
static const struct kernel_part {
	int base;
	__u32 types;
	int loop;
	enum ref ref;
	double on_6_1;
} kernel_parts[] = {
	{ TAP_BENCH_TRACEPOINT, 1 << TAP_PROBE_RAWTP | 1 << TAP_PROBE_SPAN, TAP_BENCH_EMPTY_EVENT, 0, 17 },
	{ TAP_BENCH_CALL, 1 << TAP_PROBE_KPROBE, TAP_BENCH_EMPTY, 0, 154 },
	{ TAP_BENCH_CALL, 1 << TAP_PROBE_KRETPROBE | 1 << TAP_PROBE_CALL, TAP_BENCH_EMPTY_RETURN, 0, 393 },
	{ LOOP_USER, 1 << TAP_PROBE_UPROBE, LOOP_USER, EMPTY_ENTRY, 866 },
	{ LOOP_USER, 1 << TAP_PROBE_URETPROBE, LOOP_USER, EMPTY_RETURN, 1943 },
};

#define NR_KERNEL_PARTS	(sizeof(kernel_parts) / sizeof(kernel_parts[0]))

/* How much more than on 6.1 the kernel's part of an event takes on this kernel. */
static double more_than_6_1(size_t part)
{
	static double measured[NR_KERNEL_PARTS];
	const struct kernel_part *p = &kernel_parts[part];
	const struct row row = { .name = "an empty handler", .loop = p->loop, .base = p->base, .ref = p->ref,
				 .target = "bench_user" };

	if (!measured[part])
		measured[part] = measure(&row);
	return measured[part] - p->on_6_1;
}

/*
 * The goal of a row on this kernel: that for 6.1, and what the kernel's part takes more here. 0: none,
 * or that part is not known.
 */
static double goal_of(const struct row *row, bool on_6_1)
{
	const int events = row->loop == TAP_BENCH_PAIR ? 2 : 1;
	int base = row->base;
	size_t i;

	/* Of these rows an empty handler is the base already. */
	if (on_6_1 || !row->goal || base == TAP_BENCH_NOTHING || base == TAP_BENCH_EMPTY ||
	    (base >= TAP_BENCH_EMPTY_HOOKS && base != LOOP_USER))
		return row->goal;
	if (base == TAP_BENCH_PAIR || base == TAP_BENCH_BEGINS || base == TAP_BENCH_EMIT)
		base = TAP_BENCH_TRACEPOINT;
	for (i = 0; i < NR_KERNEL_PARTS; i++)
		if (kernel_parts[i].base == base && kernel_parts[i].types & 1U << row->type)
			return row->goal + events * more_than_6_1(i);
	return 0;
}

int main(int argc, char **argv)
{
	struct utsname kernel;
	int failed = 0;
	size_t i;

	if (uname(&kernel))
		err(1, "uname");

	bench_fd = open("/dev/tap_bench", O_RDWR | O_CLOEXEC);
	if (bench_fd < 0)
		err(1, "/dev/tap_bench: is tap_bench.ko loaded?");
	program = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	if (program < 0)
		err(1, "/proc/self/exe");
	printf("%-40s %12s %8s\n", "operation", "instructions", "goal");
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double cost, goal;
		int over;

		if (argc > 1 ? !strstr(rows[i].name, argv[1]) : rows[i].slow)
			continue;
		cost = measure(&rows[i]);
		goal = goal_of(&rows[i], !strncmp(kernel.release, "6.1.", 4));
		/* Both are differences of figures that are whole ones but for a few hundredths. */
		over = goal && cost > goal + .05;
		printf("%-40s %12.2f", rows[i].name, cost);
		if (goal)
			printf(" %8.0f%s", goal, over ? "  OVER" : "");
		putchar('\n');
		fflush(stdout);
		failed += over;
	}
	return failed != 0;
}
