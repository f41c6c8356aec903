// SPDX-License-Identifier: LGPL-2.1
/*
 * Dumps: what libtap offers, and a session as a trace file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dump/dump.h"
#include "file/file_internal.h"
#include "util/sized.h"
#include "util/util.h"

int tap_dump_open(struct tap_dump **dump, const char *path, const struct tap_dump_opts *opts,
		  struct tap_error *err)
{
	struct tap_dump_opts known = { 0 };
	struct tap_dump *d = calloc(1, sizeof(*d));
	int ret;

	if (!d)
		return tap_error_set(err, -ENOMEM, "out of memory");
	d->memory.fd = -1;
	d->path = strdup(path);
	ret = !d->path ? -ENOMEM : opts ? tap_sized_read(&known, sizeof(known), opts) : 0;
	if (ret) {
		tap_error_set(err, ret, "%s: %s", path, strerror(-ret));
		goto err_close;
	}
	ret = tap_dump_memory_open(&d->memory, path, err);
	if (ret)
		goto err_close;
	ret = tap_dump_scan(d, &known);
	if (ret) {
		tap_error_set(err, ret, "%s: %s", path, strerror(-ret));
		goto err_close;
	}
	if (!d->nr_entries) {
		ret = tap_error_set(err, -ENOENT, d->later ?
				    "%s: has a session of a later version of tapmod; read it with the tap of that version" :
				    "%s: no session of tapmod was open when it was taken, or its pages are not in the dump",
				    path);
		goto err_close;
	}
	*dump = d;
	return 0;

err_close:
	tap_dump_close(d);
	return ret;
}

void tap_dump_close(struct tap_dump *dump)
{
	size_t i;

	if (!dump)
		return;
	for (i = 0; i < dump->nr_entries; i++)
		tap_dump_entry_free(&dump->entries[i]);
	free(dump->entries);
	tap_dump_memory_close(&dump->memory);
	free(dump->path);
	free(dump);
}

int tap_dump_session(struct tap_dump *dump, size_t index, struct tap_dump_session *session)
{
	int ret;

	if (index >= dump->nr_entries)
		return -ENOENT;
	ret = tap_dump_look(dump, &dump->entries[index]);
	return ret ? ret : tap_sized_write(session, &dump->entries[index].about,
					   sizeof(dump->entries[index].about));
}

static int write_records(void *arg, __u32 cpu, __u64 pos, const void *data, size_t len)
{
	return tap_file_data(arg, cpu, pos, data, len);
}

/* The beginning of the file: as the opener described it, or what the rings alone say. */
static int write_description(struct tap_dump *dump, struct tap_dump_entry *entry,
			     struct tap_file_writer *w)
{
	const struct tap_dump_pages *pages = &entry->description;
	struct tap_file_info info = { .size = sizeof(info), .page_size = entry->meta.page_size };
	struct tap_probes *probes;
	int ret = 0;
	size_t i;

	if (entry->about.described) {
		char *page = malloc(entry->meta.page_size);

		if (!page)
			return -ENOMEM;
		for (i = 0; i < pages->nr && !ret; i++) {
			__u64 left = pages->bytes - i * entry->meta.page_size;
			struct iovec iov = {
				page, left < entry->meta.page_size ? left : entry->meta.page_size,
			};

			if (!tap_dump_page(dump, entry, pages->pfns[i], page))
				memset(page, 0, entry->meta.page_size);
			ret = tap_file_write_all(w, &iov, 1);
		}
		free(page);
		return ret;
	}
	probes = tap_probes_new();
	if (!probes)
		return -ENOMEM;
	ret = tap_file_begin(w, &info, &entry->meta, probes, NULL, NULL);
	tap_probes_free(probes);
	return ret;
}

int tap_dump_write(struct tap_dump *dump, size_t index, const char *path, struct tap_error *err)
{
	struct tap_file_writer *w = NULL;
	struct tap_dump_entry *entry;
	int ret;
	size_t i;

	if (index >= dump->nr_entries)
		return tap_error_set(err, -ENOENT, "%s: there is no such session", dump->path);
	entry = &dump->entries[index];
	ret = tap_dump_look(dump, entry);
	if (ret)
		return tap_error_set(err, ret, "out of memory");
	if (!entry->meta.length)
		return tap_error_set(err, -EBADMSG,
				     "%s: session %llu: its meta page is not in the dump, or is damaged",
				     dump->path, (unsigned long long)entry->anchor.id);
	ret = tap_file_create(&w, path, err);
	if (ret)
		return ret;
	ret = write_description(dump, entry, w);
	for (i = 0; i < entry->nr_rings && !ret; i++)
		ret = tap_dump_ring_read(dump, entry, &entry->rings[i], write_records, w);
	if (ret)
		tap_file_abort(w);
	else
		ret = tap_file_finish(w);
	return ret ? tap_error_set(err, ret, "%s: %s", path, strerror(-ret)) : 0;
}
