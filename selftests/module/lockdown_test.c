// SPDX-License-Identifier: GPL-2.0
/*
 * Test of a kernel that is locked down. Lockdown cannot be switched off again, so this is the
 * last program that runs in a guest.
 */
#include "selftests/module/tap_harness.h"

#include <linux/perf_event.h>
#include <sys/mount.h>

#define LOCKDOWN	"/sys/kernel/security/lockdown"

FIXTURE(lockdown)
{
	struct test_session s;
	int target;
};

FIXTURE_SETUP(lockdown)
{
	test_setup();
	if (access(LOCKDOWN, F_OK))
		mount("none", "/sys/kernel/security", "securityfs", 0, NULL);
	if (access(LOCKDOWN, W_OK))
		SKIP(return, "this kernel has no lockdown");
	test_session_open(_metadata, &self->s, 4096);
}

FIXTURE_TEARDOWN(lockdown)
{
	test_teardown();
}

TEST_F(lockdown, refuses_what_reads_the_kernel)
{
	const struct tap_perf clock = {
		.size = sizeof(clock),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
	};
	struct tap_pmu pmu = {
		.size = sizeof(pmu),
		.events = (uintptr_t)&clock,
		.nr_events = 1,
	};
	struct tap_probe_info info;
	__u32 id, off;

	/* "integrity" forbids writing to the kernel, which no probe does. */
	ASSERT_EQ(0, test_write_file(LOCKDOWN, "integrity"));
	test_ioctl_create(&id, TAP_PROBE_KPROBE, "tap_target_add");
	test_ioctl_create(&off, TAP_PROBE_KPROBE, "tap_target_add");
	test_ioctl_enable(id);
	test_target_call(TAP_TARGET_ADD, 3);

	ASSERT_EQ(0, test_write_file(LOCKDOWN, "confidentiality"));
	EXPECT_ERRNO(EPERM, open(TAP_DEVICE, O_RDWR | O_CLOEXEC));
	test_err_ioctl_create(EPERM, TAP_PROBE_KPROBE, "tap_target_add");
	test_err_ioctl_enable(EPERM, off);
	EXPECT_ERRNO(EPERM, ioctl(self->s.fd, TAP_IOC_PMU, &pmu));
	/* The session is as before, and can be taken down. */
	test_ioctl_probe_info(id, NULL, 0, &info);
	EXPECT_EQ(TAP_STATE_ENABLED, info.out_state);
	test_ioctl_disable(0);
	EXPECT_EQ(3, test_counters(_metadata, &self->s, id).written);
	EXPECT_EQ(3, test_session_drain(&self->s, NULL));
	test_ioctl_delete(id);
}

TEST_HARNESS_MAIN
