// SPDX-License-Identifier: GPL-2.0
/*
 * The loops over the tables of harness.h.
 */
#include <stdlib.h>
#include <string.h>

#include "spec/spec.h"
#include "compile/compile.h"
#include "compile/program.h"
#include "selftests/lib/check.h"
#include "selftests/lib/harness.h"
#include "selftests/lib/op_text.h"

int make_event_end(int ret, struct tap_spec *spec, struct tap_scope *scope,
		   struct tap_error *err)
{
	if (!ret)
		ret = tap_program_make(spec, spec->ast, scope, NULL, err);
	tap_scope_close(scope);
	if (ret)
		tap_spec_clear(spec);
	return ret;
}

void free_events(struct tap_spec *list, size_t nr)
{
	while (nr)
		tap_spec_clear(&list[--nr]);
	free(list);
}

static void check_right_event(const char *title, const struct right_event *row,
			      make_event *make)
{
	char steps[8192], fields[8192];
	struct tap_error err;
	struct tap_spec spec;
	bool good;

	if (make(row->text, &spec, &err)) {
		check(false, "%s: %s", title, row->text);
		printf("# %s\n", err.text);
		return;
	}
	put_steps(steps, &spec);
	put_fields(fields, &spec);
	good = !strcmp(steps, row->steps) && !strcmp(fields, row->fields);
	check(good, "%s: %s", title, row->text);
	if (!good)
		printf("#\t{ \"%s\",\n#\t  \"%s\",\n#\t  \"%s\" },\n",
		       row->text, steps, fields);
	tap_spec_clear(&spec);
}

void check_right_events(const char *title, const struct right_event *rows, size_t nr,
			make_event *make)
{
	size_t i;

	for (i = 0; i < nr; i++)
		check_right_event(title, &rows[i], make);
}

static void check_wrong_event(const struct wrong_event *row, make_event *make)
{
	struct tap_error err;
	struct tap_spec spec;
	int ret = make(row->text, &spec, &err);
	const char *lines = ret ? strchr(err.text, '\n') : NULL;
	char want[1024];
	bool good;

	snprintf(want, sizeof(want), "\n  %s\n  %s", row->text,
		 row->mark ? row->mark : "");
	/* The error message shows several lines as one. */
	if (strchr(row->text, '\n'))
		*strchr(want + 1, '\n') = ' ';
	good = ret && ret == row->code && err.code == ret &&
	       strstr(err.text, row->says) &&
	       (row->mark ? lines && !strcmp(lines, want) : !lines);
	check(good, "wrong: %s", row->text);
	if (!good)
		printf("# %d: %s\n# wanted: %s%s\n", ret, ret ? err.text : "",
		       row->says, want);
	if (!ret)
		tap_spec_clear(&spec);
}

void check_wrong_events(const struct wrong_event *rows, size_t nr, make_event *make)
{
	size_t i;

	for (i = 0; i < nr; i++)
		check_wrong_event(&rows[i], make);
}

static void check_expansion(const struct expansion *row, expand_event *expand,
			    expansion_fits *fits)
{
	struct tap_spec *list = NULL;
	struct tap_error err;
	size_t nr = 0, i;
	int ret = expand(row->text, &list, &nr, &err);
	bool good;

	good = ret == row->code && err.code == ret &&
	       (*row->says ? strstr(err.text, row->says) != NULL : !*err.text);
	if (good && !ret)
		good = fits(row->gives, list, nr);
	check(good, "expand: %s", row->text);
	if (!good)
		printf("# %d: %s\n", ret, err.text);
	if (ret)
		return;
	for (i = 0; !good && i < nr; i++)
		printf("# %s %s 0x%llx\n", list[i].event, list[i].target,
		       (unsigned long long)list[i].offset);
	free_events(list, nr);
}

void check_expansions(const struct expansion *rows, size_t nr, expand_event *expand,
		      expansion_fits *fits)
{
	size_t i;

	for (i = 0; i < nr; i++)
		check_expansion(&rows[i], expand, fits);
}
