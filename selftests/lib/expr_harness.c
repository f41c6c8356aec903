// SPDX-License-Identifier: GPL-2.0
/*
 * Makes the program of an event, with the types of fake_btf.c.
 */
#include <stdlib.h>
#include <string.h>

#include "lang/lang.h"
#include "compile/compile.h"
#include "compile/program.h"
#include "types/btf.h"
#include "types/scope.h"
#include "selftests/lib/expr_harness.h"
#include "selftests/lib/fake_btf.h"
#include "selftests/lib/harness.h"

static struct tap_types *types;

/* Fields of a tracepoint. */
static struct tap_name fields[] = {
	{ .name = "nr", .kind = TAP_NAME_FIELD, .at = 8,
	  .type = { .cls = TAP_TYPE_INT, .size = 4, .is_signed = true } },
	{ .name = "who", .kind = TAP_NAME_FIELD, .at = 12,
	  .type = { .cls = TAP_TYPE_ARRAY, .size = 16, .nr = 16,
		    .id = TAP_TYPE_CHAR } },
	{ .name = "file", .kind = TAP_NAME_DATA_LOC, .at = 28,
	  .type = { .cls = TAP_TYPE_ARRAY, .size = 1, .nr = 0,
		    .id = TAP_TYPE_CHAR } },
	{ .name = "vec", .kind = TAP_NAME_FIELD, .at = 32,
	  .type = { .cls = TAP_TYPE_ARRAY, .size = 8, .nr = 4,
		    .id = TAP_TYPE_INT } },
};

static int open_scope(struct tap_scope *scope, const struct tap_spec *spec,
		      struct tap_error *err)
{
	if (spec->type != TAP_PROBE_TRACEPOINT &&
	    spec->type != TAP_PROBE_SYSCALL)
		return tap_scope_open(scope, types, spec->type, spec->target,
				      err);
	*scope = (struct tap_scope) { .types = types };
	if (spec->type == TAP_PROBE_SYSCALL)
		/* "write" stands for a system call. */
		return tap_scope_open(scope, types, TAP_PROBE_CALL, "write",
				      err);
	scope->names = malloc(sizeof(fields));
	scope->nr = sizeof(fields) / sizeof(fields[0]);
	memcpy(scope->names, fields, sizeof(fields));
	return 0;
}

void expr_open(void)
{
	types = fake_btf_open();
}

void expr_close(void)
{
	tap_types_free(types);
}

int expr_make_tables(const char *text, const struct expr_table *tables, unsigned int nr,
		     struct tap_spec *spec, struct tap_error *err)
{
	struct tap_scope scope = { 0 };
	int ret = tap_spec_parse_into(spec, text, err);
	unsigned int i;

	if (ret)
		return ret;
	for (i = 0; i < nr && !ret; i++)
		ret = tap_spec_aggregate(spec, tables[i].keys, tables[i].nr_keys, tables[i].values,
					 tables[i].nr_values, 64, err);
	if (!ret)
		ret = open_scope(&scope, spec, err);
	return make_event_end(ret, spec, &scope, err);
}

int expr_make_aggregate(const char *text, const char *const *keys, unsigned int nr_keys,
			const struct tap_spec_value *values, unsigned int nr_values,
			struct tap_spec *spec, struct tap_error *err)
{
	const struct expr_table table = { keys, nr_keys, values, nr_values };

	return expr_make_tables(text, &table, nr_keys || nr_values, spec, err);
}

int expr_make_side(const char *text, struct tap_spec *spec, struct tap_error *err)
{
	struct tap_scope scope = { 0 };
	int ret = tap_spec_parse_into(spec, text, err);

	if (ret)
		return ret;
	spec->ast->is_side = true;
	ret = open_scope(&scope, spec, err);
	return make_event_end(ret, spec, &scope, err);
}

int expr_make(const char *text, struct tap_spec *spec, struct tap_error *err)
{
	return expr_make_aggregate(text, NULL, 0, NULL, 0, spec, err);
}
