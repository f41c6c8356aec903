// SPDX-License-Identifier: LGPL-2.1
/*
 * Writes the names of program addresses to a trace file: of those in its records only.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elf_source.h"
#include "util/buffer.h"
#include "file/file_internal.h"
#include "symbolize/maps.h"

/* Longer names are cut. */
#define NAME_BYTES	512

/* The lists of a DSO chunk. Functions and lines refer to @strings by offset. */
struct lists {
	struct tap_buffer functions;
	struct tap_buffer lines;
	struct tap_buffer strings;
};

static int append(struct tap_buffer *buf, const void *data, size_t len)
{
	char *p = tap_buffer_room(buf, len);

	if (!p)
		return -ENOMEM;
	memcpy(p, data, len);
	buf->len += len;
	return 0;
}

static char *put_list(char *p, const struct tap_buffer *list)
{
	return list->len ? tap_put_mem(p, list->data, list->len) : p;
}

/* Appends a string and returns its place in the lists' strings. */
static int add_string(struct lists *lists, const char *text, size_t len,
		      __u32 *at, __u32 *at_len)
{
	if (lists->strings.len + len > UINT32_MAX)
		return -E2BIG;
	*at = (__u32)lists->strings.len;
	*at_len = (__u32)len;
	return append(&lists->strings, text, len);
}

static int add_function(struct lists *lists, const struct tap_function *fn)
{
	struct tap_file_function f = { .offset = fn->offset, .size = fn->size };
	int ret = add_string(lists, fn->name, strnlen(fn->name, NAME_BYTES),
			     &f.name, &f.name_len);

	return ret ? ret : append(&lists->functions, &f, sizeof(f));
}

static int add_line(struct lists *lists, uint64_t offset, const char *text)
{
	struct tap_file_line line = { .offset = offset };
	int ret = add_string(lists, text, strlen(text), &line.text,
			     &line.text_len);

	return ret ? ret : append(&lists->lines, &line, sizeof(line));
}

/* Of several entries of one function, the longest comes last. */
static int compare_functions(const void *x, const void *y)
{
	const struct tap_file_function *a = x, *b = y;

	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return (a->size > b->size) - (a->size < b->size);
}

/* A function that contains another one may have been added twice. Keeps the longest. */
static void sort_functions(struct tap_buffer *buf)
{
	struct tap_file_function *list = (void *)buf->data;
	size_t nr = buf->len / sizeof(*list), to = 0, i;

	if (!nr)
		return;
	qsort(list, nr, sizeof(*list), compare_functions);
	for (i = 0; i < nr; i++)
		if (i + 1 == nr || list[i].offset != list[i + 1].offset)
			list[to++] = list[i];
	buf->len = to * sizeof(*list);
}

/* @wanted is sorted, so most addresses of one function follow each other. */
static int fill_lists(struct lists *lists, struct tap_dso *dso)
{
	struct tap_function fn, last = { 0 };
	char line[TAP_SOURCE_BYTES];
	size_t i;
	int ret = 0;

	for (i = 0; i < dso->nr_wanted && !ret; i++) {
		uint64_t offset = dso->wanted[i];

		if (!tap_dso_function(dso, offset, &fn))
			continue;
		/*
		 * A function of unknown size extends at least to this address; a later
		 * one may extend it.
		 */
		if (!last.size || fn.offset != last.offset ||
		    fn.size != last.size)
			ret = add_function(lists, &fn);
		last = fn;
		if (!ret && tap_dso_line(dso, offset, line, sizeof(line)))
			ret = add_line(lists, offset, line);
	}
	sort_functions(&lists->functions);
	return ret;
}

static int put_dso(struct tap_buffer *buf, const struct tap_dso *dso,
		   const struct lists *lists)
{
	size_t path_len = strnlen(dso->path, UINT16_MAX);
	struct tap_file_dso head = {
		.flags = dso->replaced ? TAP_DSO_F_REPLACED : 0,
		.nr_functions = (__u32)(lists->functions.len /
					sizeof(struct tap_file_function)),
		.nr_lines = (__u32)(lists->lines.len /
				    sizeof(struct tap_file_line)),
		.path_len = (__u16)path_len,
		.build_id_len = dso->id.build_id_len,
	};
	size_t len = sizeof(head) + lists->functions.len + lists->lines.len +
		     path_len + lists->strings.len;
	char *p;
	int ret;

	ret = tap_file_record_room(buf, len, &head.length, &p);
	if (ret)
		return ret;
	memcpy(head.build_id, dso->id.build_id, dso->id.build_id_len);
	p = tap_put_mem(p, (const char *)&head, sizeof(head));
	p = put_list(p, &lists->functions);
	p = put_list(p, &lists->lines);
	p = tap_put_mem(p, dso->path, path_len);
	put_list(p, &lists->strings);
	return 0;
}

static int write_dso(struct tap_buffer *buf, struct tap_dso *dso,
		     __u32 index)
{
	struct lists lists = { 0 };
	int ret;

	tap_dso_sort(dso);
	dso->index = index;
	ret = fill_lists(&lists, dso);
	if (!ret)
		ret = put_dso(buf, dso, &lists);
	tap_buffer_free(&lists.functions);
	tap_buffer_free(&lists.lines);
	tap_buffer_free(&lists.strings);
	return ret;
}

static int put_maps(struct tap_buffer *buf,
		    const struct tap_process *process)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < process->nr && !ret; i++) {
		const struct tap_map *map = &process->list[i];
		struct tap_file_map m = {
			.from = map->from, .until = map->until,
			.start = map->start, .end = map->end,
			.offset = map->offset, .tgid = process->tgid,
		};

		if (!map->used)
			continue;
		m.dso = map->dso->index;
		ret = append(buf, &m, sizeof(m));
	}
	return ret;
}

static int compare_maps(const void *x, const void *y)
{
	const struct tap_file_map *a = x, *b = y;

	if (a->tgid != b->tgid)
		return a->tgid < b->tgid ? -1 : 1;
	return (a->from > b->from) - (a->from < b->from);
}

static int write_maps(struct tap_file_writer *w,
		      const struct tap_maps *maps)
{
	const struct tap_process *process;
	struct tap_buffer buf = { 0 };
	size_t i;
	int ret = 0;

	for (i = 0; i < TAP_PROCESS_CHAINS && !ret; i++)
		for (process = maps->chains[i]; process && !ret;
		     process = process->next)
			ret = put_maps(&buf, process);
	if (!ret && buf.len)
		qsort(buf.data, buf.len / sizeof(struct tap_file_map),
		      sizeof(struct tap_file_map), compare_maps);
	if (!ret)
		ret = tap_file_chunk(w, TAP_CHUNK_MAPS, NULL, 0, buf.data,
				     buf.len);
	tap_buffer_free(&buf);
	return ret;
}

/*
 * Appends the names of the wanted addresses of all DSOs, and their maps. Sets @index of
 * the DSOs. Returns -ENOMEM or -errno of a write.
 */
int tap_file_dsos(struct tap_file_writer *w, struct tap_maps *maps)
{
	struct tap_buffer buf = { 0 };
	struct tap_dso *dso;
	__u32 nr = 0;
	size_t i;
	int ret = 0;

	for (i = 0; i < TAP_DSO_CHAINS && !ret; i++)
		for (dso = maps->dsos.chains[i]; dso && !ret;
		     dso = dso->next)
			if (dso->nr_wanted)
				ret = write_dso(&buf, dso, nr++);
	if (!ret && nr)
		ret = tap_file_chunk(w, TAP_CHUNK_DSOS, NULL, 0, buf.data,
				     buf.len);
	if (!ret && nr)
		ret = write_maps(w, maps);
	tap_buffer_free(&buf);
	return ret;
}
