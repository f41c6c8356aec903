/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trace files of native tests, from a list of their events.
 */
#ifndef _TEST_LIB_STORY_H
#define _TEST_LIB_STORY_H

#include <stdbool.h>
#include <stddef.h>

#include "spec/probe_table.h"

/* More probes than any of the tests has. */
#define STORY_PROBES	16

/* The words of an event with a caller: its value, and a stack of two frames. */
#define STORY_VALUE	2
#define STORY_STACK	3
#define STORY_WORDS	6

/**
 * struct step - an event of a call or another probe
 * @time: its time, ns
 * @probe: id of its probe
 * @pid: of the process and of the thread
 * @duration: of the call, ns
 * @retval: likewise
 * @value: word %STORY_VALUE
 * @ip: address in the function itself
 * @caller: address; 0: the probe has no stack
 * @lost: a gap record reports it in its place
 */
struct step {
	__u64 time;
	__u32 probe;
	__u32 pid;
	__u64 duration;
	__u64 retval;
	__u64 value;
	__u64 ip;
	__u64 caller;
	bool lost;
};

/**
 * struct story_file - a trace file to be written
 * @path: its name
 * @step: the events, in the order in which they are written
 * @nr: number of @step
 * @make_probes: fills the table
 * @ids: ids of probes are below it
 * @missed: of each probe; NULL: 0
 * @flags: likewise
 * @cut: bytes that the file lacks at its end
 * @end: time of the second sample of the clocks; 0: the file has none
 * @syms: symbols of the kernel, or NULL
 */
struct story_file {
	const char *path;
	const struct step *step;
	size_t nr;
	void (*make_probes)(struct tap_probes *probes);
	unsigned int ids;
	const __u64 *missed;
	const __u32 *flags;
	unsigned int cut;
	__u64 end;
	const struct tap_symbols *syms;
};

/* Aborts on failure. */
void story_write(const struct story_file *story);

/**
 * story_run() - run a command
 * @out: file that gets its output and its error messages
 * @fmt: the command, as for printf(3)
 *
 * Return: its exit status, -1 after a signal.
 */
int story_run(const char *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Whether a file has a text. */
bool story_has(const char *file, const char *text);

#endif /* _TEST_LIB_STORY_H */
