// SPDX-License-Identifier: GPL-2.0
/*
 * The command of -c. Its process is created first, so that the session can follow it. It
 * waits in read() until the probes are enabled, then calls exec.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/child.h"

/* Characters that a shell interprets; a command without them needs no shell. */
#define SHELL_CHARS	"|&;<>()$`\\\"'*?[]#~=%!{}\n"
/* Time between SIGTERM and SIGKILL. */
#define PATIENCE_MS	1000

static void exec_command(const char *command)
{
	char **words, *copy, *word, *save;
	size_t nr = 0;

	if (strpbrk(command, SHELL_CHARS)) {
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		return;
	}
	copy = strdup(command);
	/* Words are separated by blanks: at most every second byte begins one. */
	words = calloc(strlen(command) / 2 + 2, sizeof(*words));
	if (!copy || !words)
		return;
	for (word = strtok_r(copy, " \t", &save); word;
	     word = strtok_r(NULL, " \t", &save))
		words[nr++] = word;
	if (!nr)
		errno = ENOENT;
	else
		execvp(words[0], words);
}

/* Never returns. */
static void run_child(const char *command, const sigset_t *mask, int go,
		      int result)
{
	ssize_t n;
	char c;
	int e;

	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	do {
		n = read(go, &c, 1);
	} while (n < 0 && errno == EINTR);
	/* End of file: tap gave up or died. */
	if (n != 1)
		_exit(0);
	exec_command(command);
	e = errno;
	if (write(result, &e, sizeof(e)) < 0)
		_exit(126);
	_exit(127);
}

int child_fork(struct child *child, const char *command, const sigset_t *mask,
	       bool to_stderr, struct tap_error *err)
{
	int go[2], result[2], ret;
	pid_t pid;

	if (pipe2(go, O_CLOEXEC))
		goto err_errno;
	if (pipe2(result, O_CLOEXEC)) {
		ret = errno;
		close(go[0]);
		close(go[1]);
		errno = ret;
		goto err_errno;
	}
	/* With SIGCHLD ignored, which is inherited, waitpid() would find nothing. */
	signal(SIGCHLD, SIG_DFL);
	pid = fork();
	if (!pid) {
		/* Else read() would never see the end of file. */
		close(go[1]);
		close(result[0]);
		if (to_stderr)
			dup2(STDERR_FILENO, STDOUT_FILENO);
		run_child(command, mask, go[0], result[1]);
	}
	ret = errno;
	close(go[0]);
	close(result[1]);
	if (pid < 0) {
		close(go[1]);
		close(result[0]);
		errno = ret;
		goto err_errno;
	}
	child->pid = pid;
	child->go = go[1];
	child->result = result[0];
	child->command = command;
	return 0;

err_errno:
	ret = -errno;
	return tap_error_set(err, ret, "cannot start '%s': %s", command,
			     strerror(-ret));
}

static void child_close(struct child *child)
{
	if (child->go >= 0)
		close(child->go);
	if (child->result >= 0)
		close(child->result);
	child->go = -1;
	child->result = -1;
}

int child_go(struct child *child, struct tap_error *err)
{
	ssize_t n;
	int e = 0;

	do {
		n = write(child->go, "", 1);
	} while (n < 0 && errno == EINTR);
	do {
		/* exec closes the pipe: end of file means success. */
		n = read(child->result, &e, sizeof(e));
	} while (n < 0 && errno == EINTR);
	child_close(child);
	if (n != sizeof(e))
		return 0;
	waitpid(child->pid, NULL, 0);
	child->pid = 0;
	return tap_error_set(err, -e, "cannot run '%s': %s", child->command,
			     strerror(e));
}

static void report_status(const struct child *child, int status)
{
	if (WIFEXITED(status) && WEXITSTATUS(status))
		tool_error("'%s' ended with status %d", child->command,
			   WEXITSTATUS(status));
	else if (WIFSIGNALED(status))
		tool_error("'%s' was killed by signal %d (%s)", child->command,
			   WTERMSIG(status), strsignal(WTERMSIG(status)));
}

/* The process runs or is stopped, and may ignore SIGTERM. */
static void child_kill(const struct child *child)
{
	int ms;

	kill(child->pid, SIGTERM);
	kill(child->pid, SIGCONT);
	for (ms = 0; ms < PATIENCE_MS; ms += 10) {
		if (waitpid(child->pid, NULL, WNOHANG))
			return;
		poll(NULL, 0, 10);
	}
	tool_error("'%s' ignores SIGTERM: tap kills it", child->command);
	kill(child->pid, SIGKILL);
	waitpid(child->pid, NULL, 0);
}

void child_end(struct child *child)
{
	bool begun = child->go < 0;
	int status;
	pid_t pid;

	if (!child->pid)
		return;
	child_close(child);
	pid = waitpid(child->pid, &status, WNOHANG);
	if (pid == child->pid && begun)
		report_status(child, status);
	/* If waitpid() did not return 0, the id may be in use by another process. */
	if (!pid)
		child_kill(child);
	child->pid = 0;
}
