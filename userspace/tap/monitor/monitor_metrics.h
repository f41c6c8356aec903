/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sessions of the machine as metrics.
 */
#ifndef _TOOL_MONITOR_MONITOR_METRICS_H
#define _TOOL_MONITOR_MONITOR_METRICS_H

#include "monitor/monitor.h"

/* Probes that are shown, those with the most hits: a probe has six time series. */
#define MONITOR_METRICS_PROBES	1000

/**
 * monitor_metrics() - make the text
 * @table: the sessions and probes
 * @text: set to it, to be freed
 * @len: set to its bytes
 *
 * Return: 0 or -ENOMEM.
 */
int monitor_metrics(const struct monitor_table *table, char **text, size_t *len);

#endif /* _TOOL_MONITOR_MONITOR_METRICS_H */
