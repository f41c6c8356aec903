/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A client of the netlink family for its tests, which can also send malformed requests.
 * Written from uapi/linux/tap_netlink.h alone, and not with libmnl: it is the oracle for
 * what the module answers, so it must not share code with the library, must build what
 * libmnl would not (attributes of a wrong length, cut messages), and must notice what
 * libmnl passes over (an attribute twice, bytes behind the last attribute).
 */
#ifndef _TEST_MODULE_NETLINK_HARNESS_H
#define _TEST_MODULE_NETLINK_HARNESS_H

#include "selftests/module/tap_harness.h"

#include <linux/genetlink.h>
#include <linux/tap_netlink.h>
#include <sys/socket.h>

#define NL_MAX_MESSAGES	4096

/**
 * struct nl_message - a message of the module
 * @command: enum tap_netlink_command
 * @has: bit n is set if attribute n is present
 * @number: values of the attributes of 32 or 64 bits
 * @comm: value of TAP_ATTR_COMM
 * @target: value of TAP_ATTR_TARGET
 */
struct nl_message {
	__u8 command;
	__u64 has;
	__u64 number[TAP_ATTR_MAX + 1];
	char comm[32];
	char target[TAP_MAX_TARGET];
};

/**
 * struct nl - a netlink socket
 * @fd: its descriptor
 * @family: id of the family
 * @group: id of its multicast group
 * @seq: sequence number of the last request
 * @nr: messages received since the last request
 * @parts: receives since the last request
 * @broken: a message or an attribute was malformed
 * @message: the messages received
 * @data: the last part of an answer; small, so that an answer has many parts
 */
struct nl {
	int fd;
	__u16 family;
	__u32 group;
	__u32 seq;
	unsigned int nr;
	unsigned int parts;
	bool broken;
	struct nl_message message[NL_MAX_MESSAGES];
	char data[8192] __attribute__((aligned(8)));
};

/* A request; tests write what they need behind the headers. */
struct nl_request {
	struct nlmsghdr nl;
	struct genlmsghdr genl;
	char attrs[64];
};

static inline void nl_attr(struct nl_request *req, __u16 type, const void *data,
			   __u16 len)
{
	struct nlattr attr = { .nla_len = NLA_HDRLEN + len, .nla_type = type };
	char *at = (char *)req + req->nl.nlmsg_len;

	memcpy(at, &attr, sizeof(attr));
	memcpy(at + NLA_HDRLEN, data, len);
	req->nl.nlmsg_len += NLA_ALIGN(attr.nla_len);
}

static inline struct nl_request nl_request(__u16 type, __u8 command, __u16 flags)
{
	return (struct nl_request){
		.nl.nlmsg_len = NLMSG_HDRLEN + GENL_HDRLEN,
		.nl.nlmsg_type = type,
		.nl.nlmsg_flags = NLM_F_REQUEST | flags,
		.genl.cmd = command,
		.genl.version = TAP_NETLINK_VERSION,
	};
}

static inline void nl_take_attr(struct nl *nl, struct nl_message *to,
				const struct nlattr *attr)
{
	unsigned int type = attr->nla_type & NLA_TYPE_MASK;
	unsigned int len = attr->nla_len - NLA_HDRLEN;
	const char *data = (const char *)attr + NLA_HDRLEN;

	if (!type || type > TAP_ATTR_MAX) {
		nl->broken = true;
		return;
	}
	/* Padding may be repeated; other attributes must not be. */
	nl->broken |= type != TAP_ATTR_PAD && to->has & BIT(type);
	to->has |= BIT(type);
	switch (type) {
	case TAP_ATTR_PAD:
	case TAP_ATTR_BUSY:
		nl->broken |= len;
		break;
	case TAP_ATTR_COMM:
	case TAP_ATTR_TARGET:
		nl->broken |= !len || data[len - 1];
		snprintf(type == TAP_ATTR_COMM ? to->comm : to->target,
			 type == TAP_ATTR_COMM ? sizeof(to->comm) :
						 sizeof(to->target),
			 "%.*s", (int)len, data);
		break;
	default:
		nl->broken |= len != 4 && len != 8;
		memcpy(&to->number[type], data, len < 8 ? len : 8);
	}
}

static inline void nl_take(struct nl *nl, const struct nlmsghdr *h)
{
	const struct genlmsghdr *genl = NLMSG_DATA(h);
	const char *at = (const char *)genl + GENL_HDRLEN;
	const char *end = (const char *)h + h->nlmsg_len;
	struct nl_message *to = &nl->message[nl->nr++];

	memset(to, 0, sizeof(*to));
	to->command = genl->cmd;
	nl->broken |= genl->version != TAP_NETLINK_VERSION;
	while (at < end) {
		const struct nlattr *attr = (const void *)at;

		if (end - at < NLA_HDRLEN || attr->nla_len < NLA_HDRLEN ||
		    attr->nla_len > end - at) {
			nl->broken = true;
			return;
		}
		nl_take_attr(nl, to, attr);
		at += NLA_ALIGN(attr->nla_len);
	}
}

/* Takes one part of an answer. Returns 0: more parts follow; 1: this was the last; or -errno. */
static inline int nl_part(struct nl *nl, int flags)
{
	ssize_t len = recv(nl->fd, nl->data, sizeof(nl->data), flags);
	const struct nlmsghdr *h = (const void *)nl->data;
	int code = 0;

	if (len < 0)
		return -errno;
	nl->parts++;
	for (; NLMSG_OK(h, len); h = NLMSG_NEXT(h, len)) {
		if (h->nlmsg_seq != nl->seq)
			continue;
		if (h->nlmsg_type == NLMSG_DONE || h->nlmsg_type == NLMSG_ERROR) {
			memcpy(&code, NLMSG_DATA(h), sizeof(code));
			return code ?: 1;
		}
		if (h->nlmsg_type == nl->family && nl->nr < NL_MAX_MESSAGES)
			nl_take(nl, h);
	}
	return 0;
}

static inline int nl_send(struct nl *nl, struct nl_request *req)
{
	req->nl.nlmsg_seq = ++nl->seq;
	nl->nr = 0;
	nl->parts = 0;
	return send(nl->fd, req, req->nl.nlmsg_len, 0) < 0 ? -errno : 0;
}

/* Sends a request and takes the whole answer. Returns 0 or -errno. */
static inline int nl_ask(struct nl *nl, struct nl_request *req)
{
	int ret = nl_send(nl, req);

	while (!ret)
		ret = nl_part(nl, 0);
	return ret < 0 ? ret : 0;
}

static inline int nl_dump(struct nl *nl, __u8 command)
{
	struct nl_request req = nl_request(nl->family, command, NLM_F_DUMP);

	return nl_ask(nl, &req);
}

/* Dumps one session only. */
static inline int nl_dump_of(struct nl *nl, __u8 command, __u64 session)
{
	struct nl_request req = nl_request(nl->family, command, NLM_F_DUMP);

	nl_attr(&req, TAP_ATTR_SESSION, &session, sizeof(session));
	return nl_ask(nl, &req);
}

/* Asks for a window of a session. */
static inline int nl_window_of(struct nl *nl, __u64 session)
{
	struct nl_request req = nl_request(nl->family, TAP_NETLINK_WINDOW, NLM_F_ACK);

	nl_attr(&req, TAP_ATTR_SESSION, &session, sizeof(session));
	return nl_ask(nl, &req);
}

/* Finds the ids of the family and its group in the kernel's answer. */
/* TAP_NETLINK_ENABLE or TAP_NETLINK_DISABLE of a probe; 0: of all. */
static inline int nl_probe_of(struct nl *nl, __u8 command, __u64 session, __u32 probe)
{
	struct nl_request req = nl_request(nl->family, command, NLM_F_ACK);

	nl_attr(&req, TAP_ATTR_SESSION, &session, sizeof(session));
	if (probe)
		nl_attr(&req, TAP_ATTR_PROBE, &probe, sizeof(probe));
	return nl_ask(nl, &req);
}

static inline void nl_take_family(struct nl *nl, const char *data, size_t len)
{
	const struct nlattr *attr;
	const char *at;
	__u16 type;

	for (at = data; at + NLA_HDRLEN <= data + len; at += NLA_ALIGN(attr->nla_len)) {
		attr = (const void *)at;
		type = attr->nla_type & NLA_TYPE_MASK;
		if (attr->nla_len < NLA_HDRLEN)
			return;
		if (type == CTRL_ATTR_FAMILY_ID)
			memcpy(&nl->family, at + NLA_HDRLEN, sizeof(nl->family));
		/* The list has one group, with a name and an id. */
		if (type != CTRL_ATTR_MCAST_GROUPS)
			continue;
		for (at += 2 * NLA_HDRLEN, attr = (const void *)at;
		     at < data + len && attr->nla_len >= NLA_HDRLEN;
		     at += NLA_ALIGN(attr->nla_len), attr = (const void *)at)
			if (attr->nla_type == CTRL_ATTR_MCAST_GRP_ID)
				memcpy(&nl->group, at + NLA_HDRLEN,
				       sizeof(nl->group));
		return;
	}
}

static inline int nl_find(struct nl *nl)
{
	struct nl_request req = nl_request(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0);
	const struct nlmsghdr *h = (const void *)nl->data;
	ssize_t len;
	int code;

	nl_attr(&req, CTRL_ATTR_FAMILY_NAME, TAP_NETLINK_NAME,
		sizeof(TAP_NETLINK_NAME));
	code = nl_send(nl, &req);
	if (code)
		return code;
	len = recv(nl->fd, nl->data, sizeof(nl->data), 0);
	if (len < 0)
		return -errno;
	if (h->nlmsg_type == NLMSG_ERROR) {
		memcpy(&code, NLMSG_DATA(h), sizeof(code));
		return code;
	}
	nl_take_family(nl, (const char *)NLMSG_DATA(h) + GENL_HDRLEN,
		       h->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN);
	return 0;
}

static inline int nl_socket(void)
{
	return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
}

static inline struct nl *nl_open(struct __test_metadata *_metadata)
{
	struct nl *nl = calloc(1, sizeof(*nl));

	ASSERT_NE(NULL, nl);
	nl->fd = nl_socket();
	ASSERT_LE(0, nl->fd) TH_LOG("no generic netlink: %s", strerror(errno));
	ASSERT_EQ(0, nl_find(nl)) TH_LOG("no family %s", TAP_NETLINK_NAME);
	ASSERT_NE(0, nl->family);
	ASSERT_NE(0, nl->group);
	return nl;
}

#define nl_close(nl)	nl_close_of(_metadata, nl)
static inline void nl_close_of(struct __test_metadata *_metadata, struct nl *nl)
{
	if (!nl)
		return;
	EXPECT_FALSE(nl->broken);
	close(nl->fd);
	free(nl);
}

static inline int nl_join(struct nl *nl)
{
	/* Multicast messages have sequence number 0. */
	nl->seq = 0;
	nl->nr = 0;
	return setsockopt(nl->fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &nl->group,
			  sizeof(nl->group));
}

/*
 * Finds the message about a session or one of its probes in the last answer; NULL if none or
 * several.
 */
static inline const struct nl_message *nl_find_message(const struct nl *nl, __u64 session,
					      __u32 probe)
{
	const struct nl_message *found = NULL;
	unsigned int i;

	for (i = 0; i < nl->nr; i++) {
		if (nl->message[i].number[TAP_ATTR_SESSION] != session ||
		    nl->message[i].number[TAP_ATTR_PROBE] != probe)
			continue;
		if (found)
			return NULL;
		found = &nl->message[i];
	}
	return found;
}

/* Id of the session that this process opened last; 0: it has none. */
static inline __u64 nl_last_session(struct nl *nl)
{
	unsigned int i;
	__u64 id = 0;

	if (nl_dump(nl, TAP_NETLINK_SESSIONS))
		return 0;
	for (i = 0; i < nl->nr; i++)
		if (nl->message[i].number[TAP_ATTR_PID] == (__u64)getpid())
			id = nl->message[i].number[TAP_ATTR_SESSION];
	return id;
}

/* Opens a session with probes that take little time to create; returns its descriptor. */
static inline int open_small(unsigned int probes)
{
	int fd = open(TAP_DEVICE, O_RDWR | O_CLOEXEC);
	unsigned int i;

	if (fd < 0 || _test_ioctl_setup(fd, 4096, 0, 0, NULL))
		return -1;
	for (i = 0; i < probes; i++)
		if (_test_ioctl_create(fd, NULL, TAP_PROBE_MARK, "mark", NULL, 0))
			return -1;
	return fd;
}

FIXTURE(netlink)
{
	struct test_session s;
	int target;
	struct nl *nl;
};

FIXTURE_SETUP(netlink)
{
	self->nl = NULL;
	test_setup();
	self->nl = nl_open(_metadata);
}

FIXTURE_TEARDOWN(netlink)
{
	nl_close(self->nl);
	test_teardown();
}

#endif /* _TEST_MODULE_NETLINK_HARNESS_H */
