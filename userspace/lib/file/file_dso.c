// SPDX-License-Identifier: LGPL-2.1
/*
 * Programs and libraries of a trace file, and the names that it has for their
 * addresses.
 *
 * The mapped file may change while it is read. Each number is copied, then checked,
 * then used, so that no read leaves the mapping.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elf_source.h"
#include "util/buffer.h"
#include "file/file_internal.h"
#include "symbolize/maps.h"
#include "util/sized.h"

/* Longer names are cut. */
#define NAME_BYTES	512
/*
 * Functions before an address that are checked for containing it: nested functions are
 * rare.
 */
#define LOOK_BACK	64

/* A DSO chunk's parts, in the mapped file. Only @head is a copy. */
struct dso {
	struct tap_file_dso head;
	const char *functions;
	const char *lines;
	const char *path;
	const char *strings;
	size_t strings_len;
};

/* Returns false if the lengths in the head do not fit. */
static bool cut_dso(struct dso *o, const char *data, size_t len)
{
	const struct tap_file_dso *head = &o->head;
	size_t need;

	if (len < sizeof(*head))
		return false;
	memcpy(&o->head, data, sizeof(*head));
	need = sizeof(*head) +
	       head->nr_functions * sizeof(struct tap_file_function) +
	       head->nr_lines * sizeof(struct tap_file_line) + head->path_len;
	if (head->length > len || head->length < need ||
	    head->length % TAP_FILE_ALIGN ||
	    head->build_id_len > sizeof(head->build_id))
		return false;
	o->functions = data + sizeof(*head);
	o->lines = o->functions +
		   head->nr_functions * sizeof(struct tap_file_function);
	o->path = o->lines + head->nr_lines * sizeof(struct tap_file_line);
	o->strings = o->path + head->path_len;
	o->strings_len = head->length - need;
	return true;
}

int tap_file_parse_dsos(struct tap_file_reader *file, const char *data,
			size_t len)
{
	while (len) {
		struct dso o;
		int ret;

		if (!cut_dso(&o, data, len))
			return -EBADMSG;
		ret = tap_file_part_add(&file->dsos, &file->nr_dsos, data, o.head.length);
		if (ret)
			return ret;
		data += o.head.length;
		len -= o.head.length;
	}
	return 0;
}

int tap_file_parse_maps(struct tap_file_reader *file, const char *data,
			size_t len)
{
	if (len % sizeof(struct tap_file_map))
		return -EBADMSG;
	file->maps = (struct tap_file_part){ data, len };
	return 0;
}

static struct tap_file_map map_at(const struct tap_file_reader *file,
				  size_t i)
{
	struct tap_file_map map;

	memcpy(&map, file->maps.data + i * sizeof(map), sizeof(map));
	return map;
}

/* Finds the map of a process that covers an address, the best one for the time. */
static bool find_map(const struct tap_file_reader *file, __u32 tgid,
		     __u64 time, __u64 addr, struct tap_file_map *best)
{
	size_t nr = file->maps.len / sizeof(*best), low = 0, high, mid;
	__u64 best_distance = 0;
	bool found = false;

	for (high = nr; low < high; ) {
		mid = low + (high - low) / 2;
		if (map_at(file, mid).tgid < tgid)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < nr; low++) {
		struct tap_file_map map = map_at(file, low);
		__u64 distance;

		if (map.tgid != tgid)
			break;
		if (addr < map.start || addr >= map.end)
			continue;
		distance = tap_map_distance(map.from, map.until, time);
		if (found && !tap_map_better(distance, map.from,
					     best_distance, best->from))
			continue;
		found = true;
		best_distance = distance;
		*best = map;
	}
	return found;
}

/* The number of elements whose offset is at or before a byte. */
static size_t count_before(const char *list, size_t nr, size_t size,
			   __u64 offset)
{
	size_t low = 0, high, mid;
	__u64 first;

	for (high = nr; low < high; ) {
		mid = low + (high - low) / 2;
		/* Functions and lines both start with their offset. */
		memcpy(&first, list + mid * size, sizeof(first));
		if (first <= offset)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool get_string(const struct dso *o, __u32 at, __u32 len, char *buf,
		       size_t room)
{
	if (len > o->strings_len || at > o->strings_len - len)
		return false;
	if (len >= room)
		len = (__u32)room - 1;
	memcpy(buf, o->strings + at, len);
	buf[len] = '\0';
	return true;
}

static bool find_function(const struct dso *o, __u64 offset,
			  struct tap_function *fn, char *name, size_t room)
{
	struct tap_file_function f;
	size_t at, i;

	at = count_before(o->functions, o->head.nr_functions, sizeof(f),
			  offset);
	for (i = 0; i < LOOK_BACK && i < at; i++) {
		memcpy(&f, o->functions + (at - 1 - i) * sizeof(f), sizeof(f));
		if (f.offset > offset || offset - f.offset >= f.size)
			continue;
		fn->offset = f.offset;
		fn->size = f.size;
		fn->name = name;
		return get_string(o, f.name, f.name_len, name, room);
	}
	return false;
}

static void find_line(const struct dso *o, __u64 offset, char *text,
		      size_t room)
{
	struct tap_file_line line;
	size_t at;

	*text = '\0';
	at = count_before(o->lines, o->head.nr_lines, sizeof(line), offset);
	if (!at)
		return;
	memcpy(&line, o->lines + (at - 1) * sizeof(line), sizeof(line));
	if (line.offset == offset)
		get_string(o, line.text, line.text_len, text, room);
}

/* The last component of the path, or all of "[vdso]". */
static void get_name(const struct dso *o, char *name, size_t room)
{
	const char *slash = memrchr(o->path, '/', o->head.path_len);
	const char *from = slash ? slash + 1 : o->path;
	size_t len = strnlen(from, (size_t)(o->path + o->head.path_len - from));

	if (len >= room)
		len = room - 1;
	*tap_put_mem(name, from, len) = '\0';
}

int tap_file_lookup_user(const struct tap_file_reader *file, __u32 tgid,
			 __u64 time, __u64 addr, char *buf, size_t len)
{
	char dso[256], name[NAME_BYTES + 1], line[TAP_SOURCE_BYTES];
	struct tap_file_map map;
	struct tap_function fn;
	struct dso o;
	__u64 offset;
	bool found;

	if (!find_map(file, tgid, time, addr, &map) ||
	    map.dso >= file->nr_dsos ||
	    !cut_dso(&o, file->dsos[map.dso].data,
		     file->dsos[map.dso].len))
		return -ENOENT;
	offset = addr - map.start + map.offset;
	found = find_function(&o, offset, &fn, name, sizeof(name));
	find_line(&o, offset, line, sizeof(line));
	get_name(&o, dso, sizeof(dso));
	tap_dso_print(buf, len, found ? &fn : NULL, offset, dso,
		      o.head.flags & TAP_DSO_F_REPLACED, line);
	return 0;
}

int tap_file_program(const struct tap_file_reader *file, __u32 i,
		     struct tap_file_program *out)
{
	struct tap_file_program program = { .size = sizeof(program) };
	struct dso o;
	size_t len;

	if (i >= file->nr_dsos ||
	    !cut_dso(&o, file->dsos[i].data, file->dsos[i].len))
		return -ENOENT;
	len = o.head.path_len;
	if (len >= sizeof(program.path))
		len = sizeof(program.path) - 1;
	/* Control characters of a file must not reach the terminal. */
	*tap_put_text(program.path, o.path, len, false) = '\0';
	memcpy(program.build_id, o.head.build_id, sizeof(program.build_id));
	program.build_id_len = o.head.build_id_len;
	program.replaced = o.head.flags & TAP_DSO_F_REPLACED;
	program.functions = o.head.nr_functions;
	program.lines = o.head.nr_lines;
	return tap_sized_write(out, &program, sizeof(program));
}
