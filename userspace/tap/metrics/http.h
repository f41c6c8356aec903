/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A server of one page, /metrics.
 */
#ifndef _TOOL_METRICS_HTTP_H
#define _TOOL_METRICS_HTTP_H

#include "tool.h"

/* Readers that are connected at the same time. */
#define HTTP_READERS	16

/**
 * struct http_reader - one that is connected
 * @fd: its socket; -1: this one is free
 * @request: what has come of the request, with a final 0
 * @request_len: bytes of @request
 * @answer: NULL until the request is complete
 * @answer_len: bytes of @answer
 * @sent: how many of them were sent
 * @turn: of the server, when the last bytes came or went
 */
struct http_reader {
	int fd;
	char request[8192];
	size_t request_len;
	char *answer;
	size_t answer_len;
	size_t sent;
	uint64_t turn;
};

/**
 * struct http - a server
 * @poll: of epoll: is readable when http_serve() has something to do
 * @listen: the port
 * @turn: counts calls of http_serve()
 * @readers: those who are connected
 */
struct http {
	int poll;
	int listen;
	uint64_t turn;
	struct http_reader readers[HTTP_READERS];
};

/* Makes the page: sets text, which is freed, and its bytes. Returns 0 or -errno. */
typedef int (*http_page_fn)(void *arg, char **text, size_t *len);

/**
 * http_is_address() - whether a text is ADDRESS:PORT, and not the name of a file
 * @text: ":9100", "127.0.0.1:9100", "[::1]:9100"
 *
 * Return: true if it has no slash and ends in a colon and a number.
 */
bool http_is_address(const char *text);

/**
 * http_open() - open the port
 * @http: filled in; end it with http_close() even on failure
 * @text: ADDRESS:PORT; without ADDRESS it is 127.0.0.1
 * @err: the error message on failure
 *
 * Return: 0 or -errno.
 */
int http_open(struct http *http, const char *text, struct tap_error *err);

/**
 * http_serve() - go on with each reader that is ready, and take the next one; does not wait
 * @http: the server
 * @page: makes the page
 * @arg: of @page
 *
 * If all places are taken, the reader that was silent for the longest time loses its place. So
 * readers that send nothing keep nobody out.
 *
 * Return: 0, or what @page returned.
 */
int http_serve(struct http *http, http_page_fn page, void *arg);

/**
 * http_close() - close the port, and all connections
 * @http: the server
 */
void http_close(struct http *http);

#endif /* _TOOL_METRICS_HTTP_H */
