// SPDX-License-Identifier: GPL-2.0
/*
 * Attaches a BPF program to a trace event while a command runs.
 * usage: bpf_attach SYSTEM/NAME VALUE COMMAND [ARGUMENT]...
 * VALUE is what the program returns: with 0, perf drops the event.
 */
#include <err.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "selftests/programs/bpf_program.h"

int main(int argc, char **argv)
{
	char path[128];
	int fd, status;
	pid_t pid;

	if (argc < 4)
		errx(2, "usage: bpf_attach SYSTEM/NAME VALUE COMMAND [ARGUMENT]...");
	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s", argv[1]);
	fd = bpf_program_attach(path, atoi(argv[2]));
	if (fd < 0)
		errx(1, "%s: %s", path, strerror(-fd));
	pid = fork();
	if (!pid) {
		execvp(argv[3], argv + 3);
		err(127, "%s", argv[3]);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		err(1, "wait");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
