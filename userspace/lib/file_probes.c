// SPDX-License-Identifier: LGPL-2.1
/*
 * The probe table of a trace file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "file.h"

static char *copy_string(const char *s, size_t len)
{
	char *copy = malloc(len + 1);

	/* Nothing in the file may speak to a terminal. */
	if (copy)
		*tap_put_text(copy, s, len, false) = '\0';
	return copy;
}

/* Whether the lists fit; all counts are bounded before they are multiplied. */
static bool probe_fits(const struct tap_file_probe *head, size_t len)
{
	size_t need;

	if (head->length < sizeof(*head) || head->length > len ||
	    head->length % TAP_FILE_ALIGN || head->nr_ops > TAP_MAX_OPS ||
	    head->nr_fields > TAP_MAX_WORDS)
		return false;
	need = sizeof(*head) + head->nr_ops * sizeof(struct tap_op) +
	       head->nr_fields * sizeof(struct tap_file_field) +
	       head->event_len + head->target_len;
	return need <= head->length;
}

static int parse_spec(struct tap_spec *spec, const struct tap_file_probe *head,
		      const char *p)
{
	unsigned int i;

	spec->type = head->type;
	spec->flags = head->flags;
	spec->maxactive = head->maxactive;
	spec->ops = calloc(head->nr_ops + 1, sizeof(*spec->ops));
	spec->fields = calloc(head->nr_fields + 1, sizeof(*spec->fields));
	if (!spec->ops || !spec->fields)
		return -ENOMEM;
	memcpy(spec->ops, p, head->nr_ops * sizeof(*spec->ops));
	spec->nr_ops = head->nr_ops;
	p += head->nr_ops * sizeof(*spec->ops);

	for (i = 0; i < head->nr_fields; i++) {
		struct tap_field *field = &spec->fields[i];
		struct tap_file_field f;

		memcpy(&f, p, sizeof(f));
		p += sizeof(f);
		/* The rest of the check is that of tap_probes_add(). */
		if (f.format >= __TAP_FMT_MAX)
			f.format = TAP_FMT_X64;
		field->format = f.format;
		field->flags = f.flags;
		field->word = f.word;
		field->words = f.words;
		memcpy(field->name, f.name, sizeof(field->name));
		field->name[sizeof(field->name) - 1] = '\0';
	}
	spec->nr_fields = head->nr_fields;

	spec->event = copy_string(p, head->event_len);
	spec->target = copy_string(p + head->event_len, head->target_len);
	return spec->event && spec->target ? 0 : -ENOMEM;
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
		ret = parse_spec(&probe.spec, &head, data + sizeof(head));
		if (!ret)
			ret = tap_probes_add(&file->probes, &probe);
		if (ret) {
			tap_spec_free(&probe.spec);
			return ret == -ENOMEM ? ret : -EBADMSG;
		}
		data += head.length;
		len -= head.length;
	}
	return 0;
}
