// SPDX-License-Identifier: GPL-2.0
/*
 * Runs in a guest that will die: four sessions whose rings are overwritten and which a panic prints.
 * One has records in both sets of its rings when it prints "ready". One has a storm on each CPU until
 * the end. Two have pointers of the kernel: the opener of the last may not see them. See
 * selftests/tool/dump_test.
 * usage: flight_rig RECORDS
 */
#include "selftests/module/tap_harness.h"

#include <err.h>

#define RING_BYTES	4096
#define FIRST		0x5000
#define CALLS		200	/* on each CPU; a ring of the first set has room for 64 */
#define LATER		12	/* in the second set, on each CPU */

static int rig_open(__u32 panic, const char *target)
{
	struct tap_create create = test_create_arg(TAP_PROBE_KPROBE, target, OPS(OP_ARG(0)));
	struct tap_setup setup = {
		.size = sizeof(setup), .flags = TAP_SETUP_F_OVERWRITE, .ring_bytes = RING_BYTES,
		.panic = panic,
	};
	struct tap_probe_ref all = { .size = sizeof(all) };
	int fd = open(TAP_DEVICE, O_RDWR | O_CLOEXEC);

	create.limit = TAP_NO_LIMIT;
	if (fd < 0 || ioctl(fd, TAP_IOC_SETUP, &setup) || ioctl(fd, TAP_IOC_CREATE, &create) ||
	    ioctl(fd, TAP_IOC_ENABLE, &all))
		return -1;
	return fd;
}

/* Opens two sessions, the second without CAP_SYSLOG, and makes calls with a pointer for both. */
static int rig_pointers(int target, __u32 panic)
{
	struct tap_target_run run = { .function = TAP_TARGET_POINTER, .count = panic };

	return rig_open(panic, "tap_target_pointer") < 0 ||
	       test_keep_caps(BIT(CAP_DAC_OVERRIDE) | BIT(CAP_PERFMON)) ||
	       rig_open(panic, "tap_target_pointer") < 0 || ioctl(target, TAP_TARGET_CALL, &run);
}

/* Calls tap_target_values() with numbers from @first on, on one CPU after the other. */
static int rig_call(int target, __u64 first, unsigned int calls, unsigned int nr_cpus)
{
	struct tap_target_run run = { .function = TAP_TARGET_VALUES, .count = 1 };
	unsigned int i;

	for (i = 0; i < calls * nr_cpus; i++) {
		run.arg[0] = first + i;
		if (test_pin(i % nr_cpus) || ioctl(target, TAP_TARGET_CALL, &run))
			return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	const unsigned int nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct tap_window window = { .size = sizeof(window), .flags = TAP_WINDOW_F_TAKE };
	__u32 panic = argc > 1 ? atoi(argv[1]) : 0;
	int target = open("/dev/tap_target", O_RDWR | O_CLOEXEC), storm;
	int calls = rig_open(panic, "tap_target_values");
	unsigned int cpu;

	if (target < 0 || calls < 0 || rig_call(target, FIRST, CALLS, nr_cpus) ||
	    ioctl(calls, TAP_IOC_WINDOW, &window) ||
	    rig_call(target, FIRST + CALLS * nr_cpus, LATER, nr_cpus))
		err(1, "flight_rig: calls");
	storm = rig_open(panic, "tap_target_add");
	if (rig_pointers(target, panic))
		err(1, "flight_rig: pointers");
	for (cpu = 0; cpu < nr_cpus; cpu++)
		if (storm < 0 || _test_target(target, TAP_TARGET_STORM, TAP_TARGET_ADD, 0, cpu, NULL))
			err(1, "flight_rig: the storm");
	fprintf(stderr, "ready\n");
	for (;;)
		pause();
}
