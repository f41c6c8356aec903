// SPDX-License-Identifier: LGPL-2.1
/*
 * Opens a trace file. All chunks are checked here; records are checked when they are
 * read.
 *
 * The file is mapped. If it is truncated meanwhile, the reader gets SIGBUS, as with any
 * mapped file; tap handles it in tap/sigbus.c. If it is changed meanwhile, no read
 * leaves the mapping, since each count is checked on the copy that is used.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/file_internal.h"
#include "util/array.h"
#include "util/buffer.h"
#include "util/sized.h"
#include "util/util.h"

static const char * const chunk_names[] = {
	[TAP_CHUNK_SYSTEM] = "the description of the system",
	[TAP_CHUNK_CLOCK] = "the description of the clock",
	[TAP_CHUNK_PROBES] = "the probe table",
	[TAP_CHUNK_SYMBOLS] = "the symbols",
	[TAP_CHUNK_DATA] = "recorded data",
	[TAP_CHUNK_TIME] = "a clock sample",
	[TAP_CHUNK_SYNC] = "how true the clock was",
	[TAP_CHUNK_STATS] = "the counters",
	[TAP_CHUNK_END] = "the end mark",
	[TAP_CHUNK_VALUE_NAMES] = "the names of values",
	[TAP_CHUNK_DSOS] = "the names of programs",
	[TAP_CHUNK_MAPS] = "the mappings of programs",
	[TAP_CHUNK_PACKED] = "recorded data",
	[TAP_CHUNK_MODULE] = "the symbols of a module",
	[TAP_CHUNK_ADDED_SYMBOLS] = "the symbols that were added",
	[TAP_CHUNK_SPAN] = "a span",
	[TAP_CHUNK_LAYOUTS] = "the members of structs",
	[TAP_CHUNK_KERNEL_LINES] = "the source lines",
	[TAP_CHUNK_KEEP] = "the number of events not kept",
	[TAP_CHUNK_WINDOW] = "a window",
	[TAP_CHUNK_FLIGHT] = "the counts of the windows",
	[TAP_CHUNK_TASKS] = "the counts of the table of tasks",
};

static const char *chunk_name(__u32 type)
{
	if (type >= ARRAY_SIZE(chunk_names) || !chunk_names[type])
		return "a part that this version does not know";
	return chunk_names[type];
}

/**
 * tap_file_part_add() - append a chunk to a list of chunks
 * @parts: the list; NULL before the first one
 * @nr: its length
 * @data: contents of the chunk
 * @len: bytes
 *
 * Return: 0 or -ENOMEM.
 */
int tap_file_part_add(struct tap_file_part **parts, size_t *nr, const char *data, size_t len)
{
	if (!TAP_GROW(*parts, *nr))
		return -ENOMEM;
	(*parts)[(*nr)++] = (struct tap_file_part){ data, len };
	return 0;
}

static int parse_system(struct tap_file_reader *f, const char *p, size_t len)
{
	struct tap_file_info *info = &f->info;
	const struct {
		char *to;
		size_t room;
	} strings[TAP_FILE_SYSTEM_STRINGS] = {
		{ info->sysname, sizeof(info->sysname) },
		{ info->release, sizeof(info->release) },
		{ info->version, sizeof(info->version) },
		{ info->machine, sizeof(info->machine) },
		{ info->nodename, sizeof(info->nodename) },
		{ info->command, sizeof(info->command) },
		{ info->tool, sizeof(info->tool) },
	};
	struct tap_file_system head;
	size_t i;

	if (len < sizeof(head))
		return -EBADMSG;
	memcpy(&head, p, sizeof(head));
	p += sizeof(head);
	len -= sizeof(head);
	info->size = sizeof(*info);
	info->date = head.date;
	info->nr_cpus = head.nr_cpus;
	info->page_size = head.page_size;
	info->flags = head.flags;
	f->nr_rings = head.nr_rings;
	for (i = 0; i < ARRAY_SIZE(strings); i++) {
		if (head.len[i] > len || head.len[i] >= strings[i].room)
			return -EBADMSG;
		/* Control characters of a file must not reach the terminal. */
		*tap_put_text(strings[i].to, p, head.len[i], false) = '\0';
		p += head.len[i];
		len -= head.len[i];
	}
	return 0;
}

static int parse_clock(struct tap_file_reader *f, const char *p, size_t len)
{
	struct tap_file_clock clock;

	if (len < sizeof(clock))
		return -EBADMSG;
	memcpy(&clock, p, sizeof(clock));
	if (clock.clock > TAP_CLOCK_TSC_ORDERED || !clock.mult || clock.shift > 63)
		return -EBADMSG;
	f->timebase.clock = clock.clock;
	f->timebase.shift = clock.shift;
	f->timebase.mult = clock.mult;
	f->timebase.raw = clock.raw;
	f->timebase.mono = clock.mono;
	f->timebase.real = clock.real;
	return 0;
}

static int parse_time(struct tap_file_reader *f, const char *p, size_t len)
{
	struct tap_time *times = realloc(f->times, (f->nr_times + 1) * sizeof(*times));
	struct tap_file_time time;

	if (!times)
		return -ENOMEM;
	f->times = times;
	if (len < sizeof(time))
		return -EBADMSG;
	memcpy(&time, p, sizeof(time));
	times[f->nr_times++] = (struct tap_time) {
		.size = sizeof(*times),
		.out_raw = time.raw, .out_mono = time.mono, .out_real = time.real,
	};
	return 0;
}

static int parse_sync(struct tap_file_reader *f, const char *p, size_t len)
{
	struct tap_file_sync sync;

	if (len < sizeof(sync))
		return -EBADMSG;
	memcpy(&sync, p, sizeof(sync));
	f->sync = sync.error;
	return 0;
}

static int parse_stats(struct tap_file_reader *f, const char *p, size_t len)
{
	struct tap_file_stats_head head;
	struct tap_file_stats *stats;

	if (len < sizeof(head))
		return -EBADMSG;
	memcpy(&head, p, sizeof(head));
	len -= sizeof(head);
	if (head.nr_cpus > len / sizeof(struct tap_counters))
		return -EBADMSG;
	stats = realloc(f->stats, (f->nr_stats + 1) * sizeof(*stats));
	if (!stats)
		return -ENOMEM;
	f->stats = stats;
	stats[f->nr_stats++] = (struct tap_file_stats) {
		.id = head.id,
		.state = head.state,
		.nmissed = head.nmissed,
		.nmissed_return = head.nmissed_return,
		.counters = (const void *)(p + sizeof(head)),
		.nr_cpus = head.nr_cpus,
		.flags = head.flags,
	};
	return 0;
}

static int grow_streams(struct tap_file_reader *f, __u32 cpu)
{
	struct tap_file_stream *streams;

	if (cpu >= f->nr_rings || cpu >= TAP_MAX_RINGS)
		return -EBADMSG;
	streams = realloc(f->streams, (cpu + 1) * sizeof(*streams));
	if (!streams)
		return -ENOMEM;
	memset(streams + f->nr_streams, 0,
	       (cpu + 1 - f->nr_streams) * sizeof(*streams));
	f->streams = streams;
	f->nr_streams = cpu + 1;
	return 0;
}

static int add_extent(struct tap_file_reader *f, __u32 cpu,
		      const struct tap_file_extent *extent)
{
	struct tap_file_stream *stream;
	int ret;

	if (extent->pos % TAP_SLOT_SIZE)
		return -EBADMSG;
	if (cpu >= f->nr_streams) {
		ret = grow_streams(f, cpu);
		if (ret)
			return ret;
	}
	stream = &f->streams[cpu];
	if (!TAP_GROW(stream->extents, stream->nr))
		return -ENOMEM;
	stream->extents[stream->nr] = *extent;
	stream->extents[stream->nr++].window = f->nr_windows;
	return 0;
}

/* The checksum is compared when the data are read; of a chunk that was cut it is not. */
static int parse_data(struct tap_file_reader *f, const struct tap_file_chunk *chunk,
		      const char *p, size_t len)
{
	struct tap_file_extent extent = { .data = p + sizeof(struct tap_file_data) };
	struct tap_file_data head;

	if (len < sizeof(head))
		return -EBADMSG;
	memcpy(&head, p, sizeof(head));
	extent.pos = head.pos;
	extent.len = (len - sizeof(head)) & ~(size_t)TAP_SLOT_INDEX_MASK;
	if (chunk->length == len)
		extent.chunk = *chunk;
	return add_extent(f, head.cpu, &extent);
}

/* The frame is decompressed when its records are needed. */
static int parse_packed(struct tap_file_reader *f, const struct tap_file_chunk *chunk,
			const char *p, size_t len)
{
	struct tap_file_extent extent = {
		.data = p + sizeof(struct tap_file_packed),
		.chunk = *chunk,
	};
	struct tap_file_packed head;

	if (len <= sizeof(head))
		return -EBADMSG;
	memcpy(&head, p, sizeof(head));
	if (head.len % TAP_SLOT_SIZE || head.len > TAP_FILE_PACKED_MAX ||
	    head.len > TAP_FILE_PACKED_RATIO * (len - sizeof(head)))
		return -EBADMSG;
	extent.pos = head.pos;
	extent.len = head.len;
	extent.packed = len - sizeof(head);
	return add_extent(f, head.cpu, &extent);
}

static int parse_end(struct tap_file_reader *f, const char *p, size_t len)
{
	struct tap_file_end end;
	__u64 at = (__u64)(p - f->map) - sizeof(struct tap_file_chunk);

	if (len < sizeof(end))
		return -EBADMSG;
	memcpy(&end, p, sizeof(end));
	return end.bytes == at ? 0 : -EBADMSG;
}

static int parse_chunk(struct tap_file_reader *f, const struct tap_file_chunk *chunk,
		       const char *p, size_t len)
{
	switch (chunk->type) {
	case TAP_CHUNK_SYSTEM:
		return parse_system(f, p, len);
	case TAP_CHUNK_CLOCK:
		return parse_clock(f, p, len);
	case TAP_CHUNK_VALUE_NAMES:
		return tap_file_value_names_parse(&f->value_names, p, len);
	case TAP_CHUNK_LAYOUTS:
		return tap_file_layouts_parse(&f->value_names, p, len);
	case TAP_CHUNK_PROBES:
		return tap_file_parse_probes(f, p, len);
	case TAP_CHUNK_SYMBOLS:
		return tap_file_part_add(&f->symbol_parts, &f->nr_symbol_parts, p, len);
	case TAP_CHUNK_ADDED_SYMBOLS:
		f->added_symbols = (struct tap_file_part){ p, len };
		return 0;
	case TAP_CHUNK_MODULE:
		return tap_file_parse_module(f, p, len);
	case TAP_CHUNK_DSOS:
		return tap_file_parse_dsos(f, p, len);
	case TAP_CHUNK_MAPS:
		return tap_file_parse_maps(f, p, len);
	case TAP_CHUNK_DATA:
		return parse_data(f, chunk, p, len);
	case TAP_CHUNK_PACKED:
		return parse_packed(f, chunk, p, len);
	case TAP_CHUNK_TIME:
		return parse_time(f, p, len);
	case TAP_CHUNK_SYNC:
		return parse_sync(f, p, len);
	case TAP_CHUNK_STATS:
		return parse_stats(f, p, len);
	case TAP_CHUNK_SPAN:
		return tap_file_parse_span(f, p, len);
	case TAP_CHUNK_KERNEL_LINES:
		return tap_file_parse_lines(f, p, len);
	case TAP_CHUNK_KEEP:
		return tap_file_parse_keep(f, p, len);
	case TAP_CHUNK_TASKS:
		return tap_file_parse_tasks(f, p, len);
	case TAP_CHUNK_WINDOW:
		return tap_file_parse_window(f, p, len);
	case TAP_CHUNK_FLIGHT:
		return tap_file_parse_flight(f, p, len);
	case TAP_CHUNK_END:
		return parse_end(f, p, len);
	}
	return 0;
}

/* The chunks of the CPUs take turns. */
#define WAS_CUT	"the recording was cut; the events of one CPU may end before those of another"

static void set_cut(struct tap_file_reader *f, __u32 type)
{
	snprintf(f->cut, sizeof(f->cut),
		 "ends in the middle of %s (byte %zu): " WAS_CUT,
		 chunk_name(type), f->size);
}

static void set_damaged(struct tap_file_reader *f, __u32 type, size_t off)
{
	snprintf(f->cut, sizeof(f->cut),
		 "is damaged: %s at byte %zu is invalid; only the part before is read",
		 chunk_name(type), off);
}

/* Reads all chunks. An invalid or cut chunk ends the file; @f->cut then has the reason. */
static int parse_chunks(struct tap_file_reader *f, size_t off)
{
	while (off < f->size) {
		struct tap_file_chunk chunk;
		size_t len, left;
		const char *p;
		int ret;

		if (f->size - off < sizeof(chunk)) {
			snprintf(f->cut, sizeof(f->cut),
				 "ends in the middle of the head of a part (byte %zu): " WAS_CUT,
				 f->size);
			return 0;
		}
		p = f->map + off + sizeof(chunk);
		left = f->size - off - sizeof(chunk);
		memcpy(&chunk, f->map + off, sizeof(chunk));
		if (chunk.length > left) {
			set_cut(f, chunk.type);
			/* Slots that are there are complete. */
			if (chunk.type == TAP_CHUNK_DATA &&
			    left >= sizeof(struct tap_file_data))
				ret = parse_data(f, &chunk, p, left);
			else
				ret = 0;
			return ret == -ENOMEM ? ret : 0;
		}
		len = (size_t)chunk.length;
		if (chunk.type != TAP_CHUNK_DATA && chunk.type != TAP_CHUNK_PACKED &&
		    tap_file_chunk_sum(&chunk, p) != chunk.sum) {
			set_damaged(f, chunk.type, off);
			return 0;
		}
		ret = parse_chunk(f, &chunk, p, len);
		if (ret == -ENOMEM)
			return ret;
		if (ret) {
			set_damaged(f, chunk.type, off);
			return 0;
		}
		if (chunk.type < 32)
			f->have |= 1U << chunk.type;
		off += sizeof(chunk) + len;
		if (-len % TAP_FILE_ALIGN > f->size - off) {
			set_cut(f, chunk.type);
			return 0;
		}
		off += -len % TAP_FILE_ALIGN;
		if (chunk.type != TAP_CHUNK_END)
			continue;
		if (off != f->size)
			snprintf(f->cut, sizeof(f->cut),
				 "has %zu bytes after its end mark, which are ignored",
				 f->size - off);
		return 0;
	}
	snprintf(f->cut, sizeof(f->cut),
		 "ends without an end mark (byte %zu): " WAS_CUT,
		 f->size);
	return 0;
}

static int check_header(struct tap_file_reader *f, const char *path,
			size_t *length, struct tap_error *err)
{
	const size_t magic = sizeof(TAP_FILE_MAGIC) - 1;
	struct tap_file_header head;

	if (memcmp(f->map, TAP_FILE_MAGIC, f->size < magic ? f->size : magic))
		return tap_error_set(err, -EBADMSG,
				     "%s: is not a trace file of tap; 'tap record' writes them",
				     path);
	if (f->size < sizeof(head))
		return tap_error_set(err, -EBADMSG,
				     "%s: ends in the middle of its header (byte %zu): the recording was cut before anything was recorded",
				     path, f->size);
	memcpy(&head, f->map, sizeof(head));
	if (head.version != TAP_FILE_VERSION)
		return tap_error_set(err, -EPROTO,
				     "%s: has format version %u, but this tap reads version %u; read it with the release of tap that recorded it",
				     path, head.version, TAP_FILE_VERSION);
	if (head.length < sizeof(head) || head.length > f->size ||
	    head.length % TAP_FILE_ALIGN)
		return tap_error_set(err, -EBADMSG,
				     "%s: is damaged: its header is invalid",
				     path);
	*length = head.length;
	return 0;
}

/* Opens @path; - is standard input. A pipe is copied to a file. */
static int open_file(const char *path, struct tap_error *err)
{
	struct stat st;
	int fd, copy;

	if (!strcmp(path, "-"))
		fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	else
		/* A FIFO waits for its writer here; O_NOCTTY: a terminal is refused below. */
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0 || fstat(fd, &st)) {
		copy = -errno;
		if (fd >= 0)
			close(fd);
		return tap_error_set(err, copy, "%s: %s", path, strerror(-copy));
	}
	if (S_ISREG(st.st_mode))
		return fd;
	copy = S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) ?
		tap_file_spool(fd, path, err) :
		tap_error_set(err, -EINVAL, "%s: is neither a regular file nor a pipe", path);
	close(fd);
	return copy;
}

static int map_file(struct tap_file_reader *f, const char *path,
		    struct tap_error *err)
{
	int ret, fd = open_file(path, err);
	struct stat st;
	void *map;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st))
		goto err_errno;
	if (!st.st_size) {
		close(fd);
		return tap_error_set(err, -EBADMSG,
				     "%s: is empty: nothing was recorded",
				     path);
	}
	f->size = (size_t)st.st_size;
	map = mmap(NULL, f->size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		goto err_errno;
	f->map = map;
	close(fd);
	return 0;

err_errno:
	ret = -errno;
	close(fd);
	return tap_error_set(err, ret, "%s: %s", path, strerror(-ret));
}

int tap_file_open(struct tap_file_reader **file, const char *path,
		  struct tap_error *err)
{
	const __u32 need = 1U << TAP_CHUNK_SYSTEM | 1U << TAP_CHUNK_CLOCK |
			   1U << TAP_CHUNK_PROBES;
	struct tap_file_reader *f = calloc(1, sizeof(*f));
	size_t off = 0;
	int ret;

	if (!f)
		return tap_error_set(err, -ENOMEM, "out of memory");
	f->sync = UINT64_MAX;
	ret = map_file(f, path, err);
	if (!ret)
		ret = check_header(f, path, &off, err);
	if (ret)
		goto err_close;
	ret = parse_chunks(f, off);
	if (!ret)
		ret = tap_merge_init(&f->merge, f->nr_streams);
	if (ret) {
		tap_error_set(err, ret, "%s: out of memory", path);
		goto err_close;
	}
	if ((f->have & need) != need || !f->timebase.mult) {
		ret = tap_error_set(err, -EBADMSG,
				    "%s: %s%sthe description of the recording is missing, so nothing can be read",
				    path, f->cut, *f->cut ? "; " : "");
		goto err_close;
	}
	if (f->nr_times >= 2)
		tap_timebase_calibrate(&f->timebase, &f->times[0],
				       &f->times[f->nr_times - 1]);
	*file = f;
	return 0;

err_close:
	tap_file_close(f);
	return ret;
}

void tap_file_close(struct tap_file_reader *f)
{
	unsigned int i;

	if (!f)
		return;
	for (i = 0; i < f->nr_streams; i++) {
		free(f->streams[i].extents);
		free(f->streams[i].bounce);
		free(f->streams[i].unpacked);
	}
	free(f->streams);
	tap_merge_free(&f->merge);
	free(f->times);
	free(f->stats);
	free(f->spans);
	free(f->windows);
	free(f->symbol_parts);
	tap_file_names_free(&f->names);
	tap_file_modlives_free(f);
	free(f->dsos);
	tap_probes_clear(&f->probes);
	tap_file_value_names_free(&f->value_names);
	if (f->map)
		munmap((void *)(uintptr_t)f->map, f->size);
	free(f);
}

const char *tap_file_cut(const struct tap_file_reader *f)
{
	return *f->cut ? f->cut : NULL;
}

const struct tap_file_info *tap_file_info(const struct tap_file_reader *f)
{
	return &f->info;
}

const struct tap_timebase *tap_file_timebase(const struct tap_file_reader *f)
{
	return &f->timebase;
}

__u64 tap_file_end(const struct tap_file_reader *f)
{
	return f->nr_times > 1 ? f->times[f->nr_times - 1].out_raw : 0;
}

const struct tap_time *tap_file_get_time(const struct tap_file_reader *f, size_t index)
{
	return index < f->nr_times ? &f->times[index] : NULL;
}

__u64 tap_file_get_sync(const struct tap_file_reader *f)
{
	return f->sync;
}

const struct tap_probes *tap_file_probes(const struct tap_file_reader *f)
{
	return &f->probes;
}

/* These two have the types of a formatter's callbacks. */
static int resolve(const void *file, __u64 addr, char *buf, size_t len)
{
	return tap_file_lookup(file, addr, buf, len);
}

static int resolve_user(const void *file, __u32 tgid, __u64 time, __u64 addr,
			char *buf, size_t len)
{
	return tap_file_lookup_user(file, tgid, time, addr, buf, len);
}

int tap_file_names(const struct tap_file_reader *f,
		   struct tap_formatter_opts *opts)
{
	if (opts->size < offsetof(struct tap_formatter_opts, resolve_user_arg) +
			 sizeof(opts->resolve_user_arg))
		return -EINVAL;
	opts->timebase = &f->timebase;
	opts->probes = &f->probes;
	opts->resolve = resolve;
	opts->resolve_arg = f;
	opts->resolve_user = resolve_user;
	opts->resolve_user_arg = f;
	return 0;
}

int tap_file_get_stats(const struct tap_file_reader *f, __u32 id,
		       struct tap_file_stats *stats)
{
	size_t i;

	for (i = 0; i < f->nr_stats; i++) {
		if (f->stats[i].id != id)
			continue;
		return tap_sized_write(stats, &f->stats[i],
				       sizeof(f->stats[i]));
	}
	return -ENOENT;
}
