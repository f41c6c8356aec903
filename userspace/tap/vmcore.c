// SPDX-License-Identifier: GPL-2.0
/*
 * tap report --vmcore: a session of a dump becomes a trace file, which all of tap can read.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vmcore.h"

/* Lists the sessions, for the one who has to choose. */
static void print_sessions(struct tap_dump *dump)
{
	struct tap_dump_session s = { .size = sizeof(s) };
	size_t i;

	fprintf(stderr, "%8s %8s %-16s %12s\n", "SESSION", "PID", "PROCESS", "RECORDS");
	for (i = 0; !tap_dump_session(dump, i, &s); i++)
		fprintf(stderr, "%8llu %8u %-16s %12llu\n", (unsigned long long)s.id, s.pid, s.comm,
			(unsigned long long)s.records);
}

static int choose(struct vmcore *core, struct tap_dump *dump, const char *path, __u32 id,
		  size_t *index, struct tap_error *err)
{
	struct tap_dump_session other = { .size = sizeof(other) };
	size_t i = 0;
	int ret;

	core->about.size = sizeof(core->about);
	while (!(ret = tap_dump_session(dump, i, &core->about)) && id && core->about.id != id)
		i++;
	*index = i;
	if (ret == -ENOENT) {
		print_sessions(dump);
		return tap_error_set(err, ret, "%s: has no session %u", path, id);
	}
	if (!ret && !id && !tap_dump_session(dump, 1, &other)) {
		print_sessions(dump);
		return tap_error_set(err, -EINVAL, "%s: has several sessions; choose one with --session ID",
				     path);
	}
	return ret ? tap_error_set(err, ret, "%s: %s", path, strerror(-ret)) : 0;
}

static int choose_path(struct vmcore *core, const char *output, struct tap_error *err)
{
	int fd;

	core->temporary = !output;
	if (output)
		core->path = strdup(output);
	else if (asprintf(&core->path, "%s/tap.XXXXXX", tool_tmpdir()) < 0)
		core->path = NULL;
	if (!core->path)
		return tap_error_set(err, -ENOMEM, "out of memory");
	if (output)
		return 0;
	fd = mkstemp(core->path);
	if (fd < 0) {
		int ret = -errno;

		core->temporary = false;
		return tap_error_set(err, ret, "%s: %s; set TMPDIR", core->path, strerror(-ret));
	}
	close(fd);
	return 0;
}

static int progress(void *arg, __u64 done, __u64 all)
{
	unsigned int *last = arg, percent = (unsigned int)(all ? done * 100 / all : 100);

	if (percent != *last && isatty(STDERR_FILENO))
		fprintf(stderr, "\rtap: %3u %% of the memory looked at%s", percent,
			percent == 100 ? "\n" : "");
	*last = percent;
	return 0;
}

int vmcore_open(struct vmcore *core, const char *path, __u32 id, const char *output,
		struct tap_error *err)
{
	unsigned int last = 0;
	const struct tap_dump_opts opts = {
		.size = sizeof(opts), .progress = progress, .arg = &last,
	};
	struct tap_dump *dump;
	size_t index;
	int ret = tap_dump_open(&dump, path, &opts, err);

	if (ret)
		return ret;
	ret = choose(core, dump, path, id, &index, err);
	if (!ret)
		ret = choose_path(core, output, err);
	if (!ret)
		ret = tap_dump_write(dump, index, core->path, err);
	tap_dump_close(dump);
	return ret;
}

bool vmcore_print(const struct vmcore *core, __u64 lost)
{
	const struct tap_dump_session *s = &core->about;

	fprintf(stderr, "tap: session %llu of %s (pid %u): %llu records of %u CPUs, %llu events lost before them; %llu bytes were being written when the machine stopped\n",
		(unsigned long long)s->id, s->comm, s->pid, (unsigned long long)s->records,
		s->nr_rings, (unsigned long long)lost, (unsigned long long)s->unwritten);
	if (!s->described)
		tool_error("the kernel had no description of the session's probes: their records have no names");
	if (s->rings_damaged)
		tool_error("%u of %u rings cannot be read: their pages are not in the dump, or are damaged",
			   s->rings_damaged, s->nr_rings);
	return s->described && !s->rings_damaged;
}

void vmcore_close(struct vmcore *core)
{
	if (core->temporary)
		unlink(core->path);
	free(core->path);
}
