// SPDX-License-Identifier: LGPL-2.1
/*
 * The divided duration in a record.
 */
#include <errno.h>
#include <string.h>

#include <libtap.h>

#include "spec/probe_table.h"
#include "spec/probe_type.h"

#define DIVISION_WORDS	(sizeof(struct tap_division) / sizeof(__u64))

_Static_assert(DIVISION_WORDS * sizeof(__u64) == sizeof(struct tap_division), "words only");

/* The word of the duration; -1: the events of the probe have none. */
static int duration_word(const struct tap_spec *spec)
{
	unsigned int i;

	if (tap_probe_is_call(spec->type))
		return TAP_CALL_DURATION;
	/* Only this one is hidden: a side of a span may have a value of this format. */
	for (i = 0; spec->type == TAP_PROBE_SPAN && i < spec->nr_fields; i++)
		if (spec->fields[i].format == TAP_FMT_DURATION &&
		    spec->fields[i].flags & TAP_FIELD_F_HIDDEN)
			return spec->fields[i].word;
	return -1;
}

const struct tap_field *tap_spec_division(const struct tap_spec *spec)
{
	unsigned int i;

	for (i = 0; i < spec->nr_fields && duration_word(spec) >= 0; i++)
		if (spec->fields[i].format == TAP_FMT_DIVISION &&
		    spec->fields[i].words == DIVISION_WORDS)
			return &spec->fields[i];
	return NULL;
}

int tap_event_division(const struct tap_event *ev, struct tap_division *division, __u64 *duration)
{
	const struct tap_field *field = tap_spec_division(&ev->probe->spec);
	__u64 words[DIVISION_WORDS];
	unsigned int i;

	if (!field || ev->rec->flags & TAP_F_ENTRY)
		return -ENOENT;
	if (ev->rec->flags & TAP_F_NO_RETURN)
		return -ENODATA;
	*duration = tap_event_word(ev, (unsigned int)duration_word(&ev->probe->spec));
	if (tap_event_absent(ev, field))
		return -EADDRNOTAVAIL;
	for (i = 0; i < DIVISION_WORDS; i++)
		words[i] = tap_event_word(ev, field->word + i);
	memcpy(division, words, sizeof(words));
	return 0;
}

bool tap_event_wait_stack(const struct tap_event *ev, const char *name,
			  __u64 words[1 + TAP_WAIT_FRAMES])
{
	const struct tap_spec *spec = &ev->probe->spec;
	unsigned int i, n;

	for (i = 0; i < spec->nr_fields; i++) {
		const struct tap_field *f = &spec->fields[i];

		if (!(f->flags & TAP_FIELD_F_WAIT) || strcmp(f->name, name))
			continue;
		for (n = 0; n <= TAP_WAIT_FRAMES; n++)
			words[n] = n < f->words ? tap_event_word(ev, f->word + n) : 0;
		/* What there is of a stack that could not be walked to its end is of use. */
		return words[0] & TAP_TEXT_LEN;
	}
	return false;
}
