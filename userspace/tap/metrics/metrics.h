/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Metrics as text that Prometheus reads: the samples of a family stand together, behind its help and
 * type. The text ends with "# EOF", as OpenMetrics has it, which the older format takes for a comment.
 */
#ifndef _TOOL_METRICS_METRICS_H
#define _TOOL_METRICS_METRICS_H

#include <stdio.h>

#include "tool.h"

#define METRICS_NUMBER_MAX	32

/**
 * struct metric_family - what is fixed of a metric
 * @name: a counter's ends in _total, times in _seconds
 * @type: counter, gauge or histogram
 * @help: one line
 */
struct metric_family {
	const char *name;
	const char *type;
	const char *help;
};

/**
 * struct metrics - a text being made
 * @list: the families
 * @nr: number of @list
 * @texts: for each family, its samples
 * @lens: their bytes
 * @to: for each family, the stream that writes them
 */
struct metrics {
	const struct metric_family *list;
	size_t nr;
	char **texts;
	size_t *lens;
	FILE **to;
};

/**
 * metrics_open() - begin a text
 * @m: filled in; end it with metrics_close()
 * @list: all families that it may have
 * @nr: number of @list
 *
 * Return: 0 or -ENOMEM.
 */
int metrics_open(struct metrics *m, const struct metric_family *list, size_t nr);

/**
 * metrics_sample() - write a sample
 * @m: from metrics_open()
 * @family: index of the family
 * @suffix: behind its name: "" or "_bucket" or "_count"
 * @labels: what metrics_label() wrote
 * @value: the value
 */
void metrics_sample(struct metrics *m, size_t family, const char *suffix, const char *labels,
		    double value);

/**
 * metrics_number() - the shortest text of a number that is read as the same number
 * @buf: set to it; room for %METRICS_NUMBER_MAX bytes
 * @value: the number
 */
void metrics_number(char *buf, double value);

/**
 * metrics_label() - write a label
 * @to: where labels are collected
 * @name: its name; other characters than letters and digits become _
 * @value: any text
 */
void metrics_label(FILE *to, const char *name, const char *value);

/**
 * metrics_text() - the whole text
 * @m: from metrics_open(); nothing can be added any more
 * @text: set to it, to be freed
 * @len: set to its bytes
 *
 * Return: 0 or -ENOMEM.
 */
int metrics_text(struct metrics *m, char **text, size_t *len);

/**
 * metrics_close() - free it
 * @m: may be all zero
 */
void metrics_close(struct metrics *m);

/**
 * metrics_write() - replace a file by a text at once: a reader sees the old file or the new one
 * @path: the file
 * @text: the text
 * @len: its bytes
 * @err: the error message on failure
 *
 * A link is followed. What is no regular file is not replaced but written to.
 *
 * Return: 0 or -errno.
 */
int metrics_write(const char *path, const char *text, size_t len, struct tap_error *err);

#endif /* _TOOL_METRICS_METRICS_H */
