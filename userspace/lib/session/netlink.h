/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * The generic netlink family of the module: dumps, and notices as they arrive.
 */
#ifndef _TAP_SESSION_NETLINK_H
#define _TAP_SESSION_NETLINK_H

#include <linux/netlink.h>
#include <linux/tap_netlink.h>

#include "util/util.h"

struct tap_netlink;

/**
 * struct tap_netlink_message - a message in the buffer of its socket
 * @command: enum tap_netlink_command
 * @attrs: its attributes by enum tap_netlink_attr, NULL where it has none; as long as
 *	they claim to be, but of any length and content
 */
struct tap_netlink_message {
	__u8 command;
	const struct nlattr *attrs[TAP_ATTR_MAX + 1];
};

/**
 * typedef tap_netlink_fn - takes a message
 * @arg: what the caller passed with the function
 * @msg: valid during the call
 *
 * Return: 0, or -errno, which ends the reading and is returned by it.
 */
typedef int (*tap_netlink_fn)(void *arg, const struct tap_netlink_message *msg);

/**
 * tap_netlink_open() - open a socket and find the family
 * @nl: set on success; to be closed by tap_netlink_close()
 * @err: the error message on failure
 *
 * Return: 0 or -errno.
 */
int tap_netlink_open(struct tap_netlink **nl, struct tap_error *err);

/**
 * tap_netlink_close() - close a socket and free it
 * @nl: may be NULL
 */
void tap_netlink_close(struct tap_netlink *nl);

/**
 * tap_netlink_fd() - the descriptor to poll for notices
 * @nl: a socket after tap_netlink_join()
 *
 * Return: the descriptor, which stays @nl's.
 */
int tap_netlink_fd(const struct tap_netlink *nl);

/**
 * tap_netlink_dump() - ask for all sessions, or all probes
 * @nl: a socket on which tap_netlink_join() was not called
 * @command: TAP_NETLINK_SESSIONS or TAP_NETLINK_PROBES
 * @fn: called for each of them
 * @arg: passed to @fn
 * @err: the error message on failure
 *
 * Return: 0 or -errno, of @fn as well.
 */
int tap_netlink_dump(struct tap_netlink *nl, enum tap_netlink_command command,
		     tap_netlink_fn fn, void *arg, struct tap_error *err);

/**
 * tap_netlink_join() - listen to notices from now on
 * @nl: a socket, which must not be used for dumps afterwards
 * @err: the error message on failure
 *
 * Return: 0 or -errno.
 */
int tap_netlink_join(struct tap_netlink *nl, struct tap_error *err);

/**
 * tap_netlink_read() - read the notices that have arrived, without waiting
 * @nl: a socket after tap_netlink_join()
 * @fn: called for each of them
 * @arg: passed to @fn
 * @err: the error message on failure
 *
 * Return: 0; -ENOBUFS: some were lost before those that the next call reads; -ENODEV:
 * the module was unloaded; another -errno.
 */
int tap_netlink_read(struct tap_netlink *nl, tap_netlink_fn fn, void *arg,
		     struct tap_error *err);

/**
 * tap_netlink_number() - read an attribute that is a number
 * @msg: a message
 * @attr: which
 *
 * Return: a number of 16, 32 or 64 bits; 0 if @msg has none or it is of another size.
 */
__u64 tap_netlink_number(const struct tap_netlink_message *msg,
			 enum tap_netlink_attr attr);

/**
 * tap_netlink_text() - read an attribute that is a string
 * @msg: a message
 * @attr: which
 *
 * Return: the string, "" if @msg has none or it does not end with a 0 byte; it may
 * hold any byte, so it is not fit for a terminal.
 */
const char *tap_netlink_text(const struct tap_netlink_message *msg,
			     enum tap_netlink_attr attr);

#endif /* _TAP_SESSION_NETLINK_H */
