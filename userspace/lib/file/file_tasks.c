// SPDX-License-Identifier: LGPL-2.1
/*
 * What the table of tasks of the recorded session could not take.
 */
#include <errno.h>
#include <string.h>

#include "file/file_internal.h"

int tap_file_tasks(struct tap_file_writer *w, const struct tap_tasks_read *read)
{
	const struct tap_file_tasks tasks = {
		.no_room = read->out_no_room, .backwards = read->out_backwards,
		.unexpected = read->out_unexpected, .no_wait = read->out_no_wait,
	};

	return tap_file_chunk(w, TAP_CHUNK_TASKS, &tasks, sizeof(tasks), NULL, 0);
}

/**
 * tap_file_parse_tasks() - read the counts of the table of tasks
 * @f: the file
 * @data: contents of the chunk
 * @len: bytes
 *
 * Return: 0 or -EBADMSG.
 */
int tap_file_parse_tasks(struct tap_file_reader *f, const char *data, size_t len)
{
	struct tap_file_tasks tasks;

	if (len < sizeof(tasks))
		return -EBADMSG;
	memcpy(&tasks, data, sizeof(tasks));
	f->tasks = (struct tap_tasks_read) {
		.size = sizeof(f->tasks),
		.out_no_room = tasks.no_room, .out_backwards = tasks.backwards,
		.out_unexpected = tasks.unexpected, .out_no_wait = tasks.no_wait,
	};
	return 0;
}

const struct tap_tasks_read *tap_file_get_tasks(const struct tap_file_reader *f)
{
	return f->tasks.size ? &f->tasks : NULL;
}
