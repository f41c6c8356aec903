// SPDX-License-Identifier: LGPL-2.1
/*
 * Writes a trace file. Ring data goes from the ring's memory to the file by one
 * writev(), unparsed, or through the compressor.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <zstd.h>

#include "file/file_internal.h"
#include "util/buffer.h"
#include "util/read_at.h"
#include "util/sized.h"
#include "util/util.h"
#include "util/value_names.h"

static int write_system(struct tap_file_writer *w,
			const struct tap_file_info *info,
			const struct tap_meta *meta)
{
	const char *strings[TAP_FILE_SYSTEM_STRINGS] = {
		info->sysname, info->release, info->version, info->machine,
		info->nodename, info->command, info->tool,
	};
	struct tap_file_system head = {
		.date = info->date,
		.nr_cpus = info->nr_cpus,
		.page_size = info->page_size,
		.flags = info->flags,
		.nr_rings = meta->nr_rings,
	};
	char text[sizeof(*info)];
	size_t len = 0, i;

	/* Each string ends with 0 in its array, so all of them fit. */
	for (i = 0; i < ARRAY_SIZE(strings); i++) {
		head.len[i] = (__u16)strlen(strings[i]);
		memcpy(text + len, strings[i], head.len[i]);
		len += head.len[i];
	}
	return tap_file_chunk(w, TAP_CHUNK_SYSTEM, &head, sizeof(head), text, len);
}

static int write_clock(struct tap_file_writer *w, const struct tap_meta *meta)
{
	struct tap_file_clock clock = {
		.clock = meta->clock,
		.shift = meta->clock_shift,
		.mult = meta->clock_mult,
		.raw = meta->clock_raw,
		.mono = meta->clock_mono,
		.real = meta->clock_real,
		.features = meta->features,
		.ring_bytes = meta->ring_bytes,
	};

	return tap_file_chunk(w, TAP_CHUNK_CLOCK, &clock, sizeof(clock), NULL, 0);
}

static int put_probe(struct tap_buffer *buf,
		     const struct tap_file_value_names_table *table,
		     const struct tap_probe *probe)
{
	const struct tap_spec *spec = &probe->spec;
	size_t event_len = strlen(spec->event);
	size_t target_len = strlen(spec->target);
	size_t name_len = spec->name ? strlen(spec->name) : 0;
	struct tap_file_probe head = {
		.id = probe->id,
		.type = spec->type,
		.flags = spec->flags,
		.maxactive = spec->maxactive,
		.slots = probe->slots,
		.words = probe->words,
		.nr_ops = spec->nr_ops,
		.nr_fields = spec->nr_fields,
		.event_len = (__u16)event_len,
		.target_len = (__u16)target_len,
		.data_len = spec->data_len,
		.name_len = (__u16)name_len,
		.side = (__u16)spec->side,
		.address = probe->address,
	};
	size_t len = sizeof(head) + spec->nr_ops * sizeof(struct tap_op) +
		     spec->nr_fields * sizeof(struct tap_file_field) +
		     event_len + target_len + spec->data_len + name_len;
	unsigned int i;
	char *p;
	int ret;

	if (event_len > UINT16_MAX || target_len > UINT16_MAX || name_len > UINT16_MAX)
		return -E2BIG;
	ret = tap_file_record_room(buf, len, &head.length, &p);
	if (ret)
		return ret;
	p = tap_put_mem(p, (const char *)&head, sizeof(head));
	if (spec->nr_ops)
		p = tap_put_mem(p, (const char *)spec->ops,
				spec->nr_ops * sizeof(struct tap_op));
	for (i = 0; i < spec->nr_fields; i++)
		p = tap_file_field_put(p, table, &spec->fields[i]);
	p = tap_put_mem(p, spec->event, event_len);
	p = tap_put_mem(p, spec->target, target_len);
	if (spec->data_len)
		p = tap_put_mem(p, (const char *)spec->data, spec->data_len);
	if (name_len)
		tap_put_mem(p, spec->name, name_len);
	return 0;
}

static int write_value_names(struct tap_file_writer *w,
			     const struct tap_file_value_names_table *table)
{
	struct tap_buffer buf = { 0 };
	int ret = 0;
	size_t i;

	for (i = 0; i < table->nr && !ret; i++)
		ret = tap_file_value_names_write(&buf, table->list[i]);
	if (!ret && table->nr)
		ret = tap_file_chunk(w, TAP_CHUNK_VALUE_NAMES, NULL, 0, buf.data,
				  buf.len);
	tap_buffer_free(&buf);
	return ret;
}

static int write_layouts(struct tap_file_writer *w, const struct tap_file_value_names_table *table)
{
	struct tap_buffer buf = { 0 };
	int ret = 0;
	size_t i;

	for (i = 0; i < table->nr && !ret; i++)
		if (table->list[i]->layout)
			ret = tap_file_layout_write(&buf, table, (unsigned int)i + 1);
	if (!ret && buf.len)
		ret = tap_file_chunk(w, TAP_CHUNK_LAYOUTS, NULL, 0, buf.data, buf.len);
	tap_buffer_free(&buf);
	return ret;
}

static int write_probes(struct tap_file_writer *w,
			const struct tap_probes *probes)
{
	struct tap_file_value_names_table table = { 0 };
	struct tap_buffer buf = { 0 };
	size_t i;
	int ret;

	ret = tap_file_value_names_collect(&table, probes);
	if (!ret)
		ret = write_value_names(w, &table);
	if (!ret)
		ret = write_layouts(w, &table);
	for (i = 0; i < probes->nr && !ret; i++)
		ret = put_probe(&buf, &table, &probes->list[i]);
	if (!ret)
		ret = tap_file_chunk(w, TAP_CHUNK_PROBES, NULL, 0, buf.data,
				  buf.len);
	tap_buffer_free(&buf);
	tap_file_value_names_free(&table);
	return ret;
}

static int write_head(struct tap_file_writer *w,
		      const struct tap_file_info *info,
		      const struct tap_meta *meta,
		      const struct tap_probes *probes,
		      const struct tap_symbols *syms)
{
	struct tap_file_header header = {
		.version = TAP_FILE_VERSION,
		.length = sizeof(header),
	};
	struct iovec iov = { &header, sizeof(header) };
	int ret;

	memcpy(header.magic, TAP_FILE_MAGIC, sizeof(header.magic));
	ret = tap_file_write_all(w, &iov, 1);
	if (!ret)
		ret = write_system(w, info, meta);
	if (!ret)
		ret = write_clock(w, meta);
	if (!ret)
		ret = write_probes(w, probes);
	if (!ret && syms)
		ret = tap_file_symbols(w, syms, NULL);
	return ret;
}

/* A FIFO or a device cannot be replaced. It is opened and written directly. */
static int open_special(struct tap_file_writer *w, const struct stat *st)
{
	w->fd = open(w->path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
	/* The reader of a FIFO may stop reading; then tap_file_stall()'s function waits. */
	if (w->fd >= 0 && S_ISFIFO(st->st_mode) &&
	    fcntl(w->fd, F_SETFL, O_WRONLY | O_NONBLOCK)) {
		int ret = -errno;

		close(w->fd);
		return ret;
	}
	return w->fd < 0 ? -errno : 0;
}

static int open_stdout(struct tap_file_writer *w)
{
	struct stat st;

	w->path = strdup("standard output");
	if (!w->path)
		return -ENOMEM;
	if (fstat(STDOUT_FILENO, &st))
		return -errno;
	/* A description of its own: O_NONBLOCK must not be seen by others that write to the pipe. */
	w->fd = S_ISFIFO(st.st_mode) ?
		open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_CLOEXEC) : -1;
	if (w->fd < 0)
		w->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	return w->fd < 0 ? -errno : 0;
}

static int open_file(struct tap_file_writer *w, const char *path)
{
	struct stat st;
	bool there = !stat(path, &st);

	if (!strcmp(path, "-"))
		return open_stdout(w);
	/* A dangling link may belong to /dev. Do not replace it. */
	if (!there && (errno != ENOENT || !lstat(path, &st)))
		return -errno;
	/* Replace the file behind a link, not the link. */
	w->path = there && S_ISREG(st.st_mode) ? realpath(path, NULL) :
						 strdup(path);
	if (!w->path)
		return -errno;
	if (there && !S_ISREG(st.st_mode))
		return open_special(w, &st);
	if (asprintf(&w->temp, "%s.XXXXXX", w->path) < 0) {
		w->temp = NULL;
		return -ENOMEM;
	}
	/* The data may be secret: only the owner may read it (0600). */
	w->fd = mkostemp(w->temp, O_CLOEXEC);
	return w->fd < 0 ? -errno : 0;
}

static void writer_free(struct tap_file_writer *w)
{
	ZSTD_freeCCtx(w->zstd);
	tap_buffer_free(&w->packed);
	tap_file_batches_free(w);
	free(w->path);
	free(w->temp);
	free(w);
}

int tap_file_create(struct tap_file_writer **writer, const char *path,
		    struct tap_error *err)
{
	struct tap_file_writer *w = calloc(1, sizeof(*w));
	int ret;

	if (!w)
		return tap_error_set(err, -ENOMEM, "out of memory");
	if (!strcmp(path, "-") && isatty(STDOUT_FILENO)) {
		free(w);
		return tap_error_set(err, -EINVAL,
				     "a trace file is not written to a terminal; give a file with -o FILE, or a pipe to 'tap report -'");
	}
	ret = open_file(w, path);
	if (ret) {
		writer_free(w);
		return tap_error_set(err, ret,
				     "%s: cannot be created: %s; choose another file with -o FILE",
				     path, strerror(-ret));
	}
	*writer = w;
	return 0;
}

void tap_file_stall(struct tap_file_writer *w, int (*wait)(void *arg, int fd),
		    void *arg)
{
	w->wait = wait;
	w->wait_arg = arg;
}

int tap_file_begin(struct tap_file_writer *w, const struct tap_file_info *info,
		   const struct tap_meta *meta,
		   const struct tap_probes *probes,
		   const struct tap_symbols *syms, struct tap_error *err)
{
	struct tap_file_info known;
	int ret = tap_sized_read(&known, sizeof(known), info);

	if (!ret) {
		w->nr_batches = meta->nr_rings;
		w->batches = calloc(meta->nr_rings, sizeof(*w->batches));
		ret = w->batches ? 0 : -ENOMEM;
	}
	if (!ret)
		ret = write_head(w, &known, meta, probes, syms);
	return ret ? tap_error_set(err, ret, "%s: %s", w->path,
				   strerror(-ret)) : 0;
}

int tap_file_description(const struct tap_file_info *info, const struct tap_meta *meta,
			 const struct tap_probes *probes, void **data, size_t *len)
{
	struct tap_file_writer w = { .fd = memfd_create("tap", MFD_CLOEXEC) };
	struct tap_file_info known;
	void *copy = NULL;
	int ret;

	if (w.fd < 0)
		return -errno;
	ret = tap_sized_read(&known, sizeof(known), info);
	if (!ret)
		ret = write_head(&w, &known, meta, probes, NULL);
	if (!ret) {
		copy = malloc(w.bytes);
		ret = copy ? 0 : -ENOMEM;
	}
	if (!ret && !tap_read_at(w.fd, 0, copy, w.bytes))
		ret = -EIO;
	close(w.fd);
	if (ret) {
		free(copy);
		return ret;
	}
	*data = copy;
	*len = w.bytes;
	return 0;
}

int tap_file_publish(struct tap_file_writer *w, struct tap_error *err)
{
	int ret;

	if (!w->temp)
		return 0;
	if (rename(w->temp, w->path)) {
		ret = -errno;
		return tap_error_set(err, ret, "%s: cannot be replaced: %s",
				     w->path, strerror(-ret));
	}
	free(w->temp);
	w->temp = NULL;
	return 0;
}

int tap_file_compress(struct tap_file_writer *w)
{
	if (!w->zstd)
		w->zstd = ZSTD_createCCtx();
	if (!w->zstd)
		return -ENOMEM;
	/* The fastest level that compresses well. The chunk has a checksum: the frame needs none. */
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, 1);
	return 0;
}

static int write_packed(struct tap_file_writer *w, __u32 cpu, __u64 pos,
			const char *data, size_t len)
{
	int ret = 0;

	while (len && !ret) {
		struct tap_file_packed head = {
			.cpu = cpu, .pos = pos,
			.len = len < TAP_FILE_PACKED_MAX ? (__u32)len :
							   TAP_FILE_PACKED_MAX,
		};
		size_t room = ZSTD_compressBound(head.len), size;

		if (!tap_buffer_room(&w->packed, room))
			return -ENOMEM;
		size = ZSTD_compress2(w->zstd, w->packed.data, room, data,
				      head.len);
		if (ZSTD_isError(size))
			return -EIO;
		ret = tap_file_chunk(w, TAP_CHUNK_PACKED, &head, sizeof(head),
				     w->packed.data, size);
		data += head.len;
		pos += head.len;
		len -= head.len;
	}
	return ret;
}

int tap_file_data(struct tap_file_writer *w, __u32 cpu, __u64 pos,
		  const void *data, size_t len)
{
	struct tap_file_data head = { .cpu = cpu, .pos = pos };

	if (w->zstd)
		return write_packed(w, cpu, pos, data, len);
	return tap_file_chunk(w, TAP_CHUNK_DATA, &head, sizeof(head), data, len);
}

int tap_file_time(struct tap_file_writer *w, const struct tap_time *time)
{
	struct tap_file_time t = {
		.raw = time->out_raw,
		.mono = time->out_mono,
		.real = time->out_real,
	};

	return tap_file_chunk(w, TAP_CHUNK_TIME, &t, sizeof(t), NULL, 0);
}

int tap_file_sync(struct tap_file_writer *w, __u64 error)
{
	const struct tap_file_sync sync = { .error = error };

	return tap_file_chunk(w, TAP_CHUNK_SYNC, &sync, sizeof(sync), NULL, 0);
}

int tap_file_stats(struct tap_file_writer *w,
		   const struct tap_file_stats *stats)
{
	struct tap_file_stats_head head = { 0 };
	struct tap_file_stats known;
	int ret = tap_sized_read(&known, sizeof(known), stats);

	if (ret)
		return ret;
	head.id = known.id;
	head.state = known.state;
	head.nmissed = known.nmissed;
	head.nmissed_return = known.nmissed_return;
	head.nr_cpus = known.nr_cpus;
	head.flags = known.flags;
	return tap_file_chunk(w, TAP_CHUNK_STATS, &head, sizeof(head),
			      known.counters,
			      known.nr_cpus * sizeof(*known.counters));
}

__u64 tap_file_bytes(const struct tap_file_writer *w)
{
	return w->bytes;
}

int tap_file_finish(struct tap_file_writer *w)
{
	struct tap_file_end end = { .bytes = w->bytes };
	int ret = tap_file_chunk(w, TAP_CHUNK_END, &end, sizeof(end), NULL, 0);

	/* Some file systems report a full disk at close() only. */
	if (close(w->fd) && !ret)
		ret = -errno;
	if (!ret)
		ret = tap_file_publish(w, NULL);
	if (w->temp)
		unlink(w->temp);
	writer_free(w);
	return ret;
}

void tap_file_abort(struct tap_file_writer *w)
{
	if (!w)
		return;
	close(w->fd);
	if (w->temp)
		unlink(w->temp);
	writer_free(w);
}
