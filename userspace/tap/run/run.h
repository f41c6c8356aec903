/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A run: a session with the probes of the command line, from creating the first
 * probe to reading the last record. This is the header of the whole room:
 * run_probes.c, run_inside.c, run_arm.c, run_budget.c, run_gate.c, run_keep.c, run_read.c, run_usyms.c, run_lines.c and
 * run_modules.c have no header of their own.
 */
#ifndef _TOOL_RUN_RUN_H
#define _TOOL_RUN_RUN_H

#include "run/ticker.h"
#include "run/child.h"
#include "run/options.h"

#define RUN_MAX_TESTS	4

/**
 * struct run_test - a condition on all probes: arguments of tap_spec_test()
 * @var: the variable
 * @imm: selects the value, where @var has several
 * @value: the hit counts only if @var has this value
 */
struct run_test {
	enum tap_var var;
	__u64 imm;
	__u64 value;
};

/**
 * struct run - what trace, record and stat have in common
 * @opts: the command line; not owned
 * @session: the session
 * @reader: its reader, NULL if the command needs none
 * @probes: the probe table
 * @syms: symbols of the kernel; NULL until run_symbols() loads them
 * @types: types of the kernel; NULL but in run_create_probes()
 * @maps: memory maps of processes; NULL if no event has a user address
 * @users: names of user addresses; NULL in the same case
 * @lines: names of functions of modules with source lines; NULL until there is one
 * @keep: keeps what belongs to --keep; NULL: all is kept
 * @verdicts: ids of the probes of --keep; allocated
 * @nr_verdicts: number of @verdicts
 * @unwinder: unwinds copied stacks; NULL if there are none
 * @arm: events that give watchpoints their addresses; NULL if there are none
 * @ticker: writes marks at intervals; NULL if no event is interval: or file:
 * @child: the command of -c
 * @signals: signalfd of SIGINT, SIGTERM, SIGHUP and with --flight SIGUSR1, -1 if not made
 * @process: pidfd of -p or -c, -1 if there is none
 * @input: a further descriptor that run_wait() polls, -1 if there is none
 * @builds: modules whose debug information was used; allocated
 * @nr_builds: number of @builds
 * @modules: socket for uevents of modules, -1 if not open
 * @modules_lost: the socket overflowed, so that uevents are missing
 * @tests: conditions on all probes
 * @nr_tests: number of @tests
 * @count: probes only count, and the rings are not read
 * @old_mask: signal mask before run_build()
 * @deadline: when --duration ends, CLOCK_MONOTONIC ns; 0 if not given
 * @undecoded: records that run_read() did not give, as they match no probe
 * @pending: after run_drain(): lost events that no gap record reports
 * @begun: when all probes were enabled, CLOCK_MONOTONIC ns
 * @ended: when the probes were disabled, CLOCK_MONOTONIC ns
 * @stopping: the run is to end: by a signal, the end of the process or @deadline
 * @interrupted: a signal was received
 * @asked: with --flight: SIGUSR1 was received
 * @blind: run_wait() does not wait for the session
 * @enabled: the probes are enabled
 */
struct run {
	const struct options *opts;
	struct tap_session *session;
	struct tap_reader *reader;
	struct tap_probes *probes;
	struct tap_symbols *syms;
	struct tap_types *types;
	struct tap_maps *maps;
	struct tap_user_symbols *users;
	struct run_lines *lines;
	struct tap_keep *keep;
	__u32 *verdicts;
	size_t nr_verdicts;
	struct tap_unwinder *unwinder;
	struct run_arm *arm;
	struct ticker *ticker;
	struct child child;
	int signals;
	int process;
	int input;
	struct tap_dwarf_build *builds;
	int nr_builds;
	int modules;
	bool modules_lost;
	struct run_test tests[RUN_MAX_TESTS];
	unsigned int nr_tests;
	bool count;
	sigset_t old_mask;
	__u64 deadline;
	__u64 undecoded;
	__u64 pending;
	__u64 begun;
	__u64 ended;
	bool stopping;
	bool interrupted;
	bool asked;
	bool blind;
	bool enabled;
};

/**
 * struct run_wanted - an event of the run
 * @text: as the user wrote it
 * @own: @text, if the event is only there for inside(); allocated
 * @spec: parsed; NULL once it was expanded
 * @silent: it is only there for inside(): it makes no output
 * @frame: of tap_spec_set_frame(); 0: none
 * @trigger: it is of --when
 */
struct run_wanted {
	const char *text;
	char *own;
	struct tap_spec *spec;
	bool silent;
	__u32 frame;
	bool trigger;
};

/**
 * run_insides() - find the events that conditions are inside of
 * @list: all events, parsed; has room for run_insides_max() more, which are added
 * @nr: number of @list
 * @err: the error message on failure
 *
 * Return: 0 or -errno.
 */
int run_insides(struct run_wanted *list, size_t *nr, struct tap_error *err);

/**
 * run_insides_max() - the most events that run_insides() may add
 * @list: all events, parsed
 * @nr: number of @list
 *
 * Return: the number.
 */
size_t run_insides_max(const struct run_wanted *list, size_t nr);

/* Adds the conditions of the run to a spec; @silent: its records have no task's name. 0 or -errno. */
int run_add_ops(const struct run *run, struct tap_spec *spec, bool silent, struct tap_error *err);

/**
 * run_arm_create() - create the events that give watchpoints their addresses
 * @run: its probes were created
 * @err: the error message on failure
 *
 * Return: 0 or -errno.
 */
int run_arm_create(struct run *run, struct tap_error *err);

/**
 * run_arm_start() - enable these events
 * @run: its probes are enabled
 * @err: the error message on failure
 *
 * Return: 0 or -errno.
 */
int run_arm_start(struct run *run, struct tap_error *err);

/**
 * run_arm_fd() - the descriptor that is readable when such an event was hit
 * @run: any run
 *
 * Return: the descriptor, or -1 if no watchpoint waits for its address.
 */
int run_arm_fd(const struct run *run);

/**
 * run_arm_read() - arm the watchpoints whose events were hit, and say what was missed
 * @run: a started run
 */
void run_arm_read(struct run *run);

/* Says which watchpoints were never armed; frees all. */
void run_arm_stop(struct run *run);
void run_arm_close(struct run *run);

/**
 * run_gate_event() - let an event of the run come through the gate, open it or end it
 * @run: of run_open()
 * @i: which of the events of the command line
 * @spec: that event, parsed
 */
void run_gate_event(const struct run *run, size_t i, struct tap_spec *spec);

/* Sets the gate of --from, --until and --until-count. 0 or -errno. */
int run_gate_set(struct run *run, struct tap_error *err);

/* Whether an event may end the run, and whether one has. */
bool run_gate_polls(const struct run *run);
bool run_gate_ended(const struct run *run);

/* Says what ended the run, or that it never began. */
void run_gate_report(const struct run *run);

/* run_budget.c: gives the session the budget of --budget. 0 or -errno. */
int run_budget_set(struct run *run, struct tap_error *err);

/* Says what it took, and what was dropped or not seen. */
void run_budget_report(const struct run *run);

struct output;

/* With --json: the same as an object. 0 or -errno. */
int run_budget_json(const struct run *run, struct output *out);

/* run_lines.c: adds the source line to the name of an address of a module; cached. */
void run_line(struct run *run, __u64 addr, char *name, size_t size);
void run_lines_close(struct run *run);

/**
 * run_symbols() - symbols of the kernel
 * @run: of run_open()
 * @err: the error message on failure; may be NULL
 *
 * They are loaded at the first call: reading /proc/kallsyms takes longer than all
 * other steps of starting a run.
 *
 * Return: the symbols, which belong to @run, or NULL.
 */
struct tap_symbols *run_symbols(struct run *run, struct tap_error *err);

/**
 * run_has_kernel_code() - whether records have kernel addresses to be named
 * @run: its probes were created
 *
 * Return: true if a field of a probe is such an address.
 */
bool run_has_kernel_code(const struct run *run);

/**
 * run_resolve() - name a kernel address: the callback of formatters
 * @run: a struct run
 * @addr: address
 * @buf: for the text
 * @len: its size
 *
 * Return: as tap_symbols_lookup().
 */
int run_resolve(const void *run, __u64 addr, char *buf, size_t len);

/**
 * run_open() - parse the events, open the device; signals still end the program
 * @run: filled in; end it with run_close() even on failure
 * @opts: the command line
 * @read: the command reads the rings
 * @err: the error message on failure
 *
 * Return: 0 or -errno.
 */
int run_open(struct run *run, const struct options *opts, bool read,
	     struct tap_error *err);

/**
 * run_listen() - a run without a session: signals, time and one descriptor
 * @run: filled in; end it with run_close() even on failure
 * @opts: the command line
 * @input: a descriptor that run_wait() polls, -1 if there is none
 * @err: the error message on failure
 *
 * The time of --duration starts here.
 *
 * Return: 0 or -errno.
 */
int run_listen(struct run *run, const struct options *opts, int input,
	       struct tap_error *err);

/**
 * run_build() - block the signals, create all probes, disabled
 * @run: of run_open()
 * @err: the error message on failure
 *
 * Return: 0 or -errno.
 */
int run_build(struct run *run, struct tap_error *err);

/**
 * run_start() - enable the probes and start the command of -c
 * @run: of run_build()
 * @err: the error message on failure
 *
 * Return: 0 or -errno.
 */
int run_start(struct run *run, struct tap_error *err);

/**
 * run_wait() - wait for records, a signal, the end of the process or of time
 * @run: a started run; @run->stopping is set when it is to end
 * @until: return at this time at the latest, CLOCK_MONOTONIC ns; 0 for no limit
 *
 * Return: 0 or -errno.
 */
int run_wait(struct run *run, __u64 until);

/**
 * run_wait_output() - wait until an output is writable
 * @run: a started run; if it is to end meanwhile, its probes are disabled
 * @fd: the output
 * @until: return at this time at the latest, CLOCK_MONOTONIC ns; 0 for no limit
 *
 * Also returns when a signal arrives.
 *
 * Return: 1 if the output is writable, 0 if not, or -errno.
 */
int run_wait_output(struct run *run, int fd, __u64 until);

/**
 * run_drain() - read the rest of the rings, and the gap records still to be written
 * @run: its probes are disabled
 * @rest: reads until the rings are empty; returns 0 or -errno
 * @arg: handed to @rest
 *
 * Return: 0 or -errno.
 */
int run_drain(struct run *run, int (*rest)(void *arg), void *arg);

/**
 * run_read() - read what the rings hold now
 * @run: a started run with a reader
 * @give: gets each event, decoded; returns 0 or -errno
 * @arg: handed to @give
 *
 * A round is bounded: new events may have come when it returns.
 *
 * Return: 0 or -errno of @give.
 */
int run_read(struct run *run, int (*give)(void *arg, struct tap_event *ev), void *arg);

/**
 * run_read_rest() - the same until the rings are empty
 * @run: its probes are disabled
 * @give: as for run_read()
 * @arg: likewise
 *
 * Return: 0 or -errno of @give.
 */
int run_read_rest(struct run *run, int (*give)(void *arg, struct tap_event *ev), void *arg);

/**
 * run_read_to_end() - read all events of a run, and end it
 * @run: its probes are enabled
 * @give: as for run_read()
 * @arg: likewise
 *
 * For commands that print a report at the end.
 *
 * Return: 0 or -errno of @give, or of the device.
 */
int run_read_to_end(struct run *run, int (*give)(void *arg, struct tap_event *ev), void *arg);

/**
 * run_say_end() - say what ends the run, as nothing is printed before
 * @run: of such a command
 */
void run_say_end(const struct run *run);

/**
 * run_disable() - disable the probes
 * @run: a started run
 *
 * If a signal ended the run, signals have their default action again after this
 * call: a second one kills the program while it reads the rest.
 *
 * Return: 0 or -errno.
 */
int run_disable(struct run *run);

/**
 * run_stop() - disable the probes and restore the signal mask
 * @run: a started run
 *
 * Return: 0 or -errno.
 */
int run_stop(struct run *run);

/**
 * run_close() - end the run and free it
 * @run: may be partly open
 */
void run_close(struct run *run);

/**
 * run_now() - the current time
 *
 * Return: CLOCK_MONOTONIC in nanoseconds.
 */
__u64 run_now(void);

/**
 * run_create_probes() - create the probes of all -e arguments
 * @run: its session is set up
 * @err: the error message on failure
 *
 * Return: 0 or -errno.
 */
int run_create_probes(struct run *run, struct tap_error *err);

/**
 * run_user_open() - start to track memory maps, if an event has user addresses
 * @run: its probes were created and are still disabled
 * @err: the error message on failure
 *
 * Return: 0 or -errno.
 */
int run_user_open(struct run *run, struct tap_error *err);

/**
 * run_user_fd() - the descriptor that is readable when many map changes are queued
 * @run: a run
 *
 * Return: the descriptor, or -1 if maps are not tracked.
 */
int run_user_fd(const struct run *run);

/**
 * run_user_update() - read the queued changes of memory maps
 * @run: a run
 */
void run_user_update(struct run *run);

/**
 * run_user_close() - stop tracking; prints how many changes were lost
 * @run: may be partly open
 */
void run_user_close(struct run *run);

/**
 * run_keep_add() - note the probes of an event of --keep
 * @run: a run
 * @first: index of the first of them in the probe table; the others are all behind it
 * @err: the error message on failure
 *
 * Return: 0 or -ENOMEM.
 */
int run_keep_add(struct run *run, size_t first, struct tap_error *err);

/**
 * run_keep_open() - keep only what belongs to the events of --keep
 * @run: its probes were created. Without --keep this does nothing
 * @opts: @ordered, @give and @arg are the caller's; the rest is set
 * @err: the error message on failure
 *
 * Return: 0 or -errno.
 */
int run_keep_open(struct run *run, struct tap_keep_opts *opts, struct tap_error *err);

/**
 * run_keep_counts() - counts of --keep, with the verdicts that were under way at the end
 * @run: a run with --keep whose probes are disabled
 * @counts: filled in
 * @err: the error message on failure
 *
 * Return: 0 or -errno.
 */
int run_keep_counts(const struct run *run, struct tap_keep_counts *counts,
		    struct tap_error *err);

/**
 * struct run_module - a kernel module was loaded or unloaded
 * @name: with underscores
 * @gone: it was unloaded
 */
struct run_module {
	char name[64];
	bool gone;
};

/**
 * run_modules_open() - listen for modules that are loaded or unloaded
 * @run: its symbols are not loaded yet: a module loaded later must be reported
 */
void run_modules_open(struct run *run);

/**
 * run_modules_next() - the next module that was loaded or unloaded
 * @run: an open run
 * @module: filled in
 *
 * Return: false if there is none.
 */
bool run_modules_next(struct run *run, struct run_module *module);

/**
 * run_check_builds() - print an error if a module is loaded in another build than it was read from
 * @run: each module is reported once
 */
void run_check_builds(struct run *run);

/**
 * run_modules_reload() - load the symbols again if they are loaded and a module came
 * @run: of run_open()
 */
void run_modules_reload(struct run *run);

/**
 * run_modules_close() - stop listening; prints whether reports were lost
 * @run: any run
 */
void run_modules_close(struct run *run);

#endif /* _TOOL_RUN_RUN_H */
