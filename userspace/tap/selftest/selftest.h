/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tap doctor --selftest: every kind of probe against events whose number and values are
 * known, in this process alone. This is the header of the whole room.
 */
#ifndef _TOOL_SELFTEST_SELFTEST_H
#define _TOOL_SELFTEST_SELFTEST_H

#include <pthread.h>
#include <stdatomic.h>

#include "tool.h"

#define SELFTEST_HITS	1000
/* Consecutive events on one CPU; then the rings are read and another CPU follows. */
#define SELFTEST_BATCH	125
#define SELFTEST_PROBES	12

/**
 * enum selftest_status - result of a test
 * @SELFTEST_OK: all numbers are as expected
 * @SELFTEST_SKIP: this machine cannot do it; the text has its reason
 * @SELFTEST_FAIL: it was armed, or should have been, and a number is not as expected
 */
enum selftest_status {
	SELFTEST_OK,
	SELFTEST_SKIP,
	SELFTEST_FAIL,
};

/**
 * struct selftest_line - the result of a test that has ended
 * @status: the result
 * @name: e.g. "kprobe"
 * @text: figures, or what was expected and found, or why it was skipped
 */
struct selftest_line {
	enum selftest_status status;
	char name[20];
	char text[600];
};

/**
 * struct selftest - one run
 * @json: print one JSON object at the end
 * @counter_there: whether the processor has a counter, 0 if so
 * @info: of the module
 * @syms: symbols of the kernel; NULL if they could not be loaded
 * @syms_error: why not
 * @cpus: CPUs that are online and that this process may use
 * @nr_cpus: number of @cpus
 * @next_cpu: index into @cpus for the next batch
 * @function: kernel function behind lseek() of trigger_lseek; "" if none was found
 * @netlink: the module's table of sessions could be read
 * @addresses: the kernel shows its addresses to this process
 * @others: sessions of other processes at the start
 * @references: to the module, at the start; -1 if not known
 * @traced: whether @function is traced by ftrace at the start; -1 if not known
 * @event_ns: by enum tap_probe_type: nanoseconds of an event with its record; 0: not measured
 * @kstack_ns: the same of a kprobe with a stack
 * @ustack_ns: the same of a uprobe with a stack
 * @lines: results in the order of the tests
 * @nr_lines: number of @lines
 * @counts: number of @lines by status
 */
struct selftest {
	bool json;
	int (*counter_there)(const char *name);
	struct tap_info info;
	struct tap_symbols *syms;
	struct tap_error syms_error;
	int *cpus;
	unsigned int nr_cpus;
	unsigned int next_cpu;
	char function[64];
	bool netlink;
	bool addresses;
	unsigned int others;
	long references;
	int traced;
	double event_ns[TAP_COST_KINDS];
	double kstack_ns;
	double ustack_ns;
	struct selftest_line lines[48];
	unsigned int nr_lines;
	unsigned int counts[SELFTEST_FAIL + 1];
};

/**
 * struct selftest_test - a test that is running
 * @st: its run
 * @name: as in its line
 * @status: so far
 * @failures: how many there were; the text has the first three
 * @ended: its session was closed: what remains is compared also after a signal
 * @always: a signal does not cut it short
 * @text: of its line, so far
 */
struct selftest_test {
	struct selftest *st;
	const char *name;
	enum selftest_status status;
	unsigned int failures;
	bool ended;
	bool always;
	char text[600];
};

/* selftest.c */
int selftest_run(bool json, int (*counter_there)(const char *name));
bool selftest_stopped(void);

/* test.c */
void test_begin(struct selftest_test *t, struct selftest *st, const char *name);
void test_end(struct selftest_test *t);
void test_fail(struct selftest_test *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void test_skip(struct selftest_test *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void test_note(struct selftest_test *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
bool test_equal(struct selftest_test *t, const char *what, __u64 expected, __u64 got);
bool test_can(struct selftest_test *t, __u64 feature, const char *without);

/* machine.c */
bool machine_line(const char *path, char *text, size_t size);
void machine_describe(struct selftest *st, void (*item)(void *arg, const char *name,
							const char *text),
		      void *arg);
bool machine_pin(const struct selftest *st, int cpu);
void machine_unpin(const struct selftest *st);
int machine_cpus(struct selftest *st);
__u64 machine_cpu_time(void);
__u64 machine_now(void);

/**
 * struct trigger - something this process can do a known number of times
 * @open: makes it ready; returns 0 or -errno; may be NULL
 * @close: undoes @open; may be NULL
 * @hit: does it, for the @i-th time
 * @arg: the argument that @hit gives
 * @ret: the value that it returns
 */
struct trigger {
	int (*open)(void);
	void (*close)(void);
	void (*hit)(unsigned int i);
	__u64 (*arg)(unsigned int i);
	__u64 (*ret)(unsigned int i);
};

/* trigger.c */
extern const struct trigger trigger_lseek, trigger_function, trigger_usdt, trigger_pages;
extern const char trigger_text[];
const char *trigger_lseek_function(struct selftest *st);
int trigger_memfd(void);
bool trigger_place(__u64 *offset);
const void *trigger_code(void);
__u64 trigger_return_address(void);
unsigned int trigger_semaphore(void);
__u64 trigger_page(unsigned int i);
void trigger_instructions(__u64 loops);

/**
 * struct rig - a session under test
 * @t: the test
 * @session: its session
 * @reader: reader of the session; NULL before rig_start()
 * @probes: the probe table
 * @tb: conversion of the session's clock
 * @ids: probes in the order of rig_add()
 * @nr: number of @ids
 * @enabled: they are enabled
 * @event: called with each event of the probes
 * @arg: for @event
 * @records: events read
 * @gaps: gap records read
 * @lost: losses that the gap records reported
 * @notices: notices read
 * @last: time of the last event
 * @backwards: events that were read after a later one
 * @batch: events between two readings
 * @cpu_of: CPU of each event of rig_hit()
 * @hits: events of rig_hit()
 * @took: nanoseconds of the events of rig_hit(), all together
 * @per_hit: median over batches, nanoseconds
 * @begin: raw time before the first event
 * @installed: kprobes on the function of the run before the session, -1 if not known
 * @code: first bytes of the traced function of this process, before the session
 */
struct rig {
	struct selftest_test *t;
	struct tap_session *session;
	struct tap_reader *reader;
	struct tap_probes *probes;
	struct tap_timebase tb;
	__u32 ids[SELFTEST_PROBES];
	unsigned int nr;
	bool enabled;
	void (*event)(struct rig *rig, const struct tap_event *ev);
	void *arg;
	__u64 records;
	__u64 gaps;
	__u64 lost;
	__u64 notices;
	__u64 last;
	__u64 backwards;
	unsigned int batch;
	int *cpu_of;
	unsigned int hits;
	__u64 took;
	double per_hit;
	__u64 begin;
	int installed;
	unsigned char code[16];
};

/**
 * struct rig_opts - how rig_add() makes a probe; all zero is the usual way
 * @any_task: no test of the process
 * @count: events are counted and make no records
 * @keys: keys of an aggregation
 * @nr_keys: number of @keys
 * @values: values of an aggregation
 * @nr_values: number of @values; 0 with @nr_keys 0: no aggregation
 * @pmu: names of counters
 * @nr_pmu: number of @pmu
 */
struct rig_opts {
	bool any_task;
	bool count;
	const char *const *keys;
	unsigned int nr_keys;
	const struct tap_spec_value *values;
	unsigned int nr_values;
	const char *const *pmu;
	unsigned int nr_pmu;
};

/* rig.c */
__u64 rig_ring_bytes(const struct selftest *st, __u64 wanted);
int rig_open(struct rig *rig, struct selftest_test *t, __u64 ring_bytes);
int rig_open_clock(struct rig *rig, struct selftest_test *t, __u64 ring_bytes, __u32 clock);
int rig_add(struct rig *rig, const struct rig_opts *opts, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int rig_add_counter(struct rig *rig, const char *name);
int rig_start(struct rig *rig);
int rig_hit(struct rig *rig, const struct trigger *trigger, unsigned int n);
double rig_baseline(struct selftest *st, const struct trigger *trigger);
void rig_read(struct rig *rig);
void rig_stop(struct rig *rig);
void rig_sum(struct rig *rig, unsigned int i, struct tap_counters *sum);
const struct tap_probe *rig_probe(const struct rig *rig, unsigned int i);
void rig_close(struct rig *rig);
__u64 rig_ns(const struct rig *rig, __u64 ticks);

/* removal.c */
void removal_begin(struct selftest *st);
void removal_before(struct rig *rig);
void removal_after(struct rig *rig);
void removal_test(struct selftest *st);

/* series.c */

/**
 * struct series - a kind of probe whose records are compared one by one
 * @name: of the kind
 * @feature: TAP_FEATURE_* that it needs
 * @without: why a kernel does not have it
 * @trigger: what is probed
 * @arg: word of the argument; -1: it has none
 * @ret: word of the return value; -1: it has none
 * @call: begins with the duration
 * @graph: has a record at the entry as well
 * @all: without a test of the process, which has handlers of its own; records of other
 *	processes are left out
 * @check: looks at a record further; may be NULL
 */
struct series {
	const char *name;
	__u64 feature;
	const char *without;
	const struct trigger *trigger;
	int arg;
	int ret;
	bool call;
	bool graph;
	bool all;
	void (*check)(struct rig *rig, const struct tap_event *ev, unsigned int i);
};

void series_test(struct selftest *st, const struct series *series, const char *event,
		 unsigned int n);

/* costs.c */
void costs_note(struct selftest *st, const char *name, double ns);
void costs_test(struct selftest *st);

/* kernel_kinds.c, user_kinds.c, counters.c, marks.c, rings.c, tables.c, clocks.c */
void kernel_kinds_test(struct selftest *st);
void user_kinds_test(struct selftest *st);
void counters_test(struct selftest *st);
void watchpoint_test(struct selftest *st);
void marks_test(struct selftest *st);
void rings_test(struct selftest *st);
void tables_test(struct selftest *st);
void clocks_test(struct selftest *st);

#endif /* _TOOL_SELFTEST_SELFTEST_H */
