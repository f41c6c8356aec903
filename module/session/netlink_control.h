/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_SESSION_NETLINK_CONTROL_H
#define _TAPMOD_SESSION_NETLINK_CONTROL_H

struct genl_info;
struct sk_buff;

int tap_netlink_control(struct sk_buff *skb, struct genl_info *info);

#endif /* _TAPMOD_SESSION_NETLINK_CONTROL_H */
