// SPDX-License-Identifier: GPL-2.0
/*
 * Commands to the session of another process, by generic netlink. Permissions: see
 * uapi/linux/tap_netlink.h.
 *
 * While a command runs, generic netlink holds cb_lock for reading: a module that brings a family
 * waits for it, and behind that module all commands of all families. So a command does not wait for
 * a session that is busy. The session stays because of tap_sessions_get().
 */
#include <linux/capability.h>
#include <linux/cleanup.h>
#include <linux/delay.h>
#include <linux/pid_namespace.h>
#include <linux/preempt.h>
#include <linux/tap_netlink.h>
#include <net/genetlink.h>

#include "core/session.h"
#include "session/device.h"
#include "session/netlink_control.h"
#include "session/session_ops.h"

/*
 * Whether the sender may open the device: 0 or -EPERM. As in netlink_capable(), the one who
 * opened the socket must have the capability as well.
 */
static int tap_may_control(struct sk_buff *skb)
{
	if (!netlink_capable(skb, CAP_PERFMON) && !netlink_capable(skb, CAP_SYS_ADMIN))
		return -EPERM;
	if (task_active_pid_ns(current) != &init_pid_ns)
		return -EPERM;
	return tap_may_probe();
}

/*
 * Takes the session's lock if it is free soon, else returns false. A command may hold it for
 * seconds, and the other sessions would not be reported meanwhile.
 */
bool tap_netlink_lock(struct tapmod_session *session, unsigned int *patience)
{
	while (!mutex_trylock(&session->lock)) {
		if (!*patience)
			return false;
		--*patience;
		usleep_range(500, 1000);
	}
	return true;
}

/* Asks for a window of a session, in the name of no probe. */
static int tap_control_window(struct tapmod_session *session)
{
	if (!tap_rings_ready(&session->rings) || !session->rings.overwrite)
		return -EOPNOTSUPP;
	guard(preempt)();
	return tap_rings_trigger(&session->rings, 0) ? 0 : -EBUSY;
}

static int tap_control(struct tapmod_session *session, u8 command, u32 probe)
{
	if (command == TAP_NETLINK_WINDOW)
		return tap_control_window(session);
	/* As for the commands of its own descriptors. */
	if (!tap_rings_ready(&session->rings))
		return -EBADFD;
	switch (command) {
	case TAP_NETLINK_ENABLE:
		return tap_session_enable(session, probe);
	case TAP_NETLINK_DISABLE:
		return tap_session_disable(session, probe);
	default:
		return -EOPNOTSUPP;
	}
}

/* The commands that are no dumps. Returns 0 or the UAPI's -errno. */
int tap_netlink_control(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *attr = info->attrs[TAP_ATTR_SESSION];
	const struct nlattr *probe = info->attrs[TAP_ATTR_PROBE];
	unsigned int patience = TAP_NETLINK_PATIENCE;
	struct tapmod_session *session;
	int ret = tap_may_control(skb);

	if (ret)
		return ret;
	if (!attr)
		return -EINVAL;
	session = tap_sessions_get(nla_get_u64(attr), nla_get_u64(attr));
	if (!session)
		return -ENXIO;
	ret = -EAGAIN;
	if (tap_netlink_lock(session, &patience)) {
		ret = tap_control(session, info->genlhdr->cmd, probe ? nla_get_u32(probe) : 0);
		mutex_unlock(&session->lock);
	}
	tap_sessions_put(session);
	return ret;
}
