// SPDX-License-Identifier: GPL-2.0
/*
 * Dumps of all sessions and their probes, by generic netlink. Permissions: see
 * uapi/linux/tap_netlink.h.
 *
 * Order of locks: the socket's dump lock (the family has parallel_ops, so no other
 * family waits for a dump), then a session's lock, only with mutex_trylock(). The session
 * stays because of tap_sessions_get(): no lock of all sessions is held meanwhile.
 *
 * A dump holds a reference to the module. A socket that listens does not: generic
 * netlink's "notify" group reports to it that the family is gone.
 */
#include <linux/delay.h>
#include <linux/pid_namespace.h>
#include <linux/tap_netlink.h>
#include <net/genetlink.h>

#include "core/netlink_notify.h"
#include "core/probe.h"
#include "core/session.h"
#include "session/netlink_control.h"
#include "session/netlink_dump.h"
#include "session/session_ops.h"

/**
 * struct tap_dump - the position of a dump, kept between its parts
 * @next: id of the next session to report
 * @last: id of the last session to report; U64_MAX: no limit
 * @probe: id of the next probe of @next to report
 */
struct tap_dump {
	u64 next;
	u64 last;
	unsigned long probe;
};

static struct tap_dump *tap_dump_of(struct netlink_callback *cb)
{
	BUILD_BUG_ON(sizeof(struct tap_dump) > sizeof(cb->ctx));
	return (struct tap_dump *)cb->ctx;
}

static int tap_put_sums(struct sk_buff *skb, const struct tap_sums *sums)
{
	const u64 *word = (const u64 *)&sums->counters;
	int attr, ret;

	/* TAP_ATTR_HITS and what follows have the order of struct tap_counters. */
	BUILD_BUG_ON(offsetof(struct tap_counters, throttled) !=
		     (TAP_ATTR_THROTTLED - TAP_ATTR_HITS) * sizeof(u64));
	for (attr = TAP_ATTR_HITS; attr <= TAP_ATTR_THROTTLED; attr++) {
		ret = tapmod_put_u64(skb, attr, word[attr - TAP_ATTR_HITS]);
		if (ret)
			return ret;
	}
	return tapmod_put_u64(skb, TAP_ATTR_MISSED, sums->nmissed) ?:
	       tapmod_put_u64(skb, TAP_ATTR_MISSED_RETURN, sums->nmissed_return);
}

static int tap_put_probe(struct sk_buff *skb, struct tapmod_probe *probe)
{
	struct tap_sums sums = {};

	tap_probe_sum(probe, cpu_possible_mask, &sums);
	return tap_put_name(skb, probe) ?:
	       nla_put_u32(skb, TAP_ATTR_STATE, tap_probe_state(probe)) ?:
	       nla_put_u32(skb, TAP_ATTR_MAXACTIVE,
			   tap_probe_maxactive(probe)) ?:
	       tap_put_sums(skb, &sums);
}

/* Number of probes and sums of a session, under its lock. */
static int tap_put_probes(struct sk_buff *skb, struct tapmod_session *session)
{
	struct tap_sums sums = {};
	struct tapmod_probe *probe;
	unsigned long i;

	xa_for_each(&session->probes, i, probe) {
		tap_probe_sum(probe, cpu_possible_mask, &sums);
		cond_resched();
	}
	return nla_put_u32(skb, TAP_ATTR_PROBES, session->nr_probes) ?:
	       tap_put_sums(skb, &sums);
}

static void *tap_dump_begin(struct sk_buff *skb, struct netlink_callback *cb,
			    u8 command)
{
	return genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
			   &tap_genl_family, NLM_F_MULTI, command);
}

/* Ends a message. If it did not fit, cancels it and returns false. */
static bool tap_dump_end(struct sk_buff *skb, void *header, int ret)
{
	if (ret)
		genlmsg_cancel(skb, header);
	else
		genlmsg_end(skb, header);
	return !ret;
}

static bool tap_dump_session(struct sk_buff *skb, struct netlink_callback *cb,
			     struct tapmod_session *session, unsigned int *patience)
{
	void *header = tap_dump_begin(skb, cb, TAP_NETLINK_SESSIONS);
	int ret;

	if (!header)
		return false;
	ret = tap_put_who(skb, session) ?:
	      tapmod_put_u64(skb, TAP_ATTR_RING_BYTES,
			     tap_rings_bytes(&session->rings) +
			     tap_rings_bytes(&session->spare));
	if (!tap_netlink_lock(session, patience)) {
		ret = ret ?: nla_put_flag(skb, TAP_ATTR_BUSY);
	} else {
		ret = ret ?: tap_put_probes(skb, session);
		mutex_unlock(&session->lock);
	}
	return tap_dump_end(skb, header, ret);
}

static int tap_netlink_sessions(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct tap_dump *dump = tap_dump_of(cb);
	unsigned int patience = TAP_NETLINK_PATIENCE;
	struct tapmod_session *session;
	bool fits;
	u64 id;

	while ((session = tap_sessions_get(dump->next, dump->last))) {
		id = session->id;
		fits = tap_dump_session(skb, cb, session, &patience);
		tap_sessions_put(session);
		if (!fits)
			return skb->len ?: -EMSGSIZE;
		dump->next = id + 1;
	}
	return skb->len;
}

/* Puts a message about a probe; NULL: that the session is busy. */
static bool tap_dump_probe(struct sk_buff *skb, struct netlink_callback *cb,
			   struct tapmod_session *session, struct tapmod_probe *probe)
{
	void *header = tap_dump_begin(skb, cb, TAP_NETLINK_PROBES);

	return header &&
	       tap_dump_end(skb, header,
			    tapmod_put_u64(skb, TAP_ATTR_SESSION, session->id) ?:
			    (probe ? tap_put_probe(skb, probe) :
				     nla_put_flag(skb, TAP_ATTR_BUSY)));
}

static bool tap_dump_probes(struct sk_buff *skb, struct netlink_callback *cb,
			    struct tapmod_session *session, unsigned int *patience)
{
	struct tap_dump *dump = tap_dump_of(cb);
	struct tapmod_probe *probe;
	bool fits = true;

	if (!tap_netlink_lock(session, patience))
		return tap_dump_probe(skb, cb, session, NULL);
	xa_for_each_start(&session->probes, dump->probe, probe, dump->probe) {
		fits = tap_dump_probe(skb, cb, session, probe);
		if (!fits)
			break;
	}
	mutex_unlock(&session->lock);
	return fits;
}

static int tap_netlink_probes(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct tap_dump *dump = tap_dump_of(cb);
	unsigned int patience = TAP_NETLINK_PATIENCE;
	struct tapmod_session *session;
	bool fits;

	while ((session = tap_sessions_get(dump->next, dump->last))) {
		/* The session at which the last part ended was closed; start with the next. */
		if (session->id != dump->next)
			dump->probe = 0;
		dump->next = session->id;
		fits = tap_dump_probes(skb, cb, session, &patience);
		tap_sessions_put(session);
		if (!fits)
			return skb->len ?: -EMSGSIZE;
		dump->next++;
		dump->probe = 0;
	}
	return skb->len;
}

static int tap_netlink_start(struct netlink_callback *cb)
{
	const struct nlattr *session = tap_genl_dump_attrs(cb)[TAP_ATTR_SESSION];
	struct tap_dump *dump = tap_dump_of(cb);

	/* As in tap_open(): other pid namespaces must not see the ids of these tasks. */
	if (task_active_pid_ns(current) != &init_pid_ns)
		return -EPERM;
	dump->next = session ? nla_get_u64(session) : 1;
	dump->last = session ? dump->next : U64_MAX;
	return 0;
}

/* Commands accept no other attribute. */
static const struct nla_policy tap_netlink_policy[TAP_ATTR_MAX + 1] = {
	[TAP_ATTR_SESSION] = NLA_POLICY_MIN(NLA_U64, 1),
};

/* Those for probes also accept one. */
static const struct nla_policy tap_probe_policy[TAP_ATTR_MAX + 1] = {
	[TAP_ATTR_SESSION] = NLA_POLICY_MIN(NLA_U64, 1),
	[TAP_ATTR_PROBE] = { .type = NLA_U32 },
};

static const struct genl_ops tap_netlink_ops[] = {
	{
		.cmd		= TAP_NETLINK_SESSIONS,
		.flags		= GENL_ADMIN_PERM,
		.start		= tap_netlink_start,
		.dumpit		= tap_netlink_sessions,
	},
	{
		.cmd		= TAP_NETLINK_PROBES,
		.flags		= GENL_ADMIN_PERM,
		.start		= tap_netlink_start,
		.dumpit		= tap_netlink_probes,
	},
	{
		.cmd		= TAP_NETLINK_WINDOW,
		.flags		= GENL_ADMIN_PERM,
		.doit		= tap_netlink_control,
	},
	{
		.cmd		= TAP_NETLINK_ENABLE,
		.flags		= GENL_ADMIN_PERM,
		.policy		= tap_probe_policy,
		.maxattr	= TAP_ATTR_MAX,
		.doit		= tap_netlink_control,
	},
	{
		.cmd		= TAP_NETLINK_DISABLE,
		.flags		= GENL_ADMIN_PERM,
		.policy		= tap_probe_policy,
		.maxattr	= TAP_ATTR_MAX,
		.doit		= tap_netlink_control,
	},
};

int __init tap_netlink_dump_init(void)
{
	return tap_netlink_register(tap_netlink_ops, ARRAY_SIZE(tap_netlink_ops),
				    tap_netlink_policy);
}
