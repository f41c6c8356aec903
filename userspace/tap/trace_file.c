// SPDX-License-Identifier: GPL-2.0
/*
 * What a trace file says about itself.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "trace_file.h"
#include "util/glob.h"

void trace_file_date(const struct tap_file_reader *file,
		     char buf[TRACE_FILE_DATE_LEN])
{
	time_t date = (time_t)tap_file_info(file)->date;
	struct tm tm;

	strcpy(buf, "?");
	if (gmtime_r(&date, &tm))
		strftime(buf, TRACE_FILE_DATE_LEN, "%Y-%m-%d %H:%M:%S UTC", &tm);
}

bool trace_file_is(const char *arg, const struct tap_spec *spec)
{
	const char *text = tap_spec_text(spec);

	return !strcmp(arg, tap_spec_event(spec)) || !strcmp(arg, text) ||
	       tap_glob_match(arg, text);
}

bool trace_file_wants(const char *const *args, size_t nr, const struct tap_spec *spec)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (trace_file_is(args[i], spec))
			return true;
	return !nr;
}

int trace_file_check(const struct tap_file_reader *file, const char *path, const char *const *args,
		     size_t nr, struct tap_error *err)
{
	const struct tap_probes *probes = tap_file_probes(file);
	const struct tap_probe *probe;
	size_t i;

	for (i = 0; nr && (probe = tap_probes_get(probes, i)); i++)
		if (trace_file_wants(args, nr, tap_probe_spec(probe)))
			return 0;
	return !nr ? 0 : tap_error_set(err, -EINVAL,
		"%s: no event of this file matches -e; 'tap report --info %s' lists its events", path, path);
}

size_t trace_file_ids(const struct tap_probes *probes)
{
	const struct tap_probe *probe;
	size_t i, nr = 0;

	for (i = 0; (probe = tap_probes_get(probes, i)); i++)
		if (tap_probe_id(probe) >= nr)
			nr = tap_probe_id(probe) + 1UL;
	return nr;
}
