// SPDX-License-Identifier: GPL-2.0
/*
 * Probes on functions listed in a file, one name a line. Each function is refused, or the
 * machine survives the probe, while probes of all types fire on every CPU. The lists:
 * functions that the handlers call, functions on the kernel's kprobe blacklist, random
 * functions.
 *
 * usage: TEST_NAMES=FILE [TEST_AT_ONCE=N] handler_reachable_test
 */
#include "selftests/module/tap_harness.h"

/*
 * Default for the number of functions probed at once: enough for a kprobe batch where one is
 * possible. A debug kernel calls some of these functions all the time and needs fewer.
 */
#define AT_ONCE		50
#define CALLS		200

FIXTURE(reach)
{
	struct test_session s;	/* whose probes are hit */
	struct test_session on;	/* whose are on the functions */
	int target;
	FILE *names;
	unsigned int at_once;
	unsigned int named;
	unsigned int armed;
	__u64 hits;
	__u64 lost;
	__u64 missed;
};

/* Each variant has another type of probe, to run handlers at entries and at returns. */
FIXTURE_VARIANT(reach)
{
	__u32 type;
};
FIXTURE_VARIANT_ADD(reach, kprobe) { .type = TAP_PROBE_KPROBE };
FIXTURE_VARIANT_ADD(reach, call) { .type = TAP_PROBE_CALL };

FIXTURE_SETUP(reach)
{
	self->on.fd = -1;
	test_setup();
	if (!getenv("TEST_NAMES"))
		SKIP(return, "TEST_NAMES is not set");
	self->names = fopen(getenv("TEST_NAMES"), "re");
	ASSERT_NE(NULL, self->names);
	self->at_once = getenv("TEST_AT_ONCE") ? atoi(getenv("TEST_AT_ONCE")) : AT_ONCE;
	test_session_open(_metadata, &self->s, 65536);
}

FIXTURE_TEARDOWN(reach)
{
	if (self->names)
		fclose(self->names);
	test_session_close(&self->on);
	test_teardown();
}

/* Creates probes of the next names on @self->on; returns how many. */
static unsigned int take_names(struct __test_metadata *_metadata, FIXTURE_DATA(reach) *self,
			       __u32 type)
{
	static const struct tap_op arg = OP_ARG(0);
	unsigned int nr = 0, tries = 0;
	char name[512];
	__u32 id;

	while (tries < self->at_once && fgets(name, sizeof(name), self->names)) {
		name[strcspn(name, "\n")] = 0;
		tries++;
		if (_test_ioctl_create(self->on.fd, &id, type, name, &arg, 1)) {
			/*
			 * The function does not exist or must not be probed; no other error is
			 * allowed.
			 */
			EXPECT_TRUE(errno == ENOENT || errno == EADDRNOTAVAIL ||
				    errno == EILSEQ || errno == EINVAL) {
				TH_LOG("%s: %s", name, strerror(errno));
			}
			continue;
		}
		nr++;
	}
	self->named += tries;
	self->armed += nr;
	return tries ? nr : -1U;
}

static void settle(struct __test_metadata *_metadata, FIXTURE_DATA(reach) *self, unsigned int nr)
{
	struct tap_counters all[TEST_MAX_RINGS];
	struct tap_counters c;
	struct tap_stats stats;
	unsigned int i;

	for (i = 1; i <= nr; i++) {
		c = test_counters(_metadata, &self->on, i);
		self->hits += c.hits;
		self->lost += c.lost_nested;
		ASSERT_EQ(0, _test_ioctl_stats(self->on.fd, i, all, self->on.nr_rings, &stats));
		self->missed += stats.out_nmissed + stats.out_nmissed_return;
	}
}

TEST_F_TIMEOUT(reach, functions_are_refused_or_survived, 900)
{
	unsigned int nr, i;

	ASSERT_EQ(0, test_arm_everything(self->s.fd)) TH_LOG("%s", strerror(errno));
	for (;;) {
		test_session_open(_metadata, &self->on, 4096);
		nr = take_names(_metadata, self, variant->type);
		if (nr == -1U)
			break;
		/* If one of them cannot be armed, none is: then arm one at a time. */
		if (_test_ioctl_enable(self->on.fd, 0))
			for (i = 1; i <= nr; i++)
				_test_ioctl_enable(self->on.fd, i);
		for (i = 0; i < 2; i++) {
			ASSERT_EQ(0, test_pin(i));
			test_target_call(TAP_TARGET_ADD, CALLS);
			test_target_call(TAP_TARGET_EVENT, CALLS);
			test_target_call(TAP_TARGET_HARDIRQ, 10);
		}
		test_session_drain(&self->s, NULL);
		test_session_drain(&self->on, NULL);
		ASSERT_EQ(0, _test_ioctl_disable(self->on.fd, 0));
		settle(_metadata, self, nr);
		test_session_close(&self->on);
	}
	EXPECT_LT(0, self->named);
	for (i = 1; i <= 3; i++)
		EXPECT_LT(0, test_counters(_metadata, &self->s, i).hits);
	TH_LOG("%u functions, %u armed, %llu hits, %llu of them lost nested, %llu missed by the kernel",
	       self->named, self->armed, self->hits, self->lost, self->missed);
}

TEST_HARNESS_MAIN
