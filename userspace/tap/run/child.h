/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command of -c: it exists before the probes do, and runs after them.
 */
#ifndef _TOOL_RUN_CHILD_H
#define _TOOL_RUN_CHILD_H

#include <signal.h>
#include <sys/types.h>

#include "tool.h"

/**
 * struct child - the command of -c
 * @pid: its process, 0 if there is none (any more)
 * @go: writing to it starts the command; -1 once that is done
 * @result: gives an errno if it could not be started
 * @command: as given
 */
struct child {
	pid_t pid;
	int go;
	int result;
	const char *command;
};

/**
 * child_fork() - make the process, which waits
 * @child: filled in
 * @command: run directly if it has no characters of the shell, else by sh -c
 * @mask: signal mask that it gets
 * @err: the sentence on failure
 *
 * If this process ends before child_go(), the command never runs.
 *
 * Return: 0 or -errno.
 */
int child_fork(struct child *child, const char *command, const sigset_t *mask,
	       struct tap_error *err);

/**
 * child_go() - let the command run
 * @child: of child_fork()
 * @err: the sentence on failure
 *
 * Return: 0 or -errno, e.g. if there is no such program.
 */
int child_go(struct child *child, struct tap_error *err);

/**
 * child_end() - end the command if it still runs, and say how it ended
 * @child: may be without a process
 */
void child_end(struct child *child);

#endif /* _TOOL_RUN_CHILD_H */
