// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of the server of tap monitor --openmetrics ADDRESS:PORT: what it answers, and that readers
 * who say nothing, who are slow, or who leave keep nobody out. Built with sanitizers.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "metrics/http.h"
#include "selftests/lib/check.h"

/* More than the sockets of a connection hold. */
#define LARGE	(32U << 20)
#define ROOM	(LARGE + 4096)

static struct http http;
static size_t page_len = 5;
static char *got;

static int page(void *arg, char **text, size_t *len)
{
	if (arg)
		return -EIO;
	*len = page_len;
	*text = malloc(page_len);
	if (*text)
		memset(*text, 'x', page_len);
	return *text ? 0 : -ENOMEM;
}

/* Lets the server work until it has nothing to do. */
static int serve(void *arg)
{
	struct pollfd p = { .fd = http.poll, .events = POLLIN };
	int ret = 0;

	while (!ret && poll(&p, 1, 0) == 1)
		ret = http_serve(&http, page, arg);
	return ret;
}

static int reader(const char *request)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in to;
	socklen_t len = sizeof(to);

	if (getsockname(http.listen, (struct sockaddr *)&to, &len) ||
	    connect(fd, (struct sockaddr *)&to, len) ||
	    send(fd, request, strlen(request), 0) != (ssize_t)strlen(request))
		abort();
	return fd;
}

/* Reads all, and closes the connection. Returns the bytes; -1 if the server has not closed it. */
static ssize_t answer(int fd)
{
	ssize_t n, len = 0;

	serve(NULL);
	while ((n = recv(fd, got + len, ROOM - 1 - (size_t)len, MSG_DONTWAIT)) > 0) {
		len += n;
		serve(NULL);
	}
	got[len] = '\0';
	close(fd);
	return n < 0 && errno == EAGAIN ? -1 : len;
}

static bool answers(const char *request, const char *status, const char *end)
{
	ssize_t len = answer(reader(request));

	return len > 0 && !strncmp(got, status, strlen(status)) && (size_t)len > strlen(end) &&
	       !strcmp(got + len - strlen(end), end);
}

static void test_requests(void)
{
	check(answers("GET /metrics HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK\r\n", "\r\nContent-Length: 5\r\nConnection: close\r\n\r\nxxxxx"),
	      "GET has the page");
	check(answers("GET /metrics?x=1 HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 200 OK\r\n", "\r\n\r\nxxxxx"), "a query is ignored");
	check(answers("HEAD /metrics HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK\r\n", "\r\nContent-Length: 5\r\nConnection: close\r\n\r\n"),
	      "HEAD has its length alone");
	check(answers("GET /metricsx HTTP/1.1\r\n\r\n", "HTTP/1.1 404 Not Found\r\n", "at /metrics\n"), "another page is not found");
	check(answers("POST /metrics HTTP/1.1\r\n\r\n", "HTTP/1.1 404 Not Found\r\n", "at /metrics\n"), "nor is another method");
	check(answers("\r\n\r\n", "HTTP/1.1 404 Not Found\r\n", "at /metrics\n"), "nor a request without words");
}

static void test_parts(void)
{
	int fd = reader("GET /met");

	serve(NULL);
	if (send(fd, "rics HTTP/1.1\r\n\r", 16, 0) != 16)
		abort();
	serve(NULL);
	check(recv(fd, got, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN, "no answer before the end of a request");
	if (send(fd, "\n", 1, 0) != 1)
		abort();
	check(answer(fd) > 5, "a request in parts has one");
	memset(got, 'x', sizeof(http.readers->request));
	got[sizeof(http.readers->request)] = '\0';
	fd = reader(got);
	check(answer(fd) <= 0, "a request without an end has none");
}

static void test_idle(void)
{
	int fds[3 * HTTP_READERS];
	size_t i, nr = sizeof(fds) / sizeof(fds[0]), bad = 0;

	for (i = 0; i < nr; i++) {
		fds[i] = reader(i % 2 ? "GET /" : "");
		serve(NULL);
		bad += !answers("GET /metrics HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK\r\n", "xxxxx");
	}
	check(!bad, "%zu readers who say nothing keep nobody out: %zu without a page", nr, bad);
	for (i = 0; i < nr; i++)
		close(fds[i]);
	serve(NULL);
	for (i = 0; i < HTTP_READERS && http.readers[i].fd < 0; i++)
		;
	check(i == HTTP_READERS, "and are closed when they leave");
}

/* Others come and go, and some stay, between two parts that a slow reader takes. */
static void test_slow(void)
{
	int slow, idle[400];
	size_t len = 0, bad = 0, nr = 0;
	ssize_t n;

	page_len = LARGE;
	slow = reader("GET /metrics HTTP/1.1\r\n\r\n");
	serve(NULL);
	page_len = 5;
	while ((n = recv(slow, got + len, 128 << 10, MSG_DONTWAIT)) > 0) {
		char *rest = got;

		len += (size_t)n;
		if (nr < sizeof(idle) / sizeof(idle[0]))
			idle[nr++] = reader("");
		serve(NULL);
		got += len;
		bad += !answers("GET /metrics HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK\r\n", "xxxxx");
		got = rest;
	}
	check(!n && len > LARGE && got[len - 1] == 'x', "a slow reader has the whole page: %zu of %u bytes", len, LARGE);
	check(!bad && nr > HTTP_READERS, "and keeps nobody out: %zu without a page", bad);
	close(slow);
	while (nr)
		close(idle[--nr]);
}

static void test_trouble(void)
{
	int fd;

	page_len = LARGE;
	fd = reader("GET /metrics HTTP/1.1\r\n\r\n");
	serve(NULL);
	close(fd);
	serve(NULL);
	page_len = 5;
	check(answers("GET /metrics HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK\r\n", "xxxxx"), "a reader leaves in the middle of the page");
	fd = reader("GET /metrics HTTP/1.1\r\n\r\n");
	check(serve(&page_len) == -EIO, "there is no page: the server says so");
	close(fd);
}

int main(void)
{
	struct tap_error err;

	got = malloc(2 * ROOM);
	if (!got || http_open(&http, "127.0.0.1:0", &err))
		abort();
	test_requests();
	test_parts();
	test_idle();
	test_slow();
	test_trouble();
	http_close(&http);
	check(http_open(&http, "localhost:0", &err) == -EINVAL, "a name is no address");
	http_close(&http);
	free(got);
	return check_end();
}
