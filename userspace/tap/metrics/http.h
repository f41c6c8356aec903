/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A server of one page, /metrics, for one reader at a time.
 */
#ifndef _TOOL_METRICS_HTTP_H
#define _TOOL_METRICS_HTTP_H

#include "tool.h"

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
 * http_listen() - open the port
 * @text: ADDRESS:PORT; without ADDRESS it is 127.0.0.1
 * @err: the error message on failure
 *
 * Return: a descriptor that is readable when a reader came, or -errno.
 */
int http_listen(const char *text, struct tap_error *err);

/**
 * http_serve() - answer the reader that came, if there is one; takes 2 s at most
 * @fd: from http_listen()
 * @page: makes the page
 * @arg: of @page
 *
 * A reader that is too slow or says something else gets no page.
 *
 * Return: 0, or what @page returned.
 */
int http_serve(int fd, http_page_fn page, void *arg);

#endif /* _TOOL_METRICS_HTTP_H */
