/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What the rest of this room needs of a session. Private to libtap.
 */
#ifndef _TAP_SESSION_SESSION_H
#define _TAP_SESSION_SESSION_H

#include <libtap.h>

struct tap_stacks;

struct tap_stacks *tap_session_stacks(struct tap_session *session);
int tap_session_budget_ioctl(struct tap_session *session, struct tap_budget *budget);
int tap_session_stack_same(struct tap_session *session, __u64 *id);

#endif /* _TAP_SESSION_SESSION_H */
