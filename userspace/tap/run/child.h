/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command of -c: its process exists before the probes, and runs once they are enabled.
 */
#ifndef _TOOL_RUN_CHILD_H
#define _TOOL_RUN_CHILD_H

#include <signal.h>
#include <sys/types.h>

#include "tool.h"

/**
 * struct child - the command of -c
 * @pid: its process, 0 if there is none (any more)
 * @go: pipe: a byte starts the command; -1 after child_go()
 * @result: pipe: the errno if exec fails
 * @command: as given
 */
struct child {
	pid_t pid;
	int go;
	int result;
	const char *command;
};

/**
 * child_fork() - create the process, which waits for child_go()
 * @child: filled in
 * @command: run by sh -c if it has characters that a shell interprets
 * @mask: its signal mask
 * @to_stderr: its standard output is our standard error, since ours is for data alone
 * @err: the error message on failure
 *
 * If this process ends before child_go(), the command never runs.
 *
 * Return: 0 or -errno.
 */
int child_fork(struct child *child, const char *command, const sigset_t *mask,
	       bool to_stderr, struct tap_error *err);

/**
 * child_go() - let the command run
 * @child: of child_fork()
 * @err: the error message on failure
 *
 * Return: 0 or -errno, e.g. if there is no such program.
 */
int child_go(struct child *child, struct tap_error *err);

/**
 * child_end() - kill the command if it still runs, and print how it ended
 * @child: may be without a process
 */
void child_end(struct child *child);

#endif /* _TOOL_RUN_CHILD_H */
