/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAP_COMPAT_NET_GENETLINK_H
#define _TAP_COMPAT_NET_GENETLINK_H

#include_next <net/genetlink.h>
#include <linux/version.h>

/* Only tasks with CAP_SYS_ADMIN may join the group; 5.10 has a bit instead of the flag. */
#ifdef GENL_MCAST_CAP_SYS_ADMIN
#define TAP_GENL_GROUP_ADMIN	.flags = GENL_MCAST_CAP_SYS_ADMIN
#else
#define TAP_GENL_GROUP_ADMIN	.cap_sys_admin = 1
#endif

/* The attributes of a dump's request, indexed by enum tap_netlink_attr. */
static inline struct nlattr **tap_genl_dump_attrs(struct netlink_callback *cb)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
	return genl_info_dump(cb)->attrs;
#else
	return genl_dumpit_info(cb)->attrs;
#endif
}

#endif /* _TAP_COMPAT_NET_GENETLINK_H */
