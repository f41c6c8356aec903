// SPDX-License-Identifier: GPL-2.0
/*
 * Compares two files: each is read for what there is to be compared, and again for when it was.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "diff/diff.h"

int diff_run(struct diff *d, struct tap_error *err)
{
	int ret = scan_file(d, GOOD, err);

	if (!ret)
		ret = scan_file(d, BAD, err);
	if (ret)
		return ret;
	finding_bounds(d);
	ret = scan_file_again(d, GOOD, err);
	if (!ret)
		ret = scan_file_again(d, BAD, err);
	if (ret)
		return ret;
	return table_sort(&d->table) || finding_make(d) ? tap_error_set(err, -ENOMEM, "out of memory") : 0;
}

bool diff_lacks(const struct diff *d)
{
	const struct table_event *event;

	for (event = d->table.events; event; event = event->next)
		if (event->lost[GOOD] || event->lost[BAD] || event->recorded[GOOD] != event->recorded[BAD])
			return true;
	return false;
}

int diff_status(const struct diff *d)
{
	int status = diff_lacks(d) ? DIFF_UNKNOWN : 0;
	size_t i;

	for (i = 0; i < d->nr; i++)
		if (d->findings[i].differs && d->findings[i].certain)
			status = DIFF_DIFFERS;
	return status;
}

void diff_free(struct diff *d)
{
	table_free(&d->table);
	free(d->findings);
	free(d->why[GOOD]);
	free(d->why[BAD]);
	memset(d, 0, sizeof(*d));
}
