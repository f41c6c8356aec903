// SPDX-License-Identifier: GPL-2.0
/*
 * What a recording says of the machine and the command, and what the kernel keeps of it for a reader of
 * a dump.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "run/describe.h"

static void copy(char *to, size_t room, const char *from)
{
	snprintf(to, room, "%s", from);
}

void describe_fill(struct tap_file_info *info, int argc, char **argv)
{
	struct utsname uts;
	size_t len = 0;
	int i;

	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	if (!uname(&uts)) {
		copy(info->sysname, sizeof(info->sysname), uts.sysname);
		copy(info->release, sizeof(info->release), uts.release);
		copy(info->version, sizeof(info->version), uts.version);
		copy(info->machine, sizeof(info->machine), uts.machine);
		copy(info->nodename, sizeof(info->nodename), uts.nodename);
	}
	len = (size_t)snprintf(info->command, sizeof(info->command), "%s",
			       argv[0]);
	for (i = 1; i < argc && len < sizeof(info->command); i++)
		len += (size_t)snprintf(info->command + len,
					sizeof(info->command) - len,
					strpbrk(argv[i], " \t$*") ?
					" '%s'" : " %s", argv[i]);
	copy(info->tool, sizeof(info->tool), tap_version());
	info->date = (__u64)time(NULL);
	info->nr_cpus = (__u32)sysconf(_SC_NPROCESSORS_ONLN);
	info->page_size = (__u32)sysconf(_SC_PAGESIZE);
}

void describe_run(const struct run *run, const struct tap_file_info *info)
{
	void *data = NULL;
	size_t len = 0;
	int ret = tap_file_description(info, tap_reader_meta(run->reader), run->probes, &data,
				       &len);

	if (!ret)
		ret = tap_session_describe(run->session, data, len);
	free(data);
	if (ret)
		tool_error("the kernel did not keep the description of the probes (%s): in a dump of this machine the records would have no names",
			   strerror(-ret));
}
