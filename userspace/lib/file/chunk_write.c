// SPDX-License-Identifier: LGPL-2.1
/*
 * Writes chunks, each with one writev() unless it is cut short, and padded records
 * inside chunks.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/uio.h>

#include "file/file_internal.h"
#include "util/crc32c.h"
#include "util/util.h"

static __u32 sum_head(const struct tap_file_chunk *chunk)
{
	__u32 sum = tap_crc32c(0, &chunk->type, sizeof(chunk->type));

	return tap_crc32c(sum, &chunk->length, sizeof(chunk->length));
}

/**
 * tap_file_chunk_sum() - the checksum of a chunk
 * @chunk: its type and length
 * @data: what follows, @chunk->length bytes
 *
 * Return: what @sum must be.
 */
__u32 tap_file_chunk_sum(const struct tap_file_chunk *chunk, const void *data)
{
	return tap_crc32c(sum_head(chunk), data, chunk->length);
}

static int wait_writable(const struct tap_file_writer *w)
{
	struct pollfd pfd = { .fd = w->fd, .events = POLLOUT };

	if (w->wait)
		return w->wait(w->wait_arg, w->fd);
	return poll(&pfd, 1, -1) < 0 && errno != EINTR ? -errno : 0;
}

int tap_file_write_all(struct tap_file_writer *w, struct iovec *iov, int nr)
{
	while (nr) {
		ssize_t n;
		int ret;

		if (!iov->iov_len) {
			iov++;
			nr--;
			continue;
		}
		n = writev(w->fd, iov, nr);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN) {
			ret = wait_writable(w);
			if (ret)
				return ret;
			continue;
		}
		if (n < 0)
			return -errno;
		if (!n)
			return -EIO;
		w->bytes += (__u64)n;
		while (nr && (size_t)n >= iov->iov_len) {
			n -= (ssize_t)iov->iov_len;
			iov++;
			nr--;
		}
		if (nr) {
			iov->iov_base = (char *)iov->iov_base + n;
			iov->iov_len -= (size_t)n;
		}
	}
	return 0;
}

int tap_file_chunk(struct tap_file_writer *w, enum tap_chunk_type type,
		   const void *head, size_t head_len, const void *data,
		   size_t len)
{
	static const char zeros[TAP_FILE_ALIGN];
	struct tap_file_chunk chunk = {
		.type = type,
		.length = head_len + len,
	};
	struct iovec iov[] = {
		{ &chunk, sizeof(chunk) },
		{ (void *)(uintptr_t)head, head_len },
		{ (void *)(uintptr_t)data, len },
		{ (void *)(uintptr_t)zeros,
		  -(head_len + len) % TAP_FILE_ALIGN },
	};

	chunk.sum = tap_crc32c(sum_head(&chunk), head, head_len);
	chunk.sum = tap_crc32c(chunk.sum, data, len);
	return tap_file_write_all(w, iov, ARRAY_SIZE(iov));
}

int tap_file_record_room(struct tap_buffer *buf, size_t len, __u32 *length, char **p)
{
	size_t pad = -len % TAP_FILE_ALIGN;

	if (len + pad > UINT32_MAX)
		return -E2BIG;
	*p = tap_buffer_room(buf, len + pad);
	if (!*p)
		return -ENOMEM;
	memset(*p + len, 0, pad);
	buf->len += len + pad;
	*length = (__u32)(len + pad);
	return 0;
}
