/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * How the duration of a call divides: two lines below its own, an object in JSON.
 */
#ifndef _TAP_FORMAT_DIVISION_H
#define _TAP_FORMAT_DIVISION_H

#include "format/formatter.h"

size_t tap_division_max(const struct tap_formatter_opts *opts);
char *tap_put_division(char *p, const struct tap_formatter_opts *opts, const __u64 *words);
char *tap_put_division_text(char *p, const struct tap_formatter_opts *opts,
			    const struct tap_event *ev);

#endif /* _TAP_FORMAT_DIVISION_H */
