// SPDX-License-Identifier: GPL-2.0
/*
 * Output of a run, which obeys signals and the deadline while it is blocked.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/output.h"

/* After a signal: how long the output may be blocked. */
#define PATIENCE_NS	1000000000ULL

void output_open(struct output *out, struct run *run)
{
	struct stat st;
	int fd;

	*out = (struct output) { .run = run, .fd = STDOUT_FILENO };
	if (fstat(STDOUT_FILENO, &st))
		return;
	out->stalls = S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) ||
		      isatty(STDOUT_FILENO);
	if (!out->stalls)
		return;
	/*
	 * A new open file description can be non-blocking without effect on other
	 * processes that share standard output, such as the command of -c. A
	 * socket cannot be opened like this: there poll() and small writes do.
	 */
	fd = open("/proc/self/fd/1",
		  O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0)
		out->fd = fd;
}

int output_wait(struct output *out)
{
	int ret;

	do {
		if (out->run->interrupted && !out->until)
			out->until = run_now() + PATIENCE_NS;
		if (out->until && run_now() >= out->until)
			return -ECANCELED;
		ret = run_wait_output(out->run, out->fd, out->until);
	} while (!ret);
	return ret < 0 ? ret : 0;
}

static __u64 count_lines(const char *data, size_t len)
{
	const char *end = data + len;
	__u64 nr = 0;

	for (; (data = memchr(data, '\n', (size_t)(end - data))); data++)
		nr++;
	return nr;
}

int output_write(void *arg, const char *data, size_t len)
{
	struct output *out = arg;

	while (len && !out->given_up) {
		/* After POLLOUT a pipe takes at least PIPE_BUF bytes. */
		size_t most = out->stalls && len > PIPE_BUF ? PIPE_BUF : len;
		ssize_t n;
		int ret = out->stalls ? output_wait(out) : 0;

		if (ret == -ECANCELED) {
			out->given_up = true;
			break;
		}
		if (ret)
			return ret;
		n = write(out->fd, data, most);
		if (n >= 0) {
			data += n;
			len -= (size_t)n;
			out->until = 0;
		} else if (errno == EAGAIN) {
			/* A terminal may have less room than the write needs. */
			poll(NULL, 0, 1);
		} else if (errno != EINTR) {
			return -errno;
		}
	}
	if (out->given_up)
		out->unprinted += count_lines(data, len);
	return 0;
}

bool output_close(struct output *out)
{
	if (out->run && out->fd != STDOUT_FILENO)
		close(out->fd);
	if (!out->unprinted)
		return true;
	tool_error("%llu lines dropped: output is blocked",
		   (unsigned long long)out->unprinted);
	return false;
}
