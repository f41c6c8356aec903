// SPDX-License-Identifier: LGPL-2.1
/*
 * The generic netlink family of the module, by libmnl: one request at a time,
 * and answers from the kernel alone.
 *
 * Done here is what libmnl lacks: mnl_socket_recvfrom() does not say who sent a
 * datagram, and cannot be asked not to wait; mnl_cb_run() takes a dump for
 * complete whose NLMSG_DONE has an error, accepts a message without a sequence
 * number as an answer to any request, gives up a datagram at the first message
 * of an earlier request, and follows a length that is far too large; and there is
 * nothing to size a socket's buffer.
 */
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <libtap.h>

#include "util/util.h"
#include "util/errno_name.h"

/* More than one part of a dump. */
/* A session that arms thousands of probes is busy for seconds; the kernel does not wait for it. */
#define BUSY_TRIES	100
#define BUSY_PAUSE_US	100000

#define BUFFER_BYTES	65536

/* For the notices that arrive while a table is printed: the default of 200 KiB holds some 200. */
#define LISTEN_BYTES	(4 << 20)

/* The group of the kernel's own family, which announces the end of other families. */
#define CONTROL_GROUP	GENL_ID_CTRL

/**
 * struct tap_netlink - a socket
 * @socket: libmnl's socket, bound to a port that the kernel chose
 * @family: id of the module's family; 0 before it is known
 * @group: id of its group
 * @seq: sequence number of the last request; 0 once the socket has joined
 * @data: the request that is sent, then the datagram that was received last
 */
struct tap_netlink {
	struct mnl_socket *socket;
	__u16 family;
	__u32 group;
	__u32 seq;
	_Alignas(NLMSG_ALIGNTO) char data[BUFFER_BYTES];
};

/**
 * struct answer - what the callbacks of one datagram share
 * @nl: socket
 * @family: id of the family whose messages are handed on
 * @fn: gets them; NULL: they are of no interest
 * @arg: handed to it
 * @error: -errno of @fn or of the kernel, 0 if neither failed
 */
struct answer {
	const struct tap_netlink *nl;
	__u16 family;
	tap_netlink_fn fn;
	void *arg;
	int error;
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
				     "not permitted: other sessions are shown to CAP_NET_ADMIN, notices to CAP_SYS_ADMIN, in the initial namespaces (run it as root)");
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

static __u64 number_of(const struct nlattr *attr)
{
	if (!attr)
		return 0;
	if (!mnl_attr_validate(attr, MNL_TYPE_U64))
		return mnl_attr_get_u64(attr);
	if (!mnl_attr_validate(attr, MNL_TYPE_U32))
		return mnl_attr_get_u32(attr);
	if (!mnl_attr_validate(attr, MNL_TYPE_U16))
		return mnl_attr_get_u16(attr);
	return 0;
}

static const char *text_of(const struct nlattr *attr)
{
	if (!attr || mnl_attr_validate(attr, MNL_TYPE_NUL_STRING))
		return "";
	return mnl_attr_get_str(attr);
}

/* Skips attributes of a later version. */
static int take_attr(const struct nlattr *attr, void *arg)
{
	struct tap_netlink_message *msg = arg;

	if (mnl_attr_type_valid(attr, TAP_ATTR_MAX) > 0)
		msg->attrs[mnl_attr_get_type(attr)] = attr;
	return MNL_CB_OK;
}

/* Sends the request in nl->data. */
static int send_request(struct tap_netlink *nl, struct nlmsghdr *h)
{
	h->nlmsg_seq = ++nl->seq;
	return mnl_socket_sendto(nl->socket, h, h->nlmsg_len) < 0 ? -errno : 0;
}

/* Returns how many bytes came; 0 if their sender is not the kernel. */
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
		len = recvmsg(mnl_socket_get_fd(nl->socket), &msg, flags);
	while (len < 0 && errno == EINTR);
	if (len < 0)
		return -errno;
	if (msg.msg_flags & MSG_TRUNC)
		return -EMSGSIZE;
	return msg.msg_namelen != sizeof(from) || from.nl_pid ? 0 : len;
}

static int take_message(const struct nlmsghdr *h, void *arg)
{
	struct tap_netlink_message msg = { 0 };
	const struct genlmsghdr *genl;
	struct answer *answer = arg;

	if (h->nlmsg_seq != answer->nl->seq || h->nlmsg_type != answer->family ||
	    mnl_nlmsg_get_payload_len(h) < GENL_HDRLEN)
		return MNL_CB_OK;
	genl = mnl_nlmsg_get_payload(h);
	msg.command = genl->cmd;
	/* Not mnl_attr_parse(): it rounds the length of the message up. */
	mnl_attr_parse_payload((const char *)genl + GENL_HDRLEN,
			       mnl_nlmsg_get_payload_len(h) - GENL_HDRLEN,
			       take_attr, &msg);
	answer->error = answer->fn ? answer->fn(answer->arg, &msg) : 0;
	return answer->error ? MNL_CB_ERROR : MNL_CB_OK;
}

/* Both NLMSG_DONE and NLMSG_ERROR begin with a code: 0 or -errno. */
static int take_end(const struct nlmsghdr *h, void *arg)
{
	struct answer *answer = arg;
	const int *code = mnl_nlmsg_get_payload(h);

	if (h->nlmsg_seq != answer->nl->seq)
		return MNL_CB_OK;
	if (mnl_nlmsg_get_payload_len(h) < sizeof(*code) || *code > 0 ||
	    *code < -TAP_MAX_ERRNO)
		answer->error = -EBADMSG;
	else
		answer->error = *code;
	return answer->error ? MNL_CB_ERROR : MNL_CB_STOP;
}

/*
 * Returns how many of the bytes are whole messages. mnl_cb_run() may be given no
 * others: mnl_nlmsg_ok() takes a length of 2 GiB or more for negative, so that it
 * seems to fit.
 */
static size_t whole_messages(const struct tap_netlink *nl, size_t len)
{
	const struct nlmsghdr *h;
	size_t at = 0;

	for (; at + sizeof(*h) <= len; at += NLMSG_ALIGN(h->nlmsg_len)) {
		h = (const void *)(nl->data + at);
		if (h->nlmsg_len < sizeof(*h) || h->nlmsg_len > len - at)
			break;
	}
	return at < len ? at : len;
}

/* Calls @fn with the messages of a family; returns 1 once it has seen the end. */
static int walk(struct tap_netlink *nl, size_t len, __u16 family,
		tap_netlink_fn fn, void *arg)
{
	mnl_cb_t control[] = {
		[NLMSG_ERROR] = take_end, [NLMSG_DONE] = take_end,
	};
	struct answer answer = {
		.nl = nl, .family = family, .fn = fn, .arg = arg,
	};
	/* An answer has the port of this socket; a notice may have that of any other. */
	unsigned int port = nl->seq ? mnl_socket_get_portid(nl->socket) : 0;
	/* The callbacks compare sequence numbers, see above. */
	int ret = mnl_cb_run2(nl->data, whole_messages(nl, len), 0, port,
			      take_message, &answer, control,
			      MNL_ARRAY_SIZE(control));

	if (ret < 0)
		return answer.error ? answer.error : -errno;
	return ret == MNL_CB_STOP;
}

/*
 * Sends a request and calls @fn with the messages of its answer. The kernel ends the answer with
 * NLMSG_DONE if the request was a dump, else with an acknowledgement.
 */
static int ask(struct tap_netlink *nl, struct nlmsghdr *h, tap_netlink_fn fn,
	       void *arg)
{
	const __u16 family = h->nlmsg_type;
	int ret = send_request(nl, h);
	ssize_t len;

	while (!ret) {
		len = receive(nl, 0);
		ret = len < 0 ? (int)len : walk(nl, (size_t)len, family, fn, arg);
	}
	return ret < 0 ? ret : 0;
}

/* Begins a request in nl->data. */
static struct nlmsghdr *request(struct tap_netlink *nl, __u16 type, __u16 flags,
				__u8 command, __u8 version)
{
	struct nlmsghdr *h = mnl_nlmsg_put_header(nl->data);
	struct genlmsghdr *genl = mnl_nlmsg_put_extra_header(h, sizeof(*genl));

	h->nlmsg_type = type;
	h->nlmsg_flags = NLM_F_REQUEST | flags;
	genl->cmd = command;
	genl->version = version;
	return h;
}

/* Takes the id of a group if it has the name of the module's. */
static int take_group(const struct nlattr *attr, void *arg)
{
	struct tap_netlink_message group = { 0 };
	struct tap_netlink *nl = arg;

	mnl_attr_parse_nested(attr, take_attr, &group);
	if (!strcmp(text_of(group.attrs[CTRL_ATTR_MCAST_GRP_NAME]),
		    TAP_NETLINK_GROUP))
		nl->group = (__u32)number_of(group.attrs[CTRL_ATTR_MCAST_GRP_ID]);
	return MNL_CB_OK;
}

/* Takes the ids of the family and of its group. */
static int take_family(void *arg, const struct tap_netlink_message *msg)
{
	struct tap_netlink *nl = arg;

	nl->family = (__u16)number_of(msg->attrs[CTRL_ATTR_FAMILY_ID]);
	if (msg->attrs[CTRL_ATTR_MCAST_GROUPS])
		mnl_attr_parse_nested(msg->attrs[CTRL_ATTR_MCAST_GROUPS],
				      take_group, nl);
	return 0;
}

static int find_family(struct tap_netlink *nl)
{
	struct nlmsghdr *h = request(nl, GENL_ID_CTRL, NLM_F_ACK,
				     CTRL_CMD_GETFAMILY, 1);
	int ret;

	mnl_attr_put_strz(h, CTRL_ATTR_FAMILY_NAME, TAP_NETLINK_NAME);
	ret = ask(nl, h, take_family, nl);
	return ret ? ret : nl->family && nl->group ? 0 : -EPROTO;
}

int tap_netlink_open(struct tap_netlink **to, struct tap_error *err)
{
	struct tap_netlink *nl = calloc(1, sizeof(*nl));
	int ret;

	if (!nl)
		return no_memory(err);
	nl->socket = mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC);
	if (!nl->socket || mnl_socket_bind(nl->socket, 0, MNL_SOCKET_AUTOPID)) {
		ret = tap_error_set(err, -errno,
				    "this kernel has no generic netlink: %s",
				    strerror(errno));
		goto err_close;
	}
	ret = find_family(nl);
	if (!ret) {
		*to = nl;
		return 0;
	}
	explain_family(err, ret);
err_close:
	tap_netlink_close(nl);
	return ret;
}

void tap_netlink_close(struct tap_netlink *nl)
{
	if (!nl)
		return;
	if (nl->socket)
		mnl_socket_close(nl->socket);
	free(nl);
}

int tap_netlink_fd(const struct tap_netlink *nl)
{
	return mnl_socket_get_fd(nl->socket);
}

int tap_netlink_dump(struct tap_netlink *nl, enum tap_netlink_command command,
		     tap_netlink_fn fn, void *arg, struct tap_error *err)
{
	struct nlmsghdr *h = request(nl, nl->family, NLM_F_DUMP, (__u8)command,
				     TAP_NETLINK_VERSION);
	int ret = ask(nl, h, fn, arg);

	return ret ? explain(err, ret) : 0;
}

/* The commands have errors of their own; the others are those of any request. */
static int explain_control(struct tap_error *err, int code, __u64 session)
{
	switch (-code) {
	case EPERM:
		return tap_error_set(err, code,
				     "not permitted: a session of another process needs CAP_NET_ADMIN and CAP_PERFMON, in the initial namespaces, and a kernel that is not locked down (run it as root)");
	case ENXIO:
		return tap_error_set(err, code,
				     "there is no session %llu; 'tap monitor --once' lists them",
				     (unsigned long long)session);
	case EOPNOTSUPP:
		return tap_error_set(err, code,
				     "session %llu has no windows: only 'tap record --flight' does (or the module is of an older release)",
				     (unsigned long long)session);
	case ENOENT:
		return tap_error_set(err, code, "session %llu has no such probe",
				     (unsigned long long)session);
	case EAGAIN:
		return tap_error_set(err, code,
				     "session %llu is busy with another command; try again",
				     (unsigned long long)session);
	case EBADFD:
		return tap_error_set(err, code, "session %llu has no probes yet",
				     (unsigned long long)session);
	case EBUSY:
		return tap_error_set(err, code,
				     "session %llu writes a window already; what happens now is counted there",
				     (unsigned long long)session);
	}
	return explain(err, code);
}

int tap_netlink_control(struct tap_netlink *nl, enum tap_netlink_command command,
			__u64 session, struct tap_error *err)
{
	return tap_netlink_control_probe(nl, command, session, 0, err);
}

int tap_netlink_control_probe(struct tap_netlink *nl, enum tap_netlink_command command,
			      __u64 session, __u32 probe, struct tap_error *err)
{
	unsigned int left = BUSY_TRIES;
	struct nlmsghdr *h;
	int ret;

	do {
		h = request(nl, nl->family, NLM_F_ACK, (__u8)command, TAP_NETLINK_VERSION);
		mnl_attr_put_u64(h, TAP_ATTR_SESSION, session);
		if (probe)
			mnl_attr_put_u32(h, TAP_ATTR_PROBE, probe);
		ret = ask(nl, h, NULL, NULL);
	} while (ret == -EAGAIN && --left && !usleep(BUSY_PAUSE_US));
	return ret ? explain_control(err, ret, session) : 0;
}

int tap_netlink_join(struct tap_netlink *nl, struct tap_error *err)
{
	int bytes = LISTEN_BYTES, control = CONTROL_GROUP;

	/* Messages to a group have no sequence number. */
	nl->seq = 0;
	/* It may fail: with a smaller buffer notices are lost sooner, which is reported. */
	setsockopt(mnl_socket_get_fd(nl->socket), SOL_SOCKET, SO_RCVBUFFORCE,
		   &bytes, sizeof(bytes));
	if (mnl_socket_setsockopt(nl->socket, NETLINK_ADD_MEMBERSHIP, &control,
				  sizeof(control)) ||
	    mnl_socket_setsockopt(nl->socket, NETLINK_ADD_MEMBERSHIP, &nl->group,
				  sizeof(nl->group)))
		return explain(err, -errno);
	return 0;
}

/* Ends the reading once the kernel announces that the family is gone. */
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
