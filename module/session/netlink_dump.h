/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_SESSION_NETLINK_DUMP_H
#define _TAPMOD_SESSION_NETLINK_DUMP_H

#include "core/notify.h"

#ifdef CONFIG_NET
int tap_netlink_init(void);
void tap_netlink_exit(void);
void tap_netlink_notice(struct tapmod_session *session,
			const struct tapmod_probe *probe,
			const struct tapmod_change *change);
#else
static inline int tap_netlink_init(void)
{
	return 0;
}

static inline void tap_netlink_exit(void)
{
}

static inline void tap_netlink_notice(struct tapmod_session *session,
				      const struct tapmod_probe *probe,
				      const struct tapmod_change *change)
{
}
#endif

#endif /* _TAPMOD_SESSION_NETLINK_DUMP_H */
