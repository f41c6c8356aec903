/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_SESSION_NETLINK_CONTROL_H
#define _TAPMOD_SESSION_NETLINK_CONTROL_H

struct genl_info;
struct sk_buff;
struct tapmod_session;

/* Retries of mutex_trylock(), of 0.5 to 1 ms each, in a command or in one part of a dump. */
#define TAP_NETLINK_PATIENCE	20

bool tap_netlink_lock(struct tapmod_session *session, unsigned int *patience);
int tap_netlink_control(struct sk_buff *skb, struct genl_info *info);

#endif /* _TAPMOD_SESSION_NETLINK_CONTROL_H */
