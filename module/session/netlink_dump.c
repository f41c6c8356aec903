// SPDX-License-Identifier: GPL-2.0
/*
 * The generic netlink family: dumps of all sessions and their probes, and
 * notices of what becomes of them. Who may what uapi/linux/tap_netlink.h says.
 *
 * Order of locks: the dump's own (the kernel's, of one socket: the family runs
 * its commands in parallel, so no other family waits for us), then
 * tap_sessions_lock, then a session's lock, which is only tried. A notice is
 * sent under any of the last two, or none: sending takes no lock of a dump.
 *
 * A dump holds the module, a socket that listens does not: it hears of the
 * family's end from the kernel's own group.
 */
#include <linux/ctype.h>
#include <linux/delay.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/pid_namespace.h>
#include <linux/tap_netlink.h>
#include <net/genetlink.h>

#include "session/netlink_dump.h"
#include "core/probe.h"
#include "core/session.h"

/* Half milliseconds that one part of a dump waits for sessions at work, all together. */
#define TAP_DUMP_PATIENCE	20

static struct genl_family tap_genl_family;

/**
 * struct tap_dump - where a dump is
 * @next: the session to be told next
 * @last: the last one that is wanted
 * @probe: the probe of @next to be told next
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

static int tapmod_put_u64(struct sk_buff *skb, int attr, u64 value)
{
	return nla_put_u64_64bit(skb, attr, value, TAP_ATTR_PAD);
}

static int tap_put_who(struct sk_buff *skb, const struct tapmod_session *session)
{
	return tapmod_put_u64(skb, TAP_ATTR_SESSION, session->id) ?:
	       nla_put_u32(skb, TAP_ATTR_PID, session->pid) ?:
	       nla_put_u32(skb, TAP_ATTR_UID, session->uid) ?:
	       nla_put_string(skb, TAP_ATTR_COMM, session->comm) ?:
	       tapmod_put_u64(skb, TAP_ATTR_UPTIME,
			      ktime_get_boottime_ns() - session->opened);
}

static int tap_put_sums(struct sk_buff *skb, const struct tap_sums *sums)
{
	const u64 *word = (const u64 *)&sums->counters;
	int attr, ret;

	/* Both have them in one order. */
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

/* What is known of a probe without its session's lock. */
static int tap_put_name(struct sk_buff *skb, const struct tapmod_probe *probe)
{
	int ret = nla_put_u32(skb, TAP_ATTR_PROBE, probe->id) ?:
		  nla_put_u32(skb, TAP_ATTR_TYPE, probe->type);

	/* Of the kernel's symbols none begins so: it is an address. */
	if (probe->type == TAP_PROBE_WATCHPOINT && isdigit(*probe->name))
		return ret;
	return ret ?: nla_put_string(skb, TAP_ATTR_TARGET, probe->name);
}

static int tap_put_probe(struct sk_buff *skb, struct tapmod_probe *probe)
{
	struct tap_sums sums = {};

	tap_probe_sum(probe, &sums);
	return tap_put_name(skb, probe) ?:
	       nla_put_u32(skb, TAP_ATTR_STATE, tap_probe_state(probe)) ?:
	       nla_put_u32(skb, TAP_ATTR_MAXACTIVE,
			   tap_probe_maxactive(probe)) ?:
	       tap_put_sums(skb, &sums);
}

/* Under the session's lock. */
static int tap_put_probes(struct sk_buff *skb, struct tapmod_session *session)
{
	struct tap_sums sums = {};
	struct tapmod_probe *probe;
	unsigned long i;

	xa_for_each(&session->probes, i, probe) {
		tap_probe_sum(probe, &sums);
		cond_resched();
	}
	return nla_put_u32(skb, TAP_ATTR_PROBES, session->nr_probes) ?:
	       tap_put_sums(skb, &sums);
}

/* Nobody may keep a dump waiting, and so all who open and close sessions. */
static bool tap_dump_lock(struct tapmod_session *session, unsigned int *patience)
{
	while (!mutex_trylock(&session->lock)) {
		if (!*patience)
			return false;
		--*patience;
		usleep_range(500, 1000);
	}
	return true;
}

static void *tap_dump_begin(struct sk_buff *skb, struct netlink_callback *cb,
			    u8 command)
{
	return genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
			   &tap_genl_family, NLM_F_MULTI, command);
}

/* Whether the message is whole; else it did not fit, and is taken back. */
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
	u64 bytes = 0;
	int ret;

	if (!header)
		return false;
	if (tap_rings_ready(&session->rings))
		bytes = session->rings.bytes * num_possible_cpus();
	ret = tap_put_who(skb, session) ?:
	      tapmod_put_u64(skb, TAP_ATTR_RING_BYTES, bytes);
	if (!tap_dump_lock(session, patience)) {
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
	unsigned int patience = TAP_DUMP_PATIENCE;
	struct tapmod_session *session;

	guard(mutex)(&tap_sessions_lock);
	while ((session = tap_sessions_find(dump->next)) &&
	       session->id <= dump->last) {
		if (!tap_dump_session(skb, cb, session, &patience))
			return skb->len ?: -EMSGSIZE;
		dump->next = session->id + 1;
	}
	return skb->len;
}

/* A message about a probe of the session, or, with NULL, that it is busy. */
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

	if (!tap_dump_lock(session, patience))
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
	unsigned int patience = TAP_DUMP_PATIENCE;
	struct tapmod_session *session;

	guard(mutex)(&tap_sessions_lock);
	while ((session = tap_sessions_find(dump->next)) &&
	       session->id <= dump->last) {
		/* The one that the last part ended in is gone. */
		if (session->id != dump->next)
			dump->probe = 0;
		dump->next = session->id;
		if (!tap_dump_probes(skb, cb, session, &patience))
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

	/* As to open the device: the ids of others' tasks are not for them. */
	if (task_active_pid_ns(current) != &init_pid_ns)
		return -EPERM;
	dump->next = session ? nla_get_u64(session) : 1;
	dump->last = session ? dump->next : U64_MAX;
	return 0;
}

/* What is not here no command takes. */
static const struct nla_policy tap_netlink_policy[TAP_ATTR_MAX + 1] = {
	[TAP_ATTR_SESSION] = NLA_POLICY_MIN(NLA_U64, 1),
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
};

static const struct genl_multicast_group tap_netlink_groups[] = {
	{ .name = TAP_NETLINK_GROUP, TAP_GENL_GROUP_ADMIN },
};

/* Its resv_start_op is 0: the reserved fields of all commands are looked at. */
static struct genl_family tap_genl_family __ro_after_init = {
	.name		= TAP_NETLINK_NAME,
	.version	= TAP_NETLINK_VERSION,
	.maxattr	= TAP_ATTR_MAX,
	.policy		= tap_netlink_policy,
	.parallel_ops	= true,
	.ops		= tap_netlink_ops,
	.n_ops		= ARRAY_SIZE(tap_netlink_ops),
	.mcgrps		= tap_netlink_groups,
	.n_mcgrps	= ARRAY_SIZE(tap_netlink_groups),
	.module		= THIS_MODULE,
};

/* Nanoseconds since a raw time of the session. */
static u64 tap_netlink_since(const struct tapmod_session *session, u64 since)
{
	u64 now = tap_clock_read(session->rings.khz);
	u32 mult, shift;

	tap_clock_scale(session->rings.khz, &mult, &shift);
	/* Of another CPU, it may be a little later. */
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
 * tap_netlink_notice() - tell those who listen what became of a session or a probe
 * @session: whose it is
 * @probe: of which it is told, or NULL: of the session
 * @change: what
 *
 * Who does not read fast enough, or for whom there is no memory, finds that out
 * by an ENOBUFS.
 *
 * Context: process, may sleep.
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
 * tap_netlink_init() - make the family
 *
 * Return: 0 or -errno.
 */
int tap_netlink_init(void)
{
	return genl_register_family(&tap_genl_family);
}

/**
 * tap_netlink_exit() - remove it; no dump is under way, no session is left
 */
void tap_netlink_exit(void)
{
	genl_unregister_family(&tap_genl_family);
}
