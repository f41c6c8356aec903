// SPDX-License-Identifier: GPL-2.0
/*
 * Loads for the questions of docs/tutorial.md about two events:
 *	questions sleep N	sleeps N times
 *	questions udp N		sends itself N datagrams, and receives them
 *	questions disk N FILE	reads N blocks of a disk, past the cache
 *	questions files N M FILE	opens a file N times, and closes all but M
 *	questions locks N	writes N times into a pipe, whose mutex is taken each time
 *	questions raise N FILE	writes 1 into a file, N times
 *	questions works N	lets each CPU run a work item, N times
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BLOCK	4096

static void sleeps(int n)
{
	const struct timespec time = { .tv_nsec = 200000 };

	while (n--)
		nanosleep(&time, NULL);
}

static void datagrams(int n)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	char text[64] = "";

	if (fd < 0 || bind(fd, (struct sockaddr *)&at, len) ||
	    getsockname(fd, (struct sockaddr *)&at, &len) ||
	    connect(fd, (struct sockaddr *)&at, len))
		err(1, "socket");
	while (n--)
		if (send(fd, text, sizeof(text), 0) != sizeof(text) ||
		    recv(fd, text, sizeof(text), 0) != sizeof(text))
			err(1, "datagram");
	close(fd);
}

static void blocks(int n, const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECT);
	void *block;

	if (fd < 0 || posix_memalign(&block, BLOCK, BLOCK))
		err(1, "%s", path);
	while (n--)
		if (pread(fd, block, BLOCK, (off_t)n * 2 * BLOCK) != BLOCK)
			err(1, "%s: block %d", path, n);
	close(fd);
}

static void files(int n, int kept, const char *path)
{
	int fd;

	while (n--) {
		fd = open(path, O_RDONLY);
		if (fd < 0)
			err(1, "%s", path);
		if (n >= kept)
			close(fd);
	}
	/* Until tap has seen that they are open: the end of the process closes them. */
	printf("open\n");
	fflush(stdout);
	if (kept)
		pause();
}

static void raises(int n, const char *path)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0)
		err(1, "%s", path);
	while (n--)
		if (pwrite(fd, "1", 1, 0) != 1)
			err(1, "%s", path);
	close(fd);
}

static void locks(int n)
{
	int fds[2];
	char byte = 0;

	if (pipe(fds))
		err(1, "pipe");
	while (n--)
		if (write(fds[1], &byte, 1) != 1 || read(fds[0], &byte, 1) != 1)
			err(1, "pipe");
}

static void works(int n)
{
	char text[4096];
	int fd = open("/proc/sys/vm/stat_refresh", O_RDONLY);

	if (fd < 0)
		err(1, "stat_refresh");
	while (n--)
		if (pread(fd, text, sizeof(text), 0) < 0)
			err(1, "stat_refresh");
	close(fd);
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 0;

	if (argc == 3 && !strcmp(argv[1], "sleep"))
		sleeps(n);
	else if (argc == 3 && !strcmp(argv[1], "udp"))
		datagrams(n);
	else if (argc == 4 && !strcmp(argv[1], "disk"))
		blocks(n, argv[3]);
	else if (argc == 5 && !strcmp(argv[1], "files"))
		files(n, atoi(argv[3]), argv[4]);
	else if (argc == 4 && !strcmp(argv[1], "raise"))
		raises(n, argv[3]);
	else if (argc == 3 && !strcmp(argv[1], "locks"))
		locks(n);
	else if (argc == 3 && !strcmp(argv[1], "works"))
		works(n);
	else
		errx(2, "usage: questions sleep|udp|disk|files|locks|raise|works N [M] [FILE]");
	return 0;
}
