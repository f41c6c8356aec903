// SPDX-License-Identifier: LGPL-2.1
/*
 * A trace file out of a pipe: its bytes are copied to a file without a name, since a reader
 * looks at the end of a trace file before its start.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file/file_internal.h"

#define SPOOL_BYTES	(1 << 20)

static int open_unnamed(const char *dir)
{
	char path[4096];
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	/* Not every file system has O_TMPFILE. */
	if (snprintf(path, sizeof(path), "%s/tap.XXXXXX", dir) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	unlink(path);
	return fd;
}

static int write_whole(int fd, const char *data, size_t len)
{
	ssize_t n;

	while (len) {
		n = write(fd, data, len);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			data += n;
			len -= n;
		}
	}
	return 0;
}

/**
 * tap_file_spool() - copy a pipe to a file
 * @from: a descriptor, read to its end
 * @path: its name, for the error message
 * @err: an error message on failure
 *
 * The file is in $TMPDIR or /tmp, and is gone when its descriptor is closed.
 *
 * Return: a descriptor of the copy, or -errno.
 */
int tap_file_spool(int from, const char *path, struct tap_error *err)
{
	const char *dir = getenv("TMPDIR");
	char *data = malloc(SPOOL_BYTES);
	int to, ret = 0;
	ssize_t n;

	if (!data)
		return tap_error_set(err, -ENOMEM, "out of memory");
	if (!dir || !*dir)
		dir = "/tmp";
	to = open_unnamed(dir);
	if (to < 0) {
		free(data);
		return tap_error_set(err, to, "%s: a pipe is copied to %s first: %s; set TMPDIR",
				     path, dir, strerror(-to));
	}
	while ((n = read(from, data, SPOOL_BYTES))) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			ret = -errno;
			tap_error_set(err, ret, "%s: %s", path, strerror(-ret));
			break;
		}
		ret = write_whole(to, data, n);
		if (ret) {
			tap_error_set(err, ret, "%s: a pipe is copied to %s first: %s; set TMPDIR",
				      path, dir, strerror(-ret));
			break;
		}
	}
	free(data);
	if (!ret)
		return to;
	close(to);
	return ret;
}
