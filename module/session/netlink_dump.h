/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_SESSION_NETLINK_DUMP_H
#define _TAPMOD_SESSION_NETLINK_DUMP_H

#ifdef CONFIG_NET
int tap_netlink_dump_init(void);
#else
static inline int tap_netlink_dump_init(void)
{
	return 0;
}
#endif

#endif /* _TAPMOD_SESSION_NETLINK_DUMP_H */
