/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A run: a session built from the command line, from the first probe to the
 * last record.
 */
#ifndef _TOOL_RUN_RUN_H
#define _TOOL_RUN_RUN_H

#include "run/ticker.h"
#include "run/child.h"
#include "run/options.h"
#include "symbolize/usym.h"

#define RUN_MAX_TESTS	4

/**
 * struct run_test - arguments of tap_spec_test()
 * @var: the variable
 * @imm: which of it
 * @value: what it must be
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
 * @syms: symbols of the kernel; NULL until somebody needs them, see run_symbols()
 * @maps: what processes have mapped; NULL if no event has an address of one
 * @users: names for those addresses, NULL likewise
 * @ticker: writes marks at intervals; NULL if no event is interval: or file:
 * @child: the command of -c
 * @signals: signalfd of SIGINT and SIGTERM, -1 if not made
 * @process: pidfd of -p or -c, -1 if there is none
 * @input: what else is waited for, -1 if nothing
 * @modules: socket that tells of modules, -1 if nobody listens
 * @modules_lost: it could not tell of all
 * @tests: tests that confine all probes
 * @nr_tests: how many
 * @count: hits are counted only
 * @old_mask: signals as they were
 * @deadline: CLOCK_MONOTONIC of the end, ns; 0 if there is none
 * @pending: losses that no gap record tells of, once it was drained
 * @begun: when all probes were enabled, CLOCK_MONOTONIC ns
 * @ended: when the probes were disabled, CLOCK_MONOTONIC ns
 * @stopping: the end was asked for, or came
 * @interrupted: a signal asked for it
 * @enabled: the probes are enabled
 */
struct run {
	const struct options *opts;
	struct tap_session *session;
	struct tap_reader *reader;
	struct tap_probes probes;
	struct tap_symbols *syms;
	struct tap_maps *maps;
	struct tap_user_symbols *users;
	struct ticker *ticker;
	struct child child;
	int signals;
	int process;
	int input;
	int modules;
	bool modules_lost;
	struct run_test tests[RUN_MAX_TESTS];
	unsigned int nr_tests;
	bool count;
	sigset_t old_mask;
	__u64 deadline;
	__u64 pending;
	__u64 begun;
	__u64 ended;
	bool stopping;
	bool interrupted;
	bool enabled;
};

/**
 * run_symbols() - symbols of the kernel
 * @run: of run_open()
 * @err: the sentence on failure; may be NULL
 *
 * They are read when they are first asked for: the kernel takes longer to say them
 * than all else that a begin does.
 *
 * Return: the symbols, which belong to @run, or NULL.
 */
struct tap_symbols *run_symbols(struct run *run, struct tap_error *err);

/**
 * run_has_kernel_code() - whether records have addresses of the kernel to be named
 * @run: with its probes
 *
 * Return: whether there are.
 */
bool run_has_kernel_code(const struct run *run);

/**
 * run_resolve() - name an address, as formatters want it
 * @run: a struct run
 * @addr: address
 * @buf: for the text
 * @len: its size
 *
 * Return: as tap_symbols_lookup().
 */
int run_resolve(const void *run, __u64 addr, char *buf, size_t len);

/**
 * run_open() - parse, check, open the device; signals still end the program
 * @run: filled in; end it with run_close() whatever is returned
 * @opts: the command line
 * @read: the command reads the rings
 * @err: the sentence on failure
 *
 * Return: 0 or -errno.
 */
int run_open(struct run *run, const struct options *opts, bool read,
	     struct tap_error *err);

/**
 * run_listen() - a run without a session: signals, time and one descriptor
 * @run: filled in; end it with run_close() whatever is returned
 * @opts: the command line
 * @input: what run_wait() waits for, -1 if nothing
 * @err: the sentence on failure
 *
 * It has begun when this returns.
 *
 * Return: 0 or -errno.
 */
int run_listen(struct run *run, const struct options *opts, int input,
	       struct tap_error *err);

/**
 * run_build() - take the signals, create all probes; nothing is enabled yet
 * @run: of run_open()
 * @err: the sentence on failure
 *
 * Return: 0 or -errno.
 */
int run_build(struct run *run, struct tap_error *err);

/**
 * run_start() - enable the probes and start the command of -c
 * @run: of run_build()
 * @err: the sentence on failure
 *
 * Return: 0 or -errno.
 */
int run_start(struct run *run, struct tap_error *err);

/**
 * run_wait() - wait for records, a signal, the end of the process or of time
 * @run: a started run; @run->stopping is set when it is to end
 * @until: CLOCK_MONOTONIC to come back at whatever happens, ns; 0 for never
 *
 * Return: 0 or -errno.
 */
int run_wait(struct run *run, __u64 until);

/**
 * run_wait_output() - wait until an output takes something
 * @run: a started run; if it is to end meanwhile, its probes are disabled
 * @fd: the output
 * @until: CLOCK_MONOTONIC to come back at, ns; 0 for never
 *
 * Comes back at a signal, too.
 *
 * Return: 1 if a write is worth a try, 0 if not yet, or -errno.
 */
int run_wait_output(struct run *run, int fd, __u64 until);

/**
 * run_drain() - read what is left, and have told what is untold
 * @run: its probes are disabled
 * @rest: reads until nothing comes; returns 0 or -errno
 * @arg: handed to @rest
 *
 * Return: 0 or -errno.
 */
int run_drain(struct run *run, int (*rest)(void *arg), void *arg);

/**
 * run_disable() - disable the probes
 * @run: a started run
 *
 * If a signal asked for it, then from here on a second one kills: whoever is
 * not patient enough for the rest may go.
 *
 * Return: 0 or -errno.
 */
int run_disable(struct run *run);

/**
 * run_stop() - disable the probes, and have no more to do with signals
 * @run: a started run
 *
 * Return: 0 or -errno.
 */
int run_stop(struct run *run);

/**
 * run_close() - end all of it
 * @run: may be half open
 */
void run_close(struct run *run);

/**
 * run_now() - the time
 *
 * Return: CLOCK_MONOTONIC in nanoseconds.
 */
__u64 run_now(void);

/**
 * run_create_probes() - make the probes of all -e arguments
 * @run: with a session that is set up
 * @err: the sentence on failure
 *
 * Return: 0 or -errno.
 */
int run_create_probes(struct run *run, struct tap_error *err);

/**
 * run_user_open() - be ready to name addresses of programs, if there will be any
 * @run: its probes were made, and are not enabled yet
 * @err: the sentence on failure
 *
 * Return: 0 or -errno.
 */
int run_user_open(struct run *run, struct tap_error *err);

/**
 * run_user_fd() - what tells that there is much to be fetched
 * @run: a run
 *
 * Return: a descriptor to be polled, or -1.
 */
int run_user_fd(const struct run *run);

/**
 * run_user_update() - fetch what processes have mapped meanwhile
 * @run: a run
 */
void run_user_update(struct run *run);

/**
 * run_user_close() - end it; what could not be known is said
 * @run: may be half open
 */
void run_user_close(struct run *run);

/**
 * struct run_module - a module of the kernel came or went
 * @name: with underscores
 * @gone: it went
 */
struct run_module {
	char name[64];
	bool gone;
};

/**
 * run_modules_open() - listen for modules that come and go
 * @run: before its symbols are read, so that none is missed between
 */
void run_modules_open(struct run *run);

/**
 * run_modules_next() - what happened since
 * @run: an open run
 * @module: filled in
 *
 * Return: whether there was something.
 */
bool run_modules_next(struct run *run, struct run_module *module);

/**
 * run_modules_reload() - have the functions of modules that came named
 * @run: with its symbols, which change
 */
void run_modules_reload(struct run *run);

/**
 * run_modules_close() - listen no more
 * @run: may not listen
 */
void run_modules_close(struct run *run);

#endif /* _TOOL_RUN_RUN_H */
