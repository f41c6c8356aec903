/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the parts of format_value_test.
 */
#ifndef _TEST_LIB_FORMAT_VALUE_TEST_H
#define _TEST_LIB_FORMAT_VALUE_TEST_H

#include <stdbool.h>

#include <libtap.h>

/**
 * struct hit - a record of one probe
 * @type: type of the probe
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

/* Process, time and resolver of names for the next events. */
extern __u32 hit_tgid;
extern __u64 hit_time;
extern int (*hit_resolve_user)(const void *arg, __u32 tgid, __u64 time, __u64 addr,
			       char *buf, size_t len);

/* The line of an event, from the text after the event's name on. */
const char *hit_line(const struct hit *hit, const struct tap_field *fields,
		     unsigned int nr_fields, bool json);

#endif /* _TEST_LIB_FORMAT_VALUE_TEST_H */
