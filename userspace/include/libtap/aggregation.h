/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Aggregations: what the kernel counted by key. Included by libtap.h, which has the
 * conventions.
 */
#ifndef _LIBTAP_AGGREGATION_H
#define _LIBTAP_AGGREGATION_H

#include <libtap/event.h>
#include <libtap/probe.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct tap_aggregation - the rows of a probe's aggregation, all CPUs added up
 *
 * A row is an array of words, as struct tap_read describes an entry. Rows are in the order of
 * the words of their keys. The last row may stand for all keys that found no room:
 * tap_aggregation_is_other().
 *
 * A pointer to a row stays valid until the next call that changes the aggregation.
 */
struct tap_aggregation;

/**
 * struct tap_bucket - a bucket of a histogram
 * @from: the least value in it, unless @lowest
 * @to: the first value above it, unless @highest
 * @lowest: it has no lower bound
 * @highest: it has no upper bound
 *
 * The bounds are signed if tap_aggregation_is_signed() says so of the value. The size of this
 * structure is fixed.
 */
struct tap_bucket {
	__u64 from;
	__u64 to;
	bool lowest;
	bool highest;
};

/**
 * tap_aggregation_open() - make an aggregation without rows
 * @a: set on success; end it with tap_aggregation_close()
 * @probe: a probe that aggregates; its table must stay until then
 * @index: which of its aggregations, in the order of the calls of tap_spec_aggregate()
 *
 * Return: 0; -EINVAL if the probe has no such aggregation; -ENOMEM.
 */
LIBTAP_API int tap_aggregation_open(struct tap_aggregation **a,
				    const struct tap_probe *probe, unsigned int index);

/**
 * tap_aggregation_close() - free an aggregation
 * @a: may be NULL
 */
LIBTAP_API void tap_aggregation_close(struct tap_aggregation *a);

/**
 * tap_aggregation_read() - read the tables of all CPUs and add them up
 * @a: of tap_aggregation_open(); rows that it has are dropped
 * @session: the session of the probe; events may go on
 *
 * Return: 0; -ENOMEM; -EBADMSG if the kernel's answer is not valid; or another -errno of
 * %TAP_IOC_READ, for tap_explain().
 */
LIBTAP_API int tap_aggregation_read(struct tap_aggregation *a,
				    struct tap_session *session);

/**
 * tap_aggregation_dup() - copy an aggregation with its rows
 * @to: set on success; end it with tap_aggregation_close()
 * @from: the aggregation
 *
 * Return: 0 or -ENOMEM.
 */
LIBTAP_API int tap_aggregation_dup(struct tap_aggregation **to,
				   const struct tap_aggregation *from);

/**
 * tap_aggregation_add() - add rows to those of another aggregation
 * @to: gets the sum
 * @from: for which tap_aggregation_same_layout() says true
 *
 * For probes that are places of one event: tap_spec_same_event(); and for those of a glob:
 * tap_aggregation_same_glob().
 *
 * Return: 0; -EINVAL if the layouts differ; -ENOMEM. @to is not changed on failure.
 */
LIBTAP_API int tap_aggregation_add(struct tap_aggregation *to,
				   const struct tap_aggregation *from);

/**
 * tap_aggregation_same_layout() - whether the rows of two aggregations have the same words
 * @a: an aggregation
 * @b: another
 *
 * Return: true if they can be added.
 */
LIBTAP_API bool tap_aggregation_same_layout(const struct tap_aggregation *a,
					    const struct tap_aggregation *b);

/**
 * tap_aggregation_same_glob() - whether a key of two aggregations tells the probes of a glob apart
 * @a: an aggregation
 * @b: another
 *
 * Return: true if both are of one glob, and have the key func.
 */
LIBTAP_API bool tap_aggregation_same_glob(const struct tap_aggregation *a,
					  const struct tap_aggregation *b);

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
 * tap_aggregation_unify() - add up rows whose keys are printed the same
 * @a: the rows
 * @opts: as for tap_aggregation_format_key()
 *
 * A function of a program has another address in each process. Does nothing if no key is
 * an address in a program.
 *
 * Return: 0 or -ENOMEM; on failure the rows are as they were.
 */
LIBTAP_API int tap_aggregation_unify(struct tap_aggregation *a,
				     const struct tap_formatter_opts *opts);

/**
 * tap_aggregation_nr_rows() - number of rows
 * @a: an aggregation
 *
 * Return: the number, with the row of tap_aggregation_is_other().
 */
LIBTAP_API size_t tap_aggregation_nr_rows(const struct tap_aggregation *a);

/**
 * tap_aggregation_row() - a row
 * @a: an aggregation
 * @i: which one, from 0
 *
 * Return: its words; NULL if there is no such row.
 */
LIBTAP_API const __u64 *tap_aggregation_row(const struct tap_aggregation *a,
					    size_t i);

/**
 * tap_aggregation_is_other() - whether a row stands for all keys that found no room
 * @row: a row
 *
 * Return: true if it does; its keys are 0.
 */
LIBTAP_API bool tap_aggregation_is_other(const __u64 *row);

/**
 * tap_aggregation_count() - the events of a row
 * @a: an aggregation
 * @row: a row of it
 *
 * Return: their number.
 */
LIBTAP_API __u64 tap_aggregation_count(const struct tap_aggregation *a,
				       const __u64 *row);

/**
 * tap_aggregation_entries() - the size of each CPU's table
 * @a: an aggregation
 *
 * Return: different keys for which it has room.
 */
LIBTAP_API __u32 tap_aggregation_entries(const struct tap_aggregation *a);

/**
 * tap_aggregation_nr_keys() - number of keys of each row
 * @a: an aggregation
 *
 * Return: the number, with the hidden key of addresses in programs.
 */
LIBTAP_API unsigned int
tap_aggregation_nr_keys(const struct tap_aggregation *a);

/**
 * tap_aggregation_key() - the name and format of a key
 * @a: an aggregation
 * @i: which key
 *
 * Return: the field, valid as long as @a; NULL if there is no such key. One with
 * %TAP_FIELD_F_HIDDEN is the process of the other keys' addresses and is not to be printed.
 */
LIBTAP_API const struct tap_field *
tap_aggregation_key(const struct tap_aggregation *a, unsigned int i);

/**
 * tap_aggregation_nr_values() - number of values of each row, without the count
 * @a: an aggregation
 *
 * Return: the number.
 */
LIBTAP_API unsigned int
tap_aggregation_nr_values(const struct tap_aggregation *a);

/**
 * tap_aggregation_value_field() - the name and format of a value
 * @a: an aggregation
 * @i: which value
 *
 * Return: the field, valid as long as @a; NULL if there is no such value.
 */
LIBTAP_API const struct tap_field *
tap_aggregation_value_field(const struct tap_aggregation *a, unsigned int i);

/**
 * tap_aggregation_kind() - how a value is aggregated: sum, minimum and so on
 * @a: an aggregation
 * @i: which value, below tap_aggregation_nr_values()
 *
 * Return: its kind.
 */
LIBTAP_API enum tap_agg_kind
tap_aggregation_kind(const struct tap_aggregation *a, unsigned int i);

/**
 * tap_aggregation_is_avg() - whether a value is an average
 * @a: an aggregation
 * @i: which value, below tap_aggregation_nr_values()
 *
 * Return: true if tap_aggregation_value() divides the sum by the count.
 */
LIBTAP_API bool tap_aggregation_is_avg(const struct tap_aggregation *a,
				       unsigned int i);

/**
 * tap_aggregation_is_signed() - whether a value is signed
 * @a: an aggregation
 * @i: which value, below tap_aggregation_nr_values()
 *
 * Return: true if its words are to be read as __s64.
 */
LIBTAP_API bool tap_aggregation_is_signed(const struct tap_aggregation *a,
					  unsigned int i);

/**
 * tap_aggregation_value() - a value of a row that is one number
 * @a: an aggregation
 * @row: a row of it
 * @i: which value, below tap_aggregation_nr_values(); no histogram
 * @value: set to it; an average is rounded towards 0
 *
 * Return: false if the value was absent in all events of the row.
 */
LIBTAP_API bool tap_aggregation_value(const struct tap_aggregation *a,
				      const __u64 *row, unsigned int i,
				      __u64 *value);

/**
 * tap_aggregation_absent() - events of a row in which a value was absent
 * @a: an aggregation
 * @row: a row of it
 * @i: which value, below tap_aggregation_nr_values()
 *
 * Return: their number, which tap_aggregation_count() includes.
 */
LIBTAP_API __u64 tap_aggregation_absent(const struct tap_aggregation *a,
					const __u64 *row, unsigned int i);

/**
 * tap_aggregation_nr_buckets() - number of buckets of a histogram
 * @a: an aggregation
 * @i: which value, below tap_aggregation_nr_values()
 *
 * Return: the number; 0 if the value is no histogram.
 */
LIBTAP_API unsigned int
tap_aggregation_nr_buckets(const struct tap_aggregation *a, unsigned int i);

/**
 * tap_aggregation_bucket() - the bounds of a bucket
 * @a: an aggregation
 * @i: which value; a histogram
 * @n: which bucket, below tap_aggregation_nr_buckets(). The bounds grow with @n, but the
 *	negative values of a histogram by powers of two are the last bucket
 *
 * Return: the bounds.
 */
LIBTAP_API struct tap_bucket
tap_aggregation_bucket(const struct tap_aggregation *a, unsigned int i,
		       unsigned int n);

/**
 * tap_aggregation_bucket_count() - the events in a bucket
 * @a: an aggregation
 * @row: a row of it
 * @i: which value; a histogram
 * @n: which bucket, below tap_aggregation_nr_buckets()
 *
 * Return: their number.
 */
LIBTAP_API __u64
tap_aggregation_bucket_count(const struct tap_aggregation *a, const __u64 *row,
			     unsigned int i, unsigned int n);

/**
 * tap_aggregation_format_key() - print a key of a row
 * @a: an aggregation
 * @row: a row of it
 * @i: which key, below tap_aggregation_nr_keys()
 * @opts: @json and what names addresses: @resolve, @resolve_user. @tgid and @time are not
 *	used: the process is that of the row
 * @buf: set to the text and a final 0; "?" (null in JSON) if it does not fit. A stack
 *	begins with a newline
 * @size: bytes at @buf, at least 8; 8192 are enough for all keys but stacks
 *
 * Return: 0; -ENOSPC if it does not fit; or another -errno.
 */
LIBTAP_API int
tap_aggregation_format_key(const struct tap_aggregation *a, const __u64 *row,
			   unsigned int i,
			   const struct tap_formatter_opts *opts, char *buf,
			   size_t size);

/**
 * tap_aggregation_format_value() - print a number in the format of a value
 * @a: an aggregation
 * @i: which value, below tap_aggregation_nr_values()
 * @value: of tap_aggregation_value(), or a bound of a bucket
 * @opts: as for tap_aggregation_format_key()
 * @buf: as for tap_aggregation_format_key()
 * @size: bytes at @buf, at least 8
 *
 * Return: as tap_aggregation_format_key().
 */
LIBTAP_API int
tap_aggregation_format_value(const struct tap_aggregation *a, unsigned int i,
			     __u64 value, const struct tap_formatter_opts *opts,
			     char *buf, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* _LIBTAP_AGGREGATION_H */
