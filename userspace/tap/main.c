// SPDX-License-Identifier: GPL-2.0
/*
 * tap: runs a command. Nothing calls into this file: it may use any room.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "pager.h"
#include "sigbus.h"
#include "tool.h"

/*
 * A file that tap opens must not become its standard output. The missing
 * descriptors are opened in the wrong direction, so that reading or writing them
 * still fails.
 */
static bool open_missing(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY :
							   O_RDONLY) < 0)
			return false;
	return true;
}

/* The exit status if the output is not what it should be. */
static int in_trouble(int status)
{
	return status && tool_trouble == TOOL_FAILED ? status : tool_trouble;
}

/* Lost output is a failure, unless its reader has closed the pipe. */
static int check_output(int status)
{
	struct pollfd out = { .fd = STDOUT_FILENO };
	int ret;

	/* An earlier write may have failed: its errno is lost then. */
	errno = EIO;
	ret = fflush(stdout);
	if (!ret && !ferror(stdout))
		return status;
	ret = errno;
	if (ret == EPIPE ||
	    (poll(&out, 1, 0) > 0 && out.revents & (POLLERR | POLLHUP)))
		return status;
	tool_error("cannot write: %s", strerror(ret));
	return in_trouble(status);
}

static int run_command(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2) {
		help_overview(stderr);
		return TOOL_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		help_overview(stdout);
		return 0;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("tap %s\n", tap_version());
		return 0;
	}
	if (!strcmp(argv[1], "--complete"))
		return tool_complete(argc - 2, argv + 2);
	command = command_find(argv[1]);
	return command ? command_run(command, argc - 1, argv + 1) : command_unknown(argv[1]);
}

int main(int argc, char **argv)
{
	int status;

	if (!open_missing())
		return TOOL_FAILED;
	/* A closed pipe is reported as EPIPE. */
	signal(SIGPIPE, SIG_IGN);
	sigbus_catch();
	status = check_output(run_command(argc, argv));
	pager_close();
	if (!sigbus_seen())
		return status;
	tool_error("a file was truncated while tap read it: the output may be wrong or incomplete");
	return in_trouble(status);
}
