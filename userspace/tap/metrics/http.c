// SPDX-License-Identifier: GPL-2.0
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "metrics/http.h"

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

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

/* Gives epoll a descriptor, or other events of one that it has. */
static bool watch(const struct http *http, int how, int fd, uint32_t events)
{
	return !epoll_ctl(http->poll, how, fd, &(struct epoll_event) { .events = events });
}

int http_open(struct http *http, const char *text, struct tap_error *err)
{
	union address address;
	socklen_t len = parse(text, &address);
	int one = 1;
	size_t i;

	*http = (struct http) { .poll = -1, .listen = -1 };
	for (i = 0; i < HTTP_READERS; i++)
		http->readers[i].fd = -1;
	if (!len)
		return tap_error_set(err, -EINVAL,
				     "--openmetrics %s: write an address in numbers and a port, e.g. 127.0.0.1:9100 or [::1]:9100",
				     text);
	http->poll = epoll_create1(EPOLL_CLOEXEC);
	http->listen = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (http->poll >= 0 && http->listen >= 0 &&
	    !setsockopt(http->listen, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) &&
	    !bind(http->listen, &address.any, len) && !listen(http->listen, 16) &&
	    watch(http, EPOLL_CTL_ADD, http->listen, EPOLLIN))
		return 0;
	return tap_error_set(err, -errno, "--openmetrics %s: %s", text, strerror(errno));
}

static void reader_close(struct http_reader *r)
{
	if (r->fd >= 0)
		close(r->fd);
	free(r->answer);
	r->answer = NULL;
	r->fd = -1;
}

static void reader_accept(struct http *http)
{
	struct http_reader *r = http->readers, *other;
	int fd = accept4(http->listen, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return;
	for (other = r; other < http->readers + HTTP_READERS && r->fd >= 0; other++)
		if (other->fd < 0 || other->turn < r->turn)
			r = other;
	reader_close(r);
	*r = (struct http_reader) { .fd = fd, .turn = http->turn };
	if (!watch(http, EPOLL_CTL_ADD, fd, EPOLLIN))
		reader_close(r);
}

/* Whether nothing was sent or received because the call would have to wait. */
static bool would_wait(ssize_t n)
{
	return n < 0 && (errno == EAGAIN || errno == EINTR);
}

/* Reads up to the empty line that ends a request. Returns whether it is complete. */
static bool read_request(const struct http *http, struct http_reader *r)
{
	size_t room = sizeof(r->request) - 1 - r->request_len;
	ssize_t n = recv(r->fd, r->request + r->request_len, room, 0);

	if (would_wait(n))
		return false;
	if (n > 0) {
		r->turn = http->turn;
		r->request_len += (size_t)n;
		r->request[r->request_len] = '\0';
		if (strstr(r->request, "\r\n\r\n"))
			return true;
	}
	if (n <= 0 || (size_t)n == room)
		reader_close(r);
	return false;
}

/* Whether the path behind the method is that of the page; a query is ignored. */
static bool is_page(const char *path)
{
	static const char page[] = "/metrics";
	size_t len = sizeof(page) - 1;

	return !strncmp(path, page, len) && (path[len] == ' ' || path[len] == '?');
}

static int make_answer(struct http_reader *r, http_page_fn page, void *arg)
{
	static const char elsewhere[] = "the metrics are at /metrics\n";
	bool get = !strncmp(r->request, "GET ", 4), head = !strncmp(r->request, "HEAD ", 5);
	bool found = (get && is_page(r->request + 4)) || (head && is_page(r->request + 5));
	size_t len = sizeof(elsewhere) - 1;
	char *text = NULL;
	FILE *to;
	int ret = found ? page(arg, &text, &len) : 0;

	if (ret)
		return ret;
	to = open_memstream(&r->answer, &r->answer_len);
	if (to) {
		fprintf(to, "HTTP/1.1 %s\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n",
			found ? "200 OK" : "404 Not Found", len);
		if (!head)
			fwrite(found ? text : elsewhere, 1, len, to);
		if (fclose(to)) {
			free(r->answer);
			r->answer = NULL;
		}
	}
	free(text);
	return 0;
}

static void send_answer(const struct http *http, struct http_reader *r)
{
	ssize_t n = send(r->fd, r->answer + r->sent, r->answer_len - r->sent, MSG_NOSIGNAL);

	if (would_wait(n))
		return;
	if (n > 0) {
		r->turn = http->turn;
		r->sent += (size_t)n;
	}
	if (n <= 0 || r->sent == r->answer_len)
		reader_close(r);
}

static int reader_go_on(const struct http *http, struct http_reader *r, http_page_fn page,
			void *arg)
{
	int ret = 0;

	if (!r->answer && read_request(http, r)) {
		ret = make_answer(r, page, arg);
		if (!r->answer || !watch(http, EPOLL_CTL_MOD, r->fd, EPOLLOUT))
			reader_close(r);
	}
	if (r->answer)
		send_answer(http, r);
	return ret;
}

int http_serve(struct http *http, http_page_fn page, void *arg)
{
	size_t i;
	int ret = 0;

	http->turn++;
	for (i = 0; i < HTTP_READERS && !ret; i++)
		if (http->readers[i].fd >= 0)
			ret = reader_go_on(http, &http->readers[i], page, arg);
	/* Last: a request that has come is answered before its reader could make room. */
	if (!ret)
		reader_accept(http);
	return ret;
}

void http_close(struct http *http)
{
	size_t i;

	for (i = 0; i < HTTP_READERS; i++)
		reader_close(&http->readers[i]);
	if (http->listen >= 0)
		close(http->listen);
	if (http->poll >= 0)
		close(http->poll);
}
