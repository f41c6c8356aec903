// SPDX-License-Identifier: GPL-2.0
/*
 * The lines of a summary about --keep.
 */
#include "stat/keep.h"

bool keep_print(const struct tap_keep_counts *c, __u64 total)
{
	bool ok = c->kept + c->not_kept == total;

	fprintf(stderr, "keep: %llu of %llu events kept for %llu verdicts, %llu not kept: %s\n",
		(unsigned long long)c->kept, (unsigned long long)total,
		(unsigned long long)c->verdicts, (unsigned long long)c->not_kept,
		ok ? "OK" : "COUNTERS MISMATCH");
	if (c->incomplete)
		fprintf(stderr,
			"keep: %llu verdicts are incomplete: events since their begin were dropped, as the memory of %llu MiB was full; give more with --keep-memory, or record fewer events\n",
			(unsigned long long)c->incomplete, (unsigned long long)c->memory >> 20);
	if (c->apart)
		fprintf(stderr,
			"keep: %llu verdicts began in another task than they ended in: only they themselves were kept\n",
			(unsigned long long)c->apart);
	if (c->under_way)
		fprintf(stderr,
			"keep: %llu verdicts had not ended at the end: their events were not kept\n",
			(unsigned long long)c->under_way);
	return ok;
}
