/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Output of a run: whoever reads it may sleep, and must not make the run deaf
 * to what ends it.
 */
#ifndef _TOOL_RUN_OUTPUT_H
#define _TOOL_RUN_OUTPUT_H

#include "run/run.h"

/**
 * struct output - where the lines of a run go
 * @run: a run; must be started before anything is written
 * @fd: the descriptor
 * @stalls: it has a reader, who may sleep
 * @given_up: nothing is written any more
 * @until: CLOCK_MONOTONIC at which to give up, ns; 0 as long as there is none
 * @unprinted: lines that were not written since
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
 * @run: for what ends it
 */
void output_open(struct output *out, struct run *run);

/**
 * output_write() - write all of it, as long as the output takes it
 * @out: struct output
 * @data: lines
 * @len: bytes
 *
 * While the output takes nothing, the end of the run's time or process only
 * disables its probes: what came before is still for the reader, who may be a
 * pager. After a signal it is given up once it has taken nothing for a second.
 *
 * Return: 0, also once it was given up; or -errno.
 */
int output_write(void *out, const char *data, size_t len);

/**
 * output_wait() - wait until the output takes something
 * @out: the output
 *
 * Return: 0; -ECANCELED if it is to be given up; or another -errno.
 */
int output_wait(struct output *out);

/**
 * output_close() - end it
 * @out: may be all zero
 *
 * Return: false if there are lines that were not printed, which is then said.
 */
bool output_close(struct output *out);

#endif /* _TOOL_RUN_OUTPUT_H */
