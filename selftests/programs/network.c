// SPDX-License-Identifier: GPL-2.0
/*
 * Loads for the recipes of tap run that the commands of a guest cannot make:
 *	network tcp		connects to itself, sends a byte, closes; then to a port that nobody has
 *	network full		connects to a server that accepts nobody, until a segment is sent again
 *	network udp		sends a datagram to a port that nobody has
 *	network threads		makes a thread, which ends
 *	network names		resolves the name of this machine
 *	network ids		becomes user 65534
 */
#include <asm/byteorder.h>
#include <err.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A port that no other program of a guest has. */
#define PORT	4711

static const struct sockaddr_in here = {
	.sin_family = AF_INET, .sin_addr.s_addr = __constant_htonl(INADDR_LOOPBACK), .sin_port = __constant_htons(PORT),
};

static int listening(int backlog)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0), yes = 1;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) ||
	    bind(fd, (const struct sockaddr *)&here, sizeof(here)) || listen(fd, backlog))
		err(1, "port %d", PORT);
	return fd;
}

static int connected(int flags)
{
	int fd = socket(AF_INET, SOCK_STREAM | flags, 0);

	if (fd < 0)
		err(1, "socket");
	if (connect(fd, (const struct sockaddr *)&here, sizeof(here)) && !flags)
		warn("connect");
	return fd;
}

static void tcp(void)
{
	int server = listening(1), mine = connected(0), theirs = accept(server, NULL, NULL);
	char byte = 'x';

	if (theirs < 0 || write(mine, &byte, 1) != 1 || read(theirs, &byte, 1) != 1)
		err(1, "connection");
	close(mine);
	if (read(theirs, &byte, 1))
		err(1, "end of the connection");
	close(theirs);
	close(server);
	close(connected(0));
}

/* With a full queue the first segment of a connection is dropped, and sent again after a second. */
static void full(void)
{
	int server = listening(0), fds[4];
	unsigned int i;

	for (i = 0; i < 4; i++)
		fds[i] = connected(SOCK_NONBLOCK);
	usleep(1500000);
	for (i = 0; i < 4; i++)
		close(fds[i]);
	close(server);
}

static void udp(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (fd < 0 || sendto(fd, "x", 1, 0, (const struct sockaddr *)&here, sizeof(here)) != 1)
		err(1, "datagram");
	close(fd);
}

static void *thread(void *arg)
{
	return arg;
}

static void threads(void)
{
	pthread_t id;

	if (pthread_create(&id, NULL, thread, NULL) || pthread_join(id, NULL))
		errx(1, "thread");
}

static void names(void)
{
	struct addrinfo *list;

	if (getaddrinfo("localhost", NULL, NULL, &list))
		errx(1, "localhost is not resolved");
	freeaddrinfo(list);
}

static void ids(void)
{
	if (setgid(65534) || setuid(65534))
		err(1, "ids");
	if (!setuid(0))
		errx(1, "is root again");
}

static const struct {
	const char *name;
	void (*run)(void);
} loads[] = {
	{ "tcp", tcp }, { "full", full }, { "udp", udp }, { "threads", threads }, { "names", names }, { "ids", ids },
};

int main(int argc, char **argv)
{
	unsigned int i;

	for (i = 0; argc == 2 && i < sizeof(loads) / sizeof(loads[0]); i++) {
		if (strcmp(argv[1], loads[i].name))
			continue;
		loads[i].run();
		return 0;
	}
	errx(2, "usage: network tcp|full|udp|threads|names|ids");
}
