// SPDX-License-Identifier: GPL-2.0
/*
 * A storm of system calls: as many turns of them as fit into so many seconds of CLOCK_MONOTONIC.
 * Prints the turns a second.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Between two looks at the clock, which costs no system call. */
#define TURNS	10

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int turn(const int pipes[2], const int sockets[2])
{
	char buf[64] = "storm";
	struct pollfd polled = { .fd = pipes[0], .events = POLLIN };
	struct stat st;
	int fd = open("/dev/zero", O_RDONLY);
	void *map;

	if (fd < 0)
		return -1;
	for (int i = 0; i < 4; i++)
		if (read(fd, buf, sizeof(buf)) < 0 || write(pipes[1], buf, 8) < 0 ||
		    poll(&polled, 1, 0) < 0 || read(pipes[0], buf, 8) < 0 || fstat(fd, &st) ||
		    send(sockets[0], buf, 8, 0) < 0 || recv(sockets[1], buf, 8, 0) < 0)
			return -1;
	map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return -1;
	*(volatile char *)map = 1;
	munmap(map, 4096);
	return stat("/proc/self/status", &st) || close(fd);
}

int main(int argc, char **argv)
{
	double begin, end, last;
	int pipes[2], sockets[2];
	unsigned long turns = 0;

	if (argc != 2 || pipe(pipes) || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		return 2;
	begin = now();
	end = begin + atof(argv[1]);
	do {
		for (int i = 0; i < TURNS; i++)
			if (turn(pipes, sockets))
				return 1;
		turns += TURNS;
		last = now();
	} while (last < end);
	printf("%.1f\n", (double)turns / (last - begin));
	return 0;
}
