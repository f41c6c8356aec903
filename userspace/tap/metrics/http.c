// SPDX-License-Identifier: GPL-2.0
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "metrics/http.h"

/* More than a scraper's request has. */
#define REQUEST_MAX	8192
#define ANSWER_MS	2000

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

bool http_is_address(const char *text)
{
	const char *port = strrchr(text, ':');

	return port && port[1] && !strchr(text, '/') && port[1 + strspn(port + 1, "0123456789")] == '\0';
}

/* Returns the bytes of the address, or 0. */
static socklen_t parse(const char *text, union address *to)
{
	size_t len = (size_t)(strrchr(text, ':') - text);
	unsigned long port = strtoul(text + len + 1, NULL, 10);
	char host[INET6_ADDRSTRLEN + 2] = "127.0.0.1";

	memset(to, 0, sizeof(*to));
	if (len >= sizeof(host) || port > 65535)
		return 0;
	if (len) {
		memcpy(host, text, len);
		host[len] = '\0';
	}
	if (*host == '[' && len && host[len - 1] == ']') {
		host[len - 1] = '\0';
		to->v6.sin6_family = AF_INET6;
		to->v6.sin6_port = htons((uint16_t)port);
		return inet_pton(AF_INET6, host + 1, &to->v6.sin6_addr) == 1 ? sizeof(to->v6) : 0;
	}
	to->v4.sin_family = AF_INET;
	to->v4.sin_port = htons((uint16_t)port);
	return inet_pton(AF_INET, host, &to->v4.sin_addr) == 1 ? sizeof(to->v4) : 0;
}

int http_listen(const char *text, struct tap_error *err)
{
	union address address;
	socklen_t len = parse(text, &address);
	int one = 1, fd, ret;

	if (!len)
		return tap_error_set(err, -EINVAL,
				     "--openmetrics %s: write an address in numbers and a port, e.g. 127.0.0.1:9100 or [::1]:9100",
				     text);
	fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && !setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) &&
	    !bind(fd, &address.any, len) && !listen(fd, 16))
		return fd;
	ret = tap_error_set(err, -errno, "--openmetrics %s: %s", text, strerror(errno));
	if (fd >= 0)
		close(fd);
	return ret;
}

static bool ready(int fd, short events, long until)
{
	struct pollfd p = { .fd = fd, .events = events };
	long left = until - now_ms();

	return left > 0 && poll(&p, 1, (int)left) == 1;
}

/* Reads up to the empty line that ends a request. */
static bool read_request(int fd, char *request, long until)
{
	size_t len = 0;
	ssize_t n;

	for (;;) {
		if (!ready(fd, POLLIN, until))
			return false;
		n = recv(fd, request + len, REQUEST_MAX - 1 - len, 0);
		if (n <= 0)
			return false;
		len += (size_t)n;
		request[len] = '\0';
		if (strstr(request, "\r\n\r\n"))
			return true;
		if (len == REQUEST_MAX - 1)
			return false;
	}
}

static void write_all(int fd, const char *data, size_t len, long until)
{
	ssize_t n;

	while (len && ready(fd, POLLOUT, until)) {
		n = send(fd, data, len, MSG_NOSIGNAL);
		if (n < 0)
			return;
		data += n;
		len -= (size_t)n;
	}
}

static void answer(int fd, const char *status, const char *text, size_t len, long until)
{
	char head[256];
	int n = snprintf(head, sizeof(head),
			 "HTTP/1.1 %s\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n",
			 status, len);

	write_all(fd, head, (size_t)n, until);
	write_all(fd, text, len, until);
}

int http_serve(int fd, http_page_fn page, void *arg)
{
	static const char elsewhere[] = "the metrics are at /metrics\n";
	long until = now_ms() + ANSWER_MS;
	char request[REQUEST_MAX], *text = NULL;
	size_t len = 0;
	int ret = 0, reader = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (reader < 0)
		return 0;
	if (read_request(reader, request, until)) {
		if (!strncmp(request, "GET /metrics ", 13)) {
			ret = page(arg, &text, &len);
			if (!ret)
				answer(reader, "200 OK", text, len, until);
			free(text);
		} else {
			answer(reader, "404 Not Found", elsewhere, sizeof(elsewhere) - 1, until);
		}
	}
	close(reader);
	return ret;
}
