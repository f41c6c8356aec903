/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The generic netlink family "tap": an administrator can list all sessions and their
 * probes, and listen to notices about them.
 *
 * DOC: permissions
 *
 * Every command needs CAP_NET_ADMIN, joining the group "notices" needs CAP_SYS_ADMIN,
 * both in the initial user namespace (EPERM). Kernels that are older than the stable
 * releases of December 2023 cannot ask for CAP_SYS_ADMIN there: on these the group needs
 * CAP_NET_ADMIN. The family exists only in the initial network namespace (elsewhere:
 * ENOENT). It answers only processes of the initial pid namespace (EPERM), because
 * messages have task ids of that namespace. It reports no kernel address: if the target of
 * a watchpoint is an address, it is left out.
 *
 * A command that changes a session also needs what opening the device needs: CAP_PERFMON or
 * CAP_SYS_ADMIN, and a kernel that is not locked down (EPERM).
 *
 * DOC: requests
 *
 * The kernel validates commands strictly: an attribute that the command does not take,
 * or that has a wrong length, is EINVAL; a number out of range is ERANGE. A dump
 * without NLM_F_DUMP, or another command with it, is EOPNOTSUPP. A listener that does not
 * read fast enough gets ENOBUFS from recv(2), then the messages that are still in its socket
 * and later ones.
 *
 * DOC: replies
 *
 * A dump has a message for each session, or for each probe, in the order of their
 * ids, in as many parts as needed. A session or probe that exists during the whole dump is
 * reported once; one that is created or deleted during the dump may be reported. The
 * dump does not block on a busy session (one that arms a thousand probes, say); it
 * then reports only immutable attributes and TAP_ATTR_BUSY.
 */
#ifndef _UAPI_LINUX_TAP_NETLINK_H
#define _UAPI_LINUX_TAP_NETLINK_H

#define TAP_NETLINK_NAME	"tap"
#define TAP_NETLINK_VERSION	1
#define TAP_NETLINK_GROUP	"notices"

/**
 * enum tap_netlink_command - requests and messages
 * @TAP_NETLINK_SESSIONS: dumps all sessions; with %TAP_ATTR_SESSION only that one. Each
 *	message has %TAP_ATTR_SESSION to %TAP_ATTR_RING_BYTES. If the session is busy it
 *	has %TAP_ATTR_BUSY; else %TAP_ATTR_PROBES, and the sums over its probes,
 *	%TAP_ATTR_HITS to %TAP_ATTR_MISSED_RETURN
 * @TAP_NETLINK_PROBES: dumps the probes of all sessions; with %TAP_ATTR_SESSION of that
 *	session only. Each message has %TAP_ATTR_SESSION, %TAP_ATTR_PROBE to
 *	%TAP_ATTR_MAXACTIVE and the probe's own sums. If a session is busy, one message
 *	has %TAP_ATTR_SESSION and %TAP_ATTR_BUSY, and its further probes are left out
 * @TAP_NETLINK_NOTICE: sent to the group: %TAP_ATTR_NOTICE to %TAP_ATTR_SIZE, the
 *	session as %TAP_ATTR_SESSION to %TAP_ATTR_UPTIME and, if the notice is about
 *	a probe, %TAP_ATTR_PROBE to %TAP_ATTR_TARGET
 * @TAP_NETLINK_WINDOW: triggers a window of the session %TAP_ATTR_SESSION (tap_window.h), as an
 *	event does. ENXIO: there is no such session; EAGAIN: it is busy; EOPNOTSUPP: its rings are
 *	not overwritten; EBUSY: it has a trigger already, and this one was counted
 * @TAP_NETLINK_ENABLE: as TAP_IOC_ENABLE of the probe %TAP_ATTR_PROBE, or of all without it, of the
 *	session %TAP_ATTR_SESSION. ENXIO: there is no such session; EAGAIN: it is busy with another
 *	command, ask again; else the errors of the command
 * @TAP_NETLINK_DISABLE: likewise as TAP_IOC_DISABLE
 *
 * New commands are only ever appended.
 */
enum tap_netlink_command {
	TAP_NETLINK_SESSIONS	= 1,
	TAP_NETLINK_PROBES	= 2,
	TAP_NETLINK_NOTICE	= 3,
	TAP_NETLINK_WINDOW	= 4,
	TAP_NETLINK_ENABLE	= 5,
	TAP_NETLINK_DISABLE	= 6,
};

/**
 * enum tap_netlink_attr - the attributes of messages
 * @TAP_ATTR_PAD: no data; aligns the 64-bit attributes where the machine needs that
 * @TAP_ATTR_SESSION: u64, at least 1: id of the session, not used again until the
 *	module is loaded again
 * @TAP_ATTR_PID: u32: the process that opened the session. It may have ended, or it may
 *	have passed the descriptor to another process
 * @TAP_ATTR_UID: u32: user of that process, in the initial user namespace
 * @TAP_ATTR_COMM: string: name of that process when it opened the session
 * @TAP_ATTR_UPTIME: u64: nanoseconds of CLOCK_BOOTTIME since the session was opened
 * @TAP_ATTR_RING_BYTES: u64: bytes of slots of all its rings; 0: it has no rings yet
 * @TAP_ATTR_BUSY: flag: a command of the session is in progress
 * @TAP_ATTR_PROBES: u32: number of its probes
 * @TAP_ATTR_HITS: u64: see struct tap_counters; summed over all CPUs, as are the
 *	next seven. While events come in, the sums may not add up exactly
 * @TAP_ATTR_WRITTEN: u64
 * @TAP_ATTR_FILTERED: u64
 * @TAP_ATTR_AGGREGATED: u64
 * @TAP_ATTR_LOST_FULL: u64
 * @TAP_ATTR_LOST_NESTED: u64
 * @TAP_ATTR_LOST_FAULT: u64
 * @TAP_ATTR_THROTTLED: u64
 * @TAP_ATTR_MISSED: u64: out_nmissed of struct tap_stats
 * @TAP_ATTR_MISSED_RETURN: u64: out_nmissed_return of struct tap_stats
 * @TAP_ATTR_PROBE: u32: id of the probe in the session
 * @TAP_ATTR_TYPE: u32: enum tap_probe_type
 * @TAP_ATTR_TARGET: string: the target as given; missing if it is an address
 * @TAP_ATTR_STATE: u32: enum tap_probe_state
 * @TAP_ATTR_MAXACTIVE: u32: the value that the kernel uses; 0 if it has none
 * @TAP_ATTR_NOTICE: u32: enum tap_notice
 * @TAP_ATTR_TIME: u64: when the notice was sent, CLOCK_REALTIME nanoseconds
 * @TAP_ATTR_DURATION: u64: nanoseconds since %TAP_NOTICE_SINCE: if the notice ends a state,
 *	about how long that state lasted; missing if %TAP_NOTICE_SINCE is 0, as in
 *	%TAP_NOTICE_OPENED and %TAP_NOTICE_CLOSED
 * @TAP_ATTR_COUNT: u64: see enum tap_notice
 * @TAP_ATTR_SIZE: u64: see enum tap_notice
 *
 * New attributes are only ever appended; a reader skips those it does not know.
 */
enum tap_netlink_attr {
	TAP_ATTR_PAD		= 1,
	TAP_ATTR_SESSION	= 2,
	TAP_ATTR_PID		= 3,
	TAP_ATTR_UID		= 4,
	TAP_ATTR_COMM		= 5,
	TAP_ATTR_UPTIME		= 6,
	TAP_ATTR_RING_BYTES	= 7,
	TAP_ATTR_BUSY		= 8,
	TAP_ATTR_PROBES		= 9,
	TAP_ATTR_HITS		= 10,
	TAP_ATTR_WRITTEN	= 11,
	TAP_ATTR_FILTERED	= 12,
	TAP_ATTR_AGGREGATED	= 13,
	TAP_ATTR_LOST_FULL	= 14,
	TAP_ATTR_LOST_NESTED	= 15,
	TAP_ATTR_LOST_FAULT	= 16,
	TAP_ATTR_THROTTLED	= 17,
	TAP_ATTR_MISSED		= 18,
	TAP_ATTR_MISSED_RETURN	= 19,
	TAP_ATTR_PROBE		= 20,
	TAP_ATTR_TYPE		= 21,
	TAP_ATTR_TARGET		= 22,
	TAP_ATTR_STATE		= 23,
	TAP_ATTR_MAXACTIVE	= 24,
	TAP_ATTR_NOTICE		= 25,
	TAP_ATTR_TIME		= 26,
	TAP_ATTR_DURATION		= 27,
	TAP_ATTR_COUNT		= 28,
	TAP_ATTR_SIZE		= 29,
};

#define TAP_ATTR_MAX		29

#endif /* _UAPI_LINUX_TAP_NETLINK_H */
