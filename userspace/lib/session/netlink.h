/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The generic netlink family of the module: dumps, and notices as they come.
 *
 * It is spoken by hand: there is little to say, and of libmnl there is no archive
 * in Debian, of which the static tap could be made.
 */
#ifndef _TAP_SESSION_NETLINK_H
#define _TAP_SESSION_NETLINK_H

#include <linux/netlink.h>
#include <linux/tap_netlink.h>

#include "util/util.h"

struct tap_netlink;

/**
 * struct tap_netlink_message - a message, where it lies
 * @command: enum tap_netlink_command
 * @attrs: by enum tap_netlink_attr; NULL for each that it lacks
 */
struct tap_netlink_message {
	__u8 command;
	const struct nlattr *attrs[TAP_ATTR_MAX + 1];
};

/**
 * typedef tap_netlink_fn - gets a message
 * @arg: as handed in
 * @msg: valid during the call
 *
 * Return: 0, or -errno to end with.
 */
typedef int (*tap_netlink_fn)(void *arg, const struct tap_netlink_message *msg);

/**
 * tap_netlink_open() - open a socket and find the family
 * @nl: set on success; end it with tap_netlink_close()
 * @err: the sentence on failure
 *
 * Return: 0 or -errno.
 */
int tap_netlink_open(struct tap_netlink **nl, struct tap_error *err);

/**
 * tap_netlink_close() - close it
 * @nl: may be NULL
 */
void tap_netlink_close(struct tap_netlink *nl);

/**
 * tap_netlink_fd() - what is readable when there are notices
 * @nl: that joined
 *
 * Return: the socket.
 */
int tap_netlink_fd(const struct tap_netlink *nl);

/**
 * tap_netlink_dump() - ask for all sessions, or all probes
 * @nl: that did not join
 * @command: which
 * @fn: gets each of them
 * @arg: handed to it
 * @err: the sentence on failure
 *
 * Return: 0 or -errno; what @fn returned ends it.
 */
int tap_netlink_dump(struct tap_netlink *nl, enum tap_netlink_command command,
		     tap_netlink_fn fn, void *arg, struct tap_error *err);

/**
 * tap_netlink_join() - listen to notices from here on
 * @nl: a socket, which is of no use for dumps then
 * @err: the sentence on failure
 *
 * Return: 0 or -errno.
 */
int tap_netlink_join(struct tap_netlink *nl, struct tap_error *err);

/**
 * tap_netlink_read() - take the notices that there are; waits for none
 * @nl: that joined
 * @fn: gets each of them
 * @arg: handed to it
 * @err: the sentence on failure
 *
 * Return: 0; -ENOBUFS: some were lost before those that come next; -ENODEV: the
 * module was unloaded; another -errno.
 */
int tap_netlink_read(struct tap_netlink *nl, tap_netlink_fn fn, void *arg,
		     struct tap_error *err);

/**
 * tap_netlink_number() - a number of a message
 * @msg: a message
 * @attr: enum tap_netlink_attr
 *
 * Return: of 32 or 64 bits; 0 if it lacks it.
 */
__u64 tap_netlink_number(const struct tap_netlink_message *msg,
			 enum tap_netlink_attr attr);

/**
 * tap_netlink_text() - a string of a message
 * @msg: a message
 * @attr: enum tap_netlink_attr
 *
 * Return: the string, "" if it lacks it; not fit for a terminal.
 */
const char *tap_netlink_text(const struct tap_netlink_message *msg,
			     enum tap_netlink_attr attr);

#endif /* _TAP_SESSION_NETLINK_H */
