// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the netlink family: dumps agree with what the sessions report themselves; which
 * tasks may ask; malformed requests are refused; and dumps while sessions are opened and
 * closed.
 */
#include "selftests/module/netlink_harness.h"

#include <linux/userfaultfd.h>
#include <poll.h>
#include <sys/utsname.h>

#define CAP(name)	BIT(name)
#define ALL_CAPS	(BIT(CAP_LAST_CAP + 1) - 1)

#define COMMAND_NONE	77

TEST_F(netlink, sessions_say_who_opened_them)
{
	const struct nl_message *msg;
	unsigned int possible = 0, i;
	__u64 id, before;

	before = nl_last_session(self->nl);
	ASSERT_EQ(0, before);
	test_session_open(_metadata, &self->s, 8192);
	id = nl_last_session(self->nl);
	ASSERT_NE(0, id);
	msg = nl_find_message(self->nl, id, 0);
	ASSERT_NE(NULL, msg);
	EXPECT_EQ(TAP_NETLINK_SESSIONS, msg->command);
	EXPECT_EQ(0, msg->number[TAP_ATTR_UID]);
	EXPECT_STREQ("netlink_test", msg->comm);
	EXPECT_TRUE(msg->has & BIT(TAP_ATTR_UPTIME));
	EXPECT_GT(3600000000000, msg->number[TAP_ATTR_UPTIME]);
	for (i = 0; i < self->s.nr_rings; i++)
		possible += !!self->s.ring[i].tail;
	EXPECT_EQ(8192 * possible, msg->number[TAP_ATTR_RING_BYTES]);
	EXPECT_EQ(0, msg->number[TAP_ATTR_PROBES]);
	EXPECT_FALSE(msg->has & BIT(TAP_ATTR_BUSY));
	test_session_close(&self->s);
	EXPECT_EQ(0, nl_last_session(self->nl));
}

/* Ids grow and are not reused. */
TEST_F(netlink, ids_are_new)
{
	__u64 last = 0, id;
	unsigned int i;

	for (i = 0; i < 5; i++) {
		test_session_open(_metadata, &self->s, 4096);
		id = nl_last_session(self->nl);
		EXPECT_LT(last, id);
		last = id;
		test_session_close(&self->s);
	}
}

static void expect_counters(struct __test_metadata *_metadata,
			    const struct nl_message *msg, const struct tap_counters *c)
{
	EXPECT_EQ(c->hits, msg->number[TAP_ATTR_HITS]);
	EXPECT_EQ(c->written, msg->number[TAP_ATTR_WRITTEN]);
	EXPECT_EQ(c->filtered, msg->number[TAP_ATTR_FILTERED]);
	EXPECT_EQ(c->aggregated, msg->number[TAP_ATTR_AGGREGATED]);
	EXPECT_EQ(c->lost_full, msg->number[TAP_ATTR_LOST_FULL]);
	EXPECT_EQ(c->lost_nested, msg->number[TAP_ATTR_LOST_NESTED]);
	EXPECT_EQ(c->lost_fault, msg->number[TAP_ATTR_LOST_FAULT]);
	EXPECT_EQ(c->throttled, msg->number[TAP_ATTR_THROTTLED]);
}

TEST_F(netlink, counters_are_those_of_the_session)
{
	struct tap_counters of[4], sum = {};
	const struct nl_message *msg;
	struct tap_stats stats;
	struct tap_counters cpus[TEST_MAX_RINGS];
	unsigned int i, k;
	__u64 session, missed = 0;
	__u32 id[4];

	test_session_open(_metadata, &self->s, 4096);
	test_ioctl_create(&id[0], TAP_PROBE_KPROBE, "tap_target_add", OP_ARG(0));
	test_ioctl_create(&id[1], TAP_PROBE_KPROBE, "tap_target_add",
			  OP(TAP_OP_ARG, 0, 0, 8, 0, 0),
			  OP_REJECT_IF(TAP_OP_JGE, 0, 10));
	ASSERT_EQ(0, _test_ioctl_create_flags(self->s.fd, &id[2], TAP_PROBE_KPROBE,
					      TAP_CREATE_F_COUNT, 0,
					      "tap_target_add", NULL, 0));
	/* maxactive is 1, and more calls are made inside the call. */
	ASSERT_EQ(0, _test_ioctl_create_flags(self->s.fd, &id[3], TAP_PROBE_CALL, 0, 1,
					      "tap_target_recurse", NULL, 0));
	test_ioctl_enable(0);
	test_target_call(TAP_TARGET_ADD, 500);
	test_target_call(TAP_TARGET_RECURSE, 5);
	test_ioctl_disable(id[2]);
	session = nl_last_session(self->nl);
	ASSERT_EQ(0, nl_dump(self->nl, TAP_NETLINK_PROBES));
	for (i = 0; i < ARRAY_SIZE(id); i++) {
		of[i] = test_counters(_metadata, &self->s, id[i]);
		for (k = 0; k < sizeof(sum) / sizeof(__u64); k++)
			((__u64 *)&sum)[k] += ((__u64 *)&of[i])[k];
		msg = nl_find_message(self->nl, session, id[i]);
		ASSERT_NE(NULL, msg);
		expect_counters(_metadata, msg, &of[i]);
		test_ioctl_stats(id[i], cpus, self->s.nr_rings, &stats);
		EXPECT_EQ(stats.out_nmissed, msg->number[TAP_ATTR_MISSED]);
		EXPECT_EQ(stats.out_nmissed_return,
			  msg->number[TAP_ATTR_MISSED_RETURN]);
		missed += stats.out_nmissed_return;
		EXPECT_EQ(TAP_NETLINK_PROBES, msg->command);
		EXPECT_EQ(i < 3 ? TAP_PROBE_KPROBE : TAP_PROBE_CALL,
			  msg->number[TAP_ATTR_TYPE]);
		EXPECT_EQ(i == 2 ? TAP_STATE_DISABLED : TAP_STATE_ENABLED,
			  msg->number[TAP_ATTR_STATE]);
		EXPECT_EQ(i == 3, msg->number[TAP_ATTR_MAXACTIVE]);
		EXPECT_STREQ(i < 3 ? "tap_target_add" : "tap_target_recurse",
			     msg->target);
	}
	/* Otherwise the test would compare zeros. */
	EXPECT_LT(0, of[0].written);
	EXPECT_LT(0, of[0].lost_full);
	EXPECT_LT(0, of[1].filtered);
	EXPECT_EQ(500, of[2].aggregated);
	EXPECT_LT(0, missed);
	ASSERT_EQ(0, nl_dump(self->nl, TAP_NETLINK_SESSIONS));
	msg = nl_find_message(self->nl, session, 0);
	ASSERT_NE(NULL, msg);
	expect_counters(_metadata, msg, &sum);
	EXPECT_EQ(missed, msg->number[TAP_ATTR_MISSED_RETURN]);
	EXPECT_EQ(ARRAY_SIZE(id), msg->number[TAP_ATTR_PROBES]);
}

TEST_F(netlink, one_session_may_be_asked_for)
{
	struct test_session other;
	__u64 id, other_id;
	__u32 probe;

	test_session_open(_metadata, &self->s, 4096);
	id = nl_last_session(self->nl);
	test_session_open(_metadata, &other, 4096);
	other_id = nl_last_session(self->nl);
	test_ioctl_create(&probe, TAP_PROBE_MARK, "mark");
	test_ioctl_create(&probe, TAP_PROBE_MARK, "mark");
	ASSERT_EQ(0, nl_dump_of(self->nl, TAP_NETLINK_SESSIONS, other_id));
	ASSERT_EQ(1, self->nl->nr);
	EXPECT_EQ(other_id, self->nl->message[0].number[TAP_ATTR_SESSION]);
	ASSERT_EQ(0, nl_dump_of(self->nl, TAP_NETLINK_PROBES, other_id));
	EXPECT_EQ(0, self->nl->nr);
	ASSERT_EQ(0, nl_dump_of(self->nl, TAP_NETLINK_PROBES, id));
	EXPECT_EQ(2, self->nl->nr);
	ASSERT_EQ(0, nl_dump_of(self->nl, TAP_NETLINK_SESSIONS, other_id + 1));
	EXPECT_EQ(0, self->nl->nr);
	ASSERT_EQ(0, nl_dump_of(self->nl, TAP_NETLINK_SESSIONS, ~0ULL));
	EXPECT_EQ(0, self->nl->nr);
	test_session_close(&other);
}

/* The target of a watchpoint without a symbol would be an address. */
TEST_F(netlink, tells_no_address)
{
	struct tap_perf perf = {
		.size = sizeof(perf),
		.type = 5,	/* PERF_TYPE_BREAKPOINT */
		.config = 2,	/* HW_BREAKPOINT_W */
		.config2 = 8,
	};
	struct tap_create create = test_create_arg(TAP_PROBE_WATCHPOINT, "jiffies",
						   NULL, 0);
	struct tap_probe_info info;
	const struct nl_message *msg;
	char address[32];
	__u32 probe;

	test_session_open(_metadata, &self->s, 4096);
	create.perf = (uintptr_t)&perf;
	create.flags = TAP_CREATE_F_COUNT;
	if (ioctl(self->s.fd, TAP_IOC_CREATE, &create))
		SKIP(return, "no watchpoints: %s", strerror(errno));
	test_ioctl_probe_info(create.out_id, NULL, 0, &info);
	ASSERT_NE(0, info.out_address);
	snprintf(address, sizeof(address), "%#llx", (unsigned long long)info.out_address);
	perf.config1 = info.out_address;
	create.target = (uintptr_t)address;
	create.target_len = strlen(address);
	ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_CREATE, &create));
	probe = create.out_id;
	ASSERT_EQ(0, nl_dump(self->nl, TAP_NETLINK_PROBES));
	ASSERT_EQ(2, self->nl->nr);
	msg = &self->nl->message[1];
	ASSERT_EQ(probe, msg->number[TAP_ATTR_PROBE]);
	EXPECT_STREQ("jiffies", self->nl->message[0].target);
	EXPECT_FALSE(msg->has & BIT(TAP_ATTR_TARGET));
	EXPECT_EQ(NULL, memmem(self->nl->data, sizeof(self->nl->data), address,
			       strlen(address)));
	EXPECT_EQ(NULL, memmem(self->nl->data, sizeof(self->nl->data),
			       &info.out_address, sizeof(info.out_address)));
}

TEST_F(netlink, what_makes_no_sense_is_refused)
{
	const __u32 word = 1;
	const __u64 one = 1, none = 0;
	struct nl_request req;
	struct utsname u;
	unsigned int command, type;

#define REFUSED(_errno, _command, _flags, ...)				\
	do {								\
		req = nl_request(self->nl->family, _command, _flags);	\
		__VA_ARGS__;						\
		EXPECT_EQ(-(_errno), nl_ask(self->nl, &req));		\
		EXPECT_EQ(0, self->nl->nr);				\
	} while (0)

	test_session_open(_metadata, &self->s, 4096);
	for (command = TAP_NETLINK_SESSIONS; command <= TAP_NETLINK_PROBES; command++) {
		/* All attributes other than SESSION, known or not. */
		for (type = 0; type <= TAP_ATTR_MAX + 2; type++)
			if (type != TAP_ATTR_SESSION)
				REFUSED(EINVAL, command, NLM_F_DUMP,
					nl_attr(&req, type, &one, sizeof(one)));
		REFUSED(EINVAL, command, NLM_F_DUMP,
			nl_attr(&req, TAP_ATTR_SESSION, &word, sizeof(word)));
		REFUSED(EINVAL, command, NLM_F_DUMP,
			nl_attr(&req, TAP_ATTR_SESSION, &one, 0));
		REFUSED(EINVAL, command, NLM_F_DUMP,
			nl_attr(&req, TAP_ATTR_SESSION, req.attrs, 16));
		REFUSED(ERANGE, command, NLM_F_DUMP,
			nl_attr(&req, TAP_ATTR_SESSION, &none, sizeof(none)));
		/* The length of the attribute is larger than the message. */
		REFUSED(EINVAL, command, NLM_F_DUMP,
			nl_attr(&req, TAP_ATTR_SESSION, &one, sizeof(one));
			((struct nlattr *)req.attrs)->nla_len = 60);
		/* Bytes that are left behind the attributes. */
		REFUSED(EINVAL, command, NLM_F_DUMP, req.nl.nlmsg_len += 2);
		REFUSED(EOPNOTSUPP, command, 0);
		REFUSED(EOPNOTSUPP, command, NLM_F_ACK);
	}
	REFUSED(EOPNOTSUPP, TAP_NETLINK_NOTICE, NLM_F_DUMP);
	REFUSED(EOPNOTSUPP, TAP_NETLINK_WINDOW, NLM_F_DUMP);
	REFUSED(EINVAL, TAP_NETLINK_WINDOW, NLM_F_ACK);
	REFUSED(EINVAL, TAP_NETLINK_WINDOW, NLM_F_ACK,
		nl_attr(&req, TAP_ATTR_PROBE, &word, sizeof(word)));
	REFUSED(ERANGE, TAP_NETLINK_WINDOW, NLM_F_ACK,
		nl_attr(&req, TAP_ATTR_SESSION, &none, sizeof(none)));
	REFUSED(EOPNOTSUPP, COMMAND_NONE, NLM_F_DUMP);
	REFUSED(EOPNOTSUPP, 0, NLM_F_DUMP);
	/* Kernels before 6.1 do not check this. */
	uname(&u);
	if (strncmp(u.release, "5.", 2))
		REFUSED(EINVAL, TAP_NETLINK_SESSIONS, NLM_F_DUMP,
			req.genl.reserved = 1);
	ASSERT_EQ(0, nl_dump(self->nl, TAP_NETLINK_SESSIONS));
	EXPECT_EQ(1, self->nl->nr);
}

/* A window of a session of another descriptor, in the name of no probe. */
TEST_F(netlink, a_window_can_be_asked_for)
{
	struct tap_setup setup = {
		.size = sizeof(setup), .flags = TAP_SETUP_F_OVERWRITE, .ring_bytes = 4096,
	};
	struct tap_window w = { .size = sizeof(w), .flags = TAP_WINDOW_F_GIVE, .after = BIT(62) };
	struct pollfd pfd = { .fd = -1, .events = POLLIN };
	__u64 id;

	self->s.fd = open(TAP_DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->s.fd);
	id = nl_last_session(self->nl);
	/* It has no rings yet. */
	EXPECT_EQ(-EOPNOTSUPP, nl_window_of(self->nl, id));
	ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_SETUP, &setup));
	ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_WINDOW, &w));
	pfd.fd = self->s.fd;
	EXPECT_EQ(0, poll(&pfd, 1, 0));
	EXPECT_EQ(-ENXIO, nl_window_of(self->nl, id + 1));
	EXPECT_EQ(0, poll(&pfd, 1, 0));
	EXPECT_EQ(0, nl_window_of(self->nl, id));
	EXPECT_EQ(1, poll(&pfd, 1, 10000));
	EXPECT_EQ(-EBUSY, nl_window_of(self->nl, id));
	w = (struct tap_window){ .size = sizeof(w), .flags = TAP_WINDOW_F_TAKE };
	ASSERT_EQ(0, ioctl(self->s.fd, TAP_IOC_WINDOW, &w));
	EXPECT_EQ(0, w.out_probe);
	EXPECT_EQ(1, w.out_merged);
}

/* The probes of a session of another descriptor. */
TEST_F(netlink, probes_can_be_enabled_and_disabled)
{
	__u32 ids[2];
	__u64 id;

	self->s.fd = open(TAP_DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->s.fd);
	id = nl_last_session(self->nl);
	EXPECT_EQ(-EBADFD, nl_probe_of(self->nl, TAP_NETLINK_ENABLE, id, 0));
	ASSERT_EQ(0, _test_ioctl_setup(self->s.fd, 4096, 0, 0, NULL));
	test_ioctl_create(&ids[0], TAP_PROBE_KPROBE, "tap_target_add");
	test_ioctl_create(&ids[1], TAP_PROBE_KPROBE, "tap_target_six");
	EXPECT_EQ(0, nl_probe_of(self->nl, TAP_NETLINK_ENABLE, id, ids[1]));
	EXPECT_EQ(TAP_STATE_DISABLED, test_state(_metadata, &self->s, ids[0]));
	EXPECT_EQ(TAP_STATE_ENABLED, test_state(_metadata, &self->s, ids[1]));
	EXPECT_EQ(0, nl_probe_of(self->nl, TAP_NETLINK_ENABLE, id, 0));
	EXPECT_EQ(TAP_STATE_ENABLED, test_state(_metadata, &self->s, ids[0]));
	EXPECT_EQ(0, nl_probe_of(self->nl, TAP_NETLINK_DISABLE, id, ids[0]));
	EXPECT_EQ(TAP_STATE_DISABLED, test_state(_metadata, &self->s, ids[0]));
	EXPECT_EQ(TAP_STATE_ENABLED, test_state(_metadata, &self->s, ids[1]));
	EXPECT_EQ(0, nl_probe_of(self->nl, TAP_NETLINK_DISABLE, id, 0));
	EXPECT_EQ(TAP_STATE_DISABLED, test_state(_metadata, &self->s, ids[1]));
	EXPECT_EQ(-ENOENT, nl_probe_of(self->nl, TAP_NETLINK_DISABLE, id, ids[1] + 1));
	EXPECT_EQ(-ENXIO, nl_probe_of(self->nl, TAP_NETLINK_ENABLE, id + 1, 0));
}

/* Which tasks may ask, and which may listen. */
FIXTURE(may)
{
	struct test_session s;
	struct nl *nl;
};

FIXTURE_VARIANT(may)
{
	__u64 caps;
	int dump;
	int control;
	int join;
};

FIXTURE_VARIANT_ADD(may, root)
{
	.caps = ALL_CAPS,
};

FIXTURE_VARIANT_ADD(may, none)
{
	.dump = -EPERM,
	.control = -EPERM,
	.join = -EPERM,
};

FIXTURE_VARIANT_ADD(may, who_may_probe)
{
	.caps = CAP(CAP_PERFMON) | CAP(CAP_SYSLOG) | CAP(CAP_DAC_OVERRIDE),
	.dump = -EPERM,
	.control = -EPERM,
	.join = -EPERM,
};

FIXTURE_VARIANT_ADD(may, who_administers_the_network)
{
	.caps = CAP(CAP_NET_ADMIN),
	.control = -EPERM,
	.join = -EPERM,
};

FIXTURE_VARIANT_ADD(may, who_administers_all_but_that)
{
	.caps = ALL_CAPS & ~CAP(CAP_NET_ADMIN),
	.dump = -EPERM,
	.control = -EPERM,
};

FIXTURE_VARIANT_ADD(may, who_administers_both)
{
	.caps = CAP(CAP_NET_ADMIN) | CAP(CAP_SYS_ADMIN),
};

FIXTURE_VARIANT_ADD(may, who_administers_the_network_and_may_probe)
{
	.caps = CAP(CAP_NET_ADMIN) | CAP(CAP_PERFMON),
	.join = -EPERM,
};

FIXTURE_SETUP(may)
{
	self->s.fd = -1;
	self->nl = NULL;
	test_need_root();
	test_session_open(_metadata, &self->s, 4096);
}

FIXTURE_TEARDOWN(may)
{
	nl_close(self->nl);
	test_session_close(&self->s);
}

/*
 * Kernels older than the stable releases of December 2023 ask for CAP_NET_ADMIN instead of
 * CAP_SYS_ADMIN. Debian's releases have 0 as the third number; all of them are newer.
 */
static int join_result(int newer, __u64 caps)
{
	unsigned int a = 0, b = 0, c = 0;
	struct utsname uts;
	bool older;

	uname(&uts);
	sscanf(uts.release, "%u.%u.%u", &a, &b, &c);
	older = c && ((a == 5 && b == 10 && c < 204) || (a == 5 && b == 15 && c < 143) ||
		      (a == 6 && b == 1 && c < 68) || (a == 6 && b == 6 && c < 7));
	return older ? caps & CAP(CAP_NET_ADMIN) ? 0 : -EPERM : newer;
}

TEST_F(may, ask_and_listen)
{
	struct nl *nl = nl_open(_metadata);
	__u64 session = nl_last_session(nl);
	__u32 probe;

	nl_close(nl);
	test_ioctl_create(&probe, TAP_PROBE_MARK, "mark");
	ASSERT_EQ(0, test_keep_caps(variant->caps));
	/* The capabilities of both the opener and the sender of a socket are checked. */
	self->nl = nl_open(_metadata);
	EXPECT_EQ(variant->dump, nl_dump(self->nl, TAP_NETLINK_SESSIONS));
	EXPECT_EQ(!variant->dump, self->nl->nr);
	EXPECT_EQ(variant->dump, nl_dump(self->nl, TAP_NETLINK_PROBES));
	EXPECT_EQ(!variant->dump, self->nl->nr);
	/* Who may do it hears that the session has no windows. */
	EXPECT_EQ(variant->control ?: -EOPNOTSUPP, nl_window_of(self->nl, session));
	EXPECT_EQ(join_result(variant->join, variant->caps), nl_join(self->nl) ? -errno : 0);
}

TEST_F(netlink, a_user_may_neither_ask_nor_listen)
{
	test_session_open(_metadata, &self->s, 4096);
	ASSERT_EQ(0, setuid(65534));
	EXPECT_EQ(-EPERM, nl_dump(self->nl, TAP_NETLINK_SESSIONS));
	EXPECT_EQ(-EPERM, nl_dump(self->nl, TAP_NETLINK_PROBES));
	EXPECT_EQ(0, self->nl->nr);
	EXPECT_EQ(-EPERM, nl_window_of(self->nl, 1));
	EXPECT_ERRNO(EPERM, nl_join(self->nl));
}

/* Capabilities in a namespace of one's own do not count, and the family does not exist there. */
TEST_F(netlink, is_in_the_first_namespaces_alone)
{
	struct nl *nl = calloc(1, sizeof(*nl));
	int status;
	pid_t child;

	ASSERT_NE(NULL, nl);
	test_session_open(_metadata, &self->s, 4096);
	ASSERT_EQ(0, nl_dump(self->nl, TAP_NETLINK_SESSIONS));
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		ASSERT_EQ(0, unshare(CLONE_NEWNET));
		nl->fd = nl_socket();
		EXPECT_EQ(-ENOENT, nl_find(nl));
		/* Nor can a sender that knows the number of the family use it. */
		nl->family = self->nl->family;
		EXPECT_EQ(-ENOENT, nl_dump(nl, TAP_NETLINK_SESSIONS));
		EXPECT_EQ(0, nl->nr);
		_exit(_metadata->exit_code);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		ASSERT_EQ(0, unshare(CLONE_NEWUSER));
		nl->fd = nl_socket();
		nl->family = self->nl->family;
		nl->group = self->nl->group;
		EXPECT_EQ(-EPERM, nl_dump(nl, TAP_NETLINK_SESSIONS));
		EXPECT_ERRNO(EPERM, nl_join(nl));
		_exit(_metadata->exit_code);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	/* Task ids would be wrong in another pid namespace. */
	ASSERT_EQ(0, unshare(CLONE_NEWPID));
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		EXPECT_EQ(-EPERM, nl_dump(self->nl, TAP_NETLINK_SESSIONS));
		EXPECT_EQ(-EPERM, nl_dump(self->nl, TAP_NETLINK_PROBES));
		EXPECT_EQ(0, self->nl->nr);
		_exit(_metadata->exit_code);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	free(nl);
}

#define MANY		200
#define MANY_PROBES	5

/* Takes the rest of an answer in parts of the smallest size; returns the result. */
static int take_rest(struct nl *nl)
{
	int ret;

	do
		ret = nl_part(nl, 0);
	while (!ret);
	return ret;
}

TEST_F(netlink, many_are_reported_in_parts_and_once_each)
{
	unsigned int i, seen = 0;
	__u64 last = 0;
	int fd[MANY];

	for (i = 0; i < MANY; i++) {
		fd[i] = open_small(MANY_PROBES);
		ASSERT_LE(0, fd[i]) TH_LOG("%u: %s", i, strerror(errno));
	}
	ASSERT_EQ(0, nl_dump(self->nl, TAP_NETLINK_SESSIONS));
	EXPECT_EQ(MANY, self->nl->nr);
	EXPECT_LT(2, self->nl->parts);
	for (i = 0; i < self->nl->nr; i++) {
		EXPECT_LT(last, self->nl->message[i].number[TAP_ATTR_SESSION]);
		last = self->nl->message[i].number[TAP_ATTR_SESSION];
		EXPECT_EQ(MANY_PROBES, self->nl->message[i].number[TAP_ATTR_PROBES]);
	}
	ASSERT_EQ(0, nl_dump(self->nl, TAP_NETLINK_PROBES));
	EXPECT_EQ(MANY * MANY_PROBES, self->nl->nr);
	EXPECT_LT(10, self->nl->parts);
	for (i = 0; i < self->nl->nr; i++) {
		const struct nl_message *msg = &self->nl->message[i];

		EXPECT_EQ(i % MANY_PROBES + 1, msg->number[TAP_ATTR_PROBE]);
		if (i)
			EXPECT_EQ(i % MANY_PROBES ? 0 : 1,
				  msg->number[TAP_ATTR_SESSION] -
				  msg[-1].number[TAP_ATTR_SESSION]);
		seen += msg->number[TAP_ATTR_TYPE] == TAP_PROBE_MARK &&
			!strcmp(msg->target, "mark");
	}
	EXPECT_EQ(MANY * MANY_PROBES, seen);
	for (i = 0; i < MANY; i++)
		close(fd[i]);
}

/* Between two parts every other session is closed, and the one where the part ended. */
TEST_F(netlink, those_that_stay_open_are_reported_while_others_close)
{
	struct nl_request req = nl_request(self->nl->family, TAP_NETLINK_PROBES,
					   NLM_F_DUMP);
	unsigned int i, k, here, at = 0;
	__u64 first, ended;
	int fd[MANY];

	for (i = 0; i < MANY; i++) {
		fd[i] = open_small(MANY_PROBES);
		ASSERT_LE(0, fd[i]);
	}
	first = nl_last_session(self->nl) - MANY + 1;
	ASSERT_EQ(0, nl_send(self->nl, &req));
	/* Until a part ends in the middle of a session. */
	do {
		ASSERT_EQ(0, nl_part(self->nl, 0));
		ended = self->nl->message[self->nl->nr - 1].number[TAP_ATTR_PROBE];
	} while (ended == MANY_PROBES);
	at = self->nl->message[self->nl->nr - 1].number[TAP_ATTR_SESSION] - first;
	ASSERT_GT(MANY - 20, at);
	/*
	 * The kernel makes the next part when this one is taken, so the part after it is the
	 * first one affected.
	 */
	for (i = at % 2; i < MANY; i += 2) {
		close(fd[i]);
		fd[i] = -1;
	}
	for (i = at % 2; i < 20; i += 2) {
		fd[i] = open_small(1);
		ASSERT_LE(0, fd[i]);
	}
	EXPECT_EQ(1, take_rest(self->nl));
	for (i = 1 - at % 2; i < MANY; i += 2) {
		for (k = 1; k <= MANY_PROBES; k++)
			EXPECT_NE(NULL, nl_find_message(self->nl, first + i, k));
	}
	for (i = at + 40, here = 0; i < MANY; i += 2)
		here += !!nl_find_message(self->nl, first + i, 1);
	EXPECT_EQ(0, here);
	for (i = 0; i < MANY; i++)
		if (fd[i] >= 0)
			close(fd[i]);
}

/* A thread that opens and closes sessions and makes events until it is stopped. */
struct churn {
	pthread_t thread;
	bool *stop;
	int target;
	unsigned int rounds;
	bool failed;
};

static void *churn_sessions(void *arg)
{
	struct churn *c = arg;

	while (!__atomic_load_n(c->stop, __ATOMIC_RELAXED)) {
		int fd = open_small(3);

		c->failed |= fd < 0 ||
			     _test_ioctl_create(fd, NULL, TAP_PROBE_KPROBE,
						"tap_target_add", NULL, 0) ||
			     _test_ioctl_enable(fd, 0);
		close(fd);
		c->rounds++;
	}
	return NULL;
}

static void *churn_hits(void *arg)
{
	struct churn *c = arg;

	while (!__atomic_load_n(c->stop, __ATOMIC_RELAXED)) {
		c->failed |= _test_target(c->target, TAP_TARGET_CALL, TAP_TARGET_ADD,
					  1000, 0, NULL) != 0;
		c->rounds++;
	}
	return NULL;
}

TEST_F(netlink, dumps_in_a_storm)
{
	bool stop = false;
	struct churn churn[] = {
		{ .stop = &stop, .target = self->target },
		{ .stop = &stop, .target = self->target },
	};
	unsigned int i, busy = 0, dumps = 0;
	const struct nl_message *msg;
	__u64 id, hits = 0;
	__u32 probe = 0;

	test_session_open(_metadata, &self->s, 4096);
	test_ioctl_create(&probe, TAP_PROBE_KPROBE, "tap_target_add");
	test_ioctl_enable(probe);
	id = nl_last_session(self->nl);
	ASSERT_EQ(0, pthread_create(&churn[0].thread, NULL, churn_sessions, &churn[0]));
	ASSERT_EQ(0, pthread_create(&churn[1].thread, NULL, churn_hits, &churn[1]));
	while (dumps < 50 ||
	       __atomic_load_n(&churn[0].rounds, __ATOMIC_RELAXED) < 3 ||
	       __atomic_load_n(&churn[1].rounds, __ATOMIC_RELAXED) < 3) {
		ASSERT_EQ(0, nl_dump(self->nl, dumps & 1 ? TAP_NETLINK_PROBES :
							   TAP_NETLINK_SESSIONS));
		msg = nl_find_message(self->nl, id, dumps & 1 ? probe : 0);
		ASSERT_NE(NULL, msg);
		/* No command runs in this test's session, and its counters never decrease. */
		ASSERT_FALSE(msg->has & BIT(TAP_ATTR_BUSY));
		ASSERT_LE(hits, msg->number[TAP_ATTR_HITS]);
		hits = msg->number[TAP_ATTR_HITS];
		for (i = 0; i < self->nl->nr; i++)
			busy += !!(self->nl->message[i].has & BIT(TAP_ATTR_BUSY));
		dumps++;
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < ARRAY_SIZE(churn); i++) {
		pthread_join(churn[i].thread, NULL);
		EXPECT_FALSE(churn[i].failed);
	}
	test_ioctl_disable(probe);
	ASSERT_EQ(0, nl_dump_of(self->nl, TAP_NETLINK_PROBES, id));
	ASSERT_EQ(1, self->nl->nr);
	EXPECT_EQ(test_counters(_metadata, &self->s, probe).hits,
		  self->nl->message[0].number[TAP_ATTR_HITS]);
	EXPECT_EQ(1000ULL * churn[1].rounds, self->nl->message[0].number[TAP_ATTR_HITS]);
	TH_LOG("%u dumps beside %u sessions, %u of them busy", dumps,
	       churn[0].rounds, busy);
}

/* A command that blocks until the memory that it reads is provided (userfaultfd). */
struct stuck {
	pthread_t thread;
	int fd;
	char *page;
	int ret;
};

static void *create_stuck(void *arg)
{
	struct stuck *s = arg;
	struct tap_create create = test_create_arg(TAP_PROBE_MARK, "mark", NULL, 0);

	create.target = (uintptr_t)s->page;
	s->ret = ioctl(s->fd, TAP_IOC_CREATE, &create);
	return NULL;
}

/* A thread that dumps the sessions until it is stopped. */
struct dumper {
	pthread_t thread;
	struct nl *nl;
	unsigned int dumps;
	bool stop;
	bool failed;
};

static void *dump_sessions(void *arg)
{
	struct dumper *d = arg;

	while (!__atomic_load_n(&d->stop, __ATOMIC_RELAXED)) {
		d->failed |= nl_dump(d->nl, TAP_NETLINK_SESSIONS) != 0;
		__atomic_add_fetch(&d->dumps, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* Sessions that are opened and closed beside the dumps. */
#define BESIDE	30

/*
 * Each dump waits 10 ms and more for a session at work. Sessions that are opened and closed
 * meanwhile do not wait for a dump each.
 */
static void open_beside_dumps(struct __test_metadata *_metadata, struct nl *nl)
{
	struct dumper d = { .nl = nl };
	unsigned int i, begin;

	ASSERT_EQ(0, pthread_create(&d.thread, NULL, dump_sessions, &d));
	while (!__atomic_load_n(&d.dumps, __ATOMIC_RELAXED))
		usleep(1000);
	begin = __atomic_load_n(&d.dumps, __ATOMIC_RELAXED);
	for (i = 0; i < BESIDE; i++)
		close(open_small(0));
	i = __atomic_load_n(&d.dumps, __ATOMIC_RELAXED) - begin;
	__atomic_store_n(&d.stop, true, __ATOMIC_RELAXED);
	pthread_join(d.thread, NULL);
	EXPECT_FALSE(d.failed);
	TH_LOG("%u dumps beside %u sessions", i, BESIDE);
	EXPECT_GT(BESIDE * 2 / 3, i);
}

TEST_F(netlink, a_session_at_work_keeps_nobody_waiting)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct uffdio_copy copy = { .len = page };
	char *memory = aligned_alloc(page, page);
	const struct nl_message *msg;
	struct uffd_msg fault;
	struct stuck stuck;
	__u64 id, other;
	int faults, fd;

	faults = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (faults < 0 || ioctl(faults, UFFDIO_API, &api))
		SKIP(return, "no userfaultfd: %s", strerror(errno));
	stuck.page = mmap(NULL, page, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)stuck.page);
	reg.range.start = (uintptr_t)stuck.page;
	reg.range.len = page;
	ASSERT_EQ(0, ioctl(faults, UFFDIO_REGISTER, &reg));
	test_session_open(_metadata, &self->s, 4096);
	id = nl_last_session(self->nl);
	fd = open_small(1);
	ASSERT_LE(0, fd);
	other = nl_last_session(self->nl);
	stuck.fd = self->s.fd;
	ASSERT_EQ(0, pthread_create(&stuck.thread, NULL, create_stuck, &stuck));
	ASSERT_EQ(sizeof(fault), read(faults, &fault, sizeof(fault)));

	/* Now it holds the lock of its session. */
	ASSERT_EQ(0, nl_dump(self->nl, TAP_NETLINK_SESSIONS));
	msg = nl_find_message(self->nl, id, 0);
	ASSERT_NE(NULL, msg);
	EXPECT_TRUE(msg->has & BIT(TAP_ATTR_BUSY));
	EXPECT_TRUE(msg->has & BIT(TAP_ATTR_COMM));
	EXPECT_EQ(0, msg->has & (BIT(TAP_ATTR_HITS) | BIT(TAP_ATTR_PROBES)));
	msg = nl_find_message(self->nl, other, 0);
	ASSERT_NE(NULL, msg);
	EXPECT_FALSE(msg->has & BIT(TAP_ATTR_BUSY));
	EXPECT_EQ(1, msg->number[TAP_ATTR_PROBES]);
	ASSERT_EQ(0, nl_dump(self->nl, TAP_NETLINK_PROBES));
	ASSERT_EQ(2, self->nl->nr);
	EXPECT_EQ(BIT(TAP_ATTR_BUSY) | BIT(TAP_ATTR_SESSION),
		  self->nl->message[0].has & ~BIT(TAP_ATTR_PAD));
	EXPECT_NE(NULL, nl_find_message(self->nl, other, 1));
	/* Nor is a command to it. */
	EXPECT_EQ(-EAGAIN, nl_probe_of(self->nl, TAP_NETLINK_DISABLE, id, 0));
	EXPECT_EQ(-EAGAIN, nl_window_of(self->nl, id));
	/* Opening and closing other sessions is not blocked. */
	close(open_small(0));
	open_beside_dumps(_metadata, self->nl);

	memset(memory, 0, page);
	memcpy(memory, "mark", 4);
	copy.dst = (uintptr_t)stuck.page;
	copy.src = (uintptr_t)memory;
	ASSERT_EQ(0, ioctl(faults, UFFDIO_COPY, &copy));
	pthread_join(stuck.thread, NULL);
	EXPECT_EQ(0, stuck.ret);
	ASSERT_EQ(0, nl_dump(self->nl, TAP_NETLINK_PROBES));
	EXPECT_NE(NULL, nl_find_message(self->nl, id, 1));
	close(fd);
	close(faults);
	free(memory);
}

/* A dump that was not read to its end, of sessions that are closed by now. */
TEST_F(netlink, a_dump_holds_the_module)
{
	struct nl_request req = nl_request(self->nl->family, TAP_NETLINK_PROBES,
					   NLM_F_DUMP);
	unsigned int i;
	int fd[MANY];

	test_need_module("tapmod");
	for (i = 0; i < MANY; i++) {
		fd[i] = open_small(MANY_PROBES);
		ASSERT_LE(0, fd[i]);
	}
	ASSERT_EQ(0, nl_send(self->nl, &req));
	ASSERT_EQ(0, nl_part(self->nl, 0));
	for (i = 0; i < MANY; i++)
		close(fd[i]);
	EXPECT_ERRNO(EWOULDBLOCK, test_module_unload("tapmod"));
	EXPECT_LT(0, test_module_refs("tapmod"));
	EXPECT_EQ(1, take_rest(self->nl));
	EXPECT_EQ(0, test_module_refs("tapmod"));
	/* The same for a dump that was given up; a listener holds no reference. */
	fd[0] = open_small(MANY_PROBES * MANY);
	ASSERT_LE(0, fd[0]);
	ASSERT_EQ(0, nl_send(self->nl, &req));
	ASSERT_EQ(0, nl_part(self->nl, 0));
	close(fd[0]);
	EXPECT_LT(0, test_module_refs("tapmod"));
	close(self->nl->fd);
	self->nl->fd = nl_socket();
	/* Kernels before 6.12 end the dump of a closed socket after a grace period. */
	for (i = 0; i < 1000 && test_module_refs("tapmod"); i++)
		usleep(1000);
	EXPECT_EQ(0, test_module_refs("tapmod"));
	ASSERT_EQ(0, nl_join(self->nl));
	ASSERT_EQ(0, test_module_unload("tapmod")) TH_LOG("%s", strerror(errno));
	EXPECT_EQ(-ENOENT, nl_dump(self->nl, TAP_NETLINK_SESSIONS));
	EXPECT_EQ(-ENOENT, nl_find(self->nl));
	ASSERT_EQ(0, test_module_load("tapmod", "")) TH_LOG("%s", strerror(errno));
	EXPECT_EQ(0, nl_find(self->nl));
	EXPECT_EQ(0, nl_dump(self->nl, TAP_NETLINK_SESSIONS));
}

TEST_HARNESS_MAIN
