// SPDX-License-Identifier: GPL-2.0
/*
 * Native test of the file of --openmetrics: what is replaced, and what is written to. Built with
 * sanitizers.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "metrics/metrics.h"
#include "selftests/lib/check.h"
#include "selftests/lib/tmpfile.h"

static int write_text(const char *path, const char *text)
{
	struct tap_error err;

	return metrics_write(path, text, strlen(text), &err);
}

static bool has(const char *path, const char *text)
{
	char buf[32] = "";
	FILE *f = fopen(path, "r");
	bool good = f && fgets(buf, sizeof(buf), f) && !strcmp(buf, text);

	if (f)
		fclose(f);
	return good;
}

static mode_t type_of(const char *path)
{
	struct stat st;

	return lstat(path, &st) ? 0 : st.st_mode & S_IFMT;
}

static unsigned int inode_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : (unsigned int)st.st_ino;
}

static void test_files(void)
{
	unsigned int before;

	ok(!write_text("new", "1") && has("new", "1"), "a new file");
	before = inode_of("new");
	ok(!write_text("new", "2") && has("new", "2") && inode_of("new") != before,
	   "a file is replaced, so that a reader sees one or the other");
	ok(!symlink("new", "link") && !write_text("link", "3") && type_of("link") == S_IFLNK &&
	   has("new", "3"), "the file behind a link is");
	ok(write_text("nowhere/new", "4") == -ENOENT, "a directory that is not there");
	ok(write_text(".", "4") == -EISDIR, "a directory");
}

static void test_special(void)
{
	char buf[32] = "";
	int fds[2], fd;

	ok(!mkfifo("fifo", 0600) && write_text("fifo", "1") == -ENXIO && type_of("fifo") == S_IFIFO,
	   "a FIFO without a reader is an error at once");
	fd = open("fifo", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ok(!write_text("fifo", "2") && read(fd, buf, sizeof(buf) - 1) == 1 && !strcmp(buf, "2") &&
	   type_of("fifo") == S_IFIFO, "a FIFO is written to");
	close(fd);
	/* A link, as /dev/stdout is one, to what cannot be replaced by its name. */
	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK))
		abort();
	snprintf(buf, sizeof(buf), "/proc/self/fd/%d", fds[1]);
	ok(!symlink(buf, "pipe") && !write_text("pipe", "3") && read(fds[0], buf, sizeof(buf)) == 1 &&
	   *buf == '3' && type_of("pipe") == S_IFLNK, "a pipe behind a link is written to");
	ok(!symlink("/dev/full", "full") && write_text("full", "4") == -ENOSPC &&
	   type_of("full") == S_IFLNK, "a device that takes nothing");
	close(fds[0]);
	close(fds[1]);
}

int main(void)
{
	static const char *const names[] = { "new", "link", "fifo", "pipe", "full" };
	char dir[] = "/tmp/metrics.XXXXXX";
	size_t i;

	native_dir(dir);
	if (chdir(dir))
		abort();
	test_files();
	test_special();
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlink(names[i]);
	ok(!rmdir(dir), "nothing else is left");
	return check_end();
}
