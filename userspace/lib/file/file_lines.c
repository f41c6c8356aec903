// SPDX-License-Identifier: LGPL-2.1
/*
 * Source lines of the kernel's functions in a trace file: of the addresses in its records. Each is
 * kept with the offset and the module of its address. It is used only where the functions of the file
 * give the same, as another module may have had the address at another time. A function may have
 * several names.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "file/file_internal.h"
#include "file/ksym_collect.h"

/* Of a name with its line. */
#define NAME_BYTES	1024

struct lines {
	struct tap_buffer list;
	struct tap_buffer strings;
};

static int compare_lines(const void *x, const void *y)
{
	const struct tap_file_kernel_line *a = x, *b = y;

	return (a->addr > b->addr) - (a->addr < b->addr);
}

/* Adds the name of an address if it has a line, which is behind the module in brackets. */
static int add_line(struct lines *lines, __u64 addr, const char *name)
{
	const char *end = strstr(name, "] "), *offset = strstr(name, "+0x");
	struct tap_file_kernel_line line = {
		.addr = addr, .text = (__u32)lines->strings.len,
	};
	char *to;

	if (!end || !offset || offset > end)
		return 0;
	name = offset;
	line.text_len = (__u32)strlen(name);
	to = tap_buffer_room(&lines->strings, line.text_len);
	if (!to)
		return -ENOMEM;
	memcpy(to, name, line.text_len);
	lines->strings.len += line.text_len;
	to = tap_buffer_room(&lines->list, sizeof(line));
	if (!to)
		return -ENOMEM;
	memcpy(to, &line, sizeof(line));
	lines->list.len += sizeof(line);
	return 0;
}

/**
 * tap_kernel_addrs_lines() - write the source lines of the addresses that were found
 * @k: an open collection, after the last address
 * @w: the file
 * @resolve: names an address: "func+0x10 [mod] file.c:12"
 * @arg: its argument
 *
 * Return: 0, -ENOMEM, or -errno of a write.
 */
int tap_kernel_addrs_lines(const struct tap_kernel_addrs *k, struct tap_file_writer *w,
			   int (*resolve)(const void *arg, __u64 addr, char *buf, size_t len),
			   const void *arg)
{
	struct lines lines = { 0 };
	char name[NAME_BYTES];
	unsigned int call;
	__u64 nr;
	size_t i;
	int ret = 0;

	/* Of a call in a stack, the byte before the address is named. */
	for (i = 0; i < k->room && !ret; i++)
		for (call = 0; call < 2 && k->seen[i] && !ret; call++)
			if (!resolve(arg, k->seen[i] - call, name, sizeof(name)))
				ret = add_line(&lines, k->seen[i] - call, name);
	nr = lines.list.len / sizeof(struct tap_file_kernel_line);
	if (nr && !ret) {
		qsort(lines.list.data, nr, sizeof(struct tap_file_kernel_line), compare_lines);
		if (!tap_buffer_room(&lines.list, lines.strings.len))
			ret = -ENOMEM;
	}
	if (nr && !ret) {
		memcpy(lines.list.data + lines.list.len, lines.strings.data, lines.strings.len);
		ret = tap_file_chunk(w, TAP_CHUNK_KERNEL_LINES, &nr, sizeof(nr), lines.list.data,
				     lines.list.len + lines.strings.len);
	}
	tap_buffer_free(&lines.list);
	tap_buffer_free(&lines.strings);
	return ret;
}

/* Finds the lines. Returns 0 or -EBADMSG. */
int tap_file_parse_lines(struct tap_file_reader *file, const char *data, size_t len)
{
	__u64 nr;

	if (len < sizeof(nr))
		return -EBADMSG;
	memcpy(&nr, data, sizeof(nr));
	if (nr > (len - sizeof(nr)) / sizeof(struct tap_file_kernel_line))
		return -EBADMSG;
	file->kernel_lines = (struct tap_file_part){ data + sizeof(nr), len - sizeof(nr) };
	file->nr_kernel_lines = nr;
	return 0;
}

/**
 * tap_file_add_line() - add the source line to the name of an address
 * @file: an open file
 * @addr: the address
 * @name: its name, which may get longer
 * @size: bytes at @name
 */
void tap_file_add_line(const struct tap_file_reader *file, __u64 addr, char *name, size_t size)
{
	const struct tap_file_part *part = &file->kernel_lines;
	struct tap_file_kernel_line line = { 0 };
	const __u64 nr = file->nr_kernel_lines;
	const char *list = part->data, *strings;
	__u64 low = 0, high, mid;
	char *offset = strstr(name, "+0x");
	size_t len, room;

	if (!list || !offset)
		return;
	len = strlen(offset);
	size -= (size_t)(offset - name);
	strings = list + nr * sizeof(line);
	room = part->len - nr * sizeof(line);
	for (high = nr; low < high; ) {
		mid = low + (high - low) / 2;
		memcpy(&line, list + mid * sizeof(line), sizeof(line));
		if (line.addr == addr)
			break;
		if (line.addr < addr)
			low = mid + 1;
		else
			high = mid;
	}
	if (!nr || line.addr != addr || line.text_len > room || line.text > room - line.text_len ||
	    line.text_len <= len || memcmp(strings + line.text, offset, len))
		return;
	strings += line.text;
	/* The inlined functions all, or none. */
	if (line.text_len >= size) {
		const char *end = memchr(strings, '\n', line.text_len);

		line.text_len = end ? (__u32)(end - strings) : line.text_len;
	}
	if (line.text_len >= size)
		return;
	memcpy(offset, strings, line.text_len);
	offset[line.text_len] = '\0';
}
