/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Error messages for which the session is asked why.
 */
#ifndef _TAP_SESSION_IOCTL_ERROR_H
#define _TAP_SESSION_IOCTL_ERROR_H

#include <libtap.h>

/**
 * tap_explain_memory() - explain an ENOMEM if the module parameter memory_max is its cause
 * @err: filled in on success
 * @session: its last TAP_IOC_SETUP or TAP_IOC_CREATE failed with ENOMEM
 * @what: what the error message is about
 * @less: what the user can take, to need less memory
 *
 * Return: whether it is the cause.
 */
bool tap_explain_memory(struct tap_error *err, struct tap_session *session, const char *what,
			const char *less);

#endif /* _TAP_SESSION_IOCTL_ERROR_H */
