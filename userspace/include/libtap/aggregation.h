/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * What the aggregation of a probe has counted. Included by libtap.h, which has the conventions.
 */
#ifndef _LIBTAP_AGGREGATION_H
#define _LIBTAP_AGGREGATION_H

#include <libtap/session.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct tap_aggregation - what was counted, all CPUs together
 * @agg: how it is aggregated; not owned
 * @count_at: word of a row that has the count
 * @row_words: words of a row, which are those of an entry, see struct tap_read
 * @value_at: first word of each value
 * @value_words: words of each, without the last one (events in which it was absent)
 * @rows: the rows, each with a different key, in the order of the keys' words; the
 *	last row may be that of all keys that found no room; allocated
 * @nr: number of @rows, with that row
 * @room: rows for which @rows is allocated
 */
struct tap_aggregation {
	const struct tap_spec_agg *agg;
	unsigned int count_at;
	unsigned int row_words;
	unsigned int value_at[TAP_MAX_AGGS];
	unsigned int value_words[TAP_MAX_AGGS];
	__u64 *rows;
	size_t nr;
	size_t room;
};

/**
 * struct tap_bucket - a bucket of a histogram
 * @from: the least value in it, if it is not @lowest
 * @to: the first value above it, if it is not @highest
 * @lowest: it has no lower bound
 * @highest: it has no upper bound
 *
 * The bounds are signed if the value is.
 */
struct tap_bucket {
	__u64 from;
	__u64 to;
	_Bool lowest;
	_Bool highest;
};

/**
 * tap_aggregation_init() - make an aggregation without rows
 * @a: filled in; end it with tap_aggregation_free()
 * @agg: description of the aggregation; must stay as long as @a
 *
 * Return: 0, or -EINVAL if @agg is not valid.
 */
LIBTAP_API int tap_aggregation_init(struct tap_aggregation *a,
				    const struct tap_spec_agg *agg);

/**
 * tap_aggregation_free() - free the rows
 * @a: may be all zero; has no rows afterwards
 */
LIBTAP_API void tap_aggregation_free(struct tap_aggregation *a);

/**
 * tap_aggregation_read() - read the tables of all CPUs and add them up
 * @a: of tap_aggregation_init(); rows that it has are dropped
 * @session: session of the probe; events may go on
 * @id: the probe
 *
 * Return: 0; -ENOMEM; -EBADMSG if the kernel's answer is not valid; or
 * another -errno of %TAP_IOC_READ.
 */
LIBTAP_API int tap_aggregation_read(struct tap_aggregation *a,
				    struct tap_session *session, __u32 id);

/**
 * tap_aggregation_since() - the difference to an earlier reading
 * @a: the later reading; becomes the difference, without rows that had no event
 * @then: the earlier one, of the same probe
 *
 * Smallest and largest values stay those since the start of the probe: they cannot be
 * computed for a part of the time.
 */
LIBTAP_API void tap_aggregation_since(struct tap_aggregation *a,
				      const struct tap_aggregation *then);

/**
 * tap_aggregation_value() - a value of a row that is one number
 * @a: the rows
 * @row: one of them
 * @i: which value; not a histogram
 * @value: set to it; an average, if that is wanted, is rounded towards 0
 *
 * Return: whether there is one; false if the word was absent in all events.
 */
LIBTAP_API _Bool tap_aggregation_value(const struct tap_aggregation *a,
				       const __u64 *row, unsigned int i,
				       __u64 *value);

/**
 * tap_aggregation_bucket() - the bounds of a bucket
 * @a: the rows
 * @i: which value; a histogram
 * @n: which bucket, below @a->value_words[@i]; the bounds grow with it, but for
 *	the negative ones of a histogram by powers of two, which are the last
 *
 * Return: the bounds.
 */
LIBTAP_API struct tap_bucket
tap_aggregation_bucket(const struct tap_aggregation *a, unsigned int i,
		       unsigned int n);

#ifdef __cplusplus
}
#endif

#endif /* _LIBTAP_AGGREGATION_H */
