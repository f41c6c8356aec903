// SPDX-License-Identifier: LGPL-2.1
/*
 * Speaking generic netlink: one request at a time, answers from the kernel alone.
 */
#include <errno.h>
#include <linux/genetlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "session/netlink.h"

/* More than the kernel puts into a part of a dump. */
#define ROOM		65536

/* For notices that come while a table is printed; the usual 200 KiB take some 200. */
#define LISTEN_BYTES	(4 << 20)

/* The group of the kernel's own family, in which the end of others is told. */
#define CONTROL_GROUP	GENL_ID_CTRL

/**
 * struct tap_netlink - a socket
 * @fd: it
 * @family: id of the family; 0 before it is known
 * @group: id of its group
 * @seq: of the last request
 * @data: what came last
 */
struct tap_netlink {
	int fd;
	__u16 family;
	__u32 group;
	__u32 seq;
	_Alignas(NLMSG_ALIGNTO) char data[ROOM];
};

/**
 * struct request - what is sent; there is nothing longer to say
 * @nl: header
 * @genl: header
 * @name: attribute: the name of a family
 * @text: of it
 */
struct request {
	struct nlmsghdr nl;
	struct genlmsghdr genl;
	struct nlattr name;
	char text[8];
};

static int no_memory(struct tap_error *err)
{
	return tap_error_set(err, -ENOMEM, "out of memory");
}

static int explain(struct tap_error *err, int code)
{
	switch (-code) {
	case EPERM:
		return tap_error_set(err, code,
				     "not permitted: the sessions of others are told to those with CAP_NET_ADMIN, notices to those with CAP_SYS_ADMIN, in the initial namespaces (run it as root)");
	case ENODEV:
	case ENOENT:
	case EOPNOTSUPP:
		return tap_error_set(err, -ENODEV, "the module was unloaded");
	}
	return tap_error_set(err, code, "netlink: %s", strerror(-code));
}

static int explain_family(struct tap_error *err, int code)
{
	if (code != -ENOENT)
		return explain(err, code);
	if (!access("/sys/module/tapmod", F_OK))
		return tap_error_set(err, code,
				     "the module tells nothing here: run it in the initial network namespace (or the module is of an older release, or the kernel has no network, CONFIG_NET)");
	return tap_error_set(err, code,
			     "the module is not loaded; 'modprobe tapmod', or 'insmod tapmod.ko' from where it was built");
}

static size_t attr_len(const struct nlattr *attr)
{
	return attr->nla_len - NLA_HDRLEN;
}

static const void *attr_data(const struct nlattr *attr)
{
	return (const char *)attr + NLA_HDRLEN;
}

/* The next attribute of what is left, or NULL. */
static const struct nlattr *attr_next(const char **at, size_t *left)
{
	const struct nlattr *attr = (const void *)*at;
	size_t step;

	if (*left < sizeof(*attr) || attr->nla_len < sizeof(*attr) ||
	    attr->nla_len > *left)
		return NULL;
	step = NLA_ALIGN(attr->nla_len);
	step = step > *left ? *left : step;
	*at += step;
	*left -= step;
	return attr;
}

/* What is of a later version is left out. */
static void parse_attrs(struct tap_netlink_message *msg, const void *data,
			size_t left)
{
	const struct nlattr *attr;
	const char *at = data;

	memset(msg->attrs, 0, sizeof(msg->attrs));
	while ((attr = attr_next(&at, &left))) {
		unsigned int type = attr->nla_type & NLA_TYPE_MASK;

		if (type <= TAP_ATTR_MAX)
			msg->attrs[type] = attr;
	}
}

static __u64 number_of(const struct nlattr *attr)
{
	__u64 value = 0;
	__u32 word;
	__u16 half;

	if (!attr)
		return 0;
	switch (attr_len(attr)) {
	case sizeof(value):
		memcpy(&value, attr_data(attr), sizeof(value));
		return value;
	case sizeof(word):
		memcpy(&word, attr_data(attr), sizeof(word));
		return word;
	case sizeof(half):
		memcpy(&half, attr_data(attr), sizeof(half));
		return half;
	}
	return 0;
}

static const char *text_of(const struct nlattr *attr)
{
	if (!attr || !attr_len(attr) ||
	    !memchr(attr_data(attr), '\0', attr_len(attr)))
		return "";
	return attr_data(attr);
}

/* Bytes that came; 0: there is nothing now, or it is not of the kernel. */
static ssize_t receive(struct tap_netlink *nl, int flags)
{
	struct sockaddr_nl from = { 0 };
	struct iovec iov = { nl->data, sizeof(nl->data) };
	struct msghdr msg = {
		.msg_name = &from, .msg_namelen = sizeof(from),
		.msg_iov = &iov, .msg_iovlen = 1,
	};
	ssize_t len;

	do
		len = recvmsg(nl->fd, &msg, flags);
	while (len < 0 && errno == EINTR);
	if (len < 0)
		return -errno;
	if (msg.msg_flags & MSG_TRUNC)
		return -EMSGSIZE;
	return from.nl_pid ? 0 : len;
}

/* The code that a message of the end holds, which is 0 or negative. */
static int code_of(const struct nlmsghdr *h)
{
	int code = 0;

	if (h->nlmsg_len >= NLMSG_LENGTH(sizeof(code)))
		memcpy(&code, NLMSG_DATA(h), sizeof(code));
	return code;
}

/* Hands on the messages of a family; 1 once the end is among them. */
static int walk(struct tap_netlink *nl, size_t len, __u16 family,
		tap_netlink_fn fn, void *arg)
{
	const struct nlmsghdr *h = (const void *)nl->data;
	struct tap_netlink_message msg;
	const struct genlmsghdr *genl;
	int ret;

	for (; NLMSG_OK(h, len); h = NLMSG_NEXT(h, len)) {
		if (h->nlmsg_seq != nl->seq)
			continue;
		if (h->nlmsg_type == NLMSG_DONE || h->nlmsg_type == NLMSG_ERROR) {
			ret = code_of(h);
			return ret ? ret : 1;
		}
		if (h->nlmsg_type != family ||
		    h->nlmsg_len < NLMSG_LENGTH(GENL_HDRLEN))
			continue;
		genl = NLMSG_DATA(h);
		msg.command = genl->cmd;
		parse_attrs(&msg, (const char *)genl + GENL_HDRLEN,
			    h->nlmsg_len - NLMSG_LENGTH(GENL_HDRLEN));
		ret = fn(arg, &msg);
		if (ret)
			return ret;
	}
	return 0;
}

/* Asks, and hands on what is answered; an answer that is no dump is acknowledged. */
static int ask(struct tap_netlink *nl, struct request *req, tap_netlink_fn fn,
	       void *arg)
{
	ssize_t len;
	int ret;

	req->nl.nlmsg_seq = ++nl->seq;
	if (send(nl->fd, req, req->nl.nlmsg_len, 0) < 0)
		return -errno;
	do {
		len = receive(nl, 0);
		ret = len < 0 ? (int)len :
		      walk(nl, (size_t)len, req->nl.nlmsg_type, fn, arg);
	} while (!ret);
	return ret < 0 ? ret : 0;
}

/* Takes the ids of the family and its group. */
static int take_family(void *arg, const struct tap_netlink_message *msg)
{
	const struct nlattr *groups = msg->attrs[CTRL_ATTR_MCAST_GROUPS];
	struct tap_netlink_message group;
	const struct nlattr *attr;
	struct tap_netlink *nl = arg;
	size_t left = groups ? attr_len(groups) : 0;
	const char *at = groups ? attr_data(groups) : NULL;

	nl->family = (__u16)number_of(msg->attrs[CTRL_ATTR_FAMILY_ID]);
	while (left && (attr = attr_next(&at, &left))) {
		parse_attrs(&group, attr_data(attr), attr_len(attr));
		if (!strcmp(text_of(group.attrs[CTRL_ATTR_MCAST_GRP_NAME]),
			    TAP_NETLINK_GROUP))
			nl->group = (__u32)number_of(
				group.attrs[CTRL_ATTR_MCAST_GRP_ID]);
	}
	return 0;
}

static int find_family(struct tap_netlink *nl)
{
	struct request req = {
		.nl.nlmsg_len = sizeof(req),
		.nl.nlmsg_type = GENL_ID_CTRL,
		.nl.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK,
		.genl.cmd = CTRL_CMD_GETFAMILY,
		.genl.version = 1,
		.name.nla_type = CTRL_ATTR_FAMILY_NAME,
		.name.nla_len = NLA_HDRLEN + sizeof(TAP_NETLINK_NAME),
		.text = TAP_NETLINK_NAME,
	};
	int ret;

	_Static_assert(sizeof(TAP_NETLINK_NAME) <= sizeof(req.text),
		       "the name of the family");
	req.nl.nlmsg_len = (__u32)(sizeof(req) - sizeof(req.text) +
				   NLA_ALIGN(sizeof(TAP_NETLINK_NAME)));
	ret = ask(nl, &req, take_family, nl);
	return ret ? ret : nl->family && nl->group ? 0 : -EPROTO;
}

int tap_netlink_open(struct tap_netlink **to, struct tap_error *err)
{
	struct tap_netlink *nl = calloc(1, sizeof(*nl));
	int ret;

	if (!nl)
		return no_memory(err);
	nl->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (nl->fd < 0) {
		ret = tap_error_set(err, -errno,
				    "this kernel has no generic netlink: %s",
				    strerror(errno));
		goto err_free;
	}
	ret = find_family(nl);
	if (!ret) {
		*to = nl;
		return 0;
	}
	explain_family(err, ret);
	close(nl->fd);
err_free:
	free(nl);
	return ret;
}

void tap_netlink_close(struct tap_netlink *nl)
{
	if (!nl)
		return;
	close(nl->fd);
	free(nl);
}

int tap_netlink_fd(const struct tap_netlink *nl)
{
	return nl->fd;
}

int tap_netlink_dump(struct tap_netlink *nl, enum tap_netlink_command command,
		     tap_netlink_fn fn, void *arg, struct tap_error *err)
{
	struct request req = {
		.nl.nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN),
		.nl.nlmsg_type = nl->family,
		.nl.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
		.genl.cmd = (__u8)command,
		.genl.version = TAP_NETLINK_VERSION,
	};
	int ret = ask(nl, &req, fn, arg);

	return ret ? explain(err, ret) : 0;
}

int tap_netlink_join(struct tap_netlink *nl, struct tap_error *err)
{
	const int bytes = LISTEN_BYTES, control = CONTROL_GROUP;

	/* What is told to a group has no number. */
	nl->seq = 0;
	/* With less it works as well, until it is much. */
	setsockopt(nl->fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes));
	if (setsockopt(nl->fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &control,
		       sizeof(control)) ||
	    setsockopt(nl->fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &nl->group,
		       sizeof(nl->group)))
		return explain(err, -errno);
	return 0;
}

/* Whether it is told that the family has gone. */
static int look_for_end(void *arg, const struct tap_netlink_message *msg)
{
	const struct tap_netlink *nl = arg;

	return msg->command == CTRL_CMD_DELFAMILY &&
	       number_of(msg->attrs[CTRL_ATTR_FAMILY_ID]) == nl->family ?
	       -ENODEV : 0;
}

int tap_netlink_read(struct tap_netlink *nl, tap_netlink_fn fn, void *arg,
		     struct tap_error *err)
{
	ssize_t len;
	int ret;

	do {
		len = receive(nl, MSG_DONTWAIT);
		if (len == -EAGAIN)
			return 0;
		if (len == -ENOBUFS)
			return tap_error_set(err, -ENOBUFS,
					     "notices were lost: more came than were read");
		ret = len < 0 ? (int)len :
		      walk(nl, (size_t)len, nl->family, fn, arg);
		if (!ret)
			ret = walk(nl, len < 0 ? 0 : (size_t)len, GENL_ID_CTRL,
				   look_for_end, nl);
	} while (ret >= 0);
	return explain(err, ret);
}

__u64 tap_netlink_number(const struct tap_netlink_message *msg,
			 enum tap_netlink_attr attr)
{
	return number_of(msg->attrs[attr]);
}

const char *tap_netlink_text(const struct tap_netlink_message *msg,
			     enum tap_netlink_attr attr)
{
	return text_of(msg->attrs[attr]);
}
