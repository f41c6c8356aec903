/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rows whose keys are printed the same become one.
 */
#ifndef _TOOL_STAT_AGG_ROWS_MERGE_H
#define _TOOL_STAT_AGG_ROWS_MERGE_H

#include "stat/agg_rows.h"

/**
 * agg_rows_merge() - make one of rows whose keys are printed the same
 * @rows: @a and @format are set; @a becomes @own if any may be so
 * @own: all zero; to be freed with tap_aggregation_free()
 *
 * Return: 0 or -ENOMEM.
 */
int agg_rows_merge(struct agg_rows *rows, struct tap_aggregation *own);

#endif /* _TOOL_STAT_AGG_ROWS_MERGE_H */
