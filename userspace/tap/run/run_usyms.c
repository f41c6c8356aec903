// SPDX-License-Identifier: GPL-2.0
/*
 * Names of user addresses, in a run whose events have such addresses.
 */
#include <string.h>

#include "run/run.h"

int run_user_open(struct run *run, struct tap_error *err)
{
	struct tap_error remark;
	int ret;

	if (!tap_probes_have_user(run->probes))
		return 0;
	ret = tap_maps_open(&run->maps, &remark);
	if (!ret)
		ret = tap_maps_know(run->maps, run->probes);
	if (!ret)
		ret = tap_user_symbols_open(&run->users, run->maps);
	if (!ret && run->reader)
		ret = tap_unwinder_open(&run->unwinder, run->maps, run->probes,
					tap_reader_timebase(run->reader));
	if (ret)
		return tap_error_set(err, ret, "out of memory");
	if (*remark.text)
		tool_error("%s", remark.text);
	return 0;
}

int run_user_fd(const struct run *run)
{
	return run->maps ? tap_maps_fd(run->maps) : -1;
}

void run_user_update(struct run *run)
{
	if (run->maps)
		tap_maps_update(run->maps);
}

void run_user_close(struct run *run)
{
	if (run->maps && tap_maps_lost(run->maps))
		tool_error("the kernel did not report %llu changes of memory maps: names of user functions may be missing",
			   (unsigned long long)tap_maps_lost(run->maps));
	tap_unwinder_close(run->unwinder);
	tap_user_symbols_close(run->users);
	tap_maps_close(run->maps);
	run->unwinder = NULL;
	run->users = NULL;
	run->maps = NULL;
}
