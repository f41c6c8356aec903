// SPDX-License-Identifier: GPL-2.0
/*
 * What a trace file says about itself.
 */
#include <string.h>
#include <time.h>

#include "trace_file.h"

static int resolve(const void *file, __u64 addr, char *buf, size_t len)
{
	return tap_file_lookup(file, addr, buf, len);
}

static int resolve_user(const void *file, __u32 tgid, __u64 time, __u64 addr,
			char *buf, size_t len)
{
	return tap_file_lookup_user(file, tgid, time, addr, buf, len);
}

void trace_file_names(struct tap_formatter_opts *opts,
		      const struct tap_file_reader *file)
{
	opts->timebase = tap_file_timebase(file);
	opts->probes = tap_file_probes(file);
	opts->resolve = resolve;
	opts->resolve_arg = file;
	opts->resolve_user = resolve_user;
	opts->resolve_user_arg = file;
}

void trace_file_date(const struct tap_file_reader *file,
		     char buf[TRACE_FILE_DATE_LEN])
{
	time_t date = (time_t)tap_file_info(file)->date;
	struct tm tm;

	strcpy(buf, "?");
	if (gmtime_r(&date, &tm))
		strftime(buf, TRACE_FILE_DATE_LEN, "%Y-%m-%d %H:%M:%S UTC", &tm);
}
