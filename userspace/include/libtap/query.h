/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Questions about events that were recorded: conditions, keys and values in the event language,
 * which the reader evaluates. Included by libtap.h, which has the conventions.
 */
#ifndef _LIBTAP_QUERY_H
#define _LIBTAP_QUERY_H

#include <libtap/aggregation.h>
#include <libtap/event.h>
#include <libtap/spec.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct tap_query - an expression on the events of a probe
 *
 * Its names are the values that the records have, by the names that they are printed with, and
 * comm, pid, tid, cpu, duration, retval and the flags of events. Numbers have 64 bits. They are
 * signed unless the value is printed as an unsigned one, or one of two operands is unsigned.
 */
struct tap_query;

/**
 * tap_query_open() - read an expression
 * @query: set on success; end it with tap_query_close()
 * @probe: the probe of the events; its table must stay until then
 * @timebase: of the events; must stay as well
 * @text: the expression; a condition is one
 * @err: an error message on failure
 *
 * Return: 0; -EINVAL if the text is not valid, or names what the records do not have; -E2BIG: it is
 * too long; -ENOMEM.
 */
LIBTAP_API int tap_query_open(struct tap_query **query, const struct tap_probe *probe,
			      const struct tap_timebase *timebase, const char *text,
			      struct tap_error *err);

/**
 * tap_query_holds() - whether a condition is true of an event
 * @query: the condition
 * @ev: an event that tap_decode() accepted, of the probe of the query
 *
 * Return: 1 if it is, 0 if not; -ENODATA if it has no result: a value is absent, or a division by 0.
 */
LIBTAP_API int tap_query_holds(struct tap_query *query, const struct tap_event *ev);

/**
 * struct tap_query_result - the value of an expression of an event
 * @text: of a text: valid until the query is used again; NULL of a number
 * @number: of a number
 * @is_unsigned: the number is; else it is to be read as __s64
 *
 * The size of this structure is fixed.
 */
struct tap_query_result {
	const char *text;
	__u64 number;
	__u64 is_unsigned;
};

/**
 * tap_query_result() - the value of an expression
 * @query: the expression
 * @ev: an event that tap_decode() accepted, of the probe of the query
 * @result: set on success
 *
 * Return: 0; -ENODATA if it has no result, as with tap_query_holds(); -EINVAL if it is neither a
 * number nor a text, but a stack or a whole struct.
 */
LIBTAP_API int tap_query_result(struct tap_query *query, const struct tap_event *ev,
				struct tap_query_result *result);

/**
 * tap_query_close() - free an expression
 * @query: may be NULL
 */
LIBTAP_API void tap_query_close(struct tap_query *query);

/**
 * struct tap_tally - adds up the events of a probe by key, as the kernel does for tap stat
 */
struct tap_tally;

/**
 * tap_tally_open() - make an empty table
 * @tally: set on success; end it with tap_tally_close()
 * @probe: see tap_query_open()
 * @timebase: see tap_query_open()
 * @keys: expressions, each perhaps with NAME= in front
 * @nr_keys: number of @keys, at most %TAP_MAX_KEYS
 * @values: as for tap_spec_aggregate()
 * @nr_values: number of @values, at most %TAP_MAX_AGGS
 * @err: an error message on failure
 *
 * Return: 0; -E2BIG, -EINVAL or -ENOMEM.
 */
LIBTAP_API int tap_tally_open(struct tap_tally **tally, const struct tap_probe *probe,
			      const struct tap_timebase *timebase, const char *const *keys,
			      unsigned int nr_keys, const struct tap_spec_value *values,
			      unsigned int nr_values, struct tap_error *err);

/**
 * tap_tally_event() - add an event
 * @tally: the table
 * @ev: an event that tap_decode() accepted, of the probe of the table
 *
 * A key that is absent is 0 or an empty text, as in the kernel's tables.
 *
 * Return: 0 or -ENOMEM.
 */
LIBTAP_API int tap_tally_event(struct tap_tally *tally, const struct tap_event *ev);

/**
 * tap_tally_rows() - the table
 * @tally: of tap_tally_open()
 *
 * Return: its rows, valid until the next call for @tally.
 */
LIBTAP_API struct tap_aggregation *tap_tally_rows(struct tap_tally *tally);

/**
 * tap_tally_clear() - remove all rows
 * @tally: of tap_tally_open()
 *
 * So a table of one event says what the keys of that event are.
 */
LIBTAP_API void tap_tally_clear(struct tap_tally *tally);

/**
 * tap_tally_close() - free a table
 * @tally: may be NULL
 */
LIBTAP_API void tap_tally_close(struct tap_tally *tally);

#ifdef __cplusplus
}
#endif

#endif /* _LIBTAP_QUERY_H */
