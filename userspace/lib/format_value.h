/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * One value of a field as text or JSON.
 */
#ifndef _TAP_FORMAT_VALUE_H
#define _TAP_FORMAT_VALUE_H

#include "private.h"

/* The most that one value becomes, in either form; a symbol is cut to fit. */
#define TAP_VALUE_MAX	512

/**
 * tap_put_value() - write a value
 * @p: room for %TAP_VALUE_MAX bytes
 * @opts: of the formatter: form, timebase, names of addresses
 * @field: what it is
 * @ev: where it is; decoded, so that the field lies inside
 *
 * Return: the place behind it.
 */
char *tap_put_value(char *p, const struct tap_formatter_opts *opts,
		    const struct tap_field *field,
		    const struct tap_event *ev);

#endif /* _TAP_FORMAT_VALUE_H */
