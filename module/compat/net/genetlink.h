/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAP_COMPAT_NET_GENETLINK_H
#define _TAP_COMPAT_NET_GENETLINK_H

#include_next <net/genetlink.h>
#include <linux/version.h>

/*
 * Only tasks with CAP_SYS_ADMIN may join the group. Some kernels have a bit instead of the
 * flag. Stable releases got that bit in December 2023; Kbuild looks for it in the kernel's
 * headers, since the version of a vendor's kernel does not tell. Without it, tasks with
 * CAP_NET_ADMIN may join, as they may read the dumps. That is the capability in the initial
 * user namespace: notices are sent to sockets of the initial network namespace alone.
 */
#if defined(GENL_MCAST_CAP_SYS_ADMIN)
#define TAP_GENL_GROUP_ADMIN	.flags = GENL_MCAST_CAP_SYS_ADMIN
#elif defined(TAP_GENL_HAS_CAP_SYS_ADMIN)
#define TAP_GENL_GROUP_ADMIN	.cap_sys_admin = 1
#else
#define TAP_GENL_GROUP_ADMIN	.flags = GENL_UNS_ADMIN_PERM
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
