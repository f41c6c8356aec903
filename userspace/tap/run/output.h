/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Output of a run. Its reader may block it; signals, --duration and the end of
 * the process must end the run all the same.
 */
#ifndef _TOOL_RUN_OUTPUT_H
#define _TOOL_RUN_OUTPUT_H

#include "run/run.h"

/**
 * struct output - where the lines of a run go
 * @run: a run; must be started before anything is written
 * @fd: the descriptor
 * @stalls: a pipe, socket or terminal, which may block
 * @given_up: output is blocked after a signal: the rest is dropped
 * @until: when to give up, CLOCK_MONOTONIC ns; 0 before a signal
 * @unprinted: lines that were dropped
 */
struct output {
	struct run *run;
	int fd;
	bool stalls;
	bool given_up;
	__u64 until;
	__u64 unprinted;
};

/**
 * output_open() - write to standard output
 * @out: filled in; end it with output_close()
 * @run: the run, whose signals and deadline are obeyed
 */
void output_open(struct output *out, struct run *run);

/**
 * output_write() - write lines, unless the output is given up
 * @out: struct output
 * @data: lines
 * @len: bytes
 *
 * While the output is blocked, the end of --duration or of the process only
 * disables the probes: the reader may be a pager, and still gets all records.
 * After a signal the output is given up if it is blocked for a second.
 *
 * Return: 0, even if the output is given up; or -errno.
 */
int output_write(void *out, const char *data, size_t len);

/**
 * output_wait() - wait until the output is writable
 * @out: the output
 *
 * Return: 0; -ECANCELED if the output is to be given up; or another -errno.
 */
int output_wait(struct output *out);

/**
 * output_close() - end it
 * @out: may be all zero
 *
 * Return: false after printing an error message if lines were dropped.
 */
bool output_close(struct output *out);

#endif /* _TOOL_RUN_OUTPUT_H */
