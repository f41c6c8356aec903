/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_CORE_NETLINK_NOTIFY_H
#define _TAPMOD_CORE_NETLINK_NOTIFY_H

#include <linux/types.h>

struct genl_family;
struct genl_ops;
struct nla_policy;
struct sk_buff;
struct tapmod_change;
struct tapmod_probe;
struct tapmod_session;

#ifdef CONFIG_NET
extern struct genl_family tap_genl_family;

int tapmod_put_u64(struct sk_buff *skb, int attr, u64 value);
int tap_put_who(struct sk_buff *skb, const struct tapmod_session *session);
int tap_put_name(struct sk_buff *skb, const struct tapmod_probe *probe);
int tap_netlink_register(const struct genl_ops *ops, u8 nr,
			 const struct nla_policy *policy);
void tap_netlink_exit(void);
void tap_netlink_notice(struct tapmod_session *session,
			const struct tapmod_probe *probe,
			const struct tapmod_change *change);
#else
static inline void tap_netlink_exit(void)
{
}

static inline void tap_netlink_notice(struct tapmod_session *session,
				      const struct tapmod_probe *probe,
				      const struct tapmod_change *change)
{
}
#endif

#endif /* _TAPMOD_CORE_NETLINK_NOTIFY_H */
