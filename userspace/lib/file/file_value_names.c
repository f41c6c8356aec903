// SPDX-License-Identifier: LGPL-2.1
/*
 * Value names in a trace file: lists that fields of probes refer to by number.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "file/file_internal.h"
#include "file/file_value_names.h"
#include "spec/field.h"
#include "util/array.h"
#include "util/value_names.h"

/* A name's length is one byte. */
#define NAME_BYTES	255

static int compare_pointers(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)*(struct tap_value_names *const *)a;
	uintptr_t y = (uintptr_t)*(struct tap_value_names *const *)b;

	return (x > y) - (x < y);
}

/* The lists of a field: its own and those of its members. With @to NULL they are only counted. */
static size_t lists_of(const struct tap_field *field, struct tap_value_names **to)
{
	const struct tap_layout *layout = tap_field_layout(field);
	size_t nr = 0;
	unsigned int i;

	if (!field->value_names)
		return 0;
	if (to)
		to[nr] = tap_value_names_get(field->value_names);
	nr++;
	for (i = 0; layout && i < layout->nr; i++) {
		if (!layout->list[i].value_names)
			continue;
		if (to)
			to[nr] = tap_value_names_get(layout->list[i].value_names);
		nr++;
	}
	return nr;
}

/* Collects the value names of all fields, each list once. Returns 0 or -ENOMEM. */
int tap_file_value_names_collect(struct tap_file_value_names_table *table,
				 const struct tap_probes *probes)
{
	size_t nr = 0, i, k;

	for (i = 0; i < probes->nr; i++)
		for (k = 0; k < probes->list[i].spec.nr_fields; k++)
			nr += lists_of(&probes->list[i].spec.fields[k], NULL);
	table->nr = 0;
	table->list = calloc(nr + 1, sizeof(*table->list));
	if (!table->list)
		return -ENOMEM;
	for (i = 0; i < probes->nr; i++) {
		const struct tap_spec *spec = &probes->list[i].spec;

		for (k = 0; k < spec->nr_fields; k++)
			table->nr += lists_of(&spec->fields[k], table->list + table->nr);
	}
	qsort(table->list, table->nr, sizeof(*table->list), compare_pointers);
	nr = table->nr;
	table->nr = 0;
	for (i = 0; i < nr; i++) {
		if (table->nr && table->list[i] == table->list[table->nr - 1])
			tap_value_names_put(table->list[i]);
		else
			table->list[table->nr++] = table->list[i];
	}
	return 0;
}

/*
 * The number of a list in the file, from 1; 0 for NULL. @table is from
 * tap_file_value_names_collect().
 */
__u32 tap_file_value_names_index(const struct tap_file_value_names_table *table,
				 const struct tap_value_names *value_names)
{
	struct tap_value_names **at;

	if (!value_names)
		return 0;
	at = bsearch(&value_names, table->list, table->nr, sizeof(*table->list),
		     compare_pointers);
	return at ? (__u32)(at - table->list) + 1 : 0;
}

/* Drops the references and zeroes the table. */
void tap_file_value_names_free(struct tap_file_value_names_table *table)
{
	size_t i;

	for (i = 0; i < table->nr; i++)
		tap_value_names_put(table->list[i]);
	free(table->list);
	memset(table, 0, sizeof(*table));
}

/* Appends a list to the chunk. Returns 0, -E2BIG or -ENOMEM. */
int tap_file_value_names_write(struct tap_buffer *buf,
			       const struct tap_value_names *value_names)
{
	struct tap_file_value_names head = { .nr = value_names->nr };
	size_t len = sizeof(head);
	unsigned int i;
	char *p;
	int ret;

	for (i = 0; i < value_names->nr; i++)
		len += sizeof(__u64) + 1 +
		       strnlen(value_names->list[i].name, NAME_BYTES);
	ret = tap_file_record_room(buf, len, &head.length, &p);
	if (ret)
		return ret;
	p = tap_put_mem(p, (const char *)&head, sizeof(head));
	for (i = 0; i < value_names->nr; i++)
		p = tap_put_mem(p, (const char *)&value_names->list[i].value,
				sizeof(__u64));
	for (i = 0; i < value_names->nr; i++) {
		size_t n = strnlen(value_names->list[i].name, NAME_BYTES);

		*p++ = (char)n;
		p = tap_put_mem(p, value_names->list[i].name, n);
	}
	return 0;
}

/* Reads @nr value names. Each name must end before the list does. */
static int parse_value_names(struct tap_value_names *value_names, __u32 nr, const char *values,
			     const char *p, size_t len)
{
	char name[NAME_BYTES + 1];
	unsigned int i;

	for (i = 0; i < nr; i++) {
		size_t n;
		__u64 v;
		char *end;

		if (!len)
			return -EBADMSG;
		/* The length that is checked is the one that is used: the file may change. */
		n = (unsigned char)tap_load_once(p++);
		if (len - 1 < n)
			return -EBADMSG;
		memcpy(&v, values + i * sizeof(v), sizeof(v));
		/* Control characters of a file must not reach the terminal. */
		end = tap_put_text(name, p, n, false);
		if (tap_value_names_add(value_names, v, name, (size_t)(end - name)))
			return -ENOMEM;
		p += n;
		len -= 1 + n;
	}
	return 0;
}

static int parse_list(struct tap_file_value_names_table *table,
		      const struct tap_file_value_names *head, const char *p)
{
	size_t len = head->length - sizeof(*head);
	size_t values = head->nr * sizeof(__u64);
	struct tap_value_names *value_names;

	if (!TAP_GROW(table->list, table->nr))
		return -ENOMEM;
	value_names = tap_value_names_new();
	if (!value_names)
		return -ENOMEM;
	table->list[table->nr++] = value_names;
	return parse_value_names(value_names, head->nr, p, p + values, len - values);
}

/*
 * Reads the lists and appends them to the table, which has to be freed also on failure.
 * Returns 0, -EBADMSG or -ENOMEM.
 */
int tap_file_value_names_parse(struct tap_file_value_names_table *table,
			       const char *data, size_t len)
{
	while (len) {
		struct tap_file_value_names head;
		int ret;

		if (len < sizeof(head))
			return -EBADMSG;
		memcpy(&head, data, sizeof(head));
		/*
		 * A value name takes at least 9 bytes, so a wrong count cannot ask for
		 * more memory than that.
		 */
		if (head.length < sizeof(head) || head.length > len ||
		    head.length % TAP_FILE_ALIGN ||
		    head.nr > (head.length - sizeof(head)) / 9)
			return -EBADMSG;
		ret = parse_list(table, &head, data + sizeof(head));
		if (ret)
			return ret;
		data += head.length;
		len -= head.length;
	}
	return 0;
}
