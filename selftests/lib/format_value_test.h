/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What format_value_test shares with its units.
 */
#ifndef _TEST_LIB_FORMAT_VALUE_TEST_H
#define _TEST_LIB_FORMAT_VALUE_TEST_H

#include <stdbool.h>

#include <libtap.h>

/**
 * struct hit - a record of one probe
 * @type: of the probe
 * @flags: TAP_F_* of the record
 * @words: its value words
 * @nr: number of @words
 */
struct hit {
	enum tap_probe_type type;
	__u32 flags;
	const __u64 *words;
	unsigned int nr;
};

/* The process, the time and the names of the next hits. */
extern __u32 hit_tgid;
extern __u64 hit_time;
extern int (*hit_resolve_user)(const void *arg, __u32 tgid, __u64 time, __u64 addr,
			       char *buf, size_t len);

/* The line of a hit, from what follows the name of the event. */
const char *hit_line(const struct hit *hit, const struct tap_field *fields,
		     unsigned int nr_fields, bool json);

#endif /* _TEST_LIB_FORMAT_VALUE_TEST_H */
