// SPDX-License-Identifier: GPL-2.0
/*
 * The library makes keys for its tables, with their names and formats. So each event becomes a table,
 * whose row has the key.
 */
#include <errno.h>
#include <string.h>

#include "diff/keys.h"

int keys_open(struct keys *keys, const struct tap_probe *probe, const char *const *exprs,
	      unsigned int nr, const struct tap_formatter_opts *names, struct tap_error *err)
{
	keys->names = names;
	return tap_tally_open(&keys->tally, probe, names->timebase, exprs, nr, NULL, 0, err);
}

int keys_read(struct keys *keys, const struct tap_event *ev, __u64 *words, unsigned int *nr)
{
	struct tap_aggregation *a;
	const struct tap_field *key;
	const __u64 *row;
	unsigned int i;

	tap_tally_clear(keys->tally);
	if (tap_tally_event(keys->tally, ev))
		return -ENOMEM;
	a = tap_tally_rows(keys->tally);
	row = tap_aggregation_row(a, 0);
	*nr = 0;
	for (i = 0; (key = tap_aggregation_key(a, i)); i++) {
		if (*nr + key->words > KEYS_WORDS)
			return -ENOMEM;
		memcpy(words + *nr, row + key->word, key->words * sizeof(*words));
		*nr += key->words;
	}
	return 0;
}

void keys_text(struct keys *keys, bool json, FILE *to)
{
	struct tap_formatter_opts names = *keys->names;
	struct tap_aggregation *a = tap_tally_rows(keys->tally);
	const __u64 *row = tap_aggregation_row(a, 0);
	const struct tap_field *key;
	const char *divider = "";
	char buf[KEYS_TEXT];
	unsigned int i;

	names.json = json;
	if (json)
		fputc('{', to);
	for (i = 0; (key = tap_aggregation_key(a, i)); i++) {
		if (key->flags & TAP_FIELD_F_HIDDEN)
			continue;
		tap_aggregation_format_key(a, row, i, &names, buf, sizeof(buf));
		fputs(divider, to);
		if (json)
			tool_json(to, key->name);
		else
			fputs(key->name, to);
		fprintf(to, "%c%s", json ? ':' : '=', buf);
		divider = json ? "," : " ";
	}
	if (json)
		fputc('}', to);
}

void keys_close(struct keys *keys)
{
	tap_tally_close(keys->tally);
	memset(keys, 0, sizeof(*keys));
}
