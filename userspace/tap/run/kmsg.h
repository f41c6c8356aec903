/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The levels and devices of the events printk: no tracepoint has them. /dev/kmsg has, and the same
 * text.
 */
#ifndef _TOOL_RUN_KMSG_H
#define _TOOL_RUN_KMSG_H

#include "tool.h"

struct kmsg;

/**
 * kmsg_open() - read the messages from now on
 * @probes: of the run, not enabled yet
 * @json: kmsg_put() writes JSON
 *
 * An error is printed: then events have no level and no device.
 *
 * Return: NULL also if none of @probes is printk.
 */
struct kmsg *kmsg_open(const struct tap_probes *probes, bool json);

/**
 * kmsg_put() - @more of struct tap_formatter_opts
 * @kmsg: a struct kmsg
 * @ev: an event
 * @buf: given the level and the device, if the message of the event is found
 * @size: bytes at @buf
 *
 * Return: bytes written.
 */
size_t kmsg_put(void *kmsg, const struct tap_event *ev, char *buf, size_t size);

void kmsg_close(struct kmsg *kmsg);

/**
 * struct kmsg_message - a record of /dev/kmsg
 * @text: the message
 * @len: of @text; 0: the place is free
 * @level: 0 to 7
 * @device: e.g. "+pci:0000:00:1f.2"; "" if it has none
 */
struct kmsg_message {
	char text[1024];
	size_t len;
	unsigned int level;
	char device[64];
};

/**
 * kmsg_parse() - read a record
 * @m: filled in
 * @record: as read() gives it, with a final 0
 *
 * Return: whether it is one with a text.
 */
bool kmsg_parse(struct kmsg_message *m, const char *record);

/**
 * kmsg_matches() - whether an event has the text of a message
 * @m: the message
 * @text: of the event
 * @len: of @text
 * @cut: @text is the start of a longer one
 *
 * Before 5.19 the text of an event begins with the time, in brackets.
 *
 * Return: true if it has.
 */
bool kmsg_matches(const struct kmsg_message *m, const char *text, size_t len, bool cut);

#endif /* _TOOL_RUN_KMSG_H */
