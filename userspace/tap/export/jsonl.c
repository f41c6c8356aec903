// SPDX-License-Identifier: GPL-2.0
/*
 * Lines of JSON: those of tap report --json.
 */
#include <errno.h>

#include "export/export.h"

static int begin(struct export *x)
{
	(void)x;
	return 0;
}

static int write_row(struct export *x, const struct row *row)
{
	char *p = out_room(&x->out, row->line.len + 1);

	if (!p)
		return -ENOMEM;
	p = tap_put_mem(p, row->line.at, row->line.len);
	*p++ = '\n';
	return out_put(&x->out, p);
}

const struct export_format export_json = {
	.name = "json", .windows = true, .begin = begin, .row = write_row,
};
