// SPDX-License-Identifier: LGPL-2.1
/*
 * The probe table of a trace file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "file/file_internal.h"
#include "util/buffer.h"
#include "util/util.h"
#include "util/value_names.h"

static char *copy_string(const char *s, size_t len)
{
	char *copy = malloc(len + 1);

	/* Control characters of a file must not reach the terminal. */
	if (copy)
		*tap_put_text(copy, s, len, false) = '\0';
	return copy;
}

/* Whether the lists fit. All counts are bounded before they are multiplied. */
static bool probe_fits(const struct tap_file_probe *head, size_t len)
{
	size_t need;

	if (head->length < sizeof(*head) || head->length > len ||
	    head->length % TAP_FILE_ALIGN || head->nr_ops > TAP_MAX_OPS ||
	    head->nr_fields > TAP_MAX_WORDS || head->data_len > TAP_MAX_DATA ||
	    head->side > TAP_SIDE_TO)
		return false;
	need = sizeof(*head) + head->nr_ops * sizeof(struct tap_op) +
	       head->nr_fields * sizeof(struct tap_file_field) +
	       head->event_len + head->target_len + head->data_len + head->name_len;
	return need <= head->length;
}

/**
 * tap_file_field_put() - write a field
 * @p: room for a struct tap_file_field
 * @table: the lists of value names of the file
 * @field: the field
 *
 * Return: the byte behind it.
 */
char *tap_file_field_put(char *p, const struct tap_file_value_names_table *table,
			 const struct tap_field *field)
{
	struct tap_file_field f = {
		.format = field->format,
		.flags = field->flags,
		.word = field->word,
		.words = field->words,
		.count = field->count,
		.output = field->output,
		.element = field->element,
		.value_names = tap_file_value_names_index(table, field->value_names),
	};

	/* Bytes after the 0 must not get into the file. */
	memcpy(f.name, field->name, strnlen(field->name, sizeof(f.name) - 1));
	return tap_put_mem(p, (const char *)&f, sizeof(f));
}

/**
 * tap_file_field_parse() - read a field
 * @field: filled in; not checked
 * @table: the lists of value names of the file
 * @p: a struct tap_file_field
 *
 * Return: 0 or -EBADMSG.
 */
int tap_file_field_parse(struct tap_field *field, const struct tap_file_value_names_table *table,
			 const char *p)
{
	struct tap_file_field f;

	memcpy(&f, p, sizeof(f));
	if (f.value_names > table->nr)
		return -EBADMSG;
	/* tap_probes_add() checks the rest. */
	if (f.format >= __TAP_FMT_MAX)
		f.format = TAP_FMT_X64;
	if (f.element >= __TAP_FMT_MAX)
		f.element = TAP_FMT_X64;
	field->format = f.format;
	field->flags = f.flags;
	field->word = f.word;
	field->words = f.words;
	field->element = f.element;
	field->count = f.count;
	field->output = f.output;
	if (f.value_names)
		field->value_names = tap_value_names_get(table->list[f.value_names - 1]);
	memcpy(field->name, f.name, sizeof(field->name));
	field->name[sizeof(field->name) - 1] = '\0';
	return 0;
}

static int parse_spec(struct tap_spec *spec,
		      const struct tap_file_value_names_table *table,
		      const struct tap_file_probe *head, const char *p)
{
	int ret;

	spec->type = head->type;
	spec->flags = head->flags;
	spec->maxactive = head->maxactive;
	spec->side = head->side;
	spec->ops = calloc(head->nr_ops + 1, sizeof(*spec->ops));
	spec->fields = calloc(head->nr_fields + 1, sizeof(*spec->fields));
	spec->data = malloc(head->data_len + 1);
	if (!spec->ops || !spec->fields || !spec->data)
		return -ENOMEM;
	memcpy(spec->ops, p, head->nr_ops * sizeof(*spec->ops));
	spec->nr_ops = head->nr_ops;
	p += head->nr_ops * sizeof(*spec->ops);

	for (; spec->nr_fields < head->nr_fields; spec->nr_fields++) {
		ret = tap_file_field_parse(&spec->fields[spec->nr_fields], table, p);
		if (ret)
			return ret;
		p += sizeof(struct tap_file_field);
	}

	spec->event = copy_string(p, head->event_len);
	p += head->event_len;
	spec->target = copy_string(p, head->target_len);
	p += head->target_len;
	memcpy(spec->data, p, head->data_len);
	spec->data_len = head->data_len;
	if (head->name_len)
		spec->name = copy_string(p + head->data_len, head->name_len);
	return spec->event && spec->target && !spec->name == !head->name_len ? 0 : -ENOMEM;
}

int tap_file_parse_probes(struct tap_file_reader *file, const char *data,
			  size_t len)
{
	while (len) {
		struct tap_probe probe = { 0 };
		struct tap_file_probe head;
		int ret;

		if (len < sizeof(head))
			return -EBADMSG;
		memcpy(&head, data, sizeof(head));
		if (!probe_fits(&head, len))
			return -EBADMSG;
		probe.id = head.id;
		probe.slots = head.slots;
		probe.words = head.words;
		probe.address = head.address;
		ret = parse_spec(&probe.spec, &file->value_names, &head,
				 data + sizeof(head));
		if (!ret)
			ret = tap_probes_add(&file->probes, &probe);
		if (ret) {
			tap_spec_clear(&probe.spec);
			return ret == -ENOMEM ? ret : -EBADMSG;
		}
		data += head.length;
		len -= head.length;
	}
	return 0;
}
