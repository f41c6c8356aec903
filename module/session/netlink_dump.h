/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAP_NETLINK_H
#define _TAP_NETLINK_H

#include "core/notify.h"

#ifdef CONFIG_NET
int tap_netlink_init(void);
void tap_netlink_exit(void);
void tap_netlink_notice(struct tap_session *session,
			const struct tap_probe *probe,
			const struct tap_change *change);
#else
static inline int tap_netlink_init(void)
{
	return 0;
}

static inline void tap_netlink_exit(void)
{
}

static inline void tap_netlink_notice(struct tap_session *session,
				      const struct tap_probe *probe,
				      const struct tap_change *change)
{
}
#endif

#endif /* _TAP_NETLINK_H */
