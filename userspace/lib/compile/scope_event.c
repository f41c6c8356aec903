// SPDX-License-Identifier: LGPL-2.1
/*
 * The names that samples, watchpoints and marks give to their expressions.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <linux/perf_event.h>

#include "compile/compile.h"
#include "lang/lang.h"
#include "util/util.h"

/* Whether samples of the counter have the address of a memory access. */
static bool has_address(const struct tap_perf *perf)
{
	if (perf->type != PERF_TYPE_SOFTWARE)
		return false;
	switch (perf->config) {
	case PERF_COUNT_SW_PAGE_FAULTS:
	case PERF_COUNT_SW_PAGE_FAULTS_MIN:
	case PERF_COUNT_SW_PAGE_FAULTS_MAJ:
	case PERF_COUNT_SW_ALIGNMENT_FAULTS:
	case PERF_COUNT_SW_EMULATION_FAULTS:
		return true;
	}
	return false;
}

/**
 * tap_scope_event() - the names of a sample
 * @scope: filled in; the caller has to call tap_scope_close()
 * @spec: the event
 * @err: an error message on failure
 *
 * Return: 0 or -ENOMEM.
 */
int tap_scope_event(struct tap_scope *scope, const struct tap_spec *spec,
		    struct tap_error *err)
{
	static const struct tap_type word = { .cls = TAP_TYPE_INT, .size = 8 };
	const struct tap_name names[] = {
		{ .name = "ip", .at = offsetof(struct tap_sample, ip),
		  .format = TAP_FMT_USYMBOL },
		{ .name = "addr", .at = offsetof(struct tap_sample, addr),
		  .format = TAP_FMT_X64 },
		{ .name = "period", .at = offsetof(struct tap_sample, period),
		  .format = TAP_FMT_U64, .quiet = true },
	};
	size_t i;

	*scope = (struct tap_scope) { 0 };
	scope->names = calloc(ARRAY_SIZE(names), sizeof(*names));
	if (!scope->names)
		return tap_error_set(err, -ENOMEM, "out of memory");
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		struct tap_name *name = &scope->names[scope->nr];

		*name = names[i];
		name->kind = TAP_NAME_FIELD;
		name->type = word;
		if (strcmp(name->name, "addr") || has_address(&spec->perf))
			scope->nr++;
	}
	return 0;
}

/**
 * tap_scope_watchpoint() - the names of a watchpoint
 * @scope: filled in; the caller has to call tap_scope_close()
 * @spec: expanded
 * @err: an error message on failure
 *
 * Return: 0 or -ENOMEM.
 */
int tap_scope_watchpoint(struct tap_scope *scope, const struct tap_spec *spec,
			 struct tap_error *err)
{
	static const struct {
		const char *name;
		int at;
	} values[] = {
		{ "ip", offsetof(struct tap_watch, ip) },
		{ "old", offsetof(struct tap_watch, old_value) },
		{ "new", offsetof(struct tap_watch, new_value) },
	};
	size_t nr = spec->perf.config == TAP_WATCH_EXECUTE ? 1 : ARRAY_SIZE(values), i;

	scope->names = calloc(nr, sizeof(*scope->names));
	if (!scope->names)
		return tap_error_set(err, -ENOMEM, "out of memory");
	for (i = 0; i < nr; i++) {
		struct tap_name *name = &scope->names[scope->nr++];

		strcpy(name->name, values[i].name);
		name->kind = TAP_NAME_FIELD;
		name->at = values[i].at;
		name->type.cls = TAP_TYPE_INT;
		name->type.size = i ? spec->perf.config2 : 8;
		if (i)
			name->raw = true;
		else
			name->format = spec->type == TAP_PROBE_WATCHPOINT ?
				       TAP_FMT_SYMBOL : TAP_FMT_USYMBOL;
	}
	return 0;
}

static void name_text(struct tap_name *name, size_t at, bool quiet)
{
	*name = (struct tap_name) {
		.name = "text", .kind = TAP_NAME_FIELD, .at = (int)at,
		.type = {
			.cls = TAP_TYPE_ARRAY, .id = TAP_TYPE_CHAR,
			.size = TAP_MARK_BYTES - at, .nr = TAP_MARK_BYTES - at,
		},
		.format = TAP_FMT_CHARS, .quiet = quiet,
	};
}

static void name_number(struct tap_name *name, const char *text, bool quiet)
{
	*name = (struct tap_name) {
		.kind = TAP_NAME_FIELD, .quiet = quiet,
		.type = { .cls = TAP_TYPE_INT, .size = 8, .is_signed = true },
		.format = TAP_FMT_S64,
	};
	snprintf(name->name, sizeof(name->name), "%s", text);
}

static int scope_file(struct tap_scope *scope, const char *path,
		      struct tap_error *err)
{
	enum tap_value_kind kind = TAP_VALUE_TEXT;
	struct tap_value_file *f = NULL;
	int ret;

	ret = tap_value_file_open(&f, path, err);
	if (!ret)
		ret = tap_value_file_check(f, &kind, err);
	tap_value_file_close(f);
	if (ret)
		return ret;
	if (kind != TAP_VALUE_TEXT)
		name_number(&scope->names[scope->nr++], "value",
			    kind != TAP_VALUE_NUMBER);
	name_text(&scope->names[scope->nr++],
		  offsetof(struct tap_value_mark, text),
		  kind == TAP_VALUE_NUMBER);
	return 0;
}

/**
 * tap_scope_mark() - the names of a mark
 * @scope: filled in; the caller has to call tap_scope_close()
 * @spec: a mark, an interval or a file
 * @err: an error message on failure
 *
 * The file is read once. Its value at this time decides whether it is a number.
 *
 * Return: 0 or -errno.
 */
int tap_scope_mark(struct tap_scope *scope, const struct tap_spec *spec,
		   struct tap_error *err)
{
	const char *path = tap_spec_value_file(spec);

	*scope = (struct tap_scope) { 0 };
	scope->names = calloc(2, sizeof(*scope->names));
	if (!scope->names)
		return tap_error_set(err, -ENOMEM, "out of memory");
	if (path)
		return scope_file(scope, path, err);
	if (tap_spec_interval(spec))
		name_number(&scope->names[scope->nr++], "missed", true);
	else
		name_text(&scope->names[scope->nr++], 0, false);
	return 0;
}
