/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAP_NOTICE_H
#define _TAP_NOTICE_H

#include <linux/tap_record.h>
#include <linux/types.h>

#include "netlink.h"

struct tap_probe;
struct tap_session;

/**
 * struct tap_event - what became of a probe or a session
 * @what: see there
 * @since: raw time of about when what it ends began; or of itself
 * @count: as enum tap_notice has it, or 0
 * @size: as enum tap_notice has it, or 0
 */
struct tap_event {
	enum tap_notice what;
	u64 since;
	u64 count;
	u64 size;
};

/**
 * tap_notice() - tell of it, in the session's stream and to all who listen
 * @session: whose it is
 * @probe: of which it is told, or NULL: of the session
 * @event: what
 *
 * Context: process, may sleep; the session is not being closed.
 */
static inline void tap_notice(struct tap_session *session,
			      const struct tap_probe *probe,
			      const struct tap_event *event)
{
	tap_netlink_notice(session, probe, event);
}

#endif /* _TAP_NOTICE_H */
