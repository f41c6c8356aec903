/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rows whose keys are printed the same become one.
 */
#ifndef _TOOL_STAT_AGG_ROWS_MERGE_H
#define _TOOL_STAT_AGG_ROWS_MERGE_H

#include "stat/agg_rows.h"

/**
 * agg_rows_merge() - merge rows whose keys are printed the same
 * @rows: @a and @format are set; @a is set to @own if rows may be merged
 * @own: all zero; free it with tap_aggregation_free()
 *
 * Return: 0 or -ENOMEM.
 */
int agg_rows_merge(struct agg_rows *rows, struct tap_aggregation *own);

#endif /* _TOOL_STAT_AGG_ROWS_MERGE_H */
