// SPDX-License-Identifier: GPL-2.0
/*
 * Makes a device of the device mapper, loads a table of one target, and removes both: what "dmsetup
 * create" does first, where there is no dmsetup. With FAIL-NTH the allocation of this number fails while
 * the table is loaded.
 * usage: dm_table NAME SECTORS TARGET ARGUMENTS [FAIL-NTH]
 */
#include <err.h>
#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define ARGUMENTS	1000

struct table {
	struct dm_ioctl head;
	struct dm_target_spec target;
	char arguments[ARGUMENTS];
};

static void set(struct table *t, const char *name)
{
	memset(t, 0, sizeof(*t));
	t->head.version[0] = DM_VERSION_MAJOR;
	t->head.data_size = sizeof(*t);
	t->head.data_start = offsetof(struct table, target);
	snprintf(t->head.name, sizeof(t->head.name), "%s", name);
}

/* Counts allocations of this task from now on; 0: no longer. */
static void fail_nth(const char *nth)
{
	int fd = open("/proc/self/fail-nth", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, nth, strlen(nth)) < 0)
		err(2, "/proc/self/fail-nth");
	close(fd);
}

int main(int argc, char **argv)
{
	const char *nth = argc == 6 ? argv[5] : NULL;
	struct table t;
	int fd, failed;

	if ((argc != 5 && argc != 6) || strlen(argv[4]) >= ARGUMENTS)
		errx(2, "usage: dm_table NAME SECTORS TARGET ARGUMENTS [FAIL-NTH]");
	fd = open("/dev/mapper/control", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		err(2, "/dev/mapper/control");
	set(&t, argv[1]);
	if (ioctl(fd, DM_DEV_CREATE, &t))
		err(2, "%s", argv[1]);
	set(&t, argv[1]);
	t.head.target_count = 1;
	t.target.length = strtoull(argv[2], NULL, 0);
	snprintf(t.target.target_type, sizeof(t.target.target_type), "%s", argv[3]);
	strcpy(t.arguments, argv[4]);
	if (nth)
		fail_nth(nth);
	failed = ioctl(fd, DM_TABLE_LOAD, &t);
	if (nth)
		fail_nth("0");
	if (failed)
		warn("%s", argv[4]);
	set(&t, argv[1]);
	if (ioctl(fd, DM_DEV_REMOVE, &t))
		err(2, "%s cannot be removed", argv[1]);
	return failed ? 1 : 0;
}
