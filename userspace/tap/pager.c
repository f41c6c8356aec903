// SPDX-License-Identifier: GPL-2.0
/*
 * A pager between the tool and a terminal.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pager.h"

/* A machine without less, such as an initramfs, has all lines at once. */
#define DEFAULT	"if command -v less >/dev/null; then exec less; fi; exec cat"

/* @pid: 0: there is none. @saved: standard output and standard error as they were. */
static struct {
	pid_t pid;
	int saved[2];
} pager;

/* NULL: the user wants none, or the terminal has no pages. */
static const char *command_of(void)
{
	const char *term = getenv("TERM"), *command = getenv("PAGER");

	if (!isatty(STDOUT_FILENO) || !term || !strcmp(term, "dumb"))
		return NULL;
	if (!command)
		return DEFAULT;
	return *command && strcmp(command, "cat") ? command : NULL;
}

static void run(const char *command, int from)
{
	dup2(from, STDIN_FILENO);
	signal(SIGINT, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	/* Ends at once if all fits on the screen, passes colours, leaves the text on the screen. */
	setenv("LESS", "FRX", 0);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

/* Without a pager, for whatever reason, the text goes to the terminal as it is. */
void pager_open(void)
{
	const char *command = command_of();
	int pipe[2], fd;

	if (!command || pipe2(pipe, O_CLOEXEC))
		return;
	fflush(stdout);
	/* Before the fork: a ^C that comes as soon as the pager runs must not end the tool. */
	signal(SIGINT, SIG_IGN);
	pager.pid = fork();
	if (!pager.pid)
		run(command, pipe[0]);
	close(pipe[0]);
	for (fd = STDOUT_FILENO; pager.pid > 0 && fd <= STDERR_FILENO; fd++) {
		pager.saved[fd - STDOUT_FILENO] = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		if (fd == STDOUT_FILENO || isatty(fd))
			dup2(pipe[1], fd);
	}
	close(pipe[1]);
	if (pager.pid < 0) {
		pager.pid = 0;
		signal(SIGINT, SIG_DFL);
	}
}

bool pager_is_open(void)
{
	return pager.pid;
}

void pager_close(void)
{
	int fd;

	if (!pager.pid)
		return;
	fflush(stdout);
	/* The pager sees the end of its input when no descriptor of the pipe is left. */
	for (fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
		dup2(pager.saved[fd - STDOUT_FILENO], fd);
		close(pager.saved[fd - STDOUT_FILENO]);
	}
	while (waitpid(pager.pid, NULL, 0) < 0 && errno == EINTR)
		;
	pager.pid = 0;
	signal(SIGINT, SIG_DFL);
}
