/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * All sessions of the machine, as the module reports them by generic netlink. Included by
 * libtap.h, which has the conventions.
 */
#ifndef _LIBTAP_NETLINK_H
#define _LIBTAP_NETLINK_H

#include <linux/netlink.h>
#include <linux/tap_netlink.h>

#include <libtap/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct tap_netlink - a netlink socket: all sessions of the machine, and notices about them
 *
 * The module need not be opened for it. tap monitor is such a program.
 */
struct tap_netlink;

/**
 * struct tap_netlink_message - a message in the buffer of its socket
 * @command: enum tap_netlink_command
 * @attrs: its attributes by enum tap_netlink_attr, NULL where it has none. Each lies in the
 *	buffer as a whole; its length and content are not checked. tap_netlink_number() and
 *	tap_netlink_text() check them
 *
 * The library makes it and hands a const pointer to a tap_netlink_fn. Later versions may make
 * @attrs longer.
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
LIBTAP_API int tap_netlink_open(struct tap_netlink **nl, struct tap_error *err);

/**
 * tap_netlink_close() - close a socket and free it
 * @nl: may be NULL
 */
LIBTAP_API void tap_netlink_close(struct tap_netlink *nl);

/**
 * tap_netlink_fd() - the descriptor to poll for notices
 * @nl: a socket after tap_netlink_join()
 *
 * Return: the descriptor, which stays @nl's.
 */
LIBTAP_API int tap_netlink_fd(const struct tap_netlink *nl);

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
LIBTAP_API int tap_netlink_dump(struct tap_netlink *nl,
				enum tap_netlink_command command,
				tap_netlink_fn fn, void *arg,
				struct tap_error *err);

/**
 * tap_netlink_control() - give a command to the session of another process
 * @nl: a socket on which tap_netlink_join() was not called
 * @command: TAP_NETLINK_WINDOW
 * @session: id of the session
 * @err: the error message on failure
 *
 * Return: 0; -ENXIO: there is no such session; another -errno of @command.
 */
LIBTAP_API int tap_netlink_control(struct tap_netlink *nl,
				   enum tap_netlink_command command,
				   __u64 session, struct tap_error *err);

/**
 * tap_netlink_control_probe() - give a command to a probe of the session of another process
 * @nl: a socket on which tap_netlink_join() was not called
 * @command: TAP_NETLINK_ENABLE or TAP_NETLINK_DISABLE
 * @session: id of the session
 * @probe: id of the probe; 0: all
 * @err: the error message on failure
 *
 * A session that is busy with another command is asked again for about ten seconds, signals
 * included.
 *
 * Return: 0; -ENXIO: there is no such session; -ENOENT: no such probe; -EAGAIN: the session is
 *	busy; another -errno.
 */
LIBTAP_API int tap_netlink_control_probe(struct tap_netlink *nl,
					 enum tap_netlink_command command, __u64 session,
					 __u32 probe, struct tap_error *err);

/**
 * tap_netlink_join() - listen to notices from now on
 * @nl: a socket, which must not be used for dumps afterwards
 * @err: the error message on failure
 *
 * Return: 0 or -errno.
 */
LIBTAP_API int tap_netlink_join(struct tap_netlink *nl, struct tap_error *err);

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
LIBTAP_API int tap_netlink_read(struct tap_netlink *nl, tap_netlink_fn fn,
				void *arg, struct tap_error *err);

/**
 * tap_netlink_number() - read an attribute that is a number
 * @msg: a message
 * @attr: which
 *
 * Return: a number of 16, 32 or 64 bits; 0 if @msg has none or it is of another size.
 */
LIBTAP_API __u64 tap_netlink_number(const struct tap_netlink_message *msg,
				    enum tap_netlink_attr attr);

/**
 * tap_netlink_text() - read an attribute that is a string
 * @msg: a message
 * @attr: which
 *
 * Return: the string, "" if @msg has none or it does not end with a 0 byte; it may
 * hold any byte, so it is not fit for a terminal.
 */
LIBTAP_API const char *tap_netlink_text(const struct tap_netlink_message *msg,
					enum tap_netlink_attr attr);

#ifdef __cplusplus
}
#endif

#endif /* _LIBTAP_NETLINK_H */
