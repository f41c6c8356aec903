// SPDX-License-Identifier: GPL-2.0
/*
 * An output that leaves no half file or directory: a temporary name beside the right one until all is
 * written.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/out.h"

/* The buffer is written when it has this much. */
#define FLUSH_BYTES	(256U * 1024)

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
	interrupted = number;
}

int out_signal(void)
{
	return interrupted;
}

static void catch_signals(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction old, catch = { .sa_handler = interrupt };
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		/* nohup stays in force. */
		if (!sigaction(numbers[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(numbers[i], &catch, NULL);
}

/* A file of the mode that open(2) would give it. */
static int open_temp(struct out *out)
{
	mode_t mask = umask(0);

	umask(mask);
	if (asprintf(&out->temp, "%s.XXXXXX", out->path) < 0) {
		out->temp = NULL;
		return -ENOMEM;
	}
	catch_signals();
	out->fd = mkostemp(out->temp, O_CLOEXEC);
	if (out->fd >= 0 && !fchmod(out->fd, 0666 & ~mask))
		return 0;
	return -errno;
}

bool out_open(struct out *out, const char *path)
{
	struct stat st;
	int ret = 0;

	*out = (struct out) { .name = path, .fd = STDOUT_FILENO };
	if (!path || !strcmp(path, "-")) {
		out->name = "standard output";
		return true;
	}
	if (!stat(path, &st) && !S_ISREG(st.st_mode)) {
		out->fd = open(path, O_WRONLY | O_CLOEXEC);
		ret = out->fd < 0 ? -errno : 0;
	} else {
		/* A link stays one. */
		out->path = realpath(path, NULL);
		if (!out->path && errno == ENOENT)
			out->path = strdup(path);
		ret = out->path ? open_temp(out) : -errno;
	}
	if (ret)
		tool_error("%s: %s", path, strerror(-ret));
	return !ret;
}

/* rename(2) puts a directory where nothing or an empty one is. */
static int check_directory(const char *path)
{
	DIR *dir = opendir(path);
	unsigned int nr = 0;

	if (!dir)
		return errno == ENOENT ? 0 : -errno;
	while (readdir(dir))
		nr++;
	closedir(dir);
	/* "." and ".." */
	return nr > 2 ? -ENOTEMPTY : 0;
}

static int make_temp_directory(struct out *out)
{
	char *temp;

	if (asprintf(&temp, "%s.XXXXXX", out->path) < 0)
		return -ENOMEM;
	catch_signals();
	if (!mkdtemp(temp)) {
		int ret = -errno;

		free(temp);
		return ret;
	}
	out->temp = temp;
	if (asprintf(&out->inside, "%s/trace", temp) >= 0)
		return 0;
	out->inside = NULL;
	return -ENOMEM;
}

bool out_open_directory(struct out *out, const char *path)
{
	size_t len = strlen(path);
	int ret = check_directory(path);

	*out = (struct out) { .name = path, .fd = -1 };
	/* A link stays one. */
	out->path = realpath(path, NULL);
	while (len > 1 && path[len - 1] == '/')
		len--;
	if (!out->path)
		out->path = strndup(path, len);
	if (!ret)
		ret = out->path ? make_temp_directory(out) : -ENOMEM;
	if (ret == -ENOTEMPTY)
		tool_error("%s: not written to a directory that is not empty; give a new one", path);
	else if (ret)
		tool_error("%s: %s", path, strerror(-ret));
	return !ret;
}

int out_flush(struct out *out)
{
	return tap_buffer_write(&out->buf, out->fd);
}

int out_put(struct out *out, const char *end)
{
	out->buf.len = (size_t)(end - out->buf.data);
	return out->buf.len >= FLUSH_BYTES ? out_flush(out) : 0;
}

int out_finish(struct out *out)
{
	int ret = out_flush(out);

	/* Some file systems report a full disk only here. */
	if (out->fd != STDOUT_FILENO && out->fd >= 0) {
		if (close(out->fd) && !ret)
			ret = -errno;
		out->fd = -1;
	}
	if (!ret && out->path && rename(out->inside ? out->inside : out->temp, out->path))
		ret = -errno;
	if (!ret && out->path && !out->inside) {
		free(out->temp);
		out->temp = NULL;
	}
	out_abort(out);
	return ret;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	remove(path);
	return 0;
}

void out_abort(struct out *out)
{
	if (out->fd != STDOUT_FILENO && out->fd >= 0)
		close(out->fd);
	/* The entries of a directory before the directory. */
	if (out->temp)
		nftw(out->temp, remove_entry, 4, FTW_DEPTH | FTW_PHYS);
	free(out->temp);
	free(out->inside);
	free(out->path);
	tap_buffer_free(&out->buf);
	*out = (struct out) { .fd = -1 };
}
