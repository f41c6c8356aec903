// SPDX-License-Identifier: GPL-2.0
/*
 * The generic netlink family, and the notices to the listeners of its multicast group.
 * session/netlink_dump.c has the family's commands and registers it.
 *
 * A notice may be sent with or without tap_sessions_lock and a session's lock held:
 * sending takes no lock that a dump holds.
 */
#include <linux/ctype.h>
#include <linux/init.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/tap_netlink.h>
#include <linux/timekeeping.h>
#include <net/genetlink.h>

#include "core/netlink_notify.h"
#include "core/probe.h"
#include "core/session.h"

static const struct genl_multicast_group tap_netlink_groups[] = {
	{ .name = TAP_NETLINK_GROUP, TAP_GENL_GROUP_ADMIN },
};

/* The kernel loads the module when somebody asks for the family. */
MODULE_ALIAS_GENL_FAMILY(TAP_NETLINK_NAME);

/* resv_start_op is 0: the kernel checks the reserved header field of all commands. */
struct genl_family tap_genl_family __ro_after_init = {
	.name		= TAP_NETLINK_NAME,
	.version	= TAP_NETLINK_VERSION,
	.maxattr	= TAP_ATTR_MAX,
	.parallel_ops	= true,
	.mcgrps		= tap_netlink_groups,
	.n_mcgrps	= ARRAY_SIZE(tap_netlink_groups),
	.module		= THIS_MODULE,
};

/**
 * tapmod_put_u64() - append a u64 attribute, aligned with TAP_ATTR_PAD
 * @skb: message that genlmsg_put() has begun
 * @attr: enum tap_netlink_attr
 * @value: in the unit that the UAPI has for @attr
 *
 * Return: 0, or -EMSGSIZE if @skb is full.
 */
int tapmod_put_u64(struct sk_buff *skb, int attr, u64 value)
{
	return nla_put_u64_64bit(skb, attr, value, TAP_ATTR_PAD);
}

/**
 * tap_put_who() - append TAP_ATTR_SESSION to TAP_ATTR_UPTIME
 * @skb: message that genlmsg_put() has begun
 * @session: need not be locked: these members do not change after the open
 *
 * Return: 0, or -EMSGSIZE if @skb is full.
 */
int tap_put_who(struct sk_buff *skb, const struct tapmod_session *session)
{
	return tapmod_put_u64(skb, TAP_ATTR_SESSION, session->id) ?:
	       nla_put_u32(skb, TAP_ATTR_PID, session->pid) ?:
	       nla_put_u32(skb, TAP_ATTR_UID, session->uid) ?:
	       nla_put_string(skb, TAP_ATTR_COMM, session->comm) ?:
	       tapmod_put_u64(skb, TAP_ATTR_UPTIME,
			      ktime_get_boottime_ns() - session->opened);
}

/**
 * tap_put_name() - append a probe's id, its type and, unless it is an address, its target
 * @skb: message that genlmsg_put() has begun
 * @probe: need not be locked: these members do not change; the caller keeps it alive
 *
 * Return: 0, or -EMSGSIZE if @skb is full.
 */
int tap_put_name(struct sk_buff *skb, const struct tapmod_probe *probe)
{
	int ret = nla_put_u32(skb, TAP_ATTR_PROBE, probe->id) ?:
		  nla_put_u32(skb, TAP_ATTR_TYPE, probe->type);

	/* Symbols do not begin with a digit: such a target is an address of the kernel. */
	if (probe->type == TAP_PROBE_WATCHPOINT && isdigit(*probe->name))
		return ret;
	return ret ?: nla_put_string(skb, TAP_ATTR_TARGET, probe->name);
}

/* Converts a raw time of the session to nanoseconds before now. */
static u64 tap_netlink_since(const struct tapmod_session *session, u64 since)
{
	u64 now = tap_clock_read(session->rings.clock);
	u32 mult, shift;

	tap_clock_scale(session->rings.khz, &mult, &shift);
	/* The raw clock of the CPU on which @since was read may be a little ahead of ours. */
	return (s64)(now - since) > 0 ?
	       mul_u64_u32_shr(now - since, mult, shift) : 0;
}

static int tap_put_change(struct sk_buff *skb, const struct tapmod_session *session,
			  const struct tapmod_probe *probe,
			  const struct tapmod_change *change)
{
	int ret = nla_put_u32(skb, TAP_ATTR_NOTICE, change->what) ?:
		  tapmod_put_u64(skb, TAP_ATTR_TIME, ktime_get_real_ns()) ?:
		  tapmod_put_u64(skb, TAP_ATTR_COUNT, change->count) ?:
		  tapmod_put_u64(skb, TAP_ATTR_SIZE, change->size);

	if (change->since)
		ret = ret ?: tapmod_put_u64(skb, TAP_ATTR_DURATION,
					    tap_netlink_since(session,
							      change->since));
	ret = ret ?: tap_put_who(skb, session);
	return probe ? ret ?: tap_put_name(skb, probe) : ret;
}

/**
 * tap_netlink_notice() - send a notice to the listeners of the group
 * @session: the session that the notice is about
 * @probe: the probe that changed; NULL if the session changed
 * @change: the notice
 *
 * A listener that does not read fast enough gets ENOBUFS. If the message cannot be
 * allocated, all listeners get ENOBUFS.
 *
 * Context: process, may sleep, with or without the session's lock.
 */
void tap_netlink_notice(struct tapmod_session *session,
			const struct tapmod_probe *probe,
			const struct tapmod_change *change)
{
	struct sk_buff *skb;
	void *header = NULL;

	if (!genl_has_listeners(&tap_genl_family, &init_net, 0))
		return;
	skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (skb)
		header = genlmsg_put(skb, 0, 0, &tap_genl_family, 0,
				     TAP_NETLINK_NOTICE);
	if (!header || tap_put_change(skb, session, probe, change)) {
		nlmsg_free(skb);
		genl_set_err(&tap_genl_family, &init_net, 0, 0, -ENOBUFS);
		return;
	}
	genlmsg_end(skb, header);
	genlmsg_multicast(&tap_genl_family, skb, 0, 0, GFP_KERNEL);
}

/**
 * tap_netlink_register() - register the family
 * @ops: its commands; must stay valid until tap_netlink_exit()
 * @nr: number of @ops
 * @policy: attributes that a request may have, %TAP_ATTR_MAX + 1 entries
 *
 * Context: module init.
 * Return: 0 or the error of genl_register_family().
 */
int __init tap_netlink_register(const struct genl_ops *ops, u8 nr,
				const struct nla_policy *policy)
{
	tap_genl_family.ops = ops;
	tap_genl_family.n_ops = nr;
	tap_genl_family.policy = policy;
	return genl_register_family(&tap_genl_family);
}

/**
 * tap_netlink_exit() - unregister the family
 *
 * Context: module exit, and module init after an error: no session exists. A dump holds a
 *	reference to the module, so none runs.
 */
void tap_netlink_exit(void)
{
	genl_unregister_family(&tap_genl_family);
}
