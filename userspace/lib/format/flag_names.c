// SPDX-License-Identifier: LGPL-2.1
/*
 * Names of a record's flags.
 */
#include "format/formatter.h"

const struct tap_flag_name tap_flag_names[] = {
	{ TAP_F_NMI, "nmi" },
	{ TAP_F_HARDIRQ, "irq" },
	{ TAP_F_SOFTIRQ, "softirq" },
	{ TAP_F_MIGRATED, "migrated" },
	{ TAP_F_DESCHEDULED, "descheduled" },
	{ TAP_F_NESTED, "nested" },
	{ TAP_F_MULTIPLEXED, "multiplexed" },
	{ TAP_F_ABSENT, "absent" },
	{ TAP_F_TRUNCATED, "truncated" },
	{ TAP_F_DEFERRED, "deferred" },
	{ TAP_F_USER, "user" },
	{ TAP_F_RACED, "raced" },
	{ 0, NULL },
};
