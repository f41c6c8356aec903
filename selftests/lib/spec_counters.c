// SPDX-License-Identifier: GPL-2.0
/*
 * Part of spec_test: the counter of an event, its period and its unit.
 */
#include <linux/perf_event.h>
#include <string.h>

#include "lang/lang.h"
#include "lang/target.h"
#include "selftests/lib/check.h"
#include "selftests/lib/spec_counters.h"
#include "util/util.h"
#include "spec/spec.h"

static const struct {
	const char *text;
	__u32 type;
	__u64 config;
	__u64 period;
	__u32 flags;
} counters[] = {
	{ "profile:hz:99", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK,
	  10101010, 0 },
	{ "profile:hz:100000", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK,
	  10000, 0 },
	{ "profile:s:2", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK,
	  2000000000, 0 },
	{ "profile:ms:5", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 5000000,
	  0 },
	{ "profile:us:10", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 10000,
	  0 },
	{ "software:page-faults:1", PERF_TYPE_SOFTWARE,
	  PERF_COUNT_SW_PAGE_FAULTS, 1, 0 },
	{ "software:faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 100,
	  0 },
	{ "software:context-switches:", PERF_TYPE_SOFTWARE,
	  PERF_COUNT_SW_CONTEXT_SWITCHES, 1000, 0 },
	{ "software:emulation-faults", PERF_TYPE_SOFTWARE,
	  PERF_COUNT_SW_EMULATION_FAULTS, 1, 0 },
	{ "software:task-clock:u", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK,
	  1000000, TAP_PERF_F_NO_KERNEL | TAP_PERF_F_NO_HV },
	{ "software:cpu-clock:I:5000", PERF_TYPE_SOFTWARE,
	  PERF_COUNT_SW_CPU_CLOCK, 5000, TAP_PERF_F_NO_IDLE },
	{ "hardware:cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES,
	  1000000, TAP_PERF_F_NO_GUEST },
	{ "hardware:branch-misses", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_BRANCH_MISSES, 100000, TAP_PERF_F_NO_GUEST },
	{ "hardware:r1a8:k:4611686018427387904", PERF_TYPE_RAW, 0x1a8,
	  1ULL << 62, TAP_PERF_F_NO_USER | TAP_PERF_F_NO_HV |
	  TAP_PERF_F_NO_GUEST },
};

void test_counters(void)
{
	const struct tap_perf *perf;
	struct tap_error err;
	struct tap_spec spec;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(counters); i++) {
		if (tap_spec_parse_into(&spec, counters[i].text, &err)) {
			check(false, "%s: %s", counters[i].text, err.text);
			continue;
		}
		perf = &spec.perf;
		check(spec.type == TAP_PROBE_EVENT &&
		      !strcmp(spec.event, counters[i].text) &&
		      perf->size == sizeof(*perf) &&
		      perf->type == counters[i].type &&
		      perf->config == counters[i].config &&
		      perf->period == counters[i].period &&
		      perf->flags == counters[i].flags && !tap_spec_glob(&spec),
		      "counter: %s", counters[i].text);
		tap_spec_clear(&spec);
	}
}
