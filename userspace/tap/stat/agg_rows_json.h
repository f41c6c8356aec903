/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rows as JSON.
 */
#ifndef _TOOL_STAT_AGG_ROWS_JSON_H
#define _TOOL_STAT_AGG_ROWS_JSON_H

#include "stat/agg_rows.h"

/**
 * agg_rows_print_json() - print them as JSON, one object per line
 * @rows: the rows
 * @to: output
 */
void agg_rows_print_json(const struct agg_rows *rows, FILE *to);

#endif /* _TOOL_STAT_AGG_ROWS_JSON_H */
