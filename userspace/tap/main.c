// SPDX-License-Identifier: GPL-2.0
/*
 * tap: the table of commands. Nothing calls into this file: it may use any room.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "sigbus.h"
#include "tool.h"

/**
 * struct command - a row of the table
 * @name: as typed
 * @run: its main()
 * @summary: what it does, a few words
 */
struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
};

static const struct command commands[] = {
	{ "list", cmd_list, "show what can be probed" },
	{ "trace", cmd_trace, "print events as they happen" },
	{ "record", cmd_record, "write events to a file" },
	{ "report", cmd_report, "print the events of a file" },
	{ "flame", cmd_flame, "draw the stacks of a file as a flame graph" },
	{ "stat", cmd_stat, "count events, with keys and histograms" },
	{ "mark", cmd_mark, "write a text into the traces that are running" },
	{ "monitor", cmd_monitor, "show all sessions on this machine" },
	{ "doctor", cmd_doctor, "check what tapmod can do on this kernel" },
};

#define NR_COMMANDS	(sizeof(commands) / sizeof(commands[0]))

static void print_help(FILE *to)
{
	size_t i;

	fputs("usage: tap COMMAND [OPTION]...\n\ncommands:\n", to);
	for (i = 0; i < NR_COMMANDS; i++)
		fprintf(to, "  %-8s %s\n", commands[i].name,
			commands[i].summary);
	fputs("\n'tap COMMAND --help' shows the options of a command.\n"
	      "example: tap trace -e 'syscall:openat if retval < 0' -c 'cat /nonesuch'\n",
	      to);
}

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
	return status ? status : TOOL_FAILED;
}

static int run_command(int argc, char **argv)
{
	static char name[32];
	size_t i;

	if (argc < 2) {
		print_help(stderr);
		return TOOL_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
	    !strcmp(argv[1], "help")) {
		print_help(stdout);
		return 0;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("tap %s\n", tap_version());
		return 0;
	}
	for (i = 0; i < NR_COMMANDS; i++) {
		if (strcmp(argv[1], commands[i].name))
			continue;
		/* getopt_long() begins its messages with this. */
		snprintf(name, sizeof(name), "tap %s", argv[1]);
		argv[1] = name;
		return commands[i].run(argc - 1, argv + 1);
	}
	tool_error("'%s' is not a command; 'tap --help' lists the commands", argv[1]);
	return TOOL_USAGE;
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
	if (!sigbus_seen())
		return status;
	tool_error("a file was truncated while tap read it: the output may be wrong or incomplete");
	return status ? status : TOOL_FAILED;
}
