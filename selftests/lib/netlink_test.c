// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of netlink answers: valid answers are read; malformed ones are refused, and nothing
 * beyond the datagram is read. tap ctl finds probes by the names that tap monitor gives them.
 */
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "monitor/monitor.h"
#include "selftests/lib/check.h"
#include <libtap.h>

#define FAMILY	30
#define GROUP	9
#define PORT	4711

/* The datagrams that the socket receives, in this order. */
static struct datagram {
	size_t len;
	__u32 sender;
	int error;
	int flags;
	_Alignas(8) char data[4096];
} sent[4];
static unsigned int nr_sent, nr_received;

ssize_t __wrap_recvmsg(int fd, struct msghdr *msg, int flags);
ssize_t __wrap_recvmsg(int fd, struct msghdr *msg, int flags)
{
	struct sockaddr_nl from = { .nl_family = AF_NETLINK };
	const struct datagram *d = &sent[nr_received];

	(void)fd;
	if (nr_received == nr_sent) {
		errno = flags & MSG_DONTWAIT ? EAGAIN : ENOTCONN;
		return -1;
	}
	nr_received++;
	if (d->error) {
		errno = d->error;
		return -1;
	}
	from.nl_pid = d->sender;
	memcpy(msg->msg_name, &from, sizeof(from));
	msg->msg_namelen = sizeof(from);
	msg->msg_flags = d->flags;
	/* The bytes after the datagram look like a message that continues. */
	memset(msg->msg_iov->iov_base, 0x24, 8192);
	memcpy(msg->msg_iov->iov_base, d->data, d->len);
	return (ssize_t)d->len;
}

/* Wrappers of functions that would access the kernel. */
struct mnl_socket *__wrap_mnl_socket_open2(int bus, int flags);
struct mnl_socket *__wrap_mnl_socket_open2(int bus, int flags)
{
	(void)bus;
	(void)flags;
	return (struct mnl_socket *)sent;
}

int __wrap_mnl_socket_bind(struct mnl_socket *nl, unsigned int groups, pid_t pid);
int __wrap_mnl_socket_bind(struct mnl_socket *nl, unsigned int groups, pid_t pid)
{
	(void)nl;
	(void)groups;
	(void)pid;
	return 0;
}

int __wrap_mnl_socket_close(struct mnl_socket *nl);
int __wrap_mnl_socket_close(struct mnl_socket *nl)
{
	(void)nl;
	return 0;
}

int __wrap_mnl_socket_get_fd(const struct mnl_socket *nl);
int __wrap_mnl_socket_get_fd(const struct mnl_socket *nl)
{
	(void)nl;
	return -1;
}

unsigned int __wrap_mnl_socket_get_portid(const struct mnl_socket *nl);
unsigned int __wrap_mnl_socket_get_portid(const struct mnl_socket *nl)
{
	(void)nl;
	return PORT;
}

ssize_t __wrap_mnl_socket_sendto(const struct mnl_socket *nl, const void *req, size_t len);
ssize_t __wrap_mnl_socket_sendto(const struct mnl_socket *nl, const void *req, size_t len)
{
	(void)nl;
	(void)req;
	return (ssize_t)len;
}

int __wrap_mnl_socket_setsockopt(const struct mnl_socket *nl, int type, void *buf,
				 socklen_t len);
int __wrap_mnl_socket_setsockopt(const struct mnl_socket *nl, int type, void *buf,
				 socklen_t len)
{
	(void)nl;
	(void)type;
	(void)len;
	check(*(__u32 *)buf == GROUP || *(__u32 *)buf == GENL_ID_CTRL,
	      "the socket joins the group of the module or of the kernel's controller");
	return 0;
}

/* --------------------------------------------------------------- datagrams */

static struct datagram *datagram(void)
{
	struct datagram *d = &sent[nr_sent++];

	memset(d, 0, sizeof(*d));
	return d;
}

static void put(struct datagram *d, const void *data, size_t len)
{
	if (len)
		memcpy(d->data + d->len, data, len);
	d->len += NLMSG_ALIGN(len);
}

/* Adds a message of @type with @len bytes of content. */
static struct nlmsghdr *put_message(struct datagram *d, __u16 type, __u32 seq,
				    const void *data, size_t len)
{
	struct nlmsghdr h = {
		.nlmsg_len = (__u32)(NLMSG_HDRLEN + len),
		.nlmsg_type = type, .nlmsg_seq = seq,
	};
	struct nlmsghdr *at = (struct nlmsghdr *)(d->data + d->len);

	put(d, &h, sizeof(h));
	put(d, data, len);
	return at;
}

static void put_end(struct datagram *d, __u16 type, __u32 seq, int code)
{
	struct nlmsgerr end = { .error = code };

	put_message(d, type, seq, &end, sizeof(end));
}

/* A session as the module describes it, with one unknown attribute. */
static struct nlmsghdr *put_session(struct datagram *d, __u32 seq, __u64 id)
{
	struct {
		struct genlmsghdr genl;
		struct nlattr id;
		__u32 half[2];
		struct nlattr pid;
		__u32 number;
		struct nlattr comm;
		char text[8];
		struct nlattr later;
	} session = {
		.genl.cmd = TAP_NETLINK_SESSIONS,
		.id = { NLA_HDRLEN + 8, TAP_ATTR_SESSION },
		.pid = { NLA_HDRLEN + 4, TAP_ATTR_PID }, .number = 77,
		.comm = { NLA_HDRLEN + 5, TAP_ATTR_COMM }, .text = "sshd",
		.later = { NLA_HDRLEN, TAP_ATTR_MAX + 1 },
	};

	memcpy(session.half, &id, sizeof(id));
	return put_message(d, FAMILY, seq, &session, sizeof(session));
}

/* A probe of session 7. */
static void put_probe(struct datagram *d, __u32 seq, enum tap_probe_type type, const char *target)
{
	struct {
		struct genlmsghdr genl;
		struct nlattr session;
		__u32 half[2];
		struct nlattr id;
		__u32 number;
		struct nlattr type;
		__u32 kind;
		struct nlattr target;
		char text[24];
	} probe = {
		.genl.cmd = TAP_NETLINK_PROBES,
		.session = { NLA_HDRLEN + 8, TAP_ATTR_SESSION },
		.id = { NLA_HDRLEN + 4, TAP_ATTR_PROBE }, .number = 1,
		.type = { NLA_HDRLEN + 4, TAP_ATTR_TYPE }, .kind = type,
		.target = { NLA_HDRLEN + sizeof(probe.text), TAP_ATTR_TARGET },
	};
	const __u64 id = 7;

	memcpy(probe.half, &id, sizeof(id));
	strcpy(probe.text, target);
	put_message(d, FAMILY, seq, &probe, sizeof(probe));
}

/* The answer to the first request of a socket, which asks for the family. */
static void put_family(void)
{
	struct {
		struct genlmsghdr genl;
		struct nlattr id;
		__u16 family[2];
		struct nlattr groups;
		struct nlattr first;
		struct nlattr group_id;
		__u32 group;
		struct nlattr name;
		char text[8];
	} family = {
		.id = { NLA_HDRLEN + 2, CTRL_ATTR_FAMILY_ID }, .family = { FAMILY },
		.groups = { 4 * NLA_HDRLEN + 4 + 8, CTRL_ATTR_MCAST_GROUPS },
		.first = { 3 * NLA_HDRLEN + 4 + 8, 1 },
		.group_id = { NLA_HDRLEN + 4, CTRL_ATTR_MCAST_GRP_ID }, .group = GROUP,
		.name = { NLA_HDRLEN + 8, CTRL_ATTR_MCAST_GRP_NAME },
		.text = TAP_NETLINK_GROUP,
	};
	struct datagram *d = datagram();

	put_message(d, GENL_ID_CTRL, 1, &family, sizeof(family));
	put_end(d, NLMSG_ERROR, 1, 0);
}

/* ----------------------------------------------------------------- reading */

static unsigned int nr_sessions;
static __u64 sum_sessions;

static int take(void *arg, const struct tap_netlink_message *msg)
{
	(void)arg;
	nr_sessions++;
	sum_sessions += tap_netlink_number(msg, TAP_ATTR_SESSION);
	if (tap_netlink_number(msg, TAP_ATTR_SESSION) == 1)
		check(msg->command == TAP_NETLINK_SESSIONS &&
		      tap_netlink_number(msg, TAP_ATTR_PID) == 77 &&
		      !strcmp(tap_netlink_text(msg, TAP_ATTR_COMM), "sshd") &&
		      !tap_netlink_number(msg, TAP_ATTR_COMM) &&
		      !tap_netlink_number(msg, TAP_ATTR_PROBES) &&
		      !*tap_netlink_text(msg, TAP_ATTR_TARGET),
		      "a session is read, and missing attributes are 0 or empty");
	if (tap_netlink_number(msg, TAP_ATTR_SESSION) == 8)
		check(!*tap_netlink_text(msg, TAP_ATTR_COMM),
		      "a string without a terminating 0 is ignored");
	return sum_sessions == 666 ? -ENOMEM : 0;
}

/* Starts the answers of a case with that for the family. */
static struct datagram *begin(void)
{
	nr_sent = 0;
	nr_received = 0;
	put_family();
	return datagram();
}

/* Opens a socket and dumps, or listens; @sum is the sum of the session ids. */
static void expect(const char *what, bool listen, int code, unsigned int sessions,
		   __u64 sum)
{
	struct tap_error err = { 0 };
	struct tap_netlink *nl = NULL;
	int ret = tap_netlink_open(&nl, &err);

	nr_sessions = 0;
	sum_sessions = 0;
	if (!ret && listen)
		ret = tap_netlink_join(nl, &err);
	if (!ret)
		ret = listen ? tap_netlink_read(nl, take, NULL, &err) :
			       tap_netlink_dump(nl, TAP_NETLINK_SESSIONS, take, NULL, &err);
	check(ret == code && nr_sessions == sessions && sum_sessions == sum &&
	      !ret == !*err.text,
	      "%s: %d of %d, %u sessions of %u (%s)", what, ret, code, nr_sessions,
	      sessions, err.text);
	tap_netlink_close(nl);
}

static void test_dump(void)
{
	struct datagram *d = begin();

	put_session(d, 2, 1);
	put_session(d, 2, 2);
	d = datagram();
	put_session(d, 2, 4);
	put_end(d, NLMSG_DONE, 2, 0);
	expect("a dump of two parts", false, 0, 3, 7);

	d = begin();
	put_session(d, 2, 2);
	put_end(d, NLMSG_DONE, 2, -EPERM);
	expect("a dump that fails midway", false, -EPERM, 1, 2);

	put_end(begin(), NLMSG_ERROR, 2, -EPERM);
	expect("a dump that is refused", false, -EPERM, 0, 0);

	d = begin();
	put_session(d, 2, 666);
	put_session(d, 2, 2);
	put_end(d, NLMSG_DONE, 2, 0);
	expect("an error of the caller's function", false, -ENOMEM, 1, 666);
}

/* A command to session 7; what else the kernel sends is of no interest. */
static void expect_control(const char *what, int code, const char *text)
{
	struct tap_error err = { 0 };
	struct tap_netlink *nl = NULL;
	int ret = tap_netlink_open(&nl, &err);

	if (!ret)
		ret = tap_netlink_control(nl, TAP_NETLINK_WINDOW, 7, &err);
	check(ret == code && strstr(err.text, text), "%s: %d of %d (%s)", what, ret, code, err.text);
	tap_netlink_close(nl);
}

static void test_control(void)
{
	struct datagram *d = begin();

	put_session(d, 2, 7);
	put_end(d, NLMSG_ERROR, 2, 0);
	expect_control("a command", 0, "");
	put_end(begin(), NLMSG_ERROR, 2, -ENXIO);
	expect_control("a command to no session", -ENXIO, "no session 7; 'tap monitor");
	put_end(begin(), NLMSG_ERROR, 2, -EOPNOTSUPP);
	expect_control("a command to a session without windows", -EOPNOTSUPP, "no windows");
	put_end(begin(), NLMSG_ERROR, 2, -EBUSY);
	expect_control("a command to a session with a window", -EBUSY, "already");
	put_end(begin(), NLMSG_ERROR, 2, -EPERM);
	expect_control("a command that is not permitted", -EPERM, "CAP_PERFMON");
}

static void test_foreign(void)
{
	struct datagram *d = begin();

	put_session(d, 2, 2);
	put_end(d, NLMSG_DONE, 2, 0);
	d->sender = 1;
	d = datagram();
	put_session(d, 2, 4);
	put_end(d, NLMSG_DONE, 2, 0);
	expect("a datagram of another sender is skipped", false, 0, 1, 4);

	d = begin();
	put_session(d, 1, 2);
	put_session(d, 0, 2);
	put_end(d, NLMSG_DONE, 1, -EPERM);
	put_session(d, 2, 4);
	put_end(d, NLMSG_DONE, 2, 0);
	expect("messages of other requests are skipped", false, 0, 1, 4);

	d = begin();
	put_session(d, 2, 2)->nlmsg_pid = PORT + 1;
	put_end(d, NLMSG_DONE, 2, 0);
	expect("an answer to another port", false, -ESRCH, 0, 0);

	d = begin();
	put_session(d, 2, 2)->nlmsg_type = FAMILY + 1;
	put_session(d, 2, 4)->nlmsg_pid = PORT;
	put_end(d, NLMSG_DONE, 2, 0);
	expect("a message of another family is skipped", false, 0, 1, 4);
}

static void test_malformed(void)
{
	static const __u32 lengths[] = {
		0, 15, 4096, 0x7fffffff, 0x80000000, 0xa5a5a5a4, 0xffffffff,
	};
	struct datagram *d;
	struct nlattr *attr;
	size_t i;

	for (i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		d = begin();
		put_session(d, 2, 2)->nlmsg_len = lengths[i];
		d = datagram();
		put_end(d, NLMSG_DONE, 2, 0);
		expect("a message of a wrong length", false, 0, 0, 0);
	}
	d = begin();
	put_session(d, 2, 2);
	d->len -= 1;
	put_end(datagram(), NLMSG_DONE, 2, 0);
	expect("a truncated message", false, 0, 0, 0);

	/* The length of the last message is not a multiple of 4. */
	d = begin();
	put_session(d, 2, 2)->nlmsg_len -= 1;
	d->len -= 1;
	put_end(datagram(), NLMSG_DONE, 2, 0);
	expect("a message of an odd length", false, 0, 1, 2);

	for (i = 0; i < 4; i++) {
		d = begin();
		attr = (void *)((char *)put_session(d, 2, 2) + NLMSG_HDRLEN + GENL_HDRLEN);
		attr->nla_len = (__u16[]){ 0, 3, 4, 0xffff }[i];
		put_end(d, NLMSG_DONE, 2, 0);
		expect("an attribute of a wrong length", false, 0, 1, 0);
	}

	d = begin();
	attr = (void *)((char *)put_session(d, 2, 8) + NLMSG_HDRLEN + GENL_HDRLEN +
			2 * NLA_HDRLEN + 8 + 4);
	attr->nla_len -= 1;
	put_end(d, NLMSG_DONE, 2, 0);
	expect("a string without a terminating 0", false, 0, 1, 8);

	d = begin();
	put_message(d, NLMSG_DONE, 2, NULL, 0);
	expect("an end of a dump without a code", false, -EBADMSG, 0, 0);
	put_end(begin(), NLMSG_DONE, 2, 1);
	expect("an end of a dump with a positive code", false, -EBADMSG, 0, 0);
	put_end(begin(), NLMSG_DONE, 2, (int)0x80000000);
	expect("an end of a dump with an invalid code", false, -EBADMSG, 0, 0);

	d = begin();
	put_end(d, NLMSG_DONE, 2, 0);
	d->flags = MSG_TRUNC;
	expect("a truncated datagram", false, -EMSGSIZE, 0, 0);
}

static void test_listen(void)
{
	struct {
		struct genlmsghdr genl;
		struct nlattr id;
		__u16 family[2];
	} gone = {
		.genl.cmd = CTRL_CMD_DELFAMILY,
		.id = { NLA_HDRLEN + 2, CTRL_ATTR_FAMILY_ID }, .family = { FAMILY },
	};

	put_session(begin(), 0, 2);
	put_session(datagram(), 0, 4)->nlmsg_pid = PORT + 1;
	expect("listening returns the sessions received", true, 0, 2, 6);

	begin()->error = ENOBUFS;
	put_session(datagram(), 0, 4);
	expect("losses are reported", true, -ENOBUFS, 0, 0);

	begin()->error = EINTR;
	put_session(datagram(), 0, 4);
	expect("a signal is not an error", true, 0, 1, 4);

	put_message(begin(), GENL_ID_CTRL, 0, &gone, sizeof(gone));
	expect("the family is removed", true, -ENODEV, 0, 0);
	gone.family[0]++;
	put_message(begin(), GENL_ID_CTRL, 0, &gone, sizeof(gone));
	expect("another family is removed", true, 0, 0, 0);
}

static int take_row(void *row, const struct tap_netlink_message *msg)
{
	monitor_row_take(row, msg);
	return 0;
}

static void test_probe_names(void)
{
	static const struct {
		enum tap_probe_type type;
		const char *target;
		const char *name;
		const char *others[3];
	} probes[] = {
		{ TAP_PROBE_MARK, "mark", "mark", { "markmark", "mark:", "kprobe:mark" } },
		{ TAP_PROBE_KPROBE, "vfs_read", "kprobe:vfs_read",
		  { "kprobe", "kprobe:vfs", "call:vfs_read" } },
		{ TAP_PROBE_KPROBE, "kprobe", "kprobe:kprobe", { "kprobekprobe", "kprobe:", "mark" } },
	};
	size_t i, k;

	for (i = 0; i < sizeof(probes) / sizeof(probes[0]); i++) {
		struct tap_netlink *nl = NULL;
		struct monitor_row row = { 0 };
		struct datagram *d = begin();
		struct tap_error err = { 0 };
		int ret;

		put_probe(d, 2, probes[i].type, probes[i].target);
		put_end(d, NLMSG_DONE, 2, 0);
		ret = tap_netlink_open(&nl, &err) ?:
		      tap_netlink_dump(nl, TAP_NETLINK_PROBES, take_row, &row, &err);
		tap_netlink_close(nl);
		check(!ret && !strcmp(row.name, probes[i].name), "monitor: %s is %s", row.name,
		      probes[i].name);
		for (k = 0; k < 4; k++) {
			const char *name = k < 3 ? probes[i].others[k] : probes[i].name;
			char *words[] = { "ctl", "7", "disable", (char *)name, NULL };

			d = begin();
			put_probe(d, 2, probes[i].type, probes[i].target);
			put_end(d, NLMSG_DONE, 2, 0);
			put_end(datagram(), NLMSG_ERROR, 3, 0);
			check(cmd_ctl(4, words) == (k < 3), "ctl: %s is%s %s", name,
			      k < 3 ? " not" : "", probes[i].name);
		}
	}
}

int main(void)
{
	test_dump();
	test_control();
	test_probe_names();
	test_foreign();
	test_malformed();
	test_listen();
	return check_end();
}
