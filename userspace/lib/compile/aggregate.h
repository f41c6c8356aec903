/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * Aggregations: from outputs of a program to keys and values. Private to libtap.
 */
#ifndef _TAP_COMPILE_AGGREGATE_H
#define _TAP_COMPILE_AGGREGATE_H

#include "compile/output.h"

int tap_aggregate_make(struct tap_sema *t, const struct tap_table_text *table,
		       struct tap_output *outputs, unsigned int nr_keys,
		       struct tap_spec_agg *agg);

#endif /* _TAP_COMPILE_AGGREGATE_H */
